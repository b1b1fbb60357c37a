//! SQL of ladder members: the pairings that each wants, and the data for the next pairing.

use broadside_rules::Time;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use super::ladders::{number, small};
use crate::db::schema::{accounts, ladder_members, ladder_standings};
use crate::db::{At, Conn, PublicRead, Run, Tx};
use crate::error::{Error, Result};
use crate::ids::{AccountId, LadderId};
use crate::ladders::{LadderMember, LadderSection, MemberStatus};
use crate::listed::Listed;

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = ladder_members, check_for_backend(diesel::pg::Pg))]
struct Row {
    ladder_id: Uuid,
    account_id: Uuid,
    status: String,
    section: String,
    division: i32,
    wanted_pairings: i16,
    running_pairings: i16,
    joined_at: At,
    waiting_since: At,
    missed: i16,
    seat_balance: i32,
    recent_opponents: Vec<Uuid>,
    current_opponents: Vec<Uuid>,
}

impl Row {
    fn of(ladder: LadderId, member: &LadderMember) -> Result<Self> {
        let ids = |list: &[AccountId]| list.iter().map(|account| account.0).collect();
        Ok(Self {
            ladder_id: ladder.0,
            account_id: member.account.0,
            status: member.status.into_str().to_owned(),
            section: member.section.into_str().to_owned(),
            division: number(member.division)?,
            wanted_pairings: small(member.wanted_pairings)?,
            running_pairings: small(member.running)?,
            joined_at: At(member.joined_at),
            waiting_since: At(member.waiting_since),
            missed: small(member.missed)?,
            seat_balance: member.balance,
            recent_opponents: ids(&member.recent),
            current_opponents: ids(&member.opponents),
        })
    }

    fn read(self) -> Result<LadderMember> {
        let broken = |what: &str| Error::internal(format!("a member of the ladder {} has {what}", self.ladder_id));
        let ids = |list: &[Uuid]| list.iter().copied().map(AccountId).collect();
        Ok(LadderMember {
            account: AccountId(self.account_id),
            status: self.status.parse().map_err(|_| broken("an unknown status"))?,
            section: self.section.parse().map_err(|_| broken("an unknown section"))?,
            division: self.division.unsigned_abs(),
            wanted_pairings: u32::from(self.wanted_pairings.unsigned_abs()),
            running: u32::from(self.running_pairings.unsigned_abs()),
            joined_at: self.joined_at.0,
            waiting_since: self.waiting_since.0,
            missed: u32::from(self.missed.unsigned_abs()),
            balance: self.seat_balance,
            recent: ids(&self.recent_opponents),
            opponents: ids(&self.current_opponents),
        })
    }
}

/// Inserts or updates a member's row. The ladder is locked.
pub async fn put(tx: &mut Tx, ladder: LadderId, member: &LadderMember) -> Result<()> {
    let row = Row::of(ladder, member)?;
    diesel::insert_into(ladder_members::table)
        .values(&row)
        .on_conflict((ladder_members::ladder_id, ladder_members::account_id))
        .do_update()
        .set(&row)
        .run(tx)
        .await
}

/// These members of a ladder, including former ones.
pub async fn some(conn: &mut Conn, ladder: LadderId, accounts: &[AccountId]) -> Result<Vec<LadderMember>> {
    let ids: Vec<Uuid> = accounts.iter().map(|account| account.0).collect();
    let rows: Vec<Row> = ladder_members::table
        .filter(ladder_members::ladder_id.eq(ladder.0))
        .filter(ladder_members::account_id.eq_any(ids))
        .order(ladder_members::account_id)
        .select(Row::as_select())
        .load(conn.sql())
        .await?;
    rows.into_iter().map(Row::read).collect()
}

/// A member of a ladder, even if they have left.
pub async fn find(conn: &mut Conn, ladder: LadderId, account: AccountId) -> Result<Option<LadderMember>> {
    Ok(some(conn, ladder, &[account]).await?.pop())
}

/// Every membership of an account, including former ones, by ladder.
pub async fn of_account(conn: &mut Conn, account: AccountId) -> Result<Listed<(LadderId, LadderMember)>> {
    let rows: Vec<Row> = ladder_members::table
        .filter(ladder_members::account_id.eq(account.0))
        .order(ladder_members::ladder_id)
        .select(Row::as_select())
        .load(conn.sql())
        .await?;
    let read = |row: Row| {
        let ladder = LadderId(row.ladder_id);
        (ladder, row.read().map(|member| (ladder, member)))
    };
    Listed::of("a member of a ladder can't be read; lists leave it out", rows.into_iter().map(read))
}

pub async fn is_suspended(conn: &mut Conn, account: AccountId, now: Time) -> Result<bool> {
    let suspended = accounts::table.find(account.0).filter(diesel::dsl::not(is_free(now)));
    Ok(diesel::select(diesel::dsl::exists(suspended)).get_result(conn.sql()).await?)
}

/// Condition: the account isn't suspended.
#[diesel::dsl::auto_type(no_type_alias)]
fn is_free(now: Time) -> _ {
    let is_over: diesel::dsl::LtEq<accounts::suspended_until, At> = accounts::suspended_until.le(At(now));
    accounts::suspended_at.is_null().or(is_over.is_not_distinct_from(true))
}

