//! Texts that users write, as types: a value of one of these types is safe to store and to print.

use crate::texts::{fold, has_blank_end, line, lines, lines_with_tabs, texts};

texts! {
    /// A chat message: 1 to 500 characters, not all of them blank, with line breaks (`\n`).
    pub struct ChatText: |text| lines(text, 1, 500);

    /// The title of a ladder or a tournament: 3 to 80 characters on one line, the first and the last not blank.
    pub struct Title: |text| {
        if !(3..=80).contains(&text.chars().count()) || has_blank_end(text) {
            return Err("must have 3 to 80 characters, the first and the last not blank".to_owned());
        }
        line(text, 3, 80)
    };

    /// The description of a ladder or a tournament: 1 to 2000 characters, not all of them blank, with line breaks
    /// (`\n`).
    pub struct Description: |text| lines(text, 1, 2000);

    /// Words to look for: 1 to 100 characters without control characters, folded as what is searched is.
    pub struct SearchText: |text| {
        if (1..=100).contains(&text.chars().count()) && !text.chars().any(char::is_control) {
            return Ok(fold(text));
        }
        Err("must have 1 to 100 characters, and no control characters".to_owned())
    };

    /// A private note: up to 10 000 characters, also none, with line breaks (`\n`) and tabs (`\t`).
    #[derive(Default)]
    pub struct NoteText: |text| lines_with_tabs(text, 0, 10_000);

    /// The text of a mark on a cell: 1 to 16 characters on one line, not all of them blank.
    pub struct MarkText: |text| line(text, 1, 16);

    /// The colour of a mark: a word of 1 to 16 lower-case letters, or `#` and six hexadecimal digits.
    pub struct Colour: |text| {
        let word = (1..=16).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_lowercase());
        let hexadecimal = |digits: &str| digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        if word || text.strip_prefix('#').is_some_and(hexadecimal) {
            return Ok(text.to_owned());
        }
        Err("must be a word of 1 to 16 lower-case letters, or # and six hexadecimal digits".to_owned())
    };
}

impl Title {
    /// A stored value, which was checked earlier.
    pub fn stored(text: String) -> Self {
        Self(text)
    }
}

