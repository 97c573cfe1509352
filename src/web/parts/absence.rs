//! Absences in words, and the button that asks for cover while they last.

use super::confirm;
use super::fields::hidden;
use super::time::Times;
use crate::domain::absence::{Absence, AppliesTo};
use crate::domain::ids::RotationId;
use jiff::{SignedDuration, Timestamp};
use maud::{Markup, html};

/// Whether an absence counts in a rotation.
pub fn counts(absence: &Absence, rotation: &RotationId) -> bool {
    match &absence.applies_to {
        AppliesTo::AllRotations => true,
        AppliesTo::Rotation(id) => id == rotation,
    }
}

/// "Wed 23 to Sun 27 Dec", or the hours where it is less than a day.
pub fn days(times: &Times, absence: &Absence) -> String {
    let (from, until) = (absence.period.from, absence.period.until);
    let last = until
        .saturating_sub(SignedDuration::from_nanos(1))
        .unwrap_or(until);
    let is_midnight = |at: Timestamp| times.midnight(times.date(at)) == Some(at);
    match is_midnight(from) && is_midnight(until) {
        true if times.date(from) == times.date(last) => times.day_text(times.date(from)),
        true => times.days_text(times.date(from), times.date(last)),
        false => times.stretch(from, until),
    }
}

/// The button that asks for cover for all that still stands during an absence.
pub fn ask(path: &str, class: &str) -> Markup {
    html! {
        form.bare method="post" action=(format!("{path}/cover")) {
            (hidden("operationId", &confirm::operation_id()))
            button.btn.(class) type="submit" data-action="cover" { "Ask for cover for all of it" }
        }
    }
}
