//! What can be wrong with a request to the rules, as data: every code with its meaning and the way out of it.
//! Nothing here decides; [`crate::legal()`] and the parsers do.
use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use serde::Serialize;

/// One thing that is wrong, and where.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Fault {
    /// JSON Pointer (RFC 6901) into what was sent, for example `/cells/2`; empty for the whole.
    pub pointer: String,
    /// A stable kebab-case code, one of [`CODES`].
    pub code: &'static str,
    /// What is wrong and what would be right, in English, for people.
    pub detail: String,
}

impl Fault {
    /// A fault at this place.
    pub fn new(pointer: impl Into<String>, code: &'static str, detail: impl Into<String>) -> Self {
        Self { pointer: pointer.into(), code, detail: detail.into() }
    }
}

/// Why an action is refused. It is worked out from the request and the actor's own view, so it can tell no secret.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Illegal {
    /// A stable kebab-case code, one of [`CODES`]: that of the first fault, if there are faults.
    pub code: &'static str,
    /// What is wrong and what would be right, in English, for people.
    pub detail: String,
    /// Every fault of the request; empty when the request as a whole comes at the wrong time.
    pub faults: Vec<Fault>,
}

impl Illegal {
    /// A refusal of the request as a whole.
    pub fn new(code: &'static str, detail: impl Into<String>) -> Self {
        Self { code, detail: detail.into(), faults: Vec::new() }
    }

    /// A refusal for these faults, or `Ok` when there are none.
    ///
    /// # Errors
    /// The refusal: its code is the first fault's.
    pub fn unless_none(faults: Vec<Fault>) -> Result<(), Self> {
        match faults.first() {
            None => Ok(()),
            Some(first) => {
                let detail = match faults.len() {
                    1 => first.detail.clone(),
                    n => format!("{n} faults; the first: {}", first.detail),
                };
                Err(Self { code: first.code, detail: detail.to_string(), faults })
            }
        }
    }
}

/// One code: what it is called, what it means, and what to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Code {
    /// The code on the wire.
    pub code: &'static str,
    /// A short title.
    pub title: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// What whoever gets it can do.
    pub what_to_do: &'static str,
}

const fn code(code: &'static str, title: &'static str, meaning: &'static str, what_to_do: &'static str) -> Code {
    Code { code, title, meaning, what_to_do }
}

/// The entry of this code.
#[must_use]
pub fn find(code: &str) -> Option<&'static Code> {
    CODES.iter().find(|entry| entry.code == code)
}

