//! Settings of the proxies in front of the service.

use clap::Args;

use crate::address_block::AddressBlock;
use crate::proxies::{ForwardedHeader, Proxies};

/// Which proxies stand in front of the service.
#[derive(Args, Debug, Clone)]
pub struct TrustedProxies {
    /// The addresses of your proxies, such as 10.0.0.0/8,fd00::/8. What they say of where a request comes from is
    /// believed, and nobody else's word
    #[arg(long = "trusted-proxies", env = "BROADSIDE_TRUSTED_PROXIES", value_name = "CIDR", value_delimiter = ',')]
    pub trusted: Vec<AddressBlock>,
    /// The header in which they say it: x-forwarded-for or forwarded (RFC 7239)
    #[arg(
        long = "forwarded-header",
        env = "BROADSIDE_FORWARDED_HEADER",
        value_name = "HEADER",
        default_value = "x-forwarded-for"
    )]
    pub header: ForwardedHeader,
}

impl TrustedProxies {
    /// As request-reading settings.
    pub fn proxies(&self) -> Proxies {
        Proxies::new(self.trusted.clone(), self.header)
    }
}
