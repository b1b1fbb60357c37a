//! The family's share of a variant's card, computed from the parameters: the board, the classes, the actions and their
//! disclosure, which repeats `disclose.rs` in words.
use alloc::{
    format,
    string::{String, ToString},
    vec,
    vec::Vec,
};

use super::Gunnery;
use super::rules::{Clue, ExtraShots, Rules, SalvoReporting, SalvoShots, Shrinks, Sighting, Sinkings};
use super::seating::Seating;
use crate::{
    card::{ActionCard, AnswerCard, BoardCard, CellCard, ClassCard, Feature, Language, LayerCard, Look, SeaCard},
    families::family,
    outcome::Status,
    text::ClassId,
    view_model::{Stat, StatName},
};

const SURFACE: &str = "surface";

impl family::Card for Gunnery {
    fn board(rules: &Rules, seats: u8) -> BoardCard {
        let board = rules.board;
        let land = rules.given_land();
        let cells = board.iter().map(|cell| CellCard {
            feature: land.contains(cell).then_some(Feature::Island),
            ..CellCard::plain(board.label(cell), SURFACE, board.row(cell), board.column(cell))
        });
        let cells: Vec<CellCard> = cells.collect();
        let seating = Seating::new(rules, seats);
        let sea = |sea: usize| SeaCard {
            id: seating.id(sea).as_str(),
            layers: vec![LayerCard { id: SURFACE, name: "Surface" }],
            rows: board.rows,
            columns: board.columns,
            row_titles: board.row_titles(),
            column_titles: board.column_titles(),
            cells: cells.clone(),
            lines: Vec::new(),
        };
        BoardCard { seas: seating.seas().map(sea).collect() }
    }

    fn classes(rules: &Rules) -> Vec<ClassCard> {
        let class = |(index, class): (usize, &super::rules::Class)| ClassCard {
            class: class.class,
            name: class.name.clone(),
            title: String::new(),
            look: Look::of(&class.class),
            length: class.length,
            orientations: class.ways().card(),
            count: rules.most(index),
            ships: rules
                .all_ships()
                .filter(|ship| usize::from(ship.class) == index)
                .map(|ship| rules.ship_id(ship))
                .collect(),
            ship_titles: Vec::new(),
            stats: if rules.salvo.shots == SalvoShots::PerClass { vec![attack(class.shots)] } else { Vec::new() },
        };
        rules.fleet.iter().enumerate().map(class).collect()
    }

    fn supplies(rules: &Rules) -> Vec<(ClassId, String)> {
        rules.weapons.iter().map(|weapon| (weapon.weapon, weapon.name.clone())).collect()
    }

    fn actions(rules: &Rules) -> Vec<ActionCard> {
        let mut actions = vec![
            ActionCard { action_type: "deploy", phases: vec![Status::Deploying], schema: "DeployAction" },
            ActionCard { action_type: "fire", phases: vec![Status::Playing], schema: "FireAction" },
        ];
        if !rules.weapons.is_empty() {
            actions.push(ActionCard {
                action_type: "use-weapon",
                phases: vec![Status::Playing],
                schema: "UseWeaponAction",
            });
        }
        if rules.mines.is_some() {
            actions.push(ActionCard { action_type: "give-up", phases: vec![Status::Playing], schema: "GiveUpAction" });
        }
        if rules.relocates() {
            actions.push(ActionCard {
                action_type: "relocate",
                phases: vec![Status::Playing],
                schema: "RelocateAction",
            });
        }
        actions
    }

    fn answers(rules: &Rules, language: Language) -> Vec<AnswerCard> {
        let pick = |english: &str, french: &str| match language {
            Language::English => english.to_string(),
            Language::French => french.to_string(),
        };
        let sides = |own: &str, english: &str, french: &str| match rules.teams {
            Some(_) => format!("{own}; {}", pick(english, french)),
            None => own.to_string(),
        };
        let placed = || pick("that the fleet is placed", "que la flotte est en place");
        let reported = reported(rules, language);
        let truth = pick(
            "the cells shot at, and the truth of every shot at their own ships",
            "les cases visées, et la vérité de chaque tir sur ses propres navires",
        );
        let truth = sides(&truth, "so do the target's allies", "les alliés de la cible de même");
        let own = pick("where their ships lie", "où se trouvent ses navires");
        let own = sides(&own, "so do their allies", "ses alliés de même");
        let mut answers = vec![
            AnswerCard::of("deploy", own, placed(), placed()),
            AnswerCard::of("fire", reported.clone(), truth, reported),
        ];
        if !rules.weapons.is_empty() {
            let used = pick(
                "the weapon and where it is aimed; of its shots the same as of a salvo, and of what it looks at what \
                 it finds, or that it is shot down",
                "l'arme et la case visée ; de ses tirs la même chose que d'une salve, et de ce qu'elle observe ce \
                 qu'elle trouve, ou qu'elle est abattue",
            );
            answers.push(AnswerCard::of("use-weapon", used.clone(), used.clone(), used));
        }
        if rules.mines.is_some() {
            let given = pick(
                "the cells, ships and mines that are given up, with the answers as to shots",
                "les cases, navires et mines cédés, avec les réponses comme à des tirs",
            );
            answers.push(AnswerCard::of("give-up", given.clone(), given.clone(), given));
        }
        if rules.relocates() {
            let decided = || {
                pick(
                    "that the decision is made, not even whether a ship moved",
                    "que la décision est prise, sans même savoir si un navire a bougé",
                )
            };
            let moved = pick("which of their ships moved, and where to", "lesquels de ses navires ont bougé, et où");
            let moved = sides(&moved, "so do their allies", "ses alliés de même");
            answers.push(AnswerCard::of("relocate", moved, decided(), decided()));
        }
        answers
    }
}

