//! Partners that fail in every way, on the strict stand-ins: nobody is taken off, and nobody else waits.

use super::standins::{follows, weekly, world};
use super::*;
use crate::support::partners::{Kind, Plan, StandIn, Trouble};
use std::time::{Duration, Instant};

/// What kinds of events were sent.
fn kinds(bodies: &[Value]) -> Vec<String> {
    let kind = |body: &Value| text(&body["eventType"]).to_owned();
    bodies.iter().map(kind).collect()
}

/// rules.md 22.4.
#[test]
fn every_fault_is_named_and_changes_nobody() {
    for kind in Kind::ALL {
        let (partner, rota) = world(kind);
        partner.plan("S1", weekly("S1"));
        let rotation = follows(&rota, kind, "S1");
        let (_hook, receiver) = rota.hook(ALL_EVENTS);
        let fails = |why: &str| {
            assert_eq!(sync(&rota), (0, 1), "{kind:?} {why}");
            let shown = external(&rotation);
            assert_eq!(shown["lastReadFailure"], why, "{kind:?}");
            assert_eq!(shown["state"], "stale", "{kind:?} {why}");
            assert_eq!(on_call(&rotation), "U2|-", "{kind:?} {why}");
            let status = &rota.caller().all("/v1/partners")[0];
            assert_eq!(status["lastReadFailure"], why, "{kind:?}");
            assert_eq!(status["connected"], false, "{kind:?} {why}");
        };
        for (trouble, why) in [
            (Trouble::Garbage, "invalid_response"),
            (Trouble::OtherJson, "invalid_response"),
            (Trouble::Huge, "invalid_response"),
            (Trouble::Torn, "connection"),
            (Trouble::Status(403), "forbidden"),
            (Trouble::Status(500), "server_error"),
        ] {
            partner.trouble(Some(trouble));
            fails(why);
        }
        partner.trouble(None);
        assert_eq!(sync(&rota), (1, 0), "{kind:?}");
        assert_eq!(external(&rotation)["state"], "current", "{kind:?}");
        // A key that was replaced, and a schedule that was deleted.
        let key = partner.with(|it| std::mem::replace(&mut it.key, "another".into()));
        fails("unauthorized");
        partner.with(|it| it.key = key);
        let plan = partner.with(|it| it.plans.remove("S1")).expect("a plan");
        fails("not_found");
        partner.plan("S1", plan);
        // An hour of refusals: waited out, although the partner would answer.
        let header = match kind {
            Kind::Pager => "ratelimit-reset",
            Kind::Ops => "X-RateLimit-Period-In-Sec",
            Kind::Desk => "Retry-After",
        };
        partner.trouble(Some(Trouble::TooMany(header, "3600".into())));
        fails("rate_limited");
        partner.trouble(None);
        let asked = partner.asked("");
        fails("rate_limited");
        rota.advance(3600);
        assert_eq!(partner.asked(""), asked, "{kind:?}");
        rota.to("2026-01-12T08:00Z");
        assert_eq!(on_call(&rotation), "U1|-", "{kind:?}");
        receiver.wait_for(1);
        assert_eq!(kinds(&receiver.bodies()), ["duty.changed"], "{kind:?}");
    }
}

/// rules.md 22.7.
#[test]
fn an_empty_schedule_has_nobody_on_call() {
    for kind in Kind::ALL {
        let (partner, rota) = world(kind);
        partner.plan("S1", weekly("S1"));
        let rotation = follows(&rota, kind, "S1");
        let (_hook, receiver) = rota.hook(ALL_EVENTS);
        let mut empty = weekly("S1");
        empty.layers.clear();
        partner.plan("S1", empty);
        assert_eq!(sync(&rota), (1, 0), "{kind:?}");
        assert_eq!(on_call(&rotation), "|-", "{kind:?}");
        let shown = external(&rotation);
        assert_eq!(shown["coverage"], "none", "{kind:?}");
        assert_eq!(shown["requiredAssignmentCount"], 0);
        assert_eq!(shown["nextChange"], Value::Null);
        let read = rotation.read();
        assert_eq!((int(&read["heldSeats"]), int(&read["openSeats"])), (0, 1));
        assert_eq!(rotation.order(), "", "{kind:?}");
        receiver.wait_for(2);
        let kinds = kinds(&receiver.bodies());
        assert_eq!(kinds, ["duty.changed", "nobody.on_call"], "{kind:?}");
    }
}

