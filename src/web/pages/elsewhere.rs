//! The reader's own turns in other rotations, beside those of the rotation that a page is about.

use super::path_of;
use crate::actions::duties;
use crate::domain::forecast::Shift;
use crate::domain::ids::RotationId;
use crate::server::Problem;
use crate::web::parts::days::Days;
use crate::web::parts::item::{Item, Kind};
use crate::web::visit::Visit;

/// The reader's turns in other rotations in these days, from now on.
pub fn elsewhere(visit: &Visit, rotation: &RotationId, days: &Days) -> Result<Vec<Item>, Problem> {
    let me = visit.me()?;
    let own = duties::to_come(visit.app(), &visit.caller, &me.person.id, days.range())?;
    let others = own
        .into_iter()
        .filter(|shift| shift.rotation.id != *rotation);
    let item = |shift: Shift| {
        let base = path_of(&shift.rotation.id, shift.rotation.code.as_deref());
        let (from, cell) = (shift.duty.entry.start, shift.duty.cell);
        Item {
            path: format!("{base}/shifts/{cell}/{from}"),
            cell,
            from,
            until: shift.duty.end,
            who: me.person.name().to_owned(),
            user: Some(me.person.id.clone()),
            kind: Kind::Turn,
            word: None,
            place: shift.rotation.name.clone(),
            turn: shift.duty.turn_since,
        }
    };
    Ok(others.map(item).collect())
}
