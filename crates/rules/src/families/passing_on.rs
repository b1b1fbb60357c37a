//! The passing on from what all families share to the family at hand: the unions of what they own, and for each thing that is asked of
//! a family the `match` that asks the right one. What is asked of a folder is said here and nowhere else; which families there
//! are is said in `mod.rs`. The names that the macro uses are those that `mod.rs` imports.

/// Declares the families: the unions of what they own, and the passing on to the one at hand.
macro_rules! families {
    ($($(#[$doc:meta])* $name:ident $folder:ident $key:tt $n:tt),+ $(,)?) => {
        /// A family of games: one engine.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
        #[serde(rename_all = "kebab-case")]
        pub enum Family { $($(#[$doc])* $name),+ }

        const FAMILIES: &[(&str, Family)] = &[$(($key, Family::$name)),+];
        const LISTS: &[&[Variant]] = &[$($folder::presets::VARIANTS),+];

        impl Family {
            /// The rules of all its variants, in prose.
            pub(crate) const fn prose(self, language: Language) -> &'static str {
                match self { $(Self::$name => $folder::PROSE[language as usize]),+ }
            }
        }

        /// How a variant's rule set is made.
        #[derive(Clone, Copy)]
        pub(crate) enum Preset { $($name(fn() -> $folder::Rules)),+ }

        /// The rules of one game: a family's parameters, a flat JSON object told apart by `family`.
        #[derive(Clone, PartialEq, Debug, Serialize)]
        #[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
        #[serde(untagged)]
        pub enum RuleSet { $($(#[$doc])* $name($folder::Rules)),+ }

        impl RuleSet {
            /// The rule set of a variant with changes: an object whose fields replace the preset's.
            ///
            /// # Errors
            /// Every fault at once, with JSON Pointers relative to the rule set: unknown fields, values out of bounds, parameters
            /// that contradict each other, and `no-legal-deployment` when no way is found to place the fleet.
            pub fn customised(base: &Variant, changes: &Value) -> Result<Self, Vec<Fault>> {
                match base.preset { $(Preset::$name(rules) => rules().customised(changes).map(Self::$name)),+ }
            }

            pub(crate) fn of(preset: Preset) -> Self {
                match preset { $(Preset::$name(rules) => Self::$name(rules())),+ }
            }

            fn parse(family: Family, value: &Value) -> Result<Self, Vec<Fault>> {
                match family { $(Family::$name => $folder::Rules::parse(value).map(Self::$name)),+ }
            }

            /// The fewest and the most seats.
            #[must_use]
            pub const fn seats(&self) -> (u8, u8) {
                match self { $(Self::$name(rules) => rules.seats()),+ }
            }

            /// The family.
            #[must_use]
            pub const fn family(&self) -> Family {
                match self { $(Self::$name(_) => Family::$name),+ }
            }

            /// The names (nations) that a player may wish for his seat; empty where there is nothing to wish for.
            #[must_use]
            pub const fn wishes(&self) -> &'static [&'static str] {
                match self { $(Self::$name(rules) => rules.wishes()),+ }
            }

            /// The name of a seat when `first` begins and the seats were given these names at the opening.
            #[must_use]
            pub(crate) fn seat_name(&self, first: Seat, names: &[u8], seat: Seat) -> &'static str {
                match self { $(Self::$name(rules) => rules.seat_name(first, names, seat)),+ }
            }

            pub(crate) fn opening(&self, seats: u8, wishes: &Wishes, draws: &mut Draws<'_>) -> Opening<Event> {
                match self { $(Self::$name(rules) => {
                    let Opening { first, names, event } = rules.opening(seats, wishes, draws);
                    Opening { first, names, event: event.map(Event::$name) }
                }),+ }
            }

            /// The types of the family's own actions under these rules.
            #[must_use]
            pub const fn action_types(&self) -> &'static [&'static str] {
                match self { $(Self::$name(rules) => $folder::action::Action::types(rules)),+ }
            }

            /// The board of a match with so many seats: enough to draw it.
            #[must_use]
            pub fn board(&self, seats: u8) -> BoardCard {
                match self { $(Self::$name(rules) => $folder::card::board(rules, seats)),+ }
            }

            /// The types of the reports of a battle after whose first a match cannot be called off any more.
            #[cfg(feature = "proof")]
            pub(crate) const fn battle_reports(&self) -> &'static [&'static str] {
                match self { $(Self::$name(_) => $folder::report::BATTLE),+ }
            }

            /// The fields that its reports have in records.
            #[cfg(all(test, feature = "proof", feature = "schema"))]
            pub(crate) const fn recorded(&self) -> &'static str {
                match self { $(Self::$name(_) => $folder::report::RECORDED),+ }
            }

            /// The shapes of the family's reports: of their union, and by name of all that is in it.
            #[cfg(feature = "schema")]
            pub(crate) fn report_shapes(&self) -> (Value, Vec<(String, Value)>) {
                match self { $(Self::$name(_) => crate::pattern::shapes_of::<$folder::report::Report>()),+ }
            }

            /// The classes of ships.
            #[must_use]
            pub fn classes(&self) -> Vec<ClassCard> {
                match self { $(Self::$name(rules) => $folder::card::classes(rules)),+ }
            }

            /// The actions by phase, the family's and the table's.
            #[must_use]
            pub fn actions(&self) -> Vec<ActionCard> {
                let own = match self { $(Self::$name(rules) => $folder::card::actions(rules)),+ };
                own.into_iter().chain(crate::card::table_actions()).collect()
            }

            /// For every action, what the actor, an opponent and a spectator are told under these rules.
            #[must_use]
            pub fn answers(&self, language: Language) -> Vec<AnswerCard> {
                let own = match self { $(Self::$name(rules) => $folder::card::answers(rules, language)),+ };
                own.into_iter().chain(crate::card::table_answers(language)).collect()
            }
        }

        /// What a player asks of a family's own.
        #[derive(Clone, PartialEq, Eq, Debug, Serialize)]
        #[serde(untagged)]
        pub enum Action { $($(#[$doc])* $name($folder::action::Action)),+ }

        #[cfg(feature = "schema")]
        crate::schema::union_of!(Action, "The actions of the families.", $($folder::action::Action),+);

        impl Action {
            pub(crate) fn read(rules: &RuleSet, seats: u8, kind: &str, value: &Value, faults: &mut Faults) -> Option<Self> {
                match rules {
                    $(RuleSet::$name(rules) => $folder::action::Action::read(rules, seats, kind, value, faults).map(Self::$name)),+
                }
            }
        }

        /// What happened in the battle of a family.
        #[derive(Clone, PartialEq, Eq, Encode, Decode)]
        #[cbor(flat)]
        pub enum Event { $($(#[$doc])* #[n($n)] $name(#[n(0)] $folder::event::Event)),+ }

        impl Event {
            pub(crate) fn fits(&self, rules: &RuleSet, seats: u8) -> bool {
                match (self, rules) {
                    $((Self::$name(event), RuleSet::$name(rules)) => event.fits(rules, seats),)+
                    #[allow(unreachable_patterns, reason = "with one family there is no other")]
                    _ => false,
                }
            }

            /// How many draws of chance it took.
            pub(crate) fn draws(&self) -> u32 {
                match self { $(Self::$name(event) => event.draws()),+ }
            }

            /// Who asked for it and what he asked, if a player did: playing that again brings the same about.
            pub(crate) fn asked(&self, rules: &RuleSet, seats: u8) -> Option<(Seat, Action)> {
                match (self, rules) {
                    $((Self::$name(event), RuleSet::$name(rules)) => {
                        event.asked(rules, seats).map(|(seat, action)| (seat, Action::$name(action)))
                    })+
                    #[allow(unreachable_patterns, reason = "with one family there is no other")]
                    _ => None,
                }
            }

            /// Is what was asked a secret, to be committed to?
            pub(crate) fn is_secret(&self) -> bool {
                match self { $(Self::$name(event) => event.is_secret()),+ }
            }

            /// Whose it is and where his ships lie, if it places a hidden fleet: what a planted leak lets out.
            #[cfg(feature = "planted-leaks")]
            pub(crate) fn hidden(&self, rules: &RuleSet, seats: u8) -> Option<(Seat, Vec<crate::text::Label>)> {
                match (self, rules) {
                    $((Self::$name(event), RuleSet::$name(rules)) => event.hidden(rules, seats),)+
                    #[allow(unreachable_patterns, reason = "with one family there is no other")]
                    _ => None,
                }
            }
        }

        /// What a viewer is told of the battle of a family.
        #[derive(Clone, PartialEq, Debug, Serialize)]
        #[serde(untagged)]
        pub enum Report { $($(#[$doc])* $name($folder::report::Report)),+ }

        #[cfg(feature = "schema")]
        crate::schema::union_of!(Report, "The reports of the families.", $($folder::report::Report),+);

        impl Report {
            /// The fields that reports of the family have in records.
            #[cfg(feature = "proof")]
            pub(crate) const fn recorded(&self) -> &'static str {
                match self { $(Self::$name(_) => $folder::report::RECORDED),+ }
            }

            pub(crate) fn head(&mut self) -> (&mut u32, &mut crate::time::Time) {
                match self { $(Self::$name(report) => report.head()),+ }
            }

            /// The report on one line, in words that can be read aloud. `name` tells what a seat is called.
            pub(crate) fn line(&self, rules: &RuleSet, name: &dyn Fn(Seat) -> &'static str) -> String {
                match (self, rules) {
                    $((Self::$name(report), RuleSet::$name(rules)) => $folder::notation::line(rules, name, report),)+
                    #[allow(unreachable_patterns, reason = "with one family there is no other")]
                    _ => String::new(),
                }
            }
        }

        pub(crate) fn disclose(rules: &RuleSet, seats: u8, event: &Event, viewer: Viewer) -> Option<Report> {
            match (rules, event) {
                $((RuleSet::$name(rules), Event::$name(event)) => {
                    Some(Report::$name($folder::disclose::disclose(rules, seats, event, viewer)))
                })+
                #[allow(unreachable_patterns, reason = "with one family there is no other")]
                _ => None,
            }
        }

        /// What a player may decide in a family.
        #[derive(Clone, PartialEq, Debug, Serialize)]
        #[serde(untagged)]
        pub enum Decision { $($(#[$doc])* $name($folder::decision::Decision)),+ }

        #[cfg(feature = "schema")]
        crate::schema::union_of!(Decision, "The decisions of the families.", $($folder::decision::Decision),+);

        impl Decision {
            /// The example as an action.
            pub(crate) fn example(&self) -> Action {
                match self { $(Self::$name(decision) => Action::$name(decision.example())),+ }
            }
        }

        /// The whole truth of a battle.
        #[derive(Clone)]
        pub(crate) enum State { $($name($folder::state::State)),+ }

        impl State {
            pub fn new(rules: &RuleSet, seats: u8) -> Self {
                match rules { $(RuleSet::$name(rules) => Self::$name($folder::state::State::new(rules, seats))),+ }
            }

            pub fn open(&mut self, first: Seat, names: &[u8]) {
                match self { $(Self::$name(state) => state.open(first, names)),+ }
            }

            pub fn decide(&self, rules: &RuleSet, seat: Seat, action: &Action, draws: &mut Draws<'_>) -> Option<Decided<Event>> {
                match (self, rules, action) {
                    $((Self::$name(state), RuleSet::$name(rules), Action::$name(action)) => {
                        let (events, outcome) = state.decide(rules, seat, action, draws)?;
                        Some((events.into_iter().map(Event::$name).collect(), outcome))
                    })+
                    #[allow(unreachable_patterns, reason = "with one family there is no other")]
                    _ => None,
                }
            }

            /// A deployment drawn by the dice, as the action that a player might have sent.
            pub fn deploy_auto(&self, rules: &RuleSet, seat: Seat, dice: &mut Dice) -> Option<Action> {
                match (self, rules) {
                    $((Self::$name(state), RuleSet::$name(rules)) => state.deploy_auto(rules, seat, dice).map(Action::$name),)+
                    #[allow(unreachable_patterns, reason = "with one family there is no other")]
                    _ => None,
                }
            }

            pub fn apply(&mut self, rules: &RuleSet, event: &Event) -> Option<Step> {
                match (self, rules, event) {
                    $((Self::$name(state), RuleSet::$name(rules), Event::$name(event)) => state.apply(rules, event),)+
                    #[allow(unreachable_patterns, reason = "with one family there is no other")]
                    _ => None,
                }
            }

            /// A seat is out by its own word or by its clock.
            pub fn leave(&mut self, rules: &RuleSet, seat: Seat) -> Option<Step> {
                match (self, rules) {
                    $((Self::$name(state), RuleSet::$name(rules)) => state.leave(rules, seat),)+
                    #[allow(unreachable_patterns, reason = "with one family there is no other")]
                    _ => None,
                }
            }

            /// What follows when seats have just left for this reason.
            pub fn after_leaving(&self, rules: &RuleSet, reason: Reason) -> Decided<Event> {
                match (self, rules) {
                    $((Self::$name(state), RuleSet::$name(rules)) => {
                        let (events, outcome) = state.after_leaving(rules, reason);
                        (events.into_iter().map(Event::$name).collect(), outcome)
                    })+
                    #[allow(unreachable_patterns, reason = "with one family there is no other")]
                    _ => (Vec::new(), None),
                }
            }

            /// The result when all who still play agree on a draw.
            pub fn drawn(&self) -> Outcome {
                match self { $(Self::$name(state) => state.drawn()),+ }
            }

            pub fn reveal(&self) -> Event {
                match self { $(Self::$name(state) => Event::$name(state.reveal())),+ }
            }
        }

        /// What one viewer knows of a battle.
        #[derive(Clone, PartialEq)]
        pub(crate) enum Knowledge { $($name($folder::knowledge::Knowledge)),+ }

        impl Knowledge {
            pub fn new(rules: &RuleSet, seats: u8) -> Self {
                match rules { $(RuleSet::$name(rules) => Self::$name($folder::knowledge::Knowledge::new(rules, seats))),+ }
            }

            pub fn open(&mut self, first: Seat, names: &[u8]) {
                match self { $(Self::$name(known) => known.open(first, names)),+ }
            }

            pub fn close(&mut self) {
                match self { $(Self::$name(known) => known.close()),+ }
            }

            pub fn learn(&mut self, rules: &RuleSet, report: &Report) -> Option<Step> {
                match (self, rules, report) {
                    $((Self::$name(known), RuleSet::$name(rules), Report::$name(report)) => known.learn(rules, report),)+
                    #[allow(unreachable_patterns, reason = "with one family there is no other")]
                    _ => None,
                }
            }

            /// A seat is out by its own word or by its clock.
            pub fn leave(&mut self, rules: &RuleSet, seat: Seat) -> Option<Step> {
                match (self, rules) {
                    $((Self::$name(known), RuleSet::$name(rules)) => known.leave(rules, seat),)+
                    #[allow(unreachable_patterns, reason = "with one family there is no other")]
                    _ => None,
                }
            }

            pub fn seas(&self, rules: &RuleSet) -> Vec<SeaView> {
                match (self, rules) {
                    $((Self::$name(known), RuleSet::$name(rules)) => known.render(rules),)+
                    #[allow(unreachable_patterns, reason = "with one family there is no other")]
                    _ => Vec::new(),
                }
            }

            /// The board of this match, with what was drawn at its opening.
            pub fn board(&self, rules: &RuleSet, seats: u8) -> BoardCard {
                match (self, rules) {
                    $((Self::$name(known), RuleSet::$name(rules)) => known.board(rules, seats),)+
                    #[allow(unreachable_patterns, reason = "with one family there is no other")]
                    _ => rules.board(seats),
                }
            }

            pub fn legal(&self, rules: &RuleSet, table: &Table, seat: Seat, action: &Action) -> Result<(), Illegal> {
                match (self, rules, action) {
                    $((Self::$name(known), RuleSet::$name(rules), Action::$name(action)) => {
                        $folder::legal::legal(rules, table, known, seat, action)
                    })+
                    #[allow(unreachable_patterns, reason = "with one family there is no other")]
                    _ => Err(Illegal::new("unknown-action", "No such action in this match.")),
                }
            }

            /// What the seat must decide: one of these.
            pub fn decisions(&self, rules: &RuleSet, table: &Table, seat: Seat, dice: &mut Dice) -> Vec<Decision> {
                match (self, rules) {
                    $((Self::$name(known), RuleSet::$name(rules)) => {
                        $folder::decision::decisions(rules, table, known, seat, dice).into_iter().map(Decision::$name).collect()
                    })+
                    #[allow(unreachable_patterns, reason = "with one family there is no other")]
                    _ => Vec::new(),
                }
            }
        }
    };
}
pub(super) use families;
