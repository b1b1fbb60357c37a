//! The origin of the current request, as roughly as its caller may be told later: the family of the client, and the
//! shortened address. It is set when a caller is about to sign in or to manage an account, and read where that is
//! recorded ([`crate::accounts::security_log`]).
//!
//! An address is shortened to a /24 (IPv4) or a /48 (IPv6): a provider's range for a street or a house. That is enough
//! to distinguish "at home" from "in another country", and too little to find a person.

mod client;

use std::cell::RefCell;
use std::future::Future;
use std::net::IpAddr;

use ipnet::{Ipv4Net, Ipv6Net};

pub use client::Client;

tokio::task_local! {
    static ORIGIN: RefCell<RequestOrigin>;
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RequestOrigin {
    pub client: Client,
    /// The shortened address, such as `203.0.113.0/24`, if known.
    pub network: Option<String>,
}

impl RequestOrigin {
    pub fn of(user_agent: &str, address: IpAddr) -> Self {
        Self { client: Client::of(user_agent), network: shortened(address) }
    }
}

/// The block of an address; `None` for the unspecified address.
fn shortened(address: IpAddr) -> Option<String> {
    let network = match address.to_canonical() {
        address if address.is_unspecified() => return None,
        IpAddr::V4(v4) => Ipv4Net::new(v4, 24).ok()?.trunc().to_string(),
        IpAddr::V6(v6) => Ipv6Net::new(v6, 48).ok()?.trunc().to_string(),
    };
    Some(network)
}

/// Runs a request; [`note`] sets its origin.
pub async fn of_request<F: Future>(request: F) -> F::Output {
    ORIGIN.scope(RefCell::default(), request).await
}

/// Sets the origin of the current request.
pub fn note(origin: RequestOrigin) {
    let _ = ORIGIN.try_with(|noted| noted.replace(origin));
}

/// The origin of the current request; empty for work without a request.
pub fn current() -> RequestOrigin {
    ORIGIN.try_with(|noted| noted.borrow().clone()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shortened() {
        for (address, network) in [
            ("203.0.113.77", Some("203.0.113.0/24")),
            ("::ffff:203.0.113.77", Some("203.0.113.0/24")),
            ("2001:db8:1:2:3:4:5:6", Some("2001:db8:1::/48")),
            ("::1", Some("::/48")),
            ("0.0.0.0", None),
            ("::", None),
        ] {
            assert_eq!(shortened(address.parse().unwrap()).as_deref(), network, "{address}");
        }
    }

    #[test]
    fn each_request_has_its_own_origin() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let noted = RequestOrigin::of("curl/8.5.0", IpAddr::from([192, 0, 2, 1]));
        runtime.block_on(async {
            note(noted.clone());
            assert_eq!(current(), RequestOrigin::default(), "no request is under way");
            let inside = of_request(async {
                note(noted.clone());
                current()
            });
            assert_eq!(inside.await, noted);
            assert_eq!(of_request(async { current() }).await, RequestOrigin::default());
        });
    }
}
