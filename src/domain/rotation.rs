//! A rotation and the state of its duty: lanes crossed with windows make cells, and each cell has a holder (rules.md 2).

use super::absence::Absences;
pub use super::absence::Skipped;
use super::absence_policy::AbsencePolicy;
use super::arrangement::Arranged;
use super::books::{Dealing, DealtTurn, EndedTurn, MissedTurn};
use super::cadence::Cadence;
use super::coverage::{Hours, OffDays, Stretch};
pub use super::entry::{Entry, HoursHeld, PassedOver, Reason};
use super::external::External;
use super::holidays::Calendar;
use super::ids::{
    CellId, ChangeId, ChannelId, GroupId, LaneId, RosterId, RotationId, UserId, WindowId,
};
use super::key::Key;
use super::mention::MentionSettings;
use super::pending::Pending;
use super::refusal::Refusal;
use super::roster::{self, Position};
pub use super::roster::{GroupMembers, Members, Narrowed, NextTurn, Roster};
use super::trace::{Decision, Trace};
use super::warning_kinds::WarningSettings;
use super::weekly::ChannelSummary;
use super::zones::ZoneName;
use jiff::Timestamp;
use std::sync::Arc;

/// Everything that is stored of one rotation, its duty as of [`Stamps::judged_at`] included.
#[derive(Clone, Debug, PartialEq)]
pub struct Rotation {
    pub id: RotationId,
    pub profile: Profile,
    /// A disabled rotation keeps everything as it was and hands over to nobody.
    pub enabled: bool,
    /// One person may hold two slots when the list is too short to fill both.
    pub double_cover: bool,
    /// Days that the cadence skips count as not covered.
    pub skips_are_off_time: bool,
    pub absence_policy: AbsencePolicy,
    /// What becomes of missed turns, and whose shares differ.
    pub dealing: Dealing,
    pub members: Members,
    /// Rows, in dealing order; the first is primary. Never empty.
    pub lanes: Vec<Lane>,
    /// Columns. Never empty.
    pub windows: Vec<Window>,
    /// The one order of slots everywhere: window by window, lanes in dealing order within each.
    pub cells: Vec<Cell>,
    /// The common roster (no name) first, then those that cells name.
    pub rosters: Vec<Roster>,
    /// The turns that ended so lately that rest counts from them, where missed turns are traded.
    pub ended: Vec<EndedTurn>,
    /// The partner's schedule that drives it, if one does; then it has one lane, one window and one cell.
    pub external: Option<External>,
    /// The arrangements that are not over, by where they begin. Those over one cell never overlap.
    pub arranged: Vec<Arranged>,
    /// The requests among people that nobody has settled.
    pub pending: Vec<Pending>,
    /// The absences that count in it, as far back as the turns that run. They change without its version (rules.md 10.3); its
    /// validator covers those that are shown.
    pub absences: Arc<Absences>,
    /// The changes that wait for their time, by their instants and in the order made.
    pub waiting: Vec<Waiting>,
    pub stamps: Stamps,
    /// The decisions of dealing from now on, where they are to be explained or recorded. They are no part of the state.
    pub trace: Option<Trace>,
}

/// A change that waits for its time.
#[derive(Clone, Debug)]
pub struct Waiting {
    pub id: ChangeId,
    pub at: Timestamp,
    /// With everything that it has to know.
    pub planned: Arc<dyn Planned>,
}

impl PartialEq for Waiting {
    /// What a change does never changes.
    fn eq(&self, other: &Waiting) -> bool {
        (&self.id, self.at) == (&other.id, other.at)
    }
}

/// What a change does when its time comes. A rotation carries it, and knows nothing of edits.
pub trait Planned: std::fmt::Debug + Send + Sync {
    /// Applies it, without dealing.
    ///
    /// # Errors
    /// Names the member that does not fit. The rotation may have changed by then.
    fn apply(
        &self,
        rotation: &mut Rotation,
        calendar: &Calendar,
        at: Timestamp,
    ) -> Result<(), Refusal>;
}

