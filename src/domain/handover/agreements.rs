//! Arrangements and requests in a change: what begins, ends and expires by the clock, and what loses its ground.

use super::Change;
use crate::domain::arrangement::Arranged;
use crate::domain::ids::CellId;
use crate::domain::resolve;
use crate::domain::rotation::{Reason, Rotation};
use std::collections::HashSet;

impl Change<'_> {
    /// Takes arrangements away that have lost their ground. Where one had not begun, what was agreed by the same request and
    /// has not begun goes with it: who is not given a shift back owes none. Answers those that ran.
    pub(super) fn void(&mut self, lost: impl Fn(&Rotation, &Arranged) -> bool) -> Vec<Arranged> {
        let mut arranged = std::mem::take(&mut self.rotation.arranged);
        let gone: Vec<Arranged> = arranged
            .extract_if(.., |arranged| lost(self.rotation, arranged))
            .collect();
        let (ran, unserved): (Vec<_>, Vec<_>) = gone.into_iter().partition(|gone| gone.running);
        arranged.retain(|other| {
            let together =
                |gone: &Arranged| other.request.is_some() && gone.request == other.request;
            other.running || !unserved.iter().any(together)
        });
        self.rotation.arranged = arranged;
        ran
    }

    /// Has arrangements begin and end, and pending requests expire, by the clock (not where the rotation is disabled);
    /// those of cells that are no longer there are gone. Answers whether anything came of it.
    pub(super) fn judge_agreements(&mut self) -> bool {
        let at = self.at;
        let count = |rotation: &Rotation| (rotation.arranged.len(), rotation.pending.len());
        let before = count(self.rotation);
        if !self.rotation.arranged.is_empty() {
            let cells: HashSet<CellId> = self
                .rotation
                .cells
                .iter()
                .map(|cell| cell.id.clone())
                .collect();
            self.void(|_, arranged| !cells.contains(&arranged.cell));
        }
        let rotation = &mut *self.rotation;
        if rotation.enabled {
            rotation
                .arranged
                .retain(|arranged| arranged.period.until > at);
            rotation.pending.retain(|pending| pending.expires_at() > at);
            for arranged in &mut rotation.arranged {
                arranged.running = arranged.period.from <= at;
            }
        }
        let mut any = before != count(rotation);
        for (index, ran) in self.ran.iter().enumerate() {
            let runs = resolve::arranged(self.rotation, &self.rotation.cells[index]);
            if runs.map(|arranged| &arranged.id) != ran.as_ref() {
                any = true;
                self.moved[index].get_or_insert(Reason::ExplicitChange);
                if ran.is_some() {
                    self.rotation.cells[index].arranged_until = Some(at);
                }
            }
        }
        any
    }
}
