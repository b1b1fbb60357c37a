//! Editing of ladders by their organizers: texts at any time, entry terms while the ladder is open, terms of play while
//! it has no members. Limits between members may be loosened later: that affects only later pairings, and only members
//! who ask for them.

use serde_json::json;

use super::{FormTerms, Ladder, LadderTerms, Season, read};
use crate::accounts::Identity;
use crate::audit_log::{self, AuditEntry, AuditKind, AuditSubject};
use crate::contests::access::EntryMode;
use crate::contests::organizers::{Needs, Right};
use crate::contests::terms_change::{self, Part, Progress};
use crate::contests::{Contest, entries};
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::error::{Error, Result};
use crate::events;
use crate::ids::LadderId;
use crate::ladders::store;

/// The ladder, locked, for an organizer. Fails with `not-found`, `account-suspended`, and, depending on the right
/// needed, with `not-an-organizer` or `not-the-creator`.
pub async fn hold(
    tx: &mut Tx,
    ctx: &Context,
    caller: &Identity,
    id: LadderId,
    needs: Needs,
) -> Result<(Ladder, Right)> {
    let found = read::find(tx, ctx, id, Some(caller)).await?;
    let right = found.runners().hold(tx, ctx, caller, needs).await?;
    let ladder = store::ladders::lock(tx, id).await?.ok_or_else(Error::not_found)?;
    ladder.runners().still(caller.account, right, needs)?;
    Ok((ladder, right))
}

/// The terms that may be loosened once there are members.
pub const LOOSENED: [&str; 2] = ["max_pairings", "pairing_rule"];

/// True if the change of a field only lets members be paired more often.
fn only_loosens(field: &str, before: &LadderTerms, after: &LadderTerms) -> bool {
    match (field, &before.form, &after.form) {
        ("max_pairings", ..) => after.max_pairings >= before.max_pairings,
        ("pairing_rule", FormTerms::Rating(own), FormTerms::Rating(new)) => {
            new.relax_s == own.relax_s && new.no_return_s <= own.no_return_s
        }
        _ => false,
    }
}

/// The ladder's progress, for a change of its terms.
pub async fn progress(conn: &mut Conn, ladder: &Ladder) -> Result<Progress> {
    Ok(if ladder.closed.is_some() {
        Progress::Over
    } else if ladder.season.number > 1 || store::members::has_begun(conn, ladder.id).await? {
        Progress::LadderBegun
    } else {
        Progress::Ahead
    })
}

/// Changes the terms of a [held](hold) ladder in these fields. Fails with `terms-fixed`, and with every fault of the
/// terms. A season of another length begins anew.
pub async fn change(
    tx: &mut Tx,
    ctx: &Context,
    (mut ladder, right): (Ladder, Right),
    terms: LadderTerms,
    fields: &[String],
) -> Result<Ladder> {
    let progress = progress(tx, &ladder).await?;
    let begun = progress == Progress::LadderBegun;
    let loosens = |field: &&String| begun && only_loosens(field, &ladder.terms, &terms);
    let others: Vec<String> = fields.iter().filter(|field| !loosens(field)).cloned().collect();
    let looser = others.len() < fields.len();
    terms_change::check(&others, progress)?;
    let only_words = fields.iter().all(|field| Part::of(field) == Part::Words);
    let faults = if only_words { Vec::new() } else { terms.faults(ladder.official) };
    if !faults.is_empty() {
        return Err(Error::invalid(faults));
    }
    if fields.is_empty() {
        return Ok(ladder);
    }
    if terms.season_s != ladder.terms.season_s {
        let now = ctx.clock.now();
        ladder.season =
            Season { started_at: now, ends_at: terms.season_s.map(|season_s| now.plus_s(season_s)), ..ladder.season };
        store::seasons::replan(tx, ladder.id, &ladder.season).await?;
    }
    let opens = fields.iter().any(|field| field == "entry") && terms.access.entry == EntryMode::Open;
    ladder.terms = terms;
    store::ladders::set_terms(tx, &ladder).await?;
    if looser {
        store::ladders::request_matchmaking(tx, ladder.id, ctx.clock.now()).await?;
    }
    let told = if opens { entries::opened(tx, ctx, Contest::Ladder(ladder.id)).await? } else { Vec::new() };
    if let Right::Role(actor) = right {
        let entry = AuditEntry {
            kind: AuditKind::ContestChanged,
            subject: AuditSubject::ladder(ladder.id),
            reason: audit_log::changed_by_an_organizer()?,
            details: json!({ "fields": fields }),
        };
        audit_log::append(tx, ctx, actor, entry).await?;
    }
    events::notify(tx, ctx, told).await?;
    Ok(ladder)
}
