//! The routes of `rota dev`: move the clock, replace the directory, switch the plan, create credentials, read the local chat
//! platform, receive webhooks. They require no credential and do not exist in
//! `rota serve`.

mod receiver;

use crate::actions::chat_ids::{self, NamedIds};
use crate::actions::keys::{self, NewKey};
use crate::actions::polling::{Readings, Which};
use crate::actions::{App, Error, dev_clock, directory, tier, webhooks};
use crate::chat::{self, FailureControl};
use crate::domain::access::Principal;
use crate::domain::audit::{Author, Origin};
use crate::domain::ids::{GroupId, WebhookId};
use crate::domain::message::Recipient;
use crate::domain::refusal::{Refusal, invalid};
use crate::domain::tiers::TierLimits;
use crate::metrics::RouteMetrics;
use crate::runtime::clock::monotonic;
use crate::server::room::{self, RequestBudget};
use crate::server::{Body, Edge, Outcome, Problem, REQUEST_ID, Request, Response};
use crate::store::{self, load_directory};
use crate::wire::dev::{self as shapes, Chat, ChatGroup, ChatMessage, Clock};
use crate::wire::{body, delivery, directory as wire_directory, strict, url};
use receiver::Receivers;
use serde::Serialize;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Processes pending work and returns when it is done, or at an instant of real time if a remote chat platform is slow.
pub type Work = Box<dyn Fn(Instant) -> Result<(), Error> + Send + Sync>;

/// The pending work after a commit.
pub struct PendingWork {
    /// Reads outside sources, and returns when what was read is applied, or at an instant of real time.
    pub sources: Box<dyn Fn(Which, Instant) -> Result<Readings, Error> + Send + Sync>,
    /// All of it: deliveries and chat.
    pub all: Work,
    /// Only what is queued for chat.
    pub chat: Work,
}

/// The edge of the development routes.
pub struct Dev {
    app: App,
    failures: FailureControl,
    pending_work: PendingWork,
    budget: RequestBudget,
    /// Held while the clock is moved or sources are read.
    moving: Mutex<()>,
    receivers: Receivers,
    /// One counter for all routes.
    answers: RouteMetrics,
}

impl Dev {
    /// The development routes of a workspace. Requests share the memory budget of all edges.
    pub fn new(
        app: App,
        failures: FailureControl,
        pending_work: PendingWork,
        budget: RequestBudget,
    ) -> Dev {
        Dev {
            answers: app.metrics().route("POST", PREFIX),
            app,
            failures,
            pending_work,
            budget,
            moving: Mutex::default(),
            receivers: Receivers::default(),
        }
    }

    fn answer<'a>(
        &'a self,
        request: &Request,
        id: &str,
        counted: &mut &'a RouteMetrics,
    ) -> Outcome {
        let (path, query) = url::split(request.target());
        // Literal segments match byte for byte, as in the API; names and ids are decoded.
        let rest = path.strip_prefix(PREFIX).and_then(url::segments);
        let rest = rest.ok_or_else(Problem::unknown_route)?;
        let is_local = self.app.remote().is_none();
        let allowed =
            methods(&rest).filter(|_| is_local || !LOCAL.contains(&rest.join("/").as_str()));
        let allowed = allowed.ok_or_else(Problem::unknown_route)?;
        *counted = &self.answers;
        if request.header("Origin").is_some() {
            return Err(from_a_page().into());
        }
        // The URL of a receiver may have its own query.
        if !matches!(rest.as_slice(), ["receiver", _]) {
            let unread = || Refusal::invalid("", "the query is not valid percent-encoded UTF-8");
            strict::check_query(&url::parameters(query).ok_or_else(unread)?, &[])?;
        }
        let (app, pending_work, author) = (&self.app, &self.pending_work, &author(request, id));
        match (request.method(), rest.as_slice()) {
            ("GET" | "HEAD", ["clock"]) => clock(app),
            ("POST", ["clock"]) => {
                // Two concurrent moves could each find the clock behind the other's target.
                let _one = self.moving.lock().unwrap_or_else(PoisonError::into_inner);
                move_clock(app, pending_work, request)
            }
            ("POST", ["sync"]) => {
                let _one = self.moving.lock().unwrap_or_else(PoisonError::into_inner);
                read_sources(app, pending_work, request)
            }
            ("PUT", ["directory"]) => replace_directory(app, author, pending_work, request),
            ("GET" | "HEAD", ["chat"]) => show_chat(app, pending_work),
            ("PUT", ["chat"]) => set_failure_mode(&self.failures, request),
            ("PUT", ["plan"]) => switch_plan(app, author, pending_work, request),
            ("POST", ["tokens"]) => mint_token(app, author, request),
            ("POST", ["keys"]) => mint_key(app, author, request),
            ("POST", ["webhooks", id, "test"]) => {
                let id = url::decode(id).ok_or_else(Problem::unknown_route)?;
                test_webhook(app, author, &WebhookId::from(&*id))
            }
            (method, ["receiver", name]) => {
                let name = &*url::decode(name).ok_or_else(Problem::unknown_route)?;
                match method {
                    "POST" => self.receivers.receive(name, request, app.now()),
                    "PUT" => self.receivers.configure(name, request),
                    "GET" | "HEAD" => self.receivers.show(name),
                    "DELETE" => self.receivers.forget(name),
                    _ => Err(Refusal::WrongMethod(allowed).into()),
                }
            }
            _ => Err(Refusal::WrongMethod(allowed).into()),
        }
    }
}

