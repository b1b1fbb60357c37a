//! Settings of the bots that play over the API.

use std::path::PathBuf;

use broadside_bots::Level;
use broadside_house_bots::Limits;
use clap::{Args, ValueEnum};

use super::{LogFormat, Switch};

/// Which bots there are, and what they accept.
#[derive(Args, Debug, Clone)]
pub struct Bots {
    /// Only bots for these families of games, such as gunnery,depths [default: all]
    #[arg(long = "bot-families", env = "BROADSIDE_BOT_FAMILIES", value_name = "NAMES", value_delimiter = ',')]
    pub families: Vec<String>,
    /// Bots of these levels
    #[arg(long = "bot-levels", env = "BROADSIDE_BOT_LEVELS", value_name = "LEVELS", value_delimiter = ',', value_enum, default_values_t = BotLevel::ALL)]
    pub levels: Vec<BotLevel>,
    /// How the names of the bots begin
    #[arg(long = "bot-name-prefix", env = "BROADSIDE_BOT_NAME_PREFIX", value_name = "TEXT", default_value = "", value_parser = name_prefix)]
    pub name_prefix: String,
    /// How many matches each bot plays at a time
    #[arg(long = "bot-matches", env = "BROADSIDE_BOT_MATCHES", value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub matches: u32,
    /// The least time for a move with which bots play, in seconds
    #[arg(long = "bot-min-move-s", env = "BROADSIDE_BOT_MIN_MOVE_S", value_name = "SECONDS", default_value_t = 5, value_parser = clap::value_parser!(u32).range(5..=1_209_600))]
    pub min_move_s: u32,
    /// Whether bots play for ratings
    #[arg(long = "bot-rated", env = "BROADSIDE_BOT_RATED", value_enum, default_value_t = Switch::Off)]
    pub rated: Switch,
    /// Whether bots play by rule sets that players have changed or published
    #[arg(long = "bot-custom-rules", env = "BROADSIDE_BOT_CUSTOM_RULES", value_enum, default_value_t = Switch::On)]
    pub custom_rules: Switch,
}

/// How well a bot plays.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum BotLevel {
    /// It knows where to look next when it has hit something.
    Easy,
    /// It counts what is likely.
    Normal,
    /// It weighs what each action risks and tells.
    Strong,
}

impl BotLevel {
    const ALL: [Self; 3] = [Self::Easy, Self::Normal, Self::Strong];
}

impl From<BotLevel> for Level {
    fn from(level: BotLevel) -> Self {
        match level {
            BotLevel::Easy => Self::Easy,
            BotLevel::Normal => Self::Normal,
            BotLevel::Strong => Self::Strong,
        }
    }
}

impl Bots {
    /// Limits on the challenges that they accept.
    pub fn limits(&self) -> Limits {
        Limits {
            matches: self.matches,
            min_move_s: self.min_move_s,
            rated: self.rated == Switch::On,
            custom_rules: self.custom_rules == Switch::On,
        }
    }
}

/// The settings of `bots`.
#[derive(Args, Debug)]
pub struct PlayBots {
    /// The address of the service
    #[arg(long, env = "BROADSIDE_URL", value_name = "URL", default_value = "http://127.0.0.1:8080", value_parser = super::public_url)]
    pub url: String,
    /// The folder in which the bots' names, passwords and tokens are kept
    #[arg(long = "bot-folder", env = "BROADSIDE_BOT_FOLDER", value_name = "DIR", default_value_os_t = private_postgres::default_folder("broadside").join("bots"))]
    pub folder: PathBuf,
    /// What they play.
    #[command(flatten)]
    pub bots: Bots,
    /// What to log, as a filter
    #[arg(long, env = "BROADSIDE_LOG", value_name = "FILTER", default_value = "info")]
    pub log: String,
    /// How to write the log, which goes to standard error
    #[arg(long, env = "BROADSIDE_LOG_FORMAT", value_enum, default_value_t = LogFormat::Text)]
    pub log_format: LogFormat,
}

/// A prefix for usernames, short enough for the longest name of a family and a level after it.
fn name_prefix(text: &str) -> Result<String, String> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let begins = text.is_empty() || text.starts_with(|c: char| c.is_ascii_alphabetic());
    if text.len() <= 7 && begins && text.bytes().all(allowed) {
        Ok(text.to_owned())
    } else {
        Err("must be up to 7 ASCII letters, digits, - or _, the first a letter".to_owned())
    }
}
