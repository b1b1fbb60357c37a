//! The interface of a family of games. A folder beside this file implements all of it; the shared parts (table, clocks,
//! draws, log, records) use nothing else of a family.
//!
//! [`Family`] names the types and the data of a family. The other traits belong to these types, and to the family
//! itself: each is implemented in the file named in its first line.
use alloc::{
    string::{String, ToString},
    vec::Vec,
};
use core::fmt::Debug;

use minicbor::{Decode, Encode};
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::{First, added::Added, variant::Variant};
use crate::{
    card::{ActionCard, AnswerCard, BoardCard, ClassCard, Language},
    chance::Draws,
    dice::Dice,
    illegal::{Fault, Illegal},
    outcome::{Outcome, Reason},
    printable,
    read::{Faults, changed, pointer},
    seat::{Seat, SeatSet, Viewer},
    setup::SeatPreferences,
    table::{Step, Table},
    text::ClassId,
    time::Time,
    view_model::{Round, SeaView},
};

/// A family of games (`mod.rs`): one engine, whose variants differ in parameters.
pub(crate) trait Family: Sized + 'static {
    /// The name in JSON, kebab-case: `family` in a rule set.
    const NAME: &'static str;
    /// The variants, the simplest first (`presets.rs`).
    const VARIANTS: &'static [Variant];
    /// The parameters added after the first rule sets were stored, with their former values; see [`super::added`].
    const ADDED: &'static [Added];
    /// The rules of all variants for people, in Markdown: English, then French. The text before the first heading `##
    /// <variant>` is common to all.
    const PROSE: [&'static str; 2];
    /// The types of battle reports; after the first, a match can no longer be aborted.
    #[cfg(feature = "proof")]
    const BATTLE_REPORTS: &'static [&'static str];
    /// The titles of report fields that bear the family's own name, in English and in French; see [`crate::titles`].
    #[cfg(feature = "schema")]
    const FIELD_TITLES: &'static [(&'static str, [&'static str; 2])] = &[];
    /// The recorded fields of its reports; see [`crate::record::Format`].
    #[cfg(feature = "proof")]
    const RECORDED: &'static str;

    type Rules: Rules<Self>;
    /// A player's action.
    type Action: Action<Self>;
    /// An event, with its secrets.
    type Event: Event<Self>;
    /// A report of an event to one viewer.
    type Report: Clone + PartialEq + Debug + Serialize;
    /// A decision open to a player, with an example.
    type Decision: Clone + PartialEq + Debug + Serialize;
    /// The whole truth of a battle.
    type State: State<Self>;
    /// One viewer's knowledge of a battle.
    type Knowledge: Knowledge<Self>;
}

pub(crate) struct Opening<E> {
    /// The seat that begins.
    pub first: Seat,
    /// The name of each seat, as an index into [`Rules::seat_names`]; empty where names follow from `first`.
    pub names: Vec<u8>,
    /// The other draws before the first deployment.
    pub event: Option<E>,
}

/// The events of an action in a battle, and the result if it ends the match.
pub(crate) type Decided<E> = (Vec<E>, Option<Outcome>);

/// The parameters of one game (`rules.rs`), serialized as one flat JSON object with `family`.
pub(crate) trait Rules<F: Family>: Clone + PartialEq + Debug + Serialize {
    /// The object parameters that can be changed field by field.
    const CHANGED_BY_FIELD: &'static [&'static str] = &[];

    /// Reads a whole rule set: every parameter, its bounds, and contradictions. All faults are named at once.
    fn read(value: &Value, faults: &mut Faults) -> Option<Self>;

    /// Adjusts the unchanged parameters to a player's changes, before the whole is read.
    fn follow(_changes: &Value, _whole: &mut Value) {}

    /// Can such a game begin at all (is there room for the fleet)? Checked for players' rule sets, not for stored ones.
    fn is_playable(&self) -> Result<(), Fault> {
        Ok(())
    }

    fn seats(&self) -> (u8, u8);

    /// Does everybody play alone, on the same terms?
    fn is_even(&self) -> bool {
        true
    }

    /// Are two seats on one side?
    fn allied(&self, one: Seat, other: Seat) -> bool {
        one == other
    }

    /// The seats that place their fleets first; the others follow as the steps say.
    fn deploying_first(&self, seats: u8) -> SeatSet {
        SeatSet::first(seats)
    }

    /// The names that a player may prefer for a seat; empty where names follow from the first seat.
    fn seat_names(&self) -> &'static [&'static str] {
        &[]
    }

    /// The name of a seat when `first` begins and the opening gave these names.
    fn seat_name(&self, first: Seat, names: &[u8], seat: Seat) -> &'static str;

    /// The draws before the first deployment.
    fn opening(&self, seats: u8, preferences: &SeatPreferences, draws: &mut Draws<'_>) -> Opening<F::Event>;

    /// The same rules with another first seat; unchanged where the rules don't set it.
    fn begun_by(self, _first: First) -> Self {
        self
    }
}

