//! A rotation that follows a schedule of a partner (rules.md 22). Who is on call is read from what is known of the schedule, at
//! each instant at which that changes; nothing is dealt.

mod shown;

pub use shown::{AsOf, Change, Counts, Coverage, State, counts};

use super::directory::Person;
use super::ids::UserId;
use super::partner::{MemberKind, Partner, PartnerPerson, ReadFailure, Shift, Timeline};
use super::refusal::{Refusal, invalid};
use super::time::Interval;
use super::zones::ZoneName;
use crate::domain::fault::Fault;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Changes ahead that a rotation lists.
pub const EVENTS: usize = 5;

/// Which schedule of which partner.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Link {
    pub partner: Partner,
    /// The partner's id of the schedule.
    pub schedule: String,
}

/// The name of no partner.
pub const NONE: &str = "none";

impl Link {
    /// Which schedule to follow, by the name of its partner; `None` for none yet.
    pub fn chosen(partner: &str, schedule: Option<String>) -> Result<Option<Link>, Refusal> {
        if partner == NONE {
            return match schedule {
                None => Ok(None),
                Some(_) => invalid(
                    "scheduleId",
                    "`none` has no schedules; omit it, or send the partner that has this one",
                ),
            };
        }
        let Some(partner) = Partner::parse(partner) else {
            return invalid(
                "partner",
                "send one of `pagerPartner` `opsPartner` `deskPartner` `none`",
            );
        };
        match schedule.filter(|id| !id.trim().is_empty()) {
            Some(schedule) => Ok(Some(Link { partner, schedule })),
            None => invalid(
                "scheduleId",
                Fault::Missing(
                    "send the id of a schedule of GET /v1/partners/{partner}/schedules".into(),
                ),
            ),
        }
    }
}

/// The schedule of a partner that a rotation follows.
#[derive(Clone, Debug, PartialEq)]
pub struct External {
    /// `None` while no schedule is linked.
    pub link: Option<Link>,
    /// As last judged, empty ones included, in the partner's order.
    pub current: Vec<Assignment>,
    /// The known state of the schedule; shared by all rotations that follow it.
    pub schedule: Arc<LinkedSchedule>,
    /// Who the partner's people are here, by the partner's id.
    pub people: Arc<BTreeMap<String, UserId>>,
    /// The records of these people.
    pub records: Arc<BTreeMap<UserId, Person>>,
}

/// One slot of a schedule at one time, and who it is here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Assignment {
    #[serde(flatten)]
    pub shift: Shift,
    /// Who it was here when it was last evaluated; `None` for nobody, and for somebody who is unknown here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<UserId>,
}

/// The known state of a schedule that rotations follow.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinkedSchedule {
    pub name: String,
    /// `None` where the partner's zone is no city.
    pub zone: Option<ZoneName>,
    /// Of the last successful reading; `None` if there was none.
    pub timeline: Option<Timeline>,
    /// The people who take turns, in the partner's order.
    pub participants: Vec<String>,
    /// Names and addresses, by the partner's id.
    pub people: BTreeMap<String, PartnerPerson>,
    /// When it was last read.
    pub read_at: Option<Timestamp>,
    /// When reading last failed.
    pub failed_at: Option<Timestamp>,
    /// Why the newest reading failed; `None` if it did not.
    pub failure: Option<ReadFailure>,
    /// Failed readings since the last successful one.
    pub failures: u32,
}

/// Somebody on call who is unknown here: a person, a team or an escalation policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outsider {
    pub name: Option<String>,
    /// Only people have one.
    pub email: Option<String>,
    /// `None` where no end is known.
    pub until: Option<Timestamp>,
}

impl Assignment {
    /// Whether the slot is there and nobody is in it.
    pub fn is_empty(&self) -> bool {
        self.shift.member.kind == MemberKind::Empty
    }

    /// Whether somebody is in it who is unknown here.
    pub fn is_unmapped(&self) -> bool {
        !self.is_empty() && self.user.is_none()
    }

    /// Whoever is in it, where they are unknown here.
    pub fn outsider(&self) -> Option<Outsider> {
        let member = &self.shift.member;
        let email = || member.email.clone();
        self.is_unmapped().then(|| Outsider {
            name: member.name.clone(),
            email: (member.kind == MemberKind::User).then(email).flatten(),
            until: self.shift.ends_at(),
        })
    }

