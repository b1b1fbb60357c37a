//! A match's life:
//!
//! | step | what it does | file |
//! |---|---|---|
//! | open | the last seat of a challenge is taken | [`open`] |
//! | play | a player acts; the one way in which a match changes | [`play`] |
//! | expire | the clock acts for a player who didn't | [`expire`] |
//! | watch | players, spectators and strangers read | [`watch`] |
//! | audit | an operator folds every log again | [`audit`] |
//!
//! The log of entries is the truth, and everything else is folded from it: the battle, what each viewer knows, the head that lists read. A node
//! keeps recent matches folded in memory. That is safe with any number of nodes, because a move is written only if the log is still
//! as long as its judge believed.

pub mod audit;
pub mod expire;
pub mod open;
pub mod play;
pub mod watch;

use std::sync::Arc;

use broadside_rules::{
    Battle, Chance, Clock, Entry, Event, Report, RuleSet, Seat, Setup, Status, Time, Variant, View, Viewer, disclose,
    setup::Wishes,
};
use quick_cache::sync::Cache;
use serde_json::Value;
use sha2::{Digest, Sha256};
use tokio::sync::{Mutex, Notify};

use crate::error::{Error, Result};
use crate::ids::{AccountId, MatchId};
use crate::player::Player;
use crate::store::Db;
use crate::store::moves::{Head, Writer};

/// What a match is played by, and by whom.
pub struct Terms {
    /// Its name.
    pub id: MatchId,
    /// The variant.
    pub variant: &'static Variant,
    /// Rules, clock, number of seats.
    pub setup: Setup,
    /// Whether the result counts for the ratings.
    pub rated: bool,
    /// Whether people who don't play may watch.
    pub spectators: bool,
    /// A secret of the match, from which examples are drawn.
    pub seed: [u8; 32],
    /// Who sits where, by seat.
    pub players: Vec<Player>,
    /// When it was made.
    pub created_at: Time,
    /// The rule set's fingerprint; see [`rule_set_hash`].
    pub rule_set_hash: String,
    /// Counts the changes beside the log: names of players who have gone.
    pub edition: u32,
}

/// SHA-256 of the rule set's canonical JSON (RFC 8785), in hexadecimal.
pub fn rule_set_hash(rules: &RuleSet) -> Result<String> {
    let canonical = serde_json_canonicalizer::to_vec(rules).map_err(Error::internal)?;
    Ok(Sha256::digest(&canonical).iter().map(|byte| format!("{byte:02x}")).collect())
}

impl Terms {
    /// The seat of an account.
    pub fn seat_of(&self, account: AccountId) -> Option<Seat> {
        let index = self.players.iter().position(|player| player.id == account)?;
        u8::try_from(index).ok().map(Seat)
    }

    /// What the rules leave to chance is drawn from this.
    fn chance(&self) -> Chance {
        let seed = Sha256::new().chain_update(b"chance").chain_update(self.seed).finalize();
        Chance::new(&seed.into(), &vec![None; self.players.len()])
    }
}

/// A match as the store gives it: its terms, and its log as bytes.
pub struct Stored {
    /// Its name.
    pub id: MatchId,
    /// The variant.
    pub variant: &'static Variant,
    /// The rule set.
    pub rules: RuleSet,
    /// The clock.
    pub clock: Clock,
    /// Whether the result counts for the ratings.
    pub rated: bool,
    /// Whether people who don't play may watch.
    pub spectators: bool,
    /// A secret of the match.
    pub seed: [u8; 32],
    /// When it was made.
    pub created_at: Time,
    /// Who sits where, by seat.
    pub players: Vec<Player>,
    /// The log.
    pub entries: Vec<Vec<u8>>,
    /// Counts changes beside the log.
    pub edition: u32,
}

/// A row of a list of matches: public facts only.
pub struct Listed {
    /// Its name.
    pub id: MatchId,
    /// The variant's id.
    pub variant: String,
    /// Whether the result counts for the ratings.
    pub rated: bool,
    /// Whether people who don't play may watch.
    pub spectators: bool,
    /// When it was made.
    pub created_at: Time,
    /// deploying, playing, finished or aborted.
    pub status: String,
    /// Bit n: seat n must act.
    pub to_act: i32,
    /// When time runs out for somebody.
    pub deadline: Option<Time>,
    /// When the battle began.
    pub started_at: Option<Time>,
    /// When it was over.
    pub finished_at: Option<Time>,
    /// How it ended.
    pub result: Option<Value>,
    /// Who sits where, by seat.
    pub players: Vec<Player>,
}

/// Which matches to list.
#[derive(Default)]
pub struct Which {
    /// Only matches of this account.
    pub player: Option<AccountId>,
    /// Only of this variant.
    pub variant: Option<String>,
    /// Only with this status.
    pub status: Option<String>,
    /// Only where this account must act.
    pub to_act: Option<AccountId>,
    /// Who asks: he sees his own matches even if they aren't open to spectators.
    pub viewer: Option<AccountId>,
    /// Only those made before this one.
    pub before: Option<MatchId>,
    /// How many at most.
    pub limit: i64,
}

/// How many matches an account has played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tally {
    /// Under way.
    pub running: u32,
    /// Played to an end (not aborted).
    pub finished: u32,
    /// Of these, lost on time.
    pub lost_on_time: u32,
}

/// A match, folded from its log.
struct Live {
    terms: Arc<Terms>,
    battle: Battle,
    /// What each seat knows, and last what a spectator does.
    views: Vec<View>,
    /// Number of entries in the log.
    seq: u32,
}

