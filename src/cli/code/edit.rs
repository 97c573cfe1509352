//! From what a file says of a rotation to an edit of the API.

mod rosters;

use super::directory::{Directory, Found};
use super::fault::{Fault, Place};
use super::file::{Channel, Entry, Summary};
use super::grid::{Grid, Roster};
use super::reader::Named;
use super::server::Trouble;
use super::written::{keys, partner, text, texts};
use serde_json::{Map, Value, json};
use std::cell::RefCell;

/// Why there is no edit.
pub enum NoEdit {
    Wrong(Vec<Fault>),
    Trouble(Trouble),
}

impl From<Trouble> for NoEdit {
    fn from(trouble: Trouble) -> NoEdit {
        NoEdit::Trouble(trouble)
    }
}

/// Somebody who has left, and whom a file still names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Left {
    pub name: String,
    pub place: String,
}

/// The members of an edit, as POST plan and POST changes take them.
#[derive(Clone, Debug)]
pub struct Edit {
    pub body: Map<String, Value>,
    pub left: Vec<Left>,
}

/// Makes an edit of an entry. `rotation` is what the server has; `None` for a new one. With `keyed` lanes and windows without a
/// key get that of the file: what would be a write of its own, and so is only made where the grid is written anyway.
///
/// # Errors
/// What the entry says that cannot be meant, or why the server could not be asked.
pub fn edit(
    entry: &Entry,
    rotation: Option<&Value>,
    directory: &Directory,
    keyed: bool,
) -> Result<Edit, NoEdit> {
    let making = Making {
        entry,
        rotation,
        directory,
        keyed,
        faults: RefCell::default(),
        left: RefCell::default(),
    };
    let body = making.body()?;
    let faults = making.faults.into_inner();
    if !faults.is_empty() {
        return Err(NoEdit::Wrong(faults));
    }
    let mut left = making.left.into_inner();
    left.sort();
    left.dedup();
    Ok(Edit { body, left })
}

struct Making<'e, 's> {
    entry: &'e Entry,
    rotation: Option<&'e Value>,
    directory: &'e Directory<'s>,
    keyed: bool,
    faults: RefCell<Vec<Fault>>,
    left: RefCell<Vec<Left>>,
}

/// Where the people of a list are found.
type Find<'e> = &'e dyn Fn(&str) -> Result<Found, Trouble>;

