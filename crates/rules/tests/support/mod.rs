//! A match in memory, as the service would run it: the battle, the log, and every viewer's view folded from their
//! reports.
#![allow(dead_code, reason = "each test binary uses its own part of this")]

mod calendar;
mod navies;
mod random;
pub mod shapes;

use broadside_rules::{
    Action, Battle, Chance, Clock, Dice, DownTime, Entry, Event, Illegal, Nonce, Report, RuleSet, Seat, Setup, Status,
    Time, Variant, View, Viewer, decision::Decision, disclose, legal, text::Label,
};
use calendar::{Calendar, five_nights};
#[allow(unused_imports, reason = "each test binary uses its own part of this")]
pub use navies::random_salvos;
#[allow(unused_imports, reason = "each test binary uses its own part of this")]
pub use random::{customised, random_changes, random_depths, random_mix, random_rules};
use serde_json::{Value, json};

/// The viewers of a match for two.
pub const VIEWERS: [Viewer; 3] = [Viewer::Seat(Seat(0)), Viewer::Seat(Seat(1)), Viewer::Spectator];
pub const START: Time = Time(1_763_700_000_000);
pub const EXAMPLE_SEED: [u8; 32] = *b"a seed for the examples of tests";

pub struct Game {
    pub setup: Setup,
    pub battle: Battle,
    pub views: Vec<View>,
    pub reports: Vec<Vec<Report>>,
    pub log: Vec<Vec<u8>>,
    pub now: Time,
    pub dice: Dice,
    /// The secret seed of chance, and the players' nonces.
    pub seed: [u8; 32],
    pub nonces: Vec<Option<Nonce>>,
    /// The source of the players' rests, asked whenever the known ones no longer suffice.
    pub calendar: Option<Calendar>,
    /// The time between two entries, in seconds.
    pub pace_s: u32,
}

/// All viewers of a match: the seats, then a spectator.
pub fn viewers(seats: u8) -> impl Iterator<Item = Viewer> {
    (0..seats).map(|seat| Viewer::Seat(Seat(seat))).chain([Viewer::Spectator])
}

impl Game {
    pub fn open(setup: Setup, dice: Dice) -> Self {
        let nonces = vec![None; usize::from(setup.seats)];
        Self::open_with(setup, dice, nonces)
    }

    pub fn open_with(setup: Setup, dice: Dice, nonces: Vec<Option<Nonce>>) -> Self {
        Self::begin(setup, dice, nonces, None)
    }

    /// A match whose players rest at night, nine hours each.
    pub fn resting(setup: Setup, dice: Dice) -> Self {
        let nonces = vec![None; usize::from(setup.seats)];
        Self::begin(setup, dice, nonces, Some(five_nights))
    }

    fn begin(setup: Setup, mut dice: Dice, nonces: Vec<Option<Nonce>>, calendar: Option<Calendar>) -> Self {
        let seed = dice.bytes();
        let mut game = Self::before(setup, dice, seed, nonces);
        if calendar.is_some() {
            // So that nights pass, and more of them have to be planned.
            (game.calendar, game.pace_s) = (calendar, 20_000);
        }
        let mut events = Battle::open(&game.setup, &game.chance());
        if let Some(calendar) = calendar {
            let after = game.after(&events);
            for seat in (0..game.setup.seats).map(Seat) {
                let (rests, until) = calendar(seat, game.now);
                events.extend(after.plan_rests(seat, game.now, &rests, Some(until), game.now));
            }
        }
        game.take(None, &events);
        game
    }

    fn before(setup: Setup, dice: Dice, seed: [u8; 32], nonces: Vec<Option<Nonce>>) -> Self {
        Self {
            battle: Battle::new(setup.clone()),
            views: viewers(setup.seats).map(|viewer| View::new(&setup, viewer)).collect(),
            reports: viewers(setup.seats).map(|_| Vec::new()).collect(),
            log: Vec::new(),
            now: START,
            dice,
            seed,
            nonces,
            calendar: None,
            pace_s: 1,
            setup,
        }
    }

    pub fn chance(&self) -> Chance {
        Chance::new(&self.seed, &self.nonces)
    }

    pub fn spectator(&self) -> &View {
        self.views.last().expect("a spectator")
    }

    /// The log as entries.
    pub fn entries(&self) -> Vec<Entry> {
        self.log.iter().map(|bytes| Entry::from_bytes(bytes).expect("a log entry reads back")).collect()
    }

    /// A match of this variant, without clocks.
    pub fn of(variant: &str, seed: u64) -> Self {
        Self::with(Variant::find(variant).expect("a variant").rule_set(), Clock::none(), seed)
    }

    pub fn with(rules: RuleSet, clock: Clock, seed: u64) -> Self {
        Self::open(Setup::new(rules, clock), dice(seed))
    }

