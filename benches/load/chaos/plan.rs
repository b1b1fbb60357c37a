//! The plan of a storm: duration, nodes, and the frequency of each kind of fault.

use std::time::Duration;

use rand::RngExt;
use rand::rngs::StdRng;

use crate::Settings;

const DEFAULT_NODES: u16 = 2;
const DEFAULT_LENGTH: Duration = Duration::from_secs(600);

/// What can be asked for.
#[derive(clap::Args)]
pub struct Asked {
    /// With --chaos: for so many minutes at most [default: 10 if there is no other target]
    #[arg(long, requires = "chaos", value_parser = clap::value_parser!(u64).range(1..=100_000))]
    minutes: Option<u64>,
    /// With --chaos: until so many moves were acknowledged
    #[arg(long, value_name = "N", requires = "chaos")]
    moves: Option<u64>,
    /// With --chaos: until so many faults were done; of several targets all have to be reached
    #[arg(long, value_name = "N", requires = "chaos")]
    faults: Option<u64>,
    /// With --chaos: so many seconds at most from a fault to the next of the same hand
    #[arg(long, requires = "chaos", default_value_t = 6, value_parser = clap::value_parser!(u16).range(1..=3600))]
    pause_s: u16,
    /// With --chaos: one fault at a time, and the next one when all is well again: how long is one felt?
    #[arg(long, requires = "chaos")]
    one_by_one: bool,
}

pub struct Plan {
    /// The latest end.
    pub length: Option<Duration>,
    /// Ends after this many acknowledged moves.
    pub moves: Option<u64>,
    /// Ends after this many faults.
    pub faults: Option<u64>,
    /// The number of nodes.
    pub nodes: usize,
    /// Matches played at once, besides those of contests.
    pub matches: usize,
    pub seed: u64,
    /// Longest pause of a hand between two faults, in seconds.
    pub pause_s: u16,
    /// True if each fault has to be over before the next.
    pub one_by_one: bool,
    /// True if a move is removed at the end, to show that the check notices.
    pub forge: bool,
}

impl Plan {
    /// The plan by the settings.
    pub fn of(settings: &Settings, seed: u64) -> Self {
        Self {
            length: settings.storm.minutes.map(|minutes| Duration::from_secs(60 * minutes)),
            moves: settings.storm.moves,
            faults: settings.storm.faults,
            nodes: settings.nodes.first().copied().unwrap_or(DEFAULT_NODES).into(),
            matches: settings.matches.into(),
            seed,
            pause_s: settings.storm.pause_s,
            one_by_one: settings.storm.one_by_one,
            forge: settings.forge,
        }
    }

    /// Limits a storm without any target to ten minutes.
    pub fn with_an_end(mut self) -> Self {
        if self.length.is_none() && self.moves.is_none() && self.faults.is_none() {
            self.length = Some(DEFAULT_LENGTH);
        }
        self
    }

    /// True if its time is up, or every named target is reached.
    pub fn is_over(&self, elapsed: Duration, moves: u64, faults: u64) -> bool {
        let targets = [self.moves.map(|target| moves >= target), self.faults.map(|target| faults >= target)];
        let mut named = targets.into_iter().flatten().peekable();
        self.length.is_some_and(|length| elapsed >= length) || named.peek().is_some() && named.all(|reached| reached)
    }
}

/// A kind of fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// SIGKILL to a node; it is restarted.
    KillNode,
    /// SIGTERM to a node; it is restarted.
    StopNode,
    /// A node stands still for some seconds (SIGSTOP), and continues.
    StallNode,
    /// A node runs with a clock that is wrong by minutes or by a year.
    WrongClock,
    /// All nodes are down, longer than clocks run on.
    AllDown,
    /// SIGKILL to the primary's postmaster; it is restarted.
    KillPostgres,
    /// All processes of the primary stand still for some seconds, and continue.
    Silence,
    /// All connections to the database are cut.
    CutConnections,
    /// Connections to the database pass nothing on and aren't closed, and finally break.
    HalfOpen,
    /// Connections to the database break in the middle of a message.
    CutPackets,
    /// The head of a match is locked for some seconds.
    LockMatch,
    /// The primary is lost, and the standby takes over.
    Failover,
    /// The standby is gone for a while: no commit is confirmed.
    StandbyMissing,
    /// Like `StandbyMissing`, then the primary is lost, and the standby takes over without catching up.
    FailoverBehind,
    /// The primary's disk is full for some seconds.
    DiskFull,
}

impl Kind {
    /// All kinds with their names in the report, first those of nodes, then those of the database, and with their
    /// relative frequencies.
    pub const ALL: [(Self, &str, u32); 15] = [
        (Self::KillNode, "node killed", 5),
        (Self::StopNode, "node stopped", 3),
        (Self::StallNode, "node stalled", 4),
        (Self::WrongClock, "node with a wrong clock", 1),
        (Self::AllDown, "all nodes down", 1),
        (Self::KillPostgres, "primary's postmaster killed", 3),
        (Self::Silence, "primary silent", 2),
        (Self::CutConnections, "connections cut", 3),
        (Self::HalfOpen, "connections half-open", 3),
        (Self::CutPackets, "connections broken in a message", 3),
        (Self::LockMatch, "match locked", 2),
        (Self::Failover, "failover", 2),
        (Self::StandbyMissing, "standby missing", 2),
        (Self::FailoverBehind, "standby missing, then failover", 2),
        (Self::DiskFull, "primary's disk full", 1),
    ];
    /// The number of kinds that concern nodes.
    pub const OF_NODES: usize = 5;

    /// Its index in [`Self::ALL`].
    pub fn index(self) -> usize {
        Self::ALL.iter().position(|(kind, ..)| *kind == self).unwrap_or_default()
    }

    /// One of `kinds`, by their frequencies.
    pub fn draw(kinds: &[Self], dice: &mut StdRng) -> Self {
        let weight = |kind: &Self| Self::ALL[kind.index()].2;
        let mut left = dice.random_range(0..kinds.iter().map(weight).sum::<u32>().max(1));
        for kind in kinds {
            match left.checked_sub(weight(kind)) {
                Some(rest) => left = rest,
                None => return *kind,
            }
        }
        kinds.first().copied().unwrap_or(Self::KillNode)
    }
}

/// A random span within these bounds in milliseconds, evenly distributed over powers of two: half a second to one is as
/// likely as eight to sixteen.
pub fn span(dice: &mut StdRng, from_ms: u64, to_ms: u64) -> Duration {
    let (least, most) = (from_ms.max(100) as f64, to_ms.max(101) as f64);
    let ms = least * (most / least).powf(dice.random_range(0.0..1.0));
    Duration::from_millis(ms as u64)
}
