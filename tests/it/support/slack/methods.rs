//! Reads requests, holds them against Slack's description, and finds the method.

use super::state::{Call, Failure, Team};
use super::{RESPONSES, directory, groups, messages, socket, views};
use crate::support::receiver::read_request;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::io::Write;
use std::net::TcpStream;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Slack's description of its methods.
static DESCRIPTION: LazyLock<Value> = LazyLock::new(|| {
    let text = include_str!("../../../data/slack/web_api.json");
    serde_json::from_str(text).expect("JSON")
});

/// What a method answers: the members beside `ok`, or an error code.
pub(super) type Answer = Result<Value, &'static str>;

pub(super) type Arguments = Map<String, Value>;

/// An argument as text.
pub(super) fn text<'a>(arguments: &'a Arguments, name: &str) -> &'a str {
    arguments
        .get(name)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// An argument as a switch, in a form or in JSON.
pub(super) fn is_set(arguments: &Arguments, name: &str) -> bool {
    match arguments.get(name) {
        Some(Value::String(text)) => text == "true" || text == "1",
        Some(value) => value == true,
        None => false,
    }
}

/// One page of a list, and the cursor of the next.
pub(super) fn page(team: &Team, arguments: &Arguments, member: &str, all: Vec<Value>) -> Answer {
    let limit: usize = text(arguments, "limit").parse().unwrap_or(100);
    let begin: usize = match text(arguments, "cursor") {
        "" => 0,
        cursor => cursor
            .strip_prefix("from-")
            .and_then(|text| text.parse().ok())
            .ok_or("invalid_cursor")?,
    };
    let end = (begin + limit.min(team.page)).min(all.len());
    let next = match end < all.len() {
        true => format!("from-{end}"),
        false => String::new(),
    };
    let entries = all.get(begin..end).unwrap_or_default();
    Ok(json!({ member: entries, "response_metadata": { "next_cursor": next } }))
}

fn find(team: &mut Team, method: &str, arguments: &Arguments) -> Option<Answer> {
    Some(match method {
        "auth.test" => Ok(json!({
            "url": "https://acme.slack.com/", "team": team.name, "team_id": team.id, "user": "rota", "user_id": "UBOT",
            "bot_id": "B1", "is_enterprise_install": false
        })),
        "users.list" => directory::users_list(team, arguments),
        "users.info" => directory::users_info(team, arguments),
        "conversations.list" => directory::conversations_list(team, arguments),
        "conversations.info" => directory::conversations_info(team, arguments),
        "conversations.setTopic" => messages::set_topic(team, arguments),
        "chat.postMessage" => messages::post(team, arguments),
        "chat.postEphemeral" => messages::post_ephemeral(team, arguments),
        "chat.update" => messages::update(team, arguments),
        "usergroups.list" => groups::list(team, arguments),
        "usergroups.create" => groups::create(team, arguments),
        "usergroups.enable" => groups::enable(team, arguments, true),
        "usergroups.disable" => groups::enable(team, arguments, false),
        "usergroups.users.update" => groups::users_update(team, arguments),
        "views.open" => views::open(team, arguments),
        "views.update" => views::update(team, arguments),
        "views.publish" => views::publish(team, arguments),
        "apps.connections.open" => socket::open(team),
        _ => return None,
    })
}

/// Answers one request.
pub(super) fn serve(mut stream: TcpStream, team: &Mutex<Team>) {
    let _ = stream.set_read_timeout(Some(Duration::from_secs(20)));
    let Some(request) = read_request(&mut stream) else {
        return;
    };
    let request = String::from_utf8(request).expect("a request of text");
    let (head, body) = request.split_once("\r\n\r\n").expect("a head");
    let lock = || team.lock().unwrap_or_else(PoisonError::into_inner);
    let taken = response(&mut lock(), head, body);
    let (answered, slow) = match taken {
        Some(taken) => (Some(taken), None),
        None => answer(&mut lock(), head, body),
    };
    if let Some(slow) = slow {
        // As a server far away: others are answered meanwhile.
        std::thread::sleep(slow);
    }
    let Some((status, headers, body)) = answered else {
        return;
    };
    let length = body.len();
    let answer = format!(
        "HTTP/1.1 {status} -\r\nContent-Type: application/json; charset=utf-8\r\nDate: {}\r\n{headers}Content-Length: \
         {length}\r\nConnection: close\r\n\r\n{body}",
        jiff::fmt::rfc2822::DateTimePrinter::new()
            .timestamp_to_rfc9110_string(&jiff::Timestamp::now())
            .expect("a date"),
    );
    let _ = stream.write_all(answer.as_bytes());
}

