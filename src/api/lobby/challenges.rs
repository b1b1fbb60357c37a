//! Challenges over HTTP: open, list, read, accept, decline, withdraw.

use actix_web::{HttpRequest, delete, get, post, web};
use broadside_contests::RuleSetHash;
use broadside_rules::illegal::UnknownWord;
use broadside_rules::text::Digest;
use broadside_rules::{Clock, Fault, First, Nonce, Seat, Variant};
use serde_json::{Map, Value};

use crate::accounts::Username;
use crate::api::http::auth::{Caller, LobbyRead, LobbyWrite, Visitor};
use crate::api::http::extract::{Change, Id, Query};
use crate::api::http::fields::{request, text_fields};
use crate::api::http::filters::VariantFilter;
use crate::api::http::nullable::Nullable;
use crate::api::http::paging::{Page, page, page_limit};
use crate::api::http::reply::{Answer, Reply};
use crate::api::lobby::view::ChallengeBody;
use crate::api::rulesets::base::{ChosenRules, RulesRequest};
use crate::app::App;
use crate::error::{Error, Result};
use crate::ids::ChallengeId;
use crate::lobby::lists::{self, ChallengeFilter};
use crate::lobby::{
    self, ChallengeDeclineReason, ChallengeMessage, ChallengeStatus, Nation, Offer, SeatRequest, Visibility,
    invitations,
};
use crate::matches::open::MatchSettings;
use crate::rate_limits::RateLimitKey;
use crate::suggest;
use std::str::FromStr;
use utoipa::ToSchema;

text_fields!(
    Visibility,
    ChallengeDeclineReason,
    ChallengeMessage,
    Nation,
    ChallengeStatus,
    VariantId,
    First,
    ChallengeId
);

#[derive(Clone, Copy)]
pub struct VariantId(pub &'static Variant);

impl FromStr for VariantId {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        Variant::find(text).map(VariantId).ok_or_else(|| {
            let known: Vec<&str> = broadside_rules::variants().iter().map(|variant| variant.id).collect();
            suggest::must_be_one_of(text, &known)
        })
    }
}

/// The name of a player, in any case.
#[derive(ToSchema)]
#[schema(min_length = 1, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]*$", examples("anna"))]
#[allow(dead_code, reason = "it only describes the contract")]
pub struct PlayerName(String);

request! {
    /// A challenge to open.
    pub struct CreateChallengeRequest {
        /// The variant to play; `GET /v1/variants` lists them. Required, unless `named_rule_set` is given.
        #[schema(value_type = Option<String>, max_length = 40, pattern = "^[a-z0-9-]+$")]
        pub variant: Option<VariantId>,
        /// In place of `variant` and `rule_set`, the hash of a named rule set; `GET /v1/rule-sets` lists them.
        #[schema(value_type = Option<Digest>)]
        pub named_rule_set: Option<RuleSetHash>,
        /// Changes to the variant's rule set: the fields that are given replace its own.
        #[schema(value_type = Option<RuleSetChanges>)]
        pub rule_set: Option<Map<String, Value>>,
        /// The number of seats; by default the variant's smallest.
        #[schema(minimum = 2, maximum = 7, format = Int32)]
        pub seats: Option<u32>,
        /// Whether the result counts for the ratings; false by default. Rated matches need a clock, and
        /// the variant's own rules or a named rule set.
        pub rated: Option<bool>,
        /// The clock. `rests` is `standard` by default for clocks that give a day or more.
        pub clock: Clock,
        /// The player to whom it is addressed. Without one everybody may accept; null has to be confirmed with
        /// `visibility`, since a program may have lost the name.
        #[schema(value_type = Option<String>, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]*$")]
        pub opponent: Nullable<Username>,
        /// Players who are invited to its seats, six at most: they get `challenge-received`, and find it among theirs.
        /// Where it is direct only they may accept, so there have to be enough of them; else whoever is first sits.
        /// An empty list, or null, has to be confirmed with `visibility` in the same way.
        #[schema(value_type = Option<Vec<PlayerName>>, max_items = 6)]
        pub invited: Nullable<Vec<Username>>,
        /// Who may see it: `open`, `direct` (the default when `opponent` or `invited` is given) or `link` (whoever
        /// knows its address).
        pub visibility: Option<Visibility>,
        /// Who begins: `random` (the default), `creator` or `opponent`.
        pub first: Option<First>,
        /// Whether spectators may watch; true by default.
        pub spectators: Option<bool>,
        /// A short text for the other players.
        #[schema(value_type = Option<String>, min_length = 1, max_length = 280, pattern = "^[^\\u0000-\\u001f]+$")]
        pub message: Option<ChallengeMessage>,
        /// The reliability that a player needs to accept it (`reliability_percent` of the profile). Players who have
        /// none may accept.
        #[schema(minimum = 1, maximum = 100, format = Int32)]
        pub min_reliability_percent: Option<u32>,
        /// How long it stays open, in seconds: 60 to 2592000 (30 days); 604800 (a week) by default.
        #[schema(minimum = 60, maximum = 2_592_000, format = Int32)]
        pub expires_in_s: Option<u32>,
        /// The nation of seat 0, where the variant has nations; drawn by lot by default.
        #[schema(value_type = Option<String>, min_length = 1, max_length = 16, pattern = "^[a-z-]+$")]
        pub nation: Option<Nation>,
        /// A text of your own that is mixed into the seed of the match's random numbers: 1 to 64 printable ASCII
        /// characters.
        #[schema(value_type = Option<String>, min_length = 1, max_length = 64, pattern = "^[\\x20-\\x7e]+$")]
        pub nonce: Option<Nonce>,
    }
}

