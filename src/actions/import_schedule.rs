//! Imports a partner's schedule as a rotation, and proves that both say the same.
//!
//! The rotation is made in a transaction and its plan compared there with the partner's timeline. Unless it is wanted and both
//! agree, the transaction is undone: what is compared is what would be stored.

use super::assignments::EndArrangement;
use super::creation::{check_new, insert};
use super::draft::Draft;
use super::grid::ReplaceCoverage;
use super::mutation::Operation;
use super::proposals::Propose;
use super::rotations::PatchRotation;
use super::{ActionError, App, Error, Result, audit, notifications, outbox};
use crate::domain::absence_policy::AbsencePolicy;
use crate::domain::arrangement::Arranged;
use crate::domain::audit::{AuditedChange, Author, quoted};
use crate::domain::blueprint::{self, Agreement, Blueprint, Takeover};
use crate::domain::books::Dealing;
use crate::domain::edit::{NewAssignment, NewRotation, RotationPatch};
use crate::domain::event::Event;
use crate::domain::forecast;
use crate::domain::handover::DealingContext;
use crate::domain::ids::{RotationId, UserId};
use crate::domain::message::PeopleNames;
use crate::domain::partner::{Definition, Member, Partner, PartnerPerson, Timeline};
use crate::domain::refusal::Refusal;
use crate::domain::rotation::Rotation;
use crate::domain::time::Interval;
use crate::store::{self, ReadTx, StoreError, WriteTx};
use std::collections::BTreeMap;

/// A schedule as it was read.
#[derive(Clone, Debug)]
pub struct Reading {
    pub partner: Partner,
    pub definition: Definition,
    pub timeline: Timeline,
    pub people: Vec<PartnerPerson>,
}

impl Reading {
    /// Gives participants and whoever is on call the names and addresses of people: some partners have only ids elsewhere.
    fn name_members(&mut self) {
        let rotations = self.definition.rotations.iter_mut();
        let participants = rotations.flat_map(|rotation| &mut rotation.participants);
        let overrides = self.definition.overrides.iter_mut();
        let overrides = overrides.map(|one| &mut one.member);
        let shifts = self.timeline.shifts.iter_mut();
        let shifts = shifts.map(|shift| &mut shift.member);
        let people = self.people.iter();
        let people: BTreeMap<&str, &PartnerPerson> = people
            .map(|person| (person.participant_id.as_str(), person))
            .collect();
        let name = |member: &mut Member| {
            let id = member.id.as_deref().unwrap_or_default();
            let Some(person) = people.get(id) else { return };
            member.name = person.name.clone().or_else(|| member.name.take());
            member.email = person.email.clone().or_else(|| member.email.take());
        };
        participants.chain(overrides).chain(shifts).for_each(name);
    }
}

/// The options of an import.
#[derive(Clone, Debug)]
pub struct ImportOptions {
    /// The code of the rotation, in upper case.
    pub code: String,
    /// Whether somebody chose the code. Otherwise a rotation that has it and was not imported is left alone.
    pub is_code_chosen: bool,
    /// The owner of a rotation that is made. `None`: an administrator of the workspace, or else whoever has the first turn.
    pub owner: Option<UserId>,
    /// The span that is compared.
    pub span: Interval,
    /// Whether to store the rotation.
    pub apply: bool,
    /// Whether to store it also where it differs from the schedule.
    pub accept_differences: bool,
}

/// The result of an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing was to be stored.
    DryRun,
    /// Both differ, so nothing was stored.
    Differs,
    Created,
    Updated,
    /// The rotation was the same already.
    Unchanged,
}

/// Something that the rotation does not say.
#[derive(Clone, Debug)]
pub struct Unsaid {
    pub what: String,
    /// Why it was refused, if it was tried.
    pub refusal: Option<Refusal>,
}

impl From<String> for Unsaid {
    fn from(what: String) -> Unsaid {
        Unsaid {
            what,
            refusal: None,
        }
    }
}

