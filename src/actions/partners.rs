//! Partners: paging systems whose schedules rotations follow (rules.md 22). Nothing is ever written there.

mod concurrency;
mod hanging;
pub mod linking;
pub mod people;
pub mod reading;
pub mod schedules;

use crate::domain::partner::{Partner, ReadFailure};
use crate::domain::refusal::Refusal;
use crate::sources::{Failure, Settings, Source};
use concurrency::Crowd;
use jiff::SignedDuration;
use schedules::Listed;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// The partners with settings.
pub struct Partners {
    poll_every: SignedDuration,
    sources: BTreeMap<Partner, Arc<dyn Source>>,
    /// The schedules that each partner listed last.
    listed: Mutex<BTreeMap<Partner, Listed>>,
    /// The requests that wait for answers of partners.
    crowd: Crowd,
}

impl Default for Partners {
    /// None.
    fn default() -> Partners {
        Partners::new(Settings::POLL_EVERY, Vec::new())
    }
}

impl Partners {
    /// Partners of which each linked schedule is read so often.
    pub fn new(poll_every: SignedDuration, sources: Vec<Arc<dyn Source>>) -> Partners {
        let named = sources.into_iter();
        Partners {
            poll_every,
            sources: named.map(|source| (source.partner(), source)).collect(),
            listed: Mutex::default(),
            crowd: Crowd::default(),
        }
    }

    /// How often each linked schedule is read.
    pub fn poll_every(&self) -> SignedDuration {
        self.poll_every
    }

    /// Those with settings.
    pub fn connected(&self) -> impl Iterator<Item = Partner> {
        self.sources.keys().copied()
    }

    /// The client of a partner; `None` without settings.
    pub fn source(&self, partner: Partner) -> Option<&Arc<dyn Source>> {
        self.sources.get(&partner)
    }

    /// The partner of that name, with what reads it.
    ///
    /// # Errors
    /// [`Refusal::NotFound`] if there are no settings for it.
    fn named(&self, name: &str) -> Result<(Partner, &Arc<dyn Source>), Refusal> {
        let known = Partner::parse(name);
        let found = known.and_then(|partner| Some((partner, self.source(partner)?)));
        found.ok_or(Refusal::NotFound("partner with settings"))
    }
}

/// The refusal of what needs a partner that cannot be read now.
fn unavailable(partner: Partner, failure: &Failure) -> Refusal {
    let what = match failure.kind {
        ReadFailure::Unauthorized => "it refuses the key",
        ReadFailure::Forbidden => "the key may not read this",
        ReadFailure::NotFound => "it knows no such thing",
        ReadFailure::RateLimited => "it asks to wait",
        ReadFailure::Timeout => "it did not answer in time",
        ReadFailure::Connection => "it cannot be reached",
        ReadFailure::SecureConnection => "there is no secure connection to it",
        ReadFailure::ServerError => "it has an error of its own",
        ReadFailure::InvalidResponse => "its answer cannot be read",
    };
    let why = format!(
        "{} ({}): {what} ({})",
        partner.title(),
        partner.name(),
        failure.kind
    );
    Refusal::PartnerUnavailable(why, failure.wait.map(|wait| wait.as_secs()))
}
