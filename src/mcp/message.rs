//! JSON-RPC 2.0: one message in, one message out.

use serde_json::{Map, Value, json};

/// What a body has that is one message.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    Request(Request),
    /// A message that nobody waits for.
    Notification,
    /// An answer to a request, which this server never makes.
    Response,
}

/// A request of a client.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// A text or a whole number.
    pub id: Value,
    pub method: String,
    pub params: Map<String, Value>,
}

/// Why a message is not done.
#[derive(Clone, Debug, PartialEq)]
pub struct RpcError {
    pub code: i64,
    pub message: String,
    pub data: Option<Value>,
}

/// The codes of JSON-RPC, and those of the protocol.
pub const PARSE_ERROR: i64 = -32700;
pub const INVALID_REQUEST: i64 = -32600;
pub const METHOD_NOT_FOUND: i64 = -32601;
pub const INVALID_PARAMS: i64 = -32602;
pub const HEADER_MISMATCH: i64 = -32020;
pub const UNSUPPORTED_VERSION: i64 = -32022;

impl RpcError {
    /// Without data.
    pub fn new(code: i64, message: impl Into<String>) -> RpcError {
        RpcError {
            code,
            message: message.into(),
            data: None,
        }
    }

    /// The status of the protocol versions that map codes to statuses.
    pub fn status(&self) -> u16 {
        match self.code {
            METHOD_NOT_FOUND => 404,
            _ => 400,
        }
    }

    /// The answer to the request with an id; null where it is not known.
    pub fn answer(&self, id: &Value) -> Value {
        let mut error = json!({ "code": self.code, "message": self.message });
        if let Some(data) = &self.data {
            error["data"] = data.clone();
        }
        json!({ "jsonrpc": "2.0", "id": id, "error": error })
    }
}

/// The answer with a result.
pub fn answer(id: &Value, result: Value) -> Value {
    let mut answer = json!({ "jsonrpc": "2.0", "id": id });
    // Moved: the macro would copy it.
    answer["result"] = result;
    answer
}

/// Reads one message. An error comes with the id of the request as far as it can be read, else null.
pub fn parse(body: &[u8]) -> Result<Message, (Value, RpcError)> {
    let nameless = |error: RpcError| (Value::Null, error);
    let invalid = |why: &str| RpcError::new(INVALID_REQUEST, why);
    let read: Value = serde_json::from_slice(body).map_err(|error| {
        nameless(RpcError::new(
            PARSE_ERROR,
            format!("the body is not JSON: {error}"),
        ))
    })?;
    let mut message = match read {
        Value::Object(message) => message,
        Value::Array(_) => {
            return Err(nameless(invalid("batches are not taken; send one message")));
        }
        _ => return Err(nameless(invalid("send one JSON-RPC message, an object"))),
    };
    let id = message.remove("id");
    let known = match &id {
        None => Value::Null,
        Some(id) if id.is_string() || id.is_i64() || id.is_u64() => id.clone(),
        Some(_) => return Err(nameless(invalid("id: send a text or a whole number"))),
    };
    let refused = |why: &str| Err((known.clone(), invalid(why)));
    if message.get("jsonrpc") != Some(&json!("2.0")) {
        return refused("jsonrpc: send \"2.0\"");
    }
    let method = match message.remove("method") {
        Some(Value::String(method)) => method,
        Some(_) => return refused("method: send a text"),
        None if message.contains_key("result") || message.contains_key("error") => {
            return Ok(Message::Response);
        }
        None => return refused("method: missing"),
    };
    let params = match message.remove("params") {
        None => Map::new(),
        Some(Value::Object(params)) => params,
        Some(_) => {
            let wrong = RpcError::new(INVALID_PARAMS, "params: send an object");
            return Err((known, wrong));
        }
    };
    Ok(match id {
        None => Message::Notification,
        Some(id) => Message::Request(Request { id, method, params }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages() {
        for (body, expected) in [
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
                Ok("request 1 ping"),
            ),
            (
                r#"{"jsonrpc":"2.0","id":"a","method":"ping","params":{}}"#,
                Ok("request \"a\" ping"),
            ),
            (
                r#"{"jsonrpc":"2.0","id":-7,"method":""}"#,
                Ok("request -7 "),
            ),
            (
                r#"{"jsonrpc":"2.0","method":"notifications/x"}"#,
                Ok("notification"),
            ),
            (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, Ok("response")),
            (r#"{"jsonrpc":"2.0","id":1,"error":{}}"#, Ok("response")),
            ("", Err((PARSE_ERROR, "null"))),
            ("{", Err((PARSE_ERROR, "null"))),
            ("{\"id\":1,}", Err((PARSE_ERROR, "null"))),
            ("[]", Err((INVALID_REQUEST, "null"))),
            (
                r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#,
                Err((INVALID_REQUEST, "null")),
            ),
            ("null", Err((INVALID_REQUEST, "null"))),
            (r#"{"id":1,"method":"ping"}"#, Err((INVALID_REQUEST, "1"))),
            (
                r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#,
                Err((INVALID_REQUEST, "1")),
            ),
            (
                r#"{"jsonrpc":2.0,"id":1,"method":"ping"}"#,
                Err((INVALID_REQUEST, "1")),
            ),
            (
                r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
                Err((INVALID_REQUEST, "null")),
            ),
            (
                r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
                Err((INVALID_REQUEST, "null")),
            ),
            (
                r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#,
                Err((INVALID_REQUEST, "null")),
            ),
            (
                r#"{"jsonrpc":"2.0","id":true,"method":"ping"}"#,
                Err((INVALID_REQUEST, "null")),
            ),
            (r#"{"jsonrpc":"2.0","id":1}"#, Err((INVALID_REQUEST, "1"))),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":7}"#,
                Err((INVALID_REQUEST, "1")),
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}"#,
                Err((INVALID_PARAMS, "1")),
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":null}"#,
                Err((INVALID_PARAMS, "1")),
            ),
        ] {
            let found = match parse(body.as_bytes()) {
                Ok(Message::Request(Request { id, method, .. })) => {
                    Ok(format!("request {id} {method}"))
                }
                Ok(Message::Notification) => Ok("notification".to_owned()),
                Ok(Message::Response) => Ok("response".to_owned()),
                Err((id, error)) => Err((error.code, id.to_string())),
            };
            let expected = expected.map(str::to_owned);
            let expected = expected.map_err(|(code, id)| (code, id.to_owned()));
            assert_eq!(found, expected, "{body}");
        }
        let deep = "[".repeat(100_000);
        assert_eq!(parse(deep.as_bytes()).unwrap_err().1.code, PARSE_ERROR);
    }
}
