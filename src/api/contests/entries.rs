//! Requests to join a ladder or a tournament, and invitations, over HTTP. Both kinds of contests share them.

use actix_web::{HttpRequest, delete, get, post, put, web};
use broadside_rules::Time;
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::http::auth::{Caller, LobbyRead, LobbyWrite};
use crate::api::http::bodies::EmptyRequest;
use crate::api::http::extract::{Change, Id};
use crate::api::http::fields::{request, text_fields};
use crate::api::http::paging::is_whole;
use crate::api::http::reply::{Answer, Reply};
use crate::api::social::players::named;
use crate::app::App;
use crate::audit_log::AuditReason;
use crate::contests::access::{ContestVisibility, EntryMode};
use crate::contests::entries::{self, AccountEntry, EntryState, NamedEntry};
use crate::contests::organizers::{self, Needs};
use crate::contests::{Contest, either, head};
use crate::idempotency::Tx;
use crate::ids::{AccountId, ContestId, LadderId, TournamentId};
use crate::player::Player;
use crate::rate_limits::RateLimitKey;
use crate::{ladders, tournaments};

text_fields!(ContestVisibility, EntryMode);

/// How the caller stands towards a contest that they aren't in.
#[derive(Serialize, ToSchema)]
pub struct OwnEntry {
    state: EntryState,
    /// Since when.
    since: Time,
}

impl OwnEntry {
    pub fn of(state: EntryState, since: Time) -> Self {
        Self { state, since }
    }
}

/// A request or an invitation of an account, in an export.
#[derive(Serialize, ToSchema)]
pub struct ExportedEntry {
    /// The ladder; null: it is a tournament.
    ladder_id: Option<LadderId>,
    /// The tournament; null: it is a ladder.
    tournament_id: Option<TournamentId>,
    state: EntryState,
    /// Since when.
    since: Time,
}

impl ExportedEntry {
    pub fn of(contest: Contest, state: EntryState, since: Time) -> Self {
        let (ladder_id, tournament_id) = either(contest);
        Self { ladder_id, tournament_id, state, since }
    }
}

/// A request of yours, or an invitation to you.
#[derive(Serialize, ToSchema)]
#[schema(as = AccountContestEntry)]
pub struct AccountEntryBody {
    /// The ladder; null: it is a tournament.
    ladder_id: Option<LadderId>,
    /// The tournament; null: it is a ladder.
    tournament_id: Option<TournamentId>,
    /// What it is called.
    #[schema(max_length = 80, pattern = "^[^\\u0000-\\u001f]+$")]
    title: String,
    /// `requested` or `invited`.
    state: EntryState,
    /// Since when.
    since: Time,
    /// The organizer who has invited you; null: it is a request, or nobody in particular has.
    invited_by: Option<Player>,
}

impl From<AccountEntry> for AccountEntryBody {
    fn from(entry: AccountEntry) -> Self {
        let (ladder_id, tournament_id) = either(entry.contest);
        let AccountEntry { title, state, at, invited_by, .. } = entry;
        Self { ladder_id, tournament_id, title, state, since: at, invited_by }
    }
}

/// Your requests and invitations.
#[derive(Serialize, ToSchema)]
pub struct AccountContestEntries {
    /// The newest first.
    #[schema(max_items = 200)]
    items: Vec<AccountEntryBody>,
    /// True if an entry can't be read and is left out; not there otherwise.
    #[serde(skip_serializing_if = "is_whole")]
    incomplete: bool,
}

/// A player who waits to get in, or is invited.
#[derive(Serialize, ToSchema)]
#[schema(as = ContestEntry)]
pub struct EntryBody {
    player: Player,
    /// Since when.
    since: Time,
    /// Of a request to a ladder: how many pairings at once the player wants.
    #[schema(minimum = 1, maximum = 20, format = Int32)]
    wanted_pairings: u32,
    /// Of an invitation: the account of the organizer who has invited.
    invited_by_id: Option<AccountId>,
}

impl From<NamedEntry> for EntryBody {
    fn from(NamedEntry { entry, player }: NamedEntry) -> Self {
        Self { player, since: entry.at, wanted_pairings: entry.wanted, invited_by_id: entry.invited_by }
    }
}

/// The players who wait, or those who are invited.
#[derive(Serialize, ToSchema)]
pub struct ContestEntries {
    /// The oldest first.
    #[schema(max_items = 200)]
    items: Vec<EntryBody>,
    /// True if an entry can't be read and is left out; not there otherwise.
    #[serde(skip_serializing_if = "is_whole")]
    incomplete: bool,
}

request! {
    /// What to tell a player whose request is declined.
    pub struct DeclineEntryRequest {
        /// Why: 1 to 500 characters. The player can read it.
        #[schema(value_type = Option<String>, min_length = 1, max_length = 500, pattern = "^[^\\u0000-\\u001f\\u007f]+$")]
        pub reason: Option<AuditReason>,
    }
}

