//! Terms specific to tournaments of groups: the number of groups, the number of players in the finals, and the fixed
//! rules.

use broadside_contests::Form;
use broadside_contests::groups::{BEST_NEXT, COUNT, MAX_PLAYERS, QUALIFIERS, SIZE};

use super::TournamentTerms;
use crate::pairings::terms::{Policy, TermFaults};

impl TournamentTerms {
    pub(super) fn faults_of_groups(&self, faults: &mut TermFaults) {
        let Some(groups) = &self.groups else { return };
        if self.form != Form::Groups {
            faults.add("/groups", "conflicting-fields", "is for tournaments of groups only");
            return;
        }
        if groups.count.is_some() && groups.size.is_some() {
            faults.add("/groups/size", "conflicting-fields", "follows from `count`: give one of them");
        }
        faults.range("/groups/count", groups.count, COUNT, "");
        faults.range("/groups/size", groups.size, SIZE, "");
        faults.range("/groups/qualifiers", groups.qualifiers, QUALIFIERS, "");
        let most = groups.count.map_or(BEST_NEXT.1, |count| count.min(BEST_NEXT.1));
        faults.range("/groups/best_next", groups.best_next, (BEST_NEXT.0, most), "");
        // Groups may have a player less than the largest, and each needs a player who isn't promoted.
        if groups.size.is_some_and(|size| groups.least() >= size) && groups.count.is_none() {
            let less = if groups.best_next > 0 { 3 } else { 2 };
            faults.add("/groups/qualifiers", "out-of-range", format!("must be less than `size` by at least {less}"));
        } else if groups.fewest() > MAX_PLAYERS {
            faults.add("/groups/qualifiers", "out-of-range", TOO_MANY);
        }
    }
}

const TOO_MANY: &str = "so many groups with so many who go on need more players than a tournament can have";

/// The rules of tournaments of groups, beside those common to all formats.
pub(super) const GROUPS: &[Policy] = &[
    Policy {
        topic: "pairing",
        outcome: "serpentine-then-berger-then-bracket",
        detail: "Starting numbers are seeds, by rating (without one: 1500), by the order of joining or by lot, as the terms say; equal ratings by lot. They are dealt out to the groups in a serpentine: of three groups 1 to 3 in turn, then 4 to 6 the other way round, and so on. In a group the Berger tables of the FIDE Handbook (C.05, Annex 1) say who meets whom.",
    },
    Policy {
        topic: "qualification",
        outcome: "the-best-of-each-group",
        detail: "As many of each group go on to the finals as `qualifiers` says, by the standings of the group, and of those who come next in their groups as many as `best_next` says: those with the largest share of the points that their games could bring, one of each group at most. Of players who are equal in everything the lower starting number goes first. Who has withdrawn before the finals are drawn doesn't go on, and the next of the group does.",
    },
    Policy {
        topic: "seeding-of-the-finals",
        outcome: "by-the-ranks-in-the-groups",
        detail: "The winners of the groups have the first seeds, then come the second ones, and so on; among those with the same place by the share that they made of the points they could make, then by starting number. Two of one group meet as late as possible, which goes before that order. In the bracket 1 meets the last seed; if the number is no power of two, the best seeds have a bye.",
    },
    Policy {
        topic: "withdrawal",
        outcome: "struck-below-half-or-loses-the-tie",
        detail: "Who withdraws can't come back. Games that have begun go on. In the groups, a player with fewer than half of their games begun is struck out: none of these games counts in the table for anybody (rated games stay rated). Otherwise all count, and those that had not begun are won without play. In the finals, who has withdrawn loses the tie unless the boards that have begun decide it; if both have, the higher seed goes on, to be beaten without play in the next round.",
    },
    Policy {
        topic: "opponent-withdrawn",
        outcome: "one-point-without-play",
        detail: "In the groups, whose opponent is withdrawn before their games have begun gets one point without play, unless the opponent is struck out. In the finals they go on.",
    },
    Policy {
        topic: "bye",
        outcome: "nothing",
        detail: "In a group with an odd number of players everybody sits out once, for nothing. A smaller group may be done before the others.",
    },
    Policy {
        topic: "tie",
        outcome: "best-of",
        detail: "In the finals two players of a round play one board after another, with the first move in turn, until the lead of one is more than the boards that are left could make good. A board that was called off counts as one of them. Who has begun less often in earlier rounds of the finals begins a tie.",
    },
    Policy {
        topic: "drawn-tie",
        outcome: "further-boards-then-the-higher-seed",
        detail: "If the points of a tie are equal after the last board, further boards are played one at a time, as many as `extra_boards` says; the first that is won decides. After them the higher seed goes on.",
    },
    Policy {
        topic: "ranking",
        outcome: "finals-then-groups",
        detail: "The final decides on the ranks 1 and 2; the tie for the third place, if there is one, on 3 and 4. All others who are put out in the same round of the finals share a rank. Behind them come those who were not in the finals: who had the same place in their groups share a rank.",
    },
];
