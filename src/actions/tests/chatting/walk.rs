//! Runs a sequence in both workspaces, and checks each after every operation.

use super::apps::{Held, Workspace, daily, made, worded};
use super::model::{Group, People, Topic};
use super::ops::{Case, Ill, Op};
use super::*;
use crate::domain::chat::{ChatError, FailureMode};
use crate::domain::edit::{ChannelChange, DutyGroupChoice};
use crate::domain::tiers::Tier;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

pub type Outcome = Result<(), String>;

pub const CHANNELS: [&str; 2] = ["C1", "C2"];
pub const HANDLES: [&str; 2] = ["g1", "made"];
/// A rotation in both workspaces, and its expected chat state.
pub struct Slot {
    pub ids: [RotationId; 2],
    pub name: String,
    pub topics: bool,
    pub syncs: [bool; 2],
    pub template: usize,
    pub group: Option<usize>,
}

/// What was seen of a workspace so far.
pub struct View {
    pub topics: [Topic; 2],
    pub groups: [Group; 2],
    pub posts: usize,
    pub held: BTreeMap<String, Held>,
    pub wrong: Option<String>,
}

pub struct Walk {
    /// The platform of the first never fails.
    pub apps: [Workspace; 2],
    pub views: [RefCell<View>; 2],
    pub slots: [Option<Slot>; 3],
    /// The slots in the order of creation.
    pub order: Vec<usize>,
    pub ill: Option<(Ill, Timestamp)>,
    pub holds_empty: bool,
    pub free: bool,
    pub made: u32,
    /// Recipients who may have missed a message; all of them.
    pub lost: BTreeSet<String>,
    pub lost_all: bool,
}

pub fn through(name: &str, case: &Case) -> Outcome {
    let calm = Workspace::open(&format!("{name}-calm"), true);
    let faulty = Workspace::open(&format!("{name}-faulty"), case.holds_empty);
    let view = || {
        let mut strangers = Group::default();
        strangers.change_by_hand(People::from(["U5".to_string()]));
        RefCell::new(View {
            topics: [Topic::new("welcome".into()), Topic::new(String::new())],
            groups: [strangers, Group::default()],
            posts: 0,
            held: BTreeMap::new(),
            wrong: None,
        })
    };
    let mut walk = Walk {
        apps: [calm, faulty],
        views: [view(), view()],
        slots: [None, None, None],
        order: Vec::new(),
        ill: None,
        holds_empty: case.holds_empty,
        free: false,
        made: 0,
        lost: BTreeSet::new(),
        lost_all: false,
    };
    let begun = [Op::Create(0), Op::Create(1)];
    for op in begun.iter().chain(&case.ops).chain([&Op::Heal]) {
        walk.act(op).map_err(|why| format!("{op:?}: {why}"))?;
        for index in 0..2 {
            tell(&walk.apps[index].app).map_err(|error| error.to_string())?;
            walk.look(index);
            let wrong = walk.views[index].borrow().wrong.clone();
            let which = ["calm", "faulty"][index];
            wrong.map_or(Ok(()), |why| Err(format!("{op:?}, {which}: {why}")))?;
        }
    }
    walk.compare()
}

impl Walk {
    /// Applies a change to a rotation in both workspaces. Returns whether it was permitted, which must be the same in both.
    fn both<T>(
        &self,
        slot: usize,
        act: impl Fn(&App, &RotationId) -> Result<T, ActionError>,
    ) -> Result<bool, String> {
        let Some(slot) = &self.slots[slot] else {
            return Ok(false);
        };
        let allowed = [0, 1].map(|index| act(&self.apps[index].app, &slot.ids[index]).is_ok());
        match allowed {
            [one, other] if one == other => Ok(one),
            allowed => Err(format!("allowed: {allowed:?}")),
        }
    }

    fn patch(&self, slot: usize, patch: RotationPatch) -> Result<bool, String> {
        let any = Precondition::Any;
        self.both(slot, |app, id| {
            write(app, &caller(), id, &any, PatchRotation(patch.clone()))
        })
    }

    fn members(&self, slot: usize, count: u32) -> Result<bool, String> {
        let users = (1..=count).map(|n| UserId::from(format!("U{n}"))).collect();
        self.patch(
            slot,
            RotationPatch {
                users: Some(users),
                ..RotationPatch::default()
            },
        )
    }

