//! GET /v1/requests: the cover and swap requests of all rotations.

use crate::support::*;
use serde_json::{Value, json};

/// `type state requester recipients rotation` of each.
fn lines(by: &Caller, query: &str) -> Vec<String> {
    let line = |item: &Value| {
        let request = &item["request"];
        let asked = request["recipientUserIds"].as_array().expect("people");
        let asked: Vec<&str> = asked.iter().map(text).collect();
        format!(
            "{} {} {} {} {}",
            text(&item["type"]),
            text(&request["state"]),
            text(&request["requesterUserId"]),
            asked.join(","),
            text(&item["rotationName"])
        )
    };
    let all = by.all(&format!("/v1/requests{query}"));
    all.iter().map(line).collect()
}

fn named<'a>(rota: &'a Rota, name: &str, people: &str) -> Rot<'a> {
    let mut body = new_rotation(people);
    body["name"] = json!(name);
    let rotation = rota.create(body);
    rotation.cover(1, &[always(daily())]);
    rotation
}

#[test]
fn requests_of_all_rotations_newest_first() {
    let rota = Rota::with_people(5);
    let first = named(&rota, "A", "U1 U2 U3");
    let second = named(&rota, "B", "U1 U2 U4");
    let one = first.ask_cover("U1", "05T10 05T12", "U2 U3");
    let two = second.offer_swap("U1", "08 09", "U2", "09 10");
    let three = first.ask_cover("U2", "06 07", "U3");
    three.step("U2", "cancel").is(200);
    let all = [
        "cover cancelled U2 U3 A",
        "swap pending U1 U2 B",
        "cover pending U1 U2,U3 A",
    ];
    let by = rota.caller();
    assert_eq!(lines(&by, ""), all);
    for (query, expected) in [
        ("?state=pending", &all[1..]),
        ("?state=cancelled", &all[..1]),
        ("?state=accepted", &[]),
        ("?userId=U1", &all[1..]),
        ("?userId=U2", &all[..]),
        ("?userId=U2&role=requester", &all[..1]),
        ("?userId=U2&role=recipient", &all[1..]),
        ("?userId=U3&role=recipient&state=pending", &all[2..]),
        ("?userId=U9", &[]),
        ("?userId=U3&state=cancelled", &all[..1]),
    ] {
        assert_eq!(lines(&by, query), expected, "{query}");
    }
    let here = format!("?rotationId={}", second.id);
    assert_eq!(lines(&by, &here), &all[1..2]);
    assert!(lines(&by, "?rotationId=rot_unknown").is_empty());
    let page = rota.get("/v1/requests?pageSize=2&page=2").is(200).json();
    assert_eq!(
        (
            int(&page["totalItems"]),
            page["data"].as_array().unwrap().len()
        ),
        (3, 1)
    );
    // The same item as its own route shows, for the same caller.
    let u2 = rota.with(&rota.token("U2"));
    let items = u2.all("/v1/requests");
    for (item, asked) in [(&items[1], &two), (&items[2], &one)] {
        let mut shown = item.clone();
        shown.as_object_mut().unwrap().remove("type");
        assert_eq!(u2.get(&asked.path("")).is(200).json(), shown);
        assert_eq!(shown["capability"]["canAccept"], json!(true));
    }
    // What somebody was asked, by their token alone.
    assert_eq!(lines(&u2, "?role=recipient&state=pending"), &all[1..]);
    assert_eq!(lines(&u2, "?role=requester"), &all[..1]);
    for (query, member) in [
        ("?role=recipient", "userId"),
        ("?role=owner&userId=U1", "role"),
        ("?state=open", "state"),
        ("?state=pending&state=ended", "state"),
        ("?page=0", "page"),
    ] {
        rota.get(&format!("/v1/requests{query}")).names(member);
    }
    // A deleted rotation takes its requests along.
    by.delete_if(&second.path(""), "*").is(204);
    assert_eq!(lines(&by, ""), [all[0], all[2]]);
}

#[test]
fn requests_are_seen_like_their_rotations() {
    let rota = Rota::with_people(0);
    let mut people = directory(6);
    people["users"][4]["isExternal"] = json!(true);
    people["users"][5]["isAdmin"] = json!(true);
    rota.import(&people);
    let first = named(&rota, "A", "U1 U2");
    let second = named(&rota, "B", "U1 U2 U3");
    second.patch(json!({ "public": true })).is(200);
    first.ask_cover("U1", "05T10 05T12", "U2");
    second.ask_cover("U1", "05T10 05T12", "U2");
    let seen = |credential: &str| {
        let found = lines(&rota.with(credential), "");
        let names: Vec<&str> = found.iter().map(|line| &line[line.len() - 1..]).collect();
        names.join(" ")
    };
    for (user, names) in [
        ("U2", "B A"),
        ("U3", "B"),
        ("U4", "B"),
        ("U5", ""),
        ("U6", "B A"),
    ] {
        assert_eq!(seen(&rota.token(user)), names, "{user}");
    }
    let selected =
        rota.mint(json!({ "name": "k", "scopes": ["read:oncall"], "rotationIds": [first.id] }));
    assert_eq!(seen(&selected), "A");
    let by = rota.with(&selected);
    assert!(lines(&by, &format!("?rotationId={}", second.id)).is_empty());
    let others = "read:rotations write:rotations write:duty read:directory manage:webhooks";
    rota.with(&rota.key(others))
        .get("/v1/requests")
        .refused(403, "scope_denied");
    rota.anyone()
        .get("/v1/requests")
        .refused(401, "missing_credential");
    // A key has no part in any.
    let item = &rota.caller().all("/v1/requests")[0];
    assert_eq!(item["capability"]["canAccept"], json!(false));
}

#[test]
fn a_long_page_is_sent_whole() {
    let rota = Rota::with_people(40);
    let people: Vec<String> = (1..=40).map(|n| format!("U{n}")).collect();
    let rotation = rota.daily(&people.join(" "), 1);
    let u1 = rotation.seen_by("U1").by;
    for hour in 0..60 {
        let mut body = rotation.cover_body("05T10 05T12", &people[1..].join(" "));
        body["from"] = json!(format!("2026-01-05T10:{:02}:00Z", hour % 60));
        body["reason"] = json!("r".repeat(2000));
        u1.post_if(&rotation.path("/cover-requests"), "*", body)
            .is(200);
    }
    let page = rota.get("/v1/requests?pageSize=200").is(200);
    assert!(page.text().len() > 100_000);
    assert_eq!(page.json()["data"].as_array().unwrap().len(), 60);
}
