//! A team of six lives through a week: at every step duty, record, events and what Slack shows agree.

use super::interactions::{Enter, Workspace, button, labels};
use crate::support::slack::{Posted, event, posted};
use crate::support::*;
use serde_json::{Value, json};

/// The rotation, and what has been seen of it so far.
struct Week<'a> {
    workspace: &'a Workspace,
    rotation: Rot<'a>,
    receiver: Receiver<'a>,
    group: String,
}

impl Week<'_> {
    /// Holds everything against who is on call: the forecast that was made before, the record, the newest event, the topic, the
    /// group, `/rota`, and what the person is told. Pacing takes real time, so chat is waited for.
    #[track_caller]
    fn on_call(&self, user: &str) {
        let rotation = &self.rotation;
        assert_eq!(rotation.on_call(), user);
        let now = self.workspace.rota.now();
        let planned = rotation.schedule(&now, &plus(&now, 1));
        assert!(planned[0].ends_with(user), "planned: {planned:?}");
        rotation.is_a_chain("05 20");
        let history = rotation.get(&format!(
            "/history?from=2026-01-05T00:00:00Z&to={}",
            rfc(&plus(&now, 1))
        ));
        let history = history.ok().json()["data"].clone();
        let running = history
            .as_array()
            .expect("entries")
            .iter()
            .find(|entry| entry.get("end").is_none());
        assert_eq!(
            text(&running.expect("one that runs")["userId"]),
            user,
            "{history}"
        );
        let version = rotation.read()["version"].clone();
        eventually("the event of the newest change of duty", || {
            let bodies = self.receiver.bodies();
            let duty = bodies
                .iter()
                .rev()
                .find(|body| body["eventType"] == "duty.changed");
            duty.is_none_or(|body| {
                body["rotation"]
                    .to_string()
                    .contains(&format!("\"{user}\""))
            })
        });
        let versions = self.receiver.bodies();
        let newest = versions
            .iter()
            .filter_map(|body| body["rotationVersion"].as_u64())
            .max();
        assert!(newest <= version.as_u64(), "{newest:?} {version}");
        eventually("the topic", || {
            let team = self.workspace.slack.team();
            let channel = team.channels.iter().find(|channel| channel["id"] == "C2");
            let topic = channel.map(|channel| text(&channel["topic"]["value"]).to_owned());
            topic.is_some_and(|topic| {
                topic.contains(user) || topic.contains(&self.name(&team.users, user))
            })
        });
        eventually("the group", || {
            let team = self.workspace.slack.team();
            let group = team.groups.iter().find(|group| group["id"] == *self.group);
            group.is_some_and(|group| group["users"] == json!([user]) && group["date_delete"] == 0)
        });
        let said = self.workspace.said(user, "PLAT");
        assert!(said.contains(&format!("<@{user}> until")), "{said}");
        assert!(
            self.workspace
                .said(user, "")
                .starts_with("You are on call for"),
            "{said}"
        );
    }

    /// How the topic names somebody: by id, or as the directory has it.
    fn name(&self, users: &[Value], user: &str) -> String {
        let found = users.iter().find(|known| known["id"] == *user);
        text(&found.expect("somebody")["profile"]["display_name"]).to_owned()
    }

    /// The newest message with buttons to somebody, once it is there.
    #[track_caller]
    fn asked(&self, to: &str, part: &str) -> Posted {
        let mut found = None;
        eventually(part, || {
            let all = self.workspace.slack.posted(to).into_iter().rev();
            found = all.into_iter().find(|posted| posted.text.contains(part));
            found.is_some()
        });
        found.expect("a message")
    }

    /// Waits until a message has lost its buttons.
    #[track_caller]
    fn is_settled(&self, to: &str, ts: &str) {
        eventually("a message without buttons", || {
            let all = self.workspace.slack.posted(to);
            let posted = all.iter().find(|posted| posted.ts == ts);
            posted.is_some_and(|posted| labels(&shown(posted)).is_empty())
        });
    }
}

fn shown(posted: &Posted) -> Value {
    json!({ "blocks": posted.blocks })
}

