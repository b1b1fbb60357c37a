//! The HTTP API. Every operation is listed in [`routes`] and the functions below it.
//!
//! A handler checks the caller, calls a capability, and answers. The types of its arguments define the request
//! ([`http::auth`], [`http::extract`], [`http::fields`]); [`http::reply`] and the structs beside each handler, which
//! list every field, define the answer.

mod abuse_reports;
pub mod accounts;
pub mod bot_offers;
pub mod calendar;
mod card_titles;
mod cases;
pub mod contests;
pub mod events;
pub mod honours;
pub mod http;
pub mod ladders;
pub mod lobby;
pub mod matches;
pub mod moderation;
pub mod notifications;
pub mod oauth;
pub mod openapi;
pub mod pairings;
mod previews;
pub mod ratings;
pub mod records;
pub mod rulesets;
pub mod social;
pub mod standing_orders;
pub mod statistics;
pub mod substitutions;
pub mod tournaments;
pub mod variants;

use actix_cors::Cors;
use actix_web::body::MessageBody;
use actix_web::dev::{ServiceFactory, ServiceRequest, ServiceResponse};
use actix_web::middleware::from_fn;
use actix_web::{App as Actix, Error, web};
use metrics_exporter_prometheus::PrometheusHandle;
use utoipa_actix_web::AppExt;
use utoipa_actix_web::service_config::ServiceConfig;

use crate::app::App;

/// Every operation of the contract.
pub fn routes(api: &mut ServiceConfig<'_>) {
    // First, because the router tries the patterns in order, and requests for matches are the most frequent.
    match_routes(api);
    notification_routes(api);
    social_routes(api);
    account_routes(api);
    calendar_routes(api);
    lobby_routes(api);
    substitution_routes(api);
    ladder_routes(api);
    tournament_routes(api);
    contest_routes(api);
    moderation_routes(api);
    abuse_reports::routes(api);
}

fn match_routes(api: &mut ServiceConfig<'_>) {
    api.service(matches::submit_action)
        .service(matches::get_match)
        .service(matches::list_match_reports)
        .service(matches::clock::get_match_clock)
        .service(standing_orders::get_standing_orders)
        .service(standing_orders::replace_standing_orders)
        .service(standing_orders::delete_standing_orders)
        .service(matches::records::get_match_board)
        .service(matches::records::get_match_record)
        .service(records::verify_record)
        .service(matches::turns::list_turns)
        .service(matches::lists::list_matches)
        .service(matches::export::export_matches);
}

/// Events, webhooks, push and mail.
fn notification_routes(api: &mut ServiceConfig<'_>) {
    api.service(events::get_events)
        .service(events::create_stream_ticket)
        .service(notifications::webhooks::create_webhook)
        .service(notifications::webhooks::list_webhooks)
        .service(notifications::webhooks::get_webhook)
        .service(notifications::webhooks::update_webhook)
        .service(notifications::webhooks::delete_webhook)
        .service(notifications::webhooks::rotate_webhook_secret)
        .service(notifications::webhooks::test_webhook)
        .service(notifications::webhooks::list_webhook_deliveries)
        .service(notifications::webhooks::get_webhook_delivery)
        .service(notifications::webhooks::redeliver_webhook_delivery)
        .service(notifications::push::get_push_key)
        .service(notifications::push::create_push_subscription)
        .service(notifications::push::list_push_subscriptions)
        .service(notifications::push::delete_push_subscription)
        .service(notifications::mail::get_mail_settings)
        .service(notifications::mail::replace_mail_settings)
        .service(notifications::mail::send_confirmation_mail);
}

/// Chat, blocks, follows and notes.
fn social_routes(api: &mut ServiceConfig<'_>) {
    api.service(social::chat::list_messages)
        .service(social::chat::send_message)
        .service(social::notes::get_match_notes)
        .service(social::notes::replace_match_notes)
        .service(social::blocks::list_muted_players)
        .service(social::blocks::mute_player)
        .service(social::blocks::unmute_player)
        .service(social::blocks::list_blocked_players)
        .service(social::blocks::block_player)
        .service(social::blocks::unblock_player)
        .service(social::follows::list_followed_players)
        .service(social::follows::follow_player)
        .service(social::follows::unfollow_player);
}

