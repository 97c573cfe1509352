//! Changes of a rotation that are made as one: now, at the next hand-over, or at an instant.

mod downtime;
mod everywhere;
mod model;
mod told;

use crate::support::*;
use serde_json::{Value, json};

impl Rot<'_> {
    /// Makes a change under a new operation id.
    #[track_caller]
    pub fn try_stage(&self, mut body: Value) -> Answer {
        body["operationId"] = json!(unique("change"));
        // One that follows a partner has none.
        let read = self.get("").is(200);
        let etag = read.header("etag").unwrap_or("*");
        self.by.post_if(&self.path("/changes"), etag, body)
    }

    #[track_caller]
    pub fn stage(&self, body: Value) -> Value {
        self.try_stage(body).is(201).json()
    }

    #[track_caller]
    pub fn staged(&self, change: &Value) -> Value {
        let path = self.path(&format!("/changes/{}", text(&change["id"])));
        self.by.get(&path).is(200).json()
    }

    #[track_caller]
    pub fn cancel(&self, change: &Value) -> Answer {
        let path = self.path(&format!("/changes/{}", text(&change["id"])));
        self.by.delete_if(&path, &self.etag())
    }

    /// Checks that the plan of a range is what is recorded of it once it is over.
    #[track_caller]
    fn is_recorded_as_planned(&self, from: &str, to: &str) {
        let line = |turn: &Value| {
            let [lane, window] = ["laneId", "windowId"].map(|name| text(&turn[name]));
            format!("{} {lane} {window}", turn_line(turn))
        };
        let covered = |turn: &&Value| turn.get("end").is_some();
        let planned: Vec<String> = self
            .turns("schedule", from, to)
            .iter()
            .filter(covered)
            .map(line)
            .collect();
        self.by.rota.to(to);
        let recorded: Vec<String> = self.turns("history", from, to).iter().map(line).collect();
        for turn in planned.iter().filter(|turn| !recorded.contains(turn)) {
            // What goes on at the end of the range has no end in the record yet.
            let end = turn.split(' ').nth(1).unwrap_or_default();
            assert!(
                at(end) > at(to),
                "{turn} of\n{planned:#?}\nin\n{recorded:#?}"
            );
        }
    }
}

/// rules.md 30.1.
#[test]
fn now_makes_all_of_it_as_one_version() {
    let rota = Rota::with_people(4);
    let rotation = rota.daily("U1 U2 U3", 1);
    let before = rotation.etag();
    let mut grid = rotation.grid(2, &[always(daily())]);
    grid["lanes"][0]["name"] = json!("First");
    let body = json!({
        "operationId": "all-of-it", "at": "now", "note": "All of it", "managedBy": "team",
        "rotation": {
            "name": "Renamed", "userIds": ["U1", "U2", "U3", "U4"], "managedBy": "team",
            "summary": { "day": "monday", "time": "08:00", "timeZone": "UTC", "channelIds": ["C1"] },
        },
        "coverage": grid, "rosters": { "": { "nextTurn": 0 } }, "remove": ["U2"],
        "channels": [{ "channelId": "C1", "postsMessages": true, "syncsTopic": false }],
        "mentionSettings": { "oneAtATime": true }, "warningSettings": { "off": ["holidayDuty"] },
    });
    let path = rotation.path("/changes");
    let answer = rota.caller().post_if(&path, &before, body.clone()).is(201);
    let made = answer.json();
    let location = answer.header("location").expect("a location").to_owned();
    assert!(
        location.ends_with(&format!("/changes/{}", text(&made["id"]))),
        "{location}"
    );
    assert_eq!(answer.etag(), rotation.etag());
    assert_eq!(made["state"], "applied");
    assert_eq!(
        (&made["note"], &made["managedBy"]),
        (&json!("All of it"), &json!("team"))
    );
    assert_eq!(made["body"].get("note"), None);
    assert_eq!(made["body"]["remove"], json!(["U2"]));
    assert_eq!(made["appliedAt"], made["at"]);
    assert_eq!(rotation.staged(&made), made);
    let read = rotation.read();
    assert_eq!(read["name"], "Renamed");
    assert_eq!(rotation.order(), "U1 U3 U4");
    assert_eq!(read["summary"]["channelIds"], json!(["C1"]));
    assert_eq!(int(&read["runningLanes"]), 2);
    // A retry gets the original response, whatever has changed since.
    let again = rota.caller().post_if(&path, &before, body).is(201);
    assert_eq!(
        (again.json(), again.header("location")),
        (made, Some(location.as_str()))
    );
    let entries = rota.audit(&format!("rotationId={}", rotation.id));
    assert_eq!(entries[0]["action"], "createChange");
    assert!(text(&entries[0]["summary"]).contains("name"), "{entries:?}");
    assert_ne!(entries[1]["action"], "createChange");
}

