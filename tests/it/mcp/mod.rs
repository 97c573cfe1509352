//! `POST /mcp`: messages, versions, who may use which tool, and what the tools do.

mod messages;
mod tools;
mod versions;
mod writes;

use crate::support::*;
use serde_json::{Value, json};

const HANDSHAKE: &str = "2025-11-25";
const MODERN: &str = "2026-07-28";

/// A client with a credential.
struct Assistant<'a> {
    caller: Caller<'a>,
}

impl<'a> Assistant<'a> {
    fn new(rota: &'a Rota, credential: &str) -> Assistant<'a> {
        Assistant {
            caller: rota.with(credential),
        }
    }

    /// A person's, by a new token.
    fn of(rota: &'a Rota, user: &str) -> Assistant<'a> {
        Assistant::new(rota, &rota.token(user))
    }

    /// Sends a body with the headers that a client of the older version sends.
    #[track_caller]
    fn send(&self, body: impl Into<Vec<u8>>) -> Answer {
        self.request().body(body).send()
    }

    fn request(&self) -> Request<'a> {
        let request = self.caller.request("POST", "/mcp");
        request
            .header("Content-Type", PLAIN_JSON)
            .header("Accept", "application/json, text/event-stream")
            .header("MCP-Protocol-Version", HANDSHAKE)
    }

    /// The result of a method.
    #[track_caller]
    fn result(&self, method: &str, params: Value) -> Value {
        let answer = self.ask(method, params);
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].clone()
    }

    /// What a method is answered.
    #[track_caller]
    fn ask(&self, method: &str, params: Value) -> Value {
        let message = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
        let answer = self.send(message.to_string()).is(200).json();
        assert_eq!(
            (&answer["jsonrpc"], &answer["id"]),
            (&json!("2.0"), &json!(7))
        );
        answer
    }

    /// The names of the tools, in order.
    #[track_caller]
    fn tools(&self) -> Vec<String> {
        let listed = self.result("tools/list", json!({}));
        let tools = listed["tools"].as_array().expect("tools").iter();
        tools.map(|tool| text(&tool["name"]).to_owned()).collect()
    }

    /// What a tool gives, which its text repeats.
    #[track_caller]
    fn call(&self, tool: &str, arguments: Value) -> Value {
        let result = self.result(
            "tools/call",
            json!({ "name": tool, "arguments": arguments }),
        );
        assert_eq!(result["isError"], json!(false), "{result}");
        let given = result["structuredContent"].clone();
        let said = text(&result["content"][0]["text"]);
        assert_eq!(serde_json::from_str::<Value>(said).expect("JSON"), given);
        assert_eq!(result["content"].as_array().map(Vec::len), Some(1));
        let listed = self.result("tools/list", json!({}));
        let tools = listed["tools"].as_array().expect("tools");
        let described = tools.iter().find(|known| known["name"] == json!(tool));
        let schema = described.expect("a listed tool")["outputSchema"].clone();
        let document = Document(schema.clone());
        let fits = document.fits(&schema, &given);
        fits.unwrap_or_else(|why| panic!("{tool}: {why}: {given}"));
        given
    }

    /// The problem by which a tool refuses.
    #[track_caller]
    fn refused(&self, tool: &str, arguments: Value) -> Value {
        let result = self.result(
            "tools/call",
            json!({ "name": tool, "arguments": arguments }),
        );
        assert_eq!(result["isError"], json!(true), "{result}");
        assert!(result.get("structuredContent").is_none(), "{result}");
        serde_json::from_str(text(&result["content"][0]["text"])).expect("a problem")
    }
}
