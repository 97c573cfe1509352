//! Cells that changes add and take away.

use super::*;
use crate::domain::rotation::{Planned, Waiting};

/// An edit of a rotation, or a refusal.
#[derive(Debug)]
struct Edit(fn(&mut Rotation) -> bool);

impl Planned for Edit {
    fn apply(&self, rotation: &mut Rotation, _: &Calendar, _: Timestamp) -> Result<(), Refusal> {
        match self.0(rotation) {
            true => Ok(()),
            false => Err(Refusal::ExternalReadOnly),
        }
    }
}

fn waits(id: &str, instant: &str, edit: fn(&mut Rotation) -> bool) -> Waiting {
    Waiting {
        id: id.into(),
        at: at(instant),
        planned: Arc::new(Edit(edit)),
    }
}

/// A second lane, whose cell is somebody's at once.
fn add(rotation: &mut Rotation) -> bool {
    let mut other = super::rotation("- b");
    rotation.lanes.push(other.lanes.remove(1));
    rotation.cells.push(other.cells.remove(1));
    true
}

/// The first lane goes.
fn remove(rotation: &mut Rotation) -> bool {
    rotation.lanes.remove(0);
    rotation.cells.remove(0);
    rotation.cells.iter_mut().for_each(|cell| cell.lane -= 1);
    true
}

fn refuse(_: &mut Rotation) -> bool {
    false
}

const ONE: &str = "2026-11-21T08:00:00Z";
const TWO: &str = "2026-11-22T08:00:00Z";

fn changed() -> Rotation {
    Rotation {
        waiting: vec![
            waits("chg_1", ONE, add),
            waits("chg_2", ONE, refuse),
            waits("chg_3", TWO, remove),
        ],
        ..rotation("a")
    }
}

#[test]
fn each_instant_begins_a_phase() {
    let (calendar, rotation) = (Calendar::embedded(), changed());
    let phases = phases(&rotation, &calendar);
    let shown = phases.iter().map(|phase| {
        let cells = phase.rotation.cells.iter().map(|cell| cell.id.as_str());
        (phase.period, cells.collect::<Vec<_>>().join(" "))
    });
    let period = |from, until| Interval { from, until };
    assert_eq!(
        shown.collect::<Vec<_>>(),
        [
            (period(Timestamp::MIN, at(ONE)), "cel_0_0".to_owned()),
            (period(at(ONE), at(TWO)), "cel_0_0 cel_0_1".to_owned()),
            (period(at(TWO), Timestamp::MAX), "cel_0_1".to_owned()),
        ]
    );
    // What would be refused begins none.
    let refused = Rotation {
        waiting: vec![waits("chg_2", ONE, refuse)],
        ..rotation.clone()
    };
    assert_eq!(super::phases(&refused, &calendar).len(), 1);
    let whole = with_coming(&rotation, &calendar);
    let cells: Vec<_> = whole
        .cells
        .iter()
        .map(|cell| (cell.id.as_str(), cell.lane))
        .collect();
    assert_eq!(cells, [("cel_0_0", 0), ("cel_0_1", 1)]);
}

#[test]
fn cells_are_held_while_they_are_there() {
    let (calendar, absences) = (Calendar::embedded(), Absences::default());
    let dealing = DealingContext::new(&calendar, &absences);
    let mut rotation = changed();
    // Nobody of them is a member: whoever leaves comes off.
    rotation.members.users = vec!["a".into(), "b".into()];
    let range = Interval::ahead(at("2026-11-20T08:00:00Z"), SignedDuration::from_hours(72));
    let held = held(&rotation, dealing, range, &mut Budget::default()).expect("a forecast");
    let shown = held.iter().map(|held| {
        let user = held.user.as_ref().map_or("-", UserId::as_str);
        format!("{} {} {user}", held.cell, held.period.length().as_hours())
    });
    assert_eq!(shown.collect::<Vec<_>>(), ["0 48 a", "1 48 b"]);
    let (cells, cut_off_at) = known_cells(&rotation, dealing, range.until);
    assert_eq!((cells.len(), cut_off_at), (2, None));
    let (user, whole) = (UserId::from("a"), range);
    assert!(!cells[0].is_held_by(&user, whole));
    let first = Interval::new(range.from, at(TWO));
    assert!(cells[0].is_held_by(&user, first));
    // Nobody takes over what is not there.
    let mut taken = cells[0].clone();
    taken.take_over(&"c".into(), whole);
    assert!(taken.is_held_by(&"c".into(), first) && !taken.is_held_by(&"c".into(), whole));
    // Nothing is planned in a disabled rotation.
    rotation.enabled = false;
    let none = super::held(&rotation, dealing, range, &mut Budget::default());
    assert_eq!(none, Ok(Vec::new()));
}
