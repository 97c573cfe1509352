//! Random worlds beside a second implementation, which steps the rotation through every half hour and writes down who has each cell.

use super::*;
use crate::domain::arrangement::Arranged;
use crate::domain::forecast::{Forecast, Limits};
use crate::domain::resolve::{self, Hold};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

const HALF_HOUR: SignedDuration = SignedDuration::from_mins(30);

/// Ticks of the range: two weeks.
const TICKS: usize = 48 * 14;

/// The week before the clocks go forward in Oslo, and the one in which they do.
const FROM: &str = "2026-03-18T10:00:00Z";

/// Who has a cell at one tick.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Now {
    user: Option<UserId>,
    dealt_at: Option<Timestamp>,
    is_open: bool,
}

impl Now {
    fn on_call(&self) -> Option<&UserId> {
        self.user.as_ref().filter(|_| self.is_open)
    }
}

/// What somebody holds of one dealt turn of a cell.
type Share = (usize, Option<Timestamp>, UserId);

struct World {
    rotation: Rotation,
    absences: Absences,
    around: Around,
    elsewhere: Vec<Elsewhere>,
    /// Tick by tick, cell by cell.
    ticks: Vec<Vec<Now>>,
}

impl World {
    fn at(&self, tick: usize) -> Timestamp {
        at(FROM) + HALF_HOUR * tick as i32
    }

    fn is_away(&self, user: &UserId, tick: usize) -> bool {
        let now = self.at(tick);
        self.absences.of(user).any(|away| away.period.contains(now))
    }

    fn is_elsewhere(&self, user: &UserId, tick: usize) -> bool {
        let now = self.at(tick);
        let mut theirs = self.elsewhere.iter().filter(|there| there.user == *user);
        theirs.any(|there| there.period.contains(now))
    }

    fn share(&self, tick: usize, cell: usize) -> Option<Share> {
        let now = &self.ticks[tick][cell];
        Some((cell, now.dealt_at, now.user.clone()?))
    }

    fn cells(&self) -> std::ops::Range<usize> {
        0..self.rotation.cells.len()
    }

    /// Which ticks the warnings of a kind cover, by cell and people.
    fn covered(&self, found: &[Warning], kind: WarningKind) -> BTreeSet<(usize, String, usize)> {
        let mut covered = BTreeSet::new();
        for warning in found.iter().filter(|warning| warning.kind == kind) {
            let cell = warning
                .cell
                .as_ref()
                .and_then(|cell| self.rotation.slot_of(cell));
            let who = warning.users.iter().map(UserId::as_str).collect::<String>();
            for tick in (0..TICKS).filter(|tick| warning.period.contains(self.at(*tick))) {
                covered.insert((cell.expect("a cell"), who.clone(), tick));
            }
        }
        covered
    }

    /// The ticks at which something is wrong in a cell, by the people concerned.
    fn wrong(
        &self,
        is_wrong: impl Fn(usize, usize, &Now) -> Option<String>,
    ) -> BTreeSet<(usize, String, usize)> {
        let mut wrong = BTreeSet::new();
        for (tick, cells) in self.ticks.iter().enumerate() {
            for (cell, now) in cells.iter().enumerate() {
                wrong.extend(is_wrong(tick, cell, now).map(|who| (cell, who, tick)));
            }
        }
        wrong
    }

    /// The same, joined over ticks at which the cell is shut.
    fn joined(&self, wrong: &BTreeSet<(usize, String, usize)>) -> BTreeSet<(usize, String, usize)> {
        let mut joined = wrong.clone();
        for (cell, who, tick) in wrong {
            let mut shut = (tick + 1..TICKS).take_while(|next| !self.ticks[*next][*cell].is_open);
            let last = shut.by_ref().last().unwrap_or(*tick);
            if wrong.contains(&(*cell, who.clone(), last + 1)) {
                joined.extend((*tick..=last).map(|tick| (*cell, who.clone(), tick)));
            }
        }
        joined
    }

    fn nobody(&self) -> BTreeSet<(usize, String, usize)> {
        self.wrong(|_, _, now| (now.is_open && now.user.is_none()).then(String::new))
    }

