//! A ladder as it is shown, field by field: its terms, what follows from them, and how the caller stands towards it.

use broadside_rules::{Clock, RuleSet, Time};
use serde::Serialize;
use utoipa::ToSchema;

use crate::ids::LadderId;
use crate::ladders::join::Reason;
use crate::ladders::read::Size;
use crate::ladders::terms::{MISSED, Policy};
use crate::ladders::{Form, Kind, Ladder, Member, Season, Terms, Who, pair, position};
use crate::player::Player;

/// A ladder.
#[derive(Serialize, ToSchema)]
#[schema(as = Ladder)]
pub struct LadderBody {
    id: LadderId,
    /// What it is called.
    #[schema(max_length = 80, pattern = "^[^\\u0000-\\u001f]+$")]
    title: String,
    /// What its maker says of it.
    #[schema(max_length = 2000, pattern = "^[^\\u0000-\\u0009\\u000b-\\u001f]+$")]
    description: Option<String>,
    /// Who made it.
    maker: Player,
    /// Whether an organizer of the operator's made it as such.
    official: bool,
    /// How people come together there.
    #[schema(value_type = Kind)]
    form: &'static str,
    #[schema(max_length = 40, pattern = "^[a-z0-9-]+$")]
    variant: &'static str,
    rule_set: RuleSet,
    clock: Clock,
    rated: bool,
    /// The pool in which its matches count, if they are rated, and by which members are paired then.
    #[schema(max_length = 60, pattern = "^[a-z0-9-]+$")]
    pool: Option<String>,
    /// Whether two games at once are one pairing, of which each player begins one.
    paired: bool,
    /// How many meet in a match.
    #[schema(minimum = 2, maximum = 7, format = Int32)]
    seats: u8,
    /// Who may join.
    #[schema(value_type = Who)]
    who: &'static str,
    /// How reliable a player has to be to join: the share of his finished matches that he did not lose on time, in percent. null: that makes no difference.
    #[schema(minimum = 1, maximum = 100, format = Int32)]
    least_reliability_percent: Option<u8>,
    /// How many pairings at once a member may wish for.
    #[schema(minimum = 1, maximum = 20, format = Int32)]
    simultaneous: u32,
    /// How long a season lasts, in seconds; null: there are none, and the first goes on for ever.
    #[schema(minimum = 60, maximum = 31_622_400, format = Int32)]
    season_s: Option<u32>,
    /// The season that is on, or was when the ladder was closed.
    season: SeasonBody,
    /// The divisions in which members stand; null: there is one list.
    divisions: Option<DivisionsBody>,
    /// How members are paired; null: they aren't, they challenge each other.
    pairing: Option<PairingRule>,
    /// What challenges are made by on a position ladder; null on one of another form.
    position: Option<position::Terms>,
    /// What becomes of matches and members in cases that aren't play.
    #[schema(max_items = 30)]
    policies: Vec<PolicyBody>,
    /// So many pairings in a row that a member misses make him inactive.
    #[schema(minimum = 1, maximum = 100, format = Int32)]
    missed_until_inactive: u32,
    /// How many take part.
    #[schema(minimum = 0, maximum = 2147483647, format = Int32)]
    members: u32,
    created_at: Time,
    /// When it was closed; null: it is open.
    closed_at: Option<Time>,
    /// Why it was closed.
    #[schema(max_length = 500, pattern = "^[^\\u0000-\\u001f\\u007f]+$")]
    closed_reason: Option<String>,
    /// How the caller takes part; null: he doesn't, or there is no caller.
    membership: Option<MembershipBody>,
    /// What the caller may do; null in lists, and without a token.
    eligibility: Option<Eligibility>,
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
#[schema(as = LadderDivisions)]
pub struct DivisionsBody {
    /// How many stand in one.
    #[schema(minimum = 4, maximum = 100, format = Int32)]
    size: u32,
    /// How many of the best rise, and of the worst fall, when a season ends.
    #[schema(minimum = 1, maximum = 50, format = Int32)]
    movers: u32,
    /// How many divisions there are.
    #[schema(minimum = 0, maximum = 2147483647, format = Int32)]
    count: u32,
}

/// How members are paired: who has waited longest first, with the nearest in strength whom he may meet.
#[derive(Serialize, ToSchema)]
pub struct PairingRule {
    /// Two don't meet again before each of them has met so many others; fewer where there are fewer members.
    #[schema(minimum = 0, maximum = 100, format = Int32)]
    others_between: usize,
    /// How far two may be apart in strength.
    #[schema(minimum = 0, maximum = 10000, format = Int32)]
    window: i32,
    /// After so many seconds of waiting one other less has to come between, and the window is wider by `window_step`; and once more after each further such time.
    #[schema(minimum = 10, maximum = 3600, format = Int32)]
    relax_s: u32,
    /// By how much the window grows.
    #[schema(minimum = 0, maximum = 10000, format = Int32)]
    window_step: i32,
}

impl PairingRule {
    fn of(terms: &Terms) -> Option<Self> {
        (terms.form.kind() == Kind::Rating).then(|| Self {
            others_between: pair::OTHERS_BETWEEN,
            window: pair::WINDOW,
            relax_s: terms.relax_s(),
            window_step: pair::WINDOW_STEP,
        })
    }
}

/// What follows in a case that isn't play.
#[derive(Serialize, ToSchema)]
#[schema(as = LadderPolicy)]
pub struct PolicyBody {
    /// The case.
    #[schema(max_length = 60, pattern = "^[a-z-]+$")]
    case: &'static str,
    /// What follows, for programs.
    #[schema(max_length = 60, pattern = "^[a-z-]+$")]
    outcome: &'static str,
    /// What follows, for people.
    #[schema(max_length = 500, pattern = "^.*$")]
    detail: &'static str,
}

impl From<&Policy> for PolicyBody {
    fn from(policy: &Policy) -> Self {
        Self { case: policy.case, outcome: policy.outcome, detail: policy.detail }
    }
}

/// Where a member stands towards a ladder.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ToSchema)]
#[schema(rename_all = "kebab-case")]
pub enum MemberStatus {
    /// He takes part.
    Active,
    /// He has missed too many pairings in a row, and isn't paired until he joins again.
    Inactive,
    /// He has left.
    Left,
}

/// With whom a member is listed and paired.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ToSchema)]
#[schema(rename_all = "kebab-case")]
pub enum LadderSection {
    /// With everybody.
    All,
    /// With humans.
    Humans,
    /// With bots.
    Bots,
}

/// Somebody's membership of a ladder.
#[derive(Serialize, ToSchema)]
#[schema(as = LadderMembership)]
pub struct MembershipBody {
    #[schema(value_type = MemberStatus)]
    status: &'static str,
    /// With whom he is listed and paired.
    #[schema(value_type = LadderSection)]
    section: &'static str,
    /// In which division, from 1, the highest.
    #[schema(minimum = 1, maximum = 2147483647, format = Int32)]
    division: u32,
    /// How many pairings at once he wishes for.
    #[schema(minimum = 1, maximum = 20, format = Int32)]
    simultaneous: u32,
    /// How many he has.
    #[schema(minimum = 0, maximum = 1000, format = Int32)]
    running: u32,
    /// How many pairings in a row he has missed.
    #[schema(minimum = 0, maximum = 1000, format = Int32)]
    missed: u32,
    joined_at: Time,
    /// Since when he waits for the next pairing; null: he has as many as he wishes for, or isn't paired.
    waiting_since: Option<Time>,
}

impl From<Member> for MembershipBody {
    fn from(member: Member) -> Self {
        Self {
            status: member.status.word(),
            section: member.section.word(),
            division: member.division,
            simultaneous: member.simultaneous,
            running: member.running,
            missed: member.missed,
            joined_at: member.joined_at,
            waiting_since: member.waits().then_some(member.waiting_since),
        }
    }
}

/// What the caller may do with a ladder, and why not.
#[derive(Serialize, ToSchema)]
#[schema(as = LadderEligibility)]
pub struct Eligibility {
    /// To join, to join again, or to change the wish.
    join: Permit,
}

/// Whether something is allowed, and if not, why: the same codes are in `errors` of the answer that refuses it.
#[derive(Serialize, ToSchema)]
pub struct Permit {
    allowed: bool,
    /// Every reason why not.
    #[schema(max_items = 20, value_type = Vec<Reason>)]
    reasons: Vec<&'static str>,
}

impl Eligibility {
    /// Somebody who may not join for these reasons.
    pub fn of(reasons: &[Reason]) -> Self {
        let reasons: Vec<&'static str> = reasons.iter().map(|reason| reason.word()).collect();
        Self { join: Permit { allowed: reasons.is_empty(), reasons } }
    }
}

impl LadderBody {
    /// The ladder, as it is shown to somebody who takes part so, and may do this.
    pub fn of((ladder, size): (Ladder, Size), member: Option<Member>, eligibility: Option<Eligibility>) -> Self {
        let terms = ladder.terms;
        let kind = terms.form.kind();
        let (closed_at, closed_reason) = ladder.closed.map(|closed| (closed.at, closed.reason)).unzip();
        Self {
            id: ladder.id,
            title: terms.title.as_str().to_owned(),
            description: terms.description.as_ref().map(|text| text.as_str().to_owned()),
            maker: ladder.maker,
            official: ladder.official,
            form: terms.form.kind().word(),
            variant: terms.agreed.variant.id,
            clock: terms.agreed.clock,
            rated: terms.agreed.rated,
            pool: terms.pool().filter(|_| terms.agreed.rated).map(|pool| pool.to_string()),
            paired: terms.paired,
            seats: terms.agreed.seats,
            who: terms.who.word(),
            least_reliability_percent: terms.least_reliability_percent,
            simultaneous: terms.simultaneous,
            season_s: terms.season_s,
            season: ladder.season.into(),
            divisions: terms.divisions.map(|rule| DivisionsBody {
                size: rule.size,
                movers: rule.movers,
                count: size.divisions,
            }),
            pairing: PairingRule::of(&terms),
            position: match terms.form {
                Form::Position(terms) => Some(terms),
                Form::Rating => None,
            },
            policies: terms.policies().iter().map(PolicyBody::from).collect(),
            missed_until_inactive: MISSED,
            members: size.members,
            created_at: ladder.created_at,
            closed_at,
            closed_reason,
            membership: member.map(|member| {
                let body = MembershipBody::from(member);
                // Where members challenge each other nobody waits to be paired.
                MembershipBody { waiting_since: body.waiting_since.filter(|_| kind == Kind::Rating), ..body }
            }),
            eligibility,
            rule_set: terms.agreed.rules,
        }
    }
}
