//! How much each person of a rotation is on call, from the record and the plan.

use super::{crumbs, named, path_to, times};
use crate::actions::report;
use crate::domain::ids::UserId;
use crate::domain::roster;
use crate::domain::rotation::Rotation;
use crate::server::Outcome;
use crate::web::form::{Errors, Form};
use crate::web::layout;
use crate::web::parts::csv;
use crate::web::parts::fields::{self, Filled};
use crate::web::parts::load::{self, DateSpan, LoadRow, MEANING, cells, heads, hours, lines, most};
use crate::web::parts::people::People;
use crate::web::visit::Visit;
use maud::html;

/// Days that can be shown at the most.
const MOST: i64 = 366;

/// GET /rotations/{rotation}/load.
pub fn show(visit: &Visit) -> Outcome {
    let known = named(visit)?;
    let mut errors = Errors::default();
    let shown = load::shown(visit, &times(visit), MOST, &mut errors);
    let (rotation, rows) = report::of_rotation(visit.app(), &visit.caller, &known.id, shown.range)?;
    let mut all: Vec<(UserId, LoadRow)> = lines(rows)
        .into_iter()
        .filter_map(|line| Some((line.user.clone()?, line)))
        .collect();
    for member in roster::order(&rotation.members, None) {
        if !all.iter().any(|(user, _)| *user == member.user) {
            all.push((member.user.clone(), LoadRow::nothing(member.user)));
        }
    }
    let carried =
        |(user, line): &(UserId, LoadRow)| (std::cmp::Reverse(line.load.hours), user.clone());
    all.sort_by_key(carried);
    let people = People::load(visit.app(), all.iter().map(|(user, _)| user), true)?;
    if visit.query.one("format") == "csv" && errors.is_empty() {
        let head = [
            "userId",
            "name",
            "hours",
            "plannedHours",
            "nightHours",
            "weekendHours",
            "holidayHours",
        ];
        let rows = all.iter().map(|(user, line)| {
            let named = [user.to_string(), people.name(user).to_owned()];
            named.into_iter().chain(line.lengths().map(hours))
        });
        return Ok(csv::file("load", head, rows));
    }
    page(visit, &rotation, &shown, (&all, &people), &errors)
}

fn page(
    visit: &Visit,
    rotation: &Rotation,
    shown: &DateSpan,
    (all, people): (&[(UserId, LoadRow)], &People),
    errors: &Errors,
) -> Outcome {
    let values = Form::with([
        ("from", shown.from.to_string()),
        ("to", shown.to.to_string()),
    ]);
    let filled = Filled {
        values: &values,
        errors,
    };
    let base = format!("{}/load", path_to(rotation));
    let most = most(all.iter().map(|(_, line)| line));
    let content = html! {
        (crumbs(rotation))
        (fields::summary(errors))
        h1 { "Load of " bdi { (rotation.profile.name) } }
        form.card.pad method="get" action=(base) {
            div.inline {
                (filled.input("date", "from", "From", "", false))
                (filled.input("date", "to", "To, included", "", false))
                button.btn type="submit" { "Show" }
            }
        }
        section.card.flush aria-labelledby="people" {
            h2 #people { "Hours on call" }
            @if all.is_empty() { div.pad { p.muted { "Nobody is in this rotation, and nobody was on call in these days." } } } @else {
                table.rows {
                    caption { (MEANING) }
                    thead { tr { th scope="col" { "Who" } (heads()) } }
                    tbody {
                        @for (user, line) in all {
                            tr data-user=(user) {
                                th scope="row" { (people.show(user)) }
                                (cells(line, most))
                            }
                        }
                    }
                }
            }
        }
        p.actions {
            a.btn.s href=(format!("{base}?from={}&to={}&format=csv", shown.from, shown.to)) { "As CSV" }
            a.btn.s href=(format!("/reports/duty?from={}&to={}", shown.from, shown.to)) { "All rotations" }
        }
    };
    let status = if errors.is_empty() { 200 } else { 400 };
    let title = format!("Load of {}", rotation.profile.name);
    Ok(layout::page_with(visit, status, &title, content))
}
