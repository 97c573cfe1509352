//! Why a call of Slack failed, by what follows from it.

use std::fmt;
use std::time::{Duration, Instant};

/// Why a call failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SlackError {
    /// The call was not made, or Slack answered 429: this method (of `chat.postMessage`: this channel) is not to be called
    /// before an instant of real time.
    NotBefore(Instant),
    /// Slack did not answer, or failed on its side: the same call may succeed later.
    Transient(String),
    /// Slack refuses this call, with its code: it ends this effect.
    Refused(Refusal),
    /// The token no longer works, or lacks a scope: no call is made until Slack takes it again.
    Paused(Pause),
}

/// A refusal of one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Slack's code, such as `channel_not_found`.
    pub code: String,
    /// The detail that Slack adds, such as the member that it refuses.
    pub detail: Option<String>,
}

/// The code of a pause because the token is of another workspace than the database: Slack has none for it.
pub const OTHER_WORKSPACE: &str = "other_workspace";

/// Why the platform is paused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pause {
    /// Slack's code, such as `token_revoked`.
    pub code: String,
    /// The scopes that are missing, of `missing_scope`; of [`OTHER_WORKSPACE`], both workspaces.
    pub needed: Option<String>,
}

impl SlackError {
    /// The code of a refusal.
    pub fn code(&self) -> Option<&str> {
        match self {
            SlackError::Refused(refusal) => Some(&refusal.code),
            SlackError::Paused(pause) => Some(&pause.code),
            SlackError::NotBefore(_) | SlackError::Transient(_) => None,
        }
    }

    /// The name in metrics.
    pub(super) fn outcome(&self) -> &'static str {
        match self {
            SlackError::NotBefore(_) => "rate_limited",
            SlackError::Transient(_) => "failed",
            SlackError::Refused(_) => "refused",
            SlackError::Paused(_) => "paused",
        }
    }
}

impl fmt::Display for Pause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.needed {
            Some(needed) if self.code == OTHER_WORKSPACE => {
                write!(f, "this is a token of {needed}")
            }
            Some(needed) => write!(f, "Slack answers {}: the app needs {needed}", self.code),
            None => write!(f, "Slack answers {}", self.code),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.detail {
            Some(detail) => write!(f, "Slack answers {} ({detail})", self.code),
            None => write!(f, "Slack answers {}", self.code),
        }
    }
}

impl fmt::Display for SlackError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SlackError::NotBefore(_) => f.write_str("Slack asks to wait"),
            SlackError::Transient(why) => f.write_str(why),
            SlackError::Refused(refusal) => refusal.fmt(f),
            SlackError::Paused(pause) => pause.fmt(f),
        }
    }
}

impl std::error::Error for SlackError {}

/// The meaning of a response of Slack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Wait for this long.
    Wait(Duration),
    Transient(String),
    Refused(Refusal),
    Paused(Pause),
}

/// How long to wait if Slack does not say.
const USUAL_WAIT: Duration = Duration::from_secs(30);

/// The longest wait that Slack can ask for. After a day what waits is no longer worth sending.
const LONGEST_WAIT: Duration = Duration::from_secs(24 * 60 * 60);

/// The wait of a `Retry-After` header, in whole seconds.
pub(super) fn wait(header: Option<&str>) -> Duration {
    let seconds = header.and_then(|text| text.trim().parse().ok());
    seconds.map_or(USUAL_WAIT, |seconds| {
        Duration::from_secs(seconds).clamp(Duration::from_secs(1), LONGEST_WAIT)
    })
}

/// The class of an error code.
pub(super) fn classify(code: &str, needed: Option<String>, detail: Option<String>) -> Class {
    match code {
        "internal_error"
        | "fatal_error"
        | "service_unavailable"
        | "request_timeout"
        | "team_added_to_org" => Class::Transient(format!("Slack answers {code}")),
        "ratelimited" | "rate_limited" => Class::Wait(USUAL_WAIT),
        "invalid_auth" | "account_inactive" | "token_revoked" | "token_expired" | "not_authed"
        | "missing_scope" => Class::Paused(Pause {
            code: code.to_owned(),
            needed,
        }),
        _ => Class::Refused(Refusal {
            code: code.to_owned(),
            detail,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_their_classes() {
        let class = |code: &str| match classify(code, Some("x:read".into()), None) {
            Class::Wait(_) => "wait",
            Class::Transient(_) => "transient",
            Class::Refused(_) => "refused",
            Class::Paused(_) => "paused",
        };
        for (codes, expected) in [
            (
                "internal_error fatal_error service_unavailable request_timeout",
                "transient",
            ),
            ("ratelimited", "wait"),
            (
                "invalid_auth account_inactive token_revoked token_expired not_authed missing_scope",
                "paused",
            ),
            (
                "channel_not_found not_in_channel is_archived user_not_found cannot_dm_bot messages_tab_disabled \
                 restricted_action restricted_action_read_only_channel msg_too_long permission_denied \
                 plan_upgrade_required paid_teams_only a_code_of_tomorrow",
                "refused",
            ),
        ] {
            for code in codes.split_whitespace() {
                assert_eq!(class(code), expected, "{code}");
            }
        }
        let paused = classify("missing_scope", Some("usergroups:write".into()), None);
        let Class::Paused(pause) = paused else {
            panic!("{paused:?}");
        };
        assert_eq!(
            pause.to_string(),
            "Slack answers missing_scope: the app needs usergroups:write"
        );
    }

    #[test]
    fn waits_are_read() {
        for (header, secs) in [
            (Some("3"), 3),
            (Some(" 30 "), 30),
            (Some("0"), 1),
            (Some("7200"), 7200),
            (Some("99999999"), 86_400),
            (Some("soon"), 30),
            (Some("-1"), 30),
            (None, 30),
        ] {
            assert_eq!(wait(header).as_secs(), secs, "{header:?}");
        }
    }
}
