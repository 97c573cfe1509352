//! The data of a partner paging system about a schedule: its definition, and who is on call when.
//!
//! A partner owns its schedules; rota reads them. Everything here is what was read, in one form for all partners: instants in
//! UTC, zones as cities, and the words that the API shows. `sources` reads and translates; these types do not know how.

mod definition;
mod origin;
mod timeline;
mod zone;

pub use definition::{
    CurrentTurn, Definition, Exception, Outline, PartnerOverride, PartnerRotation, Restriction,
    Turn, ids_of_people,
};
pub use origin::Origin;
pub use timeline::{Shift, ShiftSource, SourceKind, Timeline};
pub use zone::PartnerZone;

use crate::domain::stored::listed;
use crate::domain::words::words;
use serde::{Deserialize, Serialize};
use std::fmt;

words! {
    /// A paging system whose schedules can be read.
    pub enum Partner {
        /// PagerDuty.
        Pager = "pagerPartner",
        /// Opsgenie.
        Ops = "opsPartner",
        /// Jira Service Management Operations.
        Desk = "deskPartner",
    }
}

impl Partner {
    /// The name of the product, for people.
    pub fn title(self) -> &'static str {
        match self {
            Partner::Pager => "PagerDuty",
            Partner::Ops => "Opsgenie",
            Partner::Desk => "Jira Service Management",
        }
    }
}

/// A schedule as the partner lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduleSummary {
    pub id: String,
    pub name: String,
    /// `None` where the list does not give it.
    pub zone: Option<PartnerZone>,
    /// Where people see it in the partner's own pages.
    pub web_url: Option<String>,
}

words! {
    /// Who is assigned: a person, nobody, a team, or an escalation policy.
    pub enum MemberKind {
        User = "user",
        Empty = "empty",
        Team = "team",
        Escalation = "escalation",
    }
}

/// A participant of a rotation, or the holder of a shift.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    pub kind: MemberKind,
    /// The partner's id; `None` for nobody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// As far as the answer gives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// As far as the answer gives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
}

impl Member {
    /// Nobody.
    pub fn empty() -> Member {
        Member {
            kind: MemberKind::Empty,
            id: None,
            name: None,
            email: None,
        }
    }

    /// A person of whom only the id is known.
    pub fn user(id: impl Into<String>) -> Member {
        Member {
            kind: MemberKind::User,
            id: Some(id.into()),
            name: None,
            email: None,
        }
    }

    /// Whether both are the same person, team or escalation, or both nobody. Names and addresses may change.
    pub fn is_same(&self, other: &Member) -> bool {
        self.kind == other.kind && self.id == other.id
    }
}

/// A person of the partner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartnerPerson {
    /// The partner's id of the person.
    pub participant_id: String,
    pub name: Option<String>,
    /// `None` where the partner hides it, or the person is gone.
    pub email: Option<String>,
}

listed! {
    PartnerPerson: |one| (&one.participant_id, &one.name, &one.email),
        (participant_id, name, email) in (String, Option<String>, Option<String>) => PartnerPerson {
            participant_id,
            name,
            email,
        };
}

words! {
    /// Why a partner could not be read.
    pub enum ReadFailure {
        Unauthorized = "unauthorized",
        Forbidden = "forbidden",
        NotFound = "not_found",
        RateLimited = "rate_limited",
        Timeout = "timeout",
        Connection = "connection",
        SecureConnection = "secure_connection",
        ServerError = "server_error",
        InvalidResponse = "invalid_response",
    }
}

impl fmt::Display for ReadFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for partner in Partner::ALL {
            assert_eq!(Partner::parse(partner.name()), Some(partner));
        }
        for kind in MemberKind::ALL {
            assert_eq!(MemberKind::parse(kind.name()), Some(kind));
        }
        for failure in ReadFailure::ALL {
            assert_eq!(ReadFailure::parse(failure.name()), Some(failure));
        }
        assert_eq!(Partner::parse("PagerDuty"), None);
        assert_eq!(MemberKind::parse("noone"), None);
        assert_eq!(ReadFailure::parse(""), None);
    }
}
