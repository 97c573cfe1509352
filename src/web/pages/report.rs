//! Who carries how much in all rotations: everybody's duty for workspace admins, their own for others.

use super::times;
use crate::actions::report::{self, ReportQuery};
use crate::domain::ids::RotationId;
use crate::domain::report::{GroupBy, Row};
use crate::server::{Outcome, Problem};
use crate::store::list_rotation_names;
use crate::web::form::{Errors, Form};
use crate::web::layout;
use crate::web::pages::path_of;
use crate::web::parts::csv;
use crate::web::parts::fields::{self, Choice, Filled};
use crate::web::parts::load::{self, DateSpan, LoadRow, MEANING, cells, heads, lines, most};
use crate::web::parts::people::People;
use crate::web::visit::Visit;
use crate::wire::report as wire;
use maud::{Markup, html};
use std::collections::HashMap;

/// Days that can be shown at the most: five years.
const MOST: i64 = 5 * 365 + 1;

/// Lines that are shown at the most; the file has all of them.
const LINES: usize = 500;

/// GET /reports/duty.
pub fn show(visit: &Visit) -> Outcome {
    let mut errors = Errors::default();
    let shown = load::shown(visit, &times(visit), MOST, &mut errors);
    let by = GroupBy::parse(visit.query.one("by")).unwrap_or(GroupBy::Person);
    let wanted = ReportQuery {
        range: shown.range,
        rotation: None,
        user: None,
        by,
    };
    let app = visit.app();
    let rows = report::duty(app.store(), app.calendar(), &visit.caller, &wanted)?;
    let people = rows.iter().filter_map(|row| row.user.as_ref());
    let people = People::load(app, people.collect::<Vec<_>>(), true)?;
    let names = Names::load(visit, by)?;
    if visit.query.one("format") == "csv" && errors.is_empty() {
        let named = wire::subjects(by).into_iter().map(|subject| match subject {
            "userId" => vec!["userId", "name"],
            "rotationId" => vec!["rotationId", "rotation"],
            other => vec![other],
        });
        let head = named.flatten().chain(wire::NUMBERS);
        let rows = rows.iter().map(|row| fields(by, row, &people, &names));
        return Ok(csv::file("duty", head, rows));
    }
    page(visit, (by, &shown), lines(rows), (&people, &names), &errors)
}

/// A row of the file: as the API has it, with names after ids.
fn fields(by: GroupBy, row: &Row, people: &People, names: &Names) -> Vec<String> {
    let fields = wire::fields(wire::render(by, row));
    let subjects = wire::subjects(by);
    let mut named = Vec::with_capacity(fields.len() + 2);
    for (index, field) in fields.into_iter().enumerate() {
        let subject = subjects.get(index).copied().unwrap_or_default();
        let name = match (subject, &row.user, &row.rotation) {
            ("userId", Some(user), _) => Some(people.name(user).to_owned()),
            ("rotationId", _, Some(rotation)) => Some(names.name(rotation).to_owned()),
            _ => None,
        };
        named.push(field);
        named.extend(name);
    }
    named
}

fn page(
    visit: &Visit,
    (by, shown): (GroupBy, &DateSpan),
    mut lines: Vec<LoadRow>,
    (people, names): (&People, &Names),
    errors: &Errors,
) -> Outcome {
    let is_everybody = visit.caller.check_administer().is_ok();
    let values = Form::with([
        ("from", shown.from.to_string()),
        ("to", shown.to.to_string()),
        ("by", by.name().to_owned()),
    ]);
    let filled = Filled {
        values: &values,
        errors,
    };
    let choices = [
        ("person", "Person"),
        ("rotation", "Rotation"),
        ("personRotation", "Person and rotation"),
        ("week", "Week"),
        ("month", "Month"),
    ];
    let choices = choices.map(|(value, label)| Choice::new(value, label));
    // Weeks and months stay in order.
    lines.sort_by(|one, other| {
        let hours = other.load.hours.cmp(&one.load.hours);
        one.bucket.cmp(&other.bucket).then(hours)
    });
    let most = most(&lines);
    let file = format!(
        "/reports/duty?from={}&to={}&by={}&format=csv",
        shown.from,
        shown.to,
        by.name()
    );
    let content = html! {
        (fields::summary(errors))
        h1 { "Who carries how much" }
        p.sub { @if is_everybody { "Everybody’s duty in all rotations." } @else { "Your duty in the rotations that you see." } }
        form.card.pad method="get" action="/reports/duty" {
            div.inline {
                (filled.input("date", "from", "From", "", false))
                (filled.input("date", "to", "To, included", "", false))
                (filled.select("by", "By", "", &choices))
                button.btn type="submit" { "Show" }
            }
        }
        section.card.flush aria-labelledby="duty" {
            h2 #duty { "Hours on call" }
            @if lines.is_empty() { div.pad { p.muted { "Nobody was on call in these days, and nobody is planned to be." } } } @else {
                table.rows {
                    caption { (MEANING) }
                    thead { tr { @for head in subject_heads(by) { th scope="col" { (head) } } (heads()) } }
                    tbody { @for line in lines.iter().take(LINES) { (row(line, people, names, most)) } }
                }
                @if lines.len() > LINES { div.pad { p.muted { "And " (lines.len() - LINES) " more: the CSV has all." } } }
            }
        }
        p.actions { a.btn.s href=(file) { "As CSV" } }
    };
    let status = if errors.is_empty() { 200 } else { 400 };
    let title = "Who carries how much";
    Ok(layout::page_with(visit, status, title, content))
}

fn subject_heads(by: GroupBy) -> Vec<&'static str> {
    let head = |subject| match subject {
        "week" => "Week",
        "month" => "Month",
        "userId" => "Who",
        _ => "Rotation",
    };
    wire::subjects(by).into_iter().map(head).collect()
}

fn row(line: &LoadRow, people: &People, names: &Names, most: jiff::SignedDuration) -> Markup {
    html! {
        tr data-user=[line.user.as_ref()] {
            @if let Some(bucket) = &line.bucket { th scope="row" { (bucket) } }
            @if let Some(user) = &line.user {
                @if line.bucket.is_none() { th scope="row" { (people.show(user)) } } @else { td data-label="Who" { (people.show(user)) } }
            }
            @if let Some(rotation) = &line.rotation {
                @if line.user.is_none() { th scope="row" { (names.show(rotation)) } } @else { td data-label="Rotation" { (names.show(rotation)) } }
            }
            (cells(line, most))
        }
    }
}

/// The names of rotations by their id; empty where no row names one.
struct Names(HashMap<RotationId, (Option<String>, String)>);

impl Names {
    fn load(visit: &Visit, by: GroupBy) -> Result<Names, Problem> {
        if !by.has_rotation() {
            return Ok(Names(HashMap::new()));
        }
        let listed = visit.app().store().read(list_rotation_names)?;
        let named = listed.into_iter().map(|one| (one.id, (one.code, one.name)));
        Ok(Names(named.collect()))
    }

    fn name<'a>(&'a self, rotation: &'a RotationId) -> &'a str {
        let known = self.0.get(rotation);
        known.map_or(rotation.as_str(), |(_, name)| name)
    }

    fn show(&self, rotation: &RotationId) -> Markup {
        let code = self.0.get(rotation).and_then(|(code, _)| code.as_deref());
        html! { a href=(path_of(rotation, code)) { bdi { (self.name(rotation)) } } }
    }
}
