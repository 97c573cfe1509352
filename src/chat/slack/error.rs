//! The codes of Slack, by what follows from them.

use crate::chat::call_error::{Class, Pause, Refusal, USUAL_WAIT};

/// Who answers.
pub(super) const SLACK: &str = "Slack";

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
            by: SLACK,
            code: code.to_owned(),
            needed,
        }),
        _ => Class::Refused(Refusal {
            by: SLACK,
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
}
