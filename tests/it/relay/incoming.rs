//! Incoming webhooks: what is posted in each style, in order, and what is tried again.

use super::{lines, listed};
use crate::support::*;
use serde_json::{Value, json};

/// A server that posts the messages of `C1` to a receiver in a style.
fn posting(outlet: &Outlet, style: &str) -> Start {
    let url = outlet.url();
    let list = format!("[{{ channel = \"C1\", url = \"{url}secret-path\", style = \"{style}\" }}]");
    Start::default()
        .env("ROTA_CHAT_REMINDER_BEFORE", "0s")
        .env("ROTA_CHAT_INCOMING_WEBHOOK", list)
}

/// A rotation of two people with odd names that posts in `C1`, with the handle `ana` of U1 there.
fn odd(rota: &Rota) -> Rot<'_> {
    let mut people = directory(3);
    people["users"][0]["displayName"] = json!("Ana <&> *b* @all");
    people["users"][0]["handles"] = json!({ "C1": "@ana", "C2": "other" });
    people["users"][1]["displayName"] = json!("[x](https://y)\u{202e}\r\nz");
    rota.import(&people);
    let rotation = rota.rotation("U1 U2");
    rotation.posts_in("C1");
    rotation
}

fn bodies(outlet: &Outlet) -> Vec<Value> {
    outlet.posts().iter().map(Post::json).collect()
}

/// rules.md 19.2.
#[test]
fn messages_to_a_channel_are_posted_in_the_style_of_its_product() {
    for style in ["slack", "teams", "google", "json"] {
        let outlet = Outlet::new(Behavior::says(200));
        let rota = posting(&outlet, style)
            .env("ROTA_BASE_URL", "https://rota.example")
            .go();
        let rotation = odd(&rota);
        rotation.put_on_call("U1").is(200);
        rotation.put_on_call("U2").is(200);
        rotation.put_on_call("U1").is(200);
        rotation.mention("U3");
        rota.advance(0);
        let posts = bodies(&outlet);
        assert_eq!(posts.len(), 4, "{style}: {posts:?}");
        let said = |index: usize| -> String {
            let body = &posts[index];
            match style {
                "teams" => {
                    let card = &body["attachments"][0]["content"];
                    assert_eq!(
                        body["attachments"][0]["contentType"],
                        "application/vnd.microsoft.card.adaptive"
                    );
                    assert_eq!(
                        (text(&card["type"]), text(&card["version"])),
                        ("AdaptiveCard", "1.4")
                    );
                    let lines = card["body"].as_array().expect("blocks").iter();
                    lines
                        .map(|line| text(&line["inlines"][0]["text"]).to_owned())
                        .collect()
                }
                _ => text(&body["text"]).to_owned(),
            }
        };
        // A person with a handle is notified by it where they come on duty, and has their name elsewhere.
        assert_eq!(said(0), "Rotation: @ana is on duty.", "{style}");
        let name = match style {
            "slack" => "Ana &lt;&amp;&gt; *\u{200b}b*\u{200b} @\u{200b}all",
            "teams" => "Ana <\u{200b}&>\u{200b} *\u{200b}b*\u{200b} @all",
            "google" => "Ana <\u{200b}&>\u{200b} *\u{200b}b*\u{200b} @\u{200b}all",
            _ => "Ana <&> *b* @all",
        };
        let other = match style {
            "slack" | "teams" => "[\u{200b}x]\u{200b}(\u{200b}https://y)\u{200b}  z",
            _ => "[x](https://y)  z",
        };
        assert_eq!(
            said(1),
            format!("Rotation: {other} takes over from {name}."),
            "{style}"
        );
        let link = format!("https://rota.example{}", mention_path(&rota));
        match style {
            "teams" => {
                let action = &posts[3]["attachments"][0]["content"]["actions"][0];
                assert_eq!(
                    (text(&action["type"]), text(&action["url"])),
                    ("Action.OpenUrl", link.as_str())
                );
            }
            _ => assert!(
                said(3).ends_with(&format!("\n{link}")),
                "{style}: {}",
                said(3)
            ),
        }
        if style == "json" {
            let expected = json!({
                "text": said(0), "rotationId": rotation.id, "kind": "handOver", "at": "2026-01-05T08:00:00Z",
            });
            assert_eq!(posts[0], expected);
        }
        let all = lines(&listed(&rota.caller(), "channelId=C1"));
        assert_eq!(all.last().unwrap(), "C1 handOver sent incomingWebhook");
        let users = ["U1", "U2"];
        assert_eq!(
            rotation.chat_status()["inboxOnly"],
            json!({ "userIds": users, "channelIds": [] })
        );
        assert!(
            !rota.process.log.text().contains("secret-path"),
            "the log has the address"
        );
    }
}

