//! Handing a mail to the operator's SMTP server (RFC 5321), by lettre.
//!
//! lettre's own transport says that something was refused, but not what: a wrong password and an unknown mailbox look alike there. They must not here, since the one is the operator's matter and
//! must cost nobody his address; so a [`Line`] goes through the steps itself, and tells by the codes (RFC 5321, RFC 3463) whether a refusal is about the address. What a server says may hold an
//! address, so of it only the code goes into the log.

use std::error::Error as _;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use lettre::address::Envelope;
use lettre::message::Mailbox;
use lettre::message::header::{ContentType, Date, Header, HeaderName, HeaderValue};
use lettre::transport::smtp::Error as SmtpError;
use lettre::transport::smtp::authentication::DEFAULT_MECHANISMS;
use lettre::transport::smtp::client::{AsyncSmtpConnection, TlsParameters};
use lettre::transport::smtp::commands::{Data, Mail, Rcpt};
use lettre::transport::smtp::extension::{Extension, MailBodyParameter, MailParameter};
use lettre::{Address, Message};
use tokio::sync::{Semaphore, SemaphorePermit};

use super::links::MailName;
use super::setup::{Server, Setup, Tls};
use crate::clock::Clock;

/// How long a connection may take to come about.
const CONNECT: Duration = Duration::from_secs(10);
/// How long a mail may take, from connecting to the server's last word.
const HAND_OVER: Duration = Duration::from_secs(40);
/// How many connections to the SMTP server a node has at once.
pub const LINES: usize = 4;

/// The step at which a server says whether it knows the mailbox.
const RCPT: &str = "RCPT";

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
        connection.command(Rcpt::new(to.clone(), vec![])).await.map_err(|error| refused(RCPT, &error))?;
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
    let code = error.status().map(u16::from);
    let words = error.source().map(ToString::to_string).unwrap_or_default();
    match code.is_some_and(|code| blames_the_address(step == RCPT, code, &words)) {
        true => Refusal::Never(cause(step, error)),
        false => later(step, error),
    }
}

/// Whether a refusal says that nothing will ever reach this mailbox. Everything else (no relaying, a daily limit, a text that looks like spam) is between the operator and his server.
///
/// By the enhanced code (RFC 3463) where there is one: 5.1.x is about the address, but for 5.1.7 and 5.1.8, which are about the sender's; 5.2.1 is a mailbox that is switched off. Without
/// one, by the three codes that RFC 5321 has for a mailbox, at the step that names it.
fn blames_the_address(at_rcpt: bool, code: u16, words: &str) -> bool {
    match enhanced(words) {
        Some((5, 1, detail)) => !matches!(detail, 7 | 8),
        Some((5, 2, 1)) => true,
        Some(_) => false,
        None => at_rcpt && matches!(code, 550 | 551 | 553),
    }
}

/// The enhanced code with which an answer begins.
fn enhanced(words: &str) -> Option<(u16, u16, u16)> {
    let mut numbers = words.split_whitespace().next()?.split('.').map(|number| number.parse().ok());
    let code = (numbers.next()??, numbers.next()??, numbers.next()??);
    numbers.next().is_none().then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mailer() -> Mailer {
        let setup = Setup {
            server: "smtp://localhost".parse().ok().unwrap(),
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
    fn only_a_refusal_of_the_address_is_for_ever() {
        for (at_rcpt, code, words) in [
            (true, 550, "5.1.1 <anna@example.org>: Recipient address rejected: User unknown"),
            (true, 550, "5.1.1\nno such user"),
            (true, 550, "5.1.2 no such host"),
            (true, 556, "5.1.10 the domain takes no mail"),
            (true, 550, "5.2.1 this mailbox is disabled"),
            (false, 554, "5.1.1 unknown after all"),
            (true, 550, "no such user here"),
            (true, 551, "user not local"),
            (true, 553, ""),
        ] {
            assert!(blames_the_address(at_rcpt, code, words), "{code} {words}");
        }
        for (at_rcpt, code, words) in [
            (true, 550, "5.7.1 relay access denied"),
            (true, 550, "5.4.5 daily limit exceeded"),
            (false, 554, "5.7.1 this looks like spam"),
            (false, 554, "transaction failed"),
            (false, 550, "blocked"),
            (true, 554, "relay access denied"),
            (true, 552, "5.2.2 mailbox full"),
            (true, 552, "mailbox full"),
            (true, 550, "5.1.8 the sender's domain does not exist"),
            (true, 530, "5.7.0 authentication required"),
        ] {
            assert!(!blames_the_address(at_rcpt, code, words), "{code} {words}");
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
