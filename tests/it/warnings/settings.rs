//! Which warnings a rotation wants.

use super::*;

#[test]
fn they_begin_as_usual_and_are_written_as_a_whole_or_in_part() {
    let rota = Rota::with_people(2);
    let rotation = rota.daily("U1", 1);
    let read = || rotation.get("/warning-settings").is(200).json();
    assert_eq!(read(), json!({ "off": [], "shortRestHours": 11 }));
    let etag = rotation.etag();
    let put = |body: Value| rotation.put("/warning-settings", body).is(200);
    let answer = put(json!({ "off": ["unfair", "backToBack", "noFallback"], "shortRestHours": 8 }));
    let expected = json!({ "off": ["noFallback", "backToBack", "unfair"], "shortRestHours": 8 });
    assert_eq!(answer.json(), expected);
    assert_eq!(answer.etag(), rotation.etag());
    assert_ne!(answer.etag(), etag);
    assert_eq!(read(), expected);
    assert_eq!(rotation.warnings(7), [Value::Null; 0]);
    put(json!({ "shortRestHours": "168" }));
    put(json!({ "off": [] }));
    assert_eq!(read(), json!({ "off": [], "shortRestHours": 168 }));
    assert!(!rotation.warnings(7).is_empty());
    // The same again changes nothing, and what was read can be sent back.
    let before = rotation.etag();
    assert_eq!(put(read()).etag(), before);
    // What was stored is there in the next process.
    put(json!({ "off": ["nobody"] }));
    assert_eq!(read()["off"], json!(["nobody"]));
}

#[test]
fn what_cannot_be_is_named() {
    let rota = Rota::with_people(2);
    let rotation = rota.rotation("U1 U2");
    let etag = rotation.etag();
    let wrong = |member: &str, value: Value| {
        let body = json!({ member: value });
        rotation.put("/warning-settings", body).names(member);
    };
    for value in [
        json!(0),
        json!(-1),
        json!(169),
        json!(1.5),
        json!(null),
        json!("x"),
        json!([]),
    ] {
        wrong("shortRestHours", value);
    }
    for value in [json!(null), json!("nobody"), json!({}), json!([1])] {
        wrong("off", value);
    }
    for value in [
        json!(["everything"]),
        json!(["Nobody"]),
        json!(["nobody", "x"]),
    ] {
        rotation
            .put("/warning-settings", json!({ "off": value }))
            .is(400);
    }
    rotation
        .put("/warning-settings", json!({ "on": [] }))
        .names("on");
    assert_eq!(rotation.etag(), etag);
    let path = rotation.path("/warning-settings");
    let body = json!({ "off": ["nobody"] });
    rota.caller()
        .request("PUT", &path)
        .json(&body)
        .send()
        .is(428);
    rota.caller().put_if(&path, "\"old\"", body.clone()).is(412);
    rota.with(&rota.key("read:rotations"))
        .put_if(&path, "*", body.clone())
        .refused(403, "scope_denied");
    rota.with(&rota.token("U2"))
        .put_if(&path, "*", body)
        .is(403);
    let entries = || {
        rota.caller()
            .all(&format!("/v1/audit?rotationId={}", rotation.id))
            .len()
    };
    let before = entries();
    rotation
        .put(
            "/warning-settings",
            json!({ "off": ["nobody"], "shortRestHours": 9 }),
        )
        .is(200);
    assert_eq!(entries(), before + 1);
    let newest = rota
        .caller()
        .get(&format!("/v1/audit?rotationId={}", rotation.id))
        .is(200)
        .json()["data"][0]
        .clone();
    assert_eq!(newest["action"], "setWarningSettings");
    let summary = text(&newest["summary"]);
    assert!(
        summary.contains("nobody") && summary.contains("9 hours"),
        "{summary}"
    );
}
