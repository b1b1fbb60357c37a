//! Texts that users write, as types: a value of one of these types is safe to store and to print.

use crate::texts::{fits_on_a_page, texts};

texts! {
    /// A chat message: 1 to 500 characters, not all of them blank. Line breaks (`\n`) are allowed; other control
    /// characters, invisible characters, and those that change the direction of text are refused.
    pub struct ChatText: |text| {
        has_length(text, 1, 500)?;
        if text.trim().is_empty() {
            return Err("must not be blank".to_owned());
        }
        fits_on_a_page(text, &['\n'])
    };

    /// The title of a ladder or a tournament: 3 to 80 characters on one line, not all of them blank.
    pub struct Title: |text| {
        if !(3..=80).contains(&text.chars().count()) || text.trim() != text {
            return Err("must have 3 to 80 characters, the first and the last not blank".to_owned());
        }
        fits_on_a_page(text, &[])
    };

    /// The description of a ladder or a tournament: 1 to 2000 characters, not all of them blank. Line breaks (`\n`)
    /// are allowed.
    pub struct Description: |text| {
        if text.chars().count() > 2000 || text.trim().is_empty() {
            return Err("must have 1 to 2000 characters, not all of them blank".to_owned());
        }
        fits_on_a_page(text, &['\n'])
    };

    /// Words to look for: 1 to 100 characters without control characters.
    pub struct SearchText: |text| {
        if (1..=100).contains(&text.chars().count()) && !text.chars().any(char::is_control) {
            return Ok(());
        }
        Err("must have 1 to 100 characters, and no control characters".to_owned())
    };

    /// A private note: up to 10 000 characters, also none. Line breaks (`\n`) and tabs (`\t`) are allowed.
    #[derive(Default)]
    pub struct NoteText: |text| {
        if text.chars().count() > 10_000 {
            return Err("must have 10000 characters at most".to_owned());
        }
        fits_on_a_page(text, &['\n', '\t'])
    };

    /// The text of a mark on a cell: 1 to 16 characters on one line.
    pub struct MarkText: |text| {
        has_length(text, 1, 16)?;
        fits_on_a_page(text, &[])
    };

    /// The colour of a mark: a word of 1 to 16 lower-case letters, or `#` and six hexadecimal digits.
    pub struct Colour: |text| {
        let word = (1..=16).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_lowercase());
        let hexadecimal = |digits: &str| digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        if word || text.strip_prefix('#').is_some_and(hexadecimal) {
            return Ok(());
        }
        Err("must be a word of 1 to 16 lower-case letters, or # and six hexadecimal digits".to_owned())
    };
}

impl Title {
    /// A value from the database, which was checked when it was stored.
    pub fn stored(text: String) -> Self {
        Self(text)
    }
}

impl Description {
    /// A value from the database, which was checked when it was stored.
    pub fn stored(text: String) -> Self {
        Self(text)
    }
}

/// Refuses a text that is shorter or longer, in characters.
pub fn has_length(text: &str, least: usize, most: usize) -> Result<(), String> {
    if (least..=most).contains(&text.chars().count()) {
        return Ok(());
    }
    Err(format!("must have {least} to {most} characters"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remark_is_safe_to_print() {
        for good in ["Well played!", "one\ntwo", "à bientôt 🚢", "⚓\u{fe0f} 한국어", &"x".repeat(500)] {
            assert_eq!(good.parse::<ChatText>().unwrap().as_str(), good);
        }
        for bad in ["", " \n ", "a\u{1b}[2J", "a\tb", "a\r\nb", "left\u{202e}right", "a\u{2028}b", &"x".repeat(501)] {
            assert!(bad.parse::<ChatText>().is_err(), "{bad:?}");
        }
        for unseen in "\u{61c}\u{ad}\u{34f}\u{180e}\u{115f}\u{1160}\u{3164}\u{ffa0}\u{fe00}\u{fe0d}\u{200d}\u{e0041}\u{e0100}\u{e01ef}".chars() {
            assert!(format!("a{unseen}b").parse::<ChatText>().is_err(), "{unseen:?}");
            assert!(unseen.to_string().parse::<MarkText>().is_err(), "{unseen:?}");
        }
    }

    #[test]
    fn titles_and_descriptions_are_safe_to_print() {
        for good in ["Club", "Échelle du mardi ⚓", &"x".repeat(80)] {
            assert_eq!(good.parse::<Title>().unwrap().as_str(), good);
        }
        for bad in ["", "ab", "   ", " Club", "Club ", "one\ntwo", "left\u{202e}right", &"x".repeat(81)] {
            assert!(bad.parse::<Title>().is_err(), "{bad:?}");
        }
        for good in ["x", "one\ntwo", &"é".repeat(2000)] {
            assert_eq!(good.parse::<Description>().unwrap().as_str(), good);
        }
        for bad in ["", " \n ", "a\u{1b}[2J", "a\tb", &"x".repeat(2001)] {
            assert!(bad.parse::<Description>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn notes_and_marks_have_their_bounds() {
        for good in ["", "first\n\tsecond", &"é".repeat(10_000)] {
            assert!(good.parse::<NoteText>().is_ok());
        }
        assert!("é".repeat(10_001).parse::<NoteText>().is_err());
        assert!("a\u{0}".parse::<NoteText>().is_err());
        assert!("?".parse::<MarkText>().is_ok() && "sixteen letters!".parse::<MarkText>().is_ok());
        for bad in ["", "a\nb", "seventeen letters"] {
            assert!(bad.parse::<MarkText>().is_err(), "{bad:?}");
        }
        assert!("amber".parse::<Colour>().is_ok() && "#00ff7F".parse::<Colour>().is_ok());
        for bad in ["", "Amber", "#00ff7", "#00ff7g", "url(x)", "averyveryverylongword"] {
            assert!(bad.parse::<Colour>().is_err(), "{bad:?}");
        }
    }
}
