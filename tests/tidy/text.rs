//! Rules for text: prose in comments and pages, words, links, migrations.

use std::collections::BTreeSet;
use std::path::Path;

use crate::rules::{Breach, breach};
use crate::source::File;

/// Maximum width of prose, in columns.
pub const COLUMNS: usize = 120;

/// Words no longer used in code or prose, and their replacements. The table grows with each renaming.
pub const WORDS: &[(&[&str], &str)] = &[
    (&["he", "him", "his", "himself"], "\"they\", or the role: \"the player\", \"the caller\""),
    (&["passing_on"], "families/family.rs"),
    (&["farewell", "farewells"], "account deletion, account_purges"),
    (&["shun", "shunned"], "block, mute"),
    (&["deed", "deeds"], "audit log"),
    (&["redress"], "correction"),
    (&["lonely_since"], "a name that says what is missing, and since when"),
    (&["AtTheDoor", "InPerson"], "Anonymous, SessionOnly"),
    (&["Payer"], "RateLimitKey"),
    (&["Wishes"], "SeatPreferences"),
    (&["Bared"], "Revealed"),
    (
        &["least_reliability_percent", "fewest_players", "most_players", "warn_at_share"],
        "min_, max_, remind_at_percent",
    ),
    (&["TokenRefused", "NotForYou"], "a problem that names the cause"),
    (&["Tongue"], "Locale"),
    (&["Sitter"], "Participant, FinishedGame"),
    (&["Heard"], "Notification"),
];

fn is(file: &File, endings: &[&str]) -> bool {
    endings.iter().any(|ending| file.path.ends_with(ending))
}

/// The words of a line, with the signs that may be part of a name.
fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

pub fn old_words(file: &File) -> Vec<Breach> {
    // This table itself, and prose that isn't English.
    if !is(file, &[".rs", ".md", ".py", ".sql"])
        || file.path.starts_with("tests/tidy")
        || file.path == "CHANGELOG.md"
        || is(file, &[".fr.md"])
    {
        return Vec::new();
    }
    let mut breaches = Vec::new();
    for (line, text) in file.text.lines().enumerate() {
        for word in words(text) {
            let lower = word.to_lowercase();
            let row = WORDS.iter().find(|(old, _)| old.contains(&word) || old[0] == "he" && old.contains(&&*lower));
            if let Some((_, new)) = row {
                breaches.push(breach(&file.path, line + 1, format!("`{word}`: {new}")));
            }
        }
    }
    breaches
}

/// The prose lines that are too long but breakable: not code, tables, drawings or single long words.
pub fn narrow_prose(file: &File) -> Vec<Breach> {
    let marks: &[&str] = match file.path.rsplit(['.', '/']).next().unwrap_or_default() {
        "md" => &[""],
        "rs" => &["//"],
        "js" | "mjs" | "css" => &["//", "/*", "*"],
        "sql" => &["--"],
        "toml" | "yml" | "yaml" | "py" | "sh" | "Dockerfile" | "run" | "play" => &["#"],
        _ => return Vec::new(),
    };
    let mut fenced = false;
    let mut breaches = Vec::new();
    for (line, text) in file.text.lines().enumerate() {
        let Some(prose) = marks.iter().find_map(|mark| text.trim_start().strip_prefix(mark)) else {
            fenced = false;
            continue;
        };
        let prose = prose.trim_start_matches(['/', '!', '*']).trim();
        fenced ^= prose.starts_with("```");
        let broken = fenced || prose.starts_with(['|', '#', '<', '@']) || !prose.contains(' ');
        let columns = text.chars().count();
        if columns > COLUMNS && !broken {
            breaches.push(breach(&file.path, line + 1, format!("{columns} columns")));
        }
    }
    breaches
}

