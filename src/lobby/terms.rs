//! The terms of a challenge: their types, and the checks that need no database.

use std::str::FromStr;

use broadside_rules::{Fault, RuleSet};

use crate::string_enums::string_enums;
use crate::suggest;
use crate::texts::{line, texts};

string_enums! {
    /// Who may see and accept a challenge.
    pub enum Visibility {
        /// Everybody; it is in the list of open challenges.
        Open,
        /// Only the two players.
        Direct,
        /// Whoever has the link; it is in no list.
        Link,
    }

    /// The status of a challenge.
    pub enum ChallengeStatus {
        /// It waits for players.
        Open,
        /// All seats are taken, and the match exists.
        Accepted,
        /// The player to whom it was addressed declined it.
        Declined,
        /// Its creator withdrew it.
        Withdrawn,
        /// Nobody accepted it in time.
        Expired,
    }

    /// Why a challenge was declined.
    pub enum ChallengeDeclineReason {
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
        /// No bots, please.
        NoBots,
        /// Only bots, please.
        OnlyBots,
    }
}

texts! {
    /// A short text with a challenge: 1 to 280 characters on one line, not all of them blank.
    pub struct ChallengeMessage: |text| line(text, 1, 280);
}

/// The name that a player wants for their seat: 1 to 16 lower-case letters and hyphens. The rule set says which names
/// there are.
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
    /// The index of the name in the rule set's list.
    pub fn among(&self, rules: &RuleSet) -> Result<u8, Fault> {
        let known = rules.seat_names();
        let fault = |code, detail| Fault { pointer: "/nation".to_owned(), code, detail };
        if known.is_empty() {
            return Err(fault("nations-not-used", "there is nothing to choose in this game: leave it out".to_owned()));
        }
        let index = known.iter().position(|nation| *nation == self.0);
        let index = index.and_then(|index| u8::try_from(index).ok());
        index.ok_or_else(|| fault("unknown-nation", suggest::must_be_one_of(&self.0, known).0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use strum::VariantNames;

    #[test]
    fn a_message_is_safe_to_print() {
        assert!("Shall we play?".parse::<ChallengeMessage>().is_ok());
        for bad in ["", "a\u{1b}[2J", "one\ntwo", "left\u{202e}right", &"x".repeat(281)] {
            assert!(bad.parse::<ChallengeMessage>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn words_are_read_back() {
        for word in ChallengeDeclineReason::VARIANTS {
            assert_eq!(word.parse::<ChallengeDeclineReason>().unwrap().into_str(), *word);
        }
        assert!("whatever".parse::<ChallengeDeclineReason>().is_err());
    }
}
