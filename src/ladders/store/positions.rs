//! SQL of a ladder's positions, and the log of steps. Writing callers have locked the ladder's row.

use broadside_rules::Time;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use crate::db::schema::{ladder_position_changes, ladder_positions};
use crate::db::{At, Conn, PublicRead, Run, Tx, rows, sql};
use crate::error::{Error, Result};
use crate::ids::{AccountId, LadderChallengeId, LadderId, PairingId};
use crate::ladders::position::{Kept, LadderMove, NamedMember, PositionMember, Step, StepCause};
use crate::listed::Listed;
use crate::player::Player;

rows! {
    struct Row {
        account_id: Uuid,
        username: String,
        bot: bool,
        position: i32,
        active_at: At,
        protected_until: Option<At>,
        challenges: Option<Uuid>,
        challenged_by: Option<Uuid>,
        kept_since: Option<At>,
        kept_until: Option<At>,
    }
}

impl From<Row> for NamedMember {
    fn from(row: Row) -> Self {
        let member = PositionMember {
            account: AccountId(row.account_id),
            place: row.position.unsigned_abs(),
            challenges: row.challenges.map(AccountId),
            challenged_by: row.challenged_by.map(AccountId),
            protected_until: row.protected_until.map(Time::from),
            active_at: row.active_at.0,
            kept_since: row.kept_since.map(Time::from),
            kept_until: row.kept_until.map(Time::from),
        };
        Self { player: Player { id: member.account, username: row.username, bot: row.bot }, member }
    }
}

const MEMBERS: &str = "SELECT p.account_id, a.username, a.bot, p.position, p.active_at, p.protected_until, \
     p.kept_since, p.kept_until, o.defender_id AS challenges, i.challenger_id AS challenged_by \
     FROM ladder_positions AS p JOIN accounts AS a ON a.id = p.account_id \
     LEFT JOIN ladder_challenges AS o ON o.ladder_id = p.ladder_id AND o.challenger_id = p.account_id AND o.status <> 'finished' \
     LEFT JOIN LATERAL (SELECT c.challenger_id FROM ladder_challenges AS c WHERE c.ladder_id = p.ladder_id AND c.defender_id = p.account_id \
       AND c.status <> 'finished' ORDER BY c.id LIMIT 1) AS i ON true";

/// At most `limit` members on these places, both ends included, in order.
pub async fn between(conn: &mut Conn, ladder: LadderId, first: u32, last: u32, limit: i64) -> Result<Vec<NamedMember>> {
    let text =
        format!("{MEMBERS} WHERE p.ladder_id = $1 AND p.position BETWEEN $2 AND $3 ORDER BY p.position LIMIT $4");
    let number = |place: u32| i32::try_from(place).unwrap_or(i32::MAX);
    let rows: Vec<Row> = sql!(text, ladder.0, number(first), number(last), limit).load(conn.sql()).await?;
    Ok(rows.into_iter().map(NamedMember::from).collect())
}

/// A member; `None` if the account has no place there.
pub async fn member(conn: &mut PublicRead, ladder: LadderId, account: AccountId) -> Result<Option<NamedMember>> {
    let row: Option<Row> = sql!(format!("{MEMBERS} WHERE p.ladder_id = $1 AND p.account_id = $2"), ladder.0, account.0)
        .get_result(conn.sql())
        .await
        .optional()?;
    Ok(row.map(NamedMember::from))
}

pub async fn count(conn: &mut Conn, ladder: LadderId) -> Result<u32> {
    let members = ladder_positions::table.filter(ladder_positions::ladder_id.eq(ladder.0));
    let count: i64 = members.count().get_result(conn.sql()).await?;
    u32::try_from(count).map_err(Error::internal)
}

rows! {
    struct Shifted {
        account_id: Uuid,
        position: i32,
    }
}

