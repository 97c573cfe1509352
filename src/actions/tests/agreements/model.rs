//! The model: for each cell who is dealt the turn, over it a list of arrangements, both half-open intervals of minutes. It is
//! written from the contract (sections 5, 6 and 10), uses nothing of the code that it judges, and is clever nowhere.

pub use super::records::{Arrangement, Kind, Leg, Request, State};
use super::time::{Cadence, Hours, Minute, Span};

/// A person: 1 is U1.
pub type Who = u8;

/// A row or a cell, by a number that is given once.
pub type Key = usize;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// None: duty passes only when somebody says so.
    pub cadence: Option<Cadence>,
    pub hours: Hours,
    /// As last judged; a disabled rotation stays as it was.
    pub open: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    pub key: Key,
    pub lane: Key,
    pub window: usize,
    /// Who is dealt the turn, and since when.
    pub holder: Option<(Who, Minute)>,
    pub history: Vec<Past>,
    /// When the cell went with its lane.
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
    /// A disabled rotation is as it was at this minute.
    pub frozen: Option<Minute>,
    pub members: Vec<Who>,
    pub next_turn: usize,
    pub double_cover: bool,
    pub lanes: Vec<Key>,
    pub windows: Vec<Window>,
    /// In the order of places: window by window, lane by lane.
    pub cells: Vec<Cell>,
    /// Those that went with their lanes.
    pub dropped: Vec<Cell>,
    pub absences: Vec<Absence>,
    pub arrangements: Vec<Arrangement>,
    pub requests: Vec<Request>,
    /// The next row or cell is called this.
    pub next_key: Key,
}

impl Model {
    /// A rotation of `lanes` rows whose places are dealt at the beginning.
    pub fn new(members: Vec<Who>, lanes: usize, windows: Vec<Window>, double_cover: bool) -> Model {
        let mut model = Model {
            now: 0,
            frozen: None,
            members,
            next_turn: 0,
            double_cover,
            lanes: Vec::new(),
            windows,
            cells: Vec::new(),
            dropped: Vec::new(),
            absences: Vec::new(),
            arrangements: Vec::new(),
            requests: Vec::new(),
            next_key: lanes,
        };
        model.lay_out((0..lanes).collect());
        model.fill();
        model.judge();
        model
    }

    pub fn enabled(&self) -> bool {
        self.frozen.is_none()
    }

    fn deals_itself(&self) -> bool {
        self.enabled() && self.windows.iter().any(|window| window.cadence.is_some())
    }

    /// Gives the rotation these rows; pairs of row and window that stay keep their cell.
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

    /// Deals one place: once round the order from the next turn, past whoever is away and whoever holds another place;
    /// with double cover, where that finds nobody, past whoever is away only.
    fn deal(&mut self, place: usize) {
        for again in [false, true] {
            if again && !self.double_cover {
                return;
            }
            for step in 0..self.members.len() {
                let turn = (self.next_turn + step) % self.members.len();
                let who = self.members[turn];
                let away = |absence: &Absence| absence.who == who && absence.span.holds(self.now);
                let holds = |cell: &Cell| cell.holder.is_some_and(|(holder, _)| holder == who);
                if self.absences.iter().any(away) || (!again && self.cells.iter().any(holds)) {
                    continue;
                }
                self.cells[place].holder = Some((who, self.now));
                self.next_turn = (turn + 1) % self.members.len();
                return;
            }
        }
    }

    /// Empties places and deals them again.
    pub fn hand_over(&mut self, places: &[usize]) {
        for &place in places {
            self.cells[place].holder = None;
        }
        for &place in places {
            self.deal(place);
        }
    }

    /// An enabled rotation with a cadence leaves no place empty that can be filled.
    pub fn fill(&mut self) {
        for place in 0..self.cells.len() {
            if self.deals_itself() && self.cells[place].holder.is_none() {
                self.deal(place);
            }
        }
    }

    /// The arrangement that runs over a cell.
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

    /// Ends an arrangement now: one that has begun keeps what was served, another is cancelled.
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

    /// Ends arrangements that have lost their ground. Where one had not begun, what else was agreed by the same request and
    /// has not begun goes with it.
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

    /// The request that an arrangement was made by.
    fn agreed_by(&self, index: usize) -> Option<usize> {
        let made = |request: &Request| request.legs.iter().any(|leg| leg.made.contains(&index));
        self.requests.iter().position(made)
    }

    /// Has what is over by now be over, windows open and shut, and the record go on.
    pub fn judge(&mut self) {
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
        for window in &mut self.windows {
            window.open = window.hours.open_at(self.frozen.unwrap_or(now));
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

    /// The next minute at which anything falls due.
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
        let back = self.absences.iter().map(|absence| Some(absence.span.until));
        let pending = self.requests.iter();
        let pending = pending.filter(|request| request.state == State::Pending);
        let pending =
            pending.flat_map(|request| request.legs.iter().map(|leg| Some(leg.span.until)));
        let all = windows.chain(arranged).chain(back).chain(pending);
        all.flatten().filter(|at| *at > self.now).min()
    }

    /// Does everything that falls due at one minute; answers whether it is a change of what is shown.
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
        let before = self.shown();
        self.now = at;
        let places: Vec<usize> = (0..self.cells.len())
            .filter(|&place| due[self.cells[place].window])
            .collect();
        self.hand_over(&places);
        let back = self
            .absences
            .iter()
            .any(|absence| absence.span.until == at && self.members.contains(&absence.who));
        if due.contains(&true) || back {
            self.fill();
        }
        self.judge();
        due.contains(&true) || before != self.shown()
    }

    /// Lives up to a minute; answers at how many instants what is shown changed.
    pub fn advance(&mut self, to: Minute) -> u64 {
        let mut changes = 0;
        while let Some(at) = self.next_due().filter(|at| *at <= to) {
            changes += u64::from(self.step(at));
        }
        self.now = to;
        changes
    }

    /// What readers see of the rotation: where two are equal, its version is the same.
    pub fn shown(&self) -> Shown {
        let cell = |cell: &Cell| {
            (
                cell.key,
                cell.holder,
                self.arranged(cell),
                cell.history.last().copied(),
            )
        };
        Shown {
            enabled: self.enabled(),
            members: self.members.clone(),
            next_turn: self.next_turn,
            double_cover: self.double_cover,
            windows: self.windows.clone(),
            cells: self.cells.iter().map(cell).collect(),
            arrangements: self.arrangements.clone(),
            requests: self.requests.clone(),
        }
    }
}

type Place = (Key, Option<(Who, Minute)>, Option<usize>, Option<Past>);

/// See [`Model::shown`].
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    enabled: bool,
    members: Vec<Who>,
    next_turn: usize,
    double_cover: bool,
    windows: Vec<Window>,
    cells: Vec<Place>,
    arrangements: Vec<Arrangement>,
    requests: Vec<Request>,
}
