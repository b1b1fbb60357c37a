//! A match's life:
//!
//! | step | what it does | file |
//! |---|---|---|
//! | open | the last seat of a challenge is taken | [`open`] |
//! | update | the one way in which a match changes, and in which it is read | [`update`] |
//! | play | command: a player acts, or leaves | [`play`] |
//! | expire | command: the clock acts for a player who didn't | [`expire`] |
//! | rest | the service could not be reached | [`down_times`] |
//! | pause | command: the ladder or the tournament is paused | [`pauses`] |
//! | replan | command: a player's calendar has changed | [`replan`] |
//! | adjudicate | command: a moderator ends the match | [`adjudicate`] |
//! | end at a deadline | command: the round of a tournament is over | [`deadline`] |
//! | hand over | command: another player takes over a seat | [`hand_over`] |
//! | give time | command: an organizer gives a seat more time | [`more_time`] |
//! | finish | a match ends that counts for ratings, for a ladder or a tournament | [`finish`] |
//! | keep the order | who begins after a rated match was called off | [`kept_order`] |
//! | answer for time | who answers for the time-out of a seat that has changed hands | [`tenure`] |
//! | remind | what is due before a player's time is over | [`reminders`] |
//! | plan | when clocks stand still, by the players' calendars | [`plans`] |
//! | notify | what the accounts of its seats are told | [`notify`] |
//! | tell apart | players, former players and others | [`part`] |
//! | allow | who may see a match, before anything of it is loaded, and what that costs | [`access`], [`fold_price`] |
//! | read | reports, lists, waiting for news | [`queries`] |
//! | keep | answers about matches that are over, as bytes | [`documents`] |
//! | result | what each seat has made of a match that is over, kept for statistics | [`results`], [`statistics`] |
//! | judge shots | how well a seat has shot, beside chance | [`shooting`] |
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

/// A match that is damaged, and why. The log names it, once a minute.
pub(crate) fn damaged(id: MatchId, why: impl std::fmt::Display) -> Error {
    let error = Error::match_damaged(format!("the match {id}: {why}"));
    log_seldom(&error, id, "a match is damaged: `broadside audit --match` says how, `broadside repair match` helps");
    error
}

/// A player who had a seat and has it no more.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FormerPlayer {
    pub seat: Seat,
    pub player: Player,
    /// When somebody else got the seat.
    pub until: Time,
}

/// What a match is played by, and by whom.
#[derive(Clone)]
pub struct MatchTerms {
    pub id: MatchId,
    pub variant: &'static Variant,
    /// Rules, clock, number of seats.
    pub setup: Setup,
    /// Whether the result counts for the ratings.
    pub rated: bool,
    /// The pool in which it counts; none if it is unrated.
    pub pool: Option<Pool>,
    /// What the players' ratings in the pool of such matches were when it began, by seat.
    pub ratings: Vec<Option<i32>>,
    /// What it is played for; none: for itself.
    pub pairing: Option<PairingRef>,
    /// Whether accounts without a seat, and anybody else, may watch.
    pub spectators: bool,
    /// A secret of the match, from which the examples of decisions are drawn. It is never published.
    pub seed: [u8; 32],
    /// What chance is drawn from, together with the nonces: a secret until the match has ended.
    pub chance_seed: [u8; 32],
    /// What the players have mixed into it, by seat.
    pub nonces: Vec<Option<Nonce>>,
    /// The name of the key that signs the match's records.
    pub record_key: String,
    /// The format of the match's record, fixed when the match is created.
    pub record_format: Format,
    /// Who sits where, by seat.
    pub players: Vec<Player>,
    /// Who has had a seat before, in the order in which they gave it up.
    pub former: Vec<FormerPlayer>,
    /// When it was made.
    pub created_at: Time,
    /// The rule set as every view shows it.
    pub rule_set: RuleSetJson,
    /// The named rule set that it is played by. Who begins may be said apart, so that its hash may be another one.
    pub named: Option<RuleSetHash>,
    /// Counts the changes beside the log: names of players who have gone.
    pub edition: u32,
    /// How long its views are.
    pub view_size: ViewSize,
}

/// A rule set as JSON. It is made once a match: every view shows it, and to make it took longer than all the rest of a
/// view.
#[derive(Clone)]
pub struct RuleSetJson {
    /// The canonical form (RFC 8785).
    pub canonical: Box<RawValue>,
    /// Its SHA-256: the rule set's fingerprint.
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

/// The hash of a named rule set as it is stored.
pub fn stored_hash(hash: Option<&str>) -> Result<Option<RuleSetHash>> {
    hash.map(|hash| hash.parse().map_err(|_| Error::internal("a stored hash of a rule set is malformed"))).transpose()
}

impl MatchTerms {
    pub fn part_of(&self, account: AccountId) -> Part {
        Part::of(account, &self.players, &self.former)
    }

    /// Who sat at each seat when the match began: whom its record, ratings and contests name.
    pub fn first_players(&self) -> impl Iterator<Item = &Player> {
        (0_u8..).zip(&self.players).map(|(seat, player)| {
            self.former.iter().find(|former| former.seat.0 == seat).map_or(player, |former| &former.player)
        })
    }

