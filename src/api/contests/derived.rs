//! Terms with derived defaults: when an edit changes the fields that a default depends on, it is derived again. A term
//! that was set to just its default can't be told from an unset one, and is derived again as well.

use broadside_contests::Form;
use broadside_contests::pairing::PairingTerms;
use serde_json::{Map, Value};

use crate::api::tournaments::form_terms;
use crate::ladders::{FormTerms, LadderTerms};
use crate::tournaments::TournamentTerms;
use crate::tournaments::round_time::AtDeadline;
use crate::tournaments::terms::max_players_of;

/// The fields that determine the rules.
pub const RULES: [&str; 3] = ["variant", "named_rule_set", "rule_set"];

/// A term that equals its derived default.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Derived {
    /// The field of the request.
    field: &'static str,
    /// The member, if the field is an object.
    part: Option<&'static str>,
    /// The fields that the default depends on.
    from: &'static [&'static str],
}

impl Derived {
    const fn of(field: &'static str, from: &'static [&'static str]) -> Self {
        Self { field, part: None, from }
    }

    /// Removes the term, so that it is derived again, unless it was sent or its source fields are unchanged.
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

/// The derived terms of a ladder.
pub fn of_ladder(terms: &LadderTerms) -> Vec<Derived> {
    // The number has another meaning for each ranking.
    let mut derived = vec![Derived::of("ranking_results", &["ranking"])];
    if let FormTerms::Rating(own) = &terms.form {
        let usual = PairingTerms::usual(&terms.agreed.clock);
        let parts = [("relax_s", own.relax_s == usual.relax_s), ("no_return_s", own.no_return_s == usual.no_return_s)];
        let part = |(part, _)| Derived { field: "pairing_rule", part: Some(part), from: &["clock"] };
        derived.extend(parts.into_iter().filter(|(_, is_usual)| *is_usual).map(part));
    }
    derived
}

/// The derived terms of a tournament.
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
