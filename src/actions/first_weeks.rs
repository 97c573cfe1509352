//! The first weeks of a rotation that is not made yet: it is made as it would be, its plan read, and everything undone.

use super::creation::{check_new, insert};
use super::draft::Draft;
use super::grid::ReplaceCoverage;
use super::mutation::Operation;
use super::{ActionError, App, Error, Result, audit};
use crate::domain::audit::Author;
use crate::domain::duty::Duty;
use crate::domain::edit::NewRotation;
use crate::domain::forecast::{self, Gap};
use crate::domain::grid::GridSpec;
use crate::domain::handover::DealingContext;
use crate::domain::ids::UserId;
use crate::domain::refusal::Refusal;
use crate::domain::rotation::Rotation;
use crate::domain::time::Interval;
use crate::store::{self, StoreError, WriteTx};
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeMap;

/// The plan of a rotation that was looked at.
#[derive(Clone, Debug)]
pub struct FirstWeeks {
    /// As it would be. Ids are not those that it gets.
    pub rotation: Rotation,
    pub range: Interval,
    /// Who has what, by start.
    pub duties: Vec<Duty>,
    /// Covered hours without anybody.
    pub gaps: Vec<Gap>,
    /// The turns and the covered hours of each person in the range.
    pub shares: BTreeMap<UserId, (usize, SignedDuration)>,
}

/// The plan, carried out of the write that is undone.
enum Undone {
    Looked(Box<FirstWeeks>),
    Failed(ActionError),
}

impl<E: Into<ActionError>> From<E> for Undone {
    fn from(error: E) -> Undone {
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

/// Looks at a rotation with this coverage, from now until an instant. Nothing is stored.
///
/// # Errors
/// The refusals of making it, and of a plan that takes too much to forecast.
pub fn look(
    app: &App,
    author: &Author,
    new: NewRotation,
    coverage: Option<GridSpec>,
    until: Timestamp,
) -> Result<FirstWeeks> {
    author.principal.check_create()?;
    let shared = app.clone();
    let looked = audit::write(app.store(), author, move |tx, author| {
        let seen = make(tx, &shared, author, new, coverage, until)?;
        Err::<((), _), _>(Undone::Looked(Box::new(seen)))
    });
    match looked {
        Err(Undone::Looked(seen)) => Ok(*seen),
        Err(Undone::Failed(error)) => Err(error),
        Ok(()) => Err(Refusal::NotFound("rotation").into()),
    }
}

fn make(
    tx: &mut WriteTx,
    app: &App,
    author: &Author,
    new: NewRotation,
    coverage: Option<GridSpec>,
    until: Timestamp,
) -> Result<FirstWeeks> {
    check_new(&tx.as_read(), &new, &app.tier_limits())?;
    let made = insert(tx, new)?;
    let draft = Draft::load(&tx.as_read(), app, author, &made.id)?;
    let mut draft = draft.ok_or(Refusal::NotFound("rotation"))?;
    if let Some(spec) = coverage {
        ReplaceCoverage(spec).apply(tx, &mut draft, &author.principal)?;
    }
    let rotation = store::load_rotation(&tx.as_read(), &made.id)?;
    let rotation = rotation.ok_or(Refusal::NotFound("rotation"))?;
    let range = Interval::new(tx.now(), until);
    let dealing = DealingContext::new(app.calendar(), &rotation.absences);
    let duties = forecast::schedule(&rotation, dealing, range)?;
    Ok(FirstWeeks {
        gaps: forecast::gaps(&duties, range),
        shares: shares(&duties, range),
        rotation,
        range,
        duties,
    })
}

fn shares(duties: &[Duty], range: Interval) -> BTreeMap<UserId, (usize, SignedDuration)> {
    let mut shares: BTreeMap<UserId, (usize, SignedDuration)> = BTreeMap::new();
    for duty in duties {
        let (Some(user), Some(period)) = (&duty.entry.user, duty.period().meets(range)) else {
            continue;
        };
        let share = shares.entry(user.clone()).or_default();
        share.0 += 1;
        share.1 += period.until.duration_since(period.from);
    }
    shares
}
