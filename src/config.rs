//! The command line and the environment: the only reader of both.
//!
//! Every setting has a working default, a flag, and an environment variable. Invalid settings are refused before
//! anything starts.

mod admin;
mod archive;
mod balance;
mod bots;
mod budgets;
mod clocks;
mod events;
mod guests;
mod migrate;
mod news;
mod proxies;
mod ratings;
mod reads;
mod repair;
mod rulesets;
mod sessions;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

pub use admin::{Admin, AppChange, PasswordReset, RemoveSecondFactor, RoleChange, SignOut};
pub use archive::{ArchiveAddress, Archiving};
pub use balance::Balance;
pub use bots::{Bots, PlayBots};
use broadside_rules::Time;
pub use budgets::Budgets;
use clap::{Args, Parser, Subcommand, ValueEnum};
pub use clocks::{Clocks, Heartbeat};
pub use events::Events;
pub use guests::Guests;
pub use migrate::Migrate;
pub use news::{Hidden, Mail, Webhooks};
pub use proxies::TrustedProxies;
pub use ratings::Ratings;
pub use reads::Reads;
pub use repair::Repair;
pub use rulesets::RuleSets;
pub use sessions::Sessions;

use crate::contact::Contact;
use crate::front_end::FrontEnd;
use crate::web_url::web_url;

