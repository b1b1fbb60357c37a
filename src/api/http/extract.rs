//! Extractors of request parts: body, query, ids in the path, Idempotency-Key. Each refuses with a problem document.

use std::future::{Ready, ready};
use std::io::Read;
use std::pin::Pin;
use std::str::FromStr;

use actix_web::dev::Payload;
use actix_web::http::Method;
use actix_web::http::header::{self, HeaderMap};
use actix_web::{FromRequest, HttpRequest, web};
use flate2::read::MultiGzDecoder;
use futures_util::StreamExt;
use futures_util::future::Either;
use serde_json::Value;

use crate::api::http::fields::{Fields, Request};
use crate::api::http::reply::{Answer, Failure, Reply};
use crate::api::http::{auth, json};
use crate::app::App;
use crate::budget_owner;
use crate::error::{Error, Result, problem};
use crate::idempotency::{self, Claim, IdempotencyKey, StoredAnswer};
use crate::rate_limits::RateLimitKey;

/// The maximum length of a request body, in bytes. Only records may be longer.
pub const MAX_BODY: usize = 64 * 1024;

type Reading<T> = Either<Ready<Result<T, Failure>>, Pin<Box<dyn Future<Output = Result<T, Failure>>>>>;

fn read_at_once<T: 'static>(request: &HttpRequest, read: Result<T>) -> Reading<T> {
    match read {
        Ok(read) => Either::Left(ready(Ok(read))),
        Err(fault) => Either::Right(admitted(request, ready(Err(Failure(fault))))),
    }
}

/// Delays a fault until the caller is admitted.
fn admitted<T>(
    request: &HttpRequest,
    reading: impl Future<Output = Result<T, Failure>> + 'static,
) -> Pin<Box<dyn Future<Output = Result<T, Failure>>>> {
    let request = request.clone();
    Box::pin(async move {
        match reading.await {
            Ok(read) => Ok(read),
            Err(fault) => Err(auth::refuse(request, fault).await),
        }
    })
}

/// A valid JSON body. An empty one counts as `{}`.
pub struct Body<T>(pub T);

/// The bytes of a JSON body whose length and media type are valid, for the one route that parses them itself.
pub struct RawBody(pub Vec<u8>);

impl<T: Request + 'static> FromRequest for Body<T> {
    type Error = Failure;
    type Future = Pin<Box<dyn Future<Output = Result<Self, Failure>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let method = request.method().clone();
        let bytes = RawBody::from_request(request, payload);
        admitted(request, async move { Ok(Body(read_request(&method, &bytes.await?.0)?)) })
    }
}

fn read_request<T: Request>(method: &Method, bytes: &[u8]) -> Result<T> {
    let body = json(bytes)?;
    let fields = if *method == Method::PATCH { Fields::of_patch(body) } else { Fields::of_body(body) };
    T::read(fields).map_err(Error::invalid)
}

impl FromRequest for RawBody {
    type Error = Failure;
    type Future = Pin<Box<dyn Future<Output = Result<Self, Failure>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let bytes = read_body(request, payload, "application/json", MAX_BODY);
        admitted(request, async move {
            let bytes = bytes.await?;
            Ok(RawBody(if bytes.trim_ascii().is_empty() { b"{}".to_vec() } else { bytes }))
        })
    }
}

/// The decompressed bytes of a body of this media type, at most `most`. The type of an empty body makes no difference.
pub fn read_body(
    request: &HttpRequest,
    payload: &mut Payload,
    media_type: &str,
    most: usize,
) -> impl Future<Output = Result<Vec<u8>>> + use<> {
    let coding = coding(request.headers(), media_type);
    let length = request.headers().get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    let length = length.and_then(|text| text.parse::<usize>().ok());
    let chunks = payload.take();
    let timeout = request.app_data::<web::Data<App>>().map(|app| app.body_timeout);
    async move {
        // A head with a fault is refused before anything of the body is read.
        let coding = match length {
            Some(0) => return Ok(Vec::new()),
            Some(length) if length > most => return coding.and(Err(Error::plain(&problem::BODY_TOO_LARGE))),
            Some(_) => Ok(coding?),
            None => coding,
        };
        let timeout = timeout.ok_or_else(|| Error::internal("the app is not in place"))?;
        let read = tokio::time::timeout(timeout, read_whole(chunks, coding, most)).await;
        // A client that sends a byte now and then must not hold a connection for ever.
        read.map_err(|_| Error::plain(&problem::BODY_TOO_SLOW))?
    }
}

