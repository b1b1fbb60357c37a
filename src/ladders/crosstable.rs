//! The cross-table of a division: its best members by rank, and their results against each other in a season. It is
//! made of settled pairings only, which are public.

use std::collections::{BTreeMap, HashMap};

use super::Ladder;
use super::standings::{self, LadderStanding, StandingsList};
use crate::db::PublicRead;
use crate::error::Result;
use crate::ids::{AccountId, PairingId};
use crate::matches::Contest;
use crate::pairings::{self, PairingFilter};

/// Most rows and columns of a table, for the best of a long list. A division always fits.
pub const WIDEST: i64 = 128;
/// Pairings read at a time.
const AT_ONCE: i64 = 500;

/// The results of a season's pairings between the members of a list.
pub struct LadderCrosstable {
    /// The members, best first; the first has rank 1.
    pub standings: Vec<LadderStanding>,
    /// The length of the list; the table has at most [`WIDEST`] of its members.
    pub members: u32,
    /// By row and column, from 0: their pairings with each other, oldest first.
    pub meetings: BTreeMap<(usize, usize), Vec<Meeting>>,
    /// True if an unreadable member or pairing was left out.
    pub incomplete: bool,
}

/// A pairing, from the side of one player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Meeting {
    pub pairing: PairingId,
    /// The player's half points against the other.
    pub half_points: u32,
}

pub async fn of(conn: &mut PublicRead, ladder: &Ladder, list: StandingsList) -> Result<LadderCrosstable> {
    let slice = standings::page(conn, ladder, list, None, WIDEST).await?;
    let mut incomplete = slice.incomplete;
    let standings: Vec<LadderStanding> = slice.standings.into_iter().map(|(_, standing)| standing).collect();
    let members = match standings.len() {
        all if i64::try_from(all).unwrap_or(WIDEST) < WIDEST => u32::try_from(all).unwrap_or(u32::MAX),
        _ => standings::size(conn, ladder, list, i64::from(i32::MAX)).await?,
    };
    let columns: HashMap<AccountId, usize> =
        standings.iter().enumerate().map(|(column, standing)| (standing.player.id, column)).collect();
    let among: Vec<AccountId> = standings.iter().map(|standing| standing.player.id).collect();
    let mut meetings: BTreeMap<(usize, usize), Vec<Meeting>> = BTreeMap::new();
    let mut filter = PairingFilter { season: Some(list.season), among: Some(&among), ..PairingFilter::default() };
    loop {
        let found = pairings::of_contest(conn, Contest::Ladder(ladder.id), filter, AT_ONCE + 1).await?;
        let page = found.first(usize::try_from(AT_ONCE).unwrap_or(usize::MAX), |pairing| pairing.id.to_string());
        incomplete |= page.incomplete;
        for pairing in &page.items {
            let seated = || {
                let numbered = pairing.players.iter().enumerate();
                numbered.filter_map(|(number, player)| Some((number, *columns.get(&player.id)?)))
            };
            for (own, row) in seated() {
                for (other, column) in seated().filter(|(other, _)| *other != own) {
                    let half_points = pairing.half_points_against(own, other);
                    meetings.entry((row, column)).or_default().push(Meeting { pairing: pairing.id, half_points });
                }
            }
        }
        filter.before = page.next_cursor.and_then(|cursor| cursor.parse().ok());
        if filter.before.is_none() {
            break;
        }
    }
    // The pairings were read newest first.
    meetings.values_mut().for_each(|met| met.reverse());
    Ok(LadderCrosstable { standings, members, meetings, incomplete })
}