/// The family's part of a variant's card (`card.rs`).
pub(crate) trait Card: Family {
    /// The board of a match with this many seats: enough to draw it.
    fn board(rules: &Self::Rules, seats: u8) -> BoardCard;

    /// The classes of ships, untitled except for ships with names; [`crate::titles`] gives the rest.
    fn classes(rules: &Self::Rules) -> Vec<ClassCard>;

    /// The supplies, by id and name for people.
    fn supplies(_rules: &Self::Rules) -> Vec<(ClassId, String)> {
        Vec::new()
    }

    fn actions(rules: &Self::Rules) -> Vec<ActionCard>;

    /// For every action of the family, what the actor, an opponent and a spectator are told.
    fn answers(rules: &Self::Rules, language: Language) -> Vec<AnswerCard>;
}

/// A player's action (`action.rs`).
pub(crate) trait Action<F: Family>: Clone + PartialEq + Debug + Serialize {
    fn types(rules: &F::Rules) -> &'static [&'static str];

    /// Reads an action of type `kind`, one of [`Action::types`]. Checks its form only, not its legality.
    fn read(rules: &F::Rules, seats: u8, kind: &str, value: &Value, faults: &mut Faults) -> Option<Self>;
}

/// An event (`event.rs`). It carries results, so that nothing is judged twice; its bytes are stored for ever, see
/// [`crate::log`].
pub(crate) trait Event<F: Family>: Clone + PartialEq + Encode<()> + for<'b> Decode<'b, ()> {
    /// Could the event have happened under these rules, by its seats, ships and cells? Checked for logs that may be
    /// damaged.
    fn fits(&self, rules: &F::Rules, seats: u8) -> bool;

    /// The number of draws of chance.
    fn draws(&self) -> u32 {
        0
    }

    /// The seat and the action behind it: playing that again brings the same event about. `None` if no player acted.
    fn asked(&self, rules: &F::Rules, seats: u8) -> Option<(Seat, F::Action)>;

    /// Is the action a secret, to be committed to?
    fn is_secret(&self) -> bool {
        false
    }

    /// Shots: the seat, the number of shots, and the number of true hits.
    fn shots(&self) -> Option<(Seat, usize, usize)> {
        None
    }
}

/// The whole secrecy of the family (`disclose.rs`).
pub(crate) trait Disclosure: Family {
    /// A viewer's report of an event. The caller sets its number and time.
    fn disclose(rules: &Self::Rules, seats: u8, event: &Self::Event, viewer: Viewer) -> Self::Report;
}

/// Reports as the table handles them (`report.rs`, `notation.rs`).
pub(crate) trait Notation: Family {
    /// The number and the time of the report, to be set for its viewer.
    fn head(report: &mut Self::Report) -> (&mut u32, &mut Time);

    /// The report on one line, in words that can be read aloud. `name` gives the name of a seat.
    fn line(rules: &Self::Rules, name: &dyn Fn(Seat) -> &'static str, report: &Self::Report) -> String;
}

/// The whole truth of a battle (`state.rs`).
pub(crate) trait State<F: Family>: Clone {
    /// A battle before its first event.
    fn new(rules: &F::Rules, seats: u8) -> Self;

    /// Opens the match; `names` as in [`Opening`].
    fn open(&mut self, first: Seat, names: &[u8]);

    /// The results of a legal action; nothing is changed. `None` for an action that could never be legal.
    fn decide(
        &self,
        rules: &F::Rules,
        seat: Seat,
        action: &F::Action,
        draws: &mut Draws<'_>,
    ) -> Option<Decided<F::Event>>;

    /// A deployment drawn by the dice, as the action that a player might have sent.
    fn deploy_auto(&self, rules: &F::Rules, seat: Seat, dice: &mut Dice) -> Option<F::Action>;

    /// Applies an event as it is, and returns its effect on the table.
    fn apply(&mut self, rules: &F::Rules, event: &F::Event) -> Option<Step>;

    /// Removes a seat that has resigned, or is out of time. With two seats that ends the match, and there is no step.
    fn leave(&mut self, rules: &F::Rules, seat: Seat) -> Option<Step>;

    /// The events after seats have left for this reason.
    fn after_leaving(&self, rules: &F::Rules, reason: Reason) -> Decided<F::Event>;

    /// The result when all remaining seats agree on a draw.
    fn drawn(&self) -> Outcome;

    /// The event that reveals everything after the end.
    fn reveal(&self) -> F::Event;
}

/// One viewer's knowledge, folded from the reports to that viewer and nothing else (`knowledge.rs`).
pub(crate) trait Knowledge<F: Family>: Clone + PartialEq {
    /// The knowledge before the first report.
    fn new(rules: &F::Rules, seats: u8) -> Self;

