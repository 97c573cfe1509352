//! Rotations of every kind in ten zones, run through a year or two and compared with `model`: every hand-over at its instant, the
//! schedule equal to what happens, no slot empty that could be filled.

use crate::record::model::{
    Absence, Cadence, Case, Kind, Model, Span, Window, office, spans, tidy,
};
use crate::support::*;
use jiff::civil::{Weekday, date, time};
use jiff::{Timestamp, ToSpan};
use serde_json::{Value, json};
use std::ops::Range;
use std::path::Path;

const ZONES: [&str; 10] = [
    "Europe/Oslo",
    "Africa/Cairo",
    "Asia/Kolkata",
    "Pacific/Apia",
    "America/New_York",
    "Australia/Lord_Howe",
    "America/Sao_Paulo",
    "Asia/Tehran",
    "Pacific/Auckland",
    "UTC",
];
const START: &str = "2026-02-02T10:20Z";
const PEOPLE: usize = 9;

/// Small pseudo-random numbers, the same in every run.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) % sides
    }
}

/// The k-th kind of cadence in the i-th zone; periods, times, days and skips vary with both.
fn cadence_of(i: usize, k: usize) -> Cadence {
    let (i8, i16) = (i as i8, i as i64);
    let zone = ZONES[i];
    let clock = [
        time(9, 0, 0, 0),
        time(0, 0, 0, 0),
        time(2, 30, 0, 0),
        time(23, 45, 0, 0),
    ][(i + k) % 4];
    let first = date(2026, 2, 3);
    let day = [
        Weekday::Monday,
        Weekday::Friday,
        Weekday::Sunday,
        Weekday::Saturday,
    ][i % 4];
    let (kind, starts, period) = match k {
        0 => (Kind::DayOfWeek, first + i16.days(), 1 + i16 % 3),
        1 => {
            let days = vec![day, Weekday::Thursday, Weekday::Sunday];
            (
                Kind::DaysOfWeekList(days),
                first - (i16 * 9).days(),
                1 + i16 % 2,
            )
        }
        2 => (Kind::DayOfMonth, date(2025, 1, 31 - i8 % 4), 1 + i16 % 2),
        3 => {
            let weeks = [vec![1, 3], vec![5], vec![2, 4, 5]][i % 3].clone();
            (
                Kind::NthWeekday(day, weeks),
                date(2025, 11, 1 + i8),
                1 + i16 % 2,
            )
        }
        4 => {
            let times = match i % 3 {
                0 => vec![time(8, 0, 0, 0), time(20, 0, 0, 0)],
                1 => vec![clock],
                _ => vec![time(2, 30, 0, 0), time(3, 0, 0, 0), time(14, 0, 0, 0)],
            };
            (Kind::Daily(times), first - i16.days(), 2 + i16 % 3)
        }
        _ => (Kind::Workday, first + i16.days(), 1 + i16 % 3),
    };
    let skips = i % 3 == 1 && k < 5;
    let countries = match (zone, k) {
        (_, 5) => [vec!["NO"], vec!["US"], vec!["GB"], vec!["NO", "US"]][i % 4].clone(),
        ("Africa/Cairo", _) => vec!["EG"],
        ("Asia/Tehran", _) => vec!["IR", "IN"],
        _ => vec!["NO"],
    };
    Cadence {
        kind,
        zone,
        starts: starts.to_datetime(clock),
        period,
        skip_weekends: skips,
        skip_holidays: skips && countries == ["NO"],
        countries: if skips || k == 5 { countries } else { vec![] },
    }
}

