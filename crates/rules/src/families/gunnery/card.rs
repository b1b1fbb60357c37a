//! The family's share of a variant's card, worked out from the parameters: the board, the classes, the actions, and who
//! is told what. It says in words what `disclose.rs` does.
use alloc::{
    format,
    string::{String, ToString},
    vec,
    vec::Vec,
};

use super::Gunnery;
use super::rules::{Reporting, Rules, Shrinks, Sighting, Sinkings};
use super::seating::Seating;
use crate::{
    card::{ActionCard, AnswerCard, BoardCard, CellCard, ClassCard, Feature, Language, LayerCard, SeaCard},
    families::family,
    outcome::Status,
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
            cells: cells.clone(),
            lines: Vec::new(),
        };
        BoardCard { seas: seating.seas().map(sea).collect() }
    }

    fn classes(rules: &Rules) -> Vec<ClassCard> {
        let class = |(index, class): (usize, &super::rules::Class)| ClassCard {
            class: class.class,
            name: class.name.clone(),
            length: class.length,
            orientations: class.ways().card(),
            count: rules.most(index),
            ships: rules
                .all_ships()
                .filter(|ship| usize::from(ship.class) == index)
                .map(|ship| rules.ship_id(ship))
                .collect(),
            stats: Vec::new(),
        };
        rules.fleet.iter().enumerate().map(class).collect()
    }

    fn actions(rules: &Rules) -> Vec<ActionCard> {
        let mut actions = vec![
            ActionCard {
                action_type: "deploy",
                phases: vec![Status::Deploying],
                schemas: vec!["DeployAction", "DeployAutoAction"],
            },
            ActionCard { action_type: "fire", phases: vec![Status::Playing], schemas: vec!["FireAction"] },
        ];
        if rules.mines.is_some() {
            actions.push(ActionCard {
                action_type: "give-up",
                phases: vec![Status::Playing],
                schemas: vec!["GiveUpAction"],
            });
        }
        if rules.relocates() {
            actions.push(ActionCard {
                action_type: "relocate",
                phases: vec![Status::Playing],
                schemas: vec!["RelocateAction"],
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

/// What everybody but the target is told of a salvo.
fn reported(rules: &Rules, language: Language) -> String {
    let mut parts: Vec<&str> = Vec::new();
    let mut say = |english, french| {
        parts.push(match language {
            Language::English => english,
            Language::French => french,
        });
    };
    match rules.report {
        Reporting::Tally => say(
            "the cells shot at, and only how many of the shots hit",
            "les cases visées, et seulement le nombre de coups au but",
        ),
        Reporting::TallyPerShip => {
            say(
                "the cells shot at, and only how many of the shots hit each class",
                "les cases visées, et seulement le nombre de coups au but par classe",
            );
        }
        Reporting::PerShot => say("for each shot, whether it hit", "pour chaque tir, s'il a touché"),
        Reporting::PerSalvo => say(
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
        (Sinkings::Announced, Reporting::PerShot | Reporting::PerSalvo) => {
            say("when a ship is sunk, but not its class", "quand un navire est coulé, mais non sa classe");
        }
        (Sinkings::Announced, _) => {
            say("how many ships the salvo has sunk", "combien de navires la salve a coulés");
        }
        (Sinkings::Named, Reporting::PerShot) => {
            say("when a ship is sunk, and its class", "quand un navire est coulé, et sa classe");
        }
        (Sinkings::Named, _) => {
            say("the classes of the ships that the salvo has sunk", "la classe des navires que la salve a coulés");
        }
    }
    match rules.salvo.shrinks {
        Shrinks::PerOwnLoss => say("how many shots the next salvo has", "de combien de tirs sera la salve suivante"),
        Shrinks::No => say("whose turn it is", "à qui le tour"),
    }
    parts.join("; ")
}
