//! Challenges over HTTP: opened, listed, read, accepted, declined, withdrawn.

use actix_web::{HttpRequest, delete, get, post, web};
use broadside_rules::{Clock, Fault, RuleSet, Seat, Time, Variant};
use serde::Serialize;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use super::auth::{Caller, LobbyWrite, Visitor};
use super::extract::{Change, Id, Query};
use super::fields::{FromJson, kept, request, text_fields};
use super::paging::{Page, page, page_limit};
use super::reply::{Answer, Reply};
use crate::accounts::Username;
use crate::app::App;
use crate::error::{Error, Result, problem, under};
use crate::ids::{ChallengeId, MatchId};
use crate::limits::Payer;
use crate::lobby::terms::words;
use crate::lobby::{self, Challenge, DeclineReason, Filter, Message, Offer, Status, Visibility};
use crate::matches::open::Agreed;
use crate::player::Player;
use std::str::FromStr;

text_fields!(Visibility, DeclineReason, Message, Status, VariantId, Begins, ChallengeId);

/// A variant that exists.
#[derive(Clone, Copy)]
pub struct VariantId(pub &'static Variant);

impl FromStr for VariantId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Variant::find(text).map(VariantId).ok_or_else(|| {
            let known: Vec<&str> = broadside_rules::variants().iter().map(|variant| variant.id).collect();
            format!("is no variant; there are {}", known.join(", "))
        })
    }
}

/// Who begins.
#[derive(Clone, Copy, PartialEq, Eq, ToSchema)]
#[schema(rename_all = "kebab-case")]
pub enum Begins {
    /// Drawn by lot.
    Random,
    /// Whoever made the challenge.
    Creator,
    /// The other player.
    Opponent,
}

words!(Begins { Random "random", Creator "creator", Opponent "opponent" });

impl FromJson for Clock {
    fn from_json(value: &Value, pointer: &str, faults: &mut Vec<Fault>) -> Option<Self> {
        Clock::parse(value).map_err(|inner| faults.extend(under(pointer, inner))).ok()
    }
}

impl FromJson for Seat {
    fn from_json(value: &Value, pointer: &str, faults: &mut Vec<Fault>) -> Option<Self> {
        let read = value.as_u64().and_then(|seat| u8::try_from(seat).ok()).map(Seat);
        kept(read.ok_or_else(|| "must be the number of a seat".to_owned()), pointer, faults)
    }
}

request! {
    /// A challenge to open.
    pub struct NewChallenge {
        /// The variant to play; `GET /v1/variants` lists them.
        #[schema(value_type = String, max_length = 40, pattern = "^[a-z0-9-]+$")]
        pub variant: VariantId,
        /// Changes to the variant's rule set: the fields that are given replace its own.
        #[schema(value_type = Option<RuleSetChanges>)]
        pub rule_set: Option<Map<String, Value>>,
        /// How many seats; the variant's fewest unless given.
        #[schema(minimum = 2, maximum = 7, format = Int32)]
        pub seats: Option<u32>,
        /// Whether the result counts for the ratings; false unless given. Rated matches are played by the variant's own rules and with a clock.
        pub rated: Option<bool>,
        /// The clock.
        pub clock: Clock,
        /// The player that it is addressed to; without one everybody may accept.
        #[schema(value_type = Option<String>, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]*$")]
        pub to: Option<Username>,
        /// Who may see it: `open`, `direct` (the default when `to` is given) or `link` (whoever knows its address).
        pub visibility: Option<Visibility>,
        /// Who begins: `random` (the default), `creator` or `opponent`.
        pub first: Option<Begins>,
        /// Whether people who don't play may watch; true unless given.
        pub spectators: Option<bool>,
        /// A few words.
        #[schema(value_type = Option<String>, min_length = 1, max_length = 280, pattern = "^[^\\u0000-\\u001f]+$")]
        pub message: Option<Message>,
        /// How long it stands, in seconds: 60 to 2592000 (30 days); 604800 (a week) unless given.
        #[schema(minimum = 60, maximum = 2_592_000, format = Int32)]
        pub expires_in_s: Option<u32>,
    }
}