/// Makes a step: moves the members in between, then the member who makes it, and logs it. Returns the moved members
/// with their new places.
pub async fn apply_step(
    tx: &mut Tx,
    ladder: LadderId,
    step: &Step,
    cause: &StepCause,
    now: Time,
) -> Result<Vec<(AccountId, u32)>> {
    let number = |place: u32| i32::try_from(place).unwrap_or(i32::MAX);
    let shifted: Vec<Shifted> = match step.shift() {
        None => Vec::new(),
        Some((by, first, last)) => {
            let statement = "UPDATE ladder_positions SET position = position + $2 WHERE ladder_id = $1 AND position BETWEEN $3 AND $4 AND account_id <> $5 \
                 RETURNING account_id, position";
            sql!(statement, ladder.0, by, number(first), number(last), step.account.0).load(tx.sql()).await?
        }
    };
    let own = ladder_positions::table.find((ladder.0, step.account.0));
    match (step.from, step.to) {
        (None, Some(to)) => {
            let row = (
                ladder_positions::ladder_id.eq(ladder.0),
                ladder_positions::account_id.eq(step.account.0),
                ladder_positions::position.eq(number(to)),
                ladder_positions::active_at.eq(At(now)),
            );
            diesel::insert_into(ladder_positions::table).values(row).run(tx).await?;
        }
        (Some(_), Some(to)) => {
            diesel::update(own).set(ladder_positions::position.eq(number(to))).run(tx).await?;
        }
        (_, None) => {
            diesel::delete(own).run(tx).await?;
        }
    }
    log(tx, ladder, step, cause, now).await?;
    Ok(shifted.into_iter().map(|row| (AccountId(row.account_id), row.position.unsigned_abs())).collect())
}

async fn log(tx: &mut Tx, ladder: LadderId, step: &Step, cause: &StepCause, now: Time) -> Result<()> {
    let number = |place: u32| i32::try_from(place).unwrap_or(i32::MAX);
    let statement = "INSERT INTO ladder_position_changes (ladder_id, number, at, account_id, from_position, to_position, reason, opponent_id, challenge_id, pairing_id) \
         SELECT $1, coalesce(max(number), 0) + 1, $2, $3, $4, $5, $6, $7, $8, $9 FROM ladder_position_changes WHERE ladder_id = $1";
    sql!(
        statement,
        ladder.0,
        At(now),
        step.account.0,
        step.from.map(number),
        step.to.map(number),
        cause.reason.word(),
        cause.over.map(|account| account.0),
        cause.challenge.map(|id| id.0),
        cause.pairing.map(|id| id.0)
    )
    .run(tx)
    .await
}

/// Stores a member's last activity, and the earliest time when they may be inactive.
pub async fn note_activity(
    tx: &mut Tx,
    ladder: LadderId,
    account: AccountId,
    active_at: Time,
    look_at: Option<Time>,
) -> Result<()> {
    diesel::update(ladder_positions::table.find((ladder.0, account.0)))
        .set((ladder_positions::active_at.eq(At(active_at)), ladder_positions::check_at.eq(look_at.map(At))))
        .run(tx)
        .await
}

/// Stores the end of a member's protection, and the time for which others have been kept from their place.
pub async fn protect(tx: &mut Tx, ladder: LadderId, account: AccountId, until: Option<Time>, kept: Kept) -> Result<()> {
    diesel::update(ladder_positions::table.find((ladder.0, account.0)))
        .set((
            ladder_positions::protected_until.eq(until.map(At)),
            ladder_positions::kept_since.eq(kept.since.map(At)),
            ladder_positions::kept_until.eq(At(kept.until)),
        ))
        .run(tx)
        .await
}

/// Stores the time since when challenges have kept others from a member's place.
pub async fn set_kept_since(tx: &mut Tx, ladder: LadderId, account: AccountId, since: Time) -> Result<()> {
    diesel::update(ladder_positions::table.find((ladder.0, account.0)))
        .set(ladder_positions::kept_since.eq(At(since)))
        .run(tx)
        .await
}

/// At most `limit` members who may be inactive at `now`, with their positions, after the given one.
pub async fn idle(
    conn: &mut Conn,
    now: Time,
    behind: Option<(LadderId, AccountId)>,
    limit: i64,
) -> Result<Vec<(LadderId, AccountId, u32)>> {
    let mut due = ladder_positions::table
        .filter(ladder_positions::check_at.le(At(now)))
        .select((ladder_positions::ladder_id, ladder_positions::account_id, ladder_positions::position))
        .into_boxed();
    if let Some((ladder, account)) = behind {
        let same = ladder_positions::ladder_id.eq(ladder.0).and(ladder_positions::account_id.gt(account.0));
        due = due.filter(ladder_positions::ladder_id.gt(ladder.0).or(same));
    }
    let rows: Vec<(Uuid, Uuid, i32)> =
        due.order((ladder_positions::ladder_id, ladder_positions::account_id)).limit(limit).load(conn.sql()).await?;
    let one =
        |(ladder, account, place): (Uuid, Uuid, i32)| (LadderId(ladder), AccountId(account), place.unsigned_abs());
    Ok(rows.into_iter().map(one).collect())
}

