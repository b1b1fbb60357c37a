//! Decisions on cases and appeals over HTTP.

use actix_web::{post, web};
use broadside_rules::Seat;

use crate::api::http::auth::{Caller, LobbyWrite};
use crate::api::http::extract::{Change, Id};
use crate::api::http::fields::{AtMost, nested, request};
use crate::api::http::reply::{Answer, Reply};
use crate::api::moderation::adjudication::{VerdictKind, verdict};
use crate::api::moderation::check_length;
use crate::app::App;
use crate::audit_log::AuditReason;
use crate::cases::decide::{self, Measure, Order};
use crate::cases::{AppealOutcome, DecisionKind, appeal};
use crate::db::Tx;
use crate::error::{Error, Result};
use crate::ids::{CaseId, MatchId};
use crate::moderation::adjudicate::{AdjudicationStatus, Decision};
use crate::moderation::suspend::{self, RunningMatchesPolicy, SuspensionOrder};
use crate::rate_limits::RateLimitKey;

request! {
    /// How a match is decided by a case.
    pub struct CaseAdjudication {
        /// The match.
        pub match_id: MatchId,
        /// How it stood when you looked at it. If it doesn't any more, nothing happens (`match-state-changed`).
        pub expected_status: AdjudicationStatus,
        /// How it ends, or counts.
        pub verdict: VerdictKind,
        /// The seat that wins; with `win`, and only then.
        #[schema(value_type = Option<i32>, minimum = 0, maximum = 6, format = Int32)]
        pub winner: Option<Seat>,
    }
}

request! {
    /// How an account is suspended by a case.
    pub struct CaseSuspension {
        /// In how many seconds it ends: 60 to 315360000 (ten years); for good unless given.
        #[schema(minimum = 60, maximum = 315_360_000, format = Int32)]
        pub expires_in_s: Option<u32>,
        /// What becomes of the player's running matches: `play-on` unless given.
        pub running_matches: Option<RunningMatchesPolicy>,
    }
}

nested!(CaseAdjudication, CaseSuspension);

request! {
    /// What is decided of a case.
    pub struct DecideCaseRequest {
        /// What. `removal` and `bar` are for cases of a ladder or a tournament, `suspension` for those of the server.
        pub decision: DecisionKind,
        /// Why: 1 to 500 characters. The player reads it.
        #[schema(value_type = String, min_length = 1, max_length = 500, pattern = "^[^\\u0000-\\u001f\\u007f]+$")]
        pub reason: AuditReason,
        /// The matches that are annulled; with `annulment`, and only then.
        #[schema(value_type = Option<Vec<MatchId>>, min_items = 1, max_items = 20)]
        pub match_ids: Option<AtMost<MatchId, 20>>,
        /// How a match is decided; with `adjudication`, and only then.
        pub adjudication: Option<CaseAdjudication>,
        /// How the account is suspended; with `suspension`, and only then. For good, unless given.
        pub suspension: Option<CaseSuspension>,
    }
}

request! {
    /// What becomes of an appeal.
    pub struct DecideCaseAppealRequest {
        /// Whether the decision stands.
        pub outcome: AppealOutcome,
        /// Why: 1 to 500 characters. The player reads it.
        #[schema(value_type = String, min_length = 1, max_length = 500, pattern = "^[^\\u0000-\\u001f\\u007f]+$")]
        pub reason: AuditReason,
    }
}

/// Fails if a field is given that doesn't belong to the decision.
fn only(belongs: bool, given: bool, at: &'static str) -> Result<()> {
    if belongs || !given {
        return Ok(());
    }
    Err(Error::invalid_at(at, "conflicting-fields", "can't be given with this decision"))
}

fn required<T>(given: Option<T>, at: &'static str) -> Result<T> {
    given.ok_or_else(|| Error::invalid_at(at, "missing-field", "is required with this decision"))
}

fn each_once(AtMost(ids): AtMost<MatchId, 20>) -> Result<Vec<MatchId>> {
    let mut once = ids.clone();
    once.sort_unstable();
    once.dedup();
    if once.is_empty() || once.len() != ids.len() {
        return Err(Error::invalid_at("/match_ids", "invalid-value", "must have 1 to 20 matches, each once"));
    }
    Ok(ids)
}

