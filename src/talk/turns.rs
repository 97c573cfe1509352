//! The reader's own turns.

use super::visit::Visit;
use crate::actions::Result;
use crate::actions::duties;
use crate::domain::forecast::Shift;
use crate::domain::time::Interval;
use jiff::SignedDuration;

/// How far ahead the next turn is looked for.
const NEXT: SignedDuration = SignedDuration::from_hours(60 * 24);

/// How far ahead turns are listed.
const LISTED: SignedDuration = SignedDuration::from_hours(30 * 24);

/// Turns in one list.
const MOST: usize = 60;

/// In one sentence: until when the reader is on call, or their next turn.
pub fn next(visit: &Visit) -> Result<String> {
    let all = load(visit, NEXT)?;
    let (now, later): (Vec<&Shift>, Vec<&Shift>) = all
        .iter()
        .partition(|own| own.duty.entry.start <= visit.now);
    if let Some(own) = now.first() {
        let until = own.duty.end;
        let until = until.map_or(String::new(), |end| format!(" until {}", visit.time(end)));
        return Ok(format!("You are on call for {}{until}.", title(visit, own)));
    }
    Ok(match later.first() {
        Some(own) => format!(
            "Your next turn: {}, {}.",
            title(visit, own),
            period(visit, own)
        ),
        None => "You have no turn in the next 60 days.".to_owned(),
    })
}

/// A line for each turn in the next 30 days.
pub fn lines(visit: &Visit) -> Result<Vec<String>> {
    let all = load(visit, LISTED)?;
    let shown = all.iter().take(MOST).map(|own| {
        let now = match own.duty.entry.start <= visit.now {
            true => format!("{} ", visit.markup.strong("now")),
            false => String::new(),
        };
        format!("• {now}{}: {}", title(visit, own), period(visit, own))
    });
    let mut lines: Vec<String> = shown.collect();
    if all.len() > MOST {
        lines.push(format!("And {} more.", all.len() - MOST));
    }
    Ok(lines)
}

fn load(visit: &Visit, ahead: SignedDuration) -> Result<Vec<Shift>> {
    let range = Interval::ahead(visit.now, ahead);
    duties::to_come(visit.app, visit.caller(), visit.me(), range)
}

fn title(visit: &Visit, own: &Shift) -> String {
    let parts = std::iter::once(&own.rotation.name).chain(&own.slot);
    let parts: Vec<String> = parts.map(|part| visit.plain(part)).collect();
    parts.join(", ")
}

fn period(visit: &Visit, own: &Shift) -> String {
    let from = visit.time(own.duty.entry.start);
    match own.duty.end {
        Some(end) => format!("{from} to {}", visit.time(end)),
        None => format!("from {from}"),
    }
}
