//! Why somebody is on call, step by step, in the words of pages.

use super::people::People;
use super::time::Times;
use crate::domain::explain::{ExplainedCell, Step};
use crate::domain::rotation::Reason;
use maud::{Markup, html};

/// People of an order who are named before the one whose turn it was.
const MOST_BEFORE: usize = 3;

/// One step: a heading, and what there is to know of it.
struct Told {
    head: String,
    text: String,
}

/// The steps that decided, in order; the last one is the outcome.
pub fn steps(cell: &ExplainedCell, people: &People, times: &Times) -> Markup {
    let steps = cell.steps.iter();
    let told: Vec<Told> = steps
        .filter_map(|one| told(&one.step, &one.text, people, times))
        .collect();
    let outcome = match &cell.user {
        Some(user) => format!("So: {}", people.name(user)),
        None => "So: nobody".to_owned(),
    };
    html! {
        ol.why {
            @for one in &told {
                li { b { bdi { (one.head) } } @if !one.text.is_empty() { p.small.muted { bdi { (one.text) } } } }
            }
            li { b { bdi { (outcome) } } }
        }
    }
}

fn told(step: &Step, text: &str, people: &People, times: &Times) -> Option<Told> {
    let with = |head: &str, text: String| {
        Some(Told {
            head: head.to_owned(),
            text,
        })
    };
    match step {
        // The outcome is said last, and the hours are those of the turn.
        Step::Chosen { .. } | Step::WindowOpen(_) => None,
        Step::WindowShut(_) => with("Not covered then, as planned", String::new()),
        Step::DealtAt {
            at,
            reason,
            moved_from,
            ..
        } => {
            let why = match reason {
                Reason::NextOnScheduledDuty => "The planned hand-over",
                Reason::RotateToNextOnDuty => "Handed over by hand",
                Reason::ExplicitChange => "Put on call by hand",
                Reason::CoverageChanged => "The hours or people were changed",
                Reason::AfterMention => "Handed over after a mention",
                _ => "The turn began",
            };
            let moved = match moved_from {
                Some(_) => ", moved from a day that is left out",
                None => "",
            };
            with(why, format!("{}{moved}.", times.text(*at)))
        }
        Step::Order {
            next_turn, order, ..
        } => {
            let next = order.get(*next_turn)?;
            let before = order
                .iter()
                .cycle()
                .skip(next_turn + order.len().saturating_sub(MOST_BEFORE - 1));
            let before: Vec<&str> = (before.take(MOST_BEFORE - 1))
                .filter(|user| *user != next)
                .map(|user| people.name(user))
                .collect();
            let text = match before.is_empty() {
                true => format!("{} was next.", people.name(next)),
                false => format!(
                    "{}, then {} was next.",
                    before.join(", "),
                    people.name(next)
                ),
            };
            with("The order of people", text)
        }
        Step::PassedOver { absence, .. } => with(
            &format!("{} is away", people.name(&absence.user)),
            "So whoever comes next in the order takes it.".to_owned(),
        ),
        Step::AlreadyOnDuty(passed) => with(
            &format!("{} is on call at the same time", people.name(&passed.user)),
            "In another place of this rotation, so whoever comes next takes it.".to_owned(),
        ),
        Step::NobodyLeft => with(
            "Nobody was free",
            "Everybody in the order is away, or on call at the same time.".to_owned(),
        ),
        _ => with(text.trim_end_matches('.'), String::new()),
    }
}
