//! The rules of dealing, in their order (rules.md 29.1 to 29.9).

use super::*;

/// What was decided of one place.
struct Deal {
    user: Person,
    owner: Person,
    how: How,
}

/// Whether somebody may take the turn that is dealt for one that they give.
type Fits<'f> = dyn Fn(Person, &Turn) -> bool + 'f;

impl World {
    /// Whose turn is next, with their credit paid and the next turn after them.
    pub fn whose(&self, line: usize, state: &mut Line) -> Person {
        let order = self.order(line);
        loop {
            let person = order[state.next];
            state.next = (state.next + 1) % order.len();
            let percent = self.percent(line, person);
            if percent == 0 {
                continue;
            }
            let (_, credit) = state
                .credits
                .entry(person)
                .or_insert((percent, 100 - percent));
            *credit += percent;
            if *credit >= 100 {
                *credit -= 100;
                return person;
            }
        }
    }

    /// Deals an empty place. `waiting` are the places whose own turns are dealt next at this instant; `goes` is whoever has to
    /// leave the place.
    pub fn deal(&mut self, cell: usize, waiting: &[usize], goes: Option<Person>, hand_over: bool) {
        let line = self.line_of(cell);
        if self.order(line).is_empty() {
            return;
        }
        if !self.traded {
            self.deal_lost(cell, line, hand_over);
            return;
        }
        let mut turn = self.turn_now(cell);
        turn.between = !hand_over;
        // Nothing is kept of it where the place stays empty.
        let mut after = self.lines.clone();
        let owner = match goes {
            Some(person) => person,
            None => self.whose(line, &mut after[line]),
        };
        // From where to look where nobody can: whose turn it is comes first.
        let order = self.order(line).iter();
        let first = match goes {
            Some(_) => after[line].next,
            None => order.clone().position(|one| *one == owner).unwrap(),
        };
        let to_come: Vec<Vec<(Turn, Person)>> = (0..self.lines.len())
            .map(|one| match self.order(one).is_empty() {
                true => Vec::new(),
                false => self.to_come(&after, one, waiting),
            })
            .collect();
        let everybodys: Vec<(Turn, Person)> = to_come.iter().flatten().cloned().collect();
        let mut state = after[line].clone();
        let dealt = (goes.is_none())
            .then(|| {
                self.repayment(line, &mut state, owner, &turn, &everybodys)
                    .or_else(|| self.own(owner, &turn))
            })
            .flatten()
            .or_else(|| {
                let theirs = &to_come[line];
                self.trade(line, &mut state, owner, &turn, theirs, &everybodys)
            })
            .or_else(|| self.help(line, &mut state, owner, &turn, &everybodys))
            .or_else(|| self.nobody(line, first, owner, &turn, hand_over));
        let Some(Deal { user, owner, how }) = dealt else {
            if hand_over {
                // Whoever takes it in the end, and if nobody does: absence never moves the order.
                self.lines[line] = after.swap_remove(line);
            }
            return;
        };
        if self.absent(user, &turn) {
            let somebody = self.order(line).iter().find(|&&one| match one == owner {
                true => self.rested(one, &turn, &[]),
                false => self.rested(one, &turn, &everybodys),
            });
            assert_eq!(somebody, None, "{user} is absent, somebody else is rested");
        }
        // What is left of a turn has been dealt before.
        let opened = usize::from(how == How::Trade);
        let older = state.trades.len() - opened;
        for trade in &mut state.trades[..older] {
            trade.dealt_since += u32::from(goes.is_none());
        }
        self.lines[line] = state;
        self.cells[cell].held = Some(Held {
            user,
            since: self.now,
            dealt: Some((owner, how)),
        });
    }

    /// Paying back.
    fn repayment(
        &self,
        line: usize,
        state: &mut Line,
        owner: Person,
        turn: &Turn,
        to_come: &[(Turn, Person)],
    ) -> Option<Deal> {
        let round = u32::try_from(self.round(line)).unwrap();
        let owed = |trade: &&Trade| trade.owed == owner;
        let all: Vec<Trade> = state.trades.iter().filter(owed).cloned().collect();
        let free = all
            .iter()
            .find(|trade| self.free(trade.owes, turn, to_come));
        let chosen = free.or_else(|| {
            all.iter()
                .find(|trade| trade.dealt_since > round && self.rested(trade.owes, turn, to_come))
        })?;
        close(state, chosen.owes, owner);
        Some(Deal {
            user: chosen.owes,
            owner,
            how: How::Repayment,
        })
    }

    /// The owner, if rested.
    fn own(&self, owner: Person, turn: &Turn) -> Option<Deal> {
        self.rested(owner, turn, &[]).then_some(Deal {
            user: owner,
            owner,
            how: How::Own,
        })
    }

