//! The positions of a ladder, 1 to n without gaps, and their only change: a member moves from one position to another,
//! and those between move by one. A ladder's log has only such steps, so folding it from its beginning gives the
//! ranking at any time.

/// The ranking of a ladder. `Id` names members.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Positions<Id>(Vec<Id>);

/// A member's change of position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step<Id> {
    /// The moving member.
    pub account: Id,
    /// The position before, from 1; `None`: the member joins the ladder.
    pub from: Option<u32>,
    /// The position after, from 1; `None`: the member leaves the ladder.
    pub to: Option<u32>,
}

impl<Id> Step<Id> {
    /// The shift of other members, and its first and last position: it affects everybody at these positions before the
    /// step, except the moving member.
    pub fn shift(&self) -> Option<(i32, u32, u32)> {
        match (self.from, self.to) {
            (Some(from), Some(to)) if to < from => Some((1, to, from - 1)),
            (Some(from), Some(to)) if to > from => Some((-1, from + 1, to)),
            (Some(from), None) => Some((-1, from + 1, u32::MAX)),
            (None, Some(to)) => Some((1, to, u32::MAX)),
            _ => None,
        }
    }

    /// Another member's position after the step, given the one before.
    pub fn moved(&self, place: u32) -> u32 {
        match self.shift() {
            Some((by, first, last)) if (first..=last).contains(&place) => place.saturating_add_signed(by),
            _ => place,
        }
    }
}

/// The fault of a step that doesn't follow from the positions before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InvalidStep {
    /// The member isn't at the step's start.
    WrongStart,
    /// The target position doesn't exist.
    NoSuchPosition,
}

impl<Id> Default for Positions<Id> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<Id: Copy + Eq> Positions<Id> {
    /// The number of members.
    pub fn count(&self) -> u32 {
        u32::try_from(self.0.len()).unwrap_or(u32::MAX)
    }

    /// All members, position 1 first.
    pub fn all(&self) -> &[Id] {
        &self.0
    }

    /// The member at a position, from 1.
    pub fn at(&self, place: u32) -> Option<Id> {
        self.0.get(place.checked_sub(1)? as usize).copied()
    }

    /// The position of a member, from 1; `None`: they are not on the ladder.
    pub fn of(&self, account: Id) -> Option<u32> {
        let index = self.0.iter().position(|other| *other == account)?;
        u32::try_from(index + 1).ok()
    }

    /// Makes a step; an invalid one changes nothing.
    pub fn take(&mut self, step: &Step<Id>) -> Result<(), InvalidStep> {
        if self.of(step.account) != step.from || (step.from.is_none() && step.to.is_none()) {
            return Err(InvalidStep::WrongStart);
        }
        let last = self.count() + u32::from(step.from.is_none());
        if step.to.is_some_and(|to| !(1..=last).contains(&to)) {
            return Err(InvalidStep::NoSuchPosition);
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
