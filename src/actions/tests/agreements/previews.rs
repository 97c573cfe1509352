//! Previews of random edits in random rotations: what they show is what happens when the same edits are made by their own writes
//! at that instant and time goes by. Differences are found again minute by minute.

use super::ops::{self, Case};
use super::walk::{Outcome, Walk, fail, person};
use super::{go_to_monday, leave_nothing};
use crate::actions::grid::WriteRoster;
use crate::actions::preview::{self, Preview, Refused, When};
use crate::actions::tests::*;
use crate::domain::duty::Duty;
use crate::domain::edit::Edits;
use crate::domain::fault::Fault;
use crate::domain::grid::{RosterSpec, TurnsSpec};
use crate::domain::ids::{AbsenceId, RosterId};
use crate::domain::refusal::Refusal;
use crate::domain::rotation::Narrowed;
use proptest::prelude::*;
use proptest::test_runner::TestError;
use std::cell::Cell;

/// Members in order, enabled, double cover, days off.
type Patch = (Option<Vec<u8>>, Option<bool>, Option<bool>, Option<bool>);

/// What to try; people, cells and records are numbers, as in [`ops`].
#[derive(Clone, Debug)]
struct Tried {
    patch: Option<Patch>,
    grid: Option<Grid>,
    /// Of the roster `r` or of everybody: the list, the next turn.
    rosters: Vec<(bool, Option<Vec<u8>>, Option<i32>)>,
    /// Who, from and for how many hours from then on, everywhere.
    absences: Vec<(u8, i64, i64, bool)>,
    removed: Vec<usize>,
    leavers: Vec<u8>,
    /// In how many minutes the edits are made; now where omitted.
    later: Option<i64>,
    days: i64,
}

#[derive(Clone, Debug)]
struct Grid {
    lanes: usize,
    /// The hour of the hand-over of each window, by hand if there is none.
    windows: Vec<Option<i8>>,
    /// Cells that deal from the roster `r`.
    named: Vec<bool>,
    double: bool,
}

fn tried() -> impl Strategy<Value = Tried> {
    let who = || 1..=7_u8;
    let some = |chance| prop::bool::weighted(chance);
    let people = move || prop::collection::vec(who(), 0..5);
    let patch = (
        prop::option::weighted(0.6, people()),
        prop::option::weighted(0.2, any::<bool>()),
        prop::option::weighted(0.3, any::<bool>()),
        prop::option::weighted(0.2, any::<bool>()),
    );
    let grid = (
        1..4_usize,
        prop::collection::vec(prop::option::weighted(0.9, 0..24_i8), 1..3),
        prop::collection::vec(some(0.3), 6),
        any::<bool>(),
    );
    let grid = grid.prop_map(|(lanes, windows, named, double)| Grid {
        lanes,
        windows,
        named,
        double,
    });
    let roster = (
        any::<bool>(),
        prop::option::weighted(0.6, people()),
        prop::option::weighted(0.6, 0..4_i32),
    );
    let absence = (who(), -30..200_i64, 1..150_i64, any::<bool>());
    let edits = (
        prop::option::weighted(0.3, patch),
        prop::option::weighted(0.3, grid),
        prop::collection::vec(roster, 0..2),
        prop::collection::vec(absence, 0..3),
        prop::collection::vec(0..4_usize, 0..2),
        prop::collection::vec(who(), 0..2),
    );
    let when = (prop::option::of(0..12_000_i64), 1..12_i64);
    (edits, when).prop_map(|(edits, (later, days))| {
        let (patch, grid, rosters, absences, removed, leavers) = edits;
        Tried {
            patch,
            grid,
            rosters,
            absences,
            removed,
            leavers,
            later,
            days,
        }
    })
}

fn users(list: &[u8]) -> Vec<UserId> {
    let mut users: Vec<UserId> = Vec::new();
    for who in list.iter().map(|who| person(*who)) {
        if !users.contains(&who) {
            users.push(who);
        }
    }
    users
}