/// Fifty schedules, each with a rotation that follows it.
fn fifty<'a>(partner: &StandIn, rota: &'a Rota) -> Vec<Rot<'a>> {
    let follow = |number: usize| {
        let id = format!("S{number}");
        let plan: Plan = weekly(&id);
        partner.plan(&id, plan);
        follows(rota, partner.kind, &id)
    };
    (0..50).map(follow).collect()
}

#[test]
fn two_partners_down_at_once_with_a_hundred_schedules_delay_nobody() {
    let (ops, desk) = (StandIn::new(Kind::Ops), StandIn::new(Kind::Desk));
    let settings = ops.settings().into_iter().chain(desk.settings());
    let start = settings.fold(Start::default(), |start, (name, value)| {
        start.env(name, value)
    });
    let rota = start.go();
    rota.people(3);
    for partner in [&ops, &desk] {
        partner.people(&["a1", "a2"]);
    }
    let mut followers = fifty(&ops, &rota);
    followers.extend(fifty(&desk, &rota));
    let daily = rota.daily("U1 U2 U3", 1);
    let before = daily.on_call();
    ops.trouble(Some(Trouble::Hangs));
    desk.trouble(Some(Trouble::Hangs));
    let (asked_ops, asked_desk) = (ops.asked(""), desk.asked(""));
    let begun = Instant::now();
    std::thread::scope(|scope| {
        // The reading at the end of the move hangs; duty went on before.
        scope.spawn(|| rota.to("2026-01-06T09:00Z"));
        eventually("the hand-over of another rotation", || {
            daily.on_call() != before
        });
        assert!(begun.elapsed() < Duration::from_secs(9));
    });
    // One time-out each, whatever the number of schedules.
    assert!(
        begun.elapsed() < Duration::from_secs(20),
        "{:?}",
        begun.elapsed()
    );
    assert_eq!(
        (ops.asked(""), desk.asked("")),
        (asked_ops + 1, asked_desk + 1)
    );
    let history = rota.caller().all(&daily.path(&format!(
        "/history?from={}&to={}",
        rfc("2026-01-06T08:30Z"),
        rfc("2026-01-06T09:30Z")
    )));
    assert_eq!(history[1]["start"], "2026-01-06T09:00:00Z");
    for rotation in &followers {
        assert_eq!(on_call(rotation), "U2|-");
    }
    let shown = external(&followers[70]);
    assert_eq!(
        (text(&shown["state"]), text(&shown["lastReadFailure"])),
        ("stale", "timeout")
    );
    let partners = rota.caller().all("/v1/partners");
    for partner in &partners {
        assert_eq!(partner["lastReadFailure"], "timeout");
        assert_eq!(partner["connected"], false);
        assert_eq!(partner["lastReadFailureUtc"], "2026-01-06T09:00:00Z");
        assert_eq!(partner["lastSuccessfulReadUtc"], "2026-01-05T08:00:00Z");
    }
    assert_eq!(partners.len(), 2);
    let page = rota.get("/metrics").is(200).text();
    for kind in [Kind::Ops, Kind::Desk] {
        let partner = kind.name();
        for (outcome, count) in [("success", 50), ("timeout", 50)] {
            let line = format!(
                "rota_partner_reads_total{{outcome=\"{outcome}\",partner=\"{partner}\"}} {count}"
            );
            assert!(page.contains(&line), "{line}: {page}");
        }
        let line = format!(
            "rota_partner_last_success_timestamp_seconds{{partner=\"{partner}\",schedule=\"S7\"}} 1767600000"
        );
        assert!(page.contains(&line), "{line}: {page}");
    }
    // They come back, one after the other.
    ops.trouble(None);
    desk.trouble(Some(Trouble::Status(503)));
    assert_eq!(sync(&rota), (50, 50));
    desk.trouble(None);
    assert_eq!(sync(&rota), (100, 0));
    assert_eq!(external(&followers[70])["state"], "current");
}

pub fn one_schedule_that_hangs_does_not_keep_the_others_from_being_read() {
    let (partner, rota) = world(Kind::Ops);
    let followers: Vec<Rot> = (0..3)
        .map(|number| {
            let id = format!("S{number}");
            partner.plan(&id, weekly(&id));
            follows(&rota, Kind::Ops, &id)
        })
        .collect();
    partner.with(|it| it.troubles = vec![("/S0".into(), Trouble::Hangs)]);
    // The first one ends the round, and is the last one of the next round.
    assert_eq!(sync(&rota), (0, 3));
    assert_eq!(sync(&rota), (2, 1));
    let failures: Vec<Value> = (followers.iter())
        .map(|rotation| external(rotation)["lastReadFailure"].clone())
        .collect();
    assert_eq!(failures, [json!("timeout"), Value::Null, Value::Null]);
}
