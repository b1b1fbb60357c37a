//! Schemas of lists of numbers and words, with the limits of their items: a derive knows only the limits of the list.

use utoipa::openapi::schema::{ArrayBuilder, KnownFormat, ObjectBuilder, Schema, SchemaFormat, SchemaType, Type};

/// Places, from 1, of up to seven players.
pub fn places() -> Schema {
    numbers(1, 7, 7)
}

/// Numbers of up to seven players, from 0.
pub fn player_numbers() -> Schema {
    numbers(0, 6, 7)
}

/// Starting numbers of a player's opponents in a tournament.
pub fn starting_numbers() -> Schema {
    numbers(1, 512, 120)
}

/// Starting numbers of the players with a bye in a round.
pub fn sitting_out() -> Schema {
    numbers(1, 512, 512)
}

/// Numbers of the boards of a knockout tie.
pub fn board_numbers() -> Schema {
    numbers(1, 2816, 11)
}

/// Codes: lower-case words with hyphens.
pub fn codes() -> Schema {
    let word = ObjectBuilder::new()
        .schema_type(SchemaType::new(Type::String))
        .max_length(Some(40))
        .pattern(Some("^[a-z0-9-]+$"));
    ArrayBuilder::new().items(word).max_items(Some(10)).build().into()
}

/// Names of fields of a request or a response.
pub fn field_names() -> Schema {
    let word = ObjectBuilder::new()
        .schema_type(SchemaType::new(Type::String))
        .max_length(Some(40))
        .pattern(Some("^[a-z0-9_]+$"));
    ArrayBuilder::new().items(word).max_items(Some(30)).build().into()
}

/// Names of the rating pools of one rule set: two speeds, for two seats and for more.
pub fn pools() -> Schema {
    let name = ObjectBuilder::new()
        .schema_type(SchemaType::new(Type::String))
        .max_length(Some(80))
        .pattern(Some("^[a-z0-9-]+$"));
    ArrayBuilder::new().items(name).max_items(Some(4)).build().into()
}

fn numbers(least: i32, most: i32, items: usize) -> Schema {
    let format = SchemaFormat::KnownFormat(KnownFormat::Int32);
    let number = ObjectBuilder::new().schema_type(SchemaType::new(Type::Integer)).format(Some(format));
    let number = number.minimum(Some(least)).maximum(Some(most));
    ArrayBuilder::new().items(number).max_items(Some(items)).build().into()
}
