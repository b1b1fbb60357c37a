//! Sending a mail over the operator's SMTP server (RFC 5321), with lettre.
//!
//! lettre's own transport reports a refusal, but not at which step: a wrong password and an unknown mailbox look alike.
//! They must be distinguished, because a wrong password is the operator's problem and must not cost users their
//! confirmed addresses. So an [`SmtpConnection`] goes through the steps itself, and decides by the codes (RFC 5321, RFC
//! 3463) whether a refusal concerns the address. A server's text may contain an address, so only its code is logged.

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
use super::setup::{MatchLink, Setup, SmtpServer, Tls};
use crate::clock::Clock;

/// Time limit for connecting.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Time limit for sending a mail, from connecting to the server's last answer.
const SEND_TIMEOUT: Duration = Duration::from_secs(40);
/// Most connections of a node to the SMTP server.
pub const MAX_CONNECTIONS: usize = 4;

/// The step at which a server accepts or refuses the mailbox.
const RCPT: &str = "RCPT";

/// A mail ready for sending.
pub struct OutgoingMail {
    /// Its id, part of the `Message-ID`.
    pub name: MailName,
    /// The address of the recipient.
    pub to: String,
    pub subject: String,
    pub text: String,
    /// `None` if there is nothing to unsubscribe from.
    pub unsubscribe: Option<String>,
}

/// The reason of a failure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SendError {
    /// The server can't take it for now, or refuses this service: the operator's problem. It can be retried.
    Temporary(String),
    /// The server won't take mail for this address.
    Permanent(String),
}

impl fmt::Display for SendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (SendError::Temporary(cause) | SendError::Permanent(cause)) = self;
        f.write_str(cause)
    }
}

/// Sends mails; one for each node.
#[derive(Clone)]
pub struct Mailer {
    setup: Arc<Setup>,
    permits: Arc<Semaphore>,
    clock: Clock,
    public_url: String,
    pages: Option<String>,
    match_link: Option<MatchLink>,
}

impl Mailer {
    /// A mailer with these settings, for the API at `public_url`, web pages at `pages`, and links to matches by
    /// `match_link`.
    pub fn new(
        setup: Setup,
        clock: Clock,
        public_url: String,
        pages: Option<String>,
        match_link: Option<MatchLink>,
    ) -> Self {
        let permits = Arc::new(Semaphore::new(MAX_CONNECTIONS));
        Self { setup: Arc::new(setup), permits, clock, public_url, pages, match_link }
    }

    pub fn page(&self, path: &str) -> String {
        format!("{}{path}", self.public_url)
    }

    /// The URL of a web page; without web pages, of its resource in the API.
    pub fn link_to(&self, page: &str, resource: &str) -> String {
        match &self.pages {
            Some(pages) => format!("{pages}{page}"),
            None => self.page(resource),
        }
    }

    pub fn link_to_match(&self, id: &str) -> String {
        match &self.match_link {
            Some(link) => link.of(id),
            None => self.link_to(&format!("/match/{id}"), &format!("/v1/matches/{id}")),
        }
    }

    /// A connection to the server, opened on first use. Waits while there are too many.
    pub async fn connection(&self) -> SmtpConnection<'_> {
        // The semaphore is never closed, so there always is a permit.
        SmtpConnection { mailer: self, connection: None, _permit: self.permits.acquire().await.ok() }
    }

    /// The mail as a message (RFC 5322): plain text, marked as automatic (RFC 3834), so that no program answers it.
    fn message(&self, mail: &OutgoingMail) -> Result<Message, SendError> {
        let unusable =
            |_: &dyn std::error::Error| SendError::Permanent("the address can't be used in a mail".to_owned());
        let to = mail.to.parse::<Address>().map_err(|error| unusable(&error))?;
        let name: String = mail.name.iter().map(|byte| format!("{byte:02x}")).collect();
        let id = format!("<{name}@{}>", self.setup.from.email.domain());
        let mut message = Message::builder()
            .from(self.setup.from.clone())
            .to(Mailbox::new(None, to))
            .subject(&mail.subject)
            .message_id(Some(id))
            .raw_header(raw("Auto-Submitted", "auto-generated"))
            .header(ContentType::TEXT_PLAIN);
        if let Some(date) = self.date() {
            message = message.header(date);
        }
        if let Some(link) = &mail.unsubscribe {
            message = message.raw_header(raw("List-Unsubscribe", &format!("<{link}>")));
            // One-click unsubscribing requires https (RFC 8058, section 3.1).
            if link.starts_with("https://") {
                message = message.raw_header(raw("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"));
            }
        }
        message.body(mail.text.clone()).map_err(|error| unusable(&error))
    }

    /// The date of sending. lettre would read the machine's clock.
    fn date(&self) -> Option<Date> {
        let now = jiff::Timestamp::from_millisecond(self.clock.now().0).ok()?;
        Date::parse(&now.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string()).ok()
    }
}

