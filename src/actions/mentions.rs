//! Asking for whoever is on call, and their answers.

use super::draft::Draft;
use super::mutation::Operation;
use super::{App, Fault, Stop, notifications, reads};
use crate::domain::access::Principal;
use crate::domain::edit::SettingsChange;
use crate::domain::event::Act;
use crate::domain::handover::WindowChange;
use crate::domain::ids::{MentionId, RotationId, UserId};
use crate::domain::mention::{MAX_A_DAY, Mention, MentionSettings, NewMention, Notice};
use crate::domain::message;
use crate::domain::refusal::{Refusal, invalid};
use crate::domain::resolve::{self, Hold};
use crate::domain::rotation::{Reason, Rotation};
use crate::store::{self, ReadTx, WriteTx};
use jiff::{SignedDuration, Timestamp};

/// The time within which mentions are counted.
const DAY: SignedDuration = SignedDuration::from_hours(24);

/// Asks for whoever is on call in a rotation, in a channel.
pub fn open(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    new: NewMention,
) -> Result<Mention, Stop> {
    let (shared, caller, id) = (app.clone(), caller.clone(), id.clone());
    app.store().write(move |tx| {
        let draft = current(&shared, tx, &id)?;
        caller.check_edit(&draft.rotation)?;
        check_new(&tx.as_read(), &new)?;
        draft.rotation.check_enabled()?;
        let since = tx.now().saturating_sub(DAY).unwrap_or(Timestamp::MIN);
        if store::count_mentions(&tx.as_read(), &id, since)? >= MAX_A_DAY {
            return Err(Refusal::TooManyMentions.into());
        }
        let on_call = resolve::everybody_on_call(&draft.rotation);
        let settings = draft.rotation.profile.mentions;
        let minted = MentionId::from(tx.mint("men_"));
        let (mention, notice) = Mention::open(minted, id, new, &on_call, settings, tx.now());
        written(tx, &draft.rotation, &mention, Some(&notice))?;
        Ok(mention)
    })
}

fn check_new(tx: &ReadTx, new: &NewMention) -> Result<(), Stop> {
    let (asker, channel) = (&new.asker, &new.channel);
    if !store::is_present(tx, asker)? {
        return Ok(invalid(format!(
            "userId: nobody in the workspace has the id `{asker}`"
        ))?);
    }
    if !store::unknown_channels(tx, std::slice::from_ref(channel))?.is_empty() {
        return Ok(invalid(format!(
            "channelId: the app is not in a channel `{channel}`; invite it there first"
        ))?);
    }
    Ok(())
}

/// One mention of a rotation that the caller may see.
pub fn read(app: &App, caller: &Principal, id: &MentionId) -> Result<Mention, Stop> {
    app.store().read(|tx| {
        let mention = store::load_mention(tx, id)?.ok_or(Refusal::NotFound("mention"))?;
        reads::visible(tx, caller, &mention.rotation).map_err(hidden)?;
        Ok(mention)
    })
}

/// A mention of a rotation that is not there for the caller is not there either.
fn hidden(stop: Stop) -> Stop {
    match stop {
        Stop::Refused(Refusal::NotFound(_)) => Refusal::NotFound("mention").into(),
        other => other,
    }
}

/// How somebody answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// They take it on.
    Acknowledge,
    /// They leave it to the others.
    Pass,
}

/// Answers a mention as somebody whom it has notified.
pub fn answer(
    app: &App,
    caller: &Principal,
    id: &MentionId,
    answer: Answer,
) -> Result<Mention, Stop> {
    let person = caller.person()?.clone();
    let (shared, caller, id) = (app.clone(), caller.clone(), id.clone());
    app.store().write(move |tx| {
        let found = store::load_mention(&tx.as_read(), &id)?;
        let mut mention = found.ok_or(Refusal::NotFound("mention"))?;
        let mut draft = current(&shared, tx, &mention.rotation)?;
        // Whoever was asked may answer, also where they cannot see the rotation any more.
        if !mention.notified.contains(&person) {
            let hidden = |refusal: Refusal| hidden(refusal.into());
            caller.check_see(&draft.rotation).map_err(hidden)?;
        }
        expire(tx, &draft.rotation, &mut mention)?;
        mention.check_answer(&person)?;
        let now = tx.now();
        let notice = match answer {
            Answer::Acknowledge => Some(mention.acknowledge(&person, now)),
            Answer::Pass => {
                mention.pass(&person, &resolve::everybody_on_call(&draft.rotation), now)
            }
        };
        written(tx, &draft.rotation, &mention, notice.as_ref())?;
        if answer == Answer::Acknowledge && mention.settings.rotate_after_acknowledgement {
            hand_over(tx, &mut draft, &person);
            draft.settle(tx, Act::Duty)?;
        }
        Ok(mention)
    })
}

