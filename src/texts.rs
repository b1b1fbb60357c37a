//! Types for user texts: a value has passed its type's check. [`line`] and [`lines`] are part of every check of a text
//! visible to others; [`fold`] gives the form in which texts are searched.

use std::fmt::Display;

use broadside_rules::printable::{is_blank, is_ignorable, is_space, unprintable};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::canonical_combining_class;

/// Declares text types, each with its check, which returns the stored text or its fault.
macro_rules! texts {
    ($($(#[$meta:meta])* pub struct $name:ident: $check:expr;)+) => {$(
        #[derive(Clone, PartialEq, Eq, Debug)]
        $(#[$meta])*
        pub struct $name(String);

        impl $name {
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::str::FromStr for $name {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                let check: fn(&str) -> Result<String, String> = $check;
                check(text).map(Self)
            }
        }
    )+};
}
pub(crate) use texts;

/// The numbers from `min` to `max` in words.
pub(crate) fn span<T: PartialEq + Display>(min: T, max: T) -> String {
    if min == max { min.to_string() } else { format!("{min} to {max}") }
}

/// A text of `min` to `max` characters on one line. It may be blank if `min` is 0.
pub(crate) fn line(text: &str, min: usize, max: usize) -> Result<String, String> {
    checked(text, min, max, &[])
}

/// Like [`line`], on any number of lines. A line break is stored as `\n`, even if it comes as `\r\n`.
pub(crate) fn lines(text: &str, min: usize, max: usize) -> Result<String, String> {
    checked(text, min, max, &['\n'])
}

/// Like [`lines`], with tabs.
pub(crate) fn lines_with_tabs(text: &str, min: usize, max: usize) -> Result<String, String> {
    checked(text, min, max, &['\n', '\t'])
}

/// True if a text begins or ends with a blank.
pub(crate) fn has_blank_end(text: &str) -> bool {
    text.starts_with(is_space) || text.ends_with(is_space)
}

fn checked(text: &str, min: usize, max: usize, controls: &[char]) -> Result<String, String> {
    let text = text.replace("\r\n", "\n");
    let fits = (min..=max).contains(&text.chars().count());
    match min {
        0 if !fits => return Err(format!("must have {max} characters at most")),
        0 => {}
        _ if !fits || is_blank(&text) => {
            return Err(format!("must have {} characters, not all of them blank", span(min, max)));
        }
        _ => {}
    }
    match unprintable(&text, controls) {
        None => Ok(text),
        Some(unprintable) => Err(unprintable.to_string()),
    }
}

/// The search form of a text: without case, marks and invisible characters, with one apostrophe. Both stored texts and
/// search terms are folded, so that "echecs" finds "Échecs".
///
/// Marks that distinguish letters are kept: those of Japanese and Indic syllables, and vowels of Thai.
pub fn fold(text: &str) -> String {
    // Both before the decomposition, which turns some into a space and a mark, and after it, which produces some.
    let apostrophe = |c: char| match c {
        '`' | '´' | '‘' | '’' | '‛' | '′' | 'ʹ' | 'ʻ' | 'ʼ' | 'ʽ' => '\'',
        c => c,
    };
    let is_accent = |c: char| matches!(canonical_combining_class(c), 1 | 10..=36 | 200..);
    let plain = text.chars().map(apostrophe).nfkd().map(apostrophe);
    // Through capitals, ß becomes ss, and all small sigmas become one; ẞ becomes ß before.
    let capitals = plain.flat_map(char::to_lowercase).flat_map(char::to_uppercase);
    let small = capitals.flat_map(char::to_lowercase).nfkd();
    let bare = small.filter(|c| !is_accent(*c) && !is_ignorable(*c)).nfc();
    let mut folded = String::with_capacity(text.len());
    for c in bare {
        // Letters that Unicode doesn't decompose.
        match c {
            'œ' => folded.push_str("oe"),
            'æ' => folded.push_str("ae"),
            'ø' => folded.push('o'),
            'ł' => folded.push('l'),
            'đ' => folded.push('d'),
            c => folded.push(c),
        }
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_searched_minds_no_case_and_no_accent() {
        for (written, folded) in [
            ("Échecs NAVALS", "echecs navals"),
            ("e\u{301}", "e"),
            ("МОРСКОЙ Ёж", "морскои еж"),
            ("Straße, STRASSE, STRAẞE", "strasse, strasse, strasse"),
            ("ΟΔΟΣ οδός", "οδοσ οδοσ"),
            ("İstanbul ISTANBUL ısı", "istanbul istanbul isi"),
            ("L’été l‘été lʼété l`été l´été", "l'ete l'ete l'ete l'ete l'ete"),
            ("Łódź Ærø Œuvre Đà Nẵng", "lodz aero oeuvre da nang"),
            ("ﬁn Ｂ７ ①", "fin b7 1"),
            ("کتاب\u{200c}ها", "کتابها"),
            ("שָׁלוֹם", "שלום"),
            ("مُحَمَّد أحمد", "محمد احمد"),
            // Different letters, not accented ones.
            ("がか", "がか"),
            ("कि का", "कि का"),
            ("한국어", "한국어"),
        ] {
            assert_eq!(fold(written), folded, "{written}");
        }
    }

    proptest! {
        #[test]
        fn folding_again_changes_nothing(text in "\\PC{0,20}") {
            let once = fold(&text);
            prop_assert_eq!(fold(&once), once);
        }

        #[test]
        fn case_makes_no_difference(text in "[\\p{Latin}\\p{Greek}\\p{Cyrillic}\\p{Armenian} ']{0,20}") {
            prop_assert_eq!(fold(&text.to_uppercase()), fold(&text));
            prop_assert_eq!(fold(&text.to_lowercase()), fold(&text));
        }
    }
}
