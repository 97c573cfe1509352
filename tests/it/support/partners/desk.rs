//! Jira Service Management Operations, and Jira's people. Schedules name people by account ids alone.

use super::ops::{self, Shape};
use super::serving::{Asked, Reply};
use super::{CLOUD_ID, DESK_EMAIL, Estate};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

type Answer = Result<Reply, String>;

pub fn answer(estate: &Estate, asked: &Asked) -> Answer {
    if asked.method != "GET" {
        return Err("something is written".to_owned());
    }
    let path: Vec<&str> = asked.path.iter().map(String::as_str).collect();
    if path == ["_edge", "tenant_info"] {
        return match asked.header("authorization") {
            None => Ok(Reply::ok(json!({ "cloudId": CLOUD_ID }))),
            Some(_) => Err("the token is sent where nobody needs it".to_owned()),
        };
    }
    let login = STANDARD.encode(format!("{DESK_EMAIL}:{}", estate.key));
    if asked.header("authorization") != Some(format!("Basic {login}").as_str()) {
        let body = json!({ "code": 401, "message": "Unauthorized" });
        return Ok(Reply::with(401, body));
    }
    match path[..] {
        ["rest", "api", "3", "user"] => {
            asked.knows(&["accountId"])?;
            let id = asked.one("accountId")?.ok_or("no accountId")?;
            Ok(match estate.people.get(id) {
                Some(one) => {
                    let mut given =
                        json!({ "accountId": id, "displayName": one.name, "active": true });
                    if let Some(email) = &one.email {
                        given["emailAddress"] = email.clone().into();
                    }
                    Reply::ok(given)
                }
                None => Reply::error(404, "no user"),
            })
        }
        [
            "jsm",
            "ops",
            "api",
            CLOUD_ID,
            "v1",
            "schedules",
            ref rest @ ..,
        ] => schedules(estate, asked, rest),
        _ => Err("no such path".to_owned()),
    }
}

fn missing() -> Reply {
    let errors = json!({ "errors": [{ "title": "no schedule", "code": "404" }] });
    Reply::with(404, errors)
}

fn schedules(estate: &Estate, asked: &Asked, rest: &[&str]) -> Answer {
    let Some((&id, rest)) = rest.split_first() else {
        asked.knows(&["query", "size", "offset", "expand"])?;
        let plans = estate.plans.iter();
        let plans = plans.map(|(id, plan)| {
            json!({ "id": id, "name": plan.name, "description": "", "timezone": plan.zone, "enabled": true })
        });
        return page(estate, asked, "/v1/schedules", plans.collect());
    };
    let Some(plan) = estate.plans.get(id) else {
        return Ok(missing());
    };
    match rest {
        [] => {
            asked.knows(&[])?;
            Ok(Reply::ok(json!({
                "id": id, "name": plan.name, "description": "", "timezone": plan.zone, "enabled": true,
                "teamId": "t-1", "rotations": ops::rotations(plan, &responder)
            })))
        }
        ["overrides"] => {
            asked.knows(&["size", "offset"])?;
            let listed = plan.overrides.iter().map(|one| {
                json!({
                    "alias": one.id, "responder": responder(&one.person),
                    "startDate": one.from.to_string(), "endDate": one.until.to_string(),
                    "rotationIds": one.layers
                })
            });
            page(
                estate,
                asked,
                &format!("/v1/schedules/{id}/overrides"),
                listed.collect(),
            )
        }
        ["timeline"] => {
            asked.knows(&["expand", "interval", "intervalUnit", "date"])?;
            let shape = Shape {
                who: "responder",
                person: &responder,
                from: &|id| ("from", responder(id)),
            };
            let expand = asked.all("expand");
            Ok(Reply::ok(ops::timeline(
                estate, asked, plan, &expand, &shape,
            )?))
        }
        _ => Err("no such path".to_owned()),
    }
}

/// A page with the way to the next one.
fn page(estate: &Estate, asked: &Asked, path: &str, items: Vec<Value>) -> Answer {
    let size = asked.number("size")?.unwrap_or(25);
    if !(1..=50).contains(&size) {
        return Ok(Reply::with(
            422,
            json!({ "errors": [{ "title": "size", "code": "422" }] }),
        ));
    }
    let (size, offset) = (size.min(estate.page), asked.number("offset")?.unwrap_or(0));
    let next = offset + size;
    let links = match next < items.len() {
        true => json!({ "next": format!("{path}?offset={next}&size={size}") }),
        false => json!({}),
    };
    let items: Vec<Value> = items.into_iter().skip(offset).take(size).collect();
    Ok(Reply::ok(json!({ "values": items, "links": links })))
}

fn responder(id: &str) -> Value {
    match id {
        "NONE" => json!({ "type": "noone" }),
        _ if id.starts_with("TEAM") => json!({ "type": "team", "id": id }),
        _ if id.starts_with("ESC") => json!({ "type": "escalation", "id": id }),
        _ => json!({ "type": "user", "id": id }),
    }
}
