//! A second implementation of who holds what when, written only from the rules (`src/domain/rules.md`), day by day and
//! deliberately simple, so that a difference is more likely an error of the server.

use crate::support::{cadence, coverage, int, local, zone};
use jiff::civil::{Date, DateTime, Time, Weekday, time};
use jiff::tz::Disambiguation;
use jiff::{Timestamp, ToSpan};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

#[derive(Clone, Debug)]
pub enum Kind {
    DayOfWeek,
    DaysOfWeekList(Vec<Weekday>),
    DayOfMonth,
    NthWeekday(Weekday, Vec<i8>),
    Daily(Vec<Time>),
    Workday,
}

#[derive(Clone, Debug)]
pub struct Cadence {
    pub kind: Kind,
    pub zone: &'static str,
    pub starts: DateTime,
    pub period: i64,
    pub skip_weekends: bool,
    pub skip_holidays: bool,
    pub countries: Vec<&'static str>,
}

/// Start day, start time, end day, end time.
pub type Stretch = (Weekday, Time, Weekday, Time);

#[derive(Clone, Debug)]
pub struct Window {
    pub zone: &'static str,
    /// Empty means open all week.
    pub hours: Vec<Stretch>,
    pub cadence: Cadence,
}

#[derive(Clone, Debug)]
pub struct Absence {
    pub person: usize,
    pub from: Timestamp,
    pub until: Timestamp,
}

#[derive(Clone, Debug)]
pub struct Case {
    pub name: String,
    /// How many of U1, U2, ... are members, in that order.
    pub people: usize,
    pub lanes: usize,
    pub windows: Vec<Window>,
    pub absences: Vec<Absence>,
    pub double_cover: bool,
    pub skips_are_off: bool,
}

/// A local time that does not exist moves forward by the gap; of two, the first counts.
fn resolve(civil: DateTime, zone_name: &str) -> Timestamp {
    let ambiguous = zone(zone_name).to_ambiguous_zoned(civil);
    ambiguous
        .disambiguate(Disambiguation::Compatible)
        .expect("in range")
        .timestamp()
}

fn days_between(from: Date, to: Date) -> i64 {
    i64::from(from.until(to).expect("in range").get_days())
}

fn monday_of(date: Date) -> Date {
    date - i64::from(date.weekday().to_monday_zero_offset()).days()
}

fn months_between(from: Date, to: Date) -> i64 {
    i64::from(to.year() - from.year()) * 12 + i64::from(to.month() - from.month())
}

pub fn day_name(day: Weekday) -> &'static str {
    match day {
        Weekday::Monday => "monday",
        Weekday::Tuesday => "tuesday",
        Weekday::Wednesday => "wednesday",
        Weekday::Thursday => "thursday",
        Weekday::Friday => "friday",
        Weekday::Saturday => "saturday",
        Weekday::Sunday => "sunday",
    }
}

fn is_weekend(country: &str, date: Date) -> bool {
    let days: &[Weekday] = match country {
        "EG" => &[Weekday::Friday, Weekday::Saturday],
        "IR" => &[Weekday::Friday],
        "IN" => &[Weekday::Sunday],
        _ => &[Weekday::Saturday, Weekday::Sunday],
    };
    days.contains(&date.weekday())
}

/// National holidays of 2026, 2027 and early 2028 that are on working days, checked by hand.
fn is_holiday(country: &str, date: Date) -> bool {
    let days: &[&str] = match country {
        "NO" => &[
            "2026-01-01",
            "2026-04-02",
            "2026-04-03",
            "2026-04-06",
            "2026-05-01",
            "2026-05-14",
            "2026-05-25",
            "2026-12-25",
            "2027-01-01",
            "2027-03-25",
            "2027-03-26",
            "2027-03-29",
            "2027-05-06",
            "2027-05-17",
            "2028-04-13",
            "2028-04-14",
            "2028-04-17",
            "2028-05-01",
            "2028-05-17",
            "2028-05-25",
            "2028-06-05",
        ],
        "GB" => &[
            "2026-01-01",
            "2026-04-03",
            "2026-05-04",
            "2026-05-25",
            "2026-12-25",
            "2026-12-28",
            "2027-01-01",
            "2027-03-26",
            "2027-05-03",
            "2027-05-31",
            "2027-12-27",
            "2027-12-28",
            "2028-01-03",
            "2028-04-14",
            "2028-05-01",
            "2028-05-29",
        ],
        "US" => &[
            "2026-01-01",
            "2026-01-19",
            "2026-02-16",
            "2026-05-25",
            "2026-06-19",
            "2026-07-03",
            "2026-09-07",
            "2026-10-12",
            "2026-11-11",
            "2026-11-26",
            "2026-12-25",
            "2027-01-01",
            "2027-01-18",
            "2027-02-15",
            "2027-05-31",
            "2027-06-18",
            "2027-07-05",
            "2027-09-06",
            "2027-10-11",
            "2027-11-11",
            "2027-11-25",
            "2027-12-24",
            "2027-12-31",
            "2028-01-17",
            "2028-02-21",
            "2028-05-29",
            "2028-06-19",
        ],
        other => panic!("no holidays known for {other}"),
    };
    days.contains(&date.to_string().as_str())
}

