//! SQL of the public facts in mails. Statements are skipped if no event needs them.

use std::collections::HashMap;

use broadside_rules::{Clock, Time};
use diesel_async::RunQueryDsl;
use serde_json::Value;
use uuid::Uuid;

use crate::db::{At, Conn, rows, sql};
use crate::error::{Error, Result};
use crate::ids::{AccountId, ChallengeId, MatchId};
use crate::notifications::mail::event::MailLog;
use crate::notifications::mail::facts::{ChallengeFacts, ContestFacts, Facts, LadderChallengeFacts, MatchFacts};
use crate::notifications::mail::settings::MailTopic;

/// The facts about the subjects of these events of an account.
pub async fn of(conn: &mut Conn, account: AccountId, log: &MailLog, now: Time) -> Result<Facts> {
    use MailTopic as T;
    let seats = log.about(&[T::SubstitutionRequested, T::SubstitutionProposed, T::SeatHandedOver]);
    let played = log.about(&[T::YourTurn, T::DeadlineNear, T::MatchStarted, T::MatchFinished, T::Chat]);
    let tournaments = log.about(&[
        T::TournamentBoardMissed,
        T::RoundDeadlineNear,
        T::RoundExtended,
        T::RoundDrafted,
        T::TournamentByeChanged,
        T::TournamentEnteredLate,
        T::TournamentWithdrawn,
        T::TournamentStarted,
        T::RoundStarted,
        T::TournamentFinished,
        T::TournamentCancelled,
        T::ContestInvited,
        T::ContestEntryAccepted,
        T::ContestEntryDeclined,
        T::ContestMemberRemoved,
        T::ContestMemberWarned,
        T::ContestAnnounced,
        T::ContestPaused,
        T::ContestResumed,
    ]);
    let (challenges, positions) = (log.about(&[T::ChallengeReceived]), log.about(&[T::LadderChallengeReceived]));
    let ladders = log.ladders();
    Ok(Facts {
        matches: matches(conn, account, played, seats).await?,
        challenges: self::challenges(conn, challenges, now).await?,
        ladder_challenges: ladder_challenges(conn, account, positions, &ladders).await?,
        ladders: contests(conn, LADDERS, ladders).await?,
        tournaments: contests(conn, TOURNAMENTS, tournaments).await?,
        names: names(conn, log.opponents()).await?,
    })
}

rows! {
    struct MatchRow {
        id: Uuid,
        variant: String,
        has_own_rules: bool,
        to_act: i32,
        accounts: Vec<Uuid>,
        names: Vec<String>,
    }
}

/// The facts of the account's own matches, and of those in which a seat changes hands.
async fn matches(conn: &mut Conn, account: AccountId, own: Vec<Uuid>, seats: Vec<Uuid>) -> Result<Vec<MatchFacts>> {
    if own.is_empty() && seats.is_empty() {
        return Ok(Vec::new());
    }
    let query = "SELECT m.id, m.variant, m.named_rule_set IS NOT NULL AS has_own_rules, h.to_act, s.accounts, s.names FROM matches AS m JOIN match_heads AS h ON h.match_id = m.id \
         CROSS JOIN LATERAL (SELECT array_agg(account_id ORDER BY seat) AS accounts, array_agg(username ORDER BY seat) AS names \
           FROM match_seats WHERE match_id = m.id) AS s \
         WHERE m.id = ANY ($1) AND $2 = ANY (s.accounts) OR m.id = ANY ($3)";
    let query = sql!(query, own, account.0, seats);
    let rows: Vec<MatchRow> = query.load(conn.sql()).await?;
    let facts = |row: MatchRow| {
        let seat = row.accounts.iter().position(|id| *id == account.0);
        MatchFacts {
            id: MatchId(row.id),
            variant: row.variant,
            has_own_rules: row.has_own_rules,
            must_act: seat.is_some_and(|seat| row.to_act >> seat & 1 == 1),
            seat,
            names: row.names,
        }
    };
    Ok(rows.into_iter().map(facts).collect())
}

