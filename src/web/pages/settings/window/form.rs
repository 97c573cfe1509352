//! The form of a window: what it has as fields, and the fields shown.

use super::{SHOWN, STRETCH, times_in};
use crate::domain::cadence::{Cadence, CadenceType, Kind};
use crate::domain::coverage::Stretch;
use crate::domain::rotation::Rotation;
use crate::domain::time::HhMm;
use crate::domain::wording::{self, DAYS, day_name};
use crate::domain::zones;
use crate::server::{Problem, Response};
use crate::web::form::{Errors, Form, capital};
use crate::web::pages::settings::{Head, action, carried, grid, titled_page, when};
use crate::web::parts::fields::{self, Choice, Filled, hidden};
use crate::web::parts::icon::icon;
use crate::web::visit::Visit;
use maud::{Markup, html};

/// Lines for stretches of hours that a form begins with, and by how many it grows.
pub const LINES: usize = 3;

/// The cadences that can be chosen, with their names.
const TYPES: [(&str, &str); 7] = [
    ("daily", "Every day"),
    ("dayOfWeek", "Every week"),
    ("daysOfWeekList", "On some weekdays"),
    ("workday", "On working days"),
    ("dayOfMonth", "Every month, on a day"),
    ("nthWeekdayOfMonth", "Every month, on a weekday"),
    ("manual", "By hand"),
];

/// What a window has, as the fields of its form.
pub fn values(visit: &Visit, rotation: &Rotation, index: usize) -> Form {
    let window = rotation.windows.get(index);
    let like = window.unwrap_or(&rotation.windows[0]);
    let zone = like.zone.unwrap_or(visit.zone);
    let mut fields: Vec<(String, String)> = Vec::new();
    if let Some(name) = window.and_then(|window| window.name.clone()) {
        fields.push(("name".into(), name));
    }
    fields.push(("timeZone".into(), zone.to_string()));
    fields.extend(hours(window.map_or(&[][..], |window| &window.coverage)));
    let cadence = like.cadence.as_ref();
    let starts = match cadence {
        Some(cadence) => times_in(visit, cadence.zone).value(cadence.starts_at),
        None => format!("{}T09:00", times_in(visit, zone).date_value(visit.now)),
    };
    let skips = cadence.map(Cadence::effective_skips).unwrap_or_default();
    let (mut times, mut days, mut weeks) = (String::new(), Vec::new(), Vec::<u8>::new());
    match cadence.map(|cadence| &cadence.kind) {
        Some(Kind::Daily { times: all }) => times = listed(all),
        Some(Kind::DaysOfWeekList(all)) => days.extend(all.iter().copied().map(day_name)),
        Some(Kind::NthWeekdayOfMonth { weeks: all, .. }) => weeks.extend(all),
        _ => {}
    }
    let kind = CadenceType::of(cadence);
    let day = match kind {
        CadenceType::DayOfWeek | CadenceType::NthWeekdayOfMonth => {
            cadence.map(Cadence::day_of_week)
        }
        _ => None,
    };
    for (name, value) in [
        ("type", kind.name().to_owned()),
        (
            "timeZone",
            cadence.map_or(zone, |cadence| cadence.zone).to_string(),
        ),
        ("startsAt", starts),
        (
            "period",
            cadence.map_or(1, |cadence| cadence.period).to_string(),
        ),
        ("times", times),
        ("countryCodes", listed(&skips.countries)),
        ("skipWeekends", skips.weekends.to_string()),
        ("skipNationalHolidays", skips.national_holidays.to_string()),
        ("dayOfWeek", day.map_or(DAYS[0], day_name).to_owned()),
    ] {
        fields.push((format!("cadence.{name}"), value));
    }
    let days = days
        .into_iter()
        .map(|day| ("cadence.daysOfWeek".to_owned(), day.to_owned()));
    let weeks = weeks
        .iter()
        .map(|week| ("cadence.weeksInMonth".to_owned(), week.to_string()));
    fields.extend(days.chain(weeks));
    Form::with(fields)
}

/// Covered hours as fields: the same hours on some days where they are that, else a line for each stretch.
fn hours(coverage: &[Stretch]) -> Vec<(String, String)> {
    let covered = if coverage.is_empty() { "all" } else { "some" };
    let mut fields = vec![("covered".to_owned(), covered.to_owned())];
    if let Some((from, until)) = same_hours(coverage) {
        let days = coverage
            .iter()
            .map(|one| ("days".to_owned(), day_name(one.start_day).to_owned()));
        fields.extend(days);
        fields.push(("daysFrom".into(), from.to_string()));
        fields.push(("daysTo".into(), until.to_string()));
        return fields;
    }
    for stretch in coverage {
        let (starts, ends) = (day_name(stretch.start_day), day_name(stretch.end_day));
        let (start, end) = (stretch.start_time.to_string(), stretch.end_time.to_string());
        let parts = [starts.to_owned(), start, ends.to_owned(), end];
        fields.extend(STRETCH.map(str::to_owned).into_iter().zip(parts));
    }
    fields
}

