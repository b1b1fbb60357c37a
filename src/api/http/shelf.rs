//! Answers that are the same for everybody and change only with the version of the service: the contract, its
//! documentation, the variants' cards. Each is made and compressed once, in the pool, at its first request.

use std::hash::Hash;
use std::sync::Arc;

use quick_cache::sync::Cache;

use crate::document::Document;
use crate::error::Result;
use crate::work_pool::{Lane, WorkPool};

/// Documents by name.
pub struct Shelf<K> {
    kept: Cache<K, Arc<Document>>,
}

impl<K: Hash + Eq + Clone> Shelf<K> {
    /// A shelf for at most `most` documents.
    pub fn new(most: usize) -> Self {
        Self { kept: Cache::new(most) }
    }

    /// The document, if it has been made.
    pub fn find(&self, name: &K) -> Option<Arc<Document>> {
        self.kept.get(name)
    }

    /// Keeps a document that was made elsewhere.
    pub fn put(&self, name: K, document: Document) {
        self.kept.insert(name, Arc::new(document));
    }

    /// The document, made by `make` at the first request.
    pub async fn get(
        &self,
        pool: &WorkPool,
        name: K,
        make: impl FnOnce() -> Result<Document> + Send + 'static,
    ) -> Result<Arc<Document>> {
        self.kept.get_or_insert_async(&name, async { Ok(Arc::new(pool.run(Lane::Heavy, make).await??)) }).await
    }
}