    fn no_fallback(&self) -> BTreeSet<(usize, String, usize)> {
        self.wrong(|tick, cell, now| {
            let user = now.on_call()?;
            let mut others = self
                .rotation
                .members
                .users
                .iter()
                .filter(|other| *other != user);
            let is_free = |other: &UserId| {
                let cells = self.cells().filter(|there| *there != cell);
                let mut busy = cells.map(|there| self.ticks[tick][there].on_call());
                let is_busy = !self.rotation.double_cover && busy.any(|busy| busy == Some(other));
                !is_busy && !self.is_away(other, tick)
            };
            (!others.any(is_free)).then(|| user.to_string())
        })
    }

    fn absent(&self) -> BTreeSet<(usize, String, usize)> {
        self.wrong(|tick, _, now| {
            let user = now.on_call()?;
            self.is_away(user, tick).then(|| user.to_string())
        })
    }

    fn double(&self) -> BTreeSet<(usize, String, usize)> {
        self.wrong(|tick, _, now| {
            let user = now.on_call()?;
            self.is_elsewhere(user, tick).then(|| user.to_string())
        })
    }

    /// Chains of turns on end: person, from, until.
    fn chains(&self) -> Vec<(UserId, usize, usize)> {
        let mut on_call: BTreeMap<Share, (usize, usize)> = BTreeMap::new();
        for tick in 0..TICKS {
            for cell in self.cells().filter(|cell| self.ticks[tick][*cell].is_open) {
                if let Some(share) = self.share(tick, cell) {
                    let span = on_call.entry(share).or_insert((tick, tick + 1));
                    span.1 = tick + 1;
                }
            }
        }
        let mut chains: Vec<(Vec<Share>, usize, usize)> = on_call
            .iter()
            .map(|(share, (from, until))| (vec![share.clone()], *from, *until))
            .collect();
        let has = |tick: usize, share: &Share, open: bool| {
            let now = &self.ticks[tick][share.0];
            self.share(tick, share.0).as_ref() == Some(share) && (now.is_open || !open)
        };
        let first = |share: &Share| (0..TICKS).find(|tick| has(*tick, share, false));
        let last = |share: &Share| (0..TICKS).rfind(|tick| has(*tick, share, false));
        let mut links = Vec::new();
        for one in on_call.keys() {
            for other in on_call
                .keys()
                .filter(|other| *other != one && other.2 == one.2)
            {
                let by_hand_over = last(one).map(|last| last + 1) == first(other);
                let on_call = (1..TICKS).any(|tick| {
                    has(tick - 1, one, true)
                        && !has(tick, one, true)
                        && has(tick, other, true)
                        && !has(tick - 1, other, true)
                });
                if by_hand_over || on_call {
                    links.push((one.clone(), other.clone()));
                }
            }
        }
        for (one, other) in links {
            let place = |share: &Share, chains: &[(Vec<Share>, usize, usize)]| {
                chains
                    .iter()
                    .position(|(shares, _, _)| shares.contains(share))
            };
            let (Some(a), Some(b)) = (place(&one, &chains), place(&other, &chains)) else {
                continue;
            };
            if a != b {
                let gone = chains.remove(a.max(b));
                let kept = &mut chains[a.min(b)];
                kept.0.extend(gone.0);
                (kept.1, kept.2) = (kept.1.min(gone.1), kept.2.max(gone.2));
            }
        }
        let told = chains.into_iter().filter(|(shares, _, _)| shares.len() > 1);
        let mut told: Vec<_> = told
            .map(|(shares, from, until)| (shares[0].2.clone(), from, until))
            .collect();
        told.sort();
        told
    }

