//! Which warnings are wanted where, changed one kind at a time, and who changed it last.

use crate::actions::draft::Draft;
use crate::actions::mutation::Operation;
use crate::actions::{App, Result, audit, reads};
use crate::domain::access::Principal;
use crate::domain::audit::{AuditEntry, AuditFilter};
use crate::domain::event::Act;
use crate::domain::forecast::ShiftRotation;
use crate::domain::ids::RotationId;
use crate::domain::limits::within;
use crate::domain::refusal::Refusal;
use crate::domain::warning_kinds::{MOST_REST_HOURS, WarningKind, WarningSettings};
use crate::store::{self, Page, RotationFilter, RotationOrder, WriteTx};

/// Rotations that are looked at, at the most.
const MOST: u32 = 10_000;

/// The name of the write in the audit log, which is that of the API's operation.
const ACTION: &str = "setWarningSettings";

/// A rotation, and which warnings it wants.
#[derive(Clone, Debug)]
pub struct Wants {
    pub rotation: ShiftRotation,
    pub settings: WarningSettings,
    /// Whether the caller takes turns in it.
    pub is_member: bool,
}

/// The rotations whose warnings a caller may switch off, by name.
///
/// # Errors
/// [`Refusal::ResourceDenied`] for a caller who may change no rotation and does not administer the workspace.
pub fn editable(app: &App, caller: &Principal) -> Result<Vec<Wants>> {
    let filter = RotationFilter {
        order: RotationOrder::Name,
        user: match caller.check_administer() {
            Ok(()) => None,
            Err(_) => Some(caller.person()?.clone()),
        },
        ..RotationFilter::default()
    };
    let found = app.store().read(|tx| -> Result<_> {
        let filter = reads::narrowed(caller, filter);
        let (ids, _) = store::list_rotations(tx, &filter, Page::first(MOST))?;
        let mut found = Vec::new();
        for rotation in store::each_rotation(tx, &ids) {
            let rotation = rotation?;
            if caller.check_edit(&rotation).is_ok() {
                found.push(Wants {
                    is_member: caller.person().is_ok_and(|user| rotation.has_member(user)),
                    rotation: ShiftRotation::of(&rotation),
                    settings: rotation.profile.warnings,
                });
            }
        }
        Ok(found)
    })?;
    match found.is_empty() {
        true => caller.check_administer().map(|()| found).map_err(|_| {
            let detail = "only owners of a rotation and workspace admins may look at problems";
            Refusal::ResourceDenied(detail.into()).into()
        }),
        false => Ok(found),
    }
}

/// The newest change of which warnings a rotation wants, as far as the log goes back.
pub fn last_change(app: &App, caller: &Principal, id: &RotationId) -> Result<Option<AuditEntry>> {
    let filter = AuditFilter {
        rotation: Some(id.clone()),
        action: Some(ACTION.to_owned()),
        ..AuditFilter::default()
    };
    let (mut entries, _) = audit::list(app, caller, &filter, Page::first(1))?;
    Ok(entries.pop())
}

/// Changes one of the settings of a rotation, whatever the others are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Silence {
    Off(WarningKind),
    On(WarningKind),
    /// Only rest of fewer hours is a warning.
    RestUnder(u32),
}

impl Silence {
    /// What a button of a page says: `off:KIND`, `on:KIND` or `shortRestHours:HOURS`.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] for anything else.
    pub fn parse(does: &str, what: &str) -> std::result::Result<Silence, Refusal> {
        let wrong = || Refusal::invalid("silence", "use one of the buttons of the page");
        match does {
            "off" => WarningKind::parse(what).map(Silence::Off).ok_or_else(wrong),
            "on" => WarningKind::parse(what).map(Silence::On).ok_or_else(wrong),
            "shortRestHours" => {
                let hours = what.parse::<i32>().map_err(|_| wrong())?;
                let hours = within("silence", hours, 1..=MOST_REST_HOURS)?;
                Ok(Silence::RestUnder(hours))
            }
            _ => Err(wrong()),
        }
    }

    /// Whether settings are changed by it: hours of rest are only lowered.
    pub fn changes(self, settings: &WarningSettings) -> bool {
        match self {
            Silence::Off(kind) => !settings.off.contains(&kind),
            Silence::On(kind) => settings.off.contains(&kind),
            Silence::RestUnder(hours) => settings.short_rest_hours > hours,
        }
    }
}

impl Operation for Silence {
    const NAME: &'static str = "silence warnings";
    type Output = ();

    fn apply(self, tx: &mut WriteTx, draft: &mut Draft, _: &Principal) -> Result<()> {
        let settings = &mut draft.rotation.profile.warnings;
        if !self.changes(settings) {
            return Ok(());
        }
        match self {
            Silence::Off(kind) => drop(settings.off.insert(kind)),
            Silence::On(kind) => drop(settings.off.remove(&kind)),
            Silence::RestUnder(hours) => settings.short_rest_hours = hours,
        }
        draft.store(tx, Act::Edit)?;
        Ok(())
    }
}
