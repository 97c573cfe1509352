//! Queued deliveries while an endpoint is disabled, and after it is deleted.

use super::*;
use serde_json::json;

#[test]
fn while_disabled_nothing_is_dialled_and_no_event_is_queued() {
    let rota = Rota::with_people(3);
    let (hook, receiver) = rota.hook(ALL_EVENTS);
    receiver.answers(json!({ "status": 404 }));
    let rotation = rota.rotation("U1 U2 U3");
    rota.advance(0);
    let id = ids(&receiver).remove(0);
    hook.act("disable").is(200);
    rotation.patch(json!({ "name": "Other" })).is(200);
    rotation.put_on_call("U1").is(200);
    rota.advance(DAY);
    assert_eq!(
        (ids(&receiver), hook.deliveries().len()),
        (vec![id.clone()], 1)
    );
    assert_eq!(
        (hook.state(&id), hook.attempt_log(&id).len()),
        ("pending".into(), 1)
    );

    receiver.answers(json!({ "status": 200 }));
    hook.act("enable").is(200);
    rota.advance(0);
    assert_eq!(
        hook.attempt_log(&id),
        ["1.1 failed 404 -", "2.2 delivered 200 -"]
    );
    rota.advance(HOUR);
    assert_eq!(
        hook.deliveries().len(),
        1,
        "what came meanwhile is not made up for"
    );
    rotation.put_on_call("U2").is(200);
    rota.advance(0);
    assert_eq!(text(&hook.newest()["eventType"]), "duty.changed");
    assert_eq!(ids(&receiver).len(), 3);
}

#[test]
fn enabling_spreads_what_is_overdue_over_a_minute_in_order() {
    let rota = server();
    let (hook, receiver) = rota.hook("");
    receiver.answers(json!({ "status": 404 }));
    let made: Vec<String> = (0..12).map(|_| hook.test()).collect();
    rota.advance(0);
    assert_eq!(ids(&receiver), made);
    hook.act("disable").is(200);
    rota.advance(DAY);
    receiver.forget();
    receiver.answers(json!({ "status": 200 }));
    let enabled = rota.now();
    hook.act("enable").is(200);
    rota.advance(0);
    assert!(receiver.requests().len() < 12, "not all at once");
    rota.advance(MINUTE);
    assert_eq!(ids(&receiver), made);
    let after = |request: &Value| millis(&json!(rfc(&enabled)), &request["at"]);
    let delays: Vec<i64> = receiver.requests().iter().map(after).collect();
    assert!(delays.is_sorted() && delays[0] == 0, "{delays:?}");
    assert!((30_000..=60_000).contains(&delays[11]), "{delays:?}");
    let mut distinct = delays.clone();
    distinct.dedup();
    assert_eq!(distinct.len(), 12, "{delays:?}");
    // Held rounds were not used.
    for id in &made {
        assert_eq!(
            hook.attempt_log(id),
            ["1.1 failed 404 -", "2.2 delivered 200 -"]
        );
    }
}

#[test]
fn what_was_never_sent_is_held_too_and_goes_out_in_order() {
    let rota = server();
    let own = OwnReceiver::open();
    let hook = rota.hook_at(&own.url(), "");
    let made: Vec<String> = (0..3).map(|_| hook.test()).collect();
    let arrival = own.arrival();
    hook.act("disable").is(200);
    arrival.status(200);
    rota.advance(HOUR);
    own.is_left_alone();
    assert_eq!(hook.state(&made[0]), "delivered");
    for id in &made[1..] {
        let shown = hook.delivery(id);
        assert_eq!(
            (text(&shown["state"]), int(&shown["attempts"])),
            ("pending", 0)
        );
        assert!(hook.attempts(id).is_empty());
    }
    hook.act("enable").is(200);
    let newest = hook.test();
    std::thread::scope(|scope| {
        scope.spawn(|| rota.advance(MINUTE));
        for id in [&made[1], &made[2], &newest] {
            let arrival = own.arrival();
            assert_eq!(&arrival.delivery(), id);
            arrival.status(200);
        }
    });
    assert_eq!(hook.attempt_log(&made[1]), ["1.1 delivered 200 -"]);
    own.is_left_alone();
}