impl Cadence {
    fn skips(&self, date: Date) -> bool {
        let workday = matches!(self.kind, Kind::Workday);
        self.countries.iter().any(|country| {
            ((self.skip_weekends || workday) && is_weekend(country, date))
                || ((self.skip_holidays || workday) && is_holiday(country, date))
        })
    }

    /// The local times of day of the nominal hand-overs on this date. `working_days` is the number since the
    /// first.
    fn nominal(&self, date: Date, working_days: i64) -> Vec<Time> {
        let (first, at) = (self.starts.date(), self.starts.time());
        let period = self.period;
        let once = |yes: bool| if yes { vec![at] } else { vec![] };
        match &self.kind {
            Kind::DayOfWeek => once(days_between(first, date) % (7 * period) == 0),
            Kind::DaysOfWeekList(days) => {
                let weeks = days_between(monday_of(first), monday_of(date)) / 7;
                once(days.contains(&date.weekday()) && weeks % period == 0)
            }
            Kind::DayOfMonth => {
                let day = first.day().min(date.days_in_month());
                once(date.day() == day && months_between(first, date) % period == 0)
            }
            Kind::NthWeekday(day, weeks) => {
                let occurrence = (date.day() - 1) / 7 + 1;
                let fits = date.weekday() == *day && weeks.contains(&occurrence);
                once(fits && months_between(first, date) % period == 0)
            }
            Kind::Daily(times) if days_between(first, date) % period == 0 => times.clone(),
            Kind::Daily(_) => vec![],
            Kind::Workday => once(!self.skips(date) && working_days % period == 0),
        }
    }

    /// Every hand-over up to an instant.
    pub fn hand_overs(&self, until: Timestamp) -> BTreeSet<Timestamp> {
        let mut all = BTreeSet::new();
        let mut date = self.starts.date();
        let mut working_days = 0;
        while resolve(date.at(0, 0, 0, 0), self.zone) <= until {
            for time in self.nominal(date, working_days) {
                if date.to_datetime(time) < self.starts {
                    continue;
                }
                let mut day = date;
                while self.skips(day) {
                    day = day.tomorrow().unwrap();
                }
                all.insert(resolve(day.to_datetime(time), self.zone));
            }
            if matches!(self.kind, Kind::Workday) {
                working_days += i64::from(!self.skips(date));
            }
            date = date.tomorrow().unwrap();
        }
        all.retain(|instant| *instant <= until);
        all
    }

    pub fn json(&self) -> Value {
        let minutes = |t: &Time| format!("{:02}:{:02}", t.hour(), t.minute());
        let (kind, own) = match &self.kind {
            Kind::DayOfWeek => ("dayOfWeek", json!({})),
            Kind::DaysOfWeekList(days) => (
                "daysOfWeekList",
                json!({ "daysOfWeek": days.iter().map(|d| day_name(*d)).collect::<Vec<_>>() }),
            ),
            Kind::DayOfMonth => ("dayOfMonth", json!({})),
            Kind::NthWeekday(day, weeks) => (
                "nthWeekdayOfMonth",
                json!({ "dayOfWeek": day_name(*day), "weeksInMonth": weeks }),
            ),
            Kind::Daily(times) => (
                "daily",
                json!({ "times": times.iter().map(minutes).collect::<Vec<_>>() }),
            ),
            Kind::Workday => ("workday", json!({})),
        };
        let mut whole = cadence(kind, self.zone, &self.starts.to_string(), own);
        assert_eq!(
            whole["startsAt"],
            json!(local(self.zone, &self.starts.to_string()))
        );
        whole["period"] = json!(self.period);
        whole["countryCodes"] = json!(self.countries);
        if !matches!(self.kind, Kind::Workday) {
            whole["skipWeekends"] = json!(self.skip_weekends);
            whole["skipNationalHolidays"] = json!(self.skip_holidays);
        }
        whole
    }
}

