//! The system clock steps while the server runs: due work is processed once, in order, at its due instants, and the history
//! agrees with the schedule.

use super::audit::{audit, ends};
use super::world::{MADE, World};
use crate::cli::succeeds;
use crate::support::*;
use serde_json::json;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// The holders of slots and when their turns start, by schedule or history; consecutive turns of one person are merged.
type Turns = BTreeMap<String, Vec<(String, String)>>;

/// The turns of these rotations that begin in a range, after the one that is running at its start.
#[track_caller]
fn turns(rota: &Rota, ids: &[String], what: &str, from: &str, until: &str) -> Turns {
    let mut found = Turns::new();
    for id in ids {
        let rotation = Rot {
            by: rota.caller(),
            id: id.clone(),
        };
        for turn in rotation.turns(what, from, until) {
            let place = format!("{id} {} {}", text(&turn["laneId"]), text(&turn["windowId"]));
            let turns = found.entry(place).or_default();
            let user = text(&turn["userId"]).to_owned();
            if turns.last().is_none_or(|(_, last)| *last != user) {
                turns.push((instant(&turn["start"]), user));
            }
        }
    }
    // The first turn may begin before the range in one of them, and be clipped in the other.
    for turns in found.values_mut() {
        turns.retain(|(start, _)| at(start) <= at(until));
        if let Some(first) = turns.first_mut().filter(|(start, _)| at(start) < at(from)) {
            first.0 = from.to_owned();
        }
    }
    found
}

struct Walk<'a> {
    world: &'a World,
    rota: &'a Rota,
    ids: Vec<String>,
}

impl Walk<'_> {
    fn all(world: &World) -> Vec<String> {
        let mut ids = world.base.rotations.clone();
        ids.push(world.base.idle.clone());
        ids
    }

    /// Steps forward to an instant and compares with the schedule.
    #[track_caller]
    fn to(&self, stop: &str) {
        let from = short(self.world.clock.latest());
        let plan = turns(self.rota, &self.ids, "schedule", &from, stop);
        self.world.clock.to(stop);
        let begun = Instant::now();
        eventually("what is due is done", || self.world.is_settled());
        // Long enough for a loaded machine; usually it takes a second.
        let patience =
            Duration::from_secs(4 + at(stop).duration_since(at(&from)).as_hours() as u64 / 24);
        assert!(begun.elapsed() < patience, "{stop}: {:?}", begun.elapsed());
        let record = turns(self.rota, &self.ids, "history", &from, stop);
        assert_eq!(record, plan, "from {from} to {stop}");
    }

    /// Steps back by some seconds: nothing is processed, and writes continue.
    #[track_caller]
    fn back(&self, seconds: i64) {
        let until = short(self.world.clock.latest());
        let all = || {
            (
                self.world.versions(),
                turns(self.rota, &self.ids, "history", MADE, &until),
            )
        };
        let before = all();
        self.world.clock.step(-seconds);
        self.world.is_looked_at();
        assert_eq!(all(), before);
    }
}

/// rules.md 1.1 and 1.5.
#[test]
fn forward_and_back_and_on() {
    let world = World::new();
    let rota = world.go("");
    let walk = Walk {
        world: &world,
        rota: &rota,
        ids: Walk::all(&world),
    };
    walk.to("2026-03-02T09:10Z");
    walk.to("2026-04-11T09:10Z");
    let bound = Rot {
        by: rota.caller(),
        id: world.base.rotations[0].clone(),
    };
    walk.back(DAY);
    // A write counts as made at the last instant before the step, and is published.
    let version = world.versions()[&bound.id];
    bound.put_on_call("U2").is(200);
    bound.put_on_call("U3").is(200);
    assert_eq!(world.versions()[&bound.id], version + 2);
    audit(&world, &rota, &[]);
    walk.to("2026-04-11T23:00Z");
    walk.to("2026-04-12T09:00Z");
    audit(&world, &rota, &[]);
    ends(&world, rota);
}

