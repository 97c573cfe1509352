mod summaries;

use super::*;
use crate::domain::duty::{Duty as Planned, DutyKind};
use crate::domain::event::{Act, Cause, Event, Nobody, news};
use crate::domain::external::{
    AsOf, Assignment, Counts, Link, LinkedSchedule, State, counts, in_turn, next_reading, spread,
};
use crate::domain::forecast;
use crate::domain::handover::{Change as Duty, DealingContext, WindowChange, next_due};
use crate::domain::holidays::Calendar;
use crate::domain::ids::UserId;
use crate::domain::partner::{
    Member, MemberKind, Partner, ReadFailure, Shift, ShiftSource, SourceKind, Timeline,
};
use crate::domain::plan_change;
use crate::domain::rotation::tests::rotation;
use crate::domain::time::Interval;
use crate::domain::told_plan::{ToldPlan, differences};
use jiff::SignedDuration;
use std::sync::Arc;

fn at(time: &str) -> Timestamp {
    let (day, time) = time.split_once(' ').unwrap_or(("23", time));
    format!("2026-11-{day}T{time}:00Z").parse().unwrap()
}

fn span(from: &str, until: &str) -> Interval {
    Interval {
        from: at(from),
        until: at(until),
    }
}

/// A shift, as `who from until`. `-` is nobody, a capital letter a team, anything else a person.
fn shift(text: &str) -> Shift {
    let [who, from, until] = text.split(' ').collect::<Vec<_>>()[..] else {
        panic!("{text}")
    };
    let member = match who {
        "-" => Member::empty(),
        team if team.starts_with(char::is_uppercase) => Member {
            kind: MemberKind::Team,
            name: Some(team.to_owned()),
            email: Some("team@example.org".into()),
            ..Member::user(team)
        },
        person => Member {
            name: Some(format!("{person} out there")),
            email: Some(format!("{person}@example.org")),
            ..Member::user(person)
        },
    };
    let whole = span(&from.replace('/', " "), &until.replace('/', " "));
    Shift {
        member,
        source: ShiftSource {
            kind: SourceKind::Rotation,
            rotation_id: Some("layer".into()),
            shift_id: None,
            override_id: None,
        },
        span: whole,
        original: whole,
    }
}

/// A schedule known from 08:00 to 20:00, whose people `ann` and `ben` are `U1` and `U2`.
fn external(shifts: &[&str]) -> External {
    let known = span("08:00", "20:00");
    let person = |(id, user): (&str, &str)| (id.to_owned(), UserId::from(user));
    External {
        link: Some(Link {
            partner: Partner::Pager,
            schedule: "S1".into(),
        }),
        schedule: Arc::new(LinkedSchedule {
            timeline: Some(Timeline {
                known,
                answered: known,
                rotations: vec!["layer".into()],
                shifts: shifts.iter().map(|text| shift(text)).collect(),
            }),
            participants: vec!["ben".into(), "zoe".into(), "ann".into(), "ben".into()],
            read_at: Some(at("09:00")),
            ..LinkedSchedule::default()
        }),
        people: Arc::new([("ann", "U1"), ("ben", "U2")].map(person).into()),
        ..External::unlinked()
    }
}

/// A rotation that has followed the schedule since an instant.
fn following(shifts: &[&str], since: &str) -> Rotation {
    let mut rotation = rotation();
    let mut ids = 0;
    link(&mut rotation, external(shifts), at(since), &mut |prefix| {
        ids += 1;
        format!("{prefix}{ids}")
    });
    judge(&mut rotation, since);
    rotation
}

fn judge(rotation: &mut Rotation, instant: &str) {
    let (calendar, absences) = (Calendar::embedded(), Arc::default());
    let dealing = DealingContext {
        calendar: &calendar,
        absences: &absences,
    };
    Duty::begin(rotation, dealing, at(instant), WindowChange::ByClock).finish();
}

fn schedule(rotation: &Rotation) -> Vec<Planned> {
    let (calendar, absences) = (Calendar::embedded(), Arc::default());
    let dealing = DealingContext {
        calendar: &calendar,
        absences: &absences,
    };
    forecast::schedule(rotation, dealing, span("08:00", "30 08:00")).unwrap()
}

