//! Mentions: questions to the people on call, and their answers.

use super::ids::{ChannelId, MentionId, RotationId, UserId};
use super::refusal::Refusal;
use crate::domain::words::words;
use jiff::{SignedDuration, Timestamp};

/// A rotation's settings for mentions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MentionSettings {
    /// How long a mention waits for an answer.
    pub expires_after_minutes: u32,
    /// The interval between notices; `None` notifies once.
    pub remind_after_minutes: Option<u32>,
    /// Whether the people on call are notified one at a time instead of all at once.
    pub one_at_a_time: bool,
    /// Whether acknowledging a mention rotates to the next person.
    pub rotate_after_acknowledgement: bool,
}

impl Default for MentionSettings {
    fn default() -> MentionSettings {
        MentionSettings {
            expires_after_minutes: 60,
            remind_after_minutes: None,
            one_at_a_time: false,
            rotate_after_acknowledgement: false,
        }
    }
}

/// The longest duration of a setting, in minutes: a week.
pub const MOST_MINUTES: u32 = 7 * 24 * 60;

/// The maximum number of mentions of a rotation per day, including closed ones: each posts a message in a channel.
pub const MAX_A_DAY: usize = 1_000;

/// A mention and its state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    pub id: MentionId,
    pub rotation: RotationId,
    /// The channel in which people are notified.
    pub channel: ChannelId,
    /// `None` if it did not come from a message of the channel.
    pub thread: Option<Thread>,
    /// The person who asks.
    pub asker: UserId,
    pub message: Option<String>,
    pub state: MentionState,
    /// In order of notification.
    pub notified: Vec<UserId>,
    /// The notified people who have passed.
    pub passed: Vec<UserId>,
    pub acknowledged_by: Option<UserId>,
    pub opened_at: Timestamp,
    pub expires_at: Timestamp,
    /// When the next notice is due.
    pub remind_at: Option<Timestamp>,
    pub closed_at: Option<Timestamp>,
    /// The settings at opening.
    pub settings: MentionSettings,
}

/// The thread of a channel that a mention came from, as the platform names it. What comes of the mention is told there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread(pub String);

words! {
    /// The state of a mention: `open`; `acknowledged`; `passed`, everybody notified has passed; `expired`, nobody answered
    /// in time; `nobody`, nobody was on call.
    pub enum MentionState {
        Open = "open",
        Acknowledged = "acknowledged",
        Passed = "passed",
        Expired = "expired",
        Nobody = "nobody",
    }
}

/// A notice to the channel of a mention.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// These people are notified.
    Asked(Vec<UserId>),
    /// These people are notified again.
    AskedAgain(Vec<UserId>),
    Acknowledged(UserId),
    Passed,
    Expired,
    Nobody,
}

/// The parameters of a new mention.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewMention {
    pub asker: UserId,
    pub channel: ChannelId,
    /// The thread that it comes from.
    pub thread: Option<Thread>,
    pub message: Option<String>,
}

fn after(at: Timestamp, minutes: u32) -> Timestamp {
    let wait = SignedDuration::from_mins(minutes.into());
    at.saturating_add(wait).unwrap_or(Timestamp::MAX)
}

impl Mention {
    /// Opens a mention for the people on call, in the order of slots. If nobody is on call, it closes at once.
    pub fn open(
        id: MentionId,
        rotation: RotationId,
        new: NewMention,
        on_call: &[UserId],
        settings: MentionSettings,
        now: Timestamp,
    ) -> (Mention, Notice) {
        let first = if settings.one_at_a_time {
            1
        } else {
            on_call.len()
        };
        let notified: Vec<UserId> = on_call.iter().take(first).cloned().collect();
        let mut mention = Mention {
            id,
            rotation,
            channel: new.channel,
            thread: new.thread,
            asker: new.asker,
            message: new.message,
            state: MentionState::Open,
            notified: notified.clone(),
            passed: Vec::new(),
            acknowledged_by: None,
            opened_at: now,
            expires_at: after(now, settings.expires_after_minutes),
            remind_at: None,
            closed_at: None,
            settings,
        };
        if notified.is_empty() {
            mention.close(MentionState::Nobody, now);
            return (mention, Notice::Nobody);
        }
        mention.remind_after(now);
        (mention, Notice::Asked(notified))
    }

