//! The rotation as the API shows it (api.md "Rotation"). Everything is as of the instant up to which the rotation has
//! been judged, never as of the request: so the body changes exactly when the version and with it the ETag does.

use super::cadence::{self, Cadence};
use super::coverage::{self, Stretch};
use super::moment::{Moment, Span};
use super::on_call::{self, OnCall, SkippedMember};
use super::small;
use super::words::words;
use crate::domain::holidays::Calendar;
use crate::domain::ids::UserId;
use crate::domain::resolve;
use crate::domain::rotation as domain;
use schemars::JsonSchema;
use serde::Serialize;

words! {
    /// How duty passes on.
    Mode {
        /// When somebody says so.
        Manual = "manual",
        /// By the cadences of the windows.
        Auto = "auto",
    }
}

/// An on-call rotation: lanes crossed with windows into cells, and who holds each.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Rotation {
    pub id: String,
    /// Not unique.
    pub name: String,
    pub description: Option<String>,
    /// Short code that the rotation answers to in chat; unique in the workspace, upper case.
    pub code: Option<String>,
    /// A disabled rotation keeps configuration and history, holds whoever was on duty, and hands over to nobody.
    pub enabled: bool,
    /// Whether every workspace member can see it.
    pub public: bool,
    pub mode: Mode,
    /// How many people hold a shift at once.
    pub running_lanes: i32,
    /// Places with somebody on call now.
    pub held_seats: i32,
    /// Places with nobody on them. One whose holder waits for the window to open is not among them.
    pub open_seats: i32,
    /// More than one place to be on duty.
    pub is_grid: bool,
    /// One person may hold two places when the list is too short to fill both.
    pub double_cover: bool,
    /// Whether days that the cadence skips count as not covered.
    pub skips_are_off_time: bool,
    /// Ids of the users who may administer the rotation.
    pub owners: Vec<String>,
    /// Ids of the channels that receive duty messages.
    pub channels: Vec<String>,
    pub channel_settings: Vec<ChannelSetting>,
    /// When off, no channel topic is written whatever the channel holds.
    pub enable_topic: bool,
    /// Null means the service's own wording.
    pub topic_template: Option<String>,
    pub members: Members,
    /// Rows in dealing order; the first is primary.
    pub lanes: Vec<Lane>,
    /// Columns.
    pub windows: Vec<Window>,
    /// Every lane crossed with every window, in the one order of places: window by window, lanes within each.
    pub cells: Vec<Cell>,
    /// The common roster, whose id is null, then those that cells name.
    pub rosters: Vec<Roster>,
    /// The chat user group kept in sync with whoever is on call.
    pub on_duty_user_group_id: Option<String>,
    pub on_call: OnCall,
    pub created_at: Moment,
    pub updated_at: Moment,
}

/// What one channel is told.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChannelSetting {
    pub channel_id: String,
    /// Hand-overs, reminders and mentions are posted there.
    pub posts_messages: bool,
    /// The topic names whoever is on duty. Reported false on every channel while `enableTopic` is off.
    pub syncs_topic: bool,
}

/// Who belongs to the rotation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Members {
    /// People added individually.
    pub users: Vec<Member>,
    pub user_groups: Vec<GroupMembers>,
}

/// One person's place.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Member {
    pub user_id: String,
    /// Position in the order that the lists are built from, from 0.
    pub sequence_number: i32,
}

/// A chat user group that the rotation follows, with its people.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GroupMembers {
    pub user_group_id: String,
    /// In the chat platform's order, newcomers last.
    pub users: Vec<Member>,
}

/// A kind of duty; one person holds it at a time.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Lane {
    pub id: String,
    /// Absent until named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// Covered hours and the cadence of their hand-overs.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Window {
    pub id: String,
    pub name: Option<String>,
    /// Zone of the covered hours, as it was given; empty on a manual rotation.
    pub time_zone: String,
    /// Empty means the whole week.
    pub coverage: Vec<Stretch>,
    /// Restricts nothing: no hours are named and no day is off.
    pub always_open: bool,
    pub cadence: Cadence,
    /// On a disabled rotation as of the instant at which it was disabled, like `currentCoverage` and `nextCoverage`.
    pub open_now: bool,
    /// The covered stretch that is running; null when shut, and when nothing ends it.
    pub current_coverage: Option<Span>,
    /// The covered stretch that follows.
    pub next_coverage: Option<Span>,
}

/// One lane crossed with one window.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Cell {
    pub id: String,
    pub lane_id: String,
    pub window_id: String,
    /// The roster that it deals from; null is the common one.
    pub roster_id: Option<String>,
    /// Defined but not running, because the workspace is not on a paid plan.
    pub stopped: bool,
    /// Whose turn it is; null when nobody holds the place.
    pub holder: Option<Holder>,
}

