//! What a new workspace still lacks, on the first page of its admins until all is done or one of them hides it.

use super::people::lines;
use super::setup::STEPS;
use crate::actions::people::{self as progress, Progress};
use crate::server::{Outcome, Problem};
use crate::web::answer;
use crate::web::form::{Errors, Form};
use crate::web::parts::icon::icon;
use crate::web::visit::Visit;
use maud::{Markup, html};
use std::ops::RangeInclusive;

/// The list; nothing for others than admins, and once it is done or hidden.
pub fn list(visit: &Visit) -> Result<Markup, Problem> {
    let Some(reader) = &visit.reader else {
        return Ok(html! {});
    };
    if visit.caller.check_directory().is_err() || visit.app().remote().is_some() {
        return Ok(html! {});
    }
    let login = &visit.web.login;
    let is_provided = login.provider.is_some() || login.proxy.is_some();
    let found = progress::progress(visit.app(), &reader.person.id, is_provided)?;
    let Some(progress) = found else {
        return Ok(html! {});
    };
    let done = states(progress);
    let count = done.iter().filter(|done| **done).count();
    let current = done.iter().position(|done| !done).unwrap_or_default();
    Ok(html! {
        section.card #getting-started aria-labelledby="started" {
            header {
                h2 #started { "Getting started" }
                span.row {
                    span.tag.good { (count) " of " (STEPS.len()) }
                    form.bare method="post" action="/getting-started/hide" {
                        button.btn.s.ghost type="submit" { "Hide" }
                    }
                }
            }
            // The step that is open has its form below it, so the list is in two parts there.
            (steps(visit, &done, current, 0..=current))
            @if current == 1 {
                div.pad.pt0.ind { (lines(visit, &Form::default(), &Errors::default(), "home")) }
            }
            @if current + 1 < STEPS.len() { (steps(visit, &done, current, current + 1..=STEPS.len() - 1)) }
        }
    })
}

/// A run of the steps.
fn steps(visit: &Visit, done: &[bool], current: usize, run: RangeInclusive<usize>) -> Markup {
    let own = visit.reader.as_ref().map(|reader| reader.person.name());
    html! {
        ol.check {
            @for index in run {
                @let (name, about) = STEPS[index];
                li class=(state(done[index], index == current)) {
                    @if done[index] { span.num.ok { (icon("check")) } } @else { span.num { (index + 1) } }
                    div.what {
                        b { (name) @if done[index] { span.sr { ", done" } } }
                        small.muted { @if index == 0 { bdi { (own.unwrap_or_default()) } ", " (visit.zone.as_str()) } @else { (about) } }
                    }
                    (step(index, done[index]))
                }
            }
        }
    }
}

fn states(progress: Progress) -> [bool; STEPS.len()] {
    [
        true,
        progress.has_people,
        progress.has_rotation,
        progress.others_sign_in,
    ]
}

fn state(is_done: bool, is_current: bool) -> &'static str {
    match (is_done, is_current) {
        (true, _) => "done",
        (false, true) => "cur",
        (false, false) => "",
    }
}

fn step(index: usize, is_done: bool) -> Markup {
    html! {
        @match index {
            2 if !is_done => a.btn.s href="/rotations/new" { "Make it" },
            3 if !is_done => a.btn.s href="/people" { "Choose" },
            _ => {},
        }
    }
}

/// POST /getting-started/hide.
pub fn hide(visit: &Visit) -> Outcome {
    visit.caller.check_directory()?;
    progress::hide_progress(visit.app())?;
    Ok(answer::see("/"))
}