/// A schedule beside its rotation.
#[derive(Clone, Debug)]
pub struct Imported {
    pub blueprint: Blueprint,
    /// The parts of the schedule that the rotation cannot express, with what was refused.
    pub unsaid: Vec<Unsaid>,
    /// The names of the people of the differences.
    pub names: PeopleNames,
    /// Arrangements that an earlier import made, or somebody, and that the schedule does not have.
    pub ended: Vec<Arranged>,
    pub agreement: Agreement,
    /// As it is, or would be; `None` where nobody of the schedule is known here.
    pub rotation: Option<Rotation>,
    pub outcome: Outcome,
}

/// Why the transaction is undone.
enum Undone {
    /// It was only to be looked at.
    Looked(Box<Imported>),
    Failed(ActionError),
}

impl From<Error> for Undone {
    fn from(error: Error) -> Undone {
        Undone::Failed(error.into())
    }
}

impl StoreError for Undone {
    fn of_storage(&self) -> Option<&Error> {
        match self {
            Undone::Looked(_) => None,
            Undone::Failed(error) => error.of_storage(),
        }
    }
}

impl From<ActionError> for Undone {
    fn from(error: ActionError) -> Undone {
        Undone::Failed(error)
    }
}

/// Imports a schedule, or looks at what that would come to.
///
/// # Errors
/// A refusal of an operation, such as a plan without room for the rotation.
pub fn import(
    app: &App,
    author: &Author,
    mut reading: Reading,
    wanted: ImportOptions,
) -> Result<Imported> {
    reading.name_members();
    let shared = app.clone();
    let done = audit::write(app.store(), author, move |tx, author| {
        // Each operation leaves its own entry.
        let imported = make(tx, &shared, author, &reading, &wanted)?;
        match imported.outcome {
            Outcome::DryRun | Outcome::Differs => Err(Undone::Looked(Box::new(imported))),
            Outcome::Created | Outcome::Updated | Outcome::Unchanged => Ok((imported, None)),
        }
    });
    match done {
        Ok(imported) => Ok(imported),
        Err(Undone::Looked(imported)) => Ok(*imported),
        Err(Undone::Failed(error)) => Err(error),
    }
}

/// Who the partner's people are here: as somebody said, else by their addresses.
fn known_people(tx: &ReadTx, reading: &Reading) -> Result<BTreeMap<String, UserId>, Error> {
    let mut known = store::list_participant_links(tx, reading.partner)?;
    for person in &reading.people {
        let Some(email) = &person.email else { continue };
        if known.contains_key(&person.participant_id) {
            continue;
        }
        if let Some(user) = store::list_people_by_email(tx, email)?.into_iter().next() {
            known.insert(person.participant_id.clone(), user);
        }
    }
    Ok(known)
}