fn mention_path(rota: &Rota) -> String {
    let mentions = rota.caller().get("/v1/mentions").is(200).json();
    format!("/mentions/{}", text(&mentions["data"][0]["id"]))
}

/// rules.md 19.4 and 19.6.
#[test]
fn posts_keep_their_order_and_wait_as_they_are_told() {
    let outlet = Outlet::new(Behavior::reads(|_| {
        Then::Say(b"HTTP/1.1 429 -\r\nRetry-After: 90\r\nContent-Length: 4\r\n\r\nslow".to_vec())
    }));
    let rota = posting(&outlet, "json").go();
    let rotation = odd(&rota);
    for user in ["U1", "U2", "U1"] {
        rotation.put_on_call(user).is(200);
    }
    rota.advance(89);
    assert_eq!(outlet.posts().len(), 1);
    let waiting = listed(&rota.caller(), "channelId=C1&state=waiting");
    assert_eq!(waiting.len(), 3);
    assert_eq!(
        waiting[2]["error"],
        "the incoming webhook answered 429 slow"
    );
    outlet.now(Behavior::says(200));
    rota.advance(1);
    let posts = bodies(&outlet);
    assert_eq!(posts.len(), 4);
    assert_eq!(posts[0], posts[1]);
    let on: Vec<bool> = posts[1..]
        .iter()
        .map(|post| text(&post["text"]).contains("@ana"))
        .collect();
    assert_eq!(on, [true, false, true]);
    assert_eq!(listed(&rota.caller(), "state=waiting").len(), 0);
}

#[test]
fn what_a_product_refuses_for_good_is_dropped_and_the_next_is_posted() {
    let outlet = Outlet::new(Behavior::says(404));
    let rota = posting(&outlet, "slack").go();
    let rotation = odd(&rota);
    rotation.put_on_call("U1").is(200);
    rota.advance(0);
    outlet.now(Behavior::says(503));
    rotation.put_on_call("U2").is(200);
    rota.advance(0);
    let states = |query: &str| {
        let all = listed(&rota.caller(), query);
        let line =
            |message: &Value| format!("{}: {}", text(&message["state"]), text(&message["error"]));
        all.iter().map(line).collect::<Vec<_>>()
    };
    assert_eq!(
        states("channelId=C1"),
        [
            "waiting: the incoming webhook answered 503",
            "dropped: the incoming webhook answered 404"
        ]
    );
    outlet.now(Behavior::says(204));
    rota.advance(2);
    assert_eq!(states("channelId=C1")[0], "sent: -");
}

#[test]
fn a_receiver_that_hangs_delays_no_other_channel_and_no_hand_over() {
    let (hangs, quick) = (
        Outlet::new(Behavior::hangs()),
        Outlet::new(Behavior::says(200)),
    );
    let entry = |channel: &str, outlet: &Outlet| {
        let url = outlet.url();
        format!("{{ channel = \"{channel}\", url = \"{url}\", style = \"slack\" }}")
    };
    let list = format!("[{}, {}]", entry("C1", &hangs), entry("C2", &quick));
    let start = Start::default()
        .running_clock()
        .env("ROTA_CHAT_INCOMING_WEBHOOK", list);
    let rota = start.go();
    rota.people(2);
    let rotation = rota.rotation("U1 U2");
    rotation.posts_in("C1 C2");
    for (count, user) in ["U1", "U2", "U1"].into_iter().enumerate() {
        rotation.put_on_call(user).is(200);
        eventually("the post in the other channel", || {
            quick.posts().len() > count
        });
    }
    assert_eq!(hangs.posts().len(), 1);
}

#[test]
fn private_addresses_are_refused_as_for_webhooks() {
    let list = r#"[{ channel = "C1", url = "http://10.9.8.7/x", style = "slack" }]"#;
    let rota = Start::default()
        .env("ROTA_CHAT_INCOMING_WEBHOOK", list)
        .go();
    let rotation = odd(&rota);
    rotation.put_on_call("U1").is(200);
    rota.advance(0);
    let all = listed(&rota.caller(), "channelId=C1");
    let error = text(&all[0]["error"]);
    assert_eq!(
        error,
        "the incoming webhook is not reached: 10.9.8.7 is private"
    );
}

#[test]
fn handles_come_from_the_directory_file() {
    let rota = Rota::with_people(2);
    for (handle, good) in [
        ("ana", true),
        ("@ana.b-c_1", true),
        ("", false),
        ("a b", false),
        ("@here>", false),
    ] {
        let mut people = directory(2);
        people["users"][0]["handles"] = json!({ "C1": handle });
        let answer = rota.request("PUT", "/dev/directory").json(&people).send();
        assert_eq!(answer.status() == 200, good, "{handle}");
    }
}