/// The part of a rotation that only people read; no rule of dealing looks at it.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Profile {
    pub name: String,
    pub description: Option<String>,
    /// Unique in the workspace, upper case.
    pub code: Option<String>,
    pub public: bool,
    pub owners: Vec<UserId>,
    pub channels: Vec<ChannelSetting>,
    pub enable_topic: bool,
    pub topic_template: Option<String>,
    /// The name of the file that its edits come from.
    pub managed_by: Option<String>,
    /// The chat user group kept in step with whoever is on call.
    pub duty_group: Option<GroupId>,
    pub mentions: MentionSettings,
    /// Which warnings about its plan it wants.
    pub warnings: WarningSettings,
    /// The weekly summary that channels get.
    pub summary: Option<ChannelSummary>,
}

impl Profile {
    /// The channels whose topic tells who is on call.
    pub fn topic_channels(&self) -> impl Iterator<Item = &ChannelId> {
        let synced = self
            .channels
            .iter()
            .filter(|setting| self.enable_topic && setting.syncs_topic);
        synced.map(|setting| &setting.channel)
    }
}

/// The settings of one channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChannelSetting {
    pub channel: ChannelId,
    pub posts_messages: bool,
    pub syncs_topic: bool,
}

/// Counters and instants that change with every write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamps {
    /// Starts at 1, rises by exactly one with every committed change.
    pub version: u64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// The instant up to which everything due has been done; what is shown is shown as of it. It stands still while the
    /// rotation is disabled.
    pub judged_at: Timestamp,
    /// When somebody is to be reminded next that they come on.
    pub remind_at: Option<Timestamp>,
    /// When it was copied from the server that writes it; `None` on that server.
    pub copied_at: Option<Timestamp>,
}

/// A kind of duty; one person holds it at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lane {
    pub id: LaneId,
    /// The caller's own handle.
    pub key: Option<Key>,
    /// Kept, but not shown, while the lane is the only one: see [`Rotation::lane_name`].
    pub name: Option<String>,
}

/// Covered hours and the cadence of their hand-overs.
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    pub id: WindowId,
    /// The caller's own handle.
    pub key: Option<Key>,
    pub name: Option<String>,
    /// `None` on a manual rotation.
    pub zone: Option<ZoneName>,
    /// Empty: the whole week.
    pub coverage: Vec<Stretch>,
    /// `None` on a manual rotation: duty passes only when somebody says so.
    pub cadence: Option<Cadence>,
    /// As last judged.
    pub open: bool,
}

/// One lane crossed with one window.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    pub id: CellId,
    /// Index into [`Rotation::lanes`].
    pub lane: usize,
    /// Index into [`Rotation::windows`].
    pub window: usize,
    /// The roster it deals from; `None` is the common one.
    pub roster: Option<RosterId>,
    /// Kept but not running, because the tier does not include its lane.
    pub stopped: bool,
    /// Whose turn it is: on call, waiting for the window to open, or beneath an arrangement.
    pub holder: Option<Holder>,
    /// Who was passed over when its turn was dealt or, while it stands empty, in the last search for somebody.
    pub passed_over: Vec<PassedOver>,
    /// When the last arrangement over it ended.
    pub arranged_until: Option<Timestamp>,
    /// Whoever was announced last as on call in it: while its window is open, whoever is. A hand-over while the window is shut is
    /// announced when it opens.
    pub announced: Option<UserId>,
    /// The running entry of the record.
    pub entry: Entry,
}

impl Cell {
    /// A cell of the first window that deals from the common roster and that nobody has held.
    pub fn never_held(id: CellId, lane: usize, at: Timestamp) -> Cell {
        Cell {
            id,
            lane,
            window: 0,
            roster: None,
            stopped: false,
            holder: None,
            passed_over: Vec::new(),
            arranged_until: None,
            announced: None,
            entry: Entry::never_held(at),
        }
    }
}

/// A dealt turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Holder {
    pub user: UserId,
    pub since: Timestamp,
    /// Absent people passed over when this turn was dealt.
    pub skipped: Vec<Skipped>,
    /// Whose own turn it is; `None` where nobody traded when it was dealt.
    pub dealt: Option<DealtTurn>,
}

/// How duty passes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Manual,
    Auto,
    /// A partner's schedule says who is on call; nothing is dealt.
    External,
}

