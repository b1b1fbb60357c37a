//! The client address of requests through proxies, for charging the right budget.
//!
//! Forwarding headers are trusted only from the operator's proxies, and read from right to left: each proxy appends the
//! address that it sees. The first address that isn't a trusted proxy is the client's; anything to the left of it may
//! be forged. The PROXY protocol isn't read: the HTTP server has no place for it, and every proxy that speaks it writes
//! one of these headers as well.

use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::address_block::AddressBlock;
use crate::string_enums::string_enums;

string_enums! {
    /// The header in which the proxies say where a request comes from. There is one, not both: a proxy adds to the one
    /// that it knows and hands on the other as the client wrote it.
    #[derive(Default)]
    pub enum ForwardedHeader {
        /// `X-Forwarded-For: 198.51.100.7, 10.0.0.2`.
        #[default]
        XForwardedFor,
        /// `Forwarded: for=198.51.100.7, for="[2001:db8::1]:4711"` (RFC 7239).
        Forwarded,
    }
}

#[derive(Default, Debug)]
pub struct Proxies {
    trusted: Vec<AddressBlock>,
    header: ForwardedHeader,
    /// True once a header from an untrusted peer was noticed.
    noticed: AtomicBool,
}

impl Proxies {
    /// The trusted proxies, and the header that they write.
    pub fn new(trusted: Vec<AddressBlock>, header: ForwardedHeader) -> Self {
        Self { trusted, header, noticed: AtomicBool::new(false) }
    }

    /// The name of the header that they write.
    pub fn header(&self) -> &'static str {
        self.header.into_str()
    }

    /// The client address of a request from `peer`; `lines` are the values of the [header](Self::header), in order.
    pub fn client(&self, peer: IpAddr, lines: &[&[u8]]) -> IpAddr {
        let mut client = peer.to_canonical();
        if !self.trusts(client) {
            if !lines.is_empty() && !self.noticed.swap(true, Ordering::Relaxed) {
                tracing::warn!(
                    header = self.header(),
                    "a request names the address that it comes from, but was sent by one that is no trusted proxy, so it is \
                     charged to the sender; if that is your proxy, name it in --trusted-proxies"
                );
            }
            return client;
        }
        for line in lines.iter().rev() {
            // Unreadable text ends the chain: the last address seen by a trusted proxy is charged.
            let Ok(text) = std::str::from_utf8(line) else { return client };
            for before in self.addresses(text).into_iter().rev() {
                let Some(before) = before else { return client };
                client = before;
                if !self.trusts(client) {
                    return client;
                }
            }
        }
        client
    }

    fn trusts(&self, address: IpAddr) -> bool {
        self.trusted.iter().any(|block| block.contains(address))
    }

    /// The addresses in a line; `None` for other text (`unknown`, an obfuscated name).
    fn addresses(&self, line: &str) -> Vec<Option<IpAddr>> {
        match self.header {
            ForwardedHeader::XForwardedFor => line.split(',').map(|part| address(part.trim())).collect(),
            ForwardedHeader::Forwarded => {
                rfc7239::parse(line).map(|node| node.ok()?.forwarded_for?.ip().map(IpAddr::to_canonical)).collect()
            }
        }
    }
}

/// An address, with or without a port: some proxies write one.
fn address(text: &str) -> Option<IpAddr> {
    let with_port = || text.parse::<SocketAddr>().map(|address| address.ip());
    text.parse::<IpAddr>().or_else(|_| with_port()).ok().map(|address| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The charged address for a request of this peer with these header lines. The proxies are 10.0.0.0/8 and fd00::/8.
    fn charged(header: ForwardedHeader, peer: &str, lines: &[&str]) -> String {
        let trusted = ["10.0.0.0/8", "fd00::/8"].map(|block| block.parse().unwrap()).to_vec();
        let lines: Vec<&[u8]> = lines.iter().map(|line| line.as_bytes()).collect();
        Proxies::new(trusted, header).client(peer.parse().unwrap(), &lines).to_string()
    }

    #[test]
    fn proxies_are_believed_from_right_to_left() {
        for (peer, lines, client) in [
            ("10.0.0.1", &["198.51.100.7"] as &[&str], "198.51.100.7"),
            ("10.0.0.1", &["9.9.9.9, 198.51.100.7"], "198.51.100.7"),
            ("10.0.0.1", &["9.9.9.9", "198.51.100.7, 10.2.3.4"], "198.51.100.7"),
            ("10.0.0.1", &["198.51.100.7:4711"], "198.51.100.7"),
            ("fd00::1", &["[2001:db8::1]:4711"], "2001:db8::1"),
            ("::ffff:10.0.0.1", &["::ffff:198.51.100.7"], "198.51.100.7"),
            // All of them are trusted: the farthest one is charged.
            ("10.0.0.1", &["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
            ("10.0.0.1", &[], "10.0.0.1"),
            // Other peers' headers are ignored.
            ("203.0.113.5", &["198.51.100.7"], "203.0.113.5"),
            ("203.0.113.5", &["198.51.100.7, 10.0.0.1"], "203.0.113.5"),
            // Text that isn't an address ends the chain.
            ("10.0.0.1", &["9.9.9.9, nobody, 10.0.0.2"], "10.0.0.2"),
            ("10.0.0.1", &["9.9.9.9, \u{e9}"], "10.0.0.1"),
            ("10.0.0.1", &["9.9.9.9,"], "10.0.0.1"),
        ] {
            assert_eq!(charged(ForwardedHeader::XForwardedFor, peer, lines), client, "{peer} {lines:?}");
        }
    }

    #[test]
    fn the_standard_header_is_read_as_well() {
        for (lines, client) in [
            (&["for=198.51.100.7;proto=https;by=10.0.0.1"] as &[&str], "198.51.100.7"),
            (&["for=9.9.9.9, For=\"198.51.100.7:4711\""], "198.51.100.7"),
            (&["for=\"[2001:db8::1]:4711\", for=10.0.0.2"], "2001:db8::1"),
            (&["for=9.9.9.9, for=unknown"], "10.0.0.1"),
            (&["for=9.9.9.9, for=_hidden"], "10.0.0.1"),
            (&["for=\"9.9.9.9, for=8.8.8.8\", for=198.51.100.7"], "198.51.100.7"),
            (&["for=9.9.9.9, proto=https"], "10.0.0.1"),
        ] {
            assert_eq!(charged(ForwardedHeader::Forwarded, "10.0.0.1", lines), client, "{lines:?}");
        }
    }
}
