//! Replay of a record's log: the rules judge each line again, and the results are compared with the reports.
use alloc::{format, string::String, vec::Vec};

use serde::Deserialize;
use serde_json::Value;

use super::{
    Adjudicated, Format, Header, LogLine, LogPlan, MOST_PLANS, TimeAdded,
    compare::{Discrepancy, differences, field, note},
    log_line::{down_time, pause},
    verify::Read,
};
use crate::{
    action::Action,
    battle::Battle,
    chance::{Chance, Nonce},
    deadline::Deadline,
    dice::Dice,
    disclose::disclose,
    event::{Event, TableEvent},
    hand_over::HandOver,
    legal::legal,
    outcome::Status,
    pause::Pause,
    proof::commitment,
    rest::{DownTime, MOST_RESTS},
    seat::{Seat, Viewer},
    setup::Setup,
    text::Digest,
    time::Time,
    view::View,
};

/// A line of the log as read.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReadLine {
    pub at: Time,
    pub seat: Option<Seat>,
    action: Value,
    pub salt: Option<Digest>,
    #[serde(default)]
    pub adjudicated: Option<Adjudicated>,
    #[serde(default)]
    pub deadline: Option<Deadline>,
    #[serde(default)]
    pub time_added: Option<TimeAdded>,
    #[serde(default)]
    pub handed_over: Option<HandOver>,
    #[serde(default)]
    pub down_times: Vec<DownTime>,
    #[serde(default)]
    pub pauses: Vec<Pause>,
    #[serde(default)]
    pub plans: Vec<LogPlan>,
}

impl ReadLine {
    /// Is nothing done from outside?
    fn is_undisturbed(&self) -> bool {
        self.adjudicated.is_none() && self.deadline.is_none() && self.time_added.is_none() && self.handed_over.is_none()
    }

    /// Does it have only a player's action?
    pub fn is_plain(&self) -> bool {
        self.is_undisturbed() && self.down_times.is_empty() && self.pauses.is_empty() && self.plans.is_empty()
    }
}

/// Reads a line of the log and its action, each in its exact spelling.
pub(super) fn read_line(
    value: &Value,
    setup: &Setup,
    at: &str,
    discrepancies: &mut Vec<Discrepancy>,
) -> Option<(ReadLine, Option<Action>)> {
    let line: ReadLine = match field(value, at) {
        Ok(line) => line,
        Err(discrepancy) => {
            discrepancies.push(discrepancy);
            return None;
        }
    };
    let action = if line.action.is_null() {
        None
    } else {
        match Action::parse(setup, &line.action) {
            Ok(action) => Some(action),
            Err(illegal) => {
                let place = illegal.faults.first().map_or("", |fault| &fault.pointer);
                note(discrepancies, format!("{at}/action{place}"), illegal.code, illegal.detail.clone());
                return None;
            }
        }
    };
    if line.salt.is_some_and(|salt| salt.bytes().is_none()) {
        note(discrepancies, format!("{at}/salt"), "record-malformed", "a salt is 64 hexadecimal digits");
        return None;
    }
    if line.plans.len() > MOST_PLANS || line.plans.iter().any(|plan| plan.rests.len() > MOST_RESTS) {
        let detail = format!("a line has at most {MOST_PLANS} plans, and a plan {MOST_RESTS} rests");
        note(discrepancies, format!("{at}/plans"), "record-malformed", detail);
        return None;
    }
    if line.down_times.len() > MOST_PLANS {
        let detail = format!("a line has at most {MOST_PLANS} spans of down time");
        note(discrepancies, format!("{at}/down_times"), "record-malformed", detail);
        return None;
    }
    if line.pauses.len() > MOST_PLANS {
        let detail = format!("a line has at most {MOST_PLANS} pauses");
        note(discrepancies, format!("{at}/pauses"), "record-malformed", detail);
        return None;
    }
    let again = LogLine {
        at: line.at,
        seat: line.seat,
        action: action.clone(),
        salt: line.salt,
        adjudicated: line.adjudicated,
        deadline: line.deadline,
        time_added: line.time_added,
        handed_over: line.handed_over.clone(),
        down_times: line.down_times.clone(),
        pauses: line.pauses.clone(),
        plans: line.plans.clone(),
    };
    let known = discrepancies.len();
    differences(at, &serde_json::to_value(&again).unwrap_or_default(), value, discrepancies);
    (discrepancies.len() == known).then_some((line, action))
}

/// The match, judged again from its log.
struct Replay<'r> {
    format: Format,
    setup: &'r Setup,
    created_at: Time,
    battle: Battle,
    chance: Chance,
    views: Vec<View>,
    /// All players so far, former ones included.
    players: Vec<String>,
    /// The number of public reports so far.
    told: usize,
    opened: usize,
}

