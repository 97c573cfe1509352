//! The first weeks of a rotation that is not made yet: a timeline, gaps, and what each person has.

use crate::actions::first_weeks::FirstWeeks;
use crate::domain::duty::Duty;
use crate::domain::rotation::Rotation;
use crate::domain::time::HhMm;
use crate::domain::zones::ZoneName;
use crate::server::Problem;
use crate::web::form::Form;
use crate::web::pages::times;
use crate::web::parts::icon::icon;
use crate::web::parts::people::{self, People};
use crate::web::parts::time::{Times, duration};
use crate::web::visit::Visit;
use jiff::civil::Date;
use jiff::{Timestamp, ToSpan};
use maud::{Markup, html};

/// Steps of a day, of 336 in four weeks.
const DAY: i64 = 12;

/// Steps of the whole.
const WHOLE: i64 = 336;

/// Hand-overs that the list names at the most.
const LISTED: usize = 40;

/// Gaps that are named at the most.
const GAPS: usize = 5;

/// The card below the form.
pub(super) fn first_weeks(visit: &Visit, seen: &FirstWeeks) -> Result<Markup, Problem> {
    let times = times(visit);
    let users = seen
        .duties
        .iter()
        .filter_map(|duty| duty.entry.user.as_ref());
    let people = People::load(visit.app(), users.chain(seen.shares.keys()), false)?;
    let from = times.date(seen.range.from);
    let more = seen.gaps.len().saturating_sub(GAPS);
    Ok(html! {
        section.card #shown aria-labelledby="weeks" {
            header {
                h2 #weeks { "The first four weeks" }
                @match seen.gaps.len() {
                    0 => span.tag.good { (icon("check")) "no gap" },
                    1 => span.tag.bad { "one gap" },
                    count => span.tag.bad { (count) " gaps" },
                }
            }
            (timeline(seen, from, &people, &times))
            (agenda(seen, &people, &times))
            div.step {
                @if !seen.gaps.is_empty() {
                    ul.stack.g2.small {
                        @for gap in seen.gaps.iter().take(GAPS) {
                            li { (icon("gap")) " Nobody: " (times.period(gap.period.from, Some(gap.period.until))) }
                        }
                        @if more > 0 { li { "and " (more) " more" } }
                    }
                }
                @if seen.shares.is_empty() {
                    p.small.muted { "Nobody hands over by itself. Put somebody on call once it is created." }
                } @else {
                    ul.stack.g2.small aria-label="Hours of each person" {
                        @for (user, (turns, hours)) in &seen.shares {
                            li { (people.show(user)) " " (turns) @if *turns == 1 { " turn, " } @else { " turns, " } (duration(*hours)) }
                        }
                    }
                }
            }
        }
    })
}

/// The steps from the first day to an instant, by the local clock, so that days are equally wide.
fn step(at: Timestamp, from: Date, times: &Times) -> i64 {
    let local = times.zone.tz().to_datetime(at);
    let days = (local.date() - from).get_days();
    let minutes = i64::from(local.hour()) * 60 + i64::from(local.minute());
    (i64::from(days) * DAY + minutes * DAY / (24 * 60)).clamp(0, WHOLE)
}

fn row_name(rotation: &Rotation, slot: usize) -> String {
    let cell = &rotation.cells[slot];
    let window = rotation.windows[cell.window].name.clone();
    let lane = rotation.lane_name(cell.lane).cloned();
    let names: Vec<String> = lane.into_iter().chain(window).collect();
    match names.is_empty() {
        true => "On call".to_owned(),
        false => names.join(", "),
    }
}

