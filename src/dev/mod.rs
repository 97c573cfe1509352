//! The routes of `rota dev` alone: move the clock, replace the directory, switch the plan, mint credentials, look into
//! the local chat platform, receive webhooks (contract section 14). They need no credential and are not there under
//! `rota serve`.

mod receiver;

use crate::actions::keys::{self, NewKey};
use crate::actions::{Desk, Fault, Stop, directory, due, plan, webhooks};
use crate::domain::ids::WebhookId;
use crate::domain::refusal::Refusal;
use crate::domain::tiers::Plan;
use crate::store::{self, load_directory};
use crate::wire::dev::{self as shapes, Chat, ChatGroup, Clock};
use crate::wire::{body, delivery, url};
use receiver::Receivers;
use rouille::{Request, Response, ResponseBody};
use serde::Serialize;
use std::borrow::Cow;
use std::io::Read;
use std::sync::{Mutex, PoisonError};

type Outcome = Result<Response, Stop>;

/// Waits until all that follows from what was committed is done: events attempted, effects carried out.
pub type Settle = Box<dyn Fn() -> Result<(), Fault> + Send + Sync>;

/// The routes, to be asked before those of the API: `None` leaves the request to them.
pub fn routes(desk: Desk, settle: Settle) -> impl Fn(&Request) -> Option<Outcome> + Send + Sync {
    let moving = Mutex::new(());
    let receivers = Receivers::default();
    move |request| {
        let (path, _) = url::split(request.raw_url());
        let segments = url::segments(path.strip_prefix("/dev")?)?;
        let rest: Vec<&str> = segments.iter().map(Cow::as_ref).collect();
        let allowed = methods(&rest)?;
        if request.header("Origin").is_some() {
            return Some(Err(from_a_page().into()));
        }
        Some(match (request.method(), rest.as_slice()) {
            ("GET" | "HEAD", ["clock"]) => clock(&desk),
            ("POST", ["clock"]) => {
                // One move at a time: two at once could each find the clock behind where the other has put it.
                let _one = moving.lock().unwrap_or_else(PoisonError::into_inner);
                move_clock(&desk, &settle, request)
            }
            ("PUT", ["directory"]) => replace_directory(&desk, &settle, request),
            ("GET" | "HEAD", ["chat"]) => chat(&desk),
            ("PUT", ["plan"]) => switch_plan(&desk, &settle, request),
            ("POST", ["tokens"]) => mint_token(&desk, request),
            ("POST", ["keys"]) => mint_key(&desk, request),
            ("POST", ["webhooks", id, "test"]) => test_webhook(&desk, &WebhookId::from(*id)),
            ("POST", ["receiver", name]) => receivers.receive(name, request, desk.now()),
            ("PUT", ["receiver", name]) => receivers.tell(name, request),
            ("GET" | "HEAD", ["receiver", name]) => receivers.show(name),
            ("DELETE", ["receiver", name]) => receivers.forget(name),
            _ => Err(Refusal::WrongMethod(allowed).into()),
        })
    }
}

/// The methods that a path below `/dev/` takes; `None` when there is nothing.
fn methods(rest: &[&str]) -> Option<&'static str> {
    match rest {
        ["clock"] => Some("GET, HEAD, POST"),
        ["chat"] => Some("GET, HEAD"),
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

fn clock(desk: &Desk) -> Outcome {
    json(&Clock {
        now: desk.now().into(),
        frozen: desk.clock().is_frozen(),
    })
}

fn move_clock(desk: &Desk, settle: &Settle, request: &Request) -> Outcome {
    if !desk.clock().is_frozen() {
        let detail = "the clock runs by itself; start `rota dev` with --clock to move it";
        return Err(Refusal::Invalid(detail.into()).into());
    }
    let to = shapes::clock(&sent(request)?, desk.now())?;
    due::advance(desk, to, settle)?;
    clock(desk)
}

fn replace_directory(desk: &Desk, settle: &Settle, request: &Request) -> Outcome {
    directory::import(desk, body::parse(&sent(request)?)?)?;
    settle()?;
    chat(desk)
}

fn chat(desk: &Desk) -> Outcome {
    let directory = desk.store().read(load_directory)?;
    let topic = |channel: store::Channel| Some((channel.id.to_string(), channel.topic?));
    let group = |group: store::Group| {
        let user_ids = group.users.iter().map(ToString::to_string).collect();
        (
            group.id.to_string(),
            ChatGroup {
                handle: group.handle,
                user_ids,
                disabled: false,
            },
        )
    };
    json(&Chat {
        messages: Vec::new(),
        topics: directory.channels.into_iter().filter_map(topic).collect(),
        groups: directory.groups.into_iter().map(group).collect(),
    })
}

fn switch_plan(desk: &Desk, settle: &Settle, request: &Request) -> Outcome {
    let tier = shapes::plan(&sent(request)?)?;
    plan::switch(desk, Plan::of(tier))?;
    settle()?;
    json(&shapes::Plan { name: tier.name() })
}

fn test_webhook(desk: &Desk, id: &WebhookId) -> Outcome {
    let queued = webhooks::test(desk, id)?;
    let mut answer = json(&delivery::render(&queued))?;
    answer.status_code = 202;
    Ok(answer)
}

fn mint_token(desk: &Desk, request: &Request) -> Outcome {
    let user = shapes::token(&sent(request)?)?;
    let (_, token) = keys::create_token(desk.store(), user, None)?;
    json(&shapes::Token { token })
}

fn mint_key(desk: &Desk, request: &Request) -> Outcome {
    let wanted = shapes::key(&sent(request)?)?;
    let new = NewKey {
        name: wanted.name,
        scopes: wanted.scopes,
        rotations: wanted.rotations,
        disabled: wanted.disabled,
        expires_at: None,
    };
    let (record, key) = keys::create_key(desk.store(), new)?;
    json(&shapes::Key {
        id: record.id.to_string(),
        key,
    })
}

fn sent(request: &Request) -> Result<Vec<u8>, Refusal> {
    let mut body = Vec::new();
    if let Some(mut data) = request.data() {
        let read = data.read_to_end(&mut body);
        read.map_err(|error| Refusal::Invalid(format!("the body cannot be read: {error}")))?;
    }
    Ok(body)
}

fn json<T: Serialize>(value: &T) -> Outcome {
    let body = serde_json::to_vec(value).map_err(|error| Fault::Corrupt(error.to_string()))?;
    Ok(Response {
        status_code: 200,
        headers: vec![("Content-Type".into(), "application/json".into())],
        data: ResponseBody::from_data(body),
        upgrade: None,
    })
}
