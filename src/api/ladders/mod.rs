//! Ladders over HTTP: create, read, join, leave, close. Lists and standings have their own files.

pub mod challenges;
pub mod crosstable;
pub mod export;
pub mod form_terms;
pub mod lists;
pub mod seasons;
pub mod standings;
mod table;
pub mod view;

use actix_web::{get, post, web};
use broadside_contests::RuleSetHash;
use broadside_contests::divisions::Divisions;
use broadside_contests::ranking::Ranking;
use broadside_rules::Clock;
use broadside_rules::text::Digest;
use serde_json::{Map, Value};

use crate::api::contests::entries::OwnEntry;
use crate::api::http::auth::{Caller, LobbyRead, LobbyWrite, Visitor};
use crate::api::http::bodies::{EmptyRequest, ReasonRequest};
use crate::api::http::extract::{Change, Id};
use crate::api::http::fields::{Ranged, request, text_fields};
use crate::api::http::reply::{Answer, Reply};
use crate::api::ladders::form_terms::{DivisionTermsInput, PairingRuleInput, PositionTermsInput, ranking};
use crate::api::ladders::view::LadderBody;
use crate::api::lobby::challenges::{RuleSetChanges, VariantId};
use crate::api::pairings::ContestEligibility;
use crate::api::rulesets::base::{ChosenRules, RulesRequest};
use crate::app::App;
use crate::contests::access::{Access, ContestVisibility, EntryMode};
use crate::contests::entry_limits::EntryLimits;
use crate::contests::{Contest, entries};
use crate::error::{Error, Result};
use crate::ids::LadderId;
use crate::ladders::{FormTerms, LadderAudience, LadderFormat, LadderTerms, create, join, read, unpaired};
use crate::matches::open::MatchSettings;
use crate::rate_limits::RateLimitKey;
use crate::social::text::{Description, Title};

text_fields!(LadderFormat, LadderAudience, LadderId);

request! {
    /// A ladder to make.
    pub struct CreateLadderRequest {
        /// What it is called: 3 to 80 characters.
        #[schema(value_type = String, min_length = 3, max_length = 80, pattern = "^[^\\u0000-\\u001f]+$")]
        pub title: Title,
        /// What you say of it.
        #[schema(value_type = Option<String>, min_length = 1, max_length = 2000, pattern = "^[^\\u0000-\\u0009\\u000b\\u000c\\u000e-\\u001f]+$")]
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
        /// The reliability that joining needs (`reliability_percent` of the profile). A player who has none may join.
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
        /// How people get in: `open` unless given.
        pub entry: Option<EntryMode>,
        /// Who sees it: `public` unless given.
        pub visibility: Option<ContestVisibility>,
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
    /// Fails if a part of the terms is invalid.
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
            audience: self.audience.unwrap_or(LadderAudience::Everybody),
            limits: EntryLimits::asked(
                self.min_reliability_percent,
                (self.min_rating, self.max_rating),
                self.min_account_age_days,
            ),
            access: Access::asked(self.entry, self.visibility),
            max_pairings: self.max_pairings.unwrap_or(1),
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

/// Create a ladder
///
/// What is played there never changes once somebody takes part. Refused with `validation-failed` (every fault named),
/// `invalid-rule-set`, or
/// `quota-exceeded` when the caller has as many open ladders as allowed, and of an official one with `role-required`.
#[utoipa::path(tag = "ladders", operation_id = "create_ladder", security(("bearer" = ["lobby:write"])),
    request_body = CreateLadderRequest,
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

/// Get a ladder
///
/// With a token it shows the caller's membership, and whether the caller may join; if not, for which reasons. A member
/// who isn't paired reads in `membership.waiting_for` why, and when they may be.
#[utoipa::path(tag = "ladders", operation_id = "get_ladder", security((), ("bearer" = ["lobby:read"])),
    params(("id" = LadderId, Path, description = "The ladder.")),
    responses((status = 200, description = "The ladder.", body = LadderBody)))]
#[get("/v1/ladders/{id}")]
pub async fn get_ladder(app: web::Data<App>, visitor: Visitor<LobbyRead>, id: Id<LadderId>) -> Answer {
    let mut conn = app.db.conn().await?;
    let ladder = read::find(&mut conn, &app, id.0, visitor.identity()).await?;
    let (ladder, size) = read::with_size(&mut conn, ladder).await?;
    let (mut member, mut eligibility, mut entry, mut waits) = (None, None, None, None);
    if let Some(me) = visitor.identity() {
        member = read::member(&mut conn, ladder.id, me.account).await?;
        if let Some(member) = &member {
            waits = unpaired::why(&mut conn, &ladder, member, app.clock.now()).await?;
        }
        eligibility = Some(ContestEligibility::of(
            &join::reasons(&mut conn, &ladder, me.account, me.bot, app.clock.now()).await?,
        ));
        entry = entries::find(&mut conn, Contest::Ladder(ladder.id), me.account).await?;
    }
    Ok(Reply::ok(
        &LadderBody::of((ladder, size), member, eligibility)
            .waiting_for(waits)
            .with(entry.map(|entry| OwnEntry::of(entry.state, entry.at))),
    )?)
}

/// Join a ladder
///
/// Or join it again, or change the wish. Where `entry` is `approval` it makes a request, unless the caller is invited:
/// `membership` is null and `own_entry` says so, and an organizer decides. Refused with `not-eligible`, and in `errors`
/// every reason by the code that `eligibility` shows; with `validation-failed` when the wish is more than the ladder
/// allows; a request also with `quota-exceeded`.
#[utoipa::path(tag = "ladders", operation_id = "join_ladder", security(("bearer" = ["lobby:write"])),
    params(("id" = LadderId, Path, description = "The ladder.")),
    request_body = JoinLadderRequest,
    responses((status = 200, description = "The caller takes part, or has asked to.", body = LadderBody)))]
#[post("/v1/ladders/{id}/join")]
pub async fn join_ladder(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    id: Id<LadderId>,
    change: Change<JoinLadderRequest>,
) -> Answer {
    let wanted_pairings = change.request.wanted_pairings.unwrap_or(1);
    let work = async |tx: &mut _| {
        let (ladder, member) = join::join(tx, &app, &caller, id.0, wanted_pairings).await?;
        let entry = entries::find(tx, Contest::Ladder(id.0), caller.account).await?;
        let eligibility = Some(ContestEligibility::of(&[]));
        Reply::ok(
            &LadderBody::of(read::with_size(tx, ladder).await?, member, eligibility)
                .with(entry.map(|entry| OwnEntry::of(entry.state, entry.at))),
        )
    };
    change.once.run(&app, &RateLimitKey::Account(caller.account), work).await
}

/// Leave a ladder
///
/// Matches under way go on, and count when they end. Refused with `not-a-member`.
#[utoipa::path(tag = "ladders", operation_id = "leave_ladder", security(("bearer" = ["lobby:write"])),
    params(("id" = LadderId, Path, description = "The ladder.")),
    request_body = EmptyRequest,
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
#[utoipa::path(tag = "ladders", operation_id = "close_ladder", security(("bearer" = ["lobby:write"])),
    params(("id" = LadderId, Path, description = "The ladder.")),
    request_body = ReasonRequest,
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