    /// When something is due; `None` once it is closed.
    pub fn due_at(&self) -> Option<Timestamp> {
        let expires = Some(self.expires_at).filter(|_| self.state == MentionState::Open);
        expires.into_iter().chain(self.remind_at).min()
    }

    /// Refuses answers of people who were not notified, and all answers to a closed mention.
    pub fn check_answer(&self, person: &UserId) -> Result<(), Refusal> {
        if !self.notified.contains(person) {
            let why = "only somebody whom the mention has notified may answer it";
            return Err(Refusal::ResourceDenied(why.into()));
        }
        match self.state {
            MentionState::Open => Ok(()),
            state => Err(Refusal::MentionNotOpen(state.name())),
        }
    }

    /// A person acknowledges the mention.
    pub fn acknowledge(&mut self, person: &UserId, now: Timestamp) -> Notice {
        self.acknowledged_by = Some(person.clone());
        self.close(MentionState::Acknowledged, now);
        Notice::Acknowledged(person.clone())
    }

    /// A person passes the mention on, to the next person on call if they are notified one at a time. Once everyone has passed it
    /// is closed. Passing twice changes nothing.
    pub fn pass(&mut self, person: &UserId, on_call: &[UserId], now: Timestamp) -> Option<Notice> {
        if self.passed.contains(person) {
            return None;
        }
        self.passed.push(person.clone());
        if let Some(next) = self.ask_next(on_call, now) {
            return Some(next);
        }
        let all = self
            .notified
            .iter()
            .all(|asked| self.passed.contains(asked));
        all.then(|| {
            self.close(MentionState::Passed, now);
            Notice::Passed
        })
    }

    /// Processes what is due: the mention expires, or people are notified again; if one at a time, the next person.
    pub fn move_on(&mut self, on_call: &[UserId], now: Timestamp) -> Option<Notice> {
        if self.state != MentionState::Open {
            return None;
        }
        if self.expires_at <= now {
            self.close(MentionState::Expired, now);
            return Some(Notice::Expired);
        }
        if self.remind_at.is_none_or(|at| at > now) {
            return None;
        }
        if let Some(next) = self.ask_next(on_call, now) {
            return Some(next);
        }
        self.remind_after(now);
        if !self.settings.one_at_a_time {
            // People who have come on call since are notified too; those who have gone off are not.
            let new = |person: &&UserId| !self.notified.contains(person);
            let new: Vec<UserId> = on_call.iter().filter(new).cloned().collect();
            self.notified.extend(new);
        }
        let silent = |asked: &&UserId| !self.passed.contains(asked);
        let silent: Vec<&UserId> = self.notified.iter().filter(silent).collect();
        let here = silent.iter().filter(|asked| on_call.contains(asked));
        let here: Vec<UserId> = here.map(|asked| (*asked).clone()).collect();
        let asked = match here.is_empty() {
            true => silent.into_iter().cloned().collect(),
            false => here,
        };
        Some(Notice::AskedAgain(asked))
    }

    fn ask_next(&mut self, on_call: &[UserId], now: Timestamp) -> Option<Notice> {
        if !self.settings.one_at_a_time {
            return None;
        }
        let next = on_call
            .iter()
            .find(|person| !self.notified.contains(person))?;
        self.notified.push(next.clone());
        self.remind_after(now);
        Some(Notice::Asked(vec![next.clone()]))
    }

    fn remind_after(&mut self, now: Timestamp) {
        let next = self
            .settings
            .remind_after_minutes
            .map(|minutes| after(now, minutes));
        self.remind_at = next.filter(|at| *at < self.expires_at);
    }

