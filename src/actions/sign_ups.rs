//! What the identity provider says of people beside who they are: it makes new ones, and puts them into user groups (rules.md
//! 12.13 and 12.14).

use super::directory_edit::{check_local, create_within, load_group};
use super::directory_sync::follow_changes;
use super::identities::{is_in_workspace, linked, summary};
use super::{App, Result, audit};
use crate::domain::access::{Principal, Role, Via};
use crate::domain::audit::{AuditedChange, Author, Origin, Phrase, Summary};
use crate::domain::directory::{Person, Source};
use crate::domain::directory_edit::{NewPerson, PersonPatch, check_address, check_handle};
use crate::domain::directory_reading::DirectoryChanges;
use crate::domain::identity::{Identity, Profile, Unrecognised};
use crate::domain::ids::{GroupId, UserId};
use crate::domain::limits::{NAME, check_name};
use crate::domain::refusal::Refusal;
use crate::domain::zones::ZoneName;
use crate::runtime::clock::monotonic;
use crate::store::{self, ReadTx, WriteTx};
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// People who become one by signing in within [`WITHIN`] of real time, at the most.
const MOST: usize = 100;
/// See [`MOST`].
const WITHIN: Duration = Duration::from_secs(60 * 60);

/// When people became one by signing in, within the last hour.
#[derive(Debug, Default)]
pub struct SignUps(Mutex<VecDeque<Instant>>);

impl SignUps {
    /// Counts somebody.
    fn count(&self, now: Instant) -> Result<(), Refusal> {
        let mut recent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        recent.retain(|at| now.duration_since(*at) < WITHIN);
        if let Some(first) = recent.front().filter(|_| recent.len() >= MOST) {
            let left = WITHIN.saturating_sub(now.duration_since(*first));
            return Err(Refusal::TooManySignUps(left.as_secs().max(1)));
        }
        recent.push_back(now);
        Ok(())
    }

    /// Takes back the one that was counted at this instant: nobody became a person.
    fn take_back(&self, counted: Instant) {
        let mut recent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = recent.iter().position(|at| *at == counted) {
            recent.remove(at);
        }
    }
}

/// The user groups that settings name, each with whether a person belongs to it.
pub type Placing = Vec<(GroupId, bool)>;

/// Somebody who has proven who they are at the provider, and whom nobody knows.
pub struct Newcomer {
    pub identity: Identity,
    /// Verified, of a listed domain.
    pub email: String,
    pub profile: Profile,
    pub groups: Option<Placing>,
}

/// Makes somebody a person at their first sign-in, links their identity and puts them into their groups, in one write.
///
/// # Errors
/// [`Refusal::TooManySignUps`] where many became one within the hour. That somebody has the address already, and that the chat
/// platform says who people are, is no error.
pub fn sign_up(
    app: &App,
    newcomer: Newcomer,
    origin: Origin,
) -> Result<Result<Person, Unrecognised>> {
    if check_local(app).is_err() || check_address("email", &newcomer.email).is_err() {
        return Ok(Err(Unrecognised::Nobody));
    }
    let counted = monotonic();
    app.sign_ups().count(counted)?;
    let shared = app.clone();
    let written = app.store().write(move |tx| -> Result<_> {
        let read = tx.as_read();
        // Two callbacks of the same person may arrive at once.
        if let Some(found) = linked(&read, &newcomer.identity)? {
            return Ok((found, false));
        }
        if store::has_address(&read, &newcomer.email)? {
            return Ok((Err(Unrecognised::NotInWorkspace), false));
        }
        let new = person_of(&read, &newcomer)?;
        let mut author = author_of(UserId::from(""), "", origin);
        let (record, _) = create_within(&shared, tx, &author, &new)?;
        let person = record.person;
        author.principal = principal(&person.id, person.name());
        store::link_identity(tx, &newcomer.identity, &person.id)?;
        let mut said = Summary::default();
        said.add(Phrase::from("person added at their first sign-in: ").and(&person.id));
        said.add(summary(&newcomer.identity, &person.id, None));
        if let Some(groups) = &newcomer.groups {
            said.append(place(&shared, tx, &author, (&person.id, groups))?);
        }
        let change = AuditedChange::of(person.id.as_str(), said);
        audit::record(tx, &author, change)?;
        Ok((Ok(person), true))
    });
    if !matches!(written, Ok((_, true))) {
        app.sign_ups().take_back(counted);
    }
    Ok(written?.0)
}

