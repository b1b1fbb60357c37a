//! Ladders and a tournament.

use serde_json::json;

use super::{NOBODY, Tour, text};
use crate::ladders::the_first_by_name_win;
use crate::support::Player;
use crate::tournaments::{alphabet, boards, named, plays_round, starts, tournament as of_three};

const DAY_S: u32 = 86_400;

/// The Winter league: a season with divisions.
pub async fn ladder(tour: &mut Tour, people: &[Player]) {
    let four = &people[..4];
    let terms = json!({
        "title": "Winter league", "variant": "classic", "rated": true, "audience": "humans", "max_pairings": 3,
        "clock": { "kind": "per-move", "move_s": 2 * DAY_S }, "season_s": 90 * DAY_S,
        "divisions": { "size": 12, "promotions": 2 }, "ranking": "average", "max_meetings": 3,
    });
    let ladder = tour.post(&people[0], "/v1/ladders", terms, "winter-league: Seasons of ninety days.").await;
    let path = format!("/v1/ladders/{}", text(&ladder, "id"));
    let change =
        json!({ "description": "Open to everybody who plays a move every other day.", "min_reliability_percent": 80 });
    tour.patch(&people[0], &path, change, "reliable: Another description, and a limit for who joins.").await;
    people[0].request("PUT", &format!("{path}/organizers/ben"), None).await.expect(204);
    for player in four {
        let says = "two: At most two pairings at a time.";
        tour.post(player, &format!("{path}/join"), json!({ "wanted_pairings": 2 }), says).await;
    }
    tour.app.passes_s(3600).await;
    the_first_by_name_win(&tour.app, &text(&ladder, "id"), four).await;
    tour.app.passes_s(3600).await;
    tour.get(NOBODY, "/v1/ladders", "one: The only ladder so far.").await;
    tour.get(&people[0], &path, "winter-league: The ladder, as Anna sees it.").await;
    tour.get(&people[0], "/v1/account/ladders", "one: Anna is on one ladder.").await;
    let pairings = tour.get(NOBODY, &format!("{path}/pairings?limit=2"), "newest: The two newest pairings.").await;
    let pairing = format!("/v1/pairings/{}", text(&pairings["items"][1], "id"));
    tour.get(NOBODY, &pairing, "settled: Anna and Ben have played.").await;
    tour.get(NOBODY, &format!("{path}/standings"), "first-week: After the first matches.").await;
    let table = format!("{path}/standings?format=csv");
    tour.get(NOBODY, &table, "spreadsheet: The same for a spreadsheet.").await;
    tour.get(NOBODY, &format!("{path}/crosstable"), "first-week: Who has met whom so far.").await;
    let table = format!("{path}/crosstable?format=csv");
    tour.get(NOBODY, &table, "spreadsheet: The same for a spreadsheet.").await;
    tour.get(NOBODY, &format!("{path}/seasons"), "first: The first season.").await;
    tour.post(&people[3], &format!("{path}/leave"), json!({}), "dora: Dora leaves.").await;
    let reason = json!({ "reason": "The club has a new one." });
    tour.post(&people[0], &format!("{path}/close"), reason, "new-one: The creator closes it.").await;
    tour.get(NOBODY, "/v1/players/anna/honours", "one: Anna has won the only season.").await;
}

