//! Why somebody is on call, or nobody, at an instant: from the trace of the forecast for what is to come, from the record for what
//! is and was (rules.md 26).

mod why_not;

use super::on_call_at::{
    Standstill, check_instant, entries_at, is_past, present, standstill, walk,
};
use super::reads::visible;
use super::{App, Result};
use crate::domain::absence::{AbsenceSource, AppliesTo, Skipped};
use crate::domain::access::Principal;
use crate::domain::arrangement::ArrangementKind;
use crate::domain::duty::Duty;
use crate::domain::duty_at::Backward;
use crate::domain::explain::{
    self, Around, ExplainedCell, Explanation, Prospect, Search, Source, Step, Told, Unrecorded,
    Vocabulary,
};
use crate::domain::external::External;
use crate::domain::forecast::{self, Budget};
use crate::domain::handover::DealingContext;
use crate::domain::ids::{AbsenceId, ArrangementId, CellId, RotationId, UserId, WindowId};
use crate::domain::naming::Naming;
use crate::domain::refusal::{Refusal, invalid};
use crate::domain::request::RequestKind;
use crate::domain::resolve::{self, Hold};
use crate::domain::rotation::{Entry, PassedOver, Reason, Rotation, Window};
use crate::domain::trace::{Decision, Trace};
use crate::domain::zones::ZoneName;
use crate::store::{self, ReadTx};
use jiff::{SignedDuration, Timestamp};
use std::collections::HashMap;

/// What is asked.
#[derive(Clone, Copy, Debug, Default)]
pub struct Question<'a> {
    /// Now by default.
    pub at: Option<Timestamp>,
    /// Only this cell.
    pub cell: Option<&'a CellId>,
    /// Why this person is not on call.
    pub user: Option<&'a UserId>,
    pub naming: Naming,
}

/// Why each cell of a rotation, or one of them, is as it is at an instant.
///
/// # Errors
/// As [`on_call_at::of`](super::on_call_at::of); [`Refusal::NotFound`] for a cell that is not there then, and
/// [`Refusal::Invalid`] where all cells together have too much to tell.
pub fn of(app: &App, caller: &Principal, id: &RotationId, asked: Question) -> Result<Explanation> {
    app.store().read(|tx| {
        let rotation = visible(tx, caller, id)?;
        let only = asked.cell;
        let at = asked.at.unwrap_or_else(|| present(app, &rotation));
        check_instant(app, &rotation, at)?;
        let reader = Reader {
            app,
            tx,
            rotation: &rotation,
            at,
            stood: standstill(tx, &rotation, at)?,
        };
        let found = match is_past(&rotation, at) {
            true => reader.past(only)?,
            false => reader.planned(&asked)?,
        };
        if only.is_some() && found.is_empty() {
            return Err(Refusal::NotFound("cell").into());
        }
        reader.told(found, &asked)
    })
}

/// A cell with the zone of its times, before its steps are worded.
struct UnwordedCell {
    cell: CellId,
    user: Option<UserId>,
    source: Source,
    steps: Vec<Step>,
    zone: Option<ZoneName>,
    /// Of the person who is asked about; `None` for what is past.
    prospect: Option<Prospect>,
}

struct Reader<'a> {
    app: &'a App,
    tx: &'a ReadTx<'a>,
    rotation: &'a Rotation,
    at: Timestamp,
    /// Where it stands still then.
    stood: Option<Standstill>,
}

