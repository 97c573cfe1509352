//! What SQLite alone takes for the rows of a PUT on-call: processor time that no code of the program can save.

use crate::load::thread_time;
use rusqlite::types::Value;
use rusqlite::{Connection, ToSql};
use std::path::Path;

/// Transactions, and writes in each: about as many as share a commit with eight writers.
const COMMITS: i64 = 1000;
const WRITES: usize = 4;

/// What a write changes in place, in the rotation ?1 at the instant ?2 for the person ?3.
const CHANGES: [&str; 3] = [
    "UPDATE rotation SET version = version + 1, updated_at = ?2, judged_at = ?2 WHERE id = ?1 AND ?3 > ''",
    "UPDATE cell SET holder_user_id = ?3, holder_since = ?2 WHERE rotation_id = ?1 AND position = 0",
    "UPDATE history INDEXED BY history_running SET ended_at = ?2
     WHERE rotation_id = ?1 AND ended_at IS NULL AND ?3 > ''",
];

/// What it adds, like a row that is there: the table, the rotation, the instant, and the other columns.
const ADDITIONS: [(&str, &str, &str); 4] = [
    (
        "history",
        "rotation_id, started_at",
        "cell_id, user_id, turn, reason, lane_id, lane_name, window_id, window_name, hours, skipped",
    ),
    ("message", MESSAGE_KEYS, MESSAGE),
    ("message", MESSAGE_KEYS, MESSAGE),
    (
        "audit",
        "rotation_id, at",
        "sequence, id, actor_kind, actor_id, actor_name, action, subject, request_id, address, summary",
    ),
];
const MESSAGE_KEYS: &str = "rotation_id, created_at";
const MESSAGE: &str = "recipient_kind, recipient_id, body, state, tries, ended_at";

/// Processor time of one write, in seconds, in a file that has these rotations and nobody else uses.
pub fn rows(path: &Path, rotations: &[String]) -> f64 {
    let conn = Connection::open(path).expect("the database");
    conn.execute_batch(
        "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA wal_autocheckpoint = 4000;
         PRAGMA cache_size = -8192; PRAGMA temp_store = MEMORY",
    )
    .expect("its settings");
    let run = |sql: &str, values: &[&dyn ToSql]| {
        let mut query = conn.prepare_cached(sql).expect("a statement");
        query.execute(values).expect("a write")
    };
    let additions = ADDITIONS.map(|(table, keys, others)| {
        let places: String = (3..3 + others.split(',').count())
            .map(|n| format!(", ?{n}"))
            .collect();
        let insert = format!("INSERT INTO {table} ({keys}, {others}) VALUES (?1, ?2{places})");
        let last = if table == "audit" { "at" } else { "rowid" };
        let like = format!("SELECT {others} FROM {table} ORDER BY {last} DESC LIMIT 1");
        let mut query = conn.prepare(&like).expect("a statement");
        let count = query.column_count();
        let row = query.query_row([], |row| {
            (0..count)
                .map(|at| row.get(at))
                .collect::<Result<Vec<Value>, _>>()
        });
        (insert, row.expect("a row"))
    });
    // Later than what the program wrote.
    let first: i64 = 4_102_444_800_000;
    let begun = thread_time();
    let mut chosen = rotations.iter().cycle();
    for commit in 0..COMMITS {
        run("BEGIN IMMEDIATE", &[]);
        for (write, rotation) in chosen.by_ref().take(WRITES).enumerate() {
            let at = first + commit * WRITES as i64 + write as i64;
            let person = ["U1", "U2"][commit as usize % 2];
            for sql in CHANGES {
                assert_eq!(run(sql, &[rotation, &at, &person]), 1, "{sql}");
            }
            for (sql, row) in &additions {
                let keys: [&dyn ToSql; 2] = [rotation, &at];
                let values: Vec<&dyn ToSql> = keys
                    .into_iter()
                    .chain(row.iter().map(|value| value as &dyn ToSql))
                    .collect();
                run(sql, &values);
            }
        }
        run("COMMIT", &[]);
    }
    (thread_time() - begun) / (COMMITS * WRITES as i64) as f64
}
