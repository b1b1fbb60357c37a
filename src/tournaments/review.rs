//! A round of a Swiss that waits, after it was drawn, for an organizer who doesn't play to look at it, and to pair it
//! otherwise where needed. What the draw gave is kept beside what has become of it, and everybody reads both when the
//! round begins; until then only the organizers who don't play do.

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
    /// When it begins by itself.
    pub release_at: Time,
}

/// What an organizer has made of a round.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ByHand {
    /// The round as they want it.
    pub plan: RoundPlan,
    /// Who they are.
    pub by: Player,
    /// When they have done it last.
    pub at: Time,
    /// Why; none: they have deleted their account.
    pub reason: Option<String>,
}

/// A round that was drawn before it began, or is to begin.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Draft {
    pub round: u16,
    /// What the draw gave.
    pub drawn: RoundPlan,
    pub drawn_at: Time,
    /// When it begins by itself.
    pub release_at: Time,
    /// What an organizer has made of it; none: nothing else.
    pub by_hand: Option<ByHand>,
    /// When it began; none: it waits.
    pub released_at: Option<Time>,
}

impl Draft {
    /// The round as it is played.
    pub fn plan(&self) -> &RoundPlan {
        self.by_hand.as_ref().map_or(&self.drawn, |by_hand| &by_hand.plan)
    }
}

/// A round waits from now on. Those who run the tournament are told; the tournament is the caller's to save.
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

/// The round of a tournament that waits, if it is this one; `not-found` otherwise.
async fn waiting(conn: &mut Conn, tournament: &Tournament, round: u16) -> Result<Draft> {
    let all = store::drafts::all(conn, tournament.id).await?;
    let found = all.into_iter().find(|draft| draft.round == round && draft.released_at.is_none());
    found.ok_or_else(Error::not_found)
}

/// Begins the round that waits, as it is by now. Boards of those who have gone meanwhile are won without play.
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

/// A round that waits, for somebody who may pair it.
pub struct Held {
    /// The tournament, locked.
    pub tournament: Tournament,
    /// Who plays in it.
    pub entrants: Vec<Entrant>,
    /// The round.
    pub draft: Draft,
    actor: Actor,
}

/// The round that waits. Fails with `not-found` where it doesn't, and as [`umpire::hold`] does.
pub async fn find(tx: &mut Tx, ctx: &Context, caller: &Identity, id: TournamentId, round: u16) -> Result<Held> {
    let (tournament, actor) = umpire::hold(tx, ctx, caller, id).await?;
    if tournament.status != TournamentStatus::Running {
        return Err(entry::closed(&tournament));
    }
    let draft = waiting(tx, &tournament, round).await?;
    let entrants = store::players::all(tx, id).await?;
    Ok(Held { tournament, entrants, draft, actor })
}

/// How an organizer wants a round.
pub struct PairingOrder {
    /// Who meets whom, and who sits out.
    pub wanted: system::Round,
    /// Whether two may meet again, or somebody may have a full point without play again.
    pub allow_repeats: bool,
    /// Why: everybody reads it.
    pub reason: AuditReason,
}

/// Pairs a round that waits. Fails as [`find`] does, and with every fault of what is wanted.
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
    // A bye that was asked for keeps its worth; who is left out otherwise gets nothing.
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

/// Begins a round that waits. Fails as [`find`] does, and with `contest-paused`.
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

/// What stands in the log when an organizer lets a round begin.
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
