//! Output of commands: results to standard output, messages to standard error.

use super::Failure;
use crate::domain::refusal::Refusal;
use crate::domain::wording::turns_direction;
use crate::server::Problem;
use crate::store::ActionError;
use clap::Args;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Serialize;
use std::io::{ErrorKind, Write};

/// Prints a result for people, with [`visible`] characters, and a line end.
pub fn answer(text: &str) -> Result<(), Failure> {
    answer_data(&visible(text))
}

/// Prints JSON and a line end. In its texts, what [`visible`] escapes is escaped as JSON has it, so that programs read the same
/// text.
pub fn answer_json(json: &str) -> Result<(), Failure> {
    answer_data(&escaped(json, &['\n'], |c| {
        format!("\\u{:04x}", u32::from(c))
    }))
}

/// Whether a list is printed for programs.
#[derive(Args)]
pub struct Listed {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// A JSON list that is printed as its items come, one on each line.
#[derive(Default)]
pub struct JsonLines {
    begun: bool,
}

impl JsonLines {
    /// Prints an item.
    pub fn item<T: Serialize>(&mut self, item: &T) -> Result<(), Failure> {
        let text = serde_json::to_string(item).map_err(|error| error.to_string())?;
        let begin = match std::mem::replace(&mut self.begun, true) {
            true => ',',
            false => '[',
        };
        answer_json(&format!("{begin}{text}"))
    }

    /// Prints the end of the list.
    pub fn end(self) -> Result<(), Failure> {
        answer_json(if self.begun { "]" } else { "[]" })
    }
}

/// Prints a JSON list, an item on each line.
pub fn answer_lines<T: Serialize>(items: impl IntoIterator<Item = T>) -> Result<(), Failure> {
    let mut lines = JsonLines::default();
    items.into_iter().try_for_each(|item| lines.item(&item))?;
    lines.end()
}

/// Prints a result for programs, exactly as it is, and a line end. A closed pipe is not an error: `rota key list | head -1` works.
pub fn answer_data(text: &str) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    let written = writeln!(stdout, "{text}").and_then(|()| stdout.flush());
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::Failed(format!("standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Prints a message with [`visible`] characters to standard error. If that fails, there is nowhere to report it.
pub fn tell(sentence: &str) {
    drop(writeln!(std::io::stderr().lock(), "{}", visible(sentence)));
}

/// A text in which characters that control a terminal or turn the direction of writing are escaped; line ends and tabs stay.
pub fn visible(text: &str) -> String {
    escaped(text, &['\n', '\t'], |c| c.escape_default().to_string())
}

/// A text whose hidden characters are escaped, but for some.
fn escaped(text: &str, kept: &[char], escape: fn(char) -> String) -> String {
    let is_hidden =
        |c: char| c.is_control() || turns_direction(c) || matches!(c, '\u{2028}' | '\u{2029}');
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match is_hidden(c) && !kept.contains(&c) {
            true => shown.push_str(&escape(c)),
            false => shown.push(c),
        }
    }
    shown
}

/// A refusal as one sentence for the terminal.
pub fn sentence(refusal: &Refusal) -> String {
    match refusal {
        Refusal::NotFound(what) => format!("there is no such {what}"),
        other => Problem::from(other.clone()).detail().into_owned(),
    }
}

/// Prefixes an error with the id that it is about.
pub fn naming(id: &str) -> impl Fn(ActionError) -> Failure + '_ {
    move |error| match Failure::from(error) {
        Failure::Failed(sentence) => Failure::Failed(format!("{id}: {sentence}")),
        usage => usage,
    }
}

/// Rows in aligned columns with headings, two spaces apart.
pub fn table(heads: &[&str], rows: &[Vec<String>]) -> String {
    let rows = rows
        .iter()
        .map(|row| row.iter().map(|cell| printable(cell)).collect());
    let head = heads.iter().map(|head| head.to_string()).collect();
    let lines: Vec<Vec<String>> = std::iter::once(head).chain(rows).collect();
    let width = |column: usize| {
        let cells = lines.iter().filter_map(|line| line.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..heads.len()).map(width).collect();
    let line = |cells: &Vec<String>| {
        let padded = cells
            .iter()
            .zip(&widths)
            .map(|(cell, &width)| format!("{cell:width$}"));
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    lines.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// The state of a key or token, in one word.
pub fn state(disabled: bool, expires_at: Option<Timestamp>, now: Timestamp) -> &'static str {
    match (disabled, expires_at.is_some_and(|at| at <= now)) {
        (true, _) => "disabled",
        (false, true) => "expired",
        (false, false) => "enabled",
    }
}

/// An instant by the clock of this machine, with its offset.
pub fn local(at: Timestamp) -> String {
    let zoned = at.to_zoned(TimeZone::system());
    match zoned.offset().is_zero() {
        true => at.to_string(),
        false => zoned.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string(),
    }
}

/// An optional instant.
pub fn instant_or_dash(at: Option<Timestamp>) -> String {
    at.map_or_else(|| "-".into(), |at| at.to_string())
}

/// Names are written by people: as [`visible`], on one line, and an empty name must not hide a column.
pub fn printable(cell: &str) -> String {
    if cell.is_empty() {
        return "-".into();
    }
    escaped(cell, &[], |c| c.escape_default().to_string())
}

#[cfg(test)]
mod tests {
    use super::{table, visible};

    #[test]
    fn columns_are_aligned() {
        let rows = [["key_1", "a\nb", "x"], ["key_22", "", "long"]];
        let rows: Vec<Vec<String>> = rows.map(|row| row.map(String::from).to_vec()).to_vec();
        let expected = "ID      NAME  S\nkey_1   a\\nb  x\nkey_22  -     long";
        assert_eq!(table(&["ID", "NAME", "S"], &rows), expected);
        assert_eq!(table(&["ID", "NAME"], &[]), "ID  NAME");
        let rows = [vec!["a\u{202e}b".to_owned(), "x".to_owned()]];
        assert_eq!(table(&["ID", "S"], &rows), "ID          S\na\\u{202e}b  x");
    }

    #[test]
    fn what_is_hidden_is_escaped() {
        for (text, shown) in [
            ("Ana Ruiz: \u{5d0}\u{5d1}", "Ana Ruiz: \u{5d0}\u{5d1}"),
            (
                "a\u{202e}b\u{2069}c\u{200f}",
                "a\\u{202e}b\\u{2069}c\\u{200f}",
            ),
            ("a\u{1b}[31mb\rc", "a\\u{1b}[31mb\\rc"),
            ("a\u{2028}b", "a\\u{2028}b"),
            ("one\n\ttwo", "one\n\ttwo"),
        ] {
            assert_eq!(visible(text), shown, "{text:?}");
        }
    }
}
