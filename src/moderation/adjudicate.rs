//! A moderator decides how a match ends, or what a finished one counts as; or takes back what it has done to ratings.
//!
//! Nobody judges matches in which he plays himself. The reason of an annulment, and of what a finished match is made to count as, stands in the public ledger of
//! ratings; the reason for ending a match stands in the log of moderation alone.

use std::str::FromStr;

use serde_json::json;
use utoipa::ToSchema;

use crate::accounts::Identity;
use crate::accounts::roles::{self, Actor, Role};
use crate::audit_log::{self, About, Deed, Kind, Reason};
use crate::context::Context;
use crate::db::Tx;
use crate::error::{Error, Result, problem};
use crate::events;
use crate::idempotency::Claim;
use crate::ids::{AccountId, MatchId};
use crate::matches::Matches;
use crate::matches::adjudicate::{self, Facts};
use crate::ratings::corrections::Counted;
use crate::ratings::{Change, Note, Places, corrections, rate};
use crate::words::words;

pub use crate::matches::adjudicate::Verdict;

/// How the match stood when the moderator looked at it. He decides on that, and on nothing that has happened since: what ends a running match has a private reason, what
/// changes ratings afterwards a public one, and nobody overturns what he hasn't seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ToSchema)]
#[schema(as = JudgedAs, rename_all = "kebab-case")]
pub enum Was {
    /// Under way.
    Running,
    /// Over, and it counted as it was played.
    Over,
    /// Over, and it counted as a moderator had decided afterwards (`result.adjudicated`).
    Adjudicated,
    /// Over and annulled (`result.annulled`).
    Annulled,
}

words!(Was { Running "running", Over "over", Adjudicated "adjudicated", Annulled "annulled" });

/// What a moderator decides, and why.
pub struct Decision {
    /// How the match stood when he looked.
    pub was: Was,
    /// How the match ends, or counts.
    pub verdict: Verdict,
    /// Why.
    pub reason: Reason,
}

fn not_his_own(who: &Identity, players: &[AccountId]) -> Result<()> {
    if players.contains(&who.account) {
        return Err(Error::new(&problem::NOT_FOR_YOU, "Nobody judges a match in which he plays."));
    }
    Ok(())
}

fn stands_otherwise(is: &str) -> Error {
    let detail = format!("The match is {is}: read it again, and say in `was` what you decide on.");
    Error::new(&problem::STANDS_OTHERWISE, detail)
}

fn described(verdict: Verdict, over: bool) -> serde_json::Value {
    let (word, winner) = match verdict {
        Verdict::Win(seat) => ("win", Some(seat.0)),
        Verdict::Draw => ("draw", None),
        Verdict::NoResult => ("no-result", None),
    };
    json!({ "verdict": word, "winner": winner, "was_over": over })
}

/// Ends a match that is under way. `stands-otherwise` if it is over by now: nothing has happened then, and [`recount`] is for that.
pub async fn end(
    matches: &Matches,
    who: &Identity,
    id: MatchId,
    decision: &Decision,
    claim: Option<&Claim>,
) -> Result<()> {
    let facts = adjudicate::facts(matches, id).await?;
    not_his_own(who, &facts.players)?;
    let first = async |tx: &mut Tx| {
        let actor = roles::required(tx, matches, who, Role::Moderator).await?;
        let details = described(decision.verdict, false);
        let (kind, reason) = (Kind::MatchAdjudicated, decision.reason.clone());
        audit_log::note(tx, matches, actor, Deed { kind, about: About::a_match(id), reason, details }).await.map(drop)
    };
    if adjudicate::end(matches, id, decision.verdict, claim, first).await? {
        Ok(())
    } else {
        Err(stands_otherwise("over"))
    }
}

/// What there is to know of a match that is over, for a moderator who may judge it; `stands-otherwise` while it is running.
pub async fn finished(matches: &Matches, who: &Identity, id: MatchId) -> Result<Facts> {
    let facts = adjudicate::facts(matches, id).await?;
    not_his_own(who, &facts.players)?;
    if facts.over { Ok(facts) } else { Err(stands_otherwise("under way")) }
}

