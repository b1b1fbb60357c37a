//! The manifest of a backup: the list of its files, by which a restore checks that the backup is complete and intact.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use private_postgres::files;
use serde::{Deserialize, Serialize};

use crate::listed_file::ListedFile;

/// File name in the backup folder.
const NAME: &str = "broadside-backup.json";
/// Version of the format.
const FORM: u32 = 1;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    form: u32,
    /// Start of the backup, in UTC.
    pub begun_at: String,
    /// The major version of the cluster's PostgreSQL.
    postgres: i32,
    /// Files by path in the cluster.
    pub files: BTreeMap<String, ListedFile>,
}

impl Manifest {
    pub fn of(copy: &Path, postgres: i32, begun_at: String) -> Result<Self, String> {
        let mut files = BTreeMap::new();
        list(copy, copy, &mut files)?;
        Ok(Self { form: FORM, begun_at, postgres, files })
    }

    /// Total size of the files in bytes.
    pub fn bytes(&self) -> u64 {
        self.files.values().map(|file| file.bytes).sum()
    }

    /// Writes the manifest into the backup folder atomically.
    pub fn write(&self, folder: &Path) -> Result<(), String> {
        let text = serde_json::to_vec_pretty(self).map_err(|error| error.to_string())?;
        files::write(&folder.join(NAME), &text).map_err(|error| error.to_string())
    }

    pub fn read(folder: &Path) -> Result<Self, String> {
        let path = folder.join(NAME);
        let wrong = |error: &dyn std::fmt::Display| {
            format!("{} is no backup that is whole: {}: {error}", folder.display(), path.display())
        };
        let text = fs::read(&path).map_err(|error| wrong(&error))?;
        let manifest: Self = serde_json::from_slice(&text).map_err(|error| wrong(&error))?;
        match manifest.form {
            FORM => Ok(manifest),
            other => Err(wrong(&format!("its form is {other}, and this program knows {FORM}"))),
        }
    }

    /// Checks that `copy` holds exactly these files.
    pub fn check(&self, copy: &Path) -> Result<(), String> {
        let mut there = BTreeMap::new();
        list(copy, copy, &mut there)?;
        let differs = self.files.keys().chain(there.keys()).find(|path| self.files.get(*path) != there.get(*path));
        match differs {
            None => Ok(()),
            Some(path) => Err(format!("the backup is damaged: {path} isn't what was copied; nothing was restored")),
        }
    }
}

fn list(root: &Path, directory: &Path, files: &mut BTreeMap<String, ListedFile>) -> Result<(), String> {
    let failed = |path: &Path, error: io::Error| format!("cannot read {}: {error}", path.display());
    for entry in fs::read_dir(directory).map_err(|error| failed(directory, error))? {
        let path = entry.map_err(|error| failed(directory, error))?.path();
        if path.is_dir() {
            list(root, &path, files)?;
            continue;
        }
        let file = ListedFile::of(&path).map_err(|error| failed(&path, error))?;
        let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
        files.insert(name, file);
    }
    Ok(())
}
