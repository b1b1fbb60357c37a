//! THE one list of families and variants, and the only place that tells families apart. Everything of a family is in
//! its folder, everything shared is outside.
//!
//! A new family is one folder and one line in the list below: [`family`] states what the folder must provide, and the
//! compiler checks it. A new variant of a family is one preset in its folder. Shared code reaches the current family
//! through `dispatch.rs`.
use alloc::vec::Vec;

use minicbor::{Decode, Encode};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{card::Language, illegal::Fault};

mod added;
pub(crate) mod family;
mod first;
mod teams;
#[macro_use]
mod union;
mod variant;

pub mod depths;
pub mod gunnery;
pub mod salvos;
#[cfg(test)]
#[path = "../../tests/toy/mod.rs"]
pub mod toy;

use family::Family;
pub use first::First;
pub use variant::Variant;

families! { $
    /// Two seats, a sea each, shots called by cell.
    0 Gunnery gunnery,
    /// Two seats, ships that hunt submarines on three levels.
    1 Depths depths,
    /// Two to seven fleets on one sea, ships that move, fire in a range and are sunk by points of damage.
    2 Salvos salvos,
    /// A family that only tests have.
    #[cfg(test)]
    99 Toy toy,
}

mod dispatch;
#[cfg(test)]
mod tests;

pub(crate) use dispatch::disclose;

/// All variants, in the order of lists.
#[must_use]
pub const fn variants() -> &'static [Variant] {
    &VARIANTS
}

const COUNT: usize = {
    let (mut count, mut list) = (0, 0);
    while list < LISTS.len() {
        count += LISTS[list].len();
        list += 1;
    }
    count
};

/// The families' lists, one after the other.
static VARIANTS: [Variant; COUNT] = {
    let mut all = [LISTS[0][0]; COUNT];
    let (mut at, mut list) = (0, 0);
    while list < LISTS.len() {
        let mut nth = 0;
        while nth < LISTS[list].len() {
            all[at] = LISTS[list][nth];
            at += 1;
            nth += 1;
        }
        list += 1;
    }
    all
};
