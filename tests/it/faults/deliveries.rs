//! Deliveries after a kill at any moment, and on a full disk.

use crate::cli::{imported, key, succeeds};
use crate::faults::durability::{cramped, rotation, version};
use crate::support::*;
use crate::webhooks::sending::{attempt_line, hook, serving};
use rusqlite::{Connection as Sqlite, OpenFlags};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The database as another process opens it.
fn opened(db: &Path) -> Sqlite {
    let conn =
        Sqlite::open_with_flags(db, OpenFlags::SQLITE_OPEN_READ_WRITE).expect("the database");
    let patience = std::time::Duration::from_secs(30);
    conn.busy_timeout(patience).expect("a time-out");
    conn
}

fn killed(mut rota: Rota, db: &Path) {
    rota.process.signal("KILL");
    rota.process.ended();
    succeeds(db, "check");
}

/// The attempts of a delivery, one line each. Their numbers must have no gaps and their bodies must be equal.
#[track_caller]
fn log_of(hook: &Hook, delivery: &str) -> Vec<String> {
    let attempts = hook.attempts(delivery);
    for (attempt, number) in attempts.iter().zip(1..) {
        assert_eq!(int(&attempt["attemptNumber"]), number, "{attempts:?}");
        assert_eq!(attempt["requestBody"], attempts[0]["requestBody"]);
        assert_eq!(attempt["deliveryId"], json!(delivery));
    }
    attempts
        .iter()
        .map(|attempt| {
            format!(
                "round {}: {}",
                int(&attempt["round"]),
                attempt_line(attempt)
            )
        })
        .collect()
}

/// Ids of the deliveries to an endpoint, oldest first.
fn ids(hook: &Hook) -> Vec<String> {
    let all = hook.by.all(&format!("{}/deliveries", hook.path()));
    let ids = all.iter().rev();
    ids.map(|delivery| text(&delivery["deliveryId"]).to_owned())
        .collect()
}

fn states(hook: &Hook) -> String {
    let all = hook.by.all(&format!("{}/deliveries", hook.path()));
    let states = all.iter().rev();
    states
        .map(|delivery| text(&delivery["state"]))
        .collect::<Vec<_>>()
        .join(" ")
}

const INTERRUPTED: &str = "round 1: no_response - interrupted";
const DELIVERED: &str = "round 1: delivered 200 -";

/// The clock is frozen: whatever is sent after a restart was due at once.
#[test]
fn a_kill_while_sending_and_before() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let outlet = Outlet::new(Behavior::hangs());
    let mut rota = Start::default().db(&db).go();
    rota.people(3);
    let id = rota.hook_at(&outlet.url(), "duty.changed").id;
    let changed = rota.rotation("U1 U2 U3");
    changed.put_on_call("U1").is(200);
    eventually("the first", || outlet.posts().len() == 1);
    // The queue is busy: this one waits.
    changed.put_on_call("U2").is(200);
    killed(rota, &db);
    // The first again, and the second on its own queue.
    rota = Start::default().db(&db).go();
    eventually("both", || outlet.posts().len() == 3);
    assert_eq!(
        log_of(&hook(&rota, &id), &outlet.posts()[0].id),
        [INTERRUPTED]
    );
    killed(rota, &db);
    outlet.now(Behavior::says(200));
    rota = Start::default().db(&db).go();
    let endpoint = hook(&rota, &id);
    eventually("an end", || states(&endpoint) == "delivered delivered");

    let ids = ids(&endpoint);
    assert_eq!(
        log_of(&endpoint, &ids[0]),
        [INTERRUPTED, INTERRUPTED, DELIVERED]
    );
    assert_eq!(log_of(&endpoint, &ids[1]), [INTERRUPTED, DELIVERED]);
    let posts = outlet.posts();
    assert_eq!(posts.len(), 5);
    for id in &ids {
        let received = endpoint.attempts(id);
        let mut sent = posts.iter().filter(|post| post.id == *id);
        assert!(sent.all(|post| post.body == text(&received[0]["requestBody"])));
    }
    let (status, log) = rota.stop();
    assert_eq!(status.code(), Some(0));
    assert!(log.contains("2 attempts were interrupted"), "{log}");
    succeeds(&db, "check");
}

