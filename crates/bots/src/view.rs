//! The players' part of a match as any client gets it. Names are those of the contract.
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
pub(crate) struct View {
    pub viewer: Viewer,
    pub version: u64,
    pub seas: Vec<Sea>,
    pub decisions: Vec<Value>,
}

#[derive(Deserialize)]
pub(crate) struct Viewer {
    pub seat: Option<u8>,
}

/// A sea as the viewer knows it.
#[derive(Deserialize)]
pub(crate) struct Sea {
    pub id: String,
    pub owner: Option<u8>,
    pub marks: Vec<Mark>,
    pub ships: Vec<Ship>,
}

#[derive(Deserialize)]
pub(crate) struct Mark {
    pub cell: String,
    pub kind: Kind,
    pub class: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Kind {
    Miss,
    Sighted,
    Hit,
    Sunk,
    Tried,
    Excluded,
    Near,
    Mine,
    Seen,
    Aimed,
    /// An unknown kind of mark has no meaning for this player.
    #[serde(other)]
    Other,
}

impl Kind {
    /// Has the cell been shot at, or can it no longer be?
    pub(crate) const fn is_tried(self) -> bool {
        matches!(self, Self::Miss | Self::Sighted | Self::Hit | Self::Sunk | Self::Tried | Self::Mine)
    }

    pub(crate) const fn is_struck(self) -> bool {
        matches!(self, Self::Hit | Self::Sunk)
    }
}

#[derive(Deserialize)]
pub(crate) struct Ship {
    pub id: String,
    pub seat: u8,
    pub class: String,
    pub cells: Option<Vec<String>>,
    pub afloat: Option<bool>,
    #[serde(default)]
    pub stats: Vec<Stat>,
}

#[derive(Deserialize)]
pub(crate) struct Stat {
    pub name: String,
    pub value: Option<u16>,
    pub max: u16,
}

impl Ship {
    /// The current value of a figure, or else its maximum.
    pub(crate) fn stat(&self, name: &str) -> u16 {
        self.stats.iter().find(|stat| stat.name == name).map_or(0, |stat| stat.value.unwrap_or(stat.max))
    }
}

impl View {
    /// The required decisions of a type.
    pub(crate) fn required(&self, kind: &str) -> impl Iterator<Item = &Value> {
        self.decisions.iter().filter(move |decision| decision["required"] == true && decision["type"] == kind)
    }

    pub(crate) fn seat(&self) -> u8 {
        self.viewer.seat.unwrap_or_default()
    }
}

pub(crate) fn texts(value: &Value) -> impl Iterator<Item = &str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str)
}

/// A small number, or `otherwise`.
pub(crate) fn number(value: &Value, otherwise: u16) -> u16 {
    value.as_u64().and_then(|number| u16::try_from(number).ok()).unwrap_or(otherwise)
}