    fn act(&mut self, op: &Op) -> Outcome {
        let any = Precondition::Any;
        match op {
            Op::Advance(hours) => self.advance(SignedDuration::from_hours(*hours)),
            Op::Create(slot) => return self.create(*slot),
            Op::Delete(slot) => {
                let gone =
                    |app: &App, id: &RotationId| write(app, &caller(), id, &any, DeleteRotation);
                if self.both(*slot, gone)? {
                    self.slots[*slot] = None;
                    self.order.retain(|known| known != slot);
                }
            }
            Op::Seat(slot, who) => {
                let users: Vec<UserId> =
                    who.iter().map(|n| UserId::from(format!("U{n}"))).collect();
                self.both(*slot, |app, id| {
                    write(
                        app,
                        &caller(),
                        id,
                        &any,
                        SetOnDuty {
                            users: users.clone(),
                        },
                    )
                })?;
            }
            Op::Clear(slot) => {
                self.both(*slot, |app, id| {
                    write(app, &caller(), id, &any, ClearDuty { cell: None })
                })?;
            }
            Op::Rotate(slot) => {
                self.both(*slot, |app, id| {
                    write(app, &caller(), id, &any, Rotate { cells: None })
                })?;
            }
            Op::Join(slot) => drop(self.members(*slot, 4)?),
            Op::Leave(slot) => drop(self.members(*slot, 3)?),
            Op::Away(slot, who, from, hours) => {
                let from = self.apps[0].app.now() + SignedDuration::from_hours(*from);
                let absence = NewAbsence {
                    user: format!("U{who}").into(),
                    period: Interval {
                        from,
                        until: from + SignedDuration::from_hours(*hours),
                    },
                    reason: None,
                    everywhere: hours % 2 == 0,
                };
                self.both(*slot, |app, id| {
                    absences::create(app, &author(), id, absence.clone())
                })?;
            }
            Op::Enable(slot, on) => {
                let enabled = Some(*on);
                let patch = RotationPatch {
                    enabled,
                    ..RotationPatch::default()
                };
                self.patch(*slot, patch)?;
            }
            Op::Bind(slot, made) => return self.bind(*slot, *made),
            Op::Unbind(slot) => {
                let unbind =
                    |app: &App, id: &RotationId| write(app, &caller(), id, &any, UnbindDutyGroup);
                if self.both(*slot, unbind)? {
                    self.slot(*slot).group = None;
                }
            }
            Op::Sync(slot, channel, on) => {
                let change = ChannelChange {
                    posts_messages: Some(true),
                    syncs_topic: Some(*on),
                };
                let named = ChannelId::from(CHANNELS[*channel]);
                let set = |app: &App, id: &RotationId| {
                    write(
                        app,
                        &caller(),
                        id,
                        &any,
                        SetChannel {
                            channel: named.clone(),
                            change,
                        },
                    )
                };
                if self.both(*slot, set)? {
                    self.slot(*slot).syncs[*channel] = *on;
                }
            }
            Op::Topics(slot, on) => {
                let patch = RotationPatch {
                    enable_topic: Some(*on),
                    ..RotationPatch::default()
                };
                if self.patch(*slot, patch)? {
                    self.slot(*slot).topics = *on;
                }
            }
            Op::Template(slot, template) => {
                if self.patch(*slot, worded(*template))? {
                    self.slot(*slot).template = *template;
                }
            }
            Op::People(made, people) => self.change_people(*made, *people),
            Op::Word(channel) => self.change_topic(*channel),
            Op::Free(free) => {
                self.free = *free;
                let tier = if *free { Tier::Free } else { Tier::Pro };
                for workspace in &self.apps {
                    let switched = tier::switch(&workspace.app, &author(), TierLimits::of(tier));
                    switched.map_err(|stop| format!("{stop:?}"))?;
                }
            }
            Op::Misbehave(ill) => {
                self.heal();
                self.fall_ill(*ill);
            }
            Op::Heal => self.heal(),
        }
        Ok(())
    }

    fn slot(&mut self, slot: usize) -> &mut Slot {
        self.slots[slot].as_mut().expect("a rotation")
    }

    fn create(&mut self, slot: usize) -> Outcome {
        if self.slots[slot].is_some() {
            return Ok(());
        }
        self.made += 1;
        let name = format!("r{:02}", self.made);
        let lanes = if slot == 0 && !self.free { 2 } else { 1 };
        let made = self.apps.each_ref().map(|workspace| {
            let app = &workspace.app;
            let rotation = made(app, &name);
            let any = Precondition::Any;
            write(app, &caller(), &rotation.id, &any, PatchRotation(worded(0)))
                .expect("a template");
            if slot < 2 {
                let spec = daily(&rotation, lanes, ["09:00", "21:30"][slot]);
                write(app, &caller(), &rotation.id, &any, ReplaceCoverage(spec)).expect("a grid");
            }
            rotation.id
        });
        self.order.push(slot);
        self.slots[slot] = Some(Slot {
            ids: made,
            name,
            topics: false,
            syncs: [false; 2],
            template: 0,
            group: None,
        });
        Ok(())
    }

