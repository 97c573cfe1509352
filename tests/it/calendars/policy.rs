//! `absencePolicy`: which absences of calendars count, who is passed over, and who takes over from somebody who goes away.

use super::*;
use crate::events::word;

/// Monday 2026-01-05, 09:00, to the Monday after.
const WEEK: (&str, &str) = ("2026-01-05T09:00Z", "2026-01-12T09:00Z");

fn policy(rotation: &Rot, policy: Value) -> Value {
    let answer = rotation.patch(json!({ "absencePolicy": policy }));
    answer.is(200).json()["absencePolicy"].clone()
}

/// The new events: `duty manual U3`.
#[track_caller]
fn news(receiver: &Receiver) -> Vec<String> {
    receiver.rota.advance(0);
    let bodies = receiver.bodies();
    receiver.forget();
    let line = |body: &Value| {
        let on_call = people_on_call(&body["rotation"]["onCall"]);
        format!("{} {on_call}", word(body)).trim_end().to_owned()
    };
    bodies.iter().map(line).collect()
}

/// Those passed over for absences where the first slot was dealt: `U2 internalAvailability`.
#[track_caller]
fn skipped(rotation: &Rot) -> Vec<String> {
    let on_call = rotation.get("/on-call").is(200).json();
    let skipped = on_call["onCall"][0]["skippedForAbsence"].clone();
    let line = |one: &Value| format!("{} {}", text(&one["userId"]), text(&one["source"]));
    skipped.as_array().unwrap().iter().map(line).collect()
}

#[test]
fn the_policy_is_shown_and_changed_member_by_member() {
    let rota = Rota::with_people(2);
    let rotation = rota.daily("U1 U2", 1);
    let default = json!({ "calendars": "always", "passOver": "atHandOver", "whileOnDuty": "keep" });
    let shown = rotation.read();
    assert_eq!(shown["absencePolicy"], default);
    // The same again changes nothing.
    let etag = rotation.etag();
    assert_eq!(policy(&rotation, default), shown["absencePolicy"]);
    assert_eq!(rotation.etag(), etag);
    let long = policy(
        &rotation,
        json!({ "calendars": "long", "minimumHours": 48 }),
    );
    let expected = json!({
        "calendars": "long", "minimumHours": 48, "passOver": "atHandOver", "whileOnDuty": "keep",
    });
    assert_eq!(long, expected);
    let during = policy(
        &rotation,
        json!({ "passOver": "duringTurn", "minimumHours": "720" }),
    );
    assert_eq!(
        (&during["minimumHours"], &during["passOver"]),
        (&json!(720), &json!("duringTurn"))
    );
    let never = policy(
        &rotation,
        json!({ "calendars": "never", "whileOnDuty": "handOver" }),
    );
    let expected =
        json!({ "calendars": "never", "passOver": "duringTurn", "whileOnDuty": "handOver" });
    assert_eq!(never, expected);
    assert_eq!(rotation.read()["absencePolicy"], expected);
    for (sent, detail) in [
        (json!(null), "absencePolicy: "),
        (json!("never"), "absencePolicy: "),
        (
            json!({ "calendars": "sometimes" }),
            "absencePolicy.calendars: ",
        ),
        (json!({ "passOver": null }), "absencePolicy.passOver: "),
        (
            json!({ "whileOnDuty": "leave" }),
            "absencePolicy.whileOnDuty: ",
        ),
        (
            json!({ "calendars": "long" }),
            "absencePolicy.minimumHours: ",
        ),
        (
            json!({ "calendars": "long", "minimumHours": 0 }),
            "absencePolicy.minimumHours: ",
        ),
        (
            json!({ "calendars": "long", "minimumHours": 721 }),
            "absencePolicy.minimumHours: ",
        ),
        (json!({ "minimumHours": 8 }), "absencePolicy.minimumHours: "),
        (
            json!({ "calendars": "always", "minimumHours": 8 }),
            "absencePolicy.minimumHours: ",
        ),
        (json!({ "hours": 8 }), "absencePolicy.hours: "),
    ] {
        let answer = rotation.patch(json!({ "absencePolicy": sent })).is(400);
        assert!(
            text(&answer.json()["detail"]).starts_with(detail),
            "{sent}: {}",
            answer.text()
        );
    }
    let audited = rota.caller().all("/v1/audit");
    let said = json!(audited).to_string();
    assert!(said.contains("long (48 h), atHandOver, keep"), "{said}");
}

