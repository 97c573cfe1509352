//! The on-duty group: a chat user group that is synced with the people on call.

use super::draft::Draft;
use super::mutation::Operation;
use super::{App, Error, Result};
use crate::domain::access::Principal;
use crate::domain::chat::ChatError;
use crate::domain::edit::DutyGroupChoice;
use crate::domain::event::Act;
use crate::domain::facts::Facts;
use crate::domain::ids::GroupId;
use crate::domain::refusal::{Refusal, invalid};
use crate::domain::rotation::Rotation;
use crate::domain::tiers::NEEDS_PRO;
use crate::runtime::clock::monotonic;
use crate::store::{self, Group, ReadTx, Source, WriteTx};

/// The capabilities that the chat platform and the tier permit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupCapabilities {
    pub can_bind: bool,
    pub can_create: bool,
    /// The reason, if something is not permitted.
    pub reason: Option<String>,
}

/// Whether user groups can be synced with the people on call.
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

/// A user group of the platform.
pub struct Chosen {
    pub(super) group: GroupId,
    /// Its record, if it is not stored yet.
    new: Option<Group>,
    /// Whether it was just created.
    is_own: bool,
}

impl Chosen {
    fn known(group: GroupId) -> Chosen {
        Chosen {
            group,
            new: None,
            is_own: false,
        }
    }
}

/// Binds a user group to the people on call: an existing one, or the one with a handle, which is created if it does not
/// exist. The platform is called before the write.
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

    fn prepare(&mut self, app: &App, rotation: &Rotation) -> Result<()> {
        self.chosen = Some(choose(app, rotation, &self.choice)?);
        Ok(())
    }

    fn apply(self, tx: &mut WriteTx, draft: &mut Draft, _: &Principal) -> Result<()> {
        let Some(mut chosen) = self.chosen else {
            return Err(Error::Corrupt("an on-duty group was not chosen".into()).into());
        };
        let member = match self.choice {
            DutyGroupChoice::Group(_) => "userGroupId",
            DutyGroupChoice::Handle(_) => "handle",
        };
        store_chosen(tx, &mut chosen)?;
        check_no_circle(&tx.as_read(), &draft.rotation, &chosen.group, member)?;
        draft.rotation.profile.duty_group = Some(chosen.group);
        draft.store(tx, Act::Edit)?;
        Ok(())
    }
}

/// Stores a group that was made for this, or that is not known yet.
pub(super) fn store_chosen(tx: &mut WriteTx, chosen: &mut Chosen) -> Result<(), Error> {
    let Some(group) = &chosen.new else {
        return Ok(());
    };
    // Another process may have created it, or stored it first.
    let handle = group.handle.as_deref().unwrap_or_default();
    let existing = store::find_group(&tx.as_read(), handle)?;
    match existing.filter(|existing| *existing != group.id) {
        Some(other) => chosen.group = other,
        None => {
            if store::load_group(&tx.as_read(), &group.id)?.is_none() {
                store::insert_group(tx, group)?;
            }
            if chosen.is_own {
                store::note_own_group(tx, &group.id)?;
            }
        }
    }
    Ok(())
}

/// Unbinds the user group: the people that rota added are removed.
pub struct UnbindDutyGroup;

impl Operation for UnbindDutyGroup {
    const NAME: &'static str = "unbind on-duty group";
    type Output = ();

    fn apply(self, tx: &mut WriteTx, draft: &mut Draft, _: &Principal) -> Result<()> {
        draft.rotation.profile.duty_group = None;
        draft.store(tx, Act::Edit)?;
        Ok(())
    }
}

pub(super) fn choose(app: &App, rotation: &Rotation, choice: &DutyGroupChoice) -> Result<Chosen> {
    if let DutyGroupChoice::Group(group) = choice {
        let existing = app.store().read(|tx| store::load_group(tx, group))?;
        if existing.is_none() {
            return Ok(invalid(
                "userGroupId",
                format!("no user group of the workspace has the id `{group}`"),
            )?);
        }
        app.store()
            .read(|tx| check_no_circle(tx, rotation, group, "userGroupId"))?;
    }
    app.tier_limits().check_duty_groups()?;
    let (chat, capabilities) = (app.chat(), app.chat().capabilities());
    if let Some(why) = capabilities.no_binding {
        return Err(Refusal::GroupNotManageable(why).into());
    }
    let handle = match choice {
        DutyGroupChoice::Group(group) => {
            check_answers(app, group)?;
            return Ok(Chosen::known(group.clone()));
        }
        DutyGroupChoice::Handle(handle) => handle,
    };
    let known = match app.remote() {
        // Its directory is followed, and the calls that list its groups are few.
        Some(_) => app.store().read(|tx| store::find_group(tx, handle))?,
        None => chat.find_group(handle).map_err(refusal)?,
    };
    if let Some(group) = known {
        check_answers(app, &group)?;
        return Ok(Chosen::known(group));
    }
    // Whether groups can be made shows only when one is: what is known of it may be out of date.
    let name = &rotation.profile.name;
    let (group, is_own) = match chat.create_group(handle, name) {
        Ok(group) => (group, true),
        // It may be there since the directory was last read.
        Err(error @ ChatError::Refused(_)) if app.remote().is_some() => {
            let found = chat.find_group(handle).ok().flatten();
            let found = found.ok_or_else(|| refusal(error))?;
            check_answers(app, &found)?;
            (found, false)
        }
        Err(error) => return Err(refusal(error).into()),
    };
    let new = Group {
        id: group.clone(),
        team_id: app.store().read(store::load_team)?.id,
        name: Some(name.clone()).filter(|_| is_own),
        handle: Some(handle.clone()),
        users: Vec::new(),
        source: super::directory_edit::owner(app).unwrap_or(Source::Page),
    };
    Ok(Chosen {
        group,
        new: Some(new),
        is_own,
    })
}

/// Asks the platform for a user group that is to be bound. Not Slack: its groups are known from its directory, and whether one
/// may be filled shows only when it is.
fn check_answers(app: &App, group: &GroupId) -> Result<()> {
    let says = app.remote().is_none_or(|remote| remote.says_who_may_fill());
    if says {
        app.chat().people(group).map_err(refusal)?;
    }
    Ok(())
}

/// Refuses an on-duty group from which the members of its rotation come, as [`Facts::check_no_circle`] says. `member` is the path of
/// the group.
fn check_no_circle(tx: &ReadTx, rotation: &Rotation, filled: &GroupId, member: &str) -> Result<()> {
    let followed = rotation.members.groups.iter().map(|group| &group.group);
    let facts = Facts {
        filled: [(filled.clone(), store::list_filled(tx, filled)?)].into(),
        ..Facts::default()
    };
    Ok(facts.check_no_circle(followed, filled, |_| member.to_owned())?)
}

fn refusal(error: ChatError) -> Refusal {
    match error {
        ChatError::Refused(why) | ChatError::PeopleRefused(why) | ChatError::NotFound(why) => {
            Refusal::GroupNotManageable(why)
        }
        ChatError::NotBefore(until) => {
            let wait = until.saturating_duration_since(monotonic()).as_secs() + 1;
            Refusal::ChatUnavailable(error.detail(), Some(wait))
        }
        ChatError::RateLimited(wait) => {
            let seconds = u64::try_from(wait.as_secs()).ok();
            Refusal::ChatUnavailable(error.detail(), seconds)
        }
        error => Refusal::ChatUnavailable(error.detail(), None),
    }
}
