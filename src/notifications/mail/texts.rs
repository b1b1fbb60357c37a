//! The texts of mails, in English and in French. The only values in them are players' names (letters, digits, `-` and
//! `_`), variants' titles, and times.

use super::settings::{Locale, MailTopic};

/// The result of a match for the recipient.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MatchResult {
    /// The recipient won.
    Won,
    /// The recipient lost.
    Lost,
    /// A draw.
    Drawn,
    /// The match was called off.
    CalledOff,
    /// The recipient's rank in a match of more than two players.
    Place(u32),
}

/// The title of a match: its variant and the opponents.
pub fn match_title(locale: Locale, title: &str, others: &[&str]) -> String {
    match locale {
        Locale::En => format!("{title} against {}", others.join(", ")),
        Locale::Fr => format!("{title} contre {}", others.join(", ")),
    }
}

/// What stands for the title of a named rule set, which is a stranger's words: the title of the variant from which it
/// started, and that it is another game.
pub fn own_rules(locale: Locale, title: &str) -> String {
    match locale {
        Locale::En => format!("rules of a player's own, after {title}"),
        Locale::Fr => format!("règles d'un joueur, d'après {title}"),
    }
}

/// The title of a challenge: its variant and the challenger.
pub fn challenge_title(locale: Locale, title: &str, from: &str) -> String {
    match locale {
        Locale::En => format!("{title}, from {from}"),
        Locale::Fr => format!("{title}, de {from}"),
    }
}

/// The subject of a mail that begins with this kind of events, with these titles.
pub fn subject(locale: Locale, topic: MailTopic, about: &[&str]) -> String {
    let (one, many) = match (locale, topic) {
        (Locale::En, MailTopic::YourTurn) => ("Your turn: ", "Your turn in # matches"),
        (Locale::En, MailTopic::DeadlineNear) => ("Your time runs out: ", "Your time runs out in # matches"),
        (Locale::En, MailTopic::MatchStarted) => ("A match begins: ", "# matches begin"),
        (Locale::En, MailTopic::MatchFinished) => ("A match is over: ", "# matches are over"),
        (Locale::En, MailTopic::ChallengeReceived) => ("A challenge: ", "# challenges"),
        (Locale::En, MailTopic::Chat) => ("New messages: ", "New messages in # matches"),
        (Locale::En, MailTopic::SignInFailures | MailTopic::SessionRevoked) => ("Your account: ", "Your account"),
        (Locale::Fr, MailTopic::YourTurn) => ("À vous de jouer : ", "À vous de jouer dans # parties"),
        (Locale::Fr, MailTopic::DeadlineNear) => ("Votre temps s'écoule : ", "Votre temps s'écoule dans # parties"),
        (Locale::Fr, MailTopic::MatchStarted) => ("Une partie commence : ", "# parties commencent"),
        (Locale::Fr, MailTopic::MatchFinished) => ("Une partie est terminée : ", "# parties sont terminées"),
        (Locale::Fr, MailTopic::ChallengeReceived) => ("Un défi : ", "# défis"),
        (Locale::Fr, MailTopic::Chat) => ("Nouveaux messages : ", "Nouveaux messages dans # parties"),
        (Locale::Fr, MailTopic::SignInFailures | MailTopic::SessionRevoked) => ("Votre compte : ", "Votre compte"),
    };
    match about {
        [only] => format!("{one}{only}"),
        _ => many.replace('#', &about.len().to_string()),
    }
}

/// Appended to a subject: the mail is about other events as well.
pub fn and_more(locale: Locale) -> &'static str {
    match locale {
        Locale::En => ", and more",
        Locale::Fr => ", et plus",
    }
}

/// The greeting line.
pub fn greeting(locale: Locale, reader: &str) -> String {
    match locale {
        Locale::En => format!("Hello {reader},\n"),
        Locale::Fr => format!("Bonjour {reader},\n"),
    }
}

