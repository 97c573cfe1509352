//! A strict Slack in the test's own process: a workspace with people, groups and channels behind the Web API over HTTP.
//!
//! Every request is held against Slack's own description of its methods (`tests/data/slack/web_api.json`): unknown, missing
//! and wrong arguments, other content types and other tokens fail, and fail the test at its end.
//!
//! | File | Part |
//! |---|---|
//! | `state` | the workspace, its calls and the failures that a test wants |
//! | `methods` | reads requests, checks them, and finds the method |
//! | `directory` | people and channels |
//! | `groups` | user groups |
//! | `messages` | messages, their updates, topics |
//! | `views` | modals and App Home |
//! | `socket` | Socket Mode |
//! | `payloads` | what comes in, and requests to the request URLs |

mod directory;
mod groups;
mod messages;
mod methods;
mod payloads;
mod socket;
mod state;
mod views;

#[allow(unused_imports)]
pub use payloads::*;
#[allow(unused_imports)]
pub use socket::{Acknowledged, Sockets};
#[allow(unused_imports)]
pub use state::{Call, Failure, Posted, SCOPES, Team};

use super::{Rota, Start, unique};
use serde_json::Value;
use std::net::TcpListener;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub const BOT_TOKEN: &str = "xoxb-1-bot";
pub const APP_TOKEN: &str = "xapp-1-app";
/// The path of response URLs, which Slack has on another host.
const RESPONSES: &str = "/response/";

pub const SIGNING_SECRET: &str = "0123456789abcdef0123456789abcdef";

/// Slack, until the end of the test.
pub struct Slack {
    /// With the slash at its end.
    pub api_url: String,
    team: Arc<Mutex<Team>>,
}

impl Slack {
    /// A workspace without people.
    pub fn new() -> Slack {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("its address");
        let team = Arc::new(Mutex::new(Team::new()));
        let shared = Arc::clone(&team);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let shared = Arc::clone(&shared);
                std::thread::spawn(move || methods::serve(stream, &shared));
            }
        });
        Slack {
            api_url: format!("http://{address}/api/"),
            team,
        }
    }

    /// A workspace with people `U1` to `Un`, the first of them an administrator, and the channels `C1` to `C3` with the app in
    /// them.
    pub fn with_people(people: usize) -> Slack {
        let slack = Slack::new();
        slack.team().people(people);
        slack
    }

    /// The workspace, to read or change it.
    pub fn team(&self) -> MutexGuard<'_, Team> {
        self.team.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `rota dev` on this workspace: an empty database, the clock on Monday.
    pub fn start(&self) -> Start {
        Start::default()
            .env("ROTA_CHAT_PLATFORM", "slack")
            .env("ROTA_SLACK_API_URL", &self.api_url)
            .env("ROTA_SLACK_BOT_TOKEN", BOT_TOKEN)
    }

    /// A server on this workspace that knows its people.
    #[track_caller]
    pub fn go(&self) -> Rota {
        // The directory is read at the start.
        self.start().go()
    }

    /// Has the server read the people, groups and channels.
    #[track_caller]
    pub fn read_directory(&self, rota: &Rota) {
        rota.post("/dev/sync", serde_json::json!({})).ok();
    }

    /// The calls of a method so far.
    pub fn calls(&self, method: &str) -> Vec<Call> {
        let team = self.team();
        let of_method = team.calls.iter().filter(|call| call.method == method);
        of_method.cloned().collect()
    }

    /// The messages posted to a channel or a person so far.
    pub fn posted(&self, to: &str) -> Vec<Posted> {
        let team = self.team();
        let to_it = team.posted.iter().filter(|posted| posted.to == to);
        to_it.cloned().collect()
    }

    /// The sockets of the workspace. Without this call Socket Mode is off.
    pub fn socket_mode(&self) -> Sockets {
        let mut team = self.team();
        team.sockets.get_or_insert_with(Sockets::default).clone()
    }

    /// A response URL that nobody had before.
    pub fn response_url(&self) -> String {
        let root = self
            .api_url
            .strip_suffix("/api/")
            .expect("the address of an API");
        format!("{root}{}", unique(RESPONSES))
    }

    /// What was sent to response URLs so far, each with its URL.
    pub fn responses(&self) -> Vec<(String, Value)> {
        self.team().responses.clone()
    }

    /// A modal as it is after somebody has opened it.
    pub fn open_modal(&self, view: Value) -> Value {
        let mut team = self.team();
        let id = format!("V{}", team.number());
        let mut view = view;
        view["id"] = id.as_str().into();
        view["hash"] = format!("hash-{id}").into();
        team.views.insert(id, view.clone());
        view
    }

    /// Lets the next `times` calls of a method fail.
    pub fn fail(&self, method: &str, failure: Failure, times: usize) {
        let mut team = self.team();
        let failures = team.failures.entry(method.to_owned()).or_default();
        failures.extend(std::iter::repeat_n(failure, times));
    }

    /// Ends all failures.
    pub fn heal(&self) {
        let mut team = self.team();
        team.failures.clear();
        team.down = None;
    }
}

impl Drop for Slack {
    fn drop(&mut self) {
        let broken = std::mem::take(&mut self.team().violations);
        if !std::thread::panicking() {
            assert_eq!(
                broken,
                Vec::<String>::new(),
                "requests that Slack would refuse"
            );
        }
    }
}
