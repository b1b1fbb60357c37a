//! The rules about files of any kind: migrations, pages, and words that may stand nowhere.
//!
//! Words that are banned everywhere are put together here, so that this file may stand under its own rules.

use std::collections::BTreeSet;
use std::path::Path;

use crate::rules::Breach;
use crate::source::{File, names};

pub fn unfinished(file: &File) -> Vec<Breach> {
    const WORDS: [&str; 3] = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X")];
    if file.path.ends_with("common_passwords.txt") || file.path.ends_with(".lock") || file.path.ends_with("-lock.json")
    {
        return Vec::new();
    }
    let lines = file.text.lines().enumerate();
    let found = lines.filter_map(|(line, text)| WORDS.iter().find(|word| names(text, word)).map(|word| (line, word)));
    found
        .map(|(line, word)| Breach { place: file.path.clone(), line: line + 1, what: format!("`{word}`"), size: 0 })
        .collect()
}

pub fn migrations_go_both_ways(tree: &[File]) -> Vec<Breach> {
    let statements = |path: String| {
        let file = tree.iter().find(|file| file.path == path);
        file.is_some_and(|file| file.text.lines().any(|line| !line.trim().is_empty() && !line.trim().starts_with("--")))
    };
    let folders: BTreeSet<&str> = tree
        .iter()
        .filter_map(|file| file.path.strip_prefix("migrations/")?.split_once('/'))
        .map(|(folder, _)| folder)
        .collect();
    let ways = folders.iter().flat_map(|folder| ["up.sql", "down.sql"].map(|way| format!("migrations/{folder}/{way}")));
    let missing = ways.filter(|path| !statements(path.clone()));
    missing.map(|place| Breach { place, line: 0, what: "missing or empty".to_owned(), size: 0 }).collect()
}

pub fn links_lead_somewhere(file: &File, exists: impl Fn(&Path) -> bool) -> Vec<Breach> {
    if !file.path.ends_with(".md") {
        return Vec::new();
    }
    let folder = Path::new(&file.path).parent().unwrap_or(Path::new(""));
    let mut fenced = false;
    let mut breaches = Vec::new();
    for (line, text) in file.text.lines().enumerate() {
        fenced ^= text.trim_start().starts_with("```");
        if fenced {
            continue;
        }
        for (at, _) in text.match_indices("](") {
            let target = text[at + 2..].split([')', ' ']).next().unwrap_or_default();
            let local = target.split('#').next().unwrap_or_default();
            let outside = local.is_empty() || local.contains("://") || local.starts_with("mailto:");
            if !outside && !exists(&folder.join(local)) {
                breaches.push(Breach {
                    place: file.path.clone(),
                    line: line + 1,
                    what: format!("`{target}`"),
                    size: 0,
                });
            }
        }
    }
    breaches
}

pub fn no_machine_of_ours(file: &File) -> Vec<Breach> {
    const PLACES: [&str; 4] =
        [concat!("/ho", "me/"), concat!("/ro", "ot/"), concat!("/Us", "ers/"), concat!("/wo", "rk/")];
    let lines = file.text.lines().enumerate();
    let found =
        lines.filter_map(|(line, text)| PLACES.iter().find(|place| text.contains(**place)).map(|place| (line, place)));
    found
        .map(|(line, place)| Breach { place: file.path.clone(), line: line + 1, what: format!("`{place}`"), size: 0 })
        .collect()
}