/// The waiting members of a ladder, in order of id; for each, whether they are marked as a program, and whether they
/// are not suspended. Deleted accounts are left out.
pub async fn waiting(conn: &mut Conn, ladder: LadderId, now: Time) -> Result<Vec<(LadderMember, bool, bool)>> {
    let rows: Vec<(Row, bool, bool)> = ladder_members::table
        .inner_join(accounts::table.on(accounts::id.eq(ladder_members::account_id)))
        .filter(ladder_members::ladder_id.eq(ladder.0))
        .filter(ladder_members::status.eq(MemberStatus::Active.into_str()))
        .filter(ladder_members::running_pairings.lt(ladder_members::wanted_pairings))
        .filter(accounts::deleted_at.is_null())
        .order(ladder_members::account_id)
        .select((Row::as_select(), accounts::bot, is_free(now)))
        .load(conn.sql())
        .await?;
    rows.into_iter().map(|(row, bot, free)| Ok((row.read()?, bot, free))).collect()
}

/// Those of one section and division, longest waiting first, at most `limit`.
pub async fn waiting_in(
    conn: &mut Conn,
    ladder: LadderId,
    (section, division): (LadderSection, u32),
    now: Time,
    limit: i64,
) -> Result<Vec<(LadderMember, bool, bool)>> {
    let rows: Vec<(Row, bool, bool)> = ladder_members::table
        .inner_join(accounts::table.on(accounts::id.eq(ladder_members::account_id)))
        .filter(ladder_members::ladder_id.eq(ladder.0))
        .filter(ladder_members::status.eq(MemberStatus::Active.into_str()))
        .filter(ladder_members::section.eq(section.into_str()))
        .filter(ladder_members::division.eq(number(division)?))
        .filter(ladder_members::running_pairings.lt(ladder_members::wanted_pairings))
        .filter(accounts::deleted_at.is_null())
        .order((ladder_members::waiting_since, ladder_members::account_id))
        .limit(limit)
        .select((Row::as_select(), accounts::bot, is_free(now)))
        .load(conn.sql())
        .await?;
    rows.into_iter().map(|(row, bot, free)| Ok((row.read()?, bot, free))).collect()
}

/// A single member, if they wait.
pub async fn waiting_one(
    conn: &mut Conn,
    ladder: LadderId,
    account: AccountId,
    now: Time,
) -> Result<Option<(LadderMember, bool, bool)>> {
    let row: Option<(Row, bool, bool)> = ladder_members::table
        .inner_join(accounts::table.on(accounts::id.eq(ladder_members::account_id)))
        .filter(ladder_members::ladder_id.eq(ladder.0))
        .filter(ladder_members::account_id.eq(account.0))
        .filter(ladder_members::running_pairings.lt(ladder_members::wanted_pairings))
        .select((Row::as_select(), accounts::bot, is_free(now)))
        .first(conn.sql())
        .await
        .optional()?;
    row.map(|(row, bot, free)| Ok((row.read()?, bot, free))).transpose()
}

/// The number of members of each of these ladders, by section and division.
pub async fn counts(conn: &mut PublicRead, ladders: &[LadderId]) -> Result<Vec<(LadderId, LadderSection, u32, u32)>> {
    let ids: Vec<Uuid> = ladders.iter().map(|ladder| ladder.0).collect();
    let rows: Vec<(Uuid, String, i32, i64)> = ladder_members::table
        .filter(ladder_members::ladder_id.eq_any(ids))
        .filter(ladder_members::status.eq(MemberStatus::Active.into_str()))
        .group_by((ladder_members::ladder_id, ladder_members::section, ladder_members::division))
        .order((ladder_members::ladder_id, ladder_members::section, ladder_members::division))
        .select((
            ladder_members::ladder_id,
            ladder_members::section,
            ladder_members::division,
            diesel::dsl::count_star(),
        ))
        .load(conn.sql())
        .await?;
    let count = |(ladder, section, division, count): (Uuid, String, i32, i64)| {
        let section = section.parse().ok()?;
        Some((LadderId(ladder), section, division.unsigned_abs(), u32::try_from(count).unwrap_or(u32::MAX)))
    };
    Ok(rows.into_iter().filter_map(count).collect())
}

/// Members still to be notified, with their divisions: after the last notified one, in order of id.
pub async fn to_notify(
    conn: &mut Conn,
    ladder: LadderId,
    behind: Option<AccountId>,
    limit: i64,
) -> Result<Vec<(AccountId, u32)>> {
    let rows: Vec<(Uuid, i32)> = ladder_members::table
        .filter(ladder_members::ladder_id.eq(ladder.0))
        .filter(ladder_members::status.ne(MemberStatus::Left.into_str()))
        .filter(ladder_members::account_id.gt(behind.map_or(Uuid::nil(), |behind| behind.0)))
        .order(ladder_members::account_id)
        .limit(limit)
        .select((ladder_members::account_id, ladder_members::division))
        .load(conn.sql())
        .await?;
    Ok(rows.into_iter().map(|(account, division)| (AccountId(account), division.unsigned_abs())).collect())
}

/// True if the ladder has members or results.
pub async fn has_begun(conn: &mut Conn, ladder: LadderId) -> Result<bool> {
    let taking_part = ladder_members::table
        .filter(ladder_members::ladder_id.eq(ladder.0))
        .filter(ladder_members::status.ne(MemberStatus::Left.into_str()));
    let played = ladder_standings::table
        .filter(ladder_standings::ladder_id.eq(ladder.0))
        .filter(ladder_standings::pairings.gt(0));
    let (taking_part, played) = (diesel::dsl::exists(taking_part), diesel::dsl::exists(played));
    Ok(diesel::select(taking_part.or(played)).get_result(conn.sql()).await?)
}
