//! Checking a record offline: the signature, the chain, the commitments, the draws, and every answer judged again. Each place that
//! does not fit is named. It trusts nothing but the rules in this crate; whose key it is, is for the caller to know.
use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};
use core::fmt;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use ed25519_dalek::VerifyingKey;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::{Header, LogLine, PublicKey, Signature, VERSION, strict::Strict};
use crate::{
    action::Action,
    battle::Battle,
    chance::{Chance, Nonce},
    dice::Dice,
    disclose::disclose,
    event::{Event, TableEvent},
    families::Variant,
    legal::legal,
    outcome::Status,
    proof::{Chain, commitment, hash},
    seat::{Seat, Viewer},
    setup::{Setup, Wishes},
    text::Digest,
    time::Time,
    view::View,
};

/// One thing in a record that does not fit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wrong {
    /// JSON Pointer (RFC 6901) to it; empty for the whole.
    pub pointer: String,
    /// A stable kebab-case code.
    pub code: &'static str,
    /// What does not fit, in English, for people.
    pub detail: String,
}

impl Wrong {
    fn new(pointer: impl Into<String>, code: &'static str, detail: impl Into<String>) -> Self {
        Self { pointer: pointer.into(), code, detail: detail.into() }
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = if self.pointer.is_empty() { "the record" } else { &self.pointer };
        write!(f, "at {at}: {} ({})", self.detail, self.code)
    }
}

/// What a record has been shown to be.
#[derive(Clone, PartialEq, Debug)]
pub struct Verified {
    /// What was played, and by whom.
    pub header: Header,
    /// The key that signed it.
    pub key: PublicKey,
    /// How many public reports it holds.
    pub reports: usize,
    /// Was the whole match judged again? Else it has not ended, and only what is public yet was checked.
    pub whole: bool,
    /// How many commitments were opened.
    pub opened: usize,
}

/// A record as it is read: what has to be compared stays JSON.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Read {
    format: String,
    version: u32,
    header: Value,
    reports: Vec<Value>,
    links: Vec<Value>,
    signature: Value,
    whole: bool,
    seed: Value,
    log: Vec<Value>,
}

/// A line of the log as it is read.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadLine {
    at: Time,
    seat: Option<Seat>,
    action: Value,
    salt: Option<Digest>,
}

/// Checks a record.
///
/// # Errors
/// Every place that does not fit. Later places may be wrong only because of earlier ones: the first is the one to look at.
pub fn verify(text: &str) -> Result<Verified, Vec<Wrong>> {
    let Strict(value) = serde_json::from_str(text).map_err(|error| {
        let code = if error.is_eof() { "record-truncated" } else { "record-not-json" };
        Vec::from([Wrong::new("", code, format!("it cannot be read as JSON: {error}"))])
    })?;
    let read: Read = field(&value, "").map_err(|wrong| Vec::from([wrong]))?;
    let mut wrongs = Vec::new();
    if read.format != "broadside-record" || read.version != VERSION {
        let at = if read.version == VERSION { "/format" } else { "/version" };
        wrongs.push(Wrong::new(at, "record-unknown-version", "this verifier knows broadside-record 1"));
        return Err(wrongs);
    }
    let header = same::<Header>(&read.header, "/header", &mut wrongs);
    let signature = same::<Signature>(&read.signature, "/signature", &mut wrongs);
    let (Some(header), Some(signature)) = (header, signature) else { return Err(wrongs) };
    let setup = check_header(&header, &mut wrongs);
    check_chain(&read, &header, &signature, &mut wrongs);
    let Some(setup) = setup else { return Err(wrongs) };
    let opened = if read.whole {
        judge_again(&read, &header, &setup, &mut wrongs)
    } else {
        check_open_match(&read, &setup, &mut wrongs)
    };
    if wrongs.is_empty() {
        Ok(Verified { header, key: signature.key, reports: read.reports.len(), whole: read.whole, opened })
    } else {
        Err(wrongs)
    }
}

fn field<T: DeserializeOwned>(value: &Value, pointer: &str) -> Result<T, Wrong> {
    T::deserialize(value).map_err(|error| Wrong::new(pointer, "record-malformed", error.to_string()))
}

/// Reads a part, which must be written back just as it stands: no other spelling of the same.
fn same<T: DeserializeOwned + Serialize>(value: &Value, pointer: &str, wrongs: &mut Vec<Wrong>) -> Option<T> {
    match field::<T>(value, pointer) {
        Err(wrong) => {
            wrongs.push(wrong);
            None
        }
        Ok(read) => {
            let again = serde_json::to_value(&read).unwrap_or_default();
            differences(pointer, &again, value, wrongs);
            Some(read)
        }
    }
}

