//! The pure logic of standing orders: their structure, the choice of an order for a turn, the remaining list, and the
//! due time. The turn, the owner's reports and the legality of actions are arguments.

use broadside_rules::{Time, pattern};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::openapi::schema::{AdditionalProperties, SchemaType};
use utoipa::openapi::{ObjectBuilder, RefOr, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

/// What is to be done at a turn: as a rule one action, used once.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct StandingOrder {
    /// All of them must hold; without any the order is unconditional.
    #[schema(required = false, max_items = 20, value_type = Vec<StandingCondition>)]
    pub when: Vec<Condition>,
    /// What is done if they hold.
    pub then: StandingBranch,
    /// What is done if they don't. Left out: the order is spent, and the next one is looked at.
    pub otherwise: Option<StandingBranch>,
    /// Whether the order stays when it has been carried out, or its conditions didn't hold; false unless given.
    #[schema(required = false)]
    pub repeat: bool,
}

/// An action, and what follows it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct StandingBranch {
    /// The action, as `POST /v1/matches/{id}/actions` takes it: one that a turn can ask for.
    #[schema(value_type = broadside_rules::Action)]
    pub action: Map<String, Value>,
    /// The orders that take the place of this one when it has been carried out.
    #[schema(required = false, max_items = 100, no_recursion)]
    pub next: Vec<StandingOrder>,
}

/// A condition on the reports that the owner has received since the owner's last action of the order's type.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Condition {
    /// At least one report matches the pattern.
    Reported { report: Map<String, Value> },
    /// No report matches the pattern.
    NotReported { report: Map<String, Value> },
}

impl Condition {
    pub fn pattern_mut(&mut self) -> &mut Map<String, Value> {
        match self {
            Self::Reported { report } | Self::NotReported { report } => report,
        }
    }

    /// True if the condition holds for these reports.
    pub fn holds(&self, told: &[Value]) -> bool {
        let fits = |pattern| told.iter().any(|report| pattern::fits(pattern, report));
        match self {
            Self::Reported { report } => fits(report),
            Self::NotReported { report } => !fits(report),
        }
    }
}

/// How long an order waits from the beginning of the turn on: a time between the two, drawn anew for each turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, ToSchema)]
pub struct Delay {
    /// So many seconds at least.
    #[schema(minimum = 0, maximum = 1_209_600, format = Int32)]
    pub min_s: u32,
    /// So many seconds at most.
    #[schema(minimum = 0, maximum = 1_209_600, format = Int32)]
    pub max_s: u32,
}

impl Delay {
    /// The default, one minute to one hour: a reply should not come faster than a person could give it.
    pub const USUAL: Self = Self { min_s: 60, max_s: 3600 };
    /// The longest delay, in seconds: equal to the longest move time.
    pub const MOST_S: u32 = 1_209_600;
    /// The longest delay before a further step of the same turn, in seconds: a person takes those steps in quick
    /// succession.
    const STEP: Self = Self { min_s: 5, max_s: 60 };

    /// This delay, shortened if necessary to at most `most_s` seconds.
    pub fn within_s(self, most_s: u32) -> Self {
        let most_s = self.max_s.min(most_s);
        Self { min_s: self.min_s.min(most_s / 2), max_s: most_s }
    }

    /// The safety margin before the deadline, in milliseconds: a tenth of the available time.
    fn margin_ms(since: Time, deadline: Time) -> i64 {
        let time = deadline.millis_since(since).max(0);
        (time / 10).clamp(2_000, 600_000).min(time / 2)
    }

    /// The latest due time for an order that waits for its owner: one to two margins before the deadline.
    pub fn last_moment(since: Time, deadline: Time, lot: u64) -> Time {
        let margin = Self::margin_ms(since, deadline);
        deadline.plus_ms(-margin - i64::try_from(lot % (margin.unsigned_abs() + 1)).unwrap_or_default())
    }

