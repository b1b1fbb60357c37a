//! SQL of the common part of ladders and tournaments, and of their organizers. Entries, members and announcements have
//! their own files.

pub mod announcements;
pub mod entries;
pub mod members;
pub mod pauses;
pub mod words;

use std::collections::HashMap;

use broadside_rules::Time;
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment};
use diesel::result::QueryResult;
use diesel::sql_types::{self as types, Array, Bool, Nullable, Text, Timestamptz};
use diesel_async::RunQueryDsl;
use serde_json::Value;
use uuid::Uuid;

use crate::accounts::{Identity, roles};
use crate::contests::Contest;
use crate::contests::access::Access;
use crate::contests::head::Head;
use crate::contests::organizers::Organizer;
use crate::db::schema::{accounts, contest_organizers, ladders, tournaments};
use crate::db::{At, Conn, PublicRead, Run, Tx, rows, sql};
use crate::error::{Error, Result};
use crate::ids::{AccountId, PairingId};
use crate::player::Player;

rows! {
    struct HeadRow {
        kind: String,
        creator_id: Uuid,
        entry_limits: Value,
        takes_entries: bool,
    }
}

/// SQL condition: players can still join the tournament `t`. It is open, or running with a next round that admits late
/// entrants. (The tournament checks this again when they join.)
const TAKES_PLAYERS: &str = "(t.status = 'open' OR t.status = 'running' AND 1 + coalesce( \
       (SELECT d.round FROM tournament_drafts AS d WHERE d.tournament_id = t.id AND d.released_at IS NULL), t.round) \
     <= least(t.rounds, coalesce((t.format_terms #>> '{late_entry,until_round}')::int, 0)))";

/// The ladder or the tournament; `None` if there is neither.
pub async fn head(conn: &mut Conn, id: Uuid) -> Result<Option<Head>> {
    let query = format!(
        "SELECT 'ladder' AS kind, creator_id, entry_limits, closed_at IS NULL AS takes_entries \
         FROM ladders WHERE id = $1 UNION ALL SELECT 'tournament', t.creator_id, t.entry_limits, {TAKES_PLAYERS} \
         FROM tournaments AS t WHERE t.id = $1"
    );
    let found: Vec<HeadRow> = sql!(query, id).load(conn.sql()).await?;
    let Some(row) = found.into_iter().next() else { return Ok(None) };
    let organizers = of(conn, &[id]).await?.remove(&id).unwrap_or_default();
    Ok(Some(Head {
        contest: Contest::of(&row.kind, id).ok_or_else(|| Error::internal("a contest is of an unknown kind"))?,
        creator: AccountId(row.creator_id),
        organizers,
        access: Access::stored(&row.entry_limits)?,
        takes_entries: row.takes_entries,
    }))
}

/// Query: a viewer may see a contest, or the contest of a pairing.
struct Sees<const OF_PAIRING: bool> {
    id: Uuid,
    account: Option<Uuid>,
    /// The roles usable with the viewer's token.
    roles: Vec<&'static str>,
    now: At,
}

impl<const OF_PAIRING: bool> Sees<OF_PAIRING> {
    fn new(id: Uuid, viewer: Option<&Identity>, now: Time) -> Self {
        let roles = viewer.map(roles::usable).unwrap_or_default();
        Self { id, account: viewer.map(|viewer| viewer.account.0), roles, now: At(now) }
    }
}

/// It is public, or the viewer organizes it, takes part, has asked to, is invited, or has a role and isn't suspended.
/// Barred players who aren't organizers may not see it.
const SEEN: &str = "c.entry_limits ->> 'visibility' IS DISTINCT FROM 'private' OR c.creator_id = v.account \
     OR EXISTS (SELECT FROM contest_organizers AS o WHERE o.contest_id = c.id AND o.account_id = v.account) \
     OR NOT EXISTS (SELECT FROM contest_bars AS b WHERE b.contest_id = c.id AND b.account_id = v.account) AND ( \
       EXISTS (SELECT FROM ladder_members AS m \
         WHERE m.ladder_id = c.id AND m.account_id = v.account AND m.status <> 'left') \
       OR EXISTS (SELECT FROM tournament_players AS p WHERE p.tournament_id = c.id AND p.account_id = v.account) \
       OR EXISTS (SELECT FROM contest_entries AS e \
         WHERE e.contest_id = c.id AND e.account_id = v.account AND e.state IN ('requested', 'invited'))) \
     OR EXISTS (SELECT FROM account_roles AS r JOIN accounts AS a ON a.id = r.account_id \
       WHERE r.account_id = v.account AND r.role = ANY (v.roles) \
         AND (a.suspended_at IS NULL OR a.suspended_until <= v.now))";

