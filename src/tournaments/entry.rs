//! Tournaments are made and cancelled, joined and left; and who may.
//!
//! Whoever joins is checked by the same list of obstacles that a reader is shown, once more and under the lock of the tournament.

use broadside_rules::{Fault, Time};
use serde_json::json;

use super::terms::AHEAD_S;
use super::{Entrant, Status, Terms, Tournament, Who, Why, rounds};
use crate::accounts::roles::{self, Actor, Role};
use crate::accounts::{Identity, account};
use crate::audit_log::{self, About, Deed, Kind, Reason};
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::error::{self, Error, Result, problem};
use crate::events::kinds::TournamentCancelledEvent;
use crate::events::{self, Notification};
use crate::ids::{AccountId, TournamentId};
use crate::matches::queries;
use crate::ratings::algorithm::FIRST_RATING;
use crate::ratings::read::shown;
use crate::tournaments::store;

/// How many tournaments that are not over an account may have made.
pub const MADE_AT_MOST: i64 = 3;
/// The same for somebody with the role of an organizer.
pub const MADE_BY_ORGANIZER_AT_MOST: i64 = 50;
/// In how many that are not over it may play.
pub const PLAYED_AT_MOST: usize = 20;

/// Makes a tournament; its maker doesn't play in it unless he joins.
pub async fn make(tx: &mut Tx, ctx: &Context, who: &Identity, terms: Terms) -> Result<Tournament> {
    account::hold(tx, ctx, who.account).await?;
    let most = if is_organizer(tx, who).await? { MADE_BY_ORGANIZER_AT_MOST } else { MADE_AT_MOST };
    if store::tournaments::count_made(tx, who.account).await? >= most {
        let detail = format!("This account may have made {most} tournaments that are not over.");
        return Err(Error::new(&problem::TOO_MANY_OPEN, detail));
    }
    let now = ctx.clock.now();
    let tournament = Tournament {
        id: ctx.new_id(),
        maker: who.player(),
        rounds: terms.rounds,
        begins_at: terms.starts_at.unwrap_or(now.plus_s(AHEAD_S)),
        terms,
        status: Status::Open,
        round: 0,
        players: 0,
        games_left: 0,
        chance: ctx.random(),
        reason: None,
        created_at: now,
        started_at: None,
        ended_at: None,
    };
    store::tournaments::insert(tx, &tournament).await?;
    Ok(tournament)
}

/// Why somebody can't join, in a word for programs and in words for people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Obstacle {
    /// What it is.
    pub code: &'static str,
    /// The same for people, with the figures.
    pub detail: String,
}

fn obstacle(code: &'static str, detail: impl Into<String>) -> Obstacle {
    Obstacle { code, detail: detail.into() }
}

/// Everything that keeps somebody from joining now; nothing: he may.
pub async fn obstacles(
    conn: &mut Conn,
    ctx: &Context,
    tournament: &Tournament,
    who: &Identity,
) -> Result<Vec<Obstacle>> {
    let terms = &tournament.terms;
    let mut all = Vec::new();
    if !tournament.takes_players_at(ctx.clock.now()) {
        all.push(obstacle("registration-over", "Nobody can join any more."));
    } else if tournament.players >= terms.most_players {
        all.push(obstacle("tournament-full", format!("It has {} players, and takes no more.", tournament.players)));
    }
    if !store::players::suspended(conn, &[who.account], ctx.clock.now()).await?.is_empty() {
        all.push(obstacle("account-suspended", "Your account is suspended."));
    }
    if !terms.who.admits(who.bot) {
        all.push(match terms.who {
            Who::Bots => obstacle("bots-only", "It is for programs only."),
            _ => obstacle("humans-only", "It is for people only."),
        });
    }
    let playing = store::tournaments::playing(conn, who.account).await?;
    if playing.contains(&tournament.id) {
        all.push(obstacle("already-joined", "You have joined already."));
    } else if playing.len() >= PLAYED_AT_MOST {
        let detail = format!("An account may play in {PLAYED_AT_MOST} tournaments that are not over.");
        all.push(obstacle("too-many-tournaments", detail));
    }
    if let Some(least) = terms.least_reliability_percent {
        let percent = queries::tally(conn, who.account).await?.reliability_percent();
        if let Some(percent) = percent.filter(|percent| *percent < least) {
            let detail = format!("It asks for a reliability of {least} percent at least; yours is {percent}.");
            all.push(obstacle("not-reliable-enough", detail));
        }
    }
    all.extend(obstacle_of_rating(conn, terms, who.account).await?);
    Ok(all)
}

