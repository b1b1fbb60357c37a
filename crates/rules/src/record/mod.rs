//! The portable record of a match: its public reports, hash-chained and signed, and after the end everything else, so
//! that anybody can judge the whole match again. The fields are described here, their formats in [`Format`]; [`verify`]
//! is the other half. Nothing here knows HTTP or files.
mod compare;
mod format;
mod log_line;
mod replay;
mod strict;
mod text;
mod verify;

use alloc::{string::String, vec::Vec};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

pub use compare::Discrepancy;
pub use format::Format;
pub use log_line::{Adjudicated, LogLine, LogPlan, TimeAdded};
pub use text::text;
pub use verify::{Verified, verify};

use crate::{
    battle::Battle,
    clock::Clock,
    disclose::disclose,
    families::RuleSet,
    log::Entry,
    outcome::Status,
    proof::Chain,
    report::Report,
    schema::tag,
    seat::{Seat, Viewer},
    setup::Setup,
    text::Digest,
    time::Time,
};

/// The most plans in a line, and the most spans of down time or pauses.
const MOST_PLANS: usize = 64;

tag!(
    /// Always `broadside-record`.
    FormatTag = "broadside-record"
);
tag!(
    /// Always `OKP`.
    KtyTag = "OKP"
);
tag!(
    /// Always `Ed25519`.
    CrvTag = "Ed25519"
);

/// What a match is played by, and by whom: fixed before its first report, and the root of the chain.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = RecordHeader))]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// The match.
    #[cfg_attr(feature = "schema", schema(max_length = 36, pattern = "^[0-9a-f-]{36}$"))]
    pub match_id: String,
    /// The variant.
    #[cfg_attr(feature = "schema", schema(max_length = 40, pattern = "^[a-z0-9-]+$"))]
    pub variant: String,
    /// Its rules, whole.
    pub rule_set: RuleSet,
    /// SHA-256 of the canonical JSON (RFC 8785) of the rule set.
    pub rule_set_hash: Digest,
    /// The clock.
    pub clock: Clock,
    /// Does it count for the ratings?
    pub rated: bool,
    /// Who sits where, by seat.
    #[cfg_attr(feature = "schema", schema(min_items = 2, max_items = 7))]
    pub seats: Vec<HeaderSeat>,
    /// SHA-256 of the secret seed of chance, published before anybody could know what it would be mixed with.
    pub chance_commitment: Digest,
    /// The key that signs: the RFC 7638 thumbprint of its public half.
    #[cfg_attr(feature = "schema", schema(max_length = 43, pattern = "^[A-Za-z0-9_-]{43}$"))]
    pub key_id: String,
    /// When the match was made.
    pub created_at: Time,
}

/// A seat of a record's header.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = RecordSeat))]
#[serde(deny_unknown_fields)]
pub struct HeaderSeat {
    /// The seat.
    pub seat: Seat,
    /// The account of the player. (Names may change, and go when an account goes; a record stays.)
    #[cfg_attr(feature = "schema", schema(max_length = 36, pattern = "^[0-9a-f-]{36}$"))]
    pub player: String,
    /// Does a program play?
    pub bot: bool,
    /// The nation that the player wished for.
    #[cfg_attr(feature = "schema", schema(required, max_length = 16, pattern = "^[a-z-]+$"))]
    pub wish: Option<String>,
    /// What the player added to the chance of the match.
    #[cfg_attr(feature = "schema", schema(required, max_length = 64, pattern = "^[\\x20-\\x7e]+$"))]
    pub nonce: Option<String>,
}

