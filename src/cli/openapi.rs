//! `rota openapi`: prints the document of `GET /v1/openapi.json`.

use super::Failure;
use super::output::answer_json;

/// Prints it.
pub fn run() -> Result<(), Failure> {
    let document = crate::api::openapi::document();
    let text = serde_json::to_string_pretty(&document).map_err(|error| error.to_string())?;
    answer_json(&text)
}
