//! Sends one line to a person by every way that they have, so that they see which ones work (rules.md 19.14).

use super::notification_settings::check_person;
use super::{App, Result, audit};
use crate::domain::audit::{AuditedChange, Author, Phrase};
use crate::domain::ids::UserId;
use crate::domain::message::{self, Message};
use crate::domain::notification::{TestedWay, WayTest};
use crate::domain::push::PushTarget;
use crate::domain::refusal::Refusal;
use crate::domain::relay::RelayError;
use crate::relays::mail::{Letter, Mailbox, test_letter};
use crate::relays::ntfy::{self, Publication};
use crate::runtime::clock::monotonic;
use crate::store::{self, ReadTx, WriteTx};
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::channel;
use std::sync::{Mutex, PoisonError};
use std::thread::Builder;
use std::time::{Duration, Instant};

/// How long the answers of servers are waited for.
const WAIT: Duration = Duration::from_secs(15);

/// Tests of one person within [`WITHIN`], on the real clock.
const MOST: usize = 10;
/// See [`MOST`].
const WITHIN: Duration = Duration::from_secs(60 * 60);

/// When each person was sent tests in the last hour.
#[derive(Debug, Default)]
pub struct RecentTests(Mutex<HashMap<UserId, Vec<Instant>>>);

impl RecentTests {
    /// Counts a test.
    fn count(&self, user: &UserId, now: Instant) -> Result<(), Refusal> {
        let mut recent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        recent.retain(|_, sent| {
            sent.retain(|at| now.duration_since(*at) < WITHIN);
            !sent.is_empty()
        });
        let sent = recent.entry(user.clone()).or_default();
        if sent.len() >= MOST {
            let left = WITHIN.saturating_sub(now.duration_since(sent[0]));
            return Err(Refusal::TooManyTests(left.as_secs().max(1)));
        }
        sent.push(now);
        Ok(())
    }
}

/// A way by which the test is still to be sent.
enum Sending {
    Mail(Box<Letter>),
    Push(PushTarget),
    /// By the chat platform.
    Platform(Box<Message>, String),
    /// It cannot be sent: why.
    Impossible(TestedWay, String),
}

impl Sending {
    fn by(&self) -> TestedWay {
        match self {
            Sending::Mail(_) => TestedWay::Mail,
            Sending::Push(_) => TestedWay::Push,
            Sending::Platform(..) => TestedWay::Platform,
            Sending::Impossible(by, _) => *by,
        }
    }

    /// Sends. May take long.
    fn send(self, app: &App) -> Result<(), String> {
        let why = |error: RelayError| error.why().to_owned();
        match self {
            Sending::Mail(letter) => {
                let mailer = app.relays().mail.as_ref();
                let mailer = mailer.ok_or_else(|| "mail is not set up".to_owned())?;
                let mut session = mailer.connect().map_err(why)?;
                let sent = session.send(&mailer.settings.from.address, &letter);
                session.close();
                sent.map(drop).map_err(why)
            }
            Sending::Push(target) => {
                let publication = Publication {
                    title: "rota".to_owned(),
                    message: message::TEST.to_owned(),
                    click: app
                        .relays()
                        .links
                        .as_ref()
                        .map(|base| format!("{base}/me/mail")),
                    priority: ntfy::priority(None),
                };
                let sent = publication.publish(app.webhook_client(), &target, app.now());
                sent.map_err(why)
            }
            Sending::Platform(message, key) => {
                let posted = app.chat().post(&message, &key, None);
                posted.map(drop).map_err(|error| error.detail())
            }
            Sending::Impossible(_, why) => Err(why),
        }
    }
}