/// The grid, with the lanes and windows of the rotation as far as they go.
fn grid(rotation: &Rotation, wanted: &Grid) -> GridSpec {
    let lane = |index: usize| match rotation.lanes.get(index) {
        Some(lane) => lane.id.to_string(),
        None => format!("l{index}"),
    };
    let lanes: Vec<String> = (0..wanted.lanes).map(lane).collect();
    let utc = ZoneName::utc();
    let window = |(index, hour): (usize, &Option<i8>)| {
        let known = rotation.windows.get(index);
        let id = known.map_or_else(|| format!("w{index}"), |window| window.id.to_string());
        let time = |hour: &i8| crate::domain::time::HhMm::parse(&format!("{hour:02}:00"));
        let cadence = hour.as_ref().map(|hour| Cadence {
            kind: Kind::Daily {
                times: vec![time(hour).expect("a time")],
            },
            zone: utc,
            starts_at: at(BEGUN),
            period: 1,
            skips: Skips::default(),
        });
        WindowSpec {
            handle: HandleSpec::id(&id),
            name: None,
            zone: ZoneSpec::Kept,
            coverage: Vec::new(),
            cadence: cadence.map_or(CadenceSpec::Manual, CadenceSpec::Timed),
        }
    };
    let windows: Vec<WindowSpec> = wanted.windows.iter().enumerate().map(window).collect();
    let mut cells = Vec::new();
    for window in &windows {
        for lane in &lanes {
            let is_named = wanted.named[cells.len() % wanted.named.len()];
            cells.push(CellSpec {
                id: None,
                lane: lane.clone(),
                window: window.handle.id.clone().expect("a name"),
                roster: is_named.then(|| RosterId::from("r")),
            });
        }
    }
    let lanes = lanes.iter().map(|id| LaneSpec {
        handle: HandleSpec::id(id),
        name: None,
    });
    GridSpec {
        lanes: lanes.collect(),
        windows: Some(windows),
        cells,
        double_cover: wanted.double,
        rosters: Vec::new(),
    }
}

/// The edits in the rotation as it is now, made at an instant.
fn edits(app: &App, rotation: &Rotation, tried: &Tried, made_at: Timestamp) -> Edits {
    let patch = tried
        .patch
        .as_ref()
        .map(|(list, enabled, double, off)| RotationPatch {
            users: list.as_deref().map(users),
            enabled: *enabled,
            double_cover: *double,
            skips_are_off_time: *off,
            ..RotationPatch::default()
        });
    let roster = |(named, list, turn): &(bool, Option<Vec<u8>>, Option<i32>)| {
        let id = named.then(|| RosterId::from("r"));
        let narrowed = list.as_deref().filter(|_| *named).map(|list| Narrowed {
            users: users(list),
            groups: Vec::new(),
        });
        let turns = TurnsSpec {
            all: *turn,
            each: Vec::new(),
        };
        let spec = RosterSpec {
            narrowed,
            turns,
            ..RosterSpec::default()
        };
        (id, spec)
    };
    let absence = |(who, from, long, everywhere): &(u8, i64, i64, bool)| {
        let from = made_at + SignedDuration::from_hours(*from);
        NewAbsence {
            user: person(*who),
            period: Interval {
                from,
                until: from + SignedDuration::from_hours(*long),
            },
            reason: None,
            everywhere: *everywhere,
        }
    };
    let stored = absences::list(app, &caller(), &rotation.id, None, None).expect("absences");
    let removed = tried.removed.iter().map(|index| match stored.get(*index) {
        Some(absence) => absence.id.clone(),
        None => AbsenceId::from("abs_none"),
    });
    let mut once: Vec<AbsenceId> = removed.collect();
    once.dedup();
    Edits {
        patch,
        coverage: tried.grid.as_ref().map(|wanted| grid(rotation, wanted)),
        rosters: tried.rosters.iter().map(roster).collect(),
        absences: tried.absences.iter().map(absence).collect(),
        removed_absences: once,
        leavers: users(&tried.leavers),
        ..Edits::default()
    }
}

