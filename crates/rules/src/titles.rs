//! Titles of actions, seats, ships, layers and reports: short words for buttons, lists and logs, in each language.
//!
//! Only the presets' names of classes and weapons are translated; the names in a custom rule set are its author's.
use alloc::{format, string::String, vec::Vec};

use serde::Serialize;

#[cfg(feature = "schema")]
pub mod reports;
#[cfg(feature = "schema")]
mod values;

use crate::{
    card::{BoardCard, ClassCard, Language},
    families::RuleSet,
    text::{ClassId, ShipId},
};

/// Types of actions, in English and in French.
const ACTIONS: [(&str, [&str; 2]); 21] = [
    ("abort", ["Call the match off", "Annuler la partie"]),
    ("accept-draw", ["Accept the draw", "Accepter la nulle"]),
    ("call-armistice", ["Call an armistice", "Demander un armistice"]),
    ("charge", ["Drop a depth charge", "Larguer une grenade"]),
    ("decline-draw", ["Decline the draw", "Refuser la nulle"]),
    ("deploy", ["Place the fleet", "Placer la flotte"]),
    ("deploy-auto", ["Let the server place the fleet", "Laisser le serveur placer la flotte"]),
    ("depths-deploy", ["Place submarines and mine", "Placer les sous-marins et la mine"]),
    ("end-armistice", ["End the armistice", "Mettre fin à l’armistice"]),
    ("end-turn", ["End the turn", "Finir le tour"]),
    ("fire", ["Fire", "Tirer"]),
    ("give-up", ["Pay what is owed", "Régler ce qui est dû"]),
    ("move", ["Move a ship", "Déplacer un bâtiment"]),
    ("offer-draw", ["Offer a draw", "Proposer la nulle"]),
    ("opening-shot", ["Aim the opening shot", "Pointer le premier tir"]),
    ("orders", ["Give orders", "Donner les ordres"]),
    ("relocate", ["Move ships, or none", "Déplacer des navires, ou aucun"]),
    ("resign", ["Resign", "Abandonner"]),
    ("salvos-deploy", ["Place the navy", "Placer la marine"]),
    ("torpedo", ["Fire a torpedo", "Lancer une torpille"]),
    ("use-weapon", ["Use a weapon", "Employer une arme"]),
];

/// Nations, in English and in French.
const NATIONS: [(&str, [&str; 2]); 7] = [
    ("american", ["United States", "États-Unis"]),
    ("british", ["Great Britain", "Grande-Bretagne"]),
    ("french", ["France", "France"]),
    ("german", ["Germany", "Allemagne"]),
    ("italian", ["Italy", "Italie"]),
    ("japanese", ["Japan", "Japon"]),
    ("soviet", ["Soviet Union", "Union soviétique"]),
];

/// The presets' classes of ships, in English and in French.
const CLASSES: [(&str, [&str; 2]); 9] = [
    ("battleship", ["Battleship", "Cuirassé"]),
    ("carrier", ["Carrier", "Porte-avions"]),
    ("cruiser", ["Cruiser", "Croiseur"]),
    ("destroyer", ["Destroyer", "Destroyer"]),
    ("heavy", ["Heavy ship", "Bâtiment lourd"]),
    ("light", ["Light ship", "Bâtiment léger"]),
    ("medium", ["Medium ship", "Bâtiment moyen"]),
    ("submarine", ["Submarine", "Sous-marin"]),
    ("torpedo-boat", ["Torpedo boat", "Torpilleur"]),
];

/// The presets' weapons, in English and in French.
const WEAPONS: [(&str, [&str; 2]); 5] = [
    ("missile", ["Missile", "Missile"]),
    ("radar", ["Radar", "Radar"]),
    ("scout-plane", ["Scout plane", "Avion de reconnaissance"]),
    ("sonar", ["Sonar", "Sonar"]),
    ("torpedo", ["Torpedo", "Torpille"]),
];

/// Layers of seas, in English and in French.
const LAYERS: [(&str, [&str; 2]); 5] = [
    ("100", ["Depth 100", "Profondeur 100"]),
    ("200", ["Depth 200", "Profondeur 200"]),
    ("300", ["Depth 300", "Profondeur 300"]),
    ("port", ["Port", "Port"]),
    ("surface", ["Surface", "Surface"]),
];

/// A ship, for people.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ShipTitle {
    /// The ship.
    pub ship: ShipId,
    /// What it is called: its own name, or its class, with a number where there are several.
    #[cfg_attr(
        feature = "schema",
        schema(min_length = 1, max_length = 48, pattern = r"^[^\u0000-\u001f\u007f-\u009f]+$")
    )]
    pub title: String,
}

/// Something that is used up, for people.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct SupplyTitle {
    /// Its id, as in `supplies` of a view and in actions.
    #[cfg_attr(
        feature = "schema",
        schema(value_type = String, min_length = 1, max_length = 24, pattern = "^[a-z0-9]+(-[a-z0-9]+)*$")
    )]
    pub supply: ClassId,
    /// What it is called.
    #[cfg_attr(
        feature = "schema",
        schema(min_length = 1, max_length = 40, pattern = r"^[^\u0000-\u001f\u007f-\u009f]+$")
    )]
    pub title: String,
}

/// A layer of a sea, for people.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct LayerTitle {
    /// Its id.
    #[cfg_attr(feature = "schema", schema(max_length = 16, pattern = "^[a-z0-9-]+$"))]
    pub layer: &'static str,
    /// What it is called.
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 40, pattern = "^[^\\u0000-\\u001f]+$"))]
    pub title: &'static str,
}

