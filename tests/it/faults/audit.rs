//! Checks that the stored state, deliveries and messages are consistent.

use super::client::Client;
use super::world::World;
use crate::cli::succeeds;
use crate::support::*;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A change: the rotation and its version.
type Change = (String, i64);

/// The deliveries to an endpoint, after checking that each has one id and one body.
#[derive(Default)]
struct Received {
    /// The types of event, and who was on call after it.
    changes: BTreeMap<Change, (BTreeSet<String>, String)>,
    ids: BTreeSet<String>,
}

impl Received {
    #[track_caller]
    fn at(outlet: &Outlet, path: &str) -> Received {
        let mut bodies: BTreeMap<String, String> = BTreeMap::new();
        let mut received = Received::default();
        for post in outlet.posts_to(path) {
            let first = bodies
                .entry(post.id.clone())
                .or_insert_with(|| post.body.clone());
            assert_eq!(*first, post.body, "a repeat with other bytes");
            if !received.ids.insert(post.id.clone()) {
                continue;
            }
            let body = post.json();
            let change = (text(&body["rotationId"]).to_owned(), int(&body["version"]));
            let on_call = people_on_call(&body["rotation"]["onCall"]);
            let (kinds, after) = received.changes.entry(change.clone()).or_default();
            let kind = text(&body["eventType"]).to_owned();
            assert!(
                kinds.insert(kind),
                "{change:?} received twice: {}",
                post.body
            );
            *after = on_call;
        }
        received
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
    let [all, duty] = ["/a", "/b"].map(|path| Received::at(&world.outlet, path));
    // Deliveries that ended a month ago are no longer stored.
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
        let received: Vec<_> = all.changes.range(of).collect();
        let mut known: BTreeSet<i64> = received.iter().map(|((_, version), _)| *version).collect();
        assert_eq!(
            known.intersection(&silent).next(),
            None,
            "{id}: news of nothing"
        );
        known.extend(silent);
        let expected: BTreeSet<i64> = (first + 1..=*last).collect();
        assert_eq!(known, expected, "{id}: versions that were received");
        if let Some(client) = client {
            assert!(
                last - first >= client.raised,
                "{id}: {last} for {}",
                client.raised
            );
        }
        for pair in received.windows(2) {
            let ((_, (_, before)), (change, (kinds, after))) = (pair[0], pair[1]);
            assert_eq!(
                kinds.contains("duty.changed"),
                before != after,
                "{change:?}: {before} {after}"
            );
        }
        if let Some((change, (_, on_call))) = received.last() {
            let rotation = Rot {
                by: rota.caller(),
                id: id.clone(),
            };
            assert_eq!(rotation.on_call(), *on_call, "{change:?}");
        }
    }
    talk(world, rota, &all);
}

/// Chat matches duty, and each change was announced once.
#[track_caller]
fn talk(world: &World, rota: &Rota, received: &Received) {
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
    let changes = received.duty().iter().filter(of).count();
    assert_eq!(said.len(), world.said + changes, "{said:#?}");
}

/// The server stops normally, and `rota check` finds nothing.
#[track_caller]
pub fn ends(world: &World, rota: Rota) {
    let (status, log) = rota.stop();
    assert_eq!(status.code(), Some(0), "{log}");
    succeeds(&world.db, "check");
}
