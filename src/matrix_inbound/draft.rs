//! Something that waits to be confirmed, as it is kept.

use crate::domain::ids::RequestId;
use serde_json::{Value, json};

/// Something that waits to be confirmed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    pub what: Drafted,
    /// Names what was in the way when it was said back.
    pub seen: String,
}

/// What it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Drafted {
    /// A line as it was typed, without the word of the command.
    Line(String),
    /// Accepting a request.
    Acceptance(RequestId),
}

impl Draft {
    /// As it is stored.
    pub fn text(&self) -> String {
        let (name, what) = match &self.what {
            Drafted::Line(line) => ("line", line.as_str()),
            Drafted::Acceptance(request) => ("accept", request.as_str()),
        };
        json!({ name: what, "seen": self.seen }).to_string()
    }

    /// Reads what was stored.
    pub fn parse(text: &str) -> Option<Draft> {
        let stored: Value = serde_json::from_str(text).ok()?;
        let of = |name: &str| stored[name].as_str().map(str::to_owned);
        let line = of("line").map(Drafted::Line);
        Some(Draft {
            what: line.or_else(|| Some(Drafted::Acceptance(of("accept")?.into())))?,
            seen: of("seen")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drafts_are_read_as_they_are_written() {
        for what in [
            Drafted::Line("PLAT cover \"x\"".into()),
            Drafted::Acceptance("cov_1".into()),
        ] {
            let draft = Draft {
                what,
                seen: "ab".into(),
            };
            assert_eq!(Draft::parse(&draft.text()), Some(draft));
        }
        assert_eq!(Draft::parse("{}"), None);
        assert_eq!(Draft::parse("x"), None);
    }
}
