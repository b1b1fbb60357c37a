//! SQL of requests for substitutes.

use broadside_rules::{Seat, Time};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use serde_json::Value;
use uuid::Uuid;

use super::{Substitution, SubstitutionSource, SubstitutionStatus};
use crate::db::schema::{substitution_answers as answers, substitutions};
use crate::db::{At, Conn, Run, Tx, rows, sql};
use crate::error::{Error, Result};
use crate::ids::{AccountId, MatchId, SubstitutionId};
use crate::listed::Listed;
use crate::player::Player;

pub struct NewRow<'a> {
    pub id: SubstitutionId,
    pub match_id: MatchId,
    pub seat: Seat,
    /// The right of the request.
    pub asked_by: SubstitutionSource,
    pub requester: AccountId,
    /// The player of the seat.
    pub player: AccountId,
    /// The player asked.
    pub named: Option<AccountId>,
    pub message: Option<&'a str>,
    pub created_at: Time,
    /// The time of expiry.
    pub due_at: Time,
}

/// Stores a request. Returns false if there is one for the seat.
pub async fn insert(tx: &mut Tx, new: &NewRow<'_>) -> Result<bool> {
    let row = (
        substitutions::id.eq(new.id.0),
        substitutions::match_id.eq(new.match_id.0),
        substitutions::seat.eq(i16::from(new.seat.0)),
        substitutions::asked_by.eq(new.asked_by.into_str()),
        substitutions::requester_id.eq(new.requester.0),
        substitutions::player_id.eq(new.player.0),
        substitutions::named_id.eq(new.named.map(|named| named.0)),
        substitutions::status.eq(SubstitutionStatus::Open.into_str()),
        substitutions::message.eq(new.message),
        substitutions::created_at.eq(At(new.created_at)),
        substitutions::due_at.eq(At(new.due_at)),
    );
    let insert = diesel::insert_into(substitutions::table).values(row).on_conflict_do_nothing();
    Ok(insert.execute(tx.sql()).await? == 1)
}

/// The query up to the conditions, with the request as `x`; [`OF_MATCHES`] follows them. (Tables kept with accounts are
/// joined before the match: with matches spread over machines, the result is sent to them as one small table.)
const SELECT: &str = "SELECT x.*, m.variant FROM (SELECT x.id, x.match_id, x.seat, x.asked_by, x.requester_id, x.status, x.message, \
     x.created_at, x.due_at, x.closed_at, p.id AS player_id, p.username AS player_name, p.bot AS player_bot, \
     n.id AS named_id, n.username AS named_name, n.bot AS named_bot, \
     c.id AS candidate_id, c.username AS candidate_name, c.bot AS candidate_bot, a.answers \
     FROM substitutions AS x JOIN accounts AS p ON p.id = x.player_id \
     LEFT JOIN accounts AS n ON n.id = x.named_id LEFT JOIN accounts AS c ON c.id = x.candidate_id \
     CROSS JOIN LATERAL (SELECT jsonb_agg(jsonb_build_array(account_id, agrees) ORDER BY at, account_id) AS answers \
       FROM substitution_answers WHERE substitution_id = x.id) AS a WHERE ";

/// The query after the conditions, except the order.
const OF_MATCHES: &str = " OFFSET 0) AS x JOIN matches AS m ON m.id = x.match_id ORDER BY x.id";

rows! {
    struct Row {
        id: Uuid,
        match_id: Uuid,
        variant: String,
        seat: i16,
        asked_by: String,
        requester_id: Uuid,
        status: String,
        message: Option<String>,
        created_at: At,
        due_at: At,
        closed_at: Option<At>,
        player_id: Uuid,
        player_name: String,
        player_bot: bool,
        named_id: Option<Uuid>,
        named_name: Option<String>,
        named_bot: Option<bool>,
        candidate_id: Option<Uuid>,
        candidate_name: Option<String>,
        candidate_bot: Option<bool>,
        answers: Option<Value>,
    }
}

fn player(id: Option<Uuid>, username: Option<String>, bot: Option<bool>) -> Option<Player> {
    Some(Player { id: AccountId(id?), username: username?, bot: bot? })
}

impl TryFrom<Row> for Substitution {
    type Error = Error;

    fn try_from(row: Row) -> Result<Self> {
        let unknown = |what: &str| Error::internal(format!("a substitution has an unknown {what}"));
        let answers: Vec<(Uuid, bool)> =
            row.answers.map_or(Ok(Vec::new()), serde_json::from_value).map_err(Error::internal)?;
        Ok(Self {
            id: SubstitutionId(row.id),
            match_id: MatchId(row.match_id),
            variant: row.variant,
            seat: Seat(u8::try_from(row.seat).map_err(Error::internal)?),
            asked_by: row.asked_by.parse().map_err(|_| unknown("source"))?,
            requester: AccountId(row.requester_id),
            player: Player { id: AccountId(row.player_id), username: row.player_name, bot: row.player_bot },
            named: player(row.named_id, row.named_name, row.named_bot),
            candidate: player(row.candidate_id, row.candidate_name, row.candidate_bot),
            status: row.status.parse().map_err(|_| unknown("status"))?,
            message: row.message,
            answers: answers.into_iter().map(|(account, agrees)| (AccountId(account), agrees)).collect(),
            created_at: row.created_at.0,
            due_at: row.due_at.0,
            closed_at: row.closed_at.map(Time::from),
        })
    }
}

