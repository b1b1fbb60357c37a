//! The comparison of what clients were told with what is there.

use serde_json::Value;

use super::{Book, Shot, Story};
use crate::Outcome;
use crate::http::{Connection, Manner};
use crate::player::{self, Player};
use crate::service::Service;

/// What is wrong, one line a fault, and how much was looked at.
#[derive(Default)]
struct Findings {
    faults: Vec<String>,
    acknowledged: usize,
    /// Reports that were in an answer: in games whose moves have several reports, or none of their own.
    told: usize,
    given_up_and_there: usize,
    rated: usize,
    events: usize,
}

/// Reads everything, compares, stops the service and lets it audit its folder.
pub async fn check(mut service: Service, books: Vec<Book>) -> Outcome {
    let mut findings = Findings::default();
    let (mut matches, mut again, mut given_up) = (0, 0, 0);
    let mut waits_ms = Vec::new();
    for mut book in books {
        for player in &mut book.players {
            player.connection = Connection::to(service.address, Manner::default());
            player.sign_in().await?;
        }
        again += book.again;
        given_up += book.given_up;
        waits_ms.append(&mut book.waits_ms);
        matches += book.stories.len();
        compare_lists(&mut book, &mut findings).await?;
        let logs =
            [log_of(&mut book.players[0], &mut findings).await?, log_of(&mut book.players[1], &mut findings).await?];
        for log in &logs {
            compare_endings(log, &book.stories, &mut findings);
        }
        for story in &book.stories {
            compare_ratings(&mut book.players[0], story, &logs, &mut findings).await?;
            compare(&mut book.players, story, &logs, &mut findings).await?;
        }
    }
    println!(
        "{matches} matches, {} shots acknowledged, {} reports of other games told in answers, {} events told; {again} requests sent again under their key; {given_up} given up, {} of them had happened",
        findings.acknowledged, findings.told, findings.events, findings.given_up_and_there
    );
    waits_ms.sort_unstable();
    let of =
        |share: f64| waits_ms.get(((waits_ms.len() as f64 * share) as usize).min(waits_ms.len().saturating_sub(1)));
    if let (Some(middle), Some(late), Some(last)) = (of(0.5), of(0.99), waits_ms.last()) {
        println!(
            "{} times a client was not answered; the next answer came after {middle} ms in the middle, {late} ms at p99, \
             {last} ms at most",
            waits_ms.len()
        );
    }
    println!("{} matches were rated", findings.rated);
    if findings.rated == 0 {
        findings.faults.push("no rated match has come to its end, so nothing was shown of ratings".to_owned());
    }
    service.stop()?;
    for command in [&["audit"][..], &["ratings", "verify"]] {
        let (good, words) = service.command(command)?;
        let command = command.join(" ");
        println!("{command}: {words}");
        if !good {
            findings.faults.push(format!("`{command}` found faults"));
        }
    }
    if findings.faults.is_empty() {
        println!("nothing lost, nothing doubled, nothing halved");
        return Ok(());
    }
    findings.faults.iter().take(20).for_each(|fault| println!("FAULT: {fault}"));
    Err(format!("{} faults", findings.faults.len()))
}

/// The matches and challenges of a player are those that their events named, and no others.
async fn compare_lists(book: &mut Book, findings: &mut Findings) -> Outcome {
    let [host, _] = &mut book.players;
    let path = format!("/v1/matches?player={}&limit=100", host.username);
    let mut there: Vec<String> = Vec::new();
    for listed in pages(host, &path, "cursor").await? {
        there.push(player::text(&listed, "id")?.to_owned());
    }
    let mut known: Vec<&str> = book.stories.iter().map(|story| story.id.as_str()).collect();
    there.sort_unstable();
    known.sort_unstable();
    if there != known {
        findings.faults.push(format!("{} knows {} matches, {} are there", host.username, known.len(), there.len()));
    }
    let challenges = pages(host, "/v1/challenges?mine=true&limit=100", "cursor").await?;
    if challenges.len() != book.challenges {
        let (there, known) = (challenges.len(), book.challenges);
        findings.faults.push(format!("{} made {known} challenges, {there} are there", host.username));
    }
    Ok(())
}

/// The events of a player, whose numbers have no gap.
async fn log_of(player: &mut Player, findings: &mut Findings) -> Outcome<Vec<Value>> {
    let (mut log, mut after): (Vec<Value>, String) = (Vec::new(), "0".to_owned());
    loop {
        let path = format!("/v1/events?after={after}&limit=1000");
        let page = player.ask("GET", &path, &Value::Null).await?;
        let items = page["items"].as_array().cloned().unwrap_or_default();
        if items.is_empty() {
            break;
        }
        log.extend(items);
        page["next_cursor"].as_str().unwrap_or_default().clone_into(&mut after);
    }
    for (number, event) in (1_u64..).zip(&log) {
        if event["number"] != number {
            findings.faults.push(format!("event {number} of {} has the number {}", player.username, event["number"]));
            break;
        }
    }
    findings.events += log.len();
    Ok(log)
}