/// Sends a test to a person, and says what became of it on each way.
///
/// # Errors
/// As [`choose`](super::notification_settings::choose); [`Refusal::TooManyTests`] for more than ten within an hour.
pub fn send(app: &App, author: &Author, user: &UserId) -> Result<Vec<WayTest>> {
    app.store()
        .read(|tx| check_person(tx, &author.principal, user))?;
    app.recent_tests().count(user, monotonic())?;
    let (shared, user) = (app.clone(), user.clone());
    let sendings = audit::write(app.store(), author, move |tx, _| -> Result<_> {
        let message = message::test(&user);
        store::insert_in_inbox(tx, &message)?;
        let sendings = ways(tx, &shared, &user, message)?;
        let sent = Phrase::from("test message to ").and(&user);
        Ok((sendings, Some(AuditedChange::of(user.as_str(), sent))))
    })?;
    let mut tested = vec![WayTest {
        by: TestedWay::Inbox,
        error: None,
    }];
    tested.extend(send_all(app, sendings));
    Ok(tested)
}

/// The ways that a person has, beside the inbox.
fn ways(tx: &mut WriteTx, app: &App, user: &UserId, message: Message) -> Result<Vec<Sending>> {
    let mut ways = mail(&tx.as_read(), app, user)?;
    ways.extend(store::load_push(&tx.as_read(), user)?.map(Sending::Push));
    if !app.chat().is_embedded() {
        let key = tx.mint("test_");
        ways.push(Sending::Platform(Box::new(message), key));
    }
    Ok(ways)
}

fn mail(tx: &ReadTx, app: &App, user: &UserId) -> Result<Vec<Sending>> {
    let person = store::load_person(tx, user)?.filter(|person| !person.is_deleted);
    let person = person.ok_or(Refusal::NotFound("user"))?;
    let settings = store::load_notification_settings(tx, user)?;
    let email = person.email.as_deref().unwrap_or_default().trim();
    let (Some(mailer), true, false) = (&app.relays().mail, settings.mail, email.is_empty()) else {
        return Ok(Vec::new());
    };
    Ok(vec![match email.parse() {
        Ok(address) => {
            let to = Mailbox::new(person.name(), address);
            Sending::Mail(Box::new(test_letter(&mailer.settings, to, app.now())))
        }
        Err(why) => Sending::Impossible(TestedWay::Mail, why),
    }])
}

/// Sends by several ways at once. One that has not ended in time counts as failed.
fn send_all(app: &App, sendings: Vec<Sending>) -> Vec<WayTest> {
    let until = monotonic() + WAIT;
    let late = || Some(format!("no answer within {} seconds", WAIT.as_secs()));
    let (sender, ended) = channel();
    let mut tested = Vec::new();
    for (index, sending) in sendings.into_iter().enumerate() {
        tested.push(WayTest {
            by: sending.by(),
            error: late(),
        });
        let (app, sender) = (app.clone(), sender.clone());
        let begun = Builder::new().name("test message".into()).spawn(move || {
            let sent = catch_unwind(AssertUnwindSafe(|| sending.send(&app)));
            let sent = sent.unwrap_or_else(|_| Err("it panicked".to_owned()));
            // Nobody waits for it any more once the time is up.
            drop(sender.send((index, sent)));
        });
        if let Err(error) = begun {
            tested[index].error = Some(format!("no thread for it: {error}"));
        }
    }
    drop(sender);
    while let Ok((index, sent)) = ended.recv_timeout(until.saturating_duration_since(monotonic())) {
        let error = sent.err();
        tested[index].error = error;
    }
    tested
}

#[cfg(test)]
mod tests {
    use super::*;

    /// rules.md 19.14.
    #[test]
    fn ten_tests_an_hour() {
        let (recent, begun) = (RecentTests::default(), monotonic());
        let count = |user: &str, minutes: u64| {
            recent.count(&user.into(), begun + Duration::from_secs(60 * minutes))
        };
        for minute in 0..10 {
            assert_eq!(count("U1", minute), Ok(()), "{minute}");
        }
        assert_eq!(count("U1", 10), Err(Refusal::TooManyTests(50 * 60)));
        assert_eq!(count("U2", 10), Ok(()));
        assert_eq!(count("U1", 60), Ok(()));
        assert_eq!(count("U1", 60), Err(Refusal::TooManyTests(60)));
    }
}
