//! Review of Swiss rounds: a drawn round waits for an organizer who doesn't play, and who may change its pairings. The
//! original draw is stored beside the result, and both become public when the round begins; until then only organizers
//! who don't play see them.

use broadside_contests::swiss as system;
use broadside_contests::{ByeReason, ByeWorth};
use broadside_rules::Time;
use serde_json::json;

use super::draw::{self, RoundPlan};
use super::{Entrant, Tournament, TournamentStatus, entry, rounds, umpire};
use crate::accounts::Identity;
use crate::accounts::roles::Actor;
use crate::audit_log::{self, AuditEntry, AuditKind, AuditReason, AuditSubject};
use crate::contests::{news, pauses};
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::error::{Error, Result};
use crate::events::kinds::RoundDraftedEvent;
use crate::events::{self, Notification};
use crate::ids::TournamentId;
use crate::player::Player;
use crate::tournaments::store;

/// A round that is drawn and hasn't begun.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WaitingRound {
    pub round: u16,
    /// The time of its automatic start.
    pub release_at: Time,
}

/// An organizer's pairings for a round.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ByHand {
    /// The new round.
    pub plan: RoundPlan,
    pub by: Player,
    /// The time of the last change.
    pub at: Time,
    /// `None` if they have deleted their account.
    pub reason: Option<String>,
}

/// A drawn round, before or after its start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Draft {
    pub round: u16,
    /// The original draw.
    pub drawn: RoundPlan,
    pub drawn_at: Time,
    /// The time of its automatic start.
    pub release_at: Time,
    /// `None` if no organizer has changed it.
    pub by_hand: Option<ByHand>,
    /// `None` while it waits.
    pub released_at: Option<Time>,
}

impl Draft {
    /// The round as it is played.
    pub fn plan(&self) -> &RoundPlan {
        self.by_hand.as_ref().map_or(&self.drawn, |by_hand| &by_hand.plan)
    }
}

/// Makes a round wait. The organizers are notified; the caller saves the tournament.
pub(super) async fn propose(
    tx: &mut Tx,
    tournament: &mut Tournament,
    drawn: RoundPlan,
    now: Time,
) -> Result<Vec<Notification>> {
    let release_at = now.plus_s(tournament.terms.round_terms.review_s.unwrap_or_default());
    let round = tournament.round + 1;
    let draft = Draft { round, drawn, drawn_at: now, release_at, by_hand: None, released_at: None };
    store::drafts::insert(tx, tournament.id, &draft).await?;
    tournament.draft = Some(WaitingRound { round, release_at });
    let event = RoundDraftedEvent::at(now, tournament.id, round, release_at).into();
    news::to_runners(tournament.runners(), &event, &[])
}

/// The waiting round of a tournament, if it is this one. Fails with `not-found`.
async fn waiting(conn: &mut Conn, tournament: &Tournament, round: u16) -> Result<Draft> {
    let all = store::drafts::all(conn, tournament.id).await?;
    let found = all.into_iter().find(|draft| draft.round == round && draft.released_at.is_none());
    found.ok_or_else(Error::not_found)
}

/// Begins the waiting round in its present form. Boards of players who have left meanwhile are won without play.
pub(super) async fn begin(
    tx: &mut Tx,
    tournament: &mut Tournament,
    entrants: &[Entrant],
    round: u16,
    now: Time,
) -> Result<Vec<Notification>> {
    let draft = waiting(tx, tournament, round).await?;
    store::drafts::release(tx, tournament.id, round, now).await?;
    tournament.round = round;
    tournament.draft = None;
    let mut boards = draft.plan().boards(round, now);
    let gone = rounds::gone(entrants);
    for board in &mut boards {
        rounds::end_without_play(board, &gone, now);
    }
    let worth = tournament.terms.round_terms.late_entry.map_or(ByeWorth::Nothing, |late| late.missed_round);
    let late = entrants.iter().filter(|entrant| entrant.first_round > round);
    let late = late.filter_map(|entrant| Some((entrant.number?, (ByeReason::LateEntry, worth.halves()))));
    draw::add_byes(&mut boards, round, late, now);
    rounds::begin_round(tx, tournament, entrants, &boards, now).await
}

