//! Well-known addresses: changing a password, reporting a vulnerability, rules for crawlers.

use broadside::front_end::FrontEnd;

use crate::support::{Setup, TestApp};

async fn with_contact(contact: &str) -> TestApp {
    TestApp::with(Setup { contact: Some(contact.parse().unwrap()), ..Setup::default() }).await
}

#[actix_web::test]
async fn password_managers_find_where_a_password_is_changed() {
    for (front_end, page) in [
        (FrontEnd::BuiltIn, "/account"),
        (FrontEnd::Elsewhere("https://club.example/naval".to_owned()), "https://club.example/naval/account"),
        // Without pages, the one page that sets a password.
        (FrontEnd::Off, "/oauth/forgot-password"),
    ] {
        let app = TestApp::with(Setup { front_end, ..Setup::default() }).await;
        let answer = app.get("/.well-known/change-password").await;
        assert_eq!((answer.status, answer.header("location")), (302, Some(page)));
        if page.starts_with('/') {
            assert_eq!(app.get(page).await.status, 200, "{page}");
        }
    }
}

/// `security.txt` (RFC 9116).
#[actix_web::test]
async fn finders_of_holes_learn_whom_to_tell() {
    let app = with_contact("help@club.example").await;
    let answer = app.get("/.well-known/security.txt").await;
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("text/plain; charset=utf-8")));
    let text = answer.text();
    let fields: Vec<(&str, &str)> = text.lines().filter_map(|line| line.split_once(": ")).collect();
    let of = |name: &str| fields.iter().find(|(key, _)| *key == name).map(|(_, value)| *value);
    assert_eq!(of("Contact"), Some("mailto:help@club.example"));
    assert_eq!(of("Canonical"), Some("https://broadside.test/.well-known/security.txt"));
    assert_eq!(of("Preferred-Languages"), Some("en, fr"));
    // It is the 21st of November 2026: the date is ahead, by less than a year.
    let expires: jiff::Timestamp = of("Expires").unwrap().parse().unwrap();
    let days = (expires.as_second() - 1_795_246_200) / 86_400;
    assert!((100..366).contains(&days), "{expires}");
    assert_eq!(
        with_contact("https://club.example/help").await.get("/.well-known/security.txt").await.text().lines().next(),
        Some("Contact: https://club.example/help")
    );
    // There is no contact, or none by https, which the format requires.
    for app in [TestApp::start().await, with_contact("http://club.example/help").await] {
        app.get("/.well-known/security.txt").await.problem(404, "not-found");
    }
}

#[actix_web::test]
async fn crawlers_leave_the_api_alone() {
    let app = TestApp::start().await;
    let answer = app.get("/robots.txt").await;
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("text/plain; charset=utf-8")));
    let text = answer.text();
    assert_eq!(text.lines().next(), Some("User-agent: *"));
    for refused in ["/v1/", "/oauth/"] {
        assert!(text.lines().any(|line| line == format!("Disallow: {refused}")), "{text}");
    }
}
