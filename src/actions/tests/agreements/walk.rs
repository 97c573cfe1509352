//! A rotation and its model: every operation is applied to both, and they are compared.

use super::compare::CellSpells;
use super::grid::regrid;
use super::model::{Absence, Key, Model, Policy, Who};
use super::ops::{Case, Op, Pass, WILD};
use super::rules::{Refused, Verdict};
use super::time::{DAY, Minute, Span};
use crate::actions::once::OperationKey;
use crate::actions::tests::*;
use crate::domain::absence_policy::{CountChange, PassOver, PolicyChange, WhileOnDuty};
use crate::domain::audit::CLOCK;
use crate::domain::ids::{AbsenceId, TokenId};
use crate::domain::personal_calendar::{Counts, PersonalCalendar, Reading, SecretAddress};
use crate::domain::refusal::Refusal;
use crate::store::MirroredAbsence;
use proptest::test_runner::TestCaseError;
use serde_json::Value;

/// The result, with an error in words.
pub type Outcome = Result<(), TestCaseError>;

/// Fails with a message.
pub fn fail<T>(sentence: String) -> Result<T, TestCaseError> {
    Err(TestCaseError::fail(sentence))
}

/// A rotation and its model.
pub struct Walk<'a> {
    pub app: &'a App,
    pub base: Timestamp,
    pub id: RotationId,
    pub model: Model,
    pub version: u64,
    /// By their keys in the model.
    pub lanes: Vec<Option<String>>,
    pub windows: Vec<String>,
    pub cells: Vec<Option<String>>,
    /// In the order of the model's.
    pub arrangements: Vec<String>,
    pub requests: Vec<String>,
    absences: Vec<AbsenceId>,
    operations: u32,
    /// Something is due that has not been processed.
    pub overdue: bool,
    /// The schedule of time that has passed since.
    pub plans: Vec<(Span, Vec<CellSpells>)>,
    /// Who was on call at instants that have passed, and who was foretold to be.
    pub seen: Vec<(Minute, Value)>,
    pub foretold: Vec<(Minute, Value)>,
}

/// The person as a member of the workspace.
pub fn person(who: Who) -> UserId {
    UserId::from(format!("U{who}"))
}

/// The person by a member token.
pub fn member(who: Who) -> Principal {
    Principal::Person {
        user: person(who),
        name: "test".into(),
        role: Role::Member,
        via: Via::Token(TokenId::from(format!("tok_{who}"))),
    }
}

/// The model's name of a refusal.
fn refused(refusal: &Refusal) -> Option<Refused> {
    Some(match refusal {
        Refusal::Invalid { .. } => Refused::Invalid,
        Refusal::ResourceDenied(_) => Refused::Denied,
        Refusal::RotationDisabled => Refused::Disabled,
        Refusal::NotYourDuty(_) => Refused::NotYourDuty,
        Refusal::ConflictBlocks(_) => Refused::Blocks,
        Refusal::ConflictsNotAcknowledged(_) => Refused::Unacknowledged,
        Refusal::RepairNotSupported => Refused::Repair,
        Refusal::ArrangementChanged(_) => Refused::ArrangementChanged,
        Refusal::RequestNotPending(_) => Refused::NotPending,
        Refusal::CoverAlreadyAccepted => Refused::AlreadyAccepted,
        Refusal::RequestChanged => Refused::RequestChanged,
        Refusal::StartedLegNotAcknowledged(_) => Refused::StartedLeg,
        _ => return None,
    })
}

/// The policy as a change of a rotation.
fn change_of(policy: Policy) -> PolicyChange {
    let (calendars, minimum_hours) = match policy.calendars {
        None => (CountChange::Never, None),
        Some(0) => (CountChange::Always, None),
        Some(hours) => (CountChange::Long, Some(hours)),
    };
    PolicyChange {
        calendars: Some(calendars),
        minimum_hours,
        pass_over: Some(match policy.during {
            true => PassOver::DuringTurn,
            false => PassOver::AtHandOver,
        }),
        while_on_duty: Some(match policy.leaves {
            true => WhileOnDuty::HandOver,
            false => WhileOnDuty::Keep,
        }),
    }
}

