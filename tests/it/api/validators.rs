//! Equal ETags mean equal bytes: across writes, time, and restarts with other holidays.

use crate::support::*;
use serde_json::{Value, json};
use std::collections::HashMap;

/// The bodies by ETag and path.
#[derive(Default)]
struct Reads {
    known: HashMap<(String, String), String>,
}

impl Reads {
    /// Reads every path with an ETag, and compares.
    #[track_caller]
    fn check(&mut self, rota: &Rota, paths: &[String], what: &str) {
        for path in paths {
            let answer = rota.get(path).is(200);
            let (etag, body) = (answer.etag(), answer.text());
            let known = self.known.entry((path.clone(), etag.clone()));
            let first = known.or_insert_with(|| body.clone());
            assert_eq!(*first, body, "{what}: {path} {etag}");
            let conditional = rota.request("GET", path).header("If-None-Match", &etag);
            conditional.send().is(304);
        }
    }
}

/// A change between two reads.
type Step<'a> = Box<dyn Fn() + 'a>;

/// The paths of the rotations and of other resources with an ETag.
fn tagged(rotations: &[&Rot], more: &[String]) -> Vec<String> {
    let own =
        |rotation: &&Rot| ["", "/on-call", "/mention-settings"].map(|rest| rotation.path(rest));
    let mut paths: Vec<String> = rotations.iter().flat_map(own).collect();
    paths.extend_from_slice(more);
    paths
}

/// A window that is shut at night and on the days that its cadence skips.
fn norwegian() -> Value {
    let skips =
        json!({ "skipNationalHolidays": true, "skipWeekends": true, "countryCodes": ["NO"] });
    let cadence = cadence("dayOfWeek", "Europe/Oslo", "2026-01-05T09:00", skips);
    hours("Europe/Oslo", &weekdays("08:00", "18:00"), cadence)
}

/// rules.md 11.3.
#[test]
fn equal_validators_mean_equal_bytes() {
    let rota = Rota::with_people(5);
    rota.people_and_groups(5, &[("G1", "U4 U5")]);
    let shut = rota.rotation("U1 U2 U3");
    shut.cover(1, &[norwegian()]);
    let daily = rota.daily("U1 U2 U3", 1);
    let lanes = rota.daily("U1 U2 U3", 2);
    let manual = rota.rotation("U1 U2");
    let all = [&shut, &daily, &lanes, &manual];
    let (hook, _) = rota.hook("duty.changed");
    let assigned = daily.assign(0, "U3", "2026-01-07T00:00Z", "2026-01-08T00:00Z");
    let more = vec![
        hook.path(),
        daily.path(&format!("/duty-arrangements/{}", text(&assigned["id"]))),
    ];
    let paths = tagged(&all, &more);
    let mut reads = Reads::default();
    let away = |rotation: &Rot, user: &str| {
        rotation.away(user, "2026-01-06T00:00Z", "2026-01-09T12:00Z");
    };
    let steps: Vec<(&str, Step)> = vec![
        ("nothing", Box::new(|| {})),
        ("a minute later", Box::new(|| rota.advance(60))),
        ("at noon", Box::new(|| rota.to("2026-01-05T12:00Z"))),
        ("somebody away", Box::new(|| away(&daily, "U1"))),
        ("nobody left", Box::new(|| away(&shut, "U2"))),
        (
            "on call",
            Box::new(|| drop(manual.put_on_call("U2").is(200))),
        ),
        (
            "the same again",
            Box::new(|| drop(manual.put_on_call("U2").is(200))),
        ),
        ("at night", Box::new(|| rota.to("2026-01-05T20:00Z"))),
        ("handed over", Box::new(|| daily.rotate())),
        (
            "named",
            Box::new(|| drop(shut.patch(json!({ "name": "Other" })).is(200))),
        ),
        (
            "people renamed",
            Box::new(|| rota.people_and_groups(5, &[("G1", "U5 U4")])),
        ),
        ("next day", Box::new(|| rota.to("2026-01-06T10:00Z"))),
        (
            "disabled",
            Box::new(|| drop(shut.patch(json!({ "enabled": false })).is(200))),
        ),
        ("later", Box::new(|| rota.to("2026-01-07T13:00Z"))),
        ("free", Box::new(|| rota.plan("free"))),
        ("an hour", Box::new(|| rota.advance(HOUR))),
        ("pro", Box::new(|| rota.plan("pro"))),
        (
            "enabled",
            Box::new(|| drop(shut.patch(json!({ "enabled": true })).is(200))),
        ),
        ("secret", Box::new(|| drop(hook.act("rotate").ok()))),
        ("in its grace", Box::new(|| rota.advance(HOUR))),
        ("after its grace", Box::new(|| rota.advance(DAY))),
        (
            "somebody left",
            Box::new(|| rota.people_and_groups(2, &[("G1", "U1")])),
        ),
        ("group gone", Box::new(|| rota.people(3))),
        (
            "minutes",
            Box::new(|| {
                drop(
                    manual
                        .put("/mention-settings", json!({ "expiresAfterMinutes": 7 }))
                        .is(200),
                )
            }),
        ),
        ("a week", Box::new(|| rota.advance(WEEK))),
    ];
    for (what, step) in steps {
        step();
        reads.check(&rota, &paths, what);
    }
    assert!(reads.known.len() > 2 * paths.len(), "something changed");
}

