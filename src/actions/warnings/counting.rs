//! Warnings of all rotations, counted now and then beside everything else while somebody asks for them: metrics, and pages that show
//! many rotations.

use super::{DAYS, each};
use crate::actions::{ActionError, App, Error};
use crate::domain::forecast::{self, Budget};
use crate::domain::ids::RotationId;
use crate::domain::warning_kinds::WarningKind;
use crate::runtime::clock::monotonic;
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How often is looked whether anything has changed.
const LOOK: Duration = Duration::from_secs(1);

/// Counting takes one part in so many of the time at the most.
const SHARE: u32 = 20;

/// Without any change they are counted again after this time: the days that are looked at move on.
const AGAIN: SignedDuration = SignedDuration::from_hours(1);

/// Counting goes on for so long after somebody asked. It holds the plans of all rotations in memory, and every commit makes it stale.
const WANTED: Duration = Duration::from_secs(60 * 60);

/// How many warnings of each kind a rotation has; kinds without any are left out.
pub type Counted = BTreeMap<RotationId, BTreeMap<WarningKind, u64>>;

/// The counts as they were last made, and whether somebody wants them.
#[derive(Debug, Default)]
pub struct Warned(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    /// When somebody last asked.
    asked: Option<Instant>,
    /// Which state of the storage was counted, at which instant.
    last: Option<(u64, Timestamp)>,
    counted: Arc<Counted>,
}

impl Warned {
    /// The counts; empty before the first time. Whoever asks makes them be counted for the next hour.
    pub fn counted(&self) -> Arc<Counted> {
        let mut kept = self.lock();
        kept.asked = Some(monotonic());
        Arc::clone(&kept.counted)
    }

    /// Whether somebody wants counts that are newer than the last ones.
    fn is_due(&self, generation: u64, now: Timestamp) -> bool {
        let kept = self.lock();
        let wanted = kept.asked.is_some_and(|asked| asked.elapsed() < WANTED);
        let is_current =
            |(of, at): (u64, Timestamp)| of == generation && now.duration_since(at).abs() < AGAIN;
        wanted && !kept.last.is_some_and(is_current)
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Counts anew where something has changed and somebody asks, and answers how long to wait. A rotation that takes too much to forecast is left out.
///
/// # Errors
/// When the storage cannot be read.
pub fn refresh(app: &App) -> Result<Duration, Error> {
    // Read before the data: a commit meanwhile is counted at the next turn.
    let generation = app.store().signals().generation();
    let now = app.now();
    if !app.warned().is_due(generation, now) {
        return Ok(LOOK);
    }
    let begun = monotonic();
    let mut counted = Counted::new();
    let done = each(
        app,
        DAYS,
        |rotation, dealing, range| {
            let held = forecast::held(rotation, dealing, range, &mut Budget::default());
            Ok(held.ok())
        },
        |_| true,
        |rotation, warnings| {
            let of_rotation: &mut BTreeMap<WarningKind, u64> =
                counted.entry(rotation.id.clone()).or_default();
            for warning in warnings {
                *of_rotation.entry(warning.kind).or_default() += 1;
            }
        },
    );
    match done {
        Ok(()) => {}
        Err(ActionError::Failed(error)) => return Err(error),
        Err(ActionError::Refused(refusal)) => {
            log::warn!("warnings: {refusal:?}");
        }
    }
    counted.retain(|_, kinds| !kinds.is_empty());
    let mut kept = app.warned().lock();
    kept.last = Some((generation, now));
    kept.counted = Arc::new(counted);
    Ok(LOOK.max(begun.elapsed() * SHARE))
}
