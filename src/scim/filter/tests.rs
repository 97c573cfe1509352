use super::super::schema::{GROUP, USER};
use super::*;
use crate::tests::{bent_text, try_out};
use proptest::prelude::*;
use serde_json::json;

fn ada() -> Map<String, Value> {
    let shown = json!({
        "id": "U1", "userName": "Ada@Example.org", "externalId": "a-1", "displayName": "Ada",
        "name": { "givenName": "Ada", "familyName": "Lovelace" }, "active": true,
        "emails": [
            { "value": "ada@example.org", "type": "work", "primary": true },
            { "value": "a@home.example", "type": "home" }
        ],
        "meta": { "resourceType": "User", "created": "2026-01-05T08:00:00Z", "lastModified": "2026-01-06T08:00:00Z" }
    });
    shown.as_object().cloned().unwrap()
}

fn found(text: &str) -> Result<bool, Wrong> {
    let filter = parse(text)?;
    filter.check(&[&USER])?;
    Ok(filter.matches(&USER, &ada()))
}

#[test]
fn filters_match_by_the_types_of_attributes() {
    for (text, expected) in [
        (r#"userName eq "ada@example.org""#, true),
        (r#"USERNAME EQ "ADA@EXAMPLE.ORG""#, true),
        (
            r#"urn:ietf:params:scim:schemas:core:2.0:User:userName sw "ada""#,
            true,
        ),
        (r#"userName eq "ada""#, false),
        (r#"id eq "u1""#, false),
        (r#"id eq "U1""#, true),
        (r#"externalId ne "a-1""#, false),
        (r#"name.familyName co "VEL""#, true),
        (r#"name.familyName ew "lace" and active eq true"#, true),
        (r#"active eq "False""#, false),
        (r#"active ne true or displayName gt "Ac""#, true),
        (r#"emails eq "a@home.example""#, true),
        (r#"emails.type eq "other""#, false),
        (r#"emails[type eq "work" and value co "@example"]"#, true),
        (r#"emails[type eq "home" and value co "@example"]"#, false),
        (r#"emails[not (type eq "work")]"#, true),
        (r#"not (emails pr)"#, false),
        ("phoneNumbers pr", false),
        ("timezone eq null", true),
        ("displayName ne null", true),
        (r#"timezone ne "Europe/Oslo""#, true),
        (r#"meta.created lt "2026-01-05T09:00:00+01:30""#, false),
        (r#"meta.created ge "2026-01-05T09:00:00+01:00""#, true),
        (r#"meta.lastModified gt "2026-01-05T09:00:00Z""#, true),
        // `and` binds more than `or`.
        (
            r#"active eq false and active eq false or active eq true"#,
            true,
        ),
        (
            r#"active eq false and (active eq false or active eq true)"#,
            false,
        ),
        (r#"displayName eq "A\u0064a""#, true),
        (r#"displayName co "\"""#, false),
    ] {
        assert_eq!(found(text), Ok(expected), "{text}");
    }
}

#[test]
fn filters_that_are_wrong_say_where() {
    let brackets = "emails[".repeat(1_000);
    let parentheses = format!("{}active eq true", "(".repeat(1_000));
    let long = format!("userName eq \"{}\"", "x".repeat(9_000));
    for (text, expected) in [
        ("", "an attribute"),
        ("userName", "an operator"),
        ("userName eq", "a value"),
        ("userName eq ", "a text in quotes"),
        ("userName is \"x\"", "an operator such as eq"),
        ("userName eq x", "a text in quotes"),
        ("userName eq \"x", "ends with a quote"),
        ("userName eq \"x\" userName pr", "the end"),
        ("userName pr and", "a blank"),
        ("(userName pr", "\")\""),
        ("emails[type eq \"work\"", "\"]\""),
        ("emails[emails[type pr]]", "an operator"),
        ("userName eq 5", "not compared"),
        ("active gt true", "not compared"),
        ("active co \"tr\"", "not compared"),
        ("name eq \"x\"", "it has parts"),
        ("meta.created gt \"now\"", "not compared"),
        ("title pr", "there is no attribute title"),
        ("urn:example:User:userName pr", "there is no attribute"),
        ("emails[userName pr]", "has no part"),
        ("9x pr", "an attribute"),
        (brackets.as_str(), "an operator"),
        (parentheses.as_str(), "nested more than"),
        (long.as_str(), "longer than"),
    ] {
        let why = found(text).expect_err(text);
        assert!(why.contains(expected), "{text:.60}: {why}");
    }
}

#[test]
fn a_filter_of_both_kinds_needs_an_attribute_of_one() {
    let both = [&USER, &GROUP];
    for (text, fits) in [
        (r#"userName eq "x" or members eq "U1""#, true),
        (r#"displayName eq "x""#, true),
        (r#"title eq "x""#, false),
    ] {
        let filter = parse(text).unwrap();
        assert_eq!(filter.check(&both).is_ok(), fits, "{text}");
    }
}

#[test]
fn what_a_filter_describes_are_its_equals() {
    let emails = USER.attribute("emails").unwrap();
    for (text, expected) in [
        (
            r#"type eq "work" and primary eq true"#,
            json!({ "type": "work", "primary": true }),
        ),
        (r#"type eq "work" or primary eq true"#, json!({})),
        (r#"type ne "work""#, json!({})),
    ] {
        let mut made = Map::new();
        parse(text).unwrap().described(emails, &mut made);
        assert_eq!(Value::from(made), expected, "{text}");
    }
}

mod fuzz {
    use super::*;

    fn some_term() -> impl Strategy<Value = String> {
        let name = prop::sample::select(vec![
            "userName",
            "name.givenName",
            "emails",
            "emails.value",
            "active",
            "meta.created",
            "id",
            "urn:ietf:params:scim:schemas:core:2.0:User:displayName",
        ]);
        let operator =
            prop::sample::select(vec!["eq", "ne", "co", "sw", "ew", "gt", "GE", "lt", "le"]);
        let value = prop_oneof![
            6 => "\"[a-z0-9@. ]{0,8}\"",
            1 => Just("true".to_owned()),
            1 => Just("\"2026-01-05T08:00:00Z\"".to_owned()),
            1 => Just("null".to_owned()),
        ];
        prop_oneof![
            4 => (name.clone(), operator, value).prop_map(|(name, operator, value)| format!("{name} {operator} {value}")),
            1 => name.prop_map(|name| format!("{name} pr")),
            1 => Just("emails[type eq \"work\" and not (primary eq true)]".to_owned()),
        ]
    }

    fn some_filter() -> impl Strategy<Value = String> {
        some_term().prop_recursive(4, 16, 2, |inner| {
            prop_oneof![
                (inner.clone(), inner.clone())
                    .prop_map(|(one, other)| format!("{one} and {other}")),
                (inner.clone(), inner.clone())
                    .prop_map(|(one, other)| format!("({one} or {other})")),
                inner.prop_map(|inner| format!("not ({inner})")),
            ]
        })
    }

    /// Whatever is sent is a filter or is refused, and `not` turns what a filter matches.
    #[test]
    fn every_text_is_read_or_refused() {
        try_out(2_000, 5..=95, bent_text(some_filter()), |text| {
            let Ok(filter) = parse(&text) else {
                return Ok(false);
            };
            if filter.check(&[&USER]).is_err() {
                return Ok(false);
            }
            let turned = parse(&format!("not ({text})"));
            if let Ok(turned) = turned {
                let both = (filter.matches(&USER, &ada()), turned.matches(&USER, &ada()));
                prop_assert!(both.0 != both.1, "{}", text);
            }
            Ok(true)
        });
    }
}
