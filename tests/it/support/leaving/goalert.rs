//! GoAlert: schedules of rules, whose targets are rotations or people. Its API is held against the part of its public GraphQL
//! schema that can be asked for here.

use super::graph::{Document, Schema, select};
use super::{Asked, LEAVING_KEY, People, Run, System, left, reached, runs};
use jiff::civil::{DateTime, Weekday};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Span, Timestamp};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// From `graphql2/schema.graphql` of GoAlert, written down anew: what a query about schedules can use.
const SCHEMA: &str = "
type Query {
  schedules(input: ScheduleSearchOptions): ScheduleConnection!
  schedule(id: ID!): Schedule
  rotations(input: RotationSearchOptions): RotationConnection!
  rotation(id: ID!): Rotation
  userOverrides(input: UserOverrideSearchOptions): UserOverrideConnection!
  users(input: UserSearchOptions, first: Int, after: String, search: String): UserConnection!
  user(id: ID): User
}
input ScheduleSearchOptions { first: Int after: String search: String omit: [ID!] favoritesOnly: Boolean }
input RotationSearchOptions { first: Int after: String search: String omit: [ID!] favoritesOnly: Boolean }
input UserSearchOptions { first: Int after: String search: String omit: [ID!] }
input UserOverrideSearchOptions {
  first: Int after: String omit: [ID!] scheduleID: ID filterAnyUserID: [ID!] start: ISOTimestamp end: ISOTimestamp
}
type PageInfo { endCursor: String hasNextPage: Boolean! }
type ScheduleConnection { nodes: [Schedule!]! pageInfo: PageInfo! }
type RotationConnection { nodes: [Rotation!]! pageInfo: PageInfo! }
type UserOverrideConnection { nodes: [UserOverride!]! pageInfo: PageInfo! }
type UserConnection { nodes: [User!]! pageInfo: PageInfo! }
type Schedule {
  id: ID! name: String! description: String! timeZone: String!
  shifts(start: ISOTimestamp!, end: ISOTimestamp!, userIDs: [ID!]): [OnCallShift!]!
  targets: [ScheduleTarget!]! temporarySchedules: [TemporarySchedule!]! isFavorite: Boolean!
}
type ScheduleTarget { scheduleID: ID! target: Target! rules: [ScheduleRule!]! }
type ScheduleRule { id: ID! scheduleID: ID! start: ClockTime! end: ClockTime! weekdayFilter: WeekdayFilter! target: Target! }
type Target { id: ID! type: TargetType! name: String! }
type TemporarySchedule { start: ISOTimestamp! end: ISOTimestamp! shifts: [OnCallShift!]! }
type OnCallShift { userID: ID! user: User start: ISOTimestamp! end: ISOTimestamp! truncated: Boolean! }
type Rotation {
  id: ID! name: String! description: String! start: ISOTimestamp! timeZone: String! type: RotationType! shiftLength: Int!
  activeUserIndex: Int! userIDs: [ID!]! users: [User!]! nextHandoffTimes(num: Int): [ISOTimestamp!]!
}
type UserOverride {
  id: ID! start: ISOTimestamp! end: ISOTimestamp! addUserID: ID! removeUserID: ID! addUser: User removeUser: User target: Target!
}
type User { id: ID! role: UserRole! name: String! email: String! }
";

/// A rotation.
#[derive(Clone)]
pub struct Rotation {
    pub zone: String,
    pub start: Timestamp,
    /// `hourly`, `daily`, `weekly` or `monthly`.
    pub kind: &'static str,
    pub length: i64,
    pub people: Vec<String>,
}

/// Who is on call by a rule, on which days (Sunday first), in minutes of the day.
#[derive(Clone)]
pub struct Rule {
    pub is_rotation: bool,
    pub target: String,
    pub days: [bool; 7],
    pub from: i64,
    pub until: i64,
}

/// Somebody is added, removed or both; empty for nobody.
#[derive(Clone)]
pub struct Override {
    pub add: String,
    pub remove: String,
    pub from: Timestamp,
    pub until: Timestamp,
}

#[derive(Clone, Default)]
pub struct Schedule {
    pub zone: String,
    pub rules: Vec<Rule>,
    pub overrides: Vec<Override>,
    /// From, until, and the shifts meanwhile.
    pub temporary: Vec<(Timestamp, Timestamp, Vec<Run>)>,
}