impl Description {
    /// A stored value, which was checked earlier.
    pub fn stored(text: String) -> Self {
        Self(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use broadside_rules::printable;
    use proptest::prelude::*;

    #[test]
    fn a_remark_is_safe_to_print() {
        for good in ["Well played!", "one\ntwo", "à bientôt 🚢", "⚓\u{fe0f} 한국어", &"x".repeat(500)] {
            assert_eq!(good.parse::<ChatText>().unwrap().as_str(), good);
        }
        for bad in ["", " \n ", "a\u{1b}[2J", "a\tb", "left\u{202e}right", "a\u{2028}b", &"x".repeat(501)] {
            assert!(bad.parse::<ChatText>().is_err(), "{bad:?}");
        }
        for unseen in "\u{61c}\u{ad}\u{34f}\u{180e}\u{115f}\u{1160}\u{3164}\u{ffa0}\u{fe00}\u{fe0d}\u{200d}\u{e0041}\u{e0100}\u{e01ef}".chars() {
            assert!(format!("a{unseen}b").parse::<ChatText>().is_err(), "{unseen:?}");
            assert!(unseen.to_string().parse::<MarkText>().is_err(), "{unseen:?}");
        }
    }

    #[test]
    fn what_people_write_in_their_languages_is_taken() {
        for text in [
            "Gut gespielt 👩\u{200d}💻, 👨\u{1f3fd}\u{200d}🚀, ❤\u{fe0f}\u{200d}🔥",
            "🏳\u{fe0f}\u{200d}🌈 🏴\u{200d}☠\u{fe0f} 1\u{fe0f}\u{20e3}",
            "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f} Alba",
            // Persian separates its suffixes, Indic scripts form or avoid conjuncts.
            "کتاب\u{200c}ها و نیرو\u{200c}ها",
            "क्\u{200d}ष and क्\u{200c}ष",
            "ශ්\u{200d}රී ලංකා",
            // Directional marks and isolates in right-to-left text.
            "שלום!\u{200f} (B7)\u{200e}",
            "מהלך \u{2066}B7\u{2069} שלי",
            "tiếng Việt: e\u{302}\u{301}",
            "בְּרֵאשִׁית",
        ] {
            assert_eq!(text.parse::<ChatText>().as_ref().map(ChatText::as_str), Ok(text));
        }
        assert_eq!("one\r\ntwo".parse::<ChatText>().unwrap().as_str(), "one\ntwo");
        assert_eq!("a\r\n\tb".parse::<NoteText>().unwrap().as_str(), "a\n\tb");
    }

    #[test]
    fn what_is_refused_is_named_with_its_place() {
        for (text, why) in [
            ("ab\u{1b}", "must not have U+001B as character 3: it is a control character"),
            ("a\rb", "must not have U+000D as character 2: it is a control character"),
            ("éa\u{202e}b", "must not have U+202E as character 3: it turns the direction of text"),
            ("a\u{2066}b\u{2069}", "must not have U+2066 as character 2: it turns the direction of text"),
            ("שלום \u{2067}B7", "must not have U+2067 as character 6: nothing on the line closes it"),
            ("שלום\u{2069}", "must not have U+2069 as character 5: nothing on the line opens it"),
            ("a\u{200b}b", "must not have U+200B as character 2: it is invisible here"),
            ("a\u{200c}b", "must not have U+200C as character 2: it is invisible here"),
            ("a\u{200d}🚢", "must not have U+200D as character 2: it is invisible here"),
            ("x\u{fe0f}", "must not have U+FE0F as character 2: it is invisible here"),
            ("🏴\u{e0067}\u{e0062}", "must not have U+E0067 as character 2: it is invisible here"),
            ("Club\u{200f}", "must not have U+200F as character 5: it is invisible here"),
            ("Club\u{200e}", "must not have U+200E as character 5: it is invisible here"),
            ("שלום\u{200f}\u{200f}", "must not have U+200F as character 6: it is invisible here"),
            ("a\u{e000}", "must not have U+E000 as character 2: it is for private use"),
            ("a\u{fdd0}", "must not have U+FDD0 as character 2: Unicode has no such character"),
            ("a\u{2028}b", "must not have U+2028 as character 2: it is a separator that programs read differently"),
            ("\u{301}a", "must not have U+0301 as character 1: a mark needs a letter before it"),
            ("a\n\u{301}", "must not have U+0301 as character 3: a mark needs a letter before it"),
            (
                "a\u{301}\u{302}\u{303}\u{304}\u{305}",
                "must not have U+0305 as character 6: a letter has 4 marks at most",
            ),
        ] {
            assert_eq!(text.parse::<ChatText>(), Err(why.to_owned()), "{text:?}");
        }
        let why = "must not have U+000A as character 5: it is a line break, and this is one line";
        assert_eq!("Club\nx".parse::<Title>(), Err(why.to_owned()));
        assert!(format!("a{}", "\u{301}".repeat(400)).parse::<ChatText>().is_err());
        for blank in ["\u{2800}", "\u{2800} \u{3000}\n", "\u{1d159}", "\u{fffc}", "\u{a0}\u{2003}"] {
            assert!(blank.parse::<ChatText>().unwrap_err().contains("blank"), "{blank:?}");
            assert!(blank.repeat(3).parse::<Title>().is_err(), "{blank:?}");
            assert!(blank.parse::<MarkText>().is_err(), "{blank:?}");
        }
    }

    proptest! {
        /// No accepted text contains hidden, reordered or stacked characters, in any combination.
        #[test]
        fn what_is_taken_shows_itself(text in "[a-zא-תا-ی \n\u{301}-\u{303}\u{200c}-\u{200f}\u{202a}-\u{202e}\u{2066}-\u{2069}\u{fe0f}\u{e000}\u{2800}🚢👩💻]{0,12}") {
            let Ok(taken) = text.parse::<ChatText>() else { return Ok(()) };
            let characters: Vec<char> = taken.as_str().chars().collect();
            let turning = characters.iter().any(|c| matches!(c, '\u{202a}'..='\u{202e}' | '\u{e000}'));
            prop_assert!(!turning, "{:?}", characters);
            prop_assert!(!printable::is_blank(taken.as_str()));
            // Each invisible character is next to a visible one: none hides behind another.
            let hidden = |c: &char| printable::is_ignorable(*c) && *c != '\u{2069}';
            let pairs = characters.windows(2).filter(|two| two.iter().all(|c| hidden(c) && *c != '\u{fe0f}')).count();
            prop_assert_eq!(pairs, 0, "{:?}", characters);
            // Following text on the page is unaffected: each isolate is closed.
            for line in taken.as_str().lines() {
                let open = line.matches(['\u{2066}', '\u{2067}', '\u{2068}']).count();
                prop_assert_eq!(open, line.matches('\u{2069}').count());
            }
            prop_assert_eq!(taken.as_str().parse::<ChatText>(), Ok(taken.clone()));
        }

        #[test]
        fn no_text_is_too_strange_to_be_judged(text in "\\PC{0,40}") {
            if let Err(why) = text.parse::<ChatText>() {
                prop_assert!(why.starts_with("must "), "{}", why);
            }
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
