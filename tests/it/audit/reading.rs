//! GET /v1/audit: filters, pages, and who may read it.

use crate::support::*;
use rusqlite::Connection;
use serde_json::{Value, json};

fn summaries(entries: &[Value]) -> Vec<&str> {
    entries
        .iter()
        .map(|entry| text(&entry["summary"]))
        .collect()
}

#[test]
fn entries_are_filtered_and_newest_first() {
    let rota = Rota::with_people(3);
    let (one, two) = (rota.daily("U1 U2", 1), rota.daily("U1 U2", 1));
    rota.to("2026-01-05T10:00Z");
    one.put_on_call("U2").is(200);
    rota.to("2026-01-05T11:00Z");
    two.seen_by("U1").put_on_call("U2").is(200);
    one.clear().is(200);
    let key = text(&rota.caller().get("/v1/keys/self").is(200).json()["id"]).to_owned();
    let (one_id, two_id) = (&one.id, &two.id);
    let at = |hour: &str| format!("2026-01-05T{hour}:00:00Z");
    let duty = "on duty: Person U1 to Person U2";
    let cleared = "on duty: Person U2 to nobody";
    for (query, expected) in [
        (
            format!("rotationId={one_id}&from={}", at("10")),
            vec![cleared, duty],
        ),
        (
            format!("rotationId={one_id}&from={}&to={}", at("10"), at("11")),
            vec![duty],
        ),
        (format!("rotationId={two_id}&from={}", at("10")), vec![duty]),
        ("action=replaceOnCall".into(), vec![duty, duty]),
        ("action=replaceOnCall&actor=person".into(), vec![duty]),
        (format!("action=replaceOnCall&actor={key}"), vec![duty]),
        (format!("actor=U1&rotationId={one_id}"), vec![]),
        ("actor=U1".into(), vec![duty]),
        ("actor=U7".into(), vec![]),
        ("actor=chat".into(), vec![]),
        (format!("actor=key&from={}", at("11")), vec![cleared]),
        (
            "from=2026-01-05T11:00:00%2B01:00&to=2026-01-05T12:00:00%2B01:00&action=replaceOnCall"
                .into(),
            vec![duty],
        ),
        ("action=nothing".into(), vec![]),
        ("rotationId=rot_unknown".into(), vec![]),
    ] {
        assert_eq!(summaries(&rota.audit(&query)), expected, "{query}");
        assert_eq!(rota.audited(&query), expected.len() as i64, "{query}");
    }
    let first = rota.caller().get("/v1/audit?pageSize=2").is(200).json();
    let second = rota
        .caller()
        .get("/v1/audit?pageSize=2&page=2")
        .is(200)
        .json();
    assert_eq!(text(&first["data"][0]["summary"]), cleared);
    let all = rota.audit("");
    assert_eq!(second["data"], json!(all[2..4]));
    assert_eq!(int(&first["totalItems"]), all.len() as i64);
    let past = rota
        .caller()
        .get("/v1/audit?page=2147483647&pageSize=200")
        .is(200)
        .json();
    assert_eq!(past["data"], json!([]));
    rota.caller().get("/v1/audit?from=x").names("from");
    rota.caller()
        .get("/v1/audit?from=2026-01-05T10:00:00Z&to=2026-01-05T10:00:00Z")
        .names("to");
    // Of a deleted rotation the entries stay.
    one.delete();
    let entries = rota.audit(&format!("rotationId={one_id}"));
    assert_eq!(
        text(&entries[0]["summary"]),
        "rotation \"Rotation\" deleted"
    );
    assert_eq!(entries.len(), 5);
}

/// rules.md 18.7.
#[test]
fn who_may_read_it() {
    let rota = Rota::at(MONDAY);
    let mut directory = directory(4);
    directory["users"][2]["isAdmin"] = json!(true);
    directory["users"][3]["isExternal"] = json!(true);
    rota.import(&directory);
    let rotation = rota.rotation("U1 U2");
    let hidden = rota.rotation("U1");
    hidden.patch(json!({ "public": false })).is(200);
    let both = rota.key("read:rotations manage:webhooks");
    let limited = rota.mint(json!({
        "name": "limited", "scopes": ["read:rotations", "manage:webhooks"], "rotationIds": [rotation.id],
    }));
    let [owner, member, admin, outsider] = ["U1", "U2", "U3", "U4"].map(|user| rota.token(user));
    let (own, other) = (rotation.id.as_str(), hidden.id.as_str());
    let (ok, denied) = ((200, ""), (403, "resource_denied"));
    let (scope, none) = ((403, "scope_denied"), (404, "not_found"));
    for (who, credential, all, of_own, of_other, of_none) in [
        ("a key", both, ok, ok, ok, ok),
        ("every scope", rota.key.clone(), ok, ok, ok, ok),
        (
            "read:rotations",
            rota.key("read:rotations"),
            scope,
            scope,
            scope,
            scope,
        ),
        (
            "manage:webhooks",
            rota.key("manage:webhooks"),
            scope,
            scope,
            scope,
            scope,
        ),
        ("a selected key", limited, denied, denied, denied, denied),
        ("an admin", admin, ok, ok, ok, ok),
        ("an owner", owner, denied, ok, ok, none),
        ("a member", member, denied, denied, none, none),
        ("an outsider", outsider, denied, none, none, none),
    ] {
        for (query, (status, code)) in [
            (String::new(), all),
            (format!("?rotationId={own}"), of_own),
            (format!("?rotationId={other}"), of_other),
            ("?rotationId=rot_unknown".into(), of_none),
        ] {
            let answer = rota.with(&credential).get(&format!("/v1/audit{query}"));
            assert_eq!(answer.status(), status, "{who} {query}: {}", answer.text());
            if status != 200 {
                answer.refused(status, code);
            }
        }
    }
}

/// Puts so many entries into a database that nobody uses.
fn fill(db: &std::path::Path, entries: i64) {
    let conn = Connection::open(db).expect("the file");
    let sql = "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ?1)
               INSERT INTO audit (at, sequence, id, actor_kind, actor_id, action, rotation_id, summary)
               SELECT unixepoch('2025-12-31') * 1000 + n, 0, 'aud_' || n, 'key', 'key_1', iif(n % 2, 'odd', 'even'), 'rot_1', 'x' FROM n";
    conn.execute(sql, [entries]).expect("entries");
}

/// Lists and totals reach back so far and no further, and no filters make the server look through everything.
/// rules.md 18.8.
#[test]
fn a_long_log_costs_no_more() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    drop(Start::default().db(&db).go());
    fill(&db, 60_000);
    let rota = Start::default().db(&db).go();
    let page = |query: &str| {
        rota.caller()
            .get(&format!("/v1/audit?{query}"))
            .is(200)
            .json()
    };
    let whole = page("pageSize=200&page=50&actor=key_1");
    assert_eq!(int(&whole["totalItems"]), 10_000);
    assert_eq!(whole["data"][199]["id"], "aud_50001");
    assert_eq!(page("pageSize=200&page=51&actor=key_1")["data"], json!([]));
    let older = page("to=2025-12-31T00:00:01Z&actor=key_1");
    assert_eq!(int(&older["totalItems"]), 999);
    assert_eq!(older["data"][0]["id"], "aud_999");
    // Filters that no index serves together.
    let path = "/v1/audit?rotationId=rot_1&action=odd";
    rota.caller().get(path).names("from");
    let later = page("rotationId=rot_1&action=odd&from=2025-12-31T00:00:30Z");
    assert_eq!(int(&later["totalItems"]), 10_000);
    assert_eq!(later["data"][0]["id"], "aud_59999");
}