    /// Ends of duty, anywhere, after which somebody here rests too little.
    fn short_rests(&self) -> BTreeSet<(UserId, usize)> {
        let due = 2 * self.rotation.profile.warnings.short_rest_hours as usize;
        let mut found = BTreeSet::new();
        for user in &self.rotation.members.users {
            // Which turns they are on call in: those here, and those elsewhere by number.
            let places = |tick: usize| -> BTreeSet<(Option<Share>, u32)> {
                let cells = self
                    .cells()
                    .filter(|cell| self.ticks[tick][*cell].on_call() == Some(user));
                let here = cells.map(|cell| (self.share(tick, cell), 0));
                let now = self.at(tick);
                let there = self.elsewhere.iter().filter(|there| there.user == *user);
                let there = there.filter(|there| there.period.contains(now));
                here.chain(there.map(|there| (None, there.turn + 1)))
                    .collect()
            };
            let mut ended: Option<(usize, BTreeSet<_>)> = None;
            let mut before = BTreeSet::new();
            for tick in 0..TICKS {
                let now = places(tick);
                let starting: BTreeSet<_> = now.difference(&before).cloned().collect();
                let stopped: BTreeSet<_> = before.difference(&now).cloned().collect();
                // Nobody of whom something goes on has a rest.
                let goes_on = before.intersection(&now).next().is_some();
                if !before.is_empty() && !stopped.is_empty() && !goes_on {
                    ended = Some((tick, stopped));
                }
                if let Some((end, stopped)) = &ended
                    && !starting.is_empty()
                    && before.is_empty() | (*end == tick)
                    && tick - end < due
                {
                    let pair = stopped.iter().any(|one| {
                        starting.iter().any(|other| {
                            let is_here = one.0.is_some() || other.0.is_some();
                            let on_end = tick == *end && one.0.is_some() && other.0.is_some();
                            one != other && is_here && !on_end
                        })
                    });
                    if pair {
                        found.insert((user.clone(), *end));
                    }
                }
                before = now;
            }
        }
        found
    }

    fn unfair(&self) -> Vec<UserId> {
        let share = |user: &UserId| {
            let has = |cells: &&Vec<Now>| cells.iter().any(|now| now.on_call() == Some(user));
            self.ticks.iter().filter(has).count()
        };
        let members = &self.rotation.members.users;
        let total: usize = members.iter().map(share).sum();
        let over = members
            .iter()
            .filter(|user| 2 * members.len() * share(user) > 3 * total);
        over.cloned().collect()
    }

    /// Turns with a night that is day for somebody else: first and last tick of such nights.
    fn nights(&self) -> BTreeSet<(UserId, usize, usize)> {
        let is_night = |user: &UserId, tick: usize| {
            let zone = self.around.people[user].zone.expect("a zone");
            !(6..22).contains(&zone.tz().to_datetime(self.at(tick)).hour())
        };
        let mut found: BTreeMap<Share, (usize, usize)> = BTreeMap::new();
        for cell in self.cells() {
            let mut tick = 0;
            while tick < TICKS {
                let share = self.share(tick, cell);
                let is = |tick: usize| {
                    self.share(tick, cell) == share
                        && self.ticks[tick][cell].is_open
                        && share.as_ref().is_some_and(|share| is_night(&share.2, tick))
                };
                let end = (tick..TICKS).find(|tick| !is(*tick)).unwrap_or(TICKS);
                if end > tick
                    && let Some(share) = share.clone()
                {
                    let mut others = self.rotation.members.users.iter();
                    let by_day = others.any(|other| {
                        *other != share.2 && (tick..end).all(|tick| !is_night(other, tick))
                    });
                    if by_day {
                        let span = found.entry(share).or_insert((tick, end));
                        span.1 = end;
                    }
                }
                tick = end.max(tick + 1);
            }
        }
        let found = found.into_iter();
        found
            .map(|(share, (from, until))| (share.2, from, until))
            .collect()
    }

    fn is_uncovered(&self, week: usize) -> bool {
        let ticks = week * 336..(week + 1) * 336;
        let covered = ticks.filter(|tick| self.ticks[*tick].iter().any(|now| now.is_open));
        (320..336).contains(&covered.count())
    }
}