/// rules.md 10.5.
#[test]
fn calendars_count_as_the_rotation_has_it() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    // A day in two pieces, and a morning later.
    let feed = Feed::of(&[
        "Vacation 20260106T000000Z 20260106T120000Z",
        "Vacation 20260106T120000Z 20260107T000000Z",
        "Sick 20260109T080000Z 20260109T100000Z",
    ]);
    add(&rota, "U2", &feed);
    let planned = || {
        let at = |from: &str, to: &str| {
            let turns = rotation.turns("schedule", from, to);
            text(&turns[0]["userId"]).to_owned()
        };
        let day = at("2026-01-06T09:00Z", "2026-01-07T09:00Z");
        let fourth = at("2026-01-09T09:00Z", "2026-01-10T09:00Z");
        format!("{day} {fourth}")
    };
    assert_eq!(planned(), "U3 U3");
    policy(&rotation, json!({ "calendars": "never" }));
    assert_eq!(planned(), "U2 U2");
    let conflicts = |from: &str, to: &str| {
        let preview = rotation.preview(0, "U2", from, to);
        conflicts_in(&preview).len()
    };
    assert_eq!(conflicts("2026-01-06T10:00Z", "2026-01-06T11:00Z"), 0);
    policy(
        &rotation,
        json!({ "calendars": "long", "minimumHours": 24 }),
    );
    assert_eq!(planned(), "U3 U3");
    assert_eq!(conflicts("2026-01-06T10:00Z", "2026-01-06T11:00Z"), 1);
    assert_eq!(conflicts("2026-01-09T08:30Z", "2026-01-09T09:00Z"), 0);
    policy(
        &rotation,
        json!({ "calendars": "long", "minimumHours": 25 }),
    );
    assert_eq!(planned(), "U2 U2");
    // Stored ones always count.
    rotation.away("U2", "2026-01-06T08:00Z", "2026-01-06T10:00Z");
    assert_eq!(planned(), "U3 U3");
}

#[test]
fn a_long_absence_stays_long_while_its_first_part_passes() {
    let rota = Rota::with_people(2);
    let rotation = rota.daily("U1 U2", 1);
    let days = ["05", "06", "07", "08", "09"];
    let events: Vec<String> = days
        .windows(2)
        .map(|day| format!("Leave 202601{} 202601{}", day[0], day[1]))
        .collect();
    let events: Vec<&str> = events.iter().map(String::as_str).collect();
    add(&rota, "U2", &Feed::of(&events));
    policy(
        &rotation,
        json!({ "calendars": "long", "minimumHours": 72 }),
    );
    let planned = rotation.schedule("2026-01-06T09:00Z", "2026-01-12T09:00Z");
    for day in ["06", "07", "08", "09", "10", "11"] {
        rota.to(&format!("2026-01-{day}T09:30Z"));
    }
    rota.to("2026-01-12T09:00Z");
    assert_eq!(
        rotation
            .schedule("2026-01-12T10:00Z", "2026-01-12T11:00Z")
            .len(),
        1
    );
    let recorded: Vec<String> = rotation
        .turns("history", "2026-01-06T09:00Z", "2026-01-12T09:00Z")
        .iter()
        .map(turn_line)
        .collect();
    assert_eq!(recorded, planned);
    assert!(
        planned[0].ends_with(" U1") && planned[1].ends_with(" U1"),
        "{planned:?}"
    );
}

