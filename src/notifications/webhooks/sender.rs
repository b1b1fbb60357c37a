//! Sends one message: a POST to a URL chosen by a user, so the response isn't trusted.
//!
//! No redirect is followed, no proxy of the environment is used, and the resolver returns only addresses allowed by the
//! policy: the connection goes to the checked address. Only the status and `Retry-After` of the response are read,
//! never the body. The description of a failure is our own text.

use std::collections::BTreeMap;
use std::error::Error as StdError;
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use broadside_rules::Time;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::RETRY_AFTER;
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, StatusCode};

use super::addresses::AddressPolicy;
use super::schedule;
use super::target::Target;

/// Time limit for an attempt, including name resolution.
pub const TIMEOUT: Duration = Duration::from_secs(15);
/// A target that takes longer counts as slow, like failing ones.
const SLOW_AFTER: Duration = Duration::from_secs(5);
/// Time for which an idle connection is kept for the next message.
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);
/// The longest description of a failure, in characters.
const MAX_DESCRIPTION: usize = 300;

/// The resolver of host names.
#[derive(Clone)]
pub enum Names {
    System,
    /// From a list, for tests.
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

pub struct Message {
    /// The `webhook-id` header.
    pub id: String,
    /// The `webhook-timestamp` header, in seconds since 1970.
    pub timestamp_s: i64,
    /// The `webhook-signature` header.
    pub signatures: String,
    pub body: String,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// The HTTP status, if there was a response.
    pub answer: Option<u16>,
    /// The fault; `None` if it was delivered.
    pub fault: Option<String>,
    /// The `Retry-After` of the response, in seconds.
    pub retry_after_s: Option<u32>,
    /// True if the fault is this server's: nothing was sent.
    pub own_fault: bool,
    pub took: Duration,
}

impl Outcome {
    /// An attempt without a response.
    pub fn fault(description: impl Into<String>) -> Self {
        Self {
            answer: None,
            fault: Some(description.into()),
            retry_after_s: None,
            own_fault: false,
            took: Duration::ZERO,
        }
    }

    /// An attempt that this server could not make.
    pub fn own_fault(description: impl Into<String>) -> Self {
        Self { own_fault: true, ..Self::fault(description) }
    }

    /// True if the target responded successfully and fast, so that it may use the general slots.
    pub fn is_quick(&self) -> bool {
        self.fault.is_none() && self.took <= SLOW_AFTER
    }

    /// True if the target responded with 410 Gone.
    pub fn is_gone(&self) -> bool {
        self.answer == Some(StatusCode::GONE.as_u16())
    }
}

pub struct Sender {
    policy: AddressPolicy,
    names: Names,
    timeout: Duration,
    /// Created at the first delivery that needs it, so that a system without root certificates can still run the
    /// service.
    encrypted: OnceLock<Client>,
    clear: OnceLock<Client>,
}

impl Sender {
    pub fn new(policy: AddressPolicy, names: Names, timeout: Duration) -> Self {
        Self { policy, names, timeout, encrypted: OnceLock::new(), clear: OnceLock::new() }
    }

    pub fn policy(&self) -> &AddressPolicy {
        &self.policy
    }

    /// Makes one attempt.
    pub async fn send(&self, target: &Target, message: Message, now: Time) -> Outcome {
        let headers = [
            ("content-type", "application/json".to_owned()),
            ("webhook-id", message.id),
            ("webhook-timestamp", message.timestamp_s.to_string()),
            ("webhook-signature", message.signatures),
        ];
        self.post(target, headers, message.body.into_bytes(), now).await
    }

