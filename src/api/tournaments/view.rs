//! The JSON view of a tournament, field by field.

use broadside_contests::{Form, RuleSetHash, Seeding, groups, knockout, tie_breaks};
use broadside_rules::text::Digest;
use broadside_rules::{Clock, RuleSet, Time};
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::contests::entries::OwnEntry;
use crate::api::contests::pauses::ContestPauseBody;
use crate::api::pairings::ContestEligibility;
use crate::api::tournaments::review::WaitingRoundBody;
use crate::contests::access::{ContestVisibility, EntryMode};
use crate::ids::TournamentId;
use crate::pairings::terms::Policy;
use crate::player::Player;
use crate::tournaments::round_terms::{LateEntry, RequestedByes};
use crate::tournaments::round_time::AtDeadline;
use crate::tournaments::terms::policies;
use crate::tournaments::{Tournament, TournamentAudience, TournamentStatus};

/// A tournament.
#[derive(Serialize, ToSchema)]
#[schema(as = Tournament)]
pub struct TournamentBody {
    id: TournamentId,
    status: TournamentStatus,
    #[schema(max_length = 80, pattern = "^[^\\u0000-\\u001f]+$")]
    title: String,
    #[schema(max_length = 2000, pattern = "^[^\\u0000-\\u0009\\u000b-\\u001f]+$")]
    description: Option<String>,
    /// Who created it; they need not play.
    creator: Player,
    /// Who runs it beside them, named by the creator. The first of them decides alone when the creator has deleted
    /// their account.
    #[schema(max_items = 10)]
    organizers: Vec<Player>,
    format: Form,
    #[schema(max_length = 40, pattern = "^[a-z0-9-]+$")]
    variant: &'static str,
    rule_set: RuleSet,
    /// The named rule set; null: a variant.
    named_rule_set: Option<Digest>,
    clock: Clock,
    rated: bool,
    /// Whether a board is two games at once, of which each player begins one.
    paired_games: bool,
    /// Round robin, and groups: whether everybody meets everybody twice.
    double_round_robin: bool,
    /// Round robin, and groups: whether all rounds are played at once (of groups not the finals).
    all_rounds_at_once: bool,
    /// How many rounds there are; null: as many as follow from the number of players, which isn't known yet.
    #[schema(minimum = 1, maximum = 126, format = Int32)]
    rounds: Option<u16>,
    /// Tables: how many sit at one at most; null: another format, in which two meet.
    #[schema(minimum = 3, maximum = 7, format = Int32)]
    seats: Option<u8>,
    /// Groups: how many, and how many of each go on; null: another format.
    groups: Option<groups::Terms>,
    /// Groups: how many there are; null: another format, or it has not started.
    #[schema(minimum = 2, maximum = 128, format = Int32)]
    group_count: Option<u16>,
    /// Groups: how many rounds these have; the rounds behind them are the finals. Null: another format, or it has not
    /// started.
    #[schema(minimum = 3, maximum = 30, format = Int32)]
    group_rounds: Option<u16>,
    /// Knockout, and the finals after groups: the ties, and the seeding; null: another format.
    knockout: Option<knockout::Terms>,
    /// In which order starting numbers are given; null: a knockout, whose own terms say it, or tables, where they are
    /// drawn by lot.
    seeding: Option<Seeding>,
    /// Who may come in after the start; null: nobody.
    late_entry: Option<LateEntry>,
    /// The byes that players can ask for; null: it is settled at the start who meets whom, and there are none.
    requested_byes: Option<RequestedByes>,
    /// How long each round waits for an organizer after it is drawn, in seconds; null: it doesn't.
    #[schema(minimum = 600, maximum = 604_800, format = Int32)]
    review_s: Option<u32>,
    /// The round that is drawn, and waits for an organizer; null: none does.
    waiting_round: Option<WaitingRoundBody>,
    /// How much time a round has, in seconds, from when its matches begin; null: as much as they take.
    #[schema(minimum = 60, maximum = 31_536_000, format = Int32)]
    round_time_s: Option<u32>,
    /// What becomes of a game that isn't over by then; null: rounds have no such time.
    at_deadline: Option<AtDeadline>,
    audience: TournamentAudience,
    /// How reliable a player has to be to join, in percent; null: that makes no difference.
    #[schema(minimum = 1, maximum = 100, format = Int32)]
    min_reliability_percent: Option<u8>,
    /// The lowest rating to join with, in the pool of its matches.
    #[schema(minimum = 100, maximum = 4000, format = Int32)]
    min_rating: Option<i32>,
    /// The highest rating to join with.
    #[schema(minimum = 100, maximum = 4000, format = Int32)]
    max_rating: Option<i32>,
    /// How many days ago the account of a player must have been made; null: that makes no difference.
    #[schema(minimum = 1, maximum = 3650, format = Int32)]
    min_account_age_days: Option<u16>,
    /// How people get in.
    entry: EntryMode,
    /// Who sees it.
    visibility: ContestVisibility,
    /// The pool of its matches.
    #[schema(max_length = 80, pattern = "^[a-z0-9-]+$")]
    pool: Option<String>,
    #[schema(minimum = 3, maximum = 512, format = Int32)]
    min_players: u16,
    #[schema(minimum = 3, maximum = 512, format = Int32)]
    max_players: u16,
    registration_ends_at: Option<Time>,
    /// When it starts by itself; null: when it is full, or its creator says so.
    starts_at: Option<Time>,
    /// How many have joined; from the start on: how many have started.
    #[schema(minimum = 0, maximum = 512, format = Int32)]
    players: u16,
    /// The round that is on; 0: none yet.
    #[schema(minimum = 0, maximum = 126, format = Int32)]
    round: u16,
    /// Why it was cancelled, or ended before its last round.
    #[schema(max_length = 500, pattern = "^[^\\u0000-\\u001f]+$")]
    reason: Option<String>,
    /// SHA-256 of the secret seed by which the starting numbers are drawn, in hexadecimal. It is fixed when the
    /// tournament is made.
    chance_commitment: Digest,
    /// The seed itself, once it has started: players are numbered in the order of SHA-256 of the seed followed by the
    /// 16 bytes of their account's id.
    chance_seed: Option<Digest>,
    /// What decides between players with equal points, in this order; in groups within each of them. Empty in a
    /// knockout, where the round decides.
    #[schema(schema_with = crate::schemas::codes)]
    tie_breaks: Vec<&'static str>,
    /// The pause that is on; null: it isn't paused.
    pause: Option<ContestPauseBody>,
    /// What happens in every case that its terms don't speak of.
    #[schema(max_items = 24)]
    policies: Vec<Policy>,
    /// The caller's request to join, or an invitation; null: there is none, in lists, and without a token.
    own_entry: Option<OwnEntry>,
    /// What the caller may do; null without a token, and in lists.
    eligibility: Option<ContestEligibility>,
    created_at: Time,
    started_at: Option<Time>,
    /// When it was over, or called off.
    ended_at: Option<Time>,
}

