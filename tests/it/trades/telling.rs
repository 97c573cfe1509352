//! Messages: for whom somebody takes a turn, and what is given back.

use super::traded;
use crate::support::*;
use serde_json::json;

#[test]
fn whoever_stands_in_hears_for_whom_and_what_is_given_back() {
    let rota = Rota::with_people(4);
    let rotation = traded(&rota);
    rotation.posts_in("C1");
    let mut reader = rota.message_reader();
    // The reminder comes before, the hand-over at the instant.
    rota.to("2026-01-06T09:00Z");
    let lines = reader.lines();
    let to = |who: &str| -> Vec<String> {
        let start = format!("{who}: ");
        let theirs = lines.iter().filter(|line| line.starts_with(&start));
        theirs.cloned().collect()
    };
    let three = to("U3");
    assert_eq!(three.len(), 2, "{lines:?}");
    for line in &three {
        let told = ", instead of Person U2, who takes yours from 2026-01-08 09:00 (UTC).";
        assert!(line.contains(told), "{line}");
    }
    assert!(
        three[0].starts_with("U3: You come on duty for "),
        "{three:?}"
    );
    assert!(
        three[1].starts_with("U3: You are on duty for "),
        "{three:?}"
    );
    let channel = to("C1");
    assert_eq!(channel.len(), 2, "{lines:?}");
    for line in &channel {
        assert!(
            line.contains(" (for Person U2) takes over from Person U1"),
            "{line}"
        );
    }
    rota.to("2026-01-08T09:00Z");
    let lines = reader.lines();
    let told = ", for Person U3, who took yours of 2026-01-06 09:00 (UTC).";
    let two = lines
        .iter()
        .filter(|line| line.starts_with("U2: ") && line.contains(told));
    assert_eq!(two.count(), 2, "{lines:?}");
    // Turns of their own are told as ever.
    rota.to("2026-01-09T09:00Z");
    let lines = reader.lines();
    let plain = |line: &String| !line.contains("instead of") && !line.contains("(for ");
    assert!(lines.iter().all(plain), "{lines:?}");
    // What was stored stays readable.
    let inbox = rota.caller().get("/v1/messages?pageSize=100").ok();
    assert!(
        inbox.text().contains("instead of Person U2"),
        "{}",
        inbox.text()
    );
}

#[test]
fn calendars_say_for_whom() {
    let rota = Rota::with_people(4);
    let rotation = traded(&rota);
    rota.to("2026-01-06T10:00Z");
    let feed = |body| {
        let made = rota
            .caller()
            .post("/v1/calendar-feeds", body)
            .is(201)
            .json();
        let url = text(&made["url"]).to_owned();
        let path = url.find("/calendar/").expect("a path");
        let read = rota.get(&url[path..]).is(200).text();
        read.replace("\r\n ", "").replace("\r\n", "\n")
    };
    let of_all = feed(json!({ "rotationId": rotation.id }));
    for told in [
        "DESCRIPTION:Instead of Person U2\\, who takes a turn in return.",
        "DESCRIPTION:For Person U3\\, in return for the turn of 2026-01-06.",
    ] {
        assert_eq!(of_all.matches(told).count(), 1, "{told}: {of_all}");
    }
    let of_two = feed(json!({ "userId": "U2" }));
    assert_eq!(of_two.matches("DESCRIPTION:").count(), 1, "{of_two}");
    assert!(of_two.contains("DESCRIPTION:For Person U3"), "{of_two}");
}
