//! The strength of the levels, as a number to choose by: measured, not computed here.
use broadside_rules::{FamilyName, Variant};

use crate::Level;

/// By variant, the ratings of the levels, the weakest first: Glicko-2 from duels among them, with a mean of 1500.
/// `docs/bots.md` has the table with its intervals, and the command that makes it.
const RATINGS: [(&str, [u16; 3]); 15] = [
    ("classic", [1238, 1539, 1723]),
    ("classic-salvo", [1116, 1600, 1784]),
    ("classic-radar", [1062, 1609, 1829]),
    ("classic-weapons", [974, 1613, 1912]),
    ("paper", [918, 1605, 1978]),
    ("petty-officers", [1204, 1596, 1701]),
    ("cadets", [1085, 1587, 1828]),
    ("officers", [951, 1679, 1870]),
    ("admiralty", [1228, 1548, 1724]),
    ("sea-battle", [1166, 1542, 1793]),
    ("sea-battle-bent", [1212, 1376, 1912]),
    ("sea-battle-mines", [1318, 1493, 1689]),
    ("depths", [983, 1595, 1922]),
    ("depths-blast", [1014, 1618, 1867]),
    ("salvos", [911, 1542, 2046]),
];

impl Level {
    /// The rating in duels of a family, if measured: the mean of its variants, to ten points.
    #[must_use]
    pub fn rating(self, family: &str) -> Option<u16> {
        let at = Self::ALL.iter().position(|level| *level == self)?;
        let family: FamilyName = serde_json::from_value(family.into()).ok()?;
        let of_family = |(id, _): &&(&str, _)| Variant::find(id).is_some_and(|variant| variant.family == family);
        let rated: Vec<u16> = RATINGS.iter().filter(of_family).map(|(_, ratings)| ratings[at]).collect();
        let sum: u16 = rated.iter().map(|rating| rating / 10).sum();
        sum.checked_div(u16::try_from(rated.len()).ok()?).map(|tens| tens * 10)
    }
}

#[cfg(test)]
mod tests {
    use broadside_rules::variants;

    use super::*;

    #[test]
    fn every_variant_is_rated_and_a_higher_level_is_rated_higher() {
        let rated: Vec<&str> = RATINGS.iter().map(|(id, _)| *id).collect();
        let all: Vec<&str> = variants().iter().map(|variant| variant.id).collect();
        assert_eq!(rated, all);
        for (id, [easy, normal, strong]) in RATINGS {
            assert!(easy < normal && normal < strong, "{id}");
        }
    }

    #[test]
    fn the_rating_of_a_family_is_the_mean_of_its_variants() {
        for family in ["gunnery", "depths", "salvos"] {
            let [easy, normal, strong] = Level::ALL.map(|level| level.rating(family).unwrap());
            assert!(easy < normal && normal < strong, "{family}");
        }
        let (_, [easy, ..]) = RATINGS.iter().find(|(id, _)| *id == "salvos").unwrap();
        assert_eq!(Level::Easy.rating("salvos"), Some(easy / 10 * 10), "the only one of its family");
        assert_eq!(Level::Easy.rating("chess"), None);
    }
}
