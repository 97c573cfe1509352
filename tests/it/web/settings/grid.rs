//! Lanes, windows and skipped days, and what is shown before they are saved.

use super::{Browser, action, undo, world};
use crate::support::{Rot, always, daily, hours, weekdays, weekly};
use crate::web::attribute;
use serde_json::{Value, json};

/// The differences that a preview lists: from, until, now planned, then.
fn differences(page: &str) -> Vec<(String, String, Vec<String>, Vec<String>)> {
    let rows = page.split("<tr data-start").skip(1);
    let people = |cell: &str| -> Vec<String> {
        let links = cell.split("href=\"/people/").skip(1);
        let mut users: Vec<String> = links
            .map(|link| link.split('"').next().unwrap().to_owned())
            .collect();
        users.sort();
        users
    };
    rows.map(|row| {
        let tag = format!("<tr data-start{row}");
        let row = row.split("</tr>").next().unwrap();
        let (_, planned) = row.split_once("data-label=\"Now planned\"").unwrap();
        let (planned, then) = planned.split_once("data-label=\"Then\"").unwrap();
        (
            attribute(&tag, "data-start").unwrap(),
            attribute(&tag, "data-end").unwrap(),
            people(planned),
            people(then),
        )
    })
    .collect()
}

/// Whoever the record has at an instant, sorted.
fn recorded(rotation: &Rot, at: &str) -> Vec<String> {
    let at: jiff::Timestamp = at.parse().unwrap();
    let end = at + jiff::SignedDuration::from_secs(1);
    let found = rotation
        .get(&format!("/history?from={at}&to={end}"))
        .is(200)
        .json();
    let entries = found["data"].as_array().unwrap().iter();
    let mut users: Vec<String> = entries
        .filter_map(|entry| entry["userId"].as_str().map(str::to_owned))
        .collect();
    users.sort();
    users
}

/// The instant in the middle of two.
fn middle(from: &str, until: &str) -> String {
    let [from, until] = [from, until].map(|at| at.parse::<jiff::Timestamp>().unwrap());
    let half = until.duration_since(from) / 2;
    (from + half).to_string()
}

