//! What chat should show of a rotation and what it shows, as far as rota knows (contract section 12).

use super::effects::{self, Glances};
use super::{App, Stop, reads};
use crate::domain::access::Principal;
use crate::domain::chat::wanted_in_group;
use crate::domain::ids::{ChannelId, GroupId, RotationId, UserId};
use crate::store::{self, ChannelTopic, DutyGroup, Postage, ReadTx};

/// How a rotation stands in chat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    pub group: Option<GroupStanding>,
    pub topics: Vec<TopicStanding>,
    pub messages: Postage,
}

/// Its on-duty group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupStanding {
    pub kept: DutyGroup,
    pub handle: Option<String>,
    /// Who is to be in it.
    pub wanted: Vec<UserId>,
    /// Who is in it, as last seen.
    pub present: Vec<UserId>,
}

/// The topic of one of its channels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopicStanding {
    pub kept: ChannelTopic,
    /// What it is to say.
    pub wanted: Option<String>,
    /// What it says, as last seen.
    pub present: Option<String>,
}

/// How a rotation stands in chat.
pub fn read(app: &App, caller: &Principal, id: &RotationId) -> Result<Standing, Stop> {
    app.store().read(|tx| {
        let rotation = reads::visible(tx, caller, id)?;
        let group = match &rotation.profile.duty_group {
            Some(group) => group_standing(tx, app, group)?,
            None => None,
        };
        let (mut topics, mut glances) = (Vec::new(), Glances::default());
        for channel in rotation.profile.topic_channels() {
            topics.extend(topic_standing(tx, app, channel, &mut glances)?);
        }
        Ok(Standing {
            group,
            topics,
            messages: store::load_postage(tx, id)?,
        })
    })
}

fn group_standing(tx: &ReadTx, app: &App, id: &GroupId) -> Result<Option<GroupStanding>, Stop> {
    let Some(kept) = store::load_duty_group(tx, id)? else {
        return Ok(None);
    };
    let crew = effects::crew(tx, app, &kept)?;
    let present = store::list_group_people(tx, id)?;
    Ok(Some(GroupStanding {
        handle: store::load_group(tx, id)?.and_then(|group| group.handle),
        wanted: wanted_in_group(&present, &crew.ours, &crew.on_call),
        present,
        kept,
    }))
}

fn topic_standing(
    tx: &ReadTx,
    app: &App,
    id: &ChannelId,
    glances: &mut Glances,
) -> Result<Option<TopicStanding>, Stop> {
    let Some(kept) = store::load_topic(tx, id)? else {
        return Ok(None);
    };
    Ok(Some(TopicStanding {
        wanted: glances.wanted(tx, app, id)?,
        present: store::load_channel(tx, id)?.and_then(|channel| channel.topic),
        kept,
    }))
}
