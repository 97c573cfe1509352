//! The reader's own absences, zone and turns.

use super::{Browser, turns};
use crate::support::Rota;

#[test]
fn being_away_shows_what_is_still_mine() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let ada = Browser::signed_in(&rota, "U1");
    // It is 09:00 in Oslo; the turn of today goes on until tomorrow at 10:00.
    let fields = [
        ("from", "2026-01-05T12:00"),
        ("until", "2026-01-07T12:00"),
        ("reason", "ill"),
    ];
    let answer = ada
        .fill("/me/absences/new", "/me/absences", &fields)
        .is(303);
    let page = ada.follow(&answer);
    assert!(
        page.contains("Still yours meanwhile") && page.contains("/cover?"),
        "{page}"
    );
    assert!(page.contains(">Undo<"));
    let absence = answer.header("location").expect("the absence").to_owned();
    let listed = rota
        .get(&format!("/v1/rotations/{}/availability", rotation.id))
        .json();
    assert_eq!(listed["data"][0]["appliesTo"], "allRotations");
    assert_eq!(listed["data"][0]["from"], "2026-01-05T11:00:00Z");

    let page = ada.get("/me").is(200).text();
    let answer = ada.fill_in(&page, &format!("{absence}/end"), &[]).is(303);
    let page = ada.follow(&answer);
    let count = || {
        rota.get(&format!("/v1/rotations/{}/availability", rotation.id))
            .json()["data"]
            .as_array()
            .unwrap()
            .len()
    };
    assert_eq!(count(), 0);
    ada.fill_in(&page, "/me/absences", &[]).is(303);
    assert_eq!(count(), 1);
    // Nobody else's.
    let bob = Browser::signed_in(&rota, "U2");
    bob.get(&absence).is(404);
    let wrong = ada
        .fill(
            "/me/absences/new",
            "/me/absences",
            &[("until", "2026-01-01T00:00")],
        )
        .is(400);
    assert!(wrong.text().contains("href=\"#f-until\""));
}

#[test]
fn somebody_in_no_rotation_is_told_so() {
    let rota = Rota::with_people(1);
    let ada = Browser::signed_in(&rota, "U1");
    assert!(
        ada.get("/me/absences/new")
            .is(200)
            .text()
            .contains("in no rotation")
    );
    assert!(ada.get("/me").is(200).text().contains("None is planned"));
}

#[test]
fn my_turns_for_ninety_days() {
    let rota = Rota::with_people(3);
    rota.daily("U1 U2 U3", 1);
    let page = Browser::signed_in(&rota, "U1").get("/me").is(200).text();
    let shown = turns(&page);
    assert_eq!(shown.len(), 30, "{shown:?}");
    assert!(shown.iter().all(|turn| turn.ends_with(" U1")));
}

#[test]
fn times_are_in_the_zone_that_one_chooses() {
    let rota = Rota::with_people(2);
    let rotation = rota.daily("U1 U2", 1);
    let ada = Browser::signed_in(&rota, "U1");
    let path = format!("/rotations/{}", rotation.id);
    assert!(ada.get(&path).text().contains("Times in Europe/Oslo"));
    let answer = ada
        .fill("/me", "/me/zone", &[("timeZone", "America/New_York")])
        .is(303);
    let page = ada.follow(&answer);
    assert!(page.contains("Times in America/New_York"), "{page}");
    let page = ada.get(&path).text();
    assert!(
        page.contains("Tue 6 Jan 04:00 to Wed 7 Jan 04:00"),
        "{page}"
    );
    let answer = ada.fill("/me", "/me/zone", &[("timeZone", "")]).is(303);
    assert!(ada.follow(&answer).contains("Times in Europe/Oslo"));
    ada.fill("/me", "/me/zone", &[("timeZone", "EST")]).is(400);
}
