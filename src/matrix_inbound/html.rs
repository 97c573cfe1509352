//! How answers are written: HTML as clients of Matrix show it.

use crate::chat::matrix::escaped;
use crate::client::encode_segment;
use crate::domain::ids::UserId;
use crate::domain::time::FOREVER;
use crate::domain::wording::one_line;
use crate::domain::zones::ZoneName;
use crate::talk::{Markup, times};
use jiff::Timestamp;

/// The longest answer, in bytes: an event takes 64 KiB, and has the text twice.
const LONGEST: usize = 20_000;

/// The markup.
pub struct Html;

impl Markup for Html {
    fn plain(&self, text: &str) -> String {
        escaped(&one_line(text))
    }

    fn person(&self, user: &UserId, name: Option<&str>) -> String {
        let name = self.plain(name.unwrap_or(user.as_str()));
        let id = encode_segment(user.as_str());
        format!("<a href=\"https://matrix.to/#/{id}\">{name}</a>")
    }

    fn uses_names(&self) -> bool {
        true
    }

    fn time(&self, at: Timestamp, zone: ZoneName) -> String {
        let text = times::text(at, zone);
        match at >= FOREVER {
            true => text,
            false => format!("{text} ({})", zone.as_str()),
        }
    }

    fn strong(&self, written: &str) -> String {
        format!("<strong>{written}</strong>")
    }

    fn code(&self, text: &str) -> String {
        format!("<code>{}</code>", self.plain(text))
    }

    fn link(&self, url: &str, text: &str) -> String {
        // The address stands there too: some clients show the text alone.
        let (url, text) = (self.plain(url), self.plain(text));
        format!("<a href=\"{url}\">{text}</a> ({url})")
    }

    fn quote(&self, text: &str) -> String {
        format!("<blockquote>{}</blockquote>", self.plain(text))
    }
}

/// Lines as one text. What is too long for an event is left out.
pub fn joined(lines: &[String]) -> String {
    let mut html = String::new();
    for line in lines {
        if html.len() + line.len() > LONGEST {
            html.push_str("\n…");
            break;
        }
        if !html.is_empty() {
            html.push('\n');
        }
        html.push_str(line);
    }
    html.replace("\n<blockquote>", "<blockquote>")
        .replace("</blockquote>\n", "</blockquote>")
        .replace('\n', "<br>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_markup_but_ours() {
        let ana: UserId = "@ana/é:a.org".into();
        assert_eq!(
            Html.person(&ana, Some("Ana <b>")),
            "<a href=\"https://matrix.to/#/@ana%2F%C3%A9:a.org\">Ana &lt;b&gt;</a>"
        );
        assert_eq!(Html.code("a <b>"), "<code>a &lt;b&gt;</code>");
        let lines = [
            "a".to_owned(),
            format!("b\n{}", Html.quote("c\nd")),
            "e".into(),
        ];
        assert_eq!(joined(&lines), "a<br>b<blockquote>c d</blockquote>e");
        let zone = ZoneName::parse("Europe/Oslo").unwrap();
        let at = "2026-11-23T08:00:00Z".parse().unwrap();
        assert_eq!(Html.time(at, zone), "Mon 23 Nov 2026, 09:00 (Europe/Oslo)");
    }

    #[test]
    fn long_answers_are_cut() {
        let lines = vec!["x".repeat(900); 100];
        let html = joined(&lines);
        assert!(html.len() <= LONGEST + 100 && html.ends_with("<br>…"));
    }
}
