//! A way to the database that can be made silent: connections stay open, and nothing gets through.

use std::path::PathBuf;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::sync::watch;
use tokio_postgres::Config;
use tokio_postgres::config::Host;

/// A listener on loopback that hands on what it gets, as long as it isn't silent.
pub struct Way {
    /// The address of the database by this way.
    pub url: String,
    open: watch::Sender<bool>,
}

impl Way {
    /// A way to the database at this address, which names a Unix socket.
    pub async fn to(database: &str) -> Self {
        Self::that_hands_on(database, |_| {}).await
    }

    /// The same to a database that doesn't know `LISTEN`, as those behind some poolers.
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
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(hand_on(client, socket.clone(), opened.clone(), change));
            }
        });
        Self { url: format!("host=127.0.0.1 port={port} user={user} dbname={name}"), open }
    }

    /// From now on nothing gets through.
    pub fn falls_silent(&self) {
        self.open.send_replace(false);
    }

    /// What was held back gets through, and all that follows.
    pub fn opens(&self) {
        self.open.send_replace(true);
    }
}

/// An address that names a Unix socket, and the path of the socket.
pub fn socket_of(database: &str) -> (Config, PathBuf) {
    let config: Config = database.parse().unwrap();
    let [Host::Unix(folder)] = config.get_hosts() else { panic!("no socket: {database}") };
    let socket = folder.join(format!(".s.PGSQL.{}", config.get_ports()[0]));
    (config, socket)
}

async fn hand_on(client: TcpStream, socket: PathBuf, opened: watch::Receiver<bool>, change: fn(&mut [u8])) {
    let server = UnixStream::connect(socket).await.unwrap();
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    tokio::join!(copy(from_client, to_server, opened.clone(), change), copy(from_server, to_client, opened, |_| {}));
}

/// Hands bytes on in one direction until one of the ends is closed.
async fn copy(
    mut from: impl AsyncReadExt + Unpin,
    mut to: impl AsyncWriteExt + Unpin,
    mut opened: watch::Receiver<bool>,
    change: fn(&mut [u8]),
) {
    let mut bytes = vec![0; 1 << 16];
    while let Ok(count @ 1..) = from.read(&mut bytes).await {
        change(&mut bytes[..count]);
        if opened.wait_for(|open| *open).await.is_err() || to.write_all(&bytes[..count]).await.is_err() {
            break;
        }
    }
    // That an end was closed doesn't get through either.
    let _ = opened.wait_for(|open| *open).await;
    let _ = to.shutdown().await;
}
