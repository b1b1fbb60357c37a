//! Handing a mail to the operator's SMTP server (RFC 5321), by lettre.
//!
//! lettre's own transport says that something was refused, but not what: a wrong password and an unknown mailbox look alike there. They must not here, since the one is the operator's matter and
//! must cost nobody his address; so a [`Line`] goes through the steps itself. What a server says may hold an address, so of it only the code goes into the log.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use lettre::address::Envelope;
use lettre::message::Mailbox;
use lettre::message::header::{ContentType, Date, Header, HeaderName, HeaderValue};
use lettre::transport::smtp::Error as SmtpError;
use lettre::transport::smtp::authentication::{Credentials, DEFAULT_MECHANISMS};
use lettre::transport::smtp::client::{AsyncSmtpConnection, TlsParameters};
use lettre::transport::smtp::commands::{Data, Mail, Rcpt};
use lettre::transport::smtp::extension::{ClientId, Extension, MailBodyParameter, MailParameter};
use lettre::{Address, Message};
// The same parser of addresses that lettre uses; reqwest hands it on.
use reqwest::Url;
use tokio::sync::{Semaphore, SemaphorePermit};

use super::links::MailName;
use crate::clock::Clock;

/// How long a connection may take to come about.
const CONNECT: Duration = Duration::from_secs(10);
/// How long a mail may take, from connecting to the server's last word.
const HAND_OVER: Duration = Duration::from_secs(40);
/// How many connections to the SMTP server a node has at once.
pub const LINES: usize = 4;

/// The operator's settings, read and found acceptable. (It has no `Debug`: it holds a password.)
#[derive(Clone)]
pub struct Setup {
    /// The SMTP server.
    pub server: Server,
    /// Whom mail comes from.
    pub from: Mailbox,
    /// The address of a match on the players' front end, with `{id}` in it; without one it is the API's.
    pub match_link: Option<MatchLink>,
}

/// How the connection is protected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Tls {
    None,
    Opportunistic,
    Required,
    Implicit,
}

/// An SMTP server, as an address such as `smtp://user:password@host:587?tls=required` names it: `smtps` is TLS from the beginning (port 465 unless given), `tls=required` is STARTTLS or nothing
/// (587), `tls=opportunistic` STARTTLS where the server has it (587), and `smtp` alone no TLS (25). A path is the name to say hello with. (No `Debug`: it holds a password.)
#[derive(Clone)]
pub struct Server {
    host: String,
    port: u16,
    tls: Tls,
    hello: ClientId,
    credentials: Option<Credentials>,
}

impl FromStr for Server {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let refused = |why: &str| format!("{why}: it must be such as smtp://user:password@host:587?tls=required");
        let url = Url::parse(text).map_err(|_| refused("this is no address of an SMTP server"))?;
        let mut query = url.query_pairs();
        let option = query.next();
        let (tls, port) = match (url.scheme(), option.as_ref().map(|(key, value)| (key.as_ref(), value.as_ref()))) {
            ("smtp", None) => (Tls::None, 25),
            ("smtp", Some(("tls", "required"))) => (Tls::Required, 587),
            ("smtp", Some(("tls", "opportunistic"))) => (Tls::Opportunistic, 587),
            ("smtps", None) => (Tls::Implicit, 465),
            ("smtp" | "smtps", _) => {
                return Err(refused("there is only tls=required and tls=opportunistic, with smtp"));
            }
            _ => return Err(refused("it begins with neither smtp nor smtps")),
        };
        if query.next().is_some() {
            return Err(refused("there is one option at most"));
        }
        let host = url.host_str().filter(|host| !host.is_empty()).ok_or_else(|| refused("it names no host"))?;
        let hello = match url.path().trim_matches('/') {
            "" => ClientId::default(),
            name if name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-')) => {
                ClientId::Domain(name.to_owned())
            }
            _ => return Err(refused("the name to say hello with is no host name")),
        };
        let decoded =
            |part: &str| decoded(part).ok_or_else(|| refused("user or password are not percent-encoded UTF-8"));
        let credentials = match url.password() {
            Some(password) => Some(Credentials::new(decoded(url.username())?, decoded(password)?)),
            None if url.username().is_empty() => None,
            None => return Err(refused("there is a user without a password")),
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

/// The address of a match on the players' front end, with `{id}` where the match's id stands.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchLink(String);

impl MatchLink {
    /// The address of this match.
    pub fn of(&self, id: &str) -> String {
        self.0.replace("{id}", id)
    }
}

impl FromStr for MatchLink {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
        let fits = text.contains("{id}") && text.len() <= 500 && text.bytes().all(|byte| byte.is_ascii_graphic());
        if fits && rest.is_some_and(|rest| !rest.starts_with('/')) {
            Ok(Self(text.to_owned()))
        } else {
            Err("must be an address with {id} in it, such as https://club.example/match/{id}".to_owned())
        }
    }
}

