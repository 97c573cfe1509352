//! Events of writes: which, in what order, and with what content.

use crate::support::*;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// An event in one word or two: `updated`, `duty scheduled`, `nobody as-arranged 2026-01-06T09:00Z`.
pub fn word(body: &Value) -> String {
    let kind = match text(&body["eventType"]) {
        "duty.changed" => "duty",
        "nobody.on_call" => "nobody",
        other => other.strip_prefix("rotation.").unwrap_or(other),
    };
    let reason = body.get("reason").map(text).unwrap_or_default();
    let more = [
        body.get("cause").map(text).unwrap_or_default(),
        reason.strip_prefix("nobody-on-call-").unwrap_or(reason),
        &body.get("coverResumesAt").map(instant).unwrap_or_default(),
    ];
    words(&format!("{kind} {}", more.join(" "))).join(" ")
}

/// Reads all deliveries and checks the properties that every event has.
pub struct Reader<'a> {
    pub rota: &'a Rota,
    receiver: Receiver<'a>,
    seen: BTreeSet<String>,
    versions: BTreeMap<String, u64>,
}

impl<'a> Reader<'a> {
    #[track_caller]
    pub fn new(rota: &'a Rota) -> Reader<'a> {
        let (_, receiver) = rota.hook(ALL_EVENTS);
        let (seen, versions) = Default::default();
        Reader {
            rota,
            receiver,
            seen,
            versions,
        }
    }

    /// The new events, each once and checked.
    #[track_caller]
    pub fn news(&mut self) -> Vec<Value> {
        self.rota.advance(0);
        let bodies = self.receiver.bodies();
        self.receiver.forget();
        for body in &bodies {
            self.check(body);
        }
        bodies
    }

    /// The new events in words, in order. Events of one write have the same version, and the state that GET returns.
    #[track_caller]
    pub fn words(&mut self) -> String {
        let news = self.news();
        if let Some(last) = news.last().filter(|body| body.get("rotation").is_some()) {
            let path = format!("/v1/rotations/{}", text(&last["rotationId"]));
            let now = self.rota.get(&path).is(200).json();
            for body in &news {
                assert_eq!(body["version"], last["version"], "one write, one version");
                assert_eq!(body["rotation"], now, "as GET answers");
                assert_eq!(instant(&body["timestamp"]), self.rota.now());
            }
        }
        news.iter().map(word).collect::<Vec<_>>().join(", ")
    }

    #[track_caller]
    fn check(&mut self, body: &Value) {
        let members = body.as_object().expect("an object");
        let id = text(&body["deliveryId"]);
        let lower_hex = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
        assert!(id.len() == 32 && id.chars().all(lower_hex), "{id}");
        assert!(self.seen.insert(id.to_owned()), "{id} came twice");
        let kind = text(&body["eventType"]);
        let mut expected = vec![
            "deliveryId",
            "eventType",
            "teamId",
            "rotationId",
            "timestamp",
        ];
        if kind != "rotation.deleted" {
            expected.extend(["version", "rotation", "self"]);
        }
        if kind == "duty.changed" {
            expected.push("cause");
        }
        if body.get("changeId").is_some() {
            expected.push("changeId");
        }
        if kind == "nobody.on_call" {
            expected.push("reason");
        }
        if body.get("coverResumesAt").is_some() {
            assert_eq!(text(&body["reason"]), "nobody-on-call-as-arranged");
            expected.push("coverResumesAt");
        }
        let found: BTreeSet<&str> = members.keys().map(String::as_str).collect();
        assert_eq!(found, expected.into_iter().collect(), "{kind}");
        assert!(
            members.values().all(|value| !value.is_null()),
            "absent, never null: {body}"
        );
        assert_eq!(body["teamId"], TEAM);
        let Some(rotation) = body.get("rotation") else {
            return;
        };
        assert_eq!(rotation["id"], body["rotationId"]);
        let url = format!(
            "{}/v1/rotations/{}",
            self.rota.url,
            text(&body["rotationId"])
        );
        assert_eq!(body["self"], url.as_str());
        let version = body["version"].as_u64().expect("a version");
        let last = self
            .versions
            .insert(text(&body["rotationId"]).to_owned(), version);
        assert!(
            last.is_none_or(|last| last <= version),
            "{last:?} then {version}"
        );
    }
}

/// The state of a row's rotation before the act; the people are U1 to U4, group G1 has U3 and U4.
#[derive(Clone, Copy, Debug)]
enum Given {
    /// Manual, U1 to U3, nobody on duty.
    Idle,
    /// The same with U1 on duty.
    Held,
    /// U1 on duty, and nobody to take over.
    Alone,
    /// Daily, U1 to U3, U1 on duty.
    Daily,
    /// The same with U1 and U2 on two lanes.
    Pair,
    /// Daily, only U1, who is away: nobody on duty.
    Away,
    /// U3 and U4 through their group, U3 on duty.
    Group,
    /// Daily, on a roster named `day`.
    Roster,
    /// Daily, disabled with U1 on duty.
    Off,
    /// Only U1 on every working day from nine to five; it is before nine.
    Shut,
    /// The same, and U1 is away.
    ShutAway,
}

/// From nine to five, handed over on Mondays.
fn office() -> Value {
    hours(
        "UTC",
        &weekdays("09:00", "17:00"),
        weekly("UTC", "2026-01-12T09:00"),
    )
}

fn given(rota: &Rota, given: Given) -> Rot<'_> {
    match given {
        Given::Idle => rota.rotation("U1 U2 U3"),
        Given::Held => {
            let rotation = rota.rotation("U1 U2 U3");
            rotation.put_on_call("U1").is(200);
            rotation
        }
        Given::Alone => {
            let rotation = rota.rotation("U1");
            rotation.put_on_call("U1").is(200);
            rotation
        }
        Given::Daily => rota.daily("U1 U2 U3", 1),
        Given::Pair => rota.daily("U1 U2 U3", 2),
        Given::Away => {
            let rotation = rota.rotation("U1");
            rotation.away("U1", MONDAY, "2026-02-01T00:00Z");
            rotation.cover(1, &[always(daily())]);
            rotation
        }
        Given::Group => {
            let body =
                json!({ "name": "G", "owners": ["U1"], "userIds": [], "userGroupIds": ["G1"] });
            let rotation = rota.create(body);
            rotation.cover(1, &[always(daily())]);
            rotation
        }
        Given::Roster => {
            let rotation = rota.rotation("U1 U2 U3");
            let mut grid = rotation.grid(1, &[always(daily())]);
            grid["cells"][0]["rosterId"] = json!("day");
            rotation.put("/coverage", grid).is(200);
            rotation
        }
        Given::Off => {
            let rotation = rota.daily("U1 U2 U3", 1);
            rotation.patch(json!({ "enabled": false })).is(200);
            rotation
        }
        Given::Shut | Given::ShutAway => {
            let rotation = rota.rotation("U1");
            if let Given::ShutAway = given {
                rotation.away("U1", MONDAY, "2026-02-01T00:00Z");
            }
            rotation.cover(1, &[office()]);
            rotation
        }
    }
}

