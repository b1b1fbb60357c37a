//! Sending: one POST to an address that somebody else has chosen, so nothing about the answer is believed.
//!
//! No redirect is followed, no proxy of the environment is used, and names are resolved by a resolver that hands on no address which the gate refuses: what is
//! connected to is what was judged. Of the answer only the status and `Retry-After` are read; the body never is. What went wrong is said in words of ours.

use std::collections::BTreeMap;
use std::error::Error as StdError;
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use broadside_rules::Time;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{CONTENT_TYPE, RETRY_AFTER};
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, StatusCode};

use super::addresses::Gate;
use super::schedule;
use super::target::Target;

/// How long an answer may take, from the first look for the name on.
pub const PATIENCE: Duration = Duration::from_secs(15);
/// Whoever takes longer is worked on where failing targets are.
const SLOW_FROM: Duration = Duration::from_secs(5);
/// How long a connection is kept for the next message.
const KEPT_OPEN: Duration = Duration::from_secs(30);
/// How long the words about a failure may be.
const WORDS_AT_MOST: usize = 300;

/// Who knows where names lead.
#[derive(Clone)]
pub enum Names {
    /// The system.
    System,
    /// A list, for tests.
    Fixed(Arc<BTreeMap<String, Vec<IpAddr>>>),
}

impl Names {
    async fn lookup(&self, name: &str) -> Vec<IpAddr> {
        match self {
            Names::System => match tokio::net::lookup_host((name, 0)).await {
                Ok(found) => found.map(|address| address.ip()).collect(),
                Err(_) => Vec::new(),
            },
            Names::Fixed(list) => list.get(name).cloned().unwrap_or_default(),
        }
    }
}

/// A message, ready to go.
pub struct Message {
    /// `webhook-id`.
    pub id: String,
    /// `webhook-timestamp`.
    pub timestamp_s: i64,
    /// `webhook-signature`.
    pub signatures: String,
    /// The body.
    pub body: String,
}

/// What came of an attempt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// The HTTP status, if there was an answer.
    pub answer: Option<u16>,
    /// What was wrong; `None`: it was delivered.
    pub fault: Option<String>,
    /// In how many seconds the answer wants to be asked again.
    pub retry_after_s: Option<u32>,
    /// Whether the fault is this server's: nothing was sent, and the target has no part in it.
    pub ours: bool,
    /// How long it took.
    pub took: Duration,
}

impl Outcome {
    /// An attempt that got no answer.
    pub fn fault(words: impl Into<String>) -> Self {
        Self { answer: None, fault: Some(words.into()), retry_after_s: None, ours: false, took: Duration::ZERO }
    }

    /// An attempt that this server could not make.
    pub fn ours(words: impl Into<String>) -> Self {
        Self { ours: true, ..Self::fault(words) }
    }

    /// Whether the target may have one of the places that are for all: it answered well, and not slowly.
    pub fn is_quick(&self) -> bool {
        self.fault.is_none() && self.took <= SLOW_FROM
    }

    /// Whether the receiver wants nothing any more.
    pub fn is_gone(&self) -> bool {
        self.answer == Some(StatusCode::GONE.as_u16())
    }
}

/// Sends messages.
pub struct Sender {
    gate: Gate,
    names: Names,
    patience: Duration,
    /// Made at the first delivery that needs them, so that a system without root certificates can serve all the same.
    encrypted: OnceLock<Client>,
    clear: OnceLock<Client>,
}

impl Sender {
    /// A sender through this gate.
    pub fn new(gate: Gate, names: Names, patience: Duration) -> Self {
        Self { gate, names, patience, encrypted: OnceLock::new(), clear: OnceLock::new() }
    }

    /// What may be sent to.
    pub fn gate(&self) -> &Gate {
        &self.gate
    }

