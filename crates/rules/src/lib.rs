//! The rules of the naval-battle games, pure.
//!
//! One flow, in one direction:
//!
//! ```text
//! Action ──decide──▶ Event ──disclose(to viewer)──▶ Report ──learn──▶ View
//!            ▲         │                                                │
//!            │         └──apply──▶ Battle                               │
//!            └────────────────── legal(view, action) ◀──────────────────┘
//! ```
//!
//! [`Battle`] and [`Event`] hold secrets and cannot be serialised; [`disclose()`] is the one way out of them. A
//! [`View`] is the fold of one viewer's reports, and legality is asked of the view, so that no refusal can depend on a
//! secret.
//!
//! What is deliberately not here: input and output, threads, a clock and a source of randomness. Time and dice are
//! arguments. Everything that belongs to one game family lives in [`families`].
#![cfg_attr(not(any(feature = "schema", feature = "proof")), no_std)]
extern crate alloc;

mod schema;

pub mod action;
pub mod battle;
pub mod card;
pub mod chance;
pub mod clock;
mod clocks;
pub mod deadline;
pub mod decision;
pub mod dice;
pub mod disclose;
pub mod event;
pub mod families;
pub mod grid;
pub mod hand_over;
pub mod illegal;
pub mod legal;
pub mod log;
pub mod outcome;
pub mod pattern;
pub mod pause;
pub mod printable;
#[cfg(feature = "proof")]
pub mod proof;
mod read;
#[cfg(feature = "proof")]
pub mod record;
pub mod report;
pub mod rest;
pub mod seat;
pub mod setup;
mod table;
pub mod text;
pub mod time;
pub mod timetable;
pub mod titles;
pub mod view;
pub mod view_model;

pub use action::Action;
pub use battle::Battle;
pub use chance::{Chance, Nonce};
pub use clock::{Clock, Rests};
pub use deadline::{Deadline, DeadlineRule};
pub use decision::Decision;
pub use dice::Dice;
pub use disclose::disclose;
pub use event::Event;
pub use families::{FamilyName, First, RuleSet, Variant, variants};
pub use hand_over::{HandOver, HandOverDecision};
pub use illegal::{Fault, Illegal};
pub use legal::legal;
pub use log::Entry;
pub use outcome::{Outcome, Status};
pub use pause::Pause;
pub use report::Report;
pub use rest::{DownTime, Plan, Rest, RestKind};
pub use seat::{Seat, SeatSet, Viewer};
pub use setup::Setup;
pub use time::Time;
pub use view::View;
