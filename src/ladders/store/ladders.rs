//! Ladders: their terms, which never change, and the little that does. Members, standings and seasons have files of their own.

use broadside_rules::{Clock, RuleSet, Time, Variant};
use diesel::prelude::*;
use diesel::sql_types::{Timestamptz, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use serde_json::Value;
use uuid::Uuid;

use crate::db::At;
use crate::db::schema::{accounts, ladder_members, ladders};
use crate::db::{Conn, Tx};
use crate::error::{Error, Result};
use crate::ids::{AccountId, LadderId};
use crate::ladders::read::Which;
use crate::ladders::{Closed, Divisions, Form, Kind, Ladder, Season, Status, Terms};
use crate::matches::open::Agreed;
use crate::player::Player;
use crate::social::text::{Description, Title};

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = ladders, check_for_backend(diesel::pg::Pg))]
struct Row {
    id: Uuid,
    creator_id: Uuid,
    official: bool,
    title: String,
    description: Option<String>,
    format: String,
    format_terms: Option<Value>,
    variant: String,
    rule_set: Value,
    clock: Value,
    rated: bool,
    paired_games: bool,
    seats: i16,
    eligibility: String,
    min_reliability_percent: Option<i16>,
    max_pairings: i16,
    season_length_s: Option<i32>,
    division_size: Option<i32>,
    division_promotions: Option<i32>,
    created_at: At,
    season: i32,
    season_started_at: At,
    season_ends_at: Option<At>,
    check_at: Option<At>,
    revision: i32,
    below_minimum_since: Option<At>,
    closed_at: Option<At>,
    closed_reason: Option<String>,
}

/// A whole number that fits into a column because it was checked before.
pub(crate) fn number(number: u32) -> Result<i32> {
    i32::try_from(number).map_err(Error::internal)
}

/// The same for a small column.
pub(crate) fn small(number: u32) -> Result<i16> {
    i16::try_from(number).map_err(Error::internal)
}

/// Stores a new ladder, which is alone as yet.
pub async fn insert(tx: &mut Tx, ladder: &Ladder) -> Result<()> {
    let terms = &ladder.terms;
    let row = Row {
        id: ladder.id.0,
        maker_id: ladder.maker.id.0,
        official: ladder.official,
        title: terms.title.as_str().to_owned(),
        description: terms.description.as_ref().map(|text| text.as_str().to_owned()),
        form: terms.form.kind().word().to_owned(),
        form_terms: terms.form.own_terms(),
        variant: terms.agreed.variant.id.to_owned(),
        rule_set: serde_json::to_value(&terms.agreed.rules).map_err(Error::internal)?,
        clock: serde_json::to_value(terms.agreed.clock).map_err(Error::internal)?,
        rated: terms.agreed.rated,
        paired: terms.paired,
        seats: i16::from(terms.agreed.seats),
        who: terms.who.word().to_owned(),
        least_reliability_percent: terms.least_reliability_percent.map(i16::from),
        simultaneous: small(terms.simultaneous)?,
        season_s: terms.season_s.map(number).transpose()?,
        division_size: terms.divisions.map(|rule| number(rule.size)).transpose()?,
        division_movers: terms.divisions.map(|rule| number(rule.movers)).transpose()?,
        created_at: At(ladder.created_at),
        season: number(ladder.season.number)?,
        season_started_at: At(ladder.season.started_at),
        season_ends_at: ladder.season.ends_at.map(At),
        look_at: None,
        edition: 0,
        lonely_since: Some(At(ladder.created_at)),
        closed_at: None,
        closed_reason: None,
    };
    diesel::insert_into(ladders::table).values(row).execute(tx.sql()).await?;
    Ok(())
}