/// Makes the edits by their own writes. Returns what was refused.
fn make(app: &App, id: &RotationId, edits: Edits) -> Vec<Refused> {
    let mut refusals: Vec<Refused> = Vec::new();
    let mut note = |part: String, outcome: Result<(), ActionError>| match outcome {
        Ok(()) => {}
        Err(ActionError::Refused(refusal)) => refusals.push(Refused { part, refusal }),
        Err(other) => panic!("{part}: {other:?}"),
    };
    let any = Precondition::Any;
    let read = || reads::rotation(app, &caller(), id).expect("the rotation");
    if let Some(patch) = edits.patch {
        let made = write(app, &caller(), id, &any, PatchRotation(patch));
        note("rotation".into(), made.map(drop));
    }
    if let Some(spec) = edits.coverage {
        let made = write(app, &caller(), id, &any, ReplaceCoverage(spec));
        note("coverage".into(), made.map(drop));
    }
    for (roster, spec) in edits.rosters {
        let part = format!("rosters.{}", roster.as_ref().map_or("", RosterId::as_str));
        let made = write(app, &caller(), id, &any, WriteRoster { roster, spec });
        note(part, made.map(drop));
    }
    for (index, new) in edits.absences.into_iter().enumerate() {
        let made = absences::create(app, &author(), id, new);
        note(format!("absences[{index}]"), made.map(drop));
    }
    for (index, absence) in edits.removed_absences.iter().enumerate() {
        let made = absences::remove(app, &author(), id, absence);
        note(format!("removeAbsenceIds[{index}]"), made);
    }
    let mut members = read().members.users;
    for (index, leaver) in edits.leavers.iter().enumerate() {
        let is_member = members.contains(leaver);
        members.retain(|user| user != leaver);
        let unknown = || {
            let fault = Fault::NotMember(leaver.clone());
            Err(Refusal::invalid(format!("remove[{index}]"), fault).into())
        };
        note(
            format!("remove[{index}]"),
            if is_member { Ok(()) } else { unknown() },
        );
    }
    let patch = RotationPatch {
        users: Some(members),
        ..RotationPatch::default()
    };
    write(app, &caller(), id, &any, PatchRotation(patch)).expect("the members that stay");
    refusals
}

/// A turn in words, without ids that differ between what is shown and what is made.
fn turn(turn: &Duty) -> String {
    let entry = &turn.entry;
    format!(
        "{:?} {} to {:?}: {:?} {:?} {:?} {:?}",
        turn.slot,
        entry.start,
        turn.end,
        entry.user,
        entry.turn,
        entry.arrangement,
        turn.kind(),
    )
}

fn turns(list: &[Duty]) -> Vec<String> {
    let mut shown: Vec<String> = list.iter().map(turn).collect();
    shown.sort();
    shown
}

/// Who is on call in a cell at an instant by a plan.
fn holder(plan: &[Duty], cell: Option<usize>, at: Timestamp) -> Option<&UserId> {
    let mut covering = plan
        .iter()
        .filter(|turn| turn.slot == cell && turn.period().contains(at));
    covering.find_map(|turn| turn.entry.user.as_ref())
}

/// Goes through the span in steps of a minute where anything begins or ends nearby, and compares with what was found.
fn compare_minutes(shown: &Preview) -> Outcome {
    let mut ids: Vec<_> = shown
        .then
        .cells
        .iter()
        .map(|cell| cell.id.clone())
        .collect();
    for cell in &shown.current.cells {
        if !ids.contains(&cell.id) {
            ids.push(cell.id.clone());
        }
    }
    let found = shown.by_cell();
    let (mut hand_overs, mut minutes) = ([0, 0], 0);
    for id in ids {
        let cells = [&shown.current, &shown.then].map(|rotation| rotation.slot_of(&id));
        let mut at = shown.range.from;
        let mut last: Option<[Option<&UserId>; 2]> = None;
        while at < shown.range.until {
            let plans = [&shown.planned, &shown.planned_then];
            let held = [0, 1].map(|side| holder(plans[side], cells[side], at));
            if let Some(last) = last {
                for side in [0, 1] {
                    hand_overs[side] += usize::from(last[side] != held[side]);
                }
            }
            last = Some(held);
            let there = found
                .iter()
                .find(|one| one.place == id && one.period.contains(at));
            let told = there.map(|one| [one.before.first(), one.after.first()]);
            if told != (held[0] != held[1]).then_some(held) {
                return fail(format!("{id} at {at}: {held:?}, told {told:?}"));
            }
            minutes += 1;
            at += SignedDuration::from_mins(1);
        }
    }
    let counted = [shown.before(), shown.after()].map(|planned| planned.hand_overs());
    if counted != hand_overs {
        return fail(format!("hand-overs {counted:?}, not {hand_overs:?}"));
    }
    for pair in found.windows(2) {
        let touch = pair[0].place == pair[1].place && pair[0].period.until == pair[1].period.from;
        if touch && (&pair[0].before, &pair[0].after) == (&pair[1].before, &pair[1].after) {
            return fail(format!("not merged: {pair:?}"));
        }
    }
    let outside = |one: &&_| {
        let crate::domain::forecast::Difference { period, .. } = *one;
        period.from < shown.range.from || period.until > shown.range.until
    };
    match found.iter().find(outside) {
        Some(one) => fail(format!("not clipped: {one:?}")),
        None if minutes == 0 => fail("nothing was compared".into()),
        None => Ok(()),
    }
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, shown: &T, real: &T) -> Outcome {
    match shown == real {
        true => Ok(()),
        false => fail(format!("{what}: shown {shown:#?}\nnot {real:#?}")),
    }
}