    fn close(&mut self, state: MentionState, now: Timestamp) {
        self.state = state;
        self.remind_at = None;
        self.closed_at = Some(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(names: &str) -> Vec<UserId> {
        names.split_whitespace().map(Into::into).collect()
    }

    fn at(minute: i64) -> Timestamp {
        let begun: Timestamp = "2026-11-23T08:00:00Z".parse().unwrap();
        begun + SignedDuration::from_mins(minute)
    }

    /// Runs a script: `pass a`, `ack a`, `5` (minutes since the beginning). Returns the notices of each step and the final
    /// state.
    fn play(settings: MentionSettings, on_call: &str, script: &str) -> String {
        let new = NewMention {
            asker: "q".into(),
            channel: "c".into(),
            thread: None,
            message: None,
        };
        let on_call = ids(on_call);
        let (id, rotation) = ("men_1".into(), "rot_1".into());
        let (mut mention, notice) = Mention::open(id, rotation, new, &on_call, settings, at(0));
        let mut shown = vec![tell(&notice)];
        let mut now = 0;
        for step in script.split(", ").filter(|step| !step.is_empty()) {
            let notice = match step.split_once(' ') {
                Some(("pass", person)) => mention.pass(&person.into(), &on_call, at(now)),
                Some((_, person)) => Some(mention.acknowledge(&person.into(), at(now))),
                None => {
                    let to: i64 = step.parse().unwrap();
                    let mut last = None;
                    while let Some(due) = mention.due_at().filter(|due| *due <= at(to)) {
                        last = mention.move_on(&on_call, due);
                    }
                    now = to;
                    last
                }
            };
            shown.push(notice.as_ref().map_or("-".into(), tell));
        }
        format!("{} = {}", shown.join("; "), mention.state.name())
    }

    fn tell(notice: &Notice) -> String {
        let names = |people: &[UserId]| {
            people
                .iter()
                .map(UserId::as_str)
                .collect::<Vec<_>>()
                .join("+")
        };
        match notice {
            Notice::Asked(people) => format!("ask {}", names(people)),
            Notice::AskedAgain(people) => format!("again {}", names(people)),
            Notice::Acknowledged(person) => format!("ack {person}"),
            Notice::Passed => "passed".into(),
            Notice::Expired => "expired".into(),
            Notice::Nobody => "nobody".into(),
        }
    }

    #[test]
    fn mentions_run_their_course() {
        let usual = MentionSettings::default();
        let single = MentionSettings {
            one_at_a_time: true,
            ..usual
        };
        let reminds = MentionSettings {
            remind_after_minutes: Some(20),
            ..usual
        };
        let chain = MentionSettings {
            one_at_a_time: true,
            ..reminds
        };
        for (settings, on_call, script, expected) in [
            (usual, "", "", "nobody = nobody"),
            (usual, "a b", "ack b", "ask a+b; ack b = acknowledged"),
            (
                usual,
                "a b",
                "pass a, pass a, pass b",
                "ask a+b; -; -; passed = passed",
            ),
            (
                usual,
                "a b",
                "pass a, 59, 60",
                "ask a+b; -; -; expired = expired",
            ),
            (usual, "a", "pass a", "ask a; passed = passed"),
            (
                single,
                "a b",
                "pass a, pass b",
                "ask a; ask b; passed = passed",
            ),
            (single, "a b", "59, 60", "ask a; -; expired = expired"),
            (
                reminds,
                "a b",
                "19, 20, pass a, 40, 60",
                "ask a+b; -; again a+b; -; again b; expired = expired",
            ),
            (
                chain,
                "a b",
                "20, 40, 60",
                "ask a; ask b; again a+b; expired = expired",
            ),
            (
                chain,
                "a b",
                "20, pass a, 59",
                "ask a; ask b; -; again b = open",
            ),
        ] {
            assert_eq!(play(settings, on_call, script), expected, "{script}");
        }
    }

    #[test]
    fn answers_are_for_those_who_were_asked() {
        let new = NewMention {
            asker: "q".into(),
            channel: "c".into(),
            thread: None,
            message: None,
        };
        let settings = MentionSettings::default();
        let (id, rotation) = ("men_1".into(), "rot_1".into());
        let (mut mention, _) = Mention::open(id, rotation, new, &ids("a"), settings, at(0));
        assert_eq!(mention.check_answer(&"a".into()), Ok(()));
        let denied = mention.check_answer(&"q".into());
        assert!(matches!(denied, Err(Refusal::ResourceDenied(_))));
        mention.acknowledge(&"a".into(), at(1));
        assert_eq!(mention.due_at(), None);
        let closed = mention.check_answer(&"a".into());
        assert_eq!(closed, Err(Refusal::MentionNotOpen("acknowledged")));
    }
}
