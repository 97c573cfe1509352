//! A partner's schedule as a rotation: which windows, lanes and rosters say the same, which arrangements stand for
//! its overrides, and what a rotation cannot say.
//!
//! A rotation of the partner becomes a window with its hours and its cadence. Those that are on call beside one another with the
//! same hours and hand-overs share one window and have a lane each. Where only the uppermost layer is on call, the hours of a
//! layer are those that no layer above has; the same goes for rotations of a lower level.

mod doubled;
mod exceptions;
mod hours;
mod order;
mod planned;
mod proof;
mod takeovers;
mod turns;

pub use proof::{Agreement, Disagreement, Side, agreement};

use super::coverage::Stretch;
use super::grid::{
    CadenceSpec, CellSpec, GridSpec, HandleSpec, LaneSpec, RosterSpec, TurnsSpec, WindowSpec,
    ZoneSpec,
};
use super::holidays::Calendar;
use super::ids::{RosterId, UserId};
use super::partner::{Definition, PartnerRotation, Timeline};
use super::rotation::{Narrowed, Rotation};
use super::time::Interval;
use super::zones::ZoneName;
use hours::Week;
use jiff::Timestamp;
use order::Counted;

/// Who the partner's people are here, by the partner's ids.
pub type Known<'a> = dyn Fn(&str) -> Option<UserId> + 'a;

/// A rotation that says what a schedule says.
#[derive(Clone, Debug, PartialEq)]
pub struct Blueprint {
    /// The people who take turns, each once, then those who only take over.
    pub members: Vec<UserId>,
    /// The slots, each a rotation of the partner.
    pub slots: Vec<Slot>,
    /// Whether the slots are lanes of one window, or each has a window of its own.
    pub shares_window: bool,
    /// Whether each slot has a roster of its own; otherwise the only one takes all members.
    pub has_rosters: bool,
    /// Whether several slots can be on call at once.
    pub side_by_side: bool,
    pub zone: ZoneName,
    /// The assignments that stand for the overrides, in the order in which they are made.
    pub takeovers: Vec<Takeover>,
    /// The parts that a rotation cannot express, a sentence each.
    pub unsaid: Vec<String>,
    /// Whether differences are expected where the clocks change.
    pub differs_at_clock_changes: bool,
}

/// A rotation of the partner as a slot.
#[derive(Clone, Debug, PartialEq)]
pub struct Slot {
    /// The partner's id of the rotation or layer.
    pub rotation_id: String,
    pub name: String,
    /// When it is on call; the whole week if empty.
    pub coverage: Vec<Stretch>,
    /// The zone of the coverage.
    pub zone: ZoneName,
    pub cadence: super::cadence::Cadence,
    /// In the order of turns, beginning with whoever's turn it is.
    pub order: Vec<UserId>,
    /// Who in the order has the turn after the next hand-over, where the slot's roster is new or its list changes.
    pub next: usize,
}

/// Somebody takes over a slot, who need not take turns in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Takeover {
    /// Index into the slots.
    pub slot: usize,
    pub user: UserId,
    pub period: Interval,
}

/// Makes a blueprint of a schedule, as of an instant. The timeline tells whose turn it is, and which overrides are to come.
pub fn of(
    definition: &Definition,
    timeline: &Timeline,
    known: &Known,
    calendar: &Calendar,
    now: Timestamp,
) -> Blueprint {
    let mut blueprint = Blueprint {
        members: Vec::new(),
        slots: Vec::new(),
        shares_window: false,
        has_rosters: false,
        side_by_side: !definition.layered,
        zone: definition.zone.or_utc(),
        takeovers: Vec::new(),
        unsaid: definition.unsaid.clone(),
        differs_at_clock_changes: definition.differs_at_clock_changes,
    };
    if definition.zone.city.is_none() {
        blueprint.unsaid.push(format!(
            "the time zone {:?} is unknown; UTC is used instead",
            definition.zone.given
        ));
    }
    if !definition.enabled {
        let off = "the schedule is disabled at the partner; the rotation is not";
        blueprint.unsaid.push(off.to_owned());
    }
    let mut above: Vec<(&PartnerRotation, Week)> = Vec::new();
    for rotation in &definition.rotations {
        let own = blueprint.hours(rotation);
        let hiding = above.iter();
        let hiding = hiding.filter(|(one, _)| definition.layered || one.level > rotation.level);
        let left = blueprint.left(rotation, &own, hiding);
        // Hours belong to a layer even if nobody of it is known here.
        above.push((rotation, own));
        if rotation.ends.is_some_and(|ends| ends <= now) {
            continue;
        }
        if left.is_empty() {
            let name = called(rotation);
            blueprint.unsaid.push(format!(
                "{name} is never on call: the layers above it have all its hours"
            ));
            continue;
        }
        blueprint.add(rotation, &left, timeline, known, calendar, now);
    }
    blueprint.share_window();
    for slot in &blueprint.slots {
        for user in &slot.order {
            if !blueprint.members.contains(user) {
                blueprint.members.push(user.clone());
            }
        }
    }
    doubled::add(&mut blueprint, timeline, known, calendar, now);
    takeovers::add(&mut blueprint, definition, timeline, known, calendar, now);
    exceptions::add(&mut blueprint, definition, timeline, known, calendar, now);
    let takes_turns = |one: &Takeover| blueprint.slots[one.slot].order.contains(&one.user);
    blueprint.has_rosters =
        blueprint.slots.len() > 1 || !blueprint.takeovers.iter().all(takes_turns);
    for takeover in &blueprint.takeovers {
        if !blueprint.members.contains(&takeover.user) {
            blueprint.members.push(takeover.user.clone());
        }
    }
    blueprint
}

