//! The distance between levels, the same in every game: a share of the answers of the lower ones is drawn by lot.
//!
//! Methods alone don't create it. Where counting reveals most of what can be known, as with fleets that may not touch
//! each other, the best method wins no more matches than the second best.
use crate::{Level, luck::Luck};

impl Level {
    /// The share of its answers that are drawn by lot.
    const fn by_lot(self) -> f32 {
        match self {
            Self::Easy => 0.40,
            Self::Normal => 0.20,
            Self::Strong => 0.0,
        }
    }

    /// Is this answer drawn by lot?
    pub(crate) fn slips(self, luck: &mut Luck) -> bool {
        luck.unit() < self.by_lot()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lower_levels_draw_their_share_of_answers_by_lot_and_the_highest_none() {
        let drawn = |level: Level| {
            let slips = (0..10_000).filter(|version| level.slips(&mut Luck::new(7, *version)));
            slips.count() as f32 / 10_000.0
        };
        for level in Level::ALL {
            assert!((drawn(level) - level.by_lot()).abs() < 0.02, "{}: {}", level.name(), drawn(level));
        }
        let shares = Level::ALL.map(Level::by_lot);
        assert!(shares[0] > shares[1] && shares[1] > shares[2], "{shares:?}");
        assert_eq!(drawn(Level::Strong), 0.0);
    }
}
