//! What a write changed in a plan: whether it may have moved shifts, and why, in a sentence.

use super::absence::{AbsenceSource, Away};
use super::access::Principal;
use super::arrangement::Arranged;
use super::audit::{Author, quoted};
use super::external::{self, External};
use super::forecast::{slot_name, slot_named};
use super::ids::UserId;
use super::roster;
use super::rotation::{Cell, Rotation};
use super::time::Interval;
use super::told_plan::{Sentence, Word};
use std::collections::BTreeSet;

/// Facts of one write that are told at the most.
const MOST_FACTS: usize = 3;

/// Whether a write may have changed who is on call when.
pub fn moves(before: &Rotation, after: &Rotation) -> bool {
    // Requests change nobody's duty while they wait, and of a partner's schedule more becomes known with every reading.
    let same_duty = match before.pending == after.pending && before.external.is_none() {
        true => before.same_duty_as(after),
        false => {
            let settled = Rotation {
                pending: after.pending.clone(),
                external: after.external.clone(),
                ..before.clone()
            };
            settled.same_duty_as(after)
        }
    };
    !same_duty || before.absences != after.absences || outside_moves(before, after)
}

/// Whether a partner's schedule has somebody else on call now, or at a time that was known before.
fn outside_moves(before: &Rotation, after: &Rotation) -> bool {
    let (was, is) = match (&before.external, &after.external) {
        (None, None) => return false,
        (Some(was), Some(is)) if was.link == is.link => (was, is),
        _ => return true,
    };
    let known = [was, is].map(|external| external.timeline().map(|timeline| timeline.known));
    let [Some(one), Some(other)] = known else {
        return known[0].is_some() != known[1].is_some();
    };
    let from = before.stamps.judged_at.max(after.stamps.judged_at);
    let both = Interval::new(from, one.until.min(other.until));
    let running = |external: &External| external::people(&external.current).0;
    running(was) != running(is) || was.people_within(both) != is.people_within(both)
}

/// What a write by an author changed, in one sentence about the people of the rotation.
pub fn reasons(before: &Rotation, after: &Rotation, author: &Author) -> Sentence {
    let mut facts = Vec::new();
    if before.enabled != after.enabled {
        let state = if after.enabled { "enabled" } else { "disabled" };
        facts.push(format!("the rotation was {state}").into());
    }
    absences(before, after, &mut facts);
    members(before, after, &mut facts);
    arranged(before, after, &mut facts);
    grid(before, after, &mut facts);
    if facts.is_empty() {
        duty(before, after, &mut facts);
    }
    let more = facts.len().saturating_sub(MOST_FACTS);
    let mut all = Sentence::default();
    for (index, fact) in facts.into_iter().take(MOST_FACTS).enumerate() {
        let between = if index > 0 { ", " } else { "" };
        all = all.and(between).then(fact);
    }
    if all.0.is_empty() {
        all = "the plan was worked out anew".into();
    }
    if more > 0 {
        all = all.and(format!(", and {more} more changes"));
    }
    all.0.retain(|word| *word != Word::Text(String::new()));
    let subjects: BTreeSet<&UserId> = all.people().collect();
    let is_own = author
        .principal
        .person()
        .is_ok_and(|user| subjects.contains(user));
    match is_own {
        true => all,
        false => all.then(by(author)),
    }
}

/// Who did it, in brackets; nothing for the clock.
pub fn by(author: &Author) -> Sentence {
    let import = match author.action.to_ascii_lowercase().contains("directory") {
        true => "directory, ",
        false => "",
    };
    let who: Sentence = match &author.principal {
        Principal::Person { user, .. } => Sentence::from("by ").and(user),
        Principal::Key { name, .. } => format!("by the key {}", quoted(name)).into(),
        Principal::InboundWebhook { .. } => "by the inbound webhook".into(),
        Principal::Chat => "by the chat platform".into(),
        Principal::Partner(partner) => partner.title().into(),
        Principal::Operator { .. } => "by the operator".into(),
        Principal::Clock | Principal::Visitor => return Sentence::default(),
    };
    Sentence::from(format!(" ({import}")).then(who).and(")")
}

