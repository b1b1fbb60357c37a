//! Child processes that never outlive this one. Without `unsafe` code a child can't ask for a signal when its parent
//! dies. So a small shell process, the guard, stands between: it holds the read end of a pipe from this process, the
//! lifeline. The pipe closes when this process closes it or ends (by `SIGKILL`, too), and then the guard stops its
//! child.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Stdio};

use crate::Error;
use crate::account::Account;

/// A part of the socket's name, nothing else: the server listens on no network.
pub(crate) const PORT: u16 = 5432;
/// The file name of the socket, which PostgreSQL makes from the port.
pub(crate) const SOCKET: &str = ".s.PGSQL.5432";

/// Arguments: a file for the child's standard input, a directory to remove once the lifeline is closed and the child
/// has ended (or nothing), the program and its arguments.
///
/// - `INT` is PostgreSQL's fast shutdown. It is repeated, because a shell starts its background children with `INT`
///   ignored, and a postmaster needs some milliseconds to set its own handler. After 8 seconds comes `QUIT`: the server
///   stops at once, and the next start recovers, rather than being delayed.
/// - The loop is bounded, because a child that lost its parent may stay a zombie for ever in a container whose first
///   process waits for no child.
/// - `wait "$watcher"` succeeds only when the lifeline was closed: otherwise the watcher is ended by the `TERM` above
///   it.
const SCRIPT: &str = r#"
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
watcher=$!
exec 3<&- </dev/null
wait "$child"; code=$?
kill "$watcher" 2>/dev/null
wait "$watcher" 2>/dev/null && [ -n "$remove" ] && rm -rf -- "$remove" 2>/dev/null
exit "$code"
"#;

/// A program to run under guard.
pub(crate) struct Guarded<'a> {
    pub(crate) account: &'a Account,
    pub(crate) program: &'a Path,
    pub(crate) arguments: Vec<String>,
    /// The file for its standard input; `/dev/null` by default.
    pub(crate) input: Option<&'a Path>,
    /// A directory to remove once it has been stopped.
    pub(crate) remove_after: Option<&'a Path>,
    /// The file to which its output is appended.
    pub(crate) log: &'a Path,
}

impl Guarded<'_> {
    /// Starts it, and returns the guard and its lifeline. They are in a process group of their own: a Ctrl-C at the
    /// terminal is meant for this process, which then stops the server.
    pub(crate) fn spawn(&self) -> Result<(Child, ChildStdin), Error> {
        let log = open_log(self.log)?;
        let errors = log.try_clone().map_err(Error::io("open", self.log))?;
        let mut command = self.account.command("/bin/sh");
        command.args(["-c", SCRIPT, "private-postgres-guard"]);
        command.arg(self.input.unwrap_or(Path::new("/dev/null")));
        command.arg(self.remove_after.unwrap_or(Path::new("")));
        command.arg(self.program).args(&self.arguments);
        command.stdin(Stdio::piped()).stdout(log).stderr(errors).process_group(0);
        let mut guard = command.spawn().map_err(Error::io("run", self.program))?;
        // Taken out: waiting for the guard would close it.
        match guard.stdin.take() {
            Some(lifeline) => Ok((guard, lifeline)),
            None => Err(Error::failed("the guard has no lifeline", self.program.display())),
        }
    }

    /// Runs it to its end.
    ///
    /// # Errors
    /// [`Error::Failed`] with the output, when it fails.
    pub(crate) fn run(&self, what: &str) -> Result<(), Error> {
        let before = log_size(self.log);
        let (mut guard, lifeline) = self.spawn()?;
        let status = guard.wait().map_err(Error::io("wait for", self.program))?;
        drop(lifeline);
        if status.success() {
            return Ok(());
        }
        Err(Error::failed(format!("{what} failed ({status})"), log_since(self.log, before)))
    }
}

/// Opened by this process and handed on, so that the server's account needs no access to the file.
fn open_log(path: &Path) -> Result<File, Error> {
    OpenOptions::new().append(true).create(true).mode(0o600).open(path).map_err(Error::io("open", path))
}

pub(crate) fn log_size(path: &Path) -> u64 {
    path.metadata().map_or(0, |metadata| metadata.len())
}

/// The end of the log since the file had `before` bytes, for an error message.
pub(crate) fn log_since(path: &Path, before: u64) -> String {
    const MAX_BYTES: u64 = 2000;
    let mut text = Vec::new();
    let read = File::open(path).and_then(|mut file| {
        let end = file.metadata()?.len();
        file.seek(SeekFrom::Start(before.max(end.saturating_sub(MAX_BYTES)).min(end)))?;
        file.read_to_end(&mut text)
    });
    match read {
        Ok(0) | Err(_) => format!("see {}", path.display()),
        Ok(_) => format!("{} (see {})", String::from_utf8_lossy(&text).trim(), path.display()),
    }
}
