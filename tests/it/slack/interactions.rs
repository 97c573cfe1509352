//! What people say and click in Slack, through the request URLs of the real binary.

mod clicks;
mod commands;
mod home;
mod hostile;
mod mentions;
mod modals;

use crate::support::slack::{SIGNING_SECRET, Slack, click, command, mention, posted, submission};
use crate::support::*;
use serde_json::{Value, json};

/// A workspace on Slack, and the server on it.
pub struct Workspace {
    pub slack: Slack,
    pub rota: Rota,
}

/// What somebody enters into a field.
pub enum Enter<'a> {
    /// The option whose label has this.
    Pick(&'a str),
    /// Options or people, by value.
    Several(&'a [&'a str]),
    /// An instant of a table.
    At(&'a str),
    Text(&'a str),
    /// All boxes.
    Tick,
}

impl Workspace {
    /// With people `U1` to `Un`, the first of them an administrator.
    pub fn with_people(people: usize) -> Workspace {
        let slack = Slack::with_people(people);
        let start = slack.start();
        let rota = start.env("ROTA_SLACK_SIGNING_SECRET", SIGNING_SECRET).go();
        slack.read_directory(&rota);
        Workspace { slack, rota }
    }

    /// A public daily rotation with a code; the first of its people owns it.
    #[track_caller]
    pub fn daily(&self, code: &str, people: &str) -> Rot<'_> {
        let rotation = self.rota.daily(people, 1);
        let name = format!("{code} team");
        rotation
            .patch(json!({ "code": code, "name": name, "public": true }))
            .ok();
        rotation
    }

    /// The message that answers a command.
    #[track_caller]
    pub fn say(&self, user: &str, words: &str) -> Value {
        let url = self.slack.response_url();
        let answer = posted(&self.rota, "/slack/commands", &command(user, words, &url)).ok();
        self.answered(&answer, &url)
    }

    /// The text of it.
    #[track_caller]
    pub fn said(&self, user: &str, words: &str) -> String {
        text(&self.say(user, words)["text"]).to_owned()
    }

    /// What an acknowledgement has, or what comes to the response URL after it.
    #[track_caller]
    fn answered(&self, answer: &Answer, url: &str) -> Value {
        if !answer.text().is_empty() {
            return answer.json();
        }
        let mut found = None;
        eventually("an answer", || {
            let responses = self.slack.responses();
            found = responses.into_iter().find(|(to, _)| to == url);
            found.is_some()
        });
        found.expect("an answer").1
    }

    /// The form that a command opens.
    #[track_caller]
    pub fn form(&self, user: &str, words: &str) -> Value {
        let payload = command(user, words, &self.slack.response_url());
        posted(&self.rota, "/slack/commands", &payload).ok();
        self.opened(&payload)
    }

    /// The view that was opened for a payload.
    #[track_caller]
    fn opened(&self, payload: &Value) -> Value {
        let mut found = None;
        eventually("a view", || {
            let calls = self.slack.calls("views.open");
            let mut calls = calls.into_iter();
            found = calls.find(|call| call.arguments["trigger_id"] == payload["trigger_id"]);
            found.is_some()
        });
        let view = found.expect("a view").arguments["view"].clone();
        let team = self.slack.team();
        let same = |shown: &&Value| shown["blocks"] == view["blocks"];
        let number = |shown: &Value| text(&shown["id"])[1..].parse::<u32>().expect("a number");
        let views = team.views.values().filter(same);
        let newest = views.max_by_key(|shown| number(shown));
        newest.expect("the view").clone()
    }

    /// What clicking a button of a message answers.
    #[track_caller]
    pub fn click(&self, user: &str, on: (&str, &str), button: &Value) -> Value {
        let url = self.slack.response_url();
        let (action, value) = (text(&button["action_id"]), text(&button["value"]));
        let payload = click(user, on, (action, value), &url);
        let answer = posted(&self.rota, "/slack/interactivity", &payload).ok();
        self.answered(&answer, &url)
    }

    /// The view that clicking a button opens.
    #[track_caller]
    pub fn click_form(&self, user: &str, on: (&str, &str), button: &Value) -> Value {
        let url = self.slack.response_url();
        let (action, value) = (text(&button["action_id"]), text(&button["value"]));
        let payload = click(user, on, (action, value), &url);
        posted(&self.rota, "/slack/interactivity", &payload).ok();
        self.opened(&payload)
    }

    /// What sending a form answers; null where it closes.
    #[track_caller]
    pub fn submit(&self, user: &str, view: &Value, entered: &[(&str, Enter)]) -> Value {
        let payload = submission(user, view.clone(), filled(view, entered));
        let answer = posted(&self.rota, "/slack/interactivity", &payload).ok();
        match answer.text().is_empty() {
            true => Value::Null,
            false => answer.json(),
        }
    }

    /// Somebody mentions the app in a channel; answers the `ts` of their message.
    #[track_caller]
    pub fn mention(&self, user: &str, channel: &str, words: &str) -> String {
        let payload = mention(user, channel, &format!("<@U0> {words}"));
        posted(&self.rota, "/slack/events", &payload).ok();
        text(&payload["event"]["ts"]).to_owned()
    }

    /// The newest message to a channel or a person once there are `number` of them.
    #[track_caller]
    pub fn message(&self, to: &str, number: usize) -> crate::support::slack::Posted {
        eventually("a message", || self.slack.posted(to).len() >= number);
        self.slack.posted(to).swap_remove(number - 1)
    }

    /// What somebody was told alone in a channel, once it is there.
    #[track_caller]
    pub fn told(&self, user: &str, number: usize) -> String {
        let told = || {
            let calls = self.slack.calls("chat.postEphemeral").into_iter();
            let theirs = calls.filter(|call| call.arguments["user"] == user);
            theirs.collect::<Vec<_>>()
        };
        eventually("an ephemeral message", || told().len() >= number);
        text(&told()[number - 1].arguments["text"]).to_owned()
    }
}

