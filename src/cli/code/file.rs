//! What a file says of rotations.

use super::cadence;
use super::fault::{Fault, Faults, Place, Source, advice};
use super::grid::{self, Grid, Roster};
use super::reader::{Named, Reader};
use super::tree;
use crate::domain::absence_policy::{PassOver, WhileOnDuty};
use crate::domain::books::MissedTurn;
use crate::domain::external::NONE;
use crate::domain::partner::Partner;
use crate::domain::warning_kinds::WarningKind;
use crate::wire::absence_policy::Calendars;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// People with their percent, as a file names them.
pub type Shares = Vec<(Named, i64)>;

/// Files that were read together.
#[derive(Debug, Default)]
pub struct Files {
    pub entries: Vec<Entry>,
    /// Every `managed_by` of the files.
    pub managers: BTreeSet<String>,
}

/// A rotation of a file. What is `None` is left out, and not touched.
#[derive(Clone, Debug)]
pub struct Entry {
    pub place: Place,
    /// In upper case, as the server keeps it. With `id` a setting, of which null clears it.
    pub code: Option<Option<Named>>,
    pub id: Option<Named>,
    pub name: String,
    pub managed_by: Option<Option<String>>,
    /// Members of PATCH as the API takes them: those without people, groups and channels.
    pub settings: Map<String, Value>,
    pub owners: Option<Vec<Named>>,
    pub members: Option<Vec<Named>>,
    pub groups: Option<Vec<Named>>,
    /// Of `dealing`.
    pub shares: Option<Shares>,
    pub on_duty_group: Option<Option<Named>>,
    pub mentions: Option<Map<String, Value>>,
    pub warnings: Option<Map<String, Value>>,
    pub summary: Option<Option<Summary>>,
    pub channels: Option<Vec<Channel>>,
    pub grid: Option<Grid>,
    pub rosters: Option<Vec<Roster>>,
    /// The partner, or `none`.
    pub external: Option<Named>,
    /// The lines of its members.
    pub lines: BTreeMap<String, usize>,
}

impl Entry {
    /// What to call it: its code, else its name.
    pub fn label(&self) -> &str {
        match (&self.id, &self.code) {
            (None, Some(Some(code))) => &code.text,
            _ => &self.name,
        }
    }

    /// Where a member stands, else the rotation.
    pub fn line(&self, member: &str) -> usize {
        self.lines.get(member).copied().unwrap_or(self.place.line)
    }

    /// A fault of one of its members.
    pub fn fault(&self, line: usize, member: &str, what: impl Into<String>) -> Fault {
        Fault::new(
            &self.place.source,
            line,
            &format!("rotation.{member}"),
            what,
        )
    }
}

/// `summary`.
#[derive(Clone, Debug)]
pub struct Summary {
    /// `day`, `time` and `timeZone`.
    pub when: Map<String, Value>,
    pub channels: Vec<Named>,
}

/// A channel. What is left out is as the server has it, else as when it is added.
#[derive(Clone, Debug)]
pub struct Channel {
    pub channel: Named,
    pub posts: Option<bool>,
    pub syncs: Option<bool>,
}

/// Reads files.
///
/// # Errors
/// Everything that is wrong in them.
pub fn read(files: &[(Source, String)]) -> Result<Files, Vec<Fault>> {
    let (mut found, mut faults) = (Files::default(), Vec::new());
    for (source, text) in files {
        match one(source, text, &mut found) {
            Ok(()) => {}
            Err(mut wrong) => {
                wrong.sort_by_key(|fault| fault.place.line);
                faults.extend(wrong);
            }
        }
    }
    faults.extend(twice(&found.entries));
    match faults.is_empty() {
        true => Ok(found),
        false => Err(faults),
    }
}

fn one(source: &Source, text: &str, found: &mut Files) -> Result<(), Vec<Fault>> {
    let root = tree::parse(source, text).map_err(|fault| vec![fault])?;
    let faults = Faults::new(source.clone());
    if let Some(file) = Reader::of(&root, "", &faults) {
        let manager = file.clearable("managed_by");
        let manager = manager.map(|named| named.map(|named| named.text));
        let line = file.node("managed_by").map(|node| node.line);
        for rotation in file.tables("rotation").unwrap_or_default() {
            let mut entry = entry(rotation, source);
            if let (None, Some(manager), Some(line)) = (&entry.managed_by, &manager, line) {
                entry.managed_by = Some(manager.clone());
                entry.lines.insert("managed_by".into(), line);
            }
            found.entries.push(entry);
        }
        found.managers.extend(manager.flatten());
        file.end();
    }
    let managers = found
        .entries
        .iter()
        .flat_map(|entry| entry.managed_by.clone().flatten());
    found.managers.extend(managers.collect::<Vec<_>>());
    let wrong = faults.into_found();
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(wrong),
    }
}

