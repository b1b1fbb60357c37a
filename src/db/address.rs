//! The address of the database, in libpq's two forms (`postgres://…` and `key=value …`), with the settings for the
//! server's certificate.
//!
//! tokio-postgres reads addresses, but neither the verifying modes of `sslmode` nor `sslrootcert`: these two parameters
//! are taken out of the text and read here. See PostgreSQL's documentation, "SSL Support" of libpq.

use std::ops::Range;
use std::path::{Path, PathBuf};

use rustls::ClientConfig;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::certificates;

/// The protection of the connection: libpq's `sslmode`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, strum::EnumString)]
#[strum(serialize_all = "kebab-case")]
pub enum Protection {
    /// No TLS.
    Disable,
    /// TLS if the server has it; its certificate isn't verified. (libpq's `allow` tries in the opposite order.)
    #[default]
    #[strum(serialize = "prefer", serialize = "allow")]
    Prefer,
    /// TLS; the certificate isn't verified unless a root certificate is named.
    Require,
    /// TLS with a certificate signed by a given root, for any host name.
    VerifyCa,
    /// TLS with a certificate for this host, signed by a given root or a system root.
    VerifyFull,
}

/// A parsed address.
pub struct Address {
    pub config: Config,
    pub tls: MakeRustlsConnect,
}

/// An error in an address, as a sentence for the operator. It has no part of the address, which contains a password.
pub type Refusal = String;

impl Address {
    /// Parses an address, and reads its root certificates.
    pub fn read(text: &str) -> Result<Self, Refusal> {
        let (plain, parameters) = if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            taken_out(text, &in_query(text))?
        } else {
            taken_out(text, &in_pairs(text))?
        };
        let mut config: Config = plain.parse().map_err(|error: tokio_postgres::Error| {
            let cause = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
            format!("it can't be read ({cause}); it should look like postgres://user:password@host:5432/name")
        })?;
        if config.get_hosts().is_empty() {
            return Err("it names no host; it should look like postgres://user:password@host:5432/name".to_owned());
        }
        let is_local = config.get_hosts().iter().all(|host| matches!(host, Host::Unix(_)));
        let mode = parameters.mode.unwrap_or_default();
        config.ssl_mode(match mode {
            // A local socket is never encrypted.
            _ if is_local => SslMode::Disable,
            Protection::Disable => SslMode::Disable,
            Protection::Prefer => SslMode::Prefer,
            Protection::Require | Protection::VerifyCa | Protection::VerifyFull => SslMode::Require,
        });
        let tls = MakeRustlsConnect::new(client(mode, parameters.roots.as_deref())?);
        Ok(Self { config, tls })
    }
}

fn client(mode: Protection, roots: Option<&Path>) -> Result<ClientConfig, Refusal> {
    let roots = roots.filter(|path| *path != Path::new("system"));
    match (mode, roots) {
        (Protection::Disable | Protection::Prefer, _) | (Protection::Require, None) => certificates::unverified(),
        (Protection::Require | Protection::VerifyCa, Some(file)) => certificates::signed_by(file),
        (Protection::VerifyCa, None) => {
            Err("sslmode=verify-ca needs sslrootcert=FILE; the system's roots sign for everybody".to_owned())
        }
        (Protection::VerifyFull, Some(file)) => certificates::of_the_host_signed_by(file),
        (Protection::VerifyFull, None) => certificates::of_the_host(),
    }
}

/// The two parameters handled here.
#[derive(Default)]
struct Parameters {
    mode: Option<Protection>,
    roots: Option<PathBuf>,
}

/// A parameter in the text of an address: its position, name and value.
struct Found {
    place: Range<usize>,
    name: String,
    value: String,
}

/// The address without the two parameters, and their values.
fn taken_out(text: &str, found: &[Found]) -> Result<(String, Parameters), Refusal> {
    let mut parameters = Parameters::default();
    let mut rest = text.to_owned();
    // Backwards, so that the positions of the others stay valid.
    for parameter in found.iter().rev() {
        match parameter.name.as_str() {
            "sslmode" => {
                parameters.mode =
                    Some(parameter.value.parse().map_err(|_| {
                        "sslmode must be disable, prefer, require, verify-ca or verify-full".to_owned()
                    })?);
            }
            "sslrootcert" => parameters.roots = Some(PathBuf::from(&parameter.value)),
            _ => continue,
        }
        rest.replace_range(parameter.place.clone(), "");
    }
    Ok((rest, parameters))
}

