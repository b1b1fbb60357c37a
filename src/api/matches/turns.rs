//! The matches that wait for the caller, with all data for a page of boards, so that no client asks match by match.

use actix_web::{HttpRequest, get, web};
use broadside_rules::view_model::Round;
use broadside_rules::{Clock, Decision, Report, Seat};
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::http::auth::{Caller, MatchesRead};
use crate::api::http::caching::knows;
use crate::api::http::paging::is_whole;
use crate::api::http::reply::{Answer, Reply};
use crate::api::matches::lists::MatchSummaryBody;
use crate::api::matches::view::PairingRefBody;
use crate::app::App;
use crate::contests::access::SeenPairing;
use crate::document;
use crate::epoch::Epoch;
use crate::error::Error;
use crate::ids::{AccountId, MatchId};
use crate::matches::queries::{self, Turn, Turns};
use crate::player::Player;
use crate::work_pool::Lane;

/// A match that waits for the caller.
#[derive(Serialize, ToSchema)]
#[schema(as = Turn)]
pub struct TurnBody {
    #[serde(flatten)]
    summary: MatchSummaryBody,
    /// The caller's version of the match: send it with an action.
    #[schema(minimum = 0, maximum = 4294967295_i64, format = Int64)]
    version: u32,
    /// The round that is played; null before the first, and where the rules limit none.
    round: Option<Round>,
    /// The number of your next move in the battle, from 1. It counts the moves of all players that you were told of.
    #[schema(minimum = 1, maximum = 1_000_000, format = Int32)]
    move_number: u32,
    /// Your last report of a move; null before the first.
    last_report: Option<Report>,
    /// The caller's seat.
    seat: Seat,
    /// What is to decide: the types of the match's required `decisions`. Each of them answers the turn.
    #[schema(value_type = Vec<ActionTypeName>, max_items = 16)]
    decision_types: Vec<String>,
    /// The players of the other sides.
    #[schema(max_items = 6)]
    opponents: Vec<Player>,
    /// The terms of time. `deadline` says when the turn's time is over.
    clock: Clock,
    /// What the match is played for; null: for itself, or for a private ladder or tournament that the caller doesn't
    /// see.
    pairing: Option<PairingRefBody>,
}

/// The `type` of an action.
#[derive(ToSchema)]
#[schema(min_length = 1, max_length = 24, pattern = "^[a-z-]+$")]
#[allow(dead_code, reason = "it only describes the contract")]
pub struct ActionTypeName(String);

impl TurnBody {
    fn of((turn, pairing): (Turn, SeenPairing)) -> Result<Self, Error> {
        let Turn { mut summary, snapshot } = turn;
        let (terms, view) = (snapshot.terms(), snapshot.view());
        // The view may be newer than the list.
        summary.status = view.status().as_str().to_owned();
        summary.to_act = view.to_act().iter().map(|seat| 1 << seat.0).sum();
        summary.deadline = view.deadline();
        let seat = view.viewer().seat().ok_or_else(|| Error::internal("a turn is of a seat"))?;
        let mut decision_types: Vec<String> = Vec::new();
        for decision in view.decisions(terms.seed).iter().filter(|decision| decision.required()) {
            let name = type_of(decision)?;
            if !decision_types.contains(&name) {
                decision_types.push(name);
            }
        }
        // Sorted, because the random order of several decisions means nothing.
        decision_types.sort_unstable();
        let players = (0..).map(Seat).zip(&terms.players);
        let opponents = players.filter(|(other, _)| !terms.setup.rules.allied(seat, *other));
        let mut summary = MatchSummaryBody::from(summary);
        summary.rate(&terms.ratings);
        Ok(Self {
            round: view.round(),
            move_number: snapshot.move_number(),
            last_report: snapshot.last_report().cloned(),
            version: view.version(),
            seat,
            decision_types,
            opponents: opponents.map(|(_, player)| player.clone()).collect(),
            clock: terms.setup.clock,
            pairing: PairingRefBody::of(pairing),
            summary,
        })
    }
}

fn type_of(decision: &Decision) -> Result<String, Error> {
    let example = serde_json::to_value(decision.example()).map_err(Error::internal)?;
    Ok(example["type"].as_str().unwrap_or_default().to_owned())
}

/// The matches that wait for the caller.
#[derive(Serialize, ToSchema)]
pub struct TurnList {
    /// The matches, the most urgent first.
    #[schema(max_items = 500)]
    items: Vec<TurnBody>,
    /// True if a match can't be read and is left out; not there otherwise.
    #[serde(skip_serializing_if = "is_whole")]
    incomplete: bool,
}

/// List matches waiting for you
///
/// The matches where you must act, the most urgent first; those without a deadline last. At most 500. Each has what a
/// list of boards needs: your version, your seat, the number of the move, the last report, the decisions, your
/// opponents, the clock, and the contest. With `If-None-Match` the answer is 304 while nothing has changed. It costs
/// little: if you poll, poll this.
#[utoipa::path(tag = "matches", operation_id = "list_turns", security(("bearer" = ["matches:read"])),
    params(("If-None-Match" = Option<String>, Header, max_length = 400, pattern = "^[\\x20-\\x7e]*$", description = "The `ETag` of the list that the caller has.")),
    responses((status = 200, description = "The turns.", body = TurnList), (status = 304, description = "Nothing new.")))]
#[get("/v1/turns")]
pub async fn list_turns(app: web::Data<App>, caller: Caller<MatchesRead>, request: HttpRequest) -> Answer {
    let epoch = app.epochs.current();
    let waiting = queries::waiting(&app, caller.account).await?;
    let marks = waiting.items.iter().map(|summary| (summary.id, summary.mark));
    let known = etag(epoch, caller.account, marks);
    if knows(&request, &known) {
        return Ok(Reply::not_modified(&known));
    }
    let Turns { turns, incomplete } = queries::turns(&app.matches, waiting, caller.account).await?;
    // The views may be newer than the list.
    let etag = etag(epoch, caller.account, turns.iter().map(|turn| (turn.summary.id, turn.snapshot.mark())));
    let mut seen = Vec::with_capacity(turns.len());
    for turn in turns {
        let pairing = SeenPairing::of(&app, turn.snapshot.terms(), Some(&caller)).await?;
        seen.push((turn, pairing));
    }
    let make = move || {
        let items = seen.into_iter().map(TurnBody::of).collect::<Result<Vec<_>, _>>()?;
        Reply::ok(&TurnList { items, incomplete })
    };
    Ok(app.pool.run(Lane::Heavy, make).await??.tagged(etag))
}

/// The list is a function of the account, of its matches, and of their progress.
fn etag(epoch: Epoch, account: AccountId, marks: impl Iterator<Item = (MatchId, (u32, u32))>) -> String {
    let mut text = format!("{epoch} {account}");
    for (id, (entries, edition)) in marks {
        text += &format!("\n{id} {entries} {edition}");
    }
    document::etag_of(text.as_bytes())
}
