//! Matrix as a platform with a directory of its own.

use super::api::Matrix;
use super::directory;
use super::writes::Rank;
use crate::chat::health::Health;
use crate::chat::{CallError, FoundPerson, Known, Names, ReadingEvents, Remote, Step, Workspace};
use crate::domain::directory::{Channel, Source, Team};
use crate::domain::directory_reading::Reading;
use crate::domain::ids::{ChannelId, GroupId, UserId};
use crate::runtime::clock::{Clock, monotonic};
use crate::runtime::wakeup::Wakeup;
use jiff::SignedDuration;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

static NAMES: Names = Names {
    name: "matrix",
    title: "Matrix",
    source: Source::Matrix,
    setting: "matrix.space",
    write: "write the space of the database's people",
    workspace: "the Matrix space",
};

/// How long an answered wait for changes counts.
const FOLLOWS: Duration = Duration::from_secs(60);

/// The longest id that Matrix permits, in bytes.
const LONGEST_ID: usize = 255;

impl Remote for Matrix {
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
        self.ask()
    }

    fn read(&self, team: Team, known: &Known, deadline: Instant) -> Result<Reading, CallError> {
        directory::read(self, team, known, deadline)
    }

    fn read_person(&self, team: &str, user: &UserId) -> Result<Option<FoundPerson>, CallError> {
        directory::read_person(self, team, user)
    }

    fn read_channel(&self, team: &str, id: &ChannelId) -> Result<Option<Channel>, CallError> {
        directory::read_channel(self, team, id)
    }

    fn could_be(&self, id: &str) -> bool {
        id.len() <= LONGEST_ID && id.starts_with(['@', '!']) && id.chars().all(|c| !c.is_control())
    }

    fn sync_every(&self) -> SignedDuration {
        self.settings.sync_every
    }

    fn readings_depend_on(&self) -> String {
        let ignored: Vec<&str> = self.settings.ignore.iter().map(UserId::as_str).collect();
        ignored.join(" ")
    }

    fn opens(&self, step: Step, _: &str) -> Option<Instant> {
        let rank = match step {
            Step::Post => Rank::Message,
            _ => Rank::State,
        };
        self.writes.opens(rank, monotonic())
    }

    fn opens_next(&self) -> Option<Instant> {
        self.writes.opens(Rank::Message, monotonic())
    }

    fn has_socket(&self) -> bool {
        true
    }

    fn is_socket_connected(&self) -> bool {
        let at = *self
            .followed_at
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        at.is_some_and(|at| at.elapsed() < FOLLOWS)
    }

    fn says_who_may_fill(&self) -> bool {
        true
    }

    fn news(&self) -> Wakeup {
        self.news.clone()
    }

    fn has_news(&self) -> bool {
        self.has_news.load(Ordering::Acquire)
    }

    fn take_news(&self) {
        self.has_news.store(false, Ordering::Release);
    }

    fn shut_down(&self) {
        self.waiting.shut_down();
    }
}

impl Matrix {
    /// Why nothing can be done in a channel; `None` if nothing is known that stands against it.
    pub fn trouble(&self, channel: &ChannelId) -> Option<String> {
        self.seen().trouble(channel.as_str())
    }

    /// Whether direct messages ring for a person: not before they have joined their direct room.
    pub fn has_joined(&self, user: &UserId) -> bool {
        let seen = self.seen();
        seen.direct.get(user).is_none_or(|direct| direct.is_joined)
    }

    /// Who is invited to a user group and has not accepted.
    pub fn not_accepted(&self, group: &GroupId) -> Vec<UserId> {
        self.seen().invited.get(group).cloned().unwrap_or_default()
    }
}