    /// The due time of an order whose turn began, or which was edited, at `since`, and whose `deadline` is given: no
    /// later than the margin before it. `lot` selects the moment.
    pub fn due(self, since: Time, is_step: bool, deadline: Option<Time>, lot: u64) -> Time {
        let [mut least, mut most] = [self.min_s, self.max_s].map(|seconds| i64::from(seconds) * 1000);
        if is_step {
            least = least.min(i64::from(Self::STEP.min_s) * 1000);
            most = most.min(i64::from(Self::STEP.max_s) * 1000);
        }
        if let Some(deadline) = deadline {
            let latest = deadline.millis_since(since).max(0) - Self::margin_ms(since, deadline);
            if least > latest {
                // The requested delay is too long: choose a time in the later half of what is available.
                least = latest / 2;
            }
            most = most.min(latest);
        }
        let choices = (most - least).max(0).unsigned_abs() + 1;
        since.plus_ms(least + i64::try_from(lot % choices).unwrap_or_default())
    }
}

pub fn kind(action: &Map<String, Value>) -> &str {
    action.get("type").and_then(Value::as_str).unwrap_or_default()
}

impl StandingOrder {
    pub fn branches(&self) -> impl Iterator<Item = (&'static str, &StandingBranch)> {
        let branches = [("then", Some(&self.then)), ("otherwise", self.otherwise.as_ref())];
        branches.into_iter().filter_map(|(name, branch)| Some((name, branch?)))
    }

    pub fn branches_mut(&mut self) -> impl Iterator<Item = (&'static str, &mut StandingBranch)> {
        let branches = [("then", Some(&mut self.then)), ("otherwise", self.otherwise.as_mut())];
        branches.into_iter().filter_map(|(name, branch)| Some((name, branch?)))
    }

    /// True if it has an answer for one of these action types.
    pub fn answers(&self, asked: &[String]) -> bool {
        self.branches().any(|(_, branch)| asked.iter().any(|asked| asked == kind(&branch.action)))
    }

    /// The number of orders, including nested ones.
    pub fn count(&self) -> usize {
        let inside = self.branches().flat_map(|(_, branch)| &branch.next);
        1 + inside.map(Self::count).sum::<usize>()
    }
}

/// The outcome of a list at a turn.
#[derive(PartialEq, Debug)]
pub struct Judgement {
    /// Orders that are used up: their conditions don't hold, and they have no alternative.
    pub spent: Vec<StandingOrder>,
    pub chosen: Option<Chosen>,
    /// The remaining list, without any of these.
    left: Vec<StandingOrder>,
}

/// The order chosen for a turn.
#[derive(PartialEq, Debug)]
pub struct Chosen {
    order: StandingOrder,
    is_then: bool,
    place: usize,
}

impl Chosen {
    fn branch(&self) -> &StandingBranch {
        match &self.order.otherwise {
            Some(otherwise) if !self.is_then => otherwise,
            _ => &self.order.then,
        }
    }

    pub fn action(&self) -> &Map<String, Value> {
        &self.branch().action
    }
}

impl Judgement {
    /// The list after the chosen order was carried out: its follow-up orders replace it, or it stays.
    pub fn done(self) -> Vec<StandingOrder> {
        let mut list = self.left;
        if let Some(chosen) = self.chosen {
            let place = chosen.place..chosen.place;
            let Chosen { order, is_then, .. } = chosen;
            match order {
                order if order.repeat => drop(list.splice(place, [order])),
                StandingOrder { otherwise: Some(branch), .. } if !is_then => drop(list.splice(place, branch.next)),
                order => drop(list.splice(place, order.then.next)),
            }
        }
        list
    }

    /// The list after the chosen order failed: it is removed with its follow-up orders.
    pub fn dropped(self) -> Vec<StandingOrder> {
        self.left
    }
}

