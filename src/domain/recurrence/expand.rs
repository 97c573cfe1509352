//! The instances that the events of a calendar have within a span.

use super::{Times, TooMuch, When, Work};
use crate::domain::time::{FOREVER, Interval};
use jiff::civil::{Date, DateTime};
use jiff::{SignedDuration, Timestamp};
use std::cmp::Reverse;
use std::collections::HashSet;

/// The work that one event may take. A thousand years of days fit.
const WORK_OF_EVENT: u64 = 1_000_000;

/// The work of one instance: its instants in its zone, and looking for it among those that are left out or changed.
const WORK_OF_INSTANCE: u64 = 10;

/// The work of finding the events that belong together, for each of them.
const WORK_OF_GROUPING: u64 = 8;

/// The selection of instances.
#[derive(Clone, Copy, Debug)]
pub struct InstanceQuery {
    /// Instances that meet it are found.
    pub span: Interval,
    /// If there are more than `most`, those nearest to it are.
    pub near: Timestamp,
    pub most: usize,
}

/// An instance of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Instance {
    /// Never empty.
    pub period: Interval,
    /// Which of the events it is of.
    pub event: usize,
}

/// The instances that were found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expansion {
    /// By where they begin.
    pub instances: Vec<Instance>,
    /// Events left out because they took too much work.
    pub failed: usize,
}

/// Finds the instances of events: of those that count, whole, where they meet the span.
///
/// # Errors
/// [`TooMuch`] where the reading ends. An event that takes too much alone is left out and counted.
pub fn expand(
    events: &[Times],
    counts: &dyn Fn(usize) -> bool,
    wanted: InstanceQuery,
    work: &mut Work,
) -> Result<Expansion, TooMuch> {
    let mut out = Expansion::default();
    work.spend(WORK_OF_GROUPING * events.len() as u64)?;
    work.keep(size_of::<usize>() * events.len())?;
    let uid = |at: usize| events[at].uid.as_deref();
    let mut order: Vec<usize> = (0..events.len()).collect();
    order.sort_unstable_by_key(|at| (uid(*at), *at));
    for together in order.chunk_by(|a, b| uid(*a).is_some() && uid(*a) == uid(*b)) {
        let mut own = Vec::new();
        let found = work.part(WORK_OF_EVENT, |work| {
            let group = Group {
                events,
                counts,
                wanted,
                members: Members::new(events, together, work)?,
            };
            group.instances(work, &mut own)
        });
        match found {
            Ok(()) => out.instances.extend(own),
            Err(TooMuch::Part) => out.failed += 1,
            Err(end) => return Err(end),
        }
        if out.instances.len() > 4 * wanted.most {
            keep_nearest(&mut out.instances, wanted);
        }
    }
    keep_nearest(&mut out.instances, wanted);
    out.instances.sort_unstable();
    Ok(out)
}

/// Leaves the nearest, in any order.
fn keep_nearest(instances: &mut Vec<Instance>, wanted: InstanceQuery) {
    if instances.len() <= wanted.most {
        return;
    }
    let distance = |period: Interval| {
        let ahead = period.from.duration_since(wanted.near);
        ahead
            .max(wanted.near.duration_since(period.until))
            .max(SignedDuration::ZERO)
    };
    instances.select_nth_unstable_by_key(wanted.most, |instance| {
        (distance(instance.period), *instance)
    });
    instances.truncate(wanted.most);
}

/// The newest versions of events with one UID.
struct Members {
    events: Vec<usize>,
    changes: Vec<usize>,
}

