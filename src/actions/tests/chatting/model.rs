//! The expected topic of a channel and people of a user group (rules.md 14), at the moments at which all syncs are
//! complete.

use std::collections::BTreeSet;

pub type People = BTreeSet<String>;

/// A channel's topic.
#[derive(Clone, Debug)]
pub struct Topic {
    now: String,
    /// The topic to restore.
    before: String,
    /// The topic that rota wrote last; `None` if it syncs none.
    written: Option<String>,
    /// Whether another author has changed it since.
    by_hand: bool,
    /// Whether a different topic was due during a failure, so that it is unknown whether it was written.
    wobbled: bool,
    /// Syncing ended while the channel did not exist: nothing is restored.
    given_up: bool,
    /// Another topic that may be restored because of that.
    perhaps: Option<String>,
}

impl Topic {
    pub fn new(now: String) -> Topic {
        Topic {
            now,
            before: String::new(),
            written: None,
            by_hand: false,
            wobbled: false,
            given_up: false,
            perhaps: None,
        }
    }

    pub fn change_by_hand(&mut self, text: &str) {
        self.now = text.into();
        self.by_hand = self.written.is_some();
    }

    /// The desired topic during a failure.
    pub fn want(&mut self, wanted: Option<&str>, forgotten: bool) {
        self.wobbled |= wanted != self.written.as_deref();
        self.given_up |= forgotten && wanted.is_none();
    }

    /// All syncs are complete; `actual` is the topic of the channel.
    pub fn complete(&mut self, wanted: Option<String>, actual: &str) -> Result<(), String> {
        if self.given_up {
            self.perhaps = Some(self.now.clone());
        }
        match (&self.written, &wanted) {
            (None, None) => {}
            (None, Some(new)) => {
                self.before = std::mem::replace(&mut self.now, new.clone());
                self.by_hand = false;
            }
            (Some(old), Some(new)) if old == new && self.by_hand => {
                // It stays until there is something new to show.
                if self.wobbled && actual == new {
                    self.before = std::mem::replace(&mut self.now, new.clone());
                    self.by_hand = false;
                }
            }
            (Some(_), Some(new)) => {
                let stood = std::mem::replace(&mut self.now, new.clone());
                if self.by_hand {
                    self.before = stood;
                }
                self.by_hand = false;
            }
            (Some(_), None) => {
                let stays = self.by_hand || self.perhaps.as_deref() == Some(actual);
                let back = if stays {
                    actual.into()
                } else {
                    self.before.clone()
                };
                self.now = if self.by_hand { self.now.clone() } else { back };
                (self.by_hand, self.perhaps) = (false, None);
            }
        }
        (self.wobbled, self.given_up) = (false, false);
        self.written = wanted;
        match actual == self.now {
            true => Ok(()),
            false => Err(format!("topic: {actual:?} instead of {:?}", self.now)),
        }
    }
}

/// A user group.
#[derive(Clone, Debug, Default)]
pub struct Group {
    present: People,
    /// The people that rota has added.
    placed: People,
    given_up: bool,
}

/// The desired people of a group.
#[derive(Clone, Debug, Default)]
pub struct Served {
    /// Whether any rotation uses it.
    pub any: bool,
    pub members: People,
    pub on_call: People,
}

/// The actual state of a group.
pub struct Found {
    pub people: Vec<String>,
    pub own: bool,
    pub disabled: bool,
}

impl Group {
    pub fn change_by_hand(&mut self, people: People) {
        self.present = people;
    }

    /// The desired people during a failure.
    pub fn want(&mut self, served: &Served, forgotten: bool) {
        self.given_up |= forgotten && !served.any;
    }

    /// All syncs are complete.
    pub fn complete(
        &mut self,
        served: &Served,
        found: &Found,
        holds_empty: bool,
    ) -> Result<(), String> {
        let people: People = found.people.iter().cloned().collect();
        let given_up = std::mem::take(&mut self.given_up) && !served.any && !found.own;
        if given_up && people == self.present {
            // There was no group to remove anyone from.
            self.placed.clear();
            return Ok(());
        }
        let ours: People = self.placed.union(&served.members).cloned().collect();
        let strangers: People = self.present.difference(&ours).cloned().collect();
        let wanted: People = strangers.union(&served.on_call).cloned().collect();
        let cannot = wanted.is_empty() && !self.present.is_empty() && !holds_empty;
        if !cannot {
            self.present = wanted;
            self.placed = served.on_call.clone();
        } else if !served.any && !found.own {
            self.placed.clear();
        }
        if people != self.present || people.len() != found.people.len() {
            return Err(format!(
                "group: {:?} instead of {:?}",
                found.people, self.present
            ));
        }
        let disabled = cannot && found.own;
        match people.is_empty() || disabled == found.disabled {
            true => Ok(()),
            false => Err(format!("group: disabled is {}", found.disabled)),
        }
    }
}
