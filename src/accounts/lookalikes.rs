//! Lookalike names: a comparable form of a name's appearance (a *skeleton*, Unicode Technical Standard 39, section 4),
//! and names that imitate the service or its staff.
//!
//! Names ignore case, so the skeleton is that of the upper-case form, in lower case, mapped once more: `1`, `l`, `I`
//! and `i` are one letter, `0` and `o` another, and `rn` is `m`. `-` and `_` are left out. Other resemblances (`anna2`
//! and Anna) are not detected.

use std::sync::LazyLock;

use reqwest::Url;
use sha2::{Digest, Sha256};
use unicode_security::confusable_detection::skeleton as confusable;

use super::names::Username;

/// The SHA-256 of a name's skeleton, which is stored and compared, even after the account is deleted.
pub type SkeletonHash = [u8; 32];

/// The comparable form of a name's appearance.
pub fn skeleton(name: &str) -> String {
    let bare: String = name.chars().filter(|c| !matches!(c, '-' | '_')).collect();
    let upper: String = confusable(&bare.to_uppercase()).collect();
    confusable(&upper.to_lowercase()).collect::<String>().replace("vv", "w")
}

pub fn skeleton_hash(name: &Username) -> SkeletonHash {
    Sha256::digest(skeleton(name.as_str())).into()
}

/// The skeleton of the letters and digits of any text.
pub fn bare_skeleton(text: &str) -> String {
    skeleton(&text.chars().filter(char::is_ascii_alphanumeric).collect::<String>())
}

/// The hash of [`bare_skeleton`]; for a username, equal to [`skeleton_hash`].
pub fn bare_skeleton_hash(text: &str) -> SkeletonHash {
    Sha256::digest(bare_skeleton(text)).into()
}

/// True if a name imitates the service or its staff, or denotes no particular person (such as `anonymous`).
pub fn is_reserved(name: &Username) -> bool {
    passes_for_others(name.as_str())
}

/// [`is_reserved`] for the name or `client_id` of an app, which also must not claim to be registered or verified: only
/// the service says that.
pub fn is_reserved_for_apps(name: &str) -> bool {
    let whole = bare_skeleton(name);
    let joined: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    passes_for_others(&joined) || WORDS.of_apps.iter().any(|word| whole.contains(word))
}

/// True if the name of an app contains the host of the service.
pub fn names_host_of(name: &str, public_url: &str) -> bool {
    let url = Url::parse(public_url).ok();
    let host = url.as_ref().and_then(Url::domain).map(bare_skeleton).unwrap_or_default();
    host.len() > 3 && bare_skeleton(name).contains(&host)
}

fn passes_for_others(name: &str) -> bool {
    let whole = skeleton(name);
    WORDS.alone.contains(&whole)
        || WORDS.in_parts.contains(&whole)
        || whole.starts_with(&WORDS.deleted)
        || WORDS.anywhere.iter().any(|word| whole.contains(word))
        || parts(name).iter().any(|part| WORDS.in_parts.contains(part))
}

/// The parts of a name, as skeletons: split at `-`, `_` and before capitals, with and without digits at the ends.
fn parts(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut was_lower = false;
    for c in name.chars() {
        if matches!(c, '-' | '_') || (was_lower && c.is_ascii_uppercase()) {
            parts.push(String::new());
        }
        was_lower = c.is_ascii_lowercase();
        if let Some(part) = parts.last_mut() {
            part.push(c);
        }
    }
    let bare = parts.iter().map(|part| part.trim_matches(|c: char| c.is_ascii_digit() || matches!(c, '-' | '_')));
    bare.chain(parts.iter().map(String::as_str)).map(skeleton).collect()
}

struct ReservedWords {
    alone: Vec<String>,
    in_parts: Vec<String>,
    anywhere: Vec<String>,
    of_apps: Vec<String>,
    deleted: String,
}

static WORDS: LazyLock<ReservedWords> = LazyLock::new(|| {
    let all = |words: &[&str]| words.iter().map(|word| skeleton(word)).collect::<Vec<_>>();
    let plural = |words: &[&str]| words.iter().map(|word| skeleton(&format!("{word}s"))).collect::<Vec<_>>();
    ReservedWords {
        alone: all(&ALONE),
        in_parts: [all(&STAFF), plural(&STAFF)].concat(),
        anywhere: all(&ANYWHERE),
        of_apps: all(&OF_APPS),
        deleted: skeleton("deleted"),
    }
});