#[test]
fn back_and_forth_again_and_again() {
    let world = World::new();
    let rota = world.go("");
    let walk = Walk {
        world: &world,
        rota: &rota,
        ids: Walk::all(&world),
    };
    let mut day = at("2026-03-02T08:30Z");
    // Never as many days at once as there are people: the same person again would publish nothing.
    for round in 0..5 {
        day += jiff::SignedDuration::from_hours(24 * (1 + round % 2));
        walk.to(&short(day));
        walk.back([DAY, 5 * DAY, HOUR][round as usize % 3]);
    }
    audit(&world, &rota, &[]);
    let (status, log) = rota.stop();
    assert_eq!(status.code(), Some(0));
    assert!(log.lines().count() < 60, "{log}");
    succeeds(&world.db, "check");
}

#[test]
fn a_start_with_a_clock_that_was_set_back() {
    let world = World::new();
    let mut rota = world.go("");
    Walk {
        world: &world,
        rota: &rota,
        ids: Walk::all(&world),
    }
    .to("2026-03-20T12:00Z");
    audit(&world, &rota, &[]);
    ends(&world, rota);
    world.clock.step(-DAY);
    rota = world.go("");
    let walk = Walk {
        world: &world,
        rota: &rota,
        ids: Walk::all(&world),
    };
    let bound = Rot {
        by: rota.caller(),
        id: world.base.rotations[0].clone(),
    };
    let (version, plan) = (world.versions()[&bound.id], bound.read()["cells"].clone());
    // Nothing happens again, nothing is due, and new writes are later than stored ones.
    assert_eq!(bound.read()["cells"], plan);
    assert_eq!(
        bound.patch(json!({ "description": "earlier" })).status(),
        200
    );
    let on_call = bound.on_call();
    let other = if on_call == "U1" { "U2" } else { "U1" };
    bound.put_on_call(other).is(200);
    assert_eq!(world.versions()[&bound.id], version + 2);
    let idle = Rot {
        by: rota.caller(),
        id: world.base.idle.clone(),
    };
    idle.rotate();
    let absence = idle.away("U3", "2026-03-25T00:00Z", "2026-03-26T00:00Z");
    idle.back(&absence);
    audit(&world, &rota, &[]);
    walk.to("2026-03-21T09:00Z");
    walk.to("2026-03-29T10:00Z");
    audit(&world, &rota, &[]);
    ends(&world, rota);
}

/// Whoever is on call by on-call, by explain, and by the list of all rotations.
#[track_caller]
fn agrees(rotation: &Rot) {
    let on_call = rotation.on_call();
    let explained = rotation.get("/explain").is(200).json();
    let cells = explained["cells"].as_array().expect("cells").iter();
    let users: Vec<&str> = cells.map(|cell| text(&cell["userId"])).collect();
    assert_eq!(users.join(" "), on_call, "{explained}");
    let lines = rotation.by.all("/v1/on-call");
    let line = lines.iter().find(|line| line["rotationId"] == *rotation.id);
    let line = line.expect("the rotation");
    let users = line["onCall"].as_array().expect("people").iter();
    let users: Vec<&str> = users.map(|held| text(&held["userId"])).collect();
    assert_eq!(users.join(" "), on_call, "{line}");
}

#[test]
fn a_clock_that_was_set_back_by_days_is_said_and_answers_agree() {
    let world = World::new();
    let mut rota = world.go("");
    world.clock.to("2026-03-20T12:00Z");
    eventually("what is due is done", || world.is_settled());
    let said = |rota: &Rota| {
        let log = rota.process.log.text();
        log.matches("the system clock was set back").count()
    };
    let behind = |rota: &Rota| rota.metrics().value("rota_clock_behind_seconds");
    assert_eq!((said(&rota), behind(&rota)), (0, Some(0.0)));
    let log = rota.process.log.text();
    assert!(log.contains("the system clock went forward by"), "{log}");
    world.clock.step(-3 * DAY);
    for round in ["while it runs", "from the start"] {
        eventually(round, || said(&rota) == 1);
        let seconds = behind(&rota).expect("a metric") as i64;
        assert!(
            (3 * DAY - HOUR..=3 * DAY).contains(&seconds),
            "{round}: {seconds}"
        );
        let ready = rota.anyone().get("/readyz").is(200).json();
        assert!(ready["clock"]["behindSeconds"].as_f64() > Some(2.0 * DAY as f64));
        let (code, output, errors) = run(&mut world.command("status"));
        assert_eq!(code, 0, "{output}{errors}");
        assert!(
            output.contains("wrong       the system clock was set back"),
            "{output}"
        );
        for id in Walk::all(&world) {
            agrees(&Rot {
                by: rota.caller(),
                id,
            });
        }
        if round == "while it runs" {
            assert_eq!(rota.stop().0.code(), Some(0));
            rota = world.go("");
        }
    }
    world.clock.to("2026-03-20T13:00Z");
    let log = || rota.process.log.text();
    eventually("caught up", || {
        log().contains("the system clock has caught up")
    });
    assert_eq!(behind(&rota), Some(0.0));
    ends(&world, rota);
}

