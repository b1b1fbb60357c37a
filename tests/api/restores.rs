//! Restores: deletions, suspensions and revocations after a backup persist, and guests can reconnect.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicI64;

use broadside::backup::revocations;
use broadside::config::Database;
use broadside::database;
use private_postgres::Cluster;
use serde_json::json;
use tempfile::TempDir;

use crate::guests::guest;
use crate::support::{Answer, MORNING_MS, Player, Setup, TestApp};

/// Runs a command of the program; returns its output.
async fn broadside(arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_broadside"));
    command.args(arguments).env_remove("DATABASE_URL");
    let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
    let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert!(output.status.success(), "{arguments:?}: {said}");
    said
}

async fn node(data: &Path) -> (TestApp, Cluster) {
    let settings = Database { database_url: None, data: data.to_owned(), postgres_programs: None };
    let (db, cluster) = database::open(&settings, 1, None, "a test").await.unwrap();
    db.migrate().await.unwrap();
    let cluster = cluster.unwrap();
    let app =
        TestApp::on(cluster.connection_string("broadside"), Arc::new(AtomicI64::new(MORNING_MS)), Setup::default());
    (Box::pin(app).await, cluster)
}

async fn signs_in(app: &TestApp, name: &str, password: &str) -> Answer {
    app.post("/v1/sessions", json!({ "username": name, "password": password })).await
}

async fn refreshes(app: &TestApp, token: &str) -> Answer {
    app.post("/v1/sessions/refresh", json!({ "refresh_token": token })).await
}

/// The players of this test, and their changes since the backup.
struct Since {
    home: TempDir,
    kept: TempDir,
    token: Player,
    session: Player,
    /// A guest's newest refresh token, and the one in the backup.
    guest: [String; 2],
}

impl Since {
    async fn the_backup() -> Self {
        let (home, kept) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        let (app, cluster) = node(home.path()).await;
        for name in ["anna", "ben", "cleo"] {
            app.player(name).await;
        }
        let (mia, token, session) =
            (app.moderator("mia").await, app.lasting_player("tess").await, app.player("sam").await);
        let gus = guest(&app, "gus").await;
        let backup = kept.path().join("monday");
        let (home_path, backup) = (home.path().to_str().unwrap(), backup.to_str().unwrap());
        broadside(&["backup", backup, "--data", home_path]).await;

        let anna = signs_in(&app, "anna", "the secret of anna").await.expect(201);
        let anna = mia.with_token(anna["access_token"].as_str().unwrap());
        let gone = json!({ "password": "the secret of anna" });
        anna.request("DELETE", "/v1/account", Some(gone)).await.expect(204);
        let why = json!({ "expires_in_s": 604_800, "reason": "abuse" });
        mia.post("/v1/moderation/players/ben/suspend", why).await.expect(204);
        let cleo = signs_in(&app, "cleo", "the secret of cleo").await.expect(201);
        let cleo = mia.with_token(cleo["access_token"].as_str().unwrap());
        let new = json!({ "current_password": "the secret of cleo", "new_password": "another secret of hers" });
        let changed = cleo.request("PUT", "/v1/account/password", Some(new)).await;
        assert!(changed.status < 300, "{}", changed.text());
        let tess = signs_in(&app, "tess", "the secret of tess").await.expect(201);
        let tess = mia.with_token(tess["access_token"].as_str().unwrap());
        let tokens = tess.get("/v1/account/tokens").await.expect(200);
        let path = format!("/v1/account/tokens/{}", tokens["items"][0]["id"].as_str().unwrap());
        tess.request("DELETE", &path, None).await.expect(204);
        let sessions = session.get("/v1/sessions").await.expect(200);
        let path = format!("/v1/sessions/{}", sessions["items"][0]["id"].as_str().unwrap());
        session.request("DELETE", &path, None).await.expect(204);
        let mut newest = gus.refresh_token.clone();
        for _ in 0..3 {
            let next = refreshes(&app, &newest).await.expect(200);
            newest = next["refresh_token"].as_str().unwrap().to_owned();
        }
        revocations::write_out(&app.app.db, &revocations::in_folder(home.path()), None).await.unwrap();
        let guest = [newest, gus.refresh_token.clone()];
        cluster.stop().await.unwrap();
        Self { home, kept, token, session, guest }
    }

