//! SQL of cases and their files.

use broadside_rules::Time;
use diesel::dsl::{exists, sql};
use diesel::prelude::*;
use diesel::sql_types::{Bool, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use serde_json::Value;
use uuid::Uuid;

use super::read::{CaseFilter, Scope};
use super::{Appeal, AppealDecision, Case, CaseEntry, CaseState, Content, Evidence, Verdict};
use crate::cases::read::WHAT;
use crate::contests::Contest;
use crate::db::schema::{case_entries, cases, pairing_players, pairings};
use crate::db::{At, Conn, Run, Tx, rows, sql};
use crate::error::{Error, Result};
use crate::ids::{AbuseReportId, AccountId, CaseEntryId, CaseId, MatchId, PairingId};
use crate::listed::Listed;

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = cases, treat_none_as_null = true, check_for_backend(diesel::pg::Pg))]
struct Row {
    id: Uuid,
    contest_id: Option<Uuid>,
    kind: Option<String>,
    subject_id: Uuid,
    title: String,
    opened_by: Uuid,
    opened_at: At,
    decision: Option<String>,
    reason: Option<String>,
    match_ids: Vec<Uuid>,
    ended_match: bool,
    until_at: Option<At>,
    decided_by: Option<Uuid>,
    decided_at: Option<At>,
    closes_at: Option<At>,
    appeal: Option<String>,
    appealed_at: Option<At>,
    outcome: Option<String>,
    outcome_reason: Option<String>,
    remedy: Option<String>,
    appeal_decided_by: Option<Uuid>,
    appeal_decided_at: Option<At>,
}

fn broken(id: Uuid) -> Error {
    Error::internal(format!("the case {id} can't be read"))
}

impl Row {
    fn read(self) -> Result<Case> {
        let id = self.id;
        let contest = match (&self.kind, self.contest_id) {
            (None, None) => None,
            (Some(word), Some(contest)) => Some(Contest::of(word, contest).ok_or_else(|| broken(id))?),
            _ => return Err(broken(id)),
        };
        let decided = match (self.outcome, self.outcome_reason, self.appeal_decided_by, self.appeal_decided_at) {
            (Some(outcome), Some(reason), Some(by), Some(at)) => Some(AppealDecision {
                outcome: outcome.parse().map_err(|_| broken(id))?,
                reason,
                remedy: self.remedy.map(|word| word.parse()).transpose().map_err(|_| broken(id))?,
                by: AccountId(by),
                at: at.0,
            }),
            _ => None,
        };
        let verdict = match (self.decision, self.reason, self.decided_by, self.decided_at) {
            (Some(kind), Some(reason), Some(by), Some(at)) => Some(Verdict {
                kind: kind.parse().map_err(|_| broken(id))?,
                reason,
                matches: self.match_ids.into_iter().map(MatchId).collect(),
                ended_match: self.ended_match,
                until: self.until_at.map(Time::from),
                by: AccountId(by),
                at: at.0,
            }),
            _ => None,
        };
        let appeal = self.appeal;
        Ok(Case {
            id: CaseId(id),
            contest,
            subject: AccountId(self.subject_id),
            title: self.title,
            opened_by: AccountId(self.opened_by),
            opened_at: self.opened_at.0,
            verdict,
            appeal: self.appealed_at.map(|at| Appeal { text: appeal, at: at.0, decided }),
            closes_at: self.closes_at.map(Time::from),
        })
    }

