//! When people are on call in the rotations of a workspace. Each person's duty is sorted once, however many rotations are looked at.

use crate::domain::forecast::Held;
use crate::domain::ids::{RotationId, UserId};
use crate::domain::time::{Interval, joined};
use crate::domain::warning_kinds::MOST_REST_HOURS;
use jiff::{SignedDuration, Timestamp};
use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;

/// When people are on call in rotations, as planned.
#[derive(Clone, Debug, Default)]
pub struct Duty {
    rotations: Vec<Listed>,
    indices: HashMap<RotationId, u32>,
    people: BTreeMap<UserId, Person>,
}

/// A rotation of which duty is known.
#[derive(Clone, Debug)]
struct Listed {
    id: RotationId,
    /// Its name, where the reader may see it.
    named: Option<Arc<str>>,
}

/// A turn of a rotation: stretches of one turn have the same number, however often its window shuts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    /// Index into the rotations.
    pub rotation: u32,
    pub turn: u32,
    /// Index into the cells of the rotation.
    pub cell: u32,
}

/// A stretch of one turn on call.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    period: Interval,
    place: Place,
}

/// One person on call in one rotation, or in those that the reader may not see, for as long as that goes on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub period: Interval,
    /// Index into the rotations; `None` for those that the reader may not see.
    pub rotation: Option<u32>,
}

/// A time between two turns of one person, in which they are on call nowhere; empty where one begins when the other ends.
#[derive(Clone, Debug)]
pub(super) struct Rest {
    pub period: Interval,
    /// The turns that end when it begins, by the ids of their rotations.
    pub before: Vec<Place>,
    /// The turns that begin when it ends, in the same order.
    pub after: Vec<Place>,
}

/// One person's duty, and what has been found out about it.
#[derive(Clone, Debug, Default)]
struct Person {
    stretches: Vec<Stretch>,
    runs: OnceCell<Vec<Run>>,
    rests: OnceCell<Vec<Rest>>,
}

impl Duty {
    /// Adds the duty in a rotation of those people for whom `counts`, in place of what was known of it. It is `named` where the
    /// reader may see it.
    pub fn add(
        &mut self,
        id: &RotationId,
        named: Option<&str>,
        held: &[Held],
        counts: impl Fn(&UserId) -> bool,
    ) {
        let rotation = self.index(id, named);
        let mut turns: BTreeMap<(&UserId, Place), Vec<Interval>> = BTreeMap::new();
        for (turn, held) in numbered(held).into_iter().zip(held) {
            if let Some(user) = held.on_call().filter(|user| counts(user)) {
                let place = Place {
                    rotation,
                    turn: turn as u32,
                    cell: held.cell as u32,
                };
                turns.entry((user, place)).or_default().push(held.period);
            }
        }
        for ((user, place), periods) in turns {
            self.put(user, place, joined(periods));
        }
    }

    /// The index of a rotation of which nothing is known, or nothing any longer.
    fn index(&mut self, id: &RotationId, named: Option<&str>) -> u32 {
        let named = named.map(Arc::from);
        if let Some(&index) = self.indices.get(id) {
            self.rotations[index as usize].named = named;
            for person in self.people.values_mut() {
                person.forget(index);
            }
            return index;
        }
        let index = self.rotations.len() as u32;
        let id = id.clone();
        self.indices.insert(id.clone(), index);
        self.rotations.push(Listed { id, named });
        index
    }

    fn put(&mut self, user: &UserId, place: Place, periods: Vec<Interval>) {
        let person = match self.people.get_mut(user) {
            Some(person) => person,
            None => self.people.entry(user.clone()).or_default(),
        };
        let stretches = periods.into_iter().map(|period| Stretch { period, place });
        person.stretches.extend(stretches);
        (person.runs, person.rests) = Default::default();
    }

    /// Whether duty in a rotation has been added, be it none.
    pub fn has(&self, id: &RotationId) -> bool {
        self.indices.contains_key(id)
    }

    /// How many stretches there are.
    pub fn len(&self) -> usize {
        let people = self.people.values();
        people.map(|person| person.stretches.len()).sum()
    }

    /// Whether nobody is on call at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The index of a rotation; `None` where nothing is known of it.
    pub(super) fn index_of(&self, id: &RotationId) -> Option<u32> {
        self.indices.get(id).copied()
    }

