//! Keeping user groups in step with whoever is on call.

use super::Hitch;
use super::topics::is_overtaken;
use crate::actions::mutation::follow;
use crate::actions::{App, Fault, Stop};
use crate::chat::Chat;
use crate::domain::chat::{Trouble, wanted_in_group};
use crate::domain::event::Act;
use crate::domain::handover::WindowChange;
use crate::domain::ids::{GroupId, UserId};
use crate::domain::takeover;
use crate::fault;
use crate::store::{self, DutyGroup, ReadTx, WriteTx};

/// Whom rota has a say about in a user group: its people, and who of them is on call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Crew {
    /// Members of the rotations that the group serves, and those whom rota has put in.
    pub ours: Vec<UserId>,
    /// In the order of the rotations and of their places.
    pub on_call: Vec<UserId>,
    /// Whether it serves any rotation.
    pub serves: bool,
}

/// The crew of a user group. A plan without on-duty groups takes everybody off.
pub fn crew(tx: &ReadTx, app: &App, kept: &DutyGroup) -> Result<Crew, Fault> {
    let mut crew = Crew {
        ours: kept.placed.clone(),
        ..Crew::default()
    };
    for id in store::list_rotations_of_duty_group(tx, &kept.group)? {
        let Some(rotation) = store::load_rotation(tx, &id)? else {
            continue;
        };
        crew.serves = true;
        let members = &rotation.members;
        let groups = members.groups.iter().flat_map(|group| &group.users);
        crew.ours
            .extend(members.users.iter().chain(groups).cloned());
        for user in takeover::on_call(&rotation) {
            if app.plan().has_user_groups() && !crew.on_call.contains(&user) {
                crew.on_call.push(user);
            }
        }
    }
    Ok(crew)
}

/// A user group as it is looked at, and how often the directory had been replaced then.
struct Look {
    kept: DutyGroup,
    serves: bool,
    imports: u64,
}

/// Brings the people of a user group in line.
pub(super) fn bring(app: &App, id: &GroupId) -> Result<(), Hitch> {
    let found = app.store().read(|tx| -> Result<_, Fault> {
        let Some(kept) = store::load_duty_group(tx, id)? else {
            return Ok(None);
        };
        let crew = crew(tx, app, &kept)?;
        Ok(Some((kept, crew, store::count_imports(tx)?)))
    })?;
    let Some((kept, crew, imports)) = found else {
        return Ok(());
    };
    let mut look = Look {
        kept,
        serves: crew.serves,
        imports,
    };
    let chat: &dyn Chat = app.chat();
    let present = match chat.people(id) {
        // Nothing is left to take anybody out of.
        Err(Trouble::Gone(_)) if !crew.serves => {
            look.kept.is_own = false;
            return Ok(save(app, look, None, None)?);
        }
        present => present?,
    };
    let wanted = wanted_in_group(&present, &crew.ours, &crew.on_call);
    if wanted.is_empty() && !chat.manners().holds_empty_groups {
        return empty(app, look, &present);
    }
    if wanted != present {
        // Kept before they are put in: whatever becomes of the try, afterwards they are known for ours.
        let mut noted = look.kept.clone();
        let new = |user: &&UserId| !noted.placed.contains(user);
        let new: Vec<UserId> = crew.on_call.iter().filter(new).cloned().collect();
        noted.placed.extend(new);
        app.store()
            .write_log(move |tx| store::note_group(tx, &noted))?;
        chat.set_people(id, &wanted)?;
        fault::point("chat.group");
    }
    if look.kept.disabled && !wanted.is_empty() {
        chat.set_disabled(id, false)?;
        look.kept.disabled = false;
    }
    look.kept.placed = crew.on_call;
    Ok(save(app, look, Some(wanted), None)?)
}

/// Nobody is to be in a group where the platform holds no empty ones: one of our own is disabled, an adopted one left.
fn empty(app: &App, mut look: Look, present: &[UserId]) -> Result<(), Hitch> {
    if !look.kept.is_own {
        let why = "the chat platform holds no empty user groups, and this one was adopted: it is left as it is";
        let drifts = (!present.is_empty()).then_some(why);
        // Those whom rota has put in are to come out one day.
        look.kept.placed.retain(|user| present.contains(user));
        return Ok(save(app, look, None, drifts)?);
    }
    if !look.kept.disabled {
        look.kept.disabled = true;
        // Kept before it is asked for: to enable it once too often does no harm.
        let noted = look.kept.clone();
        app.store()
            .write_log(move |tx| store::note_group(tx, &noted))?;
        app.chat().set_disabled(&look.kept.group, true)?;
    }
    Ok(save(app, look, None, None)?)
}

/// Writes down what a user group is now, and lets the rotations follow that take members from it.
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
            mirror(&shared, tx, &look.kept.group, &people)?;
        }
        let stays = error.is_some() && !look.kept.placed.is_empty();
        match look.serves || look.kept.is_own || stays {
            true => store::save_duty_group(tx, &look.kept, error)?,
            false => store::remove_duty_group(tx, &look.kept)?,
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
