//! All of it, as one person has it: their calendar keeps them off duty, and their duty is in their calendar.

use super::*;
use crate::web::Browser;

/// A vacation of a week, and every Wednesday afternoon off.
const CALENDAR: &str = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nX-WR-TIMEZONE:Europe/Oslo\r\n\
    BEGIN:VEVENT\r\nUID:vacation\r\nSUMMARY:Vacation in Rome\r\n\
    DTSTART;VALUE=DATE:20260119\r\nDTEND;VALUE=DATE:20260124\r\nEND:VEVENT\r\n\
    BEGIN:VEVENT\r\nUID:half\r\nSUMMARY:Out of office\r\nDTSTART;TZID=Europe/Oslo:20251203T120000\r\n\
    DTEND;TZID=Europe/Oslo:20251203T180000\r\nRRULE:FREQ=WEEKLY\r\nEND:VEVENT\r\n\
    END:VCALENDAR\r\n";

/// The address that the page shows once.
fn address(page: &str) -> String {
    let rest = page.split("/calendar/").nth(1).expect("an address");
    format!("/calendar/{}.ics", rest.split(".ics").next().unwrap())
}

/// The events of a feed: start, UID and summary.
fn events(rota: &Rota, path: &str) -> Vec<[String; 3]> {
    let feed = rota.anyone().get(path).is(200).text();
    let feed = feed.replace("\r\n ", "");
    let event = |event: &str| {
        ["DTSTART:", "UID:", "SUMMARY:"].map(|name| {
            let line = event.lines().find_map(|line| line.strip_prefix(name));
            line.expect(name).to_owned()
        })
    };
    feed.split("BEGIN:VEVENT\r\n").skip(1).map(event).collect()
}

fn uids(events: &[[String; 3]]) -> Vec<&str> {
    events.iter().map(|[_, uid, _]| uid.as_str()).collect()
}

#[test]
fn a_calendar_keeps_its_person_off_duty_and_shows_the_turns_that_they_swap() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    rotation.patch(json!({ "name": "Ops" })).is(200);
    let policy = json!({ "absencePolicy": { "passOver": "duringTurn" } });
    rotation.patch(policy).is(200);
    // They paste the address.
    let feed = Feed::new(Then::Calendar(CALENDAR.to_owned(), "1"));
    let browser = Browser::signed_in(&rota, "U2");
    let fields = [("url", &*feed.url())];
    browser
        .fill("/me/calendars", "/me/calendars", &fields)
        .is(303);
    let page = browser.get("/me/calendars").is(200).text();
    assert!(page.contains("absences from now on"), "{page}");
    // No turn of theirs meets an absence, in four weeks of daily turns.
    let away: Vec<[jiff::Timestamp; 2]> = rota
        .caller()
        .all("/v1/users/U2/absences")
        .iter()
        .map(|absence| ["from", "until"].map(|end| at(text(&absence[end]))))
        .collect();
    let turns = rotation.turns("schedule", "2026-01-06T09:00Z", "2026-02-03T09:00Z");
    let theirs: Vec<&Value> = turns
        .iter()
        .filter(|turn| turn["userId"] == json!("U2"))
        .collect();
    assert!(theirs.len() > 3 && away.len() > 5, "{theirs:?} {away:?}");
    let is_away = |turn: &Value| {
        let [start, end] = ["start", "end"].map(|name| at(text(&turn[name])));
        let mut away = away.iter();
        away.any(|[from, until]| *from < end && start < *until)
    };
    for turn in &theirs {
        assert!(!is_away(turn), "{turn}");
    }
    let passed_over = turns.iter().filter(|turn| {
        let skipped = turn["skippedForAbsence"].as_array();
        skipped.is_some_and(|skipped| skipped.iter().any(|one| one["userId"] == json!("U2")))
    });
    assert!(passed_over.count() > 2, "{turns:?}");
    // They subscribe to their duty, and to everybody's.
    browser
        .fill("/me", "/me/feeds", &[("shows", "mine")])
        .is(303);
    let own = address(&browser.get("/me").is(200).text());
    let everybody = format!("all:{}", rotation.id);
    browser
        .fill("/me", "/me/feeds", &[("shows", &everybody)])
        .is(303);
    let all = address(&browser.get("/me").is(200).text());
    let (own_before, all_before) = (events(&rota, &own), events(&rota, &all));
    let planned = |user: &str| {
        let free = turns.iter().filter(|turn| !is_away(turn));
        let mut theirs = free.filter(|turn| turn["userId"] == json!(user));
        let turn = theirs.next().expect("a turn");
        ["start", "end"].map(|name| text(&turn[name]).to_owned())
    };
    let (mine, yours) = (planned("U2"), planned("U3"));
    let compact = |[start, _]: &[String; 2]| start.replace(['-', ':'], "");
    let has = |events: &[[String; 3]], turn: &[String; 2]| {
        events
            .iter()
            .find(|[start, ..]| *start == compact(turn))
            .cloned()
    };
    let given = has(&own_before, &mine).expect("the turn");
    assert_eq!(
        (given[2].as_str(), has(&own_before, &yours)),
        ("Duty: Ops", None)
    );
    // A swap for a turn on which they are here: the turns change hands, and the events stay the same ones.
    let leg = |key: &str, holder: &str, [start, end]: &[String; 2]| json!({ "key": key, "cellId": rotation.cell_id(0), "holderUserId": holder, "from": start, "to": end });
    let body = json!({
        "operationId": unique("swap"), "recipientUserId": "U3", "reason": "A wedding",
        "legs": [leg("mine", "U2", &mine), leg("yours", "U3", &yours)],
    });
    rotation.made("swap-requests", "U2", body).accepted_by("U3");
    let (own_after, all_after) = (events(&rota, &own), events(&rota, &all));
    assert_eq!(uids(&all_after), uids(&all_before));
    let whose = |events: &[[String; 3]], turn| has(events, turn).expect("the turn")[2].clone();
    let before = [whose(&all_before, &mine), whose(&all_before, &yours)];
    let [now_yours, now_mine] = [whose(&all_after, &mine), whose(&all_after, &yours)];
    assert_eq!([now_mine, now_yours], before);
    assert_eq!(has(&own_after, &mine), None);
    let received = has(&own_after, &yours).expect("the turn of the other");
    let known = has(&all_before, &yours).expect("the same");
    assert_eq!(received[1], known[1]);
    let kept = own_before.iter().filter(|event| **event != given);
    assert!(kept.into_iter().all(|event| own_after.contains(event)));
}
