//! The caller's account over HTTP: made, read, changed, deleted, exported.

pub mod sessions;
pub mod tokens;

use actix_web::http::header;
use actix_web::{HttpRequest, delete, get, patch, post, put, web};
use broadside_rules::Time;
use serde::Serialize;

use utoipa::ToSchema;

use crate::accounts::account::{self, Account, Export, Registration};
use crate::accounts::{
    Device, Email, NewEmail, NewPassword, NewUsername, Password, Role, Suspension, Username, credentials,
};
use crate::api::abuse_reports::ExportedAbuseReport;
use crate::api::accounts::sessions::SessionTokens;
use crate::api::accounts::tokens::TokenBody;
use crate::api::calendar::CalendarBody;
use crate::api::http::auth::{AccountRead, AccountWrite, Caller, SessionOnly, Unidentified};
use crate::api::http::extract::{Body, Change};
use crate::api::http::fields::{request, text_fields};
use crate::api::http::reply::{Answer, Failure, Reply};
use crate::api::ladders::challenges::ChallengeBody as LadderChallengeBody;
use crate::api::ladders::export::LadderExport;
use crate::api::lobby::view::ChallengeBody;
use crate::api::matches::lists::MatchSummaryBody;
use crate::api::notifications::mail::{ExportedMailConfirmation, MailSettingsBody};
use crate::api::notifications::webhook_view::{DeliveryBody, WebhookBody};
use crate::api::ratings::ChangeBody;
use crate::api::rulesets::view::PublishedRuleSetBody;
use crate::api::social::export::SocialExport;
use crate::api::standing_orders::StandingOrdersBody;
use crate::api::tournaments::standings::TournamentExport;
use crate::app::App;
use crate::events::{self, AccountEvent, EventJson};
use crate::ids::{AccountId, SessionId};
use crate::ladders::position;
use crate::matches::queries;
use crate::notifications::mail;
use crate::notifications::webhooks::manage as webhooks;
use crate::rate_limits::BudgetKind;
use crate::tournaments::read as tournaments;
use crate::work_pool::Lane;
use crate::{
    abuse_reports, account_deletion, calendar, ladders, lobby, ratings, rulesets, social, standing_orders as standing,
};

text_fields!(Email, NewEmail, NewPassword, NewUsername, Password, Username);

request! {
    /// An account to make.
    pub struct CreateAccountRequest {
        /// The name: 3 to 24 ASCII letters, digits, `-` and `_`, the first a letter. Case makes no difference; some
        /// names are reserved.
        #[schema(value_type = String, min_length = 3, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]{2,23}$")]
        pub username: NewUsername,
        /// The password: 8 to 128 characters of any kind, but not one that everybody tries first, nor the name.
        #[schema(value_type = String, format = Password, min_length = 8, max_length = 128)]
        pub password: NewPassword,
        /// An e-mail address. Nobody else sees it, and no mail goes there before it is confirmed (`/v1/account/mail`).
        #[schema(value_type = Option<String>, max_length = 254, pattern = "^[^@\\s]+@[^@\\s]+$")]
        pub email: Option<Email>,
        /// Whether a program will play; false unless given. The others see it.
        pub bot: Option<bool>,
    }
}

request! {
    /// What to change of the account; what is left out stays.
    pub struct UpdateAccountRequest {
        /// Another e-mail address; empty: none.
        #[schema(value_type = Option<String>, max_length = 254, pattern = "^([^@\\s]+@[^@\\s]+)?$")]
        pub email: Option<NewEmail>,
        /// Whether a program plays. Matches under way keep the mark they began with.
        pub bot: Option<bool>,
    }
}

request! {
    /// Proof that it is really the owner who deletes the account.
    pub struct DeleteAccountRequest {
        /// The password.
        #[schema(value_type = String, format = Password, min_length = 1, max_length = 128)]
        pub password: Password,
    }
}

request! {
    /// Another password.
    pub struct ChangePasswordRequest {
        /// The password so far.
        #[schema(value_type = String, format = Password, min_length = 1, max_length = 128)]
        pub current_password: Password,
        /// The password from now on: 8 to 128 characters of any kind, but not one that everybody tries first, nor the
        /// name.
        #[schema(value_type = String, format = Password, min_length = 8, max_length = 128)]
        pub new_password: NewPassword,
        /// Whether personal access tokens stay good; false unless given: they are revoked, as whoever has the old
        /// password may have made one.
        pub keep_tokens: Option<bool>,
    }
}

