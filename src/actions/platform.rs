//! The chat platform as a whole: whose workspace it is, and whether it works.

use super::directory_sync;
use super::workspace;
use super::{App, Error};
use crate::chat::{CallError, OTHER_WORKSPACE, Remote, Workspace};
use crate::domain::chat::PlatformState;
use crate::domain::directory::Team;
use crate::runtime::background::POLL;
use crate::store::{self, StoreError};
use jiff::Timestamp;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

/// The state of the chat platform, for operators.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlatformStatus {
    /// `local`, `slack` or `matrix`.
    pub platform: &'static str,
    pub state: PlatformState,
    /// Why it is not up, or what else is wrong.
    pub last_error: Option<String>,
    /// When people, groups and channels were last read in full; `None` on the local platform, whose they are.
    pub last_sync_at: Option<Timestamp>,
    /// Whether what people do in chat arrives over a socket now.
    pub socket_connected: bool,
}

/// The state of the chat platform.
pub fn status(app: &App) -> Result<PlatformStatus, Error> {
    let Some(remote) = app.remote() else {
        return Ok(PlatformStatus {
            platform: "local",
            state: PlatformState::Up,
            last_error: None,
            last_sync_at: None,
            socket_connected: false,
        });
    };
    let (state, last_error) = remote.state();
    let reading = app.store().read(directory_sync::status)?;
    Ok(PlatformStatus {
        platform: remote.names().name,
        state,
        last_error: last_error
            .or_else(|| remote.no_socket().map(|why| format!("no socket: {why}")))
            .or(reading.error),
        last_sync_at: reading.last_read_at,
        socket_connected: remote.is_socket_connected(),
    })
}

/// Why the server must not start on this platform.
#[derive(Debug)]
pub enum StartError {
    /// A line for the operator.
    Wrong(String),
    Store(Error),
}

impl From<Error> for StartError {
    fn from(error: Error) -> StartError {
        StartError::Store(error)
    }
}

impl StoreError for StartError {
    fn of_storage(&self) -> Option<&Error> {
        match self {
            StartError::Wrong(_) => None,
            StartError::Store(error) => Some(error),
        }
    }
}

/// Asks the platform whose workspace it is, and compares it with the database's. A platform that does not answer, or that
/// does not take the token, does not keep the server from starting: duty goes on without it.
///
/// # Errors
/// If the database belongs to another workspace, or to the local platform.
pub fn begin(app: &App) -> Result<(), StartError> {
    let known = app.store().read(load_platform)?;
    let Some(remote) = app.remote() else {
        if let Known::Remote(platform, team) = known {
            log::warn!(
                "the people of this database are from {} of {platform}, and nothing is sent there: [chat] platform is not \
                 \"{platform}\"",
                team.id
            );
        }
        return Ok(());
    };
    let names = remote.names();
    if app
        .slack()
        .is_some_and(|slack| !slack.settings().takes_input())
    {
        log::warn!(
            "slack: neither slack.app_token nor slack.signing_secret is set, so commands and buttons of Slack do not arrive"
        );
    }
    match known {
        Known::LocalPeople => {
            return Err(StartError::Wrong(format!(
                "the people of this database are from the local platform; set [chat] platform = \"local\", or name a new \
                 database for {} with --db",
                names.title
            )));
        }
        Known::Remote(platform, _) if platform != names.name => {
            return Err(StartError::Wrong(format!(
                "the people of this database are from {platform}; set [chat] platform = \"{platform}\", or name a new \
                 database for {} with --db",
                names.title
            )));
        }
        Known::Remote(_, team) => remote.expect_workspace(Workspace {
            team_id: team.id.clone(),
            team: team.name,
            url: None,
            user_id: None,
            bot_id: None,
        }),
        Known::Nobody => {}
    }
    match ask_briefly(remote) {
        Ok(workspace) => {
            log::info!("{}: the workspace is {}", names.name, workspace.team_id);
            Ok(workspace::keep(app, workspace)?)
        }
        Err(CallError::Paused(pause)) if pause.code == OTHER_WORKSPACE => {
            Err(StartError::Wrong(format!(
                "{}: {pause}; {}, or name another database with --db",
                names.setting, names.write
            )))
        }
        Err(error) => {
            log::warn!(
                "{}: {error}; it is asked again, and duty goes on",
                names.name
            );
            Ok(())
        }
    }
}

/// How long the start waits for the platform to name the workspace. Then the question is left to those who ask again.
const AT_START: Duration = Duration::from_secs(3);

/// Asks whose token it is, and waits for the answer only for a short time.
fn ask_briefly(remote: &Arc<dyn Remote>) -> Result<Workspace, CallError> {
    let (answer, answered) = channel();
    let asking = Arc::clone(remote);
    let ask = move || {
        // Whoever waited may have left.
        let _ = answer.send(asking.ask_workspace());
    };
    let thread = thread::Builder::new().name("chat: start".into());
    let failed = |why: String| CallError::Transient(why);
    (thread.spawn(ask)).map_err(|error| failed(format!("no thread can be started: {error}")))?;
    let answer = answered.recv_timeout(AT_START);
    answer.unwrap_or_else(|_| Err(failed("no answer yet".into())))
}

/// Whose people the database has.
enum Known {
    Nobody,
    LocalPeople,
    /// With the name of the platform.
    Remote(String, Team),
}

fn load_platform(tx: &store::ReadTx) -> Result<Known, Error> {
    if let Some(platform) = store::load_fact(tx, store::CHAT_PLATFORM)? {
        return Ok(Known::Remote(platform, store::load_team(tx)?));
    }
    Ok(match store::has_people(tx)? {
        true => Known::LocalPeople,
        false => Known::Nobody,
    })
}

/// The waits between questions while the platform has not named the workspace, in real time.
const WAITS: [Duration; 4] = [
    Duration::from_secs(2),
    Duration::from_secs(10),
    Duration::from_secs(60),
    Duration::from_secs(300),
];

/// Asks the platform again while it has not named the workspace, or is paused. `tries` counts the questions since it last did.
/// Returns how long to wait.
///
/// # Errors
/// Those of the store.
pub fn keep_asking(app: &App, remote: &dyn Remote, tries: &mut usize) -> Result<Duration, Error> {
    let known = remote.workspace().filter(|known| known.user_id.is_some());
    let asked = match (remote.asks_again_at(), known) {
        (Some(_), _) => remote.ask_again(),
        (None, None) => Some(remote.ask_workspace()),
        // Somebody else may have asked.
        (None, Some(workspace)) => Some(Ok(workspace)),
    };
    let Some(asked) = asked else {
        *tries = 0;
        return Ok(POLL);
    };
    if let Ok(workspace) = asked {
        *tries = 0;
        workspace::keep(app, workspace)?;
        return Ok(POLL);
    }
    let wait = WAITS[(*tries).min(WAITS.len() - 1)];
    *tries += 1;
    Ok(wait)
}
