//! The model's absences: which of them count, who misses how much of a turn, and who goes away while on duty (rules.md 10.5 to
//! 10.7).

use super::time::{HOUR, Minute, Span};
use super::{Model, Who};

/// What absences mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// How many hours those of calendars have to last; `None` ignores them.
    pub calendars: Option<u16>,
    /// Whoever is absent during the turn is passed over, instead of at its beginning.
    pub during: bool,
    /// Whoever goes away hands over.
    pub leaves: bool,
}

/// What one who is not here misses of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missed {
    /// They are not to be chosen.
    All,
    Part(Minute),
}

/// Spans, in order, with those that touch or overlap made one.
fn merged(mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort();
    let mut all: Vec<Span> = Vec::new();
    for span in spans {
        match all.last_mut() {
            Some(last) if span.from <= last.until => last.until = last.until.max(span.until),
            _ => all.push(span),
        }
    }
    all
}

impl Model {
    /// The absences of a person from their calendar.
    pub fn mirrored_of(&self, who: Who) -> Vec<Span> {
        let theirs = self.mirrored.iter().filter(|absence| absence.who == who);
        merged(theirs.map(|absence| absence.span).collect())
    }

    /// The absences of a person that count.
    pub fn counted(&self, who: Who) -> Vec<Span> {
        let least = self.policy.calendars.map(|hours| i64::from(hours) * HOUR);
        let mirrored = self.mirrored_of(who).into_iter();
        let long =
            mirrored.filter(|span| least.is_some_and(|least| span.until - span.from >= least));
        let stored = self.absences.iter().filter(|absence| absence.who == who);
        stored.map(|absence| absence.span).chain(long).collect()
    }

    pub fn is_away(&self, who: Who) -> bool {
        self.counted(who).iter().any(|span| span.holds(self.now))
    }

    /// What a person misses of a turn of a slot that begins now; `None` if they are here. Where people hand over who go away,
    /// only a hand-over deals to somebody who is away.
    pub fn missed(&self, place: usize, who: Who, hands_over: bool) -> Option<Missed> {
        if self.policy.leaves && !hands_over && self.is_away(who) {
            return Some(Missed::All);
        }
        if !self.policy.during {
            return self.is_away(who).then_some(Missed::All);
        }
        let window = self.cells[place].window;
        let turn = Span {
            from: self.now,
            until: self.turn_ends(window),
        };
        let open = merged(self.windows[window].hours.open_in(turn));
        let away = merged(self.counted(who));
        let long = |span: Span| span.until - span.from;
        let covered: Minute = open.iter().copied().map(long).sum();
        let both = open
            .iter()
            .flat_map(|open| away.iter().filter_map(|away| away.meets(*open)));
        match both.map(long).sum::<Minute>() {
            0 => None,
            all if all == covered => Some(Missed::All),
            part => Some(Missed::Part(part)),
        }
    }

    /// The slots whose holders go, as `goes` says; they are noted to have left.
    pub fn leaving(&mut self, goes: impl Fn(&Model, usize, Who) -> bool) -> Vec<usize> {
        let deals = self.enabled() && self.windows.iter().any(|window| window.cadence.is_some());
        if !self.policy.leaves || !deals {
            return Vec::new();
        }
        let holder = |place: usize| Some((place, self.cells[place].holder?.0));
        let holders = (0..self.cells.len()).filter_map(holder);
        let gone: Vec<(usize, Who)> = holders
            .filter(|(place, who)| self.is_away(*who) && goes(self, *place, *who))
            .collect();
        self.gone.extend(&gone);
        gone.into_iter().map(|(place, _)| place).collect()
    }

    /// When the next absence that counts begins.
    pub fn next_leaving(&self) -> Option<Minute> {
        let all = self.members.iter().flat_map(|who| self.counted(*who));
        let later = all.map(|span| span.from).filter(|from| *from > self.now);
        later.min().filter(|_| self.policy.leaves)
    }
}
