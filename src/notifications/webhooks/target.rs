//! The URL of a webhook. The addresses of its host name are checked at each delivery, by the resolver in
//! [`super::sender`]; a literal IP address never reaches a resolver, so it is checked here, each time.

use std::net::IpAddr;
use std::str::FromStr;

use reqwest::Url;

use super::addresses::AddressPolicy;
use crate::web_url::can_connect;

/// The longest URL, in characters.
pub const MAX_LENGTH: usize = 2000;

/// An `http` or `https` URL in normal form: numbers that stand for addresses (`0x7f.1`, `2130706433`) are written out.
#[derive(Clone, PartialEq, Eq)]
pub struct Target(Url);

impl FromStr for Target {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let fits = text.len() <= MAX_LENGTH && !text.chars().any(|c| c.is_control() || c.is_whitespace());
        let url = Url::parse(text).ok().filter(|url| fits && url.as_str().len() <= MAX_LENGTH);
        let url = url.ok_or_else(|| {
            format!("must be a URL of {MAX_LENGTH} characters at most, such as https://bot.example/hook")
        })?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err("must begin with https://".to_owned());
        }
        if !url.username().is_empty() || url.password().is_some() || text.contains('@') && authority(text).contains('@')
        {
            return Err("must not hold a name or a password: the signature says who sends".to_owned());
        }
        if url.fragment().is_some() {
            return Err("must not have a fragment (#…): it would not be sent".to_owned());
        }
        if !can_connect(&url) {
            return Err("must not have port 0: nothing can be sent there".to_owned());
        }
        match url.host_str() {
            Some(host) if !host.is_empty() => Ok(Self(url)),
            _ => Err("must name a host".to_owned()),
        }
    }
}

/// The part between `//` and the path.
fn authority(text: &str) -> &str {
    let pause = text.split_once("//").map_or(text, |(_, pause)| pause);
    pause.split(['/', '?', '#', '\\']).next().unwrap_or_default()
}

impl Target {
    /// The URL in normal form.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    pub fn url(&self) -> &Url {
        &self.0
    }

    /// The host, without a final dot: the key of limits per host.
    pub fn host(&self) -> &str {
        self.0.host_str().unwrap_or_default().trim_end_matches('.')
    }

    pub fn is_plain_http(&self) -> bool {
        self.0.scheme() == "http"
    }

    /// The literal IP address, if the host is one.
    fn address(&self) -> Option<IpAddr> {
        let host = self.0.host_str()?;
        host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host).parse().ok()
    }

    /// The reason for refusing the URL, as far as it shows without resolution; `None` if it is allowed.
    pub fn refused(&self, policy: &AddressPolicy) -> Option<&'static str> {
        let clear = self.is_plain_http();
        match self.address() {
            Some(address) if !policy.allows(address, false) => Some("is an address that this server doesn't send to"),
            Some(address) if clear && !policy.allows(address, true) => Some("must begin with https://"),
            None if clear && !policy.has_exceptions() => Some("must begin with https://"),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_a_plain_url() {
        let target: Target = "https://Bot.Example:8443/hook?key=1".parse().unwrap();
        assert_eq!((target.as_str(), target.host()), ("https://bot.example:8443/hook?key=1", "bot.example"));
        assert_eq!("https://bot.example./".parse::<Target>().unwrap().host(), "bot.example");
        for text in [
            "",
            "bot.example/hook",
            "ftp://bot.example/",
            "file:///etc/passwd",
            "https://",
            "https://a b/",
            "https://anna@bot.example/",
            "https://anna:secret@bot.example/",
            "https://@bot.example/",
            "https://:@bot.example/",
            "https://bot.example/#x",
            "https://bot.example/\n",
            "javascript:alert(1)",
            "https://[::1/",
            "https://1.2.3.4.5/",
            "https://256.1.1.1/",
            "gopher://x/",
            "https://bot.example:99999/",
            "https://bot.example:0/",
            "http://bot.example:00/",
        ] {
            assert!(text.parse::<Target>().is_err(), "{text}");
        }
        assert!(format!("https://bot.example/{}", "x".repeat(MAX_LENGTH)).parse::<Target>().is_err());
        // An @ after the host doesn't mark a user name.
        assert!("https://bot.example/@anna?to=b@c".parse::<Target>().is_ok());
    }

    #[test]
    fn addresses_are_judged_however_they_are_written() {
        let closed = AddressPolicy::default();
        for text in [
            "https://127.0.0.1/",
            "https://127.0.0.1./",
            "https://127.1/",
            "https://2130706433/",
            "https://0x7f000001/",
            "https://0x7f.1/",
            "https://0177.0.0.1/",
            "https://017700000001/",
            "https://10.0.0.1/",
            "https://169.254.169.254/latest/meta-data/",
            "https://[::1]/",
            "https://[::]/",
            "https://[::ffff:127.0.0.1]/",
            "https://[::ffff:7f00:1]/",
            "https://[::127.0.0.1]/",
            "https://[64:ff9b::127.0.0.1]/",
            "https://[fe80::1]/",
            "https://[fd00::1]/",
            "https://0/",
            "https://0.0.0.0/",
            "https://255.255.255.255/",
            "https://１２７.０.０.１/",
            "https://100.64.0.1/",
            "http://127.0.0.1/",
            "http://[::1]/",
        ] {
            let target: Target = text.parse().unwrap_or_else(|why| panic!("{text}: {why}"));
            assert_eq!(target.refused(&closed), Some("is an address that this server doesn't send to"), "{text}");
        }
        for text in ["https://1.1.1.1/", "https://[2a01:4f8::1]:8443/", "https://localhost/", "https://bot.example./"] {
            assert_eq!(text.parse::<Target>().unwrap().refused(&closed), None, "{text}");
        }
        for text in ["http://1.1.1.1/", "http://bot.example/"] {
            assert_eq!(text.parse::<Target>().unwrap().refused(&closed), Some("must begin with https://"), "{text}");
        }
        let club = AddressPolicy::with(&["192.168.7.0/24".parse().unwrap()]);
        for text in ["http://192.168.7.9:9000/", "https://192.168.7.9/", "http://bot.lan/"] {
            assert_eq!(text.parse::<Target>().unwrap().refused(&club), None, "{text}");
        }
        assert!("http://1.1.1.1/".parse::<Target>().unwrap().refused(&club).is_some());
        assert!("http://192.168.8.9/".parse::<Target>().unwrap().refused(&club).is_some());
    }
}
