//! Announces what is to go: an operation in the list has the headers `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and
//! `Link` in its answers, and its mark in the contract.
//!
//! A field that is to go is marked in the contract alone: `#[deprecated]` at the field does it.

use actix_web::Error;
use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{HeaderName, HeaderValue, LINK};
use actix_web::middleware::Next;
use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimePrinter;
use serde_json::{Value, json};

/// An operation that is to go.
pub struct Deprecated {
    /// Its method, in upper case.
    pub method: &'static str,
    /// Its path, as the contract writes it.
    pub path: &'static str,
    /// Since when there is something better, in seconds since 1970.
    pub since_s: i64,
    /// From when on it may be gone, in seconds since 1970: at least six months after it was announced.
    pub sunset_s: i64,
    /// The address of a text that says what to use instead.
    pub see: &'static str,
}

/// Everything that is to go: nothing, at present.
pub const DEPRECATED: &[Deprecated] = &[];

impl Deprecated {
    /// The headers of its answers.
    fn headers(&self) -> Vec<(HeaderName, String)> {
        let sunset = Timestamp::from_second(self.sunset_s).ok();
        let sunset = sunset.and_then(|time| DateTimePrinter::new().timestamp_to_rfc9110_string(&time).ok());
        let mut headers = vec![
            (HeaderName::from_static("deprecation"), format!("@{}", self.since_s)),
            (LINK, format!("<{}>; rel=\"deprecation\"", self.see)),
        ];
        headers.extend(sunset.map(|date| (HeaderName::from_static("sunset"), date)));
        headers
    }
}

/// The middleware.
pub async fn around(
    list: &'static [Deprecated],
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    let mut response = next.call(request).await?;
    let asked = response.request();
    let found = list
        .iter()
        .find(|one| *asked.method() == *one.method && asked.match_pattern().is_some_and(|pattern| pattern == one.path));
    for (name, value) in found.map(Deprecated::headers).unwrap_or_default() {
        if let Ok(value) = HeaderValue::from_str(&value) {
            response.headers_mut().append(name, value);
        }
    }
    Ok(response)
}

/// Marks the operations in the contract.
pub fn mark(document: &mut Value, list: &[Deprecated]) {
    let header =
        |description: &str| json!({ "description": description, "schema": { "type": "string", "maxLength": 500 } });
    for one in list {
        let Some(operation) = document["paths"][one.path].get_mut(one.method.to_lowercase()) else { continue };
        operation["deprecated"] = json!(true);
        for response in operation["responses"].as_object_mut().into_iter().flat_map(serde_json::Map::values_mut) {
            if response.get("$ref").is_none() {
                response["headers"]["Deprecation"] = header("Since when there is something better (RFC 9745).");
                response["headers"]["Sunset"] = header("From when on it may be gone (RFC 8594).");
                response["headers"]["Link"] = header("`rel=\"deprecation\"`: what to use instead (RFC 8288).");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use actix_web::middleware::from_fn;
    use actix_web::test::{TestRequest, call_service, init_service};
    use actix_web::{App, HttpResponse, web};

    use super::*;

    /// An operation that is planted here, and nowhere in the product.
    const PLANTED: &[Deprecated] = &[Deprecated {
        method: "GET",
        path: "/v1/fleets/{id}",
        since_s: 1_795_246_200,
        sunset_s: 1_811_145_600,
        see: "https://broadside.example/docs/fleets",
    }];

    #[actix_web::test]
    async fn an_operation_that_is_to_go_says_so_in_each_answer() {
        let fleet = || web::to(async || HttpResponse::NoContent());
        let app = App::new()
            .route("/v1/fleets/{id}", fleet())
            .route("/v1/ships/{id}", fleet())
            .wrap(from_fn(|request, next| around(PLANTED, request, next)));
        let app = init_service(app).await;
        let headers = async |request: TestRequest| {
            let response = call_service(&app, request.to_request()).await;
            let names = ["deprecation", "sunset", "link"];
            names.map(|name| response.headers().get(name).map(|value| value.to_str().unwrap_or_default().to_owned()))
        };
        let told = headers(TestRequest::get().uri("/v1/fleets/7")).await;
        let link = "<https://broadside.example/docs/fleets>; rel=\"deprecation\"";
        assert_eq!(told.map(Option::unwrap_or_default), ["@1795246200", "Mon, 24 May 2027 08:00:00 GMT", link]);
        assert_eq!(headers(TestRequest::get().uri("/v1/ships/7")).await, [None, None, None]);
        assert_eq!(headers(TestRequest::put().uri("/v1/fleets/7")).await, [None, None, None]);
    }

    #[test]
    fn an_operation_that_is_to_go_is_marked_in_the_contract() {
        let mut document = json!({ "paths": { "/v1/fleets/{id}": {
            "get": { "responses": { "204": { "description": "Done." } } }, "put": { "responses": {} },
        } } });
        mark(&mut document, PLANTED);
        let item = &document["paths"]["/v1/fleets/{id}"];
        assert_eq!((&item["get"]["deprecated"], &item["put"]["deprecated"]), (&json!(true), &Value::Null));
        let headers = item["get"]["responses"]["204"]["headers"].as_object().unwrap();
        assert_eq!(headers.keys().collect::<Vec<_>>(), ["Deprecation", "Link", "Sunset"]);
    }

    /// What each answer of the contract would say of a field that is to go.
    #[derive(utoipa::ToSchema)]
    #[allow(dead_code, reason = "it only describes a contract")]
    struct Planted {
        /// Its length.
        #[deprecated]
        length: u8,
    }

    #[test]
    fn a_field_that_is_to_go_is_marked_in_the_contract() {
        let schema = serde_json::to_value(<Planted as utoipa::PartialSchema>::schema()).unwrap();
        assert_eq!(schema["properties"]["length"]["deprecated"], true);
    }
}
