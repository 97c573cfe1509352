//! Dealing where missed turns are traded: what people's turns, absences and hours say to the rule in
//! [`trading`](crate::domain::trading).

use super::absent::LONGEST_LOOK;
use super::memo::Memo;
use super::{Change, DealingContext};
use crate::domain::absence::Absences;
use crate::domain::absence_policy::PassOver;
use crate::domain::books::{DealtTurn, EndedTurn, MOST_REST_HOURS, MissedTurn};
use crate::domain::dealing::{self, Missing, Question};
use crate::domain::holidays::Calendar;
use crate::domain::ids::{CellId, UserId};
use crate::domain::rotation::{Holder, NextTurn, Rotation};
use crate::domain::time::Interval;
use crate::domain::trace::Traced;
use crate::domain::trading::{
    Found, OtherTurn, Part, Place, Standing, ToCome, Which, World, round,
};
use jiff::{SignedDuration, Timestamp};
use std::sync::Arc;

/// One of the turns to come of the rotation, as if nobody were away.
#[derive(Clone, Debug)]
pub(super) struct Coming {
    owner: UserId,
    cell: usize,
    /// From the hand-over to the next.
    span: Interval,
    covered: Arc<[Interval]>,
}

/// A rotation at the instant at which a slot is dealt.
pub(super) struct Now<'a> {
    pub rotation: &'a Rotation,
    pub memo: &'a mut Memo,
    pub dealing: DealingContext<'a>,
    pub at: Timestamp,
    /// The slot.
    pub cell: usize,
    /// The slots that are dealt after it in the same change.
    pub waiting: &'a [usize],
    /// Whether somebody who is away now cannot have it, however little they would miss.
    pub here_now: bool,
    pub asked: &'a mut usize,
    /// The turn that is dealt.
    pub covered: Arc<[Interval]>,
    pub until: Timestamp,
    /// Of every line of the rotation, up to a round of each, once they are asked for.
    pub coming: Option<Vec<Coming>>,
    /// Those of them that belong to the line of the slot, in order.
    pub of_line: Vec<usize>,
}

