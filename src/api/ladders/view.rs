//! The JSON view of a ladder, field by field: its terms, values derived from them, and the caller's membership.

use broadside_contests::RuleSetHash;
use broadside_contests::pairing;
use broadside_contests::position_ladder::Terms as PositionTerms;
use broadside_contests::ranking::Ranking;
use broadside_rules::text::Digest;
use broadside_rules::{Clock, RuleSet, Time};
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::contests::entries::OwnEntry;
use crate::api::contests::pauses::ContestPauseBody;
use crate::api::pairings::ContestEligibility;
use crate::contests::access::{ContestVisibility, EntryMode};
use crate::ids::LadderId;
use crate::ladders::read::LadderSize;
use crate::ladders::terms::MAX_MISSED;
use crate::ladders::unpaired::{NotPaired, WaitingReason};
use crate::ladders::{
    FormTerms, Ladder, LadderAudience, LadderFormat, LadderMember, LadderSection, LadderTerms, MemberStatus, Season,
};
use crate::pairings::terms::Policy;
use crate::player::Player;

/// A ladder.
#[derive(Serialize, ToSchema)]
#[schema(as = Ladder)]
pub struct LadderBody {
    id: LadderId,
    /// What it is called.
    #[schema(max_length = 80, pattern = "^[^\\u0000-\\u001f]+$")]
    title: String,
    /// The description by its creator.
    #[schema(max_length = 2000, pattern = "^[^\\u0000-\\u0009\\u000b-\\u001f]+$")]
    description: Option<String>,
    /// The player who created it.
    creator: Player,
    /// Who runs it beside them, named by the creator. The first of them decides alone when the creator has deleted
    /// their account.
    #[schema(max_items = 10)]
    organizers: Vec<Player>,
    /// Whether an organizer of the operator's made it as such.
    official: bool,
    /// How people come together there.
    format: LadderFormat,
    #[schema(max_length = 40, pattern = "^[a-z0-9-]+$")]
    variant: &'static str,
    rule_set: RuleSet,
    /// The named rule set; null: a variant.
    named_rule_set: Option<Digest>,
    clock: Clock,
    rated: bool,
    /// The pool in which its matches count, if they are rated, and by which members are paired then.
    #[schema(max_length = 80, pattern = "^[a-z0-9-]+$")]
    pool: Option<String>,
    /// Whether two games at once are one pairing, of which each player begins one.
    paired_games: bool,
    /// How many meet in a match.
    #[schema(minimum = 2, maximum = 7, format = Int32)]
    seats: u8,
    /// Which accounts may join: humans, bots or both.
    audience: LadderAudience,
    /// The reliability that joining needs (`reliability_percent` of the profile); null: any.
    #[schema(minimum = 1, maximum = 100, format = Int32)]
    min_reliability_percent: Option<u8>,
    /// The lowest rating to join with, in the pool of its matches; null: any.
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
    /// How many pairings at once a member may wish for.
    #[schema(minimum = 1, maximum = 20, format = Int32)]
    max_pairings: u32,
    /// How long a season lasts, in seconds; null: there are none, and the first goes on for ever.
    #[schema(minimum = 60, maximum = 31_622_400, format = Int32)]
    season_s: Option<u32>,
    /// The season that is on, or was when the ladder was closed.
    season: SeasonBody,
    /// The divisions in which members stand; null: there is one list.
    divisions: Option<DivisionsBody>,
    /// How members are paired; null: they aren't, they challenge each other.
    pairing_rule: Option<PairingRule>,
    /// How many results of the same two count in a season at most: then they aren't paired, and don't challenge each
    /// other, until the next one. Null: any number.
    #[schema(minimum = 1, maximum = 100, format = Int32)]
    max_meetings: Option<u32>,
    /// What the standings rank by; on a position ladder the positions do.
    ranking: Ranking,
    /// Of `best` how many results count; of `average` and `per-board` the least number by which points are divided.
    /// Null: of a sum.
    #[schema(minimum = 1, maximum = 100, format = Int32)]
    ranking_results: Option<u32>,
    /// What challenges are made by on a position ladder; null on one of another form.
    position_terms: Option<PositionTerms>,
    /// What becomes of matches and members in cases that aren't play.
    #[schema(max_items = 30)]
    policies: Vec<Policy>,
    /// So many pairings in a row that a member misses make them inactive.
    #[schema(minimum = 1, maximum = 100, format = Int32)]
    missed_pairings_until_inactive: u32,
    /// How many take part.
    #[schema(minimum = 0, maximum = 2147483647, format = Int32)]
    members: u32,
    created_at: Time,
    /// The pause that is on; null: it isn't paused.
    pause: Option<ContestPauseBody>,
    /// When it was closed; null: it is open.
    closed_at: Option<Time>,
    /// Why it was closed.
    #[schema(max_length = 500, pattern = "^[^\\u0000-\\u001f\\u007f]+$")]
    closed_reason: Option<String>,
    /// The caller's membership; null: the caller isn't a member, or there is no token.
    membership: Option<MembershipBody>,
    /// The caller's request to join, or an invitation; null: there is none, in lists, and without a token.
    own_entry: Option<OwnEntry>,
    /// What the caller may do; null in lists, and without a token.
    eligibility: Option<ContestEligibility>,
}

