//! The cards of the variants.

use std::sync::{Arc, LazyLock};

use actix_web::http::header;
use actix_web::{HttpRequest, get, web};
use broadside_rules::card::{ActionCard, AnswerCard, BoardCard, ClassCard, Language, Look, Orientation};
use broadside_rules::text::ClassId;
use broadside_rules::titles::reports::ReportType;
use broadside_rules::titles::{self, LayerTitle, SupplyTitle};
use broadside_rules::{FamilyName, RuleSet, Variant};
use serde::Serialize;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use crate::api::card_titles::{NationTitle, nation_titles, report_types};
use crate::api::http::auth::Anyone;
use crate::api::http::caching::Caching;
use crate::api::http::extract::Query;
use crate::api::http::fields::{Ranged, request};
use crate::api::http::languages::preferred as language;
use crate::api::http::paging::{Page, linked, page, page_limit};
use crate::api::http::reply::{Answer, JSON, Reply};
use crate::api::http::shelf::Shelf;
use crate::api::lobby::challenges::VariantId;
use crate::api::openapi;
use crate::app::App;
use crate::document::Document;
use crate::error::{Error, Result, problem};
use crate::suggest;
use crate::texts::span;

/// A variant in the list.
#[derive(Serialize, ToSchema)]
pub struct VariantSummary {
    #[schema(max_length = 40, pattern = "^[a-z0-9-]+$")]
    id: &'static str,
    family: FamilyName,
    #[schema(max_length = 120, pattern = "^[^\\u0000]*$")]
    title: &'static str,
    #[schema(max_length = 600, pattern = "^[^\\u0000]*$")]
    description: &'static str,
    seats: SeatRange,
    /// The rules, for a picture of the game.
    rule_set: RuleSet,
    /// The number of layers of a sea.
    #[schema(minimum = 1, maximum = 5, format = Int32)]
    layers: usize,
    /// The silhouettes of the ships.
    #[schema(max_items = 26)]
    classes: Vec<Silhouette>,
    language: Language,
}

/// The shape of a class of ships.
#[derive(Serialize, ToSchema)]
pub struct Silhouette {
    class: ClassId,
    look: Look,
    #[schema(minimum = 1, maximum = 12, format = Int32)]
    length: u8,
    /// One way in which a ship of it may lie; left out where ships are not placed on cells of the player's choice.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false, max_items = 1)]
    orientations: Vec<Orientation>,
}

/// How many seats a variant can have.
#[derive(Serialize, ToSchema)]
pub struct SeatRange {
    #[schema(minimum = 2, maximum = 7, format = Int32)]
    min: u8,
    #[schema(minimum = 2, maximum = 7, format = Int32)]
    max: u8,
}

impl From<(u8, u8)> for SeatRange {
    fn from((min, max): (u8, u8)) -> Self {
        Self { min, max }
    }
}

/// A variant's card: everything that a front end needs to offer it and to draw it.
#[derive(Serialize, ToSchema)]
#[schema(as = Variant)]
pub struct VariantBody {
    #[schema(max_length = 40, pattern = "^[a-z0-9-]+$")]
    id: &'static str,
    family: FamilyName,
    #[schema(max_length = 120, pattern = "^[^\\u0000]*$")]
    title: &'static str,
    #[schema(max_length = 600, pattern = "^[^\\u0000]*$")]
    description: &'static str,
    /// The rules for people, in Markdown.
    #[schema(max_length = 40000, pattern = "^[^\\u0000]*$")]
    rules_markdown: String,
    language: Language,
    seats: SeatRange,
    rule_set: RuleSet,
    /// A JSON Schema of the rule set's fields, for forms that change them.
    #[schema(value_type = JsonSchema)]
    rule_set_schema: Value,
    /// The board, for as many seats as were asked for. (That of a match may say more: `GET /v1/matches/{id}/board`.)
    board: BoardCard,
    /// The nations that players may choose from when they take a seat; empty where there is nothing to choose.
    #[schema(value_type = Vec<NationName>, max_items = 7)]
    nations: &'static [&'static str],
    /// What these nations are called, in the language asked for.
    #[schema(max_items = 7)]
    nation_titles: Vec<NationTitle>,
    /// What the layers of the board are called, in the language asked for.
    #[schema(max_items = 5)]
    layer_titles: Vec<LayerTitle>,
    /// The classes of ships.
    #[schema(max_items = 26)]
    classes: Vec<ClassCard>,
    /// What is used up, such as weapons, and what it is called in the language asked for.
    #[schema(max_items = 8)]
    supply_titles: Vec<SupplyTitle>,
    /// The types of actions, by phase.
    #[schema(max_items = 40)]
    actions: Vec<ActionInfoWithSchema>,
    /// What each viewer learns of each action.
    #[schema(max_items = 40)]
    disclosures: Vec<AnswerCard>,
    /// The types of reports that a match can have, with what they, their fields and their words are called: enough to
    /// print the log of a match.
    #[schema(value_type = Vec<ReportType>, max_items = 40)]
    report_types: &'static [ReportType],
    /// The rule sheet that it follows.
    #[schema(max_length = 400, pattern = "^[^\\u0000]*$")]
    source: &'static str,
}

