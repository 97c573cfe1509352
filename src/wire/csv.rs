//! Tables as text: CSV as of RFC 4180, safe to open in a spreadsheet.

/// The media type of the text.
pub const MEDIA_TYPE: &str = "text/csv; charset=utf-8";

/// A table, the first line of which names the columns.
pub fn text<H, R>(head: H, rows: impl IntoIterator<Item = R>) -> String
where
    H: IntoIterator<Item: AsRef<str>>,
    R: IntoIterator<Item: AsRef<str>>,
{
    let mut text = String::new();
    line(&mut text, head);
    for row in rows {
        line(&mut text, row);
    }
    text
}

fn line(text: &mut String, fields: impl IntoIterator<Item: AsRef<str>>) {
    for (index, field) in fields.into_iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        text.push_str(&quoted(field.as_ref()));
    }
    text.push_str("\r\n");
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

/// Whether an `Accept` header asks for CSV rather than JSON.
pub fn is_preferred(accept: &str) -> bool {
    let (mut csv, mut json) = (0.0, 0.0);
    for range in accept.split(',') {
        let mut parts = range.split(';').map(str::trim);
        let kind = parts.next().unwrap_or_default();
        let weight = parts.find_map(|part| part.strip_prefix("q=")?.trim().parse::<f32>().ok());
        let weight = weight.unwrap_or(1.0);
        if kind.eq_ignore_ascii_case("text/csv") {
            csv = weight;
        } else if kind.eq_ignore_ascii_case("application/json") {
            json = weight;
        }
    }
    csv > json
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(
            text(["a", "b"], [["1", "x,y"], ["", "z"]]),
            "a,b\r\n1,\"x,y\"\r\n,z\r\n"
        );
    }

    #[test]
    fn csv_is_given_where_it_is_asked_for() {
        for (accept, expected) in [
            ("text/csv", true),
            ("Text/CSV; charset=utf-8", true),
            ("text/csv, */*;q=0.1", true),
            ("application/json;q=0.5, text/csv", true),
            ("application/json, text/csv", false),
            ("text/csv;q=0", false),
            ("*/*", false),
            ("text/html, */*", false),
            ("", false),
        ] {
            assert_eq!(is_preferred(accept), expected, "{accept}");
        }
    }
}
