//! A database that is spread over machines, as far as it can be tested without Citus. (All other tests run on one, too:
//! see docs/OPERATIONS.md.)

use broadside::db::Db;

use crate::support::database;

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
