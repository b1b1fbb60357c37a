//! Answers. With [`super::problem`], this is the only module that makes bodies.
//!
//! A success is a [`Reply`]; a failure is a [`Failure`].

use std::borrow::Cow;

use actix_web::body::{BodyStream, BoxBody};
use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderName, HeaderValue};
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse, Responder};
use futures_util::{Stream, StreamExt};
use serde::Serialize;

use crate::api::http::caching::{Caching, has_compressed, knows};
use crate::api::http::compress;
pub use crate::api::http::problem::Failure;
use crate::document::{self, Document};
use crate::error::Error;

/// The return type of handlers.
pub type Answer = Result<Reply, Failure>;

/// A success: a status, headers, and an optional body of JSON, or of text where the caller asked for it.
#[derive(Clone, Debug)]
pub struct Reply {
    status: StatusCode,
    body: Body,
    media_type: Cow<'static, str>,
    headers: Vec<(HeaderName, String)>,
}

#[derive(Clone, Debug)]
enum Body {
    None,
    Made(Vec<u8>),
    Ready { plain: Bytes, gzip: Option<Bytes> },
}

pub const JSON: &str = "application/json";

pub const TEXT: &str = "text/plain; charset=utf-8";

impl Reply {
    pub fn ok(body: &impl Serialize) -> Result<Self, Error> {
        Self::with_status(StatusCode::OK, body)
    }

    /// 201 with `body`, which can be read again at `location`.
    pub fn created(location: &str, body: &impl Serialize) -> Result<Self, Error> {
        Ok(Self::with_status(StatusCode::CREATED, body)?.header(header::LOCATION, location))
    }

    /// 200 with a text for people.
    pub fn text(text: String) -> Self {
        let reply = Self::bare(StatusCode::OK, Body::Made(text.into_bytes()));
        Self { media_type: TEXT.into(), ..reply }
    }

    /// 200 with a page for people; `policy` is its `Content-Security-Policy`.
    pub fn page(html: String, policy: &str) -> Self {
        let reply = Self::bare(StatusCode::OK, Body::Made(html.into_bytes()));
        Self { media_type: "text/html; charset=utf-8".into(), ..reply }.header(header::CONTENT_SECURITY_POLICY, policy)
    }

    /// 200 with a document in the form that the caller accepts, or 304 if the caller has it (`If-None-Match`).
    pub fn document(document: &Document, caching: Caching, request: &HttpRequest) -> Self {
        let varies = match caching {
            Caching::Immutable | Caching::CheckedOwn => "authorization, accept, accept-encoding",
            Caching::Public | Caching::Versioned | Caching::Checked => "accept-encoding",
        };
        let reply = if knows(request, &document.etag) {
            Self::bare(StatusCode::NOT_MODIFIED, Body::None)
        } else {
            let body = Body::Ready { plain: document.plain.clone(), gzip: document.gzip.clone() };
            Self { media_type: document.media_type.clone(), ..Self::bare(StatusCode::OK, body) }
        };
        let reply = reply.header(header::CACHE_CONTROL, caching.header()).header(header::VARY, varies);
        reply.header(header::ETAG, document.etag.as_str())
    }

    /// The length of the body, uncompressed, in bytes.
    pub fn body_bytes(&self) -> usize {
        self.bytes().len()
    }

    pub fn with_code(self, status: StatusCode) -> Self {
        Self { status, ..self }
    }

    /// 200 with an iCalendar document.
    pub fn calendar(text: String) -> Self {
        Self { media_type: "text/calendar; charset=utf-8".into(), ..Self::text(text) }
    }

    /// 200 with a table for spreadsheets.
    pub fn csv(text: String) -> Self {
        Self { media_type: "text/csv; charset=utf-8; header=present".into(), ..Self::text(text) }
    }

    pub fn no_content() -> Self {
        Self::bare(StatusCode::NO_CONTENT, Body::None)
    }

    /// 304: the caller's copy is still valid.
    pub fn not_modified(etag: &str) -> Self {
        let reply = Self::bare(StatusCode::NOT_MODIFIED, Body::None);
        reply.header(header::ETAG, etag).header(header::VARY, "authorization")
    }

    fn with_status(status: StatusCode, body: &impl Serialize) -> Result<Self, Error> {
        // Reserved in advance because a view has some kilobytes; growth step by step would copy them repeatedly.
        let mut bytes = Vec::with_capacity(8 * 1024);
        serde_json::to_writer(&mut bytes, body).map_err(Error::internal)?;
        Ok(Self::bare(status, Body::Made(bytes)))
    }