/// An account, as its owner sees it.
#[derive(Serialize, ToSchema)]
#[schema(as = Account)]
pub struct AccountBody {
    id: AccountId,
    #[schema(max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]*$")]
    username: String,
    /// Whether it is marked as a program.
    bot: bool,
    /// Not verified; null when none is given.
    #[schema(max_length = 254, pattern = "^[^@\\s]+@[^@\\s]+$")]
    email: Option<String>,
    created_at: Time,
    /// The account's roles; empty for nearly every account.
    #[schema(max_items = 10)]
    roles: Vec<Role>,
    /// Its suspension; null: it isn't suspended.
    suspension: Option<SuspensionBody>,
}

/// A suspension: the account finishes what it plays and reads, and begins nothing.
#[derive(Serialize, ToSchema)]
#[schema(as = Suspension)]
pub struct SuspensionBody {
    since: Time,
    /// Until when; null: for good.
    until: Option<Time>,
    /// Why.
    #[schema(max_length = 500, pattern = "^[^\\u0000-\\u001f\\u007f]+$")]
    reason: String,
}

impl From<Suspension> for SuspensionBody {
    fn from(suspension: Suspension) -> Self {
        let Suspension { since, until, reason } = suspension;
        Self { since, until, reason }
    }
}

impl From<Account> for AccountBody {
    fn from(account: Account) -> Self {
        Self {
            id: account.id,
            username: account.username.to_string(),
            bot: account.bot,
            email: account.email.map(|email| email.as_str().to_owned()),
            created_at: account.created_at,
            roles: account.roles,
            suspension: account.suspension.map(SuspensionBody::from),
        }
    }
}

/// What the client calls itself.
pub(in crate::api) fn device(request: &HttpRequest) -> Device {
    let agent = request.headers().get(header::USER_AGENT);
    Device::calling_itself(agent.and_then(|value| value.to_str().ok()).unwrap_or_default())
}

/// Create an account
///
/// The caller is signed in at once, as after `POST /v1/sessions`. Refused with `validation-failed` (every fault named)
/// or `username-taken`.
#[utoipa::path(tag = "accounts", operation_id = "create_account", security(()),
    request_body(content = CreateAccountRequest, example = json!({"username": "anna", "password": "three masts and a storm", "email": "anna@example.org"})),
    responses((status = 201, description = "The account, and a session of it.", body = SessionTokens)))]
#[post("/v1/accounts")]
pub async fn create_account(
    app: web::Data<App>,
    caller: Unidentified,
    request: HttpRequest,
    change: Result<Change<CreateAccountRequest>, Failure>,
) -> Answer {
    caller.charge(&app, BudgetKind::Registration)?;
    let Change { request: CreateAccountRequest { username, password, email, bot }, once } = change?;
    let registration = Registration { username, password, email, bot: bot.unwrap_or(false) };
    let new = account::prepare_registration(&app.accounts, registration).await?;
    let work = async |tx: &mut _| {
        let opened = account::register(tx, &app.accounts, &new, &device(&request)).await?;
        Reply::created("/v1/account", &SessionTokens::from(opened))
    };
    once.run(&app, &caller.key, work).await
}

/// Get your account
///
/// Needs the scope `account:read`.
#[utoipa::path(tag = "accounts", operation_id = "get_account", security(("bearer" = [])),
    responses((status = 200, description = "The account.", body = AccountBody)))]
#[get("/v1/account")]
pub async fn get_account(app: web::Data<App>, caller: Caller<AccountRead>) -> Answer {
    let mut conn = app.db.conn().await?;
    let account = account::find(&mut conn, caller.account).await?;
    Ok(Reply::ok(&AccountBody::from(account.seen_at(app.clock.now())))?)
}

/// Update your account
///
/// Needs the scope `account:write`. Refused with `validation-failed`, every fault named.
#[utoipa::path(tag = "accounts", operation_id = "update_account", security(("bearer" = [])),
    request_body(content = UpdateAccountRequest, example = json!({"email": "anna@navy.example", "bot": false})),
    responses((status = 200, description = "The account as it is now.", body = AccountBody)))]
#[patch("/v1/account")]
pub async fn update_account(
    app: web::Data<App>,
    caller: Caller<AccountWrite>,
    body: Body<UpdateAccountRequest>,
) -> Answer {
    let UpdateAccountRequest { email, bot } = body.0;
    let mut tx = app.db.begin().await?;
    let change = account::Change { email, bot };
    let account = account::change(&mut tx, &caller, &change).await?;
    if let Some(email) = &change.email {
        mail::settings::address_changed(&mut tx, &app, caller.account, email.address()).await?;
    }
    tx.commit().await?;
    if account.bot != caller.bot {
        account::forget_tokens(&app.accounts, caller.account);
    }
    Ok(Reply::ok(&AccountBody::from(account.seen_at(app.clock.now())))?)
}