impl DecideCaseRequest {
    fn order(self, app: &App) -> Result<Order> {
        let Self { decision, reason, match_ids, adjudication, suspension } = self;
        only(decision == DecisionKind::Annulment, match_ids.is_some(), "/match_ids")?;
        only(decision == DecisionKind::Adjudication, adjudication.is_some(), "/adjudication")?;
        only(decision == DecisionKind::Suspension, suspension.is_some(), "/suspension")?;
        let measure = match decision {
            DecisionKind::NoAction => Measure::NoAction,
            DecisionKind::Warning => Measure::Warning,
            DecisionKind::Removal => Measure::Removal { bar: false },
            DecisionKind::Bar => Measure::Removal { bar: true },
            DecisionKind::Annulment => Measure::Annulment(each_once(required(match_ids, "/match_ids")?)?),
            DecisionKind::Adjudication => {
                let CaseAdjudication { match_id, expected_status: was, verdict: kind, winner } =
                    required(adjudication, "/adjudication")?;
                let verdict = verdict(kind, winner, "/adjudication/winner")?;
                Measure::Adjudication(match_id, Decision { was, verdict, reason: reason.clone() })
            }
            DecisionKind::Suspension => {
                let wanted = suspension.unwrap_or(CaseSuspension { expires_in_s: None, running_matches: None });
                check_length(wanted.expires_in_s, "/suspension/expires_in_s")?;
                let until = wanted.expires_in_s.map(|seconds| app.clock.now().plus_s(seconds));
                let running = wanted.running_matches.unwrap_or(RunningMatchesPolicy::PlayOn);
                Measure::Suspension(SuspensionOrder { until, running, reason: reason.clone() })
            }
        };
        Ok(Order { measure, reason })
    }
}

/// Decide a case
///
/// For those who look after it and aren't concerned: no member of the ladder or the tournament, no player of a match
/// that is linked, nobody who has reported what is linked (`conflict-of-interest`). It is carried out at once, as by
/// the operation that does the same without a case, and refused as there. The player is told what was decided and why
/// (`case-decided`), and may appeal within 14 days. `wrong-case-state` when it is decided already.
#[utoipa::path(tag = "cases", operation_id = "decide_case", security(("bearer" = ["lobby:write"])),
    params(("id" = CaseId, Path, description = "The case.")),
    request_body = DecideCaseRequest,
    responses((status = 204, description = "It is decided, and the player is told.")))]
#[post("/v1/cases/{id}/decide")]
pub async fn decide_case(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    id: Id<CaseId>,
    change: Change<DecideCaseRequest>,
) -> Answer {
    let Change { request, once } = change;
    let key = RateLimitKey::Account(caller.account);
    let order = request.order(&app)?;
    let ready = decide::prepare(&app.matches, &caller, id.0, &order).await;
    if order.measure.ends_a_match() {
        let claim = once.claim(&key);
        match ready {
            Ok(ready) => decide::decide_by_ending(&app.matches, &caller, ready, order, claim.as_ref()).await?,
            Err(_) if decide::has_ended(&app.matches, &caller, &order, claim.as_ref()).await => {}
            Err(refused) => return Err(refused.into()),
        }
        return Ok(Reply::no_content());
    }
    let mut forfeits = None;
    let work = async |tx: &mut Tx| {
        forfeits = decide::decide(tx, &app.matches, &caller, ready?, order).await?;
        Ok(Reply::no_content())
    };
    let answer = once.run(&app, &key, work).await?;
    if let Some(account) = forfeits {
        suspend::forfeit_or_log(&app.matches, account).await;
    }
    Ok(answer)
}

/// Decide an appeal
///
/// For those who look after the case, and for moderators; not for who has made the decision, and not for whoever is
/// concerned (`conflict-of-interest`). If the decision is overturned, what can be undone is (`remedy`): a bar or a
/// suspension is lifted, and matches that were over count as they were played, unless something else was decided since.
/// The player is told (`case-appeal-decided`). `wrong-case-state` when no appeal waits.
#[utoipa::path(tag = "cases", operation_id = "decide_case_appeal", security(("bearer" = ["lobby:write"])),
    params(("id" = CaseId, Path, description = "The case.")),
    request_body = DecideCaseAppealRequest,
    responses((status = 204, description = "It is decided, and the player is told.")))]
#[post("/v1/cases/{id}/appeal/decide")]
pub async fn decide_case_appeal(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    id: Id<CaseId>,
    change: Change<DecideCaseAppealRequest>,
) -> Answer {
    let DecideCaseAppealRequest { outcome, reason } = change.request;
    let ready = appeal::prepare(&app.matches, &caller, id.0).await;
    let work = async |tx: &mut Tx| {
        appeal::decide(tx, &app.matches, &caller, &ready?, outcome, reason).await?;
        Ok(Reply::no_content())
    };
    change.once.run(&app, &RateLimitKey::Account(caller.account), work).await
}
