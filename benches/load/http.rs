//! The least of HTTP/1.1 that a player needs: one request at a time over a connection that is kept, and no JSON unless
//! it is asked for. The load shares the processor with the service and the database, so what the client spends is taken
//! from what it measures.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use flate2::read::GzDecoder;
use serde_json::Value;
use tokio::net::{TcpSocket, TcpStream};

/// How long an answer may take before the connection is given up.
const PATIENCE: Duration = Duration::from_secs(20);
/// Answers are a few kilobytes; one that claims more than this is not one of ours.
const LONGEST_ANSWER_BYTES: usize = 16 << 20;

/// How a client behaves.
#[derive(Clone, Copy, Default)]
pub struct Manner {
    /// Sends the headers of browsers and generated clients, which ask for compressed answers.
    pub gzip: bool,
    /// Asks for answers without what can be done without (`Prefer: return=minimal`).
    pub minimal: bool,
    /// Leaves compressed answers as they are: for those who only ask.
    pub unread: bool,
    /// The address that it comes from, if not any: the service counts by address.
    pub from: Option<IpAddr>,
    /// How long it waits for an answer, if not as long as usual.
    pub answer_within: Option<Duration>,
}

/// A connection that is made when it is needed, and made again after it broke.
pub struct Connection {
    address: SocketAddr,
    manner: Manner,
    stream: Option<TcpStream>,
    request: Vec<u8>,
    answer: Vec<u8>,
    unzipped: Vec<u8>,
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
    /// When it makes sense to try again, in seconds.
    pub retry_after_s: Option<u64>,
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
    pub fn to(address: SocketAddr, manner: Manner) -> Self {
        Self { address, manner, stream: None, request: Vec::new(), answer: Vec::new(), unzipped: Vec::new() }
    }

    /// Sends a request and reads its whole answer. After an error nobody knows whether the request was carried out.
    pub async fn exchange(&mut self, request: &Request<'_>) -> io::Result<Answer<'_>> {
        self.write_request(request)?;
        // Taken out while it is at work: what breaks on the way is not used again.
        let stream = self.stream.take();
        let work = work(self.address, self.manner.from, stream, &self.request, &mut self.answer);
        let patience = self.manner.answer_within.unwrap_or(PATIENCE);
        let late = |_| io::Error::new(ErrorKind::TimedOut, format!("no answer in {} seconds", patience.as_secs()));
        let (stream, head) = tokio::time::timeout(patience, work).await.map_err(late)??;
        self.stream = (!head.last).then_some(stream);
        let mut body = &self.answer[head.body_at..];
        if head.gzip && !self.manner.unread {
            self.unzipped.clear();
            GzDecoder::new(body).read_to_end(&mut self.unzipped)?;
            body = &self.unzipped;
        }
        Ok(Answer { status: head.status, retry_after_s: head.retry_after_s, body })
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
        if self.manner.gzip {
            out.extend_from_slice(OF_A_BROWSER);
        }
        if self.manner.minimal {
            out.extend_from_slice(b"Prefer: return=minimal\r\n");
        }
        if !body.is_empty() {
            write!(out, "Content-Type: application/json\r\nContent-Length: {}\r\n", body.len())?;
        }
        write!(out, "\r\n{body}")
    }
}

/// What browsers and generated clients send with every request.
const OF_A_BROWSER: &[u8] = b"User-Agent: load/1.0\r\nAccept: application/json, text/plain, */*\r\n\
    Accept-Encoding: gzip, deflate, br, zstd\r\nAccept-Language: en-US,en;q=0.5\r\nConnection: keep-alive\r\n";

async fn connect(address: SocketAddr, from: Option<IpAddr>) -> io::Result<TcpStream> {
    let Some(from) = from else { return TcpStream::connect(address).await };
    let socket = if from.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    socket.bind(SocketAddr::new(from, 0))?;
    socket.connect(address).await
}

async fn work(
    address: SocketAddr,
    from: Option<IpAddr>,
    stream: Option<TcpStream>,
    request: &[u8],
    answer: &mut Vec<u8>,
) -> io::Result<(TcpStream, Head)> {
    let stream = match stream {
        Some(stream) => stream,
        None => {
            let stream = connect(address, from).await?;
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
        if let Some(head) = head
            && answer.len() >= head.body_at + head.length
        {
            return Ok((stream, head));
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
    gzip: bool,
    /// Whether the connection is closed after this answer.
    last: bool,
    retry_after_s: Option<u64>,
}

/// The status line and the length, once the whole head is there.
fn read_head(answer: &[u8]) -> io::Result<Option<Head>> {
    let Some(end) = answer.windows(4).position(|four| four == b"\r\n\r\n") else { return Ok(None) };
    let wrong = |what: &str| io::Error::new(ErrorKind::InvalidData, what.to_owned());
    let head = std::str::from_utf8(&answer[..end]).map_err(|_| wrong("a head that is not text"))?;
    let mut lines = head.split("\r\n");
    let status = lines.next().and_then(|line| line.split(' ').nth(1)).and_then(|status| status.parse().ok());
    let (mut length, mut gzip, mut last, mut retry_after_s) = (0, false, false, None);
    for (name, value) in lines.filter_map(|line| line.split_once(':')) {
        if name.eq_ignore_ascii_case("transfer-encoding") {
            return Err(wrong("an answer in chunks, which this client does not read"));
        }
        if name.eq_ignore_ascii_case("content-encoding") {
            gzip = value.trim() == "gzip";
        }
        if name.eq_ignore_ascii_case("connection") {
            last = value.trim().eq_ignore_ascii_case("close");
        }
        if name.eq_ignore_ascii_case("retry-after") {
            retry_after_s = value.trim().parse().ok();
        }
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().map_err(|_| wrong("a length that is no number"))?;
        }
    }
    if length > LONGEST_ANSWER_BYTES {
        return Err(wrong("an answer that is longer than any of ours"));
    }
    let status = status.ok_or_else(|| wrong("an answer without a status"))?;
    Ok(Some(Head { status, body_at: end + 4, length, gzip, last, retry_after_s }))
}

/// Where `wanted` ends in `text` the first time: for finding one field of an answer without reading all of it.
pub fn after(text: &[u8], wanted: &str) -> Option<usize> {
    // The standard library searches strings much faster than windows of bytes; answers are JSON, so UTF-8.
    let text = std::str::from_utf8(text).ok()?;
    text.find(wanted).map(|at| at + wanted.len())
}
