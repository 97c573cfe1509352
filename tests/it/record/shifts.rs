//! GET /v1/users/{userId}/shifts, and what a schedule is narrowed to: one person, one cell, some kinds, one instant.

use crate::support::*;
use serde_json::{Value, json};

const RANGE: &str = "from=2026-01-05T00:00:00Z&to=2026-01-12T00:00:00Z";

fn shifts<'a>(by: &Caller<'a>, user: &str, range: &str) -> Vec<Value> {
    by.all(&format!("/v1/users/{user}/shifts?{range}"))
}

/// `code start end kind` of each, with what is covered where that is not all of it.
fn lines(shifts: &[Value]) -> Vec<String> {
    let line = |shift: &Value| {
        let covered = shift["covered"].as_array().expect("covered");
        let covered: Vec<String> = covered
            .iter()
            .map(|part| format!("{} {}", instant(&part["from"]), instant(&part["to"])))
            .collect();
        let whole = format!("{} {}", instant(&shift["start"]), instant(&shift["end"]));
        let covered = covered.join(", ");
        let part = match covered == whole {
            true => String::new(),
            false => format!(" ({covered})"),
        };
        format!(
            "{} {whole} {}{part}",
            text(&shift["code"]),
            text(&shift["kind"])
        )
    };
    shifts.iter().map(line).collect()
}

fn coded<'a>(rota: &'a Rota, code: &str, people: &str, public: bool) -> Rot<'a> {
    let mut body = new_rotation(people);
    body["code"] = json!(code);
    body["name"] = json!(format!("Rotation {code}"));
    body["public"] = json!(public);
    rota.create(body)
}

#[test]
fn one_person_in_all_rotations() {
    let rota = Rota::with_people(5);
    let first = coded(&rota, "A", "U1 U2 U3", false);
    first.cover(1, &[always(daily())]);
    let office = hours(
        "UTC",
        &weekdays("10:00", "16:00"),
        weekly("UTC", "2026-01-06T09:00"),
    );
    let second = coded(&rota, "B", "U2 U1", false);
    second.cover(1, &[office]);
    let manual = coded(&rota, "C", "U2 U4", false);
    manual.put_on_call("U2").is(200);
    // Not theirs.
    coded(&rota, "D", "U3 U4", false).cover(1, &[always(daily())]);
    first.assign_at(0, "U2", "08 08T12");
    let all = shifts(&rota.caller(), "U2", RANGE);
    assert_eq!(
        lines(&all),
        [
            "C 2026-01-05T08:00Z - turn (2026-01-05T08:00Z 2026-01-12T00:00Z)",
            "B 2026-01-05T10:00Z 2026-01-05T16:00Z turn",
            "A 2026-01-06T09:00Z 2026-01-07T09:00Z turn",
            "A 2026-01-08T09:00Z 2026-01-08T12:00Z arrangement",
            "A 2026-01-09T09:00Z 2026-01-10T09:00Z turn",
        ]
    );
    assert_eq!(text(&all[0]["rotationName"]), "Rotation C");
    // Each is an item of its rotation's schedule.
    for rotation in [&first, &second, &manual] {
        let plan = rotation
            .by
            .all(&rotation.path(&format!("/schedule?userId=U2&{RANGE}")));
        let mine = all
            .iter()
            .filter(|shift| shift["rotationId"] == json!(rotation.id));
        let mine: Vec<Value> = mine
            .map(|shift| {
                let mut item = shift.clone();
                for own in ["rotationId", "rotationName", "code", "covered"] {
                    item.as_object_mut().unwrap().remove(own).expect(own);
                }
                item
            })
            .collect();
        assert!(!mine.is_empty());
        assert_eq!(mine, plan);
    }
    // Clipped to the range, in pages.
    let short = "from=2026-01-06T12:00:00Z&to=2026-01-09T10:00:00Z";
    let clipped = lines(&shifts(&rota.caller(), "U2", short));
    assert_eq!(
        clipped,
        [
            "C 2026-01-05T08:00Z - turn (2026-01-06T12:00Z 2026-01-09T10:00Z)",
            "A 2026-01-06T09:00Z 2026-01-07T09:00Z turn (2026-01-06T12:00Z 2026-01-07T09:00Z)",
            "A 2026-01-08T09:00Z 2026-01-08T12:00Z arrangement",
            "A 2026-01-09T09:00Z 2026-01-10T09:00Z turn (2026-01-09T09:00Z 2026-01-09T10:00Z)",
        ]
    );
    let page = rota
        .get(&format!("/v1/users/U2/shifts?{RANGE}&pageSize=3&page=2"))
        .is(200)
        .json();
    assert_eq!((int(&page["totalItems"]), int(&page["totalPages"])), (5, 2));
    assert_eq!(page["data"], json!(all[3..]));
    assert!(shifts(&rota.caller(), "U5", RANGE).is_empty());
    // What has run comes from the record as far as the running turns reach.
    rota.to("2026-01-06T12:00Z");
    let later = lines(&shifts(&rota.caller(), "U1", RANGE));
    assert_eq!(later[0], "B 2026-01-06T10:00Z 2026-01-06T16:00Z turn");
}

