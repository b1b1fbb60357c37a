//! SQL of pairings: their players, their matches, and the matches that are over.

use std::collections::HashMap;

use broadside_rules::{Outcome, Time};
use diesel::dsl::count_star;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use serde_json::Value;
use uuid::Uuid;

use crate::db::schema::{accounts, match_heads, pairing_games, pairing_players, pairings};
use crate::db::{At, Conn, PublicRead, Run, Tx};
use crate::error::{Error, Result};
use crate::ids::{AccountId, MatchId, PairingId};
use crate::listed::{Listed, only};
use crate::matches::Contest;
use crate::pairings::{Game, Pairing, PairingFilter};
use crate::player::Player;

#[derive(Queryable, Selectable)]
#[diesel(table_name = pairings, check_for_backend(diesel::pg::Pg))]
struct Row {
    id: Uuid,
    kind: String,
    contest_id: Uuid,
    opened_at: At,
    ended_at: Option<At>,
    settled_at: Option<At>,
    season: Option<i32>,
}

/// Stores a new pairing with its matches and seats.
pub async fn insert(
    tx: &mut Tx,
    id: PairingId,
    contest: Contest,
    players: &[AccountId],
    games: &[(MatchId, Vec<usize>)],
    now: Time,
) -> Result<()> {
    let count = i16::try_from(games.len()).map_err(Error::internal)?;
    diesel::insert_into(pairings::table)
        .values((
            pairings::id.eq(id.0),
            pairings::kind.eq(contest.word()),
            pairings::contest_id.eq(contest.id()),
            pairings::games.eq(count),
            pairings::running_games.eq(count),
            pairings::opened_at.eq(At(now)),
        ))
        .run(tx)
        .await?;
    let players: Vec<_> = (0_i16..)
        .zip(players)
        .map(|(number, account)| {
            (
                pairing_players::pairing_id.eq(id.0),
                pairing_players::number.eq(number),
                pairing_players::account_id.eq(account.0),
            )
        })
        .collect();
    diesel::insert_into(pairing_players::table).values(players).run(tx).await?;
    let mut rows = Vec::new();
    for (game, (match_id, order)) in (1_i16..).zip(games) {
        let seats: Vec<i16> = order.iter().filter_map(|number| i16::try_from(*number).ok()).collect();
        rows.push((
            pairing_games::pairing_id.eq(id.0),
            pairing_games::game.eq(game),
            pairing_games::match_id.eq(match_id.0),
            pairing_games::seats.eq(seats),
        ));
    }
    diesel::insert_into(pairing_games::table).values(rows).run(tx).await
}

/// The pairing, with its players and games.
pub async fn find(conn: &mut Conn, id: PairingId) -> Result<Option<Pairing>> {
    let row = pairings::table.find(id.0).select(Row::as_select()).first(conn.sql()).await.optional()?;
    only(assemble(conn, row.into_iter().collect()).await?)
}

/// Pairings of a contest, newest first.
pub async fn of_contest(
    conn: &mut PublicRead,
    contest: Contest,
    filter: PairingFilter<'_>,
    limit: i64,
) -> Result<Listed<Pairing>> {
    let mut query = pairings::table
        .filter(pairings::kind.eq(contest.word()))
        .filter(pairings::contest_id.eq(contest.id()))
        .select(Row::as_select())
        .into_boxed();
    if let Some(account) = filter.player {
        let own = pairing_players::table
            .filter(pairing_players::account_id.eq(account.0))
            .select(pairing_players::pairing_id);
        query = query.filter(pairings::id.eq_any(own));
    }
    if let Some(among) = filter.among {
        let ids: Vec<Uuid> = among.iter().map(|account| account.0).collect();
        let meeting = pairing_players::table
            .filter(pairing_players::account_id.eq_any(ids))
            .group_by(pairing_players::pairing_id)
            .having(count_star().ge(2))
            .select(pairing_players::pairing_id);
        query = query.filter(pairings::id.eq_any(meeting));
    }
    if let Some(season) = filter.season {
        query = query.filter(pairings::season.eq(i32::try_from(season).unwrap_or(i32::MAX)));
    }
    query = match filter.running {
        Some(true) => query.filter(pairings::settled_at.is_null()),
        Some(false) => query.filter(pairings::settled_at.is_not_null()),
        None => query,
    };
    if let Some(before) = filter.before {
        query = query.filter(pairings::id.lt(before.0));
    }
    let rows = query.order(pairings::id.desc()).limit(limit).load(conn.sql()).await?;
    Listed::of("a pairing can't be read; lists leave it out", assemble(conn, rows).await?)
}

/// Finished but unsettled pairings of contests of a kind (`ladder`, `tournament`), after the given one, oldest first.
pub async fn due(
    conn: &mut Conn,
    kind: &str,
    behind: Option<PairingId>,
    limit: i64,
) -> Result<Vec<(PairingId, Contest)>> {
    let mut query = pairings::table
        .filter(pairings::kind.eq(kind.to_owned()))
        .filter(pairings::running_games.eq(0))
        .filter(pairings::settled_at.is_null())
        .select((pairings::id, pairings::kind, pairings::contest_id))
        .into_boxed();
    if let Some(behind) = behind {
        query = query.filter(pairings::id.gt(behind.0));
    }
    let rows: Vec<(Uuid, String, Uuid)> = query.order(pairings::id).limit(limit).load(conn.sql()).await?;
    let read = |(id, kind, contest): (Uuid, String, Uuid)| Some((PairingId(id), Contest::of(&kind, contest)?));
    Ok(rows.into_iter().filter_map(read).collect())
}

