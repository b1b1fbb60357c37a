//! What an account wants to be written about, and when. Nothing, unless it says so.

use std::str::FromStr;

use broadside_rules::Time;
use broadside_rules::card::Language;

use crate::accounts::{Email, account};
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::error::Result;
use crate::ids::AccountId;
use crate::notifications::mail::store;

/// Declares an enum by its words, on the wire and in the database.
macro_rules! by_words {
    ($(#[$doc:meta])* $name:ident as $schema:ident { $($(#[$vdoc:meta])* $variant:ident $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, utoipa::ToSchema)]
        #[schema(as = $schema, rename_all = "kebab-case")]
        pub enum $name { $($(#[$vdoc])* $variant),+ }

        impl $name {
            /// Every word.
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            /// The word for it.
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }

        impl FromStr for $name {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                match text {
                    $($word => Ok(Self::$variant),)+
                    _ => Err(format!("must be one of {}", Self::WORDS.join(", "))),
                }
            }
        }
    };
}

by_words! {
    /// An event that mail can be about, by its `type` in the account's log. They stand in the order in which a mail tells of them.
    News as MailNews {
        /// It is the account's turn.
        YourTurn "your-turn",
        /// Its time in a match runs out soon.
        DeadlineNear "deadline-near",
        /// A match of its own began.
        MatchStarted "match-started",
        /// A match of its own is over.
        MatchFinished "match-finished",
        /// Somebody challenges it.
        ChallengeReceived "challenge-received",
        /// Somebody has written in a match of its own.
        Chat "chat",
    }
}

by_words! {
    /// How much is gathered into one mail.
    Digest as MailDigest {
        /// What comes within a minute.
        Each "each",
        /// What comes within an hour.
        Hourly "hourly",
        /// One mail a day, at the hour that `daily_hour` says.
        Daily "daily",
    }
}

by_words! {
    /// The language of the mails.
    Tongue as MailLanguage {
        /// English.
        En "en",
        /// French.
        Fr "fr",
    }
}

impl Tongue {
    /// The same for the rules' prose.
    pub fn language(self) -> Language {
        match self {
            Tongue::En => Language::English,
            Tongue::Fr => Language::French,
        }
    }
}

/// A time of day: minutes from midnight, 0 to 1439.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct TimeOfDay(pub u16);

impl TimeOfDay {
    /// As `22:30`.
    pub fn text(self) -> String {
        format!("{:02}:{:02}", self.0 / 60, self.0 % 60)
    }
}

impl FromStr for TimeOfDay {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let refused = || "must be a time of day such as 22:30".to_owned();
        let two = |part: &str| -> Option<u16> {
            (part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit())).then(|| part.parse().ok()).flatten()
        };
        let (hours, minutes) = text.split_once(':').ok_or_else(refused)?;
        match (two(hours), two(minutes)) {
            (Some(hours @ 0..24), Some(minutes @ 0..60)) => Ok(Self(hours * 60 + minutes)),
            _ => Err(refused()),
        }
    }
}

/// Hours in which no mail is sent: from a time of day until the next time that it is another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Quiet {
    /// When they begin.
    pub from: TimeOfDay,
    /// When they end.
    pub until: TimeOfDay,
}

/// A time zone of the IANA database, by its name there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Zone(String);

impl Zone {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.0
    }

    /// The zone; UTC for one that the database no longer has.
    pub fn zone(&self) -> jiff::tz::TimeZone {
        jiff::tz::TimeZone::get(&self.0).unwrap_or(jiff::tz::TimeZone::UTC)
    }

    /// A name that the store holds; it was checked when it came.
    pub(crate) fn stored(name: String) -> Self {
        Self(name)
    }
}

impl Default for Zone {
    fn default() -> Self {
        Self("UTC".to_owned())
    }
}

impl FromStr for Zone {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let plausible = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'_' | b'-' | b'+');
        let found = (text.len() <= 60 && text.bytes().all(plausible)).then(|| jiff::tz::TimeZone::get(text).ok());
        let name = found.flatten().and_then(|zone| zone.iana_name().map(str::to_owned));
        name.map(Self).ok_or_else(|| "must be a time zone of the IANA database, such as Europe/Paris".to_owned())
    }
}

