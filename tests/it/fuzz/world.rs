//! A workspace with records of every kind, and the ids that requests use.

use super::chance::Chance;
use crate::support::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Ids by prefix, newest last.
const PREFIXES: [&str; 11] = [
    "rot_", "lan_", "win_", "cel_", "whk_", "abs_", "arr_", "cov_", "swp_", "men_", "ros_",
];

/// The number of remembered ids per kind.
const MOST: usize = 8;

#[derive(Default)]
pub struct World {
    ids: BTreeMap<&'static str, Vec<String>>,
    /// `/webhook/...` without the leading slash, and their keys.
    pub inbound: Vec<(String, String)>,
    pub etags: Vec<String>,
    pub cursors: Vec<String>,
    /// Turns of the schedule: cell, person, from and to.
    pub turns: Vec<Value>,
    pub tokens: Vec<(String, String)>,
    /// Requester and recipient by request id.
    parties: BTreeMap<String, (String, String)>,
    /// The rotation of most requests.
    focus: String,
}

/// Four people and two groups. Whom requests have made lose their address first: it may be that of one of the four.
fn directory(rota: &Rota) {
    let users = rota.get("/v1/users").ok().json();
    for user in users["data"].as_array().expect("users") {
        if user["source"] != "file" {
            let path = format!("/v1/users/{}", text(&user["id"]));
            let changed = json!({ "email": null });
            rota.caller().patch_if(&path, "*", changed).is(200);
        }
    }
    rota.people_and_groups(4, &[("G1", "U1 U2"), ("G2", "")]);
}

impl World {
    /// Four people, two groups, an endpoint, and a rotation with an open mention.
    pub fn populated(rota: &Rota) -> World {
        directory(rota);
        let mut world = World::default();
        for user in ["U1", "U2", "U3", "U4"] {
            world.tokens.push((user.to_owned(), rota.token(user)));
        }
        let (hook, _) = rota.hook("duty.changed rotation.updated");
        world.keep("whk_", &hook.id);
        world.renew(rota);
        world
    }

    /// A new rotation in which every kind of request is possible.
    pub fn renew(&mut self, rota: &Rota) {
        // Requests delete channels and change people too.
        directory(rota);
        let rotation = rota.daily("U1 U2 U3", 2);
        self.keep("rot_", &rotation.id);
        self.focus = rotation.id.clone();
        let mut grid = rotation.grid(2, &[always(daily())]);
        grid["cells"][0]["rosterId"] = json!("day");
        rotation.put("/coverage", grid).is(200);
        self.learn(&rotation.read());
        rotation.tells_in("C1 C2");
        let inbound = rotation.inbound();
        self.inbound.push((
            inbound.path["/webhook/".len()..].to_owned(),
            inbound.key.clone(),
        ));
        let mention = rotation.mention("U2");
        self.keep("men_", &mention.id);
        self.plan(rota);
    }

