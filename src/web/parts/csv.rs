//! Tables as files: CSV as of RFC 4180, safe to open in a spreadsheet.

use crate::server::{Body, Response};

/// A file of rows, the first of which names the columns.
pub fn file<const N: usize>(
    name: &str,
    head: [&str; N],
    rows: impl IntoIterator<Item = [String; N]>,
) -> Response {
    let mut text = head.join(",");
    text.push_str("\r\n");
    for row in rows {
        text.push_str(&row.map(|field| quoted(&field)).join(","));
        text.push_str("\r\n");
    }
    let attached = format!("attachment; filename=\"{name}.csv\"");
    Response::new(200, "text/csv; charset=utf-8", Body::from_data(text))
        .with("Content-Disposition", attached)
        .with("Cache-Control", "no-store")
}

/// A field of a table. One that a spreadsheet would take for a formula is made a text.
fn quoted(field: &str) -> String {
    let field = match field.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']) {
        true => format!("'{field}"),
        false => field.to_owned(),
    };
    match field.contains([',', '"', '\r', '\n']) {
        true => format!("\"{}\"", field.replace('"', "\"\"")),
        false => field,
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn fields_of_tables() {
        for (field, expected) in [
            ("Ada", "Ada"),
            ("Ada, \"A\"", "\"Ada, \"\"A\"\"\""),
            ("=1+1", "'=1+1"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("two\nlines", "\"two\nlines\""),
        ] {
            assert_eq!(quoted(field), expected);
        }
    }
}