fn case_of(i: usize, k: usize) -> Case {
    let n = i * 6 + k;
    let mut dice = Dice(n as u64 + 7);
    let cadence = cadence_of(i, k);
    let zone = ZONES[(i + k) % 10];
    let windows = match n % 8 {
        1 | 5 => vec![Window {
            zone,
            hours: office(9, 17),
            cadence: cadence.clone(),
        }],
        3 => {
            let mut night = cadence.clone();
            night.kind = Kind::DayOfWeek;
            let day = Window {
                zone,
                hours: office(8, 20),
                cadence: cadence.clone(),
            };
            vec![
                day,
                Window {
                    zone: ZONES[i],
                    hours: office(20, 8),
                    cadence: night,
                },
            ]
        }
        _ => vec![Window {
            zone,
            hours: vec![],
            cadence: cadence.clone(),
        }],
    };
    let lanes = if n % 8 == 3 { 1 } else { 1 + (i + k) % 3 };
    let places = lanes * windows.len();
    // A few have too few people for their slots, one with and one without double cover.
    let double_cover = n % 7 == 2;
    let people = if n % 7 < 2 || double_cover {
        1 + n % 3
    } else {
        (places + n % 4).max(2)
    };
    let absences = (0..5)
        .map(|_| {
            let from =
                at(START) + (dice.roll(700 * 24) as i64).hours() + (dice.roll(60) as i64).minutes();
            let until = from + (24 + dice.roll(20 * 24) as i64).hours();
            Absence {
                person: dice.roll(people as u64) as usize,
                from,
                until,
            }
        })
        .collect();
    let skips_are_off = !cadence.countries.is_empty() && n % 5 < 2;
    let name = format!(
        "{} {} of {people} in {}",
        windows.len() * lanes,
        cadence.zone,
        kind_name(&cadence)
    );
    Case {
        name,
        people,
        lanes,
        windows,
        absences,
        double_cover,
        skips_are_off,
    }
}

fn kind_name(cadence: &Cadence) -> String {
    cadence.json()["type"].to_string()
}

/// A case on the server and in the model.
struct Walked<'a> {
    rotation: Rot<'a>,
    lanes: Vec<String>,
    windows: Vec<String>,
    model: Model,
}

