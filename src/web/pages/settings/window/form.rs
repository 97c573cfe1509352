//! The form of a window: what it has as fields, and the fields shown.

use super::{STRETCH, times_in};
use crate::domain::cadence::{Cadence, CadenceType, Kind};
use crate::domain::rotation::Rotation;
use crate::domain::wording::{DAYS, day_name};
use crate::domain::zones;
use crate::server::{Problem, Response};
use crate::web::form::{Errors, Form, capital};
use crate::web::pages::settings::{action, carried, grid, page, when};
use crate::web::parts::cadence;
use crate::web::parts::fields::{self, Choice, Filled, hidden};
use crate::web::visit::Visit;
use maud::{Markup, html};

/// Lines for stretches of hours that a form begins with, and by how many it grows.
pub const LINES: usize = 3;

/// The cadences that can be chosen.
const TYPES: [(&str, &str); 7] = [
    ("dayOfWeek", "Weekly, on the weekday of the first hand-over"),
    ("daysOfWeekList", "On the weekdays ticked below"),
    ("daily", "Daily, at the times below"),
    ("workday", "On working days"),
    ("dayOfMonth", "Monthly, on the day of the first hand-over"),
    ("nthWeekdayOfMonth", "Monthly, on the n-th weekday below"),
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
    for stretch in window.iter().flat_map(|window| &window.coverage) {
        let (starts, ends) = (day_name(stretch.start_day), day_name(stretch.end_day));
        let (start, end) = (stretch.start_time.to_string(), stretch.end_time.to_string());
        let parts = [starts.to_owned(), start, ends.to_owned(), end];
        fields.extend(STRETCH.map(str::to_owned).into_iter().zip(parts));
    }
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

fn listed<T: ToString>(all: &[T]) -> String {
    let all: Vec<String> = all.iter().map(T::to_string).collect();
    all.join(", ")
}

/// The form, with what is wrong with it.
pub fn form(
    visit: &Visit,
    rotation: &Rotation,
    index: usize,
    (status, values, errors): (u16, &Form, &Errors),
) -> Result<Response, Problem> {
    let filled = Filled { values, errors };
    let window = rotation.windows.get(index);
    let zone_names: Vec<Choice> = zones::names().map(|name| Choice::new(name, name)).collect();
    let types = TYPES.map(|(value, label)| Choice::new(value, label));
    let days = DAYS.map(|name| Choice::new(name, &capital(name)));
    let weeks = [
        ("1", "First"),
        ("2", "Second"),
        ("3", "Third"),
        ("4", "Fourth"),
        ("5", "Fifth"),
    ];
    let weeks = weeks.map(|(value, label)| Choice::new(value, label));
    let title = match window {
        Some(_) => grid::window_name(rotation, index),
        None => "A new window".to_owned(),
    };
    let hours = window.map(|window| cadence::week(&window.coverage));
    let content = html! {
        h2 { bdi { (title) } }
        form method="post" action=(visit.here()) {
            (fields::entered(Some(("step", "look"))))
            (carried(visit, rotation))
            (when::fields(visit, ""))
            div.card.pad {
                (filled.input("text", "name", "Name", "Shown with turns where there are several windows.", false))
                h3 { "Covered hours" }
                @if let Some(hours) = hours { (hours) }
                (filled.select("timeZone", "Time zone of the hours", "", &zone_names))
                (stretches(values, errors))
            }
            div.card.pad {
                h3 { "Hand-overs" }
                @if rotation.windows.len() > 1 {
                    p.hint { "A rotation hands over by hand or by cadences as a whole: “By hand” is for all windows, and the first cadence after it too." }
                }
                (filled.select("cadence.type", "Hand over", "", &types))
                (filled.input("number", "cadence.period", "Every", "1 is every time, 2 every other time.", true))
                (filled.select("cadence.timeZone", "Time zone of hand-overs", "", &zone_names))
                (filled.input("datetime-local", "cadence.startsAt", "First hand-over", "In the time zone of hand-overs. It gives the time of day, and the day where none is chosen below; hand-overs are counted from it.", false))
                (filled.boxes("cadence.daysOfWeek", "Weekdays", "For “On the weekdays ticked below”.", &days))
                (filled.input("text", "cadence.times", "Times of day", "For daily hand-overs, such as 09:00, 21:00.", false))
                (filled.select("cadence.dayOfWeek", "Weekday of the month", "For the n-th weekday.", &days))
                (filled.boxes("cadence.weeksInMonth", "Which of the month", "For the n-th weekday.", &weeks))
            }
            div.card.pad {
                h3 { "Skipped days" }
                p.hint { "A hand-over on a skipped day moves to the next day that is not skipped. Working days always skip both." }
                (filled.tick("cadence.skipWeekends", "Skip weekends"))
                (filled.tick("cadence.skipNationalHolidays", "Skip public holidays"))
                (filled.input("text", "cadence.countryCodes", "Countries", "Codes such as DE, GB-SCT. Weekends and holidays are theirs.", false))
            }
            p.actions {
                button.btn.go type="submit" name="step" value="look" { "See what would change" }
                a.btn href=(action(rotation, "grid")) { "Back" }
            }
        }
        @if window.is_some() && rotation.windows.len() > 1 {
            form.card.pad method="post" action=(visit.here()) {
                (carried(visit, rotation))
                (when::fields(visit, "-remove"))
                p { "Removing the window ends its turns. Its record stays." }
                p.actions { button.btn.bad type="submit" name="step" value="remove" { "Remove this window" } }
            }
        }
    };
    page(visit, rotation, "grid", (status, errors), content)
}

/// Lines for stretches, and a way to add the same hours on several days.
fn stretches(values: &Form, errors: &Errors) -> Markup {
    let nth = |name: &'static str, line: usize| values.all(name).nth(line).unwrap_or_default();
    let sent = values.all("startDay").count();
    let lines: usize = values.one("lines").parse().unwrap_or(LINES);
    let lines = lines.clamp(LINES, 50).max(sent);
    let filled = Filled { values, errors };
    let days = DAYS.map(|name| Choice::new(name, &capital(name)));
    html! {
        fieldset #f-coverage tabindex="-1" {
            legend { "Hours" }
            p.hint { "Without a line the window is open all week. A line may run past midnight; a line that ends where it begins is the whole week." }
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
        details open[values.names("days")] {
            summary { "Add the same hours on several days" }
            (filled.boxes("days", "Days", "", &days))
            div.pair {
                (filled.input("time", "daysFrom", "From", "", false))
                (filled.input("time", "daysTo", "To", "", false))
            }
        }
    }
}
