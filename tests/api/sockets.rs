//! The service on a real socket: packets, time-outs, and malformed HTTP.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use actix_web::dev::ServerHandle;
use broadside::app::ConnectionTimeouts;
use broadside::serve::start_server;

use crate::support::contract::{Received, Sent};
use crate::support::{Setup, TestApp, database};

/// A server of the app on a free port; it stops with the test.
pub fn served(app: &TestApp) -> (SocketAddr, ServerHandle) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let server = start_server(app.app.clone(), listener, Some(1), 1).unwrap();
    let handle = server.handle();
    actix_web::rt::spawn(server);
    (address, handle)
}

/// A whole answer: the head, and the body by its stated length.
fn read_answer(stream: &mut TcpStream) -> (String, Vec<u8>) {
    let mut bytes = Vec::new();
    let mut buffer = [0; 65_536];
    loop {
        let read = stream.read(&mut buffer).unwrap();
        bytes.extend_from_slice(&buffer[..read]);
        let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else {
            assert!(read > 0, "the connection was closed: {}", String::from_utf8_lossy(&bytes));
            continue;
        };
        let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok());
        let length = length.unwrap_or_else(|| panic!("no stated length: {head}"));
        if bytes.len() >= end + 4 + length {
            return (head, bytes[end + 4..].to_vec());
        }
        assert!(read > 0, "the connection was closed within a body");
    }
}

/// Asserts that the document describes an answer to an unreadable request.
fn check((method, target): (&str, &str), head: &str, body: &[u8]) {
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let line = |line: &str| line.split_once(": ").map(|(name, value)| (name.to_owned(), value.to_owned()));
    let headers: Vec<_> = head.lines().filter_map(line).collect();
    let sent = Sent { method: method.to_owned(), target: target.to_owned(), headers: Vec::new(), body: Vec::new() };
    sent.check(Received { status, headers: &headers, body: Some(body) });
}

pub fn connected(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream.set_nodelay(true).unwrap();
    stream
}

/// Blocking work beside the server, which runs in the test's own thread.
pub async fn beside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    actix_web::web::block(work).await.unwrap()
}

#[actix_web::test]
async fn a_compressed_answer_leaves_at_once_and_whole() {
    let app = TestApp::start().await;
    let (address, handle) = served(&app);
    let took = beside(move || {
        let mut stream = connected(address);
        let mut took = Vec::new();
        for path in ["/v1/variants/classic", "/v1/matches", "/v1/variants/classic"] {
            for _ in 0..12 {
                let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip, deflate, br\r\n\r\n");
                let begun = Instant::now();
                stream.write_all(request.as_bytes()).unwrap();
                let (head, body) = read_answer(&mut stream);
                took.push(begun.elapsed());
                assert!(head.starts_with("http/1.1 200"), "{head}");
                assert!(!head.contains("transfer-encoding"), "{head}");
                let is_long = body.len() >= 1024 || head.contains("content-encoding");
                assert_eq!(head.contains("content-encoding: gzip"), is_long, "{head}");
            }
        }
        took
    });
    // A delayed acknowledgement takes 40 ms, and would affect every answer on a reused connection.
    let mut took = took.await;
    let best = took.drain(took.len() - 10..).min().unwrap();
    assert!(best < Duration::from_millis(20), "{best:?}");
    handle.stop(false).await;
}

#[actix_web::test]
async fn a_body_that_trickles_is_not_waited_for() {
    let app = TestApp::with(Setup { body_timeout: Some(Duration::from_millis(150)), ..Setup::default() }).await;
    let (address, handle) = served(&app);
    let head = beside(move || {
        let mut stream = connected(address);
        let head =
            "POST /v1/accounts HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n{";
        stream.write_all(head.as_bytes()).unwrap();
        let (head, body) = read_answer(&mut stream);
        assert!(String::from_utf8_lossy(&body).contains("request-timeout"));
        check(("POST", "/v1/accounts"), &head, &body);
        // The rest is not taken for a request, and the connection ends.
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest);
        assert!(rest.is_empty(), "{}", String::from_utf8_lossy(&rest));
        head
    });
    let head = head.await;
    assert!(head.starts_with("http/1.1 408") && head.contains("connection: close"), "{head}");
    handle.stop(false).await;
}

