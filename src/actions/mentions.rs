//! Opens mentions and records their answers.

use super::chat_ids::NamedIds;
use super::draft::Draft;
use super::mutation::{Mutation, Operation};
use super::{ActionError, App, Error, Result, notifications, reads};
use crate::domain::access::Principal;
use crate::domain::audit::{Author, Phrase, listed};
use crate::domain::edit::SettingsChange;
use crate::domain::event::Act;
use crate::domain::fault::Fault;
use crate::domain::handover::WindowChange;
use crate::domain::ids::{MentionId, UserId};
use crate::domain::mention::{MAX_A_DAY, Mention, NewMention, Notice};
use crate::domain::message;
use crate::domain::refusal::{Refusal, invalid};
use crate::domain::resolve::{self, Hold};
use crate::domain::rotation::{Reason, Rotation};
use crate::store::{self, MentionFilter, Page, ReadTx, WriteTx};
use crate::wire::etag::Precondition;
use jiff::{SignedDuration, Timestamp};

/// The period for the limit of mentions.
const DAY: SignedDuration = SignedDuration::from_hours(24);

/// Mentions the people on call in a rotation, in a channel.
pub struct OpenMention(pub NewMention);

impl Operation for OpenMention {
    const NAME: &'static str = "open mention";
    type Output = Mention;

    fn named(&self) -> NamedIds {
        NamedIds {
            people: vec![self.0.asker.clone()],
            channels: vec![self.0.channel.clone()],
        }
    }

    /// A person mentions in their own name whoever is on call in what they see; programs need the right to edit.
    fn admit(&self, _: &ReadTx, rotation: &Rotation, caller: &Principal) -> Result<()> {
        match caller.person() {
            Ok(person) if *person == self.0.asker => Ok(caller.check_see(rotation)?),
            _ => Ok(caller.check_edit(rotation)?),
        }
    }

    fn apply(self, tx: &mut WriteTx, draft: &mut Draft, _: &Principal) -> Result<Mention> {
        let OpenMention(new) = self;
        let rotation = &draft.rotation;
        check_new(&tx.as_read(), &new)?;
        rotation.check_enabled()?;
        let since = tx.now().saturating_sub(DAY).unwrap_or(Timestamp::MIN);
        if store::count_mentions(&tx.as_read(), &rotation.id, since)? >= MAX_A_DAY {
            return Err(Refusal::TooManyMentions.into());
        }
        let on_call = resolve::everybody_on_call(rotation);
        let settings = rotation.profile.mentions;
        let (minted, id) = (MentionId::from(tx.mint("men_")), rotation.id.clone());
        let (mention, notice) = Mention::open(minted, id, new, &on_call, settings, tx.now());
        written(tx, draft.app(), rotation, &mention, Some(&notice))?;
        let opened = Phrase::from("mention by ").and(&mention.asker);
        let opened = opened.and(" opened, ");
        let opened = match mention.notified.as_slice() {
            [] if resolve::is_anybody_on_call(rotation) => {
                opened.and("nobody who is on call is in chat")
            }
            [] => opened.and("nobody is on call"),
            notified => opened.and("notified ").and(listed(notified)),
        };
        draft.describe(mention.id.as_str(), opened);
        Ok(mention)
    }
}

fn check_new(tx: &ReadTx, new: &NewMention) -> Result<()> {
    let (asker, channel) = (&new.asker, &new.channel);
    if !store::is_present(tx, asker)? {
        return Ok(invalid("userId", Fault::NotInWorkspace(asker.clone()))?);
    }
    if !store::unknown_channels(tx, std::slice::from_ref(channel))?.is_empty() {
        return Ok(invalid(
            "channelId",
            format!("the app is not in a channel `{channel}`; invite it there first"),
        )?);
    }
    Ok(())
}

