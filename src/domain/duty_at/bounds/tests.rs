use super::*;
use crate::domain::cadence::{Kind, Skips};
use crate::domain::duty::tests::duty;
use crate::domain::rotation::Entry;
use crate::domain::time::HhMm;
use crate::domain::zones::ZoneName;

fn at(hour: i64) -> Timestamp {
    Timestamp::from_second(hour * 3600).unwrap()
}

/// `start-end user reason held_since turn_since arrangement`, each word `-` where there is none.
fn piece(text: &str) -> Duty {
    let words: Vec<&str> = text.split_whitespace().collect();
    let instant = |text: &str| text.parse().ok().map(at);
    let (start, end) = words[0].split_once('-').unwrap();
    let reason = match words[2] {
        "shut" => Reason::BusinessHoursOffline,
        "open" => Reason::BusinessHoursBackOnline,
        "edit" => Reason::CoverageChanged,
        "clear" => Reason::DutyCleared,
        _ => Reason::NextOnScheduledDuty,
    };
    let entry = Entry {
        user: Some(words[1]).filter(|user| *user != "-").map(Into::into),
        arrangement: words.get(5).map(|id| (*id).into()),
        reason,
        ..Entry::never_held(instant(start).unwrap())
    };
    Duty {
        held_since: instant(words[3]),
        turn_since: instant(words[4]),
        ..duty(entry, instant(end))
    }
}

/// Answers `since until covered_until turn_ends` in hours, asked at the beginning of the first.
fn check(pieces: &[&str], present: Option<&str>, period: Option<(i64, i64)>, expected: &str) {
    let asked = piece(pieces[0]).entry.start;
    check_at(asked, None, pieces, present, period, expected);
}

/// The same, asked at an instant, in a window that hands over daily at 09:00.
fn check_daily(asked: i64, pieces: &[&str], period: Option<(i64, i64)>, expected: &str) {
    let calendar = Calendar::embedded();
    let zone = ZoneName::utc();
    let cadence = Cadence {
        kind: Kind::Daily {
            times: vec![HhMm::parse("09:00").unwrap()],
        },
        zone,
        starts_at: at(9),
        period: 1,
        skips: Skips::default(),
    };
    let hand_overs = HandOvers {
        cadence: &cadence,
        calendar: &calendar,
    };
    check_at(at(asked), Some(hand_overs), pieces, None, period, expected);
}

fn check_at(
    asked: Timestamp,
    hand_overs: Option<HandOvers>,
    pieces: &[&str],
    present: Option<&str>,
    period: Option<(i64, i64)>,
    expected: &str,
) {
    let pieces: Vec<Duty> = pieces.iter().map(|text| piece(text)).collect();
    // `user since until turn_since turn_ends shuts`
    let present = present.map(|text| {
        let words: Vec<&str> = text.split_whitespace().collect();
        let instant = |index: usize| words[index].parse().ok().map(at);
        let user = Some(words[0]).filter(|user| *user != "-");
        Present {
            holder: user.map(|user| (user.into(), None, instant(1).unwrap(), instant(2))),
            turn_since: instant(3),
            turn_ends: instant(4),
            shuts: instant(5),
        }
    });
    let (first, rest) = pieces.split_first().unwrap();
    let since = first.held_since.unwrap_or(first.entry.start);
    let mut onward = Onward::new(first.clone(), asked, hand_overs);
    for piece in rest {
        if !onward.look(piece) {
            break;
        }
    }
    let period = period.map(|(from, until)| Interval {
        from: at(from),
        until: at(until),
    });
    let found = onward.finish(since, present.as_ref(), period);
    let hour = |at: Option<Timestamp>| match at {
        Some(at) => (at.as_second() / 3600).to_string(),
        None => "-".to_owned(),
    };
    let ends = [found.until, found.covered_until, found.turn_ends].map(hour);
    let shown = format!("{} {}", hour(Some(found.since)), ends.join(" "));
    assert_eq!(shown, expected, "{pieces:?} {present:?} {period:?}");
}