/// Judges every line again; returns the number of opened commitments.
pub(super) fn replay(
    read: &Read,
    format: Format,
    header: &Header,
    setup: &Setup,
    discrepancies: &mut Vec<Discrepancy>,
) -> usize {
    let seed = read.seed.as_str().and_then(Digest::new).and_then(|seed| seed.bytes());
    let Some(seed) = seed.filter(|seed| Digest::of(&Chance::commitment(seed)) == header.chance_commitment) else {
        note(discrepancies, "/seed", "record-commitment-broken", "it is not the seed that was committed to");
        return 0;
    };
    let nonces: Vec<Option<Nonce>> =
        header.seats.iter().map(|seat| seat.nonce.as_deref().and_then(Nonce::new)).collect();
    let viewers = (0..setup.seats).map(|seat| Viewer::Seat(Seat(seat))).chain([Viewer::Spectator]);
    let mut again = Replay {
        format,
        setup,
        created_at: header.created_at,
        battle: Battle::new(setup.clone()),
        chance: Chance::new(&seed, &nonces),
        views: viewers.map(|viewer| View::new(setup, viewer)).collect(),
        players: header.seats.iter().map(|seat| seat.player.clone()).collect(),
        told: 0,
        opened: 0,
    };
    for (index, line) in read.log.iter().enumerate() {
        let at = format!("/log/{index}");
        let known = discrepancies.len();
        if let Some((line, action)) = read_line(line, setup, &at, discrepancies) {
            again.play(index, &line, action.as_ref(), &read.reports, &at, discrepancies);
        }
        // After an error the rest cannot be judged.
        if discrepancies.len() > known {
            return again.opened;
        }
    }
    if again.told < read.reports.len() {
        let detail = "the log does not bring this report about";
        note(discrepancies, format!("/reports/{}", again.told), "record-altered", detail);
    }
    if again.battle.status() != Status::Finished {
        note(discrepancies, "/log", "record-altered", "the match does not end with its last line");
    }
    again.opened
}

