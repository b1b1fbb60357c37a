//! Texts of the pages, in English and in French.

use broadside_rules::card::Language;

use crate::accounts::Scope;

#[derive(Clone, Copy)]
pub enum Text {
    /// The title of the sign-in page.
    SignIn,
    /// The reason for signing in.
    SignInFor,
    Name,
    Password,
    WrongPassword,
    /// The title of the page of consent.
    MayIt,
    /// The title of the page of consent for an app on a device.
    MayDevice,
    /// Precedes the code that the device shows.
    CompareCode,
    /// The warning against codes sent by strangers.
    DeviceWarning,
    /// The label of the checkbox that confirms the code.
    Compared,
    /// The checkbox was left empty.
    NotCompared,
    /// The app is not registered.
    Unknown,
    /// Precedes the scopes that the app asks for.
    It,
    /// Precedes the browser's next address.
    GoesTo,
    /// Precedes the name of the signed-in user.
    As,
    Allow,
    Refuse,
    SignOut,
    /// The button for signing in under another name.
    SomebodyElse,
    /// The title of a refusal.
    NotSo,
    /// The account has reached the limit of authorized apps.
    TooManyApps,
    TooMany,
    /// The form doesn't belong to a page of this session.
    ForeignForm,
    Back,
    /// Instructions for revoking an app.
    Revoke,
    DeviceTitle,
    DeviceCode,
    Continue,
    WrongCode,
    /// The title after a decision.
    Done,
    /// Instructions after a decision.
    BackToDevice,
    Apps,
    NoApps,
    /// Precedes the date of an app's authorization.
    Since,
    TakeBack,
}

#[expect(clippy::too_many_lines, reason = "a line for each text")]
pub fn text(language: Language, text: Text) -> &'static str {
    let (english, french) = match text {
        Text::SignIn => ("Sign in", "Se connecter"),
        Text::SignInFor => (
            "to let an app act for you. The app won't see your password:",
            "pour laisser une application agir en votre nom. Elle ne verra pas votre mot de passe :",
        ),
        Text::Name => ("Name", "Nom"),
        Text::Password => ("Password", "Mot de passe"),
        Text::WrongPassword => ("Name and password don't match.", "Le nom et le mot de passe ne vont pas ensemble."),
        Text::MayIt => ("May this app act for you?", "Cette application peut-elle agir en votre nom ?"),
        Text::MayDevice => ("A device asks to act for you", "Un appareil demande à agir en votre nom"),
        Text::CompareCode => (
            "Compare this code with the code on the screen of your device:",
            "Comparez ce code à celui qu'affiche votre appareil :",
        ),
        Text::DeviceWarning => (
            "Refuse if you have no such device in front of you, or if somebody sent you this link or this code. They \
             could see your matches and act in your name.",
            "Refusez si vous n'avez pas cet appareil sous les yeux, ou si l'on vous a envoyé ce lien ou ce code : cette \
             personne pourrait voir vos parties et agir en votre nom.",
        ),
        Text::Compared => {
            ("The device is in front of me and shows this code.", "L'appareil est devant moi et affiche ce code.")
        }
        Text::NotCompared => (
            "You haven't confirmed that your device shows this code. Type the code that you see on your device.",
            "Vous n'avez pas confirmé que votre appareil affiche ce code. Saisissez le code que vous voyez sur votre \
             appareil.",
        ),
        Text::Unknown => (
            "This is what the app calls itself. Nobody has checked it: allow only what you have begun yourself.",
            "C'est ainsi que l'application se nomme. Personne ne l'a vérifié : n'acceptez que ce que vous avez \
             demandé vous-même.",
        ),
        Text::It => ("It wants to:", "Elle souhaite :"),
        Text::GoesTo => ("Your browser then goes to", "Votre navigateur ira ensuite à"),
        Text::As => ("You are signed in as", "Vous êtes connecté sous le nom de"),
        Text::Allow => ("Allow", "Autoriser"),
        Text::Refuse => ("Refuse", "Refuser"),
        Text::SignOut => ("Sign out", "Se déconnecter"),
        Text::SomebodyElse => ("Sign in as somebody else", "Se connecter sous un autre nom"),
        Text::NotSo => ("This can't be done", "Cela n'est pas possible"),
        Text::TooManyApps => (
            "As many apps act for you as may: revoke one first.",
            "Le nombre d'applications autorisées est atteint : révoquez-en une d'abord.",
        ),
        Text::TooMany => ("Too many tries. Wait a few minutes.", "Trop d'essais. Attendez quelques minutes."),
        Text::ForeignForm => (
            "This page is too old, or another site has sent you here. Go back to the app and begin again.",
            "Cette page est trop ancienne, ou un autre site vous a envoyé ici. Revenez à l'application et recommencez.",
        ),
        Text::Back => ("Back to the app", "Revenir à l'application"),
        Text::DeviceTitle => ("Connect a device", "Connecter un appareil"),
        Text::DeviceCode => (
            "The code that your device shows (type none that somebody else gave you)",
            "Le code que montre votre appareil (n'en saisissez aucun que quelqu'un d'autre vous a donné)",
        ),
        Text::Continue => ("Continue", "Continuer"),
        Text::WrongCode => {
            ("No device waits for this code, or not any more.", "Aucun appareil n'attend ce code, ou n'attend plus.")
        }
        Text::Done => ("Done", "C'est fait"),
        Text::BackToDevice => ("Go back to your device.", "Revenez à votre appareil."),
        Text::Apps => ("Apps that act for you", "Applications qui agissent en votre nom"),
        Text::NoApps => ("No app acts for you.", "Aucune application n'agit en votre nom."),
        Text::Since => ("Since", "Depuis le"),
        Text::TakeBack => ("Revoke", "Révoquer"),
        Text::Revoke => (
            "You can take it back at any time: the apps that act for you are listed with your account.",
            "Vous pouvez revenir là-dessus à tout moment : votre compte donne la liste de ces applications.",
        ),
    };
    match language {
        Language::English => english,
        Language::French => french,
    }
}

