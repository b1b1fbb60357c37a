//! Pages beside the API: the contract in both versions, and a page for each problem.

use std::sync::{Arc, LazyLock};

use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse, web};

use crate::api::http::auth::Passer;
use crate::api::http::caching::Caching;
use crate::api::http::reply::{Answer, Failure, JSON, Reply};
use crate::api::http::shelf::Shelf;
use crate::api::openapi;
use crate::app::App;
use crate::document::Document;
use crate::error::{self, Error, Problem, Result};

const PAGE_POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Routes of the pages.
pub fn routes(config: &mut web::ServiceConfig) {
    config
        .route("/openapi.json", web::get().to(contract))
        .route("/openapi-3.0.json", web::get().to(contract_3_0))
        .route("/problems/{code}", web::get().to(problem_page));
}

/// The contract's two versions.
static PAGES: LazyLock<Shelf<String>> = LazyLock::new(|| Shelf::new(2));

/// Makes what is asked for first.
pub async fn prepare(app: &App) -> Result<()> {
    current(app).await.map(drop)
}

async fn current(app: &App) -> Result<Arc<Document>> {
    let make = || Ok(Document::new(JSON, openapi::documents().current.clone().into_bytes()));
    PAGES.get(&app.pool, "openapi.json".to_owned(), make).await
}

async fn contract(app: web::Data<App>, _: Passer, request: HttpRequest) -> Answer {
    Ok(Reply::document(&*current(&app).await?, Caching::Public, &request))
}

async fn contract_3_0(app: web::Data<App>, _: Passer, request: HttpRequest) -> Answer {
    let make = || Ok(Document::new(JSON, openapi::documents().v3_0.clone().into_bytes()));
    let document = PAGES.get(&app.pool, "openapi-3.0.json".to_owned(), make).await?;
    Ok(Reply::document(&document, Caching::Public, &request))
}

#[expect(clippy::disallowed_methods, reason = "pages and the contract are made once, and are no answers of the API")]
async fn problem_page(_: Passer, request: HttpRequest) -> std::result::Result<HttpResponse, Failure> {
    let code = request.match_info().get("code").unwrap_or_default();
    let Problem { code, title, meaning, remedy, .. } = error::find_problem(code).ok_or_else(Error::not_found)?;
    // All of it comes from the catalogue, which holds no markup.
    let page = format!(
        "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content=\"width=device-width\"><title>{title}</title>\
         <style>body{{font:1.1rem/1.5 system-ui;max-width:40rem;margin:3rem auto;padding:0 1rem}}code{{background:#eee;padding:.1em .3em}}</style>\
         <h1>{title}</h1><p><code>{code}</code></p><p>{meaning}</p><p>{remedy}</p>"
    );
    Ok(HttpResponse::Ok()
        .content_type("text/html; charset=utf-8")
        .insert_header((header::CONTENT_SECURITY_POLICY, PAGE_POLICY))
        .body(page))
}
