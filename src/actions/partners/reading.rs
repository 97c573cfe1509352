//! Reads linked schedules. What was read is known ahead: the timer makes each change at its instant, whether the partner answers
//! then or not. A failed reading changes nobody.

use super::hanging::Hanging;
use crate::actions::polling::{Readings, Source as PolledSource, Which};
use crate::actions::{ActionError, App, Error, Result, mutation};
use crate::domain::access::Principal;
use crate::domain::audit::Author;
use crate::domain::event::Act;
use crate::domain::external::{Link, LinkedSchedule, in_turn, next_reading, spread};
use crate::domain::external_linking;
use crate::domain::handover::WindowChange;
use crate::domain::partner::{MemberKind, Outline, Partner, PartnerPerson, ReadFailure, Timeline};
use crate::domain::time::Interval;
use crate::runtime::wakeup::Wakeup;
use crate::sources::{Failure, Source};
use crate::store::{self, WriteTx};
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How long before now a reading begins.
const BEFORE: SignedDuration = SignedDuration::from_hours(1);

/// How far ahead it goes.
const AHEAD: SignedDuration = SignedDuration::from_hours(14 * 24);

/// The result of one reading.
pub struct Reading {
    pub outline: Outline,
    pub timeline: Timeline,
    pub people: Vec<PartnerPerson>,
}

/// The span that is read at an instant.
fn span(now: Timestamp) -> Interval {
    Interval {
        from: now.saturating_sub(BEFORE).unwrap_or(Timestamp::MIN),
        until: now.saturating_add(AHEAD).unwrap_or(Timestamp::MAX),
    }
}

/// Reads a schedule, with the names and addresses of everybody who takes turns or is on it.
pub(super) fn fetch(
    source: &dyn Source,
    schedule: &str,
    now: Timestamp,
) -> Result<Reading, Failure> {
    let (outline, timeline) = source.reading(schedule, span(now))?;
    let mut ids = outline.participants.clone();
    for shift in &timeline.shifts {
        let person = Some(&shift.member).filter(|member| member.kind == MemberKind::User);
        if let Some(id) = person.and_then(|member| member.id.as_ref())
            && !ids.contains(id)
        {
            ids.push(id.clone());
        }
    }
    let people = source.people(&ids)?;
    Ok(Reading {
        outline,
        timeline,
        people,
    })
}

/// Takes over what was read: names and addresses where the timeline lacks them, and the beginnings of shifts that an earlier
/// reading saw more of.
pub(super) fn take(schedule: &mut LinkedSchedule, reading: Reading, now: Timestamp) {
    let outline = reading.outline;
    let people = reading.people.into_iter();
    let mut people: BTreeMap<String, PartnerPerson> = people
        .map(|person| (person.participant_id.clone(), person))
        .collect();
    let earlier = schedule.timeline.take();
    let earlier = earlier.map_or_else(Vec::new, |timeline| timeline.shifts);
    let mut timeline = reading.timeline.continuing(&earlier);
    for shift in &mut timeline.shifts {
        let member = &mut shift.member;
        let (MemberKind::User, Some(id)) = (member.kind, &member.id) else {
            continue;
        };
        let person = people.entry(id.clone()).or_insert_with(|| PartnerPerson {
            participant_id: id.clone(),
            name: None,
            email: None,
        });
        person.name = person.name.take().or_else(|| member.name.clone());
        person.email = person.email.take().or_else(|| member.email.clone());
        member.name.clone_from(&person.name);
        member.email.clone_from(&person.email);
    }
    for given in outline.people {
        // Who is only mentioned is nobody of the schedule.
        if let Some(person) = people.get_mut(&given.participant_id) {
            person.name = person.name.take().or(given.name);
            person.email = person.email.take().or(given.email);
        }
    }
    schedule.name = outline.name;
    schedule.zone = outline.zone.city;
    schedule.participants = outline.participants;
    schedule.people = people;
    schedule.timeline = Some(timeline);
    schedule.read_at = Some(now);
    schedule.failure = None;
    schedule.failures = 0;
}

