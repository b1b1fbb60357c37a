//! Names and addresses as types whose values are safe to store and to print.
//!
//! Names are ASCII on purpose: lookalike letters of other scripts, combining marks and direction controls would let
//! players impersonate others. [`lookalikes`] compares ASCII names that look alike.

use std::fmt;
use std::str::FromStr;

use idna::AsciiDenyList;
use idna::uts46::{DnsLength, Hyphens, Uts46};

use super::lookalikes;
use crate::texts::fold;

/// The shape of a username: 3 to 24 ASCII letters, digits, `-` and `_`, the first a letter.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Username(String);

impl Username {
    /// In the owner's spelling.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The lower-case form for comparisons.
    pub fn key(&self) -> String {
        self.0.to_ascii_lowercase()
    }

    /// A stored name, which was checked earlier.
    pub(crate) fn stored(text: String) -> Self {
        Self(text)
    }
}

impl FromStr for Username {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let fits = (3..=24).contains(&text.len());
        let begins = text.starts_with(|c: char| c.is_ascii_alphabetic());
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        if fits && begins && text.bytes().all(allowed) {
            Ok(Self(text.to_owned()))
        } else {
            Err("must be 3 to 24 ASCII letters, digits, - or _, the first a letter".to_owned())
        }
    }
}

impl fmt::Display for Username {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The beginning of a username: 2 to 24 of its characters, the first a letter. Accents are ignored, as in every search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamePrefix(String);

impl NamePrefix {
    /// The folded form for comparisons.
    pub fn key(&self) -> &str {
        &self.0
    }
}

impl FromStr for NamePrefix {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let name = fold(text);
        let fits = (2..=24).contains(&name.len()) && name.starts_with(|c: char| c.is_ascii_alphabetic());
        if fits && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')) {
            Ok(Self(name))
        } else {
            Err("must be 2 to 24 ASCII letters, digits, - or _, the first a letter".to_owned())
        }
    }
}

/// A username to register: valid and not reserved. It may still be taken.
pub struct NewUsername(Username);

impl NewUsername {
    pub fn name(&self) -> &Username {
        &self.0
    }
}

impl FromStr for NewUsername {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let name: Username = text.parse()?;
        if lookalikes::is_reserved(&name) { Err("is reserved; choose another".to_owned()) } else { Ok(Self(name)) }
    }
}

/// An e-mail address accepted by the mail library: at most 254 characters, with a domain of two labels or more, as mail
/// servers use it (the A-labels of RFC 5890, in lower case). It is not confirmed, so nothing may rely on it. It has no
/// `Debug`, so that it can't be logged by accident.
#[derive(Clone, PartialEq, Eq)]
pub struct Email(String);

impl Email {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A stored address, which was checked earlier.
    pub(crate) fn stored(text: String) -> Self {
        Self(text)
    }
}

impl FromStr for Email {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let read = || {
            let (local, domain) = text.rsplit_once('@')?;
            let uts46 = Uts46::new();
            let hyphens = Hyphens::CheckFirstLast;
            let domain = uts46.to_ascii(domain.as_bytes(), AsciiDenyList::STD3, hyphens, DnsLength::Verify).ok()?;
            // The address of a machine ends in a number instead of a name.
            let is_named = domain.rsplit_once('.').is_some_and(|(_, top)| top.contains(|c: char| !c.is_ascii_digit()));
            let allowed = |c: char| c.is_alphanumeric() || c.is_ascii_punctuation() && !"@\"(),:;<>[\\]".contains(c);
            let address = format!("{local}@{domain}");
            let fits = is_named && address.len() <= 254 && local.chars().all(allowed);
            let is_sendable = fits && address.parse::<lettre::Address>().is_ok();
            is_sendable.then_some(Self(address))
        };
        read().ok_or_else(|| "must be an e-mail address of at most 254 characters".to_owned())
    }
}

/// A change of the e-mail address: a new address, or an empty text to remove it.
pub struct NewEmail(Option<Email>);

impl NewEmail {
    /// The new address; `None`: remove it.
    pub fn address(&self) -> Option<&Email> {
        self.0.as_ref()
    }
}

impl FromStr for NewEmail {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Ok(Self(None));
        }
        let read = text.parse().map(|email| Self(Some(email)));
        read.map_err(|why: String| format!("{why}, or empty for none"))
    }
}

/// A client's own name, from its `User-Agent`: at most 100 printable characters, so that the owner can tell sessions
/// apart.
#[derive(Clone, PartialEq, Eq)]
pub struct Device(String);

impl Device {
    /// Shortens a client's text and makes it safe to print.
    pub fn calling_itself(text: &str) -> Self {
        let printable = text.chars().filter(|c| c.is_ascii_graphic() || *c == ' ');
        let short: String = printable.take(100).collect();
        let short = short.trim();
        Self(if short.is_empty() { "unknown" } else { short }.to_owned())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usernames_have_one_shape() {
        for good in ["abc", "Anna", "Grand-Admiral_7", "abcdefghijklmnopqrstuvwx"] {
            assert!(good.parse::<Username>().is_ok(), "{good}");
        }
        let long = "abcdefghijklmnopqrstuvwxy";
        for bad in ["", "ab", long, "7up", "-abc", "_abc", "an na", "anna\n", "ännä", "аnna", "a.b.c"] {
            assert!(bad.parse::<Username>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn case_makes_no_difference_to_a_name() {
        let (one, other): (Username, Username) = ("Anna".parse().unwrap(), "aNNA".parse().unwrap());
        assert_eq!("ÄNN".parse::<NamePrefix>().unwrap().key(), "ann");
        assert_eq!(one.key(), other.key());
        assert_eq!(one.to_string(), "Anna");
    }

    #[test]
    fn email_addresses_are_plausible() {
        for (good, kept) in [
            ("a@b.cd", "a@b.cd"),
            ("anna.b+naval@example.co.uk", "anna.b+naval@example.co.uk"),
            ("änna@exämple.org", "änna@xn--exmple-cua.org"),
            ("Anna@Example.ORG", "Anna@example.org"),
            ("anna@例え.jp", "anna@xn--r8jz45g.jp"),
        ] {
            assert_eq!(good.parse::<Email>().as_ref().map(Email::as_str), Ok(kept), "{good}");
            let address: Result<lettre::Address, _> = kept.parse();
            assert!(address.is_ok(), "the mail library takes {kept}");
        }
        let long = format!("{}@example.org", "a".repeat(65));
        for bad in [
            "",
            "anna",
            "@b.cd",
            "anna@",
            "anna@b",
            "a@b@c.de",
            "a b@c.de",
            "a@b..de",
            "a@b.c\n",
            "<a@b.cd>",
            &long,
            ".a@b.cd",
            "a.@b.cd",
            "a..b@c.de",
            "a@-b.cd",
            "a@b_c.de",
            "a@b.cd.",
            "a@1.2.3.4",
            "a@[1.2.3.4]",
        ] {
            assert!(bad.parse::<Email>().is_err(), "{bad:?}");
        }
        assert!("".parse::<NewEmail>().unwrap().address().is_none());
        assert!("anna@b".parse::<NewEmail>().is_err());
    }

    #[test]
    fn a_device_is_short_and_printable() {
        assert_eq!(Device::calling_itself("curl/8.5.0").as_str(), "curl/8.5.0");
        assert_eq!(Device::calling_itself("\u{1b}[2J\u{202e}x").as_str(), "[2Jx");
        assert_eq!(Device::calling_itself(" \u{7}").as_str(), "unknown");
        assert_eq!(Device::calling_itself(&"x".repeat(300)).as_str().len(), 100);
    }
}
