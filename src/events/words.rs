//! Words of people in events: they are erased from the logs of others when their author deletes the account.

use serde::Serialize;

use crate::ids::AccountId;

/// What an account has written, in an event of another one. It is erased when its author deletes the account.
#[derive(Clone, Debug)]
pub struct Words {
    /// The author, who is not shown.
    pub author: AccountId,
    /// The text; `None`: nothing was written.
    pub text: Option<String>,
}

impl Serialize for Words {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.text.serialize(serializer)
    }
}

/// A field of an event. The method of the type [`Words`] is found before that of the trait.
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
