//! Asks Slack whether the app is set up as rota needs it.

use super::api::Slack;
use super::error::{Class, SlackError};
use super::manifest::scopes;
use super::method::{AUTH_TEST, Method, USERGROUPS_LIST};
use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;
use serde_json::Value;

/// How far the clocks may be apart: signatures of Slack are refused after five minutes.
const APART: i64 = 60;

/// A line of the check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub is_right: bool,
    /// What was looked at, and what was found.
    pub text: String,
}

fn right(text: String) -> Finding {
    Finding {
        is_right: true,
        text,
    }
}

fn wrong(text: String) -> Finding {
    Finding {
        is_right: false,
        text,
    }
}

impl Slack {
    /// Looks at the token, the workspace, each scope, the user groups and the clock; the socket is another matter.
    pub fn check(&self, now: Timestamp) -> Vec<Finding> {
        let answer = match self.exchange(&AUTH_TEST, &Value::Null) {
            Ok(answer) => answer,
            Err(class) => return vec![wrong(format!("token: {}", why(class)))],
        };
        let (workspace, head) = answer;
        let text = |name: &str| workspace[name].as_str().unwrap_or("unknown");
        let mut findings = vec![
            right("token: Slack takes it".into()),
            right(format!("workspace: {} ({})", text("team_id"), text("team"))),
        ];
        match head.header("x-oauth-scopes") {
            Some(granted) => {
                let granted: Vec<&str> = granted.split(',').map(str::trim).collect();
                findings.extend(scopes().into_iter().map(|scope| {
                    match granted.contains(&scope) {
                        true => right(format!("scope {scope}: present")),
                        false => wrong(format!(
                            "scope {scope}: missing; add it to the app, and install the app again"
                        )),
                    }
                }));
            }
            None => findings.push(wrong("scopes: Slack does not name them".into())),
        }
        findings.push(self.answers(&USERGROUPS_LIST, "user groups"));
        let date = head.header("date").and_then(|date| {
            let read = DateTimeParser::new().relaxed_weekday(true);
            read.parse_timestamp(date).ok()
        });
        findings.push(match date {
            None => wrong("clock: Slack does not say what time it is".into()),
            Some(date) => {
                let apart = now.duration_since(date).as_secs();
                match apart.abs() <= APART {
                    true => right(format!("clock: {apart} s from Slack's")),
                    false => wrong(format!(
                        "clock: {apart} s from Slack's; set the clock of this machine"
                    )),
                }
            }
        });
        findings
    }

    fn answers(&self, method: &Method, what: &str) -> Finding {
        match self.exchange(method, &Value::Null) {
            Ok(_) => right(format!("{what}: Slack answers")),
            Err(class) => wrong(format!("{what}: {}", why(class))),
        }
    }
}

fn why(class: Class) -> String {
    match class {
        Class::Wait(length) => format!("Slack asks to wait for {} s", length.as_secs()),
        Class::Transient(why) => why,
        Class::Refused(refusal) => SlackError::Refused(refusal).to_string(),
        Class::Paused(pause) => SlackError::Paused(pause).to_string(),
    }
}