pub fn a_team_lives_through_a_week() {
    let workspace = Workspace::with_people(7);
    let rotation = workspace.daily("PLAT", "U1 U2 U3 U4 U5 U6");
    let template = json!({ "topicTemplate": "On call: %USER%" });
    rotation.patch(template).ok();
    rotation.posts_in("C1");
    rotation.tells_in("C2");
    let group = rotation.bind_handle("plat-oncall");
    let (_, receiver) = workspace.rota.hook(ALL_EVENTS);
    let week = Week {
        workspace: &workspace,
        rotation: rotation.clone(),
        receiver,
        group,
    };

    // Monday. Bo's turn comes with a reminder, then the hand-over.
    week.on_call("U1");
    workspace.rota.to("2026-01-06T08:00Z");
    week.asked("U2", "You come on duty for PLAT team");
    workspace.rota.to("2026-01-06T09:00Z");
    week.on_call("U2");
    week.asked("U2", "You are on duty for PLAT team");
    week.asked("U1", "You are off duty for PLAT team");
    week.asked("C1", "<@U2> takes over from");

    // Tuesday. U3 cannot tomorrow, and asks two; U5 accepts by button, U4 is too late.
    let form = workspace.form("U3", "PLAT cover");
    let entered = [
        ("whom", Enter::Several(&["U4", "U5"])),
        ("reason", Enter::Text("Dentist")),
    ];
    assert_eq!(workspace.submit("U3", &form, &entered), Value::Null);
    let (first, second) = (
        week.asked("U5", "asks you to cover"),
        week.asked("U4", "asks you to cover"),
    );
    let on = (first.channel.as_str(), first.ts.as_str());
    let accept = button(&shown(&first), "Accept");
    assert_eq!(
        workspace.click("U5", on, &accept)["text"],
        "You have accepted."
    );
    let late = (second.channel.as_str(), second.ts.as_str());
    let told = workspace.click("U4", late, &accept);
    assert_eq!(
        told["text"],
        "This cover request is over: <@U5> has accepted it."
    );
    week.is_settled("U5", &first.ts);
    week.is_settled("U4", &second.ts);
    week.asked("U3", "has accepted your cover request");
    workspace.rota.to("2026-01-07T09:00Z");
    week.on_call("U5");

    // Wednesday. Somebody needs help; whoever is on call acknowledges in the thread.
    let ts = workspace.mention("U7", "C3", "plat the site is down");
    let called = week.asked("C3", "the site is down");
    assert_eq!(called.thread_ts.as_deref(), Some(ts.as_str()));
    assert!(called.text.contains("<@U5>"), "{}", called.text);
    let on = (called.channel.as_str(), called.ts.as_str());
    workspace.click("U5", on, &button(&shown(&called), "Acknowledge"));
    assert_eq!(week.asked("C3", "<@U5> answers <@U7>").thread_ts, Some(ts));
    week.is_settled("C3", &called.ts);
    week.on_call("U5");

    // U4 and U6 swap their turns of Thursday and Saturday.
    let form = workspace.form("U4", "PLAT swap");
    let entered = [
        ("turn", Enter::Pick("Thu 8")),
        ("theirs", Enter::Pick("u6: Sat 10")),
    ];
    assert_eq!(workspace.submit("U4", &form, &entered), Value::Null);
    let offered = week.asked("U6", "offers you a swap");
    let on = (offered.channel.as_str(), offered.ts.as_str());
    let reply = workspace.click("U6", on, &button(&shown(&offered), "Accept"));
    assert_eq!(reply["text"], "You have accepted.");
    workspace.rota.to("2026-01-08T09:00Z");
    week.on_call("U6");

    // Thursday. U5 is away from Friday on: the hand-over passes them over.
    let form = workspace.form("U5", "away");
    let entered = [
        ("from", Enter::At("2026-01-09T08:00Z")),
        ("to", Enter::At("2026-01-09T20:00Z")),
    ];
    assert_eq!(workspace.submit("U5", &form, &entered), Value::Null);
    workspace.rota.to("2026-01-09T09:00Z");
    // Beneath the swap U6 is dealt, whose own turn comes a day earlier.
    let held = rotation.on_call();
    assert_ne!(held, "U5");
    week.on_call(&held);

    // Friday. A rename and a leaver, as Slack tells of them.
    let renamed = {
        let mut team = workspace.slack.team();
        team.person("U1", json!({ "profile": { "display_name": "Annabel" } }));
        team.users.iter().find(|user| user["id"] == "U1").cloned()
    };
    let renamed = event(json!({ "type": "user_change", "user": renamed }));
    posted(&workspace.rota, "/slack/events", &renamed).ok();
    eventually("the new name", || {
        let user = workspace.rota.get("/v1/users/U1").ok().json();
        user["displayName"] == "Annabel"
    });
    let left = {
        let mut team = workspace.slack.team();
        team.person(&held, json!({ "deleted": true }));
        team.users.iter().find(|user| user["id"] == *held).cloned()
    };
    let left = event(json!({ "type": "user_change", "user": left }));
    posted(&workspace.rota, "/slack/events", &left).ok();
    eventually("somebody else on call", || rotation.on_call() != held);
    let now = rotation.on_call();
    week.on_call(&now);

    // The weekend goes on by itself, as the plan says.
    for day in ["10", "11", "12"] {
        let at = format!("2026-01-{day}T09:00Z");
        let planned = rotation.schedule(&at, &plus(&at, 1));
        workspace.rota.to(&at);
        let held = rotation.on_call();
        assert!(
            planned.iter().any(|turn| turn.ends_with(&held)),
            "{planned:?} {held}"
        );
        week.on_call(&held);
    }

    // What was clicked last week says what came of it.
    let version = rotation.read()["version"].clone();
    let told = workspace.click("U4", late, &accept);
    assert!(
        text(&told["text"]).starts_with("This cover request is over"),
        "{told}"
    );
    assert_eq!(rotation.read()["version"], version);
}
