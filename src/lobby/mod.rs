//! The lobby: challenges, from the offer to the match.
//!
//! A challenge waits until its seats are taken. The last seat opens the match, in the same transaction. Each change
//! locks the challenge's row, so every race has one winner, and the next request finds the challenge changed.
//!
//! The seed of the match's random numbers is drawn with the challenge, and its hash is published before anybody joins.
//! A player who joins may add a nonce, which nobody else is shown before the match exists. So neither the server nor
//! the last player to join can choose the result.
//!
//! [`crate::social::blocks`] stores who blocks whom; [`blocking`] applies it to challenges.

mod asked;
pub mod blocking;
mod challenge;
pub mod expire;
pub mod invitations;
pub mod lists;
pub mod rematch;
pub(crate) mod store;
pub mod terms;
mod withdraw;

use broadside_rules::text::Digest;
use broadside_rules::{Nonce, Seat, Time};

pub use challenge::Challenge;
pub use terms::{ChallengeDeclineReason, ChallengeMessage, ChallengeStatus, Nation, Visibility};
pub use withdraw::{forget, remove, withdraw_all};

use crate::accounts::{Identity, Username, account, guests};
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::error::{Error, Result, problem};
use crate::events::kinds::{
    ChallengeAcceptedEvent, ChallengeDeclinedEvent, ChallengeLeftEvent, ChallengeReceivedEvent, ChallengeWithdrawnEvent,
};
use crate::events::{self, AccountEvent, Notification};
use crate::ids::{AccountId, ChallengeId, MatchId};
use crate::matches::Matches;
use crate::matches::open::{MatchOrigin, MatchSettings, Participant};
use crate::player::Player;
use crate::quotas::Quota;
use crate::social::blocks;
use crate::{matches, quotas, ratings, rulesets};

/// How long a challenge stays open by default, in seconds: a week.
pub const DEFAULT_EXPIRY_S: u32 = 7 * 24 * 60 * 60;
/// The longest time that a challenge may stay open, in seconds: 30 days.
pub const MAX_EXPIRY_S: u32 = 30 * 24 * 60 * 60;

pub struct Offer {
    pub terms: MatchSettings,
    /// The challenged player; `None`: any player who may see it can accept.
    pub to: Option<Username>,
    /// Players invited to its seats.
    pub invited: Vec<Username>,
    pub visibility: Visibility,
    pub message: Option<ChallengeMessage>,
    /// The reliability required to accept it, in percent.
    pub min_reliability_percent: Option<u8>,
    /// The time for which it stays open, in seconds.
    pub expires_in_s: u32,
    /// The creator's name for seat 0: an index into the rule set's names.
    pub wish: Option<u8>,
    /// The creator's nonce for the match's random numbers.
    pub nonce: Option<Nonce>,
}

/// A player's request for a seat.
#[derive(Default)]
pub struct SeatRequest {
    /// `None`: the first free seat.
    pub seat: Option<Seat>,
    /// The name of the seat.
    pub nation: Option<Nation>,
    /// The player's nonce for the match's random numbers.
    pub nonce: Option<Nonce>,
    /// The commitment shown to the player on the challenge; if it has changed, the seat is not taken.
    pub chance_commitment: Option<Digest>,
}

/// Opens a challenge. Its creator takes the first seat.
pub async fn open(tx: &mut Tx, ctx: &Context, creator: &Identity, offer: Offer) -> Result<Challenge> {
    let opponent = match &offer.to {
        Some(name) => Some(asked::addressee(tx, ctx, creator, name, offer.terms.rated).await?),
        None if !offer.invited.is_empty() => None,
        None => {
            account::lock_active(tx, ctx, creator.account).await?;
            None
        }
    };
    create(tx, ctx, creator, opponent, offer, None).await
}

/// The match to replay, and the name of the other seat.
struct RematchOf {
    match_id: MatchId,
    counter_wish: Option<u8>,
}