/// The parameters of a URL: after the first `?` behind the password, like in tokio-postgres.
fn in_query(text: &str) -> Vec<Found> {
    let host = text.find('@').unwrap_or_default();
    let Some(begin) = text.get(host..).and_then(|rest| rest.find('?')).map(|at| host + at + 1) else {
        return Vec::new();
    };
    let mut at = begin;
    text[begin..]
        .split_inclusive('&')
        .filter_map(|part| {
            let place = at..at + part.len();
            at = place.end;
            let (name, value) = part.trim_end_matches('&').split_once('=')?;
            Some(Found { place, name: name.to_owned(), value: decoded(value)? })
        })
        .collect()
}

/// A part of a URL with percent-encoding decoded.
fn decoded(text: &str) -> Option<String> {
    percent_encoding::percent_decode_str(text).decode_utf8().ok().map(std::borrow::Cow::into_owned)
}

/// The parameters of pairs such as `host=db sslrootcert='/etc/my ca.pem'`: a backslash escapes a character in and
/// outside of quotes.
fn in_pairs(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    let mut characters = text.char_indices().peekable();
    while let Some((begin, first)) = characters.next() {
        if first.is_whitespace() {
            continue;
        }
        let mut name = String::from(first);
        while let Some((_, character)) = characters.next_if(|(_, character)| *character != '=') {
            name.push(character);
        }
        characters.next();
        while characters.next_if(|(_, character)| character.is_whitespace()).is_some() {}
        let is_quoted = characters.next_if(|(_, character)| *character == '\'').is_some();
        let mut value = String::new();
        let mut end = text.len();
        while let Some((at, character)) = characters.next() {
            end = at + character.len_utf8();
            match character {
                '\\' => value.extend(characters.next().map(|(_, meant)| meant)),
                '\'' if is_quoted => break,
                _ if character.is_whitespace() && !is_quoted => break,
                _ => value.push(character),
            }
        }
        found.push(Found { place: begin..end, name: name.trim_end().to_owned(), value });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (String, Option<Protection>, Option<PathBuf>) {
        let found = if text.contains("://") { in_query(text) } else { in_pairs(text) };
        let (rest, parameters) = taken_out(text, &found).unwrap();
        (rest, parameters.mode, parameters.roots)
    }

    #[test]
    fn the_two_parameters_are_taken_out_of_both_forms() {
        let full = Some(Protection::VerifyFull);
        let roots = |path: &str| Some(PathBuf::from(path));
        for (text, rest, mode, file) in [
            ("postgres://u:p@h/d", "postgres://u:p@h/d", None, None),
            ("postgres://u:p?x@h/d?sslmode=verify-full", "postgres://u:p?x@h/d?", full, None),
            (
                "postgres://h/d?sslmode=verify-full&connect_timeout=3&sslrootcert=%2Fetc%2Fca.pem",
                "postgres://h/d?connect_timeout=3&",
                full,
                roots("/etc/ca.pem"),
            ),
            ("host=h sslmode=verify-full user=u", "host=h user=u", full, None),
            (
                r"password='a sslmode=disable \' b' sslrootcert = '/my ca.pem' dbname=d",
                r"password='a sslmode=disable \' b'  dbname=d",
                None,
                roots("/my ca.pem"),
            ),
            (r"host=h sslrootcert=/my\ ca.pem", "host=h ", None, roots("/my ca.pem")),
        ] {
            assert_eq!(read(text), (rest.to_owned(), mode, file), "{text}");
            rest.parse::<Config>().expect(rest);
        }
    }

    #[test]
    fn what_cannot_be_used_is_refused_without_the_password() {
        for text in [
            "postgres://u:secret@h/d?sslmode=strict",
            "host=h password=secret sslmode=verify-ca",
            "host=h password=secret sslmode=verify-full sslrootcert=/nowhere.pem",
            "mysql://u:secret@h/d",
            "postgres://u:secret@h:port/d",
            "user=u password=secret",
            "",
        ] {
            let refusal = Address::read(text).err().expect(text);
            assert!(!refusal.contains("secret"), "{refusal}");
        }
    }

    #[test]
    fn a_socket_of_the_same_machine_is_not_encrypted() {
        let local = Address::read("host=/run/postgresql dbname=d").unwrap();
        assert_eq!(local.config.get_ssl_mode(), SslMode::Disable);
        let far = Address::read("host=db.example dbname=d").unwrap();
        assert_eq!(far.config.get_ssl_mode(), SslMode::Prefer);
    }
}
