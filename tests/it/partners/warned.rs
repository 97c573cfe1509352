//! Warnings about schedules of partners.

use super::*;

fn warned(rotation: &Rot, kind: &str) -> Vec<String> {
    let page = rotation.get("/warnings?days=14").is(200).json();
    let found = page["data"].as_array().expect("a list").iter();
    let of_kind = found.filter(|one| one["kind"] == kind);
    let line = |one: &Value| {
        format!(
            "{}/{} {}",
            text(&one["from"]),
            text(&one["to"]),
            one["userIds"]
        )
    };
    of_kind.map(line).collect()
}

/// rules.md 27.10.
#[test]
fn what_is_unknown_empty_or_unread() {
    let (pager, rota) = started();
    let rotation = linked(&rota, "S1");
    assert_eq!(
        warned(&rotation, "nobody"),
        ["2026-01-06T00:00:00Z/2026-01-06T06:00:00Z []"]
    );
    // P3 is nobody here, but neither on call nor next.
    assert_eq!(warned(&rotation, "unreachable"), [""; 0]);
    assert_eq!(warned(&rotation, "staleSource"), [""; 0]);
    rota.to("2026-01-05T13:00Z");
    assert_eq!(
        warned(&rotation, "unreachable"),
        ["2026-01-06T06:00:00Z/2026-01-06T12:00:00Z []"]
    );
    for kind in ["noFallback", "unfair", "backToBack", "emptyRoster"] {
        assert_eq!(warned(&rotation, kind), [""; 0], "{kind}");
    }
    pager.troubles(Trouble::Status(503));
    assert_eq!(sync(&rota), (0, 1));
    assert_eq!(warned(&rotation, "staleSource").len(), 1);
    pager.troubles(None);
    assert_eq!(sync(&rota), (1, 0));
    assert_eq!(warned(&rotation, "staleSource"), [""; 0]);
}
