//! Texts for passkeys on the pages, in English and in French.

use broadside_rules::card::Language;

#[derive(Clone, Copy)]
pub enum Text {
    Use,
    /// The browser has no passkey, or the user canceled.
    NoneGiven,
    /// The passkey is not valid.
    Refused,
}

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