#[test]
fn a_kill_between_the_answer_and_its_record() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let gate = Gate::default();
    let outlet = Outlet::new({
        let gate = gate.clone();
        Behavior::reads(move |_| {
            gate.pass();
            status(200)
        })
    });
    let mut rota = Start::default().db(&db).go();
    rota.people(3);
    let id = rota.hook_at(&outlet.url(), "duty.changed").id;
    let changed = rota.rotation("U1 U2 U3");
    changed.put_on_call("U1").is(200);
    eventually("the first", || outlet.posts().len() == 1);
    // No other connection can write now, so the outcome cannot be recorded.
    let conn = opened(&db);
    conn.execute_batch("BEGIN IMMEDIATE")
        .expect("the only writer");
    gate.open();
    eventually("the answer", || outlet.ended() == 1);
    rota.process.signal("KILL");
    rota.process.ended();
    conn.execute_batch("ROLLBACK").expect("an end");
    drop(conn);
    succeeds(&db, "check");

    rota = Start::default().db(&db).go();
    let endpoint = hook(&rota, &id);
    eventually("an end", || states(&endpoint) == "delivered");
    let first = endpoint.newest();
    let first = text(&first["deliveryId"]);
    assert_eq!(log_of(&endpoint, first), [INTERRUPTED, DELIVERED]);
    let posts = outlet.posts();
    assert_eq!(posts.len(), 2);
    assert_eq!(posts[0].body, posts[1].body);
    killed(rota, &db);

    // A recorded attempt is not repeated: the next delivery is of a new event.
    rota = Start::default().db(&db).go();
    let changed = rotation(&rota, text(&posts[0].json()["rotationId"]));
    changed.put_on_call("U2").is(200);
    rota.advance(3600);
    assert_eq!(outlet.posts().len(), 3);
    assert_ne!(outlet.posts()[2].id, first);
    assert_eq!(states(&hook(&rota, &id)), "delivered delivered");
}

#[test]
fn a_kill_leaves_what_was_cancelled_and_what_is_held() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let outlet = Outlet::new(Behavior::hangs());
    let mut rota = Start::default().db(&db).go();
    rota.people(3);
    let hooks = ["cancelled", "held", "deleted"].map(|name| {
        let url = format!("{}{name}", outlet.url());
        rota.hook_at(&url, "duty.changed").id
    });
    let changed = rota.rotation("U1 U2 U3");
    changed.put_on_call("U1").is(200);
    eventually("all three", || outlet.posts().len() == 3);
    let [cancelled, held, deleted] = hooks.each_ref().map(|id| hook(&rota, id));
    let of = |hook: &Hook| text(&hook.newest()["deliveryId"]).to_owned();
    let (first, second) = (of(&cancelled), of(&held));
    let path = format!("{}/deliveries/{first}/cancel", cancelled.path());
    rota.request("POST", &path).send().ok();
    held.act("disable").is(200);
    deleted.by.delete_if(&deleted.path(), "*").is(204);
    killed(rota, &db);

    outlet.now(Behavior::says(200));
    rota = Start::default().db(&db).go();
    rota.advance(3600);
    let [cancelled, held, deleted] = hooks.each_ref().map(|id| hook(&rota, id));
    assert_eq!(states(&cancelled), "cancelled");
    assert_eq!(log_of(&cancelled, &first), [INTERRUPTED]);
    assert_eq!(states(&held), "pending");
    assert_eq!(log_of(&held, &second), [INTERRUPTED]);
    rota.get(&deleted.path()).is(404);
    assert_eq!(outlet.posts().len(), 3);
    held.act("enable").is(200);
    rota.advance(60);
    assert_eq!(log_of(&held, &second), [INTERRUPTED, DELIVERED]);
    assert_eq!(outlet.posts().len(), 4);
}