/// A type of action, with its JSON Schema.
#[derive(Serialize, ToSchema)]
pub struct ActionInfoWithSchema {
    #[serde(flatten)]
    card: ActionCard,
    /// What it is called, in the language asked for: for a button.
    #[schema(min_length = 1, max_length = 60, pattern = "^[^\\u0000-\\u001f]+$")]
    title: &'static str,
    #[schema(value_type = JsonSchema)]
    json_schema: Value,
}

/// The name of a nation.
#[derive(ToSchema)]
#[schema(max_length = 16, pattern = "^[a-z-]+$")]
#[allow(dead_code, reason = "it only describes the contract")]
pub struct NationName(String);

request! {
    /// Which board to show.
    pub query WhichBoard {
        /// How many seats the board is for; the fewest unless given.
        #[param(minimum = 2, maximum = 7, format = Int32)]
        pub seats: Option<u32>,
    }
}

openapi::free_form! {
    /// A JSON Schema (draft 2020-12), complete in itself.
    pub struct JsonSchema;
}

request! {
    /// A page of variants.
    pub query WhichVariants {
        /// How many at most: 1 to 100, 100 unless given. (There are fewer variants than that.)
        #[param(value_type = Option<u32>, minimum = 1, maximum = 100, format = Int32)]
        pub limit: Option<Ranged<1, 100>>,
        /// `next_cursor` of the page before.
        #[param(value_type = Option<String>, max_length = 200, pattern = "^[A-Za-z0-9_-]+$")]
        pub cursor: Option<VariantId>,
    }
}

/// List variants
///
/// All of them, in the language that `Accept-Language` prefers (English or French). With `If-None-Match` the answer is
/// 304 as long as nothing has changed.
#[utoipa::path(tag = "variants", operation_id = "list_variants", security((), ("bearer" = [])),
    params(WhichVariants,
        ("If-None-Match" = Option<String>, Header, max_length = 400, pattern = "^[\\x20-\\x7e]*$", description = "The `ETag` of the list that the caller has.")),
    responses((status = 200, description = "The variants.", body = Page<VariantSummary>), (status = 304, description = "Nothing new.")))]
#[get("/v1/variants")]
pub async fn list_variants(
    app: web::Data<App>,
    _: Anyone,
    query: Query<WhichVariants>,
    request: HttpRequest,
) -> Answer {
    let language = language(&request);
    let limit = page_limit(query.0.limit, 100);
    let all = broadside_rules::variants();
    let reply = match query.0.cursor {
        None if usize::try_from(limit).is_ok_and(|limit| limit >= all.len()) => {
            let make = move || document(&summaries(all.iter().collect(), i64::MAX, language));
            let list = CARDS.get(&app.pool, Card { variant: None, language, seats: 0 }, make).await?;
            Reply::document(&list, Caching::Public, &request)
        }
        before => {
            let last = before.map(|VariantId(variant)| variant.id);
            let skipped = last.map_or(0, |last| all.iter().take_while(|variant| variant.id != last).count() + 1);
            let page = summaries(all.iter().skip(skipped).collect(), limit, language);
            linked(Reply::ok(&page)?, &request, page.next_cursor.as_deref(), &[])
        }
    };
    Ok(in_language(reply, language))
}

