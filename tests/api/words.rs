//! Texts that people write: each has a defined fate when its author deletes the account, in the database and for every
//! reader.

use std::collections::{BTreeMap, BTreeSet};

use broadside::account_deletion::words::{COLUMNS, Fate};
use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Text};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use serde_json::{Value, json};

use crate::contest_entries::{at, contests};
use crate::support::database::execute;
use crate::support::{Player, TestApp, seven_people};

/// `GOES` is in every text of Anna's that is deleted, `STAYS` in every text of hers that stays.
const GOES: &str = "Zanzibar";
const STAYS: &str = "Mombasa";

#[derive(QueryableByName)]
struct Column {
    #[diesel(sql_type = Text)]
    table: String,
    #[diesel(sql_type = Text)]
    column: String,
}

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

/// Every column that can hold text.
async fn text_columns(app: &TestApp) -> BTreeSet<(String, String)> {
    let query = "SELECT table_name::text AS table, column_name::text AS column FROM information_schema.columns \
         WHERE table_schema = 'public' AND table_name NOT LIKE '\\_\\_%' AND (data_type IN ('text', 'json', 'jsonb') \
           OR data_type LIKE 'character%' OR udt_name IN ('_text', '_jsonb', '_varchar'))";
    let mut connection = AsyncPgConnection::establish(&app.database).await.unwrap();
    let columns: Vec<Column> = diesel::sql_query(query).load(&mut connection).await.unwrap();
    columns.into_iter().map(|column| (column.table, column.column)).collect()
}

/// The columns that contain a word.
async fn columns_with(app: &TestApp, word: &str) -> BTreeSet<(String, String)> {
    let mut connection = AsyncPgConnection::establish(&app.database).await.unwrap();
    let mut found = BTreeSet::new();
    for (table, column) in text_columns(app).await {
        let query = format!("SELECT count(*) FROM {table} WHERE {column}::text ILIKE '%{word}%'");
        let count: Count = diesel::sql_query(query).get_result(&mut connection).await.unwrap();
        if count.count > 0 {
            found.insert((table, column));
        }
    }
    found
}

fn fates() -> BTreeMap<(String, String), Fate> {
    let mut fates = BTreeMap::new();
    for of in COLUMNS {
        for column in of.columns {
            let before = fates.insert((of.table.to_owned(), (*column).to_owned()), of.fate);
            assert_eq!(before, None, "{}.{column} has two fates", of.table);
        }
    }
    fates
}

#[actix_web::test]
async fn every_column_of_text_has_a_fate() {
    let app = TestApp::start().await;
    let columns = text_columns(&app).await;
    let fates: BTreeSet<(String, String)> = fates().into_keys().collect();
    let without: Vec<_> = columns.difference(&fates).collect();
    assert!(without.is_empty(), "say in account_deletion::words what becomes of {without:?}");
    let gone: Vec<_> = fates.difference(&columns).collect();
    assert!(gone.is_empty(), "there is no {gone:?}");
}

