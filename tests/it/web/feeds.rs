//! Calendar feeds: made by the API and on the pages, read by calendar programs at a secret address.

use super::{Browser, with_admin};
use crate::support::*;
use serde_json::{Value, json};

/// An event of a feed: `01-05T09:00 01-06T09:00 Duty: Ops`.
fn events(feed: &str) -> Vec<String> {
    let unfolded = feed.replace("\r\n ", "");
    let event = |text: &str| {
        let value = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name));
            line.unwrap_or_else(|| panic!("no {name} in {text}"))
                .to_owned()
        };
        let time = |text: String| {
            format!(
                "{}-{}T{}:{}",
                &text[4..6],
                &text[6..8],
                &text[9..11],
                &text[11..13]
            )
        };
        let (start, end) = (time(value("DTSTART:")), time(value("DTEND:")));
        format!("{start} {end} {}", value("SUMMARY:"))
    };
    unfolded
        .split("BEGIN:VEVENT\r\n")
        .skip(1)
        .map(event)
        .collect()
}

/// The only value that lines of a name have.
#[track_caller]
fn only(feed: &str, name: &str) -> String {
    let mut values: Vec<&str> = feed
        .lines()
        .filter_map(|line| line.strip_prefix(name))
        .collect();
    values.dedup();
    assert_eq!(values.len(), 1, "{name} {values:?}");
    values[0].to_owned()
}

#[track_caller]
fn make(caller: &Caller, body: Value) -> Value {
    caller.post("/v1/calendar-feeds", body).is(201).json()
}

/// The path of a feed's address.
#[track_caller]
fn path_of(rota: &Rota, made: &Value) -> String {
    let url = text(&made["url"]);
    let path = url.strip_prefix(&rota.url).expect("our address");
    let webcal = rota.url.replace("http://", "webcal://");
    assert_eq!(text(&made["webcalUrl"]), format!("{webcal}{path}"));
    assert!(path.starts_with("/calendar/") && path.ends_with(".ics"));
    path.to_owned()
}

#[track_caller]
fn read(rota: &Rota, path: &str) -> String {
    let answer = rota.anyone().get(path).is(200);
    assert_eq!(
        answer.header("content-type"),
        Some("text/calendar; charset=utf-8")
    );
    answer.text()
}

#[test]
fn a_person_has_their_turns_as_held_and_as_planned() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    rotation.patch(json!({ "name": "Ops" })).is(200);
    rota.to("2026-01-09T12:00Z");
    let own = rota.with(&rota.token("U2"));
    let path = path_of(&rota, &make(&own, json!({ "userId": "U2" })));
    let feed = read(&rota, &path);
    let found = events(&feed);
    let planned = rotation.planned("09 31");
    let theirs = planned.iter().filter(|line| line.starts_with("U2")).count();
    assert!(theirs > 5 && found.len() > theirs, "{found:?}");
    assert!(
        found.contains(&"01-06T09:00 01-07T09:00 Duty: Ops".to_owned()),
        "{found:?}"
    );
    assert!(found.iter().all(|line| line.ends_with(" Duty: Ops")));
    assert!(
        found.last().unwrap().as_str() > "07-0",
        "{:?}",
        found.last()
    );
    let unfolded = feed.replace("\r\n ", "");
    for line in [
        "VERSION:2.0",
        "X-WR-CALNAME:Duty",
        "NAME:Duty",
        "REFRESH-INTERVAL;VALUE=DURATION:PT1H",
        "X-PUBLISHED-TTL:PT1H",
        "TRANSP:TRANSPARENT",
        &format!("URL:{}/rotations/{}", rota.url, rotation.id),
    ] {
        assert!(unfolded.contains(&format!("\r\n{line}\r\n")), "{line}");
    }
    assert!(!feed.contains("VALARM"));
    let rest = feed.replace("\r\n", "");
    assert!(!rest.contains(['\r', '\n']));
    // A feed of one rotation alone, with alarms and a name.
    let body =
        json!({ "userId": "U2", "rotationId": rotation.id, "name": "a;b,c", "alarms": [0, 30] });
    let one = path_of(&rota, &make(&own, body));
    let one = read(&rota, &one);
    assert_eq!(events(&one), found);
    assert!(one.contains("\r\nX-WR-CALNAME:a\\;b\\,c\r\n"), "{one}");
    assert_eq!(one.matches("TRIGGER:-PT30M\r\n").count(), found.len());
    assert_eq!(one.matches("TRIGGER:-PT0M\r\n").count(), found.len());
}

