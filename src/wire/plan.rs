//! What edits of many rotations would come to, in members: from what to what.

use super::body::{self, present};
use super::change;
use super::preview::{self, PersonChange, PreviewDifference, PreviewRefusal, edit_request};
use super::repeated::Repeated;
use super::strict::strict;
use super::warning::Warning;
use super::{
    absence_policy, cadence, coverage, dealing, int32::Int32, mention, moment::Moment, warning,
    weekly,
};
use crate::domain::edit::Edits;
use crate::domain::holidays::Calendar;
use crate::domain::ids::ChangeId;
use crate::domain::key::Key;
use crate::domain::limits::{check_list, within};
use crate::domain::refusal::{Refusal, invalid};
use crate::domain::rotation::Rotation;
use crate::domain::staged::{ChangeTime, MOST_WAITING};
use crate::domain::words::words;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

strict! { PlanRequest, PlanItem }

/// Edits of rotations to look at, each rotation alone.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlanRequest {
    /// 1 to 200, each rotation once.
    #[serde(deserialize_with = "body::objects")]
    rotations: Vec<PlanItem>,
    /// How many days from `at` on are compared, 1 to 366; 90 by default.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Int32")]
    days: Option<Int32>,
    /// When the edits are made: `now`, the default, `nextHandOver`, or an instant at most 366 days ahead. New rotations are planned
    /// for now.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String")]
    at: Option<String>,
}

edit_request! {
    /// Edits of one rotation. Send its code or its id. A code that no rotation has stands for a new rotation.
    pub struct PlanItem {
        #[serde(default, deserialize_with = "present")]
        #[schemars(with = "String")]
        code: Option<String>,
        #[serde(default, deserialize_with = "present")]
        #[schemars(with = "String")]
        rotation_id: Option<String>,
        /// Ids of changes that wait and are replaced: the plan is made without them.
        #[serde(default)]
        replaces: Vec<String>,
    }
}

/// Edits of one rotation.
pub struct Item {
    pub code: Option<String>,
    pub rotation_id: Option<String>,
    pub replaces: Vec<ChangeId>,
    pub edits: Edits,
    pub repeated: Option<Repeated>,
}

/// What to plan.
pub struct Asked {
    pub items: Vec<Item>,
    pub days: u32,
    pub at: ChangeTime,
}

/// Reads what to plan; at most `most` rotations, and `most_days` days.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member.
pub fn parse(bytes: &[u8], (most, most_days): (usize, u32)) -> Result<Asked, Refusal> {
    let request: PlanRequest = body::parse(bytes)?;
    if !(1..=most).contains(&request.rotations.len()) {
        let sent = request.rotations.len();
        return invalid("rotations", format!("send 1 to {most}, not {sent}"));
    }
    let mut sent: Map<String, Value> = body::read(bytes)?;
    let mut sent = match sent.remove("rotations") {
        Some(Value::Array(items)) => items.into_iter(),
        _ => Vec::new().into_iter(),
    };
    let mut items: Vec<Item> = Vec::with_capacity(request.rotations.len());
    for (index, item) in request.rotations.into_iter().enumerate() {
        let path = format!("rotations[{index}]");
        let members = match sent.next() {
            Some(Value::Object(members)) => members,
            _ => Map::new(),
        };
        let item = one(item, members).map_err(|refusal| refusal.under(&path))?;
        let same = |known: &Item| {
            let same = |one: &Option<String>, other: &Option<String>| one.is_some() && one == other;
            same(&known.code, &item.code) || same(&known.rotation_id, &item.rotation_id)
        };
        if items.iter().any(same) {
            return invalid(path, "the rotation is there already; send each once");
        }
        items.push(item);
    }
    let days = request.days.map_or(90, |days| days.0);
    Ok(Asked {
        items,
        days: within("days", days, 1..=most_days)?,
        at: change::time(request.at.as_deref().unwrap_or("now"), None)?,
    })
}

fn one(mut item: PlanItem, members: Map<String, Value>) -> Result<Item, Refusal> {
    if item.code.is_some() == item.rotation_id.is_some() {
        return invalid("code", "send either `code` or `rotationId`");
    }
    check_list("replaces", &item.replaces, MOST_WAITING)?;
    Ok(Item {
        edits: item.edits()?,
        repeated: preview::repeated(members),
        code: item.code.map(|code| code.to_ascii_uppercase()),
        rotation_id: item.rotation_id,
        replaces: item.replaces.into_iter().map(ChangeId::from).collect(),
    })
}

words! {
    /// What would become of the rotation.
    pub enum PlanAction {
        Create = "create",
        Change = "change",
        None = "none",
    }
}

