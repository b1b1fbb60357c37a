//! Wake-ups: they tell readers that there may be news, directly on this node, and on other nodes through PostgreSQL's
//! `NOTIFY`.
//!
//! A wake-up carries no data: a woken reader reads the tables. After a commit the ids are gathered for some
//! milliseconds and sent in one `NOTIFY`, on a separate connection. A single node skips `NOTIFY`: each node holds a
//! shared lock on that connection, by which the others see it, and sends a greeting when it starts. Polling makes up
//! for lost wake-ups (a node died after the commit, a connection broke): one short statement for all readers of a node.
//! Without `LISTEN` there is only polling.

pub(crate) mod store;
use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::time::Interval;
use uuid::Uuid;

use crate::db::Db;
use crate::error::Result;
use crate::wakeups::store::NotifyConnection;

/// Time for which ids are gathered before they are sent.
const BATCH_FOR: Duration = Duration::from_millis(5);
/// Time between two polls of the logs, in case a wake-up was lost.
const POLL_EVERY: Duration = Duration::from_secs(2);
/// Initial and longest wait before reconnecting.
const RECONNECT_AFTER: Duration = Duration::from_millis(250);
const RECONNECT_AFTER_AT_MOST: Duration = Duration::from_secs(30);
/// Time between two checks for other nodes. New ones send a greeting, so this only finds that they are gone.
const LOOK_FOR_OTHERS_EVERY: Duration = Duration::from_secs(30);
/// Accounts polled by one statement.
const POLL_BATCH: usize = 1000;
/// Most ids waiting to be sent. While the connection is down or slow, further ids are dropped: polling makes up for
/// them.
const QUEUE_CAPACITY: usize = 10_000;

/// An id for waking a task of every node, instead of the readers of an account or match.
pub const fn bell(number: u8) -> Uuid {
    Uuid::from_u128(number as u128)
}

/// The subscribers of a node, and its connection to the other nodes.
#[derive(Clone)]
pub struct Wakeups {
    subscribers: Subscribers,
    outgoing: mpsc::Sender<Uuid>,
    state: Arc<State>,
}

/// The state of a node's connection to the others.
#[derive(Default)]
struct State {
    is_connected: AtomicBool,
    is_single_node: AtomicBool,
}

impl Wakeups {
    /// Connects, and stays connected until the last [`Wakeups`] is dropped.
    pub fn start(db: &Db) -> Self {
        let (outgoing, queue) = mpsc::channel(QUEUE_CAPACITY);
        let (subscribers, state) = (Subscribers::default(), Arc::<State>::default());
        tokio::spawn(
            WakeupWorker {
                db: db.clone(),
                subscribers: subscribers.clone(),
                queue,
                state: Arc::clone(&state),
                last_seen: HashMap::new(),
            }
            .run(),
        );
        Self { subscribers, outgoing, state }
    }

    /// True if this node receives other nodes' wake-ups.
    pub fn are_heard(&self) -> bool {
        self.state.is_connected.load(Ordering::Relaxed)
    }

    /// Wakes the subscribers of these accounts and matches, on all nodes, after a commit.
    pub fn wake(&self, ids: &[Uuid]) {
        // A node that starts now reads the tables after it has sent its greeting.
        let is_single_node = self.state.is_single_node.load(Ordering::Relaxed);
        for id in ids {
            self.subscribers.wake(*id);
            if !is_single_node {
                // This never waits: ids without room are dropped.
                let _ = self.outgoing.try_send(*id);
            }
        }
    }

    /// Subscribes to an account or a match: news from now on wakes the subscriber.
    pub fn subscribe(&self, id: Uuid) -> Subscription {
        let receiver = self.subscribers.lock().entry(id).or_insert_with(|| watch::Sender::new(())).subscribe();
        Subscription { id, receiver, subscribers: self.subscribers.clone() }
    }
}

pub struct Subscription {
    id: Uuid,
    receiver: watch::Receiver<()>,
    subscribers: Subscribers,
}

impl Subscription {
    /// Returns once there was a wake-up since the last time.
    pub async fn woken(&mut self) {
        if self.receiver.changed().await.is_err() {
            // The sender lives as long as there is a subscription, so this can't happen.
            std::future::pending::<()>().await;
        }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        let mut subscribers = self.subscribers.lock();
        if subscribers.get(&self.id).is_some_and(|subscriber| subscriber.receiver_count() <= 1) {
            subscribers.remove(&self.id);
        }
    }
}

/// The subscribers of this node, by account or match.
#[derive(Clone, Default)]
struct Subscribers(Arc<Mutex<HashMap<Uuid, watch::Sender<()>>>>);

impl Subscribers {
    fn lock(&self) -> MutexGuard<'_, HashMap<Uuid, watch::Sender<()>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wake(&self, id: Uuid) {
        if let Some(subscriber) = self.lock().get(&id) {
            subscriber.send_replace(());
        }
    }

    /// The accounts and matches with subscribers.
    fn ids(&self) -> Vec<Uuid> {
        self.lock().keys().copied().filter(|id| *id > bell(u8::MAX)).collect()
    }
}

/// The task that sends and receives wake-ups.
struct WakeupWorker {
    db: Db,
    subscribers: Subscribers,
    queue: mpsc::Receiver<Uuid>,
    state: Arc<State>,
    /// The newest event number of each subscribed account at the last poll.
    last_seen: HashMap<Uuid, i64>,
}

