//! A write runs once under its operationId.

use crate::support::*;
use serde_json::{Value, json};

#[test]
fn a_retry_is_answered_as_the_first_try_and_does_nothing() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let stale = rotation.etag();
    let (u2, u3) = (rotation.seen_by("U2"), rotation.seen_by("U3"));
    let create = rotation.path("/cover-requests");
    let body = rotation.cover_body("06 07", "U3 U1");
    let first = u2.by.post_if(&create, &stale, body.clone()).is(200);
    let request = text(&first.json()["request"]["request"]["id"]).to_owned();
    let path = |step: &str| rotation.path(&format!("/cover-requests/{request}/{step}"));
    let step =
        |revision: u64| json!({ "operationId": unique("step"), "expectedRevision": revision });
    let (decline, accept, end) = (step(1), step(2), step(3));
    let declined = u3
        .by
        .post_if(&path("decline"), &first.etag(), decline.clone());
    let declined = declined.is(200);
    let accepted = u3
        .by
        .post_if(&path("accept"), &declined.etag(), accept.clone());
    let accepted = accepted.is(200);
    let ended = u2.by.post_if(&path("end"), &accepted.etag(), end.clone());
    let ended = ended.is(200);
    rotation.patch(json!({ "name": "Other" })).is(200);
    rota.advance(DAY);
    let before = (rotation.etag(), rotation.agreements());
    for (by, path, validator, body, answer) in [
        (&u2, create, &stale, body, &first),
        (&u3, path("decline"), &first.etag(), decline, &declined),
        (&u3, path("accept"), &declined.etag(), accept, &accepted),
        (&u2, path("end"), &accepted.etag(), end, &ended),
    ] {
        // With the old ETag or another; with another token of the same person; with members in another order.
        let again = by.by.post_if(&path, validator, body.clone()).is(200);
        assert_eq!((again.text(), again.etag()), (answer.text(), answer.etag()));
        let again = by.by.post_if(&path, "*", body.clone()).is(200);
        assert_eq!(again.text(), answer.text());
        let user = if std::ptr::eq(by, &u2) { "U2" } else { "U3" };
        let spaced = serde_json::to_string_pretty(&body).unwrap();
        let again = rotation
            .seen_by(user)
            .by
            .request("POST", &path)
            .header("If-Match", "*")
            .header("Content-Type", PLAIN_JSON)
            .body(spaced)
            .send()
            .is(200);
        assert_eq!(again.text(), answer.text());
        // Another body, and a body for another path.
        let mut other = body.clone();
        other["reason"] = json!("another");
        let answer = by.by.post_if(&path, "*", other);
        answer.refused(409, "operationIdReused");
    }
    assert_eq!((rotation.etag(), rotation.agreements()), before);
}

#[test]
fn an_operation_id_belongs_to_one_person_and_one_write() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let other = rota.daily("U1 U2 U3", 1);
    let named = |mut body: Value| {
        body["operationId"] = json!("same");
        body
    };
    let body = named(rotation.cover_body("06 07", "U3 U1"));
    // Previews and refusals do not use the id.
    let asker = rotation.seen_by("U2");
    asker
        .request("cover-requests/preview", body.clone())
        .is(200);
    let wrong = named(rotation.cover_body("07 08", "U3 U1"));
    asker
        .request("cover-requests", wrong.clone())
        .refused(409, "notYourDuty");
    let stale = asker
        .by
        .post_if(&rotation.path("/cover-requests"), "\"old\"", body.clone());
    stale.refused(412, "precondition_failed");
    let asked = rotation.made("cover-requests", "U2", body);
    asker
        .request("cover-requests", wrong)
        .refused(409, "operationIdReused");
    // A preview does not require one.
    asker
        .request(
            "cover-requests/preview",
            named(rotation.cover_body("06 06T20", "U3")),
        )
        .is(200);
    // Another path of the same person; other people.
    let answer = asked.step_with("U2", "cancel", json!({ "operationId": "same" }));
    answer.refused(409, "operationIdReused");
    let answer = other
        .seen_by("U2")
        .request("cover-requests", named(other.cover_body("06 07", "U3 U1")));
    answer.refused(409, "operationIdReused");
    rotation.made(
        "cover-requests",
        "U3",
        named(rotation.cover_body("07 08", "U2")),
    );
    asked
        .step_with("U1", "decline", json!({ "operationId": "same" }))
        .is(200);
    assert_eq!(asked.state_line(), "pending 2 -");
}

#[test]
fn operations_are_remembered_for_thirty_days() {
    let rota = Rota::with_people(2);
    let rotation = rota.daily("U1 U2", 1);
    let body = rotation.cover_body("05T10 05T12", "U2");
    let by = rotation.seen_by("U1");
    let first = by.request("cover-requests", body.clone()).is(200);
    rota.advance(30 * DAY - 1);
    let again = by.request("cover-requests", body.clone()).is(200);
    assert_eq!(again.text(), first.text());
    rota.advance(1 + DAY);
    let (now, later) = (rota.now(), plus(&rota.now(), HOUR));
    let mut other = body;
    (other["from"], other["to"]) = (json!(rfc(&now)), json!(rfc(&later)));
    let user = rotation.on_call();
    other["recipientUserIds"] = json!([if user == "U1" { "U2" } else { "U1" }]);
    assert_eq!(user, "U1", "who asks is on call again");
    by.request("cover-requests", other).is(200);
}
