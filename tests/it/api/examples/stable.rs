//! What differs from run to run is replaced by what stays: ids, secrets, addresses, signatures, durations.

use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};

/// Prefixes of ids, and of secrets.
const PREFIXES: [&str; 21] = [
    "rot_", "lan_", "win_", "cel_", "ros_", "whk_", "sec_", "abs_", "arr_", "cov_", "swp_", "key_",
    "tok_", "cal_", "men_", "chg_", "cfl_", "aud_", "grp_", "pcl_", "trd_",
];

/// The shortest run of letters and digits that is taken for an id.
const SHORTEST: usize = 16;

/// Replaces ids and digests in a text: the first id of a kind becomes `rot_example1`, everywhere.
pub fn ids(text: &str) -> String {
    let mut known: HashMap<&str, String> = HashMap::new();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut stable = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let word = word(rest);
        if word.is_empty() {
            stable.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        }
        rest = &rest[word.len()..];
        if word.starts_with("svc_whsec_") {
            stable.push_str("svc_whsec_example");
            continue;
        }
        let Some(kind) = kind(word) else {
            stable.push_str(word);
            continue;
        };
        let name = known.entry(word).or_insert_with(|| {
            let count = counts.entry(kind).or_default();
            *count += 1;
            match kind {
                "delivery" => format!("{count:032x}"),
                "digest" => format!("{count:064x}"),
                prefix => format!("{prefix}example{count}"),
            }
        });
        stable.push_str(name);
    }
    stable
}

/// The letters, digits and underscores that a text begins with.
fn word(text: &str) -> &str {
    let odd = |c: char| !c.is_ascii_alphanumeric() && c != '_';
    &text[..text.find(odd).unwrap_or(text.len())]
}

/// The prefix of an id, or what else a word names; `None` for other words.
fn kind(word: &str) -> Option<&'static str> {
    let is_hex = word.bytes().all(|byte| byte.is_ascii_hexdigit());
    match word.len() {
        32 if is_hex => return Some("delivery"),
        64 if is_hex => return Some("digest"),
        _ => {}
    }
    if word.starts_with("req_") {
        return Some("req_");
    }
    let prefix = PREFIXES
        .into_iter()
        .find(|prefix| word.starts_with(prefix))?;
    (word.len() >= prefix.len() + SHORTEST).then_some(prefix)
}

/// Replaces what is measured in real time, and the length of a body whose ids are replaced.
pub fn measures(value: &mut Value) {
    match value {
        Value::Object(members) => {
            if members.get("name") == Some(&json!("Content-Length")) {
                members["value"] = json!("4096");
            }
            if members.contains_key("sendsAt") {
                members["since"] = json!("2026-11-23T08:00:00Z");
                members["sendsAt"] = json!("2026-11-23T08:01:00Z");
            }
            for (name, value) in members.iter_mut() {
                match name.as_str() {
                    "durationMs" => *value = json!(12),
                    "ageSeconds" => *value = json!(0.25),
                    _ => measures(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(measures),
        _ => {}
    }
}

#[test]
fn ids_become_the_same_in_every_run() {
    let (one, two) = ("a".repeat(20), "B7".repeat(10));
    let text = format!(r#"{{"id":"rot_{one}","x":"\"rot_{two}\" rot_{one} rot_x"}}"#);
    let expected = r#"{"id":"rot_example1","x":"\"rot_example2\" rot_example1 rot_x"}"#;
    assert_eq!(ids(&text), expected);
    let digest = "0af".repeat(11)[..32].to_owned();
    let expected = "/00000000000000000000000000000001/";
    assert_eq!(ids(&format!("/{digest}/")), expected);
}
