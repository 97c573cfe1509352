//! Shows the progress of a long step on a terminal.

use std::io::{IsTerminal, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// The interval between updates of the line.
const THROTTLE: Duration = Duration::from_millis(200);

/// Runs a step. If standard error is a terminal, shows `line` meanwhile and clears it at the end.
pub(super) fn watch<T>(line: impl Fn() -> String + Send, step: impl FnOnce() -> T) -> T {
    let stderr = std::io::stderr();
    if stderr.is_terminal() {
        watch_on(stderr, line, step)
    } else {
        step()
    }
}

/// The progress line of a copy, in bytes done and in total.
pub(super) fn copying(done: u64, total: u64) -> String {
    // The total is an estimate: it is read before the copy's own snapshot begins.
    let done = done.min(total);
    let percent = (done * 100).checked_div(total).unwrap_or(100);
    let megabytes = |bytes: u64| bytes as f64 / 1e6;
    let (done, total) = (megabytes(done), megabytes(total));
    format!("copying: {done:.1} of {total:.1} MB ({percent} %)")
}

fn watch_on<T>(
    out: impl Write + Send,
    line: impl Fn() -> String + Send,
    step: impl FnOnce() -> T,
) -> T {
    let (done, finished) = channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(|| draw(out, line, finished));
        let outcome = step();
        drop(done);
        outcome
    })
}

fn draw(mut out: impl Write, line: impl Fn() -> String, finished: Receiver<()>) {
    // Each line overwrites the previous one and clears the rest. Writing to a closed terminal must not fail the step.
    let mut show = |line: &str| drop(write!(out, "\r{line}\x1b[K").and_then(|()| out.flush()));
    loop {
        show(&line());
        if finished.recv_timeout(THROTTLE) != Err(RecvTimeoutError::Timeout) {
            break;
        }
    }
    show("");
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::sync::mpsc::Sender;

    #[test]
    fn a_copy_is_told_in_megabytes_and_percent() {
        let rows = [
            (12_300_000, 40_100_000, "copying: 12.3 of 40.1 MB (30 %)"),
            (0, 40_960, "copying: 0.0 of 0.0 MB (0 %)"),
            (40_960, 40_960, "copying: 0.0 of 0.0 MB (100 %)"),
            (2_000_000, 1_000_000, "copying: 1.0 of 1.0 MB (100 %)"),
            (0, 0, "copying: 0.0 of 0.0 MB (100 %)"),
        ];
        for (done, total, expected) in rows {
            assert_eq!(copying(done, total), expected);
        }
    }

    /// Sends each flushed write to the test.
    struct Screen {
        line: Vec<u8>,
        shown: Sender<String>,
    }

    impl Write for Screen {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.line.extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            let line = String::from_utf8(std::mem::take(&mut self.line)).expect("text");
            self.shown
                .send(line)
                .map_err(|_| std::io::ErrorKind::BrokenPipe.into())
        }
    }

    #[test]
    fn a_step_is_shown_while_it_is_taken_and_cleared_after_it() {
        let (shown, screen) = channel();
        let done = AtomicU64::new(0);
        let line = || copying(done.load(Ordering::SeqCst), 10);
        let out = Screen {
            line: vec![],
            shown,
        };
        let outcome = watch_on(out, line, || {
            // Each line is drawn before the step continues, however slow the machine is.
            let first = screen.recv().expect("a line");
            done.store(10, Ordering::SeqCst);
            let second = screen.iter().find(|line| line.contains("(100 %)"));
            (first, second)
        });
        let drawn = |percent: &str| format!("\rcopying: 0.0 of 0.0 MB ({percent} %)\x1b[K");
        assert_eq!(outcome, (drawn("0"), Some(drawn("100"))));
        assert_eq!(screen.iter().last().as_deref(), Some("\r\x1b[K"));
    }

    #[test]
    fn a_terminal_that_has_gone_away_fails_no_step() {
        let (shown, screen) = channel();
        drop(screen);
        let out = Screen {
            line: vec![],
            shown,
        };
        assert_eq!(watch_on(out, || "checking ...".into(), || 7), 7);
    }
}
