//! What edits of many rotations would come to, each rotation alone (rules.md 6.4). Changes nothing.

use super::preview::{self, MOST_DAYS, Preview, PreviewQuery, Refused};
use super::rotations::Agrees;
use super::{ActionError, App, Result, changes, creation, reads, warnings};
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

/// Plans the edits of one rotation.
///
/// # Errors
/// If the storage fails, and [`Refusal::Invalid`] where it takes too much to forecast. What is wrong with the edits is in the plan.
pub fn of(app: &App, caller: &Principal, item: Item, when: &When) -> Result<Planned> {
    let now = app.now();
    app.store().read(|tx| {
        let found = match &item.target {
            Target::Id(id) => Some(id.clone()),
            Target::Code(code) => store::rotation_by_code(tx, code)?,
        };
        let Some(id) = found else {
            return new(app, tx, caller, item, when, now);
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
        let at = match changes::instant(&when.at, &current, app.calendar(), now) {
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
        let wanted = query(item);
        let (preview, warnings_before) = compared(app, tx, caller, &current, (at, when), wanted)?;
        Ok(Planned {
            rotation: Some(id),
            code: current.profile.code.clone(),
            at,
            refusals: rights.into_iter().collect(),
            replaced,
            preview: Some(preview),
            warnings_before,
        })
    })
}

fn query(item: Item) -> PreviewQuery {
    PreviewQuery {
        edits: item.edits,
        agrees: item.agrees,
        warns: true,
        is_edit: true,
    }
}

/// The preview, and the warnings of the plan before.
fn compared(
    app: &App,
    tx: &ReadTx,
    caller: &Principal,
    current: &Rotation,
    (at, when): (Timestamp, &When),
    wanted: PreviewQuery,
) -> Result<(Preview, Vec<Warning>)> {
    let days = when.days.min(MOST_DAYS);
    let range = Interval::ahead(at, SignedDuration::from_hours(24 * days));
    let dealing = DealingContext::new(app.calendar(), &current.absences);
    let found = preview::compare(app, tx, caller, (current, dealing), range, wanted)?;
    let is_same = found.then.same_as(&found.base);
    let before = match is_same {
        true => found.warnings.clone(),
        false => {
            let dealing = DealingContext::new(app.calendar(), &found.base.absences);
            let all = (None, Naming::Names);
            warnings::of_plan(app, tx, caller, (&found.base, dealing), range, all)?
        }
    };
    Ok((found, before))
}

/// Plans a rotation that is not there yet, from now on.
fn new(
    app: &App,
    tx: &ReadTx,
    caller: &Principal,
    mut item: Item,
    when: &When,
    now: Timestamp,
) -> Result<Planned> {
    let Target::Code(code) = &item.target else {
        return Ok(Planned::refused(
            &item.target,
            now,
            Refusal::NotFound("rotation"),
        ));
    };
    let code = code.clone();
    let mut refusals = Vec::new();
    refusals.extend(caller.check_create().err().map(whole));
    let patch = item.edits.patch.get_or_insert_with(RotationPatch::default);
    patch.code.get_or_insert_with(|| Some(code.clone()));
    let missing = |member: &str| Refused {
        part: "rotation".to_owned(),
        refusal: Refusal::invalid(member, Fault::Missing("a new rotation needs it".into())),
    };
    refusals.extend(patch.name.is_none().then(|| missing("name")));
    refusals.extend(patch.owners.is_none().then(|| missing("owners")));
    let over = creation::check_count(tx, &app.tier_limits());
    match over {
        Err(ActionError::Refused(refusal)) => refusals.push(whole(refusal)),
        other => other?,
    }
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
    let rotation = creation::blank(blank, now, &mut |prefix| {
        minted += 1;
        format!("{prefix}new{minted}")
    });
    let wanted = query(item);
    let (preview, warnings_before) = compared(app, tx, caller, &rotation, (now, when), wanted)?;
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
