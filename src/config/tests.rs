//! Tests of accepted and refused settings.

use super::*;
use crate::rulesets::RuleSetLimits;

fn serve(arguments: &[&str]) -> Serve {
    let line = ["broadside", "serve"].iter().chain(arguments);
    match Cli::try_parse_from(line).unwrap().command {
        Command::Serve(serve) => *serve,
        other => panic!("not serve: {other:?}"),
    }
}

#[test]
fn serve_needs_no_settings() {
    let serve = serve(&[]);
    assert_eq!(serve.listen.to_string(), "127.0.0.1:8080");
    assert!(serve.check().is_ok());
}

#[test]
fn bots_wait_where_there_is_a_private_cluster_or_the_operator_says_so() {
    let elsewhere = ["--database-url", "postgres://localhost/x"];
    assert!(serve(&["--bots", "on"]).has_bots() && !serve(&["--bots", "off"]).has_bots());
    assert!(!serve(&elsewhere).has_bots());
    assert!(serve(&[&elsewhere[..], &["--bots", "on"]].concat()).has_bots());
    let limits = serve(&["--bot-matches", "7", "--bot-rated", "on", "--bot-levels", "easy,strong"]).bots;
    assert_eq!((limits.limits().matches, limits.limits().rated, limits.levels.len()), (7, true, 2));
}

#[test]
fn limits_can_be_off_on_loopback_only() {
    assert!(serve(&["--rate-limits", "off"]).check().is_ok());
    let refused = serve(&["--rate-limits", "off", "--listen", "0.0.0.0:8080"]).check();
    assert!(refused.unwrap_err().contains("0.0.0.0:8080"));
}

#[test]
fn webhooks_may_go_to_several_blocks() {
    let allow = serve(&["--webhook-allow", "10.0.0.0/8,::1"]).webhooks.allow;
    assert_eq!(allow, ["10.0.0.0/8".parse().unwrap(), "::1".parse().unwrap()]);
}

#[test]
fn the_operator_says_how_many_rule_sets_players_may_publish() {
    assert_eq!(serve(&[]).rulesets.limits(), RuleSetLimits::default());
    let own = ["--rule-sets-per-account", "7", "--rule-sets-per-day", "0", "--rule-set-max-text-chars", "500"];
    let limits = serve(&own).rulesets.limits();
    assert_eq!(limits, RuleSetLimits { per_account: 7, per_day: 0, text_chars: 500 });
}

#[test]
fn mail_needs_a_server_and_a_sender() {
    assert!(serve(&[]).mail.setup().unwrap().is_none());
    let (server, from) = (["--smtp-url", "smtp://localhost"], ["--mail-from", "Broadside <mail@club.example>"]);
    assert!(serve(&[server, from].concat()).mail.setup().unwrap().is_some());
    assert!(serve(&server).check().unwrap_err().contains("BROADSIDE_MAIL_FROM"));
    assert!(serve(&from).check().unwrap_err().contains("BROADSIDE_SMTP_URL"));
    let secret = ["--smtp-url", "smtp://a:hush@localhost", from[0], from[1]];
    assert!(!format!("{:?}", serve(&secret)).contains("hush"));
}

#[test]
fn a_wrong_secret_is_refused_without_being_repeated() {
    let from = "Broadside <mail@club.example>";
    for (flag, setting, wrong) in [
        ("--sealing-key", "BROADSIDE_SEALING_KEY", "hush"),
        ("--smtp-url", "BROADSIDE_SMTP_URL", "htp://anna:hush@mail.example"),
        ("--smtp-url", "BROADSIDE_SMTP_URL", "smtp://anna:hush@mail.example:70000"),
        ("--smtp-url", "BROADSIDE_SMTP_URL", "smtp://anna:hush%@mail.example"),
        ("--smtp-url", "BROADSIDE_SMTP_URL", "smtp://anna:hush@mail.example?tls=hush"),
    ] {
        let serve = serve(&[flag, wrong, "--mail-from", from]);
        let why = serve.check().unwrap_err();
        assert!(why.contains(setting) && !why.contains("hush"), "{why}");
        assert!(!format!("{serve:?}").contains("hush"), "{serve:?}");
    }
    let serve = serve(&["--database-url", "postgres://anna:hush@host/name"]);
    assert!(!format!("{serve:?}").contains("hush"), "{serve:?}");
}

#[test]
fn a_port_alone_is_one_of_this_machine() {
    for (text, address) in [
        ("8081", "127.0.0.1:8081"),
        ("localhost:0", "127.0.0.1:0"),
        ("0.0.0.0:80", "0.0.0.0:80"),
        ("[::1]:8080", "[::1]:8080"),
    ] {
        assert_eq!(serve(&["--listen", text]).listen.to_string(), address);
        assert_eq!(serve(&["--admin-listen", text]).admin_listen.unwrap().to_string(), address);
    }
    let refused = Cli::try_parse_from(["broadside", "serve", "--listen", ":8080"]).unwrap_err().to_string();
    assert!(refused.contains("0.0.0.0:8080 for every network"), "{refused}");
}

#[test]
fn the_domain_of_the_sender_is_one_that_servers_know() {
    let from = serve(&["--mail-from", "Club <post@Bücher.example>"]).mail.mail_from.unwrap();
    assert_eq!(from.to_string(), "Club <post@xn--bcher-kva.example>");
}

#[test]
fn a_wrong_setting_is_refused() {
    for wrong in [
        ["--listen", "nowhere"],
        ["--public-url", "ftp://x"],
        ["--public-url", "https://club.example:0"],
        ["--public-url", "https://club.example:x"],
        ["--web", "https://club.example:0"],
        ["--contact", "https://club.example:0/help"],
        ["--match-link", "https://club.example:0/match/{id}"],
        ["--contact", "the club"],
        ["--workers", "0"],
        ["--webhook-allow", "10.0.0.0/8,x"],
        ["--mail-from", "a@b\r\nBcc: c@d.ef"],
        ["--match-link", "https://club.example/"],
        ["--rule-set-max-text-chars", "20001"],
        ["--web", "no-such-folder"],
    ] {
        let line = ["broadside", "serve"].iter().chain(&wrong);
        assert!(Cli::try_parse_from(line).is_err(), "{wrong:?}");
    }
}
