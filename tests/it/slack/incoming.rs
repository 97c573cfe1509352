//! What comes in: over the socket and at the request URLs, stored, answered once, through every fault.
//!
//! Most tests run the intake and the socket in their own process, with a handler that counts and with short time-outs. `kills` and
//! `urls` start the binary.

mod answers;
mod kills;
mod lasting;
mod serving;
mod socket;
mod urls;

use crate::support::slack::{APP_TOKEN, BOT_TOKEN, Slack, Sockets};
use crate::support::*;
use jiff::Timestamp;
use rota::actions::sessions::SignedIn;
use rota::actions::{App, Error, Outward};
use rota::chat::slack::SlackSettings;
use rota::client::{Secret, Tls, Trust};
use rota::domain::directory::{Person, Source};
use rota::domain::holidays::Calendar;
use rota::domain::ids::UserId;
use rota::domain::tiers::{Tier, TierLimits};
use rota::runtime::background::{LoopThread, stop_all};
use rota::runtime::clock::Clock;
use rota::slack_inbound::incoming::{Command, Kind};
use rota::slack_inbound::{Handler, Incoming, Intake, Later, Reply, Timings, start_socket};
use rota::store::{Directory, Store, Team};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

/// A handler that counts what it is asked, and answers as the text of a command says.
#[derive(Clone, Default)]
pub struct Counting {
    /// How often each id was asked.
    asked: Arc<Mutex<BTreeMap<String, usize>>>,
    gate: Arc<(Mutex<bool>, Condvar)>,
    directory: Arc<Mutex<Vec<String>>>,
}

impl Counting {
    /// How often each id was asked.
    pub fn asked(&self) -> BTreeMap<String, usize> {
        self.asked.lock().unwrap().clone()
    }

    /// The types of the directory events.
    pub fn directory(&self) -> Vec<String> {
        self.directory.lock().unwrap().clone()
    }

    /// Lets everything go on that waits at the gate.
    pub fn open_gate(&self) {
        *self.gate.0.lock().unwrap() = true;
        self.gate.1.notify_all();
    }

    fn wait_at_gate(&self) {
        let open = self.gate.0.lock().unwrap();
        drop(self.gate.1.wait_while(open, |open| !*open).unwrap());
    }
}

impl Handler for Counting {
    fn answer(&self, who: &SignedIn, incoming: &Incoming) -> Result<Reply, Error> {
        let count = || {
            *self
                .asked
                .lock()
                .unwrap()
                .entry(incoming.id.clone())
                .or_default() += 1
        };
        count();
        let name = who.person.name();
        let reply = match &incoming.kind {
            Kind::Command(Command {
                text, trigger_id, ..
            }) => match text.as_str() {
                "slow" => {
                    self.wait_at_gate();
                    Reply::body(json!({ "text": "slowly" }))
                }
                "panic" => panic!("a handler that panics"),
                "fail" => return Err(Error::Stopped),
                "modal" => Reply::nothing().and(Later::OpenView {
                    trigger_id: trigger_id.clone().unwrap(),
                    view: modal(""),
                }),
                "post" => Reply::body(json!({ "text": "posted" })).and(Later::Post {
                    channel: "C1".into(),
                    thread_ts: None,
                    message: json!({ "text": "hello" }),
                }),
                text => Reply::body(json!({ "text": format!("{name}: {text}") })),
            },
            Kind::ViewSubmission(view) => {
                if view.callback_id == "slow" {
                    self.wait_at_gate();
                }
                Reply::body(
                    json!({ "response_action": "errors", "errors": { "reason": "Too short." } }),
                )
            }
            Kind::Actions(_) => Reply::body(json!({ "text": format!("{name} clicked") })),
            _ => Reply::nothing(),
        };
        Ok(reply)
    }
}

/// A modal as Slack takes it.
pub fn modal(callback_id: &str) -> serde_json::Value {
    json!({
        "type": "modal", "callback_id": callback_id, "title": { "type": "plain_text", "text": "Cover" },
        "blocks": [{ "type": "section", "text": { "type": "plain_text", "text": "Which turn?" } }],
    })
}

/// Times short enough to wait for.
pub fn hurried() -> Timings {
    let ms = Duration::from_millis;
    Timings {
        opening: Duration::from_secs(20),
        quiet: ms(100),
        // A busy machine stands still for longer than Slack would.
        dead: ms(2_000),
        overlap: ms(1_500),
        healthy: Duration::from_secs(30),
        first_wait: ms(10),
        longest_wait: ms(100),
    }
}

