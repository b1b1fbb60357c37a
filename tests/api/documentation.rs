//! The documentation at `/docs`: the guide and the reference, which load nothing from other hosts.

use actix_web::http::header;

use crate::support::{TestApp, plain};

/// The values of these attributes on a page.
fn named<'a>(page: &'a str, attribute: &'a str) -> Vec<&'a str> {
    page.split(attribute).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

#[actix_web::test]
async fn the_guide_and_the_reference_need_nothing_from_elsewhere() {
    let app = TestApp::start().await;
    assert_eq!(app.get("/docs").await.header("location"), Some("/docs/"));
    for (path, to) in [
        ("/docs/guide", "/docs/"),
        ("/docs/guide/", "/docs/"),
        ("/docs/guide/first-match", "/docs/first-match"),
        ("/docs/guide/first-match.md", "/docs/first-match"),
    ] {
        assert_eq!(app.get(path).await.header("location"), Some(to), "{path}");
    }
    for path in ["/docs/", "/docs/first-match", "/docs/reference"] {
        let page = app.get(path).await;
        assert_eq!((page.status, page.header("content-type")), (200, Some("text/html; charset=utf-8")), "{path}");
        assert_eq!(page.header("cache-control"), Some("no-cache"), "{path}");
        let policy = page.header("content-security-policy").unwrap();
        assert!(policy.contains("default-src 'none'; script-src 'self';") && !policy.contains("unsafe"), "{policy}");
        let text = page.text();
        assert!(!text.contains("<style") && !text.contains(" style=") && !text.contains("<script>"), "{path}");
        for address in named(&text, "src=\"").iter().chain(&named(&text, "<link rel=\"stylesheet\" href=\"")) {
            assert!(address.starts_with("files/~"), "{path}: {address}");
        }
        let known = plain("GET", path, None).insert_header((header::IF_NONE_MATCH, page.header("etag").unwrap()));
        assert_eq!(app.send(known).await.status, 304, "{path}");
    }
}

#[actix_web::test]
async fn every_link_of_the_guide_is_answered() {
    let app = TestApp::start().await;
    let contents = app.get("/docs/").await.text();
    let chapters = named(&contents, "<a href=\"");
    assert!(chapters.len() > 20, "{chapters:?}");
    for link in chapters.into_iter().filter(|link| !link.starts_with('#')) {
        let path = match link.strip_prefix("../") {
            Some(rest) => format!("/{rest}"),
            None => format!("/docs/{}", link.trim_start_matches("./")),
        };
        assert_eq!(app.get(&path).await.status, 200, "{link}");
    }
    assert!(app.get("/docs/errors").await.text().contains("<a href=\"../problems\"><code>/problems</code></a>"));
    for chapter in named_chapters(&contents) {
        for link in named(&app.get(&format!("/docs/{chapter}")).await.text(), "<a href=\"../") {
            assert_eq!(app.get(&format!("/{link}")).await.status, 200, "{chapter}: ../{link}");
        }
    }
    for nothing in [
        "/docs/no-chapter",
        "/docs/README.md",
        "/docs/guide/none",
        "/docs/..%2fSECURITY",
        "/docs/files/main.js",
        "/docs/a/b",
    ] {
        assert_eq!(app.get(nothing).await.status, 404, "{nothing}");
    }
}

#[actix_web::test]
async fn the_reference_is_light_and_its_files_are_kept_for_good() {
    let app = TestApp::start().await;
    let page = app.get("/docs/reference").await.text();
    let mut files = named(&page, "<link rel=\"stylesheet\" href=\"");
    files.extend(named(&page, "<link rel=\"modulepreload\" href=\""));
    assert!(files.len() >= 8, "{files:?}");
    let version = files[0].split('/').nth(1).unwrap();
    let shared = ["dom", "markdown"].map(|name| format!("files/{version}/app/{name}.js"));
    let mut paths = vec!["/docs/reference".to_owned(), "/openapi.json".to_owned()];
    paths.extend(files.iter().map(|file| format!("/docs/{file}")));
    paths.extend(shared.map(|file| format!("/docs/{file}")));
    let mut bytes = 0;
    for path in &paths {
        let zipped = plain("GET", path, None).insert_header((header::ACCEPT_ENCODING, "gzip"));
        let answer = app.send(zipped).await;
        assert_eq!(answer.status, 200, "{path}");
        if path.contains('~') {
            assert_eq!(answer.header("cache-control"), Some("public, max-age=31536000, immutable"), "{path}");
        }
        bytes += answer.body.len();
    }
    assert!(bytes < 300_000, "{bytes} bytes");
    let other = app.get("/docs/files/~0123456789ab/reference/main.js").await;
    assert_eq!((other.status, other.header("cache-control")), (200, Some("no-cache")));
    assert_eq!(app.get(&format!("/docs/files/{version}/reference/no.js")).await.status, 404);
}

/// A path without its parameters' names.
fn shape(path: &str) -> String {
    let parts = path.split('/').map(|part| if part.starts_with('{') { "{}" } else { part });
    parts.collect::<Vec<_>>().join("/")
}

#[actix_web::test]
async fn the_guide_names_only_operations_of_the_contract() {
    let app = TestApp::start().await;
    let contract = app.get("/openapi.json").await.json();
    let paths = contract["paths"].as_object().unwrap().iter();
    let paths: Vec<_> = paths.map(|(path, item)| (shape(path), item)).collect();
    let has = |code: &str| {
        let (method, address) =
            code.split_once(' ').filter(|(word, _)| word.chars().all(char::is_uppercase)).unwrap_or(("", code));
        let address = shape(address.split(['?', ' ']).next().unwrap_or_default());
        let (tail, whole) = (address.trim_start_matches('…'), !address.starts_with('…'));
        let fits = |path: &str| if whole { path == tail } else { path.ends_with(tail) };
        let mut found = paths.iter().filter(|(path, _)| fits(path));
        found.any(|(_, item)| method.is_empty() || item.get(method.to_lowercase()).is_some())
    };
    assert!(
        has("GET /v1/turns") && has("POST …/matches/{any}/actions") && !has("DELETE /v1/turns") && !has("/v1/turn")
    );
    let contents = app.get("/docs/").await.text();
    let (mut named, mut unknown) = (0, Vec::new());
    for chapter in named_chapters(&contents) {
        let page = app.get(&format!("/docs/{chapter}")).await.text();
        for code in page.split("<code>").skip(1).filter_map(|rest| rest.split("</code>").next()) {
            // Addresses for people are no operations.
            if (code.contains("/v1/") || code.contains("…/"))
                && !code.ends_with('…')
                && !code.contains("curl")
                && !code.contains('\n')
            {
                named += 1;
                if !has(code) {
                    unknown.push(format!("{chapter}: {code}"));
                }
            }
        }
    }
    assert!(named > 80, "{named}");
    assert_eq!(unknown, Vec::<String>::new());
}

/// The guide's table of conditional requests lists exactly the operations with a 304.
#[actix_web::test]
async fn the_guide_names_what_has_an_etag() {
    let app = TestApp::start().await;
    let document = app.get("/openapi.json").await.json();
    let paths = document["paths"].as_object().unwrap().iter();
    let tagged: Vec<&str> =
        paths.filter(|(_, item)| item["get"]["responses"]["304"].is_object()).map(|(path, _)| path.as_str()).collect();
    let page = app.get("/docs/reading").await.text();
    let (_, table) = page.split_once("how long you may keep it").unwrap();
    let table = table.split("</table>").next().unwrap();
    let told: Vec<&str> = table
        .split("<code>")
        .skip(1)
        .filter_map(|rest| rest.split("</code>").next())
        .filter(|code| code.starts_with("/v1/"))
        .collect();
    let missing: Vec<_> = tagged.iter().filter(|path| !told.contains(path)).collect();
    let wrong: Vec<_> = told.iter().filter(|path| !tagged.contains(path)).collect();
    assert!(missing.is_empty() && wrong.is_empty(), "not told: {missing:?}; told without an ETag: {wrong:?}");
}

/// The chapters in the table of contents.
fn named_chapters(contents: &str) -> Vec<&str> {
    let links = named(contents, "<a href=\"").into_iter();
    links.filter(|link| link.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')).collect()
}
