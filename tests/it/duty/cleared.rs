//! A slot that was cleared stays empty until a hand-over or a change that concerns its rotation.

use crate::support::{self, *};
use jiff::ToSpan;
use serde_json::{Value, json};

/// The directory of every row: U1 to U9, G1 used by the rotation, G2 unused.
fn usual() -> Value {
    let mut all = directory(9);
    all["groups"] = json!([group("G1", "U5 U6"), group("G2", "U7 U9")]);
    all
}

/// A later instant of the frozen clock.
fn later(rota: &Rota, hours: i64) -> String {
    short(at(&rota.now()) + hours.hours())
}

/// Members U1 to U4 and G1, one slot that deals from a roster of U1, U2 and U3, no hand-over before June.
fn rotation(rota: &Rota) -> Rot<'_> {
    let mut body = new_rotation("U1 U2 U3 U4");
    body["userGroupIds"] = json!(["G1"]);
    let rotation = rota.create(body);
    rotation.put("/coverage", grid(&rotation, 1)).is(200);
    rotation.put("/rosters/day", day("U1 U2 U3")).is(200);
    rotation
}

fn grid(rotation: &Rot, lanes: usize) -> Value {
    let mut grid = rotation.grid(lanes, &[always(weekly("UTC", "2026-06-01T09:00"))]);
    for cell in grid["cells"].as_array_mut().expect("cells") {
        cell["rosterId"] = json!("day");
    }
    grid
}

fn day(users: &str) -> Value {
    json!({ "userIds": words(users) })
}

/// Imports the directory after an edit.
fn import(rota: &Rota, edit: impl FnOnce(&mut Value)) {
    let mut all = usual();
    edit(&mut all);
    rota.import(&all);
}

fn absence(user: &str, from: &str, until: &str) -> Value {
    json!({ "userId": user, "from": rfc(from), "until": rfc(until), "appliesTo": "allRotations" })
}

type Act = fn(&Rota, &Rot);

fn nothing(_: &Rota, _: &Rot) {}

/// An absence of a person that runs now and ends in an hour.
fn away_for_an_hour(rota: &Rota, rotation: &Rot, user: &str) -> String {
    rotation.away(user, &rota.now(), &later(rota, 1))
}

fn pass_two_hours(rota: &Rota, _: &Rot) {
    rota.to(&later(rota, 2));
}

fn delete_absences(rota: &Rota, rotation: &Rot) {
    let list = rota.caller().all(&rotation.path("/availability"));
    assert!(!list.is_empty());
    for absence in &list {
        rotation.back(text(&absence["id"]));
    }
}

