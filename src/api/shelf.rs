//! Who is on call, rendered once a change: the answer that is asked for most.

use crate::actions::{Desk, Fault};
use crate::domain::ids::RotationId;
use crate::domain::rotation::Rotation;
use crate::store::load_rotation;
use crate::wire::{etag, on_call};
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use super::answer;
use super::problem::Problem;

/// Rotations kept ready, and what they may take together in bytes; when there is more the shelf is cleared and fills again with
/// those asked for.
const KEPT: usize = 1024;
const HELD: usize = 32 * 1024 * 1024;

/// One rotation's on-call resource, ready to send.
pub struct Card {
    /// Who may see it is judged for each caller.
    pub rotation: Rotation,
    pub tag: String,
    pub body: Arc<[u8]>,
}

impl Card {
    /// About how much it takes, in bytes: a grid of 400 places takes 400 KB.
    fn weight(&self) -> usize {
        let Rotation {
            members,
            cells,
            rosters,
            arranged,
            pending,
            ..
        } = &self.rotation;
        let narrowed = rosters.iter().filter_map(|roster| roster.narrowed.as_ref());
        let people = members.users.len()
            + members
                .groups
                .iter()
                .map(|group| group.users.len())
                .sum::<usize>()
            + narrowed.map(|listed| listed.users.len()).sum::<usize>();
        let skipped = cells.iter().map(|cell| {
            let holder = cell.holder.as_ref();
            cell.entry.skipped.len() + holder.map_or(0, |holder| holder.skipped.len())
        });
        let stretches = cells.iter().map(|cell| cell.entry.hours.coverage.len());
        let places = cells.len() + arranged.len() + pending.len();
        self.body.len()
            + 64 * (people + skipped.sum::<usize>())
            + 32 * stretches.sum::<usize>()
            + 640 * places
    }
}

/// Cards that are true as long as nothing is committed.
#[derive(Default)]
pub struct Shelf {
    cards: RwLock<Cards>,
}

#[derive(Default)]
struct Cards {
    generation: u64,
    by_rotation: HashMap<RotationId, Arc<Card>>,
    /// What they weigh together.
    held: usize,
}

impl Cards {
    /// Puts a card with those of its generation, as far as there is room for them beside it.
    fn put(&mut self, generation: u64, id: RotationId, card: Arc<Card>) {
        let weight = card.weight();
        let full = self.by_rotation.len() >= KEPT || self.held + weight > HELD;
        if self.generation != generation || full {
            self.by_rotation.clear();
            (self.generation, self.held) = (generation, 0);
        }
        self.held += weight;
        if let Some(other) = self.by_rotation.insert(id, card) {
            self.held -= other.weight();
        }
    }
}

impl Shelf {
    /// The card of a rotation; `None` when there is none of that id.
    ///
    /// # Errors
    /// When the storage cannot be read.
    pub fn card(&self, desk: &Desk, id: &RotationId) -> Result<Option<Arc<Card>>, Problem> {
        // Read before the rotation is: what a later commit changes is then rendered again.
        let generation = desk.store().news().generation();
        {
            let cards = self.cards.read().unwrap_or_else(PoisonError::into_inner);
            if cards.generation == generation
                && let Some(card) = cards.by_rotation.get(id)
            {
                return Ok(Some(Arc::clone(card)));
            }
        }
        let loaded: Result<_, Fault> = desk.store().read(|tx| load_rotation(tx, id));
        let Some(rotation) = loaded? else {
            return Ok(None);
        };
        let body = answer::bytes(&on_call::render(&rotation, desk.calendar(), None))?;
        let card = Arc::new(Card {
            tag: etag::tag(&rotation),
            body: body.into(),
            rotation,
        });
        let mut cards = self.cards.write().unwrap_or_else(PoisonError::into_inner);
        cards.put(generation, id.clone(), Arc::clone(&card));
        Ok(Some(card))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::rotation::tests::rotation;

    fn card(id: &str, body: usize, people: usize) -> (RotationId, Arc<Card>) {
        let mut rotation = rotation();
        rotation.id = id.into();
        rotation.members.users = vec!["U1".into(); people];
        let card = Card {
            rotation,
            tag: String::new(),
            body: vec![b' '; body].into(),
        };
        (id.into(), Arc::new(card))
    }

    #[test]
    fn large_cards_are_bounded_together() {
        // However it comes to be large.
        for (body, people) in [(100 * 1024, 1), (1, 10_000)] {
            let mut cards = Cards::default();
            for number in 0..KEPT {
                let (id, card) = card(&number.to_string(), body, people);
                cards.put(1, id.clone(), card);
                assert!(cards.by_rotation.contains_key(&id));
                let held = cards.by_rotation.values().map(|card| card.weight());
                let held: usize = held.sum();
                assert!(held == cards.held && held <= HELD, "{number}: {held}");
            }
            assert!(cards.by_rotation.len() > 10);
        }
    }

    #[test]
    fn small_cards_are_all_kept_until_something_is_committed() {
        let mut cards = Cards::default();
        for number in 0..KEPT {
            let (id, card) = card(&number.to_string(), 4 * 1024, 100);
            cards.put(1, id, card);
        }
        assert_eq!(cards.by_rotation.len(), KEPT);
        let (id, card) = card("new", 1, 1);
        cards.put(2, id, card);
        assert_eq!((cards.generation, cards.by_rotation.len()), (2, 1));
    }
}