impl<const OF_PAIRING: bool> QueryFragment<Pg> for Sees<OF_PAIRING> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("SELECT EXISTS (SELECT FROM (SELECT ");
        out.push_bind_param::<types::Uuid, _>(&self.id)?;
        out.push_sql("::uuid AS id, ");
        out.push_bind_param::<Nullable<types::Uuid>, _>(&self.account)?;
        out.push_sql("::uuid AS account, ");
        out.push_bind_param::<Array<Text>, _>(&self.roles)?;
        out.push_sql("::text[] AS roles, ");
        out.push_bind_param::<Timestamptz, _>(&self.now)?;
        out.push_sql("::timestamptz AS now) AS v JOIN ");
        if OF_PAIRING {
            out.push_sql("pairings AS g ON g.id = v.id JOIN ");
        }
        out.push_sql(
            "(SELECT id, creator_id, entry_limits FROM ladders UNION ALL \
             SELECT id, creator_id, entry_limits FROM tournaments) AS c ON c.id = ",
        );
        out.push_sql(if OF_PAIRING { "g.contest_id" } else { "v.id" });
        out.push_sql(" WHERE ");
        out.push_sql(SEEN);
        out.push_sql(")");
        Ok(())
    }
}

/// Prepared once.
impl<const OF_PAIRING: bool> diesel::query_builder::QueryId for Sees<OF_PAIRING> {
    type QueryId = Self;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl<const OF_PAIRING: bool> diesel::query_builder::Query for Sees<OF_PAIRING> {
    type SqlType = Bool;
}

/// True if the contest exists and the viewer may see it.
pub async fn is_seen(conn: &mut Conn, contest: Uuid, viewer: Option<&Identity>, now: Time) -> Result<bool> {
    Ok(Sees::<false>::new(contest, viewer, now).get_result(conn.sql()).await?)
}

/// True if the pairing exists and the viewer may see its contest.
pub async fn is_pairing_seen(
    conn: &mut Conn,
    pairing: PairingId,
    viewer: Option<&Identity>,
    now: Time,
) -> Result<bool> {
    Ok(Sees::<true>::new(pairing.0, viewer, now).get_result(conn.sql()).await?)
}

pub async fn lock(tx: &mut Tx, id: Uuid) -> Result<()> {
    let ladder = ladders::table.find(id).select(ladders::id).for_no_key_update();
    if ladder.first::<Uuid>(tx.sql()).await.optional()?.is_none() {
        let tournament = tournaments::table.find(id).select(tournaments::id).for_no_key_update();
        tournament.first::<Uuid>(tx.sql()).await.optional()?;
    }
    Ok(())
}

/// The organizers of these contests: those in the creator's place first, then in the order in which they were named.
pub async fn of(conn: &mut PublicRead, contests: &[Uuid]) -> Result<HashMap<Uuid, Vec<Organizer>>> {
    let mut found: HashMap<Uuid, Vec<Organizer>> = HashMap::new();
    if contests.is_empty() {
        return Ok(found);
    }
    let rows: Vec<(Uuid, bool, Uuid, String, bool)> = contest_organizers::table
        .inner_join(accounts::table.on(accounts::id.eq(contest_organizers::account_id)))
        .filter(contest_organizers::contest_id.eq_any(contests))
        .order((contest_organizers::leads.desc(), contest_organizers::named_at, contest_organizers::account_id))
        .select((
            contest_organizers::contest_id,
            contest_organizers::leads,
            accounts::id,
            accounts::username,
            accounts::bot,
        ))
        .load(conn.sql())
        .await?;
    for (contest, leads, id, username, bot) in rows {
        let player = Player { id: AccountId(id), username, bot };
        found.entry(contest).or_default().push(Organizer { player, leads });
    }
    Ok(found)
}

/// Stores an organizer. Returns false if the account already is one.
pub async fn insert(tx: &mut Tx, contest: Contest, account: AccountId, now: Time) -> Result<bool> {
    let inserted = diesel::insert_into(contest_organizers::table)
        .values((
            contest_organizers::contest_id.eq(contest.id()),
            contest_organizers::account_id.eq(account.0),
            contest_organizers::kind.eq(contest.word()),
            contest_organizers::leads.eq(false),
            contest_organizers::named_at.eq(At(now)),
        ))
        .on_conflict_do_nothing()
        .execute(tx.sql())
        .await?;
    Ok(inserted > 0)
}

/// Deletes an organizer. Returns false if the account isn't one.
pub async fn delete(tx: &mut Tx, contest: Contest, account: AccountId) -> Result<bool> {
    let own = contest_organizers::table.find((contest.id(), account.0));
    Ok(diesel::delete(own).execute(tx.sql()).await? > 0)
}

/// The contests organized by the account, each with the time since when.
pub async fn of_account(conn: &mut Conn, account: AccountId) -> Result<Vec<(Contest, Time)>> {
    let rows: Vec<(String, Uuid, At)> = contest_organizers::table
        .filter(contest_organizers::account_id.eq(account.0))
        .order(contest_organizers::contest_id)
        .select((contest_organizers::kind, contest_organizers::contest_id, contest_organizers::named_at))
        .load(conn.sql())
        .await?;
    Ok(rows.into_iter().filter_map(|(word, id, at)| Some((Contest::of(&word, id)?, at.0))).collect())
}

/// Transfers the account's creator rights to the first-named organizer.
pub async fn hand_over(tx: &mut Tx, account: AccountId) -> Result<()> {
    let update = "UPDATE contest_organizers SET leads = true WHERE (contest_id, account_id) IN ( \
          SELECT DISTINCT ON (contest_id) contest_id, account_id FROM contest_organizers \
          WHERE account_id <> $1 AND contest_id IN ( \
            SELECT id FROM ladders WHERE creator_id = $1 UNION ALL SELECT id FROM tournaments WHERE creator_id = $1 \
            UNION ALL SELECT contest_id FROM contest_organizers WHERE account_id = $1 AND leads) \
          ORDER BY contest_id, named_at, account_id)";
    sql!(update, account.0).run(tx).await
}

pub async fn delete_all(tx: &mut Tx, account: AccountId) -> Result<()> {
    diesel::delete(contest_organizers::table.filter(contest_organizers::account_id.eq(account.0))).run(tx).await
}

/// Erases the account's reasons for closing or canceling contests.
pub async fn erase_end_reasons(tx: &mut Tx, account: AccountId) -> Result<()> {
    for (table, reason) in [("ladders", "closed_reason"), ("tournaments", "reason")] {
        let update = format!(
            "UPDATE {table} SET {reason} = NULL WHERE id IN (SELECT contest_id FROM contest_words WHERE ended_by = $1)"
        );
        sql!(update, account.0).run(tx).await?;
    }
    Ok(())
}

/// The contests that the account created, or leads in place of a deleted creator.
pub async fn led_by(conn: &mut Conn, account: AccountId) -> Result<Vec<Uuid>> {
    rows! {
        struct Led {
            id: Uuid,
        }
    }
    let query = "SELECT id FROM ladders WHERE creator_id = $1 UNION ALL SELECT id FROM tournaments WHERE creator_id = $1 \
         UNION ALL SELECT contest_id FROM contest_organizers WHERE account_id = $1 AND leads";
    let led: Vec<Led> = sql!(query, account.0).load(conn.sql()).await?;
    Ok(led.into_iter().map(|led| led.id).collect())
}

/// Replaces the titles of those of these contests that have no organizer, and erases their descriptions. Contests
/// offered by the service itself keep theirs.
pub async fn erase_titles_of_orphans(tx: &mut Tx, contests: &[Uuid]) -> Result<()> {
    let orphan = "NOT EXISTS (SELECT FROM contest_organizers AS o WHERE o.contest_id = c.id)";
    erase_titles(tx, contests, ["NOT c.official", orphan]).await
}

/// Replaces the title of a contest unconditionally, and erases its description.
pub async fn erase_title(tx: &mut Tx, contest: Uuid) -> Result<()> {
    erase_titles(tx, &[contest], ["true", "true"]).await
}

async fn erase_titles(tx: &mut Tx, contests: &[Uuid], [ladders, all]: [&str; 2]) -> Result<()> {
    for (table, kind, these) in [("ladders", "Ladder", ladders), ("tournaments", "Tournament", "true")] {
        let update = format!(
            "WITH gone AS (UPDATE {table} AS c SET title = '{kind} ' || right(c.id::text, 8), description = NULL \
               WHERE c.id = ANY ($1) AND {these} AND {all} RETURNING c.id, c.title) \
             UPDATE contest_words AS w SET words = lower(gone.title) FROM gone WHERE w.contest_id = gone.id"
        );
        sql!(update, contests.to_vec()).run(tx).await?;
    }
    Ok(())
}