impl Live {
    /// A match whose log is empty.
    fn new(terms: Arc<Terms>) -> Self {
        let seats = (0..terms.setup.seats).map(|seat| Viewer::Seat(Seat(seat)));
        let viewers = seats.chain([Viewer::Spectator]);
        let views = viewers.map(|viewer| View::new(&terms.setup, viewer)).collect();
        let battle = Battle::new(terms.setup.clone());
        Self { terms, battle, views, seq: 0 }
    }

    /// Folds the first `length` entries of a stored match.
    fn fold(stored: Stored, length: usize, desk: &Desk) -> Result<Self> {
        let terms = Terms {
            id: stored.id,
            variant: stored.variant,
            rule_set_hash: rule_set_hash(&stored.rules)?,
            edition: stored.edition,
            setup: desk.setup(stored.rules, stored.clock, stored.players.len())?,
            rated: stored.rated,
            spectators: stored.spectators,
            seed: stored.seed,
            players: stored.players,
            created_at: stored.created_at,
        };
        let mut live = Self::new(Arc::new(terms));
        for bytes in stored.entries.iter().take(length) {
            live.absorb(&entry(bytes, &live.terms)?);
        }
        Ok(live)
    }

    /// Takes in one entry of the log, and returns what each viewer learns of it.
    fn absorb(&mut self, entry: &Entry) -> Vec<Vec<Report>> {
        let mut learnt = vec![Vec::new(); self.views.len()];
        for event in &entry.events {
            self.battle.apply(event, entry.at);
            for (view, learnt) in self.views.iter_mut().zip(&mut learnt) {
                learnt.extend(tell(&self.terms.setup, view, event, entry.at));
            }
        }
        self.seq += 1;
        learnt
    }

    fn view(&self, viewer: Viewer) -> &View {
        let index = viewer.seat().map_or(self.views.len() - 1, |seat| seat.index());
        &self.views[index.min(self.views.len() - 1)]
    }

    /// The match as `viewer` may see it.
    fn seen(&self, viewer: Viewer) -> Seen<'_> {
        Seen { terms: &self.terms, view: self.view(viewer) }
    }

    /// What lists and the clock need to know.
    fn head(&self) -> Head {
        let spectator = self.view(Viewer::Spectator);
        Head {
            status: word(self.battle.status()),
            to_act: self.battle.to_act().iter().map(|seat| 1 << seat.0).sum(),
            deadline: self.battle.deadline(),
            started_at: spectator.started_at(),
            finished_at: spectator.finished_at(),
            // What a spectator knows of the end: lists are public.
            result: spectator.result().and_then(|result| serde_json::to_value(result).ok()),
        }
    }
}

/// The word for a status, on the wire and in the database.
pub fn word(status: Status) -> &'static str {
    match status {
        Status::Deploying => "deploying",
        Status::Playing => "playing",
        Status::Finished => "finished",
        Status::Aborted => "aborted",
    }
}

/// An entry of the log of a match. One that is damaged is a fault of ours, and must not take the service down.
fn entry(bytes: &[u8], terms: &Terms) -> Result<Entry> {
    let damaged = || Error::internal(format!("the log of the match {} is damaged", terms.id));
    let entry = Entry::from_bytes(bytes).map_err(|_| damaged())?;
    if entry.events.iter().all(|event| event.fits(&terms.setup)) { Ok(entry) } else { Err(damaged()) }
}

/// Tells `view` what it may know of an event.
fn tell(setup: &Setup, view: &mut View, event: &Event, at: Time) -> Option<Report> {
    let report = disclose(setup, event, view.viewer())?.stamped(view.version() + 1, at);
    view.learn(&report, at);
    Some(report)
}

/// A match as one viewer may see it.
pub struct Seen<'a> {
    /// What it is played by.
    pub terms: &'a Terms,
    /// What the viewer knows.
    pub view: &'a View,
}

/// The matches of this node: recent ones folded in memory, and the writer of their moves.
pub struct Desk {
    tables: Cache<MatchId, Arc<Table>>,
    writer: Writer,
    #[cfg(feature = "planted-leaks")]
    leak: Option<broadside_rules::Leak>,
}

/// The place of one match in memory: one request at a time works on it, others wait for their turn or for news.
#[derive(Default)]
struct Table {
    live: Mutex<Option<Live>>,
    news: Notify,
}

impl Desk {
    /// A desk with room for `capacity` matches in memory.
    pub fn open(
        db: &Db,
        capacity: usize,
        #[cfg(feature = "planted-leaks")] leak: Option<broadside_rules::Leak>,
    ) -> Self {
        Self {
            tables: Cache::new(capacity),
            writer: Writer::start(db),
            #[cfg(feature = "planted-leaks")]
            leak,
        }
    }

    fn setup(&self, rules: RuleSet, clock: Clock, seats: usize) -> Result<Setup> {
        let seats = u8::try_from(seats).map_err(Error::internal)?;
        Ok(Setup {
            rules: Arc::new(rules),
            clock,
            seats,
            wishes: Wishes::default(),
            #[cfg(feature = "planted-leaks")]
            leak: self.leak,
        })
    }

    fn table(&self, id: MatchId) -> Arc<Table> {
        match self.tables.get_or_insert_with::<_, std::convert::Infallible>(&id, || Ok(Arc::default())) {
            Ok(table) => table,
            Err(never) => match never {},
        }
    }
}
