//! Random sequences against a plain model of a directory, and against an import of the same state.

use super::*;
use std::collections::{BTreeMap, BTreeSet};

/// A person as the model has them.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Known {
    name: String,
    is_active: bool,
    is_removed: bool,
}

#[derive(Default)]
struct Model {
    people: BTreeMap<String, Known>,
    groups: BTreeMap<String, Vec<String>>,
    /// Who was deleted, the last one at the end.
    removed: Vec<String>,
}

impl Model {
    fn listed(&self) -> Vec<&String> {
        let listed = self.people.iter().filter(|(_, known)| !known.is_removed);
        listed.map(|(id, _)| id).collect()
    }

    /// The directory as a file has it.
    fn file(&self) -> Value {
        let users: Vec<Value> = self
            .people
            .iter()
            .map(|(id, known)| json!({ "id": id, "displayName": known.name, "isDeleted": !known.is_active }))
            .collect();
        let groups = self.groups.iter().enumerate();
        let groups: Vec<Value> = groups
            .map(|(at, (id, users))| json!({ "id": id, "name": id, "handle": format!("h{at}"), "userIds": users }))
            .collect();
        json!({ "team": { "id": "T1" }, "users": users, "groups": groups, "channels": [] })
    }
}

fn step(rota: &Rota, model: &mut Model, random: &mut Chance) {
    let listed: Vec<String> = model.listed().into_iter().cloned().collect();
    let groups: Vec<String> = model.groups.keys().cloned().collect();
    match random.below(10) {
        0 | 1 => {
            let name = format!("p{}", random.below(12));
            let answer = rota.scim("POST", "/Users", &json!({ "userName": name }));
            let is_taken = model
                .people
                .values()
                .any(|known| !known.is_removed && known.name == name);
            if is_taken {
                drop(refused(answer, 409, "uniqueness"));
                return;
            }
            let id = text(&answer.is(201).json()["id"]).to_owned();
            let before = model
                .removed
                .iter()
                .rposition(|other| model.people[other].name == name);
            match before {
                Some(at) => assert_eq!(model.removed.remove(at), id),
                None => assert!(!model.people.contains_key(&id)),
            }
            let known = Known {
                name,
                is_active: true,
                is_removed: false,
            };
            model.people.insert(id, known);
        }
        2 => {
            let Some(id) = random.pick(&listed) else {
                return;
            };
            rota.scim("DELETE", &format!("/Users/{id}"), &json!({}))
                .is(204);
            let known = model.people.get_mut(&id).unwrap();
            (known.is_active, known.is_removed) = (false, true);
            model
                .groups
                .values_mut()
                .for_each(|users| users.retain(|user| *user != id));
            model.removed.push(id);
        }
        3 => {
            let Some(id) = random.pick(&listed) else {
                return;
            };
            let is_active = random.below(2) == 0;
            let change = json!([{ "op": "replace", "path": "active", "value": is_active }]);
            rota.patch_scim(&format!("/Users/{id}"), change).is(200);
            model.people.get_mut(&id).unwrap().is_active = is_active;
        }
        4 => {
            let (Some(id), Some(user)) = (random.pick(&groups), random.pick(&listed)) else {
                return;
            };
            let remove =
                json!([{ "op": "remove", "path": "members", "value": [{ "value": user }] }]);
            rota.patch_scim(&format!("/Groups/{id}"), remove).is(200);
            model
                .groups
                .get_mut(&id)
                .unwrap()
                .retain(|other| *other != user);
        }
        5 => {
            let Some(id) = random.pick(&groups) else {
                return;
            };
            let users: BTreeSet<String> = (0..4).filter_map(|_| random.pick(&listed)).collect();
            let members: Vec<Value> = users.iter().map(|user| json!({ "value": user })).collect();
            let put = json!({ "displayName": "again", "members": members });
            rota.scim("PUT", &format!("/Groups/{id}"), &put).is(200);
            model.groups.insert(id, users.into_iter().collect());
        }
        _ => {
            let (Some(id), Some(user)) = (random.pick(&groups), random.pick(&listed)) else {
                return;
            };
            let add = json!([{ "op": "add", "path": "members", "value": [{ "value": user }] }]);
            rota.patch_scim(&format!("/Groups/{id}"), add).is(200);
            let users = model.groups.get_mut(&id).unwrap();
            if !users.contains(&user) {
                users.push(user);
            }
        }
    }
}

