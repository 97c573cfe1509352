//! Answers of Opsgenie's API (pure).

use super::super::json::said;
use super::super::units::{Who, kind_of};
use crate::domain::partner::{Member, MemberKind, PartnerPerson};
use serde::Deserialize;

/// The envelope of every answer.
#[derive(Deserialize)]
pub(super) struct Data<T> {
    pub(super) data: T,
}

/// A participant, the holder of a period, or who overrides.
#[derive(Clone, Debug, Deserialize)]
pub(in crate::sources) struct Recipient {
    r#type: Option<String>,
    id: Option<String>,
    /// In a timeline: the name of a team, or the mail address of a person.
    name: Option<String>,
    /// The mail address of a person.
    username: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct User {
    username: Option<String>,
    full_name: Option<String>,
}

impl Who for Recipient {
    const IS_NAMED: bool = true;

    fn member(&self) -> Member {
        let kind = kind_of(self.r#type.as_deref().unwrap_or("user"));
        if kind == MemberKind::Empty || (self.id.is_none() && self.username.is_none()) {
            return Member::empty();
        }
        let is_address = |text: &String| text.contains('@');
        let named = said(&self.name);
        let email = said(&self.username).or_else(|| named.clone().filter(is_address));
        Member {
            kind,
            id: said(&self.id).or_else(|| said(&self.username)),
            name: named.filter(|name| !is_address(name)),
            email: email.filter(|_| kind == MemberKind::User),
        }
    }
}

impl User {
    pub(super) fn person(self, id: &str) -> PartnerPerson {
        PartnerPerson {
            participant_id: id.to_owned(),
            name: said(&self.full_name),
            email: said(&self.username).filter(|name| name.contains('@')),
        }
    }
}