/// All buttons of a message or view.
pub fn buttons(shown: &Value) -> Vec<Value> {
    let blocks = shown["blocks"].as_array().cloned().unwrap_or_default();
    let mut found = Vec::new();
    for block in blocks {
        let elements = block["elements"].as_array().into_iter().flatten();
        let all = elements.chain(block.get("accessory"));
        found.extend(all.filter(|one| one["type"] == "button").cloned());
    }
    found
}

/// The first button with a label.
#[track_caller]
pub fn button(shown: &Value, label: &str) -> Value {
    let all = buttons(shown);
    let found = all.iter().find(|one| one["text"]["text"] == label);
    found
        .unwrap_or_else(|| panic!("no {label}: {all:?}"))
        .clone()
}

/// The labels of all buttons.
pub fn labels(shown: &Value) -> Vec<String> {
    let all = buttons(shown);
    let label = |one: &Value| text(&one["text"]["text"]).to_owned();
    all.iter().map(label).collect()
}

/// The element of a field.
#[track_caller]
pub fn field(view: &Value, id: &str) -> Value {
    let blocks = view["blocks"].as_array().cloned().unwrap_or_default();
    let block = blocks.into_iter().find(|block| block["block_id"] == id);
    block.unwrap_or_else(|| panic!("no field {id}: {view}"))["element"].clone()
}

/// The options of a menu, in groups or not.
fn options(element: &Value) -> Vec<Value> {
    let groups = element["option_groups"].as_array().into_iter().flatten();
    let grouped = groups.flat_map(|group| group["options"].as_array().into_iter().flatten());
    let plain = element["options"].as_array().into_iter().flatten();
    grouped.chain(plain).cloned().collect()
}

/// The labels of the options of a field.
#[track_caller]
pub fn choices(view: &Value, id: &str) -> Vec<String> {
    let options = options(&field(view, id));
    let label = |option: &Value| text(&option["text"]["text"]).to_owned();
    options.iter().map(label).collect()
}

/// The state of a view whose fields have what they began with, but for what is entered.
#[track_caller]
fn filled(view: &Value, entered: &[(&str, Enter)]) -> Value {
    let mut values = json!({});
    for block in view["blocks"].as_array().into_iter().flatten() {
        if block["type"] != "input" {
            continue;
        }
        let (id, element) = (text(&block["block_id"]), &block["element"]);
        let action = text(&element["action_id"]);
        let typed = entered.iter().find(|(field, _)| *field == id);
        let state = state(element, typed.map(|(_, entered)| entered));
        values[id] = json!({ action: state });
    }
    values
}

#[track_caller]
fn state(element: &Value, entered: Option<&Enter>) -> Value {
    let kind = text(&element["type"]);
    let mut state = json!({ "type": kind });
    let (member, begun) = match kind {
        "static_select" => ("selected_option", "initial_option"),
        "multi_static_select" | "checkboxes" => ("selected_options", "initial_options"),
        "multi_users_select" => ("selected_users", "initial_users"),
        "datetimepicker" => ("selected_date_time", "initial_date_time"),
        _ => ("value", "initial_value"),
    };
    let options = options(element);
    let with = |part: &str| {
        let label = |option: &&Value| text(&option["text"]["text"]).contains(part);
        options.iter().find(label).cloned()
    };
    state[member] = match entered {
        None => element[begun].clone(),
        Some(Enter::Pick(part)) => with(part).unwrap_or_else(|| panic!("no {part} in {options:?}")),
        Some(Enter::Several(values)) if kind == "multi_users_select" => json!(values),
        Some(Enter::Several(values)) => {
            let option = |value: &&str| json!({ "value": value });
            values.iter().map(option).collect()
        }
        Some(Enter::At(instant)) => json!(at(&rfc(instant)).as_second()),
        Some(Enter::Text(typed)) => json!(typed),
        Some(Enter::Tick) => json!(options),
    };
    state
}