async fn listed(app: &App, caller: &Caller<LobbyRead>, id: ContestId, state: EntryState) -> Answer {
    let mut conn = app.db.conn().await?;
    let head = head::run_by(&mut conn, app, id, caller).await?;
    let found = entries::waiting(&mut conn, head.contest, state).await?;
    let incomplete = found.is_incomplete();
    Ok(Reply::ok(&ContestEntries { items: found.map(EntryBody::from).items, incomplete })?)
}

/// List your requests and invitations
///
/// Ladders and tournaments that you have asked to join, and those to which you are invited, as long as one can join
/// them. Join one by its own `join`.
#[utoipa::path(tag = "contests", operation_id = "list_account_contest_entries", security(("bearer" = ["lobby:read"])),
    responses((status = 200, description = "All of them.", body = AccountContestEntries)))]
#[get("/v1/account/contest-entries")]
pub async fn list_account_contest_entries(app: web::Data<App>, caller: Caller<LobbyRead>) -> Answer {
    let found = entries::pending_of(&mut app.db.conn().await?, caller.account).await?;
    let incomplete = found.is_incomplete();
    Ok(Reply::ok(&AccountContestEntries { items: found.map(AccountEntryBody::from).items, incomplete })?)
}

/// List requests to join
///
/// For those who run the ladder or the tournament. Refused with `not-an-organizer`.
#[utoipa::path(tag = "contests", operation_id = "list_entry_requests", security(("bearer" = ["lobby:read"])),
    params(("id" = ContestId, Path, description = "The ladder or the tournament.")),
    responses((status = 200, description = "Those who wait.", body = ContestEntries)))]
#[get("/v1/contests/{id}/entry-requests")]
pub async fn list_entry_requests(app: web::Data<App>, caller: Caller<LobbyRead>, id: Id<ContestId>) -> Answer {
    listed(&app, &caller, id.0, EntryState::Requested).await
}

/// Withdraw your request to join
///
/// Nothing happens if none waits.
#[utoipa::path(tag = "contests", operation_id = "withdraw_entry_request", security(("bearer" = ["lobby:write"])),
    params(("id" = ContestId, Path, description = "The ladder or the tournament.")),
    responses((status = 204, description = "No request of yours waits.")))]
#[delete("/v1/contests/{id}/entry-request")]
pub async fn withdraw_entry_request(app: web::Data<App>, caller: Caller<LobbyWrite>, id: Id<ContestId>) -> Answer {
    let mut tx = app.db.begin().await?;
    let contest = head::seen(&mut tx, &app, id.0, Some(&caller)).await?.contest;
    head::lock(&mut tx, id.0).await?;
    entries::withdraw(&mut tx, &app, contest, caller.account).await?;
    tx.commit().await?;
    Ok(Reply::no_content())
}

/// Accept a request to join
///
/// For those who run the ladder or the tournament: the player has joined, if nothing is against it at this moment, and
/// is told. Refused with `not-an-organizer`, with `not-found` if the player has not asked, and with `not-eligible`,
/// where `errors` names everything that keeps them out.
#[utoipa::path(tag = "contests", operation_id = "accept_entry_request", security(("bearer" = ["lobby:write"])),
    params(("id" = ContestId, Path, description = "The ladder or the tournament."),
        ("username" = String, Path, description = "The name; case makes no difference.",
        min_length = 3, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]{2,23}$", example = "ben")),
    request_body = EmptyRequest,
    responses((status = 204, description = "The player is in.")))]
#[post("/v1/contests/{id}/entry-requests/{username}/accept")]
pub async fn accept_entry_request(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    id: Id<ContestId>,
    request: HttpRequest,
    change: Change<EmptyRequest>,
) -> Answer {
    let name = named(&request)?;
    let work = async |tx: &mut Tx| {
        let contest = head::seen(tx, &app, id.0, Some(&caller)).await?.contest;
        let player = organizers::lock_named(tx, &app, &caller, &name).await?;
        match contest {
            Contest::Ladder(id) => {
                let (ladder, _) = ladders::edit::hold(tx, &app, &caller, id, Needs::Organizer).await?;
                ladders::join::accept(tx, &app, &ladder, &player).await?;
            }
            Contest::Tournament(id) => {
                let (tournament, _) = tournaments::edit::hold(tx, &app, &caller, id, Needs::Organizer).await?;
                tournaments::entry::accept(tx, &app, tournament, &player).await?;
            }
        }
        Ok(Reply::no_content())
    };
    change.once.run(&app, &RateLimitKey::Account(caller.account), work).await
}

