//! The instances that the events of a calendar have within a span.

use super::{Times, TooMuch, When, Work};
use crate::domain::time::{FOREVER, Interval};
use jiff::civil::{Date, DateTime};
use jiff::{SignedDuration, Timestamp};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};

/// The work that one event may take. A thousand years of days fit.
const WORK_OF_EVENT: u64 = 1_000_000;

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
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

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expansion {
    /// By where they begin.
    pub instances: Vec<Instance>,
    /// Events left out because they took too much work.
    pub failed: usize,
}

/// Finds the instances of events: of those that count, whole, where they meet the span.
pub fn expand(
    events: &[Times],
    counts: &dyn Fn(usize) -> bool,
    wanted: Wanted,
    work: &mut Work,
) -> Expansion {
    let mut out = Expansion::default();
    for group in grouped(events) {
        let granted = work.left().min(WORK_OF_EVENT);
        let mut own = Work::new(granted);
        let before = out.instances.len();
        let group = Group {
            events,
            counts,
            span: wanted.span,
            members: group,
        };
        if group.instances(&mut own, &mut out.instances).is_err() {
            out.instances.truncate(before);
            out.failed += 1;
        }
        // What one event took is not there for the others.
        let spent = granted - own.left();
        let _ = work.spend(spent);
        if out.instances.len() > 4 * wanted.most {
            keep_nearest(&mut out.instances, wanted);
        }
    }
    keep_nearest(&mut out.instances, wanted);
    out
}

fn keep_nearest(instances: &mut Vec<Instance>, wanted: Wanted) {
    if instances.len() > wanted.most {
        let distance = |period: Interval| {
            let ahead = period.from.duration_since(wanted.near);
            ahead
                .max(wanted.near.duration_since(period.until))
                .max(SignedDuration::ZERO)
        };
        instances.sort_by_key(|instance| (distance(instance.period), *instance));
        instances.truncate(wanted.most);
    }
    instances.sort();
}

/// The newest versions of events with one UID.
#[derive(Default)]
struct Members {
    events: Vec<usize>,
    changes: Vec<usize>,
}

fn grouped(events: &[Times]) -> Vec<Members> {
    let mut by_uid: BTreeMap<&str, Members> = BTreeMap::new();
    let mut alone = Vec::new();
    for (at, event) in events.iter().enumerate() {
        let members = match &event.uid {
            Some(uid) => by_uid.entry(uid).or_default(),
            None => {
                alone.push(Members::default());
                let Some(last) = alone.last_mut() else {
                    continue;
                };
                last
            }
        };
        match event.changes {
            Some(_) => members.changes.push(at),
            None => members.events.push(at),
        }
    }
    let mut groups: Vec<Members> = by_uid.into_values().chain(alone).collect();
    for members in &mut groups {
        // Several events with one UID and version are the mistake of a program that gave both the same UID: both count.
        let newest = members.events.iter().map(|at| events[*at].sequence).max();
        members
            .events
            .retain(|at| Some(events[*at].sequence) == newest);
        let key = |at: &usize| {
            let changes = events[*at].changes.as_ref();
            changes.map(|changes| (changes.instance.civil, changes.instance.instant()))
        };
        // The last one of equal versions stands in the feed where a program appended it.
        members
            .changes
            .sort_by_key(|at| (key(at), Reverse((events[*at].sequence, *at))));
        members.changes.dedup_by_key(|at| key(at));
    }
    groups
}

struct Group<'a> {
    events: &'a [Times],
    counts: &'a dyn Fn(usize) -> bool,
    span: Interval,
    members: Members,
}

/// Instances by where they begin.
#[derive(Default)]
struct Named {
    instants: HashSet<Timestamp>,
    days: HashSet<Date>,
}

impl Named {
    fn new<'a>(names: impl Iterator<Item = &'a When>, event: &When) -> Named {
        let mut named = Named::default();
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
            work.spend(1)?;
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
        work.spend(self.members.changes.len() as u64)?;
        let changing = self.members.changes.iter().copied();
        let mut onwards: Vec<(Timestamp, usize)> = changing
            .clone()
            .filter_map(|at| {
                let changes = self.events[at].changes.as_ref()?;
                Some((changes.onwards.then(|| changes.instance.instant())??, at))
            })
            .collect();
        onwards.sort();
        if !(self.counts)(event) && onwards.iter().all(|(_, at)| !(self.counts)(*at)) {
            return Ok(());
        }
        let changed = changing.filter_map(|at| Some(&self.events[at].changes.as_ref()?.instance));
        let changed = Named::new(changed, &times.start);
        let except = Named::new(times.except.iter(), &times.start);
        let mut seen = HashSet::new();
        for (start, end) in self.starts(times, &onwards, work)? {
            work.spend(1)?;
            let Some(at) = start.instant() else { continue };
            if except.has(&start, at) || changed.has(&start, at) || !seen.insert(at) {
                continue;
            }
            let before = onwards.partition_point(|(from, _)| *from <= at);
            match before.checked_sub(1).map(|last| onwards[last].1) {
                None => {
                    let end = end.or_else(|| end_of(times, &start));
                    self.add(event, &start, end, out);
                }
                Some(change) => {
                    let Some(start) = shifted(&self.events[change], &start, at) else {
                        continue;
                    };
                    let end = end_of(&self.events[change], &start);
                    self.add(change, &start, end, out);
                }
            }
        }
        Ok(())
    }

    /// Where the instances of an event begin that may meet the span, and their ends where they have their own.
    fn starts(
        &self,
        times: &Times,
        onwards: &[(Timestamp, usize)],
        work: &mut Work,
    ) -> Result<Vec<(When, Option<When>)>, TooMuch> {
        // The farthest that an instance reaches from where its rule has it.
        let reach = |times: &Times| {
            let length = distance(times.start.instant(), times.end.instant());
            let instance = times
                .changes
                .as_ref()
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
            .local(self.span.from)
            .checked_sub(far)
            .unwrap_or(DateTime::MIN);
        let until = zone
            .local(self.span.until)
            .checked_add(far)
            .unwrap_or(DateTime::MAX);
        let mut begins = vec![times.start.civil];
        for rule in &times.rules {
            rule.each(&times.start, (from, until), work, &mut |local| {
                begins.push(local)
            })?;
        }
        let ruled = begins.into_iter().map(|civil| {
            let start = When {
                civil,
                ..times.start.clone()
            };
            (start, None)
        });
        // Instances with an end of their own come first: of two that begin together that one counts.
        let also = times
            .also
            .iter()
            .map(|extra| (extra.start.clone(), extra.end.clone()));
        Ok(also.chain(ruled).collect())
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
        let period = Interval {
            from,
            until: until.min(FOREVER),
        };
        if !period.is_empty() && period.meets(self.span).is_some() && (self.counts)(event) {
            out.push(Instance { period, event });
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
    let instance = &change.changes.as_ref()?.instance;
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