fn read(row: Row, maker: Player) -> Result<Ladder> {
    let broken = |what: &str| Error::internal(format!("the ladder {} has {what}", row.id));
    let variant = Variant::find(&row.variant).ok_or_else(|| broken("an unknown variant"))?;
    let kind = row.format.parse().map_err(|_| broken("an unknown form"))?;
    let divisions = row.division_size.zip(row.division_promotions);
    Ok(Ladder {
        id: LadderId(row.id),
        maker,
        official: row.official,
        terms: Terms {
            title: Title::stored(row.title.clone()),
            description: row.description.clone().map(Description::stored),
            form: Form::stored(kind, row.format_terms.as_ref()).ok_or_else(|| broken("terms that can't be read"))?,
            agreed: Agreed {
                variant,
                rules: serde_json::from_value::<RuleSet>(row.rule_set.clone()).map_err(Error::internal)?,
                clock: serde_json::from_value::<Clock>(row.clock.clone()).map_err(Error::internal)?,
                rated: row.rated,
                // What counts for a ladder is played in public.
                spectators: true,
                seats: u8::try_from(row.seats).map_err(Error::internal)?,
            },
            paired: row.paired_games,
            who: row.eligibility.parse().map_err(|_| broken("an unknown audience"))?,
            least_reliability_percent: row.min_reliability_percent.and_then(|percent| u8::try_from(percent).ok()),
            simultaneous: u32::from(row.max_pairings.unsigned_abs()),
            season_s: row.season_length_s.map(i32::unsigned_abs),
            divisions: divisions
                .map(|(size, movers)| Divisions { size: size.unsigned_abs(), movers: movers.unsigned_abs() }),
        },
        created_at: row.created_at.0,
        season: Season {
            number: row.season.unsigned_abs(),
            started_at: row.season_started_at.0,
            ends_at: row.season_ends_at.map(Time::from),
            ended_at: row.closed_at.map(Time::from),
        },
        edition: row.revision.unsigned_abs(),
        closed: row.closed_at.map(|at| Closed { at: at.0, reason: row.closed_reason.clone().unwrap_or_default() }),
    })
}

/// The rows with their makers, in their order.
async fn assemble(conn: &mut Conn, rows: Vec<Row>) -> Result<Vec<Ladder>> {
    let makers: Vec<Uuid> = rows.iter().map(|row| row.creator_id).collect();
    let makers: Vec<(Uuid, String, bool)> = accounts::table
        .filter(accounts::id.eq_any(makers))
        .select((accounts::id, accounts::username, accounts::bot))
        .load(conn.sql())
        .await?;
    let whole = |row: Row| {
        let maker = makers.iter().find(|(id, _, _)| *id == row.creator_id).cloned();
        let (id, username, bot) =
            maker.ok_or_else(|| Error::internal(format!("nobody has made the ladder {}", row.id)))?;
        read(row, Player { id: AccountId(id), username, bot })
    };
    rows.into_iter().map(whole).collect()
}

/// One ladder.
pub async fn find(conn: &mut Conn, id: LadderId) -> Result<Option<Ladder>> {
    let row = ladders::table.find(id.0).select(Row::as_select()).first(conn.sql()).await.optional()?;
    Ok(assemble(conn, row.into_iter().collect()).await?.pop())
}

/// One ladder, locked until the transaction ends.
pub async fn lock(tx: &mut Tx, id: LadderId) -> Result<Option<Ladder>> {
    let row = ladders::table.find(id.0).select(Row::as_select()).for_no_key_update();
    let row = row.first(tx.sql()).await.optional()?;
    Ok(assemble(tx, row.into_iter().collect()).await?.pop())
}

/// A page of ladders, the newest first.
pub async fn list(conn: &mut Conn, which: &Which) -> Result<Vec<Ladder>> {
    let mut query = ladders::table.select(Row::as_select()).into_boxed();
    if let Some(variant) = which.variant {
        query = query.filter(ladders::variant.eq(variant));
    }
    if let Some(form) = which.form {
        query = query.filter(ladders::format.eq(form.word()));
    }
    query = match which.open {
        Some(true) => query.filter(ladders::closed_at.is_null()),
        Some(false) => query.filter(ladders::closed_at.is_not_null()),
        None => query,
    };
    if let Some(account) = which.member {
        let his = ladder_members::table
            .filter(ladder_members::account_id.eq(account.0))
            .filter(ladder_members::status.ne(Status::Left.word()))
            .select(ladder_members::ladder_id);
        query = query.filter(ladders::id.eq_any(his));
    }
    if let Some(before) = which.before {
        query = query.filter(ladders::id.lt(before.0));
    }
    let rows = query.order(ladders::id.desc()).limit(which.limit).load(conn.sql()).await?;
    assemble(conn, rows).await
}

/// Every ladder that the account has made, for its own export.
pub async fn made_by(conn: &mut Conn, account: AccountId) -> Result<Vec<Ladder>> {
    let rows = ladders::table.filter(ladders::creator_id.eq(account.0)).order(ladders::id).select(Row::as_select());
    let rows = rows.load(conn.sql()).await?;
    assemble(conn, rows).await
}

