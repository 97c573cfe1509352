//! The development clock on the largest possible grid: every step changes a rotation of 400 cells.

use crate::due::settle;
use crate::seed::{Scratch, Seed};
use crate::table::{Floor, row, section};
use jiff::civil::Weekday;
use jiff::{SignedDuration, Timestamp};
use rota::actions::dev_clock;
use rota::domain::cadence::{Cadence, Kind, Skips};
use rota::domain::coverage::Stretch;
use rota::domain::grid::{
    CadenceSpec, CellSpec, GridSpec, HandleSpec, LaneSpec, WindowSpec, ZoneSpec,
};
use rota::domain::ids::UserId;
use rota::domain::time::HhMm;
use rota::domain::zones::ZoneName;
use rota::runtime::clock::Clock;
use std::time::Instant;

/// The number of lanes and of windows.
const SIDE: usize = 20;
const PEOPLE: usize = 1000;
/// The stretches of each window.
const STRETCHES: usize = 50;
const TIMES: usize = 48;

const BEGINS: &str = "2031-03-03T00:00:00Z";
const HOURS: SignedDuration = SignedDuration::from_hours(22);

/// The time to move through 22 hours in which a window hands over nearly every minute.
pub fn run() {
    section("The development clock over 22 hours of a grid of 20 by 20");
    let folder = Scratch::new("grid");
    let begins: Timestamp = BEGINS.parse().expect("an instant");
    let people: Vec<UserId> = (0..PEOPLE).map(|n| UserId::from(format!("U{n}"))).collect();
    let path = folder.file("rota.db");
    let seed = Seed::of(path, Clock::frozen(begins), people.clone());
    let before = seed.rotation_of("grid", people, grid(begins));
    let begun = Instant::now();
    dev_clock::advance(&seed.app, begins + HOURS, &|| settle(&seed.app)).expect("the hand-overs");
    let took = begun.elapsed().as_secs_f64();
    let after = rota::actions::reads::rotation(&seed.app, &crate::seed::caller(), &before.id);
    let steps = after.expect("a rotation").stamps.version - before.stamps.version;
    let measured = format!("{took:.1} s, {steps} versions");
    row(
        "actions::dev_clock::advance",
        &measured,
        took,
        Floor::AtMost(10.0),
    );
}

fn minute(minute: usize) -> HhMm {
    let minute = minute % (24 * 60);
    HhMm::parse(&format!("{:02}:{:02}", minute / 60, minute % 60)).expect("a time of day")
}

/// Each window starts a minute after the previous one.
fn grid(starts_at: Timestamp) -> GridSpec {
    let zone = ZoneName::parse("Europe/Oslo").expect("a zone");
    let lane = |n: usize| format!("lane-{n}");
    let window = |n: usize| format!("window-{n}");
    let stretch = |begins: usize| {
        let day = |at: usize| {
            Weekday::from_monday_zero_offset((at / (24 * 60) % 7) as i8).expect("a day of the week")
        };
        let ends = begins + 100;
        Stretch {
            start_day: day(begins),
            start_time: minute(begins),
            end_day: day(ends),
            end_time: minute(ends),
        }
    };
    let window_spec = |n: usize| WindowSpec {
        handle: HandleSpec::id(&window(n)),
        name: Some(window(n)),
        zone: ZoneSpec::Named(zone),
        coverage: (0..STRETCHES).map(|s| stretch(s * 200 + n)).collect(),
        cadence: CadenceSpec::Timed(Cadence {
            kind: Kind::Daily {
                times: (0..TIMES).map(|t| minute(t * 30 + n)).collect(),
            },
            zone,
            starts_at,
            period: 1,
            skips: Skips::default(),
        }),
    };
    let cell = |w: usize, l: usize| CellSpec {
        id: None,
        lane: lane(l),
        window: window(w),
        roster: None,
    };
    GridSpec {
        lanes: (0..SIDE)
            .map(|n| LaneSpec {
                handle: HandleSpec::id(&lane(n)),
                name: Some(Some(lane(n))),
            })
            .collect(),
        windows: Some((0..SIDE).map(window_spec).collect()),
        cells: (0..SIDE)
            .flat_map(|w| (0..SIDE).map(move |l| (w, l)))
            .map(|(w, l)| cell(w, l))
            .collect(),
        double_cover: false,
        rosters: Vec::new(),
    }
}
