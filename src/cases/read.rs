//! Reading cases: for handlers, and for the player, who sees the decision and its evidence, but not the notes, the
//! reporters or the decision-makers.

use std::collections::HashMap;

use broadside_rules::Time;
use uuid::Uuid;

use super::access::seen;
use super::{Case, CaseEntry, CaseState, Content, store};
use crate::accounts::Identity;
use crate::accounts::roles::{self, Role};
use crate::accounts::store::accounts::players;
use crate::contests::head;
use crate::context::Context;
use crate::db::Conn;
use crate::error::{Result, problem};
use crate::ids::{AccountId, CaseId, ContestId};
use crate::listed::Listed;
use crate::player::Player;

/// Log message for an unreadable row.
pub(super) const WHAT: &str = "a case can't be read; lists leave it out";

/// A scope for lists of cases.
#[derive(Clone, Copy)]
pub enum Scope {
    Contest(ContestId),
    Server,
    /// The cases of all contests that this account organizes.
    RunBy(AccountId),
}

/// A filter for lists of cases.
pub struct CaseFilter {
    pub scope: Scope,
    pub state: Option<CaseState>,
    /// Only cases before this one.
    pub before: Option<CaseId>,
}

/// A case with its file, and the players named in it.
pub struct WholeCase {
    pub case: Case,
    pub state: CaseState,
    /// Its entries, oldest first.
    pub entries: Vec<CaseEntry>,
    /// The players by account id.
    pub named: HashMap<Uuid, Player>,
}

impl WholeCase {
    /// The player of an account named in the case.
    pub fn player(&self, id: AccountId) -> Option<Player> {
        self.named.get(&id.0).cloned()
    }
}

/// Cases by id; each may have an unreadable entry.
type WholeCases = Listed<(CaseId, Result<WholeCase>)>;

async fn whole(conn: &mut Conn, now: Time, cases: Listed<Case>, with_entries: bool) -> Result<WholeCases> {
    let ids: Vec<CaseId> = cases.items.iter().map(|case| case.id).collect();
    let mut files: HashMap<CaseId, Result<Vec<CaseEntry>>> = HashMap::new();
    if with_entries {
        for (case, entry) in store::entries(conn, &ids).await? {
            let file = files.entry(case).or_insert_with(|| Ok(Vec::new()));
            match (file.as_mut(), entry) {
                (Ok(entries), Ok(entry)) => entries.push(entry),
                (Ok(_), Err(error)) => *file = Err(error),
                (Err(_), _) => {}
            }
        }
    }
    let decided = |case: &Case| {
        let appeal = case.appeal.as_ref().and_then(|appeal| appeal.decided.as_ref()).map(|decided| decided.by);
        [case.verdict.as_ref().map(|verdict| verdict.by), appeal]
    };
    let involved = cases.items.iter().flat_map(|case| {
        [Some(case.subject), Some(case.opened_by)].into_iter().chain(decided(case)).flatten().collect::<Vec<_>>()
    });
    let authors = files.values().flatten().flatten().map(|entry| entry.author);
    let accounts: Vec<Uuid> = involved.chain(authors).map(|account| account.0).collect();
    let named = players(conn, &accounts).await?;
    Ok(cases.map(|case| {
        let entries = files.remove(&case.id).unwrap_or_else(|| Ok(Vec::new()));
        let whole = |entries| WholeCase { state: case.state(now), entries, named: named.clone(), case: case.clone() };
        (case.id, entries.map(whole))
    }))
}

/// A page of cases, newest first. With a contest: its cases, for its organizers and moderators; none if the caller may
/// not know the contest. Without: all cases for moderators, those of their own contests for organizers. Fails with
/// `not-an-organizer`.
pub async fn page(ctx: &Context, who: &Identity, mut filter: CaseFilter, limit: i64) -> Result<Listed<WholeCase>> {
    let mut conn = ctx.db.conn().await?;
    match filter.scope {
        Scope::Server | Scope::RunBy(_) => {
            if roles::check(&mut conn, ctx, who, Role::Moderator).await.is_err() {
                filter.scope = Scope::RunBy(who.account);
            }
        }
        Scope::Contest(id) => {
            if let Err(error) = head::run_by(&mut conn, ctx, id, who).await
                && roles::check(&mut conn, ctx, who, Role::Moderator).await.is_err()
            {
                let is_unknown = error.problem().code == problem::NOT_FOUND.code;
                return if is_unknown { Ok(Vec::new().into()) } else { Err(error) };
            }
        }
    }
    let now = ctx.clock.now();
    let cases = store::page(&mut conn, &filter, who.account, now, limit).await?;
    whole(&mut conn, now, cases, false).await?.readable(WHAT)
}

/// A case with its file, for its handlers. Fails with `not-found`.
pub async fn one(conn: &mut Conn, ctx: &Context, who: &Identity, id: CaseId) -> Result<Option<WholeCase>> {
    let case = seen(conn, ctx, who, id).await?;
    let mut found = whole(conn, ctx.clock.now(), vec![case].into(), true).await?;
    found.items.pop().map(|(_, case)| case).transpose()
}

/// The decided cases about an account, before a case, newest first, for its owner. Notes are left out.
pub async fn about(
    conn: &mut Conn,
    account: AccountId,
    now: Time,
    before: Option<CaseId>,
    limit: i64,
) -> Result<Listed<WholeCase>> {
    let cases = store::decided_about(conn, account, before, limit).await?;
    let mut found = whole(conn, now, cases, true).await?.readable(WHAT)?;
    for case in &mut found.items {
        case.entries.retain(|entry| matches!(entry.content, Content::Evidence(_)));
    }
    Ok(found)
}

/// Notes by an account in cases about others: the case, the time, the text.
pub type OwnNotes = Vec<(CaseId, Time, String)>;

/// The decisions about an account, and its notes in cases about others, for its own export.
pub async fn export(conn: &mut Conn, account: AccountId, now: Time) -> Result<(Listed<WholeCase>, OwnNotes)> {
    Ok((about(conn, account, now, None, i64::MAX).await?, store::notes_of(conn, account).await?))
}
