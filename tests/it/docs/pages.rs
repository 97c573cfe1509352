//! The pages and their fenced blocks.

use std::fs;
use std::path::{Path, PathBuf};

/// A page in Markdown.
#[derive(Clone, Debug)]
pub struct Page {
    /// Its path relative to the root of the source.
    pub name: String,
    pub text: String,
}

/// A fenced block.
#[derive(Clone, Debug)]
pub struct Block {
    pub language: String,
    /// The line number of its first line in the page, from 1.
    pub line: usize,
    /// Without the indentation of the fence.
    pub lines: Vec<String>,
    /// Why its commands are not run: the comment before the fence.
    pub not_run: Option<String>,
}

impl Block {
    pub fn text(&self) -> String {
        self.lines.iter().map(|line| format!("{line}\n")).collect()
    }
}

/// The root of the source.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The README and the manual.
pub fn pages() -> Vec<Page> {
    let folder = root().join("packaging/docs");
    let entries = fs::read_dir(folder).expect("the manual");
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "md"));
    paths.push(root().join("README.md"));
    paths.sort();
    paths.iter().map(|path| page(path)).collect()
}

fn page(path: &Path) -> Page {
    let name = path.strip_prefix(root()).expect("below the root");
    Page {
        name: name.to_string_lossy().into_owned(),
        text: fs::read_to_string(path).expect("a page"),
    }
}

impl Page {
    pub fn blocks(&self) -> Vec<Block> {
        let lines: Vec<&str> = self.text.lines().collect();
        let (mut blocks, mut at) = (Vec::new(), 0);
        while at < lines.len() {
            let Some(language) = lines[at].trim_start().strip_prefix("```") else {
                at += 1;
                continue;
            };
            let indent = lines[at].len() - lines[at].trim_start().len();
            let before = at.checked_sub(1).map_or("", |above| lines[above].trim());
            let comment = before.strip_prefix("<!-- not run:");
            let body = lines[at + 1..]
                .iter()
                .take_while(|line| line.trim() != "```");
            let body: Vec<String> = body
                .map(|line| line.get(indent..).unwrap_or_default().to_owned())
                .collect();
            let end = at + 1 + body.len();
            assert!(end < lines.len(), "{}:{}: no end", self.name, at + 1);
            blocks.push(Block {
                language: language.trim().to_owned(),
                line: at + 2,
                lines: body,
                not_run: comment.map(|text| text.trim_end_matches("-->").trim().to_owned()),
            });
            at = end + 1;
        }
        blocks
    }

    /// The text outside fenced blocks.
    pub fn prose(&self) -> String {
        let mut fenced = false;
        let mut prose = String::new();
        for line in self.text.lines() {
            if line.trim_start().starts_with("```") {
                fenced = !fenced;
            } else if !fenced {
                prose.push_str(line);
                prose.push('\n');
            }
        }
        prose
    }

    /// The cells of its tables, by row.
    pub fn rows(&self) -> Vec<Vec<String>> {
        let prose = self.prose();
        let rows = prose.lines().filter_map(|line| {
            let inner = line.strip_prefix("| ")?.strip_suffix('|')?;
            Some(
                inner
                    .split(" | ")
                    .map(|cell| cell.trim().to_owned())
                    .collect(),
            )
        });
        rows.collect()
    }
}

/// The page with this name in the manual.
#[track_caller]
pub fn manual(name: &str) -> Page {
    let path = format!("packaging/docs/{name}");
    let found = pages().into_iter().find(|page| page.name == path);
    found.unwrap_or_else(|| panic!("no page {path}"))
}

/// The text between backquotes.
pub fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}