impl WakeupWorker {
    async fn run(mut self) {
        let mut polls = tokio::time::interval(POLL_EVERY);
        polls.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let (mut pause, mut has_warned) = (RECONNECT_AFTER, false);
        loop {
            let error = match NotifyConnection::open(&self.db).await {
                Ok(connection) => {
                    if std::mem::take(&mut has_warned) {
                        tracing::info!("wake-ups between the nodes are sent again");
                    }
                    pause = RECONNECT_AFTER;
                    // The first poll finds news missed while the connection was down.
                    polls.reset_immediately();
                    self.state.is_connected.store(true, Ordering::Relaxed);
                    let relayed = self.relay(connection, &mut polls).await;
                    self.state.is_connected.store(false, Ordering::Relaxed);
                    match relayed {
                        Ok(()) => return,
                        Err(error) => error,
                    }
                }
                Err(error) => error,
            };
            if !std::mem::replace(&mut has_warned, true) {
                let cause = error.cause().map(tracing::field::display);
                tracing::warn!(%error, cause, "no wake-ups between the nodes: what others write is heard of two seconds late");
            }
            if self.poll_for(pause, &mut polls).await.is_break() {
                return;
            }
            pause = (pause * 2).min(RECONNECT_AFTER_AT_MOST);
        }
    }

    /// Works without a connection for this long. Breaks when the last [`Wakeups`] is dropped.
    async fn poll_for(&mut self, pause: Duration, polls: &mut Interval) -> ControlFlow<()> {
        let mut over = std::pin::pin!(tokio::time::sleep(pause));
        loop {
            tokio::select! {
                () = &mut over => return ControlFlow::Continue(()),
                // It can't be sent; polling makes up for it.
                waiting = self.queue.recv() => if waiting.is_none() { return ControlFlow::Break(()) },
                _ = polls.tick() => self.poll_or_log().await,
            }
        }
    }

    /// Sends and receives wake-ups until the connection breaks (an error) or the last [`Wakeups`] is dropped.
    async fn relay(&mut self, mut connection: NotifyConnection, polls: &mut Interval) -> Result<()> {
        let mut ids = Vec::new();
        self.state.is_single_node.store(false, Ordering::Relaxed);
        // Nodes already running receive the greeting; one that starts now is seen, or sends its own.
        connection.send_greeting().await?;
        let mut looks = tokio::time::interval(LOOK_FOR_OTHERS_EVERY);
        looks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                received = connection.receive() => {
                    received?.into_iter().for_each(|id| self.subscribers.wake(id));
                    self.state.is_single_node.store(false, Ordering::Relaxed);
                }
                first = self.queue.recv() => {
                    let Some(first) = first else { return Ok(()) };
                    tokio::time::sleep(BATCH_FOR).await;
                    ids.push(first);
                    while let Ok(id) = self.queue.try_recv() {
                        ids.push(id);
                    }
                    let different: HashSet<Uuid> = ids.drain(..).collect();
                    connection.send(&different.into_iter().collect::<Vec<_>>()).await?;
                }
                _ = looks.tick() => {
                    let is_single = !connection.sees_others().await?;
                    self.state.is_single_node.store(is_single, Ordering::Relaxed);
                }
                _ = polls.tick() => self.poll_or_log().await,
            }
        }
    }

    async fn poll_or_log(&mut self) {
        if let Err(error) = self.poll().await {
            tracing::debug!(%error, "polling for lost wake-ups failed");
        }
    }

    /// Wakes the subscribers of every account whose log has grown since the last poll. (Those of matches poll by
    /// themselves.)
    async fn poll(&mut self) -> Result<()> {
        let mut found = HashMap::new();
        for ids in self.subscribers.ids().chunks(POLL_BATCH) {
            let mut conn = self.db.conn().await?;
            found.extend(store::newest_numbers(&mut conn, ids).await?);
        }
        for (id, number) in &found {
            if self.last_seen.get(id) != Some(number) {
                self.subscribers.wake(*id);
            }
        }
        self.last_seen = found;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wakeups() -> (Wakeups, mpsc::Receiver<Uuid>) {
        let (outgoing, queue) = mpsc::channel(2);
        (Wakeups { subscribers: Subscribers::default(), outgoing, state: Arc::default() }, queue)
    }

    #[tokio::test]
    async fn a_wake_up_is_remembered_and_a_subscription_ends_with_its_last_subscriber() {
        let (wakeups, mut queue) = wakeups();
        let id = Uuid::from_u128(1007);
        let (mut one, mut two) = (wakeups.subscribe(id), wakeups.subscribe(id));
        wakeups.wake(&[id, Uuid::from_u128(8)]);
        one.woken().await;
        two.woken().await;
        assert!(tokio::time::timeout(Duration::from_millis(20), one.woken()).await.is_err());
        assert_eq!((queue.recv().await, queue.recv().await), (Some(id), Some(Uuid::from_u128(8))));
        // A single node wakes its own subscribers, and sends nothing.
        wakeups.state.is_single_node.store(true, Ordering::Relaxed);
        wakeups.wake(&[id]);
        one.woken().await;
        assert!(queue.try_recv().is_err());
        drop(one);
        assert_eq!(wakeups.subscribers.ids(), [id]);
        drop(two);
        let _rung = wakeups.subscribe(bell(u8::MAX));
        assert!(wakeups.subscribers.ids().is_empty());
    }

    #[tokio::test]
    async fn a_broken_connection_queues_a_bounded_number_and_local_subscribers_are_woken_all_the_same() {
        let (wakeups, queue) = wakeups();
        let ids: Vec<Uuid> = (1..=5).map(Uuid::from_u128).collect();
        let mut last = wakeups.subscribe(ids[4]);
        wakeups.wake(&ids);
        last.woken().await;
        assert_eq!(queue.len(), 2);
    }
}
