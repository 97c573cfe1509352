//! A schedule of GoAlert by its answers, as a definition and a timeline (pure).

use super::super::Failure;
use super::super::importable::ReadSchedule;
use super::super::json::{said, span};
use super::parse::{Answer, OnCallShift, Override, Rotation, Rule, Schedule, ScheduleTarget, User};
use crate::domain::partner::{
    Definition, Exception, Member, PartnerPerson, PartnerRotation, PartnerZone, Restriction,
    Timeline, Turn,
};
use crate::domain::time::Interval;
use jiff::Timestamp;

/// Everything about one schedule.
pub(super) struct Answers {
    pub(super) schedule: Schedule,
    pub(super) rotations: Vec<Rotation>,
    pub(super) overrides: Vec<Override>,
    pub(super) users: Vec<User>,
    pub(super) shifts: Vec<OnCallShift>,
    /// Why the people could not be read.
    pub(super) unread: Option<Failure>,
}

impl Answers {
    /// What a file has.
    pub(super) fn of_text(text: &[u8]) -> Result<Answers, Failure> {
        let wrong = |error: serde_json::Error| Failure::invalid(error.to_string());
        // Read as what it is, so that an error names its line.
        let answers: Vec<Answer> = match text.trim_ascii_start().first() {
            Some(b'[') => serde_json::from_slice(text).map_err(wrong)?,
            _ => vec![serde_json::from_slice(text).map_err(wrong)?],
        };
        let mut schedule: Option<Schedule> = None;
        let (mut rotations, mut overrides) = (Vec::new(), Vec::new());
        let (mut users, mut shifts) = (Vec::new(), Vec::new());
        for answer in answers {
            let data = answer.data()?;
            if let Some(mut read) = data.schedule {
                shifts.extend(read.shifts.take().into_iter().flatten());
                if let Some(known) = schedule
                    .as_ref()
                    .filter(|it| it.listed.id != read.listed.id)
                {
                    return Err(Failure::invalid(format!(
                        "the answers are of two schedules, {:?} and {:?}; keep those of one",
                        known.listed.id, read.listed.id
                    )));
                }
                schedule.get_or_insert(read);
            }
            rotations.extend(data.rotations.into_iter().flat_map(|page| page.nodes));
            overrides.extend(data.overrides.into_iter().flat_map(|page| page.nodes));
            users.extend(data.users.into_iter().flat_map(|page| page.nodes));
        }
        Ok(Answers {
            schedule: schedule.ok_or_else(|| {
                Failure::invalid("data.schedule: missing; ask with \"readSchedule\": true")
            })?,
            rotations,
            overrides,
            users,
            shifts,
            unread: None,
        })
    }

    /// How far the timeline has to reach: over a span, and over what is to come besides.
    pub(super) fn reach(&self, asked: Interval, ahead: Interval) -> Interval {
        let ends = self.exceptions().into_iter().map(|one| one.span.until);
        let last = ends.max().unwrap_or(asked.until).min(ahead.until);
        Interval::new(asked.from, asked.until.max(last))
    }

    fn name(&self, id: &str) -> String {
        let user = self.users.iter().find(|user| user.id == id);
        let name = user.and_then(|user| said(&user.name));
        name.unwrap_or_else(|| id.to_owned())
    }

    fn exceptions(&self) -> Vec<Exception> {
        let overrides = self.overrides.iter().filter_map(|one| {
            let (add, remove) = (self.name(&one.add_user_id), self.name(&one.remove_user_id));
            let what = match (add.is_empty(), remove.is_empty()) {
                (false, false) => format!("the override of {remove} by {add}"),
                (false, true) => format!("the override that adds {add}"),
                _ => format!("the override that removes {remove}"),
            };
            Some(Exception {
                what,
                span: span(one.start, one.end)?,
            })
        });
        let temporary = self.schedule.temporary_schedules.iter().filter_map(|one| {
            Some(Exception {
                what: "the temporary schedule".to_owned(),
                span: span(one.start, one.end)?,
            })
        });
        let mut all: Vec<Exception> = overrides.chain(temporary).collect();
        all.sort_by_key(|one| one.span.from);
        all
    }

