//! The leases of jobs.

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use crate::db::schema::job_leases;
use crate::db::{Run, Tx, rows, sql};
use crate::error::Result;

rows! {
    struct Leased {
        job: String,
    }
}

/// Renews the leases of `holder`, and takes those that nobody has: the names of the jobs that are leased now, for
/// `for_ms` from now on by the database's clock. Nothing is written when others have them all.
pub async fn lease(tx: &mut Tx, holder: Uuid, jobs: &[&'static str], for_ms: i64) -> Result<Vec<String>> {
    let leased = "INSERT INTO job_leases AS l (job, holder, until_at) \
         SELECT j.job, $2, now() + $3 * interval '1 millisecond' FROM unnest($1) AS j (job) \
         WHERE NOT EXISTS (SELECT FROM job_leases AS o WHERE o.job = j.job AND o.holder <> $2 AND o.until_at >= now()) \
         ORDER BY j.job \
         ON CONFLICT (job) DO UPDATE SET holder = excluded.holder, until_at = excluded.until_at \
           WHERE l.holder = excluded.holder OR l.until_at < now() \
         RETURNING job";
    let leased: Vec<Leased> = sql!(leased, jobs.to_vec(), holder, for_ms).load(tx.sql()).await?;
    Ok(leased.into_iter().map(|leased| leased.job).collect())
}

/// Gives back what `holder` has.
pub async fn release(tx: &mut Tx, holder: Uuid) -> Result<()> {
    diesel::delete(job_leases::table.filter(job_leases::holder.eq(holder))).run(tx).await
}
