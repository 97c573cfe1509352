//! Requests as the providers document them.

use super::*;

/// <https://developer.okta.com/docs/api/openapi/okta-scim/guides/scim-20/>
#[test]
fn okta() {
    let rota = Rota::with_people(1);
    let empty = rota
        .read_scim(
            "/Users?filter=userName%20eq%20%22test.user%40okta.local%22&startIndex=1&count=100",
        )
        .is(200)
        .json();
    assert_eq!(
        (int(&empty["totalResults"]), &empty["Resources"]),
        (0, &json!([]))
    );
    let user = json!({
        "schemas": [USER], "userName": "test.user@okta.local", "name": { "givenName": "Test", "familyName": "User" },
        "emails": [{ "primary": true, "value": "test.user@okta.local", "type": "work" }],
        "displayName": "Test User", "locale": "en-US", "externalId": "00ujl29u0le5T6Aj10h7", "groups": [],
        "password": "1mz050nq", "active": true
    });
    let made = rota.scim("POST", "/Users", &user).is(201).json();
    let id = text(&made["id"]).to_owned();
    assert_eq!(made.get("password"), None);
    let mut changed = made.clone();
    changed["name"]["givenName"] = json!("Another");
    let shown = rota
        .scim("PUT", &format!("/Users/{id}"), &changed)
        .is(200)
        .json();
    assert_eq!(shown["name"]["givenName"], json!("Another"));
    let group = json!({ "schemas": [GROUP], "displayName": "Test SCIMv2", "members": [] });
    let group = rota.scim("POST", "/Groups", &group).is(201).json();
    let path = format!("/Groups/{}", text(&group["id"]));
    // Okta renames by a value with the id in it.
    let rename =
        json!([{ "op": "replace", "value": { "id": group["id"], "displayName": "Test SCIMv22" } }]);
    rota.patch_scim(&path, rename).is(200);
    let members = json!([
        { "op": "remove", "path": "members[value eq \"U1\"]" },
        { "op": "add", "path": "members", "value": [{ "value": id, "display": "test.user@okta.local" }] }
    ]);
    refused(rota.patch_scim(&path, members.clone()), 400, "noTarget");
    rota.patch_scim(&path, json!([members[1]])).is(200);
    let replaced = json!([{ "op": "replace", "path": "members", "value": [{ "value": "U1" }, { "value": id }] }]);
    let shown = rota.patch_scim(&path, replaced).is(200).json();
    assert_eq!(shown["members"].as_array().unwrap().len(), 2);
    let off = json!([{ "op": "replace", "value": { "active": false } }]);
    assert_eq!(
        rota.patch_scim(&format!("/Users/{id}"), off).is(200).json()["active"],
        json!(false)
    );
    rota.scim("DELETE", &path, &json!({})).is(204);
}