/// True if a contest has an unsettled pairing that ended before `before`.
pub async fn is_any_due(conn: &mut Conn, contest: Contest, before: Time) -> Result<bool> {
    let any = pairings::table
        .filter(pairings::kind.eq(contest.word()))
        .filter(pairings::contest_id.eq(contest.id()))
        .filter(pairings::running_games.eq(0))
        .filter(pairings::settled_at.is_null())
        .filter(pairings::ended_at.lt(At(before)));
    Ok(diesel::select(diesel::dsl::exists(any)).get_result(conn.sql()).await?)
}

/// Locks a finished but unsettled pairing; `None` if another node has settled it. The caller has locked its contest.
pub async fn lock_ended(tx: &mut Tx, id: PairingId) -> Result<Option<Pairing>> {
    let row = pairings::table
        .find(id.0)
        .filter(pairings::running_games.eq(0))
        .filter(pairings::settled_at.is_null())
        .select(Row::as_select())
        .for_no_key_update()
        .first(tx.sql())
        .await
        .optional()?;
    only(assemble(tx, row.into_iter().collect()).await?)
}

/// Records that the contest has counted the result. `season` is the ladder season for which it counts, if any.
pub async fn settle(tx: &mut Tx, id: PairingId, now: Time, season: Option<u32>) -> Result<()> {
    let season = season.map(i32::try_from).transpose().map_err(Error::internal)?;
    diesel::update(pairings::table.find(id.0))
        .set((pairings::settled_at.eq(At(now)), pairings::season.eq(season)))
        .run(tx)
        .await
}

/// The pairings with their players and games, in order.
async fn assemble(conn: &mut PublicRead, rows: Vec<Row>) -> Result<Vec<(Uuid, Result<Pairing>)>> {
    let ids: Vec<Uuid> = rows.iter().map(|row| row.id).collect();
    let mut players = players(conn, &ids).await?;
    let mut games = games(conn, &ids).await?;
    let mut whole = |row: Row| {
        let broken = || Error::internal(format!("the pairing {} is of an unknown kind", row.id));
        Ok(Pairing {
            id: PairingId(row.id),
            contest: Contest::of(&row.kind, row.contest_id).ok_or_else(broken)?,
            players: players.remove(&row.id).unwrap_or_default(),
            games: games.remove(&row.id).unwrap_or_else(|| Ok(Vec::new()))?,
            opened_at: row.opened_at.0,
            ended_at: row.ended_at.map(Time::from),
            settled_at: row.settled_at.map(Time::from),
            season: row.season.map(i32::unsigned_abs),
        })
    };
    Ok(rows.into_iter().map(|row| (row.id, whole(row))).collect())
}

async fn players(conn: &mut PublicRead, ids: &[Uuid]) -> Result<HashMap<Uuid, Vec<Player>>> {
    let rows: Vec<(Uuid, Uuid, String, bool)> = pairing_players::table
        .inner_join(accounts::table.on(accounts::id.eq(pairing_players::account_id)))
        .filter(pairing_players::pairing_id.eq_any(ids))
        .order((pairing_players::pairing_id, pairing_players::number))
        .select((pairing_players::pairing_id, accounts::id, accounts::username, accounts::bot))
        .load(conn.sql())
        .await?;
    let mut all: HashMap<Uuid, Vec<Player>> = HashMap::new();
    for (pairing, id, username, bot) in rows {
        all.entry(pairing).or_default().push(Player { id: AccountId(id), username, bot });
    }
    Ok(all)
}

async fn games(conn: &mut PublicRead, ids: &[Uuid]) -> Result<HashMap<Uuid, Result<Vec<Game>>>> {
    type Found = (Uuid, Uuid, Vec<i16>, bool, Option<Value>);
    let rows: Vec<Found> = pairing_games::table
        .inner_join(match_heads::table.on(match_heads::match_id.eq(pairing_games::match_id)))
        .filter(pairing_games::pairing_id.eq_any(ids))
        .order((pairing_games::pairing_id, pairing_games::game))
        .select((
            pairing_games::pairing_id,
            pairing_games::match_id,
            pairing_games::seats,
            match_heads::status.eq_any(["finished", "aborted"]),
            match_heads::result,
        ))
        .load(conn.sql())
        .await?;
    let mut all: HashMap<Uuid, Result<Vec<Game>>> = HashMap::new();
    for (pairing, match_id, seats, over, result) in rows {
        let order = seats.into_iter().filter_map(|number| usize::try_from(number).ok()).collect();
        let of_pairing = all.entry(pairing).or_insert_with(|| Ok(Vec::new()));
        match result.map(serde_json::from_value::<Outcome>).transpose() {
            Ok(outcome) => {
                if let Ok(games) = of_pairing {
                    games.push(Game::new(MatchId(match_id), order, over, outcome.as_ref()));
                }
            }
            Err(error) => *of_pairing = Err(Error::internal(error)),
        }
    }
    Ok(all)
}
