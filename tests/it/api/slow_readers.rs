//! Clients that request large responses and do not read them: their memory is limited, and others are served.

use crate::support::*;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Never elapses in a test that passes.
const PATIENCE: Duration = Duration::from_secs(120);

const PEOPLE: usize = 1_000;
const LIST: &str = "/v1/rotations?pageSize=200";

/// A server with a number of public rotations of a thousand people, 60 KB each.
fn crowded(start: Start, rotations: usize) -> Rota {
    let rota = start.go();
    rota.people(PEOPLE);
    let people: Vec<String> = (1..=PEOPLE).map(|number| format!("U{number}")).collect();
    for _ in 0..rotations {
        let mut body = new_rotation(&people.join(" "));
        body["public"] = json!(true);
        rota.create(body);
    }
    rota
}

/// A memory value of the process in MB, by its name in the status file.
fn memory(rota: &Rota, line: &str) -> u64 {
    let path = format!("/proc/{}/status", rota.process.id());
    let status = std::fs::read_to_string(path).unwrap();
    let found = status.lines().find_map(|text| text.strip_prefix(line));
    let number: String = found
        .unwrap()
        .chars()
        .filter(char::is_ascii_digit)
        .collect();
    number.parse::<u64>().unwrap() / 1024
}

fn get(rota: &Rota, credential: &str, target: &str) -> String {
    format!(
        "GET {target} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {credential}\r\n\r\n",
        rota.address()
    )
}

/// Requests much more than the sockets can buffer, and reads nothing.
fn unread(rota: &Rota, credential: &str) -> TcpStream {
    unread_all(rota, &get(rota, credential, LIST), 4)
}

fn unread_all(rota: &Rota, request: &str, times: usize) -> TcpStream {
    let mut stream = TcpStream::connect(rota.address()).unwrap();
    // Responses on one connection are sequential.
    stream.write_all(request.repeat(times).as_bytes()).unwrap();
    stream
}

/// Repeats a request until it is refused: the unread connection holds memory once its sockets are full.
fn refused(rota: &Rota, credential: &str, target: &str) -> Answer {
    let began = Instant::now();
    loop {
        let answer = rota.with(credential).get(target);
        if answer.status() != 200 {
            return answer;
        }
        assert!(began.elapsed() < PATIENCE, "there is always room");
    }
}

#[test]
fn a_reader_gets_every_item_of_a_long_page() {
    let rota = crowded(Start::default(), 5);
    let whole: Vec<Value> = rota.get(LIST).is(200).json()["data"]
        .as_array()
        .unwrap()
        .clone();
    assert_eq!(whole.len(), 5);
    for item in &whole {
        let id = text(&item["id"]);
        assert_eq!(
            item,
            &rota.get(&format!("/v1/rotations/{id}")).is(200).json()
        );
    }
    let answer = rota.get(LIST);
    assert_eq!(answer.header("transfer-encoding"), Some("chunked"));
    assert_eq!(answer.header("content-length"), None);
    let page = answer.json();
    for (member, expected) in [
        ("page", 1),
        ("pageSize", 200),
        ("totalItems", 5),
        ("totalPages", 1),
    ] {
        assert_eq!(int(&page[member]), expected, "{member}");
    }
    // The same connection continues, also after HEAD.
    let mut connection = Connection::open(rota.address());
    connection.send(get(&rota, &rota.key, LIST).replace("GET ", "HEAD "));
    let head = connection.answer("HEAD").expect("an answer");
    assert_eq!((head.status, head.header("content-length")), (200, None));
    for target in [LIST, "/v1/keys/self", "/v1/rotations?pageSize=2&page=2"] {
        connection.send(get(&rota, &rota.key, target));
        let reply = connection.answer("GET").expect("an answer");
        assert_eq!(reply.status, 200);
        let _: Value = serde_json::from_slice(&reply.body).expect("JSON");
    }
    // HTTP/1.0 has no chunks; the connection ends the body.
    let mut old = TcpStream::connect(rota.address()).unwrap();
    let request = get(&rota, &rota.key, LIST).replace("HTTP/1.1", "HTTP/1.0");
    old.write_all(request.as_bytes()).unwrap();
    let mut text = String::new();
    old.read_to_string(&mut text).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    assert!(
        head.contains("Connection: close") && !head.contains("chunked"),
        "{head}"
    );
    assert_eq!(serde_json::from_str::<Value>(body).unwrap(), page);
}