/// Correspondence play of every naval-battle game, over HTTP.
#[derive(Parser, Debug)]
#[command(
    name = "broadside",
    version,
    about = "Correspondence play of every naval-battle game, over HTTP.",
    after_help = "Start with `broadside serve`: without any setting it keeps its own PostgreSQL cluster in a data folder and listens on \
http://127.0.0.1:8080. The documentation of the API is then at http://127.0.0.1:8080/docs."
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Serve the API until told to stop (Ctrl-C or SIGTERM), then finish what is under way
    Serve(Box<Serve>),
    /// Bring the database's schema up to date and stop (`serve` does this by itself unless told --no-migrate)
    Migrate(Migrate),
    /// Print the OpenAPI document
    Openapi {
        /// Write it to `openapi/broadside.json` instead
        #[arg(long)]
        write: bool,
        /// Compare with `openapi/broadside.json`, and fail when it differs
        #[arg(long, conflicts_with = "write")]
        check: bool,
        /// Write what a server serves into this folder: 3.1 and its 3.0.3 copy, with examples
        #[arg(long, value_name = "DIR", conflicts_with_all = ["write", "check"])]
        served: Option<PathBuf>,
    },
    /// Check the record of a match, without asking any server: 0 when it holds, 1 when it doesn't (and where), 2 when
    /// there was nothing to judge
    Verify {
        /// The record, as `GET /v1/matches/{id}/record` gives it; `-` reads standard input
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// The server's published keys, as `GET /.well-known/jwks.json` gives them: the record's key has to be among
        /// them
        #[arg(long, value_name = "JWKS_FILE")]
        keys: Option<PathBuf>,
    },
    /// Measure how even a rule set is, by matches between equal players: who wins how many
    Balance(Balance),
    /// Fold the log of every match again, and compare with what lists and clocks believe
    Audit {
        /// The database.
        #[command(flatten)]
        database: Database,
        /// The archive.
        #[command(flatten)]
        archive: ArchiveAddress,
        /// Only this match
        #[arg(long = "match", value_name = "ID")]
        only: Option<crate::ids::MatchId>,
    },
    /// Repair what `audit` has found
    Repair {
        /// What to repair.
        #[command(subcommand)]
        command: Repair,
    },
    /// Copy the private cluster into a folder, also while a service runs on it; `restore` makes it a cluster again
    Backup {
        /// The database: its data folder.
        #[command(flatten)]
        database: Database,
        /// Where to: a folder that is empty or not there
        #[arg(value_name = "FOLDER")]
        folder: PathBuf,
    },
    /// Make a private cluster of a backup, in a data folder that has none; clients read anew what was lost
    Restore {
        /// The database: its data folder.
        #[command(flatten)]
        database: Database,
        /// What was deleted, suspended and revoked since the backup [default: revocations.ndjson in the data folder]
        #[arg(long, value_name = "FILE")]
        revocations: Option<PathBuf>,
        /// After a theft: sign everybody out, revoke all tokens, and replace the signing keys
        #[arg(long)]
        end_sessions: bool,
        /// The backup
        #[arg(value_name = "FOLDER")]
        folder: PathBuf,
    },
    /// Write the records of all matches that ended in a month, for everybody who wants to analyse them
    Dump {
        /// The database.
        #[command(flatten)]
        database: Database,
        /// The archive.
        #[command(flatten)]
        archive: ArchiveAddress,
        /// The month, such as 2026-10, in UTC; it has to be over
        #[arg(value_name = "MONTH")]
        month: crate::dump::Month,
        /// An empty folder, or one that is not there yet
        #[arg(value_name = "FOLDER")]
        folder: PathBuf,
    },
    /// The logs of matches that were over long ago, in object storage
    Archive {
        /// What to do.
        #[command(subcommand)]
        command: Archiving,
    },
    /// List the chat messages that players have reported, the oldest first, with their text
    Reports {
        /// The database.
        #[command(flatten)]
        database: Database,
    },
    /// Make new keys, one for access tokens and one for records: tokens signed before stay good until they expire,
    /// records for ever
    RotateKeys {
        /// The database.
        #[command(flatten)]
        database: Database,
    },
    /// Ratings: work them out again, or annul a match
    Ratings {
        /// What to do.
        #[command(subcommand)]
        command: Ratings,
    },
    /// Clocks that rest because the service could not be reached
    Clocks {
        /// What to do.
        #[command(subcommand)]
        command: Clocks,
    },
    /// The logs of events, after the database was put back to an earlier time
    Events {
        /// What to do.
        #[command(subcommand)]
        command: Events,
    },
    /// Show what in the results of rated duels looks like sandbagging or collusion; each finding is a reason to look,
    /// and no verdict
    FairPlay {
        /// The database.
        #[command(flatten)]
        database: Database,
        /// Only this pool, such as classic-days; otherwise all pools of two seats together
        #[arg(long, value_name = "POOL")]
        pool: Option<broadside_contests::Pool>,
        /// Only matches rated since then: a day such as 2026-11-21, or a time in UTC such as 2026-11-21T07:30:00Z
        /// [default: 90 days ago]
        #[arg(long, value_name = "DAY", value_parser = clocks::day_or_time)]
        since: Option<Time>,
        /// Answer in JSON, as the API does
        #[arg(long)]
        json: bool,
    },
    /// Give and take roles, let people in again who have lost a key, and read what was done
    Admin {
        /// What to do.
        #[command(subcommand)]
        command: Box<Admin>,
    },
    /// Let bots play on a service, as clients of its API, until told to stop (Ctrl-C or SIGTERM); `serve` does the same
    /// for its own service where `--bots` is on
    Bots(Box<PlayBots>),
    /// Ask a running service whether it is ready; the exit status is 0 when it is (for container health checks)
    Health {
        /// Where it listens
        #[arg(long, env = "BROADSIDE_LISTEN", default_value = "127.0.0.1:8080", value_name = "ADDRESS",
            value_parser = socket_address)]
        listen: SocketAddr,
    },
}