    /// Opens the match; `names` as in [`Opening`].
    fn open(&mut self, first: Seat, names: &[u8]);

    fn close(&mut self);

    /// Takes in a report, and returns its effect on the table: the same step as [`State::apply`].
    fn learn(&mut self, rules: &F::Rules, report: &F::Report) -> Option<Step>;

    /// Removes a seat that has resigned, or is out of time: the same step as [`State::leave`].
    fn leave(&mut self, _rules: &F::Rules, _seat: Seat) -> Option<Step> {
        None
    }

    /// The seas as this viewer knows them, in the order of the board's card.
    fn render(&self, rules: &F::Rules) -> Vec<SeaView>;

    /// The current round, from 1, and the last one; `None` before the first, and without a limit.
    fn round(&self, _rules: &F::Rules) -> Option<Round> {
        None
    }

    /// The board of this match, including the draws of its opening.
    fn board(&self, rules: &F::Rules, seats: u8) -> BoardCard
    where
        F: Card,
    {
        F::board(rules, seats)
    }
}

/// Legality by the viewer's knowledge, so that no refusal can depend on a secret (`legal.rs`).
pub(crate) trait Legality: Family {
    /// Checks an action of the seat. A failure due to something hidden is never an error but a result.
    fn legal(
        rules: &Self::Rules,
        table: &Table,
        known: &Self::Knowledge,
        seat: Seat,
        action: &Self::Action,
    ) -> Result<(), Illegal>;
}

/// Legal actions as choices (`decision.rs`).
pub(crate) trait Choices: Family {
    /// The decisions open to the seat, one of which is required, each with a legal example.
    fn decisions(
        rules: &Self::Rules,
        table: &Table,
        known: &Self::Knowledge,
        seat: Seat,
        dice: &mut Dice,
    ) -> Vec<Self::Decision>;

    fn example(decision: &Self::Decision) -> Self::Action;
}

/// Reads a stored rule set of the family: parameters that were added later may be missing, unknown ones are faults.
pub(crate) fn parse<F: Family>(value: &Value) -> Result<F::Rules, Vec<Fault>> {
    let mut faults = Faults::default();
    match F::Rules::read(&super::added::filled_in(F::ADDED, value), &mut faults) {
        Some(rules) if faults.0.is_empty() => Ok(rules),
        _ => Err(faults.0),
    }
}

/// A rule set with a player's changes. Changes that name every original parameter are a whole rule set, as stored and
/// shown: a missing addition then has its former value.
pub(crate) fn customised<F: Family>(rules: &F::Rules, changes: &Value) -> Result<F::Rules, Vec<Fault>> {
    let mut base = serde_json::to_value(rules).unwrap_or_default();
    if super::added::is_whole(F::ADDED, &base, changes) {
        super::added::take_out(F::ADDED, &mut base);
    }
    let mut unseen = Faults::default();
    find_unprintable(changes, "", &mut unseen);
    let mut whole = changed(&base, changes, F::Rules::CHANGED_BY_FIELD)?;
    F::Rules::follow(changes, &mut whole);
    let rules = match parse::<F>(&whole) {
        Ok(rules) if unseen.0.is_empty() => rules,
        parsed => return Err(parsed.err().into_iter().flatten().chain(unseen.0).collect()),
    };
    rules.is_playable().map_err(|fault| Vec::from([fault]))?;
    Ok(rules)
}

/// Finds texts that must not be shown: everybody reads the names of classes and ships. Stored rule sets skip this, to
/// stay readable.
fn find_unprintable(value: &Value, at: &str, faults: &mut Faults) {
    match value {
        Value::String(text) => match printable::unprintable(text, &[]) {
            Some(unprintable) => faults.push(at, "out-of-range", unprintable.to_string()),
            None if !text.trim().is_empty() && printable::is_blank(text) => {
                faults.push(at, "out-of-range", "must not be blank");
            }
            None => {}
        },
        Value::Array(values) => {
            let numbered = values.iter().enumerate();
            numbered.for_each(|(index, value)| find_unprintable(value, &pointer(at, &index.to_string()), faults));
        }
        Value::Object(fields) => {
            fields.iter().for_each(|(name, value)| find_unprintable(value, &pointer(at, name), faults));
        }
        _ => {}
    }
}

/// Writes a rule set in its one JSON form: without additions that have their former value.
pub(crate) fn serialize<F: Family, R: Rules<F>, S: Serializer>(rules: &R, serializer: S) -> Result<S::Ok, S::Error> {
    if F::ADDED.is_empty() {
        return rules.serialize(serializer);
    }
    let mut value = serde_json::to_value(rules).map_err(serde::ser::Error::custom)?;
    super::added::leave_out(F::ADDED, &mut value);
    value.serialize(serializer)
}