    /// Who is in it; `None` for nobody.
    fn who(&self) -> Option<Who> {
        (!self.is_empty()).then(|| match &self.user {
            Some(user) => Who::Here(user.clone()),
            None => Who::Outside(self.shift.member.id.clone()),
        })
    }

    /// Whether both are the same shift of the same person.
    fn is_same(&self, other: &Assignment) -> bool {
        self.user == other.user && self.shift.key() == other.shift.key()
    }
}

impl Outsider {
    /// The name that people use.
    pub fn called(&self) -> String {
        let known = self.name.as_ref().or(self.email.as_ref());
        known.map_or_else(|| "somebody unknown".to_owned(), Clone::clone)
    }
}

/// A person on call, for telling whether duty has changed hands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Who {
    Here(UserId),
    /// The partner's id.
    Outside(Option<String>),
}

impl External {
    /// Follows no schedule yet.
    pub fn unlinked() -> External {
        External {
            link: None,
            current: Vec::new(),
            schedule: Arc::default(),
            people: Arc::default(),
            records: Arc::default(),
        }
    }

    /// The shifts that are known.
    pub fn timeline(&self) -> Option<&Timeline> {
        self.schedule.timeline.as_ref()
    }

    /// Who a shift's holder is here.
    pub fn resolve(&self, shift: &Shift) -> Assignment {
        let id = shift.member.id.as_ref();
        let id = id.filter(|_| shift.member.kind == MemberKind::User);
        Assignment {
            shift: shift.clone(),
            user: id.and_then(|id| self.people.get(id)).cloned(),
        }
    }

    /// The assignments at an instant. Past the end of what is known they are the last known ones.
    pub fn at(&self, instant: Timestamp) -> Vec<Assignment> {
        let Some(timeline) = self.timeline() else {
            return self.resolved();
        };
        let last = timeline.known.until - SignedDuration::from_millis(1);
        let instant = instant.min(last).max(timeline.known.from);
        timeline
            .at(instant)
            .map(|shift| self.resolve(shift))
            .collect()
    }

    /// The present assignments with the people who they are now: somebody may have been linked, or left.
    pub fn resolved(&self) -> Vec<Assignment> {
        let shifts = self.current.iter().map(|current| &current.shift);
        shifts.map(|shift| self.resolve(shift)).collect()
    }

    /// The people of the workspace who are on call within a span, as far as is known, in order.
    pub fn people_within(&self, span: Interval) -> Vec<(Interval, UserId)> {
        let shifts = self.timeline().into_iter().flat_map(|known| &known.shifts);
        let held = |shift: &Shift| {
            let within = shift.span.meets(span)?;
            Some((within, self.resolve(shift).user?))
        };
        let mut people: Vec<(Interval, UserId)> = shifts.filter_map(held).collect();
        people.sort();
        people
    }

    /// The instants after another one at which the assignments differ from those before, as far as is known.
    pub fn changes(&self, after: Timestamp) -> impl Iterator<Item = Timestamp> {
        let known = self.timeline().map(|timeline| timeline.known);
        let within = |at: &Timestamp| known.is_some_and(|known| *at > after && *at < known.until);
        let shifts = self.timeline().into_iter().flat_map(|known| &known.shifts);
        let edges = shifts.flat_map(|shift| [shift.span.from, shift.span.until]);
        let mut edges: Vec<Timestamp> = edges.filter(within).collect();
        edges.sort_unstable();
        edges.dedup();
        let mut before = self.at(after);
        edges.into_iter().filter(move |at| {
            let then = self.at(*at);
            let differs = !same_assignments(&before, &then);
            before = then;
            differs
        })
    }

    /// The instant of the next change.
    pub fn next_change(&self, after: Timestamp) -> Option<Timestamp> {
        self.changes(after).next()
    }

    /// The assignments at an instant that are not among the present ones; none past what is known.
    pub fn starting(&self, at: Timestamp) -> Vec<Assignment> {
        let known = self.timeline().is_some_and(|it| it.known.contains(at));
        let then = if known { self.at(at) } else { Vec::new() };
        let is_new = |one: &Assignment| !self.current.iter().any(|now| now.is_same(one));
        then.into_iter().filter(is_new).collect()
    }

    /// The first assignment with anybody in it.
    pub fn first(&self) -> Option<&Assignment> {
        self.current.iter().find(|current| !current.is_empty())
    }

    /// Whoever is on call and unknown here, the first of them.
    pub fn outsider(&self) -> Option<Outsider> {
        self.current.iter().find_map(Assignment::outsider)
    }

