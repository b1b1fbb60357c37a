//! What mails say, in English and in French. Values come in by name alone: a player's, which has letters, digits, `-` and `_`; a variant's title; a time.

use super::settings::{News, Tongue};

/// How a match ended for the reader.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// He has won.
    Won,
    /// He has lost.
    Lost,
    /// Nobody has.
    Drawn,
    /// It was called off.
    CalledOff,
    /// Of many, he came to this place.
    Place(u32),
}

/// A match, in a few words.
pub fn game(tongue: Tongue, title: &str, others: &[&str]) -> String {
    match tongue {
        Tongue::En => format!("{title} against {}", others.join(", ")),
        Tongue::Fr => format!("{title} contre {}", others.join(", ")),
    }
}

/// A challenge, in a few words.
pub fn offered(tongue: Tongue, title: &str, from: &str) -> String {
    match tongue {
        Tongue::En => format!("{title}, from {from}"),
        Tongue::Fr => format!("{title}, de {from}"),
    }
}

/// The subject of a mail that begins with this kind of news, about these.
pub fn subject(tongue: Tongue, news: News, about: &[&str]) -> String {
    let (one, many) = match (tongue, news) {
        (Tongue::En, News::YourTurn) => ("Your turn: ", "Your turn in # matches"),
        (Tongue::En, News::DeadlineNear) => ("Your time runs out: ", "Your time runs out in # matches"),
        (Tongue::En, News::MatchStarted) => ("A match begins: ", "# matches begin"),
        (Tongue::En, News::MatchFinished) => ("A match is over: ", "# matches are over"),
        (Tongue::En, News::ChallengeReceived) => ("A challenge: ", "# challenges"),
        (Tongue::En, News::Chat) => ("New messages: ", "New messages in # matches"),
        (Tongue::Fr, News::YourTurn) => ("À vous de jouer : ", "À vous de jouer dans # parties"),
        (Tongue::Fr, News::DeadlineNear) => ("Votre temps s'écoule : ", "Votre temps s'écoule dans # parties"),
        (Tongue::Fr, News::MatchStarted) => ("Une partie commence : ", "# parties commencent"),
        (Tongue::Fr, News::MatchFinished) => ("Une partie est terminée : ", "# parties sont terminées"),
        (Tongue::Fr, News::ChallengeReceived) => ("Un défi : ", "# défis"),
        (Tongue::Fr, News::Chat) => ("Nouveaux messages : ", "Nouveaux messages dans # parties"),
    };
    match about {
        [only] => format!("{one}{only}"),
        _ => many.replace('#', &about.len().to_string()),
    }
}

/// Behind a subject: the mail tells of something else as well.
pub fn and_more(tongue: Tongue) -> &'static str {
    match tongue {
        Tongue::En => ", and more",
        Tongue::Fr => ", et plus",
    }
}

/// The first line.
pub fn greeting(tongue: Tongue, reader: &str) -> String {
    match tongue {
        Tongue::En => format!("Hello {reader},\n"),
        Tongue::Fr => format!("Bonjour {reader},\n"),
    }
}

/// What stands above the lines of this kind of news.
pub fn heading(tongue: Tongue, news: News) -> &'static str {
    match (tongue, news) {
        (Tongue::En, News::YourTurn) => "It is your turn:",
        (Tongue::En, News::DeadlineNear) => "Your time runs out soon:",
        (Tongue::En, News::MatchStarted) => "Begun:",
        (Tongue::En, News::MatchFinished) => "Over:",
        (Tongue::En, News::ChallengeReceived) => "You are challenged:",
        (Tongue::En, News::Chat) => "Somebody has written to you:",
        (Tongue::Fr, News::YourTurn) => "C'est à vous de jouer :",
        (Tongue::Fr, News::DeadlineNear) => "Votre temps sera bientôt écoulé :",
        (Tongue::Fr, News::MatchStarted) => "Parties commencées :",
        (Tongue::Fr, News::MatchFinished) => "Parties terminées :",
        (Tongue::Fr, News::ChallengeReceived) => "On vous défie :",
        (Tongue::Fr, News::Chat) => "On vous a écrit :",
    }
}

/// Behind a turn: until when.
pub fn until(tongue: Tongue, deadline: Option<String>) -> String {
    match (tongue, deadline) {
        (Tongue::En, Some(deadline)) => format!(", until {deadline}"),
        (Tongue::En, None) => ", no time limit".to_owned(),
        (Tongue::Fr, Some(deadline)) => format!(", jusqu'au {deadline}"),
        (Tongue::Fr, None) => ", sans limite de temps".to_owned(),
    }
}

/// Behind a match that is over: how it ended.
pub fn ending(tongue: Tongue, ending: Ending) -> String {
    match (tongue, ending) {
        (Tongue::En, Ending::Won) => ": you have won".to_owned(),
        (Tongue::En, Ending::Lost) => ": you have lost".to_owned(),
        (Tongue::En, Ending::Drawn) => ": a draw".to_owned(),
        (Tongue::En, Ending::CalledOff) => ": called off".to_owned(),
        (Tongue::En, Ending::Place(place)) => format!(": your place is number {place}"),
        (Tongue::Fr, Ending::Won) => " : vous avez gagné".to_owned(),
        (Tongue::Fr, Ending::Lost) => " : vous avez perdu".to_owned(),
        (Tongue::Fr, Ending::Drawn) => " : match nul".to_owned(),
        (Tongue::Fr, Ending::CalledOff) => " : annulée".to_owned(),
        (Tongue::Fr, Ending::Place(place)) => format!(" : vous terminez à la place {place}"),
    }
}

/// The line for those that get none of their own.
pub fn others(tongue: Tongue, rest: usize) -> String {
    match tongue {
        Tongue::En => format!("- and {rest} more\n"),
        Tongue::Fr => format!("- et {rest} de plus\n"),
    }
}

/// What stands below every mail: why it came, and how to get no more.
pub fn footer(tongue: Tongue, unsubscribe: &str) -> String {
    match tongue {
        Tongue::En => format!(
            "\n-- \nYou get this because you asked for it; what you are written about, and when, is in your account's mail settings.\n\
             To get no more mail: {unsubscribe}\n"
        ),
        Tongue::Fr => format!(
            "\n-- \nVous recevez ce message parce que vous l'avez demandé ; les réglages du courrier de votre compte disent de quoi, et quand, on vous écrit.\n\
             Pour ne plus rien recevoir : {unsubscribe}\n"
        ),
    }
}

/// The mail that asks for a confirmation: its subject and its text.
pub fn please_confirm(tongue: Tongue, reader: &str, link: &str) -> (&'static str, String) {
    match tongue {
        Tongue::En => (
            "Please confirm your address",
            format!(
                "Hello {reader},\n\nyou want mail about your games to come to this address. To confirm that, open this page within 48 hours and press its button:\n\n\
                 {link}\n\nIf it wasn't you who asked, do nothing: nothing more will come.\n"
            ),
        ),
        Tongue::Fr => (
            "Confirmez votre adresse",
            format!(
                "Bonjour {reader},\n\nvous souhaitez recevoir à cette adresse du courrier sur vos parties. Pour le confirmer, ouvrez cette page dans les 48 heures \
                 et appuyez sur son bouton :\n\n{link}\n\nSi la demande ne vient pas de vous, ne faites rien : rien d'autre ne viendra.\n"
            ),
        ),
    }
}