/// Creates a challenge between accounts that are already locked.
async fn create(
    tx: &mut Tx,
    ctx: &Context,
    creator: &Identity,
    opponent: Option<Player>,
    offer: Offer,
    rematch: Option<RematchOf>,
) -> Result<Challenge> {
    let now = ctx.clock.now();
    guests::check_rated(creator, offer.terms.rated)?;
    guests::check_nonce(creator, offer.nonce.as_ref())?;
    guests::check_message(creator, offer.message.is_some())?;
    // The names in rematches and named rule sets were given by others.
    if rematch.is_none() && offer.terms.named.is_none() {
        guests::check_names(creator, offer.terms.variant, &offer.terms.rules)?;
    }
    let invited = match offer.invited.as_slice() {
        [] => Vec::new(),
        names => invitations::invite(tx, ctx, creator, names, offer.terms.rated).await?,
    };
    quotas::check(tx, creator.account, now, &[Quota::OpenChallenges, Quota::Matches]).await?;
    for player in opponent.iter().chain(&invited) {
        asked::check_unanswered(tx, ctx, creator.account, player, now).await?;
    }
    if ctx.rate_limits.is_some() {
        quotas::check(tx, creator.account, now, &[Quota::ChallengesADay]).await?;
    }
    let creator = creator.player();
    let Offer { wish, nonce, .. } = offer;
    let mut seats = vec![None; usize::from(offer.terms.seats)];
    let rating = rating(tx, creator.id, &offer.terms).await?;
    seats[0] = Some(Participant { player: creator.clone(), wish, nonce, rating });
    let challenge = Challenge {
        id: ctx.new_id(),
        creator,
        opponent,
        invited,
        terms: offer.terms,
        visibility: offer.visibility,
        message: offer.message.map(|message| message.as_str().to_owned()),
        status: ChallengeStatus::Open,
        reason: None,
        seats,
        chance: ctx.random(),
        min_reliability_percent: offer.min_reliability_percent,
        match_id: None,
        rematch_of: rematch.as_ref().map(|rematch| rematch.match_id),
        counter_wish: rematch.and_then(|rematch| rematch.counter_wish),
        created_at: now,
        expires_at: now.plus_s(offer.expires_in_s),
    };
    store::challenges::insert(tx, &challenge).await?;
    let event = ChallengeReceivedEvent::at(now, challenge.id, challenge.creator.id).into();
    events::notify(tx, ctx, notifications_for(others(&challenge, challenge.creator.id), &event)?).await?;
    Ok(challenge)
}

/// The account's rating in the pool of matches with these terms.
async fn rating(conn: &mut Conn, account: AccountId, terms: &MatchSettings) -> Result<Option<i32>> {
    let Some(pool) = terms.pool() else { return Ok(None) };
    Ok(ratings::read::shown(conn, &[(account, pool)]).await?.pop().flatten())
}

/// Fails with `not-reliable-enough` when the account is less reliable than required. An account without finished
/// matches counts as reliable.
async fn check_reliability(conn: &mut Conn, account: AccountId, least_percent: Option<u8>) -> Result<()> {
    let Some(least) = least_percent else { return Ok(()) };
    match matches::queries::counts(conn, account).await?.reliability_percent() {
        Some(percent) if percent < least => {
            let detail =
                format!("The challenge asks for a reliability of {least} percent at least; yours is {percent}.");
            Err(Error::new(&problem::NOT_RELIABLE_ENOUGH, detail))
        }
        _ => Ok(()),
    }
}

/// The challenge, if `viewer` may see it.
pub async fn find(conn: &mut Conn, id: ChallengeId, viewer: Option<AccountId>) -> Result<Challenge> {
    must_see(conn, id, viewer).await?;
    store::challenges::find(conn, id).await?.ok_or_else(Error::not_found)
}

/// Fails with `not-found` unless the viewer may see the challenge. A single statement, so that the response time
/// doesn't reveal whether it exists.
async fn must_see(conn: &mut Conn, id: ChallengeId, viewer: Option<AccountId>) -> Result<()> {
    if store::challenges::is_seen(conn, id, viewer).await? { Ok(()) } else { Err(Error::not_found()) }
}