impl Window {
    pub fn json(&self) -> Value {
        let stretch = |(sd, st, ed, et): &Stretch| {
            let minutes = |t: &Time| format!("{:02}:{:02}", t.hour(), t.minute());
            format!(
                "{} {} - {} {}",
                day_name(*sd),
                minutes(st),
                day_name(*ed),
                minutes(et)
            )
        };
        let hours = self.hours.iter().map(stretch).collect::<Vec<_>>().join(",");
        let hours = if hours.is_empty() {
            json!([])
        } else {
            coverage(&hours)
        };
        json!({ "timeZone": self.zone, "coverage": hours, "cadence": self.cadence.json() })
    }

    /// Every instant at which the window may open or shut, with its state from then on.
    fn openings(&self, from: Timestamp, until: Timestamp, off: bool) -> BTreeMap<Timestamp, bool> {
        let mut open = vec![];
        let start = from.to_zoned(zone(self.zone)).date() - 9.days();
        let end = until.to_zoned(zone(self.zone)).date() + 9.days();
        let mut date = start;
        while date <= end {
            for (start_day, start_time, end_day, end_time) in &self.hours {
                if date.weekday() == *start_day {
                    let mut days = i64::from(start_day.until(*end_day));
                    if days == 0 && end_time <= start_time {
                        days = if end_time == start_time { 7 } else { 1 };
                    }
                    let end_date = date + days.days();
                    let begin = resolve(date.to_datetime(*start_time), self.zone);
                    open.push((begin, resolve(end_date.to_datetime(*end_time), self.zone)));
                }
            }
            date = date.tomorrow().unwrap();
        }
        if self.hours.is_empty() {
            open.push((
                resolve(start.into(), self.zone),
                resolve(end.into(), self.zone),
            ));
        }
        let mut shut = vec![];
        let mut date = start;
        while off && date <= end {
            if self.cadence.skips(date) {
                let midnight = |date: Date| resolve(date.at(0, 0, 0, 0), self.cadence.zone);
                shut.push((midnight(date), midnight(date.tomorrow().unwrap())));
            }
            date = date.tomorrow().unwrap();
        }
        let within = |list: &[(Timestamp, Timestamp)], t: Timestamp| {
            list.iter().any(|(a, b)| *a <= t && t < *b)
        };
        let edges: BTreeSet<Timestamp> = open
            .iter()
            .chain(&shut)
            .flat_map(|(a, b)| [*a, *b])
            .chain([from])
            .filter(|t| from <= *t && *t <= until)
            .collect();
        edges
            .into_iter()
            .map(|t| (t, within(&open, t) && !within(&shut, t)))
            .collect()
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Held {
    pub person: usize,
    pub since: Timestamp,
    pub skipped: Vec<usize>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub place: usize,
    pub start: Timestamp,
    pub person: Option<usize>,
    /// Empty if several reasons are valid.
    pub reason: &'static str,
}

/// A rotation by the rules, moved from instant to instant.
pub struct Model {
    pub case: Case,
    pub now: Timestamp,
    /// One for each window.
    pub next_turns: Vec<usize>,
    pub holders: Vec<Option<Held>>,
    /// Who was passed over for each place, and the place that they are on call in.
    pub passed: Vec<Vec<(usize, usize)>>,
    pub open: Vec<bool>,
    pub entries: Vec<Entry>,
    pub hand_overs: Vec<BTreeSet<Timestamp>>,
    openings: Vec<BTreeMap<Timestamp, bool>>,
    ahead: BTreeSet<Timestamp>,
}

impl Model {
    pub fn new(case: Case, now: Timestamp, until: Timestamp) -> Model {
        let hand_overs: Vec<_> = case
            .windows
            .iter()
            .map(|w| w.cadence.hand_overs(until))
            .collect();
        let openings: Vec<_> = case
            .windows
            .iter()
            .map(|w| w.openings(now, until, case.skips_are_off))
            .collect();
        let mut ahead: BTreeSet<Timestamp> = hand_overs.iter().flatten().copied().collect();
        ahead.extend(openings.iter().flat_map(|o| o.keys()));
        ahead.extend(case.absences.iter().map(|a| a.until));
        ahead.retain(|t| *t > now);
        let places = case.windows.len() * case.lanes;
        let open: Vec<bool> = openings.iter().map(|o| o[&now]).collect();
        let windows = case.windows.len();
        let mut model = Model {
            next_turns: (0..windows).map(|k| k * case.people / windows).collect(),
            case,
            now,
            holders: vec![None; places],
            passed: vec![vec![]; places],
            open,
            entries: vec![],
            hand_overs,
            openings,
            ahead,
        };
        model.fill(true);
        for place in 0..places {
            let person = model.on_call(place);
            model.entries.push(Entry {
                place,
                start: now,
                person,
                reason: "",
            });
        }
        model
    }

    fn window_of(&self, place: usize) -> usize {
        place / self.case.lanes
    }

    pub fn on_call(&self, place: usize) -> Option<usize> {
        let holder = self.holders[place].as_ref().map(|held| held.person);
        holder.filter(|_| self.open[self.window_of(place)])
    }

    fn is_absent(&self, person: usize) -> bool {
        self.case
            .absences
            .iter()
            .any(|a| a.person == person && a.from <= self.now && self.now < a.until)
    }

    /// When a turn of a window is over that runs now.
    fn turn_ends(&self, window: usize) -> Timestamp {
        let later = (Bound::Excluded(self.now), Bound::Unbounded);
        let next = self.hand_overs[window].range(later).next();
        next.copied().unwrap_or(Timestamp::MAX)
    }

    fn is_open(&self, window: usize, at: Timestamp) -> bool {
        let known = self.openings[window].range(..=at).next_back();
        known.is_some_and(|(_, open)| *open)
    }

    /// Whether two windows are open at once before the turns of either are over.
    fn meet(&self, one: usize, other: usize) -> bool {
        let until = self.turn_ends(one).min(self.turn_ends(other));
        let openings = [one, other].map(|window| self.openings[window].range(self.now..until));
        let edges = openings.into_iter().flatten().map(|(edge, _)| *edge);
        let mut instants = edges.chain([self.now]);
        instants.any(|at| self.is_open(one, at) && self.is_open(other, at))
    }

    /// The first place in which somebody is on call during a turn of another that begins now.
    fn elsewhere(&self, place: usize, person: usize) -> Option<usize> {
        (0..self.holders.len()).find(|&other| {
            let held = self.holders[other].as_ref();
            held.is_some_and(|held| held.person == person)
                && self.meet(self.window_of(place), self.window_of(other))
        })
    }

    /// One round of the order from the window's next turn, for one place.
    fn deal(&mut self, place: usize, notes: bool) {
        let (people, window) = (self.case.people, self.window_of(place));
        let (mut skipped, mut passed) = (vec![], vec![]);
        for double in [false, true] {
            if double && !self.case.double_cover {
                continue;
            }
            passed.clear();
            for step in 0..people {
                let person = (self.next_turns[window] + step) % people;
                if self.is_absent(person) {
                    if !skipped.contains(&person) {
                        skipped.push(person);
                    }
                } else if let Some(other) = self.elsewhere(place, person).filter(|_| !double) {
                    passed.push((person, other));
                } else {
                    self.holders[place] = Some(Held {
                        person,
                        since: self.now,
                        skipped,
                    });
                    self.passed[place] = passed;
                    self.next_turns[window] = (person + 1) % people;
                    return;
                }
            }
        }
        if notes {
            self.passed[place] = passed;
        }
    }

    /// Fills what can be filled, and answers what was; what stays empty keeps its list where nothing is noted.
    fn fill(&mut self, notes: bool) -> Vec<usize> {
        let empty: Vec<usize> = (0..self.holders.len())
            .filter(|p| self.holders[*p].is_none())
            .collect();
        for place in &empty {
            self.deal(*place, notes);
        }
        empty
            .into_iter()
            .filter(|p| self.holders[*p].is_some())
            .collect()
    }

    /// The next turn that is shown: that of the window whose hand-over comes next.
    pub fn next_turn(&self) -> usize {
        let next = (0..self.next_turns.len()).min_by_key(|window| self.turn_ends(*window));
        self.next_turns[next.expect("a window")]
    }

    /// Lives through everything up to and including the instant.
    pub fn advance(&mut self, to: Timestamp) {
        while let Some(instant) = self.ahead.first().copied().filter(|t| *t <= to) {
            self.ahead.remove(&instant);
            self.step(instant);
        }
        self.now = to;
    }

    fn step(&mut self, instant: Timestamp) {
        self.now = instant;
        let due: Vec<bool> = self
            .hand_overs
            .iter()
            .map(|all| all.contains(&instant))
            .collect();
        let places: Vec<usize> = (0..self.holders.len())
            .filter(|p| due[self.window_of(*p)])
            .collect();
        for place in &places {
            self.holders[*place] = None;
            self.passed[*place].clear();
        }
        for place in &places {
            self.deal(*place, true);
        }
        let flips = (0..self.open.len()).any(|w| self.is_open(w, instant) != self.open[w]);
        let filled = self.fill(flips || due.contains(&true));
        let before = self.open.clone();
        for (open, openings) in self.open.iter_mut().zip(&self.openings) {
            *open = openings.get(&instant).copied().unwrap_or(*open);
        }
        for place in 0..self.holders.len() {
            let window = self.window_of(place);
            let changed = due[window] || filled.contains(&place);
            let reason = match (before[window], self.open[window]) {
                (true, true) if changed => "next-on-scheduled-duty",
                (true, false) => "business-hours-offline",
                // Opening at the instant of a hand-over: either reason is valid.
                (false, true) if changed => "",
                (false, true) => "business-hours-back-online",
                _ => continue,
            };
            let person = self.on_call(place);
            self.entries.push(Entry {
                place,
                start: instant,
                person,
                reason,
            });
        }
    }

    /// Who was on call from when to when, by slot, between two instants: clipped, with gaps merged.
    pub fn record(&self, from: Timestamp, until: Timestamp) -> Vec<Span> {
        let entry = |(i, entry): (usize, &Entry)| {
            let next = self.entries[i + 1..]
                .iter()
                .find(|later| later.place == entry.place);
            Span {
                place: entry.place,
                start: entry.start,
                end: next.map_or(Timestamp::MAX, |next| next.start),
                person: entry.person,
                reason: entry.reason.to_owned(),
            }
        };
        tidy(
            self.entries.iter().enumerate().map(entry).collect(),
            from,
            until,
        )
    }
}

/// A period of the history or the schedule of one slot.
#[derive(Clone, Debug)]
pub struct Span {
    pub place: usize,
    pub start: Timestamp,
    pub end: Timestamp,
    pub person: Option<usize>,
    pub reason: String,
}

impl PartialEq for Span {
    /// An empty reason is not compared.
    fn eq(&self, other: &Span) -> bool {
        let open = self.reason.is_empty() || other.reason.is_empty();
        (self.place, self.start, self.end, self.person)
            == (other.place, other.start, other.end, other.person)
            && (open || self.reason == other.reason)
    }
}

/// Clips to the range, orders by slot, and merges adjacent periods without anyone on call.
pub fn tidy(mut spans: Vec<Span>, from: Timestamp, until: Timestamp) -> Vec<Span> {
    spans.sort_by_key(|span| (span.place, span.start));
    let mut tidy: Vec<Span> = vec![];
    for mut span in spans {
        span.start = span.start.max(from);
        span.end = span.end.min(until);
        if span.start >= span.end {
            continue;
        }
        match tidy.last_mut() {
            Some(last)
                if last.place == span.place
                    && last.end == span.start
                    && last.person.is_none()
                    && span.person.is_none() =>
            {
                last.end = span.end;
                last.reason.clear();
            }
            _ => tidy.push(span),
        }
    }
    tidy
}

/// Items of `history` or `schedule` as spans; `lanes` and `windows` are ids in order.
pub fn spans(
    items: &[Value],
    lanes: &[String],
    windows: &[String],
    from: Timestamp,
    until: Timestamp,
) -> Vec<Span> {
    let position = |list: &[String], id: &Value| {
        let found = list
            .iter()
            .position(|each| Some(each.as_str()) == id.as_str());
        found.unwrap_or_else(|| panic!("{id} is none of {list:?}"))
    };
    let span = |item: &Value| {
        let person = item.get("userId").and_then(Value::as_str);
        let person = person.map(|id| id[1..].parse::<usize>().expect("a user id") - 1);
        if let Some(person) = person {
            assert_eq!(
                int(&item["turn"]),
                person as i64,
                "the turn is the place in the order: {item}"
            );
        }
        let instant = |value: &Value| {
            value
                .as_str()
                .map(|text| text.parse::<Timestamp>().expect("an instant"))
        };
        Span {
            place: position(windows, &item["windowId"]) * lanes.len()
                + position(lanes, &item["laneId"]),
            start: instant(&item["start"]).expect("a start"),
            end: instant(&item["end"]).unwrap_or(Timestamp::MAX),
            person,
            reason: item["reason"].as_str().unwrap_or_default().to_owned(),
        }
    };
    tidy(items.iter().map(span).collect(), from, until)
}

/// Office hours, Monday to Friday.
pub fn office(start: i8, end: i8) -> Vec<Stretch> {
    let days = [
        Weekday::Monday,
        Weekday::Tuesday,
        Weekday::Wednesday,
        Weekday::Thursday,
        Weekday::Friday,
    ];
    let (start, end) = (time(start, 0, 0, 0), time(end, 0, 0, 0));
    days.map(|day| (day, start, if end > start { day } else { day.next() }, end))
        .to_vec()
}
