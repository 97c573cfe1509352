//! The rotation as the API shows it. All values are as of the instant up to which the rotation has been evaluated, not as
//! of the request, so the body changes exactly when the version, and with it the ETag, changes.

use super::absence_policy::{self, AbsencePolicy};
use super::cadence::{self, Cadence};
use super::coverage::{self, Stretch};
use super::dealing::{self, Dealing};
use super::external::ExternalUser;
use super::moment::{Moment, Span};
use super::on_call::{self, OnCall, PassedOver, SkippedMember};
use super::to_i32;
use super::weekly::{self, ChannelSummary};
use crate::domain::books::Dealt;
use crate::domain::external::{self, AsOf};
use crate::domain::holidays::Calendar;
use crate::domain::ids::UserId;
use crate::domain::resolve;
use crate::domain::rotation as domain;
use crate::domain::words::words;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

words! {
    /// How hand-overs happen.
    pub enum Mode {
        /// On request only.
        Manual = "manual",
        /// By the cadences of the windows.
        Auto = "auto",
        /// By a partner's schedule.
        External = "external",
    }
}

/// An on-call rotation: lanes crossed with windows into cells, and the holder of each cell.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Rotation {
    pub id: String,
    /// Need not be unique.
    pub name: String,
    pub description: Option<String>,
    /// Short code that identifies the rotation in chat. Unique in the workspace, upper case.
    pub code: Option<String>,
    /// A disabled rotation keeps its configuration, record and holders, and has no hand-overs.
    pub enabled: bool,
    /// Whether every workspace member can see the rotation.
    pub public: bool,
    pub mode: Mode,
    /// Lanes that run, which is how many people are on call at once.
    pub running_lanes: i32,
    /// Slots with somebody on call now.
    pub held_seats: i32,
    /// Slots without a holder. A slot whose holder waits for the window to open does not count.
    pub open_seats: i32,
    /// Whether there is more than one slot.
    pub is_grid: bool,
    /// Whether one person may hold two slots when the roster is too short.
    pub double_cover: bool,
    /// Whether days that the cadence skips are outside the covered hours.
    pub skips_are_off_time: bool,
    pub absence_policy: AbsencePolicy,
    /// How turns are dealt. Null where a partner's schedule drives the rotation.
    pub dealing: Option<Dealing>,
    /// Ids of the users who may administer the rotation.
    pub owners: Vec<String>,
    /// Ids of the channels that receive messages about the rotation.
    pub channels: Vec<String>,
    pub channel_settings: Vec<ChannelSetting>,
    /// If false, no channel topic is written, regardless of the channel's settings.
    pub enable_topic: bool,
    /// Null uses the default text.
    pub topic_template: Option<String>,
    /// The name of the file that manages the rotation and overwrites other edits. Null for none.
    pub managed_by: Option<String>,
    /// When the coming week is posted in channels; null for never.
    pub summary: Option<ChannelSummary>,
    pub members: Members,
    /// Rows in dealing order. The first lane is the primary one.
    pub lanes: Vec<Lane>,
    /// Columns.
    pub windows: Vec<Window>,
    /// Every lane crossed with every window, in slot order: window by window, lanes within each.
    pub cells: Vec<Cell>,
    /// The common roster, whose id is null, then the named rosters of the cells.
    pub rosters: Vec<Roster>,
    /// The chat user group that holds whoever is on call.
    pub on_duty_user_group_id: Option<String>,
    pub on_call: OnCall,
    pub created_at: Moment,
    pub updated_at: Moment,
}

/// The settings of a channel.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChannelSetting {
    pub channel_id: String,
    /// Whether hand-overs, reminders and mentions are posted in the channel.
    pub posts_messages: bool,
    /// Whether the topic names whoever is on call. Shown as false while `enableTopic` is false.
    pub syncs_topic: bool,
}

/// The members of the rotation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Members {
    /// People who were added individually.
    pub users: Vec<Member>,
    pub user_groups: Vec<GroupMembers>,
}

/// A person who was added individually.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Member {
    pub user_id: String,
    /// Position in the dealing order, from 0.
    pub sequence_number: i32,
}