/// <https://learn.microsoft.com/entra/identity/app-provisioning/use-scim-to-provision-users-and-groups>
#[test]
fn entra() {
    let rota = Rota::with_people(1);
    let user = json!({
        "schemas": [USER, "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"],
        "externalId": "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef", "userName": "Test_User_ab6490ee@contoso.com",
        "active": true, "emails": [{ "primary": true, "type": "work", "value": "Test_User_fd0ea19b@contoso.com" }],
        "meta": { "resourceType": "User" },
        "name": { "formatted": "givenName familyName", "familyName": "familyName", "givenName": "givenName" }, "roles": []
    });
    let made = rota.scim("POST", "/Users", &user).is(201).json();
    let path = format!("/Users/{}", text(&made["id"]));
    let found = rota
        .read_scim("/Users?filter=userName%20eq%20%22test_user_ab6490ee%40contoso.com%22")
        .is(200)
        .json();
    assert_eq!(int(&found["totalResults"]), 1);
    let shown = rota
        .patch_scim(&path, json!([
            { "op": "Replace", "path": "emails[type eq \"work\"].value", "value": "updatedEmail@contoso.com" },
            { "op": "Replace", "path": "name.familyName", "value": "updatedFamilyName" }
        ]))
        .is(200)
        .json();
    assert_eq!(
        shown["emails"][0]["value"],
        json!("updatedEmail@contoso.com")
    );
    assert_eq!(shown["name"]["familyName"], json!("updatedFamilyName"));
    rota.patch_scim(&path, json!([
        { "op": "Add", "path": "phoneNumbers[type eq \"mobile\"].value", "value": "+47 22334455" },
        { "op": "Add", "path": "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department", "value": "Sales" },
        { "op": "Add", "path": "title", "value": "Manager" }
    ]))
    .is(200);
    let person = rota.get(&path.replace("/Users", "/v1/users")).json();
    assert_eq!(text(&person["contact"]["phone"]), "+4722334455");
    // As text, as older tenants send it.
    let off = json!([{ "op": "Replace", "path": "active", "value": "False" }]);
    assert_eq!(
        rota.patch_scim(&path, off).is(200).json()["active"],
        json!(false)
    );
    let group = json!({
        "schemas": [GROUP, "http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group"],
        "externalId": "8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159", "displayName": "displayName", "meta": { "resourceType": "Group" }
    });
    let group = rota.scim("POST", "/Groups", &group).is(201).json();
    let at = format!("/Groups/{}", text(&group["id"]));
    let found = rota
        .read_scim(&format!("{at}?excludedAttributes=members"))
        .is(200)
        .json();
    assert_eq!(found.get("members"), None);
    let filter = "/Groups?excludedAttributes=members&filter=displayName%20eq%20%22displayName%22";
    assert_eq!(
        int(&rota.read_scim(filter).is(200).json()["totalResults"]),
        1
    );
    let add = json!([{ "op": "Add", "path": "members", "value": [{ "$ref": null, "value": made["id"] }] }]);
    rota.patch_scim(&at, add).is(200);
    let remove = json!([{ "op": "Remove", "path": "members", "value": [{ "$ref": null, "value": made["id"] }] }]);
    assert_eq!(
        rota.patch_scim(&at, remove).is(200).json().get("members"),
        None
    );
    rota.scim("DELETE", &path, &json!({})).is(204);
}

/// <https://docs.goauthentik.io/add-secure-apps/providers/scim/> and the SCIM client extensions of Keycloak.
#[test]
fn authentik_and_keycloak() {
    let rota = Rota::with_people(1);
    rota.read_scim("/ServiceProviderConfig").is(200);
    let user = json!({
        "schemas": [USER], "externalId": "5b7a", "userName": "akadmin", "displayName": "authentik Default Admin",
        "name": { "formatted": "authentik Default Admin", "familyName": "Default Admin", "givenName": "authentik" },
        "active": true, "emails": [{ "value": "root@example.org", "type": "other", "primary": true }], "photos": []
    });
    let id = rota.add_user(user.clone());
    let shown = rota
        .scim("PUT", &format!("/Users/{id}"), &user)
        .is(200)
        .json();
    assert_eq!(shown["emails"], user["emails"]);
    // What is there already is found by its name and taken over.
    refused(rota.scim("POST", "/Users", &user), 409, "uniqueness");
    let filter = format!("/Users?filter={}", escaped("userName eq \"akadmin\""));
    assert_eq!(
        rota.read_scim(&filter).is(200).json()["Resources"][0]["id"],
        json!(id)
    );
    let group = rota.add_group("authentik Admins", &[]);
    let add =
        json!([{ "op": "add", "path": "members", "value": [{ "value": id, "type": "User" }] }]);
    rota.patch_scim(&format!("/Groups/{group}"), add).is(200);
    let rename = json!([{ "op": "replace", "path": null, "value": { "displayName": "Admins", "externalId": "9c" } }]);
    let shown = rota
        .patch_scim(&format!("/Groups/{group}"), rename)
        .is(200)
        .json();
    assert_eq!(
        (text(&shown["displayName"]), text(&shown["externalId"])),
        ("Admins", "9c")
    );
    let put = json!({ "schemas": [GROUP], "displayName": "Admins", "members": [{ "value": id }, { "value": "U1" }] });
    rota.scim("PUT", &format!("/Groups/{group}"), &put).is(200);
    let ids = rota.get(&format!("/v1/groups/{group}")).json()["userIds"].clone();
    assert_eq!(ids, json!([id, "U1"]));
}
