//! SQL of rounds drawn before they begin.

use std::collections::HashMap;

use broadside_rules::Time;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use serde_json::Value;
use uuid::Uuid;

use super::tournaments::{number, small};
use crate::accounts::store::accounts::players;
use crate::db::schema::tournament_drafts::{self, dsl};
use crate::db::{At, Conn, PublicRead, Run, Tx};
use crate::error::{Error, Result};
use crate::ids::{AccountId, TournamentId};
use crate::listed::Listed;
use crate::player::Player;
use crate::tournaments::draw::RoundPlan;
use crate::tournaments::review::{ByHand, Draft, WaitingRound};

#[derive(Queryable, Selectable)]
#[diesel(table_name = tournament_drafts, check_for_backend(diesel::pg::Pg))]
struct Row {
    tournament_id: Uuid,
    round: i16,
    drawn: Value,
    drawn_at: At,
    release_at: At,
    paired: Option<Value>,
    paired_by: Option<Uuid>,
    paired_at: Option<At>,
    reason: Option<String>,
    released_at: Option<At>,
}

fn plan(stored: Value) -> Result<RoundPlan> {
    serde_json::from_value(stored).map_err(Error::internal)
}

impl Row {
    fn read(self, people: &HashMap<Uuid, Player>) -> Result<Draft> {
        let by_hand = match (self.paired, self.paired_by, self.paired_at) {
            (Some(paired), Some(by), Some(at)) => {
                let unknown = || Error::internal(format!("nobody has the id {by}"));
                let by = people.get(&by).cloned().ok_or_else(unknown)?;
                Some(ByHand { plan: plan(paired)?, by, at: at.0, reason: self.reason })
            }
            _ => None,
        };
        Ok(Draft {
            round: number(self.round),
            drawn: plan(self.drawn)?,
            drawn_at: self.drawn_at.0,
            release_at: self.release_at.0,
            by_hand,
            released_at: self.released_at.map(Into::into),
        })
    }
}

async fn assemble(conn: &mut Conn, rows: Vec<Row>) -> Result<Listed<(TournamentId, Draft)>> {
    let ids: Vec<Uuid> = rows.iter().filter_map(|row| row.paired_by).collect();
    let people = players(conn, &ids).await?;
    let read = |row: Row| {
        let id = TournamentId(row.tournament_id);
        (id, row.read(&people).map(|draft| (id, draft)))
    };
    Listed::of("a round that was drawn before it began can't be read; lists leave it out", rows.into_iter().map(read))
}

/// Stores a newly drawn round.
pub async fn insert(tx: &mut Tx, id: TournamentId, draft: &Draft) -> Result<()> {
    diesel::insert_into(tournament_drafts::table)
        .values((
            dsl::tournament_id.eq(id.0),
            dsl::round.eq(small(draft.round)),
            dsl::drawn.eq(serde_json::to_value(&draft.drawn).map_err(Error::internal)?),
            dsl::drawn_at.eq(At(draft.drawn_at)),
            dsl::release_at.eq(At(draft.release_at)),
        ))
        .run(tx)
        .await
}

/// Stores an organizer's pairings for a round; `None` restores the draw.
pub async fn pair(tx: &mut Tx, id: TournamentId, round: u16, by_hand: Option<&ByHand>) -> Result<()> {
    let paired = by_hand.map(|by_hand| serde_json::to_value(&by_hand.plan)).transpose().map_err(Error::internal)?;
    diesel::update(tournament_drafts::table.find((id.0, small(round))))
        .set((
            dsl::paired.eq(paired),
            dsl::paired_by.eq(by_hand.map(|by_hand| by_hand.by.id.0)),
            dsl::paired_at.eq(by_hand.map(|by_hand| At(by_hand.at))),
            dsl::reason.eq(by_hand.and_then(|by_hand| by_hand.reason.clone())),
        ))
        .run(tx)
        .await
}

pub async fn release(tx: &mut Tx, id: TournamentId, round: u16, now: Time) -> Result<()> {
    let one = tournament_drafts::table.find((id.0, small(round)));
    diesel::update(one).set(dsl::released_at.eq(At(now))).run(tx).await
}

/// Deletes a waiting round of a canceled tournament.
pub async fn drop_waiting(tx: &mut Tx, id: TournamentId) -> Result<()> {
    let waiting = tournament_drafts::table.filter(dsl::tournament_id.eq(id.0)).filter(dsl::released_at.is_null());
    diesel::delete(waiting).run(tx).await
}

/// The rounds of a tournament that were drawn before they began, in order.
pub async fn all(conn: &mut Conn, id: TournamentId) -> Result<Vec<Draft>> {
    listed(conn, id).await?.whole()
}

/// The readable ones of these rounds.
pub async fn listed(conn: &mut Conn, id: TournamentId) -> Result<Listed<Draft>> {
    let rows = tournament_drafts::table.filter(dsl::tournament_id.eq(id.0)).order(dsl::round);
    let rows = rows.select(Row::as_select()).load(conn.sql()).await?;
    Ok(assemble(conn, rows).await?.map(|(_, draft)| draft))
}

/// The waiting rounds of these tournaments.
pub async fn waiting(conn: &mut PublicRead, ids: &[Uuid]) -> Result<HashMap<Uuid, WaitingRound>> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let rows: Vec<(Uuid, i16, At)> = tournament_drafts::table
        .filter(dsl::tournament_id.eq_any(ids))
        .filter(dsl::released_at.is_null())
        .select((dsl::tournament_id, dsl::round, dsl::release_at))
        .load(conn.sql())
        .await?;
    let waiting = |(id, round, at): (Uuid, i16, At)| (id, WaitingRound { round: number(round), release_at: at.0 });
    Ok(rows.into_iter().map(waiting).collect())
}

/// The rounds paired by hand by an account, for its own export.
pub async fn paired_by(conn: &mut Conn, account: AccountId) -> Result<Listed<(TournamentId, Draft)>> {
    let rows = tournament_drafts::table.filter(dsl::paired_by.eq(account.0));
    let rows = rows.order((dsl::tournament_id, dsl::round)).select(Row::as_select()).load(conn.sql()).await?;
    assemble(conn, rows).await
}
