//! Mails people a link that signs them in once.
//!
//! The secret of the link is made when the letter is, so that it is stored nowhere. A try that fails takes its link back.

use super::letter::host;
use crate::actions::sessions::INVITED_FOR;
use crate::actions::{App, Error, keys};
use crate::domain::relay::RelayError;
use crate::relays::mail::{
    Invitation as Words, Letter, Mailbox, Mailer, Second, Thread, message_id,
};
use crate::store::{self, Invitation};
use jiff::Timestamp;

/// Letters of one turn.
const LETTERS: usize = 20;

/// When the next invitation is due.
pub(super) fn next(app: &App) -> Result<Option<Timestamp>, Error> {
    app.store().read(store::next_invitation)
}

/// Mails what is due, until `stopped`. Returns whether there was anything.
pub(super) fn run_due(app: &App, stopped: &dyn Fn() -> bool) -> Result<bool, Error> {
    let (Some(mailer), now) = (&app.relays().mail, app.now()) else {
        return Ok(false);
    };
    let due = app
        .store()
        .read(|tx| store::list_due_invitations(tx, now, LETTERS))?;
    let any = !due.is_empty();
    for invitation in due {
        if stopped() {
            break;
        }
        mail(app, mailer, &invitation)?;
    }
    Ok(any)
}

/// Mails one invitation: the link is stored, the letter sent, and then the outcome stored. What was sent and not stored is sent
/// again with another link; both work until one expires.
fn mail(app: &App, mailer: &Mailer, invitation: &Invitation) -> Result<(), Error> {
    let user = invitation.user.clone();
    let person = app.store().read(|tx| store::load_person(tx, &user))?;
    let person = person.filter(|person| !person.is_deleted);
    let address = person.as_ref().and_then(|person| person.email.as_deref());
    let until = invitation.created_at.saturating_add(INVITED_FOR);
    let until = until.unwrap_or(Timestamp::MAX);
    let (Some(person), Ok(address)) = (&person, address.unwrap_or_default().parse()) else {
        let why = RelayError::Permanent("the directory has no address to mail to".into());
        return record(app, invitation, Err(why), None);
    };
    if until <= app.now() {
        let why = RelayError::Permanent("the invitation is too old".into());
        return record(app, invitation, Err(why), None);
    }
    let of = user.clone();
    let secret = app.store().write_log(move |tx| -> Result<_, Error> {
        let secret = tx.mint_secret();
        store::insert_login_link(tx, &keys::hash(&secret), &of, until)?;
        Ok(secret)
    })?;
    let base = app.relays().links.as_deref();
    let base = base.unwrap_or(app.base_url());
    let settings = &mailer.settings;
    let words = Words {
        name: person.name(),
        link: format!("{base}/in/{secret}"),
    };
    let letter = Letter {
        message_id: message_id(
            &format!("inv_{}", invitation.tries),
            invitation.created_at,
            host(base).unwrap_or(settings.from.address.domain()),
        ),
        at: invitation.created_at,
        from: settings.from.clone(),
        reply_to: settings.reply_to.clone(),
        to: Mailbox::new(person.name(), address),
        subject: words.subject(),
        text: words.text(),
        second: Second::Html(words.html()),
        thread: Thread::default(),
        unsubscribe: format!("{base}/me/mail"),
    };
    let sent = mailer.connect().and_then(|mut session| {
        let sent = session.send(&settings.from.address, &letter).map(drop);
        session.close();
        sent
    });
    record(app, invitation, sent, Some(secret))
}

/// Stores what became of an invitation.
fn record(
    app: &App,
    invitation: &Invitation,
    outcome: Result<(), RelayError>,
    secret: Option<String>,
) -> Result<(), Error> {
    let invitation = invitation.clone();
    app.store().write_log(move |tx| -> Result<(), Error> {
        let user = &invitation.user;
        let Err(error) = outcome else {
            return store::remove_invitation(tx, user);
        };
        if let Some(secret) = secret {
            store::remove_login_link(tx, &keys::hash(&secret))?;
        }
        let tries = invitation.tries + 1;
        match error.next_try(tries, invitation.created_at, tx.now()) {
            Some(next) => store::retry_invitation(tx, user, next, error.why()),
            None => {
                log::warn!("mail: the invitation of {user} dropped: {}", error.why());
                store::remove_invitation(tx, user)
            }
        }
    })
}