    fn of(case: &Case) -> Self {
        let Case { verdict, appeal, contest, .. } = case;
        let (verdict, appeal) = (verdict.as_ref(), appeal.as_ref());
        let outcome = appeal.and_then(|appeal| appeal.decided.as_ref());
        Self {
            id: case.id.0,
            contest_id: contest.map(Contest::id),
            kind: contest.map(|contest| contest.word().to_owned()),
            subject_id: case.subject.0,
            title: case.title.clone(),
            opened_by: case.opened_by.0,
            opened_at: At(case.opened_at),
            decision: verdict.map(|verdict| verdict.kind.into_str().to_owned()),
            reason: verdict.map(|verdict| verdict.reason.clone()),
            match_ids: verdict.iter().flat_map(|verdict| verdict.matches.iter().map(|id| id.0)).collect(),
            ended_match: verdict.is_some_and(|verdict| verdict.ended_match),
            until_at: verdict.and_then(|verdict| verdict.until).map(At),
            decided_by: verdict.map(|verdict| verdict.by.0),
            decided_at: verdict.map(|verdict| At(verdict.at)),
            closes_at: case.closes_at.map(At),
            appeal: appeal.and_then(|appeal| appeal.text.clone()),
            appealed_at: appeal.map(|appeal| At(appeal.at)),
            outcome: outcome.map(|outcome| outcome.outcome.into_str().to_owned()),
            outcome_reason: outcome.map(|outcome| outcome.reason.clone()),
            remedy: outcome.and_then(|outcome| outcome.remedy).map(|remedy| remedy.into_str().to_owned()),
            appeal_decided_by: outcome.map(|outcome| outcome.by.0),
            appeal_decided_at: outcome.map(|outcome| At(outcome.at)),
        }
    }
}

/// Stores a new case.
pub async fn insert(tx: &mut Tx, case: &Case) -> Result<()> {
    diesel::insert_into(cases::table).values(Row::of(case)).run(tx).await
}

/// Stores the state of a [locked](lock) case.
pub async fn save(tx: &mut Tx, case: &Case) -> Result<()> {
    diesel::update(cases::table.find(case.id.0)).set(Row::of(case)).run(tx).await
}

pub async fn find(conn: &mut Conn, id: CaseId) -> Result<Option<Case>> {
    let row = cases::table.find(id.0).select(Row::as_select());
    row.first::<Row>(conn.sql()).await.optional()?.map(Row::read).transpose()
}

rows! {
    struct Seen {
        seen: bool,
    }
}

/// True if there is such a case, it isn't about the account, and the account may handle it as an organizer of its
/// contest or with one of these roles.
pub async fn may_be_seen(conn: &mut Conn, id: CaseId, account: AccountId, roles: Vec<&'static str>) -> Result<bool> {
    let query = "SELECT EXISTS (SELECT FROM cases AS x WHERE x.id = $1 AND x.subject_id <> $2 AND ( \
           x.contest_id IN (SELECT id FROM ladders WHERE creator_id = $2 UNION ALL \
             SELECT id FROM tournaments WHERE creator_id = $2 UNION ALL \
             SELECT contest_id FROM contest_organizers WHERE account_id = $2) \
           OR EXISTS (SELECT FROM account_roles AS r WHERE r.account_id = $2 AND r.role = ANY ($3) \
             AND (r.role = 'moderator' OR x.contest_id IS NOT NULL)))) AS seen";
    let found: Seen = sql!(query, id.0, account.0, roles).get_result(conn.sql()).await?;
    Ok(found.seen)
}

/// A case, locked until the transaction ends.
pub async fn lock(tx: &mut Tx, id: CaseId) -> Result<Option<Case>> {
    let row = cases::table.find(id.0).select(Row::as_select()).for_update();
    row.first::<Row>(tx.sql()).await.optional()?.map(Row::read).transpose()
}

/// SQL condition: the case belongs to a contest that an account created or organizes. The account's parameter goes
/// between the parts, twice.
const RUN_BY: [&str; 3] = [
    "contest_id IN (SELECT c.id FROM (SELECT id, creator_id FROM ladders UNION ALL SELECT id, creator_id FROM tournaments) \
       AS c WHERE c.creator_id = ",
    " UNION ALL SELECT o.contest_id FROM contest_organizers AS o WHERE o.account_id = ",
    ")",
];

