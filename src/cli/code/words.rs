//! A plan in names.

use super::super::output::visible;
use super::directory::Directory;
use super::grid::stretch_text;
use super::paint::{CODES, Paint};
use super::planning::Plan;
use super::subject::{Subject, When};
use super::written::{keys, text};
use crate::domain::zones::ZoneName;
use crate::wire::moment::parse_instant;
use serde_json::Value;

/// How many changes of who is on call are told one by one.
const TOLD: usize = 10;

/// Says a plan for people.
pub fn plan(plan: &Plan, directory: &Directory, at: &When, paint: Paint) -> String {
    let mut lines = Vec::new();
    for subject in &plan.subjects {
        let saying = Saying {
            subject,
            directory,
            paint,
        };
        saying.say(at, &mut lines);
    }
    for rotation in &plan.pruned {
        let line = format!("- {}: deleted, with its record", label(rotation));
        lines.push(paint.gone(&line));
        lines.push(String::new());
    }
    if !plan.others.is_empty() {
        lines.push("Only on the server, and left alone:".to_owned());
        lines.extend(
            plan.others
                .iter()
                .map(|rotation| format!("  {}", label(rotation))),
        );
        lines.push(String::new());
    }
    lines.push(summary(plan));
    lines.push(format!("Plan: {}", plan.id));
    visible_lines(&lines)
}

/// Escapes what people wrote; colours of ours stay.
fn visible_lines(lines: &[String]) -> String {
    let parts = |line: &String| {
        let mut parts = line.split('\u{1b}');
        let mut shown = visible(parts.next().unwrap_or_default());
        for part in parts {
            let code = CODES.iter().find(|code| part.starts_with(**code));
            shown.push_str(&match code {
                Some(code) => format!("\u{1b}{code}{}", visible(&part[code.len()..])),
                None => visible(&format!("\u{1b}{part}")),
            });
        }
        shown
    };
    lines.iter().map(parts).collect::<Vec<_>>().join("\n")
}

/// How many of each there are.
fn summary(plan: &Plan) -> String {
    let count = |action: &str| {
        let of_it = |subject: &&Subject| subject.action() == action;
        plan.subjects.iter().filter(of_it).count()
    };
    if plan.changes_nothing() {
        return "Nothing to change.".to_owned();
    }
    format!(
        "{} to make, {} to change, {} to delete, {} as they are.",
        count("create"),
        count("change"),
        plan.pruned.len(),
        count("none")
    )
}

/// Code and name of a rotation of the server.
pub fn label(rotation: &Value) -> String {
    let name = text(rotation, "name").unwrap_or_default();
    match text(rotation, "code") {
        Some(code) => format!("{code} {name}"),
        None => name.to_owned(),
    }
}

struct Saying<'a, 's> {
    subject: &'a Subject,
    directory: &'a Directory<'s>,
    paint: Paint,
}

impl Saying<'_, '_> {
    fn say(&self, at: &When, lines: &mut Vec<String>) {
        let (subject, paint) = (self.subject, self.paint);
        let entry = &subject.entry;
        let left = subject.edit.left.iter().map(|left| {
            format!(
                "  {} has left; {} still has the name",
                left.name, left.place
            )
        });
        let left: Vec<String> = left.collect();
        let label = match entry.label() == entry.name {
            true => entry.name.clone(),
            false => format!("{} {}", entry.label(), entry.name),
        };
        let heading = match subject.action() {
            "create" => paint.added(&format!("+ {label}: made")),
            "change" => paint.other(&format!("~ {label}: changed {}", self.when(at))),
            _ if left.is_empty() => return,
            _ => format!("  {label}: as it is"),
        };
        lines.push(paint.bold(&heading));
        lines.extend(left);
        for change in subject.changes() {
            self.change(change, lines);
        }
        self.on_call(lines);
        self.hours(lines);
        self.warnings(lines);
        lines.push(String::new());
    }

    fn when(&self, at: &When) -> String {
        match (at, text(&self.subject.item, "at")) {
            (When::Now, _) | (_, None) => "now".to_owned(),
            (_, Some(instant)) => format!("from {}", self.time(instant)),
        }
    }

    /// The zone in which times are told: that of the first window that has one.
    fn zone(&self) -> ZoneName {
        let windows = [
            self.subject
                .rotation
                .as_ref()
                .map(|rotation| &rotation["windows"]),
            self.subject
                .edit
                .body
                .get("coverage")
                .map(|coverage| &coverage["windows"]),
        ];
        let windows = windows
            .into_iter()
            .flatten()
            .filter_map(Value::as_array)
            .flatten();
        let mut zones =
            windows.filter_map(|window| ZoneName::parse(text(window, "timeZone")?).ok());
        zones.next().unwrap_or_else(ZoneName::utc)
    }

