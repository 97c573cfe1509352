//! The body of every write: arbitrary JSON, valid bodies with a few changed values, and valid text with changed characters.

use super::values::{path, pointers, remove, rewritten, some_value};
use crate::domain::refusal::Refusal;
use crate::tests::{bent, bent_text, try_out};
use crate::wire::{
    absence, arrangement, body, chat, dev, directory, edit, grid, mention, receiver, request,
    roster, webhook,
};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};
use std::fmt::Debug;

/// The reader of one write, and a body with every member.
struct Reader {
    name: &'static str,
    read: fn(&[u8]) -> Result<String, Refusal>,
    whole: Value,
}

fn debug<T: Debug>(read: Result<T, Refusal>) -> Result<String, Refusal> {
    read.map(|value| format!("{value:?}"))
}

fn grids() -> Value {
    let common = json!({
        "timeZone": "Europe/Oslo", "startsAt": "2026-11-23T09:00", "period": "2", "skipWeekends": true,
        "skipNationalHolidays": false, "countryCodes": ["NO", "GB-SCT"],
    });
    let stretch = |day: &str, end: &str| json!({ "startDay": day, "startTime": "08:00", "endDay": end, "endTime": "16:00" });
    let kinds = [
        json!({ "type": "daily", "times": ["09:00", "21:30"] }),
        json!({ "type": "daysOfWeekList", "daysOfWeek": ["monday", "friday"] }),
        json!({ "type": "nthWeekdayOfMonth", "dayOfWeek": "friday", "weeksInMonth": [1, "5"] }),
        json!({ "type": "workday" }),
    ];
    let windows = kinds.iter().enumerate().map(|(index, kind)| {
        let mut cadence = kind.clone();
        let members = cadence.as_object_mut().expect("an object");
        members.extend(common.as_object().expect("an object").clone());
        json!({
            "id": format!("w{index}"), "name": "Day", "timeZone": "Asia/Kolkata", "cadence": cadence,
            "coverage": [stretch("monday", "friday"), stretch("sunday", "sunday")],
        })
    });
    json!({
        "lanes": [{ "id": "a", "name": "First" }, { "id": "b", "name": null }],
        "windows": windows.collect::<Vec<_>>(),
        "cells": [{ "id": "cel_1", "laneId": "a", "windowId": "w0", "rosterId": null },
            { "laneId": "b", "windowId": "w1", "rosterId": "night" }],
        "rosters": [{ "rosterId": "night", "userIds": ["U1"], "userGroupIds": ["G1"], "nextTurn": 0,
            "nextTurns": [{ "windowId": "w1", "nextTurn": 0 }] }],
        "doubleCover": true,
    })
}