/// Hands over the slots whose turn somebody is on call for. Who is not on call any more has handed over already; who
/// stands in by an arrangement goes on doing so, and has no turn to hand over.
fn hand_over(tx: &WriteTx, draft: &mut Draft, person: &UserId) {
    let rotation = &draft.rotation;
    let theirs = |index: &usize| {
        let held = resolve::on_call(rotation, &rotation.cells[*index]);
        matches!(held, Some(Hold::Dealt(holder)) if holder.user == *person)
    };
    let cells: Vec<usize> = (0..rotation.cells.len()).filter(theirs).collect();
    if rotation.enabled && !cells.is_empty() {
        draft.change(tx, WindowChange::ByEdit, |change| {
            change.hand_over(&cells, Reason::AfterMention);
            change.fill(Reason::AfterMention);
        });
    }
}

fn current<'a>(app: &'a App, tx: &mut WriteTx, id: &RotationId) -> Result<Draft<'a>, Stop> {
    let draft = Draft::load(&tx.as_read(), app, id)?;
    let mut draft = draft.ok_or(Refusal::NotFound("rotation"))?;
    draft.catch_up(tx)?;
    Ok(draft)
}

fn written(
    tx: &mut WriteTx,
    rotation: &Rotation,
    mention: &Mention,
    notice: Option<&Notice>,
) -> Result<(), Fault> {
    store::save_mention(tx, mention)?;
    if let Some(notice) = notice {
        notifications::queue(tx, vec![message::mention(rotation, mention, notice)])?;
    }
    Ok(())
}

/// Does in a mention what is due; answers whether that was anything.
fn expire(tx: &mut WriteTx, rotation: &Rotation, mention: &mut Mention) -> Result<bool, Fault> {
    let now = tx.now();
    if mention.due_at().is_none_or(|due| due > now) {
        return Ok(false);
    }
    let notice = mention.move_on(&resolve::everybody_on_call(rotation), now);
    written(tx, rotation, mention, notice.as_ref())?;
    Ok(true)
}

/// How long a mention is left alone that could not be read.
const BACK_OFF: SignedDuration = SignedDuration::from_mins(10);

/// Does everything that is due in mentions; one that cannot be read holds up no other.
pub fn run(app: &App) -> Result<(), Fault> {
    loop {
        let now = app.now();
        let Some(id) = app.store().read(|tx| store::first_due_mention(tx, now))? else {
            return Ok(());
        };
        app.store().write(move |tx| -> Result<(), Fault> {
            if let Err(fault) = tx.part(|tx| move_on(tx, &id)) {
                log::error!("mentions: mention {id}: {fault}");
                let later = tx.now().saturating_add(BACK_OFF);
                store::put_off_mention(tx, &id, later.unwrap_or(Timestamp::MAX))?;
            }
            Ok(())
        })?;
    }
}

fn move_on(tx: &mut WriteTx, id: &MentionId) -> Result<(), Fault> {
    let Some(mut mention) = store::load_mention(&tx.as_read(), id)? else {
        return Ok(());
    };
    let rotation = store::load_rotation(&tx.as_read(), &mention.rotation)?;
    let rotation = rotation.ok_or_else(|| Fault::Corrupt("a mention of no rotation".into()))?;
    if !expire(tx, &rotation, &mut mention)? {
        // Nothing was due after all, so the stored instant is out of date: mend it, or it would be asked for for ever.
        store::save_mention(tx, &mention)?;
    }
    Ok(())
}

/// Says how a rotation deals with mentions; those that are open go on as they began.
pub struct SetMentionSettings(pub SettingsChange);

impl Operation for SetMentionSettings {
    const NAME: &'static str = "set mention settings";
    type Output = ();

    fn apply(self, tx: &mut WriteTx, draft: &mut Draft, _: &Principal) -> Result<(), Stop> {
        let SetMentionSettings(change) = self;
        let settings = &mut draft.rotation.profile.mentions;
        let was = *settings;
        *settings = MentionSettings {
            expires_after_minutes: change
                .expires_after_minutes
                .unwrap_or(was.expires_after_minutes),
            remind_after_minutes: change
                .remind_after_minutes
                .unwrap_or(was.remind_after_minutes),
            one_at_a_time: change.one_at_a_time.unwrap_or(was.one_at_a_time),
            rotate_after_acknowledgement: (change.rotate_after_acknowledgement)
                .unwrap_or(was.rotate_after_acknowledgement),
        };
        draft.settle(tx, Act::Edit)?;
        Ok(())
    }
}
