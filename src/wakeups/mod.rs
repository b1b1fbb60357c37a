//! Who may have news: bells that wake readers, on this node at once, on the others by a hint.
//!
//! A hint is never the truth: whoever is woken reads the log. After a commit its ids are gathered for some milliseconds and said in one `NOTIFY`, on a connection
//! of its own. A node that hears of no other says nothing. If a hint is lost (its node died between commit and hint, a connection broke), a slow look finds what is new: one short statement a node for
//! all of its readers.

pub(crate) mod store;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use uuid::Uuid;

use crate::db::Db;
use crate::error::Result;
use crate::wakeups::store::Line;

/// How long hints gather before they are said.
const GATHER: Duration = Duration::from_millis(5);
/// How often the log is looked at in case a hint was lost.
const LOOK_AGAIN: Duration = Duration::from_secs(2);
/// How long a broken connection rests before the next attempt.
const REST: Duration = Duration::from_millis(250);
/// A node greets the others with each look. After so many looks without a word from any other it takes itself for the only one.
const ALONE_AFTER: u32 = 3;
/// How many accounts one statement looks at.
const LOOK_AT: usize = 1000;
/// How many ids wait for the line at most. While it is down, or slow, those beyond are not said: the slow look finds what they were about.
const SAID_AT_MOST: usize = 10_000;

/// The bells of a node, and its line to the other nodes.
#[derive(Clone)]
pub struct Wakeups {
    bells: Subscriptions,
    outgoing: mpsc::Sender<Uuid>,
    alone: Arc<AtomicBool>,
}

impl Wakeups {
    /// Opens the line, and keeps it open until the last [`Wakeups`] is dropped.
    pub fn start(db: &Db) -> Self {
        let (outgoing, said) = mpsc::channel(SAID_AT_MOST);
        let (bells, alone) = (Subscriptions::default(), Arc::default());
        tokio::spawn(
            Post { db: db.clone(), bells: bells.clone(), said, alone: Arc::clone(&alone), known: HashMap::new() }
                .work(),
        );
        Self { bells, outgoing, alone }
    }

    /// There is something new for these accounts and matches: it has just been committed.
    pub fn wake(&self, ids: &[Uuid]) {
        // A node that comes up at this moment reads the log after it has said that it is there.
        let alone = self.alone.load(Ordering::Relaxed);
        for id in ids {
            self.bells.wake(*id);
            if !alone {
                // Nobody waits for the line: what has no room there isn't said.
                let _ = self.outgoing.try_send(*id);
            }
        }
    }

    /// The bell of an account or a match. What is new from now on rings it.
    pub fn subscribe(&self, id: Uuid) -> Subscription {
        let rung = self.bells.lock().entry(id).or_insert_with(|| watch::Sender::new(())).subscribe();
        Subscription { id, rung, bells: self.bells.clone() }
    }
}

/// The bell of somebody who waits.
pub struct Subscription {
    id: Uuid,
    rung: watch::Receiver<()>,
    bells: Subscriptions,
}

impl Subscription {
    /// Returns when it has rung since the last time.
    pub async fn woken(&mut self) {
        if self.rung.changed().await.is_err() {
            // The bell hangs as long as somebody listens, so this can't be.
            std::future::pending::<()>().await;
        }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        let mut bells = self.bells.lock();
        if bells.get(&self.id).is_some_and(|bell| bell.receiver_count() <= 1) {
            bells.remove(&self.id);
        }
    }
}

/// A bell for everybody who waits on this node.
#[derive(Clone, Default)]
struct Subscriptions(Arc<Mutex<HashMap<Uuid, watch::Sender<()>>>>);

impl Subscriptions {
    fn lock(&self) -> MutexGuard<'_, HashMap<Uuid, watch::Sender<()>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wake(&self, id: Uuid) {
        if let Some(bell) = self.lock().get(&id) {
            bell.send_replace(());
        }
    }

    fn ids(&self) -> Vec<Uuid> {
        self.lock().keys().copied().collect()
    }
}

/// What keeps the line to the other nodes.
struct Post {
    db: Db,
    bells: Subscriptions,
    said: mpsc::Receiver<Uuid>,
    alone: Arc<AtomicBool>,
    /// How far the logs of this node's readers went at the last look.
    known: HashMap<Uuid, i64>,
}

