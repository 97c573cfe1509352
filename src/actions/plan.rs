//! What edits of many rotations would come to, each rotation alone (rules.md 6.4). Changes nothing.

use super::preview::{self, MOST_DAYS, Preview, PreviewQuery, Refused};
use super::rotations::Agrees;
use super::warnings::{self, Surroundings};
use super::{ActionError, App, Result, changes, creation, reads};
use crate::domain::absence_policy::AbsencePolicy;
use crate::domain::access::Principal;
use crate::domain::books::Dealing;
use crate::domain::edit::{Edits, NewRotation, RotationPatch};
use crate::domain::fault::Fault;
use crate::domain::handover::DealingContext;
use crate::domain::ids::{ChangeId, RotationId};
use crate::domain::naming::Naming;
use crate::domain::refusal::Refusal;
use crate::domain::rotation::Rotation;
use crate::domain::staged::ChangeTime;
use crate::domain::time::Interval;
use crate::domain::warning::Warning;
use crate::store::{self, ReadTx};
use jiff::{SignedDuration, Timestamp};

/// Rotations that are planned at once, at the most.
pub const MOST: usize = 200;

/// Which rotation edits are for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// The one with this code, or a new one.
    Code(String),
    Id(RotationId),
}

/// Edits of one rotation.
pub struct Item {
    pub target: Target,
    /// Changes that wait, which these edits replace.
    pub replaces: Vec<ChangeId>,
    pub edits: Edits,
    pub agrees: Option<Agrees>,
}

/// When the edits are made, and how many days from then on are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct When {
    pub at: ChangeTime,
    pub days: i64,
}

/// What edits of one rotation would come to.
pub struct Planned {
    /// `None` for a new one.
    pub rotation: Option<RotationId>,
    pub code: Option<String>,
    pub at: Timestamp,
    /// Why the edits as a whole would be refused.
    pub refusals: Vec<Refused>,
    /// The changes that wait and would go.
    pub replaced: Vec<ChangeId>,
    /// `None` where the rotation is not there for the caller, or its time cannot be told.
    pub preview: Option<Preview>,
    pub warnings_before: Vec<Warning>,
}

impl Planned {
    /// Edits of which nothing can be shown.
    fn refused(target: &Target, at: Timestamp, refusal: Refusal) -> Planned {
        let (rotation, code) = match target {
            Target::Code(code) => (None, Some(code.clone())),
            Target::Id(id) => (Some(id.clone()), None),
        };
        Planned {
            rotation,
            code,
            at,
            refusals: vec![whole(refusal)],
            replaced: Vec::new(),
            preview: None,
            warnings_before: Vec::new(),
        }
    }
}

/// A refusal of an item as a whole.
fn whole(refusal: Refusal) -> Refused {
    let part = match &refusal {
        Refusal::Invalid { path, .. } => path.as_str().to_owned(),
        _ => String::new(),
    };
    Refused { part, refusal }
}

/// Plans edits, each of its rotation alone. `take` gets what they come to, in order.
///
/// # Errors
/// If the storage fails, and [`Refusal::Invalid`] where it takes too much to forecast. What is wrong with the edits is in the plan.
pub fn each(
    app: &App,
    caller: &Principal,
    items: Vec<Item>,
    when: &When,
    mut take: impl FnMut(Planned),
) -> Result<()> {
    let mut planning = Planning {
        app,
        caller,
        when,
        // One instant for all of them, so that their ranges are one.
        now: app.now(),
        surroundings: Surroundings::of_many(app),
    };
    for item in items {
        take(app.store().read(|tx| planning.one(tx, item))?);
    }
    Ok(())
}

/// Plans the edits of one rotation after the other.
struct Planning<'a> {
    app: &'a App,
    caller: &'a Principal,
    when: &'a When,
    now: Timestamp,
    surroundings: Surroundings<'a>,
}

