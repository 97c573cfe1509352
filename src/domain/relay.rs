//! How messages reach people beside a chat platform: mail, push and incoming webhooks, their retries, and what people choose.

use super::chat::{self, ChatError};
use super::message::MessageKind;
use super::refusal::{Refusal, invalid};
use crate::domain::words::words;
use jiff::{SignedDuration, Timestamp};

/// The id of a message in the API and in mail: its number in 24 hexadecimal digits.
pub fn message_id(sequence: i64) -> String {
    format!("msg_{sequence:024x}")
}

words! {
    /// A way by which a message is sent on: push on every platform, the others on the local one.
    pub enum Way {
        /// A direct message, to the person's mail address.
        Mail = "mail",
        /// A message to a channel, to its incoming webhook.
        IncomingWebhook = "incomingWebhook",
        /// A direct message, to the person's topic of an ntfy server.
        Push = "push",
    }
}

/// Why a message was not sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RelayError {
    /// A retry may succeed, after the time that the receiver asked for.
    Temporary {
        why: String,
        wait: Option<SignedDuration>,
    },
    /// A retry would fail as well.
    Permanent(String),
}

impl RelayError {
    /// A temporary failure whose retry follows the usual schedule.
    pub fn temporary(why: impl Into<String>) -> RelayError {
        RelayError::Temporary {
            why: why.into(),
            wait: None,
        }
    }

    /// For people.
    pub fn why(&self) -> &str {
        match self {
            RelayError::Temporary { why, .. } | RelayError::Permanent(why) => why,
        }
    }

    /// When a message that has failed `tries` times is retried: after 2 s, 10 s, 1 min, then every 5 min, and no sooner than the
    /// receiver asked for. `None` drops it: the failure is permanent, or the message would be older than a day.
    pub fn next_try(
        &self,
        tries: u32,
        made_at: Timestamp,
        ended_at: Timestamp,
    ) -> Option<Timestamp> {
        let error = match self {
            RelayError::Permanent(_) => return None,
            RelayError::Temporary { wait: None, .. } => ChatError::Unavailable(String::new()),
            RelayError::Temporary {
                wait: Some(wait), ..
            } => ChatError::RateLimited(*wait),
        };
        chat::next_post(tries, &error, made_at, ended_at)
    }
}

/// The messages that a person wants by mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotificationSettings {
    /// Whether they are mailed at all.
    pub mail: bool,
    /// The kinds of messages that are mailed, each once and in the order of [`MessageKind::ALL`].
    pub kinds: Vec<MessageKind>,
}

impl Default for NotificationSettings {
    /// Everything but going off duty.
    fn default() -> NotificationSettings {
        NotificationSettings::new(
            true,
            MessageKind::ALL
                .into_iter()
                .filter(|kind| *kind != MessageKind::OffDuty),
        )
    }
}

impl NotificationSettings {
    /// Settings with these kinds, in any order.
    pub fn new(mail: bool, kinds: impl IntoIterator<Item = MessageKind>) -> NotificationSettings {
        let mut kinds: Vec<MessageKind> = kinds.into_iter().collect();
        kinds.sort();
        kinds.dedup();
        NotificationSettings { mail, kinds }
    }

    /// Reads the names of kinds.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] for a name that is no kind.
    pub fn parse(mail: bool, names: &[String]) -> Result<NotificationSettings, Refusal> {
        let mut kinds = Vec::new();
        for (at, name) in names.iter().enumerate() {
            match MessageKind::parse(name) {
                Some(kind) => kinds.push(kind),
                None => {
                    let known = MessageKind::ALL.map(MessageKind::name).join("`, `");
                    return invalid(
                        format!("kinds[{at}]"),
                        format!("{name:?} is not a kind of message; send `{known}`"),
                    );
                }
            }
        }
        Ok(NotificationSettings::new(mail, kinds))
    }

    /// Whether a message of this kind is mailed. One without a kind is.
    pub fn allows(&self, kind: Option<MessageKind>) -> bool {
        self.mail && self.wants(kind)
    }

