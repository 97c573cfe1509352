//! The routes of `rota dev` alone: move the clock, replace the directory, switch the plan, mint credentials, look into
//! the local chat platform, receive webhooks. They need no credential and are not there under
//! `rota serve`.

mod receiver;

use crate::actions::keys::{self, NewKey};
use crate::actions::{App, Fault, dev_clock, directory, tier, webhooks};
use crate::chat::{self, FailureControl};
use crate::domain::ids::{GroupId, WebhookId};
use crate::domain::message::Recipient;
use crate::domain::refusal::Refusal;
use crate::domain::tiers::TierLimits;
use crate::metrics::RouteMetrics;
use crate::server::room::{self, RequestBudget};
use crate::server::{Body, Edge, Outcome, Problem, REQUEST_ID, Request, Response};
use crate::store::{self, load_directory};
use crate::wire::dev::{self as shapes, Chat, ChatGroup, ChatMessage, Clock};
use crate::wire::{body, delivery, directory as wire_directory, url};
use receiver::Receivers;
use serde::Serialize;
use std::sync::{Mutex, PoisonError};

/// Does what waits to be done, and comes back when it is.
pub type Chore = Box<dyn Fn() -> Result<(), Fault> + Send + Sync>;

/// What follows from what was committed.
pub struct Chores {
    /// All of it: events attempted, chat brought in line.
    pub all: Chore,
    /// What is queued for chat.
    pub chat: Chore,
}

/// The edge of the development routes.
pub struct Dev {
    app: App,
    failures: FailureControl,
    chores: Chores,
    budget: RequestBudget,
    /// Held while the clock is moved.
    moving: Mutex<()>,
    receivers: Receivers,
    /// Counts the answers of all routes: nobody watches them one by one.
    answers: RouteMetrics,
}

impl Dev {
    /// The development routes of a workspace. Requests take room from the budget that all edges share.
    pub fn new(app: App, failures: FailureControl, chores: Chores, budget: RequestBudget) -> Dev {
        Dev {
            answers: app.metrics().route("POST", PREFIX),
            app,
            failures,
            chores,
            budget,
            moving: Mutex::default(),
            receivers: Receivers::default(),
        }
    }

    fn answer<'a>(&'a self, request: &Request, counted: &mut &'a RouteMetrics) -> Outcome {
        let (path, _) = url::split(request.target());
        // What stands for itself matches byte for byte, as in the API; names and ids are decoded.
        let rest = path.strip_prefix(PREFIX).and_then(url::segments);
        let rest = rest.ok_or_else(Problem::unknown_route)?;
        let allowed = methods(&rest).ok_or_else(Problem::unknown_route)?;
        *counted = &self.answers;
        if request.header("Origin").is_some() {
            return Err(from_a_page().into());
        }
        let (app, chores) = (&self.app, &self.chores);
        match (request.method(), rest.as_slice()) {
            ("GET" | "HEAD", ["clock"]) => clock(app),
            ("POST", ["clock"]) => {
                // One move at a time: two at once could each find the clock behind where the other has put it.
                let _one = self.moving.lock().unwrap_or_else(PoisonError::into_inner);
                move_clock(app, chores, request)
            }
            ("PUT", ["directory"]) => replace_directory(app, chores, request),
            ("GET" | "HEAD", ["chat"]) => show_chat(app, chores),
            ("PUT", ["chat"]) => set_failure_mode(&self.failures, request),
            ("PUT", ["plan"]) => switch_plan(app, chores, request),
            ("POST", ["tokens"]) => mint_token(app, request),
            ("POST", ["keys"]) => mint_key(app, request),
            ("POST", ["webhooks", id, "test"]) => {
                let id = url::decode(id).ok_or_else(Problem::unknown_route)?;
                test_webhook(app, &WebhookId::from(&*id))
            }
            (method, ["receiver", name]) => {
                let name = &*url::decode(name).ok_or_else(Problem::unknown_route)?;
                match method {
                    "POST" => self.receivers.receive(name, request, app.now()),
                    "PUT" => self.receivers.tell(name, request),
                    "GET" | "HEAD" => self.receivers.show(name),
                    "DELETE" => self.receivers.forget(name),
                    _ => Err(Refusal::WrongMethod(allowed).into()),
                }
            }
            _ => Err(Refusal::WrongMethod(allowed).into()),
        }
    }
}

/// The path that all of them are below.
const PREFIX: &str = "/dev";

impl Edge for Dev {
    fn prefixes(&self) -> &'static [&'static str] {
        &[PREFIX]
    }

    fn log_target(&self) -> &'static str {
        "rota::dev"
    }

    fn handle<'a>(&'a self, request: &Request, counted: &mut &'a RouteMetrics) -> Outcome {
        let reads = matches!(request.method(), "GET" | "HEAD");
        let share = match reads {
            true => self.budget.room(request, None).take(ROOM)?,
            false => None,
        };
        let response = self.answer(request, counted)?;
        Ok(without_own_id(room::hold(response, share)))
    }

    fn counted(&self, _: &Request) -> Option<&RouteMetrics> {
        Some(&self.answers)
    }
}

/// Room for what is shown, in bytes: all that one caller may hold.
const ROOM: usize = room::LIMITS.credential;

/// An answer that a test made up, without an id of its own.
fn without_own_id(mut response: Response) -> Response {
    let headers = &mut response.headers;
    headers.retain(|(name, _)| !name.eq_ignore_ascii_case(REQUEST_ID));
    response
}