    pub fn focus<'a>(&self, rota: &'a Rota) -> Rot<'a> {
        Rot {
            by: rota.caller(),
            id: self.focus.clone(),
        }
    }

    /// The person who may take the step of a path, if its request is known.
    pub fn party(&self, path: &str) -> Option<String> {
        let mut segments = path
            .rsplit(['/', '?'])
            .filter(|segment| !segment.is_empty());
        let (_, (asker, asked)) = self
            .parties
            .iter()
            .find(|(id, _)| path.contains(id.as_str()))?;
        let answers = segments.any(|segment| ["accept", "decline"].contains(&segment));
        Some(if answers {
            asked.clone()
        } else {
            asker.clone()
        })
    }

    /// The token of a person, or of any person.
    pub fn token(&self, chance: &mut Chance, person: Option<&str>) -> String {
        let known = self
            .tokens
            .iter()
            .find(|(user, _)| Some(user.as_str()) == person);
        known.unwrap_or(chance.pick(&self.tokens)).1.clone()
    }

    /// The cells of that rotation, and their future turns.
    pub fn plan(&mut self, rota: &Rota) {
        let now = rota.now();
        let path = format!(
            "/v1/rotations/{}/schedule?from={}&to={}&pageSize=12",
            self.focus,
            rfc(&now),
            rfc(&plus(&now, 5 * DAY))
        );
        let standing = self.focus(rota).get("");
        if standing.status() == 200 {
            self.learn(&standing.json());
        }
        let plan = rota.get(&path);
        if plan.status() == 200 {
            let items = plan.json()["data"].as_array().cloned().unwrap_or_default();
            let held: Vec<Value> = items
                .into_iter()
                .filter(|item| item["userId"].is_string() && item["end"].is_string())
                .collect();
            if !held.is_empty() {
                self.turns = held;
            }
        }
    }

    fn keep(&mut self, prefix: &'static str, id: &str) {
        let ids = self.ids.entry(prefix).or_default();
        ids.retain(|known| known != id);
        ids.push(id.to_owned());
        if ids.len() > MOST {
            ids.remove(0);
        }
    }

    /// Remembers every id in a response.
    pub fn learn(&mut self, value: &Value) {
        match value {
            Value::String(text) => {
                let prefix = PREFIXES.into_iter().find(|prefix| text.starts_with(prefix));
                if let Some(prefix) = prefix {
                    self.keep(prefix, text);
                } else if text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                    self.keep("delivery", text);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.learn(item)),
            Value::Object(members) => {
                members.values().for_each(|member| self.learn(member));
                let asked = [
                    &members.get("recipientUserIds").unwrap_or(&Value::Null)[0],
                    members.get("recipientUserId").unwrap_or(&Value::Null),
                ];
                let asked = asked.into_iter().find_map(Value::as_str);
                let (id, asker) = (members.get("id"), members.get("requesterUserId"));
                if let (Some(id), Some(asker), Some(asked)) = (
                    id.and_then(Value::as_str),
                    asker.and_then(Value::as_str),
                    asked,
                ) {
                    self.parties
                        .insert(id.to_owned(), (asker.to_owned(), asked.to_owned()));
                }
                if let Some(Value::String(cursor)) = members.get("nextCursor") {
                    self.cursors.push(cursor.clone());
                }
                if let (Some(Value::String(url)), Some(Value::String(key))) =
                    (members.get("url"), members.get("key"))
                    && let Some((_, path)) = url.split_once("/webhook/")
                {
                    self.inbound.push((path.to_owned(), key.clone()));
                }
            }
            _ => {}
        }
    }

    /// An id for the name of a member or parameter. `None` for other names.
    pub fn id(&self, chance: &mut Chance, name: &str) -> Option<String> {
        let known = |chance: &mut Chance, prefix: &str| {
            let ids = self.ids.get(prefix).filter(|ids| !ids.is_empty());
            // Usually an existing one.
            let id = ids.map(|ids| {
                if chance.once_in(2) {
                    ids.last().unwrap().clone()
                } else {
                    chance.pick(ids).clone()
                }
            });
            id.unwrap_or_else(|| format!("{prefix}x"))
        };
        let pick = |chance: &mut Chance, from: &[&str]| (*chance.pick(from)).to_owned();
        Some(match name {
            "rotationId" if !chance.once_in(5) => self.focus.clone(),
            "rotationId" => known(chance, "rot_"),
            "laneId" => known(chance, "lan_"),
            "windowId" => known(chance, "win_"),
            "cellId" | "cellIds" => known(chance, "cel_"),
            "webhookId" => known(chance, "whk_"),
            "absenceId" => known(chance, "abs_"),
            "arrangementId" => known(chance, "arr_"),
            "coverRequestId" => known(chance, "cov_"),
            "swapRequestId" => known(chance, "swp_"),
            "mentionId" => known(chance, "men_"),
            "deliveryId" => known(chance, "delivery"),
            "rosterId" => pick(chance, &["day", "night"]),
            "userId" | "userIds" | "owners" | "recipientUserId" | "recipientUserIds"
            | "holderUserId" => pick(chance, &["U1", "U2", "U3", "U4", "U9"]),
            "groupId" | "userGroupId" | "userGroupIds" => pick(chance, &["G1", "G2", "G9"]),
            "channelId" | "channels" => pick(chance, &["C1", "C2", "C3", "C4", "C9"]),
            "webhookPath" => chance.pick(&self.inbound).0.clone(),
            _ => return None,
        })
    }

    /// The body to replace the holder of a turn of the schedule.
    pub fn turn(&self, chance: &mut Chance) -> Value {
        let turn = chance.pick(&self.turns);
        json!({ "cellId": turn["cellId"], "from": turn["start"], "to": turn["end"], "holderUserId": turn["userId"] })
    }
}
