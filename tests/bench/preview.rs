//! A preview of an edit over 90 days of a grid of four lanes and four windows, and a plan of many rotations.

use crate::due::{MONDAY, SUNDAY, at};
use crate::seed::{Scratch, Seed, caller};
use crate::table::{Floor, median, row, section};
use jiff::Timestamp;
use rota::actions::plan::{self, Target};
use rota::actions::preview::{self, PreviewQuery, When};
use rota::domain::cadence::{Cadence, Kind, Skips};
use rota::domain::edit::Edits;
use rota::domain::grid::{
    CadenceSpec, CellSpec, GridSpec, HandleSpec, LaneSpec, WindowSpec, ZoneSpec,
};
use rota::domain::ids::{RotationId, UserId};
use rota::domain::staged::ChangeTime;
use rota::domain::time::HhMm;
use rota::domain::zones::ZoneName;
use rota::runtime::clock::Clock;
use rota::store;
use std::hint::black_box;
use std::time::Instant;

const SIDE: usize = 4;
const PEOPLE: usize = 24;
const DAYS: i64 = 90;
const ROUNDS: usize = 30;

const BEGINS: &str = "2031-03-03T00:00:00Z";

/// The time to look at somebody leaving: both plans, and where they differ.
pub fn run() {
    section("A preview over 90 days of a grid of 4 by 4, handed over daily");
    let folder = Scratch::new("preview");
    let begins: Timestamp = BEGINS.parse().expect("an instant");
    let people: Vec<UserId> = (0..PEOPLE).map(|n| UserId::from(format!("U{n}"))).collect();
    let path = folder.file("rota.db");
    let seed = Seed::of(path, Clock::frozen(begins), people.clone());
    let rotation = seed.rotation_of("preview", people, grid(begins));
    let look = |warns: bool| {
        let edits = Edits {
            leavers: vec![UserId::from("U3")],
            ..Edits::default()
        };
        let wanted = PreviewQuery {
            edits,
            warns,
            ..PreviewQuery::default()
        };
        let begun = Instant::now();
        let when = When::now(DAYS);
        let found = preview::of(&seed.app, &caller(), &rotation.id, wanted, when);
        let found = found.expect("a preview");
        black_box(found.by_cell());
        begun.elapsed().as_secs_f64() * 1e3
    };
    for (name, warns) in [
        ("actions::preview::of, as the API asks", true),
        ("the same without warnings, as forms ask", false),
    ] {
        let took = median((0..ROUNDS).map(|_| look(warns)).collect());
        let measured = format!("{took:.2} ms");
        row(name, &measured, took, Floor::AtMost(10.0));
    }
    plans();
}

/// Rotations that are planned together.
const PLANNED: usize = 200;

/// A plan of many rotations of the same six people, in which the first of them leaves each.
fn plans() {
    let folder = Scratch::new("plans");
    let seed = Seed::new(folder.file("rota.db"), Clock::frozen(at(SUNDAY)));
    let first = seed.rotation("first", 1, &[&[]], at(MONDAY));
    seed.copies(first, PLANNED - 1);
    let ids = seed.app.store().read(store::list_rotation_ids);
    let ids = ids.expect("ids");
    for (name, when) in [
        ("200 rotations planned, for now", ChangeTime::Now),
        (
            "the same for the next hand-over",
            ChangeTime::NextHandOver(None),
        ),
    ] {
        let item = |id: &RotationId| plan::Item {
            target: Target::Id(id.clone()),
            replaces: Vec::new(),
            edits: Edits {
                leavers: vec![UserId::from("U1")],
                ..Edits::default()
            },
            agrees: None,
        };
        let items: Vec<plan::Item> = ids.iter().map(item).collect();
        let when = plan::When {
            at: when,
            days: DAYS,
        };
        let (begun, mut planned) = (Instant::now(), 0);
        plan::each(&seed.app, &caller(), items, &when, |one| {
            assert!(one.refusals.is_empty(), "{:?}", one.refusals);
            planned += usize::from(black_box(one).preview.is_some());
        })
        .expect("a plan");
        let took = begun.elapsed().as_secs_f64();
        assert_eq!(planned, PLANNED);
        row(name, &format!("{took:.2} s"), took, Floor::AtMost(2.0));
    }
}

fn grid(starts_at: Timestamp) -> GridSpec {
    let zone = ZoneName::parse("Europe/Oslo").expect("a zone");
    let named = |what: &str, n: usize| format!("{what}-{n}");
    let window = |n: usize| WindowSpec {
        handle: HandleSpec::id(&named("window", n)),
        name: Some(named("window", n)),
        zone: ZoneSpec::Named(zone),
        coverage: Vec::new(),
        cadence: CadenceSpec::Timed(Cadence {
            kind: Kind::Daily {
                times: vec![HhMm::parse(&format!("{:02}:00", 6 * n)).expect("a time of day")],
            },
            zone,
            starts_at,
            period: 1,
            skips: Skips::default(),
        }),
    };
    let cells = (0..SIDE).flat_map(|w| (0..SIDE).map(move |l| (w, l)));
    let cells = cells.map(|(w, l)| CellSpec {
        id: None,
        lane: named("lane", l),
        window: named("window", w),
        roster: None,
    });
    GridSpec {
        lanes: (0..SIDE)
            .map(|n| LaneSpec {
                handle: HandleSpec::id(&named("lane", n)),
                name: Some(Some(named("lane", n))),
            })
            .collect(),
        windows: Some((0..SIDE).map(window).collect()),
        cells: cells.collect(),
        double_cover: false,
        rosters: Vec::new(),
    }
}