/// A page of cases, newest first, without those about `but`.
pub async fn page(conn: &mut Conn, filter: &CaseFilter, but: AccountId, now: Time, limit: i64) -> Result<Listed<Case>> {
    let mut wanted = cases::table
        .filter(cases::subject_id.ne(but.0))
        .order(cases::id.desc())
        .limit(limit)
        .select(Row::as_select())
        .into_boxed();
    wanted = match filter.scope {
        Scope::Contest(id) => wanted.filter(cases::contest_id.eq(id.0)),
        Scope::Server => wanted,
        Scope::RunBy(account) => {
            let [creators, beside, end] = RUN_BY;
            let own = sql::<Bool>(creators).bind::<SqlUuid, _>(account.0).sql(beside).bind::<SqlUuid, _>(account.0);
            wanted.filter(own.sql(end))
        }
    };
    wanted = match filter.state {
        None => wanted,
        Some(CaseState::Open) => wanted.filter(cases::decided_at.is_null()),
        Some(CaseState::Decided) => wanted.filter(cases::closes_at.gt(At(now))),
        Some(CaseState::Appealed) => wanted.filter(cases::decided_at.is_not_null()).filter(cases::closes_at.is_null()),
        Some(CaseState::Closed) => wanted.filter(cases::closes_at.le(At(now))),
    };
    if let Some(before) = filter.before {
        wanted = wanted.filter(cases::id.lt(before.0));
    }
    listed(wanted.load(conn.sql()).await?)
}

/// Decided cases about an account, before the given one, newest first.
pub async fn decided_about(
    conn: &mut Conn,
    account: AccountId,
    before: Option<CaseId>,
    limit: i64,
) -> Result<Listed<Case>> {
    let rows: Vec<Row> = cases::table
        .filter(cases::subject_id.eq(account.0))
        .filter(cases::decided_at.is_not_null())
        .filter(cases::id.lt(before.map_or(Uuid::max(), |before| before.0)))
        .order(cases::id.desc())
        .limit(limit)
        .select(Row::as_select())
        .load(conn.sql())
        .await?;
    listed(rows)
}

fn listed(rows: Vec<Row>) -> Result<Listed<Case>> {
    Listed::of(WHAT, rows.into_iter().map(|row| (row.id, row.read())))
}

/// The number of open cases of a contest, or of the server.
pub async fn count_open(conn: &mut Conn, contest: Option<Contest>) -> Result<i64> {
    let open = cases::table.filter(cases::decided_at.is_null());
    let own = open.filter(cases::contest_id.is_not_distinct_from(contest.map(Contest::id)));
    Ok(own.count().get_result(conn.sql()).await?)
}

/// Adds an entry to the file of a case.
pub async fn add(tx: &mut Tx, case: CaseId, entry: &CaseEntry) -> Result<()> {
    let (evidence, text) = match &entry.content {
        Content::Evidence(evidence) => (Some(evidence), None),
        Content::Note(text) => (None, Some(text)),
    };
    let matches: Vec<Uuid> = evidence.iter().flat_map(|evidence| evidence.matches.iter().map(|id| id.0)).collect();
    diesel::insert_into(case_entries::table)
        .values((
            case_entries::id.eq(entry.id.0),
            case_entries::case_id.eq(case.0),
            case_entries::author_id.eq(entry.author.0),
            case_entries::at.eq(At(entry.at)),
            case_entries::evidence.eq(evidence.map(|evidence| evidence.kind.into_str())),
            case_entries::match_ids.eq(matches),
            case_entries::pairing_id.eq(evidence.and_then(|evidence| evidence.pairing).map(|id| id.0)),
            case_entries::abuse_report_id.eq(evidence.and_then(|evidence| evidence.report).map(|id| id.0)),
            case_entries::details.eq(evidence.map(|evidence| &evidence.details)),
            case_entries::text.eq(text),
        ))
        .run(tx)
        .await
}

type EntryRow =
    (Uuid, Uuid, At, Option<String>, Vec<Uuid>, Option<Uuid>, Option<Uuid>, Option<Value>, Option<String>, Uuid);

fn entry(row: EntryRow) -> Result<CaseEntry> {
    let (id, author, at, kind, matches, pairing, report, details, text, case) = row;
    let content = match (kind, details, text) {
        (Some(kind), Some(details), None) => Content::Evidence(Evidence {
            kind: kind.parse().map_err(|_| broken(case))?,
            matches: matches.into_iter().map(MatchId).collect(),
            pairing: pairing.map(PairingId),
            report: report.map(AbuseReportId),
            details,
        }),
        (None, None, Some(text)) => Content::Note(text),
        _ => return Err(broken(case)),
    };
    Ok(CaseEntry { id: CaseEntryId(id), author: AccountId(author), at: at.0, content })
}

