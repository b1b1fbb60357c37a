//! Settings of webhooks and mail, with their secrets.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use clap::Args;
use lettre::message::Mailbox;

use crate::address_block::AddressBlock;
use crate::notifications::mail;
use crate::notifications::webhooks::WebhookSettings;
use crate::sealing::SealingKey;

/// Where webhooks may go, and how their secrets are kept.
#[derive(Args, Debug, Clone)]
pub struct Webhooks {
    /// Addresses that webhooks may go to besides the public internet, also by plain http: blocks such as
    /// 192.168.7.0/24, separated by commas
    #[arg(long = "webhook-allow", env = "BROADSIDE_WEBHOOK_ALLOW", value_name = "CIDR", value_delimiter = ',')]
    pub allow: Vec<AddressBlock>,
    /// What the secrets of webhooks and second factors and the key of Web Push are sealed with in the database: a text
    /// of 32 characters or more, the same on every node (better in the environment: others can see a command line)
    #[arg(long, env = "BROADSIDE_SEALING_KEY", value_name = "TEXT", hide_env_values = true)]
    pub sealing_key: Option<Hidden>,
}

impl Webhooks {
    /// As webhook settings.
    pub fn settings(&self) -> Result<WebhookSettings, String> {
        let sealing_key = self.sealing_key()?;
        Ok(WebhookSettings { allowed: self.allow.clone(), sealing_key, ..WebhookSettings::default() })
    }

    /// The operator's key for sealing secrets.
    pub fn sealing_key(&self) -> Result<Option<SealingKey>, String> {
        read_hidden("BROADSIDE_SEALING_KEY (--sealing-key)", self.sealing_key.as_ref())
    }
}

/// A text with a secret. clap repeats unreadable values in its errors, so secrets are parsed after it, by
/// [`read_hidden`]; `Debug` doesn't show them.
#[derive(Clone)]
pub struct Hidden(String);

impl Hidden {
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl FromStr for Hidden {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(hidden)")
    }
}

/// Parses a hidden text. The error names the setting, and never repeats the value.
fn read_hidden<T: FromStr<Err = String>>(setting: &str, hidden: Option<&Hidden>) -> Result<Option<T>, String> {
    let read = |hidden: &Hidden| hidden.0.parse().map_err(|why| format!("{setting}: {why}."));
    hidden.map(read).transpose()
}

/// How mail is sent. Without an SMTP server there is none, and the API says so.
#[derive(Args, Debug, Clone)]
pub struct Mail {
    /// The SMTP server that sends mail to players who ask for it, such as smtp://user:password@host:587?tls=required or
    /// smtps://user:password@host; without one there is no mail
    #[arg(long, env = "BROADSIDE_SMTP_URL", value_name = "URL", hide_env_values = true)]
    pub smtp_url: Option<Hidden>,
    /// Whom mail comes from, such as "Broadside <mail@club.example>"; needed with --smtp-url
    #[arg(long, env = "BROADSIDE_MAIL_FROM", value_name = "ADDRESS", value_parser = mailbox)]
    pub mail_from: Option<Mailbox>,
    /// Where players find a match, with {id} in it, such as https://club.example/match/{id}, for links in mails and
    /// calendars [default: its page, as --web says]
    #[arg(long, env = "BROADSIDE_MATCH_LINK", value_name = "URL")]
    pub match_link: Option<mail::setup::MatchLink>,
}

impl Mail {
    /// The mail settings, if mail is configured.
    pub fn setup(&self) -> Result<Option<mail::Setup>, String> {
        let server = read_hidden::<mail::setup::SmtpServer>("BROADSIDE_SMTP_URL (--smtp-url)", self.smtp_url.as_ref())?;
        match (server, &self.mail_from) {
            (None, None) => Ok(None),
            (Some(server), Some(from)) => Ok(Some(mail::Setup { server, from: from.clone() })),
            (Some(_), None) => Err("there is an SMTP server (BROADSIDE_SMTP_URL), but nobody whom mail comes from: \
                 set BROADSIDE_MAIL_FROM, such as \"Broadside <mail@club.example>\"."
                .to_owned()),
            (None, Some(_)) => {
                Err("there is a BROADSIDE_MAIL_FROM, but no SMTP server: set BROADSIDE_SMTP_URL as well, or neither."
                    .to_owned())
            }
        }
    }
}

/// An address, optionally with a name before it.
fn mailbox(text: &str) -> Result<Mailbox, String> {
    let read = || {
        let Mailbox { name, email } = text.parse().ok()?;
        // Mail servers know domains by their A-labels (RFC 5890).
        let domain = idna::domain_to_ascii(email.domain()).ok()?;
        Some(Mailbox::new(name, lettre::Address::new(email.user(), domain).ok()?))
    };
    read().ok_or_else(|| "must be a mail address, such as \"Broadside <mail@club.example>\"".to_owned())
}
