//! Lists of ladders over HTTP: all public ones, and the caller's own.

use actix_web::{HttpRequest, get, web};
use broadside_contests::RuleSetHash;

use crate::api::http::auth::{Caller, LobbyRead, Visitor};
use crate::api::http::extract::Query;
use crate::api::http::fields::request;
use crate::api::http::filters::VariantFilter;
use crate::api::http::paging::{Page, page, page_limit};
use crate::api::http::reply::Answer;
use crate::api::ladders::view::LadderBody;
use crate::app::App;
use crate::db::PublicRead;
use crate::error::Result;
use crate::ids::LadderId;
use crate::ladders::read::LadderFilter;
use crate::ladders::{LadderFormat, read};
use crate::social::text::SearchText;

request! {
    /// Which ladders to list.
    pub query LadderListQuery {
        /// Only those with this variant.
        #[param(value_type = Option<String>, max_length = 40, pattern = "^[a-z0-9-]+$")]
        pub variant: Option<VariantFilter>,
        /// Only by this named rule set.
        #[param(value_type = Option<String>, min_length = 64, max_length = 64, pattern = "^[0-9a-f]{64}$")]
        pub named_rule_set: Option<RuleSetHash>,
        /// Only those of this form.
        #[param(value_type = Option<LadderFormat>, inline)]
        pub format: Option<LadderFormat>,
        /// Only those with these words in title or description, whatever their case: `"…"` for words side by side,
        /// `or`, and `-` before a word that must not be there.
        #[param(value_type = Option<String>, min_length = 1, max_length = 100, pattern = "^[^\\u0000-\\u001f\\u007f]+$")]
        pub search: Option<SearchText>,
        /// Only open ones, or only closed ones.
        pub open: Option<bool>,
        ..page(LadderId)
    }
}

request! {
    /// Which page of the own ladders to list.
    pub query OwnLadderListQuery {
        ..page(LadderId)
    }
}

/// List ladders
///
/// The newest first. Private ones are listed for those who run them or take part.
#[utoipa::path(tag = "ladders", operation_id = "list_ladders", security((), ("bearer" = ["lobby:read"])),
    params(LadderListQuery),
    responses((status = 200, description = "A page of them.", body = Page<LadderBody>)))]
#[get("/v1/ladders")]
pub async fn list_ladders(
    app: web::Data<App>,
    visitor: Visitor<LobbyRead>,
    query: Query<LadderListQuery>,
    request: HttpRequest,
) -> Answer {
    let asked = query.0;
    let limit = page_limit(asked.limit, 50);
    let filter = LadderFilter {
        variant: asked.variant.map(|VariantFilter(id)| id),
        named: asked.named_rule_set,
        form: asked.format,
        search: asked.search,
        open: asked.open,
        member: None,
        viewer: visitor.identity().map(|me| me.account),
        before: asked.cursor,
        limit: limit + 1,
    };
    let Some(me) = visitor.identity() else {
        // All strangers get the same list.
        let found =
            app.public_reads.read(async |conn: &mut PublicRead| read::public_list(conn, filter.clone()).await).await?;
        let body = |ladder| LadderBody::of(ladder, None, None);
        return page(found, limit, |(ladder, _)| ladder.id.to_string(), body).reply(&request);
    };
    listed(&app, &filter, Some(me.account), limit).await?.reply(&request)
}

/// List your ladders
///
/// The newest first, each with the own membership.
#[utoipa::path(tag = "ladders", operation_id = "list_account_ladders", security(("bearer" = ["lobby:read"])),
    params(OwnLadderListQuery),
    responses((status = 200, description = "A page of them.", body = Page<LadderBody>)))]
#[get("/v1/account/ladders")]
pub async fn list_account_ladders(
    app: web::Data<App>,
    caller: Caller<LobbyRead>,
    query: Query<OwnLadderListQuery>,
    request: HttpRequest,
) -> Answer {
    let limit = page_limit(query.0.limit, 50);
    let filter = LadderFilter {
        member: Some(caller.account),
        viewer: Some(caller.account),
        before: query.0.cursor,
        limit: limit + 1,
        ..LadderFilter::default()
    };
    listed(&app, &filter, Some(caller.account), limit).await?.reply(&request)
}

/// A page of ladders, each with the account's membership, if there is one.
async fn listed(
    app: &App,
    filter: &LadderFilter,
    account: Option<crate::ids::AccountId>,
    limit: i64,
) -> Result<Page<LadderBody>> {
    let mut conn = app.db.conn().await?;
    let found = read::list(&mut conn, filter).await?;
    let ids: Vec<LadderId> = found.items.iter().map(|(ladder, _)| ladder.id).collect();
    let (members, lacks_members) = match account {
        Some(account) => read::members(&mut conn, account, &ids).await?,
        None => (vec![None; ids.len()], false),
    };
    let mut members = members.into_iter();
    let page = page(
        found.map(|ladder| (ladder, members.next().flatten())),
        limit,
        |((ladder, _), _)| ladder.id.to_string(),
        |(ladder, member)| LadderBody::of(ladder, member, None),
    );
    Ok(Page { incomplete: page.incomplete || lacks_members, ..page })
}