/// A chat user group that the rotation follows, with its people.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GroupMembers {
    pub user_group_id: String,
    /// In the platform's order, newcomers last.
    pub users: Vec<Member>,
}

/// A row of the grid: a kind of duty that one person holds at a time.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Lane {
    pub id: String,
    /// A handle of the caller's own, by which coverage writes may name the lane. Null until set.
    pub key: Option<String>,
    /// Absent until named, and on a rotation with one lane.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// A column of the grid: covered hours and the cadence of their hand-overs.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Window {
    pub id: String,
    /// A handle of the caller's own, by which coverage writes may name the window. Null until set.
    pub key: Option<String>,
    pub name: Option<String>,
    /// Zone of the covered hours, as it was sent. Empty on a manual rotation.
    pub time_zone: String,
    /// Empty means the whole week.
    pub coverage: Vec<Stretch>,
    /// Whether the window never shuts: no hours are set and no day is skipped.
    pub always_open: bool,
    pub cadence: Cadence,
    /// On a disabled rotation, as of the instant when it was disabled; so are `currentCoverage` and `nextCoverage`.
    pub open_now: bool,
    /// The running stretch of covered hours. Null if the window is shut or never shuts.
    pub current_coverage: Option<Span>,
    /// The next stretch of covered hours.
    pub next_coverage: Option<Span>,
}

/// One lane crossed with one window.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Cell {
    pub id: String,
    pub lane_id: String,
    pub window_id: String,
    /// The roster that the cell deals from. Null is the common roster.
    pub roster_id: Option<String>,
    /// The lane exists but does not run, because the plan does not include it.
    pub stopped: bool,
    /// The current turn. Null if the slot is empty.
    pub holder: Option<Holder>,
    /// People who were passed over because they are on call in another cell at the same time: when the turn was dealt or,
    /// while the slot is empty, in the last search.
    pub passed_over: Vec<PassedOver>,
}

/// A dealt turn.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Holder {
    /// Absent if the person is unknown to the chat platform.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// Who it is on a partner's schedule, if they are unknown to the chat platform.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_user: Option<ExternalUser>,
    /// The person's position in the roster; absent if they are not in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<i32>,
    /// Not on call because the window is shut. The slot stays theirs.
    pub waiting: bool,
    /// When the turn was dealt.
    pub since: Moment,
    /// The next hand-over. Null if none is scheduled.
    pub until: Option<Moment>,
    /// Whose own turn it is. Null where missed turns were lost when it was dealt, and for an arrangement.
    pub turn_of: Option<String>,
    /// Why whoever has it does. Null with `turnOf`.
    pub dealt: Option<Dealt>,
    /// Absent people who were skipped when the turn was dealt.
    pub skipped_for_absence: Vec<SkippedMember>,
    /// People who were passed over because they are on call in another cell at the same time.
    pub passed_over: Vec<PassedOver>,
    /// True on a standby, if the turn began after the copy that it answers from: it is what the plan says. Absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forecast: Option<bool>,
}

/// A roster that cells deal from.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Roster {
    /// Null is the common roster: all members.
    pub roster_id: Option<String>,
    pub order: Vec<RosterEntry>,
    /// The people listed by id, as written. Absent where the roster follows all members.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_ids: Option<Vec<String>>,
    /// The chat user groups listed, as written. Absent where the roster follows all members.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_group_ids: Option<Vec<String>>,
    /// The position that the next hand-over deals from: of the window whose hand-over comes next. 0 if no window deals from
    /// the roster.
    pub next_turn: i32,
    /// The same for each window that deals from the roster, in the order of windows.
    pub next_turns: Vec<WindowTurn>,
}

/// Where a window's next hand-over deals from.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WindowTurn {
    pub window_id: String,
    /// A position in the roster.
    pub next_turn: i32,
}

/// One position in a roster.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RosterEntry {
    pub user_id: String,
    /// Set if the person belongs to the roster through a user group.
    pub user_group_id: Option<String>,
    /// From 0.
    pub turn: i32,
}