pub struct GoAlert {
    /// The document that the key belongs to.
    pub query: String,
    pub now: Timestamp,
    pub people: People,
    pub schedules: BTreeMap<String, Schedule>,
    pub rotations: BTreeMap<String, Rotation>,
    /// Of schedules and rotations, where their ids say too little.
    pub names: BTreeMap<String, String>,
    pub may_read_people: bool,
    /// The most items of a page.
    pub page: usize,
}

pub const ALWAYS: [bool; 7] = [true; 7];
pub const WEEKDAYS: [bool; 7] = [false, true, true, true, true, true, false];

impl Rotation {
    /// The number of the turn at an instant, and when it ends.
    fn turn(&self, at: Timestamp) -> (i64, Timestamp) {
        let tz = TimeZone::get(&self.zone).expect("a zone");
        let first = tz.to_datetime(self.start);
        let begins = |number: i64| -> Timestamp {
            let count = number * self.length;
            let span = match self.kind {
                "hourly" => Span::new().hours(count),
                "daily" => Span::new().days(count),
                "weekly" => Span::new().weeks(count),
                // Go counts days that a month lacks into the next one.
                _ => {
                    let day = i64::from(first.day()) - 1;
                    let month =
                        first.with().day(1).build().expect("a day") + Span::new().months(count);
                    return reached(month + Span::new().days(day), &tz);
                }
            };
            reached(first + span, &tz)
        };
        let hours = match self.kind {
            "hourly" => 1,
            "daily" => 24,
            "weekly" => 7 * 24,
            _ => 30 * 24,
        };
        let passed = at.duration_since(self.start).as_hours();
        let mut number = passed / (hours * self.length) + 2;
        while begins(number) > at {
            number -= 1;
        }
        (number, begins(number + 1))
    }

    fn person(&self, at: Timestamp) -> Option<&String> {
        let count = self.people.len() as i64;
        let place = match count {
            0 => return None,
            count => self.turn(at).0.rem_euclid(count),
        };
        self.people.get(place as usize)
    }
}

impl Rule {
    /// When it applies between two instants.
    fn spans(
        &self,
        tz: &TimeZone,
        from: Timestamp,
        until: Timestamp,
    ) -> Vec<(Timestamp, Timestamp)> {
        let day = SignedDuration::from_hours(24);
        let mut date = tz.to_datetime(from - day).date();
        let end = tz.to_datetime(until + day).date();
        let mut spans = Vec::new();
        while date <= end {
            let midnight: DateTime = date.at(0, 0, 0, 0);
            let at = |minutes: i64| midnight + Span::new().minutes(minutes);
            if self.days[date.weekday().since(Weekday::Sunday) as usize] {
                let over = if self.until > self.from { 0 } else { 24 * 60 };
                spans.push((reached(at(self.from), tz), left(at(self.until + over), tz)));
            }
            date = date.tomorrow().expect("a day");
        }
        spans
    }
}

impl GoAlert {
    /// One without schedules, whose clock shows an instant.
    pub fn new(query: String, now: &str, people: People) -> GoAlert {
        GoAlert {
            query,
            now: now.parse().expect("an instant"),
            people,
            schedules: BTreeMap::new(),
            rotations: BTreeMap::new(),
            names: BTreeMap::new(),
            may_read_people: true,
            page: 150,
        }
    }

    /// Who is on call from when to when.
    pub fn shifts(&self, schedule: &Schedule, from: Timestamp, until: Timestamp) -> Vec<Run> {
        let tz = TimeZone::get(&schedule.zone).expect("a zone");
        let rules = schedule.rules.iter();
        let rules: Vec<(&Rule, Vec<(Timestamp, Timestamp)>)> = rules
            .map(|rule| (rule, rule.spans(&tz, from, until)))
            .collect();
        let mut edges: Vec<Timestamp> = Vec::new();
        edges.extend(
            rules
                .iter()
                .flat_map(|(_, spans)| spans)
                .flat_map(|span| [span.0, span.1]),
        );
        for (rule, _) in rules.iter().filter(|(rule, _)| rule.is_rotation) {
            let rotation = &self.rotations[&rule.target];
            let mut at = from;
            while at < until {
                at = rotation.turn(at).1;
                edges.push(at);
            }
        }
        edges.extend(
            schedule
                .overrides
                .iter()
                .flat_map(|one| [one.from, one.until]),
        );
        for (from, until, shifts) in &schedule.temporary {
            edges.extend([*from, *until]);
            edges.extend(shifts.iter().flat_map(|one| [one.1, one.2]));
        }
        let holds = |from: Timestamp, until: Timestamp, at: Timestamp| from <= at && at < until;
        runs(from, until, edges.into_iter(), |at| {
            if let Some((.., shifts)) = schedule
                .temporary
                .iter()
                .find(|one| holds(one.0, one.1, at))
            {
                let shifts = shifts.iter().filter(|one| holds(one.1, one.2, at));
                return shifts.map(|one| one.0.clone()).collect();
            }
            let active = rules.iter();
            let active =
                active.filter(|(_, spans)| spans.iter().any(|one| holds(one.0, one.1, at)));
            let people = active.filter_map(|(rule, _)| match rule.is_rotation {
                true => self.rotations[&rule.target].person(at),
                false => Some(&rule.target),
            });
            let mut on_call: Vec<String> = people.cloned().collect();
            let overrides = schedule
                .overrides
                .iter()
                .filter(|one| holds(one.from, one.until, at));
            let mut added = Vec::new();
            for one in overrides {
                match (one.add.as_str(), one.remove.as_str()) {
                    (add, "") => added.push(add.to_owned()),
                    ("", remove) => on_call.retain(|id| id != remove),
                    (add, remove) => on_call
                        .iter_mut()
                        .filter(|id| id.as_str() == remove)
                        .for_each(|id| add.clone_into(id)),
                }
            }
            on_call.extend(added);
            on_call
        })
    }

