//! The user groups whose syncs are due, as Slack lists them: one listing serves all of them.

use crate::chat::ListedGroup;
use crate::domain::ids::GroupId;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a listing serves. The syncs that are due follow one another at once.
const FRESH: Duration = Duration::from_secs(5);

#[derive(Default)]
struct State {
    due: Vec<GroupId>,
    /// Of groups that were due when Slack was asked. What was changed before a sync became due is in its listing.
    listed: HashMap<GroupId, ListedGroup>,
    asked_at: Option<Instant>,
}

impl State {
    fn is_fresh(&self, now: Instant) -> bool {
        self.asked_at.is_some_and(|at| now < at + FRESH)
    }
}

/// The members, by the last listing, of the groups that were due then.
#[derive(Default)]
pub(super) struct GroupPeople(Mutex<State>);

impl GroupPeople {
    /// Records which groups are due: the next listing is kept for them.
    pub(super) fn expect(&self, due: Vec<GroupId>) {
        self.state().due = due;
    }

    /// A group, once: whoever asks is about to change it.
    pub(super) fn take(&self, group: &GroupId, now: Instant) -> Option<ListedGroup> {
        let mut state = self.state();
        let found = state.listed.remove(group)?;
        state.is_fresh(now).then_some(found)
    }

    /// Whether there is something to [`take`](GroupPeople::take) of a group.
    pub(super) fn has(&self, group: &GroupId, now: Instant) -> bool {
        let state = self.state();
        state.is_fresh(now) && state.listed.contains_key(group)
    }

    /// Forgets what is known of a group, also by a listing that Slack is being asked for: the group has changed since.
    pub(super) fn forget(&self, group: &GroupId) {
        let mut state = self.state();
        state.listed.remove(group);
        state.due.retain(|due| due != group);
    }

    /// Keeps a listing that Slack was asked for at an instant. Returns one group; `None` if it is not listed.
    pub(super) fn keep(
        &self,
        mut listed: HashMap<GroupId, ListedGroup>,
        asked_at: Instant,
        group: &GroupId,
    ) -> Option<ListedGroup> {
        let found = listed.remove(group);
        let mut state = self.state();
        listed.retain(|group, _| state.due.contains(group));
        state.listed = listed;
        state.asked_at = Some(asked_at);
        found
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::clock::monotonic;

    #[test]
    fn a_listing_serves_each_group_that_is_due_once() {
        let (kept, now) = (GroupPeople::default(), monotonic());
        let id = |id: &str| GroupId::from(id);
        let one = ListedGroup {
            people: vec!["U1".into()],
            is_disabled: Some(false),
            ..ListedGroup::default()
        };
        let ask = || {
            let listed = ["S1", "S2", "S3", "S4"].map(|group| (id(group), one.clone()));
            kept.keep(HashMap::from(listed), now, &id("S1"))
        };
        let one = Some(one.clone());
        kept.expect(vec![id("S1"), id("S2"), id("S3")]);
        assert_eq!(ask(), one);
        for (group, seconds, expected) in [
            ("S1", 0, None),
            ("S2", 4, one),
            ("S2", 4, None),
            ("S3", 5, None),
            // It was not due: somebody may have changed it before it is.
            ("S4", 0, None),
        ] {
            let at = now + Duration::from_secs(seconds);
            assert_eq!(kept.take(&id(group), at), expected, "{group} {seconds}");
        }
        assert_eq!(kept.keep(HashMap::new(), now, &id("S1")), None);
        // What is said of one while Slack lists it, or afterwards, is newer.
        ask();
        assert!(kept.has(&id("S2"), now) && kept.has(&id("S3"), now));
        assert!(!kept.has(&id("S2"), now + FRESH));
        kept.forget(&id("S2"));
        assert!(!kept.has(&id("S2"), now));
        ask();
        assert_eq!(kept.take(&id("S2"), now), None);
        assert!(kept.take(&id("S3"), now).is_some());
    }
}
