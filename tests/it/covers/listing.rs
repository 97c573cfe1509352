//! Lists of requests, and the caller's possible requests.

use crate::support::*;
use serde_json::{Value, json};

fn path(what: &str, period: &str, cursor: Option<&str>) -> String {
    let [from, to] = ends(period);
    let cursor = cursor.map(|cursor| format!("&cursor={cursor}"));
    format!("/{what}?from={from}&to={to}{}", cursor.unwrap_or_default())
}

fn ids(page: &Value) -> Vec<String> {
    let items = page["items"].as_array().expect("items");
    let ids = items
        .iter()
        .map(|item| text(&item["request"]["id"]).to_owned());
    ids.collect()
}

#[test]
fn a_list_holds_what_meets_the_range() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let asked = rotation.ask_cover("U2", "06T10 06T12", "U3 U1");
    let other = rotation.ask_cover("U3", "07T10 07T12", "U1");
    other.step("U3", "cancel").is(200);
    for (period, found) in [
        ("05 06T10", ""),
        ("05 06T10:01", "06"),
        ("06T11 06T11:01", "06"),
        ("06T11:59 07T10", "06"),
        ("06T12 07T10", ""),
        ("06 08", "06 07"),
        ("07T11 09", "07"),
        ("07T12 09", ""),
    ] {
        let answer = rotation.get(&path("cover-requests", period, None)).is(200);
        assert_eq!(answer.etag(), rotation.etag());
        let page = answer.json();
        let days = |item: &Value| day(&item["request"]["from"])[..2].to_owned();
        let days: Vec<String> = page["items"].as_array().unwrap().iter().map(days).collect();
        assert_eq!(days.join(" "), found, "{period}");
        assert_eq!(interval(&page), period);
        assert_eq!(page["complete"], json!(true));
        assert_eq!(page["nextCursor"], Value::Null);
    }
    // The same as a single read, for every reader.
    for reader in [
        rotation.clone(),
        rotation.seen_by("U2"),
        rotation.seen_by("U3"),
    ] {
        let page = reader
            .get(&path("cover-requests", "06 07", None))
            .is(200)
            .json();
        let one = reader
            .get(&format!("/cover-requests/{}", asked.id))
            .is(200)
            .json();
        assert_eq!(page["items"], json!([one]));
    }
    let swaps = rotation
        .get(&path("swap-requests", "01 12", None))
        .is(200)
        .json();
    assert_eq!(swaps["items"], json!([]));
    let (from, to) = (when("05"), when("06"));
    for (query, named) in [
        (format!("from={from}"), "to"),
        (format!("to={to}"), "from"),
        (format!("from=soon&to={to}"), "from"),
        (format!("from={to}&to={from}"), "to"),
    ] {
        rotation
            .get(&format!("/cover-requests?{query}"))
            .names(named);
    }
}

#[test]
fn pages_hold_a_hundred_and_follow_one_another() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let (cell, asker) = (rotation.place(0), rotation.seen_by("U2"));
    // Also many at one instant.
    let ask = |n: i64| {
        let from = plus(&when("06"), n / 3 * MINUTE);
        let body = json!({
            "operationId": unique("cover"), "cellId": cell, "from": rfc(&from), "to": when("06T20"),
            "recipientUserIds": ["U3"],
        });
        let answer = asker.request("cover-requests", body).is(200).json();
        text(&answer["request"]["request"]["id"]).to_owned()
    };
    let mut made: Vec<String> = (0..200).map(ask).collect();
    let whole = rotation
        .get(&path("cover-requests", "06 07", None))
        .is(200)
        .json();
    assert_eq!(
        (ids(&whole).len(), &whole["complete"]),
        (100, &json!(false))
    );
    let next = text(&whole["nextCursor"]).to_owned();
    let second = rotation
        .get(&path("cover-requests", "06 07", Some(&next)))
        .is(200)
        .json();
    assert_eq!(ids(&second).len(), 100);
    assert_eq!(
        (&second["complete"], &second["nextCursor"]),
        (&json!(true), &Value::Null)
    );
    assert_eq!(second["capabilities"], whole["capabilities"]);
    // A reader sees each once, whatever is written meanwhile.
    made.push(ask(5));
    let mut seen = ids(&whole);
    let mut cursor = Some(next.clone());
    while let Some(next) = cursor {
        let page = rotation
            .get(&path("cover-requests", "06 07", Some(&next)))
            .is(200)
            .json();
        assert!(ids(&page).len() <= 100);
        seen.extend(ids(&page));
        cursor = page["nextCursor"].as_str().map(str::to_owned);
        assert_eq!(page["complete"], json!(cursor.is_none()));
    }
    let mut once = seen.clone();
    once.sort();
    once.dedup();
    assert_eq!(once.len(), seen.len(), "one came twice");
    assert!(made.iter().filter(|id| !seen.contains(id)).count() <= 1);

    // A cursor is valid only for its list and range.
    let other = rota.daily("U1 U2 U3", 1);
    let mut odd = next.clone();
    odd.pop();
    for (on, what, period, cursor) in [
        (&rotation, "cover-requests", "06 08", &*next),
        (&rotation, "cover-requests", "05 07", &*next),
        (&rotation, "swap-requests", "06 07", &*next),
        (&other, "cover-requests", "06 07", &*next),
        (&rotation, "cover-requests", "06 07", "nonsense"),
        (&rotation, "cover-requests", "06 07", "x"),
        (&rotation, "cover-requests", "06 07", "%20"),
        (&rotation, "cover-requests", "06 07", "%F0%9F%98%80"),
        (&rotation, "cover-requests", "06 07", &*odd),
    ] {
        let answer = on.get(&path(what, period, Some(cursor)));
        answer.refused(422, "invalidCoverCursor");
    }
    // The same range in another notation, by another reader.
    let from = when("06").replace('Z', "%2B00:00");
    let words = format!(
        "/cover-requests?from={from}&to={}&cursor={next}",
        when("07")
    );
    rotation.seen_by("U1").get(&words).is(200);
}

