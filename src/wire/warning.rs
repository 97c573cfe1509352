//! Warnings about the plan of rotations, and which of them a rotation wants (rules.md 27).

use super::body::{self, invalid, present};
use super::int32::Int32;
use super::moment::Moment;
use super::strict::strict;
use crate::domain::edit::WarningChange;
use crate::domain::ids::{CellId, RotationId, UserId};
use crate::domain::limits::check_list;
use crate::domain::refusal::Refusal;
use crate::domain::warning as domain;
use crate::domain::warning_kinds as kinds;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

strict!(WarningSettingsRequest => WarningSettings);

/// Something that is wrong in the plan of a rotation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Warning {
    pub rotation_id: String,
    pub kind: kinds::WarningKind,
    pub severity: kinds::Severity,
    /// Clipped to the days that were looked at.
    pub from: Moment,
    /// Clipped to the days that were looked at.
    pub to: Moment,
    /// Null where it concerns the rotation, or several cells of it.
    pub cell_id: Option<String>,
    /// The people concerned; empty where it concerns nobody.
    pub user_ids: Vec<String>,
    /// One sentence for people.
    pub text: String,
}

/// Renders a warning.
pub fn render(rotation: &RotationId, warning: &domain::Warning) -> Warning {
    Warning {
        rotation_id: rotation.to_string(),
        kind: warning.kind,
        severity: warning.severity(),
        from: warning.period.from.into(),
        to: warning.period.until.into(),
        cell_id: warning.cell.as_ref().map(CellId::to_string),
        user_ids: warning.users.iter().map(UserId::to_string).collect(),
        text: warning.text.clone(),
    }
}

/// Which warnings a rotation wants.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WarningSettings {
    /// The kinds that are switched off.
    pub off: Vec<kinds::WarningKind>,
    /// Less rest than this between two turns is a warning.
    pub short_rest_hours: i32,
}

/// Renders the settings.
pub fn settings(settings: &kinds::WarningSettings) -> WarningSettings {
    WarningSettings {
        off: settings.off.iter().copied().collect(),
        short_rest_hours: i32::try_from(settings.short_rest_hours).unwrap_or(i32::MAX),
    }
}

/// Changes to which warnings a rotation wants. Omitted members stay unchanged.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WarningSettingsRequest {
    /// The kinds to switch off; all others are on.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Vec<kinds::WarningKind>")]
    off: Option<Vec<String>>,
    /// Hours, 1 to 168 (a week); 11 unless set.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Int32")]
    short_rest_hours: Option<Int32>,
}

/// Reads changes to the settings.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member.
pub fn settings_change(bytes: &[u8]) -> Result<WarningChange, Refusal> {
    body::parse::<WarningSettingsRequest>(bytes)?.read()
}

impl WarningSettingsRequest {
    pub(super) fn read(self) -> Result<WarningChange, Refusal> {
        let kind = |(index, name): (usize, &String)| match kinds::WarningKind::parse(name) {
            Some(kind) => Ok(kind),
            None => {
                let known = kinds::WarningKind::ALL.map(kinds::WarningKind::name);
                invalid(
                    format!("off[{index}]"),
                    format!("send one of `{}`", known.join("` `")),
                )
            }
        };
        let off = self.off.map(|names| {
            check_list("off", &names, kinds::WarningKind::ALL.len())?;
            names.iter().enumerate().map(kind).collect()
        });
        let hours = self.short_rest_hours.map(|hours| hours.0);
        WarningChange::new(off.transpose()?, hours)
    }
}