impl TournamentBody {
    pub fn of(tournament: Tournament, eligibility: Option<ContestEligibility>) -> Self {
        let chance_seed = tournament.started_at.map(|_| Digest::of(&tournament.chance));
        let terms = &tournament.terms;
        Self {
            id: tournament.id,
            status: tournament.status,
            title: terms.title.as_str().to_owned(),
            description: terms.description.as_ref().map(|text| text.as_str().to_owned()),
            format: terms.form,
            variant: terms.agreed.variant.id,
            rule_set: terms.agreed.rules.clone(),
            named_rule_set: terms.agreed.named.map(RuleSetHash::digest),
            clock: terms.agreed.clock,
            rated: terms.agreed.rated,
            paired_games: terms.paired,
            double_round_robin: terms.double_round_robin,
            all_rounds_at_once: terms.all_rounds_at_once,
            rounds: tournament.rounds,
            seats: Some(terms.agreed.seats).filter(|_| terms.form == Form::Tables),
            groups: terms.groups,
            group_count: tournament.groups().map(|groups| groups.count()),
            group_rounds: tournament.groups().map(|groups| groups.rounds()),
            knockout: terms.knockout,
            seeding: matches!(terms.form, Form::Swiss | Form::RoundRobin).then(|| terms.round_terms.seeding()),
            late_entry: terms.round_terms.late_entry,
            requested_byes: terms.requested_byes(),
            review_s: terms.round_terms.review_s,
            waiting_round: tournament.draft.map(WaitingRoundBody::from),
            round_time_s: terms.round_time_s,
            at_deadline: terms.at_deadline,
            audience: terms.audience,
            min_reliability_percent: terms.limits.min_reliability_percent,
            min_rating: terms.limits.min_rating,
            max_rating: terms.limits.max_rating,
            min_account_age_days: terms.limits.min_account_age_days,
            entry: terms.access.entry,
            visibility: terms.access.visibility,
            pool: terms.pool().map(|pool| pool.to_string()),
            min_players: terms.min_players,
            max_players: terms.max_players,
            registration_ends_at: terms.registration_ends_at,
            starts_at: terms.starts_at,
            players: tournament.players,
            round: tournament.round,
            chance_commitment: tournament.chance_commitment(),
            chance_seed,
            tie_breaks: tie_breaks::order(terms.form).iter().map(|tie_break| tie_break.word()).collect(),
            pause: tournament.pause.map(ContestPauseBody::from),
            policies: policies(terms),
            own_entry: None,
            eligibility,
            created_at: tournament.created_at,
            started_at: tournament.started_at,
            ended_at: tournament.ended_at,
            reason: tournament.reason,
            creator: tournament.creator,
            organizers: tournament.organizers.into_iter().map(|organizer| organizer.player).collect(),
        }
    }

    /// Adds the caller's request or invitation.
    pub fn with(self, own_entry: Option<OwnEntry>) -> Self {
        Self { own_entry, ..self }
    }
}
