//! The card of a variant beside its rule set: the board, the classes, the actions and their disclosure. Wire structs,
//! and the table's share of them; the families fill in theirs.
use alloc::{string::String, vec, vec::Vec};
use core::iter;

use serde::Serialize;

use crate::{
    action::TableAction,
    illegal::UnknownWord,
    outcome::Status,
    seat::Seat,
    text::{ClassId, Label, LineId, ShipId},
    titles::ShipTitle,
    view_model::Stat,
};

/// A language that texts for people come in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub enum Language {
    /// English.
    #[serde(rename = "en")]
    English = 0,
    /// French.
    #[serde(rename = "fr")]
    French = 1,
}

impl core::str::FromStr for Language {
    type Err = UnknownWord;

    fn from_str(tag: &str) -> Result<Self, UnknownWord> {
        let found = [Self::English, Self::French].into_iter().find(|language| language.tag() == tag);
        found.ok_or_else(|| UnknownWord::none_of(&["en", "fr"]))
    }
}

impl Language {
    /// The language tag (RFC 5646).
    #[must_use]
    pub const fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::French => "fr",
        }
    }
}

/// The board of a rule set: enough to draw it.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = Board))]
#[serde(deny_unknown_fields)]
pub struct BoardCard {
    /// The seas, in the order in which a view lists them.
    #[cfg_attr(feature = "schema", schema(max_items = 7))]
    pub seas: Vec<SeaCard>,
}

/// A sea of a board.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = BoardSea))]
#[serde(deny_unknown_fields)]
pub struct SeaCard {
    /// Its id, the same as in a view.
    #[cfg_attr(feature = "schema", schema(max_length = 16, pattern = "^[a-z-]+$"))]
    pub id: &'static str,
    /// Its layers, from the top; a port comes last.
    #[cfg_attr(feature = "schema", schema(max_items = 5))]
    pub layers: Vec<LayerCard>,
    /// Rows of each layer.
    #[cfg_attr(feature = "schema", schema(minimum = 5, maximum = 60, format = Int32))]
    pub rows: u8,
    /// Columns of each layer.
    #[cfg_attr(feature = "schema", schema(minimum = 5, maximum = 60, format = Int32))]
    pub columns: u8,
    /// What is written beside its rows, from the top: their part of the names of the cells, such as `A`. Empty where
    /// cells are numbered, and not named by row and column.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<AxisTitle>, max_items = 60))]
    pub row_titles: Vec<Label>,
    /// What is written above its columns, from the left, in the same way.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<AxisTitle>, max_items = 60))]
    pub column_titles: Vec<Label>,
    /// Every cell with its name and its place.
    #[cfg_attr(feature = "schema", schema(max_items = 1000))]
    pub cells: Vec<CellCard>,
    /// Lines that the rules speak of, by name; empty where there are none.
    #[cfg_attr(feature = "schema", schema(max_items = 64))]
    pub lines: Vec<LineCard>,
}

/// What is written beside a row or above a column.
#[cfg(feature = "schema")]
#[derive(utoipa::ToSchema)]
#[schema(min_length = 1, max_length = 2, pattern = "^([A-Z]{1,2}|[1-9][0-9]?)$")]
#[allow(dead_code, reason = "it only describes the contract")]
pub struct AxisTitle(String);

/// A line across a sea.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = BoardLine))]
#[serde(deny_unknown_fields)]
pub struct LineCard {
    /// Its id, as actions name it.
    pub id: LineId,
    /// Its cells on the uppermost layer, in order.
    #[cfg_attr(feature = "schema", schema(max_items = 60))]
    pub cells: Vec<Label>,
}

/// A layer of a sea.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = BoardLayer))]
#[serde(deny_unknown_fields)]
pub struct LayerCard {
    /// Its id.
    #[cfg_attr(feature = "schema", schema(max_length = 16, pattern = "^[a-z0-9-]+$"))]
    pub id: &'static str,
    /// Its name for people.
    #[cfg_attr(feature = "schema", schema(max_length = 40, pattern = r"^[^\u0000-\u001f\u007f-\u009f]+$"))]
    pub name: &'static str,
}

/// A cell of a sea.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = BoardCell))]
#[serde(deny_unknown_fields)]
pub struct CellCard {
    /// Its name.
    pub label: Label,
    /// The id of its layer.
    #[cfg_attr(feature = "schema", schema(max_length = 16, pattern = "^[a-z0-9-]+$"))]
    pub layer: &'static str,
    /// Its row, from 0 at the top.
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 59, format = Int32))]
    pub row: u8,
    /// Its column, from 0 at the left.
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 59, format = Int32))]
    pub column: u8,
    /// The only seat that may place its ships here; left out where that isn't said.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub seat: Option<Seat>,
    /// What is special here; left out where nothing is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub feature: Option<Feature>,
}