/// Goes through the list from the top, for a turn that asks for actions of these types. `holds` evaluates the
/// conditions of an order that has an answer.
pub fn judge(list: Vec<StandingOrder>, asked: &[String], holds: impl Fn(&StandingOrder) -> bool) -> Judgement {
    let mut judged = Judgement { spent: Vec::new(), chosen: None, left: Vec::new() };
    for order in list {
        if judged.chosen.is_some() || !order.answers(asked) {
            judged.left.push(order);
            continue;
        }
        let is_then = holds(&order);
        if is_then || order.otherwise.is_some() {
            judged.chosen = Some(Chosen { order, is_then, place: judged.left.len() });
        } else if order.repeat {
            judged.left.push(order);
        } else {
            judged.spent.push(order);
        }
    }
    judged
}

fn tag(value: &'static str) -> RefOr<Schema> {
    ObjectBuilder::new().schema_type(SchemaType::new(Type::String)).enum_values(Some([value])).into()
}

fn reported_tag() -> RefOr<Schema> {
    tag("reported")
}

fn not_reported_tag() -> RefOr<Schema> {
    tag("not-reported")
}

/// A report pattern: a JSON object with a report's `type` and any of its fields. A report matches when it has every
/// field of the pattern with a matching value: objects match by the given fields, arrays when each given element
/// matches some element, and anything else by equality.
pub struct ReportPattern;

impl PartialSchema for ReportPattern {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .description(Some(
                "A pattern of a report: its `type` and any of its fields. A report fits when it has every field of the pattern with a value that fits: of an \
                 object the fields that are given, of an array some element for each element that is given, anything else the same.",
            ))
            .additional_properties(Some(AdditionalProperties::FreeForm(true)))
            .max_properties(Some(50))
            .into()
    }
}

impl ToSchema for ReportPattern {}

/// You have been told something that fits the pattern, from your last action of the order's type on (its answer
/// included).
#[derive(ToSchema)]
#[allow(dead_code, reason = "it only describes the contract")]
pub struct ReportedCondition {
    /// Always `reported`.
    #[schema(schema_with = reported_tag)]
    r#type: String,
    report: ReportPattern,
}

/// You have been told nothing that fits the pattern, from your last action of the order's type on (its answer
/// included).
#[derive(ToSchema)]
#[allow(dead_code, reason = "it only describes the contract")]
pub struct NotReportedCondition {
    /// Always `not-reported`.
    #[schema(schema_with = not_reported_tag)]
    r#type: String,
    report: ReportPattern,
}

/// A condition on what you have been told: a union of objects told apart by `type`.
#[derive(ToSchema)]
#[schema(as = StandingCondition)]
#[serde(untagged)]
#[allow(dead_code, reason = "it only describes the contract")]
pub enum StandingCondition {
    /// Something that fits.
    Reported(ReportedCondition),
    /// Nothing that fits.
    NotReported(NotReportedCondition),
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn action(kind: &str, number: usize) -> Map<String, Value> {
        [("type".to_owned(), json!(kind)), ("number".to_owned(), json!(number))].into_iter().collect()
    }

    fn branch(kind: &str, number: usize, next: Vec<StandingOrder>) -> StandingBranch {
        StandingBranch { action: action(kind, number), next }
    }

    fn plain(kind: &str, number: usize) -> StandingOrder {
        StandingOrder { when: Vec::new(), then: branch(kind, number, Vec::new()), otherwise: None, repeat: false }
    }

    fn fire() -> [String; 1] {
        ["fire".to_owned()]
    }

    fn numbers(list: &[StandingOrder]) -> Vec<u64> {
        list.iter().map(|order| order.then.action["number"].as_u64().unwrap()).collect()
    }

