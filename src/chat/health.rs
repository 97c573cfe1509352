//! Whether a platform answers, and whether it takes the token.

use super::call_error::Pause;
use crate::domain::chat::PlatformState;
use jiff::{SignedDuration, Timestamp};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// How often a paused platform is asked again.
const ASK_AGAIN: SignedDuration = SignedDuration::from_mins(5);

/// The workspace of the token, as the platform names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workspace {
    pub team_id: String,
    pub team: Option<String>,
    /// The address of the workspace, such as `https://acme.slack.com/`; `None` where workspaces have none.
    pub url: Option<String>,
    /// The app's own user.
    pub user_id: Option<String>,
    pub bot_id: Option<String>,
}

/// A question about user groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    List,
    Making,
}

/// The known state of the platform.
#[derive(Default)]
struct Known {
    /// Why the last call failed; `None` if it did not.
    failure: Option<String>,
    pause: Option<(Pause, Timestamp)>,
    /// The platform does not take the app token. Nothing but the socket needs it.
    app_pause: Option<AppPause>,
    workspace: Option<Workspace>,
    /// Why the app is not in the workspace, although the platform answers.
    outside: Option<String>,
    /// What the operator should know although everything works.
    notice: Option<String>,
    socket_connected: bool,
    /// Why no socket could be opened; `None` if one could, or none was tried.
    no_socket: Option<String>,
    /// Whether the plan of the workspace has no user groups: by the last list of them, and by the last attempt to make one.
    no_groups: (bool, bool),
    /// Whether any call was answered since the start.
    answered: bool,
}

/// A pause of what the app token is for.
struct AppPause {
    pause: Pause,
    /// When it is asked again, on the server's clock.
    ask_at: Timestamp,
    /// The instant in real time, which a frozen clock does not stop.
    ask_at_latest: Instant,
}

/// The state of the platform, shared by everybody who calls it.
pub struct Health {
    /// Who answers, as in `Slack was not asked yet`.
    by: &'static str,
    known: Mutex<Known>,
}

/// Whether calls may be made.
pub(super) enum Leave {
    Given,
    /// The platform is paused, and this caller is to ask whether it still is.
    Ask,
    Refused(Pause),
}

impl Health {
    /// Of a platform that was not asked yet.
    pub(super) fn new(by: &'static str) -> Health {
        let known = Mutex::default();
        Health { by, known }
    }

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

    /// Records that the platform answered, even if by a refusal.
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

    /// Pauses what the app token is for. Returns whether this is new.
    pub(super) fn pause_app(&self, pause: Pause, now: Timestamp, real_now: Instant) -> bool {
        let mut known = self.known();
        let is_new = (known.app_pause.as_ref()).is_none_or(|old| old.pause != pause);
        known.app_pause = Some(AppPause {
            pause,
            ask_at: later(now),
            ask_at_latest: real_now + ASK_AGAIN.unsigned_abs(),
        });
        is_new
    }

    /// Ends that pause.
    pub(super) fn resume_app(&self) {
        self.known().app_pause = None;
    }

    /// Why a call with the app token must not be made yet; `None` if it may.
    pub(super) fn app_pause(&self, now: Timestamp, real_now: Instant) -> Option<Pause> {
        let known = self.known();
        let paused = known.app_pause.as_ref()?;
        let waits = now < paused.ask_at && real_now < paused.ask_at_latest;
        waits.then(|| paused.pause.clone())
    }

    /// Records the workspace of the token.
    pub(super) fn found(&self, workspace: Workspace) {
        self.known().workspace = Some(workspace);
    }

    pub(super) fn workspace(&self) -> Option<Workspace> {
        self.known().workspace.clone()
    }

    /// Records why the app is not in the workspace, or that it is.
    pub(super) fn set_outside(&self, why: Option<String>) {
        self.known().outside = why;
    }

    /// Records what the operator should know although everything works. Returns whether this is new.
    pub(super) fn set_notice(&self, notice: Option<String>) -> bool {
        let mut known = self.known();
        let is_new = notice.is_some() && known.notice != notice;
        known.notice = notice;
        is_new
    }

