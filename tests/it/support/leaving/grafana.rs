//! Grafana OnCall: shifts with a recurrence, laid over one another by their levels, and overrides. Its API is held against its
//! public reference: paths, parameters, headers and the members of what it answers.

use super::{Asked, LEAVING_KEY, People, Run, System, reached, runs};
use jiff::civil::{Date, DateTime, Weekday};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A shift.
#[derive(Clone)]
pub struct Shift {
    pub id: String,
    /// `rolling_users`, `recurrent_event`, `single_event` or `override`.
    pub kind: &'static str,
    pub zone: Option<String>,
    pub level: i64,
    pub start: DateTime,
    pub rotation_start: DateTime,
    /// In hours.
    pub hours: i64,
    /// `hourly`, `daily`, `weekly` or `monthly`; none of what takes place once.
    pub frequency: &'static str,
    pub interval: i64,
    pub until: Option<Timestamp>,
    pub week_start: &'static str,
    pub by_day: Vec<&'static str>,
    /// Groups that take turns; one group of what has no turns.
    pub groups: Vec<Vec<String>>,
    pub first: usize,
}

#[derive(Clone, Default)]
pub struct Schedule {
    /// `web`, `calendar` or `ical`.
    pub kind: &'static str,
    pub zone: String,
    pub shifts: Vec<Shift>,
}

pub struct Grafana {
    /// The address that has to come with each request.
    pub grafana_url: Option<String>,
    pub people: People,
    pub schedules: BTreeMap<String, Schedule>,
    /// Of schedules and shifts, where their ids say too little.
    pub names: BTreeMap<String, String>,
    /// The most items of a page.
    pub page: usize,
}

/// A time of a shift: who, its level (overrides are above all), from, until.
struct Event<'a> {
    people: &'a [String],
    level: i64,
    from: Timestamp,
    until: Timestamp,
}

const DAYS: [&str; 7] = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];

fn weekday(name: &str) -> Weekday {
    let number = DAYS.iter().position(|day| *day == name).expect("a day");
    Weekday::from_monday_zero_offset(number as i8).expect("a day")
}

impl Shift {
    /// A shift whose groups take turns, of one person each.
    pub fn rolling(
        id: &str,
        frequency: &'static str,
        start: DateTime,
        hours: i64,
        people: &[&str],
    ) -> Shift {
        Shift {
            id: id.to_owned(),
            kind: "rolling_users",
            zone: None,
            level: 1,
            start,
            rotation_start: start,
            hours,
            frequency,
            interval: 1,
            until: None,
            week_start: "MO",
            by_day: Vec::new(),
            groups: people.iter().map(|id| vec![(*id).to_owned()]).collect(),
            first: 0,
        }
    }

    /// The first day of the week that a day lies in.
    fn week_of(&self, day: Date) -> Date {
        let since = day.weekday().since(weekday(self.week_start));
        day - Span::new().days(since)
    }

