//! Writes of one person, user group or channel of the directory (rules.md 17).

use super::directory::{Channel, Group, Person, Source};
use super::fault::Fault;
use super::ids::UserId;
use super::limits::{NAME, check_list, check_name};
use super::refusal::{Refusal, invalid};
use super::zones::ZoneName;

/// The longest id, in bytes.
pub const LONGEST_ID: usize = 200;

/// The longest handle, in characters.
pub const LONGEST_HANDLE: usize = 80;

/// The longest mail address, in characters.
const LONGEST_ADDRESS: usize = 254;

/// The most people of one user group.
const GROUP_PEOPLE: usize = 10_000;

/// What a change of a person sets; `None` leaves it, `Some(None)` clears it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PersonPatch {
    pub display_name: Option<String>,
    pub real_name: Option<Option<String>>,
    pub email: Option<Option<String>>,
    pub time_zone: Option<Option<String>>,
    pub handle: Option<Option<String>>,
    pub phone: Option<Option<String>>,
    pub is_admin: Option<bool>,
    pub is_deleted: Option<bool>,
    /// Whether a link that signs in once is mailed to them.
    pub invite: bool,
}

impl PersonPatch {
    /// The change with every value checked.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] naming the member.
    pub fn checked(self) -> Result<PersonPatch, Refusal> {
        check_present("displayName", self.display_name.as_deref())?;
        check_name("realName", set(&self.real_name))?;
        if let Some(email) = set(&self.email) {
            check_address("email", email)?;
        }
        if let Some(zone) = set(&self.time_zone)
            && let Err(refusal) = ZoneName::parse(zone)
        {
            return invalid("timeZone", refusal.to_string());
        }
        if let Some(handle) = set(&self.handle) {
            check_handle("handle", handle)?;
        }
        if let Some(phone) = set(&self.phone) {
            check_phone("phone", phone)?;
        }
        Ok(self)
    }

    /// Whether it sets nothing but what also wins over a directory that the chat platform has: time zone, handle, telephone
    /// number.
    pub fn is_only_of_ours(&self) -> bool {
        let ours = PersonPatch {
            time_zone: self.time_zone.clone(),
            handle: self.handle.clone(),
            phone: self.phone.clone(),
            ..PersonPatch::default()
        };
        *self == ours
    }

    /// Sets what it sets, save for the telephone number. `is_read`: the chat platform says who people are, and a time zone that is
    /// set here wins over its.
    pub fn apply(&self, person: &mut Person, is_read: bool) {
        if let Some(name) = &self.display_name {
            person.display_name = Some(name.clone());
        }
        replace(&mut person.real_name, &self.real_name);
        replace(&mut person.email, &self.email);
        replace(&mut person.handle, &self.handle);
        if let Some(zone) = &self.time_zone {
            person.time_zone.clone_from(zone);
            person.zone_is_own = is_read && zone.is_some();
        }
        person.is_admin = self.is_admin.unwrap_or(person.is_admin);
        person.is_deleted = self.is_deleted.unwrap_or(person.is_deleted);
    }
}

/// A person to add. The patch has a display name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewPerson {
    /// `None` has one made.
    pub id: Option<String>,
    pub with: PersonPatch,
    pub source: Source,
}

impl NewPerson {
    /// A person of a page or the API.
    pub fn of_page(id: Option<String>, with: PersonPatch) -> NewPerson {
        let source = Source::Page;
        NewPerson { id, with, source }
    }

    /// The person with every value checked.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] naming the member.
    pub fn checked(self) -> Result<NewPerson, Refusal> {
        check_own_id(self.id.as_deref())?;
        let with = self.with.checked()?;
        Ok(NewPerson { with, ..self })
    }

    /// The person of this id in a workspace.
    pub fn person(&self, id: UserId, team_id: String) -> Person {
        let mut person = Person {
            id,
            team_id,
            display_name: None,
            real_name: None,
            email: None,
            is_guest: false,
            is_external: false,
            is_deleted: false,
            is_admin: false,
            avatar_url: None,
            time_zone: None,
            handle: None,
            source: self.source,
            zone_is_own: false,
        };
        self.with.apply(&mut person, false);
        person
    }
}