/// Steps the rotation through all ticks.
fn walked(rotation: &Rotation, absences: &Absences) -> Vec<Vec<Now>> {
    let calendar = Calendar::embedded();
    let dealing = DealingContext {
        calendar: &calendar,
        absences,
    };
    let mut future = rotation.clone();
    let mut forecast = Forecast::new(&mut future, dealing, Limits::NONE);
    let ticks = (0..TICKS).map(|tick| {
        let now = at(FROM) + HALF_HOUR * tick as i32;
        while forecast.step_until(now).is_some() {}
        let then = forecast.rotation();
        let cell = |cell: &crate::domain::rotation::Cell| Now {
            user: resolve::holder(then, cell).map(Hold::user).cloned(),
            dealt_at: cell.holder.as_ref().map(|holder| holder.since),
            is_open: then.windows[cell.window].open,
        };
        then.cells.iter().map(cell).collect()
    });
    ticks.collect()
}

/// Hours on half hours, and a cadence on one.
fn windows() -> impl Strategy<Value = (Cadence, Vec<Stretch>)> {
    let half_hour = |n: u32| format!("{:02}:{:02}", n / 2, n % 2 * 30);
    let day = |n: i8| Weekday::from_monday_zero_offset(n).expect("a day");
    let stretches = prop::collection::vec((0..7_i8, 0..48_u32, 0..7_i8, 0..48_u32), 0..4);
    let begun = (0..4_u8, 0..7_i64, 0..48_i32);
    (stretches, begun).prop_map(move |(stretches, (kind, late, start))| {
        let stretches = stretches.into_iter().map(|(from, start, until, end)| {
            stretch(day(from), &half_hour(start), day(until), &half_hour(end))
        });
        let begins =
            at("2026-03-09T00:00:00Z") + SignedDuration::from_hours(24 * late) + HALF_HOUR * start;
        let kind = match kind {
            0 => daily(&["08:00", "20:30"], "Europe/Oslo").kind,
            1 => daily(&["02:30"], "Europe/Oslo").kind,
            2 => Kind::DaysOfWeekList(vec![Weekday::Monday, Weekday::Thursday]),
            _ => Kind::DayOfWeek,
        };
        let cadence = cadence(kind, "Europe/Oslo", &begins.to_string());
        (cadence, stretches.collect())
    })
}

const ZONES: [&str; 4] = [
    "Europe/Oslo",
    "Australia/Sydney",
    "America/New_York",
    "Asia/Kolkata",
];

