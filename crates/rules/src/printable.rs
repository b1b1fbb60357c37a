//! Which characters a text may have that others read.
//!
//! Refused are those that hide something (invisible ones), that change what stands around them (direction, stacks of
//! marks), and those that are no characters. Some invisible ones are part of a script or an emoji. They are allowed
//! where they do something: the joiners in the contexts of Unicode Standard Annex 31 (2.3.1), in Bengali before a
//! virama, and in emoji sequences (Unicode Technical Standard 51); marks and isolates of direction in a text with
//! letters that run from right to left, each isolate closed on its line.
//!
//! The answer follows the version of Unicode that this program has. Nothing that is stored is asked again.

use alloc::vec::Vec;
use core::fmt;

use icu_properties::props::{
    BidiClass, BinaryProperty, CanonicalCombiningClass, DefaultIgnorableCodePoint, Emoji, EmojiModifier,
    EnumeratedProperty, ExtendedPictographic, GeneralCategory, IndicSyllabicCategory, JoiningType,
};
use icu_properties::{CodePointMapData, CodePointSetData};

/// The most nonspacing marks on one letter (Unicode Technical Standard 39, 5.4).
const MOST_MARKS: usize = 4;

const ZWNJ: char = '\u{200c}';
const ZWJ: char = '\u{200d}';
const PDI: char = '\u{2069}';
const BLACK_FLAG: char = '\u{1f3f4}';
const END_OF_TAGS: char = '\u{e007f}';

const CONTROL: &str = "it is a control character";
const INVISIBLE: &str = "it is invisible here";
const TURNS: &str = "it turns the direction of text";

/// A character that is not allowed in a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unprintable {
    /// The character.
    pub character: char,
    /// The position in the text, in characters from 1.
    pub position: usize,
    /// The reason, such as `it is a control character`.
    pub why: &'static str,
}

impl fmt::Display for Unprintable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { character, position, why } = *self;
        write!(f, "must not have U+{:04X} as character {position}: {why}", u32::from(character))
    }
}

/// The first character that is not allowed in the text. Control characters are allowed only if `controls` lists them.
#[must_use]
pub fn unprintable(text: &str, controls: &[char]) -> Option<Unprintable> {
    let characters: Vec<char> = text.chars().collect();
    let runs_left = |c: &char| matches!(of(*c), BidiClass::RightToLeft | BidiClass::ArabicLetter) && !is_ignorable(*c);
    let right_to_left = characters.iter().any(runs_left);
    let refused = |at: usize, why| Some(Unprintable { character: characters[at], position: at + 1, why });
    let mut marks = 0;
    // Open isolates of this line.
    let mut open = Vec::new();
    for (at, &c) in characters.iter().enumerate() {
        let place = Place { characters: &characters, at, right_to_left };
        if let Some(why) = place.fault(controls) {
            return refused(at, why);
        }
        marks = match of(c) {
            GeneralCategory::NonspacingMark | GeneralCategory::EnclosingMark if !is_ignorable(c) => marks + 1,
            GeneralCategory::SpacingMark => marks,
            _ if is_ignorable(c) => marks,
            _ => 0,
        };
        if marks > MOST_MARKS {
            return refused(at, "a letter has 4 marks at most");
        }
        match c {
            '\u{2066}'..='\u{2068}' => open.push(at),
            PDI if open.pop().is_none() => return refused(at, "nothing on the line opens it"),
            '\n' if !open.is_empty() => break,
            _ => {}
        }
    }
    open.first().and_then(|at| refused(*at, "nothing on the line closes it"))
}

/// Is the text empty, blank or invisible?
#[must_use]
pub fn is_blank(text: &str) -> bool {
    text.chars().all(|c| is_space(c) || is_ignorable(c))
}

/// Is the character as blank as a space? Unicode counts the last three as symbols.
#[must_use]
pub fn is_space(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{2800}' | '\u{1d159}' | '\u{fffc}')
}

/// Is the character invisible by itself (`Default_Ignorable_Code_Point`)?
#[must_use]
pub fn is_ignorable(c: char) -> bool {
    has::<DefaultIgnorableCodePoint>(c)
}

fn has<P: BinaryProperty>(c: char) -> bool {
    CodePointSetData::new::<P>().contains(c)
}

fn of<P: EnumeratedProperty>(c: char) -> P {
    CodePointMapData::<P>::new().get(c)
}

fn is_letter(c: &char) -> bool {
    matches!(
        of(*c),
        GeneralCategory::LowercaseLetter
            | GeneralCategory::UppercaseLetter
            | GeneralCategory::TitlecaseLetter
            | GeneralCategory::ModifierLetter
            | GeneralCategory::OtherLetter
    )
}

fn is_mark(c: &char) -> bool {
    matches!(of(*c), GeneralCategory::NonspacingMark | GeneralCategory::SpacingMark | GeneralCategory::EnclosingMark)
}

fn is_virama(c: &char) -> bool {
    of::<CanonicalCombiningClass>(*c) == CanonicalCombiningClass::Virama
}

/// A mark that may stand between a virama and a joiner.
fn is_reordered(c: &char) -> bool {
    is_mark(c) && !is_virama(c) && of::<CanonicalCombiningClass>(*c) != CanonicalCombiningClass::NotReordered
}

fn is_tag(c: &char) -> bool {
    matches!(c, '\u{e0020}'..=END_OF_TAGS)
}