/// Every code that the rules use, of actions, rule sets and clocks.
pub const CODES: &[Code] = &[
    // When the action comes at the wrong time, or from the wrong person.
    code(
        "not-a-player",
        "Not a player",
        "Only somebody who has a seat in the match can act in it.",
        "Sign in as one of the players, or just watch.",
    ),
    code(
        "match-over",
        "The match is over",
        "The match has ended; nothing more can be played in it.",
        "Read the result; start a new match.",
    ),
    code(
        "not-your-turn",
        "Not your turn",
        "Another seat has to act first.",
        "Wait until your seat is listed in `to_act`.",
    ),
    code(
        "wrong-phase",
        "Not in this phase",
        "The match is not in the phase in which this action can be played.",
        "Play one of the actions that `decisions` lists.",
    ),
    code(
        "unknown-action",
        "Unknown action",
        "No action of this match has that type.",
        "Use one of the types named in the detail.",
    ),
    code(
        "already-deployed",
        "Already deployed",
        "Your fleet is placed, and a placed fleet is final.",
        "Wait for the battle.",
    ),
    code(
        "too-late-to-abort",
        "Too late to abort",
        "A salvo has been fired; from then on a match can only be played, resigned or drawn.",
        "Resign, or offer a draw.",
    ),
    code(
        "draw-not-offered",
        "No draw on offer",
        "Your opponent has no offer standing.",
        "Offer a draw yourself, if `decisions` lists it.",
    ),
    code(
        "draw-already-offered",
        "A draw is already on offer",
        "An offer stands, or you have already made one since you last played.",
        "Accept or decline your opponent's offer; your own you can make again after your next move.",
    ),
    // Shots.
    code(
        "unknown-cell",
        "Unknown cell",
        "The board has no cell of that name. Names are strict: as the board writes them, without leading zeros.",
        "Use labels of the variant's board.",
    ),
    code(
        "wrong-salvo-size",
        "Wrong salvo size",
        "A salvo is exactly the number of shots allowed.",
        "Send as many cells as `shots` of the decision says.",
    ),
    code("cell-named-twice", "A cell named twice", "The same cell is named more than once.", "Name each cell once."),
    code(
        "cell-already-tried",
        "A cell already tried",
        "The cell has been shot at before; its answer cannot change.",
        "Choose from `targets` of the decision.",
    ),
    code(
        "seat-out",
        "Out of the match",
        "Your seat is out of this match; the others play on.",
        "Watch, or look at your other matches.",
    ),
    code(
        "armistice",
        "Armistice",
        "There is an armistice: nobody plays, and no clock runs.",
        "Wait until it ends, or play `end-armistice`.",
    ),
    code("no-armistice", "No armistice", "There is no armistice to end.", "Play on."),
    code(
        "armistice-end-agreed",
        "Agreed already",
        "Your seat has agreed to end the armistice; it ends when everybody does, or when its time is over.",
        "Wait for the others.",
    ),
    code(
        "armistice-called-before",
        "Called before",
        "Each seat may call one armistice in a match.",
        "Play on, or offer a draw.",
    ),
    code(
        "abort-of-many",
        "Not for all",
        "A match of more than two seats cannot be called off by one of them.",
        "Resign: the others play on.",
    ),
    code(
        "abort-of-pairing",
        "Not in a ladder or a tournament",
        "A match for which a ladder or a tournament has brought its players together cannot be called off.",
        "Play, offer a draw, or resign.",
    ),
    code(
        "wrong-target",
        "Not a sea to fire at",
        "The sea named as `target` is not one of the match, or none in which enemy ships lie.",
        "Use the `target` of one of the decisions.",
    ),
    // Ships that move, charge and fire torpedoes.
    code(
        "ship-in-port",
        "The ship is in port",
        "A ship in port can neither fire nor be fired at.",
        "Choose a ship at sea.",
    ),
    code(
        "path-broken",
        "A broken path",
        "Each step of a path leads to a neighbouring square; port is entered and left over an arrow square only, and ends the move.",
        "Give every square of the way, in order.",
    ),
    code("path-too-long", "A path too long", "The path has more steps than the ship can make.", "Shorten it."),
    code("path-leaves-sea", "Off the edge", "The path leaves the sea.", "Stay on the board."),
    code(
        "path-blocked",
        "The way is blocked",
        "A ship of your own, or one that everybody sees, is in the way.",
        "Go around it.",
    ),
    code(
        "path-costs-too-much",
        "A path that costs too much",
        "A straight step costs one point of speed and a diagonal one two; a ship of speed 1 makes one step in any direction.",
        "Make fewer steps.",
    ),
    code(
        "no-charge-left",
        "No charge left",
        "The ship has no depth charge left.",
        "Rearm it in port, or choose another ship.",
    ),
    code(
        "already-moved",
        "Moved already",
        "Only one ship moves in a turn, once, and before anything is fired.",
        "Go on to the next step, or end the turn.",
    ),
    code(
        "already-charged",
        "Charged already",
        "Only one depth charge is dropped in a turn, before any torpedo.",
        "Go on to the next step, or end the turn.",
    ),
    code("wrong-ship", "The wrong ship", "The ship that moved drops the charge.", "Choose the ship that moved."),
    code("unknown-line", "Unknown line", "The board has no such line.", "Use one of the lines of the decision."),
    code(
        "not-on-line",
        "Not on the line",
        "The target does not lie on that line, or you have no submarine there.",
        "Use one of the choices of the decision.",
    ),
    code(
        "line-changed",
        "Another line",
        "All torpedoes of a turn run along one line.",
        "Stay on that line, or end the turn.",
    ),
    code(
        "no-submarine-left",
        "No submarine left to fire",
        "Every submarine of yours on that line has fired in this turn.",
        "End the turn.",
    ),
    code("no-torpedo-left", "No torpedo left", "The turn has no torpedo, or none any more.", "End the turn."),
    code(
        "nothing-done",
        "Nothing done yet",
        "At least one step has to be made while one is possible.",
        "Take one of the other required decisions.",
    ),
    code(
        "mine-under-submarine",
        "The mine is above a submarine",
        "The mine's square is not that of an own submarine, at any depth.",
        "Put the mine, or the submarine, elsewhere.",
    ),
    // Ships that share one sea.
    code(
        "not-your-cell",
        "Not a cell of yours",
        "Your seat may not place ships there.",
        "Use the cells that the decision lists.",
    ),
    code("cell-taken", "Two ships on a cell", "Only one ship stands on a cell.", "Give each ship a cell of its own."),
    code("ship-not-yours", "Not your ship", "The ship belongs to another nation.", "Order your own ships."),
    code("ship-ordered-twice", "Ordered twice", "A ship has one order a turn.", "Keep one of its orders."),
    code(
        "out-of-range",
        "Out of range",
        "The ship cannot fire at that distance.",
        "Use the targets that the decision lists.",
    ),
    code(
        "too-many-shots",
        "Too many shots",
        "The ship has fewer shots than cells are named.",
        "Name at most as many cells as its attack.",
    ),
    code("own-ship-there", "Your own ship is there", "A seat does not fire at its own ship.", "Choose another cell."),
    code(
        "not-detected",
        "Not detected",
        "A fleet of which no ship afloat has opened fire may give one order only, and it must be to fire.",
        "Give one order to fire, or none.",
    ),
    code("too-many-orders", "Too many orders", "More orders than ships.", "Give each ship one order at most."),
    // Ships placed or moved.
    code("ship-unknown", "Unknown ship", "The fleet has no ship of that id.", "Use the ids that the decision lists."),
    code(
        "ship-missing",
        "A ship is missing",
        "Every ship of the fleet must be placed.",
        "Add the ships named in the detail.",
    ),
    code("ship-repeated", "A ship named twice", "The same ship is placed more than once.", "Name each ship once."),
    code(
        "wrong-length",
        "Wrong length",
        "The ship does not have that many cells.",
        "Give exactly as many cells as the ship is long.",
    ),
    code(
        "not-straight",
        "Not straight",
        "A ship lies on neighbouring cells of one row or one column.",
        "Give a straight row of cells without a gap.",
    ),
    code(
        "wrong-shape",
        "Wrong shape",
        "A ship lies in the shape of its class, turned and mirrored only where its class may be.",
        "Give the cells of one of the `orientations` of its class.",
    ),
    code(
        "on-island",
        "On an island",
        "Islands are no water: no ship can lie there, and nothing can be shot at there.",
        "Give cells that the board does not show as `island`.",
    ),
    code(
        "touches-island",
        "Touches an island",
        "In this game ships keep away from islands.",
        "Place the ship on the `cells` that the decision lists for it.",
    ),
    code("ships-overlap", "Ships overlap", "Two ships share a cell.", "Give each ship cells of its own."),
    code(
        "ships-touch",
        "Ships touch",
        "These rules ask for a free cell between ships, diagonally too.",
        "Move one of the ships named away.",
    ),
    code(
        "border-forbidden",
        "Too much on the edge",
        "These rules allow a ship one cell on the edge of the sea at most.",
        "Turn the ship, or move it inwards.",
    ),
    code(
        "corner-forbidden",
        "On a corner",
        "These rules allow no ship on a corner of the sea.",
        "Move the ship off the corner.",
    ),
    code(
        "ship-sunk",
        "The ship is sunk",
        "A sunk ship can neither be moved nor do anything, nor be fired at by name.",
        "Leave it out, or choose another.",
    ),
    code(
        "ship-damaged",
        "The ship is damaged",
        "In this game a ship that has been hit does not move.",
        "Leave it out, or choose another.",
    ),
    code("too-far", "Too far", "The ship cannot move that far.", "Use the cells that the decision lists."),
    code("too-many-moves", "Too many ships", "More ships would move than may move at once.", "Leave some out."),
    // The form of what was sent.
    code("wrong-type", "Wrong type", "A value has the wrong JSON type.", "Send the type named in the detail."),
    code("missing-field", "A field is missing", "A field that is required is not there.", "Add it."),
    code(
        "unknown-field",
        "Unknown field",
        "A field is not known here; it is refused so that a slip is not silently ignored.",
        "Leave it out, or correct its name.",
    ),
    code(
        "unknown-value",
        "Unknown value",
        "A value is not one of those allowed.",
        "Use one of the values named in the detail.",
    ),
    // Rule sets and clocks.
    code(
        "out-of-bounds",
        "Out of bounds",
        "A number or a text is outside the limits allowed.",
        "Keep within the limits named in the detail.",
    ),
    code("contradiction", "Contradiction", "Two parameters cannot hold together.", "Change one of the two named."),
    code(
        "class-repeated",
        "A class named twice",
        "Two classes of the fleet have the same id.",
        "Give each class an id of its own.",
    ),
    code("too-many-ships", "Too many ships", "A fleet has at most 26 ships.", "Lower the counts."),
    code(
        "fleet-too-large",
        "The fleet is too large",
        "A fleet covers at most 40 % of the sea.",
        "Use fewer or shorter ships, or a larger board.",
    ),
    code(
        "no-legal-deployment",
        "No legal deployment",
        "The search found no way to place this fleet on this board under these rules.",
        "Use fewer ships, a larger board, or allow contact.",
    ),
];
