//! The check of a rule set without publishing it.

use actix_web::{post, web};
use broadside_contests::RuleSetHash;
use broadside_rules::RuleSet;
use broadside_rules::card::BoardCard;
use broadside_rules::text::Digest;
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::api::http::auth::Anyone;
use crate::api::http::extract::Body;
use crate::api::http::fields::request;
use crate::api::http::problem::ProblemError;
use crate::api::http::reply::{Answer, Reply};
use crate::api::lobby::challenges::{RuleSetChanges, VariantId};
use crate::api::rulesets::base::{FamilyId, base};
use crate::api::variants::board;
use crate::app::App;
use crate::db::Conn;
use crate::error::Result;
use crate::rulesets::create::{ComposedRuleSet, compose, variant_with};
use crate::rulesets::read;

request! {
    /// A rule set to try: changes to a variant's, to a family's simplest or to a named one.
    pub struct CheckRuleSetRequest {
        /// The variant that it starts from.
        #[schema(value_type = Option<String>, max_length = 40, pattern = "^[a-z0-9-]+$")]
        pub variant: Option<VariantId>,
        /// In place of a variant, a family: it starts from the family's simplest variant.
        #[schema(value_type = Option<broadside_rules::FamilyName>)]
        pub family: Option<FamilyId>,
        /// In place of a variant, the hash of a named rule set.
        #[schema(value_type = Option<Digest>)]
        pub forked_from: Option<RuleSetHash>,
        /// The fields that differ from the rule set that it starts from.
        #[schema(value_type = Option<RuleSetChanges>)]
        pub rule_set: Option<Map<String, Value>>,
        /// How many seats the board is for; the fewest unless given.
        #[schema(minimum = 2, maximum = 7, format = Int32)]
        pub seats: Option<u32>,
    }
}

/// The result of the check.
#[derive(Serialize, ToSchema)]
pub struct RuleSetCheck {
    /// Whether it can be played.
    valid: bool,
    /// Every reason why not.
    #[schema(max_items = 2000)]
    errors: Vec<ProblemError>,
    /// The rule set with all its fields; null when it isn't valid.
    rule_set: Option<RuleSet>,
    /// SHA-256 of its canonical JSON (RFC 8785), in hexadecimal.
    rule_set_hash: Option<Digest>,
    /// The variant whose own rule set this is; null: it is no variant's.
    #[schema(max_length = 40, pattern = "^[a-z0-9-]+$")]
    same_as_variant: Option<&'static str>,
    /// The named rule set that has the same parameters; null: nobody has published them.
    same_as_named_rule_set: Option<Digest>,
    /// Its board, for a preview.
    board: Option<BoardCard>,
}

/// Check a rule set
///
/// Says whether a rule set can be played, and everything that is wrong with it. Opens nothing. A rule set that is out
/// of bounds, contradicts itself, or has no legal deployment is not an error of this request: the answer is 200 with
/// `valid: false`.
#[utoipa::path(tag = "variants", operation_id = "check_rule_set", security((), ("bearer" = [])),
    request_body = CheckRuleSetRequest,
    responses((status = 200, description = "The verdict.", body = RuleSetCheck)))]
#[post("/v1/rule-sets/check")]
pub async fn check_rule_set(app: web::Data<App>, _: Anyone, body: Body<CheckRuleSetRequest>) -> Answer {
    let CheckRuleSetRequest { variant, family, forked_from, rule_set, seats } = body.0;
    let base = base(variant, family, forked_from)?;
    let verdict = match compose(&app, base, Value::Object(rule_set.unwrap_or_default())).await? {
        Ok(composed) => accepted(&mut app.db.conn().await?, composed, seats).await?,
        Err(faults) => RuleSetCheck {
            valid: false,
            errors: faults.iter().map(ProblemError::from).collect(),
            rule_set: None,
            rule_set_hash: None,
            same_as_variant: None,
            same_as_named_rule_set: None,
            board: None,
        },
    };
    Ok(Reply::ok(&verdict)?)
}

async fn accepted(conn: &mut Conn, composed: ComposedRuleSet, seats: Option<u32>) -> Result<RuleSetCheck> {
    let ComposedRuleSet { rules, hash, .. } = composed;
    let published = read::exists(conn, hash).await?;
    Ok(RuleSetCheck {
        valid: true,
        errors: Vec::new(),
        rule_set_hash: Some(hash.digest()),
        same_as_variant: variant_with(hash).map(|variant| variant.id),
        same_as_named_rule_set: published.then(|| hash.digest()),
        board: Some(board(&rules, seats)?),
        rule_set: Some(rules),
    })
}
