//! Failpoints, by which tests break the running binary. Debug builds only: in a release every point is empty and no variable
//! is read.
//!
//! `ROTA_FAILPOINTS` names points and actions, each of which happens once: `commit.ready=kill@3 timer.look=panic`. `kill` ends
//! the process as `kill -9` does, `panic` panics, `hang` never returns, `stop` waits until the process gets SIGCONT; `@3` is
//! the third pass of the point.
//! `ROTA_FAULT_CLOCK` names a file with the offset of the system clock in seconds, read at each reading of the clock.
//! `ROTA_FAULT_ROOM` limits unsent responses in MiB: per credential; twice that per address, three times that in total.
//! `ROTA_FAULT_HURRY` divides the times of the Slack socket.
//! `ROTA_FAULT_LATE` is after how many seconds without a heartbeat a thread counts as hanging.
//! `ROTA_FAULT_PROBE` is after how many seconds without a write the storage is tried.
//!
//! | Point | Where |
//! |---|---|
//! | `commit.begun` `commit.ready` `commit.done` | a batch of writes: begun; run, not committed; committed, not yet signalled |
//! | `due.batch` | between two commits of what fell due |
//! | `send.taken` `send.answered` | a delivery: recorded, not sent; answered, not recorded |
//! | `chat.posted` `chat.topic` `chat.group` | a message, a topic, a user group: changed on the platform, not recorded |
//! | `mail.sent` `push.sent` `incoming.posted` | a letter, a push, a post to an incoming webhook: answered, not recorded |
//! | `slack.stored` `slack.answered` `slack.answering` | something from Slack: stored, not acknowledged; answered, not acknowledged; its request URL is about to answer |
//! | `notices.compared` `notices.told` | plans compared with what people were told: not stored yet; stored |
//! | `request` `connection` | a request, inside the panic handler; a connection, outside of it |
//! | `accept.thread` | a connection accepted, on the thread that accepts |
//! | `timer.look` | a turn of the timer, inside the panic handler |
//! | `timer.thread` `delivery.thread` `chat.thread` `storage.thread` | a loop, outside the panic handler |
//! | `migrate.copied` `migrate.climbed` `migrate.done` | an old database: copied; migrated, not committed; committed, the copy not renamed |
//! | `copy.made` | a copy, not renamed |
//! | `replica.made` | a copy for a standby, not sent |
//! | `standby.received` | a standby: a copy received and checked, not in its place |
//! | `restore.linked` `restore.aside` | the replaced file has a second name, its log does not; both do, the new file is not in place |

/// Marks a point that a test may break.
#[inline(always)]
pub fn point(name: &str) {
    #[cfg(debug_assertions)]
    armed::pass(name);
    #[cfg(not(debug_assertions))]
    let _ = name;
}

/// As [`point`], for the part of a name up to the first colon: `chat: topics` is `chat`.
#[inline(always)]
pub fn point_of(whole: &str, part: &str) {
    #[cfg(debug_assertions)]
    armed::pass(&format!(
        "{}.{part}",
        whole.split(':').next().unwrap_or(whole)
    ));
    #[cfg(not(debug_assertions))]
    let _ = (whole, part);
}

/// The offset of the system clock in seconds.
#[inline(always)]
pub fn clock_shift() -> i64 {
    #[cfg(debug_assertions)]
    return armed::clock_shift();
    #[cfg(not(debug_assertions))]
    0
}

/// After how many seconds without a heartbeat a thread counts as hanging; `usual` unless a test has set it.
#[inline(always)]
pub fn late(usual: u64) -> u64 {
    #[cfg(debug_assertions)]
    return armed::late().unwrap_or(usual);
    #[cfg(not(debug_assertions))]
    usual
}

/// After how many seconds without a write the storage is tried; `usual` unless a test has set it.
#[inline(always)]
pub fn probe(usual: u64) -> u64 {
    #[cfg(debug_assertions)]
    return armed::probe().unwrap_or(usual);
    #[cfg(not(debug_assertions))]
    usual
}

/// A time of the Slack socket; shorter if a test has set so.
pub fn hurried(usual: std::time::Duration) -> std::time::Duration {
    #[cfg(debug_assertions)]
    return match std::env::var("ROTA_FAULT_HURRY").map(|factor| factor.parse::<u32>()) {
        Ok(Ok(factor)) if factor > 0 => usual / factor,
        _ => usual,
    };
    #[cfg(not(debug_assertions))]
    usual
}

