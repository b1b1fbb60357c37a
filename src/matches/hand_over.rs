//! Command: a substitute takes over a seat with its fleet, reports and clock during a match. It is written like a
//! player's action; the seat's player, and with it all permissions, change in the same transaction.
//!
//! The former player's rests end with it: the substitute's calendar counts from that moment.

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

/// The seat, its player, and the substitute.
#[derive(Clone)]
pub struct HandOverOrder {
    pub seat: Seat,
    pub from: AccountId,
    /// The substitute.
    pub to: Player,
    pub by: HandOverDecision,
}

/// Public facts about a match for the search for a substitute.
pub struct SeatFacts {
    pub over: bool,
    /// The current players, by seat.
    pub players: Vec<Player>,
    /// The former players.
    pub former: Vec<FormerPlayer>,
    /// True for each seat that is still playing.
    pub playing: Vec<bool>,
    /// The ladder or tournament, if any.
    pub contest: Option<Contest>,
    pub rated: bool,
    pub spectators: bool,
}

impl SeatFacts {
    pub fn part_of(&self, account: AccountId) -> Part {
        Part::of(account, &self.players, &self.former)
    }

    /// True if the seat exists and is still playing.
    pub fn plays(&self, seat: Seat) -> bool {
        !self.over && self.playing.get(seat.index()).copied().unwrap_or_default()
    }

    /// The players of the other seats that are still playing.
    pub fn others(&self, seat: Seat) -> Vec<AccountId> {
        let all = self.players.iter().zip(&self.playing).enumerate();
        all.filter(|(index, (_, plays))| *index != seat.index() && **plays).map(|(_, (player, _))| player.id).collect()
    }
}

/// The facts of a match; `not-found` if it doesn't exist.
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

/// Further writes in the transaction of the handover, done first.
pub(crate) trait BeforeHandOver {
    /// An error prevents the handover.
    async fn write(&self, tx: &mut Tx) -> Result<()>;
}

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
            // A calendar change that this node hasn't read is applied after the handover.
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

/// Hands a seat over, after `first` in the same transaction. False, without any effect: the match is over, the seat is
/// eliminated, or it has another player.
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

/// The rating in the match's pool, shown beside the name.
async fn rating_of(conn: &mut Conn, terms: &MatchTerms, account: AccountId) -> Result<Option<i32>> {
    let Some(pool) = MatchSettings::again(terms, RuleSet::clone(&terms.setup.rules)).pool() else { return Ok(None) };
    Ok(ratings::read::shown(conn, &[(account, pool)]).await?.pop().flatten())
}

/// For the operator's check: a line for each seat whose stored player differs from the log.
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

/// The number of the last message in the players' room that the player at this seat can't read, because it was written
/// before the handover.
pub async fn chat_begins_after(conn: &mut Conn, id: MatchId, seat: Seat) -> Result<u32> {
    store::hand_over::last_message_before(conn, id, seat).await
}
