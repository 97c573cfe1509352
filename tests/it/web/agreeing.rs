//! Cover and swap among people.

use super::{Browser, turns};
use crate::support::*;
use serde_json::json;

#[test]
fn asking_for_cover_and_accepting_it() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let (bob, eve) = (
        Browser::signed_in(&rota, "U2"),
        Browser::signed_in(&rota, "U3"),
    );
    let path = format!("/rotations/{}", rotation.id);
    // Tuesday's turn is U2's, and its row has what fills the form in.
    let page = bob.get(&path).is(200).text();
    let row = page
        .split("<li class=\"bar")
        .find(|row| row.contains("data-start=\"2026-01-06T09:00:00Z\""))
        .expect("a bar");
    let link = super::attribute(row, "href").expect("a link") + "?do=cover";
    let action = format!("{path}/cover");
    let answer = bob
        .fill(
            &link,
            &action,
            &[("recipientUserIds", "U3"), ("reason", "<b>dentist</b>")],
        )
        .is(303);
    let page = bob.follow(&answer);
    assert!(
        page.contains("&lt;b&gt;dentist&lt;/b&gt;") && page.contains("pending"),
        "{page}"
    );
    let request = answer.header("location").expect("the request").to_owned();

    assert!(
        eve.get("/").text().contains(&request),
        "it waits on the first page"
    );
    let page = eve.get(&request).is(200).text();
    let answer = eve
        .fill_in(&page, &format!("{request}/accept"), &[])
        .is(303);
    assert!(eve.follow(&answer).contains("accepted"));
    let page = bob.get(&path).text();
    assert!(
        turns(&page).contains(&"2026-01-06T09:00:00Z U3".to_owned()),
        "{:?}",
        turns(&page)
    );
    // Either side ends it.
    let page = bob.get(&request).text();
    bob.fill_in(&page, &format!("{request}/end"), &[]).is(303);
    assert!(turns(&bob.get(&path).text()).contains(&"2026-01-06T09:00:00Z U2".to_owned()));
}

#[test]
fn declining_and_cancelling() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let (bob, eve) = (
        Browser::signed_in(&rota, "U2"),
        Browser::signed_in(&rota, "U3"),
    );
    let action = format!("/rotations/{}/cover", rotation.id);
    let fields = [
        ("from", "2026-01-06T12:00"),
        ("to", "2026-01-06T14:00"),
        ("recipientUserIds", "U3"),
    ];
    for (who, step, state) in [(&eve, "decline", "declined"), (&bob, "cancel", "cancelled")] {
        let answer = bob.fill(&action, &action, &fields).is(303);
        let request = answer.header("location").expect("the request").to_owned();
        let page = who.get(&request).is(200).text();
        who.fill_in(&page, &format!("{request}/{step}"), &[])
            .is(303);
        assert!(who.get(&request).text().contains(state));
        // Not twice.
        let again = who.post(
            &format!("{request}/{step}"),
            &[
                ("ifMatch", "*"),
                ("operationId", step),
                ("expectedRevision", "2"),
            ],
        );
        assert_eq!(again.status(), 409);
    }
    let page = bob.get("/requests").is(200).text();
    assert!(
        page.contains("declined") && page.contains("cancelled"),
        "{page}"
    );
    let nobody = bob
        .fill(
            &action,
            &action,
            &[("from", "2026-01-06T12:00"), ("to", "2026-01-06T14:00")],
        )
        .is(400);
    assert!(nobody.text().contains("href=\"#f-recipientUserIds\""));
}

