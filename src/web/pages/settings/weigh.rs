//! The preview of an edit, shown before it is saved.

use super::{action, page};
use crate::actions::ActionError;
use crate::actions::preview::{self, Change, Preview, When};
use crate::domain::edit::{Edits, RotationPatch};
use crate::domain::forecast::{Difference, Planned};
use crate::domain::grid::RosterSpec;
use crate::domain::ids::{LaneId, RosterId, RotationId, UserId};
use crate::domain::refusal::Refusal;
use crate::domain::rotation::Rotation;
use crate::server::{Problem, Response};
use crate::web::form::Errors;
use crate::web::pages::{failing, remarks, tag, times};
use crate::web::parts::fields::hidden;
use crate::web::parts::load::short;
use crate::web::parts::people::People;
use crate::web::visit::Visit;
use crate::wire::etag::Precondition;
use jiff::SignedDuration;
use maud::{Markup, html};
use std::collections::BTreeMap;

/// Rows of the table at the most.
const MOST_ROWS: usize = 100;

/// The same beside a form.
const MOST_BESIDE: usize = 8;

/// How many days ahead the pages look.
const DAYS: i64 = 14;

/// Looks at an edit, for whoever saw the rotation as it is. `None` where its plan is too large to be forecast.
///
/// # Errors
/// As the write: a stale `ifMatch`, and what the state refuses, are refused here already.
pub fn look(visit: &Visit, id: &RotationId, edits: Edits) -> Result<Option<Preview>, ActionError> {
    let (app, when) = (visit.app(), When::now(DAYS));
    let preview = match preview::of(app, &visit.caller, id, edits.into(), when) {
        // Days and instant are right, and what is wrong with the edit is in the preview.
        Err(ActionError::Refused(Refusal::Invalid { .. })) => return Ok(None),
        looked => looked?,
    };
    if let Some(if_match) = visit.form.filled("ifMatch") {
        Precondition::parse(if_match).check(|| tag(visit, &preview.stored))?;
    }
    match preview.refusals.first() {
        Some(refused) => Err(refused.refusal.clone().into()),
        None => Ok(Some(preview)),
    }
}

/// A form whose edit is looked at before it is saved.
pub struct ConfirmedForm<'a> {
    pub part: &'a str,
    /// The fields of the form.
    pub names: &'a [&'a str],
    /// Further remarks to read before saving.
    pub more: Markup,
}

/// The page to show before an edit is saved: what it changes for people, or the form again where it is refused. `None` where
/// its reader has confirmed it, where nobody is on call otherwise than before, where that cannot be forecast, and where the write
/// itself has the answer.
pub fn before(
    visit: &Visit,
    rotation: &Rotation,
    weighed: ConfirmedForm,
    edits: Result<Edits, Refusal>,
    again: impl FnOnce(u16, Errors) -> Result<Response, Problem>,
) -> Result<Option<Response>, Problem> {
    let is_whole = ["ifMatch", "operationId"]
        .into_iter()
        .all(|name| visit.form.filled(name).is_some());
    if !is_whole || visit.form.one("confirmed") == "true" {
        return Ok(None);
    }
    let looked = edits
        .map_err(ActionError::from)
        .and_then(|edits| look(visit, &rotation.id, edits));
    if let Err(ActionError::Refused(Refusal::StaleValidator)) = &looked {
        // The write tells a form that is sent again from one that is about what has changed meanwhile.
        return Ok(None);
    }
    match failing(visit, &rotation.id, looked, weighed.names, again)? {
        Ok(None) => Ok(None),
        Ok(Some(preview)) => {
            let differences = preview.by_lane();
            if differences.is_empty() {
                return Ok(None);
            }
            let compared = Some((&preview, differences));
            show(visit, rotation, weighed.part, compared, (&[], weighed.more)).map(Some)
        }
        Err(page) => Ok(Some(page)),
    }
}

/// The edit that a PATCH makes.
pub fn patch(patch: RotationPatch) -> Edits {
    Edits {
        patch: Some(patch),
        ..Edits::default()
    }
}

/// The edit that a write of a roster makes.
pub fn roster(id: Option<RosterId>, spec: RosterSpec) -> Edits {
    Edits {
        rosters: vec![(id, spec)],
        ..Edits::default()
    }
}

/// Refusals of one part of a body, as if the part were the body.
pub fn within<T>(outcome: Result<T, ActionError>, path: &str) -> Result<T, ActionError> {
    outcome.map_err(|stop| match stop {
        ActionError::Refused(Refusal::Invalid { path: whole, fault }) => {
            let inner = whole.within(path).unwrap_or(whole.as_str());
            Refusal::invalid(inner, fault).into()
        }
        other => other,
    })
}

/// The page that shows what an edit would change. `more` says what else there is to know of it.
pub fn shown(
    visit: &Visit,
    rotation: &Rotation,
    part: &str,
    looked: Option<Preview>,
    told: (&[String], Markup),
) -> Result<Response, Problem> {
    let compared = looked.as_ref().map(|preview| (preview, preview.by_lane()));
    show(visit, rotation, part, compared, told)
}

