//! Types for the owner's statements about an app, validated on construction.

use std::str::FromStr;

use crate::accounts::lookalikes;
use crate::accounts::oauth::request::RedirectUri;
use crate::texts::{line, texts};

texts! {
    /// What a registered app is called: 3 to 40 ASCII letters, digits, `-`, `_`, `.`, `'` and single spaces, the first
    /// a letter and the last a letter or a digit; not a name that passes for the service or its staff. ASCII for the
    /// reason that usernames have ([`crate::accounts::names`]).
    pub struct AppName: |text| {
        let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '\'' | ' ');
        let fits = (3..=40).contains(&text.len())
            && text.starts_with(|c: char| c.is_ascii_alphabetic())
            && text.ends_with(|c: char| c.is_ascii_alphanumeric())
            && text.chars().all(allowed)
            && !text.contains("  ");
        if !fits {
            let what = "must be 3 to 40 ASCII letters, digits, -, _, ., ' or single spaces, the first a letter and the \
                        last a letter or a digit";
            return Err(what.to_owned());
        }
        if lookalikes::is_reserved_for_apps(text) {
            return Err("is reserved; choose another".to_owned());
        }
        Ok(text.to_owned())
    };

    /// What a registered app does, in a few sentences: up to 500 characters on one line.
    pub struct AppDescription: |text| line(text, 0, 500);
}

impl AppDescription {
    pub fn none() -> Self {
        Self(String::new())
    }
}

/// The homepage of an app: an `https` address in normal form, of at most 200 characters.
#[derive(Clone, PartialEq, Eq)]
pub struct Homepage(RedirectUri);

impl Homepage {
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl FromStr for Homepage {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let what = "must be an https address of 200 characters at most, in its normal form, without fragment, user and \
                    password";
        let read = text.parse::<RedirectUri>().ok().filter(|uri| text.len() <= 200 && uri.web_host().is_some());
        read.map(Self).ok_or_else(|| what.to_owned())
    }
}

/// A registered destination of answers, by the rules of [`RedirectUri`].
#[derive(Clone, PartialEq, Eq)]
pub struct RegisteredUri(pub(super) RedirectUri);

impl RegisteredUri {
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl FromStr for RegisteredUri {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let of_a_field = |why: String| why.strip_prefix("redirect_uri ").map(str::to_owned).unwrap_or(why);
        text.parse().map(Self).map_err(of_a_field)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_can_be_compared_and_passes_for_nobody() {
        for good in ["Harbour Chart", "abc", "Anna's Bot 2.0", "chess-like_x1"] {
            assert!(good.parse::<AppName>().is_ok(), "{good}");
        }
        let long = "x".repeat(41);
        for bad in [
            "",
            "ab",
            &long,
            "7up",
            " abc",
            "abc ",
            "ab  c",
            "a\nbc",
            "Härbour",
            "Нarbour",
            "a<b>c",
            "a\u{202e}bc",
            "abc.",
            "Broadside",
            "Verified Chart",
            "Official Chart",
        ] {
            assert!(bad.parse::<AppName>().is_err(), "{bad:?}");
        }
        let names_host_of = |url| lookalikes::names_host_of("Club.Example Chart", url);
        assert!(names_host_of("https://club.example") && !names_host_of("https://sea.example"));
        assert!(!names_host_of("http://127.0.0.1:8080"));
    }

    #[test]
    fn a_homepage_is_a_web_page() {
        for good in ["https://app.example/", "https://app.example", "https://app.example:8443/about?x=1"] {
            assert!(good.parse::<Homepage>().is_ok(), "{good}");
        }
        let long = format!("https://app.example/{}", "x".repeat(200));
        for bad in ["", "http://127.0.0.1/", "com.example.app:/", "javascript:alert(1)", "https://a@b.example/", &long]
        {
            assert!(bad.parse::<Homepage>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_fault_of_an_address_names_the_field_once() {
        let why = "http://app.example/".parse::<RegisteredUri>().err().unwrap();
        assert!(why.starts_with("may be http on"), "{why}");
    }
}
