//! Accounts, sessions and tokens, mail, and calendars.

use serde_json::{Map, Value, json};

use super::{NOBODY, Tour, text};
use crate::recovery::reachable;
use crate::registered_apps::PATH;
use crate::second_factor::digits;
use crate::support::Player;
use crate::support::authenticator::Authenticator;
use crate::support::push_service::SUBSCRIPTIONS;

const PASSWORD: &str = "three masts and a storm";

pub async fn anna_registers(tour: &mut Tour) -> Player {
    let account = json!({ "username": "anna", "password": PASSWORD, "email": "anna@example.org" });
    let made = tour.post(NOBODY, "/v1/accounts", account, "anna: Anna registers.").await;
    let credentials = json!({ "username": "anna", "password": PASSWORD });
    let signed_in = tour.post(NOBODY, "/v1/sessions", credentials, "anna: Anna signs in.").await;
    let refresh = json!({ "refresh_token": signed_in["refresh_token"] });
    let refreshed = tour.post(NOBODY, "/v1/sessions/refresh", refresh, "anna: The session goes on.").await;
    let anna = Player {
        app: tour.app.clone(),
        name: "anna".to_owned(),
        id: text(&made["account"], "id"),
        token: text(&refreshed, "access_token"),
        refresh_token: text(&refreshed, "refresh_token"),
        password: PASSWORD.to_owned(),
    };
    tour.get(NOBODY, "/.well-known/jwks.json", "keys: The keys that sign access tokens.").await;
    tour.get(&anna, "/v1/sessions", "two: Two sessions of Anna.").await;
    tour.get(&anna, "/v1/account/apps", "none: No app acts for Anna.").await;
    tour.get(&anna, "/v1/account", "anna: Anna's account.").await;
    tour.patch(&anna, "/v1/account", json!({ "bot": false }), "human: Anna is no program.").await;
    let address = json!({ "email": "anna@navy.example", "current_password": PASSWORD });
    tour.put(&anna, "/v1/account/email", address, "address: Another address for mail.").await;
    a_lost_password(tour).await;
    a_second_factor(tour).await;
    a_registered_app(tour, &anna).await;
    another_name(tour).await;
    let bot = json!({
        "name": "my first bot", "expires_in_s": 2_592_000,
        "scopes": ["lobby:read", "lobby:write", "matches:read", "matches:play"],
    });
    let token = tour.post(&anna, "/v1/account/tokens", bot, "bot: A token for a bot that plays.").await;
    tour.get(&anna, "/v1/account/tokens", "one: Anna's only token.").await;
    let path = format!("/v1/account/tokens/{}", text(&token, "id"));
    tour.delete(&anna, &path, None, "bot: The bot plays no longer.").await;
    mail(tour, &anna).await;
    guest(tour, &anna).await;
    a_bot(tour).await;
    let scopes = <broadside::accounts::Scope as strum::VariantNames>::VARIANTS;
    let lasting = anna.post("/v1/account/tokens", json!({ "name": "play", "scopes": scopes })).await.expect(201);
    anna.with_token(&text(&lasting, "token"))
}

/// Olaf requests a link for a lost password, and uses it.
async fn a_lost_password(tour: &mut Tour) {
    reachable(&tour.app, &tour.postbox, "olaf").await;
    let login = json!({ "login": "olaf" });
    tour.post(NOBODY, "/v1/password-resets", login, "olaf: Olaf has forgotten the password.").await;
    tour.app.tells_owners().await;
    let link = tour.postbox.next().await.path_to("/oauth/reset-password/");
    let other = json!({ "token": link.rsplit('/').next(), "new_password": "two anchors and a calm" });
    tour.post(NOBODY, "/v1/password-resets/complete", other, "olaf: Another password.").await;
}

async fn a_second_factor(tour: &mut Tour) {
    const PATH: &str = "/v1/account/second-factor";
    let paula = tour.app.player("paula").await;
    let password = json!({ "current_password": paula.password });
    let setup = tour.post(&paula, PATH, password, "paula: A secret for Paula's authenticator app.").await;
    let secret = text(&setup, "secret");
    let code = json!({ "code": digits(&tour.app, &secret, 0) });
    tour.post(&paula, &format!("{PATH}/confirm"), code, "paula: The app has the secret.").await;
    tour.get(&paula, PATH, "on: Sign-ins ask for a code.").await;
    tour.app.passes_unseen_s(30);
    let credentials = json!({ "username": "paula", "password": paula.password });
    let asked = tour.app.post("/v1/sessions", credentials).await.problem(401, "second-factor-required");
    let both = json!({ "challenge": asked["challenge"], "code": digits(&tour.app, &secret, 0) });
    tour.post(NOBODY, "/v1/sessions/second-factor", both, "paula: The second step.").await;
    tour.app.passes_unseen_s(30);
    let both = json!({ "current_password": paula.password, "code": digits(&tour.app, &secret, 0) });
    tour.post(&paula, &format!("{PATH}/recovery-codes"), both, "paula: Ten new codes.").await;
    tour.app.passes_unseen_s(30);
    let both = json!({ "current_password": paula.password, "code": digits(&tour.app, &secret, 0) });
    tour.delete(&paula, PATH, Some(both), "paula: The password alone will do.").await;
}

