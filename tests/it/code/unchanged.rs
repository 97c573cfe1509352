//! What was exported and is applied writes nothing; applied to an empty server it makes the same.

use super::Shell;
use crate::fuzz::Chance;
use crate::support::*;
use serde_json::{Value, json};

const PEOPLE: [&str; 6] = ["U1", "U2", "U3", "U4", "U5", "U6"];
const ZONES: [&str; 4] = ["UTC", "Europe/Oslo", "America/New_York", "Asia/Kolkata"];

fn rota() -> Rota {
    let rota = Rota::at(MONDAY);
    let mut all = directory(6);
    all["users"][4]["email"] = json!("u4@example.com");
    all["groups"] = json!([group("G1", "U1 U6"), group("G2", "U2"), group("G3", "U3")]);
    rota.import(&all);
    rota
}

/// Each kind of cadence, also with an anchor that no local time of the zone is.
fn any_cadence(chance: &mut Chance) -> Value {
    let zone = *chance.pick(&ZONES);
    let starts = *chance.pick(&[
        "2026-01-05T09:00:00+01:00",
        "2025-10-26T01:30:00Z",
        "2026-02-28T23:59:00Z",
        "2026-01-12T08:30:15Z",
    ]);
    let kinds = [
        "dayOfWeek",
        "daysOfWeekList",
        "dayOfMonth",
        "nthWeekdayOfMonth",
        "daily",
        "workday",
    ];
    let kind = *chance.pick(&kinds);
    let mut cadence = json!({ "type": kind, "timeZone": zone, "startsAt": starts, "period": 1 + chance.below(3) });
    let own = match kind {
        "daysOfWeekList" => json!({ "daysOfWeek": ["monday", "thursday"] }),
        "nthWeekdayOfMonth" => json!({ "dayOfWeek": "friday", "weeksInMonth": [1, 3] }),
        "daily" => json!({ "times": ["08:00", "20:00"] }),
        _ => json!({}),
    };
    for (member, value) in own.as_object().unwrap() {
        cadence[member] = value.clone();
    }
    if kind == "workday" || chance.once_in(3) {
        cadence["countryCodes"] = json!(["NO"]);
        cadence["skipNationalHolidays"] = json!(chance.once_in(2) || kind == "workday");
        cadence["skipWeekends"] = json!(true);
    }
    cadence
}

fn some<'a>(chance: &mut Chance, from: &[&'a str]) -> Vec<&'a str> {
    let mut found: Vec<&str> = from.iter().copied().filter(|_| chance.once_in(2)).collect();
    if found.is_empty() {
        found.push(from[0]);
    }
    if chance.once_in(2) {
        found.reverse();
    }
    found
}

/// A rotation with anything that a file says.
fn make(rota: &Rota, chance: &mut Chance, code: Option<String>) {
    let people = some(chance, &PEOPLE);
    let groups: Vec<&str> = ["G1", "G2"]
        .into_iter()
        .filter(|_| chance.once_in(3))
        .collect();
    let traded = chance.once_in(2);
    let mut dealing = json!({ "missedTurn": if traded { "traded" } else { "lost" } });
    if traded && chance.once_in(2) {
        dealing["restHours"] = json!(chance.below(12));
        dealing["shares"] = json!([{ "userId": people[0], "percent": 50 }]);
    }
    let mut policy = json!({ "calendars": chance.pick(&["never", "always"]) });
    if chance.once_in(3) {
        policy = json!({ "calendars": "long", "minimumHours": 24, "passOver": "duringTurn", "whileOnDuty": "handOver" });
    }
    let body = json!({
        "name": chance.pick(&["Database", "a \"b\" 'c' #", "\u{1f642} two\u{a0}"]), "code": code, "public": chance.once_in(2),
        "description": chance.pick(&[json!(null), json!("one\ntwo\\"), json!("'''")]),
        "owners": some(chance, &PEOPLE), "userIds": people, "userGroupIds": groups, "channels": ["C1"],
        "dealing": dealing, "absencePolicy": policy,
    });
    let rotation = rota.create(body);
    let settings = json!({
        "skipsAreOffTime": chance.once_in(2), "enableTopic": chance.once_in(2),
        "topicTemplate": chance.pick(&[json!(null), json!("%USER%")]),
        "summary": if chance.once_in(3) {
            json!({ "day": "monday", "time": "08:00", "timeZone": "UTC", "channelIds": ["C1"] })
        } else { json!(null) },
        "managedBy": chance.pick(&[json!(null), json!("team")]),
    });
    rotation.patch(settings).is(200);
    if chance.once_in(2) {
        let channel = json!({ "postsMessages": chance.once_in(2), "syncsTopic": true });
        rotation.put("/channels/C2", channel).is(200);
    }
    if chance.once_in(3) {
        rotation
            .put("/on-duty-group", json!({ "userGroupId": "G3" }))
            .is(200);
    }
    if chance.once_in(2) {
        let mentions = json!({ "expiresAfterMinutes": 30, "remindAfterMinutes": chance.pick(&[json!(null), json!(5)]) });
        rotation.put("/mention-settings", mentions).is(200);
        rotation
            .put(
                "/warning-settings",
                json!({ "off": ["holidayDuty"], "shortRestHours": 12 }),
            )
            .is(200);
    }
    if !chance.once_in(5) {
        grid(&rotation, chance, &people);
    }
    if chance.once_in(6) {
        rotation.patch(json!({ "enabled": false })).is(200);
    }
}

