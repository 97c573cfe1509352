//! Users.

use super::*;

/// rules.md 17.15.
#[test]
fn a_user_becomes_a_person_and_is_answered_as_sent() {
    let rota = Rota::with_people(1);
    let sent = json!({
        "schemas": [USER], "userName": "ada@example.org", "externalId": "a-1", "active": true,
        "name": { "givenName": "Ada", "familyName": "Lovelace", "formatted": "Ada Lovelace" },
        "emails": [{ "value": "ada@example.org", "type": "work", "primary": true }],
        "phoneNumbers": [{ "value": "tel:+47-22-33-44-55", "type": "mobile" }],
        "timezone": "Europe/Oslo", "title": "Countess",
        "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": { "department": "Mathematics" }
    });
    let answer = rota.scim("POST", "/Users", &sent).is(201);
    let made = answer.json();
    for name in [
        "userName",
        "externalId",
        "active",
        "name",
        "emails",
        "phoneNumbers",
        "timezone",
    ] {
        assert_eq!(made[name], sent[name], "{name}");
    }
    assert_eq!((made.get("title"), made.get("displayName")), (None, None));
    let id = text(&made["id"]);
    let location = format!("{}/scim/v2/Users/{id}", rota.url);
    assert_eq!(answer.header("location"), Some(location.as_str()));
    assert_eq!(answer.header("etag"), made["meta"]["version"].as_str());
    let person = rota.get(&format!("/v1/users/{id}")).is(200).json();
    for (name, expected) in [
        ("displayName", json!("Ada Lovelace")),
        ("realName", json!("Ada Lovelace")),
        ("email", json!("ada@example.org")),
        ("timeZone", json!("Europe/Oslo")),
        ("source", json!("scim")),
        ("isDeleted", json!(false)),
    ] {
        assert_eq!(person[name], expected, "{name}");
    }
    assert_eq!(text(&person["contact"]["phone"]), "+4722334455");
    // What the API may still change is shown; what is the provider's is not changed there.
    let path = format!("/v1/users/{id}");
    let change = |body: Value| rota.caller().patch_if(&path, &rota.get(&path).etag(), body);
    change(json!({ "phone": "+4711111111", "timeZone": "Asia/Tokyo", "handle": "ada" })).is(200);
    change(json!({ "email": "x@example.org" })).refused(409, "person_is_provisioned");
    let shown = rota.read_scim(&format!("/Users/{id}")).is(200).json();
    assert_eq!(
        shown["phoneNumbers"],
        json!([{ "value": "+4711111111", "primary": true }])
    );
    assert_eq!(shown["timezone"], json!("Asia/Tokyo"));
    assert_eq!(shown["emails"], sent["emails"]);
    // PUT takes away what it does not have.
    let put = json!({ "schemas": [USER], "userName": "ada" });
    let shown = rota
        .scim("PUT", &format!("/Users/{id}"), &put)
        .is(200)
        .json();
    assert_eq!((shown.get("emails"), shown.get("timezone")), (None, None));
    assert_eq!(shown["active"], json!(true));
    assert_eq!(text(&rota.get(&path).json()["displayName"]), "ada");
    let audited = rota.audit("action=replaceScimUser");
    let summary = text(&audited[0]["summary"]);
    assert!(
        summary.contains("address") && !summary.contains("example.org"),
        "{summary}"
    );
}

