//! A small SMTP server on loopback: it accepts and stores mail, and fails on request.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use broadside::notifications::mail::Setup;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};

use super::TestApp;

impl TestApp {
    /// Sends due mail; returns the number.
    pub async fn posts(&self) -> usize {
        broadside::notifications::mail::delivery::deliver(&self.app, self.app.mail.as_ref().unwrap()).await.unwrap()
    }

    /// Sends due mail about lost passwords and to owners; returns the number.
    pub async fn tells_owners(&self) -> usize {
        let mailer = self.app.mail.as_ref().unwrap();
        broadside::notifications::mail::security::round(&self.app.accounts, mailer).await.unwrap()
    }

    /// A second node on the same database and clock, which sends mail to this server.
    pub async fn another_node_with(&self, postbox: &Postbox) -> Self {
        let setup = super::Setup {
            mail: Some(postbox.setup()),
            match_link: Some("https://club.example/match/{id}"),
            ..super::Setup::default()
        };
        Self::on(self.database.clone(), Arc::clone(&self.clock), setup).await
    }
}

/// A single failure at the named step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trouble {
    /// Answers the command with this first word (`TEXT`: the text after DATA) with this code.
    Says(&'static str, u16),
    /// The same, with this text after the code.
    Explains(&'static str, u16, &'static str),
    /// Closes the connection instead of answering.
    Cuts(&'static str),
    /// Stores the text, and closes the connection before the answer.
    KeepsAndCuts,
    /// Never answers this.
    Hangs(&'static str),
}

impl Trouble {
    fn is_at(self, step: &str) -> bool {
        match self {
            Trouble::Says(at, _) | Trouble::Explains(at, ..) | Trouble::Cuts(at) | Trouble::Hangs(at) => at == step,
            Trouble::KeepsAndCuts => step == "TEXT",
        }
    }
}

/// An accepted mail.
#[derive(Clone, Debug, PartialEq)]
pub struct Received {
    pub from: String,
    pub to: String,
    pub headers: Vec<(String, String)>,
    pub text: String,
    pub raw: String,
}

impl Received {
    /// The header, unfolded and decoded.
    #[track_caller]
    pub fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
        &found.unwrap_or_else(|| panic!("no {name} in {}", self.raw)).1
    }

    /// The path of the first link to this page of the service.
    #[track_caller]
    pub fn link(&self, page: &str) -> String {
        self.path_to(&format!("/v1/mail/{page}/"))
    }

    /// The path of the service's first link with this prefix.
    #[track_caller]
    pub fn path_to(&self, page: &str) -> String {
        let start = format!("https://broadside.test{page}");
        let at = self.text.find(&start).unwrap_or_else(|| panic!("no link to {page} in {}", self.text));
        let link = self.text[at..].split_whitespace().next().unwrap();
        link.strip_prefix("https://broadside.test").unwrap().to_owned()
    }
}

#[derive(Default)]
struct Inside {
    taken: Vec<Received>,
    troubles: VecDeque<Trouble>,
    connections: usize,
}

#[derive(Clone)]
pub struct Postbox {
    port: u16,
    inside: Arc<Mutex<Inside>>,
}

impl Postbox {
    pub async fn open() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let postbox = Self { port: listener.local_addr().unwrap().port(), inside: Arc::default() };
        let serving = postbox.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                serving.inside.lock().unwrap().connections += 1;
                let serving = serving.clone();
                tokio::spawn(async move { serving.converse(stream).await });
            }
        });
        postbox
    }

    /// The settings for this server.
    pub fn setup(&self) -> Setup {
        Setup {
            server: format!("smtp://127.0.0.1:{}/club.example", self.port).parse().unwrap(),
            from: "Broadside <mail@club.example>".parse().unwrap(),
        }
    }

    /// Failures to come, in this order.
    pub fn expects(&self, troubles: &[Trouble]) {
        self.inside.lock().unwrap().troubles.extend(troubles);
    }

    /// Ends all failures.
    pub fn forgives(&self) {
        self.inside.lock().unwrap().troubles.clear();
    }

    /// The mails since the last call, in order.
    pub fn empty(&self) -> Vec<Received> {
        std::mem::take(&mut self.inside.lock().unwrap().taken)
    }

    pub fn connections(&self) -> usize {
        self.inside.lock().unwrap().connections
    }

    /// Waits for the one mail that is on its way.
    pub async fn next(&self) -> Received {
        for _ in 0..500 {
            let mut taken = self.empty();
            if let Some(one) = taken.pop() {
                assert!(taken.is_empty(), "more than one: {taken:?}");
                return one;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("no mail has come");
    }

    /// The next failure, if it is for this step.
    fn trouble(&self, step: &str) -> Option<Trouble> {
        let mut inside = self.inside.lock().unwrap();
        let next = inside.troubles.front().copied().filter(|trouble| trouble.is_at(step));
        if next.is_some() {
            inside.troubles.pop_front();
        }
        next
    }

    /// Ends when the client hangs up.
    async fn converse(&self, stream: TcpStream) -> Option<()> {
        let (reading, mut writing) = stream.into_split();
        let mut reading = BufReader::new(reading);
        say(&mut writing, "220 postbox").await?;
        let (mut from, mut to) = (String::new(), String::new());
        loop {
            let line = read_line(&mut reading).await?;
            let step = line.split([' ', ':']).next().unwrap_or_default().to_ascii_uppercase();
            let is_data = step == "DATA";
            match self.trouble(&step) {
                Some(Trouble::Says(_, code)) => {
                    say(&mut writing, &format!("{code} <{to}> trouble at {step}")).await?;
                    continue;
                }
                Some(Trouble::Explains(_, code, words)) => {
                    say(&mut writing, &format!("{code} {words}")).await?;
                    continue;
                }
                Some(Trouble::Hangs(_)) => std::future::pending().await,
                Some(_) => return None,
                None => {}
            }
            let answer = match step.as_str() {
                "EHLO" => "250-postbox\r\n250-8BITMIME\r\n250 SMTPUTF8",
                "MAIL" => {
                    from = between(&line);
                    "250 yes"
                }
                "RCPT" => {
                    to = between(&line);
                    "250 yes"
                }
                "DATA" => "354 go on",
                "QUIT" => "221 bye",
                _ => "500 what?",
            };
            say(&mut writing, answer).await?;
            if is_data {
                self.take(&mut reading, &mut writing, &from, &to).await?;
            }
        }
    }

    async fn take(
        &self,
        reading: &mut BufReader<OwnedReadHalf>,
        writing: &mut OwnedWriteHalf,
        from: &str,
        to: &str,
    ) -> Option<()> {
        let mut raw = String::new();
        loop {
            let line = read_line(reading).await?;
            if line == "." {
                break;
            }
            raw += line.strip_prefix('.').unwrap_or(&line);
            raw += "\r\n";
        }
        let trouble = self.trouble("TEXT");
        if !matches!(trouble, Some(Trouble::Says(..) | Trouble::Explains(..) | Trouble::Cuts(_))) {
            self.inside.lock().unwrap().taken.push(received(from, to, raw));
        }
        match trouble {
            Some(Trouble::Says(_, code)) => say(writing, &format!("{code} <{to}> trouble")).await,
            Some(Trouble::Explains(_, code, words)) => say(writing, &format!("{code} {words}")).await,
            Some(Trouble::Hangs(_)) => std::future::pending().await,
            Some(_) => None,
            None => say(writing, "250 taken").await,
        }
    }
}

async fn read_line(reading: &mut BufReader<OwnedReadHalf>) -> Option<String> {
    let mut line = String::new();
    let read = reading.read_line(&mut line).await.ok()?;
    (read > 0).then(|| line.trim_end_matches(['\r', '\n']).to_owned())
}

async fn say(writing: &mut OwnedWriteHalf, text: &str) -> Option<()> {
    writing.write_all(format!("{text}\r\n").as_bytes()).await.ok()
}

fn between(line: &str) -> String {
    line.split_once('<').and_then(|(_, rest)| rest.split_once('>')).unwrap().0.to_owned()
}

fn received(from: &str, to: &str, raw: String) -> Received {
    let (head, body) = raw.split_once("\r\n\r\n").unwrap();
    let unfolded = head.replace("\r\n ", " ").replace("\r\n\t", " ");
    let headers: Vec<(String, String)> = unfolded
        .lines()
        .map(|line| {
            let (name, value) = line.split_once(": ").unwrap();
            (name.to_owned(), words(value))
        })
        .collect();
    let encoding =
        headers.iter().find(|(name, _)| name == "Content-Transfer-Encoding").map(|(_, value)| value.as_str());
    let text = match encoding {
        Some("base64") => String::from_utf8(STANDARD.decode(body.replace("\r\n", "")).unwrap()).unwrap(),
        Some("quoted-printable") => quoted(body),
        _ => body.to_owned(),
    };
    Received { from: from.to_owned(), to: to.to_owned(), headers, text: text.replace("\r\n", "\n"), raw }
}

/// Encoded words (RFC 2047) of the one kind that lettre makes.
fn words(value: &str) -> String {
    let mut text = String::new();
    let mut rest = value;
    while let Some((before, behind)) = rest.split_once("=?utf-8?b?") {
        let (encoded, after) = behind.split_once("?=").unwrap();
        // White space between two encoded words doesn't count.
        text += if before.trim().is_empty() { "" } else { before };
        text += &String::from_utf8(STANDARD.decode(encoded).unwrap()).unwrap();
        rest = after;
    }
    text + rest
}

fn quoted(body: &str) -> String {
    let mut bytes = Vec::new();
    let joined = body.replace("=\r\n", "");
    let mut rest = joined.as_bytes();
    while let [first, behind @ ..] = rest {
        rest = behind;
        if *first == b'=' {
            bytes.push(u8::from_str_radix(std::str::from_utf8(&rest[..2]).unwrap(), 16).unwrap());
            rest = &rest[2..];
        } else {
            bytes.push(*first);
        }
    }
    String::from_utf8(bytes).unwrap()
}
