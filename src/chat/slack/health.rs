//! Whether Slack answers, and whether it takes the token.

use super::error::Pause;
use crate::domain::chat::PlatformState;
use jiff::{SignedDuration, Timestamp};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How often a paused platform is asked again.
const ASK_AGAIN: SignedDuration = SignedDuration::from_mins(5);

/// The workspace of the token, as `auth.test` answers it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workspace {
    pub team_id: String,
    pub team: Option<String>,
    /// The address of the workspace, such as `https://acme.slack.com/`.
    pub url: Option<String>,
    /// The app's own user.
    pub user_id: Option<String>,
    pub bot_id: Option<String>,
}

/// What is known of the platform.
#[derive(Default)]
struct Known {
    /// Why the last call failed; `None` if it did not.
    failure: Option<String>,
    pause: Option<(Pause, Timestamp)>,
    workspace: Option<Workspace>,
    socket_connected: bool,
    /// Why user groups cannot be created.
    no_groups: Option<String>,
    /// Whether any call was answered since the start.
    answered: bool,
}

/// The state of the platform, shared by everybody who calls it.
#[derive(Default)]
pub(super) struct Health(Mutex<Known>);

/// Whether calls may be made.
pub(super) enum Leave {
    Given,
    /// The platform is paused, and this caller is to ask whether it still is.
    Ask,
    Refused(Pause),
}

impl Health {
    /// Whether a call may be made at an instant. One caller in five minutes gets [`Leave::Ask`] while the platform is paused.
    pub(super) fn leave(&self, now: Timestamp) -> Leave {
        match &mut self.known().pause {
            None => Leave::Given,
            Some((pause, ask_at)) if now < *ask_at => Leave::Refused(pause.clone()),
            Some((_, ask_at)) => {
                *ask_at = later(now);
                Leave::Ask
            }
        }
    }

    /// When a paused platform is asked again; `None` if it is not paused.
    pub(super) fn asks_at(&self) -> Option<Timestamp> {
        self.known().pause.as_ref().map(|(_, ask_at)| *ask_at)
    }

    /// Records that Slack answered, even if by a refusal.
    pub(super) fn answered(&self) {
        let mut known = self.known();
        known.failure = None;
        known.answered = true;
    }

    /// Records why there was no answer. Returns whether this is new.
    pub(super) fn failed(&self, why: &str) -> bool {
        let mut known = self.known();
        let is_new = known.failure.is_none();
        known.failure = Some(why.to_owned());
        is_new
    }

    /// Pauses the platform. Returns whether this is new.
    pub(super) fn pause(&self, pause: Pause, now: Timestamp) -> bool {
        let mut known = self.known();
        known.failure = None;
        let is_new = known.pause.as_ref().is_none_or(|(old, _)| *old != pause);
        known.pause = Some((pause, later(now)));
        is_new
    }

    /// Ends a pause. Returns whether there was one.
    pub(super) fn resume(&self) -> bool {
        self.known().pause.take().is_some()
    }

    /// Records the workspace of the token.
    pub(super) fn found(&self, workspace: Workspace) {
        self.known().workspace = Some(workspace);
    }

    pub(super) fn workspace(&self) -> Option<Workspace> {
        self.known().workspace.clone()
    }

    pub(super) fn set_socket_connected(&self, connected: bool) {
        self.known().socket_connected = connected;
    }

    pub(super) fn is_socket_connected(&self) -> bool {
        self.known().socket_connected
    }

    pub(super) fn no_groups(&self) -> Option<String> {
        self.known().no_groups.clone()
    }

    pub(super) fn set_no_groups(&self, why: Option<String>) {
        self.known().no_groups = why;
    }

    /// The state, and why it is not `up`.
    pub(super) fn state(&self) -> (PlatformState, Option<String>) {
        let known = self.known();
        if let Some((pause, _)) = &known.pause {
            return (PlatformState::Paused, Some(pause.to_string()));
        }
        match &known.failure {
            Some(why) => (PlatformState::Down, Some(why.clone())),
            None if !known.answered => {
                (PlatformState::Down, Some("Slack was not asked yet".into()))
            }
            None => (PlatformState::Up, None),
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn later(now: Timestamp) -> Timestamp {
    now.saturating_add(ASK_AGAIN).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paused_platform_is_asked_every_five_minutes() {
        let health = Health::default();
        let at = |secs: i64| Timestamp::from_second(secs).expect("an instant");
        let leave = |secs| match health.leave(at(secs)) {
            Leave::Given => "given",
            Leave::Ask => "ask",
            Leave::Refused(_) => "refused",
        };
        assert_eq!(leave(0), "given");
        let pause = Pause {
            code: "token_revoked".into(),
            needed: None,
        };
        assert!(health.pause(pause.clone(), at(0)) && !health.pause(pause, at(0)));
        assert_eq!(health.asks_at(), Some(at(300)));
        assert_eq!(
            (leave(299), leave(300), leave(300)),
            ("refused", "ask", "refused")
        );
        assert_eq!(leave(600), "ask");
        let state = (
            PlatformState::Paused,
            Some("Slack answers token_revoked".into()),
        );
        assert_eq!(health.state(), state);
        assert!(health.resume() && !health.resume());
        assert_eq!(leave(601), "given");
    }

    #[test]
    fn the_state_follows_the_last_answer() {
        let health = Health::default();
        assert_eq!(health.state().0, PlatformState::Down);
        health.answered();
        assert_eq!(health.state(), (PlatformState::Up, None));
        assert!(health.failed("no response in time") && !health.failed("again"));
        assert_eq!(health.state(), (PlatformState::Down, Some("again".into())));
        health.answered();
        assert_eq!(health.state(), (PlatformState::Up, None));
    }
}
