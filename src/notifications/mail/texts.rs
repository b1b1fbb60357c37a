//! Mail texts in English and in French. The only values in them are players' names (letters, digits, `-` and `_`),
//! variants' titles, and times.

use broadside_rules::Clock;
use broadside_rules::card::Language;
use broadside_rules::clock::BankClock;
use broadside_rules::outcome::Reason;

use super::dates;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MatchResult {
    Won,
    Lost,
    Drawn,
    CalledOff,
    /// The recipient's rank in a match of more than two players.
    Place(u32),
}

/// The title of a match: its variant and the opponents.
pub fn match_title(language: Language, title: &str, others: &[&str]) -> String {
    match language {
        Language::English => format!("{title} against {}", others.join(", ")),
        Language::French => format!("{title} contre {}", others.join(", ")),
    }
}

/// Replaces the title of a named rule set, which is a stranger's text: the title of the variant that it is based on,
/// marked as another game.
pub fn own_rules(language: Language, title: &str) -> String {
    match language {
        Language::English => format!("rules of a player's own, after {title}"),
        Language::French => format!("règles d'un joueur, d'après {title}"),
    }
}

/// The title of a challenge: its variant and the challenger.
pub fn challenge_title(language: Language, title: &str, from: &str) -> String {
    match language {
        Language::English => format!("{title}, from {from}"),
        Language::French => format!("{title}, de {from}"),
    }
}

/// Appended to a subject if the mail has other events as well.
pub fn and_more(language: Language) -> &'static str {
    match language {
        Language::English => ", and more",
        Language::French => ", et plus",
    }
}

pub fn greeting(language: Language, reader: &str) -> String {
    match language {
        Language::English => format!("Hello {reader},\n"),
        Language::French => format!("Bonjour {reader},\n"),
    }
}

pub fn session_revoked(language: Language) -> &'static str {
    match language {
        Language::English => "a refresh token was used twice, and its session ended",
        Language::French => "un jeton de rafraîchissement a servi deux fois, et sa session a été fermée",
    }
}

/// The number of wrong passwords.
pub fn sign_in_failures(language: Language, failures: u32) -> String {
    match language {
        Language::English => format!("{failures} wrong passwords within an hour"),
        Language::French => format!("{failures} mots de passe faux en une heure"),
    }
}

/// Appended to a turn: its deadline.
pub fn until(language: Language, deadline: Option<String>) -> String {
    match (language, deadline) {
        (Language::English, Some(deadline)) => format!(", until {deadline}"),
        (Language::English, None) => ", no time limit".to_owned(),
        (Language::French, Some(deadline)) => format!(", jusqu'au {deadline}"),
        (Language::French, None) => ", sans limite de temps".to_owned(),
    }
}

/// Appended to a finished match: its result and reason.
pub fn result(language: Language, result: MatchResult, reason: Option<Reason>) -> String {
    let said = match (language, result) {
        (Language::English, MatchResult::Won) => ": you have won".to_owned(),
        (Language::English, MatchResult::Lost) => ": you have lost".to_owned(),
        (Language::English, MatchResult::Drawn) => ": a draw".to_owned(),
        (Language::English, MatchResult::CalledOff) => return ": called off".to_owned(),
        (Language::English, MatchResult::Place(place)) => format!(": your place is number {place}"),
        (Language::French, MatchResult::Won) => " : vous avez gagné".to_owned(),
        (Language::French, MatchResult::Lost) => " : vous avez perdu".to_owned(),
        (Language::French, MatchResult::Drawn) => " : match nul".to_owned(),
        (Language::French, MatchResult::CalledOff) => return " : annulée".to_owned(),
        (Language::French, MatchResult::Place(place)) => format!(" : vous terminez à la place {place}"),
    };
    reason.map_or(said.clone(), |reason| format!("{said} ({})", ended_by(language, reason)))
}

fn ended_by(language: Language, reason: Reason) -> &'static str {
    let [english, french] = match reason {
        Reason::Fleet => ["a fleet was sunk", "une flotte a été coulée"],
        Reason::Hits => ["enough hits", "assez de coups au but"],
        Reason::Resignation => ["by resignation", "par abandon"],
        Reason::Time => ["on time", "au temps"],
        Reason::Agreement => ["by agreement", "d'un commun accord"],
        Reason::Aborted => ["called off", "annulée"],
        Reason::Limit => ["the last turn was played", "le dernier tour a été joué"],
        Reason::Adjudicated => ["decided by a moderator", "décidée par un modérateur"],
        Reason::Ships => ["enough ships sunk", "assez de navires coulés"],
        Reason::Points => ["enough points", "assez de points"],
        Reason::Deadline => ["the time of the round was over", "le temps de la ronde était écoulé"],
    };
    match language {
        Language::English => english,
        Language::French => french,
    }
}

