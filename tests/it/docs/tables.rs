//! The tables of the manual match the program.

use super::pages::{manual, pages, quoted, root};
use crate::cli::succeeds;
use crate::support::*;
use rota::domain::access::Scope;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

fn file(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Name and labels of each metric of the server; no labels if it has no sample.
fn metrics(text: &str) -> BTreeMap<String, Option<String>> {
    let names = text.lines().filter_map(|line| line.strip_prefix("# TYPE "));
    let names = names.filter_map(|line| line.split_once(' '));
    let mut found: BTreeMap<String, Option<String>> =
        names.map(|(name, _)| (name.to_owned(), None)).collect();
    for sample in text.lines().filter(|line| !line.starts_with('#')) {
        let (name, labels) = match sample.split_once('{') {
            Some((name, rest)) => (name, rest.rsplit_once('}').map_or("", |(labels, _)| labels)),
            None => (sample.split(' ').next().unwrap_or_default(), ""),
        };
        let base = ["_bucket", "_sum", "_count"]
            .into_iter()
            .find_map(|suffix| {
                name.strip_suffix(suffix)
                    .filter(|base| found.contains_key(*base))
            });
        let names = labels
            .split("\",")
            .filter_map(|label| label.split_once('='));
        let names: Vec<&str> = names
            .map(|(name, _)| name)
            .filter(|name| *name != "le")
            .collect();
        found.insert(base.unwrap_or(name).to_owned(), Some(names.join(",")));
    }
    found
}

#[test]
fn every_metric_is_listed() {
    let pager = Pager::new();
    let dir = TempDir::new();
    let db = dir.join("dev.db");
    let rota = pager.start().demo().db(&db).go();
    succeeds(&db, "backup --into copies");
    rota.hook(ALL_EVENTS);
    let body = json!({ "name": "Pager", "owners": ["UADA"] });
    let rotation = rota.create(body);
    let link = json!({ "partner": "pagerPartner", "scheduleId": "S1" });
    rotation
        .by
        .put_if(&rotation.path("/external"), "*", link)
        .is(200);
    let slack = slack::Slack::with_people(1);
    let start = slack.start().env("ROTA_SLACK_APP_TOKEN", slack::APP_TOKEN);
    let of_slack = start.go().get("/metrics").ok().text();
    let text = rota.get("/metrics").ok().text() + &of_slack;
    let page = manual("operating.md");
    let mut listed = BTreeMap::new();
    for row in page.rows() {
        for name in quoted(&row[0])
            .into_iter()
            .filter(|name| name.starts_with("rota_"))
        {
            let (name, labels) = name.split_once('{').unwrap_or((name, ""));
            listed.insert(name.to_owned(), labels.trim_end_matches('}').to_owned());
        }
    }
    let there = metrics(&text);
    let names: BTreeSet<&String> = there.keys().collect();
    assert_eq!(listed.keys().collect::<BTreeSet<_>>(), names);
    for (name, labels) in there {
        if let Some(labels) = labels {
            assert_eq!(listed[&name], labels, "{name}");
        }
    }
}

#[test]
fn every_alert_is_listed() {
    let rules = file("packaging/prometheus-rules.yml");
    let alerts = rules
        .lines()
        .filter_map(|line| line.trim().strip_prefix("- alert: "));
    let alerts: BTreeSet<&str> = alerts.collect();
    let page = manual("operating.md");
    let rows = page.rows();
    let listed = rows.iter().flat_map(|row| quoted(&row[0]));
    let listed: BTreeSet<&str> = listed.filter(|name| name.starts_with("Rota")).collect();
    assert_eq!(listed, alerts);
    // The alert rules use the name of the job in the page's Prometheus configuration.
    let scrape = page
        .blocks()
        .into_iter()
        .find(|block| block.language == "yaml");
    let scrape = scrape.expect("how to scrape").text();
    let job = scrape
        .split_once("job_name: ")
        .and_then(|(_, rest)| rest.lines().next());
    assert!(rules.contains(&format!("up{{job=\"{}\"}}", job.expect("a job"))));
}

#[test]
fn every_setting_is_listed() {
    let (mut table, mut settings) = (String::new(), BTreeSet::new());
    for line in file("packaging/rota.toml").lines() {
        if let Some(name) = line
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
        {
            table = format!("[{name}] ");
        } else if let Some((key, _)) = line.trim_start_matches('#').split_once(" = ")
            && key
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte == b'_')
        {
            settings.insert(format!("{table}{key}"));
        }
    }
    let (mut table, mut listed) = (String::new(), BTreeSet::new());
    let mut variables = BTreeSet::new();
    for row in manual("configuration.md").rows() {
        let first = quoted(&row[0]);
        if let Some(head) = row[0].strip_prefix("Key") {
            table = quoted(head)
                .first()
                .map_or(String::new(), |name| format!("{name} "));
        } else if let (Some(key), Some(variable)) = (first.first(), row.get(1)) {
            let setting = format!("{table}{key}");
            let parts: Vec<&str> = setting
                .split(['[', ']', ' ', '.'])
                .filter(|part| !part.is_empty())
                .collect();
            let named = format!("`ROTA_{}`", parts.join("_").to_uppercase());
            assert_eq!(*variable, named, "{setting}");
            variables.insert(named.trim_matches('`').to_owned());
            listed.insert(setting);
        }
    }
    assert_eq!(listed, settings);
    let read: BTreeSet<String> = rota::config::variables().into_iter().collect();
    assert_eq!(read, variables);
}

