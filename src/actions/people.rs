//! The people of the workspace as a page lists them: what they are on now, whether they are away, whether they sign in.

use super::sessions::{self, SessionRules};
use super::{App, Result, absences, on_call_at};
use crate::domain::access::Principal;
use crate::domain::directory::Person;
use crate::domain::ids::UserId;
use crate::domain::time::Interval;
use crate::store::{self, Page, PersonFilter};
use jiff::Timestamp;
use std::collections::BTreeMap;

/// Rotations that are looked through for who is on call.
const ROTATIONS: u32 = 200;

/// A person of the list.
#[derive(Clone, Debug)]
pub struct ListedPerson {
    pub person: Person,
    /// The names of the rotations in which they are on call.
    pub on_call: Vec<String>,
    /// Their absence that runs, or else comes first.
    pub away: Option<Interval>,
    pub signed_in: SignedInState,
}

/// Whether somebody signs in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignedInState {
    /// At this instant last.
    At(Timestamp),
    /// A link waits for them.
    Invited,
    Never,
}

/// A page of the people, with how many there are on all pages.
pub fn list(
    app: &App,
    caller: &Principal,
    filter: &PersonFilter,
    page: Page,
    rules: &SessionRules,
) -> Result<(Vec<ListedPerson>, u64)> {
    let (found, total) = app
        .store()
        .read(|tx| store::list_people(tx, filter, false, page))?;
    let (mut on_call, now) = (on_call(app, caller)?, app.now());
    let mut listed = Vec::with_capacity(found.len());
    for person in found {
        let away = absences::of_person(app, caller, &person.id, now)?;
        listed.push(ListedPerson {
            on_call: on_call.remove(&person.id).unwrap_or_default(),
            away: away.first().map(|(absence, _)| absence.period),
            signed_in: signed_in(app, &person.id, rules, now)?,
            person,
        });
    }
    Ok((listed, total))
}

/// Where people are on call now.
fn on_call(app: &App, caller: &Principal) -> Result<BTreeMap<UserId, Vec<String>>> {
    let mut on_call: BTreeMap<UserId, Vec<String>> = BTreeMap::new();
    let page = Page::first(ROTATIONS);
    on_call_at::everywhere(app, caller, None, None, page, |rotation, duty| {
        for user in duty.map(|duty| duty.people()).unwrap_or_default() {
            let names = on_call.entry(user).or_default();
            names.push(rotation.profile.name.clone());
        }
        Ok(())
    })?;
    Ok(on_call)
}

fn signed_in(
    app: &App,
    user: &UserId,
    rules: &SessionRules,
    now: Timestamp,
) -> Result<SignedInState> {
    let sessions = sessions::list(app.store(), user, rules, now)?;
    if let Some(last) = sessions.iter().map(|session| session.used_at).max() {
        return Ok(SignedInState::At(last));
    }
    let invited = app.store().read(|tx| store::is_invited(tx, user, now))?;
    Ok(match invited {
        true => SignedInState::Invited,
        false => SignedInState::Never,
    })
}

/// How far a new workspace has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Whether there is somebody beside the reader.
    pub has_people: bool,
    pub has_rotation: bool,
    /// Whether somebody beside the reader has signed in, or a way to is set up.
    pub others_sign_in: bool,
}

impl Progress {
    /// Whether nothing is left to do.
    pub fn is_done(self) -> bool {
        self.has_people && self.has_rotation && self.others_sign_in
    }
}

/// How far the workspace has come; `None` once everything was done, or an admin has hidden it.
pub fn progress(app: &App, reader: &UserId, is_provided: bool) -> Result<Option<Progress>> {
    let found = app.store().read(|tx| -> Result<_> {
        if store::load_fact(tx, store::GETTING_STARTED)?.is_some() {
            return Ok(None);
        }
        let filter = PersonFilter::default();
        let (people, _) = store::list_people(tx, &filter, false, Page::first(2))?;
        Ok(Some(Progress {
            has_people: people.len() > 1,
            has_rotation: store::count_rotations(tx)? > 0,
            others_sign_in: is_provided || store::has_other_session(tx, reader)?,
        }))
    })?;
    if found.is_some_and(Progress::is_done) {
        hide_progress(app)?;
        return Ok(None);
    }
    Ok(found)
}

/// Hides how far the workspace has come, for good.
pub fn hide_progress(app: &App) -> Result<()> {
    app.store()
        .write_log(|tx| Ok(store::save_fact(tx, store::GETTING_STARTED, "hidden")?))
}