impl World for Now<'_> {
    fn standing(&mut self, user: &UserId, turn: Which, part: Part) -> Standing {
        *self.asked += 1;
        if part != Part::Owner && self.coming.is_none() {
            self.look_ahead();
        }
        let (span, covered, window) = match turn {
            Which::Now => (
                Interval {
                    from: self.at,
                    until: self.until,
                },
                Arc::clone(&self.covered),
                self.window_of(self.cell),
            ),
            Which::ToCome(index) => {
                let coming = &self.ahead()[self.of_line[index]];
                let window = self.window_of(coming.cell);
                (coming.span, Arc::clone(&coming.covered), window)
            }
        };
        if let Some(missing) = self.missing(user, turn, span, &covered) {
            return Standing::Absent(missing);
        }
        let rest = SignedDuration::from_hours(self.rotation.dealing.rest_hours.into());
        let (mut unrested, mut touches, mut on_end) = (None, false, false);
        // Of the other turn, what is covered near this one, and when it began.
        let mut beside = |cell: &CellId, other: &[Interval], since: Timestamp| {
            let last = other.last()?;
            let apart = distance(&covered, other)?;
            let turn = || OtherTurn {
                cell: cell.clone(),
                from: since,
                until: last.until,
            };
            if apart < SignedDuration::ZERO {
                return Some(turn());
            }
            if apart < rest && unrested.is_none() {
                unrested = Some(turn());
            }
            touches |= apart.is_zero();
            None
        };
        for (cell, slot) in self.rotation.cells.iter().enumerate() {
            let holder = slot.holder.as_ref().filter(|holder| holder.user == *user);
            let Some(holder) = holder.filter(|_| cell != self.cell) else {
                continue;
            };
            let (held, hours) =
                self.memo
                    .held_turn(self.rotation, cell, self.dealing.calendar, self.at, rest);
            if let Some(elsewhere) = beside(&slot.id, &hours, holder.since) {
                return Standing::Elsewhere(elsewhere);
            }
            on_end |= slot.window == window && held.until == span.from;
        }
        for ended in self
            .rotation
            .ended
            .iter()
            .filter(|ended| ended.user == *user)
        {
            let stretch = Interval::new(ended.since, ended.covered_until);
            // It has ended, so nothing of it meets what is dealt. Where its window stayed shut nobody needs rest from it.
            if !stretch.is_empty()
                && let Some(elsewhere) = beside(&ended.cell, &[stretch], ended.since)
            {
                return Standing::Elsewhere(elsewhere);
            }
            on_end |= turn == Which::Now
                && ended.window == self.rotation.windows[window].id
                && ended.handed_over_at.is_some();
        }
        if part != Part::Owner {
            let asked = match turn {
                Which::ToCome(index) => Some(self.of_line[index]),
                Which::Now => None,
            };
            for (index, coming) in self.ahead().iter().enumerate() {
                if coming.owner != *user || asked == Some(index) {
                    continue;
                }
                let cell = &self.rotation.cells[coming.cell];
                if let Some(elsewhere) = beside(&cell.id, &coming.covered, coming.span.from) {
                    return Standing::Elsewhere(elsewhere);
                }
                let next = coming.span.until == span.from || coming.span.from == span.until;
                on_end |= cell.window == window && next;
            }
        }
        match unrested {
            Some(cell) => Standing::Unrested(cell),
            None if touches || on_end => Standing::Rested,
            None => Standing::Free,
        }
    }

    fn to_come(&mut self, _: &NextTurn) -> Vec<ToCome> {
        if self.coming.is_none() {
            self.look_ahead();
        }
        let of_line = self.of_line.iter();
        let turns = of_line.map(|index| {
            let coming = &self.ahead()[*index];
            ToCome {
                owner: coming.owner.clone(),
                cell: self.rotation.cells[coming.cell].id.clone(),
                from: coming.span.from,
            }
        });
        turns.collect()
    }

    fn last_resort(&mut self, first: usize, found: &mut Found) -> Option<UserId> {
        let (rotation, at) = (self.rotation, self.at);
        let roster = rotation.roster_index(rotation.cells[self.cell].roster.as_ref());
        let order = self.memo.order(rotation, roster);
        let span = Interval {
            from: at,
            until: self.until,
        };
        let mut steps = Vec::new();
        let covered = Arc::clone(&self.covered);
        let (absences, here_now) = (self.dealing.absences, self.here_now);
        let (asked, memo, calendar, cell) = (
            &mut *self.asked,
            &mut *self.memo,
            self.dealing.calendar,
            self.cell,
        );
        let search = dealing::deal(&mut Question {
            order: &order.people,
            next_turn: first,
            double_cover: rotation.double_cover,
            away: &mut |user| {
                *asked += 1;
                let now = away_now(rotation, absences, user, at, here_now);
                now.or_else(|| away_during(rotation, absences, user, span, &covered, asked))
            },
            elsewhere: &mut |user| {
                let slot = memo.in_the_way(rotation, calendar, cell, user, at)?;
                Some(rotation.cells[slot].id.clone())
            },
            trace: Some(&mut steps),
        });
        for skipped in search.skipped {
            if found.skipped.iter().all(|known| known.user != skipped.user) {
                found.skipped.push(skipped);
            }
        }
        for passed in search.passed_over {
            if found
                .passed_over
                .iter()
                .all(|known| known.user != passed.user)
            {
                found.passed_over.push(passed);
            }
        }
        let levels = steps.into_iter();
        let is_level = |step: &Traced| matches!(step, Traced::DoubleCover | Traced::LeastAbsent);
        found.steps.extend(levels.filter(is_level));
        search.dealt.map(|dealt| dealt.user)
    }
}

