//! What a change was, in one line: what was before and what is after, without secrets.

use super::one_line;
use crate::domain::absence_policy::AbsencePolicy;
use crate::domain::arrangement::Arranged;
use crate::domain::cadence::{Cadence, Kind};
use crate::domain::coverage::Stretch;
use crate::domain::directory::{Directory, Person, Team};
use crate::domain::directory_reading::DirectoryChanges;
use crate::domain::ids::UserId;
use crate::domain::key::Key;
use crate::domain::linked::External;
use crate::domain::rotation::{Cell, ChannelSetting, Members, Rotation, Window};
use crate::domain::time::Interval;
use crate::domain::warning_kinds::WarningSettings;
use crate::domain::webhook::{Disabled, EventType, Webhook};
use jiff::civil::Weekday;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Display;

/// The longest summary, in characters.
const LONGEST: usize = 500;

/// Changes that a summary names.
const PARTS: usize = 8;

/// Items of a list that are named.
const ITEMS: usize = 5;

/// The longest text of a caller's that is quoted, in characters.
const QUOTED: usize = 60;

/// The changes of one write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary(Vec<String>);

impl<T: Into<String>> From<T> for Summary {
    fn from(part: T) -> Summary {
        Summary(vec![part.into()])
    }
}

impl Summary {
    /// Adds what changed.
    pub fn add(&mut self, part: impl Into<String>) {
        self.0.push(part.into());
    }

    /// Adds the changes of another one.
    pub fn append(&mut self, mut other: Summary) {
        self.0.append(&mut other.0);
    }

    /// Adds a value that is another now.
    fn changed<T: PartialEq, S: Display>(
        &mut self,
        what: &str,
        before: &T,
        after: &T,
        show: impl Fn(&T) -> S,
    ) {
        if before != after {
            self.add(format!("{what}: {} to {}", show(before), show(after)));
        }
    }

    /// Adds what came into a list and what left it.
    fn list<T: Ord + Display>(&mut self, what: &str, before: &[T], after: &[T]) {
        if before == after {
            return;
        }
        let without = |list: &[T], other: &[T]| -> Vec<String> {
            let other: BTreeSet<&T> = other.iter().collect();
            let left = list.iter().filter(|item| !other.contains(item));
            left.map(T::to_string).collect()
        };
        let (added, removed) = (without(after, before), without(before, after));
        let part = |verb: &str, items: &[String]| format!("{what} {verb}: {}", listed(items));
        if !added.is_empty() {
            self.add(part("added", &added));
        }
        if !removed.is_empty() {
            self.add(part("removed", &removed));
        }
        if added.is_empty() && removed.is_empty() {
            self.add(format!("{what} reordered"));
        }
    }

    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The line.
    pub fn line(&self) -> String {
        let mut parts = self.0[..self.0.len().min(PARTS)].join("; ");
        let more = self.0.len().saturating_sub(PARTS);
        if more > 0 {
            parts.push_str(&format!("; and {more} more"));
        }
        cut(&one_line(&parts), LONGEST)
    }
}

