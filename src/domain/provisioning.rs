//! People and user groups as a provider of identities writes them by SCIM (rules.md 17.14 to 17.19).

use super::directory::{Group, Person};
use super::ids::UserId;
use crate::domain::words::words;
use jiff::Timestamp;

words! {
    /// Why a request of SCIM is refused, by the names of RFC 7644, section 3.12.
    pub enum ScimFault {
        InvalidFilter = "invalidFilter",
        Uniqueness = "uniqueness",
        Mutability = "mutability",
        InvalidSyntax = "invalidSyntax",
        InvalidPath = "invalidPath",
        NoTarget = "noTarget",
        InvalidValue = "invalidValue",
    }
}

/// When a record was made, and when it last changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    pub created_at: Timestamp,
    pub changed_at: Timestamp,
}

/// A person with what SCIM says of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProvisionedPerson {
    pub person: Person,
    pub phone: Option<String>,
    pub times: Times,
    /// The name that SCIM gave them; `None` for somebody whom it has never written.
    pub user_name: Option<String>,
    /// Their attributes as SCIM sent them.
    pub attributes: Option<String>,
}

impl ProvisionedPerson {
    /// The name by which they are listed: of people made elsewhere their address, else their id.
    pub fn user_name(&self) -> &str {
        let given = self.user_name.as_deref();
        let known = given.or(self.person.email.as_deref());
        known.unwrap_or(self.person.id.as_str())
    }
}

/// A user group, with its people, and what SCIM says of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProvisionedGroup {
    pub group: Group,
    pub times: Times,
    /// Its attributes as SCIM sent them.
    pub attributes: Option<String>,
}

/// What SCIM makes of a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonImage {
    pub user_name: String,
    pub display_name: String,
    pub real_name: Option<String>,
    pub email: Option<String>,
    pub phone: Option<String>,
    pub time_zone: Option<String>,
    pub is_active: bool,
    /// The attributes as they were sent.
    pub attributes: String,
}

/// What SCIM makes of a user group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupImage {
    pub name: String,
    /// In order.
    pub users: Vec<UserId>,
    /// The attributes as they were sent.
    pub attributes: String,
}

/// The longest handle of a group.
const LONGEST_HANDLE: usize = 80;

/// The handle that a user group gets from its name, unless `is_taken`.
///
/// # Errors
/// Those of `is_taken`.
pub fn handle_of<E>(
    name: &str,
    mut is_taken: impl FnMut(&str) -> Result<bool, E>,
) -> Result<String, E> {
    let mut handle = String::new();
    for letter in name.chars().flat_map(char::to_lowercase) {
        match letter.is_ascii_alphanumeric() {
            true => handle.push(letter),
            false if handle.is_empty() || handle.ends_with('-') => {}
            false => handle.push('-'),
        }
    }
    let cut = |handle: &str, most: usize| {
        let end = handle.len().min(most);
        handle[..end].trim_end_matches('-').to_owned()
    };
    let mut base = cut(&handle, LONGEST_HANDLE);
    if base.is_empty() {
        "group".clone_into(&mut base);
    }
    if !is_taken(&base)? {
        return Ok(base);
    }
    let mut number = 2_u64;
    loop {
        let suffix = format!("-{number}");
        let handle = cut(&base, LONGEST_HANDLE - suffix.len()) + &suffix;
        if !is_taken(&handle)? {
            return Ok(handle);
        }
        number += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_come_from_names() {
        let long = "x".repeat(90);
        let second = format!("{}-2", &long[..78]);
        for (name, taken, expected) in [
            ("Site Reliability", "", "site-reliability"),
            ("  --Ops & Infra (EU)!  ", "", "ops-infra-eu"),
            ("Ærø", "", "r"),
            ("\u{202e}", "", "group"),
            ("\u{202e}", "group group-2", "group-3"),
            ("SRE", "sre", "sre-2"),
            (long.as_str(), "", &long[..80]),
            (long.as_str(), &long[..80], second.as_str()),
        ] {
            let is_taken = |handle: &str| Ok::<_, ()>(taken.split(' ').any(|one| one == handle));
            assert_eq!(handle_of(name, is_taken).as_deref(), Ok(expected), "{name}");
        }
    }
}
