//! Opsgenie, and what Jira Service Management has in common with it.

use super::Estate;
use super::plan::{Hours, Origin, Plan, Run, Turns};
use super::serving::{Asked, Reply};
use jiff::civil::Weekday;
use jiff::{Span, Timestamp};
use serde_json::{Value, json};

type Answer = Result<Reply, String>;

pub fn answer(estate: &Estate, asked: &Asked) -> Answer {
    if asked.method != "GET" {
        return Err("something is written".to_owned());
    }
    if asked.header("authorization") != Some(format!("GenieKey {}", estate.key).as_str()) {
        return Ok(Reply::error(401, "Could not authenticate"));
    }
    let path: Vec<&str> = asked.path.iter().map(String::as_str).collect();
    if asked
        .one("identifierType")?
        .is_some_and(|kind| kind != "id")
    {
        return Err("schedules are asked for by id".to_owned());
    }
    match path[..] {
        ["v2", "schedules"] => {
            asked.knows(&["expand"])?;
            let plans = estate.plans.iter();
            let plans = plans.map(|(id, plan)| {
                json!({ "id": id, "name": plan.name, "description": "", "timezone": plan.zone, "enabled": true })
            });
            enveloped(plans.collect())
        }
        ["v2", "schedules", id] => {
            asked.knows(&["identifierType"])?;
            found(estate, id, |plan| schedule(estate, id, plan))
        }
        ["v2", "schedules", id, "overrides"] => {
            asked.knows(&[])?;
            found(estate, id, |plan| {
                let listed = plan.overrides.iter().map(|one| {
                    let mut given = json!({
                        "_parent": { "id": id, "name": plan.name, "enabled": true },
                        "alias": one.id, "user": recipient(estate, &one.person, true),
                        "startDate": one.from.to_string(), "endDate": one.until.to_string()
                    });
                    if !one.layers.is_empty() {
                        let layers = one.layers.iter();
                        given["rotations"] =
                            layers.map(|id| json!({ "id": id, "name": id })).collect();
                    }
                    given
                });
                Ok(listed.collect())
            })
        }
        ["v2", "schedules", id, "timeline"] => {
            asked.knows(&[
                "identifierType",
                "expand",
                "interval",
                "intervalUnit",
                "date",
            ])?;
            let expand: Vec<&str> = asked
                .one("expand")?
                .unwrap_or_default()
                .split(',')
                .collect();
            let shape = Shape {
                who: "recipient",
                person: &|id| recipient(estate, id, false),
                from: &|id| ("fromUser", id.into()),
            };
            let parent = json!({ "id": id, "enabled": true });
            found(estate, id, |plan| {
                let mut given = timeline(estate, asked, plan, &expand, &shape)?;
                given["_parent"] = parent;
                Ok(given)
            })
        }
        ["v2", "users", id] => {
            asked.knows(&["expand"])?;
            match estate.people.get(id) {
                Some(one) => enveloped(json!({
                    "id": id, "username": one.email.as_deref().unwrap_or("hidden"), "fullName": one.name,
                    "role": { "id": "User", "name": "User" }, "blocked": false, "verified": true
                })),
                None => Ok(Reply::error(404, "No user")),
            }
        }
        _ => Err("no such path".to_owned()),
    }
}

fn enveloped(data: Value) -> Answer {
    Ok(Reply::ok(
        json!({ "data": data, "expandable": [], "took": 0.01, "requestId": "r-1" }),
    ))
}

fn found(estate: &Estate, id: &str, show: impl FnOnce(&Plan) -> Result<Value, String>) -> Answer {
    match estate.plans.get(id) {
        Some(plan) => enveloped(show(plan)?),
        None => Ok(Reply::error(404, "No schedule exists with this id")),
    }
}

/// Somebody, with their address as `username` in definitions and as `name` in timelines.
fn recipient(estate: &Estate, id: &str, is_definition: bool) -> Value {
    match id {
        "NONE" => json!({ "type": "none" }),
        _ if id.starts_with("TEAM") => {
            json!({ "type": "team", "id": id, "name": format!("Team {id}") })
        }
        _ if id.starts_with("ESC") => {
            json!({ "type": "escalation", "id": id, "name": format!("Escalation {id}") })
        }
        _ => {
            let mut given = json!({ "type": "user", "id": id });
            let member = if is_definition { "username" } else { "name" };
            if let Some(email) = estate.somebody(id).email {
                given[member] = email.into();
            }
            given
        }
    }
}

fn schedule(estate: &Estate, id: &str, plan: &Plan) -> Result<Value, String> {
    Ok(json!({
        "id": id, "name": plan.name, "description": "", "timezone": plan.zone, "enabled": true,
        "rotations": rotations(plan, &|id| recipient(estate, id, true))
    }))
}

