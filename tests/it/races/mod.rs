//! Concurrent writes.

use crate::cli::succeeds;
use crate::faults::durability::version;
use crate::support::*;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Barrier;

/// A server with a database that the test can open.
fn stored(people: usize) -> (TempDir, PathBuf, Rota) {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let rota = Start::default().db(&db).go();
    rota.people(people);
    (dir, db, rota)
}

/// One POST to be sent together with others.
struct Post {
    credential: String,
    path: String,
    body: Value,
}

/// Sends all at one moment, each over its own open connection.
fn at_once(rota: &Rota, posts: &[Post]) -> Vec<(u16, Value)> {
    let barrier = Barrier::new(posts.len());
    let send = |post: &Post| {
        let mut connection = Connection::open(rota.address());
        barrier.wait();
        post_over(&mut connection, &post.credential, &post.path, &post.body).expect("an answer")
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = posts
            .iter()
            .map(|post| scope.spawn(move || send(post)))
            .collect();
        threads.into_iter().map(|t| t.join().unwrap()).collect()
    })
}

/// `200`, or the status and the code of a refusal.
fn outcome((status, body): &(u16, Value)) -> String {
    match status {
        200 => "200".to_owned(),
        _ => format!("{status} {}", text(&body["code"])),
    }
}

fn outcomes(answers: &[(u16, Value)]) -> Vec<String> {
    let mut outcomes: Vec<String> = answers.iter().map(outcome).collect();
    outcomes.sort();
    outcomes
}

impl Asked<'_> {
    fn post(&self, token: &str, step: &str, mut body: Value) -> Post {
        body["operationId"] = json!(unique("race"));
        Post {
            credential: token.to_owned(),
            path: self.path(&format!("/{step}")),
            body,
        }
    }

    fn step_at(&self, token: &str, step: &str) -> Post {
        self.post(token, step, json!({ "expectedRevision": 1 }))
    }
}

/// The request and its arrangements agree: all of its legs, or none.
#[track_caller]
fn agrees(asked: &Asked) {
    let record = asked.record();
    let legs = record["legs"].as_array().map_or(1, Vec::len);
    let named: Vec<&Value> = match record["legs"].as_array() {
        Some(legs) => legs.iter().map(|leg| &leg["arrangementId"]).collect(),
        None => vec![&record["arrangementId"]],
    };
    let accepted = ["accepted", "ended"].contains(&text(&record["state"]));
    assert_eq!(record["acceptedUserId"].is_null(), !accepted, "{record}");
    let there = named.iter().filter(|id| !id.is_null()).count();
    assert_eq!(there, if accepted { legs } else { 0 }, "{record}");
    for id in named.iter().filter(|id| !id.is_null()) {
        let path = format!("/duty-arrangements/{}", text(id));
        asked.on.get(&path).is(200);
    }
}

#[track_caller]
fn is_sound(rotation: &Rot, db: &Path) {
    rotation.is_a_chain("05T08 2026-03-31T00:00Z");
    succeeds(db, "check");
}

/// rules.md 9.2.
#[test]
fn of_acceptances_at_once_the_first_counts() {
    let (_dir, db, rota) = stored(6);
    let rotation = rota.daily("U1 U2 U3 U4 U5 U6", 1);
    let tokens = ["U2", "U3", "U4", "U5", "U6"].map(|user| rota.token(user));
    for round in 0..12 {
        let from = plus("2026-01-05T09:00Z", round * HOUR);
        let period = format!("{from} {}", plus(&from, HOUR));
        let asked = rotation.ask_cover("U1", &period, "U2 U3 U4 U5 U6");
        let before = version(&db, &rotation.id);
        let posts = tokens
            .each_ref()
            .map(|token| asked.step_at(token, "accept"));
        let answers = at_once(&rota, &posts);
        let mut expected = vec!["200".to_owned()];
        expected.resize(tokens.len(), "409 coverAlreadyAccepted".to_owned());
        assert_eq!(outcomes(&answers), expected);
        let (_, response) = answers.iter().find(|(status, _)| *status == 200).unwrap();
        assert_eq!(response["request"]["request"], asked.record());
        assert_eq!(int(&response["rotationVersion"]), before + 1);
        assert_eq!(version(&db, &rotation.id), before + 1);
        assert_eq!(rotation.agreements().len() as i64, round + 1);
        agrees(&asked);
    }
    rota.to(&when("06"));
    is_sound(&rotation, &db);
}

