//! PagerDuty: v2, and v3 for shift-based schedules.

use super::plan::{Layer, Origin, Plan, Run, Turns};
use super::serving::{Asked, Reply};
use super::{Estate, Somebody};
use jiff::Timestamp;
use serde_json::{Value, json};

type Answer = Result<Reply, String>;

pub fn answer(estate: &Estate, asked: &Asked) -> Answer {
    if asked.method != "GET" {
        return Err("something is written".to_owned());
    }
    if asked.header("content-type") != Some("application/json") {
        return Err("no Content-Type: application/json".to_owned());
    }
    if asked.header("accept") != Some("application/vnd.pagerduty+json;version=2") {
        return Err("no version in Accept".to_owned());
    }
    if asked.header("authorization") != Some(format!("Token token={}", estate.key).as_str()) {
        return Ok(Reply::error(401, "unauthorized"));
    }
    let path: Vec<&str> = asked.path.iter().map(String::as_str).collect();
    match path[..] {
        ["schedules"] => listing(estate, asked, false),
        ["v3", "schedules"] => listing(estate, asked, true),
        ["schedules", id] => schedule(estate, asked, id),
        ["schedules", id, "overrides"] => overrides(estate, asked, id),
        ["v3", "schedules", id] => shift_based(estate, asked, id),
        ["v3", "schedules", id, "overrides"] => shift_overrides(estate, asked, id),
        ["users"] => users(estate, asked),
        ["users", id] => {
            asked.knows(&["include[]"])?;
            Ok(match estate.people.get(id) {
                Some(somebody) => Reply::ok(json!({ "user": user(id, somebody) })),
                None => Reply::error(404, "Not Found"),
            })
        }
        _ => Err("no such path".to_owned()),
    }
}

/// One page of items under a name.
fn page(estate: &Estate, asked: &Asked, name: &str, items: Vec<Value>) -> Answer {
    let limit = asked.number("limit")?.unwrap_or(25).min(estate.page);
    let offset = asked.number("offset")?.unwrap_or(0);
    let more = offset + limit < items.len();
    let items: Vec<Value> = items.into_iter().skip(offset).take(limit).collect();
    Ok(Reply::ok(
        json!({ name: items, "limit": limit, "offset": offset, "more": more }),
    ))
}

fn listing(estate: &Estate, asked: &Asked, shift_based: bool) -> Answer {
    asked.knows(&["limit", "offset", "total", "query"])?;
    let plans = estate.plans.iter();
    let plans = plans.filter(|(_, plan)| plan.shift_based == shift_based);
    let items = plans.map(|(id, plan)| match shift_based {
        true => json!({
            "id": id, "type": "schedule_v3_reference", "summary": plan.name,
            "self": format!("https://api.pagerduty.com/v3/schedules/{id}"),
            "html_url": format!("https://acme.pagerduty.com/schedules/{id}")
        }),
        false => json!({
            "id": id, "type": "schedule", "summary": plan.name, "name": plan.name,
            "time_zone": plan.zone, "html_url": format!("https://acme.pagerduty.com/schedules/{id}")
        }),
    });
    page(estate, asked, "schedules", items.collect())
}

fn users(estate: &Estate, asked: &Asked) -> Answer {
    asked.knows(&["limit", "offset", "total", "query", "include[]"])?;
    let people = estate.people.iter();
    page(
        estate,
        asked,
        "users",
        people.map(|(id, one)| user(id, one)).collect(),
    )
}

fn user(id: &str, somebody: &Somebody) -> Value {
    json!({
        "id": id, "type": "user", "summary": somebody.name, "name": somebody.name,
        // PagerDuty hides no address; an empty one is the nearest.
        "email": somebody.email.as_deref().unwrap_or_default(), "time_zone": "Europe/Oslo"
    })
}

fn reference(estate: &Estate, id: &str) -> Value {
    json!({
        "id": id, "type": "user_reference", "summary": estate.somebody(id).name,
        "self": format!("https://api.pagerduty.com/users/{id}"),
        "html_url": format!("https://acme.pagerduty.com/users/{id}")
    })
}

/// The span that is asked for.
fn span(asked: &Asked) -> Result<(Timestamp, Timestamp), String> {
    let (Some(since), Some(until)) = (asked.instant("since")?, asked.instant("until")?) else {
        return Err("no since and until".to_owned());
    };
    let days = (until.as_second() - since.as_second()) / 86_400;
    match (0..=92).contains(&days) && since < until {
        true => Ok((since, until)),
        false => Err("the range is too long, or empty".to_owned()),
    }
}

/// Cuts runs to the span, unless they may overflow.
fn within(runs: Vec<Run>, (since, until): (Timestamp, Timestamp), overflow: bool) -> Vec<Run> {
    let mut runs = runs;
    runs.retain(|run| run.from < until && run.until > since);
    if !overflow {
        for run in &mut runs {
            run.from = run.from.max(since);
            run.until = run.until.min(until);
        }
    }
    runs
}