/// Accounts and credentials.
fn account_routes(api: &mut ServiceConfig<'_>) {
    api.service(accounts::create_account)
        .service(accounts::guests::create_guest)
        .service(accounts::guests::claim_account)
        .service(accounts::get_account)
        .service(accounts::update_account)
        .service(accounts::delete_account)
        .service(accounts::change_password)
        .service(accounts::change_email)
        .service(accounts::password_resets::request_password_reset)
        .service(accounts::password_resets::complete_password_reset)
        .service(accounts::export::export_account)
        .service(accounts::sessions::create_session)
        .service(accounts::sessions::refresh)
        .service(accounts::second_factor::complete_sign_in)
        .service(accounts::second_factor::get_second_factor)
        .service(accounts::second_factor::set_up_second_factor)
        .service(accounts::second_factor::confirm_second_factor)
        .service(accounts::second_factor::replace_recovery_codes)
        .service(accounts::second_factor::disable_second_factor)
        .service(accounts::security_events::list_security_events)
        .service(accounts::username::change_username)
        .service(accounts::passkeys::create_passkey_session)
        .service(accounts::passkeys::create_passkey_sign_in_challenge)
        .service(accounts::passkeys::list_passkeys)
        .service(accounts::passkeys::create_passkey)
        .service(accounts::passkeys::create_passkey_challenge)
        .service(accounts::passkeys::rename_passkey)
        .service(accounts::passkeys::delete_passkey)
        .service(accounts::sessions::list_sessions)
        .service(accounts::sessions::delete_session)
        .service(accounts::apps::list_apps)
        .service(accounts::apps::revoke_app)
        .service(accounts::registered_apps::register_app)
        .service(accounts::registered_apps::list_registered_apps)
        .service(accounts::registered_apps::get_registered_app)
        .service(accounts::registered_apps::update_registered_app)
        .service(accounts::registered_apps::delete_registered_app)
        .service(accounts::registered_apps::get_app)
        .service(accounts::tokens::create_token)
        .service(accounts::tokens::list_tokens)
        .service(accounts::tokens::revoke_token)
        .service(accounts::sessions::get_signing_keys);
}

fn calendar_routes(api: &mut ServiceConfig<'_>) {
    api.service(calendar::get_calendar)
        .service(calendar::replace_calendar)
        .service(calendar::create_vacation)
        .service(calendar::cancel_vacation)
        .service(calendar::feed::create_calendar_feed)
        .service(calendar::feed::revoke_calendar_feed)
        .service(calendar::feed::get_calendar_feed);
}

/// Players, variants and challenges.
fn lobby_routes(api: &mut ServiceConfig<'_>) {
    api
        // Players
        .service(social::players::list_players)
        .service(social::players::get_player)
        .service(statistics::get_player_statistics)
        .service(statistics::list_player_opponents)
        .service(honours::list_player_honours)
        .service(matches::lists::matches_of_player)
        .service(ratings::list_player_ratings)
        .service(ratings::get_rating_history)
        .service(ratings::changes::list_match_rating_changes)
        .service(ratings::list_pools)
        .service(ratings::leaderboards::get_leaderboard)
        .service(pairings::get_pairing)
        // Variants and rules
        .service(variants::list_variants)
        .service(variants::get_variant)
        .service(rulesets::check::check_rule_set)
        .service(rulesets::create_rule_set)
        .service(rulesets::list_rule_sets)
        .service(rulesets::get_rule_set)
        // Challenges
        .service(lobby::challenges::create_challenge)
        .service(lobby::challenges::list_challenges)
        .service(lobby::challenges::get_challenge)
        .service(lobby::challenges::withdraw_challenge)
        .service(lobby::challenges::accept_challenge)
        .service(lobby::challenges::decline_challenge)
        .service(lobby::rematch::request_rematch)
        .service(bot_offers::list_bots)
        .service(bot_offers::replace_bot_offer)
        .service(bot_offers::withdraw_bot_offer);
}