/// A dealt turn.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Holder {
    pub user_id: String,
    /// The person's place in the roster's order; absent for somebody who is not in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<i32>,
    /// Not on call because the window is shut; the place stays theirs.
    pub waiting: bool,
    /// When the turn was dealt.
    pub since: Moment,
    /// The next hand-over; null when none is scheduled.
    pub until: Option<Moment>,
    /// Absent people passed over when the turn was dealt.
    pub skipped_for_absence: Vec<SkippedMember>,
}

/// A list that cells deal from.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Roster {
    /// Null is the common roster: all members.
    pub roster_id: Option<String>,
    pub order: Vec<Place>,
    /// The turn that the next hand-over deals from.
    pub next_turn: i32,
}

/// One place in a roster's order.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Place {
    pub user_id: String,
    /// Set when the person is in by way of a user group.
    pub user_group_id: Option<String>,
    /// From 0.
    pub turn: i32,
}

/// Renders a rotation with its on-call resource.
pub fn render(rotation: &domain::Rotation, calendar: &Calendar) -> Rotation {
    let profile = &rotation.profile;
    let running = || rotation.running();
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
        },
        running_lanes: small((0..rotation.lanes.len()).filter(runs).count()),
        held_seats: small(
            running()
                .filter(|cell| resolve::on_call(rotation, cell).is_some())
                .count(),
        ),
        open_seats: small(
            running()
                .filter(|cell| resolve::holder(rotation, cell).is_none())
                .count(),
        ),
        is_grid: running().count() > 1,
        double_cover: rotation.double_cover,
        skips_are_off_time: rotation.skips_are_off_time,
        owners: profile.owners.iter().map(UserId::to_string).collect(),
        channels: posting(profile),
        channel_settings: profile
            .channels
            .iter()
            .map(|c| channel(profile, c))
            .collect(),
        enable_topic: profile.enable_topic,
        topic_template: profile.topic_template.clone(),
        members: members(&rotation.members),
        lanes: rotation.lanes.iter().map(lane).collect(),
        windows: rotation
            .windows
            .iter()
            .map(|w| window(rotation, w, calendar))
            .collect(),
        cells: cells(rotation, calendar),
        rosters: rotation
            .rosters
            .iter()
            .map(|r| roster(rotation, r))
            .collect(),
        on_duty_user_group_id: profile.duty_group.as_ref().map(ToString::to_string),
        on_call: on_call::render(rotation, calendar, None),
        created_at: rotation.stamps.created_at.into(),
        updated_at: rotation.stamps.updated_at.into(),
    }
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
            sequence_number: small(index),
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

fn lane(lane: &domain::Lane) -> Lane {
    Lane {
        id: lane.id.to_string(),
        name: lane.name.clone(),
    }
}

fn window(rotation: &domain::Rotation, window: &domain::Window, calendar: &Calendar) -> Window {
    let judged_at = rotation.stamps.judged_at;
    let hours = rotation.hours(window);
    let view = hours.at(calendar, judged_at);
    Window {
        id: window.id.to_string(),
        name: window.name.clone(),
        time_zone: window.zone.map(|zone| zone.to_string()).unwrap_or_default(),
        coverage: coverage::stretches(&window.coverage),
        always_open: hours.always_open(),
        cadence: cadence::render(
            window.cadence.as_ref(),
            calendar,
            rotation.enabled.then_some(judged_at),
        ),
        open_now: window.open,
        current_coverage: view.current.map(Span::from),
        next_coverage: view.next.map(Span::from),
    }
}

fn cells(rotation: &domain::Rotation, calendar: &Calendar) -> Vec<Cell> {
    let ends = resolve::turn_ends(rotation, calendar);
    let cell = |cell: &domain::Cell| Cell {
        id: cell.id.to_string(),
        lane_id: rotation.lanes[cell.lane].id.to_string(),
        window_id: rotation.windows[cell.window].id.to_string(),
        roster_id: cell.roster.as_ref().map(|id| id.to_string()),
        stopped: cell.stopped,
        holder: cell
            .holder
            .as_ref()
            .filter(|_| !cell.stopped)
            .map(|holder| Holder {
                user_id: holder.user.to_string(),
                turn: rotation.turn_of(cell, &holder.user).map(small),
                waiting: !rotation.windows[cell.window].open,
                since: holder.since.into(),
                until: ends[cell.window].map(Moment),
                skipped_for_absence: on_call::skipped(&holder.skipped),
            }),
    };
    rotation.cells.iter().map(cell).collect()
}

fn roster(rotation: &domain::Rotation, roster: &domain::Roster) -> Roster {
    let places = rotation.order(roster).into_iter().enumerate();
    Roster {
        roster_id: roster.id.as_ref().map(|id| id.to_string()),
        order: places
            .map(|(turn, place)| Place {
                user_id: place.user.to_string(),
                user_group_id: place.group.map(|group| group.to_string()),
                turn: small(turn),
            })
            .collect(),
        next_turn: small(roster.next_turn),
    }
}
