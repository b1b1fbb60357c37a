//! Mail texts about the security of an account, in English and in French. The only values in them are the account's
//! name and a link of this server.

use broadside_rules::card::Language;

use super::activity_texts;
use crate::accounts::notices::{Notice, NoticeKind};

pub fn of(notice: &Notice, link: &str) -> (&'static str, String) {
    let (kind, reader) = (notice.kind, notice.username.as_str());
    let (greeting, (subject, what)) = match notice.language {
        Language::English => ("Hello", activity_texts::of(notice, link).unwrap_or_else(|| english(kind, reader, link))),
        Language::French => ("Bonjour", activity_texts::of(notice, link).unwrap_or_else(|| french(kind, reader, link))),
    };
    (subject, format!("{greeting} {reader},\n\n{what}\n"))
}

fn english(kind: NoticeKind, reader: &str, link: &str) -> (&'static str, String) {
    match kind {
        NoticeKind::PasswordResetRequested => (
            "A new password",
            format!(
                "somebody, probably you, has asked for a new password for your account {reader}. To choose one, open \
                 this page within half an hour:\n\n{link}\n\nIt works once. If it wasn't you, do nothing: your \
                 password stays as it is, and nobody but you has this link."
            ),
        ),
        NoticeKind::PasswordChanged => (
            "Your password was changed",
            format!(
                "the password of your account {reader} was changed. If it was you, all is well.\n\nIf it wasn't, \
                 choose another one at once, which ends every session, app and token:\n\n{link}"
            ),
        ),
        NoticeKind::EmailChanged => (
            "Your address was changed",
            format!(
                "your account {reader} has another e-mail address now, or none: mail no longer comes here. If it was \
                 you, all is well.\n\nIf it wasn't, open this page within three days. You choose another password \
                 there, every session, app and token ends, and this address is your account's again:\n\n{link}"
            ),
        ),
        NoticeKind::EmailChangedAgain => (
            "Your address was changed",
            format!(
                "your account {reader} has another e-mail address now, or none: mail no longer comes here. If it was \
                 you, all is well.\n\nIt was changed before, less than three days ago. If neither was you, open the \
                 link in the mail that went to the address before, or write to the operator of the server:\n\n{link}"
            ),
        ),
        _ => english_of_factors(kind, reader, link),
    }
}

fn french(kind: NoticeKind, reader: &str, link: &str) -> (&'static str, String) {
    match kind {
        NoticeKind::PasswordResetRequested => (
            "Un nouveau mot de passe",
            format!(
                "quelqu'un, sans doute vous, a demandé un nouveau mot de passe pour votre compte {reader}. Pour en \
                 choisir un, ouvrez cette page dans la demi-heure :\n\n{link}\n\nElle sert une fois. Si la demande ne \
                 vient pas de vous, ne faites rien : votre mot de passe reste le même, et personne d'autre n'a ce lien."
            ),
        ),
        NoticeKind::PasswordChanged => (
            "Votre mot de passe a été changé",
            format!(
                "le mot de passe de votre compte {reader} a été changé. Si c'était vous, tout va bien.\n\nSinon, \
                 choisissez-en un autre tout de suite : toutes les sessions, applications et jetons seront fermés :\
                 \n\n{link}"
            ),
        ),
        NoticeKind::EmailChanged => (
            "Votre adresse a été changée",
            format!(
                "votre compte {reader} a désormais une autre adresse électronique, ou aucune : le courrier n'arrive \
                 plus ici. Si c'était vous, tout va bien.\n\nSinon, ouvrez cette page dans les trois jours. Vous y \
                 choisirez un autre mot de passe, toutes les sessions, applications et jetons seront fermés, et cette \
                 adresse redeviendra celle de votre compte :\n\n{link}"
            ),
        ),
        NoticeKind::EmailChangedAgain => (
            "Votre adresse a été changée",
            format!(
                "votre compte {reader} a désormais une autre adresse électronique, ou aucune : le courrier n'arrive \
                 plus ici. Si c'était vous, tout va bien.\n\nElle avait déjà été changée il y a moins de trois jours. \
                 Si ni l'un ni l'autre n'était vous, ouvrez le lien du courrier envoyé à l'adresse d'avant, ou \
                 écrivez à l'opérateur du serveur :\n\n{link}"
            ),
        ),
        _ => french_of_factors(kind, reader, link),
    }
}

