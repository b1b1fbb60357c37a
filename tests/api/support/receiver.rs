//! A receiver of webhooks: a small HTTP server on loopback that records messages, gives programmable answers, and
//! verifies signatures itself.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use broadside::notifications::leasing;
use broadside::notifications::webhooks::WebhookSettings;
use broadside::notifications::webhooks::sender::Names;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::Value;
use sha2::Sha256;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::{Setup, TestApp, contract};

/// Webhooks may go to 127.0.0.1 only, and names resolve by this list.
pub fn to_loopback(names: &[(&str, &str)]) -> WebhookSettings {
    let names = names.iter().map(|(name, address)| ((*name).to_owned(), vec![address.parse().unwrap()]));
    WebhookSettings {
        allowed: vec!["127.0.0.1".parse().unwrap()],
        names: Names::Fixed(Arc::new(names.collect())),
        timeout: Duration::from_secs(2),
        sealing_key: None,
    }
}

impl TestApp {
    /// A second node with these webhook settings.
    pub async fn another_node_that_sends(&self, webhooks: WebhookSettings) -> Self {
        let setup = Setup { webhooks: Some(webhooks), ..Setup::default() };
        Self::on(self.database.clone(), Arc::clone(&self.clock), setup).await
    }

    /// Sends the due webhooks.
    pub async fn delivers(&self) {
        leasing::deliver_due(&self.app.webhooks).await.unwrap();
    }

    /// The current time, in milliseconds since 1970.
    pub fn now_ms(&self) -> i64 {
        self.clock.load(Ordering::SeqCst)
    }
}

/// The answer to a message.
#[derive(Clone)]
pub enum Reply {
    Status(u16),
    With(u16, &'static str, String),
    /// No answer: the connection stays open.
    Never,
    /// The connection is closed.
    Cut,
}

/// A received message.
#[derive(Clone, Debug)]
pub struct Got {
    pub line: String,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Got {
    pub fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str()).unwrap_or_else(|| panic!("no {name} in {:?}", self.headers))
    }

    pub fn id(&self) -> String {
        self.header("webhook-id").to_owned()
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// The number of its event.
    pub fn number(&self) -> u64 {
        self.json()["data"]["number"].as_u64().unwrap()
    }

    /// For each signature, true if it is by this secret. Verified by the specification, without any code of the
    /// service.
    pub fn signed_with(&self, secret: &str) -> Vec<bool> {
        let key = STANDARD.decode(secret.strip_prefix("whsec_").unwrap()).unwrap();
        assert_eq!(key.len(), 32);
        let mut mac = Hmac::<Sha256>::new_from_slice(&key).unwrap();
        mac.update(format!("{}.{}.{}", self.id(), self.header("webhook-timestamp"), self.body).as_bytes());
        let wanted = format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()));
        self.header("webhook-signature").split(' ').map(|signature| signature == wanted).collect()
    }
}

#[derive(Default)]
struct Inside {
    got: Vec<Got>,
    replies: VecDeque<Reply>,
    otherwise: Option<Reply>,
}

#[derive(Clone)]
pub struct Receiver {
    pub port: u16,
    inside: Arc<Mutex<Inside>>,
}

impl Receiver {
    /// Opens a port, and answers 204 to everything by default.
    pub async fn open() -> Self {
        let listener = TcpListener::bind("0.0.0.0:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let inside: Arc<Mutex<Inside>> = Arc::default();
        let shared = Arc::clone(&inside);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&shared)));
            }
        });
        Self { port, inside }
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/hook", self.port)
    }

    /// The answers to the next messages, in order.
    pub fn will(&self, replies: impl IntoIterator<Item = Reply>) {
        self.inside.lock().unwrap().replies.extend(replies);
    }

    /// The default answer.
    pub fn always(&self, reply: Reply) {
        self.inside.lock().unwrap().otherwise = Some(reply);
    }

    /// All messages so far. Each is checked against the contract.
    pub fn got(&self) -> Vec<Got> {
        checked(self.inside.lock().unwrap().got.clone())
    }

    /// All messages since the last call. Each is checked against the contract.
    pub fn takes(&self) -> Vec<Got> {
        checked(std::mem::take(&mut self.inside.lock().unwrap().got))
    }

    /// Waits for this number of messages.
    pub async fn has(&self, count: usize) {
        let waited = tokio::time::timeout(Duration::from_secs(20), async {
            while self.got().len() < count {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        });
        waited.await.unwrap_or_else(|_| panic!("{} messages instead of {count}", self.got().len()));
    }
}

fn checked(got: Vec<Got>) -> Vec<Got> {
    got.iter().for_each(|got| contract::check_webhook(&got.headers, &got.body));
    got
}

async fn serve(mut stream: TcpStream, inside: Arc<Mutex<Inside>>) {
    let mut bytes = Vec::new();
    while let Some(got) = read(&mut stream, &mut bytes).await {
        let reply = {
            let mut inside = inside.lock().unwrap();
            inside.got.push(got);
            let next = inside.replies.pop_front();
            next.or_else(|| inside.otherwise.clone()).unwrap_or(Reply::Status(204))
        };
        let answer = match reply {
            Reply::Status(status) => format!("HTTP/1.1 {status} x\r\ncontent-length: 0\r\n\r\n"),
            Reply::With(status, name, value) => {
                format!("HTTP/1.1 {status} x\r\ncontent-length: 0\r\n{name}: {value}\r\n\r\n")
            }
            Reply::Never => std::future::pending().await,
            Reply::Cut => return,
        };
        if stream.write_all(answer.as_bytes()).await.is_err() {
            return;
        }
    }
}

/// The next request of a connection; `None` if it was closed.
async fn read(stream: &mut TcpStream, bytes: &mut Vec<u8>) -> Option<Got> {
    loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
            let (line, rest) = head.split_once("\r\n").unwrap();
            let headers: Vec<(String, String)> = rest
                .split("\r\n")
                .map(|header| header.split_once(": ").unwrap())
                .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
                .collect();
            let length = headers.iter().find(|(name, _)| name == "content-length");
            let length: usize = length.map_or(0, |(_, value)| value.parse().unwrap());
            if bytes.len() >= end + 4 + length {
                let body = String::from_utf8(bytes[end + 4..end + 4 + length].to_vec()).unwrap();
                bytes.drain(..end + 4 + length);
                return Some(Got { line: line.to_owned(), headers, body });
            }
        }
        let mut some = [0; 4096];
        match stream.read(&mut some).await {
            Ok(0) | Err(_) => return None,
            Ok(count) => bytes.extend_from_slice(&some[..count]),
        }
    }
}