fn find(titles: &[(&str, [&'static str; 2])], id: &str, language: Language) -> Option<&'static str> {
    titles.iter().find(|(known, _)| *known == id).map(|(_, titles)| titles[language as usize])
}

/// The title of a type of action.
#[must_use]
pub fn of_action(action_type: &str, language: Language) -> Option<&'static str> {
    find(&ACTIONS, action_type, language)
}

/// The title of a seat's nation.
#[must_use]
pub fn of_nation(nation: &str, language: Language) -> Option<&'static str> {
    find(&NATIONS, nation, language)
}

/// The title of a preset's name; a custom name stays as it is.
fn of_preset(titles: &[(&str, [&'static str; 2])], id: &str, name: &str, language: Language) -> String {
    let title = find(titles, id, language).filter(|_| find(titles, id, Language::English) == Some(name));
    String::from(title.unwrap_or(name))
}

/// Gives classes and their ships their titles. Ships without names are called by their class.
pub(crate) fn give(classes: &mut [ClassCard], language: Language) {
    for class in classes {
        class.title = of_preset(&CLASSES, class.class.as_str(), &class.name, language);
        if class.ship_titles.is_empty() {
            let several = class.ships.len() > 1;
            let title = |number: usize| if several { format!("{} {number}", class.title) } else { class.title.clone() };
            let ships = class.ships.iter().zip(1..);
            class.ship_titles = ships.map(|(ship, number)| ShipTitle { ship: *ship, title: title(number) }).collect();
        }
    }
}

/// The titles of the supplies under these rules.
#[must_use]
pub fn of_supplies(rules: &RuleSet, language: Language) -> Vec<SupplyTitle> {
    let title = |(id, name): (ClassId, String)| SupplyTitle {
        supply: id,
        title: of_preset(&WEAPONS, id.as_str(), &name, language),
    };
    rules.supplies().into_iter().map(title).collect()
}

/// The titles of a board's layers, each once.
#[must_use]
pub fn of_layers(board: &BoardCard, language: Language) -> Vec<LayerTitle> {
    let mut titles: Vec<LayerTitle> = Vec::new();
    for layer in board.seas.iter().flat_map(|sea| &sea.layers) {
        if titles.iter().all(|title| title.layer != layer.id) {
            titles.push(LayerTitle { layer: layer.id, title: find(&LAYERS, layer.id, language).unwrap_or(layer.name) });
        }
    }
    titles
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::variants;

    /// The variants of the service; the toy is for tests.
    fn served() -> impl Iterator<Item = RuleSet> {
        variants().iter().filter(|variant| variant.id != "toy").map(|variant| variant.rule_set())
    }

    #[test]
    fn what_presets_name_has_a_title_in_each_language() {
        for rules in served() {
            for class in rules.classes(Language::English) {
                let known = CLASSES.iter().find(|(id, _)| *id == class.class.as_str());
                let (_, titles) = known.unwrap_or_else(|| panic!("{} has no titles", class.class.as_str()));
                assert_eq!((titles[0], class.title.as_str()), (class.name.as_str(), class.name.as_str()));
                assert_eq!(class.ship_titles.len(), class.ships.len());
                assert!(class.ship_titles.iter().zip(&class.ships).all(|(title, ship)| title.ship == *ship));
            }
            for (id, name) in rules.supplies() {
                assert_eq!(find(&WEAPONS, id.as_str(), Language::English), Some(name.as_str()));
            }
            let board = rules.board(rules.seats().0);
            for layer in board.seas.iter().flat_map(|sea| &sea.layers) {
                assert_eq!(find(&LAYERS, layer.id, Language::English), Some(layer.name));
            }
        }
    }

    #[test]
    fn ships_are_told_apart_and_names_of_their_own_stay() {
        let titles = |rules: &RuleSet, class: &str, language| {
            let classes = rules.classes(language);
            let class = classes.into_iter().find(|card| card.class.as_str() == class).expect("its class");
            let ships: Vec<String> = class.ship_titles.into_iter().map(|ship| ship.title).collect();
            (class.title, ships)
        };
        let preset = |id: &str| crate::Variant::find(id).expect("a variant").rule_set();
        let (title, ships) = titles(&preset("sea-battle"), "cruiser", Language::French);
        assert_eq!((title.as_str(), ships.join(", ").as_str()), ("Croiseur", "Croiseur 1, Croiseur 2"));
        let (title, ships) = titles(&preset("salvos"), "carrier", Language::French);
        assert_eq!((title.as_str(), ships[0].as_str()), ("Porte-avions", "Enterprise"));
        let own = serde_json::json!({"fleet": [
            {"class": "carrier", "name": "Raft", "length": 2, "count": 1},
            {"class": "cruiser", "name": "Cruiser", "length": 2, "count": 1},
        ]});
        let own = preset("classic").with(&own).expect("a rule set");
        assert_eq!(titles(&own, "carrier", Language::French).0, "Raft");
        assert_eq!(titles(&own, "cruiser", Language::French).0, "Croiseur");
        let supplies = of_supplies(&preset("classic-weapons"), Language::French);
        assert_eq!(supplies[0].title, "Avion de reconnaissance");
        let layers = of_layers(&preset("depths").board(2), Language::French);
        assert_eq!(layers.len(), 5, "each once");
        assert_eq!(layers[1].title, "Profondeur 100");
    }

    #[test]
    fn every_action_and_every_nation_has_a_title_in_each_language() {
        for rules in variants().iter().map(|variant| variant.rule_set()) {
            for language in [Language::English, Language::French] {
                for action in rules.actions() {
                    assert!(of_action(action.action_type, language).is_some(), "{}", action.action_type);
                }
                for nation in rules.seat_names() {
                    assert!(of_nation(nation, language).is_some(), "{nation}");
                }
            }
        }
        assert_eq!(of_action("american", Language::English), None);
    }
}
