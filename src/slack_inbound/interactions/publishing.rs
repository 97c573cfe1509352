//! Shows people their home tab when they open it, and what changes in it for a day after.
//!
//! The queue is the table of who opened it: what is published is made when it is published, so that it is always the newest, and
//! what would be the same is not sent.

use super::home;
use crate::actions::{ActionError, App, Error, sessions, slack_home};
use crate::chat::slack::Slack;
use crate::chat::slack::method::VIEWS_PUBLISH;
use crate::chat::{CallError, Remote};
use crate::domain::chat::{ChatError, next_try};
use crate::domain::ids::UserId;
use crate::runtime::background::{LoopSpec, LoopThread, POLL, StopFlag, Watch};
use crate::runtime::clock::monotonic;
use crate::runtime::wakeup::Wakeup;
use crate::store::{HomeTab, StoreError};
use jiff::Timestamp;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The loop's name.
const NAME: &str = "slack-home";

/// Between two looks at all home tabs while much changes.
const BETWEEN: Duration = Duration::from_secs(1);

/// The state that one look has seen.
#[derive(Default)]
struct Seen {
    /// The commits and the day that were looked at; `None` looks again.
    state: Option<(u64, Timestamp)>,
    /// Nothing is called before.
    not_before: Option<Instant>,
    /// Whose tab Slack did not take at the last try.
    failed: HashMap<UserId, Retry>,
}

impl Seen {
    /// Whether a tab that failed is to be tried again.
    fn is_due(&self, now: Timestamp) -> bool {
        self.failed.values().any(|retry| retry.due_at <= now)
    }
}

/// A tab that Slack did not take: it failed, and may take it later.
struct Retry {
    /// When the tab was opened. One that is opened again is tried at once.
    opened_at: Timestamp,
    /// Failed tries.
    tries: u32,
    /// When it is tried again, on the server's clock.
    due_at: Timestamp,
}

/// Starts the loop that publishes home tabs. `opened` wakes it.
///
/// # Errors
/// If the thread cannot be started.
pub fn start(app: App, slack: Arc<Slack>, opened: Wakeup) -> std::io::Result<LoopThread> {
    let stop = StopFlag::default();
    let spec = LoopSpec {
        name: NAME,
        wakeup: opened,
        stop: stop.clone(),
        watch: Watch::End,
    };
    let runtime = Arc::clone(app.runtime());
    let mut seen = Seen::default();
    runtime.start(spec, move |_| turn(&app, &slack, &stop, &mut seen))
}

/// Publishes what has changed. Returns how long to wait.
fn turn(app: &App, slack: &Slack, stop: &StopFlag, seen: &mut Seen) -> Result<Duration, Error> {
    let now = monotonic();
    if let Some(at) = seen.not_before.filter(|at| *at > now) {
        return Ok(at.duration_since(now).min(POLL));
    }
    seen.not_before = None;
    if slack
        .asks_again_at()
        .is_some_and(|asks_at| app.now() < asks_at)
    {
        // No call is made while Slack does not take the token.
        return Ok(POLL);
    }
    // Read first: a commit from here on is looked at in the next turn.
    let state = (app.store().signals().generation(), hour(app.now()));
    if seen.state == Some(state) && !seen.is_due(app.now()) {
        return Ok(POLL);
    }
    let begun = monotonic();
    let tabs = slack_home::list(app)?;
    seen.failed
        .retain(|user, _| tabs.iter().any(|tab| tab.user == *user));
    for tab in tabs {
        if stop.is_set() {
            return Ok(POLL);
        }
        let (user, opened_at) = (tab.user.clone(), tab.opened_at);
        let failed = seen.failed.get(&user);
        let failed = failed.filter(|retry| retry.opened_at == opened_at);
        if failed.is_some_and(|retry| app.now() < retry.due_at) {
            continue;
        }
        let tries = failed.map_or(0, |retry| retry.tries);
        match publish(app, slack, tab) {
            Ok(()) => {
                seen.failed.remove(&user);
            }
            Err(Stop::Again(why)) => {
                if tries == 0 {
                    log::warn!("slack: the home tab of {user}: {why}");
                }
                let tries = tries + 1;
                let due_at = next_try(tries, &ChatError::Unavailable(why), app.now());
                let retry = Retry {
                    opened_at,
                    tries,
                    due_at,
                };
                seen.failed.insert(user, retry);
            }
            Err(Stop::Paused) => {
                seen.state = None;
                return Ok(POLL);
            }
            Err(Stop::Wait(until)) => {
                seen.state = None;
                seen.not_before = Some(until);
                return Ok(POLL);
            }
            Err(Stop::Failed(error)) => return Err(error),
        }
    }
    slack_home::forget(app, None)?;
    seen.state = Some(state);
    // Where there is much to look at, it is not looked at all the time.
    let took = begun.elapsed();
    Ok(if took > BETWEEN / 10 { BETWEEN } else { POLL })
}

/// Turns that are listed come into sight as time goes, also when nothing is committed.
fn hour(now: Timestamp) -> Timestamp {
    let seconds = now.as_second() - now.as_second().rem_euclid(3600);
    Timestamp::from_second(seconds).unwrap_or(now)
}

/// Why a tab is not published.
enum Stop {
    /// Slack failed. That concerns this call alone.
    Again(String),
    /// Slack cannot be called before.
    Wait(Instant),
    /// Slack does not take the token.
    Paused,
    Failed(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        Stop::Failed(error)
    }
}

impl StoreError for Stop {
    fn of_storage(&self) -> Option<&Error> {
        match self {
            Stop::Failed(error) => Some(error),
            Stop::Again(_) | Stop::Wait(_) | Stop::Paused => None,
        }
    }
}

/// Publishes one home tab, unless it shows the same already.
fn publish(app: &App, slack: &Slack, tab: HomeTab) -> Result<(), Stop> {
    let Some(view) = view_of(app, &tab)? else {
        return Ok(slack_home::forget(app, Some(tab.user))?);
    };
    let hash: [u8; 32] = Sha256::digest(view.to_string()).into();
    if tab.published == Some(hash) {
        return Ok(());
    }
    let arguments = json!({ "user_id": tab.user.as_str(), "view": view });
    match slack.call(&VIEWS_PUBLISH, &arguments) {
        Ok(_) => Ok(slack_home::published(app, tab, hash)?),
        Err(CallError::Refused(why)) => {
            log::warn!("slack: the home tab of {} is not shown: {why}", tab.user);
            Ok(slack_home::forget(app, Some(tab.user))?)
        }
        Err(CallError::NotBefore(until)) => Err(Stop::Wait(until)),
        Err(CallError::Transient(why)) => Err(Stop::Again(why)),
        Err(CallError::Paused(_)) => Err(Stop::Paused),
    }
}

/// The home tab of somebody; `None` where the workspace does not have them any more.
fn view_of(app: &App, tab: &HomeTab) -> Result<Option<Value>, Error> {
    let Some(who) = sessions::by_chat(app, &tab.user)? else {
        return Ok(None);
    };
    match home::view(app, &who) {
        Ok(view) => Ok(Some(view)),
        Err(ActionError::Failed(error)) => Err(error),
        Err(ActionError::Refused(refusal)) => {
            log::warn!("slack: the home tab of {}: {refusal:?}", tab.user);
            Ok(None)
        }
    }
}
