//! The service as a process that is started, killed and restarted, with clients over the network.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use reqwest::header::{ACCEPT, AUTHORIZATION, HeaderValue};
use reqwest::{Client, Method, RequestBuilder, Response};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::contract::{Received, Sent};

pub struct Node {
    pub address: SocketAddr,
    child: Child,
}

impl Node {
    /// Starts a node on `database` at `address` (port 0: a free one), and waits until it listens.
    pub fn start(database: &str, address: &str) -> Self {
        Self::start_program(Path::new(env!("CARGO_BIN_EXE_broadside")), database, address)
    }

    /// The same with the program of a neighbouring version, named by `BROADSIDE_NEIGHBOUR`, to test nodes of two
    /// versions side by side. Without the variable it is this version again.
    pub fn start_neighbour(database: &str, address: &str) -> Self {
        let neighbour = std::env::var_os("BROADSIDE_NEIGHBOUR");
        let program = neighbour.as_deref().unwrap_or(OsStr::new(env!("CARGO_BIN_EXE_broadside")));
        Self::start_program(Path::new(program), database, address)
    }

    fn start_program(program: &Path, database: &str, address: &str) -> Self {
        let mut command = Command::new(program);
        for (name, _) in std::env::vars_os() {
            if name.to_str().is_some_and(|name| name.starts_with("BROADSIDE_") || name == "DATABASE_URL") {
                command.env_remove(name);
            }
        }
        command.args(["serve", "--no-migrate", "--rate-limits", "off", "--stream-keep-alive-s", "1"]);
        command.args(["--listen", address, "--admin-listen", "127.0.0.1:0", "--database-connections", "6"]);
        command.args(["--log", "error", "--database-url", database]);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening on http://").expect("the node listens").parse().unwrap();
        Self { address, child }
    }

    /// Sends SIGTERM.
    pub fn terminate(&self) {
        self.is_sent(Signal::TERM);
    }

    pub fn is_sent(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Waits for its own exit; true if it succeeded.
    pub fn stops(&mut self) -> bool {
        self.child.wait().unwrap().success()
    }

    /// Sends SIGKILL, and waits for the exit.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A player who can talk to any node.
#[derive(Clone)]
pub struct Remote {
    pub name: String,
    token: String,
    client: Client,
}

impl Remote {
    pub async fn register(node: SocketAddr, name: &str) -> Self {
        // Nothing here is encrypted, but the client requires a TLS provider.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder().connect_timeout(Duration::from_secs(2)).no_proxy().build().unwrap();
        let mut player = Self { name: name.to_owned(), token: String::new(), client };
        let account = json!({ "username": name, "password": format!("the secret of {name}") });
        player.token =
            player.ask(node, "POST", "/v1/accounts", &account).await["access_token"].as_str().unwrap().to_owned();
        player
    }

    fn request(&self, node: SocketAddr, method: &str, path: &str) -> RequestBuilder {
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let request = self.client.request(method, format!("http://{node}{path}"));
        if self.token.is_empty() { request } else { request.header(AUTHORIZATION, format!("Bearer {}", self.token)) }
    }

    pub async fn send(
        &self,
        node: SocketAddr,
        method: &str,
        path: &str,
        body: &Value,
        key: &str,
    ) -> reqwest::Result<Answer> {
        let mut request = self.request(node, method, path);
        if !body.is_null() {
            request = request.header("content-type", "application/json").body(body.to_string());
        }
        if !key.is_empty() {
            request = request.header("idempotency-key", key);
        }
        let response = request.timeout(Duration::from_secs(20)).send().await?;
        let status = response.status().as_u16();
        let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        let headers: Vec<_> = response.headers().iter().map(|(name, value)| (name.to_string(), text(value))).collect();
        let bytes = response.bytes().await?;
        let sent = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
        let sent = Sent { method: method.to_owned(), target: path.to_owned(), headers: Vec::new(), body: sent };
        // A neighbouring version has a contract of its own.
        if std::env::var_os("BROADSIDE_NEIGHBOUR").is_none() {
            sent.check(Received { status, headers: &headers, body: Some(&bytes) });
        }
        Ok(Answer { status, body: serde_json::from_slice(&bytes).unwrap_or_default() })
    }

    /// Sends a request that must succeed. It is repeated if a busy machine refused to start it.
    pub async fn ask(&self, node: SocketAddr, method: &str, path: &str, body: &Value) -> Value {
        let mut attempts = 0;
        loop {
            let answer = self.send(node, method, path, body, "").await.unwrap();
            attempts += 1;
            if answer.body["code"] == "overloaded" && attempts < 20 {
                tokio::time::sleep(Duration::from_secs(1)).await;
                continue;
            }
            assert!(matches!(answer.status, 200 | 201), "{method} {path}: {} {}", answer.status, answer.body);
            return answer.body;
        }
    }

    /// Opens the event stream after this cursor.
    pub async fn listen(&self, node: SocketAddr, last: &str) -> reqwest::Result<Response> {
        let request = self.request(node, "GET", "/v1/events").header(ACCEPT, "text/event-stream");
        request.header("last-event-id", last).send().await
    }
}

pub struct Answer {
    pub status: u16,
    pub body: Value,
}

/// The events of an SSE stream as they arrive, in whole frames only.
#[derive(Default)]
pub struct Frames {
    rest: Vec<u8>,
}

impl Frames {
    /// Adds a piece; returns the events of the frames that it completes.
    pub fn take(&mut self, piece: &[u8]) -> Vec<Value> {
        self.rest.extend(piece);
        let mut events = Vec::new();
        while let Some(end) = self.rest.windows(2).position(|two| two == b"\n\n") {
            let frame: Vec<u8> = self.rest.drain(..end + 2).collect();
            let frame = String::from_utf8(frame).unwrap();
            let data = frame.lines().find_map(|line| line.strip_prefix("data: "));
            events.extend(data.map(|data| serde_json::from_str::<Value>(data).unwrap()));
        }
        events
    }
}