/// How long a response waits for a remote chat platform at most.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long a response waits for outside sources that it was asked to read. Slack's pace may keep a reading for a minute.
const READING: Duration = Duration::from_secs(90);

fn patience() -> Instant {
    monotonic() + PATIENCE
}

/// What belongs to the local chat platform.
const LOCAL: [&str; 2] = ["chat", "directory"];

/// The common prefix of the routes.
const PREFIX: &str = "/dev";

impl Edge for Dev {
    fn prefixes(&self) -> &'static [&'static str] {
        &[PREFIX]
    }

    fn log_target(&self) -> &'static str {
        "rota::dev"
    }

    fn handle<'a>(
        &'a self,
        request: &Request,
        id: &str,
        counted: &mut &'a RouteMetrics,
    ) -> Outcome {
        let reads = matches!(request.method(), "GET" | "HEAD");
        let share = match reads {
            true => self.budget.room(request, None).take(ROOM)?,
            false => None,
        };
        let response = self.answer(request, id, counted)?;
        Ok(without_own_id(room::hold(response, share)))
    }

    fn counted(&self, _: &Request) -> Option<&RouteMetrics> {
        Some(&self.answers)
    }
}

/// The memory of a response, in bytes: the whole share of one caller.
const ROOM: usize = room::LIMITS.credential;

/// A response configured by a test, without a request id.
fn without_own_id(mut response: Response) -> Response {
    let headers = &mut response.headers;
    headers.retain(|(name, _)| !name.eq_ignore_ascii_case(REQUEST_ID));
    response
}

/// Whoever may use these routes is the operator: they ask for no credential.
fn author(request: &Request, id: &str) -> Author {
    Author {
        principal: Principal::Operator { user: None },
        action: "dev",
        origin: Origin {
            request_id: Some(id.to_owned()),
            client_request_id: request.client_request_id().map(str::to_owned),
            address: Some(request.client_address()),
        },
    }
}

/// The methods of a path below `/dev/`; `None` if it does not exist.
fn methods(rest: &[&str]) -> Option<&'static str> {
    match rest {
        ["clock"] => Some("GET, HEAD, POST"),
        ["chat"] => Some("GET, HEAD, PUT"),
        ["directory"] | ["plan"] => Some("PUT"),
        ["tokens"] | ["keys"] | ["sync"] => Some("POST"),
        ["webhooks", id, "test"] if !id.is_empty() => Some("POST"),
        ["receiver", name] if !name.is_empty() => Some("GET, HEAD, POST, PUT, DELETE"),
        _ => None,
    }
}

/// Browsers send the origin of a page. Any page open on the same machine could send a request, and these routes require no
/// credential.
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

