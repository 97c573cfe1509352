//! New rotation: name, people in order, one lane or two, and a pattern of hand-overs.

use super::{path_to, times};
use crate::actions::creation::{self, NewCreation};
use crate::actions::grid::ReplaceCoverage;
use crate::actions::mutation::{Mutation, Operation};
use crate::actions::{ActionError, reads};
use crate::domain::absence_policy::AbsencePolicy;
use crate::domain::books::Dealing;
use crate::domain::cadence::{Cadence, Kind, Skips};
use crate::domain::coverage::Stretch;
use crate::domain::directory::Person;
use crate::domain::edit::NewRotation;
use crate::domain::grid::{
    CadenceSpec, CellSpec, GridSpec, HandleSpec, LaneSpec, RosterSpec, TurnsSpec, WindowSpec,
    ZoneSpec,
};
use crate::domain::ids::{RosterId, RotationId, UserId};
use crate::domain::refusal::Refusal;
use crate::domain::rotation::{Mode, Narrowed};
use crate::domain::time::HhMm;
use crate::domain::wording::{DAYS, weekday};
use crate::domain::zones::{self, ZoneName};
use crate::server::{Outcome, Problem, Response};
use crate::store::{Page, PersonFilter, list_people};
use crate::web::form::{Errors, Form};
use crate::web::notes::Note;
use crate::web::parts::confirm;
use crate::web::parts::fields::{self, Choice, Filled, hidden};
use crate::web::parts::refusals;
use crate::web::visit::Visit;
use crate::web::{answer, layout};
use crate::wire::etag::Precondition;
use crate::wire::{arrangement, edit};
use jiff::civil::{Date, Weekday};
use jiff::{Timestamp, ToSpan};
use maud::{Markup, html};

const FIELDS: [&str; 6] = [
    "name",
    "code",
    "description",
    "userIds",
    "lanes",
    "timeZone",
];

/// People that a form offers at the most; others are named by their id or address.
const OFFERED: u32 = 500;

/// Lines for people that a form begins with, and by how many it grows.
const LINES: usize = 8;

/// GET /rotations/new.
pub fn show(visit: &Visit) -> Outcome {
    visit.caller.check_create()?;
    let zone = visit.zone.as_str();
    let values = Form::with([
        ("pattern", "weekly"),
        ("lanes", "1"),
        ("dayOfWeek", "monday"),
        ("time", "09:00"),
        ("weekendTime", "18:00"),
        ("timeZone", zone),
        ("sunTimeZone", "Asia/Tokyo"),
        ("sunTimeZone", "Europe/Berlin"),
        ("sunTimeZone", "America/New_York"),
        ("sunStart", "09:00"),
        ("sunStart", "09:00"),
        ("sunStart", "09:00"),
        ("sunEnd", "17:00"),
        ("sunEnd", "17:00"),
        ("sunEnd", "17:00"),
    ]);
    page(visit, 200, &values, &Errors::default())
}

const PATTERNS: [(&str, &str); 5] = [
    ("weekly", "Weekly: one week each"),
    ("daily", "Daily: one day each"),
    (
        "weekdayWeekend",
        "Weekdays and weekends: each goes round by itself",
    ),
    (
        "followTheSun",
        "Follow the sun: three zones hand on the day",
    ),
    ("manual", "By hand: nobody hands over by itself"),
];

/// The names of the windows and rosters that follow the sun.
const SUN: [&str; 3] = ["first", "second", "third"];

