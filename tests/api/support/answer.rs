//! What the service answers, read whole or piece by piece, and what tests expect of it.

use std::pin::Pin;

use actix_web::body::{BoxBody, MessageBody};
use serde_json::Value;

/// An answer, read whole.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("no JSON: {}", self.text()))
    }

    /// The body, if it is JSON.
    pub fn json_or_null(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The body, if the status is this one.
    #[track_caller]
    pub fn expect(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.text());
        if self.body.is_empty() { Value::Null } else { self.json() }
    }

    /// Only the status counts.
    #[track_caller]
    pub fn expect_status(&self, status: u16) {
        assert_eq!(self.status, status, "{}", self.text());
    }

    /// The problem document, if the answer is this problem.
    #[track_caller]
    pub fn problem(&self, status: u16, code: &str) -> Value {
        let body = self.expect(status);
        assert_eq!(body["code"], code, "{}", self.text());
        assert_eq!(self.header("content-type"), Some("application/problem+json"));
        assert_eq!(body["status"], status);
        assert_eq!(body["type"], format!("/problems/{code}"));
        body
    }

    /// The pointers of the faults that a problem names.
    #[track_caller]
    pub fn pointers(&self) -> Vec<String> {
        let body = self.json();
        let errors = body["errors"].as_array().expect("a problem document has errors");
        errors.iter().map(|fault| fault["pointer"].as_str().unwrap().to_owned()).collect()
    }
}

/// An answer that comes piece by piece.
pub struct Streaming {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub(super) body: Pin<Box<BoxBody>>,
}

impl Streaming {
    /// The next piece; `None`: it has ended.
    pub async fn piece(&mut self) -> Option<String> {
        self.next_piece().await.map(|piece| piece.expect("the answer is broken off"))
    }

    /// The next piece, or that the answer is broken off.
    pub async fn next_piece(&mut self) -> Option<Result<String, String>> {
        let piece = std::future::poll_fn(|cx| self.body.as_mut().poll_next(cx)).await?;
        Some(piece.map(|bytes| String::from_utf8(bytes.to_vec()).unwrap()).map_err(|error| error.to_string()))
    }
}
