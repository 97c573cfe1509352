//! Partners that fail: nobody changes, and nobody else waits.

use super::*;
use std::time::{Duration, Instant};

/// Four requests wait for a partner that hangs. More are refused at once, and nobody else waits.
pub fn few_requests_wait_for_a_partner_that_hangs() {
    let (pager, rota) = started();
    let rotation = rota.rotation("U1");
    pager.troubles(Trouble::Hangs);
    let path = "/v1/partners/pagerPartner/schedules";
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let refused = rota.caller().get(path);
                refused.refused(503, "partner_unavailable");
            });
        }
        eventually("all of them wait", || pager.count("/schedules") == 4);
        let begun = Instant::now();
        for refused in [link(&rotation, to("S1")), rota.caller().get(path)] {
            assert_eq!(refused.header("retry-after"), Some("5"));
            refused.refused(503, "partner_unavailable");
        }
        rotation.get("/on-call").is(200);
        assert!(begun.elapsed() < Duration::from_secs(5));
        assert_eq!(pager.count("/schedules"), 4);
    });
    pager.troubles(None);
    link(&rotation, to("S1")).is(200);
}

#[test]
fn failures_are_told_and_change_nobody() {
    let (pager, rota) = started();
    let rotation = linked(&rota, "S1");
    for (trouble, failure) in [
        (Trouble::Status(401), "unauthorized"),
        (Trouble::Status(403), "forbidden"),
        (Trouble::Status(404), "not_found"),
        (Trouble::Status(503), "server_error"),
        (Trouble::Garbage, "invalid_response"),
        (Trouble::Endless, "invalid_response"),
        (Trouble::Closes, "connection"),
    ] {
        pager.troubles(trouble);
        assert_eq!(sync(&rota), (0, 1), "{failure}");
        let shown = external(&rotation);
        assert_eq!(shown["lastReadFailure"], failure);
        assert_eq!(shown["state"], "stale");
        assert_eq!(on_call(&rotation), "U1|-");
        let partner = &rota.caller().all("/v1/partners")[0];
        assert_eq!(partner["lastReadFailure"], failure);
        assert_eq!(partner["connected"], false);
    }
    pager.troubles(None);
    assert_eq!(sync(&rota), (1, 0));
    let shown = external(&rotation);
    assert_eq!(shown["state"], "current");
    assert_eq!(shown["lastReadFailure"], Value::Null);
    assert_eq!(shown["lastReadFailureUtc"], "2026-01-05T08:00:00Z");
    // A schedule that is deleted there, and a key that was replaced.
    pager.with(|desk| desk.schedules.clear());
    assert_eq!(sync(&rota), (0, 1));
    assert_eq!(external(&rotation)["lastReadFailure"], "not_found");
    pager.with(|desk| desk.key = "another".into());
    assert_eq!(sync(&rota), (0, 1));
    assert_eq!(external(&rotation)["lastReadFailure"], "unauthorized");
    assert_eq!(on_call(&rotation), "U1|-");
    rota.to("2026-01-30T00:00Z");
    let shown = external(&rotation);
    assert_eq!(
        (text(&shown["state"]), text(&shown["coverage"])),
        ("unknown", "unknown")
    );
    assert_eq!(on_call(&rotation), "U1|-");
}

#[test]
fn people_without_addresses_are_unknown_until_somebody_says_who_they_are() {
    let (pager, rota) = started();
    pager.with(|desk| {
        for person in desk.people.values_mut() {
            person.1 = None;
        }
    });
    let rotation = linked(&rota, "S1");
    assert_eq!(on_call(&rotation), "|Pager 1");
    let duty = rotation.get("/on-call").is(200).json()["unmappedExternalDuty"].clone();
    assert_eq!(duty["email"], Value::Null);
    assert_eq!(duty["until"], "2026-01-05T12:00:00Z");
    let holder = rotation.read()["cells"][0]["holder"].clone();
    assert_eq!(holder["externalUser"]["name"], "Pager 1");
    assert!(holder.get("userId").is_none());
    let put = rota
        .caller()
        .request("PUT", "/v1/partners/pagerPartner/people/P1");
    put.json(&json!({ "userId": "U1" })).send().is(200);
    assert_eq!(on_call(&rotation), "U1|-");
}

#[test]
fn an_hour_of_waiting_is_waited_out() {
    let (pager, rota) = started();
    let rotation = linked(&rota, "S1");
    pager.troubles(Trouble::Wait(3600));
    assert_eq!(sync(&rota), (0, 1));
    assert_eq!(external(&rotation)["lastReadFailure"], "rate_limited");
    let asked = pager.with(|desk| desk.asked.len());
    pager.troubles(None);
    assert_eq!(sync(&rota), (0, 1));
    assert_eq!(pager.with(|desk| desk.asked.len()), asked);
    assert_eq!(on_call(&rotation), "U1|-");
}

pub fn a_partner_that_hangs_delays_nobody_else() {
    let (pager, rota) = started();
    for number in 0..5 {
        pager.has(&format!("T{number}"), "P1", WEEK);
    }
    let followers: Vec<Rot> = (0..5)
        .map(|number| linked(&rota, &format!("T{number}")))
        .collect();
    let daily = rota.daily("U1 U2", 1);
    pager.troubles(Trouble::Hangs);
    let begun = Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(|| sync(&rota));
        // The reading hangs; duty goes on.
        eventually("the partner is asked", || {
            pager.with(|desk| desk.asked.last().is_some_and(|asked| asked.contains("T0")))
        });
        let before = daily.on_call();
        daily.rotate();
        assert_ne!(daily.on_call(), before);
        for rotation in &followers {
            assert_eq!(on_call(rotation), "U1|-");
        }
        assert!(begun.elapsed() < Duration::from_secs(9));
        pager.troubles(Trouble::Closes);
    });
}