#[test]
fn a_cover_is_in_the_calendar_of_whoever_covers() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    rotation.patch(json!({ "name": "Ops" })).is(200);
    let feed = |user: &str| {
        let made = make(&rota.with(&rota.token(user)), json!({ "userId": user }));
        path_of(&rota, &made)
    };
    let (asks, covers) = (feed("U3"), feed("U2"));
    let has = |path: &str, event: &str| {
        let found = events(&read(&rota, path));
        found.contains(&format!("{event} Duty: Ops"))
    };
    let turn = "01-07T09:00 01-08T09:00";
    assert!(has(&asks, turn) && !has(&covers, turn));
    let asked = rotation.ask_cover("U3", "07 08", "U2");
    assert!(has(&asks, turn) && !has(&covers, turn));
    asked.accepted_by("U2");
    assert!(!has(&asks, turn) && has(&covers, turn));
    // It stays there as it was held.
    rota.to("2026-01-20T12:00Z");
    assert!(!has(&asks, turn) && has(&covers, turn));
}

#[test]
fn a_rotation_names_people_lanes_covers_and_vacancies() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 2);
    let grid = rotation.grid(2, &[always(daily())]);
    let mut named = grid.clone();
    named["lanes"][0]["name"] = json!("primary");
    named["lanes"][1]["name"] = json!("backup");
    rotation.put("/coverage", named).is(200);
    rotation
        .patch(json!({ "name": "Ops, \n;\\ <b>" }))
        .refused(400, "invalid_request");
    rotation.patch(json!({ "name": "Ops, ;\\ <b>" })).is(200);
    rota.to("2026-01-06T12:00Z");
    let (from, to) = ("2026-01-10T10:00Z", "2026-01-10T12:00Z");
    // Whoever is not in the other lane then.
    let free = ["U1", "U2", "U3"]
        .into_iter()
        .find(|user| rotation.try_assign(0, user, from, to).status() < 300)
        .expect("somebody");
    let made = make(&rota.caller(), json!({ "rotationId": rotation.id }));
    let path = path_of(&rota, &made);
    let found = events(&read(&rota, &path));
    let name = "Ops\\, \\;\\\\ <b>";
    let covered = format!("01-10T10:00 01-10T12:00 Person {free}: {name} (primary)");
    assert!(found.contains(&covered), "{found:?}");
    assert!(found.iter().any(|line| line.ends_with("(backup)")));
    rotation.clear().is(200);
    let found = events(&read(&rota, &path));
    let vacant = format!("01-06T12:00 01-07T09:00 Nobody on call: {name} (primary)");
    assert!(found.contains(&vacant), "{found:?}");
    let own = make(&rota.with(&rota.token("U1")), json!({ "userId": "U1" }));
    let own = read(&rota, &path_of(&rota, &own));
    assert!(!own.contains("Nobody"));
}

#[test]
fn a_turn_cut_by_hours_is_an_event_a_stretch() {
    let rota = Rota::with_people(2);
    let rotation = rota.rotation("U1 U2");
    let week = hours(
        "UTC",
        &weekdays("09:00", "17:00"),
        weekly("UTC", "2026-01-12T09:00"),
    );
    rotation.cover(1, &[week]);
    rotation.patch(json!({ "name": "Desk" })).is(200);
    rota.to("2026-01-13T12:00Z");
    let user = text(&rotation.get("/on-call").json()["onCall"][0]["userId"]).to_owned();
    let made = make(&rota.with(&rota.token(&user)), json!({ "userId": user }));
    let found = events(&read(&rota, &path_of(&rota, &made)));
    for day in 12..=16 {
        let event = format!("01-{day}T09:00 01-{day}T17:00 Duty: Desk");
        assert!(found.contains(&event), "{event}: {found:?}");
    }
    let all = make(&rota.caller(), json!({ "rotationId": rotation.id }));
    let path = path_of(&rota, &all);
    assert!(!read(&rota, &path).contains("Nobody"));
    rotation.clear().is(200);
    let found = events(&read(&rota, &path));
    let vacant: Vec<&String> = found
        .iter()
        .filter(|line| line.contains("Nobody"))
        .collect();
    assert_eq!(
        vacant,
        ["01-13T12:00 01-13T17:00 Nobody on call: Desk"],
        "the next opening fills the slot"
    );
}

