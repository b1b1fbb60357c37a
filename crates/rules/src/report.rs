//! Reports to one viewer: the wire structs of the table, and the union with the families' own. [`crate::disclose()`]
//! decides who learns what.
use alloc::{format, string::String, vec::Vec};

use serde::Serialize;

use crate::{
    deadline::DeadlineRule,
    families,
    hand_over::HandOverDecision,
    outcome::{Place, Reason},
    rest::Rest,
    seat::Seat,
    setup::Setup,
    text::Digest,
    time::Time,
};

/// A report to one viewer: a union of objects told apart by `type`.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(untagged)]
pub enum Report {
    /// A report of the table.
    Table(TableReport),
    /// A report of the family.
    Family(families::Report),
}

#[cfg(feature = "schema")]
crate::schema::union_of!(
    Report,
    "One thing that this viewer learns. `number` counts this viewer's reports from 1, without gaps.",
    TableReport,
    families::Report
);

impl Report {
    /// The report on one line, in words that can be read aloud; `name` gives the name of a seat.
    #[must_use]
    pub fn line(&self, setup: &Setup, name: &dyn Fn(Seat) -> &'static str) -> String {
        match self {
            Self::Table(report) => report.line(name),
            Self::Family(report) => report.line(&setup.rules, name),
        }
    }

    /// The recorded fields of its union.
    #[cfg(feature = "proof")]
    pub(crate) fn recorded(&self) -> &'static str {
        match self {
            Self::Table(_) => RECORDED,
            Self::Family(report) => report.recorded(),
        }
    }

    /// The report with its number for this viewer (from 1) and its time; before that both are 0.
    #[must_use]
    pub fn stamped(mut self, number: u32, at: Time) -> Self {
        let head = match &mut self {
            Self::Table(report) => report.head(),
            Self::Family(report) => report.head(),
        };
        *head.0 = number;
        *head.1 = at;
        self
    }
}

