//! Links between pages: their files and headings exist.

use super::pages::{Page, pages, root};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The links of a page as written, without those to other sites.
pub fn links(page: &Page) -> Vec<String> {
    let prose = page.prose();
    let targets = prose.split("](").skip(1);
    let targets = targets.filter_map(|rest| rest.split_once(')'));
    let inside = targets.filter(|(target, _)| !target.contains("://"));
    inside.map(|(target, _)| target.to_owned()).collect()
}

/// The file and the heading that a link of a page in `folder` leads to.
pub fn target(folder: &Path, page: &Path, link: &str) -> (PathBuf, Option<String>) {
    let (path, heading) = match link.split_once('#') {
        Some((path, heading)) => (path, Some(heading.to_owned())),
        None => (link, None),
    };
    let file = match path {
        "" => page.to_owned(),
        path => folder.join(path),
    };
    (file, heading)
}

/// The anchor of a heading.
fn anchor(heading: &str) -> String {
    let lower = heading.trim().to_lowercase();
    let kept = |c: &char| c.is_alphanumeric() || [' ', '-', '_'].contains(c);
    lower
        .chars()
        .filter(kept)
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}

fn anchors(page: &Page) -> Vec<String> {
    let prose = page.prose();
    let headings = prose.lines().filter(|line| line.starts_with('#'));
    headings
        .map(|line| anchor(line.trim_start_matches('#')))
        .collect()
}

#[test]
fn every_link_leads_somewhere() {
    let pages = pages();
    let known: BTreeMap<PathBuf, Vec<String>> = pages
        .iter()
        .map(|page| {
            (
                root().join(&page.name).canonicalize().unwrap(),
                anchors(page),
            )
        })
        .collect();
    let (mut seen, mut broken) = (0, Vec::new());
    for page in &pages {
        let path = root().join(&page.name);
        for link in links(page) {
            seen += 1;
            let (file, heading) = target(path.parent().unwrap(), &path, &link);
            let leads = file.canonicalize().is_ok_and(|file| {
                heading.is_none_or(|heading| {
                    known
                        .get(&file)
                        .is_some_and(|anchors| anchors.contains(&heading))
                })
            });
            if !leads {
                broken.push(format!("{}: {link}", page.name));
            }
        }
    }
    assert_eq!(broken, Vec::<String>::new());
    assert!(seen > 100, "{seen}");
}

/// Each page starts with the list of its sections, if it has one.
#[test]
fn contents_name_every_section() {
    for page in pages() {
        let sections: Vec<String> = page
            .prose()
            .lines()
            .filter_map(|line| line.strip_prefix("## "))
            .map(anchor)
            .collect();
        let listed: Vec<String> = page
            .prose()
            .lines()
            .filter_map(|line| {
                line.strip_prefix("- [")?
                    .split_once("](#")?
                    .1
                    .split_once(')')
            })
            .map(|(target, _)| target.to_owned())
            .collect();
        if !listed.is_empty() {
            assert_eq!(listed, sections, "{}", page.name);
        }
    }
}

#[test]
fn the_manual_lists_its_pages() {
    let pages = pages();
    for index in ["README.md", "packaging/docs/README.md"] {
        let listed = pages
            .iter()
            .find(|page| page.name == index)
            .map(links)
            .unwrap_or_default();
        for page in &pages {
            let file = page.name.rsplit('/').next().unwrap_or_default();
            let is_listed = listed
                .iter()
                .any(|link| link.rsplit('/').next() == Some(file));
            assert!(is_listed || file == "README.md", "{index}: {file}");
        }
    }
}
