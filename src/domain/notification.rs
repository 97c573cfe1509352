//! What people choose of how and when they are told (rules.md 19).

use super::lead::Leads;
use super::relay::NotificationSettings;
use super::weekly::Weekly;

/// The choices of a person.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notifications {
    pub messages: NotificationSettings,
    /// Their own reminders; `None` for those of the server.
    pub remind_before: Option<Leads>,
    /// When they get the summary of their next days.
    pub summary: Option<Weekly>,
}

/// A change of the choices. `None` keeps a member, `Some(None)` clears it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotificationChange {
    pub messages: NotificationSettings,
    pub remind_before: Option<Option<Leads>>,
    pub summary: Option<Option<Weekly>>,
}

impl NotificationChange {
    /// A change of nothing but these.
    pub fn of(messages: NotificationSettings) -> NotificationChange {
        NotificationChange {
            messages,
            remind_before: None,
            summary: None,
        }
    }

    /// The choices with the change.
    pub fn applied_to(self, before: &Notifications) -> Notifications {
        let kept = || before.remind_before.clone();
        Notifications {
            messages: self.messages,
            remind_before: self.remind_before.unwrap_or_else(kept),
            summary: self.summary.unwrap_or(before.summary),
        }
    }
}