/// rules.md 30.2.
#[test]
fn a_removal_at_the_next_hand_over_is_planned_and_skips_nobody() {
    let rota = Rota::with_people(4);
    let rotation = rota.daily("U1 U2 U3", 1);
    assert_eq!(rotation.on_call(), "U1");
    let made = rotation.stage(json!({ "at": "nextHandOver", "remove": ["U1", "U2"],
        "rotation": { "userIds": ["U1", "U2", "U3", "U4"] } }));
    assert_eq!(
        (&made["state"], instant(&made["at"]).as_str()),
        (&json!("waiting"), "2026-01-06T09:00Z")
    );
    assert_eq!(
        (rotation.on_call().as_str(), rotation.order().as_str()),
        ("U1", "U1 U2 U3")
    );
    let schedule = rotation.turns("schedule", MONDAY, "2026-01-09T09:00:00Z");
    let people: Vec<&str> = schedule.iter().map(|turn| text(&turn["userId"])).collect();
    assert_eq!(people, ["U1", "U3", "U4", "U3"]);
    assert_eq!(schedule[0].get("changeId"), None);
    assert_eq!(schedule[1]["changeId"], made["id"]);
    let version = |rotation: &Rot| rotation.etag();
    let stored = version(&rotation);
    rotation.is_recorded_as_planned(MONDAY, "2026-01-09T09:00:00Z");
    assert_ne!(version(&rotation), stored);
    assert_eq!(rotation.order(), "U3 U4");
    let ended = rotation.staged(&made);
    assert_eq!(
        (&ended["state"], &ended["appliedAt"]),
        (&json!("applied"), &made["at"])
    );
    assert!(int(&ended["revision"]) > int(&made["revision"]));
    let entries = rota.audit(&format!(
        "rotationId={}&action=applyScheduledChange",
        rotation.id
    ));
    assert_eq!(entries[0]["subject"], made["id"]);
    assert_eq!(entries[0]["actor"], made["createdBy"]);
}

/// rules.md 30.4.
#[test]
fn another_grid_later_is_recorded_as_planned() {
    let rota = Rota::with_people(5);
    let rotation = rota.daily("U1 U2 U3 U4 U5", 1);
    let twice = always(cadence(
        "daily",
        "UTC",
        "2026-01-05T00:00",
        json!({ "times": ["06:00", "18:00"] }),
    ));
    let grid = rotation.grid(2, &[twice, always(daily())]);
    let made = rotation.stage(json!({ "at": "2026-01-07T18:00:00Z", "coverage": grid }));
    let before = rotation.turns("schedule", MONDAY, "2026-01-08T00:00:00Z");
    assert!(
        before.iter().any(|turn| turn["changeId"] == made["id"]),
        "{before:?}"
    );
    rotation.is_recorded_as_planned(MONDAY, "2026-01-12T00:00:00Z");
    assert_eq!(int(&rotation.read()["runningLanes"]), 2);
    // Ids that the plan showed are those of the record.
    let cells: Vec<Value> = rotation.read()["cells"]
        .as_array()
        .expect("cells")
        .iter()
        .map(|cell| cell["id"].clone())
        .collect();
    let starts = |turn: &&Value| text(&turn["start"]) > "2026-01-07T18:00";
    let later: Vec<&Value> = before.iter().filter(starts).collect();
    let known = |turn: &&Value| cells.contains(&turn["cellId"]);
    assert!(later.iter().all(known), "{later:?} in {cells:?}");
}