fn readers() -> Vec<Reader> {
    let (from, to) = ("2026-11-23T09:00:00Z", "2026-11-30T09:00:00Z");
    let turn = json!({ "kind": "fullTurn", "from": from, "to": to });
    let assignment = json!({
        "operationId": "op-1", "cellId": "cel_1", "userId": "U1", "from": from, "to": to, "expectedRevision": 1,
        "turnSelection": turn, "acknowledgedConflictIds": ["x"], "arrangementId": "arr_1",
    });
    let cover = json!({
        "operationId": "op-1", "cellId": "cel_1", "from": from, "to": to, "recipientUserIds": ["U2", "U3"],
        "reason": "away", "turnSelection": turn, "acknowledgedConflictIds": [],
    });
    let leg = |key: &str, who: &str| json!({ "key": key, "cellId": "cel_1", "holderUserId": who, "from": from, "to": to });
    let swap = json!({
        "operationId": "op-1", "recipientUserId": "U2", "legs": [leg("a", "U1"), leg("b", "U2")], "reason": "away",
        "acknowledgedConflictIds": ["x", "y"],
    });
    let endpoint = json!({ "name": "Pager", "url": "https://a.example/", "eventTypes": ["duty.changed", "rotation.deleted"] });
    let files = json!({
        "team": { "id": "T1", "name": "Team", "domain": null },
        "users": [{
            "id": "U1", "teamId": "T1", "displayName": "Ann", "realName": "Ann Lee", "email": "ann@a.example",
            "isGuest": false, "isExternal": false, "isDeleted": false, "isAdmin": true, "avatarUrl": null, "timeZone": "UTC",
        }],
        "groups": [{ "id": "G1", "teamId": null, "name": "Ops", "handle": "ops", "userIds": ["U1"] }],
        "channels": [{ "id": "C1", "teamId": null, "name": "ops", "isPrivate": false, "appIsMember": true, "topic": "t" }],
    });
    let reader = |name, read, whole| Reader { name, read, whole };
    vec![
        reader(
            "rotation",
            |b| debug(edit::new_rotation(b)),
            json!({
                "name": "Ops", "description": "All", "code": "ops-1", "public": true, "lanes": 2, "owners": ["U1"],
                "channels": ["C1"], "userIds": ["U1", "U2"], "userGroupIds": ["G1"],
            }),
        ),
        reader(
            "patch",
            |b| debug(edit::patch(b)),
            json!({
                "name": "Ops", "description": null, "code": "x_1", "public": false, "enabled": true, "owners": ["U1"],
                "userIds": ["U1"], "userGroupIds": [], "skipsAreOffTime": true, "doubleCover": false, "enableTopic": true,
                "topicTemplate": "%NAME%",
                "managedBy": "team/file.toml",
            }),
        ),
        reader(
            "channel",
            |b| debug(edit::channel(b)),
            json!({ "postsMessages": true, "syncsTopic": false }),
        ),
        reader(
            "roster",
            |b| debug(roster::parse(b)),
            json!({
                "userIds": ["U1", "U2"], "userGroupIds": ["G1"], "nextTurn": 1,
                "nextTurns": [{ "windowId": "w0", "nextTurn": "0" }],
            }),
        ),
        reader(
            "common-roster",
            |b| debug(roster::parse_common(b)),
            json!({ "nextTurn": 1, "nextTurns": [{ "windowId": "w0", "nextTurn": 0 }] }),
        ),
        reader(
            "on-call",
            |b| debug(edit::on_call(b)),
            json!({ "userIds": ["U1", "U1"] }),
        ),
        reader(
            "rotate",
            |b| debug(edit::rotate(b)),
            json!({ "cellIds": ["cel_1", "cel_2"] }),
        ),
        reader("grid", |b| debug(grid::parse(b)), grids()),
        reader(
            "absence",
            |b| debug(absence::parse(b)),
            json!({
                "userId": "U1", "from": from, "until": to, "reason": null, "appliesTo": "allRotations",
            }),
        ),
        reader(
            "group",
            |b| debug(chat::on_duty_group(b)),
            json!({ "handle": "@duty", "userGroupId": null }),
        ),
        reader(
            "mention settings",
            |b| debug(mention::settings_change(b)),
            json!({
                "expiresAfterMinutes": 60, "remindAfterMinutes": "5", "oneAtATime": true, "rotateAfterAcknowledgement": false,
            }),
        ),
        reader(
            "preview",
            |b| debug(arrangement::parse_preview(b)),
            assignment.clone(),
        ),
        reader(
            "assignment",
            |b| debug(arrangement::parse_new(b)),
            assignment.clone(),
        ),
        reader(
            "change",
            |b| debug(arrangement::parse_change(b, "arr_1".into())),
            assignment,
        ),
        reader(
            "step",
            |b| debug(arrangement::parse_step::<arrangement::Arrangement>(b)),
            json!({
                "operationId": "op-1", "expectedRevision": 1, "acknowledgedConflictIds": ["x"],
                "acknowledgedStartedLegKeys": ["a"],
            }),
        ),
        reader(
            "cover preview",
            |b| debug(request::parse_cover_preview(b)),
            cover.clone(),
        ),
        reader("cover", |b| debug(request::parse_cover(b)), cover),
        reader(
            "swap preview",
            |b| debug(request::parse_swap_preview(b)),
            swap.clone(),
        ),
        reader("swap", |b| debug(request::parse_swap(b)), swap),
        reader(
            "endpoint",
            |b| debug(webhook::new_webhook(b, |url| Ok(url.to_owned()))),
            endpoint.clone(),
        ),
        reader(
            "endpoint replaced",
            |b| debug(webhook::replacement(b, |url| Ok(url.to_owned()))),
            endpoint,
        ),
        reader(
            "grace",
            |b| debug(webhook::grace(b)),
            json!({ "graceSeconds": 60 }),
        ),
        reader(
            "directory",
            |b| debug(body::parse::<directory::ImportFile>(b)),
            files,
        ),
        reader("plan", |b| debug(dev::plan(b)), json!({ "name": "free" })),
        reader("token", |b| debug(dev::token(b)), json!({ "userId": "U1" })),
        reader(
            "key",
            |b| debug(dev::key(b)),
            json!({
                "name": "k", "scopes": ["write:duty"], "rotationIds": ["rot_1"], "disabled": false,
            }),
        ),
        reader(
            "failure mode",
            |b| debug(dev::failure_mode(b)),
            json!({
                "delayMs": 5, "failure": "error", "retryAfterSeconds": 1, "forgotten": ["C1"], "noGroups": "no",
                "noEmptyGroups": true,
            }),
        ),
        reader(
            "receiver",
            |b| debug(receiver::answer(b)),
            json!({
                "status": 200, "headers": { "a": "b" }, "delayMs": 0, "body": "x",
            }),
        ),
    ]
}

