//! A model of duty: for each cell the dealt holder, and a list of arrangements over it, both half-open intervals of minutes. It is
//! written directly from the rules (rules.md 2, 4, 8 and 10), shares no code with the program, and prefers simplicity.

mod policy;
mod records;
pub mod time;

pub use policy::{Missed, Policy};
pub use records::{Arrangement, Kind, Leg, Request, State};
use time::{Cadence, Hours, Minute, Span, WEEK};

/// A person: 1 is U1.
pub type Who = u8;

/// A lane or a cell, by a number that is assigned once.
pub type Key = usize;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// `None` means hand-overs only on request.
    pub cadence: Option<Cadence>,
    pub hours: Hours,
    /// As last judged; in a disabled rotation it does not change.
    pub open: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    pub key: Key,
    pub lane: Key,
    pub window: usize,
    /// The dealt holder, and since when.
    pub holder: Option<(Who, Minute)>,
    /// The people passed over because they are absent, when the holder was dealt the turn.
    pub skipped: Vec<Who>,
    /// The people passed over because they are on call elsewhere, and in which cell.
    pub passed: Vec<(Who, Key)>,
    pub history: Vec<Past>,
    /// When the cell was removed with its lane.
    pub ended: Option<Minute>,
}

/// Who was on call from a minute on, and by which arrangement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Past {
    pub from: Minute,
    pub who: Option<Who>,
    pub arrangement: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Absence {
    pub who: Who,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    pub now: Minute,
    /// When the rotation was disabled; it does not change after that minute.
    pub frozen: Option<Minute>,
    pub members: Vec<Who>,
    /// One per window.
    pub next_turns: Vec<usize>,
    pub double_cover: bool,
    pub lanes: Vec<Key>,
    pub windows: Vec<Window>,
    /// In slot order: window by window, lane by lane.
    pub cells: Vec<Cell>,
    /// Cells that were removed with their lanes.
    pub dropped: Vec<Cell>,
    pub absences: Vec<Absence>,
    /// Those from calendars.
    pub mirrored: Vec<Absence>,
    pub policy: Policy,
    /// Those who have just left a slot, which is not dealt to them at that minute.
    pub gone: Vec<(usize, Who)>,
    pub arrangements: Vec<Arrangement>,
    pub requests: Vec<Request>,
    /// The number of the next lane or cell.
    pub next_key: Key,
}

impl Model {
    /// A rotation of `lanes` lanes whose slots are dealt at the beginning.
    pub fn new(members: Vec<Who>, lanes: usize, windows: Vec<Window>, double_cover: bool) -> Model {
        let mut model = Model::bare(members, lanes, windows, double_cover);
        model.begin();
        model
    }

    /// One in which nobody is dealt yet.
    pub fn bare(
        members: Vec<Who>,
        lanes: usize,
        windows: Vec<Window>,
        double_cover: bool,
    ) -> Model {
        let mut model = Model {
            now: 0,
            frozen: None,
            // Spread over the list, window by window.
            next_turns: (0..windows.len())
                .map(|k| k * members.len() / windows.len())
                .collect(),
            members,
            double_cover,
            lanes: Vec::new(),
            windows,
            cells: Vec::new(),
            dropped: Vec::new(),
            absences: Vec::new(),
            mirrored: Vec::new(),
            policy: Policy {
                calendars: Some(0),
                ..Policy::default()
            },
            gone: Vec::new(),
            arrangements: Vec::new(),
            requests: Vec::new(),
            next_key: lanes,
        };
        model.lay_out((0..lanes).collect());
        model
    }

    /// Deals the slots for the first time.
    pub fn begin(&mut self) {
        self.fill();
        self.judge();
    }

    pub fn enabled(&self) -> bool {
        self.frozen.is_none()
    }

    fn deals_itself(&self) -> bool {
        self.enabled() && self.windows.iter().any(|window| window.cadence.is_some())
    }

