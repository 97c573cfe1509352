//! Who is on call now, in all rotations that the reader sees.

use super::visit::Visit;
use crate::actions::Result;
use crate::actions::overview::{self, Overview};
use crate::domain::rotation::Rotation;
use crate::store::{Page, RotationFilter, RotationOrder};
use jiff::SignedDuration;

/// How far ahead it is looked for who follows.
const AHEAD: SignedDuration = SignedDuration::from_hours(14 * 24);

/// Rotations in one answer.
const ROWS: u32 = 200;

/// What is said where there is no line.
pub const NONE: &str = "There is no rotation that you may see. Ask its owner to add you.";

/// A line for each rotation that the reader sees and that `is_shown`.
pub fn rotations(visit: &Visit, is_shown: impl Fn(&Rotation) -> bool) -> Result<Vec<String>> {
    let filter = RotationFilter {
        order: RotationOrder::Name,
        ..RotationFilter::default()
    };
    let page = Page::first(ROWS);
    let (all, total) = overview::rotations(visit.app, visit.caller(), filter, page, AHEAD)?;
    let more = total.saturating_sub(all.len() as u64);
    let shown = all.iter().filter(|one| is_shown(&one.rotation));
    let mut lines: Vec<String> = shown.map(|one| line(visit, one)).collect();
    if more > 0 {
        lines.push(format!("And {more} more."));
    }
    Ok(lines)
}

fn line(visit: &Visit, one: &Overview) -> String {
    let rotation = &one.rotation;
    let name = visit.plain(&rotation.profile.name);
    let title = match &rotation.profile.code {
        Some(code) => format!("{} {name}", visit.markup.code(code)),
        None => name,
    };
    if !rotation.enabled {
        return format!("{title}: disabled");
    }
    let on_call = &one.summary.on_call;
    let who = visit.on_call(rotation, on_call);
    let now = match (on_call.is_empty(), one.until) {
        (false, Some(until)) => format!("{who} until {}", visit.time_of(rotation, until)),
        (false, None) => who,
        (true, _) if !one.summary.outside.is_empty() => {
            format!(
                "{} (not in chat)",
                visit.plain(&one.summary.outside.join(", "))
            )
        }
        (true, _)
            if rotation
                .running()
                .any(|cell| rotation.windows[cell.window].open) =>
        {
            visit.markup.strong("nobody is on call")
        }
        (true, _) => "shut now".to_owned(),
    };
    let next = one.next.as_ref().filter(|next| !next.users.is_empty());
    let next = next.map_or(String::new(), |next| {
        let at = next
            .at
            .filter(|at| Some(*at) != one.until || on_call.is_empty());
        let from = at.map_or(String::new(), |at| {
            format!(" from {}", visit.time_of(rotation, at))
        });
        format!(", then {}{from}", visit.people(&next.users))
    });
    format!("{title}: {now}{next}")
}
