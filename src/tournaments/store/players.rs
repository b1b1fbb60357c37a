//! SQL of tournament players.

use std::collections::HashMap;

use broadside_contests::groups::InGroup;
use broadside_contests::tables::Score;
use broadside_contests::tie_breaks::Standing;
use broadside_rules::Time;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use super::tournaments::{number, small};
use crate::accounts::store::accounts::players;
use crate::db::schema::{accounts, tournament_players};
use crate::db::{At, Conn, PublicRead, Run, Tx};
use crate::error::{Error, Result};
use crate::ids::{AccountId, TournamentId};
use crate::listed::Listed;
use crate::player::Player;
use crate::tournaments::{Entrant, Withdrawal};

/// Log message for an unreadable row.
const WHAT: &str = "a player of a tournament can't be read; lists leave it out";

#[derive(Queryable, Selectable)]
#[diesel(table_name = tournament_players, check_for_backend(diesel::pg::Pg))]
struct Playing {
    account_id: Uuid,
    joined_at: At,
    starting_number: Option<i16>,
    rating: Option<i32>,
    missed: i16,
    withdrawn_at: Option<At>,
    withdrawn_round: Option<i16>,
    withdrawal_reason: Option<String>,
    final_standing: Option<Value>,
    first_round: Option<i16>,
    finals_seed: Option<i16>,
}

/// A player's final standing, as stored.
#[derive(Serialize, Deserialize)]
struct Final {
    place: u16,
    halves: u32,
    played: u16,
    wins: u16,
    draws: u16,
    losses: u16,
    buchholz: u32,
    buchholz_cut_1: u32,
    sonneborn_berger: u32,
    direct_encounter: Option<u32>,
    struck: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tables: Option<FinalScore>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    group: Option<FinalInGroup>,
}

/// The final standing in a group, in the units of [`InGroup`].
#[derive(Serialize, Deserialize)]
struct FinalInGroup {
    group: u16,
    place: u16,
    halves: u32,
    played: u16,
    wins: u16,
    draws: u16,
    losses: u16,
}

impl From<InGroup> for FinalInGroup {
    fn from(standing: InGroup) -> Self {
        let InGroup { group, place, halves, played, wins, draws, losses } = standing;
        Self { group, place, halves, played, wins, draws, losses }
    }
}

impl From<FinalInGroup> for InGroup {
    fn from(kept: FinalInGroup) -> Self {
        let FinalInGroup { group, place, halves, played, wins, draws, losses } = kept;
        Self { group, place, halves, played, wins, draws, losses }
    }
}

/// The final standing in a tournament at tables, in the units of [`Score`].
#[derive(Serialize, Deserialize)]
struct FinalScore {
    points: u32,
    opponents_average: u32,
    first_places: u16,
    head_to_head: Option<u32>,
}

impl From<Score> for FinalScore {
    fn from(score: Score) -> Self {
        let Score { points, opponents_average, first_places, head_to_head } = score;
        Self { points, opponents_average, first_places, head_to_head }
    }
}

impl From<FinalScore> for Score {
    fn from(kept: FinalScore) -> Self {
        let FinalScore { points, opponents_average, first_places, head_to_head } = kept;
        Self { points, opponents_average, first_places, head_to_head }
    }
}

impl Playing {
    fn read(self, people: &HashMap<Uuid, Player>) -> Result<Entrant> {
        let broken = || Error::internal(format!("the player {} of a tournament can't be read", self.account_id));
        let withdrawn = match (self.withdrawn_at, self.withdrawn_round, self.withdrawal_reason) {
            (Some(at), Some(round), Some(why)) => {
                Some(Withdrawal { at: at.0, round: number(round), why: why.parse().map_err(|_| broken())? })
            }
            _ => None,
        };
        let kept: Option<Final> =
            self.final_standing.map(serde_json::from_value).transpose().map_err(Error::internal)?;
        let own = self.starting_number.map(number);
        Ok(Entrant {
            player: people.get(&self.account_id).cloned().ok_or_else(broken)?,
            joined_at: self.joined_at.0,
            number: own,
            rating: self.rating,
            missed: number(self.missed),
            first_round: self.first_round.map_or(1, number),
            withdrawn,
            finals_seed: self.finals_seed.map(number),
            at_the_end: kept.map(|kept| Standing {
                number: own.unwrap_or_default(),
                place: kept.place,
                halves: kept.halves,
                played: kept.played,
                wins: kept.wins,
                draws: kept.draws,
                losses: kept.losses,
                buchholz: kept.buchholz,
                buchholz_cut_1: kept.buchholz_cut_1,
                sonneborn_berger: kept.sonneborn_berger,
                direct_encounter: kept.direct_encounter,
                struck: kept.struck,
                tables: kept.tables.map(Score::from),
                group: kept.group.map(InGroup::from),
                cells: Vec::new(),
            }),
        })
    }
}

/// The players, in the order of joining.
pub async fn all(conn: &mut PublicRead, id: TournamentId) -> Result<Vec<Entrant>> {
    listed(conn, id).await?.whole()
}