/// A calendar that nobody reads.
fn calendar_of(user: &UserId, now: Timestamp) -> PersonalCalendar {
    PersonalCalendar {
        id: format!("pcl_{user}").into(),
        user: user.clone(),
        address: SecretAddress("https://calendar.example/feed".into()),
        name: None,
        counts: Counts::default(),
        words: None,
        created_at: now,
        reading: Reading::asked_at(now),
    }
}

/// Adds the position in the sequence to an error.
fn response(error: TestCaseError, op: &Op, now: Minute) -> TestCaseError {
    TestCaseError::fail(format!("{op:?} at minute {now}: {error}"))
}

/// Index `n` modulo `many`; `None` if there are none.
pub fn round(n: usize, many: usize) -> Option<usize> {
    (many > 0).then(|| n % many)
}

impl<'a> Walk<'a> {
    /// Creates the rotation. The clock must be at a Monday's midnight.
    pub fn begin(app: &'a App, name: &str, case: &Case) -> Result<Walk<'a>, TestCaseError> {
        let members: Vec<Who> = (1..=case.people).collect();
        let model = Model::new(members, case.lanes, case.windows.clone(), case.double_cover);
        let rotation = NewRotation {
            name: name.into(),
            description: None,
            code: None,
            public: true,
            lanes: 1,
            owners: vec![UserId::from("U1")],
            channels: Vec::new(),
            users: model.members.iter().map(|who| person(*who)).collect(),
            groups: Vec::new(),
            summary: None,
            dealing: Default::default(),
            absence_policy: Default::default(),
        };
        let creation = creation::NewCreation {
            key: name.into(),
            body_hash: [0; 32],
            rotation,
        };
        let made = creation::create(app, &author(), creation).expect("a rotation");
        let mut walk = Walk {
            app,
            base: app.now(),
            id: made.rotation.id.clone(),
            lanes: vec![Some(made.rotation.lanes[0].id.to_string())],
            windows: vec![made.rotation.windows[0].id.to_string()],
            cells: Vec::new(),
            model,
            version: 0,
            arrangements: Vec::new(),
            requests: Vec::new(),
            absences: Vec::new(),
            operations: 0,
            overdue: false,
            plans: Vec::new(),
            seen: Vec::new(),
            foretold: Vec::new(),
        };
        let laid = walk.replace_grid().expect("a grid");
        walk.version = laid.stamps.version;
        walk.compare()?;
        Ok(walk)
    }

    /// Runs the operations, then four more days, which must match the schedule.
    pub fn run(&mut self, ops: &[Op]) -> Outcome {
        self.perform_all(ops)?;
        self.pass(self.model.now + 4 * DAY, Pass::Asleep)?;
        self.compare()?;
        self.compare_records()?;
        self.compare_instants()
    }

    /// Runs the operations.
    pub fn perform_all(&mut self, ops: &[Op]) -> Outcome {
        for op in ops {
            let now = self.model.now;
            let response = |error| response(error, op, now);
            self.perform(op).map_err(response)?;
            // Work that became due unprocessed is processed by the next operation.
            if !matches!(op, Op::Advance(_, Pass::Asleep)) {
                self.compare().map_err(response)?;
            }
        }
        Ok(())
    }

    pub fn instant(&self, at: Minute) -> Timestamp {
        self.base + SignedDuration::from_mins(at)
    }

    pub fn minute(&self, at: Timestamp) -> Minute {
        at.duration_since(self.base).as_secs() / 60
    }

    pub fn interval(&self, span: Span) -> Interval {
        Interval {
            from: self.instant(span.from),
            until: self.instant(span.until),
        }
    }

    pub fn cell_id(&self, key: Key) -> crate::domain::ids::CellId {
        self.cells[key].as_deref().expect("a known cell").into()
    }

    /// True for one in three operations, for expensive comparisons.
    pub fn once_in_a_while(&self) -> bool {
        self.operations.is_multiple_of(3)
    }

    pub fn key(&mut self) -> OperationKey {
        self.operations += 1;
        OperationKey {
            id: format!("{}-{}", self.id, self.operations),
            body_hash: [0; 32],
        }
    }

    /// Advances the time and compares the schedule with what happened.
    fn pass(&mut self, to: Minute, pass: Pass) -> Outcome {
        let range = Span {
            from: self.model.now,
            until: to,
        };
        if range.from < range.until {
            let planned = self.planned(range)?;
            self.plans.push((range, planned));
            self.foretell(range);
        }
        let changes = self.model.advance(to);
        match pass {
            Pass::Timer => {
                dev_clock::advance(self.app, self.instant(to), &|| tell(self.app))
                    .expect("time goes by");
                self.version += changes;
            }
            Pass::Asleep => {
                self.app.clock().set(self.instant(to));
                // However much is due, it is one change.
                let first = changes > 0 && !self.overdue;
                self.version += u64::from(first);
                self.overdue |= first;
            }
        }
        Ok(())
    }

    /// Checks the result of a write: success predicted and its version counted, or a predicted refusal.
    pub fn written<T>(
        &mut self,
        before: &Model,
        verdict: Verdict,
        outcome: Result<T, ActionError>,
        may_repeat: bool,
    ) -> Result<Option<T>, TestCaseError> {
        match (verdict, outcome) {
            (Ok(()), Ok(answer)) => {
                let changed =
                    before.shown() != self.model.shown() || before.lanes != self.model.lanes;
                // The same person dealt again at the same minute: only the reason in the history may differ.
                let risen = may_repeat && !changed && self.stored_version() == self.version + 1;
                self.version += u64::from(changed || risen);
                Ok(Some(answer))
            }
            (Err(mut foreseen), Err(ActionError::Refused(refusal))) => {
                if !before.enabled() && foreseen.contains(&Refused::Invalid) {
                    foreseen.push(Refused::Disabled);
                }
                if !before.enabled() && foreseen.contains(&Refused::Disabled) {
                    foreseen.push(Refused::Invalid);
                }
                match refused(&refusal) {
                    Some(refused) if foreseen.contains(&refused) => Ok(None),
                    _ => fail(format!("refused {refusal:?}, not for {foreseen:?}")),
                }
            }
            (verdict, Ok(_)) => fail(format!("carried out, foreseen {verdict:?}")),
            (verdict, Err(stop)) => fail(format!("{stop:?}, foreseen {verdict:?}")),
        }
    }

    /// A member, except for [`WILD`](super::ops::WILD).
    pub fn somebody(&self, who: Who) -> Who {
        let members = &self.model.members;
        let member = round(usize::from(who), members.len()).map(|place| members[place]);
        member.filter(|_| who != WILD).unwrap_or(who)
    }

    fn places(&self, place: Option<usize>) -> Vec<usize> {
        match place {
            Some(place) => vec![place % self.model.cells.len()],
            None => (0..self.model.cells.len()).collect(),
        }
    }

    fn perform(&mut self, op: &Op) -> Outcome {
        let (app, id, any) = (self.app, self.id.clone(), Precondition::Any);
        let before = self.model.clone();
        match op {
            Op::Advance(minutes, pass) => self.pass(before.now + minutes, *pass)?,
            Op::ToNextDue => {
                if let Some(at) = before.next_due() {
                    self.pass(at, Pass::Timer)?;
                }
            }
            Op::Rotate(place) => {
                let places = self.places(*place);
                let cells = place.map(|_| self.cell_id(before.cells[places[0]].key));
                let cells = cells.map(|cell| vec![cell]);
                let verdict = self.model.rotate(&places);
                let outcome = write(app, &caller(), &id, &any, Rotate { cells });
                self.written(&before, verdict, outcome, true)?;
            }
            Op::Clear(place) => {
                let places = self.places(*place);
                let cell = place.map(|_| self.cell_id(before.cells[places[0]].key));
                let verdict = self.model.clear(&places);
                let outcome = write(app, &caller(), &id, &any, ClearDuty { cell });
                self.written(&before, verdict, outcome, false)?;
            }
            Op::Seat(users) => {
                let users: Vec<Who> = users.iter().map(|who| self.somebody(*who)).collect();
                let verdict = self.model.seat(&users);
                let users = users.iter().map(|who| person(*who)).collect();
                let outcome = write(app, &caller(), &id, &any, SetOnDuty { users });
                self.written(&before, verdict, outcome, false)?;
            }
            Op::Away(who, from, long) => {
                let from = before.now + from;
                let span = Span {
                    from,
                    until: from + long,
                };
                let (who, new) = (self.somebody(*who), self.model.absences.len());
                let verdict = self.model.away(Absence { who, span });
                let absence = NewAbsence {
                    user: person(who),
                    period: self.interval(span),
                    reason: None,
                    everywhere: false,
                };
                let outcome = absences::create(app, &author(), &id, absence);
                let made = self.written(&before, verdict, outcome, false)?;
                let made = made.filter(|_| self.model.absences.len() > new);
                self.absences.extend(made.map(|(absence, _)| absence.id));
            }
            Op::Back(which) => {
                if let Some(index) = round(*which, self.absences.len()) {
                    let verdict = self.model.back(index);
                    let absence = self.absences.remove(index);
                    let outcome = absences::remove(app, &author(), &id, &absence);
                    self.written(&before, verdict, outcome, false)?;
                }
            }
            Op::Mirror(who, spans) => {
                let who = self.somebody(*who);
                let spans = spans.iter().map(|(from, long)| Span {
                    from: before.now + from,
                    until: before.now + from + long,
                });
                let spans: Vec<Span> = spans.collect();
                let differs = self.model.mirror(who, &spans);
                let outcome = self.mirror(who, &spans, differs);
                self.written(&before, Ok(()), outcome, false)?;
            }
            Op::Policy(policy) => {
                let verdict = self.model.follow(*policy);
                let patch = RotationPatch {
                    absence_policy: Some(change_of(*policy)),
                    ..RotationPatch::default()
                };
                let outcome = write(app, &caller(), &id, &any, PatchRotation(patch));
                self.written(&before, verdict, outcome, false)?;
            }
            Op::Join(who, place) => {
                let mut members = before.members.clone();
                members.retain(|member| member != who);
                members.insert(place % (members.len() + 1), *who);
                self.set_members(&before, members)?;
            }
            Op::Leave(which) => {
                let mut members = before.members.clone();
                members.remove(which % members.len());
                if !members.is_empty() {
                    self.set_members(&before, members)?;
                }
            }
            Op::Enable(enabled) => {
                let verdict = self.model.enable(*enabled);
                let patch = RotationPatch {
                    enabled: Some(*enabled),
                    ..RotationPatch::default()
                };
                let outcome = write(app, &caller(), &id, &any, PatchRotation(patch));
                self.written(&before, verdict, outcome, false)?;
            }
            Op::Grid(change) => {
                let verdict = self.model.regrid(|model| regrid(model, change.clone()));
                let outcome = self.replace_grid();
                self.written(&before, verdict, outcome, false)?;
            }
            _ => self.agree(op, &before)?,
        }
        Ok(())
    }

    /// Has the calendar of a person read to contain these; `differs` from what it did.
    fn mirror(&self, who: Who, spans: &[Span], differs: bool) -> Result<(), ActionError> {
        let (app, user) = (self.app.clone(), person(who));
        let periods: Vec<Interval> = spans.iter().map(|span| self.interval(*span)).collect();
        self.app.store().write(move |tx| {
            let known = store::list_calendars_of(&tx.as_read(), &user)?.pop();
            let calendar = match known {
                Some(calendar) => calendar,
                None => {
                    let calendar = calendar_of(&user, tx.now());
                    store::insert_calendar(tx, &calendar)?;
                    calendar
                }
            };
            let absences = periods.into_iter().map(|period| MirroredAbsence {
                period,
                reason: None,
            });
            let mut absences: Vec<MirroredAbsence> = absences.collect();
            absences.sort();
            let save =
                move |tx: &mut store::WriteTx| Ok(store::save_mirrored(tx, &calendar, &absences)?);
            match differs {
                true => absences::follow_person(&app, tx, &CLOCK, &user, save),
                false => save(tx),
            }
        })
    }

    fn set_members(&mut self, before: &Model, members: Vec<Who>) -> Outcome {
        let users = Some(members.iter().map(|who| person(*who)).collect());
        let verdict = self.model.set_members(members);
        let patch = RotationPatch {
            users,
            ..RotationPatch::default()
        };
        let any = Precondition::Any;
        let outcome = write(self.app, &caller(), &self.id, &any, PatchRotation(patch));
        self.written(before, verdict, outcome, false)?;
        Ok(())
    }
}
