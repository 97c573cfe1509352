//! Retention: the table "Retention" of `packaging/docs/operating.md`, row by row.

use crate::support::*;
use rusqlite::{Connection, OpenFlags};
use std::path::Path;

/// The number of rows of a kind.
fn count(db: &Path, rows: &str) -> i64 {
    let conn = Connection::open_with_flags(db, OpenFlags::SQLITE_OPEN_READ_ONLY).expect("the file");
    let sql = format!("SELECT count(*) FROM {rows}");
    conn.query_row(&sql, [], |row| row.get(0)).expect(&sql)
}

const KEPT_FOR_GOOD: [&str; 8] = [
    "history",
    "absence",
    "arrangement",
    "request",
    "creation_key",
    "api_key",
    "member_token",
    "person WHERE is_deleted",
];

/// rules.md 18.8 and 19.1.
#[test]
fn each_kind_goes_at_its_time_and_the_rest_stays() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let rota = Start::default().db(&db).go();
    rota.people(5);
    rota.token("U4");
    // It has no scheduled changes, so nothing is added meanwhile.
    let rotation = rota.rotation("U1 U2 U3");
    let (hook, receiver) = rota.hook(ALL_EVENTS);
    rotation.posts_in("C1");
    rotation.put_on_call("U1").is(200);
    hook.act("rotate").is(200);
    rotation.mention("U2");
    let body = rotation.assignment(0, "U2", "2026-01-05T12:00Z", "2026-01-05T14:00Z");
    rotation.post_arrangement("", &body).ok();
    rotation.ask_cover("U1", "2026-01-05T15:00Z 2026-01-05T16:00Z", "U3");
    rotation.away("U3", "2026-01-05T18:00Z", "2026-01-05T20:00Z");
    rota.people(4);
    rota.advance(DAY);
    assert!(!receiver.requests().is_empty());
    // How many days after its end each is kept; all ended on the first day.
    let rows = [
        ("webhook WHERE previous_secret IS NOT NULL", 0),
        ("operation", 30),
        ("delivery", 30),
        ("attempt", 30),
        ("event", 30),
        ("message", 90),
        ("mention", 90),
        ("audit", 400),
    ];
    let there = |rows: &str| count(&db, rows) > 0;
    let kept = KEPT_FOR_GOOD.map(|rows| (rows, count(&db, rows)));
    for (rows, number) in &kept {
        assert!(*number > 0, "{rows}");
    }
    let mut gone = 0;
    for days in [0, 28, 30, 88, 90, 398, 400] {
        rota.advance((days - gone) * DAY);
        gone = days;
        for (rows, kept) in rows {
            assert_eq!(there(rows), kept > days, "{rows} after {days} days");
        }
    }
    assert_eq!(KEPT_FOR_GOOD.map(|rows| (rows, count(&db, rows))), kept);
}
