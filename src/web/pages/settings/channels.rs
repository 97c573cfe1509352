//! Channels that are told who is on call, and the topic, with how it reads.

use super::{Change, Saved, action, carried, carry_out, channel_summary, page};
use crate::actions::chat_sync;
use crate::domain::edit::{ChannelChange, RotationPatch};
use crate::domain::ids::ChannelId;
use crate::domain::rotation::{ChannelSetting, Rotation};
use crate::server::{Outcome, Problem, Response};
use crate::store::{Channel, Page, list_channels, load_channel};
use crate::web::form::{Errors, Form};
use crate::web::pages::{editable, failing};
use crate::web::parts::fields::{Choice, Filled, hidden};
use crate::web::visit::Visit;
use maud::{Markup, html};

const PART: &str = "channels";

/// Channels that a form offers at the most.
const OFFERED: u32 = 500;

/// The tokens of a template, and what they stand for.
const TOKENS: [(&str, &str); 9] = [
    ("%NAME%", "the rotation’s name"),
    ("%CODE%", "its code"),
    ("%USER%", "who is on call"),
    ("%USERHANDLE%", "the same as mentions"),
    ("%UNTIL%", "until when"),
    ("%NEXT_USER%", "who is next"),
    ("%NEXT_UNTIL%", "until when they are on call"),
    ("%DUTY_SIZE%", "how many are on call"),
    ("%DUTYHANDLE%", "the on-call group"),
];

/// GET.
pub fn show(visit: &Visit) -> Outcome {
    let rotation = editable(visit)?;
    let values = topic_values(&rotation);
    form(visit, &rotation, (200, &values, &Errors::default()), None)
}

fn topic_values(rotation: &Rotation) -> Form {
    let profile = &rotation.profile;
    Form::with([
        ("enableTopic", profile.enable_topic.to_string()),
        (
            "topicTemplate",
            profile.topic_template.clone().unwrap_or_default(),
        ),
    ])
}

fn channel_name(channel: Option<&Channel>, id: &ChannelId) -> String {
    let named = channel.and_then(|channel| channel.name.as_deref());
    named.map_or_else(
        || id.to_string(),
        |name| format!("#{}", name.trim_start_matches('#')),
    )
}

fn form(
    visit: &Visit,
    rotation: &Rotation,
    (status, values, errors): (u16, &Form, &Errors),
    reads: Option<&str>,
) -> Result<Response, Problem> {
    let listed = &rotation.profile.channels;
    let all = Page::first(OFFERED);
    let (offered, _) = visit
        .app()
        .store()
        .read(|tx| list_channels(tx, None, false, all))?;
    let is_new = |one: &&Channel| !listed.iter().any(|setting| setting.channel == one.id);
    let choices: Vec<Choice> = offered
        .iter()
        .filter(is_new)
        .map(|one| Choice::new(one.id.as_str(), &channel_name(Some(one), &one.id)))
        .collect();
    let filled = Filled { values, errors };
    let content = html! {
        section.card.pad aria-labelledby="channels" {
            h2 #channels { "Channels" }
            @if listed.is_empty() { p.muted { "No channel is told anything. Add one, and hand-overs and reminders are posted there." } }
            @for setting in listed { (channel(visit, rotation, setting)?) }
            @if choices.is_empty() {
                p.muted { "There is no other channel that the app is in. Invite it to one in chat." }
            } @else {
                form method="post" action=(action(rotation, PART)) {
                    (filled.select("channelId", "Channel", "Channels that the app is in.", &choices))
                    (carried(visit, rotation))
                    p.actions { button.btn type="submit" name="step" value="add" { "Add the channel" } }
                }
            }
        }
        section.card.pad aria-labelledby="topic" {
            h2 #topic { "Topic" }
            form method="post" action=(action(rotation, PART)) {
                (filled.tick("enableTopic", "Write who is on call into the topics of channels"))
                (filled.area("topicTemplate", "Template", "Empty is the usual text."))
                details {
                    summary { "What a template may say" }
                    dl.kv { @for (token, about) in TOKENS { dt { code { (token) } } dd { (about) } } }
                }
                (carried(visit, rotation))
                p.actions {
                    button.btn type="submit" name="step" value="topic" { "Save" }
                    button.btn type="submit" name="step" value="read" { "Show how it reads" }
                }
            }
            @if let Some(text) = reads {
                h3 #reads { "It would read" }
                p { bdi data-topic { (text) } }
            }
        }
        (channel_summary::section(visit, rotation, PART, errors, &names(visit, rotation)?))
    };
    page(visit, rotation, PART, (status, errors), content)
}

/// The channels of the rotation with their names.
fn names(visit: &Visit, rotation: &Rotation) -> Result<Vec<(ChannelId, String)>, Problem> {
    let named = |setting: &ChannelSetting| -> Result<_, Problem> {
        let id = &setting.channel;
        let known = visit.app().store().read(|tx| load_channel(tx, id))?;
        Ok((id.clone(), channel_name(known.as_ref(), id)))
    };
    rotation.profile.channels.iter().map(named).collect()
}