/// A mention of a rotation that the caller may see.
pub fn read(app: &App, caller: &Principal, id: &MentionId) -> Result<Mention> {
    app.store().read(|tx| {
        let mention = store::load_mention(tx, id)?.ok_or(Refusal::NotFound("mention"))?;
        reads::visible(tx, caller, &mention.rotation).map_err(hidden)?;
        Ok(mention)
    })
}

/// A page of the mentions of all rotations that the caller may see, newest first, and how many there are in all.
pub fn list(
    app: &App,
    caller: &Principal,
    filter: MentionFilter,
    page: Page,
) -> Result<(Vec<Mention>, u64)> {
    let filter = MentionFilter {
        visible: reads::visible_to(caller),
        ..filter
    };
    Ok(app
        .store()
        .read(|tx| store::list_mentions_across(tx, &filter, page))?)
}

/// A mention of a rotation that is not there for the caller is not there either.
fn hidden(stop: ActionError) -> ActionError {
    match stop {
        ActionError::Refused(Refusal::NotFound(_)) => Refusal::NotFound("mention").into(),
        other => other,
    }
}

/// An answer to a mention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MentionAnswer {
    /// Acknowledges it.
    Acknowledge,
    /// Passes it on.
    Pass,
}

/// Answers a mention as a person whom it has notified.
pub fn answer(
    app: &App,
    author: &Author,
    id: &MentionId,
    answer: MentionAnswer,
) -> Result<Mention> {
    author.principal.person()?;
    let found = app.store().read(|tx| store::load_mention(tx, id))?;
    let found = found.ok_or(Refusal::NotFound("mention"))?;
    let mutation = Mutation {
        author,
        rotation: &found.rotation,
        precondition: &Precondition::Any,
        operation: AnswerMention {
            mention: id.clone(),
            answer,
        },
    };
    Ok(mutation.run(app).map_err(hidden)?.output)
}

struct AnswerMention {
    mention: MentionId,
    answer: MentionAnswer,
}

impl AnswerMention {
    fn find(&self, tx: &ReadTx) -> Result<Mention> {
        Ok(store::load_mention(tx, &self.mention)?.ok_or(Refusal::NotFound("mention"))?)
    }
}

impl Operation for AnswerMention {
    const NAME: &'static str = "answer mention";
    type Output = Mention;

    /// Whoever was asked may answer, also where they cannot see the rotation any more.
    fn admit(&self, tx: &ReadTx, rotation: &Rotation, caller: &Principal) -> Result<()> {
        match self.find(tx)?.notified.contains(caller.person()?) {
            true => Ok(()),
            false => Ok(caller.check_see(rotation)?),
        }
    }

    fn apply(self, tx: &mut WriteTx, draft: &mut Draft, caller: &Principal) -> Result<Mention> {
        let person = caller.person()?;
        let mut mention = self.find(&tx.as_read())?;
        expire(tx, draft.app(), &draft.rotation, &mut mention)?;
        mention.check_answer(person)?;
        let (now, was) = (tx.now(), mention.state);
        let (notice, done) = match self.answer {
            MentionAnswer::Acknowledge => (Some(mention.acknowledge(person, now)), "acknowledged"),
            MentionAnswer::Pass => {
                let on_call = resolve::everybody_on_call(&draft.rotation);
                (mention.pass(person, &on_call, now), "passed")
            }
        };
        written(tx, draft.app(), &draft.rotation, &mention, notice.as_ref())?;
        let (before, after) = (was.name(), mention.state.name());
        let answered = Phrase::from(format!("mention {done} by ")).and(person);
        let answered = match was == mention.state {
            true => answered.and(format!(", still {before}")),
            false => answered.and(format!(": {before} to {after}")),
        };
        draft.describe(mention.id.as_str(), answered);
        let hands_over = mention.settings.rotate_after_acknowledgement;
        if self.answer == MentionAnswer::Acknowledge && hands_over {
            hand_over(tx, draft, person);
            draft.store(tx, Act::Duty)?;
        }
        Ok(mention)
    }
}

