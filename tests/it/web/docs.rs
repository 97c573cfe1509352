//! The pages about the API: every operation with its example, for anybody, and small enough to read on a phone.

use super::Browser;
use crate::support::*;
use serde_json::Value;

fn plain(page: &str) -> String {
    page.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&amp;", "&")
}

#[test]
fn every_operation_is_shown_with_its_example() {
    let rota = Rota::at(MONDAY);
    let anybody = Browser::of(&rota);
    let document = rota.anyone().get("/v1/openapi.json").is(200).json();
    let first = plain(&anybody.get("/docs").is(200).text());
    let mut pages = std::collections::BTreeMap::new();
    for tag in document["tags"].as_array().unwrap() {
        let tag = text(&tag["name"]);
        let page = anybody.get(&format!("/docs/{tag}")).is(200).text();
        assert!(page.len() < 200_000, "{tag}: {}", page.len());
        assert!(first.contains(&format!("href=\"/docs/{tag}\"")), "{tag}");
        pages.insert(tag.to_owned(), plain(&page));
    }
    assert!(first.len() < 200_000, "{}", first.len());
    let mut seen = 0;
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let (id, tag) = (text(&operation["operationId"]), text(&operation["tags"][0]));
            let page = &pages[tag];
            assert!(first.contains(&format!("<li id=\"{id}\">")), "{id}");
            let own = page.split_once(&format!("id=\"{id}\""));
            let (_, own) = own.unwrap_or_else(|| panic!("{id} is not on /docs/{tag}"));
            let own = own.split("</section>").next().unwrap();
            let line = format!("{} {path}", method.to_uppercase());
            assert!(own.contains(&line), "{id}: {line}");
            assert!(own.contains("curl ") && own.contains("$ROTA_URL"), "{id}");
            for parameter in operation["parameters"].as_array().unwrap() {
                let name = format!("<code>{}</code>", text(&parameter["name"]));
                assert!(own.contains(&name), "{id}: {name}");
            }
            let body = &operation["requestBody"]["content"]["application/json"]["example"];
            if !body.is_null() {
                let body = format!("{body:#}").replace('\'', "'\\''");
                assert!(own.contains(&body), "{id}: {body}");
                assert!(first.contains(&body), "{id}");
            }
            seen += 1;
        }
    }
    assert!(seen >= 76, "{seen}");
    for part in ["Service-Signature", "receiveEvent", "svc_whsec_"] {
        assert!(pages["webhooks"].contains(part), "{part}");
    }
}

#[test]
fn links_of_the_pages_lead_somewhere() {
    let rota = Rota::at(MONDAY);
    let anybody = Browser::of(&rota);
    let document = rota.anyone().get("/v1/openapi.json").is(200).json();
    let tags = document["tags"].as_array().unwrap().iter();
    let tags = tags.map(|tag: &Value| format!("/docs/{}", text(&tag["name"])));
    let paths: Vec<String> = tags.chain(["/docs".to_owned()]).collect();
    let load = |path: &String| (path.clone(), anybody.get(path).is(200).text());
    let pages: std::collections::BTreeMap<String, String> = paths.iter().map(load).collect();
    for (path, page) in &pages {
        assert_eq!(page.matches("<h1").count(), 1, "{path}");
        assert!(!page.contains(" style=") && !page.contains("<script>"));
        for link in page.split("href=\"").skip(1) {
            let link = link.split('"').next().unwrap();
            let (target, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if target.is_empty() { path } else { target };
            if anchor.is_empty() || anchor == "main" || !target.starts_with("/docs") {
                continue;
            }
            let leads = pages[target].contains(&format!("id=\"{anchor}\""));
            assert!(leads, "{path}: {link}");
        }
        let ids: Vec<&str> = page.split(" id=\"").skip(1).collect();
        let mut ids: Vec<&str> = ids.iter().map(|id| id.split('"').next().unwrap()).collect();
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), count, "{path}: an id stands twice");
    }
    anybody.get("/docs/nothing").is(404);
    anybody.request("POST", "/docs").send().is(405);
}