/// From when to when each of these stretches lasts, where each is that of another day, in order.
fn same_hours(coverage: &[Stretch]) -> Option<(HhMm, HhMm)> {
    let first = coverage.first()?;
    let (from, until) = (first.start_time, first.end_time);
    let mut last = -1;
    for one in coverage {
        let day = if until <= from {
            one.start_day.next()
        } else {
            one.start_day
        };
        let index = one.start_day.to_monday_zero_offset();
        let is_same = (one.start_time, one.end_time, one.end_day) == (from, until, day);
        if !is_same || index <= last {
            return None;
        }
        last = index;
    }
    Some((from, until))
}

fn listed<T: ToString>(all: &[T]) -> String {
    let all: Vec<String> = all.iter().map(T::to_string).collect();
    all.join(", ")
}

/// The form, with what is wrong with it. The style sheet shows the fields of what is chosen alone, where browsers can.
pub fn form(
    visit: &Visit,
    rotation: &Rotation,
    index: usize,
    (status, values, errors): (u16, &Form, &Errors),
    beside: Markup,
) -> Result<Response, Problem> {
    let filled = Filled { values, errors };
    let window = rotation.windows.get(index);
    let head = Head {
        title: match window {
            Some(_) => grid::window_name(rotation, index),
            None => "More hours".to_owned(),
        },
        about: window.map(|window| {
            let cadence = wording::cadence(window.cadence.as_ref());
            format!("{}. {cadence}.", capital(&wording::hours(&window.coverage)))
        }),
    };
    let content = html! {
        div.cols.w {
            div.stack {
                form.card.rv method="post" action=(visit.here()) {
                    (fields::entered(Some(("step", "look"))))
                    (carried(visit, rotation))
                    @if let Some(seen) = values.filled(SHOWN) { (hidden(SHOWN, seen)) }
                    (covered(filled))
                    (hand_overs(rotation, filled))
                    section.step { (when::fields(visit, "")) }
                    datalist #zones { @for zone in zones::names() { option value=(zone) {} } }
                    div.bar-foot {
                        button.btn.go type="submit" name="step" value="look" { "Save" }
                        button.btn type="submit" name="step" value="show" formnovalidate { (icon("eye")) "Show" }
                        a.btn.ghost href=(action(rotation, "grid")) { "Back" }
                    }
                }
                @if window.is_some() && rotation.windows.len() > 1 {
                    form.card.pad method="post" action=(visit.here()) {
                        (carried(visit, rotation))
                        (when::fields(visit, "-remove"))
                        p.small { "Removing these hours ends their turns. Their record stays." }
                        p.actions { button.btn.bad type="submit" name="step" value="remove" { "Remove these hours" } }
                    }
                }
            }
            div.stack { (beside) }
        }
    };
    titled_page(visit, rotation, "grid", head, (status, errors), content)
}

/// A choice of one of several as chips.
fn chips(filled: Filled, name: &str, label: &str, choices: &[(&str, &str)]) -> Markup {
    html! {
        div role="radiogroup" aria-label=(label) id={ "f-" (name) } tabindex="-1" {
            @for wrong in filled.errors.of(name) { p.wrong { (wrong) } }
            span.chips {
                @for (value, words) in choices {
                    label.chip { input type="radio" name=(name) value=(value) checked[filled.values.has(name, value)]; span { (words) } }
                }
            }
        }
    }
}

/// Days of the week as chips.
fn days(filled: Filled, name: &str, label: &str) -> Markup {
    html! {
        fieldset id={ "f-" (name) } tabindex="-1" {
            legend { (label) }
            @for wrong in filled.errors.of(name) { p.wrong { (wrong) } }
            span.chips {
                @for day in DAYS {
                    label.chip.day {
                        input type="checkbox" name=(name) value=(day) checked[filled.values.has(name, day)] aria-label=(capital(day));
                        span aria-hidden="true" { (capital(&day[..2])) }
                    }
                }
            }
        }
    }
}

/// A zone, with all that there are to choose from.
fn zone(filled: Filled, name: &str, label: &str) -> Markup {
    html! {
        div.f {
            label for={ "f-" (name) } { (label) }
            @for wrong in filled.errors.of(name) { p.wrong { (wrong) } }
            input type="text" id={ "f-" (name) } name=(name) value=(filled.values.one(name)) list="zones" autocomplete="off" spellcheck="false";
        }
    }
}