fn show(
    visit: &Visit,
    rotation: &Rotation,
    part: &str,
    compared: Option<(&Preview, Vec<Difference<LaneId>>)>,
    (remarked, more): (&[String], Markup),
) -> Result<Response, Problem> {
    let changes = match compared {
        Some((preview, differences)) => changes(visit, preview, &differences, MOST_ROWS)?,
        None => too_large(),
    };
    let left = ["confirmed", "edit"];
    let kept = visit.form.fields().filter(|(name, _)| !left.contains(name));
    let content = html! {
        (remarks(remarked))
        form method="post" action=(visit.here()) {
            section.card.pad aria-labelledby="changes" {
                h2 #changes { "What would change" }
                (more)
                (changes)
                @for (name, value) in kept { (hidden(name, value)) }
                p.actions {
                    button.btn.go type="submit" name="confirmed" value="true" { "Save" }
                    button.btn type="submit" name="edit" value="true" { "Change" }
                    a.btn href=(action(rotation, part)) { "Discard" }
                }
            }
        }
    };
    page(visit, rotation, part, (200, &Errors::default()), content)
}

fn too_large() -> Markup {
    html! { p { "The plan of this rotation is too large to say beforehand whose turns change." } }
}

/// What an edit changes, for a page that shows it beside its form.
pub fn in_words(visit: &Visit, looked: Option<&Preview>) -> Result<Markup, Problem> {
    match looked {
        Some(preview) => changes(visit, preview, &preview.by_lane(), MOST_BESIDE),
        None => Ok(too_large()),
    }
}

/// Whose turns change, and what that is for each person.
fn changes(
    visit: &Visit,
    preview: &Preview,
    differences: &[Difference<LaneId>],
    most: usize,
) -> Result<Markup, Problem> {
    let users = differences
        .iter()
        .flat_map(|one| one.before.iter().chain(&one.after));
    let loads = &preview.people;
    let users = users.chain(loads.keys());
    let people = People::load(visit.app(), users.collect::<Vec<_>>(), true)?;
    let has_lanes = preview.stored.lanes.len() > 1 || preview.then.lanes.len() > 1;
    let times = times(visit);
    Ok(html! {
        @if differences.is_empty() {
            p { "Nobody’s turn changes in the next " (DAYS) " days." }
        } @else {
            p { "From now on, in the next " (DAYS) " days:" }
            table.rows {
                thead {
                    tr {
                        th scope="col" { "When" }
                        @if has_lanes { th scope="col" { "Row" } }
                        th scope="col" { "Now planned" } th scope="col" { "Then" }
                    }
                }
                tbody {
                    @for one in differences.iter().take(most) {
                        tr data-start=(one.period.from) data-end=(one.period.until) {
                            td { (times.period(one.period.from, Some(one.period.until))) }
                            @if has_lanes { td data-label="Row" { bdi { (lane(preview, one)) } } }
                            td data-label="Now planned" { (who(&people, &one.before)) }
                            td data-label="Then" { (who(&people, &one.after)) }
                        }
                    }
                }
            }
            @if differences.len() > most { p.muted { "And " (differences.len() - most) " more." } }
        }
        (handed_over(preview))
        (carried(&people, loads))
    })
}

fn who(people: &People, users: &[UserId]) -> Markup {
    match users.is_empty() {
        true => html! { span.muted { "nobody" } },
        false => people.show_all(users),
    }
}

/// How often duty passes on, before and after.
fn handed_over(preview: &Preview) -> Markup {
    let times = |count: usize| match count {
        0 => "never".to_owned(),
        1 => "once".to_owned(),
        many => format!("{many} times"),
    };
    let [before, after] = [preview.before(), preview.after()].map(Planned::hand_overs);
    html! {
        p {
            @if before == after { "Who is on call changes " (times(before)) " in these days, as before." }
            @else { "Who is on call changes " (times(after)) " in these days; as now planned it is " (times(before)) "." }
        }
    }
}

/// Who is on call for longer or shorter than as now planned.
fn carried(people: &People, loads: &BTreeMap<UserId, Change>) -> Markup {
    let mut changed: Vec<(&UserId, SignedDuration, &Change)> = loads
        .iter()
        .map(|(user, change)| (user, change.after.hours - change.before.hours, change))
        .filter(|(_, more, _)| !more.is_zero())
        .collect();
    changed.sort_by_key(|(user, more, _)| (-*more, *user));
    html! {
        @if !changed.is_empty() {
            h3 { "Hours on call in these days" }
            table.rows {
                thead {
                    tr {
                        th scope="col" { "Who" } th scope="col" { "Now planned" } th scope="col" { "Then" }
                        th scope="col" { "More or less" }
                    }
                }
                tbody {
                    @for (user, more, change) in changed.iter().take(MOST_ROWS) {
                        tr data-user=(user) {
                            td { (people.show(user)) }
                            td data-label="Now planned" { (short(change.before.hours)) " h" }
                            td data-label="Then" { (short(change.after.hours)) " h" }
                            td data-label="More or less" {
                                @if more.is_positive() { (short(*more)) " h more" } @else { (short(-*more)) " h less" }
                            }
                        }
                    }
                }
            }
            @if changed.len() > MOST_ROWS { p.muted { "And " (changed.len() - MOST_ROWS) " more people." } }
        }
    }
}

/// The name of a lane: after the edit where it still exists.
fn lane(preview: &Preview, one: &Difference<LaneId>) -> String {
    let name = |rotation: &Rotation, id: &LaneId| {
        let index = rotation.lanes.iter().position(|lane| lane.id == *id)?;
        let named = rotation.lanes[index].name.clone();
        Some(named.unwrap_or_else(|| format!("Row {}", index + 1)))
    };
    let then = name(&preview.then, &one.place);
    then.or_else(|| name(&preview.stored, &one.place))
        .unwrap_or_default()
}