/// What happens before the slot is cleared, what happens then, and whether that concerns the rotation.
const ROWS: &[(&str, Act, Act, bool)] = &[
    // The directory.
    ("identical import", nothing, |r, _| import(r, |_| ()), false),
    (
        "a member renamed",
        nothing,
        |r, _| import(r, |all| all["users"][1]["displayName"] = json!("Zoe")),
        false,
    ),
    (
        "a stranger deactivated",
        nothing,
        |r, _| import(r, |all| all["users"][8]["isDeleted"] = json!(true)),
        false,
    ),
    (
        "a stranger added",
        nothing,
        |r, _| {
            import(r, |all| {
                all["users"].as_array_mut().unwrap().push(user("U10"))
            })
        },
        false,
    ),
    (
        "a group of no rotation changed",
        nothing,
        |r, _| import(r, |all| all["groups"][1] = group("G2", "U8")),
        false,
    ),
    (
        "its group renamed",
        nothing,
        |r, _| import(r, |all| all["groups"][0]["name"] = json!("Others")),
        false,
    ),
    (
        "its group has one more",
        nothing,
        |r, _| import(r, |all| all["groups"][0] = group("G1", "U5 U6 U7")),
        true,
    ),
    (
        "a member deactivated",
        nothing,
        |r, _| import(r, |all| all["users"][3]["isDeleted"] = json!(true)),
        true,
    ),
    // The rotation.
    (
        "another name",
        nothing,
        |_, r| drop(r.patch(json!({ "name": "Other" })).is(200)),
        false,
    ),
    (
        "another owner",
        nothing,
        |_, r| drop(r.patch(json!({ "owners": ["U2"] })).is(200)),
        false,
    ),
    (
        "enabled when it is enabled",
        nothing,
        |_, r| drop(r.patch(json!({ "enabled": true, "name": "Other" })).is(200)),
        false,
    ),
    (
        "the same members",
        nothing,
        |_, r| {
            let same = json!({ "userIds": ["U1", "U2", "U3", "U4"], "userGroupIds": ["G1"] });
            drop(r.patch(same).is(200));
        },
        false,
    ),
    (
        "a channel",
        nothing,
        |_, r| {
            drop(
                r.put("/channels/C1", json!({ "postsMessages": true }))
                    .is(200),
            )
        },
        false,
    ),
    (
        "one member more",
        nothing,
        |_, r| {
            drop(
                r.patch(json!({ "userIds": ["U1", "U2", "U3", "U4", "U7"] }))
                    .is(200),
            )
        },
        true,
    ),
    (
        "one member less",
        nothing,
        |_, r| drop(r.patch(json!({ "userIds": ["U1", "U2", "U3"] })).is(200)),
        true,
    ),
    (
        "double cover",
        nothing,
        |_, r| drop(r.patch(json!({ "doubleCover": true })).is(200)),
        true,
    ),
    (
        "off and on again",
        nothing,
        |_, r| {
            r.patch(json!({ "enabled": false })).is(200);
            assert_eq!(r.holders(), "-");
            r.patch(json!({ "enabled": true })).is(200);
        },
        true,
    ),
    // Coverage and rosters.
    (
        "the same coverage",
        nothing,
        |_, r| drop(r.put("/coverage", grid(r, 1)).is(200)),
        false,
    ),
    (
        "a window named",
        nothing,
        |_, r| {
            let mut named = grid(r, 1);
            named["windows"][0]["name"] = json!("Day");
            drop(r.put("/coverage", named).is(200));
        },
        false,
    ),
    (
        "other hours",
        nothing,
        |_, r| {
            let mut other = grid(r, 1);
            other["windows"][0]["coverage"] = coverage("monday 00:00 - sunday 23:00");
            drop(r.put("/coverage", other).is(200));
        },
        true,
    ),
    (
        "another cadence",
        nothing,
        |_, r| {
            let mut other = grid(r, 1);
            other["windows"][0]["cadence"] = weekly("UTC", "2026-06-02T09:00");
            drop(r.put("/coverage", other).is(200));
        },
        true,
    ),
    (
        "one more lane",
        nothing,
        |_, r| drop(r.put("/coverage", grid(r, 2)).is(200)),
        true,
    ),
    (
        "the same roster",
        nothing,
        |_, r| drop(r.put("/rosters/day", day("U1 U2 U3")).is(200)),
        false,
    ),
    (
        "another order",
        nothing,
        |_, r| drop(r.put("/rosters/day", day("U3 U2 U1")).is(200)),
        true,
    ),
    // Absences.
    (
        "a stranger away",
        nothing,
        |rota, _| {
            let other = rota.rotation("U9");
            let body = absence("U9", &rota.now(), &later(rota, 1));
            other.by.post(&other.path("/availability"), body).is(201);
        },
        false,
    ),
    (
        "a member of no roster in use away",
        nothing,
        |rota, r| drop(away_for_an_hour(rota, r, "U4")),
        false,
    ),
    (
        "and back",
        |rota, r| drop(away_for_an_hour(rota, r, "U4")),
        delete_absences,
        false,
    ),
    (
        "and back by the clock",
        |rota, r| drop(away_for_an_hour(rota, r, "U4")),
        pass_two_hours,
        false,
    ),
    (
        "somebody who has left is back",
        |rota, r| {
            away_for_an_hour(rota, r, "U4");
            r.patch(json!({ "userIds": ["U1", "U2", "U3"] })).is(200);
        },
        delete_absences,
        false,
    ),
    (
        "somebody who has left is back by the clock",
        |rota, r| {
            away_for_an_hour(rota, r, "U3");
            r.patch(json!({ "userIds": ["U1", "U2", "U4"] })).is(200);
        },
        pass_two_hours,
        false,
    ),
    (
        "an absence that is over",
        nothing,
        |rota, r| drop(r.away("U2", &later(rota, -3), &later(rota, -2))),
        false,
    ),
    (
        "the same absence again",
        |rota, r| drop(away_for_an_hour(rota, r, "U2")),
        |rota, r| {
            let body =
                json!({ "userId": "U2", "from": rfc(&rota.now()), "until": rfc(&later(rota, 1)) });
            r.by.post(&r.path("/availability"), body).is(200);
        },
        false,
    ),
    (
        "one of the roster away",
        nothing,
        |rota, r| drop(away_for_an_hour(rota, r, "U2")),
        true,
    ),
    (
        "one of the roster away everywhere",
        nothing,
        |rota, r| {
            let body = absence("U2", &rota.now(), &later(rota, 1));
            r.by.post(&r.path("/availability"), body).is(201);
        },
        true,
    ),
    (
        "one of the roster back",
        |rota, r| drop(away_for_an_hour(rota, r, "U2")),
        delete_absences,
        true,
    ),
    (
        "one of the roster back by the clock",
        |rota, r| drop(away_for_an_hour(rota, r, "U2")),
        pass_two_hours,
        true,
    ),
    // The clock, the tier and other rotations.
    (
        "an arrangement that came and went",
        |rota, r| drop(r.assign(0, "U3", &later(rota, 1), &later(rota, 2))),
        |rota, _| rota.to(&later(rota, 3)),
        true,
    ),
    (
        "another tier",
        nothing,
        |rota, _| {
            rota.plan("free");
            rota.plan("pro");
        },
        false,
    ),
    (
        "another tier that stops a lane",
        |_, r| drop(r.put("/coverage", grid(r, 2)).is(200)),
        |rota, _| rota.plan("free"),
        true,
    ),
    (
        "another rotation",
        nothing,
        |rota, _| {
            let other = rota.daily("U1 U2 U3", 1);
            other.patch(json!({ "userIds": ["U2"] })).is(200);
            other.rotate();
        },
        false,
    ),
    ("rotate", nothing, |_, r| r.rotate(), true),
];

