//! The standard directory: people U1.., channels C1 and C2 with the app, C3 public without it, C4 private
//! without it; groups as required by a test.

use super::server::Rota;
use serde_json::{Value, json};

pub const TEAM: &str = "T1";

pub fn user(id: &str) -> Value {
    json!({
        "id": id, "teamId": TEAM, "displayName": format!("Person {id}"), "realName": format!("Real {id}"),
        "email": format!("{}@example.com", id.to_lowercase()), "isGuest": false, "isExternal": false,
        "isDeleted": false, "avatarUrl": null, "timeZone": "Europe/Oslo", "isAdmin": false,
    })
}

pub fn channel(id: &str, private: bool, app_inside: bool) -> Value {
    let name = format!("channel-{}", id.to_lowercase());
    json!({ "id": id, "teamId": TEAM, "name": name, "isPrivate": private, "appIsMember": app_inside })
}

pub fn group(id: &str, users: &str) -> Value {
    let handle = id.to_lowercase();
    json!({ "id": id, "teamId": TEAM, "name": format!("Group {id}"), "handle": handle, "userIds": super::words(users) })
}

/// The import file for a number of people.
pub fn directory(people: usize) -> Value {
    let users: Vec<Value> = (1..=people).map(|n| user(&format!("U{n}"))).collect();
    json!({
        "team": { "id": TEAM, "name": "Team One" },
        "users": users,
        "groups": [],
        "channels": [
            channel("C1", false, true), channel("C2", true, true),
            channel("C3", false, false), channel("C4", true, false),
        ],
    })
}

impl Rota {
    #[track_caller]
    pub fn import(&self, directory: &Value) {
        self.request("PUT", "/dev/directory")
            .json(directory)
            .send()
            .ok();
    }

    #[track_caller]
    pub fn people(&self, people: usize) {
        self.import(&directory(people));
    }

    /// The standard directory with these groups, written `("G1", "U1 U2")`.
    #[track_caller]
    pub fn people_and_groups(&self, people: usize, groups: &[(&str, &str)]) {
        let mut all = directory(people);
        all["groups"] = groups.iter().map(|(id, users)| group(id, users)).collect();
        self.import(&all);
    }

    #[track_caller]
    pub fn plan(&self, name: &str) {
        self.request("PUT", "/dev/plan")
            .json(&json!({ "name": name }))
            .send()
            .ok();
    }
}
