//! Mail texts about rounds that haven't begun.

use super::is_told;

#[test]
fn what_becomes_of_rounds_to_come_is_told_in_both_languages() {
    is_told(&[
        (
            "round-drafted",
            81,
            r#""round":2,"release_at":"2026-11-24T07:30:00.000Z","#,
            "a tournament, round 2: it begins by itself on Tuesday 24 November 2026, 08:30 (Europe/Paris, UTC+1)",
            "un tournoi, ronde 2 : elle commence d'elle-même le mardi 24 novembre 2026 à 08:30 (Europe/Paris, UTC+1)",
        ),
        (
            "tournament-bye-changed",
            81,
            r#""round":2,"change":"granted","#,
            "a tournament, round 2: an organizer lets you sit it out",
            "un tournoi, ronde 2 : un organisateur vous en dispense",
        ),
        (
            "tournament-bye-changed",
            81,
            r#""round":2,"change":"set-aside","#,
            "a tournament, round 2: you don't sit it out, you play",
            "un tournoi, ronde 2 : vous n'êtes pas au repos, vous jouez",
        ),
        (
            "tournament-entered-late",
            81,
            r#""starting_number":9,"first_round":3,"half_point_byes":2,"#,
            "a tournament: you play from round 3 on",
            "un tournoi : vous jouez à partir de la ronde 3",
        ),
    ]);
}