fn ladder_routes(api: &mut ServiceConfig<'_>) {
    api.service(ladders::create_ladder)
        .service(ladders::lists::list_ladders)
        .service(ladders::lists::list_account_ladders)
        .service(ladders::get_ladder)
        .service(ladders::join_ladder)
        .service(ladders::leave_ladder)
        .service(ladders::close_ladder)
        .service(contests::edit::update_ladder)
        .service(contests::organizers::add_ladder_organizer)
        .service(contests::organizers::remove_ladder_organizer)
        .service(ladders::standings::get_ladder_standings)
        .service(ladders::crosstable::get_ladder_crosstable)
        .service(ladders::standings::list_ladder_pairings)
        .service(ladders::seasons::list_ladder_seasons)
        .service(ladders::challenges::list_ladder_opponents)
        .service(ladders::challenges::create_ladder_challenge)
        .service(ladders::challenges::list_ladder_challenges)
        .service(ladders::challenges::get_ladder_challenge)
        .service(ladders::challenges::accept_ladder_challenge)
        .service(ladders::challenges::decline_ladder_challenge)
        .service(ladders::challenges::withdraw_ladder_challenge)
        .service(ladders::challenges::list_ladder_position_changes);
}

fn substitution_routes(api: &mut ServiceConfig<'_>) {
    api.service(substitutions::create_substitution)
        .service(substitutions::list_match_substitutions)
        .service(substitutions::list_substitutions)
        .service(substitutions::get_substitution)
        .service(substitutions::accept_substitution)
        .service(substitutions::decline_substitution)
        .service(substitutions::answer_substitution)
        .service(substitutions::withdraw_substitution);
}

/// Operations shared by ladders and tournaments.
fn contest_routes(api: &mut ServiceConfig<'_>) {
    api.service(contests::entries::list_account_contest_entries)
        .service(contests::entries::list_entry_requests)
        .service(contests::entries::withdraw_entry_request)
        .service(contests::entries::accept_entry_request)
        .service(contests::entries::decline_entry_request)
        .service(contests::entries::list_contest_invitations)
        .service(contests::entries::invite_to_contest)
        .service(contests::entries::delete_contest_invitation)
        .service(contests::members::list_contest_members)
        .service(contests::members::remove_contest_member)
        .service(contests::members::warn_contest_member)
        .service(contests::members::lift_contest_bar)
        .service(contests::members::list_contest_log)
        .service(contests::announcements::create_contest_announcement)
        .service(contests::announcements::list_contest_announcements)
        .service(contests::pauses::pause_contest)
        .service(contests::pauses::resume_contest);
    case_routes(api);
}

fn tournament_routes(api: &mut ServiceConfig<'_>) {
    api.service(tournaments::create_tournament)
        .service(tournaments::list_tournaments)
        .service(tournaments::get_tournament)
        .service(tournaments::join_tournament)
        .service(tournaments::leave_tournament)
        .service(tournaments::start::start_tournament)
        .service(tournaments::start::cancel_tournament)
        .service(contests::edit::update_tournament)
        .service(contests::organizers::add_tournament_organizer)
        .service(contests::organizers::remove_tournament_organizer)
        .service(tournaments::standings::get_tournament_standings)
        .service(tournaments::crosstable::get_tournament_crosstable)
        .service(tournaments::trf::get_tournament_report)
        .service(tournaments::rounds::list_tournament_rounds)
        .service(tournaments::rounds::get_tournament_round)
        .service(tournaments::bracket::get_tournament_bracket)
        .service(tournaments::byes::list_tournament_byes)
        .service(tournaments::byes::request_tournament_bye)
        .service(tournaments::byes::withdraw_tournament_bye)
        .service(tournaments::late::score_late_entry)
        .service(tournaments::review::get_round_pairings)
        .service(tournaments::review::pair_tournament_round)
        .service(tournaments::review::release_tournament_round)
        .service(contests::umpire::annul_contest_match)
        .service(contests::umpire::adjudicate_contest_match)
        .service(contests::umpire::add_match_time)
        .service(contests::umpire::extend_tournament_round);
}

