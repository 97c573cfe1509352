//! Every operation that writes leaves exactly one entry, under its own name.

use crate::support::*;
use serde_json::json;
use std::collections::BTreeSet;

/// What an operation is tried on.
struct World<'a> {
    rota: &'a Rota,
    /// Of U1, U2 and U3, who take turns daily at 09:00. U1 is on duty.
    rotation: &'a Rot<'a>,
}

impl World<'_> {
    fn asked(&self) -> Asked<'_> {
        self.rotation.ask_cover("U1", "05T10 06", "U2 U3")
    }

    fn offered(&self) -> Asked<'_> {
        self.rotation.offer_swap("U2", "06 07", "U3", "07 08")
    }

    fn arranged(&self) -> serde_json::Value {
        (self.rotation).assign(0, "U3", "2026-01-07T09:00Z", "2026-01-08T09:00Z")
    }

    /// An endpoint and a delivery to it that waits for another try.
    fn delivery(&self) -> (Hook<'_>, String) {
        let (hook, receiver) = self.rota.hook("");
        receiver.answers(json!({ "status": 503 }));
        let delivery = hook.test();
        self.rota.advance(1);
        let path = format!("{}/deliveries/{delivery}", hook.path());
        (hook, path)
    }

    fn linked(&self) -> Answer {
        let body = json!({ "partner": "pagerPartner", "scheduleId": "S1" });
        let path = self.rotation.path("/external");
        self.rotation.by.put_if(&path, "*", body)
    }

    fn feed(&self) -> String {
        let body = json!({ "rotationId": self.rotation.id });
        let made = self.rota.caller().post("/v1/calendar-feeds", body);
        format!("/v1/calendar-feeds/{}", text(&made.is(201).json()["id"]))
    }

    /// One that cannot be read.
    fn add_calendar(&self) -> Answer {
        let body = json!({ "url": "http://127.0.0.1:1/a.ics" });
        self.rota.caller().post("/v1/users/U2/calendars", body)
    }

    fn calendar(&self) -> String {
        let made = self.add_calendar().is(201).json();
        format!("/v1/users/U2/calendars/{}", text(&made["id"]))
    }

    fn post(&self, path: &str) -> Answer {
        self.rota.caller().request("POST", path).send()
    }

    fn send(&self, path: &str, body: serde_json::Value) -> Answer {
        self.rota.caller().post(path, body)
    }

    /// The path of a record that is added to a list.
    fn made(&self, list: &str, body: serde_json::Value) -> String {
        let made = self.send(list, body).is(201).json();
        format!("{list}/{}", text(&made["id"]))
    }
}

type Act = fn(&World) -> Answer;

