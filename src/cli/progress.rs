//! How far a long run is, on a terminal.

use std::io::{IsTerminal, Write};

/// Counts steps on one line of standard error, which goes when it ends. Nothing where that is no terminal.
pub struct Progress {
    what: &'static str,
    done: usize,
    of: usize,
    is_shown: bool,
}

/// From how many steps on a run is long.
const LONG: usize = 5;

impl Progress {
    pub fn new(what: &'static str, of: usize) -> Progress {
        Progress {
            what,
            done: 0,
            of,
            is_shown: of >= LONG && std::io::stderr().is_terminal(),
        }
    }

    /// One more is begun.
    pub fn step(&mut self) {
        self.done += 1;
        if self.is_shown {
            let mut terminal = std::io::stderr().lock();
            // Where it cannot be shown there is nobody to miss it.
            drop(write!(
                terminal,
                "\r{} {} of {}\u{1b}[K",
                self.what, self.done, self.of
            ));
            drop(terminal.flush());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.is_shown && self.done > 0 {
            drop(write!(std::io::stderr().lock(), "\r\u{1b}[K"));
        }
    }
}
