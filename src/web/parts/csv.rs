//! Tables as files.

use crate::server::{Body, Response};
use crate::wire::csv;

/// A file of rows, the first of which names the columns.
pub fn file<R>(
    name: &str,
    head: impl IntoIterator<Item: AsRef<str>>,
    rows: impl IntoIterator<Item = R>,
) -> Response
where
    R: IntoIterator<Item: AsRef<str>>,
{
    let attached = format!("attachment; filename=\"{name}.csv\"");
    let text = csv::text(head, rows);
    Response::new(200, csv::MEDIA_TYPE, Body::from_data(text))
        .with("Content-Disposition", attached)
        .with("Cache-Control", "no-store")
}
