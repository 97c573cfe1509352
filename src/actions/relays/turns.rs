//! Mails people their turns as invitations, a letter each (rules.md 19.15).
//!
//! A letter gets its number in a transaction before it is sent, so that no number is used twice wherever the process ends: what was
//! sent and not recorded is sent again with the next one.

use super::letter::host;
use crate::actions::{App, Error, sessions};
use crate::domain::notification::FailedWay;
use crate::domain::relay::RelayError;
use crate::domain::turn_invitation::{self, TurnKey};
use crate::failpoint;
use crate::relays::mail::{
    Letter, Mailbox, Mailer, Second, Session, Thread, TurnWords, message_id,
};
use crate::store::{self, ReadTx, WaitingTurn, WriteTx};
use crate::wire::turn_invitation::Invitation;
use jiff::{SignedDuration, Timestamp};

/// Letters of one connection.
const LETTERS: usize = 20;

/// When the next letter is due.
pub(super) fn next(app: &App) -> Result<Option<Timestamp>, Error> {
    app.store().read(store::next_turn_letter)
}

/// Mails some of what is due, until `stopped`. Returns whether there was anything.
pub(super) fn run_due(app: &App, stopped: &dyn Fn() -> bool) -> Result<bool, Error> {
    let (Some(mailer), now) = (&app.relays().mail, app.now()) else {
        return Ok(false);
    };
    let due = app
        .store()
        .read(|tx| store::list_due_turns(tx, now, LETTERS))?;
    if due.is_empty() {
        return Ok(false);
    }
    let mut session = match mailer.connect() {
        Ok(session) => session,
        Err(error) => {
            for key in due {
                not_reached(app, key, error.clone())?;
            }
            return Ok(true);
        }
    };
    for key in due {
        if stopped() || !session.is_usable() {
            break;
        }
        mail(app, mailer, &mut session, key)?;
    }
    session.close();
    Ok(true)
}

/// Mails one letter, if it is still due and the person may get one now.
fn mail(app: &App, mailer: &Mailer, session: &mut Session, key: TurnKey) -> Result<(), Error> {
    let shared = app.clone();
    let begun = app.store().write(move |tx| begin(tx, &shared, &key))?;
    let Some((waiting, letter)) = begun else {
        return Ok(());
    };
    failpoint::point("turn.begun");
    let sent = session.send(&mailer.settings.from.address, &letter);
    failpoint::point("turn.sent");
    // A server that answers a refusal has not taken it; of one that is silent nothing is known.
    let is_refused = session.is_usable();
    app.store().write(move |tx| match sent {
        Ok(_) => Ok(store::end_turn_letter(tx, &waiting.letter)?),
        Err(error) => fail(tx, &waiting, &error, is_refused),
    })
}

/// Gives the next letter of a turn its number; `None` where there is none to be sent now.
fn begin(
    tx: &mut WriteTx,
    app: &App,
    key: &TurnKey,
) -> Result<Option<(WaitingTurn, Letter)>, Error> {
    let (now, user) = (tx.now(), &key.user);
    let Some(waiting) = store::load_waiting_turn(&tx.as_read(), key, now)? else {
        return Ok(None);
    };
    let letter = match key.start > now {
        true => write(&tx.as_read(), app, &waiting, now)?,
        false => None,
    };
    // Nothing is sent of what has begun, nor to somebody who cannot be mailed.
    let Some(letter) = letter else {
        store::park_turn(tx, key)?;
        return Ok(None);
    };
    let mut pace = store::load_pace(&tx.as_read(), user)?;
    let next = pace.next(now);
    if next > now {
        store::postpone_turn_letters(tx, user, next)?;
        return Ok(None);
    }
    pace.count(now);
    store::save_pace(tx, user, &pace)?;
    store::begin_turn_letter(tx, &waiting.letter)?;
    Ok(Some((waiting, letter)))
}

/// The letter; `None` for somebody who cannot be mailed.
fn write(
    tx: &ReadTx,
    app: &App,
    waiting: &WaitingTurn,
    now: Timestamp,
) -> Result<Option<Letter>, Error> {
    let user = &waiting.letter.turn.key.user;
    let person = store::load_person(tx, user)?.filter(|person| !person.is_deleted);
    let (Some(person), Some(mailer)) = (person, &app.relays().mail) else {
        return Ok(None);
    };
    let Ok(address) = person.email.as_deref().unwrap_or_default().parse() else {
        return Ok(None);
    };
    let to = Mailbox::new(person.name(), address);
    let chosen = store::load_chosen_zone(tx, user)?;
    let zone = sessions::zone_of(chosen.or(person.time_zone).as_deref());
    let reminders = match store::load_leads(tx, user)? {
        Some(leads) => leads.lengths(),
        None => vec![app.reminder_before()],
    };
    let reminders = reminders.into_iter().filter(SignedDuration::is_positive);
    let base = app.relays().links.as_deref().unwrap_or(app.base_url());
    let settings = &mailer.settings;
    let words = TurnWords {
        letter: &waiting.letter,
        zone,
        settings: format!("{base}/me/mail"),
    };
    let invitation = Invitation {
        letter: &waiting.letter,
        organizer: &settings.from.address.to_string(),
        attendee: &to.address.to_string(),
        at: now,
        base_url: app.base_url(),
        alarms: &turn_invitation::alarms(reminders.collect()),
    };
    let key = &waiting.letter.turn.key;
    let id = format!(
        "turn_{}_{}_{}",
        key.cell,
        key.start.as_millisecond(),
        waiting.letter.sequence
    );
    Ok(Some(Letter {
        message_id: message_id(
            &id,
            now,
            host(base).unwrap_or(settings.from.address.domain()),
        ),
        at: now,
        from: settings.from.clone(),
        reply_to: settings.reply_to.clone(),
        to,
        subject: words.subject(),
        text: words.text(),
        second: Second::Invitation {
            method: waiting.letter.method.name(),
            calendar: invitation.calendar(),
        },
        thread: Thread::default(),
        unsubscribe: words.settings,
    }))
}

/// Records that the mail server could not be asked.
fn not_reached(app: &App, key: TurnKey, error: RelayError) -> Result<(), Error> {
    app.store().write(
        move |tx| match store::load_waiting_turn(&tx.as_read(), &key, tx.now())? {
            Some(waiting) => fail(tx, &waiting, &error, true),
            None => Ok(()),
        },
    )
}

/// Schedules the next try of a letter that was not sent, or gives it up.
fn fail(
    tx: &mut WriteTx,
    waiting: &WaitingTurn,
    error: &RelayError,
    is_refused: bool,
) -> Result<(), Error> {
    let user = &waiting.letter.turn.key.user;
    store::save_failure(tx, user, FailedWay::Invitations, error.why())?;
    let tries = waiting.tries + 1;
    match error.next_try(tries, waiting.waits_since, tx.now()) {
        Some(next) => Ok(store::retry_turn_letter(tx, waiting, next, is_refused)?),
        None => {
            log::warn!("mail: an invitation of {user} dropped: {}", error.why());
            store::begin_turn_letter(tx, &waiting.letter)?;
            Ok(store::end_turn_letter(tx, &waiting.letter)?)
        }
    }
}