impl Members {
    fn new(events: &[Times], together: &[usize], work: &mut Work) -> Result<Members, TooMuch> {
        let (mut changes, mut whole): (Vec<usize>, Vec<usize>) = together
            .iter()
            .partition(|at| events[**at].changes().is_some());
        // Several events with one UID and version are the mistake of a program that gave both the same UID: both count.
        let newest = whole.iter().map(|at| events[*at].sequence).max();
        whole.retain(|at| Some(events[*at].sequence) == newest);
        work.spend(WORK_OF_GROUPING * changes.len() as u64)?;
        let key = |at: &usize| {
            let changes = events[*at].changes();
            changes.map(|changes| (changes.instance.civil, changes.instance.instant()))
        };
        // The last one of equal versions stands in the feed where a program appended it.
        changes.sort_by_cached_key(|at| (key(at), Reverse((events[*at].sequence, *at))));
        changes.dedup_by_key(|at| key(at));
        Ok(Members {
            events: whole,
            changes,
        })
    }
}

/// Takes where an instance begins, and its end where it has its own.
type Visit<'v> = &'v mut dyn FnMut(When, Option<When>, &mut Work) -> Result<(), TooMuch>;

struct Group<'a> {
    events: &'a [Times],
    counts: &'a dyn Fn(usize) -> bool,
    wanted: InstanceQuery,
    members: Members,
}

/// Instances by where they begin.
#[derive(Default)]
struct InstanceNames {
    instants: HashSet<Timestamp>,
    days: HashSet<Date>,
}

impl InstanceNames {
    fn new<'a>(names: impl Iterator<Item = &'a When>, event: &When) -> InstanceNames {
        let mut named = InstanceNames::default();
        for name in names {
            match event.whole_day || name.whole_day {
                true => {
                    named.days.insert(name.civil.date());
                }
                false => named.instants.extend(name.instant()),
            }
        }
        named
    }

    fn has(&self, start: &When, at: Timestamp) -> bool {
        self.instants.contains(&at) || self.days.contains(&start.civil.date())
    }
}

