//! Texts of the pages for a lost password, in English and in French.

use broadside_rules::card::Language;

#[derive(Clone, Copy)]
pub enum Text {
    /// The title of the first page, and the link to it.
    Forgot,
    /// The purpose of the page.
    ForgotWhat,
    /// The label of the name or the address.
    Login,
    SendLink,
    /// The text is neither a name nor an address.
    NoLogin,
    NoMail,
    /// The title of the answer to every request.
    Sent,
    /// The answer to every request.
    SentWhat,
    /// Precedes the name of the account.
    ChooseFor,
    /// The consequences of a new password.
    ChooseWhat,
    NewPassword,
    Choose,
    /// The password is too short, too long, or too easy to guess.
    WeakPassword,
    Chosen,
    ChosenWhat,
    /// The link to the sign-in page.
    SignIn,
    BadLink,
    BadLinkWhy,
    /// The link to the first page.
    AskAgain,
}

pub fn text(language: Language, text: Text) -> &'static str {
    let (english, french) = match text {
        Text::Forgot => ("Forgot your password?", "Mot de passe oublié ?"),
        Text::ForgotWhat => (
            "A link to choose another one is sent to the address that you have confirmed for your account.",
            "Un lien pour en choisir un autre est envoyé à l'adresse que vous avez confirmée pour votre compte.",
        ),
        Text::Login => ("Name or e-mail address", "Nom ou adresse électronique"),
        Text::SendLink => ("Send the link", "Envoyer le lien"),
        Text::NoLogin => ("This is neither a name nor an address.", "Ce n'est ni un nom ni une adresse."),
        Text::NoMail => (
            "This server sends no mail. Ask its operator for a link.",
            "Ce serveur n'envoie pas de courrier. Demandez un lien à son opérateur.",
        ),
        Text::Sent => ("Look at your mail", "Regardez votre courrier"),
        Text::SentWhat => (
            "If there is such an account and its address is confirmed, a link is on its way. It is good for half an \
             hour. If none comes within a few minutes, ask the operator of this server.",
            "Si un tel compte existe et que son adresse est confirmée, un lien est en route. Il est valable une \
             demi-heure. Si rien n'arrive en quelques minutes, demandez à l'opérateur de ce serveur.",
        ),
        Text::ChooseFor => ("For the account", "Pour le compte"),
        Text::ChooseWhat => (
            "You are signed out everywhere, apps and personal tokens included.",
            "Vous serez déconnecté partout, applications et jetons personnels compris.",
        ),
        Text::NewPassword => ("New password", "Nouveau mot de passe"),
        Text::Choose => ("Change the password", "Changer le mot de passe"),
        Text::WeakPassword => (
            "It needs 8 to 128 characters, and must not be easy to guess: use several words, and not your name.",
            "Il lui faut 8 à 128 caractères, et il ne doit pas se deviner : prenez plusieurs mots, et pas votre nom.",
        ),
        Text::Chosen => ("The password is changed", "Le mot de passe est changé"),
        Text::ChosenWhat => ("Sign in with the new one.", "Connectez-vous avec le nouveau."),
        Text::SignIn => ("Sign in", "Se connecter"),
        Text::BadLink => ("No such link", "Ce lien n'existe pas"),
        Text::BadLinkWhy => (
            "The link was used, is too old, or was replaced by a newer one.",
            "Le lien a servi, est trop ancien, ou un autre l'a remplacé.",
        ),
        Text::AskAgain => ("Ask for another link", "Demander un autre lien"),
    };
    match language {
        Language::English => english,
        Language::French => french,
    }
}
