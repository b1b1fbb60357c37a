//! Shutdown of a node: requests in progress are finished.

use broadside::db::Db;
use tokio::runtime::Builder;

use crate::support::database;

/// The idle worker ends first, with its runtime. The others, and the jobs, keep using connections it has opened.
#[actix_web::test]
async fn a_connection_outlives_the_worker_that_opened_it() {
    let db = Db::new(&database::fresh().await, 1, None).unwrap();
    let of_worker = db.clone();
    let begun = tokio::task::spawn_blocking(move || {
        let worker = Builder::new_current_thread().enable_all().build().unwrap();
        worker.block_on(of_worker.begin()).unwrap()
    });
    begun.await.unwrap().commit().await.unwrap();
}