fn attack(shots: u8) -> Stat {
    Stat { name: StatName::Attack, value: Some(shots.into()), max: shots.into() }
}

/// The report of a salvo to everybody but the target.
fn reported(rules: &Rules, language: Language) -> String {
    let mut parts: Vec<&str> = Vec::new();
    let mut say = |english, french| parts.push([english, french][language as usize]);
    match rules.report {
        SalvoReporting::Tally => say(
            "the cells shot at, and only how many of the shots hit",
            "les cases visées, et seulement le nombre de coups au but",
        ),
        SalvoReporting::TallyPerShip => {
            say(
                "the cells shot at, and only how many of the shots hit each class",
                "les cases visées, et seulement le nombre de coups au but par classe",
            );
        }
        SalvoReporting::PerShot => say("for each shot, whether it hit", "pour chaque tir, s'il a touché"),
        SalvoReporting::PerSalvo => say(
            "the cells shot at, and one answer for the whole salvo: the best of what its shots did",
            "les cases visées, et une seule réponse pour toute la salve : le meilleur de ce que ses tirs ont fait",
        ),
    }
    match rules.sighting {
        Sighting::No => {}
        Sighting::Orthogonal => say(
            "for a miss, whether it shares a side with a ship afloat",
            "pour un tir manqué, s'il est mitoyen d'un navire à flot",
        ),
        Sighting::All => say(
            "for a miss, whether it touches a ship afloat, corners included",
            "pour un tir manqué, s'il touche un navire à flot, même par un coin",
        ),
    }
    if rules.mines.is_some() {
        say("whether it struck a mine", "s'il a touché une mine");
    }
    if rules.names_hit {
        say("which class a hit struck", "quelle classe est touchée");
    }
    match (rules.sinkings(), rules.report) {
        (Sinkings::Silent, _) => {}
        (Sinkings::Announced, SalvoReporting::PerShot | SalvoReporting::PerSalvo) => {
            say("when a ship is sunk, but not its class", "quand un navire est coulé, mais non sa classe");
        }
        (Sinkings::Announced, _) => {
            say("how many ships the salvo has sunk", "combien de navires la salve a coulés");
        }
        (Sinkings::Named, SalvoReporting::PerShot) => {
            say("when a ship is sunk, and its class", "quand un navire est coulé, et sa classe");
        }
        (Sinkings::Named, _) => {
            say("the classes of the ships that the salvo has sunk", "la classe des navires que la salve a coulés");
        }
    }
    if let Some([english, french]) = number(rules.clue) {
        say(english, french);
    }
    let parts = parts.join("; ");
    format!("{parts}; {}", next_salvo(rules, language))
}

/// The number in the answer to a miss, in English and French.
const fn number(clue: Clue) -> Option<[&'static str; 2]> {
    Some(match clue {
        Clue::None => return None,
        Clue::NeighboursOrthogonal => [
            "for a miss, on how many cells that share a side with it a ship lies, sunk or not",
            "pour un tir manqué, sur combien de cases mitoyennes se trouve un navire, coulé ou non",
        ],
        Clue::NeighboursAll => [
            "for a miss, on how many cells around it, corners included, a ship lies, sunk or not",
            "pour un tir manqué, sur combien de cases voisines, coins compris, se trouve un navire, coulé ou non",
        ],
        Clue::DistanceKing => [
            "for a miss, how far the nearest ship afloat is, in steps in any direction",
            "pour un tir manqué, à quelle distance est le navire à flot le plus proche, en pas de tous côtés",
        ],
        Clue::DistanceSteps => [
            "for a miss, how far the nearest ship afloat is, in steps over sides",
            "pour un tir manqué, à quelle distance est le navire à flot le plus proche, en pas par les côtés",
        ],
    })
}

/// The information given away by the public size of the next salvo.
fn next_salvo(rules: &Rules, language: Language) -> &'static str {
    let (english, french) = match (rules.salvo.shots, rules.salvo.shrinks, rules.salvo.extra) {
        (SalvoShots::Fixed, Shrinks::No, ExtraShots::None) => ("whose turn it is", "à qui le tour"),
        (_, _, ExtraShots::AtOnce | ExtraShots::NextSalvo) => (
            "how many shots the next salvo has, and so how many shots of the last one hit",
            "de combien de tirs sera la salve suivante, et donc combien de tirs de la précédente ont porté",
        ),
        (SalvoShots::PerWholeCell, _, _) => (
            "how many shots the next salvo has, and so how many cells of that fleet are hit",
            "de combien de tirs sera la salve suivante, et donc combien de cases de cette flotte sont touchées",
        ),
        (SalvoShots::Fixed, _, _) => ("how many shots the next salvo has", "de combien de tirs sera la salve suivante"),
        _ => (
            "how many shots the next salvo has, and so what the fleet that it depends on has lost",
            "de combien de tirs sera la salve suivante, et donc ce qu'a perdu la flotte dont elle dépend",
        ),
    };
    match language {
        Language::English => english,
        Language::French => french,
    }
}
