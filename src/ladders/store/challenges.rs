//! SQL of challenges on position ladders. Writing callers have locked the ladder's row, so nothing is locked here.

use broadside_contests::position_ladder::Outcome;
use broadside_rules::Time;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use crate::db::schema::ladder_challenges;
use crate::db::{At, Conn, Run, Tx, rows, sql};
use crate::error::{Error, Result};
use crate::ids::{AccountId, LadderChallengeId, LadderId, PairingId};
use crate::ladders::position::LadderChallengeStatus;
use crate::ladders::position::challenges::{LadderChallenge, LadderChallengeFilter};
use crate::listed::Listed;
use crate::player::Player;

/// Log message for an unreadable row.
const WHAT: &str = "a challenge of a ladder can't be read; lists leave it out";

rows! {
    struct Row {
        ladder_id: Uuid,
        id: Uuid,
        challenger_id: Uuid,
        challenger_name: String,
        challenger_bot: bool,
        defender_id: Uuid,
        defender_name: String,
        defender_bot: bool,
        challenger_position: i32,
        defender_position: i32,
        status: String,
        outcome: Option<String>,
        created_at: At,
        answer_by: At,
        answered_at: Option<At>,
        pairing_id: Option<Uuid>,
        ended_at: Option<At>,
    }
}

impl Row {
    fn read(self) -> Result<LadderChallenge> {
        let player = |id, username, bot| Player { id: AccountId(id), username, bot };
        Ok(LadderChallenge {
            ladder: LadderId(self.ladder_id),
            id: LadderChallengeId(self.id),
            challenger: player(self.challenger_id, self.challenger_name, self.challenger_bot),
            defender: player(self.defender_id, self.defender_name, self.defender_bot),
            challenger_place: self.challenger_position.unsigned_abs(),
            defender_place: self.defender_position.unsigned_abs(),
            status: self.status.parse::<LadderChallengeStatus>().map_err(Error::internal)?,
            outcome: self.outcome.map(|word| word.parse::<Outcome>()).transpose().map_err(Error::internal)?,
            made_at: self.created_at.0,
            answer_by: self.answer_by.0,
            answered_at: self.answered_at.map(Time::from),
            pairing: self.pairing_id.map(PairingId),
            ended_at: self.ended_at.map(Time::from),
        })
    }
}

const CHALLENGES: &str = "SELECT c.*, a.username AS challenger_name, a.bot AS challenger_bot, b.username AS defender_name, b.bot AS defender_bot \
     FROM ladder_challenges AS c JOIN accounts AS a ON a.id = c.challenger_id JOIN accounts AS b ON b.id = c.defender_id";

pub async fn insert(tx: &mut Tx, challenge: &LadderChallenge) -> Result<()> {
    let number = |place: u32| i32::try_from(place).unwrap_or(i32::MAX);
    let row = (
        ladder_challenges::ladder_id.eq(challenge.ladder.0),
        ladder_challenges::id.eq(challenge.id.0),
        ladder_challenges::challenger_id.eq(challenge.challenger.id.0),
        ladder_challenges::defender_id.eq(challenge.defender.id.0),
        ladder_challenges::challenger_position.eq(number(challenge.challenger_place)),
        ladder_challenges::defender_position.eq(number(challenge.defender_place)),
        ladder_challenges::status.eq(challenge.status.into_str()),
        ladder_challenges::created_at.eq(At(challenge.made_at)),
        ladder_challenges::answer_by.eq(At(challenge.answer_by)),
    );
    diesel::insert_into(ladder_challenges::table).values(row).run(tx).await
}

/// Stores the state of a challenge.
pub async fn update(tx: &mut Tx, challenge: &LadderChallenge) -> Result<()> {
    diesel::update(ladder_challenges::table.find((challenge.ladder.0, challenge.id.0)))
        .set((
            ladder_challenges::status.eq(challenge.status.into_str()),
            ladder_challenges::outcome.eq(challenge.outcome.map(Outcome::word)),
            ladder_challenges::answer_by.eq(At(challenge.answer_by)),
            ladder_challenges::answered_at.eq(challenge.answered_at.map(At)),
            ladder_challenges::pairing_id.eq(challenge.pairing.map(|id| id.0)),
            ladder_challenges::ended_at.eq(challenge.ended_at.map(At)),
        ))
        .run(tx)
        .await
}

pub async fn find(conn: &mut Conn, ladder: LadderId, id: LadderChallengeId) -> Result<Option<LadderChallenge>> {
    let row: Option<Row> = sql!(format!("{CHALLENGES} WHERE c.ladder_id = $1 AND c.id = $2"), ladder.0, id.0)
        .get_result(conn.sql())
        .await
        .optional()?;
    row.map(Row::read).transpose()
}

/// The challenge of a pairing.
pub async fn of_pairing(conn: &mut Conn, pairing: PairingId) -> Result<Option<LadderChallenge>> {
    let row: Option<Row> =
        sql!(format!("{CHALLENGES} WHERE c.pairing_id = $1"), pairing.0).get_result(conn.sql()).await.optional()?;
    row.map(Row::read).transpose()
}