    fn time(&self, instant: &str) -> String {
        let zone = self.zone();
        match parse_instant(instant) {
            Some(at) => format!(
                "{} {}",
                self.short_time(instant).unwrap_or(at.to_string()),
                zone.as_str()
            ),
            None => instant.to_owned(),
        }
    }

    fn short_time(&self, instant: &str) -> Option<String> {
        let local = self.zone().tz().to_datetime(parse_instant(instant)?);
        Some(local.strftime("%a %-d %b %Y %H:%M").to_string())
    }

    fn person(&self, id: &Value) -> String {
        match id.as_str() {
            Some(id) => self
                .directory
                .person_called(id)
                .unwrap_or_else(|| id.to_owned()),
            None => "nobody".to_owned(),
        }
    }

    /// One changed setting.
    fn change(&self, change: &Value, lines: &mut Vec<String>) {
        let path = text(change, "path").unwrap_or_default();
        let (before, after) = (&change["before"], &change["after"]);
        if path == "waiting" {
            lines.push(
                self.paint
                    .gone("  changes of this file that wait: cancelled"),
            );
            return;
        }
        // Of a new rotation only what it will be is worth a word: what it begins as is nobody's choice.
        let is_new = self.subject.rotation.is_none();
        let nothing = Value::Null;
        let before = if is_new && before.is_array() {
            &nothing
        } else {
            before
        };
        let is_empty =
            |value: &Value| value.is_null() || value.as_array().is_some_and(Vec::is_empty);
        let names_itself = path.ends_with(".key") && before.is_null();
        if (is_empty(before) && is_empty(after) && !path.starts_with("rosters.")) || names_itself {
            return;
        }
        let label = self.path(path);
        match (before.as_array(), after.as_array()) {
            (None, None) => {
                let (before, after) = (self.value(path, before), self.value(path, after));
                lines.push(format!(
                    "  {label}: {} -> {}",
                    self.paint.gone(&before),
                    self.paint.added(&after)
                ));
            }
            (before, after) => {
                let texts = |list: Option<&Vec<Value>>| -> Vec<String> {
                    let items = list.into_iter().flatten();
                    items.map(|item| self.item(path, item)).collect()
                };
                lines.push(format!("  {label}:"));
                self.list(&texts(before), &texts(after), lines);
            }
        }
    }

    /// A list as what comes, what goes and what moves.
    fn list(&self, before: &[String], after: &[String], lines: &mut Vec<String>) {
        for gone in before.iter().filter(|item| !after.contains(item)) {
            lines.push(self.paint.gone(&format!("    - {gone}")));
        }
        for (at, new) in after
            .iter()
            .enumerate()
            .filter(|(_, item)| !before.contains(item))
        {
            let place = match (at, after.get(at + 1)) {
                _ if before.is_empty() => String::new(),
                (0, Some(_)) => " (in front)".to_owned(),
                (0, None) => String::new(),
                (_, None) => " (at the end)".to_owned(),
                (_, Some(_)) => format!(" (after {})", after[at - 1]),
            };
            lines.push(self.paint.added(&format!("    + {new}{place}")));
        }
        for moved in moved(before, after) {
            let place = |list: &[String]| {
                list.iter()
                    .position(|item| *item == moved)
                    .map_or(0, |at| at + 1)
            };
            let line = format!(
                "    ~ {moved}: from place {} to {}",
                place(before),
                place(after)
            );
            lines.push(self.paint.other(&line));
        }
        if before.is_empty() && after.is_empty() {
            lines.push("    all members".to_owned());
        }
    }

    /// A path of the API in the names of the file.
    fn path(&self, path: &str) -> String {
        let mut parts = path.split('.');
        let first = parts.next().unwrap_or_default();
        let label = match first {
            "userIds" => "members",
            "userGroupIds" => "groups",
            "lanes" => "lane",
            "windows" => "window",
            "rosters" => "roster",
            "channels" => "channel",
            "mentionSettings" => "mentions",
            "warningSettings" => "warnings",
            other => other,
        };
        let mut label = snake(label);
        for part in parts {
            let part = match part {
                "cadence" => "hand_over".to_owned(),
                "coverage" => "covered".to_owned(),
                "rosterId" => "roster".to_owned(),
                "userIds" => "members".to_owned(),
                "userGroupIds" => "groups".to_owned(),
                "startsAt" => "starting".to_owned(),
                _ => match self.key(first, part) {
                    Some(key) => key,
                    None => snake(part),
                },
            };
            label.push('.');
            label.push_str(&part);
        }
        label
    }

