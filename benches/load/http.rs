//! A minimal HTTP/1.1 client for players: one request at a time over a kept connection, and JSON only on request. The
//! load shares the processor with the service and the database, so the client's own work reduces what it measures.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use flate2::read::GzDecoder;
use serde_json::Value;
use tokio::net::{TcpSocket, TcpStream};

/// Time limit for a response before the connection is given up.
const PATIENCE: Duration = Duration::from_secs(20);
/// Responses have a few kilobytes; a larger one than this isn't ours.
const LONGEST_ANSWER_BYTES: usize = 16 << 20;

/// A client's behavior.
#[derive(Clone, Copy, Default)]
pub struct Manner {
    /// Sends the headers of browsers and generated clients, which ask for compressed responses.
    pub gzip: bool,
    /// Doesn't decompress responses, for clients that only send.
    pub unread: bool,
    /// The source address, if fixed: the service counts by address.
    pub from: Option<IpAddr>,
    /// Time limit for a response, if not the usual one.
    pub answer_within: Option<Duration>,
}

/// A connection, made on demand, and again after it broke.
pub struct Connection {
    address: SocketAddr,
    manner: Manner,
    stream: Option<TcpStream>,
    request: Vec<u8>,
    answer: Vec<u8>,
    unzipped: Vec<u8>,
}

#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// GET, POST, …
    pub method: &'a str,
    /// With the query.
    pub path: &'a str,
    pub token: Option<&'a str>,
    pub key: Option<&'a str>,
    /// JSON, or empty.
    pub body: &'a str,
}

/// A complete response.
pub struct Answer<'a> {
    pub status: u16,
    /// The seconds after which to retry.
    pub retry_after_s: Option<u64>,
    pub body: &'a [u8],
}

impl Answer<'_> {
    /// The parsed body.
    pub fn json(&self) -> Result<Value, String> {
        serde_json::from_slice(self.body).map_err(|error| format!("an answer is no JSON: {error}"))
    }

    /// Status and body on one line, for findings.
    pub fn text(&self) -> String {
        format!("{} {}", self.status, String::from_utf8_lossy(self.body))
    }
}

impl Connection {
    /// A connection to `address`, not made yet.
    pub fn to(address: SocketAddr, manner: Manner) -> Self {
        Self { address, manner, stream: None, request: Vec::new(), answer: Vec::new(), unzipped: Vec::new() }
    }

    /// Sends a request and reads its complete response. After an error it is unknown whether the request was carried
    /// out.
    pub async fn exchange(&mut self, request: &Request<'_>) -> io::Result<Answer<'_>> {
        self.write_request(request)?;
        // Taken out during work: a broken one is not used again.
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
        if !body.is_empty() {
            write!(out, "Content-Type: application/json\r\nContent-Length: {}\r\n", body.len())?;
        }
        write!(out, "\r\n{body}")
    }
}

/// The headers that browsers and generated clients send with every request.
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
    /// True if the connection is closed after this response.
    last: bool,
    retry_after_s: Option<u64>,
}

/// The status line and the length, once the whole head has arrived.
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

/// The end of the first `wanted` in `text`, for finding one field of a response without parsing all of it.
pub fn after(text: &[u8], wanted: &str) -> Option<usize> {
    // The standard library searches strings much faster than windows of bytes; responses are JSON, so UTF-8.
    let text = std::str::from_utf8(text).ok()?;
    text.find(wanted).map(|at| at + wanted.len())
}
