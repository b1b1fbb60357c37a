//! A match's life:
//!
//! | step | what it does | file |
//! |---|---|---|
//! | open | the last seat of a challenge is taken | [`open`] |
//! | update | every change and every read of a match | [`update`] |
//! | play | command: a player acts, or leaves | [`play`] |
//! | expire | command: the clock acts for a player who didn't | [`expire`] |
//! | rest | clocks stop while the service is unreachable | [`down_times`] |
//! | pause | command: the ladder or the tournament is paused | [`pauses`] |
//! | replan | command: a player's calendar has changed | [`replan`] |
//! | adjudicate | command: a moderator ends the match | [`adjudicate`] |
//! | end at a deadline | command: the round of a tournament is over | [`deadline`] |
//! | hand over | command: another player takes over a seat | [`hand_over`] |
//! | give time | command: an organizer gives a seat more time | [`more_time`] |
//! | finish | a match ends that counts for ratings, for a ladder or a tournament | [`finish`] |
//! | keep the order | who begins after a rated match was called off | [`kept_order`] |
//! | answer for time | who answers for the time-out of a seat that has changed hands | [`tenure`] |
//! | remind | reminders before a player's time runs out | [`reminders`] |
//! | plan | times when clocks stand still, from the players' calendars | [`plans`] |
//! | notify | notifications to the accounts of its seats | [`notify`] |
//! | tell apart | players, former players and others | [`part`] |
//! | allow | access to a match, checked before loading, and its price | [`access`], [`fold_price`] |
//! | read | reports, lists, waiting for news | [`queries`] |
//! | keep | answers about matches that are over, as bytes | [`documents`] |
//! | result | each seat's result of a finished match, for statistics | [`results`], [`statistics`] |
//! | judge shots | a seat's shooting compared with chance | [`shooting`] |
//! | prove | the record of a match, signed | [`record`], [`keys`] |
//! | archive | the logs of matches that were over long ago leave the tables | [`archive`] |
//! | audit | an operator folds every log again | [`audit`] |
//! | repair | an operator mends a damaged match, or aborts it | [`repair`] |
//!
//! The log of entries is the truth. Everything else is folded from it: the battle, what each viewer knows, the head
//! that lists read. A node keeps recent matches folded in memory. That is safe with any number of nodes, because an
//! entry is written only if the log is still as long as it was when the entry was judged.

mod access;
pub mod adjudicate;
pub mod archive;
pub mod audit;
mod cell;
pub mod deadline;
pub mod documents;
pub mod down_times;
pub mod expire;
mod filter;
mod finish;
mod fold_price;
pub mod hand_over;
pub(crate) mod kept_order;
pub mod keys;
pub mod log_chain;
pub(crate) mod match_state;
pub mod more_time;
pub mod names;
pub(crate) mod notify;
pub mod open;
mod part;
pub mod pauses;
mod plans;
pub mod play;
pub mod queries;
pub mod record;
mod registry;
mod reminders;
pub mod repair;
pub mod replan;
pub mod results;
pub mod shooting;
pub mod statistics;
pub mod store;
mod tenure;
mod update;
mod view_size;

use broadside_contests::{Pool, RuleSetHash};
use broadside_rules::record::{Format, Header, HeaderSeat};
use broadside_rules::text::Digest as Hex;
use broadside_rules::{Chance, Clock, Nonce, RuleSet, Seat, Setup, Time, Variant, Viewer};
use serde_json::Value;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};
use uuid::Uuid;

pub use access::Access;
pub use filter::{ContestFilter, MatchFilter, PlayerResult};
pub use match_state::MatchSnapshot;
pub use part::Part;
pub use registry::{MatchMemory, Matches};
pub(crate) use update::entry_of_claim;
pub use view_size::ViewSize;

use crate::due::log_seldom;
use crate::error::{Error, Result};
use crate::ids::{AccountId, LadderId, MatchId, PairingId, TournamentId};
use crate::player::Player;
use crate::ratings::RatingEffect;

/// An error for a damaged match. The log names the match and the reason, once a minute.
pub(crate) fn damaged(id: MatchId, why: impl std::fmt::Display) -> Error {
    let error = Error::match_damaged(format!("the match {id}: {why}"));
    log_seldom(&error, id, "a match is damaged: `broadside audit --match` says how, `broadside repair match` helps");
    error
}

/// A player who gave up a seat.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FormerPlayer {
    pub seat: Seat,
    pub player: Player,
    /// The time of the handover.
    pub until: Time,
}