fn due(rotation: &Rotation) -> Option<Timestamp> {
    let (calendar, absences) = (Calendar::embedded(), Arc::default());
    let dealing = DealingContext {
        calendar: &calendar,
        absences: &absences,
    };
    next_due(rotation, dealing)
}

/// Who is on call, as the API would say: people here, then whoever is unknown first.
fn on_call(rotation: &Rotation) -> String {
    let external = rotation.external.as_ref().unwrap();
    let here = external
        .on_call()
        .iter()
        .map(UserId::to_string)
        .collect::<Vec<_>>();
    let outside = external
        .outsider()
        .map(|it| it.called())
        .unwrap_or_default();
    format!("{}|{outside}", here.join(","))
}

#[test]
fn whoever_is_assigned_is_on_call_and_the_last_known_stay() {
    let shifts = [
        "ann 08:00 10:00",
        "ben 10:00 12:00",
        "zoe 12:00 14:00",
        "- 14:00 15:00",
        "Ops 16:00 20:00",
    ];
    for (now, expected) in [
        // Before what is known, the first known.
        ("07:00", "U1|"),
        ("08:00", "U1|"),
        ("09:59", "U1|"),
        ("10:00", "U2|"),
        ("12:00", "|zoe out there"),
        ("14:00", "|"),
        ("15:30", "|"),
        ("16:00", "|Ops"),
        ("20:00", "|Ops"),
        ("30 09:00", "|Ops"),
    ] {
        let external = external(&shifts);
        let current = external.at(at(now));
        let mut rotation = rotation();
        rotation.external = Some(External {
            current,
            ..external
        });
        assert_eq!(on_call(&rotation), expected, "{now}");
    }
}

#[test]
fn changes_are_where_the_assignments_differ_within_what_is_known() {
    for (shifts, after, expected) in [
        (
            &["ann 08:00 10:00", "ben 10:00 12:00"][..],
            "08:00",
            &["10:00", "12:00"][..],
        ),
        // A new shift of the same person is a change, an edge that is no change is none.
        (
            &["ann 08:00 10:00", "ann 10:00 12:00"],
            "08:00",
            &["10:00", "12:00"],
        ),
        (
            &["ann 08:00 10:00", "ben 09:00 10:00"],
            "08:00",
            &["09:00", "10:00"],
        ),
        (&["ann 08:00 23:00"], "08:00", &[]),
        (&["ann 08:00 20:00"], "08:00", &[]),
        (&["ann 08:00 10:00", "ben 10:00 12:00"], "10:00", &["12:00"]),
        (&["ann 08:00 10:00"], "20:00", &[]),
        (&[], "08:00", &[]),
    ] {
        let found: Vec<Timestamp> = external(shifts).changes(at(after)).collect();
        let expected: Vec<Timestamp> = expected.iter().map(|time| at(time)).collect();
        assert_eq!(found, expected, "{shifts:?} after {after}");
    }
}

/// rules.md 22.6.
#[test]
fn a_change_happens_at_its_instant_and_begins_an_entry() {
    let mut rotation = following(
        &["ann 08:00 10:00", "ben 10:00 12:00", "zoe 12:00 20:00"],
        "09:00",
    );
    assert_eq!(on_call(&rotation), "U1|");
    for (now, who, user, outside) in [
        ("10:00", "U2|", Some("U2"), None),
        ("12:00", "|zoe out there", None, Some("zoe out there")),
    ] {
        assert_eq!(due(&rotation), Some(at(now)));
        judge(&mut rotation, now);
        assert_eq!(on_call(&rotation), who);
        let entry = &rotation.cells[0].entry;
        assert_eq!(entry.user.as_ref().map(UserId::as_str), user);
        assert_eq!(entry.outside.as_deref(), outside);
        assert_eq!(entry.turn, None);
        assert_eq!(entry.reason.name(), "change-in-external-schedule");
        assert_eq!(entry.start, at(now));
    }
    assert_eq!(due(&rotation), None);
}

