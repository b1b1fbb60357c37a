//! Two worlds that differ only in a viewer's secrets, played side by side and compared byte by byte.
pub mod depths;
pub mod gunnery;
#[path = "../depths/judge.rs"]
pub mod judge;
pub mod leak;
pub mod oracle;
pub mod salvos;
#[path = "../salvos/judge.rs"]
pub mod umpire;

use broadside_rules::{Action, Clock, FamilyName, Report, Rests, RuleSet, Setup, legal};
use leak::{Hidden, Leak};
use serde_json::{Value, json};
use std::cell::Cell;

use crate::support::{Game, dice, shown};

/// The comparisons of a run.
#[derive(Default, Clone, Copy, Debug)]
pub struct Coverage {
    pub steps: usize,
    pub compared: usize,
    /// Of these, with different ships or submarines (and not only a mine).
    pub deeply: usize,
    /// The number of comparisons for another player who cannot tell the worlds apart either.
    pub others: usize,
}

/// Plays a match of these terms to its end with the worlds of its family.
pub fn run(setup: &Setup, viewer: usize, seed: u64) -> Result<Coverage, String> {
    match setup.rules.family() {
        FamilyName::Gunnery => gunnery::Swap::new(setup, viewer, seed).run(),
        FamilyName::Depths => depths::Swap::new(setup, viewer, seed).run(),
        FamilyName::Salvos => salvos::Swap::new(setup, viewer, seed).run(),
    }
}

/// Compares all of the viewer's answers from two worlds, byte by byte: reports from this index on, views, and the
/// answers to these actions.
pub fn compare(viewer: usize, a: &Game, b: &Game, from: usize, wrong: &[Value]) -> Result<(), String> {
    let who = a.views[viewer].viewer();
    let same = |what: &str, a: String, b: String| {
        if a == b { Ok(()) } else { Err(format!("{what} of {:?} tells the worlds apart:\n{a}\n{b}", who)) }
    };
    let reports = |game: &Game| without_commitments(&game.reports[viewer][from..]);
    same("a report", reports(a), reports(b))?;
    let (of_a, of_b) = (Seen::of(viewer, a), Seen::of(viewer, b));
    same("the view", of_a.view(), of_b.view())?;
    same("the ETag", of_a.etag(), of_b.etag())?;
    for wrong in wrong {
        same(&format!("the answer to {wrong}"), of_a.answer(wrong), of_b.answer(wrong))?;
    }
    Ok(())
}

thread_local! {
    /// The leak that [`compare`] plants in the viewer's answers.
    static PLANTED: Cell<Option<Leak>> = const { Cell::new(None) };
}

/// Like [`run`], with a planted leak.
pub fn run_with(leak: Leak, setup: &Setup, viewer: usize, seed: u64) -> Result<Coverage, String> {
    PLANTED.set(Some(leak));
    let result = run(setup, viewer, seed);
    PLANTED.set(None);
    result
}

/// A viewer's answers from a match, changed by a planted leak.
struct Seen<'g> {
    game: &'g Game,
    viewer: usize,
    /// The last fleet hidden from the viewer, if a leak is planted.
    leaked: Option<(Leak, Hidden)>,
}

impl<'g> Seen<'g> {
    fn of(viewer: usize, game: &'g Game) -> Self {
        let hidden = |leak| {
            let entries = game.entries();
            let asked = entries.iter().flat_map(|entry| &entry.events).filter_map(|event| event.asked(&game.setup));
            let others = asked.filter(|(seat, _)| seat.index() != viewer);
            let sent = others.map(|(seat, action)| (seat, serde_json::to_value(&action).expect("JSON")));
            let last =
                sent.rev().find(|(_, action)| action["type"].as_str().is_some_and(|kind| kind.ends_with("deploy")));
            last.map(|(seat, action)| (leak, Hidden::of(seat.0, &action)))
        };
        Self { game, viewer, leaked: PLANTED.get().and_then(hidden) }
    }

    fn view(&self) -> String {
        let text = shown(&self.game.views[self.viewer]);
        let Some((leak, hidden)) = &self.leaked else { return text };
        let mut told: Value = serde_json::from_str(&text).expect("JSON");
        let [table, seas, decisions] = &mut told.as_array_mut().expect("three parts")[..] else { panic!("{text}") };
        hidden.in_view(*leak, &mut table[0], seas, decisions);
        told.to_string()
    }

    fn etag(&self) -> String {
        let mut etag = self.game.views[self.viewer].version().to_string();
        self.leaked.iter().for_each(|(leak, hidden)| hidden.in_etag(*leak, &mut etag));
        etag
    }

    fn answer(&self, wrong: &Value) -> String {
        let read = Action::parse(&self.game.setup, wrong);
        let told = read.and_then(|action| legal(&self.game.views[self.viewer], &action));
        let mut told = serde_json::to_value(told.err()).expect("JSON");
        self.leaked.iter().for_each(|(leak, hidden)| hidden.in_refusal(*leak, &mut told));
        told.to_string()
    }
}

/// The terms of a match without clocks.
pub fn setup(rules: RuleSet) -> Setup {
    Setup::new(rules, Clock::none())
}

/// A match on these terms; where they let clocks rest, its players sleep at night.
pub fn opened(setup: &Setup, seed: u64) -> Game {
    let open = if setup.clock.rests() == Rests::None { Game::open } else { Game::resting };
    open(setup.clone(), dice(seed))
}

/// Reports as text, without the commitments to others' secrets: a secret salt hides those. Tests of proof check that
/// they tell nothing.
pub fn without_commitments(reports: &[Report]) -> String {
    let mut told = serde_json::to_value(reports).expect("JSON");
    for report in told.as_array_mut().expect("reports") {
        if report["type"] == "sealed" && report["salt"].is_null() {
            assert_eq!(report["commitment"].as_str().map(str::len), Some(64), "of one length, whatever it hides");
            report["commitment"] = json!("left out");
        }
    }
    told.to_string()
}
