//! What ladders and tournaments have in common for those who run them: who may, who can join, and what of their terms
//! may still change. How each of the two does it is in [`crate::ladders`] and [`crate::tournaments`].
//!
//! | what | file |
//! |---|---|
//! | who runs a contest beside its creator | [`organizers`] |
//! | what somebody must be who wants to join | [`entry_limits`] |
//! | how people get in, and who sees it | [`access`] |
//! | requests and invitations | [`entries`] |
//! | members who are warned, removed, barred | [`members`] |
//! | what is announced to all members | [`announcements`] |
//! | when it is paused | [`pauses`] |
//! | what those who run it are told | [`news`] |
//! | which of its terms may still change | [`terms_change`] |
//! | a ladder or a tournament, whichever it is | [`head`] |

pub mod access;
pub mod announcements;
pub mod entries;
pub mod entry_limits;
pub mod head;
pub mod members;
pub mod news;
pub mod organizers;
pub mod pauses;
pub(crate) mod store;
pub mod terms_change;

pub use crate::matches::Contest;

use broadside_rules::Time;

use crate::audit_log::AuditSubject;
use crate::db::Conn;
use crate::error::Result;
use crate::ids::{AccountId, LadderId, TournamentId};
use crate::listed::Listed;

/// The ladder or the tournament that the contest is, one of the two, for what is said of it.
pub fn either(contest: Contest) -> (Option<LadderId>, Option<TournamentId>) {
    match contest {
        Contest::Ladder(id) => (Some(id), None),
        Contest::Tournament(id) => (None, Some(id)),
    }
}

/// What an entry of the audit log about the contest is about.
pub fn subject(contest: Contest) -> AuditSubject {
    let (ladder, tournament) = either(contest);
    AuditSubject { ladder, tournament, ..AuditSubject::default() }
}

/// What is stored about an account as an organizer or a member, for its own export.
pub struct ContestExport {
    /// What it runs beside the creator, and since when.
    pub organized: Vec<(Contest, Time)>,
    /// Its requests, and invitations to it.
    pub entries: Listed<entries::Entry>,
    /// What organizers have decided about it.
    pub decisions: Listed<members::Decision>,
    pub announcements: Listed<announcements::ContestAnnouncement>,
    pub pauses: Listed<pauses::ContestPause>,
}

/// What is stored about an account as an organizer or a member, for its own export.
pub async fn export(conn: &mut Conn, account: AccountId) -> Result<ContestExport> {
    Ok(ContestExport {
        organized: organizers::export(conn, account).await?,
        entries: entries::export(conn, account).await?,
        decisions: members::export(conn, account).await?,
        announcements: announcements::export(conn, account).await?,
        pauses: pauses::export(conn, account).await?,
    })
}
