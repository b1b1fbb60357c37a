//! Operations whose answers may be some seconds old: public data is read from a read replica if the operator has one
//! (`crate::public_reads`).

use serde_json::Value;

/// Operations that read from the replica, with an addition to their descriptions.
const STALE: &[(&str, &str)] = &[
    ("get_leaderboard", ABOUT_OTHERS),
    ("list_player_ratings", ABOUT_OTHERS),
    ("get_rating_history", ABOUT_OTHERS),
    ("get_player", ABOUT_OTHERS),
    ("get_player_statistics", ABOUT_OTHERS),
    ("list_player_opponents", ABOUT_OTHERS),
    ("list_player_honours", ABOUT_OTHERS),
    ("list_matches", FINISHED),
    ("list_ladders", TO_STRANGERS),
    ("list_tournaments", TO_STRANGERS),
    ("get_ladder_standings", ALWAYS),
    ("get_ladder_crosstable", ALWAYS),
    ("list_ladder_seasons", ALWAYS),
    ("get_tournament_standings", ALWAYS),
    ("get_tournament_crosstable", ALWAYS),
    ("get_tournament_report", ALWAYS),
    ("list_tournament_rounds", ALWAYS),
    ("get_tournament_bracket", ALWAYS),
];

const ALWAYS: &str =
    "Where the service has a read replica, this may be up to 10 seconds old, or what its operator allows.";
const ABOUT_OTHERS: &str = "Where the service has a read replica, this may be up to 10 seconds old, or what its operator \
    allows; but not about your own account.";
const FINISHED: &str = "Where the service has a read replica, lists with `status=finished` may be up to 10 seconds old, \
    or what its operator allows; but not those of your own matches.";
const TO_STRANGERS: &str = "Without a token, and where the service has a read replica, this may be up to 10 seconds old, \
    or what its operator allows.";

/// States in an operation's description that its answers may be old, where that is so.
pub fn describe(operation: &mut Value) {
    let found = STALE.iter().find(|(id, _)| operation["operationId"] == *id);
    let Some((_, sentence)) = found else { return };
    let description = operation["description"].as_str().unwrap_or_default();
    operation["description"] = Value::String(format!("{description}\n\n{sentence}").trim_start().to_owned());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_one_of_them_is_an_operation_of_the_contract() {
        let paths = crate::api::openapi::document()["paths"].as_object().unwrap();
        let operations = paths.values().flat_map(|item| item.as_object().unwrap().values());
        let described: Vec<&str> = operations
            .filter(|operation| operation["description"].as_str().is_some_and(|text| text.contains("read replica")))
            .filter_map(|operation| operation["operationId"].as_str())
            .collect();
        for (id, _) in STALE {
            assert!(described.contains(id), "{id}");
        }
        assert_eq!(described.len(), STALE.len());
    }
}