/// The first items of a list, and how many more there are.
pub fn listed<T: AsRef<str>>(items: &[T]) -> String {
    let shown: Vec<&str> = items.iter().take(ITEMS).map(AsRef::as_ref).collect();
    let shown = shown.join(", ");
    match items.len().saturating_sub(ITEMS) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some(_) => text.chars().take(most - 3).chain("...".chars()).collect(),
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

fn key_or_none(key: &Option<Key>) -> String {
    key.as_ref()
        .map_or_else(|| "none".into(), |key| quoted(key.as_str()))
}

fn or_none<T: Display>(value: &Option<T>) -> String {
    value
        .as_ref()
        .map_or_else(|| "none".into(), ToString::to_string)
}

fn absence_policy(policy: &AbsencePolicy) -> String {
    let calendars = policy.calendars.name();
    let calendars = match policy.calendars.minimum_hours() {
        Some(hours) => format!("{calendars} ({hours} h)"),
        None => calendars.to_owned(),
    };
    let (over, duty) = (policy.pass_over.name(), policy.while_on_duty.name());
    format!("calendars {calendars}, {over}, {duty}")
}

/// A period as summaries say it.
pub fn period(period: Interval) -> String {
    format!("from {} to {}", period.from, period.until)
}

/// What is another in a rotation. Next turns that a hand-over moves go without saying.
pub fn rotation_changes(before: &Rotation, after: &Rotation) -> Summary {
    let mut told = Summary::default();
    if before.profile != after.profile {
        profile(&mut told, before, after);
    }
    told.changed("enabled", &before.enabled, &after.enabled, bool::to_string);
    told.changed(
        "doubleCover",
        &before.double_cover,
        &after.double_cover,
        bool::to_string,
    );
    told.changed(
        "skipsAreOffTime",
        &before.skips_are_off_time,
        &after.skips_are_off_time,
        bool::to_string,
    );
    told.changed(
        "absencePolicy",
        &before.absence_policy,
        &after.absence_policy,
        absence_policy,
    );
    if before.members != after.members {
        members(&mut told, before, after);
    }
    grid(&mut told, before, after);
    duty(&mut told, before, after);
    arranged(&mut told, &before.arranged, &after.arranged);
    rosters(&mut told, before, after);
    told
}

fn profile(told: &mut Summary, before: &Rotation, after: &Rotation) {
    let (before, after) = (&before.profile, &after.profile);
    told.changed("name", &before.name, &after.name, |name| quoted(name));
    told.changed(
        "description",
        &before.description,
        &after.description,
        text_or_none,
    );
    told.changed("code", &before.code, &after.code, text_or_none);
    told.changed("public", &before.public, &after.public, bool::to_string);
    told.list("owners", &before.owners, &after.owners);
    told.changed(
        "enableTopic",
        &before.enable_topic,
        &after.enable_topic,
        bool::to_string,
    );
    told.changed(
        "topicTemplate",
        &before.topic_template,
        &after.topic_template,
        text_or_none,
    );
    told.changed(
        "on-duty group",
        &before.duty_group,
        &after.duty_group,
        or_none,
    );
    let shown = |channels: &[ChannelSetting]| -> Vec<String> {
        let shown = |channel: &ChannelSetting| {
            let told = match (channel.posts_messages, channel.syncs_topic) {
                (true, true) => "messages and topic",
                (true, false) => "messages",
                (false, _) => "topic",
            };
            format!("{} ({told})", channel.channel)
        };
        channels.iter().map(shown).collect()
    };
    told.list(
        "channels",
        &shown(&before.channels),
        &shown(&after.channels),
    );
    let (warnings, wanted) = (&before.warnings, &after.warnings);
    let off = |settings: &WarningSettings| -> Vec<_> {
        settings.off.iter().map(|kind| kind.name()).collect()
    };
    told.list("warnings off", &off(warnings), &off(wanted));
    told.changed(
        "short rest",
        &warnings.short_rest_hours,
        &wanted.short_rest_hours,
        |hours| format!("{hours} hours"),
    );
    let (before, after) = (&before.mentions, &after.mentions);
    let minutes = |minutes: &u32| format!("{minutes} minutes");
    told.changed(
        "mentions expire after",
        &before.expires_after_minutes,
        &after.expires_after_minutes,
        minutes,
    );
    told.changed(
        "mentions remind after",
        &before.remind_after_minutes,
        &after.remind_after_minutes,
        |after| after.as_ref().map_or_else(|| "none".into(), minutes),
    );
    told.changed(
        "mentions one at a time",
        &before.one_at_a_time,
        &after.one_at_a_time,
        bool::to_string,
    );
    told.changed(
        "rotate after a mention is acknowledged",
        &before.rotate_after_acknowledgement,
        &after.rotate_after_acknowledgement,
        bool::to_string,
    );
}

fn members(told: &mut Summary, before: &Rotation, after: &Rotation) {
    let (before, after) = (&before.members, &after.members);
    told.list("members", &before.users, &after.users);
    let groups = |members: &Members| -> Vec<_> {
        let groups = members.groups.iter().map(|group| group.group.clone());
        groups.collect()
    };
    told.list("user groups", &groups(before), &groups(after));
    for group in &after.groups {
        if let Some(known) = before.groups.iter().find(|g| g.group == group.group) {
            let what = format!("members of {}", group.group);
            told.list(&what, &known.users, &group.users);
        }
    }
}

fn grid(told: &mut Summary, before: &Rotation, after: &Rotation) {
    if before.lanes != after.lanes {
        let ids = |rotation: &Rotation| -> Vec<_> {
            rotation.lanes.iter().map(|lane| lane.id.clone()).collect()
        };
        told.list("lanes", &ids(before), &ids(after));
        for lane in &after.lanes {
            if let Some(known) = before.lanes.iter().find(|known| known.id == lane.id) {
                let what = format!("name of {}", lane.id);
                told.changed(&what, &known.name, &lane.name, text_or_none);
                let what = format!("key of {}", lane.id);
                told.changed(&what, &known.key, &lane.key, key_or_none);
            }
        }
    }
    if before.windows != after.windows {
        let ids = |rotation: &Rotation| -> Vec<_> {
            let ids = rotation.windows.iter().map(|window| window.id.clone());
            ids.collect()
        };
        told.list("windows", &ids(before), &ids(after));
        for window in &after.windows {
            match before.windows.iter().find(|known| known.id == window.id) {
                Some(known) => changed_window(told, known, window),
                None => told.add(format!(
                    "{}: hours {}, cadence {}",
                    window.id,
                    hours(&window.coverage),
                    match &after.external {
                        Some(external) => followed(external),
                        None => cadence(&window.cadence),
                    }
                )),
            }
        }
    }
    for cell in &after.cells {
        if let Some(known) = before.cells.iter().find(|known| known.id == cell.id) {
            let what = format!("roster of {}", cell.id);
            told.changed(&what, &known.roster, &cell.roster, |roster| {
                roster
                    .as_ref()
                    .map_or_else(|| "the common one".into(), |id| quoted(id.as_str()))
            });
            let what = format!("{} runs", cell.id);
            told.changed(&what, &!known.stopped, &!cell.stopped, bool::to_string);
        }
    }
}

fn changed_window(told: &mut Summary, before: &Window, after: &Window) {
    let id = &after.id;
    told.changed(
        &format!("key of {id}"),
        &before.key,
        &after.key,
        key_or_none,
    );
    told.changed(
        &format!("name of {id}"),
        &before.name,
        &after.name,
        text_or_none,
    );
    told.changed(&format!("zone of {id}"), &before.zone, &after.zone, or_none);
    told.changed(
        &format!("hours of {id}"),
        &before.coverage,
        &after.coverage,
        |coverage| hours(coverage),
    );
    told.changed(
        &format!("cadence of {id}"),
        &before.cadence,
        &after.cadence,
        cadence,
    );
}

/// Who holds the cells.
fn duty(told: &mut Summary, before: &Rotation, after: &Rotation) {
    let holder = |cell: &Cell| cell.holder.as_ref().map(|holder| holder.user.clone());
    let shown = |user: &Option<UserId>| {
        user.as_ref()
            .map_or_else(|| "nobody".into(), UserId::to_string)
    };
    for (slot, cell) in after.cells.iter().enumerate() {
        let known = before.slot_near(&cell.id, slot);
        let known = known.and_then(|slot| holder(&before.cells[slot]));
        let what = match after.cells.len() {
            1 => "on duty".to_owned(),
            _ => format!("on duty in {}", cell.id),
        };
        told.changed(&what, &known, &holder(cell), shown);
    }
}

fn arranged(told: &mut Summary, before: &[Arranged], after: &[Arranged]) {
    if before == after {
        return;
    }
    for new in after {
        match before.iter().find(|known| known.id == new.id) {
            None => told.add(format!(
                "{}: {} in {} {}",
                new.id,
                new.user,
                new.cell,
                period(new.period)
            )),
            Some(known) => {
                let what = format!("period of {}", new.id);
                told.changed(&what, &known.period, &new.period, |of| period(*of));
            }
        }
    }
    for gone in before {
        if !after.iter().any(|kept| kept.id == gone.id) {
            told.add(format!("{}: ended", gone.id));
        }
    }
}

fn rosters(told: &mut Summary, before: &Rotation, after: &Rotation) {
    if before.rosters == after.rosters {
        return;
    }
    let handed_over = |before: &Rotation, after: &Rotation| {
        let holders = |rotation: &Rotation| -> Vec<_> {
            let holders = rotation.cells.iter();
            holders.map(|cell| cell.holder.clone()).collect()
        };
        holders(before) != holders(after)
    };
    for roster in &after.rosters {
        let name = roster.id.as_ref().map_or_else(
            || "the common roster".to_owned(),
            |id| format!("roster {}", quoted(id.as_str())),
        );
        let Some(known) = before.rosters.iter().find(|known| known.id == roster.id) else {
            told.add(format!("{name} added"));
            continue;
        };
        if known.narrowed != roster.narrowed {
            let people = |rotation: &Rotation, roster| -> Vec<UserId> {
                let order = rotation.order(roster).into_iter();
                order.map(|position| position.user).collect()
            };
            told.list(&name, &people(before, known), &people(after, roster));
        } else if !handed_over(before, after) {
            for next in &roster.next_turns {
                let what = format!("next turn of {} in {name}", next.window);
                let was = known.next_turn(&next.window);
                told.changed(&what, &was, &Some(next.turn), or_none);
            }
        }
    }
}

fn hours(coverage: &[Stretch]) -> String {
    let stretch = |stretch: &Stretch| {
        let (start, end) = (day(stretch.start_day), day(stretch.end_day));
        let (from, until) = (stretch.start_time, stretch.end_time);
        format!("{start} {from} to {end} {until}")
    };
    match coverage {
        [] => "always".into(),
        coverage => listed(&coverage.iter().map(stretch).collect::<Vec<_>>()),
    }
}

fn day(day: Weekday) -> &'static str {
    match day {
        Weekday::Monday => "Mon",
        Weekday::Tuesday => "Tue",
        Weekday::Wednesday => "Wed",
        Weekday::Thursday => "Thu",
        Weekday::Friday => "Fri",
        Weekday::Saturday => "Sat",
        Weekday::Sunday => "Sun",
    }
}