/// What edits of rotations would come to, in the order of the request.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    pub rotations: Vec<PlannedRotation>,
}

/// What edits of one rotation would come to.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlannedRotation {
    /// Null for a new rotation.
    pub rotation_id: Option<String>,
    pub code: Option<String>,
    /// When the edits would be made.
    pub at: Moment,
    pub action: PlanAction,
    /// Why the edits could not be made: for want of rights or of the rotation, and what its state refuses. Empty where all of them
    /// can be.
    pub refusals: Vec<PreviewRefusal>,
    /// What would be another value, by members.
    pub changes: Vec<PlanChange>,
    /// Null where nothing can be shown of the rotation.
    pub preview: Option<PlanPreview>,
    /// The warnings that the plan would have and has not.
    pub warnings_new: Vec<Warning>,
    /// The warnings that the plan has and would not have.
    pub warnings_gone: Vec<Warning>,
}

/// A member that would have another value.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlanChange {
    /// Such as `description`, `lanes.primary.name`, `windows.week.cadence.period`, `cells.primary/week.rosterId`,
    /// `rosters.emea.userIds`, `channels.C1.postsMessages`, `mentionSettings.oneAtATime`; lanes and windows by key, else by id.
    /// `waiting` where only changes that wait would go.
    pub path: String,
    /// The value that it would have without the edit, as the API shows it; null where there is none.
    pub before: Value,
    /// The value that it would have with the edit.
    pub after: Value,
}

/// The effect on who is on call, as a preview shows it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlanPreview {
    pub refusals: Vec<PreviewRefusal>,
    pub differences: Vec<PreviewDifference>,
    pub hand_overs_before: i32,
    pub hand_overs_after: i32,
    pub per_person: Vec<PersonChange>,
    pub warnings: Vec<Warning>,
}

/// What differs between a rotation as it is and as it would be. `group` is what an on-duty group is called that is not made yet.
pub fn changes(before: &Rotation, after: &Rotation, calendar: &Calendar) -> Vec<PlanChange> {
    let mut found = Vec::new();
    let (was, is) = (settings(before), settings(after));
    differences("", &was, &is, &mut found);
    let lanes = |r: &Rotation| -> Vec<(String, String, Value)> {
        let lane = |(index, lane): (usize, &crate::domain::rotation::Lane)| {
            let name = r.lane_name(index);
            let value = json!({ "key": lane.key.as_ref().map(Key::as_str), "name": name });
            (
                lane.id.to_string(),
                called(lane.key.as_ref(), lane.id.as_str()),
                value,
            )
        };
        r.lanes.iter().enumerate().map(lane).collect()
    };
    listed("lanes", lanes(before), lanes(after), &mut found);
    let windows = |r: &Rotation| -> Vec<(String, String, Value)> {
        let window = |window: &crate::domain::rotation::Window| {
            let cadence = cadence::render(window.cadence.as_ref(), calendar, None);
            let mut cadence = serde_json::to_value(cadence).unwrap_or_default();
            if let Some(cadence) = cadence.as_object_mut() {
                cadence.remove("nextEvents");
            }
            let value = json!({
                "key": window.key.as_ref().map(Key::as_str),
                "name": window.name,
                "timeZone": window.zone.map(|zone| zone.to_string()),
                "coverage": coverage::stretches(&window.coverage),
                "cadence": cadence,
            });
            (
                window.id.to_string(),
                called(window.key.as_ref(), window.id.as_str()),
                value,
            )
        };
        r.windows.iter().map(window).collect()
    };
    listed("windows", windows(before), windows(after), &mut found);
    let cells = |r: &Rotation| -> Vec<(String, String, Value)> {
        let cell = |cell: &crate::domain::rotation::Cell| {
            let (lane, window) = (&r.lanes[cell.lane], &r.windows[cell.window]);
            let lane = called(lane.key.as_ref(), lane.id.as_str());
            let window = called(window.key.as_ref(), window.id.as_str());
            let value = json!({ "rosterId": cell.roster.as_ref().map(ToString::to_string) });
            (cell.id.to_string(), format!("{lane}/{window}"), value)
        };
        r.cells.iter().map(cell).collect()
    };
    each("cells", cells(before), cells(after), &mut found);
    let rosters = |r: &Rotation| -> Vec<(String, String, Value)> {
        let named = r.rosters.iter().filter(|roster| roster.id.is_some());
        let roster = named.map(|roster| {
            let id = roster
                .id
                .as_ref()
                .map(ToString::to_string)
                .unwrap_or_default();
            let listed = roster.narrowed.as_ref();
            let value = json!({
                "userIds": listed.map(|listed| &listed.users),
                "userGroupIds": listed.map(|listed| &listed.groups),
            });
            (id.clone(), id, value)
        });
        roster.collect()
    };
    each("rosters", rosters(before), rosters(after), &mut found);
    let channels = |r: &Rotation| -> Vec<(String, String, Value)> {
        let channel = |one: &crate::domain::rotation::ChannelSetting| {
            let id = one.channel.to_string();
            let syncs = one.syncs_topic && r.profile.enable_topic;
            let value = json!({ "postsMessages": one.posts_messages, "syncsTopic": syncs });
            (id.clone(), id, value)
        };
        r.profile.channels.iter().map(channel).collect()
    };
    each("channels", channels(before), channels(after), &mut found);
    let (was, is) = (aside(before), aside(after));
    differences("", &was, &is, &mut found);
    found
}