fn summaries(found: Vec<&Variant>, limit: i64, language: Language) -> Page<VariantSummary> {
    let silhouette = |class: ClassCard| Silhouette {
        class: class.class,
        look: class.look,
        length: class.length,
        orientations: class.orientations.into_iter().take(1).collect(),
    };
    let summary = |variant: &Variant| VariantSummary {
        rule_set: variant.rule_set(),
        layers: variant.rule_set().board(variant.seats().0).seas.first().map_or(1, |sea| sea.layers.len()),
        classes: variant.rule_set().classes(language).into_iter().map(silhouette).collect(),
        id: variant.id,
        family: variant.family,
        title: variant.title(language),
        description: variant.summary(language),
        seats: variant.seats().into(),
        language,
    };
    page(found, limit, |variant| variant.id.to_owned(), summary)
}

fn document(body: &impl Serialize) -> Result<Document> {
    Ok(Document::new(JSON, serde_json::to_vec(body).map_err(Error::internal)?))
}

/// A cached card; without a variant, the list of all of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Card {
    variant: Option<&'static str>,
    language: Language,
    seats: u8,
}

static CARDS: LazyLock<Shelf<Card>> = LazyLock::new(|| Shelf::new(1000));

/// Makes the most requested documents in advance: the cards of all variants, for the fewest seats.
pub async fn prepare(app: &App) -> Result<()> {
    for variant in broadside_rules::variants() {
        for language in [Language::English, Language::French] {
            card_of(app, variant, None, language).await?;
        }
    }
    Ok(())
}

/// The card for this number of seats; the default is the fewest.
async fn card_of(
    app: &App,
    variant: &'static Variant,
    seats: Option<u32>,
    language: Language,
) -> Result<Arc<Document>> {
    let seats = seats_of(variant.seats(), seats)?;
    let make = move || {
        let rules = variant.rule_set();
        let board = rules.board(seats);
        document(&card(variant, rules, board, language))
    };
    CARDS.get(&app.pool, Card { variant: Some(variant.id), language, seats }, make).await
}

/// Get a variant
///
/// Rules in prose, rule set, board, classes, actions and answers: enough to build a front end that draws it.
/// `wrong-seat-count` when the variant can't be played with so many. With `If-None-Match` the answer is 304 as long as
/// nothing has changed.
#[utoipa::path(tag = "variants", operation_id = "get_variant", security((), ("bearer" = [])),
    params(("id" = String, Path, description = "The variant.", max_length = 40, pattern = "^[a-z0-9-]+$", example = "classic"), WhichBoard,
        ("If-None-Match" = Option<String>, Header, max_length = 400, pattern = "^[\\x20-\\x7e]*$", description = "The `ETag` of the card that the caller has.")),
    responses((status = 200, description = "The card.", body = VariantBody), (status = 304, description = "Nothing new.")))]
#[get("/v1/variants/{id}")]
pub async fn get_variant(
    app: web::Data<App>,
    _: Anyone,
    id: web::Path<String>,
    query: Query<WhichBoard>,
    request: HttpRequest,
) -> Answer {
    let variant = Variant::find(&id).ok_or_else(|| no_variant(&id))?;
    let language = language(&request);
    let card = card_of(&app, variant, query.0.seats, language).await?;
    Ok(in_language(Reply::document(&card, Caching::Public, &request), language))
}

/// Adds the language to an answer that exists in several languages.
pub(in crate::api) fn in_language(reply: Reply, language: Language) -> Reply {
    reply.header(header::VARY, "accept-language").header(header::CONTENT_LANGUAGE, language.tag())
}

/// The error for an unknown variant, with suggestions of similar ids.
fn no_variant(id: &str) -> Error {
    let known: Vec<&str> = broadside_rules::variants().iter().map(|variant| variant.id).collect();
    match suggest::near(id, &known).as_slice() {
        [] => Error::new(&problem::NOT_FOUND, "There is no variant of this id; GET /v1/variants lists them."),
        near => {
            Error::new(&problem::NOT_FOUND, format!("There is no variant of this id. Near to it: {}.", near.join(", ")))
        }
    }
}