crate::api::openapi::free_form! {
    /// Some fields of a rule set, as `rule_set_schema` of the variant's card describes them.
    pub struct RuleSetChanges;
}

impl CreateChallengeRequest {
    /// The field for opponents that names nobody: null, or an empty list.
    fn names_nobody(&self) -> Option<&'static str> {
        match (&self.opponent, &self.invited) {
            (Nullable::Null, _) => Some("/opponent"),
            (_, Nullable::Null) => Some("/invited"),
            (_, Nullable::Value(invited)) if invited.is_empty() => Some("/invited"),
            _ => None,
        }
    }

    /// Fails if fields contradict each other.
    async fn offer(self, app: &App) -> Result<Offer> {
        let lost = self.names_nobody();
        let asked = RulesRequest {
            variant: self.variant,
            changes: self.rule_set,
            named_rule_set: self.named_rule_set,
            first: self.first,
        };
        let ChosenRules { variant, rules, named } = asked.chosen(app).await?;
        let mut faults = Vec::new();
        let seats = self.seats.map_or(Some(rules.seats().0), |seats| u8::try_from(seats).ok());
        let terms = MatchSettings {
            variant,
            rules,
            named,
            clock: self.clock.with_rests_unless_said(),
            rated: self.rated.unwrap_or(false),
            spectators: self.spectators.unwrap_or(true),
            seats: seats.unwrap_or(u8::MAX),
        };
        let is_about_first = |fault: &Fault| fault.code == "rated-needs-random-first" && self.first.is_some();
        let where_said =
            |fault| if is_about_first(&fault) { Fault { pointer: "/first".into(), ..fault } } else { fault };
        faults.extend(terms.faults().into_iter().map(where_said));
        let wish = self.nation.and_then(|nation| nation.among(&terms.rules).map_err(|fault| faults.push(fault)).ok());
        let to = self.opponent.value();
        let invited = self.invited.value().unwrap_or_default();
        if to.is_some() && terms.seats > 2 {
            let detail = "a challenge to one player has two seats; with more, say who is `invited`".to_owned();
            faults.push(Fault { pointer: "/opponent".to_owned(), code: "conflicting-fields", detail });
        }
        let visibility =
            invitations::visibility(self.visibility, (to.is_some(), !invited.is_empty()), lost, &mut faults);
        faults.extend(invitations::faults(invited.len(), terms.seats, visibility));
        let expires_in_s = self.expires_in_s.unwrap_or(lobby::DEFAULT_EXPIRY_S);
        if !(60..=lobby::MAX_EXPIRY_S).contains(&expires_in_s) {
            let detail = format!("must be 60 to {} seconds", lobby::MAX_EXPIRY_S);
            faults.push(Fault { pointer: "/expires_in_s".to_owned(), code: "out-of-range", detail });
        }
        let min_reliability_percent = self.min_reliability_percent.map(|percent| u8::try_from(percent).unwrap_or(0));
        if min_reliability_percent.is_some_and(|percent| !(1..=100).contains(&percent)) {
            let detail = "must be 1 to 100 percent".to_owned();
            faults.push(Fault { pointer: "/min_reliability_percent".to_owned(), code: "out-of-range", detail });
        }
        if !faults.is_empty() {
            return Err(Error::invalid(faults));
        }
        let Self { message, nonce, .. } = self;
        Ok(Offer { terms, to, invited, visibility, message, min_reliability_percent, expires_in_s, wish, nonce })
    }
}