fn called(key: Option<&Key>, id: &str) -> String {
    key.map_or(id, Key::as_str).to_owned()
}

/// The members of PATCH.
fn settings(rotation: &Rotation) -> Value {
    let profile = &rotation.profile;
    let groups: Vec<_> = rotation
        .members
        .groups
        .iter()
        .map(|one| &one.group)
        .collect();
    json!({
        "name": profile.name,
        "description": profile.description,
        "code": profile.code,
        "public": profile.public,
        "enabled": rotation.enabled,
        "owners": profile.owners,
        "userIds": rotation.members.users,
        "userGroupIds": groups,
        "skipsAreOffTime": rotation.skips_are_off_time,
        "doubleCover": rotation.double_cover,
        "absencePolicy": absence_policy::render(rotation.absence_policy),
        "dealing": dealing::render(rotation),
        "enableTopic": profile.enable_topic,
        "topicTemplate": profile.topic_template,
        "managedBy": profile.managed_by,
        "summary": profile.summary.as_ref().map(weekly::render),
    })
}

/// What has routes of its own.
fn aside(rotation: &Rotation) -> Value {
    let profile = &rotation.profile;
    json!({
        "onDutyGroup": profile.duty_group,
        "mentionSettings": mention::settings(&profile.mentions),
        "warningSettings": warning::settings(&profile.warnings),
    })
}

/// Lists are compared as a whole, and so is a summary; other objects by their members.
fn differences(path: &str, before: &Value, after: &Value, found: &mut Vec<PlanChange>) {
    let none = Map::new();
    let (was, is) = match (before, after) {
        (Value::Object(was), Value::Object(is)) if path != "summary" => (was, is),
        (Value::Object(was), Value::Null) if path.contains('.') => (was, &none),
        (Value::Null, Value::Object(is)) if path.contains('.') => (&none, is),
        _ => {
            if before != after {
                found.push(PlanChange {
                    path: path.to_owned(),
                    before: before.clone(),
                    after: after.clone(),
                });
            }
            return;
        }
    };
    let gone = was.keys().filter(|name| !is.contains_key(*name));
    for name in is.keys().chain(gone) {
        let path = match path {
            "" => name.clone(),
            path => format!("{path}.{name}"),
        };
        let of = |all: &Map<String, Value>| all.get(name).cloned().unwrap_or_default();
        differences(&path, &of(was), &of(is), found);
    }
}

/// An id, what it is called in a path, and its members.
type Entry = (String, String, Value);

/// Compares lists whose order matters: which there are, by name, and then their members.
fn listed(path: &str, before: Vec<Entry>, after: Vec<Entry>, found: &mut Vec<PlanChange>) {
    let ids = |all: &[Entry]| -> Vec<String> { all.iter().map(|one| one.0.clone()).collect() };
    let names = |all: &[Entry]| json!(all.iter().map(|one| &one.1).collect::<Vec<_>>());
    if ids(&before) != ids(&after) {
        found.push(PlanChange {
            path: path.to_owned(),
            before: names(&before),
            after: names(&after),
        });
    }
    let stays = |one: &Entry| after.iter().any(|other| other.0 == one.0);
    let before = before.into_iter().filter(stays).collect();
    each(path, before, after, found);
}

/// Compares the members of entries by their ids.
fn each(path: &str, before: Vec<Entry>, after: Vec<Entry>, found: &mut Vec<PlanChange>) {
    for (id, name, value) in &after {
        let was = before.iter().find(|one| one.0 == *id);
        let was = was.map_or(Value::Null, |one| one.2.clone());
        differences(&format!("{path}.{name}"), &was, value, found);
    }
    for (id, name, value) in &before {
        if !after.iter().any(|one| one.0 == *id) {
            differences(&format!("{path}.{name}"), value, &Value::Null, found);
        }
    }
}