impl Now<'_> {
    fn window_of(&self, cell: usize) -> usize {
        self.rotation.cells[cell].window
    }

    fn ahead(&self) -> &[Coming] {
        self.coming.as_deref().unwrap_or_default()
    }

    fn missing(
        &mut self,
        user: &UserId,
        turn: Which,
        span: Interval,
        covered: &[Interval],
    ) -> Option<Missing> {
        let absences = self.dealing.absences;
        let here_now = turn == Which::Now && self.here_now;
        let now = away_now(self.rotation, absences, user, span.from, here_now);
        now.or_else(|| away_during(self.rotation, absences, user, span, covered, self.asked))
    }

    /// Runs whose turn it is ahead, as if nobody were away: up to a round of each line.
    fn look_ahead(&mut self) {
        let rotation = self.rotation;
        let mut coming = Vec::new();
        let mut of_line = Vec::new();
        let here = &rotation.cells[self.cell];
        for roster in &rotation.rosters {
            let index = rotation.roster_index(roster.id.as_ref());
            let order = self.memo.order(rotation, index);
            let round = round(&order.people, &rotation.dealing);
            for line in &roster.next_turns {
                let windows = rotation.windows.iter();
                let Some(window) = windows.clone().position(|window| window.id == line.window)
                else {
                    continue;
                };
                let is_here = here.window == window && here.roster == roster.id;
                let deals = |cell: &usize| {
                    let cell = &rotation.cells[*cell];
                    cell.window == window && cell.roster == roster.id && !cell.stopped
                };
                let cells: Vec<usize> = (0..rotation.cells.len()).filter(deals).collect();
                let mut line = line.clone();
                let first = coming.len();
                let mut from = self.at;
                let mut places: Vec<usize> = self.waiting.iter().copied().filter(deals).collect();
                while coming.len() - first < round {
                    let until =
                        self.memo
                            .next_hand_over(rotation, window, self.dealing.calendar, from);
                    let covered = self.memo.covered_of(
                        rotation,
                        window,
                        self.dealing.calendar,
                        Interval {
                            from,
                            until: until.unwrap_or(from),
                        },
                    );
                    for cell in places.drain(..).take(round - (coming.len() - first)) {
                        let Some((turn, _)) = line.next_owner(&order.people, &rotation.dealing)
                        else {
                            break;
                        };
                        if is_here {
                            of_line.push(coming.len());
                        }
                        coming.push(Coming {
                            owner: order.people[turn].user.clone(),
                            cell,
                            span: Interval {
                                from,
                                until: until.unwrap_or(Timestamp::MAX),
                            },
                            covered: Arc::clone(&covered),
                        });
                        *self.asked += 1;
                    }
                    let Some(next) = until else {
                        break;
                    };
                    if cells.is_empty() {
                        break;
                    }
                    from = next;
                    places.clone_from(&cells);
                }
            }
        }
        self.coming = Some(coming);
        self.of_line = of_line;
    }
}

/// Why somebody is away at the beginning of a turn, where that is what counts.
fn away_now(
    rotation: &Rotation,
    absences: &Absences,
    user: &UserId,
    at: Timestamp,
    here_now: bool,
) -> Option<Missing> {
    let counts = here_now || rotation.absence_policy.pass_over == PassOver::AtHandOver;
    let absence = counts.then(|| absences.at(user, at)).flatten()?;
    Some(Missing {
        absence,
        partly: None,
    })
}

/// Whether somebody is absent for a turn, by the rotation's policy: where they are when it is handed over, else in a covered part
/// of it. Both are in order.
pub fn is_absent(
    rotation: &Rotation,
    absences: &Absences,
    user: &UserId,
    (turn, covered): (Interval, &[Interval]),
) -> bool {
    away_now(rotation, absences, user, turn.from, false).is_some()
        || away_during(rotation, absences, user, turn, covered, &mut 0).is_some()
}

/// Why somebody is away in a covered part of a turn, where that is what counts.
fn away_during(
    rotation: &Rotation,
    absences: &Absences,
    user: &UserId,
    span: Interval,
    covered: &[Interval],
    asked: &mut usize,
) -> Option<Missing> {
    if rotation.absence_policy.pass_over == PassOver::AtHandOver {
        return None;
    }
    super::absent::CoveredTurn::new(span, covered).missing(absences, user, asked)
}

