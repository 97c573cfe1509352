//! What a partner paging system says about a schedule: its definition, and who is on call when.
//!
//! A partner owns its schedules; rota reads them. Everything here is what was read, in one form for all partners: instants in
//! UTC, zones as cities, and the words that the API shows. `sources` reads and translates; these types do not know how.

mod definition;
mod timeline;
mod zone;

pub use definition::{
    Definition, Outline, OutsideOverride, OutsideRotation, Restriction, Turn, ids_of_people,
};
pub use timeline::{Shift, ShiftSource, SourceKind, Timeline};
pub use zone::OutsideZone;

use std::fmt;

/// A paging system whose schedules can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Partner {
    /// PagerDuty.
    Pager,
    /// Opsgenie.
    Ops,
    /// Jira Service Management Operations.
    Desk,
}

impl Partner {
    pub const ALL: [Partner; 3] = [Partner::Pager, Partner::Ops, Partner::Desk];

    /// The name in the API, in settings and at the command line.
    pub fn name(self) -> &'static str {
        match self {
            Partner::Pager => "pagerPartner",
            Partner::Ops => "opsPartner",
            Partner::Desk => "deskPartner",
        }
    }

    /// The partner of a name.
    pub fn parse(name: &str) -> Option<Partner> {
        Partner::ALL
            .into_iter()
            .find(|partner| partner.name() == name)
    }

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
    pub zone: Option<OutsideZone>,
    /// Where people see it in the partner's own pages.
    pub web_url: Option<String>,
}

/// Who is assigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MemberKind {
    User,
    /// The slot is there, and deliberately nobody is in it.
    Empty,
    Team,
    /// An escalation policy, or another schedule.
    Escalation,
}

impl MemberKind {
    pub const ALL: [MemberKind; 4] = [
        MemberKind::User,
        MemberKind::Empty,
        MemberKind::Team,
        MemberKind::Escalation,
    ];

    /// The name in the API.
    pub fn name(self) -> &'static str {
        match self {
            MemberKind::User => "user",
            MemberKind::Empty => "empty",
            MemberKind::Team => "team",
            MemberKind::Escalation => "escalation",
        }
    }

    /// The kind of a name.
    pub fn parse(name: &str) -> Option<MemberKind> {
        MemberKind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// A participant of a rotation, or the holder of a shift.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    pub kind: MemberKind,
    /// The partner's id; `None` for nobody.
    pub id: Option<String>,
    /// As far as the answer gives it.
    pub name: Option<String>,
    /// As far as the answer gives it.
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
pub struct OutsidePerson {
    /// The partner's id of the person.
    pub participant_id: String,
    pub name: Option<String>,
    /// `None` where the partner hides it, or the person is gone.
    pub email: Option<String>,
}

/// Why a partner could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReadFailure {
    Unauthorized,
    Forbidden,
    NotFound,
    RateLimited,
    Timeout,
    Connection,
    SecureConnection,
    ServerError,
    InvalidResponse,
}

impl ReadFailure {
    pub const ALL: [ReadFailure; 9] = [
        ReadFailure::Unauthorized,
        ReadFailure::Forbidden,
        ReadFailure::NotFound,
        ReadFailure::RateLimited,
        ReadFailure::Timeout,
        ReadFailure::Connection,
        ReadFailure::SecureConnection,
        ReadFailure::ServerError,
        ReadFailure::InvalidResponse,
    ];

    /// The name in the API and in the database.
    pub fn name(self) -> &'static str {
        match self {
            ReadFailure::Unauthorized => "unauthorized",
            ReadFailure::Forbidden => "forbidden",
            ReadFailure::NotFound => "not_found",
            ReadFailure::RateLimited => "rate_limited",
            ReadFailure::Timeout => "timeout",
            ReadFailure::Connection => "connection",
            ReadFailure::SecureConnection => "secure_connection",
            ReadFailure::ServerError => "server_error",
            ReadFailure::InvalidResponse => "invalid_response",
        }
    }

    /// The failure of a name.
    pub fn parse(name: &str) -> Option<ReadFailure> {
        ReadFailure::ALL
            .into_iter()
            .find(|failure| failure.name() == name)
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
