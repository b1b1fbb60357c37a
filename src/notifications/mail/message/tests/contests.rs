//! Mail texts about ladders and tournaments.

use super::*;

#[test]
fn ladders_are_told_in_both_languages() {
    let ladder = format!(r#""ladder_id":"{}","#, Uuid::from_u128(71));
    is_told(&[
        (
            "ladder-challenge-received",
            75,
            ladder.as_str(),
            "a ladder: ben challenges you; answer until Tuesday 24 November 2026, 08:30 (Europe/Paris, UTC+1)",
            "une échelle : ben vous défie ; répondez avant le mardi 24 novembre 2026 à 08:30 (Europe/Paris, UTC+1)",
        ),
        (
            "ladder-position-changed",
            71,
            r#""from_position":3,"to_position":5,"#,
            "a ladder: you have lost position 3, and have position 5 now",
            "une échelle : vous avez perdu la place 3 et avez maintenant la place 5",
        ),
        (
            "ladder-position-changed",
            71,
            r#""from_position":3,"to_position":1,"#,
            "a ladder: you have position 1 now, before it was 3",
            "une échelle : vous avez maintenant la place 1 au lieu de 3",
        ),
        ("ladder-pairing-missed", 71, "", "a ladder\n", "une échelle\n"),
        ("ladder-member-set-inactive", 71, "", "a ladder\n", "une échelle\n"),
        (
            "season-end-near",
            71,
            r#""season":3,"division":1,"ends_at":"2026-11-24T07:30:00.000Z","#,
            "a ladder: season 3 ends on Tuesday 24 November 2026, 08:30 (Europe/Paris, UTC+1)",
            "une échelle : la saison 3 se termine le mardi 24 novembre 2026 à 08:30 (Europe/Paris, UTC+1)",
        ),
        (
            "season-ended",
            72,
            r#""season":3,"rank":2,"division":2,"next_division":1,"#,
            "a ladder: season 3, your place is number 2; you play on in division 1",
            "une échelle : saison 3, vous terminez à la place 2 ; vous continuez en division 1",
        ),
        ("ladder-closed", 72, r#""rank":null,"#, "a ladder\n", "une échelle\n"),
    ]);
}

#[test]
fn tournaments_are_told_in_both_languages() {
    let opponent = format!(r#""round":2,"opponent_id":"{}","#, Uuid::from_u128(7));
    let [one, other] = [7, 8].map(Uuid::from_u128);
    let table = format!(r#""round":3,"opponent_id":null,"opponent_ids":["{one}","{other}"],"#);
    is_told(&[
        (
            "tournament-started",
            81,
            r#""starting_number":4,"#,
            "a tournament: your starting number is 4",
            "un tournoi : votre numéro de départ est le 4",
        ),
        (
            "round-started",
            81,
            opponent.as_str(),
            "a tournament, round 2: you meet emil",
            "un tournoi, ronde 2 : vous rencontrez emil",
        ),
        (
            "round-started",
            81,
            r#""round":3,"opponent_id":null,"#,
            "a tournament, round 3: you have a bye",
            "un tournoi, ronde 3 : vous n'avez pas d'adversaire",
        ),
        (
            "round-started",
            81,
            table.as_str(),
            "a tournament, round 3: you sit at a table of 3",
            "un tournoi, ronde 3 : vous jouez à une table de 3",
        ),
        ("tournament-board-missed", 81, r#""round":1,"#, "a tournament, round 1\n", "un tournoi, ronde 1\n"),
    ]);
}

#[test]
fn the_end_of_a_round_and_of_a_tournament_are_told_in_both_languages() {
    is_told(&[
        (
            "round-deadline-near",
            81,
            r#""round":2,"due_at":"2026-11-24T07:30:00.000Z","#,
            "a tournament, round 2: its time is over on Tuesday 24 November 2026, 08:30 (Europe/Paris, UTC+1)",
            "un tournoi, ronde 2 : son temps s'écoule le mardi 24 novembre 2026 à 08:30 (Europe/Paris, UTC+1)",
        ),
        (
            "round-extended",
            81,
            r#""round":2,"due_at":"2026-11-24T07:30:00.000Z","#,
            "a tournament, round 2: its time is over on Tuesday 24 November 2026, 08:30 (Europe/Paris, UTC+1)",
            "un tournoi, ronde 2 : son temps s'écoule le mardi 24 novembre 2026 à 08:30 (Europe/Paris, UTC+1)",
        ),
        (
            "tournament-withdrawn",
            82,
            r#""reason":"timed-out","#,
            "a tournament: you have lost on time twice in a row",
            "un tournoi : vous avez perdu au temps deux fois de suite",
        ),
        (
            "tournament-finished",
            82,
            r#""rank":1,"#,
            "a tournament: your place is number 1",
            "un tournoi : vous terminez à la place 1",
        ),
        ("tournament-cancelled", 82, "", "a tournament\n", "un tournoi\n"),
    ]);
}

#[test]
fn pauses_are_told_in_both_languages() {
    is_told(&[
        (
            "contest-paused",
            81,
            r#""ladder_id":null,"until":"2026-11-24T07:30:00.000Z","reason":"a holiday","#,
            "a tournament, until Tuesday 24 November 2026, 08:30 (Europe/Paris, UTC+1)",
            "un tournoi, jusqu'au mardi 24 novembre 2026 à 08:30 (Europe/Paris, UTC+1)",
        ),
        ("contest-resumed", 81, "", "a tournament\n", "un tournoi\n"),
    ]);
}
