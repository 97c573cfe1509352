//! Every documented code occurs, and no other.

use crate::calendars::feed::{Feed, Then, calendar as ics};
use crate::support::*;
use serde_json::{Value, json};
use std::sync::mpsc::channel;
use std::thread;

/// The refusals of webhook endpoints. Leaves the maximum number of endpoints.
fn webhook_refusals(rota: &Rota) -> Vec<Value> {
    let by = rota.with(&rota.key("manage:webhooks"));
    let loopback = "https://127.0.0.1/";
    let unknown = format!("https://{}.invalid/", "x".repeat(64));
    let post = |url: &str, events: &[&str]| {
        let body = json!({ "name": "test", "url": url, "eventTypes": events });
        by.post("/v1/webhooks", body)
    };
    let made = post(loopback, &[]).is(201).json();
    let path = format!("/v1/webhooks/{}", text(&made["endpoint"]["id"]));
    let act = |action: &str| {
        let request = by.request("POST", &format!("{path}/{action}"));
        request.header("If-Match", "*").send()
    };
    let mut refusals = vec![act("test").refused(409, "no_rotation")];
    act("disable").is(200);
    refusals.push(act("test").refused(409, "webhook_endpoint_disabled"));
    for (url, events, code) in [
        ("https://", &[][..], "webhook_url_malformed"),
        ("ftp://127.0.0.1/", &[], "webhook_url_scheme_not_allowed"),
        (unknown.as_str(), &[], "webhook_url_host_not_resolvable"),
        ("https://10.0.0.1/", &[], "webhook_url_private_address"),
        (loopback, &["duty.ended"], "webhook_event_type_unknown"),
        (
            loopback,
            &["webhook.test"],
            "webhook_event_type_not_subscribable",
        ),
    ] {
        refusals.push(post(url, events).refused(400, code));
    }
    for _ in 1..10 {
        post(loopback, &[]).is(201);
    }
    refusals.push(post(loopback, &[]).refused(409, "webhook_endpoint_limit"));
    let calendar = || {
        let body = json!({ "url": "http://127.0.0.1:1/a.ics" });
        rota.post("/v1/users/U1/calendars", body)
    };
    for _ in 0..5 {
        calendar().is(201);
    }
    refusals.push(calendar().refused(409, "too_many_calendars"));
    let feed = Feed::new(Then::Hang);
    let made = rota.post("/v1/users/U2/calendars", json!({ "url": feed.url() }));
    let id = text(&made.is(201).json()["id"]).to_owned();
    eventually("it is being read", || !feed.asked().is_empty());
    let path = format!("/v1/users/U2/calendars/{id}/read");
    let (answers, answered) = channel();
    // One waits for the reading that began by itself, the other is refused at once.
    thread::scope(|scope| {
        for answers in [answers.clone(), answers] {
            let path = &path;
            scope.spawn(move || answers.send(rota.request("POST", path).send()));
        }
        let first = answered.recv().expect("an answer");
        refusals.push(first.refused(429, "too_many_readings"));
        feed.now(Then::Calendar(ics(&[]), "1"));
        feed.let_go();
    });
    refusals
}

