//! A plain model of dealing (rules.md 29), for comparison with the product: whole hours since a Monday, people by number, everything
//! worked out anew for each question. It shares no code with what it is compared with.

mod events;
mod rules;

use std::collections::BTreeMap;

pub type Hour = i64;
pub type Person = usize;
pub type Span = (Hour, Hour);

const WEEK: Hour = 168;

/// Hours and hand-overs of a window.
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    pub first: Hour,
    /// Hours from one hand-over to the next.
    pub every: Hour,
    /// Hours of the week, ordered, apart from each other; the last may end in the next week. None: always open.
    pub covered: Vec<Span>,
}

impl Window {
    /// The hand-over strictly after an hour.
    pub fn next(&self, after: Hour) -> Hour {
        match after < self.first {
            true => self.first,
            false => self.first + ((after - self.first) / self.every + 1) * self.every,
        }
    }

    /// What is covered of a span, in order.
    pub fn open(&self, (from, until): Span) -> Vec<Span> {
        if self.covered.is_empty() {
            let whole = (from, until);
            return (from < until).then_some(whole).into_iter().collect();
        }
        let weeks = from / WEEK - 1..=until / WEEK + 1;
        let all = weeks.flat_map(|week| {
            let one = move |(a, b): &Span| (a + week * WEEK, b + week * WEEK);
            self.covered.iter().map(one)
        });
        let clipped = all.map(|(a, b)| (a.max(from), b.min(until)));
        clipped.filter(|(a, b)| a < b).collect()
    }

    /// The first hour after one at which it opens or shuts.
    fn next_edge(&self, after: Hour) -> Option<Hour> {
        let edges = self.open((after - WEEK, after + 3 * WEEK)).into_iter();
        let edges = edges.flat_map(|(a, b)| [a, b]).filter(|at| *at > after);
        edges.min().filter(|_| !self.covered.is_empty())
    }
}

/// How somebody came to a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    Own,
    Trade,
    Repayment,
    Help,
    ShortRest,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Held {
    pub user: Person,
    pub since: Hour,
    /// Whose own turn it is, and how it was dealt; `None` where it was not dealt by trading.
    pub dealt: Option<(Person, How)>,
}

#[derive(Clone, Debug)]
pub struct Cell {
    pub window: usize,
    pub roster: usize,
    pub held: Option<Held>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Trade {
    pub owes: Person,
    pub owed: Person,
    pub cell: usize,
    pub from: Hour,
    pub until: Hour,
    pub dealt_since: u32,
}

/// The people of a roster in order, with their next turn of one window.
#[derive(Clone, Debug)]
pub struct Line {
    pub roster: usize,
    pub window: usize,
    pub next: usize,
    /// Percent and credit of each.
    pub credits: BTreeMap<Person, (u32, u32)>,
    pub helped: BTreeMap<Person, u32>,
    pub trades: Vec<Trade>,
}

/// A turn that ended.
#[derive(Clone, Debug)]
pub struct Past {
    window: usize,
    user: Person,
    covered: Vec<Span>,
    /// The hand-over that ended it; `None` where it ended in another way.
    handed_over: Option<Hour>,
}

/// A place of one hand-over, or what is left of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    pub window: usize,
    pub cell: usize,
    pub from: Hour,
    pub until: Hour,
    /// The hand-over that it began with, as far as there was one.
    begun: Option<Hour>,
    /// Whether it begins between hand-overs.
    between: bool,
    covered: Vec<Span>,
}

#[derive(Clone, Debug)]
pub struct World {
    pub now: Hour,
    pub traded: bool,
    pub rest: Hour,
    pub shares: BTreeMap<Person, u32>,
    pub double_cover: bool,
    /// Who is absent in a part of the turn cannot take it; else who is absent when it begins.
    pub during_turn: bool,
    /// Who goes away while on duty hands over.
    pub hands_over: bool,
    /// The people of each roster, in order.
    pub rosters: Vec<Vec<Person>>,
    pub windows: Vec<Window>,
    pub cells: Vec<Cell>,
    pub lines: Vec<Line>,
    pub absences: Vec<(Person, Span)>,
    pub past: Vec<Past>,
    /// The last hand-over of each window.
    pub handed_over: Vec<Option<Hour>>,
}

impl World {
    pub fn line_of(&self, cell: usize) -> usize {
        let Cell { window, roster, .. } = self.cells[cell];
        let of = |line: &Line| (line.window, line.roster) == (window, roster);
        self.lines.iter().position(of).expect("a line")
    }

    pub fn order(&self, line: usize) -> &[Person] {
        &self.rosters[self.lines[line].roster]
    }

    /// The percent of a person in a line: where all are stand-ins, all have 100.
    pub fn percent(&self, line: usize, person: Person) -> u32 {
        let share = |person: &Person| self.shares.get(person).copied().unwrap_or(100);
        match self.order(line).iter().all(|person| share(person) == 0) {
            true => 100,
            false => share(&person),
        }
    }

    /// As many turns as the line has people with a share.
    fn round(&self, line: usize) -> usize {
        let people = self.order(line).iter();
        people.filter(|&&one| self.percent(line, one) > 0).count()
    }

    /// The turn of a cell that begins now, or what is left of it.
    fn turn_now(&self, cell: usize) -> Turn {
        let window = self.cells[cell].window;
        let until = self.windows[window].next(self.now);
        let begun = self.handed_over[window];
        self.turn(cell, self.now, until, begun)
    }

    fn turn(&self, cell: usize, from: Hour, until: Hour, begun: Option<Hour>) -> Turn {
        let window = self.cells[cell].window;
        let covered = self.windows[window].open((from, until));
        Turn {
            window,
            cell,
            from,
            until,
            begun,
            between: false,
            covered,
        }
    }

