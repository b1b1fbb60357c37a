//! An operator's check: the messages of each room are numbered from 1 to its counter.

use crate::context::Context;
use crate::db::Conn;
use crate::due::{self, Findings};
use crate::error::Result;
use crate::social::store::chat;

/// The number of rooms per query.
const AT_ONCE: i64 = 1000;

pub async fn all(ctx: &Context) -> Result<Findings> {
    let page = async |conn: &mut Conn, after| chat::counted_rooms(conn, after, AT_ONCE).await;
    let check = |rooms: &[chat::CountedRoom], found: &mut Findings| {
        for room in rooms {
            found.logs += 1;
            found.entries += room.messages;
            if room.newest != room.last || room.messages != room.newest {
                found.faults.push(format!(
                    "{}: the room of the {} has {} messages up to number {}, its counter says {}",
                    room.id, room.room, room.messages, room.last, room.newest
                ));
            }
        }
    };
    due::audit(ctx, "the rooms", page, |room| (room.id, room.room.clone()), check).await
}
