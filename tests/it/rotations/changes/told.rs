//! What is told of changes that wait and of changes that were made: explanations, events, headers, warnings, and the chat group of
//! whoever is on call.

use crate::events::Reader;
use crate::support::*;
use serde_json::{Value, json};

/// rules.md 30.4.
#[test]
fn an_explanation_names_the_change_and_who_made_it() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let made = rotation.stage(json!({ "at": "2026-01-07T12:00:00Z", "remove": ["U2"] }));
    let steps = |instant: &str| -> Vec<Value> {
        let told = rotation
            .get(&format!("/explain?at={instant}"))
            .is(200)
            .json();
        let steps = told["cells"][0]["steps"].as_array().expect("steps").clone();
        steps
            .into_iter()
            .filter(|step| step["rule"] == "change")
            .collect()
    };
    // Until then, and on a turn that is dealt as without it.
    assert_eq!(steps("2026-01-06T12:00:00Z"), [json!(null); 0]);
    let found = steps("2026-01-09T12:00:00Z");
    assert_eq!(found.len(), 1, "{found:?}");
    let step = &found[0];
    assert_eq!((&step["changeId"], &step["at"]), (&made["id"], &made["at"]));
    assert_eq!(step["by"], made["createdBy"]);
    assert!(text(&step["text"]).ends_with('.'), "{step}");
    // A cell that is only there then has it too.
    let grid = rotation.grid(2, &[always(daily())]);
    let added = rotation.stage(json!({ "at": "2026-01-10T12:00:00Z", "coverage": grid }));
    let told = rotation
        .get("/explain?at=2026-01-11T12:00:00Z")
        .is(200)
        .json();
    let cells = told["cells"].as_array().expect("cells");
    assert_eq!(cells.len(), 2);
    let of_added = &cells[1]["steps"][0];
    assert_eq!(
        (&of_added["rule"], &of_added["changeId"]),
        (&json!("change"), &added["id"])
    );
}

/// rules.md 30.2.
#[test]
fn events_of_a_change_carry_its_id() {
    let rota = Rota::with_people(4);
    let mut reader = Reader::new(&rota);
    let rotation = rota.daily("U1 U2 U3", 1);
    reader.news();
    let first = json!({ "at": "nextHandOver", "remove": ["U2"] });
    let first = rotation.stage(first);
    let stored = reader.news();
    let told = |news: &[Value]| -> Vec<String> {
        let line = |body: &Value| {
            let cause = body["cause"].as_str().unwrap_or("-");
            let change = body["changeId"].as_str().unwrap_or("-");
            format!("{} {cause} {change}", text(&body["eventType"]))
        };
        news.iter().map(line).collect()
    };
    assert_eq!(
        told(&stored),
        ["rotation.updated - -"],
        "storing is an edit"
    );
    let second = json!({ "at": first["at"], "rotation": { "description": "Both" } });
    let second = rotation.stage(second);
    let third = json!({ "at": "2026-01-07T12:00:00Z", "rotation": { "description": "Both" } });
    rotation.stage(third);
    reader.news();
    let before = rotation.etag();
    rota.to("2026-01-06T09:00:00Z");
    // Two changes of one instant: one version, with the id of the last.
    let news = reader.news();
    let id = text(&second["id"]);
    assert_eq!(
        told(&news),
        [
            format!("rotation.updated - {id}"),
            format!("duty.changed scheduled {id}")
        ]
    );
    assert_eq!(news[0]["version"], news[1]["version"]);
    assert_ne!(rotation.etag(), before);
    assert_eq!(rotation.on_call(), "U3");
    // What changes nothing is no event, and the next hand-over is nobody's change.
    rota.to("2026-01-07T13:00:00Z");
    assert_eq!(told(&reader.news()), ["duty.changed scheduled -"]);
    // Each has its own entry, with what it changed.
    let entries = rota.audit(&format!(
        "rotationId={}&action=applyScheduledChange",
        rotation.id
    ));
    let summary = |change: &Value| {
        let entry = entries
            .iter()
            .find(|entry| entry["subject"] == change["id"]);
        text(&entry.expect("an entry")["summary"]).to_owned()
    };
    assert_eq!(entries.len(), 2, "{entries:?}");
    let (of_first, of_second) = (summary(&first), summary(&second));
    assert!(
        of_first.contains("members") && !of_first.contains("description"),
        "{of_first}"
    );
    assert!(
        of_second.contains("description") && !of_second.contains("members"),
        "{of_second}"
    );
}

/// The values of a header that may be there more than once.
fn warnings(answer: &Answer) -> Vec<String> {
    let headers = answer.reply.headers.iter();
    let named = headers.filter(|(name, _)| name.eq_ignore_ascii_case("X-Rota-Warning"));
    named.map(|(_, value)| value.clone()).collect()
}

