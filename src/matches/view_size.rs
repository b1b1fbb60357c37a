//! The size of a match's views.

use std::sync::atomic::{AtomicUsize, Ordering};

/// The size of the longest view since the match was loaded, as JSON, in bytes. It decides where the next one is made:
/// on the request's thread, or in the pool.
#[derive(Default)]
pub struct ViewSize(AtomicUsize);

impl ViewSize {
    /// A view of this size takes some 60 microseconds.
    const QUICK_BYTES: usize = 32 * 1024;

    /// True if views are known to be quick; false before the first one.
    pub fn is_quick(&self) -> bool {
        (1..=Self::QUICK_BYTES).contains(&self.0.load(Ordering::Relaxed))
    }

    /// Records the size of a view.
    pub fn note(&self, bytes: usize) {
        self.0.fetch_max(bytes, Ordering::Relaxed);
    }
}

impl Clone for ViewSize {
    fn clone(&self) -> Self {
        Self(AtomicUsize::new(self.0.load(Ordering::Relaxed)))
    }
}
