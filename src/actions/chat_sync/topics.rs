//! Syncs the topics of channels with the people on call, and restores previous topics.

use super::{SyncError, await_pace};
use crate::actions::{App, Error, Result, notifications, reads};
use crate::chat::{Step, TopicRenderer};
use crate::domain::access::Principal;
use crate::domain::chat::ChatError;
use crate::domain::forecast::OnCallSummary;
use crate::domain::handover::DealingContext;
use crate::domain::ids::{ChannelId, RotationId};
use crate::domain::message::PeopleNames;
use crate::domain::refusal::Refusal;
use crate::domain::rotation::Profile;
use crate::domain::wording::{self, Piece, TopicSubject};
use crate::failpoint;
use crate::store::{self, ChannelTopic, ReadTx, WriteTx};
use std::collections::HashMap;

/// The separator of the topics of several rotations in one channel.
const BETWEEN: &str = " | ";

/// The topic texts of rotations, computed once for all channels.
#[derive(Default)]
pub struct TopicTexts(HashMap<RotationId, Option<TopicSource>>);

struct TopicSource {
    profile: Profile,
    summary: OnCallSummary,
    duty_handle: Option<String>,
    /// The people of the summary.
    names: PeopleNames,
}

impl TopicSource {
    fn topic(&self) -> Vec<Piece> {
        let subject = TopicSubject {
            profile: &self.profile,
            summary: &self.summary,
            duty_handle: self.duty_handle.as_deref(),
        };
        wording::topic(subject, &TopicRenderer { names: &self.names })
    }
}

/// How the topic of a rotation would read now with a template; `None` is the usual text. Another rotation's topic in the same
/// channel is not part of it.
///
/// # Errors
/// [`Refusal::ResourceDenied`] for whoever may not edit the rotation.
pub fn preview(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    template: Option<String>,
) -> Result<String> {
    app.store().read(|tx| {
        let rotation = reads::visible(tx, caller, id)?;
        caller.check_edit(&rotation)?;
        let mut shown = load_text(tx, app, id)?.ok_or(Refusal::NotFound("rotation"))?;
        shown.profile.topic_template = template;
        Ok(fitting(app, &shown.topic()))
    })
}

/// The pieces as a topic that the platform takes.
fn fitting(app: &App, pieces: &[Piece]) -> String {
    let (chat, longest) = (app.chat(), app.chat().capabilities().longest_topic);
    let mut most = longest;
    loop {
        let text = chat.topic_text(wording::one_line(&wording::fit(pieces, most)));
        // Escaped characters count more than once.
        let over = chat.topic_cost(&text).saturating_sub(longest);
        if over == 0 || most == 0 {
            return text;
        }
        most = most.saturating_sub(over.div_ceil(5));
    }
}

impl TopicTexts {
    fn of(
        &mut self,
        tx: &ReadTx,
        app: &App,
        id: &RotationId,
    ) -> Result<Option<&TopicSource>, Error> {
        if !self.0.contains_key(id) {
            self.0.insert(id.clone(), load_text(tx, app, id)?);
        }
        Ok(self.0[id].as_ref())
    }

    /// The desired topic of a channel; `None` if no rotation has a text for it.
    pub fn wanted(
        &mut self,
        tx: &ReadTx,
        app: &App,
        channel: &ChannelId,
    ) -> Result<Option<String>, Error> {
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
            let topic = shown.topic();
            length += topic.iter().map(Piece::length).sum::<usize>();
            pieces.extend(topic);
            // Longer topics are cut anyway.
            if length > most {
                break;
            }
        }
        let text = || fitting(app, &pieces);
        Ok((!pieces.is_empty()).then(text))
    }
}

