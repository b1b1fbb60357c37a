//! The record of a match, which anyone can keep, pass on, and verify without this server.
//!
//! The rules crate makes and verifies it (`broadside_rules::record`); this module supplies its log and its signature.

use std::sync::Arc;

use broadside_rules::record::{self, Record};
use broadside_rules::{Entry, Viewer};

use super::access::Access;
use super::documents::MatchDocument;
use super::keys::RecordKey;
use super::match_state::{MatchSnapshot, MatchState, entry};
use super::{MatchTerms, StoredMatch};
use crate::document::Document;
use crate::epoch::Epoch;
use crate::error::{Error, Result};
use crate::ids::{AccountId, MatchId};
use crate::matches::Matches;
use crate::work_pool::Lane;

/// The input of a record, for one viewer.
pub struct RecordSource<'a> {
    terms: &'a MatchTerms,
    entries: &'a [Entry],
    viewer: Viewer,
    key: &'a RecordKey,
}

impl RecordSource<'_> {
    /// The signed record of the viewer's knowledge.
    pub fn record(&self) -> Record {
        let terms = self.terms;
        let key = self.key.public_bytes();
        let sign = |message: &[u8]| self.key.sign(message);
        record::assemble(
            terms.record_format,
            &terms.header(),
            &terms.setup,
            self.entries,
            &terms.chance_seed,
            self.viewer,
            &key,
            sign,
        )
    }

    /// The match in words, a line per turn, from the viewer's reports. It has the players' names, so it changes when
    /// one of them deletes the account.
    pub fn text(&self) -> String {
        let names: Vec<&str> = self.terms.first_players().map(|player| player.username.as_str()).collect();
        self.text_with(&names)
    }

    /// [`Self::text`] without names: the players are numbered by seat.
    pub fn nameless_text(&self) -> String {
        let names: Vec<String> = (1..=self.terms.players.len()).map(|seat| format!("Player {seat}")).collect();
        self.text_with(&names.iter().map(String::as_str).collect::<Vec<_>>())
    }

    fn text_with(&self, names: &[&str]) -> String {
        record::text(&self.terms.header(), &self.terms.setup, self.entries, self.viewer, names)
    }
}

/// Makes the match's record for `account` (or an anonymous viewer). `render` runs in the pool: a long match has
/// thousands of entries to fold and hundreds of kilobytes to hash.
pub async fn read<T: Send + 'static>(
    matches: &Matches,
    id: MatchId,
    account: Option<AccountId>,
    render: impl FnOnce(&MatchSnapshot, &RecordSource<'_>) -> Result<T> + Send + 'static,
) -> Result<T> {
    let epoch = matches.epochs.current();
    let stored = matches.stored(id).await?.ok_or_else(Error::not_found)?;
    made(matches, stored, epoch, account, render).await
}

async fn made<T: Send + 'static>(
    matches: &Matches,
    stored: StoredMatch,
    epoch: Epoch,
    account: Option<AccountId>,
    render: impl FnOnce(&MatchSnapshot, &RecordSource<'_>) -> Result<T> + Send + 'static,
) -> Result<T> {
    let kid = stored.record_key.clone();
    let key = matches.keys.named(&matches.db, matches.clock.now(), &kid).await?;
    let work = move || {
        let bytes = stored.entries.clone();
        let state = MatchState::fold(stored, usize::MAX)?;
        let snapshot = MatchSnapshot::of(Arc::new(state), account, epoch)?;
        let terms = snapshot.terms();
        let entries = bytes.iter().map(|bytes| entry(bytes, terms)).collect::<Result<Vec<_>>>()?;
        render(&snapshot, &RecordSource { terms, entries: &entries, viewer: snapshot.viewer(), key: &key })
    };
    matches.pool.run(Lane::Heavy, work).await?
}

/// The record or the board of a finished match, made once by `render`.
pub async fn of_ended(
    matches: &Matches,
    access: &Access,
    account: Option<AccountId>,
    what: MatchDocument,
    render: impl FnOnce(&MatchSnapshot, &RecordSource<'_>) -> Result<Document> + Send + 'static,
) -> Result<Arc<Document>> {
    let make = async {
        let stored = matches.stored_ended(access).await?;
        made(matches, stored, access.epoch, account, render).await
    };
    matches.documents.document(access, what, make).await
}