    fn name(&self, id: &str) -> String {
        self.names
            .get(id)
            .cloned()
            .unwrap_or_else(|| format!("Named {id}"))
    }

    fn whole(&self, id: &str, schedule: &Schedule) -> Value {
        let mut targets: Vec<Value> = Vec::new();
        let mut seen: Vec<&str> = Vec::new();
        for rule in &schedule.rules {
            if seen.contains(&rule.target.as_str()) {
                continue;
            }
            seen.push(&rule.target);
            let own = schedule
                .rules
                .iter()
                .filter(|one| one.target == rule.target);
            let clock = |minutes: i64| format!("{:02}:{:02}", minutes / 60, minutes % 60);
            let rules = own.map(|rule| {
                json!({ "start": clock(rule.from), "end": clock(rule.until), "weekdayFilter": rule.days })
            });
            let (kind, name) = match rule.is_rotation {
                true => ("rotation", self.name(&rule.target)),
                false => (
                    "user",
                    self.people
                        .get(&rule.target)
                        .map_or(String::new(), |one| one.0.clone()),
                ),
            };
            targets.push(json!({
                "scheduleID": id, "target": { "id": rule.target, "type": kind, "name": name },
                "rules": rules.collect::<Vec<_>>()
            }));
        }
        let temporary = schedule.temporary.iter().map(|(from, until, shifts)| {
            json!({ "start": from.to_string(), "end": until.to_string(), "shifts": shown(shifts) })
        });
        json!({
            "id": id, "name": self.name(id), "description": "", "timeZone": schedule.zone,
            "targets": targets, "temporarySchedules": temporary.collect::<Vec<_>>()
        })
    }

    fn listing(&self, name: &str, args: &Value) -> Result<Value, String> {
        let args = args.get("input").unwrap_or(args);
        let nodes: Vec<Value> = match name {
            "schedules" => (self.schedules.iter())
                .map(|(id, schedule)| self.whole(id, schedule))
                .collect(),
            "rotations" => (self.rotations.iter())
                .map(|(id, one)| {
                    let people = &one.people;
                    let turn = one.turn(self.now).0;
                    let active = match people.len() as i64 {
                        0 => -1,
                        count => turn.rem_euclid(count),
                    };
                    json!({
                        "id": id, "name": self.name(id), "description": "", "start": one.start.to_string(), "timeZone": one.zone,
                        "type": one.kind, "shiftLength": one.length, "activeUserIndex": active, "userIDs": people
                    })
                })
                .collect(),
            "users" if !self.may_read_people => return Err("access denied: admin role required".to_owned()),
            "users" => (self.people.iter())
                .map(|(id, (name, email))| json!({ "id": id, "role": "user", "name": name, "email": email }))
                .collect(),
            _ => {
                let schedule = &self.schedules[args["scheduleID"].as_str().expect("a schedule")];
                let at = |name: &str| args[name].as_str().expect("an instant").parse::<Timestamp>().expect("one");
                let (from, until) = (at("start"), at("end"));
                let within = schedule.overrides.iter().filter(|one| one.from < until && from < one.until);
                within
                    .map(|one| {
                        json!({
                            "start": one.from.to_string(), "end": one.until.to_string(), "addUserID": one.add,
                            "removeUserID": one.remove
                        })
                    })
                    .collect()
            }
        };
        let first = args["first"].as_u64().unwrap_or(15) as usize;
        if first > 150 {
            return Err("First: must not be over 150".to_owned());
        }
        let from: usize = args["after"]
            .as_str()
            .unwrap_or_default()
            .parse()
            .unwrap_or(0);
        let until = (from + first.min(self.page)).min(nodes.len());
        Ok(json!({
            "nodes": nodes[from.min(until)..until],
            "pageInfo": { "endCursor": until.to_string(), "hasNextPage": until < nodes.len() }
        }))
    }

