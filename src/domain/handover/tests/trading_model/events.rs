//! What happens to a world: hours that pass, and writes.

use super::*;

impl World {
    /// The next hour at which something falls due.
    pub fn next_due(&self) -> Hour {
        let windows = self.windows.iter();
        let hand_overs = windows.clone().map(|window| window.next(self.now));
        let edges = windows.filter_map(|window| window.next_edge(self.now));
        let absences = self
            .absences
            .iter()
            .flat_map(|(_, (from, until))| [*from, *until]);
        let later = absences.filter(|at| *at > self.now);
        hand_overs.chain(edges).chain(later).min().expect("windows")
    }

    /// Does what falls due at the next due hour.
    pub fn pass(&mut self) {
        let before = self.now;
        self.now = self.next_due();
        let at = self.now;
        let due: Vec<bool> = (self.windows.iter())
            .map(|window| window.next(before) == at)
            .collect();
        let leaving = self.leaving(|person, world| {
            let mut absences = world.absences.iter();
            absences.any(|(who, (from, until))| *who == person && *from == at && *until > at)
        });
        let leaving: Vec<(usize, Person)> = leaving
            .into_iter()
            .filter(|(cell, _)| !due[self.cells[*cell].window])
            .collect();
        let cells = (0..self.cells.len()).filter(|&cell| {
            due[self.cells[cell].window] || leaving.iter().any(|(left, _)| *left == cell)
        });
        let cells: Vec<usize> = cells.collect();
        self.hand_over(&cells, &leaving);
        let edge = |window: &Window| window.next_edge(before) == Some(at);
        let back = self.absences.iter().any(|(who, (_, until))| {
            *until == at && self.rosters_dealt().any(|people| people.contains(who))
        });
        if due.contains(&true) || self.windows.iter().any(edge) || back {
            self.fill();
        }
    }

    fn rosters_dealt(&self) -> impl Iterator<Item = &Vec<Person>> {
        self.cells.iter().map(|cell| &self.rosters[cell.roster])
    }

    /// Who has to leave a place, as far as `goes` says so.
    fn leaving(&self, goes: impl Fn(Person, &World) -> bool) -> Vec<(usize, Person)> {
        let cells = self.cells.iter().enumerate();
        let held = cells.filter_map(|(cell, one)| Some((cell, one.held.as_ref()?.user)));
        let leaving = held.filter(|(_, person)| self.hands_over && goes(*person, self));
        leaving.collect()
    }

    /// Ends the turn of a cell.
    fn end(&mut self, cell: usize, handed_over: bool) {
        if let Some(held) = self.cells[cell].held.take()
            && self.traded
        {
            let window = self.cells[cell].window;
            self.past.push(Past {
                window,
                user: held.user,
                covered: self.windows[window].open((held.since, self.now)),
                handed_over: handed_over.then_some(self.now),
            });
        }
    }

    /// Hands over cells: they are emptied together, then dealt in their order. `leaving` are those whose holders only go away.
    pub fn hand_over(&mut self, cells: &[usize], leaving: &[(usize, Person)]) {
        let goes = |cell: usize| {
            let found = leaving.iter().find(|(left, _)| *left == cell);
            found.map(|(_, person)| *person)
        };
        for &cell in cells {
            let handed_over = goes(cell).is_none();
            self.end(cell, handed_over);
            if handed_over {
                self.handed_over[self.cells[cell].window] = Some(self.now);
            }
        }
        for (index, &cell) in cells.iter().enumerate() {
            let waiting = cells[index + 1..].iter().copied();
            let waiting: Vec<usize> = waiting.filter(|cell| goes(*cell).is_none()).collect();
            self.deal(cell, &waiting, goes(cell), goes(cell).is_none());
        }
    }

    /// Fills empty places.
    pub fn fill(&mut self) {
        let empty = (0..self.cells.len()).filter(|cell| self.cells[*cell].held.is_none());
        let empty: Vec<usize> = empty.collect();
        for (index, &cell) in empty.iter().enumerate() {
            self.deal(cell, &empty[index + 1..], None, false);
        }
    }