    /// Replaces the lanes. Pairs of lane and window that remain keep their cell.
    pub fn lay_out(&mut self, lanes: Vec<Key>) {
        let mut old = std::mem::take(&mut self.cells);
        for window in 0..self.windows.len() {
            for &lane in &lanes {
                let kept = old
                    .iter()
                    .position(|cell| (cell.lane, cell.window) == (lane, window));
                let cell = kept.map(|place| old.remove(place)).unwrap_or_else(|| {
                    self.next_key += 1;
                    Cell {
                        key: self.next_key - 1,
                        lane,
                        window,
                        holder: None,
                        skipped: Vec::new(),
                        passed: Vec::new(),
                        history: Vec::new(),
                        ended: None,
                    }
                });
                self.cells.push(cell);
            }
        }
        self.lanes = lanes;
        self.void(|lost| old.iter().any(|cell| cell.key == lost.cell));
        for mut cell in old {
            cell.ended = Some(self.now);
            cell.history.retain(|past| past.from < self.now);
            self.dropped.push(cell);
        }
    }

    /// When a turn that begins now, or the rest of one, ends; in a week if there is no later hand-over.
    pub fn turn_ends(&self, window: usize) -> Minute {
        let cadence = self.windows[window].cadence.as_ref();
        cadence.map_or(self.now + WEEK, |cadence| cadence.next(self.now))
    }

    /// Whether two windows are open at the same minute of a span.
    pub fn open_together(&self, one: usize, other: usize, span: Span) -> bool {
        let [one, other] = [one, other].map(|window| self.windows[window].hours.open_in(span));
        let meet = |here: &Span| other.iter().any(|there| here.meets(*there).is_some());
        one.iter().any(meet)
    }

    /// The first cell in which a person is on call during a turn of a slot that begins now.
    fn elsewhere(&self, place: usize, who: Who) -> Option<Key> {
        let window = self.cells[place].window;
        let in_the_way = |cell: &&Cell| {
            let until = self.turn_ends(window).min(self.turn_ends(cell.window));
            let span = Span {
                from: self.now,
                until,
            };
            cell.holder.is_some_and(|(holder, _)| holder == who)
                && self.open_together(window, cell.window, span)
        };
        self.cells.iter().find(in_the_way).map(|cell| cell.key)
    }

    /// Deals one slot: once round the order from the window's next turn, skipping people who are away or on call elsewhere. With
    /// `doubleCover`, if that finds nobody, skipping only people who are away. If that finds nobody either, the same among people
    /// who are away for a part of the turn: the one who misses least.
    fn deal(&mut self, place: usize, notes: bool, hands_over: bool) {
        let (window, people) = (self.cells[place].window, self.members.len());
        let turn = |step: usize| (self.next_turns[window] + step) % people;
        let missed: Vec<Option<Missed>> = (0..people)
            .map(|step| self.missed(place, self.members[turn(step)], hands_over))
            .collect();
        let way: Vec<Option<Key>> = (0..people)
            .map(|step| self.elsewhere(place, self.members[turn(step)]))
            .collect();
        let some_partly = missed
            .iter()
            .any(|missed| matches!(missed, Some(Missed::Part(_))));
        let mut passed = Vec::new();
        for (partly, again) in [(false, false), (false, true), (true, false), (true, true)] {
            if (again && !self.double_cover) || (partly && !some_partly) {
                continue;
            }
            let may = |step: &usize| {
                let here = match missed[*step] {
                    None => true,
                    Some(Missed::Part(_)) => partly,
                    Some(Missed::All) => false,
                };
                here && (again || way[*step].is_none())
            };
            let misses = |step: &usize| match missed[*step] {
                Some(Missed::Part(minutes)) => minutes,
                _ => 0,
            };
            let chosen = (0..people).filter(may).min_by_key(misses);
            let before =
                (0..chosen.unwrap_or(people)).filter(|step| missed[*step].is_none() && !again);
            passed = before
                .filter_map(|step| Some((self.members[turn(step)], way[step]?)))
                .collect();
            if let Some(step) = chosen {
                let away = (0..step).filter(|step| missed[*step].is_some());
                let away: Vec<Who> = away.map(|step| self.members[turn(step)]).collect();
                // Whoever has just left the slot comes first.
                let left = self.gone.iter().find(|(left, _)| *left == place);
                let left = left.map(|(_, who)| *who);
                let left = left.filter(|who| !away.contains(who));
                self.cells[place].skipped = left.into_iter().chain(away).collect();
                let turn = turn(step);
                self.cells[place].holder = Some((self.members[turn], self.now));
                self.cells[place].passed = passed;
                self.next_turns[window] = (turn + 1) % people;
                return;
            }
        }
        if notes {
            self.cells[place].passed = passed;
        }
    }

