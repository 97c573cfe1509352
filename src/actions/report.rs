//! Who is on call how much: by the record up to now, and by the plan after it (rules.md 7.4, 7.5).

use super::reads::visible_to;
use super::{ActionError, App, Result, reads};
use crate::domain::access::Principal;
use crate::domain::arrangement::ArrangementKind;
use crate::domain::duty::Duty;
use crate::domain::forecast::{self, Budget};
use crate::domain::handover::DealingContext;
use crate::domain::holidays::Calendar;
use crate::domain::ids::{CellId, RequestId, RotationId, UserId};
use crate::domain::load::{Places, Walk};
use crate::domain::refusal::invalid;
use crate::domain::report::{Counted, GroupBy, LONGEST, Report, Row};
use crate::domain::rotation::Rotation;
use crate::domain::time::Interval;
use crate::domain::zones::ZoneName;
use crate::store::{self, Page, ReadTx, RotationFilter, Store};
use jiff::Timestamp;
use std::collections::{HashMap, HashSet};

/// The selection of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportQuery {
    pub range: Interval,
    /// Only of this rotation.
    pub rotation: Option<RotationId>,
    /// Only of this person.
    pub user: Option<UserId>,
    pub by: GroupBy,
}

/// The report of the rotations that a caller sees. Each rotation is read from a snapshot of its own. A person who does not administer the
/// workspace gets their own rows.
///
/// # Errors
/// As [`Principal::check_report`]; [`Refusal::NotFound`](crate::domain::refusal::Refusal::NotFound) for a rotation that the caller
/// does not see; [`Refusal::Invalid`](crate::domain::refusal::Refusal::Invalid) for a range over five years, and where it takes too
/// much.
pub fn duty(
    store: &Store,
    calendar: &Calendar,
    caller: &Principal,
    wanted: &ReportQuery,
) -> Result<Vec<Row>> {
    let only = caller.check_report(wanted.user.as_ref())?;
    if wanted.range.length() > LONGEST {
        return Ok(invalid(
            "to",
            "send an instant at most 5 years after `from`",
        )?);
    }
    let rotations = store.read(|tx| -> Result<_> {
        if let Some(id) = &wanted.rotation {
            return Ok(vec![reads::visible(tx, caller, id)?.id]);
        }
        let filter = RotationFilter {
            visible: visible_to(caller),
            ..RotationFilter::default()
        };
        let all = Page::first(u32::MAX);
        Ok(store::list_rotations(tx, &filter, all)?.0)
    })?;
    let mut gathering = Gathering {
        calendar,
        range: wanted.range,
        now: store.now(),
        report: Report::begin(wanted.by, wanted.range, store.now(), only),
        budget: Budget::of_a_report(),
    };
    let mut has_looked = false;
    for (index, id) in rotations.iter().enumerate() {
        if !has_looked && gathering.budget.is_worth_looking_ahead() {
            has_looked = true;
            gathering.check_rest(store, &rotations[index..])?;
        }
        store.read(|tx| -> Result<_> {
            // It may be gone or hidden by now.
            match store::load_rotation(tx, id)? {
                Some(rotation) if caller.check_see(&rotation).is_ok() => {
                    gathering.add(tx, &rotation)
                }
                _ => Ok(()),
            }
        })?;
    }
    gathering.rows(store)
}

/// The load of everybody in one rotation, for whoever sees it.
pub fn of_rotation(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    range: Interval,
) -> Result<(Rotation, Vec<Row>)> {
    let now = app.now();
    let mut gathering = Gathering {
        calendar: app.calendar(),
        range,
        now,
        report: Report::begin(GroupBy::Person, range, now, None),
        budget: Budget::of_a_report(),
    };
    let rotation = app.store().read(|tx| -> Result<_> {
        let rotation = reads::visible(tx, caller, id)?;
        gathering.add(tx, &rotation)?;
        Ok(rotation)
    })?;
    Ok((rotation, gathering.rows(app.store())?))
}

/// A report as it is gathered from the store.
struct Gathering<'a> {
    calendar: &'a Calendar,
    range: Interval,
    now: Timestamp,
    report: Report,
    budget: Budget,
}