impl<'a> Walked<'a> {
    fn create(rota: &'a Rota, case: Case, start: &str, until: Timestamp) -> Walked<'a> {
        let people: Vec<String> = (1..=case.people).map(|n| format!("U{n}")).collect();
        let rotation =
            rota.create(json!({ "name": case.name, "owners": ["U1"], "userIds": people }));
        for absence in &case.absences {
            rotation.away(
                &people[absence.person],
                &short(absence.from),
                &short(absence.until),
            );
        }
        rotation
            .patch(json!({ "skipsAreOffTime": case.skips_are_off }))
            .is(200);
        let windows: Vec<Value> = case.windows.iter().map(Window::json).collect();
        let mut grid = rotation.grid(case.lanes, &windows);
        grid["doubleCover"] = json!(case.double_cover);
        let now = rotation.put("/coverage", grid).is(200).json();
        Walked::over(rotation, &now, Model::new(case, at(start), until))
    }

    fn over(rotation: Rot<'a>, now: &Value, model: Model) -> Walked<'a> {
        let ids = |list: &Value| {
            let list = list.as_array().expect("a list").iter();
            list.map(|each| text(&each["id"]).to_owned())
                .collect::<Vec<_>>()
        };
        Walked {
            lanes: ids(&now["lanes"]),
            windows: ids(&now["windows"]),
            rotation,
            model,
        }
    }

    /// The history or the schedule between two instants.
    fn spans(&self, what: &str, from: Timestamp, until: Timestamp) -> Vec<Span> {
        let items = self.rotation.turns(what, &short(from), &short(until));
        spans(&items, &self.lanes, &self.windows, from, until)
    }

    /// Compares the state on the server with the model.
    fn compare(&self, rotation: &Value) {
        let (name, model) = (&self.model.case.name, &self.model);
        let instant = model.now;
        let cells = places(rotation);
        for (place, cell) in cells.iter().enumerate() {
            let person = model.holders[place]
                .as_ref()
                .map(|held| format!("U{}", held.person + 1));
            let held = cell["holder"]["userId"].as_str();
            assert_eq!(
                held,
                person.as_deref(),
                "{name}: holder of place {place} at {instant}"
            );
            let passed = model.passed[place].iter();
            let passed = passed.map(|(person, other)| {
                json!({ "userId": format!("U{}", person + 1), "cellId": cells[*other]["id"] })
            });
            assert_eq!(
                cell["passedOver"],
                passed.collect::<Value>(),
                "{name}: passed over for place {place} at {instant}"
            );
            if let (Some(held), [_]) = (&model.holders[place], &model.holders[..]) {
                let skipped = cell["holder"]["skippedForAbsence"]
                    .as_array()
                    .expect("a list");
                let mut skipped: Vec<_> = skipped
                    .iter()
                    .map(|s| text(&s["userId"]).to_owned())
                    .collect();
                let mut expected: Vec<_> =
                    held.skipped.iter().map(|p| format!("U{}", p + 1)).collect();
                skipped.sort_unstable();
                expected.sort_unstable();
                assert_eq!(skipped, expected, "{name}: passed over at {instant}");
                assert_eq!(
                    at(text(&cell["holder"]["since"])),
                    held.since,
                    "{name}: since at {instant}"
                );
            }
        }
        let on_call: Vec<String> = (0..model.holders.len())
            .filter_map(|p| model.on_call(p))
            .map(|p| format!("U{}", p + 1))
            .collect();
        assert_eq!(
            people_on_call(&rotation["onCall"]),
            on_call.join(" "),
            "{name}: on call at {instant}"
        );
        let next = int(&roster(rotation, &Value::Null)["nextTurn"]);
        assert_eq!(
            next,
            model.next_turn() as i64,
            "{name}: next turn at {instant}"
        );
        let turns = roster(rotation, &Value::Null)["nextTurns"].clone();
        let turns = turns.as_array().expect("a list").iter();
        let turns: Vec<usize> = turns.map(|next| int(&next["nextTurn"]) as usize).collect();
        assert_eq!(turns, model.next_turns, "{name}: next turns at {instant}");
        for (window, all) in model.hand_overs.iter().enumerate() {
            let expected: Vec<String> = all
                .iter()
                .filter(|t| **t > instant)
                .take(5)
                .map(|t| short(*t))
                .collect();
            let events = next_events(rotation, window);
            assert_eq!(events.len(), 5, "{name}");
            assert_eq!(
                events[..expected.len()],
                expected,
                "{name}: hand-overs of window {window} after {instant}"
            );
        }
    }
}

#[track_caller]
fn same(what: &str, name: &str, left: &[Span], right: &[Span]) {
    let differs = (0..left.len().max(right.len())).find(|n| left.get(*n) != right.get(*n));
    if let Some(n) = differs {
        panic!(
            "{name}: {what}, entry {n}:\n{:#?}\n{:#?}",
            left.get(n),
            right.get(n)
        );
    }
}

/// All rotations, page by page, each with its case.
fn compare_all(rota: &Rota, walked: &[Walked]) {
    let all = rota.caller().all("/v1/rotations");
    for case in walked {
        let found = all
            .iter()
            .find(|r| r["id"] == *case.rotation.id)
            .expect("listed");
        case.compare(found);
    }
}

fn walk(start: &str, cases: Vec<Case>, years: i64) {
    // Reminders would be a second instant to stop at for every hand-over, and nothing here asks for them.
    let quiet = Start::default().env("ROTA_CHAT_REMINDER_BEFORE", "0s");
    let rota = quiet.clock(start).go();
    rota.people(PEOPLE);
    let horizon = at(start) + (years * 365 * 24 + 150 * 24).hours();
    let mut walked: Vec<Walked> = cases
        .into_iter()
        .map(|case| Walked::create(&rota, case, start, horizon))
        .collect();
    compare_all(&rota, &walked);
    // Minutes to months, so that both single instants and thousands at once are processed.
    let strides = [
        HOUR,
        13 * HOUR,
        41 * MINUTE,
        DAY,
        6 * DAY,
        19 * DAY,
        3 * DAY + 1,
        33 * DAY,
        71 * DAY,
        110 * DAY,
    ];
    for year in 0..years {
        let from = at(start) + (year * 365 * 24).hours();
        let until = from + (365 * 24).hours();
        // A schedule of a year is expensive: in two years every case is checked once, each kind and zone in both.
        let asked = |n: usize| years == 1 || ((n + n / 6) as i64 + year) % 2 == 0;
        let plans: Vec<Option<Vec<Span>>> = walked
            .iter()
            .enumerate()
            .map(|(n, case)| asked(n).then(|| case.spans("schedule", from, until)))
            .collect();
        let mut now = from;
        for stride in strides.into_iter().cycle() {
            now = (now + stride.seconds()).min(until);
            rota.to(&short(now));
            walked.iter_mut().for_each(|case| case.model.advance(now));
            compare_all(&rota, &walked);
            if now == until {
                break;
            }
        }
        for (case, plan) in walked.iter().zip(&plans) {
            let name = &case.model.case.name;
            let record = case.spans("history", from, until);
            same(
                "the record and the model",
                name,
                &record,
                &case.model.record(from, until),
            );
            if let Some(plan) = plan {
                same("the plan and the record", name, plan, &record);
            }
        }
    }
}

/// The same rotations at another time: anchors move with the start.
fn moved(mut case: Case, start: &str, by_days: i64) -> Case {
    let shift = at(start).duration_since(at(START));
    for window in &mut case.windows {
        window.cadence.starts += by_days.days();
    }
    for absence in &mut case.absences {
        absence.from += shift;
        absence.until += shift;
    }
    case
}

/// Every kind in each of some zones for two years, if all tests are asked for; else every other one for a year.
fn walk_in(zones: Range<usize>) {
    let all = in_full();
    let cases = zones
        .flat_map(|i| (0..6).map(move |k| (i, k)))
        .filter(|(i, k)| all || (i + k) % 2 == 0)
        .map(|(i, k)| case_of(i, k));
    walk(START, cases.collect(), if all { 2 } else { 1 });
}

#[test]
fn years_in_the_first_five_zones() {
    walk_in(0..5);
}

#[test]
fn years_in_the_other_five_zones() {
    walk_in(5..10);
}

/// Samoa skips 30 December 2011; Brazil and Iran change their clocks at midnight; Egypt abolishes the change.
#[test]
fn the_year_that_lost_a_day() {
    let start = "2011-03-07T10:20Z";
    let cases = [
        (3, 0),
        (3, 1),
        (3, 2),
        (3, 4),
        (6, 0),
        (6, 4),
        (7, 1),
        (7, 4),
        (1, 4),
        (5, 0),
        (8, 4),
        (8, 3),
    ];
    let of = |(i, k)| {
        let mut case = moved(case_of(i, k), start, -5446);
        for window in &mut case.windows {
            // Only skips that need no table of that year, and no hours across the missing day.
            window.cadence.skip_holidays = false;
            window.hours = vec![];
        }
        case
    };
    walk(start, cases.map(of).to_vec(), 1);
}

/// A process that was down for a month ends in the same state as its twin that was running.
#[test]
fn a_month_away_is_caught_up() {
    let dir = TempDir::new();
    let (left, right) = (dir.join("left.db"), dir.join("right.db"));
    let horizon = at(START) + (200 * 24).hours();
    let paused = "2026-03-20T21:59:30Z";
    let resumed = "2026-04-21T03:10Z";
    let models: Vec<(String, Model)> = {
        let rota = Start::default().clock(START).db(&left).go();
        rota.people(PEOPLE);
        let cases = (0..4).flat_map(|i| (0..6).map(move |k| case_of(i, k)));
        let walked: Vec<Walked> = cases
            .map(|case| Walked::create(&rota, case, START, horizon))
            .collect();
        rota.to(paused);
        let models = walked
            .into_iter()
            .map(|case| (case.rotation.id, case.model))
            .collect();
        let (status, log) = rota.stop();
        assert!(status.success(), "{log}");
        models
    };
    copy_database(&left, &right);
    let away = Start::default().clock(resumed).db(&left).go();
    let stepped = Start::default().clock(paused).db(&right).go();
    while at(&stepped.now()) < at(resumed) {
        stepped.to(&short(
            (at(&stepped.now()) + (2 * DAY + 7 * HOUR).seconds()).min(at(resumed)),
        ));
    }
    let (ours, theirs) = (
        away.caller().all("/v1/rotations"),
        stepped.caller().all("/v1/rotations"),
    );
    assert_eq!(ours.len(), models.len());
    for (id, mut model) in models {
        let of = |all: &[Value]| all.iter().find(|r| r["id"] == *id).expect("listed").clone();
        let (our, their) = (of(&ours), of(&theirs));
        for member in [
            "cells",
            "rosters",
            "windows",
            "onCall",
            "heldSeats",
            "openSeats",
            "lanes",
            "members",
        ] {
            assert_eq!(our[member], their[member], "{}: {member}", model.case.name);
        }
        model.advance(at(resumed));
        let case = Walked::over(
            Rot {
                by: away.caller(),
                id: id.clone(),
            },
            &our,
            model,
        );
        case.compare(&our);
        let record = |rota: &Rota| {
            Rot {
                by: rota.caller(),
                id: id.clone(),
            }
            .turns("history", paused, resumed)
        };
        let (our, their) = (record(&away), record(&stepped));
        assert_eq!(our, their, "{}", case.model.case.name);
        let (from, until) = (at(paused), at(resumed));
        let lived = spans(&our, &case.lanes, &case.windows, from, until);
        same(
            "the record and the model",
            &case.model.case.name,
            &lived,
            &case.model.record(from, until),
        );
    }
}

/// Copies a database that is not in use, with the files beside it.
fn copy_database(from: &Path, to: &Path) {
    for suffix in ["", "-wal", "-shm"] {
        let beside = |path: &Path| format!("{}{suffix}", path.display());
        if std::fs::exists(beside(from)).unwrap() {
            std::fs::copy(beside(from), beside(to)).unwrap();
        }
    }
}

/// The model itself, on rows computed by hand.
#[test]
fn the_model_agrees_with_the_calendar() {
    let plain = |kind: Kind, zone: &'static str, starts: &str| Cadence {
        kind,
        zone,
        starts: starts.parse().unwrap(),
        period: 1,
        skip_weekends: false,
        skip_holidays: false,
        countries: vec![],
    };
    let mut easter = plain(Kind::Workday, "Europe/Oslo", "2026-03-31T09:00");
    easter.countries = vec!["NO"];
    for (cadence, expected) in [
        (
            plain(Kind::DayOfWeek, "Europe/Oslo", "2026-03-22T02:30"),
            "03-22T01:30Z 03-29T01:30Z 04-05T00:30Z",
        ),
        (
            plain(Kind::DayOfMonth, "UTC", "2026-01-31T12:00"),
            "01-31T12:00Z 02-28T12:00Z 03-31T12:00Z",
        ),
        (easter, "03-31T07:00Z 04-01T07:00Z 04-07T07:00Z"),
    ] {
        let all: Vec<String> = cadence
            .hand_overs(at("2026-06-01T00:00Z"))
            .into_iter()
            .map(short)
            .collect();
        let expected: Vec<String> = words(expected)
            .iter()
            .map(|instant| format!("2026-{instant}"))
            .collect();
        assert_eq!(all[..3], expected);
    }
    assert_eq!(tidy(vec![], Timestamp::MIN, Timestamp::MAX), []);
}
