//! The audit log of moderation: rows are added, and read. There is deliberately nothing here that changes or deletes one.

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use serde_json::Value;
use uuid::Uuid;

use crate::audit_log::{About, Deed, Kind, Listed, Noted, Which};
use crate::db::At;
use crate::db::schema::{accounts, audit_log as actions};
use crate::db::{Conn, Tx};
use crate::error::{Error, Result};
use crate::ids::{AccountId, DeedId, LadderId, MatchId, TournamentId};
use crate::player::Player;

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = actions, check_for_backend(diesel::pg::Pg))]
struct Row {
    id: Uuid,
    actor_id: Option<Uuid>,
    kind: String,
    account_id: Option<Uuid>,
    match_id: Option<Uuid>,
    ladder_id: Option<Uuid>,
    tournament_id: Option<Uuid>,
    reason: String,
    details: Value,
    at: At,
}

impl TryFrom<Row> for Noted {
    type Error = Error;

    fn try_from(row: Row) -> Result<Self> {
        let broken = |_| Error::internal(format!("the deed {} has an unknown word", row.id));
        let about = About {
            account: row.account_id.map(AccountId),
            match_id: row.match_id.map(MatchId),
            ladder: row.ladder_id.map(LadderId),
            tournament: row.tournament_id.map(TournamentId),
        };
        let (kind, reason) = (row.kind.parse().map_err(broken)?, row.reason.parse().map_err(broken)?);
        let deed = Deed { kind, about, reason, details: row.details };
        Ok(Self { id: DeedId(row.id), actor: row.actor_id.map(AccountId), deed, at: row.at.0 })
    }
}

/// Whether somebody has adjudicated any of these matches.
pub async fn is_any_adjudicated(conn: &mut Conn, matches: &[MatchId]) -> Result<bool> {
    let ids: Vec<Uuid> = matches.iter().map(|id| id.0).collect();
    let any = actions::table
        .filter(actions::match_id.eq_any(ids))
        .filter(actions::kind.eq(Kind::MatchAdjudicated.word()))
        .select(actions::id);
    Ok(diesel::select(diesel::dsl::exists(any)).get_result(conn.sql()).await?)
}

/// Adds a deed.
pub async fn insert(tx: &mut Tx, noted: &Noted) -> Result<()> {
    let Noted { id, actor, deed, at } = noted;
    let row = Row {
        id: id.0,
        actor_id: actor.map(|actor| actor.0),
        kind: deed.kind.word().to_owned(),
        account_id: deed.about.account.map(|account| account.0),
        match_id: deed.about.match_id.map(|id| id.0),
        ladder_id: deed.about.ladder.map(|id| id.0),
        tournament_id: deed.about.tournament.map(|id| id.0),
        reason: deed.reason.as_str().to_owned(),
        details: deed.details.clone(),
        at: At(*at),
    };
    diesel::insert_into(actions::table).values(row).execute(tx.sql()).await?;
    Ok(())
}

/// Some deeds, the newest first.
pub async fn page(conn: &mut Conn, which: &Which, limit: i64) -> Result<Vec<Listed>> {
    let (actors, subjects) = diesel::alias!(accounts as actors, accounts as subjects);
    let mut wanted = actions::table
        .left_join(actors.on(actors.field(accounts::id).nullable().eq(actions::actor_id)))
        .left_join(subjects.on(subjects.field(accounts::id).nullable().eq(actions::account_id)))
        .order(actions::id.desc())
        .limit(limit)
        .select((
            Row::as_select(),
            (actors.field(accounts::username), actors.field(accounts::bot)).nullable(),
            (subjects.field(accounts::username), subjects.field(accounts::bot)).nullable(),
        ))
        .into_boxed();
    if let Some(actor) = which.actor {
        wanted = wanted.filter(actions::actor_id.eq(actor.0));
    }
    if let Some(account) = which.account {
        wanted = wanted.filter(actions::account_id.eq(account.0));
    }
    if let Some(id) = which.match_id {
        wanted = wanted.filter(actions::match_id.eq(id.0));
    }
    if let Some(id) = which.ladder {
        wanted = wanted.filter(actions::ladder_id.eq(id.0));
    }
    if let Some(before) = which.before {
        wanted = wanted.filter(actions::id.lt(before.0));
    }
    type Named = Option<(String, bool)>;
    let rows: Vec<(Row, Named, Named)> = wanted.load(conn.sql()).await?;
    let player = |(id, named): (Option<AccountId>, Named)| {
        id.zip(named).map(|(id, (username, bot))| Player { id, username, bot })
    };
    let listed = |(row, actor, account): (Row, Named, Named)| {
        let noted = Noted::try_from(row)?;
        let (actor, account) = (player((noted.actor, actor)), player((noted.deed.about.account, account)));
        Ok(Listed { noted, actor, account })
    };
    rows.into_iter().map(listed).collect()
}