/// A season of a ladder.
#[derive(Serialize, ToSchema)]
#[schema(as = LadderSeason)]
pub struct SeasonBody {
    /// Counts the ladder's seasons, from 1.
    #[schema(minimum = 1, maximum = 2147483647, format = Int32)]
    number: u32,
    started_at: Time,
    /// When it is to end; null: never.
    ends_at: Option<Time>,
    /// When it was ended; null: it is on.
    ended_at: Option<Time>,
}

impl From<Season> for SeasonBody {
    fn from(season: Season) -> Self {
        let Season { number, started_at, ends_at, ended_at } = season;
        Self { number, started_at, ends_at, ended_at }
    }
}

/// The divisions of a ladder.
#[derive(Serialize, ToSchema)]
#[schema(as = DivisionTerms)]
pub struct DivisionsBody {
    /// How many stand in one.
    #[schema(minimum = 4, maximum = 100, format = Int32)]
    size: u32,
    /// How many of the best rise, and of the worst fall, when a season ends.
    #[schema(minimum = 1, maximum = 50, format = Int32)]
    promotions: u32,
    /// How many divisions there are.
    #[schema(minimum = 0, maximum = 2147483647, format = Int32)]
    count: u32,
}

/// How members are paired: whoever has waited longest comes first, with the nearest in strength whom they may meet.
#[derive(Serialize, ToSchema)]
pub struct PairingRule {
    /// Two don't meet again before each of them has met so many others; fewer where there are fewer members.
    #[schema(minimum = 0, maximum = 100, format = Int32)]
    others_between: usize,
    /// How far two may be apart in strength.
    #[schema(minimum = 0, maximum = 10000, format = Int32)]
    window: i32,
    /// After so many seconds of waiting one other less has to come between, and the window is wider by `window_step`;
    /// and once more after each further such time.
    #[schema(minimum = 10, maximum = 2_592_000, format = Int32)]
    relax_s: u32,
    /// By how much the window grows.
    #[schema(minimum = 0, maximum = 10000, format = Int32)]
    window_step: i32,
    /// For so many seconds after the end of a pairing its players aren't paired with each other again, however long
    /// they wait.
    #[schema(minimum = 0, maximum = 7_776_000, format = Int32)]
    no_return_s: u32,
}

impl PairingRule {
    fn of(terms: &LadderTerms) -> Option<Self> {
        match terms.form {
            FormTerms::Rating(own) => Some(Self {
                others_between: pairing::OTHERS_BETWEEN,
                window: pairing::WINDOW,
                relax_s: own.relax_s,
                window_step: pairing::WINDOW_STEP,
                no_return_s: own.no_return_s,
            }),
            FormTerms::Position(_) => None,
        }
    }
}

/// Somebody's membership of a ladder.
#[derive(Serialize, ToSchema)]
#[schema(as = Membership)]
pub struct MembershipBody {
    status: MemberStatus,
    /// With whom they are listed and paired.
    section: LadderSection,
    /// In which division, from 1, the highest.
    #[schema(minimum = 1, maximum = 2147483647, format = Int32)]
    division: u32,
    /// How many pairings at once they want.
    #[schema(minimum = 1, maximum = 20, format = Int32)]
    wanted_pairings: u32,
    /// How many they have.
    #[schema(minimum = 0, maximum = 1000, format = Int32)]
    running_pairings: u32,
    /// How many pairings in a row they have missed.
    #[schema(minimum = 0, maximum = 1000, format = Int32)]
    missed_pairings: u32,
    joined_at: Time,
    /// Since when the member waits for the next pairing; null: they have as many as they want, or aren't paired.
    waiting_since: Option<Time>,
    /// Why the member isn't paired at this moment; null: they are about to be, nobody is paired on this ladder, or it
    /// isn't `GET /v1/ladders/{id}` that answers.
    waiting_for: Option<WaitingForBody>,
}

