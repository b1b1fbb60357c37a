//! The bots: one for each family of games and each level; two where a match may have more than two seats, so that a
//! player can meet several of one level.

use std::collections::BTreeMap;

use broadside_bots::{Bot, Level};
use serde_json::{Map, Value};

use crate::House;
use crate::api::Answer;

/// A bot's task.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Post {
    /// The name of its account, if free.
    pub name: String,
    pub level: Level,
    pub family: String,
    /// The variants, with their rule sets.
    pub variants: BTreeMap<String, Value>,
    /// The most seats of any of them.
    pub max_seats: u64,
}

/// The posts for the settings and the variants of the service.
pub(crate) async fn posts(house: &House) -> Result<Vec<Post>, String> {
    let cards = cards(house).await.map_err(|problem| format!("the variants can't be read: {problem}"))?;
    let settings = &house.settings;
    let wanted = |family: &str| settings.families.is_empty() || settings.families.iter().any(|name| name == family);
    let mut families: BTreeMap<String, (u64, BTreeMap<String, Value>)> = BTreeMap::new();
    for mut card in cards {
        // A family that the players don't know yet is left to others.
        let playable = Bot::new(&card["rule_set"], Level::Easy, 0).is_ok();
        let (Some(id), Some(family)) = (card["id"].as_str(), card["family"].as_str()) else { continue };
        if playable && wanted(family) {
            let (id, seats) = (id.to_owned(), card["seats"]["max"].as_u64().unwrap_or(2));
            let (most, variants) = families.entry(family.to_owned()).or_default();
            *most = seats.max(*most);
            variants.insert(id, card["rule_set"].take());
        }
    }
    let mut posts = Vec::new();
    for (family, (max_seats, variants)) in families {
        let of_a_level = if max_seats > 2 { 2 } else { 1 };
        for level in &settings.levels {
            for number in 1..=of_a_level {
                let name = format!("{}{}", settings.name_prefix, name_of(&family, *level, number));
                let (family, variants) = (family.clone(), variants.clone());
                posts.push(Post { name, level: *level, family, variants, max_seats });
            }
        }
    }
    Ok(posts)
}

/// The name of the bot of a family and a level, such as `Captain-Pip`. A family without a list of names gets plain
/// ones.
fn name_of(family: &str, level: Level, number: u32) -> String {
    let names = match family {
        "gunnery" => ["Pip", "Marlow", "Ironside", "Wren", "Hale", "Stark"],
        "depths" => ["Coral", "Finn", "Nautila", "Minnow", "Drake", "Abyss"],
        "salvos" => ["Skipper", "Rowan", "Tempest", "Teal", "Bosun", "Thunder"],
        _ => return numbered(&format!("{family}-{}", level.name()), number),
    };
    let [easy, normal, strong, easy_too, normal_too, strong_too] = names;
    let name = match (level, number) {
        (Level::Easy, 1) => easy,
        (Level::Easy, _) => easy_too,
        (Level::Normal, 1) => normal,
        (Level::Normal, _) => normal_too,
        (Level::Strong, 1) => strong,
        (Level::Strong, _) => strong_too,
    };
    format!("Captain-{name}")
}

/// The first, second, … variation of a name.
pub(crate) fn numbered(name: &str, number: u32) -> String {
    if number == 1 { name.to_owned() } else { format!("{name}-{number}") }
}

async fn cards(house: &House) -> Answer<Vec<Value>> {
    let api = house.api("");
    let mut cards = Vec::new();
    for variant in api.all("/v1/variants?limit=100").await? {
        if let Some(id) = variant["id"].as_str() {
            cards.push(api.get(&format!("/v1/variants/{id}")).await?);
        }
    }
    Ok(cards)
}

/// Do two rule sets differ only in the first seat, which a challenge may set?
pub(crate) fn is_the_same(one: &Value, other: &Value) -> bool {
    let without = |rules: &Value| -> Option<Map<String, Value>> {
        let mut rules = rules.as_object()?.clone();
        rules.remove("first");
        Some(rules)
    };
    without(one) == without(other)
}
