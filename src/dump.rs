//! The monthly dump: the records of all matches that ended in a month with a result, for analysis, for checks of the
//! service, and for training of players.
//!
//! Each record is byte for byte what `GET /v1/matches/{id}/record` gives to a stranger, so a dump discloses nothing,
//! and contains no names. A past month doesn't change any more: two dumps of it are identical.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use broadside_rules::Time;
use flate2::Compression;
use flate2::write::GzEncoder;
use jiff::ToSpan;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use private_postgres::files;
use serde::Serialize;
use serde_json::json;

use crate::error::Error;
use crate::ids::MatchId;
use crate::listed_file::ListedFile;
use crate::matches::{Matches, keys, queries, record};

/// Version of the format.
const FORM: u32 = 1;
/// Match ids read at a time.
const BATCH: i64 = 500;
/// File names: the records, a line of JSON each; the matches in words, with an empty line after each; the signing keys.
const RECORDS: &str = "records.ndjson.gz";
const TEXTS: &str = "texts.txt.gz";
const KEYS: &str = "keys.json";
/// Written last: a folder without it is no complete dump.
const MANIFEST: &str = "manifest.json";

/// A calendar month in UTC.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Month(Date);

impl FromStr for Month {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "must be a month such as 2026-10".to_owned();
        let is_short = text.len() == 7 && text.as_bytes().get(4) == Some(&b'-');
        let first: Date = format!("{text}-01").parse().map_err(|_| wrong())?;
        if is_short { Ok(Self(first)) } else { Err(wrong()) }
    }
}

impl fmt::Display for Month {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}", self.0.year(), self.0.month())
    }
}

impl Month {
    /// Its first moment, and that of the next month.
    fn span(self) -> Result<(Time, Time), String> {
        let moment = |day: Date| day.to_zoned(TimeZone::UTC).map(|zoned| Time(zoned.timestamp().as_millisecond()));
        let both = || Ok::<_, jiff::Error>((moment(self.0)?, moment(self.0.checked_add(1.month())?)?));
        both().map_err(|error| error.to_string())
    }
}

/// The content of a dump.
#[derive(Serialize)]
pub struct Manifest {
    form: u32,
    /// Such as `2026-10`.
    month: String,
    pub matches: u64,
    /// Version of the program that wrote it.
    program: &'static str,
    /// Files by name.
    files: BTreeMap<&'static str, ListedFile>,
}

/// Writes the dump of a month into an empty or missing folder.
///
/// # Errors
/// A sentence for the operator: the month is not over, the folder isn't empty, a file can't be written, or a match
/// can't be read.
pub async fn write(matches: &Matches, month: Month, folder: &Path) -> Result<Manifest, String> {
    let (from, until) = month.span()?;
    if matches.clock.now() < until {
        return Err(format!("{month} is not over: what is dumped must not change any more"));
    }
    if folder.read_dir().is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(format!("{} is not empty: name another folder", folder.display()));
    }
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut output = Output::create(folder)?;
    let (mut after, mut count) = (None, 0);
    loop {
        let ids = queries::finished_in(matches, from, until, after, BATCH).await.map_err(said)?;
        let Some(last) = ids.last() else { break };
        after = Some(*last);
        for id in ids {
            let [record, text] = forms(matches, id).await.map_err(|error| format!("match {id}: {}", said(error)))?;
            output.add(&record, &text)?;
            count += 1;
        }
    }
    output.finish()?;
    let published = keys::published(matches).await.map_err(said)?;
    let set = json!({ "keys": published.iter().map(|key| json!({
        "kty": "OKP", "crv": "Ed25519", "x": key.x, "kid": key.kid, "use": "sig", "alg": "EdDSA", "purpose": "records",
    })).collect::<Vec<_>>() });
    put(&folder.join(KEYS), &set)?;
    let mut files = BTreeMap::new();
    for name in [RECORDS, TEXTS, KEYS] {
        let path = folder.join(name);
        files.insert(name, ListedFile::of(&path).map_err(|error| format!("{}: {error}", path.display()))?);
    }
    let program = env!("CARGO_PKG_VERSION");
    let manifest = Manifest { form: FORM, month: month.to_string(), matches: count, program, files };
    put(&folder.join(MANIFEST), &manifest)?;
    Ok(manifest)
}

/// A match as JSON and in words, as shown to a stranger.
async fn forms(matches: &Matches, id: MatchId) -> Result<[String; 2], Error> {
    record::read(matches, id, None, |_, source| {
        let json = serde_json::to_string(&source.record()).map_err(Error::internal)?;
        Ok([json, source.nameless_text()])
    })
    .await
}

fn put(path: &Path, content: &impl Serialize) -> Result<(), String> {
    let bytes = serde_json::to_vec_pretty(content).map_err(|error| error.to_string())?;
    files::write(path, &bytes).map_err(|error| error.to_string())
}

fn said(error: Error) -> String {
    let cause = error.cause().map(|cause| format!(": {cause}")).unwrap_or_default();
    format!("{error}{cause}")
}

/// The two long files, during writing.
struct Output {
    records: Compressed,
    texts: Compressed,
}

impl Output {
    fn create(folder: &Path) -> Result<Self, String> {
        Ok(Self { records: Compressed::create(folder.join(RECORDS))?, texts: Compressed::create(folder.join(TEXTS))? })
    }

    fn add(&mut self, record: &str, text: &str) -> Result<(), String> {
        self.records.line(record)?;
        self.texts.line(text)
    }

    fn finish(self) -> Result<(), String> {
        self.records.finish()?;
        self.texts.finish()
    }
}

/// A file compressed during writing. Its header has no time, so that equal content gives equal bytes.
struct Compressed {
    path: PathBuf,
    encoder: GzEncoder<BufWriter<File>>,
}

impl Compressed {
    fn create(path: PathBuf) -> Result<Self, String> {
        let file = File::create_new(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Self { path, encoder: GzEncoder::new(BufWriter::new(file), Compression::default()) })
    }

    fn line(&mut self, text: &str) -> Result<(), String> {
        let written = self.encoder.write_all(text.as_bytes()).and_then(|()| self.encoder.write_all(b"\n"));
        written.map_err(|error| format!("{}: {error}", self.path.display()))
    }

    /// Returns once the file is on disk.
    fn finish(self) -> Result<(), String> {
        let finished = self.encoder.finish().and_then(|buffer| buffer.into_inner().map_err(io::Error::from));
        finished.and_then(|file| file.sync_all()).map_err(|error| format!("{}: {error}", self.path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_is_read_and_ends_where_the_next_one_begins() {
        let span = |text: &str| text.parse::<Month>().unwrap().span().unwrap();
        assert_eq!(span("2026-11").1, span("2026-12").0);
        assert_eq!(span("2026-12").1, span("2027-01").0);
        assert_eq!(span("2028-02").1.0 - span("2028-02").0.0, 29 * 86_400_000);
        assert_eq!("2026-02".parse::<Month>().unwrap().to_string(), "2026-02");
        for wrong in ["", "2026", "2026-13", "2026-1", "2026-11-01", "11-2026", "-026-01", "2026_11", "２026-1"] {
            assert!(wrong.parse::<Month>().is_err(), "{wrong}");
        }
    }
}
