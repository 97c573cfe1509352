//! Colour, where it is wanted.

use std::io::IsTerminal;

/// What begins and ends colour, after an escape character.
pub const CODES: [&str; 5] = ["[1m", "[32m", "[31m", "[33m", "[0m"];

/// Whether text is coloured: on a terminal, unless `NO_COLOR` is set.
#[derive(Clone, Copy, Debug)]
pub struct Paint(bool);

impl Paint {
    /// For text to standard output.
    pub fn for_output() -> Paint {
        let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Paint(!refused && std::io::stdout().is_terminal())
    }

    #[cfg(test)]
    pub fn none() -> Paint {
        Paint(false)
    }

    fn in_colour(self, code: &str, text: &str) -> String {
        match self.0 {
            true => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
            false => text.to_owned(),
        }
    }

    pub fn bold(self, text: &str) -> String {
        self.in_colour("1", text)
    }

    /// What comes.
    pub fn added(self, text: &str) -> String {
        self.in_colour("32", text)
    }

    /// What goes.
    pub fn gone(self, text: &str) -> String {
        self.in_colour("31", text)
    }

    /// What becomes another.
    pub fn other(self, text: &str) -> String {
        self.in_colour("33", text)
    }
}
