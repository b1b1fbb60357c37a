//! Details in French. A detail is made in English, with its figures and names. This module holds the sentences with a
//! hole for each of these, so that translators find them in one place, and no other module depends on languages.
//!
//! The sentences are in `french/*.txt`: one in English, its French translation below it, `{1}` to `{9}` for the holes.
//! The text in a hole is translated as well if it is a sentence listed there. A detail without a translation stays
//! English; `tests/api/problems.rs` finds those that occur in any test.

use std::sync::LazyLock;

/// Sentences of the games, of records, and of the service.
const SENTENCES: [&str; 3] =
    [include_str!("french/games.txt"), include_str!("french/records.txt"), include_str!("french/service.txt")];

struct Sentence {
    /// The text around the holes of the English sentence, in order.
    pieces: Vec<&'static str>,
    french: &'static str,
}

impl Sentence {
    fn of(english: &'static str, french: &'static str) -> Self {
        let mut pieces = Vec::new();
        let mut rest = english;
        while let Some((before, after)) = rest.split_once(&hole(pieces.len() + 1)) {
            pieces.push(before);
            rest = after;
        }
        pieces.push(rest);
        Self { pieces, french }
    }

    /// The number of fixed bytes; of two matching sentences, the one with more is meant.
    fn fixed(&self) -> usize {
        self.pieces.iter().map(|piece| piece.len()).sum()
    }

    /// The texts in the holes, if the detail matches this sentence.
    fn fillings<'a>(&self, detail: &'a str) -> Option<Vec<&'a str>> {
        let (last, before) = self.pieces.split_last()?;
        let Some((first, between)) = before.split_first() else {
            return (detail == *last).then(Vec::new);
        };
        let mut rest = detail.strip_prefix(first)?;
        let mut fillings = Vec::with_capacity(before.len());
        for piece in between {
            let (filling, after) = rest.split_once(piece)?;
            fillings.push(filling);
            rest = after;
        }
        fillings.push(rest.strip_suffix(last)?);
        fillings.iter().all(|filling| !filling.is_empty()).then_some(fillings)
    }
}

fn hole(number: usize) -> String {
    format!("{{{number}}}")
}

/// The pairs of lines of a file, without comments.
fn pairs(text: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let mut lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with("# "));
    std::iter::from_fn(move || lines.next().zip(lines.next()))
}

static KNOWN: LazyLock<Vec<Sentence>> = LazyLock::new(|| {
    let all = SENTENCES.into_iter().flat_map(pairs);
    let mut known: Vec<_> = all.map(|(english, french)| Sentence::of(english, french)).collect();
    known.sort_by_key(|sentence| std::cmp::Reverse(sentence.fixed()));
    known
});

/// The detail in French, if its sentence is known.
pub fn in_french(detail: &str) -> Option<String> {
    let (sentence, fillings) = KNOWN.iter().find_map(|known| Some((known, known.fillings(detail)?)))?;
    let mut said = String::new();
    let mut rest = sentence.french;
    while let Some((before, after)) = rest.split_once('{') {
        said.push_str(before);
        let number = after.chars().next().and_then(|digit| digit.to_digit(10));
        let filling = number.and_then(|number| fillings.get((number as usize).checked_sub(1)?)).copied().unwrap_or("");
        // The text in a hole is shorter than the detail, so the recursion ends.
        said.push_str(in_french(filling).as_deref().unwrap_or(filling));
        rest = after.get(2..).unwrap_or("");
    }
    said.push_str(rest);
    Some(said)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_and_figures_keep_their_place() {
        let french = |detail| in_french(detail).unwrap();
        assert_eq!(french("must not be blank"), "ne doit pas être vide");
        assert_eq!(french("must be 1 to 26"), "doit être de 1 à 26");
        assert_eq!(french("must be 60 to 90 seconds"), "doit être de 60 à 90 secondes");
        assert_eq!(
            french("must be one of classic, depths; near to what is given: depths"),
            "doit être l'un de classic, depths ; proche de ce qui est donné : depths"
        );
        assert_eq!(french("`A5` is not a mine of yours."), "`A5` n'est pas une de vos mines.");
        assert_eq!(french("`carrier` touches `cruiser`."), "`carrier` touche `cruiser`.");
    }

    /// Names are chosen by players.
    #[test]
    fn what_fills_a_hole_can_be_anything() {
        assert_eq!(in_french("there is no player named {2}").unwrap(), "aucun joueur ne s'appelle {2}");
        assert_eq!(in_french("there is no player named "), None);
        assert_eq!(in_french("must be one"), None);
        assert_eq!(in_french(""), None);
    }

    #[test]
    fn every_sentence_has_the_same_holes_in_both_languages_and_stands_there_once() {
        let mut seen = BTreeSet::new();
        for (english, french) in SENTENCES.into_iter().flat_map(pairs) {
            let holes = |text: &str| (1..=9).filter(|number| text.contains(&hole(*number))).collect::<Vec<_>>();
            assert_eq!(holes(english), holes(french), "{english}");
            assert_eq!(holes(english), (1..=holes(english).len()).collect::<Vec<_>>(), "{english}");
            assert!(seen.insert(english), "twice: {english}");
            assert_eq!(in_french(english).as_deref(), Some(french), "another sentence takes it: {english}");
        }
        assert!(seen.len() > 300, "{}", seen.len());
    }
}