/// Who has no rating counts as one who begins with the first one.
async fn obstacle_of_rating(conn: &mut Conn, terms: &Terms, account: AccountId) -> Result<Option<Obstacle>> {
    let (least, most) = (terms.least_rating, terms.most_rating);
    let Some(pool) = terms.pool().filter(|_| least.is_some() || most.is_some()) else { return Ok(None) };
    let rating = shown(conn, &[(account, pool)]).await?.pop().flatten().unwrap_or(FIRST_RATING as i32);
    if let Some(least) = least.filter(|least| rating < *least) {
        let detail = format!("It asks for a rating of {least} at least in the pool {pool}; yours is {rating}.");
        return Ok(Some(obstacle("rating-too-low", detail)));
    }
    let Some(most) = most.filter(|most| rating > *most) else { return Ok(None) };
    let detail = format!("It asks for a rating of {most} at most in the pool {pool}; yours is {rating}.");
    Ok(Some(obstacle("rating-too-high", detail)))
}

/// Somebody joins; `not-eligible` with every obstacle. With the last place the tournament is due to start.
pub async fn join(tx: &mut Tx, ctx: &Context, who: &Identity, id: TournamentId) -> Result<Tournament> {
    account::hold(tx, ctx, who.account).await?;
    let mut tournament = locked(tx, id).await?;
    let obstacles = obstacles(tx, ctx, &tournament, who).await?;
    if !obstacles.is_empty() {
        let fault = |found: Obstacle| Fault { pointer: String::new(), code: found.code, detail: found.detail };
        return Err(Error::with_faults(&problem::NOT_ELIGIBLE, obstacles.into_iter().map(fault).collect()));
    }
    let now = ctx.clock.now();
    store::players::join(tx, id, who.account, now).await?;
    tournament.players += 1;
    if tournament.players >= tournament.terms.most_players {
        tournament.begins_at = now;
    }
    store::tournaments::save(tx, &tournament).await?;
    Ok(tournament)
}

/// Somebody leaves: before the start without a trace, after it for good.
pub async fn leave(tx: &mut Tx, ctx: &Context, who: &Identity, id: TournamentId) -> Result<Tournament> {
    let mut tournament = locked(tx, id).await?;
    let told = quit(tx, ctx, &mut tournament, who.account, Why::Left).await?;
    let Some(told) = told else { return Err(Error::new(&problem::NOT_FOR_YOU, "You don't play in this tournament.")) };
    store::tournaments::save(tx, &tournament).await?;
    events::notify(tx, ctx, told).await?;
    Ok(tournament)
}

/// When a tournament starts by itself, however many have joined.
pub(super) fn planned(tournament: &Tournament) -> Time {
    tournament.terms.starts_at.unwrap_or(tournament.created_at.plus_s(AHEAD_S))
}

/// Takes somebody out of a locked tournament; none: he doesn't play in it (any more).
async fn quit(
    tx: &mut Tx,
    ctx: &Context,
    tournament: &mut Tournament,
    account: AccountId,
    why: Why,
) -> Result<Option<Vec<Notification>>> {
    match tournament.status {
        Status::Open => {
            if !store::players::leave(tx, tournament.id, account).await? {
                return Ok(None);
            }
            tournament.players = tournament.players.saturating_sub(1);
            tournament.begins_at = planned(tournament);
            Ok(Some(Vec::new()))
        }
        Status::Running => {
            let mut entrants = store::players::all(tx, tournament.id).await?;
            let is_his = |entrant: &Entrant| entrant.player.id == account && entrant.withdrawn.is_none();
            if !entrants.iter().any(is_his) {
                return Ok(None);
            }
            rounds::withdraw(tx, ctx, tournament, &mut entrants, &[account], why).await.map(Some)
        }
        Status::Finished | Status::Cancelled => Err(closed(tournament)),
    }
}

/// Takes an account that is being deleted out of everything that is not over. Its row is locked; what is told is for the end of the transaction.
pub async fn forget(tx: &mut Tx, ctx: &Context, account: AccountId) -> Result<Vec<Notification>> {
    let mut told = Vec::new();
    for id in store::tournaments::playing(tx, account).await? {
        let mut tournament = locked(tx, id).await?;
        if matches!(tournament.status, Status::Finished | Status::Cancelled) {
            continue;
        }
        told.extend(quit(tx, ctx, &mut tournament, account, Why::AccountDeleted).await?.unwrap_or_default());
        store::tournaments::save(tx, &tournament).await?;
    }
    Ok(told)
}

