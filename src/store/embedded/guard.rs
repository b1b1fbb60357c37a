//! Child processes that never outlive us. Without `unsafe` there is no parent-death signal, so a small shell process
//! stands between: it holds the read end of a pipe from us, and when that closes, because we let go of it or because we
//! are gone (`SIGKILL` included), it stops its child.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Stdio};

use super::EmbeddedError;
use super::account::Account;

/// Names the socket, nothing else: the cluster listens on no network.
pub(super) const PORT: u16 = 5432;
/// The socket's file name, which PostgreSQL derives from the port.
pub(super) const SOCKET: &str = ".s.PGSQL.5432";

/// Arguments: a file for the child's standard input, a directory to remove once the pipe has closed and the child has
/// gone (or nothing), the program and its arguments.
///
/// - `INT` is PostgreSQL's fast shutdown. It is repeated, since a shell starts its background children with `INT`
///   ignored, and a postmaster needs some milliseconds to set its own handler. After 8 seconds `QUIT`: stop at once and
///   let the next start recover, rather than be in its way.
/// - The guard loop is bounded, because a child that lost its parent may stay a zombie for ever in a container whose first
///   process reaps nobody.
/// - `wait "$guard"` succeeds only when the pipe was closed: otherwise the guard dies of our `TERM`.
const SUPERVISE: &str = r#"
exec 3<&0
input=$1; remove=$2; shift 2
"$@" <"$input" 3<&- &
child=$!
{
    read -r _ <&3
    trap '' TERM
    n=0
    while [ "$n" -lt 400 ] && kill -0 "$child" 2>/dev/null; do
        [ $((n % 20)) -eq 0 ] && kill -INT "$child" 2>/dev/null
        [ "$n" -eq 160 ] && kill -QUIT "$child" 2>/dev/null
        n=$((n + 1))
        sleep 0.05
    done
    true
} &
guard=$!
exec 3<&- </dev/null
wait "$child"; code=$?
kill "$guard" 2>/dev/null
wait "$guard" 2>/dev/null && [ -n "$remove" ] && rm -rf -- "$remove" 2>/dev/null
exit "$code"
"#;

/// One program to run under guard.
pub(super) struct Guarded<'a> {
    pub(super) account: &'a Account,
    pub(super) program: &'a Path,
    pub(super) arguments: Vec<String>,
    pub(super) input: Option<&'a Path>,
    pub(super) remove_after: Option<&'a Path>,
    pub(super) log: &'a Path,
}

impl Guarded<'_> {
    /// Starts it in a process group of its own: a Ctrl-C at the terminal is for us, and we stop the cluster in our turn.
    pub(super) fn spawn(&self) -> Result<(Child, ChildStdin), EmbeddedError> {
        let log = open_log(self.log)?;
        let errors = log.try_clone().map_err(EmbeddedError::io("open", self.log))?;
        let mut command = self.account.command("/bin/sh");
        command.args(["-c", SUPERVISE, "broadside-guard"]);
        command.arg(self.input.unwrap_or(Path::new("/dev/null")));
        command.arg(self.remove_after.unwrap_or(Path::new("")));
        command.arg(self.program).args(&self.arguments);
        command.stdin(Stdio::piped()).stdout(log).stderr(errors).process_group(0);
        let mut child = command.spawn().map_err(EmbeddedError::io("run", self.program))?;
        // Taken out, or waiting for the child would close it.
        match child.stdin.take() {
            Some(lifeline) => Ok((child, lifeline)),
            None => Err(EmbeddedError::failed("the guard has no lifeline", self.program.display())),
        }
    }

    /// Runs it to its end.
    ///
    /// # Errors
    /// [`EmbeddedError::Failed`] with what it printed, when it fails.
    pub(super) fn run(&self, what: &str) -> Result<(), EmbeddedError> {
        let before = log_size(self.log);
        let (mut child, lifeline) = self.spawn()?;
        let status = child.wait().map_err(EmbeddedError::io("wait for", self.program))?;
        drop(lifeline);
        if status.success() {
            return Ok(());
        }
        Err(EmbeddedError::failed(format!("{what} failed ({status})"), log_since(self.log, before)))
    }
}

/// Opened by us and handed on, so that the cluster's account needs no right to the file.
fn open_log(path: &Path) -> Result<File, EmbeddedError> {
    OpenOptions::new().append(true).create(true).mode(0o600).open(path).map_err(EmbeddedError::io("open", path))
}

pub(super) fn log_size(path: &Path) -> u64 {
    path.metadata().map_or(0, |metadata| metadata.len())
}

/// The end of what was logged since the file had `before` bytes, for an error message.
pub(super) fn log_since(path: &Path, before: u64) -> String {
    const MOST_BYTES: u64 = 2000;
    let mut words = Vec::new();
    let read = File::open(path).and_then(|mut file| {
        let end = file.metadata()?.len();
        file.seek(SeekFrom::Start(before.max(end.saturating_sub(MOST_BYTES)).min(end)))?;
        file.read_to_end(&mut words)
    });
    match read {
        Ok(0) | Err(_) => format!("see {}", path.display()),
        Ok(_) => format!("{} (see {})", String::from_utf8_lossy(&words).trim(), path.display()),
    }
}
