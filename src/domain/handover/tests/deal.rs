//! Dealing by covered time: cases, fairness over a year, and random grids beside the model of duty, which looks at every half hour.

use super::*;
use crate::domain::absence_policy::{AbsencePolicy, CalendarsCount, PassOver, WhileOnDuty};
use crate::domain::roster;
use crate::tests::duty_model::time::{Minute, Span, WEEK};
use crate::tests::duty_model::{self, Model, Policy};

const HALF_HOUR: SignedDuration = SignedDuration::from_mins(30);

fn days(from: Weekday, start: &str, until: Weekday, end: &str) -> Vec<Stretch> {
    vec![stretch(from, start, until, end)]
}

/// Monday nine to Friday five, handed over on Mondays, and the rest of the week, handed over on Fridays.
fn week_and_weekend() -> Vec<(Cadence, Vec<Stretch>)> {
    let (monday, friday) = (Weekday::Monday, Weekday::Friday);
    vec![
        (
            weekly("2026-11-16T09:00:00Z"),
            days(monday, "09:00", friday, "17:00"),
        ),
        (
            weekly("2026-11-20T17:00:00Z"),
            days(friday, "17:00", monday, "09:00"),
        ),
    ]
}

fn spread(mut rotation: Rotation) -> Rotation {
    for roster in &mut rotation.rosters {
        roster.next_turns.clear();
    }
    roster::follow(&rotation.clone(), &mut rotation);
    rotation
}

fn holder(rotation: &Rotation, slot: usize) -> Option<&str> {
    let holder = rotation.cells[slot].holder.as_ref();
    holder.map(|holder| holder.user.as_str())
}

fn passed_over(rotation: &Rotation, slot: usize) -> String {
    let passed = rotation.cells[slot].passed_over.iter();
    let passed = passed.map(|passed| format!("{} in {}", passed.user, passed.cell));
    passed.collect::<Vec<_>>().join(", ")
}

/// How many turns each of six people has in each window in a year that begins at an instant, after half a year's lead.
fn turns_of_a_year(
    mut rotation: Rotation,
    dealing: DealingContext,
    from: Timestamp,
) -> Vec<Vec<u32>> {
    let until = from + SignedDuration::from_hours(364 * 24);
    let mut turns = vec![vec![0; 6]; rotation.windows.len()];
    while let Some(due) = next_due(&rotation, dealing).filter(|due| *due < until) {
        step(&mut rotation, dealing, due);
        for cell in &rotation.cells {
            let holder = cell.holder.as_ref().expect("somebody");
            if holder.since == due && due >= from {
                let person = usize::from(holder.user.as_str().as_bytes()[0] - b'a');
                turns[cell.window][person] += 1;
            }
        }
    }
    turns
}

#[test]
fn everybody_has_as_many_weekends_as_anybody_else() {
    let calendar = Calendar::embedded();
    for day in 0..7 {
        let begun = at("2026-11-23T12:00:00Z") + SignedDuration::from_hours(24 * day);
        for absences in [
            Absences::default(),
            away(&[("c", "2026-12-01T00:00:00Z", "2026-12-23T00:00:00Z")]),
            away(&[
                ("a", "2026-11-20T00:00:00Z", "2027-01-15T00:00:00Z"),
                ("e", "2026-12-18T16:00:00Z", "2026-12-18T18:00:00Z"),
            ]),
        ] {
            let dealing = DealingContext {
                calendar: &calendar,
                absences: &absences,
            };
            for own_rosters in [false, true] {
                let mut rotation = rotation(6, 1, week_and_weekend(), begun);
                if own_rosters {
                    rotation.rosters = ["week", "weekend"]
                        .map(|id| Roster {
                            id: Some(id.into()),
                            narrowed: None,
                            next_turns: Vec::new(),
                        })
                        .into();
                    rotation.cells[0].roster = Some("week".into());
                    rotation.cells[1].roster = Some("weekend".into());
                }
                let rotation = dealt(spread(rotation), dealing);
                let from = absences.last_end().unwrap_or(begun).max(begun);
                for turns in turns_of_a_year(rotation, dealing, from) {
                    let most = turns.iter().max().expect("people");
                    let least = turns.iter().min().expect("people");
                    assert!(most - least <= 1, "{turns:?} on day {day}");
                }
            }
        }
    }
}

