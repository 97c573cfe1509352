//! The form of a new rotation. The style sheet shows the fields of the chosen pattern alone, where browsers can; elsewhere all of
//! them are shown, and those of other patterns do not count.

use super::rows::{SUN, in_rows, offered, people_list};
use crate::domain::directory::Person;
use crate::domain::ids::UserId;
use crate::domain::wording::{DAYS, capital};
use crate::domain::zones;
use crate::server::{Problem, Response};
use crate::web::form::{Errors, Form};
use crate::web::layout;
use crate::web::parts::confirm;
use crate::web::parts::fields::{self, Filled, hidden};
use crate::web::parts::icon::icon;
use crate::web::parts::people::People;
use crate::web::visit::Visit;
use maud::{Markup, html};

/// A pattern: its value, its name, what it is, and its picture: colours, beginnings and lengths of 336 steps of a week.
struct Pattern {
    value: &'static str,
    name: &'static str,
    about: &'static str,
    picture: &'static [(u16, u16, u16)],
}

const PATTERNS: [Pattern; 6] = [
    Pattern {
        value: "weekly",
        name: "A week each",
        about: "Hands over once a week",
        picture: &[(1, 0, 112), (7, 112, 112), (11, 224, 112)],
    },
    Pattern {
        value: "weekdayWeekend",
        name: "Weekdays and weekends",
        about: "Two rounds, so that weekends are shared evenly",
        picture: &[(1, 0, 120), (2, 120, 48), (7, 168, 120), (4, 288, 48)],
    },
    Pattern {
        value: "daily",
        name: "A day each",
        about: "Hands over every day",
        picture: &[
            (1, 0, 48),
            (7, 48, 48),
            (11, 96, 48),
            (4, 144, 48),
            (2, 192, 48),
            (9, 240, 48),
            (1, 288, 48),
        ],
    },
    Pattern {
        value: "followTheSun",
        name: "Follow the sun",
        about: "Each zone takes its own day, nobody wakes up",
        picture: &[
            (1, 0, 24),
            (7, 24, 24),
            (1, 48, 24),
            (7, 72, 24),
            (1, 96, 24),
            (7, 120, 24),
            (1, 144, 24),
            (7, 168, 24),
            (1, 192, 24),
            (7, 216, 24),
            (1, 240, 24),
            (7, 264, 24),
            (1, 288, 24),
            (7, 312, 24),
        ],
    },
    Pattern {
        value: "officeHours",
        name: "Office hours only",
        about: "Nights and weekends are nobody’s",
        picture: &[
            (1, 16, 20),
            (7, 64, 20),
            (11, 112, 20),
            (4, 160, 20),
            (2, 208, 20),
        ],
    },
    Pattern {
        value: "manual",
        name: "By hand",
        about: "Nobody hands over by itself",
        picture: &[(9, 0, 336)],
    },
];

/// The page, with the first weeks below where they were asked for.
pub(super) fn page(
    visit: &Visit,
    status: u16,
    values: &Form,
    errors: &Errors,
    shown: Option<Markup>,
) -> Result<Response, Problem> {
    let people = offered(visit)?;
    let filled = Filled { values, errors };
    let key = match values.filled("operationId") {
        Some(key) => key.to_owned(),
        None => confirm::operation_id(),
    };
    let content = html! {
        div.head { div { p.crumb { a href="/rotations" { "Rotations" } } h1 { "New rotation" } } }
        (fields::summary(errors))
        form.card.wz method="post" action="/rotations" {
            (hidden("operationId", &key))
            (fields::entered(None))
            (name(filled))
            (pattern(filled, &people))
            (people_in_order(visit, filled, &people)?)
            (away(filled))
            datalist #zones { @for zone in zones::names() { option value=(zone) {} } }
            div.bar-foot {
                button.btn.go type="submit" data-action="create" { (icon("check")) "Create rotation" }
                button.btn type="submit" name="step" value="show" formnovalidate { (icon("eye")) "Show the first four weeks" }
                span.small.muted.hide-s { "Nothing is saved until you create it." }
            }
        }
        @if let Some(shown) = shown { (shown) }
    };
    Ok(layout::page_with(visit, status, "New rotation", content))
}