fn english_of_factors(kind: NoticeKind, reader: &str, link: &str) -> (&'static str, String) {
    let (subject, what) = match kind {
        NoticeKind::SecondFactorEnabled => ("A second factor is on", "sign-ins ask for a code of an app from now on"),
        NoticeKind::SecondFactorDisabled => ("The second factor is off", "sign-ins ask for no code any more"),
        NoticeKind::RecoveryCodesReplaced => {
            ("New recovery codes", "there are new recovery codes, and the old ones are dead")
        }
        NoticeKind::RecoveryCodeUsed => ("A recovery code was used", "somebody has used a recovery code"),
        NoticeKind::PasskeyAdded => {
            ("A passkey was added", "there is a new passkey, which signs in without a password")
        }
        NoticeKind::PasskeyRemoved => ("A passkey was removed", "a passkey was removed"),
        NoticeKind::PasskeyCloned => (
            "A passkey was copied",
            "two devices have used one passkey, so somebody has a copy of it; it signs nobody in any more",
        ),
        NoticeKind::AppAddressesChanged => (
            "Addresses of your app were changed",
            "the addresses were changed to which the answers of an app go that you have registered",
        ),
        _ => (
            "Somebody may know your password",
            "the password was right, and ten wrong codes of the second factor were given within a day",
        ),
    };
    let text = format!(
        "for your account {reader}, {what}. If it was you, all is well.\n\nIf it wasn't, choose another password at \
         once, which ends every session, app, token and passkey:\n\n{link}"
    );
    (subject, text)
}

fn french_of_factors(kind: NoticeKind, reader: &str, link: &str) -> (&'static str, String) {
    let (subject, what) = match kind {
        NoticeKind::SecondFactorEnabled => {
            ("Un second facteur est actif", "les connexions demandent désormais le code d'une application")
        }
        NoticeKind::SecondFactorDisabled => ("Le second facteur est coupé", "les connexions ne demandent plus de code"),
        NoticeKind::RecoveryCodesReplaced => {
            ("De nouveaux codes de secours", "il y a de nouveaux codes de secours, et les anciens ne valent plus rien")
        }
        NoticeKind::RecoveryCodeUsed => ("Un code de secours a servi", "quelqu'un s'est servi d'un code de secours"),
        NoticeKind::PasskeyAdded => {
            ("Une clé d'accès a été ajoutée", "il y a une nouvelle clé d'accès, qui connecte sans mot de passe")
        }
        NoticeKind::PasskeyRemoved => ("Une clé d'accès a été retirée", "une clé d'accès a été retirée"),
        NoticeKind::PasskeyCloned => (
            "Une clé d'accès a été copiée",
            "deux appareils se sont servis d'une même clé d'accès : quelqu'un en a une copie, et elle ne connecte plus \
             personne",
        ),
        NoticeKind::AppAddressesChanged => (
            "Les adresses de votre application ont changé",
            "les adresses où vont les réponses d'une application que vous avez enregistrée ont été changées",
        ),
        _ => (
            "Quelqu'un connaît peut-être votre mot de passe",
            "le mot de passe était juste, et dix codes faux du second facteur ont été donnés en un jour",
        ),
    };
    let text = format!(
        "pour votre compte {reader}, {what}. Si c'était vous, tout va bien.\n\nSinon, choisissez tout de suite un autre \
         mot de passe, ce qui ferme toutes les sessions, applications, jetons et clés d'accès :\n\n{link}"
    );
    (subject, text)
}
