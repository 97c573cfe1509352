//! What topics tell of a rotation that follows a schedule.

use super::*;
use crate::domain::forecast::OnCallSummary;

/// `U1+zoe until 10:00 next U2 until 12:00`; people here, then whoever is unknown. What is not known is left out.
fn told(rotation: &Rotation) -> String {
    let (calendar, absences) = (Calendar::embedded(), Arc::default());
    let dealing = DealingContext {
        calendar: &calendar,
        absences: &absences,
    };
    let found = OnCallSummary::of(rotation, dealing);
    let side = |here: &[UserId], outside: &[String], until: Option<Timestamp>| {
        let here = here.iter().map(UserId::to_string);
        let outside = outside.iter().map(|name| name.replace(" out there", ""));
        let names: Vec<String> = here.chain(outside).collect();
        let names = if names.is_empty() {
            "-".into()
        } else {
            names.join("+")
        };
        let until = until.map(|until| format!(" until {}", &until.to_string()[11..16]));
        names + &until.unwrap_or_default()
    };
    format!(
        "{} next {}",
        side(&found.on_call, &found.outside, found.until),
        side(&found.next, &found.next_outside, found.next_until)
    )
}

#[test]
fn everybody_on_call_counts_and_whoever_begins_first_is_next() {
    for (shifts, expected) in [
        (
            &["ann 08:00 10:00", "ben 10:00 12:00"][..],
            "U1 until 10:00 next U2 until 12:00",
        ),
        // Somebody unknown is not nobody.
        (
            &["zoe 08:00 10:00", "ben 10:00 12:00"],
            "zoe until 10:00 next U2 until 12:00",
        ),
        (
            &["ann 08:00 10:00", "Ops 10:00 12:00"],
            "U1 until 10:00 next Ops until 12:00",
        ),
        // The first of several is unknown, or goes on.
        (
            &["zoe 08:00 18:00", "ann 08:00 10:00", "ben 10:00 12:00"],
            "U1+zoe until 10:00 next U2 until 12:00",
        ),
        (
            &["ann 08:00 18:00", "ben 08:00 10:00", "zoe 10:00 12:00"],
            "U1+U2 until 10:00 next zoe until 12:00",
        ),
        // Another shift of the same person; one person in two slots.
        (
            &["ann 08:00 10:00", "ann 10:00 12:00"],
            "U1 until 10:00 next U1 until 12:00",
        ),
        (
            &["zoe 08:00 10:00", "zoe 08:00 12:00"],
            "zoe until 10:00 next -",
        ),
        // Nobody takes over; nobody is on call.
        (
            &["ann 08:00 10:00", "ben 11:00 12:00"],
            "U1 until 10:00 next -",
        ),
        (
            &["- 08:00 10:00", "zoe 11:00 12:00"],
            "- next zoe until 12:00",
        ),
        (&["- 08:00 20:00"], "- next -"),
        (&[], "- next -"),
        // Who is next lies beyond what is known.
        (&["ann 08:00 22:00"], "U1 until 22:00 next -"),
    ] {
        assert_eq!(told(&following(shifts, "09:00")), expected, "{shifts:?}");
    }
}

#[test]
fn a_disabled_rotation_stays_as_it_is() {
    let mut rotation = following(&["zoe 08:00 10:00", "ann 10:00 12:00"], "09:00");
    rotation.enabled = false;
    assert_eq!(told(&rotation), "zoe next -");
    judge(&mut rotation, "11:00");
    let held = |rotation: &Rotation, from: &str, until: &str| {
        let (calendar, absences) = (Calendar::embedded(), Arc::default());
        let dealing = DealingContext {
            calendar: &calendar,
            absences: &absences,
        };
        let turns = forecast::schedule(rotation, dealing, span(from, until)).unwrap();
        let shown = turns.into_iter();
        let shown = shown.map(|turn| (turn.entry.outside, turn.entry.start, turn.end));
        shown.collect::<Vec<_>>()
    };
    let zoe = Some("zoe out there".to_owned());
    assert_eq!(
        held(&rotation, "11:00", "30 08:00"),
        [(zoe, at("08:00"), None)]
    );
    // Nobody stays nobody.
    let mut rotation = following(&["- 08:00 10:00", "ann 10:00 12:00"], "09:00");
    rotation.enabled = false;
    judge(&mut rotation, "11:00");
    let since = rotation.cells[0].entry.start;
    assert_eq!(held(&rotation, "11:00", "30 08:00"), [(None, since, None)]);
}
