//! The id of a plan: made of what it would change, so that `apply --plan` can tell whether it is the same still.

use super::subject::{Subject, When};
use super::written::text;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// How many parts an id tells apart at the most; with more it only says whether all are the same.
const PARTS: usize = 24;

/// What a plan would change, a part each: what it is called, and a digest of it.
fn parts(subjects: &[Subject], pruned: &[Value]) -> Vec<(String, String)> {
    let changed = subjects.iter().filter(|subject| subject.action() != "none");
    let changed = changed.map(|subject| {
        let entry = &subject.entry;
        let code = entry.code.as_ref().and_then(Option::as_ref);
        let name = entry.id.as_ref().or(code).map(|named| &named.text);
        let digest = match subject.rotation {
            Some(_) => digest(&json!(["change", name, subject.changes()])),
            None => digest(&json!(["create", name, of_new(subject)])),
        };
        (entry.label().to_owned(), digest)
    });
    let deleted = pruned.iter().map(|rotation| {
        let name = text(rotation, "code").or(text(rotation, "name"));
        let digest = digest(&json!(["delete", rotation["id"]]));
        (name.unwrap_or_default().to_owned(), digest)
    });
    changed.chain(deleted).collect()
}

/// What a new rotation would be: what it is before that has ids which each plan makes anew.
fn of_new(subject: &Subject) -> Vec<(&str, &Value)> {
    let changes = subject.changes().iter();
    changes
        .filter_map(|change| Some((text(change, "path")?, &change["after"])))
        .collect()
}

fn digest(value: &Value) -> String {
    let bytes = Sha256::digest(value.to_string().as_bytes());
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The id: a digest of all, then the beginnings of those of its parts.
pub fn of(subjects: &[Subject], pruned: &[Value], at: &When) -> String {
    let parts = parts(subjects, pruned);
    let digests: Vec<&String> = parts.iter().map(|(_, digest)| digest).collect();
    let whole = digest(&json!([at.sent(), digests]));
    let mut id = whole[..16].to_owned();
    if parts.len() <= PARTS {
        for (_, digest) in &parts {
            id.push_str(&format!("-{}", &digest[..4]));
        }
    }
    id
}

/// What differs between the plan with an id and this one, in words.
pub fn difference(id: &str, subjects: &[Subject], pruned: &[Value]) -> String {
    let parts = parts(subjects, pruned);
    let mut before: Vec<&str> = id.split('-').skip(1).collect();
    let mut new = Vec::new();
    for (name, digest) in &parts {
        match before.iter().position(|known| digest.starts_with(known)) {
            Some(at) => {
                before.remove(at);
            }
            None => new.push(name.as_str()),
        }
    }
    let mut said = Vec::new();
    let told_apart = id.contains('-') && parts.len() <= PARTS;
    if told_apart && !new.is_empty() {
        said.push(format!("not as planned or new: {}", new.join(", ")));
    }
    if told_apart && !before.is_empty() {
        said.push(format!(
            "changes that were planned and are not there now: {}",
            before.len()
        ));
    }
    match said.is_empty() {
        true => "it changes other things, or at another time".to_owned(),
        false => said.join("; "),
    }
}