/// A mail that is ready to be sent.
pub struct Letter {
    /// Its name.
    pub name: MailName,
    /// Where it goes.
    pub to: String,
    /// What it is about.
    pub subject: String,
    /// Plain text.
    pub text: String,
    /// The link that ends all mail, where there is anything to be ended.
    pub unsubscribe: Option<String>,
}

/// Why a mail was not handed over.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The server can't for now, or it won't have us: the operator's matter. It can be tried again.
    Later(String),
    /// The server won't take mail for this address.
    Never(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Refusal::Later(cause) | Refusal::Never(cause)) = self;
        f.write_str(cause)
    }
}

/// What hands mails over; one a node.
#[derive(Clone)]
pub struct Mailer {
    setup: Arc<Setup>,
    places: Arc<Semaphore>,
    clock: Clock,
    public_url: String,
}

impl Mailer {
    /// A mailer by these settings, for the API at `public_url`.
    pub fn new(setup: Setup, clock: Clock, public_url: String) -> Self {
        Self { setup: Arc::new(setup), places: Arc::new(Semaphore::new(LINES)), clock, public_url }
    }

    /// The address of a page of ours.
    pub fn page(&self, path: &str) -> String {
        format!("{}{path}", self.public_url)
    }

    /// Where a person finds this match.
    pub fn link_to_match(&self, id: &str) -> String {
        match &self.setup.match_link {
            Some(link) => link.of(id),
            None => self.page(&format!("/v1/matches/{id}")),
        }
    }

    /// A line to the server. Nothing is connected yet; it waits when there are too many.
    pub async fn line(&self) -> Line<'_> {
        // The semaphore is never closed; without a place it is one line too many, and no more than that.
        Line { mailer: self, connection: None, _place: self.places.acquire().await.ok() }
    }

    /// The letter as a message (RFC 5322): plain text, and marked as sent by a program (RFC 3834), so that nobody's program answers it.
    fn message(&self, letter: &Letter) -> Result<Message, Refusal> {
        let unusable = |_: &dyn std::error::Error| Refusal::Never("the address can't be used in a mail".to_owned());
        let to = letter.to.parse::<Address>().map_err(|error| unusable(&error))?;
        let name: String = letter.name.iter().map(|byte| format!("{byte:02x}")).collect();
        let id = format!("<{name}@{}>", self.setup.from.email.domain());
        let mut message = Message::builder()
            .from(self.setup.from.clone())
            .to(Mailbox::new(None, to))
            .subject(&letter.subject)
            .message_id(Some(id))
            .raw_header(raw("Auto-Submitted", "auto-generated"))
            .header(ContentType::TEXT_PLAIN);
        if let Some(date) = self.date() {
            message = message.header(date);
        }
        if let Some(link) = &letter.unsubscribe {
            message = message.raw_header(raw("List-Unsubscribe", &format!("<{link}>")));
            // One click is for https alone (RFC 8058, section 3.1).
            if link.starts_with("https://") {
                message = message.raw_header(raw("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"));
            }
        }
        message.body(letter.text.clone()).map_err(|error| unusable(&error))
    }

    /// When it is written. lettre would read the machine's clock.
    fn date(&self) -> Option<Date> {
        let now = jiff::Timestamp::from_millisecond(self.clock.now().0).ok()?;
        Date::parse(&now.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string()).ok()
    }
}

fn raw(name: &'static str, value: &str) -> HeaderValue {
    HeaderValue::new(HeaderName::new_from_ascii_str(name), value.to_owned())
}

/// A connection to the server, made when it is needed and kept for the next mail.
pub struct Line<'a> {
    mailer: &'a Mailer,
    connection: Option<AsyncSmtpConnection>,
    _place: Option<SemaphorePermit<'a>>,
}

impl Line<'_> {
    /// Hands a letter over. The server has taken it when this returns; after an error it may have, if the connection broke at the end.
    pub async fn hand_over(&mut self, letter: &Letter) -> Result<(), Refusal> {
        let message = self.mailer.message(letter)?;
        let done = tokio::time::timeout(HAND_OVER, self.converse(message.envelope(), &message.formatted())).await;
        let done = done.unwrap_or_else(|_| Err(Refusal::Later("it took too long".to_owned())));
        if done.is_err() {
            // Where the conversation stands is unclear: the next mail gets a new one.
            self.connection = None;
        }
        done
    }

    /// Ends the conversation politely.
    pub async fn hang_up(mut self) {
        if let Some(mut connection) = self.connection.take() {
            let _ = tokio::time::timeout(Duration::from_secs(2), connection.quit()).await;
        }
    }

    async fn converse(&mut self, envelope: &Envelope, bytes: &[u8]) -> Result<(), Refusal> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => connect(&self.mailer.setup.server).await.map_err(|error| later("connecting", &error))?,
        };
        let to = envelope.to().first().ok_or_else(|| Refusal::Never("there is nobody to send it to".to_owned()))?;
        let international = !to.to_string().is_ascii();
        if international && !connection.server_info().supports_feature(Extension::SmtpUtfEight) {
            return Err(Refusal::Never("the SMTP server can't send to an address that isn't ASCII".to_owned()));
        }
        let mut options = Vec::new();
        if international {
            options.push(MailParameter::SmtpUtfEight);
        }
        if !bytes.is_ascii() {
            options.push(MailParameter::Body(MailBodyParameter::EightBitMime));
        }
        let from = Mail::new(envelope.from().cloned(), options);
        connection.command(from).await.map_err(|error| later("MAIL", &error))?;
        connection.command(Rcpt::new(to.clone(), vec![])).await.map_err(|error| refused("RCPT", &error))?;
        connection.command(Data).await.map_err(|error| later("DATA", &error))?;
        connection.message(bytes).await.map_err(|error| refused("the text", &error))?;
        self.connection = Some(connection);
        Ok(())
    }
}

