//! Channels, topic, on-duty group, mentions and the inbound webhook.

use super::{Browser, action, undo, world};
use crate::support::{MONDAY, Rota, directory, group};
use serde_json::json;

#[test]
fn channels_are_added_changed_and_removed() {
    let rota = world();
    let rotation = rota.daily("U1 U2", 1);
    let ada = Browser::signed_in(&rota, "U1");
    let to = action(&rotation, "channels");
    let page = ada.get(&to).is(200).text();
    assert!(page.contains("No channel is told anything"), "{page}");
    let answer = ada
        .fill_in(&page, &to, &[("step", "add"), ("channelId", "C1")])
        .is(303);
    let settings = || rotation.read()["channelSettings"].clone();
    let one =
        |posts: bool| json!([{ "channelId": "C1", "postsMessages": posts, "syncsTopic": false }]);
    assert_eq!(settings(), one(true));
    undo(&ada, &rotation, &ada.follow(&answer));
    assert_eq!(settings(), json!([]));
    ada.fill_in(
        &ada.get(&to).text(),
        &to,
        &[("step", "add"), ("channelId", "C1")],
    )
    .is(303);
    // With a topic it stays without posts.
    ada.fill(
        &to,
        &to,
        &[
            ("step", "topic"),
            ("enableTopic", "true"),
            ("topicTemplate", "On: %USER%"),
        ],
    )
    .is(303);
    let page = ada.get(&to).is(200).text();
    let form = crate::web::form(&page, &to);
    let carried: Vec<(String, String)> = crate::web::inputs(form)
        .into_iter()
        .filter(|(name, _)| name != "postsMessages")
        .collect();
    let mut fields: Vec<(&str, &str)> = carried
        .iter()
        .map(|(n, v)| (n.as_str(), v.as_str()))
        .collect();
    fields.extend([("step", "set"), ("syncsTopic", "true")]);
    let answer = ada.post(&to, &fields).is(303);
    assert_eq!(settings()[0]["postsMessages"], false);
    assert_eq!(settings()[0]["syncsTopic"], true);
    undo(&ada, &rotation, &ada.follow(&answer));
    assert_eq!(settings()[0]["postsMessages"], true);
    ada.fill(&to, &to, &[("step", "remove"), ("channelId", "C1")])
        .is(303);
    assert_eq!(settings(), json!([]));
    ada.post(
        &to,
        &[
            ("ifMatch", "*"),
            ("operationId", "gone"),
            ("step", "add"),
            ("channelId", "C9"),
        ],
    )
    .is(404);
}

#[test]
fn a_topic_is_shown_as_it_will_read() {
    let rota = world();
    let rotation = rota.daily("U1 U2", 1);
    rotation.patch(json!({ "name": "Ops <b>" })).is(200);
    let ada = Browser::signed_in(&rota, "U1");
    let to = action(&rotation, "channels");
    let template = "%NAME%: %USER%, then %NEXT_USER% <i> %NOTHING%";
    let fields = [
        ("step", "read"),
        ("enableTopic", "true"),
        ("topicTemplate", template),
    ];
    let page = ada.fill(&to, &to, &fields).is(200).text();
    let shown = "Ops &lt;b&gt;: Person U1, then Person U2 &lt;i&gt; %NOTHING%";
    assert!(page.contains(shown), "{page}");
    assert!(
        page.contains("%NOTHING%</textarea>"),
        "what was typed is kept"
    );
    assert_eq!(rotation.read()["topicTemplate"], json!(null));
    ada.fill(
        &to,
        &to,
        &[
            ("step", "topic"),
            ("enableTopic", "true"),
            ("topicTemplate", template),
        ],
    )
    .is(303);
    assert_eq!(rotation.read()["topicTemplate"], template);
    ada.fill(&to, &to, &[("step", "add"), ("channelId", "C1")])
        .is(303);
    rota.chat_settles();
    assert_eq!(
        rota.topic("C1"),
        "Ops <b>: Person U1, then Person U2 <i> %NOTHING%"
    );
    let long = "x".repeat(4001);
    let page = ada
        .fill(&to, &to, &[("step", "topic"), ("topicTemplate", &long)])
        .is(400)
        .text();
    assert!(
        page.contains("href=\"#f-topicTemplate\"") && page.contains(&long),
        "{page}"
    );
}

#[test]
fn the_on_duty_group_is_chosen_and_left() {
    let rota = Rota::at(MONDAY);
    let mut file = directory(4);
    file["groups"] = json!([group("G1", "U4"), group("G2", "")]);
    rota.import(&file);
    let rotation = rota.daily("U1 U2", 1);
    let ada = Browser::signed_in(&rota, "U1");
    let to = action(&rotation, "on-duty-group");
    let bound = || rotation.read()["onDutyUserGroupId"].clone();
    let answer = ada
        .fill(&to, &to, &[("step", "adopt"), ("userGroupId", "G1")])
        .is(303);
    assert_eq!(bound(), "G1");
    let page = ada.follow(&answer);
    assert!(page.contains("Group G1"), "{page}");
    undo(&ada, &rotation, &page);
    assert_eq!(bound(), json!(null));
    let page = ada
        .fill(&to, &to, &[("step", "handle"), ("handle", "a b")])
        .is(400)
        .text();
    assert!(
        page.contains("href=\"#f-handle\"") && page.contains("value=\"a b\""),
        "{page}"
    );
    ada.fill(&to, &to, &[("step", "handle"), ("handle", "@on-call")])
        .is(303);
    assert!(bound().is_string());
    let answer = ada.fill(&to, &to, &[("step", "remove")]).is(303);
    assert_eq!(bound(), json!(null));
    undo(&ada, &rotation, &ada.follow(&answer));
    assert!(bound().is_string());
    rota.plan("free");
    let page = ada.get(&to).is(200).text();
    assert!(page.contains("Pro plan"), "{page}");
}

