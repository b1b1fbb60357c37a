//! A proxy between the nodes and the present primary, and the place of connection faults: connections can be held
//! without being closed, like behind a firewall that has dropped them, and cut in the middle of a message.

use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use crate::Outcome;

/// Bytes passed on at once.
const PIECE_BYTES: usize = 16 << 10;

/// Orders for connections, which are numbered in the order of arrival.
#[derive(Clone, Copy)]
struct Orders {
    target: SocketAddr,
    /// Those with a lower number are closed.
    closed_below: u64,
    /// Those with a lower number pass nothing on.
    held_below: u64,
    /// Those with a lower number break after this many more bytes in each direction.
    cut_below: u64,
    cut_after_bytes: usize,
}

/// A running forwarder, on its own thread.
pub struct Forwarder {
    pub address: SocketAddr,
    orders: watch::Sender<Orders>,
    next: Arc<AtomicU64>,
}

impl Forwarder {
    /// Starts passing on to `target`.
    pub fn start(target: SocketAddr) -> Outcome<Self> {
        let first = Orders { target, closed_below: 0, held_below: 0, cut_below: 0, cut_after_bytes: 0 };
        let (orders, received) = watch::channel(first);
        let next = Arc::new(AtomicU64::new(0));
        let number = Arc::clone(&next);
        let listener = std::net::TcpListener::bind("127.0.0.1:0").map_err(|error| error.to_string())?;
        let address = listener.local_addr().map_err(|error| error.to_string())?;
        listener.set_nonblocking(true).map_err(|error| error.to_string())?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| error.to_string())?;
        thread::spawn(move || runtime.block_on(accept(listener, &received, &number)));
        Ok(Self { address, orders, next })
    }

    /// Passes new connections on to another server, and closes the others.
    pub fn point_at(&self, target: SocketAddr) {
        self.orders.send_modify(|orders| orders.target = target);
        self.close();
    }

    pub fn close(&self) {
        let next = self.next.load(Ordering::Relaxed);
        self.orders.send_modify(|orders| orders.closed_below = next);
    }

    /// Open connections pass nothing on until they are closed; with `new`, neither do later ones.
    pub fn hold(&self, new: bool) {
        let next = self.next.load(Ordering::Relaxed);
        self.orders.send_modify(|orders| orders.held_below = if new { u64::MAX } else { next });
    }

    /// New connections pass everything on; with `all` also held ones.
    pub fn release(&self, all: bool) {
        let next = self.next.load(Ordering::Relaxed);
        self.orders.send_modify(|orders| orders.held_below = if all { 0 } else { next });
    }

    /// Breaks all connections after this many more bytes in each direction.
    pub fn cut(&self, after_bytes: usize) {
        let next = self.next.load(Ordering::Relaxed);
        self.orders.send_modify(|orders| (orders.cut_below, orders.cut_after_bytes) = (next, after_bytes));
    }
}

async fn accept(listener: std::net::TcpListener, orders: &watch::Receiver<Orders>, next: &AtomicU64) {
    let Ok(listener) = TcpListener::from_std(listener) else { return };
    let mut ended = orders.clone();
    loop {
        // It ends when the sender of orders is dropped.
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = async { while ended.changed().await.is_ok() {} } => return,
        };
        let Ok((client, _)) = accepted else { continue };
        let number = next.fetch_add(1, Ordering::Relaxed);
        tokio::spawn(pass_on(client, number, orders.clone()));
    }
}

/// One connection, until an end or an order closes it. An error of one end closes both, and isn't reported.
async fn pass_on(client: TcpStream, number: u64, mut orders: watch::Receiver<Orders>) -> Option<()> {
    client.set_nodelay(true).ok()?;
    let mut closed = orders.clone();
    let passing = async {
        let target = pass(number, &mut orders).await?.target;
        let server = TcpStream::connect(target).await.ok()?;
        server.set_nodelay(true).ok()?;
        let (there, back) = (orders.clone(), orders);
        tokio::select! {
            _ = pump(&client, &server, number, there) => {}
            _ = pump(&server, &client, number, back) => {}
        }
        Some(())
    };
    tokio::select! {
        _ = passing => {}
        _ = closed.wait_for(|orders| number < orders.closed_below) => {}
    }
    Some(())
}

/// Waits until the connection isn't held, and returns its orders.
async fn pass(number: u64, orders: &mut watch::Receiver<Orders>) -> Option<Orders> {
    orders.wait_for(|orders| number >= orders.held_below).await.ok().map(|orders| *orders)
}

async fn pump(from: &TcpStream, to: &TcpStream, number: u64, mut orders: watch::Receiver<Orders>) -> io::Result<()> {
    let mut piece = vec![0; PIECE_BYTES];
    let mut left: Option<usize> = None;
    loop {
        let Some(now) = pass(number, &mut orders).await else { return Ok(()) };
        if number < now.cut_below && left.is_none() {
            left = Some(now.cut_after_bytes);
        }
        tokio::select! {
            changed = orders.changed() => match changed {
                Ok(()) => continue,
                Err(_) => return Ok(()),
            },
            ready = from.readable() => ready?,
        }
        let read = match from.try_read(&mut piece) {
            Ok(0) => return Ok(()),
            Ok(read) => read,
            Err(error) if error.kind() == ErrorKind::WouldBlock => continue,
            Err(error) => return Err(error),
        };
        let passed = left.map_or(read, |left| left.min(read));
        write(to, &piece[..passed]).await?;
        left = left.map(|left| left - passed);
        if left == Some(0) {
            return Ok(());
        }
    }
}

async fn write(to: &TcpStream, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match to.try_write(bytes) {
            Ok(written) => bytes = &bytes[written..],
            Err(error) if error.kind() == ErrorKind::WouldBlock => to.writable().await?,
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
