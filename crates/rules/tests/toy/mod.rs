//! A whole family in one file: each of two seats hides in a cell of a strip, then they guess each other's cell in turn.
//! It exists only for tests, shows the parts of a family, and plugs in like the others.
//!
//! Two things in it are like later additions: the parameter `hints` (see [`Family::ADDED`]), and the field `hint` of
//! `guessed`, which records of format 1 don't have.
#![allow(missing_docs, reason = "only tests have it")]
use alloc::{format, string::String, vec, vec::Vec};

use minicbor::{Decode, Encode};
use serde::Serialize;
use serde_json::Value;

use crate::{
    card::{ActionCard, AnswerCard, BoardCard, ClassCard, Language},
    chance::Draws,
    dice::Dice,
    families::{
        FamilyName, RuleSet, Variant,
        added::{Added, Before},
        family::{self, Card, Choices, Decided, Disclosure, Family, Legality, Notation, Opening},
    },
    illegal::Illegal,
    outcome::{Outcome, Reason},
    read::{Faults, Fields},
    report::reports,
    schema::tag,
    seat::{Seat, SeatSet, Viewer},
    setup::SeatPreferences,
    table::{Step, Table},
    time::Time,
    view_model::SeaView,
};

tag!(
    /// Always `toy`.
    ToyTag = "toy"
);

pub(crate) struct Toy;

impl Family for Toy {
    const NAME: &'static str = "toy";
    const VARIANTS: &'static [Variant] = &[Variant {
        id: "toy",
        family: FamilyName::Toy,
        source: "nobody",
        title: ["Toy", "Jouet"],
        summary: ["Guess where the other hides.", "Devine où l’autre se cache."],
        preset: || RuleSet::Toy(Rules { family: ToyTag::Value, cells: 5, hints: false }),
    }];
    const ADDED: &'static [Added] = &[Added { path: &["hints"], before: Before::Is(false) }];
    const PROSE: [&'static str; 2] = ["# Toy\n", "# Jouet\n"];
    #[cfg(feature = "proof")]
    const BATTLE_REPORTS: &'static [&'static str] = &["guessed"];
    #[cfg(feature = "proof")]
    const RECORDED: &'static str = "
1 hidden at cell number seat type
1 guessed at cell hit number seat type
1 shown at cells number type
";
    type Rules = Rules;
    type Action = Action;
    type Event = Event;
    type Report = Report;
    type Decision = Decision;
    type State = State;
    type Knowledge = Knowledge;
}

#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = ToyRules))]
pub struct Rules {
    #[cfg_attr(feature = "schema", schema(schema_with = ToyTag::shape))]
    pub family: ToyTag,
    pub cells: u8,
    /// A miss says whether it was beside.
    #[cfg_attr(feature = "schema", schema(required = false))]
    pub hints: bool,
}

impl family::Rules<Toy> for Rules {
    fn read(value: &Value, faults: &mut Faults) -> Option<Self> {
        let fields = Fields::of(value, "", &["family", "cells", "hints"], faults)?;
        let family = fields.choice("family", &[("toy", ToyTag::Value)], faults);
        let cells = fields.integer("cells", 3, 9, faults);
        let hints = fields.boolean("hints", faults);
        Some(Self { family: family?, cells: cells? as u8, hints: hints? })
    }

    fn seats(&self) -> (u8, u8) {
        (2, 2)
    }

    fn seat_name(&self, first: Seat, _names: &[u8], seat: Seat) -> &'static str {
        if first == seat { "red" } else { "blue" }
    }

    fn opening(&self, _seats: u8, _preferences: &SeatPreferences, draws: &mut Draws<'_>) -> Opening<Event> {
        Opening { first: Seat(draws.below(2) as u8), names: Vec::new(), event: None }
    }
}

/// Hides in, or guesses, a cell: counted from 1.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = ToyAction))]
pub struct Action {
    pub r#type: &'static str,
    pub cell: u8,
}

