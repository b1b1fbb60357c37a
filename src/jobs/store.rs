//! SQL of job leases, and of the check of all jobs for work.

use std::borrow::Cow;

use broadside_rules::Time;
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment};
use diesel::result::QueryResult;
use diesel::sql_types::{Array, Bool, Timestamptz};
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use super::{Due, JOBS, Job};
use crate::db::schema::job_leases;
use crate::db::{At, Conn, Run, Tx, rows, sql};
use crate::error::Result;
use crate::notifications::leasing;

rows! {
    struct Leased {
        job: String,
    }
}

/// Renews the leases of `holder`, and takes free ones, for `for_ms` by the database's clock. Returns the names of the
/// leased jobs. Writes nothing if others hold them all.
pub async fn lease(tx: &mut Tx, holder: Uuid, jobs: &[&'static str], for_ms: i64) -> Result<Vec<String>> {
    let leased = "INSERT INTO job_leases AS l (job, holder, until_at) \
         SELECT j.job, $2, now() + $3 * interval '1 millisecond' FROM unnest($1) AS j (job) \
         WHERE NOT EXISTS (SELECT 1 FROM job_leases AS o WHERE o.job = j.job AND o.holder <> $2 AND o.until_at >= now()) \
         ORDER BY j.job \
         ON CONFLICT (job) DO UPDATE SET holder = excluded.holder, until_at = excluded.until_at \
           WHERE l.holder = excluded.holder OR l.until_at < now() \
         RETURNING job";
    let leased: Vec<Leased> = sql!(leased, jobs.to_vec(), holder, for_ms).load(tx.sql()).await?;
    Ok(leased.into_iter().map(|leased| leased.job).collect())
}

/// Returns the leases of `holder`.
pub async fn release(tx: &mut Tx, holder: Uuid) -> Result<()> {
    diesel::delete(job_leases::table.filter(job_leases::holder.eq(holder))).run(tx).await
}

/// For each job, whether it is asked for and has work. Conditions of other jobs aren't evaluated; with `LOCAL`, neither
/// are those that read the heads of matches.
struct DueJobs<'a, const LOCAL: bool> {
    now: At,
    asked: &'a [bool],
}

fn condition(job: &Job) -> Cow<'static, str> {
    match job.due {
        Due::Unknown => Cow::Borrowed("false"),
        Due::If(condition) | Due::While(condition) => Cow::Borrowed(condition),
        Due::Outside(source) => Cow::Owned(leasing::condition(source)),
    }
}

fn reads_heads(condition: &str) -> bool {
    condition.contains("match_heads")
}

impl<const LOCAL: bool> QueryFragment<Pg> for DueJobs<'_, LOCAL> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("SELECT ARRAY[");
        for (number, job) in (1..).zip(JOBS) {
            let condition = condition(job);
            let condition = if LOCAL && reads_heads(&condition) { "false" } else { &*condition };
            let comma = if number == 1 { "" } else { ", " };
            out.push_sql(&format!("{comma}CASE WHEN ($2)[{number}] THEN {condition} ELSE false END"));
        }
        // Parameter numbers follow the order of binding.
        out.push_sql("] WHERE ");
        out.push_bind_param::<Timestamptz, _>(&self.now)?;
        out.push_sql("::timestamptz IS NOT NULL AND ");
        out.push_bind_param::<Array<Bool>, _>(&self.asked)?;
        out.push_sql("::bool[] IS NOT NULL");
        Ok(())
    }
}

/// Prepared once.
impl<const LOCAL: bool> diesel::query_builder::QueryId for DueJobs<'_, LOCAL> {
    type QueryId = DueJobs<'static, LOCAL>;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl<const LOCAL: bool> diesel::query_builder::Query for DueJobs<'_, LOCAL> {
    type SqlType = Array<Bool>;
}

/// For each job, true if it has work at `now`; false for jobs that aren't `asked` for.
pub async fn due(conn: &mut Conn, asked: &[bool], now: Time) -> Result<Vec<bool>> {
    if !conn.is_distributed() {
        return Ok(DueJobs::<false> { now: At(now), asked }.get_result(conn.sql()).await?);
    }
    // With matches spread over machines, all machines are queried whether necessary or not, so each of these conditions
    // is its own statement.
    let mut due: Vec<bool> = DueJobs::<true> { now: At(now), asked }.get_result(conn.sql()).await?;
    for ((job, _), due) in JOBS.iter().zip(asked).zip(&mut due).filter(|((_, asked), _)| **asked) {
        let condition = condition(job);
        if reads_heads(&condition) {
            let found: Found = sql!(format!("SELECT {condition} AS found"), At(now)).get_result(conn.sql()).await?;
            *due = found.found;
        }
    }
    Ok(due)
}

rows! {
    struct Found {
        found: bool,
    }
}