/// A character and its context.
#[derive(Clone, Copy)]
struct Place<'a> {
    characters: &'a [char],
    at: usize,
    /// Does the text have right-to-left letters?
    right_to_left: bool,
}

impl Place<'_> {
    fn before(&self) -> impl Iterator<Item = &char> {
        self.characters[..self.at].iter().rev()
    }

    fn after(&self) -> impl Iterator<Item = &char> {
        self.characters[self.at + 1..].iter()
    }

    /// The reason why the character can't stand here, apart from the marks on a letter and the isolates of a line.
    fn fault(&self, controls: &[char]) -> Option<&'static str> {
        let c = self.characters[self.at];
        let allowed_if = |allowed: bool, why| if allowed { None } else { Some(why) };
        match c {
            '\n' => allowed_if(controls.contains(&c), "it is a line break, and this is one line"),
            c if c.is_control() => allowed_if(controls.contains(&c), CONTROL),
            '\u{2028}' | '\u{2029}' => Some("it is a separator that programs read differently"),
            '\u{202a}'..='\u{202e}' => Some(TURNS),
            '\u{2066}'..=PDI if !self.right_to_left => Some(TURNS),
            '\u{200e}' | '\u{200f}' | '\u{61c}' | '\u{2066}'..=PDI => {
                allowed_if(self.right_to_left && self.follows_what_shows(), INVISIBLE)
            }
            ZWNJ => allowed_if(self.parts_letters() || self.is_behind_virama(), INVISIBLE),
            ZWJ => allowed_if(self.joins_emoji() || self.forms_conjunct(), INVISIBLE),
            '\u{fe0e}' | '\u{fe0f}' => allowed_if(self.before().next().is_some_and(|c| has::<Emoji>(*c)), INVISIBLE),
            c if is_tag(&c) => allowed_if(self.is_in_flag(), INVISIBLE),
            '\u{fff9}'..='\u{fffb}' => Some(INVISIBLE),
            c if is_ignorable(c) => Some(INVISIBLE),
            c => match of(c) {
                GeneralCategory::PrivateUse => Some("it is for private use"),
                // Emoji are recognized first.
                GeneralCategory::Unassigned => {
                    allowed_if(has::<ExtendedPictographic>(c), "Unicode has no such character")
                }
                _ if is_mark(&c) => {
                    allowed_if(self.before().next().is_some_and(|c| *c != '\n'), "a mark needs a letter before it")
                }
                _ => None,
            },
        }
    }

    /// Is the character before it, if any, visible, a part of an emoji or the end of an isolate?
    fn follows_what_shows(&self) -> bool {
        let part = |c: char| matches!(c, '\u{fe0e}' | '\u{fe0f}' | PDI | END_OF_TAGS);
        self.before().next().is_none_or(|c| !is_ignorable(*c) || part(*c))
    }

    /// Annex 31, A1; also behind letters that don't join, where Persian writes it as well.
    fn parts_letters(&self) -> bool {
        let shown = |c: &&char| of::<JoiningType>(**c) != JoiningType::Transparent;
        let joins = |c: &char| {
            let joining: JoiningType = of(*c);
            matches!(joining, JoiningType::DualJoining | JoiningType::LeftJoining | JoiningType::RightJoining)
        };
        self.before().find(shown).is_some_and(joins) && self.after().find(shown).is_some_and(joins)
    }

    /// Annex 31, A2.
    fn is_behind_virama(&self) -> bool {
        self.has_conjunct_before() && self.after().find(|c| !is_reordered(c)).is_some_and(is_letter)
    }

    /// Annex 31, B; and between a letter and a virama, as Bengali has it.
    fn forms_conjunct(&self) -> bool {
        let next = self.after().next();
        let vowel = next.is_some_and(|c| of::<IndicSyllabicCategory>(*c) == IndicSyllabicCategory::VowelDependent);
        let before_virama = self.before().next().is_some_and(is_letter) && next.is_some_and(is_virama);
        before_virama || self.has_conjunct_before() && !vowel
    }

    /// A letter with its marks, the last of them a virama.
    fn has_conjunct_before(&self) -> bool {
        let mut before = self.before().skip_while(|c| is_reordered(c));
        before.next().is_some_and(is_virama) && before.find(|c| !is_mark(c)).is_some_and(is_letter)
    }

    /// Between two pictures, the first with its variation or colour of skin.
    fn joins_emoji(&self) -> bool {
        let picture = |c: &char| has::<ExtendedPictographic>(*c);
        let mut before = self.before().skip_while(|c| **c == '\u{fe0f}' || has::<EmojiModifier>(**c));
        before.next().is_some_and(picture) && self.after().next().is_some_and(picture)
    }

    /// In the flag of a part of a country: a black flag, its code of 3 to 6 letters and digits, and the end.
    fn is_in_flag(&self) -> bool {
        let from = self.characters[..self.at].iter().rposition(|c| !is_tag(c));
        let Some(from) = from.filter(|from| self.characters[*from] == BLACK_FLAG) else { return false };
        let mut rest = self.characters[from + 1..].iter();
        let code = rest.by_ref().take_while(|c| matches!(c, '\u{e0030}'..='\u{e0039}' | '\u{e0061}'..='\u{e007a}'));
        let ends = from + 1 + code.count();
        (3..=6).contains(&(ends - from - 1)) && self.characters.get(ends) == Some(&END_OF_TAGS) && self.at <= ends
    }
}
