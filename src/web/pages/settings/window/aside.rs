//! Beside the form of hours: the week as covered, the next five hand-overs, and what saving changes.

use super::super::weigh;
use crate::actions::ActionError;
use crate::actions::preview::{self, Preview, PreviewQuery, When};
use crate::domain::cadence::Cadence;
use crate::domain::duty::Duty;
use crate::domain::edit::Edits;
use crate::domain::grid::{CadenceSpec, WindowSpec};
use crate::domain::ids::UserId;
use crate::domain::rotation::Rotation;
use crate::domain::wording;
use crate::server::Problem;
use crate::web::pages::times;
use crate::web::parts::people::{People, Size};
use crate::web::parts::{cadence, place};
use crate::web::visit::Visit;
use jiff::Timestamp;
use maud::{Markup, html};

/// Hand-overs that are listed.
const NEXT: usize = 5;

/// What an edit leads to.
pub struct Looked {
    /// What changes in the next days; `None` where that cannot be forecast.
    changes: Option<Preview>,
    /// The plan as far as the hand-overs that are listed.
    ahead: Option<Preview>,
}

/// The hours as they are stored.
pub fn stored(visit: &Visit, rotation: &Rotation, index: usize) -> Result<Markup, Problem> {
    let cadence = rotation
        .windows
        .get(index)
        .and_then(|window| window.cadence.as_ref());
    let ahead = match rotation.external {
        Some(_) => None,
        None => ahead(visit, rotation, cadence, Edits::default())?,
    };
    Ok(html! {
        (week(rotation, index))
        (next_five(visit, ahead.as_ref(), index)?)
    })
}

/// Looks at an edit that gives the rotation this window.
///
/// # Errors
/// What the state refuses.
pub fn look(
    visit: &Visit,
    rotation: &Rotation,
    window: Option<&WindowSpec>,
    edits: Edits,
) -> Result<Looked, ActionError> {
    let cadence = match window.map(|window| &window.cadence) {
        Some(CadenceSpec::Timed(cadence)) => Some(cadence),
        _ => None,
    };
    Ok(Looked {
        changes: weigh::look(visit, &rotation.id, edits.clone())?,
        ahead: ahead(visit, rotation, cadence, edits)?,
    })
}

/// The hours as a form has them, and what saving it changes.
pub fn looked_at(
    visit: &Visit,
    rotation: &Rotation,
    index: usize,
    looked: &Looked,
) -> Result<Markup, Problem> {
    let then = looked.ahead.as_ref().map(|preview| &preview.then);
    Ok(html! {
        (week(then.unwrap_or(rotation), index))
        (next_five(visit, looked.ahead.as_ref(), index)?)
        section.card.pad aria-labelledby="changes" {
            h2 #changes { "What saving changes" }
            (weigh::in_words(visit, looked.changes.as_ref())?)
        }
    })
}

/// The plan until enough hand-overs have passed; `None` where it takes too much to make.
fn ahead(
    visit: &Visit,
    rotation: &Rotation,
    cadence: Option<&Cadence>,
    edits: Edits,
) -> Result<Option<Preview>, ActionError> {
    let next = cadence.map_or_else(Vec::new, |cadence| {
        cadence.upcoming(visit.app().calendar(), visit.now, NEXT)
    });
    let Some(last) = next.last() else {
        return Ok(None);
    };
    let days = last.duration_since(visit.now).as_hours() / 24 + 1;
    let when = When::now(days.min(preview::MOST_DAYS));
    let query = PreviewQuery::from(edits);
    match preview::of(visit.app(), &visit.caller, &rotation.id, query, when) {
        Ok(found) => Ok(Some(found)),
        Err(ActionError::Refused(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The covered week of all hours of the rotation, these first.
fn week(rotation: &Rotation, index: usize) -> Markup {
    let windows = &rotation.windows;
    let own = windows.get(index);
    let others = windows.iter().enumerate().filter(|(at, _)| *at != index);
    let rows: Vec<_> = own
        .map(|window| (index, window))
        .into_iter()
        .chain(others)
        .map(|(at, window)| {
            let name = place::window_name(window);
            (name, window.coverage.as_slice(), at == index)
        })
        .collect();
    html! {
        section.card.pad aria-labelledby="pic" {
            h2 #pic { "The week, as covered" }
            (cadence::week(&rows))
            @if let Some(window) = own {
                p.small.muted {
                    (wording::capital(&wording::hours(&window.coverage)))
                    @if let Some(zone) = window.zone { ", in the time of " (zone.as_str()) }
                    "."
                }
            }
        }
    }
}

/// Somebody comes on call, in place of whom.
struct HandOver<'p> {
    at: Timestamp,
    on: Option<&'p UserId>,
    off: Option<&'p UserId>,
}

/// The hand-overs of a slot, in order: where a turn begins.
fn of_slot(duties: &[Duty], slot: usize, now: Timestamp) -> Vec<HandOver<'_>> {
    let held = duties
        .iter()
        .filter(|duty| duty.slot == Some(slot) && (duty.entry.user.is_some() || duty.is_vacant()));
    let mut found = Vec::new();
    let mut last: Option<&Duty> = None;
    for duty in held {
        let is_new = last.is_none_or(|last| last.turn_since != duty.turn_since);
        if is_new && duty.entry.start > now {
            found.push(HandOver {
                at: duty.entry.start,
                on: duty.entry.user.as_ref(),
                off: last.and_then(|last| last.entry.user.as_ref()),
            });
        }
        last = Some(duty);
    }
    found
}

fn next_five(visit: &Visit, plan: Option<&Preview>, index: usize) -> Result<Markup, Problem> {
    let Some(plan) = plan else {
        return Ok(html! {});
    };
    let cells = plan.then.cells.iter().enumerate();
    let slots = cells.filter(|(_, cell)| cell.window == index);
    let mut all: Vec<(usize, HandOver)> = slots
        .flat_map(|(slot, _)| {
            let own = of_slot(&plan.planned_then, slot, visit.now).into_iter();
            own.map(move |one| (slot, one))
        })
        .collect();
    all.sort_by_key(|(slot, one)| (one.at, *slot));
    all.truncate(NEXT);
    let users = all
        .iter()
        .flat_map(|(_, one)| one.on.into_iter().chain(one.off));
    let people = People::load(visit.app(), users, true)?.read_by(visit.user());
    let times = times(visit);
    let has_rows = plan.then.lanes.len() > 1;
    Ok(html! {
        @if !all.is_empty() {
            section.card aria-labelledby="five" {
                header { h2 #five { "The next five hand-overs" } }
                ol.list.tight {
                    @for (slot, one) in &all {
                        li.keep {
                            div.ml.mid {
                                @match one.on {
                                    Some(user) => (people.avatar(user, Size::Usual)),
                                    None => span.av.no aria-hidden="true" { "?" },
                                }
                                div.what {
                                    b { bdi { (one.on.map_or("Nobody", |user| people.name(user))) } }
                                    small.muted {
                                        @if has_rows { (place::lane_name(&plan.then, plan.then.cells[*slot].lane)) " · " }
                                        @match one.off {
                                            Some(user) if Some(user) == one.on => "goes on",
                                            Some(user) => { "from " bdi { (people.name(user)) } },
                                            None => "from nobody",
                                        }
                                    }
                                }
                            }
                            span.nowrap { (times.show(one.at)) }
                        }
                    }
                }
            }
        }
    })
}