/// Builds a rotation, looks at edits, makes them, and lets the days go by.
fn look_and_make(office: &Office, name: &str, (case, tried): &(Case, Tried)) -> Outcome {
    go_to_monday(office);
    let mut walk = Walk::begin(&office.app, name, case)?;
    let outcome = look_and_make_in(&mut walk, case, tried);
    leave_nothing(&office.app, &walk.id);
    outcome
}

fn look_and_make_in(walk: &mut Walk, case: &Case, tried: &Tried) -> Outcome {
    walk.perform_all(&case.ops)?;
    let app = walk.app;
    let id = walk.id.clone();
    let now = app.now();
    let later = tried
        .later
        .map(|later| now + SignedDuration::from_mins(later));
    let rotation = reads::rotation(app, &caller(), &id).expect("the rotation");
    let wanted = edits(app, &rotation, tried, later.unwrap_or(now));
    let when = When {
        at: later,
        days: tried.days,
    };
    let versions = || reads::rotation(app, &caller(), &id).expect("it").stamps;
    let before = versions();
    let shown = preview::of(app, &caller(), &id, wanted.clone().into(), when).expect("a preview");
    same("nothing is written", &versions(), &before)?;
    let plain = duties::PlanFilter::default();
    let (_, planned) = duties::schedule(app, &caller(), &id, shown.range, &plain).expect("a plan");
    let touching = |turn: &Duty| turn.end.is_none_or(|end| end > shown.range.from);
    let planned: Vec<Duty> = planned.into_iter().filter(touching).collect();
    same(
        "the plan as it is",
        &turns(&shown.planned),
        &turns(&planned),
    )?;
    compare_minutes(&shown)?;

    app.clock().set(shown.range.from);
    due::catch_up_all(app).expect("catching up");
    let refusals = make(app, &id, wanted);
    same("refusals", &shown.refusals, &refusals)?;
    let (made, planned) =
        duties::schedule(app, &caller(), &id, shown.range, &plain).expect("a plan");
    let planned: Vec<Duty> = planned.into_iter().filter(touching).collect();
    let slots = |rotation: &Rotation| -> Vec<(usize, usize)> {
        let cells = rotation.cells.iter();
        cells.map(|cell| (cell.lane, cell.window)).collect()
    };
    same("cells", &slots(&shown.then), &slots(&made))?;
    same("the plan", &turns(&shown.planned_then), &turns(&planned))?;

    app.clock().set(shown.range.until);
    due::catch_up_all(app).expect("catching up");
    let record = duties::history(app, &caller(), &id, shown.range).expect("the record");
    let mut recorded = Vec::new();
    for held in record {
        let Some(cell) = made.slot_of(&held.cell) else {
            continue;
        };
        let (from, until) = (held.entry.start, held.end.unwrap_or(Timestamp::MAX));
        let inside = Interval { from, until }.meets(shown.range);
        if let Some(inside) = inside.filter(|_| !made.cells[cell].stopped) {
            recorded.push((Some(cell), inside, held.entry.user));
        }
    }
    let mut foreseen = Vec::new();
    for turn in &shown.planned_then {
        if let Some(inside) = turn.period().meets(shown.range) {
            foreseen.push((turn.slot, inside, turn.entry.user.clone()));
        }
    }
    let key = |held: &(Option<usize>, Interval, Option<UserId>)| (held.0, held.1.from);
    recorded.sort_by_key(key);
    foreseen.sort_by_key(key);
    same("the record", &foreseen, &recorded)
}

/// rules.md 6.4 and 6.6.
#[test]
fn what_is_shown_of_edits_is_what_happens() {
    let name = "previews";
    let office = Office::open(name);
    let made = Cell::new(0_u32);
    let outcome = runner(40, 150, 21).run(&(ops::case(), tried()), |case| {
        made.set(made.get() + 1);
        look_and_make(&office, &format!("{name} {}", made.get()), &case)
    });
    match outcome {
        Err(TestError::Fail(why, case)) => panic!("{why}\n{case:?}"),
        outcome => outcome.expect("sequences"),
    }
}
