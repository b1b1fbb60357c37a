//! Requests to the service: each is repeated until there is an answer, after the requested wait.

use std::time::Duration;

use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER};
use reqwest::redirect::Policy;
use reqwest::{Client, Method, RequestBuilder, Response, StatusCode};
use serde_json::Value;

/// The timeout of a request.
const TIMEOUT: Duration = Duration::from_secs(30);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// The longest answer that is read, in bytes.
const LONGEST_ANSWER: usize = 32 << 20;
/// The attempts of a request that the service fails to answer (500).
const ATTEMPTS: u32 = 4;
/// The longest wait that is obeyed, in seconds.
const LONGEST_WAIT_S: u64 = 3600;

pub(crate) fn client(url: &str) -> reqwest::Result<Client> {
    let client = Client::builder()
        .user_agent(concat!("broadside-bots/", env!("CARGO_PKG_VERSION")))
        .redirect(Policy::none())
        .no_proxy()
        .http1_only()
        .connect_timeout(CONNECT_TIMEOUT)
        .tcp_keepalive(Duration::from_secs(30));
    // Without encryption it needs no root certificates, and works without them.
    let plain = url.starts_with("http://");
    let client = if plain { client.tls_certs_only([]) } else { client.https_only(true) };
    client.build()
}

/// A refusal (RFC 9457).
#[derive(Debug)]
pub(crate) struct Problem {
    pub status: u16,
    /// The stable code; empty when the answer was no problem document.
    pub code: String,
    pub detail: String,
}

impl Problem {
    fn of(status: StatusCode, body: &Value) -> Self {
        let text = |name: &str| body[name].as_str().unwrap_or_default().to_owned();
        Self { status: status.as_u16(), code: text("code"), detail: text("detail") }
    }

    /// The problem of an unreadable answer.
    pub(crate) fn unreadable(what: &str) -> Self {
        Self { status: 0, code: "unreadable".to_owned(), detail: what.to_owned() }
    }

    pub(crate) fn is_about_the_token(&self) -> bool {
        self.status == 401
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {} {}", self.status, self.code, self.detail)
    }
}

pub(crate) type Answer<T = Value> = Result<T, Problem>;

/// The wait before the next attempt: twice as long each time, half a minute at most.
#[derive(Default)]
pub(crate) struct Patience(u32);

impl Patience {
    pub(crate) async fn wait(&mut self) {
        tokio::time::sleep(Duration::from_millis((250_u64 << self.0).min(30_000))).await;
        self.0 = (self.0 + 1).min(7);
    }
}

/// The service, in one account's name.
pub(crate) struct Api {
    client: Client,
    url: String,
    bearer: String,
}

impl Api {
    /// An empty token means none.
    pub(crate) fn new(client: Client, url: &str, token: &str) -> Self {
        let bearer = if token.is_empty() { String::new() } else { format!("Bearer {token}") };
        Self { client, url: url.to_owned(), bearer }
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.ask(Method::GET, path, None, None).await
    }

    pub(crate) async fn put(&self, path: &str, body: &Value) -> Answer {
        self.ask(Method::PUT, path, Some(body), None).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Answer {
        self.ask(Method::DELETE, path, None, None).await
    }

    /// A POST with an idempotency key, so that repeats have no further effect.
    pub(crate) async fn post(&self, path: &str, body: &Value, key: &str) -> Answer {
        self.ask(Method::POST, path, Some(body), Some(key)).await
    }

    /// Every item of a list, page by page.
    pub(crate) async fn all(&self, path: &str) -> Answer<Vec<Value>> {
        let (mut items, mut cursor) = (Vec::new(), String::new());
        loop {
            let mut page = self.get(&format!("{path}{cursor}")).await?;
            if let Value::Array(found) = page["items"].take() {
                items.extend(found);
            }
            let Some(next) = page["next_cursor"].as_str() else { return Ok(items) };
            cursor = format!("&cursor={next}");
        }
    }

    async fn ask(&self, method: Method, path: &str, body: Option<&Value>, key: Option<&str>) -> Answer {
        let (mut patience, mut failures) = (Patience::default(), 0);
        loop {
            let mut request = self.request(method.clone(), path).timeout(TIMEOUT);
            if let Some(body) = body {
                request = request.header(CONTENT_TYPE, "application/json").body(body.to_string());
            }
            if let Some(key) = key {
                request = request.header("idempotency-key", key);
            }
            let Ok(response) = request.send().await else {
                patience.wait().await;
                continue;
            };
            let (status, wait) = (response.status(), asked_to_wait(&response));
            let Ok(body) = read(response).await else {
                patience.wait().await;
                continue;
            };
            match status {
                StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => tokio::time::sleep(wait).await,
                status if status.is_success() => return Ok(body),
                status if status.is_server_error() && failures + 1 < ATTEMPTS => {
                    failures += 1;
                    patience.wait().await;
                }
                status => return Err(Problem::of(status, &body)),
            }
        }
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.client.request(method, format!("{}{path}", self.url));
        if self.bearer.is_empty() { request } else { request.header(AUTHORIZATION, &self.bearer) }
    }

    /// Opens the stream of events after `cursor`; `None`: it can't be opened at the moment.
    pub(crate) async fn events(&self, cursor: &str) -> Answer<Option<Response>> {
        let request = self.request(Method::GET, &format!("/v1/events?after={cursor}"));
        let sent = request.header(ACCEPT, "text/event-stream").send();
        let Ok(Ok(response)) = tokio::time::timeout(TIMEOUT, sent).await else { return Ok(None) };
        let (status, wait) = (response.status(), asked_to_wait(&response));
        if status.is_success() {
            return Ok(Some(response));
        }
        if matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE) {
            tokio::time::sleep(wait).await;
        }
        if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS {
            return Ok(None);
        }
        Err(Problem::of(status, &read(response).await.unwrap_or_default()))
    }
}

/// `Retry-After`, which this service gives in seconds; a second without it.
fn asked_to_wait(response: &Response) -> Duration {
    let asked: Option<u64> = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
    Duration::from_secs(asked.unwrap_or(1).clamp(1, LONGEST_WAIT_S))
}

/// The body as JSON; null when it is empty or invalid.
async fn read(mut response: Response) -> Result<Value, ()> {
    let mut bytes = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(|_| ())? {
        if bytes.len() + piece.len() > LONGEST_ANSWER {
            return Ok(Value::Null);
        }
        bytes.extend_from_slice(&piece);
    }
    Ok(serde_json::from_slice(&bytes).unwrap_or_default())
}