/// A workspace on a database, without a server.
pub fn app(db: &Path, slack: &Slack, app_token: Option<&str>) -> App {
    let at: Timestamp = "2026-01-05T08:00:00Z".parse().unwrap();
    let clock = Arc::new(Clock::frozen(at));
    let store = Store::open(db, Arc::clone(&clock), true).expect("a database");
    let outward = Outward::usual("http://rota.example").expect("TLS");
    let limits = TierLimits::of(Tier::Pro);
    let settings = SlackSettings {
        bot_token: Secret::new(BOT_TOKEN),
        app_token: app_token.map(Secret::new),
        signing_secret: None,
        api_url: slack.api_url.parse().expect("an address"),
        proxy: None,
        sync_every: jiff::SignedDuration::from_mins(15),
        away_emoji: Vec::new(),
        pages: None,
    };
    let tls = Tls::load(Trust::Bundled, None).expect("TLS");
    let app = App::new(store, Calendar::embedded(), clock, limits, outward);
    let app = app.with_slack(settings, &tls);
    let people = ["U1", "U2", "U3"].map(|id| person(id, false));
    let people = people.into_iter().chain([person("U9", true)]).collect();
    let directory = Directory {
        team: Team {
            id: "T1".into(),
            name: None,
            domain: None,
        },
        people,
        groups: Vec::new(),
        channels: Vec::new(),
        handles: Vec::new(),
        phones: Default::default(),
    };
    let written = app
        .store()
        .write(move |tx| rota::store::replace_directory(tx, &directory));
    written.expect("a directory");
    app
}

fn person(id: &str, is_deleted: bool) -> Person {
    Person {
        id: UserId::from(id),
        team_id: "T1".into(),
        display_name: Some(id.to_lowercase()),
        real_name: None,
        email: None,
        is_guest: false,
        is_external: false,
        is_deleted,
        is_admin: false,
        avatar_url: None,
        time_zone: None,
        handle: None,
        source: Source::Slack,
        zone_is_own: false,
    }
}

/// A running intake, with or without a socket.
pub struct Running {
    pub slack: Slack,
    pub sockets: Sockets,
    pub handler: Counting,
    pub app: App,
    loops: Vec<LoopThread>,
    _dir: Option<TempDir>,
}

impl Running {
    /// An intake whose socket is open.
    #[track_caller]
    pub fn new() -> Running {
        let running = Running::with(Slack::with_people(9), hurried(), Counting::default());
        running.sockets.await_greeted(1);
        running
    }

    /// An intake, with a socket as the workspace has it.
    pub fn with(slack: Slack, timings: Timings, handler: Counting) -> Running {
        let dir = TempDir::new();
        let mut running = Running::on(&dir.join("rota.db"), slack, timings, handler);
        running._dir = Some(dir);
        running
    }

    /// The same on a database that may be there.
    pub fn on(db: &Path, slack: Slack, timings: Timings, handler: Counting) -> Running {
        let sockets = slack.socket_mode();
        let app = app(db, &slack, Some(APP_TOKEN));
        let platform = Arc::clone(app.slack().expect("Slack"));
        let noted = Arc::clone(&handler.directory);
        let note = move |_: &App, event: &serde_json::Value| {
            let kind = event["type"].as_str().unwrap().to_owned();
            noted.lock().unwrap().push(kind);
            Ok(())
        };
        let started = Intake::start(&app, &platform, Box::new(handler.clone()), Box::new(note));
        let (intake, mut loops) = started.expect("an intake");
        let socket = start_socket(app.runtime(), &platform, &intake, timings);
        loops.push(socket.expect("a socket"));
        Running {
            slack,
            sockets,
            handler,
            app,
            loops,
            _dir: None,
        }
    }

    /// Waits until everything that was sent is acknowledged and processed.
    #[track_caller]
    pub fn settled(&self) {
        self.sockets.await_all();
        eventually("everything is processed", || {
            let open = self
                .app
                .store()
                .read(rota::store::count_open_chat_envelopes);
            open.expect("a count") == 0
        });
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.handler.open_gate();
        stop_all(std::mem::take(&mut self.loops), Duration::from_secs(5));
    }
}