#[test]
fn a_disabled_rotation_keeps_whoever_it_shows() {
    let mut rotation = following(&["ann 08:00 10:00", "ben 10:00 12:00"], "09:00");
    rotation.enabled = false;
    assert_eq!(due(&rotation), None);
    judge(&mut rotation, "11:00");
    assert_eq!(on_call(&rotation), "U1|");
    rotation.enabled = true;
    judge(&mut rotation, "11:00");
    assert_eq!(on_call(&rotation), "U2|");
}

#[test]
fn states_go_by_the_last_reading_and_what_is_known() {
    type Set = fn(&mut LinkedSchedule);
    let as_is: Set = |_| ();
    let failed: Set = |known| known.failure = Some(ReadFailure::Timeout);
    let unread: Set = |known| (known.read_at, known.timeline) = (None, None);
    for (now, change, partner, state, coverage) in [
        ("09:01", as_is, Partner::Pager, "current", "complete"),
        ("09:03", as_is, Partner::Pager, "stale", "complete"),
        ("09:01", failed, Partner::Pager, "stale", "complete"),
        ("19:59", failed, Partner::Pager, "stale", "complete"),
        ("20:00", as_is, Partner::Pager, "unknown", "unknown"),
        ("09:01", unread, Partner::Pager, "unknown", "unknown"),
        ("09:01", as_is, Partner::Ops, "notConnected", "unknown"),
    ] {
        let mut rotation = following(&["ann 08:00 20:00"], "09:00");
        let external = rotation.external.as_mut().unwrap();
        change(Arc::make_mut(&mut external.schedule));
        let as_of = AsOf {
            now: at(now),
            poll_every: SignedDuration::from_secs(60),
            connected: vec![partner],
        };
        let found = external.state(&as_of);
        let covered = external.coverage(found);
        assert_eq!((found.name(), covered.name()), (state, coverage), "{now}");
        // Not being able to read changes nobody.
        assert_eq!(on_call(&rotation), "U1|");
    }
}

#[test]
fn coverage_and_counts_tell_assigned_empty_and_unknown_slots() {
    let counted = |required, assigned, empty, unmapped, responders, participants| Counts {
        required,
        assigned,
        empty,
        unmapped,
        responders,
        participants,
    };
    for (shifts, coverage, expected) in [
        (
            &["ann 08:00 20:00"][..],
            "complete",
            counted(1, 1, 0, 0, 1, 1),
        ),
        (
            &["ann 08:00 10:00", "ben 10:00 12:00"],
            "complete",
            counted(1, 1, 0, 0, 1, 2),
        ),
        (
            &["ann 08:00 20:00", "- 08:00 20:00"],
            "partial",
            counted(2, 1, 1, 0, 1, 1),
        ),
        (&["- 08:00 20:00"], "none", counted(1, 0, 1, 0, 0, 0)),
        (&[], "none", counted(0, 0, 0, 0, 0, 0)),
        (
            &["zoe 08:00 20:00", "ann 08:00 20:00"],
            "complete",
            counted(2, 2, 0, 1, 2, 2),
        ),
        // A team counts as somebody unknown, and is no person.
        (&["Ops 08:00 20:00"], "complete", counted(1, 1, 0, 1, 0, 0)),
    ] {
        let rotation = following(shifts, "09:00");
        let external = rotation.external.as_ref().unwrap();
        assert_eq!(
            external.coverage(State::Current).name(),
            coverage,
            "{shifts:?}"
        );
        assert_eq!(counts(external), expected, "{shifts:?}");
    }
}

#[test]
fn a_team_has_no_address() {
    let rotation = following(&["Ops 08:00 20:00"], "09:00");
    let outsider = rotation.external.unwrap().outsider().unwrap();
    assert_eq!(outsider.name.as_deref(), Some("Ops"));
    assert_eq!(outsider.email, None);
}

