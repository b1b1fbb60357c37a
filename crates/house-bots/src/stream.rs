//! Server-sent events (WHATWG HTML), limited to the service's use of them.

use serde_json::Value;

/// The longest event that is read, in bytes.
const LONGEST: usize = 8 << 20;

#[derive(Debug, PartialEq)]
pub(crate) struct Event {
    pub cursor: String,
    pub data: Value,
}

/// The received part of the next event.
#[derive(Default)]
pub(crate) struct Frames(Vec<u8>);

impl Frames {
    /// Takes in a piece, and returns the events that it completes. `None`: this is no stream of events.
    pub(crate) fn take(&mut self, piece: &[u8]) -> Option<Vec<Event>> {
        // No text of the service has a carriage return; one before the end of a line has no meaning.
        self.0.extend(piece.iter().filter(|byte| **byte != b'\r'));
        let mut events = Vec::new();
        while let Some(end) = self.0.windows(2).position(|two| two == b"\n\n") {
            let frame: Vec<u8> = self.0.drain(..end + 2).collect();
            events.extend(event(std::str::from_utf8(&frame).ok()?));
        }
        (self.0.len() <= LONGEST).then_some(events)
    }
}

/// The event of a frame; `None` for a comment.
fn event(frame: &str) -> Option<Event> {
    let field = |name: &str| frame.lines().find_map(|line| line.strip_prefix(name));
    let data = serde_json::from_str(field("data: ")?).ok()?;
    Some(Event { cursor: field("id: ")?.to_owned(), data })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_in_pieces() {
        let text = "retry: 2000\n\nid: k7m2x9pq-1\nevent: chat\ndata: {\"number\":1}\n\n: still here\n\nid: k7m2x9pq-2\r\ndata: {\"number\":2}\r\n\r\n";
        for size in [1, 3, 7, text.len()] {
            let mut frames = Frames::default();
            let pieces = text.as_bytes().chunks(size);
            let events: Vec<Event> = pieces.flat_map(|piece| frames.take(piece).unwrap()).collect();
            let told: Vec<_> =
                events.iter().map(|event| (event.cursor.as_str(), event.data["number"].as_u64())).collect();
            assert_eq!(told, [("k7m2x9pq-1", Some(1)), ("k7m2x9pq-2", Some(2))], "in pieces of {size}");
        }
    }

    #[test]
    fn what_never_ends_is_no_event() {
        let mut frames = Frames::default();
        assert!(frames.take(&vec![b'x'; LONGEST]).unwrap().is_empty());
        assert_eq!(frames.take(b"x"), None);
    }
}
