//! The operator's mail settings: the SMTP server, the sender, and the target of links to matches. Read once at start;
//! invalid settings are refused with the reason.
//!
//! Server URLs have the same meaning as in lettre, whose own parser does not expose its result.

use std::str::FromStr;

use lettre::message::Mailbox;
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::extension::ClientId;
// The same URL parser as lettre uses; reqwest re-exports it.
use reqwest::Url;

use crate::web_url::{can_connect, web_url};

/// (No `Debug`: it contains a password.)
#[derive(Clone)]
pub struct Setup {
    pub server: SmtpServer,
    pub from: Mailbox,
}

/// The encryption of the connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tls {
    None,
    /// STARTTLS if the server has it.
    Opportunistic,
    /// STARTTLS or no mail.
    Required,
    Implicit,
}

/// An SMTP server, from a URL such as `smtp://user:password@host:587?tls=required`. `smtps` is TLS from the beginning
/// (port 465 by default), `tls=required` is mandatory STARTTLS (587), `tls=opportunistic` is STARTTLS where the server
/// offers it (587), and `smtp` alone is no TLS (25). A path is the name for `EHLO`. (No `Debug`: it contains a
/// password.)
#[derive(Clone)]
pub struct SmtpServer {
    /// A host name, or an IP address without brackets.
    pub host: String,
    pub port: u16,
    pub tls: Tls,
    /// The name for `EHLO`.
    pub hello: ClientId,
    pub credentials: Option<Credentials>,
}

impl FromStr for SmtpServer {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let send_error = |why: &str| format!("{why}: it must be such as smtp://user:password@host:587?tls=required");
        let url = Url::parse(text).map_err(|_| send_error("this is no address of an SMTP server"))?;
        if !can_connect(&url) {
            return Err(send_error("nothing listens at port 0"));
        }
        let mut query = url.query_pairs();
        let option = query.next();
        let (tls, port) = match (url.scheme(), option.as_ref().map(|(key, value)| (key.as_ref(), value.as_ref()))) {
            ("smtp", None) => (Tls::None, 25),
            ("smtp", Some(("tls", "required"))) => (Tls::Required, 587),
            ("smtp", Some(("tls", "opportunistic"))) => (Tls::Opportunistic, 587),
            ("smtps", None) => (Tls::Implicit, 465),
            ("smtp" | "smtps", _) => {
                return Err(send_error("there is only tls=required and tls=opportunistic, with smtp"));
            }
            _ => return Err(send_error("it begins with neither smtp nor smtps")),
        };
        if query.next().is_some() {
            return Err(send_error("there is one option at most"));
        }
        let host = url.host_str().filter(|host| !host.is_empty()).ok_or_else(|| send_error("it names no host"))?;
        let hello = match url.path().trim_matches('/') {
            "" => ClientId::default(),
            name if name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-')) => {
                ClientId::Domain(name.to_owned())
            }
            _ => return Err(send_error("the name to say hello with is no host name")),
        };
        let decoded =
            |part: &str| decoded(part).ok_or_else(|| send_error("user or password are not percent-encoded UTF-8"));
        let credentials = match url.password() {
            Some(password) => Some(Credentials::new(decoded(url.username())?, decoded(password)?)),
            None if url.username().is_empty() => None,
            None => return Err(send_error("there is a user without a password")),
        };
        let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        Ok(Self { host, port: url.port().unwrap_or(port), tls, hello, credentials })
    }
}

/// Percent-encoded UTF-8 (RFC 3986, section 2.1).
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, behind @ ..] = rest {
        rest = behind;
        if *first == b'%' {
            let (digits, behind) = rest.split_first_chunk::<2>()?;
            bytes.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
            rest = behind;
        } else {
            bytes.push(*first);
        }
    }
    String::from_utf8(bytes).ok()
}

/// The URL of a match on the players' front end, with `{id}` in place of the match's id.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchLink(String);

impl MatchLink {
    pub fn of(&self, id: &str) -> String {
        self.0.replace("{id}", id)
    }
}

impl FromStr for MatchLink {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let fits = text.contains("{id}") && text.len() <= 500 && text.bytes().all(|byte| byte.is_ascii_graphic());
        if fits && web_url(text).is_some() {
            Ok(Self(text.to_owned()))
        } else {
            Err("must be an address with {id} in it, such as https://club.example/match/{id}".to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(text: &str) -> SmtpServer {
        text.parse().unwrap_or_else(|why| panic!("{text}: {why}"))
    }

    #[test]
    fn servers_are_read_as_lettre_reads_them() {
        let one = server("smtp://anna%40club:p%2Fw%25@mail.example?tls=required");
        assert_eq!((one.host.as_str(), one.port, one.tls), ("mail.example", 587, Tls::Required));
        assert_eq!(one.credentials, Some(Credentials::new("anna@club".to_owned(), "p/w%".to_owned())));
        let two = server("smtps://[::1]/hello.example");
        assert_eq!((two.host.as_str(), two.port, two.tls), ("::1", 465, Tls::Implicit));
        assert_eq!(two.hello, ClientId::Domain("hello.example".to_owned()));
        assert_eq!((server("smtp://localhost").port, server("smtp://localhost:2525").port), (25, 2525));
    }

    #[test]
    fn what_is_no_server_is_refused_with_the_reason() {
        for bad in [
            "",
            "localhost:25",
            "http://mail.example",
            "smtp://",
            "smtp://x?tls=yes",
            "smtp://x?tls=required&a=b",
            "smtps://x?tls=required",
            "smtp://anna@x",
            "smtp://a:%ff@x",
            "smtp://a:%2@x",
            "smtp://x/a%0D%0ARCPT",
            "smtp://x:0",
        ] {
            let why = bad.parse::<SmtpServer>().err().unwrap_or_else(|| panic!("{bad} is taken"));
            assert!(why.contains("smtp://user:password@host"), "{why}");
        }
    }

    #[test]
    fn a_link_to_a_match_needs_a_place_for_its_id() {
        let link: MatchLink = "https://club.example/#/match/{id}".parse().unwrap();
        assert_eq!(link.of("7"), "https://club.example/#/match/7");
        for bad in [
            "https://club.example/",
            "club.example/{id}",
            "https:///{id}",
            "https://x/{id}\r\nBcc: a@b.cd",
            "javascript:{id}",
            "https://x:0/{id}",
        ] {
            assert!(bad.parse::<MatchLink>().is_err(), "{bad}");
        }
    }
}