/// What drives a rotation from outside.
fn followed(external: &External) -> String {
    match &external.link {
        Some(link) => format!(
            "of schedule {} {} of {}",
            link.schedule,
            quoted(&external.schedule.name),
            link.partner.name()
        ),
        None => "of no schedule yet".into(),
    }
}

fn cadence(cadence: &Option<Cadence>) -> String {
    let Some(cadence) = cadence else {
        return "manual".into();
    };
    let every = |unit: &str| match cadence.period {
        1 => format!("every {unit}"),
        period => format!("every {period} {unit}s"),
    };
    let days = |days: &[Weekday]| {
        let days: Vec<&str> = days.iter().map(|one| day(*one)).collect();
        days.join(", ")
    };
    let counted = match &cadence.kind {
        Kind::DayOfWeek => every("week"),
        Kind::DaysOfWeekList(list) => format!("{} on {}", every("week"), days(list)),
        Kind::DayOfMonth => every("month"),
        Kind::NthWeekdayOfMonth { weekday, weeks } => {
            let weeks: Vec<String> = weeks.iter().map(u8::to_string).collect();
            let weeks = weeks.join(", ");
            format!("{} on {} number {weeks}", every("month"), day(*weekday))
        }
        Kind::Daily { times } => {
            let times: Vec<String> = times.iter().map(ToString::to_string).collect();
            format!("{} at {}", every("day"), listed(&times))
        }
        Kind::Workday => every("working day"),
    };
    let mut skips = Vec::new();
    if cadence.skips.weekends {
        skips.push("weekends");
    }
    if cadence.skips.national_holidays {
        skips.push("national holidays");
    }
    let skips = match skips.is_empty() {
        true => String::new(),
        false => {
            let countries = cadence.skips.countries.iter().map(ToString::to_string);
            let countries = listed(&countries.collect::<Vec<_>>());
            format!(" without {} of {countries}", skips.join(" and "))
        }
    };
    format!(
        "{counted} since {} in {}{skips}",
        cadence.starts_at, cadence.zone
    )
}