/// Takes what is sent to a response URL; `None` if it is for the Web API. A workspace that is down takes nothing.
fn response(team: &mut Team, head: &str, body: &str) -> Option<(u16, String, String)> {
    let path = head.split(' ').nth(1).unwrap_or_default();
    if !path.starts_with(RESPONSES) {
        return None;
    }
    if team.down.is_some() {
        return Some((503, String::new(), String::new()));
    }
    let host = head.lines().find_map(|line| line.strip_prefix("Host: "));
    let url = format!("http://{}{path}", host.unwrap_or_default());
    let message = serde_json::from_str(body).expect("a message in JSON");
    team.responses.push((url, message));
    Some((200, String::new(), "{\"ok\":true}".to_owned()))
}

/// Status, headers and body; `None` closes the connection.
type Reply = Option<(u16, String, String)>;

fn answer(team: &mut Team, head: &str, body: &str) -> (Reply, Option<Duration>) {
    let mut words = head.split(' ');
    let (verb, path) = (
        words.next().unwrap_or_default(),
        words.next().unwrap_or_default(),
    );
    let method = path.strip_prefix("/api/").unwrap_or_default().to_owned();
    let header = |name: &str| {
        let mut lines = head.lines().filter_map(|line| line.split_once(": "));
        let found = lines.find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map_or("", |(_, value)| value)
    };
    let content_type = header("Content-Type").split(';').next().unwrap_or_default();
    let mut call = Call {
        method: method.clone(),
        arguments: Map::new(),
        content_type: content_type.to_owned(),
        at: Instant::now(),
        outcome: String::new(),
    };
    let checked = check(&method, (verb, content_type), header("Authorization"), body);
    let arguments = match checked {
        Ok(arguments) => arguments,
        Err(why) => {
            team.violations.push(format!("{method}: {why}: {body}"));
            Arguments::new()
        }
    };
    call.arguments = arguments.clone();
    record(&call, header("Authorization"), body);
    let failure = team.down.clone().or_else(|| {
        let failures = team.failures.get_mut(&method);
        failures.and_then(|failures| failures.pop_front())
    });
    let (mut slow, mut scopes) = (None, String::new());
    let result = match &failure {
        Some(Failure::Closes) => {
            call.outcome = "closed".into();
            team.calls.push(call);
            return (None, None);
        }
        Some(Failure::TooMany(seconds)) => {
            call.outcome = "429".into();
            team.calls.push(call);
            let body = json!({ "ok": false, "error": "ratelimited" }).to_string();
            return (
                Some((429, format!("Retry-After: {seconds}\r\n"), body)),
                None,
            );
        }
        Some(Failure::Status(status)) => {
            call.outcome = status.to_string();
            team.calls.push(call);
            return (Some((*status, String::new(), "<html>".into())), None);
        }
        Some(Failure::Garbage) => {
            call.outcome = "garbage".into();
            team.calls.push(call);
            return (Some((200, String::new(), "<html>".into())), None);
        }
        Some(Failure::Code(code)) => Err(json!({ "ok": false, "error": code })),
        Some(Failure::NeedsScope(scope)) => Err(json!({
            "ok": false, "error": "missing_scope", "needed": scope, "provided": "chat:write"
        })),
        other => {
            if let Some(Failure::Slow(ms)) = other {
                slow = Some(Duration::from_millis(*ms));
            }
            let token = header("Authorization").strip_prefix("Bearer ");
            match authorize(team, &method, token.unwrap_or_default()) {
                Err(refusal) => Err(refusal),
                Ok(granted) => {
                    scopes = format!("X-OAuth-Scopes: {granted}\r\n");
                    let found = find(team, &method, &arguments);
                    let result = found.unwrap_or(Err("unknown_method"));
                    result.map_err(|code| json!({ "ok": false, "error": code }))
                }
            }
        }
    };
    let body = match result {
        Ok(mut members) => {
            members["ok"] = true.into();
            members
        }
        Err(refusal) => refusal,
    };
    call.outcome = match &body["error"] {
        Value::String(code) => code.clone(),
        _ => "ok".into(),
    };
    team.calls.push(call);
    if matches!(failure, Some(Failure::Lost)) {
        return (None, None);
    }
    (Some((200, scopes, body.to_string())), slow)
}

