//! Terms that follow from others unless they are given: when an edit changes what they follow from, they follow again.
//! A term that was given, and is just what would hold anyway, can't be told from these, and follows as well.

use broadside_contests::Form;
use broadside_contests::pairing::PairingTerms;
use serde_json::{Map, Value};

use crate::api::tournaments::form_terms;
use crate::ladders::{FormTerms, LadderTerms};
use crate::tournaments::TournamentTerms;
use crate::tournaments::round_time::AtDeadline;
use crate::tournaments::terms::max_players_of;

/// What says which rules are played.
pub const RULES: [&str; 3] = ["variant", "named_rule_set", "rule_set"];

/// A term that is as it would be if it weren't given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Derived {
    /// The field of the request.
    field: &'static str,
    /// The field in it, where it is an object.
    part: Option<&'static str>,
    /// The fields from which it follows.
    from: &'static [&'static str],
}

impl Derived {
    const fn of(field: &'static str, from: &'static [&'static str]) -> Self {
        Self { field, part: None, from }
    }

    /// Leaves it out of a request for changed terms, unless it was sent, or nothing has changed from which it follows.
    pub fn leave_out(&self, sent: &Map<String, Value>, before: &Map<String, Value>, after: &mut Map<String, Value>) {
        let changes = self.from.iter().any(|name| before.get(*name) != after.get(*name));
        if !changes || sent.contains_key(self.field) {
            return;
        }
        match self.part {
            None => drop(after.remove(self.field)),
            Some(part) => {
                if let Some(Value::Object(own)) = after.get_mut(self.field) {
                    own.remove(part);
                }
            }
        }
    }
}

/// The terms of a ladder that follow from others.
pub fn of_ladder(terms: &LadderTerms) -> Vec<Derived> {
    // The number means something else for each ranking.
    let mut derived = vec![Derived::of("ranking_results", &["ranking"])];
    if let FormTerms::Rating(own) = &terms.form {
        let usual = PairingTerms::usual(&terms.agreed.clock);
        let parts = [("relax_s", own.relax_s == usual.relax_s), ("no_return_s", own.no_return_s == usual.no_return_s)];
        let part = |(part, _)| Derived { field: "pairing_rule", part: Some(part), from: &["clock"] };
        derived.extend(parts.into_iter().filter(|(_, is_usual)| *is_usual).map(part));
    }
    derived
}

/// The terms of a tournament that follow from others.
pub fn of_tournament(terms: &TournamentTerms) -> Vec<Derived> {
    let mut derived = Vec::new();
    if terms.max_players == max_players_of(terms.form, terms.all_rounds_at_once, terms.groups.as_ref()) {
        derived.push(Derived::of("max_players", &["groups", "all_rounds_at_once"]));
    }
    let (fewest, seats) = form_terms::seats(terms.form, terms.groups.as_ref(), None, &terms.agreed.rules);
    if terms.min_players == fewest {
        derived.push(Derived::of("min_players", &["groups", "variant", "named_rule_set", "rule_set"]));
    }
    if terms.form == Form::Tables && terms.agreed.seats == seats {
        derived.push(Derived::of("seats", &RULES));
    }
    if terms.at_deadline == Some(AtDeadline::ByTimeTaken) {
        derived.push(Derived::of("at_deadline", &["round_time_s"]));
    }
    derived
}
