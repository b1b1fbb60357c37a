//! Comparison of the clients' books of a match with the service's data, through the public API only: reports, events,
//! ratings, and the result.

use std::time::Duration;

use serde_json::Value;

use super::client::Client;
use super::log::Log;
use super::table::Table;
use super::{Findings, Shot, Story, Told, count};
use crate::Outcome;
use crate::player;

/// Looks at a match whose time has run out, or whose ratings are due, one second apart.
const LOOKS: usize = 60;

/// Compares one match: each player's view, and their events.
pub async fn compare(clients: &mut [Client; 2], logs: &mut [Log; 2], story: &Story) -> Outcome {
    let [one, other] = clients;
    compare_seats([one, other], logs.each_mut(), story).await
}

/// Like [`compare`] for players without a table, in the order of their seats.
pub async fn compare_seats(mut clients: [&mut Client; 2], mut logs: [&mut Log; 2], story: &Story) -> Outcome {
    let view = ended(clients[0], story).await?;
    let is_over = !view["result"].is_null();
    let changes = compare_ratings(clients[0], story, &view).await?;
    for (seat, (client, log)) in clients.iter_mut().zip(&mut logs).enumerate() {
        log.follow(client).await?;
        let events = log.of_match.remove(&story.id).unwrap_or_default();
        let around = std::sync::Arc::clone(client.around());
        let fault = |what: String| around.findings.add(&format!("{}, seat {seat}: {what}", story.id));
        for (kind, due) in
            [("match-started", 1), ("match-finished", usize::from(is_over)), ("rating-changed", changes / 2)]
        {
            let told = events.iter().filter(|event| event["type"] == kind).count();
            if told != due {
                fault(format!("{kind} was told {told} times, and is due {due} times"));
            }
        }
        let reports = compare_reports(client, seat, story, &events, &fault).await?;
        match &story.told {
            Some(told) => {
                let told = told.iter().filter(|(viewer, _)| *viewer == seat as u64).map(|(_, report)| report);
                count(&around.findings.told, told.clone().count());
                told.clone().filter(|told| !reports.contains(told)).for_each(|lost| {
                    fault(format!("this was acknowledged and isn't there, or not as it was told: {lost}"));
                });
            }
            None => compare_shots(story, &reports, seat, &around.findings, &fault),
        }
    }
    let findings = &clients[0].around().findings;
    count(&findings.matches, 1);
    count(&findings.rated, usize::from(changes > 0));
    Ok(())
}

