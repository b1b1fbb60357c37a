//! Account texts in events, which are erased from others' logs when their author deletes the account.

use serde::Serialize;

use crate::ids::AccountId;

/// A text written by one account in another's event. It is erased when its author deletes the account.
#[derive(Clone, Debug)]
pub struct Words {
    /// Not shown.
    pub author: AccountId,
    /// `None`: nothing was written.
    pub text: Option<String>,
}

impl Serialize for Words {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.text.serialize(serializer)
    }
}

/// A field of an event. For the type [`Words`], the inherent method takes precedence over that of the trait.
pub(super) struct Probe<'a, T>(pub(super) &'a T);

impl<'a> Probe<'a, Words> {
    pub(super) fn words(&self) -> Option<&'a Words> {
        Some(self.0)
    }
}

pub(super) trait WithoutWords<'a> {
    fn words(&self) -> Option<&'a Words> {
        None
    }
}

impl<T> WithoutWords<'_> for Probe<'_, T> {}
