//! The dispatch of questions to the current family: one line for each question of [`super::family`].
use alloc::{string::String, vec::Vec};

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::{
    Action, Decision, Event, First, Knowledge, PARSERS, Report, RuleSet, State, Variant,
    family::{
        self, Action as _, Card, Choices, Decided, Disclosure, Event as _, Family, Knowledge as _, Legality, Notation,
        Opening, Rules as _, State as _,
    },
};
use crate::{
    card::{ActionCard, AnswerCard, BoardCard, ClassCard, Language},
    chance::Draws,
    dice::Dice,
    illegal::{Fault, Illegal},
    outcome::{Outcome, Reason},
    read::Faults,
    seat::{Seat, SeatSet, Viewer},
    setup::SeatPreferences,
    table::{Step, Table},
    text::ClassId,
    time::Time,
    view_model::{Round, SeaView},
};

impl<'de> Deserialize<'de> for RuleSet {
    /// Reads a whole rule set and checks its bounds (but not again that a deployment exists). Unknown parameters are
    /// refused by name.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let key = value.get("family").and_then(Value::as_str).unwrap_or_default();
        let parse = PARSERS.iter().find(|(name, _)| *name == key).map(|(_, parse)| parse);
        let parse = parse.ok_or_else(|| serde::de::Error::custom("a rule set names its family"))?;
        parse(&value).map_err(|faults| crate::read::refused(&faults))
    }
}

impl RuleSet {
    /// The rule set of a variant with changes: an object whose fields replace the preset's. A whole rule set, as shown,
    /// replaces the preset altogether.
    ///
    /// # Errors
    /// Every fault at once, with JSON Pointers relative to the rule set: unknown fields, values out of bounds,
    /// parameters that contradict each other, and `no-legal-deployment` when no way is found to place the fleet.
    pub fn customised(base: &Variant, changes: &Value) -> Result<Self, Vec<Fault>> {
        base.rule_set().with(changes)
    }

    /// This rule set with changes, like [`RuleSet::customised`].
    ///
    /// # Errors
    /// As there.
    pub fn with(&self, changes: &Value) -> Result<Self, Vec<Fault>> {
        family!(RuleSet(rules) = self => family::customised::<F>(rules, changes).map(Self::from))
    }

    /// The seats that place their fleets first; the others follow as the steps say.
    pub(crate) fn deploying_first(&self, seats: u8) -> SeatSet {
        family!(RuleSet(rules) = self => rules.deploying_first(seats))
    }

    /// The fewest and the most seats.
    #[must_use]
    pub fn seats(&self) -> (u8, u8) {
        family!(RuleSet(rules) = self => rules.seats())
    }

    /// Does everybody play alone, on the same terms? Only then does a result show who plays better.
    #[must_use]
    pub fn is_even(&self) -> bool {
        family!(RuleSet(rules) = self => rules.is_even())
    }

    /// Are two seats on one side? A seat is, with itself.
    #[must_use]
    pub fn allied(&self, one: Seat, other: Seat) -> bool {
        family!(RuleSet(rules) = self => rules.allied(one, other))
    }

