//! A node that doesn't know the time answers nothing that depends on it: its clock may be a year ahead, and there was
//! no sign of life yet by which it could have been set. It would take good tokens for expired ones, and begin matches
//! whose time is already over.

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::middleware::Next;
use actix_web::{ResponseError, web};

use crate::api::http::problem::Failure;
use crate::app::App;
use crate::error::Error;

/// With what the paths begin behind which something depends on the time.
const DEPENDENT: [&str; 2] = ["/v1/", "/oauth/"];

/// The middleware.
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
