//! Rotations that follow the strict stand-ins of all three partners, from linking to unlinking.

use super::*;
use crate::support::partners::{Kind, Layer, Plan, StandIn, Trouble, Turns};
use jiff::Timestamp;

/// A partner of this kind, and a server with people U1 to U3 that has settings for it.
pub fn world(kind: Kind) -> (StandIn, Rota) {
    let partner = StandIn::new(kind);
    partner.people(&["a1", "a2", "a3", "a9"]);
    let rota = start(&partner).go();
    rota.people(3);
    (partner, rota)
}

fn start(partner: &StandIn) -> Start {
    let settings = partner.settings().into_iter();
    settings.fold(Start::default(), |start, (name, value)| {
        start.env(name, value)
    })
}

/// Turns of a week that begin on Mondays at 09:00 in Oslo. From 5 January on it is the turn of a2, from the 12th that of a1.
pub fn weekly(id: &str) -> Plan {
    Plan::weekly(id, "Europe/Oslo", "2025-12-01T08:00:00Z", &["a1", "a2"])
}

/// The same with an override.
fn overridden(id: &str) -> Plan {
    weekly(id).override_by("O1", "a1", "2026-01-06T10:00:00Z", "2026-01-06T12:00:00Z")
}

#[track_caller]
pub fn follows<'a>(rota: &'a Rota, kind: Kind, schedule: &str) -> Rot<'a> {
    let rotation = rota.rotation("U1");
    let body = json!({ "partner": kind.name(), "scheduleId": schedule });
    link(&rotation, body).is(200);
    rotation
}

/// The first assignment now: who, where from, and the shift's span and that of its whole.
#[track_caller]
fn first(rotation: &Rot) -> String {
    let shown = &external(rotation)["current"][0];
    let origin = &shown["externalAssignment"];
    let [who, from] = ["participantId", "sourceType"].map(|name| text(&origin[name]));
    let [since, until] = ["sinceUtc", "untilUtc"].map(|name| text(&shown[name]));
    let [begins, ends] = ["originalStartUtc", "originalEndUtc"].map(|name| text(&origin[name]));
    format!("{who} {from} {since}..{until} of {begins}..{ends}")
}

/// From now on the partner takes this instant for the present.
fn is_now(partner: &StandIn, instant: &str) {
    let now: Timestamp = rfc(instant).parse().expect("an instant");
    partner.with(|it| it.now = Some(now));
}

#[test]
fn an_override_is_followed_at_its_instant_while_the_partner_is_off() {
    for kind in Kind::ALL {
        let (partner, rota) = world(kind);
        partner.plan("S1", overridden("S1"));
        is_now(&partner, "2026-01-05T08:00Z");
        let rotation = follows(&rota, kind, "S1");
        let week = "2026-01-05T08:00:00Z..2026-01-12T08:00:00Z";
        let begun = "a2 rotation 2026-01-05T08:00:00Z..2026-01-06T10:00:00Z";
        assert_eq!(first(&rotation), format!("{begun} of {week}"), "{kind:?}");
        assert_eq!(rotation.order(), "U1 U2");
        let window = &rotation.read()["windows"][0];
        assert_eq!(window["cadence"]["partner"], kind.name());
        assert_eq!(window["timeZone"], "Europe/Oslo");
        let changes = [
            "2026-01-06T10:00:00Z",
            "2026-01-06T12:00:00Z",
            "2026-01-12T08:00:00Z",
            "2026-01-19T08:00:00Z",
        ];
        let ahead = &window["cadence"]["nextEvents"];
        let ahead: Vec<&str> = ahead.as_array().unwrap().iter().map(text).collect();
        // How far is known ends with the answer, at the earliest after two weeks.
        assert_eq!(ahead[..3], changes[..3], "{kind:?}");
        assert!(ahead.len() <= 4, "{kind:?} {ahead:?}");

        partner.trouble(Some(Trouble::Torn));
        for (now, who, origin) in [
            ("2026-01-06T09:59:59Z", "U2|-", "rotation"),
            ("2026-01-06T10:00Z", "U1|-", "rotationOverride"),
            ("2026-01-06T11:59:59Z", "U1|-", "rotationOverride"),
            ("2026-01-06T12:00Z", "U2|-", "rotation"),
            ("2026-01-12T08:00Z", "U1|-", "rotation"),
        ] {
            rota.to(now);
            assert_eq!(on_call(&rotation), who, "{kind:?} {now}");
            let shown = external(&rotation);
            let source = &shown["current"][0]["externalAssignment"]["sourceType"];
            assert_eq!(source, origin, "{kind:?} {now}");
            assert_eq!(shown["state"], "stale", "{kind:?} {now}");
        }
        let at_override: Vec<Value> = rota
            .caller()
            .all(&rotation.path(&format!(
                "/history?from={}&to={}",
                rfc("2026-01-06T09:00Z"),
                rfc("2026-01-06T13:00Z")
            )))
            .into_iter()
            .filter(|entry| entry["reason"] == "change-in-external-schedule")
            .collect();
        let begins: Vec<&str> = at_override.iter().map(|it| text(&it["start"])).collect();
        assert!(
            begins.ends_with(&["2026-01-06T10:00:00Z", "2026-01-06T12:00:00Z"]),
            "{kind:?} {begins:?}"
        );

        let left = rotation.by.delete_if(&rotation.path("/external"), "*");
        assert_eq!(left.is(200).json()["mode"], "manual");
        assert_eq!(
            (rotation.on_call(), rotation.order()),
            ("U1".into(), "U1 U2".into())
        );
        partner.trouble(None);
        assert_eq!(sync(&rota), (0, 0), "nothing is linked any more");
    }
}