#[test]
fn whoever_is_on_call_elsewhere_is_passed_over_and_named() {
    let calendar = Calendar::embedded();
    let absences = away(&[("c", "2026-11-20T00:00:00Z", "2026-11-25T00:00:00Z")]);
    let dealing = DealingContext {
        calendar: &calendar,
        absences: &absences,
    };
    // All week, and Fridays from noon on.
    let windows = || {
        vec![
            (weekly("2026-11-16T09:00:00Z"), vec![]),
            (
                weekly("2026-11-16T09:00:00Z"),
                days(Weekday::Friday, "12:00", Weekday::Monday, "09:00"),
            ),
        ]
    };
    let begin = |people, double_cover| {
        let mut rotation = rotation(people, 1, windows(), at("2026-11-23T09:00:00Z"));
        rotation.double_cover = double_cover;
        dealt(rotation, dealing)
    };
    let shown = |rotation: &Rotation| {
        let slot = |slot| {
            let holder = holder(rotation, slot).unwrap_or("-");
            format!("{holder} [{}]", passed_over(rotation, slot))
        };
        format!("{} {}", slot(0), slot(1))
    };
    assert_eq!(shown(&begin(1, false)), "a [] - [a in cel_0]");
    assert_eq!(shown(&begin(2, false)), "a [] b [a in cel_0]");
    // With double cover it is the second search that finds somebody, and it passes over nobody.
    assert_eq!(shown(&begin(1, true)), "a [] a []");
    assert_eq!(shown(&begin(2, true)), "a [] b [a in cel_0]");
    // Somebody absent is no further reason.
    let mut absent = begin(3, false);
    absent.rosters[0].next_turns[1].turn = 2;
    absent.cells[1].holder = None;
    let absent = dealt(absent, dealing);
    assert_eq!(shown(&absent), "a [] b [a in cel_0]");
    let skipped = &absent.cells[1].holder.as_ref().unwrap().skipped;
    assert_eq!(skipped[0].user.as_str(), "c");
}

#[test]
fn an_edge_of_a_window_lets_an_empty_slot_be_filled() {
    let calendar = Calendar::embedded();
    let absences = Absences::default();
    let dealing = DealingContext {
        calendar: &calendar,
        absences: &absences,
    };
    // The first window shuts on Friday at five; the second is open from Friday noon.
    let windows = vec![
        (
            weekly("2026-11-16T09:00:00Z"),
            days(Weekday::Monday, "09:00", Weekday::Friday, "17:00"),
        ),
        (
            weekly("2026-11-16T09:00:00Z"),
            days(Weekday::Friday, "12:00", Weekday::Monday, "09:00"),
        ),
    ];
    let begun = dealt(rotation(1, 1, windows, at("2026-11-23T09:00:00Z")), dealing);
    assert_eq!(holder(&begun, 1), None);
    assert_eq!(
        walk(begun, dealing, 4),
        [
            "2026-11-27T12:00:00Z 1 - business-hours-back-online",
            "2026-11-27T17:00:00Z 0 - business-hours-offline",
            "2026-11-27T17:00:00Z 1 a next-on-scheduled-duty",
            "2026-11-30T09:00:00Z 0 a next-on-scheduled-duty",
            "2026-11-30T09:00:00Z 1 - business-hours-offline",
            "2026-12-04T12:00:00Z 1 - business-hours-back-online",
        ]
    );
}

/// Dealing goes on beneath an arrangement: who is arranged into another slot is dealt one all the same.
#[test]
fn arrangements_stand_in_nobodys_way() {
    let calendar = Calendar::embedded();
    let absences = Absences::default();
    let dealing = DealingContext {
        calendar: &calendar,
        absences: &absences,
    };
    let windows = vec![(weekly("2026-11-16T09:00:00Z"), vec![])];
    let mut begun = rotation(3, 2, windows, at("2026-11-23T09:00:00Z"));
    begun.arranged = vec![arranged(
        0,
        "c",
        "2026-11-23T09:00:00Z",
        "2026-12-14T09:00:00Z",
    )];
    let mut now = dealt(begun, dealing);
    step(&mut now, dealing, at("2026-11-30T09:00:00Z"));
    assert_eq!([holder(&now, 0), holder(&now, 1)], [Some("c"), Some("a")]);
}

