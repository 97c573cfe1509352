//! Opening a mention: who is notified, the response, and refusals.

use crate::events::Reader;
use crate::support::*;
use serde_json::{Value, json};

#[test]
fn everybody_on_call_is_notified_in_the_channel() {
    let rota = Rota::with_people(5);
    let rotation = rota.daily("U1 U2 U3", 2);
    let mut reader = Reader::new(&rota);
    let etag = rotation.etag();
    let opened = rotation.try_mention("U5").is(200).json();
    let id = text(&opened["mentionId"]).to_owned();
    assert!(id.starts_with("men_"), "{id}");
    let expected = json!({ "mentionId": id, "state": "open", "notifiedUserIds": ["U1", "U2"] });
    assert_eq!(opened, expected);
    let mut record = Mention { rota: &rota, id }.record();
    for (member, at) in [("openedAt", MONDAY), ("expiresAt", "2026-01-05T09:00Z")] {
        let posted = record.as_object_mut().unwrap().remove(member).unwrap();
        assert_eq!(instant(&posted), at, "{member}");
    }
    let expected = json!({
        "id": opened["mentionId"], "rotationId": rotation.id, "channelId": "C1", "userId": "U5",
        "message": "Help", "state": "open", "notifiedUserIds": ["U1", "U2"], "passedUserIds": [],
        "acknowledgedUserId": null, "closedAt": null,
    });
    assert_eq!(record, expected);
    let asked = "@Person U1 @Person U2 Person U5 asks for whoever is on call in Rotation: Help";
    assert_eq!(rota.messages_to("C1"), [asked]);
    assert!(rota.messages_to("C2").is_empty());
    // It is not a change of the rotation.
    assert_eq!(rotation.etag(), etag);
    assert_eq!(reader.words(), "");
}

#[test]
fn whoever_is_on_call_is_asked_once_and_in_the_order_of_places() {
    let rota = Rota::with_people(5);
    let nine = "2026-01-05T09:00Z";
    let arranged = rota.daily("U1 U2 U3", 2);
    arranged.assign(0, "U3", MONDAY, nine);
    let doubly = rota.rotation("U1");
    doubly.cover_doubly(2, &[always(daily())]);
    let shut = rota.rotation("U1 U2");
    let coming = weekly("UTC", "2026-01-12T09:00");
    shut.cover(1, &[hours("UTC", &weekdays("09:00", "17:00"), coming)]);
    let put = rota.rotation("U1 U2 U3");
    put.put_on_call("U2").is(200);
    let away = rota.rotation("U1 U2");
    away.away("U1", MONDAY, nine);
    away.cover(1, &[always(daily())]);
    for (rotation, expected) in [
        (rota.daily("U2 U1 U3", 2), "open U2+U1"),
        (arranged, "open U3+U2"),
        (doubly, "open U1"),
        (put, "open U2"),
        (away, "open U2"),
        (shut, "nobody"),
        (rota.rotation("U1 U2"), "nobody"),
    ] {
        assert_eq!(
            rotation.mention("U5").state_line(),
            expected,
            "{}",
            rotation.holders()
        );
    }
    let lanes = rota.daily("U1 U2", 2);
    rota.plan("free");
    assert_eq!(
        lanes.mention("U5").state_line(),
        "open U1",
        "a stopped lane"
    );
}

/// rules.md 15.1.
#[test]
fn where_nobody_is_on_call_it_is_answered_at_once() {
    let rota = Rota::with_people(2);
    let rotation = rota.rotation("U1 U2");
    let opened = rotation.try_mention("U2").is(200).json();
    assert_eq!(opened["state"], "nobody");
    assert_eq!(opened["notifiedUserIds"], json!([]));
    let mention = Mention {
        rota: &rota,
        id: text(&opened["mentionId"]).to_owned(),
    };
    assert_eq!(instant(&mention.record()["closedAt"]), MONDAY);
    let posted = ["Rotation: nobody is on call to answer Person U2."];
    assert_eq!(rota.messages_to("C1"), posted);
    // It is closed: people who come on call later are not notified, and nothing becomes due.
    rotation.put_on_call("U1").is(200);
    rota.to("2026-01-05T12:00Z");
    assert_eq!(mention.state_line(), "nobody");
    assert_eq!(rota.messages_to("C1"), posted);
}

