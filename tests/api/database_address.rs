//! The operator's own database: requirements on its certificate, and the message if it can't be used.

use std::sync::Arc;

use broadside::config::{Cli, Command, Database};
use broadside::database;
use clap::Parser;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, UnixStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

use crate::support::database as databases;
use crate::support::way::socket_of;

fn settings(url: &str) -> Database {
    let Command::Migrate(command) =
        Cli::try_parse_from(["broadside", "migrate", "--database-url", url]).unwrap().command
    else {
        panic!("a command")
    };
    command.database
}

/// The reason why the database at this address is refused; `None` if it is usable.
async fn refusal(url: &str) -> Option<String> {
    database::open(&settings(url), 1, None, "a test").await.err()
}

/// A database that requires TLS, with a certificate for `127.0.0.1` or for another name.
struct Encrypted {
    port: u16,
    user: String,
    name: String,
    /// The folder with its authority's certificate, `ca.pem`.
    folder: TempDir,
}

impl Encrypted {
    async fn start(certified: &str) -> Self {
        let (config, socket) = socket_of(&databases::fresh().await);
        let mut authority = CertificateParams::new(Vec::new()).unwrap();
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate().unwrap()).unwrap();
        let key = KeyPair::generate().unwrap();
        let certificate = CertificateParams::new([certified.to_owned()]).unwrap().signed_by(&key, &authority).unwrap();
        let folder = TempDir::new().unwrap();
        std::fs::write(folder.path().join("ca.pem"), authority.pem()).unwrap();
        let tls = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], PrivateKeyDer::Pkcs8(key.serialize_der().into()))
            .unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(tls));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        tokio::spawn(async move {
            while let Ok((mut client, _)) = listener.accept().await {
                let (acceptor, socket) = (acceptor.clone(), socket.clone());
                tokio::spawn(async move {
                    // A client without TLS is disconnected, as with `hostssl`.
                    let mut request = [0; 8];
                    client.read_exact(&mut request).await.ok()?;
                    if request != [0, 0, 0, 8, 4, 210, 22, 47] {
                        return None;
                    }
                    client.write_all(b"S").await.ok()?;
                    let mut client = acceptor.accept(client).await.ok()?;
                    let mut server = UnixStream::connect(socket).await.ok()?;
                    tokio::io::copy_bidirectional(&mut client, &mut server).await.ok()
                });
            }
        });
        let (user, name) = (config.get_user().unwrap().to_owned(), config.get_dbname().unwrap().to_owned());
        Self { port, user, name, folder }
    }

    /// The address with these parameters; `CA` stands for the authority's file.
    fn url(&self, parameters: &str) -> String {
        let ca = self.folder.path().join("ca.pem");
        let parameters = parameters.replace("CA", ca.to_str().unwrap());
        format!("postgres://{}@127.0.0.1:{}/{}?{parameters}", self.user, self.port, self.name)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tls_is_as_strict_as_the_address_says() {
    let (right, stranger) = tokio::join!(Encrypted::start("127.0.0.1"), Encrypted::start("elsewhere.example"));
    for parameters in ["", "sslmode=prefer", "sslmode=require"] {
        assert_eq!(refusal(&right.url(parameters)).await, None, "{parameters}");
        assert_eq!(refusal(&stranger.url(parameters)).await, None, "{parameters}");
    }
    for verified in
        ["sslmode=verify-full&sslrootcert=CA", "sslmode=verify-ca&sslrootcert=CA", "sslmode=require&sslrootcert=CA"]
    {
        assert_eq!(refusal(&right.url(verified)).await, None, "{verified}");
    }
    // A different authority, and the system's authorities.
    let other = stranger.folder.path().join("ca.pem");
    for authority in [
        format!("verify-full&sslrootcert={}", other.display()),
        format!("verify-ca&sslrootcert={}", other.display()),
        "verify-full".to_owned(),
    ] {
        let refused = refusal(&right.url(&format!("sslmode={authority}"))).await.expect("not trusted");
        assert!(refused.contains("TLS failed") && refused.contains("sslrootcert"), "{refused}");
        assert!(refused.contains(&format!("127.0.0.1:{}", right.port)), "{refused}");
    }
    // `verify-ca` accepts another host's certificate.
    assert_eq!(refusal(&stranger.url("sslmode=verify-ca&sslrootcert=CA")).await, None);
    let refused = refusal(&stranger.url("sslmode=verify-full&sslrootcert=CA")).await.expect("another name");
    assert!(refused.contains("TLS failed") && refused.contains("elsewhere.example"), "{refused}");
    let refused = refusal(&right.url("sslmode=disable")).await.expect("it wants TLS");
    assert!(refused.contains("closed the connection"), "{refused}");
}

/// A server that answers a client's first message with these bytes.
async fn answering(bytes: &'static [u8]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            let mut request = [0; 512];
            let _ = client.read(&mut request).await;
            let _ = client.write_all(bytes).await;
        }
    });
    format!("127.0.0.1:{port}")
}

/// PostgreSQL's refusal of a connection: severity, code and message.
const WRONG_PASSWORD: &[u8] =
    b"E\0\0\0\x4aSFATAL\0VFATAL\0C28P01\0Mpassword authentication failed for user \"anna\"\0\0";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_stands_in_the_way_is_said_with_the_host_and_the_remedy() {
    let (config, socket) = socket_of(&databases::fresh().await);
    let (user, folder) = (config.get_user().unwrap(), socket.parent().unwrap().display());
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let refusing = answering(WRONG_PASSWORD).await;
    let without_tls = answering(b"N").await;
    let no_database = answering(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
    for (url, place, words) in [
        (format!("postgres://anna:hush@{free}/b"), free.to_string(), "connection refused|listen_addresses"),
        ("postgres://anna:hush@no..host:5433/b".to_owned(), "no..host:5433".to_owned(), "no such host|check its name"),
        (
            format!("postgres://anna:hush@{refusing}/b?sslmode=disable"),
            refusing.clone(),
            "password authentication failed|check the password of `anna`",
        ),
        (format!("postgres://anna:hush@{without_tls}/b?sslmode=require"), without_tls, "has no TLS|ssl = on"),
        (format!("postgres://anna:hush@{no_database}/b?sslmode=disable"), no_database, "can't be used"),
        (
            format!("host={folder} user={user} dbname=nowhere"),
            folder.to_string(),
            "\"nowhere\" does not exist|createdb",
        ),
        (format!("host={folder}/no user=anna password=hush"), "no/.s.PGSQL.5432".to_owned(), "no such socket|running"),
        ("postgres://anna:hush@h/b?sslmode=sometimes".to_owned(), "DATABASE_URL".to_owned(), "sslmode must be"),
        ("mysql://anna:hush@h/b".to_owned(), "DATABASE_URL".to_owned(), "postgres://user:password@host"),
    ] {
        let refused = refusal(&url).await.expect(&url);
        assert!(words.split('|').all(|word| refused.contains(word)), "{url}: {refused}");
        assert!(refused.contains(&place) && !refused.contains("hush"), "{url}: {refused}");
    }
}
