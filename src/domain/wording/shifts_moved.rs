//! The wording of what moved in a person's own plan.

use super::Words;
use crate::domain::message::{More, MovedShift, ShiftsMoved};
use crate::domain::time::{FOREVER, Interval};
use crate::domain::told_plan::{Sentence, Word};
use crate::domain::zones::ZoneName;
use jiff::civil::{DateTime, Time};
use jiff::{Timestamp, ToSpan};

/// Shifts of either list that are told in words.
const IN_WORDS: usize = 5;

impl Words<'_> {
    /// What moved, and why.
    pub(super) fn shifts_moved(&self, moved: &ShiftsMoved) -> String {
        let mut text = format!("Your shifts in {} moved.", self.title(&[]));
        for (what, shifts, more, other) in [
            ("New", &moved.gained, moved.more_gained, "instead of"),
            ("No longer yours", &moved.lost, moved.more_lost, "now"),
        ] {
            if !shifts.is_empty() {
                let shifts = self.moved_shifts(shifts, more, other, moved.zone);
                text.push_str(&format!(" {what}: {shifts}."));
            }
        }
        let because = moved.because.iter();
        let because: Vec<String> = because
            .map(|reason| self.sentence(&reason.said, moved.zone))
            .collect();
        if !because.is_empty() {
            text.push_str(&format!(" Because: {}.", because.join("; ")));
        }
        text
    }

    fn moved_shifts(
        &self,
        shifts: &[MovedShift],
        more: Option<More>,
        other: &str,
        zone: ZoneName,
    ) -> String {
        let shift = |shift: &MovedShift| {
            let slot = match shift.slot.is_empty() {
                true => String::new(),
                false => {
                    let slot = shift.slot.iter().map(|name| self.renderer.plain(name));
                    format!(" in {}", slot.collect::<Vec<_>>().join(", "))
                }
            };
            let period = between(shift.from, shift.until, zone);
            let other = match &shift.other {
                Some(user) => format!(" ({other} {})", self.name(user)),
                None => String::new(),
            };
            format!("{period}{slot}{other}")
        };
        let told: Vec<String> = shifts.iter().take(IN_WORDS).map(shift).collect();
        let left = shifts.iter().skip(IN_WORDS).map(|shift| shift.until);
        let told = told.join("; ");
        match More::both(More::of(left), more) {
            None => told,
            Some(More { count, until: None }) => format!("{told}; and {count} more"),
            Some(More {
                count,
                until: Some(until),
            }) => format!("{told}; and {count} more until {}", moment(until, zone)),
        }
    }

    /// A sentence with names, and with times in a zone.
    pub(super) fn sentence(&self, sentence: &Sentence, zone: ZoneName) -> String {
        let word = |word: &Word| match word {
            Word::Text(text) => self.renderer.plain(text),
            Word::Person(user) => self.name(user),
            Word::Period(period) => days(*period, zone),
        };
        sentence.0.iter().map(word).collect()
    }
}

fn local(at: Timestamp, zone: ZoneName) -> DateTime {
    zone.tz().to_datetime(at.min(FOREVER))
}

/// `Mon 8 Feb 09:00`, in a zone.
pub fn moment(at: Timestamp, zone: ZoneName) -> String {
    local(at, zone).strftime("%a %-d %b %H:%M").to_string()
}

fn between(from: Timestamp, until: Option<Timestamp>, zone: ZoneName) -> String {
    let from = moment(from, zone);
    match until.filter(|until| *until < FOREVER) {
        Some(until) => format!("{from} to {}", moment(until, zone)),
        None => format!("{from} on"),
    }
}

/// `from 1 to 3 Feb` of whole days, else with times.
fn days(period: Interval, zone: ZoneName) -> String {
    let [from, until] = [period.from, period.until].map(|at| local(at, zone));
    let is_open = period.until >= FOREVER;
    let whole = from.time() == Time::midnight() && (is_open || until.time() == Time::midnight());
    let date = |at: DateTime| at.strftime("%-d %b").to_string();
    match (whole, is_open) {
        (true, true) => format!("from {} on", date(from)),
        (true, false) => {
            let last = until.checked_sub(1.day()).unwrap_or(until);
            let same_month = (from.year(), from.month()) == (last.year(), last.month());
            match (from.date() == last.date(), same_month) {
                (true, _) => format!("on {}", date(from)),
                (false, true) => format!("from {} to {}", from.day(), date(last)),
                (false, false) => format!("from {} to {}", date(from), date(last)),
            }
        }
        (false, _) => {
            let until = Some(period.until);
            format!("from {}", between(period.from, until, zone))
        }
    }
}