/// The number of seats; the default is the fewest. Fails with `wrong-seat-count` outside the range.
fn seats_of((min, max): (u8, u8), asked: Option<u32>) -> Result<u8> {
    let Some(asked) = asked else { return Ok(min) };
    let seats = u8::try_from(asked).ok().filter(|seats| (min..=max).contains(seats));
    seats.ok_or_else(|| {
        Error::invalid_at("/seats", "wrong-seat-count", format!("must be {} by these rules", span(min, max)))
    })
}

/// The board for this number of seats; the default is the fewest.
pub(in crate::api) fn board(rules: &RuleSet, seats: Option<u32>) -> Result<BoardCard> {
    Ok(rules.board(seats_of(rules.seats(), seats)?))
}

fn card(variant: &'static Variant, rules: RuleSet, board: BoardCard, language: Language) -> VariantBody {
    VariantBody {
        id: variant.id,
        family: variant.family,
        title: variant.title(language),
        description: variant.summary(language),
        rules_markdown: variant.rules_markdown(language),
        language,
        seats: variant.seats().into(),
        rule_set_schema: rule_set_schema(variant.family),
        nations: rules.seat_names(),
        nation_titles: nation_titles(&rules, language),
        layer_titles: titles::of_layers(&board, language),
        classes: rules.classes(language),
        supply_titles: titles::of_supplies(&rules, language),
        actions: actions(&rules, language),
        disclosures: rules.answers(language),
        report_types: report_types(variant.family, language),
        source: variant.source,
        board,
        rule_set: rules,
    }
}

/// The types of actions under these rules, with their schemas.
pub(in crate::api) fn actions(rules: &RuleSet, language: Language) -> Vec<ActionInfoWithSchema> {
    let with_schema = |card: ActionCard| ActionInfoWithSchema {
        title: titles::of_action(card.action_type, language).unwrap_or(card.action_type),
        json_schema: schema_of(card.schema),
        card,
    };
    rules.actions().into_iter().map(with_schema).collect()
}

/// The contract's schema with this name; the schemas it refers to are in `$defs`.
fn schema_of(name: &str) -> Value {
    let all = openapi::schemas();
    let mut schema = relocated(all.get(name).cloned().unwrap_or_default());
    let mut defs = Map::new();
    gather(&schema, all, &mut defs);
    if let Some(fields) = schema.as_object_mut()
        && !defs.is_empty()
    {
        fields.insert("$defs".to_owned(), Value::Object(defs));
    }
    schema
}

/// The schema of a family's rule sets: the member of the union whose `family` has this value only.
pub(in crate::api) fn rule_set_schema(family: FamilyName) -> Value {
    let family = json!([family]);
    let all = openapi::schemas();
    let union = all.get("RuleSet").cloned().unwrap_or_default();
    // A union with one member is written as `allOf`.
    let families = ["oneOf", "allOf"].iter().filter_map(|kind| union[*kind].as_array()).flatten();
    let mut names = families.filter_map(|member| member["$ref"].as_str()?.strip_prefix(IN_CONTRACT));
    let of_family = |name: &&str| all.get(*name).is_some_and(|schema| schema["properties"]["family"]["enum"] == family);
    schema_of(names.find(of_family).unwrap_or("RuleSet"))
}

const IN_CONTRACT: &str = "#/components/schemas/";

fn relocated(mut schema: Value) -> Value {
    match &mut schema {
        Value::Object(map) => {
            for (key, value) in map.iter_mut() {
                match value.as_str().and_then(|text| text.strip_prefix(IN_CONTRACT)) {
                    Some(name) if key == "$ref" => *value = json!(format!("#/$defs/{name}")),
                    _ => *value = relocated(value.take()),
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|value| *value = relocated(value.take())),
        _ => {}
    }
    schema
}

fn gather(schema: &Value, all: &Map<String, Value>, defs: &mut Map<String, Value>) {
    match schema {
        Value::Object(map) => {
            if let Some(name) = map.get("$ref").and_then(Value::as_str).and_then(|text| text.strip_prefix("#/$defs/"))
                && !defs.contains_key(name)
                && let Some(found) = all.get(name)
            {
                let found = relocated(found.clone());
                defs.insert(name.to_owned(), found.clone());
                gather(&found, all, defs);
            }
            map.values().for_each(|value| gather(value, all, defs));
        }
        Value::Array(list) => list.iter().for_each(|value| gather(value, all, defs)),
        _ => {}
    }
}