#[test]
fn the_next_change_names_who_starts_stays_and_ends() {
    let rotation = following(
        &["ann 08:00 20:00", "ben 08:00 10:00", "zoe 10:00 12:00"],
        "09:00",
    );
    let external = rotation.external.as_ref().unwrap();
    let change = external.upcoming(rotation.stamps.judged_at).unwrap();
    let ids = |list: &[Assignment]| -> Vec<String> {
        list.iter()
            .filter_map(|one| one.shift.member.id.clone())
            .collect()
    };
    assert_eq!(change.at, at("10:00"));
    assert_eq!(ids(&change.starting), ["zoe"]);
    assert_eq!(ids(&change.continuing), ["ann"]);
    assert_eq!(ids(&change.ending), ["ben"]);
}

#[test]
fn linking_resets_the_grid_and_unlinking_keeps_whoever_is_known() {
    for (shifts, holder) in [
        (&["ann 08:00 20:00"][..], Some("U1")),
        (&["zoe 08:00 20:00", "ben 08:00 20:00"], Some("U2")),
        (&["zoe 08:00 20:00"], None),
    ] {
        let mut rotation = following(shifts, "09:00");
        assert_eq!(rotation.mode(), crate::domain::rotation::Mode::External);
        assert_eq!(
            (
                rotation.lanes.len(),
                rotation.windows.len(),
                rotation.cells.len()
            ),
            (1, 1, 1)
        );
        // The partner's order, without those who are unknown.
        let members: Vec<&str> = rotation.members.users.iter().map(UserId::as_str).collect();
        assert_eq!(members, ["U2", "U1"]);
        unlink(&mut rotation);
        assert_eq!(rotation.mode(), crate::domain::rotation::Mode::Manual);
        assert_eq!(rotation.windows[0].zone.map(|zone| zone.to_string()), None);
        let held = rotation.cells[0].holder.as_ref().map(|it| it.user.as_str());
        assert_eq!(held, holder);
        assert_eq!(rotation.members.users.len(), 2);
    }
}

#[test]
fn news_tell_of_people_outside_as_of_others() {
    let changed = |cause| Event::DutyChanged { cause: Some(cause) };
    let nobody = Event::NobodyOnCall {
        reason: Nobody::Unplanned,
        resumes_at: None,
    };
    for (was, is, act, expected) in [
        ("ann", "ben", Act::Clock, vec![changed(Cause::Scheduled)]),
        ("ann", "zoe", Act::Reading, vec![changed(Cause::Scheduled)]),
        ("zoe", "Ops", Act::Clock, vec![changed(Cause::Scheduled)]),
        (
            "zoe",
            "-",
            Act::Clock,
            vec![changed(Cause::Scheduled), nobody],
        ),
        ("-", "ann", Act::Reading, vec![changed(Cause::Scheduled)]),
        ("ann", "ann", Act::Clock, vec![]),
        (
            "ann",
            "ben",
            Act::Edit,
            vec![Event::Updated, changed(Cause::Manual)],
        ),
    ] {
        let one = |who: &str| following(&[&format!("{who} 08:00 20:00")], "09:00");
        let found = news(&one(was), &one(is), act, &Calendar::embedded());
        assert_eq!(found, expected, "{was} to {is}");
    }
    // Only what is ahead.
    let before = following(&["ann 08:00 10:00", "ben 10:00 12:00"], "09:00");
    let mut after = following(&["ann 08:00 11:00", "ben 11:00 12:00"], "09:00");
    after.cells = before.cells.clone();
    let found = news(&before, &after, Act::Reading, &Calendar::embedded());
    assert_eq!(found, [Event::Updated]);
}

