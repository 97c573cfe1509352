//! `/rota`: who is on call now, and the reader's next turn.

use super::blocks::{Blocks, ephemeral};
use super::mrkdwn::{people, plain, time};
use super::turns;
use super::visit::{Outcome, Visit};
use crate::actions::Result;
use crate::actions::overview::{self, Overview};
use crate::domain::zones::ZoneName;
use crate::slack_inbound::reply::Reply;
use crate::store::{Page, RotationFilter, RotationOrder};
use jiff::SignedDuration;

/// How far ahead it is looked for who follows.
const AHEAD: SignedDuration = SignedDuration::from_hours(14 * 24);

/// Rotations in one answer.
const ROWS: u32 = 200;

/// `/rota`.
pub fn show(visit: &Visit) -> Outcome {
    let mut lines = rotations(visit)?;
    if lines.is_empty() {
        lines.push("There is no rotation that you may see. Ask its owner to add you.".to_owned());
    }
    let next = turns::next(visit)?;
    let mut blocks = Blocks::message();
    // First, because it always fits.
    blocks.section(&next);
    blocks.divider();
    blocks.lines(&lines);
    let text = format!("{next}\n{}", lines.join("\n"));
    Ok(Reply::body(ephemeral(&text, blocks)))
}

/// A line for each rotation that the reader sees.
pub fn rotations(visit: &Visit) -> Result<Vec<String>> {
    let filter = RotationFilter {
        order: RotationOrder::Name,
        ..RotationFilter::default()
    };
    let page = Page::first(ROWS);
    let (all, total) = overview::rotations(visit.app, visit.caller(), filter, page, AHEAD)?;
    let mut lines: Vec<String> = all.iter().map(|one| line(one, visit.zone())).collect();
    let more = total.saturating_sub(all.len() as u64);
    if more > 0 {
        lines.push(format!("And {more} more."));
    }
    Ok(lines)
}

fn line(one: &Overview, zone: ZoneName) -> String {
    let rotation = &one.rotation;
    let name = plain(&rotation.profile.name);
    let title = match &rotation.profile.code {
        Some(code) => format!("`{code}` {name}"),
        None => name,
    };
    if !rotation.enabled {
        return format!("{title}: disabled");
    }
    let on_call = &one.summary.on_call;
    let now = match (on_call.is_empty(), one.until) {
        (false, Some(until)) => format!("{} until {}", people(on_call), time(until, zone)),
        (false, None) => people(on_call),
        (true, _) if !one.summary.outside.is_empty() => {
            format!("{} (not in chat)", plain(&one.summary.outside.join(", ")))
        }
        (true, _)
            if rotation
                .running()
                .any(|cell| rotation.windows[cell.window].open) =>
        {
            "*nobody is on call*".to_owned()
        }
        (true, _) => "shut now".to_owned(),
    };
    let next = one.next.as_ref().filter(|next| !next.users.is_empty());
    let next = next.map_or(String::new(), |next| {
        let at = next
            .at
            .filter(|at| Some(*at) != one.until || on_call.is_empty());
        let from = at.map_or(String::new(), |at| format!(" from {}", time(at, zone)));
        format!(", then {}{from}", people(&next.users))
    });
    format!("{title}: {now}{next}")
}
