//! The places of a ladder, 1 to n without gaps, and the one way in which they change: somebody comes from a place to another, and those between
//! make room by one place each.
//!
//! A ladder's log holds nothing but such steps, so whoever folds it from its beginning has the standing at any time.

use crate::ids::AccountId;

/// Who stands where: place 1 first.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Places(Vec<AccountId>);

/// Somebody has changed his place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// Who.
    pub account: AccountId,
    /// Where he stood; none: he has come to the ladder.
    pub from: Option<u32>,
    /// Where he stands now; none: he has left it.
    pub to: Option<u32>,
}

impl Step {
    /// By how much the places between change, and which those are (both ends included): of everybody who stands there before the step, but for the one who makes it.
    pub fn shift(&self) -> Option<(i32, u32, u32)> {
        match (self.from, self.to) {
            (Some(from), Some(to)) if to < from => Some((1, to, from - 1)),
            (Some(from), Some(to)) if to > from => Some((-1, from + 1, to)),
            (Some(from), None) => Some((-1, from + 1, u32::MAX)),
            (None, Some(to)) => Some((1, to, u32::MAX)),
            _ => None,
        }
    }

    /// The place of somebody else, after the step.
    pub fn moved(&self, place: u32) -> u32 {
        match self.shift() {
            Some((by, first, last)) if (first..=last).contains(&place) => place.saturating_add_signed(by),
            _ => place,
        }
    }
}

/// Why a step can't be made: it doesn't follow from what was before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Misstep {
    /// Its account doesn't stand where it says.
    NotThere,
    /// There is no such place to come to.
    NoSuchPlace,
}

impl Places {
    /// How many there are.
    pub fn count(&self) -> u32 {
        u32::try_from(self.0.len()).unwrap_or(u32::MAX)
    }

    /// Everybody, place 1 first.
    pub fn all(&self) -> &[AccountId] {
        &self.0
    }

    /// Who stands at a place.
    pub fn at(&self, place: u32) -> Option<AccountId> {
        self.0.get(place.checked_sub(1)? as usize).copied()
    }

    /// Where somebody stands.
    pub fn of(&self, account: AccountId) -> Option<u32> {
        let index = self.0.iter().position(|other| *other == account)?;
        u32::try_from(index + 1).ok()
    }

    /// Makes a step, or says why it doesn't follow, and changes nothing.
    pub fn take(&mut self, step: &Step) -> Result<(), Misstep> {
        if self.of(step.account) != step.from || (step.from.is_none() && step.to.is_none()) {
            return Err(Misstep::NotThere);
        }
        let most = self.count() + u32::from(step.from.is_none());
        if step.to.is_some_and(|to| !(1..=most).contains(&to)) {
            return Err(Misstep::NoSuchPlace);
        }
        if let Some(from) = step.from {
            self.0.remove(from as usize - 1);
        }
        if let Some(to) = step.to {
            self.0.insert(to as usize - 1, step.account);
        }
        Ok(())
    }
}