    /// The definition and the timeline. `asked` is what the shifts were asked for; a file does not say it.
    pub(super) fn read(self, asked: Option<Interval>) -> Result<ReadSchedule, Failure> {
        let starts = self.shifts.iter().map(|shift| shift.start.0);
        let from = asked.map(|asked| asked.from).or_else(|| starts.min());
        let ends = self.shifts.iter().map(|shift| shift.end.0);
        let until = asked.map(|asked| asked.until).or_else(|| ends.max());
        let known = Interval::new(
            from.unwrap_or(Timestamp::UNIX_EPOCH),
            until.unwrap_or(Timestamp::UNIX_EPOCH),
        );
        let mut unsaid = Vec::new();
        if let Some(failure) = &self.unread {
            unsaid.push(format!(
                "the key may not read people, so nobody is found by their address ({})",
                failure.detail
            ));
        }
        let zone = PartnerZone::of(&self.schedule.listed.time_zone);
        let mut rotations = Vec::new();
        for given in &self.schedule.targets {
            rotations.extend(self.rotation(given, known.from, &mut unsaid)?);
        }
        let people: Vec<PartnerPerson> = self.users.iter().map(User::person).collect();
        Ok(ReadSchedule {
            definition: Definition {
                summary: self.schedule.listed.summary(),
                zone,
                enabled: true,
                layered: false,
                rotations,
                overrides: Vec::new(),
                people: Vec::new(),
                exceptions: self.exceptions(),
                unsaid,
                differs_at_clock_changes: true,
            },
            timeline: Timeline {
                known,
                answered: known,
                rotations: Vec::new(),
                shifts: self.shifts.iter().filter_map(OnCallShift::shift).collect(),
            },
            people,
        })
    }

    /// The people of a target of rules, and when they are on call. `None` for what cannot be said.
    fn rotation(
        &self,
        given: &ScheduleTarget,
        now: Timestamp,
        unsaid: &mut Vec<String>,
    ) -> Result<Option<PartnerRotation>, Failure> {
        let target = &given.target;
        let name = said(&target.name).unwrap_or_else(|| target.id.clone());
        let restrictions = given.rules.iter().flat_map(Rule::restrictions);
        let restrictions: Vec<Restriction> = restrictions.collect();
        if restrictions.is_empty() {
            unsaid.push(format!(
                "{name:?} has no rule with a day, and is never on call"
            ));
            return Ok(None);
        }
        let person = PartnerRotation {
            id: target.id.clone(),
            name,
            participants: vec![Member::user(target.id.clone())],
            turn: Turn::Weeks(1),
            anchor: Timestamp::UNIX_EPOCH,
            begins: Timestamp::UNIX_EPOCH,
            ends: None,
            restrictions,
            level: 0,
            zone: None,
            turn_zone: None,
            current: None,
        };
        let name = &person.name;
        match target.r#type.as_str() {
            "user" => return Ok(Some(person)),
            "rotation" => {}
            other => {
                unsaid.push(format!(
                    "{name:?} is left out: it is a {other}, neither a person nor a rotation"
                ));
                return Ok(None);
            }
        }
        let Some(found) = self.rotations.iter().find(|one| one.id == target.id) else {
            unsaid.push(format!(
                "the rotation {name:?} is left out: it is not among the rotations that the key may read"
            ));
            return Ok(None);
        };
        let zone = PartnerZone::of(&found.time_zone);
        if zone.city.is_none() {
            unsaid.push(format!(
                "the time zone {:?} of the rotation {name:?} is unknown; UTC is used instead",
                zone.given
            ));
        }
        Ok(Some(PartnerRotation {
            participants: found.user_ids.iter().map(Member::user).collect(),
            turn: found.turn()?,
            anchor: found.anchor(zone.or_utc(), now),
            turn_zone: Some(zone.or_utc()),
            current: found.current(),
            name: said(&found.name).unwrap_or_else(|| name.clone()),
            ..person
        }))
    }
}
