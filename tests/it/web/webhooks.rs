//! The pages of webhook endpoints: who may see them, every write, and what the delivery log shows.

use super::{Browser, attribute, with_admin};
use crate::support::*;
use serde_json::json;

/// The text of the secret that a page shows, if it does.
fn secret(page: &str) -> Option<&str> {
    let rest = page.split_once("<code class=\"secret\">")?.1;
    rest.split('<').next()
}

/// An endpoint made by its page, with its path and its secret.
#[track_caller]
fn made(admin: &Browser, receiver: &Receiver) -> (String, String) {
    let fields = [("name", "Pager"), ("url", &receiver.url())];
    let answer = admin.fill("/webhooks/new", "/webhooks", &fields).is(303);
    let path = answer.header("location").expect("a location").to_owned();
    let page = admin.follow(&answer);
    (path, secret(&page).expect("a secret").to_owned())
}

#[test]
fn an_endpoint_is_registered_and_its_secret_is_shown_once() {
    let start = Start::default().env("ROTA_LOG", "debug");
    let rota = with_admin(start, 2);
    let admin = Browser::signed_in(&rota, "U1");
    assert!(admin.get("/").text().contains("href=\"/webhooks\""));
    assert!(admin.get("/webhooks").text().contains("no endpoints yet"));
    let receiver = rota.receiver();
    let (path, shown) = made(&admin, &receiver);
    assert!(shown.starts_with("svc_whsec_"), "{shown}");
    for page in [&path, "/webhooks", &format!("{path}/edit"), &path] {
        let text = admin.get(page).is(200).text();
        assert!(!text.contains("svc_whsec_"), "{page}");
        assert!(text.contains("Pager"), "{page}");
    }
    let page = admin.get(&path).text();
    assert!(page.contains("duty.changed") && page.contains("Not failing"));
    let fields = [("graceSeconds", "3600")];
    let rotated = admin.fill(&path, &format!("{path}/rotate"), &fields);
    let page = admin.follow(&rotated.is(303));
    let second = secret(&page).expect("a secret").to_owned();
    assert_ne!(second, shown);
    assert!(page.contains("signs too until"), "{page}");
    let (_, log) = rota.stop();
    assert!(
        log.contains("POST /webhooks"),
        "the log is not that of requests"
    );
    for secret in [shown, second] {
        assert!(!log.contains(&secret));
    }
}