#[test]
fn what_is_not_overdue_keeps_its_time() {
    let rota = server_with_ladder("2h");
    let (hook, receiver) = rota.hook("");
    receiver.answers(json!({ "status": 404 }));
    let id = hook.test();
    rota.advance(0);
    let due = hook.newest_attempt(&id)["nextAttemptDueAt"].clone();
    hook.act("disable").is(200);
    rota.advance(HOUR);
    hook.act("enable").is(200);
    assert_eq!(hook.newest_attempt(&id)["nextAttemptDueAt"], due);
    rota.advance(2 * HOUR);
    assert_eq!(hook.newest_attempt(&id)["at"], due);
}

#[test]
fn time_held_does_not_count_towards_the_seven_days() {
    for (held_days, rounds) in [(0, 2), (2, 3)] {
        // The third round is due on the ninth day.
        let rota = server_with_ladder("4d,4d");
        let (hook, receiver) = rota.hook("");
        receiver.answers(json!({ "status": 404 }));
        let id = hook.test();
        rota.advance(DAY);
        hook.act("disable").is(200);
        rota.advance(held_days * DAY);
        hook.act("enable").is(200);
        rota.advance(20 * DAY);
        let made = hook.attempts(&id);
        assert_eq!(
            (made.len(), hook.state(&id)),
            (rounds, "exhausted".into()),
            "{held_days} days"
        );
    }
    // Held for longer than its lifetime.
    let rota = server();
    let (hook, receiver) = rota.hook("");
    receiver.answers(json!({ "status": 404 }));
    let id = hook.test();
    rota.advance(0);
    for _ in 0..2 {
        hook.act("disable").is(200);
        rota.advance(20 * DAY);
        hook.act("enable").is(200);
        rota.advance(MINUTE);
    }
    rota.advance(6 * DAY);
    assert_eq!(
        (hook.attempts(&id).len(), hook.state(&id)),
        (9, "exhausted".into())
    );
}

#[test]
fn deleting_the_endpoint_ends_its_deliveries() {
    let rota = server();
    let (kept, at_kept) = rota.hook("");
    let (gone, at_gone) = rota.hook("");
    let own = OwnReceiver::open();
    let on_the_wire = rota.hook_at(&own.url(), "");
    for receiver in [&at_kept, &at_gone] {
        receiver.answers(json!({ "status": 404 }));
    }
    let (id, retried) = (gone.test(), kept.test());
    let (hanging, _queued) = (on_the_wire.test(), on_the_wire.test());
    let arrival = own.arrival();
    for hook in [&gone, &on_the_wire] {
        rota.caller().delete_if(&hook.path(), "*").is(204);
    }
    arrival.status(500);
    rota.advance(WEEK);
    own.is_left_alone();
    assert_eq!(
        (ids(&at_gone), at_kept.requests().len()),
        (vec![id.clone()], 9)
    );
    assert_eq!(kept.state(&retried), "exhausted");
    for (hook, id) in [(&gone, &id), (&on_the_wire, &hanging)] {
        let list = format!("{}/deliveries", hook.path());
        rota.get(&list).refused(404, "");
        rota.get(&format!("{list}/{id}/attempts")).refused(404, "");
        for action in ["cancel", "resend"] {
            hook.on(id, action).refused(404, "");
        }
    }
}

/// Disabling holds what follows the delivery in flight, also for a receiver that responds at once.
#[test]
fn what_follows_the_one_on_the_wire_is_held() {
    let rota = server();
    let own = OwnReceiver::open();
    let hook = rota.hook_at(&own.url(), "");
    let made: Vec<String> = (0..5).map(|_| hook.test()).collect();
    for id in &made[..3] {
        let arrival = own.arrival();
        assert_eq!(&arrival.delivery(), id);
        arrival.status(200);
    }
    let on_the_wire = own.arrival();
    hook.act("disable").is(200);
    on_the_wire.status(200);
    rota.advance(DAY);
    own.is_left_alone();
    assert_eq!(hook.attempts(&made[4]).len(), 0);
    assert_eq!(int(&hook.delivery(&made[4])["attempts"]), 0);
    hook.act("enable").is(200);
    let arrival = own.arrival();
    assert_eq!(arrival.delivery(), made[4]);
    arrival.status(200);
    rota.advance(MINUTE);
    assert_eq!(hook.attempt_log(&made[4]), ["1.1 delivered 200 -"]);
}
