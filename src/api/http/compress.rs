//! Compression of answers with gzip: only where it pays, in one piece, and never on an async worker.
//!
//! Documents made in advance are compressed already; see [`crate::document`]. Every other answer is compressed here as
//! a whole, so that it has a stated length and leaves in one write.

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::StatusCode;
use actix_web::http::header::{self, AcceptEncoding, Encoding, Header, HeaderMap, HeaderValue};
use actix_web::middleware::Next;
use actix_web::web::Bytes;
use actix_web::{Error, HttpMessage, web};
use flate2::Compression;

use crate::app::App;
use crate::document::{COMPRESSED_FROM, compressed};
use crate::work_pool::Lane;

/// Answers up to this size, in bytes, are compressed in the pool's lane for play.
const QUICK_BYTES: usize = 32 * 1024;

pub async fn around(
    app: web::Data<App>,
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let accepts_gzip = accepts_gzip(&request);
    let response = next.call(request).await?.map_into_boxed_body();
    if !accepts_gzip || !may_compress(response.status(), response.headers()) {
        return Ok(response);
    }
    let (request, response) = response.into_parts();
    let (mut response, body) = response.into_parts();
    let body = match body.try_into_bytes() {
        Err(stream) => stream,
        Ok(bytes) if bytes.len() < COMPRESSED_FROM => BoxBody::new(bytes),
        Ok(bytes) => {
            let vary = HeaderValue::from_static("accept-encoding");
            response.headers_mut().append(header::VARY, vary);
            match in_pool(&app, bytes.clone()).await {
                Some(gzip) => {
                    mark_as_gzip(response.headers_mut());
                    BoxBody::new(gzip)
                }
                None => BoxBody::new(bytes),
            }
        }
    };
    Ok(ServiceResponse::new(request, response.set_body(body)))
}

/// The bytes in gzip; `None` if the pool has no capacity for them.
async fn in_pool(app: &App, bytes: Bytes) -> Option<Vec<u8>> {
    let lane = if bytes.len() <= QUICK_BYTES { Lane::Play } else { Lane::Heavy };
    app.pool.run(lane, move || compressed(&bytes, Compression::fast())).await.ok().flatten()
}

/// True if an answer with this head is worth compressing and isn't compressed yet.
fn may_compress(status: StatusCode, headers: &HeaderMap) -> bool {
    let media_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let is_text = media_type.starts_with("text/") || media_type.contains("json") || media_type.contains("javascript");
    is_text && status != StatusCode::NOT_MODIFIED && !headers.contains_key(header::CONTENT_ENCODING)
}

/// True if the client prefers gzip to the plain bytes (RFC 9110, section 12.5.3).
pub fn accepts_gzip(request: &impl HttpMessage) -> bool {
    if !request.headers().contains_key(header::ACCEPT_ENCODING) {
        return false;
    }
    let known = [Encoding::gzip(), Encoding::identity()];
    AcceptEncoding::parse(request).ok().and_then(|accepted| accepted.negotiate(known.iter())) == Some(Encoding::gzip())
}

/// Marks the body as gzip. A strong `ETag` names bytes (RFC 9110, section 8.8.3), so the compressed ones get a tag of
/// their own, recognized by its suffix in later requests.
pub fn mark_as_gzip(headers: &mut HeaderMap) {
    headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    name_as_gzip(headers);
}

/// Replaces the plain bytes' tag by that of the compressed ones.
pub fn name_as_gzip(headers: &mut HeaderMap) {
    let etag = headers.get(header::ETAG).and_then(|value| value.to_str().ok());
    if let Some(Ok(etag)) = etag.and_then(named_as_gzip).map(|etag| HeaderValue::from_str(&etag)) {
        headers.insert(header::ETAG, etag);
    }
}

/// The tag of the compressed bytes, if that of the plain ones is strong.
pub fn named_as_gzip(etag: &str) -> Option<String> {
    let plain = etag.strip_suffix('"').filter(|etag| etag.starts_with('"'))?;
    Some(format!("{plain}{GZIP_ENDING}\""))
}

const GZIP_ENDING: &str = "-gzip";

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;

    #[test]
    fn gzip_is_sent_to_those_who_want_it() {
        let accepts = |accepted: &str| {
            let request = TestRequest::default().insert_header((header::ACCEPT_ENCODING, accepted)).to_http_request();
            accepts_gzip(&request)
        };
        for yes in ["gzip", "gzip, deflate, br, zstd", "br;q=1.0, gzip;q=0.8, *;q=0.1", "GZIP"] {
            assert!(accepts(yes), "{yes}");
        }
        for no in ["", "identity", "br", "gzip;q=0", "deflate", "identity, gzip;q=0.5", "b\u{e4}h"] {
            assert!(!accepts(no), "{no}");
        }
        assert!(!accepts_gzip(&TestRequest::default().to_http_request()));
    }

    #[test]
    fn compressed_bytes_have_a_name_of_their_own() {
        let marked = |etag: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ETAG, HeaderValue::from_static(etag));
            mark_as_gzip(&mut headers);
            headers.get(header::ETAG).unwrap().to_str().unwrap().to_owned()
        };
        assert_eq!(marked("\"7.1\""), "\"7.1-gzip\"");
        assert_eq!(marked("W/\"7.1\""), "W/\"7.1\"");
    }
}