/// The column in which each text of a request is stored. A new text in a request must be added here.
const TEXTS_OF_REQUESTS: &[(&str, &str)] = &[
    ("accept_challenge /nonce", "challenge_seats nonce"),
    ("add_case_note /text", "case_entries text"),
    ("add_match_time /reason", "audit_log reason"),
    ("adjudicate_contest_match /reason", "adjudications note"),
    ("adjudicate_match /reason", "audit_log reason"),
    ("annul_contest_match /reason", "rating_changes note"),
    ("annul_match /reason", "audit_log reason"),
    ("answer_substitution /reason", "audit_log reason"),
    ("appeal_case /text", "cases appeal"),
    ("cancel_tournament /reason", "tournaments reason"),
    ("close_ladder /reason", "ladders closed_reason"),
    ("create_case /title", "cases title"),
    ("create_challenge /message", "challenges message"),
    ("create_challenge /nonce", "challenge_seats nonce"),
    ("create_contest_announcement /text", "contest_announcements text"),
    ("create_ladder /description", "ladders description"),
    ("create_ladder /title", "ladders title"),
    ("create_passkey /name", "passkeys name"),
    ("create_push_subscription /name", "push_subscriptions name"),
    ("create_rule_set /rules_markdown", "named_rule_sets rules_text"),
    ("create_rule_set /title", "named_rule_sets title"),
    ("create_substitution /message", "substitutions message"),
    ("create_substitution /reason", "audit_log reason"),
    ("create_token /name", "access_tokens name"),
    ("create_tournament /description", "tournaments description"),
    ("create_tournament /title", "tournaments title"),
    ("decide_case /reason", "cases reason"),
    ("decide_case_appeal /reason", "cases outcome_reason"),
    ("decline_entry_request /reason", "contest_log reason"),
    ("extend_tournament_round /reason", "audit_log reason"),
    ("hide_rule_set /reason", "audit_log reason"),
    ("lift_suspension /reason", "audit_log reason"),
    ("pair_tournament_round /reason", "tournament_drafts reason"),
    ("pause_contest /reason", "contest_pauses reason"),
    ("register_app /description", "registered_apps description"),
    ("register_app /name", "registered_apps name"),
    ("remove_contest_member /reason", "contest_log reason"),
    ("rename_passkey /name", "passkeys name"),
    ("replace_bot_offer /description", "bot_offers description"),
    ("replace_match_notes /marks/mark", "match_notes marks"),
    ("replace_match_notes /text", "match_notes text"),
    ("report_message /comment", "abuse_reports comment"),
    ("report_player /comment", "abuse_reports comment"),
    ("report_rule_set /comment", "abuse_reports comment"),
    ("report_text /comment", "abuse_reports comment"),
    ("request_tournament_bye /reason", "audit_log reason"),
    ("resolve_abuse_report /reason", "audit_log reason"),
    ("score_late_entry /reason", "audit_log reason"),
    ("send_message /text", "chat_messages text"),
    ("suspend_player /reason", "accounts suspension_reason"),
    ("unhide_rule_set /reason", "audit_log reason"),
    ("update_account /bio", "accounts bio"),
    ("update_account /club", "accounts club"),
    ("update_ladder /description", "ladders description"),
    ("update_ladder /title", "ladders title"),
    ("update_registered_app /description", "registered_apps description"),
    ("update_registered_app /name", "registered_apps name"),
    ("update_tournament /description", "tournaments description"),
    ("update_tournament /title", "tournaments title"),
    ("warn_contest_member /text", "contest_log reason"),
];

/// The places in a schema for free text: strings that may contain spaces and are no enum.
fn texts(document: &Value, schema: &Value, place: &str, seen: &[&str], found: &mut BTreeSet<String>) {
    if let Some(reference) = schema["$ref"].as_str() {
        if !seen.contains(&reference) {
            let (inner, seen) = (document.pointer(&reference[1..]).unwrap(), [seen, &[reference]].concat());
            texts(document, inner, place, &seen, found);
        }
        return;
    }
    for part in ["oneOf", "anyOf", "allOf"].into_iter().flat_map(|kind| schema[kind].as_array().into_iter().flatten()) {
        texts(document, part, place, seen, found);
    }
    let is_text = schema["type"] == "string" || schema["type"].as_array().is_some_and(|t| t.contains(&json!("string")));
    let is_free = ["enum", "format", "const"].into_iter().all(|rule| schema[rule].is_null());
    if is_text
        && is_free
        && jsonschema::is_valid(&json!({ "pattern": schema["pattern"].as_str().unwrap_or("") }), &json!("two words"))
    {
        found.insert(place.to_owned());
    }
    for (name, inner) in schema["properties"].as_object().into_iter().flatten() {
        texts(document, inner, &format!("{place}/{name}"), seen, found);
    }
    if schema["items"].is_object() {
        texts(document, &schema["items"], place, seen, found);
    }
}