/// Anna registers an app of hers, and deletes it.
async fn a_registered_app(tour: &mut Tour, anna: &Player) {
    let chart = json!({
        "name": "Harbour Chart", "homepage": "https://chart.example/", "description": "Draws what you know of the sea.",
        "redirect_uris": ["https://chart.example/back", "com.example.chart:/back"], "scopes": ["matches:read"],
    });
    let made = tour.post(anna, PATH, chart, "chart: An app that draws charts.").await;
    let path = format!("{PATH}/{}", text(&made, "id"));
    tour.get(anna, PATH, "one: Anna's only app.").await;
    tour.get(anna, &path, "chart: The app, as Anna sees it.").await;
    let other = json!({ "description": "Draws what you know of the sea, and nothing else." });
    tour.patch(anna, &path, other, "chart: Anna says more of it.").await;
    tour.get(NOBODY, &format!("/v1/apps/{}", text(&made, "id")), "chart: The app, as everybody sees it.").await;
    tour.delete(anna, &path, None, "chart: The app is gone.").await;
}

/// Quentin fills in a profile, changes the name, and reads the account's activity log.
async fn another_name(tour: &mut Tour) {
    let quentin = tour.app.player("quentin").await;
    let says = json!({ "bio": "I sail in Brest.", "country": "FR", "club": "Les Corsaires" });
    tour.patch(&quentin, "/v1/account", says, "quentin: What others read about Quentin.").await;
    tour.app.passes_unseen_s(1);
    let name = json!({ "username": "quincy", "current_password": quentin.password });
    tour.put(&quentin, "/v1/account/username", name, "quincy: Quentin is called Quincy.").await;
    tour.get(NOBODY, "/v1/players/quentin", "quincy: The old name leads to Quincy for a year.").await;
    tour.get(&quentin, "/v1/account/security-events", "quincy: What was done with the account.").await;
}

pub async fn a_passkey(tour: &mut Tour) {
    const PATH: &str = "/v1/account/passkeys";
    let petra = tour.app.player("petra").await;
    let password = json!({ "current_password": petra.password });
    let challenges = format!("{PATH}/challenges");
    let asked = tour.post(&petra, &challenges, password.clone(), "petra: What Petra's phone is asked.").await;
    let mut phone = Authenticator::new(1);
    let credential = phone.makes(&asked["options"]);
    let new = json!({ "challenge": asked["challenge"], "credential": credential, "name": "Petra's phone" });
    let passkey = tour.post(&petra, PATH, new, "petra: The phone has made a passkey.").await;
    let asked = tour.post(NOBODY, "/v1/sessions/passkey/challenges", json!({}), "nobody: Somebody comes.").await;
    let answer = phone.answers(&asked["options"]);
    let answer = json!({ "challenge": asked["challenge"], "credential": answer });
    tour.post(NOBODY, "/v1/sessions/passkey", answer, "petra: It is Petra.").await;
    tour.get(&petra, PATH, "one: Petra's only passkey.").await;
    let path = format!("{PATH}/{}", text(&passkey, "id"));
    tour.patch(&petra, &path, json!({ "name": "the old phone" }), "old: Petra has a new phone.").await;
    tour.delete(&petra, &path, Some(password), "petra: The old phone is gone.").await;
}

/// Petra's browser subscribes to notifications of turns.
pub async fn a_browser(tour: &mut Tour) {
    let petra = tour.app.player("petronella").await;
    tour.get(NOBODY, "/v1/push-key", "key: What a browser needs.").await;
    let new = json!({
        "endpoint": "https://push.example/send/Zm91ciBiZWxscywgYW5kIGFsbCBpcyB3ZWxs",
        "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        "auth": "BTBZMqHH6r4Tts7J_aSIgg", "name": "Firefox at home", "events": ["your-turn", "deadline-near"],
        "language": "en",
    });
    let made = tour.post(&petra, SUBSCRIPTIONS, new, "firefox: A browser hears of turns.").await;
    tour.get(&petra, SUBSCRIPTIONS, "one: The only browser.").await;
    let path = format!("{SUBSCRIPTIONS}/{}", text(&made, "id"));
    tour.delete(&petra, &path, None, "firefox: It hears of nothing any more.").await;
}

