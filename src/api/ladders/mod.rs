//! Ladders over HTTP: created, listed, read, joined, left, closed. Their standings have a file of their own.

pub mod challenges;
pub mod export;
pub mod form_terms;
pub mod seasons;
pub mod standings;
mod table;
pub mod view;

use actix_web::{HttpRequest, get, post, web};
use broadside_contests::RuleSetHash;
use broadside_contests::divisions::Divisions;
use broadside_contests::ranking::Ranking;
use broadside_rules::Clock;
use broadside_rules::text::Digest;
use serde_json::{Map, Value};

use crate::api::http::auth::{Caller, LobbyRead, LobbyWrite, Visitor};
use crate::api::http::bodies::{EmptyRequest, ReasonRequest};
use crate::api::http::extract::{Change, Id, Query};
use crate::api::http::fields::{Ranged, request, text_fields};
use crate::api::http::paging::{Page, page, page_limit};
use crate::api::http::reply::{Answer, Reply};
use crate::api::ladders::form_terms::{DivisionTermsInput, PairingRuleInput, PositionTermsInput, ranking};
use crate::api::ladders::view::LadderBody;
use crate::api::lobby::challenges::{RuleSetChanges, VariantId};
use crate::api::pairings::ContestEligibility;
use crate::api::rulesets::base::{ChosenRules, RulesRequest};
use crate::app::App;
use crate::contests::entry_limits::EntryLimits;
use crate::error::{Error, Result};
use crate::ids::LadderId;
use crate::ladders::read::LadderFilter;
use crate::ladders::{FormTerms, LadderAudience, LadderFormat, LadderTerms, create, join, read};
use crate::matches::open::MatchSettings;
use crate::rate_limits::RateLimitKey;
use crate::social::text::{Description, SearchText, Title};

text_fields!(LadderFormat, LadderAudience, LadderId);

request! {
    /// A ladder to make.
    pub struct CreateLadderRequest {
        /// What it is called: 3 to 80 characters.
        #[schema(value_type = String, min_length = 3, max_length = 80, pattern = "^[^\\u0000-\\u001f]+$")]
        pub title: Title,
        /// What you say of it.
        #[schema(value_type = Option<String>, min_length = 1, max_length = 2000, pattern = "^[^\\u0000-\\u0009\\u000b-\\u001f]+$")]
        pub description: Option<Description>,
        /// How people come together: `rating` unless given.
        pub format: Option<LadderFormat>,
        /// What members are paired by, on a ladder of the form `rating`.
        pub pairing_rule: Option<PairingRuleInput>,
        /// What challenges are made by, on a ladder of the form `position`.
        pub position_terms: Option<PositionTermsInput>,
        /// The variant to play; `GET /v1/variants` lists them. Required, unless `named_rule_set` is given.
        #[schema(value_type = Option<String>, max_length = 40, pattern = "^[a-z0-9-]+$")]
        pub variant: Option<VariantId>,
        /// In place of `variant` and `rule_set`, the hash of a named rule set; `GET /v1/rule-sets` lists them.
        #[schema(value_type = Option<Digest>)]
        pub named_rule_set: Option<RuleSetHash>,
        /// Changes to the variant's rule set: the fields that are given replace its own. Not for rated matches.
        #[schema(value_type = Option<RuleSetChanges>)]
        pub rule_set: Option<Map<String, Value>>,
        /// How many meet in a match; the variant's fewest unless given.
        #[schema(minimum = 2, maximum = 7, format = Int32)]
        pub seats: Option<u32>,
        /// Whether the matches count for the ratings; false unless given.
        pub rated: Option<bool>,
        /// The clock of its matches. What is not said of `rests` is `standard` where it gives a day or more.
        pub clock: Clock,
        /// Whether two games at once are one pairing, of which each player begins one; false unless given. For two
        /// seats.
        pub paired_games: Option<bool>,
        /// Who may join: `everybody` unless given.
        pub audience: Option<LadderAudience>,
        /// How reliable a player has to be to join, in percent. Who has not finished a match may.
        #[schema(minimum = 1, maximum = 100, format = Int32)]
        pub min_reliability_percent: Option<u32>,
        /// The lowest rating to join with, in the pool of its matches; who has none counts as 1500.
        #[schema(minimum = 100, maximum = 4000, format = Int32)]
        pub min_rating: Option<u32>,
        /// The highest rating to join with.
        #[schema(minimum = 100, maximum = 4000, format = Int32)]
        pub max_rating: Option<u32>,
        /// How many days ago the account of a player must have been made; any number unless given.
        #[schema(minimum = 1, maximum = 3650, format = Int32)]
        pub min_account_age_days: Option<u32>,
        /// How many pairings at once a member may wish for; 1 unless given.
        #[schema(minimum = 1, maximum = 20, format = Int32)]
        pub max_pairings: Option<u32>,
        /// How long a season lasts, in seconds: a day at least, of an official ladder a minute. There are no seasons
        /// unless it is given.
        #[schema(minimum = 60, maximum = 31_622_400, format = Int32)]
        pub season_s: Option<u32>,
        /// How many results of the same two count in a season at most, on a ladder with seasons; any number unless
        /// given.
        #[schema(minimum = 1, maximum = 100, format = Int32)]
        pub max_meetings: Option<u32>,
        /// What the standings rank by: `sum` unless given, and always on a ladder of the form `position`.
        pub ranking: Option<Ranking>,
        /// Of `best` how many results count: 10 unless given. Of `average` and `per-board` the least number by which
        /// points are divided: 5 unless given. A sum has none.
        #[schema(value_type = Option<u32>, minimum = 1, maximum = 100, format = Int32)]
        pub ranking_results: Option<Ranged<1, 100>>,
        /// Divisions, on a ladder with seasons; one list unless given.
        pub divisions: Option<DivisionTermsInput>,
        /// An official ladder, for which the creator needs the role `organizer`; false unless given.
        pub official: Option<bool>,
    }
}