fn local(plan: &Plan, instant: Timestamp) -> String {
    let local = instant.to_zoned(plan.tz());
    local.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string()
}

fn entries(estate: &Estate, plan: &Plan, runs: &[Run]) -> Value {
    let entry = |run: &Run| {
        json!({
            "start": local(plan, run.from), "end": local(plan, run.until),
            "user": reference(estate, &run.person)
        })
    };
    runs.iter().map(entry).collect()
}

fn schedule(estate: &Estate, asked: &Asked, id: &str) -> Answer {
    asked.knows(&["since", "until", "overflow", "time_zone"])?;
    let span = span(asked)?;
    let Some(plan) = estate.plans.get(id).filter(|plan| !plan.shift_based) else {
        return Ok(Reply::error(404, "Not Found"));
    };
    let overflow = asked.one("overflow")? == Some("true");
    let reach = plan.longest();
    let (from, until) = (span.0 - reach, span.1 + reach);
    let layers = plan.layers.iter().enumerate().map(|(number, layer)| {
        let runs = within(plan.base(number, from, until), span, overflow);
        layer_of(estate, plan, layer, entries(estate, plan, &runs))
    });
    let overriding = plan.overrides.iter().map(|one| Run {
        from: one.from,
        until: one.until,
        person: one.person.clone(),
        origin: Origin::Override(0),
    });
    let overriding = within(overriding.collect(), span, overflow);
    let last = within(plan.layered(from, until), span, overflow);
    let mut people: Vec<&String> = plan.layers.iter().flat_map(|layer| &layer.people).collect();
    people.sort();
    people.dedup();
    Ok(Reply::ok(json!({ "schedule": {
        "id": id, "type": "schedule", "summary": plan.name, "name": plan.name,
        "self": format!("https://api.pagerduty.com/schedules/{id}"),
        "html_url": format!("https://acme.pagerduty.com/schedules/{id}"),
        "time_zone": plan.zone, "description": "",
        "users": people.iter().map(|id| reference(estate, id)).collect::<Vec<_>>(),
        "schedule_layers": layers.collect::<Vec<_>>(),
        "overrides_subschedule": {
            "name": "Overrides", "rendered_schedule_entries": entries(estate, plan, &overriding),
            "rendered_coverage_percentage": 0.0
        },
        "final_schedule": {
            "name": "Final Schedule", "rendered_schedule_entries": entries(estate, plan, &last),
            "rendered_coverage_percentage": 100.0
        },
        "escalation_policies": [], "teams": []
    } })))
}

fn layer_of(estate: &Estate, plan: &Plan, layer: &Layer, entries: Value) -> Value {
    let seconds = match layer.turns {
        Turns::Hours(n) | Turns::LocalHours(n) => n * 3_600,
        Turns::Days(n) => n * 86_400,
        Turns::Weeks(n) => n * 604_800,
    };
    let restrictions = layer.hours.iter().map(|hours| {
        let from = format!("{:02}:{:02}:00", hours.from / 60, hours.from % 60);
        let mut given = json!({
            "type": "daily_restriction", "start_time_of_day": from,
            "duration_seconds": hours.minutes * 60
        });
        if let Some(day) = hours.day {
            given["type"] = "weekly_restriction".into();
            given["start_day_of_week"] = day.to_monday_one_offset().into();
        }
        given
    });
    let users = layer.people.iter();
    let users = users.map(|id| json!({ "user": reference(estate, id) }));
    let mut given = json!({
        "id": layer.id, "name": layer.id, "start": local(plan, layer.anchor),
        "rotation_virtual_start": local(plan, layer.anchor), "rotation_turn_length_seconds": seconds,
        "users": users.collect::<Vec<_>>(), "restrictions": restrictions.collect::<Vec<_>>(),
        "rendered_schedule_entries": entries, "rendered_coverage_percentage": 100.0
    });
    if let Some(until) = layer.until {
        given["end"] = local(plan, until).into();
    }
    given
}

/// A listing is answered with 201.
fn overrides(estate: &Estate, asked: &Asked, id: &str) -> Answer {
    asked.knows(&["since", "until", "editable", "overflow"])?;
    let (since, until) = span(asked)?;
    let Some(plan) = estate.plans.get(id).filter(|plan| !plan.shift_based) else {
        return Ok(Reply::error(404, "Not Found"));
    };
    let listed = plan.overrides.iter();
    let listed = listed.filter(|one| one.from < until && one.until > since);
    let listed = listed.map(|one| {
        json!({
            "id": one.id, "start": local(plan, one.from), "end": local(plan, one.until),
            "user": reference(estate, &one.person)
        })
    });
    Ok(Reply::with(
        201,
        json!({ "overrides": listed.collect::<Vec<_>>() }),
    ))
}

fn member(id: &str) -> Value {
    match id {
        "NONE" => json!({ "type": "empty_member" }),
        id => json!({ "type": "user_member", "user_id": id }),
    }
}