type Act<'a> = Box<dyn Fn(&Rot) + 'a>;

/// A body, or a function that creates it for the rotation.
fn patch<'a>(body: Value) -> Act<'a> {
    Box::new(move |rotation| drop(rotation.patch(body.clone()).is(200)))
}

fn put<'a>(rest: &'static str, body: Value) -> Act<'a> {
    Box::new(move |rotation| drop(rotation.put(rest, body.clone()).is(200)))
}

fn cover<'a>(lanes: usize, window: fn() -> Value) -> Act<'a> {
    Box::new(move |rotation| drop(rotation.cover(lanes, &[window()])))
}

fn act<'a>(act: impl Fn(&Rot) + 'a) -> Act<'a> {
    Box::new(act)
}

fn rotate<'a>() -> Act<'a> {
    act(|rotation| rotation.rotate())
}

fn clear<'a>() -> Act<'a> {
    act(|rotation| drop(rotation.clear().is(200)))
}

fn day() -> Value {
    always(daily())
}

fn moved() -> Value {
    always(weekly("UTC", "2026-01-12T09:00"))
}

fn open_now() -> Value {
    hours(
        "UTC",
        &weekdays("07:00", "17:00"),
        weekly("UTC", "2026-01-12T09:00"),
    )
}

/// Each act runs on a new rotation, which is deleted before the next row.
#[track_caller]
fn tell(rows: Vec<(Given, Act, &str)>) {
    let rota = Rota::at(MONDAY);
    let usual = || rota.people_and_groups(4, &[("G1", "U3 U4")]);
    usual();
    let mut reader = Reader::new(&rota);
    for (row, (start, act, expected)) in rows.into_iter().enumerate() {
        let rotation = given(&rota, start);
        reader.news();
        act(&rotation);
        assert_eq!(reader.words(), expected, "row {row}: {start:?}");
        rota.caller().delete_if(&rotation.path(""), "*").is(204);
        usual();
        assert_eq!(reader.words(), "deleted", "row {row}: {start:?}");
    }
}

