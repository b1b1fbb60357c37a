//! Pages beside the API: the contract in both versions.

use std::sync::{Arc, LazyLock};

use actix_web::{HttpRequest, web};

use crate::api::http::auth::Passer;
use crate::api::http::caching::Caching;
use crate::api::http::reply::{Answer, JSON, Reply};
use crate::api::http::shelf::Shelf;
use crate::api::openapi;
use crate::app::App;
use crate::document::Document;
use crate::error::Result;

/// Routes of the pages.
pub fn routes(config: &mut web::ServiceConfig) {
    config.route("/openapi.json", web::get().to(contract)).route("/openapi-3.0.json", web::get().to(contract_3_0));
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
