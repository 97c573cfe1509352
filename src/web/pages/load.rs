//! How much each person is on call: hours, nights and weekends, from the record and the plan.

use super::{crumbs, named, path_to, times};
use crate::actions::plan;
use crate::domain::forecast;
use crate::domain::ids::UserId;
use crate::domain::load::{Held, Load, loads};
use crate::domain::roster;
use crate::domain::rotation::Rotation;
use crate::domain::time::Interval;
use crate::domain::zones::ZoneName;
use crate::server::Outcome;
use crate::web::form::{Errors, Form};
use crate::web::layout;
use crate::web::parts::csv;
use crate::web::parts::fields::{self, Filled};
use crate::web::parts::people::People;
use crate::web::visit::Visit;
use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp, ToSpan};
use maud::{Markup, html};

/// Days before and after today that are shown at first, and that can be shown at the most.
const USUAL: i64 = 28;
const MOST: i64 = 366;

/// From the first instant of a day to the last of another, in the reader's zone.
struct Shown {
    from: Date,
    to: Date,
    range: Interval,
}

/// What the address asks for. Dates that are none, or too far apart, are said, and the usual ones shown.
fn shown(visit: &Visit, errors: &mut Errors) -> Shown {
    let times = times(visit);
    let today = times.date(visit.now);
    let usual = |days: i64| today.saturating_add(days.days());
    let mut date = |name: &str, days: i64| match visit.query.filled(name).map(str::parse) {
        None => usual(days),
        Some(Ok(date)) => date,
        Some(Err(_)) => {
            errors.add(name, "Enter a date, such as 2026-11-23.");
            usual(days)
        }
    };
    let (mut from, mut to) = (date("from", -USUAL), date("to", USUAL));
    let days = from.until(to).map_or(-1, |span| i64::from(span.get_days()));
    if !(0..MOST).contains(&days) {
        let wrong = format!("Choose a date from the first one on, {MOST} days at the most.");
        errors.add("to", wrong);
        (from, to) = (usual(-USUAL), usual(USUAL));
    }
    let end = to.saturating_add(1.day());
    Shown {
        from,
        to,
        range: Interval {
            from: times.midnight(from).unwrap_or(Timestamp::MIN),
            until: times.midnight(end).unwrap_or(Timestamp::MAX),
        },
    }
}

/// The zone of a rotation's nights and weekends, where what was held says none.
fn usual_zone(rotation: &Rotation) -> ZoneName {
    let zones = rotation
        .cells
        .iter()
        .filter_map(|cell| forecast::zone(rotation, cell));
    zones.into_iter().next().unwrap_or(ZoneName::utc())
}

/// GET /rotations/{rotation}/load.
pub fn show(visit: &Visit) -> Outcome {
    let known = named(visit)?;
    let mut errors = Errors::default();
    let shown = shown(visit, &mut errors);
    let (rotation, items, _) = plan::list(visit.app(), &visit.caller, &known.id, shown.range)?;
    let usual = usual_zone(&rotation);
    let held = items.into_iter().filter_map(|item| {
        Some(Held {
            user: item.entry.user?,
            period: Interval {
                from: item.entry.start,
                until: item.end.unwrap_or(Timestamp::MAX),
            },
            zone: item.entry.hours.zone.unwrap_or(usual),
        })
    });
    let mut found = loads(held.collect(), shown.range, visit.now);
    for member in roster::order(&rotation.members, None) {
        found.entry(member.user).or_default();
    }
    let mut all: Vec<(UserId, Load)> = found.into_iter().collect();
    all.sort_by(|(one, first), (other, second)| (second.hours, one).cmp(&(first.hours, other)));
    let people = People::load(visit.app(), all.iter().map(|(user, _)| user), true)?;
    if visit.query.one("format") == "csv" && errors.is_empty() {
        let head = [
            "userId",
            "name",
            "hours",
            "plannedHours",
            "nightHours",
            "weekendHours",
        ];
        let rows = all.iter().map(|(user, load)| {
            let [hours, planned, nights, weekends] = parts(load).map(hours);
            [
                user.to_string(),
                people.name(user).to_owned(),
                hours,
                planned,
                nights,
                weekends,
            ]
        });
        return Ok(csv::file("load", head, rows));
    }
    page(visit, &rotation, &shown, (&all, &people), &errors)
}

fn parts(load: &Load) -> [SignedDuration; 4] {
    [load.hours, load.planned, load.nights, load.weekends]
}

/// A length in hours with two decimals.
fn hours(length: SignedDuration) -> String {
    format!("{:.2}", length.as_secs_f64() / 3600.0)
}

/// The same, as people read it.
fn short(length: SignedDuration) -> String {
    let text = format!("{:.1}", length.as_secs_f64() / 3600.0);
    text.trim_end_matches(".0").to_owned()
}

fn page(
    visit: &Visit,
    rotation: &Rotation,
    shown: &Shown,
    (all, people): (&[(UserId, Load)], &People),
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
    let most = all
        .iter()
        .map(|(_, load)| load.hours)
        .max()
        .unwrap_or_default();
    let content = html! {
        (crumbs(rotation))
        (fields::summary(errors))
        h1 { "Load of " bdi { (rotation.profile.name) } }
        form.card method="get" action=(base) {
            div.inline {
                (filled.input("date", "from", "From", "", false))
                (filled.input("date", "to", "To, included", "", false))
                button type="submit" { "Show" }
            }
        }
        section.card.flush aria-labelledby="people" {
            h2 #people { "Hours on call" }
            @if all.is_empty() { div.pad { p.empty { "Nobody is in this rotation, and nobody was on call in these days." } } } @else {
                table.rows {
                    caption {
                        "Up to now by the record, then by the plan. Nights are 22:00 to 06:00, weekends Saturday and Sunday, in the time zone of the covered hours. Being on call in two places at once counts once."
                    }
                    thead {
                        tr {
                            th scope="col" { "Who" } th.wide scope="col" aria-hidden="true" {}
                            th.number scope="col" { "Hours" } th.number scope="col" { "of them planned" }
                            th.number scope="col" { "Nights" } th.number scope="col" { "Weekends" }
                        }
                    }
                    tbody {
                        @for (user, load) in all {
                            @let [hours, planned, nights, weekends] = parts(load).map(short);
                            tr data-user=(user) {
                                th scope="row" { (people.show(user)) }
                                td.wide aria-hidden="true" { (bar(load, most)) }
                                td.number data-label="Hours" { (hours) }
                                td.number data-label="Planned" { (planned) }
                                td.number data-label="Nights" { (nights) }
                                td.number data-label="Weekends" { (weekends) }
                            }
                        }
                    }
                }
            }
        }
        p.actions { a.button.small href=(format!("{base}?from={}&to={}&format=csv", shown.from, shown.to)) { "As CSV" } }
    };
    let status = if errors.is_empty() { 200 } else { 400 };
    let title = format!("Load of {}", rotation.profile.name);
    Ok(layout::page_with(visit, status, &title, content))
}

/// A bar of the hours; the planned part is lighter.
fn bar(load: &Load, most: SignedDuration) -> Markup {
    let share = |length: SignedDuration| {
        let share = length.as_secs_f64() / most.as_secs_f64().max(1.0);
        format!("{:.2}%", share * 100.0)
    };
    let held = load.hours - load.planned;
    html! {
        svg aria-hidden="true" focusable="false" width="100%" height="14" fill="currentColor" {
            rect x="0" y="1" width=(share(held)) height="12" fill-opacity="0.75" {}
            rect x=(share(held)) y="1" width=(share(load.planned)) height="12" fill-opacity="0.4" {}
        }
    }
}