impl CreateLadderRequest {
    /// The terms, if each part of them can be read.
    pub(in crate::api) async fn terms(self, app: &App) -> Result<LadderTerms> {
        let asked = RulesRequest {
            variant: self.variant,
            changes: self.rule_set,
            named_rule_set: self.named_rule_set,
            first: None,
        };
        let ChosenRules { variant, rules, named } = asked.chosen(app).await?;
        let seats = self.seats.map_or(Some(rules.seats().0), |seats| u8::try_from(seats).ok());
        let clock = self.clock.with_rests_unless_said();
        let form = match self.format.unwrap_or(LadderFormat::Rating) {
            LadderFormat::Rating if self.position_terms.is_some() => {
                let detail = "is for ladders of the form position";
                return Err(Error::invalid_at("/position_terms", "conflicting-fields", detail));
            }
            LadderFormat::Position if self.pairing_rule.is_some() => {
                let detail = "is for ladders of the form rating";
                return Err(Error::invalid_at("/pairing_rule", "conflicting-fields", detail));
            }
            LadderFormat::Rating => FormTerms::Rating(PairingRuleInput::terms(self.pairing_rule, &clock)),
            LadderFormat::Position => {
                FormTerms::Position(self.position_terms.map(PositionTermsInput::terms).unwrap_or_default())
            }
        };
        Ok(LadderTerms {
            title: self.title,
            description: self.description,
            form,
            agreed: MatchSettings {
                variant,
                rules,
                named,
                clock,
                rated: self.rated.unwrap_or(false),
                spectators: true,
                seats: seats.unwrap_or(u8::MAX),
            },
            paired: self.paired_games.unwrap_or(false),
            admission: self.audience.unwrap_or(LadderAudience::Everybody),
            limits: EntryLimits::asked(
                self.min_reliability_percent,
                (self.min_rating, self.max_rating),
                self.min_account_age_days,
            ),
            simultaneous: self.max_pairings.unwrap_or(1),
            season_s: self.season_s,
            divisions: self.divisions.map(|rule| Divisions { size: rule.size, movers: rule.promotions }),
            max_meetings: self.max_meetings,
            ranking: ranking(self.ranking, self.ranking_results.map(|results| results.0)),
        })
    }
}

request! {
    /// How somebody wants to take part.
    pub struct JoinLadderRequest {
        /// How many pairings at once; 1 unless given.
        #[schema(minimum = 1, maximum = 20, format = Int32)]
        pub wanted_pairings: Option<u32>,
    }
}

request! {
    /// Which ladders to list.
    pub query LadderListQuery {
        /// Only those with this variant.
        #[param(value_type = Option<String>, max_length = 40, pattern = "^[a-z0-9-]+$")]
        pub variant: Option<VariantId>,
        /// Only by this named rule set.
        #[param(value_type = Option<String>, min_length = 64, max_length = 64, pattern = "^[0-9a-f]{64}$")]
        pub named_rule_set: Option<RuleSetHash>,
        /// Only those of this form.
        #[param(value_type = Option<LadderFormat>, inline)]
        pub format: Option<LadderFormat>,
        /// Only those with these words in title or description, whatever their case: `"…"` for words side by side,
        /// `or`, and `-` before a word that must not be there.
        #[param(value_type = Option<String>, min_length = 1, max_length = 100, pattern = "^[^\\u0000-\\u001f\\u007f]+$")]
        pub search: Option<SearchText>,
        /// Only open ones, or only closed ones.
        pub open: Option<bool>,
        ..page(LadderId)
    }
}

