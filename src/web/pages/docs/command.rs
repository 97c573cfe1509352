//! The example of an operation as a `curl` command.

use crate::web::layout::encoded;
use serde_json::Value;

/// The command that sends the example of an operation.
pub fn curl(method: &str, path: &str, described: &Value) -> String {
    let mut lines = vec![match method {
        "GET" => format!("curl \"$ROTA_URL{}\"", target(path, described)),
        _ => format!("curl -X {method} \"$ROTA_URL{}\"", target(path, described)),
    }];
    lines.extend(credential(described).map(|header| format!("-H \"{header}\"")));
    for parameter in parameters(described, "header") {
        if let Some(value) = text(&parameter["example"]) {
            let name = parameter["name"].as_str().unwrap_or_default();
            lines.push(format!("-H {}", quoted(&format!("{name}: {value}"))));
        }
    }
    let body = &described["requestBody"]["content"]["application/json"]["example"];
    if !body.is_null() {
        lines.push("-H 'Content-Type: application/json'".to_owned());
        lines.push(format!("-d {}", quoted(&format!("{body:#}"))));
    }
    lines.join(" \\\n  ")
}

/// The parameters that stand in one place of a request.
fn parameters<'a>(described: &'a Value, place: &'a str) -> impl Iterator<Item = &'a Value> {
    let all = described["parameters"].as_array().into_iter().flatten();
    all.filter(move |parameter| parameter["in"] == place)
}

/// Path and query with the values of the example.
fn target(path: &str, described: &Value) -> String {
    let mut target = path.to_owned();
    for parameter in parameters(described, "path") {
        let name = parameter["name"].as_str().unwrap_or_default();
        if let Some(value) = text(&parameter["example"]) {
            let value = encoded(&value).replace('/', "%2F");
            target = target.replace(&format!("{{{name}}}"), &value);
        }
    }
    let mut separator = '?';
    for parameter in parameters(described, "query") {
        let name = parameter["name"].as_str().unwrap_or_default();
        let values = match &parameter["example"] {
            Value::Array(values) => values.iter().filter_map(text).collect(),
            value => text(value).into_iter().collect::<Vec<_>>(),
        };
        for value in values {
            target.push_str(&format!("{separator}{name}={}", encoded(&value)));
            separator = '&';
        }
    }
    target
}

/// The header of the credential that the operation takes first.
fn credential(described: &Value) -> Option<&'static str> {
    let schemes = described["security"].as_array()?;
    let mut names = schemes.iter().filter_map(Value::as_object);
    let names = names.find_map(|scheme| scheme.keys().next())?;
    Some(match names.as_str() {
        "memberToken" => "Authorization: Bearer $ROTA_TOKEN",
        "accessCode" => "webhook-key: $WEBHOOK_KEY",
        _ => "Authorization: Bearer $ROTA_API_KEY",
    })
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

/// A text as one word of a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn commands() {
        let described = json!({
            "security": [{ "apiKey": [] }, { "memberToken": [] }],
            "parameters": [
                { "in": "path", "name": "rotationId", "example": "a/b" },
                { "in": "query", "name": "kinds", "example": ["x y", "z"] },
                { "in": "query", "name": "page" },
                { "in": "header", "name": "If-Match", "example": "\"tag\"" },
            ],
            "requestBody": { "content": { "application/json": { "example": { "reason": "it's" } } } },
        });
        let expected = "curl -X PUT \"$ROTA_URL/v1/rotations/a%2Fb?kinds=x%20y&kinds=z\" \\\n  \
                        -H \"Authorization: Bearer $ROTA_API_KEY\" \\\n  \
                        -H 'If-Match: \"tag\"' \\\n  \
                        -H 'Content-Type: application/json' \\\n  \
                        -d '{\n  \"reason\": \"it'\\''s\"\n}'";
        assert_eq!(
            curl("PUT", "/v1/rotations/{rotationId}", &described),
            expected
        );
        assert_eq!(
            curl("GET", "/healthz", &json!({})),
            "curl \"$ROTA_URL/healthz\""
        );
    }
}
