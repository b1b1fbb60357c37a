//! Texts of the page for a second factor, in English and in French.

use broadside_rules::card::Language;

#[derive(Clone, Copy)]
pub enum Text {
    SecondFactor,
    Code,
    WrongCode,
}

pub fn text(language: Language, text: Text) -> &'static str {
    let (english, french) = match text {
        Text::SecondFactor => ("Second factor", "Second facteur"),
        Text::Code => (
            "The six digits that your app shows, or a recovery code",
            "Les six chiffres que montre votre application, ou un code de secours",
        ),
        Text::WrongCode => (
            "This code is not good. Each works once: wait for the next one.",
            "Ce code n'est pas bon. Chacun sert une fois : attendez le suivant.",
        ),
    };
    match language {
        Language::English => english,
        Language::French => french,
    }
}
