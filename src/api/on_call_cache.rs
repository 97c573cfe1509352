//! A cache of rendered on-call responses, the most frequent requests.

use super::answer;
use crate::actions::{App, Error};
use crate::domain::ids::RotationId;
use crate::domain::rotation::Rotation;
use crate::server::Problem;
use crate::store::load_rotation;
use crate::wire::{etag, on_call};
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

/// The maximum number of cached rotations and their size in bytes. If either is exceeded, the cache is cleared and refills with
/// the next requests.
const KEPT: usize = 1024;
const HELD: usize = 32 * 1024 * 1024;

/// The rendered on-call resource of a rotation.
pub struct CachedOnCall {
    /// For checking each caller's access.
    pub rotation: Rotation,
    pub tag: String,
    pub body: Arc<[u8]>,
}

impl CachedOnCall {
    /// The approximate size in bytes: a grid of 400 slots takes 400 KB.
    fn weight(&self) -> usize {
        let Rotation {
            members,
            cells,
            rosters,
            arranged,
            pending,
            absences,
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
            let over = cell.passed_over.len() + cell.entry.passed_over.len();
            over + cell.entry.skipped.len() + holder.map_or(0, |holder| holder.skipped.len())
        });
        let stretches = cells.iter().map(|cell| cell.entry.hours.coverage.len());
        let slots = cells.len() + arranged.len() + pending.len();
        self.body.len()
            + 64 * (people + absences.len() + skipped.sum::<usize>())
            + 32 * stretches.sum::<usize>()
            + 640 * slots
    }
}

/// The cache, valid until a commit.
#[derive(Default)]
pub struct OnCallCache {
    entries: RwLock<Entries>,
}

#[derive(Default)]
struct Entries {
    generation: u64,
    by_rotation: HashMap<RotationId, Arc<CachedOnCall>>,
    /// The total size.
    held: usize,
}

impl Entries {
    /// Adds an entry of the same generation, clearing the cache if there is no room.
    fn put(&mut self, generation: u64, id: RotationId, cached: Arc<CachedOnCall>) {
        let weight = cached.weight();
        let full = self.by_rotation.len() >= KEPT || self.held + weight > HELD;
        if self.generation != generation || full {
            self.by_rotation.clear();
            (self.generation, self.held) = (generation, 0);
        }
        self.held += weight;
        if let Some(other) = self.by_rotation.insert(id, cached) {
            self.held -= other.weight();
        }
    }
}

impl OnCallCache {
    /// The on-call resource of a rotation; `None` if there is none with that id.
    pub fn cached(&self, app: &App, id: &RotationId) -> Result<Option<Arc<CachedOnCall>>, Problem> {
        // Read before the rotation, so that a later commit invalidates the entry.
        let generation = app.store().signals().generation();
        {
            let entries = self.entries.read().unwrap_or_else(PoisonError::into_inner);
            if entries.generation == generation
                && let Some(cached) = entries.by_rotation.get(id)
            {
                return Ok(Some(Arc::clone(cached)));
            }
        }
        let loaded: Result<_, Error> = app.store().read(|tx| load_rotation(tx, id));
        let Some(rotation) = loaded? else {
            return Ok(None);
        };
        let body = answer::bytes(&on_call::render(
            &rotation,
            app.calendar(),
            &app.as_of(app.now()),
            None,
        ))?;
        let cached = Arc::new(CachedOnCall {
            tag: etag::tag(&rotation, app.calendar()),
            body: body.into(),
            rotation,
        });
        let mut entries = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        entries.put(generation, id.clone(), Arc::clone(&cached));
        Ok(Some(cached))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::rotation::tests::rotation;

    fn cached(id: &str, body: usize, people: usize) -> (RotationId, Arc<CachedOnCall>) {
        let mut rotation = rotation();
        rotation.id = id.into();
        rotation.members.users = vec!["U1".into(); people];
        let cached = CachedOnCall {
            rotation,
            tag: String::new(),
            body: vec![b' '; body].into(),
        };
        (id.into(), Arc::new(cached))
    }

    #[test]
    fn large_cards_are_bounded_together() {
        // Large bodies and many people both count.
        for (body, people) in [(100 * 1024, 1), (1, 10_000)] {
            let mut entries = Entries::default();
            for number in 0..KEPT {
                let (id, cached) = cached(&number.to_string(), body, people);
                entries.put(1, id.clone(), cached);
                assert!(entries.by_rotation.contains_key(&id));
                let held = entries.by_rotation.values().map(|cached| cached.weight());
                let held: usize = held.sum();
                assert!(held == entries.held && held <= HELD, "{number}: {held}");
            }
            assert!(entries.by_rotation.len() > 10);
        }
    }

    #[test]
    fn small_cards_are_all_kept_until_something_is_committed() {
        let mut entries = Entries::default();
        for number in 0..KEPT {
            let (id, cached) = cached(&number.to_string(), 4 * 1024, 100);
            entries.put(1, id, cached);
        }
        assert_eq!(entries.by_rotation.len(), KEPT);
        let (id, cached) = cached("new", 1, 1);
        entries.put(2, id, cached);
        assert_eq!((entries.generation, entries.by_rotation.len()), (2, 1));
    }
}
