//! The export of an account: all data stored about it, in one document.

use actix_web::{get, web};
use broadside_rules::Time;
use serde::Serialize;
use utoipa::ToSchema;

use crate::accounts::export;
use crate::accounts::sessions::Session;
use crate::api::abuse_reports::ExportedAbuseReport;
use crate::api::accounts::AccountBody;
use crate::api::accounts::apps::AppBody;
use crate::api::accounts::passkeys::PasskeyBody;
use crate::api::accounts::registered_apps::RegisteredAppBody;
use crate::api::accounts::second_factor::SecondFactorBody;
use crate::api::accounts::security_events::SecurityEventBody;
use crate::api::accounts::tokens::TokenBody;
use crate::api::accounts::username::FormerUsernameBody;
use crate::api::bot_offers::BotOfferBody;
use crate::api::calendar::CalendarBody;
use crate::api::cases::view::{ExportedCaseNote, OwnCaseBody};
use crate::api::contests::announcements::AnnouncementBody;
use crate::api::contests::entries::ExportedEntry;
use crate::api::contests::members::ExportedDecision;
use crate::api::contests::organizers::ExportedOrganizer;
use crate::api::contests::pauses::ExportedPause;
use crate::api::http::auth::{Caller, SessionOnly};
use crate::api::http::paging::is_whole;
use crate::api::http::reply::{Answer, Reply};
use crate::api::ladders::challenges::ChallengeBody as LadderChallengeBody;
use crate::api::ladders::export::LadderExport;
use crate::api::lobby::view::ChallengeBody;
use crate::api::matches::lists::MatchSummaryBody;
use crate::api::notifications::mail::{ExportedMailConfirmation, MailSettingsBody};
use crate::api::notifications::push::PushSubscriptionBody;
use crate::api::notifications::webhook_view::{DeliveryBody, WebhookBody};
use crate::api::ratings::ChangeBody;
use crate::api::rulesets::view::PublishedRuleSetBody;
use crate::api::social::export::SocialExport;
use crate::api::standing_orders::StandingOrdersBody;
use crate::api::statistics::ExportedResult;
use crate::api::substitutions::SubstitutionBody;
use crate::api::tournaments::export::TournamentExport;
use crate::app::App;
use crate::events::{self, AccountEvent, EventJson};
use crate::ids::SessionId;
use crate::ladders::position;
use crate::matches::{queries, statistics};
use crate::notifications::mail;
use crate::notifications::push::manage as push_subscriptions;
use crate::notifications::webhooks::manage as webhooks;
use crate::quotas::Quota;
use crate::request_origin::{Client, RequestOrigin};
use crate::tournaments::read as tournaments;
use crate::work_pool::Lane;
use crate::{
    abuse_reports, bot_offers, calendar, cases, contests, ladders, lobby, ratings, rulesets, social,
    standing_orders as standing, substitutions,
};

/// A session in an export.
#[derive(Serialize, ToSchema)]
pub struct ExportedSession {
    id: SessionId,
    /// What the client called itself.
    #[schema(max_length = 100, pattern = "^[\\x20-\\x7e]*$")]
    device: String,
    /// The family of the browser, or what another program calls itself; null: it isn't known.
    #[schema(max_length = 40, pattern = "^[A-Za-z0-9 _-]+$")]
    program: Option<String>,
    /// The family of the system; null: it isn't known.
    #[schema(max_length = 40, pattern = "^[A-Za-z]+$")]
    system: Option<String>,
    /// The shortened address; null: it isn't known.
    #[schema(max_length = 43, pattern = "^[0-9a-f.:]+/(24|48)$")]
    network: Option<String>,
    created_at: Time,
    last_used_at: Time,
    expires_at: Time,
    /// When it was ended; null: it wasn't.
    ended_at: Option<Time>,
    /// The app that it is for, by its `client_id`; null: it is the owner's own.
    #[schema(max_length = 100, pattern = "^[\\x21-\\x7e]+$")]
    app: Option<String>,
}

impl From<Session> for ExportedSession {
    fn from(session: Session) -> Self {
        let Session { id, device, origin, created_at, last_used_at, expires_at, ended_at, app } = session;
        let RequestOrigin { client: Client { program, system }, network } = origin;
        Self { id, device, program, system, network, created_at, last_used_at, expires_at, ended_at, app }
    }
}