/// Names the first places in which a part differs from what it should be.
fn differences(pointer: &str, expected: &Value, found: &Value, wrongs: &mut Vec<Wrong>) {
    match (expected, found) {
        (Value::Object(expected), Value::Object(found)) => {
            for (name, value) in expected {
                let at = crate::read::pointer(pointer, name);
                match found.get(name) {
                    Some(other) => differences(&at, value, other, wrongs),
                    None => wrongs.push(Wrong::new(at, "record-altered", "it is missing")),
                }
            }
            for name in found.keys().filter(|name| !expected.contains_key(*name)) {
                wrongs.push(Wrong::new(
                    crate::read::pointer(pointer, name),
                    "record-altered",
                    "it should not be there",
                ));
            }
        }
        (Value::Array(expected), Value::Array(found)) if expected.len() == found.len() => {
            for (index, (value, other)) in expected.iter().zip(found).enumerate() {
                differences(&format!("{pointer}/{index}"), value, other, wrongs);
            }
        }
        _ if expected == found => {}
        _ => {
            let detail = format!("it should be {}", short(expected));
            wrongs.push(Wrong::new(pointer, "record-altered", detail));
        }
    }
}

fn short(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= 80 { text } else { text.chars().take(79).chain(['…']).collect() }
}

/// The header by itself: known rules, their hash, and seats in order.
fn check_header(header: &Header, wrongs: &mut Vec<Wrong>) -> Option<Setup> {
    let known = wrongs.len();
    if Variant::find(&header.variant).is_none() {
        wrongs.push(Wrong::new("/header/variant", "record-unknown-variant", "this verifier does not know the variant"));
    }
    if Digest::of(&hash(&[], &header.rule_set)) != header.rule_set_hash {
        wrongs.push(Wrong::new("/header/rule_set_hash", "record-altered", "it is not the hash of the rule set"));
    }
    let (least, most) = header.rule_set.seats();
    let in_order = header.seats.iter().enumerate().all(|(index, seat)| seat.seat.index() == index);
    if !(usize::from(least)..=usize::from(most)).contains(&header.seats.len()) || !in_order {
        wrongs.push(Wrong::new(
            "/header/seats",
            "record-malformed",
            format!("there are {least} to {most} seats, in order"),
        ));
    }
    let mut wishes = Wishes::default();
    for (index, seat) in header.seats.iter().enumerate().take(wishes.len()) {
        if seat.nonce.as_ref().is_some_and(|nonce| Nonce::new(nonce).is_none()) {
            let detail = "a nonce is 1 to 64 printable ASCII characters";
            wrongs.push(Wrong::new(format!("/header/seats/{index}/nonce"), "record-malformed", detail));
        }
        if let Some(wish) = &seat.wish {
            let number = header.rule_set.wishes().iter().position(|name| name == wish);
            wishes[index] = number.map(|number| number as u8);
            if number.is_none() {
                let detail = "no such nation in this game";
                wrongs.push(Wrong::new(format!("/header/seats/{index}/wish"), "record-malformed", detail));
            }
        }
    }
    (wrongs.len() == known).then(|| {
        let mut setup = Setup::new(header.rule_set.clone(), header.clock);
        setup.seats = header.seats.len() as u8;
        setup.wishes = wishes;
        setup
    })
}

/// The chain over header and reports, and the signature under it.
fn check_chain(read: &Read, header: &Header, signature: &Signature, wrongs: &mut Vec<Wrong>) {
    let mut chain = Chain::new(header);
    if read.links.len() != read.reports.len() {
        wrongs.push(Wrong::new("/links", "record-altered", "there is one link for each report"));
    }
    let mut fits = Vec::with_capacity(read.reports.len());
    for (report, link) in read.reports.iter().zip(&read.links) {
        chain.add_json(report);
        fits.push(*link == Value::from(Digest::of(&chain.head).as_str()));
    }
    // Where the chain comes together again, the links before were altered and nothing else; from where it does not, the reports.
    let together = fits.iter().rposition(|fits| *fits).map_or(0, |last| last + 1);
    for (index, _) in fits[..together].iter().enumerate().filter(|(_, fits)| !**fits) {
        wrongs.push(Wrong::new(format!("/links/{index}"), "record-altered", "it is not the hash that stands here"));
    }
    if together < fits.len() {
        let detail = format!("the chain of {together} good links breaks here");
        wrongs.push(Wrong::new(format!("/reports/{together}"), "record-chain-broken", detail));
        if together == 0 {
            wrongs.push(Wrong::new("/header", "record-chain-broken", "or the header is not what it was"));
        }
        if together + 1 == fits.len() {
            wrongs.push(Wrong::new(format!("/links/{together}"), "record-chain-broken", "or the last link is another"));
        }
    }
    if signature.key.thumbprint() != header.key_id {
        let detail = "it is not the key that the header names";
        wrongs.push(Wrong::new("/signature/key/x", "record-wrong-key", detail));
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
        wrongs.push(Wrong::new("/signature/value", "record-wrong-signature", detail));
    }
}

