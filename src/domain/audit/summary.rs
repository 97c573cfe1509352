//! What a change was, in one line: what was before and what is after, without secrets.

mod cadence;
mod directory;
mod rotation;
mod webhook;

pub use directory::{directory_changes, synced_changes};
pub use rotation::rotation_changes;
pub use webhook::webhook_changes;

use super::one_line;
use super::phrase::{Names, Phrase, Referent, cut, listed};
use crate::domain::time::Interval;
use std::collections::BTreeSet;
use std::fmt::Display;

/// The longest summary, in characters.
const LONGEST: usize = 500;

/// Changes that a summary names.
const PARTS: usize = 8;

/// The longest text of a caller's that is quoted, in characters.
const QUOTED: usize = 60;

/// The changes of one write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary(Vec<Phrase>);

impl<T: Into<Phrase>> From<T> for Summary {
    fn from(part: T) -> Summary {
        Summary(vec![part.into()])
    }
}

impl Summary {
    /// Adds what changed.
    pub fn add(&mut self, part: impl Into<Phrase>) {
        self.0.push(part.into());
    }

    /// Adds the changes of another one.
    pub fn append(&mut self, mut other: Summary) {
        self.0.append(&mut other.0);
    }

    /// Adds a value that is another now.
    fn changed<T: PartialEq, S: Into<Phrase>>(
        &mut self,
        what: impl Into<Phrase>,
        before: &T,
        after: &T,
        show: impl Fn(&T) -> S,
    ) {
        if before != after {
            let values = show(before).into().and(" to ").and(show(after));
            self.add(what.into().and(": ").and(values));
        }
    }

    /// Adds what came into a list and what left it.
    fn list<T: Ord, S: Into<Phrase>>(
        &mut self,
        what: impl Into<Phrase>,
        before: &[T],
        after: &[T],
        show: impl Fn(&T) -> S,
    ) {
        if before == after {
            return;
        }
        let what = what.into();
        let without = |list: &[T], other: &[T]| -> Vec<Phrase> {
            let other: BTreeSet<&T> = other.iter().collect();
            let left = list.iter().filter(|item| !other.contains(item));
            left.map(|item| show(item).into()).collect()
        };
        let (added, removed) = (without(after, before), without(before, after));
        for (verb, items) in [(" added: ", &added), (" removed: ", &removed)] {
            if !items.is_empty() {
                self.add(what.clone().and(verb).and(listed(items)));
            }
        }
        if added.is_empty() && removed.is_empty() {
            self.add(what.and(" reordered"));
        }
    }

    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whom and what the line names.
    pub fn named(&self) -> impl Iterator<Item = &Referent> {
        self.0.iter().take(PARTS).flat_map(Phrase::named)
    }

    /// The line, with these names.
    pub fn line(&self, names: &Names) -> String {
        let shown = self.0.iter().take(PARTS).map(|part| part.text(names));
        let mut parts = shown.collect::<Vec<_>>().join("; ");
        let more = self.0.len().saturating_sub(PARTS);
        if more > 0 {
            parts.push_str(&format!("; and {more} more"));
        }
        cut(&one_line(&parts), LONGEST)
    }
}

/// Text of a caller's in quotes, short, without the user and the password of URLs in it.
pub fn quoted(text: &str) -> String {
    let mut shown = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + 3);
        let end = after.find(|c: char| c.is_whitespace() || ['/', '?', '#'].contains(&c));
        let host = &after[..end.unwrap_or(after.len())];
        shown.push_str(before);
        rest = &after[host.rfind('@').map_or(0, |at| at + 1)..];
    }
    shown.push_str(rest);
    format!("\"{}\"", cut(&shown, QUOTED))
}

fn text_or_none(text: &Option<String>) -> String {
    text.as_deref().map_or_else(|| "none".into(), quoted)
}

fn or_none<T: Display>(value: &Option<T>) -> String {
    value
        .as_ref()
        .map_or_else(|| "none".into(), ToString::to_string)
}

/// A period as summaries say it.
pub fn period(period: Interval) -> String {
    format!("from {} to {}", period.from, period.until)
}

/// Scheme, host and port of a URL.
pub fn host(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return "a URL".into();
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let host = rest[..end].rsplit('@').next().unwrap_or_default();
    format!("{scheme}://{host}")
}

#[cfg(test)]
mod tests;