proptest! {
    #![proptest_config(crate::tests::cases(60))]

    /// Over the change to summer time too, which is on 29 March.
    /// rules.md 27.1 and 27.2.
    #[test]
    fn warnings_are_what_a_walk_through_time_finds(
        people in 0..5_usize,
        lanes in 1..3_usize,
        hours in prop::collection::vec(windows(), 1..3),
        double_cover in any::<bool>(),
        rest in 1..14_u32,
        absent in prop::collection::vec((0..5_usize, -50..600_i32, 1..300_i32), 0..4),
        there in prop::collection::vec((0..5_usize, 0..600_i32, 1..60_i32), 0..6),
        taken in prop::collection::vec((0..5_usize, 0..4_usize, 1..600_i32, 1..80_i32), 0..3),
        zones in prop::collection::vec(0..4_usize, 5),
    ) {
        let tick = |n: i32| at(FROM) + HALF_HOUR * n;
        let span = |from: i32, length: i32| Interval { from: tick(from), until: tick(from + length) };
        let absences = Absences::new(absent.into_iter()
            .filter(|(who, _, _)| *who < people)
            .map(|(who, from, length)| (user(who), span(from, length)))
            .collect());
        let mut here = rotation(people, lanes, hours, FROM, &absences);
        here.double_cover = double_cover;
        here.profile.warnings.short_rest_hours = rest;
        for (who, cell, from, length) in taken {
            let cell = here.cells[cell % here.cells.len()].id.clone();
            let period = span(from, length);
            let overlaps = |arranged: &Arranged| arranged.cell == cell && arranged.period.meets(period).is_some();
            if who < people && !here.arranged.iter().any(overlaps) {
                let id = format!("arr_{}", here.arranged.len()).as_str().into();
                here.arranged.push(Arranged { id, cell, user: user(who), period, running: false, request: None });
            }
        }
        here.arranged.sort_by_key(|arranged| arranged.period.from);
        let mut around = around(&here);
        for (known, zone) in around.people.values_mut().zip(&zones) {
            known.zone = ZoneName::parse(ZONES[*zone]).ok();
        }
        // What one person has in the other rotation does not overlap.
        let mut elsewhere: Vec<Elsewhere> = Vec::new();
        for (turn, (who, from, length)) in (0..).zip(there) {
            let there = Elsewhere { user: user(who), turn, period: span(from, length), named: Some("Payments") };
            let joins = |one: &Elsewhere| {
                let touches = one.period.from <= there.period.until && there.period.from <= one.period.until;
                one.user == there.user && touches
            };
            if !elsewhere.iter().any(joins) {
                elsewhere.push(there);
            }
        }
        let ticks = walked(&here, &absences);
        let range = span(0, TICKS as i32);
        let found = find_beside(&here, &absences, (&around, &elsewhere), range);
        let world = World { rotation: here, absences, around, elsewhere, ticks };
        let covered = |kind| world.covered(&found, kind);

        prop_assert_eq!(covered(WarningKind::Nobody), world.nobody());
        prop_assert_eq!(covered(WarningKind::DoubleDuty), world.double());
        prop_assert_eq!(covered(WarningKind::NoFallback), world.joined(&world.no_fallback()));
        prop_assert_eq!(covered(WarningKind::AbsentOnDuty), world.joined(&world.absent()));
        let number = |at: Timestamp| (at.duration_since(tick(0)).as_mins() / 30) as usize;
        let spans = |kind: WarningKind| {
            let of_kind = found.iter().filter(move |warning| warning.kind == kind);
            of_kind.map(|one| (one.users[0].clone(), number(one.period.from), number(one.period.until)))
        };
        let mut chains: Vec<_> = spans(WarningKind::BackToBack).collect();
        chains.sort();
        prop_assert_eq!(chains, world.chains());
        let rests: BTreeSet<_> = spans(WarningKind::ShortRest).map(|(user, end, _)| (user, end)).collect();
        prop_assert_eq!(rests, world.short_rests());
        let unfair: Vec<UserId> = spans(WarningKind::Unfair).map(|(user, _, _)| user).collect();
        prop_assert_eq!(unfair, world.unfair());
        let nights: BTreeSet<_> = spans(WarningKind::NightWork).collect();
        prop_assert_eq!(nights, world.nights());
        let uncovered = found.iter().any(|one| one.kind == WarningKind::Uncovered);
        prop_assert_eq!(uncovered, world.is_uncovered(0) || world.is_uncovered(1));
        let empty = found.iter().any(|one| one.kind == WarningKind::EmptyRoster);
        prop_assert_eq!(empty, people == 0);
        let mut clocks: BTreeSet<Timestamp> = BTreeSet::new();
        for window in &world.rotation.windows {
            let Some(cadence) = &window.cadence else { continue };
            let calendar = Calendar::embedded();
            let due = cadence.hand_overs(&calendar, range.from).take_while(|at| *at < range.until);
            // In these weeks the only local times that do not exist are those from two to three on one night.
            let night = at("2026-03-29T01:00:00Z");
            let times = match &cadence.kind {
                Kind::Daily { times } => times.iter().map(|time| time.civil()).collect(),
                _ => vec![cadence.anchor().time()],
            };
            clocks.extend(due.filter(|at| {
                let wanted = cadence.zone.tz().to_datetime(*at).time().saturating_sub(SignedDuration::from_hours(1));
                (night..night + SignedDuration::from_hours(1)).contains(at) && times.contains(&wanted)
            }));
        }
        let told: BTreeSet<Timestamp> = found.iter()
            .filter(|one| one.kind == WarningKind::ClockChange)
            .map(|one| one.period.from)
            .collect();
        prop_assert_eq!(told, clocks);
        prop_assert!(found.iter().all(|one| !one.period.is_empty() && one.period.meets(range) == Some(one.period)));
    }
}