impl Group<'_> {
    fn instances(&self, work: &mut Work, out: &mut Vec<Instance>) -> Result<(), TooMuch> {
        for &event in &self.members.events {
            self.recurring(event, work, out)?;
        }
        for &change in &self.members.changes {
            work.spend(WORK_OF_INSTANCE)?;
            let times = &self.events[change];
            self.add(change, &times.start, Some(times.end.clone()), out);
        }
        Ok(())
    }

    /// The instances of an event that are not changed one by one.
    fn recurring(
        &self,
        event: usize,
        work: &mut Work,
        out: &mut Vec<Instance>,
    ) -> Result<(), TooMuch> {
        let times = &self.events[event];
        let named = self.members.changes.len() + times.except().len();
        work.spend(WORK_OF_INSTANCE * named as u64)?;
        let changing = self.members.changes.iter().copied();
        let mut onwards: Vec<(Timestamp, usize)> = changing
            .clone()
            .filter_map(|at| {
                let changes = self.events[at].changes()?;
                Some((changes.onwards.then(|| changes.instance.instant())??, at))
            })
            .collect();
        onwards.sort();
        if !(self.counts)(event) && onwards.iter().all(|(_, at)| !(self.counts)(*at)) {
            return Ok(());
        }
        let changed = changing.filter_map(|at| Some(&self.events[at].changes()?.instance));
        let changed = InstanceNames::new(changed, &times.start);
        let except = InstanceNames::new(times.except().iter(), &times.start);
        let mut seen = HashSet::new();
        self.starts(times, &onwards, work, &mut |start, end, work| {
            work.spend(WORK_OF_INSTANCE)?;
            let Some(at) = start.instant() else {
                return Ok(());
            };
            if except.has(&start, at) || changed.has(&start, at) || !seen.insert(at) {
                return Ok(());
            }
            let before = onwards.partition_point(|(from, _)| *from <= at);
            match before.checked_sub(1).map(|last| onwards[last].1) {
                None => {
                    let end = end.or_else(|| end_of(times, &start));
                    self.add(event, &start, end, out);
                }
                Some(change) => {
                    if let Some(start) = shifted(&self.events[change], &start, at) {
                        let end = end_of(&self.events[change], &start);
                        self.add(change, &start, end, out);
                    }
                }
            }
            Ok(())
        })
    }

    /// Visits where the instances of an event begin that may meet the span, and their ends where they have their own.
    fn starts(
        &self,
        times: &Times,
        onwards: &[(Timestamp, usize)],
        work: &mut Work,
        visit: Visit,
    ) -> Result<(), TooMuch> {
        // The farthest that an instance reaches from where its rule has it.
        let reach = |times: &Times| {
            let length = distance(times.start.instant(), times.end.instant());
            let instance = times
                .changes()
                .and_then(|changes| changes.instance.instant());
            let shift = instance.map_or(SignedDuration::ZERO, |at| {
                distance(Some(at), times.start.instant())
            });
            length.saturating_add(shift)
        };
        let far = onwards.iter().map(|(_, at)| reach(&self.events[*at]));
        let far = far.max().unwrap_or_default().max(reach(times));
        let far = far.saturating_add(SignedDuration::from_hours(48));
        let zone = &times.start.zone;
        let from = zone
            .local(self.wanted.span.from)
            .checked_sub(far)
            .unwrap_or(DateTime::MIN);
        let until = zone
            .local(self.wanted.span.until)
            .checked_add(far)
            .unwrap_or(DateTime::MAX);
        // Instances with an end of their own come first: of two that begin together that one counts.
        for extra in times.also() {
            visit(extra.start.clone(), extra.end.clone(), work)?;
        }
        visit(times.start.clone(), None, work)?;
        for rule in times.rules() {
            rule.each(&times.start, (from, until), work, &mut |civil, work| {
                let start = When {
                    civil,
                    ..times.start.clone()
                };
                visit(start, None, work)
            })?;
        }
        Ok(())
    }

    fn add(&self, event: usize, start: &When, end: Option<When>, out: &mut Vec<Instance>) {
        let Some(end) = end else { return };
        let (Some(from), Some(until)) = (start.instant(), end.instant()) else {
            return;
        };
        // The clock skips the beginning, which moves up to the end, or beyond it: then it is as long as it says.
        let until = match until > from {
            true => until,
            false => from
                .saturating_add(length(&self.events[event], start, &end))
                .unwrap_or(until),
        };
        let period = Interval::new(from, until.min(FOREVER));
        let is_met = period.meets(self.wanted.span).is_some();
        if !period.is_empty() && is_met && (self.counts)(event) {
            out.push(Instance { period, event });
            if out.len() > 2 * self.wanted.most {
                keep_nearest(out, self.wanted);
            }
        }
    }
}

/// How long an instance of an event says that it is.
fn length(times: &Times, start: &When, end: &When) -> SignedDuration {
    let length = match start.zone.is(&end.zone) {
        true => end.civil.duration_since(start.civil),
        false => distance(times.start.instant(), times.end.instant()),
    };
    length.max(SignedDuration::ZERO)
}

fn distance(one: Option<Timestamp>, other: Option<Timestamp>) -> SignedDuration {
    match (one, other) {
        (Some(one), Some(other)) => one.duration_since(other).abs(),
        _ => SignedDuration::ZERO,
    }
}

/// The end of an instance: as far from its beginning as the event's own, on the wall clock.
fn end_of(times: &Times, start: &When) -> Option<When> {
    if times.start.zone.is(&times.end.zone) {
        return start.moved(times.end.civil.duration_since(times.start.civil));
    }
    times
        .end
        .moved(start.civil.duration_since(times.start.civil))
}

/// Where an instance begins that is moved along with an earlier one.
fn shifted(change: &Times, start: &When, at: Timestamp) -> Option<When> {
    let instance = &change.changes()?.instance;
    let zone = &change.start.zone;
    let local = |when: &When, at: Timestamp| match when.whole_day || when.zone.is(zone) {
        true => when.civil,
        false => zone.local(at),
    };
    let moved = change
        .start
        .civil
        .duration_since(local(instance, instance.instant()?));
    let start = When {
        civil: local(start, at),
        ..change.start.clone()
    };
    start.moved(moved)
}