/// Two entries that name one rotation, as far as the files say so.
fn twice(entries: &[Entry]) -> Vec<Fault> {
    let mut seen: BTreeMap<(&str, &str), &Place> = BTreeMap::new();
    let mut faults = Vec::new();
    for entry in entries {
        let code = entry.code.as_ref().and_then(Option::as_ref);
        let names = [("id", entry.id.as_ref()), ("code", code)];
        for (kind, named) in names
            .into_iter()
            .filter_map(|(kind, named)| Some((kind, named?)))
        {
            if let Some(first) = seen.insert((kind, &named.text), &entry.place) {
                faults.push(entry.fault(
                    named.line,
                    kind,
                    format!(
                        "`{}` stands at {first} already; a rotation has one entry",
                        named.text
                    ),
                ));
            }
        }
    }
    faults
}

fn entry(rotation: Reader, source: &Source) -> Entry {
    let own = rotation.clearable("managed_by");
    let own = own.map(|named| named.map(|named| named.text));
    let code = rotation.clearable("code").map(|code| {
        code.map(|named| Named {
            text: named.text.to_uppercase(),
            ..named
        })
    });
    let id = rotation.text("id");
    let name = rotation.text("name");
    if matches!(code, None | Some(None)) && id.is_none() && !rotation.has("id") {
        rotation.fault(
            "code",
            "missing; write code = \"DB\", by which the rotation is found",
        );
    }
    if name.is_none() && !rotation.has("name") {
        rotation.fault("name", "missing; write name = \"Database\"");
    }
    let mut settings = Map::new();
    for (member, to) in [
        ("description", "description"),
        ("topic_template", "topicTemplate"),
    ] {
        if let Some(text) = rotation.clearable(member) {
            settings.insert(to.into(), text.map(|named| named.text).into());
        }
    }
    for (member, to) in [
        ("public", "public"),
        ("enabled", "enabled"),
        ("skips_are_off_time", "skipsAreOffTime"),
        ("double_cover", "doubleCover"),
        ("enable_topic", "enableTopic"),
    ] {
        if let Some(flag) = rotation.flag(member) {
            settings.insert(to.into(), flag.into());
        }
    }
    if let Some(policy) = rotation.table("absence_policy") {
        settings.insert("absencePolicy".into(), absence_policy(policy).into());
    }
    let mut shares = None;
    if let Some(table) = rotation.table("dealing") {
        let (dealing, listed) = dealing(table);
        settings.insert("dealing".into(), dealing.into());
        shares = listed;
    }
    let external = rotation.text("external");
    if let Some(named) = &external {
        let known: Vec<&str> = Partner::ALL
            .map(Partner::name)
            .into_iter()
            .chain([NONE])
            .collect();
        if !known.contains(&named.text.as_str()) {
            let what = format!(
                "`{}` is not known; {}",
                named.text,
                advice(&named.text, &known)
            );
            rotation.fault("external", what);
        }
        for member in [
            "members", "groups", "lane", "window", "cells", "roster", "dealing",
        ] {
            if rotation.every().iter().any(|(name, _)| name == member) {
                rotation.fault(
                    member,
                    "a rotation with `external` has none: its partner decides; leave it out",
                );
            }
        }
    }
    let names = |member| rotation.names(member);
    let entry = Entry {
        place: Place {
            source: source.clone(),
            line: rotation.line,
        },
        code,
        id,
        name: name.map(|named| named.text).unwrap_or_default(),
        managed_by: own,
        owners: names("owners"),
        members: names("members"),
        groups: names("groups"),
        shares,
        on_duty_group: rotation.clearable("on_duty_group"),
        mentions: rotation.table("mentions").map(mentions),
        warnings: rotation.table("warnings").map(warnings),
        summary: rotation
            .clearable_table("summary")
            .map(|table| table.and_then(summary)),
        channels: rotation.tables("channel").map(channels),
        grid: grid::read(&rotation),
        rosters: rotation.tables("roster").map(grid::rosters),
        external,
        settings,
        lines: rotation
            .every()
            .iter()
            .map(|(name, node)| (name.clone(), node.line))
            .collect(),
    };
    grid::check(&rotation, entry.grid.as_ref(), entry.rosters.as_deref());
    rotation.end();
    entry
}

