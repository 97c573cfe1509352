//! Generated JSON values, and texts that damage valid JSON.

use crate::tests::odd_char;
use proptest::prelude::*;
use serde_json::{Value, json};

/// A text, either plausible or unusual.
pub fn some_text() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[A-Za-z0-9_-]{0,12}",
        2 => prop::collection::vec(odd_char(), 0..8).prop_map(|chars| chars.into_iter().collect()),
        2 => prop::sample::select(vec![
            "2026-11-23T09:00:00Z", "2026-11-23T09:00", "0000-01-01T00:00:00Z", "9999-12-30T22:00:00Z",
            "9999-12-31T23:59:59Z", "-009999-01-02T00:00:00Z", "2026-11-23T09:00:00+23:59", "09:00", "24:00",
            "-2147483648", "2147483648", "0", "1", "-0", "007", "UTC", "Europe/Oslo", "", " ", "*", "NO", "GB-SCT",
            "monday", "daily", "manual", "fullTurn", "null", "%NAME%", "%", "a, expected b", "x at line 1 column 2", "`", "@",
        ]).prop_map(str::to_owned),
        1 => (1_usize..3000, odd_char()).prop_map(|(many, c)| c.to_string().repeat(many)),
    ]
}

fn some_number() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-3_i64..60).prop_map(Value::from),
        any::<f64>().prop_map(|number| json!(number)),
        prop::sample::select(vec![
            i64::MIN,
            i64::MAX,
            i64::from(i32::MAX),
            i64::from(i32::MIN),
            i64::from(i32::MAX) + 1,
        ])
        .prop_map(Value::from),
    ]
}

/// Any value, a few levels deep.
pub fn some_value() -> impl Strategy<Value = Value> + Clone {
    let leaf = prop_oneof![
        1 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::Bool),
        3 => some_number(),
        4 => some_text().prop_map(Value::String),
    ]
    .boxed();
    let nested = leaf.prop_recursive(4, 24, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::Array),
            prop::collection::vec((some_text(), inner), 0..6)
                .prop_map(|members| members.into_iter().collect()),
        ]
    });
    let deep =
        (1_usize..100).prop_map(|levels| (0..levels).fold(json!(1), |inner, _| json!([inner])));
    prop_oneof![9 => nested, 1 => deep].boxed()
}

/// The JSON pointers of a value and of everything in it, the value itself first.
pub fn pointers(value: &Value) -> Vec<String> {
    let mut found = vec![String::new()];
    let inner: Vec<(String, &Value)> = match value {
        Value::Array(items) => items
            .iter()
            .enumerate()
            .map(|(at, item)| (at.to_string(), item))
            .collect(),
        Value::Object(members) => members
            .iter()
            .map(|(name, member)| (name.clone(), member))
            .collect(),
        _ => Vec::new(),
    };
    for (name, inner) in inner {
        found.extend(
            pointers(inner)
                .into_iter()
                .map(|below| format!("/{}{below}", name.replace('~', "~0").replace('/', "~1"))),
        );
    }
    found
}

/// The path that a refusal uses for a pointer, such as `windows[0].cadence`.
pub fn path(pointer: &str) -> String {
    let mut path = String::new();
    for part in pointer.split('/').skip(1) {
        match part.parse::<usize>() {
            Ok(index) => path.push_str(&format!("[{index}]")),
            Err(_) if path.is_empty() => path.push_str(part),
            Err(_) => path.push_str(&format!(".{part}")),
        }
    }
    path
}

/// Removes the value at a pointer, which must not be the root.
pub fn remove(value: &mut Value, pointer: &str) {
    let (parent, name) = pointer.rsplit_once('/').expect("not the root");
    match value.pointer_mut(parent) {
        Some(Value::Object(members)) => {
            members.remove(&name.replace("~1", "/").replace("~0", "~"));
        }
        Some(Value::Array(items)) => drop(items.remove(name.parse().expect("an index"))),
        other => panic!("nothing at {pointer}: {other:?}"),
    }
}

/// The same JSON with members in reverse order and whitespace everywhere.
pub fn rewritten(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(rewritten).collect();
            format!("[ {}\t]", items.join(" ,\n"))
        }
        Value::Object(members) => {
            let pair = |(name, member): (&String, &Value)| {
                format!("{} : {}", json!(name), rewritten(member))
            };
            let members: Vec<String> = members.iter().rev().map(pair).collect();
            format!("{{\r\n{} }}", members.join(", "))
        }
        other => format!(" {other}"),
    }
}
