//! `rota export`: rotations of the API as a file.

use super::cadence;
use super::directory::Directory;
use super::document::{Out, Table};
use super::grid::stretch_text;
use super::server::Trouble;
use serde_json::Value;

/// A rotation with its settings that have routes of their own.
pub struct Exported<'a> {
    pub rotation: &'a Value,
    pub mentions: &'a Value,
    pub warnings: &'a Value,
}

/// Texts of a list.
pub fn texts(value: &Value) -> impl Iterator<Item = &str> {
    value
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
}

/// A text of an object.
pub fn text<'v>(value: &'v Value, member: &str) -> Option<&'v str> {
    value[member].as_str()
}

/// The partner of a rotation that one drives, or `none`; `None` where the rotation is its own.
pub fn partner(rotation: &Value) -> Option<&str> {
    (rotation["mode"] == "external").then(|| {
        let partner = rotation["windows"][0]["cadence"]["partner"].as_str();
        partner.unwrap_or(crate::domain::external::NONE)
    })
}

/// What lanes or windows are called in files: by their keys; those without one by their place, with `_` added while that is a
/// key.
pub fn keys<'r>(rotation: &'r Value, member: &str) -> Vec<(&'r str, String)> {
    let items = rotation[member].as_array().map_or(&[][..], Vec::as_slice);
    let kind = member.trim_end_matches('s');
    let taken: Vec<&str> = items.iter().filter_map(|item| text(item, "key")).collect();
    let key = |(at, item): (usize, &'r Value)| {
        let own = text(item, "key").map(str::to_owned);
        let key = own.unwrap_or_else(|| {
            let mut name = format!("{kind}-{}", at + 1);
            while taken.contains(&name.as_str()) {
                name.push('_');
            }
            name
        });
        (text(item, "id").unwrap_or_default(), key)
    };
    items.iter().enumerate().map(key).collect()
}

/// Writes rotations as a file.
///
/// # Errors
/// Those of reading the directory.
pub fn file(rotations: &[Exported], directory: &Directory) -> Result<Table, Trouble> {
    let writer = Writer { directory };
    let written = rotations
        .iter()
        .map(|one| Ok(Out::Table(writer.rotation(one)?)));
    let mut file = Table::default();
    file.add(
        "rotation",
        Out::List(written.collect::<Result<_, Trouble>>()?),
    );
    Ok(file)
}

struct Writer<'d, 's> {
    directory: &'d Directory<'s>,
}

impl Writer<'_, '_> {
    fn rotation(&self, exported: &Exported) -> Result<Table, Trouble> {
        let rotation = exported.rotation;
        let partner = partner(rotation);
        let topics = rotation["enableTopic"] == true;
        let mut table = Table::default();
        match text(rotation, "code") {
            Some(code) => table.add("code", Out::Text(code.to_owned())),
            None => table.add("id", Out::text(text(rotation, "id"))),
        }
        table.add(
            "name",
            Out::Text(text(rotation, "name").unwrap_or_default().to_owned()),
        );
        table.add("managed_by", Out::text(text(rotation, "managedBy")));
        table.add("description", Out::text(text(rotation, "description")));
        let flag = |member: &str| Out::Flag(rotation[member] == true);
        table.add("public", flag("public"));
        table.add("enabled", flag("enabled"));
        table.add("owners", self.people(texts(&rotation["owners"]))?);
        if let Some(partner) = partner {
            table.add("external", Out::Text(partner.to_owned()));
        } else {
            let members = rotation["members"]["users"]
                .as_array()
                .into_iter()
                .flatten();
            let members = members.filter_map(|member| text(member, "userId"));
            table.add("members", self.people(members)?);
            let groups = rotation["members"]["userGroups"]
                .as_array()
                .into_iter()
                .flatten();
            let groups = groups.filter_map(|group| text(group, "userGroupId"));
            table.add("groups", self.groups(groups)?);
        }
        table.add("skips_are_off_time", flag("skipsAreOffTime"));
        table.add("double_cover", flag("doubleCover"));
        table.add("enable_topic", Out::Flag(topics));
        table.add("topic_template", Out::text(text(rotation, "topicTemplate")));
        table.add(
            "on_duty_group",
            match text(rotation, "onDutyUserGroupId") {
                Some(id) => self.group(id)?,
                None => Out::NoText,
            },
        );
        table.add(
            "absence_policy",
            Out::Table(absence_policy(&rotation["absencePolicy"])),
        );
        if rotation["dealing"].is_object() && partner.is_none() {
            table.add("dealing", Out::Table(self.dealing(&rotation["dealing"])?));
        }
        table.add("mentions", Out::Table(mentions(exported.mentions)));
        table.add("warnings", Out::Table(warnings(exported.warnings)));
        table.add("summary", self.summary(&rotation["summary"])?);
        table.add(
            "channel",
            self.channels(&rotation["channelSettings"], topics)?,
        );
        if partner.is_none() {
            self.grid(&mut table, rotation)?;
        }
        Ok(table)
    }