/// Renders a rotation with its on-call resource.
pub fn render(rotation: &domain::Rotation, calendar: &Calendar, as_of: &AsOf) -> Rotation {
    let profile = &rotation.profile;
    let ends = resolve::turn_ends(rotation, calendar);
    let running = || rotation.running();
    let (held, open) = seats(rotation);
    let runs = |lane: &usize| running().any(|cell| cell.lane == *lane);
    Rotation {
        id: rotation.id.to_string(),
        name: profile.name.clone(),
        description: profile.description.clone(),
        code: profile.code.clone(),
        enabled: rotation.enabled,
        public: profile.public,
        mode: match rotation.mode() {
            domain::Mode::Manual => Mode::Manual,
            domain::Mode::Auto => Mode::Auto,
            domain::Mode::External => Mode::External,
        },
        running_lanes: to_i32((0..rotation.lanes.len()).filter(runs).count()),
        held_seats: to_i32(held),
        open_seats: to_i32(open),
        is_grid: running().count() > 1,
        double_cover: rotation.double_cover,
        skips_are_off_time: rotation.skips_are_off_time,
        absence_policy: absence_policy::render(rotation.absence_policy),
        dealing: dealing::render(rotation),
        owners: profile.owners.iter().map(UserId::to_string).collect(),
        channels: posting(profile),
        channel_settings: profile
            .channels
            .iter()
            .map(|c| channel(profile, c))
            .collect(),
        enable_topic: profile.enable_topic,
        topic_template: profile.topic_template.clone(),
        managed_by: profile.managed_by.clone(),
        summary: profile.summary.as_ref().map(weekly::render),
        members: members(&rotation.members),
        lanes: (0..rotation.lanes.len())
            .map(|index| lane(rotation, index))
            .collect(),
        windows: rotation
            .windows
            .iter()
            .map(|w| window(rotation, w, calendar))
            .collect(),
        cells: cells(rotation, &ends),
        rosters: rotation
            .rosters
            .iter()
            .map(|r| roster(rotation, r, &ends))
            .collect(),
        on_duty_user_group_id: profile.duty_group.as_ref().map(ToString::to_string),
        on_call: on_call::render(rotation, calendar, as_of, None),
        created_at: rotation.stamps.created_at.into(),
        updated_at: rotation.stamps.updated_at.into(),
    }
}

/// Slots with somebody on call, and slots with nobody. A partner's schedule without any slot counts as an empty one.
fn seats(rotation: &domain::Rotation) -> (usize, usize) {
    if let Some(external) = &rotation.external {
        let counts = external::counts(external);
        let empty = match counts.required {
            0 => 1,
            _ => counts.empty,
        };
        return (counts.assigned, empty);
    }
    let on_call = |cell: &&domain::Cell| resolve::on_call(rotation, cell).is_some();
    let empty = |cell: &&domain::Cell| resolve::holder(rotation, cell).is_none();
    (
        rotation.running().filter(on_call).count(),
        rotation.running().filter(empty).count(),
    )
}

fn posting(profile: &domain::Profile) -> Vec<String> {
    let posting = profile
        .channels
        .iter()
        .filter(|setting| setting.posts_messages);
    posting.map(|setting| setting.channel.to_string()).collect()
}

fn channel(profile: &domain::Profile, setting: &domain::ChannelSetting) -> ChannelSetting {
    ChannelSetting {
        channel_id: setting.channel.to_string(),
        posts_messages: setting.posts_messages,
        syncs_topic: setting.syncs_topic && profile.enable_topic,
    }
}

fn members(members: &domain::Members) -> Members {
    let numbered = |users: &[UserId]| {
        let member = |(index, user): (usize, &UserId)| Member {
            user_id: user.to_string(),
            sequence_number: to_i32(index),
        };
        users.iter().enumerate().map(member).collect()
    };
    let group = |group: &domain::GroupMembers| GroupMembers {
        user_group_id: group.group.to_string(),
        users: numbered(&group.users),
    };
    Members {
        users: numbered(&members.users),
        user_groups: members.groups.iter().map(group).collect(),
    }
}

fn lane(rotation: &domain::Rotation, index: usize) -> Lane {
    let lane = &rotation.lanes[index];
    Lane {
        id: lane.id.to_string(),
        key: lane.key.as_ref().map(ToString::to_string),
        name: rotation.lane_name(index).cloned(),
    }
}

