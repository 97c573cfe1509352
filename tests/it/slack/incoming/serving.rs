//! Slack's own libraries against the fake: what they understand is what Slack sends. Run by `.ci/slack-sdk`.

use crate::support::slack::{
    APP_TOKEN, BOT_TOKEN, SIGNING_SECRET, Slack, body, command, mention, seconds, signature,
    submission,
};
use crate::support::*;
use serde_json::json;
use std::process::Command;

/// The program of a client, with its arguments.
const CLIENT: &str = "ROTA_SLACK_SDK_CLIENT";

/// Starts a client of Socket Mode that answers commands with their own text, refreshes its connection and cuts it, and has it
/// judge a signature.
#[test]
#[ignore = "needs a client of Slack's own"]
fn serve_fake() {
    let client = std::env::var(CLIENT).expect("the command of a client in ROTA_SLACK_SDK_CLIENT");
    let slack = Slack::with_people(3);
    let sockets = slack.socket_mode();
    let payload = command("U1", "signed", &slack.response_url());
    let (body, _) = body("/slack/commands", &payload);
    let at = seconds().to_string();
    let mut words = client.split(' ');
    let mut started = Command::new(words.next().expect("a program"));
    started
        .args(words)
        .env("SLACK_API_URL", &slack.api_url)
        .env("SLACK_BOT_TOKEN", BOT_TOKEN)
        .env("SLACK_APP_TOKEN", APP_TOKEN)
        .env("SLACK_SIGNING_SECRET", SIGNING_SECRET)
        .env("SIGNED_BODY", &body)
        .env("SIGNED_AT", &at)
        .env("SIGNATURE", signature(SIGNING_SECRET, &at, body.as_bytes()));
    let (mut process, lines) = Process::spawn(&mut started);
    let ask = |text: &str| {
        let id = sockets.send("slash_commands", command("U1", text, &slack.response_url()));
        let payload = sockets.acknowledged(&id).payload;
        assert_eq!(
            payload,
            Some(json!({ "text": format!("heard {text}") })),
            "{}",
            process.log.tail()
        );
    };
    sockets.await_greeted(1);
    ask("one");
    let view = slack.open_modal(super::modal("cover"));
    let sent = submission("U1", view, json!({}));
    sockets.acknowledged(&sockets.send("interactive", sent));
    sockets.acknowledged(&sockets.send("events_api", mention("U1", "C1", "<@UBOT> OPS")));
    sockets.refresh("warning");
    sockets.await_greeted(2);
    ask("two");
    sockets.cut();
    sockets.await_greeted(3);
    ask("three");
    let heard: Vec<String> = lines.try_iter().collect();
    for line in [
        "signature True",
        "slash_commands",
        "interactive",
        "events_api",
    ] {
        assert!(heard.iter().any(|heard| heard == line), "{line}: {heard:?}");
    }
    process.signal("KILL");
    drop(process.ended());
    // How they call Slack is theirs; the description of arguments is for what rota sends.
    slack.team().violations.clear();
}