    /// The people of the workspace who are on call, each once.
    pub fn on_call(&self) -> Vec<UserId> {
        people(&self.current).0
    }

    /// Everybody on call, in a fixed order.
    pub fn who(&self) -> Vec<Who> {
        let mut who: Vec<Who> = self.current.iter().filter_map(Assignment::who).collect();
        who.sort();
        who.dedup();
        who
    }

    /// The zone that hand-overs are shown in.
    pub fn zone(&self) -> ZoneName {
        self.schedule.zone.unwrap_or_else(ZoneName::utc)
    }

    /// The members that the schedule gives a rotation: its people who are known here, in its order.
    pub fn members(&self) -> Vec<UserId> {
        let mut members: Vec<UserId> = Vec::new();
        for id in &self.schedule.participants {
            if let Some(user) = self.people.get(id)
                && !members.contains(user)
            {
                members.push(user.clone());
            }
        }
        members
    }

    /// Equal but for what is known of the schedule beyond the changes that are listed.
    pub fn same_as(&self, other: &External, after: Timestamp) -> bool {
        let events = |external: &External| -> Vec<Timestamp> {
            external.changes(after).take(EVENTS).collect()
        };
        self.link == other.link
            && self.current == other.current
            && self.zone() == other.zone()
            && events(self) == events(other)
    }
}

/// Whoever is on call by these assignments, in their order and each once: the people of the workspace, and what the others are
/// called.
pub fn people(assignments: &[Assignment]) -> (Vec<UserId>, Vec<String>) {
    let mut found: Vec<Who> = Vec::new();
    let (mut here, mut outside) = (Vec::new(), Vec::new());
    for one in assignments {
        let Some(who) = one.who().filter(|who| !found.contains(who)) else {
            continue;
        };
        found.push(who);
        here.extend(one.user.clone());
        outside.extend(one.outsider().map(|outsider| outsider.called()));
    }
    (here, outside)
}

/// Whether two lists of assignments are the same shifts of the same people, in any order.
pub fn same_assignments(one: &[Assignment], other: &[Assignment]) -> bool {
    let has = |list: &[Assignment], wanted: &Assignment| list.iter().any(|it| it.is_same(wanted));
    one.len() == other.len()
        && one.iter().all(|wanted| has(other, wanted))
        && other.iter().all(|wanted| has(one, wanted))
}

/// When a schedule is to be read next; `None` if it has never been read, which is at once. A failed reading is repeated after 5 and
/// then 15 seconds, then as often as others.
pub fn next_reading(known: &LinkedSchedule, poll_every: SignedDuration) -> Option<Timestamp> {
    let (last, wait) = match known.failure {
        None => (known.read_at?, poll_every),
        Some(_) => (known.failed_at?, retry_after(known.failures, poll_every)),
    };
    Some(last.saturating_add(wait).unwrap_or(Timestamp::MAX))
}

/// How long to wait after so many failures in a row.
pub fn retry_after(failures: u32, poll_every: SignedDuration) -> SignedDuration {
    match failures {
        0 | 1 => SignedDuration::from_secs(5),
        2 => SignedDuration::from_secs(15),
        _ => poll_every,
    }
}

/// When one of several schedules is next read whose readings are spread evenly: the first instant after its last reading that is
/// a part of a poll behind a whole number of polls, counted from `from`. It is at most a poll away. Schedules that were read at
/// the same time, because somebody asked for it or after a failure, are so spread again.
pub fn in_turn(
    last: Timestamp,
    from: Timestamp,
    poll_every: SignedDuration,
    index: usize,
    count: usize,
) -> Timestamp {
    let first = spread(from, poll_every, index, count);
    let poll = poll_every.as_millis().max(1);
    let since = first.duration_until(last).as_millis();
    let left = poll - since.rem_euclid(poll);
    let left = SignedDuration::from_millis(i64::try_from(left).unwrap_or(i64::MAX));
    last.saturating_add(left).unwrap_or(Timestamp::MAX)
}

/// The instant of one of several readings that are spread evenly over a poll.
pub fn spread(
    from: Timestamp,
    poll_every: SignedDuration,
    index: usize,
    count: usize,
) -> Timestamp {
    let part = i32::try_from(index).unwrap_or(i32::MAX);
    let parts = i32::try_from(count.max(1)).unwrap_or(i32::MAX);
    from.saturating_add(poll_every * part / parts)
        .unwrap_or(Timestamp::MAX)
}
