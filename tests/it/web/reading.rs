//! What the pages show.

use super::{Browser, turns};
use crate::support::{Rota, Start, always, daily, hours, weekdays};
use serde_json::json;

#[test]
fn the_first_page_says_who_is_on_call_and_who_follows() {
    let rota = Rota::with_people(3);
    rota.daily("U1 U2 U3", 1);
    let ada = Browser::signed_in(&rota, "U1");
    let page = ada.get("/").is(200).text();
    let row = page
        .split("<article")
        .find(|row| row.contains("data-rotation"))
        .expect("a card");
    let row = row.split("</article>").next().unwrap_or_default();
    let (on, then) = (
        row.find("Person U1").expect("on call"),
        row.find("Person U2").expect("follows"),
    );
    assert!(on < then && row.contains("until tomorrow 10:00"), "{row}");
    assert!(
        page.contains("You are on call for Rotation until"),
        "my card"
    );
    let bob = Browser::signed_in(&rota, "U2").get("/").text();
    assert!(bob.contains("You are off until tomorrow 10:00"), "{bob}");
}

#[test]
fn whoever_is_away_and_still_on_call_is_named_with_the_hours() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let quiet = Browser::signed_in(&rota, "U2").get("/").is(200).text();
    assert!(quiet.contains("Nothing to worry about"), "{quiet}");
    // The turn that runs goes on; the next one passes over them.
    rotation.away("U1", "2026-01-05T12:00Z", "2026-01-09T00:00Z");
    for (user, page) in [("U1", "cover"), ("U3", "assign")] {
        rotation.patch(json!({ "owners": ["U3"] })).is(200);
        let reader = Browser::signed_in(&rota, user);
        let home = reader.get("/").is(200).text();
        let problems = &home[home.find("id=\"problems\"").expect("the problems")..];
        assert_eq!(
            problems.matches("is away and still on call").count(),
            1,
            "{problems}"
        );
        for instant in ["2026-01-05T12:00:00Z", "2026-01-06T09:00:00Z"] {
            assert!(problems.contains(instant), "{instant} in {problems}");
        }
        let form = format!("?do={page}&amp;");
        assert!(problems.contains(&form), "{form} in {problems}");
    }
    let reader = Browser::signed_in(&rota, "U2");
    let page = reader.get(&format!("/rotations/{}", rotation.id)).text();
    let problems = &page[page.find("id=\"problems\"").expect("the problems")..];
    assert_eq!(
        problems.matches("away and still on call").count(),
        1,
        "{problems}"
    );
    // The drawing has a row of its own for whoever is away.
    assert!(page.contains("class=\"bar away p"), "{page}");
}

#[test]
fn gaps_are_listed_with_what_fills_them() {
    let rota = Rota::with_people(2);
    let rotation = rota.rotation("U1 U2");
    rotation.cover(1, &[hours("UTC", &weekdays("09:00", "17:00"), daily())]);
    let away = |user: &str| json!({ "userId": user, "from": "2026-01-06T00:00:00Z", "until": "2026-01-07T00:00:00Z" });
    for user in ["U1", "U2"] {
        rota.post(
            &format!("/v1/rotations/{}/availability", rotation.id),
            away(user),
        )
        .ok();
    }
    let ada = Browser::signed_in(&rota, "U1");
    let page = ada.get("/").is(200).text();
    let at = page.find("id=\"problems\"").expect("the problems");
    let gaps = &page[at..];
    assert!(
        gaps.contains("2026-01-06T09:00:00Z")
            && !gaps.contains("?do=take&amp;from=2026-01-07T09:00:00Z"),
        "{gaps}"
    );
    let fill = gaps
        .split("href=\"")
        .find(|link| link.contains("?do=assign&amp;"))
        .expect("Find somebody")
        .split('"')
        .next()
        .unwrap();
    let form = ada.get(&fill.replace("&amp;", "&")).is(200).text();
    assert!(
        form.contains("value=\"2026-01-06T10:00\"") && form.contains("value=\"2026-01-06T18:00\""),
        "{form}"
    );
    // Other members may take it, and give it to nobody else.
    let bob = Browser::signed_in(&rota, "U2").get("/").text();
    assert!(
        !bob.contains("do=assign") && bob.contains("do=take"),
        "{bob}"
    );
}