fn document() -> Value {
    let dir = TempDir::new();
    let (code, printed, errors) = run(rota(dir.path()).arg("openapi"));
    assert_eq!(code, 0, "{errors}");
    serde_json::from_str(&printed).expect("a document")
}

/// Every text below members with this name.
fn texts(value: &Value, member: &str, found: &mut BTreeSet<String>) {
    if let Some(inner) = value.get(member) {
        let values = inner.as_array().into_iter().flatten();
        found.extend(values.filter_map(Value::as_str).map(str::to_owned));
    }
    match value {
        Value::Object(members) => members
            .values()
            .for_each(|inner| texts(inner, member, found)),
        Value::Array(items) => items.iter().for_each(|inner| texts(inner, member, found)),
        _ => {}
    }
}

#[test]
fn every_error_code_is_listed() {
    let mut codes = BTreeSet::new();
    texts(
        &document()["components"]["responses"],
        "x-codes",
        &mut codes,
    );
    assert!(codes.len() > 30, "{codes:?}");
    let rows = manual("api.md").rows();
    let cells = rows.iter().filter_map(|row| row.get(1));
    let listed: BTreeSet<&str> = cells.flat_map(|cell| quoted(cell)).collect();
    let missing: Vec<&String> = codes
        .iter()
        .filter(|code| !listed.contains(code.as_str()))
        .collect();
    assert_eq!(missing, Vec::<&String>::new());
}

#[test]
fn every_scope_is_listed() {
    let rows = manual("security.md").rows();
    let listed = rows
        .iter()
        .flat_map(|row| quoted(&row[0]))
        .filter(|name| Scope::parse(name).is_some());
    let scopes: BTreeSet<&str> = Scope::ALL.into_iter().map(Scope::name).collect();
    assert_eq!(listed.collect::<BTreeSet<_>>(), scopes);
}

/// The method and the path of an operation in a text, if it is one.
fn operation(text: &str) -> Option<(&str, &str)> {
    let (method, path) = text.split_once(' ')?;
    let known = ["GET", "PUT", "POST", "PATCH", "DELETE"].contains(&method);
    (known && path.starts_with('/')).then_some((method, path))
}

#[test]
fn operations_that_pages_name_are_there() {
    let document = document();
    let rota = Rota::at(MONDAY);
    let mut seen = 0;
    for page in pages() {
        let prose = page.prose();
        for (method, path) in quoted(&prose).into_iter().filter_map(operation) {
            if path.starts_with("/dev/") {
                // No development route has this method: the response lists the methods of the path.
                let answer = rota.anyone().request("PATCH", path).send().is(405);
                let allowed = answer.header("allow").unwrap_or_default().to_owned();
                assert!(
                    allowed.split(", ").any(|one| one == method),
                    "{}: {method} {path}",
                    page.name
                );
            } else if path == "/mcp" {
                // Not an operation of the API.
                rota.anyone().request(method, path).send().is(401);
            } else if path.starts_with("/deliveries") {
                let whole = format!("/v1/webhooks/{{webhookId}}{path}");
                assert!(
                    !document["paths"][&whole][method.to_lowercase()].is_null(),
                    "{whole}"
                );
            } else {
                let found = &document["paths"][path][method.to_lowercase()];
                assert!(!found.is_null(), "{}: {method} {path}", page.name);
            }
            seen += 1;
        }
    }
    assert!(seen > 40, "{seen}");
}

#[test]
fn files_that_the_page_for_developers_names_are_there() {
    let prose = manual("development.md").prose();
    let mut seen = 0;
    for name in quoted(&prose) {
        let is_path = ["src/", "tests/", "packaging/", ".ci/"]
            .iter()
            .any(|start| name.starts_with(start));
        if is_path && !name.contains("N-to-M") {
            assert!(root().join(name).exists(), "{name}");
            seen += 1;
        }
    }
    assert!(seen > 10, "{seen}");
}