fn read(rows: Vec<Row>) -> Result<Listed<Substitution>> {
    let rows = rows.into_iter().map(|row| (row.id, Substitution::try_from(row)));
    Listed::of("a request for a substitute can't be read; lists leave it out", rows)
}

pub async fn find(conn: &mut Conn, id: SubstitutionId) -> Result<Option<Substitution>> {
    let rows: Vec<Row> = sql!(format!("{SELECT} x.id = $1{OF_MATCHES}"), id.0).load(conn.sql()).await?;
    rows.into_iter().next().map(Substitution::try_from).transpose()
}

/// A request, locked until the transaction ends.
pub async fn lock(tx: &mut Tx, id: SubstitutionId) -> Result<Option<Substitution>> {
    let locked = substitutions::table.find(id.0).select(substitutions::id).for_update();
    if locked.first::<Uuid>(tx.sql()).await.optional()?.is_none() {
        return Ok(None);
    }
    find(tx, id).await
}

/// The upper bound of ids for the page after the given one.
fn before(last: Option<SubstitutionId>) -> Uuid {
    last.map_or(Uuid::max(), |last| last.0)
}

/// The requests of a match, newest first.
pub async fn of_match(
    conn: &mut Conn,
    id: MatchId,
    last: Option<SubstitutionId>,
    limit: i64,
) -> Result<Listed<Substitution>> {
    let query = format!("{SELECT} x.match_id = $1 AND x.id < $2 ORDER BY x.id DESC LIMIT $3{OF_MATCHES} DESC");
    read(sql!(query, id.0, before(last), limit).load(conn.sql()).await?)
}

/// Open offers, newest first, without matches that have a block between the viewer and a player.
pub async fn offered(
    conn: &mut Conn,
    viewer: Option<AccountId>,
    last: Option<SubstitutionId>,
    limit: i64,
) -> Result<Listed<Substitution>> {
    let query = format!(
        "{SELECT} x.status = 'open' AND x.named_id IS NULL AND x.id < $1 AND x.match_id NOT IN ( \
           SELECT s.match_id FROM match_seats AS s WHERE \
             s.account_id = ANY (ARRAY (SELECT other_id FROM account_blocks WHERE kind = 'block' AND account_id = $2)) \
             OR s.account_id = ANY (ARRAY (SELECT account_id FROM account_blocks WHERE kind = 'block' AND other_id = $2))) \
         ORDER BY x.id DESC LIMIT $3{OF_MATCHES} DESC"
    );
    let viewer = viewer.map(|viewer| viewer.0);
    read(sql!(query, before(last), viewer, limit).load(conn.sql()).await?)
}

/// Requests made by an account, or in which it is named or the candidate, newest first.
pub async fn mine(
    conn: &mut Conn,
    account: AccountId,
    last: Option<SubstitutionId>,
    limit: i64,
) -> Result<Listed<Substitution>> {
    let query = format!(
        "{SELECT} (x.requester_id = $1 OR x.named_id = $1 OR x.candidate_id = $1) AND x.id < $2 \
         ORDER BY x.id DESC LIMIT $3{OF_MATCHES} DESC"
    );
    read(sql!(query, account.0, before(last), limit).load(conn.sql()).await?)
}

/// Those, and the ones answered by the account: all of them, oldest first.
pub async fn of_account(conn: &mut Conn, account: AccountId) -> Result<Listed<Substitution>> {
    let query = format!(
        "{SELECT} x.requester_id = $1 OR x.named_id = $1 OR x.candidate_id = $1 \
         OR x.id IN (SELECT substitution_id FROM substitution_answers WHERE account_id = $1){OF_MATCHES}"
    );
    read(sql!(query, account.0).load(conn.sql()).await?)
}

/// The pending request for a seat, locked until the transaction ends.
pub async fn lock_waiting(tx: &mut Tx, id: MatchId, seat: Seat) -> Result<Option<Substitution>> {
    let waiting = substitutions::table
        .filter(substitutions::match_id.eq(id.0))
        .filter(substitutions::seat.eq(i16::from(seat.0)))
        .filter(substitutions::closed_at.is_null())
        .select(substitutions::id)
        .for_update();
    match waiting.first::<Uuid>(tx.sql()).await.optional()? {
        Some(found) => find(tx, SubstitutionId(found)).await,
        None => Ok(None),
    }
}