/// A change to one value of a body.
#[derive(Clone, Debug)]
enum Change {
    Drop,
    Put(Value),
    /// Repeats an item of a list this many times.
    Many(usize),
}

fn some_change() -> impl Strategy<Value = Change> {
    prop_oneof![
        3 => Just(Change::Drop),
        6 => some_value().prop_map(Change::Put),
        1 => prop_oneof![2..60_usize, Just(1_001)].prop_map(Change::Many),
    ]
}

/// Applies the change below the root and returns the pointer.
fn apply(body: &mut Value, at: Index, change: &Change) -> Option<String> {
    let pointers = pointers(body);
    let pointer = pointers
        .get(1..)
        .filter(|pointers| !pointers.is_empty())
        .map(|pointers| at.get(pointers).clone())?;
    match change {
        Change::Drop => remove(body, &pointer),
        Change::Put(value) => *body.pointer_mut(&pointer)? = value.clone(),
        Change::Many(many) => {
            let (parent, _) = pointer.rsplit_once('/')?;
            let one = body.pointer(&pointer)?.clone();
            let list = body.pointer_mut(parent)?.as_array_mut()?;
            list.resize(list.len() + many, one);
        }
    }
    Some(pointer)
}

/// Checks a refusal: it begins with the path of a member that the body may have, or is about the whole body.
fn sentence(refusal: &Refusal, reader: &Reader) -> Result<String, TestCaseError> {
    if !matches!(
        refusal,
        Refusal::Invalid { .. }
            | Refusal::EventTypeUnknown(..)
            | Refusal::EventTypeNotSubscribable(..)
    ) {
        return Err(TestCaseError::fail(format!("{refusal:?}")));
    }
    let detail = &crate::tests::detail(refusal);
    let subject = detail.split(": ").next().unwrap_or_default();
    let first = subject.split(['.', '[']).next().unwrap_or_default();
    let whole = subject == detail || subject.starts_with("the body");
    let spoken_of = detail.starts_with("the body");
    let unknown = detail.contains(": unknown; ");
    prop_assert!(
        if whole {
            spoken_of
        } else {
            unknown || reader.whole.get(first).is_some()
        },
        "{}: {}",
        reader.name,
        detail
    );
    // Paths of a receiver's headers contain the names that were sent.
    prop_assert!(
        reader.name == "receiver" || !detail.contains(char::is_control),
        "{}: {:?}",
        reader.name,
        detail
    );
    prop_assert!(detail.chars().count() < 400, "{}: {}", reader.name, detail);
    Ok(detail.clone())
}

#[test]
fn complete_bodies_are_read() {
    for reader in readers() {
        let mut whole = reader.whole.clone();
        if reader.name == "group" {
            remove(&mut whole, "/userGroupId");
        }
        let read = (reader.read)(whole.to_string().as_bytes());
        assert!(read.is_ok(), "{}: {read:?}", reader.name);
    }
}

/// A member that nobody knows is refused in every object of every body, by its path.
#[test]
fn strangers_are_refused_everywhere() {
    for reader in readers() {
        let objects = pointers(&reader.whole).into_iter();
        // Header names of a receiver are arbitrary.
        for object in objects.filter(|pointer| pointer != "/headers") {
            let mut body = reader.whole.clone();
            let Some(members) = body.pointer_mut(&object).and_then(Value::as_object_mut) else {
                continue;
            };
            members.insert(
                "xUnknown".to_owned(),
                json!([{ "lanes": 7, "name": null }, "\0"]),
            );
            let Err(refusal) = (reader.read)(body.to_string().as_bytes()) else {
                panic!("{}: {body}", reader.name)
            };
            let detail = crate::tests::detail(&refusal);
            let path = path(&format!("{object}/xUnknown"));
            let expected = format!("{path}: unknown; ");
            assert!(detail.starts_with(&expected), "{}: {detail}", reader.name);
        }
    }
}