/// The refusals of arrangements, cover and swap requests.
fn agreement_refusals(rota: &Rota) -> Vec<Value> {
    let rotation = rota.daily("U1 U2 U3", 1);
    let cell = rotation.read()["cells"][0]["id"].clone();
    let people = ["U1", "U2", "U3"].map(|user| rotation.with(&rota.token(user)));
    let [one, two, three] = &people;
    let post = |by: &Rot, route: &str, body: Value| by.by.post_if(&by.path(route), "*", body);
    let on = |day: u8, more: Value| {
        let mut body = json!({
            "operationId": unique("op"), "cellId": cell,
            "from": format!("2026-01-{day:02}T09:00:00Z"), "to": format!("2026-01-{:02}T09:00:00Z", day + 1),
        });
        body.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        body
    };
    let step = || json!({ "operationId": unique("op"), "expectedRevision": 1 });
    let id = |answer: Answer| text(&answer.is(200).json()["request"]["request"]["id"]).to_owned();
    let assign = |day: u8, user: &str| on(day, json!({ "userId": user }));
    let (first, same) = (assign(20, "U1"), "/duty-arrangements");
    post(&rotation, same, first.clone()).is(200);
    let mut reused = first.clone();
    reused["userId"] = json!("U2");
    rotation.away("U3", "2026-01-22T10:00:00Z", "2026-01-22T11:00:00Z");
    let ask = |day: u8| on(day, json!({ "recipientUserIds": ["U1", "U3"] }));
    let cover = id(post(two, "/cover-requests", ask(6)));
    let accept = format!("/cover-requests/{cover}/accept");
    post(three, &accept, step()).is(200);
    let made = two.get(&format!("/cover-requests/{cover}")).is(200).json();
    let arrangement = text(&made["request"]["arrangementId"]).to_owned();
    let other = id(post(
        three,
        "/cover-requests",
        on(7, json!({ "recipientUserIds": ["U1"] })),
    ));
    let mut old = step();
    old["expectedRevision"] = json!(7);
    let leg = |key: &str, day: u8, holder: &str| {
        let mut leg = on(day, json!({ "key": key, "holderUserId": holder }));
        leg.as_object_mut().unwrap().remove("operationId");
        leg
    };
    let swap = json!({
        "operationId": unique("op"), "recipientUserId": "U2",
        "legs": [leg("a", 8, "U1"), leg("b", 9, "U2")],
    });
    let swap = id(post(one, "/swap-requests", swap));
    let range = "from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z&cursor=x";
    let mut refusals = vec![
        post(&rotation, same, reused).refused(409, "operationIdReused"),
        post(&rotation, same, assign(20, "U2")).refused(409, "conflictBlocks"),
        post(&rotation, same, assign(22, "U3")).refused(409, "conflictsNotAcknowledged"),
        post(two, "/cover-requests", ask(7)).refused(409, "notYourDuty"),
        post(one, &accept, step()).refused(409, "coverAlreadyAccepted"),
        post(two, &format!("/cover-requests/{cover}/cancel"), step())
            .refused(409, "requestNotPending"),
        post(one, &format!("/cover-requests/{other}/accept"), old.clone())
            .refused(409, "requestChanged"),
        post(&rotation, &format!("{same}/{arrangement}/end"), step())
            .refused(409, "repairNotSupported"),
        rotation
            .get(&format!("/cover-requests?{range}"))
            .refused(422, "invalidCoverCursor"),
    ];
    let listed =
        rotation.get("/duty-arrangements?from=2026-01-20T00:00:00Z&to=2026-01-21T00:00:00Z");
    let direct = text(&listed.is(200).json()["data"][0]["id"]).to_owned();
    refusals.push(
        post(&rotation, &format!("{same}/{direct}/end"), old).refused(409, "arrangementChanged"),
    );
    rota.to("2026-01-08T12:00:00Z");
    let accept = format!("/swap-requests/{swap}/accept");
    refusals.push(post(two, &accept, step()).refused(409, "startedLegNotAcknowledged"));
    refusals
}

/// The refusals of an on-duty group by the chat platform.
fn chat_refusals(rota: &Rota) -> Vec<Value> {
    let rotation = rota.rotation("U1");
    let by = rotation.with(&rota.key("write:rotations"));
    let moody = |mood: Value| rota.request("PUT", "/dev/chat").json(&mood).send().ok();
    let bind = || by.put("/on-duty-group", json!({ "handle": "duty" }));
    moody(json!({ "noGroups": "only admins may" }));
    let mut refusals = vec![bind().refused(409, "user_group_not_manageable")];
    moody(json!({ "failure": "error" }));
    refusals.push(bind().refused(503, "chat_unavailable"));
    moody(json!({}));
    refusals
}

/// The refusals of mentions and inbound webhooks.
fn mention_refusals(rota: &Rota) -> Vec<Value> {
    let rotation = rota.rotation("U1");
    let mention = rotation.mention("U2");
    assert_eq!(mention.state_line(), "nobody");
    rotation.put_on_call("U1").is(200);
    let mention = rotation.mention("U2");
    assert_eq!(mention.after("U1", "pass"), "passed U1 without U1");
    let wrong = rotation.inbound().with_key("svc_key_x_y");
    vec![
        mention
            .step("U1", "acknowledge")
            .refused(409, "mentionNotOpen"),
        wrong.post("rotate").refused(401, "invalid_access_code"),
    ]
}

/// The refusals of rotations that follow a partner's schedule.
fn external_refusals(rota: &Rota, pager: &Pager) -> Vec<Value> {
    let rotation = rota.rotation("U1");
    let path = rotation.path("/external");
    let link = || {
        let body = json!({ "partner": "pagerPartner", "scheduleId": "S1" });
        rotation.by.put_if(&path, "*", body)
    };
    pager.troubles(Trouble::Status(500));
    let unavailable = link().refused(503, "partner_unavailable");
    pager.troubles(None);
    let not = rotation
        .by
        .delete_if(&path, "*")
        .refused(409, "not_external");
    link().is(200);
    let later = plus(&rota.now(), 100 * DAY);
    let unknown = rotation.get(&format!("/on-call?at={later}"));
    let unknown = unknown.refused(409, "not_known_yet");
    let rotated = rotation.by.request("POST", &rotation.path("/rotate"));
    let rotated = rotated.header("If-Match", "*").send();
    let read_only = rotated.refused(409, "external_rotation_is_read_only");
    vec![unavailable, not, unknown, read_only]
}

