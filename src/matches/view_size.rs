//! How long the views of a match are.

use std::sync::atomic::{AtomicUsize, Ordering};

/// How long the longest view of a match is that was made since the match was loaded, as JSON, in bytes. It says where
/// the next one is made: on the thread that answers, or in the pool.
#[derive(Default)]
pub struct ViewSize(AtomicUsize);

impl ViewSize {
    /// A view of this length is made in some 60 microseconds.
    const QUICK_BYTES: usize = 32 * 1024;

    /// Whether a view is known to be made quickly. Of a match of which none was made yet nobody knows.
    pub fn is_quick(&self) -> bool {
        (1..=Self::QUICK_BYTES).contains(&self.0.load(Ordering::Relaxed))
    }

    /// A view of so many bytes was made.
    pub fn note(&self, bytes: usize) {
        self.0.fetch_max(bytes, Ordering::Relaxed);
    }
}

impl Clone for ViewSize {
    fn clone(&self) -> Self {
        Self(AtomicUsize::new(self.0.load(Ordering::Relaxed)))
    }
}