/// What a change of a user group sets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupPatch {
    pub name: Option<Option<String>>,
    pub handle: Option<Option<String>>,
    /// In order.
    pub users: Option<Vec<UserId>>,
}

impl GroupPatch {
    /// The change with every value checked, save for whether the people exist.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] naming the member.
    pub fn checked(self) -> Result<GroupPatch, Refusal> {
        check_present("name", set(&self.name))?;
        if let Some(handle) = set(&self.handle) {
            check_handle("handle", handle)?;
        }
        if let Some(users) = &self.users {
            check_list("userIds", users, GROUP_PEOPLE)?;
        }
        Ok(self)
    }

    /// Sets what it sets.
    pub fn apply(&self, group: &mut Group) {
        replace(&mut group.name, &self.name);
        replace(&mut group.handle, &self.handle);
        if let Some(users) = &self.users {
            group.users.clone_from(users);
        }
    }
}

/// What a change of a channel sets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChannelPatch {
    pub name: Option<Option<String>>,
    pub is_private: Option<bool>,
    pub app_is_member: Option<bool>,
}

impl ChannelPatch {
    /// The change with every value checked.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] naming the member.
    pub fn checked(self) -> Result<ChannelPatch, Refusal> {
        check_present("name", set(&self.name))?;
        Ok(self)
    }

    /// Sets what it sets.
    pub fn apply(&self, channel: &mut Channel) {
        replace(&mut channel.name, &self.name);
        channel.is_private = self.is_private.unwrap_or(channel.is_private);
        channel.app_is_member = self.app_is_member.unwrap_or(channel.app_is_member);
    }
}

/// Refuses an id that a caller chose and that is no id.
///
/// # Errors
/// [`Refusal::Invalid`] naming `id`.
pub fn check_own_id(id: Option<&str>) -> Result<(), Refusal> {
    id.map_or(Ok(()), |id| check_id("id", id))
}

/// Refuses a text that is no id.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member.
pub fn check_id(path: &str, id: &str) -> Result<(), Refusal> {
    let odd = |c: char| c.is_whitespace() || c.is_control();
    if id.is_empty() || id.len() > LONGEST_ID || id.contains(odd) {
        return invalid(
            path,
            format!("send an id of 1 to {LONGEST_ID} bytes without blanks"),
        );
    }
    Ok(())
}

/// Refuses a handle with a character that would mean something where it is posted.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member.
pub fn check_handle(path: &str, handle: &str) -> Result<(), Refusal> {
    let fits = |c: char| c.is_ascii_alphanumeric() || ".-_".contains(c);
    if handle.is_empty() || handle.len() > LONGEST_HANDLE || !handle.chars().all(fits) {
        return invalid(
            path,
            format!("send 1 to {LONGEST_HANDLE} letters, digits, `.`, `-` and `_`"),
        );
    }
    Ok(())
}

/// Refuses a telephone number that is not E.164. The refusal does not repeat it.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member.
pub fn check_phone(path: &str, phone: &str) -> Result<(), Refusal> {
    let digits = phone.strip_prefix('+').unwrap_or_default();
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
    match plain && (2..=15).contains(&digits.len()) && !digits.starts_with('0') {
        true => Ok(()),
        false => invalid(
            path,
            "send a telephone number as E.164: + and up to 15 digits, such as +4722334455",
        ),
    }
}

/// Refuses a text that is no mail address.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member.
pub fn check_address(path: &str, address: &str) -> Result<(), Refusal> {
    let odd = |c: char| c.is_whitespace() || c.is_control() || "<>,;".contains(c);
    let parts = address.rsplit_once('@');
    let whole = parts.is_some_and(|(local, domain)| !local.is_empty() && !domain.is_empty());
    match whole && address.chars().count() <= LONGEST_ADDRESS && !address.contains(odd) {
        true => Ok(()),
        false => invalid(path, "send a mail address, such as ana@example.org"),
    }
}