    /// Makes one attempt with headers other than a webhook's.
    #[expect(clippy::disallowed_methods, reason = "it measures a duration, and nothing stored depends on it")]
    pub async fn post<const N: usize>(
        &self,
        target: &Target,
        headers: [(&'static str, String); N],
        body: Vec<u8>,
        now: Time,
    ) -> Outcome {
        if let Some(why) = target.refused(&self.policy) {
            return Outcome::fault(format!("the url {why}"));
        }
        let client = match self.client(target.is_plain_http()) {
            Ok(client) => client,
            Err(error) => {
                let cause = innermost(&error);
                tracing::error!(cause, "nothing can be sent: does this system have root certificates?");
                return Outcome::own_fault(
                    "this server can't open encrypted connections; its operator has to see to it",
                );
            }
        };
        let request = client.post(target.url().clone()).body(body);
        let request = headers.into_iter().fold(request, |request, (name, value)| request.header(name, value));
        let began = Instant::now();
        let sent = request.send().await;
        let took = began.elapsed();
        match sent {
            Ok(response) => {
                let asked = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
                Outcome {
                    answer: Some(response.status().as_u16()),
                    fault: fault_of_status(response.status()),
                    retry_after_s: asked.and_then(|value| schedule::retry_after(value, now)),
                    own_fault: false,
                    took,
                }
            }
            Err(error) => Outcome::fault(self.description(&error)),
        }
    }

    fn client(&self, clear: bool) -> Result<Client, reqwest::Error> {
        let slot = if clear { &self.clear } else { &self.encrypted };
        if let Some(client) = slot.get() {
            return Ok(client.clone());
        }
        // The library has no default provider. Choosing one a second time is a harmless error.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let resolver = Resolver { policy: self.policy.clone(), names: self.names.clone(), clear };
        let client = base(resolver, self.timeout);
        // Unencrypted connections need no root certificates, and work without them.
        let client = if clear { client.tls_certs_only([]) } else { client.https_only(true) };
        let client = client.build()?;
        Ok(slot.get_or_init(|| client).clone())
    }

    /// Describes a failure without details of this server's network. A name that doesn't resolve and one that resolves
    /// to a forbidden address get the same text, which would otherwise reveal internal names.
    fn description(&self, error: &reqwest::Error) -> String {
        let description = if error.is_timeout() {
            format!("no answer within {} s", self.timeout.as_secs().max(1))
        } else if find_cause(error, |_: &NoAddress| true).is_some() {
            NoAddress.to_string()
        } else if let Some(tls) = find_cause(error, |_: &rustls::Error| true) {
            format!("TLS: {tls}")
        } else if let Some(io) = find_cause(error, |io: &std::io::Error| io.kind() != std::io::ErrorKind::Other) {
            format!("{}: {}", if error.is_connect() { "no connection" } else { "the connection broke" }, io.kind())
        } else if error.is_connect() {
            "no connection".to_owned()
        } else {
            "the connection broke, or the answer was not HTTP".to_owned()
        };
        description.chars().filter(|c| !c.is_control()).take(MAX_DESCRIPTION).collect()
    }
}

fn base(resolver: Resolver, timeout: Duration) -> ClientBuilder {
    Client::builder()
        .user_agent(concat!("broadside/", env!("CARGO_PKG_VERSION"), " (webhooks)"))
        .redirect(Policy::none())
        .no_proxy()
        // HTTP/2 is enabled for the archive's library; receivers of webhooks keep HTTP/1.
        .http1_only()
        .referer(false)
        .timeout(timeout)
        .pool_idle_timeout(IDLE_TIMEOUT)
        .pool_max_idle_per_host(2)
        .dns_resolver(resolver)
}

/// The fault of a response with this status; `None` for success.
fn fault_of_status(status: StatusCode) -> Option<String> {
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

/// The first error of type `E` that `fits`, in the chain of causes of `error`.
fn find_cause<'a, E: StdError + 'static>(
    error: &'a (dyn StdError + 'static),
    fits: impl Fn(&E) -> bool,
) -> Option<&'a E> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref().filter(|found| fits(found)) {
            return Some(found);
        }
        // `source` of an IO error skips its inner error.
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

/// A resolver that returns only addresses allowed by the policy.
struct Resolver {
    policy: AddressPolicy,
    names: Names,
    clear: bool,
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let (policy, names, clear) = (self.policy.clone(), self.names.clone(), self.clear);
        Box::pin(async move {
            let found = names.lookup(name.as_str()).await.into_iter();
            let good: Vec<SocketAddr> = found
                .filter(|address| policy.allows(*address, clear))
                .map(|address| SocketAddr::new(address, 0))
                .collect();
            if good.is_empty() {
                return Err(Box::new(NoAddress) as Box<dyn StdError + Send + Sync>);
            }
            Ok(Box::new(good.into_iter()) as Addrs)
        })
    }
}

/// The name has no allowed address.
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
        Sender::new(AddressPolicy::default(), Names::Fixed(Arc::new(names)), Duration::from_secs(5))
    }

    async fn fault(sender: &Sender, url: &str) -> String {
        let message = Message { id: String::new(), timestamp_s: 0, signatures: String::new(), body: String::new() };
        let outcome = sender.send(&url.parse().unwrap(), message, Time(0)).await;
        assert_eq!((outcome.answer, outcome.retry_after_s), (None, None));
        outcome.fault.unwrap()
    }

    #[tokio::test]
    async fn a_name_that_leads_inside_is_like_one_that_leads_nowhere() {
        let inside = "127.0.0.1 10.0.0.1 169.254.169.254 192.168.1.1 172.20.0.1 100.64.0.1 0.0.0.0 224.0.0.1 255.255.255.255 ::1 fe80::1 \
             fd00::1 ::ffff:127.0.0.1 ::127.0.0.1 64:ff9b::a00:1 2002:7f00:1:: 2001::1 ff02::1 ::";
        for address in inside.split(' ') {
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
            policy: AddressPolicy::default(),
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
            assert_eq!(fault_of_status(StatusCode::from_u16(status).unwrap()).is_none(), good, "{status}");
        }
    }
}
