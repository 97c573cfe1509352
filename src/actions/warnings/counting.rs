//! Warnings of all rotations, counted now and then beside everything else while somebody asks for them: metrics, and pages that show
//! many rotations.

use super::{DAYS, Looks, MOST_HELD, each};
use crate::actions::{ActionError, App, Error, Result};
use crate::domain::forecast::{self, Budget, Held};
use crate::domain::handover::DealingContext;
use crate::domain::ids::RotationId;
use crate::domain::naming::Naming;
use crate::domain::rotation::Rotation;
use crate::domain::time::Interval;
use crate::domain::warning::{Warning, WarningFilter};
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
pub struct Warned {
    kept: Mutex<CountState>,
    /// Held by the caller for whom plans are made.
    alone: Mutex<()>,
}

#[derive(Debug, Default)]
struct CountState {
    /// When somebody last asked.
    asked: Option<Instant>,
    /// Which state of the storage was counted, at which instant.
    last: Option<(u64, Timestamp)>,
    counted: Arc<Counted>,
}

impl Warned {
    /// The counts; empty before the first time, and where nobody has asked for so long that they are old. Whoever asks makes them be
    /// counted for the next hour.
    pub fn counted(&self) -> Arc<Counted> {
        self.counted_at(monotonic())
    }

    fn counted_at(&self, now: Instant) -> Arc<Counted> {
        let mut kept = self.lock();
        let last_asked = kept.asked.replace(now);
        if last_asked.is_none_or(|asked| now.duration_since(asked) >= WANTED) {
            (kept.last, kept.counted) = (None, Arc::default());
        }
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

    fn lock(&self) -> MutexGuard<'_, CountState> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until plans are made for no other caller: those of a whole workspace take much memory, which is there once.
    pub(super) fn alone(&self) -> MutexGuard<'_, ()> {
        self.alone.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Counts anew where something has changed and somebody asks, and answers how long to wait.
pub fn refresh(app: &App) -> Result<Duration, Error> {
    // Read before the data: a commit meanwhile is counted at the next turn.
    let generation = app.store().signals().generation();
    let now = app.now();
    if !app.warned().is_due(generation, now) {
        return Ok(LOOK);
    }
    let begun = monotonic();
    let counted = match count(app, MOST_HELD) {
        Ok(counted) => counted,
        Err(ActionError::Failed(Error::Stopped)) => return Ok(LOOK),
        Err(ActionError::Failed(error)) => return Err(error),
        Err(ActionError::Refused(refusal)) => {
            log::warn!("warnings: {refusal:?}");
            Counted::new()
        }
    };
    let mut kept = app.warned().lock();
    kept.last = Some((generation, now));
    kept.counted = Arc::new(counted);
    Ok(LOOK.max(begun.elapsed() * SHARE))
}

/// Counts the warnings of all rotations but those that take too much to forecast, or for whose plans there is no room: so many
/// stretches are held.
///
/// # Errors
/// [`Error::Stopped`] where the program is stopping.
pub(in crate::actions) fn count(app: &App, room: usize) -> Result<Counted> {
    let mut count = Count {
        app,
        room,
        counted: Counted::new(),
    };
    each(app, (DAYS, Naming::Ids), &mut count)?;
    count.counted.retain(|_, kinds| !kinds.is_empty());
    Ok(count.counted)
}

/// Counts the warnings of all rotations.
struct Count<'a> {
    app: &'a App,
    /// Stretches that can still be held.
    room: usize,
    counted: Counted,
}

impl Count<'_> {
    fn goes_on(&self) -> Result<(), Error> {
        match self.app.runtime().is_stopping() {
            true => Err(Error::Stopped),
            false => Ok(()),
        }
    }
}

impl Looks for Count<'_> {
    fn plan(
        &mut self,
        rotation: &Rotation,
        dealing: DealingContext,
        range: Interval,
    ) -> Result<Option<Vec<Held>>> {
        self.goes_on()?;
        if self.room == 0 {
            return Ok(None);
        }
        let held = forecast::held(rotation, dealing, range, &mut Budget::default());
        let held = held.ok().filter(|held| held.len() <= self.room);
        self.room -= held.as_ref().map_or(0, Vec::len);
        Ok(held)
    }

    fn sees(&self, _: &Rotation) -> bool {
        true
    }

    fn wanted(&self) -> WarningFilter {
        WarningFilter::default()
    }

    fn take(&mut self, rotation: &Rotation, warnings: Vec<Warning>) -> Result<()> {
        let of_rotation = self.counted.entry(rotation.id.clone()).or_default();
        for warning in warnings {
            *of_rotation.entry(warning.kind).or_default() += 1;
        }
        Ok(self.goes_on()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_has_asked_for_is_forgotten() {
        let (warned, begun) = (Warned::default(), monotonic());
        let of_one = Arc::new(Counted::from([("rot_1".into(), BTreeMap::new())]));
        let count = || {
            let mut kept = warned.lock();
            kept.counted = Arc::clone(&of_one);
            kept.last = Some((1, Timestamp::UNIX_EPOCH));
        };
        warned.counted_at(begun);
        count();
        let almost = begun + WANTED - Duration::from_secs(1);
        assert_eq!(warned.counted_at(almost), of_one);
        assert_eq!(warned.counted_at(almost + WANTED), Arc::default());
        // They are made anew although nothing has changed meanwhile.
        assert_eq!(warned.lock().last, None);
        count();
        assert_eq!(warned.counted_at(almost + WANTED), of_one);
    }
}
