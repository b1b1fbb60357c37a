//! Health checks and metrics for the operator. They are not part of the API's contract.

use actix_web::http::Method;
use actix_web::http::header::{self, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, Responder, ResponseError, web};
use metrics_exporter_prometheus::PrometheusHandle;
use serde::Serialize;

use crate::api::http::accept::preferred;
use crate::api::http::front_end::no_page;
use crate::api::http::methods;
use crate::api::http::reply::{Answer, Failure, Reply};
use crate::app::App;
use crate::error::{Error, problem};
use crate::readiness::Degraded;

#[derive(Serialize)]
struct State {
    status: &'static str,
    /// Failed resources for which this node has a substitute.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    degraded: Degraded,
}

/// Routes of both addresses, the public and the admin one.
pub fn routes(config: &mut web::ServiceConfig) {
    config.route("/healthz", web::get().to(alive)).route("/readyz", web::get().to(ready));
}

/// Liveness: the process answers.
async fn alive() -> Answer {
    Ok(Reply::ok(&State { status: "alive", degraded: Vec::new() })?)
}

/// Readiness: the process can do its work, and isn't about to stop.
async fn ready(app: web::Data<App>) -> Answer {
    if app.is_draining() || app.is_stopping() {
        return Err(Error::not_ready("stopping: this node is about to stop.").into());
    }
    let degraded = app.readiness.check(&app, &app.matches).await?;
    Ok(Reply::ok(&State { status: "ready", degraded })?)
}

/// The metrics in Prometheus' text format.
#[expect(clippy::disallowed_methods, reason = "metrics are in Prometheus' own text format")]
pub async fn metrics(handle: web::Data<PrometheusHandle>) -> HttpResponse {
    HttpResponse::Ok().content_type("text/plain; version=0.0.4").body(handle.render())
}

/// Answers to unknown paths and wrong methods. `OPTIONS` gets the list of methods. A browser gets a page, except below
/// the paths of the API.
pub async fn nothing_here(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Failure> {
    let allowed = methods::allowed(&request);
    if allowed.is_empty() {
        let in_browser =
            request.method() == Method::GET && preferred(&request, &["application/json", "text/html"]) == 1;
        if in_browser
            && !request.path().starts_with("/v1")
            && let Some(page) = no_page(&app).await?
        {
            return Ok(page.respond_to(&request).map_into_boxed_body());
        }
        let detail = format!("There is nothing at {}.", request.path().chars().take(200).collect::<String>());
        return Err(Failure(Error::new(&problem::NOT_FOUND, detail)));
    }
    let named = allowed.join(", ");
    let mut response = if request.method() == Method::OPTIONS {
        HttpResponse::NoContent().finish()
    } else {
        Failure(Error::new(&problem::WRONG_METHOD, format!("{named} can be used here."))).error_response()
    };
    if let Ok(value) = HeaderValue::from_str(&named) {
        response.headers_mut().insert(header::ALLOW, value);
    }
    Ok(response)
}
