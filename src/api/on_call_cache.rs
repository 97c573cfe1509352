//! Who is on call, rendered once a change: the answer that is asked for most.

use super::answer;
use crate::actions::{App, Fault};
use crate::domain::ids::RotationId;
use crate::domain::rotation::Rotation;
use crate::server::Problem;
use crate::store::load_rotation;
use crate::wire::{etag, on_call};
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

/// Rotations that the cache holds. When there are more it is cleared, and fills again with those asked for.
const KEPT: usize = 1024;

/// One rotation's on-call resource, ready to send.
pub struct CachedOnCall {
    /// Who may see it is judged for each caller.
    pub rotation: Rotation,
    pub tag: String,
    pub body: Arc<[u8]>,
}

/// What is true as long as nothing is committed.
#[derive(Default)]
pub struct OnCallCache {
    entries: RwLock<Entries>,
}

#[derive(Default)]
struct Entries {
    generation: u64,
    by_rotation: HashMap<RotationId, Arc<CachedOnCall>>,
}

impl OnCallCache {
    /// The on-call resource of a rotation; `None` when there is none of that id.
    ///
    /// # Errors
    /// When the storage cannot be read.
    pub fn cached(&self, app: &App, id: &RotationId) -> Result<Option<Arc<CachedOnCall>>, Problem> {
        // Read before the rotation is: what a later commit changes is then rendered again.
        let generation = app.store().news().generation();
        {
            let entries = self.entries.read().unwrap_or_else(PoisonError::into_inner);
            if entries.generation == generation
                && let Some(cached) = entries.by_rotation.get(id)
            {
                return Ok(Some(Arc::clone(cached)));
            }
        }
        let loaded: Result<_, Fault> = app.store().read(|tx| load_rotation(tx, id));
        let Some(rotation) = loaded? else {
            return Ok(None);
        };
        let body = answer::bytes(&on_call::render(&rotation, app.calendar(), None))?;
        let cached = Arc::new(CachedOnCall {
            tag: etag::tag(&rotation, app.calendar()),
            body: body.into(),
            rotation,
        });
        let mut entries = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        if entries.generation != generation || entries.by_rotation.len() >= KEPT {
            entries.by_rotation.clear();
            entries.generation = generation;
        }
        entries.by_rotation.insert(id.clone(), Arc::clone(&cached));
        Ok(Some(cached))
    }
}