/// rules.md 16.1.
#[test]
fn edits_are_news_of_the_rotation_and_of_duty() {
    use Given::*;
    tell(vec![
        (Idle, patch(json!({ "name": "New" })), "updated"),
        (Idle, patch(json!({ "description": "New" })), "updated"),
        (Idle, patch(json!({ "code": "NEW" })), "updated"),
        (Idle, patch(json!({ "public": true })), "updated"),
        (Idle, patch(json!({ "owners": ["U1", "U2"] })), "updated"),
        (Idle, patch(json!({ "doubleCover": true })), "updated"),
        (Idle, patch(json!({ "skipsAreOffTime": true })), "updated"),
        (Idle, patch(json!({ "enableTopic": true })), "updated"),
        (Idle, patch(json!({ "topicTemplate": "%USER%" })), "updated"),
        (Idle, patch(json!({ "enabled": false })), "updated"),
        (Daily, patch(json!({ "enabled": false })), "updated"),
        (Off, patch(json!({ "enabled": true })), "updated"),
        // Members: waiting ones, one on duty, and one who fills an empty slot.
        (Held, patch(json!({ "userIds": ["U1", "U4"] })), "updated"),
        (Held, patch(json!({ "userGroupIds": ["G1"] })), "updated"),
        (
            Daily,
            patch(json!({ "userIds": ["U3", "U2", "U1"] })),
            "updated",
        ),
        (
            Daily,
            patch(json!({ "userIds": ["U2", "U3"] })),
            "updated, duty manual",
        ),
        (
            Held,
            patch(json!({ "userIds": ["U2", "U3"] })),
            "updated, duty manual, nobody unplanned",
        ),
        (
            Daily,
            patch(json!({ "userIds": [] })),
            "updated, duty manual, nobody unplanned",
        ),
        (
            Away,
            patch(json!({ "userIds": ["U1", "U2"] })),
            "updated, duty scheduled",
        ),
        (
            Alone,
            patch(json!({ "name": "New", "enabled": false, "userIds": ["U2"] })),
            "updated, duty manual, nobody unplanned",
        ),
        // Channels.
        (Idle, put("/channels/C1", json!({})), "updated"),
        (
            Idle,
            put("/channels/C2", json!({ "syncsTopic": true })),
            "updated",
        ),
        // Coverage: cover that resumes is `scheduled`, other changes are `manual`.
        (Idle, cover(1, day), "updated, duty scheduled"),
        (Held, cover(1, day), "updated"),
        (Daily, cover(1, moved), "updated"),
        (Daily, cover(2, day), "updated, duty scheduled"),
        (Pair, cover(1, day), "updated, duty manual"),
        (Idle, cover(1, office), "updated"),
        (
            Daily,
            cover(1, office),
            "updated, duty manual, nobody as-arranged 2026-01-05T09:00Z",
        ),
        (Shut, cover(1, open_now), "updated, duty scheduled"),
        (Away, cover(1, office), "updated"),
        (ShutAway, cover(1, open_now), "updated, nobody unplanned"),
        // Rosters.
        (
            Roster,
            put("/rosters/day", json!({ "userIds": ["U2", "U3"] })),
            "updated",
        ),
        (
            Roster,
            put("/rosters/day", json!({ "userIds": ["U3", "U1"] })),
            "updated",
        ),
    ]);
}

