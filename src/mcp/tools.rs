//! The tools: what they are called, what they take and give, and who may use them.

mod duty;
mod insight;
mod writes;

use super::message::{INVALID_PARAMS, RpcError};
use super::{Arguments, Call};
use crate::domain::access::{Principal, Scope};
use crate::domain::fault::Fault;
use crate::domain::ids::{RotationId, UserId};
use crate::domain::refusal::{Refusal, invalid};
use crate::domain::time::Interval;
use crate::server::Problem;
use crate::store::{Error, Page, ReadTx, load_name};
use crate::wire::moment::Moment;
use crate::wire::page::Page as PageShape;
use jiff::SignedDuration;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::LazyLock;

const MIB: usize = 1024 * 1024;

/// Items that a list of a tool has on one page.
const PAGE_SIZE: u32 = 100;

/// A tool. What it answers is JSON as the API has it.
pub struct Tool {
    name: &'static str,
    title: &'static str,
    about: &'static str,
    /// As the routes of the API need it.
    scope: Scope,
    kind: Kind,
    input: fn() -> Value,
    output: fn() -> Value,
    /// The memory that it takes, in bytes.
    pub memory: usize,
    run: fn(&Call, &[u8]) -> Result<Value, Problem>,
}

/// Whether a tool writes, and what it does then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Reads,
    /// Adds something, as a person.
    Adds,
    /// Answers something once and for all, as a person.
    Settles,
}

/// Every tool. Those of people write as the person whose token is sent, and are there for nobody else.
static TOOLS: [Tool; 10] = [
    duty::WHO_IS_ON_CALL,
    duty::LIST_ROTATIONS,
    duty::GET_SCHEDULE,
    duty::MY_SHIFTS,
    insight::EXPLAIN,
    insight::WARNINGS,
    insight::DUTY_REPORT,
    writes::REQUEST_COVER,
    writes::ANSWER_COVER,
    writes::ADD_ABSENCE,
];

impl Tool {
    fn is_for(&self, caller: &Principal) -> bool {
        self.kind == Kind::Reads || caller.person().is_ok()
    }

    fn describe(&self) -> Value {
        let mut annotations = json!({
            "title": self.title,
            "readOnlyHint": self.kind == Kind::Reads,
            "openWorldHint": false,
        });
        if self.kind != Kind::Reads {
            annotations["destructiveHint"] = json!(self.kind == Kind::Settles);
            annotations["idempotentHint"] = json!(false);
        }
        json!({
            "name": self.name,
            "title": self.title,
            "description": self.about,
            "inputSchema": (self.input)(),
            "outputSchema": (self.output)(),
            "annotations": annotations,
        })
    }
}

/// The tools that a caller may use.
pub fn list(caller: &Principal) -> Vec<&'static Value> {
    static DESCRIBED: LazyLock<Vec<Value>> =
        LazyLock::new(|| TOOLS.iter().map(Tool::describe).collect());
    let mine = TOOLS.iter().zip(DESCRIBED.iter());
    let mine = mine.filter(|(tool, _)| tool.is_for(caller));
    mine.map(|(_, described)| described).collect()
}

/// A tool with what it is called with.
pub struct Called {
    pub tool: &'static Tool,
    arguments: Vec<u8>,
}

/// The tool that the parameters of a call name.
///
/// # Errors
/// [`INVALID_PARAMS`] where there is no such tool for the caller, or where the arguments are no object.
pub fn find(caller: &Principal, params: &Arguments) -> Result<Called, RpcError> {
    let wrong = |message: String| Err(RpcError::new(INVALID_PARAMS, message));
    let Some(name) = params.get("name").and_then(Value::as_str) else {
        return wrong("name: send the name of a tool".into());
    };
    let mut mine = TOOLS.iter().filter(|tool| tool.is_for(caller));
    let Some(tool) = mine.find(|tool| tool.name == name) else {
        let shown: String = name.chars().take(100).collect();
        return wrong(format!("Unknown tool: {shown}"));
    };
    let arguments = match params.get("arguments") {
        None | Some(Value::Null) => b"{}".to_vec(),
        Some(given @ Value::Object(_)) => given.to_string().into_bytes(),
        Some(_) => return wrong("arguments: send an object".into()),
    };
    Ok(Called { tool, arguments })
}

impl Called {
    /// Runs the tool. What it refuses is a result that says so, which a model can read and mend.
    ///
    /// # Errors
    /// What is not the caller's to mend.
    pub fn run(&self, call: &Call) -> Result<Value, Problem> {
        let checked = call.caller.check_scope(self.tool.scope);
        let done = checked
            .map_err(Problem::from)
            .and_then(|()| match self.tool.kind {
                Kind::Reads => Ok(()),
                Kind::Adds | Kind::Settles => Ok(call.app.store().check_written_here()?),
            })
            .and_then(|()| (self.tool.run)(call, &self.arguments));
        match done {
            Ok(found) => {
                let mut result = json!({
                    "content": [{ "type": "text", "text": found.to_string() }],
                    "isError": false,
                });
                // Moved: the macro would copy it.
                result["structuredContent"] = found;
                Ok(result)
            }
            Err(problem) if problem.status >= 500 => Err(problem),
            Err(problem) => {
                // As the API answers it. Strings and a number always serialize.
                let body = problem.body(Some(call.request_id));
                let text = serde_json::to_string(&body).unwrap_or_default();
                Ok(json!({
                    "content": [{ "type": "text", "text": text }],
                    "isError": true,
                }))
            }
        }
    }
}

