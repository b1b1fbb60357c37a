//! The family's share of a variant's card, computed from the parameters and the roster: the board, the classes, the
//! actions and their disclosure, which repeats `disclose.rs` in words.
use alloc::{
    string::{String, ToString},
    vec,
    vec::Vec,
};

use super::{
    Salvos,
    roster::{self, Class, Figures},
    rules::{Deployment, MovesPosted, Rules},
};
use crate::{
    card::{ActionCard, AnswerCard, BoardCard, CellCard, ClassCard, Language, LayerCard, Look, SeaCard},
    families::family,
    outcome::Status,
    titles::ShipTitle,
    view_model::{Stat, StatName},
};

/// The id of the one sea.
pub(crate) const SEA: &str = "sea";
const SURFACE: &str = "surface";

impl family::Card for Salvos {
    fn board(rules: &Rules, seats: u8) -> BoardCard {
        board_with(rules, seats, &[])
    }

    fn classes(rules: &Rules) -> Vec<ClassCard> {
        let class = |class: Class| {
            let ships: Vec<&roster::Ship> = rules.ships().iter().filter(|ship| ship.class == class).collect();
            let of = |nation: u8| ships.iter().filter(|ship| ship.nation == nation).count() as u8;
            // In custom fleets a class has a figure only if all its ships share it.
            let stat = |name, figure: fn(Figures) -> u8| {
                let figures = || ships.iter().map(|ship| figure(ship.figures));
                let (least, most) = (figures().min().unwrap_or_default(), figures().max().unwrap_or_default());
                match rules.fleets {
                    Some(_) => Stat { name, value: (least == most).then_some(most.into()), max: most.into() },
                    None => {
                        Stat { name, value: Some(figure(class.figures()).into()), max: figure(class.figures()).into() }
                    }
                }
            };
            ClassCard {
                class: class.id(),
                name: class.name().to_string(),
                title: String::new(),
                look: Look::of(&class.id()),
                length: 1,
                orientations: Vec::new(),
                count: (0..rules.names().len() as u8).map(of).max().unwrap_or_default(),
                ships: ships.iter().map(|ship| ship.id).collect(),
                ship_titles: ships
                    .iter()
                    .map(|ship| ShipTitle { ship: ship.id, title: ship.name.as_str().to_string() })
                    .collect(),
                stats: vec![
                    stat(StatName::Attack, |figures| figures.attack),
                    stat(StatName::Armour, |figures| figures.armour),
                    stat(StatName::Speed, |figures| figures.speed),
                    stat(StatName::MinRange, |figures| figures.nearest),
                    stat(StatName::MaxRange, |figures| figures.farthest),
                ],
            }
        };
        let afloat = |class: &Class| rules.ships().iter().any(|ship| ship.class == *class);
        Class::ALL.into_iter().filter(afloat).map(class).collect()
    }

    fn actions(_rules: &Rules) -> Vec<ActionCard> {
        let action = |action_type, phase, schema| ActionCard { action_type, phases: vec![phase], schema };
        vec![
            action("salvos-deploy", Status::Deploying, "SalvosDeployAction"),
            action("opening-shot", Status::Playing, "OpeningShotAction"),
            action("orders", Status::Playing, "OrdersAction"),
        ]
    }

    fn answers(rules: &Rules, language: Language) -> Vec<AnswerCard> {
        let pick = |english: &str, french: &str| match language {
            Language::English => english.to_string(),
            Language::French => french.to_string(),
        };
        let placed = || pick("that the fleet is placed", "que la flotte est en place");
        // Allies are told what their allies are told.
        let allied = |told: String| match rules.teams {
            Some(_) => told + &pick(" (and so are their allies)", " (et ses alliés avec lui)"),
            None => told,
        };
        let mut stands = allied(pick("where their ships stand", "où se trouvent ses navires"));
        if rules.deployment == Deployment::Free {
            stands += &pick(
                "; when all fleets are placed, where ships of theirs went that stood on a cell with another",
                " ; une fois toutes les flottes en place, où sont allés ceux qui partageaient une case avec un autre",
            );
        }
        let aimed = || {
            pick(
                "that the shot is aimed; when all are: every ship that fires, its cell, and the ships hit and sunk",
                "que le tir est ordonné ; quand tous le sont : chaque navire qui tire, sa case, les navires touchés et coulés",
            )
        };
        let salvo = pick(
            "each ship that fires, its cells, and by name and navy the ships hit, once each, and the ships sunk; not which cell was hit, nor how often",
            "chaque navire qui tire, ses cases, et par leur nom et leur marine les navires touchés, une fois chacun, et les navires coulés ; ni la case touchée, ni le nombre de coups",
        );
        let moves = match rules.moves_posted {
            MovesPosted::Steps => pick(
                "the ships that moved, and their steps, but not where they are",
                "les navires qui se sont déplacés, et leurs pas, mais non leur place",
            ),
            MovesPosted::Ship => pick("the ships that moved", "les navires qui se sont déplacés"),
            MovesPosted::Nothing => pick("nothing of moves", "rien des déplacements"),
        };
        let own_moves = allied(pick(
            "where their ships came to, and the cell that stopped one",
            "où ses navires sont arrivés, et la case qui en a arrêté un",
        ));
        let own_hits = allied(pick(
            "where their own ships were hit, and how hard",
            "où ses propres navires ont été touchés, et de combien de points",
        ));
        vec![
            AnswerCard::of("salvos-deploy", stands, placed(), placed()),
            AnswerCard::of("opening-shot", aimed(), alloc::format!("{}; {own_hits}", aimed()), aimed()),
            AnswerCard::of(
                "orders",
                alloc::format!("{salvo}; {own_moves}"),
                alloc::format!("{salvo}; {own_hits}; {moves}"),
                alloc::format!("{salvo}; {moves}"),
            ),
        ]
    }
}

/// The board with the drawn bands.
pub(crate) fn board_with(rules: &Rules, seats: u8, bands: &[u8]) -> BoardCard {
    let layout = rules.layout(seats);
    let board = layout.board();
    let cell = |cell| {
        let card = CellCard::plain(board.label(cell), SURFACE, board.row(cell), board.column(cell));
        CellCard { seat: layout.owner(bands, cell), ..card }
    };
    BoardCard {
        seas: vec![SeaCard {
            id: SEA,
            layers: vec![LayerCard { id: SURFACE, name: "Surface" }],
            rows: board.rows,
            columns: board.columns,
            row_titles: board.row_titles(),
            column_titles: board.column_titles(),
            cells: board.iter().map(cell).collect(),
            lines: Vec::new(),
        }],
    }
}