    /// Restores the backup elsewhere; returns the command's output.
    async fn restored(&self, away: &TempDir, more: &[&str]) -> String {
        let (backup, file) = (self.kept.path().join("monday"), revocations::in_folder(self.home.path()));
        let arguments = ["restore", backup.to_str().unwrap(), "--data", away.path().to_str().unwrap()];
        let revoked = ["--revocations", file.to_str().unwrap()];
        broadside(&[&arguments[..], &revoked, more].concat()).await
    }
}

#[actix_web::test]
async fn what_was_revoked_after_a_backup_stays_so() {
    let since = Since::the_backup().await;
    let away = TempDir::new().unwrap();
    let said = since.restored(&away, &[]).await;
    for line in ["accounts deleted: 1", "suspensions set or lifted: 1", "passwords replaced: 1", "tokens revoked: 1"] {
        assert!(said.contains(line), "{line}: {said}");
    }
    assert!(said.contains("Do these again"), "{said}");
    let (app, cluster) = node(away.path()).await;
    signs_in(&app, "anna", "the secret of anna").await.problem(401, "invalid-credentials");
    signs_in(&app, "cleo", "the secret of cleo").await.problem(401, "invalid-credentials");
    let cleo = signs_in(&app, "cleo", "another secret of hers").await.expect(201);
    let ben = signs_in(&app, "ben", "the secret of ben").await.expect(201);
    assert_eq!(ben["account"]["suspension"]["reason"], "abuse");
    since.token.at(&app).get("/v1/account").await.problem(401, "token-unknown");
    since.session.at(&app).get("/v1/account").await.problem(401, "token-unknown");
    let cleo = since.token.at(&app).with_token(cleo["access_token"].as_str().unwrap());
    let restored = cleo.get("/v1/account").await.expect(200)["restored"].clone();
    assert!(restored["backup_at"].as_str() < restored["restored_at"].as_str(), "{restored}");
    let heard = cleo.get("/v1/events?after=0").await.expect(200);
    let heard = heard["items"].as_array().unwrap().last().unwrap().clone();
    crate::examples::events::keep(std::slice::from_ref(&heard));
    assert_eq!((&heard["type"], &heard["backup_at"]), (&json!("service-restored"), &restored["backup_at"]), "{heard}");

    // The guest continues once with a token unknown to the backup; older ones count as used.
    let [newest, old] = &since.guest;
    let next = refreshes(&app, newest).await.expect(200);
    let gus = cleo.with_token(next["access_token"].as_str().unwrap());
    assert_eq!(gus.get("/v1/account").await.expect(200)["username"], "gus");
    refreshes(&app, old).await.problem(401, "refresh-token-reused");
    refreshes(&app, next["refresh_token"].as_str().unwrap()).await.problem(401, "token-unknown");
    drop((app, cleo, gus));
    cluster.stop().await.unwrap();
}

#[actix_web::test]
async fn after_a_theft_everybody_signs_in_again_and_guests_go_on() {
    let since = Since::the_backup().await;
    let away = TempDir::new().unwrap();
    let said = since.restored(&away, &["--end-sessions"]).await;
    assert!(said.contains("everybody is signed out"), "{said}");
    let (app, cluster) = node(away.path()).await;
    let mia = signs_in(&app, "mia", "the secret of mia").await.expect(201);
    assert_eq!(mia["account"]["roles"], json!(["moderator"]));
    refreshes(&app, &since.session.refresh_token).await.problem(401, "token-unknown");
    let next = refreshes(&app, &since.guest[0]).await.expect(200);
    let gus = since.token.at(&app).with_token(next["access_token"].as_str().unwrap());
    assert_eq!(gus.get("/v1/account").await.expect(200)["username"], "gus");
    drop((app, gus));
    cluster.stop().await.unwrap();
}
