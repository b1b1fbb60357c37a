//! Rating data of matches: their changes, pairs rated together, and moderators' decisions.

use broadside_rules::{Outcome, Status, Time};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use serde_json::Value;
use uuid::Uuid;

use super::ratings::Row;
use crate::db::schema::{accounts, adjudications, match_heads, match_seats, pairing_games, rating_changes};
use crate::db::{At, Conn, Run, Tx, sql};
use crate::error::{Error, Result};
use crate::ids::{AccountId, MatchId, PairingId};
use crate::listed::Listed;
use crate::player::Player;
use crate::ratings::rate::{FinishedGame, places};
use crate::ratings::{Note, Ranks, RatingChange, RatingChangeReason, RatingEffect, SeatRating};

/// The changes made by a match, alone or with its paired game: each rating by seat, and the annulments.
pub async fn changes_of(conn: &mut Conn, match_id: MatchId) -> Result<Vec<RatingChange>> {
    let rows: Vec<Row> = rating_changes::table
        .filter(rating_changes::match_id.eq(match_id.0).or(rating_changes::paired_match_id.eq(match_id.0)))
        .order((rating_changes::revision, rating_changes::reason, rating_changes::seat))
        .select(Row::as_select())
        .load(conn.sql())
        .await?;
    rows.into_iter().map(Row::read).collect()
}

/// [`changes_of`], each with the player under the current name.
pub async fn named_changes_of(conn: &mut Conn, match_id: MatchId) -> Result<Listed<(Player, RatingChange)>> {
    let rows: Vec<(Row, String, bool)> = rating_changes::table
        .inner_join(accounts::table.on(accounts::id.eq(rating_changes::account_id)))
        .filter(rating_changes::match_id.eq(match_id.0).or(rating_changes::paired_match_id.eq(match_id.0)))
        .select((Row::as_select(), accounts::username, accounts::bot))
        .load(conn.sql())
        .await?;
    let named = |(row, username, bot): (Row, String, bool)| {
        (match_id, row.read().map(|change| (Player { id: change.account, username, bot }, change)))
    };
    Listed::of("a change of a rating can't be read; lists leave it out", rows.into_iter().map(named))
}

/// The original players of a match, by seat, for whom it is rated.
pub async fn seated(conn: &mut Conn, match_id: MatchId) -> Result<Vec<AccountId>> {
    let seats = match_seats::table.filter(match_seats::match_id.eq(match_id.0)).order(match_seats::seat);
    let rows: Vec<(Uuid, Option<Uuid>)> =
        seats.select((match_seats::account_id, match_seats::first_account_id)).load(conn.sql()).await?;
    Ok(rows.into_iter().map(|(account, first)| AccountId(first.unwrap_or(account))).collect())
}

/// The games of a pairing in order, and whether each is over.
pub async fn games_of(tx: &mut Tx, pairing: PairingId) -> Result<Vec<(FinishedGame, bool)>> {
    type Found = (Uuid, String, Option<Value>);
    let games: Vec<Found> = pairing_games::table
        .inner_join(match_heads::table.on(match_heads::match_id.eq(pairing_games::match_id)))
        .filter(pairing_games::pairing_id.eq(pairing.0))
        .order(pairing_games::game)
        .select((match_heads::match_id, match_heads::status, match_heads::result))
        .load(tx.sql())
        .await?;
    let mut all = Vec::new();
    for (match_id, status, result) in games {
        let match_id = MatchId(match_id);
        let seats = seated(tx, match_id).await?;
        let over = status == Status::Finished.as_str() || status == Status::Aborted.as_str();
        let result = result.filter(|_| status == Status::Finished.as_str());
        let outcome: Option<Outcome> = result.map(serde_json::from_value).transpose().map_err(Error::internal)?;
        let places = outcome.map(|outcome| places(&outcome, seats.len()));
        all.push((FinishedGame { match_id, seats, places }, over));
    }
    Ok(all)
}

/// Records the places that a match was adjudicated to count with.
pub async fn note_adjudication(
    tx: &mut Tx,
    match_id: MatchId,
    revision: u16,
    places: &Ranks,
    note: &Note,
    at: Time,
) -> Result<()> {
    let places: Vec<i16> = places.as_slice().iter().copied().map(i16::from).collect();
    diesel::insert_into(adjudications::table)
        .values((
            adjudications::match_id.eq(match_id.0),
            adjudications::revision.eq(i16::try_from(revision).map_err(Error::internal)?),
            adjudications::ranks.eq(places),
            adjudications::note.eq(note.as_str()),
            adjudications::at.eq(At(at)),
        ))
        .run(tx)
        .await
}

/// Marks matches as changed outside their logs, so that no node shows an outdated state. Their heads are locked in the
/// same order as by moves. `annulled`: whether they no longer count.
pub async fn mark_changed(tx: &mut Tx, matches: &[MatchId], annulled: bool) -> Result<()> {
    let mark = if tx.is_distributed() {
        "UPDATE match_heads SET side_version = side_version + 1, annulled = $2 WHERE match_id = ANY ($1)"
    } else {
        "WITH locked AS MATERIALIZED (SELECT match_id FROM match_heads WHERE match_id = ANY ($1) ORDER BY match_id FOR UPDATE) \
         UPDATE match_heads AS h SET side_version = side_version + 1, annulled = $2 FROM locked WHERE h.match_id = locked.match_id"
    };
    let ids: Vec<Uuid> = matches.iter().map(|id| id.0).collect();
    sql!(mark, ids, annulled).run(tx).await
}

/// The match's effect on the ratings, from the ledger rows of its last rating. Read with the match itself, by
/// [`crate::matches::store::load::load`].
pub(crate) fn read(changes: Option<Value>) -> Result<RatingEffect> {
    type Row = (u8, u16, String, f64, f64);
    let rows: Vec<Row> = changes.map_or(Ok(Vec::new()), serde_json::from_value).map_err(Error::internal)?;
    let newest = rows.iter().map(|(_, revision, ..)| *revision).max();
    let rows = rows.into_iter().filter(|(_, revision, ..)| Some(*revision) == newest);
    let (compensating, rated): (Vec<Row>, Vec<Row>) =
        rows.partition(|(_, _, reason, ..)| reason == RatingChangeReason::Annulment.into_str());
    let adjudicated = rated.iter().any(|(_, _, reason, ..)| reason == RatingChangeReason::Adjudication.into_str());
    let seat = |(seat, _, _, before, after): Row| SeatRating {
        seat,
        before: before.round() as i32,
        after: after.round() as i32,
    };
    Ok(RatingEffect { seats: rated.into_iter().map(seat).collect(), annulled: !compensating.is_empty(), adjudicated })
}