impl Reader<'_> {
    /// The instant as of which the rotation stands.
    fn as_of(&self) -> Timestamp {
        self.stood.map_or(self.at, |stood| stood.since)
    }

    fn frozen(&self) -> Option<Step> {
        let Standstill { since, until } = self.stood?;
        Some(Step::Frozen { since, until })
    }

    /// That the instant lies past the end of what is known of the partner's schedule: then whoever was on call last stays.
    fn unknown(&self, external: &External) -> Option<Step> {
        let since = external.timeline().map(|timeline| timeline.known.until);
        let is_unknown = self.stood.is_none() && since.is_none_or(|since| since <= self.at);
        is_unknown.then(|| Step::ScheduleUnknown {
            since,
            is_linked: external.link.is_some(),
        })
    }

    /// Explains the future and the present.
    fn planned(&self, wanted: &Question) -> Result<Vec<UnwordedCell>> {
        let only = wanted.cell;
        let dealing = DealingContext::new(self.app.calendar(), &self.rotation.absences);
        let instants = (present(self.app, self.rotation), self.at);
        let (mut budget, trace) = (Budget::default(), Some(Trace::new(only.cloned())));
        let then = forecast::standing_at(self.rotation, dealing, instants, &mut budget, trace)?;
        if then.trace.as_ref().is_some_and(Trace::is_full) {
            return Ok(invalid(
                "cellId",
                "too many people are in the rotation for all cells; name one",
            )?);
        }
        let without = self.without_changes(dealing, instants, &mut budget)?;
        let slots = 0..then.cells.len();
        let asked = slots.filter(|slot| only.is_none_or(|only| *only == then.cells[*slot].id));
        let explained = asked.map(|slot| {
            let mut cell = self.cell(&then, slot)?;
            if let Some(step) = self.change(&then, slot, without.as_ref())? {
                cell.steps.insert(0, step);
            }
            let of = |user| why_not::prospect(&then, slot, user, (dealing, self.at));
            Ok(UnwordedCell {
                prospect: wanted.user.map(of),
                ..cell
            })
        });
        explained.collect()
    }

    /// The rotation then without the changes that wait until then; `None` where none do.
    fn without_changes(
        &self,
        dealing: DealingContext,
        instants: (Timestamp, Timestamp),
        budget: &mut Budget,
    ) -> Result<Option<Rotation>> {
        if self
            .rotation
            .next_change()
            .is_none_or(|next| next > self.at)
        {
            return Ok(None);
        }
        let without = self.rotation.without_changes();
        let then = forecast::standing_at(&without, dealing, instants, budget, None)?;
        Ok(Some(then))
    }

    /// The last change that waits until then, where a slot would stand otherwise without them.
    fn change(
        &self,
        then: &Rotation,
        slot: usize,
        without: Option<&Rotation>,
    ) -> Result<Option<Step>> {
        let mut waiting = self.rotation.waiting.iter().rev();
        let change = waiting.find(|change| change.at <= self.at);
        let (Some(without), Some(change)) = (without, change) else {
            return Ok(None);
        };
        let cell = &then.cells[slot];
        let same = without.slot_of(&cell.id);
        let same = same.map(|slot| &without.cells[slot].holder);
        if same == Some(&cell.holder) {
            return Ok(None);
        }
        let by = store::load_maker(self.tx, &change.id)?;
        Ok(by.map(|by| Step::Change {
            id: change.id.clone(),
            at: change.at,
            by,
        }))
    }

    fn cell(&self, then: &Rotation, slot: usize) -> Result<UnwordedCell> {
        let cell = &then.cells[slot];
        let window = &then.windows[cell.window];
        let calendar = self.app.calendar();
        let found = |user: Option<&UserId>, source, steps| UnwordedCell {
            cell: cell.id.clone(),
            user: user.cloned(),
            source,
            steps,
            zone: window.zone,
            prospect: None,
        };
        if cell.stopped {
            return Ok(found(None, Source::Nobody, vec![Step::NotInPlan]));
        }
        let mut steps: Vec<Step> = self.frozen().into_iter().collect();
        if let Some(external) = &then.external {
            let unknown = self.unknown(external);
            let first = external.first();
            let since = first.map_or(cell.entry.start, |first| first.shift.span.from);
            // Where nothing was ever known, it says nothing of who is on call.
            if external.timeline().is_some() || first.is_some() {
                let until = first.and_then(|first| first.shift.ends_at());
                steps.push(Step::ExternalShift {
                    at: since,
                    until: until.filter(|_| unknown.is_none()),
                    outsider: external.outsider().map(|outsider| outsider.called()),
                    is_anybody: first.is_some(),
                });
            }
            steps.extend(unknown);
            let user = cell.holder.as_ref().map(|holder| &holder.user);
            return Ok(found(user, Source::External, steps));
        }
        let (is_open, opening) = explain::opening(then, cell, calendar, self.as_of());
        steps.push(opening);
        if !is_open {
            return Ok(found(None, Source::Shut, steps));
        }
        let hold = resolve::holder(then, cell);
        if let Some(Hold::Arranged(arranged)) = hold {
            let period = (arranged.period.from, Some(arranged.period.until));
            steps.push(self.arrangement(&arranged.id, period)?);
            return Ok(found(Some(&arranged.user), Source::Arrangement, steps));
        }
        let decision = then
            .trace
            .as_ref()
            .and_then(|trace| trace.decision(&cell.id));
        match decision {
            Some(decision) => {
                let (cadence, moved) = explain::cadence_of(decision, window, calendar);
                steps.extend(explain::decided(decision, cadence, moved));
            }
            None => steps.extend(self.kept_since(then, slot)?),
        }
        let user = hold.map(Hold::user);
        let source = match user {
            Some(_) => Source::Turn,
            None => Source::Nobody,
        };
        Ok(found(user, source, steps))
    }

    /// Explains the past.
    fn past(&self, only: Option<&CellId>) -> Result<Vec<UnwordedCell>> {
        let entries = entries_at(self.tx, self.rotation, self.at)?.into_iter();
        let asked = entries.filter(|entry| only.is_none_or(|only| entry.cell == *only));
        asked.map(|entry| self.recorded(&entry)).collect()
    }

    fn recorded(&self, record: &Duty) -> Result<UnwordedCell> {
        let entry = &record.entry;
        let window = self.rotation.window(&record.window);
        let found = |source, steps| UnwordedCell {
            cell: record.cell.clone(),
            user: entry.user.clone(),
            source,
            steps,
            zone: entry.hours.zone,
            prospect: None,
        };
        let mut steps: Vec<Step> = self.frozen().into_iter().collect();
        if entry.reason == Reason::ChangeInExternalSchedule {
            let is_anybody = entry.user.is_some() || entry.outside.is_some();
            steps.push(Step::ExternalShift {
                at: record.held_since.unwrap_or(entry.start),
                until: record.end,
                outsider: entry.outside.clone(),
                is_anybody,
            });
            // What was known of times that are over is not recorded; the entry that runs now is about what is known today.
            let external = self.rotation.external.as_ref();
            steps.extend(
                external
                    .filter(|_| record.end.is_none())
                    .and_then(|it| self.unknown(it)),
            );
            return Ok(found(Source::External, steps));
        }
        let (is_open, opening) = explain::opening_recorded(
            self.rotation,
            window,
            (entry, record.end),
            self.app.calendar(),
            self.as_of(),
        );
        steps.extend(opening);
        if !is_open {
            return Ok(found(Source::Shut, steps));
        }
        if entry.user.is_none() {
            steps.extend(self.vacancy(record, window, &entry.passed_over)?);
            return Ok(found(Source::Nobody, steps));
        }
        if let Some(id) = &entry.arrangement {
            let since = record.held_since.unwrap_or(entry.start);
            steps.push(self.arrangement(id, (since, record.end))?);
            return Ok(found(Source::Arrangement, steps));
        }
        let since = match record.turn_since {
            Some(since) => since,
            None => self.first_entry(record)?,
        };
        steps.extend(self.dealt(record.clone(), since, window)?);
        Ok(found(Source::Turn, steps))
    }

    /// Where the turn of an older entry began.
    fn first_entry(&self, record: &Duty) -> Result<Timestamp> {
        let mut back = Backward::new(record.clone());
        let of = (self.rotation, &record.cell);
        walk(self.tx, of, (record.entry.start, false), |piece| {
            back.look(piece)
        })?;
        Ok(back.since())
    }

    /// The steps of a slot that is not dealt anew by the instant: what the record has of how it came to be so.
    fn kept_since(&self, then: &Rotation, slot: usize) -> Result<Vec<Step>> {
        let cell = &then.cells[slot];
        let Some(holder) = &cell.holder else {
            // The entry that runs now: those to come are not recorded yet.
            let stored = self.rotation.cells.get(slot);
            let running = stored.map_or(cell.entry.start, |stored| stored.entry.start);
            let record = self.entry(&cell.id, running)?;
            let window = Some(&then.windows[cell.window]);
            return match record {
                Some(record) => self.vacancy(&record, window, &cell.passed_over),
                None => Ok(Vec::new()),
            };
        };
        // Where the turn has no entry of its own: what the slot keeps of it.
        let known = Duty {
            entry: Entry {
                user: Some(holder.user.clone()),
                turn: None,
                reason: Reason::BusinessHoursBackOnline,
                skipped: holder.skipped.clone(),
                passed_over: cell.passed_over.clone(),
                ..cell.entry.clone()
            },
            ..Duty::running(then, slot)
        };
        let window = &then.windows[cell.window];
        self.dealt(known, holder.since, Some(window))
    }

    /// The steps of a slot that stands empty since an entry. `window` is the one of today.
    fn vacancy(
        &self,
        record: &Duty,
        window: Option<&Window>,
        passed_over: &[PassedOver],
    ) -> Result<Vec<Step>> {
        let start = record.entry.start;
        let (mut was_held, mut since) = (false, start);
        let of = (self.rotation, &record.cell);
        walk(self.tx, of, (start, false), |piece| {
            was_held = piece.entry.user.is_some();
            if !was_held {
                since = piece.entry.start;
            }
            !was_held && piece.entry.reason == Reason::BusinessHoursOffline
        })?;
        let calendar = self.app.calendar();
        let cadence = window.and_then(|window| window.cadence.as_ref());
        let next = cadence.and_then(|cadence| cadence.next(calendar, start));
        let search = self.decision(&record.cell, &record.window, self.as_of())?;
        let search = search.filter(|search| search.chosen().is_none() && since <= search.at);
        let around = Around {
            was_held,
            was_dealt: next.is_some_and(|next| next <= self.as_of()),
        };
        let search = match &search {
            Some(decision) => {
                let moment = window.map(|window| explain::cadence_of(decision, window, calendar));
                Search::Recorded(decision, moment.unwrap_or_default())
            }
            None => Search::PassedOver(passed_over),
        };
        Ok(explain::vacancy(record, around, search))
    }

    /// The steps of a dealt turn: by the entry with which it began, else by what is known otherwise.
    fn dealt(&self, known: Duty, since: Timestamp, window: Option<&Window>) -> Result<Vec<Step>> {
        let origin = self.entry(&known.cell, since)?;
        // Beneath an arrangement or while the hours were shut another entry began then, or none.
        let same = |origin: &Duty| {
            origin.entry.user == known.entry.user && origin.entry.arrangement.is_none()
        };
        let decision = self.decision(&known.cell, &known.window, since)?;
        let origin = origin.filter(same).unwrap_or(known);
        let decision =
            decision.filter(|it| it.at == since && it.chosen() == origin.entry.user.as_ref());
        let cadence = window.and_then(|window| window.cadence.as_ref());
        Ok(explain::turn(
            &origin,
            since,
            cadence,
            self.app.calendar(),
            decision.as_ref(),
        ))
    }

    /// The last decision that the record has about a cell, which deals for a window, at an instant or before it.
    fn decision(
        &self,
        cell: &CellId,
        window: &WindowId,
        at: Timestamp,
    ) -> Result<Option<Decision>> {
        let of = (&self.rotation.id, cell, window);
        Ok(store::load_decision(self.tx, of, at)?)
    }

    fn entry(&self, cell: &CellId, start: Timestamp) -> Result<Option<Duty>> {
        Ok(store::load_entry(self.tx, self.rotation, cell, start)?)
    }

    fn arrangement(
        &self,
        id: &ArrangementId,
        (from, until): (Timestamp, Option<Timestamp>),
    ) -> Result<Step> {
        let found = store::load_arrangement(self.tx, &self.rotation.id, id)?;
        let kind = found.as_ref().map(|found| found.kind);
        let request = found.and_then(|found| found.request);
        let request_kind = match kind {
            Some(ArrangementKind::SwapLeg) => RequestKind::Swap,
            _ => RequestKind::Cover,
        };
        let request = match request {
            Some(id) => store::load_request(self.tx, &self.rotation.id, request_kind, &id)?,
            None => None,
        };
        let reason = request.map(|request| request.reason);
        Ok(Step::Arrangement {
            id: id.clone(),
            kind,
            by: store::load_arrangement_maker(self.tx, id)?,
            reason: reason.filter(|reason| !reason.is_empty()),
            from,
            until,
        })
    }

    /// Finds the absences that people were passed over for, and words the steps.
    fn told(&self, found: Vec<UnwordedCell>, asked: &Question) -> Result<Explanation> {
        let mut ids = HashMap::new();
        let mut named = HashMap::new();
        let mut cells = Vec::with_capacity(found.len());
        for mut found in found {
            let mut is_lost = false;
            for step in &mut found.steps {
                if let Step::PassedOver { absence, id } = step {
                    *id = self.absence(absence, &mut ids)?;
                    is_lost |= id.is_none() && absence.source == AbsenceSource::Stored;
                }
            }
            let people = found.steps.iter().flat_map(Step::people);
            for user in people.chain(&found.user).chain(asked.user) {
                if !named.contains_key(user) {
                    let person = store::load_person(self.tx, user)?;
                    let name =
                        person.map_or_else(|| user.to_string(), |person| person.name().to_owned());
                    named.insert(user.clone(), name);
                }
            }
            if is_lost {
                found.steps.push(Step::NotRecorded(Unrecorded::Absence));
            }
            cells.push(found);
        }
        let slots = self.rotation.cells.iter().map(|cell| {
            let name = forecast::slot_name(self.rotation, cell).join(", ");
            (cell.id.clone(), name)
        });
        let words = Vocabulary {
            people: named,
            slots: slots.collect(),
            naming: asked.naming,
        };
        let cells = cells.into_iter().map(|found| {
            let zone = found.zone.unwrap_or_else(ZoneName::utc);
            let told = explain::ToldOf {
                source: found.source,
                steps: &found.steps,
                on_call: found.user.as_ref(),
            };
            let why_not = asked.user.and_then(|user| {
                explain::why_not(told, user, found.prospect.as_ref(), (&words, zone))
            });
            let told = |step| Told {
                text: explain::text(&step, &words, zone),
                step,
            };
            ExplainedCell {
                cell: found.cell,
                user: found.user,
                source: found.source,
                steps: found.steps.into_iter().map(told).collect(),
                why_not,
            }
        });
        Ok(Explanation {
            at: self.at,
            asks_about_somebody: asked.user.is_some(),
            cells: cells.collect(),
        })
    }

    /// The stored absence that somebody was passed over for; `None` where it is a calendar's, and where it is no longer there as it
    /// was.
    fn absence(
        &self,
        skipped: &Skipped,
        known: &mut HashMap<(UserId, Timestamp, Timestamp), Option<AbsenceId>>,
    ) -> Result<Option<AbsenceId>> {
        let (Some(from), Some(until), AbsenceSource::Stored) =
            (skipped.from, skipped.until, skipped.source)
        else {
            return Ok(None);
        };
        let key = (skipped.user.clone(), from, until);
        if let Some(id) = known.get(&key) {
            return Ok(id.clone());
        }
        let before = until - SignedDuration::from_millis(1);
        let theirs = store::list_absences_of(self.tx, &skipped.user, before)?;
        let here = |applies_to: &AppliesTo| match applies_to {
            AppliesTo::AllRotations => true,
            AppliesTo::Rotation(id) => *id == self.rotation.id,
        };
        let found = theirs.into_iter().find(|absence| {
            (absence.period.from, absence.period.until) == (from, until)
                && here(&absence.applies_to)
        });
        let id = found.map(|absence| absence.id);
        known.insert(key, id.clone());
        Ok(id)
    }
}
