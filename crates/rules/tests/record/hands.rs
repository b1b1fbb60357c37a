//! Helpers for tests of records: a signed record of a game, and alterations of it.
#![allow(dead_code, reason = "each test binary uses its own part of this")]

use broadside_rules::{
    Chance, Clock, Dice, Rest, RestKind, RuleSet, Seat, Setup, Viewer,
    record::{self, Format, Header, HeaderSeat, PublicKey, Record},
    text::Digest,
    variants,
};
use ed25519_dalek::{Signer, SigningKey};
use serde_json::{Value, json};
use sha2::Digest as _;

use crate::support::{Game, START, dice};

pub fn key() -> SigningKey {
    SigningKey::from_bytes(&[7; 32])
}

pub fn header(game: &Game) -> Header {
    let hash = sha2::Sha256::digest(serde_json_canonicalizer::to_vec(&*game.setup.rules).expect("JSON"));
    let id = |n: u8| format!("0193c1a0-0000-7000-8000-00000000000{n}");
    let mut family = variants().iter().filter(|variant| variant.family == game.setup.rules.family());
    let variant = family.clone().find(|variant| variant.rule_set() == *game.setup.rules).or_else(|| family.next());
    Header {
        match_id: id(9),
        variant: variant.map_or("classic", |variant| variant.id).into(),
        rule_set: (*game.setup.rules).clone(),
        rule_set_hash: Digest::of(&hash.into()),
        clock: game.setup.clock,
        rated: false,
        seats: (0..game.setup.seats)
            .map(|seat| HeaderSeat {
                seat: Seat(seat),
                player: id(seat),
                bot: false,
                wish: None,
                nonce: game.nonces[usize::from(seat)].as_ref().map(|nonce| nonce.as_str().into()),
            })
            .collect(),
        chance_commitment: Digest::of(&Chance::commitment(&game.seed)),
        key_id: PublicKey::of(&key().verifying_key().to_bytes()).thumbprint(),
        created_at: START,
    }
}

pub fn record(game: &Game, viewer: Viewer) -> Record {
    record_under(header(game), game, viewer)
}

pub fn record_under(header: Header, game: &Game, viewer: Viewer) -> Record {
    let key = key();
    let public = key.verifying_key().to_bytes();
    let sign = |message: &[u8]| key.sign(message).to_bytes();
    record::assemble(Format::CURRENT, &header, &game.setup, &game.entries(), &game.seed, viewer, &public, sign)
}

pub fn written(record: &Record) -> Value {
    serde_json::to_value(record).expect("JSON")
}

/// Plays by examples, at most this many actions.
pub fn play(game: &mut Game, actions: usize) {
    for _ in 0..actions {
        let Some((seat, decision)) = game.required() else { return };
        game.act(seat, &decision.example()).expect("an example is legal");
    }
}

pub fn rules(id: &str) -> RuleSet {
    broadside_rules::Variant::find(id).expect("a variant").rule_set()
}

/// A match of this variant on clocks that rest at night, played to its end: plans at its opening, with moves, and by
/// themselves.
pub fn rested_match(variant: &str) -> Game {
    let clock = Clock::parse(&json!({"kind": "per-move", "move_s": 86_400, "rests": "standard"})).expect("a clock");
    let mut game = Game::resting(Setup::new(rules(variant), clock), dice(7));
    play(&mut game, 8);
    let seat = game.battle.to_act().iter().next().expect("somebody");
    let rest = Rest { from: game.now, until: game.now.plus_s(500_000), kind: RestKind::Vacation };
    assert_eq!(game.plans(seat, game.now, &[rest], Some(game.now.plus_s(900_000))), 1);
    play(&mut game, usize::MAX);
    game
}

/// Every place in a value, as a JSON Pointer.
pub fn places(value: &Value, at: &str, places: &mut Vec<String>) {
    places.push(at.to_owned());
    match value {
        Value::Object(map) => map.iter().for_each(|(name, value)| self::places(value, &format!("{at}/{name}"), places)),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, value)| self::places(value, &format!("{at}/{index}"), places));
        }
        _ => {}
    }
}

/// Alters one place slightly: another value of the same kind if there is one.
pub fn alter(value: &mut Value, dice: &mut Dice) {
    match value {
        Value::Null => *value = [json!(0), json!("x"), json!(false)][dice.index(3)].clone(),
        Value::Bool(on) => *on = !*on,
        Value::Number(number) => *value = json!(number.as_i64().expect("whole") + [1, -1, 100][dice.index(3)]),
        Value::String(text) => {
            let mut chars: Vec<char> = text.chars().collect();
            let at = dice.index(chars.len());
            match (chars.is_empty(), dice.below(3)) {
                (true, _) => chars.push('x'),
                (_, 0) => drop(chars.remove(at)),
                (_, 1) => chars.insert(at, chars[at]),
                _ => {
                    chars[at] = if chars[at].is_ascii_digit() {
                        (b'0' + (chars[at] as u8 - b'0' + 1) % 10) as char
                    } else {
                        (chars[at] as u8 ^ 1) as char
                    }
                }
            }
            *text = chars.into_iter().collect();
        }
        Value::Array(items) => match (items.len(), dice.below(3)) {
            (0, _) => items.push(json!("x")),
            (n, 0) => drop(items.remove(dice.index(n))),
            (n, 1) => items.push(items[dice.index(n)].clone()),
            (n, _) => {
                let (a, b) = (dice.index(n), dice.index(n));
                items.swap(a, b);
            }
        },
        Value::Object(map) => {
            let names: Vec<String> = map.keys().cloned().collect();
            match (names.is_empty(), dice.below(2)) {
                (false, 0) => drop(map.remove(&names[dice.index(names.len())])),
                _ => drop(map.insert("extra".into(), json!(1))),
            }
        }
    }
}
