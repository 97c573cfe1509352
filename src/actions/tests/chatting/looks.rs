//! Checks of a workspace: topics, groups, messages, and at the end duty and its history.

use super::apps::{Held, Post};
use super::model::{Found, Served};
use super::ops::Ill;
use super::walk::{CHANNELS, HANDLES, Outcome, Slot, View, Walk};
use super::*;
use std::collections::{BTreeMap, BTreeSet};

impl Walk {
    /// Checks the chat state of a workspace, and the messages since the last check.
    pub fn look(&self, index: usize) {
        let mut view = self.views[index].borrow_mut();
        if view.wrong.is_none() {
            view.wrong = self.check(index, &mut view).err();
        }
    }

    fn check(&self, index: usize, view: &mut View) -> Outcome {
        let workspace = &self.apps[index];
        if index == 0 {
            self.check_posts(view)?;
        }
        let ill = self.ill.filter(|_| index == 1).map(|(ill, _)| ill);
        for (place, channel) in CHANNELS.into_iter().enumerate() {
            let wanted = self.wanted(index, place);
            match ill.filter(|ill| ill.topic(place)) {
                Some(ill) => view.topics[place].want(wanted.as_deref(), ill == Ill::Forgets(place)),
                None => {
                    let completed = view.topics[place].complete(wanted, &workspace.topic(channel));
                    completed.map_err(|why| format!("{channel}: {why}"))?;
                }
            }
        }
        for (place, handle) in HANDLES.into_iter().enumerate() {
            let Some((_, people, own, disabled)) = workspace.group(handle) else {
                continue;
            };
            let (served, made) = (self.served(index, place), place == 1);
            match ill.filter(|ill| ill.group(made)) {
                Some(ill) => view.groups[place].want(&served, ill == Ill::Forgets(2 + place)),
                None => {
                    let found = Found {
                        people,
                        own,
                        disabled,
                    };
                    let holds_empty = index == 0 || self.holds_empty;
                    let completed = view.groups[place].complete(&served, &found, holds_empty);
                    completed.map_err(|why| format!("{handle}: {why}"))?;
                }
            }
        }
        Ok(())
    }

    fn slots(&self) -> impl Iterator<Item = &Slot> {
        self.order
            .iter()
            .filter_map(|place| self.slots[*place].as_ref())
    }

    /// The desired topic of a channel.
    fn wanted(&self, index: usize, channel: usize) -> Option<String> {
        let telling = self
            .slots()
            .filter(|slot| slot.topics && slot.syncs[channel]);
        let text = |slot: &Slot| {
            let people = self.apps[index].on_call(&slot.ids[index]);
            let names = match people.is_empty() {
                true => "N/A".to_string(),
                false => people.join(", "),
            };
            let (name, count) = (&slot.name, people.len());
            match slot.template {
                0 => format!("{name}: {names}"),
                1 => format!("{names} ({count})"),
                _ => format!("{name} has {count}"),
            }
        };
        let texts: Vec<String> = telling.map(text).collect();
        (!texts.is_empty()).then(|| texts.join(" | "))
    }

    fn served(&self, index: usize, group: usize) -> Served {
        let mut served = Served::default();
        for slot in self.slots().filter(|slot| slot.group == Some(group)) {
            let (workspace, id) = (&self.apps[index], &slot.ids[index]);
            served.any = true;
            let members = workspace.rotation(id).members.users;
            served.members.extend(members.iter().map(UserId::to_string));
            if !self.free {
                served.on_call.extend(workspace.on_call(id));
            }
        }
        served
    }

