//! The least of HTTP/1.1 that a player needs: one request at a time over a connection that is kept, and no JSON unless
//! it is asked for. The load shares the processor with the service and the database, so what the client spends is taken
//! from what it measures.

use std::io::{self, ErrorKind, Write};
use std::net::SocketAddr;
use std::time::Duration;

use serde_json::Value;
use tokio::net::TcpStream;

/// How long an answer may take before the connection is given up.
const PATIENCE: Duration = Duration::from_secs(20);
/// Answers are a few kilobytes; one that claims more than this is not one of ours.
const LONGEST_ANSWER_BYTES: usize = 16 << 20;

/// A connection that is made when it is needed, and made again after it broke.
pub struct Connection {
    address: SocketAddr,
    stream: Option<TcpStream>,
    request: Vec<u8>,
    answer: Vec<u8>,
}

/// A request to be.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// GET, POST, …
    pub method: &'a str,
    /// With the query.
    pub path: &'a str,
    /// The access token.
    pub token: Option<&'a str>,
    /// The idempotency key.
    pub key: Option<&'a str>,
    /// JSON, or nothing.
    pub body: &'a str,
}

/// A whole answer.
pub struct Answer<'a> {
    /// The HTTP status.
    pub status: u16,
    /// The body.
    pub body: &'a [u8],
}

impl Answer<'_> {
    /// The body, read.
    pub fn json(&self) -> Result<Value, String> {
        serde_json::from_slice(self.body).map_err(|error| format!("an answer is no JSON: {error}"))
    }

    /// Status and body on one line, for complaints.
    pub fn text(&self) -> String {
        format!("{} {}", self.status, String::from_utf8_lossy(self.body))
    }
}

impl Connection {
    /// A connection to `address`, not made yet.
    pub fn to(address: SocketAddr) -> Self {
        Self { address, stream: None, request: Vec::new(), answer: Vec::new() }
    }

    /// Sends a request and reads its whole answer. After an error nobody knows whether the request was carried out.
    pub async fn exchange(&mut self, request: &Request<'_>) -> io::Result<Answer<'_>> {
        self.write_request(request)?;
        // Taken out while it is at work: what breaks on the way is not used again.
        let stream = self.stream.take();
        let worked = tokio::time::timeout(PATIENCE, work(self.address, stream, &self.request, &mut self.answer)).await;
        let (stream, status, body_at) =
            worked.map_err(|_| io::Error::new(ErrorKind::TimedOut, "no answer in 20 seconds"))??;
        self.stream = Some(stream);
        Ok(Answer { status, body: &self.answer[body_at..] })
    }

    /// Closes the connection.
    pub fn close(&mut self) {
        self.stream = None;
    }

    fn write_request(&mut self, request: &Request<'_>) -> io::Result<()> {
        let Request { method, path, token, key, body } = request;
        let out = &mut self.request;
        out.clear();
        write!(out, "{method} {path} HTTP/1.1\r\nHost: {}\r\n", self.address)?;
        if let Some(token) = token {
            write!(out, "Authorization: Bearer {token}\r\n")?;
        }
        if let Some(key) = key {
            write!(out, "Idempotency-Key: {key}\r\n")?;
        }
        if !body.is_empty() {
            write!(out, "Content-Type: application/json\r\nContent-Length: {}\r\n", body.len())?;
        }
        write!(out, "\r\n{body}")
    }
}

async fn work(
    address: SocketAddr,
    stream: Option<TcpStream>,
    request: &[u8],
    answer: &mut Vec<u8>,
) -> io::Result<(TcpStream, u16, usize)> {
    let stream = match stream {
        Some(stream) => stream,
        None => {
            let stream = TcpStream::connect(address).await?;
            stream.set_nodelay(true)?;
            stream
        }
    };
    send(&stream, request).await?;
    answer.clear();
    let mut head = None;
    loop {
        if head.is_none() {
            head = read_head(answer)?;
        }
        if let Some(Head { status, body_at, length }) = head
            && answer.len() >= body_at + length
        {
            return Ok((stream, status, body_at));
        }
        receive(&stream, answer).await?;
    }
}

async fn send(stream: &TcpStream, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match stream.try_write(bytes) {
            Ok(written) => bytes = &bytes[written..],
            Err(error) if error.kind() == ErrorKind::WouldBlock => stream.writable().await?,
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

async fn receive(stream: &TcpStream, answer: &mut Vec<u8>) -> io::Result<()> {
    answer.reserve(16 << 10);
    loop {
        stream.readable().await?;
        match stream.try_read_buf(answer) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(_) => return Ok(()),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
}

#[derive(Clone, Copy)]
struct Head {
    status: u16,
    body_at: usize,
    length: usize,
}

/// The status line and the length, once the whole head is there.
fn read_head(answer: &[u8]) -> io::Result<Option<Head>> {
    let Some(end) = answer.windows(4).position(|four| four == b"\r\n\r\n") else { return Ok(None) };
    let wrong = |what: &str| io::Error::new(ErrorKind::InvalidData, what.to_owned());
    let head = std::str::from_utf8(&answer[..end]).map_err(|_| wrong("a head that is not text"))?;
    let mut lines = head.split("\r\n");
    let status = lines.next().and_then(|line| line.split(' ').nth(1)).and_then(|status| status.parse().ok());
    let mut length = 0;
    for (name, value) in lines.filter_map(|line| line.split_once(':')) {
        if name.eq_ignore_ascii_case("transfer-encoding") {
            return Err(wrong("an answer in chunks, which this client does not read"));
        }
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().map_err(|_| wrong("a length that is no number"))?;
        }
    }
    if length > LONGEST_ANSWER_BYTES {
        return Err(wrong("an answer that is longer than any of ours"));
    }
    Ok(Some(Head { status: status.ok_or_else(|| wrong("an answer without a status"))?, body_at: end + 4, length }))
}

/// Where `wanted` ends in `text` the first time: for finding one field of an answer without reading all of it.
pub fn after(text: &[u8], wanted: &str) -> Option<usize> {
    // The standard library searches strings much faster than windows of bytes; answers are JSON, so UTF-8.
    let text = std::str::from_utf8(text).ok()?;
    text.find(wanted).map(|at| at + wanted.len())
}