fn shift_based(estate: &Estate, asked: &Asked, id: &str) -> Answer {
    asked.knows(&["since", "until", "overflow", "time_zone", "include[]"])?;
    let span = span(asked)?;
    let Some(plan) = estate.plans.get(id).filter(|plan| plan.shift_based) else {
        return Ok(Reply::error(404, "Not Found"));
    };
    let overflow = asked.one("overflow")? == Some("true");
    let reach = plan.longest();
    let (from, until) = (span.0 - reach, span.1 + reach);
    let rotations = plan.layers.iter().map(|layer| rotation(plan, layer));
    let mut people: Vec<&String> = plan.layers.iter().flat_map(|layer| &layer.people).collect();
    people.retain(|id| *id != "NONE");
    people.sort();
    people.dedup();
    let mut given = json!({ "schedule": {
        "id": id, "type": "schedule_v3", "name": plan.name, "time_zone": plan.zone,
        "self": format!("https://api.pagerduty.com/v3/schedules/{id}"),
        "html_url": format!("https://acme.pagerduty.com/schedules/{id}"),
        "users": people.iter().map(|id| reference(estate, id)).collect::<Vec<_>>(),
        "rotations": rotations.collect::<Vec<_>>()
    } });
    if asked.all("include[]").contains(&"final_schedule") {
        let all = (0..plan.layers.len()).flat_map(|number| {
            within(plan.last(number, from, until), span, overflow)
                .into_iter()
                .map(move |run| (number, run))
        });
        let assignments = all.map(|(number, run)| {
            let layer = &plan.layers[number].id;
            let source = match run.origin {
                Origin::Override(one) => json!({
                    "type": "schedule_rotation_override", "rotation_id": layer,
                    "override_id": plan.overrides[one].id
                }),
                _ => json!({ "type": "schedule_rotation", "rotation_id": layer }),
            };
            json!({
                "type": "computed_shift_assignment", "start_time": local(plan, run.from),
                "end_time": local(plan, run.until), "member": member(&run.person), "source": source
            })
        });
        let customs = plan.customs.iter();
        let customs = customs.filter(|one| one.from < span.1 && one.until > span.0);
        let customs = customs.map(|one| {
            json!({
                "type": "computed_shift_assignment", "start_time": local(plan, one.from),
                "end_time": local(plan, one.until), "member": member(&one.person),
                "source": { "type": "custom_shift", "shift_id": one.id }
            })
        });
        given["schedule"]["final_schedule"] = json!({
            "type": "final_schedule", "rendered_coverage_percentage": 100.0,
            "computed_shift_assignments": assignments.chain(customs).collect::<Vec<_>>()
        });
    }
    Ok(Reply::ok(given))
}

fn rotation(plan: &Plan, layer: &Layer) -> Value {
    let (rule, length) = match layer.turns {
        Turns::Hours(n) | Turns::LocalHours(n) => (format!("RRULE:FREQ=HOURLY;INTERVAL={n}"), n),
        Turns::Days(n) => (format!("RRULE:FREQ=DAILY;INTERVAL={n}"), 24 * n),
        Turns::Weeks(n) => (format!("RRULE:FREQ=WEEKLY;INTERVAL={n}"), 7 * 24 * n),
    };
    let end = layer.anchor + jiff::SignedDuration::from_hours(length);
    let time = |at: Timestamp| json!({ "date_time": local(plan, at), "time_zone": plan.zone });
    json!({ "id": layer.id, "type": "schedule_rotation", "events": [{
        "id": format!("{}-event", layer.id), "type": "schedule_event", "name": layer.id,
        "start_time": time(layer.anchor), "end_time": time(end),
        "effective_since": local(plan, layer.anchor), "effective_until": null,
        "recurrence": [rule],
        "assignment_strategy": {
            "type": "rotating_member_assignment_strategy", "shifts_per_member": 1,
            "members": layer.people.iter().map(|id| member(id)).collect::<Vec<_>>()
        }
    }] })
}

fn shift_overrides(estate: &Estate, asked: &Asked, id: &str) -> Answer {
    asked.knows(&["since", "until", "overflow", "time_zone", "limit", "offset"])?;
    let (since, until) = span(asked)?;
    let Some(plan) = estate.plans.get(id).filter(|plan| plan.shift_based) else {
        return Ok(Reply::error(404, "Not Found"));
    };
    let listed = plan.overrides.iter();
    let listed = listed.filter(|one| one.from < until && one.until > since);
    let listed = listed.map(|one| {
        let layer = one.layers.first().unwrap_or(&plan.layers[0].id);
        json!({
            "id": one.id, "type": "override_shift", "rotation_id": layer,
            "start_time": local(plan, one.from), "end_time": local(plan, one.until),
            "overridden_member": member(&plan.layers[0].people[0]),
            "overriding_member": member(&one.person)
        })
    });
    page(estate, asked, "overrides", listed.collect())
}