/// Appended to a finished match: the recipient's new rating and its change; `of_two`: by this match and its paired game
/// together.
pub fn rating(language: Language, before: i32, after: i32, of_two: bool) -> String {
    let change = after - before;
    match (language, of_two) {
        (Language::English, false) => format!(", rating {after} ({change:+})"),
        (Language::English, true) => format!(", rating {after} ({change:+} by both games)"),
        (Language::French, false) => format!(", classement {after} ({change:+})"),
        (Language::French, true) => format!(", classement {after} ({change:+} par les deux parties)"),
    }
}

/// Appended to a challenge: the clock, rated or not, and the time of expiry.
pub fn challenge_terms(language: Language, clock: &Clock, rated: bool, expires: Option<String>) -> String {
    let (clock, expires) = (clock_terms(language, clock), expires.unwrap_or_default());
    match (language, rated) {
        (Language::English, true) => format!(": {clock}; rated; open until {expires}"),
        (Language::English, false) => format!(": {clock}; unrated; open until {expires}"),
        (Language::French, true) => format!(" : {clock} ; classée ; ouvert jusqu'au {expires}"),
        (Language::French, false) => format!(" : {clock} ; amicale ; ouvert jusqu'au {expires}"),
    }
}

fn clock_terms(language: Language, clock: &Clock) -> String {
    let span = |seconds| dates::span(language, seconds);
    match (language, clock) {
        (Language::English, Clock::PerMove(clock)) => format!("{} for each move", span(clock.move_s)),
        (Language::French, Clock::PerMove(clock)) => format!("{} par coup", span(clock.move_s)),
        (Language::English, Clock::Bank(BankClock { initial_s, increment_s: 0, .. })) => {
            format!("{} in all", span(*initial_s))
        }
        (Language::French, Clock::Bank(BankClock { initial_s, increment_s: 0, .. })) => {
            format!("{} en tout", span(*initial_s))
        }
        (Language::English, Clock::Bank(clock)) => {
            format!("{} in all, and {} more with each move", span(clock.initial_s), span(clock.increment_s))
        }
        (Language::French, Clock::Bank(clock)) => {
            format!("{} en tout, et {} de plus par coup", span(clock.initial_s), span(clock.increment_s))
        }
        (Language::English, Clock::None(_)) => "no clock".to_owned(),
        (Language::French, Clock::None(_)) => "sans pendule".to_owned(),
    }
}

/// The line for entries beyond the limit.
pub fn more_lines(language: Language, rest: usize) -> String {
    match language {
        Language::English => format!("- and {rest} more\n"),
        Language::French => format!("- et {rest} de plus\n"),
    }
}

/// The footer of every mail: the reason for sending it, and the way to unsubscribe.
pub fn footer(language: Language, unsubscribe: &str) -> String {
    match language {
        Language::English => format!(
            "\n-- \nYou get this because you asked for it; what you are written about, and when, is in your account's mail settings.\n\
             To get no more mail: {unsubscribe}\n"
        ),
        Language::French => format!(
            "\n-- \nVous recevez ce message parce que vous l'avez demandé ; les réglages du courrier de votre compte disent de quoi, et quand, on vous écrit.\n\
             Pour ne plus rien recevoir : {unsubscribe}\n"
        ),
    }
}

/// The subject and the text of the mail that confirms an address.
pub fn please_confirm(language: Language, reader: &str, link: &str) -> (&'static str, String) {
    match language {
        Language::English => (
            "Please confirm your address",
            format!(
                "Hello {reader},\n\nyou want mail about your games to come to this address. To confirm that, open this page within 48 hours and press its button:\n\n\
                 {link}\n\nIf it wasn't you who asked, do nothing: nothing more will come.\n"
            ),
        ),
        Language::French => (
            "Confirmez votre adresse",
            format!(
                "Bonjour {reader},\n\nvous souhaitez recevoir à cette adresse du courrier sur vos parties. Pour le confirmer, ouvrez cette page dans les 48 heures \
                 et appuyez sur son bouton :\n\n{link}\n\nSi la demande ne vient pas de vous, ne faites rien : rien d'autre ne viendra.\n"
            ),
        ),
    }
}
