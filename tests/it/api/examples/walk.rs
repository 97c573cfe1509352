//! One run over every operation, in the demo workspace.

use super::{operations, stable};
use crate::calendars::feed::Feed;
use crate::support::*;
use serde_json::{Map, Value, json};

/// A server, and what it was asked and answered.
struct Walk<'a> {
    rota: &'a Rota,
    document: Value,
    /// By operation id: the lines of the file.
    exchanges: std::collections::BTreeMap<String, Value>,
}

/// Who asks.
#[derive(Clone, Copy)]
enum By<'a> {
    Key,
    Person(&'a str),
    Nobody,
    Inbound(&'a str),
    /// A key that the operator has made.
    Copier(&'a str),
}

use By::{Copier, Inbound, Key, Nobody, Person};

impl Walk<'_> {
    /// Asks an operation, keeps the exchange as its example and answers the body. Values go into the path where it has their
    /// name, else into the query.
    #[track_caller]
    fn ask(&mut self, by: By, id: &str, values: &[(&str, &str)], body: Value) -> Value {
        let found = operations(&self.document).into_iter();
        let found = found.filter(|(.., operation)| operation["operationId"] == json!(id));
        let [(method, template, operation)] = &found.collect::<Vec<_>>()[..] else {
            panic!("no operation {id}")
        };
        let (mut path, mut query) = (template.clone(), Vec::new());
        let (mut in_path, mut in_query) = (Map::new(), Map::new());
        for (name, value) in values {
            let place = format!("{{{name}}}");
            if path.contains(&place) {
                path = path.replace(&place, value);
                in_path.insert((*name).to_owned(), json!(value));
            } else {
                query.push(format!("{name}={value}"));
                // One of those that may be sent several times.
                let sent = match *name {
                    "expand" => json!([value]),
                    _ => json!(value),
                };
                in_query.insert((*name).to_owned(), sent);
            }
        }
        let target = match query.is_empty() {
            true => path,
            false => format!("{path}?{}", query.join("&").replace(' ', "%20")),
        };
        let caller = match by {
            Key => self.rota.caller(),
            Copier(key) => self.rota.with(key),
            Person(user) => self.rota.with(&self.rota.tokens[user]),
            Nobody | Inbound(_) => self.rota.anyone(),
        };
        let mut request = caller.request(method, &target);
        let parameters = operation["parameters"].to_string();
        for (header, value) in [
            ("If-Match", "*"),
            ("Idempotency-Key", "0b5e8f1c-create-database"),
        ] {
            if parameters.contains(&format!("\"{header}\"")) {
                request = request.header(header, value);
                in_query.insert(header.to_owned(), json!(value));
            }
        }
        if let Inbound(key) = by {
            request = request.header("webhook-key", key);
        }
        if !body.is_null() {
            request = request.json(&body);
        }
        let answer = request.send().ok();
        let text = answer.text();
        let answered = match answer.header("content-type") {
            Some("application/json") => answer.json(),
            Some("application/vnd.sqlite3") => json!("SQLite format 3"),
            _ => json!(text),
        };
        let mut exchange = json!({ "operationId": id, "path": in_path, "parameters": in_query });
        if !body.is_null() {
            exchange["body"] = body;
        }
        exchange["status"] = json!(answer.status());
        if !text.is_empty() {
            exchange["answer"] = shortened(id, answered.clone());
        }
        self.exchanges.entry(id.to_owned()).or_insert(exchange);
        answered
    }
}

/// Answers that are long, or tell of the program: what an example needs of them.
fn shortened(id: &str, mut answer: Value) -> Value {
    match id {
        "getMetrics" => {
            let text = text(&answer).to_owned();
            let lines = text
                .lines()
                .filter(|line| line.contains("rota_nobody_on_call"));
            json!(lines.map(|line| format!("{line}\n")).collect::<String>())
        }
        "getEpoch" => {
            answer["since"] = json!("2026-11-23T08:00:00Z");
            answer
        }
        "getOpenApi" => json!({ "openapi": answer["openapi"], "info": { "title": "rota" } }),
        "getHealth" => {
            answer["version"] = json!("1.0.0");
            answer
        }
        _ => answer,
    }
}

/// The lines of the file of examples.
pub fn run() -> String {
    let pager = pager();
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let start = pager.start().clock("2026-11-23T08:00Z").demo().db(&db);
    let rota = start.go();
    let document = rota.anyone().get("/v1/openapi.json").is(200).json();
    let mut walk = Walk {
        rota: &rota,
        document,
        exchanges: Default::default(),
    };
    service(&mut walk);
    let copier = crate::cli::key(&db, "--scope replicate");
    walk.ask(Copier(&copier), "getReplica", &[], Value::Null);
    directory(&mut walk);
    let rotation = rotation(&mut walk);
    let cell = text(
        &walk.ask(
            Key,
            "getRotation",
            &[("rotationId", &rotation)],
            Value::Null,
        )["cells"][0]["id"],
    )
    .to_owned();
    absences(&mut walk, &rotation);
    trades(&mut walk);
    arrangements(&mut walk, &rotation, &cell);
    covers(&mut walk, &rotation, &cell);
    swaps(&mut walk, &rotation, &cell);
    mentions(&mut walk, &rotation);
    let secrets = inbound(&mut walk, &rotation);
    endpoints(&mut walk, &rotation);
    let changes = [
        ("rotationId", rotation.as_str()),
        ("action", "patchRotation"),
    ];
    walk.ask(Key, "listAudit", &changes, Value::Null);
    let months = [
        ("from", "2026-10-01T00:00:00Z"),
        ("to", "2027-01-01T00:00:00Z"),
        ("userId", "UADA"),
        ("groupBy", "month"),
    ];
    walk.ask(Key, "reportDuty", &months, Value::Null);
    messages(&mut walk, &rotation);
    let mut feeds = calendar_feeds(&mut walk, &rotation);
    feeds.extend(calendars(&mut walk));
    partners(&mut walk, &rotation);
    walk.ask(Key, "getMetrics", &[], Value::Null);
    walk.ask(
        Key,
        "deleteRotation",
        &[("rotationId", &rotation)],
        Value::Null,
    );
    // The last: it ends writes.
    let standby = json!({ "instance": "fedcba9876543210fedcba9876543210" });
    walk.ask(Copier(&copier), "handOver", &[], standby);
    let mut exchanges: Vec<Value> = walk.exchanges.into_values().collect();
    exchanges.iter_mut().for_each(stable::measures);
    let lines: Vec<String> = exchanges.iter().map(Value::to_string).collect();
    let mut text = lines.join("\n") + "\n";
    for (value, name) in secrets.into_iter().chain(feeds) {
        text = text.replace(&value, name);
    }
    let receivers = format!("{}/dev/receiver/", rota.url);
    text = text.replace(&receivers, "https://pager.example.com/");
    text = text.replace(&rota.url, "https://rota.example.com");
    let webcal = rota.url.replace("http://", "webcal://");
    text = text.replace(&webcal, "webcal://rota.example.com");
    text = text.replace(rota.address(), "pager.example.com");
    stable::ids(&text)
}

fn service(walk: &mut Walk) {
    for id in ["getHealth", "getReadiness", "getEpoch", "getOpenApi"] {
        walk.ask(Nobody, id, &[], Value::Null);
    }
    walk.ask(Key, "getOwnKey", &[], Value::Null);
}

fn messages(walk: &mut Walk, rotation: &str) {
    for id in ["getPendingNotices", "sendPendingNotices"] {
        walk.ask(Key, id, &[("rotationId", rotation)], Value::Null);
    }
    let to = [("userId", "UADA"), ("pageSize", "2")];
    walk.ask(Key, "listMessages", &to, Value::Null);
    let ada = [("userId", "UADA")];
    walk.ask(Key, "getNotificationSettings", &ada, Value::Null);
    let body = json!({ "mail": true, "kinds": ["onDuty", "comingUp", "coverAsked", "swapAsked"] });
    walk.ask(Key, "setNotificationSettings", &ada, body);
    walk.ask(Key, "testNotifications", &ada, Value::Null);
}

/// A feed of a person's turns, and what its secrets are called.
fn calendar_feeds(walk: &mut Walk, rotation: &str) -> Vec<(String, &'static str)> {
    let body = json!({ "userId": "UADA", "rotationId": rotation, "alarms": [30] });
    let made = walk.ask(Key, "createCalendarFeed", &[], body);
    walk.ask(Key, "listCalendarFeeds", &[], Value::Null);
    let one = [("calendarFeedId", text(&made["id"]))];
    let other = walk.ask(Key, "rotateCalendarFeed", &one, Value::Null);
    walk.ask(Key, "deleteCalendarFeed", &one, Value::Null);
    let secret = |made: &Value, name| {
        let url = text(&made["url"]).rsplit('/').next().unwrap_or_default();
        (url.trim_end_matches(".ics").to_owned(), name)
    };
    vec![
        secret(&made, "calendar-secret-1"),
        secret(&other, "calendar-secret-2"),
    ]
}

/// A calendar of a person, and when they are absent. Answers what its address is called.
fn calendars(walk: &mut Walk) -> Vec<(String, &'static str)> {
    let feed = Feed::of(&["Vacation 20261221T080000Z 20270104T080000Z"]);
    let user = ("userId", "UADA");
    let new = json!({ "url": feed.url(), "name": "Holidays" });
    let made = walk.ask(Key, "createPersonalCalendar", &[user], new);
    let one = [user, ("calendarId", text(&made["id"]))];
    walk.ask(Key, "readPersonalCalendar", &one, Value::Null);
    let words = json!({ "words": ["vacation", "parental leave"] });
    walk.ask(Key, "patchPersonalCalendar", &one, words);
    walk.ask(Key, "listPersonAbsences", &[user], Value::Null);
    walk.ask(Key, "listPersonalCalendars", &[user], Value::Null);
    walk.ask(Key, "deletePersonalCalendar", &one, Value::Null);
    vec![
        (feed.url(), "https://calendar.example.com/private/basic.ics"),
        (feed.host().to_owned(), "calendar.example.com"),
    ]
}

/// A PagerDuty with a schedule of people of the demo workspace.
fn pager() -> Pager {
    let pager = Pager::new();
    pager.with(|desk| {
        let person = |name: &str, email: &str| (name.to_owned(), Some(email.to_owned()));
        desk.people
            .insert("P1".into(), person("Ada Lovelace", "ada@demo.example"));
        desk.people
            .insert("P2".into(), person("Linus", "linus@elsewhere.example"));
    });
    let week = [
        "P1 2026-11-23T00:00Z 2026-11-23T18:00Z",
        "P2 2026-11-23T18:00Z 2026-12-20T00:00Z",
    ];
    pager.has("S1", "P1 P2", &week);
    pager
}

fn partners(walk: &mut Walk, rotation: &str) {
    let partner = [("partner", "pagerPartner")];
    walk.ask(Key, "listPartnerSchedules", &partner, Value::Null);
    let body = json!({ "partner": "pagerPartner", "scheduleId": "S1" });
    walk.ask(Key, "linkExternal", &[("rotationId", rotation)], body);
    walk.ask(Key, "listPartners", &[], Value::Null);
    walk.ask(Key, "listPartnerPeople", &partner, Value::Null);
    let person = [("partner", "pagerPartner"), ("participantId", "P2")];
    let body = json!({ "userId": "ULINUS" });
    walk.ask(Key, "setPartnerPerson", &person, body);
    let one = [("rotationId", rotation)];
    walk.ask(Key, "unlinkExternal", &one, Value::Null);
}

fn directory(walk: &mut Walk) {
    walk.ask(
        Key,
        "listUsers",
        &[("q", "ada"), ("sort", "name")],
        Value::Null,
    );
    walk.ask(Key, "getUser", &[("userId", "UADA")], Value::Null);
    walk.ask(Key, "listGroups", &[("q", "europe")], Value::Null);
    walk.ask(Key, "getGroup", &[("groupId", "SEUROPE")], Value::Null);
    walk.ask(Key, "listChannels", &[("q", "on-call")], Value::Null);
    walk.ask(Key, "getChannel", &[("channelId", "CONCALL")], Value::Null);
    walk.ask(Key, "getUserGroupCapabilities", &[], Value::Null);
    walk.ask(Key, "getChatPlatform", &[], Value::Null);
    directory_writes(walk);
}

/// Records that are added, changed and taken away again.
fn directory_writes(walk: &mut Walk) {
    let body = json!({
        "id": "UHEDY", "displayName": "hedy", "email": "hedy@demo.example", "timeZone": "Europe/Vienna", "handle": "hedy",
        "phone": "+4366412345678",
    });
    walk.ask(Key, "createUser", &[], body);
    let hedy = [("userId", "UHEDY")];
    walk.ask(Key, "patchUser", &hedy, json!({ "isDeleted": true }));
    let body =
        json!({ "id": "SDBA", "name": "Database", "handle": "dba", "userIds": ["UADA", "UALAN"] });
    walk.ask(Key, "createGroup", &[], body);
    let group = [("groupId", "SDBA")];
    let body = json!({ "userIds": ["UALAN", "UADA"] });
    walk.ask(Key, "patchGroup", &group, body);
    walk.ask(Key, "deleteGroup", &group, Value::Null);
    walk.ask(
        Key,
        "createChannel",
        &[],
        json!({ "id": "CALERTS", "name": "alerts" }),
    );
    let channel = [("channelId", "CALERTS")];
    let body = json!({ "name": "incidents" });
    walk.ask(Key, "patchChannel", &channel, body);
    walk.ask(Key, "deleteChannel", &channel, Value::Null);
}

/// A rotation of three people who take a week each. Ada is on call.
fn rotation(walk: &mut Walk) -> String {
    let created = walk.ask(
        Key,
        "createRotation",
        &[],
        json!({
            "name": "Database", "description": "Who answers for the database", "code": "DB", "public": true,
            "owners": ["UADA"], "channels": ["CONCALL"], "userIds": ["UADA", "ULINUS", "UGRACE"],
        }),
    );
    let id = text(&created["id"]).to_owned();
    let (lane, window) = (&created["lanes"][0]["id"], &created["windows"][0]["id"]);
    let path = [("rotationId", id.as_str())];
    let on = |more: &[(&'static str, &'static str)]| -> Vec<(&str, &str)> {
        path.iter().copied().chain(more.iter().copied()).collect()
    };
    walk.ask(
        Key,
        "replaceCoverage",
        &path,
        json!({
            "lanes": [{ "id": lane, "key": "primary" }],
            "windows": [{
                "id": window, "name": "Weekdays", "timeZone": "Europe/Oslo",
                "coverage": [{ "startDay": "monday", "startTime": "09:00", "endDay": "friday", "endTime": "18:00" }],
                "cadence": { "type": "dayOfWeek", "timeZone": "Europe/Oslo", "startsAt": "2026-11-23T09:00:00+01:00" },
            }],
            "cells": [{ "laneId": lane, "windowId": window, "rosterId": "database" }],
            "rosters": [{ "rosterId": "database", "userIds": ["UADA", "ULINUS", "UGRACE"], "nextTurn": 0 }],
        }),
    );
    walk.ask(Key, "setCommonRoster", &path, json!({ "nextTurn": 0 }));
    walk.ask(
        Key,
        "narrowRoster",
        &on(&[("rosterId", "database")]),
        json!({ "userIds": ["UADA", "ULINUS", "UGRACE"] }),
    );
    walk.ask(
        Key,
        "patchRotation",
        &path,
        json!({ "description": "First call for the database" }),
    );
    let settings = json!({ "postsMessages": true, "syncsTopic": false });
    walk.ask(
        Key,
        "setChannel",
        &on(&[("channelId", "CINCIDENTS")]),
        settings,
    );
    walk.ask(
        Key,
        "setOnDutyGroup",
        &path,
        json!({ "handle": "database-on-call" }),
    );
    // The group is filled by a loop of its own.
    walk.rota.advance(0);
    walk.ask(Key, "getChatStanding", &path, Value::Null);
    walk.ask(Key, "rotate", &path, json!({}));
    walk.ask(Key, "clearOnCall", &path, Value::Null);
    walk.ask(Key, "replaceOnCall", &path, json!({ "userIds": ["UADA"] }));
    walk.ask(Key, "getOnCall", &on(&[("expand", "users")]), Value::Null);
    let at = [("at", "2026-11-30T12:00:00Z")];
    walk.ask(Key, "listOnCall", &at, Value::Null);
    walk.ask(Key, "explain", &on(&at), Value::Null);
    walk.ask(
        Key,
        "listRotations",
        &[("q", "database"), ("enabled", "true")],
        Value::Null,
    );
    let shifts = [
        ("userId", "UADA"),
        ("from", "2026-11-23T08:00:00Z"),
        ("to", "2026-12-14T08:00:00Z"),
    ];
    walk.ask(Key, "listShifts", &shifts, Value::Null);
    let range = on(&[
        ("from", "2026-11-23T08:00:00Z"),
        ("to", "2026-12-14T08:00:00Z"),
    ]);
    walk.ask(Key, "getSchedule", &range, Value::Null);
    walk.ask(Key, "getHistory", &range, Value::Null);
    let away = json!({
        "userId": "ULINUS", "from": "2026-11-30T00:00:00Z", "until": "2026-12-07T00:00:00Z",
    });
    walk.ask(
        Key,
        "previewRotation",
        &on(&[("days", "21")]),
        json!({ "absences": [away], "remove": ["UKATHERINE"] }),
    );
    walk.ask(
        Key,
        "planRotations",
        &[],
        json!({ "rotations": [{ "rotationId": id, "remove": ["ULINUS"] }], "at": "nextHandOver", "days": 21 }),
    );
    let made = walk.ask(
        Key,
        "createChange",
        &path,
        json!({
            "operationId": "6f2b8f0a-remove-linus", "at": "nextHandOver", "note": "Linus changes teams",
            "remove": ["ULINUS"],
        }),
    );
    walk.ask(Key, "listChanges", &path, Value::Null);
    let change = [("rotationId", id.as_str()), ("changeId", text(&made["id"]))];
    walk.ask(Key, "getChange", &change, Value::Null);
    walk.ask(Key, "cancelChange", &change, Value::Null);
    walk.ask(Key, "removeOnDutyGroup", &path, Value::Null);
    id
}

fn absences(walk: &mut Walk, rotation: &str) {
    let path = ("rotationId", rotation);
    let away = json!({
        "userId": "UGRACE", "from": "2026-12-22T00:00:00Z", "until": "2027-01-02T00:00:00Z", "reason": "Holidays",
    });
    let made = walk.ask(Key, "createAbsence", &[path], away);
    let range = [
        path,
        ("from", "2026-12-01T00:00:00Z"),
        ("to", "2027-01-01T00:00:00Z"),
    ];
    walk.ask(Key, "listAbsences", &range, Value::Null);
    let id = text(&made["id"]);
    walk.ask(
        Key,
        "deleteAbsence",
        &[path, ("absenceId", id)],
        Value::Null,
    );
}

/// A turn that somebody took for somebody who is away.
fn trades(walk: &mut Walk) {
    let body = json!({
        "name": "Payments", "owners": ["UADA"], "userIds": ["UADA", "UGRACE", "ULINUS"],
        "dealing": { "missedTurn": "traded" }, "absencePolicy": { "passOver": "duringTurn" },
    });
    let rotation = walk.rota.create(body);
    rotation.cover(1, &[always(weekly("UTC", "2026-11-23T08:00"))]);
    let away = json!({ "userId": "UGRACE", "from": "2026-11-23T00:00:00Z", "until": "2026-11-25T00:00:00Z" });
    rotation
        .by
        .post(&rotation.path("/availability"), away)
        .is(201);
    let rotate = rotation.by.request("POST", &rotation.path("/rotate"));
    rotate.header("If-Match", "*").send().is(200);
    let path = ("rotationId", rotation.id.as_str());
    let trades = walk.ask(Key, "listTrades", &[path], Value::Null);
    let trade = text(&trades["data"][0]["id"]).to_owned();
    walk.ask(
        Key,
        "forgiveTrade",
        &[path, ("tradeId", &trade)],
        Value::Null,
    );
    rotation
        .by
        .request("DELETE", &rotation.path(""))
        .header("If-Match", "*")
        .send()
        .is(204);
}

/// An interval with the cell and an operation id.
fn within(operation: &str, cell: &str, from: &str, to: &str, more: Value) -> Value {
    let mut body = json!({ "operationId": operation, "cellId": cell, "from": from, "to": to });
    let members = body.as_object_mut().expect("an object");
    members.extend(more.as_object().expect("an object").clone());
    body
}

fn arrangements(walk: &mut Walk, rotation: &str, cell: &str) {
    let path = ("rotationId", rotation);
    let grace = |operation: &str, more: Value| {
        let (from, to) = ("2026-11-26T08:00:00Z", "2026-11-27T08:00:00Z");
        let mut body = within(operation, cell, from, to, more);
        body["userId"] = json!("UGRACE");
        body
    };
    walk.ask(
        Key,
        "previewArrangement",
        &[path],
        grace("assign-1", json!({})),
    );
    let made = walk.ask(
        Key,
        "createArrangement",
        &[path],
        grace("assign-1", json!({})),
    );
    let range = [
        path,
        ("from", "2026-11-23T00:00:00Z"),
        ("to", "2026-11-30T00:00:00Z"),
    ];
    walk.ask(Key, "listArrangements", &range, Value::Null);
    let one = [
        path,
        ("arrangementId", text(&made["arrangements"][0]["id"])),
    ];
    walk.ask(Key, "getArrangement", &one, Value::Null);
    let change = grace(
        "assign-2",
        json!({ "expectedRevision": 1, "acknowledgedConflictIds": [] }),
    );
    let made = walk.ask(Key, "changeArrangement", &one, change);
    let active = made["arrangements"]
        .as_array()
        .expect("arrangements")
        .iter();
    let mut active = active.filter(|one| one["state"] == json!("active"));
    let id = text(&active.next().expect("the new one")["id"]).to_owned();
    let step = json!({ "operationId": "assign-3", "expectedRevision": 1 });
    walk.ask(Key, "endArrangement", &[path, ("arrangementId", &id)], step);
}

fn covers(walk: &mut Walk, rotation: &str, cell: &str) {
    let path = ("rotationId", rotation);
    let ask = |operation: &str, day: u32| {
        let (from, to) = (
            format!("2026-11-{day}T08:00:00Z"),
            format!("2026-11-{}T08:00:00Z", day + 1),
        );
        let more =
            json!({ "recipientUserIds": ["ULINUS", "UGRACE"], "reason": "A day at the dentist" });
        within(operation, cell, &from, &to, more)
    };
    walk.ask(
        Person("UADA"),
        "previewCoverRequest",
        &[path],
        ask("cover-1", 25),
    );
    for (day, steps) in [
        (25, &["accept", "end"][..]),
        (26, &["decline"]),
        (27, &["cancel"]),
    ] {
        let body = ask(&format!("cover-{day}"), day);
        let made = walk.ask(Person("UADA"), "createCoverRequest", &[path], body);
        let one = [
            path,
            ("coverRequestId", text(&made["request"]["request"]["id"])),
        ];
        let range = [
            path,
            ("from", "2026-11-23T00:00:00Z"),
            ("to", "2026-11-30T00:00:00Z"),
        ];
        walk.ask(Key, "listCoverRequests", &range, Value::Null);
        let pending = [("userId", "UADA"), ("state", "pending")];
        walk.ask(Key, "listRequests", &pending, Value::Null);
        walk.ask(Person("UADA"), "getCoverRequest", &one, Value::Null);
        for (done, step) in steps.iter().enumerate() {
            let by = if *step == "cancel" { "UADA" } else { "ULINUS" };
            let body =
                json!({ "operationId": format!("{step}-{day}"), "expectedRevision": done + 1 });
            walk.ask(Person(by), &format!("{step}CoverRequest"), &one, body);
        }
    }
}

fn swaps(walk: &mut Walk, rotation: &str, cell: &str) {
    let path = ("rotationId", rotation);
    let leg = |key: &str, holder: &str, from: &str, to: &str| {
        json!({
            "key": key, "cellId": cell, "holderUserId": holder,
            "from": format!("{from}T08:00:00Z"), "to": format!("{to}T08:00:00Z"),
        })
    };
    let ask = |operation: &str| {
        json!({
            "operationId": operation, "recipientUserId": "UGRACE", "reason": "A wedding",
            "legs": [
                leg("mine", "ULINUS", "2026-11-30", "2026-12-07"),
                leg("yours", "UGRACE", "2026-12-07", "2026-12-14"),
            ],
        })
    };
    walk.ask(
        Person("ULINUS"),
        "previewSwapRequest",
        &[path],
        ask("swap-0"),
    );
    for (step, by) in [
        ("decline", "UGRACE"),
        ("cancel", "ULINUS"),
        ("accept", "UGRACE"),
    ] {
        let made = walk.ask(
            Person("ULINUS"),
            "createSwapRequest",
            &[path],
            ask(&format!("swap-{step}")),
        );
        let one = [
            path,
            ("swapRequestId", text(&made["request"]["request"]["id"])),
        ];
        let range = [
            path,
            ("from", "2026-11-23T00:00:00Z"),
            ("to", "2026-12-31T00:00:00Z"),
        ];
        walk.ask(Key, "listSwapRequests", &range, Value::Null);
        walk.ask(Person("ULINUS"), "getSwapRequest", &one, Value::Null);
        let body = json!({ "operationId": format!("{step}-swap"), "expectedRevision": 1 });
        walk.ask(Person(by), &format!("{step}SwapRequest"), &one, body);
    }
}

fn mentions(walk: &mut Walk, rotation: &str) {
    let path = ("rotationId", rotation);
    let settings = json!({
        "expiresAfterMinutes": 30, "remindAfterMinutes": 10, "oneAtATime": true, "rotateAfterAcknowledgement": false,
    });
    walk.ask(Key, "setMentionSettings", &[path], settings);
    walk.ask(Key, "getMentionSettings", &[path], Value::Null);
    let settings = json!({ "off": ["nightWork"], "shortRestHours": 8 });
    walk.ask(Key, "setWarningSettings", &[path], settings);
    walk.ask(Key, "getWarningSettings", &[path], Value::Null);
    walk.ask(Key, "getWarnings", &[path, ("days", "14")], Value::Null);
    walk.ask(Key, "listWarnings", &[("days", "7")], Value::Null);
}

/// The inbound webhook, and mentions, which come in by it. Answers its secrets, with what stands for each in the examples.
fn inbound(walk: &mut Walk, rotation: &str) -> [(String, &'static str); 3] {
    let path = ("rotationId", rotation);
    let first = walk.ask(Key, "getInboundWebhook", &[path], Value::Null);
    let made = walk.ask(Key, "rotateInboundWebhookKey", &[path], Value::Null);
    let (url, key) = (text(&made["url"]).to_owned(), text(&made["key"]).to_owned());
    let (_, name) = url.rsplit_once('/').expect("a path");
    let hook = ("webhookPath", name);
    walk.ask(Inbound(&key), "inboundRotate", &[hook], Value::Null);
    walk.ask(
        Inbound(&key),
        "inboundSetOnDuty",
        &[hook, ("email", "ada@demo.example")],
        Value::Null,
    );
    for step in ["passMention", "acknowledgeMention"] {
        let asked = [
            hook,
            ("userId", "UALAN"),
            ("channelId", "CONCALL"),
            ("message", "Replication lags"),
        ];
        let opened = walk.ask(Inbound(&key), "inboundMention", &asked, Value::Null);
        let one = [("mentionId", text(&opened["mentionId"]))];
        walk.ask(Key, "getMention", &one, Value::Null);
        let open = [("userId", "UADA"), ("state", "open")];
        walk.ask(Key, "listMentions", &open, Value::Null);
        walk.ask(Person("UADA"), step, &one, Value::Null);
    }
    [
        (text(&first["key"]).to_owned(), "inbound-key-1"),
        (key, "inbound-key-2"),
        (name.to_owned(), "inbound-path"),
    ]
}

fn endpoints(walk: &mut Walk, rotation: &str) {
    let receiver = format!("{}/dev/receiver/rota", walk.rota.url);
    let endpoint =
        |events: &[&str]| json!({ "name": "Pager", "url": receiver, "eventTypes": events });
    let made = walk.ask(Key, "registerWebhook", &[], endpoint(&["duty.changed"]));
    let one = [("webhookId", text(&made["endpoint"]["id"]))];
    walk.ask(Key, "listWebhooks", &[], Value::Null);
    walk.ask(Key, "getWebhook", &one, Value::Null);
    walk.ask(
        Key,
        "replaceWebhook",
        &one,
        endpoint(&["duty.changed", "nobody.on_call"]),
    );
    let delivery = |answer: &Value| text(&answer["deliveryId"]).to_owned();
    let first = delivery(&walk.ask(Key, "testWebhook", &one, Value::Null));
    walk.rota.advance(0);
    walk.ask(
        Key,
        "listDeliveries",
        &[one[0], ("rotationId", rotation)],
        Value::Null,
    );
    let of_first = [one[0], ("deliveryId", first.as_str())];
    walk.ask(Key, "listDeliveryAttempts", &of_first, Value::Null);
    walk.ask(Key, "resendDelivery", &of_first, Value::Null);
    let fails = walk.rota.request("PUT", "/dev/receiver/rota");
    fails.json(&json!({ "status": 503 })).send().ok();
    let second = delivery(&walk.ask(Key, "testWebhook", &one, Value::Null));
    walk.rota.advance(0);
    walk.ask(
        Key,
        "cancelDelivery",
        &[one[0], ("deliveryId", &second)],
        Value::Null,
    );
    walk.ask(
        Key,
        "rotateWebhookSecret",
        &one,
        json!({ "graceSeconds": 3600 }),
    );
    walk.ask(Key, "disableWebhook", &one, Value::Null);
    walk.ask(Key, "enableWebhook", &one, Value::Null);
    walk.ask(Key, "deleteWebhook", &one, Value::Null);
}
