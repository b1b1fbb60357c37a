//! The web pages: the headers of their files, and the targets of links.

use actix_web::http::header;
use broadside::front_end::FrontEnd;
use futures_util::future::join_all;
use serde_json::json;

use crate::support::fleets::{NORTH_WEST, SOUTH_EAST};
use crate::support::{Setup, TestApp, plain};

/// Addresses of the app's pages.
const PAGES: [&str; 5] =
    ["/", "/play", "/lobby/new", "/match/01a20535-f6b5-7760-ba79-8fdb0971a015/replay", "/players/anna"];

async fn with(front_end: &str) -> TestApp {
    TestApp::with(Setup { front_end: front_end.parse().unwrap(), ..Setup::default() }).await
}

/// The addresses of a page's files.
fn files(page: &str) -> Vec<String> {
    let after = page.split("=\"app/").skip(1);
    after.filter_map(|rest| rest.split_once('"')).map(|(file, _)| format!("/app/{file}")).collect()
}

#[actix_web::test]
async fn every_page_is_the_same_document() {
    let app = TestApp::start().await;
    let door = app.get("/").await;
    for path in PAGES {
        let page = app.get(path).await;
        assert_eq!((page.status, page.header("content-type")), (200, Some("text/html; charset=utf-8")), "{path}");
        assert_eq!((page.text(), page.header("cache-control")), (door.text(), Some("no-cache")), "{path}");
        let policy = page.header("content-security-policy").unwrap();
        assert!(policy.contains("script-src 'self';") && !policy.contains("unsafe"), "{policy}");
    }
    let known = plain("GET", "/play", None).insert_header((header::IF_NONE_MATCH, door.header("etag").unwrap()));
    assert_eq!(app.send(known).await.status, 304);
}

#[actix_web::test]
async fn files_of_a_version_are_kept_for_good() {
    let app = TestApp::start().await;
    let files = files(&app.get("/").await.text());
    assert!(files.len() >= 4, "{files:?}");
    for path in &files {
        let file = app.get(path).await;
        assert_eq!(file.header("cache-control"), Some("public, max-age=31536000, immutable"), "{path}");
        assert!(file.header("etag").is_some() && file.status == 200, "{path}");
    }
    for other in ["/app/main.js", "/app/~0123456789ab/main.js"] {
        let file = app.get(other).await;
        assert_eq!((file.status, file.header("cache-control")), (200, Some("no-cache")), "{other}");
        assert_eq!(file.header("content-type"), Some("text/javascript; charset=utf-8"));
    }
    for nothing in ["/app/no.js", "/app/", "/app/~/main.js/", "/app/../Cargo.toml", "/app/%2e%2e/index.html"] {
        assert_eq!(app.get(nothing).await.status, 404, "{nothing}");
    }
}

/// A browser requests all of them at once and never again after a refusal: the page would stay empty.
#[actix_web::test]
async fn a_browser_is_refused_no_file_right_after_the_start() {
    let app = TestApp::start().await;
    let programs: Vec<_> = FrontEnd::BuiltIn.built_in().filter(|name| name.starts_with("app/")).collect();
    assert!(programs.len() > 40, "{programs:?}");
    let all = join_all(programs.iter().map(async |name| app.get(&format!("/{name}")).await)).await;
    for (name, file) in programs.iter().zip(all) {
        assert_eq!(file.status, 200, "{name}: {}", file.text());
    }
}

#[actix_web::test]
async fn what_is_no_page_stays_a_problem() {
    let app = TestApp::start().await;
    for path in ["/v1/nothing", "/nothing", "/v1", "/player"] {
        app.get(path).await.problem(404, "not-found");
    }
    let in_browser = |path| plain("GET", path, None).insert_header((header::ACCEPT, "text/html,*/*;q=0.8"));
    let page = app.send(in_browser("/nothing")).await;
    assert_eq!((page.status, page.text()), (404, app.get("/play").await.text()));
    app.send(in_browser("/v1/nothing")).await.problem(404, "not-found");
    app.post("/play", json!({})).await.problem(405, "method-not-allowed");
}