fn timeline(seen: &FirstWeeks, from: Date, people: &People, times: &Times) -> Markup {
    let day = |index: i64| from.checked_add(index.days()).unwrap_or(from);
    let slots = 0..seen.rotation.cells.len();
    html! {
        div.tl.s28 {
            div.tl-axis aria-hidden="true" {
                div {}
                ol.weeks { @for week in 0..4 { li { (times.day_text(day(week * 7))) } } }
                div {}
                ol.days { @for index in 0..28 { li { b { (day(index).day()) } } } }
            }
            div.tl-body {
                @for slot in slots {
                    div.tl-row {
                        div.tl-lab { b { bdi { (row_name(&seen.rotation, slot)) } } }
                        ol.track aria-label=(row_name(&seen.rotation, slot)) {
                            @for duty in seen.duties.iter().filter(|duty| duty.slot == Some(slot)) {
                                (bar(seen, duty, from, people, times))
                            }
                        }
                    }
                }
            }
        }
    }
}

fn bar(seen: &FirstWeeks, duty: &Duty, from: Date, people: &People, times: &Times) -> Markup {
    let Some(period) = duty.period().meets(seen.range) else {
        return html! {};
    };
    let (x, end) = (
        step(period.from, from, times),
        step(period.until, from, times),
    );
    let wide = (end - x).max(1);
    let said = format!(
        "{} to {}",
        times.text(period.from),
        times.text(period.until)
    );
    html! {
        @match &duty.entry.user {
            Some(user) => {
                li class=(format_args!("bar {} x{x} w{wide}", people::colour(user))) {
                    a href="#shown" {
                        span.sr { (people.name(user)) ", " (said) }
                        span.in aria-hidden="true" {
                            span.nm { bdi { (people.name(user)) } }
                            span.sh { (people::initials(people.name(user))) }
                        }
                    }
                }
            },
            None if duty.is_vacant() => {
                li class=(format_args!("bar gap x{x} w{wide}")) {
                    a href="#shown" { span.sr { "Nobody, " (said) } span.in aria-hidden="true" { (icon("gap")) } }
                }
            },
            None => li class=(format_args!("off x{x} w{wide}")) { span.sr { "Not covered, " (said) } },
        }
    }
}

/// The same by time, for narrow screens.
fn agenda(seen: &FirstWeeks, people: &People, times: &Times) -> Markup {
    let held = seen.duties.iter().filter(|duty| duty.entry.user.is_some());
    html! {
        ol.agenda.prevlist {
            @for duty in held.take(LISTED) {
                @if let Some(user) = &duty.entry.user {
                    li.step2 { b { (times.text(duty.entry.start.max(seen.range.from))) } " " bdi { (people.name(user)) } }
                }
            }
        }
    }
}

/// The hours of a day that no zone of a form takes, in its first zone; `None` where the form does not say its hours.
pub(super) fn uncovered(values: &Form) -> Option<Vec<String>> {
    const MINUTES: usize = 24 * 60;
    let mut taken = vec![false; MINUTES];
    let mut first = None;
    for (index, zone) in values.all("sunTimeZone").enumerate() {
        let zone = ZoneName::parse(zone).ok()?;
        let own = *first.get_or_insert(zone);
        let nth = |field| values.all(field).nth(index).and_then(HhMm::parse);
        let (start, end) = (nth("sunStart")?, nth("sunEnd")?);
        // In winter of the north: the clocks of two zones change on different days.
        let offset = |zone: ZoneName| zone.tz().to_offset(Timestamp::UNIX_EPOCH).seconds() / 60;
        let minute = |time: HhMm| {
            let time = time.civil();
            i32::from(time.hour()) * 60 + i32::from(time.minute()) - offset(zone) + offset(own)
        };
        let (from, mut until) = (minute(start), minute(end));
        if until <= from {
            until += 24 * 60;
        }
        for at in from..until {
            taken[at.rem_euclid(24 * 60) as usize] = true;
        }
    }
    first?;
    let clock = |at: usize| format!("{:02}:{:02}", at / 60 % 24, at % 60);
    let mut gaps = Vec::new();
    let mut at = 0;
    while at < MINUTES {
        let run = taken[at..].iter().take_while(|taken| !**taken).count();
        if run > 0 {
            gaps.push(format!("{} to {}", clock(at), clock(at + run)));
        }
        at += run.max(1);
    }
    Some(gaps)
}
