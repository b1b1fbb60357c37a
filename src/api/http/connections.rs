//! Limit of the time that a connection may be open without a request.
//!
//! actix-http bounds the time of a connection's first head, and of an idle connection. It doesn't bound the head of a
//! later request: its first byte stops the idle timer, and nothing starts another. So a watch on each connection closes
//! it after a time without a request that equals both bounds together.

use std::any::Any;
use std::cell::Cell;
use std::net::{Shutdown, TcpStream as Socket};
use std::os::fd::AsFd;
use std::pin::Pin;
use std::rc::{Rc, Weak};
use std::task::{Context, Poll};
use std::time::Duration;

use actix_web::Error;
use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::{Extensions, ServiceRequest, ServiceResponse};
use actix_web::middleware::Next;
use actix_web::rt::net::TcpStream;
use actix_web::rt::{spawn, time};
use actix_web::web::Bytes;

struct Watched {
    under_way: Cell<u32>,
    /// The time since which no request has been under way; `None` while there is one.
    free_since: Cell<time::Instant>,
    socket: Socket,
}

/// Closes a new connection once no request has been under way for `most`.
pub fn watch(connection: &dyn Any, data: &mut Extensions, most: Duration) {
    let socket = connection.downcast_ref::<TcpStream>().and_then(|socket| socket.as_fd().try_clone_to_owned().ok());
    let Some(socket) = socket else { return };
    let watched =
        Rc::new(Watched { under_way: Cell::new(0), free_since: Cell::new(now()), socket: Socket::from(socket) });
    spawn(end_when_unused(Rc::downgrade(&watched), most));
    data.insert(watched);
}

async fn end_when_unused(watched: Weak<Watched>, most: Duration) {
    let mut until = now() + most;
    loop {
        time::sleep_until(until).await;
        let Some(watched) = watched.upgrade() else { return };
        until = match watched.under_way.get() {
            0 => watched.free_since.get() + most,
            _ => now() + most,
        };
        if until <= now() {
            // The server reads the end of the stream, sends what is left to send, and closes.
            let _ = watched.socket.shutdown(Shutdown::Read);
            return;
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "it measures a duration, and nothing stored depends on it")]
fn now() -> time::Instant {
    time::Instant::now()
}

/// A request under way on a connection, until the last byte of its answer is handed over.
struct UnderWay(Rc<Watched>);

impl UnderWay {
    fn on(watched: &Rc<Watched>) -> Self {
        watched.under_way.set(watched.under_way.get() + 1);
        Self(Rc::clone(watched))
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.under_way.set(self.0.under_way.get().saturating_sub(1));
        self.0.free_since.set(now());
    }
}

/// A body, with the request that it answers.
struct Answering {
    body: BoxBody,
    _request: Option<UnderWay>,
}

impl MessageBody for Answering {
    type Error = <BoxBody as MessageBody>::Error;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, Self::Error>>> {
        Pin::new(&mut self.get_mut().body).poll_next(cx)
    }
}

pub async fn around(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    let under_way = request.conn_data::<Rc<Watched>>().map(UnderWay::on);
    let response = next.call(request).await?.map_into_boxed_body();
    Ok(response.map_body(|_, body| Answering { body, _request: under_way }))
}
