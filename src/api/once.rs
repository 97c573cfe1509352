//! Idempotent writes with an `operationId`.

use super::answer::{self, Outcome};
use super::extract::Call;
use crate::actions::Error;
use crate::actions::mutation::Operation;
use crate::actions::once::{Once, OperationKey, Render};
use crate::server::Problem;
use crate::wire::arrangement;
use crate::wire::etag::Precondition;
use serde::Serialize;

/// Runs an operation once under the caller's `operationId`. A retry gets the original
/// response, byte for byte.
pub fn write<O: Operation>(
    call: &Call,
    precondition: &Precondition,
    operation_id: String,
    operation: O,
    render: Render<O::Output>,
) -> Outcome {
    let (answer, etag) = written(call, precondition, operation_id, operation, render)?;
    Ok(answer::text(answer).with("ETag", etag))
}

/// The same, as the text of the response and its ETag.
pub fn written<O: Operation>(
    call: &Call,
    precondition: &Precondition,
    operation_id: String,
    operation: O,
    render: Render<O::Output>,
) -> Result<(String, String), Problem> {
    // Method and path count as part of the body.
    let path: Vec<&str> = call
        .path
        .0
        .iter()
        .map(|(_, value)| value.as_ref())
        .collect();
    let key = OperationKey {
        body_hash: arrangement::body_hash(call.action, &path, &call.body),
        id: operation_id,
    };
    let once = Once {
        key,
        operation,
        render,
    };
    let receipt = call.write(precondition, once)?.output;
    Ok((receipt.answer, receipt.etag))
}

/// Serializes a response that is stored for retries.
pub fn text<T: Serialize>(value: &T) -> Result<String, Error> {
    serde_json::to_string(value).map_err(|error| Error::Corrupt(error.to_string()))
}