    /// When it takes place between two instants, by looking at each hour or day from its start on.
    fn events(&self, default: &str, from: Timestamp, until: Timestamp) -> Vec<Event<'_>> {
        let tz = TimeZone::get(self.zone.as_deref().unwrap_or(default)).expect("a zone");
        let end = tz.to_datetime(until) + Span::new().days(1);
        let level = if self.kind == "override" {
            i64::MAX
        } else {
            self.level
        };
        let mut events = Vec::new();
        let mut add = |start: DateTime, group: i64| {
            let count = self.groups.len() as i64;
            let (Some(place), true) = (group.checked_rem(count), start >= self.rotation_start)
            else {
                return;
            };
            let people = &self.groups[(place as usize + self.first) % self.groups.len()];
            let begins = reached(start, &tz);
            let over = reached(start + Span::new().hours(self.hours), &tz);
            let over = self.until.map_or(over, |until| over.min(until));
            if begins < over && begins < until && over > from {
                events.push(Event {
                    people,
                    level,
                    from: begins,
                    until: over,
                });
            }
        };
        let is_rolling = self.kind == "rolling_users";
        let mut start = self.start;
        let is_day = |day: Date| {
            let mut days = self.by_day.iter();
            self.by_day.is_empty() || days.any(|name| weekday(name) == day.weekday())
        };
        if is_rolling {
            // The first of the days in the order of the week, not before the start.
            let mut days = self.by_day.iter().map(|name| weekday(name));
            let first = days
                .clone()
                .min_by_key(|day| day.since(weekday(self.week_start)));
            if !is_day(start.date()) && days.all(|day| day != start.weekday()) {
                let ahead = start.weekday().until(first.expect("a day"));
                start += Span::new().days(ahead);
            }
        }
        match self.frequency {
            "" => add(start, 0),
            "hourly" => {
                let (mut at, mut passed) = (start, 0);
                while at < end {
                    if passed % self.interval == 0 {
                        add(at, passed / self.interval);
                    }
                    at += Span::new().hours(1);
                    passed += 1;
                }
            }
            frequency => {
                let (mut day, mut passed, mut counted) = (start.date(), 0, 0);
                while day.to_datetime(start.time()) < end {
                    let at = day.to_datetime(start.time());
                    let weeks = (self.week_of(day) - self.week_of(start.date())).get_days() / 7;
                    let weeks = i64::from(weeks);
                    let months = i64::from(day.year() - start.year()) * 12
                        + i64::from(day.month() - start.month());
                    match frequency {
                        "daily" if is_rolling && !self.by_day.is_empty() && is_day(day) => {
                            add(at, counted / self.interval);
                            counted += 1;
                        }
                        "daily" if passed % self.interval == 0 && is_day(day) => {
                            add(at, passed / self.interval)
                        }
                        "weekly" if weeks % self.interval == 0 => {
                            let is_its = match self.by_day.is_empty() {
                                true => day.weekday() == start.weekday(),
                                false => is_day(day),
                            };
                            if is_its {
                                add(at, weeks / self.interval);
                            }
                        }
                        "monthly" if day.day() == start.day() && months % self.interval == 0 => {
                            add(at, months / self.interval);
                        }
                        _ => {}
                    }
                    day = day.tomorrow().expect("a day");
                    passed += 1;
                }
            }
        }
        events
    }

    fn shown(&self, schedule: &str, name: &str) -> Value {
        let mut shown = json!({
            "id": self.id, "team_id": null, "schedule": schedule, "name": name, "type": self.kind,
            "time_zone": self.zone, "start": self.start.strftime("%Y-%m-%dT%H:%M:%S").to_string(),
            "duration": self.hours * 3600,
            "rotation_start": self.rotation_start.strftime("%Y-%m-%dT%H:%M:%S").to_string()
        });
        if self.kind != "override" {
            shown["level"] = self.level.into();
        }
        match self.kind {
            "rolling_users" => {
                shown["rolling_users"] = json!(self.groups);
                shown["start_rotation_from_user_index"] = self.first.into();
            }
            _ => shown["users"] = json!(self.groups.first().cloned().unwrap_or_default()),
        }
        if !self.frequency.is_empty() {
            shown["frequency"] = self.frequency.into();
            shown["interval"] = self.interval.into();
            let until = self
                .until
                .map(|at| at.strftime("%Y-%m-%dT%H:%M:%S").to_string());
            shown["until"] = json!(until);
            shown["by_day"] = match self.by_day.is_empty() {
                true => Value::Null,
                false => json!(self.by_day),
            };
            shown["by_month"] = Value::Null;
            shown["by_monthday"] = Value::Null;
            if self.frequency == "weekly" {
                shown["week_start"] = self.week_start.into();
            }
        }
        shown
    }
}

impl Grafana {
    /// One without schedules.
    pub fn new(people: People) -> Grafana {
        Grafana {
            grafana_url: None,
            people,
            schedules: BTreeMap::new(),
            names: BTreeMap::new(),
            page: 50,
        }
    }

    /// Who is on call from when to when: overrides, else the highest level.
    pub fn final_shifts(&self, schedule: &Schedule, from: Timestamp, until: Timestamp) -> Vec<Run> {
        // Shifts of a web schedule are in UTC.
        let zone = match schedule.kind {
            "web" => "UTC",
            _ => schedule.zone.as_str(),
        };
        let shifts = schedule.shifts.iter();
        let events: Vec<Event> = shifts
            .flat_map(|one| one.events(zone, from, until))
            .collect();
        let edges: Vec<Timestamp> = events
            .iter()
            .flat_map(|one| [one.from, one.until])
            .collect();
        runs(from, until, edges.into_iter(), |at| {
            // What is empty covers nothing.
            let now = events
                .iter()
                .filter(|one| one.from <= at && at < one.until && !one.people.is_empty());
            let now: Vec<&Event> = now.collect();
            let top = now.iter().map(|one| one.level).max();
            let now = now.into_iter().filter(|one| Some(one.level) == top);
            now.flat_map(|one| one.people.iter().cloned()).collect()
        })
    }

    fn name(&self, id: &str) -> String {
        self.names
            .get(id)
            .cloned()
            .unwrap_or_else(|| format!("Named {id}"))
    }

    fn schedule(&self, id: &str, schedule: &Schedule) -> Value {
        let mut shown = json!({
            "id": id, "team_id": null, "name": self.name(id), "type": schedule.kind,
            "on_call_now": [], "slack": { "channel_id": null, "user_group_id": null }
        });
        if schedule.kind == "ical" {
            shown["ical_url_primary"] = "https://calendar.example.com/secret.ics".into();
            shown["ical_url_overrides"] = Value::Null;
        } else {
            let ids: Vec<&str> = schedule.shifts.iter().map(|one| one.id.as_str()).collect();
            shown["time_zone"] = schedule.zone.as_str().into();
            shown["shifts"] = json!(ids);
        }
        shown
    }

