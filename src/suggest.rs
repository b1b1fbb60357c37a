//! Suggestions for misspelt words.

use broadside_rules::illegal::UnknownWord;

/// True if the words differ in at most a third of the letters, or in one.
fn is_near(given: &str, known: &str) -> bool {
    let letters = given.chars().count().max(known.chars().count());
    strsim::damerau_levenshtein(given, known) <= (letters / 3).max(1)
}

/// Up to three known words near to `given`, nearest first.
pub fn near<'a>(given: &str, known: &[&'a str]) -> Vec<&'a str> {
    // All known words are shorter, and comparing takes time.
    if given.len() > 80 {
        return Vec::new();
    }
    let given = given.to_lowercase();
    let mut found: Vec<&str> = known.iter().copied().filter(|known| is_near(&given, known)).collect();
    found.sort_by_key(|known| strsim::damerau_levenshtein(&given, known));
    found.truncate(3);
    found
}

/// The message for a word that isn't among the known ones.
pub fn must_be_one_of(given: &str, known: &[&str]) -> UnknownWord {
    let UnknownWord(all) = UnknownWord::none_of(known);
    UnknownWord(match near(given, known).as_slice() {
        [] => all,
        near => format!("{all}; near to what is given: {}", near.join(", ")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_misspelt_is_near_to_what_was_meant() {
        let known = ["carrier", "light-cruiser", "cruiser", "mine"];
        assert_eq!(near("carier", &known), ["carrier"]);
        assert_eq!(near("Crusier", &known), ["cruiser"]);
        assert_eq!(near("chess", &known), [""; 0]);
        assert_eq!(near(&"x".repeat(100_000), &known), [""; 0]);
        assert_eq!(must_be_one_of("min", &known[2..]).0, "must be one of cruiser, mine; near to what is given: mine");
        assert_eq!(must_be_one_of("", &known[2..]).0, "must be one of cruiser, mine");
    }
}