    /// The viewer: the seat of the account, or a spectator. `not-found` while the match is closed to spectators.
    pub(crate) fn viewer(&self, account: Option<AccountId>, is_over: bool) -> Result<Viewer> {
        match account.map_or(Part::Outsider, |account| self.part_of(account)) {
            Part::Player(seat) => Ok(Viewer::Seat(seat)),
            Part::FormerPlayer | Part::Outsider if self.spectators || is_over => Ok(Viewer::Spectator),
            Part::FormerPlayer | Part::Outsider => Err(Error::not_found()),
        }
    }

    /// What the seat wishes to be called.
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

/// The number of a wish as it is stored.
pub fn stored_wish(rules: &RuleSet, wish: Option<&str>) -> Result<Option<u8>> {
    let Some(wish) = wish else { return Ok(None) };
    let index = rules.seat_names().iter().position(|known| *known == wish);
    let index = index.and_then(|index| u8::try_from(index).ok());
    index.map(Some).ok_or_else(|| Error::internal(format!("there is no {wish} to be wished for in a stored match")))
}

/// A match as the store gives it: its terms, and its log as bytes.
pub struct StoredMatch {
    pub id: MatchId,
    pub variant: &'static Variant,
    pub rules: RuleSet,
    pub clock: Clock,
    /// The named rule set that it is played by.
    pub named: Option<RuleSetHash>,
    /// Whether the result counts for the ratings.
    pub rated: bool,
    /// Whether accounts without a seat, and anybody else, may watch.
    pub spectators: bool,
    /// A secret of the match, from which examples are drawn.
    pub seed: [u8; 32],
    /// What chance is drawn from.
    pub chance_seed: [u8; 32],
    /// The name of the key that signs the match's records, if one was chosen when it was made.
    pub record_key: String,
    pub record_format: Format,
    /// When it was made.
    pub created_at: Time,
    /// Who sits where, by seat.
    pub players: Vec<Player>,
    /// Who has had a seat before, in the order in which they gave it up.
    pub former: Vec<FormerPlayer>,
    /// What the seats wish to be called: numbers into [`RuleSet::wishes`].
    pub wishes: Vec<Option<u8>>,
    /// What the players have mixed into chance, by seat.
    pub nonces: Vec<Option<Nonce>>,
    /// The log.
    pub entries: Vec<Vec<u8>>,
    /// Counts changes beside the log.
    pub edition: u32,
    /// The pool in which it counts.
    pub pool: Option<Pool>,
    /// The players' ratings when it began, by seat.
    pub ratings: Vec<Option<i32>>,
    /// What it has done to the ratings.
    pub changed: RatingEffect,
    /// What it is played for.
    pub pairing: Option<PairingRef>,
}

/// What pairs players, and is notified when their matches end.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Contest {
    /// A ladder.
    Ladder(LadderId),
    /// A tournament.
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

    /// The id of the ladder or the tournament.
    pub fn id(self) -> Uuid {
        match self {
            Self::Ladder(id) => id.0,
            Self::Tournament(id) => id.0,
        }
    }

    /// The contest of a kind; `None` for an unknown kind.
    pub fn of(word: &str, id: Uuid) -> Option<Self> {
        match word {
            "ladder" => Some(Self::Ladder(id.into())),
            "tournament" => Some(Self::Tournament(id.into())),
            _ => None,
        }
    }
}

/// Which game of which pairing a match is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PairingRef {
    pub id: PairingId,
    /// The contest that the pairing belongs to.
    pub contest: Contest,
    /// Which of their games it is, from 1.
    pub game: u8,
    /// How many games the pairing has: one, or two paired games. In each of them another player begins, and they are
    /// rated together.
    pub games: u8,
}

/// A match in a list: public facts only.
pub struct MatchSummary {
    pub id: MatchId,
    /// How far that goes: the number of entries in its log, and the edition of what stands beside the log.
    pub mark: (u32, u32),
    /// The variant's id.
    pub variant: String,
    /// The named rule set that it is played by.
    pub named: Option<RuleSetHash>,
    /// Whether the result counts for the ratings.
    pub rated: bool,
    /// Whether accounts without a seat, and anybody else, may watch.
    pub spectators: bool,
    /// When it was made.
    pub created_at: Time,
    /// deploying, playing, finished or aborted.
    pub status: String,
    /// Bit n: seat n must act.
    pub to_act: i32,
    /// When time runs out for the first seat that must act.
    pub deadline: Option<Time>,
    /// When the battle began.
    pub started_at: Option<Time>,
    /// When it was over.
    pub finished_at: Option<Time>,
    /// How it ended.
    pub result: Option<Value>,
    /// Who sits where, by seat.
    pub players: Vec<Player>,
    /// Who has had a seat before, in the order in which they gave it up.
    pub former: Vec<FormerPlayer>,
}

/// How many matches an account plays and has played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MatchCounts {
    /// Running and open to spectators: a closed match shows in no count that strangers see.
    pub running: u32,
    /// Played to an end (not aborted), with the account at a seat.
    pub finished: u32,
    /// The matches that reliability counts: finished ones in which the account has or had a seat, without annulled
    /// ones, and rated ones that it called off.
    pub counted: u32,
    /// The matches of these whose time-out it answers for, or that it called off.
    pub at_fault: u32,
}

impl MatchCounts {
    /// The share of the counted matches that were neither lost on time nor called off, in whole percents, rounded down;
    /// none while nothing counts.
    pub fn reliability_percent(&self) -> Option<u8> {
        let kept = u64::from(self.counted.saturating_sub(self.at_fault));
        let percent = (kept * 100).checked_div(u64::from(self.counted))?;
        u8::try_from(percent).ok()
    }
}
