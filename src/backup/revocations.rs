//! Revocations that must survive a restore from an older backup, kept in a file beside the cluster: deletions,
//! suspensions, new passwords, ended sessions, revoked tokens, and removed roles.
//!
//! Database triggers record each one in its own transaction. A node on the private cluster moves the records into the
//! file within a second, and syncs each to disk before deleting it from the database: a crash in between repeats a
//! line, which is harmless, and loses none. If several nodes do this, one waits for another.
//!
//! For a deleted account the file keeps only the deletion. The end of a session is dropped once the session has expired
//! in every backup.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use broadside_rules::Time;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use super::store::revocations as store;
use crate::account_deletion;
use crate::accounts::sessions::LIVES_S;
use crate::app::App;
use crate::context::Context;
use crate::db::Db;
use crate::due::log_seldom;
use crate::error::{Error, Result};
use crate::events::kinds::ServiceRestoredEvent;
use crate::events::{notification, notify};
use crate::ids::AccountId;

/// File name in the data folder.
pub const NAME: &str = "revocations.ndjson";
/// Longest time that a record waits in the database.
const EVERY: Duration = Duration::from_secs(1);
/// A backup is dated by its start. Revocations committed up to this long before it are repeated too.
const MARGIN_MS: i64 = 60_000;

/// Seconds between two removals of obsolete lines.
const SWEPT_S: u32 = 86_400;

/// Retention of records that no node writes to a file: 90 days.
const KEPT_MS: i64 = 90 * 86_400_000;

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Revocation {
    /// The start of its transaction by the database clock, in milliseconds since 1970.
    pub at_ms: i64,
    #[serde(flatten)]
    pub what: Revoked,
}

/// The kind and the object of a revocation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind", content = "details")]
#[allow(missing_docs, reason = "the names say it")]
pub enum Revoked {
    AccountDeleted { subject: Uuid },
    Suspension { subject: Uuid, at: Option<String>, until: Option<String>, reason: Option<String> },
    Password { subject: Uuid, hash: String },
    SessionEnded { subject: Uuid },
    TokenRevoked { subject: Uuid },
    PasskeyRemoved { subject: Uuid },
    RoleTaken { subject: Uuid, role: String },
}

impl Revoked {
    /// A revocation as recorded by a trigger.
    pub(super) fn noted(kind: String, subject: Uuid, mut details: Value) -> Result<Self> {
        details["subject"] = subject.to_string().into();
        let noted = serde_json::json!({ "kind": kind, "details": details });
        serde_json::from_value(noted).map_err(Error::internal)
    }
}

impl Revoked {
    /// The account that the line describes; `None` if the line only says that something ended.
    const fn account(&self) -> Option<Uuid> {
        match self {
            Self::Suspension { subject, .. } | Self::Password { subject, .. } | Self::RoleTaken { subject, .. } => {
                Some(*subject)
            }
            _ => None,
        }
    }
}

/// The file in a data folder.
pub fn in_folder(data: &Path) -> PathBuf {
    data.join(NAME)
}

/// Moves records into the file until the service stops.
pub async fn keep(app: &App, file: &Path) {
    let mut next_sweep = app.clock.now();
    loop {
        let now = app.clock.now();
        let over_before = (now >= next_sweep).then(|| now.plus_ms(-i64::from(LIVES_S) * 1000));
        match write_out(&app.db, file, over_before).await {
            Ok(true) if over_before.is_some() => next_sweep = now.plus_s(SWEPT_S),
            Ok(_) => {}
            Err(error) => {
                log_seldom(&error, file.display(), "revocations can't be written: a restore would undo them");
            }
        }
        if app.is_stopping() {
            return;
        }
        tokio::select! {
            () = tokio::time::sleep(EVERY) => {}
            () = app.stopped() => {}
        }
    }
}

/// Deletes records that nobody writes to a file: an operator's own PostgreSQL has its own backups.
pub async fn forget_old(ctx: &Context) -> Result<()> {
    let mut tx = ctx.db.begin().await?;
    store::delete_before(&mut tx, ctx.clock.now().plus_ms(-KEPT_MS)).await?;
    tx.commit().await
}