super::openapi::free_form! {
    /// Some fields of a rule set, as `rule_set_schema` of the variant's card describes them.
    pub struct RuleSetChanges;
}

impl NewChallenge {
    /// The offer, if its parts go together.
    fn offer(self) -> Result<Offer> {
        let variant = self.variant.0;
        let mut changes = self.rule_set.unwrap_or_default();
        if let Some(first) = self.first {
            changes.insert("first".to_owned(), json!(first.word()));
        }
        let mut faults = Vec::new();
        let rules = RuleSet::customised(variant, &Value::Object(changes));
        let rules = match rules {
            Ok(rules) => rules,
            Err(inner) => {
                return Err(Error::with_faults(&problem::INVALID_RULE_SET, under("/rule_set", inner)));
            }
        };
        let seats = self.seats.map_or(Some(variant.seats().0), |seats| u8::try_from(seats).ok());
        let terms = Agreed {
            variant,
            rules,
            clock: self.clock,
            rated: self.rated.unwrap_or(false),
            spectators: self.spectators.unwrap_or(true),
            seats: seats.unwrap_or(u8::MAX),
        };
        faults.extend(lobby::terms::faults(&terms));
        let visibility =
            self.visibility.unwrap_or(if self.to.is_some() { Visibility::Direct } else { Visibility::Open });
        if self.to.is_some() != (visibility == Visibility::Direct) {
            let detail = "a challenge is direct exactly when it is addressed to somebody (`to`)".to_owned();
            faults.push(Fault { pointer: "/visibility".to_owned(), code: "contradiction", detail });
        }
        let expires_in_s = self.expires_in_s.unwrap_or(lobby::STANDS_S);
        if !(60..=lobby::STANDS_AT_MOST_S).contains(&expires_in_s) {
            let detail = format!("must be 60 to {} seconds", lobby::STANDS_AT_MOST_S);
            faults.push(Fault { pointer: "/expires_in_s".to_owned(), code: "out-of-range", detail });
        }
        if !faults.is_empty() {
            return Err(Error::invalid(faults));
        }
        Ok(Offer { terms, to: self.to, visibility, message: self.message, expires_in_s })
    }
}

request! {
    /// Which seat to take.
    pub struct Acceptance {
        /// The seat; the first that is free unless given.
        #[schema(value_type = Option<i32>, minimum = 0, maximum = 6, format = Int32)]
        pub seat: Option<Seat>,
    }
}

request! {
    /// Why not.
    pub struct Refusal {
        /// The reason; `generic` unless given.
        pub reason: Option<DeclineReason>,
    }
}

request! {
    /// Which challenges to list.
    pub query WhichChallenges {
        /// Only those that I made or that are addressed to me, whatever their status; needs a token.
        pub mine: Option<bool>,
        /// Only this variant.
        #[param(value_type = Option<String>, max_length = 40, pattern = "^[a-z0-9-]+$")]
        pub variant: Option<VariantId>,
        /// Only rated ones, or only unrated ones.
        pub rated: Option<bool>,
        /// Only with this status (with `mine`; the others' list holds open ones only).
        #[param(value_type = Option<Status>, inline)]
        pub status: Option<Status>,
        /// How many at most: 1 to 100, 50 unless given.
        #[param(minimum = 1, maximum = 100, format = Int32)]
        pub limit: Option<u32>,
        /// `next_cursor` of the page before.
        #[param(value_type = Option<String>, max_length = 200, pattern = "^[A-Za-z0-9_-]+$")]
        pub cursor: Option<ChallengeId>,
    }
}