/// Each operation, carried out so that it changes something.
const OPERATIONS: [(&str, Act); 67] = [
    ("linkExternal", |w| w.linked()),
    ("unlinkExternal", |w| {
        w.linked().ok();
        let path = w.rotation.path("/external");
        w.rotation.by.delete_if(&path, "*")
    }),
    ("setPartnerPerson", |w| {
        w.linked().ok();
        // Somebody who is on call later, so that no rotation changes now.
        let path = "/v1/partners/pagerPartner/people/P3";
        let put = w.rota.caller().request("PUT", path);
        put.json(&json!({ "userId": "U2" })).send()
    }),
    ("acknowledgeMention", |w| {
        w.rotation.mention("U2").step("U1", "acknowledge")
    }),
    ("passMention", |w| {
        w.rotation.mention("U2").step("U1", "pass")
    }),
    ("createRotation", |w| {
        let key = unique("audited");
        w.rota.caller().try_create(&key, new_rotation("U1"))
    }),
    ("deleteRotation", |w| {
        w.rotation.by.delete_if(&w.rotation.path(""), "*")
    }),
    ("patchRotation", |w| {
        w.rotation.patch(json!({ "name": "Other" }))
    }),
    ("createChange", |w| {
        let body = json!({ "operationId": unique("change"), "at": "nextHandOver", "rotation": { "name": "Later" } });
        w.rotation
            .by
            .post_if(&w.rotation.path("/changes"), "*", body)
    }),
    ("cancelChange", |w| {
        let body = json!({ "operationId": unique("change"), "at": "nextHandOver", "rotation": { "name": "Never" } });
        let made = w
            .rotation
            .by
            .post_if(&w.rotation.path("/changes"), "*", body)
            .is(201)
            .json();
        let path = format!("/changes/{}", text(&made["id"]));
        w.rotation.by.delete_if(&w.rotation.path(&path), "*")
    }),
    ("createAbsence", |w| {
        let body = json!({ "userId": "U2", "from": "2026-01-20T00:00:00Z", "until": "2026-01-21T00:00:00Z" });
        let path = w.rotation.path("/availability");
        w.rotation.by.post(&path, body)
    }),
    ("deleteAbsence", |w| {
        let id = w
            .rotation
            .away("U2", "2026-01-20T00:00Z", "2026-01-21T00:00Z");
        let path = w.rotation.path(&format!("/availability/{id}"));
        w.rotation.by.delete(&path)
    }),
    ("forgiveTrade", |w| {
        let trades = json!({ "dealing": { "missedTurn": "traded" } });
        w.rotation.patch(trades).is(200);
        w.rotation
            .away("U2", "2026-01-05T00:00Z", "2026-01-05T23:00Z");
        w.rotation.rotate();
        let trades = w.rotation.by.all(&w.rotation.path("/trades"));
        let path = format!("/trades/{}", text(&trades[0]["id"]));
        w.rotation.by.delete_if(&w.rotation.path(&path), "*")
    }),
    ("setChannel", |w| {
        (w.rotation).put("/channels/C1", json!({ "postsMessages": true }))
    }),
    ("createCoverRequest", |w| {
        let body = w.rotation.cover_body("05T10 06", "U2");
        w.rotation.seen_by("U1").request("cover-requests", body)
    }),
    ("acceptCoverRequest", |w| w.asked().step("U2", "accept")),
    ("cancelCoverRequest", |w| w.asked().step("U1", "cancel")),
    ("declineCoverRequest", |w| w.asked().step("U2", "decline")),
    ("endCoverRequest", |w| {
        let asked = w.asked();
        asked.accepted_by("U2");
        asked.step("U2", "end")
    }),
    ("replaceCoverage", |w| {
        let grid = w.rotation.grid(2, &[always(daily())]);
        w.rotation.put("/coverage", grid)
    }),
    ("createArrangement", |w| {
        (w.rotation).try_assign(0, "U3", "2026-01-07T09:00Z", "2026-01-08T09:00Z")
    }),
    ("changeArrangement", |w| {
        let (from, to) = ("2026-01-07T09:00Z", "2026-01-07T12:00Z");
        let body = w.rotation.assignment(0, "U1", from, to);
        w.rotation.try_change(&w.arranged(), body)
    }),
    ("endArrangement", |w| w.rotation.try_end(&w.arranged())),
    ("rotateInboundWebhookKey", |w| {
        w.post(&w.rotation.path("/inbound-webhook/rotate"))
    }),
    ("testNotifications", |w| {
        w.post("/v1/users/U1/notifications/test")
    }),
    ("setNotificationSettings", |w| {
        let path = "/v1/users/U1/notifications";
        let request = w.rota.caller().request("PUT", path);
        request.json(&json!({ "mail": false, "kinds": [] })).send()
    }),
    ("createCalendarFeed", |w| {
        let body = json!({ "userId": "U2" });
        w.rota.caller().post("/v1/calendar-feeds", body)
    }),
    ("createPersonalCalendar", |w| w.add_calendar()),
    ("patchPersonalCalendar", |w| {
        let request = w.rota.caller().request("PATCH", &w.calendar());
        request.json(&json!({ "name": "Other" })).send()
    }),
    ("readPersonalCalendar", |w| {
        w.post(&format!("{}/read", w.calendar()))
    }),
    ("deletePersonalCalendar", |w| {
        w.rota.caller().delete(&w.calendar())
    }),
    ("deleteCalendarFeed", |w| w.rota.caller().delete(&w.feed())),
    ("rotateCalendarFeed", |w| {
        w.post(&format!("{}/rotate", w.feed()))
    }),
    ("setMentionSettings", |w| {
        (w.rotation).put("/mention-settings", json!({ "expiresAfterMinutes": 5 }))
    }),
    ("sendPendingNotices", |w| {
        w.post(&w.rotation.path("/pending-notices/send"))
    }),
    ("setWarningSettings", |w| {
        (w.rotation).put("/warning-settings", json!({ "off": ["unfair"] }))
    }),
    ("clearOnCall", |w| w.rotation.clear()),
    ("replaceOnCall", |w| w.rotation.put_on_call("U3")),
    ("removeOnDutyGroup", |w| {
        w.rotation.bind_handle("removed");
        let path = w.rotation.path("/on-duty-group");
        w.rotation.by.delete_if(&path, "*")
    }),
    ("setOnDutyGroup", |w| {
        w.rotation.try_bind(json!({ "handle": "made" }))
    }),
    ("narrowRoster", |w| {
        let mut grid = w.rotation.grid(1, &[always(daily())]);
        grid["cells"][0]["rosterId"] = json!("day");
        w.rotation.put("/coverage", grid).is(200);
        w.rotation.put("/rosters/day", json!({ "userIds": ["U2"] }))
    }),
    ("setCommonRoster", |w| {
        w.rotation.put("/rosters", json!({ "nextTurn": 2 }))
    }),
    ("rotate", |w| {
        let path = w.rotation.path("/rotate");
        let request = w.rotation.by.request("POST", &path);
        request.header("If-Match", "*").send()
    }),
    ("createSwapRequest", |w| {
        let legs = [("a", "U2", 0, "06 07"), ("b", "U3", 0, "07 08")];
        let body = w.rotation.swap_body("U3", &legs);
        w.rotation.seen_by("U2").request("swap-requests", body)
    }),
    ("acceptSwapRequest", |w| w.offered().step("U3", "accept")),
    ("cancelSwapRequest", |w| w.offered().step("U2", "cancel")),
    ("declineSwapRequest", |w| w.offered().step("U3", "decline")),
    ("registerWebhook", |w| {
        let url = w.rota.receiver().url();
        let body = json!({ "name": "hook", "url": url, "eventTypes": [] });
        w.rota.caller().post("/v1/webhooks", body)
    }),
    ("deleteWebhook", |w| {
        let (hook, _) = w.rota.hook("");
        hook.by.delete_if(&hook.path(), "*")
    }),
    ("replaceWebhook", |w| {
        let (hook, receiver) = w.rota.hook("");
        let body =
            json!({ "name": "other", "url": receiver.url(), "eventTypes": ["duty.changed"] });
        hook.by.put_if(&hook.path(), "*", body)
    }),
    ("cancelDelivery", |w| {
        w.post(&format!("{}/cancel", w.delivery().1))
    }),
    ("resendDelivery", |w| {
        let (_, path) = w.delivery();
        w.post(&format!("{path}/cancel")).ok();
        w.post(&format!("{path}/resend"))
    }),
    ("createUser", |w| {
        let new = json!({ "id": unique("u"), "displayName": "New" });
        w.send("/v1/users", new)
    }),
    ("patchUser", |w| {
        let handle = json!({ "handle": unique("h") });
        w.rota.caller().patch_if("/v1/users/U3", "*", handle)
    }),
    ("createGroup", |w| {
        let id = unique("g");
        w.send(
            "/v1/groups",
            json!({ "name": "G", "handle": id, "userIds": [] }),
        )
    }),
    ("patchGroup", |w| {
        let path = w.made(
            "/v1/groups",
            json!({ "name": "G", "handle": unique("g"), "userIds": [] }),
        );
        w.rota
            .caller()
            .patch_if(&path, "*", json!({ "userIds": ["U1"] }))
    }),
    ("deleteGroup", |w| {
        let path = w.made(
            "/v1/groups",
            json!({ "name": "G", "handle": unique("g"), "userIds": [] }),
        );
        w.rota.caller().delete_if(&path, "*")
    }),
    ("createChannel", |w| {
        w.send("/v1/channels", json!({ "name": "C" }))
    }),
    ("patchChannel", |w| {
        let path = w.made("/v1/channels", json!({ "name": "C" }));
        w.rota.caller().patch_if(&path, "*", json!({ "name": "D" }))
    }),
    ("deleteChannel", |w| {
        let path = w.made("/v1/channels", json!({ "name": "C" }));
        w.rota.caller().delete_if(&path, "*")
    }),
    ("disableWebhook", |w| w.rota.hook("").0.act("disable")),
    ("enableWebhook", |w| {
        let (hook, _) = w.rota.hook("");
        hook.act("disable").is(200);
        hook.act("enable")
    }),
    ("rotateWebhookSecret", |w| w.rota.hook("").0.act("rotate")),
    ("testWebhook", |w| {
        let (hook, _) = w.rota.hook("");
        w.post(&format!("{}/test", hook.path()))
    }),
    ("inboundMention", |w| w.rotation.try_mention("U2")),
    ("inboundRotate", |w| w.rotation.inbound().post("rotate")),
    ("inboundSetOnDuty", |w| {
        let inbound = w.rotation.inbound();
        inbound.post("setonduty?email=u3@example.com")
    }),
];