fn absence_policy(table: Reader) -> Map<String, Value> {
    let mut policy = Map::new();
    if let Some(word) = table.word("calendars", &Calendars::ALL.map(Calendars::name)) {
        policy.insert("calendars".into(), word.into());
    }
    if let Some(hours) = table.whole("minimum_hours") {
        policy.insert("minimumHours".into(), hours.into());
    }
    if let Some(word) = table.word("pass_over", &PassOver::ALL.map(PassOver::name)) {
        policy.insert("passOver".into(), word.into());
    }
    if let Some(word) = table.word("while_on_duty", &WhileOnDuty::ALL.map(WhileOnDuty::name)) {
        policy.insert("whileOnDuty".into(), word.into());
    }
    table.end();
    policy
}

fn dealing(table: Reader) -> (Map<String, Value>, Option<Shares>) {
    let mut dealing = Map::new();
    if let Some(word) = table.word("missed_turn", &MissedTurn::ALL.map(MissedTurn::name)) {
        dealing.insert("missedTurn".into(), word.into());
    }
    if let Some(hours) = table.whole("rest_hours") {
        dealing.insert("restHours".into(), hours.into());
    }
    let shares = table.tables("shares").map(|shares| {
        let share = |share: Reader| {
            let found = share.needed("user_id").zip(share.whole("percent"));
            if !share.has("percent") {
                share.fault("percent", "missing; write percent = 50");
            }
            share.end();
            found
        };
        shares.into_iter().filter_map(share).collect()
    });
    table.end();
    (dealing, shares)
}

fn mentions(table: Reader) -> Map<String, Value> {
    let mut settings = Map::new();
    if let Some(minutes) = table.whole("expires_after_minutes") {
        settings.insert("expiresAfterMinutes".into(), minutes.into());
    }
    if let Some(minutes) = table.clearable_whole("remind_after_minutes") {
        settings.insert("remindAfterMinutes".into(), minutes.into());
    }
    for (member, to) in [
        ("one_at_a_time", "oneAtATime"),
        ("rotate_after_acknowledgement", "rotateAfterAcknowledgement"),
    ] {
        if let Some(flag) = table.flag(member) {
            settings.insert(to.into(), flag.into());
        }
    }
    table.end();
    settings
}

fn warnings(table: Reader) -> Map<String, Value> {
    let mut settings = Map::new();
    if let Some(off) = table.words("off", &WarningKind::ALL.map(WarningKind::name)) {
        settings.insert("off".into(), off.into());
    }
    if let Some(hours) = table.whole("short_rest_hours") {
        settings.insert("shortRestHours".into(), hours.into());
    }
    table.end();
    settings
}

fn summary(table: Reader) -> Option<Summary> {
    let day = table.needed("day").is_some();
    let day = day
        .then(|| table.word("day", &cadence::weekdays()))
        .flatten();
    let time = table.needed("time");
    let zone = table
        .needed("time_zone")
        .and_then(|_| cadence::zone(&table, "time_zone"));
    if !table.has("channels") {
        table.fault("channels", "missing; write channels = [\"on-call\"]");
    }
    let channels = table.names("channels");
    table.end();
    let when = [
        ("day", day?),
        ("time", time?.text),
        ("timeZone", zone?.as_str().to_owned()),
    ];
    Some(Summary {
        when: when
            .map(|(member, text)| (member.to_owned(), text.into()))
            .into_iter()
            .collect(),
        channels: channels?,
    })
}

fn channels(tables: Vec<Reader>) -> Vec<Channel> {
    let channel = |table: Reader| {
        let found = table.needed("channel").map(|channel| Channel {
            channel,
            posts: table.flag("posts_messages"),
            syncs: table.flag("syncs_topic"),
        });
        table.end();
        found
    };
    tables.into_iter().filter_map(channel).collect()
}
