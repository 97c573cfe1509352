//! Warnings about the plan: each kind that can be made by the API, who sees what, settings, metrics, pages.

mod bounds;
mod kinds;
mod pages;
mod settings;

use crate::support::*;
use serde_json::{Value, json};

impl Rot<'_> {
    /// The warnings of a rotation, as they come.
    #[track_caller]
    fn warnings(&self, days: u32) -> Vec<Value> {
        let page = self.get(&format!("/warnings?days={days}")).is(200).json();
        let data = page["data"].as_array().expect("a list").clone();
        assert_eq!(int(&page["totalItems"]) as usize, data.len());
        assert_eq!(int(&page["page"]), 1);
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
