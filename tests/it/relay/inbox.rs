//! The list of messages, who sees which, and the inbox on the pages.

use super::{lines, listed};
use crate::support::*;
use crate::web::Browser;

#[test]
fn every_message_is_listed_newest_first() {
    let rota = Rota::unreminded(3);
    let rotation = rota.rotation("U1 U2");
    rotation.posts_in("C1");
    rotation.put_on_call("U1").is(200);
    rota.chat_settles();
    let all = listed(&rota.caller(), "");
    assert_eq!(lines(&all), ["U1 onDuty sent inbox", "C1 handOver sent "]);
    assert_eq!(all[0]["text"], "You are on duty for Rotation.");
    assert_eq!(all[0]["id"], "msg_000000000000000000000002");
    assert_eq!(all[0]["rotationId"], rotation.id.as_str());
    assert_eq!(instant(&all[0]["reached"][0]["at"]), MONDAY);
    for (query, count) in [
        ("userId=U1", 1),
        ("userId=U2", 0),
        ("channelId=C1", 1),
        ("channelId=U1", 0),
        ("state=sent", 2),
        ("state=waiting", 0),
        ("state=dropped", 0),
        ("from=2026-01-05T08:00:00Z", 2),
        ("to=2026-01-05T08:00:00Z", 0),
        ("pageSize=1&page=2", 1),
        ("pageSize=1&page=3", 0),
        ("rotationId=rot_none", 0),
        (&format!("rotationId={}", rotation.id), 2),
    ] {
        assert_eq!(listed(&rota.caller(), query).len(), count, "{query}");
    }
    let page = rota.caller().get("/v1/messages?pageSize=1").is(200).json();
    assert_eq!(int(&page["totalItems"]), 2);
    for wrong in [
        "state=late",
        "user=U1",
        "from=today",
        "page=0",
        "userId=U1&userId=U2",
    ] {
        rota.caller().get(&format!("/v1/messages?{wrong}")).is(400);
    }
}

/// rules.md 19.9.
#[test]
fn people_list_their_own_messages_and_those_of_channels_that_they_see() {
    let rota = Rota::unreminded(4);
    let mut body = new_rotation("U1 U2");
    body["public"] = serde_json::json!(false);
    let hidden = rota.create(body);
    hidden.posts_in("C1");
    hidden.put_on_call("U1").is(200);
    hidden.put_on_call("U2").is(200);
    rota.chat_settles();
    let of = |user: &str| {
        let token = rota.token(user);
        let mut lines = lines(&listed(&rota.with(&token), ""));
        lines.sort();
        lines
    };
    let channel = "C1 handOver sent ";
    assert_eq!(
        of("U1"),
        [
            channel,
            channel,
            "U1 offDuty sent inbox",
            "U1 onDuty sent inbox"
        ]
    );
    assert_eq!(of("U2"), [channel, channel, "U2 onDuty sent inbox"]);
    assert_eq!(of("U3"), Vec::<String>::new());
    let other = rota.token("U3");
    assert_eq!(
        listed(&rota.with(&other), "userId=U1"),
        Vec::<serde_json::Value>::new()
    );
    let empty = rota.rotation("U3 U4");
    let limited = rota.mint(serde_json::json!({
        "name": "limited", "scopes": ["read:oncall"], "rotationIds": [empty.id],
    }));
    assert_eq!(listed(&rota.with(&limited), "").len(), 0);
    rota.with(&rota.key("read:rotations"))
        .get("/v1/messages")
        .is(403);
}

/// rules.md 19.1.
#[test]
fn a_message_waits_in_the_inbox_while_the_platform_is_down() {
    let rota = Rota::unreminded(2);
    let rotation = rota.rotation("U1 U2");
    rota.chat_is_down();
    rotation.put_on_call("U1").is(200);
    rota.chat_settles();
    let all = listed(&rota.caller(), "state=waiting");
    assert_eq!(lines(&all), ["U1 onDuty waiting inbox"]);
    assert!(
        text(&all[0]["error"]).contains("the chat platform failed"),
        "{all:?}"
    );
    rota.advance(2 * DAY);
    let all = listed(&rota.caller(), "state=dropped");
    assert_eq!(lines(&all), ["U1 onDuty dropped inbox"]);
}

#[test]
fn the_inbox_is_a_page() {
    let rota = Rota::unreminded(3);
    let browser = Browser::signed_in(&rota, "U1");
    let empty = browser.get("/me/inbox").is(200).text();
    assert!(empty.contains("No messages."), "{empty}");
    let rotation = rota.daily("U1 U2 U3", 1);
    rotation
        .patch(serde_json::json!({ "name": "<b>Ops</b>" }))
        .is(200);
    let asked = rotation.ask_cover("U2", "06 07", "U1");
    rota.chat_settles();
    let page = browser.get("/me/inbox").is(200).text();
    assert!(
        page.contains("asks you to cover &lt;b&gt;Ops&lt;/b&gt;"),
        "{page}"
    );
    assert!(
        page.contains(&format!("href=\"/requests/{}\"", asked.id)),
        "{page}"
    );
    let me = browser.get("/me").is(200).text();
    assert!(
        me.contains("href=\"/me/inbox\"") && me.contains("All messages ("),
        "{me}"
    );
    let other = Browser::signed_in(&rota, "U3")
        .get("/me/inbox")
        .is(200)
        .text();
    assert!(other.contains("No messages."), "{other}");
    Browser::of(&rota).get("/me/inbox").is(303);
}

#[test]
fn a_mention_is_answered_on_its_page() {
    let rota = Rota::unreminded(3);
    let rotation = rota.rotation("U1 U2");
    rotation.put_on_call("U1").is(200);
    let mention = rotation.mention("U3");
    let path = format!("/mentions/{}", mention.id);
    let asked = Browser::signed_in(&rota, "U1");
    let watching = Browser::signed_in(&rota, "U2").get(&path).is(200).text();
    assert!(!watching.contains("/acknowledge"), "{watching}");
    let answer = asked.fill(&path, &format!("{path}/acknowledge"), &[]);
    let page = asked.follow(&answer.is(303));
    assert!(
        page.contains("You have acknowledged.") && page.contains("acknowledged</span>"),
        "{page}"
    );
    let late = asked.post(&format!("{path}/pass"), &[]).is(409).text();
    assert!(late.contains("There is a problem"), "{late}");
    asked.post(&format!("{path}/other"), &[]).is(404);
    asked.get("/mentions/men_none").is(404);
}