fn make(
    tx: &mut WriteTx,
    app: &App,
    author: &Author,
    reading: &Reading,
    wanted: &ImportOptions,
) -> Result<Imported> {
    let users = known_people(&tx.as_read(), reading)?;
    let known = |id: &str| users.get(id).cloned();
    let (definition, timeline) = (&reading.definition, &reading.timeline);
    let mut blueprint = blueprint::of(definition, timeline, &known, app.calendar(), tx.now());
    // Reading took a while; a rotation that is made begins now.
    let span = Interval {
        from: wanted.span.from.max(tx.now()),
        ..wanted.span
    };
    let mut unsaid: Vec<Unsaid> = (blueprint.unsaid.iter().cloned())
        .map(Unsaid::from)
        .collect();
    let existing = store::rotation_by_code(&tx.as_read(), &wanted.code)?;
    if let Some(id) = existing.as_ref().filter(|_| !wanted.is_code_chosen) {
        check_imported(tx, id, &wanted.code)?;
    }
    if blueprint.slots.is_empty() {
        let agreement = blueprint::agreement(&blueprint, &[], timeline, &known, span);
        return Ok(Imported {
            blueprint,
            unsaid,
            ended: Vec::new(),
            names: PeopleNames::new(),
            agreement,
            rotation: None,
            outcome: match wanted.apply {
                false => Outcome::DryRun,
                true => Outcome::Differs,
            },
        });
    }
    let (id, was) = match existing {
        Some(id) => {
            let Some(mut draft) = Draft::load(&tx.as_read(), app, author, &id)? else {
                return Err(Refusal::NotFound("rotation").into());
            };
            draft.catch_up(tx)?;
            blueprint.keep_orders(&draft.rotation);
            let was = draft.rotation.clone();
            let patch = RotationPatch {
                name: Some(definition.summary.name.clone()),
                users: Some(blueprint.members.clone()),
                ..RotationPatch::default()
            };
            run(tx, app, author, &id, PatchRotation(patch))?;
            (id, Some(was))
        }
        None => (
            create(tx, app, author, &blueprint, definition, wanted)?,
            None,
        ),
    };
    run(tx, app, author, &id, ReplaceCoverage(blueprint.grid()))?;
    let rotation = loaded(tx, &id)?;
    let takeovers = blueprint.takeovers.iter();
    let wanted_ones = takeovers.map(|takeover| assignment(&blueprint, &rotation, takeover));
    let wanted_ones: Vec<NewAssignment> = wanted_ones.collect();
    for stale in stale(&rotation, &wanted_ones, timeline) {
        let (period, user) = (stale.period, &stale.user);
        let says = format!(
            "the assignment of {user} from {} to {}",
            period.from, period.until
        );
        let end = end_of(&tx.as_read(), &rotation, &stale)?;
        attempt(tx, app, author, &id, end, &says, &mut unsaid)?;
    }
    for new in wanted_ones {
        if rotation.arranged.iter().any(|made| is_made(made, &new)) {
            continue;
        }
        let (asked, user) = (new.asked, &new.user);
        let says = format!(
            "the override from {} to {} by {user}",
            asked.from, asked.until
        );
        attempt(tx, app, author, &id, Propose(new), &says, &mut unsaid)?;
    }
    let rotation = loaded(tx, &id)?;
    // Some ended already because their person is no member any more.
    let before = was.iter().flat_map(|was| &was.arranged);
    let ended = before.filter(|was| !rotation.arranged.iter().any(|one| one.id == was.id));
    let ended = ended.cloned().collect();
    let dealing = DealingContext::new(app.calendar(), &rotation.absences);
    let plan = forecast::schedule(&rotation, dealing, span)?;
    let agreement = blueprint::agreement(&blueprint, &plan, timeline, &known, span);
    let kind = match was {
        None => Outcome::Created,
        Some(was) if was.stamps.version == rotation.stamps.version => Outcome::Unchanged,
        Some(_) => Outcome::Updated,
    };
    let people = agreement.differences.iter().flat_map(|one| &one.here);
    Ok(Imported {
        outcome: outcome(wanted, &agreement, kind),
        names: notifications::load_names(&tx.as_read(), people)?,
        blueprint,
        unsaid,
        ended,
        agreement,
        rotation: Some(rotation),
    })
}

/// Refuses to bring a rotation in line that somebody made by hand, and whose code just happens to be that of a schedule.
fn check_imported(tx: &WriteTx, id: &RotationId, code: &str) -> Result<()> {
    let rotation = loaded(tx, id)?;
    if blueprint::is_imported(&rotation) {
        return Ok(());
    }
    let name = quoted(&rotation.profile.name);
    Err(Refusal::invalid("", format!(
        "the rotation {name} has the code {code} and was not imported; choose a code with --code: another one, or {code} to \
         bring this rotation in line"
    ))
    .into())
}

/// The outcome for the rotation that was made.
fn outcome(wanted: &ImportOptions, agreement: &Agreement, made: Outcome) -> Outcome {
    match wanted.apply {
        false => Outcome::DryRun,
        true if !agreement.is_proof() && !wanted.accept_differences => Outcome::Differs,
        true => made,
    }
}

fn loaded(tx: &WriteTx, id: &RotationId) -> Result<Rotation> {
    let rotation = store::load_rotation(&tx.as_read(), id)?;
    Ok(rotation.ok_or(Refusal::NotFound("rotation"))?)
}