/// The club's wall: a position ladder with challenges between members.
pub async fn position_ladder(tour: &mut Tour, people: &[Player]) {
    let [anna, ben, carl, dora, ..] = people else { unreachable!() };
    let terms = json!({
        "title": "The wall of the club", "format": "position", "variant": "classic",
        "clock": { "kind": "per-move", "move_s": 3 * DAY_S },
    });
    let ladder = tour.post(anna, "/v1/ladders", terms, "wall: Members challenge each other for positions.").await;
    let path = format!("/v1/ladders/{}", text(&ladder, "id"));
    for player in [anna, ben, carl, dora] {
        player.post(&format!("{path}/join"), json!({})).await.expect(200);
    }
    tour.get(carl, &format!("{path}/opponents"), "carls: Whom Carl may challenge.").await;
    let list = format!("{path}/challenges");
    let wanted = [(ben, "anna", "accept", anna), (dora, "carl", "withdraw", dora), (carl, "ben", "decline", ben)];
    for (challenger, defender, answer, who) in wanted {
        let body = json!({ "opponent": defender });
        let made = match answer {
            "accept" => tour.post(challenger, &list, body, "bens: Ben challenges Anna.").await,
            _ => challenger.post(&list, body).await.expect(201),
        };
        let one = format!("{list}/{}", text(&made, "id"));
        if answer == "accept" {
            tour.get(NOBODY, &one, "bens: Ben's challenge to Anna.").await;
        }
        tour.post(who, &format!("{one}/{answer}"), json!({}), &format!("{answer}: The answer to a challenge.")).await;
        if answer == "accept" {
            let pairing = tour.app.get(&one).await.expect(200)["pairing_id"].as_str().unwrap().to_owned();
            let pairing = tour.app.get(&format!("/v1/pairings/{pairing}")).await.expect(200);
            anna.acts(&text(&pairing["games"][0], "match_id"), json!({ "type": "resign" })).await.expect(200);
            tour.app.passes_s(1).await;
        }
    }
    tour.get(NOBODY, &list, "three: Three challenges and what came of them.").await;
    tour.get(NOBODY, &format!("{path}/position-changes"), "all: How the positions came about.").await;
}

/// The Spring cup.
pub async fn tournament(tour: &mut Tour, people: &[Player]) {
    let terms = json!({
        "title": "Spring cup", "format": "swiss", "variant": "classic", "rounds": 2, "min_players": 3,
        "max_players": 32, "rated": true, "paired_games": false, "audience": "everybody",
        "clock": { "kind": "per-move", "move_s": 3 * DAY_S },
    });
    let made = tour.post(&people[0], "/v1/tournaments", terms.clone(), "spring-cup: Two rounds, Swiss system.").await;
    let path = format!("/v1/tournaments/{}", text(&made, "id"));
    for player in &people[..5] {
        tour.post(player, &format!("{path}/join"), json!({}), "spring-cup: One more player.").await;
    }
    let change = json!({ "max_players": 16 });
    tour.patch(&people[0], &path, change, "smaller: Fewer players; who has joined is told.").await;
    tour.post(&people[4], &format!("{path}/leave"), json!({}), "emil: Emil leaves before it begins.").await;
    tour.post(&people[0], &format!("{path}/start"), json!({}), "spring-cup: It begins.").await;
    tour.app.passes_s(1).await;
    plays_round(&people[..4], &path, 1, alphabet).await;
    tour.app.passes_s(1).await;
    tour.get(NOBODY, "/v1/tournaments", "one: The only tournament so far.").await;
    tour.get(&people[0], &path, "second-round: The second round is under way.").await;
    tour.get(NOBODY, &format!("{path}/rounds"), "two: Both rounds.").await;
    tour.get(NOBODY, &format!("{path}/rounds/1"), "first: The boards of the first round.").await;
    tour.get(NOBODY, &format!("{path}/standings"), "first-round: After the first round.").await;
    knockout(tour, people).await;
    round_tables(tour, people).await;
    groups(tour, people).await;
    let list = format!("{path}/standings?format=csv");
    tour.get(NOBODY, &list, "spreadsheet: The same for a spreadsheet.").await;
    tour.get(NOBODY, &format!("{path}/report"), "first-round: As FIDE's programs read it.").await;
    tour.get(NOBODY, &format!("{path}/crosstable"), "first-round: Who has met whom so far.").await;
    let table = format!("{path}/crosstable?format=csv");
    tour.get(NOBODY, &table, "spreadsheet: The same for a spreadsheet.").await;
    let other = people[0].post("/v1/tournaments", terms).await.expect(201);
    let path = format!("/v1/tournaments/{}/cancel", text(&other, "id"));
    let reason = json!({ "reason": "The club's evening had to be moved." });
    tour.post(&people[0], &path, reason, "moved: The creator calls it off.").await;
}