/// Changes who is on call until the connection ends, and counts the responses.
fn write_on(rota: &Rota, id: &str, turn: &AtomicUsize, acknowledged: &AtomicUsize) {
    let mut connection = Connection::open(rota.address());
    loop {
        // Never the last or the previous person, so each is a change.
        let n = turn.fetch_add(1, Ordering::Relaxed);
        let person = ["U1", "U2", "U3"][n % 3];
        let body = json!({ "userIds": [person] }).to_string();
        let request = format!(
            "PUT /v1/rotations/{id}/on-call HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer {}\r\nIf-Match: *\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            rota.key,
            body.len(),
        );
        let sent = connection.try_send(request).is_ok();
        let Some(reply) = sent.then(|| connection.answer("PUT")).flatten() else {
            return;
        };
        let received = String::from_utf8_lossy(&reply.body);
        assert_eq!(reply.status, 200, "{received}");
        acknowledged.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn no_change_is_without_its_delivery() {
    const KILLS: [usize; 6] = [1, 37, 14, 52, 5, 23];
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    // Some responses are failures, so that there are retries.
    let count = AtomicUsize::new(0);
    let outlet = Outlet::new(Behavior::reads(move |_| {
        let n = count.fetch_add(1, Ordering::Relaxed);
        status(if n % 5 == 4 { 500 } else { 200 })
    }));
    let mut rota = Start::default().db(&db).go();
    rota.people(3);
    let hooks = ["a", "b"].map(|name| {
        let url = format!("{}{name}", outlet.url());
        rota.hook_at(&url, "duty.changed").id
    });
    let ids: Vec<String> = (0..3).map(|_| rota.rotation("U1 U2 U3").id).collect();
    let turns: Vec<AtomicUsize> = ids.iter().map(|_| AtomicUsize::new(0)).collect();
    let acknowledged: Vec<AtomicUsize> = ids.iter().map(|_| AtomicUsize::new(0)).collect();
    let total = || -> usize { acknowledged.iter().map(|n| n.load(Ordering::Relaxed)).sum() };
    for writes in KILLS {
        let enough = total() + writes;
        std::thread::scope(|scope| {
            for ((id, turn), acknowledged) in ids.iter().zip(&turns).zip(&acknowledged) {
                let rota = &rota;
                scope.spawn(move || write_on(rota, id, turn, acknowledged));
            }
            eventually("so many writes", || total() >= enough);
            rota.process.signal("KILL");
        });
        drop(rota);
        succeeds(&db, "check");
        rota = Start::default().db(&db).go();
    }
    outlet.now(Behavior::says(200));
    // The quick retries of round 1, whose instants are in the future of the clock.
    rota.advance(60);

    let mut expected = BTreeSet::new();
    for (id, acknowledged) in ids.iter().zip(&acknowledged) {
        let (last, received) = (
            version(&db, id),
            acknowledged.load(Ordering::Relaxed) as i64,
        );
        let changes = last - 1;
        // Attempts in flight at a kill may have arrived, too.
        assert!(
            (received..=received + KILLS.len() as i64).contains(&changes),
            "{changes} for {received}"
        );
        expected.extend((2..=last).map(|version| (id.clone(), version)));
    }
    let posts = outlet.posts();
    let mut by_id: BTreeMap<String, Vec<&Post>> = BTreeMap::new();
    for post in &posts {
        by_id.entry(post.id.clone()).or_default().push(post);
    }
    let mut interrupted = 0;
    let seen = Mutex::new(BTreeSet::new());
    for hook_id in &hooks {
        let endpoint = hook(&rota, hook_id);
        let mut tells = BTreeSet::new();
        let mut order = vec![];
        for delivery in self::ids(&endpoint) {
            assert!(
                seen.lock().unwrap().insert(delivery.clone()),
                "{delivery} twice"
            );
            let log = log_of(&endpoint, &delivery);
            let (last, before) = log.split_last().expect("attempts");
            assert_eq!(last, DELIVERED, "{log:?}");
            let odd =
                |line: &&String| !["round 1: failed 500 -", INTERRUPTED].contains(&line.as_str());
            assert_eq!(before.iter().find(odd), None, "{log:?}");
            interrupted += before.iter().filter(|line| *line == INTERRUPTED).count();
            let attempts = endpoint.attempts(&delivery);
            let body = text(&attempts[0]["requestBody"]);
            let sent = &by_id[&delivery];
            assert!(sent.len() <= attempts.len(), "{log:?}: sent more often");
            assert!(sent.iter().all(|post| post.body == body), "{delivery}");
            let body: Value = serde_json::from_str(body).unwrap();
            let change = (text(&body["rotationId"]).to_owned(), int(&body["version"]));
            assert!(tells.insert(change), "{body}: received twice");
            order.push(at(text(&attempts[0]["at"])));
        }
        assert_eq!(tells, expected);
        assert!(order.is_sorted(), "first attempts out of order");
    }
    let received = seen.into_inner().unwrap();
    assert!(
        by_id.keys().all(|id| received.contains(id)),
        "sent and not stored"
    );
    // At most one attempt on each queue at each kill.
    assert!(interrupted <= KILLS.len() * 4, "{interrupted}");
    assert_eq!(rota.stop().0.code(), Some(0));
    succeeds(&db, "check");
}

#[test]
fn an_outcome_waits_for_room_on_a_full_disk() {
    let (_dir, db) = imported();
    let scopes = "--scope read:rotations write:rotations read:oncall write:duty manage:webhooks";
    let key = key(&db, scopes);
    let ca = format!("{CERTS}/ca.pem");
    let settings = [
        ("ROTA_WEBHOOKS_EXTRA_CA_FILE", ca.as_str()),
        ("ROTA_WEBHOOKS_ALLOW_NETS", "127.0.0.0/8, ::1/128"),
    ];
    let Some(server) = cramped(&db, &key, &settings) else {
        return;
    };
    let gate = Gate::default();
    let outlet = Outlet::secure("good", {
        let gate = gate.clone();
        Behavior::reads(move |_| {
            gate.pass();
            status(200)
        })
    });
    let endpoint = server.hook_at(&outlet.https("localhost"), "duty.changed");
    let changed = server.rotation("U1 U2 U3");
    changed.put_on_call("U1").is(200);
    eventually("the first", || outlet.posts().len() == 1);
    changed.put_on_call("U2").is(200);
    loop {
        let answer = changed.patch(json!({ "name": unique("name") }));
        if answer.status() != 200 {
            answer.refused(503, "storage_unavailable");
            break;
        }
    }
    // An edit needs more room than an outcome. What is left of it is taken a page at a time.
    let conn = opened(&db);
    for n in 0..300 {
        conn.execute(
            "UPDATE meta SET value = ?1 WHERE name = 'team_name'",
            [n.to_string()],
        )
        .expect("a page");
    }
    drop(conn);
    gate.open();
    let first = outlet.posts()[0].id.clone();
    let complaint = format!(
        "webhook {} delivery {first} attempt 1: storage",
        endpoint.id
    );
    let complaints = || -> Vec<String> {
        let log = server.process.log.text();
        let lines = log.lines().filter(|line| line.contains(&complaint));
        lines.map(str::to_owned).collect()
    };
    eventually("two complaints", || complaints().len() == 2);
    assert!(
        complaints()[0].ends_with("trying again in 1 s"),
        "{:?}",
        complaints()
    );
    assert!(
        complaints()[1].ends_with("trying again in 2 s"),
        "{:?}",
        complaints()
    );
    // Its outcome is not recorded, so nothing more is sent and nothing is stored.
    assert_eq!(outlet.posts().len(), 1);
    assert_eq!(states(&endpoint), "pending pending");
    assert_eq!(log_of(&endpoint, &first), [""; 0]);
    succeeds(&db, "check");

    // Checkpointing the log frees space.
    let conn = opened(&db);
    let busy: i64 = conn
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))
        .expect("a checkpoint");
    assert_eq!(busy, 0);
    drop(conn);
    eventually("an end", || states(&endpoint) == "delivered delivered");
    for id in ids(&endpoint) {
        assert_eq!(log_of(&endpoint, &id), [DELIVERED]);
    }
    assert_eq!(outlet.posts().len(), 2);
    assert!(complaints().len() <= 3);
    let id = endpoint.id.clone();
    let (status, log) = server.stop();
    assert_eq!(status.code(), Some(0), "{log}");
    succeeds(&db, "check");
    let server = serving(&db, &key, &settings);
    assert_eq!(states(&hook(&server, &id)), "delivered delivered");
}
