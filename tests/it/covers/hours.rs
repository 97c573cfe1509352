//! Covered hours: what a request, a swap or an assignment is about. Without any there is nothing to take over.

use crate::support::*;
use serde_json::Value;

/// Daily turns that are covered from Monday to Friday, 09:00 to 17:00.
fn office<'a>(rota: &'a Rota) -> Rot<'a> {
    let rotation = rota.rotation("U1 U2 U3");
    let weekdays = weekdays("09:00", "17:00");
    rotation.cover(1, &[hours("UTC", &weekdays, daily())]);
    rotation
}

fn covered(value: &Value) -> Vec<String> {
    let covered = value["covered"].as_array().expect("covered hours");
    covered.iter().map(interval).collect()
}

/// rules.md 8.5.
#[test]
fn without_covered_hours_there_is_nothing_to_ask_for() {
    let rota = Rota::with_people(3);
    let rotation = office(&rota);
    // Friday is U2's, Saturday U3's, Sunday U1's. The last second of a stretch counts.
    for (user, period, other) in [
        ("U3", "10 11", "U1"),
        ("U2", "09T17 10", "U1"),
        ("U2", "09T18 09T19", "U3"),
        ("U3", "10 10T12", "U2"),
    ] {
        let body = rotation.cover_body(period, other);
        for rest in ["cover-requests/preview", "cover-requests"] {
            let asked = rotation.seen_by(user).request(rest, body.clone());
            let detail = asked.refused(400, "invalid_request")["detail"].clone();
            let detail = text(&detail);
            assert!(detail.starts_with("from: no covered hours"), "{detail}");
            assert!(detail.contains("begin at 2026-01-12T09:00:00Z"), "{detail}");
        }
        let [from, to] = ends(period);
        rotation.try_assign(0, other, &from, &to).names("from: ");
    }
    let legs = [("own", "U2", 0, "09 10"), ("other", "U3", 0, "10 11")];
    let swap = rotation.swap_body("U3", &legs);
    for rest in ["swap-requests/preview", "swap-requests"] {
        let offered = rotation.seen_by("U2").request(rest, swap.clone());
        offered.names("legs[1].from: no covered hours");
    }
    let listed = rotation.get("/cover-requests?from=2026-01-01T00:00:00Z&to=2026-03-01T00:00:00Z");
    assert_eq!(
        listed.is(200).json()["items"].as_array().map(Vec::len),
        Some(0)
    );
}

/// rules.md 8.5.
#[test]
fn what_is_covered_in_part_says_which_hours_count() {
    let rota = Rota::with_people(3);
    let rotation = office(&rota);
    let body = rotation.cover_body("09T12 10", "U1");
    let preview = rotation
        .seen_by("U2")
        .request("cover-requests/preview", body);
    assert_eq!(covered(&preview.is(200).json()), ["09T12 09T17"]);
    let asked = rotation.ask_cover("U2", "09T12 10", "U1");
    assert_eq!(covered(&asked.item()), ["09T12 09T17"]);
    let all = rotation.seen_by("U2").by.get("/v1/requests").is(200).json();
    assert_eq!(covered(&all["data"][0]), ["09T12 09T17"]);
    let page = crate::web::Browser::signed_in(&rota, "U1")
        .get(&format!("/requests/{}", asked.id))
        .is(200)
        .text();
    assert!(page.contains("which are those that count"), "{page}");
    // Each shift of a swap has its own hours; the request has both.
    let swap = rotation.offer_swap("U2", "09 10", "U1", "08 09").item();
    let legs = swap["request"]["legs"].as_array().expect("legs");
    let legs: Vec<Vec<String>> = legs.iter().map(covered).collect();
    assert_eq!(legs, [["09 09T17"], ["08 08T17"]]);
    assert_eq!(covered(&swap), ["08 08T17", "09 09T17"]);
    let body = rotation.assignment(0, "U1", &when("06"), &when("08"));
    let preview = rotation.post_arrangement("/preview", &body).is(200);
    assert_eq!(covered(&preview.json()), ["06 06T17", "07 07T17"]);
    // Always covered: all of it.
    let always = rota.daily("U1 U2 U3", 1);
    let asked = always.ask_cover("U2", "06 07", "U1");
    assert_eq!(covered(&asked.item()), ["06 07"]);
    let page = crate::web::Browser::signed_in(&rota, "U1")
        .get(&format!("/requests/{}", asked.id))
        .is(200)
        .text();
    assert!(!page.contains("which are those that count"), "{page}");
}
