//! Undo of a change of settings: the API's operation with the body that was so before.

use super::{done, page, write};
use crate::actions::channels::SetChannel;
use crate::actions::duty_group::{BindDutyGroup, UnbindDutyGroup};
use crate::actions::grid::{ReplaceCoverage, WriteRoster};
use crate::actions::mentions::SetMentionSettings;
use crate::actions::rotations::PatchRotation;
use crate::actions::warnings::SetWarningSettings;
use crate::domain::refusal::invalid;
use crate::server::Outcome;
use crate::web::form::Errors;
use crate::web::pages::{editable, path_to};
use crate::web::visit::Visit;
use crate::wire::{chat, edit, grid, mention, roster, warning};
use maud::html;

/// POST /rotations/{rotation}/settings/restore.
pub fn restore(visit: &Visit) -> Outcome {
    let rotation = editable(visit)?;
    let back = visit.form.one("back").to_owned();
    let body = visit.form.one("body").as_bytes();
    let again = |status, errors: Errors| {
        let content = html! {
            p { "The settings stay as they are." }
            p { a.button href=(format!("{}/settings", path_to(&rotation))) { "Look at the settings" } }
        };
        page(visit, &rotation, &back, (status, &errors), content)
    };
    let written = match visit.form.one("operation") {
        "patchRotation" => {
            let read = edit::patch(body).map(PatchRotation);
            write(visit, &rotation, "patchRotation", read, &[], again)
        }
        "replaceCoverage" => {
            let read = grid::parse(body).map(ReplaceCoverage);
            write(visit, &rotation, "replaceCoverage", read, &[], again)
        }
        "narrowRoster" => {
            let read = roster::parse(body).map(|spec| WriteRoster {
                roster: Some(visit.form.one("named").into()),
                spec,
            });
            write(visit, &rotation, "narrowRoster", read, &[], again)
        }
        "setCommonRoster" => {
            let read = roster::parse_common(body);
            let read = read.map(|spec| WriteRoster { roster: None, spec });
            write(visit, &rotation, "setCommonRoster", read, &[], again)
        }
        "setChannel" => {
            let read = edit::channel(body).map(|change| SetChannel {
                channel: visit.form.one("named").into(),
                change,
            });
            write(visit, &rotation, "setChannel", read, &[], again)
        }
        "setOnDutyGroup" => {
            let read = chat::on_duty_group(body).map(BindDutyGroup::new);
            write(visit, &rotation, "setOnDutyGroup", read, &[], again)
        }
        "removeOnDutyGroup" => {
            let read = Ok(UnbindDutyGroup);
            write(visit, &rotation, "removeOnDutyGroup", read, &[], again)
        }
        "setMentionSettings" => {
            let read = mention::settings_change(body).map(SetMentionSettings);
            write(visit, &rotation, "setMentionSettings", read, &[], again)
        }
        "setWarningSettings" => {
            let read = warning::settings_change(body).map(SetWarningSettings);
            write(visit, &rotation, "setWarningSettings", read, &[], again)
        }
        _ => return Ok(invalid("operation", "not one that can be undone")?),
    };
    match written? {
        Ok(receipt) => {
            let told = "The change was undone.".to_owned();
            done(visit, &rotation, &back, (told, None), &receipt)
        }
        Err(page) => Ok(page),
    }
}