/// By cell: whether the caller may ask, and whom.
fn capabilities(page: &Value) -> Vec<String> {
    let capability = |found: &Value| {
        let can = found["canRequest"] == json!(true);
        assert_eq!(found["reason"].is_null(), can, "{found}");
        let people = found["eligibleUserIds"].as_array().expect("people");
        let people: Vec<&str> = people.iter().map(text).collect();
        format!("{can} {}", people.join(" ")).trim_end().to_owned()
    };
    let found = page["capabilities"].as_array().expect("capabilities");
    found.iter().map(capability).collect()
}

#[test]
fn capabilities_say_in_which_cells_one_may_ask_whom() {
    let rota = Rota::with_people(5);
    let rotation = rota.daily("U1 U2 U3 U4", 2);
    rotation.patch(json!({ "public": true })).is(200);
    rota.advance(HOUR);
    // U1 and U2 today, U3 and U4 from the 6th.
    let cells = [rotation.place(0), rotation.place(1)];
    for (user, period, expected) in [
        ("U1", "05 06", ["true U2 U3 U4", "false U2 U3 U4"]),
        ("U2", "05 06", ["false U1 U3 U4", "true U1 U3 U4"]),
        ("U3", "05 06", ["false U1 U2 U4", "false U1 U2 U4"]),
        ("U3", "05 06T09:01", ["true U1 U2 U4", "false U1 U2 U4"]),
        ("U1", "06 07", ["false U2 U3 U4", "false U2 U3 U4"]),
        ("U1", "06 08", ["true U2 U3 U4", "false U2 U3 U4"]),
        // What has ended cannot be given away.
        ("U1", "05T08 05", ["false U2 U3 U4", "false U2 U3 U4"]),
        ("U1", "04 05T12", ["true U2 U3 U4", "false U2 U3 U4"]),
    ] {
        let by = rotation.seen_by(user);
        let page = by.get(&path("cover-requests", period, None)).is(200).json();
        assert_eq!(capabilities(&page), expected, "{user} {period}");
        for (found, cell) in page["capabilities"].as_array().unwrap().iter().zip(&cells) {
            assert_eq!(text(&found["cellId"]), cell);
        }
    }
    let may_ask = |rot: &Rot| {
        let page = rot
            .get(&path("cover-requests", "05 12", None))
            .is(200)
            .json();
        let found = capabilities(&page);
        found.iter().any(|line| line.starts_with("true"))
    };
    assert!(may_ask(&rotation.seen_by("U4")));
    assert!(!may_ask(&rotation.seen_by("U5")), "no member");
    let page = rotation
        .get(&path("cover-requests", "05 12", None))
        .is(200)
        .json();
    assert_eq!(capabilities(&page), ["false", "false"], "a key is nobody");
    // A duty by arrangement counts as the person's own.
    rotation.assign_at(0, "U4", "05T12 05T15");
    let page = |user: &str| {
        let by = rotation.seen_by(user);
        by.get(&path("cover-requests", "05T12 05T15", None))
            .is(200)
            .json()
    };
    assert_eq!(capabilities(&page("U4"))[0], "true U1 U2 U3");
    assert_eq!(capabilities(&page("U1"))[0], "false U2 U3 U4");
    rotation.patch(json!({ "enabled": false })).is(200);
    assert!(!may_ask(&rotation.seen_by("U4")));
}
