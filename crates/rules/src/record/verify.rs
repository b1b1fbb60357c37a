//! Checking a record offline: the signature, the chain, the commitments, the draws, and every answer judged again. Each
//! discrepancy is named. It trusts only the rules in this crate; the caller must know the key's owner.
use alloc::{
    collections::{BTreeMap, VecDeque},
    format,
    string::String,
    vec::Vec,
};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use ed25519_dalek::VerifyingKey;
use serde::Deserialize;
use serde_json::Value;

use super::{
    Format, Header, HeaderSeat, PublicKey, Signature,
    compare::{Discrepancy, differences, field, note, same},
    replay::{read_line, replay},
    strict::Strict,
};
use crate::{
    chance::Nonce,
    families::Variant,
    proof::{Chain, commitment, hash},
    setup::{SeatPreferences, Setup},
    text::Digest,
};

/// No match has more reports, links or actions.
const MOST_ENTRIES: usize = 100_000;
const MOST_DISCREPANCIES: usize = 100;

/// The verified facts of a record.
#[derive(Clone, PartialEq, Debug)]
pub struct Verified {
    /// The format of the record, used to verify it.
    pub format: Format,
    /// The header: the game and its players.
    pub header: Header,
    /// The signing key.
    pub key: PublicKey,
    /// The number of public reports.
    pub reports: usize,
    /// Was the whole match judged again? Otherwise it has not ended, and only its public part was checked.
    pub whole: bool,
    /// Was the match aborted? Then it has no result, and is not whole.
    pub called_off: bool,
    /// The number of opened commitments.
    pub opened: usize,
}

/// A record as read: parts to be compared stay JSON.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Read {
    format: String,
    version: u32,
    header: Value,
    pub reports: Vec<Value>,
    links: Vec<Value>,
    signature: Value,
    whole: bool,
    pub seed: Value,
    pub log: Vec<Value>,
}

/// Checks a record.
///
/// # Errors
/// Every discrepancy. Later ones may only follow from earlier ones: look at the first.
pub fn verify(text: &str) -> Result<Verified, Vec<Discrepancy>> {
    let Strict(value) = serde_json::from_str(text).map_err(|error| {
        let code = if error.is_eof() { "record-truncated" } else { "record-not-json" };
        Vec::from([Discrepancy::new("", code, format!("it cannot be read as JSON: {error}"))])
    })?;
    let read: Read = field(&value, "").map_err(|discrepancy| Vec::from([discrepancy]))?;
    if [read.reports.len(), read.links.len(), read.log.len()].iter().any(|entries| *entries > MOST_ENTRIES) {
        let detail = format!("it has more than {MOST_ENTRIES} entries");
        return Err(Vec::from([Discrepancy::new("", "record-malformed", detail)]));
    }
    let mut discrepancies = Vec::new();
    let format = known_format(&read).map_err(|discrepancy| Vec::from([discrepancy]))?;
    let header = read_header(&read, format, &mut discrepancies);
    let signature = same::<Signature>(&read.signature, "/signature", &mut discrepancies);
    let (Some(header), Some(signature)) = (header, signature) else { return Err(discrepancies) };
    let setup = check_header(&header, &read.header, &mut discrepancies);
    check_chain(&read, format, &header, &signature, &mut discrepancies);
    let Some(setup) = setup else { return Err(discrepancies) };
    let opened = if read.whole {
        replay(&read, format, &header, &setup, &mut discrepancies)
    } else {
        check_open_match(&read, &setup, &mut discrepancies)
    };
    if discrepancies.is_empty() {
        let called_off = read.reports.iter().any(|report| is(report, "aborted"));
        let reports = read.reports.len();
        Ok(Verified { format, header, key: signature.key, reports, whole: read.whole, called_off, opened })
    } else {
        discrepancies.truncate(MOST_DISCREPANCIES);
        Err(discrepancies)
    }
}

/// The format of the record: any known one.
fn known_format(read: &Read) -> Result<Format, Discrepancy> {
    if read.format != "broadside-record" {
        return Err(Discrepancy::new(
            "/format",
            "record-unknown-version",
            "this verifier knows the format broadside-record",
        ));
    }
    Format::known(read.version).ok_or_else(|| {
        let detail = format!("it has version {}; this verifier knows 1 to {}", read.version, Format::CURRENT);
        Discrepancy::new("/version", "record-unknown-version", detail)
    })
}

