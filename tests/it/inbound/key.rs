//! The URL and key of the inbound webhook: created on first read, rotated, shown to callers who may manage webhooks.

use crate::support::*;
use serde_json::{Value, json};

#[test]
fn it_is_made_when_it_is_asked_for_first() {
    let rota = Rota::with_people(2);
    let (rotation, other) = (rota.daily("U1 U2", 1), rota.daily("U2 U1", 1));
    let etag = rotation.etag();
    let read = || rotation.get("/inbound-webhook").is(200).json();
    let first = read();
    let members: Vec<&String> = first.as_object().unwrap().keys().collect();
    assert_eq!(members, ["createdAt", "key", "url"]);
    assert_eq!(instant(&first["createdAt"]), MONDAY);
    let (url, key) = (text(&first["url"]), text(&first["key"]));
    let path = url.strip_prefix(&format!("{}/webhook/", rota.url));
    let path = path.expect("an address below /webhook/");
    // It ends before the action. Neither part reveals the other or the rotation.
    assert!(!path.is_empty() && !path.contains('/'), "{path}");
    assert!(!path.contains(key) && !key.contains(path), "{path} {key}");
    assert!(!url.contains(&rotation.id), "{url}");
    // 192 bits take 32 characters of base64.
    assert!(key.len() >= 32, "{key}");
    rota.advance(3600);
    assert_eq!(read(), first, "the same on later reads");
    let elsewhere = other.get("/inbound-webhook").is(200).json();
    assert_ne!(elsewhere["url"], first["url"]);
    assert_ne!(elsewhere["key"], first["key"]);
    assert_eq!(instant(&elsewhere["createdAt"]), "2026-01-05T09:00Z");
    // It is not a part of the rotation.
    assert_eq!(rotation.etag(), etag);
    assert!(!rotation.read().to_string().contains(key));
}

#[test]
fn a_new_key_shuts_out_the_old_one() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let old = rotation.inbound();
    rota.advance(60);
    let rotate = || {
        let path = rotation.path("/inbound-webhook/rotate");
        rota.request("POST", &path).send().is(200).json()
    };
    let response = rotate();
    let new = Inbound::from_response(&rota, &response);
    assert_eq!(new.path, old.path, "the address stays");
    assert_ne!(new.key, old.key);
    assert_eq!(instant(&response["createdAt"]), "2026-01-05T08:01Z");
    assert_eq!(rotation.get("/inbound-webhook").is(200).json(), response);
    old.post("rotate").refused(401, "invalid_access_code");
    assert_eq!(rotation.on_call(), "U1");
    new.post("rotate").is(200);
    assert_eq!(rotation.on_call(), "U2");
    assert_ne!(rotate()["key"], response["key"]);
    new.post("rotate").refused(401, "invalid_access_code");
    // If nobody has read it yet, this creates the first.
    let fresh = rota.daily("U2 U1", 1);
    let path = fresh.path("/inbound-webhook/rotate");
    let response = rota.request("POST", &path).send().is(200).json();
    assert_eq!(fresh.get("/inbound-webhook").is(200).json(), response);
    Inbound::from_response(&rota, &response)
        .post("rotate")
        .is(200);
}

#[test]
fn it_is_shown_to_whoever_manages_webhooks() {
    let rota = Rota::with_people(2);
    let (mine, other) = (rota.daily("U1 U2", 1), rota.daily("U2 U1", 1));
    let both = [
        ("GET", "/inbound-webhook"),
        ("POST", "/inbound-webhook/rotate"),
    ];
    let others = rota.key("read:rotations write:rotations read:oncall write:duty read:directory");
    let only = rota.key("manage:webhooks");
    let selected = rota.mint(json!({
        "name": "k", "scopes": ["manage:webhooks"], "rotationIds": [mine.id],
    }));
    // The owner of the rotation, who is also a member.
    let owner = rota.token("U1");
    for (method, rest) in both {
        let ask = |credential: &str, rotation: &Rot| {
            let by = rota.with(credential);
            by.request(method, &rotation.path(rest)).send()
        };
        ask(&others, &mine).refused(403, "scope_denied");
        ask(&owner, &mine).refused(403, "scope_denied");
        ask(&only, &mine).is(200);
        ask(&only, &other).is(200);
        ask(&selected, &mine).is(200);
        ask(&selected, &other).refused(403, "resource_denied");
        let anyone = rota.anyone().request(method, &mine.path(rest));
        anyone.send().refused(401, "missing_credential");
        let unknown = format!("/v1/rotations/rot_unknown{rest}");
        rota.with(&selected)
            .request(method, &unknown)
            .send()
            .refused(404, "");
        rota.with(&only)
            .request(method, &unknown)
            .send()
            .refused(404, "");
    }
    // The webhook's key is none of these credentials.
    let path = mine.path("/inbound-webhook");
    let inbound = mine.inbound();
    rota.with(&inbound.key).get(&path).refused(401, "unknown");
    let request = rota.anyone().request("GET", &path);
    let request = request.header("webhook-key", &inbound.key);
    request.send().refused(401, "missing_credential");
    for (method, rest, allowed) in [
        ("PUT", "/inbound-webhook", "GET, HEAD"),
        ("DELETE", "/inbound-webhook", "GET, HEAD"),
        ("GET", "/inbound-webhook/rotate", "POST"),
    ] {
        let answer = rota.request(method, &mine.path(rest)).send();
        assert_eq!(answer.header("allow"), Some(allowed), "{method} {rest}");
        answer.refused(405, "");
    }
}

