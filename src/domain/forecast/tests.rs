//! Tables. A rotation is written window by window: the holders of its lanes, `-` for an empty slot, `x` for a stopped one, a
//! window that is shut in brackets: `a - | (b c)`. Somebody who holds a slot by an arrangement stands over whoever is dealt
//! it: `a>b`. A slot with an id of its own: `n=a`.

mod changes;
mod notices;
mod refusals;
mod steps;
mod summaries;

use super::*;
use crate::domain::absence::Absences;
use crate::domain::arrangement::Arranged;
use crate::domain::cadence::{Cadence, Kind, Skips};
use crate::domain::holidays::Calendar;
use crate::domain::ids::UserId;
use crate::domain::resolve;
use crate::domain::rotation::tests::rotation as plain;
use crate::domain::rotation::{Cell, Holder, Lane, Window};
use crate::domain::time::Interval;
use crate::domain::zones::ZoneName;
use jiff::SignedDuration;

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn slot(id: String, lane: usize, window: usize, holder: &str) -> Cell {
    let dealt = (!["-", "x"].contains(&holder)).then(|| Holder {
        user: holder.into(),
        since: at("2026-11-20T08:00:00Z"),
        skipped: Vec::new(),
        dealt: None,
    });
    Cell {
        id: id.into(),
        lane,
        window,
        stopped: holder == "x",
        announced: dealt.as_ref().map(|holder| holder.user.clone()),
        holder: dealt,
        ..plain().cells[0].clone()
    }
}

fn arranged(cell: &Cell, user: &str, from: Timestamp, until: Timestamp) -> Arranged {
    let period = Interval { from, until };
    Arranged {
        id: format!("arr_{}_{user}", cell.id).into(),
        cell: cell.id.clone(),
        user: user.into(),
        period,
        running: from <= at("2026-11-20T08:00:00Z"),
        request: None,
    }
}

/// Lanes and windows are called `L0`, `L1` and `W0`, `W1`.
fn rotation(text: &str) -> Rotation {
    let mut rotation = plain();
    let mut window = rotation.windows.remove(0);
    rotation.lanes.clear();
    rotation.cells.clear();
    for (column, slots) in text.split('|').map(str::trim).enumerate() {
        window.open = !slots.starts_with('(');
        rotation.windows.push(Window {
            id: format!("win_{column}").into(),
            name: Some(format!("W{column}")),
            ..window.clone()
        });
        let slots = slots.trim_matches(['(', ')']).split_whitespace();
        for (lane, text) in slots.enumerate() {
            if rotation.lanes.len() <= lane {
                rotation.lanes.push(Lane {
                    id: format!("lan_{lane}").into(),
                    key: None,
                    name: Some(format!("L{lane}")),
                });
            }
            let usual = format!("cel_{column}_{lane}");
            let (id, holder) = text.split_once('=').unwrap_or((&usual, text));
            let (dealt, over) = holder.split_once('>').unwrap_or((holder, ""));
            let mut cell = slot(id.into(), lane, column, dealt);
            if !over.is_empty() {
                cell.announced = Some(over.into()).filter(|_| !cell.stopped);
                let begun = rotation.stamps.judged_at;
                let over = arranged(&cell, over, begun, Timestamp::MAX);
                rotation.arranged.push(over);
            }
            rotation.cells.push(cell);
        }
    }
    rotation
}

/// `L0 W1: a>b`, one after the other.
fn shown(handovers: &[HandoverNotice]) -> String {
    let user = |user: &Option<UserId>| user.as_ref().map_or("-".into(), UserId::to_string);
    let line = |handover: &HandoverNotice| {
        let change = format!("{}>{}", user(&handover.off), user(&handover.on));
        match handover.slot.is_empty() {
            true => change,
            false => format!("{}: {change}", handover.slot.join(" ")),
        }
    };
    let lines: Vec<String> = handovers.iter().map(line).collect();
    lines.join("; ")
}

fn told(before: &Rotation, after: &Rotation) -> String {
    let (calendar, absences) = (Calendar::embedded(), Absences::default());
    let dealing = DealingContext::new(&calendar, &absences);
    shown(&super::notices(before, after, dealing))
}

