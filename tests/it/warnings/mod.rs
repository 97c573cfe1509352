//! Warnings about the plan: each kind that can be made by the API, who sees what, settings, metrics, pages.

mod across;
mod bounds;
mod kinds;
mod pages;
mod problems;
mod settings;

use crate::support::*;
use serde_json::{Value, json};

/// The items of all pages, so many on each.
#[track_caller]
fn all_pages(caller: &Caller, path: &str, size: usize) -> Vec<Value> {
    let mut data = Vec::new();
    for number in 1.. {
        let page = format!("{path}&page={number}&pageSize={size}");
        let page = caller.get(&page).is(200).json();
        let items = page["data"].as_array().expect("a list");
        let total = int(&page["totalItems"]) as usize;
        assert_eq!(
            (int(&page["page"]), int(&page["pageSize"]) as usize),
            (number, size)
        );
        assert_eq!(int(&page["totalPages"]) as usize, total.div_ceil(size));
        assert_eq!(items.len(), size.min(total - data.len()));
        data.extend(items.iter().cloned());
        if data.len() == total {
            break;
        }
    }
    data
}

impl Rot<'_> {
    /// The warnings of a rotation, as they come, of all pages.
    #[track_caller]
    fn warnings(&self, days: u32) -> Vec<Value> {
        let path = format!("/v1/rotations/{}/warnings?days={days}", self.id);
        let data = all_pages(&self.by, &path, 200);
        for warning in &data {
            assert_eq!(warning["rotationId"], json!(self.id));
            assert!(
                at(text(&warning["from"])) < at(text(&warning["to"])),
                "{warning}"
            );
        }
        data
    }

    /// Those of one kind: `from/to cell users`, the cell by its place.
    #[track_caller]
    fn warned(&self, kind: &str, days: u32) -> Vec<String> {
        let cells = self.read()["cells"].clone();
        let cells: Vec<&Value> = cells.as_array().into_iter().flatten().collect();
        let found = self.warnings(days).into_iter();
        let of_kind = found.filter(|one| text(&one["kind"]) == kind);
        let line = |one: Value| {
            let cell = cells.iter().position(|cell| cell["id"] == one["cellId"]);
            let cell = cell.map_or("-".to_owned(), |cell| cell.to_string());
            let users = one["userIds"].as_array().expect("a list");
            let users: Vec<&str> = users.iter().map(text).collect();
            let line = format!(
                "{}/{} {cell} {}",
                text(&one["from"]),
                text(&one["to"]),
                users.join(" ")
            );
            line.trim_end().to_owned()
        };
        of_kind.map(line).collect()
    }
}