impl Replay<'_> {
    /// Judges one line again, and compares its results with the reports.
    fn play(
        &mut self,
        index: usize,
        line: &ReadLine,
        action: Option<&Action>,
        reports: &[Value],
        at: &str,
        discrepancies: &mut Vec<Discrepancy>,
    ) {
        if index == 0 && line.at != self.created_at {
            note(discrepancies, format!("{at}/at"), "record-altered", "a match is opened when it is made");
        }
        let events = match self.ask(index, line, action) {
            Ok(events) => events,
            Err(discrepancy) => {
                discrepancies.push(Discrepancy { pointer: format!("{at}{}", discrepancy.pointer), ..discrepancy });
                return;
            }
        };
        // A line without an action may be there for its plans alone.
        let plans_alone = line.seat.is_none() && action.is_none() && line.is_undisturbed() && !line.plans.is_empty();
        if events.is_empty() && !plans_alone {
            note(discrepancies, at, "record-altered", "nothing could come of this line here");
            return;
        }
        // The same action spelled differently (ships in another order) does not fit the commitment.
        if let (Some((_, asked)), Some(action)) = (events.first().and_then(|event| event.asked(self.setup)), action) {
            let [asked, action] = [&asked, action].map(|action| serde_json::to_value(action).unwrap_or_default());
            differences(&format!("{at}/action"), &asked, &action, discrepancies);
        }
        let known = discrepancies.len();
        let secrets = events.iter().filter(|event| event.is_secret()).count();
        let salt = line.salt.and_then(|salt| salt.bytes());
        if secrets != usize::from(salt.is_some()) {
            let detail =
                if salt.is_some() { "there is no secret to it" } else { "the salt of its commitment is missing" };
            note(discrepancies, format!("{at}/salt"), "record-altered", detail);
            return;
        }
        for event in events {
            let secret = event.is_secret();
            let asked = if secret { event.asked(self.setup) } else { None };
            self.tell(&event, line.at, reports, at, discrepancies);
            if let (Some((seat, action)), Some(salt)) = (asked, salt) {
                let commitment = commitment(&salt, &action);
                let known = discrepancies.len();
                self.tell(&TableEvent::Sealed { seat, commitment, salt }.into(), line.at, reports, at, discrepancies);
                if discrepancies.len() > known {
                    note(discrepancies, at, "record-commitment-broken", "this is not what was committed to then");
                } else {
                    self.opened += 1;
                }
            }
        }
        self.players.extend(line.handed_over.as_ref().map(|to| to.player.clone()));
        self.plan(line, reports, at, discrepancies);
        if discrepancies.len() > known {
            note(discrepancies, at, "record-altered", "what comes of this line is not what was reported");
        }
    }

    /// Checks the rests planned in a line: each must have the rules' own form.
    fn plan(&mut self, line: &ReadLine, reports: &[Value], at: &str, discrepancies: &mut Vec<Discrepancy>) {
        for (index, plan) in line.plans.iter().enumerate() {
            let at = format!("{at}/plans/{index}");
            let events = self.battle.plan_rests(plan.seat, plan.from, &plan.rests, plan.until, line.at);
            let Some(event) = events.first() else {
                note(discrepancies, at, "record-altered", "nothing can come of this plan here");
                return;
            };
            let [made, read] =
                [LogPlan::of(event).as_ref(), Some(plan)].map(|plan| serde_json::to_value(plan).unwrap_or_default());
            differences(&at, &made, &read, discrepancies);
            self.tell(event, line.at, reports, &at, discrepancies);
        }
    }

    /// The events that the rules make of the line, or the reason why it cannot stand here.
    fn ask(&self, index: usize, line: &ReadLine, action: Option<&Action>) -> Result<Vec<Event>, Discrepancy> {
        if !line.down_times.is_empty() {
            return self.rested(index, line, action);
        }
        if !line.pauses.is_empty() {
            return self.paused(index, line, action);
        }
        Ok(match (line.seat, action) {
            (None, None) if index == 0 => Battle::open(self.setup, &self.chance),
            (None, None) if line.is_undisturbed() => self.battle.expire(line.at),
            _ if !self.battle.expire(line.at).is_empty() => {
                return Err(Discrepancy::new(
                    "/at",
                    "record-altered",
                    "somebody's time, or the armistice, was over before",
                ));
            }
            (Some(seat), Some(action)) if index > 0 && line.is_undisturbed() => {
                let view = self.views.get(seat.index()).filter(|_| seat.0 < self.setup.seats);
                let view = view.ok_or_else(|| Discrepancy::new("/seat", "record-altered", "there is no such seat"))?;
                legal(view, action).map_err(|illegal| Discrepancy::new("/action", illegal.code, illegal.detail))?;
                // The dice place a fleet only for a player who left it to them; a log has the places themselves.
                let mut dice = Dice::from_seed([0; 32]);
                self.battle.decide(seat, action, &mut dice, &self.chance)
            }
            // A record cannot prove the reason for ending it; its public reports say that it was ended, and how.
            (None, None) => match (line.adjudicated, line.deadline, line.time_added, &line.handed_over) {
                (Some(by), None, None, None) => self.battle.adjudicate(by.winner),
                (None, Some(deadline), None, None) => self.battle.end_at_deadline(deadline, line.at),
                (None, None, Some(more), None) => self.battle.add_time(more.seat, more.seconds, line.at),
                (None, None, None, Some(to)) if !self.players.contains(&to.player) => {
                    self.battle.hand_over(to, line.at)
                }
                _ => Vec::new(),
            },
            _ => Vec::new(),
        })
    }

    /// Replays a line of down time. It says nothing else and comes before the clock is judged, since a record could not
    /// prove the down time.
    fn rested(&self, index: usize, line: &ReadLine, action: Option<&Action>) -> Result<Vec<Event>, Discrepancy> {
        let nobody = index > 0 && line.seat.is_none() && action.is_none();
        let alone = nobody && line.is_undisturbed() && line.pauses.is_empty();
        let events = self.battle.rest_clocks(&line.down_times, line.at);
        if alone && events.iter().filter_map(down_time).eq(line.down_times.iter().copied()) {
            return Ok(events);
        }
        Err(Discrepancy::new("/down_times", "record-altered", "no clock could have stood still like this here"))
    }

    /// Replays a line of contest pauses, under the same conditions as [`Self::rested`].
    fn paused(&self, index: usize, line: &ReadLine, action: Option<&Action>) -> Result<Vec<Event>, Discrepancy> {
        let alone = index > 0 && line.seat.is_none() && action.is_none() && line.is_undisturbed();
        let events = self.battle.pause_clocks(&line.pauses, line.at);
        if alone && events.iter().filter_map(pause).eq(line.pauses.iter().copied()) {
            return Ok(events);
        }
        Err(Discrepancy::new("/pauses", "record-altered", "the contest could not have been paused like this here"))
    }

    fn tell(&mut self, event: &Event, time: Time, reports: &[Value], at: &str, discrepancies: &mut Vec<Discrepancy>) {
        self.battle.apply(event, time);
        for view in &mut self.views {
            let Some(report) = disclose(self.setup, event, view.viewer()) else { continue };
            let report = report.stamped(view.version() + 1, time);
            view.learn(&report, time);
            if view.viewer() != Viewer::Spectator {
                continue;
            }
            let expected = self.format.report(&report);
            match reports.get(self.told) {
                Some(found) => differences(&format!("/reports/{}", self.told), &expected, found, discrepancies),
                None => {
                    discrepancies.push(Discrepancy::new(at, "record-altered", "the report of this line is missing"))
                }
            }
            self.told += 1;
        }
    }
}