#[test]
fn who_takes_over_from_whom() {
    for (before, after, expected) in [
        // Handed over, cleared, seated; nothing where the same person simply goes on.
        ("a", "b", "a>b"),
        ("a", "-", "a>-"),
        ("-", "a", "->a"),
        ("a", "a", ""),
        ("-", "-", ""),
        ("a b", "b a", "L0: a>b; L1: b>a"),
        ("a b", "c b", "L0: a>c"),
        ("a|b", "a|c", "W1: b>c"),
        ("a b|c d", "a b|c a", "L1 W1: d>a"),
        // A window that opens or shuts takes nobody's slot away.
        ("a", "(a)", ""),
        ("(a)", "a", ""),
        ("-", "(-)", ""),
        ("(a)", "-", "a>-"),
        // A slot that changes hands while its window is shut is announced when it opens.
        ("(a)", "(b)", ""),
        ("a", "(b)", ""),
        ("(a)", "(-)", ""),
        ("(a)", "b", "a>b"),
        ("(-)", "b", "->b"),
        // An arrangement begins, ends, gives way to another; what is dealt beneath it is not seen.
        ("a", "a>c", "a>c"),
        ("a>c", "a", "c>a"),
        ("a>b", "a>c", "b>c"),
        ("a>c", "b>c", ""),
        ("a>c", "c", ""),
        ("-", "->c", "->c"),
        ("->c", "-", "c>-"),
        ("a>a", "a", ""),
        // Lanes and windows are added and removed.
        ("a", "a b", "L1: ->b"),
        ("a", "a -", ""),
        ("a b", "a", "L1: b>-"),
        ("a -", "a", ""),
        ("a", "a|b", "W1: ->b"),
        ("a|b", "a", "W1: b>-"),
        ("a b", "c", "a>c; L1: b>-"),
        // Stopped lanes hold nobody, whatever lies over them.
        ("a b", "a x", "L1: b>-"),
        ("a x", "a b", "L1: ->b"),
        ("a x", "a x", ""),
        ("a b", "a x>c", "L1: b>-"),
        // Slots with new ids, under the same people and under others.
        ("a", "n=a", ""),
        ("a b", "n=b m=a", ""),
        ("(a)", "n=a", ""),
        ("a>c", "n=c", ""),
        ("a", "n=b", "->b; a>-"),
        ("a b", "a n=c", "L1: ->c; L1: b>-"),
        ("-", "n=a", "->a"),
        // Somebody who held two that are gone goes on in one and leaves the other.
        ("a a", "n=a", "L0: a>-"),
        ("a", "n=a m=a", "L1: ->a"),
    ] {
        let found = told(&rotation(before), &rotation(after));
        let sorted = |text: &str| {
            let mut parts: Vec<&str> = text.split("; ").collect();
            parts.sort_unstable();
            parts.join("; ")
        };
        assert_eq!(sorted(&found), sorted(expected), "{before} to {after}");
    }
}

#[test]
fn places_come_in_their_order_and_those_gone_last() {
    let found = told(&rotation("a b|c d"), &rotation("b a"));
    assert_eq!(found, "L0: a>b; L1: b>a; L0 W1: c>-; L1 W1: d>-");
}

#[test]
fn other_names_hand_nothing_over() {
    let before = rotation("a b|c d");
    let mut after = before.clone();
    after.lanes[0].name = Some("primary".into());
    after.lanes[1].name = None;
    after.windows[1].name = Some("night".into());
    assert_eq!(told(&before, &after), "");
    for (cell, user) in [(0, "c"), (3, "e")] {
        after.cells[cell].holder.as_mut().unwrap().user = user.into();
        after.cells[cell].announced = Some(user.into());
    }
    // A slot goes by its new names; parts without one are left out.
    assert_eq!(told(&before, &after), "primary W0: a>c; night: d>e");
}

#[test]
fn who_is_on_call() {
    for (text, expected) in [
        ("-", ""),
        ("a", "a"),
        ("(a)", ""),
        ("a>c", "c"),
        ("(a>c)", ""),
        ("b a", "b a"),
        ("a a", "a"),
        ("a b|b c", "a b c"),
        ("(a b)|c a", "c a"),
        ("a x", "a"),
        ("a x>c", "a"),
    ] {
        let people = resolve::everybody_on_call(&rotation(text));
        let names: Vec<&str> = people.iter().map(UserId::as_str).collect();
        assert_eq!(names.join(" "), expected, "{text}");
    }
}
