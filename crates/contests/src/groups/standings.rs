//! The standings of groups and finals: first the players of the finals, then all others by their groups.

use super::{Finals, Groups};
use crate::knockout::Terms;
use crate::tie_breaks::{Standing, add_up};
use crate::{Board, crosstable};

/// A player's standing in their group.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct InGroup {
    /// The group, from 1.
    pub group: u16,
    /// The place in it, from 1; equals share one.
    pub place: u16,
    /// The points, in half points.
    pub halves: u32,
    /// The number of games played to an end.
    pub played: u16,
    /// The number of these that were won.
    pub wins: u16,
    /// The number of draws.
    pub draws: u16,
    /// The number of losses.
    pub losses: u16,
}

/// The standings of all players after these boards, the best first. Points and games are those of groups and finals
/// together; tie-breaks are those of the groups. Without finals nobody is in them yet. The boards come round by round.
pub fn standings<P>(
    tables: Vec<Vec<Standing>>,
    groups: &Groups,
    finals: Option<(&Finals, &Terms)>,
    boards: &[Board<P>],
) -> Vec<Standing> {
    let places = finals.map(|(finals, terms)| finals.places(terms, boards)).unwrap_or_default();
    let later = boards.partition_point(|board| board.round <= groups.rounds());
    let mut all: Vec<Standing> =
        (1..).zip(tables).flat_map(|(group, table)| table.into_iter().map(move |one| whole(group, one))).collect();
    let others: Vec<u16> = all
        .iter()
        .filter(|standing| places.iter().all(|(number, _)| *number != standing.number))
        .map(|standing| standing.place)
        .collect();
    for standing in &mut all {
        standing.cells.extend(crosstable::row(standing.number, &boards[later..]));
        add_up(standing);
        let in_finals = places.iter().find(|(number, _)| *number == standing.number);
        standing.place = in_finals.map_or_else(
            || {
                let before = others.iter().filter(|place| **place < standing.place).count();
                u16::try_from(places.len() + before + 1).unwrap_or(u16::MAX)
            },
            |(_, place)| *place,
        );
    }
    all.sort_by_key(|standing| (standing.place, standing.number));
    all
}

/// A line of a group's table as a line of the whole tournament.
fn whole(group: u16, standing: Standing) -> Standing {
    let Standing { place, halves, played, wins, draws, losses, .. } = standing;
    let own = InGroup { group, place, halves, played, wins, draws, losses };
    Standing { group: Some(own), halves: 0, played: 0, wins: 0, draws: 0, losses: 0, ..standing }
}
