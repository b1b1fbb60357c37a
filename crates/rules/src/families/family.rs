//! What a family of games has to say. A folder beside this file answers all of it; what all families share (table,
//! clocks, draws, log, records) asks nothing else of them.
//!
//! [`Family`] names the types and the data of a family. The other traits are what is asked of these types, and of the
//! family itself: each is implemented in the file of the folder that is named in its first line.
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
    /// Its name in JSON, kebab-case: what `family` says in a rule set.
    const NAME: &'static str;
    /// Its variants, the simplest first (`presets.rs`).
    const VARIANTS: &'static [Variant];
    /// The parameters that were added to rule sets after the first were stored, each with what was so before; see
    /// [`super::added`].
    const ADDED: &'static [Added];
    /// The rules of all its variants for people, in Markdown: English, then French. What stands before the first
    /// heading `## <variant>` is common to all.
    const PROSE: [&'static str; 2];
    /// The types of the reports of a battle after whose first a match cannot be called off any more.
    #[cfg(feature = "proof")]
    const BATTLE_REPORTS: &'static [&'static str];
    /// What fields of its reports that bear the family's own name are called, in English and in French; see
    /// [`crate::titles`].
    #[cfg(feature = "schema")]
    const FIELD_TITLES: &'static [(&'static str, [&'static str; 2])] = &[];
    /// The fields that its reports have in records; see [`crate::record::Format`].
    #[cfg(feature = "proof")]
    const RECORDED: &'static str;

    /// The parameters of one game.
    type Rules: Rules<Self>;
    /// What a player asks.
    type Action: Action<Self>;
    /// What happened, with its secrets.
    type Event: Event<Self>;
    /// What one viewer is told of an event.
    type Report: Clone + PartialEq + Debug + Serialize;
    /// What a player may decide now, with an example.
    type Decision: Clone + PartialEq + Debug + Serialize;
    /// The whole truth of a battle.
    type State: State<Self>;
    /// What one viewer knows of a battle.
    type Knowledge: Knowledge<Self>;
}

/// How a match opens.
pub(crate) struct Opening<E> {
    /// The seat that begins.
    pub first: Seat,
    /// The name of each seat, as an index into [`Rules::seat_names`]; empty where `first` alone says what seats are
    /// called.
    pub names: Vec<u8>,
    /// What else is drawn before the first deployment.
    pub event: Option<E>,
}

/// What an action brings about in a battle, and the result if it ends the match.
pub(crate) type Decided<E> = (Vec<E>, Option<Outcome>);

/// The parameters of one game (`rules.rs`). Serialised, they are one flat JSON object with `family`.
pub(crate) trait Rules<F: Family>: Clone + PartialEq + Debug + Serialize {
    /// The parameters that are objects and may be changed field by field.
    const CHANGED_BY_FIELD: &'static [&'static str] = &[];

    /// Reads a whole rule set: every parameter, its bounds, and what contradicts each other. All faults are named at
    /// once.
    fn read(value: &Value, faults: &mut Faults) -> Option<Self>;

    /// What follows from the changes that a player asks for, in what they leave as it was: looked at before the whole
    /// is read.
    fn follow(_changes: &Value, _whole: &mut Value) {}

    /// Whether such a game can begin at all (is there room for the fleet?): asked of rule sets that players make, not
    /// of stored ones.
    fn is_playable(&self) -> Result<(), Fault> {
        Ok(())
    }

    /// The fewest and the most seats.
    fn seats(&self) -> (u8, u8);

    /// Does everybody play alone, and all on the same terms?
    fn is_even(&self) -> bool {
        true
    }

    /// Are two seats on one side?
    fn allied(&self, one: Seat, other: Seat) -> bool {
        one == other
    }

    /// Who places a fleet first; the others follow as the steps say.
    fn deploying_first(&self, seats: u8) -> SeatSet {
        SeatSet::first(seats)
    }

    /// The names that a player may prefer for a seat; empty where names follow from who begins.
    fn seat_names(&self) -> &'static [&'static str] {
        &[]
    }

    /// What a seat is called when `first` begins and the seats were given these names at the opening.
    fn seat_name(&self, first: Seat, names: &[u8], seat: Seat) -> &'static str;

    /// Draws what is drawn before the first deployment.
    fn opening(&self, seats: u8, preferences: &SeatPreferences, draws: &mut Draws<'_>) -> Opening<F::Event>;

    /// The same rules with another word on who begins; unchanged where that is not for the rules to say.
    fn begun_by(self, _first: First) -> Self {
        self
    }
}