    /// People who are here, by their addresses.
    fn people<'t>(&self, ids: impl Iterator<Item = &'t str>) -> Result<Out, Trouble> {
        let mut people = Vec::new();
        for id in ids {
            if self.directory.is_here(id)? {
                people.push(self.person(id)?);
            }
        }
        Ok(Out::List(people))
    }

    fn person(&self, id: &str) -> Result<Out, Trouble> {
        Ok(match self.directory.person_written(id)? {
            Some(address) => Out::Text(address),
            None => named(id, self.directory.person_called(id)),
        })
    }

    fn groups<'t>(&self, ids: impl Iterator<Item = &'t str>) -> Result<Out, Trouble> {
        Ok(Out::List(
            ids.map(|id| self.group(id)).collect::<Result<_, _>>()?,
        ))
    }

    fn group(&self, id: &str) -> Result<Out, Trouble> {
        Ok(match self.directory.group_written(id)? {
            Some(handle) => Out::Text(handle),
            None => named(id, self.directory.group_called(id)),
        })
    }

    fn channel(&self, id: &str) -> Result<Out, Trouble> {
        Ok(match self.directory.channel_written(id)? {
            Some(name) => Out::Text(name),
            None => named(id, self.directory.channel_called(id)),
        })
    }

    fn dealing(&self, dealing: &Value) -> Result<Table, Trouble> {
        let mut table = Table::default();
        table.add("missed_turn", Out::text(text(dealing, "missedTurn")));
        if dealing["missedTurn"] == "traded" {
            table.add("rest_hours", whole(&dealing["restHours"]));
            let mut shares = Vec::new();
            for share in dealing["shares"].as_array().into_iter().flatten() {
                let user = text(share, "userId").unwrap_or_default();
                if self.directory.is_here(user)? {
                    let mut one = Table::default();
                    one.add("user_id", self.person(user)?);
                    one.add("percent", whole(&share["percent"]));
                    shares.push(Out::Table(one));
                }
            }
            table.add("shares", Out::List(shares));
        }
        Ok(table)
    }

    fn summary(&self, summary: &Value) -> Result<Out, Trouble> {
        if summary.is_null() {
            return Ok(Out::NoTable);
        }
        let mut table = Table::default();
        for (name, member) in [("day", "day"), ("time", "time"), ("time_zone", "timeZone")] {
            table.add(name, Out::text(text(summary, member)));
        }
        let channels = texts(&summary["channelIds"]).map(|id| self.channel(id));
        table.add("channels", Out::List(channels.collect::<Result<_, _>>()?));
        Ok(Out::Table(table))
    }

    /// Where no topic is written, the API hides which channels would have one.
    fn channels(&self, settings: &Value, topics: bool) -> Result<Out, Trouble> {
        let one = |setting: &Value| {
            let mut table = Table::default();
            table.add(
                "channel",
                self.channel(text(setting, "channelId").unwrap_or_default())?,
            );
            table.add(
                "posts_messages",
                Out::Flag(setting["postsMessages"] == true),
            );
            if topics {
                table.add("syncs_topic", Out::Flag(setting["syncsTopic"] == true));
            }
            Ok(Out::Table(table))
        };
        let channels = settings.as_array().into_iter().flatten().map(one);
        Ok(Out::List(channels.collect::<Result<_, Trouble>>()?))
    }

    fn grid(&self, table: &mut Table, rotation: &Value) -> Result<(), Trouble> {
        let (lanes, windows) = (keys(rotation, "lanes"), keys(rotation, "windows"));
        let items = |member: &str| rotation[member].as_array().into_iter().flatten();
        let only = lanes.len() == 1;
        let lane = |(item, (_, key)): (&Value, &(&str, String))| {
            let mut lane = Table::default();
            lane.add("key", Out::Text(key.clone()));
            if !only {
                lane.add("name", Out::text(text(item, "name")));
            }
            Out::Table(lane)
        };
        table.add(
            "lane",
            Out::List(items("lanes").zip(&lanes).map(lane).collect()),
        );
        let window = |(item, (_, key)): (&Value, &(&str, String))| {
            let mut window = Table::default();
            window.add("key", Out::Text(key.clone()));
            window.add("name", Out::text(text(item, "name")));
            if let Some(hand_over) = cadence::write(&item["cadence"]) {
                window.add("time_zone", Out::text(text(item, "timeZone")));
                let covered = item["coverage"].as_array().into_iter().flatten();
                let covered = covered.map(|stretch| Out::Text(stretch_text(stretch)));
                window.add("covered", Out::List(covered.collect()));
                window.add("hand_over", Out::Table(hand_over));
            }
            Out::Table(window)
        };
        table.add(
            "window",
            Out::List(items("windows").zip(&windows).map(window).collect()),
        );
        let mut rosters = Vec::new();
        for roster in items("rosters") {
            let (Some(id), true) = (text(roster, "rosterId"), roster["userIds"].is_array()) else {
                continue;
            };
            let mut one = Table::default();
            one.add("key", Out::Text(id.to_owned()));
            one.add("members", self.people(texts(&roster["userIds"]))?);
            one.add("groups", self.groups(texts(&roster["userGroupIds"]))?);
            rosters.push(Out::Table(one));
        }
        table.add("roster", Out::List(rosters));
        let mut cells = Table::default();
        for cell in items("cells") {
            if let Some(roster) = text(cell, "rosterId") {
                let key = |all: &[(&str, String)], id: Option<&str>| {
                    let found = all.iter().find(|(known, _)| Some(*known) == id);
                    found.map(|(_, key)| key.clone()).unwrap_or_default()
                };
                let lane = key(&lanes, text(cell, "laneId"));
                let window = key(&windows, text(cell, "windowId"));
                cells.add(&format!("{lane}/{window}"), Out::Text(roster.to_owned()));
            }
        }
        table.add("cells", Out::Table(cells));
        Ok(())
    }
}