fn covered(filled: Filled) -> Markup {
    let by_line = filled.values.all("startDay").any(|day| !day.is_empty())
        || filled.values.one("lines").parse().unwrap_or(LINES) > LINES;
    html! {
        section.step {
            h2 { "Hours" }
            (filled.input("text", "name", "Name, optional", "", false))
            (chips(filled, "covered", "Covered", &[("all", "All hours"), ("some", "Some hours")]))
            div.reveal.some {
                (days(filled, "days", "Days"))
                div.row.wide {
                    (filled.input("time", "daysFrom", "From", "", false))
                    (filled.input("time", "daysTo", "Until", "", false))
                }
                details.more open[by_line || filled.errors.of("coverage").next().is_some()] {
                    summary { "Other hours, line by line" }
                    (stretches(filled.values, filled.errors))
                }
                (zone(filled, "timeZone", "Zone of the hours"))
            }
        }
    }
}

fn hand_overs(rotation: &Rotation, filled: Filled) -> Markup {
    let choice = |(value, label): (&str, &str)| Choice::new(value, label);
    let weekdays = DAYS.map(|name| Choice::new(name, &capital(name)));
    let weeks = [
        ("1", "First"),
        ("2", "Second"),
        ("3", "Third"),
        ("4", "Fourth"),
        ("5", "Fifth"),
    ];
    html! {
        section.step {
            h2 { "Hand over" }
            (chips(filled, "cadence.type", "Hand over", &TYPES))
            div.reveal.manual {
                p.hint { "Nobody hands over by itself." @if rotation.windows.len() > 1 { " That is for all hours of the rotation." } }
            }
            div.reveal.daily { (filled.input("text", "cadence.times", "At", "One time or more, such as 09:00, 21:00.", false)) }
            div.reveal.days { (days(filled, "cadence.daysOfWeek", "The next person comes on each")) }
            div.reveal.nth {
                (filled.boxes("cadence.weeksInMonth", "The", "", &weeks.map(choice)))
                (filled.select("cadence.dayOfWeek", "Weekday of the month", "", &weekdays))
            }
            div.reveal.timed {
                div.row.wide {
                    (filled.input("number", "cadence.period", "Every", "1 is every time, 2 every other time.", false))
                    (filled.input("datetime-local", "cadence.startsAt", "Counted from", "Gives the time of day, and the day where none is chosen above.", false))
                }
                (zone(filled, "cadence.timeZone", "Zone of hand-overs"))
            }
            div.reveal.skips {
                (filled.tick("cadence.skipWeekends", "Not on Saturday and Sunday"))
                (filled.tick("cadence.skipNationalHolidays", "Not on national holidays"))
            }
            div.reveal.codes {
                (filled.input("text", "cadence.countryCodes", "Countries", "Codes such as DE, GB-SCT: their weekends and holidays.", false))
            }
        }
    }
}

/// Lines for stretches of hours.
fn stretches(values: &Form, errors: &Errors) -> Markup {
    let nth = |name: &'static str, line: usize| values.all(name).nth(line).unwrap_or_default();
    let sent = values.all("startDay").count();
    let lines: usize = values.one("lines").parse().unwrap_or(LINES);
    let lines = lines.clamp(LINES, 50).max(sent);
    let days = DAYS.map(|name| Choice::new(name, &capital(name)));
    html! {
        fieldset #f-coverage tabindex="-1" {
            legend { "Hours" }
            p.hint { "A line may run past midnight; a line that ends where it begins is the whole week." }
            @for wrong in errors.of("coverage") { p.wrong { (wrong) } }
            @for line in 0..lines {
                div.inline {
                    @for name in STRETCH {
                        @let id = format!("f-{name}-{line}");
                        @let label = match name { "startDay" => "From", "startTime" => "at", "endDay" => "to", _ => "at" };
                        div.f {
                            label for=(id) { (label) span.sr { ", line " (line + 1) } }
                            @if name.ends_with("Day") {
                                select id=(id) name=(name) {
                                    option value="" { "" }
                                    @for day in &days { option value=(day.value) selected[day.value == nth(name, line)] { (day.label) } }
                                }
                            } @else {
                                input type="time" id=(id) name=(name) value=(nth(name, line));
                            }
                        }
                    }
                }
            }
            (hidden("lines", &lines.to_string()))
            p.actions { button.btn.s type="submit" name="more" value="true" formnovalidate { "More lines" } }
        }
    }
}