/// At most `limit` members of open ladders with suspended accounts, after the given one.
pub async fn suspended(
    conn: &mut Conn,
    now: Time,
    behind: Option<(LadderId, AccountId)>,
    limit: i64,
) -> Result<Vec<(LadderId, AccountId)>> {
    rows! {
        struct One {
            ladder_id: Uuid,
            account_id: Uuid,
        }
    }
    let (ladder, account) = behind.map_or((Uuid::nil(), Uuid::nil()), |(ladder, account)| (ladder.0, account.0));
    let members = "SELECT p.ladder_id, p.account_id FROM accounts AS a JOIN ladder_positions AS p ON p.account_id = a.id \
         JOIN ladders AS l ON l.id = p.ladder_id AND l.closed_at IS NULL \
         WHERE a.suspended_at IS NOT NULL AND (a.suspended_until IS NULL OR a.suspended_until > $1) \
         AND (p.ladder_id, p.account_id) > ($2, $3) ORDER BY p.ladder_id, p.account_id LIMIT $4";
    let rows: Vec<One> = sql!(members, At(now), ladder, account, limit).load(conn.sql()).await?;
    Ok(rows.into_iter().map(|row| (LadderId(row.ladder_id), AccountId(row.account_id))).collect())
}

rows! {
    struct MoveRow {
        number: i32,
        at: At,
        account_id: Uuid,
        username: String,
        bot: bool,
        from_position: Option<i32>,
        to_position: Option<i32>,
        reason: String,
        opponent_id: Option<Uuid>,
        over_name: Option<String>,
        over_bot: Option<bool>,
        challenge_id: Option<Uuid>,
        pairing_id: Option<Uuid>,
    }
}

impl MoveRow {
    fn read(self) -> Result<LadderMove> {
        let player = |id, username, bot| Player { id: AccountId(id), username, bot };
        let over =
            self.opponent_id.zip(self.over_name).zip(self.over_bot).map(|((id, name), bot)| player(id, name, bot));
        Ok(LadderMove {
            number: self.number.unsigned_abs(),
            at: self.at.0,
            step: Step {
                account: AccountId(self.account_id),
                from: self.from_position.map(i32::unsigned_abs),
                to: self.to_position.map(i32::unsigned_abs),
            },
            player: player(self.account_id, self.username, self.bot),
            cause: StepCause {
                reason: self.reason.parse().map_err(Error::internal)?,
                over: self.opponent_id.map(AccountId),
                challenge: self.challenge_id.map(LadderChallengeId),
                pairing: self.pairing_id.map(PairingId),
            },
            over,
        })
    }
}

/// The log of steps after number `after`, in order.
pub async fn moves(conn: &mut Conn, ladder: LadderId, after: u32, limit: i64) -> Result<Listed<LadderMove>> {
    let statement = "SELECT m.*, a.username, a.bot, o.username AS over_name, o.bot AS over_bot FROM ladder_position_changes AS m \
         JOIN accounts AS a ON a.id = m.account_id LEFT JOIN accounts AS o ON o.id = m.opponent_id \
         WHERE m.ladder_id = $1 AND m.number > $2 ORDER BY m.number LIMIT $3";
    let rows: Vec<MoveRow> =
        sql!(statement, ladder.0, i32::try_from(after).unwrap_or(i32::MAX), limit).load(conn.sql()).await?;
    Listed::of(
        "a change of a place can't be read; lists leave it out",
        rows.into_iter().map(|row| (row.number, row.read())),
    )
}

/// The ladders with a log of steps, after the given one.
pub async fn logged(conn: &mut Conn, behind: Option<LadderId>, limit: i64) -> Result<Vec<LadderId>> {
    let ids: Vec<Uuid> = ladder_position_changes::table
        .filter(ladder_position_changes::number.eq(1))
        .filter(ladder_position_changes::ladder_id.gt(behind.map_or(Uuid::nil(), |ladder| ladder.0)))
        .order(ladder_position_changes::ladder_id)
        .limit(limit)
        .select(ladder_position_changes::ladder_id)
        .load(conn.sql())
        .await?;
    Ok(ids.into_iter().map(LadderId).collect())
}