    /// Empties slots and deals them again.
    pub fn hand_over(&mut self, places: &[usize]) {
        for &place in places {
            self.cells[place].holder = None;
            self.cells[place].passed.clear();
        }
        for &place in places {
            let relieves = self.gone.iter().any(|(left, _)| *left == place);
            self.deal(place, true, !relieves);
        }
    }

    /// Fills every slot of an enabled rotation with a cadence that can be filled.
    pub fn fill(&mut self) {
        self.fill_noting(true);
    }

    /// As [`Model::fill`]; `notes` is false for absences, which do not change who was passed over.
    pub fn fill_noting(&mut self, notes: bool) {
        for place in 0..self.cells.len() {
            if self.deals_itself() && self.cells[place].holder.is_none() {
                self.deal(place, notes, false);
            }
        }
    }

    /// The running arrangement over a cell.
    pub fn arranged(&self, cell: &Cell) -> Option<usize> {
        let at = self.frozen.unwrap_or(self.now);
        self.arrangements.iter().position(|arrangement| {
            arrangement.cell == cell.key && !arrangement.gone && arrangement.span.holds(at)
        })
    }

    /// Who is on call in a cell, and by which arrangement.
    pub fn on_call(&self, cell: &Cell) -> (Option<Who>, Option<usize>) {
        if !self.windows[cell.window].open {
            return (None, None);
        }
        match self.arranged(cell) {
            Some(index) => (Some(self.arrangements[index].who), Some(index)),
            None => (cell.holder.map(|(who, _)| who), None),
        }
    }

    /// Ends an arrangement now: a running one keeps the served part, a future one is cancelled.
    pub fn end_arrangement(&mut self, index: usize) {
        let now = self.now;
        let arrangement = &mut self.arrangements[index];
        if arrangement.gone {
            return;
        }
        arrangement.gone = true;
        if arrangement.span.until > now {
            arrangement.revision += 1;
            let begun = self.frozen.is_none_or(|at| arrangement.span.from <= at);
            if begun && arrangement.span.from < now {
                arrangement.span.until = now;
            } else {
                arrangement.cancelled = true;
            }
        }
    }

    /// Ends arrangements that match `lost`. If one had not begun, the other future arrangements of the same request end
    /// too.
    pub fn void(&mut self, lost: impl Fn(&Arrangement) -> bool) {
        let at = self.frozen.unwrap_or(self.now);
        let live = |index: &usize| !self.arrangements[*index].gone;
        let all: Vec<usize> = (0..self.arrangements.len()).filter(live).collect();
        let waits = |index: &usize| !self.arrangements[*index].span.holds(at);
        let (gone, others): (Vec<usize>, Vec<usize>) = all
            .into_iter()
            .partition(|index| lost(&self.arrangements[*index]));
        let unserved: Vec<usize> = gone
            .iter()
            .filter(|index| waits(index))
            .filter_map(|index| self.agreed_by(*index))
            .collect();
        let with_them: Vec<usize> = others
            .into_iter()
            .filter(waits)
            .filter(|index| {
                let request = self.agreed_by(*index);
                request.is_some_and(|request| unserved.contains(&request))
            })
            .collect();
        for index in gone.into_iter().chain(with_them) {
            self.end_arrangement(index);
        }
    }

    /// The request that an arrangement came from.
    fn agreed_by(&self, index: usize) -> Option<usize> {
        let made = |request: &Request| request.legs.iter().any(|leg| leg.made.contains(&index));
        self.requests.iter().position(made)
    }

    /// Ends what is over, opens and shuts windows, and continues the history.
    pub fn judge(&mut self) {
        self.gone.clear();
        let now = self.now;
        if self.enabled() {
            for arrangement in &mut self.arrangements {
                arrangement.gone |= arrangement.span.until <= now;
            }
            for request in &mut self.requests {
                if request.state == State::Pending
                    && request.legs.iter().any(|leg| leg.span.until <= now)
                {
                    request.expire();
                }
            }
        }
        // Also hours that are edited while it is disabled open and shut nothing.
        for window in self.windows.iter_mut().filter(|_| self.frozen.is_none()) {
            window.open = window.hours.open_at(now);
        }
        for place in 0..self.cells.len() {
            let (who, arrangement) = self.on_call(&self.cells[place]);
            let from = self.now;
            let past = Past {
                from,
                who,
                arrangement,
            };
            let history = &mut self.cells[place].history;
            history.retain(|past| past.from < now);
            if history
                .last()
                .is_none_or(|last| (last.who, last.arrangement) != (who, arrangement))
            {
                history.push(past);
            }
        }
    }