#[actix_web::test]
async fn every_head_has_its_time() {
    let connections = ConnectionTimeouts { head: Duration::from_secs(1), silence: Duration::from_secs(3) };
    let app = TestApp::with(Setup { connections: Some(connections), ..Setup::default() }).await;
    let token = app.player("anna").await.token;
    let (address, handle) = served(&app);
    let lasted = beside(move || {
        let request = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";
        // A head that arrives byte by byte, on a new or a reused connection.
        let trickles = |mut stream: TcpStream| {
            let begun = Instant::now();
            for byte in request.bytes().cycle().take(200) {
                if stream.write_all(&[if byte == b'\n' { b'x' } else { byte }]).is_err() {
                    break;
                }
                std::thread::sleep(Duration::from_millis(50));
            }
            begun.elapsed()
        };
        let kept = |requests: usize| {
            let mut stream = connected(address);
            for _ in 0..requests {
                stream.write_all(request.as_bytes()).unwrap();
                assert!(read_answer(&mut stream).0.starts_with("http/1.1 200"));
            }
            stream
        };
        let lasted: Vec<_> = [0, 1, 3].map(|requests| trickles(kept(requests))).into();
        // An idle connection is not in the middle of a request.
        let mut idle = kept(1);
        std::thread::sleep(Duration::from_secs(1));
        idle.write_all(request.as_bytes()).unwrap();
        assert!(read_answer(&mut idle).0.starts_with("http/1.1 200"), "an idle connection is kept");
        // A request that waits longer than all that for its answer isn't cut off.
        let waits = format!("GET /v1/events?wait_s=5 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n");
        idle.write_all(waits.as_bytes()).unwrap();
        assert!(read_answer(&mut idle).0.starts_with("http/1.1 200"), "a request that waits is answered");
        lasted
    });
    let lasted = lasted.await;
    assert!(lasted.iter().all(|lasted| *lasted < Duration::from_secs(8)), "{lasted:?}");
    handle.stop(false).await;
}

#[actix_web::test]
async fn bodies_are_read_as_they_come() {
    let app = TestApp::start().await;
    let token = app.player("anna").await.token;
    let (address, handle) = served(&app);
    let challenge = r#"{"variant": "classic", "clock": {"kind": "none"}}"#;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(challenge.as_bytes()).unwrap();
    let gzip = encoder.finish().unwrap();
    let answers = beside(move || {
        let mut stream = connected(address);
        let mut asks = |method: &str, path: &str, headers: &str, body: &[u8]| {
            let head = format!("{method} {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n{headers}\r\n");
            stream.write_all(&[head.as_bytes(), body].concat()).unwrap();
            let (head, body) = read_answer(&mut stream);
            (head[9..12].to_owned(), String::from_utf8_lossy(&body).into_owned())
        };
        let json = "Content-Type: application/json\r\n";
        let chunked = |bytes: &[u8]| [format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n0\r\n\r\n"].concat();
        let length = |bytes: &[u8]| format!("{json}Content-Length: {}\r\n", bytes.len());
        [
            asks("POST", "/v1/stream-tickets", &length(b""), b""),
            asks("POST", "/v1/stream-tickets", json, b""),
            asks("POST", "/v1/stream-tickets", "", b""),
            asks("POST", "/v1/stream-tickets", &format!("{json}Transfer-Encoding: chunked\r\n"), b"0\r\n\r\n"),
            asks("POST", "/v1/stream-tickets", "Transfer-Encoding: chunked\r\n", b"0\r\n\r\n"),
            asks("PATCH", "/v1/account", "", b""),
            asks("PATCH", "/v1/account", "Content-Length: 0\r\n", b""),
            asks("POST", "/v1/challenges", &format!("{}Content-Encoding: gzip\r\n", length(&gzip)), &gzip),
            asks(
                "POST",
                "/v1/challenges",
                &format!("{json}Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n"),
                &chunked(&gzip),
            ),
            // A body without a type still counts as a body.
            asks("POST", "/v1/stream-tickets", "Transfer-Encoding: chunked\r\n", &chunked(b"{\"flag\": 1}")),
        ]
    });
    let answers = answers.await;
    let statuses: Vec<&str> = answers.iter().map(|(status, _)| status.as_str()).collect();
    assert_eq!(statuses, ["201", "201", "201", "201", "201", "200", "200", "201", "201", "415"], "{answers:#?}");
    handle.stop(false).await;
}

#[actix_web::test]
async fn what_is_no_http_fills_no_log() {
    let database = database::fresh().await;
    let logged = beside(move || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_broadside"));
        command.args(["serve", "--no-migrate", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"]);
        command.args(["--log", "info", "--database-url", &database]);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut said = [0; 200];
        let length = child.stdout.as_mut().unwrap().read(&mut said).unwrap();
        let line = String::from_utf8_lossy(&said[..length]).trim().to_owned();
        let address = line.strip_prefix("listening on http://").unwrap().parse().unwrap();
        for garbage in ["\u{16}\u{3}\u{1}\u{2}", "GET\r\n\r\n", "GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n"] {
            let mut stream = connected(address);
            stream.write_all(garbage.as_bytes()).unwrap();
            let mut answer = Vec::new();
            let _ = stream.read_to_end(&mut answer);
            assert!(answer.starts_with(b"HTTP/1.1 400"), "{}", String::from_utf8_lossy(&answer));
        }
        child.kill().unwrap();
        let output = child.wait_with_output().unwrap();
        String::from_utf8_lossy(&output.stderr).into_owned()
    });
    let logged = logged.await;
    assert!(!logged.contains("ERROR"), "{logged}");
}
