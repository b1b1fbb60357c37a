//! The SQL of matches: the only part of `matches` that knows diesel.

pub mod access;
pub mod archive;
pub mod due;
pub mod entries;
pub mod hand_over;
pub mod kept_orders;
pub mod lists;
pub mod load;
pub mod logged;
pub mod matches;
pub mod pairing_end;
pub mod pauses;
pub mod record_keys;
pub mod repair;
pub mod results;
mod spread;
pub mod tail;
pub mod writer;
