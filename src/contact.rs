//! Where people reach the operator: the contract has it as `info.contact`.

use std::str::FromStr;

use crate::accounts::Email;

/// A page of the operator's, or a mail address.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Contact {
    /// The address of a page: `https://club.example/help`.
    Page(String),
    /// A mail address: `help@club.example`.
    Mail(String),
}

impl FromStr for Contact {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let host = ["http://", "https://"].iter().find_map(|scheme| text.strip_prefix(scheme));
        match host {
            Some(host) if !host.starts_with('/') && is_in_a_url(host) => Ok(Self::Page(text.to_owned())),
            None if text.parse::<Email>().is_ok() => Ok(Self::Mail(text.to_owned())),
            _ => Err("must be the address of a page (https://…) or a mail address".to_owned()),
        }
    }
}

/// Whether a text is not empty, and has only characters that a URL is written with (RFC 3986).
fn is_in_a_url(text: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "-._~:/?#[]@!$&'()*+,;=%".contains(c);
    !text.is_empty() && text.len() <= 500 && text.chars().all(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_and_a_mail_address_are_told_apart() {
        let page = "https://club.example/help?for=authors";
        assert_eq!(page.parse(), Ok(Contact::Page(page.to_owned())));
        assert_eq!("help@club.example".parse(), Ok(Contact::Mail("help@club.example".to_owned())));
        for wrong in ["", "club.example", "https://", "https:///help", "https://club.example/a b", "ftp://club.example"]
        {
            assert!(wrong.parse::<Contact>().is_err(), "{wrong}");
        }
    }
}