#[test]
fn shifts_keep_their_ids_and_beginnings_however_the_answers_cut_them() {
    for kind in Kind::ALL {
        let (partner, rota) = world(kind);
        let mut plan = weekly("S1");
        // One turn of five weeks, longer than any answer.
        plan.layers[0].turns = Turns::Weeks(5);
        partner.plan("S1", plan);
        is_now(&partner, "2026-01-05T08:00Z");
        let rotation = follows(&rota, kind, "S1");
        assert_eq!(on_call(&rotation), "U2|-");
        let shift = |rotation: &Rot| {
            let shown = external(rotation)["current"][0].clone();
            (
                shown["localAssignmentId"].clone(),
                shown["sinceUtc"].clone(),
            )
        };
        let before = shift(&rotation);
        let (_hook, receiver) = rota.hook("duty.changed rotation.updated");
        // In the middle of weeks, at their edges, and an hour after.
        for now in [
            "2026-01-07T15:10Z",
            "2026-01-11T23:00Z",
            "2026-01-12T00:30Z",
            "2026-01-19T08:00Z",
            "2026-02-06T12:00Z",
        ] {
            is_now(&partner, now);
            rota.to(now);
            assert_eq!(sync(&rota), (1, 0), "{kind:?} {now}");
            assert_eq!(shift(&rotation), before, "{kind:?} {now}");
            let shown = external(&rotation);
            assert_eq!(shown["state"], "current", "{kind:?} {now}");
            let from: Timestamp = text(&shown["knownFromUtc"]).parse().expect("an instant");
            let until: Timestamp = text(&shown["knownUntilUtc"]).parse().expect("an instant");
            let known = from.duration_until(until).as_hours();
            assert!(known > 14 * 24, "{kind:?} {now} {known}");
        }
        let holder = rotation.read()["cells"][0]["holder"].clone();
        assert_eq!(holder["until"], "2026-02-09T08:00:00Z");
        rota.to("2026-02-09T08:00Z");
        assert_eq!(on_call(&rotation), "U1|-");
        // The end of the shift came into sight, and nothing else.
        let kinds = || -> Vec<String> {
            let bodies = receiver.bodies();
            let kind = |body: &Value| text(&body["eventType"]).to_owned();
            bodies.iter().map(kind).collect()
        };
        eventually("the hand-over", || kinds().contains(&"duty.changed".into()));
        assert_eq!(kinds(), ["rotation.updated", "duty.changed"], "{kind:?}");
    }
}