impl Gathering<'_> {
    /// Refuses a range for which the plans of the rotations that are left are sure to take too much.
    fn check_rest(&self, store: &Store, rest: &[RotationId]) -> Result<()> {
        let rest = reads::one_by_one(store, rest);
        match (self.budget).may_suffice(rest, self.calendar, self.range, usize::MAX)? {
            true => Ok(()),
            false => Ok(forecast::too_far()?),
        }
    }

    /// Adds what there is of a rotation.
    fn add(&mut self, tx: &ReadTx, rotation: &Rotation) -> Result<()> {
        let mut walks: HashMap<CellId, Walk> = HashMap::new();
        let places = Places::of(rotation);
        let range = self.range;
        let is_external = rotation.external.is_some();
        store::each_entry(tx, rotation, range, |duty| {
            let until = match duty.end {
                Some(end) => end,
                // What follows a partner is planned by assignments with beginnings of their own.
                None if is_external => self.now,
                // The plan begins with what still runs.
                None => return Ok(()),
            };
            match duty.entry.start < until {
                true => self.walk(
                    walk_of(&mut walks, &duty, range),
                    rotation,
                    (&places, &duty, until),
                ),
                false => Ok(()),
            }
        })?;
        let mut planned = range;
        if is_external {
            planned.from = range.from.max(self.now);
        }
        if !planned.is_empty() {
            let dealing = DealingContext::new(self.calendar, &rotation.absences);
            let duties = forecast::duties_within(rotation, dealing, planned, &mut self.budget)?;
            for mut duty in duties {
                let until = duty.end.unwrap_or(planned.until);
                let walk = walk_of(&mut walks, &duty, range);
                if is_external && duty.entry.start < planned.from {
                    // Of assignments that run beside each other none comes after another.
                    duty.entry.start = planned.from;
                    self.walk(&mut walk.clone(), rotation, (&places, &duty, until))?;
                } else {
                    self.walk(walk, rotation, (&places, &duty, until))?;
                }
            }
        }
        self.count(tx, &rotation.id)
    }

    fn walk(
        &mut self,
        walk: &mut Walk,
        rotation: &Rotation,
        (places, duty, until): (&Places, &Duty, Timestamp),
    ) -> Result<()> {
        let report = &mut self.report;
        let place = places.at(&duty.window, &duty.entry);
        walk.entry(&duty.entry, until, &mut |user, happening| {
            report.add(&rotation.id, &place, user, happening);
        });
        Ok(report.check_size()?)
    }

    /// Adds covers, swaps and mentions.
    fn count(&mut self, tx: &ReadTx, id: &RotationId) -> Result<()> {
        let mut known: HashSet<(RequestId, UserId)> = HashSet::new();
        for taken in store::list_taken_over(tx, id, self.range)? {
            let (user, from) = (&taken.user, taken.from);
            // The pieces of a cover that was changed are one cover.
            if !known.insert((taken.request, user.clone())) {
                continue;
            }
            match taken.kind {
                ArrangementKind::SwapLeg => self.report.count(id, user, from, Counted::Swap),
                _ => {
                    self.report.count(id, user, from, Counted::CoverTaken);
                    let given = Counted::CoverGiven;
                    self.report.count(id, &taken.requester, from, given);
                }
            }
        }
        let report = &mut self.report;
        store::each_mention(tx, id, self.range, |mention| {
            for user in &mention.notified {
                report.count(id, user, mention.at, Counted::Mention);
            }
            if let Some(user) = &mention.acknowledged_by {
                report.count(id, user, mention.at, Counted::Acknowledged);
            }
            Ok::<_, ActionError>(report.check_size()?)
        })
    }

    fn rows(self, store: &Store) -> Result<Vec<Row>> {
        let mut zones: HashMap<UserId, ZoneName> = HashMap::new();
        store.read(|tx| -> Result<_> {
            for user in self.report.people() {
                let person = store::load_person(tx, user)?;
                let zone = person.and_then(|person| person.zone());
                zones.extend(zone.map(|zone| (user.clone(), zone)));
            }
            Ok(())
        })?;
        let zone = |user: &UserId| zones.get(user).copied();
        Ok(self.report.rows(self.calendar, zone))
    }
}

/// The walk of the cell of a duty.
fn walk_of<'w>(walks: &'w mut HashMap<CellId, Walk>, duty: &Duty, range: Interval) -> &'w mut Walk {
    let walk = walks.entry(duty.cell.clone());
    walk.or_insert_with(|| Walk::of(range))
}