/// Has a [finished](finished) match count as if it had ended otherwise. Its record stays as it was played. `already-done` when it counts like that, `not-found` when it has
/// changed no rating, `stands-otherwise` when something else was decided of it meanwhile.
pub async fn recount(
    tx: &mut Tx,
    ctx: &Context,
    who: &Identity,
    id: MatchId,
    facts: &Facts,
    decision: Decision,
) -> Result<()> {
    let actor = roles::required(tx, ctx, who, Role::Moderator).await?;
    let places = places(facts, decision.verdict)?;
    let (is, word) = match corrections::counted(tx, id).await? {
        Counted::AsPlayed => (Was::Over, "over and counts as it was played"),
        Counted::AsDecided => (Was::Adjudicated, "over and adjudicated"),
        Counted::Not => (Was::Annulled, "over and annulled"),
    };
    if decision.was != is {
        return Err(stands_otherwise(word));
    }
    let note = note_of(&decision.reason)?;
    let changes = corrections::adjudicate(tx, id, &places, &note, ctx.clock.now()).await?;
    if changes.is_empty() {
        return Err(Error::new(&problem::ALREADY_DONE, "The match counts like that already."));
    }
    let details = described(decision.verdict, true);
    let deed = Deed { kind: Kind::MatchAdjudicated, about: About::a_match(id), reason: decision.reason, details };
    audit_log::note(tx, ctx, actor, deed).await?;
    events::notify(tx, ctx, rate::told(&changes)?).await
}

/// The places by which a finished match is to count: who wins stands before the others, who keep their order.
fn places(facts: &Facts, verdict: Verdict) -> Result<Places> {
    let before = facts.places.clone().unwrap_or_else(|| vec![1; facts.players.len()]);
    let places = match verdict {
        Verdict::NoResult => {
            let detail = "the match is over: what it has done to ratings is taken back by annulling it";
            return Err(Error::invalid_at("/verdict", "match-over", detail));
        }
        Verdict::Draw => vec![1; before.len()],
        Verdict::Win(winner) if winner.index() >= before.len() => {
            return Err(Error::new(&problem::NOT_FOR_YOU, "The winner must be a seat of the match."));
        }
        Verdict::Win(winner) => {
            let others =
                |own: u8| (0..before.len()).filter(|seat| *seat != winner.index() && before[*seat] < own).count();
            let place = |seat: usize| if seat == winner.index() { 1 } else { 2 + others(before[seat]) };
            (0..before.len()).map(|seat| u8::try_from(place(seat)).unwrap_or(u8::MAX)).collect()
        }
    };
    Places::new(places).map_err(Error::internal)
}

fn note_of(reason: &Reason) -> Result<Note> {
    reason.as_str().parse().map_err(|why: String| Error::invalid_at("/reason", "invalid-value", why))
}

/// Whether somebody may judge a match at all: `not-found` when there is none, `not-for-you` when he plays in it.
pub async fn may_judge(matches: &Matches, who: &Identity, id: MatchId) -> Result<()> {
    not_his_own(who, &adjudicate::facts(matches, id).await?.players)
}

/// Takes back what a match has done to ratings, for a moderator who [may judge](may_judge) it. `already-done` when it was done before, `not-found` when it has changed
/// no rating.
pub async fn annul(tx: &mut Tx, ctx: &Context, who: &Identity, id: MatchId, reason: Reason) -> Result<()> {
    let actor = roles::required(tx, ctx, who, Role::Moderator).await?;
    if annulled(tx, ctx, actor, id, reason).await?.is_empty() {
        return Err(Error::new(&problem::ALREADY_DONE, "The match was annulled before."));
    }
    Ok(())
}

/// The same for the operator. Returns the rows; none when it was done before.
pub async fn annul_as_operator(tx: &mut Tx, ctx: &Context, id: MatchId, reason: Reason) -> Result<Vec<Change>> {
    annulled(tx, ctx, Actor::OPERATOR, id, reason).await
}

async fn annulled(tx: &mut Tx, ctx: &Context, actor: Actor, id: MatchId, reason: Reason) -> Result<Vec<Change>> {
    let changes = corrections::annul(tx, id, &note_of(&reason)?, ctx.clock.now()).await?;
    if changes.is_empty() {
        return Ok(changes);
    }
    let deed = Deed { kind: Kind::MatchAnnulled, about: About::a_match(id), reason, details: json!({}) };
    audit_log::note(tx, ctx, actor, deed).await?;
    events::notify(tx, ctx, rate::told(&changes)?).await?;
    Ok(changes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use broadside_rules::Seat;
    use uuid::Uuid;

    fn counted(before: &[u8], verdict: Verdict) -> Vec<u8> {
        let players = vec![AccountId(Uuid::nil()); before.len()];
        let facts = Facts { over: true, players, places: Some(before.to_vec()) };
        places(&facts, verdict).unwrap().as_slice().to_vec()
    }

    #[test]
    fn the_others_keep_their_order_behind_the_winner() {
        assert_eq!(counted(&[1, 2], Verdict::Win(Seat(1))), [2, 1]);
        assert_eq!(counted(&[1, 1], Verdict::Win(Seat(0))), [1, 2]);
        assert_eq!(counted(&[2, 1, 3, 4], Verdict::Win(Seat(2))), [3, 2, 1, 4]);
        assert_eq!(counted(&[1, 1, 3], Verdict::Win(Seat(2))), [2, 2, 1]);
        assert_eq!(counted(&[3, 1, 2], Verdict::Draw), [1, 1, 1]);
    }
}
