//! Resolves the lanes and windows of a grid: by id, or by the caller's key (rules.md 4.6).

use crate::domain::key::{Key, PREFIXES};
use crate::domain::refusal::{Refusal, invalid};

/// The handle of a lane or window as sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HandleSpec {
    /// An existing id or key, or a new key. `None` uses the key if it is set, and otherwise adds a new one.
    pub id: Option<String>,
    pub key: KeySpec,
}

impl HandleSpec {
    /// Only an id or key.
    pub fn id(id: &str) -> HandleSpec {
        HandleSpec {
            id: Some(id.to_owned()),
            key: KeySpec::Kept,
        }
    }
}

/// The key as sent with the id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum KeySpec {
    /// Omitted: an existing key stays; a new lane or window takes the `id` as its key.
    #[default]
    Kept,
    Cleared,
    Set(Key),
}

/// A lane or window of the new grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneOrWindow {
    /// Index of the existing one; `None` adds one.
    pub known: Option<usize>,
    pub key: Option<Key>,
    /// The names that cells may use; empty if it was sent without one.
    names: Vec<String>,
}

impl LaneOrWindow {
    /// One that does not change.
    pub fn kept(index: usize, id: &str, key: Option<&Key>) -> LaneOrWindow {
        let names = std::iter::once(id).chain(key.map(Key::as_str));
        LaneOrWindow {
            known: Some(index),
            key: key.cloned(),
            names: names.map(str::to_owned).collect(),
        }
    }

    /// Whether cells may refer to it by this name.
    pub fn is_called(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
    }

    /// A name for error messages; `None` if it has none.
    pub fn name(&self) -> Option<&str> {
        self.names.first().map(String::as_str)
    }
}

/// Finds the existing lane or window of each handle, by id or key. `member` is the list in the request, `noun` the kind of its
/// items.
///
/// # Errors
/// [`Refusal::Invalid`] if an id is unknown, a key belongs to another, or two handles are the same.
pub fn resolve(
    [member, noun]: [&str; 2],
    existing: &[(&str, Option<&Key>)],
    specs: &[&HandleSpec],
) -> Result<Vec<LaneOrWindow>, Refusal> {
    let mut named: Vec<LaneOrWindow> = Vec::with_capacity(specs.len());
    for (index, spec) in specs.iter().enumerate() {
        let next = resolve_one(&format!("{member}[{index}]"), noun, existing, spec)?;
        for (earlier, other) in named.iter().enumerate() {
            let same = other.known.is_some() && other.known == next.known;
            if same || next.names.iter().any(|name| other.is_called(name)) {
                let by = if spec.id.is_some() { "id" } else { "key" };
                return invalid(
                    format!("{member}[{index}].{by}"),
                    format!(
                        "named twice; {member}[{earlier}] is the same {noun} or has the same key"
                    ),
                );
            }
        }
        named.push(next);
    }
    Ok(named)
}

