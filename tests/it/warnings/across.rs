//! Pages, severities, and the warnings of all rotations beside those of each.

use super::*;
use std::collections::BTreeSet;

/// Four people in many rotations, so that everybody is on call in several at once.
#[test]
fn all_rotations_have_the_warnings_of_each() {
    let rota = Rota::with_people(4);
    let people = ["U1 U2 U3 U4", "U2 U3 U4 U1", "U3 U1", "U4"];
    let rotations: Vec<Rot> = (0..8)
        .map(|n| rota.daily(people[n % 4], 1 + n % 2))
        .collect();
    let hidden = rota.create(json!({
        "name": "Hush", "owners": ["U1"], "userIds": ["U1", "U2"], "public": false,
    }));
    hidden.cover(1, &[always(daily())]);
    for rotation in &rotations {
        rotation.patch(json!({ "public": true })).is(200);
    }
    let tokens = [rota.key("read:rotations"), rota.token("U3")];
    for (token, sees_all) in tokens.iter().zip([true, false]) {
        let caller = rota.with(token);
        let all = all_pages(&caller, "/v1/warnings?days=3", 40);
        assert!(all.len() > 100, "{}", all.len());
        let from = |one: &Value| at(text(&one["from"]));
        assert!(all.is_sorted_by_key(from));
        for rotation in rotations.iter().chain([&hidden]) {
            let of_one = all
                .iter()
                .filter(|one| one["rotationId"] == json!(rotation.id));
            let of_one: Vec<Value> = of_one.cloned().collect();
            match sees_all || rotation.id != hidden.id {
                true => assert_eq!(of_one, rotation.with(token).warnings(3)),
                false => assert_eq!(of_one, [Value::Null; 0]),
            }
        }
        for severity in ["high", "medium", "low"] {
            let path = format!("/v1/warnings?days=3&severity={severity}");
            let of_one = all.iter().filter(|one| one["severity"] == json!(severity));
            let of_one: Vec<Value> = of_one.cloned().collect();
            assert_eq!(all_pages(&caller, &path, 30), of_one, "{severity}");
        }
    }
}

#[test]
fn a_rotation_has_pages_and_severities() {
    let rota = Rota::with_people(1);
    let rotation = rota.daily("U1", 2);
    let all = rotation.warnings(14);
    for size in [1, 3, 200] {
        let path = format!("/v1/rotations/{}/warnings?days=14", rotation.id);
        assert_eq!(all_pages(&rotation.by, &path, size), all);
    }
    for (severity, kinds) in [
        ("high", "nobody"),
        ("medium", "backToBack noFallback"),
        ("low", ""),
    ] {
        let path = format!("/warnings?days=14&severity={severity}");
        let page = rotation.get(&path).is(200).json();
        let found = page["data"].as_array().expect("a list").iter();
        let found: BTreeSet<&str> = found.map(|one| text(&one["kind"])).collect();
        let found: Vec<&str> = found.into_iter().collect();
        assert_eq!(found.join(" "), kinds, "{severity}");
    }
    // Fifty on a page unless said otherwise, and none past the last one.
    let page = rotation.get("/warnings").is(200).json();
    assert_eq!((int(&page["page"]), int(&page["pageSize"])), (1, 50));
    let past = rotation.get("/warnings?page=99").is(200).json();
    assert_eq!(past["data"], json!([]));
}