#[test]
fn waiting_changes_are_cancelled_replaced_and_limited() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let rename = |at: &str, name: &str| json!({ "at": at, "rotation": { "name": name } });
    let one = rotation.stage(rename("2026-01-10T00:00:00Z", "One"));
    let etag = rotation.etag();
    let cancelled = rotation.cancel(&one).is(200);
    assert_ne!(cancelled.etag(), etag);
    assert_eq!(cancelled.json()["state"], "cancelled");
    rotation.cancel(&one).refused(409, "change_ended");
    let mut body = rename("2026-01-10T00:00:00Z", "Two");
    body["replaces"] = json!([one["id"]]);
    rotation
        .try_stage(body.clone())
        .refused(409, "change_ended");
    body["replaces"] = json!(["chg_unknown"]);
    rotation.try_stage(body.clone()).names("replaces[0]");
    let two = rotation.stage(rename("2026-01-10T00:00:00Z", "Two"));
    body["replaces"] = json!([two["id"]]);
    let three = rotation.stage(body);
    assert_eq!(rotation.staged(&two)["state"], "cancelled");
    let list = |query: &str| {
        rota.caller()
            .all(&rotation.path(&format!("/changes{query}")))
    };
    assert_eq!((list("").len(), list("?state=waiting").len()), (3, 1));
    assert_eq!(list("?managedBy=team").len(), 0);
    rota.get(&rotation.path("/changes?state=later"))
        .names("state");
    for index in 1..20 {
        rotation.stage(rename("2026-02-01T00:00:00Z", &format!("Name {index}")));
    }
    rotation
        .try_stage(rename("2026-03-01T00:00:00Z", "Over"))
        .refused(409, "too_many_changes");
    rotation.cancel(&three).is(200);
    rotation.stage(rename("2026-03-01T00:00:00Z", "Under"));
    for (at, member) in [
        (MONDAY, "at"),
        ("2027-02-01T00:00:00Z", "at"),
        ("tomorrow", "at"),
    ] {
        rotation.try_stage(rename(at, "Late")).names(member);
    }
    rotation
        .try_stage(json!({ "at": "now" }))
        .refused(400, "invalid_request");
    let mut window = rename("nextHandOver", "Window");
    window["windowId"] = json!("none");
    rotation.try_stage(window).names("windowId");
    let manual = rota.rotation("U1");
    manual
        .try_stage(rename("nextHandOver", "Never"))
        .names("at");
    rotation
        .get("/changes/chg_unknown")
        .refused(404, "not_found");
    // Ended ones stay for 30 days.
    rota.to("2026-02-05T00:00:00Z");
    rotation
        .get(&format!("/changes/{}", text(&one["id"])))
        .refused(404, "not_found");
}

