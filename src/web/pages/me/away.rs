//! When the reader is away: what still stands meanwhile, and a form for more.

use super::super::{absences, times};
use super::turns::Mine;
use crate::actions;
use crate::domain::absence::{Absence, AppliesTo};
use crate::domain::ids::RotationId;
use crate::server::Problem;
use crate::web::form::Errors;
use crate::web::parts::confirm;
use crate::web::parts::fields::hidden;
use crate::web::parts::time::Times;
use crate::web::visit::Visit;
use jiff::{SignedDuration, Timestamp};
use maud::{Markup, html};

/// Absences that are listed at the most.
const MOST: usize = 10;

/// The reader's absences that are not over.
pub fn own(visit: &Visit) -> Result<Vec<Absence>, Problem> {
    let me = &visit.me()?.person.id;
    let all = actions::absences::of_person(visit.app(), &visit.caller, me, visit.now)?;
    Ok(all.into_iter().map(|(absence, _)| absence).collect())
}

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

/// The card: each absence with what still stands, and the form.
pub fn card(visit: &Visit, own: &[Mine], errors: &Errors) -> Result<Markup, Problem> {
    let me = &visit.me()?.person.id;
    let all = actions::absences::of_person(visit.app(), &visit.caller, me, visit.now)?;
    let left = all.len().saturating_sub(MOST);
    Ok(html! {
        section.card aria-labelledby="away" {
            header { h2 #away { "I am away" } }
            ul.list {
                @for (absence, rotation) in all.iter().take(MOST) {
                    (line(visit, absence, rotation.as_ref().map(|(_, name)| name.as_str()), own))
                }
                @if left > 0 { li { span.muted { "And " (left) " more" } } }
            }
            (absences::form(visit, &absences::tomorrow(visit), errors, "step")?)
        }
    })
}

fn line(visit: &Visit, absence: &Absence, rotation: Option<&str>, own: &[Mine]) -> Markup {
    let times = times(visit);
    let meets = |turn: &&Mine| {
        let pieces = turn.pieces.iter();
        counts(absence, turn.rotation().0)
            && pieces
                .clone()
                .any(|piece| piece.duty.period().meets(absence.period).is_some())
    };
    let standing: Vec<String> = own.iter().filter(meets).map(Mine::name).collect();
    let path = format!("/me/absences/{}", absence.id);
    html! {
        li data-absence=(absence.id) {
            div.what {
                a href=(path) { (days(&times, absence)) }
                small.muted {
                    @if let Some(reason) = &absence.reason { bdi { (reason) } ". " }
                    @if let Some(name) = rotation { "In " bdi { (name) } " alone. " }
                    @match standing.as_slice() {
                        [] => "Nothing stands meanwhile.",
                        [one] => { "One turn still stands: " bdi { (one) } "." },
                        all => { (all.len()) " turns still stand." },
                    }
                }
            }
            span.row {
                @if !standing.is_empty() { (ask(&path, "s go")) }
                form.bare method="post" action=(format!("{path}/end")) {
                    button.btn.s type="submit" data-action="end" { "End" span.sr { " the absence " (days(&times, absence)) } }
                }
            }
        }
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
