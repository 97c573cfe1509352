//! Keeping a chat user group in step with whoever is on call.

use super::draft::Draft;
use super::mutation::Operation;
use super::{App, Fault, Stop};
use crate::domain::access::Principal;
use crate::domain::chat::ChatError;
use crate::domain::edit::DutyGroupChoice;
use crate::domain::event::Act;
use crate::domain::ids::GroupId;
use crate::domain::refusal::{Refusal, invalid};
use crate::domain::rotation::Rotation;
use crate::store::{self, Group, ReadTx, WriteTx};

/// What the chat platform and the tier allow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupCapabilities {
    pub can_bind: bool,
    pub can_create: bool,
    /// Why not.
    pub reason: Option<String>,
}

/// Whether user groups can be kept in step with duty.
pub fn capabilities(app: &App) -> GroupCapabilities {
    let capabilities = app.chat().capabilities();
    let unpaid = (!app.tier_limits().has_user_groups()).then(|| NEEDS_PRO.to_owned());
    let no_binding = unpaid.or(capabilities.no_binding);
    let no_creating = no_binding.clone().or(capabilities.no_creating);
    GroupCapabilities {
        can_bind: no_binding.is_none(),
        can_create: no_creating.is_none(),
        reason: no_binding.or(no_creating),
    }
}

const NEEDS_PRO: &str = "on-duty groups need the Pro plan";

/// A user group that the platform has, and whether it was made just now.
struct Chosen {
    group: GroupId,
    made: Option<Group>,
}

/// Has a user group kept in step with whoever is on call: one that is there, or one of a handle, which is made where there is
/// none. The platform is asked before the write.
pub struct BindDutyGroup {
    choice: DutyGroupChoice,
    chosen: Option<Chosen>,
}

impl BindDutyGroup {
    pub fn new(choice: DutyGroupChoice) -> BindDutyGroup {
        BindDutyGroup {
            choice,
            chosen: None,
        }
    }
}

impl Operation for BindDutyGroup {
    const NAME: &'static str = "bind on-duty group";
    const PREPARES: bool = true;
    type Output = ();

    fn prepare(&mut self, app: &App, rotation: &Rotation) -> Result<(), Stop> {
        self.chosen = Some(choose(app, rotation, &self.choice)?);
        Ok(())
    }

    fn apply(self, tx: &mut WriteTx, draft: &mut Draft, _: &Principal) -> Result<(), Stop> {
        let Some(mut chosen) = self.chosen else {
            return Err(Fault::Corrupt("an on-duty group was not chosen".into()).into());
        };
        let member = match self.choice {
            DutyGroupChoice::Group(_) => "userGroupId",
            DutyGroupChoice::Handle(_) => "handle",
        };
        if let Some(group) = &chosen.made {
            // Somebody else may have made one meanwhile, or told of this one first.
            let handle = group.handle.as_deref().unwrap_or_default();
            let known = store::find_group(&tx.as_read(), handle)?;
            match known.filter(|known| *known != group.id) {
                Some(other) => chosen.group = other,
                None => {
                    if store::load_group(&tx.as_read(), &group.id)?.is_none() {
                        store::insert_group(tx, group)?;
                    }
                    store::note_own_group(tx, &group.id)?;
                }
            }
        }
        check_no_circle(
            &tx.as_read(),
            followed(&draft.rotation),
            &chosen.group,
            |_| member.into(),
        )?;
        draft.rotation.profile.duty_group = Some(chosen.group);
        draft.settle(tx, Act::Edit)?;
        Ok(())
    }
}

/// Has no user group kept in step any more: our people come out.
pub struct UnbindDutyGroup;

impl Operation for UnbindDutyGroup {
    const NAME: &'static str = "unbind on-duty group";
    type Output = ();

    fn apply(self, tx: &mut WriteTx, draft: &mut Draft, _: &Principal) -> Result<(), Stop> {
        draft.rotation.profile.duty_group = None;
        draft.settle(tx, Act::Edit)?;
        Ok(())
    }
}

fn choose(app: &App, rotation: &Rotation, choice: &DutyGroupChoice) -> Result<Chosen, Stop> {
    if let DutyGroupChoice::Group(group) = choice {
        let known = app.store().read(|tx| store::load_group(tx, group))?;
        if known.is_none() {
            return Ok(invalid(format!(
                "userGroupId: no user group of the workspace has the id `{group}`"
            ))?);
        }
        app.store()
            .read(|tx| check_no_circle(tx, followed(rotation), group, |_| "userGroupId".into()))?;
    }
    if !app.tier_limits().has_user_groups() {
        return Err(Refusal::PaymentRequired(NEEDS_PRO.into()).into());
    }
    let (chat, capabilities) = (app.chat(), app.chat().capabilities());
    if let Some(why) = capabilities.no_binding {
        return Err(Refusal::GroupNotManageable(why).into());
    }
    let handle = match choice {
        DutyGroupChoice::Group(group) => {
            chat.people(group).map_err(refusal)?;
            return Ok(Chosen {
                group: group.clone(),
                made: None,
            });
        }
        DutyGroupChoice::Handle(handle) => handle,
    };
    if let Some(group) = chat.find_group(handle).map_err(refusal)? {
        chat.people(&group).map_err(refusal)?;
        return Ok(Chosen { group, made: None });
    }
    if let Some(why) = capabilities.no_creating {
        return Err(Refusal::GroupNotManageable(why).into());
    }
    let name = &rotation.profile.name;
    let group = chat.make_group(handle, name).map_err(refusal)?;
    let made = Group {
        id: group.clone(),
        team_id: app.store().read(store::load_team)?.id,
        name: Some(name.clone()),
        handle: Some(handle.clone()),
        users: Vec::new(),
    };
    Ok(Chosen {
        group,
        made: Some(made),
    })
}

/// Refuses an on-duty group that the members of its rotation come from, themselves or by way of other rotations that they fill:
/// each hand-over would take people out of it for good. `followed` are the user groups that the members are to come from, and
/// `member` says where in the request one of them, by its place, or the group was named.
pub(super) fn check_no_circle<'a>(
    tx: &ReadTx,
    followed: impl IntoIterator<Item = &'a GroupId>,
    filled: &GroupId,
    member: impl Fn(usize) -> String,
) -> Result<(), Stop> {
    let mut reached = vec![filled.clone()];
    let mut next = 0;
    while let Some(group) = reached.get(next).cloned() {
        next += 1;
        for rotation in store::list_rotations_following(tx, &group)? {
            let fills = store::load_rotation(tx, &rotation)?.and_then(|r| r.profile.duty_group);
            reached.extend(fills.filter(|fills| !reached.contains(fills)));
        }
    }
    let mut followed = followed.into_iter().enumerate();
    match followed.find(|(_, group)| reached.contains(group)) {
        None => Ok(()),
        Some((index, group)) => Ok(invalid(format!(
            "{}: the rotation takes its members from `{group}`, which `{filled}` would fill, itself or by way \
             of other rotations, so whoever goes off duty would leave the rotation; choose another user group",
            member(index)
        ))?),
    }
}

fn followed(rotation: &Rotation) -> impl Iterator<Item = &GroupId> {
    rotation.members.groups.iter().map(|group| &group.group)
}

fn refusal(error: ChatError) -> Refusal {
    match error {
        ChatError::Refused(why) | ChatError::NotFound(why) => Refusal::GroupNotManageable(why),
        ChatError::RateLimited(wait) => {
            let seconds = u64::try_from(wait.as_secs()).ok();
            Refusal::ChatUnavailable(error.detail(), seconds)
        }
        error => Refusal::ChatUnavailable(error.detail(), None),
    }
}
