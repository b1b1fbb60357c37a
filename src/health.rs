//! The command `broadside health`: queries `/readyz` of a running service over a plain socket, and prints its faults.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Longest response time of a healthy service.
const PATIENCE: Duration = Duration::from_secs(3);
/// Exceeds any response of `/readyz`.
const MAX_ANSWER_BYTES: u64 = 16 * 1024;

/// Fails with a sentence if the service at this address isn't ready.
pub async fn ask(listen: SocketAddr) -> Result<(), String> {
    let mut address = listen;
    if address.ip().is_unspecified() {
        address.set_ip(Ipv4Addr::LOCALHOST.into());
    }
    let answer = tokio::time::timeout(PATIENCE, exchange(address)).await;
    let answer =
        answer.map_err(|_| format!("the service at {address} gives no answer within {} s", PATIENCE.as_secs()))?;
    let answer =
        answer.map_err(|error| format!("no service answers at {address}: {error}; --listen names another address"))?;
    judge(address, &answer)
}

async fn exchange(address: SocketAddr) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(b"GET /readyz HTTP/1.0\r\nHost: localhost\r\n\r\n").await?;
    let mut answer = Vec::new();
    stream.take(MAX_ANSWER_BYTES).read_to_end(&mut answer).await?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

/// Reads the response; a problem has a `detail` for people.
fn judge(address: SocketAddr, answer: &str) -> Result<(), String> {
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((answer, ""));
    let status = head.split_ascii_whitespace().nth(1).filter(|_| head.starts_with("HTTP/"));
    let Some(status) = status else { return Err(format!("what answers at {address} is no HTTP service")) };
    if status == "200" {
        return Ok(());
    }
    let problem: serde_json::Value = serde_json::from_str(body).unwrap_or_default();
    let why = problem["detail"].as_str().unwrap_or("it doesn't say why; is it Broadside that listens there?");
    Err(format!("the service at {address} is not ready ({status}): {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_judged_in_words() {
        let judged = |answer: &str| judge("127.0.0.1:8080".parse().unwrap(), answer);
        assert_eq!(judged("HTTP/1.1 200 OK\r\n\r\n{}"), Ok(()));
        let refused = judged("HTTP/1.1 503 x\r\na: b\r\n\r\n{\"detail\":\"the disk is full\"}").unwrap_err();
        assert_eq!(refused, "the service at 127.0.0.1:8080 is not ready (503): the disk is full");
        assert!(judged("HTTP/1.1 404 Not Found\r\n\r\n<p>").unwrap_err().contains("is it Broadside"));
        for wrong in ["", "SSH-2.0-x\r\n", "220 mail 200\r\n"] {
            assert!(judged(wrong).unwrap_err().contains("no HTTP service"), "{wrong}");
        }
    }
}