/// Each match is told to begin once, and to end once at most; and no other is told of.
fn compare_endings(log: &[Value], stories: &[Story], findings: &mut Findings) {
    for (kind, least) in [("match-started", 1), ("match-finished", 0)] {
        let told: Vec<&str> =
            log.iter().filter(|event| event["type"] == kind).filter_map(|event| event["match_id"].as_str()).collect();
        for story in stories {
            let times = told.iter().filter(|id| **id == story.id).count();
            if times < least || times > 1 {
                findings.faults.push(format!("{}: {kind} was told {times} times", story.id));
            }
        }
        if told.iter().any(|id| stories.iter().all(|story| story.id != *id)) {
            findings.faults.push(format!("{kind} was told of a match that nobody played"));
        }
    }
}

/// A rated match that is over has changed the rating of each of its players once, and has told them so once; any other
/// has changed none.
async fn compare_ratings(
    player: &mut Player,
    story: &Story,
    logs: &[Vec<Value>; 2],
    findings: &mut Findings,
) -> Outcome {
    let due = usize::from(story.rated && story.over);
    findings.rated += due;
    let changes = player.ask("GET", &format!("/v1/matches/{}/rating-changes", story.id), &Value::Null).await?;
    let rows = changes["items"].as_array().map_or(0, Vec::len);
    if rows != 2 * due {
        findings.faults.push(format!("{}: {rows} changes of ratings, and {} are due", story.id, 2 * due));
    }
    for log in logs {
        let of_it = |event: &&Value| event["type"] == "rating-changed" && event["match_id"] == story.id.as_str();
        let told = log.iter().filter(of_it).count();
        if told != due {
            findings.faults.push(format!("{}: rating-changed was told {told} times, and is due {due} times", story.id));
        }
    }
    Ok(())
}

/// Compares one match, as each of its players sees it, and as their events told it.
async fn compare(players: &mut [Player; 2], story: &Story, logs: &[Vec<Value>; 2], findings: &mut Findings) -> Outcome {
    for ((seat, player), log) in (0..).zip(players).zip(logs) {
        let path = format!("/v1/matches/{}/reports?limit=1000", story.id);
        let reports = pages(player, &path, "after").await?;
        let view = player.ask("GET", &format!("/v1/matches/{}", story.id), &Value::Null).await?;
        let mut fault = |what: String| findings.faults.push(format!("{}, seat {seat}: {what}", story.id));
        for (number, report) in (1_u64..).zip(&reports) {
            if report["number"] != number {
                fault(format!("report {number} has the number {}", report["number"]));
            }
        }
        if view["version"] != reports.len() {
            fault(format!("version {} after {} reports", view["version"], reports.len()));
        }
        let told = log.iter().filter(|event| event["type"] == "report" && event["match_id"] == story.id.as_str());
        let told: Vec<&Value> = told.map(|event| &event["report"]).collect();
        if told != reports.iter().collect::<Vec<_>>() {
            fault(format!("{} reports, and events tell of {} or of others", reports.len(), told.len()));
        }
        if let Some(told) = &story.told {
            let told = told.iter().filter(|(viewer, _)| *viewer == seat).map(|(_, report)| report);
            if let Some(lost) = told.clone().find(|told| !reports.contains(told)) {
                fault(format!("this was told and isn't there, or not as it was told: {lost}"));
            }
            findings.told += told.count();
            continue;
        }
        let fired: Vec<&Value> = reports.iter().filter(|report| report["type"] == "fired").collect();
        match in_order(&story.shots, &fired, seat) {
            Ok(happened) if seat == 0 => findings.given_up_and_there += happened,
            Ok(_) => {}
            Err(what) => fault(what),
        }
    }
    findings.acknowledged += story.shots.iter().filter(|shot| shot.told.is_some()).count();
    Ok(())
}

/// Whether the reports are the shots, in order: each acknowledged one once, as it was told; those that were given up
/// once or not at all, as their client found when it looked. Returns how many of the latter happened.
fn in_order(shots: &[Shot], fired: &[&Value], viewer: u64) -> Outcome<usize> {
    let mut reports = fired.iter();
    let mut happened = 0;
    for shot in shots.iter().filter(|shot| shot.happened) {
        let report =
            reports.next().ok_or_else(|| format!("the shot of seat {} at {} is lost", shot.seat, shot.cell))?;
        if report["seat"] != shot.seat || report["shots"][0]["cell"] != shot.cell.as_str() {
            return Err(format!("in the place of the shot of seat {} at {} stands {report}", shot.seat, shot.cell));
        }
        match &shot.told {
            Some(told) if shot.seat == viewer && told != *report => {
                return Err(format!("a shot was acknowledged as {told}, and stands as {report}"));
            }
            Some(_) => {}
            None => happened += 1,
        }
    }
    match reports.next() {
        None => Ok(happened),
        Some(more) => Err(format!("nobody fired this shot, or not a second time: {more}")),
    }
}

/// All pages of a list, whose next one is asked for by `parameter`.
async fn pages(player: &mut Player, path: &str, parameter: &str) -> Outcome<Vec<Value>> {
    let mut items = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = player.ask("GET", &format!("{path}{cursor}"), &Value::Null).await?;
        items.extend(page["items"].as_array().cloned().unwrap_or_default());
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&{parameter}={next}"),
            None => return Ok(items),
        }
    }
}
