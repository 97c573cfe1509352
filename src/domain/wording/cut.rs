//! Shortens texts without misleading cuts.

use std::borrow::Cow;

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// May be cut between words.
    Plain(String),
    /// Must not be cut: half a name is another name.
    Value(String),
}

impl Piece {
    /// The length in characters.
    pub fn length(&self) -> usize {
        match self {
            Piece::Plain(text) | Piece::Value(text) => text.chars().count(),
        }
    }
}

/// Marks a cut.
const MORE: char = '…';

/// Shortens a text to at most `most` characters: cut between two words, or next to a value, and within a value only if nothing
/// else is possible.
pub fn fit(pieces: &[Piece], most: usize) -> String {
    let mut text = String::new();
    // Byte offsets where the text may end: between words, and at both ends of values.
    let (mut blanks, mut edges) = (Vec::new(), Vec::new());
    for piece in pieces {
        match piece {
            Piece::Plain(plain) => {
                let between = plain.char_indices().filter(|(_, c)| c.is_whitespace());
                blanks.extend(between.map(|(at, _)| text.len() + at));
                text.push_str(plain);
            }
            Piece::Value(value) => {
                edges.push(text.len());
                text.push_str(value);
                edges.push(text.len());
            }
        }
    }
    let whole = text.trim();
    if whole.chars().count() <= most {
        return whole.to_owned();
    }
    let lead = text.len() - text.trim_start().len();
    let room = text[lead..].char_indices().nth(most.saturating_sub(1));
    let room = room.map_or(text.len(), |(at, _)| lead + at);
    let last = |ends: &[usize]| {
        let fits = |end: &&usize| **end <= room && !text[..**end].trim().is_empty();
        ends.iter().rev().find(fits).copied()
    };
    let within = || {
        text[..room]
            .rfind(char::is_whitespace)
            .filter(|end| *end > lead)
    };
    let end = last(&blanks).or_else(|| last(&edges)).or_else(within);
    let end = end.unwrap_or(room);
    // Trailing spaces of a value are part of it.
    let values = edges.iter().rev().step_by(2);
    let value_end = values.copied().find(|at| *at <= end).unwrap_or(0);
    let rest = text[value_end..end]
        .trim_end()
        .trim_end_matches([',', ':', ';', '-', '|'])
        .trim_end();
    let kept = text[..value_end + rest.len()].trim();
    format!("{kept}{MORE}")
}

/// Shortens a message to at most `most` characters: whole lines while they fit, then the number of omitted lines.
pub fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    if text.chars().count() <= most {
        return Cow::Borrowed(text);
    }
    // Room for the line with the number of omitted lines.
    const TAIL: usize = 24;
    let lines: Vec<&str> = text.lines().collect();
    let (mut kept, mut length) = (0, 0);
    for line in &lines {
        length += line.chars().count() + 1;
        if length + TAIL > most {
            break;
        }
        kept += 1;
    }
    if kept == 0 {
        return Cow::Owned(fit(&[Piece::Plain(lines[0].to_owned())], most));
    }
    let more = lines.len() - kept;
    Cow::Owned(format!(
        "{}\n{MORE} and {more} more",
        lines[..kept].join("\n")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use Piece::{Plain, Value};

    #[test]
    fn texts_are_cut_between_words() {
        let plain = |text: &str| Plain(text.into());
        let value = |text: &str| Value(text.into());
        for (pieces, most, expected) in [
            (vec![plain("on call")], 7, "on call"),
            (vec![plain(" on call ")], 7, "on call"),
            (vec![plain("on call now")], 10, "on call…"),
            (vec![plain("on call now")], 8, "on call…"),
            (vec![plain("on call now")], 7, "on…"),
            (
                vec![plain("ask "), value("Ann Lee"), plain(" now")],
                12,
                "ask Ann Lee…",
            ),
            (
                vec![plain("ask "), value("Ann Lee"), plain(" now")],
                11,
                "ask…",
            ),
            (
                vec![value("Ann Lee"), plain(", "), value("Bo")],
                9,
                "Ann Lee…",
            ),
            (vec![value("Ann Lee")], 5, "Ann…"),
            (vec![value("Annabel")], 5, "Anna…"),
            (vec![value("ééééé")], 4, "ééé…"),
            (vec![value("🙂🙂🙂")], 3, "🙂🙂🙂"),
            (vec![plain("a | "), value("b")], 4, "a…"),
            (vec![value("Ann"), value("Bob")], 5, "Ann…"),
            (vec![plain("by/"), value("Ann")], 5, "by/…"),
            (vec![value("Ops -"), plain(" now")], 6, "Ops -…"),
            (vec![plain("  on call now")], 7, "on…"),
            (vec![plain("  on call now")], 8, "on call…"),
            (vec![plain("abc")], 0, "…"),
            (vec![], 0, ""),
        ] {
            assert_eq!(fit(&pieces, most), expected, "{pieces:?} {most}");
        }
    }

    #[test]
    fn messages_lose_whole_lines() {
        let line = "x".repeat(9);
        let text = [line.as_str(); 10].join("\n");
        for (most, expected) in [
            (99, text.clone()),
            (
                98,
                format!("{}\n… and 3 more", [line.as_str(); 7].join("\n")),
            ),
            (44, format!("{line}\n{line}\n… and 8 more")),
            (34, format!("{line}\n… and 9 more")),
            (20, "x".repeat(9)),
        ] {
            let short = shortened(&text, most);
            assert!(short.chars().count() <= most.max(9), "{short}");
            assert_eq!(short, expected, "{most}");
        }
        assert_eq!(shortened("one two three", 8), "one two…");
    }
}
