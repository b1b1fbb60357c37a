//! Our players in matches in memory. Every answer has to be legal.
use broadside_balance::Hand;
use broadside_bots::{Bot, Level};
use broadside_rules::{Action, Dice, RuleSet, View, families, legal};
use serde_json::{Value, json, to_value};

/// One of our players, which gets only the JSON of a client.
pub struct Ours {
    bot: Bot,
    reports: Vec<Value>,
}

/// A view as the service shows it, limited to the players' part.
pub fn told(view: &View, example_seed: [u8; 32]) -> Value {
    json!({
        "viewer": {"seat": view.viewer().seat()}, "version": view.version(), "seats": view.seats(),
        "seas": view.seas(), "decisions": view.decisions(example_seed),
    })
}

impl Ours {
    pub fn new(rules: &RuleSet, level: Level, seed: u64) -> Self {
        let bot = Bot::new(&to_value(rules).unwrap(), level, seed).unwrap();
        Self { bot, reports: Vec::new() }
    }
}

impl Hand for Ours {
    fn hear(&mut self, _view: &View, report: &families::Report) {
        self.reports.push(to_value(report).unwrap());
    }

    fn choose(&mut self, view: &View, dice: &mut Dice) -> Option<Action> {
        let told = told(view, dice.bytes());
        let action = self.bot.choose(&told, &self.reports).unwrap()?;
        let parsed = Action::parse(view.setup(), &action).unwrap_or_else(|fault| panic!("{action}: {fault:?}"));
        legal(view, &parsed).unwrap_or_else(|fault| panic!("{action}: {fault:?}"));
        Some(parsed)
    }
}
