//! Annulment and adjudication of matches over HTTP, for moderators.

use actix_web::{post, web};
use broadside_rules::Seat;

use crate::api::http::auth::Moderator;
use crate::api::http::bodies::ReasonRequest;
use crate::api::http::extract::{Change, Id};
use crate::api::http::fields::{request, text_fields};
use crate::api::http::reply::{Answer, Reply};
use crate::app::App;
use crate::audit_log::AuditReason;
use crate::error::{Error, Result};
use crate::ids::MatchId;
use crate::moderation::adjudicate::{self, AdjudicationStatus, Decision, Verdict};
use crate::rate_limits::RateLimitKey;
use crate::string_enums::string_enums;

text_fields!(VerdictKind, AdjudicationStatus);

string_enums! {
    /// How a match is to end.
    #[schema(as = Verdict)]
    pub enum VerdictKind {
        /// One seat wins: `winner` says which.
        Win,
        /// Those who still play draw.
        Draw,
        /// It has no result and counts for nobody; only while it is under way.
        NoResult,
    }
}

request! {
    /// What is decided of a match.
    pub struct AdjudicateMatchRequest {
        /// How the match stood when you looked at it. If it doesn't any more, nothing happens (`match-state-changed`).
        pub expected_status: AdjudicationStatus,
        /// How it ends, or counts.
        pub verdict: VerdictKind,
        /// The seat that wins; with `win`, and only then.
        #[schema(value_type = Option<i32>, minimum = 0, maximum = 6, format = Int32)]
        pub winner: Option<Seat>,
        /// Why: 1 to 500 characters. Moderators alone read it if `expected_status` is `running`, else everybody.
        #[schema(value_type = String, min_length = 1, max_length = 500, pattern = "^[^\\u0000-\\u001f\\u007f]+$")]
        pub reason: AuditReason,
    }
}

/// Fails if no match can have this seat. The check against the match itself comes later, when the match is held.
pub(in crate::api) fn a_seat(at: &'static str, code: &'static str, seat: Seat) -> Result<Seat> {
    if seat.0 < Seat::MOST {
        return Ok(seat);
    }
    Err(Error::invalid_at(at, code, "must be a seat of the match"))
}

/// The verdict; `at` is the field of the winner.
pub(in crate::api) fn verdict(kind: VerdictKind, winner: Option<Seat>, at: &'static str) -> Result<Verdict> {
    Ok(match (kind, winner) {
        (VerdictKind::Win, Some(seat)) => Verdict::Win(a_seat(at, "invalid-winner", seat)?),
        (VerdictKind::Win, None) => {
            return Err(Error::invalid_at(at, "missing-field", "is required with the verdict win"));
        }
        (_, Some(_)) => {
            return Err(Error::invalid_at(at, "conflicting-fields", "can only be given with the verdict win"));
        }
        (VerdictKind::Draw, None) => Verdict::Draw,
        (VerdictKind::NoResult, None) => Verdict::NoResult,
    })
}

impl AdjudicateMatchRequest {
    pub(in crate::api) fn decision(self) -> Result<Decision> {
        let verdict = verdict(self.verdict, self.winner, "/winner")?;
        Ok(Decision { was: self.expected_status, verdict, reason: self.reason })
    }
}

/// Annul a match
///
/// What it has done to the ratings of its players is taken back, by new rows in the ledger; its record stays as it was
/// played. The reason stands in the ledger, where everybody can read it. `match-not-rated` when it has changed no
/// rating, `already-done` when it was annulled before, `conflict-of-interest` when the caller plays in it.
#[utoipa::path(tag = "moderation", operation_id = "annul_match", security(("role" = ["moderator"])),
    params(("id" = MatchId, Path, description = "The match.")),
    request_body = ReasonRequest,
    responses((status = 204, description = "It is annulled.")))]
#[post("/v1/moderation/matches/{id}/annul")]
pub async fn annul_match(
    app: web::Data<App>,
    moderator: Moderator,
    id: Id<MatchId>,
    change: Change<ReasonRequest>,
) -> Answer {
    let judge = adjudicate::moderator(&app, &moderator);
    adjudicate::may_judge(&app.matches, &judge, id.0).await?;
    let work = async |tx: &mut _| {
        adjudicate::annul(tx, &app, &judge, id.0, change.request.reason).await?;
        Ok(Reply::no_content())
    };
    change.once.run(&app, &RateLimitKey::Account(moderator.account), work).await
}

/// Adjudicate a match
///
/// One that is under way ends: with a winner, drawn by those who still play, or without a result. Its players are told
/// that it was adjudicated and how, and never why. One that is over and was rated counts from now on as if it had ended
/// so: its ratings are taken back and made anew, with the reason in the public ledger, and its record stays as it was
/// played. `expected_status` says which of these is meant: when the match has ended meanwhile, or another moderator was
/// faster, nothing happens, and the answer is `match-state-changed`. `match-not-rated` when it is over and has changed
/// no rating, `already-done` when it counts like that, `conflict-of-interest` when the caller plays in it.
#[utoipa::path(tag = "moderation", operation_id = "adjudicate_match", security(("role" = ["moderator"])),
    params(("id" = MatchId, Path, description = "The match.")),
    request_body = AdjudicateMatchRequest,
    responses((status = 204, description = "It is decided.")))]
#[post("/v1/moderation/matches/{id}/adjudicate")]
pub async fn adjudicate_match(
    app: web::Data<App>,
    moderator: Moderator,
    id: Id<MatchId>,
    change: Change<AdjudicateMatchRequest>,
) -> Answer {
    let key = RateLimitKey::Account(moderator.account);
    let claim = change.once.claim(&key);
    let decision = change.request.decision()?;
    let judge = adjudicate::moderator(&app, &moderator);
    if decision.was == AdjudicationStatus::Running {
        adjudicate::end(&app.matches, &judge, id.0, &decision, claim.as_ref()).await?;
        return Ok(Reply::no_content());
    }
    let facts = adjudicate::finished(&app.matches, &judge, id.0).await?;
    let work = async |tx: &mut _| {
        adjudicate::recount(tx, &app, &judge, id.0, &facts, decision).await?;
        Ok(Reply::no_content())
    };
    change.once.run(&app, &key, work).await
}
