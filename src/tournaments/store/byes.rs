//! SQL of byes in undrawn rounds.

use broadside_contests::ByeWorth;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use super::tournaments::{number, small};
use crate::db::schema::tournament_bye_requests::{self, dsl};
use crate::db::{At, Conn, Run, Tx};
use crate::error::Result;
use crate::ids::{AccountId, TournamentId};
use crate::tournaments::byes::ByeRequest;

type Row = (Uuid, i16, i16, Option<Uuid>, At);

const COLUMNS: (dsl::account_id, dsl::round, dsl::half_points, dsl::granted_by, dsl::asked_at) =
    (dsl::account_id, dsl::round, dsl::half_points, dsl::granted_by, dsl::asked_at);

fn read((account, round, halves, granted_by, at): Row) -> ByeRequest {
    ByeRequest {
        account: AccountId(account),
        round: number(round),
        worth: if halves > 0 { ByeWorth::HalfPoint } else { ByeWorth::Nothing },
        granted_by: granted_by.map(AccountId),
        at: at.0,
    }
}

/// Stores a requested bye.
pub async fn insert(tx: &mut Tx, id: TournamentId, bye: &ByeRequest) -> Result<()> {
    diesel::insert_into(tournament_bye_requests::table)
        .values((
            dsl::tournament_id.eq(id.0),
            dsl::account_id.eq(bye.account.0),
            dsl::round.eq(small(bye.round)),
            dsl::half_points.eq(i16::from(bye.worth.halves())),
            dsl::granted_by.eq(bye.granted_by.map(|account| account.0)),
            dsl::asked_at.eq(At(bye.at)),
        ))
        .run(tx)
        .await
}

/// Deletes a bye. Returns false if there was none.
pub async fn delete(tx: &mut Tx, id: TournamentId, account: AccountId, round: u16) -> Result<bool> {
    let one = tournament_bye_requests::table.find((id.0, account.0, small(round)));
    Ok(diesel::delete(one).execute(tx.sql()).await? == 1)
}

/// Deletes the byes of a round that is drawn.
pub async fn delete_round(tx: &mut Tx, id: TournamentId, round: u16) -> Result<()> {
    let all = tournament_bye_requests::table.filter(dsl::tournament_id.eq(id.0)).filter(dsl::round.eq(small(round)));
    diesel::delete(all).run(tx).await
}

/// Deletes the byes of a player who leaves.
pub async fn delete_of(tx: &mut Tx, id: TournamentId, account: AccountId) -> Result<()> {
    let all = tournament_bye_requests::table.filter(dsl::tournament_id.eq(id.0)).filter(dsl::account_id.eq(account.0));
    diesel::delete(all).run(tx).await
}

/// The byes of a tournament: by round, then in the order of requests.
pub async fn all(conn: &mut Conn, id: TournamentId) -> Result<Vec<ByeRequest>> {
    let rows: Vec<Row> = tournament_bye_requests::table
        .filter(dsl::tournament_id.eq(id.0))
        .order((dsl::round, dsl::asked_at, dsl::account_id))
        .select(COLUMNS)
        .load(conn.sql())
        .await?;
    Ok(rows.into_iter().map(read).collect())
}

pub async fn of_player(conn: &mut Conn, id: TournamentId, account: AccountId) -> Result<Vec<ByeRequest>> {
    let mut all = all(conn, id).await?;
    all.retain(|bye| bye.account == account);
    Ok(all)
}

/// The byes of an account in all tournaments, for its own export.
pub async fn of_account(conn: &mut Conn, account: AccountId) -> Result<Vec<(TournamentId, ByeRequest)>> {
    let rows: Vec<(Uuid, Row)> = tournament_bye_requests::table
        .filter(dsl::account_id.eq(account.0))
        .order((dsl::tournament_id, dsl::round))
        .select((dsl::tournament_id, COLUMNS))
        .load(conn.sql())
        .await?;
    Ok(rows.into_iter().map(|(id, row)| (TournamentId(id), read(row))).collect())
}

/// Removes an account that is being deleted.
pub async fn forget(tx: &mut Tx, account: AccountId) -> Result<()> {
    let own = tournament_bye_requests::table.filter(dsl::account_id.eq(account.0));
    diesel::delete(own).run(tx).await
}