/// A waiting round, held for an organizer who may pair it.
pub struct Held {
    /// Locked.
    pub tournament: Tournament,
    pub entrants: Vec<Entrant>,
    pub draft: Draft,
    actor: Actor,
}

/// The waiting round. Fails with `not-found` if it doesn't wait, and as [`umpire::hold`] does.
pub async fn find(tx: &mut Tx, ctx: &Context, caller: &Identity, id: TournamentId, round: u16) -> Result<Held> {
    let (tournament, actor) = umpire::hold(tx, ctx, caller, id).await?;
    if tournament.status != TournamentStatus::Running {
        return Err(entry::closed(&tournament));
    }
    let draft = waiting(tx, &tournament, round).await?;
    let entrants = store::players::all(tx, id).await?;
    Ok(Held { tournament, entrants, draft, actor })
}

/// An organizer's order for a round.
pub struct PairingOrder {
    /// The pairings and byes.
    pub wanted: system::Round,
    /// True if two players may meet again, or a player may have a second full-point bye.
    pub allow_repeats: bool,
    /// Public.
    pub reason: AuditReason,
}

/// Changes the pairings of a waiting round. Fails as [`find`] does, and with every fault of the order.
pub async fn pair(
    tx: &mut Tx,
    ctx: &Context,
    caller: &Identity,
    (id, round): (TournamentId, u16),
    order: PairingOrder,
) -> Result<Held> {
    let mut held = find(tx, ctx, caller, id, round).await?;
    let PairingOrder { wanted, allow_repeats, reason } = order;
    let boards = store::boards::all(tx, id, None).await?;
    let field = draw::field(&held.tournament, &held.entrants, &boards);
    let faults = system::faults(&field, &wanted, allow_repeats);
    if !faults.is_empty() {
        return Err(Error::invalid(faults));
    }
    // A requested bye keeps its score; other players left out get nothing.
    let drawn = &held.draft.drawn;
    let worth = |number: u16| drawn.out.iter().find(|(other, _)| *other == number).map_or(0, |(_, halves)| *halves);
    let mut out: Vec<(u16, u8)> = wanted.out.iter().map(|number| (*number, worth(*number))).collect();
    out.sort_unstable();
    let plan = RoundPlan { games: wanted.games, bye: wanted.bye, out };
    let now = ctx.clock.now();
    let details = json!({ "round": round, "drawn": drawn, "paired": plan, "repeats_allowed": allow_repeats });
    let by_hand = (plan != *drawn).then(|| ByHand {
        plan,
        by: caller.player(),
        at: now,
        reason: Some(reason.as_str().to_owned()),
    });
    store::drafts::pair(tx, id, round, by_hand.as_ref()).await?;
    held.draft.by_hand = by_hand;
    note(tx, ctx, &held, AuditKind::RoundPaired, reason, details).await?;
    Ok(held)
}

/// Begins a waiting round. Fails as [`find`] does, and with `contest-paused`.
pub async fn release(
    tx: &mut Tx,
    ctx: &Context,
    caller: &Identity,
    (id, round): (TournamentId, u16),
) -> Result<Tournament> {
    let mut held = find(tx, ctx, caller, id, round).await?;
    pauses::must_go_on(held.tournament.pause.as_ref())?;
    let told = begin(tx, &mut held.tournament, &held.entrants, round, ctx.clock.now()).await?;
    store::tournaments::save(tx, &held.tournament).await?;
    let reason = RELEASED.parse().map_err(Error::internal)?;
    note(tx, ctx, &held, AuditKind::RoundReleased, reason, json!({ "round": round })).await?;
    events::notify(tx, ctx, told).await?;
    Ok(held.tournament)
}

/// The log entry for an organizer's release of a round.
const RELEASED: &str = "looked at, and released";

async fn note(
    tx: &mut Tx,
    ctx: &Context,
    held: &Held,
    kind: AuditKind,
    reason: AuditReason,
    details: serde_json::Value,
) -> Result<()> {
    let subject = AuditSubject { tournament: Some(held.tournament.id), ..AuditSubject::default() };
    let entry = AuditEntry { kind, subject, reason, details };
    audit_log::append(tx, ctx, held.actor, entry).await.map(drop)
}
