//! A change of a rotation that follows a partner's schedule: nobody is dealt, the schedule says who is on call.

use super::Change;
use crate::domain::external::{External, same_assignments};
use crate::domain::ids::UserId;
use crate::domain::rotation::{Holder, Reason, Rotation};

impl Change<'_> {
    /// Brings the assignments in line with what is known at this instant; a disabled rotation keeps those it has. Where somebody
    /// else is on call then, or the same people by another shift, the only cell has changed.
    pub(super) fn follow_schedule(&mut self) {
        let enabled = self.rotation.enabled;
        let Some(external) = &mut self.rotation.external else {
            return;
        };
        let now = match enabled {
            true => external.at(self.at),
            false => external.resolved(),
        };
        let changed = !same_assignments(&external.current, &now);
        external.current = now;
        let first = external.first();
        let holder = first.and_then(|first| {
            Some(Holder {
                user: first.user.clone()?,
                since: first.shift.span.from,
                skipped: Vec::new(),
                dealt: None,
            })
        });
        self.rotation.cells[0].holder = holder;
        if changed {
            self.touched[0] = Some(Reason::ChangeInExternalSchedule);
        }
    }
}

/// The name of the first person on call, where a partner's schedule has somebody who is unknown here.
pub(super) fn outsider(rotation: &Rotation) -> Option<String> {
    let first = rotation.external.as_ref()?.first()?;
    first.outsider().map(|outsider| outsider.called())
}

/// Everybody on call but the holder of the only cell of a rotation that follows a partner's schedule.
pub(super) fn beside(rotation: &Rotation) -> Vec<UserId> {
    let on_call = rotation.external.as_ref().map(External::on_call);
    let holder = rotation.cells[0].holder.as_ref();
    let mut beside = on_call.unwrap_or_default();
    beside.retain(|user| holder.is_none_or(|holder| holder.user != *user));
    beside
}
