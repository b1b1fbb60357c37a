//! Command: a substitute takes over a seat, its fleet, its reports and its clock, in the middle of a match. It is
//! written like a player's action; who sits where changes in the same transaction, and with it who may read and do
//! what.
//!
//! The rests of the former player end with it: the substitute's calendar counts from that moment on.

use broadside_rules::event::TableEvent;
use broadside_rules::view_model::SeatState;
use broadside_rules::{Dice, Entry, Event, HandOver, HandOverDecision, Rests, RuleSet, Seat, Time, Viewer};

use super::match_state::MatchState;
use super::open::MatchSettings;
use super::update::{Command, Updated};
use super::{Contest, FormerPlayer, MatchTerms, PairingRef, Part, StoredMatch, notify, plans, store};
use crate::calendar::{self, AccountCalendar};
use crate::db::{Conn, Tx};
use crate::error::{Error, Result};
use crate::events::kinds::{SeatHandedOverEvent, YourTurnEvent};
use crate::events::{self, Notification};
use crate::ids::{AccountId, MatchId};
use crate::matches::Matches;
use crate::player::Player;
use crate::ratings;

/// Who is to take over which seat, from whom.
#[derive(Clone)]
pub struct HandOverOrder {
    pub seat: Seat,
    pub from: AccountId,
    /// Who gets it.
    pub to: Player,
    pub by: HandOverDecision,
}

/// What somebody has to know of a match who is about to find a substitute: public facts only.
pub struct SeatFacts {
    pub over: bool,
    /// Who sits where, by seat.
    pub players: Vec<Player>,
    /// Who has had a seat before.
    pub former: Vec<FormerPlayer>,
    /// Whether each seat still plays.
    pub playing: Vec<bool>,
    /// What it is played for; none: for itself.
    pub contest: Option<Contest>,
    /// Whether it counts for the ratings.
    pub rated: bool,
    /// Whether others may watch it.
    pub spectators: bool,
}

impl SeatFacts {
    pub fn part_of(&self, account: AccountId) -> Part {
        Part::of(account, &self.players, &self.former)
    }

    /// Whether the seat is one of the match, and still plays.
    pub fn plays(&self, seat: Seat) -> bool {
        !self.over && self.playing.get(seat.index()).copied().unwrap_or_default()
    }

    /// Who has a seat other than this one and still plays.
    pub fn others(&self, seat: Seat) -> Vec<AccountId> {
        let all = self.players.iter().zip(&self.playing).enumerate();
        all.filter(|(index, (_, plays))| *index != seat.index() && **plays).map(|(_, (player, _))| player.id).collect()
    }
}

/// The facts of a match; `not-found` if there is no such match.
pub async fn facts(matches: &Matches, id: MatchId) -> Result<SeatFacts> {
    let state = matches.current(id).await?;
    let view = state.view(Viewer::Spectator);
    Ok(SeatFacts {
        over: view.status().is_over(),
        players: state.terms.players.clone(),
        former: state.terms.former.clone(),
        playing: view.seats().iter().map(|seat| seat.state == SeatState::Playing).collect(),
        contest: state.terms.pairing.map(|PairingRef { contest, .. }| contest),
        rated: state.terms.rated,
        spectators: state.terms.spectators,
    })
}

/// What else belongs to the transaction that hands a seat over; it happens first.
pub(crate) trait BeforeHandOver {
    /// Does it, or fails, and then nothing happens.
    async fn write(&self, tx: &mut Tx) -> Result<()>;
}

/// Hands a seat over.
struct TakeOver<First> {
    order: HandOverOrder,
    known: AccountCalendar,
    rating: Option<i32>,
    id: MatchId,
    at: Time,
    has_rests: bool,
    first: First,
}

impl<First: BeforeHandOver> Command for TakeOver<First> {
    const IN_TRANSACTION: bool = true;

    fn judge(&self, state: &MatchState, at: Time, _: &dyn Fn() -> Dice) -> Result<Option<Entry>> {
        let HandOverOrder { seat, from, ref to, by } = self.order;
        if state.terms.part_of(from) != Part::Player(seat) || state.terms.part_of(to.id).has_played() {
            return Ok(None);
        }
        let hand_over = HandOver { seat, player: to.id.to_string(), bot: to.bot, by };
        let mut entry = Entry { at, seat: None, events: state.battle.hand_over(&hand_over, at) };
        if entry.events.is_empty() {
            return Ok(None);
        }
        let planned = plans::of_substitute(state, &self.known, seat, &entry);
        entry.events.extend(planned);
        Ok(Some(entry))
    }