#[test]
fn putting_on_duty_is_news_of_duty_alone() {
    use Given::*;
    let call =
        |people: &'static str| act(move |rotation| drop(rotation.put_on_call(people).is(200)));
    tell(vec![
        (Idle, call("U1"), "duty manual"),
        (Held, call("U2"), "duty manual"),
        (Held, call("U1"), ""),
        (Pair, call("U2 U1"), "duty manual"),
        (Pair, call("U1 U3"), "duty manual"),
        // An empty slot publishes an event even if another is held.
        (Pair, call("U3"), "duty manual, nobody unplanned"),
        (Shut, call("U1"), ""),
        (Idle, rotate(), "duty manual"),
        (Held, rotate(), "duty manual"),
        (Alone, rotate(), ""),
        (Pair, rotate(), "duty manual"),
        (Away, rotate(), ""),
        (Held, clear(), "duty manual, nobody unplanned"),
        (Idle, clear(), ""),
        (Pair, clear(), "duty manual, nobody unplanned"),
        (Shut, clear(), ""),
    ]);
}

#[test]
fn absences_are_no_news_but_what_they_lead_to_is() {
    use Given::*;
    let always = "2026-03-01T00:00Z";
    let away = |user: &'static str| act(move |rotation| drop(rotation.away(user, MONDAY, always)));
    let back = act(|rotation| {
        let listed = rotation.get("/availability").is(200).json();
        rotation.back(text(&listed["data"][0]["id"]));
    });
    let there_and_back = act(|rotation| rotation.back(&rotation.away("U2", MONDAY, always)));
    let everywhere = act(|rotation| {
        let body = json!({
            "userId": "U1", "from": rfc(MONDAY), "until": rfc(always), "appliesTo": "allRotations",
        });
        let path = rotation.path("/availability");
        rotation.by.post(&path, body.clone()).is(201);
        let answer = rotation.by.post(&path, body).is(200);
        rotation.back(text(&answer.json()["id"]));
    });
    tell(vec![
        (Daily, away("U1"), ""),
        (Daily, away("U2"), ""),
        (Daily, there_and_back, ""),
        (Pair, everywhere, ""),
        (Away, back, "duty scheduled"),
    ]);
}

#[test]
fn the_directory_is_followed() {
    use Given::*;
    let import = |people: usize, users: &'static str| {
        act(move |rotation| {
            let rota = rotation.by.rota;
            rota.people_and_groups(people, &[("G1", users)]);
        })
    };
    tell(vec![
        (Group, import(4, "U3 U4"), ""),
        (Group, import(4, "U3 U4 U1"), "updated"),
        (Group, import(4, "U3"), "updated"),
        (Group, import(4, "U4"), "updated, duty manual"),
        (
            Group,
            import(4, ""),
            "updated, duty manual, nobody unplanned",
        ),
        // A deactivated person counts as removed.
        (Group, import(3, "U3"), "updated"),
        (Group, import(2, "U2"), "updated, duty manual"),
        (Daily, import(2, "U2"), "updated"),
        (Daily, import(4, "U1"), ""),
    ]);
}

