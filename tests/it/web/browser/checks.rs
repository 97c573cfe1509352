//! What holds of every page however wide and in either scheme.

use crate::support::browser::Window;
use serde_json::json;
use std::path::PathBuf;

/// What axe-core looks for.
const TAGS: &str = "['wcag2a','wcag2aa','wcag21a','wcag21aa','wcag22aa','best-practice']";

/// axe-core from `ROTA_AXE`, its script; `None` where it is not set, which is printed.
pub fn axe() -> Option<String> {
    let path = std::env::var_os("ROTA_AXE").filter(|path| !path.is_empty());
    let Some(path) = path.map(PathBuf::from) else {
        eprintln!("skipped: axe-core, because ROTA_AXE does not name its axe.min.js");
        return None;
    };
    let script = std::fs::read_to_string(&path);
    Some(script.unwrap_or_else(|error| panic!("ROTA_AXE, {}: {error}", path.display())))
}

/// What our own checks say is wrong with the page as it is laid out now; with short names no word may be broken.
pub fn layout(window: &Window, has_short_names: bool) -> Vec<String> {
    let wrong = window.run(include_str!("checks.js"), json!([has_short_names]));
    let wrong = wrong.as_array().expect("a list").clone();
    wrong
        .iter()
        .map(|one| one.as_str().unwrap_or_default().to_owned())
        .collect()
}

/// What axe-core says is wrong; with `rules`, of these rules alone.
pub fn violations(window: &Window, rules: &[&str]) -> Vec<String> {
    let chosen = match rules {
        [] => format!("{{type: 'tag', values: {TAGS}}}"),
        rules => format!("{{type: 'rule', values: {}}}", json!(rules)),
    };
    let script = format!(
        "const done = arguments[arguments.length - 1];
         // A bar is as long as its turn; every turn is also a link of full size in the agenda and week by week.
         const counts = (one) => one.id !== 'target-size' || one.nodes.some((n) => !n.html.includes('data-cell='));
         const shown = (one) => one.id + ': ' + one.nodes.slice(0, 3).map((n) => n.html.slice(0, 160) + ' ' +
             n.any.concat(n.all, n.none).map((c) => c.message).join(' ').slice(0, 200)).join(' | ');
         axe.run(document, {{runOnly: {chosen}, resultTypes: ['violations']}})
             .then((found) => done(found.violations.filter(counts).map(shown)), (error) => done(['' + error]));"
    );
    let found = window.run_async(&script);
    let found = found.as_array().expect("a list").clone();
    found
        .iter()
        .map(|one| one.as_str().unwrap_or_default().to_owned())
        .collect()
}