/// rules.md 10.6.
#[test]
fn whoever_is_away_during_the_turn_is_passed_over() {
    let rota = Rota::with_people(3);
    let monday = weekly("UTC", "2026-01-05T09:00:00");
    let rotation = rota.rotation("U1 U2 U3");
    rotation.cover(1, &[hours("UTC", &weekdays("09:00", "17:00"), monday)]);
    rota.to(WEEK.0);
    assert_eq!(rotation.on_call(), "U2");
    // On the evening of a day nobody misses anything; on a Thursday afternoon they do.
    rotation.away("U3", "2026-01-13T17:00Z", "2026-01-14T09:00Z");
    policy(&rotation, json!({ "passOver": "duringTurn" }));
    let next = |rotation: &Rot| {
        let turns = rotation.turns("schedule", "2026-01-12T09:00Z", "2026-01-12T10:00Z");
        text(&turns[0]["userId"]).to_owned()
    };
    assert_eq!(next(&rotation), "U3");
    rotation.away("U3", "2026-01-15T12:00Z", "2026-01-15T18:00Z");
    assert_eq!(next(&rotation), "U1");
    // Where everybody misses something it is the one who misses least: one hour, three hours, and five of a longer absence.
    rotation.away("U1", "2026-01-16T12:00Z", "2026-01-16T15:00Z");
    rotation.away("U2", "2026-01-16T16:00Z", "2026-01-17T12:00Z");
    assert_eq!(next(&rotation), "U2");
    // Two absences over the same hours count once, so that those who miss as much come in turn.
    rotation.away("U2", "2026-01-16T14:00Z", "2026-01-16T17:00Z");
    assert_eq!(next(&rotation), "U1");
    rota.to("2026-01-12T09:00Z");
    assert_eq!(rotation.on_call(), "U1");
    assert_eq!(skipped(&rotation), ["U3 internalAvailability"]);
    // For all of the turn: nobody.
    for user in ["U1", "U2", "U3"] {
        rotation.away(user, "2026-01-19T09:00Z", "2026-01-23T17:00Z");
    }
    rota.to("2026-01-19T09:00Z");
    assert_eq!(rotation.on_call(), "");
}

/// rules.md 10.7.
#[test]
fn whoever_goes_away_while_on_duty_hands_over() {
    let rota = Rota::with_people(3);
    let (_, receiver) = rota.hook(ALL_EVENTS);
    let rotation = rota.rotation("U1 U2 U3");
    rotation.cover(1, &[always(weekly("UTC", "2026-01-05T09:00:00"))]);
    rota.to(WEEK.0);
    assert_eq!(rotation.on_call(), "U2");
    policy(&rotation, json!({ "whileOnDuty": "handOver" }));
    rotation.away("U2", "2026-01-06T12:00Z", "2026-01-06T18:00Z");
    news(&receiver);
    // Foreseen, done at its instant, and not undone.
    let planned = rotation.schedule(WEEK.0, WEEK.1);
    assert_eq!(
        planned,
        [
            "2026-01-05T09:00Z 2026-01-06T12:00Z U2",
            "2026-01-06T12:00Z 2026-01-12T09:00Z U3",
        ]
    );
    rota.to("2026-01-07T00:00Z");
    assert_eq!(rotation.on_call(), "U3");
    assert_eq!(skipped(&rotation), ["U2 internalAvailability"]);
    assert_eq!(news(&receiver), ["duty scheduled U3"]);
    let recorded = rotation.history("2026-01-06T12:00Z", "2026-01-07T00:00Z");
    assert_eq!(recorded, ["2026-01-06T12:00Z - U3 next-on-scheduled-duty"]);
    // An absence that is stored while it runs; U1 is away too.
    rotation.away("U1", "2026-01-06T12:00Z", "2026-01-08T00:00Z");
    assert_eq!(rotation.on_call(), "U3");
    assert_eq!(rotation.next_turn(), 0);
    rotation.away("U3", "2026-01-06T12:00Z", "2026-01-09T00:00Z");
    assert_eq!(rotation.on_call(), "U2");
    assert_eq!(
        skipped(&rotation),
        ["U3 internalAvailability", "U1 internalAvailability"]
    );
    assert_eq!(news(&receiver), ["duty manual U2"]);
    // Nobody is left: the slot is empty until somebody is back.
    rotation.away("U2", "2026-01-07T06:00Z", "2026-01-10T00:00Z");
    rota.to("2026-01-07T12:00Z");
    assert_eq!(rotation.on_call(), "");
    let news_of_nobody = news(&receiver);
    assert!(
        news_of_nobody
            .iter()
            .any(|line| line.starts_with("duty scheduled")),
        "{news_of_nobody:?}"
    );
    rota.to("2026-01-08T00:00Z");
    assert_eq!(rotation.on_call(), "U1");
}

