//! For tests: writes down every statement that is run, and asks SQLite how it finds its rows.

use super::{Fault, Store, connect};
use rusqlite::trace::{TraceEvent, TraceEventCodes};
use rusqlite::{Connection, OpenFlags};
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

static STATEMENTS: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Has a connection write down what it runs.
pub(super) fn listen(conn: &mut Connection) -> rusqlite::Result<()> {
    let note = |event: TraceEvent<'_>| {
        if let TraceEvent::Stmt(statement, _) = event {
            let mut statements = STATEMENTS.lock().unwrap_or_else(PoisonError::into_inner);
            statements.insert(statement.sql().to_string());
        }
    };
    conn.trace_v2(TraceEventCodes::SQLITE_TRACE_STMT, Some(note))
}

/// The statements run so far, by any test of this process, that read a whole table, each with the plan's line.
pub fn statements_that_scan(store: &Store) -> Result<Vec<String>, Fault> {
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
            // Going along an index from one end is a scan by name only: it is bounded by LIMIT or by min(). What is small
            // may be read whole: webhook endpoints are ten at most, and a subquery holds what was found by an index.
            let small = [
                "known",
                "first",
                "json_each",
                "CONSTANT",
                "SCAN webhook",
                "sqlite_sequence",
                "(subquery",
            ];
            let whole = line.starts_with("SCAN") && !small.iter().any(|name| line.contains(name));
            // The record only grows: ending its running entry must not look at the others.
            let long = sql.starts_with("UPDATE history") && !line.contains("history_running");
            if whole || long {
                scans.push(format!("{line}: {sql}"));
            }
        }
    }
    Ok(scans)
}
