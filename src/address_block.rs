//! Blocks of addresses, as operators write them: which webhooks may be sent to, and which proxies are trusted.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use ipnet::IpNet;

/// A block of addresses in CIDR notation, such as `192.168.7.0/24` or `fd00::/8`; a single address stands for itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AddressBlock(IpNet);

impl AddressBlock {
    pub(crate) const fn v4(a: u8, b: u8, c: u8, bits: u8) -> Self {
        Self(IpNet::new_assert(IpAddr::V4(Ipv4Addr::new(a, b, c, 0)), bits))
    }

    pub(crate) const fn v6(a: u16, b: u16, bits: u8) -> Self {
        Self(IpNet::new_assert(IpAddr::V6(Ipv6Addr::new(a, b, 0, 0, 0, 0, 0, 0)), bits))
    }

    /// Whether the address lies in it. An IPv4 address never lies in a block of IPv6, nor the other way round.
    pub fn contains(&self, address: IpAddr) -> bool {
        self.0.contains(&address)
    }
}

impl FromStr for AddressBlock {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let block = text.parse::<IpNet>().or_else(|_| text.parse::<IpAddr>().map(IpNet::from));
        block.map(Self).map_err(|_| format!("`{text}` is not a block of addresses, such as 192.168.7.0/24 or fd00::/8"))
    }
}