    /// A page of a listing.
    fn page(
        &self,
        url: &str,
        path: &str,
        query: &[(String, String)],
        all: Vec<Value>,
    ) -> Result<(u16, Value), String> {
        let number = query.iter().find(|(name, _)| name == "page");
        let number: usize = number
            .map_or(Ok(1), |(_, number)| number.parse())
            .map_err(|_| "no page")?;
        let count = all.len();
        let last = count.div_ceil(self.page).max(1);
        if number == 0 || number > last {
            return Ok((404, json!({ "detail": "Invalid page." })));
        }
        let others = query.iter().filter(|(name, _)| name != "page");
        let others: String = others
            .map(|(name, value)| format!("&{name}={value}"))
            .collect();
        let next = (number < last).then(|| format!("{url}{path}?page={}{others}", number + 1));
        let results: Vec<Value> = all
            .into_iter()
            .skip((number - 1) * self.page)
            .take(self.page)
            .collect();
        Ok((
            200,
            json!({
                "count": count, "next": next, "previous": null, "results": results,
                "current_page_number": number, "page_size": self.page, "total_pages": last
            }),
        ))
    }
}

impl System for Grafana {
    fn answer(&mut self, asked: &Asked, url: &str) -> Result<(u16, Value), String> {
        if asked.method != "GET" {
            return Err("something is written".to_owned());
        }
        // The key stands alone, without a scheme.
        if asked.header("authorization") != Some(LEAVING_KEY) {
            return Ok((403, json!({ "detail": "Invalid token." })));
        }
        if asked.header("x-grafana-url") != self.grafana_url.as_deref() {
            return Err("X-Grafana-URL is not as set".to_owned());
        }
        let (path, query) = asked.target.split_once('?').unwrap_or((&asked.target, ""));
        let pairs = query.split('&').filter(|pair| !pair.is_empty());
        let pairs = pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "")));
        let query: Vec<(String, String)> = pairs
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let knows = |names: &[&str]| match query
            .iter()
            .find(|(name, _)| !names.contains(&name.as_str()))
        {
            None => Ok(()),
            Some((name, _)) => Err(format!("no parameter {name}")),
        };
        let one = |name: &str| {
            let found = query.iter().find(|(known, _)| known == name);
            found
                .map(|(_, value)| value.as_str())
                .ok_or_else(|| format!("{name} is missing"))
        };
        let segments: Vec<&str> = path.trim_start_matches("/api/v1/").split('/').collect();
        match segments[..] {
            ["schedules", ""] => {
                knows(&["page", "name", "team_id"])?;
                let all = self
                    .schedules
                    .iter()
                    .map(|(id, one)| self.schedule(id, one));
                self.page(url, path, &query, all.collect())
            }
            ["schedules", id, ""] => {
                knows(&[])?;
                Ok(match self.schedules.get(id) {
                    Some(schedule) => (200, self.schedule(id, schedule)),
                    None => (404, json!({ "detail": "Not found." })),
                })
            }
            ["schedules", id, "final_shifts"] => {
                knows(&["page", "start_date", "end_date"])?;
                let day = |name: &str| -> Result<Timestamp, String> {
                    let day: Date = one(name)?
                        .parse()
                        .map_err(|_| format!("{name} is no date"))?;
                    Ok(TimeZone::UTC
                        .to_timestamp(day.at(0, 0, 0, 0))
                        .expect("an instant"))
                };
                let (from, until) = (day("start_date")?, day("end_date")?);
                if from > until || until.duration_since(from).as_hours() > 365 * 24 {
                    return Err("no such span".to_owned());
                }
                let shifts = self.final_shifts(&self.schedules[id], from, until);
                let all = shifts.iter().map(|(id, from, until)| {
                    let (name, email) = &self.people[id];
                    json!({
                        "user_pk": id, "user_email": email, "user_username": name,
                        "shift_start": from.to_string(), "shift_end": until.to_string()
                    })
                });
                self.page(url, path, &query, all.collect())
            }
            ["on_call_shifts", ""] => {
                knows(&["page", "schedule_id", "name", "team_id"])?;
                let id = one("schedule_id")?;
                let all = self.schedules[id]
                    .shifts
                    .iter()
                    .map(|shift| shift.shown(id, &self.name(&shift.id)));
                self.page(url, path, &query, all.collect())
            }
            ["users", ""] => {
                knows(&["page", "username"])?;
                let all = self.people.iter().enumerate().map(|(number, (id, (name, email)))| {
                    json!({
                        "id": id, "grafana_id": number + 1, "email": email, "slack": null, "username": name,
                        "role": "user", "is_phone_number_verified": false, "timezone": null, "teams": []
                    })
                });
                self.page(url, path, &query, all.collect())
            }
            _ => Err("no such path".to_owned()),
        }
    }
}