impl Planning<'_> {
    fn one(&mut self, tx: &ReadTx, item: Item) -> Result<Planned> {
        let (app, caller, now) = (self.app, self.caller, self.now);
        let found = match &item.target {
            Target::Id(id) => Some(id.clone()),
            Target::Code(code) => store::rotation_by_code(tx, code)?,
        };
        let Some(id) = found else {
            return self.new_one(tx, item);
        };
        let stored = match reads::visible(tx, caller, &id) {
            Ok(stored) => stored,
            Err(ActionError::Refused(refusal)) => {
                let refusal = match &item.target {
                    Target::Code(code) => Refusal::RotationCodeTaken(code.clone()),
                    Target::Id(_) => refusal,
                };
                return Ok(Planned::refused(&item.target, now, refusal));
            }
            Err(error) => return Err(error),
        };
        let mut current = reads::caught_up(app, &stored, now);
        let mut replaced = Vec::new();
        current.waiting.retain(|change| {
            let goes = item.replaces.contains(&change.id);
            replaced.extend(goes.then(|| change.id.clone()));
            !goes
        });
        let now = now.max(current.stamps.judged_at);
        let at = match changes::instant(&self.when.at, &current, app.calendar(), now) {
            Ok(at) => at,
            Err(refusal) => {
                return Ok(Planned {
                    rotation: Some(id),
                    code: current.profile.code.clone(),
                    ..Planned::refused(&item.target, now, refusal)
                });
            }
        };
        let rights = caller.check_edit(&current).err().map(whole);
        let waits = self.when.at != ChangeTime::Now;
        let wanted = query(item, waits);
        let (preview, warnings_before) = self.compared(tx, &current, at, wanted)?;
        Ok(Planned {
            rotation: Some(id),
            code: current.profile.code.clone(),
            at,
            refusals: rights.into_iter().collect(),
            replaced,
            preview: Some(preview),
            warnings_before,
        })
    }

    /// The preview, and the warnings of the plan before.
    fn compared(
        &mut self,
        tx: &ReadTx,
        current: &Rotation,
        at: Timestamp,
        wanted: PreviewQuery,
    ) -> Result<(Preview, Vec<Warning>)> {
        let (app, caller) = (self.app, self.caller);
        let surroundings = &mut self.surroundings;
        let days = self.when.days.min(MOST_DAYS);
        let range = Interval::ahead(at, SignedDuration::from_hours(24 * days));
        let dealing = DealingContext::new(app.calendar(), &current.absences);
        let now = (current, dealing);
        let found = preview::compare(app, tx, caller, now, range, wanted, surroundings)?;
        let is_same = found.then.same_as(&found.base);
        let before = match is_same {
            true => found.warnings.clone(),
            false => {
                let dealing = DealingContext::new(app.calendar(), &found.base.absences);
                let base = (&found.base, dealing);
                let all = (None, Naming::Names);
                warnings::of_plan(app, tx, caller, base, range, all, surroundings)?
            }
        };
        Ok((found, before))
    }

    /// Plans a rotation that is not there yet, from now on.
    fn new_one(&mut self, tx: &ReadTx, mut item: Item) -> Result<Planned> {
        let now = self.now;
        let Target::Code(code) = &item.target else {
            let missing = Refusal::NotFound("rotation");
            return Ok(Planned::refused(&item.target, now, missing));
        };
        let code = code.clone();
        let mut refusals = Vec::new();
        refusals.extend(self.caller.check_create().err().map(whole));
        let patch = item.edits.patch.get_or_insert_with(RotationPatch::default);
        patch.code.get_or_insert_with(|| Some(code.clone()));
        let missing = |member: &str| Refused {
            part: "rotation".to_owned(),
            refusal: Refusal::invalid(member, Fault::Missing("a new rotation needs it".into())),
        };
        refusals.extend(patch.name.is_none().then(|| missing("name")));
        refusals.extend(patch.owners.is_none().then(|| missing("owners")));
        let over = creation::check_count(tx, &self.app.tier_limits());
        match over {
            Err(ActionError::Refused(refusal)) => refusals.push(whole(refusal)),
            other => other?,
        }
        let rotation = blank(now);
        let wanted = query(item, false);
        let (preview, warnings_before) = self.compared(tx, &rotation, now, wanted)?;
        Ok(Planned {
            rotation: None,
            code: Some(code),
            at: now,
            refusals,
            replaced: Vec::new(),
            preview: Some(preview),
            warnings_before,
        })
    }
}

fn query(item: Item, waits: bool) -> PreviewQuery {
    PreviewQuery {
        edits: item.edits,
        agrees: item.agrees,
        warns: true,
        is_edit: true,
        waits,
    }
}

/// A rotation that is made, before its edits.
fn blank(now: Timestamp) -> Rotation {
    let blank = NewRotation {
        name: String::new(),
        description: None,
        code: None,
        public: false,
        lanes: 1,
        owners: Vec::new(),
        channels: Vec::new(),
        users: Vec::new(),
        groups: Vec::new(),
        summary: None,
        dealing: Dealing::of_new(),
        absence_policy: AbsencePolicy::of_new(),
    };
    let mut minted = 0;
    creation::blank(blank, now, &mut |prefix| {
        minted += 1;
        format!("{prefix}new{minted}")
    })
}