fn raw(name: &'static str, value: &str) -> HeaderValue {
    HeaderValue::new(HeaderName::new_from_ascii_str(name), value.to_owned())
}

/// A connection to the server, opened on demand and kept for the next mail.
pub struct SmtpConnection<'a> {
    mailer: &'a Mailer,
    connection: Option<AsyncSmtpConnection>,
    _permit: Option<SemaphorePermit<'a>>,
}

impl SmtpConnection<'_> {
    /// Sends a mail. On `Ok` the server has accepted it. After an error it may have accepted it, if the connection
    /// broke at the end.
    pub async fn send(&mut self, mail: &OutgoingMail) -> Result<(), SendError> {
        let message = self.mailer.message(mail)?;
        let done = tokio::time::timeout(SEND_TIMEOUT, self.transmit(message.envelope(), &message.formatted())).await;
        let done = done.unwrap_or_else(|_| Err(SendError::Temporary("it took too long".to_owned())));
        if done.is_err() {
            // The state of the connection is unknown: the next mail gets a new one.
            self.connection = None;
        }
        done
    }

    /// Closes the connection with `QUIT`.
    pub async fn close(mut self) {
        if let Some(mut connection) = self.connection.take() {
            let _ = tokio::time::timeout(Duration::from_secs(2), connection.quit()).await;
        }
    }

    async fn transmit(&mut self, envelope: &Envelope, bytes: &[u8]) -> Result<(), SendError> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => connect(&self.mailer.setup.server).await.map_err(|error| temporary_error("connecting", &error))?,
        };
        let to =
            envelope.to().first().ok_or_else(|| SendError::Permanent("there is nobody to send it to".to_owned()))?;
        let international = !to.to_string().is_ascii();
        if international && !connection.server_info().supports_feature(Extension::SmtpUtfEight) {
            return Err(SendError::Permanent("the SMTP server can't send to an address that isn't ASCII".to_owned()));
        }
        let mut options = Vec::new();
        if international {
            options.push(MailParameter::SmtpUtfEight);
        }
        if !bytes.is_ascii() {
            options.push(MailParameter::Body(MailBodyParameter::EightBitMime));
        }
        let from = Mail::new(envelope.from().cloned(), options);
        connection.command(from).await.map_err(|error| temporary_error("MAIL", &error))?;
        connection.command(Rcpt::new(to.clone(), vec![])).await.map_err(|error| send_error(RCPT, &error))?;
        connection.command(Data).await.map_err(|error| temporary_error("DATA", &error))?;
        connection.message(bytes).await.map_err(|error| send_error("the text", &error))?;
        self.connection = Some(connection);
        Ok(())
    }
}

async fn connect(server: &SmtpServer) -> Result<AsyncSmtpConnection, SmtpError> {
    let parameters = || TlsParameters::new(server.host.clone());
    let implicit = (server.tls == Tls::Implicit).then(parameters).transpose()?;
    let address = (server.host.as_str(), server.port);
    let mut connection =
        AsyncSmtpConnection::connect_tokio1(address, Some(CONNECT_TIMEOUT), &server.hello, implicit, None).await?;
    if server.tls == Tls::Required || server.tls == Tls::Opportunistic && connection.can_starttls() {
        connection.starttls(parameters()?, &server.hello).await?;
    }
    if let Some(credentials) = &server.credentials {
        connection.auth(DEFAULT_MECHANISMS, credentials).await?;
    }
    Ok(connection)
}