#[test]
fn what_is_refused_or_changes_nothing_is_no_news() {
    use Given::*;
    let same_grid = act(|rotation| drop(rotation.cover(1, &[day()])));
    let twice = act(|rotation| {
        let etag = rotation.etag();
        let body = json!({ "name": "New" });
        rotation
            .by
            .patch_if(&rotation.path(""), &etag, body.clone())
            .is(200);
        rotation
            .by
            .patch_if(&rotation.path(""), &etag, body)
            .is(412);
    });
    let refused = act(|rotation| {
        rotation.patch(json!({ "name": "" })).is(400);
        rotation
            .patch(json!({ "name": "New", "owners": ["U9"] }))
            .is(400);
        rotation.put_on_call("U4").is(400);
        rotation.put_on_call("U1 U2").is(400);
        rotation.put("/channels/C9", json!({})).is(404);
        rotation.put("/coverage", json!({ "lanes": [] })).is(400);
        let path = rotation.path("");
        rotation
            .by
            .patch_if(&path, "\"stale\"", json!({ "name": "New" }))
            .is(412);
        rotation.by.delete_if(&path, "\"stale\"").is(412);
        rotation.by.delete(&path).is(428);
        rotation.by.rota.try_create(json!({ "name": "N" })).is(400);
    });
    let off = act(|rotation| {
        rotation.put_on_call("U2").is(409);
        rotation.clear().is(409);
    });
    tell(vec![
        (Idle, patch(json!({})), ""),
        (
            Idle,
            patch(json!({ "name": "Rotation", "userIds": ["U1", "U2", "U3"] })),
            "",
        ),
        (Daily, same_grid, ""),
        (Daily, patch(json!({ "enabled": true })), ""),
        (Idle, twice, "updated"),
        (Daily, refused, ""),
        (Off, off, ""),
    ]);
    let channel = |body: Value| {
        act(move |rotation| {
            rotation.put("/channels/C1", json!({})).is(200);
            rotation.put("/channels/C1", body.clone()).is(200);
        })
    };
    let roster = act(|rotation| {
        let narrowed = json!({ "userIds": ["U2", "U3"] });
        for _ in 0..2 {
            rotation.put("/rosters/day", narrowed.clone()).is(200);
        }
    });
    // The second of each of these.
    tell(vec![
        (Idle, channel(json!({})), "updated"),
        (Idle, channel(json!({ "postsMessages": true })), "updated"),
        (Roster, roster, "updated"),
    ]);
}

#[test]
fn a_replayed_creation_is_no_news() {
    let rota = Rota::with_people(1);
    let mut reader = Reader::new(&rota);
    for (status, news) in [(201, "created"), (200, ""), (200, "")] {
        rota.caller()
            .try_create("one", new_rotation("U1"))
            .is(status);
        assert_eq!(reader.words(), news);
    }
    rota.caller()
        .try_create("one", new_rotation("U1 U2"))
        .is(409);
    assert_eq!(reader.words(), "");
}

#[test]
fn a_creation_is_the_first_version() {
    let rota = Rota::with_people(2);
    let mut reader = Reader::new(&rota);
    let mut body = new_rotation("U1 U2");
    body["lanes"] = json!(2);
    let rotation = rota.create(body);
    let news = reader.news();
    let published = (news.len(), word(&news[0]), &news[0]["version"]);
    assert_eq!(published, (1, "created".to_owned(), &json!(1)));
    assert_eq!(news[0]["rotation"], rotation.read());
    // Two kinds of events of one write share a version; a write without an event uses none.
    rotation.cover(2, &[day()]);
    rotation.patch(json!({ "name": "Rotation" })).is(200);
    rotation.away("U1", "2026-02-01T00:00Z", "2026-02-02T00:00Z");
    rotation.rotate();
    rotation.patch(json!({ "name": "New" })).is(200);
    let news = reader.news();
    let published: Vec<String> = (news.iter())
        .map(|body| format!("{} {}", body["version"], word(body)))
        .collect();
    assert_eq!(published, ["2 updated", "2 duty scheduled", "4 updated"]);
    let names = news.iter().map(|body| text(&body["rotation"]["name"]));
    assert_eq!(names.collect::<Vec<_>>(), ["Rotation", "Rotation", "New"]);
}