/// Challenges of a ladder, newest first.
pub async fn of_ladder(
    conn: &mut Conn,
    ladder: LadderId,
    filter: &LadderChallengeFilter,
    limit: i64,
) -> Result<Listed<LadderChallenge>> {
    let text = format!(
        "{CHALLENGES} WHERE c.ladder_id = $1 AND ($2 IS NULL OR $2 IN (c.challenger_id, c.defender_id)) \
         AND ($3 IS NULL OR c.status = $3) AND ($4 IS NULL OR c.id < $4) ORDER BY c.id DESC LIMIT $5"
    );
    let rows: Vec<Row> = sql!(
        text,
        ladder.0,
        filter.player.map(|account| account.0),
        filter.status.map(|status| status.into_str()),
        filter.before.map(|id| id.0),
        limit
    )
    .load(conn.sql())
    .await?;
    Listed::of(WHAT, rows.into_iter().map(|row| (row.id, row.read())))
}

/// The account's challenges on a ladder that aren't over: at most one as the challenger, and all as the defender
/// (several, if earlier ones have kept others from the place for too long).
pub async fn running_of(conn: &mut Conn, ladder: LadderId, account: AccountId) -> Result<Vec<LadderChallenge>> {
    let text = format!(
        "{CHALLENGES} WHERE c.ladder_id = $1 AND $2 IN (c.challenger_id, c.defender_id) AND c.status <> 'finished' ORDER BY c.id"
    );
    let rows: Vec<Row> = sql!(text, ladder.0, account.0).load(conn.sql()).await?;
    rows.into_iter().map(Row::read).collect()
}

/// Every challenge of the account on any ladder, for its own export.
pub async fn all_of(conn: &mut Conn, account: AccountId) -> Result<Listed<LadderChallenge>> {
    let text = format!("{CHALLENGES} WHERE $1 IN (c.challenger_id, c.defender_id) ORDER BY c.ladder_id, c.id");
    let rows: Vec<Row> = sql!(text, account.0).load(conn.sql()).await?;
    Listed::of(WHAT, rows.into_iter().map(|row| (row.id, row.read())))
}

/// The number of challenges that the account has declined on a ladder since then without losing for it.
pub async fn declines(conn: &mut Conn, ladder: LadderId, account: AccountId, since: Time) -> Result<u32> {
    let count: i64 = ladder_challenges::table
        .filter(ladder_challenges::ladder_id.eq(ladder.0))
        .filter(ladder_challenges::defender_id.eq(account.0))
        .filter(ladder_challenges::outcome.eq(Outcome::Declined.word()))
        .filter(ladder_challenges::ended_at.gt(At(since)))
        .count()
        .get_result(conn.sql())
        .await?;
    u32::try_from(count).map_err(Error::internal)
}

/// The times of the account's last challenges against each of these others that were played or withdrawn.
pub async fn met(
    conn: &mut Conn,
    ladder: LadderId,
    account: AccountId,
    others: &[AccountId],
) -> Result<Vec<(AccountId, Time)>> {
    rows! {
        struct Met {
            other: Uuid,
            at: At,
        }
    }
    let outcomes =
        [Outcome::ChallengerWon, Outcome::DefenderWon, Outcome::Drawn, Outcome::Withdrawn].map(Outcome::word);
    let statement = "SELECT other, max(ended_at) AS at FROM (\
           SELECT defender_id AS other, ended_at FROM ladder_challenges \
             WHERE challenger_id = $2 AND ladder_id = $1 AND defender_id = ANY ($3) AND outcome = ANY ($4) \
           UNION ALL SELECT challenger_id, ended_at FROM ladder_challenges \
             WHERE defender_id = $2 AND ladder_id = $1 AND challenger_id = ANY ($3) AND outcome = ANY ($4)) AS met GROUP BY other";
    let rows: Vec<Met> =
        sql!(statement, ladder.0, account.0, others.iter().map(|other| other.0).collect::<Vec<_>>(), outcomes.to_vec())
            .load(conn.sql())
            .await?;
    Ok(rows.into_iter().map(|met| (AccountId(met.other), met.at.0)).collect())
}

/// Open challenges whose time for an answer may be over at `now`, after the given one.
pub async fn due(
    conn: &mut Conn,
    now: Time,
    behind: Option<(Time, LadderChallengeId)>,
    limit: i64,
) -> Result<Vec<(Time, LadderId, LadderChallengeId)>> {
    let mut due = ladder_challenges::table
        .filter(ladder_challenges::status.eq(LadderChallengeStatus::Open.into_str()))
        .filter(ladder_challenges::answer_by.le(At(now)))
        .select((ladder_challenges::answer_by, ladder_challenges::ladder_id, ladder_challenges::id))
        .into_boxed();
    if let Some((then, id)) = behind {
        let at_once = ladder_challenges::answer_by.eq(At(then)).and(ladder_challenges::id.gt(id.0));
        due = due.filter(ladder_challenges::answer_by.gt(At(then)).or(at_once));
    }
    let rows: Vec<(At, Uuid, Uuid)> =
        due.order((ladder_challenges::answer_by, ladder_challenges::id)).limit(limit).load(conn.sql()).await?;
    Ok(rows.into_iter().map(|(then, ladder, id)| (then.0, LadderId(ladder), LadderChallengeId(id))).collect())
}
