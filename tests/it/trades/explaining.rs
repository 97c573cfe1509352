//! GET explain with `userId`: why somebody was not chosen.

use super::traded;
use crate::support::*;
use serde_json::{Value, json};

/// `absent: Person U2 is absent ...`, `-` for whoever is on call.
#[track_caller]
fn why_not(rotation: &Rot, instant: &str, user: &str) -> String {
    let path = format!("/explain?at={}&userId={user}", rfc(instant));
    let explained = rotation.get(&path).is(200).json();
    let why: &Value = &explained["cells"][0]["whyNot"];
    if why.is_null() {
        assert!(explained["cells"][0].get("whyNot").is_some());
        return "-".to_owned();
    }
    assert_eq!(why["userId"], *user);
    format!("{}: {}", text(&why["why"]), text(&why["text"]))
}

#[test]
fn why_somebody_was_not_chosen_ahead_and_afterwards() {
    let rota = Rota::with_people(5);
    let rotation = traded(&rota);
    let (tuesday, thursday) = ("2026-01-06T12:00Z", "2026-01-08T12:00Z");
    let both = [
        (
            tuesday,
            "U2",
            "absent: Person U2 is absent from Tue 6 Jan 2026, 09:00 (UTC)",
        ),
        (tuesday, "U3", "-"),
        (tuesday, "U5", "notMember: Person U5 is not in the order"),
        (
            thursday,
            "U3",
            "repayment: It is Person U3's turn, and Person U2 pays back",
        ),
        (thursday, "U2", "-"),
    ];
    let ahead = [
        (
            tuesday,
            "U4",
            "notTheirTurn: Person U4's own turn is Wed 7 Jan 2026, 09:00 (UTC); they are here, but a trade with Person U3 leaves more room between the turns of both.",
        ),
        (
            thursday,
            "U1",
            "notTheirTurn: Person U1's own turn is Fri 9 Jan 2026, 09:00 (UTC); they are free, but Person U2's turn comes first.",
        ),
    ];
    for (instant, user, expected) in both.into_iter().chain(ahead) {
        let found = why_not(&rotation, instant, user);
        assert!(found.starts_with(expected), "{instant} {user}: {found}");
    }
    rota.to("2026-01-09T12:00Z");
    for (instant, user, expected) in both {
        let found = why_not(&rotation, instant, user);
        assert!(found.starts_with(expected), "{instant} {user}: {found}");
    }
    let found = why_not(&rotation, tuesday, "U4");
    assert_eq!(
        found,
        "notTheirTurn: Person U4 was not looked at: Person U3's turn comes first."
    );
    // Only where somebody is asked about.
    let explained = rotation.get("/explain").is(200).json();
    assert!(explained["cells"][0].get("whyNot").is_none());
}

#[test]
fn turns_that_were_not_dealt_and_missed_turns_that_are_lost() {
    let rota = Rota::with_people(4);
    let lost = rota.daily("U1 U2 U3 U4", 1);
    lost.away("U2", "2026-01-06T09:00Z", "2026-01-07T09:00Z");
    let found = why_not(&lost, "2026-01-06T12:00Z", "U2");
    assert!(found.starts_with("absent: Person U2 is absent"), "{found}");
    let found = why_not(&lost, "2026-01-06T12:00Z", "U4");
    assert!(
        found.starts_with("notTheirTurn: Person U4's own turn is Wed 7 Jan"),
        "{found}"
    );
    let now = rota.now();
    lost.put_on_call("U3").is(200);
    assert!(why_not(&lost, &now, "U1").starts_with("byHand: "));
    let office = rota.rotation("U1 U2");
    office.cover(1, &[hours("UTC", &weekdays("10:00", "17:00"), daily())]);
    assert!(why_not(&office, "2026-01-07T20:00Z", "U1").starts_with("shut: "));
    // Somebody with a smaller share.
    let shares = traded(&rota);
    let half = serde_json::json!([{ "userId": "U4", "percent": 50 }]);
    shares
        .patch(serde_json::json!({ "dealing": { "shares": half } }))
        .ok();
    let found = why_not(&shares, "2026-01-11T12:00Z", "U4");
    assert!(
        found.starts_with("satOut: Person U4 has a smaller share"),
        "{found}"
    );
}

