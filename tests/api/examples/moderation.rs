//! Players' reports and moderators' actions.

use serde_json::json;

use super::{Tour, text};
use crate::support::Player;

/// A message and a rule set are reported; the moderator Mia decides.
pub async fn reports(tour: &mut Tour, people: &[Player]) {
    let [_, ben, carl, ..] = people else { unreachable!() };
    let mia = tour.app.moderator("mia").await;
    let id = carl.challenges_and_meets(ben, json!({})).await;
    let room = format!("/v1/matches/{id}/chat/players");
    ben.post(&room, json!({ "text": "You again? You should be ashamed." })).await.expect(201);
    let body = json!({ "reason": "harassment", "comment": "The third time this week." });
    tour.post(carl, &format!("{room}/1/report"), body, "third: Carl reports what Ben wrote.").await;
    let sets = tour.app.get("/v1/rule-sets").await.expect(200);
    let hash = text(&sets["items"][0], "hash");
    let body = json!({ "reason": "hate", "comment": "Look at the names of the ships." });
    tour.post(carl, &format!("/v1/rule-sets/{hash}/report"), body, "names: Carl reports a rule set.").await;
    let body = json!({ "reason": "spam", "comment": "Their line is an advertisement." });
    tour.post(carl, "/v1/players/ben/report", body, "line: Carl reports what Ben's profile says.").await;
    let rude = json!({ "variant": "classic", "clock": { "kind": "none" }, "opponent": "carl", "message": "Coward." });
    let rude = ben.post("/v1/challenges", rude).await.expect(201);
    let body = json!({ "reason": "harassment", "comment": "The third one today." });
    let path = format!("/v1/abuse-reports/challenge/{}", text(&rude, "id"));
    tour.post(carl, &path, body, "challenge: Carl reports the message of a challenge.").await;
    let found = tour.get(&mia, "/v1/moderation/abuse-reports", "four: Everything that Carl has reported.").await;
    for report in found["items"].as_array().unwrap() {
        let path = format!("/v1/moderation/abuse-reports/{}/resolve", text(report, "id"));
        let body = json!({ "resolution": "no-action", "reason": "Rude, but no more than that." });
        tour.post(&mia, &path, body, "no-action: Nothing follows.").await;
    }
    let set = format!("/v1/moderation/rule-sets/{hash}");
    tour.get(&mia, &set, "twelve: A rule set and its reports.").await;
    let reason = json!({ "reason": "The title insults a player." });
    tour.post(&mia, &format!("{set}/hide"), reason, "title: Its words are hidden.").await;
    let reason = json!({ "reason": "It was a quotation." });
    tour.post(&mia, &format!("{set}/unhide"), reason, "quotation: Its words are shown again.").await;
}

/// Annulled and adjudicated matches, a suspension, and the fair-play report.
pub async fn sanctions(tour: &mut Tour, people: &[Player]) {
    let [.., emil, fritz] = people else { unreachable!() };
    let mia = tour.app.lasting_player("mina").await;
    tour.app.grants("mina", "moderator").await;
    for _ in 0..10 {
        emil.beats(fritz).await;
        tour.app.passes_s(3600).await;
    }
    tour.get(&mia, "/v1/moderation/fair-play?pool=classic-days", "pair: One player has always won.").await;
    let path = "/v1/moderation/players/emil/hit-analysis?matches=5";
    tour.get(&mia, path, "nothing: Nothing speaks against Emil.").await;
    let running = emil.begins_rated(fritz).await;
    let verdict = json!({
        "expected_status": "running", "verdict": "win", "winner": 0,
        "reason": "The opponent used a second account to see the sea.",
    });
    let path = format!("/v1/moderation/matches/{running}/adjudicate");
    tour.post(&mia, &path, verdict, "win: Seat 0 has won.").await;
    let finished = emil.beats(fritz).await;
    let reason = json!({ "reason": "Played by one person in two seats." });
    tour.post(&mia, &format!("/v1/moderation/matches/{finished}/annul"), reason, "one-person: It no longer counts.")
        .await;
    let path = "/v1/moderation/players/fritz";
    let body = json!({
        "reason": "Insults in three matches, after a warning.", "expires_in_s": 604_800, "running_matches": "play-on",
    });
    tour.post(&mia, &format!("{path}/suspend"), body, "week: Fritz is suspended for a week.").await;
    tour.get(&mia, path, "suspended: Fritz, who is suspended.").await;
    let reason = json!({ "reason": "The player has apologised." });
    tour.post(&mia, &format!("{path}/lift-suspension"), reason, "apology: Before its time.").await;
    a_case(tour, &mia, fritz).await;
    tour.get(&mia, "/v1/moderation/actions?limit=3", "newest: What moderators did last.").await;
}

/// A case about Fritz: Mia decides it, and Moe grants the appeal.
async fn a_case(tour: &mut Tour, mia: &Player, fritz: &Player) {
    let moe = tour.app.moderator("moe").await;
    let new = json!({ "player": "fritz", "title": "Two accounts in one hand" });
    let made = tour.post(mia, "/v1/cases", new, "hands: A case of the moderators.").await;
    let case = format!("/v1/cases/{}", text(&made, "id"));
    let hits = json!({ "kind": "hit-analysis" });
    tour.post(mia, &format!("{case}/evidence"), hits, "hits: How well Fritz hits at present.").await;
    let note = json!({ "text": "Both accounts were made on the same day." });
    tour.post(mia, &format!("{case}/notes"), note, "day: A note, which Fritz never reads.").await;
    let month = json!({
        "decision": "suspension", "reason": "Two accounts in one hand.", "suspension": { "expires_in_s": 2_592_000 },
    });
    tour.post(mia, &format!("{case}/decide"), month, "month: Fritz is suspended for a month.").await;
    let own = case.replace("/v1/", "/v1/account/");
    let why = json!({ "text": "My sister has the other account; she plays for the same club." });
    tour.post(fritz, &format!("{own}/appeal"), why, "sister: Fritz appeals.").await;
    let granted = json!({ "outcome": "overturned", "reason": "The second account is a sister's." });
    tour.post(&moe, &format!("{case}/appeal/decide"), granted, "sister: Somebody else than Mia grants it.").await;
    tour.get(&moe, &case, "closed: The whole case.").await;
    tour.get(&moe, "/v1/cases?state=closed", "closed: Cases that are closed.").await;
    tour.get(fritz, "/v1/account/cases", "fritz: What Fritz reads.").await;
}