/// Runs an operation within the transaction.
fn run<O: Operation>(
    tx: &mut WriteTx,
    app: &App,
    author: &Author,
    id: &RotationId,
    operation: O,
) -> Result<()> {
    let Some(mut draft) = Draft::load(&tx.as_read(), app, author, id)? else {
        return Err(Refusal::NotFound("rotation").into());
    };
    operation.admit(&tx.as_read(), &draft.rotation, &author.principal)?;
    if draft.rotation.external.is_some() && operation.changes_duty(&draft.rotation) {
        return Err(Refusal::ExternalReadOnly.into());
    }
    operation.apply(tx, &mut draft, &author.principal)?;
    draft.record_description(tx)?;
    Ok(())
}

/// Runs an operation that may be refused, which is then a line.
fn attempt<O: Operation>(
    tx: &mut WriteTx,
    app: &App,
    author: &Author,
    id: &RotationId,
    operation: O,
    says: &str,
    unsaid: &mut Vec<Unsaid>,
) -> Result<()> {
    match tx.part(|tx| run(tx, app, author, id, operation)) {
        Err(ActionError::Refused(refusal)) => {
            unsaid.push(Unsaid {
                what: says.to_owned(),
                refusal: Some(refusal),
            });
            Ok(())
        }
        done => done,
    }
}

fn create(
    tx: &mut WriteTx,
    app: &App,
    author: &Author,
    blueprint: &Blueprint,
    definition: &Definition,
    wanted: &ImportOptions,
) -> Result<RotationId> {
    let owner = match &wanted.owner {
        Some(named) => Some(named.clone()),
        None => store::find_administrator(&tx.as_read())?,
    };
    let owner = owner.or_else(|| blueprint.members.first().cloned());
    let new = NewRotation {
        name: definition.summary.name.clone(),
        description: None,
        code: Some(wanted.code.clone()),
        public: false,
        lanes: 1,
        owners: owner.into_iter().collect(),
        channels: Vec::new(),
        users: blueprint.members.clone(),
        groups: Vec::new(),
        summary: None,
        dealing: Dealing::of_new(),
        absence_policy: AbsencePolicy::of_new(),
    };
    check_new(&tx.as_read(), &new, &app.tier_limits())?;
    let rotation = insert(tx, new)?;
    outbox::announce(tx, app, &rotation, &[Event::Created], outbox::Occurs::Now)?;
    let created = format!("rotation {} created", quoted(&rotation.profile.name));
    let change = AuditedChange {
        rotation: Some(rotation.id.clone()),
        ..AuditedChange::of(rotation.id.as_str(), created)
    };
    audit::record(tx, author, change)?;
    Ok(rotation.id)
}

/// The assignment that makes somebody take over a slot.
fn assignment(blueprint: &Blueprint, rotation: &Rotation, takeover: &Takeover) -> NewAssignment {
    let roster = blueprint.roster(takeover.slot);
    let cell = rotation.cells.iter().find(|cell| cell.roster == roster);
    let cell = cell.unwrap_or(&rotation.cells[0]);
    NewAssignment {
        cell: cell.id.clone(),
        user: takeover.user.clone(),
        asked: takeover.period,
        turn_selection: None,
        acknowledged: Vec::new(),
        replaces: None,
        imported: true,
    }
}

/// Whether an arrangement is what an assignment would make, the part of it that is over aside.
fn is_made(made: &Arranged, new: &NewAssignment) -> bool {
    made.cell == new.cell
        && made.user == new.user
        && made.period.until == new.asked.until
        && made.period.from <= new.asked.from
}

/// The assignments that the schedule does not have, as far as its timeline tells. Covers and swaps are what people agreed on, and
/// stay.
fn stale(rotation: &Rotation, wanted: &[NewAssignment], timeline: &Timeline) -> Vec<Arranged> {
    let stale = rotation.arranged.iter().filter(|made| {
        made.request.is_none()
            && made.period.from < timeline.known.until
            && !wanted.iter().any(|new| is_made(made, new))
    });
    stale.cloned().collect()
}

/// The end of an assignment.
fn end_of(tx: &ReadTx, rotation: &Rotation, made: &Arranged) -> Result<EndArrangement, Error> {
    let found = store::load_arrangement(tx, &rotation.id, &made.id)?;
    Ok(EndArrangement {
        arrangement: made.id.clone(),
        expected_revision: found.map_or(0, |found| found.revision),
    })
}