#[test]
fn whoever_does_not_read_is_refused_and_nobody_else() {
    // As much as one rotation needs: a caller who holds anything gets nothing more.
    let start = Start::default().env("ROTA_FAULT_ROOM", 1);
    let rota = crowded(start, 40);
    let (slow, other) = (rota.token("U1"), rota.key("read:rotations"));
    let first = rota.get("/v1/rotations?pageSize=1").is(200).json();
    let path = format!("/v1/rotations/{}", text(&first["data"][0]["id"]));
    let stuck = unread(&rota, &slow);
    let answer = refused(&rota, &slow, &path);
    assert_eq!(answer.header("retry-after"), Some("2"));
    answer.refused(503, "overloaded");
    // Another caller at the same address, and requests that need no memory.
    let page = rota.with(&other).get(LIST).is(200).json();
    assert_eq!(page["data"].as_array().unwrap().len(), 40);
    rota.with(&slow).get(&format!("{path}/on-call")).is(200);
    drop(stuck);
    eventually("room again", || rota.with(&slow).get(&path).status() == 200);
}

#[test]
fn who_is_on_call_is_counted_once_it_is_made_for_one_caller() {
    let rota = crowded(Start::default().env("ROTA_FAULT_ROOM", 1), 1);
    let slow = rota.token("U1");
    let first = rota.get(LIST).is(200).json();
    let path = format!("/v1/rotations/{}", text(&first["data"][0]["id"]));
    let named = |kind: char| (1..=20).map(move |n| format!("{kind}{n}"));
    let always = always(daily());
    let windows: Vec<Value> = named('W')
        .map(|name| {
            let mut window = always.clone();
            window["name"] = json!(name);
            window
        })
        .collect();
    let lanes: Vec<Value> = named('L').map(|name| json!({ "name": name })).collect();
    let grid = json!({ "lanes": lanes, "windows": windows });
    rota.request("PUT", &format!("{path}/coverage"))
        .header("If-Match", "*")
        .json(&grid)
        .send()
        .is(200);
    let on_call = format!("{path}/on-call");
    let expanded = format!("{on_call}?expand=users");
    let whole = rota.with(&slow).get(&expanded).is(200);
    assert_eq!(whole.json()["users"].as_array().unwrap().len(), 400);
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"who_is_on_call","arguments":{}}}"#;
    let head = get(&rota, &slow, "/mcp").replace("GET ", "POST ");
    let (type_of, length) = ("Content-Type: application/json", body.len());
    let asked = format!("{type_of}\r\nContent-Length: {length}\r\n\r\n{body}");
    let asked = head.strip_suffix("\r\n").unwrap().to_owned() + &asked;
    for asked in [get(&rota, &slow, &expanded), asked] {
        let stuck = unread_all(&rota, &asked, 100);
        refused(&rota, &slow, &expanded).refused(503, "overloaded");
        rota.with(&slow).get(&on_call).is(200);
        drop(stuck);
        eventually("room again", || {
            rota.with(&slow).get(&expanded).status() == 200
        });
    }
}

#[test]
fn slow_readers_do_not_fill_the_memory() {
    let rota = crowded(Start::default(), 40);
    let slow = rota.token("U1");
    let stuck: Vec<TcpStream> = (0..30).map(|_| unread(&rota, &slow)).collect();
    // Each has started, and another client can read everything concurrently.
    for stream in &stuck {
        let mut byte = [0];
        assert_eq!(stream.peek(&mut byte).unwrap(), 1);
    }
    let page = rota.get(LIST).is(200).json();
    assert_eq!(page["data"].as_array().unwrap().len(), 40);
    let peak = memory(&rota, "VmHWM:");
    assert!(peak < 150, "{peak} MB");
    drop(stuck);
    // Its own memory alone: how much of the program itself is in memory says nothing about what readers hold.
    eventually("memory given back", || memory(&rota, "RssAnon:") < 35);
}

/// Unauthenticated clients that stall in the middle of large bodies hold only a part of the memory for bodies.
#[test]
fn bodies_of_strangers_leave_room_for_callers_with_a_credential() {
    let rota = Start::default().go();
    rota.people(1);
    let head = |credential: &str, length: usize| {
        let address = rota.address();
        format!(
            "POST /v1/rotations HTTP/1.1\r\nHost: {address}\r\n{credential}Idempotency-Key: k\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
        )
    };
    let mut strangers: Vec<TcpStream> = Vec::new();
    for credential in ["", "Authorization: Bearer svc_key_x_y\r\n"].repeat(20) {
        let mut stream = TcpStream::connect(rota.address()).unwrap();
        let begun = format!("{}{}", head(credential, 1024 * 1024), " ".repeat(20 * 1024));
        stream.write_all(begun.as_bytes()).unwrap();
        strangers.push(stream);
    }
    let mut body = new_rotation("U1").to_string();
    body.push_str(&" ".repeat(100 * 1024));
    let key = format!("Authorization: Bearer {}\r\n", rota.key);
    let began = Instant::now();
    for _ in 0..3 {
        let mut stream = TcpStream::connect(rota.address()).unwrap();
        let request = format!("{}{body}", head(&key, body.len()));
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 20"), "{answer}");
    }
    // Before the unauthenticated clients time out.
    assert!(
        began.elapsed() < Duration::from_secs(4),
        "{:?}",
        began.elapsed()
    );
    drop(strangers);
}
