//! The id of a plan: made of what it would change, so that `apply --plan` can tell whether it is the same still.

use super::subject::{Subject, When};
use super::written::text;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// How many parts an id tells apart at the most; with more it only says whether all are the same.
const PARTS: usize = 24;

/// What a plan would do to one rotation.
struct Part {
    label: String,
    /// Of which rotation it is, and what would be done: beginnings of digests.
    whose: String,
    what: String,
    /// All of the digest of what would be done.
    digest: String,
}

/// Hexadecimal digits of each beginning.
const DIGITS: usize = 4;

impl Part {
    fn new(label: &str, whose: &Value, what: &Value) -> Part {
        let digest = digest(what);
        Part {
            label: label.to_owned(),
            whose: beginning(whose),
            what: digest[..DIGITS].to_owned(),
            digest,
        }
    }
}

fn beginning(value: &Value) -> String {
    let mut digest = digest(value);
    digest.truncate(DIGITS);
    digest
}

/// What tells a rotation of the files from others.
fn name(subject: &Subject) -> Value {
    let entry = &subject.entry;
    let code = entry.code.as_ref().and_then(Option::as_ref);
    let name = entry.id.as_ref().or(code).map(|named| &named.text);
    json!(["file", name])
}

/// What tells a rotation to delete from others.
fn id(rotation: &Value) -> Value {
    json!(["server", rotation["id"]])
}

fn label(rotation: &Value) -> &str {
    let name = text(rotation, "code").or(text(rotation, "name"));
    name.unwrap_or_default()
}

fn parts(subjects: &[Subject], pruned: &[Value]) -> Vec<Part> {
    let changed = subjects.iter().filter(|subject| subject.action() != "none");
    let changed = changed.map(|subject| {
        let name = name(subject);
        let what = match subject.rotation {
            Some(_) => json!(["change", name, subject.changes()]),
            None => json!(["create", name, of_new(subject)]),
        };
        Part::new(subject.entry.label(), &name, &what)
    });
    let deleted = pruned.iter().map(|rotation| {
        let id = id(rotation);
        Part::new(label(rotation), &id, &json!(["delete", id]))
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

/// The id: a digest of all, then of each part whose it is and what it does.
pub fn of(subjects: &[Subject], pruned: &[Value], at: &When) -> String {
    let parts = parts(subjects, pruned);
    let digests: Vec<&String> = parts.iter().map(|part| &part.digest).collect();
    let whole = digest(&json!([at.sent(), digests]));
    let mut id = whole[..16].to_owned();
    if parts.len() <= PARTS {
        for Part { whose, what, .. } in &parts {
            id.push_str(&format!("-{whose}{what}"));
        }
    }
    id
}

/// What differs between the plan with an id and this one, in words. `others` are rotations that only the server has.
pub fn difference(id: &str, subjects: &[Subject], pruned: &[Value], others: &[Value]) -> String {
    let parts = parts(subjects, pruned);
    let before = id.split('-').skip(1);
    let before: Vec<(&str, &str)> = before
        .filter_map(|part| part.split_at_checked(DIGITS))
        .collect();
    let differing = match !before.is_empty() && parts.len() <= PARTS {
        true => named(&parts, &before, (subjects, others)),
        false => Vec::new(),
    };
    match differing.is_empty() {
        true => "it changes other things, or at another time".to_owned(),
        false => differing.join("; "),
    }
}

/// What differs, by the names of rotations.
fn named(
    parts: &[Part],
    before: &[(&str, &str)],
    (subjects, others): (&[Subject], &[Value]),
) -> Vec<String> {
    let (mut changed, mut new, mut gone) = (Vec::new(), Vec::new(), Vec::new());
    for part in parts {
        match before.iter().find(|(whose, _)| *whose == part.whose) {
            Some((_, what)) if *what == part.what => {}
            Some(_) => changed.push(part.label.as_str()),
            None => new.push(part.label.as_str()),
        }
    }
    for (whose, _) in before {
        if parts.iter().any(|part| part.whose == *whose) {
            continue;
        }
        let of_file = subjects.iter().find(|one| beginning(&name(one)) == *whose);
        let of_server = others
            .iter()
            .find(|one| beginning(&self::id(one)) == *whose);
        let known = of_file.map(|subject| subject.entry.label());
        gone.push(
            known
                .or(of_server.map(label))
                .unwrap_or("a rotation that no file has any more"),
        );
    }
    let lists = [
        ("not as planned", changed),
        ("new", new),
        ("no longer to be done", gone),
    ];
    let said = lists.into_iter().filter(|(_, names)| !names.is_empty());
    said.map(|(what, names)| format!("{what}: {}", names.join(", ")))
        .collect()
}
