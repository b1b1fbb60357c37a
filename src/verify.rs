//! `broadside verify`: checks a record of a match without asking any server, and says in plain words what that proves
//! and what it doesn't.
//!
//! The checking itself is the rules crate's ([`broadside_rules::record::verify`]). Here are the file, the published
//! keys, and the words.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use broadside_rules::record::{self, Discrepancy, Verified};
use serde_json::Value;

/// A record may be this long, in bytes. A long match has a few hundred kilobytes.
pub const MAX_RECORD: u64 = 64 * 1024 * 1024;

/// The result of a verification.
#[derive(Debug)]
pub enum Verification {
    /// The record holds; the lines say what that proves and what it doesn't.
    Holds(Vec<String>),
    /// The record fails; each line names a fault.
    Fails(Vec<String>),
}

/// Judges the record in `file` (`-`: standard input), and whether `keys`, a JSON Web Key Set, has the key that signed
/// it.
///
/// # Errors
/// One sentence, when there was nothing to judge: a file can't be read, is too large, or is not a key set.
pub fn verify(file: &Path, keys: Option<&Path>) -> Result<Verification, String> {
    let published = keys.map(key_set).transpose()?;
    let bytes = if file == Path::new("-") { read(io::stdin()) } else { File::open(file).and_then(read) };
    let bytes = bytes.map_err(|error| format!("{}: {error}", file.display()))?;
    let verified = match str::from_utf8(&bytes) {
        Ok(text) => record::verify(text),
        Err(error) => Err(vec![not_text(&error)]),
    };
    let verified = match verified {
        Ok(verified) => verified,
        Err(wrongs) => return Ok(Verification::Fails(wrongs.iter().map(ToString::to_string).collect())),
    };
    let kid = verified.key.thumbprint();
    Ok(match published {
        Some(published) if !published.contains(&verified.key.x) => {
            Verification::Fails(vec![unpublished(&kid).to_string()])
        }
        published => Verification::Holds(told(&verified, &Stage::of(&verified), &kid, published.is_some())),
    })
}

fn read(from: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(MAX_RECORD + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_RECORD {
        return Err(io::Error::other("it is longer than 64 MiB, the limit for a record"));
    }
    Ok(bytes)
}

fn not_text(error: &dyn std::error::Error) -> Discrepancy {
    Discrepancy { pointer: String::new(), code: "record-not-json", detail: format!("it is not UTF-8: {error}") }
}

fn unpublished(kid: &str) -> Discrepancy {
    Discrepancy {
        pointer: "/signature/key".to_owned(),
        code: "record-unknown-key",
        detail: format!("the key {kid} is not among the published keys for records"),
    }
}

/// The public halves (`x`) of the Ed25519 keys of a JSON Web Key Set, except those whose `purpose` is something else.
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

/// How far the match of a record has come.
enum Stage {
    /// It is being played.
    UnderWay,
    /// It was called off, and keeps its secrets.
    CalledOff,
    /// It has ended with a result, and everything is open.
    Whole,
}

impl Stage {
    const fn of(verified: &Verified) -> Self {
        match verified {
            Verified { whole: true, .. } => Self::Whole,
            Verified { called_off: true, .. } => Self::CalledOff,
            _ => Self::UnderWay,
        }
    }
}

/// What a record that holds means: what it is, what it proves, and what it doesn't.
fn told(verified: &Verified, stage: &Stage, kid: &str, published: bool) -> Vec<String> {
    let header = &verified.header;
    let what = if published {
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
    if matches!(stage, Stage::CalledOff) {
        lines.push("The match was called off: it has no result, and what was secret stays closed for good.".to_owned());
    }
    lines.push("Proven:".to_owned());
    lines.extend(proven(verified, stage, kid, published).iter().map(|line| format!("  {line}")));
    lines.push("Not proven:".to_owned());
    lines.extend(not_proven(verified, stage, published).iter().map(|line| format!("  {line}")));
    lines
}

fn proven(verified: &Verified, stage: &Stage, kid: &str, published: bool) -> Vec<String> {
    let Verified { reports, opened, .. } = verified;
    let mut lines = vec![format!(
        "the {reports} public reports are signed as they stand: none was altered, added, left out or moved since"
    )];
    match stage {
        Stage::Whole => lines.extend([
            "every answer was judged again by the rules, and each is true".to_owned(),
            format!("what was ordered in secret is what was committed to at the time ({opened} commitments opened)"),
            "what was left to chance follows from the seed committed to in the header and the players' nonces"
                .to_owned(),
        ]),
        Stage::UnderWay | Stage::CalledOff => {
            lines.push(format!("the secrets in this record are what was committed to ({opened} commitments opened)"));
        }
    }
    if published {
        lines.push(format!("the key {kid} is among the published keys"));
    }
    lines
}

fn not_proven(verified: &Verified, stage: &Stage, published: bool) -> Vec<String> {
    let commitment = &verified.header.chance_commitment;
    let mut lines = Vec::new();
    if !published {
        lines.push("whose key it is: anybody can make a key and sign a record with it".to_owned());
    }
    match stage {
        Stage::UnderWay => lines.push(
            "that the answers are true: the match has not ended with a result, so what is secret stays closed"
                .to_owned(),
        ),
        Stage::CalledOff => {
            lines.push(
                "that the answers were true: the match was called off, so what is secret was never opened".to_owned(),
            );
        }
        Stage::Whole => {}
    }
    lines.push("that the players asked for what the log says: they sign nothing".to_owned());
    lines.push("where the server placed a fleet (`auto`), that the placement was drawn at random".to_owned());
    lines.push(format!(
        "that the commitment to chance was published before the nonces were given: compare {commitment} with what the challenge showed \
         before anybody joined"
    ));
    lines.push("that nobody who runs the service looked at what is secret, or told somebody".to_owned());
    lines.push("who sat behind the accounts".to_owned());
    lines
}

fn text_of(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}