/// What a variant's card says of a rule set (`card.rs`).
pub(crate) trait Card: Family {
    /// The board of a match with so many seats: enough to draw it.
    fn board(rules: &Self::Rules, seats: u8) -> BoardCard;

    /// The classes of ships, without titles but for ships that have names of their own; [`crate::titles`] gives the
    /// rest.
    fn classes(rules: &Self::Rules) -> Vec<ClassCard>;

    /// What is used up, by id and name for people.
    fn supplies(_rules: &Self::Rules) -> Vec<(ClassId, String)> {
        Vec::new()
    }

    /// The family's actions by phase.
    fn actions(rules: &Self::Rules) -> Vec<ActionCard>;

    /// For every action of the family, what the actor, an opponent and a spectator are told.
    fn answers(rules: &Self::Rules, language: Language) -> Vec<AnswerCard>;
}

/// What a player asks (`action.rs`).
pub(crate) trait Action<F: Family>: Clone + PartialEq + Debug + Serialize {
    /// The types of the actions under these rules.
    fn types(rules: &F::Rules) -> &'static [&'static str];

    /// Reads an action whose type is `kind`, one of [`Action::types`]. Only its form is looked at, not whether it is
    /// legal now.
    fn read(rules: &F::Rules, seats: u8, kind: &str, value: &Value, faults: &mut Faults) -> Option<Self>;
}

/// What happened (`event.rs`). It carries results, so that nothing is judged twice; its bytes are stored for ever, see
/// [`crate::log`].
pub(crate) trait Event<F: Family>: Clone + PartialEq + Encode<()> + for<'b> Decode<'b, ()> {
    /// Could it have happened under these rules, as far as seats, ships and cells go? Asked of logs that may be
    /// damaged.
    fn fits(&self, rules: &F::Rules, seats: u8) -> bool;

    /// How many draws of chance it took.
    fn draws(&self) -> u32 {
        0
    }

    /// Who asked for it, and the action: playing that again brings the same event about. `None` where no player asked.
    fn asked(&self, rules: &F::Rules, seats: u8) -> Option<(Seat, F::Action)>;

    /// Is what was asked a secret, to be committed to?
    fn is_secret(&self) -> bool {
        false
    }

    /// Of shots: who fired, how many there were, and how many of them truly hit a ship.
    fn shots(&self) -> Option<(Seat, usize, usize)> {
        None
    }
}

/// The secrecy of the family, all of it (`disclose.rs`).
pub(crate) trait Disclosure: Family {
    /// What a viewer is told of an event. Number and time of the report are filled in by the caller.
    fn disclose(rules: &Self::Rules, seats: u8, event: &Self::Event, viewer: Viewer) -> Self::Report;
}

/// Reports as the table handles them (`report.rs`, `notation.rs`).
pub(crate) trait Notation: Family {
    /// Number and time of the report, to be filled in for its viewer.
    fn head(report: &mut Self::Report) -> (&mut u32, &mut Time);

    /// The report on one line, in words that can be read aloud. `name` tells what a seat is called.
    fn line(rules: &Self::Rules, name: &dyn Fn(Seat) -> &'static str, report: &Self::Report) -> String;
}

/// The whole truth of a battle (`state.rs`).
pub(crate) trait State<F: Family>: Clone {
    /// A battle before anything has happened.
    fn new(rules: &F::Rules, seats: u8) -> Self;

    /// The match is open; `names` as in [`Opening`].
    fn open(&mut self, first: Seat, names: &[u8]);

