//! Every code, with its meaning and the way out of it, in English and in French.
use super::{Code, Texts};

mod forms;
mod moves;
mod places;
mod shots;

/// Of a fault at a place of the request.
const fn code(code: &'static str, title: Texts, meaning: Texts, what_to_do: Texts) -> Code {
    Code { code, title, meaning, what_to_do, whole: false }
}

/// Of a request that is refused as a whole.
const fn whole(code: &'static str, title: Texts, meaning: Texts, what_to_do: Texts) -> Code {
    Code { code, title, meaning, what_to_do, whole: true }
}

/// Every code that the rules use, of actions, rule sets and clocks.
pub fn codes() -> impl Iterator<Item = &'static Code> {
    [shots::CODES, moves::CODES, places::CODES, forms::CODES].into_iter().flatten()
}
