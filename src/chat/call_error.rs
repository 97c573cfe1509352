//! Why a call of a platform failed, by what follows from it.

use crate::domain::chat::ChatError;
use std::fmt;
use std::time::{Duration, Instant};

/// Why a call failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallError {
    /// The call was not made, or the platform asks to wait: such a call is not to be made before an instant of real time.
    NotBefore(Instant),
    /// The platform did not answer, or failed on its side: the same call may succeed later.
    Transient(String),
    /// The platform refuses this call, with its code: it ends this effect.
    Refused(Refusal),
    /// The token no longer works, or not for everything: no call is made until the platform takes it again.
    Paused(Pause),
}

/// A refusal of one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Who refuses: `Slack`, or `the homeserver`.
    pub by: &'static str,
    /// The platform's code, such as `channel_not_found` or `M_FORBIDDEN`.
    pub code: String,
    /// What the platform, or rota, adds, such as the member that is refused.
    pub detail: Option<String>,
}

/// The code of a pause because the token is of another workspace than the database: platforms have none for it.
pub const OTHER_WORKSPACE: &str = "other_workspace";

/// Why the platform is paused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pause {
    /// Who says so.
    pub by: &'static str,
    /// The platform's code, such as `token_revoked`.
    pub code: String,
    /// What is missing, such as a scope; of [`OTHER_WORKSPACE`], the sentence that names both.
    pub needed: Option<String>,
}

impl CallError {
    /// The code of a refusal.
    pub fn code(&self) -> Option<&str> {
        match self {
            CallError::Refused(refusal) => Some(&refusal.code),
            CallError::Paused(pause) => Some(&pause.code),
            CallError::NotBefore(_) | CallError::Transient(_) => None,
        }
    }

    /// The name in metrics.
    pub(super) fn outcome(&self) -> &'static str {
        match self {
            CallError::NotBefore(_) => "rate_limited",
            CallError::Transient(_) => "failed",
            CallError::Refused(_) => "refused",
            CallError::Paused(_) => "paused",
        }
    }
}

impl From<CallError> for ChatError {
    fn from(error: CallError) -> ChatError {
        let why = error.to_string();
        match error {
            CallError::NotBefore(until) => ChatError::NotBefore(until),
            CallError::Paused(_) => ChatError::Paused(why),
            CallError::Transient(_) => ChatError::Unavailable(why),
            CallError::Refused(refusal) => match refusal.code.as_str() {
                "channel_not_found" | "not_in_channel" | "is_archived" | "user_not_found"
                | "no_such_subteam" | "subteam_not_found" | "M_NOT_FOUND" => {
                    ChatError::NotFound(why)
                }
                "invalid_users" | "failed_for_some_users" => ChatError::PeopleRefused(why),
                _ => ChatError::Refused(why),
            },
        }
    }
}

impl fmt::Display for Pause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.needed {
            Some(needed) if self.code == OTHER_WORKSPACE => f.write_str(needed),
            Some(needed) => write!(
                f,
                "{} answers {}: the app needs {needed}",
                self.by, self.code
            ),
            None => write!(f, "{} answers {}", self.by, self.code),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.detail {
            Some(detail) => write!(f, "{} answers {} ({detail})", self.by, self.code),
            None => write!(f, "{} answers {}", self.by, self.code),
        }
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CallError::NotBefore(_) => f.write_str("the chat platform asks to wait"),
            CallError::Transient(why) => f.write_str(why),
            CallError::Refused(refusal) => refusal.fmt(f),
            CallError::Paused(pause) => pause.fmt(f),
        }
    }
}

impl std::error::Error for CallError {}

/// The meaning of a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Wait for this long.
    Wait(Duration),
    Transient(String),
    Refused(Refusal),
    Paused(Pause),
}

/// How long to wait if the platform does not say.
pub(super) const USUAL_WAIT: Duration = Duration::from_secs(30);

/// The longest wait that a platform can ask for. After a day what waits is no longer worth sending.
pub(super) const LONGEST_WAIT: Duration = Duration::from_secs(24 * 60 * 60);

/// The wait of a `Retry-After` header, in whole seconds.
pub(super) fn wait(header: Option<&str>) -> Duration {
    let seconds = header.and_then(|text| text.trim().parse().ok());
    seconds.map_or(USUAL_WAIT, |seconds| {
        Duration::from_secs(seconds).clamp(Duration::from_secs(1), LONGEST_WAIT)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
