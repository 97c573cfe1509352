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
    /// The checks and their findings.
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
    /// Looks at the token, the workspace, each scope, the user groups and the clock; the socket is another matter. What is wrong
    /// with one of them keeps nobody from looking at the others.
    pub fn check(&self, now: Timestamp) -> Vec<Finding> {
        let (answer, head) = self.exchange_with_head(&AUTH_TEST);
        let mut findings = match answer {
            Ok(workspace) => {
                let text = |name: &str| workspace[name].as_str().unwrap_or("unknown");
                vec![
                    right("token: Slack takes it".into()),
                    right(format!("workspace: {} ({})", text("team_id"), text("team"))),
                ]
            }
            Err(class) => vec![
                wrong(format!("token: {}", why(class))),
                wrong("workspace: Slack does not name it".into()),
            ],
        };
        let header = |name: &str| head.as_ref().and_then(|head| head.header(name));
        findings.extend(granted(header("x-oauth-scopes")));
        findings.push(self.answers(&USERGROUPS_LIST, "user groups"));
        findings.push(clock(header("date"), now));
        findings
    }

    fn answers(&self, method: &Method, what: &str) -> Finding {
        match self.exchange(method, &Value::Null) {
            Ok(_) => right(format!("{what}: Slack answers")),
            Err(class) => wrong(format!("{what}: {}", why(class))),
        }
    }
}

/// Each scope that the app needs, by what Slack says that it has.
fn granted(scopes_said: Option<&str>) -> Vec<Finding> {
    let Some(said) = scopes_said else {
        return vec![wrong("scopes: Slack does not name them".into())];
    };
    let granted: Vec<&str> = said.split(',').map(str::trim).collect();
    let finding = |scope: &str| match granted.contains(&scope) {
        true => right(format!("scope {scope}: present")),
        false => wrong(format!(
            "scope {scope}: missing; add it to the app, and install the app again"
        )),
    };
    scopes().into_iter().map(finding).collect()
}

/// How far the clocks are apart, by the time that Slack's answer names.
fn clock(date: Option<&str>, now: Timestamp) -> Finding {
    let date = date.and_then(|date| {
        let read = DateTimeParser::new().relaxed_weekday(true);
        read.parse_timestamp(date).ok()
    });
    let Some(date) = date else {
        return wrong("clock: Slack does not say what time it is".into());
    };
    let apart = now.duration_since(date).as_secs();
    match apart.abs() <= APART {
        true => right(format!("clock: {apart} s from Slack's")),
        false => wrong(format!(
            "clock: {apart} s from Slack's; set the clock of this machine"
        )),
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
