//! Slack as a platform with a directory of its own.

use super::api::Slack;
use super::error::SLACK;
use super::method::{
    AUTH_TEST, CHAT_POST_MESSAGE, CONVERSATIONS_SET_TOPIC, USERGROUPS_DISABLE, USERGROUPS_ENABLE,
    USERGROUPS_USERS_UPDATE,
};
use super::{directory, records};
use crate::chat::health::Health;
use crate::chat::{
    CallError, FoundPerson, Known, Names, OTHER_WORKSPACE, Pause, ReadingEvents, Remote, Step,
    Workspace,
};
use crate::domain::directory::{Channel, Source, Team};
use crate::domain::directory_reading::Reading;
use crate::domain::ids::{ChannelId, GroupId, UserId};
use crate::runtime::clock::{Clock, monotonic};
use jiff::SignedDuration;
use serde_json::Value;
use std::time::Instant;

static NAMES: Names = Names {
    name: "slack",
    title: SLACK,
    source: Source::Slack,
    setting: "slack.bot_token",
    write: "write a token of the database's workspace",
    workspace: "the Slack workspace",
};

impl Remote for Slack {
    fn names(&self) -> &'static Names {
        &NAMES
    }

    fn health(&self) -> &Health {
        &self.health
    }

    fn clock(&self) -> &Clock {
        &self.clock
    }

    fn meanwhile(&self) -> &ReadingEvents {
        &self.meanwhile
    }

    fn ask_workspace(&self) -> Result<Workspace, CallError> {
        let answer = self.send(&AUTH_TEST, &Value::Null)?;
        let text = |name: &str| answer[name].as_str().map(str::to_owned);
        let Some(team_id) = text("team_id") else {
            return Err(CallError::Transient("auth.test names no team".into()));
        };
        let workspace = Workspace {
            team_id,
            team: text("team"),
            url: text("url"),
            user_id: text("user_id"),
            bot_id: text("bot_id"),
        };
        if let Some(known) = self.health.workspace()
            && known.team_id != workspace.team_id
        {
            return Err(self.pause(Pause {
                by: SLACK,
                code: OTHER_WORKSPACE.into(),
                needed: Some(format!(
                    "this is a token of the workspace {}, and the people are from {}",
                    workspace.team_id, known.team_id
                )),
            }));
        }
        self.health.found(workspace.clone());
        if self.health.resume() {
            log::info!("slack: the token is taken again");
        }
        Ok(workspace)
    }

    fn read(&self, team: Team, _: &Known, deadline: Instant) -> Result<Reading, CallError> {
        directory::read(self, team, deadline)
    }

    fn read_person(&self, team: &str, user: &UserId) -> Result<Option<FoundPerson>, CallError> {
        directory::person(self, team, user)
    }

    fn read_channel(&self, team: &str, id: &ChannelId) -> Result<Option<Channel>, CallError> {
        directory::channel(self, team, id)
    }

    fn could_be(&self, id: &str) -> bool {
        records::is_id(id)
    }

    fn sync_every(&self) -> SignedDuration {
        self.settings().sync_every
    }

    fn readings_depend_on(&self) -> String {
        self.settings().away_emoji.join(" ")
    }

    fn opens(&self, step: Step, channel: &str) -> Option<Instant> {
        let method = match step {
            Step::Post => &CHAT_POST_MESSAGE,
            Step::SetTopic => &CONVERSATIONS_SET_TOPIC,
            Step::FillGroup => &USERGROUPS_USERS_UPDATE,
            Step::EnableGroup => &USERGROUPS_ENABLE,
            Step::DisableGroup => &USERGROUPS_DISABLE,
        };
        self.gates.opens(method, channel, monotonic())
    }

    fn opens_next(&self) -> Option<Instant> {
        self.gates.opens_next(&CHAT_POST_MESSAGE, monotonic())
    }

    fn has_socket(&self) -> bool {
        self.settings().app_token.is_some()
    }

    fn wants_groups(&self, group: &GroupId) -> bool {
        // Slack lists all groups by one call, which serves all that are due.
        !self.group_people.has(group, monotonic())
    }

    fn expect_groups(&self, due: Vec<GroupId>) {
        self.group_people.expect(due);
    }
}