/// rules.md 17.15.
#[test]
fn everybody_is_listed_by_a_name_that_is_theirs() {
    let rota = Rota::with_people(2);
    let mut people = directory(2);
    people["users"][1]["email"] = Value::Null;
    rota.import(&people);
    let shown = rota.read_scim("/Users").is(200).json();
    let names = shown["Resources"].as_array().unwrap().iter();
    let names: Vec<&str> = names.map(|user| text(&user["userName"])).collect();
    assert_eq!(names, ["u1@example.com", "U2"]);
    assert_eq!(shown["Resources"][0]["displayName"], json!("Person U1"));
    for body in [
        json!({ "userName": "U1@Example.com" }),
        json!({ "userName": "U2" }),
        json!({ "userName": "other", "emails": [{ "value": "u1@EXAMPLE.com" }] }),
    ] {
        refused(rota.scim("POST", "/Users", &body), 409, "uniqueness");
    }
    let id = rota.add_user(json!({ "userName": "Ada" }));
    let detail = refused(
        rota.scim("POST", "/Users", &json!({ "userName": "ADA" })),
        409,
        "uniqueness",
    );
    assert!(detail.contains(&id), "{detail}");
    // Somebody made elsewhere is SCIM's from its first write on.
    rota.patch_scim(
        "/Users/U1",
        json!([{ "op": "replace", "path": "displayName", "value": "Eve" }]),
    )
    .is(200);
    let person = rota.get("/v1/users/U1").json();
    assert_eq!(
        (text(&person["source"]), text(&person["displayName"])),
        ("scim", "Eve")
    );
    assert_eq!(text(&person["email"]), "u1@example.com");
}

#[test]
fn truth_may_be_written_as_text_and_active_may_be_taken_away() {
    let rota = Rota::with_people(1);
    let id = rota.add_user(json!({ "userName": "ada", "active": "False" }));
    let path = format!("/Users/{id}");
    assert_eq!(rota.read_scim(&path).json()["active"], json!(false));
    let shown = rota
        .patch_scim(&path, json!([{ "op": "remove", "path": "active" }]))
        .is(200)
        .json();
    assert_eq!(shown.get("active"), None);
    assert_eq!(
        rota.matching("Users", &format!("id eq \"{id}\" and active eq true")),
        1
    );
    assert_eq!(
        rota.get(&format!("/v1/users/{id}")).json()["isDeleted"],
        json!(false)
    );
    let shown = rota
        .patch_scim(&path, json!([{ "op": "add", "value": { "active": true } }]))
        .is(200)
        .json();
    assert_eq!(shown["active"], json!(true));
}

/// rules.md 17.16.
#[test]
fn somebody_deleted_comes_back_under_the_same_id() {
    let rota = Rota::with_people(1);
    let mail = |value: &str| json!([{ "value": value }]);
    let one = rota.add_user(json!({ "userName": "ada", "emails": mail("ada@x.org") }));
    let group = rota.add_group("g", &["U1", &one]);
    let path = format!("/Users/{one}");
    rota.scim("DELETE", &path, &json!({})).is(204);
    refused(rota.read_scim(&path), 404, "");
    refused(rota.scim("DELETE", &path, &json!({})), 404, "");
    assert_eq!(rota.matching("Users", "userName eq \"ada\""), 0);
    let members = rota.read_scim(&format!("/Groups/{group}")).json()["members"].clone();
    assert_eq!(members.as_array().unwrap().len(), 1);
    assert_eq!(
        rota.get(&format!("/v1/users/{one}")).json()["isDeleted"],
        json!(true)
    );
    // Of two with the name the one who was deleted last.
    let body = json!({ "userName": "ADA", "emails": mail("new@x.org") });
    assert_eq!(rota.add_user(body), one);
    rota.scim("DELETE", &path, &json!({})).is(204);
    let other = rota.add_user(json!({ "userName": "bo", "emails": mail("bo@x.org") }));
    rota.scim("DELETE", &format!("/Users/{other}"), &json!({}))
        .is(204);
    assert_eq!(
        rota.add_user(json!({ "userName": "neo", "emails": mail("BO@x.org") })),
        other
    );
    assert_eq!(
        rota.add_user(json!({ "userName": "neo2", "emails": mail("new@x.org") })),
        one
    );
    let again = rota.get(&format!("/v1/users/{one}")).json();
    assert_eq!(
        (&again["isDeleted"], text(&again["displayName"])),
        (&json!(false), "neo2")
    );
}

#[test]
fn the_last_admin_stays() {
    let rota = Rota::at(MONDAY);
    let mut people = directory(2);
    people["users"][0]["isAdmin"] = json!(true);
    rota.import(&people);
    let off = json!([{ "op": "replace", "path": "active", "value": false }]);
    refused(rota.patch_scim("/Users/U1", off.clone()), 400, "mutability");
    refused(
        rota.scim("DELETE", "/Users/U1", &json!({})),
        400,
        "mutability",
    );
    people["users"][0]["isAdmin"] = json!(false);
    rota.import(&people);
    // Where there was none, nothing is refused for it.
    rota.patch_scim("/Users/U1", off).is(200);
}