impl Rotation {
    /// Whether what began at an instant is forecast, because it is not in the copy that a standby has: `Some(true)` or nothing.
    pub fn forecast(&self, began: Timestamp) -> Option<bool> {
        let copied_at = self.stamps.copied_at?;
        (began > copied_at).then_some(true)
    }

    /// All windows have a cadence or none has.
    pub fn mode(&self) -> Mode {
        if self.external.is_some() {
            Mode::External
        } else if self.windows.iter().any(|window| window.cadence.is_some()) {
            Mode::Auto
        } else {
            Mode::Manual
        }
    }

    /// Whether empty slots are dealt by themselves.
    pub fn deals_itself(&self) -> bool {
        self.enabled && self.mode() == Mode::Auto
    }

    /// The hours of a window, with the days that the cadence skips where those count as off.
    pub fn hours(&self, window: &Window) -> Hours {
        let off = window
            .cadence
            .as_ref()
            .filter(|_| self.skips_are_off_time)
            .map(OffDays::of);
        Hours {
            zone: window.zone,
            coverage: window.coverage.clone(),
            off,
        }
    }

    /// A window's hours as the record keeps them.
    pub fn hours_held(&self, window: &Window) -> HoursHeld {
        HoursHeld {
            zone: window.zone,
            always_open: self.hours(window).always_open(),
            coverage: window.coverage.clone(),
        }
    }

    /// The hours under which an entry was recorded, by its window, if that is still there. Days off are not recorded: they are
    /// those of today, where the hours are still the same.
    pub fn hours_then(&self, window: Option<&Window>, entry: &Entry) -> Hours {
        match window.filter(|window| self.hours_held(window) == *entry.hours) {
            Some(window) => self.hours(window),
            None => Hours {
                zone: entry.hours.zone,
                coverage: entry.hours.coverage.clone(),
                off: None,
            },
        }
    }

    /// When the first of the changes that wait is applied.
    pub fn next_change(&self) -> Option<Timestamp> {
        self.waiting.first().map(|first| first.at)
    }

    /// The same without the changes that wait.
    pub fn without_changes(&self) -> Rotation {
        Rotation {
            waiting: Vec::new(),
            ..self.clone()
        }
    }

    /// The window of an id, if it is there.
    pub fn window(&self, id: &WindowId) -> Option<&Window> {
        self.windows.iter().find(|window| window.id == *id)
    }

    /// The name of a lane as it is shown: the only lane shows none.
    pub fn lane_name(&self, lane: usize) -> Option<&String> {
        let shown = self.lanes[lane].name.as_ref();
        shown.filter(|_| self.lanes.len() > 1)
    }

    /// The cells that the tier lets run.
    pub fn running(&self) -> impl Iterator<Item = &Cell> {
        self.cells.iter().filter(|cell| !cell.stopped)
    }

    /// The roster that a cell deals from, as an index into [`Rotation::rosters`].
    pub fn roster_index(&self, id: Option<&RosterId>) -> usize {
        let position = self
            .rosters
            .iter()
            .position(|roster| roster.id.as_ref() == id);
        position.expect("a rotation is loaded with every roster that its cells name")
    }

    /// The roster that a cell deals from.
    pub fn roster(&self, id: Option<&RosterId>) -> &Roster {
        &self.rosters[self.roster_index(id)]
    }

    /// The windows that deal from a roster, in their order. A stopped cell deals again some day, so its window counts.
    pub fn windows_of(&self, roster: Option<&RosterId>) -> Vec<usize> {
        let deals = |window: &usize| {
            let mut cells = self.cells.iter();
            cells.any(|cell| cell.window == *window && cell.roster.as_ref() == roster)
        };
        (0..self.windows.len()).filter(deals).collect()
    }

    /// A roster's people in the order duty passes through.
    pub fn order(&self, roster: &Roster) -> Vec<Position> {
        roster::order(&self.members, roster.narrowed.as_ref())
    }

    /// The position of a person in a cell's order; `None` for somebody who is not in its roster.
    pub fn turn_of(&self, cell: &Cell, user: &UserId) -> Option<usize> {
        let order = self.order(self.roster(cell.roster.as_ref()));
        order.iter().position(|position| &position.user == user)
    }

