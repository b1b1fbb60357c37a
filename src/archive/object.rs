//! The content of an archive object: matches, one per line of JSON, each compressed separately, and a last line that
//! signs them.
//!
//! Every line is a member of one gzip file, so a match can be read by its location without the others, and `zcat` shows
//! the whole. The last line has the SHA-256 of all lines before it, signed with a record key; docs/record.md explains
//! how to check it with other tools.
//!
//! A match is stored as it was in the tables: the header of its record, its secrets and its log, but no player names.
//! Names are read from the tables, where they disappear with the account. An object still isn't public: aborted
//! matches stay secret.

use std::io::{Read, Write};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use broadside_rules::record::{Header, PublicKey, Signature};
use broadside_rules::text::Digest as Hex;
use broadside_rules::{RuleSet, Time};
use ed25519_dalek::VerifyingKey;
use flate2::Compression;
use flate2::bufread::GzDecoder;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use uuid::Uuid;

/// The `format` of every line.
const FORMAT: &str = "broadside-archive";
/// The version of the format. A later version may add fields whose defaults mean "as before".
const VERSION: u32 = 1;
/// Longest line in bytes: a hundred times the longest match.
const LONGEST_LINE: u64 = 256 * 1024 * 1024;

/// The location of a match in the archive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Location {
    pub object: Uuid,
    /// Byte offset of its part of the object.
    pub offset: u32,
    /// Length in bytes.
    pub length: u32,
    /// SHA-256 of these bytes.
    pub sha256: [u8; 32],
}

/// A match as stored in an object.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub struct ArchivedMatch {
    /// Always `broadside-archive`.
    pub format: String,
    pub version: u32,
    /// The header of its record: variant, rule set, clock, first players.
    pub header: Header,
    pub record_format: u32,
    /// The public key for checking its record.
    pub record_key: PublicKey,
    /// True if spectators were allowed.
    pub spectators: bool,
    /// The named rule set, if any.
    pub named_rule_set: Option<String>,
    /// The rating pool, if rated.
    pub pool: Option<String>,
    /// The players' ratings at the start, by seat.
    pub ratings: Vec<Option<i32>>,
    /// The contest pairing of the match, if any.
    pub pairing: Option<ArchivedPairing>,
    /// The accounts that hold the seats now, by seat.
    pub seats: Vec<String>,
    /// Former holders of seats.
    pub former: Vec<ArchivedFormer>,
    /// The seed of the match's random draws.
    pub chance_seed: Hex,
    /// The seed of the examples.
    pub example_seed: Hex,
    pub finished_at: Time,
    /// The result; null if the match was aborted.
    pub result: Option<Value>,
    /// The entries of the log, each in hexadecimal.
    pub log: Vec<String>,
}

/// The place of a match in a contest pairing.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
pub struct ArchivedPairing {
    pub id: String,
    /// `ladder` or `tournament`.
    pub kind: String,
    pub contest: String,
    /// The number of the game in the pairing, from 1.
    pub game: u8,
    /// The number of games in the pairing.
    pub games: u8,
}

/// A former holder of a seat.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
pub struct ArchivedFormer {
    /// The seat, from 0.
    pub seat: u8,
    pub player: String,
    pub until: Time,
}

/// The last line of an object, with its signature.
#[derive(Serialize, Deserialize)]
struct Seal {
    format: String,
    version: u32,
    /// The number of matches before it.
    matches: u32,
    /// SHA-256 of all lines before it, including line ends.
    sha256: Hex,
    /// The signature of `broadside archive 1` ‖ the number of matches as four bytes, big endian ‖ the 32 bytes of
    /// `sha256`.
    signature: Signature,
}

fn message(matches: u32, sha256: &[u8; 32]) -> Vec<u8> {
    [format!("broadside archive {VERSION}").as_bytes(), &matches.to_be_bytes(), sha256].concat()
}

impl ArchivedMatch {
    /// The current format and version.
    pub fn tag() -> (String, u32) {
        (FORMAT.to_owned(), VERSION)
    }