/// The MiB of unsent responses per credential, if a test has set them.
pub fn room() -> Option<usize> {
    #[cfg(debug_assertions)]
    return std::env::var("ROTA_FAULT_ROOM").ok()?.parse().ok();
    #[cfg(not(debug_assertions))]
    None
}

#[cfg(debug_assertions)]
mod armed {
    use std::path::PathBuf;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    struct Failpoint {
        point: String,
        act: Action,
        /// Passes until it happens.
        passes: AtomicU64,
    }

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Action {
        Kill,
        Panic,
        Hang,
        Stop,
    }

    fn parse(word: &str) -> Option<Failpoint> {
        let (point, rest) = word.split_once('=')?;
        let (act, passes) = rest.split_once('@').unwrap_or((rest, "1"));
        Some(Failpoint {
            point: point.to_owned(),
            act: match act {
                "kill" => Action::Kill,
                "panic" => Action::Panic,
                "hang" => Action::Hang,
                "stop" => Action::Stop,
                _ => return None,
            },
            passes: AtomicU64::new(passes.parse().ok()?),
        })
    }

    fn failpoints() -> &'static [Failpoint] {
        static FAILPOINTS: OnceLock<Vec<Failpoint>> = OnceLock::new();
        FAILPOINTS.get_or_init(|| {
            let text = std::env::var("ROTA_FAILPOINTS").unwrap_or_default();
            let read = |word| parse(word).unwrap_or_else(|| panic!("ROTA_FAILPOINTS: {word}"));
            text.split_whitespace().map(read).collect()
        })
    }

    pub(super) fn pass(name: &str) {
        let mut now = None;
        // All are counted before anything happens: a panic at one must not keep the others from counting.
        for failpoint in failpoints()
            .iter()
            .filter(|failpoint| failpoint.point == name)
        {
            // Below zero it has already happened.
            if failpoint.passes.fetch_sub(1, Ordering::SeqCst) == 1 {
                now = Some(failpoint.act);
            }
        }
        match now {
            None => {}
            Some(Action::Kill) => {
                drop(signal_hook::low_level::raise(signal_hook::consts::SIGKILL));
                hang()
            }
            Some(Action::Panic) => panic!("failpoint reached: {name}"),
            Some(Action::Hang) => hang(),
            Some(Action::Stop) => {
                drop(signal_hook::low_level::raise(signal_hook::consts::SIGSTOP));
            }
        }
    }

    fn hang() -> ! {
        loop {
            std::thread::park();
        }
    }

    pub(super) fn late() -> Option<u64> {
        static LATE: OnceLock<Option<u64>> = OnceLock::new();
        *LATE.get_or_init(|| std::env::var("ROTA_FAULT_LATE").ok()?.parse().ok())
    }

    pub(super) fn probe() -> Option<u64> {
        std::env::var("ROTA_FAULT_PROBE").ok()?.parse().ok()
    }

    pub(super) fn clock_shift() -> i64 {
        static FILE: OnceLock<Option<PathBuf>> = OnceLock::new();
        let file = FILE.get_or_init(|| std::env::var_os("ROTA_FAULT_CLOCK").map(PathBuf::from));
        let text = file.as_ref().map(std::fs::read_to_string);
        text.and_then(Result::ok)
            .and_then(|text| text.trim().parse().ok())
            .unwrap_or_default()
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn failpoints_are_read() {
            for (word, expected) in [
                ("a.b=kill", Some(("a.b", Action::Kill, 1))),
                ("a=panic@3", Some(("a", Action::Panic, 3))),
                ("a=hang@12", Some(("a", Action::Hang, 12))),
                ("a=stop", Some(("a", Action::Stop, 1))),
                ("a=burn", None),
                ("a=kill@", None),
                ("a", None),
            ] {
                let found = parse(word);
                let found = found.as_ref().map(|failpoint| {
                    let passes = failpoint.passes.load(Ordering::SeqCst);
                    (failpoint.point.as_str(), failpoint.act, passes)
                });
                assert_eq!(found, expected, "{word}");
            }
        }
    }
}
