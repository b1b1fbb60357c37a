//! CIDR address blocks in the operator's settings, for webhook targets and trusted proxies.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use ipnet::IpNet;

/// A block of addresses in CIDR notation, such as `192.168.7.0/24` or `fd00::/8`, or a single address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AddressBlock(IpNet);

impl AddressBlock {
    pub(crate) const fn v4(a: u8, b: u8, c: u8, bits: u8) -> Self {
        Self(IpNet::new_assert(IpAddr::V4(Ipv4Addr::new(a, b, c, 0)), bits))
    }

    pub(crate) const fn v6(a: u16, b: u16, bits: u8) -> Self {
        Self(IpNet::new_assert(IpAddr::V6(Ipv6Addr::new(a, b, 0, 0, 0, 0, 0, 0)), bits))
    }

    /// True if the address is in the block. IPv4 addresses never match IPv6 blocks, nor the reverse.
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