    /// The id of a rotation, and what it is called where the reader may see it.
    pub(super) fn rotation(&self, index: u32) -> (&RotationId, Option<&str>) {
        let listed = &self.rotations[index as usize];
        (&listed.id, listed.named.as_deref())
    }

    /// When somebody is on call, rotation by rotation, by where it begins.
    pub(super) fn runs(&self, user: &UserId) -> &[Run] {
        let runs = |person| Person::runs(person, &self.rotations);
        self.people.get(user).map_or(&[], runs)
    }

    /// When somebody rests for less than a week between two turns, in order.
    pub(super) fn rests(&self, user: &UserId) -> &[Rest] {
        let rests = |person| Person::rests(person, &self.rotations);
        self.people.get(user).map_or(&[], rests)
    }

    /// Which turns before or after a rest are those of a rotation.
    pub(super) fn of_rotation(&self, places: &[Place], rotation: u32) -> Range<usize> {
        let own = &self.rotations[rotation as usize].id;
        let id = |place: &Place| &self.rotations[place.rotation as usize].id;
        let from = places.partition_point(|place| id(place) < own);
        let until = places.partition_point(|place| id(place) <= own);
        from..until
    }
}

impl Person {
    fn forget(&mut self, rotation: u32) {
        let before = self.stretches.len();
        self.stretches
            .retain(|stretch| stretch.place.rotation != rotation);
        if self.stretches.len() < before {
            (self.runs, self.rests) = Default::default();
        }
    }

    fn runs(&self, rotations: &[Listed]) -> &[Run] {
        self.runs.get_or_init(|| {
            let mut of_rotations: BTreeMap<Option<u32>, Vec<Interval>> = BTreeMap::new();
            for stretch in &self.stretches {
                let rotation = stretch.place.rotation;
                let seen = rotations[rotation as usize].named.is_some();
                let periods = of_rotations.entry(seen.then_some(rotation)).or_default();
                periods.push(stretch.period);
            }
            let of_rotations = of_rotations.into_iter();
            let runs = of_rotations.flat_map(|(rotation, periods)| {
                let periods = joined(periods).into_iter();
                periods.map(move |period| Run { period, rotation })
            });
            let mut runs: Vec<Run> = runs.collect();
            runs.sort_by_key(|run| run.period);
            runs
        })
    }

    fn rests(&self, rotations: &[Listed]) -> &[Rest] {
        const LONGEST: SignedDuration = SignedDuration::from_hours(MOST_REST_HOURS as i64);
        let by_id = |place: &Place| (&rotations[place.rotation as usize].id, *place);
        self.rests.get_or_init(|| {
            let mut stretches = self.stretches.clone();
            stretches.sort_by_key(|stretch| (stretch.period, stretch.place));
            let mut rests = Vec::new();
            // The latest end so far, and the turns that end then.
            let mut ended: Option<(Timestamp, Vec<Place>)> = None;
            for starting in stretches.chunk_by(|one, other| one.period.from == other.period.from) {
                let until = starting[0].period.from;
                if let Some((from, before)) = &mut ended
                    && *from <= until
                    && until.duration_since(*from) < LONGEST
                {
                    let mut rest = Rest {
                        period: Interval { from: *from, until },
                        before: std::mem::take(before),
                        after: starting.iter().map(|stretch| stretch.place).collect(),
                    };
                    rest.before
                        .sort_unstable_by(|one, other| by_id(one).cmp(&by_id(other)));
                    rest.after
                        .sort_unstable_by(|one, other| by_id(one).cmp(&by_id(other)));
                    rests.push(rest);
                }
                for stretch in starting {
                    let until = stretch.period.until;
                    match &mut ended {
                        Some((end, places)) if *end == until => places.push(stretch.place),
                        Some((end, _)) if *end > until => (),
                        _ => ended = Some((until, vec![stretch.place])),
                    }
                }
            }
            rests
        })
    }
}

/// Which turn each stretch belongs to. A turn is what one person holds of one dealt turn of a cell, dealt to them or taken over.
pub(super) fn numbered(held: &[Held]) -> Vec<usize> {
    let mut numbers: HashMap<(usize, Option<&UserId>, Option<Timestamp>), usize> = HashMap::new();
    let mut all = Vec::with_capacity(held.len());
    for held in held {
        let next = numbers.len();
        let turn = (held.cell, held.user.as_ref(), held.dealt_at());
        all.push(*numbers.entry(turn).or_insert(next));
    }
    all
}