/// A challenge.
#[derive(Serialize, ToSchema)]
#[schema(as = Challenge)]
pub struct ChallengeBody {
    id: ChallengeId,
    /// Where it stands.
    #[schema(value_type = Status)]
    status: &'static str,
    #[schema(max_length = 40, pattern = "^[a-z0-9-]+$")]
    variant: &'static str,
    rule_set: RuleSet,
    clock: Clock,
    rated: bool,
    spectators: bool,
    /// Who sits where.
    #[schema(max_items = 7)]
    seats: Vec<ChallengeSeat>,
    #[schema(value_type = Visibility)]
    visibility: &'static str,
    /// Who made it.
    creator: Player,
    /// Whom it is addressed to.
    to: Option<Player>,
    #[schema(max_length = 280, pattern = "^[^\\u0000-\\u001f]+$")]
    message: Option<String>,
    /// Why it was declined.
    #[schema(value_type = Option<DeclineReason>)]
    reason: Option<&'static str>,
    /// The match, once every seat is taken.
    match_id: Option<MatchId>,
    /// Its address, to be passed on; for a challenge by link.
    #[schema(max_length = 400, pattern = "^https?://[^\\s]+$")]
    link: Option<String>,
    created_at: Time,
    expires_at: Time,
}

/// A seat of a challenge.
#[derive(Serialize, ToSchema)]
pub struct ChallengeSeat {
    #[schema(minimum = 0, maximum = 6, format = Int32)]
    seat: usize,
    /// Who sits there; null: it is free.
    player: Option<Player>,
}

impl ChallengeBody {
    /// The challenge as it stands now.
    pub(super) fn of(challenge: Challenge, app: &App) -> Self {
        let status = challenge.status_at(app.clock.now()).word();
        let seats = challenge.seats.into_iter().enumerate();
        let link = (challenge.visibility == Visibility::Link)
            .then(|| format!("{}/v1/challenges/{}", app.public_url, challenge.id));
        Self {
            id: challenge.id,
            status,
            variant: challenge.terms.variant.id,
            rule_set: challenge.terms.rules,
            clock: challenge.terms.clock,
            rated: challenge.terms.rated,
            spectators: challenge.terms.spectators,
            seats: seats.map(|(seat, player)| ChallengeSeat { seat, player }).collect(),
            visibility: challenge.visibility.word(),
            creator: challenge.creator,
            to: challenge.opponent,
            message: challenge.message,
            reason: challenge.reason.map(DeclineReason::word),
            match_id: challenge.match_id,
            link,
            created_at: challenge.created_at,
            expires_at: challenge.expires_at,
        }
    }
}

/// Open a challenge
///
/// The creator takes seat 0. Refused with `invalid-request` (every fault named), `invalid-rule-set`, or `too-many-open` when 50 are open already.
#[utoipa::path(tag = "challenges", operation_id = "open_challenge", security(("bearer" = [])),
    request_body(content = NewChallenge, example = json!({"variant": "classic", "clock": {"kind": "per-move", "move_s": 259_200}, "message": "A game over the weekend?"})),
    responses((status = 201, description = "It is open.", body = ChallengeBody)))]
#[post("/v1/challenges")]
pub async fn open_challenge(app: web::Data<App>, caller: Caller<LobbyWrite>, change: Change<NewChallenge>) -> Answer {
    let offer = change.request.offer()?;
    let work = async |tx: &mut _| {
        let challenge = lobby::open(tx, &app, &caller, offer).await?;
        let location = format!("/v1/challenges/{}", challenge.id);
        Reply::created(&location, &ChallengeBody::of(challenge, &app))
    };
    change.once.run(&app, &Payer::Account(caller.account), work).await
}

/// List challenges
///
/// Without `mine`: the open ones that everybody may accept. The newest first.
#[utoipa::path(tag = "challenges", operation_id = "list_challenges", security((), ("bearer" = [])), params(WhichChallenges),
    responses((status = 200, description = "A page of them.", body = Page<ChallengeBody>)))]