/// Moves the recorded revocations into the file, and drops sessions that ended before `over_before` from it. Returns
/// false if nothing was recorded.
pub async fn write_out(db: &Db, file: &Path, mut over_before: Option<Time>) -> Result<bool> {
    let mut any = false;
    loop {
        if !store::are_any(&mut db.conn().await?).await? {
            return Ok(any);
        }
        let mut tx = db.begin().await?;
        let (numbers, noted) = store::take(&mut tx).await?;
        if numbers.is_empty() {
            tx.roll_back().await?;
            return Ok(any);
        }
        let (file, over_before) = (file.to_owned(), over_before.take());
        let written = tokio::task::spawn_blocking(move || append(&file, &noted, over_before)).await;
        written.map_err(Error::internal)?.map_err(Error::internal)?;
        tx.commit().await?;
        any = true;
    }
}

/// Appends lines to the file. For accounts deleted by them, earlier lines are removed.
fn append(path: &Path, noted: &[Revocation], over_before: Option<Time>) -> io::Result<()> {
    let mut text = String::new();
    for revocation in noted {
        text += &serde_json::to_string(revocation)?;
        text.push('\n');
    }
    let deleted = |revocation: &Revocation| match revocation.what {
        Revoked::AccountDeleted { subject } => Some(subject),
        _ => None,
    };
    let deleted: HashSet<Uuid> = noted.iter().filter_map(deleted).collect();
    if path.exists() && (over_before.is_some() || !deleted.is_empty()) {
        let is_over = |known: &Revocation| {
            matches!(known.what, Revoked::SessionEnded { .. }) && over_before.is_some_and(|then| known.at_ms < then.0)
        };
        let is_of_deleted = |known: &Revocation| known.what.account().is_some_and(|of| deleted.contains(&of));
        return rewrite(path, &text, |known| !is_over(known) && !is_of_deleted(known));
    }
    let is_new = !path.exists();
    let mut file = OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    match path.parent().filter(|_| is_new) {
        Some(folder) => File::open(folder)?.sync_all(),
        None => Ok(()),
    }
}

/// Rewrites the file: the needed and the unreadable lines, then `more`.
fn rewrite(path: &Path, more: &str, is_needed: impl Fn(&Revocation) -> bool) -> io::Result<()> {
    let old = fs::read_to_string(path)?;
    let is_kept = |line: &&str| serde_json::from_str(line).map_or(true, |known: Revocation| is_needed(&known));
    let text: String = old.lines().filter(is_kept).chain(more.lines()).flat_map(|line| [line, "\n"]).collect();
    let anew = path.with_extension("new");
    let mut file = OpenOptions::new().create(true).write(true).truncate(true).mode(0o600).open(&anew)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&anew, path)?;
    path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}

/// The file's revocations since a backup begun at `since`, in order, and the number of unreadable lines. Empty if there
/// is no such file.
pub fn read(path: &Path, since: Time) -> Result<(Vec<Revocation>, usize), String> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(format!("cannot read {}: {error}", path.display())),
    };
    let lines: Vec<Option<Revocation>> = text.lines().map(|line| serde_json::from_str(line).ok()).collect();
    let unreadable = lines.iter().filter(|line| line.is_none()).count();
    let since = since.0 - MARGIN_MS;
    Ok((lines.into_iter().flatten().filter(|revocation| revocation.at_ms >= since).collect(), unreadable))
}

/// Repeats the revocations made since a backup. Returns a line for each kind with its count.
pub async fn carry_out(app: &App, revocations: &[Revocation]) -> Result<Vec<String>> {
    let mut counts = std::collections::BTreeMap::<&'static str, u32>::new();
    for Revocation { what, .. } in revocations {
        let (is_done, name) = match what {
            Revoked::AccountDeleted { subject } => {
                let is_there = store::is_living(&mut app.db.conn().await?, *subject).await?;
                if is_there {
                    account_deletion::delete(&app.accounts, &app.matches, AccountId(*subject)).await?;
                }
                (is_there, "accounts deleted")
            }
            other => {
                let mut tx = app.db.begin().await?;
                let done = store::carry_out(&mut tx, other, app.clock.now()).await?;
                tx.commit().await?;
                let name = match other {
                    Revoked::AccountDeleted { .. } => "accounts deleted",
                    Revoked::Suspension { .. } => "suspensions set or lifted",
                    Revoked::Password { .. } => "passwords replaced",
                    Revoked::SessionEnded { .. } => "sessions ended",
                    Revoked::TokenRevoked { .. } => "tokens revoked",
                    Revoked::PasskeyRemoved { .. } => "passkeys removed",
                    Revoked::RoleTaken { .. } => "roles taken",
                };
                (done, name)
            }
        };
        *counts.entry(name).or_default() += u32::from(is_done);
    }
    Ok(counts.into_iter().map(|(name, count)| format!("{name}: {count}")).collect())
}