#[test]
fn a_delivery_is_tested_failed_cancelled_and_sent_again() {
    let rota = with_admin(Start::default(), 2);
    rota.daily("U2", 1);
    let admin = Browser::signed_in(&rota, "U1");
    let receiver = rota.receiver();
    receiver.answers(json!({ "status": 503, "body": "<b>no" }));
    let (path, _) = made(&admin, &receiver);
    let answer = admin.fill(&path, &format!("{path}/test"), &[]).is(303);
    let delivery = answer.header("location").expect("a location").to_owned();
    assert!(delivery.starts_with(&format!("{path}/deliveries/")));
    eventually("an attempt", || {
        admin.get(&delivery).text().contains("data-attempt=\"1\"")
    });
    let page = admin.get(&delivery).text();
    for part in [
        "status 503",
        "Service-Signature",
        "&lt;b&gt;no",
        "&quot;eventType&quot;:&quot;webhook.test&quot;",
        "Pending",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(!page.contains(&format!("{delivery}/resend")));
    assert!(admin.get(&path).text().contains("Failing since"));
    assert!(!admin.get(&path).text().contains("Not failing"));
    let cancelled = admin.fill(&delivery, &format!("{delivery}/cancel"), &[]);
    let page = admin.follow(&cancelled.is(303));
    assert!(page.contains("was cancelled") && page.contains("Cancelled"));
    receiver.answers(json!({ "status": 200 }));
    let again = admin.fill(&delivery, &format!("{delivery}/resend"), &[]);
    admin.follow(&again.is(303));
    eventually("the second attempt", || {
        admin.get(&delivery).text().contains("data-attempt=\"2\"")
    });
    assert!(admin.get(&path).text().contains("Not failing"));
    for (query, found) in [
        ("?state=delivered", true),
        ("?state=exhausted", false),
        ("?eventType=webhook.test", true),
        ("?eventType=duty.changed", false),
        ("?rotationId=rot_none", false),
        ("?page=2", false),
    ] {
        let page = admin.get(&format!("{path}{query}")).is(200).text();
        assert_eq!(page.contains("data-delivery="), found, "{query}");
    }
}

#[test]
fn a_form_is_done_once_and_what_is_wrong_is_shown_beside_it() {
    let rota = with_admin(Start::default(), 2);
    let admin = Browser::signed_in(&rota, "U1");
    let receiver = rota.receiver();
    let page = admin.get("/webhooks/new").text();
    let fields = [("name", "Twice"), ("url", &receiver.url())];
    let first = admin.fill_in(&page, "/webhooks", &fields).is(303);
    let second = admin.fill_in(&page, "/webhooks", &fields).is(303);
    assert_eq!(first.header("location"), second.header("location"));
    let all = admin.get("/webhooks").text();
    assert_eq!(all.matches("data-webhook=").count(), 1);
    let wrong = [("name", "<i>Typed"), ("url", "gopher://x")];
    let page = admin
        .fill("/webhooks/new", "/webhooks", &wrong)
        .is(400)
        .text();
    for part in [
        "href=\"#f-url\"",
        "id=\"errors\"",
        "value=\"&lt;i&gt;Typed\"",
        "value=\"gopher://x\"",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    admin.post("/webhooks", &[("name", "x")]).is(400);
}

#[test]
fn what_changed_meanwhile_is_shown_before_it_is_overwritten() {
    let rota = with_admin(Start::default(), 2);
    let admin = Browser::signed_in(&rota, "U1");
    let (path, _) = made(&admin, &rota.receiver());
    let edit = format!("{path}/edit");
    let (form, other) = (admin.get(&edit).text(), admin.get(&path).text());
    admin
        .fill_in(&other, &format!("{path}/disable"), &[])
        .is(303);
    assert!(admin.get(&path).text().contains("Disabled by hand"));
    let page = admin
        .fill_in(&form, &edit, &[("name", "Renamed")])
        .is(412)
        .text();
    assert!(page.contains("Disabled by hand") && page.contains("Changed since you looked"));
    let saved = admin.fill_in(&page, &edit, &[]).is(303);
    assert!(admin.follow(&saved).contains("Renamed"));
    admin.fill(&path, &format!("{path}/enable"), &[]).is(303);
    let gone = admin.fill(&format!("{path}/delete"), &format!("{path}/delete"), &[]);
    let page = admin.follow(&gone.is(303));
    assert!(page.contains("Renamed was deleted"), "{page}");
    admin.get(&path).is(404);
    let entries = rota.get("/v1/audit?action=deleteWebhook").ok().json();
    let actor = &entries["data"][0]["actor"];
    assert_eq!((text(&actor["kind"]), text(&actor["id"])), ("person", "U1"));
}

#[test]
fn others_are_told_why_they_may_not() {
    let rota = with_admin(Start::default(), 3);
    let (hook, _) = rota.hook("");
    let member = Browser::signed_in(&rota, "U2");
    assert!(!member.get("/").text().contains("/webhooks"));
    let path = format!("/webhooks/{}", hook.id);
    for page in ["/webhooks", "/webhooks/new", &path, &format!("{path}/edit")] {
        let text = member.get(page).is(403).text();
        assert!(text.contains("workspace admins"), "{page}");
    }
    for step in ["test", "enable", "disable", "rotate", "delete", "edit"] {
        let fields = [("ifMatch", "*"), ("operationId", "x")];
        member.post(&format!("{path}/{step}"), &fields).is(403);
    }
    let away = Browser::of(&rota).get(&path).is(303);
    let sign_in = away.header("location").expect("a location");
    assert!(sign_in.starts_with("/login?next="), "{sign_in}");
    assert_eq!(hook.read()["state"], "enabled");
    let admin = Browser::signed_in(&rota, "U1");
    admin.get("/webhooks/whk_none").is(404);
    admin.get(&format!("{path}/deliveries/none")).is(404);
    let fields = [("ifMatch", "*"), ("operationId", "x")];
    admin.post(&format!("{path}/explode"), &fields).is(404);
    let row = admin.get("/webhooks").text();
    let row = row.split("<tr ").nth(1).expect("a row").to_owned();
    assert_eq!(attribute(&row, "data-webhook"), Some(hook.id.clone()));
}
