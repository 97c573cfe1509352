//! Keeping the topics of channels in line with whoever is on call, and restoring what stood there before.

use super::SyncError;
use crate::actions::{App, Fault, notifications};
use crate::chat::PlatformVoice;
use crate::domain::chat::ChatError;
use crate::domain::forecast::OnCallSummary;
use crate::domain::handover::DealingContext;
use crate::domain::ids::{ChannelId, RotationId};
use crate::domain::message::PeopleNames;
use crate::domain::rotation::Profile;
use crate::domain::wording::{self, Piece, TopicSubject};
use crate::fault;
use crate::store::{self, ChannelTopic, ReadTx, WriteTx};
use std::collections::HashMap;

/// Between the topics of two rotations on one channel.
const BETWEEN: &str = " | ";

/// What topics show of each rotation, computed once for all channels.
#[derive(Default)]
pub struct TopicTexts(HashMap<RotationId, Option<Shown>>);

struct Shown {
    profile: Profile,
    summary: OnCallSummary,
    duty_handle: Option<String>,
    /// Of everybody in the summary.
    names: PeopleNames,
}

impl TopicTexts {
    fn of(&mut self, tx: &ReadTx, app: &App, id: &RotationId) -> Result<Option<&Shown>, Fault> {
        if !self.0.contains_key(id) {
            self.0.insert(id.clone(), look(tx, app, id)?);
        }
        Ok(self.0[id].as_ref())
    }

    /// The topic that a channel is to have; `None` where no rotation shows anything there.
    pub fn wanted(
        &mut self,
        tx: &ReadTx,
        app: &App,
        channel: &ChannelId,
    ) -> Result<Option<String>, Fault> {
        let most = app.chat().capabilities().longest_topic;
        let (mut pieces, mut length): (Vec<Piece>, _) = (Vec::new(), 0);
        for id in store::list_rotations_of_topic(tx, channel)? {
            let Some(shown) = self.of(tx, app, &id)? else {
                continue;
            };
            if !shown
                .profile
                .topic_channels()
                .any(|synced| synced == channel)
            {
                continue;
            }
            if !pieces.is_empty() {
                pieces.push(Piece::Plain(BETWEEN.into()));
            }
            let subject = TopicSubject {
                profile: &shown.profile,
                summary: &shown.summary,
                duty_handle: shown.duty_handle.as_deref(),
            };
            let voice = PlatformVoice {
                chat: app.chat(),
                names: &shown.names,
            };
            let topic = wording::topic(subject, &voice);
            length += topic.iter().map(Piece::length).sum::<usize>();
            pieces.extend(topic);
            // What is longer is cut anyway.
            if length > most {
                break;
            }
        }
        let text = || wording::one_line(&wording::fit(&pieces, most));
        Ok((!pieces.is_empty()).then(text))
    }
}

fn look(tx: &ReadTx, app: &App, id: &RotationId) -> Result<Option<Shown>, Fault> {
    let Some(rotation) = store::load_rotation(tx, id)? else {
        return Ok(None);
    };
    let absences = store::load_absences(tx, &rotation)?;
    let dealing = DealingContext {
        calendar: app.calendar(),
        absences: &absences,
    };
    let group = match &rotation.profile.duty_group {
        Some(group) => store::load_group(tx, group)?,
        None => None,
    };
    let handle = group.and_then(|group| group.handle);
    let summary = OnCallSummary::of(&rotation, dealing);
    let people = summary.on_call.iter().chain(&summary.next);
    Ok(Some(Shown {
        names: notifications::load_names(tx, people)?,
        summary,
        profile: rotation.profile,
        duty_handle: handle.map(|handle| handle.trim_start_matches('@').to_owned()),
    }))
}

/// The state of a channel's topic when its sync began, and how often the directory had been replaced then.
struct Look {
    topic: ChannelTopic,
    imports: u64,
}