/// Refuses a name that is sent and blank or too long.
fn check_present(path: &str, name: Option<&str>) -> Result<(), Refusal> {
    if name.is_some_and(|name| name.trim().is_empty()) {
        return invalid(path, Fault::Blank { most: NAME });
    }
    check_name(path, name)
}

/// The value that a change sets, where it sets one.
fn set(change: &Option<Option<String>>) -> Option<&str> {
    change.as_ref()?.as_deref()
}

fn replace(member: &mut Option<String>, change: &Option<Option<String>>) {
    if let Some(value) = change {
        member.clone_from(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::detail;

    fn refused(patch: PersonPatch) -> String {
        patch
            .checked()
            .err()
            .map(|refusal| detail(&refusal))
            .unwrap_or_default()
    }

    fn some(text: &str) -> Option<Option<String>> {
        Some(Some(text.to_owned()))
    }

    #[test]
    fn values_of_people_are_checked() {
        let patch = PersonPatch::default;
        let long = "x".repeat(201);
        for (patch, expected) in [
            (patch(), ""),
            (
                PersonPatch {
                    display_name: Some(" ".into()),
                    ..patch()
                },
                "displayName: send 1 to 200",
            ),
            (
                PersonPatch {
                    display_name: Some(long),
                    ..patch()
                },
                "displayName: send at most 200",
            ),
            (
                PersonPatch {
                    real_name: some("a\nb"),
                    ..patch()
                },
                "realName: send no line breaks",
            ),
            (
                PersonPatch {
                    email: some("ana"),
                    ..patch()
                },
                "email: send a mail address",
            ),
            (
                PersonPatch {
                    time_zone: some("EST"),
                    ..patch()
                },
                "timeZone: ",
            ),
            (
                PersonPatch {
                    handle: some("a b"),
                    ..patch()
                },
                "handle: send 1 to 80 letters",
            ),
            (
                PersonPatch {
                    phone: some("0047 22"),
                    ..patch()
                },
                "phone: send a telephone number as E.164",
            ),
        ] {
            let found = refused(patch);
            let same = found.starts_with(expected) && found.is_empty() == expected.is_empty();
            assert!(same, "{found}: {expected}");
        }
    }

    #[test]
    fn telephone_numbers_are_e164() {
        for (phone, fits) in [
            ("+4722334455", true),
            ("+123456789012345", true),
            ("+12", true),
            ("+1", false),
            ("+1234567890123456", false),
            ("+047223344", false),
            ("4722334455", false),
            ("+47 22334455", false),
            ("+", false),
            ("", false),
        ] {
            assert_eq!(check_phone("phone", phone).is_ok(), fits, "{phone}");
        }
    }

    #[test]
    fn a_zone_that_is_set_wins_over_what_is_read() {
        let new = NewPerson {
            id: None,
            with: PersonPatch::default(),
            source: Source::Page,
        };
        let read = Person {
            time_zone: Some("Europe/Paris".into()),
            ..new.person("U1".into(), "T1".into())
        };
        let mut known = read.clone();
        let patch = PersonPatch {
            time_zone: some("Europe/Oslo"),
            handle: some("ana"),
            ..PersonPatch::default()
        };
        assert!(patch.is_only_of_ours());
        patch.apply(&mut known, true);
        let kept = read.clone().keeping(&known);
        assert_eq!(kept.time_zone.as_deref(), Some("Europe/Oslo"));
        assert_eq!(kept.handle.as_deref(), Some("ana"));
        let back = PersonPatch {
            time_zone: Some(None),
            ..PersonPatch::default()
        };
        back.apply(&mut known, true);
        let followed = read.keeping(&known);
        assert_eq!(followed.time_zone.as_deref(), Some("Europe/Paris"));
    }
}