/// What an account wants.
#[derive(Clone, PartialEq, Debug)]
pub struct Preferences {
    /// The events that it wants to be written about, in order, each once.
    pub on: Vec<News>,
    /// How much is gathered into one mail.
    pub digest: Digest,
    /// The hour of a daily mail, 0 to 23 in its zone.
    pub daily_hour: u8,
    /// When it wants no mail.
    pub quiet: Option<Quiet>,
    /// Where it lives.
    pub zone: Zone,
    /// What it reads.
    pub tongue: Tongue,
}

impl Default for Preferences {
    fn default() -> Self {
        Self {
            on: Vec::new(),
            digest: Digest::Each,
            daily_hour: 8,
            quiet: None,
            zone: Zone::default(),
            tongue: Tongue::En,
        }
    }
}

/// A link that was sent to confirm an address, as its owner may see it.
pub struct Asked {
    /// Where it was sent.
    pub address: Email,
    /// When.
    pub at: Time,
    /// When it was used.
    pub used_at: Option<Time>,
}

/// What an account sees of its mail.
pub struct Standing {
    /// What it wants.
    pub preferences: Preferences,
    /// Its address.
    pub address: Option<Email>,
    /// Whether that was confirmed.
    pub confirmed: bool,
}

/// How it stands with an account's mail.
pub async fn read(conn: &mut Conn, account: AccountId) -> Result<Standing> {
    let address = account::find(conn, account).await?.email;
    let (preferences, confirmed) = store::settings::find(conn, account).await?.unwrap_or_default();
    let confirmed = address.as_ref().is_some_and(|address| confirmed.as_deref() == Some(address.as_str()));
    Ok(Standing { preferences, address, confirmed })
}

/// Replaces what an account wants. Who begins to want mail is written about what comes from now on; what waits already is due by the new wishes.
pub async fn change(ctx: &Context, account: AccountId, wanted: &Preferences) -> Result<Standing> {
    let mut tx = ctx.db.begin().await?;
    account::lock_existing(&mut tx, account).await?;
    let before = lock(&mut tx, ctx, account).await?;
    store::settings::set(&mut tx, account, wanted).await?;
    if before.preferences.on.is_empty() {
        store::settings::begin_anew(&mut tx, account).await?;
    }
    let standing = read(&mut tx, account).await?;
    tx.commit().await?;
    Ok(standing)
}

/// What is stored about an account's mail, besides what it wants.
pub struct Kept {
    /// What it wants.
    pub preferences: Preferences,
    /// The address that was confirmed.
    pub confirmed: Option<String>,
    /// What links that end all mail are signed with.
    pub key: Vec<u8>,
}

/// Takes the account's row for the rest of the transaction, and makes it if there is none.
pub(super) async fn lock(tx: &mut Tx, ctx: &Context, account: AccountId) -> Result<Kept> {
    store::settings::lock(tx, account, &Preferences::default(), &ctx.random()).await
}

/// The links to confirm an address that are still kept, for the account's own export.
pub async fn export(conn: &mut Conn, account: AccountId) -> Result<Vec<Asked>> {
    store::settings::asked(conn, account).await
}

/// The account has another address, or none: what was confirmed no longer counts, and links in old mails end nothing.
pub async fn address_changed(tx: &mut Tx, ctx: &Context, account: AccountId, address: Option<&Email>) -> Result<()> {
    store::settings::unconfirm(tx, account, address, Some(&ctx.random())).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_day_have_one_shape() {
        assert_eq!("00:00".parse(), Ok(TimeOfDay(0)));
        assert_eq!("23:59".parse(), Ok(TimeOfDay(1439)));
        assert_eq!(TimeOfDay(485).text(), "08:05");
        for bad in ["", "24:00", "8:00", "08:60", "+8:00", "08:00:00", "aa:bb", "08.00"] {
            assert!(bad.parse::<TimeOfDay>().is_err(), "{bad}");
        }
    }

    #[test]
    fn time_zones_are_those_of_the_database_by_their_name_there() {
        assert_eq!("europe/paris".parse::<Zone>().unwrap().name(), "Europe/Paris");
        assert_eq!("UTC".parse::<Zone>().unwrap(), Zone::default());
        for bad in ["", "Europe/Atlantis", "CET+1x", "../../etc/passwd", "/etc/localtime", "Europe/Paris\r\nBcc: x"] {
            assert!(bad.parse::<Zone>().is_err(), "{bad}");
        }
    }
}