request! {
    /// The seat to take, and what the player brings.
    pub struct AcceptChallengeRequest {
        /// The seat; by default the first free one.
        #[schema(value_type = Option<i32>, minimum = 0, maximum = 6, format = Int32)]
        pub seat: Option<Seat>,
        /// The nation of the seat, where the variant has nations; by default drawn by lot from those that are left.
        #[schema(value_type = Option<String>, min_length = 1, max_length = 16, pattern = "^[a-z-]+$")]
        pub nation: Option<Nation>,
        /// A text of your own that is mixed into the seed of the match's random numbers: 1 to 64 printable ASCII
        /// characters.
        #[schema(value_type = Option<String>, min_length = 1, max_length = 64, pattern = "^[\\x20-\\x7e]+$")]
        pub nonce: Option<Nonce>,
        /// The challenge's `chance_commitment` as you were shown it. If it differs by now, the seat is not taken
        /// (`chance-commitment-changed`). So nobody can choose the seed after seeing your nonce.
        #[schema(value_type = Option<String>, min_length = 64, max_length = 64, pattern = "^[0-9a-f]{64}$", example = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")]
        pub chance_commitment: Option<Digest>,
    }
}

request! {
    /// Why the challenge is declined.
    pub struct DeclineChallengeRequest {
        /// The reason; `generic` by default.
        pub reason: Option<ChallengeDeclineReason>,
    }
}

request! {
    /// Which challenges to list.
    pub query ChallengesQuery {
        /// Only challenges that the caller made, received, is invited to or sits in, whatever their status; needs a
        /// token.
        pub mine: Option<bool>,
        /// Only this variant.
        #[param(value_type = Option<String>, max_length = 40, pattern = "^[a-z0-9-]+$")]
        pub variant: Option<VariantFilter>,
        /// Only by this named rule set.
        #[param(value_type = Option<String>, min_length = 64, max_length = 64, pattern = "^[0-9a-f]{64}$")]
        pub named_rule_set: Option<RuleSetHash>,
        /// Only rated ones, or only unrated ones.
        pub rated: Option<bool>,
        /// Only with this status; needs `mine`, since the general list holds open challenges only.
        #[param(value_type = Option<ChallengeStatus>, inline)]
        pub status: Option<ChallengeStatus>,
        /// Only challenges that the caller may accept: not their own, not joined yet, and the caller is reliable
        /// enough; needs a token.
        pub acceptable: Option<bool>,
        ..page(ChallengeId)
    }
}

/// Create a challenge
///
/// The creator takes seat 0. Refused with `validation-failed` (every fault named), `invalid-rule-set`, `player-blocked`
/// when the creator blocks the player to whom it is addressed, or `quota-exceeded` when the creator sits in as
/// many open challenges, plays as many matches, or has made as many challenges today as the quotas allow.
#[utoipa::path(tag = "challenges", operation_id = "create_challenge", security(("bearer" = ["lobby:write"])),
    request_body = CreateChallengeRequest,
    responses((status = 201, description = "The challenge is open.", body = ChallengeBody)))]
#[post("/v1/challenges")]
pub async fn create_challenge(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    change: Change<CreateChallengeRequest>,
) -> Answer {
    let offer = change.request.offer(&app).await?;
    let work = async |tx: &mut _| {
        let challenge = lobby::open(tx, &app, &caller, offer).await?;
        let location = format!("/v1/challenges/{}", challenge.id);
        Reply::created(&location, &ChallengeBody::of(challenge, &app))
    };
    change.once.run(&app, &RateLimitKey::Account(caller.account), work).await
}

/// List challenges
///
/// Without `mine`: the open challenges that everybody may accept, except those of players whom the caller blocks or who
/// block the caller. The newest first.
#[utoipa::path(tag = "challenges", operation_id = "list_challenges", security((), ("bearer" = ["lobby:read"])),
    params(ChallengesQuery),
    responses((status = 200, description = "A page of them.", body = Page<ChallengeBody>)))]