/// A match that has not ended with a result: its viewer's own secrets must be what was committed to, and nothing else be shown.
fn check_open_match(read: &Read, setup: &Setup, wrongs: &mut Vec<Wrong>) -> usize {
    let is = |report: &Value, kind: &str| report.get("type").and_then(Value::as_str) == Some(kind);
    if read.reports.iter().any(|report| is(report, "finished")) {
        wrongs.push(Wrong::new("/whole", "record-altered", "the match has ended: its record is whole"));
    }
    if !read.seed.is_null() {
        wrongs.push(Wrong::new("/seed", "record-altered", "the seed is a secret until the match has ended"));
    }
    let mut opened = 0;
    let mut seals: Vec<&Value> = read.reports.iter().filter(|report| is(report, "sealed")).collect();
    let mut owner = None;
    for (index, line) in read.log.iter().enumerate() {
        let at = format!("/log/{index}");
        let Some((line, action)) = read_line(line, setup, &at, wrongs) else { continue };
        let (Some(seat), Some(action), Some(salt)) = (line.seat, action, line.salt.and_then(|salt| salt.bytes()))
        else {
            wrongs.push(Wrong::new(at, "record-altered", "only the viewer's own secrets belong here"));
            continue;
        };
        if owner.replace(seat).is_some_and(|other| other != seat) {
            wrongs.push(Wrong::new(format!("{at}/seat"), "record-altered", "only one seat's secrets belong here"));
        }
        let own = seals.iter().position(|seal| seal.get("seat") == Some(&Value::from(seat.0)));
        let expected = Value::from(Digest::of(&commitment(&salt, &action)).as_str());
        let fits = own.map(|own| seals.remove(own)).is_some_and(|seal| {
            seal.get("commitment") == Some(&expected) && seal.get("at") == serde_json::to_value(line.at).ok().as_ref()
        });
        if fits {
            opened += 1;
        } else {
            wrongs.push(Wrong::new(at, "record-commitment-broken", "this is not what was committed to then"));
        }
    }
    let left = seals.iter().any(|seal| owner.is_some_and(|owner| seal.get("seat") == Some(&Value::from(owner.0))));
    if left {
        wrongs.push(Wrong::new("/log", "record-altered", "a secret that was committed to is missing"));
    }
    opened
}

fn read_line(value: &Value, setup: &Setup, at: &str, wrongs: &mut Vec<Wrong>) -> Option<(ReadLine, Option<Action>)> {
    let line: ReadLine = match field(value, at) {
        Ok(line) => line,
        Err(wrong) => {
            wrongs.push(wrong);
            return None;
        }
    };
    let action = if line.action.is_null() {
        None
    } else {
        match Action::parse(setup, &line.action) {
            Ok(action) => Some(action),
            Err(illegal) => {
                let place = illegal.faults.first().map_or("", |fault| &fault.pointer);
                wrongs.push(Wrong::new(format!("{at}/action{place}"), illegal.code, illegal.detail.clone()));
                return None;
            }
        }
    };
    if line.salt.is_some_and(|salt| salt.bytes().is_none()) {
        wrongs.push(Wrong::new(format!("{at}/salt"), "record-malformed", "a salt is 64 hexadecimal digits"));
        return None;
    }
    let again = LogLine { at: line.at, seat: line.seat, action: action.clone(), salt: line.salt };
    let known = wrongs.len();
    differences(at, &serde_json::to_value(&again).unwrap_or_default(), value, wrongs);
    (wrongs.len() == known).then_some((line, action))
}

/// The match judged again from its log.
struct Again<'r> {
    setup: &'r Setup,
    battle: Battle,
    chance: Chance,
    views: Vec<View>,
    /// How many public reports there are by now.
    told: usize,
    opened: usize,
}