/// The windows of a rotation with their hours and hand-overs, for as long as a model of it runs and the turns then last. Times are in
/// minutes from the instant at which the rotation was judged last.
fn listed(rotation: &Rotation, calendar: &Calendar) -> Vec<duty_model::Window> {
    let begun = rotation.stamps.judged_at;
    let instant = |minute: Minute| begun + SignedDuration::from_mins(minute);
    let end = 5 * WEEK;
    let windows = rotation.windows.iter().map(|window| {
        let cadence = window.cadence.as_ref().expect("a cadence");
        let due = cadence.hand_overs(calendar, begun);
        let due = due.map(|at| at.duration_since(begun).as_mins());
        let due = due.take_while(|minute| *minute < 2 * end).collect();
        let hours = rotation.hours(window);
        let mut open: Vec<Span> = Vec::new();
        for from in (0..end).step_by(30) {
            let until = from + 30;
            match open.last_mut() {
                _ if !hours.at(calendar, instant(from)).open => {}
                Some(last) if last.until == from => last.until = until,
                _ => open.push(Span { from, until }),
            }
        }
        duty_model::Window {
            cadence: Some(duty_model::time::Cadence::Listed(due)),
            hours: duty_model::time::Hours::Listed(open.into()),
            open: false,
        }
    });
    windows.collect()
}

fn policy() -> impl Strategy<Value = Policy> {
    let calendars = prop_oneof![Just(None), Just(Some(0)), (1..100_u16).prop_map(Some)];
    (calendars, any::<bool>(), any::<bool>()).prop_map(|(calendars, during, leaves)| Policy {
        calendars,
        during,
        leaves,
    })
}

fn absence_policy(policy: Policy) -> AbsencePolicy {
    AbsencePolicy {
        calendars: match policy.calendars {
            None => CalendarsCount::Never,
            Some(0) => CalendarsCount::Always,
            Some(hours) => CalendarsCount::Long(hours),
        },
        pass_over: match policy.during {
            true => PassOver::DuringTurn,
            false => PassOver::AtHandOver,
        },
        while_on_duty: match policy.leaves {
            true => WhileOnDuty::HandOver,
            false => WhileOnDuty::Keep,
        },
    }
}

/// Who holds each slot, who was passed over for it, and the next turns. Person 1 is `a`.
fn shown_of(model: &Model) -> String {
    let place = |key: usize| model.cells.iter().position(|cell| cell.key == key).unwrap();
    let slot = |cell: &duty_model::Cell| {
        let holder = cell.holder.map(|(who, _)| (who, &cell.skipped));
        let passed = cell.passed.iter().map(|(who, key)| (*who, place(*key)));
        format!("{holder:?} {:?}", passed.collect::<Vec<_>>())
    };
    let slots: Vec<String> = model.cells.iter().map(slot).collect();
    format!("{slots:?} {:?}", model.next_turns)
}

/// The slots of a rotation, in the words of its model.
fn shown(rotation: &Rotation) -> String {
    let person = |user: &UserId| user.as_str().as_bytes()[0] - b'a' + 1;
    let slot = |cell: &Cell| {
        let holder = cell.holder.as_ref().map(|holder| {
            let skipped = holder.skipped.iter().map(|skipped| person(&skipped.user));
            (person(&holder.user), skipped.collect::<Vec<u8>>())
        });
        let passed = cell.passed_over.iter();
        let passed: Vec<(u8, usize)> = passed
            .map(|passed| {
                (
                    person(&passed.user),
                    rotation.slot_of(&passed.cell).unwrap(),
                )
            })
            .collect();
        format!("{holder:?} {passed:?}")
    };
    let slots: Vec<String> = rotation.cells.iter().map(slot).collect();
    let turns = rotation.rosters[0].next_turns.iter();
    let turns: Vec<usize> = turns.map(|next| next.turn).collect();
    format!("{slots:?} {turns:?}")
}

