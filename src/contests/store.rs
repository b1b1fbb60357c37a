//! The SQL of what ladders and tournaments have in common, and of those who run them. Who waits to get in, members and
//! announcements have files of their own.

pub mod announcements;
pub mod entries;
pub mod members;
pub mod pauses;

use std::collections::HashMap;

use broadside_rules::Time;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use serde_json::Value;
use uuid::Uuid;

use crate::contests::Contest;
use crate::contests::access::Access;
use crate::contests::head::Head;
use crate::contests::organizers::Organizer;
use crate::db::schema::{accounts, contest_organizers, ladders, tournaments};
use crate::db::{At, Conn, PublicRead, Run, Tx, rows, sql};
use crate::error::{Error, Result};
use crate::ids::AccountId;
use crate::player::Player;

rows! {
    struct HeadRow {
        kind: String,
        creator_id: Uuid,
        entry_limits: Value,
        takes_entries: bool,
    }
}

/// That somebody can still join the tournament `t`: it is open, or it is running, and the next round that is drawn is
/// one into which somebody may come in late. (The tournament judges that again when they join.)
const TAKES_PLAYERS: &str = "(t.status = 'open' OR t.status = 'running' AND 1 + coalesce( \
       (SELECT d.round FROM tournament_drafts AS d WHERE d.tournament_id = t.id AND d.released_at IS NULL), t.round) \
     <= least(t.rounds, coalesce((t.format_terms #>> '{late_entry,until_round}')::int, 0)))";

/// The ladder or the tournament; none: there is neither.
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

/// Locks the ladder or the tournament until the transaction ends.
pub async fn lock(tx: &mut Tx, id: Uuid) -> Result<()> {
    let ladder = ladders::table.find(id).select(ladders::id).for_no_key_update();
    if ladder.first::<Uuid>(tx.sql()).await.optional()?.is_none() {
        let tournament = tournaments::table.find(id).select(tournaments::id).for_no_key_update();
        tournament.first::<Uuid>(tx.sql()).await.optional()?;
    }
    Ok(())
}

/// The organizers of these contests: who leads first, then in the order in which they were named.
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

/// Stores an organizer. False: the account is one already.
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

/// Deletes an organizer. False: the account is none.
pub async fn delete(tx: &mut Tx, contest: Contest, account: AccountId) -> Result<bool> {
    let own = contest_organizers::table.find((contest.id(), account.0));
    Ok(diesel::delete(own).execute(tx.sql()).await? > 0)
}

/// Where the account is an organizer, and since when.
pub async fn of_account(conn: &mut Conn, account: AccountId) -> Result<Vec<(Contest, Time)>> {
    let rows: Vec<(String, Uuid, At)> = contest_organizers::table
        .filter(contest_organizers::account_id.eq(account.0))
        .order(contest_organizers::contest_id)
        .select((contest_organizers::kind, contest_organizers::contest_id, contest_organizers::named_at))
        .load(conn.sql())
        .await?;
    Ok(rows.into_iter().filter_map(|(word, id, at)| Some((Contest::of(&word, id)?, at.0))).collect())
}

/// Hands what the account decides alone, as the creator or in their place, to whoever was named first beside it.
pub async fn hand_over(tx: &mut Tx, account: AccountId) -> Result<()> {
    let update = "UPDATE contest_organizers SET leads = true WHERE (contest_id, account_id) IN ( \
          SELECT DISTINCT ON (contest_id) contest_id, account_id FROM contest_organizers \
          WHERE account_id <> $1 AND contest_id IN ( \
            SELECT id FROM ladders WHERE creator_id = $1 UNION ALL SELECT id FROM tournaments WHERE creator_id = $1 \
            UNION ALL SELECT contest_id FROM contest_organizers WHERE account_id = $1 AND leads) \
          ORDER BY contest_id, named_at, account_id)";
    sql!(update, account.0).run(tx).await
}

/// Deletes the account from all contests.
pub async fn delete_all(tx: &mut Tx, account: AccountId) -> Result<()> {
    diesel::delete(contest_organizers::table.filter(contest_organizers::account_id.eq(account.0))).run(tx).await
}
