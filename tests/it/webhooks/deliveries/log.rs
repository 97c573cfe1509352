//! The delivery log of an endpoint.

use super::*;
use serde_json::json;

/// A log of five deliveries. Returns its two rotations.
fn eventful<'a>(rota: &'a Rota, hook: &Hook, receiver: &Receiver) -> [Rot<'a>; 2] {
    let [one, two] = ["one", "two"].map(|name| {
        let mut body = new_rotation("U1 U2");
        body["name"] = json!(name);
        rota.create(body)
    });
    rota.advance(1);
    one.patch(json!({ "name": "uno" })).is(200);
    rota.advance(0);
    receiver.answers(json!({ "status": 404 }));
    rota.caller().delete_if(&two.path(""), "*").is(204);
    rota.advance(0);
    let test = hook.test();
    rota.advance(0);
    assert!(hook.cancel(&test));
    [one, two]
}

/// Deliveries as "eventType state attempts".
fn lines(found: &[Value]) -> Vec<String> {
    let line = |d: &Value| {
        let attempts = int(&d["attempts"]);
        format!("{} {} {attempts}", text(&d["eventType"]), text(&d["state"]))
    };
    found.iter().map(line).collect()
}

#[test]
fn deliveries_are_listed_newest_first_and_narrowed() {
    let rota = Rota::with_people(2);
    let (hook, receiver) = rota.hook(ALL_EVENTS);
    let [one, two] = eventful(&rota, &hook, &receiver);
    let path = format!("{}/deliveries", hook.path());
    let (one, two) = (&one.id, &two.id);
    let (test, deleted) = ("webhook.test cancelled 1", "rotation.deleted pending 1");
    let (updated, created) = (
        "rotation.updated delivered 1",
        "rotation.created delivered 1",
    );
    for (query, expected) in [
        (
            String::new(),
            &[test, deleted, updated, created, created][..],
        ),
        ("?state=delivered".into(), &[updated, created, created]),
        ("?state=pending".into(), &[deleted]),
        ("?state=cancelled".into(), &[test]),
        ("?state=exhausted".into(), &[]),
        ("?eventType=rotation.created".into(), &[created, created]),
        ("?eventType=webhook.test".into(), &[test]),
        ("?eventType=nobody.on_call".into(), &[]),
        (format!("?rotationId={one}"), &[test, updated, created]),
        // The rotation is gone, its deliveries are not.
        (format!("?rotationId={two}"), &[deleted, created]),
        ("?rotationId=rot_unknown".into(), &[]),
        (format!("?rotationId={two}&state=pending"), &[deleted]),
        (
            format!("?rotationId={one}&eventType=rotation.created"),
            &[created],
        ),
        (
            "?eventType=rotation.created&state=delivered".into(),
            &[created, created],
        ),
        (
            format!("?eventType=rotation.created&state=delivered&rotationId={two}"),
            &[created],
        ),
        (
            format!("?eventType=rotation.created&state=pending&rotationId={two}"),
            &[],
        ),
    ] {
        let answer = rota.get(&format!("{path}{query}")).is(200);
        assert_eq!(answer.header("etag"), None);
        let page = answer.json();
        let found = page["data"].as_array().unwrap();
        assert_eq!(lines(found), expected, "{query}");
        let total = expected.len() as i64;
        assert_eq!(
            ["page", "pageSize", "totalItems", "totalPages"].map(|name| int(&page[name])),
            [1, 50, total, total.min(1)],
            "{query}"
        );
    }
    let all = hook.deliveries();
    assert!(all[1].get("nextAttemptDueAt").is_some());
    for index in [0, 2, 3, 4] {
        assert_eq!(all[index].get("nextAttemptDueAt"), None, "{index}");
    }
    assert_eq!(instant(&all[2]["createdAt"]), plus(MONDAY, 1));
    assert_eq!(instant(&all[4]["createdAt"]), MONDAY);
}

#[test]
fn deliveries_come_in_pages() {
    let rota = server();
    let (hook, _) = rota.hook("");
    let mut made: Vec<String> = (0..7).map(|_| hook.test()).collect();
    rota.advance(0);
    made.reverse();
    let path = format!("{}/deliveries", hook.path());
    for (query, expected) in [
        ("pageSize=3", &made[..3]),
        ("pageSize=3&page=2", &made[3..6]),
        ("pageSize=3&page=3", &made[6..]),
        ("pageSize=3&page=4", &[]),
        ("pageSize=7", &made[..]),
        ("pageSize=200&state=delivered", &made[..]),
        (
            "pageSize=2&page=4&state=delivered&eventType=webhook.test",
            &made[6..],
        ),
    ] {
        let page = rota.get(&format!("{path}?{query}")).is(200).json();
        let found = page["data"].as_array().unwrap().iter();
        let found: Vec<&str> = found.map(|d| text(&d["deliveryId"])).collect();
        assert_eq!(found, expected, "{query}");
        assert_eq!(int(&page["totalItems"]), 7, "{query}");
        let size = int(&page["pageSize"]);
        assert_eq!(int(&page["totalPages"]), (7 + size - 1) / size, "{query}");
    }
}

