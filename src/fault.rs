//! Faults on command: what tests break in the real binary while it runs. Debug builds only; in a release every point is
//! empty and no variable is read.
//!
//! `ROTA_FAULTS` names points and what happens there, each once: `commit.ready=kill@3 timer.look=panic`. `kill` ends the
//! process as `kill -9` does, `panic` panics, `hang` never goes on, `stop` waits until the process is told to continue;
//! `@3` is the third time that the point is passed.
//! `ROTA_FAULT_CLOCK` names a file with the seconds by which the system's clock is wrong, read whenever the clock is.
//! `ROTA_FAULT_ROOM` is how many MiB of answers one credential may have waiting, two of them an address, three all together.
//! `ROTA_FAULT_LATE` is after how many seconds a thread that does nothing counts as hanging.
//!
//! | Point | Where |
//! |---|---|
//! | `commit.begun` `commit.ready` `commit.done` | a batch of writes: begun; run, not committed; committed, nobody told |
//! | `due.batch` | between two commits of what fell due |
//! | `send.taken` `send.answered` | a delivery: written down, not dialled; answered, not recorded |
//! | `chat.posted` `chat.topic` `chat.group` | a message, a topic, a user group: changed on the platform, not recorded |
//! | `request` `connection` | a request, within what catches panics; a connection, outside of it |
//! | `accept.thread` | a connection accepted, on the thread that accepts |
//! | `timer.look` | the timer's look, within what catches panics |
//! | `timer.thread` `delivery.thread` `chat.thread` `storage.thread` | a loop, outside of what catches panics |
//! | `migrate.copied` `migrate.climbed` `migrate.done` | an old database: copied; migrated, not committed; committed, the copy not under its name |
//! | `copy.made` | a copy, not under its name yet |
//! | `restore.linked` `restore.aside` | the replaced file has a second name, its log has not gone along; it has, the new file is not in its place |

/// A place that a test may break.
#[inline(always)]
pub fn point(name: &str) {
    #[cfg(debug_assertions)]
    armed::pass(name);
    #[cfg(not(debug_assertions))]
    let _ = name;
}

/// The same for a part of what has a name, up to the first colon: `chat: topics` is `chat`.
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

/// By how many seconds the system's clock is wrong.
#[inline(always)]
pub fn clock_shift() -> i64 {
    #[cfg(debug_assertions)]
    return armed::clock_shift();
    #[cfg(not(debug_assertions))]
    0
}

/// After how many seconds a thread that does nothing counts as hanging, where it is not `usual`.
#[inline(always)]
pub fn late(usual: u64) -> u64 {
    #[cfg(debug_assertions)]
    return armed::late().unwrap_or(usual);
    #[cfg(not(debug_assertions))]
    usual
}

/// The MiB of answers that one credential may have waiting, where a test has set them.
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

    struct Fault {
        point: String,
        act: Act,
        /// Passes until it happens.
        passes: AtomicU64,
    }

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Act {
        Kill,
        Panic,
        Hang,
        Stop,
    }

    fn parse(word: &str) -> Option<Fault> {
        let (point, rest) = word.split_once('=')?;
        let (act, passes) = rest.split_once('@').unwrap_or((rest, "1"));
        Some(Fault {
            point: point.to_owned(),
            act: match act {
                "kill" => Act::Kill,
                "panic" => Act::Panic,
                "hang" => Act::Hang,
                "stop" => Act::Stop,
                _ => return None,
            },
            passes: AtomicU64::new(passes.parse().ok()?),
        })
    }

    fn faults() -> &'static [Fault] {
        static FAULTS: OnceLock<Vec<Fault>> = OnceLock::new();
        FAULTS.get_or_init(|| {
            let text = std::env::var("ROTA_FAULTS").unwrap_or_default();
            let read = |word| parse(word).unwrap_or_else(|| panic!("ROTA_FAULTS: {word}"));
            text.split_whitespace().map(read).collect()
        })
    }

    pub(super) fn pass(name: &str) {
        let mut now = None;
        // All are counted before anything happens: a panic at one must not keep the others from counting.
        for fault in faults().iter().filter(|fault| fault.point == name) {
            // Below zero it has happened.
            if fault.passes.fetch_sub(1, Ordering::SeqCst) == 1 {
                now = Some(fault.act);
            }
        }
        match now {
            None => {}
            Some(Act::Kill) => {
                drop(signal_hook::low_level::raise(signal_hook::consts::SIGKILL));
                hang()
            }
            Some(Act::Panic) => panic!("a fault was asked for at {name}"),
            Some(Act::Hang) => hang(),
            Some(Act::Stop) => {
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
        fn faults_are_read() {
            for (word, expected) in [
                ("a.b=kill", Some(("a.b", Act::Kill, 1))),
                ("a=panic@3", Some(("a", Act::Panic, 3))),
                ("a=hang@12", Some(("a", Act::Hang, 12))),
                ("a=stop", Some(("a", Act::Stop, 1))),
                ("a=burn", None),
                ("a=kill@", None),
                ("a", None),
            ] {
                let found = parse(word);
                let found = found.as_ref().map(|fault| {
                    let passes = fault.passes.load(Ordering::SeqCst);
                    (fault.point.as_str(), fault.act, passes)
                });
                assert_eq!(found, expected, "{word}");
            }
        }
    }
}