#[test]
fn the_message_is_told_as_it_was_sent() {
    let rota = Rota::with_people(2);
    let rotation = rota.daily("U1 U2", 1);
    let long = "x".repeat(2000);
    // Characters count, not bytes.
    let wide = "%C3%B8".repeat(1001);
    let letters = "ø".repeat(1001);
    let mut posted = 0;
    for (query, message) in [
        ("", None),
        ("&message=", None),
        ("&message=%20+%09", None),
        ("&message=disk+is%20full%2B%26", Some("disk is full+&")),
        ("&message=%E2%9C%93", Some("✓")),
        (&format!("&message={long}"), Some(long.as_str())),
        (&format!("&message={wide}"), Some(letters.as_str())),
    ] {
        let action = format!("mention?userId=U2&channelId=C1{query}");
        let opened = rotation.inbound().post(&action).is(200).json();
        let id = text(&opened["mentionId"]).to_owned();
        let record = Mention { rota: &rota, id }.record();
        assert_eq!(record["message"], json!(message), "{query}");
        let end = message.map_or(".".to_owned(), |message| format!(": {message}"));
        let asked = format!("@Person U1 Person U2 asks for whoever is on call in Rotation{end}");
        let all = rota.messages_to("C1");
        posted += 1;
        assert_eq!((all.len(), all.last()), (posted, Some(&asked)), "{query}");
    }
    let action = format!("mention?userId=U2&channelId=C1&message={long}x");
    rotation.inbound().post(&action).names("message");
    assert_eq!(rota.messages_to("C1").len(), posted);
}

#[test]
fn what_it_names_must_be_there() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2", 1);
    let inbound = rotation.inbound();
    let mut without = directory(3);
    without["users"][2]["isDeleted"] = json!(true);
    rota.import(&without);
    for (query, member) in [
        ("", "userId"),
        ("?channelId=C1", "userId"),
        ("?userId=&channelId=C1", "userId"),
        ("?userId=U9&channelId=C1", "userId"),
        ("?userId=u1&channelId=C1", "userId"),
        ("?userId=U3&channelId=C1", "userId"),
        ("?userId=U1&userId=U1&channelId=C1", "userId"),
        ("?userId=U1", "channelId"),
        ("?userId=U1&channelId=", "channelId"),
        ("?userId=U1&channelId=C9", "channelId"),
        ("?userId=U1&channelId=channel-c1", "channelId"),
        // Public, but the app is not a member; private without the app.
        ("?userId=U1&channelId=C3", "channelId"),
        ("?userId=U1&channelId=C4", "channelId"),
        ("?userId=U1&channelId=C1&channelId=C2", "channelId"),
        ("?userId=U1&channelId=C1&message=a&message=b", "message"),
        ("?userId=U1&channelId=C1&message=%ff", "query"),
    ] {
        inbound.post(&format!("mention{query}")).names(member);
    }
    for channel in ["C1", "C2", "C3", "C4"] {
        assert!(rota.messages_to(channel).is_empty(), "{channel}");
    }
    // A private channel with the app works; the requester need not belong to the rotation, and may be on call.
    inbound.post("mention?userId=U2&channelId=C2").is(200);
    inbound.post("mention?userId=U1&channelId=C2").is(200);
    assert_eq!(rota.messages_to("C2").len(), 2);
}

#[test]
fn a_disabled_rotation_opens_none() {
    let rota = Rota::with_people(2);
    let rotation = rota.daily("U1 U2", 1);
    rotation.patch(json!({ "enabled": false })).is(200);
    rotation.try_mention("U2").refused(409, "rotation_disabled");
    // Errors in the request are reported first.
    rotation.try_mention("U9").names("userId");
    assert!(rota.messages_to("C1").is_empty());
    rotation.patch(json!({ "enabled": true })).is(200);
    assert_eq!(rotation.mention("U2").state_line(), "open U1");
}

#[test]
fn mentions_of_a_day_are_limited() {
    let rota = Rota::with_people(2);
    let (rotation, other) = (rota.daily("U1 U2", 1), rota.daily("U2 U1", 1));
    let first = rotation.mention("U2");
    let inbound = rotation.inbound();
    for _ in 1..1000 {
        let query = "mention?userId=U2&channelId=C1&message=Help";
        inbound.post(query).is(200);
    }
    rotation.try_mention("U2").refused(409, "tooManyMentions");
    other.try_mention("U2").is(200);
    // Answered ones were messages as well.
    first.step("U1", "acknowledge").is(200);
    rotation.try_mention("U2").refused(409, "tooManyMentions");
    // All others expire at one instant.
    rota.to("2026-01-05T09:00Z");
    let expired = |text: &String| text.contains("has answered");
    let posted = rota.messages_to("C1");
    assert_eq!(posted.iter().filter(|text| expired(text)).count(), 1000);
    rota.to("2026-01-06T07:59:59Z");
    rotation.try_mention("U2").refused(409, "tooManyMentions");
    rota.to("2026-01-06T08:00Z");
    rotation.try_mention("U2").is(200);
}

#[test]
fn messages_name_people_as_the_directory_does() {
    let rota = Rota::with_people(0);
    let mut people = directory(3);
    people["users"][0]["displayName"] = Value::Null;
    people["users"][2]["displayName"] = json!("Grace");
    rota.import(&people);
    let rotation = rota.daily("U1 U2", 1);
    rotation.patch(json!({ "name": "Pager" })).is(200);
    let mention = rotation.mention("U3");
    mention.step("U1", "acknowledge").is(200);
    assert_eq!(
        rota.messages_to("C1"),
        [
            "@Real U1 Grace asks for whoever is on call in Pager: Help",
            "Pager: Real U1 answers Grace.",
        ]
    );
}
