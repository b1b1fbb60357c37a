//! The common management of ladders and tournaments: organizers, entry, and changes of terms. The two kinds build on it
//! in [`crate::ladders`] and [`crate::tournaments`].
//!
//! | topic | file |
//! |---|---|
//! | organizers beside the creator | [`organizers`] |
//! | requirements for joining | [`entry_limits`] |
//! | entry and visibility | [`access`] |
//! | requests and invitations | [`entries`] |
//! | warnings, removals and bars | [`members`] |
//! | announcements to all members | [`announcements`] |
//! | pauses | [`pauses`] |
//! | notifications for organizers | [`news`] |
//! | terms that may still change | [`terms_change`] |
//! | the common part of both kinds | [`head`] |

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

/// The contest as a ladder or as a tournament: exactly one is set.
pub fn either(contest: Contest) -> (Option<LadderId>, Option<TournamentId>) {
    match contest {
        Contest::Ladder(id) => (Some(id), None),
        Contest::Tournament(id) => (None, Some(id)),
    }
}

/// The subject of audit log entries about the contest.
pub fn subject(contest: Contest) -> AuditSubject {
    let (ladder, tournament) = either(contest);
    AuditSubject { ladder, tournament, ..AuditSubject::default() }
}

/// Data about an account as an organizer or a member, for its own export.
pub struct ContestExport {
    /// Contests that it organizes without being the creator, each with the time since when.
    pub organized: Vec<(Contest, Time)>,
    /// Its requests and invitations.
    pub entries: Listed<entries::Entry>,
    /// The organizers' decisions about it.
    pub decisions: Listed<members::Decision>,
    pub announcements: Listed<announcements::ContestAnnouncement>,
    pub pauses: Listed<pauses::ContestPause>,
}

pub async fn export(conn: &mut Conn, account: AccountId) -> Result<ContestExport> {
    Ok(ContestExport {
        organized: organizers::export(conn, account).await?,
        entries: entries::export(conn, account).await?,
        decisions: members::export(conn, account).await?,
        announcements: announcements::export(conn, account).await?,
        pauses: pauses::export(conn, account).await?,
    })
}
