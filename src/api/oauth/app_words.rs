//! Texts of the pages about apps, registered or not, in English and in French.

use broadside_rules::card::Language;

#[derive(Clone, Copy)]
pub enum Text {
    /// Precedes the name of the owner.
    RegisteredBy,
    NotRegistered,
    /// An unregistered app has a name like that of a registered one.
    CalledAlike,
    /// Precedes the address of the homepage.
    Homepage,
    /// The meaning of a registration.
    Meaning,
    /// The answer goes to the host of the homepage.
    AtHome,
    /// The answer goes to another host.
    NotAtHome,
    About,
    /// Precedes the scopes that the app may ask for.
    MayAskFor,
    /// Precedes the owner's description.
    InTheirWords,
    Suspended,
    NoSuchApp,
}

pub fn text(language: Language, text: Text) -> &'static str {
    let (english, french) = match text {
        Text::RegisteredBy => ("Registered by", "Enregistrée par"),
        Text::NotRegistered => ("Not registered.", "Non enregistrée."),
        Text::CalledAlike => (
            "A registered app is called like this. This is not that app.",
            "Une application enregistrée porte un nom semblable. Celle-ci n'est pas cette application.",
        ),
        Text::Homepage => ("Homepage:", "Site :"),
        Text::Meaning => (
            "Registered means that no other app has this name, and that the answer goes to an address which its owner \
             has named. Nobody has checked what the app does: allow only what you have begun yourself.",
            "Enregistrée signifie qu'aucune autre application ne porte ce nom et que la réponse va à une adresse \
             déclarée par son propriétaire. Personne n'a vérifié ce que fait l'application : n'acceptez que ce que \
             vous avez demandé vous-même.",
        ),
        Text::AtHome => ("The answer goes to the host of this homepage.", "La réponse va au serveur de ce site."),
        Text::NotAtHome => (
            "The answer doesn't go to the host of this homepage: nothing shows that the homepage is the app's own.",
            "La réponse ne va pas au serveur de ce site : rien ne montre que ce site est bien celui de l'application.",
        ),
        Text::About => ("About this app", "À propos de cette application"),
        Text::MayAskFor => ("It may ask to:", "Elle peut demander à :"),
        Text::InTheirWords => ("Its owner says:", "Son propriétaire écrit :"),
        Text::Suspended => (
            "The operator has suspended this app: it can't act for anybody.",
            "L'opérateur a suspendu cette application : elle ne peut agir pour personne.",
        ),
        Text::NoSuchApp => (
            "No app is registered with this client_id, or not any more.",
            "Aucune application n'est enregistrée sous ce client_id, ou ne l'est plus.",
        ),
    };
    match language {
        Language::English => english,
        Language::French => french,
    }
}
