//! The mention settings of a rotation.

use crate::events::Reader;
use crate::support::*;
use serde_json::{Value, json};

#[test]
fn they_begin_as_usual_and_are_written_as_a_whole_or_in_part() {
    let rota = Rota::with_people(2);
    let rotation = rota.rotation("U1 U2");
    let read = || rotation.get("/mention-settings").is(200).json();
    let mut expected = json!({
        "expiresAfterMinutes": 60, "remindAfterMinutes": null, "oneAtATime": false,
        "rotateAfterAcknowledgement": false,
    });
    assert_eq!(read(), expected);
    for change in [
        json!({
            "expiresAfterMinutes": 30, "remindAfterMinutes": 5, "oneAtATime": true,
            "rotateAfterAcknowledgement": true,
        }),
        json!({ "expiresAfterMinutes": 1 }),
        json!({ "expiresAfterMinutes": 10_080, "remindAfterMinutes": 10_080 }),
        json!({ "oneAtATime": false }),
        json!({ "remindAfterMinutes": 1 }),
        json!({ "rotateAfterAcknowledgement": false }),
        json!({ "remindAfterMinutes": null }),
    ] {
        let answer = rotation.put("/mention-settings", change.clone()).is(200);
        for (name, value) in change.as_object().unwrap() {
            expected[name] = value.clone();
        }
        assert_eq!(answer.json(), expected, "{change}");
        assert_eq!(read(), expected, "{change}");
        assert_eq!(answer.etag(), rotation.etag());
    }
    // Numbers may be strings of digits.
    let digits = json!({ "expiresAfterMinutes": "45", "remindAfterMinutes": "15" });
    let posted = rotation.put("/mention-settings", digits).is(200).json();
    assert_eq!(int(&posted["expiresAfterMinutes"]), 45);
    assert_eq!(int(&posted["remindAfterMinutes"]), 15);
}

#[test]
fn what_cannot_be_is_named() {
    let rota = Rota::with_people(2);
    let rotation = rota.rotation("U1 U2");
    let etag = rotation.etag();
    let numbers = ["expiresAfterMinutes", "remindAfterMinutes"];
    let wrong = [
        json!(0),
        json!(-1),
        json!(10_081),
        json!(4_294_967_297_i64),
        json!(1.5),
        json!("0"),
        json!("010"),
        json!("1.0"),
        json!(" 5"),
        json!(""),
        json!(true),
        json!([5]),
        json!({}),
    ];
    for (name, value) in numbers
        .iter()
        .flat_map(|name| wrong.iter().map(move |v| (*name, v)))
    {
        rotation
            .put("/mention-settings", json!({ name: value }))
            .names(name);
    }
    for name in ["oneAtATime", "rotateAfterAcknowledgement"] {
        for value in [json!(null), json!("true"), json!(1)] {
            rotation
                .put("/mention-settings", json!({ name: value }))
                .names(name);
        }
    }
    let null = json!({ "expiresAfterMinutes": null });
    rotation
        .put("/mention-settings", null)
        .names("expiresAfterMinutes");
    // One invalid member leaves the others unchanged.
    let half = json!({ "oneAtATime": true, "remindAfterMinutes": 0 });
    rotation
        .put("/mention-settings", half)
        .names("remindAfterMinutes");
    assert_eq!(rotation.etag(), etag);
    assert_eq!(
        rotation.get("/mention-settings").is(200).json()["oneAtATime"],
        false
    );
}

