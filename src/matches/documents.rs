//! Answers about finished matches, as bytes: made once, kept in a size-limited cache, and sent unchanged, compressed or
//! not.
//!
//! A finished match has a closed log: its reports, record and board never change. (Its view does: it shows player names
//! and rating effects, which an annulment, an adjudication or a deleted account changes. These are not part of a report
//! or a record. The record in words has player names, so its key includes the edition.) All keys also include the epoch
//! and the length of the log, so that a longer log never gets an old document.

use std::future::Future;
use std::sync::Arc;

use broadside_rules::{Report, Viewer};
use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter};
use serde_json::value::RawValue;

use super::access::Access;
use crate::document::Document;
use crate::epoch::Epoch;
use crate::error::{Error, Result};
use crate::ids::MatchId;

/// A kind of document.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MatchDocument {
    Board,
    Record,
    /// The record in words.
    RecordText,
    /// A page of reports.
    Reports {
        /// The number before the page.
        after: u32,
        /// The maximum number of reports.
        limit: u32,
    },
}

/// All reports of a viewer, in order, each as JSON.
pub type ReportLog = Vec<Box<RawValue>>;

#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    id: MatchId,
    epoch: Epoch,
    seq: u32,
    /// The edition, for documents with player names; else 0.
    edition: u32,
    viewer: Viewer,
    /// `None`: the whole log of reports, from which pages are cut.
    what: Option<MatchDocument>,
}

#[derive(Clone)]
enum Kept {
    Document(Arc<Document>),
    Reports(Arc<ReportLog>),
}

/// Weighs a value by its size in bytes, plus the entry's overhead.
#[derive(Clone)]
struct Size;

impl Weighter<Key, Kept> for Size {
    fn weight(&self, _: &Key, kept: &Kept) -> u64 {
        let bytes = match kept {
            Kept::Document(document) => document.size(),
            Kept::Reports(reports) => reports.iter().map(|report| report.get().len() + 16).sum(),
        };
        u64::try_from(bytes).unwrap_or(u64::MAX).saturating_add(256)
    }
}

/// The document cache of a node.
pub(super) struct Documents {
    kept: Cache<Key, Kept, Size>,
}

/// Few shards, since each has its share of the bytes, and a document must fit into one of them.
const SHARDS: usize = 4;
/// The estimated average size of a document, in bytes.
const USUAL_BYTES: u64 = 64 * 1024;

impl Documents {
    /// Creates a cache of at most `most_bytes`.
    pub(super) fn new(most_bytes: u64) -> Result<Self> {
        let options = OptionsBuilder::new()
            .shards(SHARDS)
            .estimated_items_capacity(usize::try_from(most_bytes / USUAL_BYTES).unwrap_or(usize::MAX).max(64))
            .weight_capacity(most_bytes)
            .build()
            .map_err(Error::internal)?;
        let kept = Cache::with_options(options, Size, DefaultHashBuilder::default(), DefaultLifecycle::default());
        Ok(Self { kept })
    }

    /// The document, made by `make` if it isn't cached; concurrent requests for it wait.
    pub(super) async fn document(
        &self,
        access: &Access,
        what: MatchDocument,
        make: impl Future<Output = Result<Document>>,
    ) -> Result<Arc<Document>> {
        let made = async { Ok::<_, Error>(Kept::Document(Arc::new(make.await?))) };
        match self.kept.get_or_insert_async(&key(access, Some(what)), made).await? {
            Kept::Document(document) => Ok(document),
            Kept::Reports(_) => Err(Error::internal("reports are kept under the name of a document")),
        }
    }

    /// The reports of a finished match, made by `make` if they aren't cached.
    pub(super) async fn reports(
        &self,
        access: &Access,
        make: impl Future<Output = Result<ReportLog>>,
    ) -> Result<Arc<ReportLog>> {
        let made = async { Ok::<_, Error>(Kept::Reports(Arc::new(make.await?))) };
        match self.kept.get_or_insert_async(&key(access, None), made).await? {
            Kept::Reports(reports) => Ok(reports),
            Kept::Document(_) => Err(Error::internal("a document is kept under the name of reports")),
        }
    }
}

fn key(access: &Access, what: Option<MatchDocument>) -> Key {
    let edition = if what == Some(MatchDocument::RecordText) { access.edition } else { 0 };
    Key { id: access.id, epoch: access.epoch, seq: access.seq, edition, viewer: access.viewer, what }
}

pub(super) fn as_json(report: &Report) -> Result<Box<RawValue>> {
    serde_json::value::to_raw_value(report).map_err(Error::internal)
}