fn failing(rotation: &Rot) -> Vec<String> {
    let found = rotation.by.all(&rotation.path("/warnings?days=30"));
    let of_kind = found.iter().filter(|one| one["kind"] == "changeWillFail");
    let line = |one: &Value| {
        assert_eq!(one["severity"], "high", "{one}");
        text(&one["from"]).to_owned()
    };
    of_kind.map(line).collect()
}

/// rules.md 30.3.
#[test]
fn an_edit_that_makes_a_change_fail_says_so() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2", 1);
    let (soon, later) = ("2026-01-08T12:00:00Z", "2026-01-10T12:00:00Z");
    let mut grid = rotation.grid(1, &[always(daily())]);
    grid["cells"][0]["rosterId"] = json!("emea");
    rotation.put("/coverage", grid).is(200);
    let roster = json!({ "rosters": { "emea": { "userIds": ["U2"] } } });
    let stage = |instant: &str| {
        let mut body = roster.clone();
        body["at"] = json!(instant);
        rotation.stage(body)
    };
    let changes = [stage(soon), stage(later)];
    assert_eq!(failing(&rotation), [""; 0]);
    // A roster can only be narrowed to members.
    let answer = rotation.patch(json!({ "userIds": ["U1", "U3"] })).is(200);
    let expected: Vec<String> = changes
        .iter()
        .map(|change| format!("changeWillFail {}", text(&change["id"])))
        .collect();
    assert_eq!(warnings(&answer), expected);
    assert_eq!(failing(&rotation), [soon, later]);
    // It is told once, by the edit that did it.
    let answer = rotation.patch(json!({ "description": "more" })).is(200);
    assert_eq!(warnings(&answer), [""; 0]);
    assert_eq!(failing(&rotation).len(), 2);
    // The plan goes on without it.
    let plan = rotation.turns("schedule", soon, later);
    assert!(
        plan.iter().all(|turn| turn.get("changeId").is_none()),
        "{plan:?}"
    );
    assert!(plan.iter().any(|turn| turn["userId"] == "U3"), "{plan:?}");
    // A disabled rotation has nothing planned, and its changes fail all the same.
    rotation.patch(json!({ "enabled": false })).is(200);
    let all = rotation.by.all(&rotation.path("/warnings?days=30"));
    let kinds: Vec<&str> = all.iter().map(|one| text(&one["kind"])).collect();
    assert_eq!(kinds, ["changeWillFail", "changeWillFail"]);
    let among = rota.caller().all("/v1/warnings?days=30");
    assert_eq!(among.len(), 2, "{among:?}");
    rotation.patch(json!({ "enabled": true })).is(200);
    // Until it would be made again.
    let answer = rotation.patch(json!({ "userIds": ["U1", "U2"] })).is(200);
    assert_eq!(warnings(&answer), [""; 0]);
    assert_eq!(failing(&rotation), [""; 0]);
}

/// An import does it without a header.
#[test]
fn an_import_that_makes_a_change_fail_is_warned_of() {
    let rota = Rota::with_people(4);
    let rotation = rota.daily("U1 U2", 1);
    rotation
        .stage(json!({ "at": "2026-01-08T12:00:00Z", "rotation": { "userIds": ["U1", "U4"] } }));
    assert_eq!(failing(&rotation), [""; 0]);
    rota.people(3);
    assert_eq!(failing(&rotation), ["2026-01-08T12:00:00Z"]);
    rota.people(4);
    assert_eq!(failing(&rotation), [""; 0]);
}

/// The group of a handle is made when the change is stored, and bound when it is made.
#[test]
fn an_on_duty_group_is_made_at_once_and_bound_then() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2", 1);
    let made = rotation.stage(json!({
        "at": "2026-01-07T12:00:00Z", "onDutyGroup": { "handle": "ops-oncall" },
    }));
    let group = text(&made["body"]["onDutyGroup"]["userGroupId"]).to_owned();
    assert!(
        made["body"]["onDutyGroup"].get("handle").is_none(),
        "{made}"
    );
    let groups = rota.caller().all("/v1/groups");
    let known = groups.iter().find(|one| one["id"] == json!(group));
    assert_eq!(known.expect("the group")["handle"], "ops-oncall");
    assert_eq!(rotation.read()["onDutyUserGroupId"], Value::Null);
    rota.to("2026-01-07T12:00:00Z");
    assert_eq!(rotation.read()["onDutyUserGroupId"], json!(group));
    rotation.stage(json!({ "at": "2026-01-08T12:00:00Z", "onDutyGroup": null }));
    rota.to("2026-01-08T12:00:00Z");
    assert_eq!(rotation.read()["onDutyUserGroupId"], Value::Null);
}