/// Hours on half hours, and a cadence on one.
fn windows() -> impl Strategy<Value = (Cadence, Vec<Stretch>)> {
    let half_hour = |n: u32| format!("{:02}:{:02}", n / 2, n % 2 * 30);
    let day = |n: i8| Weekday::from_monday_zero_offset(n).unwrap();
    let stretches = prop::collection::vec((0..7_i8, 0..48_u32, 0..7_i8, 0..48_u32), 0..4);
    let cadence = (0..3_u8, 0..7_i64, 0..48_i64, 1..3_u32);
    (stretches, cadence).prop_map(move |(stretches, (kind, late, start, period))| {
        let stretches = stretches.into_iter().map(|(from, start, until, end)| {
            stretch(day(from), &half_hour(start), day(until), &half_hour(end))
        });
        let midnight = at("2026-03-16T00:00:00Z") + SignedDuration::from_hours(24 * late);
        let cadence = Cadence {
            kind: match kind {
                0 => Kind::DayOfWeek,
                1 => Kind::DaysOfWeekList(vec![Weekday::Monday, Weekday::Thursday]),
                _ => Kind::Daily {
                    times: ["08:00", "20:30"]
                        .map(|text| HhMm::parse(text).unwrap())
                        .into(),
                },
            },
            period,
            zone: ZoneName::parse("Europe/Oslo").unwrap(),
            ..weekly(&(midnight + HALF_HOUR * start as i32).to_string())
        };
        (cadence, stretches.collect())
    })
}

proptest! {
    #![proptest_config(crate::tests::cases(40))]

    /// Over the change to summer time too, which is on 29 March.
    /// rules.md 2.3, 2.4, 2.5, 10.5, 10.6 and 10.7.
    #[test]
    fn random_grids_are_dealt_as_a_simple_model_deals_them(
        people in 0..6_usize,
        lanes in 1..3_usize,
        windows in prop::collection::vec(windows(), 1..4),
        double_cover in any::<bool>(),
        absent in prop::collection::vec((0..6_u8, 0..600_i64, 1..300_i64), 0..4),
        mirrored in prop::collection::vec((0..6_u8, 0..600_i64, 1..150_i64), 0..8),
        policy in prop_oneof![Just(Policy { calendars: Some(0), ..Policy::default() }), policy(), policy(), policy()],
    ) {
        let begun = at("2026-03-18T10:00:00Z");
        let tick = |n: i64| begun + HALF_HOUR * n as i32;
        let of = |list: &[(u8, i64, i64)]| -> Vec<duty_model::Absence> {
            let members = list.iter().filter(|(who, ..)| usize::from(*who) < people);
            let absence = members.map(|(who, from, ticks)| duty_model::Absence {
                who: who + 1,
                span: Span { from: 30 * from, until: 30 * (from + ticks) },
            });
            absence.collect()
        };
        let users = |list: &[duty_model::Absence]| -> Vec<(UserId, Interval)> {
            let instant = |minute| begun + SignedDuration::from_mins(minute);
            let period = list.iter().map(|absence| {
                let user = UserId::from(char::from(b'a' + absence.who - 1).to_string());
                (user, Interval { from: instant(absence.span.from), until: instant(absence.span.until) })
            });
            period.collect()
        };
        let [absent, mirrored] = [of(&absent), of(&mirrored)];
        let absences = Absences::new(users(&absent)).with_calendars(users(&mirrored), Vec::new());
        let absence_policy = absence_policy(policy);
        let absences = absence_policy.calendars.count_in(absences);
        let calendar = Calendar::embedded();
        let dealing = DealingContext { calendar: &calendar, absences: &absences };
        let mut now = spread(rotation(people, lanes, windows, begun));
        now.double_cover = double_cover;
        now.absence_policy = absence_policy;
        let members = (1..=people as u8).collect();
        let mut model = Model::bare(members, lanes, listed(&now, &calendar), double_cover);
        (model.absences, model.mirrored, model.policy) = (absent, mirrored, policy);
        model.begin();
        let mut now = dealt(now, dealing);
        let mut memo = Memo::default();
        prop_assert_eq!(shown(&now), shown_of(&model));
        for n in 1..=48 * 21 {
            // Every half hour, whatever the model takes to be due.
            model.step(30 * n);
            while let Some(due) = memo.next_due(&now, dealing).filter(|due| *due <= tick(n)) {
                memo.step(&mut now, dealing, due);
            }
            prop_assert_eq!(shown(&now), shown_of(&model), "{}", tick(n));
            for user in &now.members.users {
                let on_call = now.cells.iter().filter(|cell| {
                    let holder = cell.holder.as_ref();
                    holder.is_some_and(|holder| &holder.user == user) && now.windows[cell.window].open
                });
                prop_assert!(double_cover || on_call.count() <= 1, "{} at {}", user, tick(n));
            }
        }
    }
}