/// What a newcomer becomes. What the provider says and what does not fit here is left out.
fn person_of(tx: &ReadTx, newcomer: &Newcomer) -> Result<NewPerson> {
    let profile = &newcomer.profile;
    let fits = |name: &&String| check_name("displayName", Some(name)).is_ok();
    let name = profile
        .name
        .as_ref()
        .filter(fits)
        .unwrap_or(&newcomer.email);
    let nobody = UserId::from("");
    let handle = match &profile.handle {
        Some(handle) if check_handle("handle", handle).is_ok() => {
            let is_free = !store::is_handle_taken(tx, handle, &nobody)?;
            Some(handle.clone()).filter(|_| is_free)
        }
        _ => None,
    };
    let is_zone = |zone: &&String| ZoneName::parse(zone).is_ok();
    let with = PersonPatch {
        display_name: Some(name.chars().take(NAME).collect()),
        email: Some(Some(newcomer.email.clone())),
        time_zone: Some(profile.zone.as_ref().filter(is_zone).cloned()),
        handle: Some(handle),
        ..PersonPatch::default()
    };
    Ok(NewPerson {
        id: None,
        with,
        source: Source::SignIn,
    })
}

/// Puts somebody who signs in into the groups to which the provider says that they belong, at the end, and takes them out of the
/// others of the settings.
pub fn follow_groups(app: &App, person: &Person, groups: &Placing, origin: Origin) -> Result<()> {
    if check_local(app).is_err() {
        return Ok(());
    }
    let changing = app.store().read(|tx| placing(tx, &person.id, groups));
    if changing?.is_empty() {
        return Ok(());
    }
    let author = author_of(person.id.clone(), person.name(), origin);
    let (shared, user, groups) = (app.clone(), person.id.clone(), groups.clone());
    audit::write(app.store(), &author, move |tx, author| {
        // Deactivated in between.
        let person = store::load_person(&tx.as_read(), &user)?;
        if !person.as_ref().is_some_and(is_in_workspace) {
            return Ok(((), None));
        }
        let said = place(&shared, tx, author, (&user, &groups))?;
        let change = (!said.is_empty()).then(|| AuditedChange::of(user.as_str(), said));
        Ok(((), change))
    })
}

/// Changes the groups within a write. Answers what that changed.
fn place(
    app: &App,
    tx: &mut WriteTx,
    author: &Author,
    (user, groups): (&UserId, &Placing),
) -> Result<Summary> {
    let (mut changes, mut said) = (DirectoryChanges::default(), Summary::default());
    for (id, belongs) in placing(&tx.as_read(), user, groups)? {
        let Some(before) = load_group(&tx.as_read(), &id)? else {
            continue;
        };
        let mut group = before.clone();
        group.users.retain(|other| other != user);
        let words = match belongs {
            true => "put into ",
            false => "taken out of ",
        };
        if belongs {
            group.users.push(user.clone());
        }
        said.add(Phrase::from(words).and(&id));
        changes.add_group(Some(&before), group);
    }
    follow_changes(app, tx, author, &changes)?;
    Ok(said)
}

/// The groups that change. One that is not there, or that is provisioned, does not.
fn placing(tx: &ReadTx, user: &UserId, groups: &Placing) -> Result<Placing> {
    let mut changing = Placing::new();
    for (id, belongs) in groups {
        match store::load_group(tx, id)? {
            None => log::warn!("login.oidc.groups: no user group has the id {id}"),
            Some(group) if group.source == Source::Scim => {
                log::warn!("login.oidc.groups: {id} is provisioned, so nobody is put into it");
            }
            Some(_) => {
                let is_there = store::list_group_people(tx, id)?.contains(user);
                if is_there != *belongs {
                    changing.push((id.clone(), *belongs));
                }
            }
        }
    }
    Ok(changing)
}

fn author_of(user: UserId, name: &str, origin: Origin) -> Author {
    Author {
        principal: principal(&user, name),
        action: "signUp",
        origin,
    }
}

fn principal(user: &UserId, name: &str) -> Principal {
    Principal::Person {
        user: user.clone(),
        name: name.to_owned(),
        role: Role::Member,
        via: Via::Provider,
    }
}

/// Whom somebody may ask who is not in the workspace: some of its administrators, by name.
///
/// # Errors
/// If the storage fails.
pub fn whom_to_ask(app: &App) -> Result<Vec<String>> {
    let names = app.store().read(store::list_administrator_names)?;
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hundred_an_hour() {
        let (ups, begun) = (SignUps::default(), monotonic());
        let after = |seconds| begun + Duration::from_secs(seconds);
        for second in 0..100 {
            assert_eq!(ups.count(after(second)), Ok(()));
        }
        assert_eq!(ups.count(after(100)), Err(Refusal::TooManySignUps(3500)));
        ups.take_back(after(50));
        assert_eq!(ups.count(after(100)), Ok(()));
        assert_eq!(ups.count(after(3599)), Err(Refusal::TooManySignUps(1)));
        assert_eq!(ups.count(after(3600)), Ok(()));
    }
}
