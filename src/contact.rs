//! The operator's contact, `info.contact` in the contract.

use std::str::FromStr;

use crate::accounts::Email;
use crate::web_url::web_url;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Contact {
    /// A URL: `https://club.example/help`.
    Page(String),
    /// A mail address: `help@club.example`.
    Mail(String),
}

impl FromStr for Contact {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if web_url(text).is_some() && text.len() <= 500 && text.chars().all(is_of_a_url) {
            return Ok(Self::Page(text.to_owned()));
        }
        let email = text.parse::<Email>();
        let what = |_| "must be the address of a page (https://…) or a mail address".to_owned();
        email.map(|email| Self::Mail(email.as_str().to_owned())).map_err(what)
    }
}

/// True if a URL may contain this character (RFC 3986).
fn is_of_a_url(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-._~:/?#[]@!$&'()*+,;=%".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_and_a_mail_address_are_told_apart() {
        let page = "https://club.example/help?for=authors";
        assert_eq!(page.parse(), Ok(Contact::Page(page.to_owned())));
        assert_eq!("help@club.example".parse(), Ok(Contact::Mail("help@club.example".to_owned())));
        for wrong in [
            "",
            "club.example",
            "https://",
            "https:///help",
            "https://club.example/a b",
            "ftp://club.example",
            "https://club.example:0/",
        ] {
            assert!(wrong.parse::<Contact>().is_err(), "{wrong}");
        }
    }
}
