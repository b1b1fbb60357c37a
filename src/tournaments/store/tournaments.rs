//! SQL of tournaments: terms and progress. (Their players: [`super::players`]; their rounds: [`super::boards`].)

use std::collections::HashMap;

use broadside_contests::{Form, groups, knockout};
use broadside_rules::{Clock, RuleSet, Time, Variant};
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::{self, Bool, Nullable, Text, Timestamptz};
use diesel_async::RunQueryDsl;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use crate::accounts::store::accounts::players;
use crate::contests::Contest;
use crate::contests::access::Access;
use crate::contests::entry_limits::EntryLimits;
use crate::contests::organizers::{self, Organizer};
use crate::contests::pauses::{self, ContestPause};
use crate::contests::store::words;
use crate::db::schema::{tournament_players, tournaments};
use crate::db::{At, Conn, PublicRead, Run, Tx};
use crate::error::{Error, Result};
use crate::ids::{AccountId, TournamentId};
use crate::listed::{Listed, only};
use crate::matches::open::MatchSettings;
use crate::matches::stored_hash;
use crate::player::Player;
use crate::social::text::{Description, Title};
use crate::tournaments::read::TournamentFilter;
use crate::tournaments::review::WaitingRound;
use crate::tournaments::round_terms::RoundTerms;
use crate::tournaments::{Tournament, TournamentStatus, TournamentTerms};

/// Log message for an unreadable row.
const WHAT: &str = "a tournament can't be read; lists leave it out";

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = tournaments, treat_none_as_null = true, check_for_backend(diesel::pg::Pg))]
struct Row {
    id: Uuid,
    creator_id: Uuid,
    title: String,
    description: Option<String>,
    format: String,
    variant: String,
    rule_set: Value,
    clock: Value,
    rated: bool,
    paired_games: bool,
    rounds: Option<i16>,
    audience: String,
    min_players: i16,
    max_players: i16,
    registration_ends_at: Option<At>,
    starts_at: Option<At>,
    start_due_at: At,
    status: String,
    round: i16,
    players: i16,
    boards_left: i16,
    chance_seed: Vec<u8>,
    reason: Option<String>,
    created_at: At,
    started_at: Option<At>,
    ended_at: Option<At>,
    named_rule_set: Option<String>,
    format_terms: Value,
    entry_limits: Value,
}

/// Terms stored as JSON instead of in their own columns: those specific to one form, and the time of a round.
#[derive(Serialize, Deserialize, Default)]
#[serde(default)]
struct FormTerms {
    double_round_robin: bool,
    all_rounds_at_once: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    round_time_s: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at_deadline: Option<String>,
    knockout: Option<knockout::Terms>,
    #[serde(skip_serializing_if = "Option::is_none")]
    groups: Option<groups::Terms>,
    /// At tables: the largest number of seats.
    #[serde(skip_serializing_if = "Option::is_none")]
    seats: Option<u8>,
    #[serde(flatten)]
    rounds: RoundTerms,
}

/// Converts a number of players, rounds or boards for storage: all of them are below 32768.
pub(crate) fn small(number: u16) -> i16 {
    i16::try_from(number).unwrap_or(i16::MAX)
}

/// The inverse of [`small`].
pub(crate) fn number(small: i16) -> u16 {
    small.unsigned_abs()
}

impl Row {
    fn of(tournament: &Tournament) -> Result<Self> {
        let terms = &tournament.terms;
        let form_terms = FormTerms {
            double_round_robin: terms.double_round_robin,
            all_rounds_at_once: terms.all_rounds_at_once,
            round_time_s: terms.round_time_s,
            at_deadline: terms.at_deadline.map(|then| then.into_str().to_owned()),
            knockout: terms.knockout,
            groups: terms.groups,
            seats: Some(terms.agreed.seats).filter(|_| terms.form == Form::Tables),
            rounds: terms.round_terms,
        };
        Ok(Self {
            id: tournament.id.0,
            creator_id: tournament.creator.id.0,
            title: terms.title.as_str().to_owned(),
            description: terms.description.as_ref().map(|text| text.as_str().to_owned()),
            format: terms.form.word().to_owned(),
            variant: terms.agreed.variant.id.to_owned(),
            rule_set: serde_json::to_value(&terms.agreed.rules).map_err(Error::internal)?,
            clock: serde_json::to_value(terms.agreed.clock).map_err(Error::internal)?,
            rated: terms.agreed.rated,
            paired_games: terms.paired,
            rounds: tournament.rounds.map(small),
            audience: terms.audience.into_str().to_owned(),
            min_players: small(terms.min_players),
            max_players: small(terms.max_players),
            registration_ends_at: terms.registration_ends_at.map(At),
            starts_at: terms.starts_at.map(At),
            start_due_at: At(tournament.begins_at),
            status: tournament.status.into_str().to_owned(),
            round: small(tournament.round),
            players: small(tournament.players),
            boards_left: small(tournament.games_left),
            chance_seed: tournament.chance.to_vec(),
            reason: tournament.reason.clone(),
            created_at: At(tournament.created_at),
            started_at: tournament.started_at.map(At),
            ended_at: tournament.ended_at.map(At),
            named_rule_set: terms.agreed.named.map(|named| named.to_string()),
            format_terms: serde_json::to_value(form_terms).map_err(Error::internal)?,
            entry_limits: terms.access.beside(terms.limits.own_terms()?),
        })
    }