#[test]
fn mention_settings_are_saved_and_undone() {
    let rota = world();
    let rotation = rota.daily("U1 U2", 1);
    let ada = Browser::signed_in(&rota, "U1");
    let to = action(&rotation, "mentions");
    let settings = || rotation.get("/mention-settings").is(200).json();
    let before = settings();
    let fields = [
        ("expiresAfterMinutes", "30"),
        ("remindAfterMinutes", "5"),
        ("oneAtATime", "true"),
    ];
    let answer = ada.fill(&to, &to, &fields).is(303);
    let expected = json!({ "expiresAfterMinutes": 30, "remindAfterMinutes": 5, "oneAtATime": true, "rotateAfterAcknowledgement": false });
    assert_eq!(settings(), expected);
    undo(&ada, &rotation, &ada.follow(&answer));
    assert_eq!(settings(), before);
    for (field, typed) in [("expiresAfterMinutes", "0"), ("remindAfterMinutes", "soon")] {
        let page = ada.fill(&to, &to, &[(field, typed)]).is(400).text();
        assert!(page.contains(&format!("href=\"#f-{field}\"")), "{page}");
        assert!(page.contains(&format!("value=\"{typed}\"")), "{page}");
    }
}

#[test]
fn the_key_of_the_inbound_webhook_is_shown_as_often_as_the_api_shows_it() {
    let rota = world();
    let rotation = rota.daily("U1 U2", 1);
    let admin = Browser::signed_in(&rota, "U5");
    let to = action(&rotation, "inbound-webhook");
    let page = admin.get(&to).is(200).text();
    assert!(
        page.contains("has none yet") && !page.contains("class=\"secret\""),
        "{page}"
    );
    let secret = |page: &str| -> String {
        assert!(!page.contains("cannot be shown again"), "{page}");
        let (before, shown) = page.split_once("class=\"secret\">").expect("a secret");
        assert!(before.ends_with("<summary>Show the key</summary><code "));
        shown.split('<').next().unwrap().to_owned()
    };
    let answer = admin.fill_in(&page, &to, &[("step", "make")]).is(303);
    let shown = admin.follow(&answer);
    let key = secret(&shown);
    let known = rotation.get("/inbound-webhook").is(200).json();
    assert_eq!(known["key"], key);
    assert!(shown.contains(known["url"].as_str().unwrap()), "{shown}");
    let page = admin.get(&to).is(200).text();
    assert_eq!(secret(&page), key);
    // A new one; sent twice it is the same.
    let first = secret(&admin.follow(&admin.fill_in(&page, &to, &[("step", "rotate")]).is(303)));
    assert_ne!(first, key);
    let second = secret(&admin.follow(&admin.fill_in(&page, &to, &[("step", "rotate")]).is(303)));
    assert_eq!(first, second);
    assert_eq!(
        rotation.get("/inbound-webhook").is(200).json()["key"],
        first
    );
    // An owner who administers nothing is told who may.
    let ada = Browser::signed_in(&rota, "U1");
    let settings = ada
        .get(&format!("/rotations/{}/settings", rotation.id))
        .is(200)
        .text();
    assert!(!settings.contains("inbound-webhook"), "{settings}");
    assert!(ada.get(&to).is(403).text().contains("workspace admins"));
    let forged = [("ifMatch", "*"), ("operationId", "x"), ("step", "rotate")];
    assert!(
        ada.post(&to, &forged)
            .is(403)
            .text()
            .contains("workspace admins")
    );
}

/// rules.md 19.11.
#[test]
fn the_coming_week_is_posted_in_chosen_channels() {
    let rota = world();
    let rotation = rota.daily("U1 U2", 1);
    rotation.posts_in("C1");
    let ada = Browser::signed_in(&rota, "U1");
    let to = action(&rotation, "channels");
    let chosen = [
        ("step", "summary"),
        ("summary.day", "monday"),
        ("summary.time", "08:30"),
        ("summary.timeZone", "UTC"),
        ("summary.channelIds", "C1"),
    ];
    ada.fill(&to, &to, &chosen).is(303);
    let summary = json!({
        "day": "monday", "time": "08:30", "timeZone": "UTC", "channelIds": ["C1"],
    });
    assert_eq!(rotation.read()["summary"], summary);
    for (name, value) in [("summary.timeZone", "EST"), ("summary.time", "8")] {
        let mut wrong = chosen.to_vec();
        wrong.retain(|(known, _)| *known != name);
        wrong.push((name, value));
        let page = ada.fill(&to, &to, &wrong).is(400).text();
        assert!(page.contains("There is a problem"), "{name}");
    }
    let none = [("step", "summary"), ("summary.day", "")];
    ada.fill(&to, &to, &none).is(303);
    assert_eq!(rotation.read()["summary"], json!(null));
}