/// Declares reports, each with type, number and time, and their union.
macro_rules! reports {
    (
        $(#[$about:meta])* $union:ident as $schema:ident;
        $($(#[$doc:meta])* $variant:ident $name:ident $tag:ident $value:literal { $($(#[$fdoc:meta])* $field:ident : $type:ty),* $(,)? })+
    ) => {
        $(
            $crate::schema::tag!(
                #[doc = concat!("Always `", $value, "`.")]
                $tag = $value
            );
            $(#[$doc])*
            #[derive(Clone, PartialEq, Debug, serde::Serialize)]
            #[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
            #[serde(deny_unknown_fields)]
            pub struct $name {
                #[doc = concat!("Always `", $value, "`.")]
                #[cfg_attr(feature = "schema", schema(schema_with = $tag::shape))]
                pub r#type: $tag,
                /// The report's number for this viewer, from 1.
                #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 1_000_000, format = Int32))]
                pub number: u32,
                /// When it happened.
                pub at: Time,
                $($(#[$fdoc])* pub $field: $type),*
            }
            impl $name {
                /// The report before its number and time are set.
                pub(crate) const fn unstamped($($field: $type),*) -> $union {
                    $union::$variant(Self { r#type: $tag::Value, number: 0, at: Time(0), $($field),* })
                }
            }
        )+

        $(#[$about])*
        #[derive(Clone, PartialEq, Debug, serde::Serialize)]
        #[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = $schema))]
        #[serde(untagged)]
        pub enum $union { $($(#[$doc])* $variant($name)),+ }

        impl $union {
            /// The number and the time, to be set for the viewer.
            pub(crate) const fn head(&mut self) -> (&mut u32, &mut Time) {
                match self { $(Self::$variant(report) => (&mut report.number, &mut report.at)),+ }
            }
        }
    };
}
pub(crate) use reports;

/// The recorded fields of the table's reports; lines are only ever added (see [`crate::record::Format`]).
#[cfg(feature = "proof")]
pub(crate) const RECORDED: &str = "
1 started at first number seats{name seat} type
1 draw-offered at number seat type
1 draw-accepted at number seat type
1 draw-declined at number seat type
1 armistice-called at lasts_s number seat type
1 armistice-agreed at number seat type
1 armistice-ended at number type
1 rests-planned at from number rests{from kind until} seat type until
1 clocks-rested at from number type until
1 deadline-reached at due_at number rule type
1 time-added at number seat seconds type
1 clocks-paused at from number type until
1 seat-handed-over at bot by number player seat type
1 resigned at number seat type
1 sealed at commitment number salt seat type
1 timed-out at number seat type
1 adjudicated at number type
1 aborted at number seat type
1 finished at number places{place seat} reason type winner
";

reports! {
    /// What a viewer is told of the table, whatever is played.
    TableReport as TableReport;
    /// The match began.
    Started StartedReport StartedTag "started" {
        /// The seat that fires first.
        first: Seat,
        /// The seats and their names.
        #[cfg_attr(feature = "schema", schema(max_items = 7))]
        seats: Vec<SeatName>,
    }
    /// A seat offered a draw.
    DrawOffered DrawOfferedReport DrawOfferedTag "draw-offered" {
        /// Who offered.
        seat: Seat,
    }
    /// A seat accepted the draw on offer.
    DrawAccepted DrawAcceptedReport DrawAcceptedTag "draw-accepted" {
        /// Who accepted.
        seat: Seat,
    }
    /// A seat declined the draw on offer. (An offer that is played past is declined without a report.)
    DrawDeclined DrawDeclinedReport DrawDeclinedTag "draw-declined" {
        /// Who declined.
        seat: Seat,
    }
    /// A seat called an armistice: play and clocks stop. The record of the match has every shot so far with its answer
    /// and its proof.
    ArmisticeCalled ArmisticeCalledReport ArmisticeCalledTag "armistice-called" {
        /// Who called it.
        seat: Seat,
        /// After how many seconds it ends, if it isn't ended before.
        #[cfg_attr(feature = "schema", schema(minimum = 5, maximum = 86_400, format = Int32))]
        lasts_s: u32,
    }
    /// A seat agreed to end the armistice.
    ArmisticeAgreed ArmisticeAgreedReport ArmisticeAgreedTag "armistice-agreed" {
        /// Who agreed.
        seat: Seat,
    }
    /// The armistice ended: everybody agreed, or its time was over. Clocks go on from where they stopped.
    ArmisticeEnded ArmisticeEndedReport ArmisticeEndedTag "armistice-ended" {
    }
    /// A seat's calendar: from `from` on its clock stands still in these spans. What was planned before `from` stays.
    /// It comes at the beginning, when what was known no longer reaches as far as a deadline, and when a player changes
    /// the calendar or takes a vacation.
    RestsPlanned RestsPlannedReport RestsPlannedTag "rests-planned" {
        /// Whose clock.
        seat: Seat,
        /// From when on.
        from: Time,
        /// The spans, in order and apart from each other.
        #[cfg_attr(feature = "schema", schema(max_items = 1000))]
        rests: Vec<Rest>,
        /// Until when they are known; `null`: for ever.
        #[cfg_attr(feature = "schema", schema(required))]
        until: Option<Time>,
    }
    /// The service could not be reached from `from` until `until`: every clock that runs stood still then, as far as
    /// that time lies in its turn, and so did an armistice. It comes when that was found out; deadlines move.
    ClocksRested ClocksRestedReport ClocksRestedTag "clocks-rested" {
        /// From when on.
        from: Time,
        /// Until when.
        until: Time,
    }
    /// The ladder or the tournament is paused from `from` until `until`: no clock runs then, and an armistice stands
    /// still. With a `from` that is known, that pause ends at another time: an organizer has ended it.
    ClocksPaused ClocksPausedReport ClocksPausedTag "clocks-paused" {
        /// From when on.
        from: Time,
        /// Until when, as far as it is known.
        until: Time,
    }
    /// The match wasn't over at the deadline that the terms of its tournament set. How it ends is said by the report
    /// that follows: `finished`, or `aborted` if nobody had placed a fleet.
    DeadlineReached DeadlineReachedReport DeadlineReachedTag "deadline-reached" {
        /// When that was.
        due_at: Time,
        /// What becomes of the match.
        rule: DeadlineRule,
    }
    /// Somebody who runs the ladder or the tournament gives the seat more time for the turn that is on.
    TimeAdded TimeAddedReport TimeAddedTag "time-added" {
        /// Whose clock.
        seat: Seat,
        /// How many seconds.
        #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 1_209_600, format = Int32))]
        seconds: u32,
    }
    /// Another player has the seat from now on, with everything that belongs to it: the fleet, what was reported to it,
    /// and the clock. If that had little time left and runs, a `time-added` follows.
    SeatHandedOver SeatHandedOverReport SeatHandedOverTag "seat-handed-over" {
        /// Which seat.
        seat: Seat,
        /// The account of the player. (Names may change; the match has them.)
        #[cfg_attr(feature = "schema", schema(max_length = 36, pattern = "^[0-9a-f-]{36}$"))]
        player: String,
        /// Does a program play?
        bot: bool,
        /// By whose decision.
        by: HandOverDecision,
    }
    /// A seat resigned.
    Resigned ResignedReport ResignedTag "resigned" {
        /// Who resigned.
        seat: Seat,
    }
    /// What a seat has just asked in secret is committed to: nobody can change it any more, and after the end anybody
    /// can check it.
    Sealed SealedReport SealedTag "sealed" {
        /// Whose secret.
        seat: Seat,
        /// SHA-256(salt ‖ canonical JSON (RFC 8785) of the action), in hexadecimal.
        commitment: Digest,
        /// The 32 bytes of salt in hexadecimal: told to the seat alone, `null` for everybody else.
        #[cfg_attr(feature = "schema", schema(required))]
        salt: Option<Digest>,
    }
    /// A seat ran out of time.
    TimedOut TimedOutReport TimedOutTag "timed-out" {
        /// Who ran out of time.
        seat: Seat,
    }
    /// Somebody who looks after the matches of the server ends this one. How is said by the report that follows:
    /// `finished`, or `aborted`.
    Adjudicated AdjudicatedReport AdjudicatedTag "adjudicated" {
    }
    /// The match was called off; it counts for nobody.
    Aborted AbortedReport AbortedTag "aborted" {
        /// Who called it off; `null` when nobody deployed in time, or somebody from outside did.
        #[cfg_attr(feature = "schema", schema(required))]
        seat: Option<Seat>,
    }
    /// The match ended with a result.
    Finished FinishedReport FinishedTag "finished" {
        /// Why it ended.
        reason: Reason,
        /// Who won; `null` for a draw.
        #[cfg_attr(feature = "schema", schema(required))]
        winner: Option<Seat>,
        /// Every seat's place, best first.
        #[cfg_attr(feature = "schema", schema(max_items = 7))]
        places: Vec<Place>,
    }
}

impl TableReport {
    fn line(&self, name: &dyn Fn(Seat) -> &'static str) -> String {
        match self {
            Self::Started(report) => {
                let seats: Vec<&str> = report.seats.iter().map(|seat| seat.name).collect();
                format!("the match begins: {}; {} plays first", seats.join(", "), name(report.first))
            }
            Self::Sealed(report) => format!("{} is committed to {}", name(report.seat), report.commitment),
            Self::DrawOffered(report) => format!("{} offers a draw", name(report.seat)),
            Self::DrawAccepted(report) => format!("{} accepts the draw", name(report.seat)),
            Self::DrawDeclined(report) => format!("{} declines the draw", name(report.seat)),
            Self::ArmisticeCalled(report) => format!("{} calls an armistice", name(report.seat)),
            Self::ArmisticeAgreed(report) => format!("{} would end the armistice", name(report.seat)),
            Self::ArmisticeEnded(_) => "the armistice ends".into(),
            Self::RestsPlanned(report) => {
                let rests: Vec<String> = report.rests.iter().map(Rest::line).collect();
                let rests = if rests.is_empty() { "never".into() } else { rests.join(", ") };
                let until = report.until.map_or_else(String::new, |until| format!(" until {until}"));
                format!("from {}{until} the clock of {} rests: {rests}", report.from, name(report.seat))
            }
            Self::ClocksRested(report) => {
                format!("the service could not be reached from {} until {}: no clock ran", report.from, report.until)
            }
            Self::ClocksPaused(report) => {
                format!("the contest is paused from {} until {}: no clock runs", report.from, report.until)
            }
            Self::DeadlineReached(report) => {
                format!("the match should have ended by {}: {}", report.due_at, report.rule.line())
            }
            Self::TimeAdded(report) => format!("{} gets {} seconds more", name(report.seat), report.seconds),
            Self::SeatHandedOver(report) => {
                format!("{} is taken over by {}, {}", name(report.seat), report.player, report.by.line())
            }
            Self::Resigned(report) => format!("{} resigns", name(report.seat)),
            Self::TimedOut(report) => format!("{} runs out of time", name(report.seat)),
            Self::Adjudicated(_) => "the match is adjudicated".into(),
            Self::Aborted(_) => "the match is called off".into(),
            Self::Finished(report) => {
                let places: Vec<String> =
                    report.places.iter().map(|place| format!("{} {}", name(place.seat), place.place)).collect();
                let by = match report.reason {
                    Reason::Adjudicated => "adjudication",
                    reason => reason.word(),
                };
                format!("the match ends by {by}: {}", places.join(", "))
            }
        }
    }
}

/// A seat and its name.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct SeatName {
    /// The seat.
    pub seat: Seat,
    /// Its name: a colour, or a nation.
    #[cfg_attr(feature = "schema", schema(max_length = 16, pattern = "^[a-z-]+$"))]
    pub name: &'static str,
}