/// The code of the server's answer, without its text, which may contain an address.
fn cause(step: &str, error: &SmtpError) -> String {
    match error.status() {
        Some(code) => format!("{step}: the SMTP server answered {code}"),
        None if error.is_response() => format!("{step}: the SMTP server's answer makes no sense"),
        None => format!("{step}: {error}"),
    }
}

fn temporary_error(step: &str, error: &SmtpError) -> SendError {
    SendError::Temporary(cause(step, error))
}

fn send_error(step: &str, error: &SmtpError) -> SendError {
    let code = error.status().map(u16::from);
    let texts = error.source().map(ToString::to_string).unwrap_or_default();
    match code.is_some_and(|code| is_about_address(step == RCPT, code, &texts)) {
        true => SendError::Permanent(cause(step, error)),
        false => temporary_error(step, error),
    }
}

/// True if a refusal means that this mailbox will never take mail. All other refusals (relaying denied, a daily limit,
/// a text that looks like spam) concern the operator and the mail server.
///
/// With an enhanced code (RFC 3463): 5.1.x concerns the address, except 5.1.7 and 5.1.8, which concern the sender's;
/// 5.2.1 is a disabled mailbox. Without one: the three codes of RFC 5321 for a mailbox, at the step that names it.
fn is_about_address(at_rcpt: bool, code: u16, texts: &str) -> bool {
    match enhanced_code(texts) {
        Some((5, 1, detail)) => !matches!(detail, 7 | 8),
        Some((5, 2, 1)) => true,
        Some(_) => false,
        None => at_rcpt && matches!(code, 550 | 551 | 553),
    }
}

/// The enhanced code at the beginning of an answer.
fn enhanced_code(texts: &str) -> Option<(u16, u16, u16)> {
    let mut numbers = texts.split_whitespace().next()?.split('.').map(|number| number.parse().ok());
    let code = (numbers.next()??, numbers.next()??, numbers.next()??);
    numbers.next().is_none().then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::StandingClock;

    fn mailer() -> Mailer {
        let setup = Setup {
            server: "smtp://localhost".parse().ok().unwrap(),
            from: "Broadside <mail@club.example>".parse().unwrap(),
        };
        Mailer::new(
            setup,
            Clock::standing(StandingClock::from(Arc::new(1_795_246_200_000.into()))),
            "https://broadside.test".to_owned(),
            None,
            None,
        )
    }

    fn mail(to: &str, subject: &str) -> OutgoingMail {
        let unsubscribe = Some(format!("https://broadside.test/v1/mail/unsubscribe/{}", "x".repeat(86)));
        OutgoingMail {
            name: [171; 16],
            to: to.to_owned(),
            subject: subject.to_owned(),
            text: "Ahoy\n".to_owned(),
            unsubscribe,
        }
    }

    #[test]
    fn only_a_refusal_of_the_address_is_for_ever() {
        for (at_rcpt, code, texts) in [
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
            assert!(is_about_address(at_rcpt, code, texts), "{code} {texts}");
        }
        for (at_rcpt, code, texts) in [
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
            assert!(!is_about_address(at_rcpt, code, texts), "{code} {texts}");
        }
    }

    #[test]
    fn a_message_is_plain_text_from_a_program() {
        let bytes = mailer().message(&mail("anna@example.org", "À vous de jouer")).unwrap().formatted();
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
        // Addresses and names are checked on input, so neither can contain this. Even if one did, it could not add a
        // header.
        let text =
            mailer().message(&mail("anna@example.org", "Ahoy\r\nBcc: eve@example.org\r\n\r\nx")).unwrap().formatted();
        let text = String::from_utf8(text).unwrap();
        let (headers, _) = text.split_once("\r\n\r\n").unwrap();
        assert!(!headers.lines().any(|line| line.starts_with("Bcc")), "{headers}");
        for address in [
            "anna@example.org\r\nBcc: eve@example.org",
            "anna@example.org, eve@example.org",
            "Eve <eve@example.org>",
            "\"a\r\nb\"@example.org",
        ] {
            assert!(mailer().message(&mail(address, "Ahoy")).is_err(), "{address}");
        }
    }
}