#[actix_web::test]
async fn every_text_of_a_request_is_stored_where_it_has_a_fate() {
    let app = TestApp::start().await;
    let document = app.get("/openapi.json").await.expect(200);
    let mut found = BTreeSet::new();
    for operation in document["paths"].as_object().unwrap().values().flat_map(|item| item.as_object().unwrap().values())
    {
        let content = operation["requestBody"]["content"].as_object();
        for body in content.into_iter().flat_map(|content| content.values()) {
            let mut places = BTreeSet::new();
            texts(&document, &body["schema"], "", &[], &mut places);
            let id = operation["operationId"].as_str().unwrap();
            found.extend(places.into_iter().filter(|place| place != "/code").map(|place| format!("{id} {place}")));
        }
    }
    let known: BTreeSet<String> = TEXTS_OF_REQUESTS.iter().map(|(text, _)| (*text).to_owned()).collect();
    assert_eq!(found.difference(&known).collect::<Vec<_>>(), Vec::<&String>::new(), "what becomes of these texts?");
    assert_eq!(known.difference(&found).collect::<Vec<_>>(), Vec::<&String>::new(), "no request takes these");
    let fates = fates();
    for (text, place) in TEXTS_OF_REQUESTS {
        let (table, column) = place.split_once(' ').unwrap();
        let fate = fates.get(&(table.to_owned(), column.to_owned()));
        assert!(fate.is_some_and(|fate| *fate != Fate::NoWords), "{text} is stored in {place}: {fate:?}");
    }
}

/// The way in which each text of an answer is reported: a kind of text, or another target. `own`: only its owner reads
/// it. `moderators`: written by them (or by an organizer, in a decision that stays), or read only by them. `signed`:
/// part of a signed record; its writer is reported. `service`: not written by a person. A new text in an answer must be
/// added here.
const TEXTS_OF_ANSWERS: &[(&str, &str)] = &[
    ("announcement", "ContestAnnouncement/text"),
    ("app", "PublicApp/description PublicApp/name"),
    ("challenge", "Challenge/message"),
    (
        "contest",
        "AccountContestEntry/title ContestPause/reason Honour/title Ladder/closed_reason Ladder/description \
         Ladder/title TableCsv Tournament/description Tournament/reason Tournament/title TournamentReportText \
         TournamentRoundByHand/reason",
    ),
    (
        "decision",
        "ContestEntryDeclinedEvent/reason ContestLogEntry/reason ContestMemberRemovedEvent/reason \
         ContestMemberWarnedEvent/text",
    ),
    ("message", "ChatEvent/text ChatMessage/text"),
    ("profile", "BotOffer/description Profile/bio Profile/club"),
    (
        "rule-set",
        "NamedRuleSet/rules_markdown NamedRuleSet/title NamedRuleSetSummary/title PublishedRuleSet/rules_markdown \
         PublishedRuleSet/title",
    ),
    // Ships and weapons are named by the rules, which belong to a challenge, a contest or a rule set.
    (
        "rule-set",
        "BoardLayer/name FleetShip/name OrderChoice/name SalvosShip/name ShipChoice/name ShipClass/name \
         ShipClassInfo/name ShipView/name Supply/name UseWeaponDecision/name Weapon/name",
    ),
    ("substitution", "Substitution/message"),
    ("signed", "ChallengeSeat/nonce MatchRecordText RecordLines RecordSeat/nonce RecordTexts"),
    (
        "moderators",
        "AbuseReport/comment AbuseSubjectMessage/text AbuseSubjectProfile/bio AbuseSubjectProfile/club \
         AbuseSubjectRuleSet/rules_markdown AbuseSubjectRuleSet/title AbuseSubjectText/text \
         AbuseSubjectText/title AccountSuspendedEvent/reason CaseAppeal/reason CaseAppeal/text \
         CaseAppealDecidedEvent/reason CaseDecidedEvent/reason CaseDecision/reason CaseNote/text \
         CaseSummary/title ExportedCaseNote/text ModerationAction/reason OwnCase/title RatingChange/note \
         Suspension/reason",
    ),
    (
        "own",
        "Account/bio Account/club ExportedAbuseReport/comment ExportedContestPause/reason ExportedDecision/reason \
         ExportedMessage/text ExportedPairedRound/reason ExportedSession/device ExportedSession/program \
         MatchNotes/text NoteMark/mark Passkey/name PersonalToken/name PersonalTokenWithSecret/name \
         PushSubscription/name RecoveryCode RegisteredApp/description RegisteredApp/name SecurityEvent/program \
         SecurityEvent/subject Session/device Session/program WebhookDelivery/error",
    ),
    (
        "service",
        "ActionInfoWithSchema/title ContestPolicy/detail Disclosure/learns EventLines EventStream ICalendar \
         LayerTitle/title NationTitle/title PasskeyRelyingParty/name ProblemError/detail RecordFault/detail \
         RecordStatement/detail ReportField/title ReportType/title ReportValue/title ShipClassInfo/title \
         ShipTitle/title StandingOrderDroppedEvent/detail SupplyTitle/title Variant/description \
         Variant/rules_markdown Variant/source Variant/title VariantSummary/description VariantSummary/title",
    ),
];

