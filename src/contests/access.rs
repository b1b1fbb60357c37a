//! How people get into a contest, and who sees it: one set of terms for ladders and tournaments.
//!
//! A private contest exists for those who run it, take part, have asked to, or are invited, and for people with a role.
//! Everybody else is answered as if there were none, and so is whoever is barred.

use serde_json::Value;

use crate::accounts::Identity;
use crate::accounts::roles::{self, Role};
use crate::contests::organizers::Runners;
use crate::contests::{Contest, store};
use crate::context::Context;
use crate::db::Conn;
use crate::error::{Error, ProblemKind, Result};
use crate::ids::AccountId;
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

/// How people get in, and who sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// How people get in.
    pub entry: EntryMode,
    /// Who sees it.
    pub visibility: ContestVisibility,
}

impl Access {
    /// As it is asked for: open and public unless something else is said.
    pub fn asked(entry: Option<EntryMode>, visibility: Option<ContestVisibility>) -> Self {
        Self { entry: entry.unwrap_or(EntryMode::Open), visibility: visibility.unwrap_or(ContestVisibility::Public) }
    }

    /// It stands beside the limits, where something else holds than for everybody.
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

    /// As it is stored beside the limits.
    pub(crate) fn stored(limits: &Value) -> Result<Self> {
        let unknown = |_| Error::internal("a contest has unknown terms of access");
        let entry = limits.get("entry").and_then(Value::as_str).map(str::parse).transpose().map_err(unknown)?;
        let visibility = limits.get("visibility").and_then(Value::as_str).map(str::parse).transpose();
        Ok(Self::asked(entry, visibility.map_err(unknown)?))
    }
}

/// Fails with `not-found` unless the viewer (none: without a token) sees the contest.
pub async fn check(
    conn: &mut Conn,
    ctx: &Context,
    contest: Contest,
    runners: Runners<'_>,
    access: Access,
    viewer: Option<&Identity>,
) -> Result<()> {
    if access.visibility == ContestVisibility::Public {
        return Ok(());
    }
    let viewer = viewer.ok_or_else(Error::not_found)?;
    if runners.right_of(viewer.account).is_some() || belongs(conn, contest, viewer.account).await? {
        return Ok(());
    }
    for role in [Role::Moderator, Role::Organizer] {
        match roles::check(conn, ctx, viewer, role).await {
            Err(error) if error.problem().kind == ProblemKind::Forbidden => {}
            checked => return checked,
        }
    }
    Err(Error::not_found())
}

/// Whether the account takes part, has asked to, or is invited, and isn't barred.
async fn belongs(conn: &mut Conn, contest: Contest, account: AccountId) -> Result<bool> {
    if store::members::is_barred(conn, contest, account).await? {
        return Ok(false);
    }
    Ok(store::entries::takes_part(conn, contest, account).await?
        || store::entries::find(conn, contest, account).await?.is_some_and(|entry| entry.state.is_pending()))
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