#[test]
fn values_that_mean_nothing_are_named() {
    let rota = server();
    let (hook, _) = rota.hook("");
    let id = hook.test();
    rota.advance(0);
    let list = format!("{}/deliveries", hook.path());
    for (query, member) in [
        ("state=done", "state"),
        ("state=", "state"),
        ("state=Pending", "state"),
        ("eventType=rotation.renamed", "eventType"),
        ("eventType=duty.changed,webhook.test", "eventType"),
        ("page=0", "page"),
        ("page=x", "page"),
        ("pageSize=0", "pageSize"),
        ("pageSize=201", "pageSize"),
    ] {
        rota.get(&format!("{list}?{query}")).names(member);
    }
    for (query, member) in [
        ("page=1", "page"),
        ("pageSize=50", "pageSize"),
        ("page=", "page"),
    ] {
        rota.get(&format!("{list}/{id}/attempts?{query}"))
            .names(member);
    }
}

#[test]
fn attempts_are_one_page_oldest_first() {
    let rota = server();
    let (hook, receiver) = rota.hook("");
    receiver.answers(json!({ "status": 503 }));
    let id = hook.test();
    rota.advance(3 * DAY);
    let answer = rota
        .get(&format!("{}/deliveries/{id}/attempts", hook.path()))
        .is(200);
    assert_eq!(answer.header("etag"), None);
    let page = answer.json();
    let numbers: Vec<i64> = hook
        .attempts(&id)
        .iter()
        .map(|a| int(&a["attemptNumber"]))
        .collect();
    assert_eq!(numbers, (1..=11).collect::<Vec<i64>>());
    assert_eq!(
        ["page", "totalItems", "totalPages"].map(|name| int(&page[name])),
        [1, 11, 1]
    );
    assert_eq!(int(&hook.delivery(&id)["attempts"]), 11);
}

#[test]
fn what_is_not_there_is_404() {
    let rota = server();
    let (hook, _) = rota.hook("");
    let (other, _) = rota.hook("");
    let id = hook.test();
    rota.advance(0);
    let unknown = format!("/v1/webhooks/{}x", hook.id);
    for (method, path) in [
        ("GET", format!("{unknown}/deliveries")),
        ("GET", format!("{unknown}/deliveries/{id}/attempts")),
        ("POST", format!("{unknown}/deliveries/{id}/cancel")),
        ("GET", format!("{}/deliveries/{id}0/attempts", hook.path())),
        ("POST", format!("{}/deliveries/{id}0/cancel", hook.path())),
        ("GET", format!("{}/deliveries/{id}/attempts", other.path())),
        ("POST", format!("{}/deliveries/{id}/cancel", other.path())),
        ("GET", format!("{}/deliveries/{id}", hook.path())),
    ] {
        rota.request(method, &path).send().refused(404, "");
    }
    assert_eq!(other.deliveries(), Vec::<Value>::new());
    assert_eq!(hook.deliveries().len(), 1);
}

#[test]
fn it_takes_the_scope_and_no_plan() {
    let rota = server();
    let (hook, receiver) = rota.hook("");
    receiver.answers(json!({ "status": 404 }));
    let id = hook.test();
    rota.advance(0);
    let scopes = "read:rotations write:rotations read:oncall write:duty read:directory";
    let (others, own) = (rota.key(scopes), rota.key("manage:webhooks"));
    let token = rota.token("U1");
    rota.plan("free");
    let list = format!("{}/deliveries", hook.path());
    for (method, path) in [
        ("GET", list.clone()),
        ("GET", format!("{list}/{id}/attempts")),
        ("POST", format!("{list}/{id}/cancel")),
    ] {
        for credential in [&others, &token] {
            let answer = rota.with(credential).request(method, &path).send();
            answer.refused(403, "scope_denied");
        }
        rota.anyone()
            .request(method, &path)
            .send()
            .refused(401, "missing_credential");
        rota.with(&own).request(method, &path).send().is(200);
    }
    let resend = format!("{list}/{id}/resend");
    let answer = rota.with(&others).request("POST", &resend).send();
    answer.refused(403, "scope_denied");
}