/// Everything that is stored about an account.
#[derive(Serialize, ToSchema)]
#[schema(as = AccountExport)]
pub struct ExportBody {
    account: AccountBody,
    /// Its sessions, those that are over and those of apps included.
    #[schema(max_items = 100_000)]
    sessions: Vec<ExportedSession>,
    /// Whether sign-ins ask for a second factor, without its secret and its codes.
    second_factor: SecondFactorBody,
    /// The names that it has had in the last year.
    #[schema(max_items = 100)]
    former_usernames: Vec<FormerUsernameBody>,
    /// Its security log.
    #[schema(max_items = 500)]
    security_events: Vec<SecurityEventBody>,
    /// Its passkeys, without their keys.
    #[schema(max_items = 20)]
    passkeys: Vec<PasskeyBody>,
    /// The apps that may act for it.
    #[schema(max_items = 50)]
    apps: Vec<AppBody>,
    /// The apps that it has registered.
    #[schema(max_items = 10)]
    registered_apps: Vec<RegisteredAppBody>,
    /// Its personal access tokens, without the tokens themselves, which nobody has.
    #[schema(max_items = 50)]
    tokens: Vec<TokenBody>,
    /// Its calendar, with every vacation that it has had.
    calendar: CalendarBody,
    /// What it accepts as a bot; null: it has said nothing.
    bot_offer: Option<BotOfferBody>,
    /// Its challenges.
    #[schema(max_items = 1_000_000)]
    challenges: Vec<ChallengeBody>,
    /// Its challenges for places on ladders, made by it and to it.
    #[schema(max_items = 1_000_000)]
    ladder_challenges: Vec<LadderChallengeBody>,
    /// Its matches, also those in which somebody has taken over its seat.
    #[schema(max_items = 1_000_000)]
    matches: Vec<MatchSummaryBody>,
    /// Requests for substitutes that it has made, for which it was asked or ready, or to which it has answered.
    #[schema(max_items = 100_000)]
    substitutions: Vec<SubstitutionBody>,
    /// What it has made of those that are over.
    #[schema(max_items = 1_000_000)]
    match_results: Vec<ExportedResult>,
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
    /// The ladders and tournaments that it runs beside their creators.
    #[schema(max_items = 100_000)]
    organized_contests: Vec<ExportedOrganizer>,
    /// Its requests to join ladders and tournaments, and invitations to it.
    #[schema(max_items = 100_000)]
    contest_entries: Vec<ExportedEntry>,
    /// What organizers of ladders and tournaments have decided about it.
    #[schema(max_items = 100_000)]
    contest_decisions: Vec<ExportedDecision>,
    /// What it has announced to the members of its ladders and tournaments.
    #[schema(max_items = 100_000)]
    contest_announcements: Vec<AnnouncementBody>,
    /// Its pauses of ladders and tournaments.
    #[schema(max_items = 100_000)]
    contest_pauses: Vec<ExportedPause>,
    /// The named rule sets that it has published, those included whose words are hidden.
    #[schema(max_items = 1_000_000)]
    rule_sets: Vec<PublishedRuleSetBody>,
    /// Cases about it that are decided.
    #[schema(max_items = 1_000_000)]
    cases: Vec<OwnCaseBody>,
    /// Its notes in cases about others.
    #[schema(max_items = 1_000_000)]
    case_notes: Vec<ExportedCaseNote>,
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
    /// The browsers that are told of events, without their addresses and keys.
    #[schema(max_items = 20)]
    push_subscriptions: Vec<PushSubscriptionBody>,
    /// Its mail settings.
    mail: MailSettingsBody,
    /// Links that were sent to confirm an address, those of the last two days.
    #[schema(max_items = 1000)]
    mail_confirmations: Vec<ExportedMailConfirmation>,
    /// True if something can't be read and is left out; not there otherwise.
    #[serde(skip_serializing_if = "is_whole")]
    incomplete: bool,
}

/// Export your account data
///
/// One document with all that is stored; only of the events it holds the newest 1000, since there may be very many:
/// `GET /v1/events` has them all. A server makes one export at a time, so it may take a while.
#[utoipa::path(tag = "accounts", operation_id = "export_account", security(("session" = [])),
    responses((status = 200, description = "Everything.", body = ExportBody)))]
