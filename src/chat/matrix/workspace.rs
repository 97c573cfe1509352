//! Whose space it is: the account, and the space whose members are the workspace.

use super::api::{Call, Matrix};
use super::error::SERVER;
use crate::chat::call_error::{CallError, OTHER_WORKSPACE, Pause, Refusal};
use crate::chat::{Remote, Workspace};
use serde_json::{Value, json};
use std::sync::PoisonError;

/// A space is what `m.room.create` calls one.
const SPACE: &str = "m.space";

impl Matrix {
    /// The id of the account.
    ///
    /// # Errors
    /// Those of every call, before the homeserver has named it.
    pub(super) fn me(&self) -> Result<String, CallError> {
        let known = self.health.workspace().and_then(|known| known.user_id);
        match known {
            Some(me) => Ok(me),
            None => Ok(self.ask_workspace()?.user_id.unwrap_or_default()),
        }
    }

    /// Asks whose token it is and what the space is, and joins the space where that is permitted.
    pub(super) fn ask(&self) -> Result<Workspace, CallError> {
        if self.health.asks_at().is_some() {
            self.read_token();
        }
        let account = self.send(&Call::get("whoami", &["v3", "account", "whoami"]))?;
        let Some(me) = account["user_id"].as_str() else {
            return Err(CallError::Transient("whoami names nobody".into()));
        };
        // Refused before, it may be taken now; what follows shows the rest.
        let was_paused = self.health.resume();
        let (space, create) = self.enter_space().inspect_err(|error| {
            if let CallError::Refused(refusal) = error {
                self.health.set_outside(Some(format!(
                    "the space {}: {refusal}",
                    self.settings.space
                )));
            }
        })?;
        self.health.set_outside(None);
        let name = self.state_of(&space, "m.room.name")?;
        let name = name.and_then(|name| name["name"].as_str().map(str::to_owned));
        let workspace = Workspace {
            team_id: space,
            team: name,
            url: None,
            user_id: Some(me.to_owned()),
            bot_id: None,
        };
        if let Some(known) = self.health.workspace()
            && known.team_id != workspace.team_id
            && !self.replaces(&workspace.team_id, &create, &known.team_id)?
        {
            return Err(self.pause(Pause {
                by: SERVER,
                code: OTHER_WORKSPACE.into(),
                needed: Some(format!(
                    "the space is {}, and the people are from {}",
                    workspace.team_id, known.team_id
                )),
            }));
        }
        self.health.found(workspace.clone());
        if was_paused {
            log::info!("matrix: the token is taken again");
        }
        Ok(workspace)
    }

    /// The content of a state event; `None` if the room has none.
    pub(super) fn state_of(&self, room: &str, name: &str) -> Result<Option<Value>, CallError> {
        let call = Call::get("state", &["v3", "rooms", room, "state", name, ""]);
        match self.send(&call) {
            Ok(content) => Ok(Some(content)),
            Err(CallError::Refused(refusal)) if refusal.code == "M_NOT_FOUND" => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The id of the space. An alias is looked up once.
    pub(super) fn space_id(&self) -> Result<String, CallError> {
        let mut known = self.space.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = &*known {
            return Ok(known.clone());
        }
        let space = &self.settings.space;
        let id = match space.starts_with('!') {
            true => space.clone(),
            false => {
                let call = Call::get("room", &["v3", "directory", "room", space]);
                let found = self.send(&call)?;
                let id = found["room_id"].as_str().map(str::to_owned);
                id.ok_or_else(|| CallError::Transient("an alias without a room".into()))?
            }
        };
        *known = Some(id.clone());
        Ok(id)
    }

    /// The space, and the content of its `m.room.create`.
    fn enter_space(&self) -> Result<(String, Value), CallError> {
        let space = self.space_id()?;
        let create = match self.state_of(&space, "m.room.create") {
            Err(CallError::Refused(_)) => {
                let body = json!({});
                self.send(&Call::post(
                    "join",
                    &["v3", "join", &self.settings.space],
                    &body,
                ))?;
                self.state_of(&space, "m.room.create")?
            }
            create => create?,
        };
        let create = create.unwrap_or_default();
        if create["type"] != SPACE {
            return Err(CallError::Refused(Refusal {
                by: "rota",
                code: "no space".into(),
                detail: Some(format!(
                    "{space} is a room, and its members are no workspace"
                )),
            }));
        }
        Ok((space, create))
    }

    /// Whether a room took the place of another one, as both say.
    fn replaces(&self, new: &str, create: &Value, old: &str) -> Result<bool, CallError> {
        if create["predecessor"]["room_id"] != *old {
            return Ok(false);
        }
        let tombstone = match self.state_of(old, "m.room.tombstone") {
            Err(CallError::Refused(_)) => None,
            tombstone => tombstone?,
        };
        let follows = tombstone.is_some_and(|tombstone| tombstone["replacement_room"] == *new);
        if follows {
            log::warn!("matrix: the space {new} took the place of {old}");
        }
        Ok(follows)
    }
}
