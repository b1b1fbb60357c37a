//! Substitutes: another player takes over a seat in the middle of a match, since whoever had it must leave.
//!
//! | step | what | file |
//! |---|---|---|
//! | ask | the player of a seat, who runs the contest, or a moderator asks for a substitute | [`request`] |
//! | be ready | somebody who may takes the offer, or declines it | [`candidate`] |
//! | agree | the others of the match, or who runs the contest, agree or object | [`decide`] |
//! | hand over | the seat changes hands, or the request ends otherwise | [`settle`] |
//!
//! A request is a row that its lock keeps in order; the seat itself changes hands in one transaction with the entry of
//! the match ([`crate::matches::hand_over`]). A node that is killed in between leaves a request that is due, and the
//! job of any node goes on with it.

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

/// How long an offer waits for somebody who takes it, in seconds: seven days.
pub const OFFER_S: u32 = 7 * 86_400;
/// How long the others have to answer, in seconds: three days.
pub const ANSWER_S: u32 = 3 * 86_400;
/// How many requests by one right there may be for one seat within a day.
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
    /// What is said with a request for a substitute: 1 to 200 characters on one line, not all of them blank.
    pub struct SubstitutionMessage: |text| line(text, 1, 200);
}

/// A request for a substitute.
pub struct Substitution {
    /// Names it.
    pub id: SubstitutionId,
    pub match_id: MatchId,
    pub variant: String,
    pub seat: Seat,
    /// By what right it was asked for.
    pub asked_by: SubstitutionSource,
    /// Who has asked.
    pub requester: AccountId,
    /// Who has the seat, or had it.
    pub player: Player,
    /// Who is asked; none: whoever may.
    pub named: Option<Player>,
    /// Who is ready to take it over, or has.
    pub candidate: Option<Player>,
    /// How it stands.
    pub status: SubstitutionStatus,
    /// What was said with it.
    pub message: Option<String>,
    /// Who has answered, and whether they agree.
    pub answers: Vec<(AccountId, bool)>,
    /// When it was made.
    pub created_at: Time,
    /// When it expires, or when silence counts.
    pub due_at: Time,
    /// When it was over.
    pub closed_at: Option<Time>,
}

/// Who decides about a candidate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Deciders {
    /// The others who still play.
    Players,
    /// Who runs the contest.
    Organizers(Contest),
    /// The moderators.
    Moderators,
}

impl Substitution {
    /// Who decides about a candidate.
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

    /// Whether the account has made it, is asked, or is ready.
    pub fn concerns(&self, account: AccountId) -> bool {
        let is = |player: &Option<Player>| player.as_ref().is_some_and(|player| player.id == account);
        self.requester == account || self.player.id == account || is(&self.named) || is(&self.candidate)
    }

    /// Everybody who is told of it, but for one: the players of the match, and whom it concerns.
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
    /// What stands in the match's log.
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

/// A request; `not-found` if there is none.
async fn find(conn: &mut Conn, id: SubstitutionId) -> Result<Substitution> {
    look_for(conn, id).await?.ok_or_else(Error::not_found)
}

/// A request; none: there is no such request.
pub async fn look_for(conn: &mut Conn, id: SubstitutionId) -> Result<Option<Substitution>> {
    store::find(conn, id).await
}

/// The requests of a match, the newest first.
pub async fn of_match(
    conn: &mut Conn,
    id: MatchId,
    before: Option<SubstitutionId>,
    limit: i64,
) -> Result<Listed<Substitution>> {
    store::of_match(conn, id, before, limit).await
}

/// The seats that whoever may can take, the newest first, but for those of matches with somebody whom the viewer blocks
/// or who blocks the viewer; and with `mine` those for which the viewer is asked or has asked.
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

/// Every request that an account has made, for its own export.
pub async fn export(conn: &mut Conn, account: AccountId) -> Result<Listed<Substitution>> {
    store::of_account(conn, account).await
}

/// The running matches in which a substitute is looked for in place of the account: these aren't resigned when it is
/// deleted. If nobody takes the seat, its clock decides.
pub async fn matches_on_offer(conn: &mut Conn, account: AccountId) -> Result<Vec<MatchId>> {
    store::matches_on_offer(conn, account).await
}

/// Takes an account that is being deleted out of all requests: what it would have taken over is free again.
pub async fn forget(tx: &mut Tx, account: AccountId, now: Time) -> Result<()> {
    store::forget(tx, account, now).await
}