    /// Lets the next turns of every roster follow a change of members, lists or grid. A window that dealt from the roster before
    /// keeps pointing at the same person. One that begins to deal from it, and every one where the list was empty, starts spread
    /// over the list.
    pub fn follow(&mut self, before: &Rotation) {
        if self.dealing.missed_turn == MissedTurn::Lost {
            // No rest counts from them, and later ones are not noted.
            self.ended.clear();
        }
        for index in 0..self.rosters.len() {
            let roster = &self.rosters[index];
            let new = self.order(roster);
            let known = before.rosters.iter().find(|known| known.id == roster.id);
            let old = known.map_or_else(Vec::new, |known| before.order(known));
            let known = known.filter(|_| !old.is_empty());
            let windows = self.windows_of(roster.id.as_ref());
            let next_turn = |(k, window): (usize, &usize)| {
                let window = &self.windows[*window].id;
                let kept = known.and_then(|known| known.line(window));
                let mut next = NextTurn {
                    window: window.clone(),
                    turn: match kept {
                        Some(kept) => roster::repoint(&old, kept.turn, &new),
                        None => roster::spread(k, windows.len(), new.len()),
                    },
                    books: kept.map(|kept| kept.books.clone()).unwrap_or_default(),
                };
                next.keep(&new, &self.dealing);
                next
            };
            let next_turns = windows.iter().enumerate().map(next_turn).collect();
            self.rosters[index].next_turns = next_turns;
        }
    }

    /// Takes what was decided off the trace: the slots that stand as the last decision about them left them, with that decision, in
    /// their order.
    pub fn take_decisions(&mut self) -> Vec<(usize, Decision)> {
        let Some(trace) = &mut self.trace else {
            return Vec::new();
        };
        let mut decided = trace.take();
        let cells = self.cells.iter().enumerate();
        let standing = cells.filter_map(|(index, cell)| {
            let decision = decided.remove(&cell.id)?;
            let stands = match (&cell.holder, decision.chosen()) {
                (Some(holder), Some(chosen)) => {
                    (&holder.user, holder.since) == (chosen, decision.at)
                }
                (holder, chosen) => holder.is_none() && chosen.is_none(),
            };
            stands.then_some((index, decision))
        });
        standing.collect()
    }

    /// The slot of a cell: its index into [`Rotation::cells`]; `None` where it is not there.
    pub fn slot_of(&self, id: &CellId) -> Option<usize> {
        self.cells.iter().position(|cell| &cell.id == id)
    }

    /// The slot of a cell, looked for at `slot` first: in two versions of a rotation a cell usually has the same one.
    pub fn slot_near(&self, id: &CellId, slot: usize) -> Option<usize> {
        match self.cells.get(slot) {
            Some(cell) if cell.id == *id => Some(slot),
            _ => self.slot_of(id),
        }
    }

    /// Refuses what would take somebody on or off duty while the rotation is disabled.
    pub fn check_enabled(&self) -> Result<(), Refusal> {
        match self.enabled {
            true => Ok(()),
            false => Err(Refusal::RotationDisabled),
        }
    }

    /// Refuses what would change duty by hand where a partner's schedule says who is on call.
    pub fn check_own(&self) -> Result<(), Refusal> {
        match self.external {
            None => Ok(()),
            Some(_) => Err(Refusal::ExternalReadOnly),
        }
    }

    /// Whether a person is a member, individually or through a group.
    pub fn has_member(&self, user: &UserId) -> bool {
        self.members.contains(user)
    }

    /// Whether dealing has the same people, slots and settings to go by in both. Where it has, a change is no reason to
    /// deal a slot that was emptied on purpose.
    pub fn deals_like(&self, other: &Rotation) -> bool {
        fn same<'r, K: PartialEq>(
            one: &'r Rotation,
            other: &'r Rotation,
            keys: impl Fn(&'r Rotation) -> Vec<K>,
        ) -> bool {
            keys(one) == keys(other)
        }
        self.enabled == other.enabled
            && self.double_cover == other.double_cover
            && self.skips_are_off_time == other.skips_are_off_time
            && self.absence_policy == other.absence_policy
            && self.dealing == other.dealing
            && same(self, other, |rotation| {
                rotation.lanes.iter().map(|lane| &lane.id).collect()
            })
            && same(self, other, |rotation| {
                let hours = |w: &'_ Window| (w.id.clone(), w.zone, w.coverage.clone());
                rotation.windows.iter().map(hours).collect()
            })
            && same(self, other, |rotation| {
                rotation.windows.iter().map(|w| &w.cadence).collect()
            })
            && same(self, other, |rotation| {
                let cell = |cell: &'_ Cell| (cell.id.clone(), cell.roster.clone(), cell.stopped);
                rotation.cells.iter().map(cell).collect()
            })
            && same(self, other, |rotation| {
                let narrowed = rotation.rosters.iter();
                narrowed
                    .map(|roster| (&roster.id, &roster.narrowed))
                    .collect()
            })
            && (self.members == other.members || self.lists_like(other))
    }

