//! `rota export`.

use super::Shell;
use crate::support::*;
use serde_json::{Value, json};

/// A directory in which two people share an address, two groups a handle, and two channels a name.
fn doubles() -> Value {
    let mut all = directory(4);
    all["users"][2]["email"] = json!("shared@example.com");
    all["users"][3]["email"] = json!("shared@example.com");
    all["groups"] = json!([group("G1", "U1"), group("G2", "U2"), group("G3", "U2")]);
    all["groups"][2]["handle"] = json!("g2");
    all["channels"][2]["name"] = json!("channel-c2");
    all
}

#[test]
fn what_is_shared_has_its_id_and_the_name_beside_it() {
    let rota = Rota::at(MONDAY);
    rota.import(&doubles());
    let body = json!({
        "name": "Database", "code": "DB", "owners": ["U1"], "userIds": ["U1", "U3"], "userGroupIds": ["G1", "G2"],
        "channels": ["C1"],
    });
    rota.create(body);
    let rotation = Shell::at(&rota).rotation("DB");
    rotation
        .put("/channels/C2", json!({ "postsMessages": true }))
        .is(200);
    let file = Shell::at(&rota).run("export DB").is(0).output;
    for line in [
        "members = [\"u1@example.com\", \"U3\"] # U3: Person U3\n",
        "groups = [\"g1\", \"G2\"] # G2: Group G2\n",
        "channel = \"channel-c1\"\n",
        "channel = \"C2\" # channel-c2\n",
    ] {
        assert!(file.contains(line), "{line}{file}");
    }
}

#[test]
fn the_file_is_by_code_then_by_id_and_the_same_each_time() {
    let rota = Rota::with_people(2);
    for code in [json!("NET"), json!(null), json!("db"), json!(null)] {
        rota.create(json!({ "name": "x", "code": code, "owners": ["U1"] }));
    }
    let shell = Shell::at(&rota);
    let file = shell.run("export").is(0).output;
    assert_eq!(shell.run("export").is(0).output, file);
    let heads: Vec<&str> = file
        .lines()
        .filter(|line| line.starts_with("code = ") || line.starts_with("id = "))
        .collect();
    assert_eq!(heads[..2], ["code = \"DB\"", "code = \"NET\""]);
    assert!(heads.len() == 4 && heads[2] < heads[3], "{heads:?}");
    let one = shell.run("export net").is(0).output;
    assert!(one.contains("NET") && !one.contains("DB"), "{one}");
    shell
        .run("export DBB")
        .is(1)
        .says(&["no rotation with the code DBB", "did you mean DB?"]);
}

/// A key sees what its selector permits.
#[test]
fn all_is_what_the_key_sees() {
    let rota = Rota::with_people(2);
    let seen = rota.create(json!({ "name": "x", "code": "SEEN", "owners": ["U1"] }));
    rota.create(json!({ "name": "x", "code": "HIDDEN", "owners": ["U1"] }));
    let key = rota.mint(json!({
        "name": "k", "scopes": ["read:rotations", "read:directory"], "rotationIds": [seen.id],
    }));
    let shell = Shell::at(&rota).with_key(&key);
    let file = shell.run("export").is(0).output;
    assert!(file.contains("SEEN") && !file.contains("HIDDEN"), "{file}");
    shell
        .run("export HIDDEN")
        .is(1)
        .says(&["that the key sees"]);
    let poor = rota.key("read:rotations");
    Shell::at(&rota)
        .with_key(&poor)
        .run("export")
        .is(1)
        .says(&["read:directory"]);
}

#[test]
fn every_member_is_written_and_json_has_null() {
    let rota = Rota::with_people(2);
    let rotation = rota
        .create(json!({ "name": "x", "code": "DB", "owners": ["U1"], "userIds": ["U1", "U2"] }));
    rotation.cover(1, &[always(weekly("Europe/Oslo", "2026-01-05T09:00"))]);
    let shell = Shell::at(&rota);
    let json = shell.run("export DB --json").is(0).json();
    let written = &json["rotation"][0];
    for member in [
        "description",
        "managed_by",
        "topic_template",
        "on_duty_group",
        "summary",
    ] {
        assert!(
            written[member].is_null() && written.get(member).is_some(),
            "{member}: {written}"
        );
    }
    assert_eq!(written["mentions"]["remind_after_minutes"], Value::Null);
    for (member, value) in [
        ("channel", json!([])),
        ("roster", json!([])),
        ("cells", json!({})),
        ("groups", json!([])),
        ("lane", json!([{ "key": "lane-1" }])),
    ] {
        assert_eq!(written[member], value, "{member}");
    }
    let hand_over = json!({
        "every": "week", "on": "monday", "at": "09:00", "starting": "2026-01-05", "period": 1,
        "time_zone": "Europe/Oslo", "skip_weekends": false, "skip_national_holidays": false, "country_codes": [],
    });
    assert_eq!(written["window"][0]["hand_over"], hand_over);
    let toml = shell.run("export DB").is(0).output;
    for line in [
        "description = \"\"",
        "summary = {}",
        "starting = 2026-01-05",
        "roster = []",
        "[rotation.cells]",
    ] {
        assert!(toml.contains(line), "{line}\n{toml}");
    }
}

/// Who has left is not written; a roster's list as it was written.
#[test]
fn people_who_left_are_not_written() {
    let rota = Rota::with_people(3);
    let rotation = rota.create(json!({
        "name": "x", "code": "DB", "owners": ["U1", "U3"], "userIds": ["U1", "U2", "U3"],
    }));
    let mut grid = rotation.grid(1, &[always(weekly("UTC", "2026-01-05T09:00"))]);
    grid["cells"][0]["rosterId"] = json!("emea");
    rotation.put("/coverage", grid).is(200);
    rotation
        .put("/rosters/emea", json!({ "userIds": ["U3", "U2"] }))
        .is(200);
    rota.people(2);
    let file = Shell::at(&rota).run("export DB").is(0).output;
    assert!(!file.contains("u3@example.com"), "{file}");
    for line in [
        "owners = [\"u1@example.com\"]",
        "key = \"emea\"\nmembers = [\"u2@example.com\"]\ngroups = []",
        "\"lane-1/window-1\" = \"emea\"",
    ] {
        assert!(file.contains(line), "{line}\n{file}");
    }
}

/// rules.md 22: a partner decides the plan.
#[test]
fn a_partners_rotation_has_external_and_no_plan() {
    let pager = Pager::new();
    let rota = pager.start().demo().go();
    let rotation = rota.create(json!({ "name": "Pager", "code": "PD", "owners": ["UADA"] }));
    let link = json!({ "partner": "pagerPartner", "scheduleId": "S1" });
    rotation
        .by
        .put_if(&rotation.path("/external"), "*", link)
        .is(200);
    let file = Shell::at(&rota).run("export PD").is(0).output;
    assert!(file.contains("external = \"pagerPartner\"\n"), "{file}");
    for member in [
        "members",
        "groups",
        "[rotation.window",
        "[rotation.lane",
        "roster",
        "dealing",
        "cells",
    ] {
        assert!(!file.contains(&format!("\n{member}")), "{member}\n{file}");
    }
}
