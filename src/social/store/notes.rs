//! SQL for private notes. Every function takes the owner's account, so that no other account's notes can be read.

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use serde_json::Value;
use uuid::Uuid;

use crate::db::schema::match_notes as notes;
use crate::db::{At, Conn, Tx};
use crate::error::{Error, Result};
use crate::ids::{AccountId, MatchId};
use crate::social::Notes;

type Row = (i32, String, Value, At);

fn read((revision, text, marks, changed_at): Row) -> Result<Notes> {
    let marks = serde_json::from_value(marks).map_err(Error::internal)?;
    Ok(Notes { revision: revision.unsigned_abs(), text, marks, updated_at: Some(changed_at.0) })
}

pub async fn find(conn: &mut Conn, account: AccountId, id: MatchId) -> Result<Option<Notes>> {
    let row: Option<Row> = notes::table
        .find((account.0, id.0))
        .select((notes::revision, notes::text, notes::marks, notes::changed_at))
        .first(conn.sql())
        .await
        .optional()?;
    row.map(read).transpose()
}

/// Replaces the notes of the previous revision. False: the stored notes have another revision.
pub async fn replace(tx: &mut Tx, account: AccountId, id: MatchId, new: &Notes) -> Result<bool> {
    let (Ok(revision), Some(changed_at)) = (i32::try_from(new.revision), new.updated_at) else { return Ok(false) };
    let marks = serde_json::to_value(&new.marks).map_err(Error::internal)?;
    let written = if revision == 1 {
        diesel::insert_into(notes::table)
            .values((
                notes::account_id.eq(account.0),
                notes::match_id.eq(id.0),
                notes::revision.eq(revision),
                notes::text.eq(&new.text),
                notes::marks.eq(marks),
                notes::changed_at.eq(At(changed_at)),
            ))
            .on_conflict_do_nothing()
            .execute(tx.sql())
            .await?
    } else {
        diesel::update(notes::table.find((account.0, id.0)).filter(notes::revision.eq(revision - 1)))
            .set((
                notes::revision.eq(revision),
                notes::text.eq(&new.text),
                notes::marks.eq(marks),
                notes::changed_at.eq(At(changed_at)),
            ))
            .execute(tx.sql())
            .await?
    };
    Ok(written == 1)
}

pub async fn export(conn: &mut Conn, account: AccountId) -> Result<Vec<(MatchId, Notes)>> {
    let rows: Vec<(Uuid, Row)> = notes::table
        .filter(notes::account_id.eq(account.0))
        .order(notes::match_id)
        .select((notes::match_id, (notes::revision, notes::text, notes::marks, notes::changed_at)))
        .load(conn.sql())
        .await?;
    rows.into_iter().map(|(id, row)| Ok((MatchId(id), read(row)?))).collect()
}
