//! People who were read a short while ago.

use super::Failure;
use crate::domain::partner::PartnerPerson;
use crate::runtime::clock::monotonic;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long somebody is kept.
const KEPT: Duration = Duration::from_secs(5 * 60);

/// The most people that are kept.
const MOST: usize = 20_000;

/// The people of a partner, by id.
#[derive(Default)]
pub(super) struct People {
    kept: Mutex<HashMap<String, (PartnerPerson, Instant)>>,
}

impl People {
    /// The people of these ids, in their order. `read` is called for those who are not kept, and may return others as well.
    pub(super) fn of(
        &self,
        ids: &[String],
        read: impl FnOnce(&[String]) -> Result<Vec<PartnerPerson>, Failure>,
    ) -> Result<Vec<PartnerPerson>, Failure> {
        let now = monotonic();
        let mut found: HashMap<String, PartnerPerson> = HashMap::new();
        let mut missing: Vec<String> = Vec::new();
        {
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.retain(|_, (_, at)| now.saturating_duration_since(*at) < KEPT);
            for id in ids {
                match kept.get(id) {
                    Some((person, _)) => {
                        found.insert(id.clone(), person.clone());
                    }
                    None if missing.contains(id) => {}
                    None => missing.push(id.clone()),
                }
            }
        }
        if !missing.is_empty() {
            let read = read(&missing)?;
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            if kept.len() + read.len() > MOST {
                kept.clear();
            }
            for person in read {
                let id = person.participant_id.clone();
                kept.insert(id.clone(), (person.clone(), now));
                found.insert(id, person);
            }
        }
        let person = |id: &String| {
            found.get(id).cloned().unwrap_or_else(|| PartnerPerson {
                participant_id: id.clone(),
                name: None,
                email: None,
            })
        };
        Ok(ids.iter().map(person).collect())
    }

    /// Forgets everybody.
    pub(super) fn forget(&self) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.clear();
    }
}