    /// The next minute at which anything is due.
    pub fn next_due(&self) -> Option<Minute> {
        if !self.enabled() {
            return None;
        }
        let windows = self.windows.iter().flat_map(|window| {
            let handover = window
                .cadence
                .as_ref()
                .map(|cadence| cadence.next(self.now));
            [handover, window.hours.next_flip(self.now)]
        });
        let arranged = self.arrangements.iter().filter(|arranged| !arranged.gone);
        let arranged =
            arranged.flat_map(|arranged| [arranged.span.from, arranged.span.until].map(Some));
        let all = self.members.iter().flat_map(|who| self.counted(*who));
        let back = all
            .map(|span| Some(span.until))
            .chain([self.next_leaving()]);
        let pending = self.requests.iter();
        let pending = pending.filter(|request| request.state == State::Pending);
        let pending =
            pending.flat_map(|request| request.legs.iter().map(|leg| Some(leg.span.until)));
        let all = windows.chain(arranged).chain(back).chain(pending);
        all.flatten().filter(|at| *at > self.now).min()
    }

    /// Processes everything due at one minute. Returns whether a visible change results.
    pub fn step(&mut self, at: Minute) -> bool {
        let due: Vec<bool> = self
            .windows
            .iter()
            .map(|window| {
                let next = window
                    .cadence
                    .as_ref()
                    .map(|cadence| cadence.next(self.now));
                next == Some(at)
            })
            .collect();
        let flips = |window: &Window| window.hours.next_flip(self.now) == Some(at);
        let bounds = |arranged: &Arrangement| {
            !arranged.gone && [arranged.span.from, arranged.span.until].contains(&at)
        };
        let expires = |request: &Request| {
            let ends = request.legs.iter().map(|leg| leg.span.until);
            request.state == State::Pending && ends.min() == Some(at)
        };
        let edge = self.windows.iter().any(flips)
            || self.arrangements.iter().any(bounds)
            || self.requests.iter().any(expires);
        let before = self.shown();
        self.now = at;
        let leaving = self.leaving(|model, place, who| {
            let begins = model.counted(who).iter().any(|span| span.from == at);
            begins && !due[model.cells[place].window]
        });
        let places: Vec<usize> = (0..self.cells.len())
            .filter(|place| due[self.cells[*place].window] || leaving.contains(place))
            .collect();
        self.hand_over(&places);
        let mut all = self.members.iter().flat_map(|who| self.counted(*who));
        let back = all.any(|span| span.until == at);
        if due.contains(&true) || edge {
            self.fill();
        } else if back {
            self.fill_noting(false);
        }
        self.judge();
        due.contains(&true) || before != self.shown()
    }

    /// Advances to a minute. Returns the number of instants with a visible change.
    pub fn advance(&mut self, to: Minute) -> u64 {
        let mut changes = 0;
        while let Some(at) = self.next_due().filter(|at| *at <= to) {
            changes += u64::from(self.step(at));
        }
        self.now = to;
        changes
    }

    /// The visible state of the rotation: equal states have equal versions.
    pub fn shown(&self) -> Shown {
        let cell = |cell: &Cell| {
            (
                cell.key,
                (cell.holder, cell.passed.clone()),
                self.arranged(cell),
                cell.history.last().copied(),
            )
        };
        Shown {
            enabled: self.enabled(),
            members: self.members.clone(),
            next_turns: self.next_turns.clone(),
            double_cover: self.double_cover,
            policy: self.policy,
            windows: self.windows.clone(),
            cells: self.cells.iter().map(cell).collect(),
            arrangements: self.arrangements.clone(),
            requests: self.requests.clone(),
        }
    }
}

type Dealt = (Option<(Who, Minute)>, Vec<(Who, Key)>);
type Place = (Key, Dealt, Option<usize>, Option<Past>);

/// See [`Model::shown`].
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    enabled: bool,
    members: Vec<Who>,
    next_turns: Vec<usize>,
    double_cover: bool,
    policy: Policy,
    windows: Vec<Window>,
    cells: Vec<Place>,
    arrangements: Vec<Arrangement>,
    requests: Vec<Request>,
}