/// Why a member isn't paired at this moment.
#[derive(Serialize, ToSchema)]
#[schema(as = WaitingFor)]
pub struct WaitingForBody {
    reason: WaitingReason,
    /// When they may be paired, if those who wait now still do; null: that isn't known.
    again_at: Option<Time>,
}

impl From<NotPaired> for WaitingForBody {
    fn from(NotPaired { reason, again_at }: NotPaired) -> Self {
        Self { reason, again_at }
    }
}

impl From<LadderMember> for MembershipBody {
    fn from(member: LadderMember) -> Self {
        Self {
            status: member.status,
            section: member.section,
            division: member.division,
            wanted_pairings: member.wanted_pairings,
            running_pairings: member.running,
            missed_pairings: member.missed,
            joined_at: member.joined_at,
            waiting_since: member.waits().then_some(member.waiting_since),
            waiting_for: None,
        }
    }
}

impl LadderBody {
    /// The ladder, as seen by a caller with this membership and these permissions.
    pub fn of(
        (ladder, size): (Ladder, LadderSize),
        member: Option<LadderMember>,
        eligibility: Option<ContestEligibility>,
    ) -> Self {
        let terms = ladder.terms;
        let kind = terms.form.kind();
        let (closed_at, closed_reason) = ladder.closed.map_or((None, None), |closed| (Some(closed.at), closed.reason));
        Self {
            id: ladder.id,
            title: terms.title.as_str().to_owned(),
            description: terms.description.as_ref().map(|text| text.as_str().to_owned()),
            creator: ladder.creator,
            organizers: ladder.organizers.into_iter().map(|organizer| organizer.player).collect(),
            official: ladder.official,
            format: kind,
            variant: terms.agreed.variant.id,
            named_rule_set: terms.agreed.named.map(RuleSetHash::digest),
            clock: terms.agreed.clock,
            rated: terms.agreed.rated,
            pool: terms.pool().filter(|_| terms.agreed.rated).map(|pool| pool.to_string()),
            paired_games: terms.paired,
            seats: terms.agreed.seats,
            audience: terms.audience,
            min_reliability_percent: terms.limits.min_reliability_percent,
            min_rating: terms.limits.min_rating,
            max_rating: terms.limits.max_rating,
            min_account_age_days: terms.limits.min_account_age_days,
            entry: terms.access.entry,
            visibility: terms.access.visibility,
            max_pairings: terms.max_pairings,
            season_s: terms.season_s,
            season: ladder.season.into(),
            divisions: terms.divisions.map(|rule| DivisionsBody {
                size: rule.size,
                promotions: rule.movers,
                count: size.divisions,
            }),
            pairing_rule: PairingRule::of(&terms),
            max_meetings: terms.max_meetings,
            ranking: terms.ranking.by,
            ranking_results: Some(terms.ranking.results).filter(|results| *results > 0),
            position_terms: match terms.form {
                FormTerms::Position(terms) => Some(terms),
                FormTerms::Rating(_) => None,
            },
            policies: terms.policies().to_vec(),
            missed_pairings_until_inactive: MAX_MISSED,
            members: size.members,
            created_at: ladder.created_at,
            pause: ladder.pause.map(ContestPauseBody::from),
            closed_at,
            closed_reason,
            membership: member.map(|member| {
                let body = MembershipBody::from(member);
                // In a ladder with challenges nobody waits to be paired.
                MembershipBody { waiting_since: body.waiting_since.filter(|_| kind == LadderFormat::Rating), ..body }
            }),
            own_entry: None,
            eligibility,
            rule_set: terms.agreed.rules,
        }
    }

    /// Adds the reason why the caller, a member, isn't paired yet.
    pub fn waiting_for(mut self, found: Option<NotPaired>) -> Self {
        if let Some(membership) = &mut self.membership {
            membership.waiting_for = found.map(WaitingForBody::from);
        }
        self
    }

    /// Adds the caller's request or invitation.
    pub fn with(self, own_entry: Option<OwnEntry>) -> Self {
        Self { own_entry, ..self }
    }
}