/// The schema of arguments: an object without other members.
fn input<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().for_deserialize();
    let mut schema = whole::<T>(settings.into_generator());
    schema["additionalProperties"] = json!(false);
    if schema.get("properties").is_none() {
        schema["properties"] = json!({});
    }
    let members = schema["properties"].as_object_mut();
    for member in members.into_iter().flat_map(|members| members.values_mut()) {
        // What is omitted has no value. Clients that fill defaults in would send one that not every member takes.
        if let Some(member) = member.as_object_mut() {
            member.remove("default");
        }
    }
    schema
}

/// The schema of what a tool gives.
fn output<T: JsonSchema>() -> Value {
    whole::<T>(
        SchemaSettings::draft2020_12()
            .for_serialize()
            .into_generator(),
    )
}

fn whole<T: JsonSchema>(generator: SchemaGenerator) -> Value {
    let mut schema = generator.into_root_schema_for::<T>().to_value();
    if let Some(members) = schema.as_object_mut() {
        // The protocol's own dialect is meant; some clients know no other by name.
        members.remove("$schema");
    }
    schema
}

/// Renders what a tool gives.
fn give<T: Serialize>(value: &T) -> Result<Value, Problem> {
    serde_json::to_value(value)
        .map_err(|error| Problem::internal(format!("cannot render: {error}")))
}

/// What a tool gives, with what the people in it are called.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Named<T> {
    #[serde(flatten)]
    found: T,
    /// What people are called, by the ids above. Empty for an API key without `read:directory`.
    users: Vec<UserName>,
}

/// What somebody is called.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct UserName {
    user_id: String,
    display_name: String,
}

/// Renders what a tool gives with the names of these people.
fn give_named<'u, T: Serialize>(
    call: &Call,
    found: T,
    users: impl IntoIterator<Item = &'u UserId>,
) -> Result<Value, Problem> {
    let mut named = Vec::new();
    if call.caller.sees_directory() && call.caller.check_scope(Scope::ReadDirectory).is_ok() {
        let users: BTreeSet<&UserId> = users.into_iter().collect();
        call.app.store().read(|tx: &ReadTx| -> Result<(), Error> {
            for user in users {
                named.extend(load_name(tx, user)?.map(|(name, _)| UserName {
                    user_id: user.to_string(),
                    display_name: name,
                }));
            }
            Ok(())
        })?;
    }
    give(&Named {
        found,
        users: named,
    })
}

/// The rotation of a code or id, as far as the caller sees it.
fn rotation(call: &Call, code: &str) -> Result<RotationId, Problem> {
    let found = crate::actions::reads::rotation_named(call.app, call.caller, code);
    Ok(found?)
}

/// A range of any length.
fn any_range(from: Moment, to: Moment) -> Result<Interval, Refusal> {
    match from.0 < to.0 {
        true => Ok(Interval::new(from.0, to.0)),
        false => invalid("to", Fault::NotAfterFrom),
    }
}

/// A range of at most so many days.
fn range(from: Moment, to: Moment, most_days: i64) -> Result<Interval, Refusal> {
    let range = any_range(from, to)?;
    match to.0.duration_since(from.0) > SignedDuration::from_hours(24 * most_days) {
        true => invalid("to", Fault::DaysAfterFrom(most_days)),
        false => Ok(range),
    }
}

/// The page that is asked for.
fn page(number: Option<u32>) -> Result<Page, Refusal> {
    match number.unwrap_or(1) {
        0 => invalid("page", "send a whole number from 1"),
        number => Ok(Page {
            number: number.min(i32::MAX.unsigned_abs()),
            size: PAGE_SIZE,
        }),
    }
}

/// One page of a complete list.
fn page_of<T>(items: Vec<T>, page: Page) -> PageShape<T> {
    PageShape::of(items, page.number, page.size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_is_described() {
        for tool in &TOOLS {
            let described = tool.describe();
            let name = tool.name;
            assert!(
                name.chars().all(|c| c.is_ascii_lowercase() || c == '_'),
                "{name}"
            );
            for schema in ["inputSchema", "outputSchema"] {
                assert_eq!(described[schema]["type"], "object", "{name} {schema}");
                assert!(described[schema].get("$schema").is_none(), "{name}");
            }
            assert_eq!(
                described["inputSchema"]["additionalProperties"], false,
                "{name}"
            );
            let confirm = &described["inputSchema"]["properties"]["confirm"];
            assert_eq!(confirm.is_null(), tool.kind == Kind::Reads, "{name}");
            let members = described["inputSchema"]["properties"].as_object();
            for (member, schema) in members.into_iter().flatten() {
                assert_eq!(schema.get("default"), None, "{name} {member}");
                let counts = ["page", "days"].contains(&member.as_str());
                assert!(!counts || schema["minimum"] == 1, "{name} {member}");
            }
            let read_only = &described["annotations"]["readOnlyHint"];
            assert_eq!(*read_only, json!(tool.kind == Kind::Reads), "{name}");
        }
    }
}
