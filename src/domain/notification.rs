//! What people choose of how and when they are told (rules.md 19).

use super::lead::Leads;
use super::push::{PushChange, PushTarget};
use super::refusal::Refusal;
use super::relay::NotificationSettings;
use super::weekly::Weekly;
use crate::domain::words::words;
use jiff::Timestamp;

/// The choices of a person.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notifications {
    pub messages: NotificationSettings,
    /// Their own reminders; `None` for those of the server.
    pub remind_before: Option<Leads>,
    /// When they get the summary of their next days.
    pub summary: Option<Weekly>,
    /// Where their messages are published as push.
    pub push: Option<PushTarget>,
    /// Whether they get their turns as invitations by mail.
    pub invitations: bool,
    pub last_failure: Option<LastFailure>,
}

words! {
    /// The way by which something could not be sent.
    pub enum FailedWay {
        Mail = "mail",
        Push = "push",
        /// Turns as invitations, by mail.
        Invitations = "invitations",
    }
}

words! {
    /// A way by which a test reaches a person.
    pub enum TestedWay {
        /// The inbox of the pages.
        Inbox = "inbox",
        Mail = "mail",
        Push = "push",
        /// The chat platform.
        Platform = "platform",
    }
}

/// What became of a test on one way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WayTest {
    pub by: TestedWay,
    /// Why it was not sent.
    pub error: Option<String>,
}

/// What failed last of what was sent to a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastFailure {
    pub by: FailedWay,
    pub at: Timestamp,
    pub error: String,
}

/// A change of the choices. `None` keeps a member, `Some(None)` clears it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotificationChange {
    pub messages: NotificationSettings,
    pub remind_before: Option<Option<Leads>>,
    pub summary: Option<Option<Weekly>>,
    pub push: Option<Option<PushChange>>,
    pub invitations: Option<bool>,
}

impl NotificationChange {
    /// A change of nothing but these.
    pub fn of(messages: NotificationSettings) -> NotificationChange {
        NotificationChange {
            messages,
            remind_before: None,
            summary: None,
            push: None,
            invitations: None,
        }
    }

    /// The choices with the change.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] for a push address that there is not, or that cannot be one.
    pub fn applied_to(self, before: &Notifications) -> Result<Notifications, Refusal> {
        let kept = || before.remind_before.clone();
        Ok(Notifications {
            messages: self.messages,
            remind_before: self.remind_before.unwrap_or_else(kept),
            summary: self.summary.unwrap_or(before.summary),
            push: match self.push {
                Some(Some(change)) => Some(change.applied_to(before.push.as_ref())?),
                Some(None) => None,
                None => before.push.clone(),
            },
            invitations: self.invitations.unwrap_or(before.invitations),
            last_failure: before.last_failure.clone(),
        })
    }
}