impl CellCard {
    /// A cell without special properties.
    pub(crate) const fn plain(label: Label, layer: &'static str, row: u8, column: u8) -> Self {
        Self { label, layer, row, column, seat: None, feature: None }
    }
}

/// What can be special of a cell.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = CellFeature))]
#[serde(rename_all = "kebab-case")]
pub enum Feature {
    /// A port, in which ships start and rearm.
    Port,
    /// A square from which ships enter and leave the port beside it.
    Arrow,
    /// No water: nothing can be placed here, nor shot at. (More of them may be drawn before the first deployment.)
    Island,
}

/// The silhouette of a class, for clients that draw ships.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = ShipLook))]
#[serde(rename_all = "kebab-case")]
pub enum Look {
    /// A flight deck with an island.
    Carrier,
    /// A broad hull with heavy turrets.
    Battleship,
    /// A long hull with light turrets.
    Cruiser,
    /// A narrow hull with torpedo tubes.
    Destroyer,
    /// A hull with a sail, without a deck.
    Submarine,
    /// A hull with holds. Every class without a silhouette of its own has this one.
    Merchant,
}

impl Look {
    /// The silhouette of the class with this id.
    #[must_use]
    pub fn of(class: &ClassId) -> Self {
        match class.as_str() {
            "carrier" => Self::Carrier,
            "battleship" | "heavy" => Self::Battleship,
            "cruiser" | "medium" => Self::Cruiser,
            "destroyer" | "light" | "torpedo-boat" => Self::Destroyer,
            "submarine" => Self::Submarine,
            _ => Self::Merchant,
        }
    }
}

/// A class of ships.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = ShipClassInfo))]
#[serde(deny_unknown_fields)]
pub struct ClassCard {
    /// Its id.
    pub class: ClassId,
    /// Its name for people.
    #[cfg_attr(
        feature = "schema",
        schema(min_length = 1, max_length = 40, pattern = r"^[^\u0000-\u001f\u007f-\u009f]+$")
    )]
    pub name: String,
    /// What it is called, in the language asked for; a name that a rule set gives itself stays as it is.
    #[cfg_attr(
        feature = "schema",
        schema(min_length = 1, max_length = 40, pattern = r"^[^\u0000-\u001f\u007f-\u009f]+$")
    )]
    pub title: String,
    /// The silhouette of its ships.
    pub look: Look,
    /// How many cells a ship of it covers.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 12, format = Int32))]
    pub length: u8,
    /// How a ship of it may lie; left out where ships are not placed on cells of the player's choice.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schema(required = false, max_items = 8))]
    pub orientations: Vec<Orientation>,
    /// How many a fleet has at most.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 30, format = Int32))]
    pub count: u8,
    /// The ids of these ships.
    #[cfg_attr(feature = "schema", schema(max_items = 70))]
    pub ships: Vec<ShipId>,
    /// What these ships are called, in the language asked for.
    #[cfg_attr(feature = "schema", schema(max_items = 70))]
    pub ship_titles: Vec<ShipTitle>,
    /// Its figures; empty where ships have none.
    #[cfg_attr(feature = "schema", schema(max_items = 8))]
    pub stats: Vec<Stat>,
}

/// One way in which a ship may lie.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Orientation {
    /// Its cells, counted from the first of them: of the uppermost row the leftmost.
    #[cfg_attr(feature = "schema", schema(min_items = 1, max_items = 12))]
    pub cells: Vec<Offset>,
}

/// How far a cell of a ship lies from the ship's first cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Offset {
    /// Rows further down.
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 5, format = Int32))]
    pub row: i8,
    /// Columns further to the right; below 0 to the left.
    #[cfg_attr(feature = "schema", schema(minimum = -5, maximum = 5, format = Int32))]
    pub column: i8,
}

/// An action type: when it can be played, and its schema.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = ActionInfo))]
#[serde(deny_unknown_fields)]
pub struct ActionCard {
    /// The `type` of the action.
    #[cfg_attr(feature = "schema", schema(max_length = 24, pattern = "^[a-z-]+$"))]
    pub action_type: &'static str,
    /// The phases in which it can be played.
    #[cfg_attr(feature = "schema", schema(max_items = 4))]
    pub phases: Vec<Status>,
    /// The name of its schema in the OpenAPI document, under `components/schemas`.
    #[cfg_attr(feature = "schema", schema(value_type = SchemaName))]
    pub schema: &'static str,
}