/// Hands over the slots whose dealt turn a person is on call for. If they are no longer on call, the hand-over has already
/// happened. A person on call by an arrangement stays, because it has no turn to hand over.
fn hand_over(tx: &WriteTx, draft: &mut Draft, person: &UserId) {
    let rotation = &draft.rotation;
    let theirs = |index: &usize| {
        let held = resolve::on_call(rotation, &rotation.cells[*index]);
        matches!(held, Some(Hold::Dealt(holder)) if holder.user == *person)
    };
    let cells: Vec<usize> = (0..rotation.cells.len()).filter(theirs).collect();
    // On a partner's schedule nobody hands over here.
    if rotation.enabled && rotation.external.is_none() && !cells.is_empty() {
        draft.change(tx, WindowChange::ByEdit, |change| {
            change.hand_over(&cells, Reason::AfterMention);
            change.fill(Reason::AfterMention);
        });
    }
}

fn written(
    tx: &mut WriteTx,
    app: &App,
    rotation: &Rotation,
    mention: &Mention,
    notice: Option<&Notice>,
) -> Result<(), Error> {
    store::save_mention(tx, mention)?;
    if let Some(notice) = notice {
        let mut messages = vec![message::mention(rotation, mention, notice)];
        messages.extend(message::mention_directly(rotation, mention, notice));
        notifications::queue(tx, app, messages)?;
    }
    Ok(())
}

/// Processes what is due in a mention. Returns whether there was anything.
fn expire(
    tx: &mut WriteTx,
    app: &App,
    rotation: &Rotation,
    mention: &mut Mention,
) -> Result<bool, Error> {
    let now = tx.now();
    if mention.due_at().is_none_or(|due| due > now) {
        return Ok(false);
    }
    let notice = mention.move_on(&resolve::everybody_on_call(rotation), now);
    written(tx, app, rotation, mention, notice.as_ref())?;
    Ok(true)
}

/// How long an unreadable mention is postponed.
const BACK_OFF: SignedDuration = SignedDuration::from_mins(10);

/// Processes everything due in mentions. One that cannot be read does not delay others.
pub fn run(app: &App) -> Result<(), Error> {
    loop {
        let now = app.now();
        let Some(id) = app.store().read(|tx| store::first_due_mention(tx, now))? else {
            return Ok(());
        };
        let shared = app.clone();
        app.store().write(move |tx| -> Result<(), Error> {
            if let Err(error) = tx.part(|tx| move_on(tx, &shared, &id)) {
                log::error!("mentions: mention {id}: {error}");
                let later = tx.now().saturating_add(BACK_OFF);
                store::put_off_mention(tx, &id, later.unwrap_or(Timestamp::MAX))?;
            }
            Ok(())
        })?;
    }
}

fn move_on(tx: &mut WriteTx, app: &App, id: &MentionId) -> Result<(), Error> {
    let Some(mut mention) = store::load_mention(&tx.as_read(), id)? else {
        return Ok(());
    };
    let rotation = store::load_rotation(&tx.as_read(), &mention.rotation)?;
    let rotation = rotation.ok_or_else(|| Error::Corrupt("a mention of no rotation".into()))?;
    if !expire(tx, app, &rotation, &mut mention)? {
        // Nothing was due, so the stored instant is outdated. Corrected, because otherwise it would be due permanently.
        store::save_mention(tx, &mention)?;
    }
    Ok(())
}

/// Changes the mention settings of a rotation. Open mentions keep the settings they were opened with.
pub struct SetMentionSettings(pub SettingsChange);

impl Operation for SetMentionSettings {
    const NAME: &'static str = "set mention settings";
    type Output = ();

    fn apply(self, tx: &mut WriteTx, draft: &mut Draft, _: &Principal) -> Result<()> {
        let SetMentionSettings(change) = self;
        let settings = &mut draft.rotation.profile.mentions;
        *settings = settings.changed(change);
        draft.store(tx, Act::Edit)?;
        Ok(())
    }
}
