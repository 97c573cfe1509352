//! Partners that hang.

use crate::domain::external::{Link, retry_after};
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeMap;

/// The time-outs of a partner that hangs. Each time-out costs ten seconds, so one ends the round: with a hundred schedules the
/// others would otherwise be asked for a quarter of an hour.
#[derive(Default)]
pub(super) struct Hanging {
    /// Rounds since the last answer that a time-out ended.
    rounds: u32,
    until: Option<Timestamp>,
    /// The schedules whose last reading timed out, and when. They are read last, so that one that is too large to be answered
    /// in time does not keep the others from being read.
    slow: BTreeMap<Link, Timestamp>,
}

impl Hanging {
    /// No round before this instant, unless somebody asks for one.
    pub(super) fn until(&self) -> Timestamp {
        self.until.unwrap_or(Timestamp::MIN)
    }

    /// A key that orders schedules: those first that did not time out, then those whose time-out is longest ago.
    pub(super) fn slowness(&self, link: &Link) -> Option<Timestamp> {
        self.slow.get(link).copied()
    }

    /// The partner answered, be it with a failure.
    pub(super) fn answered(&mut self, link: &Link) {
        self.rounds = 0;
        self.until = None;
        self.slow.remove(link);
    }

    /// A time-out ended a round.
    pub(super) fn timed_out(&mut self, link: &Link, now: Timestamp, poll_every: SignedDuration) {
        self.rounds = self.rounds.saturating_add(1);
        self.until = now.checked_add(retry_after(self.rounds, poll_every)).ok();
        self.slow.insert(link.clone(), now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::partner::Partner;

    fn link(schedule: &str) -> Link {
        Link {
            partner: Partner::Ops,
            schedule: schedule.to_owned(),
        }
    }

    fn second(at: i64) -> Timestamp {
        Timestamp::from_second(at).expect("an instant")
    }

    #[test]
    fn rounds_that_time_out_are_further_and_further_apart() {
        let poll_every = SignedDuration::from_secs(60);
        let mut hanging = Hanging::default();
        assert_eq!(hanging.until(), Timestamp::MIN);
        for (at, until) in [(0, 5), (15, 30), (40, 100), (110, 170)] {
            hanging.timed_out(&link("A"), second(at), poll_every);
            assert_eq!(hanging.until(), second(until), "{at}");
        }
        hanging.answered(&link("B"));
        assert_eq!(hanging.until(), Timestamp::MIN);
        hanging.timed_out(&link("A"), second(200), poll_every);
        assert_eq!(hanging.until(), second(205));
    }

    #[test]
    fn slow_schedules_come_last_and_take_turns() {
        let poll_every = SignedDuration::from_secs(60);
        let mut hanging = Hanging::default();
        hanging.timed_out(&link("A"), second(10), poll_every);
        hanging.timed_out(&link("B"), second(20), poll_every);
        let order = |hanging: &Hanging| {
            let mut all = ["A", "B", "C"];
            all.sort_by_key(|id| hanging.slowness(&link(id)));
            all
        };
        assert_eq!(order(&hanging), ["C", "A", "B"]);
        hanging.timed_out(&link("A"), second(30), poll_every);
        assert_eq!(order(&hanging), ["C", "B", "A"]);
        hanging.answered(&link("A"));
        assert_eq!(order(&hanging), ["A", "C", "B"]);
    }
}