/// Takes a seat: the given one, else the first free one, under the given nation if no other player has it. The last
/// seat opens the match. Fails with `not-found` when the caller or the creator blocks the other, with
/// `not-reliable-enough`, with `chance-commitment-changed` when the challenge has another commitment than the caller
/// was shown, and with `quota-exceeded` when the caller would wait in too many open challenges, or play too many
/// matches at a time.
pub async fn accept(
    tx: &mut Tx,
    matches: &Matches,
    who: &Identity,
    id: ChallengeId,
    request: SeatRequest,
) -> Result<Challenge> {
    guests::check_nonce(who, request.nonce.as_ref())?;
    account::lock_active(tx, matches, who.account).await?;
    let now = matches.clock.now();
    let mut challenge = lock_open(tx, id, who.account, now).await?;
    if challenge.seats.iter().flatten().any(|sitter| sitter.player.id == who.account) {
        return Err(Error::new(&problem::ALREADY_JOINED, "You sit at this match already."));
    }
    if blocks::either_blocks(tx, challenge.creator.id, who.account).await? {
        return Err(Error::not_found());
    }
    if request.chance_commitment.is_some_and(|believed| believed != challenge.chance_commitment()) {
        return Err(Error::plain(&problem::CHANCE_COMMITMENT_CHANGED));
    }
    guests::check_rated(who, challenge.terms.rated)?;
    check_reliability(tx, who.account, challenge.min_reliability_percent).await?;
    let free = |seat: usize| challenge.seats.get(seat).is_some_and(Option::is_none);
    let seat = match request.seat {
        Some(seat) => Some(usize::from(seat.0)).filter(|&seat| free(seat)),
        None => (0..challenge.seats.len()).find(|&seat| free(seat)),
    };
    let seat = seat.ok_or_else(|| Error::plain(&problem::SEAT_TAKEN))?;
    let wish = request.nation.map(|nation| nation.among(&challenge.terms.rules)).transpose();
    let wish = wish.map_err(|fault| Error::invalid(vec![fault]))?.or(challenge.counter_wish);
    if wish.is_some() && challenge.seats.iter().flatten().any(|sitter| sitter.wish == wish) {
        return Err(Error::plain(&problem::NATION_TAKEN));
    }
    let is_last = challenge.seats.iter().filter(|seat| seat.is_none()).count() == 1;
    let quotas = [Quota::Matches, Quota::OpenChallenges];
    quotas::check(tx, who.account, now, if is_last { &quotas[..1] } else { &quotas[..] }).await?;
    let rating = rating(tx, who.account, &challenge.terms).await?;
    challenge.seats[seat] = Some(Participant { player: who.player(), wish, nonce: request.nonce, rating });
    store::challenges::insert_seat(tx, &challenge, seat).await?;
    let mut match_notifications = Vec::new();
    if let Some(sitters) = challenge.seats.iter().cloned().collect::<Option<Vec<_>>>() {
        let opened =
            matches::open::open(tx, matches, &challenge.terms, &sitters, challenge.chance, MatchOrigin::Challenge(id))
                .await?;
        challenge.status = ChallengeStatus::Accepted;
        challenge.match_id = Some(opened.id);
        rulesets::count_match(tx, challenge.terms.named).await?;
        match_notifications = opened.told;
        store::challenges::update_outcome(tx, &challenge).await?;
    }
    let event = ChallengeAcceptedEvent::at(now, id, who.account, challenge.match_id).into();
    let mut notifications = notifications_for(others(&challenge, who.account), &event)?;
    notifications.extend(match_notifications);
    events::notify(tx, matches, notifications).await?;
    Ok(challenge)
}

