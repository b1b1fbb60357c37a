//! The family's share of a variant's card, computed from the parameters: the board, the classes, the actions and their
//! disclosure, which repeats `disclose.rs` in words.
use alloc::{
    string::{String, ToString},
    vec,
    vec::Vec,
};

use super::{
    Depths,
    rules::{Charge, Rules, SHIPS, SUBMARINES, ship_id, submarine_class, submarine_id},
    water::{Line, Square},
};
use crate::{
    card::{
        ActionCard, AnswerCard, BoardCard, CellCard, ClassCard, Feature, Language, LayerCard, LineCard, Look, SeaCard,
    },
    families::family,
    outcome::Status,
    text::ClassId,
    view_model::{Stat, StatName},
};

const SURFACE: LayerCard = LayerCard { id: "surface", name: "Surface" };
const DEPTH: [LayerCard; 3] = [
    LayerCard { id: "100", name: "Depth 100" },
    LayerCard { id: "200", name: "Depth 200" },
    LayerCard { id: "300", name: "Depth 300" },
];
const PORT: LayerCard = LayerCard { id: "port", name: "Port" };

impl family::Card for Depths {
    fn board(rules: &Rules, _seats: u8) -> BoardCard {
        let waters = rules.waters();
        let surface = waters.squares().map(|square| CellCard {
            feature: rules.is_arrow(square).then_some(Feature::Arrow),
            ..CellCard::plain(square.label(), SURFACE.id, waters.row(square), waters.column(square))
        });
        let below = waters.cells().map(|cell| {
            let (layer, square) = (&DEPTH[usize::from(waters.depth(cell))], waters.above(cell));
            CellCard::plain(waters.label(cell), layer.id, waters.row(square), waters.column(square))
        });
        let port = CellCard { feature: Some(Feature::Port), ..CellCard::plain(Square::PORT.label(), PORT.id, 0, 0) };
        let cells: Vec<CellCard> = surface.chain(below).chain([port]).collect();
        let line = |line: Line| LineCard {
            id: waters.line_id(line),
            cells: waters.squares_on(line).map(Square::label).collect(),
        };
        let lines: Vec<LineCard> = waters.lines(rules.lines).map(line).collect();
        let sea = |id| SeaCard {
            id,
            layers: [SURFACE].into_iter().chain(DEPTH).chain([PORT]).collect(),
            rows: rules.rows,
            columns: rules.columns,
            row_titles: Vec::new(),
            column_titles: Vec::new(),
            cells: cells.clone(),
            lines: lines.clone(),
        };
        BoardCard { seas: vec![sea("red"), sea("yellow")] }
    }

    fn classes(_rules: &Rules) -> Vec<ClassCard> {
        let submarines = ClassCard {
            class: submarine_class(),
            name: "Submarine".to_string(),
            title: String::new(),
            look: Look::Submarine,
            length: 1,
            orientations: Vec::new(),
            count: SUBMARINES as u8,
            ships: (0..SUBMARINES).map(submarine_id).collect(),
            ship_titles: Vec::new(),
            stats: Vec::new(),
        };
        let ship = |(number, (class, name, charges)): (u8, (&str, &str, u8))| ClassCard {
            class: ClassId::cut(format_args!("{class}")),
            name: name.to_string(),
            title: String::new(),
            look: Look::of(&ClassId::cut(format_args!("{class}"))),
            length: 1,
            orientations: Vec::new(),
            count: 1,
            ships: vec![ship_id(number)],
            ship_titles: Vec::new(),
            stats: vec![Stat { name: StatName::Charges, value: Some(charges.into()), max: charges.into() }],
        };
        [submarines].into_iter().chain((0..).zip(SHIPS).map(ship)).collect()
    }

    fn actions(_rules: &Rules) -> Vec<ActionCard> {
        let card = |action_type, phase, schema| ActionCard { action_type, phases: vec![phase], schema };
        vec![
            card("depths-deploy", Status::Deploying, "DepthsDeployAction"),
            card("move", Status::Playing, "DepthsMoveAction"),
            card("charge", Status::Playing, "ChargeAction"),
            card("torpedo", Status::Playing, "TorpedoAction"),
            card("end-turn", Status::Playing, "EndTurnAction"),
        ]
    }

    fn answers(rules: &Rules, language: Language) -> Vec<AnswerCard> {
        let pick = |english: &str, french: &str| match language {
            Language::English => english.to_string(),
            Language::French => french.to_string(),
        };
        let told = |action, english: &str, french: &str| {
            let learns = pick(english, french);
            AnswerCard::of(action, learns.clone(), learns.clone(), learns)
        };
        let placed = || pick("that submarines and mine are placed", "que les sous-marins et la mine sont en place");
        let own = pick("where their submarines and their mine lie", "où se trouvent ses sous-marins et sa mine");
        let charge = match rules.charge {
            Charge::Cross => told(
                "charge",
                "the ship, the cell and the answer: hit, miss, or how many submarines lie beside the cell at its depth, right above or right below it",
                "le bâtiment, la case et la réponse : touché, manqué, ou combien de sous-marins se trouvent à côté de la case au même niveau, juste au-dessus ou juste au-dessous",
            ),
            Charge::Blast => told(
                "charge",
                "the ship, the cell and the answer: hit, miss, or how many submarines lie in the eight cells around it at its depth",
                "le bâtiment, la case et la réponse : touché, manqué, ou combien de sous-marins se trouvent dans les huit cases autour, au même niveau",
            ),
        };
        vec![
            AnswerCard::of("depths-deploy", own, placed(), placed()),
            told(
                "move",
                "the ship and its path, and whether it ended on the mine, which then is known",
                "le bâtiment et son trajet, et s'il a fini sur la mine, qui est alors connue",
            ),
            charge,
            told(
                "torpedo",
                "the target, the line, the draw, and whether it hit; not which submarine fired",
                "la cible, la ligne, le tirage, et si elle a touché ; pas quel sous-marin a tiré",
            ),
            told("end-turn", "that the turn is over", "que le tour est fini"),
        ]
    }
}