/// The view of a match, with its end if due. Only the player who left may have lost on time.
async fn ended(client: &mut Client, story: &Story) -> Outcome<Value> {
    let mut view = client.read(&story.path()).await?;
    let awaited = story.left_by.is_some() && story.due.is_some_and(|due| due.elapsed() > Duration::ZERO);
    for _ in 0..LOOKS {
        if !awaited || !view["result"].is_null() {
            break;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
        view = client.read(&story.path()).await?;
    }
    let (id, result) = (&story.id, &view["result"]);
    let findings = &client.around().findings;
    match story.left_by {
        Some(seat) if !result.is_null() => {
            count(&findings.left, 1);
            if result["reason"] != "time" || result["winner"] != 1 - seat {
                findings.add(&format!("{id} was left by seat {seat}, and ended so: {result}"));
            }
        }
        Some(seat) if awaited => {
            let deadline = &view["deadline"];
            findings.add(&format!("{id} was left by seat {seat}, and nobody has judged its clock: {deadline}"));
        }
        None if story.over && result.is_null() => findings.add(&format!("{id} was over, and isn't now")),
        _ => {}
    }
    Ok(view)
}

/// A finished rated match has changed each player's rating once; any other match has changed none. Returns the number
/// of changes.
async fn compare_ratings(client: &mut Client, story: &Story, view: &Value) -> Outcome<usize> {
    let due = if view["rated"] == true && view["status"] == "finished" { 2 } else { 0 };
    let path = format!("{}/rating-changes", story.path());
    let mut rows = 0;
    for _ in 0..LOOKS {
        let changes = client.read(&path).await?;
        rows = changes["items"].as_array().map_or(0, Vec::len);
        if rows >= due {
            break;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    if rows != due {
        let findings = &client.around().findings;
        findings.add(&format!("{}: {rows} changes of ratings, and {due} are due", story.id));
    }
    Ok(due)
}

/// A seat's reports have no gap, are as many as its version says, no fewer than shown before, and exactly those in its
/// events.
async fn compare_reports(
    client: &mut Client,
    seat: usize,
    story: &Story,
    events: &[Value],
    fault: &impl Fn(String),
) -> Outcome<Vec<Value>> {
    let reports = client.pages(&format!("{}/reports?limit=1000", story.path()), "after").await?;
    let view = client.read(&story.path()).await?;
    for (number, report) in (1_u64..).zip(&reports) {
        if report["number"] != number {
            fault(format!("report {number} has the number {}", report["number"]));
        }
    }
    if view["version"] != reports.len() {
        fault(format!("version {} after {} reports", view["version"], reports.len()));
    }
    if (reports.len() as u64) < story.seen[seat] {
        fault(format!("was shown version {}, and has {} reports", story.seen[seat], reports.len()));
    }
    let told = events.iter().filter(|event| event["type"] == "report").map(|event| &event["report"]);
    let told: Vec<&Value> = told.collect();
    if told != reports.iter().collect::<Vec<_>>() {
        fault(format!("{} reports, and events tell of {} or of others", reports.len(), told.len()));
    }
    Ok(reports)
}

fn compare_shots(story: &Story, reports: &[Value], seat: usize, findings: &Findings, fault: &impl Fn(String)) {
    let fired: Vec<&Value> = reports.iter().filter(|report| report["type"] == "fired").collect();
    match in_order(&story.shots, &fired, seat as u64) {
        Ok(happened) if seat == 0 => count(&findings.given_up_and_there, happened),
        Ok(_) => {}
        Err(what) => fault(what),
    }
    if seat == 0 {
        let told = |shot: &&Shot| matches!(shot.told, Told::Acknowledged(_));
        count(&findings.shots, story.shots.iter().filter(told).count());
    }
}

/// Checks that the reports are the shots, in order: acknowledged ones once, as told; abandoned ones at most once;
/// refused ones never. Returns the number of abandoned shots that were fired.
fn in_order(shots: &[Shot], fired: &[&Value], viewer: u64) -> Outcome<usize> {
    let mut reports = fired.iter().peekable();
    let mut happened = 0;
    for shot in shots {
        let is_it = |report: &&&Value| report["seat"] == shot.seat && report["shots"][0]["cell"] == shot.cell.as_str();
        let report = reports.next_if(is_it);
        let (seat, cell) = (shot.seat, &shot.cell);
        match (&shot.told, report) {
            (Told::Acknowledged(_), None) => {
                let there = reports.peek().map_or_else(|| "nothing".to_owned(), ToString::to_string);
                return Err(format!("the acknowledged shot of seat {seat} at {cell} is lost; in its place is {there}"));
            }
            (Told::Acknowledged(told), Some(report)) if seat == viewer && told != *report => {
                return Err(format!("a shot was acknowledged as {told}, and stands as {report}"));
            }
            (Told::Refused, Some(report)) => return Err(format!("this was refused, and has happened: {report}")),
            (Told::Nothing, Some(_)) => happened += 1,
            (Told::Acknowledged(_), Some(_)) | (Told::Refused | Told::Nothing, None) => {}
        }
    }
    match reports.next() {
        None => Ok(happened),
        Some(more) => Err(format!("nobody fired this shot, or not a second time: {more}")),
    }
}

/// Checks that a table's matches and challenges are exactly those known to its players, and that no event is about an
/// unknown match, or came after its end.
pub async fn compare_lists(table: &mut Table) -> Outcome {
    let [host, _] = &mut table.clients;
    let path = format!("/v1/matches?player={}&limit=100", host.player.username);
    let mut there: Vec<String> = Vec::new();
    for listed in host.pages(&path, "cursor").await? {
        there.push(player::text(&listed, "id")?.to_owned());
    }
    let challenges = host.pages("/v1/challenges?mine=true&limit=100", "cursor").await?.len();
    let around = std::sync::Arc::clone(host.around());
    let (name, known) = (&host.player.username, &table.ids);
    there.sort_unstable();
    if there.windows(2).any(|two| two[0] == two[1]) {
        around.findings.add(&format!("a match of {name} is listed twice"));
    }
    let lost = known.iter().filter(|id| there.binary_search(id).is_err()).count();
    let unknown = there.iter().filter(|id| !known.contains(*id)).count();
    // A client whose challenge got no response can't know its fate.
    let tolerated = table.half_begun;
    if lost > 0 || unknown > tolerated || challenges.abs_diff(table.challenges) > tolerated {
        let (known, made) = (known.len(), table.challenges);
        around.findings.add(&format!(
            "{name} knows {known} matches and made {made} challenges; {lost} of them and {unknown} others are there, and \
             {challenges} challenges"
        ));
    }
    for log in &table.logs {
        let told = log.of_match.keys().filter(|id| !there.contains(id) || known.contains(*id)).count();
        if told > 0 {
            around.findings.add(&format!("{name} was told of {told} matches that nobody played, or after their end"));
        }
    }
    Ok(())
}