    /// The line as JSON with its line end, and its compressed form.
    ///
    /// # Errors
    /// A sentence if it can't be written as JSON, or doesn't read back unchanged.
    pub fn packed(&self) -> Result<PackedMatch, String> {
        let mut line = serde_json::to_vec(self).map_err(|error| error.to_string())?;
        line.push(b'\n');
        let packed = compressed(&line)?;
        // The original is deleted later, so the packed form is read back as readers will read it.
        let read = Self::read(&packed)?;
        if read != *self {
            return Err("it isn't read back as it was written".to_owned());
        }
        Ok(PackedMatch { line, packed })
    }

    /// Reads one match from its part of an object.
    ///
    /// # Errors
    /// A sentence if it is damaged, or in a format unknown to this build.
    pub fn read(packed: &[u8]) -> Result<Self, String> {
        let (line, rest) = decompressed(packed)?;
        if !rest.is_empty() {
            return Err("there is more than a match".to_owned());
        }
        Self::of_line(&line)
    }

    fn of_line(line: &[u8]) -> Result<Self, String> {
        let read: Self = serde_json::from_slice(line).map_err(|error| error.to_string())?;
        match (read.format.as_str(), read.version) {
            (FORMAT, VERSION) => Ok(read),
            (format, version) => Err(format!("it is {format} {version}, which this build doesn't know")),
        }
    }

    /// The rules and the log entries of the match.
    ///
    /// # Errors
    /// A sentence if an entry isn't valid hexadecimal.
    pub fn log(self) -> Result<(RuleSet, Vec<Vec<u8>>), String> {
        let entries = self.log.iter().map(|digits| bytes_of(digits).ok_or("an entry of the log is damaged"));
        Ok((self.header.rule_set, entries.collect::<Result<_, _>>()?))
    }
}

/// A match packed for an object.
pub struct PackedMatch {
    line: Vec<u8>,
    packed: Vec<u8>,
}

impl PackedMatch {
    /// Size in the object, in bytes.
    pub fn size(&self) -> usize {
        self.packed.len()
    }
}

/// Builds an object.
#[derive(Default)]
pub struct Packer {
    bytes: Vec<u8>,
    lines: Sha256,
    matches: u32,
}

impl Packer {
    /// Adds a match and returns its offset, length and SHA-256; `None` if the object is full.
    pub fn add(&mut self, object: Uuid, packed: &PackedMatch) -> Option<Location> {
        let offset = u32::try_from(self.bytes.len()).ok().filter(|offset| *offset < u32::MAX / 4)?;
        let length = u32::try_from(packed.packed.len()).ok().filter(|length| *length < u32::MAX / 4)?;
        self.bytes.extend_from_slice(&packed.packed);
        self.lines.update(&packed.line);
        self.matches += 1;
        Some(Location { object, offset, length, sha256: Sha256::digest(&packed.packed).into() })
    }

    /// The whole object. `sign` signs with the private half of `key`.
    ///
    /// # Errors
    /// A sentence if the last line can't be written.
    pub fn finish(mut self, key: &[u8; 32], sign: impl FnOnce(&[u8]) -> [u8; 64]) -> Result<Vec<u8>, String> {
        let sha256: [u8; 32] = self.lines.finalize().into();
        let value = URL_SAFE_NO_PAD.encode(sign(&message(self.matches, &sha256)));
        let seal = Seal {
            format: FORMAT.to_owned(),
            version: VERSION,
            matches: self.matches,
            sha256: Hex::of(&sha256),
            signature: Signature { key: PublicKey::of(key), value },
        };
        let mut line = serde_json::to_vec(&seal).map_err(|error| error.to_string())?;
        line.push(b'\n');
        self.bytes.extend(compressed(&line)?);
        Ok(self.bytes)
    }
}

/// An object with a verified hash and signature.
pub struct CheckedObject {
    /// The id of the key that signed it.
    pub kid: String,
    pub matches: Vec<(String, Location)>,
}

