//! A push service: a small HTTP server on loopback that accepts messages for browsers, with programmable answers. And a
//! browser that decrypts them.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use broadside::notifications::leasing;
use p256::ecdsa::signature::Verifier;
use p256::ecdsa::{Signature, VerifyingKey};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use web_push_native::p256::SecretKey;
use web_push_native::p256::elliptic_curve::sec1::ToEncodedPoint;

use super::{Answer, Player, TestApp};

pub const SUBSCRIPTIONS: &str = "/v1/account/push-subscriptions";

impl TestApp {
    /// Sends due push messages.
    pub async fn rings(&self) {
        leasing::deliver_due(&self.app.push).await.unwrap();
    }

    /// Sends due push messages after this number of seconds.
    pub async fn rings_after(&self, seconds: i64) {
        self.passes_s(seconds).await;
        self.rings().await;
    }

    /// The service's key, as a browser gets it.
    pub async fn push_key(&self) -> String {
        let key = self.get("/v1/push-key").await.expect(200);
        key["application_server_key"].as_str().unwrap().to_owned()
    }
}

/// An encrypted message at the push service.
#[derive(Clone)]
pub struct Sealed {
    pub path: String,
    headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Sealed {
    pub fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str()).unwrap_or_else(|| panic!("no {name} in {:?}", self.headers))
    }

    /// The claims of its token, verified with this key (RFC 8292) without any code of the service.
    pub fn token_of(&self, key: &str) -> Value {
        let said = self.header("authorization").strip_prefix("vapid t=").unwrap();
        let (token, sent_key) = said.split_once(", k=").unwrap();
        assert_eq!(sent_key, key);
        let (signed, signature) = token.rsplit_once('.').unwrap();
        let decoded = |text: &str| URL_SAFE_NO_PAD.decode(text).unwrap();
        let signature = Signature::from_slice(&decoded(signature)).unwrap();
        let verifier = VerifyingKey::from_sec1_bytes(&decoded(key)).unwrap();
        verifier.verify(signed.as_bytes(), &signature).unwrap();
        let (header, claims) = signed.split_once('.').unwrap();
        let header: Value = serde_json::from_slice(&decoded(header)).unwrap();
        assert_eq!((&header["typ"], &header["alg"]), (&json!("JWT"), &json!("ES256")));
        serde_json::from_slice(&decoded(claims)).unwrap()
    }
}

#[derive(Default)]
struct Inside {
    got: Vec<Sealed>,
    replies: VecDeque<String>,
}

#[derive(Clone)]
pub struct PushService {
    pub port: u16,
    inside: Arc<Mutex<Inside>>,
}

impl PushService {
    /// Opens a port, and answers 201 to everything by default.
    pub async fn open() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
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

    /// The endpoint of the browser with this name.
    pub fn endpoint(&self, name: &str) -> String {
        format!("http://127.0.0.1:{}/send/{name}", self.port)
    }

    /// The answers to the next messages, such as `410` or `429\r\nretry-after: 100`.
    pub fn will(&self, replies: &[&str]) {
        self.inside.lock().unwrap().replies.extend(replies.iter().map(|reply| (*reply).to_owned()));
    }

    /// Waits for this number of messages.
    pub async fn has(&self, count: usize) {
        let waited = tokio::time::timeout(Duration::from_secs(20), async {
            while self.inside.lock().unwrap().got.len() < count {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        });
        let came = || self.inside.lock().unwrap().got.len();
        waited.await.unwrap_or_else(|_| panic!("{} messages instead of {count}", came()));
    }

    /// All messages since the last call.
    pub fn takes(&self) -> Vec<Sealed> {
        std::mem::take(&mut self.inside.lock().unwrap().got)
    }
}

async fn serve(mut stream: TcpStream, inside: Arc<Mutex<Inside>>) {
    let mut bytes = Vec::new();
    while let Some(got) = read(&mut stream, &mut bytes).await {
        let reply = {
            let mut inside = inside.lock().unwrap();
            inside.got.push(got);
            inside.replies.pop_front().unwrap_or_else(|| "201".to_owned())
        };
        let (status, header) = reply.split_once("\r\n").unwrap_or((&reply, "x-push: yes"));
        let answer = format!("HTTP/1.1 {status} x\r\ncontent-length: 0\r\n{header}\r\n\r\n");
        if stream.write_all(answer.as_bytes()).await.is_err() {
            return;
        }
    }
}

/// The next request of a connection; `None` if it was closed.
async fn read(stream: &mut TcpStream, bytes: &mut Vec<u8>) -> Option<Sealed> {
    loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
            let (line, rest) = head.split_once("\r\n").unwrap();
            let split =
                |header: &str| header.split_once(": ").map(|(key, value)| (key.to_lowercase(), value.to_owned()));
            let headers: Vec<(String, String)> = rest.split("\r\n").map(|header| split(header).unwrap()).collect();
            let length = headers.iter().find(|(name, _)| name == "content-length");
            let length: usize = length.map_or(0, |(_, value)| value.parse().unwrap());
            if bytes.len() >= end + 4 + length {
                let body = bytes[end + 4..end + 4 + length].to_vec();
                bytes.drain(..end + 4 + length);
                let path = line.strip_prefix("POST ").and_then(|line| line.strip_suffix(" HTTP/1.1")).unwrap();
                return Some(Sealed { path: path.to_owned(), headers, body });
            }
        }
        let mut some = [0; 4096];
        match stream.read(&mut some).await {
            Ok(0) | Err(_) => return None,
            Ok(count) => bytes.extend_from_slice(&some[..count]),
        }
    }
}

/// A browser, known to a push service by a name.
pub struct Ringing {
    pub endpoint: String,
    secret: SecretKey,
    auth: [u8; 16],
}

impl Ringing {
    pub fn new(service: &PushService, name: &str) -> Self {
        let mut seed = [7; 32];
        seed[..name.len().min(32)].copy_from_slice(&name.as_bytes()[..name.len().min(32)]);
        Self { endpoint: service.endpoint(name), secret: SecretKey::from_slice(&seed).unwrap(), auth: [9; 16] }
    }

    /// The subscription request; `more` adds or replaces fields.
    pub fn asks(&self, more: Value) -> Value {
        let key = URL_SAFE_NO_PAD.encode(self.secret.public_key().to_encoded_point(false).as_bytes());
        let mut body = json!({
            "endpoint": self.endpoint, "p256dh": key, "auth": URL_SAFE_NO_PAD.encode(self.auth), "name": "Firefox",
        });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    }

    pub async fn subscribes(&self, player: &Player, more: Value) -> Answer {
        player.post(SUBSCRIPTIONS, self.asks(more)).await
    }

    /// The decrypted message (RFC 8291).
    pub fn reads(&self, message: &Sealed) -> Value {
        assert_eq!(message.header("content-encoding"), "aes128gcm");
        let auth = web_push_native::Auth::from(self.auth);
        let plain = web_push_native::decrypt(message.body.clone(), &self.secret, &auth).unwrap();
        serde_json::from_slice(&plain).unwrap()
    }

    pub fn can_read(&self, message: &Sealed) -> bool {
        let auth = web_push_native::Auth::from(self.auth);
        web_push_native::decrypt(message.body.clone(), &self.secret, &auth).is_ok()
    }
}
