//! Organizers' review of rounds before they begin, over HTTP.

use actix_web::{HttpRequest, get, post, put, web};
use broadside_contests::swiss;
use broadside_rules::Time;
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::http::auth::{Caller, LobbyRead, LobbyWrite};
use crate::api::http::bodies::EmptyRequest;
use crate::api::http::extract::{Body, Change, Id};
use crate::api::http::fields::{AtMost, nested, request};
use crate::api::http::reply::{Answer, Reply};
use crate::api::tournaments::rounds::round_number;
use crate::api::tournaments::{small, view::TournamentBody};
use crate::app::App;
use crate::audit_log::AuditReason;
use crate::ids::TournamentId;
use crate::player::Player;
use crate::rate_limits::RateLimitKey;
use crate::schemas;
use crate::tournaments::draw::RoundPlan;
use crate::tournaments::review::{self, ByHand, Draft, Held, PairingOrder, WaitingRound};

/// A round that is drawn, and waits for an organizer.
#[derive(Serialize, ToSchema)]
#[schema(as = TournamentWaitingRound)]
pub struct WaitingRoundBody {
    #[schema(minimum = 1, maximum = 30, format = Int32)]
    round: u16,
    /// When it begins by itself.
    release_at: Time,
}

impl From<WaitingRound> for WaitingRoundBody {
    fn from(WaitingRound { round, release_at }: WaitingRound) -> Self {
        Self { round, release_at }
    }
}

/// Who meets whom in a round, by starting numbers.
#[derive(Serialize, ToSchema)]
#[schema(as = TournamentRoundPlan)]
pub struct RoundPlanBody {
    /// The games, the higher boards first.
    #[schema(max_items = 256)]
    games: Vec<PlannedGame>,
    /// Who has no opponent, for a point; null: everybody has one.
    #[schema(minimum = 1, maximum = 512, format = Int32)]
    bye: Option<u16>,
    /// Who sits out on request, or because an organizer has decided so.
    #[schema(max_items = 512)]
    sitting_out: Vec<PlannedBye>,
}

/// A game of a round.
#[derive(Serialize, ToSchema)]
#[schema(as = TournamentPlannedGame)]
pub struct PlannedGame {
    /// The starting number of the player who begins (of paired games: the first one).
    #[schema(minimum = 1, maximum = 512, format = Int32)]
    first: u16,
    /// The other player's.
    #[schema(minimum = 1, maximum = 512, format = Int32)]
    second: u16,
}

/// Somebody who sits out a round.
#[derive(Serialize, ToSchema)]
#[schema(as = TournamentPlannedBye)]
pub struct PlannedBye {
    #[schema(minimum = 1, maximum = 512, format = Int32)]
    starting_number: u16,
    /// What it is worth.
    #[schema(minimum = 0, maximum = 1)]
    points: f64,
}

impl From<RoundPlan> for RoundPlanBody {
    fn from(plan: RoundPlan) -> Self {
        let bye =
            |(starting_number, halves): (u16, u8)| PlannedBye { starting_number, points: f64::from(halves) / 2.0 };
        Self {
            games: plan.games.into_iter().map(|(first, second)| PlannedGame { first, second }).collect(),
            bye: plan.bye,
            sitting_out: plan.out.into_iter().map(bye).collect(),
        }
    }
}

/// That an organizer has paired a round by hand.
#[derive(Serialize, ToSchema)]
#[schema(as = TournamentRoundByHand)]
pub struct ByHandBody {
    /// The organizer.
    by: Player,
    at: Time,
    /// Why; null: they have deleted their account.
    #[schema(max_length = 500, pattern = "^[^\\u0000-\\u001f\\u007f]+$")]
    reason: Option<String>,
    /// What the draw had given.
    drawn: RoundPlanBody,
}

impl ByHandBody {
    /// The draft of a round that is paired by hand.
    pub fn of(draft: Draft) -> Option<Self> {
        let ByHand { by, at, reason, .. } = draft.by_hand?;
        Some(Self { by, at, reason, drawn: draft.drawn.into() })
    }
}