/// The terms and the players of a match.
#[derive(Clone)]
pub struct MatchTerms {
    pub id: MatchId,
    pub variant: &'static Variant,
    pub setup: Setup,
    pub rated: bool,
    /// The rating pool; `None` for an unrated match.
    pub pool: Option<Pool>,
    /// The players' ratings in that pool when the match began, by seat.
    pub ratings: Vec<Option<i32>>,
    /// The pairing that the match belongs to; `None` outside ladders and tournaments.
    pub pairing: Option<PairingRef>,
    /// Allows accounts without a seat and anonymous viewers to watch.
    pub spectators: bool,
    /// The secret seed of the sample decisions. It is never published.
    pub seed: [u8; 32],
    /// The seed of all random numbers, together with the nonces; secret until the match has ended.
    pub chance_seed: [u8; 32],
    /// The players' contributions to the random numbers, by seat.
    pub nonces: Vec<Option<Nonce>>,
    /// The name of the key that signs the match's records.
    pub record_key: String,
    /// The format of the match's record, fixed when the match is created.
    pub record_format: Format,
    /// The current players, by seat.
    pub players: Vec<Player>,
    /// Former players, in the order in which they gave up their seats.
    pub former: Vec<FormerPlayer>,
    pub created_at: Time,
    /// The rule set as every view shows it.
    pub rule_set: RuleSetJson,
    /// The named rule set. The first player may be set separately, so its hash can differ from that of `rule_set`.
    pub named: Option<RuleSetHash>,
    /// Counts changes outside the log, such as names of deleted players.
    pub edition: u32,
    pub view_size: ViewSize,
}

/// A rule set as JSON, made once per match: every view shows it, and serializing it took longer than the rest of a
/// view.
#[derive(Clone)]
pub struct RuleSetJson {
    /// The canonical form (RFC 8785).
    pub canonical: Box<RawValue>,
    /// Its SHA-256 fingerprint.
    pub hash: RuleSetHash,
}

impl RuleSetJson {
    pub fn of(rules: &RuleSet) -> Result<Self> {
        let canonical = serde_json_canonicalizer::to_string(rules).map_err(Error::internal)?;
        let hash = RuleSetHash::of(&Sha256::digest(&canonical).into());
        Ok(Self { canonical: RawValue::from_string(canonical).map_err(Error::internal)?, hash })
    }
}

/// SHA-256 of the rule set's canonical JSON (RFC 8785).
pub fn rule_set_hash(rules: &RuleSet) -> Result<RuleSetHash> {
    Ok(RuleSetJson::of(rules)?.hash)
}

/// Parses the stored hash of a named rule set.
pub fn stored_hash(hash: Option<&str>) -> Result<Option<RuleSetHash>> {
    hash.map(|hash| hash.parse().map_err(|_| Error::internal("a stored hash of a rule set is malformed"))).transpose()
}

impl MatchTerms {
    pub fn part_of(&self, account: AccountId) -> Part {
        Part::of(account, &self.players, &self.former)
    }

    /// The original players, by seat. Records, ratings and contests name them.
    pub fn first_players(&self) -> impl Iterator<Item = &Player> {
        (0_u8..).zip(&self.players).map(|(seat, player)| {
            self.former.iter().find(|former| former.seat.0 == seat).map_or(player, |former| &former.player)
        })
    }

    /// The viewer: the account's seat, or a spectator. `not-found` while the match is closed to spectators.
    pub(crate) fn viewer(&self, account: Option<AccountId>, is_over: bool) -> Result<Viewer> {
        match account.map_or(Part::Outsider, |account| self.part_of(account)) {
            Part::Player(seat) => Ok(Viewer::Seat(seat)),
            Part::FormerPlayer | Part::Outsider if self.spectators || is_over => Ok(Viewer::Spectator),
            Part::FormerPlayer | Part::Outsider => Err(Error::not_found()),
        }
    }

    /// The name that the seat's player chose.
    pub fn wish_of(&self, seat: usize) -> Option<&'static str> {
        let wish = self.setup.preferences.get(seat).copied().flatten()?;
        self.setup.rules.seat_names().get(usize::from(wish)).copied()
    }

    /// The root of the match's record.
    pub fn header(&self) -> Header {
        let seats = (0_u8..).zip(self.first_players()).map(|(seat, player)| HeaderSeat {
            seat: Seat(seat),
            player: player.id.to_string(),
            bot: player.bot,
            wish: self.wish_of(usize::from(seat)).map(str::to_owned),
            nonce: self.nonces.get(usize::from(seat)).cloned().flatten().map(|nonce| nonce.as_str().to_owned()),
        });
        Header {
            match_id: self.id.to_string(),
            variant: self.variant.id.to_owned(),
            rule_set: RuleSet::clone(&self.setup.rules),
            rule_set_hash: self.rule_set.hash.digest(),
            clock: self.setup.clock,
            rated: self.rated,
            seats: seats.collect(),
            chance_commitment: Hex::of(&Chance::commitment(&self.chance_seed)),
            key_id: self.record_key.clone(),
            created_at: self.created_at,
        }
    }
}