    fn read(
        self,
        people: &HashMap<Uuid, Player>,
        organizers: Vec<Organizer>,
        (pause, draft): (Option<ContestPause>, Option<WaitingRound>),
    ) -> Result<Tournament> {
        let broken = |what: &str| Error::internal(format!("the tournament {} has {what}", self.id));
        let creator = people.get(&self.creator_id).cloned().ok_or_else(|| broken("an unknown creator"))?;
        let rounds = self.rounds.map(number);
        let form = self.format.parse().map_err(|_| broken("an unknown form"))?;
        let own: FormTerms = serde_json::from_value(self.format_terms.clone()).map_err(Error::internal)?;
        let at_deadline = own.at_deadline.map(|then| then.parse().map_err(|_| broken("an unknown rule for deadlines")));
        let at_deadline = at_deadline.transpose()?;
        let terms = TournamentTerms {
            title: Title::stored(self.title.clone()),
            description: self.description.clone().map(Description::stored),
            form,
            agreed: MatchSettings {
                variant: Variant::find(&self.variant).ok_or_else(|| broken("an unknown variant"))?,
                rules: serde_json::from_value::<RuleSet>(self.rule_set.clone()).map_err(Error::internal)?,
                named: stored_hash(self.named_rule_set.as_deref())?,
                clock: serde_json::from_value::<Clock>(self.clock.clone()).map_err(Error::internal)?,
                rated: self.rated,
                spectators: true,
                seats: own.seats.unwrap_or(2),
            },
            paired: self.paired_games,
            double_round_robin: own.double_round_robin,
            all_rounds_at_once: own.all_rounds_at_once,
            rounds: rounds.filter(|_| matches!(form, Form::Swiss | Form::Tables)),
            knockout: own.knockout,
            round_terms: own.rounds,
            groups: own.groups,
            round_time_s: own.round_time_s,
            at_deadline,
            audience: self.audience.parse().map_err(|_| broken("unknown players"))?,
            limits: EntryLimits::stored(&self.entry_limits)?,
            access: Access::stored(&self.entry_limits)?,
            min_players: number(self.min_players),
            max_players: number(self.max_players),
            registration_ends_at: self.registration_ends_at.map(Time::from),
            starts_at: self.starts_at.map(Time::from),
        };
        Ok(Tournament {
            id: TournamentId(self.id),
            creator,
            organizers,
            pause,
            draft,
            terms,
            status: self.status.parse().map_err(|_| broken("an unknown status"))?,
            round: number(self.round),
            rounds,
            players: number(self.players),
            games_left: number(self.boards_left),
            chance: self.chance_seed.as_slice().try_into().map_err(|_| broken("a seed of the wrong length"))?,
            reason: self.reason.clone(),
            begins_at: self.start_due_at.0,
            created_at: self.created_at.0,
            started_at: self.started_at.map(Time::from),
            ended_at: self.ended_at.map(Time::from),
        })
    }
}

pub async fn insert(tx: &mut Tx, tournament: &Tournament) -> Result<()> {
    diesel::insert_into(tournaments::table).values(Row::of(tournament)?).run(tx).await?;
    set_words(tx, tournament).await
}

async fn set_words(tx: &mut Tx, tournament: &Tournament) -> Result<()> {
    let TournamentTerms { title, description, .. } = &tournament.terms;
    words::set(tx, Contest::Tournament(tournament.id), title, description.as_ref()).await
}

/// Stores new terms of a locked tournament.
pub async fn set_terms(tx: &mut Tx, tournament: &Tournament) -> Result<()> {
    diesel::update(tournaments::table.find(tournament.id.0)).set(Row::of(tournament)?).run(tx).await?;
    set_words(tx, tournament).await
}

