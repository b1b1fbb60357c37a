//! Entry and visibility of contests: one set of terms for ladders and tournaments.
//!
//! A private contest is visible to its organizers, its members, players who have asked to join or are invited, and
//! people with a role. Everybody else, including barred players, gets the same answer as for a missing contest.

use serde_json::Value;
use uuid::Uuid;

use crate::accounts::Identity;
use crate::contests::store;
use crate::context::Context;
use crate::db::Conn;
use crate::error::{Error, Result};
use crate::ids::PairingId;
use crate::listed::readable;
use crate::matches::{MatchTerms, PairingRef};
use crate::string_enums::string_enums;

string_enums! {
    /// How people get into a ladder or a tournament.
    pub enum EntryMode {
        /// Whoever meets its limits joins.
        Open,
        /// Joining is a request, which an organizer accepts or declines.
        Approval,
        /// Only those join whom an organizer has invited.
        Invitation,
    }

    /// Who sees a ladder or a tournament.
    pub enum ContestVisibility {
        /// Everybody.
        Public,
        /// Those who run it, take part, have asked to, or are invited.
        Private,
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    pub entry: EntryMode,
    pub visibility: ContestVisibility,
}

impl Access {
    /// The requested access, by default open and public.
    pub fn asked(entry: Option<EntryMode>, visibility: Option<ContestVisibility>) -> Self {
        Self { entry: entry.unwrap_or(EntryMode::Open), visibility: visibility.unwrap_or(ContestVisibility::Public) }
    }

    /// Adds the non-default fields to the stored limits.
    pub(crate) fn beside(self, mut limits: Value) -> Value {
        if let Value::Object(terms) = &mut limits {
            if self.entry != EntryMode::Open {
                terms.insert("entry".to_owned(), Value::from(self.entry.into_str()));
            }
            if self.visibility != ContestVisibility::Public {
                terms.insert("visibility".to_owned(), Value::from(self.visibility.into_str()));
            }
        }
        limits
    }

    /// Reads the access from the stored limits.
    pub(crate) fn stored(limits: &Value) -> Result<Self> {
        let unknown = |_| Error::internal("a contest has unknown terms of access");
        let entry = limits.get("entry").and_then(Value::as_str).map(str::parse).transpose().map_err(unknown)?;
        let visibility = limits.get("visibility").and_then(Value::as_str).map(str::parse).transpose();
        Ok(Self::asked(entry, visibility.map_err(unknown)?))
    }
}

/// True if the contest exists and the viewer (`None` without a token) may see it. One statement, so that the duration
/// doesn't reveal the reason of a no.
pub async fn is_seen(conn: &mut Conn, ctx: &Context, contest: Uuid, viewer: Option<&Identity>) -> Result<bool> {
    store::is_seen(conn, contest, viewer, ctx.clock.now()).await
}

/// Fails with `not-found` if the viewer may not see the contest. Must come before any other read of it.
pub async fn must_see(conn: &mut Conn, ctx: &Context, contest: Uuid, viewer: Option<&Identity>) -> Result<()> {
    if is_seen(conn, ctx, contest, viewer).await? { Ok(()) } else { Err(Error::not_found()) }
}

/// Fails with `not-found` if the viewer may not see the contest of a pairing.
pub async fn must_see_pairing(
    conn: &mut Conn,
    ctx: &Context,
    pairing: PairingId,
    viewer: Option<&Identity>,
) -> Result<()> {
    match store::is_pairing_seen(conn, pairing, viewer, ctx.clock.now()).await? {
        true => Ok(()),
        false => Err(Error::not_found()),
    }
}

/// The part of a match's pairing that a viewer may see.
#[derive(Clone, Copy, Default)]
pub struct SeenPairing {
    /// The pairing, if the viewer may see its contest.
    shown: Option<PairingRef>,
    /// True if there is a pairing that the viewer may not see.
    is_hidden: bool,
}

impl SeenPairing {
    /// The visible part. The first players of the match were told when they were paired; others must be able to see the
    /// contest.
    pub async fn of(ctx: &Context, terms: &MatchTerms, viewer: Option<&Identity>) -> Result<Self> {
        let Some(pairing) = terms.pairing else { return Ok(Self::default()) };
        let was_paired = |viewer: &Identity| terms.first_players().any(|player| player.id == viewer.account);
        let contest = pairing.contest.id();
        let is_shown = viewer.is_some_and(was_paired) || {
            let seen = is_seen(&mut ctx.db.conn().await?, ctx, contest, viewer).await;
            readable("a contest can't be read; its matches are shown without it", contest, seen)?.unwrap_or(false)
        };
        Ok(if is_shown { Self { shown: Some(pairing), is_hidden: false } } else { Self::hidden(terms) })
    }

    /// The part visible to an unknown viewer.
    pub fn hidden(terms: &MatchTerms) -> Self {
        Self { shown: None, is_hidden: terms.pairing.is_some() }
    }

    pub fn shown(self) -> Option<PairingRef> {
        self.shown
    }

    /// True if there is a pairing that isn't shown.
    pub fn is_hidden(self) -> bool {
        self.is_hidden
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_stored_is_read_back_and_nothing_means_open_to_all() {
        for (entry, visibility) in [
            (EntryMode::Open, ContestVisibility::Public),
            (EntryMode::Approval, ContestVisibility::Public),
            (EntryMode::Invitation, ContestVisibility::Private),
        ] {
            let access = Access { entry, visibility };
            assert_eq!(Access::stored(&access.beside(json!({ "min_rating": 1500 }))).unwrap(), access);
        }
        assert_eq!(Access::asked(None, None).beside(json!({})), json!({}));
        assert!(Access::stored(&json!({ "visibility": "hidden" })).is_err());
    }
}