    /// The names (nations) that players may prefer for a seat; empty if there are none.
    #[must_use]
    pub fn seat_names(&self) -> &'static [&'static str] {
        family!(RuleSet(rules) = self => rules.seat_names())
    }

    /// The same rules with another first seat; unchanged in a family whose rules don't set it.
    #[must_use]
    pub fn begun_by(&self, first: First) -> Self {
        family!(RuleSet(rules) = self.clone() => rules.begun_by(first).into())
    }

    /// The name of a seat when `first` begins and the opening gave these names.
    #[must_use]
    pub(crate) fn seat_name(&self, first: Seat, names: &[u8], seat: Seat) -> &'static str {
        family!(RuleSet(rules) = self => rules.seat_name(first, names, seat))
    }

    /// The opening of a match: the first seat, the seats' names, and the other draws before the first deployment.
    pub(crate) fn opening(&self, seats: u8, preferences: &SeatPreferences, draws: &mut Draws<'_>) -> Opening<Event> {
        family!(RuleSet(rules) = self => {
            let Opening { first, names, event } = rules.opening(seats, preferences, draws);
            Opening { first, names, event: event.map(Event::from) }
        })
    }

    /// Could the opening have given these names: one for each seat if players may choose, all different?
    pub(crate) fn names_fit(&self, seats: u8, names: &[u8]) -> bool {
        let preferences = self.seat_names().len();
        let differs = |(at, name): (usize, &u8)| usize::from(*name) < preferences && !names[..at].contains(name);
        if preferences == 0 {
            names.is_empty()
        } else {
            names.len() == usize::from(seats) && names.iter().enumerate().all(differs)
        }
    }

    /// The seats' names, as indices into [`RuleSet::seat_names`]; empty where they follow from the first seat.
    pub(crate) fn numbers_of<'n>(&self, names: impl Iterator<Item = &'n str>) -> Vec<u8> {
        let number = |name: &str| self.seat_names().iter().position(|wish| *wish == name);
        names.filter_map(number).map(|number| number as u8).collect()
    }

    /// The types of the family's own actions under these rules.
    #[must_use]
    pub fn action_types(&self) -> &'static [&'static str] {
        family!(RuleSet(rules) = self => <F as Family>::Action::types(rules))
    }

    /// The board of a match with this many seats: enough to draw it.
    #[must_use]
    pub fn board(&self, seats: u8) -> BoardCard {
        family!(RuleSet(rules) = self => F::board(rules, seats))
    }

    /// The classes of ships, with their titles and those of their ships.
    #[must_use]
    pub fn classes(&self, language: Language) -> Vec<ClassCard> {
        let mut classes = family!(RuleSet(rules) = self => F::classes(rules));
        crate::titles::give(&mut classes, language);
        classes
    }

    /// The supplies, by id and name for people.
    pub(crate) fn supplies(&self) -> Vec<(ClassId, String)> {
        family!(RuleSet(rules) = self => F::supplies(rules))
    }

    /// The actions by phase, the family's and the table's.
    #[must_use]
    pub fn actions(&self) -> Vec<ActionCard> {
        let own = family!(RuleSet(rules) = self => F::actions(rules));
        own.into_iter().chain(crate::card::common_actions()).collect()
    }

    /// For every action, what the actor, an opponent and a spectator are told under these rules.
    #[must_use]
    pub fn answers(&self, language: Language) -> Vec<AnswerCard> {
        let mut own = family!(RuleSet(rules) = self => F::answers(rules, language));
        // The report is the same for every way of placing the fleet.
        let placed = own.iter().find(|answer| answer.action_type.ends_with("deploy")).cloned();
        own.extend(placed.map(|answer| AnswerCard { action_type: "deploy-auto", ..answer }));
        own.into_iter().chain(crate::card::table_answers(language)).collect()
    }

    /// The types of battle reports; after the first, a match can no longer be aborted.
    #[cfg(feature = "proof")]
    pub(crate) fn battle_reports(&self) -> &'static [&'static str] {
        family!(RuleSet(_rules) = self => F::BATTLE_REPORTS)
    }

    /// The titles of fields that bear the family's own name.
    #[cfg(feature = "schema")]
    pub(crate) fn field_titles(&self) -> &'static [(&'static str, [&'static str; 2])] {
        family!(RuleSet(_rules) = self => F::FIELD_TITLES)
    }

    /// The recorded fields of the family's reports.
    #[cfg(all(test, feature = "proof", feature = "schema"))]
    pub(crate) fn recorded(&self) -> &'static str {
        family!(RuleSet(_rules) = self => F::RECORDED)
    }

    /// The shapes of the family's reports: of their union, and by name of its parts.
    #[cfg(feature = "schema")]
    pub(crate) fn report_shapes(&self) -> (Value, Vec<(String, Value)>) {
        family!(RuleSet(_rules) = self => crate::pattern::shapes_of::<<F as Family>::Report>())
    }
}

impl Action {
    /// Reads an action of the family, of type `kind`.
    pub(crate) fn read(rules: &RuleSet, seats: u8, kind: &str, value: &Value, faults: &mut Faults) -> Option<Self> {
        family!(RuleSet(rules) = rules => {
            <F as Family>::Action::read(rules, seats, kind, value, faults).map(Self::from)
        })
    }
}

impl Event {
    /// Could the event have happened under these rules, by its seats, ships and cells?
    pub(crate) fn fits(&self, rules: &RuleSet, seats: u8) -> bool {
        family!(Event(event) = self, RuleSet(rules) = rules => event.fits(rules, seats), else false)
    }

    pub(crate) fn draws(&self) -> u32 {
        family!(Event(event) = self => event.draws())
    }

    /// The seat and the action behind it, if a player acted: playing that again brings the same about.
    pub(crate) fn asked(&self, rules: &RuleSet, seats: u8) -> Option<(Seat, Action)> {
        family!(Event(event) = self, RuleSet(rules) = rules => {
            event.asked(rules, seats).map(|(seat, action)| (seat, action.into()))
        }, else None)
    }

    /// Is the action a secret, to be committed to?
    pub(crate) fn is_secret(&self) -> bool {
        family!(Event(event) = self => event.is_secret())
    }

    /// Shots: the seat, the number of shots, and the number of true hits.
    pub(crate) fn shots(&self) -> Option<(Seat, usize, usize)> {
        family!(Event(event) = self => event.shots())
    }
}

/// A viewer's report of a battle event.
pub(crate) fn disclose(rules: &RuleSet, seats: u8, event: &Event, viewer: Viewer) -> Option<Report> {
    family!(RuleSet(rules) = rules, Event(event) = event => {
        Some(F::disclose(rules, seats, event, viewer).into())
    }, else None)
}

impl Report {
    /// The number and the time of the report, to be set for its viewer.
    pub(crate) fn head(&mut self) -> (&mut u32, &mut Time) {
        family!(Report(report) = self => F::head(report))
    }

