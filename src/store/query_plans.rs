//! For tests: records every statement and asks SQLite for its query plan.

use super::{Result, Store, connect};
use rusqlite::trace::{TraceEvent, TraceEventCodes};
use rusqlite::{Connection, OpenFlags};
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

static STATEMENTS: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Records the statements of a connection.
pub(super) fn listen(conn: &mut Connection) -> rusqlite::Result<()> {
    let note = |event: TraceEvent<'_>| {
        if let TraceEvent::Stmt(statement, _) = event {
            let mut statements = STATEMENTS.lock().unwrap_or_else(PoisonError::into_inner);
            statements.insert(statement.sql().to_string());
        }
    };
    conn.trace_v2(TraceEventCodes::SQLITE_TRACE_STMT, Some(note))
}

/// The recorded statements, of any test in this process, that scan a whole table, each with the line of the plan.
pub fn statements_that_scan(store: &Store) -> Result<Vec<String>> {
    let conn = connect(store.path(), OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let statements = STATEMENTS
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .clone();
    let mut scans = Vec::new();
    let verbs = ["SELECT", "WITH", "UPDATE", "DELETE", "INSERT"];
    for sql in statements
        .iter()
        .filter(|sql| verbs.iter().any(|verb| sql.trim_start().starts_with(verb)))
    {
        let mut plan = conn.prepare(&format!("EXPLAIN QUERY PLAN {sql}"))?;
        let mut lines = plan.raw_query();
        while let Some(line) = lines.next()? {
            let line: String = line.get(3)?;
            // Reading an index from one end also counts as a scan, but LIMIT or min() bounds it. Small tables may be scanned:
            // there are at most ten webhook endpoints, few schedules that rotations follow, and a subquery has rows that were
            // found by an index.
            let small = [
                "known",
                "first",
                "json_each",
                "CONSTANT",
                "SCAN webhook",
                "SCAN external_schedule",
                "sqlite_sequence",
                "(subquery",
            ];
            let whole = line.starts_with("SCAN") && !small.iter().any(|name| line.contains(name));
            // The record grows without limit: ending its running entry must not read the other entries.
            let long = sql.starts_with("UPDATE history") && !line.contains("history_running");
            if whole || long {
                scans.push(format!("{line}: {sql}"));
            }
        }
    }
    Ok(scans)
}
