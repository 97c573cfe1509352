//! Answers of Jira Service Management Operations and of Jira (pure).

use super::super::Failure;
use super::super::json::said;
use super::super::units::{Who, kind_of};
use crate::domain::partner::{Member, MemberKind, PartnerPerson};
use serde::Deserialize;

/// A page of a listing.
#[derive(Deserialize)]
pub(super) struct Page<T> {
    #[serde(default = "Vec::new")]
    pub(super) values: Vec<T>,
    links: Option<Links>,
}

#[derive(Deserialize)]
struct Links {
    /// A path with the offset of the next page. Only the offset is used.
    next: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Tenant {
    cloud_id: String,
}

/// A participant, the holder of a period, or who overrides.
#[derive(Clone, Debug, Deserialize)]
pub(in crate::sources) struct Responder {
    r#type: String,
    id: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct User {
    /// Absent or empty where the person hides it.
    email_address: Option<String>,
    display_name: Option<String>,
}

impl<T> Page<T> {
    /// The offset of the next page.
    pub(super) fn next(&self) -> Option<usize> {
        let next = self.links.as_ref()?.next.as_ref()?;
        let (_, query) = next.split_once('?')?;
        let offset = query
            .split('&')
            .find_map(|field| field.strip_prefix("offset="))?;
        offset.parse().ok()
    }
}

impl Tenant {
    pub(super) fn id(self) -> Result<String, Failure> {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        match !self.cloud_id.is_empty() && self.cloud_id.chars().all(plain) {
            true => Ok(self.cloud_id),
            false => Err(Failure::invalid("the site has no cloud id")),
        }
    }
}

impl Who for Responder {
    const IS_NAMED: bool = false;

    fn member(&self) -> Member {
        let kind = kind_of(&self.r#type);
        match said(&self.id) {
            Some(id) if kind != MemberKind::Empty => Member {
                kind,
                ..Member::user(id)
            },
            _ => Member::empty(),
        }
    }
}

impl User {
    pub(super) fn person(self, id: &str) -> PartnerPerson {
        PartnerPerson {
            participant_id: id.to_owned(),
            name: said(&self.display_name),
            email: said(&self.email_address),
        }
    }
}