    pub fn view(&self, seat: Seat) -> &View {
        &self.views[seat.index()]
    }

    pub fn act(&mut self, seat: Seat, action: &Action) -> Result<Vec<Event>, Illegal> {
        legal(self.view(seat), action)?;
        let chance = self.chance();
        let events = self.battle.decide(seat, action, &mut self.dice, &chance);
        assert!(!events.is_empty(), "a legal action brings something about");
        #[cfg(feature = "proof")]
        let events = broadside_rules::proof::seal(&self.setup, events, &mut self.dice);
        let events = self.with_plans(events);
        self.take(Some(seat), &events);
        Ok(events)
    }

    /// Plays an action given as JSON.
    pub fn play(&mut self, seat: Seat, action: &Value) -> Result<Vec<Event>, Illegal> {
        let action = Action::parse(&self.setup, action)?;
        self.act(seat, &action)
    }

    pub fn fire(&mut self, seat: Seat, cells: &[&str]) -> Result<Vec<Event>, Illegal> {
        self.play(seat, &json!({"type": "fire", "cells": cells}))
    }

    /// Ends the match from outside: with a winner, with none, or (`None`) without a result. Returns the number of
    /// events.
    pub fn adjudicate(&mut self, result: Option<Option<Seat>>) -> usize {
        let events = match result {
            Some(winner) => self.battle.adjudicate(winner),
            None => self.battle.adjudicate_without_result(),
        };
        if !events.is_empty() {
            self.take(None, &events);
        }
        events.len()
    }

    /// Reports down times to the match. Returns the number that moved a deadline.
    pub fn was_down(&mut self, spans: &[DownTime]) -> usize {
        let events = self.battle.rest_clocks(spans, self.now);
        if !events.is_empty() {
            let events = self.with_plans(events.clone());
            self.take(None, &events);
        }
        events.len()
    }

    /// Applies events from outside.
    pub fn takes(&mut self, events: &[Event]) {
        if !events.is_empty() {
            let events = self.with_plans(events.to_vec());
            self.take(None, &events);
        }
    }

    /// Applies an event that the rules would not allow.
    pub fn force(&mut self, event: Event) {
        self.take(None, &[event]);
    }

    pub fn expire(&mut self) -> Vec<Event> {
        let events = self.battle.expire(self.now);
        if !events.is_empty() {
            let events = self.with_plans(events.clone());
            self.take(None, &events);
        }
        events
    }

    fn take(&mut self, seat: Option<Seat>, events: &[Event]) {
        let entry = Entry { at: self.now, seat, events: events.to_vec() };
        self.log.push(entry.to_bytes());
        for event in events {
            self.battle.apply(event, self.now);
            for (index, viewer) in viewers(self.setup.seats).enumerate() {
                if let Some(report) = disclose(&self.setup, event, viewer) {
                    let number = self.views[index].version() + 1;
                    self.views[index].learn(&report, self.now);
                    self.reports[index].push(report.stamped(number, self.now));
                }
            }
        }
        self.now = self.now.plus_s(self.pace_s);
    }

    /// The same match folded again from its log.
    pub fn replayed(&self) -> Self {
        let mut again = Self::before(self.setup.clone(), self.dice.clone(), self.seed, self.nonces.clone());
        for (bytes, entry) in self.log.iter().zip(self.entries()) {
            assert_eq!(entry.to_bytes(), *bytes);
            again.now = entry.at;
            again.take(entry.seat, &entry.events);
        }
        again
    }

    /// The first seat that must act, its required decision, and the example.
    pub fn required(&self) -> Option<(Seat, Decision)> {
        let seat = self.battle.to_act().iter().next()?;
        let mut decisions = self.view(seat).decisions(EXAMPLE_SEED);
        assert!(!decisions.is_empty(), "a seat that must act has a decision to make");
        assert!(decisions[0].required(), "and a required one comes first");
        Some((seat, decisions.remove(0)))
    }

    /// The number of shots of the seat's salvo, by its view.
    pub fn shots(&self, seat: Seat) -> usize {
        let told = serde_json::to_value(self.view(seat).decisions(EXAMPLE_SEED)).expect("JSON");
        told[0]["shots"]["max"].as_u64().expect("a salvo is due") as usize
    }

    /// The labels of the untried cells in the targets of the seat's view.
    pub fn targets(&self, seat: Seat) -> Vec<Label> {
        let told = serde_json::to_value(self.view(seat).decisions(EXAMPLE_SEED)).expect("JSON");
        serde_json::from_value(told[0]["targets"].clone()).unwrap_or_default()
    }
}

pub fn dice(seed: u64) -> Dice {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_be_bytes());
    Dice::from_seed(bytes)
}