    /// Makes one attempt.
    pub async fn send(&self, target: &Target, message: Message, now: Time) -> Outcome {
        if let Some(why) = target.refused(&self.gate) {
            return Outcome::fault(format!("the url {why}"));
        }
        let client = match self.client(target.in_the_clear()) {
            Ok(client) => client,
            Err(error) => {
                let cause = innermost(&error);
                tracing::error!(cause, "webhooks can't be sent: does this system have root certificates?");
                return Outcome::ours("this server can't open encrypted connections; its operator has to see to it");
            }
        };
        let request = client
            .post(target.url().clone())
            .header(CONTENT_TYPE, "application/json")
            .header("webhook-id", message.id)
            .header("webhook-timestamp", message.timestamp_s.to_string())
            .header("webhook-signature", message.signatures)
            .body(message.body);
        let began = Instant::now();
        let sent = request.send().await;
        let took = began.elapsed();
        match sent {
            Ok(response) => {
                let asked = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
                Outcome {
                    answer: Some(response.status().as_u16()),
                    fault: judge(response.status()),
                    retry_after_s: asked.and_then(|value| schedule::retry_after(value, now)),
                    ours: false,
                    took,
                }
            }
            Err(error) => Outcome::fault(self.words(&error)),
        }
    }

    fn client(&self, clear: bool) -> Result<Client, reqwest::Error> {
        let slot = if clear { &self.clear } else { &self.encrypted };
        if let Some(client) = slot.get() {
            return Ok(client.clone());
        }
        // The library was built without a favourite. It is an error to choose a second time, and all the same.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let resolver = Resolver { gate: self.gate.clone(), names: self.names.clone(), clear };
        let client = base(resolver, self.patience);
        // Without encryption it needs no roots, and where there are none it shall work.
        let client = if clear { client.tls_certs_only([]) } else { client.https_only(true) };
        let client = client.build()?;
        Ok(slot.get_or_init(|| client).clone())
    }

    /// What went wrong, in words that give away nothing of this side. A name that leads nowhere and one that leads to where it may not are not told apart: they
    /// would tell which names there are inside.
    fn words(&self, error: &reqwest::Error) -> String {
        let words = if error.is_timeout() {
            format!("no answer within {} s", self.patience.as_secs().max(1))
        } else if beneath(error, |_: &NoAddress| true).is_some() {
            NoAddress.to_string()
        } else if let Some(tls) = beneath(error, |_: &rustls::Error| true) {
            format!("TLS: {tls}")
        } else if let Some(io) = beneath(error, |io: &std::io::Error| io.kind() != std::io::ErrorKind::Other) {
            format!("{}: {}", if error.is_connect() { "no connection" } else { "the connection broke" }, io.kind())
        } else if error.is_connect() {
            "no connection".to_owned()
        } else {
            "the connection broke, or the answer was not HTTP".to_owned()
        };
        words.chars().filter(|c| !c.is_control()).take(WORDS_AT_MOST).collect()
    }
}

fn base(resolver: Resolver, patience: Duration) -> ClientBuilder {
    Client::builder()
        .user_agent(concat!("broadside/", env!("CARGO_PKG_VERSION"), " (webhooks)"))
        .redirect(Policy::none())
        .no_proxy()
        .referer(false)
        .timeout(patience)
        .pool_idle_timeout(KEPT_OPEN)
        .pool_max_idle_per_host(2)
        .dns_resolver(resolver)
}

/// What is wrong with an answer of this status.
fn judge(status: StatusCode) -> Option<String> {
    let status_code = status.as_u16();
    match status {
        status if status.is_success() => None,
        status if status.is_redirection() => {
            Some(format!("answered {status_code}: redirects are not followed; change the url to where it leads"))
        }
        StatusCode::GONE => Some("answered 410: it wants nothing any more".to_owned()),
        _ => Some(format!("answered {status_code}")),
    }
}

/// The first error of this type that `fits`, in the chain beneath `error`.
fn beneath<'a, E: StdError + 'static>(error: &'a (dyn StdError + 'static), fits: impl Fn(&E) -> bool) -> Option<&'a E> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref().filter(|found| fits(found)) {
            return Some(found);
        }
        // An IO error passes over what it is made of when it is asked for its source.
        let inside = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
        next = inside.map(|inside| inside as &(dyn StdError + 'static)).or_else(|| error.source());
    }
    None
}

fn innermost(error: &(dyn StdError + 'static)) -> String {
    let mut last = error;
    while let Some(next) = last.source() {
        last = next;
    }
    last.to_string()
}

/// A resolver that hands on no address which the gate refuses.
struct Resolver {
    gate: Gate,
    names: Names,
    clear: bool,
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let (gate, names, clear) = (self.gate.clone(), self.names.clone(), self.clear);
        Box::pin(async move {
            let found = names.lookup(name.as_str()).await.into_iter();
            let good: Vec<SocketAddr> = found
                .filter(|address| gate.lets_through(*address, clear))
                .map(|address| SocketAddr::new(address, 0))
                .collect();
            if good.is_empty() {
                return Err(Box::new(NoAddress) as Box<dyn StdError + Send + Sync>);
            }
            Ok(Box::new(good.into_iter()) as Addrs)
        })
    }
}

