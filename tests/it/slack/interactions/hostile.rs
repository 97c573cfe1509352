//! Names and texts that would be markup, in every answer: the strict fake fails the test where one is.

use super::{Enter, Workspace, button};
use crate::support::slack::{click, command, event, posted};
use crate::support::*;
use serde_json::{Value, json};

const NAMES: [&str; 6] = [
    "<!channel>",
    "<@U1>",
    "*_~`",
    "a|b>c&lt;",
    "\u{202e} :boom:",
    "<https://evil.example|Slack>",
];

/// Fails on markup that somebody's text has become.
fn is_clean(shown: &Value) {
    let all = shown.to_string();
    for markup in ["<!channel>", "<https://evil", "<!here>", "<#C1"] {
        let plain = plain_texts(shown);
        let marked = all.matches(markup).count() - plain.matches(markup).count();
        assert_eq!(marked, 0, "{markup} in {all}");
    }
}

/// Texts that Slack shows as they are.
fn plain_texts(shown: &Value) -> String {
    match shown {
        Value::Object(members) if members.get("type") == Some(&json!("plain_text")) => {
            shown.to_string()
        }
        Value::Object(members) => members.values().map(plain_texts).collect(),
        Value::Array(all) => all.iter().map(plain_texts).collect(),
        _ => String::new(),
    }
}

#[test]
fn hostile_names() {
    let workspace = Workspace::with_people(4);
    for name in NAMES {
        for user in ["U1", "U2", "U3"] {
            let profile = json!({ "profile": { "display_name": name } });
            workspace.slack.team().person(user, profile);
        }
        workspace.slack.read_directory(&workspace.rota);
        let rotation = workspace.rota.daily("U1 U2 U3", 1);
        let long = format!("{name}{}", "y".repeat(150));
        rotation
            .patch(json!({ "name": long, "description": name, "code": "EVIL" }))
            .ok();
        for words in ["", "EVIL", "EVIL rotate", "me", "help"] {
            is_clean(&workspace.say("U1", words));
        }
        let form = workspace.form("U2", "EVIL cover");
        is_clean(&form);
        let entered = [
            ("whom", Enter::Several(&["U1", "U3"])),
            ("reason", Enter::Text(name)),
        ];
        let reply = workspace.submit("U2", &form, &entered);
        assert_eq!(reply, Value::Null);
        is_clean(&workspace.say("U1", "me"));
        is_clean(&workspace.form("U2", "swap"));
        is_clean(&workspace.form("U2", "away"));
        let card = workspace.say("U2", "EVIL");
        is_clean(&workspace.click_form("U2", ("C1", "1.1"), &super::button(&card, "Details")));
        let opened = event(json!({ "type": "app_home_opened", "user": "U1", "tab": "home" }));
        posted(&workspace.rota, "/slack/events", &opened).ok();
        eventually("a home tab", || {
            let homes = workspace.slack.team().homes.get("U1").cloned();
            homes.is_some_and(|home| home.to_string().contains("EVIL"))
        });
        let home = workspace.slack.team().homes["U1"].clone();
        is_clean(&home);
        workspace.mention("U4", "C1", &format!("EVIL {name}"));
        workspace
            .rota
            .caller()
            .delete_if(&rotation.path(""), "*")
            .ok();
    }
}

#[test]
fn hostile_texts() {
    let workspace = Workspace::with_people(3);
    workspace.daily("PLAT", "U1 U2");
    let long = "x".repeat(4000);
    for words in [
        "<!channel>",
        "<@U1>",
        "*_~",
        "`code`",
        "PLAT <!here>",
        "PLAT set <!channel>",
        "PLAT set <@U1|<@U2>>",
        "<https://evil.example|PLAT>",
        "rot_",
        "../../etc",
        "\u{0}\u{1}",
        &long,
        &format!("PLAT {long}"),
        &format!("PLAT set @{long}"),
    ] {
        let reply = workspace.say("U2", words);
        is_clean(&reply);
        assert!(text(&reply["text"]).len() < 4000, "{words}");
    }
}

#[test]
fn what_comes_from_another_workspace_is_refused() {
    let workspace = Workspace::with_people(3);
    let rotation = workspace.daily("PLAT", "U1 U2 U3");
    let asked = rotation.ask_cover("U2", "06 07", "U1 U3");
    let message = workspace.message("U3", 1);
    let accept = button(&json!({ "blocks": message.blocks }), "Accept");
    let version = rotation.read()["version"].clone();
    let sent = |path: &str, payload: &Value| -> Value {
        let url = text(&payload["response_url"]);
        let answer = posted(&workspace.rota, path, payload).ok();
        workspace.answered(&answer, url)
    };
    let url = || workspace.slack.response_url();
    let mut typed = command("U1", "PLAT rotate", &url());
    typed["team_id"] = json!("T2");
    let on = (message.channel.as_str(), message.ts.as_str());
    let button = (text(&accept["action_id"]), text(&accept["value"]));
    let mut clicked = click("U3", on, button, &url());
    clicked["team"]["id"] = json!("T2");
    for (path, payload) in [
        ("/slack/commands", &typed),
        ("/slack/interactivity", &clicked),
    ] {
        let reply = sent(path, payload);
        assert_eq!(
            reply["text"], "This app belongs to another workspace, and nothing was changed.",
            "{path}"
        );
    }
    assert_eq!(rotation.read()["version"], version);
    assert_eq!(asked.state(), "pending");
    // The same from the workspace itself.
    assert_eq!(
        workspace.click("U3", on, &accept)["text"],
        "You have accepted."
    );
}

#[test]
fn much_fits_into_one_answer() {
    let workspace = Workspace::with_people(3);
    for number in 0..60 {
        let rotation = workspace.rota.daily("U1 U2 U3", 1);
        let name = format!("{number} {}", "long ".repeat(35));
        rotation
            .patch(json!({ "name": name, "code": format!("R{number}") }))
            .ok();
        rotation.ask_cover("U1", "08 09", "U2 U3");
    }
    for (user, words) in [("U2", ""), ("U2", "me"), ("U1", "me"), ("U1", "R5")] {
        let reply = workspace.say(user, words);
        let blocks = reply["blocks"].as_array().expect("blocks");
        assert!(blocks.len() <= 50, "{words}: {}", blocks.len());
        let length = |block: &Value| text(&block["text"]["text"]).chars().count();
        assert!(blocks.iter().all(|block| length(block) <= 3000), "{words}");
    }
    let form = workspace.form("U1", "cover");
    assert!(form.to_string().len() < 250_000);
    let opened = event(json!({ "type": "app_home_opened", "user": "U2", "tab": "home" }));
    posted(&workspace.rota, "/slack/events", &opened).ok();
    eventually("a home tab", || {
        workspace.slack.team().homes.contains_key("U2")
    });
}
