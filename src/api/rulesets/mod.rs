//! Named rule sets over HTTP: publish, list, read. They are public; a token doesn't change the view.

pub mod base;
pub mod check;
pub mod view;

use actix_web::{HttpRequest, get, post, web};
use broadside_contests::RuleSetHash;
use broadside_rules::text::Digest;
use serde_json::{Map, Value};

use crate::accounts::{Username, find_named};
use crate::api::http::auth::{Anyone, Caller, LobbyWrite};
use crate::api::http::extract::{Change, InnerId, Query};
use crate::api::http::fields::{Ranged, request, text_fields};
use crate::api::http::languages::preferred as language;
use crate::api::http::paging::{Page, page, page_limit};
use crate::api::http::reply::{Answer, Reply};
use crate::api::lobby::challenges::{RuleSetChanges, VariantId};
use crate::api::rulesets::base::{FamilyId, base};
use crate::api::rulesets::view::{RuleSetBody, RuleSetSummary};
use crate::api::variants::{WhichBoard, board, in_language};
use crate::app::App;
use crate::error::{Error, problem, under};
use crate::idempotency::Tx;
use crate::rate_limits::RateLimitKey;
use crate::rulesets::RulesText;
use crate::rulesets::create::{NewRuleSet, compose, create};
use crate::rulesets::read::{self, RuleSetCursor, RuleSetFilter, RuleSetOrder};
use crate::social::text::{SearchText, Title};
use crate::work_pool::Lane;

text_fields!(RulesText, SearchText, RuleSetOrder, RuleSetCursor);

request! {
    /// A rule set to publish: changes to a variant's, to a family's simplest or to a named one. It never changes.
    pub struct CreateRuleSetRequest {
        /// What it is called: 3 to 80 characters.
        #[schema(value_type = String, min_length = 3, max_length = 80, pattern = "^[^\\u0000-\\u001f]+$")]
        pub title: Title,
        /// The rules for people, in Markdown: 1 to 20000 characters, or fewer where the operator says so.
        #[schema(value_type = Option<String>, min_length = 1, max_length = 20_000, pattern = "^[^\\u0000-\\u0009\\u000b\\u000c\\u000e-\\u001f]+$")]
        pub rules_markdown: Option<RulesText>,
        /// The variant that it starts from.
        #[schema(value_type = Option<String>, max_length = 40, pattern = "^[a-z0-9-]+$")]
        pub variant: Option<VariantId>,
        /// In place of a variant, a family: it starts from the family's simplest variant.
        #[schema(value_type = Option<broadside_rules::FamilyName>)]
        pub family: Option<FamilyId>,
        /// In place of a variant, the hash of a named rule set, of which it becomes a fork.
        #[schema(value_type = Option<Digest>)]
        pub forked_from: Option<RuleSetHash>,
        /// The fields that differ from the rule set that it starts from.
        #[schema(value_type = Option<RuleSetChanges>)]
        pub rule_set: Option<Map<String, Value>>,
    }
}

request! {
    /// Which named rule sets to list.
    pub query RulesetListQuery {
        /// Only of this family.
        #[param(value_type = Option<broadside_rules::FamilyName>, inline)]
        pub family: Option<FamilyId>,
        /// Only those that this player has published.
        #[param(value_type = Option<String>, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]*$")]
        pub creator: Option<Username>,
        /// Only forks of this one.
        #[param(value_type = Option<String>, min_length = 64, max_length = 64, pattern = "^[0-9a-f]{64}$")]
        pub forked_from: Option<RuleSetHash>,
        /// Only those with these words in title or text, whatever their case: `"…"` for words side by side, `or`, and
        /// `-` before a word that must not be there.
        #[param(value_type = Option<String>, min_length = 1, max_length = 100, pattern = "^[^\\u0000-\\u001f\\u007f]+$")]
        pub search: Option<SearchText>,
        /// In which order: `newest` unless given, or `most-played`.
        #[param(value_type = Option<RuleSetOrder>, inline)]
        pub sort: Option<RuleSetOrder>,
        /// How many at most: 1 to 100, 50 unless given.
        #[param(value_type = Option<u32>, minimum = 1, maximum = 100, format = Int32)]
        pub limit: Option<Ranged<1, 100>>,
        /// `next_cursor` of the page before, of a list in the same order.
        #[param(value_type = Option<String>, max_length = 200, pattern = "^[A-Za-z0-9_-]+$")]
        pub cursor: Option<RuleSetCursor>,
    }
}

