//! The texts for passkeys on the pages, in English and in French.

use broadside_rules::card::Language;

/// A text.
#[derive(Clone, Copy)]
pub enum Text {
    /// The button.
    Use,
    /// The browser gave none, or the user didn't want to.
    NoneGiven,
    /// It isn't good.
    Refused,
}

/// The text.
pub fn text(language: Language, text: Text) -> &'static str {
    let (english, french) = match text {
        Text::Use => ("Use a passkey", "Utiliser une clé d'accès"),
        Text::NoneGiven => ("No passkey was used.", "Aucune clé d'accès n'a été utilisée."),
        Text::Refused => (
            "This passkey is not good here, or too much time has passed. Try again, or use the password.",
            "Cette clé d'accès n'est pas bonne ici, ou trop de temps a passé. Réessayez, ou prenez le mot de passe.",
        ),
    };
    match language {
        Language::English => english,
        Language::French => french,
    }
}
