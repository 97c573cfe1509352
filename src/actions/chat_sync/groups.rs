//! Syncs the people of user groups with the people on call.

use super::topics::is_overtaken;
use super::{SyncError, await_pace};
use crate::actions::mutation::follow;
use crate::actions::{ActionError, App, Error, Result};
use crate::chat::{Chat, ListedGroup, Step};
use crate::domain::access::Principal;
use crate::domain::audit::Author;
use crate::domain::chat::{ChatError, wanted_in_group};
use crate::domain::directory_reading::Said;
use crate::domain::event::Act;
use crate::domain::ids::{GroupId, UserId};
use crate::domain::resolve;
use crate::failpoint;
use crate::store::{self, DutyGroup, ReadTx, SyncTarget, WriteTx};

/// The people of a user group that rota manages, and which of them are on call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupMembers {
    /// Members of the rotations that use the group, and people that rota has added.
    pub ours: Vec<UserId>,
    /// In the order of rotations and slots.
    pub on_call: Vec<UserId>,
    /// Whether any rotation uses it.
    pub serves: bool,
}

/// The managed people of a user group. On a tier without on-duty groups nobody counts as on call.
pub fn group_members(
    tx: &ReadTx,
    app: &App,
    duty_group: &DutyGroup,
) -> Result<GroupMembers, Error> {
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

/// The state of a user group at the start of its sync, and the number of directory imports then.
struct SyncStart {
    duty_group: DutyGroup,
    serves: bool,
    imports: u64,
}

/// Syncs the people of a user group.
pub(super) fn sync(app: &App, id: &GroupId) -> Result<(), SyncError> {
    let found = app.store().read(|tx| -> Result<_, Error> {
        let Some(duty_group) = store::load_duty_group(tx, id)? else {
            return Ok(None);
        };
        let members = group_members(tx, app, &duty_group)?;
        let known = store::list_group_people(tx, id)?;
        let imports = store::count_imports(tx)?;
        Ok(Some((duty_group, members, known, imports)))
    })?;
    let Some((duty_group, members, known, imports)) = found else {
        return Ok(());
    };
    let mut start = SyncStart {
        duty_group,
        serves: members.serves,
        imports,
    };
    let chat: &dyn Chat = app.chat();
    if let Some(step) = next_step(&start, &known, &members) {
        await_pace(app, step)?;
    }
    if let Some(remote) = app.remote().filter(|remote| remote.wants_groups(id)) {
        let (group, now) = (SyncTarget::Group, app.now());
        let due = app
            .store()
            .read(|tx| store::list_due_syncs(tx, group, now, usize::MAX, |_, _| true))?;
        remote.expect_groups(due.into_iter().map(|(id, _)| id.into()).collect());
    }
    let listed = match chat.people(id) {
        // There is no group left to remove anyone from.
        Err(ChatError::NotFound(_)) if !members.serves => {
            start.duty_group.is_own = false;
            return Ok(save(app, start, None, None)?);
        }
        listed => listed?,
    };
    let ListedGroup {
        people: mut present,
        is_disabled,
        left,
        barred,
        stuck,
    } = listed;
    // Whoever has left while on call is not called back before they come on again.
    let gone: Vec<UserId> = (left.iter())
        .filter(|user| start.duty_group.placed.contains(user))
        .cloned()
        .collect();
    present.extend(gone.iter().cloned());
    let place = |user: &UserId| known.iter().position(|known| known == user);
    present.sort_by_key(|user| place(user).unwrap_or(known.len()));
    let wanted = wanted_in_group(&present, &members.ours, &members.on_call);
    if wanted.is_empty() && !chat.capabilities().holds_empty_groups {
        return empty(app, start, &present, is_disabled, None);
    }
    let must_enable = match is_disabled {
        Some(is_disabled) => is_disabled && (start.duty_group.is_own || start.duty_group.disabled),
        None => start.duty_group.disabled,
    };
    if must_enable {
        // A disabled group cannot be filled everywhere.
        chat.set_disabled(id, false)?;
    }
    if start.duty_group.disabled {
        start.duty_group.disabled = false;
        let noted = start.duty_group.clone();
        app.store()
            .write_log(move |tx| store::note_group(tx, &noted))?;
    }
    let mut left_out = Vec::new();
    if wanted != present {
        // Stored before the call, so that the people are known as added by rota whatever the result.
        let mut noted = start.duty_group.clone();
        let new = |user: &&UserId| !noted.placed.contains(user) && !left.contains(user);
        let new: Vec<UserId> = members.on_call.iter().filter(new).cloned().collect();
        noted.placed.extend(new);
        app.store()
            .write_log(move |tx| store::note_group(tx, &noted))?;
        left_out = fill(app, id, &present, &wanted)?;
        failpoint::point("chat.group");
        if !left_out.is_empty() && left_out.len() == wanted.len() {
            // Nobody is left to fill it with, and whoever was on call before must not stay the one who is reached.
            let refusal = refusal(&left_out);
            return empty(app, start, &present, Some(false), Some(refusal));
        }
    }
    left_out.extend(wanted.iter().filter(|user| barred.contains(user)).cloned());
    let is_in = |user: &UserId| !left_out.contains(user);
    start.duty_group.placed = members.on_call;
    start.duty_group.placed.retain(is_in);
    let stays = |user: &&UserId| stuck.contains(user) && !wanted.contains(user);
    let stay: Vec<UserId> = present.iter().filter(stays).cloned().collect();
    let is_there = |user: &UserId| is_in(user) && !gone.contains(user);
    let people = wanted
        .into_iter()
        .filter(is_there)
        .chain(stay.iter().cloned());
    let people = people.collect();
    let refused = (!left_out.is_empty()).then(|| refusal(&left_out));
    let kept =
        (!stay.is_empty()).then(|| format!("{} cannot be removed from the user group", ids(&stay)));
    let error = refused
        .into_iter()
        .chain(kept)
        .reduce(|refused, kept| format!("{refused}; {kept}"));
    Ok(save(app, start, Some(people), error.as_deref())?)
}

/// Tells whom the platform does not take.
fn refusal(left_out: &[UserId]) -> String {
    format!(
        "the chat platform does not take {} into the user group, so they are left out",
        ids(left_out)
    )
}

fn ids(people: &[UserId]) -> String {
    let ids: Vec<&str> = people.iter().map(UserId::as_str).collect();
    ids.join(", ")
}

/// The step that a sync will most likely need to change the group, by the people that the directory has in it; `None` if
/// it is in step.
fn next_step(start: &SyncStart, known: &[UserId], members: &GroupMembers) -> Option<Step> {
    let duty_group = &start.duty_group;
    let wanted = wanted_in_group(known, &members.ours, &members.on_call);
    match wanted.is_empty() {
        // One that is noted as disabled is looked at first: it may not be.
        true => (duty_group.is_own && !duty_group.disabled).then_some(Step::DisableGroup),
        false if duty_group.disabled => Some(Step::EnableGroup),
        false => (wanted != known).then_some(Step::FillGroup),
    }
}

/// Fills a user group with the wanted people, without those whom the platform refuses: guests first, then one by one.
/// Returns whom it leaves out; if that is everybody, the group is as it was.
fn fill(
    app: &App,
    id: &GroupId,
    present: &[UserId],
    wanted: &[UserId],
) -> Result<Vec<UserId>, SyncError> {
    let chat = app.chat();
    match chat.set_people(id, present, wanted) {
        Err(ChatError::PeopleRefused(_)) => {}
        set => return Ok(set.map(|()| Vec::new())?),
    }
    let outsiders = app.store().read(|tx| -> Result<Vec<UserId>, Error> {
        let mut outsiders = Vec::new();
        for user in wanted {
            let person = store::load_person(tx, user)?;
            if person
                .is_none_or(|person| person.is_guest || person.is_external || person.is_deleted)
            {
                outsiders.push(user.clone());
            }
        }
        Ok(outsiders)
    })?;
    let without = |left_out: &[UserId]| -> Vec<UserId> {
        let mut people = wanted.to_vec();
        people.retain(|user| !left_out.contains(user));
        people
    };
    let inside = without(&outsiders);
    if inside.is_empty() {
        return Ok(outsiders);
    }
    if !outsiders.is_empty() {
        match chat.set_people(id, present, &inside) {
            Err(ChatError::PeopleRefused(_)) => {}
            set => return Ok(set.map(|()| outsiders)?),
        }
    }
    // The platform does not say whom it refuses: those who are in the group it takes, the others are tried one by one.
    let mut taken: Vec<UserId> = present.to_vec();
    taken.retain(|user| inside.contains(user));
    let (mut left_out, mut is_in) = (outsiders, present == taken);
    for user in inside.iter().filter(|user| !present.contains(user)) {
        let mut tried = taken.clone();
        tried.push(user.clone());
        match chat.set_people(id, present, &tried) {
            Ok(()) => (taken, is_in) = (tried, true),
            Err(ChatError::PeopleRefused(_)) => left_out.push(user.clone()),
            Err(error) => return Err(error.into()),
        }
    }
    if !is_in && !taken.is_empty() {
        // None of the others was taken, and those who are no longer on call leave all the same.
        chat.set_people(id, present, &taken)?;
    }
    Ok(left_out)
}

/// Handles an empty group on a platform without empty groups: rota's own group is disabled, an adopted one is left unchanged.
/// `is_disabled` is what the platform says of it, and `refusal` tells whom the platform does not take, if anybody is on call.
fn empty(
    app: &App,
    mut start: SyncStart,
    present: &[UserId],
    is_disabled: Option<bool>,
    refusal: Option<String>,
) -> Result<(), SyncError> {
    if !start.duty_group.is_own {
        let why = "the chat platform does not permit empty user groups, and this one was adopted: it is left unchanged";
        let drifts = (!present.is_empty()).then_some(why);
        let drifts = refusal.into_iter().chain(drifts.map(str::to_owned));
        let drifts = drifts.reduce(|refusal, why| format!("{refusal}; {why}"));
        // The people that rota has added are removed once the group is not empty.
        start
            .duty_group
            .placed
            .retain(|user| present.contains(user));
        return Ok(save(app, start, None, drifts.as_deref())?);
    }
    if !start.duty_group.disabled {
        start.duty_group.disabled = true;
        // Stored before the call, because enabling a group that is enabled is harmless.
        let noted = start.duty_group.clone();
        app.store()
            .write_log(move |tx| store::note_group(tx, &noted))?;
    }
    // The note alone is no proof: an earlier call may have failed.
    if is_disabled != Some(true) {
        app.chat().set_disabled(&start.duty_group.group, true)?;
    }
    Ok(save(app, start, None, refusal.as_deref())?)
}

/// Stores the current people of a user group and updates the rotations that take members from it.
fn save(
    app: &App,
    start: SyncStart,
    people: Option<Vec<UserId>>,
    error: Option<&str>,
) -> Result<(), Error> {
    let (shared, error) = (app.clone(), error.map(str::to_owned));
    if let Some(remote) = app.remote() {
        remote
            .meanwhile()
            .note(Said::group(&start.duty_group.group));
    }
    let written = app.store().write(move |tx| -> Result<()> {
        if is_overtaken(tx, start.imports)? {
            return Ok(());
        }
        if let Some(people) = people {
            mirror(&shared, tx, &start.duty_group.group, &people)?;
        }
        let stays = error.is_some() && !start.duty_group.placed.is_empty();
        match start.serves || start.duty_group.is_own || stays {
            true => store::save_duty_group(tx, &start.duty_group, error.as_deref())?,
            false => store::remove_duty_group(tx, &start.duty_group)?,
        }
        Ok(())
    });
    written.map_err(|error| match error {
        ActionError::Failed(error) => error,
        ActionError::Refused(refusal) => Error::Corrupt(format!("refused: {refusal:?}")),
    })
}

/// The author of changes that follow the platform's user groups.
static CHAT: Author = Author::local(Principal::Chat, "followUserGroup");

/// Copies the people of a user group into the directory and updates the rotations that take members from it.
fn mirror(app: &App, tx: &mut WriteTx, group: &GroupId, people: &[UserId]) -> Result<()> {
    if store::list_group_people(&tx.as_read(), group)? == people {
        return Ok(());
    }
    let following = store::list_rotations_following(&tx.as_read(), group)?;
    let write = |tx: &mut WriteTx| Ok(store::replace_group_people(tx, group, people)?);
    let by = (&CHAT, Act::Edit);
    follow(app, tx, by, &following, write, |tx, draft, before| {
        let editing = draft.editing(tx);
        editing.follow_members(before, &mut draft.rotation);
    })
}