/// The pages of `web/` name no variant in a string.
pub fn pages_know_no_game(file: &File, ids: &BTreeSet<String>) -> Vec<Breach> {
    if !file.path.starts_with("web/") {
        return Vec::new();
    }
    let quoted =
        |text: &str, id: &String| ["'", "\"", "`"].iter().any(|mark| text.contains(&format!("{mark}{id}{mark}")));
    let lines = file.text.lines().enumerate();
    let naming = lines.filter_map(|(line, text)| Some((line, ids.iter().find(|id| quoted(text, id))?)));
    naming.map(|(line, id)| breach(&file.path, line + 1, format!("names the variant {id}"))).collect()
}

pub fn nothing_unfinished(file: &File) -> Vec<Breach> {
    // Concatenated, so that this file keeps its own rule.
    const MARKS: [&str; 3] = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X")];
    if is(file, &["common_passwords.txt", ".lock", "-lock.json"]) {
        return Vec::new();
    }
    let lines = file.text.lines().enumerate();
    let marked = lines.filter_map(|(line, text)| Some((line, words(text).find(|word| MARKS.contains(word))?)));
    marked.map(|(line, word)| breach(&file.path, line + 1, format!("`{word}`"))).collect()
}

pub fn no_machine_of_ours(file: &File) -> Vec<Breach> {
    const PLACES: [&str; 4] =
        [concat!("/ho", "me/"), concat!("/ro", "ot/"), concat!("/Us", "ers/"), concat!("/wo", "rk/")];
    let lines = file.text.lines().enumerate();
    let found = lines.filter_map(|(line, text)| Some((line, PLACES.iter().find(|place| text.contains(**place))?)));
    found.map(|(line, place)| breach(&file.path, line + 1, format!("`{place}`"))).collect()
}

pub fn migrations_go_both_ways(tree: &[File]) -> Vec<Breach> {
    let says = |text: &str| text.lines().any(|line| !line.trim().is_empty() && !line.trim().starts_with("--"));
    let has_statements = |path: &str| tree.iter().any(|file| file.path == path && says(&file.text));
    let inside = tree.iter().filter_map(|file| file.path.strip_prefix("migrations/")?.split_once('/'));
    let folders: BTreeSet<&str> = inside.map(|(folder, _)| folder).collect();
    let ways = folders.iter().flat_map(|folder| ["up.sql", "down.sql"].map(|way| format!("migrations/{folder}/{way}")));
    ways.filter(|path| !has_statements(path)).map(|path| breach(&path, 1, "missing or empty")).collect()
}

/// The number of a migration is the part of its folder's name before the first `_`.
pub fn migrations_have_numbers_of_their_own(tree: &[File]) -> Vec<Breach> {
    let inside = tree.iter().filter_map(|file| file.path.strip_prefix("migrations/")?.split_once('/'));
    let folders: BTreeSet<&str> = inside.map(|(folder, _)| folder).collect();
    let number = |folder: &str| folder.split('_').next().unwrap_or_default().replace('-', "");
    let pairs = folders.iter().zip(folders.iter().skip(1)).filter(|(one, next)| number(one) == number(next));
    pairs.map(|(one, next)| breach(&format!("migrations/{next}"), 1, format!("has the number of {one}"))).collect()
}

pub fn links_lead_somewhere(file: &File, exists: impl Fn(&Path) -> bool) -> Vec<Breach> {
    if !is(file, &[".md"]) {
        return Vec::new();
    }
    let folder = Path::new(&file.path).parent().unwrap_or(Path::new(""));
    let mut fenced = false;
    let mut breaches = Vec::new();
    for (line, text) in file.text.lines().enumerate() {
        fenced ^= text.trim_start().starts_with("```");
        for (at, _) in text.match_indices("](").filter(|_| !fenced) {
            let target = text[at + 2..].split([')', ' ']).next().unwrap_or_default();
            let local = target.split('#').next().unwrap_or_default();
            // A leading slash means a page of the service.
            let outside =
                local.is_empty() || local.contains("://") || local.starts_with("mailto:") || local.starts_with('/');
            if !outside && !exists(&folder.join(local)) {
                breaches.push(breach(&file.path, line + 1, format!("`{target}`")));
            }
        }
    }
    breaches
}
