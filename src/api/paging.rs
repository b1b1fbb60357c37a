//! Lists come in pages: keyset pages, never offsets, so that what is added meanwhile neither repeats nor hides anything.

use actix_web::HttpRequest;
use actix_web::http::header;
use serde::Serialize;
use utoipa::ToSchema;

use super::reply::{Answer, Reply};
use crate::error::{Error, Result};

/// A page of a list.
#[derive(Serialize, ToSchema)]
pub struct Page<T: ToSchema> {
    /// What is on this page.
    #[schema(max_items = 200)]
    pub items: Vec<T>,
    /// Send it as `cursor` for the next page; null on the last one.
    #[schema(max_length = 200, pattern = "^[A-Za-z0-9_-]+$")]
    pub next_cursor: Option<String>,
}

impl<T: Serialize + ToSchema> Page<T> {
    /// 200 with the page, and a `Link` (RFC 8288) to the next one.
    pub fn reply(&self, request: &HttpRequest) -> Answer {
        let reply = Reply::ok(self)?;
        let Some(cursor) = &self.next_cursor else { return Ok(reply) };
        let kept = request.query_string().split('&');
        let mut query: Vec<&str> = kept.filter(|pair| !pair.is_empty() && !pair.starts_with("cursor=")).collect();
        let next = format!("cursor={cursor}");
        query.push(&next);
        let link = format!("<{}?{}>; rel=\"next\"", request.path(), query.join("&"));
        Ok(reply.header(header::LINK, link))
    }
}

/// The size of a page: what is asked for, within bounds.
pub fn page_limit(asked: Option<u32>, default: u32, most: u32) -> Result<i64> {
    match asked.unwrap_or(default) {
        limit if (1..=most).contains(&limit) => Ok(i64::from(limit)),
        _ => Err(Error::invalid_at("/limit", "out-of-range", format!("must be 1 to {most}"))),
    }
}

/// A page out of one item more than fits on it.
pub fn page<T, B: ToSchema>(
    mut found: Vec<T>,
    limit: i64,
    cursor: impl Fn(&T) -> String,
    body: impl Fn(T) -> B,
) -> Page<B> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let more = found.len() > limit;
    found.truncate(limit);
    let next_cursor = found.last().filter(|_| more).map(cursor);
    Page { items: found.into_iter().map(body).collect(), next_cursor }
}
