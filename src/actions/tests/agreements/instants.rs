//! Who is on call at single instants: what was shown then, what was foretold, and what the record says later are the same.

use super::time::{Minute, Span};
use super::walk::{Outcome, Walk, fail};
use crate::actions::explain::{self, Question};
use crate::actions::on_call_at;
use crate::actions::tests::*;
use crate::domain::duty_at::DutyAt;
use crate::domain::explain::{Source, Step};
use crate::domain::ids::CellId;

use crate::domain::resolve;
use crate::domain::rotation::Rotation;
use crate::wire::on_call::{self, OnCall};
use serde_json::Value;

/// What is the same at whatever time one asks: ends are as scheduled at first and as they were later.
fn lasting(shown: &OnCall) -> Value {
    let mut shown = serde_json::to_value(shown).expect("JSON");
    let entries = shown["onCall"].as_array_mut().expect("a list");
    // Lanes may have changed places.
    entries.sort_by_key(|entry| entry["cellId"].to_string());
    for entry in entries {
        let entry = entry.as_object_mut().expect("an object");
        for member in ["turn", "until", "coveredUntil", "turnEnds", "absences"] {
            entry.remove(member);
        }
    }
    shown
}

impl Walk<'_> {
    /// Notes who is shown to be on call now, and compares it with what was foretold.
    pub fn see(&mut self, rotation: &Rotation) -> Outcome {
        let now = self.model.now;
        let as_of = self.app.as_of(self.instant(now));
        let shown = lasting(&on_call::render(
            rotation,
            self.app.calendar(),
            &as_of,
            None,
        ));
        // Of several writes at one instant the last one counts.
        self.seen.retain(|(at, _)| *at < now);
        self.seen.push((now, shown));
        for (at, foretold) in std::mem::take(&mut self.foretold) {
            let happened = self.on_call_at(at)?;
            if happened != foretold {
                return fail(format!(
                    "at minute {at} {foretold} was foretold, and {happened} happened"
                ));
            }
        }
        Ok(())
    }

    /// Who is on call at an instant.
    fn on_call_at(&self, at: Minute) -> Result<Value, proptest::test_runner::TestCaseError> {
        let instant = self.instant(at);
        let (rotation, duty) =
            on_call_at::of(self.app, &caller(), &self.id, Some(instant)).expect("an answer");
        let as_of = self.app.as_of(instant);
        let calendar = self.app.calendar();
        let shown = on_call::render_at(&rotation, &duty, calendar, &as_of, None);
        if let DutyAt::Recorded(recorded) = &duty {
            for held in &recorded.held {
                let bounds = held.bounds;
                let until = bounds.until.unwrap_or(Timestamp::MAX);
                let covered = bounds.covered_until.unwrap_or(Timestamp::MAX);
                if !(bounds.since <= instant && instant < covered && covered <= until) {
                    return fail(format!("at minute {at}: {bounds:?}"));
                }
            }
        }
        self.compare_explanation(at, &duty)?;
        Ok(lasting(&shown))
    }

    /// Compares what is explained of an instant with who is on call then, and with whom dealing passed over.
    fn compare_explanation(&self, at: Minute, duty: &DutyAt) -> Outcome {
        let explained = explain::of(
            self.app,
            &caller(),
            &self.id,
            Question {
                at: Some(self.instant(at)),
                ..Question::default()
            },
        );
        let explained = explained.expect("an explanation").cells;
        let mut named: Vec<(&CellId, &UserId)> = explained
            .iter()
            .filter_map(|cell| Some((&cell.cell, cell.user.as_ref()?)))
            .collect();
        named.sort();
        let mut on_call: Vec<(&CellId, &UserId)> = match duty {
            DutyAt::Planned(rotation) => {
                let cells = rotation.cells.iter();
                let holds = cells
                    .filter_map(|cell| Some((&cell.id, resolve::on_call(rotation, cell)?.user())));
                holds.collect()
            }
            DutyAt::Recorded(recorded) => {
                let held = recorded.held.iter();
                held.filter_map(|held| Some((&held.duty.cell, held.duty.entry.user.as_ref()?)))
                    .collect()
            }
        };
        on_call.sort();
        if named != on_call {
            return fail(format!(
                "at minute {at}: {explained:?}, on call {on_call:?}"
            ));
        }
        let DutyAt::Planned(rotation) = duty else {
            return Ok(());
        };
        for explained in explained.iter().filter(|cell| cell.source == Source::Turn) {
            let steps = || explained.steps.iter().map(|told| &told.step);
            // A second search begins another list.
            if steps().any(|step| matches!(step, Step::DoubleCover | Step::LeastAbsent)) {
                continue;
            }
            let slot = rotation.slot_of(&explained.cell).expect("a slot");
            let cell = &rotation.cells[slot];
            let (mut skipped, mut passed, mut chosen) = (Vec::new(), Vec::new(), Vec::new());
            for step in steps() {
                match step {
                    Step::PassedOver { absence, .. } => skipped.push(absence.clone()),
                    Step::AlreadyOnDuty(over) => passed.push(over.clone()),
                    Step::Chosen { user, .. } => chosen.push(user.clone()),
                    _ => {}
                }
            }
            let holder = cell.holder.as_ref().expect("a holder");
            if (&skipped, &passed) != (&holder.skipped, &cell.passed_over)
                || chosen.iter().any(|user| *user != holder.user)
            {
                return fail(format!("at minute {at}: {explained:?}, held {cell:?}"));
            }
        }
        Ok(())
    }

    /// Asks who will be on call at a few instants of a range to come.
    pub fn foretell(&mut self, range: Span) {
        let long = range.until - range.from;
        for part in [0, 1, 3, 6] {
            let at = range.from + (long * part / 7 + part % 2 * 61) % long;
            let foretold = self.on_call_at(at).expect("an answer");
            self.foretold.push((at, foretold));
        }
    }

    /// Compares what was seen at each instant with what the record says of it.
    pub fn compare_instants(&self) -> Outcome {
        for (at, seen) in &self.seen {
            let recorded = self.on_call_at(*at)?;
            if recorded != *seen {
                return fail(format!(
                    "at minute {at} {seen} was seen, and {recorded} is recorded"
                ));
            }
        }
        Ok(())
    }
}
