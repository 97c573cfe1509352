//! Posts a message to the incoming webhook of its channel.

use super::link;
use crate::actions::{App, Error};
use crate::domain::ids::{ChannelId, UserId};
use crate::domain::message::{Message, PeopleNames};
use crate::domain::relay::RelayError;
use crate::domain::wording::{self, NameForms, Renderer};
use crate::relays::incoming::{Post, Style};
use crate::store::{self, Outgoing, ReadTx};
use std::collections::BTreeMap;

/// The longest text, in characters: Discord takes 2,000 with the link.
const LONGEST: usize = 1_800;

/// Words for a channel behind an incoming webhook.
struct Escaped<'a> {
    style: Style,
    names: &'a PeopleNames,
    handles: BTreeMap<UserId, String>,
}

impl Renderer for Escaped<'_> {
    fn named(&self, user: &UserId) -> NameForms {
        let name = self.names.get(user).map_or(user.as_str(), String::as_str);
        let name = self.style.escape(name);
        let handle = self.handles.get(user);
        NameForms {
            handle: handle.map_or_else(|| name.clone(), |handle| format!("@{handle}")),
            name,
        }
    }

    fn plain(&self, text: &str) -> String {
        self.style.escape(text)
    }
}

/// Posts a message. The outer error is of the storage.
pub(super) fn send(
    app: &App,
    channel: &ChannelId,
    outgoing: &Outgoing,
) -> Result<Result<(), RelayError>, Error> {
    let (Ok(message), Some(webhook)) = (&outgoing.message, app.relays().webhook(channel)) else {
        return Ok(Err(RelayError::Permanent("it cannot be posted".into())));
    };
    let handles = app.store().read(|tx| handles(tx, channel, message))?;
    let renderer = Escaped {
        style: webhook.style,
        names: &message.people,
        handles,
    };
    let text = wording::text(message, &renderer);
    let base = app.relays().links.as_deref();
    let answerable = base.filter(|_| !message.answers.is_empty());
    let post = Post {
        text: wording::shortened(&text, LONGEST).into_owned(),
        link: answerable
            .and_then(|base| link(message).map(|(label, path)| (label, format!("{base}{path}")))),
        rotation: message.rotation.as_ref().map(ToString::to_string),
        kind: message
            .content
            .kind()
            .map_or("text", |kind| kind.name())
            .to_owned(),
        at: outgoing.created_at,
    };
    let posted = webhook.post(app.webhook_client(), &post, app.now());
    Ok(posted.map(drop))
}

fn handles(
    tx: &ReadTx,
    channel: &ChannelId,
    message: &Message,
) -> Result<BTreeMap<UserId, String>, Error> {
    let mut handles = BTreeMap::new();
    for user in message.content.people() {
        if let Some(handle) = store::load_handle(tx, user, channel)? {
            handles.insert(user.clone(), handle);
        }
    }
    Ok(handles)
}
