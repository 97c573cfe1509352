//! Who the people of partners are here.

use crate::actions::{App, Result, audit, mutation};
use crate::domain::access::Principal;
use crate::domain::audit::{AuditedChange, Author, Phrase};
use crate::domain::event::Act;
use crate::domain::handover::WindowChange;
use crate::domain::ids::UserId;
use crate::domain::partner::{Partner, PartnerPerson};
use crate::domain::refusal::{Refusal, invalid};
use crate::domain::words::words;
use crate::store::{self, Error, ReadTx, WriteTx};
use std::collections::BTreeMap;

words! {
    /// How somebody is known.
    pub enum KnownBy {
        Email = "email",
        /// Somebody said so.
        Explicit = "explicit",
    }
}

/// A person of a partner, and who they are here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Participant {
    pub person: PartnerPerson,
    pub user: Option<(UserId, KnownBy)>,
}

/// The people of the schedules of a partner that rotations follow, by name.
///
/// # Errors
/// [`Refusal::NotFound`] without settings, [`Refusal::ResourceDenied`] for a caller who may not see all people.
pub fn list(app: &App, caller: &Principal, name: &str) -> Result<Vec<Participant>> {
    caller.check_partner_people()?;
    let (partner, _) = app.partners().named(name)?;
    Ok(app.store().read(|tx| load(tx, partner))?)
}

fn load(tx: &ReadTx, partner: Partner) -> Result<Vec<Participant>, Error> {
    let explicit = store::list_participant_links(tx, partner)?;
    let mut found: BTreeMap<String, Participant> = BTreeMap::new();
    let links = store::list_linked_schedules(tx)?;
    for link in links.iter().filter(|link| link.partner == partner) {
        let Some(schedule) = store::load_schedule(tx, link)? else {
            continue;
        };
        let known = store::load_participants(tx, partner, &schedule)?;
        for (id, person) in &schedule.people {
            let by = match explicit.contains_key(id) {
                true => KnownBy::Explicit,
                false => KnownBy::Email,
            };
            found.entry(id.clone()).or_insert_with(|| Participant {
                person: person.clone(),
                user: known.get(id).map(|user| (user.clone(), by)),
            });
        }
    }
    let mut found: Vec<Participant> = found.into_values().collect();
    found.sort_by_key(|one| {
        let name = one.person.name.as_deref().unwrap_or_default();
        (name.to_lowercase(), one.person.participant_id.clone())
    });
    Ok(found)
}

/// Says who somebody is, or with `None` that their mail address tells. All rotations that show them follow at once.
///
/// # Errors
/// [`Refusal::NotFound`] for a partner without settings and for somebody who is on none of its linked schedules,
/// [`Refusal::Invalid`] for somebody who is not in the workspace.
pub fn set(
    app: &App,
    author: &Author,
    name: &str,
    participant: &str,
    user: Option<UserId>,
) -> Result<Participant> {
    author.principal.check_partner_people()?;
    let (partner, _) = app.partners().named(name)?;
    let (shared, participant) = (app.clone(), participant.to_owned());
    audit::write(app.store(), author, move |tx, author| {
        let person = |tx: &ReadTx| -> Result<Participant> {
            let mut people = load(tx, partner)?.into_iter();
            let found = people.find(|one| one.person.participant_id == participant);
            Ok(found.ok_or(Refusal::NotFound("person on the linked schedules"))?)
        };
        let before = person(&tx.as_read())?;
        if let Some(user) = &user {
            let known = store::load_person(&tx.as_read(), user)?;
            if !known.is_some_and(|person| !person.is_deleted && !person.is_external) {
                return Ok(invalid(
                    "userId",
                    format!("`{user}` is not in the workspace; GET /v1/users lists people"),
                )?);
            }
        }
        let explicit = match &before.user {
            Some((user, KnownBy::Explicit)) => Some(user),
            _ => None,
        };
        if explicit == user.as_ref() {
            return Ok((before, None));
        }
        let rotations = store::list_external_rotations(&tx.as_read(), partner)?;
        let write = |tx: &mut WriteTx| {
            store::link_participant(tx, partner, &participant, user.as_ref())?;
            Ok(())
        };
        let by = (author, Act::Edit);
        mutation::follow(&shared, tx, by, &rotations, write, |tx, draft, _| {
            draft.change(tx, WindowChange::ByEdit, |_| ());
        })?;
        let after = person(&tx.as_read())?;
        let who = |user: Option<&UserId>| match user {
            Some(user) => Phrase::from(user),
            None => "whoever has the address".into(),
        };
        let summary = Phrase::from(format!("person of {}: ", partner.name()));
        let summary = summary
            .and(who(explicit))
            .and(" to ")
            .and(who(user.as_ref()));
        let change = AuditedChange::of(&participant, summary);
        Ok((after, Some(change)))
    })
}