    /// Whether every roster of one lists the same people in the same order in the other.
    fn lists_like(&self, other: &Rotation) -> bool {
        let people = |rotation: &Rotation, roster: &Roster| -> Vec<UserId> {
            let order = rotation.order(roster).into_iter();
            order.map(|position| position.user).collect()
        };
        let mut pairs = self.rosters.iter().zip(&other.rosters);
        pairs.all(|(one, two)| people(self, one) == people(other, two))
    }

    /// Equal but for the stamps: a write that leaves this true changes nothing.
    pub fn same_as(&self, other: &Rotation) -> bool {
        self.profile == other.profile && self.same_duty_as(other)
    }

    /// Equal but for the stamps and for what people read of it.
    pub fn same_duty_as(&self, other: &Rotation) -> bool {
        // Every member by name: one that is added cannot be forgotten here.
        let Rotation {
            id,
            profile: _,
            enabled,
            double_cover,
            skips_are_off_time,
            absence_policy,
            dealing,
            members,
            lanes,
            windows,
            cells,
            rosters,
            ended,
            external,
            arranged,
            pending,
            absences: _,
            waiting,
            stamps: _,
            trace: _,
        } = self;
        let as_of = self.stamps.judged_at.max(other.stamps.judged_at);
        *id == other.id
            && *enabled == other.enabled
            && *double_cover == other.double_cover
            && *skips_are_off_time == other.skips_are_off_time
            && *absence_policy == other.absence_policy
            && *dealing == other.dealing
            && *ended == other.ended
            && *members == other.members
            && *lanes == other.lanes
            && *windows == other.windows
            && *cells == other.cells
            && *rosters == other.rosters
            && same_external(external.as_ref(), other.external.as_ref(), as_of)
            && *arranged == other.arranged
            && *pending == other.pending
            && *waiting == other.waiting
    }
}

/// Whether both follow the same schedule with the same people on call and the same changes ahead.
fn same_external(one: Option<&External>, other: Option<&External>, as_of: Timestamp) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => one.same_as(other, as_of),
        (one, other) => one.is_none() && other.is_none(),
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A manual rotation with one slot and nobody in it.
    pub fn rotation() -> Rotation {
        let begun: Timestamp = "2026-11-20T08:00:00Z".parse().unwrap();
        Rotation {
            id: "rot_1".into(),
            profile: Profile {
                name: "Ops \"1\"".into(),
                ..Profile::default()
            },
            enabled: true,
            double_cover: false,
            skips_are_off_time: false,
            absence_policy: AbsencePolicy::default(),
            dealing: Dealing::default(),
            ended: Vec::new(),
            members: Members::default(),
            lanes: vec![Lane {
                id: "lan_1".into(),
                key: None,
                name: None,
            }],
            windows: vec![Window {
                id: "win_1".into(),
                key: None,
                name: None,
                zone: None,
                coverage: Vec::new(),
                cadence: None,
                open: true,
            }],
            cells: vec![Cell::never_held("cel_1".into(), 0, begun)],
            rosters: vec![Roster {
                id: None,
                narrowed: None,
                next_turns: vec![NextTurn::new("win_1".into(), 0)],
            }],
            external: None,
            arranged: Vec::new(),
            pending: Vec::new(),
            absences: Arc::default(),
            waiting: Vec::new(),
            stamps: Stamps {
                version: 7,
                created_at: begun,
                updated_at: begun,
                judged_at: begun,
                remind_at: None,
                copied_at: None,
            },
            trace: None,
        }
    }
}