#[get("/v1/account/export")]
#[expect(clippy::too_many_lines, reason = "a line for each part of the document, read and then written")]
pub async fn export_account(app: web::Data<App>, caller: Caller<SessionOnly>) -> Answer {
    let _turn = app.exports.lock().await;
    let mut conn = app.db.conn().await?;
    let (own, now) = (caller.account, app.clock.now());
    let mut incomplete = false;
    let stored = export::export(&mut conn, own, now).await?;
    let (calendar, bot_offer) = (calendar::find(&mut conn, own).await?, bot_offers::export(&mut conn, own).await?);
    let challenges = lobby::lists::export(&mut conn, caller.account).await?;
    let ladder_challenges = position::challenges::all_of(&mut conn, caller.account).await?;
    let (matches, results) = (queries::all_of(&mut conn, own).await?, statistics::all_of(&mut conn, own).await?);
    let (standing_orders, seats) =
        (standing::all_of(&mut conn, own).await?, substitutions::export(&mut conn, own).await?);
    let (ladders, changes) =
        (ladders::read::export(&mut conn, own).await?, ratings::read::export(&mut conn, own).await?);
    let tournaments = TournamentExport::of(
        tournaments::export(&mut conn, own).await?,
        tournaments::export_rounds(&mut conn, own).await?,
        &mut incomplete,
    );
    let (contests, reports) = (contests::export(&mut conn, own).await?, abuse_reports::export(&mut conn, own).await?);
    let (cases, notes) = cases::read::export(&mut conn, own, now).await?;
    let rulesets = rulesets::read::export(&mut conn, caller.account).await?;
    let (events, talk) = (events::read::export(&mut conn, own).await?, social::export(&mut conn, own).await?);
    let (webhooks, deliveries) = webhooks::export(&mut conn, caller.account).await?;
    let browsers =
        push_subscriptions::list(&mut conn, caller.account, app.clock.now(), None, Quota::PushSubscriptions.most())
            .await?;
    let mail_confirmations = mail::settings::export(&mut conn, caller.account).await?;
    let mail = MailSettingsBody::of(mail::read(&mut conn, caller.account).await?, &app);
    // Writing takes long, and other requests need the connection.
    drop(conn);
    let body = ExportBody {
        account: stored.account.seen_at(app.clock.now()).into(),
        sessions: stored.sessions.into_iter().map(ExportedSession::from).collect(),
        second_factor: stored.second_factor.into(),
        former_usernames: stored.former_usernames.into_iter().map(FormerUsernameBody::from).collect(),
        security_events: stored.security_events.into_iter().map(SecurityEventBody::from).collect(),
        passkeys: stored.passkeys.into_iter().map(PasskeyBody::from).collect(),
        apps: stored.apps.into_iter().map(AppBody::from).collect(),
        registered_apps: stored.registered_apps.into_iter().map(RegisteredAppBody::from).collect(),
        tokens: stored.tokens.into_iter().map(TokenBody::from).collect(),
        calendar: CalendarBody::whole(calendar, app.clock.now()),
        bot_offer: bot_offer.map(BotOfferBody::from),
        challenges: challenges
            .note(&mut incomplete)
            .into_iter()
            .map(|challenge| ChallengeBody::of(challenge, &app))
            .collect(),
        ladder_challenges: ladder_challenges.note(&mut incomplete).into_iter().map(LadderChallengeBody::from).collect(),
        matches: matches.note(&mut incomplete).into_iter().map(MatchSummaryBody::from).collect(),
        substitutions: seats.note(&mut incomplete).into_iter().map(SubstitutionBody::from).collect(),
        match_results: results.into_iter().map(ExportedResult::from).collect(),
        standing_orders: standing_orders.note(&mut incomplete).into_iter().map(StandingOrdersBody::from).collect(),
        ladders: LadderExport::of(ladders, &mut incomplete),
        rating_changes: changes.note(&mut incomplete).into_iter().map(ChangeBody::from).collect(),
        tournaments,
        organized_contests: contests.organized.into_iter().map(ExportedOrganizer::from).collect(),
        contest_entries: contests
            .entries
            .note(&mut incomplete)
            .into_iter()
            .map(|e| ExportedEntry::of(e.contest, e.state, e.at))
            .collect(),
        contest_decisions: contests.decisions.note(&mut incomplete).into_iter().map(ExportedDecision::from).collect(),
        contest_announcements: contests
            .announcements
            .note(&mut incomplete)
            .into_iter()
            .map(AnnouncementBody::from)
            .collect(),
        contest_pauses: contests.pauses.note(&mut incomplete).into_iter().map(ExportedPause::from).collect(),
        rule_sets: rulesets.note(&mut incomplete).into_iter().map(PublishedRuleSetBody::from).collect(),
        cases: cases.note(&mut incomplete).into_iter().map(OwnCaseBody::from).collect(),
        case_notes: notes.into_iter().map(ExportedCaseNote::from).collect(),
        abuse_reports: reports.note(&mut incomplete).into_iter().map(ExportedAbuseReport::from).collect(),
        events,
        social: talk.into(),
        webhooks: webhooks.into_iter().map(WebhookBody::from).collect(),
        webhook_deliveries: deliveries.into_iter().map(DeliveryBody::from).collect(),
        push_subscriptions: browsers.into_iter().map(|one| PushSubscriptionBody::of(one, caller.session)).collect(),
        mail,
        mail_confirmations: mail_confirmations.into_iter().map(ExportedMailConfirmation::from).collect(),
        incomplete,
    };
    Ok(app.pool.run(Lane::Heavy, move || Reply::ok(&body)).await??)
}