#[test]
fn shifts_are_seen_like_their_rotations() {
    let rota = Rota::with_people(0);
    let mut people = directory(5);
    people["users"][4]["isExternal"] = json!(true);
    rota.import(&people);
    let hidden = coded(&rota, "A", "U1 U2", false);
    let public = coded(&rota, "B", "U1 U2", true);
    for rotation in [&hidden, &public] {
        rotation.put_on_call("U1").is(200);
    }
    let codes = |credential: &str| {
        let all = shifts(&rota.with(credential), "U1", RANGE);
        let mut codes: Vec<&str> = all.iter().map(|shift| text(&shift["code"])).collect();
        codes.sort_unstable();
        codes.join(" ")
    };
    assert_eq!(codes(&rota.key), "A B");
    assert_eq!(codes(&rota.token("U2")), "A B");
    assert_eq!(codes(&rota.token("U3")), "B");
    let selected = |ids: &[&str]| {
        rota.mint(json!({ "name": "k", "scopes": ["read:rotations"], "rotationIds": ids }))
    };
    assert_eq!(codes(&selected(&[&hidden.id])), "A");
    let path = format!("/v1/users/U1/shifts?{RANGE}");
    rota.with(&rota.key("read:oncall"))
        .get(&path)
        .refused(403, "scope_denied");
    rota.anyone().get(&path).refused(401, "missing_credential");
    rota.with(&rota.token("U5")).get(&path).refused(404, "");
    rota.get(&format!("/v1/users/U9/shifts?{RANGE}"))
        .refused(404, "");
    for (query, member) in [
        ("from=2026-01-05T00:00:00Z", "to"),
        ("to=2026-01-05T00:00:00Z", "from"),
        ("from=2026-01-05T00:00:00Z&to=2026-01-05T00:00:00Z", "to"),
        ("from=2026-01-05T00:00:00Z&to=2027-01-07T00:00:00Z", "to"),
    ] {
        rota.get(&format!("/v1/users/U1/shifts?{query}"))
            .names(member);
    }
    // Somebody deactivated is known, and on no plan.
    people["users"][0]["isDeleted"] = json!(true);
    rota.import(&people);
    assert_eq!(codes(&rota.key), "");
}

#[test]
fn the_work_for_one_person_is_bounded() {
    let rota = Rota::with_people(2);
    let times: Vec<String> = (0..48)
        .map(|n| format!("{:02}:{:02}", n / 2, n % 2 * 30))
        .collect();
    let often = cadence(
        "daily",
        "UTC",
        "2026-01-06T09:00",
        json!({ "times": times }),
    );
    for code in ["A", "B"] {
        coded(&rota, code, "U1 U2", false).cover(1, &[always(often.clone())]);
    }
    // 48 hand-overs a day, every other one theirs: 17,500 in two rotations over a year.
    let year = "from=2026-01-05T00:00:00Z&to=2027-01-05T00:00:00Z";
    rota.get(&format!("/v1/users/U1/shifts?{year}")).names("to");
    let quarter = "from=2026-01-05T00:00:00Z&to=2026-04-05T00:00:00Z";
    let page = rota
        .get(&format!("/v1/users/U1/shifts?{quarter}&pageSize=1"))
        .is(200)
        .json();
    assert!(int(&page["totalItems"]) > 4_000, "{page}");
}