/// rules.md 10.7.
#[test]
fn the_policy_acts_at_once_when_it_is_switched_on_and_when_a_calendar_says_so() {
    let rota = Rota::with_people(3);
    let (_, receiver) = rota.hook(ALL_EVENTS);
    let rotation = rota.daily("U1 U2 U3", 1);
    rotation.away("U1", "2026-01-05T08:00Z", "2026-01-05T20:00Z");
    assert_eq!(rotation.on_call(), "U1");
    news(&receiver);
    policy(&rotation, json!({ "whileOnDuty": "handOver" }));
    assert_eq!(rotation.on_call(), "U2");
    assert_eq!(news(&receiver), ["updated U2", "duty manual U2"]);
    // Somebody put on duty while they are away was chosen all the same.
    rotation.put_on_call("U1").is(200);
    rotation.away("U3", "2026-01-05T08:00Z", "2026-01-05T10:00Z");
    assert_eq!(rotation.on_call(), "U1");
    rotation.put_on_call("U2").is(200);
    news(&receiver);
    let feed = Feed::of(&["Sick 20260105T000000Z 20260106T000000Z"]);
    let added = add(&rota, "U2", &feed);
    assert_eq!(rotation.on_call(), "");
    let said = news(&receiver);
    assert!(said.contains(&"duty scheduled".to_owned()), "{said:?}");
    // It is read again and nothing is new.
    rota.to("2026-01-05T10:00Z");
    assert_eq!(rotation.on_call(), "U3");
    rotation.put_on_call("U2").is(200);
    feed.now(Then::Calendar(
        calendar(&["Sick 20260105T010000Z 20260106T020000Z"]),
        "2",
    ));
    added.read(&rota);
    assert_eq!(rotation.on_call(), "U2");
    // Calendars count no more, and then they do again.
    policy(&rotation, json!({ "calendars": "never" }));
    policy(&rotation, json!({ "calendars": "always" }));
    assert_eq!(rotation.on_call(), "U3");
}

#[test]
fn a_shut_window_and_an_arrangement_do_not_keep_it_from_happening() {
    let rota = Rota::with_people(3);
    let rotation = rota.rotation("U1 U2 U3");
    let monday = weekly("UTC", "2026-01-05T09:00:00");
    rotation.cover(1, &[hours("UTC", &weekdays("09:00", "17:00"), monday)]);
    rota.to(WEEK.0);
    policy(
        &rotation,
        json!({ "whileOnDuty": "handOver", "passOver": "duringTurn" }),
    );
    assert_eq!(rotation.holders(), "U2");
    // It misses no covered time, and goes all the same.
    rotation.away("U2", "2026-01-05T20:00Z", "2026-01-05T22:00Z");
    rota.to("2026-01-05T21:00Z");
    assert_eq!(rotation.holders(), "(U3)");
    rotation.assign(0, "U1", "2026-01-06T09:00Z", "2026-01-06T17:00Z");
    rotation.away("U3", "2026-01-06T10:00Z", "2026-01-06T11:00Z");
    rota.to("2026-01-06T10:30Z");
    assert_eq!(rotation.on_call(), "U1");
    rota.to("2026-01-06T17:00Z");
    assert_eq!(rotation.holders(), "(U1)");
    let recorded = rotation.history("2026-01-06T09:00Z", "2026-01-06T17:00Z");
    assert_eq!(recorded.len(), 1, "{recorded:?}");
}

