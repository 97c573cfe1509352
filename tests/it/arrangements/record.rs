//! The history: why each entry began, and what adds none.

use super::four;
use crate::support::*;
use serde_json::json;

#[test]
fn the_chain_is_whole_and_says_why() {
    let rota = Rota::with_people(4);
    let rotation = four(&rota);
    let first = rotation.assign(0, "U3", "2026-01-05T10:00Z", "2026-01-05T20:00Z");
    rota.to("2026-01-05T11:00Z");
    rotation.rotate();
    rota.to("2026-01-05T12:00Z");
    rotation.change(&first, 0, "U4", "2026-01-05T12:00Z", "2026-01-05T15:00Z");
    rota.to("2026-01-05T16:00Z");
    let last = rotation.assign(0, "U1", "2026-01-05T16:00Z", "2026-01-07T12:00Z");
    rota.to("2026-01-06T12:00Z");
    rotation.put_on_call("U3").is(200);
    rotation.end(&last);
    rota.to("2026-01-07T10:00Z");
    assert_eq!(
        rotation.record(),
        [
            "2026-01-05T08:00Z 2026-01-05T10:00Z U1 coverage-changed",
            "2026-01-05T10:00Z 2026-01-05T12:00Z U3 explicit-change",
            "2026-01-05T12:00Z 2026-01-05T15:00Z U4 explicit-change",
            "2026-01-05T15:00Z 2026-01-05T16:00Z U2 explicit-change",
            "2026-01-05T16:00Z 2026-01-06T12:00Z U1 explicit-change",
            "2026-01-06T12:00Z 2026-01-07T09:00Z U3 explicit-change",
            "2026-01-07T09:00Z - U4 next-on-scheduled-duty",
        ]
    );
    let turns = rotation.turns("history", MONDAY, "2026-01-08T00:00Z");
    let own: Vec<i64> = turns.iter().map(|entry| int(&entry["turn"])).collect();
    assert_eq!(own, [0, 2, 3, 1, 0, 2, 3], "each their own place");
    for pair in turns.windows(2) {
        assert_eq!(pair[0]["end"], pair[1]["start"], "no holes");
    }
}

/// rules.md 7.3.
#[test]
fn what_changes_beneath_begins_no_entry() {
    let rota = Rota::with_people(4);
    let rotation = four(&rota);
    rotation.assign(0, "U4", "2026-01-05T10:00Z", "2026-01-08T10:00Z");
    rota.to("2026-01-05T11:00Z");
    let count = rotation.record().len();
    rotation.rotate();
    rotation.put_on_call("U3").is(200);
    rotation.clear().is(200);
    rota.to("2026-01-07T11:00Z");
    rotation
        .patch(json!({ "userIds": ["U4", "U1", "U2"] }))
        .is(200);
    rotation
        .patch(json!({ "userIds": ["U2", "U4", "U1"] }))
        .is(200);
    assert_eq!(rotation.record().len(), count);
    assert_eq!(
        rotation.record().last().unwrap(),
        "2026-01-05T10:00Z - U4 explicit-change"
    );
}

#[test]
fn an_edit_of_the_hours_splits_an_arranged_turn_too() {
    let rota = Rota::with_people(4);
    let rotation = four(&rota);
    rotation.assign(0, "U4", "2026-01-05T10:00Z", "2026-01-06T08:00Z");
    rota.to("2026-01-05T11:00Z");
    rotation.cover(1, &[hours("UTC", &weekdays("08:00", "16:00"), daily())]);
    rota.to("2026-01-05T17:00Z");
    assert_eq!(
        rotation.record()[1..],
        [
            "2026-01-05T10:00Z 2026-01-05T11:00Z U4 explicit-change",
            "2026-01-05T11:00Z 2026-01-05T16:00Z U4 coverage-changed",
            "2026-01-05T16:00Z - - business-hours-offline",
        ]
    );
}

#[test]
fn a_new_cadence_hands_over_beneath() {
    let rota = Rota::with_people(4);
    let rotation = four(&rota);
    rotation.assign(0, "U4", "2026-01-05T10:00Z", "2026-01-07T08:00Z");
    rota.to("2026-01-05T11:00Z");
    let noon = cadence(
        "daily",
        "UTC",
        "2026-01-06T12:00",
        json!({ "times": ["12:00"] }),
    );
    rotation.cover(1, &[always(noon)]);
    assert_eq!(
        rotation.duty(),
        ["U4/3 2026-01-05T10:00Z 2026-01-07T08:00Z 2026-01-07T08:00Z 2026-01-06T12:00Z"]
    );
    rota.to("2026-01-06T12:00Z");
    assert_eq!(
        (rotation.on_call(), rotation.holders()),
        ("U4".into(), "U2".into())
    );
    rota.to("2026-01-07T08:00Z");
    assert_eq!(
        rotation.record().last().unwrap(),
        "2026-01-07T08:00Z - U2 explicit-change"
    );
}

#[test]
fn a_check_names_a_cell_over_which_arrangements_overlap() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let rota = Start::default().db(&db).go();
    rota.people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let cell = rotation.cell_id(0);
    rotation.assign(0, "U3", "2026-01-10T00:00Z", "2026-01-11T00:00Z");
    rota.stop();
    crate::cli::succeeds(&db, "check");
    let conn = rusqlite::Connection::open(&db).expect("the database");
    let columns = "rotation_id, cell_id, user_id, revision, kind, cancelled, stage, snapshot";
    let copied = format!(
        "INSERT INTO arrangement (id, from_at, until_at, {columns})
         SELECT 'arr_other', from_at + 1000, until_at + 1000, {columns} FROM arrangement"
    );
    assert_eq!(conn.execute(&copied, []).expect("a copy"), 1);
    let (code, output, errors) = run(&mut crate::cli::on(&db, "check"));
    assert_eq!(code, 1, "{errors}");
    assert!(output.contains(&cell), "{output}");
}