impl Post {
    async fn work(mut self) {
        loop {
            match Line::open(&self.db).await {
                Ok(line) => match self.serve(line).await {
                    Ok(()) => return,
                    Err(error) => tracing::warn!(%error, "the line between the nodes broke"),
                },
                Err(error) => tracing::warn!(%error, "the line between the nodes can't be opened"),
            }
            tokio::time::sleep(REST).await;
            if self.said.is_closed() && self.said.is_empty() {
                return;
            }
        }
    }

    /// Says and hears hints until the line breaks (an error) or nobody has anything to say any more.
    async fn serve(&mut self, mut line: Line) -> Result<()> {
        // The first tick comes at once: what was said while the line was down is found by looking.
        let mut looks = tokio::time::interval(LOOK_AGAIN);
        looks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut ids = Vec::new();
        let mut silent_for = 0;
        self.alone.store(false, Ordering::Relaxed);
        loop {
            tokio::select! {
                heard = line.hear() => {
                    heard?.into_iter().for_each(|id| self.bells.wake(id));
                    silent_for = 0;
                    self.alone.store(false, Ordering::Relaxed);
                }
                first = self.said.recv() => {
                    let Some(first) = first else { return Ok(()) };
                    tokio::time::sleep(GATHER).await;
                    ids.push(first);
                    while let Ok(id) = self.said.try_recv() {
                        ids.push(id);
                    }
                    let different: HashSet<Uuid> = ids.drain(..).collect();
                    line.say(&different.into_iter().collect::<Vec<_>>()).await?;
                }
                _ = looks.tick() => {
                    line.greet().await?;
                    self.alone.store(silent_for >= ALONE_AFTER, Ordering::Relaxed);
                    silent_for += 1;
                    if let Err(error) = self.look().await {
                        tracing::debug!(%error, "nobody could look whether a hint was lost");
                    }
                }
            }
        }
    }

    /// Rings for every account whose log has grown since the last look. (Who waits for a match looks by himself.)
    async fn look(&mut self) -> Result<()> {
        let mut found = HashMap::new();
        for ids in self.bells.ids().chunks(LOOK_AT) {
            let mut conn = self.db.conn().await?;
            found.extend(store::newest(&mut conn, ids).await?);
        }
        for (id, number) in &found {
            if self.known.get(id) != Some(number) {
                self.bells.wake(*id);
            }
        }
        self.known = found;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hints() -> (Wakeups, mpsc::Receiver<Uuid>) {
        let (outgoing, said) = mpsc::channel(2);
        (Wakeups { bells: Subscriptions::default(), outgoing, alone: Arc::default() }, said)
    }

    #[tokio::test]
    async fn a_bell_remembers_that_it_was_rung_and_goes_with_its_last_listener() {
        let (wakeups, mut said) = hints();
        let id = Uuid::from_u128(7);
        let (mut one, mut two) = (wakeups.subscribe(id), wakeups.subscribe(id));
        wakeups.wake(&[id, Uuid::from_u128(8)]);
        one.woken().await;
        two.woken().await;
        assert!(tokio::time::timeout(Duration::from_millis(20), one.woken()).await.is_err());
        assert_eq!((said.recv().await, said.recv().await), (Some(id), Some(Uuid::from_u128(8))));
        // Alone it rings here, and says nothing.
        wakeups.alone.store(true, Ordering::Relaxed);
        wakeups.wake(&[id]);
        one.woken().await;
        assert!(said.try_recv().is_err());
        drop(one);
        assert_eq!(wakeups.bells.ids(), [id]);
        drop(two);
        assert!(wakeups.bells.ids().is_empty());
    }

    #[tokio::test]
    async fn a_line_that_is_down_keeps_no_more_than_it_has_room_for_and_bells_ring_all_the_same() {
        let (wakeups, said) = hints();
        let ids: Vec<Uuid> = (1..=5).map(Uuid::from_u128).collect();
        let mut last = wakeups.subscribe(ids[4]);
        wakeups.wake(&ids);
        last.woken().await;
        assert_eq!(said.len(), 2);
    }
}