#[get("/v1/challenges")]
pub async fn list_challenges(
    app: web::Data<App>,
    visitor: Visitor,
    query: Query<WhichChallenges>,
    request: HttpRequest,
) -> Answer {
    let which = query.0;
    let mine = match (which.mine, visitor.identity()) {
        (Some(true), Some(me)) => Some(me.account),
        (Some(true), None) => return Err(Error::plain(&problem::NOT_SIGNED_IN).into()),
        _ => None,
    };
    let limit = page_limit(which.limit, 50, 100)?;
    let filter = Filter {
        mine,
        variant: which.variant.map(|VariantId(variant)| variant.id),
        rated: which.rated,
        status: if mine.is_some() { which.status } else { Some(Status::Open) },
        before: which.cursor,
        limit: limit + 1,
    };
    let mut conn = app.db.conn().await?;
    let found = lobby::list(&mut conn, &filter, app.clock.now()).await?;
    page(found, limit, |challenge| challenge.id.to_string(), |challenge| ChallengeBody::of(challenge, &app))
        .reply(&request)
}

/// Read a challenge
///
/// A direct challenge is `not-found` for everybody but the two it is between.
#[utoipa::path(tag = "challenges", operation_id = "read_challenge", security((), ("bearer" = [])),
    params(("id" = ChallengeId, Path, description = "The challenge.")),
    responses((status = 200, description = "The challenge.", body = ChallengeBody)))]
#[get("/v1/challenges/{id}")]
pub async fn read_challenge(app: web::Data<App>, visitor: Visitor, id: Id<ChallengeId>) -> Answer {
    let viewer = visitor.identity().map(|me| me.account);
    let mut conn = app.db.conn().await?;
    let challenge = lobby::find(&mut conn, id.0, viewer).await?;
    Ok(Reply::ok(&ChallengeBody::of(challenge, &app))?)
}

/// Withdraw a challenge
///
/// For its creator, while it is open: else `not-for-you` or `challenge-closed`.
#[utoipa::path(tag = "challenges", operation_id = "withdraw_challenge", security(("bearer" = [])),
    params(("id" = ChallengeId, Path, description = "The challenge.")),
    responses((status = 204, description = "It is withdrawn.")))]
#[delete("/v1/challenges/{id}")]
pub async fn withdraw_challenge(app: web::Data<App>, caller: Caller<LobbyWrite>, id: Id<ChallengeId>) -> Answer {
    let mut tx = app.db.begin().await?;
    lobby::withdraw(&mut tx, &app, &caller, id.0).await?;
    tx.commit().await?;
    Ok(Reply::no_content())
}

/// Accept a challenge
///
/// With the last seat the match exists, and `match_id` names it. Refused with `challenge-closed` or `seat-taken` when somebody was faster, and with
/// `not-for-you` when the caller sits there already.
#[utoipa::path(tag = "challenges", operation_id = "accept_challenge", security(("bearer" = [])),
    params(("id" = ChallengeId, Path, description = "The challenge.")),
    request_body(content = Acceptance, example = json!({})),
    responses((status = 200, description = "The seat is taken.", body = ChallengeBody)))]
#[post("/v1/challenges/{id}/accept")]
pub async fn accept_challenge(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    id: Id<ChallengeId>,
    change: Change<Acceptance>,
) -> Answer {
    let seat = change.request.seat;
    let work = async |tx: &mut _| {
        let challenge = lobby::accept(tx, &app, &caller, id.0, seat).await?;
        Reply::ok(&ChallengeBody::of(challenge, &app))
    };
    change.once.run(&app, &Payer::Account(caller.account), work).await
}

/// Decline a challenge
///
/// For the player it is addressed to, while it is open: else `not-for-you` or `challenge-closed`.
#[utoipa::path(tag = "challenges", operation_id = "decline_challenge", security(("bearer" = [])),
    params(("id" = ChallengeId, Path, description = "The challenge.")),
    request_body(content = Refusal, example = json!({"reason": "later"})),
    responses((status = 200, description = "It is declined.", body = ChallengeBody)))]
#[post("/v1/challenges/{id}/decline")]
pub async fn decline_challenge(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    id: Id<ChallengeId>,
    change: Change<Refusal>,
) -> Answer {
    let reason = change.request.reason.unwrap_or(DeclineReason::Generic);
    let work = async |tx: &mut _| {
        let challenge = lobby::decline(tx, &app, &caller, id.0, reason).await?;
        Reply::ok(&ChallengeBody::of(challenge, &app))
    };
    change.once.run(&app, &Payer::Account(caller.account), work).await
}
