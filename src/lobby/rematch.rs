//! Rematches: a direct challenge to the opponent of a finished match, on the same terms, with the sides swapped.
//!
//! Where the rule set fixes the first player, it is the one who did not begin last time. Rated matches draw lots, since
//! they use the variant's own rules. Where seats have nations, the two players swap theirs, unless the opponent asks
//! for another one.
//!
//! Both players may ask at once, and more than once. The head row of the old match is locked, so the second request
//! finds the challenge of the first and accepts it, and every later one gets the rematch. A match has one.

use broadside_rules::First;

use super::{Challenge, DEFAULT_EXPIRY_S, Offer, RematchOf, SeatRequest, Visibility, accept, create};
use crate::accounts::suspension::OtherAccount;
use crate::accounts::{Identity, account};
use crate::context::Context;
use crate::db::Tx;
use crate::error::{Error, Result, problem};
use crate::ids::{AccountId, MatchId};
use crate::lobby::store;
use crate::matches::open::MatchSettings;
use crate::matches::{MatchSnapshot, Matches, Part};
use crate::player::Player;
use crate::social::blocks;
use crate::{accounts, matches};

pub struct RematchTerms {
    of: MatchId,
    opponent: AccountId,
    terms: MatchSettings,
    wish: Option<u8>,
    counter_wish: Option<u8>,
}

/// The terms of a rematch for a player of this match. Fails with `not-found` when the player may not see the match,
/// `not-a-player` when the account did not play, `match-not-finished` while it is running, and
/// `rematch-needs-two-seats` when it had more than two seats.
pub async fn terms(matches: &Matches, who: &Identity, id: MatchId) -> Result<RematchTerms> {
    terms_of(&matches.read(id, Some(who.account)).await?, who.account)
}

fn terms_of(snapshot: &MatchSnapshot, account: AccountId) -> Result<RematchTerms> {
    let (old, view) = (snapshot.terms(), snapshot.view());
    let didnt_play = || Error::new(&problem::NOT_A_PLAYER, "Only those who played have a rematch.");
    let Part::Player(mine) = old.part_of(account) else { return Err(didnt_play()) };
    if !view.status().is_over() {
        return Err(Error::plain(&problem::MATCH_NOT_FINISHED));
    }
    let [opponent] = others(&old.players, account)[..] else { return Err(Error::plain(&problem::REMATCH_NEEDS_TWO)) };
    let rules = &old.setup.rules;
    // The player who requests the rematch takes seat 0.
    let who = if view.first() == Some(mine) { First::Opponent } else { First::Creator };
    let rules = rules.begun_by(if old.rated { First::Random } else { who });
    let nation_of = |of_mine: bool| {
        let seat = view.seats().into_iter().find(|seat| (seat.seat == mine) == of_mine)?;
        rules.seat_names().iter().position(|wish| *wish == seat.name).and_then(|wish| u8::try_from(wish).ok())
    };
    let (wish, counter_wish) = (nation_of(false), nation_of(true));
    Ok(RematchTerms { of: old.id, opponent, terms: MatchSettings::again(old, rules), wish, counter_wish })
}

fn others(players: &[Player], account: AccountId) -> Vec<AccountId> {
    players.iter().map(|player| player.id).filter(|player| *player != account).collect()
}

/// Requests the rematch: opens a challenge, accepts the opponent's, or returns the caller's own open one, or the one
/// that led to the rematch. Fails with `opponent-unavailable` when the opponent's account is deleted or blocks the
/// caller, and with `player-blocked` when the caller blocks the opponent.
pub async fn request(tx: &mut Tx, matches: &Matches, who: &Identity, terms: RematchTerms) -> Result<Challenge> {
    let opponent = opponent(tx, matches, who, terms.opponent).await?;
    matches::store::matches::lock_head(tx, terms.of).await?;
    match store::challenges::rematch(tx, terms.of, matches.clock.now()).await? {
        Some(known) if known.match_id.is_some() || known.creator.id == who.account => return Ok(known),
        Some(theirs) => return accept(tx, matches, who, theirs.id, SeatRequest::default()).await,
        None => {}
    }
    let faults = terms.terms.faults();
    if !faults.is_empty() {
        return Err(Error::invalid(faults));
    }
    let offer = Offer {
        min_reliability_percent: None,
        terms: terms.terms,
        to: None,
        invited: Vec::new(),
        visibility: Visibility::Direct,
        message: None,
        expires_in_s: DEFAULT_EXPIRY_S,
        wish: terms.wish,
        nonce: None,
    };
    let rematch = RematchOf { match_id: terms.of, counter_wish: terms.counter_wish };
    create(tx, matches, who, Some(opponent), offer, Some(rematch)).await
}

/// The opponent of the old match, with both accounts locked. Deleted accounts and those that block the caller get the
/// same answer.
async fn opponent(tx: &mut Tx, ctx: &Context, who: &Identity, id: AccountId) -> Result<Player> {
    let other = account::lock_active_with(tx, ctx, who.account, id).await?;
    if blocks::blocks(tx, who.account, id).await? {
        return Err(Error::plain(&problem::PLAYER_BLOCKED));
    }
    let wants_to = !blocks::blocks(tx, id, who.account).await?;
    let found = accounts::store::accounts::find(tx, id).await?;
    let gone = || Error::plain(&problem::OPPONENT_UNAVAILABLE);
    let account = found.filter(|_| wants_to && other == OtherAccount::Active).ok_or_else(gone)?;
    Ok(Player { id, username: account.username.to_string(), bot: account.bot })
}