fn absences(before: &Rotation, after: &Rotation, facts: &mut Vec<Sentence>) {
    if before.absences == after.absences {
        return;
    }
    let all = |rotation: &Rotation| -> BTreeSet<(UserId, Away)> {
        rotation.absences.iter().cloned().collect()
    };
    let (was, is) = (all(before), all(after));
    let source = |away: &Away| match away.source {
        AbsenceSource::Calendar => " (calendar)",
        AbsenceSource::Stored => "",
    };
    for (user, away) in is.difference(&was) {
        let fact = Sentence::from(user).and(" is away ").and(away.period);
        facts.push(fact.and(source(away)));
    }
    let now = after.stamps.judged_at;
    for (user, away) in was
        .difference(&is)
        .filter(|(_, away)| away.period.until > now)
    {
        let fact = Sentence::from(user)
            .and(" is no longer away ")
            .and(away.period);
        facts.push(fact.and(source(away)));
    }
}

fn members(before: &Rotation, after: &Rotation, facts: &mut Vec<Sentence>) {
    if before.members == after.members {
        return;
    }
    let all = |rotation: &Rotation| -> Vec<UserId> {
        let order = roster::order(&rotation.members, None).into_iter();
        order.map(|position| position.user).collect()
    };
    let (was, is) = (all(before), all(after));
    let known = facts.len();
    for user in is.iter().filter(|user| !was.contains(user)) {
        facts.push(Sentence::from(user).and(" takes turns now"));
    }
    for user in was.iter().filter(|user| !is.contains(user)) {
        facts.push(Sentence::from(user).and(" takes no more turns"));
    }
    if facts.len() == known && was != is {
        facts.push("the order of people changed".into());
    }
}

fn arranged(before: &Rotation, after: &Rotation, facts: &mut Vec<Sentence>) {
    if before.arranged == after.arranged {
        return;
    }
    let said = |rotation: &Rotation, one: &Arranged, does: &str| {
        let slot = slot_named(rotation, &one.cell);
        Sentence::from(&one.user)
            .and(format!(" {does}{} ", in_slot(&slot)))
            .and(one.period)
    };
    for new in &after.arranged {
        let known = before.arranged.iter().find(|known| known.id == new.id);
        if known.is_none_or(|known| (known.period, &known.user) != (new.period, &new.user)) {
            facts.push(said(after, new, "takes over"));
        }
    }
    let now = after.stamps.judged_at;
    for gone in before
        .arranged
        .iter()
        .filter(|gone| gone.period.until > now)
    {
        if !after.arranged.iter().any(|kept| kept.id == gone.id) {
            facts.push(said(before, gone, "no longer takes over"));
        }
    }
}