/// Somebody with a part of the turns sits out some of them, a stand-in all of them.
#[test]
fn whoever_sits_out_is_named() {
    let rota = Rota::with_people(4);
    let rotation = traded(&rota);
    let shares = json!([{ "userId": "U1", "percent": 50 }, { "userId": "U4", "percent": 0 }]);
    rotation
        .patch(json!({ "dealing": { "shares": shares } }))
        .ok();
    let mut told = Vec::new();
    for day in 7..17 {
        let at = format!("2026-01-{day:02}T12:00:00Z");
        let explained = rotation.get(&format!("/explain?at={at}")).is(200).json();
        let steps = explained["cells"][0]["steps"].as_array().expect("a list");
        let own = steps.iter().find(|step| step["rule"] == "ownTurn");
        let own = own.expect("whose turn it is");
        let who = own["satOut"].as_array().expect("a list").iter().map(text);
        let who: Vec<&str> = who.collect();
        told.push(format!("{}: {}", who.join(" "), text(&own["text"])));
    }
    for expected in [
        "U1: It is Person U2's turn; Person U1 has a smaller share and sits this one out.",
        "U4: It is Person U3's turn; Person U4 has a smaller share and sits this one out.",
    ] {
        assert!(told.iter().any(|told| told == expected), "{told:?}");
    }
    let day = told
        .iter()
        .position(|told| told.starts_with("U4: "))
        .expect("a day");
    for (day, expected) in [
        (
            day,
            "satOut: Person U4 is a stand-in: no turn is theirs, and they only help out.",
        ),
        (
            day + 1,
            "notTheirTurn: Person U4 is free as a stand-in, but ",
        ),
    ] {
        let found = why_not(&rotation, &format!("2026-01-{:02}T12:00Z", 7 + day), "U4");
        assert!(found.starts_with(expected), "{found}");
    }
}

/// The turn that leaves too little rest is told from where it began, however little of it is left.
#[test]
fn too_little_rest_names_the_whole_other_turn() {
    let rota = Rota::with_people(3);
    let mut body = new_rotation("U1 U2 U3");
    body["dealing"] = json!({ "missedTurn": "traded", "restHours": 11 });
    body["absencePolicy"] = json!({ "passOver": "duringTurn" });
    let rotation = rota.create(body);
    let week = weekly("UTC", "2026-01-05T09:00");
    let windows = [
        hours("UTC", "monday 09:00 - friday 17:00", week),
        hours(
            "UTC",
            "friday 18:00 - monday 08:00",
            weekly("UTC", "2026-01-09T18:00"),
        ),
    ];
    rotation.cover(1, &windows);
    let explained = rotation
        .get("/explain?at=2026-01-12T12:00:00Z")
        .is(200)
        .json();
    let steps = explained["cells"][0]["steps"].as_array().expect("a list");
    let rest = steps.iter().filter(|step| step["why"] == "rest");
    let told: Vec<String> = rest
        .map(|step| format!("{} to {}", text(&step["from"]), text(&step["until"])))
        .collect();
    // The weekend before, and not only its last eleven hours.
    assert_eq!(told[0], "2026-01-09T18:00:00Z to 2026-01-12T08:00:00Z");
}

#[test]
fn what_is_refused_is_refused_as_without_a_person() {
    let rota = Rota::with_people(4);
    let rotation = traded(&rota);
    rotation
        .get("/explain?userId=U1&cellId=nowhere")
        .refused(404, "not_found");
    rotation.get("/explain?userId=U1&at=yesterday").names("at");
    rotation.get("/explain?userId=U1&userId=U2").names("userId");
    rota.caller()
        .get("/v1/rotations/rot_x/explain?userId=U1")
        .refused(404, "not_found");
}
