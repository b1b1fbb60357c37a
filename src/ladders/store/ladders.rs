//! SQL of ladders: their terms and their state. Members, standings and seasons have their own files.

use broadside_contests::divisions::Divisions;
use broadside_contests::ranking::RankingRule;
use broadside_rules::{Clock, RuleSet, Time, Variant};
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::{self, Bool, Nullable, Text};
use diesel_async::RunQueryDsl;
use serde_json::Value;
use uuid::Uuid;

use crate::accounts::store::accounts::players;
use crate::contests::Contest;
use crate::contests::access::Access;
use crate::contests::entry_limits::EntryLimits;
use crate::contests::organizers::{self, Organizer};
use crate::contests::pauses::{self, ContestPause};
use crate::contests::store::words;
use crate::db::schema::{ladder_members, ladders};
use crate::db::{At, Conn, PublicRead, Run, Tx, sql};
use crate::error::{Error, Result};
use crate::ids::{AccountId, LadderId};
use crate::ladders::read::LadderFilter;
use crate::ladders::{FormTerms, Ladder, LadderClosure, LadderFormat, LadderTerms, MemberStatus, Season};
use crate::listed::{Listed, only};
use crate::matches::open::MatchSettings;
use crate::matches::stored_hash;
use crate::player::Player;
use crate::social::text::{Description, Title};

/// Log message for an unreadable row.
const WHAT: &str = "a ladder can't be read; lists leave it out";

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = ladders, treat_none_as_null = true, check_for_backend(diesel::pg::Pg))]
struct Row {
    id: Uuid,
    creator_id: Uuid,
    official: bool,
    title: String,
    description: Option<String>,
    format: String,
    format_terms: Value,
    variant: String,
    rule_set: Value,
    clock: Value,
    rated: bool,
    paired_games: bool,
    seats: i16,
    audience: String,
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
    named_rule_set: Option<String>,
    max_meetings: Option<i16>,
    ranking: String,
    ranking_results: Option<i16>,
    entry_limits: Value,
}

/// Converts a number whose range was checked before.
pub(crate) fn number(number: u32) -> Result<i32> {
    i32::try_from(number).map_err(Error::internal)
}

/// Like [`number`], for a small column.
pub(crate) fn small(number: u32) -> Result<i16> {
    i16::try_from(number).map_err(Error::internal)
}

/// The row of a new ladder without members.
fn row_of(ladder: &Ladder) -> Result<Row> {
    let terms = &ladder.terms;
    Ok(Row {
        id: ladder.id.0,
        creator_id: ladder.creator.id.0,
        official: ladder.official,
        title: terms.title.as_str().to_owned(),
        description: terms.description.as_ref().map(|text| text.as_str().to_owned()),
        format: terms.form.kind().into_str().to_owned(),
        format_terms: terms.form.own_terms()?,
        variant: terms.agreed.variant.id.to_owned(),
        rule_set: serde_json::to_value(&terms.agreed.rules).map_err(Error::internal)?,
        clock: serde_json::to_value(terms.agreed.clock).map_err(Error::internal)?,
        rated: terms.agreed.rated,
        paired_games: terms.paired,
        seats: i16::from(terms.agreed.seats),
        audience: terms.audience.into_str().to_owned(),
        max_pairings: small(terms.max_pairings)?,
        season_length_s: terms.season_s.map(number).transpose()?,
        division_size: terms.divisions.map(|rule| number(rule.size)).transpose()?,
        division_promotions: terms.divisions.map(|rule| number(rule.movers)).transpose()?,
        created_at: At(ladder.created_at),
        season: number(ladder.season.number)?,
        season_started_at: At(ladder.season.started_at),
        season_ends_at: ladder.season.ends_at.map(At),
        check_at: None,
        revision: 0,
        below_minimum_since: Some(At(ladder.created_at)),
        closed_at: None,
        closed_reason: None,
        named_rule_set: terms.agreed.named.map(|named| named.to_string()),
        max_meetings: terms.max_meetings.map(small).transpose()?,
        ranking: terms.ranking.by.word().to_owned(),
        ranking_results: Some(small(terms.ranking.results)?).filter(|results| *results > 0),
        entry_limits: terms.access.beside(terms.limits.own_terms()?),
    })
}