/// rules.md 22.8.
#[test]
fn the_schedule_ends_where_nothing_is_known() {
    let shifts = [
        "ann 08:00 10:00",
        "ben 10:00 12:00",
        "- 12:00 13:00",
        "zoe 14:00 22:00",
    ];
    let rotation = following(&shifts, "09:00");
    let turns = schedule(&rotation);
    let told: Vec<String> = turns
        .iter()
        .map(|turn| {
            let who = turn.entry.user.as_ref().map(UserId::to_string);
            let who = who
                .or_else(|| turn.entry.outside.clone())
                .unwrap_or("-".into());
            let end = turn.end.unwrap();
            format!(
                "{who} {} {}",
                &turn.entry.start.to_string()[11..16],
                &end.to_string()[11..16]
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            "U1 08:00 10:00",
            "U2 10:00 12:00",
            "- 12:00 14:00",
            "zoe out there 14:00 22:00"
        ]
    );
    assert_eq!(turns[3].kind(), DutyKind::Turn);
    assert_eq!(turns[2].kind(), DutyKind::Nobody);
}

/// rules.md 22.4.
#[test]
fn readings_are_repeated_soon_after_a_failure_and_spread_over_a_poll() {
    let poll = SignedDuration::from_secs(60);
    let minute = at("09:00");
    for (failures, seconds) in [(0, 60), (1, 5), (2, 15), (3, 60), (9, 60)] {
        let known = LinkedSchedule {
            read_at: Some(minute),
            failed_at: Some(minute),
            failure: (failures > 0).then_some(ReadFailure::Timeout),
            failures,
            ..LinkedSchedule::default()
        };
        let expected = minute + SignedDuration::from_secs(seconds);
        assert_eq!(next_reading(&known, poll), Some(expected), "{failures}");
    }
    assert_eq!(next_reading(&LinkedSchedule::default(), poll), None);
    let times: Vec<i64> = (0..4)
        .map(|index| {
            spread(minute, poll, index, 4)
                .duration_since(minute)
                .as_secs()
        })
        .collect();
    assert_eq!(times, [0, 15, 30, 45]);
}

#[test]
fn schedules_that_were_read_at_once_are_spread_again() {
    let poll = SignedDuration::from_secs(60);
    let minute = at("09:00");
    let seconds = |last: i64, index: usize| {
        let last = minute + SignedDuration::from_secs(last);
        let next = in_turn(last, minute, poll, index, 4);
        next.duration_since(minute).as_secs()
    };
    for (last, next) in [
        // All were read 100 seconds after the server began.
        (100, [120, 135, 150, 105]),
        // At its own instant a schedule is not read twice.
        (120, [180, 135, 150, 165]),
        // Before the server began.
        (-70, [-60, -45, -30, -15]),
    ] {
        let times: Vec<i64> = (0..4).map(|index| seconds(last, index)).collect();
        assert_eq!(times, next, "{last}");
    }
}

/// rules.md 28.1 and 28.2: what becomes known is new, what others have then has moved.
#[test]
fn a_reading_moves_shifts_where_others_have_them() {
    let shifts = ["ben 08:00 12:00", "ann 12:00 16:00", "ben 16:00 20:00"];
    let before = following(&shifts, "09:00");
    let (calendar, absences) = (Calendar::embedded(), Arc::default());
    let dealing = DealingContext {
        calendar: &calendar,
        absences: &absences,
    };
    let plan = |rotation: &Rotation| {
        let ahead = Interval::ahead(at("09:00"), SignedDuration::from_hours(24));
        ToldPlan::of(rotation, dealing, ahead, None)
    };
    assert_eq!(plan(&before).span, span("09:00", "20:00"));
    for (shifts, until, is_moved) in [
        (shifts, "20:00", false),
        (shifts, "24 08:00", false),
        (
            ["ben 08:00 12:00", "zoe 12:00 16:00", "ben 16:00 20:00"],
            "20:00",
            true,
        ),
        (
            ["ben 08:00 12:00", "ann 12:00 16:00", "ann 16:00 20:00"],
            "20:00",
            true,
        ),
    ] {
        let mut after = before.clone();
        let mut read = external(&shifts).schedule.as_ref().clone();
        if let Some(timeline) = &mut read.timeline {
            timeline.known.until = at(until);
        }
        let external = after.external.as_mut().expect("a schedule");
        external.schedule = Arc::new(read);
        assert_eq!(
            plan_change::moves(&before, &after),
            is_moved,
            "{shifts:?} {until}"
        );
        let (_, moves) = differences(&plan(&before), &plan(&after));
        let is_told = moves.values().any(|moves| !moves.is_empty());
        assert_eq!(is_told, is_moved, "{shifts:?} {until}");
    }
}