/// What is another in a webhook endpoint. Of its URL the host is shown: the rest may carry a secret.
pub fn webhook_changes(before: &Webhook, after: &Webhook) -> Summary {
    let mut told = Summary::default();
    told.changed("name", &before.name, &after.name, |name| quoted(name));
    if before.url != after.url {
        told.add(format!(
            "URL: {} to {}",
            host(&before.url),
            host(&after.url)
        ));
    }
    let names = |kinds: &[EventType]| -> Vec<&'static str> {
        kinds.iter().map(|kind| kind.name()).collect()
    };
    told.list(
        "eventTypes",
        &names(&before.event_types),
        &names(&after.event_types),
    );
    let enabled = |disabled: &Option<Disabled>| match disabled {
        None => "enabled".to_owned(),
        Some(disabled) => format!("disabled ({})", disabled.reason.name()),
    };
    told.changed("state", &before.disabled, &after.disabled, enabled);
    if before.current != after.current {
        let (old, new) = (&before.current.id, &after.current.id);
        let until = match &after.previous {
            Some(previous) if previous.id == *old => {
                format!("; the old one signs until {}", previous.expires_at)
            }
            _ => String::new(),
        };
        told.add(format!("secret: {old} to {new}{until}"));
    }
    told
}

/// What is another in the directory: who came, changed and left, and how many groups and channels there are.
pub fn directory_changes(before: &Directory, after: &Directory) -> Summary {
    let mut told = Summary::default();
    let name = |team: &Team| text_or_none(&team.name);
    told.changed("workspace", &before.team, &after.team, name);
    let people = |directory: &Directory| -> BTreeMap<UserId, Person> {
        let people = directory.people.iter().filter(|one| !one.is_deleted);
        let people = people.map(|one| (one.id.clone(), one.clone()));
        people.collect()
    };
    let (old, new) = (people(before), people(after));
    let ids =
        |people: &BTreeMap<UserId, Person>| -> Vec<UserId> { people.keys().cloned().collect() };
    told.list("people", &ids(&old), &ids(&new));
    let other = |(id, person): &(&UserId, &Person)| old.get(id).is_some_and(|old| old != *person);
    let changed: Vec<&str> = (new.iter().filter(other))
        .map(|(id, _)| id.as_str())
        .collect();
    if !changed.is_empty() {
        told.add(format!("people changed: {}", listed(&changed)));
    }
    let counted = [
        (
            "user groups",
            before.groups == after.groups,
            before.groups.len(),
            after.groups.len(),
        ),
        (
            "channels",
            before.channels == after.channels,
            before.channels.len(),
            after.channels.len(),
        ),
        (
            "handles",
            before.handles == after.handles,
            before.handles.len(),
            after.handles.len(),
        ),
    ];
    for (what, _, before, after) in counted.iter().filter(|(_, is_same, ..)| !is_same) {
        told.add(format!("{what}: {before} to {after}"));
    }
    told
}

