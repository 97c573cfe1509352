//! What commands print: answers on standard output, sentences on standard error.

use super::Failure;
use crate::domain::refusal::Refusal;
use crate::store::Stop;
use jiff::Timestamp;
use std::io::{ErrorKind, Write};

/// Prints an answer and a line end. A reader that has gone away is no failure: `rota key list | head -1` is fine.
pub fn answer(text: &str) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    let written = writeln!(stdout, "{text}").and_then(|()| stdout.flush());
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::Failed(format!("standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Says something on standard error. Where it cannot be written there is nobody to tell.
pub fn tell(sentence: &str) {
    drop(writeln!(std::io::stderr().lock(), "{sentence}"));
}

/// A refusal in one sentence for the terminal.
pub fn sentence(refusal: &Refusal) -> String {
    match refusal {
        Refusal::NotFound(what) => format!("there is no such {what}"),
        Refusal::Invalid(detail)
        | Refusal::ResourceDenied(detail)
        | Refusal::ScopeDenied(detail)
        | Refusal::PaymentRequired(detail) => detail.clone(),
        other => format!("refused: {other:?}"),
    }
}

/// Puts the id asked for before what is told about it.
pub fn naming(id: &str) -> impl Fn(Stop) -> Failure + '_ {
    move |stop| match Failure::from(stop) {
        Failure::Failed(sentence) => Failure::Failed(format!("{id}: {sentence}")),
        usage => usage,
    }
}

/// Rows in aligned columns below their heads, two blanks apart.
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

/// An instant that may be open.
pub fn instant_or_dash(at: Option<Timestamp>) -> String {
    at.map_or_else(|| "-".into(), |at| at.to_string())
}

/// Names come from people: a control character must not reach the terminal, nor an empty one hide a column.
fn printable(cell: &str) -> String {
    if cell.is_empty() {
        return "-".into();
    }
    let shown = |c: char| {
        if c.is_control() {
            c.escape_default().to_string()
        } else {
            c.to_string()
        }
    };
    cell.chars().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::table;

    #[test]
    fn columns_are_aligned() {
        let rows = [["key_1", "a\nb", "x"], ["key_22", "", "long"]];
        let rows: Vec<Vec<String>> = rows.map(|row| row.map(String::from).to_vec()).to_vec();
        let expected = "ID      NAME  S\nkey_1   a\\nb  x\nkey_22  -     long";
        assert_eq!(table(&["ID", "NAME", "S"], &rows), expected);
        assert_eq!(table(&["ID", "NAME"], &[]), "ID  NAME");
    }
}