/// Writes a request, once of each kind, to the file that `ROTA_RECORD_SLACK` names: other tools judge it there.
fn record(call: &Call, authorization: &str, body: &str) {
    static KNOWN: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let Some(path) = std::env::var_os("ROTA_RECORD_SLACK") else {
        return;
    };
    if call.method.is_empty() {
        // Sent to an address of a single use, which Slack's description does not have.
        return;
    }
    let blocks = call.arguments.get("blocks").and_then(Value::as_array);
    let blocks = blocks
        .into_iter()
        .flatten()
        .map(|block| block["type"].to_string());
    let view = call
        .arguments
        .get("view")
        .map(|view| view["callback_id"].to_string());
    let names: Vec<&str> = call.arguments.keys().map(String::as_str).collect();
    let blocks: Vec<String> = blocks.chain(view).collect();
    let kind = format!("{} {} {names:?} {blocks:?}", call.method, call.content_type);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if known.insert(kind) {
        let line = json!({
            "method": call.method, "contentType": call.content_type, "authorization": authorization, "body": body
        });
        let mut file = std::fs::OpenOptions::new();
        let file = file.create(true).append(true).open(path);
        writeln!(file.expect("the file of requests"), "{line}").expect("a line");
    }
}

/// Whether the token may call the method; its scopes if it may.
fn authorize(team: &Team, method: &str, token: &str) -> Result<String, Value> {
    let refused = |code: &str| json!({ "ok": false, "error": code });
    let grant = team
        .tokens
        .get(token)
        .ok_or_else(|| refused("invalid_auth"))?;
    if let Some(code) = grant.refused {
        return Err(refused(code));
    }
    let operation = &DESCRIPTION["paths"][format!("/{method}")]["post"];
    let needed = operation["x-slack-bot-scopes"].as_array();
    let needed: Vec<&str> = needed
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let granted: Vec<&str> = grant.scopes.iter().map(String::as_str).collect();
    let has_one = needed.is_empty() || needed.iter().any(|scope| granted.contains(scope));
    match has_one {
        true => Ok(granted.join(",")),
        false => Err(json!({
            "ok": false, "error": "missing_scope", "needed": needed.join(","), "provided": granted.join(",")
        })),
    }
}

/// The arguments of a request, if Slack's description permits it.
fn check(
    method: &str,
    (verb, content_type): (&str, &str),
    authorization: &str,
    body: &str,
) -> Result<Arguments, String> {
    let operation = &DESCRIPTION["paths"][format!("/{method}")]["post"];
    if verb != "POST" || operation.is_null() {
        return Err(format!("{verb} is no method that is described"));
    }
    let token = match method {
        "apps.connections.open" => "Bearer xapp-",
        _ => "Bearer xox",
    };
    if !authorization.starts_with(token) {
        return Err("another token is needed".into());
    }
    let schema = &operation["requestBody"]["content"][content_type]["schema"];
    if schema.is_null() {
        return Err(format!("it does not take {content_type}"));
    }
    let is_form = content_type == "application/x-www-form-urlencoded";
    let arguments = match is_form {
        true => form(body),
        false => match serde_json::from_str(body) {
            Ok(Value::Object(arguments)) => arguments,
            _ => return Err("not a JSON object".into()),
        },
    };
    for (name, value) in &arguments {
        let wanted = &schema["properties"][name];
        if wanted.is_null() {
            return Err(format!("the argument {name} is unknown"));
        }
        if !fits(wanted, value, is_form) {
            return Err(format!("the argument {name} is not {wanted}"));
        }
    }
    let required = schema["required"].as_array().into_iter().flatten();
    for name in required.filter_map(Value::as_str) {
        if !arguments.contains_key(name) {
            return Err(format!("the argument {name} is missing"));
        }
    }
    Ok(arguments)
}

/// Whether a value is of a described type.
fn fits(wanted: &Value, value: &Value, is_form: bool) -> bool {
    if let Some(any) = wanted["anyOf"].as_array() {
        return any.iter().any(|one| fits(one, value, is_form));
    }
    match (wanted["type"].as_str(), value) {
        (Some("boolean"), Value::String(text)) => is_form && (text == "true" || text == "false"),
        (Some("number"), Value::String(text)) => is_form && text.parse::<u64>().is_ok(),
        (Some("string"), value) => value.is_string(),
        (Some("boolean"), value) => value.is_boolean(),
        (Some("number"), value) => value.is_number(),
        (Some("array"), value) => value.is_array(),
        (Some("object"), value) => value.is_object(),
        _ => false,
    }
}

/// The fields of a form.
fn form(text: &str) -> Arguments {
    let decode = |text: &str| {
        let mut bytes = Vec::new();
        let mut rest = text.bytes();
        while let Some(byte) = rest.next() {
            bytes.push(match byte {
                b'+' => b' ',
                b'%' => {
                    let digits = [rest.next().expect("a digit"), rest.next().expect("a digit")];
                    u8::from_str_radix(std::str::from_utf8(&digits).expect("text"), 16)
                        .expect("hex")
                }
                other => other,
            });
        }
        String::from_utf8(bytes).expect("UTF-8")
    };
    let pairs = text.split('&').filter_map(|pair| pair.split_once('='));
    pairs
        .map(|(name, value)| (decode(name), Value::String(decode(value))))
        .collect()
}