/// Declines a challenge for the player to whom it is addressed, or an invitation to it. A player who has taken a seat
/// gives it back, and the challenge stays open.
pub async fn decline(
    tx: &mut Tx,
    ctx: &Context,
    who: &Identity,
    id: ChallengeId,
    reason: ChallengeDeclineReason,
) -> Result<Challenge> {
    let now = ctx.clock.now();
    let mut challenge = lock_open(tx, id, who.account, now).await?;
    let is_own = |sitter: &Option<Participant>| sitter.as_ref().is_some_and(|sitter| sitter.player.id == who.account);
    if let Some(seat) = challenge.seats.iter_mut().skip(1).find(|seat| is_own(seat)) {
        *seat = None;
        store::challenges::delete_seat(tx, id, who.account).await?;
        let event = ChallengeLeftEvent::at(now, id, who.account).into();
        events::notify(tx, ctx, notifications_for(others(&challenge, who.account), &event)?).await?;
        return Ok(challenge);
    }
    if challenge.invited.iter().any(|player| player.id == who.account) {
        return invitations::decline(tx, ctx, who, challenge, reason).await;
    }
    if challenge.opponent.as_ref().map(|player| player.id) != Some(who.account) {
        let detail =
            "Only the player that a challenge is addressed to can decline it, and those who have taken a seat.";
        return Err(Error::new(&problem::NOT_THE_CHALLENGED, detail));
    }
    challenge.status = ChallengeStatus::Declined;
    challenge.reason = Some(reason);
    store::challenges::update_outcome(tx, &challenge).await?;
    let event = ChallengeDeclinedEvent::at(now, id, who.account, Some(reason.into_str())).into();
    events::notify(tx, ctx, notifications_for(others(&challenge, who.account), &event)?).await?;
    Ok(challenge)
}

/// Withdraws a challenge for its creator.
pub async fn withdraw(tx: &mut Tx, ctx: &Context, who: &Identity, id: ChallengeId) -> Result<()> {
    let now = ctx.clock.now();
    let mut challenge = lock_open(tx, id, who.account, now).await?;
    if challenge.creator.id != who.account {
        let detail = "Only the player who made a challenge can withdraw it.";
        return Err(Error::new(&problem::NOT_THE_CREATOR, detail));
    }
    challenge.status = ChallengeStatus::Withdrawn;
    store::challenges::update_outcome(tx, &challenge).await?;
    let event = ChallengeWithdrawnEvent::at(now, id).into();
    events::notify(tx, ctx, notifications_for(others(&challenge, who.account), &event)?).await
}

/// The accounts that a change of a challenge concerns, except the one that made the change.
pub(crate) fn others(challenge: &Challenge, changer: AccountId) -> Vec<AccountId> {
    let mut concerned = concerned(challenge);
    concerned.retain(|account| *account != changer);
    concerned
}

/// The accounts that a challenge concerns: the challenged player, invited players, and the players in its seats,
/// creator included.
fn concerned(challenge: &Challenge) -> Vec<AccountId> {
    let seated = challenge.seats.iter().flatten().map(|sitter| sitter.player.id);
    let asked = challenge.opponent.iter().chain(&challenge.invited).map(|player| player.id);
    let mut concerned: Vec<_> = seated.chain(asked).collect();
    concerned.sort_unstable();
    concerned.dedup();
    concerned
}

/// The same event as a notification for each account.
pub(crate) fn notifications_for(accounts: Vec<AccountId>, event: &AccountEvent) -> Result<Vec<Notification>> {
    let notifications = accounts.into_iter().map(|account| events::notification(account, std::slice::from_ref(event)));
    notifications.filter_map(Result::transpose).collect()
}

/// Locks a challenge until the transaction ends. Fails with `challenge-closed` unless it is open.
async fn lock_open(tx: &mut Tx, id: ChallengeId, who: AccountId, now: Time) -> Result<Challenge> {
    must_see(tx, id, Some(who)).await?;
    let found = store::challenges::lock(tx, id).await?;
    // The invitation may have been withdrawn before the lock.
    let challenge = found.filter(|challenge| challenge.is_visible_to(Some(who))).ok_or_else(Error::not_found)?;
    match challenge.status_at(now) {
        ChallengeStatus::Open => Ok(challenge),
        status => {
            let detail = format!("The challenge is {}.", status.into_str());
            Err(Error::new(&problem::CHALLENGE_CLOSED, detail))
        }
    }
}