/// Stores its progress.
pub async fn save(tx: &mut Tx, tournament: &Tournament) -> Result<()> {
    diesel::update(tournaments::table.find(tournament.id.0))
        .set((
            tournaments::status.eq(tournament.status.into_str()),
            tournaments::round.eq(small(tournament.round)),
            tournaments::rounds.eq(tournament.rounds.map(small)),
            tournaments::players.eq(small(tournament.players)),
            tournaments::boards_left.eq(small(tournament.games_left)),
            tournaments::start_due_at.eq(At(tournament.begins_at)),
            tournaments::reason.eq(tournament.reason.clone()),
            tournaments::started_at.eq(tournament.started_at.map(At)),
            tournaments::ended_at.eq(tournament.ended_at.map(At)),
        ))
        .run(tx)
        .await
}

pub async fn find(conn: &mut PublicRead, id: TournamentId) -> Result<Option<Tournament>> {
    let row = tournaments::table.find(id.0).select(Row::as_select()).first(conn.sql()).await.optional()?;
    only(assemble(conn, row.into_iter().collect()).await?)
}

pub async fn lock(tx: &mut Tx, id: TournamentId) -> Result<Option<Tournament>> {
    let row = tournaments::table.find(id.0).select(Row::as_select()).for_no_key_update();
    let row = row.first(tx.sql()).await.optional()?;
    only(assemble(tx, row.into_iter().collect()).await?)
}

/// The planned or actual start; the index has the same expression.
const STARTS: &str = "coalesce(started_at, starts_at)";

/// SQL condition: the viewer organizes a private tournament, or plays in it and isn't barred. The viewer's parameter
/// goes between the parts.
const SEEN_BY: [&str; 2] = [
    "(entry_limits ->> 'visibility' IS DISTINCT FROM 'private' OR EXISTS (SELECT FROM (SELECT ",
    "::uuid AS id) AS viewer WHERE viewer.id = tournaments.creator_id \
       OR EXISTS (SELECT FROM contest_organizers AS o WHERE o.contest_id = tournaments.id AND o.account_id = viewer.id) \
       OR EXISTS (SELECT FROM tournament_players AS p WHERE p.tournament_id = tournaments.id \
         AND p.account_id = viewer.id AND NOT EXISTS (SELECT FROM contest_bars AS b \
           WHERE b.contest_id = tournaments.id AND b.account_id = viewer.id))))",
];

/// A page of tournaments, newest first.
pub async fn list(conn: &mut PublicRead, filter: &TournamentFilter) -> Result<Listed<Tournament>> {
    let mut query = tournaments::table.select(Row::as_select()).into_boxed();
    if let Some(status) = filter.status {
        query = query.filter(tournaments::status.eq(status.into_str()));
    }
    if let Some(form) = filter.form {
        query = query.filter(tournaments::format.eq(form.word()));
    }
    if let Some(variant) = filter.variant {
        query = query.filter(tournaments::variant.eq(variant));
    }
    if let Some(named) = &filter.named {
        query = query.filter(tournaments::named_rule_set.eq(named.as_str()));
    }
    if let Some(player) = filter.player {
        let own = tournament_players::table
            .filter(tournament_players::account_id.eq(player.0))
            .select(tournament_players::tournament_id);
        query = query.filter(tournaments::id.eq_any(own));
    }
    if let Some(search) = &filter.search {
        let [before, behind] = words::FOUND;
        query = query.filter(sql::<Bool>(before).bind::<Text, _>(search.as_str()).sql(behind));
    }
    if let Some(from) = filter.starts_from {
        query = query.filter(sql::<Bool>(STARTS).sql(" >= ").bind::<Timestamptz, _>(At(from)));
    }
    if let Some(until) = filter.starts_until {
        query = query.filter(sql::<Bool>(STARTS).sql(" < ").bind::<Timestamptz, _>(At(until)));
    }
    if let Some(before) = filter.before {
        query = query.filter(tournaments::id.lt(before.0));
    }
    let [before_viewer, behind_viewer] = SEEN_BY;
    let viewer = filter.viewer.map(|viewer| viewer.0);
    query = query.filter(sql::<Bool>(before_viewer).bind::<Nullable<sql_types::Uuid>, _>(viewer).sql(behind_viewer));
    let rows = query.order(tournaments::id.desc()).limit(filter.limit).load(conn.sql()).await?;
    Listed::of(WHAT, assemble(conn, rows).await?)
}