/// A round that waits, as the organizers see it.
#[derive(Serialize, ToSchema)]
#[schema(as = TournamentRoundDraft)]
pub struct DraftBody {
    #[schema(minimum = 1, maximum = 30, format = Int32)]
    round: u16,
    drawn_at: Time,
    /// When it begins by itself.
    release_at: Time,
    /// The round as it is going to be played.
    pairings: RoundPlanBody,
    /// What an organizer has changed; null: nothing.
    paired_by_hand: Option<ByHandBody>,
    /// Who has which starting number.
    #[schema(max_items = 512)]
    players: Vec<NumberedPlayer>,
}

/// A player and their starting number.
#[derive(Serialize, ToSchema)]
#[schema(as = TournamentNumberedPlayer)]
pub struct NumberedPlayer {
    #[schema(minimum = 1, maximum = 512, format = Int32)]
    starting_number: u16,
    player: Player,
    /// Whether they have withdrawn since the round was drawn: a game of theirs is won without play.
    withdrawn: bool,
}

impl DraftBody {
    fn of(held: Held) -> Self {
        let draft = held.draft;
        let plan = draft.plan().clone();
        let is_in = |number: u16| {
            let games = plan.games.iter().flat_map(|(first, second)| [*first, *second]);
            games.chain(plan.bye).chain(plan.out.iter().map(|(out, _)| *out)).any(|other| other == number)
        };
        let mut players: Vec<NumberedPlayer> = held
            .entrants
            .into_iter()
            .filter_map(|entrant| {
                let starting_number = entrant.number.filter(|number| is_in(*number))?;
                let withdrawn = entrant.withdrawn.is_some();
                Some(NumberedPlayer { starting_number, player: entrant.player, withdrawn })
            })
            .collect();
        players.sort_by_key(|player| player.starting_number);
        Self {
            round: draft.round,
            drawn_at: draft.drawn_at,
            release_at: draft.release_at,
            pairings: plan.into(),
            paired_by_hand: ByHandBody::of(draft),
            players,
        }
    }
}

request! {
    /// A game of a round, by starting numbers.
    pub struct PlannedGameInput {
        /// Who begins (of paired games: the first one).
        #[schema(minimum = 1, maximum = 512, format = Int32)]
        pub first: u32,
        /// The other player.
        #[schema(minimum = 1, maximum = 512, format = Int32)]
        pub second: u32,
    }
}

nested!(PlannedGameInput);

request! {
    /// A round as an organizer wants it: each of its players has one place in it.
    pub struct PairRoundRequest {
        /// Who meets whom, the higher boards first.
        #[schema(value_type = Vec<PlannedGameInput>, max_items = 256)]
        pub games: AtMost<PlannedGameInput, 256>,
        /// The starting number of who sits out for a point; nobody unless given.
        #[schema(minimum = 1, maximum = 512, format = Int32)]
        pub bye: Option<u32>,
        /// The starting numbers of those who sit out otherwise: a bye that was asked for keeps its worth, and anybody
        /// else gets nothing. Nobody unless given.
        #[schema(schema_with = schemas::sitting_out)]
        pub sitting_out: Option<AtMost<u32, 512>>,
        /// Whether two may meet again who have met, and somebody have a point without play again; false unless given.
        pub allow_repeats: Option<bool>,
        /// Why: 1 to 500 characters. Everybody reads it.
        #[schema(value_type = String, min_length = 1, max_length = 500, pattern = "^[^\\u0000-\\u001f\\u007f]+$")]
        pub reason: AuditReason,
    }
}

impl PairRoundRequest {
    fn order(self) -> PairingOrder {
        let out = self.sitting_out.map(|out| out.0).unwrap_or_default();
        let wanted = swiss::Round {
            games: self.games.0.into_iter().map(|game| (small(game.first), small(game.second))).collect(),
            bye: self.bye.map(small),
            out: out.into_iter().map(small).collect(),
        };
        PairingOrder { wanted, allow_repeats: self.allow_repeats.unwrap_or(false), reason: self.reason }
    }
}

