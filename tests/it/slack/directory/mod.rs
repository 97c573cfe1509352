//! The directory of Slack: full readings, what they change, and when they are not believed.

mod away;
mod command;
mod events;
mod failing;
mod guard;
mod reading;
mod unknown;

use crate::support::slack::Slack;
use crate::support::*;
use serde_json::{Value, json};

/// Reads every outside source now: how many were read, and how many were not.
#[track_caller]
fn sync(rota: &Rota) -> (u64, u64) {
    let answer = rota.post("/dev/sync", json!({})).ok().json();
    let count = |name: &str| answer[name].as_u64().expect("a count");
    (count("read"), count("failed"))
}

/// The ids of the people that lists show, in order.
#[track_caller]
fn people(rota: &Rota) -> String {
    let mut ids = listed(rota, "/v1/users?pageSize=100");
    ids.sort();
    ids.join(" ")
}

#[track_caller]
fn listed(rota: &Rota, path: &str) -> Vec<String> {
    let answer = rota.get(path).is(200).json();
    let data = answer["data"].as_array().expect("a list");
    let ids = data.iter().map(|item| text(&item["id"]).to_owned());
    ids.collect()
}

/// The members of a rotation by their groups, `S1:U1,U2`.
#[track_caller]
fn group_members(rotation: &Rot) -> String {
    let members = &rotation.read()["members"]["userGroups"];
    let group = |group: &Value| {
        let users = group["users"].as_array().expect("people").iter();
        let users: Vec<&str> = users.map(|user| text(&user["userId"])).collect();
        format!("{}:{}", text(&group["userGroupId"]), users.join(","))
    };
    let groups: Vec<String> = members
        .as_array()
        .expect("groups")
        .iter()
        .map(group)
        .collect();
    groups.join(" ")
}

/// How often each list was asked for.
fn calls(slack: &Slack) -> [usize; 3] {
    ["users.list", "usergroups.list", "conversations.list"].map(|method| slack.calls(method).len())
}