impl<'e> Making<'e, '_> {
    fn fault(&self, line: usize, member: &str, what: impl Into<String>) {
        let fault = self.entry.fault(line, member, what);
        self.faults.borrow_mut().push(fault);
    }

    fn body(&self) -> Result<Map<String, Value>, NoEdit> {
        let entry = self.entry;
        self.check_partner();
        let mut body = Map::new();
        body.insert("rotation".into(), self.patch()?.into());
        let rosters = entry.rosters.as_deref().unwrap_or_default();
        match &entry.grid {
            Some(grid) => {
                body.insert("coverage".into(), self.coverage(grid, rosters)?);
            }
            None => {
                let rosters = self.rosters(rosters)?;
                if !rosters.is_empty() {
                    body.insert("rosters".into(), rosters.into());
                }
            }
        }
        if let Some(channels) = &entry.channels {
            body.insert("channels".into(), self.channels(channels)?);
        }
        if let Some(group) = &entry.on_duty_group
            && let Some(bound) = self.on_duty_group(group.as_ref())?
        {
            body.insert("onDutyGroup".into(), bound);
        }
        for (member, settings) in [
            ("mentionSettings", &entry.mentions),
            ("warningSettings", &entry.warnings),
        ] {
            if let Some(settings) = settings {
                body.insert(member.into(), settings.clone().into());
            }
        }
        Ok(body)
    }

    /// A partner's schedule is linked and unlinked by routes of its own.
    fn check_partner(&self) {
        let entry = self.entry;
        let there = self.rotation.and_then(partner);
        match (&entry.external, there) {
            (Some(named), None) => {
                let what = format!(
                    "it does not follow a partner's schedule on the server, and a file cannot link it; PUT /v1/rotations/{{id}}/external \
                     does, or leave `external = \"{}\"` out",
                    named.text
                );
                self.fault(named.line, "external", what);
            }
            (Some(named), Some(there)) if named.text != there => {
                let what = format!(
                    "it is \"{there}\" on the server; PUT /v1/rotations/{{id}}/external links another schedule, DELETE unlinks it"
                );
                self.fault(named.line, "external", what);
            }
            (None, Some(there)) => {
                let own = [
                    ("members", entry.members.is_some()),
                    ("groups", entry.groups.is_some()),
                    ("lane", entry.grid.is_some()),
                    (
                        "roster",
                        entry.rosters.as_ref().is_some_and(|all| !all.is_empty()),
                    ),
                    ("dealing", entry.lines.contains_key("dealing")),
                ];
                for (member, _) in own.into_iter().filter(|(_, is_there)| *is_there) {
                    let what = format!(
                        "a partner decides it on the server (external = \"{there}\"); leave it out, or unlink the schedule with \
                         DELETE /v1/rotations/{{id}}/external"
                    );
                    self.fault(entry.line(member), member, what);
                }
            }
            _ => {}
        }
    }

    /// The ids of names; those who have left are noted, not listed.
    fn ids(&self, member: &str, names: &[Named], find: Find) -> Result<Vec<String>, NoEdit> {
        let mut ids: Vec<String> = Vec::new();
        for named in names {
            match find(&named.text)? {
                Found::One(id) if ids.contains(&id) => {
                    self.fault(
                        named.line,
                        member,
                        format!("`{}` is named twice", named.text),
                    );
                }
                Found::One(id) => ids.push(id),
                Found::Left(id) => self.note_left(named, &id),
                Found::Not(advice) => {
                    let what = format!("`{}` is not known here; {advice}", named.text);
                    self.fault(named.line, member, what);
                }
            }
        }
        Ok(ids)
    }

    fn note_left(&self, named: &Named, id: &str) {
        let called = self.directory.person_called(id);
        let place = Place {
            source: self.entry.place.source.clone(),
            line: named.line,
        };
        self.left.borrow_mut().push(Left {
            name: called.unwrap_or_else(|| named.text.clone()),
            place: place.to_string(),
        });
    }

    fn people(&self, member: &str, names: &[Named]) -> Result<Vec<String>, NoEdit> {
        self.ids(member, names, &|text| self.directory.person(text))
    }

    fn groups(&self, member: &str, names: &[Named]) -> Result<Vec<String>, NoEdit> {
        self.ids(member, names, &|text| self.directory.group(text))
    }

    /// Whether a list is what the server has, but for people who have left.
    fn same_people<'t>(
        &self,
        ids: &[String],
        there: impl Iterator<Item = &'t str>,
    ) -> Result<bool, NoEdit> {
        let mut here = Vec::new();
        for id in there {
            if self.directory.is_here(id)? {
                here.push(id);
            }
        }
        Ok(ids.iter().map(String::as_str).eq(here))
    }

    fn patch(&self) -> Result<Map<String, Value>, NoEdit> {
        let entry = self.entry;
        let mut patch = entry.settings.clone();
        patch.insert("name".into(), entry.name.clone().into());
        if let (Some(_), Some(code)) = (&entry.id, &entry.code) {
            let code = code.as_ref().map(|named| named.text.clone());
            patch.insert("code".into(), code.into());
        }
        if let Some(manager) = &entry.managed_by {
            patch.insert("managedBy".into(), manager.clone().into());
        }
        if let Some(owners) = &entry.owners {
            let ids = self.people("owners", owners)?;
            let there = self.rotation.map(|rotation| texts(&rotation["owners"]));
            if there.is_none() || !self.same_people(&ids, there.into_iter().flatten())? {
                patch.insert("owners".into(), ids.into());
            }
        }
        if let Some(members) = &entry.members {
            let ids = self.people("members", members)?;
            if !self.same_people(&ids, self.member_ids())? {
                patch.insert("userIds".into(), ids.into());
            }
        }
        if let Some(groups) = &entry.groups {
            patch.insert("userGroupIds".into(), self.groups("groups", groups)?.into());
        }
        if let Some(shares) = &entry.shares
            && let Some(dealing) = patch.get_mut("dealing").and_then(Value::as_object_mut)
        {
            let mut sent = Vec::new();
            for (named, percent) in shares {
                let ids = self.people("dealing.shares", std::slice::from_ref(named))?;
                sent.extend(
                    ids.into_iter()
                        .map(|id| json!({ "userId": id, "percent": percent })),
                );
            }
            dealing.insert("shares".into(), sent.into());
        }
        if let Some(summary) = &entry.summary {
            patch.insert("summary".into(), self.summary(summary.as_ref())?);
        }
        Ok(patch)
    }

    /// The people who were added individually.
    fn member_ids(&self) -> impl Iterator<Item = &'e str> {
        let users = self
            .rotation
            .and_then(|rotation| rotation["members"]["users"].as_array());
        users
            .into_iter()
            .flatten()
            .filter_map(|user| text(user, "userId"))
    }

    fn summary(&self, summary: Option<&Summary>) -> Result<Value, NoEdit> {
        let Some(summary) = summary else {
            return Ok(Value::Null);
        };
        let mut sent = summary.when.clone();
        let find = |text: &str| self.directory.channel(text);
        let channels = self.ids("summary.channels", &summary.channels, &find)?;
        sent.insert("channelIds".into(), channels.into());
        Ok(sent.into())
    }

    fn channels(&self, channels: &[Channel]) -> Result<Value, NoEdit> {
        let rotation = self.rotation.unwrap_or(&Value::Null);
        let topics = self
            .entry
            .settings
            .get("enableTopic")
            .or(rotation.get("enableTopic"));
        let topics = topics == Some(&json!(true));
        let names: Vec<Named> = channels
            .iter()
            .map(|channel| channel.channel.clone())
            .collect();
        let ids = self.ids("channel.channel", &names, &|text| {
            self.directory.channel(text)
        })?;
        let there = rotation["channelSettings"]
            .as_array()
            .map_or(&[][..], Vec::as_slice);
        let settings = ids.iter().zip(channels).map(|(id, channel)| {
            let before = there.iter().find(|setting| setting["channelId"] == **id);
            let stored = before.and_then(|setting| setting["postsMessages"].as_bool());
            let posts = channel.posts.or(stored).unwrap_or(true);
            let mut sent = json!({ "channelId": id, "postsMessages": posts });
            // Without topics the server hides which channels would have one; left out, that stays.
            let syncs = match topics {
                true => channel.syncs,
                false => (!posts).then_some(true),
            };
            if let Some(syncs) = syncs {
                sent["syncsTopic"] = syncs.into();
            }
            sent
        });
        Ok(settings.collect())
    }

    /// How the group is bound; `None` where it is bound already.
    fn on_duty_group(&self, group: Option<&Named>) -> Result<Option<Value>, NoEdit> {
        let bound = self
            .rotation
            .and_then(|rotation| text(rotation, "onDutyUserGroupId"));
        let Some(named) = group else {
            return Ok(bound.is_some().then_some(Value::Null));
        };
        if self.directory.is_group(&named.text)? {
            return Ok((bound != Some(&named.text)).then(|| json!({ "userGroupId": named.text })));
        }
        let handle = match bound {
            Some(id) => self.directory.group_handle(id)?,
            None => None,
        };
        let is_bound = handle.is_some_and(|handle| handle == named.text);
        Ok((!is_bound).then(|| json!({ "handle": named.text })))
    }

    fn coverage(&self, grid: &Grid, rosters: &[Roster]) -> Result<Value, NoEdit> {
        let rotation = self.rotation.unwrap_or(&Value::Null);
        let (lanes, windows) = (keys(rotation, "lanes"), keys(rotation, "windows"));
        // By its id where the server has it, so that one without a key is found.
        let handle = |all: &[(&str, String)], member: &str, key: &str| {
            let known = all.iter().find(|(_, known)| known == key);
            let Some((id, _)) = known else {
                return json!({ "key": key });
            };
            let items = rotation[member].as_array();
            let own = items.into_iter().flatten().find(|item| item["id"] == **id);
            let has_key = own.is_some_and(|item| item["key"].is_string());
            match self.keyed && !has_key {
                true => json!({ "id": id, "key": key }),
                false => json!({ "id": id }),
            }
        };
        let named = |handle: &Value| match text(handle, "id") {
            Some(id) => id.to_owned(),
            None => text(handle, "key").unwrap_or_default().to_owned(),
        };
        // The name of an only lane is kept and not shown, so it cannot be compared.
        let hidden = grid.lanes.len() == 1 && lanes.len() == 1;
        let sent_lanes: Vec<Value> = grid
            .lanes
            .iter()
            .map(|lane| {
                let mut sent = handle(&lanes, "lanes", &lane.key.text);
                if !hidden || sent.get("id").is_none() {
                    sent["name"] = lane.name.clone().into();
                }
                sent
            })
            .collect();
        let sent_windows: Vec<Value> = grid
            .windows
            .iter()
            .map(|window| {
                let mut sent = handle(&windows, "windows", &window.key.text);
                sent["name"] = window.name.clone().into();
                sent["timeZone"] = window.time_zone.clone().into();
                sent["coverage"] = window.coverage.clone().into();
                sent["cadence"] = window.cadence.clone();
                sent
            })
            .collect();
        let mut cells = Vec::new();
        for (window, sent_window) in grid.windows.iter().zip(&sent_windows) {
            for (lane, sent_lane) in grid.lanes.iter().zip(&sent_lanes) {
                let key = (lane.key.text.clone(), window.key.text.clone());
                let roster = grid.cells.get(&key).map(|named| named.text.clone());
                cells.push(json!({
                    "laneId": named(sent_lane), "windowId": named(sent_window), "rosterId": roster,
                }));
            }
        }
        let double = self.entry.settings.get("doubleCover");
        let double = double.or(rotation.get("doubleCover")).cloned();
        Ok(json!({
            "lanes": sent_lanes,
            "windows": sent_windows,
            "cells": cells,
            "doubleCover": double.unwrap_or(false.into()),
            "rosters": self.grid_rosters(grid, rosters, &|key| {
                let at = grid.windows.iter().position(|window| window.key.text == key);
                at.map(|at| named(&sent_windows[at])).unwrap_or_default()
            })?,
        }))
    }
}
