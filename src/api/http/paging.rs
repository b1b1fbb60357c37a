//! Keyset pages of lists, never offsets, so that items added meanwhile neither repeat nor hide anything.

use actix_web::HttpRequest;
use actix_web::http::header;
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::http::fields::Ranged;
use crate::api::http::reply::{Answer, Reply};
use crate::listed::{FirstRows, Listed};

/// A page of a list.
#[derive(Serialize, ToSchema)]
pub struct Page<T: ToSchema> {
    /// What is on this page.
    #[schema(max_items = 200)]
    pub items: Vec<T>,
    /// Send it as `cursor` for the next page; null on the last one.
    #[schema(max_length = 200, pattern = "^[A-Za-z0-9_-]+$")]
    pub next_cursor: Option<String>,
    /// True if something of this page can't be read and is left out; not there otherwise.
    #[serde(skip_serializing_if = "is_whole")]
    pub incomplete: bool,
}

/// True if the list is complete, in which case its `incomplete` field is left out.
pub fn is_whole(incomplete: &bool) -> bool {
    !incomplete
}

impl<T: Serialize + ToSchema> Page<T> {
    /// 200 with the page, and a `Link` (RFC 8288) to the next one.
    pub fn reply(&self, request: &HttpRequest) -> Answer {
        Ok(linked(Reply::ok(self)?, request, self.next_cursor.as_deref(), &[]))
    }
}

/// Adds a `Link` to the next page, if there is one: the same query with another cursor, without the parameters in
/// `first_page_only`.
pub fn linked(reply: Reply, request: &HttpRequest, next_cursor: Option<&str>, first_page_only: &[&str]) -> Reply {
    let Some(cursor) = next_cursor else { return reply };
    let kept = request.query_string().split('&').filter(|pair| {
        let name = pair.split('=').next().unwrap_or_default();
        !pair.is_empty() && name != "cursor" && !first_page_only.contains(&name)
    });
    let next = format!("cursor={cursor}");
    let query: Vec<&str> = kept.chain([next.as_str()]).collect();
    reply.header(header::LINK, format!("<{}?{}>; rel=\"next\"", request.path(), query.join("&")))
}

pub fn page_limit<const MAX: u32>(asked: Option<Ranged<1, MAX>>, default: u32) -> i64 {
    i64::from(asked.map_or(default, |asked| asked.0))
}

/// A page made from one row more than fits on it; the additional row shows that there is a next page.
pub fn page<T, B: ToSchema>(
    found: impl Into<Listed<T>>,
    limit: i64,
    cursor: impl Fn(&T) -> String,
    body: impl Fn(T) -> B,
) -> Page<B> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let FirstRows { items, next_cursor, incomplete } = found.into().first(limit, cursor);
    Page { items: items.into_iter().map(body).collect(), next_cursor, incomplete }
}
