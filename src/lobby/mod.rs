//! The lobby: challenges, from the offer to the match.
//!
//! A challenge waits for its seats to be taken; with the last one the match exists, in the same transaction. Every race has one winner: the row of
//! the challenge is locked by whoever changes it, and the next one finds it changed.
//!
//! The seed of the match's chance is drawn with the challenge, and its hash is published before anybody joins. Whoever joins may add a nonce, which
//! nobody else is shown before the match exists: so neither the server nor the last to come chooses what will be drawn.
//!
//! Who blocks whom is noted in `talk`; what follows from it for challenges is here, in [`apart`].

pub mod blocking;
pub mod expire;
pub mod lists;
pub mod rematch;
pub(crate) mod store;
pub mod terms;
mod withdraw;

use broadside_contests::Pool;
use broadside_rules::text::Digest;
use broadside_rules::{Chance, Nonce, Seat, Time};

pub use terms::{DeclineReason, Message, Nation, Status, Visibility};
pub use withdraw::withdraw_all;

use crate::accounts;
use crate::accounts::suspension::OtherAccount;
use crate::accounts::{Identity, Username, account};
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::error::{Error, Result, problem};
use crate::events::kinds::{
    ChallengeAcceptedEvent, ChallengeDeclinedEvent, ChallengeLeftEvent, ChallengeReceivedEvent, ChallengeWithdrawnEvent,
};
use crate::events::{self, AccountEvent, Told};
use crate::ids::{AccountId, ChallengeId, MatchId};
use crate::matches;
use crate::matches::Matches;
use crate::matches::open::{MatchOrigin, MatchSettings, Participant};
use crate::player::Player;
use crate::ratings;
use crate::social::blocks;

/// In how many open challenges an account may sit at once, those that it has made included. (Two requests at the same moment may overstep it by one.)
pub const MAX_OPEN: i64 = 50;
/// How long a challenge stands unless it says otherwise, in seconds: a week.
pub const STANDS_S: u32 = 7 * 24 * 60 * 60;
/// How long it may stand at most, in seconds: 30 days.
pub const STANDS_AT_MOST_S: u32 = 30 * 24 * 60 * 60;

/// An offer to play.
pub struct Challenge {
    /// Its name.
    pub id: ChallengeId,
    /// Who made it.
    pub creator: Player,
    /// Whom it is addressed to.
    pub opponent: Option<Player>,
    /// What is offered.
    pub terms: MatchSettings,
    /// Who may see it.
    pub visibility: Visibility,
    /// A few words.
    pub message: Option<String>,
    /// Where it stands; see [`Challenge::status_at`] for whether it has expired.
    pub status: Status,
    /// Why it was declined.
    pub reason: Option<DeclineReason>,
    /// Who sits where, by seat.
    pub seats: Vec<Option<Participant>>,
    /// What chance will be drawn from: a secret, whose hash is published from the beginning.
    pub chance: [u8; 32],
    /// How reliable somebody has to be to accept it: the share of his finished matches not lost on time, in percent.
    pub least_reliability_percent: Option<u8>,
    /// The match that came of it.
    pub match_id: Option<MatchId>,
    /// The match that it repeats.
    pub rematch_of: Option<MatchId>,
    /// What the other seat is called unless its player wishes otherwise: a number into the rule set's wishes.
    pub counter_wish: Option<u8>,
    /// When it was made.
    pub created_at: Time,
    /// When it stops standing.
    pub expires_at: Time,
}

impl Challenge {
    /// Where it stands at `now`: nobody has to tell an offer that its time is over.
    pub fn status_at(&self, now: Time) -> Status {
        match self.status {
            Status::Open if self.expires_at <= now => Status::Expired,
            status => status,
        }
    }

    /// The hash of the seed that chance will be drawn from: public from the beginning.
    pub fn chance_commitment(&self) -> Digest {
        Digest::of(&Chance::commitment(&self.chance))
    }

    /// Whether `account` made it, is whom it is addressed to, or has a seat in it.
    pub fn concerns(&self, account: AccountId) -> bool {
        let invited = self.opponent.as_ref().is_some_and(|player| player.id == account);
        invited || self.creator.id == account || self.seats.iter().flatten().any(|sitter| sitter.player.id == account)
    }

    /// Whether `viewer` may know that it exists.
    pub fn is_visible_to(&self, viewer: Option<AccountId>) -> bool {
        let is = |player: &Player| Some(player.id) == viewer;
        match self.visibility {
            Visibility::Open | Visibility::Link => true,
            Visibility::Direct => is(&self.creator) || self.opponent.as_ref().is_some_and(is),
        }
    }
}