/// The schemas that a part of the document refers to.
fn reached(document: &Value, part: &Value, found: &mut BTreeSet<String>) {
    match part {
        Value::Object(fields) => {
            let reference = fields.get("$ref").and_then(Value::as_str).filter(|to| to.contains("/schemas/"));
            if let Some(reference) = reference.filter(|to| found.insert((*to).to_owned())) {
                reached(document, document.pointer(&reference[1..]).unwrap(), found);
            }
            fields.values().for_each(|part| reached(document, part, found));
        }
        Value::Array(parts) => parts.iter().for_each(|part| reached(document, part, found)),
        _ => {}
    }
}

#[actix_web::test]
async fn every_text_that_others_read_can_be_reported() {
    let app = TestApp::start().await;
    let document = app.get("/openapi.json").await.expect(200);
    let mut schemas = BTreeSet::new();
    let operations =
        document["paths"].as_object().unwrap().values().flat_map(|item| item.as_object().unwrap().values());
    for answers in operations.filter_map(|operation| operation["responses"].as_object()) {
        let good = answers.iter().filter(|(status, _)| status.starts_with('2'));
        good.for_each(|(_, answer)| reached(&document, answer, &mut schemas));
    }
    let seen: Vec<&str> = schemas.iter().map(String::as_str).collect();
    let mut found = BTreeSet::new();
    for reference in &seen {
        let (mut places, name) = (BTreeSet::new(), reference.rsplit('/').next().unwrap());
        texts(&document, document.pointer(&reference[1..]).unwrap(), "", &seen, &mut places);
        found.extend(places.into_iter().map(|place| format!("{name}{place}")));
    }
    let known = TEXTS_OF_ANSWERS.iter().flat_map(|(_, texts)| texts.split_whitespace());
    let known: BTreeSet<String> = known.map(str::to_owned).collect();
    assert_eq!(found.difference(&known).collect::<Vec<_>>(), Vec::<&String>::new(), "how are these texts reported?");
    assert_eq!(known.difference(&found).collect::<Vec<_>>(), Vec::<&String>::new(), "no answer has these");
    let parameter = &document["paths"]["/v1/abuse-reports/{subject}/{id}"]["post"]["parameters"][0]["schema"]["enum"];
    let others = [
        ("message", "/v1/matches/{id}/chat/{room}/{number}/report"),
        ("profile", "/v1/players/{username}/report"),
        ("rule-set", "/v1/rule-sets/{hash}/report"),
    ];
    assert!(others.iter().all(|(_, path)| document["paths"][path]["post"].is_object()));
    let kinds: BTreeSet<&str> = parameter.as_array().unwrap().iter().map(|kind| kind.as_str().unwrap()).collect();
    let targets: BTreeSet<&str> = kinds.into_iter().chain(others.map(|(target, _)| target)).collect();
    let used = TEXTS_OF_ANSWERS.iter().map(|(target, _)| *target);
    let used: BTreeSet<&str> = used.filter(|by| !["signed", "moderators", "own", "service"].contains(by)).collect();
    assert_eq!(used, targets);
}

fn words(what: &str) -> String {
    format!("{GOES} {what}")
}