/// The heading above the lines of this kind of events.
pub fn heading(locale: Locale, topic: MailTopic) -> &'static str {
    match (locale, topic) {
        (Locale::En, MailTopic::YourTurn) => "It is your turn:",
        (Locale::En, MailTopic::DeadlineNear) => "Your time runs out soon:",
        (Locale::En, MailTopic::MatchStarted) => "Begun:",
        (Locale::En, MailTopic::MatchFinished) => "Over:",
        (Locale::En, MailTopic::ChallengeReceived) => "You are challenged:",
        (Locale::En, MailTopic::Chat) => "Somebody has written to you:",
        (Locale::En, MailTopic::SignInFailures) => {
            "Somebody may be guessing your password. If it wasn't you, choose one that you use nowhere else, and look at your sessions:"
        }
        (Locale::En, MailTopic::SessionRevoked) => {
            "Somebody may have copied a token of yours. That session was ended, and the personal tokens that were made in it were revoked. If you don't know why, choose another password, and look at your sessions:"
        }
        (Locale::Fr, MailTopic::YourTurn) => "C'est à vous de jouer :",
        (Locale::Fr, MailTopic::DeadlineNear) => "Votre temps sera bientôt écoulé :",
        (Locale::Fr, MailTopic::MatchStarted) => "Parties commencées :",
        (Locale::Fr, MailTopic::MatchFinished) => "Parties terminées :",
        (Locale::Fr, MailTopic::ChallengeReceived) => "On vous défie :",
        (Locale::Fr, MailTopic::Chat) => "On vous a écrit :",
        (Locale::Fr, MailTopic::SignInFailures) => {
            "Quelqu'un cherche peut-être votre mot de passe. Si ce n'était pas vous, choisissez-en un qui ne sert nulle part ailleurs, et regardez vos sessions :"
        }
        (Locale::Fr, MailTopic::SessionRevoked) => {
            "Quelqu'un a peut-être copié un de vos jetons. Cette session a été fermée, et les jetons personnels qui y ont été créés ont été révoqués. Si vous ne savez pas pourquoi, choisissez un autre mot de passe, et regardez vos sessions :"
        }
    }
}

/// What happened to a session.
pub fn session_revoked(locale: Locale) -> &'static str {
    match locale {
        Locale::En => "a refresh token was used twice, and its session ended",
        Locale::Fr => "un jeton de rafraîchissement a servi deux fois, et sa session a été fermée",
    }
}

/// How many wrong passwords were given.
pub fn sign_in_failures(locale: Locale, failures: u32) -> String {
    match locale {
        Locale::En => format!("{failures} wrong passwords within an hour"),
        Locale::Fr => format!("{failures} mots de passe faux en une heure"),
    }
}

/// Appended to a turn: its deadline.
pub fn until(locale: Locale, deadline: Option<String>) -> String {
    match (locale, deadline) {
        (Locale::En, Some(deadline)) => format!(", until {deadline}"),
        (Locale::En, None) => ", no time limit".to_owned(),
        (Locale::Fr, Some(deadline)) => format!(", jusqu'au {deadline}"),
        (Locale::Fr, None) => ", sans limite de temps".to_owned(),
    }
}

/// Appended to a finished match: its result.
pub fn result(locale: Locale, result: MatchResult) -> String {
    match (locale, result) {
        (Locale::En, MatchResult::Won) => ": you have won".to_owned(),
        (Locale::En, MatchResult::Lost) => ": you have lost".to_owned(),
        (Locale::En, MatchResult::Drawn) => ": a draw".to_owned(),
        (Locale::En, MatchResult::CalledOff) => ": called off".to_owned(),
        (Locale::En, MatchResult::Place(place)) => format!(": your place is number {place}"),
        (Locale::Fr, MatchResult::Won) => " : vous avez gagné".to_owned(),
        (Locale::Fr, MatchResult::Lost) => " : vous avez perdu".to_owned(),
        (Locale::Fr, MatchResult::Drawn) => " : match nul".to_owned(),
        (Locale::Fr, MatchResult::CalledOff) => " : annulée".to_owned(),
        (Locale::Fr, MatchResult::Place(place)) => format!(" : vous terminez à la place {place}"),
    }
}

/// The line for entries beyond the limit.
pub fn more_lines(locale: Locale, rest: usize) -> String {
    match locale {
        Locale::En => format!("- and {rest} more\n"),
        Locale::Fr => format!("- et {rest} de plus\n"),
    }
}

/// The footer of every mail: why it was sent, and how to unsubscribe.
pub fn footer(locale: Locale, unsubscribe: &str) -> String {
    match locale {
        Locale::En => format!(
            "\n-- \nYou get this because you asked for it; what you are written about, and when, is in your account's mail settings.\n\
             To get no more mail: {unsubscribe}\n"
        ),
        Locale::Fr => format!(
            "\n-- \nVous recevez ce message parce que vous l'avez demandé ; les réglages du courrier de votre compte disent de quoi, et quand, on vous écrit.\n\
             Pour ne plus rien recevoir : {unsubscribe}\n"
        ),
    }
}

/// The subject and the text of the mail that confirms an address.
pub fn please_confirm(locale: Locale, reader: &str, link: &str) -> (&'static str, String) {
    match locale {
        Locale::En => (
            "Please confirm your address",
            format!(
                "Hello {reader},\n\nyou want mail about your games to come to this address. To confirm that, open this page within 48 hours and press its button:\n\n\
                 {link}\n\nIf it wasn't you who asked, do nothing: nothing more will come.\n"
            ),
        ),
        Locale::Fr => (
            "Confirmez votre adresse",
            format!(
                "Bonjour {reader},\n\nvous souhaitez recevoir à cette adresse du courrier sur vos parties. Pour le confirmer, ouvrez cette page dans les 48 heures \
                 et appuyez sur son bouton :\n\n{link}\n\nSi la demande ne vient pas de vous, ne faites rien : rien d'autre ne viendra.\n"
            ),
        ),
    }
}
