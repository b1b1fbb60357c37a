//! A database that is spread over machines. (All other tests run on one, too: see docs/OPERATIONS.md. Without Citus
//! there is little to see here.)

use broadside::db::Db;

use crate::support::{TestApp, database};

#[actix_web::test]
async fn what_is_distributed_stays_so_and_without_citus_nothing_is() {
    let db = Db::new(&database::fresh().await, 1, None).unwrap();
    match db.distribute(4).await.unwrap() {
        Ok(tables) => assert!(database::are_distributed() && tables.is_empty(), "{tables:?}"),
        Err(obstacle) => {
            assert!(!database::are_distributed());
            let said = obstacle.to_string();
            assert!(said.contains("CREATE EXTENSION citus") && said.contains("each worker"), "{said}");
        }
    }
}

#[actix_web::test]
async fn what_a_worker_has_not_heard_of_is_not_denied() {
    let app = TestApp::start().await;
    let missing = "/v1/matches/0199c2a8-7d4e-7c3a-9f10-5b1e6a2d8c47";
    app.get(missing).await.problem(404, "not-found");
    // The name has the numbers of a coordinator, of a process that isn't there, and of its transaction.
    if !database::leave_on_the_way(&app.database, "citus_0_999999_1_1").await {
        return;
    }
    // Citus may be faster than who asks, but not every time.
    let mut attempts = 1;
    while app.get(missing).await.status == 404 {
        attempts += 1;
        assert!(attempts < 20, "it was denied although a worker may have it");
        database::leave_on_the_way(&app.database, &format!("citus_0_999999_{attempts}_1")).await;
    }
    while app.get(missing).await.status == 503 {}
    app.get(missing).await.problem(404, "not-found");
}
