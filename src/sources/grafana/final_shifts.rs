//! Who is on call in the end, as Grafana OnCall computed it.

use super::super::json::{Instant, said, span};
use crate::domain::partner::{Member, MemberKind, PartnerPerson, Shift, ShiftSource, SourceKind};
use crate::domain::time::Interval;
use serde::Deserialize;

#[derive(Clone, Deserialize)]
pub(in crate::sources) struct FinalShift {
    user_pk: String,
    user_email: Option<String>,
    user_username: Option<String>,
    shift_start: Instant,
    shift_end: Instant,
}

impl FinalShift {
    pub(super) fn span(&self) -> Option<Interval> {
        span(self.shift_start, self.shift_end)
    }

    /// Whoever is on call, as far as the shift says it.
    pub(super) fn person(&self) -> PartnerPerson {
        PartnerPerson {
            participant_id: self.user_pk.clone(),
            name: said(&self.user_username),
            email: said(&self.user_email),
        }
    }

    pub(super) fn shift(&self) -> Option<Shift> {
        let span = self.span()?;
        Some(Shift {
            span,
            original: span,
            member: Member {
                kind: MemberKind::User,
                id: Some(self.user_pk.clone()),
                name: said(&self.user_username),
                email: said(&self.user_email),
            },
            source: ShiftSource {
                kind: SourceKind::Rotation,
                rotation_id: None,
                shift_id: None,
                override_id: None,
            },
        })
    }
}