    /// What a file calls something that a path names.
    fn key(&self, first: &str, part: &str) -> Option<String> {
        let rotation = self.subject.rotation.as_ref()?;
        match first {
            "lanes" | "windows" => {
                let keys = keys(rotation, first);
                keys.into_iter()
                    .find(|(id, _)| *id == part)
                    .map(|(_, key)| key)
            }
            "cells" => {
                let (lane, window) = part.split_once('/')?;
                let key = |member: &str, id: &str| {
                    let keys = keys(rotation, member);
                    let found = keys.into_iter().find(|(known, _)| *known == id);
                    found.map_or_else(|| id.to_owned(), |(_, key)| key)
                };
                Some(format!("{}/{}", key("lanes", lane), key("windows", window)))
            }
            "channels" => self.directory.channel_called(part),
            "rosters" => Some(part.to_owned()),
            _ => None,
        }
    }

    /// A value of a setting.
    fn value(&self, path: &str, value: &Value) -> String {
        match value {
            Value::Null => "none".to_owned(),
            Value::String(text) if path.ends_with("startsAt") => self.time(text),
            Value::String(text) if path == "onDutyGroup" => self
                .directory
                .group_called(text)
                .unwrap_or_else(|| text.clone()),
            Value::String(text) => format!("{text:?}"),
            Value::Object(_) => self.item(path, value),
            other => other.to_string(),
        }
    }

    /// An item of a list, or a table of settings.
    fn item(&self, path: &str, item: &Value) -> String {
        let last = path.rsplit('.').next().unwrap_or_default();
        match item {
            Value::String(id) => match last {
                "owners" | "userIds" => self.person(item),
                "userGroupIds" => self
                    .directory
                    .group_called(id)
                    .unwrap_or_else(|| id.clone()),
                "channels" | "channelIds" => self
                    .directory
                    .channel_called(id)
                    .unwrap_or_else(|| id.clone()),
                "lanes" | "windows" => self.key(last, id).unwrap_or_else(|| id.clone()),
                _ => id.clone(),
            },
            Value::Object(_) if item["startDay"].is_string() => stretch_text(item),
            Value::Object(_) if item["percent"].is_number() => {
                format!("{} {} %", self.person(&item["userId"]), item["percent"])
            }
            Value::Object(members) => {
                let member = |(name, value): (&String, &Value)| {
                    let said = match (name.as_str(), value) {
                        ("userId", _) => self.person(value),
                        ("channelId" | "userGroupId" | "id", Value::String(id)) => {
                            let called = self.directory.channel_called(id);
                            let called = called.or_else(|| self.directory.group_called(id));
                            called
                                .or_else(|| self.key(last, id))
                                .unwrap_or_else(|| id.clone())
                        }
                        (_, Value::Array(items)) => {
                            let items = items.iter().map(|item| self.item(name, item));
                            items.collect::<Vec<_>>().join(" and ")
                        }
                        (_, Value::String(text)) => text.clone(),
                        _ => self.value(name, value),
                    };
                    format!("{} {said}", snake(name))
                };
                members.iter().map(member).collect::<Vec<_>>().join(", ")
            }
            other => self.value(path, other),
        }
    }

