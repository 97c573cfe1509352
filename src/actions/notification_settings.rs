//! What each person chose of how and when they are told (rules.md 19).

use super::{App, Result, agenda, audit};
use crate::domain::access::{Principal, Reach};
use crate::domain::audit::{AuditedChange, Author, Phrase, Summary};
use crate::domain::ids::UserId;
use crate::domain::notification::{NotificationChange, Notifications};
use crate::domain::refusal::Refusal;
use crate::domain::relay::NotificationSettings;
use crate::domain::wording;
use crate::store::{self, ReadTx, WriteTx};

/// What a person chose.
///
/// # Errors
/// [`Refusal::NotFound`] for somebody who is not there for the caller, [`Refusal::ResourceDenied`] for another person's
/// settings.
pub fn read(app: &App, caller: &Principal, user: &UserId) -> Result<Notifications> {
    app.store().read(|tx| {
        check_person(tx, caller, user)?;
        Ok(load(tx, user)?)
    })
}

fn load(tx: &ReadTx, user: &UserId) -> store::Result<Notifications> {
    Ok(Notifications {
        messages: store::load_notification_settings(tx, user)?,
        remind_before: store::load_leads(tx, user)?,
        summary: store::load_summary(tx, user)?,
    })
}

/// Chooses how a person is told. It counts for messages from now on.
pub fn choose(
    app: &App,
    author: &Author,
    user: &UserId,
    change: NotificationChange,
) -> Result<Notifications> {
    let user = user.clone();
    audit::write(app.store(), author, move |tx, author| {
        check_person(&tx.as_read(), &author.principal, &user)?;
        let was = load(&tx.as_read(), &user)?;
        let is = change.applied_to(&was);
        save(tx, &user, [&was, &is])?;
        let summary = summary(&user, [&was, &is]);
        let change = (!summary.is_empty()).then(|| AuditedChange::of(user.as_str(), summary));
        Ok((is, change))
    })
}

fn save(tx: &mut WriteTx, user: &UserId, [was, is]: [&Notifications; 2]) -> Result<()> {
    if was.messages != is.messages {
        store::save_notification_settings(tx, user, &is.messages)?;
    }
    if was.remind_before != is.remind_before {
        store::save_leads(tx, user, is.remind_before.as_ref())?;
        agenda::leads_changed(tx, user)?;
    }
    if was.summary != is.summary {
        store::save_summary(tx, user, is.summary)?;
        agenda::summary_changed(tx, user)?;
    }
    Ok(())
}

/// What changed from what to what, without secrets.
fn summary(user: &UserId, [was, is]: [&Notifications; 2]) -> Summary {
    let mut summary = Summary::default();
    let mut add = |what: &str, [was, is]: [String; 2]| {
        if was != is {
            let phrase = Phrase::from(what).and(user).and(format!(": {was} to {is}"));
            summary.add(phrase);
        }
    };
    let mailed = [was, is].map(|of| mailed(&of.messages));
    match mailed[0] == mailed[1] {
        true => {}
        false => add("what is mailed to ", mailed),
    }
    add("reminders of ", [was, is].map(reminders));
    add("summary of ", [was, is].map(weekly));
    summary
}

/// The kinds in a summary.
fn mailed(settings: &NotificationSettings) -> String {
    if !settings.mail {
        return "nothing".to_owned();
    }
    let kinds: Vec<&str> = settings.kinds.iter().map(|kind| kind.name()).collect();
    match kinds.is_empty() {
        true => "nothing of any kind".to_owned(),
        false => kinds.join(", "),
    }
}

fn reminders(of: &Notifications) -> String {
    match &of.remind_before {
        None => "as everybody's".to_owned(),
        Some(leads) if leads.texts().is_empty() => "none".to_owned(),
        Some(leads) => leads.texts().join(", "),
    }
}

fn weekly(of: &Notifications) -> String {
    of.summary.map_or_else(
        || "none".to_owned(),
        |weekly| format!("{} {}", wording::day_name(weekly.day), weekly.time),
    )
}

/// People choose for themselves; workspace admins and keys that see all rotations choose for everybody.
fn check_person(tx: &ReadTx, caller: &Principal, user: &UserId) -> Result<()> {
    let is_own = caller.person() == Ok(user);
    if !is_own && !caller.sees_directory() {
        return Err(Refusal::NotFound("user").into());
    }
    if store::load_person(tx, user)?.is_none() {
        return Err(Refusal::NotFound("user").into());
    }
    match caller.reach() {
        _ if is_own => Ok(()),
        Reach::All => Ok(()),
        Reach::Selected(_) => Err(Refusal::ResourceDenied(
            "this belongs to a person of all rotations; send a key that is not limited to some"
                .into(),
        )
        .into()),
        _ => Err(Refusal::ResourceDenied(
            "only workspace admins may read or change what others are mailed".into(),
        )
        .into()),
    }
}
