//! One rotation: who is on call, until when, who follows.

use super::visit::{Visit, slot, title};
use crate::actions::{Result, duties, overview};
use crate::domain::duty::Duty;
use crate::domain::external::External;
use crate::domain::ids::RotationId;
use crate::domain::resolve;
use crate::domain::rotation::{Cell, Mode, Rotation};
use crate::domain::time::Interval;
use jiff::SignedDuration;

/// How far ahead it is looked for who follows.
const AHEAD: SignedDuration = SignedDuration::from_hours(14 * 24);

/// What is shown of a rotation.
pub struct Card {
    pub rotation: Rotation,
    /// In plain text.
    pub heading: String,
    pub lines: Vec<String>,
}

/// Who is on call in a rotation, until when, and who follows.
pub fn card(visit: &Visit, id: &RotationId) -> Result<Card> {
    let (rotation, items, _) = duties::list(visit.app, visit.caller(), id, ahead(visit))?;
    let heading = title(&rotation.profile.name, rotation.profile.code.as_deref());
    let mut lines = Vec::new();
    if !rotation.enabled {
        lines.push("The rotation is disabled: nobody goes on or off duty.".to_owned());
    }
    let cells = rotation.running();
    lines.extend(cells.map(|cell| line(visit, &rotation, cell, &items)));
    if rotation.mode() == Mode::Manual {
        let one = overview::one(visit.app, visit.caller(), id, SignedDuration::ZERO)?;
        if let Some(next) = one.next.filter(|next| !next.users.is_empty()) {
            lines.push(format!(
                "Next, when somebody hands over: {}.",
                visit.people(&next.users)
            ));
        }
    }
    Ok(Card {
        rotation,
        heading,
        lines,
    })
}

/// The time in which it is looked for who follows.
pub fn ahead(visit: &Visit) -> Interval {
    Interval::ahead(visit.now, AHEAD)
}

/// One slot: who is on call, until when, who follows.
fn line(visit: &Visit, rotation: &Rotation, cell: &Cell, items: &[Duty]) -> String {
    let label = match slot(rotation, cell) {
        label if label.is_empty() => String::new(),
        label => format!("{}: ", visit.plain(&label)),
    };
    let of_cell = || items.iter().filter(|item| item.cell == cell.id);
    let is_now = |item: &&Duty| item.entry.start <= visit.now && !item.is_over(visit.now);
    let current = of_cell().find(is_now);
    let end = current.and_then(|item| item.end);
    let hold = resolve::on_call(rotation, cell);
    let user = hold.map(|hold| {
        let turn = hold.dealt();
        let owner = turn.and_then(|turn| turn.instead_of(hold.user()));
        visit.person_for(hold.user(), owner)
    });
    let user_is_on = user.is_some();
    let outsider = rotation.external.as_ref().and_then(External::outsider);
    let now = match (user, end) {
        (Some(user), Some(end)) => format!("{user} until {}", visit.time_of(rotation, end)),
        (Some(user), None) => user,
        (None, _) if rotation.windows[cell.window].open => match outsider {
            Some(outsider) => format!("{} (not in chat)", visit.plain(&outsider.called())),
            None => visit.markup.strong("nobody is on call"),
        },
        (None, _) => "shut now".to_owned(),
    };
    let later = |item: &&Duty| item.entry.start > visit.now && item.entry.user.is_some();
    let next = of_cell().filter(|_| rotation.enabled).find(later);
    let next = next.and_then(|item| Some((planned(visit, item)?, item.entry.start)));
    let next = next.map_or(String::new(), |(user, start)| {
        // The end of who is on call stands there already.
        let from = match user_is_on && end == Some(start) {
            true => String::new(),
            false => format!(" from {}", visit.time_of(rotation, start)),
        };
        format!(", then {user}{from}")
    });
    format!("{label}{now}{next}")
}

/// Who is to be on call by a turn to come, with whoever's turn it is.
pub fn planned(visit: &Visit, item: &Duty) -> Option<String> {
    let user = item.entry.user.as_ref()?;
    Some(visit.person_for(user, item.instead_of()))
}
