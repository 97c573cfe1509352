//! The channel settings of a rotation.

use super::Result;
use super::chat_ids::NamedIds;
use super::draft::Draft;
use super::mutation::Operation;
use crate::domain::access::Principal;
use crate::domain::edit::ChannelChange;
use crate::domain::event::Act;
use crate::domain::ids::ChannelId;
use crate::domain::refusal::{Refusal, invalid};
use crate::domain::rotation::{ChannelSetting, Rotation};
use crate::store::{self, ReadTx, WriteTx};

/// The maximum number of channels of a rotation.
const MAX_CHANNELS: usize = 50;

/// Changes the settings of a channel. Adds the channel if it is missing, and removes it if it has no setting left.
pub struct SetChannel {
    pub channel: ChannelId,
    pub change: ChannelChange,
}

impl Operation for SetChannel {
    const NAME: &'static str = "set channel";
    type Output = ();

    fn named(&self) -> NamedIds {
        NamedIds::channel(&self.channel)
    }

    fn admit(&self, tx: &ReadTx, rotation: &Rotation, caller: &Principal) -> Result<()> {
        caller.check_edit(rotation)?;
        let listed = rotation
            .profile
            .channels
            .iter()
            .any(|setting| setting.channel == self.channel);
        if !listed && !store::is_known_channel(tx, &self.channel)? {
            return Err(Refusal::NotFound("channel").into());
        }
        Ok(())
    }

    fn apply(self, tx: &mut WriteTx, draft: &mut Draft, _: &Principal) -> Result<()> {
        let SetChannel { channel, change } = self;
        let profile = &mut draft.rotation.profile;
        let existing = profile
            .channels
            .iter()
            .position(|setting| setting.channel == channel);
        let index = existing.unwrap_or_else(|| {
            let syncs_topic = profile.enable_topic;
            profile.channels.push(ChannelSetting {
                channel,
                posts_messages: true,
                syncs_topic,
            });
            profile.channels.len() - 1
        });
        let setting = &mut profile.channels[index];
        setting.posts_messages = change.posts_messages.unwrap_or(setting.posts_messages);
        setting.syncs_topic = change.syncs_topic.unwrap_or(setting.syncs_topic);
        if !setting.posts_messages && !setting.syncs_topic {
            let gone = profile.channels.remove(index);
            let summary = profile.summary.take();
            profile.summary = summary.and_then(|summary| summary.without(&gone.channel));
        }
        if profile.channels.len() > MAX_CHANNELS {
            return Ok(invalid(
                "",
                format!("a rotation has at most {MAX_CHANNELS} channels"),
            )?);
        }
        draft.store(tx, Act::Edit)?;
        Ok(())
    }
}