fn judge_again(read: &Read, header: &Header, setup: &Setup, wrongs: &mut Vec<Wrong>) -> usize {
    let seed = read.seed.as_str().and_then(Digest::new).and_then(|seed| seed.bytes());
    let Some(seed) = seed.filter(|seed| Digest::of(&Chance::commitment(seed)) == header.chance_commitment) else {
        wrongs.push(Wrong::new("/seed", "record-commitment-broken", "it is not the seed that was committed to"));
        return 0;
    };
    let nonces: Vec<Option<Nonce>> =
        header.seats.iter().map(|seat| seat.nonce.as_deref().and_then(Nonce::new)).collect();
    let viewers = (0..setup.seats).map(|seat| Viewer::Seat(Seat(seat))).chain([Viewer::Spectator]);
    let mut again = Again {
        setup,
        battle: Battle::new(setup.clone()),
        chance: Chance::new(&seed, &nonces),
        views: viewers.map(|viewer| View::new(setup, viewer)).collect(),
        told: 0,
        opened: 0,
    };
    for (index, line) in read.log.iter().enumerate() {
        let at = format!("/log/{index}");
        let known = wrongs.len();
        if let Some((line, action)) = read_line(line, setup, &at, wrongs) {
            again.play(index, &line, action.as_ref(), &read.reports, &at, wrongs);
        }
        // What follows cannot be judged on a wrong footing.
        if wrongs.len() > known {
            return again.opened;
        }
    }
    if again.told < read.reports.len() {
        let detail = "the log does not bring this report about";
        wrongs.push(Wrong::new(format!("/reports/{}", again.told), "record-altered", detail));
    }
    if again.battle.status() != Status::Finished {
        wrongs.push(Wrong::new("/log", "record-altered", "the match does not end with its last line"));
    }
    again.opened
}

impl Again<'_> {
    /// Judges one line again, and compares what it brings about with the reports.
    fn play(
        &mut self,
        index: usize,
        line: &ReadLine,
        action: Option<&Action>,
        reports: &[Value],
        at: &str,
        wrongs: &mut Vec<Wrong>,
    ) {
        let events = match (line.seat, action) {
            (None, None) if index == 0 => Battle::open(self.setup, &self.chance),
            (None, None) => self.battle.expire(line.at),
            (Some(seat), Some(action)) if index > 0 => {
                let Some(view) = self.views.get(seat.index()).filter(|_| seat.0 < self.setup.seats) else {
                    wrongs.push(Wrong::new(format!("{at}/seat"), "record-altered", "there is no such seat"));
                    return;
                };
                if let Err(illegal) = legal(view, action) {
                    wrongs.push(Wrong::new(format!("{at}/action"), illegal.code, illegal.detail));
                    return;
                }
                // The dice place fleets only for those who leave it to them; a log has the places themselves.
                let mut dice = Dice::from_seed([0; 32]);
                self.battle.decide(seat, action, &mut dice, &self.chance)
            }
            _ => Vec::new(),
        };
        if events.is_empty() {
            wrongs.push(Wrong::new(at, "record-altered", "nothing could come of this line here"));
            return;
        }
        // The same asked in other words (ships in another order) is not what was committed to.
        if let (Some((_, asked)), Some(action)) = (events.first().and_then(|event| event.asked(self.setup)), action) {
            let [asked, action] = [&asked, action].map(|action| serde_json::to_value(action).unwrap_or_default());
            differences(&format!("{at}/action"), &asked, &action, wrongs);
        }
        let known = wrongs.len();
        let secrets = events.iter().filter(|event| event.is_secret()).count();
        let salt = line.salt.and_then(|salt| salt.bytes());
        if secrets != usize::from(salt.is_some()) {
            let detail =
                if salt.is_some() { "there is no secret to it" } else { "the salt of its commitment is missing" };
            wrongs.push(Wrong::new(format!("{at}/salt"), "record-altered", detail));
            return;
        }
        for event in events {
            let secret = event.is_secret();
            let asked = if secret { event.asked(self.setup) } else { None };
            self.tell(&event, line.at, reports, at, wrongs);
            if let (Some((seat, action)), Some(salt)) = (asked, salt) {
                let commitment = commitment(&salt, &action);
                let known = wrongs.len();
                self.tell(&TableEvent::Sealed { seat, commitment, salt }.into(), line.at, reports, at, wrongs);
                if wrongs.len() > known {
                    wrongs.push(Wrong::new(at, "record-commitment-broken", "this is not what was committed to then"));
                } else {
                    self.opened += 1;
                }
            }
        }
        if wrongs.len() > known {
            wrongs.push(Wrong::new(at, "record-altered", "what comes of this line is not what was reported"));
        }
    }

    fn tell(&mut self, event: &Event, time: Time, reports: &[Value], at: &str, wrongs: &mut Vec<Wrong>) {
        self.battle.apply(event, time);
        for view in &mut self.views {
            let Some(report) = disclose(self.setup, event, view.viewer()) else { continue };
            let report = report.stamped(view.version() + 1, time);
            view.learn(&report, time);
            if view.viewer() != Viewer::Spectator {
                continue;
            }
            let expected = serde_json::to_value(&report).unwrap_or_default();
            match reports.get(self.told) {
                Some(found) => differences(&format!("/reports/{}", self.told), &expected, found, wrongs),
                None => wrongs.push(Wrong::new(at, "record-altered", "the report of this line is missing")),
            }
            self.told += 1;
        }
    }
}