/// Decline a request to join
///
/// For those who run the ladder or the tournament. The player is told, with the reason if there is one, and can't ask
/// again for seven days. Refused with `not-an-organizer`, and with `not-found` if the player has not asked.
#[utoipa::path(tag = "contests", operation_id = "decline_entry_request", security(("bearer" = ["lobby:write"])),
    params(("id" = ContestId, Path, description = "The ladder or the tournament."),
        ("username" = String, Path, description = "The name; case makes no difference.",
        min_length = 3, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]{2,23}$", example = "ben")),
    request_body = DeclineEntryRequest,
    responses((status = 204, description = "It is declined.")))]
#[post("/v1/contests/{id}/entry-requests/{username}/decline")]
pub async fn decline_entry_request(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    id: Id<ContestId>,
    request: HttpRequest,
    change: Change<DeclineEntryRequest>,
) -> Answer {
    let name = named(&request)?;
    let reason = change.request.reason;
    let work = async |tx: &mut Tx| {
        head::seen(tx, &app, id.0, Some(&caller)).await?;
        let player = organizers::lock_named(tx, &app, &caller, &name).await?;
        let (head, _) = head::hold(tx, &app, &caller, id.0).await?;
        entries::decline(tx, &app, &caller, (head.contest, player.id), reason.as_ref()).await?;
        Ok(Reply::no_content())
    };
    change.once.run(&app, &RateLimitKey::Account(caller.account), work).await
}

/// List invitations of a contest
///
/// For those who run the ladder or the tournament. Refused with `not-an-organizer`.
#[utoipa::path(tag = "contests", operation_id = "list_contest_invitations", security(("bearer" = ["lobby:read"])),
    params(("id" = ContestId, Path, description = "The ladder or the tournament.")),
    responses((status = 200, description = "Those who are invited.", body = ContestEntries)))]
#[get("/v1/contests/{id}/invitations")]
pub async fn list_contest_invitations(app: web::Data<App>, caller: Caller<LobbyRead>, id: Id<ContestId>) -> Answer {
    listed(&app, &caller, id.0, EntryState::Invited).await
}

/// Invite a player
///
/// For those who run the ladder or the tournament. The player is told, and may join without a further question, within
/// the limits. A request of theirs becomes an invitation. Nothing happens if they are in it or invited already. Refused
/// with `not-an-organizer`, `own-account`, `player-blocked`, `player-barred`, `ladder-closed`, `tournament-closed`, and
/// `quota-exceeded` beyond 200, or when they have declined an invitation less than seven days ago.
#[utoipa::path(tag = "contests", operation_id = "invite_to_contest", security(("bearer" = ["lobby:write"])),
    params(("id" = ContestId, Path, description = "The ladder or the tournament."),
        ("username" = String, Path, description = "The name; case makes no difference.",
        min_length = 3, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]{2,23}$", example = "ben")),
    responses((status = 204, description = "The player is invited.")))]
#[put("/v1/contests/{id}/invitations/{username}")]
pub async fn invite_to_contest(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    id: Id<ContestId>,
    request: HttpRequest,
) -> Answer {
    let name = named(&request)?;
    let mut tx = app.db.begin().await?;
    head::seen(&mut tx, &app, id.0, Some(&caller)).await?;
    let player = organizers::lock_named(&mut tx, &app, &caller, &name).await?;
    let (head, _) = head::hold(&mut tx, &app, &caller, id.0).await?;
    entries::invite(&mut tx, &app, &caller, &head, &player).await?;
    tx.commit().await?;
    Ok(Reply::no_content())
}

/// Withdraw or decline an invitation
///
/// For those who run the ladder or the tournament, who take it back; and for the invited player, who declines it by
/// their own name. Nothing happens if there is none. Refused with `not-an-organizer`.
#[utoipa::path(tag = "contests", operation_id = "delete_contest_invitation", security(("bearer" = ["lobby:write"])),
    params(("id" = ContestId, Path, description = "The ladder or the tournament."),
        ("username" = String, Path, description = "The name; case makes no difference.",
        min_length = 3, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]{2,23}$", example = "ben")),
    responses((status = 204, description = "The player isn't invited.")))]
#[delete("/v1/contests/{id}/invitations/{username}")]
pub async fn delete_contest_invitation(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    id: Id<ContestId>,
    request: HttpRequest,
) -> Answer {
    let name = named(&request)?;
    let mut tx = app.db.begin().await?;
    head::seen(&mut tx, &app, id.0, Some(&caller)).await?;
    let player = organizers::lock_named(&mut tx, &app, &caller, &name).await?;
    if player.id == caller.account {
        let head = head::lock(&mut tx, id.0).await?;
        entries::refuse(&mut tx, &app, head.contest, player.id).await?;
    } else {
        let (head, _) = head::hold(&mut tx, &app, &caller, id.0).await?;
        entries::withdraw_invitation(&mut tx, &app, head.contest, player.id).await?;
    }
    tx.commit().await?;
    Ok(Reply::no_content())
}