/// The Members' cup: entry, warnings, removals, and announcements.
pub async fn members(tour: &mut Tour, people: &[Player]) {
    let [.., carl, dora, emil, fritz] = people else { unreachable!() };
    let terms = json!({
        "title": "Members' cup", "format": "round-robin", "variant": "classic", "entry": "approval",
        "visibility": "public", "clock": { "kind": "per-move", "move_s": 3 * DAY_S },
    });
    let made = carl.post("/v1/tournaments", terms).await.expect(201);
    let id = text(&made, "id");
    let path = format!("/v1/tournaments/{id}");
    let of = |rest: &str| format!("/v1/contests/{id}/{rest}");
    for player in [dora, emil] {
        player.post(&format!("{path}/join"), json!({})).await.expect(200);
        tour.app.passes_s(60).await;
    }
    tour.get(carl, &of("entry-requests"), "two: Dora and Emil have asked to join.").await;
    tour.post(carl, &of("entry-requests/dora/accept"), json!({}), "dora: Carl lets Dora in.").await;
    let reason = json!({ "reason": "We are full for this season." });
    tour.post(carl, &of("entry-requests/emil/decline"), reason, "full: Carl declines Emil's request.").await;
    carl.request("PUT", &of("invitations/fritz"), None).await.expect(204);
    tour.get(carl, &of("invitations"), "fritz: Fritz is invited.").await;
    tour.get(fritz, "/v1/account/contest-entries", "fritz: Fritz sees the invitation.").await;
    let warning = json!({ "text": "Please resign a lost game instead of letting the clock run." });
    tour.post(carl, &of("members/dora/warn"), warning, "clock: Carl warns Dora.").await;
    tour.get(carl, &of("members"), "one: Dora plays, and was warned.").await;
    let reason = json!({ "reason": "Three games left without a word.", "bar": true });
    tour.post(carl, &of("members/dora/remove"), reason, "barred: Dora can't join again.").await;
    tour.get(carl, &of("log"), "two: A warning and a removal.").await;
    let says = json!({ "text": "The first round begins a week later, after the holidays." });
    tour.post(carl, &of("announcements"), says, "holidays: Carl tells all members.").await;
    tour.get(NOBODY, &of("announcements"), "holidays: What was announced.").await;
}

/// The Club cup.
async fn knockout(tour: &mut Tour, people: &[Player]) {
    let terms = json!({
        "title": "Club cup", "format": "knockout", "variant": "classic", "max_players": 32,
        "knockout": { "best_of": 1, "extra_boards": 2, "third_place": true, "seeding": "entry" },
        "clock": { "kind": "per-move", "move_s": 3 * DAY_S },
    });
    let made = tour.post(&people[0], "/v1/tournaments", terms, "club-cup: A knockout, seeded by entry.").await;
    let path = format!("/v1/tournaments/{}", text(&made, "id"));
    for player in &people[..3] {
        tour.app.passes_s(1).await;
        player.post(&format!("{path}/join"), json!({})).await.expect(200);
    }
    people[0].post(&format!("{path}/start"), json!({})).await.expect(200);
    tour.app.passes_s(1).await;
    tour.get(NOBODY, &format!("{path}/bracket"), "three: Anna has a bye, and Ben meets Carl.").await;
}

/// The Round tables: four at one table.
async fn round_tables(tour: &mut Tour, people: &[Player]) {
    let terms = json!({
        "title": "Round tables", "format": "tables", "variant": "salvos", "seats": 5, "rounds": 3, "max_players": 35,
        "clock": { "kind": "per-move", "move_s": 3 * DAY_S },
    });
    let made = tour.post(&people[1], "/v1/tournaments", terms, "round-tables: Five at a table, three rounds.").await;
    let path = format!("/v1/tournaments/{}", text(&made, "id"));
    for player in &people[1..5] {
        player.post(&format!("{path}/join"), json!({})).await.expect(200);
    }
    people[1].post(&format!("{path}/start"), json!({})).await.expect(200);
    tour.app.passes_s(1).await;
    tour.get(NOBODY, &format!("{path}/rounds/1"), "round-tables: A table of four.").await;
}