#[test]
fn asking_at_one_time_makes_one() {
    let rota = Rota::with_people(2);
    let rotation = rota.daily("U1 U2", 1);
    let path = rotation.path("/inbound-webhook");
    let request = format!(
        "GET {path} HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer {}\r\n\r\n",
        rota.key
    );
    // All are sent before any is answered.
    let mut asking: Vec<Connection> = (0..8).map(|_| Connection::open(rota.address())).collect();
    asking.iter_mut().for_each(|one| one.send(&request));
    let response = asking.iter_mut().map(|one| {
        let reply = one.answer("GET").expect("an answer");
        assert_eq!(reply.status, 200);
        serde_json::from_slice::<Value>(&reply.body).expect("JSON")
    });
    let response: Vec<Value> = response.collect();
    assert!(
        response.iter().all(|each| *each == response[0]),
        "{response:?}"
    );
}

#[test]
fn it_outlives_a_restart() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let rota = Start::default().db(&db).go();
    rota.people(2);
    let rotation = rota.daily("U1 U2", 1);
    let (id, inbound) = (rotation.id.clone(), rotation.inbound());
    let (path, key) = (inbound.path, inbound.key);
    rota.stop();
    let rota = Start::default().db(&db).go();
    let inbound = Inbound {
        rota: &rota,
        path,
        key,
    };
    inbound.post("rotate").is(200);
    let by = rota.caller();
    let rotation = Rot { by, id };
    assert_eq!(rotation.on_call(), "U2");
    // The URL begins with the server's current base URL.
    let again = rotation.inbound();
    assert_eq!((again.path, again.key), (inbound.path, inbound.key));
}

#[test]
fn it_is_gone_with_the_rotation() {
    let rota = Rota::with_people(2);
    let rotation = rota.daily("U1 U2", 1);
    let inbound = rotation.inbound();
    inbound.post("rotate").is(200);
    rota.caller().delete_if(&rotation.path(""), "*").is(204);
    for action in [
        "rotate",
        "setonduty?email=u1@example.com",
        "mention?userId=U1&channelId=C1",
    ] {
        inbound.post(action).refused(404, "");
    }
    rota.get(&rotation.path("/inbound-webhook"))
        .refused(404, "");
}

#[test]
fn its_address_is_the_one_that_others_reach() {
    let start = Start::default().env("ROTA_BASE_URL", "https://on.example.com/");
    let rota = start.go();
    rota.people(2);
    let rotation = rota.daily("U1 U2", 1);
    let response = rotation.get("/inbound-webhook").is(200).json();
    let path = text(&response["url"]).strip_prefix("https://on.example.com");
    let path = path.expect("the base address").to_owned();
    assert!(path.starts_with("/webhook/"), "{path}");
    let key = text(&response["key"]).to_owned();
    let inbound = Inbound {
        rota: &rota,
        path,
        key,
    };
    inbound.post("rotate").is(200);
    assert_eq!(rotation.on_call(), "U2");
}

#[test]
fn it_is_there_in_production() {
    let (_dir, db) = crate::cli::imported();
    let server = serve(crate::cli::on(&db, "serve --listen 127.0.0.1:0"), "");
    let scopes = "--scope manage:webhooks read:oncall write:duty read:rotations write:rotations";
    let key = crate::cli::key(&db, scopes);
    let by = server.with(&key);
    eventually("the key works", || by.get("/v1/rotations").status() == 200);
    let made = by.try_create("one", new_rotation("U1 U2")).is(201).json();
    let id = text(&made["id"]).to_owned();
    let rotation = Rot { by, id };
    let response = rotation.get("/inbound-webhook").is(200).json();
    // The listen address, unless a base URL is configured.
    let path = text(&response["url"])
        .split("/webhook/")
        .nth(1)
        .expect("a path");
    let inbound = Inbound {
        rota: &server,
        path: format!("/webhook/{path}"),
        key: text(&response["key"]).to_owned(),
    };
    inbound.post("setonduty?email=u2@example.com").is(200);
    assert_eq!(rotation.on_call(), "U2");
    inbound
        .with_key("x")
        .post("rotate")
        .refused(401, "invalid_access_code");
    inbound.post("mention?userId=U1&channelId=C1").is(200);
}