/// A view's whole presentation, as JSON text.
pub fn shown(view: &View) -> String {
    let table = (
        view.version(),
        view.status(),
        view.seats(),
        view.to_act(),
        view.deadline(),
        view.armistice(),
        view.draw_offered_by(),
        view.result(),
        view.started_at(),
        view.finished_at(),
        view.times(START.plus_s(200_000)),
    );
    serde_json::to_string(&(table, view.seas(), view.decisions(EXAMPLE_SEED))).expect("JSON")
}

/// Checks that battle, views and decisions are the fold of the log, and that views agree with the battle on public
/// facts.
pub fn same_again(game: &Game) {
    let again = game.replayed();
    assert!(again.log == game.log, "log → events → log");
    assert_eq!(again.battle.to_act(), game.battle.to_act());
    assert_eq!(again.battle.deadline(), game.battle.deadline());
    assert_eq!(again.battle.outcome(), game.battle.outcome());
    for seat in (0..game.setup.seats).map(Seat) {
        assert_eq!(again.battle.planned(seat), game.battle.planned(seat));
        assert_eq!(again.battle.planned_until(seat), game.battle.planned_until(seat));
        assert_eq!(again.battle.given_ms(seat), game.battle.given_ms(seat));
        for view in &game.views {
            let time = &view.times(game.now)[seat.index()];
            assert_eq!(time.deadline, game.battle.deadline_of(seat));
            let left_s = game.battle.left_ms(seat, game.now).map(|left_ms| left_ms / 1000);
            assert_eq!(time.time_left_s.map(i64::from), left_s);
        }
    }
    for (index, view) in game.views.iter().enumerate() {
        assert!(again.views[index] == *view, "a view folded again is the same");
        assert_eq!(shown(&again.views[index]), shown(view), "and shows the same, decisions included");
        assert_eq!(again.reports[index], game.reports[index]);
        assert_eq!(view.to_act(), game.battle.to_act());
        assert_eq!(view.deadline(), game.battle.deadline());
        assert_eq!(view.status(), game.battle.status());
        assert_eq!(view.result(), game.battle.outcome());
        assert_eq!(view.version() as usize, game.reports[index].len());
    }
}

fn most_actions(rules: &RuleSet, seats: u8) -> usize {
    let told = serde_json::to_value(rules).expect("JSON");
    match (told["turns"].as_u64(), told["rounds"].as_u64()) {
        // A limit of turns for each seat, in each a move, a charge, three torpedoes and its end.
        (Some(turns), _) => 2 + 2 * 6 * turns as usize,
        // A deployment, and one action a round.
        (_, Some(rounds)) => usize::from(seats) * (1 + rounds as usize),
        // A deployment each, at most one shot a cell in each sea, a relocation after each salvo, and the weapons' uses.
        _ => usize::from(seats) * (1 + 2 * rules.board(seats).seas[0].cells.len() + weapon_uses(&told)),
    }
}

/// The number of uses of a seat's weapons.
fn weapon_uses(rules: &Value) -> usize {
    let weapons = rules["weapons"].as_array().into_iter().flatten();
    weapons.map(|weapon| weapon["uses"].as_u64().expect("a number") as usize).sum()
}

/// Plays to the end by sending back examples, and checks the invariants at each step. Returns the number of actions.
pub fn play_out(mut game: Game, checks_every: usize) -> usize {
    play_to_the_end(&mut game, checks_every)
}

/// Like [`play_out`], for callers that need the match afterwards.
pub fn play_to_the_end(game: &mut Game, checks_every: usize) -> usize {
    let most = most_actions(&game.setup.rules, game.setup.seats);
    let mut actions = 0;
    while !game.battle.status().is_over() {
        let (seat, decision) = game.required().expect("somebody must act");
        assert!(decision.required());
        for viewer in (0..game.setup.seats).map(Seat) {
            for decision in game.view(viewer).decisions(EXAMPLE_SEED) {
                let example = decision.example();
                assert_eq!(legal(game.view(viewer), &example), Ok(()), "an example is legal");
                let sent = serde_json::to_value(&example).expect("JSON");
                assert_eq!(Action::parse(&game.setup, &sent), Ok(example), "an example reads back as it was sent");
            }
        }
        assert!(game.spectator().decisions(EXAMPLE_SEED).is_empty(), "a spectator decides nothing");
        game.act(seat, &decision.example()).expect("an example is legal");
        actions += 1;
        assert!(actions <= most, "the match ends");
        if actions % checks_every == 0 {
            same_again(game);
        }
    }
    same_again(game);
    assert!(game.battle.to_act().is_empty() && game.battle.deadline().is_none());
    for view in &game.views {
        assert_eq!(view.status(), Status::Finished);
        assert!(view.decisions(EXAMPLE_SEED).is_empty());
    }
    let seas: Vec<Value> = game.views.iter().map(|view| serde_json::to_value(view.seas()).expect("JSON")).collect();
    assert!(seas.iter().all(|sea| *sea == seas[0]), "after the end everybody sees everything");
    actions
}