#[test]
fn a_schedule_that_is_made_anew_is_followed() {
    for kind in Kind::ALL {
        let (partner, rota) = world(kind);
        partner.plan("S1", weekly("S1"));
        let rotation = follows(&rota, kind, "S1");
        let window = rotation.read()["windows"][0]["id"].clone();
        let (_hook, receiver) = rota.hook("duty.changed rotation.updated");
        // Other people, another zone, other hours; whoever is on call stays.
        let mut plan = Plan::weekly(
            "S1",
            "America/New_York",
            "2025-12-01T08:00:00Z",
            &["a3", "a2"],
        );
        plan.layers[0].turns = Turns::Days(7);
        partner.plan("S1", plan);
        assert_eq!(sync(&rota), (1, 0));
        let after = rotation.read();
        assert_eq!(after["windows"][0]["id"], window);
        assert_eq!(after["windows"][0]["timeZone"], "America/New_York");
        assert_eq!(
            after["windows"][0]["cadence"]["timeZone"],
            "America/New_York"
        );
        assert_eq!(rotation.order(), "U3 U2", "{kind:?}");
        assert_eq!(on_call(&rotation), "U2|-");
        receiver.wait_for(1);
        let body = receiver.bodies().remove(0);
        assert_eq!(body["eventType"], "rotation.updated", "{kind:?}");
        rota.to("2026-01-12T08:00Z");
        assert_eq!(on_call(&rotation), "U3|-");
    }
}

#[test]
fn rotations_of_a_schedule_are_on_call_beside_one_another() {
    for kind in [Kind::Ops, Kind::Desk] {
        let (partner, rota) = world(kind);
        let mut plan = weekly("S1");
        let layer = |number: usize, people: &[&str]| Layer {
            id: format!("S1-{number}"),
            people: people.iter().map(|&id| id.to_owned()).collect(),
            turns: Turns::Days(1),
            ..plan.layers[0].clone()
        };
        let more = [
            layer(2, &["a9"]),
            layer(3, &["TEAM-1"]),
            layer(4, &["NONE"]),
        ];
        plan.layers.extend(more);
        partner.plan("S1", plan);
        let rotation = follows(&rota, kind, "S1");
        let read = rotation.read();
        assert_eq!((int(&read["heldSeats"]), int(&read["openSeats"])), (3, 1));
        let shown = external(&rotation);
        let kinds: Vec<&str> = (shown["current"].as_array().unwrap().iter())
            .map(|one| text(&one["externalAssignment"]["memberKind"]))
            .collect();
        assert_eq!(kinds, ["user", "user", "team", "empty"], "{kind:?}");
        assert_eq!(shown["coverage"], "partial");
        for (member, count) in [
            ("requiredAssignmentCount", 4),
            ("assignedAssignmentCount", 3),
            ("emptyAssignmentCount", 1),
            ("unmappedAssignmentCount", 2),
            ("distinctResponderCount", 2),
            ("distinctParticipantCount", 3),
        ] {
            assert_eq!(shown[member], count, "{kind:?} {member}");
        }
        assert_eq!(on_call(&rotation), "U2|Outside 9");
        // Without people it is nobody, with a team it is somebody.
        partner.with(|it| {
            let plan = it.plans.get_mut("S1").expect("the plan");
            plan.layers.retain(|layer| layer.people[0] == "TEAM-1");
        });
        assert_eq!(sync(&rota), (1, 0));
        let duty = rotation.get("/on-call").is(200).json()["unmappedExternalDuty"].clone();
        assert_eq!(duty["email"], Value::Null, "{kind:?}");
        assert_ne!(duty["until"], Value::Null);
    }
}

#[test]
fn people_whose_addresses_are_hidden_are_who_somebody_says() {
    for kind in Kind::ALL {
        let (partner, rota) = world(kind);
        partner.with(|it| it.people.get_mut("a2").expect("somebody").email = None);
        partner.plan("S1", weekly("S1"));
        let rotation = follows(&rota, kind, "S1");
        assert_eq!(on_call(&rotation), "|Outside 2", "{kind:?}");
        let path = format!("/v1/partners/{}/people", kind.name());
        let people = rota.caller().all(&path);
        let shown = |one: &Value| {
            let [id, user, by] =
                ["participantId", "userId", "linked"].map(|name| text(&one[name]).to_owned());
            format!("{id} {user} {by}")
        };
        let lines: Vec<String> = people.iter().map(shown).collect();
        assert_eq!(lines, ["a1 U1 email", "a2 - -"], "{kind:?}");
        let put = rota.caller().request("PUT", &format!("{path}/a2"));
        put.json(&json!({ "userId": "U3" })).send().is(200);
        assert_eq!(on_call(&rotation), "U3|-", "{kind:?}");
        assert_eq!(rotation.order(), "U1 U3");
        assert_eq!(sync(&rota), (1, 0));
        assert_eq!(on_call(&rotation), "U3|-", "{kind:?}");
    }
}