/// Reads a whole object and checks its hash and its signature.
///
/// # Errors
/// A sentence that locates the damage.
pub fn check(object: Uuid, bytes: &[u8]) -> Result<CheckedObject, String> {
    let (mut rest, mut lines, mut matches, mut seal) = (bytes, Sha256::new(), Vec::new(), None);
    while !rest.is_empty() {
        let offset = bytes.len() - rest.len();
        let (line, behind) = decompressed(rest)?;
        let part = &rest[..rest.len() - behind.len()];
        rest = behind;
        if rest.is_empty() {
            seal = Some(serde_json::from_slice::<Seal>(&line).map_err(|error| format!("its last line: {error}"))?);
            break;
        }
        let read = ArchivedMatch::of_line(&line).map_err(|error| format!("its line {}: {error}", matches.len() + 1))?;
        lines.update(&line);
        let number = |number: usize| u32::try_from(number).map_err(|error| error.to_string());
        let (offset, length) = (number(offset)?, number(part.len())?);
        let location = Location { object, offset, length, sha256: Sha256::digest(part).into() };
        matches.push((read.header.match_id, location));
    }
    let seal = seal.ok_or("it is empty")?;
    let sha256: [u8; 32] = lines.finalize().into();
    if seal.matches as usize != matches.len() || seal.sha256.bytes() != Some(sha256) {
        return Err("its lines are not those that were signed".to_owned());
    }
    let decoded = |text: &str| URL_SAFE_NO_PAD.decode(text).ok();
    let key = decoded(&seal.signature.key.x).and_then(|x| VerifyingKey::from_bytes(&x.try_into().ok()?).ok());
    let value = decoded(&seal.signature.value);
    let value = value.and_then(|value| ed25519_dalek::Signature::from_slice(&value).ok());
    let holds =
        key.zip(value).is_some_and(|(key, value)| key.verify_strict(&message(seal.matches, &sha256), &value).is_ok());
    if !holds {
        return Err("its signature doesn't hold".to_owned());
    }
    Ok(CheckedObject { kid: seal.signature.key.thumbprint(), matches })
}

fn compressed(line: &[u8]) -> Result<Vec<u8>, String> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(line).and_then(|()| encoder.finish()).map_err(|error| error.to_string())
}

/// Decompresses the first gzip member; also returns the bytes after it.
fn decompressed(packed: &[u8]) -> Result<(Vec<u8>, &[u8]), String> {
    let (mut decoder, mut line) = (GzDecoder::new(packed), Vec::new());
    decoder.by_ref().take(LONGEST_LINE + 1).read_to_end(&mut line).map_err(|error| error.to_string())?;
    if line.len() as u64 > LONGEST_LINE {
        return Err("a line is too long".to_owned());
    }
    Ok((line, decoder.into_inner()))
}

/// Bytes in lower-case hexadecimal.
pub fn digits_of(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |value: u8| char::from(DIGITS[usize::from(value & 15)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(*byte)]).collect()
}

fn bytes_of(digits: &str) -> Option<Vec<u8>> {
    let value = |digit: u8| char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok());
    let pairs = digits.as_bytes().chunks(2).map(|pair| match pair {
        [high, low] => Some(value(*high)? << 4 | value(*low)?),
        _ => None,
    });
    pairs.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_read_back() {
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(bytes_of(&digits_of(&all)), Some(all));
        assert_eq!(digits_of(&[0, 10, 255]), "000aff");
        assert_eq!((bytes_of("0"), bytes_of("0g"), bytes_of("")), (None, None, Some(Vec::new())));
    }

    #[test]
    fn members_are_told_apart() {
        let two = [compressed(b"one\n").unwrap(), compressed(b"two\n").unwrap()].concat();
        let (one, rest) = decompressed(&two).unwrap();
        let (other, behind) = decompressed(rest).unwrap();
        assert_eq!((one, other, behind.len()), (b"one\n".to_vec(), b"two\n".to_vec(), 0));
        assert!(decompressed(&two[..10]).is_err());
        assert!(check(Uuid::nil(), &two).is_err() && check(Uuid::nil(), b"").is_err());
    }
}