/// The entries of these cases, oldest first.
pub async fn entries(conn: &mut Conn, of: &[CaseId]) -> Result<Vec<(CaseId, Result<CaseEntry>)>> {
    if of.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<Uuid> = of.iter().map(|id| id.0).collect();
    let rows: Vec<EntryRow> = case_entries::table
        .filter(case_entries::case_id.eq_any(ids))
        .order(case_entries::id)
        .select((
            case_entries::id,
            case_entries::author_id,
            case_entries::at,
            case_entries::evidence,
            case_entries::match_ids,
            case_entries::pairing_id,
            case_entries::abuse_report_id,
            case_entries::details,
            case_entries::text,
            case_entries::case_id,
        ))
        .load(conn.sql())
        .await?;
    Ok(rows.into_iter().map(|row| (CaseId(row.9), entry(row))).collect())
}

/// Notes by an account about others, oldest first.
pub async fn notes_of(conn: &mut Conn, author: AccountId) -> Result<Vec<(CaseId, Time, String)>> {
    let rows: Vec<(Uuid, At, Option<String>)> = case_entries::table
        .filter(case_entries::author_id.eq(author.0))
        .filter(case_entries::text.is_not_null())
        .order(case_entries::id)
        .select((case_entries::case_id, case_entries::at, case_entries::text))
        .load(conn.sql())
        .await?;
    Ok(rows.into_iter().filter_map(|(case, at, text)| Some((CaseId(case), at.0, text?))).collect())
}

/// The number of a case's pieces of evidence, or of notes.
pub async fn count_entries(conn: &mut Conn, case: CaseId, notes: bool) -> Result<i64> {
    let all = case_entries::table.filter(case_entries::case_id.eq(case.0));
    Ok(match notes {
        true => all.filter(case_entries::text.is_not_null()).count().get_result(conn.sql()).await?,
        false => all.filter(case_entries::evidence.is_not_null()).count().get_result(conn.sql()).await?,
    })
}

rows! {
    struct Concerned {
        concerned: bool,
    }
}

/// True if the account has or had a seat in a match linked by the case, or made a report linked by it.
pub async fn is_concerned(conn: &mut Conn, case: CaseId, account: AccountId) -> Result<bool> {
    let query = "SELECT EXISTS (SELECT 1 FROM case_entries AS e \
           JOIN match_seats AS s ON s.match_id = ANY (e.match_ids) WHERE e.case_id = $1 AND s.account_id = $2) \
         OR EXISTS (SELECT 1 FROM case_entries AS e \
           JOIN former_players AS f ON f.match_id = ANY (e.match_ids) WHERE e.case_id = $1 AND f.account_id = $2) \
         OR EXISTS (SELECT 1 FROM case_entries AS e JOIN abuse_reports AS r ON r.id = e.abuse_report_id \
           WHERE e.case_id = $1 AND r.reporter_id = $2) AS concerned";
    let found: Concerned = sql!(query, case.0, account.0).get_result(conn.sql()).await?;
    Ok(found.concerned)
}

/// True if the account has been paired in the contest.
pub async fn has_played(conn: &mut Conn, contest: Contest, account: AccountId) -> Result<bool> {
    let own = pairings::table
        .inner_join(pairing_players::table.on(pairing_players::pairing_id.eq(pairings::id)))
        .filter(pairings::contest_id.eq(contest.id()))
        .filter(pairing_players::account_id.eq(account.0));
    Ok(diesel::select(exists(own)).get_result(conn.sql()).await?)
}

/// Deletes cases that closed before `then`.
pub async fn forget_closed_before(tx: &mut Tx, then: Time) -> Result<()> {
    diesel::delete(cases::table.filter(cases::closes_at.lt(At(then)))).run(tx).await
}
