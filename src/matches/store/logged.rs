//! Log rows as read: number, running hash and entry in one value.

use crate::matches::log_chain::LogChain;

/// The combined value of a row of `match_log AS l`.
macro_rules! logged {
    () => {
        "int4send(l.seq) || l.chain || l.entry"
    };
}
pub(super) use logged;

/// The length of the number, in bytes.
const NUMBER: usize = 4;

/// A row of a log.
#[derive(Clone)]
pub struct LoggedEntry(Vec<u8>);

impl LoggedEntry {
    pub(super) fn of(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// From 1.
    pub fn number(&self) -> i32 {
        self.0.first_chunk().copied().map_or(0, i32::from_be_bytes)
    }

    /// The running hash of the log up to this entry.
    pub fn chain(&self) -> &[u8] {
        self.0.get(NUMBER..NUMBER + LogChain::LENGTH).unwrap_or_default()
    }

    pub fn entry(&self) -> &[u8] {
        self.0.get(NUMBER + LogChain::LENGTH..).unwrap_or_default()
    }

    /// True if it follows the log of `before` entries with the running hash `chain`, which is updated.
    pub fn follows(&self, before: usize, chain: &mut LogChain) -> bool {
        *chain = chain.with(self.entry());
        i32::try_from(before + 1) == Ok(self.number()) && *chain == *self.chain()
    }
}

/// The entries of a log that is complete and unchanged from 1 to `seq`; otherwise the fault.
pub fn unbroken(rows: Vec<Vec<u8>>, seq: i32, mut chain: LogChain) -> Result<Vec<Vec<u8>>, String> {
    if usize::try_from(seq) != Ok(rows.len()) {
        return Err(format!("the log has {} entries, the head says {seq}", rows.len()));
    }
    let rows = rows.into_iter().map(LoggedEntry::of).enumerate();
    let checked = rows.map(|(before, row)| match row.follows(before, &mut chain) {
        true => Ok(row.entry().to_vec()),
        false => Err(format!("the entry {} of the log is not the one that was written", before + 1)),
    });
    checked.collect()
}
