//! Mail texts about activity on an account: a sign-in from a new device, a changed name, the end of all sessions. A
//! client is described by a word from a list of this server, never by text that the client has sent.

use broadside_rules::card::Language;

use super::dates;
use crate::accounts::notices::{Notice, NoticeKind};
use crate::calendar::Zone;

/// The subject and the text; `None` if the notice is about something else.
pub fn of(notice: &Notice, link: &str) -> Option<(&'static str, String)> {
    let reader = notice.username.as_str();
    Some(match (notice.language, notice.kind) {
        (Language::English, NoticeKind::NewDevice) => (
            "A sign-in from a new device",
            format!(
                "somebody has signed in to your account {reader} from a device or a place that it hasn't had in the last \
                 weeks:\n\n{}\n\nIf it was you, all is well.\n\nIf it wasn't, choose another password at once, which \
                 ends every session, app and token:\n\n{link}",
                english_facts(notice)
            ),
        ),
        (Language::French, NoticeKind::NewDevice) => (
            "Une connexion depuis un nouvel appareil",
            format!(
                "quelqu'un s'est connecté à votre compte {reader} depuis un appareil ou un lieu qu'il n'a pas eu ces \
                 dernières semaines :\n\n{}\n\nSi c'était vous, tout va bien.\n\nSinon, choisissez tout de suite un \
                 autre mot de passe : toutes les sessions, applications et jetons seront fermés :\n\n{link}",
                french_facts(notice)
            ),
        ),
        (Language::English, NoticeKind::UsernameChanged) => (
            "Your name was changed",
            format!(
                "your account is called {reader} now. For a year the name before leads to it, and nobody else can take \
                 that name. If it was you, all is well.\n\nIf it wasn't, choose another password at once, which ends \
                 every session, app and token:\n\n{link}"
            ),
        ),
        (Language::French, NoticeKind::UsernameChanged) => (
            "Votre nom a été changé",
            format!(
                "votre compte s'appelle désormais {reader}. Pendant un an, l'ancien nom mène à lui, et personne d'autre \
                 ne peut le prendre. Si c'était vous, tout va bien.\n\nSinon, choisissez tout de suite un autre mot de \
                 passe : toutes les sessions, applications et jetons seront fermés :\n\n{link}"
            ),
        ),
        (Language::English, NoticeKind::SignedOut) => (
            "You were signed out everywhere",
            format!(
                "the operator of this server has ended every session of your account {reader}, those of apps included. \
                 That is done when there is a sign that somebody else uses an account. Sign in again with your password. \
                 If somebody may know it, choose another one:\n\n{link}"
            ),
        ),
        (Language::French, NoticeKind::SignedOut) => (
            "Vous avez été déconnecté partout",
            format!(
                "l'opérateur de ce serveur a fermé toutes les sessions de votre compte {reader}, celles des applications \
                 comprises. C'est ce qu'il fait quand un signe montre que quelqu'un d'autre utilise un compte. \
                 Reconnectez-vous avec votre mot de passe. Si quelqu'un peut le connaître, choisissez-en un autre :\
                 \n\n{link}"
            ),
        ),
        _ => return None,
    })
}

/// The time of the activity: `Sunday 22 November 2026, 12:00 (UTC)`.
fn moment(notice: &Notice) -> String {
    dates::moment(notice.language, &Zone::utc(), notice.at).unwrap_or_default()
}

fn english_facts(notice: &Notice) -> String {
    let client = &notice.origin.client;
    let program = client.browser().unwrap_or("another program");
    let system = client.system.as_deref().map(|system| format!(" on {system}")).unwrap_or_default();
    let network = notice.origin.network.as_deref();
    let network = network.map(|network| format!("\nfrom the network {network}")).unwrap_or_default();
    format!("{program}{system}\n{}{network}", moment(notice))
}

fn french_facts(notice: &Notice) -> String {
    let client = &notice.origin.client;
    let program = client.browser().unwrap_or("un autre programme");
    let system = client.system.as_deref().map(|system| format!(" sous {system}")).unwrap_or_default();
    let network = notice.origin.network.as_deref();
    let network = network.map(|network| format!("\ndepuis le réseau {network}")).unwrap_or_default();
    format!("{program}{system}\n{}{network}", moment(notice))
}