/// Stores a new ladder without members.
pub async fn insert(tx: &mut Tx, ladder: &Ladder) -> Result<()> {
    diesel::insert_into(ladders::table).values(row_of(ladder)?).run(tx).await?;
    set_words(tx, ladder).await
}

async fn set_words(tx: &mut Tx, ladder: &Ladder) -> Result<()> {
    let LadderTerms { title, description, .. } = &ladder.terms;
    words::set(tx, Contest::Ladder(ladder.id), title, description.as_ref()).await
}

/// Stores new terms of a locked open ladder, and the resulting end of its season.
pub async fn set_terms(tx: &mut Tx, ladder: &Ladder) -> Result<()> {
    let stored: Row = ladders::table.find(ladder.id.0).select(Row::as_select()).first(tx.sql()).await?;
    let Row { check_at, revision, below_minimum_since, closed_at, closed_reason, .. } = stored;
    let row = Row { check_at, revision, below_minimum_since, closed_at, closed_reason, ..row_of(ladder)? };
    diesel::update(ladders::table.find(ladder.id.0)).set(row).run(tx).await?;
    set_words(tx, ladder).await
}

fn read(row: Row, creator: Player, organizers: Vec<Organizer>, pause: Option<ContestPause>) -> Result<Ladder> {
    let broken = |what: &str| Error::internal(format!("the ladder {} has {what}", row.id));
    let variant = Variant::find(&row.variant).ok_or_else(|| broken("an unknown variant"))?;
    let kind = row.format.parse().map_err(|_| broken("an unknown form"))?;
    let divisions = row.division_size.zip(row.division_promotions);
    Ok(Ladder {
        id: LadderId(row.id),
        creator,
        organizers,
        official: row.official,
        terms: LadderTerms {
            title: Title::stored(row.title.clone()),
            description: row.description.clone().map(Description::stored),
            form: FormTerms::stored(kind, row.format_terms.clone())?,
            agreed: MatchSettings {
                variant,
                rules: serde_json::from_value::<RuleSet>(row.rule_set.clone()).map_err(Error::internal)?,
                named: stored_hash(row.named_rule_set.as_deref())?,
                clock: serde_json::from_value::<Clock>(row.clock.clone()).map_err(Error::internal)?,
                rated: row.rated,
                // Matches that count for a ladder are public.
                spectators: true,
                seats: u8::try_from(row.seats).map_err(Error::internal)?,
            },
            paired: row.paired_games,
            audience: row.audience.parse().map_err(|_| broken("an unknown audience"))?,
            limits: EntryLimits::stored(&row.entry_limits)?,
            access: Access::stored(&row.entry_limits)?,
            max_pairings: u32::from(row.max_pairings.unsigned_abs()),
            season_s: row.season_length_s.map(i32::unsigned_abs),
            divisions: divisions
                .map(|(size, movers)| Divisions { size: size.unsigned_abs(), movers: movers.unsigned_abs() }),
            max_meetings: row.max_meetings.map(|most| u32::from(most.unsigned_abs())),
            ranking: RankingRule {
                by: row.ranking.parse().map_err(|_| broken("an unknown ranking"))?,
                results: u32::from(row.ranking_results.unwrap_or_default().unsigned_abs()),
            },
        },
        created_at: row.created_at.0,
        season: Season {
            number: row.season.unsigned_abs(),
            started_at: row.season_started_at.0,
            ends_at: row.season_ends_at.map(Time::from),
            ended_at: row.closed_at.map(Time::from),
        },
        edition: row.revision.unsigned_abs(),
        pause,
        closed: row.closed_at.map(|at| LadderClosure { at: at.0, reason: row.closed_reason.clone() }),
    })
}

/// The rows with their creators, in order.
async fn assemble(conn: &mut PublicRead, rows: Vec<Row>) -> Result<Vec<(Uuid, Result<Ladder>)>> {
    let creators: Vec<Uuid> = rows.iter().map(|row| row.creator_id).collect();
    let creators = players(conn, &creators).await?;
    let ids: Vec<Uuid> = rows.iter().map(|row| row.id).collect();
    let mut organizers = organizers::of(conn, &ids).await?;
    let mut paused = pauses::on(conn, &ids).await?;
    let mut whole = |row: Row| {
        let creator = creators.get(&row.creator_id).cloned();
        let nobody = || Error::internal(format!("nobody has made the ladder {}", row.id));
        let creator = creator.ok_or_else(nobody)?;
        let beside = organizers.remove(&row.id).unwrap_or_default();
        let pause = paused.remove(&row.id).transpose()?;
        read(row, creator, beside, pause)
    };
    Ok(rows.into_iter().map(|row| (row.id, whole(row))).collect())
}

