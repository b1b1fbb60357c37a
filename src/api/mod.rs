//! HTTP, and nothing but HTTP. The whole API is on this screen: [`routes`].
//!
//! A handler says: who may, act, answer. What a request must look like is in the types of its arguments ([`auth`], [`extract`], [`fields`]), what
//! an answer looks like in [`reply`] and the structs beside each handler, which list every field that leaves the house.

pub mod accounts;
pub mod adjudication;
pub mod auth;
pub mod blocks;
pub mod calendar;
pub mod challenge_view;
pub mod challenges;
pub mod chat;
pub mod chat_reports;
pub mod envelope;
pub mod events;
pub mod extract;
pub mod fair_play;
pub mod feed;
pub mod fields;
pub mod ladder_challenges;
pub mod ladder_export;
pub mod ladder_standings;
pub mod ladder_terms;
pub mod ladder_view;
pub mod ladders;
pub mod leaderboards;
pub mod mail;
pub mod mail_pages;
pub mod match_clock;
pub mod match_lists;
pub mod match_view;
pub mod matches;
pub mod moderation;
pub mod notes;
pub mod openapi;
pub mod operations;
pub mod pages;
pub mod paging;
pub mod pairings;
pub mod players;
pub mod rating_changes;
pub mod ratings;
pub mod records;
pub mod rematch;
pub mod reply;
pub mod sessions;
pub mod standing_orders;
pub mod talk_export;
pub mod tokens;
pub mod tournament_rounds;
pub mod tournament_standings;
pub mod tournament_view;
pub mod tournaments;
pub mod variants;
pub mod webhook_view;
pub mod webhooks;

use actix_cors::Cors;
use actix_web::body::MessageBody;
use actix_web::dev::{ServiceFactory, ServiceRequest, ServiceResponse};
use actix_web::middleware::{Compress, from_fn};
use actix_web::{App as Actix, Error, web};
use metrics_exporter_prometheus::PrometheusHandle;
use utoipa_actix_web::AppExt;
use utoipa_actix_web::service_config::ServiceConfig;

use crate::app::App;

/// The API: every operation of the contract.
pub fn routes(api: &mut ServiceConfig<'_>) {
    // It comes first because the router tries one pattern after the other, and matches are asked for all the time.
    playing(api);
    hearing(api);
    talking(api);
    who_you_are(api);
    when_you_play(api);
    with_whom(api);
    again_and_again(api);
    tournaments(api);
    keeping_order(api);
}

/// Matches, and what is asked for in them.
fn playing(api: &mut ServiceConfig<'_>) {
    api.service(matches::act)
        .service(matches::read_match)
        .service(matches::list_reports)
        .service(match_clock::read_clock)
        .service(standing_orders::read_standing_orders)
        .service(standing_orders::replace_standing_orders)
        .service(standing_orders::delete_standing_orders)
        .service(records::read_board)
        .service(records::read_record)
        .service(match_lists::list_turns)
        .service(match_lists::list_matches);
}

/// Hearing of it: by asking, by being called, by mail.
fn hearing(api: &mut ServiceConfig<'_>) {
    api.service(events::read_events)
        .service(webhooks::make_webhook)
        .service(webhooks::list_webhooks)
        .service(webhooks::read_webhook)
        .service(webhooks::change_webhook)
        .service(webhooks::delete_webhook)
        .service(webhooks::rotate_webhook_secret)
        .service(webhooks::test_webhook)
        .service(webhooks::list_deliveries)
        .service(webhooks::read_delivery)
        .service(webhooks::redeliver)
        .service(mail::read_mail_settings)
        .service(mail::change_mail_settings)
        .service(mail::ask_mail_confirmation);
}

/// Talking at the table, keeping away from people, and noting for oneself.
fn talking(api: &mut ServiceConfig<'_>) {
    api.service(chat::list_messages)
        .service(chat::say)
        .service(chat::report_message)
        .service(notes::read_notes)
        .service(notes::write_notes)
        .service(blocks::list_mutes)
        .service(blocks::mute)
        .service(blocks::unmute)
        .service(blocks::list_blocks)
        .service(blocks::block)
        .service(blocks::unblock);
}

/// Accounts, and what opens them.
fn who_you_are(api: &mut ServiceConfig<'_>) {
    api.service(accounts::register)
        .service(accounts::read_account)
        .service(accounts::change_account)
        .service(accounts::delete_account)
        .service(accounts::change_password)
        .service(accounts::export_account)
        .service(sessions::sign_in)
        .service(sessions::refresh)
        .service(sessions::list_sessions)
        .service(sessions::end_session)
        .service(tokens::make_token)
        .service(tokens::list_tokens)
        .service(tokens::revoke_token)
        .service(sessions::signing_keys);
}

