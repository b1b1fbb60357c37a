//! The reportable texts other than chat messages, rule sets and profiles, and the removal of reported texts.

use uuid::Uuid;

use super::{AbuseReport, AbuseSubject, Complaint, file, store};
use crate::accounts::profiles::AccountProfile;
use crate::accounts::{self, Identity, account, guests};
use crate::contests::{head, organizers};
use crate::context::Context;
use crate::db::Tx;
use crate::error::{Error, Result, problem};
use crate::events::Notification;
use crate::ids::{AccountId, ChallengeId, ContestId};
use crate::string_enums::string_enums;
use crate::{bot_offers, lobby, rulesets, social};

string_enums! {
    /// A text that others read, by what it belongs to.
    pub enum TextKind {
        /// A challenge: its message, and the names that its creator has given to ships and weapons.
        Challenge,
        /// A request for a substitute: its message.
        Substitution,
        /// A ladder or a tournament: its title, its description, and the reasons that its organizers have given.
        Contest,
        /// An announcement to the members of a contest.
        Announcement,
        /// A decision of an organizer about you: a warning, or the reason for which you were removed or declined.
        Decision,
        /// A registered app: its name and its description.
        App,
    }
}

pub struct WrittenText {
    pub author: AccountId,
    pub title: Option<String>,
    pub text: Option<String>,
    /// The contest of the text, or the account that the text is about.
    pub place: Uuid,
}

/// Reports a text. A second report by the same account changes nothing until the first is resolved. Fails with
/// `not-found` if there is no such text or the caller can't read it, and with `own-message` for the caller's own text.
/// (Access to the message of a request for a substitute depends on its match; callers check it first.)
pub async fn report(
    tx: &mut Tx,
    ctx: &Context,
    who: &Identity,
    (kind, id): (TextKind, Uuid),
    complaint: Complaint,
) -> Result<()> {
    account::lock_active(tx, ctx, who.account).await?;
    let WrittenText { author, title, mut text, place } =
        store::text(tx, kind, id).await?.ok_or_else(Error::not_found)?;
    match kind {
        TextKind::Challenge => {
            let terms = lobby::find(tx, ChallengeId(id), Some(who.account)).await?.terms;
            let names = guests::own_names(terms.variant, &terms.rules);
            let lines: Vec<String> = text.into_iter().chain(names).collect();
            text = (!lines.is_empty()).then(|| lines.join("\n"));
        }
        TextKind::Contest | TextKind::Announcement => {
            head::seen(tx, ctx, ContestId(place), Some(who)).await?;
        }
        TextKind::Decision if place != who.account.0 => return Err(Error::not_found()),
        TextKind::Decision | TextKind::Substitution | TextKind::App => {}
    }
    if title.is_none() && text.is_none() {
        return Err(Error::not_found());
    }
    if author == who.account {
        return Err(Error::new(&problem::OWN_MESSAGE, "This text is your own."));
    }
    file(tx, ctx, who, author, AbuseSubject::Text { kind, id, title, text }, complaint).await
}

/// Removes the reported text, whatever its state now. Returns the events for others.
pub(super) async fn remove(tx: &mut Tx, ctx: &Context, report: &AbuseReport) -> Result<Vec<Notification>> {
    match &report.subject {
        AbuseSubject::Message { match_id, room, number, .. } => {
            social::chat::erase(tx, *match_id, *room, *number).await?;
        }
        AbuseSubject::RuleSet { hash, .. } => {
            rulesets::read::set_hidden(tx, *hash, Some(ctx.clock.now())).await?;
        }
        AbuseSubject::Profile { .. } => {
            if let Some(account) = accounts::store::accounts::find(tx, report.author).await? {
                let silent = AccountProfile { bio: None, club: None, ..*account.profile };
                accounts::store::accounts::set_profile(tx, report.author, &silent).await?;
            }
            bot_offers::erase_description(tx, report.author).await?;
        }
        AbuseSubject::Text { kind, id, .. } => {
            store::remove_text(tx, *kind, *id).await?;
            match kind {
                TextKind::Challenge => return lobby::remove(tx, ctx, ChallengeId(*id)).await,
                TextKind::Contest => organizers::erase_title(tx, ContestId(*id)).await?,
                TextKind::Substitution | TextKind::Announcement | TextKind::Decision | TextKind::App => {}
            }
        }
    }
    Ok(Vec::new())
}