request! {
    /// Which page of the own ladders to list.
    pub query OwnLadderListQuery {
        ..page(LadderId)
    }
}

/// Create a ladder
///
/// What is played there never changes once somebody takes part. Refused with `validation-failed` (every fault named),
/// `invalid-rule-set`, or
/// `quota-exceeded` when the caller has as many open ladders as allowed, and of an official one with `role-required`.
#[utoipa::path(tag = "ladders", operation_id = "create_ladder", security(("bearer" = [])),
    request_body(content = CreateLadderRequest, example = json!({"title": "Tuesday ladder", "variant": "classic", "rated": true, "clock": {"kind": "per-move", "move_s": 172_800}, "audience": "humans", "max_pairings": 3, "season_s": 7_776_000, "divisions": {"size": 12, "promotions": 2}})),
    responses((status = 201, description = "It is open.", body = LadderBody)))]
#[post("/v1/ladders")]
pub async fn create_ladder(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    change: Change<CreateLadderRequest>,
) -> Answer {
    let official = change.request.official.unwrap_or(false);
    let terms = change.request.terms(&app).await?;
    let work = async |tx: &mut _| {
        let ladder = create::create(tx, &app, &caller, terms, official).await?;
        let location = format!("/v1/ladders/{}", ladder.id);
        let eligibility =
            ContestEligibility::of(&join::reasons(tx, &ladder, caller.account, caller.bot, app.clock.now()).await?);
        Reply::created(&location, &LadderBody::of(read::with_size(tx, ladder).await?, None, Some(eligibility)))
    };
    change.once.run(&app, &RateLimitKey::Account(caller.account), work).await
}

/// List ladders
///
/// The newest first.
#[utoipa::path(tag = "ladders", operation_id = "list_ladders", security((), ("bearer" = [])), params(LadderListQuery),
    responses((status = 200, description = "A page of them.", body = Page<LadderBody>)))]
#[get("/v1/ladders")]
pub async fn list_ladders(
    app: web::Data<App>,
    visitor: Visitor<LobbyRead>,
    query: Query<LadderListQuery>,
    request: HttpRequest,
) -> Answer {
    let asked = query.0;
    let limit = page_limit(asked.limit, 50);
    let filter = LadderFilter {
        variant: asked.variant.map(|VariantId(variant)| variant.id),
        named: asked.named_rule_set,
        form: asked.format,
        search: asked.search,
        open: asked.open,
        member: None,
        before: asked.cursor,
        limit: limit + 1,
    };
    let account = visitor.identity().map(|me| me.account);
    listed(&app, &filter, account, limit).await?.reply(&request)
}

/// List your ladders
///
/// The newest first, each with the own membership.
#[utoipa::path(tag = "ladders", operation_id = "list_account_ladders", security(("bearer" = [])), params(OwnLadderListQuery),
    responses((status = 200, description = "A page of them.", body = Page<LadderBody>)))]
#[get("/v1/account/ladders")]
pub async fn list_account_ladders(
    app: web::Data<App>,
    caller: Caller<LobbyRead>,
    query: Query<OwnLadderListQuery>,
    request: HttpRequest,
) -> Answer {
    let limit = page_limit(query.0.limit, 50);
    let filter = LadderFilter {
        member: Some(caller.account),
        before: query.0.cursor,
        limit: limit + 1,
        ..LadderFilter::default()
    };
    listed(&app, &filter, Some(caller.account), limit).await?.reply(&request)
}

/// A page of ladders, each with the membership of the account, if there is one.
async fn listed(
    app: &App,
    filter: &LadderFilter,
    account: Option<crate::ids::AccountId>,
    limit: i64,
) -> Result<Page<LadderBody>> {
    let mut conn = app.db.conn().await?;
    let found = read::list(&mut conn, filter).await?;
    let ids: Vec<LadderId> = found.iter().map(|(ladder, _)| ladder.id).collect();
    let members = match account {
        Some(account) => read::members(&mut conn, account, &ids).await?,
        None => vec![None; ids.len()],
    };
    let found = found.into_iter().zip(members).collect();
    Ok(page(
        found,
        limit,
        |((ladder, _), _)| ladder.id.to_string(),
        |(ladder, member)| LadderBody::of(ladder, member, None),
    ))
}

