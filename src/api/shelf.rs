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

/// Rotations kept ready; when there are more the shelf is cleared and fills again with those asked for.
const KEPT: usize = 1024;

/// One rotation's on-call resource, ready to send.
pub struct Card {
    /// Who may see it is judged for each caller.
    pub rotation: Rotation,
    pub tag: String,
    pub body: Arc<[u8]>,
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
}

impl Shelf {
    /// The card of a rotation; `None` when there is none of that id.
    ///
    /// # Errors
    /// When the storage cannot be read.
    pub fn card(&self, desk: &Desk, id: &RotationId) -> Result<Option<Arc<Card>>, Problem> {
        // Read before the rotation is: what a later commit changes is then rendered again.
        let generation = desk.store().signals().generation();
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
        if cards.generation != generation || cards.by_rotation.len() >= KEPT {
            cards.by_rotation.clear();
            cards.generation = generation;
        }
        cards.by_rotation.insert(id.clone(), Arc::clone(&card));
        Ok(Some(card))
    }
}
