//! What programs ask that keep rotations in files: lists as they were written, people who have left, and `me`.

use crate::support::*;
use serde_json::{Value, json};

#[test]
fn rosters_show_their_lists_as_they_were_written() {
    let rota = Rota::with_people(4);
    let rotation = rota.rotation("U1 U2 U3");
    let mut grid = rotation.grid(1, &[always(daily())]);
    grid["cells"][0]["rosterId"] = json!("day");
    let written = rotation.put("/coverage", grid).is(200).json();
    let day = roster(&written, &json!("day"));
    assert_eq!((day.get("userIds"), day.get("userGroupIds")), (None, None));
    rotation
        .put("/rosters/day", json!({ "userIds": ["U3", "U1"] }))
        .is(200);
    let read = rotation.read();
    let day = roster(&read, &json!("day"));
    assert_eq!(day["userIds"], json!(["U3", "U1"]));
    assert_eq!(day["userGroupIds"], json!([]));
    assert_eq!(roster(&read, &Value::Null).get("userIds"), None);
    // Somebody who has left is still written there.
    rota.people(2);
    let day = roster(&rotation.read(), &json!("day"));
    assert_eq!(
        (order_of(&day).as_str(), &day["userIds"]),
        ("U1", &json!(["U3", "U1"]))
    );
}

#[test]
fn people_who_have_left_are_listed_apart() {
    let rota = Rota::with_people(3);
    let ids = |query: &str| -> Vec<String> {
        let people = rota.caller().all(&format!("/v1/users{query}"));
        people
            .iter()
            .map(|user| text(&user["id"]).to_owned())
            .collect()
    };
    assert_eq!(ids("?deleted=true"), Vec::<String>::new());
    rota.people(1);
    assert_eq!(ids(""), ["U1"]);
    assert_eq!(ids("?deleted=false"), ["U1"]);
    assert_eq!(ids("?deleted=true"), ["U2", "U3"]);
    rota.get("/v1/users?deleted=yes").names("deleted");
}

#[test]
fn me_is_the_person_of_the_token() {
    let rota = Rota::with_people(2);
    let own = rota.with(&rota.token("U2"));
    assert_eq!(own.get("/v1/users/me").is(200).json()["id"], "U2");
    own.get("/v1/users/me/notifications").is(200);
    own.get("/v1/users/me/calendars").is(200);
    rota.get("/v1/users/me").refused(404, "not_found");
}
