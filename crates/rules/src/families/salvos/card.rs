//! The family's share of a variant's card, worked out from the parameters and the roster: the board, the classes, the
//! actions, and who is told what. It says in words what `disclose.rs` does.
use alloc::{string::ToString, vec, vec::Vec};

use super::{
    Salvos,
    roster::{self, Class, NATIONS, SHIPS},
    rules::{MovesPosted, Rules},
    sea,
};
use crate::{
    card::{ActionCard, AnswerCard, BoardCard, CellCard, ClassCard, Language, LayerCard, SeaCard},
    families::family,
    outcome::Status,
    view_model::{Stat, StatName},
};

/// The id of the one sea.
pub(crate) const SEA: &str = "sea";
const SURFACE: &str = "surface";

impl family::Card for Salvos {
    fn board(rules: &Rules, seats: u8) -> BoardCard {
        board_with(rules, seats, &[])
    }

    fn classes(_rules: &Rules) -> Vec<ClassCard> {
        let class = |class: Class| {
            let figures = class.figures();
            let of = |nation: usize| roster::fleet(nation as u8).filter(|ship| SHIPS[*ship].class == class).count();
            let stat = |name, value: u8| Stat { name, value: Some(value.into()), most: value.into() };
            ClassCard {
                class: class.id(),
                name: class.name().to_string(),
                length: 1,
                orientations: Vec::new(),
                count: (0..NATIONS.len()).map(of).max().unwrap_or_default() as u8,
                ships: SHIPS.iter().filter(|ship| ship.class == class).map(roster::Ship::id).collect(),
                stats: vec![
                    stat(StatName::Attack, figures.attack),
                    stat(StatName::Armour, figures.armour),
                    stat(StatName::Speed, figures.speed),
                    stat(StatName::RangeMin, figures.nearest),
                    stat(StatName::RangeMax, figures.farthest),
                ],
            }
        };
        Class::ALL.map(class).into()
    }

    fn actions(_rules: &Rules) -> Vec<ActionCard> {
        let action = |action_type, phase, schemas: &[&'static str]| ActionCard {
            action_type,
            phases: vec![phase],
            schemas: schemas.to_vec(),
        };
        vec![
            action("deploy", Status::Deploying, &["SalvosDeployAction", "DeployAutoAction"]),
            action("opening-shot", Status::Playing, &["OpeningShotAction"]),
            action("orders", Status::Playing, &["OrdersAction"]),
        ]
    }

    fn answers(rules: &Rules, language: Language) -> Vec<AnswerCard> {
        let pick = |english: &str, french: &str| match language {
            Language::English => english.to_string(),
            Language::French => french.to_string(),
        };
        let placed = || pick("that the fleet is placed", "que la flotte est en place");
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
        let own_moves = pick(
            "where their ships came to, and the cell that stopped one",
            "où ses navires sont arrivés, et la case qui en a arrêté un",
        );
        let own_hits = pick(
            "where their own ships were hit, and how hard",
            "où ses propres navires ont été touchés, et de combien de points",
        );
        vec![
            AnswerCard::of("deploy", pick("where their ships stand", "où se trouvent ses navires"), placed(), placed()),
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

/// The board with the bands that were drawn.
pub(crate) fn board_with(rules: &Rules, seats: u8, bands: &[u8]) -> BoardCard {
    let board = sea::board(seats);
    let cell = |cell| {
        let card = CellCard::plain(board.label(cell), SURFACE, board.row(cell), board.column(cell));
        CellCard { seat: sea::owner(rules.deployment, seats, bands, cell), ..card }
    };
    BoardCard {
        seas: vec![SeaCard {
            id: SEA,
            layers: vec![LayerCard { id: SURFACE, name: "Surface" }],
            rows: board.rows,
            columns: board.columns,
            cells: board.iter().map(cell).collect(),
            lines: Vec::new(),
        }],
    }
}
