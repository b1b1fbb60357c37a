//! Deeds: what people with a role have done, and the operator, one row each. This is the audit log of moderation.
//!
//! A deed is noted in the transaction of what was done, so there is neither one without the other; and nothing here changes or deletes a row. Whoever it
//! concerns is named by id, so that the log stays true when he changes or deletes his account.

pub(crate) mod store;
use std::str::FromStr;

use broadside_rules::Time;
use serde_json::Value;
use utoipa::ToSchema;

use crate::accounts::roles::Actor;
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::error::Result;
use crate::ids::{AccountId, DeedId, LadderId, MatchId, TournamentId};
use crate::player::Player;
use crate::words::words;

/// What was done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ToSchema)]
#[schema(as = ModerationKind, rename_all = "kebab-case")]
pub enum Kind {
    /// An account was given a role.
    RoleGranted,
    /// A role was taken from an account.
    RoleRevoked,
    /// An account was suspended.
    AccountSuspended,
    /// A suspension was lifted before its time.
    SuspensionLifted,
    /// What a match had done to ratings was taken back.
    MatchAnnulled,
    /// A match was ended, or a finished one is rated by other places.
    MatchAdjudicated,
    /// A reported message was dealt with.
    ChatReportResolved,
    /// Somebody else's ladder was closed.
    LadderClosed,
    /// An organizer has started a tournament of somebody else's.
    TournamentStarted,
    /// An organizer has called a tournament of somebody else's off.
    TournamentCancelled,
}

words!(Kind {
    RoleGranted "role-granted", RoleRevoked "role-revoked", AccountSuspended "account-suspended", SuspensionLifted "suspension-lifted",
    MatchAnnulled "match-annulled", MatchAdjudicated "match-adjudicated", ChatReportResolved "chat-report-resolved",
    LadderClosed "ladder-closed",
    TournamentStarted "tournament-started", TournamentCancelled "tournament-cancelled",
});

/// Why it was done: 1 to 500 characters, none of them a control character.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reason(String);

impl Reason {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Reason {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let fits = (1..=500).contains(&text.chars().count()) && !text.trim().is_empty();
        if fits && !text.chars().any(char::is_control) {
            Ok(Self(text.to_owned()))
        } else {
            Err("must have 1 to 500 characters, not all of them blank, and no control characters".to_owned())
        }
    }
}

/// What a deed is about: any of these.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct About {
    /// An account.
    pub account: Option<AccountId>,
    /// A match.
    pub match_id: Option<MatchId>,
    /// A ladder.
    pub ladder: Option<LadderId>,
    /// A tournament.
    pub tournament: Option<TournamentId>,
}

impl About {
    /// About an account.
    pub fn account(account: AccountId) -> Self {
        Self { account: Some(account), ..Self::default() }
    }

    /// About a ladder.
    pub fn a_ladder(ladder: LadderId) -> Self {
        Self { ladder: Some(ladder), ..Self::default() }
    }

    /// About a match.
    pub fn a_match(match_id: MatchId) -> Self {
        Self { match_id: Some(match_id), ..Self::default() }
    }
}

/// Something that was done.
pub struct Deed {
    /// What.
    pub kind: Kind,
    /// About what.
    pub about: About,
    /// Why.
    pub reason: Reason,
    /// What else there is to know: an object, for people and programs that look into it later.
    pub details: Value,
}

/// A deed as it is stored.
pub struct Noted {
    /// Its name.
    pub id: DeedId,
    /// Who did it; none: the operator.
    pub actor: Option<AccountId>,
    /// What.
    pub deed: Deed,
    /// When.
    pub at: Time,
}

/// A deed with the names of today.
pub struct Listed {
    /// The deed.
    pub noted: Noted,
    /// Who did it; none: the operator.
    pub actor: Option<Player>,
    /// The account that it is about.
    pub account: Option<Player>,
}

impl Listed {
    /// The deed on one line.
    pub fn line(&self) -> String {
        let Noted { deed, at, .. } = &self.noted;
        let actor = self.actor.as_ref().map_or("the operator", |player| &player.username);
        let account = self.account.as_ref().map(|player| player.username.clone());
        let about = [
            account,
            deed.about.match_id.map(|id| format!("match {id}")),
            deed.about.ladder.map(|id| format!("ladder {id}")),
            deed.about.tournament.map(|id| format!("tournament {id}")),
        ];
        let about: Vec<String> = about.into_iter().flatten().collect();
        format!("{at} {} {} by {actor}: {} {}", deed.kind.word(), about.join(", "), deed.reason.as_str(), deed.details)
    }
}

/// Which deeds to list.
#[derive(Default)]
pub struct Which {
    /// Only those of this account.
    pub actor: Option<AccountId>,
    /// Only those about this account.
    pub account: Option<AccountId>,
    /// Only those about this match.
    pub match_id: Option<MatchId>,
    /// Only those about this ladder.
    pub ladder: Option<LadderId>,
    /// Only those before this one.
    pub before: Option<DeedId>,
}

/// Notes a deed in the transaction of what was done.
pub async fn note(tx: &mut Tx, ctx: &Context, actor: Actor, deed: Deed) -> Result<DeedId> {
    let noted = Noted { id: ctx.new_id(), actor: actor.account(), deed, at: ctx.clock.now() };
    store::insert(tx, &noted).await?;
    Ok(noted.id)
}

/// Some deeds, the newest first.
pub async fn list(conn: &mut Conn, which: &Which, limit: i64) -> Result<Vec<Listed>> {
    store::page(conn, which, limit).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use uuid::Uuid;

    #[test]
    fn a_reason_is_one_line_that_says_something() {
        assert!("played by one person in two seats".parse::<Reason>().is_ok());
        for bad in ["", "   ", "a\nb", "a\u{1b}[2J", &"x".repeat(501)] {
            assert!(bad.parse::<Reason>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_deed_is_told_on_one_line() {
        let ben = Player { id: AccountId(Uuid::nil()), username: "ben".to_owned(), bot: false };
        let deed = Deed {
            kind: Kind::AccountSuspended,
            about: About::account(ben.id),
            reason: "again".parse().unwrap(),
            details: json!({ "until": null }),
        };
        let noted = Noted { id: DeedId(Uuid::nil()), actor: None, deed, at: Time(0) };
        let listed = Listed { noted, actor: None, account: Some(ben) };
        assert!(listed.line().ends_with("account-suspended ben by the operator: again {\"until\":null}"));
    }
}