pub async fn find(conn: &mut PublicRead, id: LadderId) -> Result<Option<Ladder>> {
    let row = ladders::table.find(id.0).select(Row::as_select()).first(conn.sql()).await.optional()?;
    only(assemble(conn, row.into_iter().collect()).await?)
}

pub async fn lock(tx: &mut Tx, id: LadderId) -> Result<Option<Ladder>> {
    let row = ladders::table.find(id.0).select(Row::as_select()).for_no_key_update();
    let row = row.first(tx.sql()).await.optional()?;
    only(assemble(tx, row.into_iter().collect()).await?)
}

/// SQL condition: the viewer organizes a private ladder or takes part in it. The viewer's parameter goes between the
/// parts.
const SEEN_BY: [&str; 2] = [
    "(entry_limits ->> 'visibility' IS DISTINCT FROM 'private' OR EXISTS (SELECT FROM (SELECT ",
    "::uuid AS id) AS viewer WHERE viewer.id = ladders.creator_id \
       OR EXISTS (SELECT FROM contest_organizers AS o WHERE o.contest_id = ladders.id AND o.account_id = viewer.id) \
       OR EXISTS (SELECT FROM ladder_members AS m WHERE m.ladder_id = ladders.id AND m.account_id = viewer.id \
         AND m.status <> 'left')))",
];

/// A page of ladders, newest first.
pub async fn list(conn: &mut PublicRead, filter: &LadderFilter) -> Result<Listed<Ladder>> {
    let mut query = ladders::table.select(Row::as_select()).into_boxed();
    if let Some(variant) = filter.variant {
        query = query.filter(ladders::variant.eq(variant));
    }
    if let Some(named) = &filter.named {
        query = query.filter(ladders::named_rule_set.eq(named.as_str()));
    }
    if let Some(form) = filter.form {
        query = query.filter(ladders::format.eq(form.into_str()));
    }
    if let Some(search) = &filter.search {
        let [before, behind] = words::FOUND;
        query = query.filter(sql::<Bool>(before).bind::<Text, _>(search.as_str()).sql(behind));
    }
    query = match filter.open {
        Some(true) => query.filter(ladders::closed_at.is_null()),
        Some(false) => query.filter(ladders::closed_at.is_not_null()),
        None => query,
    };
    if let Some(account) = filter.member {
        let own = ladder_members::table
            .filter(ladder_members::account_id.eq(account.0))
            .filter(ladder_members::status.ne(MemberStatus::Left.into_str()))
            .select(ladder_members::ladder_id);
        query = query.filter(ladders::id.eq_any(own));
    }
    if let Some(before) = filter.before {
        query = query.filter(ladders::id.lt(before.0));
    }
    let [before_viewer, behind_viewer] = SEEN_BY;
    let viewer = filter.viewer.map(|viewer| viewer.0);
    query = query.filter(sql::<Bool>(before_viewer).bind::<Nullable<sql_types::Uuid>, _>(viewer).sql(behind_viewer));
    let rows = query.order(ladders::id.desc()).limit(filter.limit).load(conn.sql()).await?;
    Listed::of(WHAT, assemble(conn, rows).await?)
}

/// Every ladder created by the account, for its own export.
pub async fn made_by(conn: &mut Conn, account: AccountId) -> Result<Listed<Ladder>> {
    let rows = ladders::table.filter(ladders::creator_id.eq(account.0)).order(ladders::id).select(Row::as_select());
    let rows = rows.load(conn.sql()).await?;
    Listed::of(WHAT, assemble(conn, rows).await?)
}

/// Every ladder after the given one, in order of id.
pub async fn all(conn: &mut Conn, behind: Option<LadderId>, limit: i64) -> Result<Vec<LadderId>> {
    let after = ladders::id.gt(behind.map_or(Uuid::nil(), |behind| behind.0));
    let ids: Vec<Uuid> =
        ladders::table.filter(after).order(ladders::id).limit(limit).select(ladders::id).load(conn.sql()).await?;
    Ok(ids.into_iter().map(LadderId).collect())
}

