//! Setting up the app: its manifest, and the check of it.

use crate::support::slack::{APP_TOKEN, BOT_TOKEN, SCOPES, Slack};
use crate::support::*;
use serde_json::Value;

fn manifest(flags: &[&str]) -> Value {
    let dir = TempDir::new();
    let mut command = rota(dir.path());
    command.args(["slack", "manifest"]).args(flags);
    let (code, output, errors) = run(&mut command);
    assert_eq!(code, 0, "{errors}");
    serde_json::from_str(&output).expect("JSON")
}

#[test]
fn the_manifest_asks_for_what_is_used() {
    let printed = manifest(&[]);
    assert_eq!(printed["display_information"]["name"], "rota");
    assert_eq!(printed["settings"]["socket_mode_enabled"], true);
    let scopes: Vec<&str> = printed["oauth_config"]["scopes"]["bot"]
        .as_array()
        .expect("scopes")
        .iter()
        .map(text)
        .collect();
    // The fake grants exactly these, and refuses every call that needs another one.
    assert_eq!(scopes, SCOPES);
    let flags = [
        "--base-url",
        "https://rota.example.org/",
        "--name",
        "On call",
        "--command",
        "/oncall",
    ];
    let printed = manifest(&flags);
    assert_eq!(printed["features"]["bot_user"]["display_name"], "On call");
    let slash = &printed["features"]["slash_commands"][0];
    assert_eq!(slash["command"], "/oncall");
    assert_eq!(slash["url"], "https://rota.example.org/slack/commands");
}

#[test]
fn names_and_commands_that_slack_refuses_are_refused() {
    for flags in [
        ["--command", "rota"],
        ["--command", "/two words"],
        ["--name", ""],
    ] {
        let dir = TempDir::new();
        let mut command = rota(dir.path());
        command.args(["slack", "manifest"]).args(flags);
        assert_eq!(run(&mut command).0, 2, "{flags:?}");
    }
}

/// Exit code and output of `rota slack check`.
fn check(slack: &Slack, app_token: bool) -> (i32, String) {
    let dir = TempDir::new();
    let mut command = rota(dir.path());
    command
        .args(["slack", "check"])
        .env("ROTA_CHAT_PLATFORM", "slack")
        .env("ROTA_SLACK_API_URL", &slack.api_url)
        .env("ROTA_SLACK_BOT_TOKEN", BOT_TOKEN);
    if app_token {
        command.env("ROTA_SLACK_APP_TOKEN", APP_TOKEN);
    }
    let (code, output, errors) = run(&mut command);
    assert!(!output.contains("xoxb") && !errors.contains("xoxb"));
    (code, output)
}

#[test]
fn the_check_tells_a_line_each() {
    let slack = Slack::with_people(1);
    let (code, output) = check(&slack, false);
    assert_eq!(code, 0, "{output}");
    assert!(output.contains("workspace: T1 (Acme)"), "{output}");
    for scope in SCOPES {
        assert!(
            output.contains(&format!("scope {scope}: present")),
            "{output}"
        );
    }
    slack.team().scope("usergroups:write", false);
    let (code, output) = check(&slack, false);
    assert_eq!(code, 1, "{output}");
    assert!(
        output.contains("amiss  scope usergroups:write: missing"),
        "{output}"
    );
    slack.team().scope("usergroups:write", true);
    // No socket is given.
    let (code, output) = check(&slack, true);
    assert_eq!(code, 1, "{output}");
    assert!(output.contains("amiss  socket: "), "{output}");
    // What can be said without a token is said all the same, and the other token is tried.
    slack.socket_mode();
    slack.team().refuse_bot(Some("invalid_auth"));
    for (app_token, socket) in [
        (
            false,
            "ok     socket: none, because slack.app_token is not set",
        ),
        (true, "ok     socket: one opens"),
    ] {
        let (code, output) = check(&slack, app_token);
        assert_eq!(code, 1, "{output}");
        let lines: Vec<&str> = output.lines().collect();
        assert_eq!(lines.len(), 6, "{output}");
        for (line, begins) in lines.iter().zip([
            "amiss  token: Slack answers invalid_auth",
            "amiss  workspace: ",
            "amiss  scopes: ",
            "amiss  user groups: Slack answers invalid_auth",
            "ok     clock: ",
            socket,
        ]) {
            assert!(line.starts_with(begins), "{output}");
        }
    }
    slack.team().refuse_bot(None);
    slack.team().refuse_app(Some("token_revoked"));
    let (code, output) = check(&slack, true);
    assert_eq!(code, 1, "{output}");
    let expected = "amiss  socket: Slack answers token_revoked";
    assert!(output.contains(expected), "{output}");
    assert!(output.contains("ok     token: "), "{output}");
}
