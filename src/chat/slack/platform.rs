//! Slack behind the trait of chat platforms.

use super::api::Slack;
use super::buttons::{About, Button};
use super::method;
use super::records;
use super::text::{escaped, mended, unescaped};
use crate::chat::health::Asked;
use crate::chat::{Chat, ListedGroup, PlatformRenderer, text};
use crate::domain::chat::{Capabilities, ChatError};
use crate::domain::ids::{ChannelId, GroupId, MessageReference, UserId};
use crate::domain::message::{Content, Message, QuestionOutcome, Recipient};
use crate::domain::time::FOREVER;
use crate::domain::wording::{self, one_line, shortened, time};
use crate::domain::zones::ZoneName;
use crate::runtime::clock::monotonic;
use jiff::Timestamp;
use serde_json::{Value, json};

/// Slack's limit.
const LONGEST_TOPIC: usize = 250;

/// Slack recommends no longer text.
const LONGEST_MESSAGE: usize = 4_000;

/// Slack's limit of the text of a section.
const LONGEST_SECTION: usize = 3_000;

impl Chat for Slack {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            no_binding: None,
            no_creating: self.no_groups(),
            holds_empty_groups: false,
            longest_topic: LONGEST_TOPIC,
            longest_message: LONGEST_MESSAGE,
        }
    }

    fn name(&self, user: &UserId, _: &str) -> String {
        format!("<@{user}>")
    }

    fn handle(&self, user: &UserId, _: &str) -> String {
        format!("<@{user}>")
    }

    fn plain(&self, text: &str) -> String {
        escaped(&one_line(text))
    }

    fn time(&self, at: Timestamp, zone: Option<ZoneName>) -> String {
        let fallback = time(at, zone);
        match at.as_second() {
            // The end of time has no date that Slack could show.
            seconds if at < FOREVER => {
                format!("<!date^{seconds}^{{date_num}} {{time}}|{fallback}>")
            }
            _ => fallback,
        }
    }

    fn retries_refusals(&self) -> bool {
        false
    }

    fn topic_text(&self, text: String) -> String {
        unescaped(&text)
    }

    fn topic_cost(&self, text: &str) -> usize {
        escaped(text).chars().count()
    }

    fn post(
        &self,
        message: &Message,
        _: &str,
        _: Option<ZoneName>,
    ) -> Result<MessageReference, ChatError> {
        let to = match &message.to {
            Recipient::Channel(id) => id.as_str(),
            Recipient::Person(id) => id.as_str(),
        };
        let text = mended(&text(self, message));
        let mut arguments = json!({
            "channel": to,
            "text": text,
            "unfurl_links": false,
            "unfurl_media": false,
        });
        if let Some(thread) = &message.thread {
            arguments["thread_ts"] = json!(thread.0);
        }
        let pages = self.settings().pages.as_deref();
        if let Some(blocks) = blocks(message, &text, pages) {
            arguments["blocks"] = blocks;
        }
        let answer = self.call(&method::CHAT_POST_MESSAGE, &arguments)?;
        let text = |name: &str| answer[name].as_str().unwrap_or_default().to_owned();
        // A message to a person is in a conversation that Slack names in its answer, and updates need that name.
        Ok(MessageReference::from(format!(
            "{} {}",
            text("channel"),
            text("ts")
        )))
    }

    fn update(
        &self,
        reference: &MessageReference,
        message: &Message,
        standing: &QuestionOutcome,
        _: Option<ZoneName>,
    ) -> Result<(), ChatError> {
        let (channel, ts) = reference.as_str().split_once(' ').unwrap_or_default();
        let renderer = PlatformRenderer {
            chat: self,
            names: &message.people,
        };
        let outcome = wording::standing(standing, &renderer);
        let asked = text(self, message);
        let section = |most: usize| {
            let asked = shortened(&asked, most - outcome.chars().count() - 1);
            format!("{}\n{outcome}", mended(&asked))
        };
        let arguments = json!({
            "channel": channel,
            "ts": ts,
            "text": section(LONGEST_MESSAGE),
            // Blocks that are left out would stay, with their buttons.
            "blocks": [{ "type": "section", "text": { "type": "mrkdwn", "text": section(LONGEST_SECTION) } }],
        });
        self.call(&method::CHAT_UPDATE, &arguments)?;
        Ok(())
    }

    fn topic(&self, channel: &ChannelId) -> Result<String, ChatError> {
        let arguments = json!({ "channel": channel.as_str() });
        let answer = self.call(&method::CONVERSATIONS_INFO, &arguments)?;
        let topic = answer["channel"]["topic"]["value"].as_str();
        Ok(unescaped(topic.unwrap_or_default()))
    }

    fn set_topic(&self, channel: &ChannelId, topic: &str) -> Result<(), ChatError> {
        let arguments = json!({ "channel": channel.as_str(), "topic": escaped(topic) });
        self.call(&method::CONVERSATIONS_SET_TOPIC, &arguments)?;
        Ok(())
    }

    fn find_group(&self, handle: &str) -> Result<Option<GroupId>, ChatError> {
        let listed = self.call(
            &method::USERGROUPS_LIST,
            &json!({ "include_disabled": true }),
        );
        if self.note_groups(Asked::List, &listed) {
            return Ok(None);
        }
        let groups = listed?;
        let groups = groups["usergroups"].as_array().into_iter().flatten();
        let mut found = groups.filter(|group| {
            let known = group["handle"].as_str();
            known.is_some_and(|known| known.eq_ignore_ascii_case(handle))
        });
        let id = found.find_map(|group| group["id"].as_str());
        Ok(id.map(GroupId::from))
    }

    fn create_group(&self, handle: &str, name: &str) -> Result<GroupId, ChatError> {
        let arguments = json!({ "name": one_line(name), "handle": handle });
        let mut created = self.call(&method::USERGROUPS_CREATE, &arguments);
        if let Err(error) = &created
            && error.code() == Some("name_already_exists")
        {
            // Names are unique in Slack, and those of rotations are not.
            let name = format!("{} ({handle})", one_line(name));
            let arguments = json!({ "name": name, "handle": handle });
            created = self.call(&method::USERGROUPS_CREATE, &arguments);
        }
        self.note_groups(Asked::Making, &created);
        let id = created?["usergroup"]["id"].as_str().map(GroupId::from);
        id.ok_or_else(|| ChatError::Unavailable("usergroups.create names no group".into()))
    }

    fn people(&self, group: &GroupId) -> Result<ListedGroup, ChatError> {
        let asked_at = monotonic();
        if let Some(found) = self.group_people.take(group, asked_at) {
            return Ok(found);
        }
        let arguments = json!({ "include_users": true, "include_disabled": true });
        let answer = self.call(&method::USERGROUPS_LIST, &arguments)?;
        let Some(groups) = answer["usergroups"].as_array() else {
            let why = "usergroups.list answers without usergroups";
            return Err(ChatError::Unavailable(why.into()));
        };
        let listed = |one: &Value| {
            let group = records::group(one, "")?;
            let found = ListedGroup {
                people: group.users,
                is_disabled: records::is_disabled(one),
                ..ListedGroup::default()
            };
            Some((group.id, found))
        };
        let listed = groups.iter().filter_map(listed).collect();
        let found = self.group_people.keep(listed, asked_at, group);
        found.ok_or_else(|| ChatError::NotFound(format!("Slack has no user group {group}")))
    }

    fn set_people(
        &self,
        group: &GroupId,
        _: &[UserId],
        people: &[UserId],
    ) -> Result<(), ChatError> {
        let users: Vec<&str> = people.iter().map(UserId::as_str).collect();
        let arguments = json!({ "usergroup": group.as_str(), "users": users.join(",") });
        self.call(&method::USERGROUPS_USERS_UPDATE, &arguments)?;
        Ok(())
    }

    fn set_disabled(&self, group: &GroupId, disabled: bool) -> Result<(), ChatError> {
        let (method, done) = match disabled {
            true => (&method::USERGROUPS_DISABLE, "already_disabled"),
            false => (&method::USERGROUPS_ENABLE, "already_enabled"),
        };
        match self.call(method, &json!({ "usergroup": group.as_str() })) {
            Err(error) if error.code() == Some(done) => Ok(()),
            answer => Ok(answer.map(drop)?),
        }
    }
}