#[test]
fn of_a_deletion_only_the_id_is_told() {
    let rota = Rota::with_people(2);
    let mut reader = Reader::new(&rota);
    let rotation = rota.daily("U1 U2", 2);
    reader.news();
    rota.advance(30);
    rota.caller().delete_if(&rotation.path(""), "*").is(204);
    let news = reader.news();
    assert_eq!(news.len(), 1, "alone, though two came off duty");
    let expected = json!({
        "deliveryId": news[0]["deliveryId"], "eventType": "rotation.deleted", "teamId": TEAM,
        "rotationId": rotation.id, "timestamp": rfc(&rota.now()),
    });
    assert_eq!(news[0], expected);
}

#[test]
fn endpoints_get_what_they_subscribe_to() {
    let rota = Rota::with_people(3);
    let kinds = [
        "duty.changed",
        "nobody.on_call",
        "rotation.created",
        "rotation.updated rotation.deleted",
        ALL_EVENTS,
        ALL_EVENTS,
        "",
    ];
    let hooks = kinds.map(|kinds| rota.hook(kinds));
    let rotation = rota.daily("U1 U2 U3", 1);
    rotation.rotate();
    rotation.clear().is(200);
    rota.caller().delete_if(&rotation.path(""), "*").is(204);
    rota.advance(0);
    let everything = "rotation.created rotation.updated duty.changed duty.changed duty.changed \
                      nobody.on_call rotation.deleted";
    let mut ids = BTreeSet::new();
    let mut count = 0;
    let without_id = |mut body: Value| {
        body.as_object_mut().unwrap().remove("deliveryId");
        body
    };
    for (kinds, (hook, receiver)) in kinds.iter().zip(&hooks) {
        let wanted = words(kinds);
        let expected: Vec<String> = words(everything)
            .into_iter()
            .filter(|kind| wanted.contains(kind))
            .collect();
        assert_eq!(
            receiver.events(expected.len()),
            expected.join(" "),
            "{kinds:?}"
        );
        let bodies = receiver.bodies();
        let listed = hook.deliveries();
        let newest_first = listed.iter().rev().map(|delivery| &delivery["deliveryId"]);
        assert!(newest_first.eq(bodies.iter().map(|body| &body["deliveryId"])));
        count += bodies.len();
        ids.extend(
            bodies
                .iter()
                .map(|body| text(&body["deliveryId"]).to_owned()),
        );
    }
    assert_eq!(ids.len(), count, "each delivery has an id of its own");
    let published = |index: usize| -> Vec<Value> {
        let (_, receiver) = &hooks[index];
        receiver.bodies().into_iter().map(without_id).collect()
    };
    assert_eq!(published(4), published(5), "and nothing else of its own");
}

#[test]
fn nothing_is_queued_for_the_disabled_and_the_newly_subscribed() {
    let rota = Rota::with_people(2);
    let (off, off_receiver) = rota.hook(ALL_EVENTS);
    let (late, late_receiver) = rota.hook("rotation.created");
    off.act("disable").is(200);
    let rotation = rota.daily("U1 U2", 1);
    rota.advance(0);
    assert_eq!(off.deliveries(), [Value::Null; 0]);
    off.act("enable").is(200);
    let spec = json!({ "name": "n", "url": late_receiver.url(), "eventTypes": ["duty.changed"] });
    rota.put_if(&late.path(), "*", spec).is(200);
    rota.advance(HOUR);
    assert_eq!(off_receiver.requests(), [Value::Null; 0]);
    assert_eq!(late_receiver.events(1), "rotation.created");
    rotation.rotate();
    rota.advance(0);
    assert_eq!(off_receiver.events(1), "duty.changed");
    assert_eq!(late_receiver.events(2), "rotation.created duty.changed");
    // The switch to Free stops lanes and endpoints in one change; switching back does not enable the endpoints.
    rotation.cover(2, &[day()]);
    rota.advance(0);
    let before = off_receiver.requests().len();
    rota.plan("free");
    assert_eq!(rotation.on_call(), "U2");
    rota.plan("pro");
    assert_eq!(rotation.on_call(), "U2 U1");
    assert_eq!(off_receiver.requests().len(), before);
    assert_eq!(off.deliveries().len(), before);
}