/// The record of a match, as one viewer may have it. After the end everybody has the same: the whole.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = MatchRecord))]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// Always `broadside-record`.
    #[cfg_attr(feature = "schema", schema(schema_with = FormatTag::shape))]
    pub format: FormatTag,
    /// The number of the format, which a match keeps.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 1, format = Int32))]
    pub version: u32,
    /// The root of the chain.
    #[cfg_attr(feature = "schema", schema(value_type = Header))]
    pub header: Value,
    /// The public reports, as a spectator gets them; where reports have got new fields since the match was created,
    /// without these.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<Report>, max_items = 100_000))]
    pub reports: Vec<Value>,
    /// The link of the chain behind each report.
    #[cfg_attr(feature = "schema", schema(max_items = 100_000))]
    pub links: Vec<Digest>,
    /// The server's word for the last link.
    pub signature: Signature,
    /// Is everything there? True once the match has ended with a result.
    pub whole: bool,
    /// The secret seed of chance: `null` while it is a secret.
    #[cfg_attr(feature = "schema", schema(required))]
    pub seed: Option<Digest>,
    /// What was asked, with the salts of what was committed to. While the match lasts: only the viewer's own secrets.
    #[cfg_attr(feature = "schema", schema(max_items = 100_000))]
    pub log: Vec<LogLine>,
}

/// The server's signature of a record.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = RecordSignature))]
#[serde(deny_unknown_fields)]
pub struct Signature {
    /// The public key.
    pub key: PublicKey,
    /// Ed25519 signature (RFC 8032) of "broadside record <version>" ‖ number of reports as four bytes, big endian ‖ the
    /// last link; base64url.
    #[cfg_attr(feature = "schema", schema(max_length = 86, pattern = "^[A-Za-z0-9_-]{86}$"))]
    pub value: String,
}

/// A public Ed25519 key as a JSON Web Key (RFC 8037).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = RecordKey))]
#[serde(deny_unknown_fields)]
pub struct PublicKey {
    /// Always `Ed25519`.
    #[cfg_attr(feature = "schema", schema(schema_with = CrvTag::shape))]
    pub crv: CrvTag,
    /// Always `OKP`.
    #[cfg_attr(feature = "schema", schema(schema_with = KtyTag::shape))]
    pub kty: KtyTag,
    /// The 32 bytes in base64url.
    #[cfg_attr(feature = "schema", schema(max_length = 43, pattern = "^[A-Za-z0-9_-]{43}$"))]
    pub x: String,
}

impl PublicKey {
    /// The key of these 32 bytes.
    #[must_use]
    pub fn of(bytes: &[u8; 32]) -> Self {
        Self { crv: CrvTag::Value, kty: KtyTag::Value, x: URL_SAFE_NO_PAD.encode(bytes) }
    }

    /// The RFC 7638 thumbprint.
    #[must_use]
    pub fn thumbprint(&self) -> String {
        let jwk = alloc::format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{}"}}"#, self.x);
        URL_SAFE_NO_PAD.encode(Sha256::digest(jwk))
    }
}

/// The record of a match for one viewer in the match's format, from its log. `sign` signs [`Chain::message`] with the
/// private half of `key`.
#[must_use]
#[allow(clippy::too_many_arguments, reason = "each is one thing that a record is made of")]
pub fn assemble(
    format: Format,
    header: &Header,
    setup: &Setup,
    entries: &[Entry],
    seed: &[u8; 32],
    viewer: Viewer,
    key: &[u8; 32],
    sign: impl FnOnce(&[u8]) -> [u8; 64],
) -> Record {
    let header = format.header(header);
    let mut chain = Chain::from_root(format, &header);
    let mut battle = Battle::new(setup.clone());
    let (mut reports, mut links) = (Vec::new(), Vec::new());
    for entry in entries {
        for event in &entry.events {
            battle.apply(event, entry.at);
            let report =
                disclose(setup, event, Viewer::Spectator).map(|report| report.stamped(chain.length + 1, entry.at));
            if let Some(report) = report {
                let report = format.report(&report);
                chain.add_json(&report);
                links.push(Digest::of(&chain.head));
                reports.push(report);
            }
        }
    }
    let whole = battle.status() == Status::Finished;
    let lines = entries.iter().map(|entry| LogLine::of(setup, entry));
    let own = |line: &LogLine| line.salt.is_some() && line.seat.is_some() && line.seat == viewer.seat();
    Record {
        format: FormatTag::Value,
        version: format.number(),
        header,
        reports,
        links,
        signature: Signature { key: PublicKey::of(key), value: URL_SAFE_NO_PAD.encode(sign(&chain.message())) },
        whole,
        seed: whole.then(|| Digest::of(seed)),
        log: if whole { lines.collect() } else { lines.filter(own).map(LogLine::without_plans).collect() },
    }
}
