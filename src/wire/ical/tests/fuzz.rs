//! Random calendars: nothing panics, and everything ends.

use super::*;
use crate::tests::{bent_text, try_out};
use proptest::prelude::*;

fn some_time() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "20(2[0-9])(0[1-9]|1[0-2])(0[1-9]|1[0-9]|2[0-8])T([01][0-9])[0-5]000Z?",
        2 => "20(2[0-9])(0[1-9]|1[0-2])(0[1-9]|1[0-9]|2[0-8])",
        1 => "[0-9]{8}(T[0-9]{6}Z?)?",
        1 => Just("00010101T000000".to_owned()),
        1 => Just("99991231T235959Z".to_owned()),
    ]
}

fn some_rule() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        "INTERVAL=[1-9][0-9]{0,9}",
        "COUNT=[1-9][0-9]{0,5}",
        "UNTIL=20[2-3][0-9]0[1-9]1[0-9](T000000Z)?",
        "BYMONTH=([1-9]|1[0-2])",
        "BYMONTHDAY=-?([1-9]|[12][0-9])(,-?[1-9])?",
        "BYYEARDAY=-?[1-3][0-9]{0,2}",
        "BYWEEKNO=-?([1-9]|[1-4][0-9])",
        "BYDAY=(MO|-1TU|2WE|SU)(,FR)?",
        "BYHOUR=(1?[0-9])(,2[0-3])?",
        "BYMINUTE=[1-5]?[0-9]",
        "BYSETPOS=-?[1-9]",
        "WKST=(SU|MO|WE)",
    ];
    let every = prop::sample::select(vec!["DAILY", "WEEKLY", "MONTHLY", "YEARLY", "HOURLY"]);
    (every, prop::collection::vec(part, 0..4)).prop_map(|(every, parts)| {
        let parts: String = parts.iter().map(|part| format!(";{part}")).collect();
        format!("FREQ={every}{parts}")
    })
}

fn some_calendar() -> impl Strategy<Value = String> {
    let zone = prop::sample::select(vec![
        "",
        ";TZID=Europe/Berlin",
        ";TZID=Our time",
        ";TZID=Mars",
        ";VALUE=DATE",
    ]);
    let line = prop_oneof![
        3 => some_time().prop_map(|time| format!("DTEND:{time}")),
        3 => "DURATION:P[0-9]{1,3}(D|W|DT[0-9]{1,6}H)",
        6 => some_rule().prop_map(|rule| format!("RRULE:{rule}")),
        2 => some_time().prop_map(|time| format!("EXDATE:{time}")),
        2 => some_time().prop_map(|time| format!("RDATE;VALUE=PERIOD:{time}/P1D")),
        1 => some_time().prop_map(|time| format!("RECURRENCE-ID;RANGE=THISANDFUTURE:{time}")),
    ];
    let event =
        (zone, some_time(), prop::collection::vec(line, 0..5)).prop_map(|(zone, start, lines)| {
            format!(
                "BEGIN:VEVENT\r\nUID:1\r\nDTSTART{zone}:{start}\r\n{}\r\nEND:VEVENT\r\n",
                lines.join("\r\n")
            )
        });
    prop::collection::vec(event, 1..4).prop_map(|events| {
        format!(
            "BEGIN:VCALENDAR\r\n{OWN_ZONE}{}END:VCALENDAR\r\n",
            events.concat()
        )
    })
}

#[test]
fn every_body_is_read_or_refused_within_bounds() {
    try_out(1_500, 5..=70, bent_text(some_calendar()), |body| {
        let Ok(calendar) = read_within(&body, &mut Work::new(500_000)) else {
            return Ok(false);
        };
        let wanted = InstanceQuery {
            span: whole(),
            near: at(FROM),
            most: 50,
        };
        let work = &mut Work::new(500_000);
        let Ok(found) = expand(&calendar.times, &|_| true, wanted, work) else {
            return Ok(false);
        };
        prop_assert!(found.instances.len() <= 50 && found.instances.is_sorted());
        for instance in &found.instances {
            prop_assert!(!instance.period.is_empty() && instance.period.meets(whole()).is_some());
            prop_assert!(instance.event < calendar.times.len());
        }
        Ok(!found.instances.is_empty())
    });
}