/// Get the pairings of a round that waits
///
/// For an organizer who doesn't play, where the terms have `review_s`: what the draw gives, and what was changed.
/// `not-found` where the round doesn't wait (any more), `tournament-closed` when the tournament isn't running,
/// `not-an-organizer` and `conflict-of-interest`.
#[utoipa::path(tag = "tournaments", operation_id = "get_round_pairings", security(("bearer" = ["lobby:read"])),
    params(("id" = TournamentId, Path, description = "The tournament."),
        ("number" = i32, Path, description = "The round.", minimum = 1, maximum = 126, format = Int32, example = 2)),
    responses((status = 200, description = "The round as it is going to be played.", body = DraftBody)))]
#[get("/v1/tournaments/{id}/rounds/{number}/pairings")]
pub async fn get_round_pairings(
    app: web::Data<App>,
    caller: Caller<LobbyRead>,
    id: Id<TournamentId>,
    request: HttpRequest,
) -> Answer {
    let round = round_number(&request)?;
    let mut tx = app.db.begin().await?;
    let held = review::find(&mut tx, &app, &caller, id.0, round).await?;
    tx.roll_back().await?;
    Ok(Reply::ok(&DraftBody::of(held))?)
}

/// Pair a round by hand
///
/// For an organizer who doesn't play, while the round waits: the whole round, as it is to be played. Everybody who was
/// in the draw has one place in it; nobody meets somebody again, or has a point without play again, unless
/// `allow_repeats` says so. Who has done it, why, and what the draw had given is public when the round begins, and in
/// the log that moderators read. What the draw gave, sent again, undoes it. `not-found` where the round doesn't wait
/// (any more), `tournament-closed`, `not-an-organizer` and `conflict-of-interest`.
#[utoipa::path(tag = "tournaments", operation_id = "pair_tournament_round", security(("bearer" = ["lobby:write"])),
    params(("id" = TournamentId, Path, description = "The tournament."),
        ("number" = i32, Path, description = "The round.", minimum = 1, maximum = 126, format = Int32, example = 2)),
    request_body = PairRoundRequest,
    responses((status = 200, description = "The round as it is going to be played.", body = DraftBody)))]
#[put("/v1/tournaments/{id}/rounds/{number}/pairings")]
pub async fn pair_tournament_round(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    id: Id<TournamentId>,
    request: HttpRequest,
    body: Body<PairRoundRequest>,
) -> Answer {
    let round = round_number(&request)?;
    let mut tx = app.db.begin().await?;
    let held = review::pair(&mut tx, &app, &caller, (id.0, round), body.0.order()).await?;
    tx.commit().await?;
    Ok(Reply::ok(&DraftBody::of(held))?)
}

/// Release a round
///
/// For an organizer who doesn't play: a round that waits begins, as it is paired, before it does so by itself.
/// `not-found` where it doesn't wait (any more), `tournament-closed`, `contest-paused`, `not-an-organizer` and
/// `conflict-of-interest`.
#[utoipa::path(tag = "tournaments", operation_id = "release_tournament_round", security(("bearer" = ["lobby:write"])),
    params(("id" = TournamentId, Path, description = "The tournament."),
        ("number" = i32, Path, description = "The round.", minimum = 1, maximum = 126, format = Int32, example = 2)),
    request_body = EmptyRequest,
    responses((status = 200, description = "The round has begun.", body = TournamentBody)))]
#[post("/v1/tournaments/{id}/rounds/{number}/release")]
pub async fn release_tournament_round(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    id: Id<TournamentId>,
    request: HttpRequest,
    change: Change<EmptyRequest>,
) -> Answer {
    let round = round_number(&request)?;
    let work = async |tx: &mut _| {
        Reply::ok(&TournamentBody::of(review::release(tx, &app, &caller, (id.0, round)).await?, None))
    };
    change.once.run(&app, &RateLimitKey::Account(caller.account), work).await
}
