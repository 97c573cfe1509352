//! Whether what was stored, sent and told is one and the same story.

use super::client::Client;
use super::world::World;
use crate::cli::succeeds;
use crate::support::*;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A change: the rotation and its version.
type Change = (String, i64);

/// What an endpoint was told, once each delivery is held to be one id and one body.
#[derive(Default)]
struct Told {
    /// The types of event, and who was on call after it.
    changes: BTreeMap<Change, (BTreeSet<String>, String)>,
    ids: BTreeSet<String>,
}

impl Told {
    #[track_caller]
    fn at(outlet: &Outlet, path: &str) -> Told {
        let mut bodies: BTreeMap<String, String> = BTreeMap::new();
        let mut told = Told::default();
        for post in outlet.posts_to(path) {
            let first = bodies
                .entry(post.id.clone())
                .or_insert_with(|| post.body.clone());
            assert_eq!(*first, post.body, "a repeat with other bytes");
            if !told.ids.insert(post.id.clone()) {
                continue;
            }
            let body = post.json();
            let change = (text(&body["rotationId"]).to_owned(), int(&body["version"]));
            let on_call = people_on_call(&body["rotation"]["onCall"]);
            let (kinds, after) = told.changes.entry(change.clone()).or_default();
            let kind = text(&body["eventType"]).to_owned();
            assert!(kinds.insert(kind), "{change:?} told twice: {}", post.body);
            *after = on_call;
        }
        told
    }

    fn duty(&self) -> BTreeSet<&Change> {
        let duty = |(_, (kinds, _)): &(&Change, &(BTreeSet<String>, String))| {
            kinds.contains("duty.changed")
        };
        self.changes
            .iter()
            .filter(duty)
            .map(|(change, _)| change)
            .collect()
    }
}

/// Everything that must hold, whatever happened before.
#[track_caller]
pub fn audit(world: &World, rota: &Rota, clients: &[Client]) {
    world.settles();
    let [all, duty] = ["/a", "/b"].map(|path| Told::at(&world.outlet, path));
    // What ended a month ago is stored no longer.
    let stored = world.delivered();
    let sent = |id: &&String| all.ids.contains(*id) || duty.ids.contains(*id);
    assert_eq!(
        stored.iter().find(|id| !sent(id)),
        None,
        "stored and not sent"
    );
    assert_eq!(
        all.duty(),
        duty.duty(),
        "one endpoint was told more than the other"
    );

    let versions = world.versions();
    for (id, last) in &versions {
        let client = clients.iter().find(|client| client.rotation() == id);
        let first = world.first.get(id).copied().unwrap_or_default();
        let silent = client
            .map(|client| client.silent.clone())
            .unwrap_or_default();
        let of = (id.clone(), 0)..(id.clone(), i64::MAX);
        let told: Vec<_> = all.changes.range(of).collect();
        let mut known: BTreeSet<i64> = told.iter().map(|((_, version), _)| *version).collect();
        assert_eq!(
            known.intersection(&silent).next(),
            None,
            "{id}: news of nothing"
        );
        known.extend(silent);
        let expected: BTreeSet<i64> = (first + 1..=*last).collect();
        assert_eq!(known, expected, "{id}: versions that were told");
        if let Some(client) = client {
            assert!(
                last - first >= client.raised,
                "{id}: {last} for {}",
                client.raised
            );
        }
        for pair in told.windows(2) {
            let ((_, (_, before)), (change, (kinds, after))) = (pair[0], pair[1]);
            assert_eq!(
                kinds.contains("duty.changed"),
                before != after,
                "{change:?}: {before} {after}"
            );
        }
        if let Some((change, (_, on_call))) = told.last() {
            let rotation = Rot {
                by: rota.caller(),
                id: id.clone(),
            };
            assert_eq!(rotation.on_call(), *on_call, "{change:?}");
        }
    }
    talk(world, rota, &all);
}

/// Chat says what duty is, and was told of each change once.
#[track_caller]
fn talk(world: &World, rota: &Rota, told: &Told) {
    let bound = Rot {
        by: rota.caller(),
        id: world.base.rotations[0].clone(),
    };
    let on_call = bound.on_call();
    let until = bound.next_events()[0].replace('T', " ").replace('Z', "");
    let (topic, begins) = (
        rota.topic("C2"),
        format!("Rotation: Person {on_call} until {until}, "),
    );
    assert!(topic.starts_with(&begins), "{topic}: not {begins}");
    assert_eq!(rota.group("G1"), format!("U4 {on_call}"));
    let said = rota.messages();
    let takeover = |m: &&Value| recipient(m) == "C1" && !text(&m["text"]).contains("covers for");
    let said: Vec<&Value> = said.iter().filter(takeover).collect();
    let of = |(rotation, _): &&&Change| *rotation == bound.id;
    let changes = told.duty().iter().filter(of).count();
    assert_eq!(said.len(), world.said + changes, "{said:#?}");
}

/// The end: it stops in order, and nothing is wrong with what it leaves.
#[track_caller]
pub fn ends(world: &World, rota: Rota) {
    let (status, log) = rota.stop();
    assert_eq!(status.code(), Some(0), "{log}");
    succeeds(&world.db, "check");
}
