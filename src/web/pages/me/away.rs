//! When the reader is away: what still stands meanwhile, and a form for more.

use super::super::{absences, times};
use super::turns::Mine;
use crate::actions;
use crate::domain::absence::Absence;
use crate::server::Problem;
use crate::web::form::Errors;
use crate::web::parts::absence::{ask, counts, days};
use crate::web::visit::Visit;
use maud::{Markup, html};

/// Absences that are listed at the most.
const MOST: usize = 10;

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
