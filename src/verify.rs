//! `broadside verify`: checks a match record without contacting a server, and explains what it proves and what it
//! doesn't.
//!
//! The check is in the rules crate ([`broadside_rules::record::verify`]), and its meaning in `judgement`, shared with
//! the API. This module reads the file and the published keys.

mod judgement;

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use serde_json::Value;

pub use judgement::{Judgement, RecordClaim, RecordStage, Statement, judge};

/// Longest record in bytes, for the command and for `POST /v1/records/verify`. A usual match has a few hundred
/// kilobytes. 28,392 single shots, the most for seven seats in the largest seas, come to 11 MB, and all plans of seven
/// calendars to 4 MB.
pub const MAX_RECORD: usize = 16 * 1024 * 1024;

#[derive(Debug)]
pub enum Verification {
    /// The record holds; the lines say what that proves and what it doesn't.
    Holds(Vec<String>),
    /// The record fails; each line names a fault.
    Fails(Vec<String>),
}

/// Judges the record in `file` (`-` for standard input), and whether `keys`, a JSON Web Key Set, has its signing key.
///
/// # Errors
/// One sentence if there is nothing to judge: a file is unreadable, too large, or not a key set.
pub fn verify(file: &Path, keys: Option<&Path>) -> Result<Verification, String> {
    let published = keys.map(key_set).transpose()?;
    let bytes = if file == Path::new("-") { read(io::stdin()) } else { File::open(file).and_then(read) };
    let bytes = bytes.map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(match judge(&bytes, published.as_deref()) {
        Ok(judgement) => Verification::Holds(told(&judgement)),
        Err(wrongs) => Verification::Fails(wrongs.iter().map(ToString::to_string).collect()),
    })
}

fn read(from: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(MAX_RECORD as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > MAX_RECORD {
        return Err(io::Error::other("it is longer than 16 MiB, the limit for a record"));
    }
    Ok(bytes)
}

/// The public halves (`x`) of the Ed25519 keys of a JSON Web Key Set, except those with another `purpose`.
fn key_set(path: &Path) -> Result<Vec<String>, String> {
    let named = |why: &dyn std::fmt::Display| format!("{}: {why}", path.display());
    let bytes = File::open(path).and_then(read).map_err(|error| named(&error))?;
    let document: Value = serde_json::from_slice(&bytes).map_err(|error| named(&error))?;
    let list = document["keys"].as_array().ok_or_else(|| named(&"it is not a JSON Web Key Set (RFC 7517)"))?;
    let ours = |key: &&Value| {
        key["kty"] == "OKP" && key["crv"] == "Ed25519" && (key["purpose"].is_null() || key["purpose"] == "records")
    };
    let x = |key: &Value| key["x"].as_str().map(str::to_owned);
    Ok(list.iter().filter(ours).filter_map(x).collect())
}

/// The meaning of a valid record: its content, what it proves, and what it doesn't.
fn told(judgement: &Judgement) -> Vec<String> {
    let Judgement { verified, stage, kid, published } = judgement;
    let header = &verified.header;
    let what = if *published {
        "The record holds".to_owned()
    } else {
        format!(
            "The record is consistent with itself; whose key signed it is not known (compare {kid} with the keys in the server's \
             /.well-known/jwks.json, or give that file with --keys)"
        )
    };
    let begun = text_of(&header.created_at);
    let mut lines = vec![format!(
        "{what}: {} with {} seats, match {}, begun {begun} (broadside-record, format {}).",
        header.variant,
        header.seats.len(),
        header.match_id,
        verified.format
    )];
    if *stage == RecordStage::CalledOff {
        lines.push("The match was called off: it has no result, and what was secret stays closed for good.".to_owned());
    }
    let indented = |said: Vec<Statement>| said.into_iter().map(|Statement { text, .. }| format!("  {text}"));
    lines.push("Proven:".to_owned());
    lines.extend(indented(judgement.proven()));
    lines.push("Not proven:".to_owned());
    lines.extend(indented(judgement.not_proven()));
    lines
}

fn text_of(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}