    /// A trade with the owner of a turn to come of the line.
    fn trade(
        &self,
        line: usize,
        state: &mut Line,
        owner: Person,
        turn: &Turn,
        theirs: &[(Turn, Person)],
        to_come: &[(Turn, Person)],
    ) -> Option<Deal> {
        if !self.order(line).contains(&owner) {
            // Nobody outside of the line owes in it.
            return None;
        }
        let rested = |person, turn: &Turn| self.rested(person, turn, to_come);
        let free = |person, turn: &Turn| self.free(person, turn, to_come);
        let matches: [&Fits; 4] = [
            &|taker, given| free(taker, turn) && free(owner, given),
            &|taker, given| free(taker, turn) && rested(owner, given),
            &|taker, given| rested(taker, turn) && free(owner, given),
            &|taker, given| rested(taker, turn) && rested(owner, given),
        ];
        let taker = matches.iter().find_map(|fits| {
            let others = theirs.iter().filter(|(_, taker)| *taker != owner);
            let mut others = others.filter(|(given, taker)| fits(*taker, given));
            others.next().map(|(_, taker)| *taker)
        })?;
        let closed = close(state, taker, owner);
        if !closed {
            state.trades.push(Trade {
                owes: owner,
                owed: taker,
                cell: turn.cell,
                from: turn.from,
                until: turn.until,
                dealt_since: 0,
            });
        }
        Some(Deal {
            user: taker,
            owner,
            how: match closed {
                true => How::Repayment,
                false => How::Trade,
            },
        })
    }

    /// Somebody who helps.
    fn help(
        &self,
        line: usize,
        state: &mut Line,
        owner: Person,
        turn: &Turn,
        to_come: &[(Turn, Person)],
    ) -> Option<Deal> {
        let order = self.order(line);
        let round = (0..order.len()).map(|step| order[(state.next + step) % order.len()]);
        let round: Vec<Person> = round.collect();
        let count = |person: Person| state.helped.get(&person).copied().unwrap_or(0);
        let least = |fits: &dyn Fn(Person) -> bool| {
            let fitting = round.iter().copied().filter(|person| fits(*person));
            // The first of those who helped least.
            fitting.min_by_key(|person| count(*person))
        };
        let rested = least(&|person| person != owner && self.free(person, turn, to_come))
            .or_else(|| least(&|person| person != owner && self.rested(person, turn, to_come)));
        let user = rested.or_else(|| {
            // Nothing of the owner's own to come counts at their own turn.
            least(&|person| match person == owner {
                true => self.able(person, turn, &[]),
                false => self.able(person, turn, to_come),
            })
        })?;
        if user != owner {
            *state.helped.entry(user).or_default() += 1;
        }
        Some(Deal {
            user,
            owner,
            how: match rested {
                Some(_) => How::Help,
                None => How::ShortRest,
            },
        })
    }

    /// Nobody can: somebody who is on call elsewhere, where that may be, then whoever is absent for the shortest time.
    fn nobody(
        &self,
        line: usize,
        first: usize,
        owner: Person,
        turn: &Turn,
        hand_over: bool,
    ) -> Option<Deal> {
        let user = self.as_before(line, first, turn, hand_over)?;
        Some(Deal {
            user,
            owner,
            how: How::ShortRest,
        })
    }

    /// The search from a place round the order, as where turns are lost (rules.md 2.3, 2.5 and 10.6).
    fn as_before(&self, line: usize, next: usize, turn: &Turn, hand_over: bool) -> Option<Person> {
        let order = self.order(line);
        let people: Vec<Person> = (0..order.len())
            .map(|step| order[(next + step) % order.len()])
            .collect();
        let twice = [false, true];
        let elsewhere = |person: Person, double: bool| {
            !(double && self.double_cover) && self.elsewhere(person, turn)
        };
        for double in twice {
            let here = people.iter().copied();
            let mut here = here.filter(|&one| !self.absent(one, turn) && !elsewhere(one, double));
            if let Some(first) = here.next() {
                return Some(first);
            }
        }
        for double in twice {
            let whole: Hour = turn.covered.iter().map(|(a, b)| b - a).sum();
            let partly = people.iter().copied().filter(|&person| {
                let away = self.absences.iter().any(|(who, (from, until))| {
                    *who == person && (*from..*until).contains(&self.now)
                });
                self.during_turn
                    && self.absent(person, turn)
                    && self.missed(person, turn) < whole
                    && !(away && self.hands_over && !hand_over)
                    && !elsewhere(person, double)
            });
            if let Some(least) = partly.min_by_key(|person| self.missed(*person, turn)) {
                return Some(least);
            }
        }
        None
    }

    fn missed(&self, person: Person, turn: &Turn) -> Hour {
        let hours = turn.covered.iter().flat_map(|(a, b)| *a..*b);
        let away = |hour: &Hour| {
            let mut absences = self.absences.iter();
            absences.any(|(who, (from, until))| *who == person && (from..until).contains(&hour))
        };
        Hour::try_from(hours.filter(away).count()).unwrap()
    }

    fn deal_lost(&mut self, cell: usize, line: usize, hand_over: bool) {
        let mut turn = self.turn_now(cell);
        turn.between = !hand_over;
        let next = self.lines[line].next;
        if let Some(user) = self.as_before(line, next, &turn, hand_over) {
            let order = self.order(line);
            let place = order.iter().position(|one| *one == user).unwrap();
            self.lines[line].next = (place + 1) % order.len();
            self.cells[cell].held = Some(Held {
                user,
                since: self.now,
                dealt: None,
            });
        }
    }
}

/// Closes the oldest trade in which one owes the other, if there is one.
fn close(line: &mut Line, owes: Person, owed: Person) -> bool {
    let of = |trade: &Trade| (trade.owes, trade.owed) == (owes, owed);
    let found = line.trades.iter().position(of);
    found.map(|index| line.trades.remove(index)).is_some()
}