/// Every tournament created by the account, for its own export.
pub async fn all_made_by(conn: &mut Conn, account: AccountId) -> Result<Listed<Tournament>> {
    let made = tournaments::table.filter(tournaments::creator_id.eq(account.0)).order(tournaments::id);
    let rows = made.select(Row::as_select()).load(conn.sql()).await?;
    Listed::of(WHAT, assemble(conn, rows).await?)
}

async fn assemble(conn: &mut PublicRead, rows: Vec<Row>) -> Result<Vec<(Uuid, Result<Tournament>)>> {
    let creators: Vec<Uuid> = rows.iter().map(|row| row.creator_id).collect();
    let people = players(conn, &creators).await?;
    let ids: Vec<Uuid> = rows.iter().map(|row| row.id).collect();
    let mut beside = organizers::of(conn, &ids).await?;
    let mut paused = pauses::on(conn, &ids).await?;
    let mut drafts = super::drafts::waiting(conn, &ids).await?;
    let mut whole = |row: Row| {
        let organizers = beside.remove(&row.id).unwrap_or_default();
        let now = (paused.remove(&row.id).transpose()?, drafts.remove(&row.id));
        row.read(&people, organizers, now)
    };
    Ok(rows.into_iter().map(|row| (row.id, whole(row))).collect())
}

const UNENDED: [&str; 2] = ["open", "running"];

/// The unfinished tournaments in which the account plays, in order of id.
pub async fn playing(conn: &mut Conn, account: AccountId) -> Result<Vec<TournamentId>> {
    let ids: Vec<Uuid> = tournament_players::table
        .inner_join(tournaments::table.on(tournaments::id.eq(tournament_players::tournament_id)))
        .filter(tournament_players::account_id.eq(account.0))
        .filter(tournament_players::withdrawn_at.is_null())
        .filter(tournaments::status.eq_any(UNENDED))
        .order(tournaments::id)
        .select(tournaments::id)
        .load(conn.sql())
        .await?;
    Ok(ids.into_iter().map(TournamentId).collect())
}

/// Tournaments that have started, in any state, after the given one, in order of id.
pub async fn started(conn: &mut Conn, behind: Option<TournamentId>, limit: i64) -> Result<Vec<TournamentId>> {
    let mut all = tournaments::table.filter(tournaments::started_at.is_not_null()).select(tournaments::id).into_boxed();
    if let Some(behind) = behind {
        all = all.filter(tournaments::id.gt(behind.0));
    }
    let ids: Vec<Uuid> = all.order(tournaments::id).limit(limit).load(conn.sql()).await?;
    Ok(ids.into_iter().map(TournamentId).collect())
}

/// SQL condition: the tournament isn't paused.
const GOES_ON: &str =
    "NOT EXISTS (SELECT FROM contest_pauses AS p WHERE p.contest_id = tournaments.id AND NOT p.is_over)";

/// Tournaments due to start, or to be canceled, at `now`, after the given one, in order of id.
pub async fn to_begin(
    conn: &mut Conn,
    now: Time,
    behind: Option<TournamentId>,
    limit: i64,
) -> Result<Vec<TournamentId>> {
    let mut due = tournaments::table
        .filter(tournaments::status.eq(TournamentStatus::Open.into_str()))
        .filter(tournaments::start_due_at.le(At(now)))
        .filter(sql::<Bool>(GOES_ON))
        .select(tournaments::id)
        .into_boxed();
    if let Some(behind) = behind {
        due = due.filter(tournaments::id.gt(behind.0));
    }
    let ids: Vec<Uuid> = due.order(tournaments::id).limit(limit).load(conn.sql()).await?;
    Ok(ids.into_iter().map(TournamentId).collect())
}

/// Tournaments whose round is over, after the given one, in order of id.
pub async fn to_advance(conn: &mut Conn, behind: Option<TournamentId>, limit: i64) -> Result<Vec<TournamentId>> {
    let mut due = tournaments::table
        .filter(tournaments::status.eq(TournamentStatus::Running.into_str()))
        .filter(tournaments::boards_left.eq(0))
        .filter(sql::<Bool>(GOES_ON))
        .select(tournaments::id)
        .into_boxed();
    if let Some(behind) = behind {
        due = due.filter(tournaments::id.gt(behind.0));
    }
    let ids: Vec<Uuid> = due.order(tournaments::id).limit(limit).load(conn.sql()).await?;
    Ok(ids.into_iter().map(TournamentId).collect())
}
