//! Seven leaks, planted in a viewer's answers like those of a faulty service, to show that the tests of secrecy would
//! notice each. Nothing of it is in the product.
use serde_json::{Value, json};

/// The way in which the place of a hidden fleet leaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leak {
    /// A field of a ship hidden from the viewer is filled in.
    Field,
    /// The text of a refusal depends on the secret.
    Error,
    /// The number of reports depends on the secret.
    Count,
    /// The `ETag` depends on the secret.
    ETag,
    /// The order of the ships depends on their places.
    Order,
    /// A ship's id depends on its place.
    Id,
    /// A decision is missing because of the secret.
    LegalMoves,
}

impl Leak {
    pub const ALL: [Self; 7] =
        [Self::Field, Self::Error, Self::Count, Self::ETag, Self::Order, Self::Id, Self::LegalMoves];
}

/// The places of a hidden fleet.
pub struct Hidden {
    owner: Value,
    /// A cell for each ship, in the order of the deployment.
    places: Vec<String>,
}

impl Hidden {
    /// The places in a deployment as sent.
    pub fn of(owner: u8, deployment: &Value) -> Self {
        let ships = deployment["ships"].as_array().or(deployment["submarines"].as_array()).into_iter().flatten();
        let cell = |ship: &Value| match ship {
            Value::String(cell) => cell.clone(),
            ship => ship["cell"].as_str().or(ship["cells"][0].as_str()).unwrap_or_default().to_owned(),
        };
        Self { owner: owner.into(), places: ships.map(cell).collect() }
    }

    fn sum(&self) -> u64 {
        let bytes = self.places.iter().flat_map(|label| label.bytes());
        bytes.enumerate().map(|(n, byte)| (n as u64 + 1) * u64::from(byte)).sum()
    }

    /// Leaks it through a view.
    pub fn in_view(&self, leak: Leak, version: &mut Value, seas: &mut Value, decisions: &mut Value) {
        match leak {
            Leak::Count => *version = json!(version.as_u64().unwrap_or_default() + self.sum()),
            Leak::LegalMoves if self.sum() % 2 == 1 => {
                decisions.as_array_mut().and_then(Vec::pop);
            }
            _ => {}
        }
        for sea in seas.as_array_mut().into_iter().flatten() {
            let ships = sea["ships"].as_array_mut().into_iter().flatten();
            let mut hidden: Vec<&mut Value> =
                ships.filter(|ship| ship["seat"] == self.owner && ship["cells"].is_null()).collect();
            let mut order: Vec<(&String, Value)> =
                self.places.iter().zip(hidden.iter().map(|ship| (**ship).clone())).collect();
            order.sort_by_key(|(place, _)| *place);
            for ((ship, place), (_, other)) in hidden.iter_mut().zip(&self.places).zip(order) {
                match leak {
                    Leak::Field => ship["cells"] = json!([place]),
                    Leak::Id => ship["id"] = json!(format!("{}-{place}", ship["class"])),
                    Leak::Order => **ship = other,
                    _ => {}
                }
            }
        }
    }

    /// Leaks it through a refusal.
    pub fn in_refusal(&self, leak: Leak, refusal: &mut Value) {
        if leak == Leak::Error && refusal["detail"].is_string() {
            refusal["detail"] = json!(format!("{} ({})", refusal["detail"], self.sum()));
        }
    }

    /// Leaks it through an `ETag`.
    pub fn in_etag(&self, leak: Leak, etag: &mut String) {
        if leak == Leak::ETag {
            *etag = format!("{etag}-{}", self.sum());
        }
    }
}