/// Operations for accounts with a role.
fn case_routes(api: &mut ServiceConfig<'_>) {
    api.service(cases::create_case)
        .service(cases::list_cases)
        .service(cases::get_case)
        .service(cases::add_case_evidence)
        .service(cases::add_case_note)
        .service(cases::decide_case)
        .service(cases::decide_case_appeal)
        .service(cases::own::list_account_cases)
        .service(cases::own::appeal_case);
}

fn moderation_routes(api: &mut ServiceConfig<'_>) {
    api.service(moderation::list_moderation_actions)
        .service(moderation::get_moderated_player)
        .service(moderation::suspend_player)
        .service(moderation::lift_suspension)
        .service(moderation::adjudication::annul_match)
        .service(moderation::adjudication::adjudicate_match)
        .service(moderation::rulesets::get_moderated_rule_set)
        .service(moderation::rulesets::hide_rule_set)
        .service(moderation::rulesets::unhide_rule_set)
        .service(ratings::fair_play::get_fair_play_analysis)
        .service(moderation::shooting::get_player_hit_analysis);
}

/// The application of one worker: the routes, the pages outside the API, and the middleware.
pub fn app(
    app: web::Data<App>,
) -> Actix<
    impl ServiceFactory<
        ServiceRequest,
        Config = (),
        Response = ServiceResponse<impl MessageBody>,
        Error = Error,
        InitError = (),
    >,
> {
    let (actix, _) = Actix::new().into_utoipa_app().configure(routes).split_for_parts();
    let (state, for_compression, for_time) = (app.clone(), app.clone(), app.clone());
    actix
        .app_data(app)
        .configure(http::operations::routes)
        .configure(notifications::mail_pages::routes)
        .configure(oauth::routes)
        .configure(http::pages::routes)
        .configure(http::documentation::routes)
        .configure(http::problem_pages::routes)
        .configure(previews::routes)
        .configure(http::front_end::routes)
        .default_service(web::to(http::operations::nothing_here))
        .wrap(from_fn(http::accept::around))
        .wrap(from_fn(move |request, next| http::known_time::around(for_time.clone(), request, next)))
        .wrap(open_to_all_origins())
        .wrap(from_fn(move |request, next| http::compress::around(for_compression.clone(), request, next)))
        .wrap(from_fn(http::methods::around))
        .wrap(from_fn(move |request, next| http::envelope::around(state.clone(), request, next)))
        .wrap(from_fn(http::connections::around))
}

/// Makes the most requested documents in advance: the contract, its documentation, the cards.
pub async fn prepare(app: &App) -> crate::error::Result<()> {
    http::pages::prepare(app).await?;
    http::documentation::prepare(app).await?;
    http::front_end::prepare(app).await?;
    variants::prepare(app).await
}

pub fn admin(
    app: web::Data<App>,
    metrics: PrometheusHandle,
) -> Actix<
    impl ServiceFactory<
        ServiceRequest,
        Config = (),
        Response = ServiceResponse<impl MessageBody>,
        Error = Error,
        InitError = (),
    >,
> {
    Actix::new()
        .app_data(app)
        .app_data(web::Data::new(metrics))
        .configure(http::operations::routes)
        .route("/metrics", web::get().to(http::operations::metrics))
        .wrap(from_fn(http::methods::around))
}

/// Any page may call the API, because it authenticates by tokens, not cookies.
fn open_to_all_origins() -> Cors {
    // The envelope sets the headers that a page may read: the library lists them in an order that changes from answer
    // to answer.
    Cors::default().allow_any_origin().send_wildcard().allow_any_method().allow_any_header().max_age(3600)
}