#[test]
fn swapping_two_turns() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let (bob, eve) = (
        Browser::signed_in(&rota, "U2"),
        Browser::signed_in(&rota, "U3"),
    );
    let path = format!("/rotations/{}", rotation.id);
    let page = bob.get(&format!("{path}/swap")).is(200).text();
    let theirs = page
        .split("name=\"theirs\"")
        .nth(1)
        .expect("the other turns");
    let turn = theirs
        .split("value=\"")
        .find(|value| value.contains(" U3\""))
        .expect("a turn of U3");
    let turn = turn.split('"').next().expect("a value").to_owned();
    let answer = bob
        .fill_in(&page, &format!("{path}/swap"), &[("theirs", &turn)])
        .is(303);
    let request = answer.header("location").expect("the request").to_owned();
    let page = eve.get(&request).is(200).text();
    eve.fill_in(&page, &format!("{request}/accept"), &[])
        .is(303);
    let shown = turns(&bob.get(&path).text());
    for expected in ["2026-01-06T09:00:00Z U3", "2026-01-07T09:00:00Z U2"] {
        assert!(
            shown.contains(&expected.to_owned()),
            "{expected}: {shown:?}"
        );
    }
}

/// A refusal stands at the field in which a turn was chosen, in words: no path of the API, no id.
#[test]
fn what_is_wrong_with_a_swap_is_said_at_its_field() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let bob = Browser::signed_in(&rota, "U2");
    let action = format!("/rotations/{}/swap", rotation.id);
    let page = bob.get(&action).is(200).text();
    let cell = rotation.place(0);
    let tuesday = "2026-01-06T09:00:00Z 2026-01-07T09:00:00Z";
    let wednesday = "2026-01-07T09:00:00Z 2026-01-08T09:00:00Z";
    let gone = "cel_abcdefghijABCDEFGHIJ";
    for (own, theirs, field, told) in [
        (
            format!("{gone} {tuesday} U2"),
            format!("{cell} {wednesday} U3"),
            "own",
            "This rotation has no such hours.",
        ),
        (
            format!("{cell} {tuesday} U2"),
            format!("{cell} {wednesday} U1"),
            "theirs",
            "Person U1 does not have this turn as planned.",
        ),
        (
            format!("{cell} {tuesday} U2"),
            format!("{cell} {wednesday} U2"),
            "theirs",
            "That is you",
        ),
    ] {
        let fields = [("own", own.as_str()), ("theirs", theirs.as_str())];
        let page = bob.fill_in(&page, &action, &fields).is(400).text();
        let summary = page.split("id=\"errors\"").nth(1).expect("a summary");
        let summary = summary.split("</div>").next().unwrap();
        assert!(
            summary.contains(&format!("href=\"#f-{field}\"")),
            "{summary}"
        );
        assert!(summary.contains(told), "{summary}");
        for path in ["egs[", "cellId", "UserId", "cel_", "`"] {
            assert!(!summary.contains(path), "{path}: {summary}");
        }
    }
}

/// Whoever may cancel a request of others is led to it. Requests of other rotations are not listed.
#[test]
fn the_page_of_a_rotation_lists_its_open_requests_of_everybody() {
    let rota = Rota::with_people(4);
    let rotation = rota.daily("U1 U2 U3", 1);
    let other = rota.daily("U1 U2 U3", 1);
    let later = rotation.ask_cover("U3", "07T10 07T12", "U2");
    let asked = rotation.ask_cover("U2", "06T10 06T12", "U3");
    let elsewhere = other.ask_cover("U2", "06T10 06T12", "U3");
    let path = format!("/rotations/{}", rotation.id);
    let section = |browser: &Browser| -> String {
        let page = browser.get(&path).is(200).text();
        let part = page.split("id=\"requests\"").nth(1).expect("the requests");
        part.split("</section>").next().unwrap().to_owned()
    };
    let link = |id: &str| format!("href=\"/requests/{id}\"");
    // U1 owns the rotation, and neither asks nor is asked.
    let owner = Browser::signed_in(&rota, "U1");
    let listed = section(&owner);
    let [first, second] = [&asked.id, &later.id].map(|id| listed.find(&link(id)));
    assert!(first.is_some() && first < second, "{listed}");
    assert!(!listed.contains(&link(&elsewhere.id)), "{listed}");
    assert!(
        listed.contains("Person U2") && listed.contains("Person U3"),
        "{listed}"
    );
    let request = format!("/requests/{}", asked.id);
    let page = owner.get(&request).is(200).text();
    owner
        .fill_in(&page, &format!("{request}/cancel"), &[])
        .is(303);
    assert_eq!(asked.state(), "cancelled");
    assert!(!section(&owner).contains(&link(&asked.id)));
    // Members see them as the API shows them; whoever does not see the rotation sees nothing.
    assert!(section(&Browser::signed_in(&rota, "U2")).contains(&link(&later.id)));
    Browser::signed_in(&rota, "U4").get(&path).is(404);
}