/// When you play, and when not.
fn when_you_play(api: &mut ServiceConfig<'_>) {
    api.service(calendar::read_calendar)
        .service(calendar::change_calendar)
        .service(calendar::book_vacation)
        .service(calendar::take_back_vacation)
        .service(feed::make_feed)
        .service(feed::revoke_feed)
        .service(feed::read_feed);
}

/// Whom one meets, and for what.
fn with_whom(api: &mut ServiceConfig<'_>) {
    api
        // Who the others are
        .service(players::profile)
        .service(match_lists::matches_of_player)
        .service(ratings::list_player_ratings)
        .service(ratings::read_rating_history)
        .service(rating_changes::list_match_rating_changes)
        .service(ratings::list_pools)
        .service(leaderboards::read_leaderboard)
        .service(pairings::read_pairing)
        // What can be played
        .service(variants::list_variants)
        .service(variants::read_variant)
        .service(variants::check_rule_set)
        // With whom
        .service(challenges::open_challenge)
        .service(challenges::list_challenges)
        .service(challenges::read_challenge)
        .service(challenges::withdraw_challenge)
        .service(challenges::accept_challenge)
        .service(challenges::decline_challenge)
        .service(rematch::ask_for_rematch);
}

/// Ladders: meeting people again and again.
fn again_and_again(api: &mut ServiceConfig<'_>) {
    api.service(ladders::make_ladder)
        .service(ladders::list_ladders)
        .service(ladders::list_own_ladders)
        .service(ladders::read_ladder)
        .service(ladders::join_ladder)
        .service(ladders::leave_ladder)
        .service(ladders::close_ladder)
        .service(ladder_standings::read_ladder_standings)
        .service(ladder_standings::list_ladder_pairings)
        .service(ladder_standings::list_ladder_seasons)
        .service(ladder_challenges::list_challengeable)
        .service(ladder_challenges::challenge_for_place)
        .service(ladder_challenges::list_ladder_challenges)
        .service(ladder_challenges::read_ladder_challenge)
        .service(ladder_challenges::accept_ladder_challenge)
        .service(ladder_challenges::decline_ladder_challenge)
        .service(ladder_challenges::withdraw_ladder_challenge)
        .service(ladder_challenges::list_ladder_moves);
}

/// Tournaments.
fn tournaments(api: &mut ServiceConfig<'_>) {
    api.service(tournaments::make_tournament)
        .service(tournaments::list_tournaments)
        .service(tournaments::read_tournament)
        .service(tournaments::join_tournament)
        .service(tournaments::leave_tournament)
        .service(tournaments::start_tournament)
        .service(tournaments::cancel_tournament)
        .service(tournament_standings::read_tournament_standings)
        .service(tournament_rounds::list_tournament_rounds)
        .service(tournament_rounds::read_tournament_round);
}

/// What people with a role do.
fn keeping_order(api: &mut ServiceConfig<'_>) {
    api.service(moderation::list_moderation_actions)
        .service(moderation::read_moderated_player)
        .service(moderation::suspend_player)
        .service(moderation::lift_suspension)
        .service(adjudication::annul_match)
        .service(adjudication::adjudicate_match)
        .service(chat_reports::list_chat_reports)
        .service(chat_reports::resolve_chat_report)
        .service(fair_play::read_fair_play);
}

/// The application of one worker: the routes, the pages beside them, and what goes around every answer.
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
    let state = app.clone();
    actix
        .app_data(app)
        .configure(operations::routes)
        .configure(mail_pages::routes)
        .configure(pages::routes)
        .default_service(web::to(operations::nothing_here))
        .wrap(open_to_all_origins())
        .wrap(from_fn(move |request, next| envelope::around(state.clone(), request, next)))
        .wrap(Compress::default())
}

/// The application of the admin address.
pub fn admin(
    app: web::Data<App>,
    metrics: PrometheusHandle,
) -> Actix<impl ServiceFactory<ServiceRequest, Config = (), Response = ServiceResponse, Error = Error, InitError = ()>>
{
    Actix::new()
        .app_data(app)
        .app_data(web::Data::new(metrics))
        .configure(operations::routes)
        .route("/metrics", web::get().to(operations::metrics))
}

/// Tokens, not cookies: so any page may call the API.
fn open_to_all_origins() -> Cors {
    // Which headers a page may read is said by the envelope: the library lists them in an order that changes from answer to answer.
    Cors::default().allow_any_origin().send_wildcard().allow_any_method().allow_any_header().max_age(3600)
}