#[test]
fn what_is_refused_now_is_refused_for_later() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2", 1);
    let other = rota.rotation("U1");
    other.patch(json!({ "code": "OTHER" })).is(200);
    for (edit, member) in [
        (
            json!({ "rotation": { "userIds": ["U9"] } }),
            "rotation.userIds[0]",
        ),
        (json!({ "remove": ["U3"] }), "remove[0]"),
        (
            json!({ "channels": [{ "channelId": "C9" }] }),
            "channels[0].channelId",
        ),
        (
            json!({ "onDutyGroup": { "userGroupId": "G9" } }),
            "onDutyGroup.userGroupId",
        ),
        (json!({ "rosters": { "": {} } }), "rosters..nextTurn"),
        (
            json!({ "mentionSettings": { "expiresAfterMinutes": 0 } }),
            "mentionSettings.expiresAfterMinutes",
        ),
    ] {
        for when in ["now", "2026-01-10T00:00:00Z"] {
            let mut body = edit.clone();
            body["at"] = json!(when);
            rotation.try_stage(body).names(member);
        }
    }
    for when in ["now", "nextHandOver"] {
        let body = json!({ "at": when, "rotation": { "code": "other" } });
        rotation.try_stage(body).refused(409, "rotation_code_taken");
        let body = json!({ "at": when, "rosters": { "none": { "nextTurn": 0 } } });
        rotation.try_stage(body).refused(404, "not_found");
        let token = rota.token("U2");
        let body =
            json!({ "operationId": unique("change"), "at": when, "rotation": { "name": "Mine" } });
        let etag = rotation.etag();
        rotation
            .with(&token)
            .by
            .post_if(&rotation.path("/changes"), &etag, body)
            .refused(403, "resource_denied");
    }
}

/// rules.md 30.3.
#[test]
fn one_that_fails_writes_nothing_and_says_so() {
    let rota = Rota::with_people(4);
    let rotation = rota.daily("U1 U2", 1);
    let made = rotation.stage(json!({ "at": "2026-01-07T12:00:00Z", "rotation": { "name": "New", "userIds": ["U1", "U4"] } }));
    rota.people(3);
    rotation.is_recorded_as_planned(MONDAY, "2026-01-10T09:00:00Z");
    let ended = rotation.staged(&made);
    assert_eq!(ended["state"], "failed");
    assert_eq!(ended["problem"]["code"], "invalid_request");
    assert!(text(&ended["problem"]["detail"]).contains("U4"), "{ended}");
    assert_eq!(rotation.order(), "U1 U2");
    assert_ne!(rotation.read()["name"], "New");
    let told = rota
        .messages()
        .into_iter()
        .filter(|message| text(&message["text"]).contains("was not made"));
    let told: Vec<Value> = told.collect();
    assert_eq!(told.len(), 1, "{told:?}");
    // What changes nothing any more is applied without a version.
    let etag = rotation.etag();
    let made = rotation.stage(json!({ "at": "2026-01-10T12:00:00Z", "remove": ["U2"] }));
    let staged = rotation.etag();
    assert_ne!(staged, etag);
    rotation.patch(json!({ "userIds": ["U1"] })).is(200);
    let edited = rotation.etag();
    rota.to("2026-01-10T13:00:00Z");
    assert_eq!(
        (rotation.staged(&made)["state"].clone(), rotation.etag()),
        (json!("applied"), edited)
    );
}

/// rules.md 30.5.
#[test]
fn a_disabled_rotation_applies_what_waits_and_deals_nobody() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2", 1);
    let made = rotation.stage(json!({ "at": "2026-01-07T12:00:00Z", "rotation": { "name": "Still", "userIds": ["U2", "U3"] } }));
    rotation.patch(json!({ "enabled": false })).is(200);
    rota.to("2026-01-08T00:00:00Z");
    assert_eq!(rotation.staged(&made)["state"], "applied");
    let read = rotation.read();
    assert_eq!(
        (&read["name"], rotation.order().as_str()),
        (&json!("Still"), "U2 U3")
    );
    assert_eq!(rotation.holders(), "-");
    let waiting =
        rotation.stage(json!({ "at": "2026-02-01T00:00:00Z", "rotation": { "name": "Never" } }));
    rotation.by.delete_if(&rotation.path(""), "*").is(204);
    rotation
        .get(&format!("/changes/{}", text(&waiting["id"])))
        .refused(404, "not_found");
    assert!(text(&rota.newest_entry()["summary"]).contains("with a change that waited"));
}
