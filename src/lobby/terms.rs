//! What a challenge proposes: the words of it as types, and the checks that need no database.

use std::str::FromStr;

use broadside_rules::{Fault, RuleSet};
use utoipa::ToSchema;

use crate::social::text::is_invisible;
pub(crate) use crate::words::words;

/// Who may see and accept a challenge.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ToSchema)]
#[schema(rename_all = "kebab-case")]
pub enum Visibility {
    /// Everybody; it stands in the list of open challenges.
    Open,
    /// The two it is between.
    Direct,
    /// Whoever has the link; it stands in no list.
    Link,
}

/// Where a challenge stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ToSchema)]
#[schema(as = ChallengeStatus, rename_all = "kebab-case")]
pub enum Status {
    /// It waits for players.
    Open,
    /// All seats are taken, and the match exists.
    Accepted,
    /// The player it was addressed to said no.
    Declined,
    /// Its creator took it back.
    Withdrawn,
    /// Its time is over.
    Expired,
}

/// Why a challenge was declined.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ToSchema)]
#[schema(rename_all = "kebab-case")]
pub enum DeclineReason {
    /// No reason is given.
    Generic,
    /// Not now; please ask again later.
    Later,
    /// The clock is too fast.
    TooFast,
    /// The clock is too slow.
    TooSlow,
    /// Another clock, please.
    OtherClock,
    /// Only rated matches.
    OnlyRated,
    /// Only unrated matches.
    OnlyUnrated,
    /// Another variant, please.
    OtherVariant,
    /// No custom rules, please.
    PresetRules,
    /// Not against programs.
    NoBots,
    /// Only against programs.
    OnlyBots,
}

words!(Visibility { Open "open", Direct "direct", Link "link" });
words!(Status {
    Open "open", Accepted "accepted", Declined "declined", Withdrawn "withdrawn", Expired "expired",
});
words!(DeclineReason {
    Generic "generic", Later "later", TooFast "too-fast", TooSlow "too-slow", OtherClock "other-clock",
    OnlyRated "only-rated", OnlyUnrated "only-unrated", OtherVariant "other-variant",
    PresetRules "preset-rules", NoBots "no-bots", OnlyBots "only-bots",
});

/// A few words that go with a challenge: 1 to 280 characters, none of them a control character.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message(String);

impl Message {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Message {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let length = text.chars().count();
        if length == 0 || length > 280 {
            return Err("must have 1 to 280 characters".to_owned());
        }
        if text.chars().any(|c| c.is_control() || is_invisible(c)) {
            return Err("must not have control characters".to_owned());
        }
        Ok(Message(text.to_owned()))
    }
}

/// What a player wishes his seat to be called: 1 to 16 lower-case letters and hyphens. Which there are, the rule set says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Nation(String);

impl FromStr for Nation {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let fits = (1..=16).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
        if fits { Ok(Nation(text.to_owned())) } else { Err("must be 1 to 16 lower-case letters".to_owned()) }
    }
}

impl Nation {
    /// Its number among the wishes that these rules grant.
    pub fn among(&self, rules: &RuleSet) -> Result<u8, Fault> {
        let known = rules.seat_names();
        let fault = |code, detail| Fault { pointer: "/nation".to_owned(), code, detail };
        if known.is_empty() {
            return Err(fault("no-nations", "there is nothing to choose in this game: leave it out".to_owned()));
        }
        let index = known.iter().position(|nation| *nation == self.0);
        let index = index.and_then(|index| u8::try_from(index).ok());
        index.ok_or_else(|| fault("unknown-nation", format!("must be one of {}", known.join(", "))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_safe_to_print() {
        assert!("Shall we play?".parse::<Message>().is_ok());
        for bad in ["", "a\u{1b}[2J", "one\ntwo", "left\u{202e}right", &"x".repeat(281)] {
            assert!(bad.parse::<Message>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn words_are_read_back() {
        for word in DeclineReason::WORDS {
            assert_eq!(word.parse::<DeclineReason>().unwrap().word(), *word);
        }
        assert!("whatever".parse::<DeclineReason>().is_err());
    }
}
