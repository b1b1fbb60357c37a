//! All codes, with meaning and remedy in English and French.
use super::{Code, Texts};

mod forms;
mod moves;
mod places;
mod shots;

/// The code of a fault at one place of the request.
const fn code(code: &'static str, title: Texts, meaning: Texts, what_to_do: Texts) -> Code {
    Code { code, title, meaning, what_to_do, whole: false }
}

/// The code of a request refused as a whole.
const fn whole(code: &'static str, title: Texts, meaning: Texts, what_to_do: Texts) -> Code {
    Code { code, title, meaning, what_to_do, whole: true }
}

/// Every code of the rules: for actions, rule sets and clocks.
pub fn codes() -> impl Iterator<Item = &'static Code> {
    [shots::CODES, moves::CODES, places::CODES, forms::CODES].into_iter().flatten()
}
