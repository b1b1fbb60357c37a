//! The addresses allowed for webhooks: public ones, and those allowed by the operator. Checked after name resolution,
//! because a name doesn't show its address.
//!
//! Everything not known to be the public internet is refused (IANA's special-purpose registries, RFC 6890 and later),
//! and so is every form of IPv6 address with an embedded IPv4 address, because a translator would bypass the list.

use std::net::IpAddr;
use std::sync::Arc;

use crate::address_block::AddressBlock;

/// IPv4 addresses outside the public internet.
const NOT_PUBLIC_V4: [AddressBlock; 17] = [
    AddressBlock::v4(0, 0, 0, 8),       // this network, and unspecified
    AddressBlock::v4(10, 0, 0, 8),      // private
    AddressBlock::v4(100, 64, 0, 10),   // carrier-grade NAT
    AddressBlock::v4(127, 0, 0, 8),     // loopback
    AddressBlock::v4(169, 254, 0, 16),  // link-local, the metadata services of clouds among it
    AddressBlock::v4(172, 16, 0, 12),   // private
    AddressBlock::v4(192, 0, 0, 24),    // protocol assignments
    AddressBlock::v4(192, 0, 2, 24),    // documentation
    AddressBlock::v4(192, 31, 196, 24), // AS112
    AddressBlock::v4(192, 52, 193, 24), // AMT
    AddressBlock::v4(192, 88, 99, 24),  // relays of 6to4
    AddressBlock::v4(192, 168, 0, 16),  // private
    AddressBlock::v4(198, 18, 0, 15),   // benchmarking
    AddressBlock::v4(198, 51, 100, 24), // documentation
    AddressBlock::v4(203, 0, 113, 24),  // documentation
    AddressBlock::v4(224, 0, 0, 4),     // multicast
    AddressBlock::v4(240, 0, 0, 4),     // reserved, and broadcast
];

/// The only public part of IPv6,
const GLOBAL_UNICAST: AddressBlock = AddressBlock::v6(0x2000, 0, 3);

/// except for these. Loopback, unspecified, mapped and compatible IPv4, NAT64, unique-local, link-local and multicast
/// lie outside of it.
const NOT_PUBLIC_V6: [AddressBlock; 5] = [
    AddressBlock::v6(0x2001, 0, 23),     // protocol assignments: Teredo, benchmarking, ORCHID
    AddressBlock::v6(0x2001, 0xdb8, 32), // documentation
    AddressBlock::v6(0x2002, 0, 16),     // 6to4, which holds an IPv4 address
    AddressBlock::v6(0x2620, 0x4f, 32),  // AS112
    AddressBlock::v6(0x3fff, 0, 20),     // documentation
];

/// True for addresses of the public internet.
pub fn is_public(address: IpAddr) -> bool {
    let within = |nets: &[AddressBlock]| nets.iter().any(|net| net.contains(address));
    if address.is_ipv4() {
        !within(&NOT_PUBLIC_V4)
    } else {
        GLOBAL_UNICAST.contains(address) && !within(&NOT_PUBLIC_V6)
    }
}

#[derive(Clone, Default)]
pub struct AddressPolicy {
    allowed: Arc<[AddressBlock]>,
}

impl AddressPolicy {
    pub fn with(allowed: &[AddressBlock]) -> Self {
        Self { allowed: allowed.into() }
    }

    /// True if this address may be sent to. Unencrypted (`http`), only addresses allowed by the operator.
    pub fn allows(&self, address: IpAddr, in_the_clear: bool) -> bool {
        self.allowed.iter().any(|net| net.contains(address)) || (!in_the_clear && is_public(address))
    }

    /// True if the operator has allowed anything beyond the public internet, so that `http` is possible at all.
    pub fn has_exceptions(&self) -> bool {
        !self.allowed.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn every_class_of_address_that_is_not_public_is_refused() {
        for text in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "10.255.255.255",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.255.254",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.8",
            "192.0.2.1",
            "192.31.196.1",
            "192.52.193.1",
            "192.88.99.1",
            "192.168.0.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.7",
            "203.0.113.9",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::7f00:1",
            "::ffff:127.0.0.1",
            "::ffff:8.8.8.8",
            "::8.8.8.8",
            "64:ff9b::7f00:1",
            "64:ff9b::808:808",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:0:4136:e378:8000:63bf:3fff:fdd2",
            "2001:2::1",
            "2001:10::1",
            "2001:db8::1",
            "2002:7f00:1::1",
            "2002:808:808::1",
            "2620:4f:8000::1",
            "3fff::1",
            "3fff:fff::1",
            "4000::1",
            "5f00::1",
            "fc00::1",
            "fd12:3456::1",
            "fe80::1",
            "febf::1",
            "fec0::1",
            "ff02::1",
            "ffff::1",
        ] {
            assert!(!is_public(address(text)), "{text}");
        }
    }

    #[test]
    fn what_lies_beside_them_is_public() {
        for text in [
            "1.1.1.1",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.1",
            "169.253.255.255",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.0",
            "192.167.255.255",
            "192.169.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "2000::1",
            "2001:200::1",
            "2001:4860:4860::8888",
            "2003::1",
            "2a01:4f8::1",
            "2620:4e::1",
            "3ffe::1",
        ] {
            assert!(is_public(address(text)), "{text}");
        }
    }

    #[test]
    fn an_operator_allows_blocks_and_the_clear_goes_there_alone() {
        let gate = AddressPolicy::with(&["10.1.0.0/16".parse().unwrap(), "::1".parse().unwrap()]);
        for text in ["10.1.2.3", "::1"] {
            assert!(gate.allows(address(text), true) && gate.allows(address(text), false), "{text}");
        }
        assert!(gate.allows(address("1.1.1.1"), false) && !gate.allows(address("1.1.1.1"), true));
        for text in ["10.2.0.1", "::2", "::ffff:10.1.2.3", "127.0.0.1"] {
            assert!(!gate.allows(address(text), false), "{text}");
        }
        assert!(AddressPolicy::with(&["0.0.0.0/0".parse().unwrap()]).allows(address("127.0.0.1"), true));
        assert!(AddressPolicy::with(&["::/0".parse().unwrap()]).allows(address("::1"), true));
    }

    #[test]
    fn a_wrong_block_is_refused() {
        for text in ["", "10.0.0.0/33", "::/129", "10.0.0.0/", "10.0.0/8", "x", "10.0.0.0/8/8", "10.0.0.0/-1"] {
            assert!(text.parse::<AddressBlock>().unwrap_err().contains("such as"), "{text}");
        }
    }
}
