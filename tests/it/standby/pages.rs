//! The pages, boards and addresses for Slack of a standby.

use super::{First, Second, token_of};
use crate::support::slack::{BOT_TOKEN, SIGNING_SECRET, posted};
use crate::support::*;
use crate::web::Browser;
use serde_json::json;

/// A first server whose U1 administers the workspace.
fn with_admin() -> First {
    let first = First::new();
    let mut people = directory(3);
    people["users"][0]["isAdmin"] = json!(true);
    let file = first.db.with_file_name("admins.json");
    std::fs::write(&file, people.to_string()).unwrap();
    crate::cli::succeeds(&first.db, "directory import admins.json");
    first
}

#[test]
fn every_page_is_shown_under_the_line_of_a_standby() {
    let first = with_admin();
    let rotation = first.rota.daily("U1 U2 U3", 1).id;
    let token = token_of(&first, "U1");
    let there = Browser::with_token(&first.rota, &token);
    let fields = [("title", "Wall"), ("rotationIds", rotation.as_str())];
    let made = there
        .fill("/admin/boards", "/admin/boards", &fields)
        .is(303);
    let shown = there.follow(&made);
    let address = shown.split_once("<code class=\"secret\">").expect("it").1;
    let address = address.split('<').next().unwrap();
    let board = address.strip_prefix(&first.rota.url).expect("our address");
    let second = first.standby().ready();
    let here = Browser::with_token(&second.rota, &token);
    let host = first.rota.address();
    let line = format!("Changes are made at {host}.");
    let of_rotation = |rest: &str| format!("/rotations/{rotation}{rest}");
    let paths = [
        "/",
        "/rotations",
        "/rotations/new",
        "/requests",
        "/reports/duty",
        "/people",
        "/people/U2",
        "/me",
        "/me/turns",
        "/me/absences/new",
        "/admin",
        "/admin/keys",
        "/admin/tokens",
        "/admin/boards",
        "/admin/audit",
        "/admin/directory",
        "/admin/problems",
        "/webhooks",
        "/webhooks/new",
    ];
    let paths = paths.map(str::to_owned).into_iter().chain(
        [
            "",
            "/rotate",
            "/on-call",
            "/assign",
            "/cover",
            "/history",
            "/load",
            "/settings",
        ]
        .map(of_rotation),
    );
    for path in paths {
        let (expected, found) = (there.get(&path), here.get(&path));
        assert_eq!(
            found.status(),
            expected.status(),
            "{path}: {}",
            found.text()
        );
        if found.status() != 200 {
            continue;
        }
        let page = found.text();
        assert!(
            page.contains("Standby. As of ") && page.contains(&line),
            "{path}: {page}"
        );
        assert!(found.header("rota-copied-at").is_some(), "{path}");
        for form in page.split("<form").skip(1) {
            let (tag, rest) = form.split_once('>').unwrap();
            let disabled = rest.starts_with("<fieldset class=\"bare\" disabled>");
            assert_eq!(tag.contains("method=\"post\""), disabled, "{path}: {tag}");
        }
    }
    let page = Browser::of(&second.rota).get(board).is(200).text();
    assert!(
        page.contains("Standby. As of ") && page.contains(&line),
        "{page}"
    );
    // It stays where a form is sent all the same.
    here.post("/me/zone", &[("zone", "UTC")]).is(503);
}

#[test]
fn what_slack_sends_is_refused_until_it_takes_over() {
    let first = First::new();
    let second = Second::of(
        &first.rota.url,
        &first.replicate,
        &first.rota.key,
        |command| {
            command
                .env("ROTA_CHAT_PLATFORM", "slack")
                .env("ROTA_SLACK_API_URL", "http://127.0.0.1:9")
                .env("ROTA_SLACK_BOT_TOKEN", BOT_TOKEN)
                .env("ROTA_SLACK_SIGNING_SECRET", SIGNING_SECRET);
        },
    );
    let second = second.ready();
    let event = json!({ "type": "event_callback", "event": { "type": "app_home_opened" } });
    for path in ["/slack/events", "/slack/commands", "/slack/interactivity"] {
        let refused = posted(&second.rota, path, &event);
        assert!(refused.header("retry-after").is_some(), "{path}");
        refused.refused(503, "standby");
        let unsigned = second.rota.anyone().request("POST", path).body("{}").send();
        assert_eq!(unsigned.status(), 401, "{path}");
    }
    // Slack asks whether the address is ours.
    let challenge = json!({ "type": "url_verification", "challenge": "abc" });
    let answer = posted(&second.rota, "/slack/events", &challenge).is(200);
    assert_eq!(answer.json()["challenge"], json!("abc"));
}