#[test]
fn while_clocks_change_and_on_a_leap_day() {
    let world = World::new();
    let rota = world.go("");
    let kinds = [
        ("daily", "2026-03-01T02:30", json!({ "times": ["02:30"] })),
        (
            "daily",
            "2026-03-01T01:30",
            json!({ "times": ["01:30", "02:00", "03:30"] }),
        ),
        ("dayOfWeek", "2026-03-01T02:30", json!({})),
        ("dayOfMonth", "2026-03-31T00:00", json!({})),
    ];
    let mut ids: Vec<String> = kinds
        .into_iter()
        .map(|(kind, starts, more)| {
            let rotation = rota.rotation("U1 U2 U3");
            rotation.cover(
                1,
                &[always(cadence(kind, "America/New_York", starts, more))],
            );
            rotation.id
        })
        .collect();
    let shut = rota.rotation("U1 U2 U3");
    let stretches = "saturday 22:00 - sunday 02:30, sunday 03:15 - sunday 12:00";
    let daily = cadence(
        "daily",
        "America/New_York",
        "2026-03-01T02:15",
        json!({ "times": ["02:15"] }),
    );
    shut.cover(1, &[hours("America/New_York", stretches, daily)]);
    ids.push(shut.id.clone());
    let walk = Walk {
        world: &world,
        rota: &rota,
        ids: ids.clone(),
    };
    for stop in [
        // The gap is from 07:00 to 08:00 UTC: 02:30 is 03:30.
        "2026-03-08T06:59:58Z",
        "2026-03-08T07:00Z",
        "2026-03-08T07:29:59Z",
        "2026-03-08T07:30Z",
        "2026-03-09T06:30Z",
        // The fold is from 05:00 to 07:00: 01:30 is the first of two.
        "2026-10-31T12:00Z",
        "2026-11-01T05:30Z",
        "2026-11-01T06:30Z",
        "2026-11-01T07:30Z",
        "2026-11-02T12:00Z",
    ] {
        walk.to(stop);
    }
    let begins = |id: &str, from: &str, until: &str| -> Vec<String> {
        let rotation = Rot {
            by: rota.caller(),
            id: id.to_owned(),
        };
        let turns = rotation.turns("history", from, until).into_iter();
        turns
            .map(|turn| instant(&turn["start"]))
            .filter(|start| at(start) >= at(from))
            .collect()
    };
    let (gap, fold) = (
        ("2026-03-07T12:00Z", "2026-03-09T07:00Z"),
        ("2026-10-31T12:00Z", "2026-11-02T12:00Z"),
    );
    assert_eq!(
        begins(&ids[0], gap.0, gap.1),
        ["2026-03-08T07:30Z", "2026-03-09T06:30Z"]
    );
    assert_eq!(
        begins(&ids[0], fold.0, fold.1),
        ["2026-11-01T07:30Z", "2026-11-02T07:30Z"]
    );
    // 02:00 does not exist and is 03:00; 01:30 exists twice and is the first.
    assert_eq!(
        begins(&ids[1], gap.0, gap.1),
        [
            "2026-03-08T06:30Z",
            "2026-03-08T07:00Z",
            "2026-03-08T07:30Z",
            "2026-03-09T05:30Z",
            "2026-03-09T06:00Z",
        ]
    );
    assert_eq!(
        begins(&ids[1], fold.0, "2026-11-02T06:00Z"),
        [
            "2026-11-01T05:30Z",
            "2026-11-01T07:00Z",
            "2026-11-01T08:30Z"
        ]
    );
    walk.to("2027-10-30T12:00Z");
    walk.to("2028-02-27T12:00Z");
    walk.to("2028-02-29T05:00Z");
    assert_eq!(
        begins(&ids[3], "2028-02-01T12:00Z", "2028-03-01T00:00Z"),
        ["2028-02-29T05:00Z"]
    );
    ends(&world, rota);
}

