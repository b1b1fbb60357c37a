//! Messages for the operator about an unreachable database: its place, the cause, and the remedy, but never the
//! password.

use std::error::Error as StdError;
use std::io;

use tokio_postgres::Config;
use tokio_postgres::config::Host;
use tokio_postgres::error::{DbError, SqlState};

/// The message about the error `cause` of a connection.
pub fn explain(config: &Config, cause: &(dyn StdError + 'static)) -> String {
    let place = place(config);
    let (why, remedy) = reason(config, cause);
    let why = why.unwrap_or_else(|| whole(cause));
    match remedy {
        Some(remedy) => format!("the database at {place} can't be used: {why}; {remedy}"),
        None => format!("the database at {place} can't be used: {why}"),
    }
}

/// The hosts with their ports, as in the address.
fn place(config: &Config) -> String {
    let port = |at: usize| config.get_ports().get(at).or_else(|| config.get_ports().first()).copied().unwrap_or(5432);
    let named = |(at, host): (usize, &Host)| match host {
        Host::Tcp(name) if name.contains(':') => format!("[{name}]:{}", port(at)),
        Host::Tcp(name) => format!("{name}:{}", port(at)),
        Host::Unix(folder) => folder.join(format!(".s.PGSQL.{}", port(at))).display().to_string(),
    };
    config.get_hosts().iter().enumerate().map(named).collect::<Vec<_>>().join(", ")
}

/// An explanation beyond the error's own text, if any, and the remedy.
fn reason(config: &Config, cause: &(dyn StdError + 'static)) -> (Option<String>, Option<String>) {
    if let Some(error) = find::<DbError>(cause) {
        return (Some(error.message().to_owned()), said_by_server(config, error));
    }
    if let Some(error) = find::<rustls::Error>(cause) {
        let remedy = "sslmode and sslrootcert in DATABASE_URL say which certificates are trusted";
        return (Some(format!("TLS failed: {error}")), Some(remedy.to_owned()));
    }
    let text = whole(cause);
    if text.contains("does not support TLS") {
        let remedy = "turn TLS on there (`ssl = on`), or allow to do without it by sslmode=prefer";
        return (Some("it has no TLS".to_owned()), Some(remedy.to_owned()));
    }
    if text.contains("password missing") {
        return (Some("it wants a password".to_owned()), Some("DATABASE_URL has none".to_owned()));
    }
    // The standard library has no kind for an unknown host name.
    if text.contains("lookup address") {
        return (Some("no such host was found".to_owned()), Some("check its name in DATABASE_URL".to_owned()));
    }
    let (why, remedy) = match find::<io::Error>(cause).map(io::Error::kind) {
        Some(io::ErrorKind::ConnectionRefused) => (
            "nothing answers there (connection refused)",
            "is PostgreSQL running, does it listen on this address (`listen_addresses`), and is the port right?",
        ),
        Some(io::ErrorKind::NotFound) => ("there is no such socket", "is PostgreSQL running, and is its folder right?"),
        Some(io::ErrorKind::PermissionDenied) => {
            ("this account may not open the socket", "run the service as an account that may")
        }
        Some(io::ErrorKind::TimedOut) => {
            ("it gives no answer", "is the address right, and does a firewall let through?")
        }
        Some(io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset) => {
            ("it closed the connection before it said anything", "is it PostgreSQL that listens there?")
        }
        _ => return (None, None),
    };
    (Some(why.to_owned()), Some(remedy.to_owned()))
}

fn said_by_server(config: &Config, error: &DbError) -> Option<String> {
    let user = config.get_user().unwrap_or_default();
    let remedy = match *error.code() {
        SqlState::INVALID_PASSWORD => format!("check the password of `{user}` in DATABASE_URL"),
        SqlState::INVALID_AUTHORIZATION_SPECIFICATION => {
            format!("check `{user}` and the way it connects in pg_hba.conf there")
        }
        SqlState::INVALID_CATALOG_NAME => {
            let name = config.get_dbname().unwrap_or(user);
            format!("make it: `createdb --owner={user} {name}`")
        }
        SqlState::TOO_MANY_CONNECTIONS => {
            "raise max_connections there, or lower --database-connections here".to_owned()
        }
        SqlState::CANNOT_CONNECT_NOW => "wait until it has started".to_owned(),
        _ => return None,
    };
    Some(remedy)
}

/// The first error of this type in an error's chain of causes. TLS errors are inside I/O errors.
fn find<'a, E: StdError + 'static>(error: &'a (dyn StdError + 'static)) -> Option<&'a E> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref::<E>() {
            return Some(found);
        }
        let inside = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        next = match inside {
            Some(inside) => Some(inside),
            None => error.source(),
        };
    }
    None
}

/// An error with its causes, without repetitions.
fn whole(error: &(dyn StdError + 'static)) -> String {
    let mut said = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let text = cause.to_string();
        if !said.contains(&text) {
            said = format!("{said}: {text}");
        }
        next = cause.source();
    }
    said
}