#[test]
fn an_acceptance_and_a_cancellation_exclude_each_other() {
    let (_dir, db, rota) = stored(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let tokens = ["U1", "U2", "U3"].map(|user| rota.token(user));
    let mut made = 0;
    for round in 0..16 {
        let from = plus("2026-01-05T09:00Z", round * HOUR);
        let swap = round % 2 == 1;
        let asked = match swap {
            false => rotation.ask_cover("U1", &format!("{from} {}", plus(&from, HOUR)), "U2 U3"),
            true => {
                let day = |days: i64| plus("2026-01-08T09:00Z", (round / 2 * 3 + days) * DAY);
                let [first, second, third] = [0, 1, 2].map(day);
                let periods = [format!("{first} {second}"), format!("{second} {third}")];
                rotation.offer_swap("U1", &periods[0], "U2", &periods[1])
            }
        };
        let before = version(&db, &rotation.id);
        let posts = [
            asked.step_at(&tokens[1], "accept"),
            asked.step_at(&tokens[0], "cancel"),
            asked.step_at(&tokens[1], "decline"),
        ];
        let posts = if swap { &posts[..] } else { &posts[..2] };
        let answers = at_once(&rota, posts);
        let mut expected = vec!["200".to_owned()];
        expected.resize(posts.len(), "409 requestNotPending".to_owned());
        assert_eq!(outcomes(&answers), expected);
        let won = answers.iter().position(|(status, _)| *status == 200);
        let state = ["accepted", "cancelled", "declined"][won.unwrap()];
        assert_eq!(asked.state(), state);
        assert_eq!(version(&db, &rotation.id), before + 1);
        made += match state {
            "accepted" => 1 + usize::from(swap),
            _ => 0,
        };
        assert_eq!(rotation.agreements().len(), made);
        agrees(&asked);
    }
    is_sound(&rotation, &db);
}

#[test]
fn one_operation_sent_many_times_at_once_is_carried_out_once() {
    let (_dir, db, rota) = stored(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let [asker, answerer] = ["U1", "U2"].map(|user| rota.token(user));
    let equal = |credential: &str, path: &str, body: &Value| -> Value {
        let before = version(&db, &rotation.id);
        let posts: Vec<Post> = (0..6)
            .map(|_| Post {
                credential: credential.to_owned(),
                path: path.to_owned(),
                body: body.clone(),
            })
            .collect();
        let answers = at_once(&rota, &posts);
        assert_eq!(outcome(&answers[0]), "200", "{:?}", answers[0]);
        for answer in &answers {
            assert_eq!(answer, &answers[0]);
        }
        assert_eq!(version(&db, &rotation.id), before + 1);
        answers[0].1.clone()
    };
    for round in 0..6 {
        let from = plus("2026-01-05T09:00Z", round * HOUR);
        let body = rotation.cover_body(&format!("{from} {}", plus(&from, HOUR)), "U2");
        let response = equal(&asker, &rotation.path("/cover-requests"), &body);
        let id = text(&response["request"]["request"]["id"]);
        let asked = Asked::known(&rota, &rotation.id, id);
        let body = asked.step_body();
        equal(&answerer, &asked.path("/accept"), &body);
        assert_eq!(rotation.agreements().len() as i64, round + 1);
        agrees(&asked);
    }
    let list = format!(
        "/cover-requests?from={}&to={}",
        when("05T08"),
        when("06T09")
    );
    let all = rotation.get(&list).is(200).json();
    assert_eq!(all["items"].as_array().unwrap().len(), 6);
    is_sound(&rotation, &db);
}

/// The `n`-th daily hand-over of three people: `2026-01-06T09:00Z` is the first.
fn hand_over(n: i64) -> String {
    plus("2026-01-06T09:00Z", (n - 1) * DAY)
}

#[test]
fn a_cover_is_accepted_before_its_end_passes_or_not_at_all() {
    let (_dir, db, rota) = stored(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let people = ["U1", "U2", "U3"];
    let tokens = people.map(|user| rota.token(user));
    for round in 0..30 {
        // In the last hours before the hand-over; the first holds the slot until then.
        let [holder, next] = [0, 1].map(|n| (round as usize + n) % 3);
        let end = hand_over(round + 1);
        let from = plus(&end, -2 * HOUR);
        rota.to(&plus(&end, -HOUR));
        let asked = rotation.ask_cover(people[holder], &format!("{from} {end}"), people[next]);
        let before = version(&db, &rotation.id);
        let posts = [
            asked.step_at(&tokens[next], "accept"),
            Post {
                credential: rota.key.clone(),
                path: "/dev/clock".to_owned(),
                body: json!({ "to": rfc(&end) }),
            },
        ];
        let answers = at_once(&rota, &posts);
        assert_eq!(answers[1].0, 200, "{:?}", answers[1]);
        let accepted = answers[0].0 == 200;
        let state = if accepted { "accepted" } else { "expired" };
        assert_eq!(asked.state(), state, "{:?}", answers[0]);
        if !accepted {
            assert_eq!(outcome(&answers[0]), "409 requestNotPending");
        }
        assert_eq!(
            version(&db, &rotation.id),
            before + 1 + i64::from(accepted),
            "{state}"
        );
        agrees(&asked);
        assert_eq!(rotation.on_call(), people[next]);
    }
    is_sound(&rotation, &db);
}

#[test]
fn a_swap_is_accepted_before_its_first_leg_begins_or_needs_its_key() {
    let (_dir, db, rota) = stored(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let people = ["U1", "U2", "U3"];
    let tokens = people.map(|user| rota.token(user));
    for round in 0..16 {
        // Three hand-overs per round: the shifts of two people, and one between rounds.
        let at = 3 * round + 1;
        let [begin, middle, end] = [0, 1, 2].map(|n| hand_over(at + n));
        rota.to(&plus(&begin, -HOUR));
        let [own, other] = [1, 2];
        let asked = rotation.offer_swap(
            people[own],
            &format!("{begin} {middle}"),
            people[other],
            &format!("{middle} {end}"),
        );
        let before = version(&db, &rotation.id);
        let posts = [
            asked.step_at(&tokens[other], "accept"),
            Post {
                credential: rota.key.clone(),
                path: "/dev/clock".to_owned(),
                body: json!({ "to": rfc(&plus(&begin, HOUR)) }),
            },
        ];
        let answers = at_once(&rota, &posts);
        assert_eq!(answers[1].0, 200, "{:?}", answers[1]);
        let accepted = answers[0].0 == 200;
        if !accepted {
            assert_eq!(outcome(&answers[0]), "409 startedLegNotAcknowledged");
            assert_eq!(asked.state_line(), "pending 1 -");
        }
        let (on_call, rises) = if accepted { (other, 2) } else { (own, 1) };
        assert_eq!(rotation.on_call(), people[on_call]);
        assert_eq!(version(&db, &rotation.id), before + rises);
        agrees(&asked);
        if !accepted {
            let body = json!({ "acknowledgedStartedLegKeys": ["own"] });
            asked.step_with(people[other], "accept", body).is(200);
            agrees(&asked);
        }
        assert_eq!(rotation.on_call(), people[other]);
        rota.to(&middle);
        assert_eq!(rotation.on_call(), people[own]);
    }
    assert_eq!(rotation.agreements().len(), 32);
    is_sound(&rotation, &db);
}

#[test]
fn an_acceptance_and_the_removal_of_whoever_accepts_leave_nobody_behind() {
    let (_dir, db, rota) = stored(4);
    let token = rota.token("U3");
    let barrier = Barrier::new(2);
    for round in 0..24 {
        let rotation = rota.daily("U1 U2 U3 U4", 1);
        let asked = match round % 2 {
            0 => rotation.ask_cover("U1", "05T08 05T12", "U3 U4"),
            _ => rotation.offer_swap("U1", "09 10", "U3", "11 12"),
        };
        let before = version(&db, &rotation.id);
        let post = asked.step_at(&token, "accept");
        let accept = || {
            let mut connection = Connection::open(rota.address());
            barrier.wait();
            post_over(&mut connection, &post.credential, &post.path, &post.body).expect("an answer")
        };
        let remove = || {
            barrier.wait();
            rotation
                .patch(json!({ "userIds": ["U1", "U2", "U4"] }))
                .is(200)
        };
        let (answer, removed) = std::thread::scope(|scope| {
            let (accept, remove) = (scope.spawn(accept), scope.spawn(remove));
            (accept.join().unwrap(), remove.join().unwrap())
        });
        let accepted = answer.0 == 200;
        // A person who is no member does not see a private rotation.
        if !accepted {
            assert_eq!(answer.0, 404, "{answer:?}");
        }
        assert_eq!(removed.etag(), rotation.etag());
        assert_eq!(version(&db, &rotation.id), before + 1 + i64::from(accepted));
        agrees(&asked);
        let theirs = rotation.agreements();
        let theirs: Vec<String> = theirs
            .iter()
            .filter(|made| made["userId"] == "U3" && made["state"] == "active")
            .filter(|made| day(&made["to"]) != day(&json!(rfc(MONDAY))))
            .map(arrangement_line)
            .collect();
        assert_eq!(theirs, [""; 0]);
        assert_eq!(rotation.on_call(), "U1");
        rotation.is_a_chain("05T08 06");
    }
    succeeds(&db, "check");
}