#[test]
fn a_schedule_is_narrowed() {
    let rota = Rota::with_people(4);
    let rotation = rota.rotation("U1 U2 U3 U4");
    let office = hours("UTC", &weekdays("08:00", "16:00"), daily());
    rotation.cover(2, &[office]);
    rotation.assign_at(1, "U3", "07T10 07T12");
    let path = |query: &str| rotation.path(&format!("/schedule?{query}"));
    let week = |query: &str| rotation.by.all(&path(&format!("{RANGE}{query}")));
    let all = week("");
    let cells = [rotation.place(0), rotation.place(1)];
    let kept = |keep: &dyn Fn(&Value) -> bool| -> Vec<Value> {
        all.iter().filter(|item| keep(item)).cloned().collect()
    };
    let of_kind =
        |kinds: &'static [&'static str]| move |item: &Value| kinds.contains(&text(&item["kind"]));
    let rows: [(String, Vec<Value>); 8] = [
        (
            "&userId=U1".into(),
            kept(&|item| item["userId"] == json!("U1")),
        ),
        (
            format!("&cellId={}", cells[1]),
            kept(&|item| item["cellId"] == json!(cells[1])),
        ),
        ("&kind=turn".into(), kept(&of_kind(&["turn"]))),
        ("&kind=arrangement".into(), kept(&of_kind(&["arrangement"]))),
        (
            "&kind=turn&kind=nobody".into(),
            kept(&of_kind(&["turn", "nobody"])),
        ),
        (
            format!("&userId=U3&cellId={}&kind=arrangement", cells[1]),
            kept(&of_kind(&["arrangement"])),
        ),
        ("&userId=U1&kind=nobody".into(), vec![]),
        ("&cellId=cel_unknown".into(), vec![]),
    ];
    for (query, expected) in rows {
        assert_eq!(week(&query), expected, "{query}");
    }
    assert!(!kept(&of_kind(&["arrangement"])).is_empty());
    let page = rotation
        .get(&format!("/schedule?{RANGE}&userId=U1&pageSize=1"))
        .json();
    let mine = kept(&|item| item["userId"] == json!("U1"));
    assert_eq!(int(&page["totalItems"]), mine.len() as i64);
    rotation
        .get(&format!("/schedule?{RANGE}&kind=none"))
        .names("kind");
    rotation
        .get(&format!("/schedule?{RANGE}&kind=turn&kind="))
        .names("kind");
    rotation
        .get(&format!("/schedule?{RANGE}&userId=U1&userId=U2"))
        .names("userId");
}

#[test]
fn one_instant_is_a_range() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let at = |instant: &str| {
        let path = rotation.path(&format!("/schedule?from={instant}&to={instant}"));
        let found = rotation.by.all(&path);
        let users: Vec<&str> = found.iter().map(|item| text(&item["userId"])).collect();
        users.join(" ")
    };
    // A boundary belongs to what begins there.
    for (instant, user) in [
        ("2026-01-05T08:00:00Z", "U1"),
        ("2026-01-06T08:59:59.999Z", "U1"),
        ("2026-01-06T09:00:00Z", "U2"),
        ("2026-01-06T10:00:00%2B01:00", "U2"),
        ("2026-01-07T09:00:00Z", "U3"),
        ("2026-01-05T07:59:59Z", ""),
    ] {
        assert_eq!(at(instant), user, "{instant}");
    }
    rotation
        .get("/schedule?from=2026-01-06T09:00:01Z&to=2026-01-06T09:00:00Z")
        .names("to");
}
