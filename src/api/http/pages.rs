//! Pages outside the API: the contract in both versions, and the well-known addresses.

use std::sync::{Arc, LazyLock};

use actix_web::{HttpRequest, web};

use crate::api::http::auth::Passer;
use crate::api::http::caching::Caching;
use crate::api::http::reply::{Answer, JSON, Reply};
use crate::api::http::shelf::Shelf;
use crate::api::http::well_known;
use crate::api::openapi::{self, Version};
use crate::app::App;
use crate::contact::Contact;
use crate::document::Document;
use crate::error::Result;

pub fn routes(config: &mut web::ServiceConfig) {
    config
        .route("/openapi.json", web::get().to(contract))
        .route("/openapi-3.0.json", web::get().to(contract_3_0))
        .configure(well_known::routes);
}

/// The contract's two versions, with and without examples, by the operator's contact.
static PAGES: LazyLock<Shelf<(Version, bool, Option<Contact>)>> = LazyLock::new(|| Shelf::new(8));

/// Makes the most requested documents in advance.
pub async fn prepare(app: &App) -> Result<()> {
    document(app, Version::Current, true).await.map(drop)
}

async fn document(app: &App, version: Version, with_examples: bool) -> Result<Arc<Document>> {
    let contact = app.contact.clone();
    let make = move || Ok(Document::new(JSON, openapi::served(version, with_examples, contact.as_ref()).into_bytes()));
    PAGES.get(&app.pool, (version, with_examples, app.contact.clone()), make).await
}

async fn contract(app: web::Data<App>, _: Passer, request: HttpRequest) -> Answer {
    answer(&app, Version::Current, &request).await
}

async fn contract_3_0(app: web::Data<App>, _: Passer, request: HttpRequest) -> Answer {
    answer(&app, Version::V3_0, &request).await
}

async fn answer(app: &App, version: Version, request: &HttpRequest) -> Answer {
    let with_examples = request.query_string().split('&').all(|pair| pair != "examples=none");
    Ok(Reply::document(&*document(app, version, with_examples).await?, Caching::Public, request))
}