    fn bare(status: StatusCode, body: Body) -> Self {
        Self { status, body, media_type: JSON.into(), headers: Vec::new() }
    }

    /// Adds the `ETag`; the caller must revalidate a kept copy before using it.
    pub fn tagged(self, etag: String) -> Self {
        let reply = self.header(header::CACHE_CONTROL, "private, no-cache").header(header::ETAG, etag);
        // One private cache (a browser's) may serve several accounts of one person.
        reply.header(header::VARY, "authorization")
    }

    /// Adds an `ETag` of the content, or makes the answer a 304 if the caller has it (`If-None-Match`).
    pub fn unless_known(self, request: &HttpRequest) -> Self {
        let etag = document::etag_of(self.bytes());
        if knows(request, &etag) { Self::not_modified(&etag) } else { self.tagged(etag) }
    }

    /// Adds a header. Values of `Vary` are joined in one header, because code that adds to it later (CORS) reads only
    /// the first.
    pub fn header(mut self, name: HeaderName, value: impl Into<String>) -> Self {
        let value = value.into();
        match self.headers.iter_mut().find(|(there, _)| *there == header::VARY && name == header::VARY) {
            Some((_, varies)) => *varies = format!("{varies}, {value}"),
            None => self.headers.push((name, value)),
        }
        self
    }

    /// The parts that are stored under an Idempotency-Key: status, location, body.
    pub fn parts(&self) -> (u16, Option<&str>, &[u8]) {
        let location = self.headers.iter().find(|(name, _)| *name == header::LOCATION);
        (self.status.as_u16(), location.map(|(_, value)| value.as_str()), self.bytes())
    }

    fn bytes(&self) -> &[u8] {
        match &self.body {
            Body::None => &[],
            Body::Made(bytes) => bytes,
            Body::Ready { plain, .. } => plain,
        }
    }

    /// Restores an answer from its stored parts.
    pub fn from_parts(status: u16, location: Option<String>, body: Vec<u8>) -> Self {
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
        let reply = Self::bare(status, if body.is_empty() { Body::None } else { Body::Made(body) });
        match location {
            Some(location) => reply.header(header::LOCATION, location),
            None => reply,
        }
    }
}

impl Responder for Reply {
    type Body = BoxBody;

    #[expect(clippy::disallowed_methods, reason = "this is the one maker of bodies")]
    fn respond_to(self, request: &HttpRequest) -> HttpResponse {
        let mut response = HttpResponse::build(self.status);
        for (name, value) in self.headers {
            if let Ok(value) = HeaderValue::from_str(&value) {
                response.append_header((name, value));
            }
        }
        let (bytes, is_gzip) = match self.body {
            Body::None => {
                let mut response = response.finish();
                let etag = response.headers().get(header::ETAG).and_then(|etag| etag.to_str().ok());
                let has_compressed = etag.is_some_and(|etag| has_compressed(request, etag));
                if response.status() == StatusCode::NOT_MODIFIED && has_compressed {
                    compress::name_as_gzip(response.headers_mut());
                }
                return response;
            }
            Body::Made(bytes) => (Bytes::from(bytes), false),
            Body::Ready { gzip: Some(gzip), .. } if compress::accepts_gzip(request) => (gzip, true),
            Body::Ready { plain, .. } => (plain, false),
        };
        let mut response = response.content_type(&*self.media_type).body(bytes);
        if is_gzip {
            compress::mark_as_gzip(response.headers_mut());
        }
        response
    }
}

/// A success whose body is a stream that lasts as long as the client reads.
pub struct StreamingReply {
    media_type: &'static str,
    body: BoxBody,
}

impl StreamingReply {
    /// 200 with these pieces, each sent at once, uncompressed and unbuffered. The first failure breaks the body off, so
    /// that the reader sees that it is incomplete.
    pub fn new(media_type: &'static str, pieces: impl Stream<Item = Result<String, Error>> + 'static) -> Self {
        let pieces = pieces.map(|piece| piece.map(Bytes::from));
        Self { media_type, body: BoxBody::new(BodyStream::new(Box::pin(pieces))) }
    }
}

impl Responder for StreamingReply {
    type Body = BoxBody;

    #[expect(clippy::disallowed_methods, reason = "this is the one maker of bodies")]
    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        let mut response = HttpResponse::Ok();
        response.content_type(self.media_type).insert_header((header::CONTENT_ENCODING, "identity"));
        // Disables buffering in proxies.
        response.insert_header(("x-accel-buffering", "no")).body(self.body)
    }
}