impl family::Action<Toy> for Action {
    fn types(_rules: &Rules) -> &'static [&'static str] {
        &["hide", "guess"]
    }

    fn read(rules: &Rules, _seats: u8, kind: &str, value: &Value, faults: &mut Faults) -> Option<Self> {
        let fields = Fields::of(value, "", &["type", "cell"], faults)?;
        let cell = fields.integer("cell", 1, rules.cells.into(), faults)? as u8;
        Some(Self { r#type: if kind == "hide" { "hide" } else { "guess" }, cell })
    }
}

#[derive(Clone, PartialEq, Eq, Encode, Decode)]
#[cbor(flat)]
pub enum Event {
    #[n(0)]
    Hidden(#[n(0)] Seat, #[n(1)] u8),
    #[n(1)]
    Guessed(#[n(0)] Seat, #[n(1)] u8, #[n(2)] bool, #[n(3)] bool),
    #[n(2)]
    Shown(#[n(0)] Vec<u8>),
}

impl family::Event<Toy> for Event {
    fn fits(&self, rules: &Rules, seats: u8) -> bool {
        match self {
            Self::Hidden(seat, cell) | Self::Guessed(seat, cell, ..) => seat.0 < seats && *cell <= rules.cells,
            Self::Shown(cells) => cells.len() == usize::from(seats),
        }
    }

    fn asked(&self, _rules: &Rules, _seats: u8) -> Option<(Seat, Action)> {
        match self {
            Self::Hidden(seat, cell) => Some((*seat, Action { r#type: "hide", cell: *cell })),
            Self::Guessed(seat, cell, ..) => Some((*seat, Action { r#type: "guess", cell: *cell })),
            Self::Shown(_) => None,
        }
    }

    fn is_secret(&self) -> bool {
        matches!(self, Self::Hidden(..))
    }
}

reports! {
    /// What a viewer is told.
    Report as ToyReport;
    /// A seat has hidden.
    Hidden HiddenReport HiddenTag "hidden" {
        /// Whose.
        seat: Seat,
        /// Told to the seat alone.
        #[cfg_attr(feature = "schema", schema(required))]
        cell: Option<u8>,
    }
    /// A seat has guessed.
    Guessed GuessedReport GuessedTag "guessed" {
        /// Who.
        seat: Seat,
        /// Where.
        cell: u8,
        /// Whether the other is there.
        hit: bool,
        /// Whether the other is beside; added after the first records.
        #[cfg_attr(feature = "schema", schema(required))]
        hint: Option<bool>,
    }
    /// The end: where all were.
    Shown ShownReport ShownTag "shown" {
        /// By seat; 0 for a seat that never hid.
        cells: Vec<u8>,
    }
}

impl Disclosure for Toy {
    fn disclose(rules: &Rules, _seats: u8, event: &Event, viewer: Viewer) -> Report {
        match event {
            Event::Hidden(seat, cell) => {
                HiddenReport::unstamped(*seat, (viewer == Viewer::Seat(*seat)).then_some(*cell))
            }
            Event::Guessed(seat, cell, hit, beside) => {
                GuessedReport::unstamped(*seat, *cell, *hit, rules.hints.then_some(*beside))
            }
            Event::Shown(cells) => ShownReport::unstamped(cells.clone()),
        }
    }
}

impl Notation for Toy {
    fn head(report: &mut Report) -> (&mut u32, &mut Time) {
        report.head()
    }

    fn line(_rules: &Rules, name: &dyn Fn(Seat) -> &'static str, report: &Report) -> String {
        match report {
            Report::Hidden(report) => format!("{} hides", name(report.seat)),
            Report::Guessed(report) => format!("{} guesses {}", name(report.seat), report.cell),
            Report::Shown(_) => "all is shown".into(),
        }
    }
}

/// The public facts, for the truth and for every view alike: who has hidden, and the turn.
#[derive(Clone, Copy, PartialEq, Default)]
pub(crate) struct Turns {
    first: u8,
    hidden: [bool; 2],
}

impl Turns {
    fn hide(&mut self, seat: Seat) -> Step {
        self.hidden[seat.index()] = true;
        let playing = self.hidden == [true, true];
        let to_act = if playing { SeatSet::only(Seat(self.first)) } else { SeatSet::only(seat.other()) };
        Step { acted: seat, to_act, playing, salvo: false, out: SeatSet::NONE, goes_on: false }
    }

    fn guess(seat: Seat, hit: bool) -> Step {
        let to_act = if hit { SeatSet::NONE } else { SeatSet::only(seat.other()) };
        Step { acted: seat, to_act, playing: true, salvo: true, out: SeatSet::NONE, goes_on: false }
    }
}

#[derive(Clone)]
pub(crate) struct State {
    turns: Turns,
    cells: [u8; 2],
    left: Option<Seat>,
}

impl family::State<Toy> for State {
    fn new(_rules: &Rules, _seats: u8) -> Self {
        Self { turns: Turns::default(), cells: [0; 2], left: None }
    }

    fn open(&mut self, first: Seat, _names: &[u8]) {
        self.turns.first = first.0;
    }

    fn decide(&self, _rules: &Rules, seat: Seat, action: &Action, _draws: &mut Draws<'_>) -> Option<Decided<Event>> {
        if action.r#type == "hide" {
            return Some((vec![Event::Hidden(seat, action.cell)], None));
        }
        let other = self.cells[seat.other().index()];
        let hit = other == action.cell;
        let guessed = Event::Guessed(seat, action.cell, hit, other.abs_diff(action.cell) == 1);
        Some((vec![guessed], hit.then(|| Outcome::won_by(seat, Reason::Fleet))))
    }

    fn deploy_auto(&self, rules: &Rules, _seat: Seat, dice: &mut Dice) -> Option<Action> {
        Some(Action { r#type: "hide", cell: 1 + dice.below(rules.cells.into()) as u8 })
    }

    fn apply(&mut self, _rules: &Rules, event: &Event) -> Option<Step> {
        match event {
            Event::Hidden(seat, cell) => {
                self.cells[seat.index()] = *cell;
                Some(self.turns.hide(*seat))
            }
            Event::Guessed(seat, _, hit, _) => Some(Turns::guess(*seat, *hit)),
            Event::Shown(_) => None,
        }
    }

    fn leave(&mut self, _rules: &Rules, seat: Seat) -> Option<Step> {
        self.left = Some(seat);
        None
    }

    fn after_leaving(&self, _rules: &Rules, reason: Reason) -> Decided<Event> {
        (Vec::new(), self.left.map(|left| Outcome::won_by(left.other(), reason)))
    }

    fn drawn(&self) -> Outcome {
        Outcome::drawn(2)
    }

    fn reveal(&self) -> Event {
        Event::Shown(self.cells.into())
    }
}

#[derive(Clone, PartialEq)]
pub(crate) struct Knowledge {
    turns: Turns,
    tried: [Vec<u8>; 2],
}

impl family::Knowledge<Toy> for Knowledge {
    fn new(_rules: &Rules, _seats: u8) -> Self {
        Self { turns: Turns::default(), tried: [Vec::new(), Vec::new()] }
    }

    fn open(&mut self, first: Seat, _names: &[u8]) {
        self.turns.first = first.0;
    }

    fn close(&mut self) {}

    fn learn(&mut self, _rules: &Rules, report: &Report) -> Option<Step> {
        match report {
            Report::Hidden(report) => Some(self.turns.hide(report.seat)),
            Report::Guessed(report) => {
                self.tried[report.seat.index()].push(report.cell);
                Some(Turns::guess(report.seat, report.hit))
            }
            Report::Shown(_) => None,
        }
    }

    fn render(&self, _rules: &Rules) -> Vec<SeaView> {
        Vec::new()
    }
}

impl Card for Toy {
    fn board(_rules: &Rules, _seats: u8) -> BoardCard {
        BoardCard { seas: Vec::new() }
    }

    fn classes(_rules: &Rules) -> Vec<ClassCard> {
        Vec::new()
    }

    fn actions(_rules: &Rules) -> Vec<ActionCard> {
        Vec::new()
    }

    fn answers(_rules: &Rules, _language: Language) -> Vec<AnswerCard> {
        Vec::new()
    }
}

impl Legality for Toy {
    fn legal(_rules: &Rules, table: &Table, known: &Knowledge, seat: Seat, action: &Action) -> Result<(), Illegal> {
        match action.r#type {
            "hide" => table.may_deploy(seat),
            _ if known.turns.hidden != [true, true] => Err(Illegal::new("wrong-phase", "Both have to hide first.")),
            _ if !table.to_act.contains(seat) => Err(Illegal::new("not-your-turn", "The other seat guesses.")),
            _ => Ok(()),
        }
    }
}

#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = ToyDecision))]
pub struct Decision {
    pub kind: &'static str,
    pub example: Action,
}

impl Choices for Toy {
    fn decisions(rules: &Rules, _: &Table, known: &Knowledge, seat: Seat, dice: &mut Dice) -> Vec<Decision> {
        let kind = if known.turns.hidden[seat.index()] { "guess" } else { "hide" };
        let open = (1..=rules.cells).find(|cell| !known.tried[seat.index()].contains(cell));
        let cell = if kind == "hide" { 1 + dice.below(rules.cells.into()) as u8 } else { open.unwrap_or(1) };
        vec![Decision { kind, example: Action { r#type: kind, cell } }]
    }

    fn example(decision: &Decision) -> Action {
        decision.example.clone()
    }
}