async fn patches(player: &Player, path: &str, body: Value) {
    player.request("PATCH", path, Some(body)).await.expect(200);
}

async fn deletes(player: &Player) {
    let proof = json!({ "password": player.password });
    player.signed_in().await.request("DELETE", "/v1/account", Some(proof)).await.expect(204);
    player.app.passes_s(1).await;
}

/// Anna's texts, by the paths where others read them.
#[expect(clippy::too_many_lines, reason = "a story from the first word to the last")]
async fn writes_everywhere(app: &TestApp, people: &[Player], mia: &Player) -> Vec<String> {
    let [anna, ben, carl, dora, emil, ..] = people else { unreachable!() };
    let mut paths = vec!["/v1/players/anna".to_owned(), "/v1/challenges".to_owned(), "/v1/rule-sets".to_owned()];
    patches(anna, "/v1/account", json!({ "bio": words("is where I was born"), "club": words("Yacht Club") })).await;
    let session = anna.signed_in().await;
    session.post("/v1/account/tokens", json!({ "name": words("token"), "scopes": ["lobby:read"] })).await.expect(201);
    let app_terms = crate::registered_apps::terms(&words("App"));
    session.post(crate::registered_apps::PATH, app_terms).await.expect(201);
    let hook = json!({ "url": format!("http://127.0.0.1:9/{GOES}"), "events": [] });
    anna.post("/v1/webhooks", hook).await.expect(201);

    let fleet = |name: &str| json!({ "fleet": [{ "class": "raft", "name": name, "length": 2, "count": 3 }] });
    let named = json!({ "title": words("rules"), "rules_markdown": words("in Markdown"), "variant": "classic",
        "rule_set": fleet(&format!("{STAYS} raft")) });
    let hash = anna.post("/v1/rule-sets", named).await.expect(201)["hash"].as_str().unwrap().to_owned();
    paths.push(format!("/v1/rule-sets/{hash}"));

    // Challenges with every outcome.
    let clock = json!({ "kind": "per-move", "move_s": 86_400 });
    let own = json!({ "variant": "classic", "clock": clock, "message": words("at noon?"), "rule_set": fleet(&words("raft")) });
    let to_ben = |more: Value| {
        let mut body = own.clone();
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    };
    let open = anna.post("/v1/challenges", own.clone()).await.expect(201);
    let declined = anna.post("/v1/challenges", to_ben(json!({ "opponent": "ben" }))).await.expect(201);
    let short = json!({ "opponent": "carl", "expires_in_s": 60 });
    let expired = anna.post("/v1/challenges", to_ben(short)).await.expect(201);
    for challenge in [&open, &declined, &expired] {
        paths.push(format!("/v1/challenges/{}", challenge["id"].as_str().unwrap()));
    }
    ben.post(&format!("{}/decline", paths[paths.len() - 2]), json!({})).await.expect(200);
    let played = json!({ "opponent": "ben", "rule_set": null, "nonce": STAYS });
    let accepted = anna.post("/v1/challenges", to_ben(played)).await.expect(201);
    let accepted = format!("/v1/challenges/{}", accepted["id"].as_str().unwrap());
    let id =
        ben.post(&format!("{accepted}/accept"), json!({})).await.expect(200)["match_id"].as_str().unwrap().to_owned();
    let room = format!("/v1/matches/{id}/chat/players");
    anna.post(&room, json!({ "text": words("ahoy") })).await.expect(201);
    let sea = anna.get(&format!("/v1/matches/{id}/board")).await.expect(200)["seas"][0]["id"].clone();
    let marks = json!([{ "sea": sea, "cell": "B7", "mark": GOES }]);
    let notes = json!({ "revision": 0, "text": words("notes"), "marks": marks });
    anna.request("PUT", &format!("/v1/matches/{id}/notes"), Some(notes)).await.expect(200);
    let asked = anna.post(&format!("/v1/matches/{id}/substitutions"), json!({ "message": words("calls") })).await;
    paths.push(format!("/v1/substitutions/{}", asked.expect(201)["id"].as_str().unwrap()));
    paths.extend([accepted, room.clone(), format!("/v1/matches/{id}"), "/v1/substitutions".to_owned()]);
    let watched = ben.challenges_and_meets(carl, json!({})).await;
    let spectators = format!("/v1/matches/{watched}/chat/spectators");
    anna.post(&spectators, json!({ "text": words("looks on") })).await.expect(201);
    paths.push(spectators);
    ben.post(&room, json!({ "text": "rude" })).await.expect(201);
    let report = json!({ "reason": "other", "comment": words("is offended") });
    anna.post(&format!("{room}/2/report"), report).await.expect(204);

    // Contests: messages to members, also in finished contests.
    let about = json!({ "title": words("Cup"), "description": words("and its regatta"), "entry": "approval" });
    for path in contests(anna, about.clone()).await {
        for player in [ben, dora, emil] {
            player.post(&format!("{path}/join"), json!({})).await.expect(200);
        }
        for name in ["ben", "emil"] {
            anna.post(&at(&path, &format!("entry-requests/{name}/accept")), json!({})).await.expect(204);
        }
        let why = |what: &str| json!({ "reason": words(what) });
        anna.post(&at(&path, "entry-requests/dora/decline"), why("is full")).await.expect(204);
        anna.post(&at(&path, "members/ben/warn"), json!({ "text": words("frowns") })).await.expect(204);
        anna.post(&at(&path, "members/ben/remove"), why("has seen enough")).await.expect(204);
        anna.post(&at(&path, "announcements"), json!({ "text": words("calls") })).await.expect(201);
        anna.post(&at(&path, "pause"), why("rests")).await.expect(200);
        paths.extend([path.clone(), at(&path, "announcements")]);
    }
    let [ladder, cup] = contests(anna, about.clone()).await;
    anna.post(&format!("{ladder}/close"), json!({ "reason": words("is over") })).await.expect(200);
    anna.post(&format!("{cup}/cancel"), json!({ "reason": words("is flooded") })).await.expect(200);
    execute(&app.database, &format!(
        "INSERT INTO tournament_drafts (tournament_id, round, drawn, drawn_at, release_at, released_at, paired, paired_by, paired_at, reason) \
         VALUES ('{}', 1, '{{}}', now(), now(), now(), '{{}}', '{}', now(), '{}')",
        cup.rsplit('/').next().unwrap(), anna.id, words("pairs by hand"))).await;
    paths.extend([ladder, cup, "/v1/ladders".to_owned(), "/v1/tournaments".to_owned()]);

    // Decisions, which stay: about another player; and another player's text about Anna's.
    let case = mia.post("/v1/cases", json!({ "player": "anna", "title": "Chat" })).await.expect(201);
    let case = case["id"].as_str().unwrap();
    let verdict = json!({ "decision": "warning", "reason": "Be kind." });
    mia.post(&format!("/v1/cases/{case}/decide"), verdict).await.expect(204);
    let appeal = json!({ "text": words("protests") });
    anna.post(&format!("/v1/account/cases/{case}/appeal"), appeal).await.expect(204);
    app.grants("anna", "moderator").await;
    let case = anna.post("/v1/cases", json!({ "player": "ben", "title": format!("{STAYS} case") })).await.expect(201);
    let case = format!("/v1/cases/{}", case["id"].as_str().unwrap());
    anna.post(&format!("{case}/notes"), json!({ "text": words("note") })).await.expect(201);
    let verdict = json!({ "decision": "warning", "reason": format!("{STAYS} has rules.") });
    anna.post(&format!("{case}/decide"), verdict).await.expect(204);
    patches(anna, "/v1/account", json!({ "bot": true })).await;
    let offer = json!({ "description": words("engine"), "max_matches": 3, "available_for_s": 900 });
    anna.request("PUT", "/v1/account/bot-offer", Some(offer)).await.expect(200);
    app.passes_s(61).await;
    paths
}

