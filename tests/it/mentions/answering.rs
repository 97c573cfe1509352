//! Acknowledging and passing: the state of a mention after each step, and who may take one.

use crate::support::*;
use serde_json::json;

/// rules.md 15.1.
#[test]
fn a_mention_runs_its_course() {
    // U1 and U2 are on call in two slots. The notice of each step in one word.
    for (steps, stands, posted) in [
        ("", "open U1+U2", ""),
        ("U1 acknowledge", "acknowledged U1+U2 by U1", "U1"),
        ("U2 acknowledge", "acknowledged U1+U2 by U2", "U2"),
        ("U1 pass", "open U1+U2 without U1", ""),
        ("U1 pass, U1 pass", "open U1+U2 without U1", ""),
        ("U1 pass, U2 pass", "passed U1+U2 without U1+U2", "passed"),
        ("U2 pass, U1 pass", "passed U1+U2 without U2+U1", "passed"),
        (
            "U1 pass, U2 acknowledge",
            "acknowledged U1+U2 without U1 by U2",
            "U2",
        ),
        (
            "U1 pass, U1 acknowledge",
            "acknowledged U1+U2 without U1 by U1",
            "U1",
        ),
    ] {
        let rota = Rota::with_people(4);
        let rotation = rota.daily("U1 U2 U3", 2);
        let etag = rotation.etag();
        let mention = rotation.mention("U4");
        rota.advance(60);
        for step in steps.split(", ").filter(|step| !step.is_empty()) {
            let (user, step) = step.split_once(' ').unwrap();
            mention.after(user, step);
        }
        assert_eq!(mention.state_line(), stands, "{steps}");
        let closed = instant(&mention.record()["closedAt"]);
        let open = stands.starts_with("open");
        assert_eq!(
            closed,
            if open { "-" } else { "2026-01-05T08:01Z" },
            "{steps}"
        );
        let text = match posted {
            "" => None,
            "passed" => {
                Some("Rotation: everybody on call has passed on Person U4's question.".to_owned())
            }
            user => Some(format!("Rotation: Person {user} answers Person U4.")),
        };
        assert_eq!(rota.messages_to("C1")[1..], Vec::from_iter(text), "{steps}");
        // Duty has not changed.
        assert_eq!(
            (rotation.etag(), rotation.on_call().as_str()),
            (etag, "U1 U2")
        );
    }
}

#[test]
fn only_somebody_notified_answers() {
    let rota = Rota::with_people(0);
    let mut people = directory(5);
    people["users"][4]["isAdmin"] = json!(true);
    rota.import(&people);
    let rotation = rota.daily("U1 U2 U3", 1);
    // Everyone may see it.
    rotation.patch(json!({ "public": true })).is(200);
    let mention = rotation.mention("U4");
    for step in ["acknowledge", "pass"] {
        // A member who is not on call, the requester, an admin.
        for user in ["U2", "U3", "U4", "U5"] {
            mention.step(user, step).refused(403, "resource_denied");
        }
        let path = mention.path(&format!("/{step}"));
        let post = |by: Caller| by.request("POST", &path).send();
        post(rota.caller()).refused(403, "scope_denied");
        post(rota.anyone()).refused(401, "missing_credential");
        post(rota.with("svc_mbr_x_y")).refused(401, "unknown");
        let unknown = format!("/v1/mentions/men_unknown/{step}");
        let token = rota.token("U1");
        rota.with(&token)
            .request("POST", &unknown)
            .send()
            .refused(404, "");
        for method in ["GET", "PUT", "DELETE"] {
            let answer = rota.with(&token).request(method, &path).send();
            assert_eq!(answer.header("allow"), Some("POST"), "{method}");
            answer.refused(405, "");
        }
    }
    assert_eq!(mention.state_line(), "open U1");
    // The owner is on call, and may answer as a notified person.
    assert_eq!(mention.after("U1", "acknowledge"), "acknowledged U1 by U1");
}