/// How far apart two lists of stretches are at the nearest, each in order: below zero where they meet. `None` where one is empty.
fn distance(one: &[Interval], other: &[Interval]) -> Option<SignedDuration> {
    let (mut i, mut j) = (0, 0);
    let mut nearest: Option<SignedDuration> = None;
    while let (Some(a), Some(b)) = (one.get(i), other.get(j)) {
        let apart = if a.until <= b.from {
            b.from.duration_since(a.until)
        } else if b.until <= a.from {
            a.from.duration_since(b.until)
        } else {
            return Some(SignedDuration::from_secs(-1));
        };
        nearest = Some(nearest.map_or(apart, |nearest| nearest.min(apart)));
        if a.until <= b.until {
            i += 1;
        } else {
            j += 1;
        }
    }
    nearest
}

impl Change<'_> {
    /// Whether missed turns are traded.
    pub(super) fn trades(&self) -> bool {
        self.rotation.dealing.missed_turn == MissedTurn::Traded
    }

    /// Finds who takes a slot whose missed turns are traded, and moves the line on. Where nobody is found for a slot that stands
    /// empty between hand-overs, the line stays as it was: the turn has been counted already.
    pub(super) fn trade(
        &mut self,
        cell: usize,
        roster: usize,
        waiting: &[usize],
        [here_now, hands_over]: [bool; 2],
    ) -> Found {
        let window = self.rotation.cells[cell].window;
        let calendar = self.dealing.calendar;
        let until = self
            .memo
            .turn_ends(self.rotation, window, calendar, self.at);
        let farthest = self
            .at
            .saturating_add(LONGEST_LOOK)
            .unwrap_or(Timestamp::MAX);
        let span = Interval {
            from: self.at,
            until: until.min(farthest),
        };
        let covered = self.memo.covered_of(self.rotation, window, calendar, span);
        let order = self.memo.order(self.rotation, roster);
        let id = self.rotation.cells[cell].id.clone();
        let line_window = self.rotation.windows[window].id.clone();
        let lines = &self.rotation.rosters[roster].next_turns;
        let Some(line) = lines.iter().position(|line| line.window == line_window) else {
            return Found::default();
        };
        let before = lines[line].clone();
        let mut next = before.clone();
        let dealing = self.rotation.dealing.clone();
        let place = Place {
            order: &order.people,
            dealing: &dealing,
            cell: &id,
            from: self.at,
            until,
        };
        let relieved = self.relieved.iter().find(|(left, _)| *left == cell);
        let relieved = relieved.map(|(_, absence)| absence.clone());
        // Whose turn it is comes first, so what lies ahead is seen from after it.
        if relieved.is_none() {
            let mut moved = next.clone();
            moved.next_owner(&order.people, &dealing);
            self.rotation.rosters[roster].next_turns[line] = moved;
        }
        let mut now = Now {
            rotation: &*self.rotation,
            memo: &mut self.memo,
            dealing: self.dealing,
            at: self.at,
            cell,
            waiting,
            here_now,
            asked: &mut self.asked,
            covered,
            until,
            coming: None,
            of_line: Vec::new(),
        };
        let found = match &relieved {
            None => next.deal(&place, &mut now),
            Some(holder) => next.relieve(&place, holder, &mut now),
        };
        self.rotation.rosters[roster].next_turns[line] = match found.dealt {
            None if !hands_over => before,
            _ => next,
        };
        found
    }

    /// Keeps in mind that somebody's turn ends now, as long as rest counts from it.
    pub(super) fn note_ended(&mut self, cell: usize, holder: &Holder, by_hand_over: bool) {
        let window = self.rotation.cells[cell].window;
        let at = self.at;
        let longest = SignedDuration::from_hours(MOST_REST_HOURS.into());
        let lately = at.saturating_sub(longest).unwrap_or(Timestamp::MIN);
        let held = Interval {
            from: holder.since,
            until: at,
        };
        let hours = self.rotation.hours(&self.rotation.windows[window]);
        let covered_until = hours.open_until(self.dealing.calendar, held);
        let mut ended = EndedTurn {
            window: self.rotation.windows[window].id.clone(),
            cell: self.rotation.cells[cell].id.clone(),
            user: holder.user.clone(),
            since: holder.since,
            covered_until: covered_until.unwrap_or(holder.since),
            handed_over_at: by_hand_over.then_some(at),
        };
        // Of the turns that somebody had in a window, the last one decides.
        let of = |one: &EndedTurn| {
            (
                one.window.clone(),
                one.user.clone(),
                one.handed_over_at.is_some(),
            )
        };
        let whose = of(&ended);
        // Rest counts from the latest covered time, also where a turn that was never covered came after it.
        let known = self.rotation.ended.iter();
        let covered = known.filter(|known| of(known) == whose && known.covered_until > known.since);
        if let Some(known) = covered.max_by_key(|known| known.covered_until)
            && (ended.covered_until <= ended.since || ended.covered_until < known.covered_until)
        {
            (ended.since, ended.covered_until) = (known.since, known.covered_until);
            ended.cell = known.cell.clone();
        }
        self.rotation.ended.retain(|known| of(known) != whose);
        self.rotation.ended.push(ended);
        let ended = &mut self.rotation.ended;
        ended.retain(|known| known.covered_until >= lately || known.handed_over_at.is_some());
    }

    /// Notes that a window is handed over now: the turns before in it are those that end by this.
    pub(super) fn note_handed_over(&mut self, cell: usize) {
        let (window, at) = (self.rotation.cells[cell].window, self.at);
        let window = &self.rotation.windows[window].id;
        for ended in &mut self.rotation.ended {
            if ended.window == *window && ended.handed_over_at != Some(at) {
                ended.handed_over_at = None;
            }
        }
    }
}

