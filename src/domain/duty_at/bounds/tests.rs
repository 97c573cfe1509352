use super::*;

fn at(hour: i64) -> Timestamp {
    Timestamp::from_second(hour * 3600).unwrap()
}

/// `start-end user reason held_since turn_since arrangement`, each word `-` where there is none.
fn piece(text: &str) -> Piece {
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
    Piece {
        start: instant(start).unwrap(),
        end: instant(end),
        user: Some(words[1]).filter(|user| *user != "-").map(Into::into),
        arrangement: words.get(5).map(|id| (*id).into()),
        held_since: instant(words[3]),
        turn_since: instant(words[4]),
        reason,
    }
}

/// Answers `since until covered_until turn_ends` in hours.
fn check(pieces: &[&str], present: Option<&str>, period: Option<(i64, i64)>, expected: &str) {
    let pieces: Vec<Piece> = pieces.iter().map(|text| piece(text)).collect();
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
    let since = first.held_since.unwrap_or(first.start);
    let mut onward = Onward::new(first.clone());
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
    over("57-65 - clear - -", "9 57 17 -");
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
fn older_records_do_not_say_when_it_began() {
    let old = [
        "9-17 a next - -",
        "17-33 - shut - -",
        "33-41 a open - -",
        "41-57 - shut - -",
        "57-65 b open - -",
    ];
    check(&old, None, None, "9 57 17 -");
    let pieces: Vec<Piece> = old.iter().map(|text| piece(text)).collect();
    let mut back = Backward::new(pieces[2].clone());
    assert!(back.look(pieces[1].clone()));
    assert!(back.look(pieces[0].clone()));
    assert!(!back.look(piece("0-9 a next - -")));
    assert_eq!(back.since(), at(9));
    // The cell is gone.
    check(&["9-17 a next - -"], None, None, "9 17 17 -");
}