#[test]
fn a_closed_mention_takes_no_answer() {
    let rota = Rota::with_people(4);
    let rotation = rota.daily("U1 U2 U3", 1);
    let (taken, left) = (rotation.mention("U4"), rotation.mention("U4"));
    taken.step("U1", "acknowledge").is(200);
    left.step("U1", "pass").is(200);
    let late = rotation.mention("U4");
    rota.to("2026-01-05T09:00Z");
    for (mention, state) in [
        (&taken, "acknowledged"),
        (&left, "passed"),
        (&late, "expired"),
    ] {
        let before = (mention.record(), rota.messages_to("C1"));
        for step in ["acknowledge", "pass"] {
            let problem = mention.step("U1", step).refused(409, "mentionNotOpen");
            let detail = text(&problem["detail"]);
            assert!(detail.contains(state), "{detail}");
            // A person who was not notified learns nothing.
            mention.step("U2", step).refused(403, "resource_denied");
        }
        assert_eq!((mention.record(), rota.messages_to("C1")), before);
    }
    // Nobody was notified, so nobody may answer.
    rotation.clear().is(200);
    let nobody = rotation.mention("U4");
    nobody
        .step("U1", "acknowledge")
        .refused(403, "resource_denied");
}

#[test]
fn whoever_was_asked_answers_also_after_going_off_call() {
    let rota = Rota::with_people(4);
    let rotation = rota.daily("U1 U2 U3", 1);
    rota.to("2026-01-06T08:50Z");
    let (taken, left) = (rotation.mention("U4"), rotation.mention("U4"));
    rota.to("2026-01-06T09:10Z");
    assert_eq!(rotation.on_call(), "U2");
    taken
        .step("U2", "acknowledge")
        .refused(403, "resource_denied");
    assert_eq!(taken.after("U1", "acknowledge"), "acknowledged U1 by U1");
    assert_eq!(left.after("U1", "pass"), "passed U1 without U1");
    assert_eq!(rotation.mention("U4").state_line(), "open U2");
}

#[test]
fn answers_look_at_no_body() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2", 1);
    let mention = rotation.mention("U3");
    let by = rota.with(&rota.token("U1"));
    let post = |step: &str| by.request("POST", &mention.path(&format!("/{step}")));
    let answer = post("pass").header("Content-Type", "text/plain").body("{");
    assert_eq!(
        mention_line(&answer.send().is(200).json()),
        "passed U1 without U1"
    );
}

#[test]
fn of_answers_at_one_time_one_counts() {
    let rota = Rota::with_people(4);
    let tokens = ["U1", "U2"].map(|user| rota.token(user));
    for _ in 0..5 {
        let rotation = rota.daily("U1 U2 U3", 2);
        rotation.set_mention_settings(json!({ "rotateAfterAcknowledgement": true }));
        let mention = rotation.mention("U4");
        let path = mention.path("/acknowledge");
        let request = |token: &String| {
            format!("POST {path} HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer {token}\r\n\r\n")
        };
        // All are sent before any is answered.
        let mut asking = [(); 2].map(|()| Connection::open(rota.address()));
        for (one, token) in asking.iter_mut().zip(&tokens) {
            one.send(request(token));
        }
        let mut statuses = asking.map(|mut one| one.answer("POST").expect("an answer").status);
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 409]);
        // One of the two has handed over to U3, and the other stays.
        let (stands, on_call) = (mention.state_line(), rotation.on_call());
        let expected = match stands.as_str() {
            "acknowledged U1+U2 by U1" => "U3 U2",
            "acknowledged U1+U2 by U2" => "U1 U3",
            other => panic!("{other}"),
        };
        assert_eq!(on_call, expected, "{stands}");
    }
}

#[test]
fn a_channel_that_is_gone_holds_up_no_answer() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2", 1);
    let (taken, late) = (rotation.mention("U3"), rotation.mention("U3"));
    let posted = rota.messages_to("C1");
    let mut elsewhere = directory(3);
    elsewhere["channels"] = json!([channel("C2", true, true)]);
    rota.import(&elsewhere);
    assert_eq!(taken.after("U1", "acknowledge"), "acknowledged U1 by U1");
    rota.to("2026-01-05T09:00Z");
    assert_eq!(late.state_line(), "expired U1");
    assert_eq!(rota.messages_to("C1"), posted);
    assert_eq!(taken.record()["channelId"], "C1");
}