/// The Harbour cup: two groups after their first rounds.
async fn groups(tour: &mut Tour, people: &[Player]) {
    let terms = json!({
        "title": "Harbour cup", "format": "groups", "variant": "classic", "max_players": 24,
        "groups": { "size": 4, "qualifiers": 2 }, "knockout": { "third_place": true, "seeding": "entry" },
        "clock": { "kind": "per-move", "move_s": 3 * DAY_S },
    });
    let made = tour.post(&people[4], "/v1/tournaments", terms, "harbour-cup: Groups of four, then finals.").await;
    let path = format!("/v1/tournaments/{}", text(&made, "id"));
    for player in &people[..6] {
        tour.app.passes_s(1).await;
        player.post(&format!("{path}/join"), json!({})).await.expect(200);
    }
    people[4].post(&format!("{path}/start"), json!({})).await.expect(200);
    tour.app.passes_s(1).await;
    for round in 1..=3 {
        plays_round(&people[..6], &path, round, alphabet).await;
        tour.app.passes_s(1).await;
    }
    let table = format!("{path}/standings?group=1");
    tour.get(NOBODY, &table, "group: The first group of the Harbour cup, which is over.").await;
    let pairs = format!("{path}/crosstable?group=1");
    tour.get(NOBODY, &pairs, "group: Who has met whom in the first group.").await;
    tour.get(NOBODY, &format!("{path}/bracket"), "finals: Two of each group play for the first places.").await;
}

/// Substitutes in a tournament: a player asks, and the organizer agrees.
pub async fn substitutes(tour: &mut Tour, people: &[Player]) {
    let (maker, emil) = (&people[5], &people[4]);
    let path = of_three(maker, &people[..3], json!({})).await;
    starts(maker, &path).await;
    let board = boards(&tour.app, &path, 1).await[0].clone();
    let id = board["match_ids"][0].as_str().unwrap();
    let first = named(people, &board["first"]);
    let requests = format!("/v1/matches/{id}/substitutions");
    let wanted = json!({ "message": "I have to leave for some months." });
    let wanted = tour.post(first, &requests, wanted, "offer: To whoever may take the seat.").await;
    let one = format!("/v1/substitutions/{}", text(&wanted, "id"));
    tour.get(NOBODY, "/v1/substitutions", "one: A seat is free.").await;
    tour.post(emil, &format!("{one}/accept"), json!({}), "ready: Emil would take it.").await;
    tour.get(NOBODY, &one, "proposed: Emil waits for who runs the tournament.").await;
    tour.post(emil, &format!("{one}/decline"), json!({}), "not-ready: Emil has thought better of it.").await;
    emil.post(&format!("{one}/accept"), json!({})).await.expect(204);
    let agrees = json!({ "agrees": true, "reason": "Emil is an old member." });
    tour.post(maker, &format!("{one}/answer"), agrees, "agrees: The seat is Emil's.").await;
    tour.get(NOBODY, &requests, "completed: The seat was handed over.").await;
}

/// An organizer who doesn't play judges a tournament's matches.
pub async fn judged(tour: &mut Tour, people: &[Player]) {
    let maker = &people[5];
    let path = of_three(maker, &people[..3], json!({ "rated": true, "round_time_s": 7 * DAY_S })).await;
    starts(maker, &path).await;
    let board = boards(&tour.app, &path, 1).await[0].clone();
    let played = format!("/v1/matches/{}", board["match_ids"][0].as_str().unwrap());
    let more = json!({ "seat": 0, "seconds": DAY_S, "reason": "Their line was cut." });
    tour.post(maker, &format!("{played}/add-time"), more, "day: Seat 0 has a day more for this turn.").await;
    let later = json!({ "seconds": 2 * DAY_S, "reason": "A holiday." });
    tour.post(maker, &format!("{path}/rounds/1/extend"), later, "holiday: The round lasts two days longer.").await;
    let verdict = json!({
        "expected_status": "running", "verdict": "win", "winner": 1, "reason": "Their opponent did not come.",
    });
    tour.post(maker, &format!("{played}/adjudicate"), verdict, "win: Seat 1 has won.").await;
    let reason = json!({ "reason": "It was played with the wrong rules." });
    tour.post(maker, &format!("{played}/annul"), reason, "wrong-rules: It no longer counts for ratings.").await;
    let contest = path.replace("tournaments", "contests");
    let moves = json!({ "reason": "The club moves house." });
    tour.post(maker, &format!("{contest}/pause"), moves, "house: Thirty days at most, or until it goes on.").await;
    tour.app.passes_s(60).await;
    tour.post(maker, &format!("{contest}/resume"), json!({}), "house: The club has moved.").await;
}