/// What somebody offers.
pub struct Offer {
    /// The terms of the match.
    pub terms: MatchSettings,
    /// Whom it is addressed to.
    pub to: Option<Username>,
    /// Who may see it.
    pub visibility: Visibility,
    /// A few words.
    pub message: Option<Message>,
    /// How reliable somebody has to be to accept it, in percent.
    pub least_reliability_percent: Option<u8>,
    /// How long it stands.
    pub expires_in_s: u32,
    /// What its creator brings to seat 0: a number into the rule set's wishes, and a nonce.
    pub wish: Option<u8>,
    /// What its creator mixes into chance.
    pub nonce: Option<Nonce>,
}

/// How somebody wants to sit.
#[derive(Default)]
pub struct Seating {
    /// The seat; the first that is free unless given.
    pub seat: Option<Seat>,
    /// What the seat shall be called.
    pub nation: Option<Nation>,
    /// What he mixes into chance.
    pub nonce: Option<Nonce>,
    /// The commitment to chance that he has seen on the challenge: he sits down under no other.
    pub chance_commitment: Option<Digest>,
}

/// Opens a challenge; its creator takes the first seat.
pub async fn open(tx: &mut Tx, ctx: &Context, creator: &Identity, offer: Offer) -> Result<Challenge> {
    let opponent = match &offer.to {
        Some(name) => Some(addressee(tx, ctx, creator, name).await?),
        None => {
            account::lock_active(tx, ctx, creator.account).await?;
            None
        }
    };
    put_up(tx, ctx, creator, opponent, offer, None).await
}

/// The match that a challenge repeats, and what the other seat shall be called.
struct Repeats {
    match_id: MatchId,
    counter_wish: Option<u8>,
}

/// Puts up a challenge between accounts that are held already.
async fn put_up(
    tx: &mut Tx,
    ctx: &Context,
    creator: &Identity,
    opponent: Option<Player>,
    offer: Offer,
    repeats: Option<Repeats>,
) -> Result<Challenge> {
    let now = ctx.clock.now();
    has_room(tx, creator.account, now).await?;
    let creator = creator.player();
    let Offer { wish, nonce, .. } = offer;
    let mut seats = vec![None; usize::from(offer.terms.seats)];
    let rating = rating(tx, creator.id, &offer.terms).await?;
    seats[0] = Some(Participant { player: creator.clone(), wish, nonce, rating });
    let challenge = Challenge {
        id: ctx.new_id(),
        creator,
        opponent,
        terms: offer.terms,
        visibility: offer.visibility,
        message: offer.message.map(|message| message.as_str().to_owned()),
        status: Status::Open,
        reason: None,
        seats,
        chance: ctx.random(),
        least_reliability_percent: offer.least_reliability_percent,
        match_id: None,
        rematch_of: repeats.as_ref().map(|repeats| repeats.match_id),
        counter_wish: repeats.and_then(|repeats| repeats.counter_wish),
        created_at: now,
        expires_at: now.plus_s(offer.expires_in_s),
    };
    store::challenges::insert(tx, &challenge).await?;
    if let Some(opponent) = &challenge.opponent {
        let event = ChallengeReceivedEvent::at(now, challenge.id, challenge.creator.id).into();
        events::tell(tx, ctx, events::told(opponent.id, &[event])?).await?;
    }
    Ok(challenge)
}

/// What the account is rated in the pool of matches with these terms.
async fn rating(conn: &mut Conn, account: AccountId, terms: &MatchSettings) -> Result<Option<i32>> {
    let Some(pool) = Pool::of(terms.variant, usize::from(terms.seats), &terms.clock) else { return Ok(None) };
    Ok(ratings::read::shown(conn, &[(account, pool)]).await?.pop().flatten())
}

/// Whether the account may sit in one more open challenge; else `too-many-open`.
async fn has_room(tx: &mut Tx, account: AccountId, now: Time) -> Result<()> {
    if store::challenges::count_open(tx, account, now).await? < MAX_OPEN {
        return Ok(());
    }
    let detail = format!(
        "An account may sit in {MAX_OPEN} open challenges at most, its own included: withdraw one of yours, or give back a seat (decline) first."
    );
    Err(Error::new(&problem::TOO_MANY_OPEN, detail))
}