/// rules.md 20.3.
#[test]
fn equal_validators_are_equal_bytes_and_changes_count_up() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    rota.to("2026-01-06T10:00Z");
    let made = make(&rota.caller(), json!({ "rotationId": rotation.id }));
    let path = path_of(&rota, &made);
    let whole = rota.anyone().get(&path).is(200);
    assert_eq!(whole.header("cache-control"), Some("private, no-cache"));
    assert_eq!(whole.header("referrer-policy"), Some("no-referrer"));
    assert_eq!(whole.header("x-robots-tag"), Some("noindex"));
    let (tag, body) = (whole.etag(), whole.text());
    rota.advance(3600);
    let again = rota.anyone().get(&path).is(200);
    assert_eq!((again.etag(), again.text()), (tag.clone(), body.clone()));
    let conditional = |tag: &str| {
        let request = rota.anyone().request("GET", &path);
        request.header("If-None-Match", tag).send()
    };
    let unchanged = conditional(&tag).is(304);
    assert_eq!(
        (unchanged.etag(), unchanged.text()),
        (tag.clone(), "".into())
    );
    let head = rota.anyone().request("HEAD", &path).send().is(200);
    assert_eq!((head.etag(), head.text()), (tag.clone(), "".into()));
    assert_eq!(only(&body, "SEQUENCE:"), "0");
    let uid = |feed: &str| {
        let lines = feed.lines().filter(|line| line.starts_with("UID:"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    // An absence changes the plan and not the version of the rotation.
    let absence = rotation.away("U3", "2026-01-07T00:00Z", "2026-01-08T00:00Z");
    let changed = conditional(&tag).is(200);
    let after = changed.text();
    assert_eq!(only(&after, "SEQUENCE:"), "1");
    assert!(only(&after, "LAST-MODIFIED:") > only(&body, "LAST-MODIFIED:"));
    assert_eq!(only(&after, "DTSTAMP:"), only(&after, "LAST-MODIFIED:"));
    assert_eq!(uid(&after), uid(&body));
    assert_ne!(events(&after), events(&body));
    rotation.back(&absence);
    let back = conditional(&changed.etag()).is(200).text();
    assert_eq!(only(&back, "SEQUENCE:"), "2");
    assert_eq!(events(&back), events(&body));
    // The next day another span is shown.
    rota.to("2026-01-07T00:30Z");
    let next = conditional(&tag).is(200);
    assert!(events(&next.text()).len() > events(&body).len());
}

/// rules.md 20.3.
#[test]
fn an_event_whose_end_moves_with_the_day_is_a_newer_one() {
    let rota = Rota::with_people(2);
    let rotation = rota.rotation("U1 U2");
    rotation.put_on_call("U1").is(200);
    let made = make(&rota.caller(), json!({ "rotationId": rotation.id }));
    let path = path_of(&rota, &made);
    let before = rota.anyone().get(&path).is(200);
    rota.to("2026-01-06T12:00Z");
    let after = rota.anyone().get(&path).is(200);
    let of = |answer: &Answer| {
        let text = answer.text();
        let line = |name: &str| only(&text, name);
        (
            line("UID:"),
            line("SEQUENCE:"),
            line("LAST-MODIFIED:"),
            line("DTEND:"),
        )
    };
    let ((uid, sequence, modified, end), now) = (of(&before), of(&after));
    assert_eq!((uid, sequence.as_str(), now.1.as_str()), (now.0, "0", "1"));
    assert!(now.2 > modified && now.3 > end);
    // For the rest of the day it is what it was.
    rota.to("2026-01-06T23:00Z");
    let request = rota.anyone().request("GET", &path);
    request
        .header("If-None-Match", &after.etag())
        .send()
        .is(304);
    assert_eq!(of(&rota.anyone().get(&path).is(200)), of(&after));
}

/// rules.md 20.1.
#[test]
fn what_is_gone_is_an_empty_calendar_for_a_month() {
    let rota = with_admin(Start::default(), 3);
    let rotation = rota.daily("U1 U2", 1);
    rotation.patch(json!({ "public": true })).is(200);
    let member = rota.with(&rota.token("U3"));
    let seen = make(&member, json!({ "rotationId": rotation.id }));
    let named = json!({ "userId": "U3", "rotationId": rotation.id, "name": "Mine" });
    let named = make(&member, named);
    let keys = make(&rota.caller(), json!({ "rotationId": rotation.id }));
    let [seen, named, keys] = [&seen, &named, &keys].map(|feed| path_of(&rota, feed));
    let before = read(&rota, &seen);
    assert!(!events(&before).is_empty());
    // Hidden, without a reading meanwhile, and visible again.
    rotation.patch(json!({ "public": false })).is(200);
    rota.to("2026-01-15T08:00Z");
    let hidden = read(&rota, &seen);
    assert!(events(&hidden).is_empty() && hidden.contains("X-WR-CALNAME:Rotation"));
    assert!(read(&rota, &named).contains("X-WR-CALNAME:Mine"));
    assert!(!events(&read(&rota, &keys)).is_empty());
    rotation.patch(json!({ "public": true })).is(200);
    assert!(!events(&read(&rota, &seen)).is_empty());
    // Hidden on the 15th, deleted on the 20th: counted from when it was last visible, of the key's feed from the deletion.
    rotation.patch(json!({ "public": false })).is(200);
    rota.to("2026-01-20T08:00Z");
    let path = rotation.path("");
    rotation.by.delete_if(&path, "*").is(204);
    assert!(events(&read(&rota, &keys)).is_empty());
    rota.to("2026-02-14T07:59:59Z");
    let empty = rota.anyone().get(&seen).is(200);
    assert!(events(&empty.text()).is_empty());
    rota.to("2026-02-14T08:00Z");
    rota.anyone().get(&seen).is(404);
    rota.anyone().get(&named).is(404);
    assert!(read(&rota, &keys).contains("X-WR-CALNAME:Rotation"));
    rota.to("2026-02-19T08:00Z");
    rota.anyone().get(&keys).is(404);
}

/// rules.md 20.1.
#[test]
fn what_is_gone_is_not_found() {
    let rota = with_admin(Start::default().env("ROTA_LOG", "debug"), 3);
    let rotation = rota.daily("U1 U2", 1);
    rotation.patch(json!({ "public": true })).is(200);
    let (member, other) = (rota.with(&rota.token("U2")), rota.with(&rota.token("U3")));
    let own = make(&member, json!({ "userId": "U2" }));
    let seen = make(&other, json!({ "rotationId": rotation.id }));
    let keys = make(&rota.caller(), json!({ "rotationId": rotation.id }));
    let (own_path, seen_path) = (path_of(&rota, &own), path_of(&rota, &seen));
    let keys_path = path_of(&rota, &keys);
    for path in [&own_path, &seen_path, &keys_path] {
        read(&rota, path);
    }
    let nowhere = |path: &str| rota.anyone().get(path).refused(404, "not_found");
    let unknown = |path: &str| {
        let mut problem = nowhere(path);
        problem["requestId"] = Value::Null;
        problem["instance"] = Value::Null;
        problem
    };
    let nothing = unknown("/calendar/x.ics");
    for odd in [
        "/calendar/x",
        "/calendar/.ics",
        "/calendar/%2F.ics",
        &format!("/calendar/{}.ics", "x".repeat(2_000)),
    ] {
        assert_eq!(unknown(odd), nothing, "{odd}");
    }
    // Hidden from whoever made it.
    rotation.patch(json!({ "public": false })).is(200);
    assert_eq!(events(&read(&rota, &seen_path)), Vec::<String>::new());
    read(&rota, &keys_path);
    // Another address, and none.
    let one = format!("/v1/calendar-feeds/{}", text(&own["id"]));
    let others = rota.with(&rota.token("U3"));
    others.delete(&one).refused(404, "not_found");
    let rotated = member
        .request("POST", &format!("{one}/rotate"))
        .send()
        .is(200)
        .json();
    assert_eq!(unknown(&own_path), nothing);
    let new_path = path_of(&rota, &rotated);
    read(&rota, &new_path);
    member.delete(&one).is(204);
    assert_eq!(unknown(&new_path), nothing);
    member.delete(&one).refused(404, "not_found");
    // The person is deactivated.
    let own = make(&member, json!({ "userId": "U2" }));
    let own_path = path_of(&rota, &own);
    read(&rota, &own_path);
    let mut people = directory(3);
    people["users"][1]["isDeleted"] = json!(true);
    rota.import(&people);
    assert_eq!(unknown(&own_path), nothing);
    // The rotation is deleted.
    rotation.by.delete_if(&rotation.path(""), "*").is(204);
    assert_eq!(events(&read(&rota, &keys_path)), Vec::<String>::new());
    let (_, log) = rota.stop();
    assert!(log.contains("GET /calendar/... 200"), "{log}");
    for path in [own_path, new_path, keys_path, seen_path] {
        assert!(!log.contains(path.trim_start_matches("/calendar/")));
    }
}

/// rules.md 20.4.
#[test]
fn who_makes_and_lists_which_feeds() {
    let rota = with_admin(Start::default(), 3);
    let (rotation, hidden) = (rota.daily("U1 U2", 1), rota.daily("U1", 1));
    let member = rota.with(&rota.token("U2"));
    let path = "/v1/calendar-feeds";
    let try_it = |caller: &Caller, body: Value| caller.post(path, body);
    try_it(&member, json!({ "userId": "U1" })).refused(403, "resource_denied");
    try_it(&member, json!({ "rotationId": hidden.id })).refused(404, "not_found");
    try_it(&member, json!({ "userId": "U2", "rotationId": hidden.id })).refused(404, "not_found");
    try_it(&rota.caller(), json!({ "userId": "U99" })).refused(404, "not_found");
    // A key sees it, but who is to read it does not.
    try_it(
        &rota.caller(),
        json!({ "userId": "U2", "rotationId": hidden.id }),
    )
    .refused(404, "not_found");
    try_it(&member, json!({})).names("userId");
    try_it(&member, json!({ "userId": "U2", "alarms": [1, 2, 3, 4] })).names("alarms");
    let limited = rota
        .mint(json!({ "name": "one", "scopes": ["read:oncall"], "rotationIds": [rotation.id] }));
    let limited = rota.with(&limited);
    try_it(&limited, json!({ "userId": "U2" })).refused(403, "resource_denied");
    try_it(&limited, json!({ "rotationId": hidden.id })).refused(403, "resource_denied");
    let reader = rota.with(&rota.key("read:rotations"));
    try_it(&reader, json!({ "userId": "U2" })).refused(403, "scope_denied");
    make(&member, json!({ "userId": "U2" }));
    make(
        &rota.caller(),
        json!({ "userId": "U2", "rotationId": rotation.id }),
    );
    make(&limited, json!({ "rotationId": rotation.id }));
    make(&rota.caller(), json!({ "rotationId": hidden.id }));
    let count = |caller: &Caller| {
        let list = caller.get(path).is(200);
        assert!(!list.text().contains("/calendar/"));
        int(&list.json()["totalItems"])
    };
    assert_eq!(count(&rota.caller()), 4);
    assert_eq!(count(&limited), 2);
    assert_eq!(count(&member), 2);
    assert_eq!(count(&rota.with(&rota.token("U3"))), 0);
    for _ in 0..19 {
        make(&member, json!({ "userId": "U2" }));
    }
    try_it(&member, json!({ "userId": "U2" })).refused(400, "invalid_request");
}

/// rules.md 20.5.
#[test]
fn a_feed_is_read_sixty_times_an_hour() {
    let rota = Rota::with_people(1);
    let made = make(&rota.caller(), json!({ "userId": "U1" }));
    let path = path_of(&rota, &made);
    for _ in 0..60 {
        rota.anyone().get(&path).is(200);
    }
    let refused = rota.anyone().get(&path);
    assert_eq!(refused.header("retry-after"), Some("3600"));
    refused.refused(429, "rate_limited");
    rota.advance(3600);
    rota.anyone().get(&path).is(200);
}

#[test]
fn pages_make_replace_and_withdraw_addresses() {
    let rota = Rota::with_people(2);
    let rotation = rota.daily("U1 U2", 1);
    let browser = Browser::signed_in(&rota, "U2");
    let address = |page: &str| {
        let rest = page
            .split_once("<code class=\"secret\">")
            .expect("a secret");
        let address = rest.1.split('<').next().unwrap();
        address.strip_prefix(&rota.url).expect("ours").to_owned()
    };
    let made = browser.fill("/me", "/me/feeds", &[]).is(303);
    let first = address(&browser.follow(&made));
    assert!(events(&read(&rota, &first))[0].contains("Duty: "));
    rota.advance(60);
    let here = format!("/rotations/{}", rotation.id);
    let made = browser.fill(&here, "/me/feeds", &[]).is(303);
    let second = address(&browser.follow(&made));
    assert!(read(&rota, &second).contains("Person U1: "));
    let page = browser.get("/me").is(200).text();
    assert!(!page.contains("class=\"secret\"") && page.contains("Everybody in"));
    let action = |step: &str| {
        let ends = format!("/{step}\"");
        let found = page.split("action=\"").find(|rest| {
            let path = rest.split_inclusive('"').next().unwrap_or_default();
            path.starts_with("/me/feeds/cal_") && path.ends_with(&ends)
        });
        found.unwrap().split('"').next().unwrap().to_owned()
    };
    let rotated = browser.fill_in(&page, &action("rotate"), &[]).is(303);
    let third = address(&browser.follow(&rotated));
    rota.anyone().get(&first).is(404);
    read(&rota, &third);
    let gone = browser.fill_in(&page, &action("withdraw"), &[]).is(303);
    assert!(browser.follow(&gone).contains("was withdrawn"));
    rota.anyone().get(&third).is(404);
    read(&rota, &second);
}

#[test]
fn the_form_offers_rotations_names_and_alarms() {
    let rota = Rota::with_people(2);
    let rotation = rota.daily("U1 U2", 1);
    rotation.patch(json!({ "name": "Ops & <more>" })).is(200);
    let other = rota.daily("U2", 1);
    let browser = Browser::signed_in(&rota, "U1");
    let page = browser.get("/me").is(200).text();
    let mine = format!("mine:{}", rotation.id);
    for offered in [
        "\"mine\"",
        &format!("\"{mine}\""),
        &format!("\"all:{}\"", rotation.id),
    ] {
        assert!(
            page.contains(&format!("<option value={offered}")),
            "{offered}: {page}"
        );
    }
    assert!(
        page.contains("Everybody in Ops &amp; &lt;more&gt;"),
        "{page}"
    );
    // She is in one of the two, and does not see the other.
    assert!(!page.contains(&format!("all:{}", other.id)), "{page}");
    let fields = [
        ("shows", mine.as_str()),
        ("name", "Pager <1>"),
        ("alarms", "15"),
        ("alarms", "1440"),
    ];
    browser.fill("/me", "/me/feeds", &fields).is(303);
    let made = rota.with(&rota.token("U1")).all("/v1/calendar-feeds");
    let shown = |name: &str| made[0][name].clone();
    assert_eq!(shown("userId"), json!("U1"));
    assert_eq!(shown("rotationId"), json!(rotation.id));
    assert_eq!(shown("name"), json!("Pager <1>"));
    assert_eq!(shown("alarms"), json!([15, 1440]));
    let page = browser.get("/me").is(200).text();
    assert!(
        page.contains("reminds 15 minutes before, 1 day before"),
        "{page}"
    );
    let address = page
        .split("/calendar/")
        .nth(1)
        .and_then(|rest| rest.split(".ics").next());
    let feed = read(
        &rota,
        &format!("/calendar/{}.ics", address.expect("an address")),
    );
    assert!(
        feed.contains("X-WR-CALNAME:Pager <1>") && feed.contains("TRIGGER:-PT1440M"),
        "{feed}"
    );
    // What is wrong stands at its field, and what was entered stays.
    let long = "x".repeat(101);
    let again = browser.fill("/me", "/me/feeds", &[("shows", "mine"), ("name", &long)]);
    let again = again.is(400).text();
    assert!(
        again.contains(&long) && again.contains("<details open"),
        "{again}"
    );
    // A rotation that she does not see is none.
    let hidden = format!("all:{}", other.id);
    browser
        .fill("/me", "/me/feeds", &[("shows", &hidden)])
        .is(404);
}