    /// What a legal action brings about; nothing is changed. `None` for an action that could never be legal.
    fn decide(
        &self,
        rules: &F::Rules,
        seat: Seat,
        action: &F::Action,
        draws: &mut Draws<'_>,
    ) -> Option<Decided<F::Event>>;

    /// A deployment drawn by the dice, as the action that a player might have sent.
    fn deploy_auto(&self, rules: &F::Rules, seat: Seat, dice: &mut Dice) -> Option<F::Action>;

    /// Takes an event in as it is, and says what it means at the table.
    fn apply(&mut self, rules: &F::Rules, event: &F::Event) -> Option<Step>;

    /// A seat has resigned, or is out of time. With two seats that ends the match, and there is no step.
    fn leave(&mut self, rules: &F::Rules, seat: Seat) -> Option<Step>;

    /// What follows when seats have just left for this reason.
    fn after_leaving(&self, rules: &F::Rules, reason: Reason) -> Decided<F::Event>;

    /// The result when all who still play agree on a draw.
    fn drawn(&self) -> Outcome;

    /// The event that lays everything open after the end.
    fn reveal(&self) -> F::Event;
}

/// What one viewer knows: the fold of the reports to that viewer, and of nothing else (`knowledge.rs`).
pub(crate) trait Knowledge<F: Family>: Clone + PartialEq {
    /// What is known before anything has happened.
    fn new(rules: &F::Rules, seats: u8) -> Self;

    /// The match is open; `names` as in [`Opening`].
    fn open(&mut self, first: Seat, names: &[u8]);

    /// The match is over.
    fn close(&mut self);

    /// Takes a report in, and says what it means at the table: the same step as [`State::apply`].
    fn learn(&mut self, rules: &F::Rules, report: &F::Report) -> Option<Step>;

    /// A seat has resigned, or is out of time: the same step as [`State::leave`].
    fn leave(&mut self, _rules: &F::Rules, _seat: Seat) -> Option<Step> {
        None
    }

    /// The seas as this viewer knows them, in the order of the board's card.
    fn render(&self, rules: &F::Rules) -> Vec<SeaView>;

    /// The number of the round that is played, from 1, and of the last one; `None` before the first, and where no limit
    /// is set.
    fn round(&self, _rules: &F::Rules) -> Option<Round> {
        None
    }

    /// The board of this match, with what was drawn at its opening.
    fn board(&self, rules: &F::Rules, seats: u8) -> BoardCard
    where
        F: Card,
    {
        F::board(rules, seats)
    }
}

/// Legality, asked of what is known, so that no refusal can depend on a secret (`legal.rs`).
pub(crate) trait Legality: Family {
    /// May the seat play this now? What goes wrong because of something hidden is never an error but a result.
    fn legal(
        rules: &Self::Rules,
        table: &Table,
        known: &Self::Knowledge,
        seat: Seat,
        action: &Self::Action,
    ) -> Result<(), Illegal>;
}

/// What is legal, as choices (`decision.rs`).
pub(crate) trait Choices: Family {
    /// What the seat must decide now: one of these, each with an example that is legal.
    fn decisions(
        rules: &Self::Rules,
        table: &Table,
        known: &Self::Knowledge,
        seat: Seat,
        dice: &mut Dice,
    ) -> Vec<Self::Decision>;

    /// The example of a decision, as an action.
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

/// A rule set with changes that a player asks for. Changes that name every parameter there has always been are a whole
/// rule set, as it is stored and shown: what was added later and is left out of it is as before it existed.
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

/// Finds texts that must not be shown: names of classes and ships are read by everybody. What is stored is read without
/// this, so that it stays readable.
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

/// Writes a rule set in its one JSON form: without what was added later and says what was so before.
pub(crate) fn serialize<F: Family, R: Rules<F>, S: Serializer>(rules: &R, serializer: S) -> Result<S::Ok, S::Error> {
    if F::ADDED.is_empty() {
        return rules.serialize(serializer);
    }
    let mut value = serde_json::to_value(rules).map_err(serde::ser::Error::custom)?;
    super::added::leave_out(F::ADDED, &mut value);
    value.serialize(serializer)
}
