//! Changes whose time came while the server was down (rules.md 30.2).

use crate::faults::durability::version;
use crate::support::*;
use serde_json::{Value, json};

/// Each instant is a version of its own, each change is made at its instant, and the record is the plan.
#[test]
fn changes_of_several_instants_are_versions_of_their_own() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let rota = Start::default().db(&db).go();
    rota.people(5);
    let outlet = Outlet::new(Behavior::says(200));
    rota.hook_at(&outlet.url(), "rotation.updated duty.changed");
    let rotation = rota.daily("U1 U2 U3", 1);
    let grid = rotation.grid(2, &[always(daily())]);
    let changes = [
        json!({ "at": "2026-01-06T12:00:00Z", "rotation": { "userIds": ["U3", "U4", "U1"] } }),
        json!({ "at": "2026-01-08T09:00:00Z", "coverage": grid }),
        json!({ "at": "2026-01-08T09:00:00Z", "rotation": { "description": "Two lanes" } }),
        json!({ "at": "2026-01-09T18:00:00Z", "remove": ["U3"] }),
    ];
    let changes = changes.map(|body| rotation.stage(body));
    let id = rotation.id.clone();
    let line = |turn: &Value| format!("{} {}", turn_line(turn), text(&turn["laneId"]));
    let ends = |turn: &Value| {
        turn["end"]
            .as_str()
            .is_some_and(|end| at(end) <= at("2026-01-11T09:00Z"))
    };
    let to = "2026-01-12T00:00:00Z";
    let plan = rotation.turns("schedule", MONDAY, to);
    let planned: Vec<String> = plan.iter().filter(|turn| ends(turn)).map(line).collect();
    rota.advance(0);
    let known = outlet.posts().len();
    let stored = version(&db, &id);
    rota.stop();
    let rota = Start::default().db(&db).clock("2026-01-11T12:00:00Z").go();
    rota.advance(0);
    let rotation = Rot {
        by: rota.caller(),
        id: id.clone(),
    };
    let record = rotation.turns("history", MONDAY, to);
    let recorded: Vec<String> = record.iter().filter(|turn| ends(turn)).map(line).collect();
    assert_eq!(recorded, planned);
    for change in &changes {
        let ended = rotation.staged(change);
        assert_eq!(
            (&ended["state"], &ended["appliedAt"]),
            (&json!("applied"), &change["at"]),
            "{ended}"
        );
    }
    // The hand-overs before, between and after the three instants, and the instants.
    assert_eq!(version(&db, &id) - stored, 7);
    let posts = outlet.posts();
    let news: Vec<Value> = posts[known..].iter().map(|post| post.json()).collect();
    let of_changes = news.iter().filter(|body| body.get("changeId").is_some());
    let told: Vec<String> = of_changes
        .map(|body| format!("{} {}", text(&body["eventType"]), text(&body["changeId"])))
        .collect();
    for index in [0, 2, 3] {
        let updated = format!("rotation.updated {}", text(&changes[index]["id"]));
        let count = told.iter().filter(|line| **line == updated).count();
        assert_eq!(count, 1, "{updated} in {told:?}");
    }
    let second = text(&changes[1]["id"]);
    assert!(told.iter().all(|line| !line.ends_with(second)), "{told:?}");
    let mut versions: Vec<i64> = news.iter().map(|body| int(&body["version"])).collect();
    versions.dedup();
    assert!(versions.is_sorted() && versions.len() >= 3, "{versions:?}");
}