fn window(rotation: &domain::Rotation, window: &domain::Window, calendar: &Calendar) -> Window {
    let judged_at = rotation.stamps.judged_at;
    let hours = rotation.hours(window);
    let view = hours.at(calendar, judged_at);
    Window {
        id: window.id.to_string(),
        key: window.key.as_ref().map(ToString::to_string),
        name: window.name.clone(),
        time_zone: window.zone.map(|zone| zone.to_string()).unwrap_or_default(),
        coverage: coverage::stretches(&window.coverage),
        always_open: hours.always_open(),
        cadence: match &rotation.external {
            Some(external) => {
                cadence::external(external, window.zone, rotation.enabled.then_some(judged_at))
            }
            None => cadence::render(
                window.cadence.as_ref(),
                calendar,
                rotation.enabled.then_some(judged_at),
            ),
        },
        open_now: window.open,
        current_coverage: view.current.map(Span::from),
        next_coverage: view.next.map(Span::from),
    }
}

fn cells(rotation: &domain::Rotation, ends: &[Option<Timestamp>]) -> Vec<Cell> {
    let cell = |cell: &domain::Cell| Cell {
        id: cell.id.to_string(),
        lane_id: rotation.lanes[cell.lane].id.to_string(),
        window_id: rotation.windows[cell.window].id.to_string(),
        roster_id: cell.roster.as_ref().map(|id| id.to_string()),
        stopped: cell.stopped,
        holder: cell
            .holder
            .as_ref()
            .filter(|_| !cell.stopped && rotation.external.is_none())
            .map(|holder| Holder {
                user_id: Some(holder.user.to_string()),
                external_user: None,
                turn: rotation.turn_of(cell, &holder.user).map(to_i32),
                waiting: !rotation.windows[cell.window].open,
                since: holder.since.into(),
                until: ends[cell.window].map(Moment),
                turn_of: on_call::owner(holder.dealt.as_ref()),
                dealt: holder.dealt.as_ref().map(|turn| turn.dealt),
                skipped_for_absence: on_call::skipped(&holder.skipped),
                passed_over: on_call::passed_over(&cell.passed_over),
                forecast: rotation.forecast(holder.since),
            })
            .or_else(|| outside_holder(rotation)),
        passed_over: on_call::passed_over(&cell.passed_over),
    };
    rotation.cells.iter().map(cell).collect()
}

/// The holder of the only cell of a rotation that follows a partner's schedule: whoever is assigned first.
fn outside_holder(rotation: &domain::Rotation) -> Option<Holder> {
    let first = rotation.external.as_ref()?.first()?;
    let outsider = first.outsider();
    Some(Holder {
        user_id: first.user.as_ref().map(UserId::to_string),
        external_user: outsider.map(|outsider| ExternalUser {
            email: outsider.email,
            name: outsider.name,
        }),
        turn: None,
        waiting: false,
        since: first.shift.span.from.into(),
        until: first.shift.ends_at().map(Moment),
        turn_of: None,
        dealt: None,
        skipped_for_absence: Vec::new(),
        passed_over: Vec::new(),
        forecast: rotation.forecast(first.shift.span.from),
    })
}

fn roster(
    rotation: &domain::Rotation,
    roster: &domain::Roster,
    ends: &[Option<Timestamp>],
) -> Roster {
    let next_turns = roster.next_turns.iter().map(|next| WindowTurn {
        window_id: next.window.to_string(),
        next_turn: to_i32(next.turn),
    });
    let order = rotation.order(roster).into_iter().enumerate();
    let narrowed = roster.narrowed.as_ref();
    Roster {
        roster_id: roster.id.as_ref().map(|id| id.to_string()),
        order: order
            .map(|(turn, entry)| RosterEntry {
                user_id: entry.user.to_string(),
                user_group_id: entry.group.map(|group| group.to_string()),
                turn: to_i32(turn),
            })
            .collect(),
        user_ids: narrowed.map(|listed| listed.users.iter().map(ToString::to_string).collect()),
        user_group_ids: narrowed
            .map(|listed| listed.groups.iter().map(ToString::to_string).collect()),
        next_turn: to_i32(resolve::next_turn(rotation, roster, ends)),
        next_turns: next_turns.collect(),
    }
}
