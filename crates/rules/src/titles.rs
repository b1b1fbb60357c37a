//! What actions and seats are called, for people: short words for buttons and lists, in each language.
use crate::card::Language;

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

fn find(titles: &[(&str, [&'static str; 2])], id: &str, language: Language) -> Option<&'static str> {
    titles.iter().find(|(known, _)| *known == id).map(|(_, titles)| titles[language as usize])
}

/// What people call a type of action.
#[must_use]
pub fn of_action(action_type: &str, language: Language) -> Option<&'static str> {
    find(&ACTIONS, action_type, language)
}

/// What people call a nation that a seat can have.
#[must_use]
pub fn of_nation(nation: &str, language: Language) -> Option<&'static str> {
    find(&NATIONS, nation, language)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::variants;

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