    #[test]
    fn what_follows_an_order_takes_its_place() {
        let pass = StandingOrder { repeat: true, ..plain("relocate", 1) };
        let mut tree = plain("fire", 2);
        tree.then.next = vec![plain("fire", 3), plain("fire", 4)];
        tree.otherwise = Some(branch("fire", 5, vec![plain("fire", 6)]));
        let list = vec![pass, tree, plain("fire", 7)];
        let yes = judge(list.clone(), &fire(), |_| true);
        assert_eq!(yes.chosen.as_ref().unwrap().action()["number"], 2);
        assert_eq!(numbers(&yes.done()), [1, 3, 4, 7]);
        let no = judge(list.clone(), &fire(), |_| false);
        assert_eq!(no.chosen.as_ref().unwrap().action()["number"], 5);
        assert_eq!(numbers(&no.done()), [1, 6, 7]);
        assert_eq!(numbers(&judge(list.clone(), &fire(), |_| true).dropped()), [1, 7]);
        let passed = judge(list.clone(), &["relocate".to_owned()], |_| true);
        assert_eq!(passed.chosen.as_ref().unwrap().action()["number"], 1);
        assert_eq!(passed.done(), list, "it stays as long as it can be carried out");
        assert_eq!(numbers(&judge(list, &["relocate".to_owned()], |_| true).dropped()), [2, 7]);
    }

    prop_compose! {
        /// Orders of two types, some with an alternative branch, some permanent.
        fn lists()(shapes in prop::collection::vec((any::<bool>(), any::<bool>(), any::<bool>()), 0..12)) -> Vec<StandingOrder> {
            shapes.into_iter().enumerate().map(|(number, (fires, otherwise, repeat))| StandingOrder {
                otherwise: otherwise.then(|| branch("fire", 1000 + number, Vec::new())),
                repeat,
                ..plain(if fires { "fire" } else { "relocate" }, number)
            }).collect()
        }
    }

    proptest! {
        /// No order is lost, duplicated or reordered; the first order with an answer is chosen, and no order before it
        /// had one.
        #[test]
        fn a_list_is_gone_through_from_the_top(list in lists(), holds in any::<u16>()) {
            let holds = |order: &StandingOrder| holds >> order.then.action["number"].as_u64().unwrap() & 1 == 1;
            let judged = judge(list.clone(), &fire(), holds);
            let answer = list.iter().find(|order| order.answers(&fire()) && (holds(order) || order.otherwise.is_some()));
            prop_assert_eq!(judged.chosen.as_ref().map(|chosen| &chosen.order), answer);
            let before = list.iter().take_while(|order| Some(*order) != answer);
            let spent: Vec<_> = before.filter(|order| order.answers(&fire()) && !order.repeat).cloned().collect();
            prop_assert_eq!(&judged.spent, &spent);
            let gone = |order: &&StandingOrder| spent.contains(order) || Some(*order) == answer;
            let left: Vec<_> = list.iter().filter(|order| !gone(order)).cloned().collect();
            prop_assert_eq!(&judged.left, &left);
            let stays = answer.is_some_and(|order| order.repeat);
            prop_assert_eq!(judged.done().len(), left.len() + usize::from(stays));
        }

        /// A delay keeps its bounds, and never exceeds the player's deadline.
        #[test]
        fn a_delay_keeps_its_bounds_and_the_deadline(
            least_s in 0..10_000_u32, more_s in 0..10_000_u32, time_s in prop::option::of(5..100_000_i64), is_step: bool, lot: u64,
        ) {
            let delay = Delay { min_s: least_s, max_s: least_s + more_s };
            let since = Time(1_795_246_200_000);
            let deadline = time_s.map(|time_s| since.plus_ms(time_s * 1000));
            let waits_ms = delay.due(since, is_step, deadline, lot).millis_since(since);
            let max_s = if is_step { delay.max_s.min(60) } else { delay.max_s };
            prop_assert!((0..=i64::from(max_s) * 1000).contains(&waits_ms));
            match time_s {
                Some(time_s) => prop_assert!(waits_ms <= time_s * 1000 - 2000),
                None if !is_step => prop_assert!(waits_ms >= i64::from(least_s) * 1000),
                None => {}
            }
        }
    }
}
