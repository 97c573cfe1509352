//! How many requests wait for a partner at once.

use crate::domain::partner::Partner;
use crate::domain::refusal::Refusal;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Requests that read one partner at the same time, at the most. Each keeps a thread of the server while the partner hangs, and
/// the others have to be answered meanwhile.
const MOST: usize = 4;

/// Seconds after which a request that was turned away may be repeated.
const RETRY_AFTER: u64 = 5;

/// The requests that read each partner now.
#[derive(Default)]
pub(super) struct Crowd(Mutex<BTreeMap<Partner, usize>>);

/// One of these requests, until it is dropped.
pub(super) struct Place<'a> {
    crowd: &'a Crowd,
    partner: Partner,
}

impl Crowd {
    /// Takes a place for reading a partner.
    ///
    /// # Errors
    /// [`Refusal::PartnerUnavailable`] where too many requests read it already.
    pub(super) fn enter(&self, partner: Partner) -> Result<Place<'_>, Refusal> {
        let mut reading = self.reading();
        let places = reading.entry(partner).or_default();
        if *places >= MOST {
            return Err(Refusal::PartnerUnavailable(
                format!(
                    "{} ({}): {MOST} requests wait for its answers already",
                    partner.title(),
                    partner.name()
                ),
                Some(RETRY_AFTER),
            ));
        }
        *places += 1;
        Ok(Place {
            crowd: self,
            partner,
        })
    }

    fn reading(&self) -> MutexGuard<'_, BTreeMap<Partner, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        if let Some(places) = self.crowd.reading().get_mut(&self.partner) {
            *places -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_read_a_partner_at_once() {
        let crowd = Crowd::default();
        let enter = |partner| crowd.enter(partner);
        let mut places: Vec<Place> = (0..MOST).filter_map(|_| enter(Partner::Ops).ok()).collect();
        assert_eq!(places.len(), MOST);
        let refused = enter(Partner::Ops).err();
        assert!(
            matches!(
                refused,
                Some(Refusal::PartnerUnavailable(_, Some(RETRY_AFTER)))
            ),
            "{refused:?}"
        );
        // Other partners have places of their own, and one that is left is free again.
        assert!(enter(Partner::Pager).is_ok());
        places.pop();
        assert!(enter(Partner::Ops).is_ok());
    }
}