/// Its maker starts it, or an organizer; `too-few-players` if there are not enough.
pub async fn start(tx: &mut Tx, ctx: &Context, who: &Identity, id: TournamentId) -> Result<Tournament> {
    let actor = in_charge(tx, ctx, who, id).await?;
    let mut tournament = locked(tx, id).await?;
    if tournament.status != Status::Open {
        return Err(closed(&tournament));
    }
    let now = ctx.clock.now();
    if tournament.terms.starts_at.is_some()
        || tournament.takes_players_at(now) && tournament.terms.registration_ends_at.is_some()
    {
        let detail = "It starts when its terms say: at `starts_at`, or not before `registration_ends_at`.";
        return Err(Error::new(&problem::NOT_FOR_YOU, detail));
    }
    let Some(told) = rounds::begin(tx, ctx, &mut tournament).await? else {
        let least = tournament.terms.fewest_players;
        let detail = format!("It needs {least} players, and has {}.", tournament.players);
        return Err(Error::new(&problem::TOO_FEW_PLAYERS, detail));
    };
    store::tournaments::save(tx, &tournament).await?;
    if let Some(actor) = actor {
        note(tx, ctx, actor, Kind::TournamentStarted, id, STARTED.parse().map_err(Error::internal)?).await?;
    }
    events::notify(tx, ctx, told).await?;
    Ok(tournament)
}

/// Its maker calls it off, or an organizer: no more rounds are paired, and there are no final standings. Games under way are played on.
pub async fn cancel(
    tx: &mut Tx,
    ctx: &Context,
    who: &Identity,
    id: TournamentId,
    reason: Reason,
) -> Result<Tournament> {
    let actor = in_charge(tx, ctx, who, id).await?;
    let mut tournament = locked(tx, id).await?;
    if !matches!(tournament.status, Status::Open | Status::Running) {
        return Err(closed(&tournament));
    }
    if tournament.status == Status::Running && store::tournaments::playing(tx, who.account).await?.contains(&id) {
        let detail = "Who plays in it can't call it off once it has started: an organizer can who doesn't play.";
        return Err(Error::new(&problem::NOT_FOR_YOU, detail));
    }
    let told = call_off(tx, ctx, &mut tournament, reason.as_str()).await?;
    if let Some(actor) = actor {
        note(tx, ctx, actor, Kind::TournamentCancelled, id, reason).await?;
    }
    events::notify(tx, ctx, told).await?;
    Ok(tournament)
}

/// Calls a locked tournament off.
pub(super) async fn call_off(
    tx: &mut Tx,
    ctx: &Context,
    tournament: &mut Tournament,
    reason: &str,
) -> Result<Vec<Notification>> {
    let now = ctx.clock.now();
    tournament.status = Status::Cancelled;
    tournament.reason = Some(reason.to_owned());
    tournament.ended_at = Some(now);
    store::boards::drop_unplayed(tx, tournament.id).await?;
    store::tournaments::save(tx, tournament).await?;
    let entrants = store::players::all(tx, tournament.id).await?;
    let event = TournamentCancelledEvent::at(now, tournament.id).into();
    let told = entrants.iter().map(|entrant| events::notification(entrant.player.id, std::slice::from_ref(&event)));
    told.filter_map(Result::transpose).collect()
}

async fn locked(tx: &mut Tx, id: TournamentId) -> Result<Tournament> {
    store::tournaments::lock(tx, id).await?.ok_or_else(Error::not_found)
}

/// What stands in the log of moderation when an organizer starts somebody's tournament.
const STARTED: &str = "started by an organizer";

/// Whether the caller may decide about the tournament: its maker, as whom he needs no role; or an organizer, whose account and role are held from now on.
async fn in_charge(tx: &mut Tx, ctx: &Context, who: &Identity, id: TournamentId) -> Result<Option<Actor>> {
    // Who has made it never changes. Accounts are locked before tournaments.
    let tournament = store::tournaments::find(tx, id).await?.ok_or_else(Error::not_found)?;
    if tournament.maker.id == who.account {
        account::hold(tx, ctx, who.account).await?;
        return Ok(None);
    }
    match roles::required(tx, ctx, who, Role::Organizer).await {
        Ok(actor) => Ok(Some(actor)),
        Err(error) if error.problem().kind == error::Kind::Forbidden => {
            let detail = "Only the player who has made a tournament can do this, or an organizer.";
            Err(Error::new(&problem::NOT_FOR_YOU, detail))
        }
        Err(error) => Err(error),
    }
}

async fn is_organizer(tx: &mut Tx, who: &Identity) -> Result<bool> {
    match roles::check(tx, who, Role::Organizer).await {
        Ok(()) => Ok(true),
        Err(error) if error.problem().kind == error::Kind::Forbidden => Ok(false),
        Err(error) => Err(error),
    }
}

/// Notes in the log of moderation what an organizer has done to somebody's tournament.
async fn note(tx: &mut Tx, ctx: &Context, actor: Actor, kind: Kind, id: TournamentId, reason: Reason) -> Result<()> {
    let about = About { tournament: Some(id), ..About::default() };
    audit_log::note(tx, ctx, actor, Deed { kind, about, reason, details: json!({}) }).await.map(drop)
}

fn closed(tournament: &Tournament) -> Error {
    Error::new(&problem::TOURNAMENT_CLOSED, format!("The tournament is {}.", tournament.status.word()))
}