/// How many open ladders the account has made.
pub async fn count_open(conn: &mut Conn, maker: AccountId) -> Result<i64> {
    let open = ladders::table.filter(ladders::creator_id.eq(maker.0)).filter(ladders::closed_at.is_null());
    Ok(open.count().get_result(conn.sql()).await?)
}

/// Closes a ladder.
pub async fn close(tx: &mut Tx, id: LadderId, closed: &Closed) -> Result<()> {
    diesel::update(ladders::table.find(id.0))
        .set((ladders::closed_at.eq(At(closed.at)), ladders::closed_reason.eq(closed.reason.as_str())))
        .execute(tx.sql())
        .await?;
    Ok(())
}

/// Another season is on.
pub async fn set_season(tx: &mut Tx, id: LadderId, season: &Season) -> Result<()> {
    diesel::update(ladders::table.find(id.0))
        .set((
            ladders::season.eq(number(season.number)?),
            ladders::season_started_at.eq(At(season.started_at)),
            ladders::season_ends_at.eq(season.ends_at.map(At)),
        ))
        .execute(tx.sql())
        .await?;
    Ok(())
}

/// The ladder was looked at: says when next (none: when something has changed), unless something has changed since it was at this edition.
pub async fn rest(tx: &mut Tx, id: LadderId, edition: u32, next: Option<Time>) -> Result<()> {
    let unchanged = ladders::table.find(id.0).filter(ladders::revision.eq(number(edition)?));
    diesel::update(unchanged).set(ladders::check_at.eq(next.map(At))).execute(tx.sql()).await?;
    Ok(())
}

/// Something has changed that pairing depends on: it is to be tried at once.
pub async fn look_again(tx: &mut Tx, id: LadderId, now: Time) -> Result<()> {
    diesel::update(ladders::table.find(id.0))
        .set((ladders::check_at.eq(At(now)), ladders::revision.eq(ladders::revision + 1)))
        .execute(tx.sql())
        .await?;
    Ok(())
}

/// Notes that the members have changed: since when there are fewer than two, and that pairing is to be tried.
pub async fn members_changed(tx: &mut Tx, id: LadderId, now: Time) -> Result<()> {
    let update = diesel::sql_query(
        "UPDATE ladders SET check_at = $2, revision = revision + 1, below_minimum_since = CASE WHEN (SELECT count(*) FROM (SELECT 1 FROM ladder_members \
           WHERE ladder_id = $1 AND status = 'active' LIMIT 2) AS those) < 2 THEN coalesce(below_minimum_since, $2) END WHERE id = $1",
    );
    update.bind::<SqlUuid, _>(id.0).bind::<Timestamptz, _>(At(now)).execute(tx.sql()).await?;
    Ok(())
}

/// Open ladders for which it is time: to pair, to end a season, or to be closed since nobody is there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Due {
    /// To look who can be paired.
    Look,
    /// To end the season.
    Season,
    /// To be closed: nobody has been there since the time that is given.
    Lonely,
}

/// The ladders for which it is time at `at`, behind the one that is given, in the order of their ids.
pub async fn due(conn: &mut Conn, due: Due, at: Time, behind: Option<LadderId>, limit: i64) -> Result<Vec<LadderId>> {
    let open = ladders::table
        .filter(ladders::closed_at.is_null())
        .filter(ladders::id.gt(behind.map_or(Uuid::nil(), |behind| behind.0)))
        .select(ladders::id)
        .into_boxed();
    let open = match due {
        Due::Look => open.filter(ladders::format.eq(Kind::Rating.word())).filter(ladders::check_at.le(At(at))),
        Due::Season => open.filter(ladders::season_ends_at.le(At(at))),
        Due::Lonely => open.filter(ladders::official.eq(false)).filter(ladders::below_minimum_since.le(At(at))),
    };
    let ids: Vec<Uuid> = open.order(ladders::id).limit(limit).load(conn.sql()).await?;
    Ok(ids.into_iter().map(LadderId).collect())
}

/// Since when the ladder has had fewer than two members.
pub async fn lonely_since(conn: &mut Conn, id: LadderId) -> Result<Option<Time>> {
    let since: Option<Option<At>> =
        ladders::table.find(id.0).select(ladders::below_minimum_since).first(conn.sql()).await.optional()?;
    Ok(since.flatten().map(Time::from))
}