    /// The recorded fields of the family's reports.
    #[cfg(feature = "proof")]
    pub(crate) fn recorded(&self) -> &'static str {
        family!(Report(_report) = self => F::RECORDED)
    }

    /// The report on one line, in words that can be read aloud. `name` gives the name of a seat.
    pub(crate) fn line(&self, rules: &RuleSet, name: &dyn Fn(Seat) -> &'static str) -> String {
        family!(Report(report) = self, RuleSet(rules) = rules => F::line(rules, name, report), else String::new())
    }
}

impl Decision {
    pub(crate) fn example(&self) -> Action {
        family!(Decision(decision) = self => F::example(decision).into())
    }
}

impl State {
    pub fn new(rules: &RuleSet, seats: u8) -> Self {
        family!(RuleSet(rules) = rules => <F as Family>::State::new(rules, seats).into())
    }

    pub fn open(&mut self, first: Seat, names: &[u8]) {
        family!(State(state) = self => state.open(first, names));
    }

    pub fn decide(
        &self,
        rules: &RuleSet,
        seat: Seat,
        action: &Action,
        draws: &mut Draws<'_>,
    ) -> Option<Decided<Event>> {
        family!(State(state) = self, RuleSet(rules) = rules, Action(action) = action => {
            state.decide(rules, seat, action, draws).map(decided)
        }, else None)
    }

    /// A deployment drawn by the dice, as the action that a player might have sent.
    pub fn deploy_auto(&self, rules: &RuleSet, seat: Seat, dice: &mut Dice) -> Option<Action> {
        family!(State(state) = self, RuleSet(rules) = rules => {
            state.deploy_auto(rules, seat, dice).map(Action::from)
        }, else None)
    }

    pub fn apply(&mut self, rules: &RuleSet, event: &Event) -> Option<Step> {
        family!(State(state) = self, RuleSet(rules) = rules, Event(event) = event => {
            state.apply(rules, event)
        }, else None)
    }

    /// Removes a seat that has resigned, or is out of time.
    pub fn leave(&mut self, rules: &RuleSet, seat: Seat) -> Option<Step> {
        family!(State(state) = self, RuleSet(rules) = rules => state.leave(rules, seat), else None)
    }

    /// The events after seats have left for this reason.
    pub fn after_leaving(&self, rules: &RuleSet, reason: Reason) -> Decided<Event> {
        family!(State(state) = self, RuleSet(rules) = rules => {
            decided(state.after_leaving(rules, reason))
        }, else (Vec::new(), None))
    }

    /// The result when all remaining seats agree on a draw.
    pub fn drawn(&self) -> Outcome {
        family!(State(state) = self => state.drawn())
    }

    /// The event that reveals everything after the end.
    pub fn reveal(&self) -> Event {
        family!(State(state) = self => state.reveal().into())
    }
}

fn decided<E: Into<Event>>((events, outcome): Decided<E>) -> Decided<Event> {
    (events.into_iter().map(E::into).collect(), outcome)
}

impl Knowledge {
    pub fn new(rules: &RuleSet, seats: u8) -> Self {
        family!(RuleSet(rules) = rules => <F as Family>::Knowledge::new(rules, seats).into())
    }

    pub fn open(&mut self, first: Seat, names: &[u8]) {
        family!(Knowledge(known) = self => known.open(first, names));
    }

    pub fn close(&mut self) {
        family!(Knowledge(known) = self => known.close());
    }

    pub fn learn(&mut self, rules: &RuleSet, report: &Report) -> Option<Step> {
        family!(Knowledge(known) = self, RuleSet(rules) = rules, Report(report) = report => {
            known.learn(rules, report)
        }, else None)
    }

    /// Removes a seat that has resigned, or is out of time.
    pub fn leave(&mut self, rules: &RuleSet, seat: Seat) -> Option<Step> {
        family!(Knowledge(known) = self, RuleSet(rules) = rules => known.leave(rules, seat), else None)
    }

    /// The seas, in the order of the board's card.
    pub fn seas(&self, rules: &RuleSet) -> Vec<SeaView> {
        family!(Knowledge(known) = self, RuleSet(rules) = rules => known.render(rules), else Vec::new())
    }

    /// The current round.
    pub fn round(&self, rules: &RuleSet) -> Option<Round> {
        family!(Knowledge(known) = self, RuleSet(rules) = rules => known.round(rules), else None)
    }

    /// The board of this match, including the draws of its opening.
    pub fn board(&self, rules: &RuleSet, seats: u8) -> BoardCard {
        family!(Knowledge(known) = self, RuleSet(rules) = rules => known.board(rules, seats), else rules.board(seats))
    }

    pub fn legal(&self, rules: &RuleSet, table: &Table, seat: Seat, action: &Action) -> Result<(), Illegal> {
        family!(Knowledge(known) = self, RuleSet(rules) = rules, Action(action) = action => {
            F::legal(rules, table, known, seat, action)
        }, else Err(Illegal::new("unknown-action", "No such action in this match.")))
    }

    /// The decisions open to the seat, one of which is required.
    pub fn decisions(&self, rules: &RuleSet, table: &Table, seat: Seat, dice: &mut Dice) -> Vec<Decision> {
        family!(Knowledge(known) = self, RuleSet(rules) = rules => {
            F::decisions(rules, table, known, seat, dice).into_iter().map(Decision::from).collect()
        }, else Vec::new())
    }
}
