//! The family of a client, from its `User-Agent`: the browser or program, and the system.
//!
//! It is shown to users in the list of their sessions, so a dozen families are enough, and a client that pretends
//! deceives only its owner. The crates for it are unmaintained (`woothee`) or try a thousand regular expressions on
//! strangers' input (`uaparser`); this is a list of words, in the order in which browsers imitate each other.

/// The longest name of a program.
const LONGEST: usize = 40;

/// The rough kind of a client.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Client {
    /// The family of the browser, or the name of another program, if known.
    pub program: Option<String>,
    /// The family of the system, if known.
    pub system: Option<String>,
}

/// Words of a browser's `User-Agent`, and its family. The first match counts: Edge also calls itself Chrome, and Chrome
/// calls itself Safari.
const BROWSERS: [(&str, &str); 16] = [
    ("Edg/", "Edge"),
    ("EdgA/", "Edge"),
    ("EdgiOS/", "Edge"),
    ("OPR/", "Opera"),
    ("OPT/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Vivaldi/", "Vivaldi"),
    ("YaBrowser/", "Yandex Browser"),
    ("DuckDuckGo/", "DuckDuckGo"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("HeadlessChrome/", "Chrome"),
    ("Chromium/", "Chromium"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
];

/// Words of systems: Android is a Linux, and iOS is like macOS.
const SYSTEMS: [(&str, &str); 11] = [
    ("iPhone", "iOS"),
    ("iPad", "iOS"),
    ("iPod", "iOS"),
    ("Android", "Android"),
    ("CrOS", "ChromeOS"),
    ("Windows", "Windows"),
    ("Macintosh", "macOS"),
    ("Mac OS X", "macOS"),
    ("FreeBSD", "FreeBSD"),
    ("OpenBSD", "OpenBSD"),
    ("Linux", "Linux"),
];

impl Client {
    /// The client with this `User-Agent`.
    pub fn of(user_agent: &str) -> Self {
        let family = |families: &[(&str, &str)]| {
            families.iter().find(|(word, _)| user_agent.contains(word)).map(|(_, family)| (*family).to_owned())
        };
        let is_browser = user_agent.starts_with("Mozilla/");
        let program = if is_browser { family(&BROWSERS) } else { program(user_agent) };
        Self { program, system: family(&SYSTEMS) }
    }

    /// The family of the browser, if listed here. A program's name is chosen by its sender, and must not be in a mail.
    pub fn browser(&self) -> Option<&str> {
        let known = |program: &&str| BROWSERS.iter().any(|(_, family)| family == program);
        self.program.as_deref().filter(known)
    }
}

/// The name of a program other than a browser, without its version: `curl` of `curl/8.5.0`. No dots, so that it can't
/// look like a link.
fn program(user_agent: &str) -> Option<String> {
    let allowed = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let name: String = user_agent.chars().take_while(allowed).take(LONGEST).collect();
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(user_agent: &str) -> (Option<String>, Option<String>) {
        let Client { program, system } = Client::of(user_agent);
        (program, system)
    }

    #[test]
    fn browsers_are_told_apart_from_whom_they_imitate() {
        const GECKO: &str = "(KHTML, like Gecko)";
        let chrome = format!("AppleWebKit/537.36 {GECKO} Chrome/131.0.0.0");
        for (user_agent, program, system) in [
            ("Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0".to_owned(), "Firefox", "Linux"),
            (format!("Mozilla/5.0 (X11; Linux x86_64) {chrome} Safari/537.36"), "Chrome", "Linux"),
            (
                format!("Mozilla/5.0 (Windows NT 10.0; Win64; x64) {chrome} Safari/537.36 Edg/131.0.0.0"),
                "Edge",
                "Windows",
            ),
            (format!("Mozilla/5.0 (Windows NT 10.0; Win64; x64) {chrome} Safari/537.36 OPR/116.0"), "Opera", "Windows"),
            (format!("Mozilla/5.0 (Linux; Android 10; K) {chrome} Mobile Safari/537.36"), "Chrome", "Android"),
            (
                format!("Mozilla/5.0 (Linux; Android 14; SM-S921B) {chrome} SamsungBrowser/27.0 Safari/537.36"),
                "Samsung Internet",
                "Android",
            ),
            (
                format!(
                    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 {GECKO} Version/18.1 Safari/605.1.15"
                ),
                "Safari",
                "macOS",
            ),
            (
                format!(
                    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 {GECKO} CriOS/131.0 Safari/604.1"
                ),
                "Chrome",
                "iOS",
            ),
            (format!("Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) {chrome} Safari/537.36"), "Chrome", "ChromeOS"),
        ] {
            assert_eq!(seen(&user_agent), (Some(program.to_owned()), Some(system.to_owned())), "{user_agent}");
            assert_eq!(Client::of(&user_agent).browser(), Some(program));
        }
    }

    #[test]
    fn other_programs_are_known_by_their_names() {
        for (user_agent, program) in [
            ("curl/8.5.0", Some("curl")),
            ("broadside-bots", Some("broadside-bots")),
            ("evil.example/1.0", Some("evil")),
            ("", None),
            (" ", None),
            ("(compatible)", None),
            ("\u{202e}abc", None),
        ] {
            assert_eq!(seen(user_agent), (program.map(str::to_owned), None), "{user_agent:?}");
        }
        assert_eq!(Client::of(&"x".repeat(500)).program.unwrap().len(), LONGEST);
        assert_eq!(seen("Mozilla/5.0"), (None, None));
        assert_eq!(Client::of("Firefox").browser(), Some("Firefox"), "whoever pretends deceives themselves");
        assert_eq!(Client::of("curl/8.5.0").browser(), None);
    }
}