#[test]
fn writes_need_the_current_validator() {
    let rota = Rota::with_people(2);
    let rotation = rota.rotation("U1 U2");
    let path = rotation.path("/mention-settings");
    let body = |minutes: i32| json!({ "expiresAfterMinutes": minutes });
    let bare = rota.request("PUT", &path).json(&body(5));
    bare.send().refused(428, "precondition_required");
    let old = rotation.etag();
    let etag = rota.put_if(&path, &old, body(5)).is(200).etag();
    assert_ne!(etag, old);
    rota.put_if(&path, &old, body(6))
        .refused(412, "precondition_failed");
    let weak = format!("W/{etag}");
    rota.put_if(&path, &weak, body(6))
        .refused(412, "precondition_failed");
    rota.put_if(&path, &format!("{old}, {etag}"), body(7))
        .is(200);
    assert_eq!(rotation.get("/mention-settings").json(), {
        let mut usual = json!({ "remindAfterMinutes": null, "oneAtATime": false });
        usual["rotateAfterAcknowledgement"] = json!(false);
        usual["expiresAfterMinutes"] = json!(7);
        usual
    });
    // Reading with a validator.
    let etag = rotation.etag();
    let read = |etag: &str| {
        rota.request("GET", &path)
            .header("If-None-Match", etag)
            .send()
    };
    let same = read(&etag).is(304);
    assert_eq!((same.etag(), same.text()), (etag, String::new()));
    read(&old).is(200);
    let answer = rota.request("DELETE", &path).send();
    assert_eq!(answer.header("allow"), Some("GET, PUT, HEAD"));
    answer.refused(405, "");
}

#[test]
fn a_write_is_an_update_of_the_rotation() {
    let rota = Rota::with_people(2);
    let rotation = rota.daily("U1 U2", 1);
    let mut reader = Reader::new(&rota);
    rotation.set_mention_settings(json!({ "oneAtATime": true }));
    let news = reader.news();
    let kinds: Vec<&Value> = news.iter().map(|body| &body["eventType"]).collect();
    assert_eq!(kinds, ["rotation.updated"]);
    assert_eq!(news[0]["version"], 3);
    // The same again is no change.
    let etag = rotation.etag();
    for same in [
        json!({}),
        json!({ "oneAtATime": true, "expiresAfterMinutes": "60" }),
    ] {
        let answer = rotation.put("/mention-settings", same).is(200);
        assert_eq!(answer.etag(), etag);
    }
    assert_eq!(reader.words(), "");
    // Nor is there a chat message.
    assert!(rota.messages_to("C1").is_empty());
    assert_eq!(
        rota.messages_to("U1").len(),
        1,
        "on duty since the grid was written"
    );
    assert_eq!(rotation.on_call(), "U1");
}

#[test]
fn who_may_read_and_write_them() {
    let rota = Rota::with_people(0);
    let mut people = directory(5);
    people["users"][4]["isAdmin"] = json!(true);
    rota.import(&people);
    let make = |public: bool| {
        rota.create(json!({
            "name": "R", "owners": ["U1"], "userIds": ["U2"], "public": public,
        }))
    };
    for (rotation, readers) in [(make(true), "U1 U2 U3 U5"), (make(false), "U1 U2 U5")] {
        for user in ["U1", "U2", "U3", "U5"] {
            let theirs = rotation.seen_by(user);
            let reads = readers.contains(user);
            let read = theirs.get("/mention-settings");
            let write = theirs.put("/mention-settings", json!({ "oneAtATime": true }));
            match (reads, "U1 U5".contains(user)) {
                (true, true) => drop((read.is(200), write.is(200))),
                (true, false) => drop((read.is(200), write.refused(403, "resource_denied"))),
                (false, _) => drop((read.refused(404, ""), write.refused(404, ""))),
            }
        }
        let with = |scopes: &str| rotation.with(&rota.key(scopes));
        let body = || json!({ "oneAtATime": false });
        let others = "write:rotations read:oncall write:duty read:directory manage:webhooks";
        with(others)
            .get("/mention-settings")
            .refused(403, "scope_denied");
        let others = "read:rotations read:oncall write:duty read:directory manage:webhooks";
        let put = with(others).put("/mention-settings", body());
        put.refused(403, "scope_denied");
        with("read:rotations").get("/mention-settings").is(200);
        with("write:rotations")
            .put("/mention-settings", body())
            .is(200);
    }
    let (mine, other) = (make(true), make(true));
    let key = rota.mint(json!({
        "name": "k", "scopes": ["read:rotations", "write:rotations"], "rotationIds": [mine.id],
    }));
    mine.with(&key)
        .put("/mention-settings", json!({ "oneAtATime": true }))
        .is(200);
    let theirs = other.with(&key);
    theirs
        .get("/mention-settings")
        .refused(403, "resource_denied");
    let put = theirs.put("/mention-settings", json!({ "oneAtATime": true }));
    put.refused(403, "resource_denied");
}
