//! Texts of the pages for registration and for signing out, in English and in French.

use broadside_rules::card::Language;

#[derive(Clone, Copy)]
pub enum Text {
    /// The page's title, its button, and links to it.
    Create,
    /// Precedes the name of the app that asks.
    CreateFor,
    NameHelp,
    /// The name is malformed.
    NameForm,
    NameReserved,
    /// The name is or was another player's.
    NameTaken,
    PasswordHelp,
    /// The password is too short or too long.
    PasswordLength,
    /// The password is easy to guess.
    PasswordWeak,
    Email,
    EmailHelp,
    /// The address is malformed.
    EmailForm,
    /// The link to the sign-in page.
    HaveOne,
    SignedOut,
}

pub fn text(language: Language, text: Text) -> &'static str {
    let (english, french) = match text {
        Text::Create => ("Create an account", "Créer un compte"),
        Text::CreateFor => (
            "An app will then ask to act for you. It won't see your password:",
            "Une application demandera ensuite à agir en votre nom. Elle ne verra pas votre mot de passe :",
        ),
        Text::NameHelp => (
            "Others see it. 3 to 24 letters without accents, digits, - and _, the first a letter.",
            "Visible par tous. 3 à 24 lettres sans accents, chiffres, - et _ ; d'abord une lettre.",
        ),
        Text::NameForm => (
            "A name has 3 to 24 letters without accents, digits, - and _, and begins with a letter.",
            "Un nom a 3 à 24 lettres sans accents, chiffres, - et _, et commence par une lettre.",
        ),
        Text::NameReserved => ("This name is reserved. Choose another.", "Ce nom est réservé. Choisissez-en un autre."),
        Text::NameTaken => (
            "This name, or one that looks like it, is or was somebody else's. Choose another.",
            "Ce nom, ou un nom qui lui ressemble, est ou était à quelqu'un d'autre. Choisissez-en un autre.",
        ),
        Text::PasswordHelp => (
            "At least eight characters. A few words are easy to remember.",
            "Au moins huit caractères. Quelques mots sont faciles à retenir.",
        ),
        Text::PasswordLength => ("A password has 8 to 128 characters.", "Un mot de passe a 8 à 128 caractères."),
        Text::PasswordWeak => (
            "This is too easy to guess: use several words, or rarer ones, and not your name.",
            "C'est trop facile à deviner : prenez plusieurs mots, ou de plus rares, et pas votre nom.",
        ),
        Text::Email => ("E-mail address (not required)", "Adresse électronique (facultative)"),
        Text::EmailHelp => (
            "Nobody sees it. A lost password is recovered by it, once it is confirmed.",
            "Personne ne la voit. Elle permet de remplacer un mot de passe perdu, une fois confirmée.",
        ),
        Text::EmailForm => ("This is no e-mail address.", "Ce n'est pas une adresse électronique."),
        Text::HaveOne => ("You have an account? Sign in", "Vous avez un compte ? Se connecter"),
        Text::SignedOut => ("You are signed out.", "Vous êtes déconnecté."),
    };
    match language {
        Language::English => english,
        Language::French => french,
    }
}
