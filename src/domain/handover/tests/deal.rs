//! Dealing by covered time: cases, fairness over a year, and random grids beside a second implementation that goes through time
//! half an hour at a time and looks at every half hour.

use super::*;
use crate::domain::absence_policy::{AbsencePolicy, CalendarsCount, PassOver, WhileOnDuty};

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
    rotation.follow(&rotation.clone());
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

/// Who holds each slot, who was passed over for it, and the next turns: as the rules have it, and clever nowhere.
struct Simple<'a> {
    rotation: Rotation,
    calendar: &'a Calendar,
    /// Absences that count, each a person and a period.
    away: Vec<(usize, Interval)>,
    now: Timestamp,
    holders: Vec<Option<usize>>,
    /// The absent people of each turn.
    skipped: Vec<Vec<usize>>,
    passed: Vec<Vec<(usize, usize)>>,
    next_turns: Vec<usize>,
}

impl<'a> Simple<'a> {
    fn begin(
        rotation: &Rotation,
        calendar: &'a Calendar,
        away: Vec<(usize, Interval)>,
    ) -> Simple<'a> {
        let people = rotation.members.users.len();
        let windows = rotation.windows.len();
        let mut simple = Simple {
            rotation: rotation.clone(),
            calendar,
            away,
            now: rotation.stamps.judged_at,
            holders: vec![None; rotation.cells.len()],
            skipped: vec![Vec::new(); rotation.cells.len()],
            passed: vec![Vec::new(); rotation.cells.len()],
            next_turns: (0..windows).map(|k| k * people / windows).collect(),
        };
        let nobody = vec![None; simple.holders.len()];
        simple.fill(&nobody);
        simple
    }

    fn hand_over(&self, window: usize, after: Timestamp) -> Timestamp {
        let cadence = self.rotation.windows[window].cadence.as_ref();
        let next = cadence.unwrap().next(self.calendar, after);
        next.expect("a hand-over")
    }

    fn is_open(&self, window: usize, at: Timestamp) -> bool {
        let hours = self.rotation.hours(&self.rotation.windows[window]);
        hours.at(self.calendar, at).open
    }

    fn is_away(&self, person: usize, at: Timestamp) -> bool {
        let mut away = self.away.iter();
        away.any(|(who, period)| *who == person && period.contains(at))
    }

    /// Whether both windows are open in some half hour before either is handed over.
    fn meet(&self, one: usize, other: usize) -> bool {
        let ends = [one, other].map(|window| self.hand_over(window, self.now));
        let mut at = self.now;
        while at < ends[0].min(ends[1]) {
            if self.is_open(one, at) && self.is_open(other, at) {
                return true;
            }
            at += HALF_HOUR;
        }
        false
    }

    /// The covered half hours up to the window's next hand-over.
    fn covered(&self, window: usize) -> Vec<Timestamp> {
        let ends = self.hand_over(window, self.now);
        let mut half_hours = Vec::new();
        let mut at = self.now;
        while at < ends {
            if self.is_open(window, at) {
                half_hours.push(at);
            }
            at += HALF_HOUR;
        }
        half_hours
    }

    fn leaves(&self) -> bool {
        self.rotation.absence_policy.while_on_duty == WhileOnDuty::HandOver
    }

    /// How many covered half hours of the turn somebody misses who may be chosen all the same; `Some(None)` where they may not.
    fn missed(
        &self,
        covered: &[Timestamp],
        person: usize,
        hands_over: bool,
    ) -> Option<Option<usize>> {
        if self.leaves() && !hands_over && self.is_away(person, self.now) {
            return Some(None);
        }
        if self.rotation.absence_policy.pass_over == PassOver::AtHandOver {
            return self.is_away(person, self.now).then_some(None);
        }
        let missed = covered.iter().filter(|at| self.is_away(person, **at));
        match missed.count() {
            0 => None,
            all if all == covered.len() => Some(None),
            part => Some(Some(part)),
        }
    }

    /// Deals a slot. Whoever is `gone` has just left it; `hands_over` where its window does.
    fn deal(&mut self, slot: usize, gone: Option<usize>, hands_over: bool) {
        let window = self.rotation.cells[slot].window;
        let people = self.rotation.members.users.len();
        let during = self.rotation.absence_policy.pass_over == PassOver::DuringTurn;
        let covered = if during {
            self.covered(window)
        } else {
            Vec::new()
        };
        let person = |step: usize| (self.next_turns[window] + step) % people;
        let missed: Vec<_> = (0..people)
            .map(|step| self.missed(&covered, person(step), hands_over))
            .collect();
        let way: Vec<Option<usize>> = (0..people)
            .map(|step| {
                (0..self.holders.len()).find(|&other| {
                    self.holders[other] == Some(person(step))
                        && self.meet(window, self.rotation.cells[other].window)
                })
            })
            .collect();
        let any_partly = missed.iter().flatten().any(|missed| missed.is_some());
        for (partly, doubled) in [(false, false), (false, true), (true, false), (true, true)] {
            if (doubled && !self.rotation.double_cover) || (partly && !any_partly) {
                continue;
            }
            let may = |step: &usize| {
                let here = match missed[*step] {
                    None => true,
                    Some(part) => partly && part.is_some(),
                };
                here && (doubled || way[*step].is_none())
            };
            let misses = |step: &usize| missed[*step].flatten().unwrap_or(0);
            let chosen = (0..people).filter(may).min_by_key(misses);
            let before = 0..chosen.unwrap_or(people);
            let in_the_way = before
                .clone()
                .filter(|step| missed[*step].is_none() && !doubled);
            let in_the_way = in_the_way.filter_map(|step| Some((person(step), way[step]?)));
            let passed: Vec<(usize, usize)> = in_the_way.collect();
            let skipped = before.filter(|step| missed[*step].is_some()).map(person);
            let mut skipped: Vec<usize> = skipped.collect();
            self.passed[slot] = passed;
            if let Some(step) = chosen {
                let left = gone.filter(|left| !skipped.contains(left));
                skipped.splice(0..0, left);
                self.skipped[slot] = skipped;
                self.holders[slot] = Some(person(step));
                self.next_turns[window] = (person(step) + 1) % people;
                return;
            }
        }
    }

    fn fill(&mut self, gone: &[Option<usize>]) {
        for (slot, left) in gone.iter().enumerate() {
            if self.holders[slot].is_none() {
                self.deal(slot, *left, false);
            }
        }
    }

    /// The next half hour.
    fn tick(&mut self) {
        let before = self.now;
        self.now += HALF_HOUR;
        let windows = self.rotation.windows.len();
        let due: Vec<bool> = (0..windows)
            .map(|window| self.hand_over(window, before) == self.now)
            .collect();
        let begins = |person: usize| {
            let mut away = self.away.iter();
            away.any(|(who, period)| *who == person && period.from == self.now)
        };
        let leaves = self.leaves();
        let gone: Vec<Option<usize>> = (0..self.holders.len())
            .map(|slot| {
                let stays = !leaves || due[self.rotation.cells[slot].window];
                self.holders[slot].filter(|person| !stays && begins(*person))
            })
            .collect();
        let slots: Vec<usize> = (0..self.holders.len())
            .filter(|slot| due[self.rotation.cells[*slot].window] || gone[*slot].is_some())
            .collect();
        for &slot in &slots {
            (self.holders[slot], self.passed[slot]) = (None, Vec::new());
        }
        for &slot in &slots {
            self.deal(slot, gone[slot], gone[slot].is_none());
        }
        let flips = |window| self.is_open(window, before) != self.is_open(window, self.now);
        let is_back = self.away.iter().any(|(_, period)| period.until == self.now);
        if due.contains(&true) || (0..windows).any(flips) {
            self.fill(&gone);
        } else if is_back {
            // Who is passed over then changes nothing that is shown.
            let passed = self.passed.clone();
            self.fill(&gone);
            for (slot, passed) in passed.iter().enumerate() {
                if self.holders[slot].is_none() {
                    self.passed[slot].clone_from(passed);
                }
            }
        }
    }

    fn shown(&self) -> String {
        let slot = |slot: usize| {
            let holder = self.holders[slot].map(|holder| (holder, &self.skipped[slot]));
            format!("{holder:?} {:?}", self.passed[slot])
        };
        let slots: Vec<String> = (0..self.holders.len()).map(slot).collect();
        format!("{slots:?} {:?}", self.next_turns)
    }
}

