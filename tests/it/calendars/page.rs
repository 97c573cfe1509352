//! The page on which people add their calendars.

use super::*;
use crate::web::Browser;

#[test]
fn a_calendar_is_added_looked_at_and_removed_on_the_page() {
    let rota = Rota::with_people(2);
    let feed = Feed::of(&[TUESDAY]);
    let browser = Browser::signed_in(&rota, "U1");
    let me = browser.get("/me").is(200).text();
    assert!(me.contains("href=\"/me/calendars\""), "{me}");
    // What is wrong is said beside the field.
    let wrong = browser.fill("/me/calendars", "/me/calendars", &[("url", "nowhere")]);
    assert!(wrong.is(400).text().contains("href=\"#f-url\""));
    let fields = [
        ("url", &*feed.url()),
        ("name", "Mine"),
        ("words", "Vacation, Kur"),
    ];
    browser
        .fill("/me/calendars", "/me/calendars", &fields)
        .is(303);
    let page = browser.get("/me/calendars").is(200).text();
    for text in [
        "Mine",
        feed.host(),
        "1 absence from now on",
        "Events that say that I am out of office",
    ] {
        assert!(page.contains(text), "{text}: {page}");
    }
    assert!(!page.contains("very-secret"));
    let id = text(&rota.caller().all(&path_of("U1"))[0]["id"]).to_owned();
    feed.now(status(503, ""));
    let read = format!("/me/calendars/{id}/read");
    browser.fill("/me/calendars", &read, &[]).is(303);
    let page = browser.get("/me/calendars").is(200).text();
    assert!(page.contains("The server answered 503"), "{page}");
    assert!(
        browser
            .get("/me")
            .is(200)
            .text()
            .contains("1 calendar, 1 with a problem.")
    );
    let remove = format!("/me/calendars/{id}/remove");
    browser.fill("/me/calendars", &remove, &[]).is(303);
    assert!(rota.caller().all(&path_of("U1")).is_empty());
    // Somebody else's is not there.
    let added = add(&rota, "U2", &Feed::of(&[TUESDAY]));
    let fields = [("operationId", "0b5e8f1c-0000-4000-8000-000000000001")];
    browser
        .post(&format!("/me/calendars/{}/remove", added.id), &fields)
        .is(404);
}

#[test]
fn a_calendar_that_is_not_read_for_a_day_is_told_to_owners_on_the_first_page() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let feed = Feed::of(&[TUESDAY]);
    let added = add(&rota, "U2", &feed);
    let told = |user: &str, path: &str| {
        let page = Browser::signed_in(&rota, user).get(path).is(200).text();
        page.contains("The calendar of Person U2 was last read on Mon 5 Jan")
    };
    feed.now(status(503, ""));
    rota.advance(3600);
    eventually("it cannot be read", || {
        !added.shown(&rota)["lastError"].is_null()
    });
    assert!(!told("U1", "/"), "it may be read the next time");
    rota.advance(24 * 3600);
    let path = format!("/rotations/{}", rotation.id);
    assert!(told("U1", "/") && told("U1", &path) && !told("U3", "/"));
}