/// The settings of `serve`.
#[derive(Args, Debug, Clone)]
pub struct Serve {
    /// Where to listen for the API: an address with a port, or a port of this machine alone; port 0 takes a free one
    #[arg(long, env = "BROADSIDE_LISTEN", default_value = "127.0.0.1:8080", value_name = "ADDRESS",
        value_parser = socket_address)]
    pub listen: SocketAddr,
    /// Where to listen for /metrics, /healthz and /readyz [default: 127.0.0.1:9090, or nowhere when that is taken]
    #[arg(long, env = "BROADSIDE_ADMIN_LISTEN", value_name = "ADDRESS", value_parser = socket_address)]
    pub admin_listen: Option<SocketAddr>,
    /// The address under which clients reach the API, for links in answers [default: http:// and --listen]
    #[arg(long, env = "BROADSIDE_PUBLIC_URL", value_name = "URL", value_parser = public_url)]
    pub public_url: Option<String>,
    /// Where people reach you: the address of a page or a mail address, for `info.contact` of the contract
    #[arg(long, env = "BROADSIDE_CONTACT", value_name = "URL-OR-MAIL")]
    pub contact: Option<Contact>,
    /// The pages for people: built-in; off; a folder with an index.html; or the address of another server that has
    /// them, such as https://club.example. Links to challenges and matches lead there
    #[arg(long, env = "BROADSIDE_WEB", value_name = "WHERE", default_value = "built-in")]
    pub web: FrontEnd,
    /// The database.
    #[command(flatten)]
    pub database: Database,
    /// Where what is public is read.
    #[command(flatten)]
    pub reads: Reads,
    /// Where the logs of matches go that were over long ago.
    #[command(flatten)]
    pub archive: ArchiveAddress,
    /// Mail.
    #[command(flatten)]
    pub mail: Mail,
    /// Don't bring the schema up to date, and refuse to start on an old one; for operators who run `broadside migrate`
    /// by themselves
    #[arg(long, env = "BROADSIDE_NO_MIGRATE")]
    pub no_migrate: bool,
    /// Which proxies stand in front of it.
    #[command(flatten)]
    pub proxies: TrustedProxies,
    /// Budgets of requests; `off` is for tests and load, and refused when listening on anything but loopback
    #[arg(long, env = "BROADSIDE_RATE_LIMITS", value_enum, default_value_t = Switch::On)]
    pub rate_limits: Switch,
    /// How much processor time callers may spend.
    #[command(flatten)]
    pub budgets: Budgets,
    /// Threads that answer requests [default: one a core]
    #[arg(long, env = "BROADSIDE_WORKERS", value_name = "N", value_parser = clap::value_parser!(u16).range(1..=512))]
    pub workers: Option<u16>,
    /// Connections to the database at most, besides the one that writes moves
    #[arg(long, env = "BROADSIDE_DATABASE_CONNECTIONS", value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u16).range(2..=500))]
    pub database_connections: u16,
    /// How long anything waits for an answer of the database before it fails with 503, in seconds
    #[arg(long, env = "BROADSIDE_DATABASE_DEADLINE_S", value_name = "SECONDS", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=600))]
    pub database_deadline_s: u16,
    /// How many matches are kept in memory between their moves
    #[arg(long, env = "BROADSIDE_MATCHES_IN_MEMORY", value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub matches_in_memory: u32,
    /// How much of answers about finished matches is kept in memory, in MiB: records, reports, boards
    #[arg(long, env = "BROADSIDE_DOCUMENTS_IN_MEMORY_MIB", value_name = "MIB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub documents_in_memory_mib: u32,
    /// How long a node serves after SIGTERM while /readyz already sends its clients elsewhere, in seconds; a second
    /// signal ends that
    #[arg(long, env = "BROADSIDE_DRAIN_S", value_name = "SECONDS", default_value_t = 5, value_parser = clap::value_parser!(u16).range(0..=600))]
    pub drain_s: u16,
    /// How long a stop waits for requests under way, in seconds
    #[arg(long, env = "BROADSIDE_STOP_WITHIN_S", value_name = "SECONDS", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=600))]
    pub stop_within_s: u16,
    /// How long a stream of events may be silent before it says that it is still there, in seconds: less than any
    /// proxy's patience
    #[arg(long, env = "BROADSIDE_STREAM_KEEP_ALIVE_S", value_name = "SECONDS", default_value_t = 15, value_parser = clap::value_parser!(u16).range(1..=300))]
    pub stream_keep_alive_s: u16,
    /// How webhooks are sent.
    #[command(flatten)]
    pub webhooks: Webhooks,
    /// Whether browsers may be told of events by the push services of their makers; --webhook-allow holds for them, too
    #[arg(long, env = "BROADSIDE_WEB_PUSH", value_enum, default_value_t = Switch::On)]
    pub web_push: Switch,
    /// How many rule sets players may publish.
    #[command(flatten)]
    pub rulesets: RuleSets,
    /// How long sessions last.
    #[command(flatten)]
    pub sessions: Sessions,
    /// Who may play without a password.
    #[command(flatten)]
    pub guests: Guests,
    /// When the service counts as not reachable.
    #[command(flatten)]
    pub heartbeat: Heartbeat,
    /// Whether bots of this server wait for opponents [default: on with the private cluster, off with a DATABASE_URL]
    #[arg(long = "bots", env = "BROADSIDE_BOTS", value_enum)]
    pub with_bots: Option<Switch>,
    /// What they play.
    #[command(flatten)]
    pub bots: Bots,
    /// What to log, as a filter: `info`, `debug`, `warn,broadside=debug`, …
    #[arg(long, env = "BROADSIDE_LOG", value_name = "FILTER", default_value = "info,actix_server=warn")]
    pub log: String,
    /// How to write the log, which goes to standard error
    #[arg(long, env = "BROADSIDE_LOG_FORMAT", value_enum, default_value_t = LogFormat::Text)]
    pub log_format: LogFormat,
}