fn name(filled: Filled) -> Markup {
    let is_open = ["description", "public"]
        .iter()
        .any(|name| filled.values.filled(name).is_some());
    html! {
        section.step {
            h2 { span.num { "1" } "Name" }
            div.two-c {
                (filled.input("text", "name", "Name", "", true))
                (filled.input("text", "code", "Short name, optional, for chat and addresses", "", false))
            }
            details.more open[is_open] {
                summary { "More" }
                div.stack.mt {
                    (filled.input("text", "description", "What it is for, optional", "", false))
                    (filled.tick("public", "Everybody here may see it"))
                }
            }
        }
    }
}

fn pattern(filled: Filled, people: &[Person]) -> Markup {
    let values = filled.values;
    html! {
        div.step role="radiogroup" aria-labelledby="hours" {
            h2 #hours { span.num { "2" } "Who takes which hours?" }
            div.pick.three {
                @for one in &PATTERNS {
                    label.tile {
                        input type="radio" name="pattern" value=(one.value) checked[values.has("pattern", one.value)];
                        span {
                            span.mini aria-hidden="true" {
                                @for (colour, x, w) in one.picture { i class=(format_args!("p{colour} x{x} w{w}")) {} }
                            }
                            b { (one.name) }
                            small.muted { (one.about) }
                        }
                    }
                }
            }
            div.subf.pat.weekly.daily.split.business {
                div.pat.weekly { (days(filled)) }
                div.pat.weekly.daily.split { (time(filled, "time", "Hand over at")) }
                div.pat.split { (time(filled, "weekendTime", "Weekend begins on Friday at")) }
                (office_days(filled))
                div.pat.business { (time(filled, "daysFrom", "From")) }
                div.pat.business { (time(filled, "daysTo", "Until")) }
                (zone_of(filled, "timeZone", "In the zone", 0))
            }
            div.subf.pat.sun {
                @for index in 0..values.all("sunTimeZone").count().clamp(2, SUN.len()) { (sun(filled, index, people)) }
                div.row {
                    @if values.all("sunTimeZone").count() < SUN.len() {
                        button.btn.s type="submit" name="step" value="zone" formnovalidate { (icon("plus")) "A third zone" }
                    }
                    (uncovered(values))
                }
            }
        }
    }
}

/// The hours of a day that no zone takes, said of the zones as the form has them.
fn uncovered(values: &Form) -> Markup {
    let hours = super::shown::uncovered(values);
    html! {
        @match hours.as_deref() {
            None => {},
            Some([]) => span.small.good { (icon("check")) " Together all 24 hours." },
            Some(gaps) => span.small { (icon("gap")) " Not covered, as planned: " (gaps.join(", ")) "." },
        }
    }
}

fn time(filled: Filled, name: &str, label: &str) -> Markup {
    filled.input("time", name, label, "", false)
}

fn days(filled: Filled) -> Markup {
    html! {
        div.f {
            label for="f-dayOfWeek" { "Hand over on" }
            select id="f-dayOfWeek" name="dayOfWeek" {
                @for day in DAYS { option value=(day) selected[filled.values.has("dayOfWeek", day)] { (capital(day)) } }
            }
        }
    }
}

fn office_days(filled: Filled) -> Markup {
    html! {
        fieldset.pat.business id="f-days" {
            legend { "Days" }
            @for wrong in filled.errors.of("days") { p.wrong { (wrong) } }
            span.chips {
                @for day in DAYS {
                    label.chip.day {
                        input type="checkbox" name="days" value=(day) checked[filled.values.has("days", day)] aria-label=(capital(day));
                        span { (capital(&day[..2])) }
                    }
                }
            }
        }
    }
}

/// A zone, the one of this index of those of that name.
fn zone_of(filled: Filled, name: &str, label: &str, index: usize) -> Markup {
    let chosen = filled.values.all(name).nth(index).unwrap_or_default();
    let id = match index {
        0 => format!("f-{name}"),
        index => format!("f-{name}-{index}"),
    };
    html! {
        div.f {
            label for=(id) { (label) }
            @if index == 0 { @for wrong in filled.errors.of(name) { p.wrong { (wrong) } } }
            input type="text" id=(id) name=(name) value=(chosen) list="zones" autocomplete="off" spellcheck="false";
        }
    }
}

