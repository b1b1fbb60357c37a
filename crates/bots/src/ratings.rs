//! How strong the levels are, as a number to choose by: measured, not computed here.
use crate::Level;

/// By family, the ratings of the levels, the weakest first: Glicko-2 from duels among them and the simple players, the
/// mean of the variants that were played, to ten points. `docs/bots.md` has the table, and the command that makes it.
const RATINGS: [(&str, [u16; 3]); 3] =
    [("gunnery", [1200, 1580, 1710]), ("depths", [1130, 1730, 1920]), ("salvos", [900, 1630, 2000])];

impl Level {
    /// Its rating in duels of a family, where that was measured.
    #[must_use]
    pub fn rating(self, family: &str) -> Option<u16> {
        let (_, ratings) = RATINGS.iter().find(|(name, _)| *name == family)?;
        let at = Self::ALL.iter().position(|level| *level == self)?;
        ratings.get(at).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_higher_level_has_a_higher_rating_in_each_family() {
        for (family, ratings) in RATINGS {
            assert!(ratings.is_sorted() && ratings[0] < ratings[1], "{family}: {ratings:?}");
            assert_eq!(Level::ALL.map(|level| level.rating(family)), ratings.map(Some));
        }
        assert_eq!(Level::Easy.rating("chess"), None);
    }
}