/// Get a ladder
///
/// With a token it shows the caller's membership, and whether the caller may join; if not, for which reasons.
#[utoipa::path(tag = "ladders", operation_id = "get_ladder", security((), ("bearer" = [])),
    params(("id" = LadderId, Path, description = "The ladder.")),
    responses((status = 200, description = "The ladder.", body = LadderBody)))]
#[get("/v1/ladders/{id}")]
pub async fn get_ladder(app: web::Data<App>, visitor: Visitor<LobbyRead>, id: Id<LadderId>) -> Answer {
    let mut conn = app.db.conn().await?;
    let ladder = read::find(&mut conn, id.0).await?;
    let (ladder, size) = read::with_size(&mut conn, ladder).await?;
    let (mut member, mut eligibility) = (None, None);
    if let Some(me) = visitor.identity() {
        member = read::member(&mut conn, ladder.id, me.account).await?;
        eligibility = Some(ContestEligibility::of(
            &join::reasons(&mut conn, &ladder, me.account, me.bot, app.clock.now()).await?,
        ));
    }
    Ok(Reply::ok(&LadderBody::of((ladder, size), member, eligibility))?)
}

/// Join a ladder
///
/// Or join it again, or change the wish. Refused with `not-eligible`, and in `errors` every reason by the code that
/// `eligibility` shows; with `validation-failed` when the wish is more than the ladder allows.
#[utoipa::path(tag = "ladders", operation_id = "join_ladder", security(("bearer" = [])),
    params(("id" = LadderId, Path, description = "The ladder.")),
    request_body(content = JoinLadderRequest, example = json!({"wanted_pairings": 2})),
    responses((status = 200, description = "The caller takes part.", body = LadderBody)))]
#[post("/v1/ladders/{id}/join")]
pub async fn join_ladder(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    id: Id<LadderId>,
    change: Change<JoinLadderRequest>,
) -> Answer {
    let simultaneous = change.request.wanted_pairings.unwrap_or(1);
    let work = async |tx: &mut _| {
        let (ladder, member) = join::join(tx, &app, &caller, id.0, simultaneous).await?;
        Reply::ok(&LadderBody::of(read::with_size(tx, ladder).await?, Some(member), Some(ContestEligibility::of(&[]))))
    };
    change.once.run(&app, &RateLimitKey::Account(caller.account), work).await
}

/// Leave a ladder
///
/// Matches under way go on, and count when they end. Refused with `not-a-member`.
#[utoipa::path(tag = "ladders", operation_id = "leave_ladder", security(("bearer" = [])),
    params(("id" = LadderId, Path, description = "The ladder.")),
    request_body(content = EmptyRequest, example = json!({})),
    responses((status = 200, description = "The caller has left.", body = LadderBody)))]
#[post("/v1/ladders/{id}/leave")]
pub async fn leave_ladder(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    id: Id<LadderId>,
    change: Change<EmptyRequest>,
) -> Answer {
    let work = async |tx: &mut _| {
        let ladder = join::leave(tx, &app, &caller, id.0).await?;
        let eligibility =
            ContestEligibility::of(&join::reasons(tx, &ladder, caller.account, caller.bot, app.clock.now()).await?);
        Reply::ok(&LadderBody::of(read::with_size(tx, ladder).await?, None, Some(eligibility)))
    };
    change.once.run(&app, &RateLimitKey::Account(caller.account), work).await
}

/// Close a ladder
///
/// For good, by who has made it, or by an organizer or a moderator (whose token needs the scope `moderation` besides),
/// which is noted. Its season ends, nobody is paired any more; matches under way go on, without counting for its
/// standings. Refused with `not-the-creator` and `ladder-closed`.
#[utoipa::path(tag = "ladders", operation_id = "close_ladder", security(("bearer" = [])),
    params(("id" = LadderId, Path, description = "The ladder.")),
    request_body(content = ReasonRequest, example = json!({"reason": "The club has a new one."})),
    responses((status = 200, description = "It is closed.", body = LadderBody)))]
#[post("/v1/ladders/{id}/close")]
pub async fn close_ladder(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    id: Id<LadderId>,
    change: Change<ReasonRequest>,
) -> Answer {
    let reason = change.request.reason;
    let work = async |tx: &mut _| {
        let ladder = create::close(tx, &app, &caller, id.0, reason).await?;
        let member = read::member(tx, ladder.id, caller.account).await?;
        let eligibility =
            ContestEligibility::of(&join::reasons(tx, &ladder, caller.account, caller.bot, app.clock.now()).await?);
        Reply::ok(&LadderBody::of(read::with_size(tx, ladder).await?, member, Some(eligibility)))
    };
    change.once.run(&app, &RateLimitKey::Account(caller.account), work).await
}