/// A name that leads nowhere, or nowhere that is sent to.
#[derive(Debug)]
struct NoAddress;

impl fmt::Display for NoAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name leads to no address that this server sends to")
    }
}

impl StdError for NoAddress {}

#[cfg(test)]
mod tests {
    use super::*;

    fn sender(names: &[(&str, &[&str])]) -> Sender {
        let address = |text: &&str| text.parse().unwrap();
        let names = names.iter().map(|(name, list)| ((*name).to_owned(), list.iter().map(address).collect())).collect();
        Sender::new(Gate::default(), Names::Fixed(Arc::new(names)), Duration::from_secs(5))
    }

    async fn fault(sender: &Sender, url: &str) -> String {
        let message = Message { id: String::new(), timestamp_s: 0, signatures: String::new(), body: String::new() };
        let outcome = sender.send(&url.parse().unwrap(), message, Time(0)).await;
        assert_eq!((outcome.answer, outcome.retry_after_s), (None, None));
        outcome.fault.unwrap()
    }

    #[tokio::test]
    async fn a_name_that_leads_inside_is_like_one_that_leads_nowhere() {
        let inside = [
            "127.0.0.1",
            "10.0.0.1",
            "169.254.169.254",
            "192.168.1.1",
            "172.20.0.1",
            "100.64.0.1",
            "0.0.0.0",
            "224.0.0.1",
            "255.255.255.255",
            "::1",
            "fe80::1",
            "fd00::1",
            "::ffff:127.0.0.1",
            "::127.0.0.1",
            "64:ff9b::a00:1",
            "2002:7f00:1::",
            "2001::1",
            "ff02::1",
            "::",
        ];
        for address in inside {
            let sender = sender(&[("inside.test", &[address]), ("inside.test.", &[address])]);
            let nowhere = fault(&sender, "https://nowhere.test/").await;
            assert_eq!(nowhere, "the name leads to no address that this server sends to");
            for url in ["https://inside.test/", "https://inside.test./", "https://INSIDE.test:8443/"] {
                assert_eq!(fault(&sender, url).await, nowhere, "{address}");
            }
        }
    }

    #[tokio::test]
    async fn of_several_addresses_the_bad_ones_are_left_out() {
        let resolver = Resolver {
            gate: Gate::default(),
            names: Names::Fixed(Arc::new(BTreeMap::from([(
                "two.test".to_owned(),
                vec!["127.0.0.1".parse().unwrap(), "1.1.1.1".parse().unwrap()],
            )]))),
            clear: false,
        };
        let found: Vec<SocketAddr> = resolver.resolve("two.test".parse().unwrap()).await.unwrap().collect();
        assert_eq!(found, ["1.1.1.1:0".parse().unwrap()]);
    }

    #[tokio::test]
    async fn an_address_in_the_url_never_comes_to_a_resolver_and_is_refused_all_the_same() {
        let sender = sender(&[]);
        for url in ["https://127.0.0.1:1/", "https://[::1]:1/", "https://2130706433:1/", "http://10.0.0.1/"] {
            assert!(fault(&sender, url).await.contains("doesn't send to"), "{url}");
        }
    }

    #[test]
    fn who_takes_long_is_not_quick_though_he_answers_well() {
        let well = |took_ms| Outcome {
            answer: Some(200),
            fault: None,
            took: Duration::from_millis(took_ms),
            ..Outcome::fault("")
        };
        assert!(well(5000).is_quick() && !well(5001).is_quick() && !well(14_900).is_quick());
        assert!(!Outcome::fault("no connection").is_quick());
    }

    #[test]
    fn only_success_is_success() {
        for (status, good) in [
            (200, true),
            (204, true),
            (299, true),
            (301, false),
            (304, false),
            (400, false),
            (410, false),
            (500, false),
        ] {
            assert_eq!(judge(StatusCode::from_u16(status).unwrap()).is_none(), good, "{status}");
        }
    }
}
