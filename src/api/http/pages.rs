//! Pages beside the API: the contract in both versions, its documentation, and a page for each problem. They need no
//! outside network.

use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse, web};
use utoipa_swagger_ui::{Config, SwaggerUi};

use crate::api::http::reply::Failure;
use crate::api::openapi;
use crate::error::{self, Error, Problem};

/// What the documentation page may load: itself. (Swagger UI sets styles from its script, and draws its logo from a
/// data address.)
const DOCS_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; \
     font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const PAGE_POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Routes of the pages.
pub fn routes(config: &mut web::ServiceConfig) {
    let documentation = SwaggerUi::new("/docs/{_:.*}").config(Config::from("/openapi.json").try_it_out_enabled(true));
    config
        .route("/openapi.json", web::get().to(contract))
        .route("/openapi-3.0.json", web::get().to(contract_3_0))
        .route("/problems/{code}", web::get().to(problem_page))
        .route("/", web::get().to(to_documentation))
        .route("/docs", web::get().to(to_documentation))
        .service(
            web::scope("")
                .wrap(actix_web::middleware::DefaultHeaders::new().add((header::CONTENT_SECURITY_POLICY, DOCS_POLICY)))
                .service(documentation),
        );
}

async fn contract() -> HttpResponse {
    json(openapi::documents().current.clone())
}

async fn contract_3_0() -> HttpResponse {
    json(openapi::documents().v3_0.clone())
}

#[expect(clippy::disallowed_methods, reason = "pages and the contract are made once, and are no answers of the API")]
fn json(body: String) -> HttpResponse {
    HttpResponse::Ok()
        .content_type("application/json")
        .insert_header((header::CACHE_CONTROL, "public, max-age=300"))
        .body(body)
}

async fn to_documentation() -> HttpResponse {
    HttpResponse::Found().insert_header((header::LOCATION, "/docs/")).finish()
}

#[expect(clippy::disallowed_methods, reason = "pages and the contract are made once, and are no answers of the API")]
async fn problem_page(request: HttpRequest) -> Result<HttpResponse, Failure> {
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
