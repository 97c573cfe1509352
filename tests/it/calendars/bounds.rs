//! What one calendar may cost: its reading ends.

use super::*;

/// A zone whose rules take too much work is not looked for again for each of four thousand events.
fn with_a_zone_that_fails() -> String {
    let rules = "RRULE:FREQ=DAILY\r\n".repeat(9);
    let event = |zone: &str| {
        format!("BEGIN:VEVENT\r\nDTSTART;TZID={zone}:20260106T000000\r\nEND:VEVENT\r\n")
    };
    let others: String = (0..500)
        .map(|number| event(&format!("N{number}")))
        .collect();
    format!(
        "BEGIN:VCALENDAR\r\nBEGIN:VTIMEZONE\r\nTZID:Bad\r\nBEGIN:STANDARD\r\nDTSTART:19700101T000000\r\n\
         TZOFFSETFROM:+0100\r\nTZOFFSETTO:+0200\r\n{rules}END:STANDARD\r\nEND:VTIMEZONE\r\n{others}{}END:VCALENDAR\r\n",
        event("Bad").repeat(4_000)
    )
}

#[test]
fn a_zone_that_fails_is_not_worked_out_again() {
    let rota = Rota::with_people(1);
    let feed = Feed::new(Then::Calendar(with_a_zone_that_fails(), "1"));
    let shown = add(&rota, "U1", &feed).shown(&rota);
    let error = text(&shown["lastError"]);
    assert!(
        error.starts_with("4500 events could not be read"),
        "{error}"
    );
}
