//! Undo of a change of settings: the write of what was so before.

use super::{Saved, carry_out, nothing, page};
use crate::actions::ActionError;
use crate::actions::channels::SetChannel;
use crate::actions::duty_group::{BindDutyGroup, UnbindDutyGroup};
use crate::actions::grid::{ReplaceCoverage, WriteRoster};
use crate::actions::mentions::SetMentionSettings;
use crate::actions::once::Receipt;
use crate::actions::rotations::PatchRotation;
use crate::actions::warnings::SetWarningSettings;
use crate::domain::edit::{
    ChannelChange, DutyGroupChoice, RotationPatch, SettingsChange, WarningChange,
};
use crate::domain::grid::{GridSpec, RosterSpec};
use crate::domain::ids::{ChannelId, RosterId, RotationId};
use crate::domain::refusal::invalid;
use crate::server::Outcome;
use crate::web::form::Errors;
use crate::web::pages::{editable, path_to};
use crate::web::visit::Visit;
use maud::html;

/// What restores a rotation's settings after a write.
pub type Restores = (RotationId, Change);

/// A write of settings that one write of the same kind undoes.
#[derive(Clone)]
pub enum Change {
    Patch(RotationPatch),
    Coverage(GridSpec),
    Roster(Option<RosterId>, RosterSpec),
    Channel(ChannelId, ChannelChange),
    /// `None` unbinds.
    DutyGroup(Option<DutyGroupChoice>),
    Mentions(SettingsChange),
    Warnings(WarningChange),
}

impl Change {
    /// Carries it out as the API's operation does.
    pub fn write(self, visit: &Visit, id: &RotationId) -> Result<Receipt, ActionError> {
        let to = |name| (name, visit.here());
        match self {
            Change::Patch(patch) => {
                visit.write(id, to("patchRotation"), PatchRotation(patch), nothing)
            }
            Change::Coverage(grid) => {
                visit.write(id, to("replaceCoverage"), ReplaceCoverage(grid), nothing)
            }
            Change::Roster(roster, spec) => {
                let name = match &roster {
                    Some(_) => "narrowRoster",
                    None => "setCommonRoster",
                };
                visit.write(id, to(name), WriteRoster { roster, spec }, nothing)
            }
            Change::Channel(channel, change) => {
                let set = SetChannel { channel, change };
                visit.write(id, to("setChannel"), set, nothing)
            }
            Change::DutyGroup(Some(choice)) => {
                let bind = BindDutyGroup::new(choice);
                visit.write(id, to("setOnDutyGroup"), bind, nothing)
            }
            Change::DutyGroup(None) => {
                visit.write(id, to("removeOnDutyGroup"), UnbindDutyGroup, nothing)
            }
            Change::Mentions(change) => {
                let set = SetMentionSettings(change);
                visit.write(id, to("setMentionSettings"), set, nothing)
            }
            Change::Warnings(change) => {
                let set = SetWarningSettings(change);
                visit.write(id, to("setWarningSettings"), set, nothing)
            }
        }
    }
}

/// POST /rotations/{rotation}/settings/restore.
pub fn restore(visit: &Visit) -> Outcome {
    let rotation = editable(visit)?;
    let back = visit.form.one("back").to_owned();
    let again = |status, errors: Errors| {
        let content = html! {
            p { "The settings stay as they are." }
            p { a.btn href=(format!("{}/settings", path_to(&rotation))) { "Look at the settings" } }
        };
        page(visit, &rotation, &back, (status, &errors), content)
    };
    let change = match visit.web.undos.get(visit.form.one("undo")) {
        Some((of, change)) if of == rotation.id => Ok(change),
        _ => invalid("undo", "this change can no longer be undone"),
    };
    let saved = Saved {
        part: &back,
        names: &[],
        told: "The change was undone.",
        before: None,
    };
    carry_out(visit, &rotation, change, saved, again)
}