    /// Each person who came on or went off gets one message, and nobody else; channels get one for each change.
    fn check_posts(&self, view: &mut View) -> Outcome {
        let workspace = &self.apps[0];
        let posts = workspace.posts(view.posts);
        view.posts += posts.len();
        let now = |slot: &Slot| (slot.name.clone(), workspace.held(&slot.ids[0]));
        let now: BTreeMap<String, Held> = self.slots().map(now).collect();
        let before = std::mem::replace(&mut view.held, now);
        let names: BTreeSet<&String> = before.keys().chain(view.held.keys()).collect();
        for name in names {
            let (was, is) = (before.get(name), view.held.get(name));
            let moved = moved(was, is);
            let nobody = is.is_none_or(|is| is.values().all(Option::is_none));
            let about = posts
                .iter()
                .filter(|(_, text, _)| text.contains(name.as_str()) && !reminds(text));
            let mut received_posts: Vec<&str> = Vec::new();
            for (to, text, _) in about {
                match text.ends_with("You are an owner.") {
                    true if nobody && to == "U6" => {}
                    true => return Err(format!("an owner is received_posts: {text}")),
                    false => received_posts.push(to),
                }
            }
            received_posts.sort_unstable();
            let mut expected: Vec<&str> = moved.iter().map(String::as_str).collect();
            if !moved.is_empty() {
                expected.extend(CHANNELS);
            }
            expected.sort_unstable();
            if received_posts != expected {
                return Err(format!(
                    "{name}: received_posts {received_posts:?} instead of {expected:?}: {posts:?}"
                ));
            }
        }
        Ok(())
    }

    /// Duty and its history are the same in both; nothing was posted twice or out of order.
    pub fn compare(&self) -> Outcome {
        for slot in self.slots() {
            let [calm, faulty] = [0, 1].map(|index| self.apps[index].duty(&slot.ids[index]));
            if calm != faulty {
                return Err(format!("{}: {faulty} instead of {calm}", slot.name));
            }
        }
        for workspace in &self.apps {
            let posts = workspace.posts(0).into_iter();
            let posts = posts.map(|(to, text, key)| (to, text, format!("post {key}")));
            let posts: BTreeSet<Post> = posts.collect();
            let sent: BTreeSet<Post> = workspace.sent().into_iter().collect();
            if sent != posts {
                return Err(format!("stored {sent:?} instead of {posts:?}"));
            }
        }
        let (calm, faulty) = (self.received(0), self.received(1));
        for ((to, _), posts) in &faulty {
            if !posts.is_sorted_by(|one, next| one.0 < next.0) {
                return Err(format!("{to}: twice or out of order: {posts:?}"));
            }
        }
        for (key, posts) in calm {
            let texts = |posts: &[(i64, String)]| -> Vec<String> {
                posts.iter().map(|(_, text)| text.clone()).collect()
            };
            let got = faulty.get(&key).map_or(vec![], |got| texts(got));
            let (to, whole) = (key.0, texts(&posts));
            let mut rest = whole.iter();
            let in_order = got
                .iter()
                .all(|text| rest.any(|received_posts| received_posts == text));
            // A reminder is not sent after its instant.
            let lasting = |texts: &[String]| texts.iter().filter(|text| !is_reminder(text)).count();
            let missing = lasting(&got) < lasting(&whole);
            let missing = missing && !self.lost_all && !self.lost.contains(&to);
            if !in_order || missing {
                return Err(format!("{to}: got {got:?} of {whole:?}"));
            }
        }
        Ok(())
    }

    /// The messages of each recipient by rotation: if two change in one write, their order is not specified.
    fn received(&self, index: usize) -> BTreeMap<(String, String), Vec<(i64, String)>> {
        let names: Vec<String> = (1..=self.made).map(|n| format!("r{n:02}")).collect();
        let mut posts: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (to, text, key) in self.apps[index].posts(0) {
            let about = names.iter().find(|name| text.contains(name.as_str()));
            let about = about.expect("a rotation").clone();
            let number = key.split('-').next().unwrap_or_default();
            let key = number.parse().expect("a number");
            posts.entry((to, about)).or_default().push((key, text));
        }
        posts
    }
}

/// Reminders announce a future instant.
fn reminds(text: &str) -> bool {
    text.contains(" at 2026-")
}

/// The people who came on or went off between two checks.
fn moved(was: Option<&Held>, is: Option<&Held>) -> BTreeSet<String> {
    let nothing = Held::new();
    let (was, is) = (was.unwrap_or(&nothing), is.unwrap_or(&nothing));
    let mut people = BTreeSet::new();
    for place in was.keys().chain(is.keys()) {
        let holder = |held: &Held| held.get(place).cloned().flatten();
        if holder(was) != holder(is) {
            people.extend(holder(was).into_iter().chain(holder(is)));
        }
    }
    people
}

/// Whether a message is a reminder.
fn is_reminder(text: &str) -> bool {
    let comes = |line: &str| line.starts_with("You come on duty");
    let takes_over = |line: &str| line.contains(" takes over") && line.contains(" at ");
    text.lines().all(|line| comes(line) || takes_over(line))
}