    /// Whether messages of this kind are sent on by any way but the inbox. One without a kind is.
    pub fn wants(&self, kind: Option<MessageKind>) -> bool {
        kind.is_none_or(|kind| self.kinds.contains(&kind))
    }
}

words! {
    /// `waiting` while some way of sending it is still tried, `dropped` once one was given up, else `sent`.
    pub enum MessageState {
        Waiting = "waiting",
        Sent = "sent",
        Dropped = "dropped",
    }
}

impl MessageState {
    /// The state of a message that goes several ways: one that is tried outweighs one that was given up, and that one those
    /// that succeeded.
    pub fn of(ways: impl IntoIterator<Item = MessageState>) -> MessageState {
        ways.into_iter()
            .fold(MessageState::Sent, |all, one| match (all, one) {
                (MessageState::Waiting, _) | (_, MessageState::Waiting) => MessageState::Waiting,
                (MessageState::Dropped, _) | (_, MessageState::Dropped) => MessageState::Dropped,
                (MessageState::Sent, MessageState::Sent) => MessageState::Sent,
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// rules.md 19.4.
    #[test]
    fn retries_follow_the_schedule_for_a_day() {
        let made: Timestamp = "2026-11-23T08:00:00Z".parse().unwrap();
        let asked = |secs| RelayError::Temporary {
            why: "busy".into(),
            wait: Some(SignedDuration::from_secs(secs)),
        };
        let usual = RelayError::temporary("down");
        for (error, tries, hours_old, wait) in [
            (&usual, 1, 0, Some(2)),
            (&usual, 2, 0, Some(10)),
            (&usual, 3, 0, Some(60)),
            (&usual, 4, 0, Some(300)),
            (&usual, 200, 23, Some(300)),
            (&usual, 200, 24, None),
            (&asked(1), 1, 0, Some(2)),
            (&asked(90), 1, 0, Some(90)),
            (&RelayError::Permanent("no".into()), 1, 0, None),
        ] {
            let ended = made + SignedDuration::from_hours(hours_old);
            let next = error.next_try(tries, made, ended);
            let waited = next.map(|at| at.duration_since(ended).as_secs());
            assert_eq!(waited, wait, "{error:?} {tries} {hours_old}");
        }
    }

    /// rules.md 19.3.
    #[test]
    fn people_are_mailed_everything_but_going_off_duty() {
        let usual = NotificationSettings::default();
        for kind in MessageKind::ALL {
            assert_eq!(usual.allows(Some(kind)), kind != MessageKind::OffDuty);
            assert_eq!(MessageKind::parse(kind.name()), Some(kind));
        }
        let none = NotificationSettings {
            mail: false,
            ..usual
        };
        assert!(!none.allows(Some(MessageKind::OnDuty)) && !none.allows(None));
    }

    #[test]
    fn kinds_are_read_in_any_order_and_unknown_ones_are_refused() {
        let read = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(ToString::to_string).collect();
            NotificationSettings::parse(true, &names)
        };
        let kinds = vec![MessageKind::OnDuty, MessageKind::Nobody];
        let settings = NotificationSettings { mail: true, kinds };
        assert_eq!(read(&["nobody", "onDuty", "nobody"]), Ok(settings));
        let why = crate::tests::detail(&read(&["onDuty", "onduty"]).unwrap_err());
        assert!(
            why.starts_with("kinds[1]: \"onduty\" is not a kind"),
            "{why}"
        );
    }

    /// rules.md 19.8.
    #[test]
    fn the_state_of_a_message_is_that_of_its_worst_way() {
        use MessageState::{Dropped, Sent, Waiting};
        for (ways, state) in [
            (&[][..], Sent),
            (&[Sent, Sent], Sent),
            (&[Sent, Dropped], Dropped),
            (&[Dropped, Waiting], Waiting),
        ] {
            assert_eq!(MessageState::of(ways.iter().copied()), state, "{ways:?}");
        }
    }
}