rows! {
    struct ChallengeRow {
        id: Uuid,
        variant: String,
        has_own_rules: bool,
        username: String,
        is_open: bool,
        clock: Value,
        rated: bool,
        expires_at: At,
    }
}

async fn challenges(conn: &mut Conn, ids: Vec<Uuid>, now: Time) -> Result<Vec<ChallengeFacts>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let query = "SELECT c.id, c.variant, c.named_rule_set IS NOT NULL AS has_own_rules, a.username, c.status = 'open' AND c.expires_at > $2 AS is_open, \
           c.clock, c.rated, c.expires_at \
         FROM challenges AS c JOIN accounts AS a ON a.id = c.creator_id WHERE c.id = ANY ($1)";
    let query = sql!(query, ids, At(now));
    let rows: Vec<ChallengeRow> = query.load(conn.sql()).await?;
    let facts = |row: ChallengeRow| {
        Ok(ChallengeFacts {
            id: ChallengeId(row.id),
            variant: row.variant,
            has_own_rules: row.has_own_rules,
            from: row.username,
            is_open: row.is_open,
            clock: serde_json::from_value::<Clock>(row.clock).map_err(Error::internal)?,
            rated: row.rated,
            expires_at: row.expires_at.0,
        })
    };
    rows.into_iter().map(facts).collect()
}

rows! {
    struct ContestRow {
        id: Uuid,
        variant: String,
        has_own_rules: bool,
        is_on: bool,
    }
}

const LADDERS: &str = "SELECT id, variant, named_rule_set IS NOT NULL AS has_own_rules, closed_at IS NULL AS is_on \
     FROM ladders WHERE id = ANY ($1)";
const TOURNAMENTS: &str = "SELECT id, variant, named_rule_set IS NOT NULL AS has_own_rules, status = 'running' AS is_on \
     FROM tournaments WHERE id = ANY ($1)";

async fn contests(conn: &mut Conn, query: &str, ids: Vec<Uuid>) -> Result<Vec<ContestFacts>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let query = sql!(query, ids);
    let rows: Vec<ContestRow> = query.load(conn.sql()).await?;
    let facts = |row: ContestRow| ContestFacts {
        id: row.id,
        variant: row.variant,
        has_own_rules: row.has_own_rules,
        is_on: row.is_on,
    };
    Ok(rows.into_iter().map(facts).collect())
}

rows! {
    struct LadderChallengeRow {
        id: Uuid,
        username: String,
        is_open: bool,
        answer_by: At,
    }
}

async fn ladder_challenges(
    conn: &mut Conn,
    account: AccountId,
    ids: Vec<Uuid>,
    ladders: &[Uuid],
) -> Result<Vec<LadderChallengeFacts>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let query = "SELECT c.id, a.username, c.status = 'open' AS is_open, c.answer_by \
         FROM ladder_challenges AS c JOIN accounts AS a ON a.id = c.challenger_id \
         WHERE c.ladder_id = ANY ($1) AND c.id = ANY ($2) AND c.defender_id = $3";
    let query = sql!(query, ladders.to_vec(), ids, account.0);
    let rows: Vec<LadderChallengeRow> = query.load(conn.sql()).await?;
    let facts = |row: LadderChallengeRow| LadderChallengeFacts {
        id: row.id,
        from: row.username,
        is_open: row.is_open,
        answer_by: row.answer_by.0,
    };
    Ok(rows.into_iter().map(facts).collect())
}

rows! {
    struct NameRow {
        id: Uuid,
        username: String,
    }
}

async fn names(conn: &mut Conn, ids: Vec<Uuid>) -> Result<HashMap<Uuid, String>> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let query = sql!("SELECT id, username FROM accounts WHERE id = ANY ($1)", ids);
    let rows: Vec<NameRow> = query.load(conn.sql()).await?;
    Ok(rows.into_iter().map(|row| (row.id, row.username)).collect())
}
