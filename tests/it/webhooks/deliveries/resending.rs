//! Sending a finished delivery again: the same id and bytes, a new retry schedule.

use super::*;
use serde_json::json;

#[test]
fn it_begins_anew_and_goes_on_counting() {
    let rota = server_with_ladder("1s");
    let (hook, receiver) = rota.hook("");
    let id = hook.test();
    rota.advance(DAY);
    let body = receiver.requests()[0]["body"].clone();
    let created = hook.delivery(&id)["createdAt"].clone();
    receiver.answers(json!({ "status": 500 }));
    let record = hook.resend(&id);
    assert_eq!(record["deliveryId"], json!(id));
    assert_eq!(
        (text(&record["state"]), int(&record["attempts"])),
        ("pending", 1)
    );
    assert_eq!(record["createdAt"], created);
    assert_eq!(instant(&record["nextAttemptDueAt"]), rota.now());
    // Round 1 has its quick retries again.
    rota.advance(0);
    assert_eq!(hook.wait(&id), Some(1000));
    rota.advance(MINUTE);
    assert_eq!(
        hook.attempt_log(&id),
        [
            "1.1 delivered 200 -",
            "2.1 failed 500 -",
            "3.1 failed 500 -",
            "4.1 failed 500 -",
            "5.2 failed 500 -",
        ]
    );
    assert_eq!(hook.state(&id), "exhausted");
    assert!(
        receiver
            .requests()
            .iter()
            .all(|request| request["body"] == body)
    );
    assert_eq!(ids(&receiver), vec![id.clone(); 5]);
    assert_eq!(hook.deliveries().len(), 1);
    // Created before the endpoint's last success, so its failure does not count.
    assert_eq!(hook.health(), "enabled");

    receiver.answers(json!({ "status": 200 }));
    hook.resend(&id);
    rota.advance(0);
    assert_eq!(hook.attempt_log(&id).pop().unwrap(), "6.1 delivered 200 -");
    assert_eq!(hook.state(&id), "delivered");
    rota.advance(WEEK);
    assert_eq!(receiver.requests().len(), 6);
}

#[test]
fn it_lives_for_seven_days_more() {
    let rota = server_with_ladder("3d,3d,3d");
    let (hook, receiver) = rota.hook("");
    let id = hook.test();
    rota.advance(20 * DAY);
    receiver.answers(json!({ "status": 404 }));
    hook.resend(&id);
    rota.advance(20 * DAY);
    let rounds: Vec<i64> = hook
        .attempts(&id)
        .iter()
        .map(|a| int(&a["round"]))
        .collect();
    assert_eq!(
        (rounds, hook.state(&id)),
        (vec![1, 1, 2, 3], "exhausted".into())
    );
}

#[test]
fn a_cancelled_and_an_exhausted_one_can_be_sent_again() {
    let rota = server_with_ladder("1h");
    let (hook, receiver) = rota.hook("");
    receiver.answers(json!({ "status": 404 }));
    let (exhausted, cancelled) = (hook.test(), hook.test());
    rota.advance(0);
    assert!(hook.cancel(&cancelled));
    rota.advance(2 * HOUR);
    assert_eq!(hook.health(), "delivery_failures");
    hook.act("enable").is(200);
    receiver.answers(json!({ "status": 200 }));
    for (id, tale) in [
        (
            &exhausted,
            &[
                "1.1 failed 404 -",
                "2.2 failed 404 -",
                "3.1 delivered 200 -",
            ][..],
        ),
        (&cancelled, &["1.1 failed 404 -", "2.1 delivered 200 -"]),
    ] {
        hook.resend(id);
        rota.advance(0);
        assert_eq!(
            (hook.attempt_log(id), hook.state(id)),
            (words_of(tale), "delivered".into())
        );
    }
}

fn words_of(tale: &[&str]) -> Vec<String> {
    tale.iter().map(|&line| line.to_owned()).collect()
}

/// A cancelled delivery is not finished while its attempt is in flight: the same delivery is never in flight twice.
#[test]
fn what_is_on_the_wire_is_not_sent_again() {
    let rota = server();
    let own = OwnReceiver::open();
    let hook = rota.hook_at(&own.url(), "");
    let id = hook.test();
    let first = own.arrival();
    assert!(hook.cancel(&id));
    hook.on(&id, "resend").refused(409, "delivery_unfinished");
    first.status(404);
    eventually("the first attempt in the log", || {
        hook.attempts(&id).len() == 1
    });
    hook.resend(&id);
    let second = own.arrival();
    assert_eq!(second.delivery(), id);
    second.status(200);
    rota.advance(WEEK);
    assert_eq!(
        hook.attempt_log(&id),
        ["1.1 failed 404 -", "2.1 delivered 200 -"]
    );
    assert_eq!(hook.state(&id), "delivered");
    own.is_left_alone();
}

#[test]
fn what_cannot_be_sent_again_is_refused() {
    let rota = server();
    let (hook, receiver) = rota.hook("");
    let (other, _) = rota.hook("");
    let done = hook.test();
    rota.advance(0);
    receiver.answers(json!({ "status": 404 }));
    let unfinished = hook.test();
    rota.advance(0);
    hook.on(&unfinished, "resend")
        .refused(409, "delivery_unfinished");
    other.on(&done, "resend").refused(404, "");
    hook.on("00000000000000000000000000000000", "resend")
        .refused(404, "");
    hook.act("disable").is(200);
    hook.on(&done, "resend")
        .refused(409, "webhook_endpoint_disabled");
    rota.plan("free");
    hook.on(&done, "resend").refused(402, "payment_required");
    hook.on(&unfinished, "resend")
        .refused(402, "payment_required");
    hook.on("0", "resend").refused(404, "");
    rota.plan("pro");
    rota.advance(DAY);
    assert_eq!(
        (hook.state(&done), hook.attempt_log(&done).len()),
        ("delivered".into(), 1)
    );
    assert_eq!(hook.attempt_log(&unfinished).len(), 1);
}