#[actix_web::test]
async fn nobody_finds_the_words_of_who_is_gone() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let mia = app.moderator("mia").await;
    let paths = writes_everywhere(&app, &people, &mia).await;
    let (before, fates) = (columns_with(&app, GOES).await, fates());
    let tried = |fate: &Fate| matches!(fate, Fate::Erased { .. } | Fate::Deleted { .. });
    let untried: Vec<_> = fates.iter().filter(|(place, fate)| tried(fate) && !before.contains(place)).collect();
    assert!(untried.is_empty(), "nobody has written into {untried:?}");
    for place in &before {
        let fate = fates[place];
        assert_ne!(fate, Fate::NoWords, "{place:?} has words in it");
    }

    deletes(&people[0]).await;
    // The audit log has the reason of a pause, for moderators.
    let after = columns_with(&app, GOES).await;
    assert_eq!(after, BTreeSet::from([("audit_log".to_owned(), "reason".to_owned())]));
    let mut readers = Vec::new();
    for player in people[1..5].iter().chain([&mia]) {
        readers.push(player.signed_in().await);
    }
    let events = format!("/v1/events?after={}&limit=1000", app.cursor(0));
    let own = ["/v1/account/export", &events, "/v1/challenges?mine=true", "/v1/account/cases"];
    for path in paths.iter().map(String::as_str).chain(own) {
        for reader in &readers {
            let read = reader.get(path).await.text();
            assert!(!read.contains(GOES), "{} reads at {path}: {read}", reader.name);
        }
        let read = app.get(path).await.text();
        assert!(!read.contains(GOES), "everybody reads at {path}: {read}");
    }
    let ben = &readers[0];
    ben.get("/v1/account/export").await.expect(200);
    // A decision with its reason stays, and so do matches.
    assert!(ben.get("/v1/account/cases").await.text().contains(&format!("{STAYS} has rules.")));
    for (table, column) in columns_with(&app, STAYS).await {
        let fate = fates[&(table.clone(), column.clone())];
        let is_copy = (table.as_str(), column.as_str()) == ("account_events", "lines");
        assert!(matches!(fate, Fate::Kept(_)) || is_copy, "{table}.{column}: {fate:?}");
    }
}