async fn a_bot(tour: &mut Tour) {
    let robin = tour.app.lasting_player("robin").await;
    robin.request("PATCH", "/v1/account", Some(json!({ "bot": true }))).await.expect(200);
    let offer = json!({
        "level": "normal", "description": "Counts where each ship may lie.", "variants": ["classic"],
        "max_matches": 20, "available_for_s": 600,
    });
    tour.put(&robin, "/v1/account/bot-offer", offer, "robin: Robin plays classic matches.").await;
    tour.get(NOBODY, "/v1/bots", "one: Robin alone.").await;
    tour.delete(&robin, "/v1/account/bot-offer", None, "robin: Robin is listed no longer.").await;
    tour.get(NOBODY, "/v1/players?prefix=an", "anna: Whose name begins like this.").await;
}

/// A guest plays, and keeps the account.
async fn guest(tour: &mut Tour, anna: &Player) {
    let guest = json!({ "username": "stowaway" });
    let made = tour.post(NOBODY, "/v1/guests", guest, "stowaway: Somebody plays with a name alone.").await;
    let guest = anna.with_token(&text(&made, "access_token"));
    let password = json!({ "password": PASSWORD });
    tour.post(&guest, "/v1/account/claim", password, "stowaway: The guest stays.").await;
}

/// Cuts lists down to this depth.
fn shorten(value: &mut Value, depth: u32) {
    match value {
        Value::Array(list) => list.truncate(2),
        Value::Object(map) if depth > 0 => map.values_mut().for_each(|value| shorten(value, depth - 1)),
        _ => {}
    }
}

async fn mail(tour: &mut Tour, anna: &Player) {
    let path = "/v1/account/mail/confirmation";
    tour.shows(Some(anna), "POST", path, Some(json!({})), "sent: A mail is on its way.").await;
    let link = tour.postbox.next().await.link("confirm");
    assert_eq!(tour.app.request("POST", &link, None).await.status, 200);
    let wishes = json!({
        "events": ["your-turn", "deadline-near"], "digest": "hourly", "language": "fr", "time_zone": "Europe/Paris",
        "quiet_hours": { "start": "22:00", "end": "07:30" },
    });
    tour.put(anna, "/v1/account/mail", wishes, "hourly: Mail once an hour, and not at night.").await;
    tour.get(anna, "/v1/account/mail", "hourly: Mail once an hour, and not at night.").await;
}

/// Anna's calendar, and the end of all that is Anna's.
pub async fn anna_leaves(tour: &mut Tour, people: &[Player]) {
    let (anna, ben) = (&people[0], &people[1]);
    let plan = json!({
        "time_zone": "Europe/Paris", "night": { "start": "22:30", "end": "07:00" }, "days_off": ["sunday"],
        "remind_at_percent": 25,
    });
    tour.put(anna, "/v1/account/calendar", plan, "nights: No clock runs at night and on Sundays.").await;
    // A week of vacation has to be earned.
    tour.app.passes_s(200 * 86_400).await;
    let vacation = json!({ "starts_at": "2027-07-10T06:00:00Z", "ends_at": "2027-07-17T20:00:00Z" });
    let vacation = tour.post(anna, "/v1/account/vacations", vacation, "july: A week in July.").await;
    tour.get(anna, "/v1/account/calendar", "nights: Nights, Sundays, and a vacation.").await;
    let path = format!("/v1/account/vacations/{}", text(&vacation, "id"));
    tour.delete(anna, &path, None, "july: There will be no vacation.").await;
    anna.challenges_and_meets(ben, json!({})).await;
    let credentials = json!({ "username": "anna", "password": PASSWORD });
    let signed_in = tour.app.post("/v1/sessions", credentials).await.expect(201);
    let session = anna.with_token(&text(&signed_in, "access_token"));
    let feed = tour.post(&session, "/v1/account/calendar/feed", json!({}), "feed: A secret address.").await;
    let url = text(&feed, "url");
    let path = url.strip_prefix("https://broadside.test").unwrap();
    tour.get(NOBODY, path, "deadlines: What Anna's calendar program reads.").await;
    tour.delete(&session, "/v1/account/calendar/feed", None, "feed: The address is good for nothing now.").await;
    let says = "anna: All that is stored of Anna. (Here, lists end after two items.)";
    tour.get(&session, "/v1/account/export", says).await;
    let examples = tour.seen.get_mut("export_account").unwrap();
    examples.responses.values_mut().flat_map(Map::values_mut).for_each(|example| shorten(&mut example["value"], 2));
    let password = json!({ "current_password": PASSWORD, "new_password": "two anchors and a calm" });
    tour.put(&session, "/v1/account/password", password, "another: Another password.").await;
    let credentials = json!({ "username": "anna", "password": "two anchors and a calm" });
    let signed_in = tour.app.post("/v1/sessions", credentials).await.expect(201);
    let session = anna.with_token(&text(&signed_in, "access_token"));
    let password = json!({ "password": "two anchors and a calm" });
    tour.delete(&session, "/v1/account", Some(password), "anna: Anna leaves.").await;
}