fn sun(filled: Filled, index: usize, people: &[Person]) -> Markup {
    let values = filled.values;
    let nth = |field: &str| values.all(field).nth(index).unwrap_or_default().to_owned();
    let id = |field: &str| format!("f-{field}-{index}");
    let name = SUN[index];
    let users = format!("{name}UserIds");
    let ticked = values.list(&users);
    html! {
        fieldset.zone id={ "f-" (users) } {
            legend { "The " (name) " zone" }
            @for wrong in filled.errors.of(&users) { p.wrong { (wrong) } }
            div.row.wide {
                (zone_of(filled, "sunTimeZone", "Zone", index))
                div.f { label for=(id("sunStart")) { "From" } input type="time" id=(id("sunStart")) name="sunStart" value=(nth("sunStart")); }
                div.f { label for=(id("sunEnd")) { "Until" } input type="time" id=(id("sunEnd")) name="sunEnd" value=(nth("sunEnd")); }
            }
            span.chips {
                @for person in people {
                    label.chip {
                        input type="checkbox" name=(users) value=(person.id) checked[ticked.iter().any(|one| one == person.id.as_str())];
                        span { bdi { (person.name()) } }
                    }
                }
            }
        }
    }
}

fn people_in_order(visit: &Visit, filled: Filled, people: &[Person]) -> Result<Markup, Problem> {
    let values = filled.values;
    let mut rows = in_rows(values);
    let known = |user: &UserId| people.iter().any(|person| person.id == *user);
    // Ticked without a row: a form that another program sends.
    let beside = values.list("userIds").into_iter().map(UserId::from);
    for user in beside.filter(known) {
        if !rows.contains(&user) {
            rows.push(user);
        }
    }
    let shown = People::load(visit.app(), &rows, false)?;
    let lanes = [("1", "One person"), ("2", "Two, a primary and a secondary")];
    let typed = values
        .all("userIds")
        .find(|named| !named.is_empty() && !rows.iter().any(|user| user.as_str() == *named));
    Ok(html! {
        section.step.notsun id="f-userIds" {
            h2 { span.num { "3" } "People, in order" }
            @for wrong in filled.errors.of("userIds") { p.wrong { (wrong) } }
            @if people.is_empty() {
                p.muted { "There is nobody here yet. " a href="/people" { "Add people" } }
            } @else {
                p.small.muted { "Untick whom you leave out; the first comes on first." }
            }
            ol.plist {
                @for (index, user) in rows.iter().enumerate() {
                    @let name = shown.name(user);
                    li.prow {
                        (hidden("offered", user.as_str()))
                        label.switch {
                            input type="checkbox" name="userIds" value=(user) checked[values.has("userIds", user.as_str())];
                            (shown.label(user))
                        }
                        span.row.push {
                            span.tag { (index + 1) }
                            button.btn.s.sq type="submit" name="step" value={ "up:" (user) } formnovalidate aria-label={ "Move " (name) " up" } { (icon("up")) }
                            button.btn.s.sq type="submit" name="step" value={ "down:" (user) } formnovalidate aria-label={ "Move " (name) " down" } { (icon("down")) }
                        }
                    }
                }
            }
            div.row {
                label.f.grow {
                    span.sr { "Add somebody" }
                    input type="text" name="userIds" list="people" autocomplete="off" placeholder="Add by name or address" value=(typed.unwrap_or_default());
                }
                button.btn type="submit" name="step" value="more" formnovalidate { (icon("plus")) "Add" }
            }
            (people_list(people))
            div.row role="radiogroup" aria-labelledby="lanes" {
                span.lab #lanes { "At the same time" }
                span.chips {
                    @for (value, label) in lanes {
                        label.chip { input type="radio" name="lanes" value=(value) checked[values.has("lanes", value)]; span { (label) } }
                    }
                }
            }
        }
    })
}

fn away(filled: Filled) -> Markup {
    let values = filled.values;
    let choices = [
        (
            "traded",
            "Trade it",
            "Two people change turns and pay each other back. Everybody else keeps their dates.",
        ),
        (
            "lost",
            "Move everybody up",
            "The next person takes it, and all later turns come sooner.",
        ),
    ];
    html! {
        div.step role="radiogroup" aria-labelledby="missed" {
            h2 #missed { span.num { "4" } "What when somebody is away for a turn?" }
            div.pick.two {
                @for (value, name, about) in choices {
                    label.tile {
                        input type="radio" name="dealing.missedTurn" value=(value) checked[values.has("dealing.missedTurn", value)];
                        span {
                            b { (name) @if value == "traded" { " " span.tag.good { "usual" } } }
                            small.muted { (about) }
                        }
                    }
                }
            }
            (filled.input("number", "dealing.restHours", "Hours of rest between two turns of one person", "", false))
        }
    }
}