#[actix_web::test]
async fn a_contest_keeps_its_title_while_somebody_runs_it() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let [anna, ben, ..] = people.as_slice() else { unreachable!() };
    for path in contests(anna, json!({ "title": words("Cup"), "description": words("regatta") })).await {
        anna.request("PUT", &format!("{path}/organizers/ben"), None).await.expect(204);
    }
    let [ladder, cup] = contests(anna, json!({ "title": words("League") })).await;
    let title = async |path: &str| app.get(path).await.expect(200)["title"].as_str().unwrap().to_owned();
    let all = async |list: &str| -> Vec<String> {
        let found = app.get(list).await.expect(200);
        found["items"].as_array().unwrap().iter().map(|one| one["title"].as_str().unwrap().to_owned()).collect()
    };
    deletes(anna).await;
    for (path, kind) in [(&ladder, "Ladder"), (&cup, "Tournament")] {
        let end = &path[path.len() - 8..];
        assert_eq!(title(path).await, format!("{kind} {end}"));
    }
    for list in ["/v1/ladders", "/v1/tournaments"] {
        assert_eq!(all(list).await.iter().filter(|title| title.contains("Cup")).count(), 1, "Ben runs it");
    }
    deletes(ben).await;
    assert_eq!(columns_with(&app, GOES).await, BTreeSet::new(), "nobody runs it any more");
}

#[actix_web::test]
async fn what_was_reported_stays_for_moderators() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let mia = app.moderator("mia").await;
    let [anna, ben, ..] = people.as_slice() else { unreachable!() };
    patches(anna, "/v1/account", json!({ "bio": words("is rude") })).await;
    ben.post("/v1/players/anna/report", json!({ "reason": "harassment" })).await.expect(204);
    deletes(anna).await;
    let kept = [("abuse_reports".to_owned(), "text".to_owned())];
    assert_eq!(columns_with(&app, GOES).await, BTreeSet::from(kept));
    assert!(mia.get("/v1/moderation/abuse-reports").await.text().contains(GOES));
}