/// The methods that a path below `/dev/` takes; `None` when there is nothing.
fn methods(rest: &[&str]) -> Option<&'static str> {
    match rest {
        ["clock"] => Some("GET, HEAD, POST"),
        ["chat"] => Some("GET, HEAD, PUT"),
        ["directory"] | ["plan"] => Some("PUT"),
        ["tokens"] | ["keys"] => Some("POST"),
        ["webhooks", id, "test"] if !id.is_empty() => Some("POST"),
        ["receiver", name] if !name.is_empty() => Some("GET, HEAD, POST, PUT, DELETE"),
        _ => None,
    }
}

/// Browsers name the page that a request comes from. Any page that is open beside the server could send one, and these
/// routes ask for no credential.
fn from_a_page() -> Refusal {
    let detail = "Origin: web pages may not use the development routes; send the request without this header";
    Refusal::ResourceDenied(detail.into())
}

fn clock(app: &App) -> Outcome {
    json(&Clock {
        now: app.now().into(),
        frozen: app.clock().is_frozen(),
    })
}

fn move_clock(app: &App, chores: &Chores, request: &Request) -> Outcome {
    if !app.clock().is_frozen() {
        let detail = "the clock runs by itself; start `rota dev` with --clock to move it";
        return Err(Refusal::Invalid(detail.into()).into());
    }
    let to = shapes::clock(&sent(request)?, app.now())?;
    dev_clock::advance(app, to, &chores.all)?;
    clock(app)
}

fn replace_directory(app: &App, chores: &Chores, request: &Request) -> Outcome {
    let file = wire_directory::read(body::parse(&sent(request)?)?)?;
    directory::import(app, file)?;
    (chores.all)()?;
    show_chat(app, chores)
}

/// Messages that are shown at the most, the newest.
const SHOWN: usize = 10_000;

fn show_chat(app: &App, chores: &Chores) -> Outcome {
    // What a write has queued is a matter of moments: nobody should have to wait and see.
    (chores.chat)()?;
    let (directory, sent, kept) = app.store().read(|tx| -> Result<_, Fault> {
        let kept = store::list_duty_groups(tx)?;
        Ok((load_directory(tx)?, store::list_sent(tx, SHOWN)?, kept))
    })?;
    let disabled = |id: &GroupId| kept.iter().any(|kept| kept.group == *id && kept.disabled);
    let topic = |channel: store::Channel| Some((channel.id.to_string(), channel.topic?));
    let group = |group: store::Group| {
        let user_ids = group.users.iter().map(ToString::to_string).collect();
        (
            group.id.to_string(),
            ChatGroup {
                user_ids,
                disabled: disabled(&group.id),
                handle: group.handle,
            },
        )
    };
    json(&Chat {
        messages: sent.into_iter().map(|sent| message(app, sent)).collect(),
        topics: directory.channels.into_iter().filter_map(topic).collect(),
        groups: directory.groups.into_iter().map(group).collect(),
    })
}

fn message(app: &App, sent: store::Sent) -> ChatMessage {
    let (channel_id, user_id) = match &sent.message.to {
        Recipient::Channel(id) => (Some(id.to_string()), None),
        Recipient::Person(id) => (None, Some(id.to_string())),
    };
    ChatMessage {
        at: sent.at.into(),
        channel_id,
        user_id,
        text: chat::text(app.chat(), &sent.message),
    }
}

/// Sets how the chat platform fails until it is set otherwise.
fn set_failure_mode(failures: &FailureControl, request: &Request) -> Outcome {
    let (mode, shown) = shapes::failure_mode(&sent(request)?)?;
    failures.set(mode);
    json(&shown)
}

fn switch_plan(app: &App, chores: &Chores, request: &Request) -> Outcome {
    let tier = shapes::plan(&sent(request)?)?;
    tier::switch(app, TierLimits::of(tier))?;
    (chores.all)()?;
    json(&shapes::Plan { name: tier.name() })
}

fn test_webhook(app: &App, id: &WebhookId) -> Outcome {
    let queued = webhooks::test(app, id)?;
    let mut answer = json(&delivery::render(&queued))?;
    answer.status = 202;
    Ok(answer)
}

fn mint_token(app: &App, request: &Request) -> Outcome {
    let user = shapes::token(&sent(request)?)?;
    let (_, token) = keys::create_token(app.store(), user, None)?;
    json(&shapes::Token { token })
}

fn mint_key(app: &App, request: &Request) -> Outcome {
    let wanted = shapes::key(&sent(request)?)?;
    let new = NewKey {
        name: wanted.name,
        scopes: wanted.scopes,
        rotations: wanted.rotations,
        disabled: wanted.disabled,
        expires_at: None,
    };
    let (record, key) = keys::create_key(app.store(), new)?;
    json(&shapes::Key {
        id: record.id.to_string(),
        key,
    })
}

fn sent(request: &Request) -> Result<Vec<u8>, Refusal> {
    let unread = |error| Refusal::Invalid(format!("the body cannot be read: {error}"));
    request.take_body().map_err(unread)
}

fn json<T: Serialize>(value: &T) -> Outcome {
    let body = serde_json::to_vec(value).map_err(|error| Fault::Corrupt(error.to_string()))?;
    Ok(Response::new(
        200,
        "application/json",
        Body::from_data(body),
    ))
}
