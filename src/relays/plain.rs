//! Text of people without what changes how other text is read.

use crate::domain::ids::UserId;
use crate::domain::message::PeopleNames;
use crate::domain::wording::{self, NameForms, Renderer, turns_direction};
use crate::domain::zones::ZoneName;
use jiff::Timestamp;

/// A text on one line, without control characters and without those that change the direction of the text around them: a name
/// must not hide or reorder what stands beside it.
pub fn plain(text: &str) -> String {
    let breaks = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    let kept = text.chars().filter(|c| !turns_direction(*c));
    kept.map(|c| if breaks(c) { ' ' } else { c }).collect()
}

/// Words for a reader of plain text.
pub struct Plain<'a> {
    pub names: &'a PeopleNames,
    /// The reader's.
    pub zone: ZoneName,
}

impl Renderer for Plain<'_> {
    fn named(&self, user: &UserId) -> NameForms {
        let name = self.names.get(user).map_or(user.as_str(), String::as_str);
        NameForms {
            name: plain(name),
            handle: plain(name),
        }
    }

    fn plain(&self, text: &str) -> String {
        plain(text)
    }

    fn time(&self, at: Timestamp, _: Option<ZoneName>) -> String {
        wording::time(at, Some(self.zone))
    }
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn text_stays_on_its_line_and_in_its_direction() {
        for (text, shown) in [
            ("Ana Ruiz", "Ana Ruiz"),
            ("a\r\nBcc: x", "a  Bcc: x"),
            ("evil\u{202e}txt.exe", "eviltxt.exe"),
            ("\u{2067}\u{5d0}\u{2069}", "\u{5d0}"),
            ("a\u{2028}b\0c", "a b c"),
        ] {
            assert_eq!(plain(text), shown, "{text:?}");
        }
    }
}
