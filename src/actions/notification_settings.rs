//! What each person chose of how and when they are told (rules.md 19).

use super::{App, Result, agenda, audit};
use crate::client::UrlError;
use crate::domain::access::{Principal, Reach};
use crate::domain::audit::{AuditedChange, Author, Phrase, Summary};
use crate::domain::ids::UserId;
use crate::domain::notification::{NotificationChange, Notifications};
use crate::domain::push::PushTarget;
use crate::domain::refusal::{Refusal, invalid};
use crate::domain::relay::NotificationSettings;
use crate::domain::wording;
use crate::relays::mail::Address;
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
        push: store::load_push(tx, user)?,
        invitations: store::is_invitee(tx, user)?,
        last_failure: store::load_failure(tx, user)?,
    })
}

/// Chooses how a person is told. It counts for messages from now on.
pub fn choose(
    app: &App,
    author: &Author,
    user: &UserId,
    change: NotificationChange,
) -> Result<Notifications> {
    check_push(app, &author.principal, user, &change)?;
    let (user, has_mail) = (user.clone(), app.relays().mail.is_some());
    let chosen = audit::write(app.store(), author, move |tx, author| -> Result<_> {
        check_person(&tx.as_read(), &author.principal, &user)?;
        if change.invitations == Some(true) {
            check_mailable(&tx.as_read(), has_mail, &user)?;
        }
        let was = load(&tx.as_read(), &user)?;
        let is = change.applied_to(&was)?;
        save(tx, &user, [&was, &is])?;
        let summary = summary(&user, [&was, &is]);
        let change = (!summary.is_empty()).then(|| AuditedChange::of(user.as_str(), summary));
        Ok((is, change))
    })?;
    agenda::invite_at_once(app)?;
    Ok(chosen)
}

/// Refuses a push address that is somebody else's to choose, or that may not be connected to. Where it leads to is judged again at
/// each message, so that an address which does not resolve now is taken.
fn check_push(
    app: &App,
    caller: &Principal,
    user: &UserId,
    change: &NotificationChange,
) -> Result<()> {
    let Some(Some(push)) = &change.push else {
        return Ok(());
    };
    app.store().read(|tx| check_person(tx, caller, user))?;
    if caller.person() != Ok(user) && !push.is_empty() {
        return Err(Refusal::ResourceDenied(
            "people set their own push address; others may only take it away, with null".into(),
        )
        .into());
    }
    let Some(url) = &push.url else {
        return Ok(());
    };
    let target = PushTarget::new(url.clone(), push.token.clone().flatten())?;
    let refused = |why: &str| invalid::<()>("push.url", why);
    let parsed = match app.webhook_client().url(url) {
        Ok(parsed) => parsed,
        Err(error) => return Ok(refused(error.why())?),
    };
    if target.is_plain() && !target.is_loopback() {
        return Ok(refused("the scheme is http; use https")?);
    }
    match app.webhook_client().check(&parsed) {
        Err(error @ UrlError::PrivateAddress(_)) => Ok(refused(error.why())?),
        _ => Ok(()),
    }
}

/// Refuses invitations where there is no mail server, or no address to send them to.
fn check_mailable(tx: &ReadTx, has_mail: bool, user: &UserId) -> Result<()> {
    if !has_mail {
        return Err(Refusal::NoMail.into());
    }
    let email = store::load_person(tx, user)?.and_then(|person| person.email);
    match email.is_some_and(|email| email.parse::<Address>().is_ok()) {
        true => Ok(()),
        false => Err(Refusal::NoAddress.into()),
    }
}

fn save(tx: &mut WriteTx, user: &UserId, [was, is]: [&Notifications; 2]) -> Result<()> {
    if was.messages != is.messages {
        store::save_notification_settings(tx, user, &is.messages)?;
    }
    if was.remind_before != is.remind_before {
        store::save_leads(tx, user, is.remind_before.as_ref())?;
        agenda::leads_changed(tx, user)?;
    }
    if was.push != is.push {
        store::save_push(tx, user, is.push.as_ref())?;
    }
    if was.summary != is.summary {
        store::save_summary(tx, user, is.summary)?;
        agenda::summary_changed(tx, user)?;
    }
    if was.invitations != is.invitations {
        agenda::invitations_chosen(tx, user, is.invitations)?;
    }
    Ok(())
}

/// What changed from what to what, without secrets.
fn summary(user: &UserId, [was, is]: [&Notifications; 2]) -> Summary {
    let mut summary = Summary::default();
    let mut add = |what: &str, both: [String; 2]| add_change(&mut summary, what, user, both);
    add(
        "what is mailed to ",
        [was, is].map(|of| mailed(&of.messages)),
    );
    add("reminders of ", [was, is].map(reminders));
    add("summary of ", [was, is].map(weekly));
    add("invitations to turns of ", [was, is].map(invited));
    let [before, after] = [was, is].map(pushed);
    match (before == after, was.push == is.push) {
        // The secrets are not told, but that they changed is.
        (true, false) => summary.add(Phrase::from("push of ").and(user).and(" changed")),
        _ => add_change(&mut summary, "push of ", user, [before, after]),
    }
    summary
}

fn add_change(summary: &mut Summary, what: &str, user: &UserId, [was, is]: [String; 2]) {
    if was != is {
        summary.add(Phrase::from(what).and(user).and(format!(": {was} to {is}")));
    }
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

fn invited(of: &Notifications) -> String {
    let state = if of.invitations { "on" } else { "off" };
    state.to_owned()
}

fn pushed(of: &Notifications) -> String {
    let push = of.push.as_ref();
    push.map_or_else(|| "none".to_owned(), |push| push.host().to_owned())
}

/// People choose for themselves; workspace admins and keys that see all rotations choose for everybody.
pub(super) fn check_person(tx: &ReadTx, caller: &Principal, user: &UserId) -> Result<()> {
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