fn page(visit: &Visit, status: u16, values: &Form, errors: &Errors) -> Result<Response, Problem> {
    let people = offered(visit)?;
    let filled = Filled { values, errors };
    let lines: usize = values.one("lines").parse().unwrap_or(LINES);
    let lines = lines.clamp(LINES, 200).max(values.list("userIds").len());
    let patterns = PATTERNS.map(|(value, label)| Choice::new(value, label));
    let lanes = [
        Choice::new("1", "One person at a time"),
        Choice::new("2", "Two: a primary and a secondary"),
    ];
    let days = DAYS.map(|name| Choice::new(name, &crate::web::form::capital(name)));
    let zone_names: Vec<Choice> = zones::names().map(|name| Choice::new(name, name)).collect();
    let key = match values.filled("operationId") {
        Some(key) => key.to_owned(),
        None => confirm::operation_id(),
    };
    let content = html! {
        p.crumb { a href="/rotations" { "Rotations" } }
        (fields::summary(errors))
        h1 { "New rotation" }
        form method="post" action="/rotations" {
            (hidden("operationId", &key))
            (fields::entered(None))
            div.card.pad {
                (filled.input("text", "name", "Name", "", true))
                (filled.input("text", "code", "Code", "A short name for chat and addresses: letters, digits, - and _. You may leave it empty.", false))
                (filled.input("text", "description", "Description", "", false))
                (filled.tick("public", "Everybody in the workspace may see it"))
            }
            div.card.pad {
                @if people.is_empty() {
                    p.muted { "There is nobody in the workspace yet. Import the directory: " code { "rota directory import people.json" } }
                }
                (names(values, errors, "userIds", "People, in order", "By name, address or id. The first comes on first.", lines))
                (hidden("lines", &lines.to_string()))
                p.actions { button.btn.s type="submit" name="more" value="true" formnovalidate { "More lines" } }
                (filled.radios("lanes", "At the same time", "", &lanes))
            }
            div.card.pad {
                (filled.radios("pattern", "Hand-overs", "", &patterns))
                div.pair {
                    (filled.select("timeZone", "Time zone", "Hand-overs are at this zone’s time.", &zone_names))
                    (filled.input("time", "time", "Hand over at", "", true))
                    (filled.select("dayOfWeek", "Hand over on", "For weekly turns.", &days))
                    (filled.input("time", "weekendTime", "Weekend begins on Friday at", "For weekdays and weekends; the week begins on Monday at the time above.", false))
                }
                details open[values.one("pattern") == "followTheSun"] {
                    summary { "Zones that follow the sun" }
                    p.hint { "Each zone has hours and people of its own, who hand over among themselves every week. People named here are added to the rotation." }
                    @for (index, name) in SUN.iter().enumerate() { (sun(values, errors, index, name, &zone_names)) }
                }
            }
            p.actions {
                button.btn.go type="submit" { "Create the rotation" }
                a.btn href="/rotations" { "Back" }
            }
            (people_list(&people))
        }
    };
    Ok(layout::page_with(visit, status, "New rotation", content))
}

/// The people that a form offers.
///
/// # Errors
/// When the storage cannot be read.
pub fn offered(visit: &Visit) -> Result<Vec<Person>, Problem> {
    let page = Page::first(OFFERED);
    let filter = PersonFilter::default();
    let read = visit
        .app()
        .store()
        .read(|tx| list_people(tx, &filter, false, page));
    Ok(read?.0)
}

/// People to choose from, for lines that name somebody.
pub fn people_list(people: &[Person]) -> Markup {
    html! {
        datalist #people {
            @for person in people { option value=(person.id) { (person.name()) @if let Some(name) = &person.real_name { ", " (name) } } }
        }
    }
}

/// Lines for people, each a person.
fn names(
    values: &Form,
    errors: &Errors,
    name: &str,
    label: &str,
    hint: &str,
    lines: usize,
) -> Markup {
    let sent: Vec<&str> = values.all(name).filter(|value| !value.is_empty()).collect();
    html! {
        fieldset {
            legend { (label) }
            p.hint { (hint) }
            @for wrong in errors.of(name) { p.wrong { (wrong) } }
            div.lines {
                @for index in 0..lines {
                    @let id = if index == 0 { format!("f-{name}") } else { format!("f-{name}-{index}") };
                    div.f {
                        label for=(id) { span.sr { (label) ", number " } (index + 1) }
                        input type="text" id=(id) name=(name) list="people" autocomplete="off" value=(sent.get(index).copied().unwrap_or_default());
                    }
                }
            }
        }
    }
}

fn sun(values: &Form, errors: &Errors, index: usize, name: &str, zone_names: &[Choice]) -> Markup {
    let nth = |field: &str| values.all(field).nth(index).unwrap_or_default().to_owned();
    let id = |field: &str| format!("f-{field}-{index}");
    let (zone, start, end) = (nth("sunTimeZone"), nth("sunStart"), nth("sunEnd"));
    let users = format!("{name}UserIds");
    let shown = values.list(&users).len().max(4);
    html! {
        fieldset {
            legend { "The " (name) " zone" }
            div.pair {
                div.f {
                    label for=(id("sunTimeZone")) { "Zone" }
                    select id=(id("sunTimeZone")) name="sunTimeZone" {
                        @for choice in zone_names { option value=(choice.value) selected[choice.value == zone] { (choice.label) } }
                    }
                }
                div.f { label for=(id("sunStart")) { "From" } input type="time" id=(id("sunStart")) name="sunStart" value=(start); }
                div.f { label for=(id("sunEnd")) { "To" } input type="time" id=(id("sunEnd")) name="sunEnd" value=(end); }
            }
            (names(values, errors, &users, &format!("People of the {name} zone, in order"), "", shown))
        }
    }
}

