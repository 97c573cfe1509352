//! Who else could have been free for a turn, where missed turns are traded (rules.md 27.5).

use super::scene::{Scene, Turn};
use crate::domain::books::MissedTurn;
use crate::domain::handover;
use crate::domain::ids::UserId;
use crate::domain::roster::{self, Position};
use crate::domain::time::{Interval, within};
use jiff::{SignedDuration, Timestamp};
use std::collections::HashSet;

/// The plan as it is asked for people who could take a turn of somebody else.
pub(super) struct Free<'s, 'a> {
    scene: &'s Scene<'a>,
    /// The order of each roster.
    orders: Vec<Vec<Position>>,
    /// Where each person's turns begin and end, by the index of the window.
    bounds: HashSet<(&'a UserId, usize, Timestamp)>,
}

impl<'s, 'a> Free<'s, 'a> {
    /// Of a scene; `None` where missed turns are lost, so that nobody is looked for who would be free.
    pub fn of(scene: &'s Scene<'a>) -> Option<Free<'s, 'a>> {
        let rotation = scene.rotation;
        if rotation.dealing.missed_turn == MissedTurn::Lost {
            return None;
        }
        let orders = rotation.rosters.iter();
        let orders =
            orders.map(|roster| roster::order(&rotation.members, roster.narrowed.as_ref()));
        let turns = scene.turns.iter();
        let bounds = turns.flat_map(|turn| {
            let window = rotation.cells[turn.cell].window;
            [turn.whole.from, turn.whole.until].map(|at| (turn.user, window, at))
        });
        Some(Free {
            scene,
            orders: orders.collect(),
            bounds: bounds.collect(),
        })
    }

    /// Whether anybody but its holder could have been free for a turn: here, rested, and not on end with it.
    pub fn has_other(&self, turn: &Turn) -> bool {
        let rotation = self.scene.rotation;
        let roster = rotation.roster_index(rotation.cells[turn.cell].roster.as_ref());
        let mut people = self.orders[roster].iter().map(|position| &position.user);
        people.any(|user| user != turn.user && self.is_free(user, turn))
    }

    fn is_free(&self, user: &UserId, turn: &Turn) -> bool {
        let Scene {
            rotation, dealing, ..
        } = self.scene;
        let window = rotation.cells[turn.cell].window;
        let is_beside = |at| self.bounds.contains(&(user, window, at));
        if is_beside(turn.whole.from) || is_beside(turn.whole.until) {
            return false;
        }
        let rest = SignedDuration::from_hours(rotation.dealing.rest_hours.into());
        let on_call = self
            .scene
            .on_call()
            .get(user)
            .map_or(&[][..], Vec::as_slice);
        // Turns that touch are on end.
        let near = rest.max(SignedDuration::from_nanos(1));
        let is_busy = |stretch: &Interval| {
            let around = Interval {
                from: stretch.from.saturating_sub(near).unwrap_or(stretch.from),
                until: stretch.until.saturating_add(near).unwrap_or(stretch.until),
            };
            within(on_call, around).next().is_some()
        };
        let asked = (turn.whole, turn.on_call.as_slice());
        !turn.on_call.iter().any(is_busy)
            && !handover::is_absent(rotation, dealing.absences, user, asked)
    }
}
