//! What the form of a new rotation says of hours, hand-overs and people.

use super::rows::{SUN, named};
use crate::domain::books::{Dealing, DealingChange, MissedTurn};
use crate::domain::cadence::{Cadence, Kind, Skips};
use crate::domain::coverage::Stretch;
use crate::domain::grid::{
    CadenceSpec, CellSpec, GridSpec, HandleSpec, LaneSpec, RosterSpec, WindowSpec, ZoneSpec,
};
use crate::domain::ids::{RosterId, UserId};
use crate::domain::rotation::Narrowed;
use crate::domain::time::HhMm;
use crate::domain::wording::weekday;
use crate::domain::zones::ZoneName;
use crate::server::Problem;
use crate::web::form::{Errors, Form, sentence};
use crate::web::pages::times;
use crate::web::visit::Visit;
use jiff::civil::{Date, Weekday};
use jiff::{Timestamp, ToSpan};

/// The choices of a form beside the rotation itself.
pub(super) struct Plan {
    pub users: Vec<UserId>,
    pub lanes: usize,
    /// The coverage; `None` leaves the rotation manual.
    pub coverage: Option<GridSpec>,
    pub dealing: Dealing,
}

impl Plan {
    pub(super) fn read(visit: &Visit, errors: &mut Errors) -> Result<Plan, Problem> {
        let form = &visit.form;
        let pattern = form.one("pattern");
        let is_sun = pattern == "followTheSun";
        let mut users = match is_sun {
            true => Vec::new(),
            false => named(visit, "userIds", errors)?,
        };
        let lanes = if form.one("lanes") == "2" { 2 } else { 1 };
        let today = times(visit).date(visit.now);
        let mut rosters: Vec<(&'static str, Vec<UserId>)> = Vec::new();
        let windows = match is_sun {
            true => Some(sun_windows(visit, today, &mut users, &mut rosters, errors)?),
            false => windows(form, pattern, today, errors),
        };
        if users.is_empty() && !is_sun {
            errors.add("userIds", "Tick at least one person.");
        }
        if lanes == 2 && !is_sun && windows.is_some() && users.len() > 1 {
            // This week's secondary is next week's primary, and nobody is always paired with the same.
            let mut later = users.clone();
            later.rotate_left(1);
            rosters.push(("secondary", later));
        }
        let coverage = windows.map(|windows| coverage(lanes, windows, is_sun, rosters));
        Ok(Plan {
            users,
            lanes,
            coverage,
            dealing: dealing(form, errors),
        })
    }
}

/// What becomes of turns that somebody misses, and how long people rest.
fn dealing(form: &Form, errors: &mut Errors) -> Dealing {
    let mut dealing = Dealing::of_new();
    match form.one("dealing.missedTurn") {
        "" => {}
        name => match MissedTurn::parse(name) {
            Some(missed) => dealing.missed_turn = missed,
            None => errors.add("dealing.missedTurn", "Choose one of the two."),
        },
    }
    if let Some(text) = form.filled("dealing.restHours") {
        let hours = text.parse().unwrap_or(-1);
        match DealingChange::hours(hours) {
            Ok(hours) => dealing.rest_hours = hours,
            Err(_) => errors.add("dealing.restHours", "Enter 0 to 48 hours."),
        }
    }
    dealing
}

/// The windows of the patterns in one zone; `None` where nobody hands over by itself.
fn windows(
    form: &Form,
    pattern: &str,
    today: Date,
    errors: &mut Errors,
) -> Option<Vec<WindowSpec>> {
    if pattern == "manual" {
        return None;
    }
    let zone = match ZoneName::parse(form.one("timeZone")) {
        Ok(zone) => zone,
        Err(refusal) => {
            errors.add("timeZone", sentence(&refusal.to_string()));
            ZoneName::utc()
        }
    };
    if pattern == "officeHours" {
        return Some(vec![office_hours(form, zone, today, errors)]);
    }
    let time = time_of_day(form.one("time"), "time", errors);
    let all = |cadence| vec![window("all", None, zone, Vec::new(), cadence)];
    Some(match pattern {
        "daily" => all(cadence(
            Kind::Daily { times: vec![time] },
            zone,
            today,
            time,
        )),
        "weekdayWeekend" => {
            let weekend = time_of_day(form.one("weekendTime"), "weekendTime", errors);
            let (monday, friday) = (
                on_or_before(today, Weekday::Monday),
                on_or_before(today, Weekday::Friday),
            );
            let span = |from, to| vec![stretch(from, to)];
            vec![
                window(
                    "weekdays",
                    Some("Weekdays"),
                    zone,
                    span((Weekday::Monday, time), (Weekday::Friday, weekend)),
                    weekly(zone, monday, time),
                ),
                window(
                    "weekend",
                    Some("Weekend"),
                    zone,
                    span((Weekday::Friday, weekend), (Weekday::Monday, time)),
                    weekly(zone, friday, weekend),
                ),
            ]
        }
        _ => {
            let day = weekday(form.one("dayOfWeek")).unwrap_or(Weekday::Monday);
            all(weekly(zone, on_or_before(today, day), time))
        }
    })
}

/// Some hours of some days, a day each. Nights and the other days are nobody's.
fn office_hours(form: &Form, zone: ZoneName, today: Date, errors: &mut Errors) -> WindowSpec {
    let from = time_of_day(form.one("daysFrom"), "daysFrom", errors);
    let to = time_of_day(form.one("daysTo"), "daysTo", errors);
    if to <= from {
        errors.add("daysTo", "Enter a time later than that of the beginning.");
    }
    let days: Vec<Weekday> = form.all("days").filter_map(weekday).collect();
    if days.is_empty() {
        errors.add("days", "Tick at least one day.");
    }
    let hours = days.into_iter().map(|day| stretch((day, from), (day, to)));
    let cadence = cadence(Kind::Daily { times: vec![from] }, zone, today, from);
    window(
        "office",
        Some("Office hours"),
        zone,
        hours.collect(),
        cadence,
    )
}

fn sun_windows(
    visit: &Visit,
    today: Date,
    users: &mut Vec<UserId>,
    rosters: &mut Vec<(&'static str, Vec<UserId>)>,
    errors: &mut Errors,
) -> Result<Vec<WindowSpec>, Problem> {
    let form = &visit.form;
    let mut windows = Vec::new();
    for (index, zone) in form.all("sunTimeZone").take(SUN.len()).enumerate() {
        let name = SUN[index];
        let nth = |field: &'static str| form.all(field).nth(index).unwrap_or_default();
        let field = format!("{name}UserIds");
        let own = named(visit, &field, errors)?;
        if own.is_empty() {
            errors.add(
                &field,
                format!("Tick at least one person of the {name} zone."),
            );
        }
        let Ok(zone) = ZoneName::parse(zone) else {
            errors.add("sunTimeZone", format!("Choose the {name} zone."));
            continue;
        };
        let start = time_of_day(nth("sunStart"), "sunStart", errors);
        let end = time_of_day(nth("sunEnd"), "sunEnd", errors);
        let day = |day: Weekday| {
            let last = if end <= start { day.next() } else { day };
            stretch((day, start), (last, end))
        };
        let hours = Weekday::Monday.cycle_forward().take(7).map(day).collect();
        let monday = on_or_before(today, Weekday::Monday);
        let city = zone
            .as_str()
            .rsplit('/')
            .next()
            .unwrap_or(name)
            .replace('_', " ");
        windows.push(window(
            name,
            Some(&city),
            zone,
            hours,
            weekly(zone, monday, start),
        ));
        for user in &own {
            if !users.contains(user) {
                users.push(user.clone());
            }
        }
        rosters.push((name, own));
    }
    if windows.len() < 2 && errors.is_empty() {
        errors.add("sunTimeZone", "Choose at least two zones.");
    }
    Ok(windows)
}

fn time_of_day(text: &str, field: &str, errors: &mut Errors) -> HhMm {
    HhMm::parse(text).unwrap_or_else(|| {
        errors.add(field, "Enter a time of day, such as 09:00.");
        HhMm::parse("09:00").expect("a time of day")
    })
}

fn on_or_before(today: Date, day: Weekday) -> Date {
    let mut date = today;
    while date.weekday() != day {
        date = date.checked_sub(1.day()).unwrap_or(Date::MIN);
    }
    date
}

/// A cadence whose hand-overs are counted from a local time.
fn cadence(kind: Kind, zone: ZoneName, first: Date, time: HhMm) -> Cadence {
    let at = zone
        .tz()
        .to_ambiguous_timestamp(first.to_datetime(time.civil()));
    Cadence {
        kind,
        zone,
        starts_at: at.compatible().unwrap_or(Timestamp::UNIX_EPOCH),
        period: 1,
        skips: Skips::default(),
    }
}

fn weekly(zone: ZoneName, first: Date, time: HhMm) -> Cadence {
    cadence(Kind::DayOfWeek, zone, first, time)
}

fn stretch(
    (start_day, start_time): (Weekday, HhMm),
    (end_day, end_time): (Weekday, HhMm),
) -> Stretch {
    Stretch {
        start_day,
        start_time,
        end_day,
        end_time,
    }
}

fn window(
    id: &str,
    name: Option<&str>,
    zone: ZoneName,
    coverage: Vec<Stretch>,
    cadence: Cadence,
) -> WindowSpec {
    WindowSpec {
        handle: HandleSpec::id(id),
        name: name.map(str::to_owned),
        zone: ZoneSpec::Named(zone),
        coverage,
        cadence: CadenceSpec::Timed(cadence),
    }
}

/// The coverage: every lane crossed with every window, and rosters that are narrowed.
fn coverage(
    lanes: usize,
    windows: Vec<WindowSpec>,
    sun: bool,
    rosters: Vec<(&str, Vec<UserId>)>,
) -> GridSpec {
    const LANES: [(&str, &str); 2] = [("primary", "Primary"), ("secondary", "Secondary")];
    let used = &LANES[..lanes];
    let mut cells = Vec::new();
    for (index, window) in windows.iter().enumerate() {
        for (lane, (id, _)) in used.iter().enumerate() {
            let roster = match (sun, lane) {
                (true, _) => rosters.get(index).map(|(name, _)| *name),
                (false, 1) => rosters.first().map(|(name, _)| *name),
                (false, _) => None,
            };
            cells.push(CellSpec {
                id: None,
                lane: (*id).to_owned(),
                window: window.handle.id.clone().unwrap_or_default(),
                roster: roster.map(RosterId::from),
            });
        }
    }
    let lane = |(id, name): &(&str, &str)| LaneSpec {
        handle: HandleSpec::id(id),
        name: Some(Some((*name).to_owned())),
    };
    let roster = |(name, users): (&str, Vec<UserId>)| {
        let narrowed = Narrowed {
            users,
            groups: Vec::new(),
        };
        let roster = RosterSpec {
            narrowed: Some(narrowed),
            ..RosterSpec::default()
        };
        (Some(RosterId::from(name)), roster)
    };
    GridSpec {
        lanes: used.iter().map(lane).collect(),
        windows: Some(windows),
        cells,
        double_cover: false,
        rosters: rosters.into_iter().map(roster).collect(),
    }
}
