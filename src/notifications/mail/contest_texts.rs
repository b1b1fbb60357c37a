//! Mail texts about ladders and tournaments, in English and in French. Titles are user texts, so contests are named by
//! their variant.

use broadside_rules::card::Language;
use uuid::Uuid;

pub fn ladder(language: Language, title: &str) -> String {
    match language {
        Language::English => format!("{title}, a ladder"),
        Language::French => format!("{title}, une échelle"),
    }
}

pub fn tournament(language: Language, title: &str) -> String {
    match language {
        Language::English => format!("{title}, a tournament"),
        Language::French => format!("{title}, un tournoi"),
    }
}

/// The deadline for answering a challenge for a position.
pub fn answer_until(language: Language, from: &str, answer_by: Option<String>) -> String {
    let until = answer_by.unwrap_or_default();
    match language {
        Language::English => format!(": {from} challenges you; answer until {until}"),
        Language::French => format!(" : {from} vous défie ; répondez avant le {until}"),
    }
}

pub fn position(language: Language, from: u32, to: u32) -> String {
    match (language, to > from) {
        (Language::English, true) => format!(": you have lost position {from}, and have position {to} now"),
        (Language::English, false) => format!(": you have position {to} now, before it was {from}"),
        (Language::French, true) => format!(" : vous avez perdu la place {from} et avez maintenant la place {to}"),
        (Language::French, false) => format!(" : vous avez maintenant la place {to} au lieu de {from}"),
    }
}

pub fn season(language: Language, season: u32, rank: Option<u32>, division: u32) -> String {
    match (language, rank) {
        (Language::English, Some(rank)) => {
            format!(": season {season}, your place is number {rank}; you play on in division {division}")
        }
        (Language::English, None) => format!(": season {season}; you play on in division {division}"),
        (Language::French, Some(rank)) => {
            format!(" : saison {season}, vous terminez à la place {rank} ; vous continuez en division {division}")
        }
        (Language::French, None) => format!(" : saison {season} ; vous continuez en division {division}"),
    }
}

pub fn season_ends(language: Language, season: u32, until: Option<String>) -> String {
    let until = until.unwrap_or_default();
    match language {
        Language::English => format!(": season {season} ends on {until}"),
        Language::French => format!(" : la saison {season} se termine le {until}"),
    }
}

/// The place at the end; `None` if there is none.
pub fn final_place(language: Language, rank: Option<u32>) -> String {
    match (language, rank) {
        (Language::English, Some(rank)) => format!(": your place is number {rank}"),
        (Language::French, Some(rank)) => format!(" : vous terminez à la place {rank}"),
        (_, None) => String::new(),
    }
}

pub fn starting_number(language: Language, number: u16) -> String {
    match language {
        Language::English => format!(": your starting number is {number}"),
        Language::French => format!(" : votre numéro de départ est le {number}"),
    }
}

/// A round whose time is nearly over.
pub fn round_ends(language: Language, round: u16, until: Option<String>) -> String {
    let until = until.unwrap_or_default();
    match language {
        Language::English => format!(", round {round}: its time is over on {until}"),
        Language::French => format!(", ronde {round} : son temps s'écoule le {until}"),
    }
}

pub fn round_waits(language: Language, round: u16, until: Option<String>) -> String {
    let until = until.unwrap_or_default();
    match language {
        Language::English => format!(", round {round}: it begins by itself on {until}"),
        Language::French => format!(", ronde {round} : elle commence d'elle-même le {until}"),
    }
}

pub fn bye(language: Language, round: u16, change: &str) -> String {
    match (language, change == "granted") {
        (Language::English, true) => format!(", round {round}: an organizer lets you sit it out"),
        (Language::English, false) => format!(", round {round}: you don't sit it out, you play"),
        (Language::French, true) => format!(", ronde {round} : un organisateur vous en dispense"),
        (Language::French, false) => format!(", ronde {round} : vous n'êtes pas au repos, vous jouez"),
    }
}

/// The first round of a late entrant.
pub fn entered_late(language: Language, round: u16) -> String {
    match language {
        Language::English => format!(": you play from round {round} on"),
        Language::French => format!(" : vous jouez à partir de la ronde {round}"),
    }
}

pub fn paused(language: Language, until: Option<String>) -> String {
    let until = until.unwrap_or_default();
    match language {
        Language::English => format!(", until {until}"),
        Language::French => format!(", jusqu'au {until}"),
    }
}

/// The owner of a case: a ladder, a tournament, or the server.
pub fn case(language: Language, of_a_ladder: bool, tournament: Option<Uuid>) -> String {
    let words = match (of_a_ladder, tournament) {
        (true, _) => ["a case of a ladder", "un dossier d'une échelle"],
        (false, Some(_)) => ["a case of a tournament", "un dossier d'un tournoi"],
        (false, None) => ["a case of the moderators", "un dossier des modérateurs"],
    };
    words[language as usize].to_owned()
}

/// A round with its opponent; `None` for a bye.
pub fn round(language: Language, round: u16, opponent: Option<&str>) -> String {
    match (language, opponent) {
        (Language::English, Some(opponent)) => format!(", round {round}: you meet {opponent}"),
        (Language::English, None) => format!(", round {round}: you have a bye"),
        (Language::French, Some(opponent)) => format!(", ronde {round} : vous rencontrez {opponent}"),
        (Language::French, None) => format!(", ronde {round} : vous n'avez pas d'adversaire"),
    }
}

pub fn round_at_table(language: Language, round: u16, players: usize) -> String {
    match language {
        Language::English => format!(", round {round}: you sit at a table of {players}"),
        Language::French => format!(", ronde {round} : vous jouez à une table de {players}"),
    }
}

pub fn missed_in(language: Language, round: u16) -> String {
    match language {
        Language::English => format!(", round {round}"),
        Language::French => format!(", ronde {round}"),
    }
}

/// The reason of a withdrawal.
pub fn withdrawn(language: Language, timed_out: bool) -> &'static str {
    match (language, timed_out) {
        (Language::English, true) => ": you have lost on time twice in a row",
        (Language::English, false) => ": your account is suspended",
        (Language::French, true) => " : vous avez perdu au temps deux fois de suite",
        (Language::French, false) => " : votre compte est suspendu",
    }
}