/// The linked schedules of one partner, as a source that is read again and again.
pub struct LinkedSchedules {
    app: App,
    partner: Partner,
    wakeup: Wakeup,
    /// When this server began to read.
    began: Timestamp,
    hanging: Mutex<Hanging>,
}

impl LinkedSchedules {
    /// Those of a partner with settings.
    pub fn new(app: App, partner: Partner) -> LinkedSchedules {
        LinkedSchedules {
            began: app.now(),
            app,
            partner,
            wakeup: Wakeup::default(),
            hanging: Mutex::default(),
        }
    }

    /// The linked schedules, each with what is known and when it is to be read.
    fn due(&self) -> Result<Vec<(Link, LinkedSchedule, Timestamp)>, Error> {
        let poll_every = self.app.partners().poll_every();
        let linked = self.app.store().read(|tx| -> Result<Vec<_>, Error> {
            let links = store::list_linked_schedules(tx)?.into_iter();
            let links = links.filter(|link| link.partner == self.partner);
            let known = links.map(|link| {
                let known = store::load_schedule(tx, &link)?.unwrap_or_default();
                Ok((link, known))
            });
            known.collect()
        })?;
        let wait = self.app.partners().source(self.partner);
        let wait = wait.map(|source| source.wait()).unwrap_or_default();
        let wait = SignedDuration::try_from(wait).unwrap_or(SignedDuration::MAX);
        // A wait that the partner asked for is of all of its schedules, and so is one because it hangs.
        let asked = match wait.is_zero() {
            true => Timestamp::MIN,
            false => self
                .app
                .now()
                .saturating_add(wait)
                .unwrap_or(Timestamp::MAX),
        };
        let earliest = asked.max(self.hanging().until());
        let count = linked.len();
        // A development clock moves in steps, which know no spreading.
        let runs = !self.app.clock().is_frozen();
        let timed = linked
            .into_iter()
            .enumerate()
            .map(|(index, (link, known))| {
                let next = next_reading(&known, poll_every);
                // What fell due while no server ran is spread over a poll, so that the partner is not asked for all at once.
                let at = next.map_or(Timestamp::MIN, |at| {
                    match (at < self.began, known.read_at) {
                        (true, _) => spread(self.began, poll_every, index, count),
                        (false, Some(last)) if known.failure.is_none() && runs => {
                            in_turn(last, self.began, poll_every, index, count)
                        }
                        (false, _) => at,
                    }
                });
                (link, known, at.max(earliest))
            });
        Ok(timed.collect())
    }

    fn hanging(&self) -> MutexGuard<'_, Hanging> {
        self.hanging.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads these schedules one after another, until one times out. The rest of the round then has timed out too.
    fn read_round(&self, due: &[(Link, LinkedSchedule)]) -> Result<Readings, Error> {
        let app = &self.app;
        let mut readings = Readings::default();
        let Some(source) = app.partners().source(self.partner) else {
            return Ok(readings);
        };
        let mut gave_up: Option<&Link> = None;
        for (link, known) in due {
            if app.runtime().is_stopping() {
                break;
            }
            let read = match gave_up {
                None => fetch(&**source, &link.schedule, app.now()),
                Some(other) => Err(Failure::new(
                    ReadFailure::Timeout,
                    format!("not asked, because {} was not answered", other.schedule),
                )),
            };
            match &read {
                Err(failure) if failure.kind == ReadFailure::Timeout => {
                    if gave_up.is_none() {
                        let poll_every = app.partners().poll_every();
                        self.hanging().timed_out(link, app.now(), poll_every);
                    }
                    gave_up = gave_up.or(Some(link));
                }
                // Also a failure is an answer.
                _ => self.hanging().answered(link),
            }
            readings = readings + Readings::one(self.keep(link, known, read)?);
        }
        Ok(readings)
    }