/// Records the restore, notifies every account, and lets each live session continue once with a token newer than the
/// backup.
pub async fn note_restore(app: &App, to: Time) -> Result<()> {
    let now = app.clock.now();
    let restored = [ServiceRestoredEvent::at(now, to, now).into()];
    let mut tx = app.db.begin().await?;
    store::note_restore(&mut tx, now, to).await?;
    let accounts = store::living(&mut tx).await?;
    let told: Vec<_> = accounts.into_iter().map(|account| notification(account, &restored)).collect::<Result<_>>()?;
    notify(&mut tx, app, told.into_iter().flatten()).await?;
    tx.commit().await
}

/// Ends every session of accounts with a password, revokes every token and link, and replaces the signing keys of
/// access tokens. Guests can identify themselves only by their browser's refresh token, of which the database has only
/// the hash, so their sessions continue. Returns the number of ended sessions and of revoked tokens.
pub async fn end_sessions(app: &App) -> Result<(usize, usize)> {
    let mut tx = app.db.begin().await?;
    let ended = store::end_sessions(&mut tx, app.clock.now()).await?;
    tx.commit().await?;
    crate::accounts::rotate_keys(&app.db, &app.clock).await?;
    Ok(ended)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_torn_hides_no_other_and_older_ones_are_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = in_folder(folder.path());
        assert_eq!(read(&path, Time(0)), Ok((Vec::new(), 0)));
        let at = |at_ms| Revocation { at_ms, what: Revoked::SessionEnded { subject: Uuid::from_u128(7) } };
        append(&path, &[at(1), at(100_000)], None).unwrap();
        fs::write(&path, format!("{}{{\"at_ms\":\n", fs::read_to_string(&path).unwrap())).unwrap();
        let suspension = serde_json::json!({ "at": "2026-11-28T00:00:00Z", "until": null, "reason": "abuse" });
        let what = Revoked::noted("suspension".to_owned(), Uuid::from_u128(8), suspension).unwrap();
        let suspended = Revocation { at_ms: 200_000, what };
        append(&path, std::slice::from_ref(&suspended), None).unwrap();
        assert_eq!(read(&path, Time(130_000)), Ok((vec![at(100_000), suspended], 1)));
    }

    #[test]
    fn of_a_deleted_account_nothing_else_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = in_folder(folder.path());
        let of = |subject: u128, hash: &str| Revocation {
            at_ms: 1,
            what: Revoked::Password { subject: Uuid::from_u128(subject), hash: hash.to_owned() },
        };
        append(&path, &[of(7, "one"), of(8, "two")], None).unwrap();
        let gone = Revocation { at_ms: 2, what: Revoked::AccountDeleted { subject: Uuid::from_u128(7) } };
        append(&path, std::slice::from_ref(&gone), None).unwrap();
        assert_eq!(read(&path, Time(0)), Ok((vec![of(8, "two"), gone], 0)));
        assert!(!fs::read_to_string(&path).unwrap().contains("one"));
    }

    #[test]
    fn sessions_that_are_over_in_every_backup_go_and_the_rest_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = in_folder(folder.path());
        let note = |at_ms, what| Revocation { at_ms, what };
        let subject = Uuid::from_u128(7);
        let [old, new] = [100, 300].map(|at_ms| note(at_ms, Revoked::SessionEnded { subject }));
        let token = note(150, Revoked::TokenRevoked { subject });
        append(&path, &[old, token.clone()], None).unwrap();
        append(&path, std::slice::from_ref(&new), Some(Time(200))).unwrap();
        assert_eq!(read(&path, Time(0)), Ok((vec![token, new], 0)));
    }
}
