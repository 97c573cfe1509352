//! What people have done for them: nothing without `confirm`, and what is done is theirs.

use super::*;

/// How many changes the audit log has.
fn changes(rota: &Rota) -> usize {
    rota.caller().all("/v1/audit").len()
}

/// What the tools answer about requests, absences and the rotation before and after.
fn state(rota: &Rota, rotation: &Rot) -> Value {
    let path = format!("/v1/rotations/{}", rotation.id);
    json!([
        rotation.read()["version"],
        rota.caller().all(&format!("{path}/availability")),
        rota.caller().all("/v1/requests"),
        changes(rota),
    ])
}

/// rules.md 12.11.
#[test]
fn nothing_is_written_without_confirm() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let cell = rotation.cell_id(0);
    let [one, two] = ["U1", "U2"].map(|user| Assistant::of(&rota, user));
    let cover = json!({
        "code": rotation.id, "cellId": cell, "from": "2026-01-08T09:00:00Z", "to": "2026-01-08T12:00:00Z",
        "recipientUserIds": ["U2", "U3"], "reason": "a dentist",
    });
    let absence = json!({ "code": rotation.id, "from": "2026-01-10T00:00:00Z", "to": "2026-01-12T00:00:00Z" });
    let before = state(&rota, &rotation);
    for confirm in [None, Some(json!(false))] {
        for (tool, arguments) in [("request_cover", &cover), ("add_absence", &absence)] {
            let mut arguments = arguments.clone();
            if let Some(confirm) = &confirm {
                arguments["confirm"] = confirm.clone();
            }
            let found = one.call(tool, arguments);
            assert_eq!(found["done"], json!(false), "{tool}: {found}");
        }
    }
    for confirm in [json!("true"), json!(1), json!(null)] {
        let mut arguments = cover.clone();
        arguments["confirm"] = confirm.clone();
        let problem = one.refused("request_cover", arguments);
        assert!(
            text(&problem["detail"]).starts_with("confirm: "),
            "{confirm}: {problem}"
        );
    }
    assert_eq!(state(&rota, &rotation), before);

    let mut sent = cover.clone();
    sent["confirm"] = json!(true);
    let made = one.call("request_cover", sent);
    assert_eq!(made["done"], json!(true));
    let request = &made["made"]["request"];
    assert_eq!(request["reason"], json!("a dentist"));
    assert_eq!(request["recipientUserIds"], json!(["U2", "U3"]));
    let id = text(&request["id"]).to_owned();
    let seen = state(&rota, &rotation);
    for answer in ["accept", "decline"] {
        let found = two.call(
            "answer_cover",
            json!({ "coverRequestId": id, "answer": answer }),
        );
        assert_eq!(found["done"], json!(false));
        assert_eq!(found["cover"]["capability"]["canAccept"], json!(true));
    }
    assert_eq!(state(&rota, &rotation), seen);
    let accept = json!({ "coverRequestId": id, "answer": "accept", "confirm": true });
    // Whoever was not asked may not, and nobody may for others.
    let problem = one.refused("answer_cover", accept.clone());
    assert_eq!(problem["code"], json!("resource_denied"));
    let found = two.call("answer_cover", accept.clone());
    assert_eq!(found["cover"]["request"]["state"], json!("accepted"));
    assert_eq!(found["cover"]["request"]["acceptedUserId"], json!("U2"));
    let problem = two.refused("answer_cover", accept);
    assert_eq!(problem["code"], json!("coverAlreadyAccepted"));
    rota.to("2026-01-08T10:00Z");
    assert_eq!(rotation.on_call(), "U2");

    let mut sent = absence;
    sent["confirm"] = json!(true);
    let made = one.call("add_absence", sent);
    assert_eq!(made["absence"]["userId"], json!("U1"));
    let everywhere = json!({ "from": "2026-02-01T00:00:00Z", "to": "2026-02-02T00:00:00Z", "reason": "away", "confirm": true });
    let made = one.call("add_absence", everywhere);
    assert_eq!(made["absence"]["appliesTo"], json!("allRotations"));
    assert_eq!(made["absence"]["reason"], json!("away"));

    // Entries name the person and what the API calls it.
    let entries = rota.caller().all("/v1/audit?actor=person");
    let line =
        |entry: &Value| format!("{} {}", text(&entry["actor"]["id"]), text(&entry["action"]));
    let mut lines: Vec<String> = entries.iter().map(line).collect();
    lines.reverse();
    assert_eq!(
        lines,
        [
            "U1 createCoverRequest",
            "U2 acceptCoverRequest",
            "U1 createAbsence",
            "U1 createAbsence"
        ]
    );
    assert!(
        entries
            .iter()
            .all(|entry| text(&entry["requestId"]).starts_with("req_"))
    );
}

#[test]
fn keys_and_strangers_write_nothing() {
    let rota = Rota::at(MONDAY);
    let mut people = directory(4);
    people["users"][3]["isExternal"] = json!(true);
    rota.import(&people);
    let rotation = rota.daily("U1 U2", 1);
    let key = Assistant::new(&rota, &rota.caller().credential.unwrap());
    let names = ["request_cover", "answer_cover", "add_absence"];
    assert!(
        names
            .iter()
            .all(|name| !key.tools().contains(&(*name).to_owned()))
    );
    for name in names {
        let answer = key.ask("tools/call", json!({ "name": name, "arguments": {} }));
        assert_eq!(answer["error"]["code"], json!(-32602), "{name}");
    }
    let strangers = ["U3", "U4"].map(|user| (user, Assistant::of(&rota, user)));
    let before = state(&rota, &rotation);
    // Somebody from outside sees nothing; others do not see rotations that they are not in.
    for (user, assistant) in strangers {
        assert_eq!(assistant.tools().len(), 10);
        assert_eq!(
            assistant.call("list_rotations", json!({}))["data"],
            json!([])
        );
        let absence = json!({ "code": rotation.id, "from": "2026-01-10T00:00:00Z", "to": "2026-01-12T00:00:00Z", "confirm": true });
        assert_eq!(
            assistant.refused("add_absence", absence)["code"],
            json!("not_found"),
            "{user}"
        );
        let cover = json!({
            "code": rotation.id, "cellId": rotation.cell_id(0), "from": "2026-01-08T09:00:00Z", "to": "2026-01-08T12:00:00Z",
            "recipientUserIds": ["U1"], "confirm": true,
        });
        assert_eq!(
            assistant.refused("request_cover", cover)["code"],
            json!("not_found"),
            "{user}"
        );
    }
    assert_eq!(state(&rota, &rotation), before);
}
