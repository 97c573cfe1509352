//! The chat state of a rotation: desired state, last known state, and errors.

use super::chat_sync::{self, TopicTexts};
use super::inbox_only::{self, InboxOnly};
use super::{App, Result, reads};
use crate::domain::access::Principal;
use crate::domain::chat::{PlatformState, wanted_in_group};
use crate::domain::ids::{ChannelId, GroupId, RotationId, UserId};
use crate::domain::rotation::Rotation;
use crate::store::{self, ChannelTopic, DutyGroup, MessageStatus, ReadTx, SyncState};
use jiff::Timestamp;
use std::collections::BTreeSet;

/// The state of a rotation in chat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatStatus {
    pub group: Option<GroupStatus>,
    pub topics: Vec<TopicStatus>,
    pub messages: MessageStatus,
    pub inbox_only: InboxOnly,
    /// Why nothing can be done in channels of the rotation; `None` where the platform does not say it before.
    pub troubles: Option<Vec<(ChannelId, String)>>,
    /// Its people for whom direct messages do not ring yet, because they have not joined their direct room; `None` where nobody
    /// has to join one.
    pub not_joined: Option<Vec<UserId>>,
}

/// Its on-duty group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupStatus {
    pub kept: DutyGroup,
    pub handle: Option<String>,
    /// The people who should be in it.
    pub wanted: Vec<UserId>,
    /// The last known people in it.
    pub present: Vec<UserId>,
    /// Those of them who are invited and have not accepted; `None` where nobody has to accept.
    pub not_accepted: Option<Vec<UserId>>,
}

/// The topic of one of its channels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopicStatus {
    pub kept: ChannelTopic,
    /// The desired topic.
    pub wanted: Option<String>,
    /// The last known topic.
    pub present: Option<String>,
}

/// The state of a rotation in chat.
pub fn read(app: &App, caller: &Principal, id: &RotationId) -> Result<ChatStatus> {
    app.store().read(|tx| {
        let rotation = reads::visible(tx, caller, id)?;
        let mut group = match &rotation.profile.duty_group {
            Some(group) => group_status(tx, app, group)?,
            None => None,
        };
        let (mut topics, mut texts) = (Vec::new(), TopicTexts::default());
        for channel in rotation.profile.topic_channels() {
            topics.extend(topic_status(tx, app, channel, &mut texts)?);
        }
        if let Some(pause) = Pause::of(app) {
            let topics = topics.iter_mut().map(|topic| &mut topic.kept.sync);
            let group = group.as_mut().map(|group| &mut group.kept.sync);
            topics.chain(group).for_each(|sync| pause.explain(sync));
        }
        Ok(ChatStatus {
            group,
            topics,
            messages: store::load_message_status(tx, id)?,
            inbox_only: inbox_only::of_rotation(tx, app, &rotation)?,
            troubles: troubles(app, &rotation),
            not_joined: not_joined(app, &rotation),
        })
    })
}

fn troubles(app: &App, rotation: &Rotation) -> Option<Vec<(ChannelId, String)>> {
    let matrix = app.matrix()?;
    let channels = rotation
        .profile
        .channels
        .iter()
        .map(|setting| &setting.channel);
    let trouble = |channel: &ChannelId| {
        let why = matrix.trouble(channel)?;
        Some((channel.clone(), why))
    };
    Some(channels.filter_map(trouble).collect())
}

fn not_joined(app: &App, rotation: &Rotation) -> Option<Vec<UserId>> {
    let matrix = app.matrix()?;
    let members = &rotation.members;
    let followed = members.groups.iter().flat_map(|group| &group.users);
    let people = members.users.iter().chain(followed);
    let people: BTreeSet<&UserId> = people.chain(&rotation.profile.owners).collect();
    let waiting = people.into_iter().filter(|user| !matrix.has_joined(user));
    Some(waiting.cloned().collect())
}

/// A platform that is paused: what is due waits until it is asked again.
struct Pause {
    why: String,
    asks_at: Timestamp,
}

impl Pause {
    /// `None` if the platform is not paused.
    fn of(app: &App) -> Option<Pause> {
        let remote = app.remote()?;
        let asks_at = remote.asks_again_at()?;
        let (state, why) = remote.state();
        let why = why.filter(|_| state == PlatformState::Paused)?;
        Some(Pause { why, asks_at })
    }

    /// Says why something that is due waits, and until when. It was not tried, so this is not stored with it.
    fn explain(&self, sync: &mut SyncState) {
        if let Some(due_at) = &mut sync.due_at
            && *due_at <= self.asks_at
        {
            *due_at = self.asks_at;
            sync.error = Some(self.why.clone());
        }
    }
}

fn group_status(tx: &ReadTx, app: &App, id: &GroupId) -> Result<Option<GroupStatus>> {
    let Some(kept) = store::load_duty_group(tx, id)? else {
        return Ok(None);
    };
    let members = chat_sync::group_members(tx, app, &kept)?;
    let present = store::list_group_people(tx, id)?;
    Ok(Some(GroupStatus {
        handle: store::load_group(tx, id)?.and_then(|group| group.handle),
        wanted: wanted_in_group(&present, &members.ours, &members.on_call),
        not_accepted: app.matrix().map(|matrix| matrix.not_accepted(id)),
        present,
        kept,
    }))
}

fn topic_status(
    tx: &ReadTx,
    app: &App,
    id: &ChannelId,
    texts: &mut TopicTexts,
) -> Result<Option<TopicStatus>> {
    let Some(kept) = store::load_topic(tx, id)? else {
        return Ok(None);
    };
    Ok(Some(TopicStatus {
        wanted: texts.wanted(tx, app, id)?,
        present: store::load_channel(tx, id)?.and_then(|channel| channel.topic),
        kept,
    }))
}
