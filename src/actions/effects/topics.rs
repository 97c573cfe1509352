//! Having the topics of channels say who is on call, and putting back what stood there before.

use super::Hitch;
use crate::actions::{App, Fault, telling};
use crate::domain::chat::Trouble;
use crate::domain::handover::DealingContext;
use crate::domain::ids::{ChannelId, RotationId};
use crate::domain::rotation::Profile;
use crate::domain::takeover::{Glance, glance};
use crate::domain::wording::{self, Piece, TopicSubject};
use crate::fault;
use crate::store::{self, ChannelTopic, ReadTx, WriteTx};
use std::collections::HashMap;

/// Between the topics of two rotations on one channel.
const BETWEEN: &str = " | ";

/// What is told of each rotation, looked at once for all channels.
#[derive(Default)]
pub struct Glances(HashMap<RotationId, Option<Seen>>);

struct Seen {
    profile: Profile,
    glance: Glance,
    duty_handle: Option<String>,
}

impl Glances {
    fn of(&mut self, tx: &ReadTx, app: &App, id: &RotationId) -> Result<Option<&Seen>, Fault> {
        if !self.0.contains_key(id) {
            self.0.insert(id.clone(), look(tx, app, id)?);
        }
        Ok(self.0[id].as_ref())
    }

    /// The topic that a channel is to have; `None` where no rotation has anything to tell there.
    pub fn wanted(
        &mut self,
        tx: &ReadTx,
        app: &App,
        channel: &ChannelId,
    ) -> Result<Option<String>, Fault> {
        let most = app.chat().manners().longest_topic;
        let (mut pieces, mut length): (Vec<Piece>, _) = (Vec::new(), 0);
        for id in store::list_rotations_of_topic(tx, channel)? {
            let Some(seen) = self.of(tx, app, &id)? else {
                continue;
            };
            if !seen
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
                profile: &seen.profile,
                glance: &seen.glance,
                duty_handle: seen.duty_handle.as_deref(),
            };
            let told = telling::with_names(tx, app, |names| wording::topic(subject, names))?;
            length += told.iter().map(Piece::length).sum::<usize>();
            pieces.extend(told);
            // What is longer is cut anyway.
            if length > most {
                break;
            }
        }
        let text = || wording::one_line(&wording::fit(&pieces, most));
        Ok((!pieces.is_empty()).then(text))
    }
}

fn look(tx: &ReadTx, app: &App, id: &RotationId) -> Result<Option<Seen>, Fault> {
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
    Ok(Some(Seen {
        glance: glance(&rotation, dealing),
        profile: rotation.profile,
        duty_handle: handle.map(|handle| handle.trim_start_matches('@').to_owned()),
    }))
}

/// A channel as it is looked at, and how often the directory had been replaced then.
struct Look {
    kept: ChannelTopic,
    imports: u64,
}

/// Brings the topic of a channel in line.
pub(super) fn bring(app: &App, channel: &ChannelId) -> Result<(), Hitch> {
    let (kept, wanted, imports) = app.store().read(|tx| -> Result<_, Fault> {
        let wanted = Glances::default().wanted(tx, app, channel)?;
        let imports = store::count_imports(tx)?;
        Ok((store::load_topic(tx, channel)?, wanted, imports))
    })?;
    let Some(kept) = kept else { return Ok(()) };
    let look = Look { kept, imports };
    match wanted {
        Some(wanted) => write(app, look, wanted),
        None => restore(app, look),
    }
}

fn write(app: &App, look: Look, wanted: String) -> Result<(), Hitch> {
    let current = app.chat().topic(&look.kept.channel)?;
    let Look { mut kept, imports } = look;
    if kept.is_ours(&current) {
        kept.written = Some(current.clone());
    } else if current != wanted && kept.written.as_ref() == Some(&wanted) {
        // Whoever changed it had a reason; it stands until there is something new to tell.
        let why = "somebody has changed the topic; it is written again when duty changes";
        return Ok((app.store()).write_log(move |tx| store::save_topic(tx, &kept, Some(why)))?);
    } else if current != wanted || kept.written.is_none() {
        // What somebody else wrote is what is put back one day.
        kept.before = Some(current.clone());
    }
    // Kept before it is written: whatever becomes of the try, afterwards it is known for ours.
    kept.writing = Some(wanted.clone());
    let noted = kept.clone();
    app.store()
        .write_log(move |tx| store::note_topic(tx, &noted))?;
    if current != wanted {
        app.chat().set_topic(&kept.channel, &wanted)?;
        fault::point("chat.topic");
    }
    kept.written = kept.writing.take();
    app.store().write_log(move |tx| -> Result<(), Fault> {
        if !is_overtaken(tx, imports)? {
            store::save_channel_topic(tx, &kept.channel, &wanted)?;
            store::save_topic(tx, &kept, None)?;
        }
        Ok(())
    })?;
    Ok(())
}

/// Puts back what stood before, but only in the place of what rota wrote.
fn restore(app: &App, Look { kept, imports }: Look) -> Result<(), Hitch> {
    if kept.written.is_none() && kept.writing.is_none() {
        let forget =
            move |tx: &mut WriteTx| store::remove_topic(tx, &kept.channel, kept.upkeep.calls);
        return Ok(app.store().write_log(forget)?);
    }
    let current = match app.chat().topic(&kept.channel) {
        Err(Trouble::Gone(why)) => return Ok(leave(app, kept, why)?),
        current => current?,
    };
    let ours = kept.is_ours(&current);
    let before = kept.before.clone().unwrap_or_default();
    if ours {
        app.chat().set_topic(&kept.channel, &before)?;
    }
    app.store().write_log(move |tx| -> Result<(), Fault> {
        if is_overtaken(tx, imports)? {
            return Ok(());
        }
        if ours {
            store::save_channel_topic(tx, &kept.channel, &before)?;
        }
        store::remove_topic(tx, &kept.channel, kept.upkeep.calls)
    })?;
    Ok(())
}

/// Leaves a topic where the app cannot reach it; where the channel is still there, until the app is back.
fn leave(app: &App, kept: ChannelTopic, why: String) -> Result<(), Fault> {
    log::warn!(
        "chat: topic of {}: {why}, nothing is put back",
        kept.channel
    );
    app.store().write_log(
        move |tx| match store::is_known_channel(&tx.as_read(), &kept.channel)? {
            true => store::save_topic(tx, &kept, Some(&why)),
            false => store::remove_topic(tx, &kept.channel, kept.upkeep.calls),
        },
    )
}

/// Whether the directory was replaced while the platform was asked: it knows better what there is, and everything is looked
/// at again.
pub(super) fn is_overtaken(tx: &WriteTx, imports: u64) -> Result<bool, Fault> {
    Ok(store::count_imports(&tx.as_read())? != imports)
}
