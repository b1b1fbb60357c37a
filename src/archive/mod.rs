//! The archive: an object store outside the database (local files, or an S3 service) for the logs of old matches.
//!
//! This module locates and reads objects, with time limits. [`object`] defines their content; `matches::archive`
//! decides which matches are archived, and when.

pub mod object;

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{ClientOptions, ObjectStore, ObjectStoreExt, RetryConfig};
use uuid::Uuid;

use crate::error::{Error, Result};
use object::Location;

/// Time limit for reading a match; a request may be waiting for it.
const READ_WITHIN: Duration = Duration::from_secs(5);
/// Time limit for writing or reading a whole object.
const OBJECT_WITHIN: Duration = Duration::from_secs(60);
/// Time limit for connecting.
const CONNECT_WITHIN: Duration = Duration::from_secs(2);
/// File name extension of objects: compressed lines of JSON.
const ENDING: &str = ".ndjson.gz";

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ArchiveUrl {
    /// `file:///srv/archive`: a folder.
    Folder(PathBuf),
    /// `s3://bucket/prefix`.
    Bucket {
        name: String,
        /// The common prefix of all object names; may be empty.
        prefix: String,
    },
}

impl FromStr for ArchiveUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "must be file:///FOLDER or s3://BUCKET/PREFIX".to_owned();
        if let Some(folder) = text.strip_prefix("file://") {
            let folder = PathBuf::from(folder);
            return if folder.is_absolute() { Ok(Self::Folder(folder)) } else { Err(wrong()) };
        }
        let rest = text.strip_prefix("s3://").ok_or_else(wrong)?;
        let (name, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
        if name.is_empty() || !name.chars().all(is_plain) {
            return Err(wrong());
        }
        Ok(Self::Bucket { name: name.to_owned(), prefix: prefix.trim_matches('/').to_owned() })
    }
}

impl fmt::Display for ArchiveUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(folder) => write!(f, "file://{}", folder.display()),
            Self::Bucket { name, prefix } => write!(f, "s3://{name}/{prefix}"),
        }
    }
}

/// Settings of the archive. (No `Debug`: the options hold secrets.)
#[derive(Clone)]
pub struct ArchiveSettings {
    pub url: ArchiveUrl,
    /// The environment variables that begin with `AWS_`, with names in lower case: region, endpoint, keys.
    pub aws: Vec<(String, String)>,
    /// Days between the end of a match and its archiving.
    pub after_days: u16,
}

pub struct Archive {
    store: Arc<dyn ObjectStore>,
    /// Common prefix of object names.
    prefix: Path,
    /// The folder of the files, if the archive is a folder.
    folder: Option<PathBuf>,
    after_days: u16,
}

impl Archive {
    /// Opens an archive without connecting or reading: an unreachable archive must not keep the service from starting.
    ///
    /// # Errors
    /// A sentence for the operator if a setting is wrong.
    pub fn open(settings: &ArchiveSettings) -> Result<Self, String> {
        let wrong = |error: &dyn fmt::Display| format!("the archive {} can't be used: {error}", settings.url);
        let (store, prefix, folder): (Arc<dyn ObjectStore>, _, _) = match &settings.url {
            ArchiveUrl::Folder(folder) => {
                let prefix = Path::from_absolute_path(folder).map_err(|error| wrong(&error))?;
                (Arc::new(LocalFileSystem::new().with_fsync(true)), prefix, Some(folder.clone()))
            }
            ArchiveUrl::Bucket { name, prefix } => {
                let store = bucket(name, &settings.aws).map_err(|error| wrong(&error))?;
                (Arc::new(store), Path::from(prefix.as_str()), None)
            }
        };
        Ok(Self { store, prefix, folder, after_days: settings.after_days })
    }

    /// Milliseconds between the end of a match and its archiving.
    pub fn after_ms(&self) -> i64 {
        i64::from(self.after_days) * 86_400_000
    }

    /// Writes an object. On return it is stored as durably as the store can; the caller checks that it is complete
    /// ([`Archive::object`]).
    pub async fn write(&self, id: Uuid, bytes: Vec<u8>) -> Result<()> {
        self.is_there().await?;
        within(OBJECT_WITHIN, self.store.put(&self.path(id), bytes.into())).await.map(drop).map_err(unreachable)
    }

    /// A whole object; `None` if it is gone.
    pub async fn object(&self, id: Uuid) -> Result<Option<Bytes>> {
        let path = self.path(id);
        let get = async { self.store.get(&path).await?.bytes().await };
        self.known(within(OBJECT_WITHIN, get).await).await
    }

