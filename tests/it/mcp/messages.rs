//! HTTP and JSON-RPC: what is taken, and how what is not is told.

use super::*;

#[test]
fn messages_that_are_none() {
    let rota = Rota::with_people(2);
    let assistant = Assistant::new(&rota, &rota.caller().credential.unwrap());
    for (body, code, id) in [
        ("{", -32700, json!(null)),
        ("", -32700, json!(null)),
        ("\u{1}", -32700, json!(null)),
        ("[]", -32600, json!(null)),
        (
            r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#,
            -32600,
            json!(null),
        ),
        ("7", -32600, json!(null)),
        (
            r#"{"jsonrpc":"1.0","id":3,"method":"ping"}"#,
            -32600,
            json!(3),
        ),
        (
            r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
            -32600,
            json!(null),
        ),
        (
            r#"{"jsonrpc":"2.0","id":[1],"method":"ping"}"#,
            -32600,
            json!(null),
        ),
        (
            r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
            -32600,
            json!(null),
        ),
        (r#"{"jsonrpc":"2.0","id":"a"}"#, -32600, json!("a")),
        (
            r#"{"jsonrpc":"2.0","id":"a","method":null}"#,
            -32600,
            json!("a"),
        ),
        (
            r#"{"jsonrpc":"2.0","id":"a","method":"ping","params":[]}"#,
            -32602,
            json!("a"),
        ),
    ] {
        let answer = assistant.send(body).is(400).json();
        assert_eq!(answer["error"]["code"], json!(code), "{body}: {answer}");
        assert_eq!(answer["id"], id, "{body}");
        assert_eq!(answer["jsonrpc"], json!("2.0"));
    }
    let wrong_utf8 = assistant.send(&b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}"[..]);
    assert_eq!(wrong_utf8.is(400).json()["error"]["code"], json!(-32700));
    for (method, params, code) in [
        ("tools/unknown", json!({}), -32601),
        ("resources/list", json!({}), -32601),
        ("server/discover", json!({}), -32601),
        ("", json!({}), -32601),
        ("initialize", json!({}), -32602),
        ("initialize", json!({ "protocolVersion": 7 }), -32602),
        ("tools/list", json!({ "cursor": "x" }), -32602),
        ("tools/call", json!({}), -32602),
        ("tools/call", json!({ "name": 7 }), -32602),
        ("tools/call", json!({ "name": "drop_everything" }), -32602),
        (
            "tools/call",
            json!({ "name": "list_rotations", "arguments": [] }),
            -32602,
        ),
        (
            "tools/call",
            json!({ "name": "list_rotations", "arguments": "x" }),
            -32602,
        ),
    ] {
        let answer = assistant.ask(method, params.clone());
        assert_eq!(
            answer["error"]["code"],
            json!(code),
            "{method} {params}: {answer}"
        );
    }
    // Ids come back as they were.
    for id in [json!("x y"), json!(0), json!(-1), json!(u64::MAX)] {
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": "ping" });
        let answer = assistant.send(message.to_string()).is(200).json();
        assert_eq!(answer, json!({ "jsonrpc": "2.0", "id": id, "result": {} }));
    }
    // Nobody waits for these.
    for body in [
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "method": "tools/call", "params": { "name": "add_absence" } }),
        json!({ "jsonrpc": "2.0", "id": 1, "result": {} }),
    ] {
        let answer = assistant.send(body.to_string()).is(202);
        assert_eq!(answer.text(), "", "{body}");
    }
}

#[test]
fn what_is_no_message() {
    let rota = Rota::with_people(2);
    let key = rota.caller().credential.unwrap();
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    for method in ["GET", "PUT", "DELETE", "PATCH"] {
        let answer = rota.with(&key).request(method, "/mcp").send().is(405);
        assert_eq!(answer.header("allow"), Some("POST"), "{method}");
    }
    rota.with(&key)
        .request("POST", "/mcp/x")
        .body(ping)
        .send()
        .is(404);
    let post = |caller: &Caller, headers: &[(&str, &str)]| {
        let mut request = caller.request("POST", "/mcp").body(ping);
        for (name, value) in headers {
            request = request.header(name, value);
        }
        request.send()
    };
    let json_kind = ("Content-Type", PLAIN_JSON);
    for (headers, status) in [
        (vec![json_kind], 200),
        (
            vec![("Content-Type", "application/json; charset=utf-8")],
            200,
        ),
        (vec![("Content-Type", "text/plain")], 415),
        (vec![json_kind, ("Accept", "text/event-stream")], 406),
        (vec![json_kind, ("Accept", "*/*")], 200),
        (vec![json_kind, ("Origin", "https://evil.example")], 403),
        (vec![json_kind, ("Origin", "http://evil.example:8080")], 403),
        (vec![json_kind, ("Origin", "null")], 403),
        (vec![json_kind, ("Origin", "http://localhost:6274")], 200),
        (vec![json_kind, ("Origin", &rota.url)], 200),
        (vec![json_kind, ("MCP-Protocol-Version", "2024-11-05")], 400),
        (vec![json_kind, ("MCP-Protocol-Version", "newest")], 400),
        (vec![json_kind, ("MCP-Protocol-Version", "")], 400),
        (vec![json_kind, ("MCP-Protocol-Version", HANDSHAKE)], 200),
    ] {
        let answer = post(&rota.with(&key), &headers);
        assert_eq!(answer.status(), status, "{headers:?}: {}", answer.text());
    }
    // Credentials are those of the API.
    let disabled = rota.mint(json!({ "name": "off", "scopes": ["read:oncall"], "disabled": true }));
    for (caller, code) in [
        (rota.anyone(), "missing_credential"),
        (rota.with("svc_key_nobody_secret"), "unknown"),
        (rota.with(&disabled), "disabled"),
    ] {
        let answer = post(&caller, &[json_kind]).is(401);
        assert_eq!(answer.header("www-authenticate"), Some("Bearer"), "{code}");
        assert_eq!(answer.json()["code"], json!(code));
    }
    let large = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"{}"}}"#,
        "x".repeat(1 << 20)
    );
    let answer = rota.with(&key).request("POST", "/mcp").body(large.clone());
    answer.header("Content-Type", PLAIN_JSON).send().is(413);
    rota.anyone()
        .request("POST", "/mcp")
        .body(large)
        .send()
        .is(401);
    let assistant = Assistant::new(&rota, &key);
    let padded = |size: usize| format!("{ping}{}", " ".repeat(size - ping.len()));
    assistant.send(padded(64 * 1024)).is(200);
    let answer = assistant.send(padded(64 * 1024 + 1));
    assert_eq!(answer.is(413).json()["code"], json!("invalid_request"));
}