    pub(super) fn set_socket_connected(&self, connected: bool) {
        self.known().socket_connected = connected;
    }

    pub(super) fn is_socket_connected(&self) -> bool {
        self.known().socket_connected
    }

    /// Why the last attempt to open a socket failed.
    pub(super) fn no_socket(&self) -> Option<String> {
        self.known().no_socket.clone()
    }

    pub(super) fn set_no_socket(&self, why: Option<String>) {
        self.known().no_socket = why;
    }

    /// Whether the plan of the workspace has no user groups, as far as is known.
    pub(super) fn has_no_groups(&self) -> bool {
        let (by_list, by_making) = self.known().no_groups;
        by_list || by_making
    }

    /// Records what an answer says of the plan. A list that works does not say that groups may be made.
    pub(super) fn set_no_groups(&self, asked: Asked, has_none: bool) {
        let (by_list, by_making) = &mut self.known().no_groups;
        match asked {
            Asked::List => *by_list = has_none,
            Asked::Making if has_none => *by_making = true,
            Asked::Making => (*by_list, *by_making) = (false, false),
        }
    }

    /// The state, and why it is not `up`, or what the operator should know.
    pub(super) fn state(&self) -> (PlatformState, Option<String>) {
        let known = self.known();
        if let Some((pause, _)) = &known.pause {
            return (PlatformState::Paused, Some(pause.to_string()));
        }
        match known.failure.as_ref().or(known.outside.as_ref()) {
            Some(why) => (PlatformState::Down, Some(why.clone())),
            None if !known.answered => (
                PlatformState::Down,
                Some(format!("{} was not asked yet", self.by)),
            ),
            None => (PlatformState::Up, known.notice.clone()),
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn later(now: Timestamp) -> Timestamp {
    now.saturating_add(ASK_AGAIN).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::clock::monotonic;
    use std::time::Duration;

    #[test]
    fn a_paused_platform_is_asked_every_five_minutes() {
        let health = Health::new("Slack");
        let at = |secs: i64| Timestamp::from_second(secs).expect("an instant");
        let leave = |secs| match health.leave(at(secs)) {
            Leave::Given => "given",
            Leave::Ask => "ask",
            Leave::Refused(_) => "refused",
        };
        assert_eq!(leave(0), "given");
        let pause = Pause {
            by: "Slack",
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
    fn a_refused_app_token_is_tried_every_five_minutes_of_either_clock() {
        let health = Health::new("Slack");
        let at = |secs: i64| Timestamp::from_second(secs).expect("an instant");
        let begun = monotonic();
        let real = |secs| begun + Duration::from_secs(secs);
        let pause = Pause {
            by: "Slack",
            code: "token_revoked".into(),
            needed: None,
        };
        assert_eq!(health.app_pause(at(0), real(0)), None);
        assert!(health.pause_app(pause.clone(), at(0), real(0)));
        for (secs, real_secs, waits) in [
            (0, 0, true),
            (299, 299, true),
            (300, 0, false),
            (0, 300, false),
        ] {
            let found = health.app_pause(at(secs), real(real_secs));
            assert_eq!(found.is_some(), waits, "{secs} {real_secs}");
        }
        assert!(!health.pause_app(pause, at(300), real(0)));
        assert!(health.app_pause(at(599), real(0)).is_some());
        // What goes out does not depend on it.
        assert!(matches!(health.leave(at(300)), Leave::Given));
        health.resume_app();
        assert_eq!(health.app_pause(at(300), real(0)), None);
    }

    #[test]
    fn the_state_follows_the_last_answer() {
        let health = Health::new("Slack");
        assert_eq!(health.state().0, PlatformState::Down);
        health.answered();
        assert_eq!(health.state(), (PlatformState::Up, None));
        assert!(health.failed("no response in time") && !health.failed("again"));
        assert_eq!(health.state(), (PlatformState::Down, Some("again".into())));
        health.answered();
        assert_eq!(health.state(), (PlatformState::Up, None));
    }
}
