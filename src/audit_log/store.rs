//! SQL of the audit log. It only appends and reads: there is deliberately no statement that changes or deletes a row.

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use serde_json::Value;
use uuid::Uuid;

use crate::audit_log::{AuditEntry, AuditFilter, AuditKind, AuditSubject, NamedAuditEntry, StoredAuditEntry};
use crate::db::schema::{accounts, audit_log as actions};
use crate::db::{At, Conn, Run, Tx};
use crate::error::{Error, Result};
use crate::ids::{AccountId, LadderId, MatchId, ModerationActionId, TournamentId};
use crate::listed::Listed;
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
    named_rule_set: Option<String>,
}

impl TryFrom<Row> for StoredAuditEntry {
    type Error = Error;

    fn try_from(row: Row) -> Result<Self> {
        let broken = || Error::internal(format!("the audit log entry {} has an unknown word", row.id));
        let subject = AuditSubject {
            account: row.account_id.map(AccountId),
            match_id: row.match_id.map(MatchId),
            ladder: row.ladder_id.map(LadderId),
            tournament: row.tournament_id.map(TournamentId),
            named_rule_set: row.named_rule_set.map(|hash| hash.parse()).transpose().map_err(|_| broken())?,
        };
        let (kind, reason) = (row.kind.parse().map_err(|_| broken())?, row.reason.parse().map_err(|_| broken())?);
        let entry = AuditEntry { kind, subject, reason, details: row.details };
        Ok(Self { id: ModerationActionId(row.id), actor: row.actor_id.map(AccountId), entry, at: row.at.0 })
    }
}

/// True if a moderator has adjudicated any of these matches.
pub async fn is_any_adjudicated(conn: &mut Conn, matches: &[MatchId]) -> Result<bool> {
    let ids: Vec<Uuid> = matches.iter().map(|id| id.0).collect();
    let any = actions::table
        .filter(actions::match_id.eq_any(ids))
        .filter(actions::kind.eq(AuditKind::MatchAdjudicated.into_str()))
        .select(actions::id);
    Ok(diesel::select(diesel::dsl::exists(any)).get_result(conn.sql()).await?)
}

/// True if the last decision on any of these matches was made by a moderator or the operator, not for a contest.
pub async fn is_decided_for_no_contest(conn: &mut Conn, matches: &[MatchId]) -> Result<bool> {
    let ids: Vec<Uuid> = matches.iter().map(|id| id.0).collect();
    let decided = [AuditKind::MatchAdjudicated, AuditKind::MatchAnnulled].map(AuditKind::into_str);
    let last: Option<(Option<Uuid>, Option<Uuid>)> = actions::table
        .filter(actions::match_id.eq_any(ids))
        .filter(actions::kind.eq_any(decided))
        .order(actions::id.desc())
        .select((actions::ladder_id, actions::tournament_id))
        .first(conn.sql())
        .await
        .optional()?;
    Ok(last == Some((None, None)))
}

pub async fn insert(tx: &mut Tx, stored: &StoredAuditEntry) -> Result<()> {
    let StoredAuditEntry { id, actor, entry, at } = stored;
    let row = Row {
        id: id.0,
        actor_id: actor.map(|actor| actor.0),
        kind: entry.kind.into_str().to_owned(),
        account_id: entry.subject.account.map(|account| account.0),
        match_id: entry.subject.match_id.map(|id| id.0),
        ladder_id: entry.subject.ladder.map(|id| id.0),
        tournament_id: entry.subject.tournament.map(|id| id.0),
        reason: entry.reason.as_str().to_owned(),
        details: entry.details.clone(),
        at: At(*at),
        named_rule_set: entry.subject.named_rule_set.map(|hash| hash.to_string()),
    };
    diesel::insert_into(actions::table).values(row).run(tx).await
}

/// At most `limit` matching entries, newest first.
pub async fn page(conn: &mut Conn, filter: &AuditFilter, limit: i64) -> Result<Listed<NamedAuditEntry>> {
    let (actors, subjects) = diesel::alias!(accounts as actors, accounts as subjects);
    let mut query = actions::table
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
    if let Some(actor) = filter.actor {
        query = query.filter(actions::actor_id.eq(actor.0));
    }
    if let Some(account) = filter.account {
        query = query.filter(actions::account_id.eq(account.0));
    }
    if let Some(id) = filter.match_id {
        query = query.filter(actions::match_id.eq(id.0));
    }
    if let Some(id) = filter.ladder {
        query = query.filter(actions::ladder_id.eq(id.0));
    }
    if let Some(hash) = &filter.named_rule_set {
        query = query.filter(actions::named_rule_set.is_not_distinct_from(hash.as_str()));
    }
    if let Some(account) = filter.no_cases_about {
        let of_cases = AuditKind::OF_CASES.map(AuditKind::into_str);
        let about_others = actions::account_id.is_distinct_from(account.0);
        query = query.filter(about_others.or(actions::kind.ne_all(of_cases)));
    }
    if let Some(before) = filter.before {
        query = query.filter(actions::id.lt(before.0));
    }
    type Named = Option<(String, bool)>;
    let rows: Vec<(Row, Named, Named)> = query.load(conn.sql()).await?;
    let player = |(id, named): (Option<AccountId>, Named)| {
        id.zip(named).map(|(id, (username, bot))| Player { id, username, bot })
    };
    let named = |row, actor, account| {
        let stored = StoredAuditEntry::try_from(row)?;
        let (actor, account) = (player((stored.actor, actor)), player((stored.entry.subject.account, account)));
        Ok(NamedAuditEntry { stored, actor, account })
    };
    let rows = rows.into_iter().map(|(row, actor, account)| (row.id, named(row, actor, account)));
    Listed::of("an entry of the audit log can't be read; lists leave it out", rows)
}