    /// The raw bytes at a location; `None` if the object is gone.
    pub async fn part(&self, location: &Location) -> Result<Option<Bytes>> {
        let (from, length) = (u64::from(location.offset), u64::from(location.length));
        metrics::counter!("archive_reads_total").increment(1);
        let part = within(READ_WITHIN, self.store.get_range(&self.path(location.object), from..from + length)).await;
        let part = self.known(part).await;
        if !matches!(part, Ok(Some(_))) {
            metrics::counter!("archive_failures_total").increment(1);
        }
        part
    }

    /// Removes an object if it exists.
    pub async fn remove(&self, id: Uuid) -> Result<()> {
        self.is_there().await?;
        let path = self.path(id);
        let remove = async {
            match self.store.delete(&path).await {
                Err(object_store::Error::NotFound { .. }) => Ok(()),
                removed => removed,
            }
        };
        within(OBJECT_WITHIN, remove).await.map_err(unreachable)
    }

    /// All objects. Files with other names are ignored.
    pub async fn objects(&self) -> Result<Vec<Uuid>> {
        self.is_there().await?;
        let mut listed = self.store.list(Some(&self.prefix));
        let mut ids = Vec::new();
        while let Some(found) = listed.next().await {
            let found = found.map_err(unreachable)?;
            let name = found.location.filename().and_then(|name| name.strip_suffix(ENDING));
            ids.extend(name.and_then(|name| Uuid::try_parse(name).ok()));
        }
        Ok(ids)
    }

    /// Fails while the archive is unreachable.
    pub async fn probe(&self) -> Result<()> {
        self.is_there().await?;
        // A list, because reads give the same answer for a missing bucket and a missing object.
        let first = async { self.store.list(Some(&self.prefix)).next().await.transpose() };
        within(READ_WITHIN, first).await.map(drop).map_err(unreachable)
    }

    /// The result of reading an object. If the archive answers but the object is missing, it is gone, and waiting
    /// doesn't help.
    async fn known<T>(&self, read: Result<T, Failure>) -> Result<Option<T>> {
        match read {
            Err(Failure::NotFound(_)) if self.probe().await.is_ok() => Ok(None),
            read => read.map(Some).map_err(unreachable),
        }
    }

    fn path(&self, id: Uuid) -> Path {
        self.prefix.clone().join(format!("{}{ENDING}", id.hyphenated()))
    }

    /// Checks that the folder exists. A missing folder means an unmounted disk: anything written in its place would be
    /// lost.
    async fn is_there(&self) -> Result<()> {
        let Some(folder) = self.folder.clone() else { return Ok(()) };
        let looked = tokio::task::spawn_blocking(move || std::fs::metadata(&folder)).await;
        looked.map_err(Error::internal)?.map(drop).map_err(unreachable)
    }
}

fn bucket(name: &str, aws: &[(String, String)]) -> Result<impl ObjectStore, object_store::Error> {
    // The library has no default provider. Choosing one a second time is a harmless error.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let waits = ClientOptions::new().with_connect_timeout(CONNECT_WITHIN).with_timeout(OBJECT_WITHIN);
    let retry = RetryConfig { max_retries: 2, retry_timeout: READ_WITHIN, ..RetryConfig::default() };
    let mut builder = AmazonS3Builder::new().with_client_options(waits).with_retry(retry).with_bucket_name(name);
    for (key, value) in aws {
        if let Ok(key) = key.parse::<AmazonS3ConfigKey>() {
            builder = builder.with_config(key, value);
        }
    }
    builder.build()
}

/// The reason for a failure of the store.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    NotFound(object_store::Error),
    #[error(transparent)]
    Other(object_store::Error),
    #[error(transparent)]
    Late(#[from] tokio::time::error::Elapsed),
}

async fn within<T>(limit: Duration, work: impl Future<Output = Result<T, object_store::Error>>) -> Result<T, Failure> {
    tokio::time::timeout(limit, work).await?.map_err(|error| match error {
        object_store::Error::NotFound { .. } => Failure::NotFound(error),
        error => Failure::Other(error),
    })
}

/// Retryable: a disk may be mounted again, or a bucket repaired.
fn unreachable(cause: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::archive_unreachable(cause)
}

/// A match is archived, but this process has no archive configured.
pub fn not_configured() -> Error {
    Error::archive_unreachable("a match is in the archive, and --archive doesn't say where that is")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_folder_or_a_bucket() {
        let read = |text: &str| text.parse::<ArchiveUrl>();
        assert_eq!(read("file:///srv/archive"), Ok(ArchiveUrl::Folder("/srv/archive".into())));
        let bucket = |prefix: &str| ArchiveUrl::Bucket { name: "club".to_owned(), prefix: prefix.to_owned() };
        assert_eq!(read("s3://club"), Ok(bucket("")));
        assert_eq!(read("s3://club/matches/old/").map(|url| url.to_string()), Ok("s3://club/matches/old".to_owned()));
        for wrong in ["", "archive", "file://archive", "s3://", "s3:///matches", "s3://a b", "https://club.example"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