#[test]
fn versions_are_weak_and_honoured() {
    let rota = Rota::with_people(1);
    let answer = rota.read_scim("/Users/U1").is(200);
    let etag = answer.header("etag").unwrap().to_owned();
    assert!(etag.starts_with("W/\""), "{etag}");
    let ask = |method: &str, header: &'static str, tag: &str, body: Value| {
        rota.request(method, "/scim/v2/Users/U1")
            .header("Content-Type", "application/json")
            .header(header, tag)
            .body(body.to_string())
            .send()
    };
    ask("GET", "If-None-Match", &etag, json!({})).is(304);
    let body = json!({ "userName": "one" });
    let strong = etag.trim_start_matches("W/").to_owned();
    ask("PUT", "If-Match", &strong, body.clone()).is(200);
    refused(ask("PUT", "If-Match", &etag, body.clone()), 412, "");
    refused(ask("DELETE", "If-Match", &etag, json!({})), 412, "");
    ask("PUT", "If-Match", "*", body).is(200);
}

#[test]
fn lists_have_pages_filters_and_selections() {
    let rota = Rota::with_people(5);
    let page = rota.read_scim("/Users?startIndex=2&count=2").is(200).json();
    let counts = [
        &page["totalResults"],
        &page["startIndex"],
        &page["itemsPerPage"],
    ]
    .map(int);
    assert_eq!(counts, [5, 2, 2]);
    assert_eq!(page["Resources"][0]["id"], json!("U2"));
    let ids = |path: &str| -> Vec<String> {
        let page = rota.read_scim(path).is(200).json();
        let found = page["Resources"].as_array().unwrap().iter();
        found.map(|one| text(&one["id"]).to_owned()).collect()
    };
    assert_eq!(ids("/Users?count=1000000&startIndex=-5").len(), 5);
    assert_eq!(ids("/Users?count=-1").len(), 0);
    assert_eq!(ids("/Users?startIndex=99&sortBy=userName").len(), 0);
    assert_eq!(ids("/Users?filter=userName%20sw%20%22u3%22"), ["U3"]);
    let shown = rota
        .read_scim("/Users/U1?attributes=userName,emails.value")
        .is(200)
        .json();
    let expected = json!({
        "schemas": [USER], "id": "U1", "userName": "u1@example.com", "emails": [{ "value": "u1@example.com" }]
    });
    assert_eq!(shown, expected);
    let shown = rota
        .read_scim("/Users/U1?excludedAttributes=emails,id,meta")
        .is(200)
        .json();
    assert_eq!(
        (shown.get("emails"), shown.get("meta"), text(&shown["id"])),
        (None, None, "U1")
    );
    refused(
        rota.read_scim("/Users?attributes=a&excludedAttributes=b"),
        400,
        "invalidValue",
    );
    refused(rota.read_scim("/Users?count=x"), 400, "invalidValue");
    for filter in [
        "userName",
        "title pr",
        "userName eq",
        "(".repeat(1_000).as_str(),
    ] {
        let path = format!("/Users?filter={}", escaped(filter));
        refused(rota.read_scim(&path), 400, "invalidFilter");
    }
    let group = rota.add_group("u3@example.com", &["U1"]);
    let search = |path: &str, body: Value| {
        let found = rota.scim("POST", path, &body).is(200).json();
        let found = found["Resources"].as_array().unwrap().clone();
        found
            .iter()
            .map(|one| text(&one["id"]).to_owned())
            .collect::<Vec<_>>()
    };
    let filter = "userName eq \"u3@example.com\" or displayName eq \"u3@example.com\"";
    let body = json!({ "filter": filter, "attributes": ["displayName"] });
    assert_eq!(search("/.search", body), ["U3", group.as_str()]);
    assert_eq!(
        search("/Groups/.search", json!({ "filter": "members eq \"U1\"" })),
        [group]
    );
    assert_eq!(search("/Users/.search", json!({ "count": 1 })), ["U1"]);
}
