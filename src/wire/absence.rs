//! Absences: who is away, and when (rules.md 10).

use super::body::{self, present};
use super::moment::Moment;
use super::strict::strict;
use crate::domain::absence::{self, AbsenceSource};
use crate::domain::duty::Duty;
use crate::domain::edit::NewAbsence;
use crate::domain::ids::UserId;
use crate::domain::refusal::Refusal;
use crate::domain::time::Interval;
use crate::domain::words::words;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

strict!(AbsenceRequest => AbsenceCreated);

words! {
    /// Which rotations an absence counts in.
    pub enum AppliesTo {
        Rotation = "rotation",
        AllRotations = "allRotations",
    }
}

/// A stored absence.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Absence {
    pub id: String,
    pub user_id: String,
    pub from: Moment,
    /// Exclusive.
    pub until: Moment,
    /// Free text; no rule reads it.
    pub reason: Option<String>,
    pub applies_to: AppliesTo,
    /// The covered rotation when `appliesTo` is `rotation`; empty otherwise.
    pub rotation_ids: Vec<String>,
    /// Always false: an absence is one period.
    pub recurring: bool,
    pub source: AbsenceSource,
}

/// An absence that was created, and what it leaves standing.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AbsenceCreated {
    #[serde(flatten)]
    pub absence: Absence,
    /// When the person is still on call during the absence, as planned with the absence counted: turns that are running and
    /// arrangements. Clipped to the absence and to covered hours, by start; at most 100, at most 366 days ahead. For
    /// `allRotations`, the duties in every rotation, the one in the path first.
    pub standing_duties: Vec<StandingDuty>,
}

/// A stretch for which somebody is on call though they are absent.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StandingDuty {
    pub cell_id: String,
    pub from: Moment,
    /// Exclusive.
    pub to: Moment,
}

/// Renders an absence that was created.
pub fn created(absence: &absence::Absence, standing: &[Duty]) -> AbsenceCreated {
    AbsenceCreated {
        absence: render(absence),
        standing_duties: standing.iter().map(self::standing).collect(),
    }
}

/// Renders a stretch for which somebody stays on call.
pub fn standing(duty: &Duty) -> StandingDuty {
    let Interval { from, until } = duty.period();
    StandingDuty {
        cell_id: duty.cell.to_string(),
        from: from.into(),
        to: until.into(),
    }
}

/// Renders a stored absence.
pub fn render(absence: &absence::Absence) -> Absence {
    let (applies_to, rotation_ids) = match &absence.applies_to {
        absence::AppliesTo::Rotation(id) => (AppliesTo::Rotation, vec![id.to_string()]),
        absence::AppliesTo::AllRotations => (AppliesTo::AllRotations, Vec::new()),
    };
    Absence {
        id: absence.id.to_string(),
        user_id: absence.user.to_string(),
        from: absence.period.from.into(),
        until: absence.period.until.into(),
        reason: absence.reason.clone(),
        applies_to,
        rotation_ids,
        recurring: false,
        source: AbsenceSource::Stored,
    }
}

/// An absence to create.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AbsenceRequest {
    user_id: String,
    from: Moment,
    /// Exclusive. Must be later than `from`.
    until: Moment,
    /// Free text of at most 2,000 characters; no rule reads it.
    #[serde(default)]
    reason: Option<String>,
    /// Defaults to `rotation`, the rotation in the path.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "AppliesTo")]
    applies_to: Option<AppliesTo>,
}

/// Reads an absence to create.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member.
pub fn parse(bytes: &[u8]) -> Result<NewAbsence, Refusal> {
    absence(body::parse(bytes)?)
}

/// The same of a body that is read already.
///
/// # Errors
/// As [`parse`].
pub(super) fn absence(request: AbsenceRequest) -> Result<NewAbsence, Refusal> {
    let new = NewAbsence {
        user: UserId::from(request.user_id),
        period: Interval::new(request.from.0, request.until.0),
        reason: request.reason,
        everywhere: request.applies_to == Some(AppliesTo::AllRotations),
    };
    new.checked()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_text_or_null() {
        let read = |reason: serde_json::Value| {
            let body = serde_json::json!({
                "userId": "U1", "from": "2026-11-23T09:00:00Z", "until": "2026-11-24T09:00:00Z", "reason": reason,
            });
            parse(body.to_string().as_bytes()).map(|new| new.reason)
        };
        let long = "å".repeat(2000);
        assert_eq!(read(serde_json::Value::Null), Ok(None));
        assert_eq!(read(long.clone().into()), Ok(Some(long)));
        for wrong in ["x".repeat(2001).into(), 7.into()] {
            let detail = crate::tests::detail(&read(wrong).unwrap_err());
            assert!(detail.starts_with("reason: "), "{detail}");
        }
    }

    #[test]
    fn a_period_ends_after_it_begins() {
        let read = |until: &str| {
            let body =
                format!(r#"{{"userId":"U1","from":"2026-11-23T09:00:00Z","until":"{until}"}}"#);
            parse(body.as_bytes())
        };
        assert!(read("2026-11-23T09:00:00.001Z").is_ok());
        for until in [
            "2026-11-23T09:00:00Z",
            "2026-11-23T10:00:00+01:00",
            "2026-11-22T09:00:00Z",
            "x",
        ] {
            let detail = crate::tests::detail(&read(until).expect_err(until));
            assert!(detail.starts_with("until: "), "{detail}");
        }
    }
}
