//! Calendars of people, whose events become absences (rules.md 24).

mod kept;
pub mod words;

pub use kept::*;

use crate::domain::words::words;
use words::Words;

words! {
    /// Which events of a calendar are absences. Cancelled events never are, nor those that the person declined.
    pub enum Counts as CalendarCounts default OutOfOffice {
        /// Those that are marked as out of office, or have one of `words` in their summary or a category. The default.
        OutOfOffice = "outOfOffice",
        /// Those that do not leave the person free.
        Busy = "busy",
        /// All of them.
        All = "all",
    }
}

/// The members of an event beside its times.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    pub summary: Option<String>,
    pub categories: Vec<String>,
    pub is_cancelled: bool,
    /// The event does not take up time.
    pub is_transparent: bool,
    pub busy: Option<Busy>,
    /// The addresses of invited people who declined.
    pub declined: Vec<String>,
}

/// The status of the time of an event in Exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Busy {
    Free,
    OutOfOffice,
    /// Busy, tentative or working elsewhere.
    Other,
}

impl About {
    /// The bytes of all texts in it.
    pub fn length(&self) -> usize {
        let texts = self.summary.iter().chain(&self.categories);
        texts.chain(&self.declined).map(String::len).sum()
    }

    /// Whether the event is an absence of the person with that address. Cancelled events never are, nor those that they declined.
    pub fn counts(&self, counts: Counts, words: &Words, email: Option<&str>) -> bool {
        let declined = |email: &str| {
            self.declined
                .iter()
                .any(|who| who.eq_ignore_ascii_case(email))
        };
        if self.is_cancelled || email.is_some_and(declined) {
            return false;
        }
        match counts {
            Counts::All => true,
            Counts::Busy => !self.is_transparent && self.busy != Some(Busy::Free),
            Counts::OutOfOffice => {
                self.busy == Some(Busy::OutOfOffice)
                    || self
                        .summary
                        .iter()
                        .chain(&self.categories)
                        .any(|text| words.are_in(text))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// rules.md 24.1.
    #[test]
    fn events_count_by_what_they_say() {
        let about = |summary: &str| About {
            summary: Some(summary.into()),
            ..About::default()
        };
        let categories = |name: &str| About {
            categories: vec!["Work".into(), name.into()],
            ..about("x")
        };
        let with = |busy| About {
            busy: Some(busy),
            ..about("x")
        };
        let transparent = |about: About| About {
            is_transparent: true,
            ..about
        };
        let cancelled = |about: About| About {
            is_cancelled: true,
            ..about
        };
        let declined = |who: &str| About {
            declined: vec![who.into()],
            ..about("Vacation")
        };
        for (about, expected) in [
            // Out of office, busy, all.
            (about("Planning"), [false, true, true]),
            (about("VACATION in Rome"), [true, true, true]),
            (transparent(about("Urlaub")), [true, false, true]),
            (transparent(about("Birthday")), [false, false, true]),
            (categories("Holiday"), [true, true, true]),
            (with(Busy::OutOfOffice), [true, true, true]),
            (transparent(with(Busy::OutOfOffice)), [true, false, true]),
            (with(Busy::Free), [false, false, true]),
            (with(Busy::Other), [false, true, true]),
            (cancelled(about("Vacation")), [false, false, false]),
            (declined("Ada@example.com"), [false, false, false]),
            (declined("bob@example.com"), [true, true, true]),
            (About::default(), [false, true, true]),
        ] {
            let counted = [Counts::OutOfOffice, Counts::Busy, Counts::All]
                .map(|counts| about.counts(counts, &Words::default(), Some("ada@example.com")));
            assert_eq!(counted, expected, "{about:?}");
        }
        assert!(declined("").counts(Counts::All, &Words::default(), None));
    }
}