#[test]
fn refusals_name_the_wrong_member() {
    let readers = readers();
    let changes = prop::collection::vec((any::<Index>(), some_change()), 1..4);
    try_out(
        4_000,
        10..=60,
        (0..readers.len(), changes),
        |(at, changes)| {
            let reader = &readers[at];
            let mut body = reader.whole.clone();
            let changed: Vec<String> = changes
                .iter()
                .filter_map(|(at, change)| apply(&mut body, *at, change))
                .collect();
            let read = (reader.read)(body.to_string().as_bytes());
            // The notation does not matter.
            let again = (reader.read)(rewritten(&body).as_bytes());
            prop_assert_eq!(
                read.as_ref().ok(),
                again.as_ref().ok(),
                "{} {}",
                reader.name,
                body
            );
            let Err(refusal) = &read else { return Ok(true) };
            let detail = sentence(refusal, reader)?;
            if let [pointer] = &changed[..] {
                // Only one value can be wrong: the changed one, something in it, or a related one.
                let path = path(pointer);
                let near = path.rsplit_once('.').map_or("", |(near, _)| near);
                prop_assert!(
                    detail.starts_with(&path)
                        || detail.starts_with(near)
                        || detail.starts_with("the body"),
                    "{}: {path} was changed: {detail}",
                    reader.name
                );
            }
            Ok(false)
        },
    );
}

#[test]
fn any_json_is_read_or_refused() {
    let readers = readers();
    try_out(
        1_500,
        0..=30,
        (0..readers.len(), some_value()),
        |(at, value)| {
            let reader = &readers[at];
            match (reader.read)(value.to_string().as_bytes()) {
                Ok(_) => {
                    // The optional members.
                    prop_assert!(
                        value.is_null() || value.is_object(),
                        "{}: {}",
                        reader.name,
                        value
                    );
                    Ok(true)
                }
                Err(refusal) => sentence(&refusal, reader).map(|_| false),
            }
        },
    );
}

#[test]
fn damaged_text_is_read_only_if_it_is_json() {
    let readers = readers();
    let texts: Vec<String> = readers
        .iter()
        .map(|reader| reader.whole.to_string())
        .collect();
    let case =
        (0..readers.len()).prop_flat_map(move |at| (Just(at), bent_text(Just(texts[at].clone()))));
    try_out(4_000, 25..=80, case, |(at, text)| {
        let reader = &readers[at];
        let read = (reader.read)(text.as_bytes());
        match &read {
            // JSON that any parser accepts, with the same value after it is rendered.
            Ok(read) => {
                let value: Value = serde_json::from_str(&text)
                    .map_err(|why| TestCaseError::fail(format!("{text}: {why}")))?;
                let again = (reader.read)(value.to_string().as_bytes());
                prop_assert_eq!(again.as_ref().ok(), Some(read), "{}", text);
            }
            Err(refusal) => drop(sentence(refusal, reader)?),
        }
        Ok(read.is_ok())
    });
}

#[test]
fn bytes_that_are_not_utf8_are_refused() {
    let readers = readers();
    let bytes: Vec<Vec<u8>> = readers
        .iter()
        .map(|reader| reader.whole.to_string().into_bytes())
        .collect();
    let odd = prop_oneof![0x80..=0xff_u8, Just(0_u8), Just(b'"'), Just(b'\\')];
    let case = (0..readers.len())
        .prop_flat_map(move |at| (Just(at), bent(Just(bytes[at].clone()), odd.clone())));
    try_out(1_500, 20..=70, case, |(at, bytes)| {
        let reader = &readers[at];
        let read = (reader.read)(&bytes);
        if let Err(refusal) = &read {
            sentence(refusal, reader)?;
        }
        prop_assert!(
            read.is_err() || std::str::from_utf8(&bytes).is_ok(),
            "{}",
            bytes.escape_ascii()
        );
        Ok(read.is_ok())
    });
}

/// A retry is the same write regardless of notation, and a different body is a different write.
#[test]
fn writes_are_distinguished_by_content() {
    let readers = readers();
    try_out(
        1_500,
        60..=100,
        (0..readers.len(), any::<Index>(), some_change()),
        |(at, index, change)| {
            let hash = |body: &str| arrangement::body_hash("op", &["rot_1"], body.as_bytes());
            let whole = &readers[at].whole;
            prop_assert_eq!(hash(&whole.to_string()), hash(&rewritten(whole)));
            let mut body = whole.clone();
            apply(&mut body, index, &change);
            prop_assert_eq!(
                hash(&body.to_string()) == hash(&whole.to_string()),
                body == *whole
            );
            Ok(body != *whole)
        },
    );
}