/// Delete your account
///
/// Running matches are resigned, open challenges withdrawn, sessions ended and tokens revoked; then name and e-mail
/// address are forgotten. What is left is a nameless player in the matches of others. There is no way back. Needs a
/// session; a wrong password is `validation-failed` at `/password`, and too many of them are `too-many-requests`.
#[utoipa::path(tag = "accounts", operation_id = "delete_account", security(("bearer" = [])),
    request_body(content = DeleteAccountRequest, example = json!({"password": "three masts and a storm"})),
    responses((status = 204, description = "It is deleted.")))]
#[delete("/v1/account")]
pub async fn delete_account(
    app: web::Data<App>,
    caller: Caller<SessionOnly>,
    body: Body<DeleteAccountRequest>,
) -> Answer {
    credentials::confirm_password(&app.accounts, &caller, body.0.password, "/password").await?;
    account_deletion::delete(&app.accounts, &app.matches, caller.account).await?;
    Ok(Reply::no_content())
}

/// Change your password
///
/// Every other session ends, and personal access tokens are revoked unless `keep_tokens` is true. Needs a session; a
/// wrong current password is `validation-failed` at `/current_password`, and too many of them are `too-many-requests`.
#[utoipa::path(tag = "accounts", operation_id = "change_password", security(("bearer" = [])),
    request_body(content = ChangePasswordRequest, example = json!({"current_password": "three masts and a storm", "new_password": "two anchors and a calm"})),
    responses((status = 204, description = "It is changed.")))]
#[put("/v1/account/password")]
pub async fn change_password(
    app: web::Data<App>,
    caller: Caller<SessionOnly>,
    body: Body<ChangePasswordRequest>,
) -> Answer {
    let ChangePasswordRequest { current_password, new_password, keep_tokens } = body.0;
    let tokens =
        if keep_tokens == Some(true) { account::PersonalTokens::Keep } else { account::PersonalTokens::Revoke };
    account::change_password(&app.accounts, &caller, current_password, new_password, tokens).await?;
    Ok(Reply::no_content())
}

crate::api::openapi::free_form! {
    /// A challenge or a match in an export.
    pub struct Exported;
}

/// A session in an export.
#[derive(Serialize, ToSchema)]
pub struct ExportedSession {
    id: SessionId,
    /// What the client called itself.
    #[schema(max_length = 100, pattern = "^[\\x20-\\x7e]*$")]
    device: String,
    created_at: Time,
    last_used_at: Time,
    expires_at: Time,
    /// When it was ended; null: it wasn't.
    ended_at: Option<Time>,
}

/// Everything that is stored about an account.
#[derive(Serialize, ToSchema)]
#[schema(as = AccountExport)]
pub struct ExportBody {
    account: AccountBody,
    /// Its sessions, those that are over included.
    #[schema(max_items = 100_000)]
    sessions: Vec<ExportedSession>,
    /// Its personal access tokens, without the tokens themselves, which nobody has.
    #[schema(max_items = 50)]
    tokens: Vec<TokenBody>,
    /// Its calendar, with every vacation that it has had.
    calendar: CalendarBody,
    /// Its challenges.
    #[schema(max_items = 1_000_000)]
    challenges: Vec<ChallengeBody>,
    /// Its challenges for places on ladders, made by it and to it.
    #[schema(max_items = 1_000_000)]
    ladder_challenges: Vec<LadderChallengeBody>,
    /// Its matches.
    #[schema(max_items = 1_000_000)]
    matches: Vec<MatchSummaryBody>,
    /// Its standing orders in matches under way.
    #[schema(max_items = 1_000_000)]
    standing_orders: Vec<StandingOrdersBody>,
    /// Its ladders: those that it has made, and those in which it takes part or has taken part.
    ladders: LadderExport,
    /// Every change of its ratings.
    #[schema(max_items = 1_000_000)]
    rating_changes: Vec<ChangeBody>,
    /// The tournaments that it has made, and those in which it has played.
    tournaments: TournamentExport,
    /// The named rule sets that it has published, those included whose words are hidden.
    #[schema(max_items = 1_000_000)]
    rule_sets: Vec<PublishedRuleSetBody>,
    /// Its reports of abuse.
    #[schema(max_items = 1_000_000)]
    abuse_reports: Vec<ExportedAbuseReport>,
    /// The newest 1000 events of its log. `GET /v1/events?after=0` returns all stored events, a page at a
    /// time.
    #[schema(max_items = 1000, value_type = Vec<AccountEvent>)]
    events: Vec<EventJson>,
    /// Its chat messages and notes, and whom it mutes and blocks.
    social: SocialExport,
    /// Its webhooks, without their secrets.
    #[schema(max_items = 10)]
    webhooks: Vec<WebhookBody>,
    /// Their deliveries, as far as they are stored.
    #[schema(max_items = 10_000_000)]
    webhook_deliveries: Vec<DeliveryBody>,
    /// Its mail settings.
    mail: MailSettingsBody,
    /// Links that were sent to confirm an address, those of the last two days.
    #[schema(max_items = 1000)]
    mail_confirmations: Vec<ExportedMailConfirmation>,
}

