//! A partner's schedule as a rotation: which windows, lanes and rosters say the same, which arrangements stand for
//! its overrides, and what a rotation cannot say.
//!
//! A rotation of the partner becomes a window with its hours and its cadence. Those that are on call beside one another with the
//! same hours and hand-overs share one window and have a lane each. Where only the uppermost layer is on call, the hours of a
//! layer are those that no layer above has.

mod hours;
mod order;
mod proof;
mod turns;

pub use proof::{Agreement, Disagreement, Side, agreement};

use super::coverage::Stretch;
use super::external::{Definition, MemberKind, OutsideRotation, Timeline};
use super::grid::{
    CadenceSpec, CellSpec, GridSpec, HandleSpec, LaneSpec, RosterSpec, TurnsSpec, WindowSpec,
    ZoneSpec,
};
use super::holidays::Calendar;
use super::ids::{RosterId, UserId};
use super::rotation::{Narrowed, Rotation};
use super::time::Interval;
use super::zones::ZoneName;
use hours::Week;
use jiff::Timestamp;

/// Who the partner's people are here, by the partner's ids.
pub type Known<'a> = dyn Fn(&str) -> Option<UserId> + 'a;

/// A rotation that says what a schedule says.
#[derive(Clone, Debug, PartialEq)]
pub struct Blueprint {
    /// The people who take turns, each once.
    pub members: Vec<UserId>,
    /// The slots, each a rotation of the partner.
    pub slots: Vec<Slot>,
    /// Whether the slots are lanes of one window, or each has a window of its own.
    pub shares_window: bool,
    /// Whether several slots can be on call at once.
    pub side_by_side: bool,
    pub zone: ZoneName,
    /// What stands for the overrides, in the order in which it is made.
    pub takeovers: Vec<Takeover>,
    /// What a rotation cannot say, a sentence each.
    pub unsaid: Vec<String>,
}

/// A rotation of the partner as a slot.
#[derive(Clone, Debug, PartialEq)]
pub struct Slot {
    /// The partner's id of the rotation or layer.
    pub rotation_id: String,
    pub name: String,
    /// When it is on call, in the schedule's zone; the whole week if empty.
    pub coverage: Vec<Stretch>,
    pub cadence: super::cadence::Cadence,
    /// In the order of turns, beginning with whoever's turn it is.
    pub order: Vec<UserId>,
}

/// Somebody takes over a slot.
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
        side_by_side: !definition.layered,
        zone: definition.zone.or_utc(),
        takeovers: Vec::new(),
        unsaid: Vec::new(),
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
    let mut above = Week::empty();
    for rotation in &definition.rotations {
        let own = blueprint.hours(rotation);
        let left = match definition.layered {
            true => own.without(&above),
            false => own.clone(),
        };
        // Hours belong to a layer even if nobody of it is known here.
        above = above.and(&own);
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
    takeovers(&mut blueprint, definition, timeline, known, calendar, now);
    blueprint
}

/// What a sentence calls a rotation.
fn called(rotation: &OutsideRotation) -> String {
    match rotation.name.as_str() {
        "" => format!("the rotation {}", rotation.id),
        name => format!("the rotation {name:?}"),
    }
}

impl Blueprint {
    /// The hours of a rotation; everything finer than a minute is left out, and said.
    fn hours(&mut self, rotation: &OutsideRotation) -> Week {
        let (week, is_exact) = Week::of(&rotation.restrictions);
        if !is_exact {
            let name = called(rotation);
            self.unsaid.push(format!(
                "{name} has hours that begin or end within a minute"
            ));
        }
        week
    }