#[test]
fn three_months_are_caught_up_although_it_is_stopped_and_killed_meanwhile() {
    const MORE: usize = 40;
    let world = World::new();
    let rota = world.go("");
    let grid = &world.base.grids[0];
    let mut ids = Walk::all(&world);
    for _ in 0..MORE {
        let id = rota.rotation("U1 U2 U3").id;
        let rotation = Rot {
            by: rota.caller(),
            id: id.clone(),
        };
        let mut grid = grid.clone();
        for (list, member) in [("lanes", "laneId"), ("windows", "windowId")] {
            grid[list][0]["id"] = json!("own");
            grid["cells"][0][member] = json!("own");
        }
        rotation.put("/coverage", grid).is(200);
        ids.push(id);
    }
    world.settles();
    let from = short(world.clock.now());
    let until = "2026-06-03T12:00Z";
    let plan = turns(&rota, &ids, "schedule", &from, until);
    let before = world.versions();
    ends(&world, rota);
    world.clock.to(until);
    let left = || {
        let now = world.clock.now().as_millisecond();
        world.number(&format!(
            "SELECT count(*) FROM rotation WHERE next_due_at <= {now}"
        ))
    };
    let (all, mut kills) = (left(), 0);
    assert_eq!(all as usize, ids.len());
    for passes in [1, 1] {
        if world.attempt(&format!("due.batch=kill@{passes}")).is_none() {
            kills += 1;
        }
        succeeds(&world.db, "check");
    }
    assert!(kills > 0, "no kill while catching up");
    let rest = left();
    assert!(rest > 0, "nothing left to be stopped at");
    let mut command = world.command("dev --listen 127.0.0.1:0");
    let (mut stopped, _lines) = Process::spawn(&mut command);
    eventually("some more of them", || left() < rest);
    stopped.signal("TERM");
    let (status, log) = stopped.ended();
    assert_eq!(status.code(), Some(0), "{log}");
    let rota = world.go("");
    assert_eq!(turns(&rota, &ids, "history", &from, until), plan);
    // Each is one change with the final state.
    let after: BTreeMap<String, i64> = world.versions();
    assert!(
        ids.iter().all(|id| after[id] == before[id] + 1),
        "{before:?} {after:?}"
    );
    world.settles();
    for id in &ids {
        let of = |post: &&Post| {
            post.json()["rotationId"] == **id && post.json()["version"] == json!(after[id])
        };
        let posts = world.outlet.posts_to("/a");
        assert_eq!(posts.iter().filter(of).count(), 1, "{id}");
    }
    ends(&world, rota);
}

#[test]
fn credentials_and_limits_do_not_mind_the_clock() {
    let world = World::new();
    let mut command = world.command("serve --listen 127.0.0.1:0");
    command
        .env("ROTA_RATE_LIMIT_REQUESTS_PER_MINUTE", "60")
        .env("ROTA_RATE_LIMIT_BURST", "40");
    let server = serve(command, &world.base.key);
    let path = format!("/v1/rotations/{}/on-call", world.base.idle);
    let mut allowed = 0;
    for step in [0, HOUR, -2 * HOUR, 40 * DAY, -41 * DAY] {
        world.clock.step(step);
        // Its one request per second uses real time.
        let mut answers: Vec<Answer> = Vec::new();
        while answers.last().is_none_or(|answer| answer.status() == 200) {
            answers.push(server.get(&path));
        }
        allowed += answers.len() - 1;
        let refused = answers.pop().unwrap();
        let wait: i64 = refused
            .header("retry-after")
            .expect("a time")
            .parse()
            .expect("seconds");
        assert!((1..=2).contains(&wait), "{step}: {wait}");
        refused.refused(429, "rate_limited");
    }
    assert!((40..60).contains(&allowed), "{allowed}");
    assert_eq!(server.stop().0.code(), Some(0));
    succeeds(&world.db, "check");
}