fn channel(
    visit: &Visit,
    rotation: &Rotation,
    setting: &ChannelSetting,
) -> Result<Markup, Problem> {
    let id = &setting.channel;
    let known = visit.app().store().read(|tx| load_channel(tx, id))?;
    let name = channel_name(known.as_ref(), id);
    let inside = known.as_ref().is_some_and(|known| known.app_is_member);
    let field = |kind: &str| format!("f-{kind}-{id}");
    Ok(html! {
        form method="post" action=(action(rotation, PART)) data-channel=(id) {
            h3 { bdi { (name) } }
            @if !inside { p.hint { "The app is not in this channel, so nothing arrives until it is invited." } }
            (hidden("channelId", id.as_str()))
            div.choice {
                input type="checkbox" id=(field("posts")) name="postsMessages" value="true" checked[setting.posts_messages];
                label for=(field("posts")) { "Post hand-overs, reminders and mentions" span.sr { " in " (name) } }
            }
            div.choice {
                input type="checkbox" id=(field("topic")) name="syncsTopic" value="true" checked[setting.syncs_topic];
                label for=(field("topic")) { "Write the topic" span.sr { " of " (name) } }
            }
            (carried(visit, rotation))
            p.actions {
                button.btn.s type="submit" name="step" value="set" { "Save" span.sr { ": " (name) } }
                button.btn.s type="submit" name="step" value="remove" { "Remove" span.sr { ": " (name) } }
            }
        }
    })
}

/// POST.
pub fn save(visit: &Visit) -> Outcome {
    let rotation = editable(visit)?;
    match visit.form.one("step") {
        "topic" => save_topic(visit, &rotation),
        "read" => {
            let again = |status, errors: Errors| {
                form(visit, &rotation, (status, &visit.form, &errors), None)
            };
            let read = topic(visit).checked().map_err(Into::into);
            let read = read.and_then(|patch| {
                let template = patch.topic_template.flatten();
                chat_sync::preview_topic(visit.app(), &visit.caller, &rotation.id, template)
            });
            match failing(visit, &rotation.id, read, &["topicTemplate"], again)? {
                Ok(text) => form(
                    visit,
                    &rotation,
                    (200, &visit.form, &Errors::default()),
                    Some(&text),
                ),
                Err(page) => Ok(page),
            }
        }
        channel_summary::STEP => save_summary(visit, &rotation),
        step => set_channel(visit, &rotation, step),
    }
}

fn topic(visit: &Visit) -> RotationPatch {
    RotationPatch {
        enable_topic: Some(visit.form.has("enableTopic", "true")),
        topic_template: Some(visit.form.filled("topicTemplate").map(str::to_owned)),
        ..RotationPatch::default()
    }
}

fn save_topic(visit: &Visit, rotation: &Rotation) -> Outcome {
    let again =
        |status, errors: Errors| form(visit, rotation, (status, &visit.form, &errors), None);
    let profile = &rotation.profile;
    let before = RotationPatch {
        enable_topic: Some(profile.enable_topic),
        topic_template: Some(profile.topic_template.clone()),
        ..RotationPatch::default()
    };
    let saved = Saved {
        part: PART,
        names: &["enableTopic", "topicTemplate"],
        told: "The topic was saved.",
        before: Some(Change::Patch(before)),
    };
    let change = topic(visit).checked().map(Change::Patch);
    carry_out(visit, rotation, change, saved, again)
}

fn save_summary(visit: &Visit, rotation: &Rotation) -> Outcome {
    let again = |status, errors: Errors| {
        let values = topic_values(rotation);
        form(visit, rotation, (status, &values, &errors), None)
    };
    let before = RotationPatch {
        summary: Some(rotation.profile.summary.clone()),
        ..RotationPatch::default()
    };
    let saved = Saved {
        part: PART,
        names: &channel_summary::FIELDS,
        told: "The summary was saved.",
        before: Some(Change::Patch(before)),
    };
    let change = channel_summary::patch(&visit.form).map(Change::Patch);
    carry_out(visit, rotation, change, saved, again)
}

fn set_channel(visit: &Visit, rotation: &Rotation, step: &str) -> Outcome {
    let id = ChannelId::from(visit.form.one("channelId"));
    let asked = |posts: bool, topic: bool| ChannelChange {
        posts_messages: Some(posts),
        syncs_topic: Some(topic),
    };
    let (change, told) = match step {
        "add" => (ChannelChange::default(), "The channel was added."),
        "remove" => (asked(false, false), "The channel was removed."),
        _ => {
            let ticked = |name: &str| visit.form.has(name, "true");
            (
                asked(ticked("postsMessages"), ticked("syncsTopic")),
                "The channel was saved.",
            )
        }
    };
    let again = |status, errors: Errors| {
        let values = topic_values(rotation);
        form(visit, rotation, (status, &values, &errors), None)
    };
    let mut listed = rotation.profile.channels.iter();
    let was = listed.find(|setting| setting.channel == id);
    let was = was.map_or(asked(false, false), |was| {
        asked(was.posts_messages, was.syncs_topic)
    });
    let saved = Saved {
        part: PART,
        names: &["channelId"],
        told,
        before: Some(Change::Channel(id.clone(), was)),
    };
    carry_out(
        visit,
        rotation,
        Ok(Change::Channel(id, change)),
        saved,
        again,
    )
}