#[test]
fn empty_states_say_the_next_step() {
    let rota = Start::default().go();
    assert!(
        Browser::of(&rota)
            .get("/login")
            .is(200)
            .text()
            .contains("rota login-link")
    );
    rota.people(1);
    let ada = Browser::signed_in(&rota, "U1");
    assert!(ada.get("/").text().contains("no rotation that you may see"));
    assert!(ada.get("/requests").is(200).text().contains("Nobody waits"));
    let manual = rota.rotation("U1");
    let page = ada.get(&format!("/rotations/{}", manual.id)).is(200).text();
    assert!(page.contains("nobody hands over by itself"), "{page}");
}

#[test]
fn the_timeline_has_each_turn_of_the_days() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let ada = Browser::signed_in(&rota, "U1");
    let path = format!("/rotations/{}", rotation.id);
    for (query, first, count) in [
        ("?from=2026-01-06&span=1d", "2026-01-05T08:00:00Z U1", 2),
        ("?from=2026-01-06&span=7d", "2026-01-05T08:00:00Z U1", 8),
        (
            "?from=2026-01-06T09:00:00Z&span=7d",
            "2026-01-05T08:00:00Z U1",
            8,
        ),
        ("", "2026-01-05T08:00:00Z U1", 14),
    ] {
        let page = ada.get(&format!("{path}{query}")).is(200).text();
        let shown = turns(&page);
        assert_eq!(
            (shown[0].as_str(), shown.len()),
            (first, count),
            "{query}: {shown:?}"
        );
    }
    let long = ada.get(&format!("{path}?span=28d")).is(200);
    assert!(long.text().len() < 60_000, "{}", long.text().len());
}

#[test]
fn the_past_is_the_record() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    rota.to("2026-01-08T12:00Z");
    let ada = Browser::signed_in(&rota, "U1");
    let path = format!("/rotations/{}", rotation.id);
    let shown = turns(&ada.get(&format!("{path}?from=2026-01-05&span=7d")).text());
    let begins = [
        "2026-01-05T08:00:00Z U1",
        "2026-01-06T09:00:00Z U2",
        "2026-01-07T09:00:00Z U3",
        "2026-01-08T09:00:00Z U1",
        "2026-01-09T09:00:00Z U2",
    ];
    for expected in begins {
        assert!(
            shown.contains(&expected.to_owned()),
            "{expected}: {shown:?}"
        );
    }
    let page = ada
        .get(&format!("{path}/history?at=2026-01-07T03:12"))
        .is(200)
        .text();
    let then = page
        .split("id=\"then\"")
        .nth(1)
        .expect("the instant")
        .split("</section>")
        .next()
        .unwrap();
    assert!(then.contains("Person U2"), "{then}");
    let csv = ada.get(&format!("{path}/history?format=csv")).is(200);
    assert_eq!(csv.header("content-type"), Some("text/csv; charset=utf-8"));
    assert!(
        csv.text()
            .starts_with("start,end,lane,window,userId,name,reason\r\n")
    );
    let shift = format!(
        "{path}/shifts/{}/2026-01-06T09:00:00Z",
        super::attribute(&page, "data-cell").expect("a cell")
    );
    let page = ada.get(&shift).is(200).text();
    assert!(
        page.contains("Person U2") && page.contains("The planned hand-over"),
        "{page}"
    );
    for wrong in [
        "/shifts/cel_none/2026-01-06T09:00:00Z",
        "/shifts/cel_none/never",
    ] {
        ada.get(&format!("{path}{wrong}")).is(404);
    }
}

#[test]
fn lists_are_searched() {
    let rota = Rota::with_people(3);
    for name in ["Alpha", "Beta"] {
        let mut body = crate::support::new_rotation("U1");
        body["name"] = json!(name);
        body["code"] = json!(name);
        rota.create(body).cover(1, &[always(daily())]);
    }
    let ada = Browser::signed_in(&rota, "U1");
    let page = ada.get("/rotations?q=alp").is(200).text();
    assert!(page.contains("/rotations/ALPHA") && !page.contains("/rotations/BETA"));
    assert!(
        ada.get("/rotations?q=gamma")
            .is(200)
            .text()
            .contains("No rotation matches")
    );
    ada.get("/rotations/alpha").is(200);
    let page = ada.get("/people?q=u2").is(200).text();
    assert!(page.contains("Person U2") && !page.contains("Person U3"));
    let page = ada.get("/people/U2").is(200).text();
    assert!(page.contains("u2@example.com"));
    ada.get("/people/U9").is(404);
}