async fn connect(server: &Server) -> Result<AsyncSmtpConnection, SmtpError> {
    let parameters = || TlsParameters::new(server.host.clone());
    let implicit = (server.tls == Tls::Implicit).then(parameters).transpose()?;
    let address = (server.host.as_str(), server.port);
    let mut connection =
        AsyncSmtpConnection::connect_tokio1(address, Some(CONNECT), &server.hello, implicit, None).await?;
    if server.tls == Tls::Required || server.tls == Tls::Opportunistic && connection.can_starttls() {
        connection.starttls(parameters()?, &server.hello).await?;
    }
    if let Some(credentials) = &server.credentials {
        connection.auth(DEFAULT_MECHANISMS, credentials).await?;
    }
    Ok(connection)
}

/// What the server said, without its words: they may hold an address.
fn cause(step: &str, error: &SmtpError) -> String {
    match error.status() {
        Some(code) => format!("{step}: the SMTP server answered {code}"),
        None if error.is_response() => format!("{step}: the SMTP server's answer makes no sense"),
        None => format!("{step}: {error}"),
    }
}

fn later(step: &str, error: &SmtpError) -> Refusal {
    Refusal::Later(cause(step, error))
}

fn refused(step: &str, error: &SmtpError) -> Refusal {
    if error.is_permanent() { Refusal::Never(cause(step, error)) } else { later(step, error) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(text: &str) -> Server {
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
        ] {
            let why = bad.parse::<Server>().err().unwrap_or_else(|| panic!("{bad} is taken"));
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
        ] {
            assert!(bad.parse::<MatchLink>().is_err(), "{bad}");
        }
    }

    fn mailer() -> Mailer {
        let setup = Setup {
            server: server("smtp://localhost"),
            from: "Broadside <mail@club.example>".parse().unwrap(),
            match_link: None,
        };
        Mailer::new(setup, Clock::Fixed(Arc::new(1_795_246_200_000.into())), "https://broadside.test".to_owned())
    }

    fn letter(to: &str, subject: &str) -> Letter {
        let unsubscribe = Some(format!("https://broadside.test/v1/mail/unsubscribe/{}", "x".repeat(86)));
        Letter {
            name: [171; 16],
            to: to.to_owned(),
            subject: subject.to_owned(),
            text: "Ahoy\n".to_owned(),
            unsubscribe,
        }
    }

    #[test]
    fn a_message_is_plain_text_from_a_program() {
        let bytes = mailer().message(&letter("anna@example.org", "À vous de jouer")).unwrap().formatted();
        let text = String::from_utf8(bytes).unwrap();
        for line in [
            "From: Broadside <mail@club.example>",
            "To: anna@example.org",
            "Date: Sat, 21 Nov 2026 07:30:00 +0000",
            "Message-ID: <abababababababababababababababab@club.example>",
            "Auto-Submitted: auto-generated",
            "Content-Type: text/plain; charset=utf-8",
            "List-Unsubscribe-Post: List-Unsubscribe=One-Click",
        ] {
            assert!(text.lines().any(|found| found == line), "no {line} in\n{text}");
        }
        assert!(text.is_ascii() && text.contains(&"x".repeat(86)), "the link is in one piece\n{text}");
    }

    #[test]
    fn nothing_gets_from_a_value_into_the_headers() {
        // Neither shape can come from anywhere: addresses and names are checked when they come. If one did, it would be no header of its own.
        let text =
            mailer().message(&letter("anna@example.org", "Ahoy\r\nBcc: eve@example.org\r\n\r\nx")).unwrap().formatted();
        let text = String::from_utf8(text).unwrap();
        let (headers, _) = text.split_once("\r\n\r\n").unwrap();
        assert!(!headers.lines().any(|line| line.starts_with("Bcc")), "{headers}");
        for address in [
            "anna@example.org\r\nBcc: eve@example.org",
            "anna@example.org, eve@example.org",
            "Eve <eve@example.org>",
            "\"a\r\nb\"@example.org",
        ] {
            assert!(mailer().message(&letter(address, "Ahoy")).is_err(), "{address}");
        }
    }
}