/// The same of what a reading of the chat platform's directory, or an event of it, changes. Chat statuses are not told.
pub fn synced_changes(changes: &DirectoryChanges) -> Summary {
    let mut told = Summary::default();
    if let Some(team) = &changes.team {
        told.add(format!("workspace: {}", text_or_none(&team.name)));
    }
    let moved: HashSet<&UserId> = changes.moved.iter().collect();
    let came = |person: &&Person| moved.contains(&person.id);
    let gone = |person: &&Person| person.is_deleted || person.is_external;
    let ids = |which: &dyn Fn(&&Person) -> bool| -> Vec<&str> {
        let people = changes.people.iter().filter(|person| which(person));
        people.map(|person| person.id.as_str()).collect()
    };
    for (what, people) in [
        ("added", ids(&|person| came(person) && !gone(person))),
        ("removed", ids(&|person| came(person) && gone(person))),
        ("changed", ids(&|person| !came(person))),
    ] {
        if !people.is_empty() {
            told.add(format!("people {what}: {}", listed(&people)));
        }
    }
    for (what, changed, lost) in [
        (
            "user groups",
            changes.groups.len(),
            changes.lost_groups.len(),
        ),
        (
            "channels",
            changes.channels.len(),
            changes.lost_channels.len(),
        ),
    ] {
        if changed > 0 {
            told.add(format!("{what} added or changed: {changed}"));
        }
        if lost > 0 {
            told.add(format!("{what} removed: {lost}"));
        }
    }
    told
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
