//! Bounds on what the reading of one calendar may take, for calendars that were made to take long.

/// So many units are spent between two questions of whether to go on: about a millisecond.
const UNWATCHED: u64 = 20_000;

/// The work that one reading may still take. A unit is the time in which one day is tested against a rule, some 50 ns; each
/// step charges the units that it takes, whatever the calendar says.
pub struct Work<'a> {
    left: u64,
    /// The rest for the event or zone in hand.
    part: u64,
    /// Bytes that may still be kept.
    room: u64,
    unwatched: u64,
    may_go_on: &'a dyn Fn() -> Result<(), TooMuch>,
}

/// A bound was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TooMuch {
    /// That of one event or zone. The others can still be read.
    Part,
    /// That of the reading: in units, or in time by a clock that the reader does not know.
    Reading,
    /// That of what is kept.
    Room,
    /// Nobody wants the result any more.
    Unwanted,
}

impl<'a> Work<'a> {
    /// That many units, without a bound on what is kept.
    pub fn new(units: u64) -> Work<'static> {
        Work::watched(units, u64::MAX, &|| Ok(()))
    }

    /// That many units, and that many bytes to keep. `may_go_on` is asked again and again, and ends the reading by an error.
    pub fn watched(
        units: u64,
        room: u64,
        may_go_on: &'a dyn Fn() -> Result<(), TooMuch>,
    ) -> Work<'a> {
        Work {
            left: units,
            part: u64::MAX,
            room,
            unwatched: 0,
            may_go_on,
        }
    }

    /// Takes units.
    ///
    /// # Errors
    /// [`TooMuch`] where they are not left, or where `may_go_on` says so.
    pub fn spend(&mut self, units: u64) -> Result<(), TooMuch> {
        self.left = self.left.checked_sub(units).ok_or(TooMuch::Reading)?;
        self.part = self.part.checked_sub(units).ok_or(TooMuch::Part)?;
        self.unwatched = self.unwatched.saturating_add(units);
        if self.unwatched < UNWATCHED {
            return Ok(());
        }
        self.unwatched = 0;
        (self.may_go_on)()
    }

    /// Takes units for a text that is looked through once.
    ///
    /// # Errors
    /// As [`Work::spend`].
    pub fn look_through(&mut self, bytes: usize) -> Result<(), TooMuch> {
        self.spend(1 + bytes as u64 / 32)
    }

    /// Takes room for bytes that are kept to the end of the reading.
    ///
    /// # Errors
    /// [`TooMuch::Room`].
    pub fn keep(&mut self, bytes: usize) -> Result<(), TooMuch> {
        self.room = self.room.checked_sub(bytes as u64).ok_or(TooMuch::Room)?;
        Ok(())
    }

    /// Lets `act` spend at most that many units, and then refuses with [`TooMuch::Part`]. What it spends is not there for others.
    ///
    /// # Errors
    /// Those of `act`.
    pub fn part<T>(
        &mut self,
        most: u64,
        act: impl FnOnce(&mut Work<'a>) -> Result<T, TooMuch>,
    ) -> Result<T, TooMuch> {
        let outer = std::mem::replace(&mut self.part, most);
        let done = act(self);
        self.part = outer;
        done
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn each_bound_holds() {
        let go_on = || Ok(());
        // Units and room; what is spent and kept, and the first refusal.
        for (units, room, spent, kept, expected) in [
            (10, 10, 10, 10, Ok(())),
            (10, 10, 11, 0, Err(TooMuch::Reading)),
            (10, 10, 10, 11, Err(TooMuch::Room)),
            (0, 0, 0, 0, Ok(())),
            (u64::MAX, 0, u64::MAX, 0, Ok(())),
        ] {
            let mut work = Work::watched(units, room, &go_on);
            let found = work.spend(spent).and_then(|()| work.keep(kept));
            assert_eq!(found, expected, "{units} {room} {spent} {kept}");
        }
    }

    #[test]
    fn a_part_ends_before_the_whole_and_leaves_the_rest() {
        let mut work = Work::new(100);
        assert_eq!(work.part(30, |work| work.spend(30)), Ok(()));
        assert_eq!(work.part(30, |work| work.spend(31)), Err(TooMuch::Part));
        assert_eq!(work.part(80, |work| work.spend(70)), Err(TooMuch::Reading));
        assert_eq!(work.spend(10), Ok(()));
    }

    #[test]
    fn whoever_watches_may_end_it() {
        for end in [TooMuch::Reading, TooMuch::Unwanted] {
            let asked = Cell::new(0_u64);
            let watch = || {
                asked.set(asked.get() + 1);
                if asked.get() == 3 { Err(end) } else { Ok(()) }
            };
            let mut work = Work::watched(u64::MAX, 0, &watch);
            let spent = (1..).find(|_| work.spend(100).is_err());
            assert_eq!(spent, Some(3 * UNWATCHED / 100));
            // Also where it is spent at once.
            asked.set(2);
            let mut work = Work::watched(u64::MAX, 0, &watch);
            assert_eq!(work.spend(u64::MAX), Err(end));
        }
    }
}
