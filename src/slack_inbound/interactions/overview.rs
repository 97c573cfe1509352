//! `/rota`: who is on call now, and the reader's next turn.

use super::blocks::{Blocks, ephemeral};
use super::visit::{Outcome, Visit};
use crate::slack_inbound::reply::Reply;
use crate::talk::{overview, turns};

/// `/rota`.
pub fn show(visit: &Visit) -> Outcome {
    let mut lines = overview::rotations(visit, |_| true)?;
    if lines.is_empty() {
        lines.push(overview::NONE.to_owned());
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