#[test]
fn a_turn_goes_on_behind_hours_that_are_shut() {
    let turn = [
        "9-17 a next 9 9",
        "17-33 - shut - 9",
        "33-41 a open 9 9",
        "41-57 - shut - 9",
    ];
    // Handed over while shut, when it opens, and to nobody.
    let over = |last: &str, expected: &str| {
        let pieces: Vec<&str> = turn.into_iter().chain([last]).collect();
        check(&pieces, None, None, expected);
    };
    over("57-65 b open 50 50", "9 50 17 50");
    over("57-65 b next 57 57", "9 57 17 57");
    over("57-65 a next 57 57", "9 57 17 57");
    over("57-65 - clear - -", "9 57 17 57");
    // It still runs, waiting.
    let pieces = ["9-17 a next 9 9", "17-x - shut - 9"];
    check(&pieces, Some("a 9 50 9 50 -"), None, "9 50 17 50");
    // It runs, open.
    check(
        &["9-x a next 9 9"],
        Some("a 9 50 9 50 17"),
        None,
        "9 50 17 50",
    );
    check(&["9-x a next 9 9"], Some("a 9 - 9 - -"), None, "9 - - -");
    // Handed over while shut, which the record does not say yet.
    check(&pieces, Some("b 20 50 20 50 -"), None, "9 20 17 20");
}

#[test]
fn arrangements_lie_over_turns() {
    // Until an arrangement begins; the turn goes on beneath it.
    let over = [
        "0-10 a next 0 0",
        "10-20 b next 10 0 arr_1",
        "20-50 a next 20 0",
        "50-60 c next 50 50",
    ];
    check(&over, None, None, "0 10 10 50");
    check(&over[1..], None, Some((10, 20)), "10 20 20 50");
    check(&over[2..], None, None, "20 50 50 50");
    // One that ended, and one that began, while the hours were shut.
    let shut = [
        "10-20 b next 8 0 arr_1",
        "20-40 - shut - 0",
        "40-50 a open 30 0",
        "50-60 c next 50 50",
    ];
    check(&shut, None, Some((8, 30)), "8 30 20 50");
    // Hours edited meanwhile are no break.
    let edited = ["0-10 a next 0 0", "10-20 a edit 0 0", "20-30 b next 20 20"];
    check(&edited, None, None, "0 20 20 20");
}

#[test]
fn a_turn_ends_before_those_that_were_dealt_while_shut() {
    // Two hand-overs passed before the hours opened again.
    let shut = ["9-17 a next 9 9", "17-81 - shut - 9", "81-89 d next 81 81"];
    check_daily(12, &shut, None, "9 33 17 33");
    let cleared = ["9-17 a next 9 9", "17-81 - shut - 9", "81-89 - clear - -"];
    check_daily(12, &cleared, None, "9 33 17 33");
    // It went on over a hand-over, as the record shows: the rotation was disabled.
    let frozen = ["9-57 a next 9 9", "57-65 b next 57 57"];
    check_daily(12, &frozen, None, "9 57 57 57");
    // By hand, at other times: the cadence may have been another one.
    let other = [
        "10-17 a next 10 10",
        "17-82 - shut - 10",
        "82-89 b next 82 82",
    ];
    check_daily(12, &other, None, "10 82 17 82");
}

#[test]
fn the_turn_ends_after_the_instant_and_no_later_than_the_assignment() {
    // Nobody had it for a while, and then the same person again.
    let empty = [
        "9-33 c next 9 9",
        "33-106 - next - -",
        "106-130 c next 106 106",
    ];
    check_daily(12, &empty, None, "9 33 33 33");
    check(&empty, None, None, "9 33 33 33");
    // Hand-overs beneath an arrangement.
    let beneath = ["20-90 b next 20 9 arr_1", "90-105 d next 90 81"];
    let period = Some((20, 90));
    check_daily(21, &beneath, period, "20 90 90 33");
    check_daily(60, &beneath, period, "20 90 90 81");
    check_daily(
        85,
        &[beneath[0], beneath[1], "105-129 a next 105 105"],
        period,
        "20 90 90 105",
    );
    // Somebody was put on duty beneath it.
    let by_hand = ["20-30 b next 20 9 arr_1", "30-33 c next 30 30"];
    check_daily(21, &by_hand, None, "20 30 30 30");
}

/// rules.md 25.3.
#[test]
fn older_records_do_not_say_when_it_began() {
    let old = [
        "9-17 a next - -",
        "17-33 - shut - -",
        "33-41 a open - -",
        "41-57 - shut - -",
        "57-65 b open - -",
    ];
    check(&old, None, None, "9 57 17 57");
    let pieces: Vec<Duty> = old.iter().map(|text| piece(text)).collect();
    let mut back = Backward::new(pieces[2].clone());
    assert!(back.look(pieces[1].clone()));
    assert!(back.look(pieces[0].clone()));
    assert!(!back.look(piece("0-9 a next - -")));
    assert_eq!(back.since(), at(9));
    // The cell is gone.
    check(&["9-17 a next - -"], None, None, "9 17 17 17");
}
