//! Asks Slack whether the app is set up as rota needs it.

use super::api::Slack;
use super::error::SLACK;
use super::manifest::scopes;
use super::method::{AUTH_TEST, Method, USERGROUPS_LIST};
use crate::chat::Finding;
use crate::chat::finding::why;
use jiff::Timestamp;
use serde_json::Value;

impl Slack {
    /// Looks at the token, the workspace, each scope, the user groups and the clock; the socket is another matter. What is wrong
    /// with one of them keeps nobody from looking at the others.
    pub fn check(&self, now: Timestamp) -> Vec<Finding> {
        let (answer, head) = self.exchange_with_head(&AUTH_TEST);
        let mut findings = match answer {
            Ok(workspace) => {
                let text = |name: &str| workspace[name].as_str().unwrap_or("unknown");
                vec![
                    Finding::right("token: Slack takes it"),
                    Finding::right(format!("workspace: {} ({})", text("team_id"), text("team"))),
                ]
            }
            Err(class) => vec![
                Finding::wrong(format!("token: {}", why(class, SLACK))),
                Finding::wrong("workspace: Slack does not name it"),
            ],
        };
        let header = |name: &str| head.as_ref().and_then(|head| head.header(name));
        findings.extend(granted(header("x-oauth-scopes")));
        findings.push(self.answers(&USERGROUPS_LIST, "user groups"));
        findings.push(Finding::clock(header("date"), now, SLACK));
        findings
    }

    fn answers(&self, method: &Method, what: &str) -> Finding {
        match self.exchange(method, &Value::Null) {
            Ok(_) => Finding::right(format!("{what}: Slack answers")),
            Err(class) => Finding::wrong(format!("{what}: {}", why(class, SLACK))),
        }
    }
}

/// Each scope that the app needs, by what Slack says that it has.
fn granted(scopes_said: Option<&str>) -> Vec<Finding> {
    let Some(said) = scopes_said else {
        return vec![Finding::wrong("scopes: Slack does not name them")];
    };
    let granted: Vec<&str> = said.split(',').map(str::trim).collect();
    let finding = |scope: &str| match granted.contains(&scope) {
        true => Finding::right(format!("scope {scope}: present")),
        false => Finding::wrong(format!(
            "scope {scope}: missing; add it to the app, and install the app again"
        )),
    };
    scopes().into_iter().map(finding).collect()
}
