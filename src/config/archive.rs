//! Settings of the archive, and `broadside archive …`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::Database;
use crate::archive::{Archive, ArchiveSettings, ArchiveUrl};
use crate::ids::MatchId;

/// Prefix of the environment variables for S3 and compatible services.
const AWS: &str = "AWS_";

/// Where the logs of matches are that were over long ago.
#[derive(Args, Debug, Clone)]
pub struct ArchiveAddress {
    /// Where the logs of matches go that were over long ago: a folder, file:///srv/archive, or a bucket,
    /// s3://bucket/prefix, which is reached with the usual AWS_ variables (AWS_REGION, AWS_ACCESS_KEY_ID,
    /// AWS_SECRET_ACCESS_KEY, AWS_ENDPOINT, …) [default: they stay in the database]
    #[arg(long = "archive", env = "BROADSIDE_ARCHIVE", value_name = "URL")]
    pub url: Option<ArchiveUrl>,
    /// For how many days a match has to be over before its log goes there
    #[arg(long = "archive-after-days", env = "BROADSIDE_ARCHIVE_AFTER_DAYS", value_name = "DAYS", default_value_t = 90, value_parser = clap::value_parser!(u16).range(1..=36_500))]
    pub after_days: u16,
}

impl ArchiveAddress {
    /// Opens the archive, if one is configured, without reading from it.
    ///
    /// # Errors
    /// A sentence for the operator if a setting is wrong.
    #[expect(clippy::disallowed_methods, reason = "settings are read here; these have names that others have given")]
    pub fn open(&self) -> Result<Option<Archive>, String> {
        let Some(url) = self.url.clone() else { return Ok(None) };
        let text = |name: std::ffi::OsString, value: std::ffi::OsString| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        };
        let all = std::env::vars_os().filter_map(|(name, value)| text(name, value));
        let aws = all.filter(|(name, _)| name.starts_with(AWS)).map(|(name, value)| (name.to_lowercase(), value));
        Archive::open(&ArchiveSettings { url, aws: aws.collect(), after_days: self.after_days }).map(Some)
    }
}

/// What an operator does about the archive.
#[derive(Subcommand, Debug)]
pub enum Archiving {
    /// How many matches and bytes are where, how old they are, and whether the archive answers
    Status {
        /// The database.
        #[command(flatten)]
        database: Database,
        /// The archive.
        #[command(flatten)]
        archive: ArchiveAddress,
    },
    /// Move the logs of all matches that are due, at once; a service does it bit by bit
    Run {
        /// The database.
        #[command(flatten)]
        database: Database,
        /// The archive.
        #[command(flatten)]
        archive: ArchiveAddress,
    },
    /// Read every object, and check its hash, its signature and the locations of its matches; the exit status is 1 when
    /// one is not as it was written
    Verify {
        /// The database.
        #[command(flatten)]
        database: Database,
        /// The archive.
        #[command(flatten)]
        archive: ArchiveAddress,
        /// Check only this file, an object that was copied, against its own signature; without a database
        #[arg(long, value_name = "FILE")]
        file: Option<PathBuf>,
    },
    /// Put the log of a match back into the database, where it stays for as long as those of matches that are just over
    Restore {
        /// The database.
        #[command(flatten)]
        database: Database,
        /// The archive.
        #[command(flatten)]
        archive: ArchiveAddress,
        /// The match
        #[arg(value_name = "MATCH")]
        id: MatchId,
    },
}