#[get("/v1/challenges")]
pub async fn list_challenges(
    app: web::Data<App>,
    visitor: Visitor<LobbyRead>,
    query: Query<ChallengesQuery>,
    request: HttpRequest,
) -> Answer {
    let query = query.0;
    let viewer = visitor.identity().map(|me| me.account);
    let asks_as_oneself = query.mine == Some(true) || query.acceptable == Some(true);
    let me = if asks_as_oneself { Some(visitor.signed_in()?.account) } else { None };
    let mine = me.filter(|_| query.mine == Some(true));
    let limit = page_limit(query.limit, 50);
    let mut conn = app.db.conn().await?;
    let acceptable = match me.filter(|_| query.acceptable == Some(true)) {
        Some(me) => Some(lists::reliability_of(&mut conn, me).await?),
        None => None,
    };
    let filter = ChallengeFilter {
        mine,
        acceptable,
        variant: query.variant.map(|VariantFilter(id)| id),
        named: query.named_rule_set,
        rated: query.rated,
        status: if mine.is_some() { query.status } else { Some(ChallengeStatus::Open) },
        before: query.cursor,
        viewer,
        limit: limit + 1,
    };
    let found = lists::list(&mut conn, &filter, app.clock.now()).await?;
    page(found, limit, |challenge| challenge.id.to_string(), |challenge| ChallengeBody::of(challenge, &app))
        .reply(&request)
}

/// Get a challenge
///
/// A direct challenge is `not-found` for everybody except its two players.
#[utoipa::path(tag = "challenges", operation_id = "get_challenge", security((), ("bearer" = ["lobby:read"])),
    params(("id" = ChallengeId, Path, description = "The challenge.")),
    responses((status = 200, description = "The challenge.", body = ChallengeBody)))]
#[get("/v1/challenges/{id}")]
pub async fn get_challenge(app: web::Data<App>, visitor: Visitor<LobbyRead>, id: Id<ChallengeId>) -> Answer {
    let viewer = visitor.identity().map(|me| me.account);
    let mut conn = app.db.conn().await?;
    let challenge = lobby::find(&mut conn, id.0, viewer).await?;
    Ok(Reply::ok(&ChallengeBody::of(challenge, &app))?)
}

/// Withdraw a challenge
///
/// Only for its creator, while it is open; else `not-the-creator` or `challenge-closed`.
#[utoipa::path(tag = "challenges", operation_id = "withdraw_challenge", security(("bearer" = ["lobby:write"])),
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
/// The last seat opens the match, and `match_id` names it. Refused with `challenge-closed`, `seat-taken` or
/// `nation-taken` when another player was faster, with `already-joined` when the caller already sits there, with
/// `chance-commitment-changed` when `chance_commitment` is given and differs from the challenge's, with
/// `not-reliable-enough`, and with `quota-exceeded` when the caller would wait in too many open challenges, their own
/// included, or play too many matches. The limit of open challenges does not apply to the last seat of a challenge.
#[utoipa::path(tag = "challenges", operation_id = "accept_challenge", security(("bearer" = ["lobby:write"])),
    params(("id" = ChallengeId, Path, description = "The challenge.")),
    request_body = AcceptChallengeRequest,
    responses((status = 200, description = "The seat is taken.", body = ChallengeBody)))]
#[post("/v1/challenges/{id}/accept")]
pub async fn accept_challenge(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    id: Id<ChallengeId>,
    change: Change<AcceptChallengeRequest>,
) -> Answer {
    let AcceptChallengeRequest { seat, nation, nonce, chance_commitment } = change.request;
    let seat_request = SeatRequest { seat, nation, nonce, chance_commitment };
    let work = async |tx: &mut _| {
        let challenge = lobby::accept(tx, &app.matches, &caller, id.0, seat_request).await?;
        Reply::ok(&ChallengeBody::of(challenge, &app))
    };
    change.once.run(&app, &RateLimitKey::Account(caller.account), work).await
}

/// Decline a challenge
///
/// For the player to whom it is addressed, and for those who are invited, while it is open; else
/// `not-the-challenged-player` or `challenge-closed`. Where others can take the seats, only the invitation is gone. A
/// player who has taken a seat gives it back in the same way, as long as other seats are free; then the challenge stays
/// open.
#[utoipa::path(tag = "challenges", operation_id = "decline_challenge", security(("bearer" = ["lobby:write"])),
    params(("id" = ChallengeId, Path, description = "The challenge.")),
    request_body = DeclineChallengeRequest,
    responses((status = 200, description = "It is declined, or the seat is free again.", body = ChallengeBody)))]
#[post("/v1/challenges/{id}/decline")]
pub async fn decline_challenge(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    id: Id<ChallengeId>,
    change: Change<DeclineChallengeRequest>,
) -> Answer {
    let reason = change.request.reason.unwrap_or(ChallengeDeclineReason::Generic);
    let work = async |tx: &mut _| {
        let challenge = lobby::decline(tx, &app, &caller, id.0, reason).await?;
        Reply::ok(&ChallengeBody::of(challenge, &app))
    };
    change.once.run(&app, &RateLimitKey::Account(caller.account), work).await
}
