//! Once more: a direct challenge to the opponent of a match that is over, on the same terms, with the colours changed.
//!
//! Where the rule set says who begins, it is the one who didn't last time. In a rated match the lot says so, as always, since a rated match is played by the
//! variant's own rules. Where seats have nations, the two exchange theirs, unless the other wishes for another.
//!
//! Both may ask at once: the head of the old match is locked, so the second finds the first one's challenge and accepts it.

use broadside_rules::First;

use super::{Challenge, Offer, Repeats, STANDS_S, Seating, Visibility, accept, put_up};
use crate::accounts;
use crate::accounts::suspension::OtherAccount;
use crate::accounts::{Identity, account};
use crate::context::Context;
use crate::db::Tx;
use crate::error::{Error, Result, problem};
use crate::ids::{AccountId, MatchId};
use crate::lobby::store;
use crate::matches;
use crate::matches::open::MatchSettings;
use crate::matches::{MatchSnapshot, Matches};
use crate::player::Player;
use crate::social::blocks;

/// What a rematch would be.
pub struct Plan {
    of: MatchId,
    opponent: AccountId,
    terms: MatchSettings,
    wish: Option<u8>,
    counter_wish: Option<u8>,
}

/// What a rematch of this match would be for one who played in it. `not-found` when he may not see it, `not-for-you` when he didn't play, `match-not-finished` while it
/// lasts, `rematch-needs-two` when there were more seats.
pub async fn plan(matches: &Matches, who: &Identity, id: MatchId) -> Result<Plan> {
    planned(&matches.read(id, Some(who.account)).await?, who.account)
}

fn planned(snapshot: &MatchSnapshot, account: AccountId) -> Result<Plan> {
    let (old, view) = (snapshot.terms(), snapshot.view());
    let didnt_play = || Error::new(&problem::NOT_FOR_YOU, "Only those who played have a rematch.");
    let mine = old.seat_of(account).ok_or_else(didnt_play)?;
    if !view.status().is_over() {
        return Err(Error::plain(&problem::MATCH_NOT_FINISHED));
    }
    let [opponent] = others(&old.players, account)[..] else { return Err(Error::plain(&problem::REMATCH_NEEDS_TWO)) };
    let rules = &old.setup.rules;
    // Whoever asks for the rematch sits at seat 0.
    let who = if view.first() == Some(mine) { First::Opponent } else { First::Creator };
    let rules = if old.rated { old.variant.rule_set() } else { rules.begun_by(who) };
    let nation_of = |of_mine: bool| {
        let seat = view.seats().into_iter().find(|seat| (seat.seat == mine) == of_mine)?;
        rules.seat_names().iter().position(|wish| *wish == seat.name).and_then(|wish| u8::try_from(wish).ok())
    };
    let (wish, counter_wish) = (nation_of(false), nation_of(true));
    Ok(Plan { of: old.id, opponent, terms: MatchSettings::again(old, rules), wish, counter_wish })
}

fn others(players: &[Player], account: AccountId) -> Vec<AccountId> {
    players.iter().map(|player| player.id).filter(|player| *player != account).collect()
}

/// Asks for it: opens the challenge, accepts the opponent's if he was faster, or returns the caller's own if it still stands. `opponent-unavailable` when the
/// opponent has gone or doesn't want to meet the caller, `player-blocked` when the caller doesn't.
pub async fn ask(tx: &mut Tx, matches: &Matches, who: &Identity, plan: Plan) -> Result<Challenge> {
    let opponent = opponent(tx, matches, who, plan.opponent).await?;
    matches::store::matches::lock_head(tx, plan.of).await?;
    match store::challenges::open_rematch(tx, plan.of, matches.clock.now()).await? {
        Some(mine) if mine.creator.id == who.account => return Ok(mine),
        Some(his) => return accept(tx, matches, who, his.id, Seating::default()).await,
        None => {}
    }
    let faults = plan.terms.faults();
    if !faults.is_empty() {
        return Err(Error::invalid(faults));
    }
    let offer = Offer {
        least_reliability_percent: None,
        terms: plan.terms,
        to: None,
        visibility: Visibility::Direct,
        message: None,
        expires_in_s: STANDS_S,
        wish: plan.wish,
        nonce: None,
    };
    let repeats = Repeats { match_id: plan.of, counter_wish: plan.counter_wish };
    put_up(tx, matches, who, Some(opponent), offer, Some(repeats)).await
}

/// The opponent of then, held with the caller. That he is gone and that he blocks the caller are one answer.
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