    /// A bind without the platform is refused, which does not affect duty.
    fn bind(&mut self, slot: usize, made: bool) -> Outcome {
        let Some(known) = &self.slots[slot] else {
            return Ok(());
        };
        let bind = |index: usize| {
            let choice = match made {
                true => DutyGroupChoice::Handle("made".into()),
                false => DutyGroupChoice::Group("G1".into()),
            };
            let (app, any) = (&self.apps[index].app, Precondition::Any);
            write(
                app,
                &caller(),
                &known.ids[index],
                &any,
                BindDutyGroup::new(choice),
            )
        };
        let bound = bind(1);
        if bound.is_err() && self.ill.is_some_and(|(ill, _)| ill.group(made)) {
            return Ok(());
        }
        if bound.is_ok() != bind(0).is_ok() {
            return Err(format!("bound: {bound:?}"));
        }
        if bound.is_ok() {
            self.slot(slot).group = Some(usize::from(made));
        }
        Ok(())
    }

    /// Puts strangers and members into a group by hand, and removes others.
    fn change_people(&mut self, made: bool, chosen: u8) {
        let ill = self.ill.is_some_and(|(ill, _)| ill.group(made));
        let names = ["U1", "U2", "U3", "U5", "U6"].iter().enumerate();
        let chosen = names.filter(|(place, _)| chosen & (1 << place) != 0);
        let people: People = chosen.map(|(_, name)| name.to_string()).collect();
        for (workspace, view) in self.apps.iter().zip(&self.views) {
            let Some((id, ..)) = workspace.group(HANDLES[usize::from(made)]) else {
                continue;
            };
            chat_uses::redirect(&workspace.app, |directory| {
                let group = directory.groups.iter_mut().find(|group| group.id == id);
                // During a failure the order of changes is unknown.
                if let Some(group) = group.filter(|_| !ill) {
                    group.users = people
                        .iter()
                        .map(|name| UserId::from(name.as_str()))
                        .collect();
                    view.borrow_mut().groups[usize::from(made)].change_by_hand(people.clone());
                }
            });
        }
    }

    fn change_topic(&mut self, channel: usize) {
        self.made += 1;
        let text = format!("by hand {}", self.made);
        let ill = self.ill.is_some_and(|(ill, _)| ill.topic(channel));
        for (workspace, view) in self.apps.iter().zip(&self.views) {
            chat_uses::redirect(&workspace.app, |directory| {
                let id = ChannelId::from(CHANNELS[channel]);
                let found = directory
                    .channels
                    .iter_mut()
                    .find(|channel| channel.id == id);
                if let Some(found) = found.filter(|_| !ill) {
                    found.topic = Some(text.clone());
                    view.borrow_mut().topics[channel].change_by_hand(&text);
                }
            });
        }
    }

    fn fall_ill(&mut self, ill: Ill) {
        let mut mode = FailureMode {
            holds_empty_groups: self.holds_empty,
            ..FailureMode::default()
        };
        match ill {
            Ill::Down => mode.failure = Some(ChatError::Unavailable("down".into())),
            Ill::Busy => mode.failure = Some(ChatError::RateLimited(SignedDuration::from_secs(30))),
            Ill::Refuses => {
                mode.failure = Some(ChatError::Refused("no".into()));
                self.lost_all = true;
            }
            Ill::NoGroups => mode.no_groups = Some("no".into()),
            Ill::Forgets(place) => {
                let group = |handle| self.apps[1].group(handle);
                mode.forgotten = match place {
                    0 | 1 => vec![CHANNELS[place].to_string()],
                    _ => group(HANDLES[place - 2])
                        .into_iter()
                        .map(|(id, ..)| id.to_string())
                        .collect(),
                };
                self.lost.extend(mode.forgotten.iter().cloned());
            }
        }
        self.apps[1].control.set(mode);
        self.ill = Some((ill, self.apps[1].app.now()));
    }

    /// Ends the failure, and advances until everything has been retried.
    fn heal(&mut self) {
        let Some((_, since)) = self.ill else { return };
        self.apps[1].control.set(FailureMode {
            holds_empty_groups: self.holds_empty,
            ..FailureMode::default()
        });
        let lasted = self.apps[1].app.now().duration_since(since);
        // Messages older than a day are not sent.
        self.lost_all |= lasted > SignedDuration::from_hours(22);
        self.advance(SignedDuration::from_mins(61));
        self.ill = None;
        self.look(1);
    }

    fn advance(&self, time: SignedDuration) {
        for (index, workspace) in self.apps.iter().enumerate() {
            let app = &workspace.app;
            dev_clock::advance(app, app.now() + time, &|| {
                tell(app)?;
                self.look(index);
                Ok(())
            })
            .expect("some hours");
        }
    }
}