/// The number under which a chosen name is stored.
pub fn stored_wish(rules: &RuleSet, wish: Option<&str>) -> Result<Option<u8>> {
    let Some(wish) = wish else { return Ok(None) };
    let index = rules.seat_names().iter().position(|known| *known == wish);
    let index = index.and_then(|index| u8::try_from(index).ok());
    index.map(Some).ok_or_else(|| Error::internal(format!("there is no {wish} to be wished for in a stored match")))
}

/// A match as stored: its terms, and its log as bytes.
pub struct StoredMatch {
    pub id: MatchId,
    pub variant: &'static Variant,
    pub rules: RuleSet,
    pub clock: Clock,
    /// The named rule set.
    pub named: Option<RuleSetHash>,
    pub rated: bool,
    pub spectators: bool,
    /// The secret seed of the sample decisions.
    pub seed: [u8; 32],
    /// The seed of all random numbers.
    pub chance_seed: [u8; 32],
    /// The name of the key that signs the match's records, if one was chosen at creation.
    pub record_key: String,
    pub record_format: Format,
    pub created_at: Time,
    /// The current players, by seat.
    pub players: Vec<Player>,
    /// Former players, in the order in which they gave up their seats.
    pub former: Vec<FormerPlayer>,
    /// The seats' chosen names: indexes into [`RuleSet::wishes`].
    pub wishes: Vec<Option<u8>>,
    /// The players' contributions to the random numbers, by seat.
    pub nonces: Vec<Option<Nonce>>,
    pub entries: Vec<Vec<u8>>,
    /// Counts changes outside the log.
    pub edition: u32,
    /// The rating pool; `None` for an unrated match.
    pub pool: Option<Pool>,
    /// The players' ratings at the start, by seat.
    pub ratings: Vec<Option<i32>>,
    /// The match's effect on the ratings.
    pub changed: RatingEffect,
    /// The pairing that the match belongs to.
    pub pairing: Option<PairingRef>,
}

/// A ladder or a tournament: it pairs players, and is notified when their matches end.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Contest {
    Ladder(LadderId),
    Tournament(TournamentId),
}

impl Contest {
    /// Its kind: `ladder` or `tournament`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Ladder(_) => "ladder",
            Self::Tournament(_) => "tournament",
        }
    }

    pub fn id(self) -> Uuid {
        match self {
            Self::Ladder(id) => id.0,
            Self::Tournament(id) => id.0,
        }
    }

    /// The contest with this kind and id; `None` for an unknown kind.
    pub fn of(word: &str, id: Uuid) -> Option<Self> {
        match word {
            "ladder" => Some(Self::Ladder(id.into())),
            "tournament" => Some(Self::Tournament(id.into())),
            _ => None,
        }
    }
}

/// The game of a pairing that a match is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PairingRef {
    pub id: PairingId,
    pub contest: Contest,
    /// The number of the game, from 1.
    pub game: u8,
    /// The number of games in the pairing: 1, or 2 paired games, each begun by another player and rated together.
    pub games: u8,
}

/// A match in a list: public facts only.
pub struct MatchSummary {
    pub id: MatchId,
    /// The version of this summary: the number of log entries, and the edition of the data outside the log.
    pub mark: (u32, u32),
    pub variant: String,
    pub named: Option<RuleSetHash>,
    pub rated: bool,
    pub spectators: bool,
    pub created_at: Time,
    /// deploying, playing, finished or aborted.
    pub status: String,
    /// Bit n: seat n must act.
    pub to_act: i32,
    /// The deadline of the first seat that must act.
    pub deadline: Option<Time>,
    pub started_at: Option<Time>,
    pub finished_at: Option<Time>,
    pub result: Option<Value>,
    /// The current players, by seat.
    pub players: Vec<Player>,
    /// Former players, in the order in which they gave up their seats.
    pub former: Vec<FormerPlayer>,
}

/// The numbers of matches of an account.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MatchCounts {
    /// Running and open to spectators. Closed matches never appear in a count that others see.
    pub running: u32,
    /// Finished (not aborted) with the account at a seat.
    pub finished: u32,
    /// Matches that count for reliability: finished ones in which the account has or had a seat (annulled ones
    /// excluded), and rated ones that it called off.
    pub counted: u32,
    /// The counted matches that the account timed out in or called off.
    pub at_fault: u32,
}

impl MatchCounts {
    /// The share of counted matches neither lost on time nor called off, in whole percents, rounded down; `None` if no
    /// match counts.
    pub fn reliability_percent(&self) -> Option<u8> {
        let kept = u64::from(self.counted.saturating_sub(self.at_fault));
        let percent = (kept * 100).checked_div(u64::from(self.counted))?;
        u8::try_from(percent).ok()
    }
}