/// Who gave up a slot is not put back on it while they are away, whatever has the rotation look for somebody.
#[test]
fn a_slot_that_was_given_up_waits_for_somebody_who_is_here() {
    let rota = Rota::with_people(3);
    let leaves = json!({ "passOver": "duringTurn", "whileOnDuty": "handOver" });
    let made = |user: &str| {
        let rotation = rota.rotation(user);
        rotation.cover(1, &[always(weekly("UTC", "2026-01-05T09:00:00"))]);
        policy(&rotation, leaves.clone());
        rotation
    };
    let (stored, patched, read, ended) = (made("U1"), made("U1"), made("U3"), made("U1"));
    // Two windows of a day; the second opens meanwhile.
    let opened = rota.rotation("U1");
    let half = |from: &str, until: &str| {
        hours(
            "UTC",
            &weekdays(from, until),
            weekly("UTC", "2026-01-05T09:00:00"),
        )
    };
    opened.cover(1, &[half("09:00", "11:30"), half("11:30", "18:00")]);
    policy(&opened, leaves.clone());
    // One who is here and one who is back in the course of the turn.
    let relieved = rota.rotation("U1 U2");
    relieved.cover(1, &[always(weekly("UTC", "2026-01-05T09:00:00"))]);
    policy(&relieved, leaves.clone());
    rota.to(WEEK.0);
    relieved.put_on_call("U1").is(200);
    relieved.away("U2", "2026-01-06T08:00Z", "2026-01-06T12:00Z");
    relieved.away("U1", "2026-01-06T10:00Z", "2026-01-06T10:30Z");
    for rotation in [&stored, &patched, &ended, &opened] {
        rotation.away("U1", "2026-01-06T10:00Z", "2026-01-06T14:00Z");
    }
    ended.away("U1", "2026-01-06T09:30Z", "2026-01-06T10:20Z");
    let added = add(
        &rota,
        "U3",
        &Feed::of(&["Sick 20260106T100000Z 20260106T140000Z"]),
    );
    let (from, until) = ("2026-01-06T09:00Z", "2026-01-06T18:00Z");
    let all = [&stored, &patched, &read, &ended, &opened, &relieved];
    // A turn that runs has no end in the record yet.
    let turns = |rotation: &Rot, of: &str| -> Vec<String> {
        let turns = rotation.turns(of, from, until);
        let line = |turn: &Value| format!("{} {}", instant(&turn["start"]), text(&turn["userId"]));
        turns.iter().map(line).collect()
    };
    let planned = all.map(|rotation| turns(rotation, "schedule"));
    rota.to("2026-01-06T10:40Z");
    stored.away("U1", "2026-01-20T08:00Z", "2026-01-20T09:00Z");
    patched.patch(json!({ "doubleCover": true })).is(200);
    added.read(&rota);
    for rotation in [&stored, &patched, &read, &ended] {
        assert_eq!(rotation.holders(), "-");
    }
    assert_eq!(relieved.holders(), "U1");
    rota.to("2026-01-06T12:00Z");
    assert_eq!(opened.on_call(), "");
    rota.to(until);
    let recorded = all.map(|rotation| turns(rotation, "history"));
    assert_eq!(recorded, planned);
    assert_eq!(
        planned[0],
        [
            "2026-01-05T09:00Z U1",
            "2026-01-06T10:00Z -",
            "2026-01-06T14:00Z U1"
        ]
    );
}

#[test]
fn what_stands_of_an_absence_is_what_the_policy_leaves() {
    let rota = Rota::with_people(2);
    let rotation = rota.daily("U1 U2", 1);
    let body = json!({ "userId": "U1", "from": rfc("2026-01-05T08:00Z"), "until": rfc("2026-01-05T20:00Z") });
    policy(&rotation, json!({ "whileOnDuty": "handOver" }));
    let made = rotation
        .by
        .post(&rotation.path("/availability"), body)
        .is(201)
        .json();
    assert_eq!(rotation.on_call(), "U2");
    assert_eq!(made["standingDuties"], json!([]), "{made}");
}