fn move_clock(app: &App, pending_work: &PendingWork, request: &Request) -> Outcome {
    if !app.clock().is_frozen() {
        let detail = "the clock runs by itself; start `rota dev` with --clock to move it";
        return Ok(invalid("", detail)?);
    }
    let to = shapes::clock(&sent(request)?, app.now())?;
    let until = patience();
    dev_clock::advance(app, to, &|| (pending_work.all)(until))?;
    // Once for the whole move, however many times they would have been read on the way. A reading that takes longer goes on.
    if !(pending_work.sources)(Which::Due, until)?.is_empty() {
        dev_clock::process_due(app, &|| (pending_work.all)(until))?;
    }
    clock(app)
}

/// Reads every outside source now. Answers when all of it is applied, with what follows from it.
fn read_sources(app: &App, pending_work: &PendingWork, request: &Request) -> Outcome {
    shapes::sync(&sent(request)?)?;
    let readings = (pending_work.sources)(Which::All, monotonic() + READING)?;
    dev_clock::process_due(app, &|| (pending_work.all)(patience()))?;
    json(&shapes::Sync {
        read: readings.read,
        failed: readings.failed,
    })
}

fn replace_directory(
    app: &App,
    author: &Author,
    pending_work: &PendingWork,
    request: &Request,
) -> Outcome {
    let file = wire_directory::read(body::parse(&sent(request)?)?)?;
    directory::import(app, author, file, directory::Consent::Given)?;
    (pending_work.all)(patience())?;
    show_chat(app, pending_work)
}

/// The maximum number of messages shown, the newest.
const SHOWN: usize = 10_000;

fn show_chat(app: &App, pending_work: &PendingWork) -> Outcome {
    // Queued messages are posted first, so that callers do not have to poll.
    (pending_work.chat)(patience())?;
    let (directory, sent, kept) = app.store().read(|tx| -> Result<_, Error> {
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

fn message(app: &App, sent: store::SentMessage) -> ChatMessage {
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

/// Sets the failure mode of the chat platform.
fn set_failure_mode(failures: &FailureControl, request: &Request) -> Outcome {
    let (mode, shown) = shapes::failure_mode(&sent(request)?)?;
    failures.set(mode);
    json(&shown)
}

fn switch_plan(
    app: &App,
    author: &Author,
    pending_work: &PendingWork,
    request: &Request,
) -> Outcome {
    let tier = shapes::plan(&sent(request)?)?;
    tier::switch(app, author, TierLimits::of(tier))?;
    (pending_work.all)(patience())?;
    json(&shapes::Plan { name: tier.name() })
}

fn test_webhook(app: &App, author: &Author, id: &WebhookId) -> Outcome {
    let queued = webhooks::test(app, author, id)?;
    let mut answer = json(&delivery::render(&queued))?;
    answer.status = 202;
    Ok(answer)
}

fn mint_token(app: &App, author: &Author, request: &Request) -> Outcome {
    let user = shapes::token(&sent(request)?)?;
    chat_ids::ask(app, &NamedIds::people([&user]))?;
    let (_, token) = keys::create_token(app.store(), author, user, None)?;
    json(&shapes::Token { token })
}

fn mint_key(app: &App, author: &Author, request: &Request) -> Outcome {
    let wanted = shapes::key(&sent(request)?)?;
    let new = NewKey {
        name: wanted.name,
        scopes: wanted.scopes,
        rotations: wanted.rotations,
        disabled: wanted.disabled,
        expires_at: None,
    };
    let (record, key) = keys::create_key(app.store(), author, new)?;
    json(&shapes::Key {
        id: record.id.to_string(),
        key,
    })
}

fn sent(request: &Request) -> Result<Vec<u8>, Refusal> {
    let body = request.take_body();
    body.or_else(|error| invalid("", format!("the body cannot be read: {error}")))
}

fn json<T: Serialize>(value: &T) -> Outcome {
    let body = serde_json::to_vec(value).map_err(|error| Error::Corrupt(error.to_string()))?;
    Ok(Response::new(
        200,
        "application/json",
        Body::from_data(body),
    ))
}