/// The permitted actions on a request change with time and absences, so its ETag is only for writes.
#[test]
fn requests_are_answered_whole() {
    let rota = Rota::with_people(3);
    let rotation = rota.rotation("U1 U2 U3");
    rotation.put_on_call("U1").is(200);
    let (asker, taker) = (rota.token("U1"), rota.token("U2"));
    let body = json!({
        "operationId": unique("cover"), "cellId": rotation.cell_id(0), "recipientUserIds": ["U2"],
        "from": "2026-01-06T00:00:00Z", "to": "2026-01-07T00:00:00Z",
    });
    let path = rotation.path("/cover-requests");
    let asked = rota.with(&asker).post_if(&path, "*", body).is(200);
    let id = text(&asked.json()["request"]["request"]["id"]).to_owned();
    let etag = rotation.etag();
    let range = "?from=2026-01-05T00:00:00Z&to=2026-01-08T00:00:00Z";
    for path in [format!("{path}/{id}"), format!("{path}{range}")] {
        for token in [&asker, &taker] {
            let read = rota.with(token).request("GET", &path);
            let answer = read.header("If-None-Match", &etag).send().is(200);
            assert_eq!(answer.etag(), etag, "{path}");
        }
    }
}

/// A day that becomes a holiday between two runs.
#[test]
fn other_holidays_are_other_validators() {
    let (today, to_come) = ("NO 2026-01-05 Day off\n", "NO 2026-01-12 Day off\n");
    for (days, shut) in [(to_come, false), (today, true)] {
        let dir = TempDir::new();
        let (db, file) = (dir.join("rota.db"), dir.join("holidays"));
        let start = |days: &str| {
            std::fs::write(&file, days).expect("the file");
            let begin = Start::default().db(&db);
            begin.env("ROTA_HOLIDAYS_FILE", file.display()).go()
        };
        let first = start("# none\n");
        first.people(3);
        let rotation = first.rotation("U1 U2 U3");
        rotation.cover(1, &[norwegian()]);
        rotation.patch(json!({ "skipsAreOffTime": true })).is(200);
        let (id, hook) = (rotation.id.clone(), first.hook("duty.changed").0.path());
        let read = |rota: &Rota, path: &str| {
            let answer = rota.get(path).is(200);
            (answer.etag(), answer.json())
        };
        let own = format!("/v1/rotations/{id}");
        let on_call = format!("{own}/on-call");
        let before = [read(&first, &own), read(&first, &on_call)];
        let endpoint = read(&first, &hook);
        assert_eq!(before[0].0, before[1].0);
        assert_eq!(before[0].1["windows"][0]["openNow"], true);
        first.stop();

        // The same days in another notation are the same data.
        let same = start("# still none\n\n");
        assert_eq!([read(&same, &own), read(&same, &on_call)], before);
        same.stop();

        let other = start(days);
        let after = [read(&other, &own), read(&other, &on_call)];
        assert_eq!(after[0].0, after[1].0, "one validator for both");
        for (path, (before, after)) in [&own, &on_call].iter().zip(before.iter().zip(&after)) {
            assert_ne!(after.0, before.0, "{days}");
            assert_ne!(after.1, before.1, "{days}");
            let stale = other
                .request("GET", path)
                .header("If-None-Match", &before.0);
            stale.send().is(200);
        }
        let name = json!({ "name": "N" });
        let stale = other.caller().patch_if(&own, &before[0].0, name);
        stale.refused(412, "precondition_failed");
        assert_eq!(
            read(&other, &hook),
            endpoint,
            "holidays are nothing to an endpoint"
        );
        let window = &after[0].1["windows"][0];
        assert_eq!(window["openNow"], !shut, "{days}");
        assert_eq!(window["currentCoverage"].is_null(), shut, "{days}");
        assert_eq!(people_on_call(&after[1].1).is_empty(), shut, "{days}");
        // The representation matches what happens.
        let rotation = Rot {
            by: other.caller(),
            id,
        };
        let (next, before) = match shut {
            true => ("2026-01-06T08:00Z", "2026-01-06T07:59Z"),
            false => ("2026-01-13T08:00Z", "2026-01-13T07:59Z"),
        };
        assert_eq!(rotation.next_events()[0], next, "{days}");
        let holder = rotation.holders().replace(['(', ')'], "");
        other.to(before);
        assert_eq!(rotation.holders(), holder);
        other.to(next);
        assert_ne!(rotation.holders(), holder);
    }
}