/// The codes of rotations, duty, agreements, the directory, chat, mentions and webhook endpoints. `storage_unavailable` needs a
/// full disk and is tested in `durability`, `overloaded` in `slow_readers`.
#[test]
fn every_code_is_met() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let pager = Pager::new();
    let start = pager.start().db(&db);
    let start = start.env("ROTA_RATE_LIMIT_REQUESTS_PER_MINUTE", 60);
    let rota = start.env("ROTA_RATE_LIMIT_BURST", 40).go();
    rota.people(3);
    let of_webhooks = webhook_refusals(&rota);
    let (mine, other) = (rota.rotation("U1 U2"), rota.rotation("U1 U2"));
    mine.patch(json!({ "code": "TAKEN" })).is(200);
    let all = "read:rotations write:rotations read:oncall write:duty";
    let off = rota.mint(json!({ "name": "off", "scopes": ["read:rotations"], "disabled": true }));
    let old = rota.key("read:rotations");
    let id = text(&rota.with(&old).get("/v1/keys/self").is(200).json()["id"]).to_owned();
    crate::cli::succeeds(&db, &format!("key rotate {id} --grace 1s"));
    rota.advance(2);
    let selected =
        rota.mint(json!({ "name": "one", "scopes": ["read:rotations"], "rotationIds": [mine.id] }));
    let by = rota.with(&rota.key(all));
    let (hasty, reader) = (rota.key("read:rotations"), rota.key("read:rotations"));
    let ours = mine.with(by.credential.as_deref().unwrap());
    let list = |key: &str| rota.with(key).get("/v1/rotations");
    by.try_create("spent", new_rotation("U1")).is(201);
    let mut asked = 0;
    let limited = loop {
        let answer = list(&hasty);
        asked += 1;
        if answer.status() != 200 {
            assert!(asked > 40, "{asked}");
            break answer;
        }
    };
    let refusals = [
        rota.anyone()
            .get("/v1/rotations")
            .refused(401, "missing_credential"),
        list("svc_key_x_y").refused(401, "unknown"),
        list(&off).refused(401, "disabled"),
        list(&old).refused(401, "expired_secret"),
        mine.with(&reader)
            .patch(json!({}))
            .refused(403, "scope_denied"),
        other
            .with(&selected)
            .get("")
            .refused(403, "resource_denied"),
        by.get("/v1/rotations/rot_x").refused(404, "not_found"),
        by.get("/v1/rotations?sort=colour")
            .refused(400, "invalid_request"),
        by.post("/v1/rotations", new_rotation("U1"))
            .refused(428, "precondition_required"),
        by.patch_if(&mine.path(""), "\"old\"", json!({}))
            .refused(412, "precondition_failed"),
        limited.refused(429, "rate_limited"),
        {
            rota.plan("free");
            let answer = ours.put("/coverage", ours.grid(2, &[always(daily())]));
            rota.plan("pro");
            answer.refused(402, "payment_required")
        },
        other
            .patch(json!({ "code": "taken" }))
            .refused(409, "rotation_code_taken"),
        by.try_create("spent", new_rotation("U2"))
            .refused(409, "idempotency_key_reused"),
        {
            ours.patch(json!({ "enabled": false })).is(200);
            ours.put_on_call("U1").refused(409, "rotation_disabled")
        },
    ];
    let of_agreements = agreement_refusals(&rota);
    let (of_chat, of_mentions) = (chat_refusals(&rota), mention_refusals(&rota));
    let met = refusals.iter().chain(&of_webhooks).chain(&of_agreements);
    let of_partners = external_refusals(&rota, &pager);
    let met = met.chain(&of_chat).chain(&of_mentions).chain(&of_partners);
    let met: std::collections::BTreeSet<&str> = met.map(|r| text(&r["code"])).collect();
    let document = rota.anyone().get("/v1/openapi.json").is(200).json();
    let mut documented = std::collections::BTreeSet::new();
    for response in document["components"]["responses"]
        .as_object()
        .unwrap()
        .values()
    {
        let codes = response["x-codes"].as_array();
        documented.extend(codes.expect("codes").iter().map(text));
    }
    // Only an unhealthy server returns these.
    let unwell = [
        "storage_unavailable",
        "overloaded",
        "not_ready",
        "internal_error",
    ];
    // These need a thousand records, a day, a second server or a broken request, and occur in other tests.
    let elsewhere = [
        "tooManyArrangements",
        "tooManyPendingRequests",
        "tooManyMentions",
        "too_many_changes",
        "change_ended",
        "standby",
        "hand_over_ended",
        "idempotency_key_spent",
        "delivery_unfinished",
        "delivery_attempts_exhausted",
        "request_timeout",
        "header_too_large",
    ];
    // Those of the directory have tests of their own.
    let directory = [
        "directory_is_slack",
        "directory_is_matrix",
        "duplicate_id",
        "duplicate_address",
        "duplicate_handle",
        "last_admin",
        "group_is_provisioned",
        "person_is_provisioned",
        "no_mail",
        "no_address",
    ];
    let known = unwell.into_iter().chain(elsewhere).chain(directory);
    for code in known {
        assert!(documented.remove(code), "{code}");
    }
    assert_eq!(met, documented);
}