fn resolve_one(
    path: &str,
    noun: &str,
    existing: &[(&str, Option<&Key>)],
    spec: &HandleSpec,
) -> Result<LaneOrWindow, Refusal> {
    let by_key = |wanted: &str| {
        let has = |(_, key): &(&str, Option<&Key>)| key.is_some_and(|key| key.as_str() == wanted);
        existing.iter().position(has)
    };
    let of_key = match &spec.key {
        KeySpec::Set(key) => by_key(key.as_str()),
        KeySpec::Kept | KeySpec::Cleared => None,
    };
    let sent = spec.id.as_deref();
    let by_id = sent.and_then(|sent| existing.iter().position(|(id, _)| *id == sent));
    // The key that `id` was sent as.
    let handle = match (sent, by_id) {
        (Some(sent), None) => match Key::parse(sent) {
            Some(handle) => Some(handle),
            None => {
                return invalid(
                    format!("{path}.id"),
                    format!(
                        "no {noun} of this rotation has the id `{sent}`; omit it, or send a key that does not \
                     begin with {}",
                        PREFIXES.join(" ")
                    ),
                );
            }
        },
        _ => None,
    };
    let by_handle = handle.as_ref().and_then(|handle| by_key(handle.as_str()));
    match (&spec.key, &handle) {
        (KeySpec::Cleared, Some(handle)) => {
            return invalid(
                format!("{path}.key"),
                format!(
                    "null would clear the key `{handle}` that the {noun} is named by; send its id to clear it"
                ),
            );
        }
        (KeySpec::Set(key), Some(_))
            if by_handle.is_some() && of_key.is_some_and(|of| by_handle != Some(of)) =>
        {
            return invalid(
                format!("{path}.key"),
                format!("`{key}` is the key of another {noun}; send ids to exchange keys"),
            );
        }
        _ => {}
    }
    let known = match by_id {
        Some(known) => Some(known),
        // A repeated body that changes a key finds it already changed.
        None => by_handle.or(of_key),
    };
    let key = match &spec.key {
        KeySpec::Set(key) => Some(key.clone()),
        KeySpec::Cleared => None,
        KeySpec::Kept => match known {
            Some(known) => existing[known].1.cloned(),
            None => handle,
        },
    };
    let id = known.map(|known| existing[known].0);
    let names = sent
        .into_iter()
        .chain(key.as_ref().map(Key::as_str))
        .chain(id);
    let mut distinct: Vec<String> = Vec::new();
    for name in names {
        if !distinct.iter().any(|known| known == name) {
            distinct.push(name.to_owned());
        }
    }
    // Cells of one without a name are created automatically.
    Ok(LaneOrWindow {
        known,
        key,
        names: distinct,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `id/key`, either of them `-` if omitted; a key `null` is cleared, `.` omitted.
    fn spec(text: &str) -> HandleSpec {
        let (id, key) = text.split_once('/').unwrap();
        HandleSpec {
            id: (id != "-").then(|| id.to_owned()),
            key: match key {
                "." => KeySpec::Kept,
                "null" => KeySpec::Cleared,
                key => KeySpec::Set(Key::parse(key).unwrap()),
            },
        }
    }

    /// Resolves against `lan_1` with the key `a`, `lan_2` with `b` and `lan_3` without one: `1:key` is an existing lane, `+:key` a
    /// new one.
    fn resolved(specs: &str) -> Result<String, String> {
        let [a, b] = ["a", "b"].map(|key| Key::parse(key).unwrap());
        let existing = [("lan_1", Some(&a)), ("lan_2", Some(&b)), ("lan_3", None)];
        let specs: Vec<HandleSpec> = specs.split_whitespace().map(spec).collect();
        let specs: Vec<&HandleSpec> = specs.iter().collect();
        match resolve(["lanes", "lane"], &existing, &specs) {
            Ok(named) => {
                let shown = named.iter().map(|named| {
                    let known = named
                        .known
                        .map_or("+".to_owned(), |at| (at + 1).to_string());
                    let key = named.key.as_ref().map_or("-", Key::as_str);
                    format!("{known}:{key}")
                });
                Ok(shown.collect::<Vec<_>>().join(" "))
            }
            refused => Err(crate::tests::member(&refused).unwrap().to_owned()),
        }
    }

    /// rules.md 4.6.
    #[test]
    fn handles_name_what_is_there_or_add() {
        for (specs, expected) in [
            ("lan_1/. lan_2/.", Ok("1:a 2:b")),
            ("a/. b/.", Ok("1:a 2:b")),
            ("b/. a/.", Ok("2:b 1:a")),
            ("-/b -/c", Ok("2:b +:c")),
            ("-/. -/.", Ok("+:- +:-")),
            ("c/. lan_3/.", Ok("+:c 3:-")),
            // Keys are set, changed and cleared together with an id.
            ("lan_3/c", Ok("3:c")),
            ("lan_1/c", Ok("1:c")),
            ("lan_1/null", Ok("1:-")),
            ("a/c", Ok("1:c")),
            ("a/a", Ok("1:a")),
            // As after `z` became `b`.
            ("z/b", Ok("2:b")),
            ("z/y", Ok("+:y")),
            // Ids exchange keys; a lane that is not sent loses its key.
            ("lan_1/b lan_2/a", Ok("1:b 2:a")),
            ("lan_1/b", Ok("1:b")),
            ("lan_1/b lan_2/.", Err("lanes[1].id")),
            ("a/b b/a", Err("lanes[0].key")),
            ("a/b", Err("lanes[0].key")),
            ("a/null", Err("lanes[0].key")),
            ("c/null", Err("lanes[0].key")),
            // Each once, in any notation.
            ("lan_1/. a/.", Err("lanes[1].id")),
            ("a/. -/a", Err("lanes[1].key")),
            ("c/. c/.", Err("lanes[1].id")),
            ("c/. lan_1/c", Err("lanes[1].id")),
            ("a/c lan_2/a", Err("lanes[1].id")),
            ("lan_9/.", Err("lanes[0].id")),
            ("win_1/.", Err("lanes[0].id")),
            ("ros_1/a", Err("lanes[0].id")),
        ] {
            let found = resolved(specs);
            let found = found.as_ref().map(String::as_str).map_err(String::as_str);
            assert_eq!(found, expected, "{specs}");
        }
    }
}