/// rules.md 2.7.
#[test]
fn what_concerns_a_rotation_fills_it_and_nothing_else_does() {
    let rota = Rota::at(MONDAY);
    for (name, before, act, fills) in ROWS {
        rota.plan("pro");
        rota.import(&usual());
        let rotation = rotation(&rota);
        before(&rota, &rotation);
        rotation.clear().is(200);
        assert!(rotation.holders().starts_with('-'), "{name}");
        let version = rotation.etag();
        act(&rota, &rotation);
        let holders = rotation.holders();
        assert_eq!(!holders.starts_with('-'), *fills, "{name}: {holders}");
        if name.contains("same") || name.contains("identical") {
            assert_eq!(rotation.etag(), version, "{name}");
        }
        rotation.by.delete_if(&rotation.path(""), "*").is(204);
    }
}

/// The command has the same effect as the route.
#[test]
fn the_command_fills_nothing_with_a_file_that_changes_nothing() {
    let dir = TempDir::new();
    let (db, file) = (dir.join("rota.db"), dir.join("directory.json"));
    let rota = Start::default().db(&db).go();
    rota.import(&usual());
    let rotation = rotation(&rota);
    rotation.clear().is(200);
    let etag = rotation.etag();
    let import = |all: &Value| {
        std::fs::write(&file, all.to_string()).expect("a file");
        let mut command = support::rota(dir.path());
        command
            .args(["directory", "import"])
            .arg(&file)
            .arg("--db")
            .arg(&db);
        let (code, _, log) = run(&mut command);
        assert_eq!(code, 0, "{log}");
    };
    import(&usual());
    assert_eq!((rotation.holders(), rotation.etag()), ("-".into(), etag));
    let mut more = usual();
    more["groups"][0] = group("G1", "U6 U5");
    import(&more);
    eventually("somebody on duty", || rotation.holders() == "U2");
}

#[test]
fn a_window_that_shuts_fills_what_was_emptied_by_hand() {
    let rota = Rota::with_people(2);
    let rotation = rota.rotation("U1 U2");
    rotation.cover(1, &[hours("UTC", &weekdays("09:00", "12:00"), daily())]);
    for (now, holders) in [
        ("2026-01-05T10:00Z", "-"),
        ("2026-01-05T11:59Z", "-"),
        ("2026-01-05T12:00Z", "(U2)"),
    ] {
        rota.to(now);
        if now.contains("T10") {
            rotation.clear().is(200);
        }
        assert_eq!(rotation.holders(), holders, "{now}");
    }
}