/// The rotations of a schedule, as both products write them.
pub fn rotations(plan: &Plan, person: &dyn Fn(&str) -> Value) -> Value {
    let rotations = plan.layers.iter().map(|layer| {
        let (kind, length) = match layer.turns {
            Turns::Hours(n) | Turns::LocalHours(n) => ("hourly", n),
            Turns::Days(n) => ("daily", n),
            Turns::Weeks(n) => ("weekly", n),
        };
        let people = layer.people.iter();
        let mut given = json!({
            "id": layer.id, "name": layer.id, "startDate": layer.anchor.to_string(),
            "type": kind, "length": length,
            "participants": people.map(|id| person(id)).collect::<Vec<_>>()
        });
        if let Some(until) = layer.until {
            given["endDate"] = until.to_string().into();
        }
        match &layer.hours[..] {
            [] => {}
            [hours] if hours.day.is_none() => {
                given["timeRestriction"] =
                    json!({ "type": "time-of-day", "restriction": clock(hours) });
            }
            all => {
                let all = all.iter().map(clock).collect::<Vec<_>>();
                given["timeRestriction"] =
                    json!({ "type": "weekday-and-time-of-day", "restrictions": all });
            }
        }
        given
    });
    rotations.collect()
}

fn clock(hours: &Hours) -> Value {
    let until = hours.from + hours.minutes;
    let minute = until % (24 * 60);
    let mut given = json!({
        "startHour": hours.from / 60, "startMin": hours.from % 60,
        "endHour": minute / 60, "endMin": minute % 60
    });
    if let Some(day) = hours.day {
        given["startDay"] = name(day).into();
        given["endDay"] = name(day.wrapping_add(until / (24 * 60))).into();
    }
    given
}

fn name(day: Weekday) -> &'static str {
    [
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
    ][day.to_monday_zero_offset() as usize]
}

/// How a product writes the people of a timeline.
pub struct Shape<'a> {
    pub who: &'a str,
    pub person: &'a dyn Fn(&str) -> Value,
    pub from: &'a dyn Fn(&str) -> (&'static str, Value),
}

/// A timeline: it begins with the unit that the date lies in, in the zone of the schedule.
pub fn timeline(
    estate: &Estate,
    asked: &Asked,
    plan: &Plan,
    expand: &[&str],
    shape: &Shape,
) -> Result<Value, String> {
    let interval = asked.number("interval")?.unwrap_or(1);
    let date = asked.instant("date")?.or(estate.now).ok_or("no date")?;
    let tz = plan.tz();
    let day = tz.to_datetime(date).date();
    let since_monday = i64::from(day.weekday().to_monday_zero_offset());
    let interval = i64::try_from(interval).expect("a number");
    let (first, length) = match asked.one("intervalUnit")?.unwrap_or("weeks") {
        "days" => (day, Span::new().days(interval)),
        "weeks" => (
            day - Span::new().days(since_monday),
            Span::new().weeks(interval),
        ),
        "months" => (day.first_of_month(), Span::new().months(interval)),
        _ => return Err("no such unit".to_owned()),
    };
    let midnight =
        |day: jiff::civil::Date| tz.to_timestamp(day.at(0, 0, 0, 0)).expect("an instant");
    let (from, until) = (midnight(first), midnight(first + length));
    for one in expand.iter().filter(|one| !one.is_empty()) {
        if !["base", "override", "forwarding"].contains(one) {
            return Err(format!("no such expand: {one}"));
        }
    }
    let rows = |runs: &dyn Fn(usize) -> Vec<Run>| -> Value {
        let layers = plan.layers.iter().enumerate();
        let rotations = layers.map(|(number, layer)| {
            let runs = runs(number);
            let periods = runs
                .iter()
                .flat_map(|run| periods(estate, plan, run, shape));
            json!({
                "id": layer.id, "name": layer.id, "order": number as f64 + 1.0,
                "periods": periods.collect::<Vec<_>>()
            })
        });
        json!({ "rotations": rotations.collect::<Vec<_>>() })
    };
    let mut given = json!({
        "startDate": from.to_string(), "endDate": until.to_string(),
        "finalTimeline": rows(&|number| plan.last(number, from, until))
    });
    if expand.contains(&"base") {
        given["baseTimeline"] = rows(&|number| plan.base(number, from, until));
    }
    if expand.contains(&"override") {
        given["overrideTimeline"] = rows(&|number| {
            let mut runs = plan.last(number, from, until);
            runs.retain(|run| matches!(run.origin, Origin::Override(_)));
            runs
        });
    }
    if expand.contains(&"forwarding") {
        given["forwardingTimeline"] = rows(&|number| plan.forwarding(number, from, until));
    }
    Ok(given)
}

/// A run as periods: what has passed is historical, and the present instant divides.
fn periods(estate: &Estate, plan: &Plan, run: &Run, shape: &Shape) -> Vec<Value> {
    let kind = match run.origin {
        Origin::Turn { .. } => "base",
        Origin::Override(_) => "override",
        Origin::Forward { .. } => "forwarding",
    };
    let period = |kind: &str, from: Timestamp, until: Timestamp| {
        let mut given = json!({
            "startDate": from.to_string(), "endDate": until.to_string(), "type": kind,
            shape.who: (shape.person)(&run.person)
        });
        if let (Origin::Forward { rule, .. }, "forwarding") = (&run.origin, kind) {
            let (member, value) = (shape.from)(&plan.forwards[*rule].whose);
            given[member] = value;
        }
        given
    };
    match estate.now {
        Some(now) if run.until <= now => vec![period("historical", run.from, run.until)],
        Some(now) if run.from < now => vec![
            period("historical", run.from, now),
            period(kind, now, run.until),
        ],
        _ => vec![period(kind, run.from, run.until)],
    }
}