/// The readable ones of these players.
pub async fn listed(conn: &mut PublicRead, id: TournamentId) -> Result<Listed<Entrant>> {
    let rows: Vec<Playing> = tournament_players::table
        .filter(tournament_players::tournament_id.eq(id.0))
        .order((tournament_players::joined_at, tournament_players::account_id))
        .select(Playing::as_select())
        .load(conn.sql())
        .await?;
    let ids: Vec<Uuid> = rows.iter().map(|row| row.account_id).collect();
    let people = players(conn, &ids).await?;
    Listed::of(WHAT, rows.into_iter().map(|row| (row.account_id, row.read(&people))))
}

/// The tournaments in which the account has played, each with its stored data, for its own export.
pub async fn all_of(conn: &mut Conn, account: AccountId) -> Result<Listed<(TournamentId, Entrant)>> {
    let rows: Vec<(Uuid, Playing)> = tournament_players::table
        .filter(tournament_players::account_id.eq(account.0))
        .order(tournament_players::tournament_id)
        .select((tournament_players::tournament_id, Playing::as_select()))
        .load(conn.sql())
        .await?;
    let people = players(conn, &[account.0]).await?;
    let read = |(id, row): (Uuid, Playing)| (id, row.read(&people).map(|entrant| (TournamentId(id), entrant)));
    Listed::of(WHAT, rows.into_iter().map(read))
}

/// Those of these accounts that are suspended now.
pub async fn suspended(conn: &mut Conn, ids: &[AccountId], now: Time) -> Result<Vec<AccountId>> {
    let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    let over = accounts::suspended_until.le(At(now)).is_not_distinct_from(true);
    let found: Vec<Uuid> = accounts::table
        .filter(accounts::id.eq_any(ids))
        .filter(accounts::suspended_at.is_not_null())
        .filter(diesel::dsl::not(over))
        .select(accounts::id)
        .load(conn.sql())
        .await?;
    Ok(found.into_iter().map(AccountId).collect())
}

/// Adds a player. Returns false if they have joined already.
pub async fn join(tx: &mut Tx, id: TournamentId, account: AccountId, now: Time) -> Result<bool> {
    let values = (
        tournament_players::tournament_id.eq(id.0),
        tournament_players::account_id.eq(account.0),
        tournament_players::joined_at.eq(At(now)),
        tournament_players::missed.eq(0),
    );
    let joined = diesel::insert_into(tournament_players::table).values(values).on_conflict_do_nothing();
    Ok(joined.execute(tx.sql()).await? == 1)
}

pub async fn has_withdrawn(conn: &mut Conn, id: TournamentId, account: AccountId) -> Result<bool> {
    let own = tournament_players::table.find((id.0, account.0)).filter(tournament_players::withdrawn_at.is_not_null());
    Ok(own.count().get_result::<i64>(conn.sql()).await? > 0)
}

/// Removes a player before the start. Returns false if they had not joined.
pub async fn leave(tx: &mut Tx, id: TournamentId, account: AccountId) -> Result<bool> {
    let own = tournament_players::table.find((id.0, account.0));
    Ok(diesel::delete(own).execute(tx.sql()).await? == 1)
}

/// Stores a player's state: number, rating, first round, missed boards, withdrawal, seed in finals, final standing.
pub async fn save(tx: &mut Tx, id: TournamentId, entrant: &Entrant) -> Result<()> {
    let kept = entrant.at_the_end.as_ref().map(|standing| Final {
        place: standing.place,
        halves: standing.halves,
        played: standing.played,
        wins: standing.wins,
        draws: standing.draws,
        losses: standing.losses,
        buchholz: standing.buchholz,
        buchholz_cut_1: standing.buchholz_cut_1,
        sonneborn_berger: standing.sonneborn_berger,
        direct_encounter: standing.direct_encounter,
        struck: standing.struck,
        tables: standing.tables.map(FinalScore::from),
        group: standing.group.map(FinalInGroup::from),
    });
    let kept = kept.map(serde_json::to_value).transpose().map_err(Error::internal)?;
    diesel::update(tournament_players::table.find((id.0, entrant.player.id.0)))
        .set((
            tournament_players::starting_number.eq(entrant.number.map(small)),
            tournament_players::rating.eq(entrant.rating),
            tournament_players::missed.eq(small(entrant.missed)),
            tournament_players::first_round.eq(Some(small(entrant.first_round)).filter(|round| *round > 1)),
            tournament_players::withdrawn_at.eq(entrant.withdrawn.map(|withdrawn| At(withdrawn.at))),
            tournament_players::withdrawn_round.eq(entrant.withdrawn.map(|withdrawn| small(withdrawn.round))),
            tournament_players::withdrawal_reason.eq(entrant.withdrawn.map(|withdrawn| withdrawn.why.into_str())),
            tournament_players::final_standing.eq(kept),
            tournament_players::finals_seed.eq(entrant.finals_seed.map(small)),
        ))
        .run(tx)
        .await
}
