//! Writes that carry an `operationId`: the caller may retry them.

use super::answer::{self, Outcome};
use super::extract::Call;
use crate::actions::Fault;
use crate::actions::mutation::Operation;
use crate::actions::once::{Once, OperationKey, Render};
use crate::wire::arrangement;
use crate::wire::etag::Precondition;
use serde::Serialize;

/// Runs an operation once under the caller's `operationId`; `name` is that of the API's operation. A retry gets the original
/// response, byte for byte.
pub fn write<O: Operation>(
    call: &Call,
    precondition: &Precondition,
    (name, operation_id): (&str, String),
    operation: O,
    render: Render<O::Output>,
) -> Outcome {
    // Method and path count as part of the body.
    let path: Vec<&str> = call
        .path
        .0
        .iter()
        .map(|(_, value)| value.as_ref())
        .collect();
    let key = OperationKey {
        body_hash: arrangement::body_hash(name, &path, &call.body),
        id: operation_id,
    };
    let once = Once {
        key,
        operation,
        render,
    };
    let receipt = call.write(precondition, once)?.output;
    let body = answer::text(receipt.answer);
    Ok(answer::with(body, "ETag", receipt.etag))
}

/// A response as it is stored for retries.
///
/// # Errors
/// A fault of ours when it cannot be written as JSON.
pub fn text<T: Serialize>(value: &T) -> Result<String, Fault> {
    serde_json::to_string(value).map_err(|error| Fault::Corrupt(error.to_string()))
}