/// An id with the name that is a comment beside it.
fn named(id: &str, name: Option<String>) -> Out {
    match name {
        Some(name) if name != id => Out::Id(id.to_owned(), name),
        _ => Out::Text(id.to_owned()),
    }
}

fn whole(value: &Value) -> Out {
    Out::Whole(value.as_i64().unwrap_or_default())
}

fn absence_policy(policy: &Value) -> Table {
    let mut table = Table::default();
    table.add("calendars", Out::text(text(policy, "calendars")));
    if policy["calendars"] == "long" {
        table.add("minimum_hours", whole(&policy["minimumHours"]));
    }
    table.add("pass_over", Out::text(text(policy, "passOver")));
    table.add("while_on_duty", Out::text(text(policy, "whileOnDuty")));
    table
}

fn mentions(settings: &Value) -> Table {
    let mut table = Table::default();
    table.add(
        "expires_after_minutes",
        whole(&settings["expiresAfterMinutes"]),
    );
    table.add(
        "remind_after_minutes",
        match settings["remindAfterMinutes"].as_i64() {
            Some(minutes) => Out::Whole(minutes),
            None => Out::NoNumber,
        },
    );
    for (name, member) in [
        ("one_at_a_time", "oneAtATime"),
        ("rotate_after_acknowledgement", "rotateAfterAcknowledgement"),
    ] {
        table.add(name, Out::Flag(settings[member] == true));
    }
    table
}

fn warnings(settings: &Value) -> Table {
    let off = texts(&settings["off"]).map(|kind| Out::Text(kind.to_owned()));
    let mut table = Table::default();
    table.add("off", Out::List(off.collect()));
    table.add("short_rest_hours", whole(&settings["shortRestHours"]));
    table
}
