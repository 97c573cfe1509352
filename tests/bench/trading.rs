//! Plans in which missed turns are traded, beside the same in which they are lost.

use crate::table::{Floor, median, row, section};
use jiff::civil::Weekday;
use jiff::{SignedDuration, Timestamp};
use rota::actions::reads;
use rota::domain::absence::Absences;
use rota::domain::books::Dealing;
use rota::domain::cadence::{Cadence, Kind, Skips};
use rota::domain::coverage::Stretch;
use rota::domain::forecast;
use rota::domain::grid::{
    CadenceSpec, CellSpec, GridSpec, HandleSpec, LaneSpec, WindowSpec, ZoneSpec,
};
use rota::domain::handover::DealingContext;
use rota::domain::holidays::Calendar;
use rota::domain::ids::UserId;
use rota::domain::rotation::Rotation;
use rota::domain::time::{HhMm, Interval};
use rota::domain::zones::ZoneName;
use rota::runtime::clock::Clock;
use std::time::Instant;

use crate::seed::{Scratch, Seed, caller};

/// The number of lanes and of windows.
const SIDE: usize = 4;
const PEOPLE: usize = 40;
const ABSENCES: usize = 200;
const BEGINS: &str = "2031-03-03T00:00:00Z";
const DAY: SignedDuration = SignedDuration::from_hours(24);

/// The plan of a year of a large team with many absences. The ratio is of medians, measured in turns.
pub fn run() {
    section("A plan of a year of a grid of 4 by 4 with 40 people and 200 absences");
    let folder = Scratch::new("trading");
    let begins: Timestamp = BEGINS.parse().expect("an instant");
    let people: Vec<UserId> = (1..=PEOPLE)
        .map(|n| UserId::from(format!("U{n}")))
        .collect();
    let seed = Seed::of(
        folder.file("rota.db"),
        Clock::frozen(begins),
        people.clone(),
    );
    let lost = seed.rotation_of("grid", people.clone(), grid(begins));
    let lost = reads::rotation(&seed.app, &caller(), &lost.id).expect("a rotation");
    let mut traded = lost.clone();
    traded.dealing = Dealing::of_new();
    let absences = absences(&people, begins);
    let (mut times_lost, mut times_traded) = (Vec::new(), Vec::new());
    for _ in 0..9 {
        times_lost.push(plan(&lost, &absences));
        times_traded.push(plan(&traded, &absences));
    }
    let (before, after) = (median(times_lost), median(times_traded));
    let show = |seconds: f64| format!("{:.1} ms", seconds * 1e3);
    row("turns lost", &show(before), before, Floor::None);
    let (measured, ratio) = (show(after), after / before);
    row(
        "turns traded, against lost",
        &measured,
        ratio,
        Floor::AtMost(1.5),
    );
}

/// The seconds that a plan of a year takes.
fn plan(rotation: &Rotation, absences: &Absences) -> f64 {
    let calendar = Calendar::embedded();
    let dealing = DealingContext::new(&calendar, absences);
    let from = rotation.stamps.judged_at;
    let begun = Instant::now();
    let turns = forecast::schedule(rotation, dealing, Interval::ahead(from, DAY * 365));
    assert!(turns.expect("a plan").len() > 800);
    begun.elapsed().as_secs_f64()
}

/// Five of each person, of two days to two weeks, spread over the year.
fn absences(people: &[UserId], begins: Timestamp) -> Absences {
    let away = |n: usize| {
        let from = begins + DAY * ((n * 67 + 11) % 350) as i32;
        let days = [2, 3, 5, 7, 14][n % 5];
        (
            people[n % PEOPLE].clone(),
            Interval::ahead(from, DAY * days),
        )
    };
    Absences::new((0..ABSENCES).map(away).collect())
}

fn time(hour: usize) -> HhMm {
    HhMm::parse(&format!("{:02}:00", hour % 24)).expect("a time of day")
}

/// Each window has six hours of each day and is handed over weekly.
fn grid(starts_at: Timestamp) -> GridSpec {
    let zone = ZoneName::parse("Europe/Oslo").expect("a zone");
    let lane = |n: usize| format!("lane-{n}");
    let window = |n: usize| format!("window-{n}");
    let days = (0..7).map(|day| Weekday::from_monday_zero_offset(day).expect("a day"));
    let window_spec = |n: usize| WindowSpec {
        handle: HandleSpec::id(&window(n)),
        name: Some(window(n)),
        zone: ZoneSpec::Named(zone),
        coverage: (days.clone())
            .map(|day| Stretch {
                start_day: day,
                start_time: time(6 * n),
                end_day: if n == 3 { day.next() } else { day },
                end_time: time(6 * n + 6),
            })
            .collect(),
        cadence: CadenceSpec::Timed(Cadence {
            kind: Kind::DayOfWeek,
            zone,
            starts_at,
            period: 1,
            skips: Skips::default(),
        }),
    };
    let cells = (0..SIDE).flat_map(|w| (0..SIDE).map(move |l| (w, l)));
    GridSpec {
        lanes: (0..SIDE)
            .map(|n| LaneSpec {
                handle: HandleSpec::id(&lane(n)),
                name: Some(Some(lane(n))),
            })
            .collect(),
        windows: Some((0..SIDE).map(window_spec).collect()),
        cells: cells
            .map(|(w, l)| CellSpec {
                id: None,
                lane: lane(l),
                window: window(w),
                roster: None,
            })
            .collect(),
        double_cover: false,
        rosters: Vec::new(),
    }
}