    /// The turns to come of a line within a round, each with whose it is: first those of `waiting`, the places that are dealt
    /// next at this very instant.
    fn to_come(&self, lines: &[Line], line: usize, waiting: &[usize]) -> Vec<(Turn, Person)> {
        let round = self.round(line);
        let cells = (0..self.cells.len()).filter(|cell| self.line_of(*cell) == line);
        let cells: Vec<usize> = cells.collect();
        let mut state = lines[line].clone();
        let mut turns: Vec<Turn> = Vec::new();
        let first = waiting.iter().filter(|cell| cells.contains(cell));
        turns.extend(first.map(|&cell| self.turn_now(cell)));
        let mut from = self.now;
        while turns.len() < round && !cells.is_empty() {
            from = self.windows[lines[line].window].next(from);
            let until = self.windows[lines[line].window].next(from);
            let next = cells
                .iter()
                .map(|&cell| self.turn(cell, from, until, Some(from)));
            turns.extend(next);
        }
        turns.truncate(round);
        let owned = turns.into_iter().map(|turn| {
            let owner = self.whose(line, &mut state);
            (turn, owner)
        });
        owned.collect()
    }

    /// Whether somebody is absent for a turn.
    pub fn absent(&self, person: Person, turn: &Turn) -> bool {
        // Between hand-overs nobody is put onto a place who would have to leave it at once (rules.md 10.6).
        let first = !self.during_turn || turn.between && self.hands_over;
        self.absences.iter().any(|(who, away)| {
            let (from, until) = *away;
            let during = self.during_turn && turn.covered.iter().any(|one| meet(*one, *away));
            *who == person && (during || first && (from..until).contains(&turn.from))
        })
    }

    /// The turns that somebody holds, from where they began.
    fn held(&self, person: Person) -> Vec<Turn> {
        let cells = self.cells.iter().enumerate();
        let theirs = cells.filter_map(|(cell, one)| {
            let held = one.held.as_ref().filter(|held| held.user == person)?;
            let window = one.window;
            let until = self.windows[window].next(self.now);
            Some(self.turn(cell, held.since, until, self.handed_over[window]))
        });
        theirs.collect()
    }

    /// Whether the covered time that is left of a place that somebody holds meets that of a turn.
    fn elsewhere(&self, person: Person, turn: &Turn) -> bool {
        let meets = |other: &Turn| {
            let left = other.covered.iter().filter(|span| span.1 > self.now);
            let mut left = left.map(|(from, until)| (self.now.max(*from), *until));
            left.any(|one| turn.covered.iter().any(|two| meet(one, *two)))
        };
        self.held(person).iter().any(meets)
    }

    /// Not absent, and not on call elsewhere: in what they hold and, but for the owner, in what is theirs to come.
    fn able(&self, person: Person, turn: &Turn, to_come: &[(Turn, Person)]) -> bool {
        let theirs = to_come.iter().filter(|(one, owner)| {
            *owner == person && (one.cell, one.from) != (turn.cell, turn.from)
        });
        let mut theirs = theirs.flat_map(|(one, _)| &one.covered);
        let meets = |one: &Span| turn.covered.iter().any(|two| meet(*one, *two));
        !self.absent(person, turn) && !self.elsewhere(person, turn) && !theirs.any(meets)
    }

    /// The covered times of every other turn of somebody, each with whether it is before or after this one in its window.
    /// `to_come` are their own ones to come; nobody's for the owner.
    fn others(
        &self,
        person: Person,
        turn: &Turn,
        to_come: &[(Turn, Person)],
    ) -> Vec<(Vec<Span>, bool)> {
        let mut others = Vec::new();
        for past in self.past.iter().filter(|past| past.user == person) {
            let before = past.handed_over.is_some() && past.handed_over == turn.begun;
            others.push((past.covered.clone(), before && past.window == turn.window));
        }
        let held = self.held(person);
        let theirs = to_come.iter().filter(|(one, owner)| {
            *owner == person && (one.cell, one.from) != (turn.cell, turn.from)
        });
        for one in held.iter().chain(theirs.map(|(one, _)| one)) {
            let beside = Some(one.until) == turn.begun || one.begun == Some(turn.until);
            others.push((one.covered.clone(), one.window == turn.window && beside));
        }
        others
    }

    /// Able, and with the hours of rest to every other turn.
    fn rested(&self, person: Person, turn: &Turn, to_come: &[(Turn, Person)]) -> bool {
        let enough = |other: &[Span]| {
            other.iter().all(|one| {
                let between = |two: &Span| (two.0 - one.1).max(one.0 - two.1).max(0);
                turn.covered.iter().all(|two| between(two) >= self.rest)
            })
        };
        self.able(person, turn, to_come)
            && (self.rest == 0
                || self
                    .others(person, turn, to_come)
                    .iter()
                    .all(|(other, _)| enough(other)))
    }

    /// Rested, and not on end with another turn.
    fn free(&self, person: Person, turn: &Turn, to_come: &[(Turn, Person)]) -> bool {
        let touches = |other: &[Span]| {
            let at_end = |one: &Span, two: &Span| one.1 == two.0 || two.1 == one.0;
            let mut other = other.iter();
            other.any(|one| turn.covered.iter().any(|two| at_end(one, two)))
        };
        self.rested(person, turn, to_come)
            && self
                .others(person, turn, to_come)
                .iter()
                .all(|(other, beside)| !beside && !touches(other))
    }
}

fn meet(one: Span, other: Span) -> bool {
    one.0 < other.1 && other.0 < one.1
}
