//! The words of pages: none of the program's own, no ids and no dates as machines write them.

use super::Browser;
use crate::support::*;

/// Words that no page says.
const NEVER: [&str; 27] = [
    "lane",
    "lanes",
    "window",
    "windows",
    "cell",
    "cells",
    "grid",
    "slot",
    "slots",
    "place",
    "places",
    "rotate",
    "assign",
    "assigned",
    "skips",
    "shut",
    "holder",
    "arrangement",
    "arrangements",
    "leg",
    "legs",
    "she",
    "he",
    "his",
    "her",
    "him",
    "hers",
];

/// The same of several words.
const PHRASES: [&str; 10] = [
    "set on duty",
    "on duty",
    "on-duty",
    "off duty",
    "user agent",
    "passed over",
    "deals from",
    "off time",
    "turns on end",
    "source cannot be read",
];

/// What a reader sees of a page: the text between tags, and the names for readers of the screen.
fn seen(page: &str) -> String {
    let body = page.split_once("<body").map_or(page, |(_, body)| body);
    let mut text = String::new();
    for part in body.split('<').skip(1) {
        let (tag, rest) = part.split_once('>').unwrap_or((part, ""));
        for name in [
            "aria-label=\"",
            "placeholder=\"",
            "title=\"",
            "data-label=\"",
            "data-h=\"",
        ] {
            if let Some((_, value)) = tag.split_once(name) {
                text.push_str(value.split('"').next().unwrap_or_default());
                text.push(' ');
            }
        }
        text.push_str(rest);
        text.push(' ');
    }
    text
}

/// What a page says that it should not.
fn wrong(page: &str) -> Vec<String> {
    let text = seen(page).to_lowercase();
    let words: Vec<&str> = text
        .split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-'))
        .filter(|word| !word.is_empty())
        .collect();
    let is_id = |word: &str| {
        word.split_once('_').is_some_and(|(kind, rest)| {
            kind.len() == 3 && rest.len() >= 8 && rest.chars().any(|c| c.is_ascii_digit())
        })
    };
    let is_date = |word: &str| {
        let digits = |part: &str, count: usize| {
            part.len() == count && part.chars().all(|c| c.is_ascii_digit())
        };
        let parts: Vec<&str> = word.split('-').collect();
        parts.len() >= 3
            && digits(parts[0], 4)
            && digits(parts[1], 2)
            && parts[2].len() >= 2
            && digits(&parts[2][..2], 2)
    };
    let mut found: Vec<String> = Vec::new();
    found.extend(
        words
            .iter()
            .filter(|word| NEVER.contains(word) || is_id(word) || is_date(word))
            .map(|word| word.to_string()),
    );
    let spaced = words.join(" ");
    found.extend(
        PHRASES
            .iter()
            .filter(|phrase| format!(" {spaced} ").contains(&format!(" {phrase} ")))
            .map(|phrase| phrase.to_string()),
    );
    found.sort();
    found.dedup();
    found
}

#[test]
fn pages_say_what_people_say() {
    let rota = Start::default().demo().go();
    let ada = Browser::signed_in(&rota, "UADA");
    let mut all: Vec<String> = Vec::new();
    let mut paths: Vec<String> = PAGES.iter().map(|path| path.to_string()).collect();
    let settings = SETTINGS.iter();
    paths.extend(settings.map(|part| format!("/rotations/PLATFORM/settings/{part}")));
    // The first turns of the page of the rotation, and the hours that its settings link to.
    let page = ada.get("/rotations/PLATFORM").is(200).text();
    let turns = page
        .split("href=\"")
        .filter(|link| link.contains("/shifts/"));
    let turns = turns.map(|link| link.split('"').next().unwrap_or_default());
    let turn = turns
        .filter(|path| !path.contains('?'))
        .nth(3)
        .expect("a turn");
    for step in ["", "?do=take", "?do=cover", "?do=swap", "?do=assign"] {
        paths.push(format!("{turn}{step}"));
    }
    let hours = ada.get("/rotations/PLATFORM/settings/grid").is(200).text();
    let window = hours
        .split("href=\"")
        .find(|link| link.contains("/settings/windows/") && !link.contains("/new\""));
    let window = window
        .expect("a link")
        .split('"')
        .next()
        .unwrap_or_default();
    paths.push(window.to_owned());
    for path in &paths {
        let page = ada.get(path).is(200).text();
        let found = wrong(&page);
        if !found.is_empty() {
            all.push(format!("{path}: {}", found.join(", ")));
        }
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

/// The pages that are walked over. Messages and entries of the log are kept as they were written, and keys are known by their ids.
const PAGES: [&str; 29] = [
    "/",
    "/rotations",
    "/rotations/PLATFORM",
    "/rotations/PLATFORM?span=28d&plan=true",
    "/rotations/SUPPORT",
    "/rotations/new",
    "/rotations/PLATFORM/rotate",
    "/rotations/PLATFORM/on-call",
    "/rotations/PLATFORM/assign",
    "/rotations/PLATFORM/cover",
    "/rotations/PLATFORM/swap",
    "/rotations/PLATFORM/history",
    "/rotations/PLATFORM/load",
    "/rotations/PLATFORM/warnings",
    "/rotations/PLATFORM/why",
    "/rotations/PLATFORM/settings",
    "/requests",
    "/reports/duty",
    "/people",
    "/people/UALAN",
    "/me",
    "/me/turns",
    "/me/calendars",
    "/me/absences/new",
    "/admin",
    "/admin/problems",
    "/admin/boards",
    "/webhooks",
    "/login",
];

/// The pages of the settings.
const SETTINGS: [&str; 13] = [
    "details",
    "people",
    "grid",
    "windows/new",
    "skips",
    "absences",
    "rosters",
    "partner",
    "channels",
    "on-duty-group",
    "mentions",
    "warnings",
    "delete",
];

/// What is wrong with a form is said in the same words.
#[test]
fn errors_say_what_people_say() {
    let rota = Start::default().demo().go();
    let ada = Browser::signed_in(&rota, "UADA");
    let assign = "/rotations/SUPPORT/assign";
    let mut all: Vec<String> = Vec::new();
    for (path, to, fields) in [
        (
            "/rotations/PLATFORM/cover",
            "/rotations/PLATFORM/cover",
            vec![
                ("from", "2026-12-05T10:00"),
                ("to", "2026-12-05T11:00"),
                ("recipientUserIds", "ULINUS"),
            ],
        ),
        (
            assign,
            assign,
            vec![
                ("cellId", "cel_none"),
                ("from", "2026-12-05T10:00"),
                ("to", "2026-12-05T11:00"),
            ],
        ),
        (
            assign,
            assign,
            vec![
                ("userId", "UNOBODY"),
                ("from", "2026-12-05T10:00"),
                ("to", "2026-12-05T11:00"),
            ],
        ),
        (
            assign,
            assign,
            vec![
                ("userId", "UGRACE"),
                ("from", "2020-12-05T10:00"),
                ("to", "2020-12-05T11:00"),
            ],
        ),
    ] {
        let page = ada.fill(path, to, &fields).is(400).text();
        assert!(page.contains("id=\"errors\""), "{page}");
        let found = wrong(&page);
        if !found.is_empty() {
            all.push(format!("{path} {fields:?}: {}", found.join(", ")));
        }
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}