/// The blocks of a message with buttons: its text, and the buttons below. `None` without buttons.
fn blocks(message: &Message, text: &str, pages: Option<&str>) -> Option<Value> {
    let elements = match shift_to_see(message, pages) {
        Some(button) => vec![button],
        None => answers(message)?,
    };
    let text = mended(&shortened(text, LONGEST_SECTION));
    Some(json!([
        { "type": "section", "text": { "type": "mrkdwn", "text": text } },
        { "type": "actions", "elements": elements },
    ]))
}

/// A button that opens the page of a shift that moved.
fn shift_to_see(message: &Message, pages: Option<&str>) -> Option<Value> {
    let Content::ShiftsMoved(moved) = &message.content else {
        return None;
    };
    let path = moved.path(message.rotation.as_ref()?)?;
    Some(json!({
        "type": "button",
        "action_id": "page:shift",
        "text": { "type": "plain_text", "text": "See the shift" },
        "url": format!("{}{path}", pages?),
    }))
}

/// The buttons of the answers that are offered.
fn answers(message: &Message) -> Option<Vec<Value>> {
    let about = About::of(message.rotation.as_ref()?, &message.subject)?;
    if message.answers.is_empty() {
        return None;
    }
    let button = |answer: &_| {
        Button {
            answer: *answer,
            about: about.clone(),
        }
        .element()
    };
    Some(message.answers.iter().map(button).collect())
}
