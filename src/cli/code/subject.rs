//! A rotation of the files beside what the server says of it.

use super::edit::Edit;
use super::file::Entry;
use super::server::sentence;
use super::written::text;
use crate::wire::moment::parse_instant;
use jiff::Timestamp;
use serde_json::Value;
use std::str::FromStr;

/// When changes are made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum When {
    #[default]
    Now,
    NextHandOver,
    /// As it was written.
    At(String),
}

impl FromStr for When {
    type Err = String;

    fn from_str(text: &str) -> Result<When, String> {
        match text {
            "now" => Ok(When::Now),
            "next-hand-over" => Ok(When::NextHandOver),
            _ => match parse_instant(text) {
                Some(_) => Ok(When::At(text.to_owned())),
                None => Err(
                    "write now, next-hand-over, or an instant with its offset such as 2026-11-30T09:00:00+01:00".into(),
                ),
            },
        }
    }
}

impl When {
    /// As the API takes it.
    pub fn sent(&self) -> &str {
        match self {
            When::Now => "now",
            When::NextHandOver => "nextHandOver",
            When::At(text) => text,
        }
    }
}

/// A change that waits on the server.
#[derive(Clone, Debug)]
pub struct Waits {
    pub id: String,
    pub at: Option<Timestamp>,
}

/// A rotation of the files.
pub struct Subject {
    pub entry: Entry,
    /// As the server has it; `None` for a new one.
    pub rotation: Option<Value>,
    /// The waiting changes of its `managed_by` that give way.
    pub replaces: Vec<Waits>,
    pub edit: Edit,
    /// The item of POST plan.
    pub item: Value,
}

impl Subject {
    pub fn action(&self) -> &str {
        text(&self.item, "action").unwrap_or("none")
    }

    pub fn changes(&self) -> &[Value] {
        self.item["changes"].as_array().map_or(&[], Vec::as_slice)
    }

    /// Whether nothing would change but waiting changes that go.
    pub fn only_cancels(&self) -> bool {
        let changes = self.changes();
        !changes.is_empty() && changes.iter().all(|change| change["path"] == "waiting")
    }

    /// The ids of the waiting changes that give way, but for one of them.
    pub fn replaced(&self, except: Option<usize>) -> Vec<&str> {
        let all = self.replaces.iter().enumerate();
        let others = all.filter(|(index, _)| Some(*index) != except);
        others.map(|(_, waits)| waits.id.as_str()).collect()
    }

    /// Whether the grid would be written.
    pub fn writes_grid(&self) -> bool {
        let of_grid = |path: &str| {
            let first = path.split('.').next().unwrap_or_default();
            ["lanes", "windows", "cells", "rosters"].contains(&first)
        };
        let mut paths = self
            .changes()
            .iter()
            .filter_map(|change| text(change, "path"));
        paths.any(of_grid)
    }

    /// What the server refuses of it, a line each, with the line of the file.
    pub fn refusals(&self) -> Vec<String> {
        let refusals = self.item["refusals"]
            .as_array()
            .map_or(&[][..], Vec::as_slice);
        let line = |refusal: &Value| {
            let status = refusal["status"]
                .as_u64()
                .and_then(|status| u16::try_from(status).ok());
            let member = text(refusal, "member").unwrap_or_default();
            let detail = text(refusal, "detail").unwrap_or_default();
            let path = format!("{member}.{detail}");
            self.entry
                .located(&path, &sentence(status.unwrap_or_default(), refusal))
        };
        refusals.iter().map(line).collect()
    }
}

impl Entry {
    /// A sentence about a member of the API's edit, with the line of the file that says it.
    pub fn located(&self, path: &str, sentence: &str) -> String {
        let path = path
            .trim_start_matches("rotation.")
            .trim_start_matches("coverage.");
        let first = path.split(['.', '[', ':']).next().unwrap_or_default();
        let member = match first {
            "userIds" | "remove" => "members",
            "userGroupIds" => "groups",
            "lanes" => "lane",
            "windows" => "window",
            "rosters" => "roster",
            "channels" => "channel",
            "onDutyGroup" => "on_duty_group",
            "mentionSettings" => "mentions",
            "warningSettings" => "warnings",
            "managedBy" => "managed_by",
            "absencePolicy" => "absence_policy",
            "topicTemplate" => "topic_template",
            other => other,
        };
        let line = self.line(member);
        format!(
            "{}:{line}: {}: {sentence}",
            self.place.source.name(),
            self.label()
        )
    }
}
