//! Event streams, as server-sent events or as lines of JSON.

use std::time::Duration;

use broadside::epoch::Cursor;
use serde_json::Value;

use super::{Player, Streaming, TestApp, contract, plain};

impl TestApp {
    /// The cursor after the event, the report or the message with this number.
    pub fn cursor(&self, number: u64) -> String {
        Cursor::new(self.app.epochs.current(), number).to_string()
    }
}

/// A stream, parsed into its events.
pub struct Listening {
    stream: Streaming,
    lines: bool,
    rest: String,
}

impl Listening {
    pub async fn to(player: &Player, media_type: &str, path: &str, last: Option<u64>) -> Self {
        let mut request = player.signed(plain("GET", path, None)).insert_header(("accept", media_type));
        if let Some(last) = last {
            request = request.insert_header(("last-event-id", player.app.cursor(last)));
        }
        let stream = player.app.open(request).await;
        assert_eq!(stream.status, 200);
        assert!(stream.headers.contains(&("content-type".to_owned(), media_type.to_owned())), "{:?}", stream.headers);
        Self { stream, lines: media_type.contains("ndjson"), rest: String::new() }
    }

    pub async fn sse(player: &Player, path: &str, last: Option<u64>) -> Self {
        Self::to(player, "text/event-stream", path, last).await
    }

    /// The next event; `None` at the end of the stream.
    pub async fn next(&mut self) -> Option<Value> {
        let event = self.next_unchecked().await?;
        contract::check_event(&event);
        Some(event)
    }

    async fn next_unchecked(&mut self) -> Option<Value> {
        loop {
            let end = if self.lines { "\n" } else { "\n\n" };
            while let Some((frame, rest)) = self.rest.split_once(end) {
                let (frame, rest) = (frame.to_owned(), rest.to_owned());
                self.rest = rest;
                if self.lines && !frame.is_empty() {
                    return Some(serde_json::from_str(&frame).unwrap());
                }
                if frame.starts_with("id: ") {
                    return Some(sse(&frame));
                }
            }
            let piece = tokio::time::timeout(Duration::from_secs(10), self.stream.piece()).await;
            self.rest += &piece.expect("the stream is silent")?;
        }
    }

    pub async fn take(&mut self, count: usize) -> Vec<Value> {
        let mut events = Vec::new();
        while events.len() < count {
            events.push(self.next().await.expect("the stream has ended"));
        }
        events
    }
}

/// The event in a frame. Asserts that its three lines agree.
fn sse(frame: &str) -> Value {
    let lines: Vec<&str> = frame.lines().collect();
    let [id, kind, data] = lines.as_slice() else { panic!("{frame}") };
    let event: Value = serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap();
    let (epoch, number) = id.strip_prefix("id: ").unwrap().split_once('-').unwrap();
    assert_eq!((epoch.len(), number), (8, event["number"].to_string().as_str()));
    assert_eq!(kind.strip_prefix("event: ").unwrap(), event["type"]);
    event
}