    /// Counts, logs and applies a reading. Returns whether it succeeded.
    fn keep(
        &self,
        link: &Link,
        known: &LinkedSchedule,
        read: Result<Reading, Failure>,
    ) -> Result<bool, Error> {
        let app = &self.app;
        let outcome = read.as_ref().err().map_or("success", |it| it.kind.name());
        app.metrics().partner_read(self.partner, outcome);
        if let Err(failure) = &read {
            // The first failure is news, the same one again is not.
            let level = match known.failure == Some(failure.kind) {
                true => log::Level::Debug,
                false => log::Level::Warn,
            };
            let name = self.partner.name();
            log::log!(
                level,
                "{name}: cannot read schedule {}: {failure}",
                link.schedule
            );
        } else if known.failure.is_some() {
            log::info!(
                "{}: schedule {} is read again",
                self.partner.name(),
                link.schedule
            );
        }
        let is_read = read.is_ok();
        apply(app, link, read)?;
        Ok(is_read)
    }
}

impl PolledSource for LinkedSchedules {
    fn name(&self) -> &'static str {
        match self.partner {
            Partner::Pager => "sync: pagerPartner",
            Partner::Ops => "sync: opsPartner",
            Partner::Desk => "sync: deskPartner",
        }
    }

    fn wakeup(&self) -> &Wakeup {
        &self.wakeup
    }

    fn next(&self) -> Result<Option<Timestamp>, Error> {
        Ok(self.due()?.into_iter().map(|(_, _, at)| at).min())
    }

    fn read(&self, which: Which) -> Result<Readings, Error> {
        let now = self.app.now();
        if which == Which::All
            && let Some(source) = self.app.partners().source(self.partner)
        {
            // Whoever asks for a reading wants to see what is there now.
            source.forget_people();
        }
        let mut due = self.due()?;
        due.retain(|(_, known, at)| match which {
            Which::New => known.read_at.is_none() && known.failed_at.is_none(),
            Which::Due => *at <= now,
            Which::All => true,
        });
        {
            let hanging = self.hanging();
            due.sort_by_key(|(link, _, at)| (hanging.slowness(link), *at));
        }
        let due = due.into_iter().map(|(link, known, _)| (link, known));
        self.read_round(&due.collect::<Vec<_>>())
    }
}

/// Stores what a reading came to, and brings the rotations in line that follow the schedule.
fn apply(app: &App, link: &Link, read: Result<Reading, Failure>) -> Result<(), Error> {
    let (shared, link) = (app.clone(), link.clone());
    let written = app.store().write(move |tx| -> Result<()> {
        let following = store::list_following(&tx.as_read(), &link)?;
        let known = store::load_schedule(&tx.as_read(), &link)?;
        let (Some(mut known), false) = (known, following.is_empty()) else {
            // Unlinked while it was read.
            return Ok(());
        };
        match read {
            Err(failure) => {
                known.failed_at = Some(tx.now());
                known.failure = Some(failure.kind);
                known.failures = known.failures.saturating_add(1);
                Ok(store::save_schedule(tx, &link, &known)?)
            }
            Ok(reading) => {
                take(&mut known, reading, tx.now());
                let author = Author::local(Principal::Partner(link.partner), "followSchedule");
                let save = |tx: &mut WriteTx| Ok(store::save_schedule(tx, &link, &known)?);
                let by = (&author, Act::Reading);
                mutation::follow(&shared, tx, by, &following, save, |tx, draft, _| {
                    external_linking::keep_zone(&mut draft.rotation);
                    draft.change(tx, WindowChange::ByClock, |_| ());
                })
            }
        }
    });
    written.map_err(|error| match error {
        ActionError::Failed(error) => error,
        ActionError::Refused(refusal) => Error::Corrupt(format!("{refusal:?}")),
    })
}