/// What changed of lanes, windows, rosters and the rules of dealing.
fn grid(before: &Rotation, after: &Rotation, facts: &mut Vec<Sentence>) {
    let number = |index: usize, name: Option<&String>| match name {
        Some(name) => quoted(name),
        None => (index + 1).to_string(),
    };
    for (index, window) in after.windows.iter().enumerate() {
        let label = number(index, window.name.as_ref());
        match before.windows.iter().find(|known| known.id == window.id) {
            None => facts.push(format!("window {label} was added").into()),
            Some(known) => {
                let both = [known, window];
                let [was, is] = both.map(|one| (one.zone, &one.coverage, &one.cadence));
                if was != is {
                    facts.push(format!("the hours or hand-overs of window {label} changed").into());
                }
            }
        }
    }
    for (index, gone) in before.windows.iter().enumerate() {
        if !after.windows.iter().any(|kept| kept.id == gone.id) {
            let label = number(index, gone.name.as_ref());
            facts.push(format!("window {label} was removed").into());
        }
    }
    for (index, lane) in after.lanes.iter().enumerate() {
        if !before.lanes.iter().any(|known| known.id == lane.id) {
            let label = number(index, lane.name.as_ref());
            facts.push(format!("lane {label} was added").into());
        }
    }
    for (index, gone) in before.lanes.iter().enumerate() {
        if !after.lanes.iter().any(|kept| kept.id == gone.id) {
            let label = number(index, gone.name.as_ref());
            facts.push(format!("lane {label} was removed").into());
        }
    }
    let rules = |r: &Rotation| (r.double_cover, r.skips_are_off_time, r.absence_policy);
    if rules(before) != rules(after) {
        facts.push("the rules of dealing changed".into());
    }
    let schedule = |r: &Rotation| {
        let external = r.external.as_ref();
        external.map(|external| (external.link.clone(), external.schedule.clone()))
    };
    if schedule(before) != schedule(after) {
        facts.push("the linked schedule changed".into());
    }
    if facts.is_empty() && before.rosters != after.rosters && !hands_over(before, after) {
        facts.push("the order of turns changed".into());
    }
}

/// Whether somebody else holds a cell that both have.
fn hands_over(before: &Rotation, after: &Rotation) -> bool {
    let holders = |rotation: &Rotation| -> Vec<Option<UserId>> {
        let cells = rotation.cells.iter();
        let holder = |cell: &Cell| cell.holder.as_ref().map(|holder| holder.user.clone());
        cells.map(holder).collect()
    };
    holders(before) != holders(after)
}

fn duty(before: &Rotation, after: &Rotation, facts: &mut Vec<Sentence>) {
    for (slot, cell) in after.cells.iter().enumerate() {
        let known = before.slot_near(&cell.id, slot);
        let was = known.and_then(|slot| before.cells[slot].holder.as_ref());
        let (was, is) = (
            was.map(|one| &one.user),
            cell.holder.as_ref().map(|one| &one.user),
        );
        if was == is {
            continue;
        }
        let slot = in_slot(&slot_name(after, cell));
        let fact = match is {
            Some(is) => Sentence::from(is).and(format!(" was put on duty{slot}")),
            None => format!("nobody is on duty{slot} any more").into(),
        };
        facts.push(match was {
            Some(was) if is.is_some() => fact.and(" in place of ").and(was),
            Some(was) => fact.and(", ").and(was).and(" was taken off"),
            None => fact,
        });
    }
}

/// ` in Primary, Nights`; nothing where the rotation has one slot.
fn in_slot(slot: &[String]) -> String {
    match slot {
        [] => String::new(),
        slot => format!(" in {}", slot.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::absence::Absences;
    use crate::domain::rotation::tests::rotation as plain;
    use std::sync::Arc;

    /// rules.md 28.2.
    #[test]
    fn names_and_requests_move_nothing() {
        let rotation = plain();
        let mut other = rotation.clone();
        other.profile.name = "Another".into();
        other.stamps.version += 1;
        assert!(!moves(&rotation, &other));
        other.enabled = false;
        assert!(moves(&rotation, &other));
        let begun = rotation.stamps.judged_at;
        let away = Interval::ahead(begun, jiff::SignedDuration::from_hours(24));
        let absences = Absences::default().with_calendars(vec![("ann".into(), away)], Vec::new());
        let with_absence = Rotation {
            absences: Arc::new(absences),
            ..rotation.clone()
        };
        assert!(moves(&rotation, &with_absence));
        let clock = Author::local(Principal::Clock, "readPersonalCalendar");
        let said = reasons(&rotation, &with_absence, &clock);
        let words: [Word; 4] = [
            Word::Person("ann".into()),
            " is away ".into(),
            away.into(),
            " (calendar)".into(),
        ];
        assert_eq!(said.0, words);
    }
}