/// Whether the account is as reliable as a challenge demands; else `not-reliable-enough`. Who has not finished a match yet is.
async fn is_reliable_enough(conn: &mut Conn, account: AccountId, least_percent: Option<u8>) -> Result<()> {
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

async fn addressee(tx: &mut Tx, ctx: &Context, creator: &Identity, name: &Username) -> Result<Player> {
    let found = accounts::store::accounts::find_player(tx, name).await?;
    let unknown = || Error::invalid_at("/to", "unknown-player", format!("there is no player named {name}"));
    let player = found.ok_or_else(unknown)?;
    if player.id == creator.account {
        return Err(Error::invalid_at("/to", "own-name", "nobody can challenge himself"));
    }
    // He may be deleting his account at this moment, and either may be blocking the other: that comes before and is seen here, or after and sees the challenge.
    let other = account::lock_active_with(tx, ctx, creator.account, player.id).await?;
    if blocks::blocks(tx, creator.account, player.id).await? {
        return Err(Error::plain(&problem::PLAYER_BLOCKED));
    }
    // Who is blocked by him is told the same as if nobody had the name.
    if other == OtherAccount::Deleted || blocks::blocks(tx, player.id, creator.account).await? {
        return Err(unknown());
    }
    if other == OtherAccount::Suspended {
        return Err(Error::invalid_at("/to", "suspended-player", format!("{name} is suspended and accepts nothing")));
    }
    Ok(player)
}

/// The challenge, if `viewer` may know it.
pub async fn find(conn: &mut Conn, id: ChallengeId, viewer: Option<AccountId>) -> Result<Challenge> {
    let found = store::challenges::find(conn, id).await?;
    let challenge = found.filter(|challenge| challenge.is_visible_to(viewer)).ok_or_else(Error::not_found)?;
    if let Some(viewer) = viewer {
        blocking::are_not(conn, &challenge, viewer).await?;
    }
    Ok(challenge)
}

/// Takes a seat: the one that is named, else the first that is free; under the nation that is named, if nobody else has it. With the last seat the match
/// begins. Fails with `not-found` when he and its creator are kept apart, with `not-reliable-enough`, with `other-chance` when the challenge has committed to another chance than the
/// caller believes, and with `too-many-open` when he would
/// have to wait in one open challenge too many.
pub async fn accept(
    tx: &mut Tx,
    matches: &Matches,
    who: &Identity,
    id: ChallengeId,
    wanted: Seating,
) -> Result<Challenge> {
    account::lock_active(tx, matches, who.account).await?;
    let now = matches.clock.now();
    let mut challenge = lock_open(tx, id, who.account, now).await?;
    if challenge.seats.iter().flatten().any(|sitter| sitter.player.id == who.account) {
        return Err(Error::new(&problem::NOT_FOR_YOU, "You sit at this match already."));
    }
    if blocks::apart(tx, challenge.creator.id, who.account).await? {
        return Err(Error::not_found());
    }
    if wanted.chance_commitment.is_some_and(|believed| believed != challenge.chance_commitment()) {
        return Err(Error::plain(&problem::CHANCE_COMMITMENT_CHANGED));
    }
    is_reliable_enough(tx, who.account, challenge.least_reliability_percent).await?;
    let free = |seat: usize| challenge.seats.get(seat).is_some_and(Option::is_none);
    let seat = match wanted.seat {
        Some(seat) => Some(usize::from(seat.0)).filter(|&seat| free(seat)),
        None => (0..challenge.seats.len()).find(|&seat| free(seat)),
    };
    let seat = seat.ok_or_else(|| Error::plain(&problem::SEAT_TAKEN))?;
    let wish = wanted.nation.map(|nation| nation.among(&challenge.terms.rules)).transpose();
    let wish = wish.map_err(|fault| Error::invalid(vec![fault]))?.or(challenge.counter_wish);
    if wish.is_some() && challenge.seats.iter().flatten().any(|sitter| sitter.wish == wish) {
        return Err(Error::plain(&problem::NATION_TAKEN));
    }
    if challenge.seats.iter().filter(|seat| seat.is_none()).count() > 1 {
        has_room(tx, who.account, now).await?;
    }
    let rating = rating(tx, who.account, &challenge.terms).await?;
    challenge.seats[seat] = Some(Participant { player: who.player(), wish, nonce: wanted.nonce, rating });
    store::challenges::seat(tx, &challenge, seat).await?;
    let mut of_the_match = Vec::new();
    if let Some(sitters) = challenge.seats.iter().cloned().collect::<Option<Vec<_>>>() {
        let opened =
            matches::open::open(tx, matches, &challenge.terms, &sitters, challenge.chance, MatchOrigin::Challenge(id))
                .await?;
        challenge.status = Status::Accepted;
        challenge.match_id = Some(opened.id);
        of_the_match = opened.told;
        store::challenges::settle(tx, &challenge).await?;
    }
    let event = ChallengeAcceptedEvent::at(now, id, who.account, challenge.match_id).into();
    let mut told = told_all(others(&challenge, who.account), &event)?;
    told.extend(of_the_match);
    events::tell(tx, matches, told).await?;
    Ok(challenge)
}

/// The player it is addressed to says no; or somebody who has taken a seat gives it back, and the challenge goes on waiting.
pub async fn decline(
    tx: &mut Tx,
    ctx: &Context,
    who: &Identity,
    id: ChallengeId,
    reason: DeclineReason,
) -> Result<Challenge> {
    let now = ctx.clock.now();
    let mut challenge = lock_open(tx, id, who.account, now).await?;
    let is_his = |sitter: &Option<Participant>| sitter.as_ref().is_some_and(|sitter| sitter.player.id == who.account);
    if let Some(seat) = challenge.seats.iter_mut().skip(1).find(|seat| is_his(seat)) {
        *seat = None;
        store::challenges::vacate(tx, id, who.account).await?;
        let event = ChallengeLeftEvent::at(now, id, who.account).into();
        events::tell(tx, ctx, told_all(others(&challenge, who.account), &event)?).await?;
        return Ok(challenge);
    }
    if challenge.opponent.as_ref().map(|player| player.id) != Some(who.account) {
        let detail =
            "Only the player that a challenge is addressed to can decline it, and those who have taken a seat.";
        return Err(Error::new(&problem::NOT_FOR_YOU, detail));
    }
    challenge.status = Status::Declined;
    challenge.reason = Some(reason);
    store::challenges::settle(tx, &challenge).await?;
    let event = ChallengeDeclinedEvent::at(now, id, who.account, Some(reason.word())).into();
    events::tell(tx, ctx, told_all(others(&challenge, who.account), &event)?).await?;
    Ok(challenge)
}

/// Its creator takes it back.
pub async fn withdraw(tx: &mut Tx, ctx: &Context, who: &Identity, id: ChallengeId) -> Result<()> {
    let now = ctx.clock.now();
    let mut challenge = lock_open(tx, id, who.account, now).await?;
    if challenge.creator.id != who.account {
        let detail = "Only the player who made a challenge can withdraw it.";
        return Err(Error::new(&problem::NOT_FOR_YOU, detail));
    }
    challenge.status = Status::Withdrawn;
    store::challenges::settle(tx, &challenge).await?;
    let event = ChallengeWithdrawnEvent::at(now, id).into();
    events::tell(tx, ctx, told_all(others(&challenge, who.account), &event)?).await
}

/// Whom a change of a challenge concerns, but for the one who made it.
pub(crate) fn others(challenge: &Challenge, changer: AccountId) -> Vec<AccountId> {
    let mut concerned = concerned(challenge);
    concerned.retain(|account| *account != changer);
    concerned
}

/// Whom a challenge concerns: the one it is addressed to and those who sit in it, its creator among them.
fn concerned(challenge: &Challenge) -> Vec<AccountId> {
    let seated = challenge.seats.iter().flatten().map(|sitter| sitter.player.id);
    let mut concerned: Vec<_> = seated.chain(challenge.opponent.as_ref().map(|player| player.id)).collect();
    concerned.sort_unstable();
    concerned.dedup();
    concerned
}

/// The same event, told to each of them.
pub(crate) fn told_all(accounts: Vec<AccountId>, event: &AccountEvent) -> Result<Vec<Told>> {
    let told = accounts.into_iter().map(|account| events::told(account, std::slice::from_ref(event)));
    told.filter_map(Result::transpose).collect()
}

/// Locks a challenge that is still open, for the rest of the transaction.
async fn lock_open(tx: &mut Tx, id: ChallengeId, who: AccountId, now: Time) -> Result<Challenge> {
    let found = store::challenges::lock(tx, id).await?;
    let challenge = found.filter(|challenge| challenge.is_visible_to(Some(who))).ok_or_else(Error::not_found)?;
    match challenge.status_at(now) {
        Status::Open => Ok(challenge),
        status => {
            let detail = format!("The challenge is {}.", status.word());
            Err(Error::new(&problem::CHALLENGE_CLOSED, detail))
        }
    }
}