/// The name of a schema of the OpenAPI document.
#[cfg(feature = "schema")]
#[derive(utoipa::ToSchema)]
#[schema(max_length = 64, pattern = "^[A-Za-z]+$")]
#[allow(dead_code, reason = "it only describes the contract")]
pub struct SchemaName(String);

/// What each side is told of an action.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = ActionDisclosure))]
#[serde(deny_unknown_fields)]
pub struct AnswerCard {
    /// The `type` of the action.
    #[cfg_attr(feature = "schema", schema(max_length = 24, pattern = "^[a-z-]+$"))]
    pub action_type: &'static str,
    /// Who is told what.
    #[cfg_attr(feature = "schema", schema(max_items = 3))]
    pub recipients: Vec<Disclosed>,
}

/// What one side is told.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = Disclosure))]
#[serde(deny_unknown_fields)]
pub struct Disclosed {
    /// Who.
    pub recipient: Side,
    /// What that side learns, in the language asked for.
    #[cfg_attr(feature = "schema", schema(max_length = 600, pattern = r"^[^\u0000-\u001f\u007f-\u009f]+$"))]
    pub learns: String,
}

/// A side of an action.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = DisclosureRecipient))]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// Who acts.
    Actor,
    /// Who plays against the actor.
    Opponent,
    /// Who watches.
    Spectator,
}

impl AnswerCard {
    pub(crate) fn of(action: &'static str, actor: String, opponent: String, spectator: String) -> Self {
        let told = [(Side::Actor, actor), (Side::Opponent, opponent), (Side::Spectator, spectator)];
        Self {
            action_type: action,
            recipients: told.into_iter().map(|(to, learns)| Disclosed { recipient: to, learns }).collect(),
        }
    }
}

/// The actions of every rule set: the placing by the server, and the table's.
pub(crate) fn common_actions() -> impl Iterator<Item = ActionCard> {
    let auto = ActionCard { action_type: "deploy-auto", phases: vec![Status::Deploying], schema: "DeployAutoAction" };
    let table = TableAction::ALL.iter().map(|(action_type, schema, action)| ActionCard {
        action_type,
        phases: match action {
            TableAction::Resign(_) | TableAction::Abort(_) => vec![Status::Deploying, Status::Playing],
            TableAction::EndArmistice(_) => vec![Status::Armistice],
            _ => vec![Status::Playing],
        },
        schema,
    });
    iter::once(auto).chain(table)
}

/// The disclosure of the table's actions: the same to everybody.
pub(crate) fn table_answers(language: Language) -> impl Iterator<Item = AnswerCard> {
    TableAction::ALL.iter().map(move |(action_type, _, action)| {
        let learns = String::from(match (action, language) {
            (TableAction::Resign(_), Language::English) => "who resigned, the result, and at the end the seas whole",
            (TableAction::Resign(_), Language::French) => "qui abandonne, le résultat, et à la fin les mers en entier",
            (TableAction::Abort(_), Language::English) => "who called the match off; the seas stay closed",
            (TableAction::Abort(_), Language::French) => "qui annule la partie ; les mers restent fermées",
            (TableAction::OfferDraw(_), Language::English) => "who offers a draw",
            (TableAction::OfferDraw(_), Language::French) => "qui propose la nulle",
            (TableAction::AcceptDraw(_), Language::English) => "who accepts, the result, and at the end the seas whole",
            (TableAction::AcceptDraw(_), Language::French) => "qui accepte, le résultat, et à la fin les mers en entier",
            (TableAction::CallArmistice(_), Language::English) => {
                "who calls it; play and clocks stop, and the record has every shot so far with its answer and its proof"
            }
            (TableAction::CallArmistice(_), Language::French) => {
                "qui le demande ; jeu et pendules s’arrêtent, et le procès-verbal a tous les tirs avec réponses et preuves"
            }
            (TableAction::EndArmistice(_), Language::English) => "who would end it; it ends when everybody would",
            (TableAction::EndArmistice(_), Language::French) => "qui veut y mettre fin ; il finit quand tous le veulent",
            (TableAction::DeclineDraw(_), Language::English) => "who declines",
            (TableAction::DeclineDraw(_), Language::French) => "qui refuse",
        });
        AnswerCard::of(action_type, learns.clone(), learns.clone(), learns)
    })
}