/// What SCIM lists is what the model has.
fn compare(rota: &Rota, model: &Model) {
    let mut found = BTreeMap::new();
    for user in rota.read_scim("/Users").is(200).json()["Resources"]
        .as_array()
        .unwrap()
    {
        let known = (
            text(&user["userName"]).to_owned(),
            user["active"] == json!(true),
        );
        found.insert(text(&user["id"]).to_owned(), known);
    }
    let expected = model.people.iter().filter(|(_, known)| !known.is_removed);
    let expected: BTreeMap<String, (String, bool)> = expected
        .map(|(id, known)| (id.clone(), (known.name.clone(), known.is_active)))
        .collect();
    assert_eq!(found, expected);
    for (id, users) in &model.groups {
        let shown = rota.read_scim(&format!("/Groups/{id}")).is(200).json();
        let members = shown["members"].as_array().into_iter().flatten();
        let members: Vec<&str> = members.map(|member| text(&member["value"])).collect();
        assert_eq!(members, *users, "{id}");
        assert_eq!(
            rota.get(&format!("/v1/groups/{id}")).json()["userIds"],
            json!(users)
        );
    }
}

/// rules.md 17.18 and 17.19.
#[test]
fn sequences_agree_with_a_model_and_with_an_import() {
    let sequences = if in_full() { 100 } else { 12 };
    let (rota, other) = (Rota::at(MONDAY), Rota::at(MONDAY));
    let mut random = Chance(11);
    for _ in 0..sequences {
        // Everybody of the sequence before goes.
        rota.import(&json!({ "team": { "id": "T1" }, "users": [], "groups": [], "channels": [] }));
        for kind in ["Groups", "Users"] {
            for one in rota.read_scim(&format!("/{kind}")).json()["Resources"]
                .as_array()
                .unwrap()
            {
                let path = format!("/{kind}/{}", text(&one["id"]));
                rota.scim("DELETE", &path, &json!({})).is(204);
            }
        }
        let mut model = Model::default();
        // People of earlier sequences come back under their ids, so names are new to the model.
        for _ in 0..4 {
            let id = rota.add_user(json!({ "userName": unique("person") }));
            let name = text(&rota.read_scim(&format!("/Users/{id}")).json()["userName"]).to_owned();
            model.people.insert(
                id,
                Known {
                    name,
                    is_active: true,
                    is_removed: false,
                },
            );
        }
        let listed: Vec<String> = model.people.keys().cloned().collect();
        for at in 0..2 {
            let users = &listed[at..at + 2];
            let ids: Vec<&str> = users.iter().map(String::as_str).collect();
            model
                .groups
                .insert(rota.add_group(&unique("group"), &ids), users.to_vec());
        }
        let groups: Vec<&String> = model.groups.keys().collect();
        let rotation = rota.create(json!({
            "name": unique("rotation"), "owners": [listed[0]], "userIds": [], "userGroupIds": groups
        }));
        rotation.cover(1, &[always(daily())]);
        other.import(&model.file());
        let twin =
            json!({ "name": "twin", "owners": [listed[0]], "userIds": [], "userGroupIds": groups });
        let twin = other.create(twin);
        twin.cover(1, &[always(daily())]);
        let mut imported = model.file();
        for number in 1..=50 {
            step(&rota, &mut model, &mut random);
            let file = model.file();
            if file != imported {
                // Whoever is deactivated leaves at once, so the import follows each change, as the rotation does here.
                rota.follow_scim();
                other.import(&file);
                imported = file;
            }
            // What has come apart stays so.
            if number % 10 == 0 {
                assert_eq!(rotation.holders(), twin.holders());
                assert_eq!(rotation.order(), twin.order());
            }
        }
        compare(&rota, &model);
        for rotation in [&rotation, &twin] {
            rotation.by.delete_if(&rotation.path(""), "*").is(204);
        }
    }
}