/// The description of a scope for people.
pub fn scope(language: Language, scope: Scope) -> &'static str {
    let (english, french) = match scope {
        Scope::AccountRead => (
            "read your account, your e-mail address included",
            "lire votre compte, y compris votre adresse électronique",
        ),
        Scope::AccountWrite => (
            "change your account: calendar, mail, whom you mute and block",
            "modifier votre compte : calendrier, courrier, joueurs ignorés ou bloqués",
        ),
        Scope::LobbyRead => (
            "see the challenges, ladders and tournaments that you see, private ones included",
            "voir les défis, échelles et tournois que vous voyez, même privés",
        ),
        Scope::LobbyWrite => (
            "offer and accept challenges, and take part in ladders and tournaments in your name",
            "proposer et accepter des défis, participer à des échelles et à des tournois en votre nom",
        ),
        Scope::MatchesRead => (
            "see all that you see in your matches, also while they run: where your hidden fleet is, your chat and your \
             notes",
            "voir tout ce que vous voyez dans vos parties, même en cours : où se cache votre flotte, vos discussions et \
             vos notes",
        ),
        Scope::MatchesPlay => (
            "play in your matches, resign them, and write in their chat",
            "jouer dans vos parties, les abandonner, et écrire dans leur discussion",
        ),
        Scope::WebhooksRead => ("see your webhooks", "voir vos webhooks"),
        Scope::WebhooksWrite => (
            "set up webhooks, which hear of your matches even after you have revoked the app",
            "installer des webhooks, qui suivent vos parties même après la révocation de l'application",
        ),
        Scope::Moderation => (
            "act with your role as a moderator or an organizer, if you have one",
            "agir avec votre rôle de modérateur ou d'organisateur, si vous en avez un",
        ),
    };
    match language {
        Language::English => english,
        Language::French => french,
    }
}
