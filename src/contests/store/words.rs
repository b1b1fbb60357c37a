//! The search words of ladders and tournaments: their folded titles and descriptions. They have their own table because
//! the database can't fold, and a search needs an index.

use diesel::prelude::*;
use uuid::Uuid;

use crate::contests::Contest;
use crate::db::schema::contest_words;
use crate::db::{Run, Tx};
use crate::error::Result;
use crate::ids::AccountId;
use crate::social::text::{Description, Title};
use crate::texts::fold;

/// SQL condition: a contest has the search words. The parameter goes between the two parts.
pub const FOUND: [&str; 2] = [
    "id IN (SELECT contest_id FROM contest_words WHERE to_tsvector('simple', words) @@ websearch_to_tsquery('simple', ",
    "))",
];

/// Stores the search words of a contest, whenever its title or description is written.
pub async fn set(tx: &mut Tx, contest: Contest, title: &Title, description: Option<&Description>) -> Result<()> {
    let words = fold(&format!("{} {}", title.as_str(), description.map_or("", Description::as_str)));
    let contest: Uuid = contest.id();
    diesel::insert_into(contest_words::table)
        .values((contest_words::contest_id.eq(contest), contest_words::words.eq(&words)))
        .on_conflict(contest_words::contest_id)
        .do_update()
        .set(contest_words::words.eq(&words))
        .run(tx)
        .await
}

/// Stores the author of the reason for closing or canceling a contest.
pub async fn set_ended_by(tx: &mut Tx, contest: Contest, account: AccountId) -> Result<()> {
    let words = contest_words::table.find(contest.id());
    diesel::update(words).set(contest_words::ended_by.eq(account.0)).run(tx).await
}
