//! Refusal of time-dependent requests while the node doesn't know the time. Its clock may be a year ahead until a sign
//! of life has set it: the node would take valid tokens for expired ones, and begin matches whose time is already over.

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::middleware::Next;
use actix_web::{ResponseError, web};

use crate::api::http::problem::Failure;
use crate::app::App;
use crate::error::Error;

/// Path prefixes of operations that depend on the time.
const DEPENDENT: [&str; 2] = ["/v1/", "/oauth/"];

pub async fn around(
    app: web::Data<App>,
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    if DEPENDENT.iter().any(|path| request.path().starts_with(path)) && !app.heartbeat.knows_time() {
        let refused = Error::unavailable("this node doesn't know the time: it had no sign of life from the database");
        return Ok(request.into_response(Failure(refused).error_response()));
    }
    Ok(next.call(request).await?.map_into_boxed_body())
}