/// Whether the clocks of a zone change once more after a timeline.
fn changes_clocks(zone: ZoneName, timeline: &Timeline) -> bool {
    let mut changes = zone.tz().following(timeline.known.until);
    changes.next().is_some()
}

/// The name of a rotation in a sentence.
fn called(rotation: &PartnerRotation) -> String {
    match rotation.name.as_str() {
        "" => format!("the rotation {}", rotation.id),
        name => format!("the rotation {name:?}"),
    }
}

impl Blueprint {
    /// The hours of a rotation; everything finer than a minute is left out, and said.
    fn hours(&mut self, rotation: &PartnerRotation) -> Week {
        let (week, is_exact) = Week::of(&rotation.restrictions);
        if !is_exact {
            let name = called(rotation);
            self.unsaid.push(format!(
                "{name} has hours that begin or end within a minute"
            ));
        }
        week
    }

    /// The hours of a rotation that others do not hide.
    fn left<'a>(
        &mut self,
        rotation: &PartnerRotation,
        own: &Week,
        hiding: impl Iterator<Item = &'a (&'a PartnerRotation, Week)>,
    ) -> Week {
        let mut left = own.clone();
        for (above, hours) in hiding {
            if above.zone != rotation.zone && !hours.is_whole() {
                let (below, above) = (called(rotation), called(above));
                self.unsaid.push(format!(
                    "{above} lies over {below} in another time zone; here its hours are taken as if they were in the same one"
                ));
            }
            left = left.without(hours);
        }
        left
    }

    /// Adds a slot, with what it cannot say.
    fn add(
        &mut self,
        rotation: &PartnerRotation,
        hours: &Week,
        timeline: &Timeline,
        known: &Known,
        calendar: &Calendar,
        now: Timestamp,
    ) {
        let name = called(rotation);
        let zone = rotation.zone.unwrap_or(self.zone);
        let turn_zone = rotation.turn_zone.unwrap_or(zone);
        let turns = turns::of(rotation, turn_zone);
        if let Some(why) = turns.unsaid {
            self.unsaid.push(format!("{name} {why}"));
        }
        if rotation.begins > now {
            let at = rotation.begins;
            self.unsaid
                .push(format!("{name} begins at {at}; here it begins at once"));
        }
        if let Some(at) = rotation.ends {
            self.unsaid
                .push(format!("{name} ends at {at}; here it goes on"));
        }
        let count = |cadence| Counted::of(rotation, cadence, timeline, calendar, now);
        let mut cadence = turns.cadence;
        let mut counted = count(&cadence);
        if let Some(other) = turns.other {
            let by_other = count(&other);
            let is_open = by_other.agreeing == counted.agreeing;
            if is_open && rotation.participants.len() > 1 && changes_clocks(turn_zone, timeline) {
                self.unsaid.push(format!(
                    "{name} has turns of hours, and the timeline does not show whether a hand-over keeps its local time when the \
                     clocks change; here it keeps its time in UTC"
                ));
            }
            if by_other.agreeing > counted.agreeing {
                (cadence, counted) = (other, by_other);
            }
        }
        let order = order::of(rotation, &counted, known, now);
        let unsaid = order.unsaid.iter();
        self.unsaid
            .extend(unsaid.map(|why| format!("{name}: {why}")));
        if order.users.is_empty() {
            self.unsaid.push(format!(
                "{name} is left out: nobody who takes turns in it is known here"
            ));
            return;
        }
        self.slots.push(Slot {
            rotation_id: rotation.id.clone(),
            name: match rotation.name.is_empty() {
                true => rotation.id.clone(),
                false => rotation.name.clone(),
            },
            coverage: hours.stretches(),
            zone,
            cadence,
            order: order.users,
            next: 0,
        });
    }

    /// Slots with the same hours and hand-overs are lanes of one window.
    fn share_window(&mut self) {
        let Some((first, rest)) = self.slots.split_first() else {
            return;
        };
        let same = |slot: &Slot| {
            slot.coverage == first.coverage
                && slot.zone == first.zone
                && slot.cadence == first.cadence
        };
        self.shares_window = self.side_by_side && !rest.is_empty() && rest.iter().all(same);
    }

    /// The grid. Lanes and windows have keys, so that the same blueprint again finds those of the first time.
    pub fn grid(&self) -> GridSpec {
        let lanes = if self.shares_window {
            self.slots.len()
        } else {
            1
        };
        let windows = if self.shares_window {
            1
        } else {
            self.slots.len()
        };
        let lane = |number: usize| LaneSpec {
            handle: HandleSpec::id(&key("lane", number)),
            name: Some((lanes > 1).then(|| short(&self.slots[number].name))),
        };
        let window = |number: usize| WindowSpec {
            handle: HandleSpec::id(&key("window", number)),
            name: (windows > 1).then(|| short(&self.slots[number].name)),
            zone: ZoneSpec::Named(self.slots[number].zone),
            coverage: self.slots[number].coverage.clone(),
            cadence: CadenceSpec::Timed(self.slots[number].cadence.clone()),
        };
        let cells = (0..self.slots.len()).map(|number| CellSpec {
            id: None,
            lane: key("lane", if self.shares_window { number } else { 0 }),
            window: key("window", if self.shares_window { 0 } else { number }),
            roster: self.roster(number),
        });
        let rosters = self.slots.iter().enumerate();
        let rosters = rosters.filter(|_| self.has_rosters);
        let rosters = rosters.map(|(number, slot)| {
            let spec = RosterSpec {
                narrowed: Some(Narrowed {
                    users: slot.order.clone(),
                    groups: Vec::new(),
                }),
                turns: TurnsSpec {
                    all: i32::try_from(slot.next).ok(),
                    each: Vec::new(),
                },
                ..RosterSpec::default()
            };
            (self.roster(number), spec)
        });
        GridSpec {
            lanes: (0..lanes).map(lane).collect(),
            windows: Some((0..windows).map(window).collect()),
            cells: cells.collect(),
            double_cover: self.side_by_side && self.slots.len() > 1,
            rosters: rosters.collect(),
        }
    }

    /// The roster of a slot; `None` for the common one.
    pub fn roster(&self, slot: usize) -> Option<RosterId> {
        self.has_rosters
            .then(|| RosterId::from(key("roster", slot)))
    }

    /// Lets orders begin where a rotation has them begin that was made of the same schedule before: its next turns have moved on
    /// as the partner's have. Where the order is another one now, whoever is on call is not dealt again at the next hand-over.
    pub fn keep_orders(&mut self, rotation: &Rotation) {
        let own = Some(RosterId::from(key("roster", 0)));
        // A roster that was made for somebody who only took over stays.
        self.has_rosters |= rotation.rosters.iter().any(|roster| roster.id == own);
        for number in 0..self.slots.len() {
            let wanted = self.roster(number);
            let is_only = self.slots.len() == 1;
            let find = |id: Option<RosterId>| rotation.rosters.iter().find(|one| one.id == id);
            let known = find(wanted).or_else(|| find(None).filter(|_| is_only));
            let slot = &mut self.slots[number];
            let Some(known) = known else { continue };
            let users = known.narrowed.as_ref().map(|list| &list.users);
            let users = users.unwrap_or(&rotation.members.users);
            if order::is_turned(&slot.order, users) {
                slot.order.clone_from(users);
                slot.next = known.next_turns.first().map_or(0, |next| next.turn);
                continue;
            }
            let mut cells = rotation.cells.iter().filter(|cell| cell.roster == known.id);
            let first = slot.order.first();
            if cells.any(|cell| cell.holder.as_ref().map(|holder| &holder.user) == first) {
                slot.next = 1 % slot.order.len();
            }
        }
        let here = &rotation.members.users;
        let stay = here.iter().filter(|user| self.members.contains(user));
        let come = self.members.iter().filter(|user| !here.contains(user));
        // The order of all members counts only where they are the only roster.
        if self.has_rosters || come.clone().next().is_none() && stay.clone().count() == here.len() {
            self.members = stay.chain(come).cloned().collect();
        }
    }
}

/// Whether a rotation was made of a schedule: the keys of its windows are those of a [`Blueprint::grid`].
pub fn is_imported(rotation: &Rotation) -> bool {
    let first = key("window", 0);
    let mut keys = rotation.windows.iter().filter_map(|one| one.key.as_ref());
    keys.any(|key| key.as_str() == first)
}

/// The handle of the lane, window or roster of a number.
fn key(beginning: &str, number: usize) -> String {
    format!("{beginning}-{}", number + 1)
}

/// The names of lanes and windows are short.
fn short(name: &str) -> String {
    name.chars().take(60).collect()
}
