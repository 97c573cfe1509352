//! Keeping the people of user groups in line with whoever is on call.

use super::SyncError;
use super::topics::is_overtaken;
use crate::actions::mutation::follow;
use crate::actions::{App, Fault, Stop};
use crate::chat::Chat;
use crate::domain::chat::{ChatError, wanted_in_group};
use crate::domain::event::Act;
use crate::domain::handover::WindowChange;
use crate::domain::ids::{GroupId, UserId};
use crate::domain::resolve;
use crate::fault;
use crate::store::{self, DutyGroup, ReadTx, WriteTx};

/// Whom rota has a say about in a user group: its people, and who of them is on call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupMembers {
    /// Members of the rotations that the group serves, and those whom rota has put in.
    pub ours: Vec<UserId>,
    /// In the order of the rotations and of their places.
    pub on_call: Vec<UserId>,
    /// Whether it serves any rotation.
    pub serves: bool,
}

/// The people of a user group. On a tier without on-duty groups nobody counts as on call.
pub fn group_members(
    tx: &ReadTx,
    app: &App,
    duty_group: &DutyGroup,
) -> Result<GroupMembers, Fault> {
    let mut found = GroupMembers {
        ours: duty_group.placed.clone(),
        ..GroupMembers::default()
    };
    for id in store::list_rotations_of_duty_group(tx, &duty_group.group)? {
        let Some(rotation) = store::load_rotation(tx, &id)? else {
            continue;
        };
        found.serves = true;
        let members = &rotation.members;
        let groups = members.groups.iter().flat_map(|group| &group.users);
        found
            .ours
            .extend(members.users.iter().chain(groups).cloned());
        for user in resolve::everybody_on_call(&rotation) {
            if app.tier_limits().has_user_groups() && !found.on_call.contains(&user) {
                found.on_call.push(user);
            }
        }
    }
    Ok(found)
}

/// The state of a user group when its sync began, and how often the directory had been replaced then.
struct Look {
    duty_group: DutyGroup,
    serves: bool,
    imports: u64,
}

/// Brings the people of a user group in line.
pub(super) fn sync(app: &App, id: &GroupId) -> Result<(), SyncError> {
    let found = app.store().read(|tx| -> Result<_, Fault> {
        let Some(duty_group) = store::load_duty_group(tx, id)? else {
            return Ok(None);
        };
        let members = group_members(tx, app, &duty_group)?;
        Ok(Some((duty_group, members, store::count_imports(tx)?)))
    })?;
    let Some((duty_group, members, imports)) = found else {
        return Ok(());
    };
    let mut look = Look {
        duty_group,
        serves: members.serves,
        imports,
    };
    let chat: &dyn Chat = app.chat();
    let present = match chat.people(id) {
        // Nothing is left to take anybody out of.
        Err(ChatError::NotFound(_)) if !members.serves => {
            look.duty_group.is_own = false;
            return Ok(save(app, look, None, None)?);
        }
        present => present?,
    };
    let wanted = wanted_in_group(&present, &members.ours, &members.on_call);
    if wanted.is_empty() && !chat.capabilities().holds_empty_groups {
        return empty(app, look, &present);
    }
    if wanted != present {
        // Stored before they are put in: whatever becomes of the try, afterwards they are known for ours.
        let mut noted = look.duty_group.clone();
        let new = |user: &&UserId| !noted.placed.contains(user);
        let new: Vec<UserId> = members.on_call.iter().filter(new).cloned().collect();
        noted.placed.extend(new);
        app.store()
            .write_log(move |tx| store::note_group(tx, &noted))?;
        chat.set_people(id, &wanted)?;
        fault::point("chat.group");
    }
    if look.duty_group.disabled && !wanted.is_empty() {
        chat.set_disabled(id, false)?;
        look.duty_group.disabled = false;
    }
    look.duty_group.placed = members.on_call;
    Ok(save(app, look, Some(wanted), None)?)
}

/// Nobody is to be in a group where the platform holds no empty ones: one of our own is disabled, an adopted one left.
fn empty(app: &App, mut look: Look, present: &[UserId]) -> Result<(), SyncError> {
    if !look.duty_group.is_own {
        let why = "the chat platform holds no empty user groups, and this one was adopted: it is left as it is";
        let drifts = (!present.is_empty()).then_some(why);
        // Those whom rota has put in are to come out one day.
        look.duty_group.placed.retain(|user| present.contains(user));
        return Ok(save(app, look, None, drifts)?);
    }
    if !look.duty_group.disabled {
        look.duty_group.disabled = true;
        // Stored before it is asked for: to enable it once too often does no harm.
        let noted = look.duty_group.clone();
        app.store()
            .write_log(move |tx| store::note_group(tx, &noted))?;
        app.chat().set_disabled(&look.duty_group.group, true)?;
    }
    Ok(save(app, look, None, None)?)
}

/// Stores what a user group is now, and lets the rotations follow that take members from it.
fn save(
    app: &App,
    look: Look,
    people: Option<Vec<UserId>>,
    error: Option<&'static str>,
) -> Result<(), Fault> {
    let shared = app.clone();
    let written = app.store().write(move |tx| -> Result<(), Stop> {
        if is_overtaken(tx, look.imports)? {
            return Ok(());
        }
        if let Some(people) = people {
            mirror(&shared, tx, &look.duty_group.group, &people)?;
        }
        let stays = error.is_some() && !look.duty_group.placed.is_empty();
        match look.serves || look.duty_group.is_own || stays {
            true => store::save_duty_group(tx, &look.duty_group, error)?,
            false => store::remove_duty_group(tx, &look.duty_group)?,
        }
        Ok(())
    });
    written.map_err(|stop| match stop {
        Stop::Failed(fault) => fault,
        Stop::Refused(refusal) => Fault::Corrupt(format!("refused: {refusal:?}")),
    })
}

/// Has the directory say who is in a user group, and rotations follow that take members from it.
fn mirror(app: &App, tx: &mut WriteTx, group: &GroupId, people: &[UserId]) -> Result<(), Stop> {
    if store::list_group_people(&tx.as_read(), group)? == people {
        return Ok(());
    }
    let following = store::list_rotations_following(&tx.as_read(), group)?;
    let write = |tx: &mut WriteTx| Ok(store::replace_group_people(tx, group, people)?);
    follow(
        app,
        tx,
        &following,
        Act::Edit,
        write,
        |tx, draft, before| draft.follow_members(tx, before, WindowChange::ByEdit),
    )
}