/// Of a search, the turn as its holder keeps it.
pub(super) fn dealt_turn(found: &Found) -> Option<DealtTurn> {
    let owner = found.owner.clone()?;
    let (_, dealt) = found.dealt.as_ref()?;
    let paid_back = found.steps.iter().find_map(|step| match step {
        Traced::Repayment { since, .. } => Some(*since),
        _ => None,
    });
    Some(DealtTurn {
        owner,
        dealt: *dealt,
        since: paid_back,
    })
}

impl Memo {
    /// The first hand-over of a window after an instant that may lie ahead.
    fn next_hand_over(
        &mut self,
        rotation: &Rotation,
        window: usize,
        calendar: &Calendar,
        after: Timestamp,
    ) -> Option<Timestamp> {
        if let Some(known) = self.ahead.next.get(&(window, after)) {
            return *known;
        }
        let cadence = rotation.windows[window].cadence.as_ref()?;
        let next = cadence.next(calendar, after);
        self.ahead.make_room();
        self.ahead.next.insert((window, after), next);
        next
    }

    /// What is covered of a span of a window.
    fn covered_of(
        &mut self,
        rotation: &Rotation,
        window: usize,
        calendar: &Calendar,
        span: Interval,
    ) -> Arc<[Interval]> {
        let key = (window, span.from, span.until);
        if let Some(known) = self.ahead.covered.get(&key) {
            return Arc::clone(known);
        }
        let hours = rotation.hours(&rotation.windows[window]);
        let covered: Arc<[Interval]> = match hours.always_open() {
            true => [span].into(),
            false => hours.open_between(calendar, span).into(),
        };
        self.ahead.make_room();
        self.ahead.covered.insert(key, Arc::clone(&covered));
        covered
    }

    /// What is left of a held turn and what has just passed of it, with its covered time.
    fn held_turn(
        &mut self,
        rotation: &Rotation,
        cell: usize,
        calendar: &Calendar,
        at: Timestamp,
        rest: SignedDuration,
    ) -> (Interval, Arc<[Interval]>) {
        let slot = &rotation.cells[cell];
        let until = self.turn_ends(rotation, slot.window, calendar, at);
        let since = slot.holder.as_ref().map_or(at, |holder| holder.since);
        // Also where no rest is due, hours that end now are on end with those that begin now.
        let lately = at.saturating_sub(rest.max(SignedDuration::from_secs(1)));
        let lately = lately.unwrap_or(Timestamp::MIN);
        let span = Interval {
            from: since.max(lately).min(at),
            until,
        };
        (span, self.covered_of(rotation, slot.window, calendar, span))
    }
}
