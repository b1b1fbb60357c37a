//! A connection to the database that can be made silent: it stays open, but nothing gets through.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::sync::watch;
use tokio_postgres::Config;
use tokio_postgres::config::Host;

/// A listener on loopback that forwards everything unless it is silent.
pub struct Way {
    /// The address of the database through this way.
    pub url: String,
    open: watch::Sender<bool>,
    statements: Arc<AtomicU64>,
}

impl Way {
    /// A way to the database at this address, which names a Unix socket.
    pub async fn to(database: &str) -> Self {
        Self::that_hands_on(database, |_| {}).await
    }

    /// The same to a database without `LISTEN`, as behind some poolers.
    pub async fn without_listen(database: &str) -> Self {
        let misspell = |bytes: &mut [u8]| {
            if let Some(at) = bytes.windows(16).position(|part| part == b"LISTEN broadside") {
                bytes[at..at + 6].copy_from_slice(b"LISTNE");
            }
        };
        Self::that_hands_on(database, misspell).await
    }

    async fn that_hands_on(database: &str, change: fn(&mut [u8])) -> Self {
        let (config, socket) = socket_of(database);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (user, name) = (config.get_user().unwrap(), config.get_dbname().unwrap());
        let (open, opened) = watch::channel(true);
        let statements = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&statements);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let mut messages = Messages { counted: Arc::clone(&counted), head: vec![b' '], rest: 0 };
                let mut is_for_wakeups = false;
                let count = move |bytes: &mut [u8]| {
                    // That connection regularly checks for other nodes.
                    is_for_wakeups |= bytes.windows(6).any(|part| part == b"LISTEN");
                    change(bytes);
                    if !is_for_wakeups {
                        messages.count(bytes);
                    }
                };
                tokio::spawn(hand_on(client, socket.clone(), opened.clone(), count));
            }
        });
        Self { url: format!("host=127.0.0.1 port={port} user={user} dbname={name}"), open, statements }
    }

    /// Number of statements sent to the database so far, without those of the wake-ups.
    pub fn statements(&self) -> u64 {
        self.statements.load(Ordering::SeqCst)
    }

    /// Waits until no statement has come for a moment: an abandoned transaction is rolled back after the answer.
    pub async fn is_quiet(&self) {
        loop {
            let before = self.statements();
            tokio::time::sleep(Duration::from_millis(5)).await;
            if self.statements() == before {
                return;
            }
        }
    }

    /// Blocks everything from now on.
    pub fn falls_silent(&self) {
        self.open.send_replace(false);
    }

    /// Releases everything held back, and forwards again.
    pub fn opens(&self) {
        self.open.send_replace(true);
    }
}

/// Counts the statements among a client's messages: one byte for the type, four for the length, then the rest. (The
/// first message of a connection has no type; nor has the second, if the first asks for TLS.)
struct Messages {
    counted: Arc<AtomicU64>,
    head: Vec<u8>,
    rest: usize,
}

impl Messages {
    fn count(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            if self.rest > 0 {
                let skipped = self.rest.min(bytes.len());
                self.rest -= skipped;
                bytes = &bytes[skipped..];
                continue;
            }
            self.head.push(bytes[0]);
            bytes = &bytes[1..];
            if let [name, length @ ..] = &self.head[..]
                && let Ok(length) = <[u8; 4]>::try_from(length)
            {
                // A simple query, or values for a prepared one.
                self.counted.fetch_add(u64::from(matches!(name, b'Q' | b'B')), Ordering::SeqCst);
                let asks_for_tls = *name == b' ' && u32::from_be_bytes(length) == 8;
                self.rest = u32::from_be_bytes(length) as usize - 4;
                self.head = if asks_for_tls { vec![b' '] } else { Vec::new() };
            }
        }
    }
}

/// Splits an address that names a Unix socket into the settings and the socket's path.
pub fn socket_of(database: &str) -> (Config, PathBuf) {
    let config: Config = database.parse().unwrap();
    let [Host::Unix(folder)] = config.get_hosts() else { panic!("no socket: {database}") };
    let socket = folder.join(format!(".s.PGSQL.{}", config.get_ports()[0]));
    (config, socket)
}

async fn hand_on(client: TcpStream, socket: PathBuf, opened: watch::Receiver<bool>, change: impl FnMut(&mut [u8])) {
    let server = UnixStream::connect(socket).await.unwrap();
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    tokio::join!(copy(from_client, to_server, opened.clone(), change), copy(from_server, to_client, opened, |_| {}));
}

/// Forwards bytes in one direction until one of the ends is closed.
async fn copy(
    mut from: impl AsyncReadExt + Unpin,
    mut to: impl AsyncWriteExt + Unpin,
    mut opened: watch::Receiver<bool>,
    mut change: impl FnMut(&mut [u8]),
) {
    let mut bytes = vec![0; 1 << 16];
    while let Ok(count @ 1..) = from.read(&mut bytes).await {
        change(&mut bytes[..count]);
        if opened.wait_for(|open| *open).await.is_err() || to.write_all(&bytes[..count]).await.is_err() {
            break;
        }
    }
    // The closing of an end is held back as well.
    let _ = opened.wait_for(|open| *open).await;
    let _ = to.shutdown().await;
}