/// The number of requests for a seat since then by such a right.
pub async fn count_since(
    conn: &mut Conn,
    (id, seat): (MatchId, Seat),
    asked_by: SubstitutionSource,
    since: Time,
) -> Result<i64> {
    let all = substitutions::table
        .filter(substitutions::match_id.eq(id.0))
        .filter(substitutions::seat.eq(i16::from(seat.0)))
        .filter(substitutions::asked_by.eq(asked_by.into_str()))
        .filter(substitutions::created_at.gt(At(since)));
    Ok(all.count().get_result(conn.sql()).await?)
}

/// Sets the candidate of a locked request, which has no answers yet.
pub async fn propose(tx: &mut Tx, id: SubstitutionId, candidate: AccountId, due_at: Time) -> Result<()> {
    set_candidate(tx, id, Some(candidate), SubstitutionStatus::Proposed, due_at).await
}

/// Reopens a locked request.
pub async fn reopen(tx: &mut Tx, id: SubstitutionId, due_at: Time) -> Result<()> {
    set_candidate(tx, id, None, SubstitutionStatus::Open, due_at).await
}

async fn set_candidate(
    tx: &mut Tx,
    id: SubstitutionId,
    candidate: Option<AccountId>,
    status: SubstitutionStatus,
    due_at: Time,
) -> Result<()> {
    diesel::delete(answers::table.filter(answers::substitution_id.eq(id.0))).run(tx).await?;
    diesel::update(substitutions::table.find(id.0))
        .set((
            substitutions::candidate_id.eq(candidate.map(|candidate| candidate.0)),
            substitutions::status.eq(status.into_str()),
            substitutions::due_at.eq(At(due_at)),
        ))
        .run(tx)
        .await
}

/// Closes a locked request.
pub async fn close(tx: &mut Tx, id: SubstitutionId, status: SubstitutionStatus, now: Time) -> Result<()> {
    diesel::update(substitutions::table.find(id.0))
        .set((substitutions::status.eq(status.into_str()), substitutions::closed_at.eq(At(now))))
        .run(tx)
        .await
}

/// Stores an answer to a locked request, replacing an earlier one by the same account.
pub async fn answer(tx: &mut Tx, id: SubstitutionId, account: AccountId, agrees: bool, now: Time) -> Result<()> {
    let said = (answers::agrees.eq(agrees), answers::at.eq(At(now)));
    diesel::insert_into(answers::table)
        .values((answers::substitution_id.eq(id.0), answers::account_id.eq(account.0), said))
        .on_conflict((answers::substitution_id, answers::account_id))
        .do_update()
        .set(said)
        .run(tx)
        .await
}

/// SQL condition at time `$1`: a request needs attention. Must match [`to_look_at`].
pub const TO_LOOK_AT: &str = "EXISTS (SELECT 1 FROM substitutions AS x JOIN match_heads AS h ON h.match_id = x.match_id \
     WHERE x.closed_at IS NULL AND (x.due_at <= $1 OR x.status = 'proposed' OR h.finished_at IS NOT NULL) LIMIT 1)";

/// Requests that are due, whose seat is out or whose match is over, or that may have all answers, in order of id, after
/// `last`.
pub async fn to_look_at(
    conn: &mut Conn,
    now: Time,
    last: Option<SubstitutionId>,
    limit: i64,
) -> Result<Vec<SubstitutionId>> {
    rows! {
        struct Found {
            id: Uuid,
        }
    }
    let query = "SELECT x.id FROM substitutions AS x JOIN match_heads AS h ON h.match_id = x.match_id \
         WHERE x.closed_at IS NULL AND x.id > $1 AND (x.due_at <= $2 OR x.status = 'proposed' OR h.finished_at IS NOT NULL) \
         ORDER BY x.id LIMIT $3";
    let after = last.map_or(Uuid::nil(), |last| last.0);
    let found: Vec<Found> = sql!(query, after, At(now), limit).load(conn.sql()).await?;
    Ok(found.into_iter().map(|row| SubstitutionId(row.id)).collect())
}

/// The running matches with a requested substitute for the account.
pub async fn matches_on_offer(conn: &mut Conn, account: AccountId) -> Result<Vec<MatchId>> {
    let ids: Vec<Uuid> = substitutions::table
        .filter(substitutions::player_id.eq(account.0))
        .filter(substitutions::closed_at.is_null())
        .select(substitutions::match_id)
        .load(conn.sql())
        .await?;
    Ok(ids.into_iter().map(MatchId).collect())
}

/// Removes an account that is being deleted from all requests.
pub async fn forget(tx: &mut Tx, account: AccountId, now: Time) -> Result<()> {
    let asked =
        "UPDATE substitutions SET status = 'declined', closed_at = $2 WHERE closed_at IS NULL AND named_id = $1";
    sql!(asked, account.0, At(now)).run(tx).await?;
    let ready =
        "UPDATE substitutions SET status = 'open', candidate_id = NULL WHERE closed_at IS NULL AND candidate_id = $1";
    sql!(ready, account.0).run(tx).await
}
