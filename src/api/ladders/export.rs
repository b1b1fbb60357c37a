//! The ladders in an account's export, field by field.

use broadside_contests::pairing;
use broadside_rules::Time;
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::ladders::standings::points_of;
use crate::api::ladders::view::{LadderBody, MembershipBody};
use crate::ids::{AccountId, LadderId};
use crate::ladders::read::AccountLadders;
use crate::ladders::standings::LadderStanding;
use crate::ladders::{LadderMember, LadderSection};

/// What is stored of an account's ladders.
#[derive(Serialize, ToSchema)]
pub struct LadderExport {
    /// Those that it has made.
    #[schema(max_items = 100_000)]
    created: Vec<LadderBody>,
    /// Where it takes part, or has taken part.
    #[schema(max_items = 100_000)]
    memberships: Vec<ExportedMembership>,
    /// Whom it has met.
    #[schema(max_items = 1_000_000)]
    meetings: Vec<ExportedMeeting>,
    /// How it did, season by season.
    #[schema(max_items = 1_000_000)]
    standings: Vec<ExportedStanding>,
}

/// Whom the account has met on a ladder, in an export.
#[derive(Serialize, ToSchema)]
pub struct ExportedMeeting {
    ladder_id: LadderId,
    opponent_id: AccountId,
    /// The season in which the two have met last.
    #[schema(minimum = 1, maximum = 2147483647, format = Int32)]
    season: u32,
    /// How many results the two have in it.
    #[schema(minimum = 0, maximum = 2147483647, format = Int32)]
    meetings: u32,
    /// When their last pairing was over.
    last_at: Time,
}

/// A membership in an export.
#[derive(Serialize, ToSchema)]
pub struct ExportedMembership {
    ladder_id: LadderId,
    membership: MembershipBody,
    /// How much oftener it has sat early in the order of play than late.
    #[schema(minimum = -2_147_483_648_i64, maximum = 2147483647, format = Int32)]
    seat_balance: i32,
    /// Whom it was paired with last, the newest first.
    #[schema(max_items = 30)]
    recent_opponents: Vec<AccountId>,
    /// Whom it is paired with now.
    #[schema(max_items = 1000)]
    current_opponents: Vec<AccountId>,
}

/// How an account did in a season, in an export.
#[derive(Serialize, ToSchema)]
pub struct ExportedStanding {
    ladder_id: LadderId,
    #[schema(minimum = 1, maximum = 2147483647, format = Int32)]
    season: u32,
    section: LadderSection,
    #[schema(minimum = 1, maximum = 2147483647, format = Int32)]
    division: u32,
    #[schema(minimum = 0, maximum = 1_073_741_823)]
    points: f64,
    /// What the standings rank by.
    #[schema(minimum = 0, maximum = 1_073_741_823)]
    score: f64,
    /// The points of the best results, where these are what counts.
    #[schema(max_items = 100)]
    best_results: Vec<f64>,
    #[schema(minimum = 0, maximum = 2147483647, format = Int32)]
    pairings: u32,
    #[schema(minimum = 0, maximum = 2147483647, format = Int32)]
    games: u32,
    #[schema(minimum = 0, maximum = 2147483647, format = Int32)]
    wins: u32,
    #[schema(minimum = 0, maximum = 2147483647, format = Int32)]
    draws: u32,
    #[schema(minimum = 0, maximum = 2147483647, format = Int32)]
    losses: u32,
    /// The final place; null: the season is on.
    #[schema(minimum = 1, maximum = 2147483647, format = Int32)]
    rank: Option<u32>,
}

impl From<(LadderId, LadderMember)> for ExportedMembership {
    fn from((ladder_id, member): (LadderId, LadderMember)) -> Self {
        let (balance, opponents) = (member.balance, member.opponents.clone());
        let recent = member.recent.iter().copied().take(pairing::REMEMBERED).collect();
        Self {
            ladder_id,
            membership: member.into(),
            seat_balance: balance,
            recent_opponents: recent,
            current_opponents: opponents,
        }
    }
}

impl From<(LadderId, u32, LadderStanding)> for ExportedStanding {
    fn from((ladder_id, season, standing): (LadderId, u32, LadderStanding)) -> Self {
        Self {
            ladder_id,
            season,
            section: standing.section,
            division: standing.division,
            points: f64::from(standing.tally.half_points) / 2.0,
            score: points_of(standing.score),
            best_results: standing.tally.best.iter().map(|half| f64::from(*half) / 2.0).collect(),
            pairings: standing.tally.pairings,
            games: standing.tally.games,
            wins: standing.tally.won,
            draws: standing.tally.drawn,
            losses: standing.tally.lost,
            rank: standing.final_rank,
        }
    }
}

impl LadderExport {
    /// The export of all ladders. Sets `incomplete` if something can't be read.
    pub fn of(export: AccountLadders, incomplete: &mut bool) -> Self {
        let AccountLadders { made, memberships, meetings, standings } = export;
        let met = |(ladder_id, opponent_id, season, meetings, last_at)| ExportedMeeting {
            ladder_id,
            opponent_id,
            season,
            meetings,
            last_at,
        };
        let made = made.note(incomplete).into_iter().map(|ladder| LadderBody::of(ladder, None, None));
        Self {
            created: made.collect(),
            memberships: memberships.note(incomplete).into_iter().map(ExportedMembership::from).collect(),
            meetings: meetings.into_iter().map(met).collect(),
            standings: standings.note(incomplete).into_iter().map(ExportedStanding::from).collect(),
        }
    }
}