/// Marks a ladder as closed, with the reason.
pub async fn close(tx: &mut Tx, id: LadderId, closed: &LadderClosure) -> Result<()> {
    diesel::update(ladders::table.find(id.0))
        .set((ladders::closed_at.eq(At(closed.at)), ladders::closed_reason.eq(closed.reason.as_deref())))
        .run(tx)
        .await
}

/// Replaces the current season.
pub async fn set_season(tx: &mut Tx, id: LadderId, season: &Season) -> Result<()> {
    diesel::update(ladders::table.find(id.0))
        .set((
            ladders::season.eq(number(season.number)?),
            ladders::season_started_at.eq(At(season.started_at)),
            ladders::season_ends_at.eq(season.ends_at.map(At)),
        ))
        .run(tx)
        .await
}

/// Schedules the next matchmaking (`None`: at the ladder's next change), unless the ladder has changed since it was
/// read with this edition.
pub async fn schedule_matchmaking(tx: &mut Tx, id: LadderId, edition: u32, next: Option<Time>) -> Result<()> {
    let unchanged = ladders::table.find(id.0).filter(ladders::revision.eq(number(edition)?));
    diesel::update(unchanged).set(ladders::check_at.eq(next.map(At))).run(tx).await
}

/// Makes matchmaking due immediately, because its basis has changed.
pub async fn request_matchmaking(tx: &mut Tx, id: LadderId, now: Time) -> Result<()> {
    diesel::update(ladders::table.find(id.0))
        .set((ladders::check_at.eq(At(now)), ladders::revision.eq(ladders::revision + 1)))
        .run(tx)
        .await
}

/// Records that the members have changed: matchmaking is due, and a ladder with fewer than two members counts as
/// deserted from now on.
pub async fn members_changed(tx: &mut Tx, id: LadderId, now: Time) -> Result<()> {
    let update = "UPDATE ladders SET check_at = $2, revision = revision + 1, below_minimum_since = CASE WHEN (SELECT count(*) FROM (SELECT 1 FROM ladder_members \
           WHERE ladder_id = $1 AND status = 'active' LIMIT 2) AS those) < 2 THEN coalesce(below_minimum_since, $2) END WHERE id = $1";
    sql!(update, id.0, At(now)).run(tx).await
}

/// The kinds of due work on an open ladder.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DueFor {
    Matchmaking,
    Season,
    /// Closing: there have been fewer than two members since the given time.
    Deserted,
}

/// SQL condition: the ladder isn't paused.
const GOES_ON: &str = "NOT EXISTS (SELECT FROM contest_pauses AS p WHERE p.contest_id = ladders.id AND NOT p.is_over)";

/// The ladders with work due at `at`, after the given one, in order of id.
pub async fn due(
    conn: &mut Conn,
    due: DueFor,
    at: Time,
    behind: Option<LadderId>,
    limit: i64,
) -> Result<Vec<LadderId>> {
    let open = ladders::table
        .filter(ladders::closed_at.is_null())
        .filter(ladders::id.gt(behind.map_or(Uuid::nil(), |behind| behind.0)))
        .filter(sql::<Bool>(GOES_ON))
        .select(ladders::id)
        .into_boxed();
    let open = match due {
        DueFor::Matchmaking => {
            open.filter(ladders::format.eq(LadderFormat::Rating.into_str())).filter(ladders::check_at.le(At(at)))
        }
        DueFor::Season => open.filter(ladders::season_ends_at.le(At(at))),
        DueFor::Deserted => open.filter(ladders::official.eq(false)).filter(ladders::below_minimum_since.le(At(at))),
    };
    let ids: Vec<Uuid> = open.order(ladders::id).limit(limit).load(conn.sql()).await?;
    Ok(ids.into_iter().map(LadderId).collect())
}

/// The time since when the ladder has had fewer than two members.
pub async fn below_minimum_since(conn: &mut Conn, id: LadderId) -> Result<Option<Time>> {
    let since: Option<Option<At>> =
        ladders::table.find(id.0).select(ladders::below_minimum_since).first(conn.sql()).await.optional()?;
    Ok(since.flatten().map(Time::from))
}