/// Reads the header, which must be written exactly as its format shows it.
fn read_header(read: &Read, format: Format, discrepancies: &mut Vec<Discrepancy>) -> Option<Header> {
    match field::<Header>(&read.header, "/header") {
        Ok(header) => {
            differences("/header", &format.header(&header), &read.header, discrepancies);
            Some(header)
        }
        Err(discrepancy) => {
            discrepancies.push(discrepancy);
            None
        }
    }
}

/// Checks the header by itself: known rules, their hash, and seats in order.
fn check_header(header: &Header, written: &Value, discrepancies: &mut Vec<Discrepancy>) -> Option<Setup> {
    let known = discrepancies.len();
    match Variant::find(&header.variant) {
        None => {
            let detail = "this verifier does not know the variant";
            note(discrepancies, "/header/variant", "record-unknown-variant", detail);
        }
        Some(variant) if variant.family != header.rule_set.family() => {
            note(discrepancies, "/header/variant", "record-malformed", "the rule set is of another family");
        }
        // A rated match may be played by a named rule set; a record doesn't say which ones the server has.
        Some(_) => {}
    }
    if Digest::of(&hash(&[], &written["rule_set"])) != header.rule_set_hash {
        note(discrepancies, "/header/rule_set_hash", "record-altered", "it is not the hash of the rule set");
    }
    let (least, most) = header.rule_set.seats();
    let in_order = header.seats.iter().enumerate().all(|(index, seat)| seat.seat.index() == index);
    if !(usize::from(least)..=usize::from(most)).contains(&header.seats.len()) || !in_order {
        note(
            discrepancies,
            "/header/seats",
            "record-malformed",
            format!("there are {least} to {most} seats, in order"),
        );
        // Comparing all pairs would be slow for a forged record with thousands.
        return None;
    }
    for (index, seat) in header.seats.iter().enumerate() {
        let twice = |other: &&HeaderSeat| other.player == seat.player || seat.wish.is_some() && other.wish == seat.wish;
        if header.seats[..index].iter().any(|other| twice(&other)) {
            let detail = "no player sits twice, and no two have one nation";
            note(discrepancies, format!("/header/seats/{index}"), "record-malformed", detail);
        }
    }
    let mut preferences = SeatPreferences::default();
    for (index, seat) in header.seats.iter().enumerate().take(preferences.len()) {
        if seat.nonce.as_ref().is_some_and(|nonce| Nonce::new(nonce).is_none()) {
            let detail = "a nonce is 1 to 64 printable ASCII characters";
            note(discrepancies, format!("/header/seats/{index}/nonce"), "record-malformed", detail);
        }
        if let Some(wish) = &seat.wish {
            let number = header.rule_set.seat_names().iter().position(|name| name == wish);
            preferences[index] = number.map(|number| number as u8);
            if number.is_none() {
                let detail = "no such nation in this game";
                note(discrepancies, format!("/header/seats/{index}/wish"), "record-malformed", detail);
            }
        }
    }
    (discrepancies.len() == known).then(|| {
        let mut setup = Setup::new(header.rule_set.clone(), header.clock);
        setup.seats = header.seats.len() as u8;
        setup.preferences = preferences;
        setup
    })
}