/// A grid of lanes and windows, with keys and without, and rosters that are narrowed and that are not.
fn grid(rotation: &Rot, chance: &mut Chance, people: &[&str]) {
    let windows: Vec<Value> = (0..1 + chance.below(2))
        .map(|_| {
            let (cadence, zone) = (any_cadence(chance), *chance.pick(&ZONES));
            match chance.below(3) {
                0 => always(cadence),
                1 => hours(zone, &weekdays("09:00", "17:00"), cadence),
                _ => hours("UTC", "friday 22:00 - monday 06:00", cadence),
            }
        })
        .collect();
    let lanes = 1 + chance.below(3);
    let mut grid = rotation.grid(lanes, &windows);
    if chance.once_in(2) {
        for (kind, at) in [("lanes", 0), ("windows", 0)] {
            grid[kind][at]["key"] = json!(chance.pick(&["primary", "lane-2", "window-1"]));
        }
    }
    grid["doubleCover"] = json!(chance.once_in(2));
    let cells = grid["cells"].as_array_mut().unwrap();
    for cell in cells {
        if chance.once_in(3) {
            cell["rosterId"] = json!(chance.pick(&["emea", "all"]));
        }
    }
    rotation.put("/coverage", grid).is(200);
    let narrowed = rotation.read()["rosters"]
        .as_array()
        .unwrap()
        .iter()
        .any(|roster| roster["rosterId"] == "emea");
    if narrowed {
        rotation
            .put("/rosters/emea", json!({ "userIds": [people[0]] }))
            .is(200);
    }
}

fn etags(rota: &Rota) -> Vec<String> {
    let rotations = rota.caller().all("/v1/rotations");
    let etag = |rotation: &Value| {
        rota.get(&format!("/v1/rotations/{}", text(&rotation["id"])))
            .is(200)
            .etag()
    };
    rotations.iter().map(etag).collect()
}

/// Does something with each server, on two threads: seeds of their own.
fn on_servers(count: u64, each: impl Fn(u64) + Sync) {
    std::thread::scope(|scope| {
        for first in 0..2 {
            let each = &each;
            scope.spawn(move || (first..count).step_by(2).for_each(each));
        }
    });
}

#[test]
fn what_was_exported_writes_nothing() {
    let (servers, count) = if in_full() { (10, 100) } else { (1, 16) };
    on_servers(servers, |number| {
        let rota = rota();
        let mut chance = Chance::of(number);
        for at in 0..count {
            let code = (!chance.once_in(4)).then(|| format!("R{at}"));
            make(&rota, &mut chance, code);
        }
        rota.to("2026-01-06T10:00Z");
        let shell = Shell::at(&rota);
        shell.file(&shell.run("export").is(0).output);
        shell
            .dir
            .file("team.json", shell.run("export --json").is(0).output);
        let before = etags(&rota);
        // Both forms are the same edit; every other server is given the other one.
        let names = ["team.toml", "team.json"];
        let names = match servers {
            1 => &names[..],
            _ => &names[(number % 2) as usize..][..1],
        };
        for name in names {
            shell
                .run(&format!("plan {name} --days 7"))
                .is(0)
                .says(&["Nothing to change."]);
            shell.run(&format!("apply {name} --yes")).is(0);
        }
        assert_eq!(etags(&rota), before, "server {number}");
    });
}

#[test]
fn an_empty_server_becomes_the_same() {
    let (servers, count) = if in_full() { (10, 50) } else { (1, 12) };
    on_servers(servers, |number| {
        let first = rota();
        let mut chance = Chance::of(1_000 + number);
        for at in 0..count {
            make(&first, &mut chance, Some(format!("R{at}")));
        }
        let file = Shell::at(&first).run("export").is(0).output;
        let second = rota();
        let shell = Shell::at(&second);
        shell.file(&file);
        shell.apply("");
        assert_eq!(shell.run("export").is(0).output, file, "server {number}");
        shell.run("plan team.toml").is(0);
    });
}
