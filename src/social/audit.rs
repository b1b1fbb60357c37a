//! An operator's check: the messages of each room are numbered from 1 to its counter.

use crate::context::Context;
use crate::due::or_fault;
use crate::error::Result;
use crate::social::store;

/// How many rooms are read at a time.
const AT_ONCE: i64 = 1000;

/// What was found.
#[derive(Default, Debug)]
pub struct Findings {
    /// How many rooms have messages.
    pub rooms: u64,
    /// How many messages they have.
    pub messages: u64,
    /// What is wrong, a line each.
    pub faults: Vec<String>,
}

/// Checks every room.
pub async fn all(ctx: &Context) -> Result<Findings> {
    let (mut found, mut after) = (Findings::default(), None);
    loop {
        let mut conn = ctx.db.conn().await?;
        let rooms = store::chat::counted_rooms(&mut conn, after, AT_ONCE).await;
        drop(conn);
        let Some(rooms) = or_fault(rooms, "the rooms", &mut found.faults)? else { return Ok(found) };
        let Some(last) = rooms.last() else { return Ok(found) };
        after = Some((last.id, last.room.clone()));
        for room in rooms {
            found.rooms += 1;
            found.messages += room.messages;
            if room.newest != room.last || room.messages != room.newest {
                found.faults.push(format!(
                    "{}: the room of the {} has {} messages up to number {}, its counter says {}",
                    room.id, room.room, room.messages, room.last, room.newest
                ));
            }
        }
    }
}
