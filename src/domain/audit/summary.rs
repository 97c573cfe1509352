//! A change in one line: before and after, without secrets.

mod directory;
mod rotation;
mod webhook;

pub use directory::{directory_changes, synced_changes};
pub use rotation::rotation_changes;
pub use webhook::webhook_changes;

use super::one_line;
use super::phrase::{Names, Phrase, Referent, cut, listed, quoted};
use crate::domain::time::Interval;
use std::collections::BTreeSet;

/// The longest summary, in characters.
const LONGEST: usize = 500;

/// Changes that a summary names.
const PARTS: usize = 8;

/// The values before and after a write.
type Both<'a, T> = (&'a T, &'a T);

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
    fn changed<'a, T, V: PartialEq + Into<Phrase>>(
        &mut self,
        what: impl Into<Phrase>,
        (before, after): Both<'a, T>,
        get: impl Fn(&'a T) -> V,
    ) {
        let (before, after) = (get(before), get(after));
        if before != after {
            let values = before.into().and(" to ").and(after);
            self.add(what.into().and(": ").and(values));
        }
    }

    /// Adds what came into a list and what left it.
    fn list<'a, T, I: IntoIterator<Item: Ord + Clone + Into<Phrase>>>(
        &mut self,
        what: impl Into<Phrase>,
        both: Both<'a, T>,
        get: impl Fn(&'a T) -> I,
    ) {
        self.list_by(what, both, get, |item| item.clone().into());
    }

    /// The difference of a list whose items are shown otherwise than they are compared.
    fn list_by<'a, T, I: IntoIterator<Item: Ord>>(
        &mut self,
        what: impl Into<Phrase>,
        (before, after): Both<'a, T>,
        get: impl Fn(&'a T) -> I,
        show: impl Fn(&I::Item) -> Phrase,
    ) {
        let items = |of| get(of).into_iter().collect::<Vec<_>>();
        let (before, after) = (items(before), items(after));
        if before == after {
            return;
        }
        let what = what.into();
        let without = |list: &[I::Item], other: &[I::Item]| -> Vec<Phrase> {
            let other: BTreeSet<&I::Item> = other.iter().collect();
            let left = list.iter().filter(|item| !other.contains(item));
            left.map(&show).collect()
        };
        let (added, removed) = (without(&after, &before), without(&before, &after));
        if added.is_empty() && removed.is_empty() {
            self.add(what.clone().and(" reordered"));
        }
        self.some(what.clone().and(" added: "), added);
        self.some(what.and(" removed: "), removed);
    }

    /// Adds a list, if there is something in it.
    pub fn some(&mut self, what: impl Into<Phrase>, items: Vec<Phrase>) {
        if !items.is_empty() {
            self.add(what.into().and(listed(items)));
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

/// The items that there were before and are after, by their ids.
fn kept<'a, T, V: 'a, I: PartialEq + 'a>(
    (before, after): Both<'a, T>,
    get: fn(&T) -> &Vec<V>,
    id: fn(&V) -> &I,
) -> impl Iterator<Item = Both<'a, V>> {
    let known = move |new: &&'a V| get(before).iter().find(|one| id(one) == id(new));
    get(after)
        .iter()
        .filter_map(move |new| Some((known(&new)?, new)))
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
