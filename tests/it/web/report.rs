//! Who carries how much, over all rotations: everybody for workspace admins, oneself for others.

use super::{Browser, attribute};
use crate::support::{MONDAY, Rota, directory};
use serde_json::json;

fn people(page: &str) -> Vec<String> {
    let rows = page.split("<tr").skip(1);
    rows.filter_map(|row| attribute(row, "data-user")).collect()
}

#[test]
fn admins_see_everybody_and_others_themselves() {
    let rota = Rota::at(MONDAY);
    let mut file = directory(3);
    file["users"][2]["isAdmin"] = json!(true);
    file["users"][1]["displayName"] = json!("=1+1");
    rota.import(&file);
    let rotation = rota.daily("U1 U2", 1);
    rota.to("2026-01-08T09:00:00Z");
    let (ada, admin) = (
        Browser::signed_in(&rota, "U1"),
        Browser::signed_in(&rota, "U3"),
    );
    let path = "/reports/duty?from=2026-01-05&to=2026-01-12";
    let page = admin.get(path).is(200).text();
    let mut everybody = people(&page);
    everybody.sort();
    assert_eq!(everybody, ["U1", "U2"]);
    assert!(page.contains("Who carries how much") && !page.contains(" style="));
    assert_eq!(people(&ada.get(path).is(200).text()), ["U1"]);
    for by in ["rotation", "personRotation", "week", "month"] {
        let page = admin.get(&format!("{path}&by={by}")).is(200).text();
        let expected = match by {
            "week" => "2026-W02",
            "month" => "2026-01",
            _ => rotation.id.as_str(),
        };
        assert!(page.contains(expected), "{by}: {page}");
    }
    let answer = admin
        .get(&format!("{path}&by=personRotation&format=csv"))
        .is(200);
    assert_eq!(
        answer.header("content-type"),
        Some("text/csv; charset=utf-8")
    );
    let text = answer.text();
    let lines: Vec<&str> = text.split("\r\n").collect();
    assert!(
        lines[0].starts_with("userId,name,rotationId,rotation,planned,hours,"),
        "{text}"
    );
    assert!(text.contains(",'=1+1,"), "{text}");
    for (query, field) in [
        ("from=soon", "from"),
        ("from=2026-01-05&to=2031-01-06", "to"),
    ] {
        let page = ada.get(&format!("/reports/duty?{query}")).is(400).text();
        assert!(
            page.contains(&format!("href=\"#f-{field}\"")),
            "{query}: {page}"
        );
    }
    assert!(
        ada.get("/me")
            .is(200)
            .text()
            .contains("href=\"/reports/duty\"")
    );
}