    fn resolve(&self, of: &Value, name: &str, args: &Value) -> Result<Value, String> {
        match name {
            "schedule" => {
                let id = args["id"].as_str().unwrap_or_default();
                let found = self.schedules.get(id);
                Ok(found.map_or(Value::Null, |schedule| self.whole(id, schedule)))
            }
            "shifts" => {
                let at = |name: &str| {
                    args[name]
                        .as_str()
                        .expect("an instant")
                        .parse::<Timestamp>()
                        .expect("one")
                };
                let (from, until) = (at("start"), at("end"));
                if until.duration_since(from) > SignedDuration::from_hours(50 * 24) {
                    return Err("EndTime: cannot be more than 50 days past StartTime".to_owned());
                }
                let schedule = &self.schedules[of["id"].as_str().expect("an id")];
                Ok(shown(&self.shifts(schedule, from, until)))
            }
            "nextHandoffTimes" => {
                let rotation = &self.rotations[of["id"].as_str().expect("an id")];
                let times = match rotation.people.is_empty() {
                    true => Vec::new(),
                    false => vec![rotation.turn(self.now).1.to_string()],
                };
                Ok(json!(times))
            }
            listing => self.listing(listing, args),
        }
    }
}

fn shown(shifts: &[Run]) -> Value {
    let shifts = shifts.iter().map(|(id, from, until)| {
        json!({ "userID": id, "start": from.to_string(), "end": until.to_string(), "truncated": false })
    });
    shifts.collect()
}

impl System for GoAlert {
    fn answer(&mut self, asked: &Asked, _: &str) -> Result<(u16, Value), String> {
        if asked.method != "POST" || asked.target != "/api/graphql" {
            return Err("no such path".to_owned());
        }
        if asked.header("authorization") != Some(&format!("Bearer {LEAVING_KEY}")) {
            return Ok((401, json!({ "errors": [{ "message": "unauthorized" }] })));
        }
        if !asked
            .header("content-type")
            .is_some_and(|kind| kind.starts_with("application/json"))
        {
            return Err("the body is no JSON".to_owned());
        }
        let body: Value = serde_json::from_str(&asked.body).map_err(|error| error.to_string())?;
        for name in body.as_object().ok_or("no object")?.keys() {
            if !matches!(name.as_str(), "query" | "variables" | "operationName") {
                return Err(format!("no member {name}"));
            }
        }
        // A request without a query is one of the key's own.
        let query = body
            .get("query")
            .map_or(Some(self.query.as_str()), Value::as_str);
        let query = query.ok_or("no query")?;
        if query != self.query {
            let error = json!({ "message": "wrong query for API key", "extensions": { "code": "invalid_query" } });
            return Ok((200, json!({ "data": null, "errors": [error] })));
        }
        let document = Document::read(query)?;
        Schema::read(SCHEMA).check(&document)?;
        let variables = &body["variables"];
        for name in variables.as_object().ok_or("no variables")?.keys() {
            if !document.variables.iter().any(|(known, _)| known == name) {
                return Err(format!("no variable {name}"));
            }
        }
        for (name, kind) in &document.variables {
            let given = &variables[name.as_str()];
            let fits = match kind.trim_end_matches('!') {
                "Boolean" => given.is_boolean(),
                "ISOTimestamp" => given
                    .as_str()
                    .is_some_and(|text| text.parse::<Timestamp>().is_ok()),
                _ => given.is_string(),
            };
            if !fits {
                return Err(format!("${name} is {given}, not {kind}"));
            }
        }
        let system = &*self;
        let data = select(
            &document.selected,
            &json!({}),
            variables,
            &mut |of, name, args| system.resolve(of, name, args),
        );
        Ok((
            200,
            match data {
                Ok(data) => json!({ "data": data }),
                Err(why) => json!({
                    "data": null,
                    "errors": [{ "message": why, "path": ["users"], "locations": [{ "line": 81, "column": 3 }] }]
                }),
            },
        ))
    }
}