/// Where the data is.
#[derive(Args, Debug, Clone)]
pub struct Database {
    /// A PostgreSQL database (14 or newer) to use instead of the private cluster, such as
    /// postgres://user:password@host/name
    #[arg(long, env = "DATABASE_URL", value_name = "URL", hide_env_values = true)]
    pub database_url: Option<Hidden>,
    /// The folder of the private PostgreSQL cluster
    #[arg(long, env = "BROADSIDE_DATA", value_name = "DIR", default_value_os_t = private_postgres::default_folder("broadside"))]
    pub data: PathBuf,
    /// The folder of PostgreSQL's programs, when it isn't found by itself
    #[arg(long, env = "BROADSIDE_POSTGRES_PROGRAMS", value_name = "DIR")]
    pub postgres_programs: Option<PathBuf>,
}

/// On or off.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Switch {
    /// On.
    On,
    /// Off.
    Off,
}

/// How the log is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum LogFormat {
    /// A line a person reads.
    Text,
    /// A JSON object a line.
    Json,
}

/// An address with a port. A port alone, or with `localhost`, means the loopback address.
fn socket_address(text: &str) -> Result<SocketAddr, String> {
    let port = text.strip_prefix("localhost:").or_else(|| text.strip_prefix(':')).unwrap_or(text);
    match (text.parse(), port.parse::<u16>()) {
        (Ok(address), _) => Ok(address),
        (Err(_), Ok(_)) if text.starts_with(':') => Err(format!(
            "say which address: 127.0.0.1{text} for this machine alone, or 0.0.0.0{text} for every network it is in"
        )),
        (Err(_), Ok(port)) => Ok(SocketAddr::from((Ipv4Addr::LOCALHOST, port))),
        (Err(_), Err(_)) => {
            Err("must be an address with a port, such as 127.0.0.1:8080 or [::1]:8080, or a port".to_owned())
        }
    }
}

/// A URL without a trailing slash.
fn public_url(text: &str) -> Result<String, String> {
    match web_url(text) {
        Some(_) => Ok(text.trim_end_matches('/').to_owned()),
        None => Err("must begin with http:// or https:// and a host, with a port from 1 to 65535 if any".to_owned()),
    }
}

impl Serve {
    /// True if bots of this server wait for opponents.
    pub fn has_bots(&self) -> bool {
        self.with_bots.map_or(self.database.database_url.is_none(), |bots| bots == Switch::On)
    }

    /// Checks that need all settings.
    pub fn check(&self) -> Result<(), String> {
        if self.rate_limits == Switch::Off && !self.listen.ip().is_loopback() {
            return Err(format!(
                "BROADSIDE_RATE_LIMITS=off is refused when listening on {}: it is for tests and load on a loopback address. \
                 Listen on 127.0.0.1, or leave the rate limits on.",
                self.listen
            ));
        }
        self.webhooks.settings()?;
        self.reads.check(&self.heartbeat)?;
        self.mail.setup().map(|_| ())
    }
}

#[cfg(test)]
mod tests;