    /// Lane and window of a cell; nothing where there is only one cell.
    fn cell(&self, id: &Value) -> Option<String> {
        let rotation = self.subject.rotation.as_ref()?;
        let cells = rotation["cells"].as_array()?;
        let cell = cells.iter().find(|cell| cell["id"] == *id);
        let Some(cell) = cell else {
            return Some("a new slot".to_owned());
        };
        let named = |member: &str, id: &Value| {
            let items = rotation[member].as_array()?;
            let item = items.iter().find(|item| item["id"] == *id)?;
            let key = self.key(member, id.as_str()?);
            (items.len() > 1).then(|| text(item, "name").map(str::to_owned).or(key))?
        };
        let parts = [
            named("lanes", &cell["laneId"]),
            named("windows", &cell["windowId"]),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }

    /// Who is on call instead of whom, and when.
    fn on_call(&self, lines: &mut Vec<String>) {
        let differences = self.subject.item["preview"]["differences"].as_array();
        let differences = differences.map_or(&[][..], Vec::as_slice);
        if differences.is_empty() {
            return;
        }
        lines.push(format!("  On call (times of {}):", self.zone().as_str()));
        for difference in differences.iter().take(TOLD) {
            let time = |member: &str| {
                let instant = text(difference, member).unwrap_or_default();
                self.short_time(instant)
                    .unwrap_or_else(|| "without end".to_owned())
            };
            let cell = self
                .cell(&difference["cellId"])
                .map(|cell| format!(" ({cell})"));
            lines.push(format!(
                "    {} to {}: {} instead of {}{}",
                time("from"),
                time("to"),
                self.person(&difference["after"]),
                self.person(&difference["before"]),
                cell.unwrap_or_default()
            ));
        }
        if differences.len() > TOLD {
            lines.push(format!("    and {} more", differences.len() - TOLD));
        }
    }

    /// Each person's hours before and after.
    fn hours(&self, lines: &mut Vec<String>) {
        let people = self.subject.item["preview"]["perPerson"].as_array();
        let people = people.map_or(&[][..], Vec::as_slice);
        if people.is_empty() || self.subject.changes().is_empty() {
            return;
        }
        lines.push("  Hours on call:".to_owned());
        for person in people {
            let hours = |member: &str| {
                let hours = person[member].as_f64().unwrap_or_default();
                format!("{:.1}", hours).trim_end_matches(".0").to_owned()
            };
            let (before, after) = (hours("hoursBefore"), hours("hoursAfter"));
            let name = self.person(&person["userId"]);
            lines.push(match before == after {
                true => format!("    {name}: {before}, as before"),
                false => format!("    {name}: {before} -> {after}"),
            });
        }
    }

    fn warnings(&self, lines: &mut Vec<String>) {
        let paint = self.paint;
        for (member, heading) in [
            ("warningsNew", "New warnings:"),
            ("warningsGone", "Warnings that go:"),
        ] {
            let all = self.subject.item[member]
                .as_array()
                .map_or(&[][..], Vec::as_slice);
            if all.is_empty() {
                continue;
            }
            lines.push(format!("  {heading}"));
            for warning in all {
                let severity = text(warning, "severity").unwrap_or_default();
                let line = format!(
                    "    {severity}: {}",
                    text(warning, "text").unwrap_or_default()
                );
                lines.push(match member {
                    "warningsNew" => paint.gone(&line),
                    _ => paint.added(&line),
                });
            }
        }
    }
}

/// `absencePolicy` as `absence_policy`.
fn snake(name: &str) -> String {
    let mut snake = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    snake
}

/// What of both lists stands elsewhere in their common order: all but a longest run that keeps its order.
fn moved(before: &[String], after: &[String]) -> Vec<String> {
    let places: Vec<(usize, &String)> = after
        .iter()
        .filter_map(|item| Some((before.iter().position(|known| known == item)?, item)))
        .collect();
    // The longest rising run that ends at each item, and the item before it there.
    let mut runs: Vec<(usize, Option<usize>)> = Vec::new();
    for (at, (place, _)) in places.iter().enumerate() {
        let earlier = (0..at).filter(|before| places[*before].0 < *place);
        let best = earlier.max_by_key(|before| runs[*before].0);
        runs.push((best.map_or(1, |best| runs[best].0 + 1), best));
    }
    let mut kept = vec![false; places.len()];
    let mut end = (0..places.len()).max_by_key(|at| runs[*at].0);
    while let Some(at) = end {
        kept[at] = true;
        end = runs[at].1;
    }
    let moved = places.into_iter().zip(kept).filter(|(_, kept)| !kept);
    moved.map(|((_, item), _)| item.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fewest_are_said_to_move() {
        for (before, after, expected) in [
            ("a b c d", "a b c d", ""),
            ("a b c d", "d a b c", "d"),
            ("a b c d", "b c d a", "a"),
            ("a b c", "x a c", ""),
            ("a b c d", "b a x d c", "b d"),
            ("", "a", ""),
        ] {
            let list = |text: &str| -> Vec<String> {
                text.split_whitespace().map(str::to_owned).collect()
            };
            let found = moved(&list(before), &list(after));
            assert_eq!(
                found.len(),
                list(expected).len(),
                "{before} {after}: {found:?}"
            );
        }
    }

    #[test]
    fn names_are_those_of_files() {
        for (api, file) in [
            ("absencePolicy", "absence_policy"),
            ("name", "name"),
            ("oneAtATime", "one_at_a_time"),
        ] {
            assert_eq!(snake(api), file);
        }
    }

    #[test]
    fn what_people_wrote_is_escaped_and_colours_stay() {
        let paint = Paint::none();
        let line = format!(
            "\u{1b}[32m+ a\u{202e}b\u{1b}[0m {}\u{1b}[2J",
            paint.added("c\rd")
        );
        let shown = "\u{1b}[32m+ a\\u{202e}b\u{1b}[0m c\\rd\\u{1b}[2J";
        assert_eq!(visible_lines(&[line]), shown);
    }
}
