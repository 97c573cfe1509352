//! Skipped days: which days each window skips, and whether they count as covered.

use super::{Change, Saved, action, carried, carry_out, grid, page, weigh};
use crate::domain::cadence::Cadence;
use crate::domain::edit::RotationPatch;
use crate::domain::rotation::Rotation;
use crate::domain::wording;
use crate::server::{Outcome, Problem, Response};
use crate::web::form::{Errors, Form};
use crate::web::pages::{editable, failing, times};
use crate::web::parts::fields::Filled;
use crate::web::visit::Visit;
use jiff::ToSpan;
use jiff::civil::Date;
use maud::html;

const PART: &str = "skips";

/// Holidays that are listed of each window, and the days that are looked through for them.
const HOLIDAYS: usize = 10;
const DAYS: usize = 366;

/// GET.
pub fn show(visit: &Visit) -> Outcome {
    let rotation = editable(visit)?;
    form(
        visit,
        &rotation,
        rotation.skips_are_off_time,
        (200, &Errors::default()),
    )
}

fn form(
    visit: &Visit,
    rotation: &Rotation,
    off: bool,
    (status, errors): (u16, &Errors),
) -> Result<Response, Problem> {
    let values = Form::with([("skipsAreOffTime", off.to_string())]);
    let filled = Filled {
        values: &values,
        errors,
    };
    let times = times(visit);
    let content = html! {
        p.muted { "A hand-over on a day left out moves to the next day that is not left out." }
        @for (index, window) in rotation.windows.iter().enumerate() {
            section.card.pad data-window=(window.id) aria-label=(grid::window_name(rotation, index)) {
                h2 { bdi { (grid::window_name(rotation, index)) } }
                @match window.cadence.as_ref().map(|one| (one, wording::skips(one))) {
                    Some((one, Some(skipped))) => {
                        p { "Leaves out a day on " (skipped) "." }
                        @let days = holidays(visit, one);
                        @if !days.is_empty() {
                            h3 { "Public holidays to come" }
                            ul { @for date in days { li { time datetime=(date) { (times.day_text(date)) } } } }
                        }
                    }
                    Some((_, None)) => p { "Leaves out no days." },
                    None => p { "Hands over by hand, so no day is left out." },
                }
                p.actions { a.btn.s href=(action(rotation, &format!("windows/{}", window.id))) { "Change which days are left out" } }
            }
        }
        form.card.pad method="post" action=(action(rotation, PART)) {
            h2 { "On days left out" }
            (filled.tick("skipsAreOffTime", "Nobody is on call on days left out"))
            p.hint { "For all hours. Without it, whoever has the turn stays on call over the days left out." }
            (carried(visit, rotation))
            p.actions { button.btn type="submit" { "See what would change" } }
        }
    };
    page(visit, rotation, PART, (status, errors), content)
}

/// The next public holidays that a cadence skips.
fn holidays(visit: &Visit, cadence: &Cadence) -> Vec<Date> {
    let skips = cadence.effective_skips();
    if !skips.national_holidays {
        return Vec::new();
    }
    let calendar = visit.app().calendar();
    let today = cadence.zone.tz().to_datetime(visit.now).date();
    let is_holiday = |date: &Date| {
        let mut countries = skips.countries.iter();
        countries.any(|country| calendar.is_national_holiday(*country, *date))
    };
    today
        .series(1.day())
        .take(DAYS)
        .filter(is_holiday)
        .take(HOLIDAYS)
        .collect()
}

/// POST.
pub fn save(visit: &Visit) -> Outcome {
    let rotation = editable(visit)?;
    let off = visit.form.has("skipsAreOffTime", "true");
    let again = |status, errors: Errors| form(visit, &rotation, off, (status, &errors));
    if visit.form.names("edit") {
        return again(200, Errors::default());
    }
    let setting = |off| RotationPatch {
        skips_are_off_time: Some(off),
        ..RotationPatch::default()
    };
    if visit.form.one("confirmed") != "true" {
        let looked = weigh::look(visit, &rotation.id, weigh::patch(setting(off)));
        return match failing(visit, &rotation.id, looked, &["skipsAreOffTime"], again)? {
            Ok(looked) => weigh::shown(visit, &rotation, PART, looked, (&[], html! {})),
            Err(page) => Ok(page),
        };
    }
    let saved = Saved {
        part: PART,
        names: &["skipsAreOffTime"],
        told: "The setting was saved.",
        before: Some(Change::Patch(setting(rotation.skips_are_off_time))),
    };
    carry_out(
        visit,
        &rotation,
        Ok(Change::Patch(setting(off))),
        saved,
        again,
    )
}
