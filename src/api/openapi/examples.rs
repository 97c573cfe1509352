//! Examples of requests and answers, as a run gave them: one line of `examples.json` for each operation. The test
//! `api::examples` makes the run and writes the file.

use serde_json::Value;
use std::collections::HashMap;

/// The examples by operation id.
pub struct Examples(HashMap<String, Value>);

impl Examples {
    /// Reads the file.
    pub fn load() -> Examples {
        let lines = include_str!("examples.json").lines();
        // A test finds an operation without an example, and with it a line that is no JSON.
        let read = lines.filter_map(|line| serde_json::from_str(line).ok());
        let named =
            |exchange: Value| Some((exchange["operationId"].as_str()?.to_owned(), exchange));
        Examples(read.filter_map(named).collect())
    }

    /// The exchange of an operation: `path` and `parameters` by name, `body`, `status` and `answer`.
    pub fn of(&self, id: &str) -> &Value {
        self.0.get(id).unwrap_or(&Value::Null)
    }
}

/// Adds an example to a parameter, a body or an answer, where there is one.
pub fn add(place: &mut Value, example: &Value) {
    if !example.is_null() {
        place["example"] = example.clone();
    }
}