/// Publish a named rule set
///
/// Under a title, for everybody to play, for good: it can't be changed or deleted, and `hash` names it. It is checked
/// as `POST /v1/rule-sets/check` does. Refused with `validation-failed` and `invalid-rule-set` (every fault named),
/// with `rule-set-exists` when a variant or another rule set has the same parameters (`errors` names it), with
/// `quota-exceeded` when the account has published as many as the operator allows, and with `too-many-requests` when it
/// has done so today.
#[utoipa::path(tag = "variants", operation_id = "create_rule_set", security(("bearer" = ["lobby:write"])),
    request_body = CreateRuleSetRequest,
    responses((status = 201, description = "It is published.", body = RuleSetBody)))]
#[post("/v1/rule-sets")]
pub async fn create_rule_set(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    change: Change<CreateRuleSetRequest>,
    request: HttpRequest,
) -> Answer {
    let Change {
        request: CreateRuleSetRequest { title, rules_markdown, variant, family, forked_from, rule_set },
        once,
    } = change;
    let base = base(variant, family, forked_from)?;
    let language = language(&request);
    let composed = compose(&app, base, Value::Object(rule_set.unwrap_or_default())).await?;
    let work = async |tx: &mut Tx| {
        let refused = |faults| Error::with_faults(&problem::INVALID_RULE_SET, under("/rule_set", faults));
        let new = NewRuleSet { title, text: rules_markdown.clone(), composed: composed.map_err(refused)? };
        let made = create(tx, &app, &app.rulesets, &caller, new).await?;
        let board = board(&made.rules, None)?;
        let location = format!("/v1/rule-sets/{}", made.hash);
        Reply::created(&location, &RuleSetBody::of(made, rules_markdown, board, language))
    };
    once.run(&app, &RateLimitKey::Account(caller.account), work).await
}

/// List named rule sets
///
/// Those that players have published, the newest first, or those by which most matches were opened. Numbers of matches
/// grow while somebody turns pages. What a moderator has hidden is listed without its title, and not found by words.
#[utoipa::path(tag = "variants", operation_id = "list_rule_sets", security((), ("bearer" = [])),
    params(RulesetListQuery),
    responses((status = 200, description = "A page of them.", body = Page<RuleSetSummary>)))]
#[get("/v1/rule-sets")]
pub async fn list_rule_sets(
    app: web::Data<App>,
    _: Anyone,
    query: Query<RulesetListQuery>,
    request: HttpRequest,
) -> Answer {
    let RulesetListQuery { family, creator, forked_from, search, sort: order, limit, cursor } = query.0;
    let limit = page_limit(limit, 50);
    let order = order.unwrap_or(RuleSetOrder::Newest);
    if cursor.is_some_and(|cursor| cursor.order != order) {
        return Err(Error::invalid_at("/cursor", "conflicting-fields", "is a cursor of a list in another order").into());
    }
    let creator = find_named(&app, creator.as_ref()).await?;
    let family = family.map(|FamilyId(family)| family);
    let filter = RuleSetFilter { family, creator, forked_from, search, order, after: cursor, limit: limit + 1 };
    let found = read::list(&mut app.db.conn().await?, &filter).await?;
    let place = |rule_set: &_| RuleSetCursor::of(order, rule_set).to_string();
    page(found, limit, place, RuleSetSummary::from).reply(&request)
}

/// Get a named rule set
///
/// Title, rules in its author's words, parameters, and all that a variant's card has: board, classes, actions, answers
/// (English or French by `Accept-Language`). With `If-None-Match` the answer is 304 as long as nothing has changed:
/// parameters never do. `wrong-seat-count` when it can't be played with so many.
#[utoipa::path(tag = "variants", operation_id = "get_rule_set", security((), ("bearer" = [])),
    params(("hash" = String, Path, description = "Its hash.", min_length = 64, max_length = 64, pattern = "^[0-9a-f]{64}$", example = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"), WhichBoard,
        ("If-None-Match" = Option<String>, Header, max_length = 400, pattern = "^[\\x20-\\x7e]*$", description = "The `ETag` of what the caller has.")),
    responses((status = 200, description = "The rule set.", body = RuleSetBody), (status = 304, description = "Nothing new.")))]
#[get("/v1/rule-sets/{hash}")]
pub async fn get_rule_set(
    app: web::Data<App>,
    _: Anyone,
    hash: InnerId<RuleSetHash>,
    query: Query<WhichBoard>,
    request: HttpRequest,
) -> Answer {
    let (rule_set, text) = read::find(&mut app.db.conn().await?, hash.0).await?;
    let (seats, language) = (query.0.seats, language(&request));
    let render = move || {
        let board = board(&rule_set.rules, seats)?;
        Reply::ok(&RuleSetBody::of(rule_set, text, board, language))
    };
    let reply = app.pool.run(Lane::Heavy, render).await??.unless_known(&request);
    Ok(in_language(reply, language))
}
