//! When each method may be called next, on real time: our own pace, and what Slack asks for.

use super::method::{Method, Pace};
use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Between the end of one message to a channel and the next one.
const BETWEEN_MESSAGES: Duration = Duration::from_secs(1);

/// The calls of one `usergroups` method within [`MINUTE`].
const CALLS_A_MINUTE: usize = 20;

/// The time in which calls are counted: from the end of a call, because nobody knows when on the way it arrived.
const MINUTE: Duration = Duration::from_secs(60);

/// A unit of pacing: a method, or the messages to one channel.
type Gate = (&'static str, String);

#[derive(Default)]
struct State {
    /// Closed until then.
    closed: HashMap<Gate, Instant>,
    /// The last calls of paced methods, oldest first.
    calls: HashMap<&'static str, VecDeque<Instant>>,
}

/// The gates before all calls.
#[derive(Default)]
pub(super) struct Gates(Mutex<State>);

impl Gates {
    /// Takes a turn for a call now.
    ///
    /// # Errors
    /// The instant before which the call must not be made.
    pub(super) fn enter(
        &self,
        method: &Method,
        channel: &str,
        now: Instant,
    ) -> Result<(), Instant> {
        let mut state = self.state();
        let gate = gate(method, channel);
        if let Some(until) = state
            .closed
            .get(&gate)
            .copied()
            .filter(|until| *until > now)
        {
            return Err(until);
        }
        match method.pace {
            Pace::Free => {}
            Pace::PerChannel => {
                // Gates that are open again are forgotten, so that the map does not grow with every channel.
                state.closed.retain(|_, until| *until > now);
                state.closed.insert(gate, now + BETWEEN_MESSAGES);
            }
            Pace::PerMinute => {
                let calls = state.calls.entry(method.name).or_default();
                while calls.front().is_some_and(|at| *at + MINUTE <= now) {
                    calls.pop_front();
                }
                if let Some(first) = calls.front().filter(|_| calls.len() >= CALLS_A_MINUTE) {
                    return Err(*first + MINUTE);
                }
                calls.push_back(now);
            }
        }
        Ok(())
    }

    /// Counts a call that entered at `entered` as made when it ends.
    pub(super) fn leave(&self, method: &Method, channel: &str, entered: Instant, now: Instant) {
        match method.pace {
            Pace::Free => {}
            Pace::PerChannel => self.close(method, channel, now + BETWEEN_MESSAGES),
            Pace::PerMinute => {
                let mut state = self.state();
                let calls = state.calls.entry(method.name).or_default();
                if let Some(call) = calls.iter().position(|at| *at == entered) {
                    calls.remove(call);
                }
                let place = calls.partition_point(|at| *at <= now);
                calls.insert(place, now);
            }
        }
    }

    /// Closes the gate of a call until an instant, because Slack asks for it.
    pub(super) fn close(&self, method: &Method, channel: &str, until: Instant) {
        let mut state = self.state();
        let closed = state.closed.entry(gate(method, channel)).or_insert(until);
        *closed = until.max(*closed);
    }

    /// Until when calls to a method and channel are closed; `None` if one can be made now. Takes no turn.
    pub(super) fn opens(&self, method: &Method, channel: &str, now: Instant) -> Option<Instant> {
        let state = self.state();
        let closed = state.closed.get(&gate(method, channel)).copied();
        let paced = state.calls.get(method.name).and_then(|calls| {
            let recent = || calls.iter().filter(|at| **at + MINUTE > now);
            let first = recent()
                .next()
                .filter(|_| recent().count() >= CALLS_A_MINUTE);
            first.map(|first| *first + MINUTE)
        });
        closed.max(paced).filter(|until| *until > now)
    }

    /// When the next gate of a method opens, of those that are closed.
    pub(super) fn opens_next(&self, method: &Method, now: Instant) -> Option<Instant> {
        let state = self.state();
        let closed = state.closed.iter();
        let of_method = closed.filter(|((name, _), until)| *name == method.name && **until > now);
        of_method.map(|(_, until)| *until).min()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn gate(method: &Method, channel: &str) -> Gate {
    let own = match method.pace {
        Pace::PerChannel => channel.to_owned(),
        Pace::Free | Pace::PerMinute => String::new(),
    };
    (method.name, own)
}

#[cfg(test)]
mod tests {
    use super::super::method::{CHAT_POST_MESSAGE, CHAT_UPDATE, USERGROUPS_USERS_UPDATE};
    use super::*;
    use crate::runtime::clock::monotonic;

    #[test]
    fn a_channel_gets_one_message_a_second() {
        let (gates, now) = (Gates::default(), monotonic());
        let at = |ms| now + Duration::from_millis(ms);
        let enter = |channel, ms| gates.enter(&CHAT_POST_MESSAGE, channel, at(ms));
        assert_eq!(enter("C1", 0), Ok(()));
        assert_eq!(enter("C1", 999), Err(at(1_000)));
        assert_eq!(enter("C2", 999), Ok(()));
        // The second is counted from the end of a call.
        gates.leave(&CHAT_POST_MESSAGE, "C1", at(0), at(300));
        assert_eq!(enter("C1", 1_299), Err(at(1_300)));
        assert_eq!(enter("C1", 1_300), Ok(()));
        let opens = gates.opens(&CHAT_POST_MESSAGE, "C1", at(1_300));
        assert_eq!(opens, Some(at(2_300)));
        assert_eq!(gates.opens(&CHAT_POST_MESSAGE, "C3", now), None);
    }

    #[test]
    fn a_method_is_called_twenty_times_a_minute() {
        let (gates, now) = (Gates::default(), monotonic());
        let at = |ms| now + Duration::from_millis(ms);
        let enter = |ms| gates.enter(&USERGROUPS_USERS_UPDATE, "", at(ms));
        for call in 0..20 {
            assert_eq!(enter(call), Ok(()));
        }
        let opens = gates.opens(&USERGROUPS_USERS_UPDATE, "", at(30));
        assert_eq!(opens, Some(at(60_000)));
        assert_eq!(enter(59_999), Err(at(60_000)));
        gates.leave(&USERGROUPS_USERS_UPDATE, "", at(0), at(500));
        assert_eq!(enter(60_000), Err(at(60_001)));
        assert_eq!(enter(60_001), Ok(()));
        assert_eq!(enter(60_001), Err(at(60_002)));
    }

    #[test]
    fn slack_closes_a_channel_or_a_method() {
        let (gates, now) = (Gates::default(), monotonic());
        let until = now + Duration::from_secs(30);
        gates.close(&CHAT_POST_MESSAGE, "C1", until);
        gates.close(&CHAT_UPDATE, "C1", until);
        assert_eq!(gates.enter(&CHAT_POST_MESSAGE, "C1", now), Err(until));
        assert_eq!(gates.enter(&CHAT_POST_MESSAGE, "C2", now), Ok(()));
        assert_eq!(gates.enter(&CHAT_UPDATE, "C2", now), Err(until));
        assert_eq!(gates.enter(&CHAT_UPDATE, "C2", until), Ok(()));
        // A message to another channel does not open it.
        assert_eq!(gates.enter(&CHAT_POST_MESSAGE, "C1", now), Err(until));
    }
}