async fn read_whole(mut chunks: Payload, coding: Result<Coding>, most: usize) -> Result<Vec<u8>> {
    let (mut bytes, mut coding, mut is_gzip) = (Vec::new(), Some(coding), false);
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|_| Error::new(&problem::MALFORMED_JSON, "The body ended before its end."))?;
        if !chunk.is_empty()
            && let Some(coding) = coding.take()
        {
            is_gzip = coding? == Coding::Gzip;
        }
        if bytes.len() + chunk.len() > most {
            return Err(Error::plain(&problem::BODY_TOO_LARGE));
        }
        bytes.extend_from_slice(&chunk);
    }
    if is_gzip { inflated(&bytes, most) } else { Ok(bytes) }
}

/// Decompresses gzip, but never to more than `most` bytes.
fn inflated(gzip: &[u8], most: usize) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = MultiGzDecoder::new(gzip).take(most as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|_| Error::new(&problem::MALFORMED_JSON, "The body is not gzip, or it ended before its end."))?;
    if bytes.len() > most { Err(Error::plain(&problem::BODY_TOO_LARGE)) } else { Ok(bytes) }
}

/// The content coding of a body (RFC 9110, section 8.4).
#[derive(Clone, Copy, PartialEq, Eq)]
enum Coding {
    Plain,
    Gzip,
}

/// Refuses a wrong media type and an unknown coding.
fn coding(headers: &HeaderMap, wanted: &str) -> Result<Coding> {
    let media_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let essence = media_type.unwrap_or_default().split(';').next().unwrap_or_default().trim();
    if !essence.eq_ignore_ascii_case(wanted) {
        return Err(Error::plain(&problem::NOT_JSON));
    }
    let codings: Vec<&[u8]> = headers.get_all(header::CONTENT_ENCODING).map(|value| value.as_bytes()).collect();
    match codings.as_slice() {
        [] => Ok(Coding::Plain),
        [only] if only.is_empty() || only.eq_ignore_ascii_case(b"identity") => Ok(Coding::Plain),
        [only] if only.eq_ignore_ascii_case(b"gzip") || only.eq_ignore_ascii_case(b"x-gzip") => Ok(Coding::Gzip),
        _ => Err(Error::plain(&problem::UNKNOWN_CODING)),
    }
}

pub fn json(bytes: &[u8]) -> Result<Value> {
    json::read(bytes).map_err(|error| Error::new(&problem::MALFORMED_JSON, what_is_wrong(bytes, &error)))
}

/// A description, for people, of the fault in bytes that aren't JSON.
fn what_is_wrong(bytes: &[u8], error: &serde_json::Error) -> String {
    if bytes.trim_ascii().is_empty() {
        return "The body is empty; send a JSON object.".to_owned();
    }
    let place = format!("line {}, column {}", error.line(), error.column());
    if error.is_eof() {
        return format!(
            "The body ends in the middle of its JSON, at {place}: a bracket or a quotation mark is missing."
        );
    }
    let text = error.to_string().replace('`', "'");
    let said = text.split(" at line ").next().unwrap_or_default();
    format!("The body is not JSON at {place}: {said}.")
}

/// A valid query.
pub struct Query<T>(pub T);