/// The absences of calendars that count, by the half hours that they cover, one by one.
fn long_ones(
    people: usize,
    mirrored: &[(u8, i64, i64)],
    policy: AbsencePolicy,
) -> Vec<(usize, (i64, i64))> {
    let least = match policy.calendars {
        CalendarsCount::Never => return Vec::new(),
        CalendarsCount::Always => 1,
        CalendarsCount::Long(hours) => 2 * i64::from(hours),
    };
    let mut found = Vec::new();
    for person in 0..people {
        let is_away = |tick: i64| {
            let mut all = mirrored
                .iter()
                .filter(|(who, ..)| usize::from(*who) == person);
            all.any(|(_, from, ticks)| (*from..from + ticks).contains(&tick))
        };
        let mut from = None;
        for tick in 0..1200 {
            match (is_away(tick), from) {
                (true, None) => from = Some(tick),
                (false, Some(begun)) => {
                    from = None;
                    if tick - begun >= least {
                        found.push((person, (begun, tick)));
                    }
                }
                _ => {}
            }
        }
    }
    found
}

fn policy() -> impl Strategy<Value = AbsencePolicy> {
    let calendars = prop_oneof![
        Just(CalendarsCount::Never),
        Just(CalendarsCount::Always),
        (1..100_u16).prop_map(CalendarsCount::Long),
    ];
    (calendars, any::<bool>(), any::<bool>()).prop_map(|(calendars, during, leaves)| {
        AbsencePolicy {
            calendars,
            pass_over: if during {
                PassOver::DuringTurn
            } else {
                PassOver::AtHandOver
            },
            while_on_duty: if leaves {
                WhileOnDuty::HandOver
            } else {
                WhileOnDuty::Keep
            },
        }
    })
}