/// Checks the chain over header and reports, and its signature.
fn check_chain(
    read: &Read,
    format: Format,
    header: &Header,
    signature: &Signature,
    discrepancies: &mut Vec<Discrepancy>,
) {
    let mut chain = Chain::from_root(format, &read.header);
    if read.links.len() != read.reports.len() {
        note(discrepancies, "/links", "record-altered", "there is one link for each report");
    }
    let mut fits = Vec::with_capacity(read.reports.len());
    for (report, link) in read.reports.iter().zip(&read.links) {
        chain.add_json(report);
        fits.push(link.as_str() == Some(Digest::of(&chain.head).as_str()));
    }
    // If the chain comes together again, only the links before were altered; if it does not, the reports were.
    let together = fits.iter().rposition(|fits| *fits).map_or(0, |last| last + 1);
    for (index, _) in fits[..together].iter().enumerate().filter(|(_, fits)| !**fits) {
        note(discrepancies, format!("/links/{index}"), "record-altered", "it is not the hash that stands here");
    }
    if together < fits.len() {
        let detail = format!("the chain of {together} good links breaks here");
        note(discrepancies, format!("/reports/{together}"), "record-chain-broken", detail);
        if together == 0 {
            note(discrepancies, "/header", "record-chain-broken", "or the header is not what it was");
        }
        if together + 1 == fits.len() {
            note(discrepancies, format!("/links/{together}"), "record-chain-broken", "or the last link is another");
        }
    }
    if signature.key.thumbprint() != header.key_id {
        let detail = "it is not the key that the header names";
        note(discrepancies, "/signature/key/x", "record-wrong-key", detail);
    }
    let bytes = |text: &str| URL_SAFE_NO_PAD.decode(text).ok();
    let key = bytes(&signature.key.x).and_then(|key| VerifyingKey::from_bytes(&key.try_into().ok()?).ok());
    let value = bytes(&signature.value).and_then(|value| ed25519_dalek::Signature::from_slice(&value).ok());
    let good = match (key, value) {
        (Some(key), Some(value)) => key.verify_strict(&chain.message(), &value).is_ok(),
        _ => false,
    };
    if !good {
        let detail = "the signature does not fit: it, the header or a report was altered, or reports are missing";
        note(discrepancies, "/signature/value", "record-wrong-signature", detail);
    }
}

fn is(report: &Value, kind: &str) -> bool {
    report.get("type").and_then(Value::as_str) == Some(kind)
}

/// Checks a match without a result: the viewer's own secrets must fit their commitments, and nothing else may be shown.
fn check_open_match(read: &Read, setup: &Setup, discrepancies: &mut Vec<Discrepancy>) -> usize {
    if read.reports.iter().any(|report| is(report, "finished")) {
        note(discrepancies, "/whole", "record-altered", "the match has ended: its record is whole");
    }
    if let Some(at) = read.reports.iter().position(|report| is(report, "aborted")) {
        if at + 1 < read.reports.len() {
            let detail = "nothing happens in a match that was called off";
            note(discrepancies, format!("/reports/{}", at + 1), "record-altered", detail);
        }
        // A match can be aborted from outside whatever was played.
        let adjudicated = at > 0 && is(&read.reports[at - 1], "adjudicated");
        let fired = |report: &Value| setup.rules.battle_reports().iter().any(|kind| is(report, kind));
        if let Some(first) = read.reports.iter().position(fired).filter(|_| !adjudicated) {
            let detail = "a match cannot be called off any more when the battle has begun like this";
            note(discrepancies, format!("/reports/{first}"), "record-altered", detail);
        }
    }
    if !read.seed.is_null() {
        note(discrepancies, "/seed", "record-altered", "the seed is a secret until the match has ended");
    }
    let mut opened = 0;
    // By seat, in order: a record may have thousands.
    let mut seals: BTreeMap<Option<u64>, VecDeque<&Value>> = BTreeMap::new();
    for seal in read.reports.iter().filter(|report| is(report, "sealed")) {
        seals.entry(seal.get("seat").and_then(Value::as_u64)).or_default().push_back(seal);
    }
    let mut owner = None;
    for (index, line) in read.log.iter().enumerate() {
        let at = format!("/log/{index}");
        let Some((line, action)) = read_line(line, setup, &at, discrepancies) else { continue };
        let salt = line.salt.and_then(|salt| salt.bytes()).filter(|_| line.is_plain());
        let (Some(seat), Some(action), Some(salt)) = (line.seat, action, salt) else {
            note(discrepancies, at, "record-altered", "only the viewer's own secrets belong here");
            continue;
        };
        if owner.replace(seat).is_some_and(|other| other != seat) {
            note(discrepancies, format!("{at}/seat"), "record-altered", "only one seat's secrets belong here");
        }
        let own = seals.get_mut(&Some(seat.0.into())).and_then(VecDeque::pop_front);
        let expected = Value::from(Digest::of(&commitment(&salt, &action)).as_str());
        let fits = own.is_some_and(|seal| {
            seal.get("commitment") == Some(&expected) && seal.get("at") == serde_json::to_value(line.at).ok().as_ref()
        });
        if fits {
            opened += 1;
        } else {
            note(discrepancies, at, "record-commitment-broken", "this is not what was committed to then");
        }
    }
    let left = owner.and_then(|owner| seals.get(&Some(owner.0.into())));
    if left.is_some_and(|left| !left.is_empty()) {
        note(discrepancies, "/log", "record-altered", "a secret that was committed to is missing");
    }
    opened
}
