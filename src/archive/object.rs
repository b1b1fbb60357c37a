//! What stands in an object of the archive: matches, one to a line of JSON, each compressed by itself, and a last line
//! that signs them.
//!
//! Every line is a member of the gzip file that the object is, so a match is read by its location without the others,
//! and `zcat` shows the whole. The last line has the SHA-256 of all lines before it, and the signature of that by a key
//! that signs records: docs/record.md says how to check it with any other tool.
//!
//! A match stands there as it was stored: the header of its record, its secrets, and its log. No name of a player does:
//! names are read from the tables, where they go when an account goes. An object is not public all the same: matches
//! that were called off stay secret.

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

/// What every line begins with.
const FORMAT: &str = "broadside-archive";
/// The version of the format. A later one may add fields, which have a default that means "as it was before".
const VERSION: u32 = 1;
/// A line is at most so long, in bytes: a hundred times as long as the longest match.
const LONGEST_LINE: u64 = 256 * 1024 * 1024;

/// Where a match is in the archive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Location {
    pub object: Uuid,
    /// Where its part of the object begins, in bytes.
    pub offset: u32,
    /// How many bytes it has.
    pub length: u32,
    /// Their SHA-256.
    pub sha256: [u8; 32],
}

/// A match as it stands in an object.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub struct ArchivedMatch {
    /// Always `broadside-archive`.
    pub format: String,
    /// The version of the format.
    pub version: u32,
    /// What its record begins with: variant, rule set, clock, who sat where.
    pub header: Header,
    pub record_format: u32,
    /// The public half of the key that signs its record.
    pub record_key: PublicKey,
    /// Whether others could watch it while it lasted.
    pub spectators: bool,
    /// The named rule set that it was played by.
    pub named_rule_set: Option<String>,
    /// The pool in which it counted.
    pub pool: Option<String>,
    /// The ratings of the players when it began, by seat.
    pub ratings: Vec<Option<i32>>,
    /// The pairing of a contest that it was a game of, and which.
    pub pairing: Option<ArchivedPairing>,
    /// Who sits where now, by seat: their accounts.
    pub seats: Vec<String>,
    /// Who had a seat before.
    pub former: Vec<ArchivedFormer>,
    /// What chance was drawn from.
    pub chance_seed: Hex,
    /// What examples were drawn from.
    pub example_seed: Hex,
    /// When it was over.
    pub finished_at: Time,
    /// How it ended; null: it was called off.
    pub result: Option<Value>,
    /// The entries of its log, each as hexadecimal digits.
    pub log: Vec<String>,
}

/// Which game of a contest a match was.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
pub struct ArchivedPairing {
    pub id: String,
    /// `ladder` or `tournament`.
    pub kind: String,
    pub contest: String,
    /// Which game of the pairing it was, from 1.
    pub game: u8,
    /// How many there were.
    pub games: u8,
}

/// Who had a seat before somebody else got it.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
pub struct ArchivedFormer {
    /// The seat, from 0.
    pub seat: u8,
    /// The account.
    pub player: String,
    pub until: Time,
}

/// The last line.
#[derive(Serialize, Deserialize)]
struct Seal {
    format: String,
    version: u32,
    /// How many matches stand before it.
    matches: u32,
    /// SHA-256 of all lines before it, each with its end of line.
    sha256: Hex,
    /// The signature of `broadside archive 1` ‖ the number of matches as four bytes, big endian ‖ the 32 bytes of
    /// `sha256`.
    signature: Signature,
}

fn message(matches: u32, sha256: &[u8; 32]) -> Vec<u8> {
    [format!("broadside archive {VERSION}").as_bytes(), &matches.to_be_bytes(), sha256].concat()
}

impl ArchivedMatch {
    /// The tag of the format, for what is written now.
    pub fn tag() -> (String, u32) {
        (FORMAT.to_owned(), VERSION)
    }

    /// The line, with its end, and what stands for it in an object.
    ///
    /// # Errors
    /// A sentence: it can't be written as JSON, or read back as it was.
    pub fn packed(&self) -> Result<PackedMatch, String> {
        let mut line = serde_json::to_vec(self).map_err(|error| error.to_string())?;
        line.push(b'\n');
        let packed = compressed(&line)?;
        // What is deleted must be there, so it is read as it will be read.
        let read = Self::read(&packed)?;
        if read != *self {
            return Err("it isn't read back as it was written".to_owned());
        }
        Ok(PackedMatch { line, packed })
    }

    /// Reads the part of an object that is one match.
    ///
    /// # Errors
    /// A sentence: it is damaged, or of a format that this build doesn't know.
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

    /// Its rules, and the entries of its log.
    ///
    /// # Errors
    /// A sentence: the digits of an entry are none.
    pub fn log(self) -> Result<(RuleSet, Vec<Vec<u8>>), String> {
        let entries = self.log.iter().map(|digits| bytes_of(digits).ok_or("an entry of the log is damaged"));
        Ok((self.header.rule_set, entries.collect::<Result<_, _>>()?))
    }
}

/// A match on its way into an object.
pub struct PackedMatch {
    line: Vec<u8>,
    packed: Vec<u8>,
}

impl PackedMatch {
    /// How many bytes it takes there.
    pub fn size(&self) -> usize {
        self.packed.len()
    }
}

/// An object that is put together.
#[derive(Default)]
pub struct Packer {
    bytes: Vec<u8>,
    lines: Sha256,
    matches: u32,
}

impl Packer {
    /// Adds a match: where it begins, how long it is, and its SHA-256. `None`: the object is full.
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
    /// A sentence: the last line can't be written.
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

/// An object that was read and holds: its hash and its signature are as they must be.
pub struct CheckedObject {
    /// The name of the key that signed it.
    pub kid: String,
    pub matches: Vec<(String, Location)>,
}

/// Reads a whole object, and checks its hash and its signature.
///
/// # Errors
/// A sentence: where it is damaged.
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

/// The first member, decompressed, and what comes behind it.
fn decompressed(packed: &[u8]) -> Result<(Vec<u8>, &[u8]), String> {
    let (mut decoder, mut line) = (GzDecoder::new(packed), Vec::new());
    decoder.by_ref().take(LONGEST_LINE + 1).read_to_end(&mut line).map_err(|error| error.to_string())?;
    if line.len() as u64 > LONGEST_LINE {
        return Err("a line is too long".to_owned());
    }
    Ok((line, decoder.into_inner()))
}

/// Bytes as hexadecimal digits in lower case.
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