    /// Puts somebody onto a place by hand.
    pub fn assign(&mut self, cell: usize, user: Person) {
        let held = self.cells[cell].held.as_ref();
        if held.is_none_or(|held| held.user != user) {
            self.end(cell, false);
            self.cells[cell].held = Some(Held {
                user,
                since: self.now,
                dealt: None,
            });
        }
        let line = self.line_of(cell);
        let order = self.order(line);
        if let Some(place) = order.iter().position(|one| *one == user) {
            self.lines[line].next = (place + 1) % order.len();
        }
    }

    pub fn clear(&mut self, cell: usize) {
        self.end(cell, false);
    }

    /// Adds an absence: whoever is away now and has to hand over does, and empty places are filled.
    pub fn absent_from(&mut self, person: Person, span: Span) {
        self.absences.push((person, span));
        let now = span.0 <= self.now && self.now < span.1;
        let leaving = self.leaving(|one, _| one == person && now);
        self.hand_over(&cells_of(&leaving), &leaving);
        self.looked_at(person);
    }

    /// Removes an absence.
    pub fn back(&mut self, index: usize) {
        let (person, _) = self.absences.remove(index);
        self.looked_at(person);
    }

    fn looked_at(&mut self, person: Person) {
        let concerned = self.rosters_dealt().any(|people| people.contains(&person));
        if concerned {
            self.fill();
        }
    }

    /// Gives the rosters other people or another order. `members` are all people there are.
    pub fn list(&mut self, rosters: Vec<Vec<Person>>, members: &[Person]) {
        let before = std::mem::replace(&mut self.rosters, rosters);
        for index in 0..self.lines.len() {
            let roster = self.lines[index].roster;
            let (old, new) = (&before[roster], &self.rosters[roster]);
            let next = self.lines[index].next;
            let stays = (0..old.len()).map(|step| old[(next + step) % old.len()]);
            let mut places = stays.filter_map(|one| new.iter().position(|other| *other == one));
            self.lines[index].next = match old.is_empty() {
                true => {
                    let of = |line: &&Line| line.roster == roster;
                    let k = self.lines[..index].iter().filter(of).count();
                    k * new.len() / self.lines.iter().filter(of).count()
                }
                false => places.next().unwrap_or(0),
            };
        }
        self.shares.retain(|person, _| members.contains(person));
        self.settle();
        for cell in 0..self.cells.len() {
            let held = self.cells[cell].held.as_ref();
            if held.is_some_and(|held| !members.contains(&held.user)) {
                self.end(cell, false);
            }
        }
    }

    /// Chooses how turns are dealt.
    pub fn choose(&mut self, traded: bool, rest: Hour, shares: BTreeMap<Person, u32>) {
        (self.traded, self.rest, self.shares) = (traded, rest, shares);
        self.settle();
    }

    /// Drops what is known of people who left a line, and credits of another percent.
    fn settle(&mut self) {
        if !self.traded {
            self.past.clear();
        }
        for index in 0..self.lines.len() {
            let order = self.order(index).to_vec();
            let percents: Vec<u32> = order.iter().map(|one| self.percent(index, *one)).collect();
            let traded = self.traded;
            let line = &mut self.lines[index];
            let stays = |person: &Person| traded && order.contains(person);
            line.trades
                .retain(|trade| stays(&trade.owes) && stays(&trade.owed));
            line.helped.retain(|person, _| stays(person));
            line.credits.retain(|person, (percent, _)| {
                let place = order.iter().position(|one| one == person);
                stays(person) && place.is_some_and(|place| percents[place] == *percent)
            });
        }
    }
}

fn cells_of(leaving: &[(usize, Person)]) -> Vec<usize> {
    leaving.iter().map(|(cell, _)| *cell).collect()
}
