//! A database with a schema of another version or a role without permission, and the operator's message.

use crate::archive::broadside;
use crate::support::database::{self, execute};
use crate::support::process::Node;

const NEWER: &str = "INSERT INTO __diesel_schema_migrations (version) VALUES ('99991231000001')";
const OLDER: &str = "DELETE FROM __diesel_schema_migrations \
     WHERE version = (SELECT max(version) FROM __diesel_schema_migrations)";

/// Runs a command on this database; returns its error.
async fn refused(line: &str, url: &str) -> String {
    let words: Vec<&str> = line.split(' ').chain(["--database-url", url]).collect();
    let (done, said) = Box::pin(broadside(&words)).await;
    assert!(!done, "{line}: {said}");
    said
}

const SERVE: &str = "serve --listen 127.0.0.1:0 --admin-listen 127.0.0.1:0 --log error";

#[actix_web::test]
async fn an_empty_or_an_older_schema_is_to_be_migrated() {
    let (empty, older) = (database::empty().await, database::fresh().await);
    execute(&older, OLDER).await;
    let serve = format!("{SERVE} --no-migrate");
    for line in [serve.as_str(), "admin list", "audit", "archive status", "rotate-keys"] {
        let said = refused(line, &empty).await;
        assert!(said.contains("has no schema: run `broadside migrate` first"), "{line}: {said}");
        let said = refused(line, &older).await;
        assert!(said.contains("1 migrations have not run") && said.contains("run `broadside migrate`"), "{said}");
    }
    let said = refused("migrate --pending", &older).await;
    assert_eq!(said.lines().count(), 1, "{said}");
}

#[actix_web::test]
async fn a_newer_schema_is_refused_by_name() {
    let url = database::fresh().await;
    execute(&url, NEWER).await;
    for line in [SERVE, "admin list", "audit", "migrate", "migrate --pending"] {
        let said = refused(line, &url).await;
        assert!(said.contains("newer than this program") && said.contains("99991231000001"), "{line}: {said}");
    }
    // In a rolling upgrade the migration runs separately, while old nodes serve.
    let mut node = Node::start(&url, "127.0.0.1:0");
    node.is_sent(rustix::process::Signal::INT);
    assert!(node.stops());
}

#[actix_web::test]
async fn a_role_is_told_which_rights_it_lacks() {
    let (url, empty) = (database::fresh().await, database::empty().await);
    let role = format!("reader_{}", std::process::id());
    execute(&url.replace("user='broadside'", "user='postgres'"), &format!("CREATE ROLE {role} LOGIN")).await;
    let grant = format!(
        "GRANT USAGE ON SCHEMA public TO {role}; GRANT SELECT ON ALL TABLES IN SCHEMA public TO {role}; \
         GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO {role}"
    );
    execute(&url, &grant).await;
    let revoke = "REVOKE CREATE ON SCHEMA public FROM PUBLIC";
    execute(&empty.replace("user='broadside'", "user='postgres'"), revoke).await;
    let of_role = |url: &str| url.replace("user='broadside'", &format!("user='{role}'"));
    let said = refused(SERVE, &of_role(&url)).await;
    assert!(said.contains(&format!("role {role} lacks INSERT, UPDATE, DELETE on")), "{said}");
    assert!(said.contains("GRANT SELECT, INSERT, UPDATE, DELETE"), "{said}");
    for line in [SERVE, "migrate"] {
        let said = refused(line, &of_role(&empty)).await;
        assert!(said.contains(&format!("GRANT CREATE ON SCHEMA public TO {role}")), "{line}: {said}");
    }
}