/// POST /rotations.
pub fn create(visit: &Visit) -> Outcome {
    visit.caller.check_create()?;
    if visit.form.names("more") {
        return more_lines(visit);
    }
    let mut errors = Errors::default();
    let plan = Plan::read(visit, &mut errors)?;
    if !errors.is_empty() {
        return page(visit, 400, &visit.form, &errors);
    }
    let me = visit.me()?.person.id.clone();
    let new = NewRotation {
        name: visit.form.one("name").trim().to_owned(),
        code: visit.form.filled("code").map(str::to_owned),
        description: visit.form.filled("description").map(str::to_owned),
        public: visit.form.has("public", "true"),
        lanes: plan.lanes,
        owners: vec![me],
        channels: Vec::new(),
        users: plan.users,
        groups: Vec::new(),
        summary: None,
        dealing: Dealing::of_new(),
        absence_policy: AbsencePolicy::of_new(),
    };
    let made = make(visit, new, plan.coverage);
    match made {
        Ok((id, replayed)) => {
            let rotation = reads::rotation(visit.app(), &visit.caller, &id)?;
            let note = if replayed {
                "was created already"
            } else {
                "was created"
            };
            visit.note(Note::new(format!("{} {note}.", rotation.profile.name)));
            Ok(answer::see(path_to(&rotation)))
        }
        Err(stop) => {
            let problem = Problem::from(stop);
            match problem.status {
                400 | 402 | 409 => {
                    refusals::add(visit.app(), &mut errors, &problem, &FIELDS)?;
                    page(visit, problem.status, &visit.form, &errors)
                }
                _ => Err(problem),
            }
        }
    }
}

/// The form with more lines for people.
fn more_lines(visit: &Visit) -> Outcome {
    let lines: usize = visit.form.one("lines").parse().unwrap_or(LINES);
    let fields = visit
        .form
        .fields()
        .filter(|(name, _)| !matches!(*name, "more" | "lines"))
        .map(|(name, value)| (name.to_owned(), value.to_owned()));
    let grown = ("lines".to_owned(), (lines + LINES).to_string());
    page(
        visit,
        200,
        &Form::with(fields.chain([grown])),
        &Errors::default(),
    )
}

/// The choices of a form beside the rotation itself.
struct Plan {
    users: Vec<UserId>,
    lanes: usize,
    /// The coverage; `None` leaves the rotation manual.
    coverage: Option<GridSpec>,
}