/// Refused as a whole name. (Names that begin with `deleted` are refused too, because deleted accounts have them.)
const ALONE: [&str; 28] = [
    "account",
    "accounts",
    "anonymous",
    "anybody",
    "api",
    "arbiter",
    "bot",
    "everybody",
    "everyone",
    "guest",
    "help",
    "info",
    "nobody",
    "null",
    "owner",
    "player",
    "referee",
    "root",
    "self",
    "server",
    "service",
    "spectator",
    "team",
    "umpire",
    "undefined",
    "unknown",
    "user",
    "you",
];

/// Refused also as a part of a name, alone or in the plural: `moderator-1`, `AnnaAdmin`.
const STAFF: [&str; 18] = [
    "admin",
    "assistance",
    "helpdesk",
    "mod",
    "noreply",
    "official",
    "officiel",
    "operateur",
    "operator",
    "organisateur",
    "organizer",
    "postmaster",
    "securite",
    "security",
    "staff",
    "support",
    "sysop",
    "system",
];

/// Refused anywhere in a name: no other word contains them.
const ANYWHERE: [&str; 7] =
    ["administrateur", "administrator", "broadside", "moderateur", "moderator", "sysadmin", "webmaster"];

/// Refused anywhere in the name of an app.
const OF_APPS: [&str; 4] = ["approved", "certified", "registered", "verified"];

#[cfg(test)]
mod tests {
    use super::*;

    fn reserved(name: &str) -> bool {
        is_reserved(&name.parse().unwrap())
    }

    #[test]
    fn names_that_look_alike_have_one_skeleton() {
        for (one, other) in [
            ("Victim", "vICTIM"),
            ("Victim", "V1ct1m"),
            ("Victim", "Vlctlm"),
            ("Victim", "Victirn"),
            ("Victim-x", "Victim_x"),
            ("Victim-x", "Victimx"),
            ("Victim", "Victim_"),
            ("Victor0", "VictorO"),
            ("Willow", "WilIow"),
            ("Willow", "vviIIovv"),
        ] {
            assert_eq!(skeleton(one), skeleton(other), "{one} and {other}");
        }
        for (one, other) in
            [("Victim", "Victim2"), ("anna", "anne"), ("p1-11", "p1-12"), ("otto", "etto"), ("b8", "bb")]
        {
            assert_ne!(skeleton(one), skeleton(other), "{one} and {other}");
        }
    }

    #[test]
    fn numbers_do_not_look_alike() {
        let names: std::collections::HashSet<String> = (0..2000).map(|n| skeleton(&format!("player{n}"))).collect();
        assert_eq!(names.len(), 2000);
    }

    #[test]
    fn nobody_passes_for_the_staff() {
        for bad in [
            "admin",
            "Admin",
            "ad-min",
            "A_d-m_i-n",
            "adm1n",
            "aDMlN",
            "adrnin",
            "Admin2",
            "admin_x",
            "the-admins",
            "AnnaAdmin",
            "moderator-1",
            "rnoderator",
            "M0DERAT0R",
            "xModeratorx",
            "mod-anna",
            "sysadmin7",
            "Br0adside",
            "broadside_team",
            "official-news",
            "deleted-0123abcd",
            "DeletedUser",
            "De1eted",
            "y0u",
            "support_7",
        ] {
            assert!(reserved(bad), "{bad}");
            assert!(bad.parse::<super::super::NewUsername>().is_err(), "{bad}");
        }
        for good in [
            "administer",
            "Badminton",
            "model",
            "Modesty",
            "anna",
            "supporter",
            "systematic",
            "player7",
            "team-anna",
            "nomad",
        ] {
            assert!(!reserved(good), "{good}");
        }
        assert!(ALONE.is_sorted() && STAFF.is_sorted() && ANYWHERE.is_sorted(), "keep the lists in order");
    }

    #[test]
    fn no_app_passes_for_the_service() {
        for bad in [
            "Broadside",
            "Br0adside Mobile",
            "Broad side",
            "Chart Official",
            "The Support App",
            "Bot",
            "Verified Chart",
            "Broadside-Support",
            "broadside.support",
            "admin",
            "adm1n",
            "https://support.app.example",
            "Assistance",
            "Les Moderateurs",
        ] {
            assert!(is_reserved_for_apps(bad), "{bad}");
        }
        for good in ["Harbour Chart", "Supporter", "Anna's Bot", "Team Chart 2.0", "Modelling", "https://app.example/"]
        {
            assert!(!is_reserved_for_apps(good), "{good}");
        }
        assert_eq!(bare_skeleton("Harbour Chart"), bare_skeleton("harb0ur-chart."));
        assert_eq!(bare_skeleton_hash("Grand-Admiral"), skeleton_hash(&"Grand-Admiral".parse().unwrap()));
    }
}