/// A new route that forgets its entry is not in the table, or has no entry here.
/// rules.md 18.1 and 18.2.
#[test]
fn every_operation_that_writes_leaves_one_entry() {
    let rota = Rota::with_people(3);
    let document = rota.anyone().get("/v1/openapi.json").is(200).json();
    let items = document["paths"].as_object().unwrap().values();
    let operations = items.flat_map(|item| item.as_object().unwrap());
    let writing = operations.filter(|(method, _)| *method != "get");
    let ids = writing.map(|(_, operation)| text(&operation["operationId"]).to_owned());
    // What is previewed is not written. A hand-over needs a standby.
    let others = ["planRotations", "handOver"];
    let is_write = |id: &String| !id.starts_with("preview") && !others.contains(&id.as_str());
    let writing: BTreeSet<String> = ids.filter(is_write).collect();
    let known = OPERATIONS.map(|(id, _)| id.to_owned());
    assert_eq!(BTreeSet::from(known), writing);
    for (id, act) in OPERATIONS {
        // Each begins on the same day, and leaves no endpoint behind: there are ten at most.
        let pager = Pager::new();
        let later = "P3 2026-01-06T00:00Z 2026-01-07T00:00Z";
        pager.has(
            "S1",
            "P1",
            &["P1 2026-01-05T00:00Z 2026-01-06T00:00Z", later],
        );
        let rota = pager.start().go();
        rota.people(3);
        let rotation = rota.daily("U1 U2 U3", 1);
        rotation.put_on_call("U1").is(200);
        let before = rota.audited(&format!("action={id}"));
        let world = World {
            rota: &rota,
            rotation: &rotation,
        };
        let answer = act(&world).ok();
        let entries = rota.audit(&format!("action={id}"));
        assert_eq!(entries.len() as i64 - before, 1, "{id}: {entries:?}");
        let newest = rota.newest_entry();
        assert_eq!(newest["action"], id, "{newest}");
        let request = answer.header("x-request-id").unwrap();
        assert_eq!(newest["requestId"], request, "{id}");
        assert_eq!(newest["address"], "127.0.0.1", "{id}");
        assert_ne!(text(&newest["subject"]), "-", "{newest}");
        assert!(text(&newest["summary"]).len() > 10, "{newest}");
        let line = format!("{} {id} ", newest["actor"]["id"].as_str().unwrap());
        // The log is read by a thread of its own.
        eventually(&line, || rota.process.log.text().contains(&line));
    }
}
