//! Answers of the service, read whole or piece by piece, with assertions.

use std::pin::Pin;

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::ServiceResponse;
use actix_web::http::header;
use serde_json::Value;

use super::contract::Received;

/// An answer, read whole.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    pub async fn read<B: MessageBody + 'static>(response: Result<ServiceResponse<B>, actix_web::Error>) -> Self {
        let response = match response {
            Ok(response) => response.map_into_boxed_body().into_parts().1,
            Err(error) => error.error_response(),
        };
        let status = response.status().as_u16();
        let headers = headers_of(response.headers());
        let body = actix_web::body::to_bytes(response.into_body()).await.unwrap_or_default().to_vec();
        Self { status, headers, body }
    }

    pub fn received(&self) -> Received<'_> {
        Received { status: self.status, headers: &self.headers, body: Some(&self.body) }
    }

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

    /// The body. Panics if the status is another.
    #[track_caller]
    pub fn expect(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.text());
        if self.body.is_empty() { Value::Null } else { self.json() }
    }

    #[track_caller]
    pub fn expect_status(&self, status: u16) {
        assert_eq!(self.status, status, "{}", self.text());
    }

    /// The problem document. Panics if the answer is anything else.
    #[track_caller]
    pub fn problem(&self, status: u16, code: &str) -> Value {
        let body = self.expect(status);
        assert_eq!(body["code"], code, "{}", self.text());
        assert_eq!(self.header("content-type"), Some("application/problem+json"));
        assert_eq!(body["status"], status);
        assert_eq!(body["type"], format!("/problems/{code}"));
        body
    }

    /// The pointers of a problem's faults.
    #[track_caller]
    pub fn pointers(&self) -> Vec<String> {
        let body = self.json();
        let errors = body["errors"].as_array().expect("a problem document has errors");
        errors.iter().map(|fault| fault["pointer"].as_str().unwrap().to_owned()).collect()
    }
}

/// An answer that arrives piece by piece.
pub struct Streaming {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub(super) body: Pin<Box<BoxBody>>,
}

impl Streaming {
    pub fn of<B: MessageBody + 'static>(response: ServiceResponse<B>) -> Self {
        let response = response.map_into_boxed_body().into_parts().1;
        let (status, headers) = (response.status().as_u16(), headers_of(response.headers()));
        Self { status, headers, body: Box::pin(response.into_body()) }
    }

    pub fn received(&self) -> Received<'_> {
        Received { status: self.status, headers: &self.headers, body: None }
    }

    /// The next piece; `None` at the end.
    pub async fn piece(&mut self) -> Option<String> {
        self.next_piece().await.map(|piece| piece.expect("the answer is broken off"))
    }

    /// The next piece, or an error if the answer is cut off.
    pub async fn next_piece(&mut self) -> Option<Result<String, String>> {
        let piece = std::future::poll_fn(|cx| self.body.as_mut().poll_next(cx)).await?;
        Some(piece.map(|bytes| String::from_utf8(bytes.to_vec()).unwrap()).map_err(|error| error.to_string()))
    }
}

fn headers_of(map: &header::HeaderMap) -> Vec<(String, String)> {
    let text = |value: &header::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let mut headers: Vec<_> = map.iter().map(|(key, value)| (key.to_string(), text(value))).collect();
    headers.sort();
    headers
}