/// The same of a rotation.
fn shown(rotation: &Rotation) -> String {
    let person = |user: &UserId| usize::from(user.as_str().as_bytes()[0] - b'a');
    let slot = |cell: &Cell| {
        let holder = cell.holder.as_ref().map(|holder| {
            let skipped = holder.skipped.iter().map(|skipped| person(&skipped.user));
            (person(&holder.user), skipped.collect::<Vec<usize>>())
        });
        let passed = cell.passed_over.iter();
        let passed: Vec<(usize, usize)> = passed
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
        policy in prop_oneof![Just(AbsencePolicy::default()), policy(), policy(), policy()],
    ) {
        let begun = at("2026-03-18T10:00:00Z");
        let tick = |n: i64| begun + HALF_HOUR * n as i32;
        let is_member = |(user, ..): &&(u8, i64, i64)| usize::from(*user) < people;
        let of = |list: &[(u8, i64, i64)]| -> Vec<(UserId, Interval)> {
            let members = list.iter().filter(is_member);
            let period = members.map(|(user, from, ticks)| {
                let user = UserId::from(char::from(b'a' + user).to_string());
                (user, Interval { from: tick(*from), until: tick(from + ticks) })
            });
            period.collect()
        };
        let stored = absent.iter().filter(is_member).map(|(user, from, ticks)| (usize::from(*user), (*from, from + ticks)));
        let counted = stored.chain(long_ones(people, &mirrored, policy));
        let counted = counted.map(|(person, (from, until))| (person, Interval { from: tick(from), until: tick(until) }));
        let absences = Absences::new(of(&absent)).with_calendars(of(&mirrored), Vec::new());
        let absences = policy.calendars.count_in(absences);
        let calendar = Calendar::embedded();
        let dealing = DealingContext { calendar: &calendar, absences: &absences };
        let mut now = spread(rotation(people, lanes, windows, begun));
        now.double_cover = double_cover;
        now.absence_policy = policy;
        let mut simple = Simple::begin(&now, &calendar, counted.collect());
        let mut now = dealt(now, dealing);
        let mut memo = Memo::default();
        prop_assert_eq!(shown(&now), simple.shown());
        for _ in 0..48 * 21 {
            simple.tick();
            while let Some(due) = memo.next_due(&now, dealing).filter(|due| *due <= simple.now) {
                memo.step(&mut now, dealing, due);
            }
            prop_assert_eq!(shown(&now), simple.shown(), "{}", simple.now);
            for user in &now.members.users {
                let on_call = now.cells.iter().filter(|cell| {
                    let holder = cell.holder.as_ref();
                    holder.is_some_and(|holder| &holder.user == user) && now.windows[cell.window].open
                });
                prop_assert!(double_cover || on_call.count() <= 1, "{} at {}", user, simple.now);
            }
        }
    }
}
