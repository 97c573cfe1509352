//! The effect of an edit of a rotation on duty. Writes and their previews call the same, so a preview shows what happens.

use super::{Change, DealingContext, WindowChange};
use crate::domain::rotation::{Reason, Rotation};
use jiff::Timestamp;

/// An edit of a rotation at one instant.
#[derive(Clone, Copy)]
pub struct Edit<'a> {
    /// The rotation as it was before.
    pub before: &'a Rotation,
    pub dealing: DealingContext<'a>,
    /// Not before the rotation was last judged.
    pub at: Timestamp,
    pub window_change: WindowChange,
}

impl Edit<'_> {
    /// Applies the edit to the people on duty, then deals the empty slots if dealing has other inputs than before.
    pub fn redeal(self, rotation: &mut Rotation, act: impl FnOnce(&mut Change)) {
        let concerned = !rotation.deals_like(self.before);
        let mut change = Change::begin(rotation, self.dealing, self.at, self.window_change);
        act(&mut change);
        if change.rotation.absence_policy != self.before.absence_policy {
            change.follow_policy(self.before);
        }
        if concerned {
            change.fill(Reason::CoverageChanged);
        }
        change.finish();
    }

    /// Applies a changed membership: next turns keep pointing at the same people, removed people come off duty, and empty slots
    /// are dealt if the change concerns dealing.
    pub fn follow_members(self, rotation: &mut Rotation) {
        rotation.follow(self.before);
        self.redeal(rotation, |change| change.clear_leavers());
    }
}
