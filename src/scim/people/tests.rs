use super::*;

fn made(attributes: Value) -> Result<PersonImage, Refusal> {
    image(attributes.as_object().cloned().unwrap(), false)
}

#[test]
fn names_follow_from_what_is_there() {
    for (attributes, expected) in [
        (json!({ "userName": "ada" }), ("ada", None)),
        (
            json!({ "userName": "ada", "displayName": "Ada L" }),
            ("Ada L", None),
        ),
        (
            json!({ "userName": "ada", "name": { "formatted": "Ada Lovelace" } }),
            ("Ada Lovelace", Some("Ada Lovelace")),
        ),
        (
            json!({ "userName": "ada", "name": { "givenName": "Ada", "familyName": "Lovelace" } }),
            ("Ada Lovelace", None),
        ),
        (
            json!({ "userName": "ada", "name": { "familyName": "Lovelace" } }),
            ("Lovelace", None),
        ),
        (
            json!({ "userName": "ada", "displayName": " ", "name": { "familyName": "L" } }),
            ("L", None),
        ),
    ] {
        let found = made(attributes.clone()).unwrap();
        let found = (found.display_name.as_str(), found.real_name.as_deref());
        assert_eq!(found, expected, "{attributes}");
    }
}

#[test]
fn addresses_and_numbers_are_the_primary_ones() {
    let value = |value: &str| json!({ "value": value });
    let primary = |value: &str| json!({ "value": value, "primary": true });
    for (emails, phones, expected) in [
        (json!(null), json!(null), (Some("ada@x.org"), None)),
        (
            json!([value("a@x.org"), value("b@x.org")]),
            json!([value("tel:+47-22 33 44-55")]),
            (Some("a@x.org"), Some("+4722334455")),
        ),
        (
            json!([value("a@x.org"), primary("b@x.org")]),
            json!([value("+4711111111"), primary("+47 (22) 33.44.55")]),
            (Some("b@x.org"), Some("+4722334455")),
        ),
        (
            json!([{ "type": "work" }]),
            json!([value("22334455")]),
            (Some("ada@x.org"), None),
        ),
    ] {
        let found =
            made(json!({ "userName": "ada@x.org", "emails": emails, "phoneNumbers": phones }))
                .unwrap();
        assert_eq!(
            (found.email.as_deref(), found.phone.as_deref()),
            expected,
            "{emails} {phones}"
        );
    }
    let zone = |zone: &str| {
        made(json!({ "userName": "a", "timezone": zone }))
            .unwrap()
            .time_zone
    };
    assert_eq!(zone("Europe/Oslo").as_deref(), Some("Europe/Oslo"));
    assert_eq!(zone("Mars"), None);
}

#[test]
fn values_that_do_not_fit_are_refused() {
    for attributes in [
        json!({}),
        json!({ "userName": " " }),
        json!({ "userName": "ada", "displayName": "a\nb" }),
        json!({ "userName": "ada", "displayName": "x".repeat(201) }),
        json!({ "userName": "ada", "name": { "formatted": "x".repeat(201) } }),
        json!({ "userName": "ada", "emails": [{ "value": "ada" }] }),
    ] {
        let refused = made(attributes.clone());
        let is_invalid = matches!(
            refused,
            Err(Refusal::Provisioning(ScimFault::InvalidValue, _))
        );
        assert!(is_invalid, "{attributes}: {refused:?}");
    }
}
