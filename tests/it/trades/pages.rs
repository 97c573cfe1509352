//! The pages: the settings of missed turns, what is owed, and Forgive.

use super::traded;
use crate::support::*;
use crate::web::Browser;
use serde_json::json;

/// Four people whose missed turns are lost, as far as the form has it.
#[test]
fn missed_turns_are_looked_at_saved_and_undone() {
    let rota = Rota::with_people(4);
    let rotation = rota.daily("U1 U2 U3 U4", 1);
    rotation.away("U2", "2026-01-06T09:00Z", "2026-01-07T09:00Z");
    let ada = Browser::signed_in(&rota, "U1");
    let path = format!("/rotations/{}/settings/absences", rotation.id);
    let page = ada.get(&path).is(200).text();
    for field in [
        "dealing.missedTurn",
        "dealing.restHours",
        "dealing.shares.U3",
    ] {
        assert!(
            page.contains(&format!("name=\"{field}\"")),
            "{field}: {page}"
        );
    }
    let fields = [
        ("dealing.missedTurn", "traded"),
        ("dealing.restHours", "11"),
        ("dealing.shares.U1", "50"),
        ("dealing.shares.U4", "0"),
    ];
    // What would change for each person, and nothing is saved.
    let before = rotation.read();
    let preview = ada.fill(&path, &path, &fields).is(200).text();
    assert!(preview.contains("What would change"), "{preview}");
    assert!(preview.contains("data-label=\"Now planned\""), "{preview}");
    assert_eq!(rotation.read(), before);
    let saved = ada
        .fill_in(&preview, &path, &[("confirmed", "true")])
        .is(303);
    let saved = ada.follow(&saved);
    let dealing = json!({
        "missedTurn": "traded", "restHours": 11,
        "shares": [{ "userId": "U1", "percent": 50 }, { "userId": "U4", "percent": 0 }],
    });
    assert_eq!(rotation.read()["dealing"], dealing);
    let people = ada.get(&path.replace("absences", "people")).is(200).text();
    assert!(
        people.contains("Share 50 %") && people.contains("Stand-in"),
        "{people}"
    );
    assert!(saved.contains(">Undo<"), "{saved}");
    let restore = path.replace("absences", "restore");
    ada.fill_in(&saved, &restore, &[]).is(303);
    assert_eq!(rotation.read()["dealing"], before["dealing"]);
    // What is wrong stands at its field, beside what else was typed.
    for (name, value, shown) in [
        ("dealing.restHours", "49", "#f-dealing.restHours"),
        ("dealing.shares.U2", "101", "#f-dealing.shares"),
    ] {
        let wrong = [("dealing.missedTurn", "traded"), (name, value)];
        let again = ada.fill(&path, &path, &wrong).is(400).text();
        assert!(again.contains(&format!("href=\"{shown}\"")), "{again}");
        assert!(again.contains(&format!("value=\"{value}\"")), "{again}");
    }
}

#[test]
fn what_is_owed_is_shown_and_forgiven() {
    let rota = Rota::with_people(5);
    let rotation = traded(&rota);
    rota.to("2026-01-06T12:00Z");
    let path = format!("/rotations/{}", rotation.id);
    let [debtor, creditor, stranger] =
        ["U2", "U3", "U4"].map(|user| Browser::signed_in(&rota, user));
    let page = debtor.get(&path).is(200).text();
    assert!(page.contains("Open trades"), "{page}");
    assert!(!page.contains("data-action=\"forgive\""), "{page}");
    assert!(
        !stranger
            .get(&path)
            .is(200)
            .text()
            .contains("data-action=\"forgive\"")
    );
    assert!(debtor.get("/me").is(200).text().contains("you owe "));
    assert!(creditor.get("/me").is(200).text().contains(" owes you "));
    assert!(!stranger.get("/me").is(200).text().contains("Owed turns"));
    let trades = rotation.get("/trades").is(200).json();
    let trade = text(&trades["data"][0]["id"]).to_owned();
    let action = format!("{path}/trades/{trade}/forgive");
    let page = creditor.get(&path).is(200).text();
    assert!(page.contains("data-action=\"forgive\""), "{page}");
    let done = creditor.fill_in(&page, &action, &[]).is(303);
    let page = creditor.follow(&done);
    assert!(page.contains("The trade was forgiven"), "{page}");
    assert!(!page.contains("Open trades"), "{page}");
    assert_eq!(rotation.get("/trades").is(200).json()["data"], json!([]));
    // Nothing is owed any more.
    rota.to("2026-01-08T12:00Z");
    assert_eq!(rotation.on_call(), "U3");
}

/// Whoever has a turn that is somebody else's is shown with them, ahead, now and afterwards.
#[test]
fn turns_say_whose_they_are() {
    let rota = Rota::with_people(4);
    let rotation = traded(&rota);
    let path = format!("/rotations/{}", rotation.id);
    let [taker, stranger] = ["U3", "U4"].map(|user| Browser::signed_in(&rota, user));
    let has = |browser: &Browser, path: &str, said: &str| {
        let page = browser.get(path).is(200).text();
        assert!(page.contains(said), "{path}: {said}\n{page}");
    };
    has(&taker, "/me", "for <bdi>Person U2</bdi>, ");
    has(&stranger, &path, "for Person U2");
    rota.to("2026-01-06T12:00Z");
    has(
        &stranger,
        &path,
        "Person U3 is on call for Person U2 until ",
    );
    has(&taker, &path, "You are on call for Person U2 until ");
    has(&stranger, "/", "for Person U2, until ");
    has(&taker, "/me/turns", "for <bdi>Person U2</bdi>, until ");
    rota.to("2026-01-09T12:00Z");
    let record = format!("{path}/history");
    for owner in ["Person U2", "Person U3"] {
        has(&stranger, &record, &format!("for <bdi>{owner}</bdi>"));
    }
    // Who has a smaller share stands there with the order of people.
    let shares = json!([{ "userId": "U1", "percent": 50 }, { "userId": "U4", "percent": 0 }]);
    rotation
        .patch(json!({ "dealing": { "shares": shares } }))
        .ok();
    has(&stranger, &path, "Share 50 %");
    has(&stranger, &path, "Stand-in");
}