impl Plan {
    fn read(visit: &Visit, errors: &mut Errors) -> Result<Plan, Problem> {
        let form = &visit.form;
        let mut users = resolve(visit, "userIds", errors)?;
        let lanes = if form.one("lanes") == "2" { 2 } else { 1 };
        let zone = match ZoneName::parse(form.one("timeZone")) {
            Ok(zone) => zone,
            Err(refusal) => {
                errors.add("timeZone", crate::web::form::sentence(&refusal.to_string()));
                ZoneName::utc()
            }
        };
        let time = time_of_day(form.one("time"), "time", errors);
        let pattern = form.one("pattern");
        let today = times(visit).date(visit.now);
        let mut rosters: Vec<(&'static str, Vec<UserId>)> = Vec::new();
        let windows = match pattern {
            "manual" => None,
            "daily" => Some(vec![window(
                "all",
                None,
                zone,
                Vec::new(),
                cadence(Kind::Daily { times: vec![time] }, zone, today, time),
            )]),
            "weekdayWeekend" => {
                let weekend = time_of_day(form.one("weekendTime"), "weekendTime", errors);
                let (monday, friday) = (
                    on_or_before(today, Weekday::Monday),
                    on_or_before(today, Weekday::Friday),
                );
                let span = |from, to| vec![stretch(from, to)];
                Some(vec![
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
                ])
            }
            "followTheSun" => Some(sun_windows(visit, today, &mut users, &mut rosters, errors)?),
            _ => {
                let day = weekday(form.one("dayOfWeek")).unwrap_or(Weekday::Monday);
                let first = on_or_before(today, day);
                Some(vec![window(
                    "all",
                    None,
                    zone,
                    Vec::new(),
                    weekly(zone, first, time),
                )])
            }
        };
        if users.is_empty() {
            errors.add("userIds", "Name at least one person.");
        }
        let sun = !rosters.is_empty();
        if lanes == 2 && !sun && windows.is_some() && users.len() > 1 {
            // This week's secondary is next week's primary, and nobody is always paired with the same.
            let mut later = users.clone();
            later.rotate_left(1);
            rosters.push(("secondary", later));
        }
        let coverage = windows.map(|windows| coverage(lanes, windows, sun, rosters));
        Ok(Plan {
            users,
            lanes,
            coverage,
        })
    }
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
    for (index, name) in SUN.into_iter().enumerate() {
        let nth = |field: &'static str| form.all(field).nth(index).unwrap_or_default();
        let field = format!("{name}UserIds");
        let own = resolve(visit, &field, errors)?;
        if own.is_empty() {
            errors.add(
                &field,
                format!("Name at least one person of the {name} zone."),
            );
        }
        let Ok(zone) = ZoneName::parse(nth("sunTimeZone")) else {
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
    Ok(windows)
}

/// The people that lines name, by id, address or name.
fn resolve(visit: &Visit, field: &str, errors: &mut Errors) -> Result<Vec<UserId>, Problem> {
    let mut found: Vec<UserId> = Vec::new();
    for named in visit.form.list(field) {
        let named = named.trim();
        if named.is_empty() {
            continue;
        }
        match person(visit, named)? {
            Some(user) if found.contains(&user) => {
                errors.add(field, format!("“{named}” is named twice."));
            }
            Some(user) => found.push(user),
            None => errors.add(
                field,
                format!("Nobody, or more than one, is called “{named}”."),
            ),
        }
    }
    Ok(found)
}

/// Somebody of the workspace, by id, address or name; `None` where it is nobody, or more than one.
///
/// # Errors
/// When the storage cannot be read.
pub fn person(visit: &Visit, named: &str) -> Result<Option<UserId>, Problem> {
    let filter = PersonFilter {
        text: Some(named.to_owned()),
        email: None,
    };
    let by_email = PersonFilter {
        text: None,
        email: Some(named.to_owned()),
    };
    let page = Page::first(50);
    Ok(visit
        .app()
        .store()
        .read(|tx| -> Result<_, crate::actions::Error> {
            let id = UserId::from(named);
            if crate::store::is_present(tx, &id)? {
                return Ok(Some(id));
            }
            let filter = if named.contains('@') {
                &by_email
            } else {
                &filter
            };
            let (people, _) = list_people(tx, filter, false, page)?;
            let same = |person: &&Person| {
                let names = [&person.display_name, &person.real_name, &person.email];
                let lower = named.to_lowercase();
                names
                    .into_iter()
                    .flatten()
                    .any(|name| name.to_lowercase() == lower)
            };
            let mut exact = people.iter().filter(same);
            let (first, second) = (exact.next(), exact.next());
            Ok(first
                .filter(|_| second.is_none())
                .map(|person| person.id.clone()))
        })?)
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
            turns: TurnsSpec::default(),
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

/// Creates the rotation, then gives it its hours. A retry finds the one that was made.
fn make(
    visit: &Visit,
    new: NewRotation,
    coverage: Option<GridSpec>,
) -> Result<(RotationId, bool), ActionError> {
    let coverage = coverage.map(GridSpec::checked).transpose()?;
    let rotation = new.checked()?;
    let content = edit::canonical(&rotation);
    let creation = NewCreation {
        key: visit.operation_id()?.to_owned(),
        body_hash: arrangement::body_hash("createRotation", &[], content.as_bytes()),
        rotation,
    };
    let created = creation::create(visit.app(), &visit.author("createRotation"), creation)?;
    let id = created.rotation.id.clone();
    if created.replayed && created.rotation.mode() == Mode::Auto {
        return Ok((id, true));
    }
    let Some(spec) = coverage else {
        return Ok((id, created.replayed));
    };
    write(visit, &id, "replaceCoverage", ReplaceCoverage(spec))?;
    Ok((id, false))
}

fn write(
    visit: &Visit,
    id: &RotationId,
    action: &'static str,
    operation: impl Operation,
) -> Result<(), ActionError> {
    let mutation = Mutation {
        author: &visit.author(action),
        rotation: id,
        precondition: &Precondition::Any,
        operation,
    };
    match mutation.run(visit.app()) {
        // A retry of a creation that was cut short finds some of it done.
        Err(ActionError::Refused(Refusal::NotFound("roster"))) => Ok(()),
        done => done.map(drop),
    }
}
