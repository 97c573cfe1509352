//! What is shown of turns that were traded: the report of duty and the page of hours.

use super::traded;
use crate::cli::succeeds;
use crate::support::*;
use serde_json::Value;

#[test]
fn the_report_counts_what_turns_are_to_people() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let rota = Start::default().db(&db).go();
    rota.people(4);
    let rotation = traded(&rota);
    // A turn of U3 that is ahead is taken by U2.
    rotation.away("U3", "2026-01-12T09:00Z", "2026-01-13T09:00Z");
    rota.to("2026-01-08T12:00Z");
    let week = "from=2026-01-05T00:00:00Z&to=2026-01-13T00:00:00Z";
    let answer = rota
        .caller()
        .get(&format!("/v1/reports/duty?{week}"))
        .is(200)
        .json();
    let line = |row: &Value| {
        let counts = ["turns", "ownTurns", "traded", "repaid", "helped"];
        let counts = counts.map(|name| int(&row[name]).to_string()).join(" ");
        let planned = if row["planned"] == true { " plan" } else { "" };
        format!("{}{planned}: {counts}", text(&row["userId"]))
    };
    let rows: Vec<String> = answer["data"]
        .as_array()
        .expect("rows")
        .iter()
        .map(line)
        .collect();
    assert_eq!(
        rows,
        [
            "U1: 1 1 0 0 0",
            "U1 plan: 1 1 0 0 0",
            "U2: 1 0 0 1 0",
            "U2 plan: 2 1 1 0 0",
            "U3: 1 0 1 0 0",
            "U3 plan: 0 0 0 0 0",
            "U4: 1 1 0 0 0",
            "U4 plan: 1 1 0 0 0",
        ]
    );
    let path = format!("/v1/reports/duty?{week}");
    let csv = rota
        .caller()
        .request("GET", &path)
        .header("Accept", "text/csv")
        .send();
    let csv = csv.is(200).text();
    let (head, _) = csv.split_once("\r\n").expect("lines");
    assert!(
        head.ends_with(",acknowledged,ownTurns,traded,repaid,helped"),
        "{csv}"
    );
    let flags = "report --from 2026-01-05 --to 2026-01-13";
    let printed = succeeds(&db, flags);
    assert!(printed.contains("OWN TURNS"), "{printed}");
}