impl<T: Request + 'static> FromRequest for Query<T> {
    type Error = Failure;
    type Future = Reading<Self>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let read = web::Query::<Vec<(String, String)>>::from_query(request.query_string())
            // Never fails: any text can be parsed as a query.
            .map_err(Error::internal)
            .and_then(|pairs| T::read(Fields::of_query(pairs.into_inner())).map_err(Error::invalid));
        read_at_once(request, read.map(Query))
    }
}

pub struct Id<T>(pub T);

impl<T: FromStr<Err = String> + 'static> FromRequest for Id<T> {
    type Error = Failure;
    type Future = Reading<Self>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let text = request.match_info().get("id").unwrap_or_default();
        read_at_once(request, text.parse().map(Id).map_err(|why: String| malformed_id(&why)))
    }
}

/// The last id in the path, of something that belongs to the object of the first id.
pub struct InnerId<T>(pub T);

impl<T: FromStr<Err = String> + 'static> FromRequest for InnerId<T> {
    type Error = Failure;
    type Future = Reading<Self>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let text = request.match_info().iter().last().map(|(_, text)| text).unwrap_or_default();
        read_at_once(request, text.parse().map(InnerId).map_err(|why: String| malformed_id(&why)))
    }
}

fn malformed_id(why: &str) -> Error {
    Error::new(&problem::MALFORMED_ID, format!("The id in the path {why}."))
}

/// A POST that changes something: its body, and the key that identifies a repetition.
pub struct Change<T> {
    pub request: T,
    pub once: Once,
}

/// Carries out a request with an Idempotency-Key at most once. Forms of pages have no key.
#[derive(Default)]
pub struct Once {
    key: Option<IdempotencyKey>,
    request: Vec<u8>,
}

impl<T: Request + 'static> FromRequest for Change<T> {
    type Error = Failure;
    type Future = Pin<Box<dyn Future<Output = Result<Self, Failure>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let key = idempotency_key(request.headers());
        let method = request.method().clone();
        let mut identity = format!("{method} {}\n", request.path()).into_bytes();
        let bytes = RawBody::from_request(request, payload);
        admitted(request, async move {
            let key = key?;
            let bytes = bytes.await?.0;
            let read = read_request(&method, &bytes)?;
            identity.extend_from_slice(&bytes);
            Ok(Change { request: read, once: Once { key, request: identity } })
        })
    }
}

impl Once {
    /// The claim on the key, if there is one: for the one request that runs in a transaction of the match's.
    pub fn claim(&self, owner: &RateLimitKey) -> Option<Claim> {
        self.key.as_ref().map(|key| key.claim(owner.to_string().as_bytes(), &self.request))
    }

    /// Does `work` in one transaction and returns its answer; a repetition gets the first answer. `owner` is the owner
    /// of the key.
    pub async fn run(
        self,
        app: &App,
        owner: &RateLimitKey,
        work: impl AsyncFnOnce(&mut crate::idempotency::Tx) -> Result<Reply>,
    ) -> Answer {
        let claim = self.claim(owner);
        // Accounts are easier to get than addresses.
        let address = budget_owner::address().filter(|_| claim.is_some());
        let mark = |address: RateLimitKey| app.accounts.mark("answers for ", &address.to_string());
        let kept = idempotency::once(app, claim, address.map(mark).transpose()?, async |tx| {
            let reply = work(tx).await?;
            let (status, location, body) = reply.parts();
            Ok(StoredAnswer { status, location: location.map(str::to_owned), body: body.to_vec() })
        });
        let StoredAnswer { status, location, body } = kept.await?;
        Ok(Reply::from_parts(status, location, body))
    }
}

pub fn idempotency_key(headers: &HeaderMap) -> Result<Option<IdempotencyKey>> {
    let Some(value) = headers.get("idempotency-key") else { return Ok(None) };
    let read = value.to_str().unwrap_or_default().parse::<IdempotencyKey>();
    read.map(Some).map_err(|why| Error::new(&problem::MALFORMED_HEADER, format!("Idempotency-Key {why}.")))
}
