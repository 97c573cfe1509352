//! GET /v1/mentions: the mentions of all rotations.

use crate::support::*;
use serde_json::{Value, json};

fn ids(by: &Caller, query: &str) -> Vec<String> {
    let all = by.all(&format!("/v1/mentions{query}"));
    all.iter()
        .map(|found: &Value| text(&found["id"]).to_owned())
        .collect()
}

#[test]
fn mentions_of_all_rotations_newest_first() {
    let rota = Rota::with_people(4);
    let (first, second) = (rota.daily("U1 U2", 1), rota.daily("U2 U1", 1));
    let one = first.mention("U3");
    rota.advance(60);
    let two = second.mention("U3");
    rota.advance(60);
    let three = first.mention("U4");
    three.step("U1", "acknowledge").is(200);
    let [one, two, three] = [one, two, three].map(|mention| mention.id);
    let by = rota.caller();
    assert_eq!(ids(&by, ""), [&*three, &*two, &*one]);
    for (query, expected) in [
        ("?state=open".to_owned(), vec![&two, &one]),
        ("?state=acknowledged".into(), vec![&three]),
        ("?state=nobody".into(), vec![]),
        // Who was asked, not who asks.
        ("?userId=U1".into(), vec![&three, &one]),
        ("?userId=U2&state=open".into(), vec![&two]),
        ("?userId=U3".into(), vec![]),
        (format!("?rotationId={}", second.id), vec![&two]),
        ("?rotationId=rot_unknown".into(), vec![]),
        ("?pageSize=1&page=3".into(), vec![]),
    ] {
        if !query.contains("page") {
            assert_eq!(
                ids(&by, &query),
                expected.into_iter().cloned().collect::<Vec<_>>(),
                "{query}"
            );
        }
    }
    let page = rota.get("/v1/mentions?pageSize=1&page=3").is(200).json();
    assert_eq!(text(&page["data"][0]["id"]), one);
    assert_eq!(int(&page["totalItems"]), 3);
    let read = rota.get(&format!("/v1/mentions/{one}")).json();
    assert_eq!(page["data"][0], read);
    for (query, member) in [
        ("?state=closed", "state"),
        ("?page=x", "page"),
        ("?userId=U1&userId=U2", "userId"),
    ] {
        rota.get(&format!("/v1/mentions{query}")).names(member);
    }
}

#[test]
fn mentions_are_listed_for_whoever_sees_their_rotation() {
    let rota = Rota::with_people(4);
    let (mine, other) = (rota.daily("U1 U2", 1), rota.daily("U2 U1", 1));
    other.patch(json!({ "public": true })).is(200);
    let [here, there] = [&mine, &other].map(|rotation| rotation.mention("U3").id);
    let mut both = [here.clone(), there.clone()];
    both.sort();
    let seen = |credential: &str| {
        let mut found = ids(&rota.with(credential), "");
        found.sort();
        found
    };
    assert_eq!(seen(&rota.key), both);
    assert_eq!(seen(&rota.token("U1")), both);
    assert_eq!(seen(&rota.token("U4")), [there]);
    let key =
        rota.mint(json!({ "name": "k", "scopes": ["read:oncall"], "rotationIds": [mine.id] }));
    assert_eq!(seen(&key), [here]);
    assert!(ids(&rota.with(&key), &format!("?rotationId={}", other.id)).is_empty());
    rota.with(&rota.key("read:rotations"))
        .get("/v1/mentions")
        .refused(403, "scope_denied");
    rota.anyone()
        .get("/v1/mentions")
        .refused(401, "missing_credential");
}