fn load_text(tx: &ReadTx, app: &App, id: &RotationId) -> Result<Option<TopicSource>, Error> {
    let Some(rotation) = store::load_rotation(tx, id)? else {
        return Ok(None);
    };
    let dealing = DealingContext::new(app.calendar(), &rotation.absences);
    let group = match &rotation.profile.duty_group {
        Some(group) => store::load_group(tx, group)?,
        None => None,
    };
    let handle = group.and_then(|group| group.handle);
    let summary = OnCallSummary::of(&rotation, dealing);
    let people = summary.on_call.iter().chain(&summary.next);
    Ok(Some(TopicSource {
        names: notifications::load_names(tx, people)?,
        summary,
        profile: rotation.profile,
        duty_handle: handle.map(|handle| handle.trim_start_matches('@').to_owned()),
    }))
}

/// The state of a channel's topic at the start of its sync, and the number of directory imports then.
struct SyncStart {
    topic: ChannelTopic,
    imports: u64,
}

/// Syncs the topic of a channel.
pub(super) fn sync(app: &App, channel: &ChannelId) -> Result<(), SyncError> {
    let (topic, wanted, imports) = app.store().read(|tx| -> Result<_, Error> {
        let wanted = TopicTexts::default().wanted(tx, app, channel)?;
        let imports = store::count_imports(tx)?;
        Ok((store::load_topic(tx, channel)?, wanted, imports))
    })?;
    let Some(topic) = topic else { return Ok(()) };
    let start = SyncStart { topic, imports };
    match wanted {
        Some(wanted) => write(app, start, wanted),
        None => restore(app, start),
    }
}

fn write(app: &App, start: SyncStart, wanted: String) -> Result<(), SyncError> {
    if start.topic.written.as_ref() != Some(&wanted) {
        await_pace(app, Step::SetTopic)?;
    }
    let current = app.chat().topic(&start.topic.channel)?;
    let SyncStart { mut topic, imports } = start;
    if topic.is_ours(&current) {
        topic.written = Some(current.clone());
    } else if current != wanted && topic.written.as_ref() == Some(&wanted) {
        // A topic changed by someone else stays until there is something new to show.
        let why = "somebody has changed the topic; it is written again at the next hand-over";
        return Ok((app.store()).write_log(move |tx| store::save_topic(tx, &topic, Some(why)))?);
    } else if current != wanted || topic.written.is_none() {
        // The topic that is restored later is the one of the other author.
        topic.before = Some(current.clone());
    }
    // Stored before the call, so that the topic is known as written by rota whatever the result.
    topic.writing = Some(wanted.clone());
    let noted = topic.clone();
    app.store()
        .write_log(move |tx| store::note_topic(tx, &noted))?;
    if current != wanted {
        app.chat().set_topic(&topic.channel, &wanted)?;
        failpoint::point("chat.topic");
    }
    topic.written = topic.writing.take();
    app.store().write_log(move |tx| -> Result<(), Error> {
        if !is_overtaken(tx, imports)? {
            store::save_channel_topic(tx, &topic.channel, &wanted)?;
            store::save_topic(tx, &topic, None)?;
        }
        Ok(())
    })?;
    Ok(())
}

/// Restores the previous topic, unless the current one was not written by rota.
fn restore(app: &App, SyncStart { topic, imports }: SyncStart) -> Result<(), SyncError> {
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
    app.store().write_log(move |tx| -> Result<(), Error> {
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

/// Gives up a topic that the app cannot reach. If the channel still exists, only until the app is a member again.
fn leave(app: &App, topic: ChannelTopic, why: String) -> Result<(), Error> {
    log::warn!(
        "chat: topic of {}: {why}, nothing is restored",
        topic.channel
    );
    app.store().write_log(
        move |tx| match store::is_known_channel(&tx.as_read(), &topic.channel)? {
            true => store::save_topic(tx, &topic, Some(&why)),
            false => store::remove_topic(tx, &topic.channel, topic.sync.calls),
        },
    )
}

/// Whether the directory was replaced during the call. Its content is newer, and everything is synced again.
pub(super) fn is_overtaken(tx: &WriteTx, imports: u64) -> Result<bool, Error> {
    Ok(store::count_imports(&tx.as_read())? != imports)
}