/// The values that a form offers in a list.
fn offered(page: &str, name: &str) -> Vec<String> {
    let Some((_, list)) = page.split_once(&format!("name=\"{name}\"")) else {
        return Vec::new();
    };
    let list = list.split("</select>").next().unwrap_or_default();
    let options = list.split("<option ").skip(1);
    options
        .filter_map(|option| super::attribute(option, "value"))
        .filter(|value| !value.is_empty())
        .collect()
}

#[test]
fn a_swap_form_offers_only_turns_that_can_be_swapped() {
    let rota = Rota::with_people(4);
    let rotation = rota.rotation("U1 U2 U3 U4");
    // Two lanes with people of their own; turns of weekends have no covered hours.
    let mut grid = rotation.grid(2, &[hours("UTC", &weekdays("09:00", "17:00"), daily())]);
    grid["cells"][0]["rosterId"] = json!("a");
    grid["cells"][1]["rosterId"] = json!("b");
    grid["rosters"] = json!([
        { "rosterId": "a", "userIds": ["U1", "U2"] },
        { "rosterId": "b", "userIds": ["U3", "U4"] },
    ]);
    rotation.put("/coverage", grid).is(200);
    // A part of Friday's turn is somebody else's already, and with it a part of Thursday's.
    for (user, day) in [("U1", "2026-01-08"), ("U2", "2026-01-09")] {
        let [from, to] = ["12:00Z", "13:00Z"].map(|time| format!("{day}T{time}"));
        rotation.assign(0, user, &from, &to);
    }
    let path = format!("/rotations/{}", rotation.id);
    let ada = Browser::signed_in(&rota, "U1");
    let page = ada.get(&format!("{path}/swap")).is(200).text();
    let (own, theirs) = (offered(&page, "own"), offered(&page, "theirs"));
    assert!(own.len() > 10 && theirs.len() > 10, "{own:?} {theirs:?}");
    let leg = |key: &str, value: &str| {
        let parts: Vec<&str> = value.split(' ').collect();
        json!({ "key": key, "cellId": parts[0], "from": parts[1], "to": parts[2], "holderUserId": parts[3] })
    };
    let caller = rotation.seen_by("U1");
    for mine in own.iter().take(3) {
        let named: Vec<&str> = mine.split(' ').collect();
        let link = format!("{path}/swap?cellId={}&from={}", named[0], named[1]);
        let page = ada.get(&link).is(200).text();
        assert_eq!(offered(&page, "own"), std::slice::from_ref(mine));
        let theirs = offered(&page, "theirs");
        assert!(theirs.len() > 10, "{theirs:?}");
        for other in &theirs {
            assert!(other.ends_with(" U2"), "{other}");
            let body =
                json!({ "recipientUserId": "U2", "legs": [leg("own", mine), leg("other", other)] });
            let preview = caller.request("swap-requests/preview", body).is(200).json();
            assert_eq!(preview["canProceed"], true, "{mine} {other}");
        }
    }
    for day in ["2026-01-08", "2026-01-09", "2026-01-10", "2026-01-11"] {
        let begins = format!("{day}T09:00:00Z");
        let mut all = own.iter().chain(&theirs);
        let found = all.find(|turn| turn.split(' ').nth(1) == Some(&begins));
        assert_eq!(found, None);
    }
    // Whoever has nobody to swap with is told.
    rotation.patch(json!({ "userIds": ["U1", "U3"] })).is(200);
    let page = ada.get(&format!("{path}/swap")).is(200).text();
    assert!(
        page.contains("can be swapped for one of somebody else"),
        "{page}"
    );
}
