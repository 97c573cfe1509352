//! The pictures of the manual: `ROTA_SCREENSHOTS=packaging/docs/screenshots cargo test --test it screenshots` writes them.

use super::enter;
use crate::support::browser::{Named, Window};
use crate::support::{Rota, Start};
use serde_json::{Value, json};
use std::path::PathBuf;

/// Pictures stand in the repository, so they stay small.
const MOST_BYTES: usize = 300_000;

/// A picture: its file, who looks at which page, and how.
struct Picture {
    name: &'static str,
    user: &'static str,
    path: &'static str,
    size: (u32, u32),
    scheme: &'static str,
}

const fn picture(
    name: &'static str,
    user: &'static str,
    path: &'static str,
    size: (u32, u32),
    scheme: &'static str,
) -> Picture {
    Picture {
        name,
        user,
        path,
        size,
        scheme,
    }
}

const DESK: (u32, u32) = (1200, 800);
const PHONE: (u32, u32) = (390, 844);

const PICTURES: [Picture; 6] = [
    picture("home", "UADA", "/", DESK, "light"),
    picture("rotation", "UADA", "/rotations/SUPPORT", DESK, "light"),
    picture("rotation-dark", "UADA", "/rotations/PLATFORM", DESK, "dark"),
    picture("home-phone", "UADA", "/", PHONE, "light"),
    picture(
        "rotation-phone",
        "UALAN",
        "/rotations/SUPPORT",
        PHONE,
        "dark",
    ),
    picture("new-rotation", "UADA", "/rotations/new", DESK, "light"),
];

/// The demo workspace on a Wednesday, with something to answer, a cover, an assignment, a swap and an absence.
fn demo() -> Rota {
    let rota = Start::default().demo().clock("2026-11-23T09:30Z").go();
    rota.to("2026-11-25T10:00Z");
    let found = rota.get("/v1/rotations").is(200).json();
    let by_code = |code: &str| -> Value {
        let all = found["data"].as_array().expect("rotations");
        let one = all.iter().find(|one| one["code"] == code);
        one.expect("a rotation of the demo").clone()
    };
    let (support, platform) = (by_code("SUPPORT"), by_code("PLATFORM"));
    let post = |user: &str, rotation: &Value, rest: &str, body: Value| -> Value {
        let path = format!(
            "/v1/rotations/{}{rest}",
            rotation["id"].as_str().unwrap_or_default()
        );
        rota.with(&rota.token(user))
            .post_if(&path, "*", body)
            .ok()
            .json()
    };
    let cell = |rotation: &Value| rotation["cells"][0]["id"].clone();
    let day = |date: &str, hour: &str| format!("2026-{date}T{hour}:00:00Z");
    let assignment = json!({
        "operationId": "a", "cellId": cell(&support), "userId": "UKATHERINE",
        "from": day("11-27", "18"), "to": day("11-28", "09"),
    });
    post("UGRACE", &support, "/duty-arrangements", assignment);
    // A day each, Margaret on the 26th and then Alan.
    let ask = |id: &str, from: (&str, &str), to: (&str, &str), whom: &str| {
        json!({
            "operationId": id, "recipientUserIds": [whom], "reason": "Dentist",
            "from": day(from.0, from.1), "to": day(to.0, to.1),
        })
    };
    let mut body = ask("b", ("11-29", "09"), ("11-30", "09"), "UALAN");
    body["cellId"] = cell(&support);
    let asked = post("UMARGARET", &support, "/cover-requests", body);
    let asked = &asked["request"]["request"];
    let step = json!({ "operationId": "c", "expectedRevision": asked["revision"] });
    let accept = format!(
        "/cover-requests/{}/accept",
        asked["id"].as_str().expect("an id")
    );
    post("UALAN", &support, &accept, step);
    let mut body = ask("d", ("12-07", "08"), ("12-07", "16"), "UADA");
    body["cellId"] = cell(&platform);
    post("ULINUS", &platform, "/cover-requests", body);
    rota
}

#[test]
fn screenshots() {
    let Some(folder) = std::env::var_os("ROTA_SCREENSHOTS").map(PathBuf::from) else {
        return;
    };
    let Some(window) = Window::open() else {
        return;
    };
    let rota = demo();
    std::fs::create_dir_all(&folder).expect("the folder");
    // A workspace that has been in use for a while.
    enter(&window, &rota, "UADA", "/");
    window.click(Named::Button("Hide"));
    for picture in &PICTURES {
        window.size(picture.size.0, picture.size.1);
        window.scheme(picture.scheme);
        enter(&window, &rota, picture.user, picture.path);
        let file = folder.join(format!("{}.png", picture.name));
        let bytes = decoded(&window.picture());
        assert!(
            bytes.len() < MOST_BYTES,
            "{}: {} bytes",
            picture.name,
            bytes.len()
        );
        std::fs::write(&file, bytes).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    }
}

/// The bytes of base64.
fn decoded(text: &str) -> Vec<u8> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bits, mut count, mut bytes) = (0_u32, 0, Vec::new());
    for byte in text.bytes().filter(|byte| *byte != b'=') {
        let digit = DIGITS.iter().position(|one| *one == byte);
        bits = bits << 6 | digit.expect("a digit of base64") as u32;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count & 0xff) as u8);
        }
    }
    bytes
}