#[actix_web::test]
async fn the_operator_says_where_the_pages_are() {
    let off = with("off").await;
    assert_eq!(off.get("/").await.header("location"), Some("/docs/"));
    off.get("/play").await.problem(404, "not-found");
    let in_browser = plain("GET", "/play", None).insert_header((header::ACCEPT, "text/html"));
    off.send(in_browser).await.problem(404, "not-found");
    off.get("/app/main.js").await.problem(404, "not-found");

    let elsewhere = with("https://club.example/naval/").await;
    assert_eq!(elsewhere.get("/").await.header("location"), Some("https://club.example/naval/"));
    let page = elsewhere.get("/lobby?variant=x").await;
    assert_eq!((page.status, page.header("location")), (302, Some("https://club.example/naval/lobby?variant=x")));

    let folder = with("web").await;
    let page = folder.get("/play").await;
    assert_eq!(files(&page.text()).iter().filter(|file| file.contains('~')).count(), 0);
    assert_eq!(folder.get("/app/main.js").await.header("cache-control"), Some("no-cache"));
    folder.get("/app/../../Cargo.toml").await.problem(404, "not-found");
}

#[actix_web::test]
async fn the_link_of_a_challenge_leads_to_its_page() {
    for (front_end, link) in [
        (FrontEnd::BuiltIn, "https://broadside.test/challenge/"),
        (FrontEnd::Elsewhere("https://club.example".to_owned()), "https://club.example/challenge/"),
        (FrontEnd::Off, "https://broadside.test/v1/challenges/"),
    ] {
        let app = TestApp::with(Setup { front_end, ..Setup::default() }).await;
        let variants = app.get("/v1/variants?limit=1").await.expect(200);
        let terms = json!({ "variant": variants["items"][0]["id"], "clock": { "kind": "none" }, "visibility": "link" });
        let challenge = app.player("anna").await.post("/v1/challenges", terms).await.expect(201);
        let id = challenge["id"].as_str().unwrap();
        assert_eq!(challenge["link"], json!(format!("{link}{id}")));
    }
}

#[actix_web::test]
async fn a_link_to_a_match_shows_what_strangers_know_of_it() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let mut pictures = Vec::new();
    for fleets in [[NORTH_WEST, SOUTH_EAST], [SOUTH_EAST, NORTH_WEST]] {
        let id = anna.challenges_and_meets(&ben, json!({ "first": "creator" })).await;
        anna.deploys(&id, fleets[0]).await;
        ben.deploys(&id, fleets[1]).await;
        let page = app.get(&format!("/match/{id}")).await.text();
        for told in ["<title>anna – ben · Classic</title>", "property=\"og:description\"", "Watch it live."] {
            assert!(page.contains(told), "{told}: {page}");
        }
        let picture = page.split("property=\"og:image\" content=\"").nth(1).unwrap().split('"').next().unwrap();
        let picture = app.get(&picture[picture.find("/match/").unwrap()..]).await;
        assert_eq!((picture.status, picture.header("content-type")), (200, Some("image/png")));
        pictures.push(picture.body.clone());
        anna.fires(&id, &["A1"]).await;
        let later = app.get(&format!("/match/{id}/preview.png")).await;
        assert_ne!(later.body, pictures[pictures.len() - 1], "the shot is seen");
        anna.acts(&id, json!({ "type": "resign" })).await.expect(200);
        assert!(app.get(&format!("/match/{id}")).await.text().contains("ben won."));
    }
    assert_eq!(pictures[0], pictures[1], "the fleets are hidden");
    let closed = anna.challenges_and_meets(&ben, json!({ "spectators": false })).await;
    assert_eq!(app.get(&format!("/match/{closed}")).await.text(), app.get("/").await.text());
    app.get(&format!("/match/{closed}/preview.png")).await.problem(404, "not-found");
    let opened = plain("GET", &format!("/match/{closed}"), None).insert_header(("sec-fetch-dest", "document"));
    assert_eq!(app.send(opened).await.text(), app.get("/").await.text());
}
