//! The leases of jobs, and the statement that asks for all of them whether they have something to do.

use broadside_rules::Time;
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment};
use diesel::result::QueryResult;
use diesel::sql_types::{Array, Bool, Timestamptz};
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use super::{Due, JOBS};
use crate::db::schema::job_leases;
use crate::db::{At, Conn, Run, Tx, rows, sql};
use crate::error::Result;
use crate::notifications::leasing;

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

/// For each job whether it is asked for and has something to do. The conditions of those that aren't asked for are not
/// looked at.
struct DueJobs<'a> {
    now: At,
    asked: &'a [bool],
}

impl QueryFragment<Pg> for DueJobs<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("SELECT ARRAY[");
        for (number, job) in (1..).zip(JOBS) {
            let condition = match job.due {
                Due::Unknown => "false",
                Due::If(condition) | Due::While(condition) => condition,
                Due::Outside(source) => &leasing::condition(source),
            };
            let comma = if number == 1 { "" } else { ", " };
            out.push_sql(&format!("{comma}CASE WHEN ($2)[{number}] THEN {condition} ELSE false END"));
        }
        // The values have their numbers from the order in which they are bound.
        out.push_sql("] WHERE ");
        out.push_bind_param::<Timestamptz, _>(&self.now)?;
        out.push_sql("::timestamptz IS NOT NULL AND ");
        out.push_bind_param::<Array<Bool>, _>(&self.asked)?;
        out.push_sql("::bool[] IS NOT NULL");
        Ok(())
    }
}

/// It is prepared once.
impl diesel::query_builder::QueryId for DueJobs<'_> {
    type QueryId = DueJobs<'static>;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl diesel::query_builder::Query for DueJobs<'_> {
    type SqlType = Array<Bool>;
}

/// For each job whether it has something to do at `now`; false for those that aren't `asked` for.
pub async fn due(conn: &mut Conn, asked: &[bool], now: Time) -> Result<Vec<bool>> {
    Ok(DueJobs { now: At(now), asked }.get_result(conn.sql()).await?)
}
