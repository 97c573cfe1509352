//! What would change, shown before it is saved.

use super::{action, page};
use crate::actions::ActionError;
use crate::actions::preview::{self, Preview, Wanted};
use crate::domain::forecast::Difference;
use crate::domain::ids::{LaneId, RotationId};
use crate::domain::refusal::Refusal;
use crate::domain::rotation::Rotation;
use crate::server::{Problem, Response};
use crate::web::form::Errors;
use crate::web::pages::{remarks, tag, times};
use crate::web::parts::fields::hidden;
use crate::web::parts::people::People;
use crate::web::visit::Visit;
use crate::wire::etag::Precondition;
use maud::{Markup, html};

/// Rows of the table at the most.
const MOST_ROWS: usize = 100;

/// Looks at an edit, for whoever saw the rotation as it is.
///
/// # Errors
/// As the write: a stale `ifMatch` is refused here already.
pub fn look(visit: &Visit, id: &RotationId, wanted: &Wanted) -> Result<Preview, ActionError> {
    let preview = preview::of(visit.app(), &visit.caller, id, wanted)?;
    if let Some(if_match) = visit.form.filled("ifMatch") {
        Precondition::parse(if_match).check(|| tag(visit, &preview.stored))?;
    }
    Ok(preview)
}

/// Refusals of one part of a body, as if the part were the body.
pub fn within<T>(outcome: Result<T, ActionError>, path: &str) -> Result<T, ActionError> {
    outcome.map_err(|stop| match stop {
        ActionError::Refused(Refusal::Invalid(detail)) => {
            let inner = detail.strip_prefix(path).unwrap_or(&detail).to_owned();
            Refusal::Invalid(inner).into()
        }
        other => other,
    })
}

/// The page that shows what an edit would change. `more` says what else there is to know of it.
pub fn show(
    visit: &Visit,
    part: &str,
    preview: &Preview,
    (remarked, more): (&[String], Markup),
) -> Result<Response, Problem> {
    let rotation = &preview.stored;
    let differences = &preview.differences;
    let users = differences
        .iter()
        .flat_map(|one| one.before.iter().chain(&one.after));
    let people = People::load(visit.app(), users.collect::<Vec<_>>(), true)?;
    let has_lanes = rotation.lanes.len() > 1 || preview.then.lanes.len() > 1;
    let times = times(visit);
    let left = ["confirmed", "edit"];
    let kept = visit.form.fields().filter(|(name, _)| !left.contains(name));
    let content = html! {
        (remarks(remarked))
        form method="post" action=(visit.here()) {
            section.card aria-labelledby="changes" {
                h2 #changes { "What would change" }
                (more)
                @if differences.is_empty() {
                    p { "Nobody’s turn changes in the next 14 days." }
                } @else {
                    p { "From now on, in the next 14 days:" }
                    table.rows {
                        thead {
                            tr {
                                th scope="col" { "When" }
                                @if has_lanes { th scope="col" { "Lane" } }
                                th scope="col" { "Now planned" } th scope="col" { "Then" }
                            }
                        }
                        tbody {
                            @for one in differences.iter().take(MOST_ROWS) {
                                tr data-start=(one.period.from) data-end=(one.period.until) {
                                    td { (times.period(one.period.from, Some(one.period.until))) }
                                    @if has_lanes { td data-label="Lane" { bdi { (lane(preview, one)) } } }
                                    td data-label="Now planned" { (who(&people, &one.before)) }
                                    td data-label="Then" { (who(&people, &one.after)) }
                                }
                            }
                        }
                    }
                    @if differences.len() > MOST_ROWS { p.muted { "And " (differences.len() - MOST_ROWS) " more." } }
                }
                @for (name, value) in kept { (hidden(name, value)) }
                p.actions {
                    button.main type="submit" name="confirmed" value="true" { "Save" }
                    button type="submit" name="edit" value="true" { "Change" }
                    a.button href=(action(rotation, part)) { "Discard" }
                }
            }
        }
    };
    page(visit, rotation, part, (200, &Errors::default()), content)
}

fn who(people: &People, users: &[crate::domain::ids::UserId]) -> Markup {
    match users.is_empty() {
        true => html! { span.muted { "nobody" } },
        false => people.show_all(users),
    }
}

/// What a lane is called, after the edit where it is there still.
fn lane(preview: &Preview, one: &Difference) -> String {
    let name = |rotation: &Rotation, id: &LaneId| {
        let index = rotation.lanes.iter().position(|lane| lane.id == *id)?;
        let named = rotation.lanes[index].name.clone();
        Some(named.unwrap_or_else(|| format!("Lane {}", index + 1)))
    };
    let then = name(&preview.then, &one.lane);
    then.or_else(|| name(&preview.stored, &one.lane))
        .unwrap_or_default()
}
