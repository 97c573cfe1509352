//! A schedule of Grafana OnCall by its answers, as a definition and a timeline (pure).

use super::super::json::said;
use super::super::{Failure, importable::ReadSchedule};
use super::final_shifts::FinalShift;
use super::parse::{GivenShift, Results, Schedule, User};
use super::rhythm::Rhythm;
use super::rotations;
use crate::domain::partner::{PartnerPerson, PartnerZone, ReadFailure, Timeline};
use crate::domain::time::Interval;
use crate::domain::zones::ZoneName;
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// The furthest that is looked ahead.
const YEAR: SignedDuration = SignedDuration::from_hours(24 * 360);

/// Everything about one schedule.
pub(super) struct Answers {
    pub(super) schedule: Schedule,
    pub(super) shifts: Vec<GivenShift>,
    pub(super) users: Vec<User>,
    pub(super) timeline: Vec<FinalShift>,
}

impl Answers {
    /// What a file has of the schedule that is named, or of its only one.
    pub(super) fn of_text(text: &[u8], named: Option<&str>) -> Result<Answers, Failure> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct File {
            schedules: Results<Schedule>,
            shifts: Results<GivenShift>,
            users: Results<User>,
            timeline: Results<FinalShift>,
        }
        let file: File =
            serde_json::from_slice(text).map_err(|error| Failure::invalid(error.to_string()))?;
        let schedules = file.schedules.0;
        let ids: Vec<&str> = schedules.iter().map(|one| one.id.as_str()).collect();
        let ids = ids.join(", ");
        let mut found = schedules.into_iter();
        let schedule = match named {
            Some(named) => found.find(|one| one.id == named).ok_or_else(|| {
                let why = format!("schedules: none has the id {named:?}; there are {ids}");
                Failure::new(ReadFailure::NotFound, why)
            })?,
            None => match (found.next(), found.next()) {
                (Some(only), None) => only,
                (None, _) => return Err(Failure::invalid("schedules: empty; it has to have one")),
                _ => {
                    let why = format!("schedules: name one of them, {ids}");
                    return Err(Failure::invalid(why));
                }
            },
        };
        Ok(Answers {
            schedule,
            shifts: file.shifts.0,
            users: file.users.0,
            timeline: file.timeline.0,
        })
    }

    /// How far the timeline has to reach: over a span, and over what takes place once after it.
    pub(super) fn reach(&self, asked: Interval) -> Interval {
        let single = self.shifts.iter().filter(|shift| shift.is_single());
        let ends = single.filter_map(|shift| shift.once(ZoneName::utc()));
        // A day more, whatever the zone is.
        let day = SignedDuration::from_hours(24);
        let last = ends.map(|span| span.until.saturating_add(day).unwrap_or(span.until));
        let most = Interval::ahead(asked.from, YEAR).until;
        let until = last.max().unwrap_or(asked.until).min(most);
        Interval::new(asked.from, asked.until.max(until))
    }

    /// The definition and the timeline. `asked` is what the final shifts were asked for; a file does not say it.
    pub(super) fn read(
        self,
        asked: Option<Interval>,
        now: Timestamp,
    ) -> Result<ReadSchedule, Failure> {
        if self.schedule.is_ical() {
            return Ok(self.schedule.unread(now));
        }
        let spans = self.timeline.iter().filter_map(FinalShift::span);
        let told = spans.reduce(|one, other| {
            Interval::new(one.from.min(other.from), one.until.max(other.until))
        });
        let known = asked.or(told).unwrap_or(Interval::new(now, now));
        let mut seen = BTreeSet::new();
        let own = self.shifts.iter().filter(|shift| self.schedule.has(shift));
        // A shift that several schedules share may be listed several times.
        let own: Vec<&GivenShift> = own.filter(|shift| seen.insert(&shift.id)).collect();
        let mut unsaid = Vec::new();
        let zone = self.zone(&own, known, &mut unsaid);
        let mut definition = self.schedule.definition(zone);
        let zone = definition.zone.or_utc();
        let of = |shift: &GivenShift| shift.own_zone().map_or(zone, |own| own.or_utc());
        let mut rhythms = Vec::new();
        for shift in own {
            if let Some(given) = shift.own_zone().filter(|given| given.city.is_none()) {
                unsaid.push(format!(
                    "the time zone {:?} of {:?} is unknown; UTC is used instead",
                    given.given,
                    shift.title()
                ));
            }
            if shift.is_single() {
                definition.exceptions.extend(shift.exception(of(shift)));
            } else {
                rhythms.push(Rhythm::of(shift, of(shift))?);
            }
        }
        definition.exceptions.sort_by_key(|one| one.span.from);
        rotations::settle(rhythms, zone, now, &mut definition.rotations, &mut unsaid);
        if let Some(url) = &self.schedule.ical_url_overrides
            && !url.is_empty()
            && self.schedule.enable_web_overrides != Some(true)
        {
            unsaid.push(
                "overrides come from a calendar (iCal), whose events the API does not give; where one lies, both differ"
                    .to_owned(),
            );
        }
        definition.unsaid = unsaid;
        Ok(ReadSchedule {
            definition,
            timeline: Timeline {
                known,
                answered: known,
                rotations: Vec::new(),
                shifts: self.timeline.iter().filter_map(FinalShift::shift).collect(),
            },
            people: self.people(),
        })
    }

    /// The people of the listing, and those on call who are not in it.
    fn people(&self) -> Vec<PartnerPerson> {
        let listed = self.users.iter().map(User::person);
        let mut people: BTreeMap<String, PartnerPerson> = listed
            .map(|one| (one.participant_id.clone(), one))
            .collect();
        for one in self.timeline.iter().map(FinalShift::person) {
            people.entry(one.participant_id.clone()).or_insert(one);
        }
        people.into_values().collect()
    }

    /// The zone of shifts that have none of their own: that of the schedule. Shifts of a web schedule are in UTC then, as Grafana
    /// OnCall computes them, though its documents say otherwise; which one it is, the timeline shows.
    fn zone(&self, own: &[&GivenShift], known: Interval, unsaid: &mut Vec<String>) -> PartnerZone {
        let given = said(&self.schedule.time_zone).unwrap_or_else(|| "UTC".to_owned());
        let zone = PartnerZone::of(&given);
        if zone.city.is_none() {
            // The blueprint says that it is unknown.
            return zone;
        }
        let without: Vec<&&GivenShift> = (own.iter())
            .filter(|shift| !shift.is_single() && shift.own_zone().is_none())
            .collect();
        if self.schedule.r#type != "web" || without.is_empty() {
            return zone;
        }
        let begins = |zone: ZoneName| {
            let starts = self.timeline.iter().filter_map(FinalShift::span);
            let starts = starts.filter(|span| span.from > known.from);
            let local = starts.map(|span| zone.tz().to_datetime(span.from).time());
            let shown = local.filter(|at| without.iter().any(|one| one.start.0.time() == *at));
            shown.count()
        };
        if begins(zone.or_utc()) > begins(ZoneName::utc()) {
            return zone;
        }
        if zone.or_utc() != ZoneName::utc() {
            unsaid.push(format!(
                "the shifts are in UTC, as Grafana OnCall has them, though the schedule is shown in {given}"
            ));
        }
        PartnerZone::of("UTC")
    }
}