#[test]
fn the_grid_is_shown_in_words_and_drawn() {
    let rota = world();
    let rotation = rota.rotation("U1 U2");
    rotation.cover(
        2,
        &[hours(
            "Europe/Oslo",
            &weekdays("09:00", "17:00"),
            weekly("Europe/Oslo", "2026-01-05T09:00:00+01:00"),
        )],
    );
    let ada = Browser::signed_in(&rota, "U1");
    let page = ada.get(&action(&rotation, "grid")).is(200).text();
    for part in [
        "Monday, Tuesday, Wednesday, Thursday and Friday 09:00 to 17:00",
        "Every Monday at 09:00, Europe/Oslo time",
        "aria-label=\"Covered: Monday, Tuesday, Wednesday, Thursday and Friday 09:00 to 17:00\"",
        "class=\"a x126 w112\"",
        "2026-01-12T08:00:00Z",
        "2026-02-09T08:00:00Z",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(!page.contains(" style="), "{page}");
}

#[test]
fn what_is_shown_of_a_window_is_what_happens() {
    let rota = world();
    let rotation = rota.daily("U1 U2 U3", 1);
    let ada = Browser::signed_in(&rota, "U1");
    let window = rotation.read()["windows"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let to = action(&rotation, &format!("windows/{window}"));
    let fields = [
        ("cadence.type", "dayOfWeek"),
        ("cadence.startsAt", "2026-01-07T12:00"),
        ("cadence.timeZone", "UTC"),
        ("timeZone", "UTC"),
        ("covered", "some"),
        ("startDay", "monday"),
        ("startTime", "08:00"),
        ("endDay", "saturday"),
        ("endTime", "20:00"),
    ];
    let before = rotation.read();
    let page = ada.fill(&to, &to, &fields).is(200).text();
    assert_eq!(rotation.read(), before, "a preview changes nothing");
    assert!(
        page.contains("Every Wednesday at 12:00, UTC time"),
        "{page}"
    );
    let shown = differences(&page);
    assert!(shown.len() > 3, "{shown:?}");
    let form = format!("/rotations/{}/settings/windows/{window}", rotation.id);
    let answer = ada.fill_in(&page, &form, &[("confirmed", "true")]).is(303);
    assert!(ada.follow(&answer).contains(">Undo<"));
    rota.to("2026-01-19T08:00:00Z");
    for (from, until, planned, then) in shown {
        assert_ne!(planned, then);
        assert_eq!(recorded(&rotation, &middle(&from, &until)), then, "{from}");
    }
}

#[test]
fn a_window_is_added_undone_and_removed() {
    let rota = world();
    let rotation = rota.daily("U1 U2 U3", 1);
    let ada = Browser::signed_in(&rota, "U1");
    let to = action(&rotation, "windows/new");
    let fields = [
        ("name", "Nights & <weekends>"),
        ("covered", "some"),
        ("days", "saturday"),
        ("days", "sunday"),
        ("daysFrom", "20:00"),
        ("daysTo", "06:00"),
    ];
    let page = ada.fill(&to, &to, &fields).is(200).text();
    assert!(
        page.contains("Saturday 20:00 to Sunday 06:00; Sunday 20:00 to Monday 06:00"),
        "{page}"
    );
    let answer = ada.fill_in(&page, &to, &[("confirmed", "true")]).is(303);
    // Sent again there is still one.
    ada.fill_in(&page, &to, &[("confirmed", "true")]).is(303);
    let after = rotation.read();
    assert_eq!(after["windows"].as_array().unwrap().len(), 2);
    assert_eq!(after["windows"][1]["name"], "Nights & <weekends>");
    assert_eq!(after["windows"][1]["coverage"][1]["endDay"], "monday");
    let page = ada.follow(&answer);
    assert!(page.contains("Nights &amp; &lt;weekends&gt;"), "{page}");
    undo(&ada, &rotation, &page);
    assert_eq!(rotation.read()["windows"].as_array().unwrap().len(), 1);
    // Added again and removed for good.
    let page = ada.fill(&to, &to, &fields).is(200).text();
    ada.fill_in(&page, &to, &[("confirmed", "true")]).is(303);
    let id = rotation.read()["windows"][1]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let to = action(&rotation, &format!("windows/{id}"));
    let page = ada.fill(&to, &to, &[("step", "remove")]).is(200).text();
    let answer = ada.fill_in(&page, &to, &[("confirmed", "true")]).is(303);
    assert!(!ada.follow(&answer).contains(">Undo<"));
    assert_eq!(rotation.read()["windows"].as_array().unwrap().len(), 1);
    ada.get(&to).is(404);
}

#[test]
fn what_is_wrong_with_a_window_is_linked_and_kept() {
    let rota = world();
    let rotation = rota.daily("U1 U2", 1);
    let ada = Browser::signed_in(&rota, "U1");
    let window = rotation.read()["windows"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let to = action(&rotation, &format!("windows/{window}"));
    let cases: [(&[(&str, &str)], &str); 7] = [
        (&[("cadence.period", "0")], "f-cadence.period"),
        (&[("cadence.startsAt", "soon")], "f-cadence.startsAt"),
        (&[("cadence.times", "9 o'clock")], "f-cadence.times"),
        (
            &[("cadence.skipWeekends", "true")],
            "f-cadence.countryCodes",
        ),
        (&[("covered", "some")], "f-days"),
        (&[("covered", "some"), ("startDay", "monday")], "f-coverage"),
        (&[("covered", "some"), ("days", "monday")], "f-daysFrom"),
    ];
    for (fields, field) in cases {
        let mut sent = vec![("name", "typed <here>")];
        sent.extend_from_slice(fields);
        let page = ada.fill(&to, &to, &sent).is(400).text();
        assert!(
            page.contains(&format!("href=\"#{field}\"")),
            "{field}: {page}"
        );
        assert!(page.contains(&format!("id=\"{field}\"")), "{field}");
        assert!(page.contains("value=\"typed &lt;here&gt;\""), "{page}");
    }
    // More lines keep what was typed; so does going back from the preview.
    let page = ada
        .fill(&to, &to, &[("name", "typed"), ("more", "true")])
        .is(200)
        .text();
    assert!(
        page.contains("value=\"typed\"") && page.contains("f-startDay-5"),
        "{page}"
    );
    let page = ada.fill(&to, &to, &[("name", "typed")]).is(200).text();
    let page = ada.fill_in(&page, &to, &[("edit", "true")]).is(200).text();
    assert!(
        page.contains("value=\"typed\"") && page.contains("The week, as covered"),
        "{page}"
    );
}

#[test]
fn the_form_of_hours_has_what_is_stored_and_shows_what_it_leads_to() {
    let rota = world();
    let rotation = rota.rotation("U1 U2 U3");
    let desk = hours("UTC", &weekdays("08:00", "18:00"), daily());
    rotation.cover(1, &[desk]);
    let ada = Browser::signed_in(&rota, "U1");
    let window = rotation.read()["windows"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let to = action(&rotation, &format!("windows/{window}"));
    let page = ada.get(&to).is(200).text();
    // The same hours on some days are days and two times; nothing is asked line by line.
    for part in [
        "name=\"covered\" value=\"some\" checked",
        "name=\"days\" value=\"friday\" checked",
        "name=\"daysFrom\" value=\"08:00\"",
        "name=\"daysTo\" value=\"18:00\"",
        "The next five hand-overs",
        "from <bdi>Person U1</bdi>",
        "class=\"a x112 w140\"",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(!page.contains("name=\"days\" value=\"sunday\" checked"));
    assert!(!page.contains("What saving changes"), "{page}");
    let before = rotation.read();
    // Saved as it is, nothing changes.
    let same = ada.fill(&to, &to, &[("step", "look")]).is(200).text();
    assert!(same.contains("Nobody’s turn changes"), "{same}");
    let fields = [("step", "show"), ("daysTo", "12:00"), ("name", "Desk")];
    let shown = ada.fill(&to, &to, &fields).is(200).text();
    for part in [
        "What saving changes",
        "value=\"12:00\"",
        "value=\"Desk\"",
        "class=\"a x112 w56\"",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(!differences(&shown).is_empty(), "{shown}");
    assert_eq!(rotation.read(), before, "a look changes nothing");
    // Saved as it was shown, it is not asked for again; with other values it is.
    let other = [("step", "look"), ("daysTo", "13:00")];
    let other = ada.fill_in(&shown, &to, &other).is(200).text();
    assert!(other.contains("What would change"), "{other}");
    ada.fill_in(&shown, &to, &[("step", "look")]).is(303);
    assert_eq!(rotation.read()["windows"][0]["name"], "Desk");
    // All hours, whatever else is typed.
    let page = ada
        .fill(&to, &to, &[("covered", "all"), ("step", "look")])
        .is(200)
        .text();
    ada.fill_in(&page, &to, &[("confirmed", "true")]).is(303);
    assert_eq!(rotation.read()["windows"][0]["coverage"], json!([]));
}

#[test]
fn a_local_time_that_the_clocks_skip_is_said() {
    let rota = world();
    let rotation = rota.daily("U1 U2", 1);
    let ada = Browser::signed_in(&rota, "U1");
    let to = action(&rotation, "windows/new");
    let fields = [
        ("cadence.timeZone", "Europe/Oslo"),
        ("cadence.startsAt", "2026-03-29T02:30"),
    ];
    let page = ada.fill(&to, &to, &fields).is(200).text();
    assert!(page.contains("2026-03-29T01:30:00Z"), "{page}");
}

#[test]
fn by_hand_and_back_is_for_all_windows() {
    let rota = world();
    let rotation = rota.rotation("U1 U2");
    let ada = Browser::signed_in(&rota, "U1");
    let window = rotation.read()["windows"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let to = action(&rotation, &format!("windows/{window}"));
    let save = |to: &str, fields: &[(&str, &str)]| {
        let page = ada.fill(to, to, fields).is(200).text();
        let answer = ada.fill_in(&page, to, &[("confirmed", "true")]).is(303);
        ada.follow(&answer)
    };
    let timed = [
        ("cadence.type", "daily"),
        ("cadence.times", "09:00, 21:00"),
        ("cadence.timeZone", "UTC"),
    ];
    save(&to, &timed);
    assert_eq!(rotation.read()["mode"], "auto");
    assert_eq!(
        rotation.read()["windows"][0]["cadence"]["times"],
        json!(["09:00", "21:00"])
    );
    save(&action(&rotation, "windows/new"), &[]);
    let page = save(&to, &[("cadence.type", "manual")]);
    assert_eq!(rotation.read()["mode"], "manual");
    undo(&ada, &rotation, &page);
    assert_eq!(rotation.read()["mode"], "auto");
    assert_eq!(rotation.read()["windows"].as_array().unwrap().len(), 2);
}

#[test]
fn lanes_are_added_named_moved_and_removed() {
    let rota = world();
    let rotation = rota.daily("U1 U2 U3", 1);
    let ada = Browser::signed_in(&rota, "U1");
    let to = action(&rotation, "grid");
    let save = |fields: &[(&str, &str)]| {
        let page = ada.fill(&to, &to, fields).is(200).text();
        let answer = ada.fill_in(&page, &to, &[("confirmed", "true")]).is(303);
        (page, ada.follow(&answer))
    };
    let names = || -> Vec<Value> {
        let lanes = rotation.read()["lanes"].as_array().unwrap().clone();
        lanes.iter().map(|lane| lane["name"].clone()).collect()
    };
    let (looked, page) = save(&[("step", "add"), ("lanes.name", "Second <2>")]);
    let shown = differences(&looked);
    assert_eq!(
        (shown[0].2.len(), shown[0].3.as_slice()),
        (0, &["U2".to_owned()][..]),
        "{shown:?}"
    );
    assert_eq!(rotation.on_call(), "U1 U2");
    assert!(page.contains("Second &lt;2&gt;"), "{page}");
    undo(&ada, &rotation, &page);
    assert_eq!(rotation.on_call(), "U1");
    save(&[("step", "add"), ("lanes.name", "Second")]);
    let (looked, _) = save(&[("step", "names"), ("lanes[0].name", "First")]);
    assert!(looked.contains("Nobody’s turn changes"), "{looked}");
    assert_eq!(names(), [json!("First"), json!("Second")]);
    let second = rotation.read()["lanes"][1]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    save(&[("step", &format!("up {second}"))]);
    assert_eq!(names(), [json!("Second"), json!("First")]);
    let long = "x".repeat(201);
    let page = ada
        .fill(&to, &to, &[("step", "names"), ("lanes[1].name", &long)])
        .is(400)
        .text();
    assert!(
        page.contains("href=\"#f-lanes[1].name\"") && page.contains(&long),
        "{page}"
    );
    save(&[("step", &format!("remove {second}"))]);
    assert_eq!(rotation.read()["lanes"].as_array().unwrap().len(), 1);
}

#[test]
fn what_the_plan_does_not_include_is_said() {
    let rota = world();
    let rotation = rota.daily("U1 U2 U3", 1);
    rota.plan("free");
    let ada = Browser::signed_in(&rota, "U1");
    let to = action(&rotation, "grid");
    let fields = [("step", "add"), ("lanes.name", "kept")];
    let page = ada.fill(&to, &to, &fields).is(402).text();
    assert!(
        page.contains("id=\"errors\"") && page.contains("value=\"kept\""),
        "{page}"
    );
}

#[test]
fn changed_between_the_form_and_saving() {
    let rota = world();
    let rotation = rota.daily("U1 U2 U3", 1);
    let ada = Browser::signed_in(&rota, "U1");
    let to = action(&rotation, "grid");
    let open = ada.get(&to).is(200).text();
    let looked = ada.fill_in(&open, &to, &[("step", "add")]).is(200).text();
    rotation.rotate();
    ada.fill_in(&open, &to, &[("step", "add")]).is(412);
    let changed = ada
        .fill_in(&looked, &to, &[("confirmed", "true")])
        .is(412)
        .text();
    assert!(changed.contains("Person U2"), "{changed}");
    assert_eq!(rotation.read()["lanes"].as_array().unwrap().len(), 1);
    ada.fill_in(&changed, &to, &[]).is(303);
    assert_eq!(rotation.read()["lanes"].as_array().unwrap().len(), 2);
}

#[test]
fn one_person_in_two_places() {
    let rota = world();
    let rotation = rota.rotation("U1");
    rotation.cover(2, &[always(daily())]);
    let ada = Browser::signed_in(&rota, "U1");
    let to = action(&rotation, "grid");
    assert_eq!(rotation.on_call(), "U1");
    let answer = ada
        .fill(&to, &to, &[("step", "double"), ("doubleCover", "true")])
        .is(303);
    assert_eq!(rotation.on_call(), "U1 U1");
    undo(&ada, &rotation, &ada.follow(&answer));
    assert_eq!(rotation.read()["doubleCover"], false);
}

#[test]
fn skipped_days_are_listed_and_become_off_time() {
    let rota = world();
    let rotation = rota.rotation("U1 U2");
    let mut cadence = daily();
    cadence["skipWeekends"] = json!(true);
    cadence["skipNationalHolidays"] = json!(true);
    cadence["countryCodes"] = json!(["NO"]);
    rotation.cover(1, &[always(cadence)]);
    let ada = Browser::signed_in(&rota, "U1");
    let to = action(&rotation, "skips");
    let page = ada.get(&to).is(200).text();
    assert!(
        page.contains("a weekend or a public holiday of NO") && page.contains("2026-04-02"),
        "{page}"
    );
    let looked = ada
        .fill(&to, &to, &[("skipsAreOffTime", "true")])
        .is(200)
        .text();
    let shown = differences(&looked);
    assert_eq!(shown[0].0, "2026-01-10T00:00:00Z", "{shown:?}");
    assert!(
        shown
            .iter()
            .all(|(_, _, planned, then)| planned.len() == 1 && then.is_empty()),
        "{shown:?}"
    );
    let answer = ada.fill_in(&looked, &to, &[("confirmed", "true")]).is(303);
    assert_eq!(rotation.read()["skipsAreOffTime"], true);
    let page = ada.follow(&answer);
    undo(&ada, &rotation, &page);
    assert_eq!(rotation.read()["skipsAreOffTime"], false);
    ada.fill_in(
        &ada.fill(&to, &to, &[("skipsAreOffTime", "true")])
            .is(200)
            .text(),
        &to,
        &[("confirmed", "true")],
    )
    .is(303);
    rota.to("2026-01-17T12:00:00Z");
    for (from, until, _, then) in shown.iter().filter(|one| one.0.as_str() < "2026-01-17") {
        assert_eq!(recorded(&rotation, &middle(from, until)), *then, "{from}");
    }
}