    async fn write_first(&self, tx: &mut Tx) -> Result<()> {
        self.first.write(tx).await?;
        let HandOverOrder { seat, from, ref to, .. } = self.order;
        if self.has_rests {
            // A change of the calendar that this node hasn't read is taken in after the hand-over.
            calendar::store::lock(tx, to.id).await?;
            calendar::store::note_change(tx, to.id, self.at).await?;
        }
        store::matches::lock_head(tx, self.id).await?;
        store::hand_over::seat(tx, self.id, seat, (from, to), self.rating, self.at).await
    }

    fn settle(&self, next: &mut MatchState) {
        let mut terms = MatchTerms::clone(&next.terms);
        let seat = self.order.seat;
        if let Some(player) = terms.players.get_mut(seat.index()) {
            let player = std::mem::replace(player, self.order.to.clone());
            terms.former.push(FormerPlayer { seat, player, until: self.at });
        }
        if let Some(rating) = terms.ratings.get_mut(seat.index()) {
            *rating = self.rating;
        }
        next.terms = terms.into();
    }

    fn told(&self, next: &MatchState, at: Time) -> Result<Vec<Notification>> {
        let HandOverOrder { seat, from, ref to, .. } = self.order;
        let id = next.terms.id;
        let variant = next.terms.variant.id.to_owned();
        let event = SeatHandedOverEvent::at(at, id, seat, variant, from, to.id).into();
        let mut told: Vec<Notification> =
            events::notification(from, std::slice::from_ref(&event))?.into_iter().collect();
        let mut to_substitute = vec![event];
        let view = next.view(Viewer::Seat(seat));
        if notify::must_act(view, seat) {
            to_substitute.push(YourTurnEvent::at(at, id, view.version(), view.deadline_of(seat)).into());
        }
        told.extend(events::notification(to.id, &to_substitute)?);
        Ok(told)
    }
}

/// Hands a seat over; `first` happens first in the transaction that does. False: the match is over, the seat is out, or
/// somebody else has it, and nothing has happened.
pub(crate) async fn carry_out(
    matches: &Matches,
    id: MatchId,
    order: HandOverOrder,
    first: impl BeforeHandOver,
) -> Result<bool> {
    let state = matches.current(id).await?;
    let terms = &state.terms;
    let at = matches.clock.now();
    let mut conn = matches.db.conn().await?;
    let known = calendar::for_plans(&mut conn, &[order.to.id], at).await?.pop();
    let rating = rating_of(&mut conn, terms, order.to.id).await?;
    drop(conn);
    let known = known.ok_or_else(|| Error::internal("a calendar was not read"))?;
    let has_rests = terms.setup.clock.rests() != Rests::None;
    let command = TakeOver { order, known, rating, id, at, has_rests, first };
    Ok(matches!(matches.update(id, &command).await?, Updated::Written(..)))
}

/// The rating in the pool of such matches, to be shown beside the name.
async fn rating_of(conn: &mut Conn, terms: &MatchTerms, account: AccountId) -> Result<Option<i32>> {
    let Some(pool) = MatchSettings::again(terms, RuleSet::clone(&terms.setup.rules)).pool() else { return Ok(None) };
    Ok(ratings::read::shown(conn, &[(account, pool)]).await?.pop().flatten())
}

/// For the operator's check: seats whose players aren't those to whom the log gives them, a line each.
pub(super) fn faults(stored: &StoredMatch) -> Vec<String> {
    let entries = stored.entries.iter().filter_map(|bytes| Entry::from_bytes(bytes).ok());
    let given: Vec<(Seat, String)> = entries
        .flat_map(|entry| entry.events)
        .filter_map(|event| match event {
            Event::Table(TableEvent::SeatHandedOver { seat, player, .. }) => Some((seat, player)),
            _ => None,
        })
        .collect();
    let wrong = (0_u8..).map(Seat).zip(&stored.players).filter(|(seat, player)| {
        let former = stored.former.iter().filter(|former| former.seat == *seat).map(|former| &former.player);
        let had: Vec<String> = former.chain([*player]).skip(1).map(|player| player.id.to_string()).collect();
        let got: Vec<String> = given.iter().filter(|(to, _)| to == seat).map(|(_, player)| player.clone()).collect();
        had != got
    });
    wrong.map(|(seat, _)| format!("seat {} has not the players to whom the log gives it", seat.0)).collect()
}

/// How much of what was said in the players' room somebody at this seat doesn't read: what was written before the seat
/// was handed over to them, up to this number.
pub async fn chat_begins_after(conn: &mut Conn, id: MatchId, seat: Seat) -> Result<u32> {
    store::hand_over::last_message_before(conn, id, seat).await
}