    /// Adds a slot, with what it cannot say.
    fn add(
        &mut self,
        rotation: &OutsideRotation,
        hours: &Week,
        timeline: &Timeline,
        known: &Known,
        calendar: &Calendar,
        now: Timestamp,
    ) {
        let name = called(rotation);
        let turns = turns::of(rotation, self.zone);
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
        let order = order::of(rotation, &turns.cadence, timeline, known, calendar, now);
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
            cadence: turns.cadence,
            order: order.users,
        });
    }

    /// Slots with the same hours and hand-overs are lanes of one window.
    fn share_window(&mut self) {
        let Some((first, rest)) = self.slots.split_first() else {
            return;
        };
        let same = |slot: &Slot| slot.coverage == first.coverage && slot.cadence == first.cadence;
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
            zone: ZoneSpec::Named(self.zone),
            coverage: self.slots[number].coverage.clone(),
            cadence: CadenceSpec::Timed(self.slots[number].cadence.clone()),
        };
        let single = self.slots.len() == 1;
        let cells = (0..self.slots.len()).map(|number| CellSpec {
            id: None,
            lane: key("lane", if self.shares_window { number } else { 0 }),
            window: key("window", if self.shares_window { 0 } else { number }),
            roster: self.roster(number),
        });
        let rosters = self.slots.iter().enumerate().filter(|_| !single);
        let rosters = rosters.map(|(number, slot)| {
            let spec = RosterSpec {
                narrowed: Some(Narrowed {
                    users: slot.order.clone(),
                    groups: Vec::new(),
                }),
                turns: TurnsSpec {
                    all: Some(0),
                    each: Vec::new(),
                },
            };
            (self.roster(number), spec)
        });
        GridSpec {
            lanes: (0..lanes).map(lane).collect(),
            windows: Some((0..windows).map(window).collect()),
            cells: cells.collect(),
            double_cover: self.side_by_side && !single,
            rosters: rosters.collect(),
        }
    }

    /// The roster of a slot; the common one where there is one slot.
    pub fn roster(&self, slot: usize) -> Option<RosterId> {
        (self.slots.len() > 1).then(|| RosterId::from(key("roster", slot)))
    }

    /// Lets orders begin where a rotation has them begin that was made of the same schedule before: its next turns have moved on
    /// as the partner's have.
    pub fn keep_orders(&mut self, rotation: &Rotation) {
        let here = &rotation.members.users;
        for number in 0..self.slots.len() {
            let roster = self.roster(number);
            let known = rotation.rosters.iter().find(|known| known.id == roster);
            let Some(known) = known else { continue };
            let users = known.narrowed.as_ref().map_or(here, |list| &list.users);
            let slot = &mut self.slots[number];
            if order::is_turned(&slot.order, users) {
                slot.order.clone_from(users);
            }
        }
        let same = self.members.len() == here.len();
        if same && self.members.iter().all(|user| here.contains(user)) {
            self.members.clone_from(here);
        }
    }
}

/// The handle of the lane, window or roster of a number.
fn key(beginning: &str, number: usize) -> String {
    format!("{beginning}-{}", number + 1)
}

/// The names of lanes and windows are short.
fn short(name: &str) -> String {
    name.chars().take(60).collect()
}

/// Finds what stands for overrides and forwarded shifts: from the timeline, and behind its end from the definition.
fn takeovers(
    blueprint: &mut Blueprint,
    definition: &Definition,
    timeline: &Timeline,
    known: &Known,
    calendar: &Calendar,
    now: Timestamp,
) {
    use super::external::SourceKind;
    let mut found: Vec<(Interval, &super::external::Member, Vec<String>)> = Vec::new();
    for shift in &timeline.shifts {
        let of_rotation = || shift.source.rotation_id.iter().cloned().collect();
        match shift.source.kind {
            SourceKind::Rotation => {}
            SourceKind::RotationOverride | SourceKind::Forwarding => {
                found.push((shift.span, &shift.member, of_rotation()));
            }
            SourceKind::CustomShift | SourceKind::CustomShiftOverride => {
                let line = format!(
                    "a shift of its own from {} to {}",
                    shift.span.from, shift.span.until
                );
                blueprint.unsaid.push(line);
            }
        }
    }
    for one in &definition.overrides {
        if one.span.from >= timeline.known.until {
            found.push((one.span, &one.member, one.rotation_ids.clone()));
        }
    }
    for (span, member, rotations) in found {
        let Some(rest) = span.since(now) else {
            continue;
        };
        let says = format!("the override from {} to {}", span.from, span.until);
        let user = match (member.kind, &member.id) {
            (MemberKind::User, Some(id)) => known(id),
            _ => None,
        };
        let Some(user) = user else {
            let who = proof::name_of(member);
            blueprint
                .unsaid
                .push(format!("{says} by {who}, who is not known here"));
            continue;
        };
        for number in 0..blueprint.slots.len() {
            let slot = &blueprint.slots[number];
            if !rotations.is_empty() && !rotations.contains(&slot.rotation_id) {
                continue;
            }
            if !slot.order.contains(&user) {
                let line = format!("{says} by {user}, who takes no turns in {:?}", slot.name);
                blueprint.unsaid.push(line);
                continue;
            }
            let periods = match definition.layered {
                true => hours::open(slot, blueprint.zone, calendar, rest),
                false => vec![rest],
            };
            blueprint
                .takeovers
                .extend(periods.into_iter().map(|period| Takeover {
                    slot: number,
                    user: user.clone(),
                    period,
                }));
        }
    }
}