#[test]
fn every_turn_says_why() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    rotation.away("U2", "2026-01-06T00:00Z", "2026-01-07T00:00Z");
    let ada = Browser::signed_in(&rota, "U3");
    let path = format!("/rotations/{}", rotation.id);
    let links = |page: &str| -> Vec<String> {
        let page = ada.get(page).is(200).text();
        let links = page.split("href=\"").skip(1);
        let links = links.filter_map(|rest| rest.split('"').next());
        let why = links.filter(|link| link.contains("/why?at="));
        why.map(|link| link.replace("&amp;", "&")).collect()
    };
    // Of each turn the reader sees why, and may ask for more.
    let shown = ada.get(&path).is(200).text();
    let bar = shown
        .split("<li class=\"bar")
        .find(|bar| bar.contains("data-start=\"2026-01-06T09:00:00Z\""));
    let turn = super::attribute(bar.expect("a bar"), "href").expect("a link");
    let told = ada.get(&turn).is(200).text();
    assert!(
        told.contains("Person U2 is away") && told.contains("So: Person U3"),
        "{told}"
    );
    for page in [turn.as_str(), "/me"] {
        let tomorrow = links(page);
        let tomorrow = tomorrow.iter().find(|link| link.contains("2026-01-06T09"));
        let page = ada.get(tomorrow.expect("a link")).is(200).text();
        assert!(page.contains("Person U3 takes the turn."), "{page}");
        assert!(page.contains("Person U2 is absent from"), "{page}");
    }
    // Now, without an instant, and instants of which nothing is known.
    let now = ada.get(&format!("{path}/why")).is(200).text();
    assert!(now.contains("Person U1"), "{now}");
    for at in ["2020-01-01T00:00", "2030-01-01T00:00", "soon"] {
        let page = ada.get(&format!("{path}/why?at={at}")).is(200).text();
        assert!(
            page.contains("Nothing can be said") || at == "soon",
            "{page}"
        );
    }
    ada.get(&format!("{path}/why?cell=cel_x")).is(404);
    let outside = Browser::signed_in(&rota, "U1");
    outside.get(&format!("{path}/why")).is(200);
}

#[test]
fn turns_of_less_than_a_second_are_not_shown() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    rota.to("2026-01-05T10:00:00Z");
    rotation.put_on_call("U2").is(200);
    rota.to("2026-01-05T10:00:00.300Z");
    rotation.put_on_call("U3").is(200);
    rota.to("2026-01-05T11:00:00Z");
    let ada = Browser::signed_in(&rota, "U1");
    let page = ada
        .get(&format!("/rotations/{}/history", rotation.id))
        .is(200)
        .text();
    for (user, shown) in [("U1", true), ("U2", false), ("U3", true)] {
        let row = format!("data-user=\"{user}\"");
        assert_eq!(page.contains(&row), shown, "{user}");
    }
    assert!(!page.contains("Nobody"), "{page}");
}

#[test]
fn telephone_numbers_are_for_those_whom_the_api_tells_them() {
    let rota = Start::default().go();
    let mut file = crate::support::directory(3);
    file["users"][2]["isAdmin"] = json!(true);
    rota.import(&file);
    let rotation = rota.daily("U1 U2", 1);
    let phone = json!({ "phone": "+4722334455" });
    rota.caller().patch_if("/v1/users/U1", "*", phone).is(200);
    let path = format!(
        "/rotations/{}/shifts/{}/2026-01-05T12:00:00Z",
        rotation.id,
        rotation.place(0)
    );
    let seen = |user: &str| Browser::signed_in(&rota, user).get(&path).is(200).text();
    assert!(seen("U3").contains("tel:+4722334455"));
    assert!(!seen("U2").contains("4722334455"));
}

#[test]
fn the_plan_beneath_covers_is_shown_by_a_box() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let path = format!("/rotations/{}", rotation.id);
    let ada = Browser::signed_in(&rota, "U1");
    assert!(!ada.get(&path).is(200).text().contains("name=\"plan\""));
    // U2 has the day from Tuesday on, and U3 some hours of it.
    rotation.assign_at(0, "U3", "06T12 06T18");
    let page = ada.get(&path).is(200).text();
    assert!(page.contains("name=\"plan\"") && !page.contains("Planned: "));
    let page = ada.get(&format!("{path}?plan=true")).is(200).text();
    let planned = "Planned: Person U2, Tue 6 Jan 10:00 to Wed 7 Jan 10:00";
    assert!(page.contains(planned), "{page}");
    assert_eq!(page.matches("as planned\"").count(), 1, "{page}");
}
