//! Editing of tournaments by their organizers: texts at any time, terms until the first round is drawn. Players who
//! have joined by then are notified, and may leave.

use serde_json::json;

use super::{Tournament, TournamentStatus, TournamentTerms, entry, read};
use crate::accounts::Identity;
use crate::audit_log::{self, AuditEntry, AuditKind, AuditSubject};
use crate::contests::access::EntryMode;
use crate::contests::organizers::{Needs, Right};
use crate::contests::terms_change::{self, Part, Progress};
use crate::contests::{Contest, entries};
use crate::context::Context;
use crate::db::Tx;
use crate::error::{Error, Result};
use crate::events::{self, kinds::TournamentChangedEvent};
use crate::ids::TournamentId;
use crate::tournaments::store;

/// The tournament, locked, for an organizer. Fails with `not-found`, `account-suspended`, and, depending on the right
/// needed, with `not-an-organizer` or `not-the-creator`.
pub async fn hold(
    tx: &mut Tx,
    ctx: &Context,
    caller: &Identity,
    id: TournamentId,
    needs: Needs,
) -> Result<(Tournament, Right)> {
    let found = read::find(tx, ctx, id, Some(caller)).await?;
    let right = found.runners().hold(tx, ctx, caller, needs).await?;
    let tournament = entry::locked(tx, id).await?;
    tournament.runners().still(caller.account, right, needs)?;
    Ok((tournament, right))
}

/// The tournament's progress, for a change of its terms.
pub fn progress(tournament: &Tournament) -> Progress {
    match tournament.status {
        TournamentStatus::Open => Progress::Ahead,
        TournamentStatus::Running => Progress::TournamentBegun,
        TournamentStatus::Finished | TournamentStatus::Cancelled => Progress::Over,
    }
}

/// Changes the terms of a [held](hold) tournament in these fields. Fails with `terms-fixed`, and with every fault of
/// the terms.
pub async fn change(
    tx: &mut Tx,
    ctx: &Context,
    (mut tournament, right): (Tournament, Right),
    terms: TournamentTerms,
    fields: &[String],
) -> Result<Tournament> {
    terms_change::check(fields, progress(&tournament))?;
    if fields.is_empty() {
        return Ok(tournament);
    }
    let (id, now) = (tournament.id, ctx.clock.now());
    let mut told = Vec::new();
    if fields.iter().all(|field| Part::of(field) == Part::Words) {
        tournament.terms = terms;
    } else {
        let mut faults = terms.faults(now);
        if terms.max_players < tournament.players {
            let detail = format!("must be at least the {} who have joined", tournament.players);
            faults.push(broadside_rules::Fault { pointer: "/max_players".to_owned(), code: "out-of-range", detail });
        }
        if !faults.is_empty() {
            return Err(Error::invalid(faults));
        }
        tournament.rounds = terms.rounds;
        tournament.terms = terms;
        let full = tournament.players >= tournament.terms.max_players;
        tournament.begins_at = if full { now } else { entry::planned(&tournament) };
        let event = TournamentChangedEvent::at(now, id, fields.to_vec()).into();
        for entrant in store::players::all(tx, id).await? {
            told.extend(events::notification(entrant.player.id, std::slice::from_ref(&event))?);
        }
    }
    store::tournaments::set_terms(tx, &tournament).await?;
    if fields.iter().any(|field| field == "entry") && tournament.terms.access.entry == EntryMode::Open {
        told.extend(entries::opened(tx, ctx, Contest::Tournament(id)).await?);
    }
    if let Right::Role(actor) = right {
        let entry = AuditEntry {
            kind: AuditKind::ContestChanged,
            subject: AuditSubject { tournament: Some(id), ..AuditSubject::default() },
            reason: audit_log::changed_by_an_organizer()?,
            details: json!({ "fields": fields }),
        };
        audit_log::append(tx, ctx, actor, entry).await?;
    }
    events::notify(tx, ctx, told).await?;
    Ok(tournament)
}
