//! The standings of a tournament in any format.

use broadside_contests::tie_breaks::{Standing, standings};
use broadside_contests::{Form, knockout, tables};

use super::{Board, Entrant, Tournament, WithdrawalReason, groups};

/// The standings after these boards.
pub(super) fn table(tournament: &Tournament, entrants: &[Entrant], boards: &[Board]) -> Vec<Standing> {
    if tournament.terms.form == Form::Knockout {
        return knockout::standings(tournament.players, &tournament.knockout(), boards);
    }
    if tournament.terms.form == Form::Tables {
        return tables::standings(tournament.players, boards);
    }
    if let Some(groups) = tournament.groups() {
        return groups::standings(tournament, &groups, entrants, boards);
    }
    standings(tournament.terms.form, tournament.players, &strikable(entrants), boards)
}

/// Players who are struck out of a round robin if too few of their games have begun. A suspension doesn't take from
/// others what they won against the suspended player.
pub(super) fn strikable(entrants: &[Entrant]) -> Vec<u16> {
    let gone = entrants.iter().filter(|entrant| {
        entrant.withdrawn.is_some_and(|withdrawn| withdrawn.why != WithdrawalReason::AccountSuspended)
    });
    gone.filter_map(|entrant| entrant.number).collect()
}