/// Brings the topic of a channel in line.
pub(super) fn sync(app: &App, channel: &ChannelId) -> Result<(), SyncError> {
    let (topic, wanted, imports) = app.store().read(|tx| -> Result<_, Fault> {
        let wanted = TopicTexts::default().wanted(tx, app, channel)?;
        let imports = store::count_imports(tx)?;
        Ok((store::load_topic(tx, channel)?, wanted, imports))
    })?;
    let Some(topic) = topic else { return Ok(()) };
    let look = Look { topic, imports };
    match wanted {
        Some(wanted) => write(app, look, wanted),
        None => restore(app, look),
    }
}

fn write(app: &App, look: Look, wanted: String) -> Result<(), SyncError> {
    let current = app.chat().topic(&look.topic.channel)?;
    let Look { mut topic, imports } = look;
    if topic.is_ours(&current) {
        topic.written = Some(current.clone());
    } else if current != wanted && topic.written.as_ref() == Some(&wanted) {
        // Whoever changed it had a reason; it stays until there is something new to show.
        let why = "somebody has changed the topic; it is written again when duty changes";
        return Ok((app.store()).write_log(move |tx| store::save_topic(tx, &topic, Some(why)))?);
    } else if current != wanted || topic.written.is_none() {
        // What somebody else wrote is what is put back one day.
        topic.before = Some(current.clone());
    }
    // Stored before it is written: whatever becomes of the try, afterwards it is known for ours.
    topic.writing = Some(wanted.clone());
    let noted = topic.clone();
    app.store()
        .write_log(move |tx| store::note_topic(tx, &noted))?;
    if current != wanted {
        app.chat().set_topic(&topic.channel, &wanted)?;
        fault::point("chat.topic");
    }
    topic.written = topic.writing.take();
    app.store().write_log(move |tx| -> Result<(), Fault> {
        if !is_overtaken(tx, imports)? {
            store::save_channel_topic(tx, &topic.channel, &wanted)?;
            store::save_topic(tx, &topic, None)?;
        }
        Ok(())
    })?;
    Ok(())
}

/// Puts back what stood before, but only in the place of what rota wrote.
fn restore(app: &App, Look { topic, imports }: Look) -> Result<(), SyncError> {
    if topic.written.is_none() && topic.writing.is_none() {
        let forget =
            move |tx: &mut WriteTx| store::remove_topic(tx, &topic.channel, topic.sync.calls);
        return Ok(app.store().write_log(forget)?);
    }
    let current = match app.chat().topic(&topic.channel) {
        Err(ChatError::NotFound(why)) => return Ok(leave(app, topic, why)?),
        current => current?,
    };
    let ours = topic.is_ours(&current);
    let before = topic.before.clone().unwrap_or_default();
    if ours {
        app.chat().set_topic(&topic.channel, &before)?;
    }
    app.store().write_log(move |tx| -> Result<(), Fault> {
        if is_overtaken(tx, imports)? {
            return Ok(());
        }
        if ours {
            store::save_channel_topic(tx, &topic.channel, &before)?;
        }
        store::remove_topic(tx, &topic.channel, topic.sync.calls)
    })?;
    Ok(())
}

/// Leaves a topic where the app cannot reach it; where the channel is still there, until the app is back.
fn leave(app: &App, topic: ChannelTopic, why: String) -> Result<(), Fault> {
    log::warn!(
        "chat: topic of {}: {why}, nothing is put back",
        topic.channel
    );
    app.store().write_log(
        move |tx| match store::is_known_channel(&tx.as_read(), &topic.channel)? {
            true => store::save_topic(tx, &topic, Some(&why)),
            false => store::remove_topic(tx, &topic.channel, topic.sync.calls),
        },
    )
}

/// Whether the directory was replaced while the platform was called. Its content is newer, and everything is synced again.
pub(super) fn is_overtaken(tx: &WriteTx, imports: u64) -> Result<bool, Fault> {
    Ok(store::count_imports(&tx.as_read())? != imports)
}
