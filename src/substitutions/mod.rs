//! Substitutes: another player takes over a seat in a running match, because its player must leave.
//!
//! | step | content | file |
//! |---|---|---|
//! | request | the player of a seat, an organizer, or a moderator requests a substitute | [`request`] |
//! | accept | an eligible player takes the offer, or declines it | [`candidate`] |
//! | agree | the other players of the match, or an organizer, agree or object | [`decide`] |
//! | hand over | the seat changes hands, or the request ends otherwise | [`settle`] |
//!
//! A request is a row whose lock orders all changes; the seat itself changes hands in one transaction with the entry of
//! the match ([`crate::matches::hand_over`]). A node that is killed in between leaves a due request, and the job of any
//! node continues it.

pub mod candidate;
pub mod decide;
pub mod request;
pub mod settle;
pub(crate) mod store;

use broadside_rules::{HandOverDecision, Seat, Time};

use crate::contests::Contest;
use crate::db::{Conn, Tx};
use crate::error::{Error, Result, problem};
use crate::events::{self, AccountEvent, Notification};
use crate::ids::{AccountId, MatchId, SubstitutionId};
use crate::listed::Listed;
use crate::matches::hand_over::SeatFacts;
use crate::player::Player;
use crate::string_enums::string_enums;
use crate::texts::{line, texts};

/// Time that an offer waits for a candidate, in seconds: seven days.
pub const OFFER_S: u32 = 7 * 86_400;
/// Time for the other players' answers, in seconds: three days.
pub const ANSWER_S: u32 = 3 * 86_400;
/// Most requests by one right for one seat in a day.
pub const MAX_A_DAY: i64 = 3;

string_enums! {
    /// How a request for a substitute stands.
    pub enum SubstitutionStatus {
        /// It waits for somebody who takes the seat.
        Open,
        /// Somebody is ready, and the others, or who runs the contest, have to agree.
        Proposed,
        /// The seat was handed over.
        Completed,
        /// Whoever asked has taken it back.
        Withdrawn,
        /// Whoever was asked has declined.
        Declined,
        /// The others, or who runs the contest, have objected; or those who may have asked for a substitute themselves.
        Refused,
        /// Its time is over, or there is nothing to hand over any more.
        Expired,
        /// The candidate may not take the seat any more: they take part in the ladder or the tournament by now, they
        /// were in the spectators' room of the match, or there is a block between them and a player of the match.
        NotAllowed,
    }

    /// By what right a substitute was asked for.
    pub enum SubstitutionSource {
        /// The player gives the seat away.
        Player,
        /// Somebody who runs the ladder or the tournament looks for a substitute.
        Organizer,
        /// A moderator does.
        Moderator,
    }
}

texts! {
    /// The message with a request for a substitute: 1 to 200 characters on one line, not all of them blank.
    pub struct SubstitutionMessage: |text| line(text, 1, 200);
}

pub struct Substitution {
    pub id: SubstitutionId,
    pub match_id: MatchId,
    pub variant: String,
    pub seat: Seat,
    /// The right of the request.
    pub asked_by: SubstitutionSource,
    pub requester: AccountId,
    /// The present or former player of the seat.
    pub player: Player,
    /// The player asked; `None` for an open offer.
    pub named: Option<Player>,
    /// The player who has accepted, or has taken over.
    pub candidate: Option<Player>,
    pub status: SubstitutionStatus,
    pub message: Option<String>,
    /// The accounts that have answered; true if they agree.
    pub answers: Vec<(AccountId, bool)>,
    pub created_at: Time,
    /// The time of expiry, or of silent consent.
    pub due_at: Time,
    pub closed_at: Option<Time>,
}

/// The deciders about a candidate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Deciders {
    /// The other players still in the match.
    Players,
    Organizers(Contest),
    Moderators,
}

impl Substitution {
    pub fn deciders(&self, facts: &SeatFacts) -> Deciders {
        match (facts.contest, self.asked_by) {
            (Some(contest), _) => Deciders::Organizers(contest),
            (None, SubstitutionSource::Player) => Deciders::Players,
            (None, _) => Deciders::Moderators,
        }
    }

    /// Fails with `substitution-closed` unless it is in this state.
    pub(crate) fn must_be(&self, status: SubstitutionStatus) -> Result<()> {
        if self.status == status { Ok(()) } else { Err(Error::plain(&problem::SUBSTITUTION_CLOSED)) }
    }

    /// True if the account is the requester, the named player, or the candidate.
    pub fn concerns(&self, account: AccountId) -> bool {
        let is = |player: &Option<Player>| player.as_ref().is_some_and(|player| player.id == account);
        self.requester == account || self.player.id == account || is(&self.named) || is(&self.candidate)
    }

    /// The accounts to notify, except one: the players of the match, and those whom the request concerns.
    fn audience(&self, facts: &SeatFacts, but: Option<AccountId>) -> Vec<AccountId> {
        let concerned = self.named.iter().chain(&self.candidate).map(|player| player.id).chain([self.requester]);
        let mut all: Vec<AccountId> = facts.players.iter().map(|player| player.id).chain(concerned).collect();
        all.sort_unstable();
        all.dedup();
        all.retain(|account| Some(*account) != but);
        all
    }
}

impl Deciders {
    /// The decision as recorded in the match's log.
    pub fn decision(self) -> HandOverDecision {
        match self {
            Self::Players => HandOverDecision::Agreement,
            Self::Organizers(_) => HandOverDecision::Organizer,
            Self::Moderators => HandOverDecision::Moderator,
        }
    }
}

fn told(accounts: Vec<AccountId>, event: &AccountEvent) -> Result<Vec<Notification>> {
    let each = accounts.into_iter().map(|account| events::notification(account, std::slice::from_ref(event)));
    each.filter_map(Result::transpose).collect()
}

/// A request; fails with `not-found`.
async fn find(conn: &mut Conn, id: SubstitutionId) -> Result<Substitution> {
    look_for(conn, id).await?.ok_or_else(Error::not_found)
}

/// A request; `None` if there is none.
pub async fn look_for(conn: &mut Conn, id: SubstitutionId) -> Result<Option<Substitution>> {
    store::find(conn, id).await
}

/// The requests of a match, newest first.
pub async fn of_match(
    conn: &mut Conn,
    id: MatchId,
    before: Option<SubstitutionId>,
    limit: i64,
) -> Result<Listed<Substitution>> {
    store::of_match(conn, id, before, limit).await
}

/// Seats on open offer, newest first, without matches that have a block between the viewer and a player; with `mine`,
/// those offered to or requested by the viewer.
pub async fn list(
    conn: &mut Conn,
    viewer: Option<AccountId>,
    mine: bool,
    before: Option<SubstitutionId>,
    limit: i64,
) -> Result<Listed<Substitution>> {
    match viewer.filter(|_| mine) {
        Some(viewer) => store::mine(conn, viewer, before, limit).await,
        None => store::offered(conn, viewer, before, limit).await,
    }
}

/// Every request made by an account, for its own export.
pub async fn export(conn: &mut Conn, account: AccountId) -> Result<Listed<Substitution>> {
    store::of_account(conn, account).await
}

/// The running matches with a requested substitute for the account: these aren't resigned when it is deleted. If nobody
/// takes the seat, its clock decides.
pub async fn matches_on_offer(conn: &mut Conn, account: AccountId) -> Result<Vec<MatchId>> {
    store::matches_on_offer(conn, account).await
}

/// Removes an account that is being deleted from all requests: seats that it would have taken over are free again.
pub async fn forget(tx: &mut Tx, account: AccountId, now: Time) -> Result<()> {
    store::forget(tx, account, now).await
}