/// Export your account data
///
/// One document with all that is stored; only of the events it holds the newest 1000, since there may be very many:
/// `GET /v1/events` has them all. A server makes one export at a time, so it may take a while. Needs a session.
#[utoipa::path(tag = "accounts", operation_id = "export_account", security(("bearer" = [])),
    responses((status = 200, description = "Everything.", body = ExportBody)))]
#[get("/v1/account/export")]
pub async fn export_account(app: web::Data<App>, caller: Caller<SessionOnly>) -> Answer {
    let _turn = app.exports.lock().await;
    let mut conn = app.db.conn().await?;
    let Export { account, sessions, tokens } = account::export(&mut conn, caller.account).await?;
    let sessions = sessions.into_iter().map(|session| ExportedSession {
        id: session.id,
        device: session.device,
        created_at: session.created_at,
        last_used_at: session.last_used_at,
        expires_at: session.expires_at,
        ended_at: session.ended_at,
    });
    let calendar = calendar::find(&mut conn, caller.account).await?;
    let challenges = lobby::lists::export(&mut conn, caller.account).await?;
    let ladder_challenges = position::challenges::all_of(&mut conn, caller.account).await?;
    let matches = queries::all_of(&mut conn, caller.account).await?;
    let standing_orders = standing::all_of(&mut conn, caller.account).await?;
    let ladders = ladders::read::export(&mut conn, caller.account).await?;
    let changes = ratings::read::export(&mut conn, caller.account).await?;
    let tournaments = tournaments::export(&mut conn, caller.account).await?;
    let abuse_reports = abuse_reports::export(&mut conn, caller.account).await?;
    let rulesets = rulesets::read::export(&mut conn, caller.account).await?;
    let events = events::read::export(&mut conn, caller.account).await?;
    let talk = social::export(&mut conn, caller.account).await?;
    let (webhooks, deliveries) = webhooks::export(&mut conn, caller.account).await?;
    let mail = mail::read(&mut conn, caller.account).await?;
    let mail_confirmations = mail::settings::export(&mut conn, caller.account).await?;
    // Writing it out takes long, and others want the connection.
    drop(conn);
    let body = ExportBody {
        account: account.seen_at(app.clock.now()).into(),
        sessions: sessions.collect(),
        tokens: tokens.into_iter().map(TokenBody::from).collect(),
        calendar: CalendarBody::whole(calendar, app.clock.now()),
        challenges: challenges.into_iter().map(|challenge| ChallengeBody::of(challenge, &app)).collect(),
        ladder_challenges: ladder_challenges.into_iter().map(LadderChallengeBody::from).collect(),
        matches: matches.into_iter().map(MatchSummaryBody::from).collect(),
        standing_orders: standing_orders.into_iter().map(StandingOrdersBody::from).collect(),
        ladders: ladders.into(),
        rating_changes: changes.into_iter().map(ChangeBody::from).collect(),
        tournaments: tournaments.into(),
        rule_sets: rulesets.into_iter().map(PublishedRuleSetBody::from).collect(),
        abuse_reports: abuse_reports.into_iter().map(ExportedAbuseReport::from).collect(),
        events,
        social: talk.into(),
        webhooks: webhooks.into_iter().map(WebhookBody::from).collect(),
        webhook_deliveries: deliveries.into_iter().map(DeliveryBody::from).collect(),
        mail: MailSettingsBody::of(mail, &app),
        mail_confirmations: mail_confirmations.into_iter().map(ExportedMailConfirmation::from).collect(),
    };
    Ok(app.pool.run(Lane::Heavy, move || Reply::ok(&body)).await??)
}
