//! What is wrong with the plan of a rotation: what matters in the next days first, everything else folded.

use super::Shown;
use crate::actions::ActionError;
use crate::actions::warnings::{self, Asked};
use crate::domain::naming::Naming;
use crate::domain::warning::Warning;
use crate::domain::warning_kinds::WarningKind;
use crate::server;
use crate::web::parts::near;
use crate::web::parts::place;
use crate::web::parts::problem::{self, Offer, Problem};
use crate::web::parts::warned;
use maud::{Markup, html};

/// How many days are looked at; what begins later is on the page of all notes.
const DAYS: u32 = 14;

/// Smaller notes that are listed at the most.
const MOST_NOTES: usize = 12;

/// The card of problems.
pub fn card(page: &Shown) -> Result<Markup, server::Problem> {
    let asked = Asked {
        days: DAYS,
        severity: None,
        naming: Naming::Names,
    };
    let (app, caller) = (page.visit.app(), &page.visit.caller);
    let found = match warnings::of_rotation(app, caller, &page.rotation.id, asked) {
        Ok((_, found)) => found,
        // So many turns that their plan is not made for a look at the page.
        Err(ActionError::Refused(_)) => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    let (red, notes): (Vec<&Warning>, Vec<&Warning>) = found
        .iter()
        .partition(|one| one.matters(page.visit.now, page.is_editor));
    let problems: Vec<Problem> = red.iter().map(|warning| told(page, warning)).collect();
    let counted = app.warned().counted();
    let all: u64 = counted
        .get(&page.rotation.id)
        .map_or(0, |kinds| kinds.values().sum());
    let later = (all as usize).saturating_sub(found.len());
    let base = page.base();
    Ok(html! {
        section.card aria-labelledby="problems" {
            header {
                h2 #problems { "Problems" }
                @if !problems.is_empty() { span.count.bad { (problems.len()) } }
            }
            (problem::listed(&problems))
            div.pad.tight {
                @if problems.is_empty() { p.muted { "Nothing to worry about in the next two weeks." } }
                @if !notes.is_empty() {
                    details.more {
                        summary { (count(notes.len())) }
                        ul.stack.g2.small.muted {
                            @for note in notes.iter().take(MOST_NOTES) {
                                li { bdi { (warned::text(note, &page.people, &page.days.times)) } " " (page.days.times.stretch(note.period.from, note.period.until)) }
                            }
                        }
                    }
                }
                @if later > 0 || notes.len() > MOST_NOTES || !found.is_empty() {
                    p { a.btn.s.ghost href=(format!("{base}/warnings")) { "All notes" @if later > 0 { ", with " (later) " later" } } }
                } @else {
                    p { a.btn.s.ghost href=(format!("{base}/warnings")) { "Look further ahead" } }
                }
            }
        }
    })
}

fn count(notes: usize) -> String {
    match notes {
        1 => "1 smaller note".to_owned(),
        notes => format!("{notes} smaller notes"),
    }
}

fn told(page: &Shown, warning: &Warning) -> Problem {
    let times = &page.days.times;
    let stretch = times.stretch(warning.period.from, warning.period.until);
    let slot = warning
        .cell
        .as_ref()
        .and_then(|cell| page.rotation.slot_of(cell));
    let place = slot.map(|slot| place::of(&page.rotation, &page.rotation.cells[slot]).whole);
    let place = place.filter(|_| page.rotation.cells.len() > 1);
    let who = warning.users.first().map(|user| page.people.name(user));
    let text = match (warning.kind, who) {
        (WarningKind::Nobody, _) => match place {
            Some(place) => format!("Nobody is on call, {place}, {stretch}"),
            None => format!("Nobody is on call, {stretch}"),
        },
        (WarningKind::AbsentOnDuty, Some(who)) => {
            format!("{who} is away and still on call, {stretch}")
        }
        _ => {
            let text = warned::text(warning, &page.people, times);
            text.trim_end_matches('.').to_owned()
        }
    };
    let begins = warning.period.from.duration_since(page.visit.now);
    let more = match begins.is_positive() {
        true => format!("In {}.", near::length(begins)),
        false => "Now.".to_owned(),
    };
    Problem {
        text,
        more,
        offers: offers(page, warning),
    }
}

fn offers(page: &Shown, warning: &Warning) -> Vec<Offer> {
    let base = page.base();
    let turn = |cell: &crate::domain::ids::CellId, step: &str| {
        let period = warning.period;
        format!(
            "{base}/shifts/{cell}/{}?do={step}&from={}&to={}",
            period.from, period.from, period.until
        )
    };
    let offer = |words, path, action| Offer {
        words,
        path,
        action,
    };
    let mut offers = Vec::new();
    match (warning.kind, &warning.cell) {
        (WarningKind::Nobody, Some(cell)) if page.is_ours() => {
            if page.is_member {
                offers.push(offer("Take it", turn(cell, "take"), Some("take")));
            }
            if page.is_editor {
                offers.push(offer("Find somebody", turn(cell, "assign"), Some("assign")));
            }
        }
        (WarningKind::AbsentOnDuty, Some(cell)) if page.is_ours() => {
            if page
                .visit
                .user()
                .is_some_and(|me| warning.users.contains(me))
            {
                offers.push(offer("Ask for cover", turn(cell, "cover"), Some("cover")));
            }
            if page.is_editor {
                offers.push(offer("Find somebody", turn(cell, "assign"), Some("assign")));
            }
        }
        (WarningKind::EmptyRoster, _) if page.is_editor => {
            offers.push(offer("Add people", format!("{base}/settings/people"), None));
        }
        (WarningKind::Unreachable, _) if page.is_editor => {
            offers.push(offer(
                "See the people",
                format!("{base}/settings/people"),
                None,
            ));
        }
        (WarningKind::StaleSource, _) if page.is_editor => {
            let part = if warning.users.is_empty() {
                "partner"
            } else {
                "absences"
            };
            offers.push(offer("See it", format!("{base}/settings/{part}"), None));
        }
        _ => {}
    }
    offers
}
